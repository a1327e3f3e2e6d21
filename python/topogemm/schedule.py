"""A schedule: who sends which block to whom, and who multiplies. Everything else reads it."""
import html
import math
import os
import pathlib
import threading

import numpy

from topogemm import results
from topogemm._calls import Error, bytes_of, call, call_g, characters, embedding_of, optional, parsed, text_of, whole
from topogemm._native import ffi, lib

ELEMENTS = {"float32": lib.TG_F32, "float64": lib.TG_F64}
DEFAULT_MACHINE = "commodity-cluster"


def schedules():
    """Names of the library's schedules."""
    count = ffi.new("size_t *")
    listed = lib.tg_library_list(count)
    return [text_of(listed[at].name) for at in range(count[0])]


def machines():
    """Names of the library's machines."""
    count = ffi.new("size_t *")
    listed = lib.tg_machine_library_list(count)
    return [text_of(listed[at].name) for at in range(count[0])]


def is_path(name):
    """Whether it names a file, rather than something of the library."""
    return isinstance(name, os.PathLike) or "/" in name or name.endswith((".sched", ".machine"))


def path_of(name):
    """The path of a file, for messages; "" for a name of the library."""
    return os.fspath(name) if is_path(name) else ""


def text_from(name, find, what, suffix, known):
    """The bytes of a file, or of a schedule or machine of the library."""
    if not isinstance(name, (str, os.PathLike)):
        raise Error(f"expected the name of a {what} or a path, not {name!r}")
    if is_path(name):
        return pathlib.Path(name).read_bytes()
    entry = find(characters(name))
    if entry == ffi.NULL:
        raise Error(f"the library has no {what} `{name}`; it has {', '.join(known())}. To read a file, give a path with a `/` or ending in .{suffix}")
    return ffi.buffer(entry.text, entry.length)[:]


def machine_text(machine):
    """The bytes of a machine's file, from the library or a path."""
    return text_from(machine, lib.tg_machine_library_find, "machine", "machine", machines)


def read_machine(machine, read, into):
    """Gives `into` the machine: what `read` reads of its text."""
    text = machine_text(machine)
    call(read, into, text, len(text), path=path_of(machine))


def grid_text(grid):
    """4, (4, 4) and "4x4" as "4", "4x4" and "4x4"."""
    if grid is None or isinstance(grid, str):
        return grid
    extents = grid if isinstance(grid, (tuple, list)) else (grid,)
    return "x".join(str(whole(extent, "an extent of the grid")) for extent in extents)


def sizes_of(size):
    """m, n, k of a number, which is all three of them, or of a tuple (m, n, k)."""
    sizes = size if isinstance(size, tuple) else (size,) * 3
    if len(sizes) != 3:
        raise Error(f"expected a size n or (m, n, k), not {size!r}")
    return tuple(whole(value, name) for name, value in zip("mnk", sizes))


def element_of(dtype):
    """The TgElement of a dtype, and the bytes of one."""
    try:
        name = numpy.dtype(dtype).name if dtype is not None else None
    except TypeError:
        name = None
    if name not in ELEMENTS:
        raise Error(f"type: expected float32 or float64, not {dtype!r}")
    return ELEMENTS[name], numpy.dtype(name).itemsize


def real_matrix(given, what):
    """An array of real numbers."""
    if isinstance(given, numpy.ma.MaskedArray):
        raise Error(f"{what} is a masked array: fill it first")
    array = numpy.asarray(given)
    if array.dtype.kind not in "biuf":
        raise Error(f"{what} has elements of type {array.dtype}: expected real numbers")
    if array.ndim != 2:
        raise Error(f"{what} must be a two-dimensional array; its shape is {array.shape}")
    return array


