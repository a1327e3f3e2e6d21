#!/usr/bin/env python3
"""Schedules on MPI ranks: products are right on any number of ranks, rank 0 alone prints, and a rank that stops ends the job."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import tap  # pylint: disable=wrong-import-position

TOPOGEMM = str(pathlib.Path(sys.argv[1]).resolve())
BUILT = sys.argv[2] == "true"
# What MPI libraries do not free is not ours.
ENVIRONMENT = os.environ | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
                            "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"}
SCHEDULES = ["cannon --grid 3x3", "cannon-gray --grid 4x4", "summa --grid 3x3", "summa-panels --grid 2x4 --set b=2", "fox --grid 3x3",
             "dns --grid 2x2x2", "dns-rounds --grid 2x2x2", "cube3d --grid 2x2x2", "cannon25d --grid 4x4x2", "allgather --grid 3x3",
             "ring --grid 6", "berntsen --grid 2x2x2", "agarwal3d --grid 2x3x2", "cosma --grid 2x3x2 --set h=2", "dimma --grid 2x3",
             "pegmm --grid 4", "mod-pegmm --grid 4", "mmt --grid 5", "transpose --grid 3x3"]


def need_mpi():
    if not BUILT:
        raise tap.Skipped("built without MPI")
    if not shutil.which("mpirun"):
        raise tap.Skipped("mpirun is not installed")
    works = subprocess.run(["mpirun", "-n", "2", "true"], capture_output=True, text=True, env=ENVIRONMENT, timeout=60, check=False)
    if works.returncode != 0:
        raise tap.Skipped("`mpirun -n 2 true` fails: " + " ".join(works.stderr.split())[:200])


def command(ranks, words):
    return ["mpirun", "-n", str(ranks), TOPOGEMM, "run", *words.split(), "--on", "ranks"]


def run(ranks, words, expect=0):
    done = subprocess.run(command(ranks, words), capture_output=True, text=True, env=ENVIRONMENT, timeout=120, check=False)
    assert (done.returncode == 0) == (expect == 0), (ranks, words, done.returncode, done.stdout, done.stderr)
    return done


def test_without_mpi(_):
    if BUILT:
        raise tap.Skipped("built with MPI")
    done = subprocess.run([TOPOGEMM, *"run cannon --grid 2x2 -n 8 --on ranks".split()], capture_output=True, text=True, check=False)
    assert done.returncode == 4 and "libopenmpi-dev" in done.stderr and not done.stdout, done


def test_every_schedule_on_some_ranks(_):
    """Integers, so that the check is exact; sizes that nothing divides; all schedules of the library."""
    need_mpi()
    known = json.loads(subprocess.run([TOPOGEMM, "list", "algorithms", "--json"], capture_output=True, text=True, check=True).stdout)
    assert {one["name"] for one in known["algorithms"]} == {words.split()[0] for words in SCHEDULES}
    for number, words in enumerate(SCHEDULES):
        ranks, transport = (2, 3, 5)[number % 3], ("copy", "pull")[number % 2]
        said = json.loads(run(ranks, f"{words} -n 53 --integers --trials 2 --transport {transport} --json").stdout)
        assert said["ok"] and f"{ranks} ranks" in said["kernel"], said["kernel"]


def test_collectives_sizes_and_types(_):
    need_mpi()
    for ranks, words in [(3, "summa --grid 3x3 --size 37x53x29 --type f64 --collective binomial"),
                         (4, "cube3d --grid 3x3x3 --size 37x53x29 --type f64 --collective chain"),
                         (2, "cannon25d --grid 4x4x2 --size 9x5x70 --collective ring"),
                         (6, "cannon --grid 2x2 --size 1x1x1"), (1, "fox --grid 4x4 --size 1200x900x1000")]:
        assert json.loads(run(ranks, f"{words} --integers --trials 2 --json").stdout)["ok"]


def test_rank_0_alone_prints(_):
    need_mpi()
    done = run(3, "cannon --grid 3x3 -n 30 --trials 1 --json")
    assert len(json.loads(done.stdout)) > 5, done.stdout
    assert run(3, "cannon --grid 3x3 -n 0", expect=2).stderr.count("out of range") == 1


def is_child(folder, parent):
    """Whether that process in /proc runs topogemm and is a child of `parent`."""
    try:
        program, _, rest = (folder / "stat").read_text().rpartition(")")
    except OSError:
        return False
    return "topogemm" in program and int(rest.split()[1]) == parent


def test_a_rank_that_stops(_):
    """SIGSTOP: the deadline ends the job with one message."""
    need_mpi()
    job = subprocess.Popen(command(2, "cannon --grid 2x2 -n 600 --trials 100000 --deadline 1"), stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, text=True, env=ENVIRONMENT, start_new_session=True)
    time.sleep(2)
    ranks = [int(folder.name) for folder in pathlib.Path("/proc").glob("[0-9]*") if is_child(folder, job.pid)]
    assert len(ranks) == 2, ranks
    os.kill(ranks[1], signal.SIGSTOP)
    try:
        _, said = job.communicate(timeout=20)
    finally:
        for rank in ranks:
            try:
                os.kill(rank, signal.SIGKILL)
            except ProcessLookupError:
                pass
    assert job.returncode != 0 and said.count("waited over 1 s for ") == 1, said


if __name__ == "__main__":
    sys.exit(tap.run_cases(tap.cases_of(globals())))
