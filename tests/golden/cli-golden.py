#!/usr/bin/env python3
"""Runs the commands in cli/*.txt and compares what they print with what stands below each command there.

A line `$ topogemm ...` is run in an empty folder that holds copies of cli/*.sched; `$ cat FILE` prints a file that an
earlier command left. Below it stand standard output, then standard error with `! ` before each line, then `= N` where
the exit status N is not 0. A line that only one build prints begins with `[cuda] ` or `[no-cuda] `; it must be there in
that build and not in the other. Writes TAP. With --update, writes the files anew instead, the other build's lines kept
where they stand: look at the difference before you commit it. A line that is new is taken for one of both builds.

Usage: cli-golden.py [--update] [--build cuda|no-cuda] TOPOGEMM FOLDER    without --build, the program is asked
"""
import argparse
import difflib
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

MARK = re.compile(r"\[(cuda|no-cuda)\] ")


def split(line):
    """The build that alone prints a line of a golden, or "", and what it prints."""
    mark = MARK.match(line)
    return (mark[1], line[mark.end():]) if mark else ("", line)


def printed_by(build, lines):
    return [text for mark, text in map(split, lines) if mark in ("", build)]


def merged(lines, now, build):
    """The golden's new lines: what the build prints now, marked as it was, and the other build's lines where they stood."""
    own, others = [], {}  # others: by the number of the own line that they stand before
    for line in lines:
        (own if split(line)[0] in ("", build) else others.setdefault(len(own), [])).append(line)
    result = []
    for kind, i, i_end, j, j_end in difflib.SequenceMatcher(None, printed_by(build, own), now, False).get_opcodes():
        same = kind == "equal"
        for number in range(i, i_end):
            result += others.get(number, []) + own[number:number + same]
        mark = f"[{build}] " if i < i_end and all(map(MARK.match, own[i:i_end])) else ""
        result += [] if same else [mark + line for line in now[j:j_end]]
    return result + others.get(len(own), [])


def run(words, program, folder):
    if words[0] == "cat":
        return (folder / words[1]).read_text()
    if words[0] != "topogemm":
        raise SystemExit(f"a golden may run topogemm and cat, not {words[0]}")
    environment = {**os.environ, "LC_ALL": "C.UTF-8", "TERM": "dumb"}
    environment.pop("NO_COLOR", None)
    if words[1:2] == ["draw"] and "ASAN_OPTIONS" in environment:  # leaks of the plug-ins of libgvc need whole stacks
        environment["ASAN_OPTIONS"] += ":fast_unwind_on_malloc=0"
    done = subprocess.run([program, *words[1:]], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=120)
    errors = "".join(f"! {line}\n" for line in done.stderr.splitlines())
    return done.stdout + errors + (f"= {done.returncode}\n" if done.returncode else "")


def replay(golden, program):
    """The text that the file should have."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for schedule in golden.parent.glob("*.sched"):
            shutil.copy(schedule, folder)
        text = ""
        for line in golden.read_text().splitlines():
            if line.startswith("# "):
                text += line + "\n"
            if line.startswith("$ "):
                text += line + "\n" + run(shlex.split(line[2:]), program, folder)
        return text


def build_of(program):
    executors = json.loads(subprocess.run([program, "list", "executors", "--json"], check=True, capture_output=True).stdout)
    return "cuda" if any(one["gpu"] and one["built"] for one in executors["executors"]) else "no-cuda"


def check(golden, now, build):
    """Prints what differs."""
    expected = printed_by(build, golden.read_text().split("\n"))
    difference = list(difflib.unified_diff(expected, now, "golden", "now", lineterm=""))
    print("".join(f"# {line}\n" for line in difference), end="")
    return not difference and any(line.startswith("$ ") for line in now)


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("Usage: ")[1])
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--build", choices=["cuda", "no-cuda"])
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    options = parser.parse_args()
    program = str(options.program.resolve())
    build = options.build or build_of(program)
    goldens = sorted(options.folder.glob("*.txt"))
    print(f"1..{len(goldens)}")
    failed = not goldens
    for number, golden in enumerate(goldens, 1):
        now = replay(golden, program).split("\n")
        if options.update:
            golden.write_text("\n".join(merged(golden.read_text().split("\n"), now, build)))
        same = check(golden, now, build)
        failed |= not same
        print(f"{'ok' if same else 'not ok'} {number} - {golden.name}")
    return failed


if __name__ == "__main__":
    sys.exit(main())
