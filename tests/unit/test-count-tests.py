#!/usr/bin/env python3
"""tools/count-tests.py on made-up logs: nothing that went wrong may be counted as anything but failed. Prints TAP."""

import json
import pathlib
import subprocess
import sys
import tempfile

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "tools" / "count-tests.py"


def meson(name, result, stdout, returncode=0, stderr=""):
    """A line of testlog.json as Meson writes it."""
    return {"name": f"topogemm:unit / {name}", "result": result, "stdout": stdout, "returncode": returncode,
            "stderr": stderr}


# name: (lines of the log, announced tests or None for no such file, the closing line, exit status, text in the output)
CASES = {
    "all pass": ([meson("a", "OK", "1..2\nok 1 /x\nok 2 /y\n")], None, "2 passed, 0 failed, 0 skipped", 0, ""),
    "a failed point": (
        [meson("a", "FAIL", "1..2\nok 1 /x\n# y is 3, not 4\nnot ok 2 /y\n", 1)], None,
        "1 passed, 1 failed, 0 skipped", 1, "# y is 3, not 4"),
    "a skipped point": (
        [meson("a", "OK", "ok 1 /x\nok 2 /y # SKIP no GPU\n1..2\n")], None,
        "1 passed, 0 failed, 1 skipped", 0, "skipped [plain] topogemm:unit / a: /y (no GPU)"),
    "a skipped program is not a pass": (
        [meson("a", "SKIP", "1..0 # SKIP no clang\n")], None, "0 passed, 0 failed, 1 skipped", 1, "no clang"),
    "a todo that fails": (
        [meson("a", "OK", "1..2\nok 1 /x\nnot ok 2 /y # TODO later\n")], None, "1 passed, 0 failed, 1 skipped", 0,
        "later"),
    "a todo that passes": (
        [meson("a", "FAIL", "1..1\nok 1 /x # TODO later\n")], None, "0 passed, 1 failed, 0 skipped", 1, ""),
    "a crash after passing points": (
        [meson("a", "ERROR", "1..3\nok 1 /x\n", -11, "AddressSanitizer: SEGV")], None,
        "1 passed, 2 failed, 0 skipped", 1, "AddressSanitizer: SEGV"),
    "a crash after the last point": (
        [meson("a", "ERROR", "1..1\nok 1 /x\n", 1, "LeakSanitizer")], None,
        "1 passed, 1 failed, 0 skipped", 1, "ERROR, exit status 1"),
    "a crash before the plan": (
        [meson("a", "ERROR", "", -6)], None, "0 passed, 1 failed, 0 skipped", 1, "no plan"),
    "a time limit": (
        [meson("a", "TIMEOUT", "1..1\nok 1 /x\n")], None, "1 passed, 1 failed, 0 skipped", 1, "TIMEOUT"),
    "a time limit in the midst": (
        [meson("a", "TIMEOUT", "1..2\nok 1 /x\n")], None, "1 passed, 1 failed, 0 skipped", 1, "(TIMEOUT, exit status 0)"),
    "a bail out": (
        [meson("a", "ERROR", "1..1\nok 1 /x\nBail out! assertion\n", -6)], None, "1 passed, 1 failed, 0 skipped", 1,
        "a: Bail out! assertion"),
    "an assertion in GLib's test": (
        [meson("a", "ERROR", "1..3\nok 1 /x\nBail out! assertion\n", -6)], None, "1 passed, 2 failed, 0 skipped", 1,
        "a: point 3 (planned"),
    "more points than planned": (
        [meson("a", "OK", "1..1\nok 1 /x\nok 2 /y\n")], None, "2 passed, 1 failed, 0 skipped", 1, ""),
    "an announced test that never ran": (
        [meson("a", "OK", "1..1\nok 1 /x\n")],
        [{"name": "a", "protocol": "tap"}, {"name": "b", "protocol": "tap"}],
        "1 passed, 1 failed, 0 skipped", 1, "b: the program (never ran)"),
    "tests by exit status": (
        [meson("a", "OK", "whatever"), meson("b", "FAIL", "why", 1), meson("c", "SKIP", "", 77),
         meson("d", "UNEXPECTEDPASS", ""), meson("e", "EXPECTEDFAIL", "", 1)],
        [{"name": name, "protocol": "exitcode"} for name in "abcde"],
        "1 passed, 2 failed, 2 skipped", 1, "why"),
    "a point with a # in its name": (
        [meson("a", "OK", "1..1\nok 1 /step #3\n")], None, "1 passed, 0 failed, 0 skipped", 0, ""),
    "points inside a point are its own": (
        [meson("a", "OK", "TAP version 14\n1..1\n    1..2\n    ok 1 /x\n    ok 2 /y\nok 1 /xy\n")], None,
        "1 passed, 0 failed, 0 skipped", 0, ""),
    "no test at all": ([], None, "0 passed, 0 failed, 0 skipped", 1, ""),
    "an unreadable line": (["{\"name\": \"a"], None, "0 passed, 1 failed, 0 skipped", 1, "unreadable log"),
}


