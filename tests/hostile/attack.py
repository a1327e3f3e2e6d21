#!/usr/bin/env python3
"""Attacks the command with hostile options, files, limits, signals and disks, and checks that every run ends well.

Each run takes a subcommand, as --help lists it with its options and examples, and makes one or more attacks on it:

  options      huge, negative, empty, damaged and overlong values, unknown and repeated options
  files        damaged schedules, machines and matrices, folders, pipes, devices, files of 1 TB, files that shrink
  outputs      over inputs through links, over files with setuid, into folders that take nothing, odd names
  limits       little memory, few open files, few processes, small files, a small stack
  signals      SIGINT, SIGTERM, SIGHUP and others at any moment
  disks        a full or read-only file system
  streams      closed, full or broken standard streams, endless input
  terminal     on a pseudo-terminal with odd sizes and keys
  environment  odd HOME, TMPDIR, PATH, locale, umask, a working folder that is gone
  sizes        numbers of any size, and problems that are known to be large (fewer of these: they take long)

A run fails if it is ended by a signal that the attack did not send, has another exit status than 0 to 5, says nothing
on standard error with a status other than 0, hangs (10 s without progress, 2 s after a signal), changes an input or any
other file that it was not told to write, leaves an output incomplete or writes one despite a failure, leaves temporary
files or processes behind, prints escape sequences from an argument or a file, negative sizes or times, or messages of
libraries, or takes over 2 GiB of memory. Time in which a busy machine does not let it run does not count.

A run that is silent for 10 s is made once more with a terminal for its progress, and counts as slow if there is some.
One that takes over 2 GiB of memory is made once more with --memory-limit 1e9, and fails if it does not keep to that.
Where there are no pseudo-terminals, the attacks that need one are left out, which the summary says.

All follows from the seed and the number of the run. As root most runs are made as a user without rights, and all of
them in a name space in which everything but their own folder is read-only; without root there is no full disk, and a
limit on the size of files takes its place.
"""
import argparse
import collections
import json
import os
import pathlib
import pty
import re
import select
import shutil
import signal
import sys
import tempfile
import time

import command
from case import KINDS
from maker import Maker
from place import DEATH_SIGNAL, LIBC, Place
from supervise import SILENT, Watch
from verdict import MEMORY, Verdict

AGAIN_S = 30  # of a silent run on a terminal


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="the command to attack, as build/cli/topogemm")
    parser.add_argument("--runs", type=int, default=1000, help="number of runs (default: 1000)")
    parser.add_argument("--seed", type=int, default=1, help="seed that all runs follow from (default: 1)")
    parser.add_argument("--first", type=int, default=0, help="number of the first run (default: 0)")
    parser.add_argument("--jobs", type=int, default=1, help="runs at the same time (default: 1)")
    parser.add_argument("--only", choices=KINDS, help="attacks of this kind alone")
    parser.add_argument("--quick", action="store_true",
                        help="no attacks of the kind sizes, the only ones that take long")
    parser.add_argument("--repeat", metavar="SEED:NUMBER", help="make one run again and show all of it")
    parser.add_argument("--folder",
                        help="an empty or new folder to work in (default: one in TMPDIR, removed at the end)")
    parser.add_argument("--log", help="write every failure to this file, one JSON document a line")
    return parser.parse_args()


def has_terminals():
    try:
        for descriptor in pty.openpty():
            os.close(descriptor)
    except OSError:
        return False
    return True


def quoted(word):
    """As bash takes it."""
    if re.fullmatch(rb"[\w@%+=:,./-]+", word):
        return word.decode()
    if len(word) > 400:
        return quoted(word[:60]) + f"...({len(word)} bytes)..." + quoted(word[-20:])
    return "$'" + "".join(chr(c) if 32 <= c < 127 and c not in b"'\\" else f"\\x{c:02x}" for c in word) + "'"


def described(stream):
    """A stream of Case."""
    if isinstance(stream, str):
        return stream
    return f"{len(stream[1])} bytes" + ", then more for ever" * bool(stream[2])


