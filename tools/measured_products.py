"""Tables of docs-measured.py: M·M' (Zhao), a simple product (Dobravec and Bulić), and its sizes that are hard."""
from measured_common import grid, is_square, markdown, rows_of, seconds, time_of, where, whole_of

# --- M·M' -------------------------------------------------------------------------------------------------------------

WIDTHS = [4, 8, 16, 32]


def speed(row, time):
    """Gflop/s of the operations that the product nominally has."""
    return "-" if not row or not time else f"{row['flops'] / time * 1e-9:.4g}"


def mmt_rows(files):
    """Kernels that were measured: (kernel, d, width) to row, and the kernels in their order."""
    rows = [row for row in rows_of(files) if "kernel_times" in row]
    return {(row["method"], row["n"], row.get("width")): row for row in rows}, list(dict.fromkeys(row["method"] for row in rows))


def best(found, kernel, d):
    """The fastest width of a kernel."""
    rows = [row for (method, n, _), row in found.items() if method == kernel and n == d]
    return min(rows, key=time_of, default=None)


def mmt_sizes(files):
    """A line a kernel, a column a size: in the best width."""
    found, kernels = mmt_rows(files)
    sizes = sorted({n for _, n, _ in found})

    def cell(row):
        width = f" ({row['width']})" if row and "width" in row else ""
        return speed(row, time_of(row)) + width + ("" if not row or row["ok"] else " *")

    lines = [[kernel.removeprefix("mmt-")] + [cell(best(found, kernel, d)) for d in sizes] for kernel in kernels]
    return markdown(["Gflop/s (width)"] + [f"d = {d}" for d in sizes], lines) + ["", "*: not M·M'. (cuBLAS, v008 and v009 as printed add to R, which is not zero here.)", "", where(files)]


def mmt_widths(files):
    """At the largest size that has the widest blocks: by width; then in the best with transfers, and what is executed."""
    found, kernels = mmt_rows(files)
    d = max(n for _, n, width in found if width == WIDTHS[-1])
    vendor = found.get(("mmt-cublas-corrected", d, None))
    lines = []
    for kernel in kernels:
        row = best(found, kernel, d)
        if not row:
            continue
        cells = [speed(found.get((kernel, d, w)), time_of(found.get((kernel, d, w)))) for w in WIDTHS]
        executed = f"{row['executed_flops'] / time_of(row) * 1e-9:.4g}"
        share = f"{time_of(vendor) / time_of(row):.3f}" if vendor else "-"
        lines.append([kernel.removeprefix("mmt-")] + cells + [str(row.get("width", "-")), speed(row, time_of(row)),
                      speed(row, whole_of(row)), executed, share, "right" if row["ok"] else "not M·M'"])
    heads = [f"Gflop/s, d = {d}"] + [f"{w}×{w}" for w in WIDTHS] + ["best width", "nominal", "with transfers", "executed",
                                                                  "of cuBLAS", "result"]
    return markdown(heads, lines) + ["", where(files)]


def mmt_transfers(files):
    """What the paper compares, in blocks of 8, with transfers."""
    columns = [("v001", "mmt-v001", 8), ("v004", "mmt-v004-corrected", 8), ("v006", "mmt-v006-corrected", 8),
               ("v008", "mmt-v008-corrected", 8), ("v009", "mmt-v009-corrected", 8), ("cuBLAS", "mmt-cublas-corrected", None)]

    def cell(row):
        return f"{speed(row, time_of(row))}, {speed(row, whole_of(row))}" if row and "kernel_times" in row else "-"

    return grid(files, columns, cell) + ["", where(files)]


def sanity(files):
    """(kernel, d) to row, kernels and sizes in their order."""
    rows = [row for one in files for row in one.get("sanity", [])]
    found = {(row["kernel"], row["d"]): row for row in rows}
    return found, list(dict.fromkeys(row["kernel"] for row in rows)), list(dict.fromkeys(row["d"] for row in rows))


def mmt_differences(files):
    """The paper's table, ours beside each of its columns."""
    columns = [("0", "mmt-cublas-as-printed"), ("1", "mmt-v001"), ("5", "mmt-v005-as-printed"), ("6", "mmt-v006-as-printed"),
               ("8", "mmt-v008-as-printed"), ("9", "mmt-v009-as-printed")]
    found, _, sizes = sanity(files)
    lines = []
    for d in sizes:
        cells = []
        for _, kernel in columns:
            row = found.get((kernel, d), {})
            cells += [f"{row['paper']:.3f}" if "paper" in row else "-",
                      f"{row['l2_difference_as_printed']:.2g}" if row else "-"]
        lines.append([str(d)] + cells)
    return markdown(["d"] + [head for name, _ in columns for head in (f"{name}: paper", "here")], lines) + ["", where(files)]


