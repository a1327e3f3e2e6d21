#!/usr/bin/env python3
"""tools/measure-gpu.py with made-up tests under a made-up tool: which cases run, and what it keeps of them. Writes TAP.

Usage: test-measure-gpu.py MEASURE-GPU.py
"""
import collections
import json
import os
import pathlib
import re
import subprocess
import sys

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


def measure(folder, *words, more="", hazards=0, expect=0):
    """Its output, and the checks it kept, by name."""
    script(folder / "build/tests/gpu/test-blocks", TEST.replace("CASES", " ".join(CASES)).replace("MORE", more))
    script(folder / "tools/compute-sanitizer", TOOL.replace("HAZARDS", str(hazards)))
    (folder / "build/bench").mkdir(exist_ok=True)
    (folder / "build/bench/commit.h").write_text('#define TG_COMMIT "abc"\n')
    done = subprocess.run([sys.executable, SCRIPT, "--prebuilt", "--build", folder / "build", "--results", folder / "results",
                           "--prefix", "card", *words], capture_output=True, text=True, check=False,
                          env={**os.environ, "PATH": f"{folder / 'tools'}:{os.environ['PATH']}"})
    assert done.returncode == expect, done.stdout + done.stderr
    kept = json.loads((folder / "results/card-checks.json").read_text())["checks"]
    return done.stdout, {(one["test"], one["tool"], one["piece"]): one for one in kept}


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


def test_wrong(folder):
    """Hazards, a case that fails, one that is skipped, a test that says nothing, one that never ends."""
    said, _ = measure(folder, "--only", "memcheck-blocks", hazards=1, expect=1)
    assert "FAILED" in said and "not clean" in said
    said, _ = measure(folder, "--only", "test-blocks", more="echo not ok 22 /x", expect=1)
    assert "1 failed" in said
    said, _ = measure(folder, "--only", "test-blocks", more='echo "ok 22 /x # SKIP no GPU"')
    assert "1 skipped" in said
    said, _ = measure(folder, "--only", "test-blocks", more="exit 1", expect=1)
    assert "FAILED" in said
    said, kept = measure(folder, "--only", "test-blocks", "--limit", "0.5", more="sleep 60", expect=1)
    assert "ended after 0.5 s" in said and kept["blocks", "test", 1]["status"] == 124
    assert cases_run(folder, "test-blocks") == CASES  # what it had said until then


if __name__ == "__main__":
    sys.exit(tap.run_cases(tap.cases_of(globals())))
