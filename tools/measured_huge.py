"""The tables of docs-measured.py on products from disk to disk, from the results of measure-huge.py."""
import statistics

from measured_common import markdown, where


def gigabytes(value):
    """Three digits."""
    return f"{value / 1e9:.3g}"


def line(case):
    """The median round; the worst of all rounds where that says more."""
    rounds = case["rounds"]
    one = sorted(rounds, key=lambda each: each["wall_s"])[(len(rounds) - 1) // 2]
    slowest = max(each["wall_s"] / max(each["disk_s"], each["compute_s"]) for each in rounds)
    inside = [each["gflops"] / each["in_memory_gflops"] for each in rounds if "in_memory_gflops" in each]
    exact = all(each["disk_read_bytes"] == each["model_read_bytes"] for each in rounds)
    return [case["size"].replace("x", "×"), " ".join([case["memory"], *case["options"]]), str(one["panels"]),
            gigabytes(one["disk_read_bytes"]) + ("" if exact else " (not the plan's)"),
            f"{one['disk_read_bytes'] / one['bound_read_bytes']:.3f}", f"{one['wall_s']:.1f}", f"{one['disk_s']:.1f}",
            f"{one['compute_s']:.1f}", f"{slowest:.3f}", f"{one['gflops']:.0f}",
            f"{statistics.median(inside):.2f} ({min(inside):.2f} to {max(inside):.2f})" if inside else "-",
            f"{max(each['peak_rss_bytes'] / each['memory_limit_bytes'] for each in rounds):.3f}"]


def huge(files):
    """A line a case."""
    heads = ["C, inner", "memory", "panels", "read, GB", "of the bound", "time, s", "disk, s", "products, s",
             "time / slower of both", "Gflop/s", "of in memory", "peak / memory"]
    lines = [line(case) for one in files for case in one["cases"]]
    kernels = files[0]["environment"]["blas"].partition("running as ")[2].partition(",")[0]
    *fewer, most = map(str, sorted({len(case["rounds"]) for one in files for case in one["cases"]}))
    rounds = f"{', '.join(fewer)} or {most}" if fewer else most
    return markdown(heads, lines) + [
        "", f"{files[0]['type']}, {rounds} rounds, OpenBLAS with kernels for {kernels}. {where(files)}"]


def on_gpu(files):
    """One line per case: the slowest round, and cuBLASXt from the host's memory for comparison."""
    lines = []
    for one in files:
        for case in one["rows"]:
            row = max(case["rounds"], key=lambda each: each["wall_s"])
            beside = next(each for each in one["cublasxt"] if all(each[key] == row[key] for key in "mnk"))
            slowest = max(each["wall_s"] / max(each["disk_s"], each["compute_s"]) for each in case["rounds"])
            lines.append([f"{case['set']}: {row['m']}×{row['n']}×{row['k']}", case["from"], str(row["panels"]), gigabytes(row["disk_read_bytes"]),
                          gigabytes(row["disk_written_bytes"]), f"{row['wall_s']:.1f}", f"{row['disk_s']:.1f}", f"{row['compute_s']:.1f}",
                          f"{row['compute_s'] / row['wall_s']:.0%}", f"{slowest:.3f}", f"{statistics.median(beside['times_s']):.2f}"])
    heads = ["C, inner", "from", "panels", "read, GB", "written, GB", "time, s", "disk, s", "products, s", "GPU busy", "time / slower of both",
             "cuBLASXt, s"]
    one, rounds = files[0]["environment"], max(len(case["rounds"]) for each in files for case in each["rows"])
    return markdown(heads, lines) + ["", f"f32, the slower of {rounds} rounds, page cache emptied before each; {one['device']}; host: {one['processor']}, "
                                         f"{one['cores']} cores; of commit {one['commit']}."]


TABLES = {"huge": huge, "huge-gpu": on_gpu}
