"""The tables of docs-measured.py on the speed of `--on ranks`, from the results of measure-ranks.py, and on broadcasts."""
import statistics

from measured_common import markdown, seconds, where

PEERS = ["ScaLAPACK", "COSMA"]
MPI = ["MPI_Ibcast", "MPI_Bcast"]


def against(one):
    """Of OpenBLAS, the median of the rounds, and in brackets the least and the most of them."""
    return f"{one['of_openblas']:.2f} ({min(one['each']):.2f} to {max(one['each']):.2f})" if one else "-"


def lines_of(cases, kind, size):
    """A line for each number of ranks."""
    alone = next(case for case in cases if case["what"].startswith("OpenBLAS"))
    by_ranks = {}
    for case in cases:
        if case is alone:
            continue
        ranks, name = case["what"].split(" ranks, ")
        each = [first / own for first, own in zip(alone["rounds_s"], case["rounds_s"])]
        by_ranks.setdefault(int(ranks), []).append(case | {"name": name, "each": each})
    for ranks, measured in by_ranks.items():
        ours = sorted((one for one in measured if one["name"] not in PEERS), key=lambda one: -one["of_openblas"])
        peers = [next((one for one in measured if one["name"] == peer), None) for peer in PEERS]
        yield [kind, size, str(ranks), seconds(alone["median_s"]), f"`{ours[0]['name']}`", against(ours[0]), f"`{ours[-1]['name']}`",
               against(ours[-1]), *map(against, peers)]


def speed(files):
    """The fastest and the slowest of the schedules that were tried, and the two libraries."""
    lines = []
    for one in files:
        groups = {}
        for case in one["measured"]:
            groups.setdefault((case["type"], case["size"]), []).append(case)
        for (kind, size), cases in groups.items():
            lines += lines_of(cases, kind, size)
    heads = ["type", "m x n x k", "ranks", "OpenBLAS", "fastest schedule", "its speed", "slowest schedule", "its speed", *PEERS]
    library = where(files).partition(" ranks of ")[2]
    kernels = files[0]["environment"]["blas"].partition("running as ")[2].partition(",")[0]
    return markdown(heads, lines) + ["", f"{files[0]['rounds']} rounds, OpenBLAS with kernels for {kernels}. {library}"]


def broadcast(files):
    """One broadcast, by rounds of messages and by MPI's own; medians of the rounds."""
    [one] = files
    ways = list(dict.fromkeys(case["collective"] for case in one["topogemm"]))
    lines = []
    for count in sorted({case["doubles"] for case in one["mpi"]}):
        own = [statistics.median(case["median_s"] for case in one["topogemm"] if case["doubles"] == count and case["collective"] == way) for way in ways]
        mpi = [statistics.median(case[f"{name}_s"] for case in one["mpi"] if case["doubles"] == count) for name in MPI]
        lines.append([f"{count * 8 / 1e6:g} MB", *map(seconds, own + mpi)])
    return markdown(["block", *(f"`{way}`" for way in ways), *(f"`{name}`" for name in MPI)], lines) + ["", where(files)]
