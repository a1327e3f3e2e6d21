#!/usr/bin/env python3
"""The command where memory is short, and where the library that multiplies is not there. Writes TAP.

Usage: test-memory.py TOPOGEMM SANITIZERS    SANITIZERS: what the command is built with, or none
"""
import os
import pathlib
import resource
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import tap  # noqa: E402

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
                          env=os.environ | environment, timeout=60, preexec_fn=limit)
    assert done.returncode == expect, f"{words}: exit status {done.returncode}, expected {expect}\n{done.stderr[:2000]}"
    assert (expect == 0) == (done.stderr == ""), f"{words}: status {expect} and on standard error: {done.stderr[:2000]}"
    return done


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
        for words in ["step cannon --grid 4x4 -n 64", "run cannon --grid 4x4 -n 64 --on cpu --trials 3"]:
            said = run(*words.split(), megabytes=100, kind=kind, expect=2).stderr
            assert "out of memory: OpenBLAS" in said and "ulimit -v" in said, said
            for megabytes in [320, 400, 500]:
                run(*words.split(), megabytes=megabytes, kind=kind)
    assert "BLAS      none: out of memory" in run("--version", megabytes=100).stdout


def test_openblas_is_missing():
    for name in ["libopenblas.so.0", "libopenblas.so"]:
        pathlib.Path(name).write_text("no library")
    absent = {"LD_LIBRARY_PATH": os.getcwd()}
    for words in ["step cannon --grid 4x4 -n 64", "run cannon --grid 4x4 -n 64 --on cpu", "bench ladder --quick"]:
        said = run(*words.split(), expect=4, **absent).stderr
        assert "install libopenblas0" in said, said
    run("step", "cannon", "--grid", "4x4", "-n", 8, **absent)
    assert "BLAS      none: " in run("--version", **absent).stdout


if __name__ == "__main__":
    sys.exit(tap.run_cases([(name, lambda _, case=case: case()) for name, case in tap.cases_of(globals())]))