class Schedule:
    """A schedule of the library or of your own, bound to a grid of processors.

    >>> schedule = Schedule.load("cannon", grid="4x4")
    >>> bool(schedule.verify())
    True
    """

    def __init__(self, text, grid=None, **parameters):
        """`text` as in the reference of the language; `grid` "4x4" or (4, 4); parameters of the schedule by name."""
        if not isinstance(text, (str, bytes)):
            raise Error(f"expected the text of a schedule, not {text!r}")
        self._text = text.encode() if isinstance(text, str) else text
        self._given = grid_text(grid), {name: whole(value, name, -(2**31)) for name, value in parameters.items()}
        self._problem = self._open()

    def __reduce__(self):
        return _again, (type(self), self._text, *self._given)

    def __eq__(self, other):
        return isinstance(other, Schedule) and (self._text, self._given) == (other._text, other._given)

    def __hash__(self):
        return hash((self._text, self._given[0]))

    @classmethod
    def parse(cls, text, grid=None, **parameters):
        """Reads a schedule's text. Raises Error with line and column."""
        return cls(text, grid, **parameters)

    @classmethod
    def load(cls, name, grid=None, **parameters):
        """A schedule of the library, as `schedules()` lists them, or of a .sched file."""
        text = text_from(name, lib.tg_library_find, "schedule", "sched", schedules)
        try:
            return cls(text, grid, **parameters)
        except Error as error:
            raise Error(error.message, error.line, error.column, path_of(name)) from None

    def bind(self, grid=None, **parameters):
        """The same schedule on `grid`, with `parameters`. Neither is taken over from this schedule: give all of them."""
        return type(self)(self._text, grid, **parameters)

    def _open(self, size=None, element=lib.TG_F32):
        """A TgProblem of its own: for what sets sizes, network and machine."""
        grid, parameters = self._given
        problem = ffi.gc(call(lib.tg_problem_new, self._text, len(self._text)), lib.tg_problem_free)
        if grid is not None or parameters:
            values = ",".join(f"{name}={value}" for name, value in parameters.items())
            call(lib.tg_problem_bind, problem, optional(grid), optional(values or None), placed=False)
        if size is not None:
            call_g(lib.tg_problem_set_sizes, problem, *sizes_of(size), element)
        return problem

    @property
    def text(self):
        """The schedule's text."""
        return self._text.decode()

    @property
    def grid(self):
        """The extents as a tuple, (4, 4); None without a grid."""
        schedule = self._schedule
        return tuple(schedule.extent[0:schedule.dims]) if self._is_bound else None

    @property
    def _is_bound(self):
        return self._given[0] is not None or bool(self._given[1])

    @property
    def _schedule(self):
        return lib.tg_problem_schedule(self._problem)

    def _bound(self):
        schedule = self._schedule
        if not self._is_bound:
            raise Error(f'schedule {self.name} has no grid yet: give one, for example schedule.bind(grid="4x4")')
        return schedule

    @property
    def name(self):
        """As `schedules()` has it."""
        names = lib.tg_problem_names(self._problem)
        return text_of(lib.tg_name(names, names.title))

    @property
    def computes(self):
        """The product, as "C = A * B"."""
        return text_of(lib.tg_computes_text(ffi.addressof(self._schedule, "computes")).s)

    @property
    def processors(self):
        """Of the grid."""
        return lib.tg_schedule_processors(self._bound())

    def __repr__(self):
        on = f" on {text_of(lib.tg_schedule_grid_text(self._schedule).s)}" if self._is_bound else ""
        return f"<Schedule {self.name}{on}>"

    def verify(self, size=None):
        """Checks that the schedule computes its product on its grid, and counts messages and words.

        `size`: n, or (m, n, k) for C m×n with inner dimension k, for counting words (default: the smallest size with blocks
        of equal size). If the schedule is wrong, the returned Proof is false; its `message`, `line` and `step` say why and where.
        """
        schedule = self._bound()
        m, n, k = (ffi.new("int64_t *") for _ in range(3))
        if size is None:
            lib.tg_proof_sizes(schedule, m, n, k)
        else:
            m[0], n[0], k[0] = sizes_of(size)
        proof, names = ffi.new("TgProof *"), lib.tg_problem_names(self._problem)
        lib.tg_prove(schedule, names, lib.TG_COLLECTIVE_WHOLE, m[0], n[0], k[0], proof)
        failure, counts = proof.failure, proof.counts
        return results.Proof(ok=proof.ok, message="" if proof.ok else text_of(failure.message), line=0 if proof.ok else failure.line,
                             step=0 if proof.ok else failure.step, m=m[0], n=n[0], k=k[0], processors=lib.tg_schedule_processors(schedule),
                             steps=proof.steps, messages=counts.messages, products=counts.products,
                             words_received_max=proof.words_received_max,
                             words_received_bound=max(0.0, lib.tg_bound_memory_independent(m[0], n[0], k[0], lib.tg_schedule_processors(schedule))),
                             words_received=proof.words_received, words_per_processor_max=counts.words_per_processor_max,
                             blocks_per_processor_max=counts.blocks_per_processor_max)

    def step(self, a, b=None, collective="native", history=True):
        """Executes it on matrices, a step at a time: see Run. A and B are not copied if both are row-major and of the same type,
        float32 or float64; do not change them while the Run is in use. `history`: keep what makes going back quick, which takes a
        multiple of the memory of C."""
        return Run(self, a, b, collective, history)

    def predict(self, size, machine=DEFAULT_MACHINE, network=None, embed="rowmajor", model="hockney", collective="auto", overlap=True, type="float32"):  # pylint: disable=redefined-builtin
        """Predicts the time of a run of `size`, n or (m, n, k).

        `machine`: a name from `machines()`, or the path of a machine file. `network`: such as "torus:8x8" or "hypercube" (default:
        the machine's own network if it is large enough; otherwise a torus of the grid's extents). `model`: "hockney",
        "store-and-forward", "flow" or "loggp". The other arguments are as the options of `topogemm sim`. Whether the schedule is
        right is for `verify()` to say.
        """
        self._bound()
        element, element_bytes = element_of(type)
        problem = self._open(size, element)
        read_machine(machine, lib.tg_problem_set_machine, problem)
        call(lib.tg_problem_set_network, problem, optional(network), embedding_of(embed), placed=False)
        options = ffi.new("TgCostOptions *")
        options.model = parsed(lib.tg_cost_model_parse, "TgCostModel", model)
        options.collective = parsed(lib.tg_collective_parse, "TgCollective", collective)
        options.overlap, options.straggler, options.straggler_factor = overlap, -1, 1
        options.element_bytes = element_bytes
        cost = ffi.gc(ffi.new("TgCost *"), lib.tg_cost_clear)
        call_g(lib.tg_problem_predict, problem, options, cost, failure=lambda: cost.failure)
        return self._prediction(problem, cost, sizes_of(size), model)

    def _prediction(self, problem, cost, size, model):
        machine = lib.tg_problem_machine(problem)
        part = lib.tg_machine_error(machine)
        chosen = lib.tg_cost_collectives_text(cost, lib.tg_problem_names(problem))
        collectives = text_of(chosen)
        lib.g_free(chosen)
        network = ffi.new("char[]", 256)
        lib.tg_topology_format(lib.tg_problem_network(problem), network, 256)
        trace = cost.trace
        steps = tuple(results.StepTime(one.index, text_of(one.label), one.messages, one.bytes, one.products, one.start_s, one.end_s)
                      for one in (ffi.unpack(trace.step, trace.steps) if trace.steps else ()))
        return results.Prediction(time_s=cost.time_s, compute_s=cost.compute_s, communication_s=cost.communication_s,
                                  least_s=cost.time_s * (1 - part), most_s=cost.time_s * (1 + part), messages=cost.messages, bytes=cost.bytes,
                                  max_link_bytes=cost.max_link_bytes, flops=cost.flops, m=size[0], n=size[1], k=size[2],
                                  processors=self.processors, grid=text_of(lib.tg_schedule_grid_text(self._schedule).s),
                                  machine=text_of(machine.name), network=text_of(network), model=model, collectives=collectives, steps=steps)

    def plan(self, size, processors, **options):
        """The best grids for this schedule alone; see `topogemm.plan()`."""
        from topogemm.planner import plan  # pylint: disable=import-outside-toplevel,cyclic-import

        return plan(size, processors, schedules=[self], **options)

    # --- pictures -------------------------------------------------------------------------------------------------------

    def _drawn_on(self, network, embed):
        """Options for drawing, and what they point to."""
        schedule, names = self._bound(), lib.tg_problem_names(self._problem)
        topology, embedding = ffi.new("TgTopology *"), ffi.new("TgEmbedding *")
        kind = embedding_of(embed)
        call(lib.tg_topology_for_grid, topology, optional(network), schedule.dims, schedule.extent, placed=False)
        call(lib.tg_embedding_init, embedding, kind, schedule.dims, schedule.extent, topology, placed=False)
        options = ffi.new("TgDrawOptions *", {"topology": topology, "embedding": embedding, "to_the_error": True})
        return schedule, names, options, (topology, embedding)

    def draw(self, step=1, format="svg", network=None, embed="rowmajor"):  # pylint: disable=redefined-builtin
        """A picture of a step, 0 being the beginning; `format` svg, png, pdf, dot or tex."""
        schedule, names, options, _kept = self._drawn_on(network, embed)
        format = format.lower()
        return results.Picture(bytes_of(call_g(lib.tg_draw_step, schedule, names, options, whole(step, "step", 0), characters(format))), format)

    def animate(self, format="svg", network=None, embed="rowmajor"):  # pylint: disable=redefined-builtin
        """All steps as one moving picture, svg or gif."""
        schedule, names, options, _kept = self._drawn_on(network, embed)
        format = format.lower()
        return results.Picture(bytes_of(call_g(lib.tg_draw_animation, schedule, names, options, characters(format))), format)

    def page(self, step=0, size=4096, machine=DEFAULT_MACHINE):
        """The interactive page as HTML, a file that needs no other. `size` and `machine` are for its predictions."""
        schedule, names, options, _kept = self._drawn_on(None, "rowmajor")
        text, machine_file = self._text, machine_text(machine)
        kept = [ffi.from_buffer(text), ffi.new("char[]", machine_file), ffi.new("char[]", text_of(lib.tg_schedule_grid_text(schedule).s).encode())]
        values = [ffi.new("char[]", f"{name}={value}".encode()) for name, value in self._given[1].items()] + [ffi.NULL]
        given = ffi.new("char *[]", values)
        shown = ffi.new("TgPageSchedule *", {"schedule": schedule, "names": names, "options": options, "text": kept[0], "length": len(text), "grid": kept[2]})
        shown.set = given
        m, n, k = sizes_of(size)
        on = ffi.new("TgPageOptions *", {"step": whole(step, "step", 0), "m": m, "n": n, "k": k, "element_bytes": 4, "machine": kept[1]})
        return bytes_of(call_g(lib.tg_page_html, shown, 1, on)).decode()

    def _repr_html_(self):
        if not self._is_bound:
            return f"<pre>{html.escape(self.text)}</pre>"
        return f'<iframe srcdoc="{html.escape(self.page())}" style="width: 100%; height: 760px; border: 0" title="{html.escape(self.name)}"></iframe>'


