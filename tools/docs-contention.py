#!/usr/bin/env python3
"""Rewrites the marked region of docs/results/contention.md, the table of predicted times, by running `topogemm sim`.

The region stands between `<!-- times -->` and `<!-- end -->`. With --check nothing is written: the status is 1 where the
page differs from what would be written.

Usage: docs-contention.py --program PROGRAM [--check] [PAGE]      PAGE: docs/results/contention.md if not given
"""
import json
import subprocess

from docs_region import rewrite

RUNS = [("cannon", "8x8"), ("summa", "8x8"), ("dns", "4x4x4")]
NETWORKS = [("torus:8x8", "rowmajor"), ("mesh:8x8", "rowmajor"), ("hypercube:6", "gray"), ("hypercube:6", "rowmajor")]
MODELS = ["hockney", "flow", "store-and-forward"]
N, MACHINE, LATENCY_S, BYTES_PER_S = 4096, "commodity-cluster", 1e-6, 1.25e9


def predict(program, algorithm, grid, network, embedding, model):
    """What `sim` says, as a dictionary."""
    command = [program, "sim", algorithm, "-n", str(N), "--grid", grid, "--network", network, "--embed", embedding,
               "--machine", MACHINE, "--model", model, "--collective", "binomial", "--json"]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def row(program, algorithm, grid, network, embedding):
    """One line of the table."""
    results = [predict(program, algorithm, grid, network, embedding, model) for model in MODELS]
    block_bytes = (N // int(grid.split("x", maxsplit=1)[0])) ** 2 * 4
    message_s = LATENCY_S + block_bytes / BYTES_PER_S
    first = results[0]
    cells = [f"{algorithm} {grid}", f"`{network}`", embedding, f"{first['hop_bytes'] / first['bytes']:.2f}",
             f"{first['max_link_bytes'] / block_bytes:g}"]
    cells += [f"{result['time_s'] * 1e3:.2f} ({result['time_s'] / message_s:.1f} t)" for result in results]
    return "| " + " | ".join(cells) + " |"


def table(program):
    """All lines."""
    heads = ["schedule", "network", "embedding", "hops a byte", "blocks over the busiest link"]
    heads += [f"{model}, ms" for model in MODELS]
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    lines += [row(program, *run, *network) for run in RUNS for network in NETWORKS]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    rewrite(__doc__, "docs/results/contention.md", "times", table)
