"""The table of docs-measured.py on products from disk to disk, from the results of measure-huge.py."""
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
    rounds = sorted({len(case["rounds"]) for one in files for case in one["cases"]})
    return markdown(heads, lines) + [
        "", f"{files[0]['type']}, {' or '.join(map(str, rounds))} rounds, OpenBLAS with kernels for {kernels}. {where(files)}"]


TABLES = {"huge": huge}