def _again(kind, text, grid, parameters):
    """Unpickles a schedule."""
    return kind(text, grid, **parameters)


class Run:
    """Steps a schedule on matrices.

    >>> run = Schedule.load("cannon", grid="2x2").step(A, B)
    >>> for step in run:
    ...     print(step.label, run.block((0, 0), "A"))
    >>> C = run.result()
    """

    def __init__(self, schedule, a, b, collective, history):
        a, b = real_matrix(a, "A"), None if b is None else real_matrix(b, "B")
        dtype = numpy.result_type(a, a if b is None else b)
        self._dtype = dtype if dtype.name in ELEMENTS else numpy.dtype("float64")
        self._matrices = tuple(None if one is None else numpy.ascontiguousarray(one, self._dtype) for one in (a, b))
        self._schedule = schedule
        shape = ffi.new("TgShape *")
        bound = schedule._bound()
        call_g(lib.tg_shape_from_matrices, shape, ffi.addressof(bound, "computes"), *a.shape, *(b.shape if b is not None else (0, 0)))
        self._shape, self._extents = (shape.m, shape.n), tuple(bound.extent[0:bound.dims])
        names = lib.tg_problem_names(schedule._problem)
        self._buffers = [text_of(lib.tg_name(names, names.buffer[at])) for at in range(bound.buffers)]
        self._problem = schedule._open((shape.m, shape.n, shape.k), ELEMENTS[self._dtype.name])
        options = ffi.new("TgStepperOptions *", {"keep_history": bool(history)})
        options.collective = parsed(lib.tg_collective_parse, "TgCollective", collective)
        self._data = [ffi.NULL if one is None else ffi.from_buffer(one) for one in self._matrices]
        self._stepper = ffi.gc(call_g(lib.tg_problem_step, self._problem, options, *self._data), lib.tg_stepper_free)
        self._lock = threading.RLock()

    def __reduce__(self):
        raise TypeError("a Run cannot be copied or pickled: step the schedule again")

    def __repr__(self):
        return f"<Run of {self._schedule.name}, after step {self.index} of {len(self)}>"

    def _call(self, function, *arguments):
        """One call at a time; what fails in the schedule has its line."""
        with self._lock:
            return call_g(function, self._stepper, *arguments, failure=lambda: lib.tg_stepper_failure(self._stepper))

    @property
    def schedule(self):
        """What is stepped."""
        return self._schedule

    @property
    def a(self):
        """A as it is read."""
        return self._matrices[0]

    @property
    def b(self):
        """B as it is read; None where the schedule has none."""
        return self._matrices[1]

    @property
    def buffers(self):
        """Names that `block()` takes."""
        return list(self._buffers)

    @property
    def index(self):
        """Of the last step that was executed; 0 at the beginning."""
        return lib.tg_stepper_position(self._stepper)

    def __len__(self):
        """How many steps there are."""
        return lib.tg_stepper_steps(self._stepper)

    def __iter__(self):
        return self

    def __next__(self):
        with self._lock:
            if self._call(lib.tg_stepper_next) == lib.TG_PROGRESS_END:
                raise StopIteration
            return self.now

    @property
    def now(self):
        """The last step."""
        with self._lock:
            counts = lib.tg_stepper_counts(self._stepper)
            return results.Step(self.index, text_of(lib.tg_stepper_label(self._stepper)), counts.messages, counts.bytes, counts.products)

    def back(self):
        """Undoes a step, exactly."""
        with self._lock:
            self._call(lib.tg_stepper_back)
            return self.now

    def seek(self, step):
        """Goes to the end of a step, forward or back."""
        with self._lock:
            self._call(lib.tg_stepper_seek, whole(step, "step", 0, len(self)))
            return self.now

    def _rank(self, processor):
        if not isinstance(processor, (tuple, list)):
            return whole(processor, "processor", 0, math.prod(self._extents) - 1)
        if len(processor) != len(self._extents):
            raise Error(f"processor {processor}: the grid has {len(self._extents)} coordinates")
        rank = 0
        for coordinate, extent in zip(processor, self._extents):
            rank = rank * extent + whole(coordinate, "a coordinate of the processor", 0, extent - 1)
        return rank

    def block(self, processor, buffer, index=0):
        """A copy of the block that `processor`, coordinates such as (0, 1) or a number, holds in `buffer`, or None if the slot is
        empty. For slot T[1] give "T", 1."""
        if buffer not in self._buffers:
            raise Error(f"no buffer `{buffer}`; the schedule has {', '.join(self._buffers)}")
        block, rank, slot = ffi.new("TgBlock *"), self._rank(processor), whole(index, "index", 0)
        with self._lock:
            if not lib.tg_stepper_slot(self._stepper, rank, self._buffers.index(buffer), slot, block):
                return None
            if block.data == ffi.NULL or not block.rows or not block.columns:  # what `zero X` leaves, and blocks of no elements
                return numpy.zeros((block.rows, block.columns), self._dtype)
            size = self._dtype.itemsize
            reach = 1 + (block.rows - 1) * block.row_stride + (block.columns - 1) * block.column_stride
            flat = numpy.frombuffer(ffi.buffer(ffi.cast("char *", block.data), reach * size), self._dtype)
            strides = (block.row_stride * size, block.column_stride * size)
            return numpy.lib.stride_tricks.as_strided(flat, (block.rows, block.columns), strides).copy()

    def result(self):
        """Executes the remaining steps and returns C."""
        with self._lock:
            self.seek(len(self))
            c = numpy.empty(self._shape, self._dtype)
            self._call(lib.tg_stepper_result, ffi.from_buffer(c, require_writable=True), 0)
            return c