def mmt_wrong(files):
    """Elements that are wrong on whole numbers."""
    found, kernels, sizes = sanity(files)
    alike = {}
    for kernel in kernels:
        row = tuple(str(found[kernel, d]["wrong_elements"]) if (kernel, d) in found else "-" for d in sizes)
        alike.setdefault(row, []).append(kernel.removeprefix("mmt-"))
    lines = [[", ".join(names), *row] for row, names in alike.items()]
    return markdown(["wrong elements"] + [f"d = {d}" for d in sizes], lines) + ["", where(files)]


def mmt_example(files):
    """The printed example, from the GPU where there was one."""
    example = files[0]["example"]
    values = example.get("gpu", example["sequential"])
    rows = [values[at:at + 7] for at in range(0, len(values), 7)]
    return ["```"] + ["".join(f"{value:8g}" for value in row) for row in rows] + ["```"]


# --- a simple product -------------------------------------------------------------------------------------------------

DOBRAVEC = [("MulH", "matrixMulH", None), ("MulDG", "dobravec-global-corrected", 8), ("MulDS", "dobravec-shared-corrected", 8),
            ("MulDG 16×16", "dobravec-global-corrected", 16), ("MulDS 16×16", "dobravec-shared-corrected", 16),
            ("cuBLAS", "cublas", None)]
# Whose rows have the paper's figures: it ran its kernels as printed.
PRINTED = {"MulH": "matrixMulH", "MulDG": "dobravec-global-as-printed", "MulDS": "dobravec-shared-as-printed"}


def square_rows(files):
    """(method, width, n) to row."""
    return {(row["method"], row.get("width"), row["n"]): row for row in rows_of(files) if is_square(row)}


def milliseconds(value):
    """Four digits, or nothing."""
    return "-" if value is None else f"{value * 1e3:.4g}"


def paper_of(row):
    """The paper's time for a row."""
    return row["paper_times"]["mean"] if row and "paper_times" in row else None


def dobravec_times(found, n):
    """Head to (the paper's time, ours)."""
    times = {}
    for head, method, width in DOBRAVEC:
        printed = found.get((PRINTED.get(head), width, n))
        times[head] = (paper_of(printed), time_of(found.get((method, width, n))))
    return times


