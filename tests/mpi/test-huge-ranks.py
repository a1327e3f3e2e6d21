#!/usr/bin/env python3
"""Schedules with blocks on disk, on the ranks of an MPI job: C is that of a single process, however an earlier job ended.

Usage: test-huge-ranks.py TOPOGEMM BUILT [KILLS]
"""
import json
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

TOPOGEMM = str(pathlib.Path(sys.argv[1]).resolve())
BUILT = sys.argv[2]  # "" where there is no MPI
SANITIZED = "ASAN_OPTIONS" in os.environ  # sanitizers need memory of their own
KILLS = int(sys.argv[3]) if len(sys.argv) > 3 else 8 if SANITIZED else 24  # each takes 1.5 s
FILES = ["--a", "A.tg", "--b", "B.tg"]
HEADER_BYTES = 4096  # not compared: the header also identifies the schedule


def execute(words, expect=0):
    done = subprocess.run([*map(str, words)], capture_output=True, text=True, env=ENVIRONMENT, timeout=120, check=False)
    assert done.returncode == expect, (words, done.returncode, done.stdout, done.stderr)
    return done


def job(ranks, words, memory="1G"):
    return ["mpirun", "-n", str(ranks), TOPOGEMM, "huge", *words.split(), *FILES, "--c", "C.tg", "--memory", memory, "--on", "ranks"]


def generate(a="700x900", b="900x650", tile_a="64x48", tile_b="96x32"):
    jobs.need_mpi(BUILT)
    done = subprocess.run([TOPOGEMM, "generate", "A.tg", "--size", a, "--tile", tile_a, "--integers"], capture_output=True, text=True, check=False)
    if done.returncode == 4:
        raise tap.Skipped(done.stderr.strip())
    execute([TOPOGEMM, "generate", "B.tg", "--size", b, "--tile", tile_b, "--seed", 2, "--integers"])
    execute([TOPOGEMM, "huge", "egmm", *FILES, "--c", "whole.tg", "--memory", "1G", "--quiet"])


def tiles_of(path):
    """Checksums and tiles."""
    return pathlib.Path(path).read_bytes()[HEADER_BYTES:]


def check_c(about):
    assert tiles_of("C.tg") == tiles_of("whole.tg"), about
    left = [path.name for path in pathlib.Path().iterdir() if path.name.startswith("C.tg.")]
    assert not left, (about, left)


def schedules():
    """All schedules for C = A * B, each with a small grid."""
    listed = json.loads(execute([TOPOGEMM, "list", "algorithms", "--json"]).stdout)
    return [(one["name"], "x".join(["2"] * one["grid"].count(":"))) for one in listed["algorithms"] if one["computes"] == "C = A * B"]


def test_every_schedule(_):
    """C is right on several numbers of ranks, with blocks of different sizes, read in place or sent."""
    generate()
    rng = random.Random(1)
    for name, grid in schedules():
        for ranks, transport in [(3, "message"), (rng.choice([1, 2, 4]), rng.choice(["copy", "pull"]))]:
            words = f"{name} --grid {grid} --transport {transport}"
            said = json.loads(execute([*job(ranks, words), "--json"]).stdout)
            assert said["ok"] and said["job_ranks"] == ranks, said
            assert said["disk_read_bytes"] == said["model_read_bytes"], said
            assert said["disk_written_bytes"] == said["model_written_bytes"], said
            check_c((ranks, words))


def test_sent(_):
    """If each rank has its own disk, as many bytes are sent as the schedule says; if ranks share a disk, none."""
    generate("1024x1024", "1024x1024", "128x128", "128x128")
    block = 512 * 512 * 4
    for words, blocks in [("cannon --grid 2x2", 4 + 8), ("summa --grid 2x2", 8), ("pegmm --grid 4", 3 + 3 * 4), ("mod-pegmm --grid 4", 3 + 3 + 12)]:
        for transport in "copy", "message":
            said = json.loads(execute([*job(4, f"{words} --transport {transport}"), "--json"]).stdout)
            assert said["sent_bytes"] == (blocks * block if transport == "message" else 0), (words, said)
            check_c(words)


