#!/usr/bin/env python3
"""The command where memory is short, and where the library that multiplies is not there. Writes TAP.

Usage: test-memory.py TOPOGEMM SANITIZERS    SANITIZERS: what the command is built with, or none
"""
import json
import os
import pathlib
import re
import resource
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import tap  # noqa: E402

UNITS = {"bytes": 1, "kB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
PROGRAM = str(pathlib.Path(sys.argv[1]).resolve())
SANITIZED = sys.argv[2] != "none"
MB = 10**6


def run(*words, expect=0, megabytes=None, kind=resource.RLIMIT_AS, **environment):
    """Runs topogemm, in an address space of so many megabytes; `expect` is the exit status."""
    if megabytes and SANITIZED:
        raise tap.Skipped("a sanitizer needs the whole address space")

    def limit():
        if megabytes:
            resource.setrlimit(kind, (megabytes * MB, megabytes * MB))

    done = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, stdin=subprocess.DEVNULL,
                          env=os.environ | environment, timeout=180, preexec_fn=limit)
    assert done.returncode == expect, f"{words}: exit status {done.returncode}, expected {expect}\n{done.stderr[:2000]}"
    assert (expect == 0) == (done.stderr == ""), f"{words}: status {expect} and on standard error: {done.stderr[:2000]}"
    return done


def raw(megabytes, *words, kind=resource.RLIMIT_AS):
    """Any status, in an address space of so many megabytes."""
    if SANITIZED:
        raise tap.Skipped("a sanitizer needs the whole address space")
    limit = (megabytes * MB, megabytes * MB)
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60,
                          preexec_fn=lambda: resource.setrlimit(kind, limit))


