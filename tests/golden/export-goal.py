#!/usr/bin/env python3
"""Checks exports as GOAL: grammar and rules (goal_check.py), counts, bytes, and Cannon's messages one by one. Prints TAP.

Usage: export-goal.py EXPORT-SCHEDULE, the program built from export-schedule.c.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # nothing is left beside the sources
import goal_check

EXPORT = sys.argv[1]
POINTS = []

# Schedule, grid, settings, sizes, type, collective; messages and sends as the literature or the rounds have them.
CASES = [
    ("cannon", "4x4", "-", "64x64x64", "f32", "native", 120, 120),
    ("cannon", "7x7", "-", "100x90x110", "f64", "auto", 672, 672),
    ("cannon", "1x1", "-", "3x3x3", "f32", "auto", 0, 0),
    ("cannon", "4x4", "-", "2x3x1", "f32", "auto", 120, 120),
    ("dns", "4x4x4", "-", "64x64x64", "f32", "auto", 168, 168),
    ("dns", "5x5x5", "-", "17x23x31", "f32", "ring", 340, 340),
    ("summa", "4x4", "-", "64x64x64", "f32", "native", 96, 96),
    ("summa", "4x4", "-", "64x64x64", "f32", "chain", 384, 384),
    ("summa", "4x4", "-", "64x64x64", "f32", "scatter-allgather", 384, 352),
    ("summa", "5x5", "-", "33x34x35", "f32", "pairwise", 200, 200),
    ("fox", "4x4", "-", "64x64x64", "f32", "auto", 96, 96),
    ("cannon25d", "8x8x2", "-", "64x64x64", "f32", "native", 1184, 1184),
    ("cannon25d", "4x4x2", "-", "61x67x71", "f64", "auto", 160, 160),
    ("ring", "6", "-", "30x30x30", "f32", "auto", 30, 30),
    ("allgather", "4x4", "-", "32x32x32", "f32", "recursive-doubling", None, None),
    ("agarwal3d", "3x3x3", "-", "40x40x40", "f32", "native", None, None),
    ("agarwal3d", "4x4x4", "-", "40x40x40", "f32", "auto", None, None),
    ("transpose", "4x4", "-", "9x10x1", "f32", "auto", 12, 12),
]


def point(name, check, *arguments):
    try:
        problem = check(*arguments)
    except goal_check.GoalError as error:
        problem = str(error)
    POINTS.append(problem is None)
    print(f"{'ok' if problem is None else 'not ok'} {len(POINTS)} {name}")
    if problem is not None:
        print(f"# {problem}")


def export(folder, *request):
    """The text, and the counts that the program prints: of the export, and of the proof."""
    path = folder / "x.goal"
    run = subprocess.run([EXPORT, path, *request], capture_output=True, text=True, check=False)
    if run.returncode != 0:
        raise goal_check.GoalError(f"exit {run.returncode}: {run.stderr.strip()}")
    exported, proved = ({key: int(value) for key, value in re.findall(r"(\w+)=(-?\d+)", line)}
                        for line in run.stdout.splitlines())
    return path.read_text(encoding="utf-8"), exported, proved


def count(ranks, kind):
    return sum(operation.kind == kind for operations in ranks for operation in operations)


def check_case(folder, case):
    *request, messages, sends = case
    text, exported, proved = export(folder, *request)
    ranks = goal_check.check(text)
    if messages is not None and (exported["messages"], exported["sends"]) != (messages, sends):
        return f"{exported['messages']} messages in {exported['sends']} sends, expected {messages} in {sends}"
    for key in "statements", "products", "messages", "bytes":
        if exported[key] != proved[key]:
            return f"{key}: {exported[key]}, the proof has {proved[key]}"
    if count(ranks, "send") != exported["sends"]:
        return f"{count(ranks, 'send')} sends in the file, {exported['sends']} counted"
    found = sum(operation.size for operations in ranks for operation in operations if operation.kind == "send")
    empty = sum(operation.size == 1 for operations in ranks for operation in operations if operation.kind == "send")
    if found - empty != exported["bytes"]:
        return f"{found} bytes in the file, {empty} of them for empty blocks, but {exported['bytes']} counted"
    worked = sum(operation.size for operations in ranks for operation in operations if operation.kind == "calc")
    return None if worked == exported["flops"] else f"{worked} ns, expected one each for {exported['flops']} flops"


def block_bytes(m, n, q, row, column):
    height = (row + 1) * m // q - row * m // q
    width = (column + 1) * n // q - column * n // q
    return 4 * height * width


def cannon(q, m, n, k):
    """Cannon's algorithm by hand: what goes between each ordered pair, in order."""
    sends = {}

    def send(i, j, to_i, to_j, size):
        source, target = i * q + j, to_i % q * q + to_j % q
        if source != target:
            sends.setdefault((source, target), []).append(size)

    places = [(i, j) for i in range(q) for j in range(q)]
    for i, j in places:
        send(i, j, i, j - i, block_bytes(m, k, q, i, j))
    for i, j in places:
        send(i, j, i - j, j, block_bytes(k, n, q, i, j))
    for s in range(q - 1):  # (i, j) holds A(i, t) and B(t, j) with t = i + j + s
        for i, j in places:
            send(i, j, i, j - 1, block_bytes(m, k, q, i, (i + j + s) % q))
        for i, j in places:
            send(i, j, i - 1, j, block_bytes(k, n, q, (i + j + s) % q, j))
    return sends


