#!/usr/bin/env python3
"""Measures products from disk to disk, with the same products in memory as the baseline. Each round runs both.

Usage: measure-huge.py TOPOGEMM OUT.json FOLDER [--rounds 2] [--type f32] CASE…

A CASE is SIZE:MEMORY, as in 16384x16384x16384:256M, with further options of `huge` after another colon. The matrices are
generated in FOLDER, on the disk that is to be measured. In memory the product is one of `run cannon --grid 1x1 --on cpu`,
if all three matrices fit in half of the available memory; otherwise there is no baseline.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys

KEPT = ["panels", "largest_rows", "largest_columns", "step", "chunk", "disk_read_bytes", "disk_written_bytes",
        "model_read_bytes", "model_written_bytes", "bound_read_bytes", "memory_limit_bytes", "buffer_bytes", "peak_rss_bytes",
        "wall_s", "disk_s", "compute_s", "gflops", "relative_error", "ok", "direct", "io"]


def document(program, *words):
    """The JSON document of a command."""
    done = subprocess.run([program, *words, "--json"], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(words)}: {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)


def available_bytes():
    """Available memory in bytes."""
    for line in pathlib.Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    return 0


def generate(words, m, n, k):
    """Generates A and B from different seeds."""
    for name, rows, columns, seed in (("A", m, k, 1), ("B", k, n, 2)):
        subprocess.run([words.program, "generate", f"{words.folder}/{name}.tg", "--size", f"{rows}x{columns}", "--type",
                        words.type, "--seed", str(seed), "--quiet"], check=True)


def measure(words, case):
    """All rounds of a case."""
    size, memory, *more = case.split(":")
    m, n, k = map(int, size.split("x"))
    files = [f"{words.folder}/{name}.tg" for name in "ABC"]
    fits = (m * k + k * n + m * n) * (8 if words.type == "f64" else 4) < available_bytes() / 2
    generate(words, m, n, k)
    rounds = []
    for _ in range(words.rounds):
        options = [word for part in more for word in part.split()]
        said = document(words.program, "huge", "egmm", *(word for pair in zip(("--a", "--b", "--c"), files) for word in pair),
                        "--memory", memory, *options)
        found = {key: said[key] for key in KEPT}
        if fits:
            inside = document(words.program, "run", "cannon", "--grid", "1x1", "--size", size, "--type", words.type, "--on", "cpu",
                              "--trials", "1", "--warmup", "1")  # without: the pages of C are new
            found["in_memory_gflops"] = inside["gflops"]
        rounds.append(found)
        print(f"{case}: {found['gflops']:.1f} Gflop/s, in memory {found.get('in_memory_gflops', float('nan')):.1f}", flush=True)
    for path in files:
        os.unlink(path)
    return {"size": size, "memory": memory, "options": more, "rounds": rounds}


def main():
    """See above."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("folder")
    parser.add_argument("cases", nargs="+")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--type", default="f32")
    words = parser.parse_args()
    environment = document(words.program, "run", "cannon", "--grid", "1x1", "-n", "64", "--on", "cpu")["environment"]
    found = [measure(words, case) for case in words.cases]
    words.out.write_text(json.dumps({"type": words.type, "environment": environment, "cases": found}, indent=1) + "\n", encoding="utf-8")


main()
