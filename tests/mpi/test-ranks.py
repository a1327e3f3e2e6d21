#!/usr/bin/env python3
"""Schedules on MPI ranks: products are right on any number of ranks, rank 0 alone prints, and a rank that stops ends the job."""
import json
import os
import pathlib
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import jobs  # pylint: disable=wrong-import-position
from jobs import ENVIRONMENT, tap  # pylint: disable=wrong-import-position

TOPOGEMM = str(pathlib.Path(sys.argv[1]).resolve())
SCHEDULES = sys.argv[2] and str(pathlib.Path(sys.argv[2]).resolve())  # the program that checks all of them; "" where there is no MPI


def command(ranks, words, what="run"):
    return ["mpirun", "-n", str(ranks), TOPOGEMM, what, *words.split(), "--on", "ranks"]


def execute(words, expect=0):
    done = subprocess.run(words, capture_output=True, text=True, env=ENVIRONMENT, timeout=240, check=False)
    assert done.returncode == expect, (words, done.returncode, done.stdout, done.stderr)
    return done


def run(ranks, words, expect=0, what="run"):
    return execute(command(ranks, words, what), expect)


def messages_of(done):
    return jobs.messages_of(done.stderr)


def test_without_mpi(_):
    if SCHEDULES:
        raise tap.Skipped("built with MPI")
    done = subprocess.run([TOPOGEMM, *"run cannon --grid 2x2 -n 8 --on ranks".split()], capture_output=True, text=True, check=False)
    assert done.returncode == 4 and "libopenmpi-dev" in done.stderr and not done.stdout, done


def check_schedules(job, seed, edits):
    """Every schedule and so many random edits of them, in one job."""
    done = execute([*job, SCHEDULES, str(seed), str(edits)])
    assert done.stdout.count("\nok ") == 2, done.stdout + done.stderr


def test_every_schedule(_):
    """On any number of ranks, more than there are CPUs or processors."""
    jobs.need_mpi(SCHEDULES)
    for ranks, edits in [(1, 10), (2, 40), (3, 40), (5, 40), (8, 20), (16, 5)]:
        check_schedules(["mpirun", "-n", str(ranks)], 100 + ranks, edits)


def test_large_blocks(_):
    """Products in pieces, and messages that take a handshake."""
    jobs.need_mpi(SCHEDULES)
    for ranks, words in [(2, "fox --grid 4x4 --size 1200x900x1000 --transport message"), (1, "fox --grid 4x4 --size 1200x900x1000")]:
        said = json.loads(run(ranks, f"{words} --integers --trials 2 --json").stdout)
        assert said["ok"] and f"{ranks} rank" in said["environment"]["processor"], said
        assert ("messages" in said["kernel"]) == (ranks == 2), said["kernel"]


def test_parts(folder):
    """A product that is too large to be checked in full: each rank has only its parts of A, B and C, whose file is as of one program."""
    jobs.need_mpi(SCHEDULES)
    size = "--size 2100x1900x2300"

    def made(words, path):
        subprocess.run([TOPOGEMM, *f"run {words} --on cpu --trials 1 --warmup 0 --quiet --c {folder / path}".split()], check=True)
        return (folder / path).read_bytes()

    whole = made(f"summa --grid 2x2 {size} --integers", "whole.npy")
    for ranks, words in [(2, "summa --grid 2x2"), (3, "cannon25d --grid 2x2x2"), (1, "fox --grid 4x4"), (4, "ring --grid 7 --transport message"),
                         (2, "cannon --grid 2x2 --transport message")]:  # whose products are cut into pieces
        run(ranks, f"{words} {size} --integers --trials 1 --warmup 0 --quiet --c {folder}/C.npy")
        assert (folder / "C.npy").read_bytes() == whole, words
    made("summa --grid 2x2 --size 2100x2300x2 --integers --type f64", "a.npy")
    made("summa --grid 2x2 --size 2300x1900x2 --integers", "b.npy")
    files = f"--a {folder}/a.npy --b {folder}/b.npy --type f32"
    whole = made(f"summa --grid 2x2 {files}", "whole.raw")
    run(3, f"dns --grid 3x3x3 {files} --trials 1 --warmup 0 --quiet --c {folder}/C.raw")
    assert (folder / "C.raw").read_bytes() == whole
    made(f"summa --grid 2x2 {files}", "whole.mtx")
    run(2, f"summa --grid 2x2 {files} --trials 1 --warmup 0 --quiet --c {folder}/C.mtx")  # a text: no parts
    assert (folder / "C.mtx").read_bytes() == (folder / "whole.mtx").read_bytes()


