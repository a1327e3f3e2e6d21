#!/usr/bin/env python3
"""What goes wrong with one rank, at random moments: the job ends in time with one message of topogemm at most, a status other than 0,
and nothing left running or half written.

Usage: test-rank-faults.py TOPOGEMM BUILT [--rounds 3] [--seed 1]
"""
import argparse
import os
import pathlib
import random
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import jobs  # pylint: disable=wrong-import-position
from jobs import ENVIRONMENT, tap  # pylint: disable=wrong-import-position

PARSER = argparse.ArgumentParser()
PARSER.add_argument("program")
PARSER.add_argument("built")
PARSER.add_argument("--rounds", type=int, default=3)
PARSER.add_argument("--seed", type=int, default=1)
WORDS = PARSER.parse_args()
TOPOGEMM = str(pathlib.Path(WORDS.program).resolve())
RANKS = 3
IN_TIME_S = 10  # after the deadline, where that is what ends the job
DEADLINE_S = 2


def need_mpi():
    jobs.need_mpi(WORDS.built)
    took_s = jobs.failing_s()
    if took_s > IN_TIME_S / 2:
        raise tap.Skipped(f"mpirun takes {took_s:.0f} s to say that `false` failed")


def start(words):
    """A job of RANKS ranks."""
    return subprocess.Popen(["mpirun", "-n", str(RANKS), TOPOGEMM, "run", *words.split(), "--on", "ranks", "--deadline", str(DEADLINE_S)],
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT)


def end(job, ranks, within_s):
    """What the job says, once it has ended by itself."""
    try:
        out, said = job.communicate(timeout=within_s)
    except subprocess.TimeoutExpired as late:
        for rank in [*ranks, job.pid]:
            try:
                os.kill(rank, signal.SIGKILL)
            except ProcessLookupError:
                pass
        raise AssertionError(f"still running after {within_s} s: {job.communicate()}") from late
    for _ in range(50):
        left = [rank for rank in ranks if rank in jobs.processes()]
        if not left:
            break
        time.sleep(0.05)
    assert not left, f"still running: {left}"
    ours = jobs.messages_of(said)
    assert job.returncode != 0 and len(ours) <= 1, (job.returncode, said, out)
    return ours, said


def test_killed(folder):
    """kill -9: mpirun says which rank it was."""
    need_mpi()
    draws = random.Random(WORDS.seed)
    for _ in range(WORDS.rounds):
        job = start(f"cannon --grid 3x3 -n 300 --trials 1000000 --c {folder}/C.npy")
        ranks = jobs.wait_for_ranks(job, RANKS)
        time.sleep(draws.uniform(0, 2.5))
        os.kill(draws.choice(ranks), signal.SIGKILL)
        _, said = end(job, ranks, IN_TIME_S)
        assert "signal 9" in said or "exited" in said or "disconnected" in said, said
        assert not os.listdir(folder)


def test_stopped(folder):
    """SIGSTOP: the deadline ends the job. While MPI itself begins it is a minute, so the moment is after that."""
    need_mpi()
    draws = random.Random(WORDS.seed + 1)
    for _ in range(WORDS.rounds):
        job = start(f"cannon --grid 3x3 -n 300 --trials 1000000 --c {folder}/C.npy")
        ranks = jobs.wait_for_ranks(job, RANKS, loaded="blas")
        time.sleep(draws.uniform(0, 2))
        stopped = draws.choice(ranks)
        os.kill(stopped, signal.SIGSTOP)
        ours, said = end(job, ranks, DEADLINE_S + IN_TIME_S)
        assert len(ours) == 1 and f"waited more than {DEADLINE_S} s for" in ours[0], said
        assert not os.listdir(folder)


def test_truncated_input(folder):
    """A file that ends early is refused before anything runs, by one message."""
    need_mpi()
    draws = random.Random(WORDS.seed + 2)
    whole = folder / "whole.npy"
    subprocess.run([TOPOGEMM, *f"run cannon --grid 1x1 -n 200 --on cpu --trials 1 --quiet --c {whole}".split()], check=True)
    size = whole.stat().st_size
    for _ in range(WORDS.rounds):
        cut = folder / "cut.npy"
        cut.write_bytes(whole.read_bytes()[:draws.randrange(size)])
        pair = [cut, whole] if draws.random() < 0.5 else [whole, cut]
        job = start(f"cannon --grid 3x3 --a {pair[0]} --b {pair[1]} --trials 1 --c {folder}/C.npy")
        ours, said = end(job, [], IN_TIME_S)
        assert len(ours) == 1 and "cut.npy" in ours[0], said
        assert sorted(os.listdir(folder)) == ["cut.npy", "whole.npy"]


def test_full_disk(folder):
    """C does not fit: one message, and nothing of it stays."""
    need_mpi()
    draws = random.Random(WORDS.seed + 3)
    disk = folder / "disk"
    disk.mkdir()
    for _ in range(WORDS.rounds):
        n, most = draws.choice([(300, 80), (2100, 4000)])  # C has 360 kB or 17 MB, of which no rank has all
        room = draws.randrange(1, most) * 4096
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={room}", "tmpfs", disk], capture_output=True, text=True, check=False)
        if mounted.returncode != 0:
            raise tap.Skipped("no file system can be mounted here: " + mounted.stderr.strip())
        try:
            ours, said = end(start(f"cannon --grid 3x3 -n {n} --trials 1 --c {disk}/C.npy"), [], IN_TIME_S)
            assert len(ours) == 1 and "No space left" in ours[0], said
            assert not os.listdir(disk)
        finally:
            subprocess.run(["umount", disk], check=True)


if __name__ == "__main__":
    sys.exit(tap.run_cases(tap.cases_of(globals())))
