"""What a run may not do: the checks of an outcome against the files before and after."""
import glob
import os
import re
import signal
import stat

import complete
from supervise import MEMORY_BYTES
from world import FILE, HARD

STATUSES = range(6)
MEMORY = "memory"  # the problem of a run that takes too much
WHOLE_BYTES = 64 << 20

BAD_TEXT = [b"(null)", b"CRITICAL **", b"WARNING **", b"ERROR **", b"ssertion", b"AddressSanitizer", b"LeakSanitizer",
            b"runtime error:", b"double free", b"corrupted", b"stack smashing", b"terminate called", b"Segmentation"]
# The command itself never prints these; the attack puts them into arguments, names and files.
ESCAPES = re.compile(rb"\x1b\]|\x1b\[97;|\x08{3}|\xc2\x9b")
BELOW_ZERO = re.compile(rb"(?<![\w.)(-])-\d[\d.]*(e[+-]?\d+)? ?"
                        rb"(bytes|[kMGTP]?i?B|m?s|us|ns|\xc2\xb5s|flops|messages|words)\b")
QUOTED = re.compile(rb"(gnuplot|convert|magick) failed: .*")  # what these programs said is no fault of the command's
NO_LIBRARY = b"error while loading shared libraries"


class Verdict:
    """Problems of one run, as (kind, text)."""

    def __init__(self, watch):
        self.case, self.place, self.outcome = watch.case, watch.place, watch.outcome
        self.before, self.after = watch.before, watch.after
        self.found = []
        if not self.outcome.not_started:
            self.check()

    def add(self, kind, text):
        self.found.append((kind, text))

    def check(self):
        outcome = self.outcome
        if outcome.hung:
            self.add("hang", outcome.hung)
        elif not outcome.cut:
            self.check_end()
        self.check_text()
        self.check_files()
        if outcome.memory_bytes > MEMORY_BYTES and not self.place.sanitized:
            self.add(MEMORY, f"{outcome.memory_bytes >> 20} MiB were in memory")
        if outcome.left:
            self.add("process", f"left behind: {', '.join(outcome.left)}")
        if outcome.modes_changed:
            self.add("terminal", "the terminal's modes are not those from before")

    # How it ended ----------------------------------------------------------------------------------------------------

    def was_stopped(self):
        """By us: any signal that we sent may end it."""
        status = self.outcome.status
        by_us = {-status, status - 128} & self.outcome.sent
        return bool(by_us or self.outcome.hung or self.outcome.cut)

    def was_not_loaded(self):
        """The loader had no memory or descriptors for the libraries; it may not even have been able to say so."""
        outcome, heard = self.outcome, self.case.streams[2] in ("pipe", "tty")
        said = NO_LIBRARY in outcome.err + outcome.screen or not heard
        return said and outcome.status == 127 or not heard and outcome.status == -signal.SIGPIPE

    def check_end(self):
        status, limits = self.outcome.status, self.case.limits
        if self.was_stopped():
            return
        if limits and self.was_not_loaded():
            return
        if status < 0:
            self.add("signal", f"ended by {signal.Signals(-status).name}")
        elif status not in STATUSES:
            self.add("status", f"exit status {status}")
        elif status and not self.outcome.err.strip() and self.case.streams[2] == "pipe":
            self.add("silent", f"exit status {status} without a word on standard error")
        elif status == 0:
            self.check_done()

    def check_done(self):
        """With status 0 the documents are whole and the files are there."""
        case, out = self.case, self.outcome.out
        names = [option.name for _, option, _, _ in case.options()]
        if {b"--help", b"--version"} & set(names) or case.words[0][:1] == b"-" or case.words[0] in (b"help",
                                                                                                    b"version"):
            return
        self.check_written()
        on_stdout = any(path.startswith((b"/dev/", b"/proc/")) for path in case.output_paths())
        if b"--json" in names and case.streams[1] == "pipe" and not on_stdout:
            why = complete.problem(b".json", out) if len(out) < 4 << 20 else ""
            if why:
                self.add("document", f"standard output: {why}")
        elif case.streams[1] == "pipe" and not {b"--formula", b"--symbols"} & set(names) and BELOW_ZERO.search(out):
            self.add("negative", BELOW_ZERO.search(out)[0].decode(errors="replace"))

    def check_written(self):
        """What was to be written is there."""
        for path in self.case.named_outputs():
            whole = os.path.join(self.place.path("work"), path)
            step = glob.escape(whole).replace(b"%d", b"[0-9]*", 1)  # `draw -o NAME%d.svg` writes steps
            if not os.path.lexists(whole) and not glob.glob(step):
                self.add("missing", f"exit status 0 without the output {path[:100]!r}")

    # What it printed -------------------------------------------------------------------------------------------------

    def check_text(self):
        outcome = self.outcome
        for name, text in (("standard output", outcome.out), ("standard error", outcome.err), ("terminal",
                                                                                               outcome.screen)):
            own = QUOTED.sub(b"", text)
            for bad in BAD_TEXT:
                if bad in own:
                    at = own.index(bad)
                    self.add("text", f"{name}: {own[max(at - 60, 0):at + 60]!r}")
                    break
            escape = ESCAPES.search(text)
            if escape and not (self.case.command.name == b"show" and name != "standard error"):
                around = text[max(escape.start() - 60, 0):escape.end() + 20]
                self.add("escape", f"{name}: {around!r}")

    # Files -----------------------------------------------------------------------------------------------------------

    def resolve(self, path):
        work = self.place.path("work")
        return os.path.realpath(os.path.join(work, path)) if len(path) < 4000 else path

    def outputs(self):
        """Paths that may change, with links followed, but for those of inputs. Links may have been replaced since:
        the name itself counts, too."""
        work = self.place.path("work")
        named = [os.path.normpath(os.path.join(work, path)) for path in self.case.output_paths() if path]
        return (set(named) | {self.resolve(path) for path in named}) - self.inputs()

    def inputs(self):
        nodes, streams = self.case.world.nodes, self.case.streams
        stdin = [os.fsencode(streams[0][5:])] if str(streams[0]).startswith("FILE:") else []
        known = {self.resolve(path) for path in stdin + self.case.input_paths() if path and len(path) < 4000}
        files = {self.resolve(path) for path, node in nodes.items() if node.kind == FILE}
        return known & files

    def check_files(self):
        outputs = self.outputs()
        work = self.place.path("work")
        left = []
        nodes = self.case.world.nodes
        moving = {path for path, node in nodes.items() if node.moving}
        moving |= {path for path, node in nodes.items() if node.kind == HARD and node.content in moving}
        moving = {os.path.normpath(os.path.join(work, path)) for path in moving}
        for path in sorted(self.before.keys() | self.after.keys()):
            old, new = self.before.get(path), self.after.get(path)
            if old == new or path in moving:
                continue
            if path in outputs:
                self.check_output(path, old, new)
            elif old:
                what = "gone" if new is None else "changed: " + old.change(new)
                self.add("input" if path in self.inputs() else "other file", f"{self.short(path)} is {what}")
            elif self.is_in_folder(path):
                self.check_output(path, old, new)
            elif self.is_picture(path) or self.is_numbered(path):
                self.check_whole(path, new)
            elif not self.is_expected(path):
                left.append(self.short(path))
        if left:
            self.add("leftover", ", ".join(left[:3]) + f" and {len(left) - 3} more" * (len(left) > 3))

    def is_picture(self, path):
        """What `step -i` saves by key."""
        is_shown = self.case.is_interactive() and any(b"s" in keys for _, keys in self.case.keys)
        return is_shown and os.path.dirname(path) == self.place.path("work") and path.endswith(b".svg")

    def short(self, path):
        return repr(os.path.relpath(path, self.place.base))

    def is_numbered(self, path):
        """One of the steps that `draw -o NAME%d.svg` writes."""
        return any(re.fullmatch(re.escape(named).replace(rb"%d", rb"\d+"),
                                path) for named in self.outputs() if b"%d" in named)

    def is_in_folder(self, path):
        """What `exercise -o FOLDER` writes."""
        return self.case.command.name == b"exercise" and any(path.startswith(folder + b"/") for folder in self.outputs())

    def is_expected(self, path):
        """Caches of the command and of fontconfig; what a killed command could not remove; what `huge` goes on with."""
        if self.case.command.name == b"huge" and path.endswith(b".part"):
            return True
        rest = os.path.relpath(path, self.place.base)
        killed = self.outcome.status == -signal.SIGKILL or self.outcome.hung or self.outcome.cut
        return b"/.cache" in rest or rest.startswith(b"home/topogemm") or rest.startswith(b"home/fontconfig") or (
            killed and (rest.startswith(b"tmp/") or os.path.basename(rest).startswith(b".topogemm-")))

    def check_output(self, path, old, new):
        """It is whole, where it has changed, and only if all went well."""
        if new is None:
            self.add("output", f"{self.short(path)} was removed")
            return
        if new.mode & 0o6000 and stat.S_ISREG(new.kind):
            self.add("mode", f"{self.short(path)} has mode {new.mode:o}" + (f" as before: {old.mode:o}" if old else ""))
        if not self.was_stopped() and self.outcome.status != 0 and not self.may_write():
            self.add("output", f"{self.short(path)} was written although the exit status is {self.outcome.status}")
        self.check_whole(path, new)

    def may_write(self):
        """Although it failed: `draw` shows a schedule up to where it goes wrong, `grade` finds wrong ones, and files are
        written before standard output turns out to be full."""
        status = self.outcome.status
        return self.case.command.name in (b"draw", b"grade") and status == 3 or (
            self.case.streams[1] in ("full", "closed", "broken") and status == 1)

    def check_whole(self, path, new):
        is_cut = path.endswith(b".sched") and any(node.moving for node in self.case.world.nodes.values())  # as its input
        if is_cut or not stat.S_ISREG(new.kind) or new.size > WHOLE_BYTES or not os.access(path, os.R_OK):
            return
        with open(path, "rb") as file:
            content = file.read()
        why = complete.problem(path, content)
        if why:
            self.add("partial", f"{self.short(path)}, {new.size} bytes: {why}")
