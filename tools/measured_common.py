"""What the tables of docs-measured.py have in common: results, cells, grids."""
import itertools
import math


def rows_of(files):
    """All results, in the files' order."""
    return [row for one in files for row in one["results"]]


def markdown(heads, rows):
    """A table; cells are text."""
    return ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)] + ["| " + " | ".join(row) + " |" for row in rows]


def seconds(value):
    """With a unit, three digits."""
    for above, factor, unit in [(0.9995, 1, "s"), (0.9995e-3, 1e3, "ms"), (0, 1e6, "µs")]:
        if value >= above:
            return f"{value * factor:.3g} {unit}"
    return "-"


def time_of(row):
    """The time that stands for a row: of the kernel on a GPU, of the call on the CPU; None where there is none."""
    return row.get("time_s") if row else None


def whole_of(row):
    """With what the host prepares and the transfers."""
    if not row or "left_out" in row or row.get("repeats", 1) > 1 or (row["place"] == "gpu" and "transfer_in_times" not in row):
        return None
    call = "call_times" if "call_times" in row else "kernel_times"  # a long kernel's call is not timed apart
    return sum(row[key]["median"] for key in ("prepare_times", "transfer_in_times", call, "transfer_out_times") if key in row)


def sources(files):
    """What the programs were built from that measured, each once; changes that were not committed are said, too."""
    commits = dict.fromkeys(one["environment"].get("commit") for one in files)
    names = [commit.replace("-dirty", " with changes") for commit in commits if commit]
    return f"; of commit{'s' * (len(names) > 1)} {', '.join(names)}" if names else ""


def where(files):
    """The line below a table."""
    one = files[0]["environment"]
    host = f"{one['processor']}, {one['cores']} cores" if "processor" in one else ""
    if not one.get("device"):
        return f"{host}{sources(files)}."
    return (f"{one['device']}, {one['multiprocessors']} SMs at {one['clock_mhz_before']} MHz, CUDA "
            f"{one['cuda'] // 1000}.{one['cuda'] % 1000 // 10}{f'; host: {host}' if host else ''}{sources(files)}.")


def is_square(row):
    """Whether a row is of n x n, of a product or of a transpose."""
    return row["m"] == row["n"] and row["k"] in (row["n"], 1)


def grid(files, columns, show):
    """A line a size of the square rows, a column a method: (head, method, width or None)."""
    found = {}
    for row in rows_of(files):
        if is_square(row):
            found.setdefault((row["method"], row.get("width"), row["n"]), row)
            found.setdefault((row["method"], None, row["n"]), row)
    columns = [one for one in columns if any(key[:2] == one[1:] for key in found)]
    lines = []
    for n in sorted({key[2] for key in found}):
        lines.append([str(n)] + [show(found.get((method, width, n))) for _, method, width in columns])
    return markdown(["n"] + [head for head, _, _ in columns], lines)


def show_time(row):
    """A cell of a grid."""
    return "-" if time_of(row) is None else seconds(time_of(row))


def show_whole(row):
    """Likewise, with launch and transfers."""
    return "-" if whole_of(row) is None else seconds(whole_of(row))


def show_rate(row):
    """Likewise, GB/s."""
    return "-" if time_of(row) is None else f"{row['bytes_per_s'] / 1e9:.3g}"


def tau_of(runs):
    """Kendall's tau-b of predicted and measured times."""
    signs = [[(one[key] > other[key]) - (one[key] < other[key]) for key in ("predicted_s", "measured_s")]
             for one, other in itertools.combinations(runs, 2)]
    return sum(a * b for a, b in signs) / math.sqrt(sum(a != 0 for a, _ in signs) * sum(b != 0 for _, b in signs))
