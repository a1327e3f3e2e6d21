#!/usr/bin/env python3
"""`topogemm step --interactive` on a pseudo-terminal: what its keys do, and that it leaves the terminal as it was on every
way out. Writes TAP.

Usage: test-step-interactive.py TOPOGEMM
"""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import termios
import time
import unittest.mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import tap  # noqa: E402
from terminal import ENTER, LEAVE, Screen, Terminal, resize  # noqa: E402

PROGRAM = str(pathlib.Path(sys.argv[1]).resolve())
CANNON = "step cannon --grid 4x4 --interactive".split()


def begin(*words, **more):
    return Terminal(PROGRAM, *words, **more)


def test_keys(_):
    run = begin(*CANNON, "-n", "8")
    run.until("step 0 of 5", "initial placement", "q quit")
    assert termios.tcgetattr(run.slave) != run.before
    run.press("n", "step 1 of 5", "align", "9 move A to (i, j-i)")
    run.press("\033[C", "step 2 of 5", "A₀₀·B₀₀ C₀₀ █░░░", "A₀₀← B₀₀↑", "got A₀₁ B₁₀",
              "so far 16 products, 56 messages, 896 B")
    run.press("b", "step 1 of 5")
    run.press("\033OD", "step 0 of 5")
    run.press("b", "this is the initial placement")
    run.press("\033[F", "step 5 of 5", "64 of 64 products in place, 16 of 16 blocks complete")
    run.press("n", "this is the last step")
    run.press("\033[1~", "step 0 of 5")
    run.press("\r", "step 1 of 5")
    run.press("?", "the next step", "save the step's picture")
    run.press("x", "move A to")
    run.press("q")
    run.end(0)
    assert run.screen.overflows == 0


def test_goto(_):
    run = begin(*CANNON)
    run.until("step 0 of 5")
    run.press("g", "go to step (0 to 5): _")
    run.press("14\1773", "go to step (0 to 5): 13_")
    run.press("\r", "there is no step 13: type 0 to 5", "step 0 of 5")
    run.press("g4\r", "step 4 of 5")
    run.press("g2\033", "g goto", "step 4 of 5")
    run.press("q")
    run.end(0)


def test_follow(_):
    run = begin(*CANNON)
    run.until("step 0 of 5")
    run.press("g2\r", "step 2 of 5")
    run.press("fa01\r", "following A₀₁", "▸  2  C₀₁ += A₀₁·B₁₁ on (0,1), (0,1) → (0,0)",
              "3  C₀₀ += A₀₁·B₁₀ on (0,0)")
    assert run.screen.reversed_text() == "A₀₁" * 4, run.screen.reversed_text()  # title, got, factor, sent
    run.press("n", "▸  3  ")
    run.press("f\r", "multiply and shift")
    assert run.screen.reversed_text() == ""
    run.press("fA44\r", "there is no block A44")
    run.press("q")
    run.end(0)


def test_play(_):
    run = begin(*CANNON)
    run.until("step 0 of 5")
    run.press("+++ ", "step 5 of 5", "this is the last step")
    run.press(" ", "step 1 of 5")
    run.press("q")
    run.end(0)


def test_save(folder):
    """Under a name that nothing has; where there is nowhere to write, that is said."""
    run = begin(*CANNON)
    run.until("step 0 of 5")
    run.press("g3\rs", "saved as cannon-3.svg")
    run.press("s", "saved as cannon-3-2.svg")
    subprocess.run([PROGRAM, *"draw cannon --grid 4x4 --step 3 -o drawn.svg".split()], check=True, capture_output=True)
    drawn = (folder / "drawn.svg").read_text()
    assert (folder / "cannon-3.svg").read_text() == drawn and (folder / "cannon-3-2.svg").read_text() == drawn
    shutil.rmtree(folder)
    run.press("ns", "not saved: ")
    folder.mkdir()
    run.press("q")
    run.end(0)