def check_cannon(folder, q, m, n, k):
    text, _, _ = export(folder, "cannon", f"{q}x{q}", "-", f"{m}x{n}x{k}", "f32", "auto")
    found = {}
    for rank, operations in enumerate(goal_check.check(text)):
        for operation in sorted((o for o in operations if o.kind == "send"), key=lambda o: o.tag):
            found.setdefault((rank, operation.peer), []).append(operation.size)
    expected = cannon(q, m, n, k)
    wrong = [pair for pair in found.keys() | expected.keys() if found.get(pair) != expected.get(pair)]
    return f"{wrong[0]}: {found.get(wrong[0])}, expected {expected.get(wrong[0])}" if wrong else None


def check_many_at_once(folder):
    """Where every processor sends to all others at once, what comes next waits for one operation, not for all pairs."""
    text, _, _ = export(folder, "allgather", "16x16", "-", "16x16x16", "f32", "native")
    goal_check.check(text)
    lines, barriers = text.count("\n"), text.count(": calc 0\n")
    return None if barriers == 256 and lines < 70000 else f"{lines} lines, {barriers} barriers"


# A right file, and edits that make it wrong: (pattern, replacement, words of the error).
SAMPLE = """// sample
num_ranks 2

rank 0 {
l1: calc 16
l2: send 16b to 1 tag 3
l2 requires l1
l3: recv 16b from 1 tag 3
l3 requires l1
l4: send 8b to 1 tag 4
l4 requires l2
l4 requires l3
}

rank 1 {
l1: send 16b to 0 tag 3
l2: recv 16b from 0 tag 3
l3: recv 8b from 0 tag 4
l3 requires l1
l3 requires l2
}
"""
EDITS = [
    ("num_ranks 2\n", "", "expected num_ranks"),
    ("num_ranks 2", "num_ranks 3", "fewer ranks"),
    ("rank 1", "rank 2", "not in order"),
    ("l1: calc 16", " l1: calc 16", "not in the grammar"),
    ("l1: calc 16", "l1: calc 16b", "not in the grammar"),
    ("l1: calc 16", "1l: calc 16", "not in the grammar"),
    ("l1: calc 16", "l1: calc 1.5", "not in the grammar"),
    ("send 16b to 1", "send 16 to 1", "not in the grammar"),
    ("send 16b to 1", "send 16b from 1", "not in the grammar"),
    ("send 16b to 1 tag 3", "send 16b to 1 tag 3 // A", "not in the grammar"),
    ("send 16b to 1 tag 3", "send 16b tag 3 to 1", "not in the grammar"),
    ("l2 requires l1", "l2 needs l1", "not in the grammar"),
    ("l2 requires l1", "l2 requires l9", "not defined before"),
    ("l2 requires l1", "l2 requires l2", "waits for itself"),
    ("l2: send", "l1: send", "is there already"),
    ("send 16b to 1", "send 16b to 2", "peer 2"),
    ("send 16b to 1", "send 0b to 1", "0 bytes"),
    ("tag 4\nl4", "tag 2147483648\nl4", "tag 2147483648"),
    ("recv 8b", "recv 9b", "does not fit"),
    ("l3: recv 8b from 0 tag 4\n", "l3: calc 1\n", "does not fit"),
    ("tag 4\nl4", "tag 3\nl4", "not one send"),
    ("l4 requires l2\n", "", "neither waits"),
    ("tag 3\nl3 requires l1", "tag 3\nl3 requires l2\nl3 requires l1", "one waits"),
    ("}\n\nrank 1", "\nrank 1", "not in the grammar"),
    ("l3 requires l2\n}\n", "l3 requires l2\n", "not closed"),
]


def check_edit(before, after, words):
    if SAMPLE.count(before) == 0:
        return "the edit is nowhere in the sample"
    try:
        goal_check.check(SAMPLE.replace(before, after, 1))
    except goal_check.GoalError as error:
        return None if words in str(error) else f"rejected for another reason: {error}"
    return "accepted"


def check_standstill():
    """Two that each receive before they send stand still always; two that send first, only without eager sends."""
    for first, second, eager in (("recv", "send", True), ("send", "recv", False)):
        text = "num_ranks 2\n"
        for rank in 0, 1:
            tags = {"send": rank, "recv": 1 - rank}
            word = {"send": "to", "recv": "from"}
            text += f"rank {rank} {{\nl1: {first} 1b {word[first]} {1 - rank} tag {tags[first]}\n"
            text += f"l2: {second} 1b {word[second]} {1 - rank} tag {tags[second]}\nl2 requires l1\n}}\n"
        ranks = goal_check.parse(text)
        goal_check.check_pairs(ranks)
        for mode in (True, False):
            try:
                goal_check.check_run(ranks, mode)
                still = False
            except goal_check.GoalError:
                still = True
            if still != (eager or not mode):
                return f"{first} first, eager {mode}: {'stands still' if still else 'ends'}"
    return None


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for case in CASES:
            point(f"goal {' '.join(case[:6])}", check_case, folder, case)
        for sizes in (2, 4, 4, 4), (4, 64, 64, 64), (5, 13, 17, 19):
            point(f"cannon by hand {sizes}", check_cannon, folder, *sizes)
        point("many at once", check_many_at_once, folder)
    point("the sample is right", lambda: goal_check.check(SAMPLE) and None)
    for before, after, words in EDITS:
        point(f"rejected: {after.strip() or before.strip()!r}".replace("#", ""),
              check_edit, before, after, words)
    point("standstill", check_standstill)
    print(f"1..{len(POINTS)}")
    return 0 if all(POINTS) else 1


if __name__ == "__main__":
    sys.exit(main())