def test_little_memory(_):
    """Each rank keeps within its limit, with more than one panel."""
    if SANITIZED:
        raise tap.Skipped("a sanitizer takes memory, too")
    generate("4096x2048", "2048x4096", "128x128", "128x128")
    said = json.loads(execute([*job(2, "summa --grid 2x2", "50M"), "--json"]).stdout)
    assert said["panels"] >= 8 and said["peak_rss_bytes"] <= 50e6, said
    check_c("little memory")


def test_timeline(_):
    """The timeline has all ranks, with what they send and receive."""
    generate("512x512", "512x512", "64x64", "64x64")
    execute(job(2, "mod-pegmm --grid 2 --transport message --trace t.json --plot t.gp"))
    events = json.loads(pathlib.Path("t.json").read_text())["traceEvents"]
    names = {event["args"]["name"] for event in events if event["ph"] == "M"}
    assert {"rank 0 multiply", "rank 1 multiply", "rank 0 send", "rank 1 receive", "rank 1 write C"} <= names, names
    assert len([event for event in events if event.get("name") == "multiply" and event["ph"] == "X"]) >= 4
    assert "'rank 1 receive'" in pathlib.Path("t.gp").read_text()


def test_damaged_input(_):
    """A rank that cannot send a block, or multiply it, ends the job with one message that names the tile."""
    generate("512x512", "512x512", "64x64", "64x64")
    whole = pathlib.Path("A.tg").read_bytes()
    rng = random.Random(8)
    for transport in "copy", "message", "message":
        at = rng.randrange(8192, len(whole))
        pathlib.Path("A.tg").write_bytes(whole[:at] + bytes([whole[at] ^ 16]) + whole[at + 1:])
        pathlib.Path("C.tg.part").unlink(missing_ok=True)  # of the other transport
        begun = time.monotonic()
        done = execute(job(4, f"cannon --grid 4x4 --transport {transport}"), 2)
        said = jobs.messages_of(done.stderr)
        assert len(said) == 1 and "A.tg: the tile at row" in said[0] and "Segmentation" not in done.stderr, done
        assert time.monotonic() - begun < 10 and not pathlib.Path("C.tg").exists(), (at, transport)
    pathlib.Path("A.tg").write_bytes(whole)
    execute(job(4, "cannon --grid 4x4 --transport message"))  # goes on where the last one ended
    check_c("the undamaged input")


def wait_for_progress(process):
    """Wait until a block or a panel of C is complete, whose tiles' checksums are no longer zero."""
    while process.poll() is None and not list(pathlib.Path().glob("C.tg.blocks/*.tg")):
        try:
            with open("C.tg.part", "rb") as file:
                file.seek(HEADER_BYTES)
                if any(file.read(512)):
                    return
        except FileNotFoundError:
            pass


def end_within(seconds, words, rng):
    """Ends the job or one of its ranks at a random time. Returns whether that was before it finished by itself."""
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=ENVIRONMENT, start_new_session=True) as process:
        if rng.random() < 0.5:
            wait_for_progress(process)
        else:
            time.sleep(rng.uniform(0, seconds))
        victims = jobs.processes(process.pid)
        if victims and rng.random() < 0.8:
            os.kill(rng.choice(victims), rng.choice([signal.SIGKILL] * 3 + [signal.SIGTERM]))
        else:
            os.killpg(process.pid, signal.SIGKILL)
            for victim in victims:
                try:
                    os.kill(victim, signal.SIGKILL)
                except ProcessLookupError:
                    pass
        status = process.wait(timeout=30)
    for _ in range(500):  # mpirun may be gone before its ranks
        if not any(victim in jobs.processes() for victim in victims):
            break
        time.sleep(0.02)
    return status != 0


