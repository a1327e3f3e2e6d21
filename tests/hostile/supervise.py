"""Starts a run in its folder with its limits, streams and signals, and watches it until it ends or hangs."""
import dataclasses
import fcntl
import os
import pty
import re
import resource
import select
import signal
import struct
import subprocess
import termios
import time

from place import DEATH_SIGNAL, LIBC
from world import FIFO, SPARSE

HANG_S, SIGNAL_S, WALL_S = 10, 2, 60    # without progress; after a signal; with progress
STOPPED_S = 6                           # after a signal where the terminal's output is stopped (Ctrl-S)
STUCK_S = 1000                          # at all, on however busy a machine
KEPT_BYTES = 4 << 20
ADDRESS_BYTES = 4 << 30                 # limit where the run has none of its own and no huge file
MEMORY_BYTES = (2 << 30) + (64 << 20)   # that a run may take: matrices, and the program
PATIENCE = 3                            # times that, with sanitizers
SILENT = f"no progress for {HANG_S} s"
FATAL = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL}


@dataclasses.dataclass
class Outcome:
    status: int = None          # negative: the signal that ended it
    out: bytes = b""
    err: bytes = b""
    screen: bytes = b""         # what went to the terminal
    seconds: float = 0
    memory_bytes: int = 0
    hung: str = ""
    left: list = dataclasses.field(default_factory=list)   # processes that it left behind
    sent: set = dataclasses.field(default_factory=set)
    modes_changed: bool = False
    not_started: str = ""
    cut: bool = False           # it went on and on


def resident_bytes(pid):
    try:
        with open(f"/proc/{pid}/statm", "rb") as file:
            return int(file.read().split()[1]) * resource.getpagesize()
    except (OSError, IndexError):
        return 0


def tree_state(pid):
    """Processor seconds of a process and all below it, and whether any of its threads runs or waits for a disk."""
    ticks, busy = 0, False
    try:
        tasks = os.listdir(f"/proc/{pid}/task")
        for task in tasks:
            with open(f"/proc/{pid}/task/{task}/stat", "rb") as file:
                parts = file.read().rsplit(b")", 1)[1].split()
            busy = busy or parts[0] in (b"R", b"D")
            ticks += int(parts[11]) + int(parts[12])
            with open(f"/proc/{pid}/task/{task}/children", "rb") as file:
                for child in file.read().split():
                    more, also = tree_state(int(child))
                    ticks, busy = ticks + more * os.sysconf("SC_CLK_TCK"), busy or also
    except (OSError, IndexError):
        pass  # it has just ended
    return ticks / os.sysconf("SC_CLK_TCK"), busy


class Clock:
    """Seconds that count against a run: those in which it did nothing, and those of processor time. What it waits for a
    processor or a disk on a busy machine does not count."""

    def __init__(self, pid):
        self.pid, self.at, self.cpu, self.elapsed = pid, time.monotonic(), 0, 0

    def advance(self):
        now = time.monotonic()
        passed = now - self.at
        if passed < 0.1:
            return
        cpu, busy = tree_state(self.pid)
        self.elapsed += min(passed, max(cpu - self.cpu, 0)) if busy else passed
        self.at, self.cpu = now, cpu


