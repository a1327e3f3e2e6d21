"""What verifying, predicting, planning and stepping find. Times are in seconds, words are elements of a matrix."""
import base64
import dataclasses
import pathlib
import re


def table(rows):
    """A pandas.DataFrame of results, a row each, without what they consist of; needs pandas."""
    import pandas  # pylint: disable=import-outside-toplevel

    return pandas.DataFrame([{field.name: getattr(row, field.name) for field in dataclasses.fields(row) if field.repr} for row in rows])


@dataclasses.dataclass(frozen=True)
class Proof:
    """Whether a schedule computes its product; true if it does. Counts are totals over all processors unless noted."""

    ok: bool
    message: str  # why not; "" where ok
    line: int  # of the schedule's text, where it fails; 0: none
    step: int
    m: int  # the sizes that words are counted at
    n: int
    k: int
    processors: int
    steps: int
    messages: int
    products: int
    words_received_max: int  # by the processor that receives most
    words_received_bound: float  # lower bound: in any schedule some processor receives at least this many (Al Daas et al., 2022)
    words_received: int
    words_per_processor_max: int  # held at once
    blocks_per_processor_max: int

    def __bool__(self):
        return self.ok


@dataclasses.dataclass(frozen=True)
class StepTime:
    """A step of a prediction."""

    index: int
    label: str
    messages: int
    bytes: int
    products: int
    start_s: float
    end_s: float


@dataclasses.dataclass(frozen=True)
class Prediction:
    """The predicted time of a run."""

    time_s: float
    compute_s: float  # computing time of the node that finishes last
    communication_s: float  # the rest of that node's time
    least_s: float  # least_s to most_s: expected range, from the machine's error
    most_s: float
    messages: int
    bytes: int
    max_link_bytes: int
    flops: float
    m: int
    n: int
    k: int
    processors: int
    grid: str
    machine: str
    network: str
    model: str
    collectives: str  # which algorithm each uses; "" without any
    steps: tuple = dataclasses.field(repr=False)  # of StepTime

    def table(self):
        """The steps as a pandas.DataFrame."""
        return table(self.steps)


@dataclasses.dataclass(frozen=True)
class Place:
    """One entry of a plan's ranking: a schedule with its grid, parameters, network and predicted time."""

    algorithm: str
    grid: str
    parameters: str
    network: str
    embedding: str
    collectives: str
    processors: int
    predicted_s: float
    compute_s: float
    communication_s: float
    efficiency: float
    messages: int
    bytes: int
    bytes_per_processor: float
    tie: bool  # with the first, within the machine's error
    certain: bool
    why: str
    schedule: object = dataclasses.field(repr=False, compare=False)  # the Schedule, on this grid


@dataclasses.dataclass(frozen=True)
class Plan:
    """The ranking of schedules, the fastest first."""

    places: tuple  # of Place
    certain: bool  # nothing that was not predicted can be faster than place 1
    least_s: float  # nothing is faster than this
    considered: int
    predicted: int

    def __iter__(self):
        return iter(self.places)

    def __len__(self):
        return len(self.places)

    def __getitem__(self, place):
        return self.places[place]

    def table(self):
        """The places as a pandas.DataFrame."""
        return table(self.places)


@dataclasses.dataclass(frozen=True)
class Step:
    """A step that was executed. Counts are from step 1 to this one."""

    index: int
    label: str
    messages: int
    bytes: int
    products: int


@dataclasses.dataclass(frozen=True)
class Picture:
    """The bytes of a picture, which a notebook shows."""

    data: bytes = dataclasses.field(repr=False)
    format: str

    def save(self, path):
        """Writes the file."""
        pathlib.Path(path).write_bytes(self.data)

    def _repr_mimebundle_(self, **_):
        if self.format not in ("svg", "png", "gif"):
            return {"text/plain": repr(self)}
        kind, encoded = "image/" + ("svg+xml" if self.format == "svg" else self.format), base64.b64encode(self.data).decode()
        # An SVG as an element of the page would share its ids with other pictures there, and nbconvert takes it apart.
        box = re.search(rb'viewBox="\S+ \S+ (\S+) ', self.data)  # an SVG fills what there is
        size = f' style="width: 100%; max-width: {float(box[1]):.0f}px"' if box else ""
        return {"text/html": f'<img src="data:{kind};base64,{encoded}" alt="picture of a schedule"{size}>'}