def test_kills(_):
    """A job that is killed at any moment and started again has the tiles of an uninterrupted run in the end."""
    generate("512x512", "512x512", "64x64", "64x64")
    rng, ended, resumed = random.Random(4), 0, 0
    words = [f"{name} --tiles 128x128x128 --transport {transport}" for name in
             ("cannon --grid 2x2", "mod-pegmm --grid 4", "cube3d --grid 2x2x2", "summa --grid 4x4") for transport in ("copy", "message")]
    for n, one in enumerate(words):
        begun = time.monotonic()
        execute(job(4, one))
        whole_s = time.monotonic() - begun
        while ended < KILLS * (n + 1) / len(words):
            pathlib.Path("C.tg").unlink(missing_ok=True)
            for _ in range(rng.randrange(1, 4)):
                ended += end_within(whole_s, job(4, one), rng)
                assert not pathlib.Path("C.tg").exists() or tiles_of("C.tg") == tiles_of("whole.tg"), one
            blocks = list(pathlib.Path().glob("C.tg.blocks/*.tg"))
            said = json.loads(execute([*job(4, one), "--json"]).stdout)
            resumed += len(blocks) > 0 or said["panels_resumed"] > 0
            check_c(one)
    assert resumed > KILLS / 10, resumed


def test_wrong_use(_):
    """What is impossible is refused in one line, by one rank."""
    generate("256x256", "256x256", "64x64", "64x64")
    for words, status, says in [("summa --grid 8x8", 2, "8 blocks, but the boundaries of the files' tiles allow only 4;"),
                                ("summa --grid 2x2 --collective scatter-allgather", 2, "travel as a whole")]:
        done = execute(job(2, words), status)
        said = jobs.messages_of(done.stderr)
        assert len(said) == 1 and says in said[0], (words, said)
        assert not list(pathlib.Path().glob("C.tg*")), words
    done = execute(job(2, "summa --grid 2x2", "10M"), 2)
    assert "10M of memory is not enough" in done.stderr and not list(pathlib.Path().glob("C.tg*")), done
    pathlib.Path("B.tg").rename("other.tg")
    done = execute(job(2, "summa --grid 2x2"), 1)
    assert jobs.messages_of(done.stderr) == ["topogemm: B.tg: cannot read: No such file or directory"], done
    done = subprocess.run([TOPOGEMM, "huge", "summa", "--grid", "2x2", *FILES, "--c", "C.tg"], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "--on ranks" in done.stderr, done


def test_stopped(_):
    """A rank that does not respond ends the job with one message, after the deadline; another job resumes it."""
    generate("3000x3000", "3000x3000", "64x64", "64x64")
    process = subprocess.Popen(job(3, "summa --grid 4x4 --tiles 64x64x64 --deadline 2"), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               text=True, env=ENVIRONMENT, start_new_session=True)
    ranks = jobs.wait_for_ranks(process, 3, loaded="blas")
    while len(list(pathlib.Path().glob("C.tg.blocks/*.pulse"))) < 3:
        time.sleep(0.01)
    begun_s = time.monotonic()
    os.kill(ranks[1], signal.SIGSTOP)
    try:
        _, said = process.communicate(timeout=30)
    finally:
        for rank in set(ranks) & set(jobs.processes()):
            os.kill(rank, signal.SIGKILL)
    messages = jobs.messages_of(said)
    assert process.returncode != 0 and len(messages) == 1 and "has not responded for 2 s" in messages[0], said
    assert 2 < time.monotonic() - begun_s < 12, time.monotonic() - begun_s
    execute(job(3, "summa --grid 4x4 --tiles 64x64x64"))
    check_c("resumed")


def test_other_schedule(_):
    """A file that another schedule began is not touched."""
    generate("512x512", "512x512", "64x64", "64x64")
    rng = random.Random(6)
    while not pathlib.Path("C.tg.part").exists():
        pathlib.Path("C.tg").unlink(missing_ok=True)
        end_within(0.6, job(4, "summa --grid 4x4 --tiles 64x64x64"), rng)
    done = execute(job(4, "cannon --grid 2x2"), 2)
    said = jobs.messages_of(done.stderr)
    assert len(said) == 1 and "belongs to a run with" in said[0], said
    execute(job(4, "summa --grid 4x4 --tiles 64x64x64"))
    check_c("the first schedule")


sys.exit(tap.run_cases(tap.cases_of(globals())))