AGENT = """#!/bin/sh
# A remote shell that stays on this machine: each host has files of its own.
while [ "${1#-}" != "$1" ]; do shift; done
host=$1
shift
mkdir -p "$FOLDER/$host"
export TMPDIR="$FOLDER/$host" OMPI_MCA_orte_tmpdir_base="$FOLDER/$host"
exec sh -c "$*"
"""


# Blocks of C above the diagonal are moved to their mirror images, where nothing reads them any more.
MIRROR = """schedule mirror
grid i:q, j:q
computes C = A * A'
place A(i,0), C(i,j) on (i,j)
place A(j,0) on (i,j) as T[0]
C += A * T' where i <= j
copy C into D where i < j
transpose D where i < j
move D to (j,i) into C where i < j
"""


def test_two_hosts(folder):
    """Two of Open MPI's daemons on this machine, which it takes for hosts: blocks are shared within one, and sent between them."""
    jobs.need_mpi(SCHEDULES)
    if not jobs.open_mpi_4():
        raise tap.Skipped("only Open MPI 4 takes two addresses of this machine for two hosts")
    agent = pathlib.Path(folder) / "agent"
    agent.write_text(AGENT)
    agent.chmod(0o755)
    ENVIRONMENT["FOLDER"] = str(folder)
    job = ["mpirun", "--mca", "btl", "self,tcp", "--mca", "plm_rsh_agent", str(agent), "-H", "127.0.0.2:2,127.0.0.3:2", "-n", "4"]
    said = json.loads(execute([*job, TOPOGEMM, *"run cannon --grid 3x3 -n 53 --trials 2 --json --on ranks".split()]).stdout)
    assert said["ok"] and "4 ranks" in said["environment"]["processor"] and "on 2 hosts" in said["environment"]["processor"], said
    assert "share" in said["kernel"] and "messages" in said["kernel"], said["kernel"]
    assert 0 < said["clock_error_s"] < 0.1 and [rank["processors"] for rank in said["ranks"]] == [2, 2, 2, 3], said["ranks"]
    text = execute([*job, TOPOGEMM, *"run cannon --grid 3x3 -n 53 --trials 2 --on ranks".split()]).stdout
    assert "ranks 0-1 on " in text and "processors (0, 0) to (1, 0); CPUs " in text and "\nranks 2-3 on " in text, text
    assert "clocks of other hosts are within" in text, text
    check_schedules(job, 7, 10)
    mirror = pathlib.Path(folder) / "mirror.sched"
    mirror.write_text(MIRROR)
    for size in "8x8x30", "2100x2100x2100":  # the second one in parts: no rank has all of C
        execute([*job, TOPOGEMM, *f"run {mirror} --grid 4x4 --size {size} --transport pull --trials 1 --on ranks".split()])
    if "ASAN_OPTIONS" not in os.environ:  # 20 s; sanitized, minutes
        check_calibrated_hosts(job, pathlib.Path(folder) / "hosts.machine")
        check_uneven_hosts([*job[:job.index("-H")], "-H", "127.0.0.2:2,127.0.0.3:1", "-n", "3"], pathlib.Path(folder) / "uneven.machine")


def check_calibrated_hosts(job, machine):
    """Links within and between hosts, and predictions from both."""
    words = "calibrate --on ranks --grid 2x2 --sizes 4,8,16 --budget 0.001 --noisy --json -o".split()
    fit = json.loads(execute([*job, TOPOGEMM, *words, str(machine)]).stdout)["fit"]
    assert fit["hosts"] == 2 and fit["hosts_bandwidth_bytes_per_s"] != 0 and fit["hosts_latency_s"] >= 0, fit
    assert "network = switch:2*switch:2" in machine.read_text() and "[level.1]" in machine.read_text(), machine.read_text()
    words = ["--on", "ranks", "--machine", str(machine), "--json"]
    far = json.loads(execute([*job, TOPOGEMM, "compare", *"cannon --grid 2x2 -n 16 --trials 5".split(), *words]).stdout)
    assert far["ok"], far
    for case in ["sim cannon --grid 2x2 -n 500", "plan -n 500 --procs 4"]:
        said = json.loads(execute([TOPOGEMM, *case.split(), "--machine", str(machine), "--json"]).stdout)
        assert said.get("topology", "switch:2*switch:2") == "switch:2*switch:2", said
    slow = machine.with_name("slow.machine")
    before, _, level = machine.read_text().partition("[level.1]\n")
    own, _, rest = level.partition("[")  # rows of protocols have a latency of their own
    kept = "".join(line for line in own.splitlines(True) if not line.startswith(("latency_s", "protocols")))
    slow.write_text(f"{before}[level.1]\nlatency_s = 1\n{kept}[{rest}")
    for algorithm, hops in ("cannon", 2), ("summa", 1):  # one after another; blocks that nobody writes are sent in every run, too
        words = f"compare {algorithm} --grid 2x2 -n 16 --trials 5 --on ranks --json --machine {slow}"
        said = json.loads(execute([*job, TOPOGEMM, *words.split()]).stdout)
        assert hops <= said["predicted_s"] < hops + 1 and far["predicted_s"] < 1, (algorithm, said["predicted_s"], far["predicted_s"])


