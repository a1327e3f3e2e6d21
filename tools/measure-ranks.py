#!/usr/bin/env python3
"""How fast `--on ranks` multiplies on this machine, beside one process with OpenBLAS's own threads, and ScaLAPACK.

Usage: measure-ranks.py TOPOGEMM OUT.json [--sizes 4096] [--types f32,f64] [--ranks 2,4] [--rounds 3] [--trials 5]

Needs Open MPI and, for ScaLAPACK, mpicc and its library (package libscalapack-openmpi-dev). All run one after another in each round; the
figure is the median of the rounds, each of which is a median of trials. Ranks have one thread each.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import tempfile

SCHEDULES = {2: [("agarwal3d", "2x1x1"), ("agarwal3d", "1x2x1"), ("cannon", "2x2")], 4: [("cannon", "2x2"), ("agarwal3d", "2x2x1"), ("summa", "4x4")],
             16: [("cannon", "4x4"), ("agarwal3d", "4x4x1"), ("agarwal3d", "4x2x2"), ("summa", "4x4")]}
GRIDS = {2: (1, 2), 4: (2, 2), 16: (4, 4)}  # of ScaLAPACK
BLOCK = 128
ENVIRONMENT = os.environ | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def output(line, environment=None):
    return subprocess.run(list(map(str, line)), capture_output=True, text=True, check=True, env=environment or ENVIRONMENT).stdout


def launch(ranks):
    return ["mpirun", "--oversubscribe", "-n", ranks]


def run(words, prefix, algorithm, grid, on, n, kind):
    """Median seconds, and what ran it."""
    pull = ["--transport", "pull"] if on == "ranks" else []
    said = json.loads(output([*prefix, words.program, "run", algorithm, "--grid", grid, "--on", on, "-n", n, "--type", kind, "--trials",
                              words.trials, "--json", *pull]))
    return said["times"]["median"], said["environment"]


def build_scalapack(folder):
    """The program, or None where the library is not here."""
    program = folder / "scalapack-gemm"
    source = pathlib.Path(__file__).with_name("scalapack-gemm.c")
    done = subprocess.run(["mpicc", "-O2", str(source), "-o", str(program), "-lscalapack-openmpi", "-l:libopenblas.so.0"], check=False)
    return program if done.returncode == 0 else None


def candidates(words, scalapack):
    """Name and how to measure it once."""
    yield "OpenBLAS, one process", lambda n, kind: run(words, [], "cannon", "1x1", "cpu", n, kind)[0]
    for ranks in words.ranks:
        for algorithm, grid in SCHEDULES[ranks]:
            yield f"{ranks} ranks, {algorithm} {grid}", (lambda n, kind, ranks=ranks, algorithm=algorithm, grid=grid:
                                                         run(words, launch(ranks), algorithm, grid, "ranks", n, kind)[0])
        if scalapack:
            yield f"{ranks} ranks, ScaLAPACK", (lambda n, kind, ranks=ranks: float(output(
                [*launch(ranks), scalapack, *GRIDS[ranks], n, BLOCK, kind, words.trials], ENVIRONMENT | {"OPENBLAS_NUM_THREADS": "1"})))


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
    words = parser.parse_args()
    words.program = str(pathlib.Path(words.program).resolve())
    words.ranks = list(map(int, words.ranks.split(",")))
    measured = []
    with tempfile.TemporaryDirectory() as name:
        all_of_them = list(candidates(words, build_scalapack(pathlib.Path(name))))
        for kind in words.types.split(","):
            for n in map(int, words.sizes.split(",")):
                rounds = [[once(n, kind) for _, once in all_of_them] for _ in range(words.rounds)]
                for (what, _), times in zip(all_of_them, zip(*rounds)):
                    one = {"type": kind, "n": n, "what": what, "rounds_s": list(times), "median_s": statistics.median(times)}
                    one["of_openblas"] = statistics.median(first[0] / own for first, own in zip(rounds, times))
                    measured.append(one)
                    print(f"{kind} n = {n}: {what}: {one['median_s']:.4g} s, {one['of_openblas']:.3f} of OpenBLAS", flush=True)
    environment = run(words, launch(words.ranks[0]), *SCHEDULES[words.ranks[0]][0], "ranks", 64, "f64")[1]
    pathlib.Path(words.out).write_text(json.dumps({"environment": environment, "rounds": words.rounds, "measured": measured}, indent=1) + "\n")


main()
