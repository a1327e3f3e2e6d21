#!/usr/bin/env python3
"""tools/measure-gpu.py with made-up tests under a made-up tool: which cases run, and what it keeps of them. Writes TAP.

Usage: test-measure-gpu.py MEASURE-GPU.py
"""
import collections
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import tap  # noqa: E402

SCRIPT = str(pathlib.Path(sys.argv[1]).resolve())
CASES = [f"/case/{i}" for i in range(21)]

# A test lists its cases, or runs those it is given.
TEST = """#!/bin/sh
[ "$1" = -l ] && { printf '%s\\n' CASES; exit; }
[ $# = 0 ] && set -- CASES
for word; do case $word in -p) ;; *) echo "ok $word" ;; esac; done
MORE
"""
# The tool's own options, of which --tool is the first, end where the program begins.
TOOL = """#!/bin/sh
says="ERROR SUMMARY: HAZARDS errors"
[ "$2" = racecheck ] && says="RACECHECK SUMMARY: HAZARDS hazards displayed"
while [ "${1#/}" = "$1" ]; do shift; done
"$@" && echo "========= $says"
"""


def script(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


def words_of(folder, *words):
    return [sys.executable, SCRIPT, "--prebuilt", "--build", folder / "build", "--prefix", "card", *words]


def environment(folder):
    return {**os.environ, "PATH": f"{folder / 'tools'}:{os.environ['PATH']}"}


def prepare(folder, more="", hazards=0):
    script(folder / "build/tests/gpu/test-blocks", TEST.replace("CASES", " ".join(CASES)).replace("MORE", more))
    script(folder / "tools/compute-sanitizer", TOOL.replace("HAZARDS", str(hazards)))
    (folder / "build/bench").mkdir(exist_ok=True)
    (folder / "build/bench/commit.h").write_text('#define TG_COMMIT "abc"\n')


def checks_of(folder):
    """By test, tool and part."""
    kept = json.loads((folder / "card-checks.json").read_text())["checks"]
    return {(one["test"], one["tool"], one["piece"]): one for one in kept}


def measure(folder, *words, more="", hazards=0, expect=0):
    """Its output, and the checks it kept."""
    prepare(folder, more, hazards)
    done = subprocess.run(words_of(folder, "--results", folder / "results", *words), capture_output=True, text=True, check=False,
                          env=environment(folder))
    assert done.returncode == expect, done.stdout + done.stderr
    return done.stdout, checks_of(folder / "results")


def cases_run(folder, name):
    return re.findall(r"^ok (/case/\d+)$", (folder / f"build/gpu/{name}.log").read_text(), re.M)


def test_parts_share_the_cases(folder):
    """Every case once, over all parts: one after the other, and beside each other."""
    for jobs in ("1", "4"):
        _, kept = measure(folder, "--only", "racecheck-blocks", "--jobs", jobs)
        ran = collections.Counter()
        for _, _, piece in kept:
            ran.update(cases_run(folder, f"racecheck-blocks-{piece}"))
        assert len(kept) > 1 and ran == collections.Counter(CASES), (jobs, ran)


def test_parts_are_of_the_device(folder):
    """Where a test has cases for the CPU alone too, they are no part under a tool."""
    prepare(folder)
    of_device = [f"/blocks/device/{i}" for i in range(11)]
    script(folder / "build/tests/gpu/test-blocks", TEST.replace("CASES", " ".join(CASES + of_device)).replace("MORE", ""))
    subprocess.run(words_of(folder, "--results", folder / "results", "--only", "racecheck-blocks"), check=True,
                   env=environment(folder), capture_output=True)
    logs = "".join(path.read_text() for path in (folder / "build/gpu").glob("racecheck-blocks-*.log"))
    assert sorted(re.findall(r"^ok (\S+)", logs, re.M)) == sorted(of_device)


def test_products(folder):
    """A few cases may have more local products than the others."""
    prepare(folder)
    cases = ["/clusters/device/variants/cannon-4x4/1-copy", "/clusters/device/ring"]
    script(folder / "build/tests/gpu/test-clusters", TEST.replace("CASES", " ".join(cases)).replace("MORE", "echo most: $TG_TEST_PRODUCTS"))
    for part, most in ((1, 64), (2, 24)):
        words = words_of(folder, "--results", folder / "results", "--only", f"racecheck-clusters-{part}")
        subprocess.run(words, capture_output=True, check=False, env=environment(folder))  # of the other parts none has a case
        log = (folder / f"build/gpu/racecheck-clusters-{part}.log").read_text()
        assert f"ok {cases[part - 1]}\n" in log and f"most: {most}\n" in log, log


def test_only(folder):
    """A number is not the beginning of another; a name that is none is wrong use, beside good ones too."""
    def listed(*words, expect=0):
        done = subprocess.run(words_of(folder, "--list", "--only", *words), capture_output=True, text=True, check=False)
        assert done.returncode == expect, done.stdout + done.stderr
        return [line.split()[0] for line in done.stdout.splitlines()] if expect == 0 else done.stderr

    prepare(folder)
    assert listed("racecheck-clusters-3") == ["racecheck-clusters-3"]
    assert listed("measure-ladder") == ["measure-ladder-f32", "measure-ladder-f32-16384", "measure-ladder-f64"]
    assert {name.split("-")[0] for name in listed("test-")} == {"test"}
    for words in ("test-blocks,nope", ",", "", "measure-lad"):
        assert f"--only {words}: no part is called" in listed(words, expect=2)
    listed("test-blocks", "--jobs", "0", expect=2)
    listed("test-blocks", "--limit", "-1", expect=2)


def test_builds_the_tests(folder):
    """A release has none by itself, nor has the folder that something was installed from."""
    words = [word for word in words_of(folder, "--list", "--only", "build") if word != "--prebuilt"]
    for how in ("setup", "configure"):
        said = subprocess.run(words, capture_output=True, text=True, check=True).stdout
        assert f"meson {how} {folder}/build --buildtype release -Dtests=enabled\n" in said, said
        (folder / "build").mkdir(exist_ok=True)
        (folder / "build/build.ninja").touch()


def test_whole(folder):
    """A part that is the whole test runs it without choosing."""
    _, kept = measure(folder, "--only", "memcheck-blocks,test-blocks")
    assert cases_run(folder, "memcheck-blocks") == CASES
    assert kept["blocks", "test", 1]["said"] == f"{len(CASES)} passed, 0 skipped"
    assert kept["blocks", "memcheck", 1] | {"seconds": 0} == {
        "test": "blocks", "tool": "memcheck", "piece": 1, "pieces": 1, "status": 0, "commit": "abc", "seconds": 0,
        "said": f"error summary: 0 errors, {len(CASES)} passed, 0 skipped"}


def test_kept(folder):
    """What a run leaves out stays as it was; what it runs again does not."""
    measure(folder, "--only", "memcheck-blocks,synccheck-blocks")
    _, kept = measure(folder, "--only", "memcheck-blocks", hazards=3, expect=1)
    assert kept["blocks", "memcheck", 1]["status"] == 1 and kept["blocks", "synccheck", 1]["status"] == 0


def test_divided_otherwise(folder):
    """Parts of a division that is no more do not stay beside those of the one that is."""
    old = {"test": "blocks", "tool": "racecheck", "piece": 30, "pieces": 40, "status": 0, "said": "", "seconds": 1, "commit": "a"}
    (folder / "results").mkdir()
    (folder / "results/card-checks.json").write_text(json.dumps({"checks": [old, {**old, "test": "threads"}]}))
    _, kept = measure(folder, "--only", "racecheck-blocks-1")
    assert ("blocks", "racecheck", 30) not in kept and ("threads", "racecheck", 30) in kept and len(kept) == 2, kept


def test_quick(folder):
    """It tries things out: results stay as they are."""
    prepare(folder)
    subprocess.run(words_of(folder, "--quick", "--only", "test-blocks"), check=True, env=environment(folder), capture_output=True)
    assert ("blocks", "test", 1) in checks_of(folder / "build/gpu")


def is_running(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def interrupt(folder, *words, processes):
    """Once that many parts run, and write down what they are."""
    pids = folder / "pids"
    pids.mkdir(exist_ok=True)
    prepare(folder, more=f"touch {pids}/$$; sleep 60")
    script(folder / "build/cli/topogemm", f"#!/bin/sh\ntouch {pids}/$$; sleep 60\n")
    with subprocess.Popen(words_of(folder, "--results", folder / "results", *words), env=environment(folder), text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        until = time.monotonic() + 20
        while len(list(pids.iterdir())) < processes and time.monotonic() < until:
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=20)
    assert process.returncode == 1 and "interrupted" in said, said
    started = [int(path.name) for path in pids.iterdir()]
    assert len(started) == processes, started
    while any(is_running(pid) for pid in started):  # killed is not yet gone
        assert time.monotonic() < until + 20, started
        time.sleep(0.02)


def test_interrupt(folder):
    """Nothing goes on behind it, whether one thing was running or several; what they had said is not kept."""
    interrupt(folder, "--only", "measure-ladder-f64", processes=1)
    for path in (folder / "pids").iterdir():
        path.unlink()
    interrupt(folder, "--only", "racecheck-blocks", "--jobs", "2", processes=2)
    assert not (folder / "results/card-checks.json").exists()


def test_left_out(folder):
    """Under a tool all cases of a part may be left out, which it says; alone, or where none ran at all, that is wrong."""
    left = 'printf "ok 1 /x # SKIP too long\n"; printf "" >&2'
    prepare(folder)
    test = folder / "build/tests/gpu/test-blocks"
    for lines, status in ((left, 0), ("true", 1)):
        script(test, f'#!/bin/sh\n[ "$1" = -l ] && {{ echo /x; exit; }}\n{lines}\n')
        for name in ("memcheck-blocks", "test-blocks"):
            words = words_of(folder, "--results", folder / "results", "--only", name)
            done = subprocess.run(words, capture_output=True, text=True, check=False, env=environment(folder))
            assert done.returncode == (status if name[0] == "m" else 1), done.stdout
            assert ("0 passed, 1 skipped" in done.stdout) == (status == 0), done.stdout


def test_wrong(folder):
    """Hazards, a case that fails, one that is skipped, a test that says nothing, one that never ends."""
    said, _ = measure(folder, "--only", "memcheck-blocks", hazards=1, expect=1)
    assert "FAILED" in said and "not clean" in said
    said, _ = measure(folder, "--only", "test-blocks", more="echo not ok 22 /x", expect=1)
    assert "1 failed" in said
    said, _ = measure(folder, "--only", "test-blocks", more='echo "ok 22 /x # SKIP no GPU"')
    assert "1 skipped" in said
    measure(folder, "--only", "test-blocks", more="printf 'no letter: \\303\\n'")
    said, _ = measure(folder, "--only", "test-blocks", more="exit 1", expect=1)
    assert "FAILED" in said
    said, kept = measure(folder, "--only", "test-blocks", "--limit", "0.5", more="sleep 60", expect=1)
    assert "ended after 0.5 s" in said and kept["blocks", "test", 1]["status"] == 124
    assert cases_run(folder, "test-blocks") == CASES  # what it had said until then


if __name__ == "__main__":
    sys.exit(tap.run_cases(tap.cases_of(globals())))