def check_uneven_hosts(job, machine):
    """Links are fitted as one, and the report and the file say so."""
    words = "calibrate --on ranks --grid 1x3 --sizes 4,8,16 --budget 0.001 --noisy -o".split()
    text = " ".join(execute([*job, TOPOGEMM, *words, str(machine)]).stdout.split())
    why = "links within and between hosts are fitted as one, because hosts have different numbers of ranks"
    assert why in text and why in machine.read_text() and "[level.1]" not in machine.read_text(), text


def test_where_ranks_are(folder):
    """Each rank's host, CPUs, processors and steps, on one clock; a track of the trace for each."""
    jobs.need_mpi(SCHEDULES)
    trace = pathlib.Path(folder) / "trace.json"
    said = json.loads(run(3, f"cannon --grid 2x2 -n 60 --trials 2 --json --trace {trace}").stdout)
    assert [(rank["rank"], rank["first_processor"], rank["processors"]) for rank in said["ranks"]] == [(0, 0, 1), (1, 1, 1), (2, 2, 2)], said["ranks"]
    assert said["clock_error_s"] == 0 and len({rank["host"] for rank in said["ranks"]}) == 1 and all(rank["cpus"] for rank in said["ranks"])
    steps = [step for rank in said["ranks"] for step in rank["steps"] if step["start_s"] is not None]
    assert min(step["start_s"] for step in steps) == 0 and max(step["end_s"] for step in steps) < 1, steps
    for step in steps:
        assert abs(step["busy_s"] + step["waited_s"] - (step["end_s"] - step["start_s"])) <= 0.5 * (step["end_s"] - step["start_s"]) + 1e-9, step
    events = json.loads(trace.read_text())["traceEvents"]
    names = {event["tid"]: event["args"]["name"] for event in events if event["name"] == "thread_name"}
    ranks = [track for track, name in names.items() if name.startswith("rank ")]
    assert [names[track].split(" on ")[0] for track in ranks] == ["rank 0", "rank 1", "rank 2"] and names[0] == "steps", names
    assert all(any(event["tid"] == track for event in events if event["ph"] == "X") for track in ranks), events
    idle = json.loads(run(3, "cannon --grid 1x1 -n 20 --trials 1 --json").stdout)["ranks"]
    assert [rank["processors"] for rank in idle] == [1, 0, 0] and all(step["busy_s"] is None for step in idle[2]["steps"]), idle


def test_rank_0_alone_prints(folder):
    """… and writes files."""
    jobs.need_mpi(SCHEDULES)
    done = run(3, "cannon --grid 3x3 -n 30 --trials 1 --json")
    assert len(json.loads(done.stdout)) > 5, done.stdout
    assert len(messages_of(run(3, "cannon --grid 3x3 -n 0", expect=2))) == 1
    run(3, f"cannon --grid 3x3 -n 30 --trials 1 --quiet -o {folder}/run.json --c {folder}/C.npy --trace {folder}/trace.json")
    assert sorted(os.listdir(folder)) == ["C.npy", "run.json", "trace.json"] and json.loads((pathlib.Path(folder) / "run.json").read_text())
    done = run(3, "cannon --grid 3x3 -n 30 --trials 1 --c /nowhere/C.npy", expect=1)
    assert len(messages_of(done)) == 1 and "/nowhere/C.npy" in done.stderr, done.stderr