def run(folder, lines, tests):
    """Writes a build folder's log and runs the script on it."""
    for name in ("meson-logs", "meson-info"):
        (folder / name).mkdir()
    log = folder / "meson-logs" / "testlog.json"
    log.write_text("".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines))
    if tests is not None:
        (folder / "meson-info" / "intro-tests.json").write_text(json.dumps(tests))
    return count(f"plain={log}")


def count(*arguments):
    """Runs the script."""
    return subprocess.run([sys.executable, SCRIPT, *arguments], capture_output=True, text=True, check=False)


def check_case(lines, tests, closing, status, text):
    """Whether the script says what it must."""
    with tempfile.TemporaryDirectory() as folder:
        done = run(pathlib.Path(folder), lines, tests)
    last = (done.stdout.splitlines() or [""])[-1]
    return last == closing and done.returncode == status and text in done.stdout, done.stdout + done.stderr


def check_several():
    """Runs add up; a TAP file counts; a log that is not there is a failure."""
    with tempfile.TemporaryDirectory() as folder:
        tap = pathlib.Path(folder) / "fuzz.tap"
        tap.write_text("1..2\nok 1 - schedule\nok 2 - npy # SKIP no clang\n")
        done = count(f"one={tap}", f"two={tap}", f"three={folder}/absent.json")
    return done.stdout.endswith("2 passed, 1 failed, 2 skipped\n") and done.returncode == 1, done.stdout + done.stderr


def check_order():
    """What failed stands after all that was skipped, where one looks for it."""
    with tempfile.TemporaryDirectory() as folder:
        failed, skipped = pathlib.Path(folder) / "first.tap", pathlib.Path(folder) / "second.tap"
        failed.write_text("1..1\nnot ok 1 - wrong\n")
        skipped.write_text("1..1\nok 1 - absent # SKIP no GPU\n")
        done = count(f"one={failed}", f"two={skipped}")
    return 0 <= done.stdout.find("skipped [two]") < done.stdout.find("failed [one]"), done.stdout + done.stderr


def check_suites():
    """With suites, a test outside them need not have run; one inside them must have."""
    tests = [{"name": name, "protocol": "tap", "suite": [f"topogemm:{suite}"]}
             for name, suite in [("a", "unit"), ("b", "golden"), ("c", "property")]]
    with tempfile.TemporaryDirectory() as folder:
        run(pathlib.Path(folder), [meson("a", "OK", "1..1\nok 1 /x\n")], tests)
        log = f"{folder}/meson-logs/testlog.json"
        some, more = count(f"plain={log}:unit"), count(f"plain={log}:unit,golden")
    good = some.stdout == "1 passed, 0 failed, 0 skipped\n" and "b: the program (never ran)" in more.stdout
    return good and more.stdout.endswith("1 passed, 1 failed, 0 skipped\n"), some.stdout + more.stdout


def check_usage():
    """Wrong use is exit 2 and the usage."""
    done = count("no-label")
    return done.returncode == 2 and "Usage:" in done.stderr, done.stdout + done.stderr


def main():
    """Runs all and prints TAP."""
    results = [(name, *check_case(*case)) for name, case in CASES.items()]
    results += [("several runs add up", *check_several()), ("failures come last", *check_order()),
                ("some suites", *check_suites()), ("wrong use", *check_usage())]
    print(f"1..{len(results)}")
    for number, (name, good, output) in enumerate(results, 1):
        print(f"{'ok' if good else 'not ok'} {number} - {name.replace('#', 'number sign')}")
        if not good:
            print("".join(f"# {line}\n" for line in output.splitlines()), end="")
    return 0 if all(good for _, good, _ in results) else 1


if __name__ == "__main__":
    sys.exit(main())