class Feed:
    """What is written into a pipe."""

    def __init__(self, descriptor, content, endless):
        os.set_blocking(descriptor, False)
        self.descriptor, self.left, self.endless = descriptor, content, endless
        self.repeated = endless * (65536 // len(endless) + 1) if endless else b""

    def write(self):
        """False once there is nothing more to write, or nobody to read."""
        if not self.left:
            self.left = self.repeated
        try:
            if self.left:
                self.left = self.left[os.write(self.descriptor, self.left):]
        except BlockingIOError:
            return True
        except OSError:
            self.left = self.repeated = b""
        if not self.left and not self.repeated:
            os.close(self.descriptor)
            return False
        return True


class Watch:
    """One run, from its start to its end."""

    def __init__(self, case, place, wall_s=WALL_S):
        self.case, self.place, self.wall_s = case, place, wall_s
        self.outcome = Outcome()
        self.feeds, self.readers, self.children_ends = [], {}, []
        self.master = self.slave = None
        self.poll = select.poll()
        self.turn = 0
        nodes = case.world.nodes
        work = place.path("work")
        self.moving = [(os.path.join(work, path), node.moving) for path, node in nodes.items() if node.moving]
        targets = {os.path.normpath(path) for path in case.output_paths()}
        self.pipes = {os.path.join(work, path): node for path, node in nodes.items() if node.kind == FIFO}
        self.outlets = {path for path, node in self.pipes.items()
                        if os.path.relpath(path, work) in targets and not node.content}

    # Start -----------------------------------------------------------------------------------------------------------

    def open_stream(self, number, stream):
        """A descriptor for the run, or None where it is closed."""
        if stream == "closed":
            return None
        if stream == "tty":
            if self.master is None:
                self.open_terminal()
            return os.dup(self.slave)
        if stream in ("null", "full"):
            return os.open("/dev/" + stream, os.O_RDWR)
        if stream == "folder":
            return os.open("/", os.O_RDONLY)
        if isinstance(stream, str) and stream.startswith("FILE:"):
            return os.open(os.path.join(self.place.path("work"), os.fsencode(stream[5:])), os.O_RDONLY)
        read, write = os.pipe()
        if number == 0:
            self.add_feed(Feed(write, *stream[1:]))
            return read
        if stream == "broken":
            os.close(read)
        else:
            self.add_reader(read, number)
        return write

    def open_terminal(self):
        self.master, self.slave = pty.openpty()
        rows, columns = self.case.window
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.modes = termios.tcgetattr(self.slave)
        self.add_reader(self.master, 3)

    def add_reader(self, descriptor, number):
        os.set_blocking(descriptor, False)
        self.readers[descriptor] = number
        self.poll.register(descriptor, select.POLLIN)

    def add_feed(self, feed):
        self.feeds.append(feed)
        self.poll.register(feed.descriptor, select.POLLOUT)

    def limits(self):
        wanted = {"memory": resource.RLIMIT_AS, "files": resource.RLIMIT_NOFILE, "processes": resource.RLIMIT_NPROC,
                  "file-size": resource.RLIMIT_FSIZE, "stack": resource.RLIMIT_STACK}
        found = {wanted[name]: value for name, value in self.case.limits.items()}
        if not any(node.kind == SPARSE for node in self.case.world.nodes.values()):
            found.setdefault(resource.RLIMIT_AS, ADDRESS_BYTES)
        if self.case.room >= 0 and not self.place.has_disk:
            found.setdefault(resource.RLIMIT_FSIZE, self.case.room)
        if self.place.sanitized:  # the sanitizer itself takes terabytes of addresses
            found.pop(resource.RLIMIT_AS, None)
        return found

    def before_exec(self, streams, limits):
        """What the new process does before it becomes the program; memory is limited last."""
        LIBC.prctl(DEATH_SIGNAL, signal.SIGKILL)
        for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}:
            signal.signal(number, signal.SIG_DFL)
        if self.case.children_ignored:
            signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        if streams[0] is not None and self.case.streams[0] == "tty":
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)
        if self.case.folder_gone:
            os.rmdir(b"../gone")
        for number, stream in streams.items():
            if stream is None:
                os.close(number)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        for which, value in limits.items():
            resource.setrlimit(which, (value, value))

    def start(self):
        case, place, user = self.case, self.place, self.place.user_of(self.case)
        place.make(case)
        if case.folder_gone:
            os.mkdir(place.path("tmp/gone"))
        self.before = {path: seen for path, seen in place.seen().items() if path != place.path("tmp/gone")}
        for path in self.outlets:
            try:
                self.add_reader(os.open(path, os.O_RDONLY | os.O_NONBLOCK), 0)
            except OSError:  # a name that is too long
                continue
        self.begun = time.monotonic()
        try:
            streams = {number: self.open_stream(number, stream) for number, stream in case.streams.items()}
        except OSError as why:  # a shell would not start it either: the input's name is too long
            self.outcome.not_started = str(why)
            return False
        limits, rights = self.limits(), {} if user is None else {"user": user, "group": user, "extra_groups": []}
        try:
            self.process = subprocess.Popen(  # pylint: disable=consider-using-with,subprocess-popen-preexec-fn
                [b"topogemm", *case.words], executable=place.program,
                                            cwd=place.path("tmp/gone" if case.folder_gone else "work"),
                env=place.environment(case), stdin=streams[0], stdout=streams[1], stderr=streams[2], umask=case.umask,
                start_new_session=True, preexec_fn=lambda: self.before_exec(streams, limits), **rights)
        except (OSError, subprocess.SubprocessError) as why:
            self.outcome.not_started = str(why)
        for stream in streams.values():
            if stream is not None:
                os.close(stream)
        return not self.outcome.not_started

    # Watch -----------------------------------------------------------------------------------------------------------

    def read(self, descriptor):
        try:
            piece = os.read(descriptor, 65536)
        except BlockingIOError:
            return False
        except OSError:
            piece = b""
        if not piece:
            self.poll.unregister(descriptor)
            del self.readers[descriptor]
            os.close(descriptor)
            if descriptor == self.master:
                self.master = None
            return False
        name = {1: "out", 2: "err", 3: "screen"}.get(self.readers[descriptor])
        if name and len(getattr(self.outcome, name)) < KEPT_BYTES:
            setattr(self.outcome, name, getattr(self.outcome, name) + piece)
        self.progress_at, self.silent_since = self.clock.elapsed, time.monotonic()
        return True

    def due(self, now):
        """Signals and keys whose time has come; the seconds to the next."""
        while self.signals and self.signals[0][0] <= now:
            _, number, group = self.signals.pop(0)
            self.send(number, group)
        while self.keys and self.keys[0][0] <= now:
            self.press(self.keys.pop(0)[1])
        return min([row[0] - now for row in self.signals[:1] + self.keys[:1]] + [0.1])

    def send(self, number, group):
        self.outcome.sent.add(int(number))
        try:
            (os.killpg if group else os.kill)(self.process.pid, number)
        except ProcessLookupError:
            pass
        goes_on = number == signal.SIGINT and self.case.is_interactive()  # back to the screen from what takes long
        if number in FATAL and not goes_on and self.told_at is None:
            self.told_at = self.clock.elapsed

    def press(self, keys):
        if self.master is None:
            return
        if b"\x03" in keys:
            self.outcome.sent.add(int(signal.SIGINT))
        if b"\x1c" in keys:
            self.outcome.sent.add(int(signal.SIGQUIT))
        try:
            os.write(self.master, keys)
        except OSError:
            pass

    def open_pipes(self):
        """A pipe can be opened for writing once the command reads it."""
        for path in [path for path in self.pipes if path not in self.outlets]:
            try:
                descriptor = os.open(path, os.O_WRONLY | os.O_NONBLOCK)
            except OSError:
                continue
            node = self.pipes.pop(path)
            self.add_feed(Feed(descriptor, node.content, node.endless))

    def move(self):
        """Others change the size of a file meanwhile."""
        self.turn += 1
        for path, sizes in self.moving:
            try:
                os.truncate(path, sizes[self.turn % len(sizes)])
            except OSError:
                pass

    def tick(self):
        now = time.monotonic() - self.begun
        wait_s = self.due(now)
        if len(self.pipes) > len(self.outlets):
            self.open_pipes()
            wait_s = min(wait_s, 0.002)
        if self.moving and now > self.move_from:
            self.move()
        if self.moving:
            wait_s = min(wait_s, 0.001)
        for descriptor, _ in self.poll.poll(max(wait_s, 0) * 1000):
            if descriptor in self.readers:
                self.read(descriptor)
            for feed in [feed for feed in self.feeds if feed.descriptor == descriptor]:
                if not feed.write():
                    self.poll.unregister(descriptor)
                    self.feeds.remove(feed)

    def is_hung(self):
        self.clock.advance()
        patience = PATIENCE if self.place.sanitized else 1
        signal_s = STOPPED_S if any(b"\x13" in keys for _, keys in self.case.keys) else SIGNAL_S
        if resident_bytes(self.process.pid) > MEMORY_BYTES * 1.1 * patience:
            self.outcome.cut = True
        elif self.told_at is not None and self.clock.elapsed > self.told_at + signal_s * patience:
            self.outcome.hung = f"no end {signal_s} s after a signal"
        elif self.clock.elapsed > self.progress_at + max(HANG_S, self.promised_s()) * patience:
            self.outcome.hung = SILENT
        elif self.goes_on() or time.monotonic() - self.begun > STUCK_S:
            self.outcome.cut = True
        return self.outcome.hung or self.outcome.cut

    def promised_s(self):
        """What a run that shows how long it still takes may be silent for: the last estimate, and as much again."""
        left = re.findall(rb"(?:(\d+) min )?(\d+) s left", (self.outcome.screen + self.outcome.err)[-2000:])
        return 2 * (60 * int(left[-1][0] or 0) + int(left[-1][1])) if left else 0

    def goes_on(self):
        """It has printed something for long enough, and still does."""
        now = time.monotonic()
        return now - self.begun > self.wall_s and now - self.silent_since < HANG_S

    def run(self):
        """What came of it; `before` and `after` are the files."""
        if not self.start():
            self.close()
            self.after = self.before
            return self.outcome
        self.clock, self.progress_at, self.told_at = Clock(self.process.pid), 0, None
        self.silent_since = self.begun
        self.signals, self.keys = list(self.case.signals), list(self.case.keys)
        self.move_from = self.case.number % 40 / 1000
        ended = os.pidfd_open(self.process.pid)
        self.poll.register(ended, select.POLLIN)
        while not self.has_ended() and not self.is_hung():
            self.tick()
        self.poll.unregister(ended)
        os.close(ended)
        self.finish()
        return self.outcome

    # End -------------------------------------------------------------------------------------------------------------

    def has_ended(self, options=os.WNOHANG):
        pid, status, usage = os.wait4(self.process.pid, options)
        if not pid:
            return False
        self.outcome.seconds = time.monotonic() - self.begun
        self.outcome.status = self.process.returncode = os.waitstatus_to_exitcode(status)
        self.outcome.memory_bytes = usage.ru_maxrss * 1024
        return True

    def finish(self):
        if self.outcome.status is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.has_ended(0)
        elif signal.SIGKILL not in self.outcome.sent:
            self.outcome.left = left_behind(1)
        left_behind(0)
        for descriptor in list(self.readers):
            while descriptor in self.readers and self.read(descriptor):
                pass
        if self.slave is not None and self.outcome.status is not None and self.outcome.status >= 0:
            self.outcome.modes_changed = termios.tcgetattr(self.slave) != self.modes
        self.close()
        self.after = self.place.seen()

    def close(self):
        for descriptor in [*self.readers, *[feed.descriptor for feed in self.feeds], self.slave]:
            if descriptor is not None:
                os.close(descriptor)


def left_behind(wait_s):
    """Names of processes that outlive the run by so many seconds; they are ended."""
    deadline = time.monotonic() + wait_s
    while True:
        try:
            pid, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return []
        if pid == 0 and time.monotonic() >= deadline:
            break
        if pid == 0:
            time.sleep(0.01)
    with open(f"/proc/self/task/{os.getpid()}/children", "rb") as file:
        pids = [int(pid) for pid in file.read().split()]
    names = []
    for pid in pids:
        with open(f"/proc/{pid}/comm", "rb") as file:
            names.append(file.read().strip().decode(errors="replace"))
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    return names