def test_standard_input(folder):
    """mpirun gives it to rank 0 alone, and all ranks need the schedule."""
    jobs.need_mpi(SCHEDULES)
    text = subprocess.run([TOPOGEMM, "show", "cannon"], capture_output=True, text=True, check=True).stdout
    for given, status in [(text, 0), (text.replace("  move A", "  moves A", 1), 2), ("", 2)]:
        done = subprocess.run(command(3, "- --grid 3x3 -n 30 --trials 1 --json"), input=given, capture_output=True, text=True, env=ENVIRONMENT, timeout=240, check=False)
        assert done.returncode == status and done.stderr.count("<stdin>") == (status != 0), done
    # A file that is not there on two of three ranks: the first of them says so.
    (folder / "my.sched").write_text(text)
    words = "exec $TOPOGEMM run ./my.sched --grid 3x3 -n 30 --trials 1 --on ranks"
    done = execute(unlike(f"cd / && {words}", f"cd {folder} && {words}", rank=0), expect=1)
    assert len(messages_of(done)) == 1 and "rank 1 of 3 on " in done.stderr and "my.sched" in done.stderr, done


def test_threads(_):
    """A rank multiplies on the CPUs that it is bound to; those that are bound to the same ones share them."""
    jobs.need_mpi(SCHEDULES)
    if not jobs.open_mpi_4():
        raise tap.Skipped("these are options of Open MPI 4")
    cpus, environment = len(os.sched_getaffinity(0)), {name: value for name, value in ENVIRONMENT.items() if name != "OPENBLAS_NUM_THREADS"}
    cases = [(1, "none", "", cpus), (2, "none", "", max(cpus // 2, 1)), (1, "none", "1", 1)]
    for ranks, binding, asked, threads in [*cases, (2, "core", "", 1)] if cpus > 1 else cases:
        job = ["mpirun", "--bind-to", binding, *command(ranks, "summa --grid 2x2 -n 30 --trials 1 --json")[1:]]
        done = subprocess.run(job, capture_output=True, text=True, env=environment | ({"OPENBLAS_NUM_THREADS": asked} if asked else {}), timeout=240, check=False)
        assert done.returncode == 0, done
        said = json.loads(done.stdout)
        kernel, blas = said["kernel"], said["environment"]["blas"]
        assert kernel.startswith("one thread" if threads == 1 else f"{threads} threads"), (ranks, binding, asked, kernel)
        assert blas.endswith("1 thread" if threads == 1 else f"{threads} threads"), (ranks, binding, asked, blas)


def unlike(usual, other, rank=2):
    """A job of three ranks, one of which runs another command of the shell."""
    ENVIRONMENT["TOPOGEMM"] = TOPOGEMM
    return ["mpirun", "-n", "3", "sh", "-c", f"if [ ${{OMPI_COMM_WORLD_RANK:-$PMI_RANK}} = {rank} ]; then {other}; else {usual}; fi"]


def test_ranks_that_differ(folder):
    """Other arguments on one rank, or a file that is missing there alone, end the job with one message, which names the rank."""
    jobs.need_mpi(SCHEDULES)
    right = "exec $TOPOGEMM run cannon --grid 3x3 -n 30 --trials 1 --on ranks"
    for wrong in ["-n 31 --trials 1", "-n 30 --trials 2", "-n 30 --trials 1 --transport message"]:
        done = execute(unlike(right, f"exec $TOPOGEMM run cannon --grid 3x3 {wrong} --on ranks"), expect=2)
        assert len(messages_of(done)) == 1 and "rank 2 of 3 on " in done.stderr and "other arguments" in done.stderr, done
    (folder / "there").mkdir()
    (folder / "elsewhere").mkdir()
    subprocess.run([TOPOGEMM, *f"run cannon --grid 1x1 -n 30 --on cpu --trials 1 --quiet --c {folder}/there/a.npy".split()], check=True)
    words = "exec $TOPOGEMM run cannon --grid 3x3 --a a.npy --b a.npy --trials 1 --on ranks --deadline 3"
    longest_s, begun = 10 + 3 * jobs.failing_s(), time.monotonic()
    done = execute(unlike(f"cd {folder}/there && {words}", f"cd {folder}/elsewhere && {words}"), expect=1)
    assert len(messages_of(done)) == 1 and "rank 2 of 3 on " in done.stderr and "a.npy" in done.stderr, done
    assert "MPI_ABORT" not in done.stderr or not jobs.open_mpi_4(), done.stderr  # it can crash mpirun
    assert time.monotonic() - begun < longest_s
    subprocess.run([TOPOGEMM, *f"run cannon --grid 1x1 -n 30 --seed 2 --on cpu --trials 1 --quiet --c {folder}/elsewhere/a.npy".split()], check=True)
    words = "exec $TOPOGEMM run cannon --grid 3x3 --a a.npy --b a.npy --c c.npy --trials 1 --on ranks"
    done = execute(unlike(f"cd {folder}/there && {words}", f"cd {folder}/elsewhere && {words}"), expect=3)
    assert len(messages_of(done)) == 1 and ("relative error" in done.stderr or "A or B differs between hosts" in done.stderr), done
    assert not (folder / "there/c.npy").exists()


def test_calibrate_and_compare(folder):
    """A machine file of ranks: protocols by size, for this number of ranks and this transport."""
    jobs.need_mpi(SCHEDULES)
    machine = f"{folder}/ranks.machine"
    for transport in ("copy", "message"):
        done = run(2, f"--sizes 8,16,32,64 --budget 0.01 --grid 2x2 --noisy --transport {transport} --json -o {machine}", what="calibrate")
        assert json.loads(done.stdout)["samples"], done.stdout
        text = pathlib.Path(machine).read_text()
        assert "on = ranks" in text and "2 ranks of" in text and f"transport = {transport}" in text, text
        done = run(2, f"cannon summa --grid 2x2 -n 100 --trials 3 --transport {transport} --machine {machine} --json", what="compare")
        said = json.loads(done.stdout)
        assert len(said["comparisons"]) == 2 and all(one["measured"]["ok"] and one["predicted_s"] > 0 for one in said["comparisons"]), said
        assert not messages_of(done), done.stderr
    said = run(3, f"cannon --grid 2x2 -n 100 --trials 3 --transport message --machine {machine}", what="compare").stderr
    assert "2 cores or ranks at work at the same time, but cannon has 3" in said, said


def test_campaign(folder):
    """Only rank 0 has the file of what was run before; all ranks leave out the same cases."""
    jobs.need_mpi(SCHEDULES)
    machine, cases, results = (folder / name for name in ("ranks.machine", "cases.txt", "results.csv"))
    run(2, f"--sizes 8,16,32 --budget 0.01 --grid 2x2 --noisy -o {machine}", what="calibrate")
    cases.write_text("cannon summa --grid 2x2 -n 60\ndns --grid 2x2x2 -n 50\n")
    words = f"--campaign {cases} --machine {machine} -o {results} --quiet --trials"
    run(2, f"{words} 3", what="compare")
    lines = results.read_text().splitlines()
    head, failure = lines[0].split(","), len(lines[0].split(",")) - 1
    unmeasured = ["" if at >= head.index("measured_s") else word for at, word in enumerate(lines[2].split(","))]
    calm = [["" if at == head.index("drift") else word for at, word in enumerate(line.split(","))] for line in (lines[1], lines[3])]
    results.write_text("\n".join([lines[0], *map(",".join, [calm[0], unmeasured, calm[1]]), ""]))  # what was disturbed would run again
    run(2, f"{words} 4", what="compare")
    rows = [line.split(",") for line in results.read_text().splitlines()[1:]]
    assert [row[head.index("trials")] for row in rows] == ["3", "4", "3"] and not any(row[failure] for row in rows), rows


def ranks_of(job, count):
    """Their processes, once all are there and have begun."""
    found = jobs.wait_for_ranks(job, count)
    time.sleep(1.5)
    return found


def test_a_rank_that_stops(_):
    """SIGSTOP: the deadline ends the job with one message."""
    jobs.need_mpi(SCHEDULES)
    job = subprocess.Popen(command(2, "cannon --grid 2x2 -n 600 --trials 100000 --deadline 1"), stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, text=True, env=ENVIRONMENT, start_new_session=True)
    ranks = ranks_of(job, 2)
    os.kill(ranks[1], signal.SIGSTOP)
    try:
        _, said = job.communicate(timeout=20)
    finally:
        for rank in ranks:
            try:
                os.kill(rank, signal.SIGKILL)
            except ProcessLookupError:
                pass
    assert job.returncode != 0 and said.count("waited more than 1 s for ") == 1, said
    assert "rank 1 on " in said or "the other ranks" in said, said


def test_a_rank_that_is_killed(_):
    """Nothing of the job is left."""
    jobs.need_mpi(SCHEDULES)
    job = subprocess.Popen(command(3, "cannon --grid 3x3 -n 300 --trials 100000"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                           env=ENVIRONMENT, start_new_session=True)
    ranks = ranks_of(job, 3)
    os.kill(ranks[1], signal.SIGKILL)
    printed, said = job.communicate(timeout=10)
    assert job.returncode != 0 and "signal 9" in said + printed, said  # MPICH prints it
    time.sleep(0.5)
    assert not set(ranks) & set(jobs.processes())


if __name__ == "__main__":
    sys.exit(tap.run_cases(tap.cases_of(globals())))
