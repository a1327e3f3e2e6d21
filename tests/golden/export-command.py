#!/usr/bin/env python3
"""Checks `topogemm export`: its files beside golden ones, its messages beside those of `topogemm step`, its exit
statuses. Prints TAP.

Usage: export-command.py TOPOGEMM FOLDER, the second with the golden files. With --update it writes them anew.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

COMMAND, GOLDEN = sys.argv[1], pathlib.Path(sys.argv[2])
POINTS = []
FILES = {
    "cannon-2x2.goal": "cannon --grid 2x2 -n 4",
    "cannon-2x2.json": "cannon --grid 2x2 -n 4",
    "dns-2x2x2.goal": "dns --grid 2x2x2 --size 3x4x5 --type f64 --collective binomial --flops-per-s 2e9",
    "summa-3x3.json": "summa --grid 3x3 -n 3 --collective scatter-allgather",
}
STATUSES = [
    (0, "cannon --grid 2x2 -n 4 -o {}/x.goal", "12 messages"),
    (2, "cannon --grid 2x2 -n 4", "-o FILE"),
    (2, "cannon --grid 2x2 -n 4 -o {}/x.txt", "expected .goal"),
    (2, "cannon --grid 2x2 -o {}/x.goal", "-n or --size"),
    (2, "cannon -n 4 -o {}/x.goal", "--grid"),
    (2, "cannon --grid 2x2 -n 4 --type f16 -o {}/x.goal", "f32 or f64"),
    (2, "cannon --grid 2x2 -n 4 --flops-per-s 0 -o {}/x.goal", "above 0"),
    (2, "cannon --grid 2x2 -n 4 --flops-per-s 2GHz -o {}/x.goal", "above 0"),
    (2, "cannon --grid 2x2 -n 4 --collective tree -o {}/x.goal", "binomial"),
    (3, "{}/wrong.sched --grid 3x3 -n 4 -o {}/x.json", "inner indices"),
    (1, "cannon --grid 2x2 -n 4 -o {}/missing/x.goal", "cannot write"),
    (1, "cannon --grid 9x9 -n 9 -o {}/full.goal", "full.goal: cannot write: No space left"),
    (1, "cannon --grid 9x9 -n 9 -o {}/full.json", "full.json: cannot write: No space left"),
]
STEPPED = [
    "cannon --grid 3x3 --size 4x5x6",
    "cannon25d --grid 4x4x2 -n 8 --type f64 --collective binomial",
    "agarwal3d --grid 2x2x2 -n 8 --collective recursive-doubling",
    "summa --grid 11x11 -n 11 --collective chain",
]


def run(*words):
    return subprocess.run([COMMAND, *words], capture_output=True, text=True, check=False)


def point(name, problem):
    POINTS.append(problem is None)
    print(f"{'ok' if problem is None else 'not ok'} {len(POINTS)} {name}")
    if problem is not None:
        print("# " + problem.replace("\n", "\n# "))


def export(path, words):
    path.unlink(missing_ok=True)
    done = run("export", *words.split(), "-o", str(path))
    return None if done.returncode == 0 else f"exit {done.returncode}: {done.stderr}"


def check_file(folder, name, words):
    problem = export(folder / name, words)
    if problem:
        return problem
    found = (folder / name).read_text(encoding="utf-8").splitlines()
    expected = (GOLDEN / name).read_text(encoding="utf-8").splitlines()
    for number, lines in enumerate(zip(found, expected), 1):
        if lines[0] != lines[1]:
            return f"line {number}: {lines[0]}\nexpected: {lines[1]}"
    return None if len(found) == len(expected) else f"{len(found)} lines, expected {len(expected)}"


def check_default(folder):
    """Without --collective they go in rounds."""
    texts = []
    for words in "", " --collective auto", " --collective native":
        problem = export(folder / "x.goal", "summa --grid 4x4 -n 8" + words)
        if problem:
            return problem
        texts.append((folder / "x.goal").read_text(encoding="utf-8"))
    return None if texts[0] == texts[1] != texts[2] else "not --collective auto"


def stepped_messages(text):
    """(from, to, block, terms, line, bytes) as `step --messages` prints them."""
    form = re.compile(r"^ +(\(.*?\)) -> (\(.*?\)) +(?:\+ )?([ABC0][0-9,]*'?)(?: (\d+)/\d+)? +line (\d+) +(\d+) bytes", re.M)
    return [(a, b, block, int(terms) if terms else None, int(line), int(size))
            for a, b, block, terms, line, size in form.findall(text)]


def exported_messages(document):
    """The same from the JSON. `step` writes two digits without a comma where there are at most ten block rows and
    columns."""
    narrow = {}
    for placement in document["placements"]:
        matrix, row, column = re.fullmatch(r"(.)\((\d+), (\d+)\)", placement["block"]).groups()
        narrow[matrix] = narrow.get(matrix, True) and int(row) < 10 and int(column) < 10
    for step in document["steps"]:
        for statement in step["statements"]:
            for message in statement.get("messages", []):
                name = message["block"]
                match = re.fullmatch(r"(.)\((\d+), (\d+)\)('?)", name)
                if match:
                    matrix, row, column, turned = match.groups()
                    name = f"{matrix}{row}{'' if narrow[matrix] else ','}{column}{turned}"
                ends = [f"({', '.join(map(str, message[end]))})" for end in ("from_coordinates", "to_coordinates")]
                yield (*ends, "0" if name == "zero" else name, message["terms"], statement["line"], message["bytes"])


def check_stepped(folder, words):
    problem = export(folder / "x.json", words)
    if problem:
        return problem
    found = list(exported_messages(json.loads((folder / "x.json").read_text(encoding="utf-8"))))
    done = run("step", *words.split(), "--messages", "--color", "never")
    expected = stepped_messages(done.stdout)
    for pair in zip(found, expected):
        if pair[0] != pair[1]:
            return f"{pair[0]}\nstep has {pair[1]}"
    return None if len(found) == len(expected) > 0 else f"{len(found)} messages, step prints {len(expected)}"


def check_status(folder, status, words, expected):
    (folder / "x.goal").unlink(missing_ok=True)
    (folder / "x.json").unlink(missing_ok=True)
    done = run("export", *words.replace("{}", str(folder)).split())
    if done.returncode != status:
        return f"exit {done.returncode}, expected {status}: {done.stderr}"
    if expected not in (done.stdout if status == 0 else done.stderr):
        return f"`{expected}` is not in: {done.stdout}{done.stderr}"
    left = [name for name in ("x.goal", "x.json") if (folder / name).exists()]
    return None if bool(left) == (status == 0) else f"left: {left}"


def main():
    if "--update" in sys.argv:
        return any([print(name, export(GOLDEN / name, words) or "written") for name, words in FILES.items()])
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        text = run("show", "cannon").stdout
        (folder / "wrong.sched").write_text(text.replace("(i, j-1)", "(i, j+1)"), encoding="utf-8")
        for full in "full.goal", "full.json":
            (folder / full).symlink_to("/dev/full")
        for name, words in FILES.items():
            point(f"export {words} -o {name}", check_file(folder, name, words))
        point("collectives go in rounds", check_default(folder))
        for words in STEPPED:
            point(f"as step: {words}", check_stepped(folder, words))
        for status, words, expected in STATUSES:
            point(f"exit {status}: export {words}", check_status(folder, status, words, expected))
    print(f"1..{len(POINTS)}")
    return 0 if all(POINTS) else 1


if __name__ == "__main__":
    sys.exit(main())