def describe(case):
    """Everything that it takes to repeat a run by hand, a line each."""
    lines = ["command: topogemm " + " ".join(map(quoted, case.words[:60])) + (" ..." if len(case.words) > 60 else "")]
    lines += [f"file {quoted(path)}: {node.describe()}" for path, node in case.world.nodes.items()]
    lines += [f"{name}: {value}" for name, value in (
        ("limits", case.limits), ("signals", [(f"{at:.3f} s", number.name, "group" if group else "alone")
                                              for at, number, group in case.signals]),
        ("keys", [(f"{at:.3f} s", keys[:40]) for at, keys in case.keys])) if value]
    streams = {number: described(stream) for number, stream in case.streams.items()}
    lines.append(f"streams: {streams}")
    changed = [name for name, value in case.environment.items() if name not in (b"HOME", b"TMPDIR", b"PATH", b"TERM",
                                                                                b"LC_ALL")
               or value not in (b"@home", b"@tmp", b"/usr/local/bin:/usr/bin:/bin", b"xterm-256color", b"C.UTF-8")]
    lines += [f"environment: {quoted(name)}={quoted(case.environment[name])}" for name in changed]
    missing = {b"HOME", b"TMPDIR"} - case.environment.keys()
    lines += [f"environment without {name.decode()}" for name in sorted(missing)]
    others = [("user without rights", case.user), (f"umask {case.umask:o}", case.umask != 0o022),
              (f"{case.room} bytes left on ../full", case.room >= 0),
              (f"{case.tmp_room} bytes left in /tmp", case.tmp_room >= 0), ("working folder removed", case.folder_gone),
              ("SIGCHLD ignored", case.children_ignored)]
    return lines + [text for text, holds in others if holds]


def judged(case, place):
    """Problems of a run, and what it came to. A silent one gets a second chance."""
    watch = Watch(case, place)
    outcome = watch.run()
    found = Verdict(watch).found
    if outcome.hung == SILENT and case.streams[2] != "tty" and has_terminals():
        if not Watch(case.seen_on_terminal(), place, AGAIN_S).run().hung:
            found = [(kind, text) for kind, text in found if kind != "hang"]
            outcome.cut = True
    return found, outcome


def attack(case, place):
    """As judged(); a large run is made once more with a limit on its memory."""
    found, outcome = judged(case, place)
    if MEMORY in (kind for kind, _ in found) and case.command.option(b"--memory-limit"):
        limited, _ = judged(case.with_option(b"--memory-limit", b"1e9"), place)
        found = [(kind, text) for kind, text in found if kind != MEMORY] + limited
    return found, outcome


def report(case, found, outcome):
    return {"run": case.label, "command": case.command.name.decode(), "kinds": sorted(case.kinds), "problems": found,
            "status": outcome.status, "seconds": round(outcome.seconds, 2), "about": describe(case),
            "err": (outcome.err or outcome.screen)[-600:].decode(errors="replace")}


class Attack:
    """The runs of one job, told to the main process a line each."""

    def __init__(self, options, base, number):
        program = str(pathlib.Path(options.program).resolve())
        sanitized = b"__asan_init" in pathlib.Path(program).read_bytes()
        commands = command.read_commands(program)
        without = {"sizes"} if options.quick else set()
        without |= set() if has_terminals() else {"terminal"}
        self.maker = Maker(commands, command.read_library(program), options.only, without)
        self.place = Place(base, number, program, sanitized)

    def one(self, seed, number):
        case = self.maker.make(seed, number)
        found, outcome = attack(case, self.place)
        return case, found, outcome


def job(options, base, number, write):
    """A process of its own: it collects what its runs leave behind."""
    LIBC.prctl(DEATH_SIGNAL, signal.SIGTERM)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.nice(19)
    runs = Attack(options, base, number)
    with os.fdopen(write, "w", buffering=1, encoding="utf-8") as file:
        for run in range(options.first + number, options.first + options.runs, options.jobs):
            case, found, outcome = runs.one(options.seed, run)
            line = {"slow": outcome.cut, "not_started": bool(outcome.not_started),
                    "command": case.command.name.decode(), "kinds": sorted(case.kinds), "status": outcome.status,
                    "failure": None}
            if found:
                line["failure"] = report(case, found, outcome)
            file.write(json.dumps(line) + "\n")


