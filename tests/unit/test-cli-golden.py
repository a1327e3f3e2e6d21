#!/usr/bin/env python3
"""cli-golden.py on a stand-in for the command: lines of one build must be there in that build, and not in the other;
--update keeps the other build's. Writes TAP.

Usage: test-cli-golden.py CLI-GOLDEN.PY
"""
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import tap  # noqa: E402

SCRIPT = str(pathlib.Path(sys.argv[1]).resolve())
GOLDEN = "$ topogemm list\nfirst\n[cuda] fast\n[no-cuda] not built\n[no-cuda] slow\nlast\n"
PRINTED = {"cuda": "first\nfast\nlast\n", "no-cuda": "first\nnot built\nslow\nlast\n"}


def compare(build, printed, *more, golden=GOLDEN):
    """Exit status, and the golden afterwards, where the command prints that."""
    path = pathlib.Path("list.txt")
    path.write_text(golden)
    pathlib.Path("printed").write_text(printed)
    program = pathlib.Path("topogemm")
    program.write_text(f"#!/bin/sh\ncat '{pathlib.Path('printed').resolve()}'\n")
    program.chmod(0o755)
    done = subprocess.run([sys.executable, SCRIPT, "--build", build, *more, str(program), "."], capture_output=True, text=True,
                          check=False)
    assert done.returncode == (0 if "\nok 1" in done.stdout else 1), done.stdout + done.stderr
    return done.returncode, path.read_text()


def test_each_build_its_lines(_):
    for build, printed in PRINTED.items():
        assert compare(build, printed) == (0, GOLDEN), build


def test_a_line_too_few_or_too_many(_):
    for build, other in [("cuda", "no-cuda"), ("no-cuda", "cuda")]:
        printed = PRINTED[build]
        for wrong in [PRINTED[other], "first\nlast\n", printed + "more\n", printed.replace("last", "last "), printed[:-1],
                      printed.replace("first", "first\n")]:
            assert compare(build, wrong)[0] == 1, f"{build}: {wrong}"


def test_update_keeps_the_other_build(_):
    for build, printed in PRINTED.items():
        assert compare(build, printed, "--update") == (0, GOLDEN), build
    assert compare("no-cuda", "first\nnot built\nquick\nlast\n", "--update") == (0, GOLDEN.replace("slow", "quick"))
    assert compare("cuda", "first\nfaster\nmore\nlast\n", "--update") == (
        0, GOLDEN.replace("[cuda] fast\n", "[cuda] faster\n[cuda] more\n"))
    assert compare("cuda", "first\nfast\nend\n", "--update") == (0, GOLDEN.replace("last", "end"))
    assert compare("no-cuda", "slow\nlast\n", "--update") == (
        0, "$ topogemm list\n[cuda] fast\n[no-cuda] slow\nlast\n")


def test_update_of_a_new_command(_):
    assert compare("cuda", "one\ntwo\n", "--update", golden="$ topogemm list\n") == (0, "$ topogemm list\none\ntwo\n")


if __name__ == "__main__":
    sys.exit(tap.run_cases(tap.cases_of(globals())))
