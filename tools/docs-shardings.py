#!/usr/bin/env python3
"""Rewrites the marked region of docs/guide/shard.md: ten shardings, and what JAX's scaling book, PyTorch's DTensor and
topogemm do, all predicted by topogemm.

The region stands between `<!-- shardings -->` and `<!-- end -->`. What the book and DTensor do is written here, by their
rules; that topogemm knows each of them, and its time, comes from `topogemm shard`.

With --check nothing is written: the status is 1 where the page differs from what would be written.

Usage: docs-shardings.py [--check] [--program build/cli/topogemm] [PAGE]      PAGE: docs/guide/shard.md if not given
"""
import argparse
import difflib
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
REGION = re.compile(r"(^<!-- shardings -->\n).*?(^<!-- end -->\n)", re.M | re.S)
OPTIONS = ["--size", "1024x8192x8192", "--machine", "tpu-torus", "--top", "1000", "--budget", "1000", "--json"]
NONE = "none"
SUM = "reducescatter C along x, allgather C along x"

# Expression, mesh, and the collectives of the book and of DTensor. The book: cases 1 to 4 and question 4 of part 3
# (sharding), part 5 (training) for two axes. DTensor (PyTorch, October 2025): of the placements of gen_einsum_strategies()
# the one whose inputs redistribute_cost() puts first, then the output's redistribution.
CASES = [
    ("A[I:x,K] * B[K,J] -> C[I:x,J]", "x=8", NONE, NONE),
    ("A[I,K:x] * B[K,J] -> C[I,J]", "x=8", "allgather A along x", SUM),
    ("A[I,K] * B[K:x,J] -> C[I,J]", "x=8", SUM, SUM),
    ("A[I,K:x] * B[K:x,J] -> C[I,J]", "x=8", SUM, SUM),
    ("A[I,K:x] * B[K:x,J] -> C[I:x,J]", "x=8", "reducescatter C along x", "reducescatter C along x"),
    ("A[I:x,K] * B[K,J:x] -> C[I:x,J]", "x=8", "allgather B along x", "allgather A along x, alltoall C along x"),
    ("A[I:x,K] * B[K,J] -> C[I,J:x]", "x=8", "alltoall C along x", "alltoall C along x"),
    ("A[I:x,K] * B[K:x,J:y] -> C[I:x,J:y]", "x=8,y=8", "allgather B along x", "alltoall A along x, reducescatter C along x"),
    ("A[I:x,K:y] * B[K:y,J:x] -> C[I:x,J:y]", "x=8,y=8", "allgather B along x, reducescatter C along y",
     "allgather A along x, then C from Shard(1), Partial() to Shard(0), Shard(1)"),
    ("A[I:x,K:y] * B[K:x,J:y] -> C[I:x,J:y]", "x=8,y=8", "allgather A along y, allgather B along x",
     "allgather A along y, alltoall A along x, reducescatter C along x"),
]


def time_text(seconds):
    return f"{seconds * 1e3:.3g} ms"


def predicted(ranked, collectives):
    """The collectives, and the time of the fastest plan with them, none of them in a ring, where there is one."""
    times = [plan["predicted_s"] for plan in ranked if plan["mesh_collectives"] == collectives]
    text = collectives.replace(SUM, "all-reduce C along x")
    return f"{text}: {time_text(times[0])}" if times else text


def row(program, case):
    expression, mesh, book, dtensor = case
    ranked = json.loads(subprocess.run([program, "shard", expression, "--mesh", mesh, *OPTIONS], capture_output=True, text=True,
                                       check=True).stdout)["ranked"]
    best = ranked[0]
    others = [predicted(ranked, text) for text in (book, dtensor)]
    if others[0] == others[1]:
        others[1] = "the same"
    own = f"{best['mesh_split']}; {best['mesh_collectives']}: {time_text(best['predicted_s'])}"
    return f"| `{expression}` | {mesh} | {others[0]} | {others[1]} | {own} |\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--program", default=str(ROOT / "build/cli/topogemm"))
    parser.add_argument("page", nargs="?", type=pathlib.Path, default=ROOT / "docs/guide/shard.md")
    options = parser.parse_args()
    before = options.page.read_text(encoding="utf-8")
    if not REGION.search(before):
        sys.exit(f"{options.page}: no region `<!-- shardings -->`")
    head = "| given and wanted | mesh | the scaling book | DTensor | topogemm's first plan |\n|---|---|---|---|---|\n"
    table = head + "".join(row(options.program, case) for case in CASES)
    after = REGION.sub(lambda found: found[1] + table + found[2], before)
    if options.check:
        difference = list(difflib.unified_diff(before.splitlines(), after.splitlines(), "the page", "what it should be", lineterm=""))
        print("\n".join(difference) or "ok")
        sys.exit(1 if difference else 0)
    options.page.write_text(after, encoding="utf-8")


if __name__ == "__main__":
    main()