def test_resize(_):
    run = begin(*CANNON)
    run.until("step 0 of 5")
    for rows, columns in [(12, 40), (50, 160), (3, 20), (24, 80)]:
        run.screen = Screen(rows, columns)
        resize(run.master, rows, columns)
        run.until("step 0 of 5" if columns >= 40 else "cannon", "C"[:rows > 3])
        assert run.screen.overflows == 0 and run.screen.row < rows
    run.press("q")
    run.end(0)


def test_scroll(_):
    run = begin(*"step dns --grid 4x4x4 --interactive".split())
    run.until("step 0 of 4", "k=0")
    run.press("g2\r", "step 2 of 4", "k=0")
    run.press("\033[6~\033[6~\033[6~", "k=3")
    run.press("\033[5~\033[5~\033[5~", "k=0")
    run.press("z", "cells")
    run.press("z", "map", "how complete its sum")
    run.press("q")
    run.end(0)


def test_signals(_):
    """Also where it is the program itself that aborts."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGABRT, signal.SIGUSR1, signal.SIGALRM,
                   signal.SIGXCPU):
        run = begin(*CANNON)
        run.until("step 0 of 5")
        os.kill(run.pid, number)
        run.end(-number)
    run = begin(*CANNON)
    run.until("step 0 of 5")
    run.press("\003")
    run.end(-signal.SIGINT)


def test_signal_before_keys(_):
    """It ends at once where keys were typed ahead: they are read while nobody takes the screens, which are long."""
    run = begin(*"step cannon --grid 48x48 --interactive".split(), rows=200, columns=500)
    run.until("step 0 of 49")
    os.write(run.master, b"z" * 20 + b"q")
    time.sleep(0.3)
    os.kill(run.pid, signal.SIGTERM)
    run.end(-signal.SIGTERM)


def test_interrupted(_):
    """Ctrl-C stops what takes long at a step that is complete, and everything goes on from there."""
    run = begin(*"step cannon --grid 400x400 --interactive".split())
    run.until("step 0 of 401")
    run.press("\033[F", "at step ", "Ctrl-C stops")
    run.press("\003", "stopped at step ")
    at = int(re.search(r"stopped at step (\d+)", run.screen.text())[1])
    run.until(f"step {at} of 401")
    run.press("n", f"step {at + 1} of 401")
    run.press("fA01\r", "Ctrl-C stops")
    run.press("\003", "stopped", f"step {at + 1} of 401")
    run.press("g400\r", "Ctrl-C stops")
    run.press("\003", "stopped at step ")
    run.press("\003")
    run.end(-signal.SIGINT)


def test_interrupted_for_good(_):
    """Other signals end it at once, and Ctrl-C does where a step is too long to wait for its end."""
    long = "step \"all of it\"\n  repeat t in 1000000\n    move A to (i, j)\n"
    text = subprocess.run([PROGRAM, "show", "cannon"], check=True, capture_output=True, text=True).stdout
    pathlib.Path("long.sched").write_text(text + long)
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGINT):
        run = begin(*"step long.sched --grid 36x36 --interactive".split())
        run.until("step 0 of 38")
        run.press("\033[F", "at step 37, Ctrl-C stops")
        os.kill(run.pid, number)
        run.end(-number)


def test_stop(_):
    """Ctrl-Z gives the terminal back, and going on takes it again."""
    run = begin(*CANNON)
    run.until("step 0 of 5")
    run.press("n", "step 1 of 5")
    run.press("\032")
    assert run.next_status() == "stopped"
    run.read()
    run.check_left()
    run.screen = Screen(24, 80)
    os.kill(run.pid, signal.SIGCONT)
    run.until("step 1 of 5")
    assert run.log.rfind(ENTER) > run.log.rfind(LEAVE) and termios.tcgetattr(run.slave) != run.before
    run.press("n", "step 2 of 5")
    run.press("q")
    run.end(0)


def test_colours(_):
    cases = [({}, [], ";38;5;25m"), ({"COLORTERM": "truecolor"}, [], ";38;2;0;114;178m"), ({"NO_COLOR": "1"}, [], None),
             ({}, ["--color", "never"], None), ({"NO_COLOR": "1"}, ["--color", "always"], ";38;5;25m")]
    for environment, words, colour in cases:
        run = begin(*CANNON, *words, **environment)
        run.until("step 0 of 5")
        run.press("nn", "step 2 of 5")
        run.press("q")
        run.end(0)
        assert (colour in run.log) if colour else (";38;" not in run.log), (environment, words)
        assert "\033[0;1;4" in run.log  # what came


def test_ascii(_):
    run = begin(*CANNON, LC_ALL="C")
    run.until("step 0 of 5")
    run.press("nn", "A00*B00 C00 #...", "A00< B00^")
    run.press("q")
    run.end(0)
    assert run.log.isascii()


def command(*words, expect=0, **environment):
    done = subprocess.run([PROGRAM, *words], text=True, capture_output=True, check=False, stdin=subprocess.DEVNULL, timeout=100,
                          env={**os.environ, "LC_ALL": "C.UTF-8", "TERM": "xterm"} | environment)
    assert done.returncode == expect, (done.returncode, done.stderr)
    return done


def test_no_terminal(_):
    """All steps as text, with a note; bytes are those that `step` counts on real matrices."""
    done = command(*CANNON, "--size", "9x7x10", "--color", "always")
    assert "\033" not in done.stdout + done.stderr and done.stderr.count("\n") == 1 and "terminal" in done.stderr
    assert re.findall(r"step (\d) of 5", done.stdout) == list("012345")
    counted = json.loads(command(*"step cannon --grid 4x4 --size 9x7x10 --json".split()).stdout)
    assert f"so far {counted['products']} products, {counted['messages']} messages, {counted['bytes']} B\n" in done.stdout
    run = begin(*CANNON, TERM="dumb")
    assert run.next_status() == "0"
    run.read()
    assert "\033" not in run.log and "step 5 of 5" in run.log
    assert termios.tcgetattr(run.slave) == run.before


def test_wrong_schedule(_):
    """Shown up to where it fails, with line and processor, which stand on the terminal once more in the end."""
    command(*"mutate cannon --seed 3 --grid 4x4 -o x.sched".split())
    words = "step x.sched --grid 4x4 --interactive".split()
    proof = command(*"verify x.sched --grid 4x4".split(), expect=3).stderr
    line, processor = re.search(r"x\.sched:(\d+):.*processor (\(\d, \d\))", proof).groups()
    run = begin(*words)
    run.until("step 0 of")
    run.press("\033[F", "✗ line " + line, f"processor {processor}", "│ ✗")
    run.press("s", "saved as cannon-")
    run.press("q")
    run.end(3)
    assert f"x.sched:{line}:" in run.log[run.log.rfind(LEAVE):]
    done = command(*words, expect=3)
    assert f"✗ line {line}: " in done.stdout and f"x.sched:{line}:" in done.stderr
    run = begin(*words)
    run.until("step 0 of")
    run.press("q")
    run.end(0)


def test_gone(_):
    """The terminal is closed under it: it ends, and does not spin."""
    run = begin(*CANNON)
    run.until("step 0 of 5")
    os.close(run.slave)
    os.close(run.master)
    run.screen = None
    assert run.next_status() in ("0", str(-signal.SIGHUP))
    os.waitpid(run.leader, 0)
    os.close(run.status)


def test_no_pseudo_terminals(_):
    """Where the system gives none, these cases are skipped, which is neither passed nor failed."""
    with unittest.mock.patch("pty.openpty", side_effect=OSError("out of pty devices")):
        try:
            begin(*CANNON)
        except tap.Skipped as why:
            assert str(why) == "no pseudo-terminal here: out of pty devices"
        else:
            raise AssertionError("not skipped")


if __name__ == "__main__":
    sys.exit(tap.run_cases(tap.cases_of(globals())))
