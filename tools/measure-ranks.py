#!/usr/bin/env python3
"""How fast `--on ranks` multiplies on this machine, compared with one process with OpenBLAS's own threads, ScaLAPACK and COSMA.

Usage: measure-ranks.py TOPOGEMM OUT.json [--sizes 4096,512x512x32768] [--types f32,f64] [--ranks 2,4] [--rounds 3] [--trials 5]
                        [--scalapack PROGRAM] [--cosma PROGRAM]

--scalapack takes the compiled tools/scalapack-gemm.c, --cosma COSMA's own cosma_miniapp (github.com/eth-cscs/COSMA). Needs Open MPI. All
run one after another in each round; the figure is the median of the rounds, each of which is a median of trials. Ranks have one thread each.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys

SCHEDULES = {2: [("agarwal3d", "2x1x1"), ("agarwal3d", "1x2x1"), ("cannon", "2x2")], 4: [("cannon", "2x2"), ("agarwal3d", "2x2x1"), ("summa", "4x4")],
             16: [("cannon", "4x4"), ("agarwal3d", "4x4x1"), ("agarwal3d", "4x2x2"), ("summa", "4x4")],
             64: [("cannon", "8x8"), ("agarwal3d", "8x8x1"), ("agarwal3d", "4x4x4"), ("summa", "8x8")]}
GRIDS = {2: (1, 2), 4: (2, 2), 16: (4, 4), 64: (8, 8)}  # of ScaLAPACK
BLOCK = 128
ENVIRONMENT = os.environ | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
ALONE = ENVIRONMENT | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}


def output(line, environment=None):
    """Runs a command and returns its output; exits if it fails."""
    done = subprocess.run(list(map(str, line)), capture_output=True, text=True, check=False, env=environment or ENVIRONMENT)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, line))}: status {done.returncode}\n{done.stderr}")
    return done.stdout


def launch(ranks):
    return ["mpirun", "--oversubscribe", "-n", ranks]


def run(words, prefix, algorithm, grid, on, size, kind):
    """Median seconds, and what ran it."""
    pull = ["--transport", "pull"] if on == "ranks" else []
    said = json.loads(output([*prefix, words.program, "run", algorithm, "--grid", grid, "--on", on, "--size", size, "--type", kind,
                              "--trials", words.trials, "--json", *pull]))
    return said["times"]["median"], said["environment"]


def run_scalapack(words, ranks, size, kind):
    """Median seconds."""
    return float(output([*launch(ranks), words.scalapack, *GRIDS[ranks], *size.split("x"), BLOCK, kind, words.trials], ALONE))


def run_cosma(words, ranks, size, kind):
    """Median seconds. COSMA truncates to whole milliseconds and does not separate its first, cold run."""
    m, n, k = size.split("x")
    said = output([*launch(ranks), words.cosma, "-m", m, "-n", n, "-k", k, "-r", words.trials + 1, "-t", {"f32": "float", "f64": "double"}[kind]],
                  ALONE)
    [times] = [line.split("=")[1] for line in said.splitlines() if line.startswith("COSMA TIMES [ms]")]
    return statistics.median(list(map(float, times.split()))) / 1e3


def candidates(words):
    """Name and how to measure it once."""
    yield "OpenBLAS, one process", lambda size, kind: run(words, [], "cannon", "1x1", "cpu", size, kind)[0]
    for ranks in words.ranks:
        for algorithm, grid in SCHEDULES[ranks]:
            yield f"{ranks} ranks, {algorithm} {grid}", (lambda size, kind, ranks=ranks, algorithm=algorithm, grid=grid:
                                                         run(words, launch(ranks), algorithm, grid, "ranks", size, kind)[0])
        for name, program, how in ("ScaLAPACK", words.scalapack, run_scalapack), ("COSMA", words.cosma, run_cosma):
            if program:
                yield f"{ranks} ranks, {name}", lambda size, kind, ranks=ranks, how=how: how(words, ranks, size, kind)


def main():
    """See above."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("out")
    parser.add_argument("--sizes", default="4096")
    parser.add_argument("--types", default="f32,f64")
    parser.add_argument("--ranks", default="2,4")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--trials", type=int, default=5)
    parser.add_argument("--scalapack")
    parser.add_argument("--cosma")
    words = parser.parse_args()
    words.program = str(pathlib.Path(words.program).resolve())
    words.ranks = list(map(int, words.ranks.split(",")))
    environment = run(words, launch(words.ranks[0]), *SCHEDULES[words.ranks[0]][0], "ranks", "64x64x64", "f64")[1]
    measured, all_of_them = [], list(candidates(words))
    for kind in words.types.split(","):
        for size in words.sizes.split(","):
            size = size if "x" in size else f"{size}x{size}x{size}"
            rounds = [[once(size, kind) for _, once in all_of_them] for _ in range(words.rounds)]
            for (what, _), times in zip(all_of_them, zip(*rounds)):
                one = {"type": kind, "size": size, "what": what, "rounds_s": list(times), "median_s": statistics.median(times)}
                one["of_openblas"] = statistics.median(first[0] / own for first, own in zip(rounds, times))
                measured.append(one)
                print(f"{kind} {size}: {what}: {one['median_s']:.4g} s, {one['of_openblas']:.3f} of OpenBLAS", flush=True)
            said = {"environment": environment, "rounds": words.rounds, "measured": measured}
            pathlib.Path(words.out).write_text(json.dumps(said, indent=1) + "\n", encoding="ascii")


main()