def dobravec_1(files):
    """Table 1: at every tenth size."""
    found = square_rows(files)
    lines = []
    for n in sorted({n for _, _, n in found if n % 80 == 0}):
        times = dobravec_times(found, n)
        cells = [milliseconds(value) for head in PRINTED for value in times[head]]
        lines.append([str(n // 8), str(n)] + cells + [milliseconds(times[head][1]) for head in ("MulDG 16×16", "MulDS 16×16", "cuBLAS")])
    heads = ["n", "size"] + [text for head in PRINTED for text in (f"{head}: paper, ms", "here, ms")]
    return markdown(heads + ["MulDG 16×16", "MulDS 16×16", "cuBLAS"], lines) + ["", where(files)]


def dobravec_ratios(files):
    """What the paper concludes from."""
    found = square_rows(files)

    def ratio(times, over, under, which):
        above, below = times[over][which], times[under][which]
        return f"{above / below:.3g}" if above and below else "-"

    lines = []
    for n in sorted({n for _, _, n in found if n % 80 == 0}):
        times = dobravec_times(found, n)
        whole = whole_of(found.get(("dobravec-shared-corrected", 8, n)))
        lines.append([str(n)] + [ratio(times, "MulH", under, which) for under in ("MulDG", "MulDS") for which in (0, 1)]
                     + [f"{times['MulH'][1] / whole:.3g}" if whole and times["MulH"][1] else "-"]
                     + [ratio(times, "MulDG", "MulDS", which) for which in (0, 1)] + [ratio(times, "MulDG 16×16", "MulDS 16×16", 1)])
    heads = ["size", "MulH / MulDG: paper", "here", "MulH / MulDS: paper", "here", "with transfers", "MulDG / MulDS: paper",
             "here", "here, 16×16"]
    return markdown(heads, lines) + ["", where(files)]


def dobravec_2(files):
    """Table 2: by the threads of a block."""
    found = square_rows(files)
    rows = sorted((width, row) for (method, width, _), row in found.items() if method == "dobravec-shared-run-time")
    lines = [[str(width * width), milliseconds(paper_of(row)), milliseconds(time_of(row))] for width, row in rows]
    host = found.get(("matrixMulH", None, 512))
    fixed = found.get(("dobravec-shared-corrected", 16, 512))
    return markdown(["threads", "paper, ms", "here, ms"], lines) + [
        "", f"MulH: paper 357 ms, here {milliseconds(time_of(host))} ms. 256 threads with a size known when compiled: "
        f"{milliseconds(time_of(fixed))} ms.", "", where(files)]


def dobravec_checks(files):
    """How many sizes each kernel is right at."""
    groups = {}
    for row in rows_of(files):
        if "ok" in row:
            groups.setdefault((row["method"], row.get("width")), []).append(row)
    lines = []
    for (method, width), rows in groups.items():
        errors = [row["relative_error"] for row in rows if row["ok"]]
        edges = sum(1 for row in rows if width and row["n"] % width)
        lines.append([method, str(width or "-"), str(len(rows)), str(edges), str(sum(not row["ok"] for row in rows)),
                      f"{max(errors):.1e}" if errors else "-"])
    return markdown(["method", "width", "sizes", "not multiples of the width", "wrong", "largest error of the others"], lines) + ["", where(files)]


# --- sizes that are hard ----------------------------------------------------------------------------------------------


def nanoseconds(row):
    """Of a multiply-add, and over its neighbours'."""
    if not row or "left_out" in row:
        return ["-", "-"]
    return [f"{row['step_s'] * 1e9:.2f}", f"{row['to_neighbours']:.2f}" if row["to_neighbours"] else "-"]


def column(row, level):
    """How a column's lines share the sets of a cache: sets, lines in the fullest."""
    found = [one for one in row["column"] if one["level"] == level]
    return f"{found[0]['sets']} × {found[0]['fullest_set_lines']}" if found else "-"


def overfull(row, level):
    """Whether they have no room there."""
    return any(one["level"] == level and one["overfull_lines"] for one in row["column"])


def caches(files):
    """The machine, in a line."""
    one = files[0]
    told = [f"L{cache['level']} {cache['sets']} sets of {cache['ways']} lines of {cache['line_bytes']} bytes" for cache in one["caches"]]
    trials = max(row["times"]["trials"] for row in rows_of(files) if "times" in row)
    return f"{where(files)[:-1]}; one thread on one core; {', '.join(told)}. Medians of {trials} trials, all runs in turn."


def anomaly(files):
    """The paper's sizes."""
    series = {}
    for row in rows_of(files):
        series.setdefault(row["series"], {})[row["n"]] = row
    lines = []
    for n, row in series["sizes"].items():
        paper = [f"{row['paper_time_s'] * 1e3:.0f}", f"{row['paper_to_neighbours']:.2f}"] if "paper_time_s" in row else ["-", "-"]
        cells = [cell for name in ("sizes", "padded", "huge-pages") for cell in nanoseconds(series[name].get(n))]
        lines.append([str(n)] + paper + cells + [column(row, 1), column(row, 2)])
    heads = ["size", "paper, ms", "relative to other sizes", "here, ns per step", "relative", "rows of n + 16, ns", "relative",
             "pages of 2 MB, ns", "relative", "sets of L1 × lines", "sets of L2 × lines"]
    return markdown(heads, lines) + ["", caches(files)]


def anomaly_rows(files):
    """Two sizes, rows of many lengths: time of a step, sets of both levels, and whether they have room."""
    series = {}
    for row in rows_of(files):
        if row["series"] in ("rows", "few-rows"):
            series.setdefault(row["series"], {})[row["row_elements"]] = row
    lines = []
    for length, many in series["rows"].items():
        cells = [str(length)]
        for row in (many, series["few-rows"][length]):
            cells += [nanoseconds(row)[0]] + [column(row, level) + ("" if overfull(row, level) else ", room") for level in (1, 2)]
        lines.append(cells)
    counts = [next(iter(series[name].values()))["n"] for name in ("rows", "few-rows")]
    heads = ["elements between rows"] + [f"{n} rows: {text}" for n in counts for text in ("ns per step", "L1, sets × lines", "L2, sets × lines")]
    return markdown(heads, lines) + ["", caches(files)]


TABLES = {
    "mmt": mmt_sizes,
    "mmt-widths": mmt_widths,
    "mmt-transfers": mmt_transfers,
    "mmt-differences": mmt_differences,
    "mmt-wrong": mmt_wrong,
    "mmt-example": mmt_example,
    "dobravec-1": dobravec_1,
    "dobravec-ratios": dobravec_ratios,
    "dobravec-2": dobravec_2,
    "dobravec-checks": dobravec_checks,
    "anomaly": anomaly,
    "anomaly-rows": anomaly_rows,
}
