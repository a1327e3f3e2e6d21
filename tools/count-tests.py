#!/usr/bin/env python3
"""Counts single test points over several runs and ends with `N passed, N failed, N skipped`.

Usage: tools/count-tests.py LABEL=FILE[:SUITE,...] ...

FILE is the meson-logs/testlog.json of a `meson test` run, or a text in TAP. SUITE names the suites that were asked for
where that was not all. What was skipped is printed with its reason; then, where one looks for it, what failed, with
its output. Exit status: 0 if at least one point passed and none failed, else 1; 2 for wrong use.

Nothing may look better than it was: a program that crashed, was stopped by its time limit, stopped before its plan
was done, printed no plan, passed what it announced as failing, or never ran at all is counted as failed.
"""

import json
import pathlib
import re
import sys
from collections import Counter
from typing import NamedTuple

OUTPUT_LINES = 200  # of a failed program; a runaway one must not bury the rest
POINT = re.compile(r"(not )?ok\b\s*(\d+)?\s*(?:- )?(.*?)\s*(?:#\s*(SKIP\S*|TODO)\b\s*(.*))?$", re.IGNORECASE)
PLAN = re.compile(r"1\.\.(\d+)\s*(?:#\s*SKIP\S*\s*(.*))?$", re.IGNORECASE)


class Point(NamedTuple):
    """One test point; outcome is "passed", "failed" or "skipped"."""

    outcome: str
    name: str
    note: str = ""


class Program(NamedTuple):
    """One test program of one run, with all it printed."""

    name: str
    points: list
    output: str = ""
    ending: str = ""


def outcome_of(not_ok, directive):
    """TAP 13: a failing TODO is known to fail; a passing one no longer is what its author says, so it fails."""
    directive = (directive or "").upper()
    if directive == "TODO":
        return "skipped" if not_ok else "failed"
    if directive and not not_ok:
        return "skipped"
    return "failed" if not_ok else "passed"


def read_tap(text):
    """The points of a TAP text, nested ones counted through their parent, and a failed one for each broken promise."""
    points, bails, plan = [], [], None
    for line in text.splitlines():
        if match := POINT.match(line):
            not_ok, number, name, directive, note = match.groups()
            points.append(Point(outcome_of(not_ok, directive), name or f"point {number}", note or directive or ""))
        elif match := PLAN.match(line):
            plan = int(match[1])
            if plan == 0:
                return [Point("skipped", "all of it", match[2] or "no reason given")]
        elif line.startswith("Bail out!"):
            bails.append(Point("failed", line))
    if plan is None:
        return points + bails + [Point("failed", "no plan", "stopped before its plan was printed")]
    ran = len(points)
    points += bails  # GLib bails out in the midst of a point, which then has no line of its own
    points += [Point("failed", f"point {i + 1}", "planned, but never ran") for i in range(len(points), plan)]
    if ran > plan:
        points.append(Point("failed", "plan", f"{plan} points planned, {ran} ran"))
    return points


# What Meson says of a whole program, where that is more than its points say.
BAD = {"FAIL", "ERROR", "TIMEOUT", "INTERRUPT", "UNEXPECTEDPASS"}


def read_program(record, protocol):
    """The points of one line of testlog.json."""
    name, result = record["name"], record["result"]
    output = (record.get("stdout") or "") + (record.get("stderr") or "")
    ending = f"{result}, exit status {record.get('returncode')}"
    if result == "EXPECTEDFAIL" or (result == "SKIP" and protocol != "tap"):
        points = [Point("skipped", "the program", result)]
    elif protocol == "tap":
        points = read_tap(record.get("stdout") or "")
    else:
        points = [] if result in BAD else [Point("passed", "the program")]
    if result in BAD and not any(point.outcome == "failed" for point in points):
        points.append(Point("failed", "the program", ending))
    return Program(name, points, output, ending)


def announced(log, suites):
    """The tests that the build announces in these suites, or in all, from beside the log in a Meson build folder."""
    path = log.parent.parent / "meson-info" / "intro-tests.json"
    tests = json.loads(path.read_text()) if path.exists() else []
    return [test for test in tests if not suites or {suite.split(":")[-1] for suite in test["suite"]} & set(suites)]


def read_meson(log, suites):
    """The programs of a testlog.json; those announced but absent, and unreadable lines, as failed ones."""
    tests, programs, seen = announced(log, suites), [], Counter()
    protocols = {test["name"]: test["protocol"] for test in tests}
    for number, line in enumerate(log.read_text(errors="replace").splitlines(), 1):
        try:
            record = json.loads(line)
            short = record["name"].split(" / ")[-1]
            programs.append(read_program(record, protocols.get(short, "tap")))
            seen[short] += 1
        except (ValueError, KeyError, TypeError) as error:
            programs.append(Program(f"line {number}", [Point("failed", "unreadable log", str(error))]))
    never = (Counter(test["name"] for test in tests) - seen).elements()
    return programs + [Program(name, [Point("failed", "the program", "never ran")]) for name in never]


def read_run(text):
    """All programs of one run, FILE[:SUITE,...]."""
    path, _, suites = text.partition(":")
    log = pathlib.Path(path)
    if not log.exists():
        return [Program(path, [Point("failed", "the run", "left no log")])]
    if log.suffix == ".json":
        return read_meson(log, suites.split(",") if suites else [])
    text = log.read_text(errors="replace")
    return [Program(log.stem, read_tap(text), text)]


def print_points(label, program, outcome):
    """Prints the points that ended so."""
    for point in program.points:
        if point.outcome == outcome:
            note = f" ({point.note})" if point.note else ""
            print(f"{outcome} [{label}] {program.name}: {point.name}{note}")


def print_failure(label, program):
    """Prints what failed, and what the program wrote."""
    print_points(label, program, "failed")
    lines = program.output.splitlines() + ([f"({program.ending})"] if program.ending else [])
    if len(lines) > OUTPUT_LINES:
        print(f"  | ({len(lines) - OUTPUT_LINES} lines before these are left out)")
    print("\n".join("  | " + line for line in lines[-OUTPUT_LINES:]))


def main(arguments):
    """Reads every run, reports, and prints the closing line."""
    if not arguments or any("=" not in argument for argument in arguments):
        print(__doc__, file=sys.stderr)
        return 2
    count = {"passed": 0, "failed": 0, "skipped": 0}
    failures = []
    for argument in arguments:
        label, run = argument.split("=", 1)
        for program in read_run(run):
            outcomes = [point.outcome for point in program.points]
            for outcome in outcomes:
                count[outcome] += 1
            print_points(label, program, "skipped")
            if "failed" in outcomes:
                failures.append((label, program))
    for label, program in failures:
        print_failure(label, program)
    print(f"{count['passed']} passed, {count['failed']} failed, {count['skipped']} skipped")
    return 0 if count["passed"] and not count["failed"] else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