def peak(*words, status=False):
    """Bytes that a run had in memory at its fullest; MALLOC_PERTURB_, which Meson sets, writes where nobody else does."""
    environment = {name: value for name, value in os.environ.items() if name != "MALLOC_PERTURB_"}
    child = subprocess.Popen([PROGRAM, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
    _, ended, used = os.wait4(child.pid, 0)
    return (used.ru_maxrss * 1024, os.waitstatus_to_exitcode(ended)) if status else used.ru_maxrss * 1024


def test_openblas_is_not_linked():
    libraries = run("help", LD_TRACE_LOADED_OBJECTS="1").stdout
    assert "libglib-2.0" in libraries and "openblas" not in libraries, libraries


def test_what_multiplies_nothing_needs_little():
    for words in ["help", "list", "show cannon", "verify cannon --grid 4x4", "sim cannon --grid 4x4 -n 512",
                  "export cannon --grid 4x4 -n 64 -o c.goal", "step cannon --grid 4x4 -n 8"]:
        run(*words.split(), megabytes=100)


def test_products_have_room_or_are_refused():
    """OpenBLAS asks for ever for memory that it does not get, and waits at exit for threads that do."""
    for kind in [resource.RLIMIT_AS, resource.RLIMIT_DATA]:
        for words in ["step cannon --grid 4x4 -n 64", "run cannon --grid 4x4 -n 64 --on cpu --trials 3",
                      "run cannon --grid 4x4 -n 64 --on cores --trials 3"]:
            said = run(*words.split(), megabytes=100, kind=kind, expect=2).stderr
            assert "out of memory: OpenBLAS" in said and "ulimit -v" in said, said
            for megabytes in range(160, 680, 40):
                done = raw(megabytes, *words.split(), kind=kind)
                assert done.returncode == 0 or (megabytes < 500 and done.returncode == 2), (megabytes, done)
                assert (done.returncode == 0) == ("out of memory: OpenBLAS" not in done.stderr), (megabytes, done)
    assert "BLAS      none: out of memory" in run("--version", megabytes=100).stdout


def test_openblas_is_missing():
    for name in ["libopenblas.so.0", "libopenblas.so"]:
        pathlib.Path(name).write_text("no library")
    absent = {"LD_LIBRARY_PATH": os.getcwd()}
    for words in ["step cannon --grid 4x4 -n 64", "run cannon --grid 4x4 -n 64 --on cpu", "run cannon --grid 4x4 -n 64 --on cores",
                  "bench ladder --quick"]:
        said = run(*words.split(), expect=4, **absent).stderr
        assert "install libopenblas0" in said, said
    run("step", "cannon", "--grid", "4x4", "-n", 8, **absent)
    assert "BLAS      none: " in run("--version", **absent).stdout


LONG = """schedule long
grid i:p, j:q
place A(i,j) on (i,j)
place B(i,j) on (i,j)
place C(i,j) on (i,j)
copy A into X[{}]
"""


def needs(*words, **options):
    """What the refusal says, in bytes."""
    said = run(*words, expect=2, **options).stderr
    number, unit = re.search(r"needs about ([\d.e+]+) (\w+) of memory", said).groups()
    assert "--memory-limit" in said and len(said.splitlines()) == 1, said
    return float(number) * UNITS[unit]


def test_limits():
    for text in ["4G", "4GB", "4g", "4e9", "500M", "0.5T", "100000K"]:
        run("verify", "cannon", "--grid", "4x4", "--memory-limit", text)
    for text in ["0", "-1", "x", "1e400", "G", "inf", "0x10", "4GiB", "0.1", ""]:
        assert "--memory-limit" in run("verify", "cannon", "--grid", "4x4", "--memory-limit", text, expect=2).stderr


def test_refused_before_it_begins():
    pathlib.Path("long.sched").write_text(LONG.format(1048575))
    for words in ["verify ./long.sched --grid 16x16", "mutate ./long.sched --grid 16x16 -o m.sched",
                  "draw ./long.sched --grid 16x16 -o f.svg", "draw ./long.sched --grid 16x16 --memory -o f.svg",
                  "sim ./long.sched --grid 16x16 -n 4096", "trace ./long.sched --grid 16x16 -n 4096 -o t.json",
                  "export ./long.sched --grid 16x16 -n 4096 -o e.goal", "step ./long.sched --grid 16x16 -n 64",
                  "run ./long.sched --grid 16x16 -n 64 --on cpu", "compare ./long.sched --grid 16x16 -n 64 --on cpu"]:
        assert 3.2e9 < needs(*words.split(), "--memory-limit", "2G") < 3.4e9, words
    for words in ["topo full:2000 -o f.svg", "topo full:900 -o f.png", "sim cannon --grid 2048x2048 -n 4096",
                  "sim ring --grid 1024 --network full:65536 -n 1024", "step cannon --grid 4x4 -n 20000",
                  "run cannon --grid 4x4 -n 20000 --on cpu", "sim cannon --grid 512x512 -n 4096 --model flow",
                  "trace cannon --grid 2048x2048 -n 4096 -o t.json", "verify cannon --grid 2048x2048",
                  "draw cannon --grid 4x4 --network full:5000 -o f.html", "draw summa --grid 4x4 --network spine:16x2000000 -o f.html"]:
        assert needs(*words.split(), "--memory-limit", "400M") > 4e8, words
    assert not any(pathlib.Path().glob("[ft].*"))
    for budget in 0.02, 20:
        said = run(*f"plan -n 64 --procs 16 --network dragonfly:4096x4096 --budget {budget} --json".split(), expect=2)
        assert "more memory than there is" in said.stderr, said.stderr
        plan = json.loads(said.stdout)
        assert plan["too_large"] > 0 and plan["too_long"] == 0, plan
    if not SANITIZED:  # which takes more than that for itself
        said = run("export", "cannon", "--grid", "64x64", "-n", 64, "--memory-limit", "20M", "-o", "e.goal", expect=2).stderr
        assert re.search(r"sends, receives and products need \S+ MB of memory", said), said


def test_advice_counts_earlier_schedules():
    """The second schedule is refused while the first one's times are kept; what the refusal names is enough."""
    if SANITIZED:
        raise tap.Skipped("a sanitizer takes memory of its own")
    words = "draw cannon summa --grid 128x128 --spacetime -n 512 -o f.dot --memory-limit".split()
    said = run(*words, "480M", expect=2).stderr
    assert "prediction of summa on torus:128x128 needs" in said, said
    run(*words, re.search(r"--memory-limit (\d+M)", said)[1])


def test_runs_stay_within_the_limit():
    """C, its check and the buffers of OpenBLAS count, too."""
    if SANITIZED:
        raise tap.Skipped("a sanitizer takes memory of its own")
    for words in ["run cannon --grid 4x4 -n 700 --on cpu --trials 3", "run cannon --grid 4x4 -n 1200 --on cpu --trials 3 --type f64",
                  "compare cannon --grid 4x4 -n 700 --on cpu --trials 3 --budget 0.01"]:
        done = 0
        for megabytes in range(20, 140, 20):
            took, status = peak(*words.split(), "--memory-limit", f"{megabytes}M", status=True)
            assert status in (0, 2) and (status == 2 or took < 1.1 * megabytes * MB), (words, megabytes, took, status)
            done += status == 0
        assert 1 < done < 6, (words, done)


def test_small_stacks():
    """Raised where that is allowed, otherwise refused: Graphviz and fonts take more."""
    if SANITIZED:
        raise tap.Skipped("a sanitizer takes stack of its own")

    def drawn(kib, most):
        limit = (kib << 10, most << 10)
        words = [PROGRAM, *"draw dns --grid 4x4x4 -o f.png".split()]
        return subprocess.run(words, capture_output=True, text=True, timeout=60,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_STACK, limit))

    for kib, most in [(128, 1024), (256, 256), (1024, 1024)]:
        done = drawn(kib, most)
        assert done.returncode == 0 and done.stderr == "", (kib, most, done)
    done = drawn(128, 128)
    assert done.returncode == 2, done
    assert "the stack is limited to 128 KiB, but at least 256 KiB are needed" in done.stderr, done


def test_calibrate_leaves_out_what_is_too_large():
    done = run("calibrate", "--on", "cpu", "--grid", "64x4", "--sizes", "8,16,32,1024", "--budget", "0.001", "--noisy", "--json",
               "--memory-limit", "500M")
    samples = json.loads(done.stdout)["samples"]
    large = {sample["m"] // 64 for sample in samples if "the limit is" in sample.get("left_out", "")}
    assert large == {512, 1024, 1025, 1026, 1028, 1032}, samples  # those with a few rows more, and with 4096 inner elements, too
    assert not any("left_out" in sample for sample in samples if sample["m"] < 64 * 512), samples


def test_plan_keeps_to_the_limit():
    """With a million processors, it predicts only what fits in memory."""
    if SANITIZED:
        raise tap.Skipped("a sanitizer takes memory of its own")
    base = peak("verify", "cannon", "--grid", "4x4")
    assert peak(*"plan -n 4096 --procs 1048576 --memory-limit 60M".split()) < base + 60 * MB


def test_calibrate_refuses_what_is_too_large():
    said = run("calibrate", "--on", "cpu", "--grid", "4x4", "--sizes", "2000,3000,4000", "--budget", "0.001",
               "--memory-limit", "200M", expect=2).stderr
    assert "use smaller sizes, or a larger --memory-limit; the last one was left out: " in said, said


def test_refused_by_what_is_available():
    for kind in [resource.RLIMIT_AS, resource.RLIMIT_DATA]:
        for words in ["verify cannon --grid 1024x1024", "sim cannon --grid 1024x1024 -n 4096"]:
            said = run(*words.split(), expect=2, megabytes=150, kind=kind).stderr
            assert "MB are available" in said, said


def test_out_of_memory():
    """Where a limit is allowed that is not there: refused in words, whoever finds out, and never by a signal."""
    pathlib.Path("long.sched").write_text(LONG.format(1048575))
    refused = 0
    for words in ["verify ./long.sched --grid 16x16", "draw ./long.sched --grid 16x16 -o f.dot",
                  "export ./long.sched --grid 16x16 -n 64 -o e.json", "sim ./long.sched --grid 16x16 -n 61",
                  "sim cannon --grid 512x512 -n 4096", "trace cannon --grid 64x64 -n 4096 -o t.json",
                  "draw cannon --grid 4x4 -o f.svg", "draw cannon --grid 4x4 -o f.png", "topo full:400 -o f.pdf",
                  "topo full:400 -o f.dot", "draw summa --grid 8x8 --all -o f.svg", "plan -n 4096 --procs 64",
                  "export cannon --grid 64x64 -n 1024 -o e.goal", "step cannon --grid 4x4 -n 2000",
                  "draw cannon --grid 32x32 --spacetime -n 512 -o f.dot", "sim cannon --sweep n=512,p=262144",
                  "draw cannon --grid 16x16 --memory -o f.svg", "draw cannon --grid 4x4 -o page.html", "list", "help"]:
        for megabytes, limit in [(40, "100G"), (100, "100G"), (150, ""), (185, "100G"), (200, ""), (230, "100G")]:
            allowed = [] if words in ["list", "help"] or not limit else ["--memory-limit", limit]
            done = raw(megabytes, *words.split(), *allowed)
            assert done.returncode in (0, 2, 3), f"{words} in {megabytes} MB: {done.returncode}\n{done.stderr[:1000]}"
            assert done.returncode != 3 or "long" in words and "expected C" in done.stderr, (words, done.stderr[:1000])
            assert done.stderr == "" or done.stderr.startswith(("topogemm: ", "./long")), (words, done.stderr[:1000])
            refused += done.returncode == 2
    assert refused > 60, refused


def test_estimates():
    """What a refusal says is what the command takes, beside the program itself: at most a little less."""
    if SANITIZED:
        raise tap.Skipped("a sanitizer takes memory of its own")
    pathlib.Path("long.sched").write_text(LONG.format(65535))
    base = peak("verify", "cannon", "--grid", "4x4")
    for words, limit, most in [
            ("verify ./long.sched --grid 16x16", "1K", 1.2), ("verify allgather --grid 96x96", "1K", 2),
            ("verify berntsen --grid 20x20x20", "1K", 2), ("verify transpose --grid 1024x1024", "1K", 2),
            ("verify mmt --grid 1024", "1K", 2), ("export transpose --grid 512x512 -n 1024 -o e.json", "1K", 2),
            ("topo full:400 -o f.svg", "1K", 2), ("topo full:400 -o f.dot", "1K", 5),
            ("draw dns --grid 10x10x10 -o f.png", "24M", 3), ("draw allgather --grid 32x32 -o f.pdf", "24M", 3),
            ("sim cannon --grid 512x512 -n 4096", "1K", 3), ("sim allgather --grid 96x96 -n 4096 --collective ring", "1K", 3),
            # chains may have 512 pieces, and their rounds may all be different ones: neither is so here
            ("sim summa --grid 64x64 -n 4096 --model flow", "1K", 30),
            ("draw cannon --grid 128x128 --spacetime -n 512 -o f.dot", "1K", 2),
            ("draw summa --grid 96x96 --spacetime -n 512 -o f.dot", "1K", 3),
            ("trace cannon --grid 256x256 -n 4096 -o t.json", "1K", 4)]:
        need, took = needs(*words.split(), "--memory-limit", limit), peak(*words.split()) - base
        assert 0.75 * took < need < most * took, f"{words}: {need / MB:.1f} MB said, {took / MB:.1f} MB taken"


if __name__ == "__main__":
    sys.exit(tap.run_cases([(name, lambda _, case=case: case()) for name, case in tap.cases_of(globals())]))
