#!/usr/bin/env python3
"""Rewrites the marked region of docs/reference/models.md: what `auto` chooses for one broadcast, and what Open MPI would.

The region stands between `<!-- broadcasts -->` and `<!-- end -->`. With --check nothing is written: the status is 1 where
the page differs from what would be written.

Usage: docs-collectives.py --program PROGRAM [--check] [PAGE]      PAGE: docs/reference/models.md if not given
"""
import json
import subprocess

from docs_region import rewrite

SIZES = [1024, 16384, 262144, 1048576, 16777216]
PROCESSORS = [8, 64]
SCHEDULE = """schedule one-broadcast
grid r:p
place A(0,0), B(0,0) on (0)
place C(0,0) on (0)
broadcast A along r from 0 into P
C = A * B where r == 0
"""


def size_text(size):
    return f"{size // 1048576} MiB" if size % 1048576 == 0 else f"{size // 1024} KiB"


def segment_text(size, pieces):
    segment = size / pieces
    return f"{segment / 1024:g} KiB" if segment >= 1024 else f"{segment:g} bytes"


def ours(program, size, processors):
    """What `sim` chooses for a block of so many bytes."""
    command = [program, "sim", "-", "--grid", str(processors), "--size", f"{size // 4}x1x1", "--network",
               f"full:{processors}", "--machine", "commodity-cluster", "--json"]
    done = subprocess.run(command, input=SCHEDULE, check=True, capture_output=True, text=True)
    choice = json.loads(done.stdout)["collectives"][0]
    if choice["algorithm"] == "chain":
        return f"chain, {segment_text(size, choice['pieces'])} pieces"
    return choice["algorithm"]


def open_mpi(size, processors):
    """The fixed rules of Open MPI 4.0, coll/tuned, ompi_coll_tuned_bcast_intra_dec_fixed()."""
    if size < 2048:
        return "binomial"
    if size < 370728:
        return "split binary, 1 KiB segments"
    if processors < 1.6134e-6 * size + 2.1102:
        return "pipeline, 128 KiB segments"
    if processors < 13:
        return "split binary, 8 KiB segments"
    if processors < 2.3679e-6 * size + 1.1787:
        return "pipeline, 64 KiB segments"
    if processors < 3.2118e-6 * size + 8.7936:
        return "pipeline, 16 KiB segments"
    return "pipeline, 8 KiB segments"


def table(program):
    """The lines of the table."""
    lines = ["| block | processors | `auto` | Open MPI |", "|---:|---:|---|---|"]
    lines += [f"| {size_text(size)} | {p} | {ours(program, size, p)} | {open_mpi(size, p)} |"
              for size in SIZES for p in PROCESSORS]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    rewrite(__doc__, "docs/reference/models.md", "broadcasts", table)