def start_jobs(options, base):
    """Reading ends of the jobs' pipes, by process."""
    found = {}
    for number in range(options.jobs):
        read, write = os.pipe()
        pid = os.fork()
        if pid == 0:
            status = 1
            try:
                os.close(read)
                job(options, base, number, write)
                status = 0
            finally:
                sys.stderr.flush()
                os._exit(status) if status == 0 else sys.excepthook(*sys.exc_info()) or os._exit(status)
        os.close(write)
        found[os.fdopen(read, encoding="utf-8")] = pid
    return found


class Summary:
    """Counts of what came of the runs, and every failure as it comes."""

    def __init__(self, options):
        self.options, self.begun = options, time.monotonic()
        self.runs = self.failed = self.slow = self.not_started = 0
        self.problems, self.commands, self.kinds, self.statuses = (collections.Counter() for _ in range(4))
        self.log = open(options.log, "w",
                        encoding="utf-8") if options.log else None  # pylint: disable=consider-using-with

    def take(self, line):
        self.runs += 1
        self.slow += line["slow"]
        self.not_started += line["not_started"]
        self.commands[line["command"]] += 1
        self.kinds.update(line["kinds"])
        self.statuses[str(line["status"])] += 1
        if line["failure"]:
            self.failed += 1
            self.show(line["failure"])
        if sys.stderr.isatty():
            print(f"\r{self.runs} of {self.options.runs} runs, {self.failed} failed ", end="", file=sys.stderr)

    def show(self, failure):
        self.problems.update(kind for kind, _ in failure["problems"])
        if self.log:
            self.log.write(json.dumps(failure) + "\n")
            self.log.flush()
        print("\n".join(failure_lines(failure, self.options)), flush=True)

    def end(self):
        took = time.monotonic() - self.begun
        print(f"{self.runs} runs in {took:.0f} s, {self.runs / max(took, 0.1):.1f} a second: {self.failed} failed, "
              f"{self.slow} slow but with progress, {self.not_started} could not be started")
        if not has_terminals():
            print("  no attacks on a terminal: there are no pseudo-terminals here")
        for title, counts in (("commands", self.commands), ("attacks", self.kinds), ("exit statuses", self.statuses),
                              ("problems", self.problems)):
            print(f"  {title}: " + (", ".join(f"{name} {count}" for name, count in counts.most_common()) or "none"))


def failure_lines(failure, options):
    lines = [f"FAILED {failure['run']} {'+'.join(failure['kinds'])}"]
    lines += [f"  {kind}: {text}" for kind, text in failure["problems"]] + ["  " + line for line in failure["about"]]
    lines += [f"  printed: {line!r}" for line in failure["err"].splitlines()[-3:]]
    only = f" --only {options.only}" * bool(options.only) + " --quick" * options.quick
    return lines + [f"  repeat: tests/hostile/attack.py {options.program} --repeat {failure['run']}{only}", ""]


def attack_all(options, base):
    summary = Summary(options)
    jobs = start_jobs(options, base)
    status = 0
    waiting = dict(jobs)
    while waiting:
        for stream in select.select(list(waiting), [], [])[0]:
            line = stream.readline()
            if line:
                summary.take(json.loads(line))
            else:
                status |= os.waitpid(waiting.pop(stream), 0)[1]
    summary.end()
    if summary.runs != options.runs:
        print(f"the attack itself ended early: {summary.runs} of {options.runs} runs")
    return int(status != 0 or summary.failed > 0 or summary.runs != options.runs)


def repeat(options, base):
    """One run, in words; its folder stays where --folder says."""
    seed, number = map(int, options.repeat.split(":"))
    runs = Attack(options, base, 0)
    case, found, outcome = runs.one(seed, number)
    print("\n".join(describe(case)))
    print(f"exit status {outcome.status}, {outcome.seconds:.2f} s, {outcome.memory_bytes >> 20} MiB")
    for name in ("out", "err", "screen"):
        print(f"{name}: {getattr(outcome, name)[:3000]!r}")
    print("\n".join(f"{kind}: {text}" for kind, text in found) or "nothing wrong")
    return int(bool(found))


def main():
    options = arguments()
    base = options.folder or tempfile.mkdtemp(prefix="topogemm-hostile-")
    os.makedirs(base, exist_ok=True)
    os.chmod(base, 0o755)
    try:
        return repeat(options, base) if options.repeat else attack_all(options, base)
    finally:
        if not options.folder:
            shutil.rmtree(base, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
