"""Tables of docs-measured.py: schedules that `topogemm run` executed, beside a kernel of the ladder."""
from measured_common import markdown, where


def runs_of(files):
    """All runs, in the files' order, whether a document is of one ALGO or of several."""
    return [run for one in files for run in one.get("runs", [one])]


def speed(run):
    """Tflop/s with the spread of the trials, in percent."""
    spread = run["time_s"]["stddev"] / run["time_s"]["median"]
    return f"{run['gflops'] / 1e3:.1f} ± {spread * 100:.1f} %"


def of_beside(run):
    """The part of the other kernel's speed."""
    return f"{run['beside']['ratio']:.3f}" if "beside" in run else "-"


def below(files):
    """The line below a table: the card, and what the figures are."""
    runs = runs_of(files)
    trials = sorted(run["trials"] for run in runs)
    beside = next((run["beside"]["kernel"] for run in runs if "beside" in run), None)
    words = f"Tflop/s ± the standard deviation, medians of {trials[0]} to {trials[-1]} runs"
    return ["", words + (f"; of {beside}: its median in the same run over the schedule's" if beside else "") + ". " + where(files)]


def runs(files):
    """A line a run."""
    lines = [[run["on"], run["transport"], run["grid"], run["algorithm"], str(run["n"]), speed(run), of_beside(run)]
             for run in runs_of(files)]
    return markdown(["`--on`", "transport", "grid", "schedule", "n", "Tflop/s", "of cuBLAS"], lines) + below(files)


def shifts(files):
    """A line a schedule and size: blocks that are sent beside blocks that are loaded."""
    found = {(run["grid"], run["algorithm"], run["n"], run["transport"]): run for run in runs_of(files)}
    lines = []
    for grid, algorithm, n in dict.fromkeys(key[:3] for key in found):
        sent, loaded = (found.get((grid, algorithm, n, transport)) for transport in ("copy", "load"))
        if sent and loaded:
            lines.append([grid, algorithm, str(n), speed(sent), speed(loaded), f"{sent['gflops'] / loaded['gflops']:.3f}",
                          str(sent["resident"] * sent["processors"]), of_beside(loaded)])
    heads = ["grid", "schedule", "n", "sent", "loaded", "sent of loaded", "processors resident", "loaded of cuBLAS"]
    return markdown(heads, lines) + below(files)


TABLES = {"runs": runs, "shifts": shifts}
