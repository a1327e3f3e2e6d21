#!/usr/bin/env python3
"""Runs the commands in cli/*.txt and compares what they print with what stands below each command there.

A line `$ topogemm ...` is run in an empty folder that holds copies of cli/*.sched; `$ cat FILE` prints a file that an
earlier command left. Below it stand standard output, then standard error with `! ` before each line, then `= N` where
the exit status N is not 0. Writes TAP. With --update, writes the files anew instead: look at the difference before you
commit it.

Usage: cli-golden.py [--update] TOPOGEMM FOLDER
"""
import difflib
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile


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


def main():
    arguments = sys.argv[1:]
    update = arguments[0] == "--update"
    program, folder = arguments[update:]
    program = str(pathlib.Path(program).resolve())
    goldens = sorted(pathlib.Path(folder).glob("*.txt"))
    print(f"1..{len(goldens)}")
    failed = not goldens
    for number, golden in enumerate(goldens, 1):
        text = replay(golden, program)
        if update:
            golden.write_text(text)
        same = golden.read_text() == text and "$ " in text
        failed |= not same
        print(f"{'ok' if same else 'not ok'} {number} - {golden.name}")
        if not same:
            difference = difflib.unified_diff(golden.read_text().splitlines(), text.splitlines(), "golden", "now", lineterm="")
            print("\n".join(f"# {line}" for line in difference))
    return failed


if __name__ == "__main__":
    sys.exit(main())
