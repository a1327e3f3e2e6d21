"""For tests in Python: a program on a pseudo-terminal, with as much of a screen as its escape sequences ask for."""
import codecs
import contextlib
import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time

from tap import Skipped

ENTER, LEAVE = "\033[?1049h", "\033[?1049l"
LIMIT_S = 30


class Screen:
    """As much of a terminal as the command uses: characters where they stand, and which of them are reversed."""

    def __init__(self, rows, columns):
        self.rows, self.columns = rows, columns
        self.cells = [[" "] * columns for _ in range(rows)]
        self.reversed = set()
        self.row = self.column = 0
        self.overflows = 0
        self.is_reversed = self.left = False
        self.pending = ""

    def clear(self, row, column):
        for c in range(column, self.columns):
            self.cells[row][c] = " "
            self.reversed.discard((row, c))

    def escape(self, arguments, letter):
        if letter == "H":
            self.row, self.column = (int(number) - 1 for number in (arguments or "1;1").split(";"))
        elif letter == "m":
            self.is_reversed = "7" in arguments.split(";")
        elif letter in "KJ" and self.row < self.rows:
            self.clear(self.row, self.column)
            for row in range(self.row + 1, self.rows if letter == "J" else 0):
                self.clear(row, 0)

    def put(self, sign):
        if sign == "\r":
            self.column = 0
        elif sign == "\n":
            self.row += 1
        elif self.row < self.rows and self.column < self.columns:
            self.cells[self.row][self.column] = sign
            (self.reversed.add if self.is_reversed else self.reversed.discard)((self.row, self.column))
            self.column += 1
        else:
            self.overflows += 1

    def feed(self, text):
        """Up to where the command leaves the screen; a sequence that has only begun waits for its end."""
        text = self.pending + text
        end = re.search(r"\033(\[[?0-9;]*)?$", text)
        self.pending = end.group() if end else ""
        for arguments, letter, sign in re.findall(r"\033\[([?0-9;]*)([A-Za-z])|([^\033])", text[:len(text) - len(self.pending)]):
            self.left = self.left or (arguments, letter) == ("?1049", "l")
            if self.left:
                continue
            if letter:
                self.escape(arguments, letter)
            else:
                self.put(sign)

    def text(self):
        return "\n".join("".join(row).rstrip() for row in self.cells)

    def reversed_text(self):
        return "".join(self.cells[r][c] for r, c in sorted(self.reversed))


def resize(terminal, rows, columns):
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


def open_pair():
    """The two ends of a pseudo-terminal. Where the system gives none, the case is skipped."""
    try:
        return pty.openpty()
    except OSError as why:
        raise Skipped(f"no pseudo-terminal here: {why.strerror or why}") from why


class Terminal:
    """A program on a terminal of its own, in the foreground of a session whose leader waits for it, as a shell does."""

    def __init__(self, *words, rows=24, columns=80, **environment):
        self.master, self.slave = open_pair()
        resize(self.master, rows, columns)
        self.before = termios.tcgetattr(self.slave)
        clean = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "COLORTERM")}
        environment = clean | {"TERM": "xterm-256color", "LC_ALL": "C.UTF-8"} | environment
        says = os.pipe()
        self.leader = os.fork()
        if self.leader == 0:
            self.lead(list(words), environment, says[1])
        os.close(says[1])
        self.status, self.screen = says[0], None
        self.pid = int(self.next_status())
        self.log = ""
        self.decoder = codecs.getincrementaldecoder("utf-8")()
        self.screen = Screen(rows, columns)

    def lead(self, words, environment, says):
        """Tells the command's number, and then how it stopped or ended. Keeps no other file open: where a test fails and
        ends, its terminal is gone, and with it the command."""
        os.setsid()
        null = os.open("/dev/null", os.O_RDWR)
        for number in range(3):
            os.dup2(null, number)
        for number in set(range(3, 256)) - {self.slave, says}:
            try:
                os.close(number)
            except OSError:
                pass  # was not open
        fcntl.ioctl(self.slave, termios.TIOCSCTTY, 0)
        signal.signal(signal.SIGTTOU, signal.SIG_IGN)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        pid = os.fork()
        if pid == 0:
            try:
                os.setpgid(0, 0)
                os.tcsetpgrp(self.slave, os.getpid())
                for number in (signal.SIGTTOU, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):  # `&` of a shell ignores two
                    signal.signal(number, signal.SIG_DFL)
                for number in range(3):
                    os.dup2(self.slave, number)
                os.closerange(3, 64)
                os.execve(words[0], words, environment)
            finally:
                os._exit(127)  # or a second process would go on with the tests, and start a third
        def hang_up(*_):
            """A command that is stopped would outlive its terminal. It may also have ended just now."""
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGHUP)
                os.kill(pid, signal.SIGCONT)

        signal.signal(signal.SIGHUP, hang_up)
        os.write(says, f"{pid}\n".encode())
        os.close(self.slave)
        status = 0x7F
        while os.WIFSTOPPED(status):
            _, status = os.waitpid(pid, os.WUNTRACED)
            said = "stopped" if os.WIFSTOPPED(status) else os.waitstatus_to_exitcode(status)
            os.write(says, f"{said}\n".encode())
        os._exit(0)

    def next_status(self):
        text = b""
        deadline = time.monotonic() + LIMIT_S
        while not text.endswith(b"\n"):
            assert time.monotonic() < deadline, "neither stopped nor ended in time"
            if select.select([self.status], [], [], 0.02)[0]:
                text += os.read(self.status, 1)
            elif self.screen:
                self.read(0)
        return text.decode().strip()

    def read(self, wait_s=0.05):
        while select.select([self.master], [], [], wait_s)[0]:
            text = self.decoder.decode(os.read(self.master, 65536))
            self.log += text
            self.screen.feed(text)

    def until(self, *parts):
        """Waits until the screen shows all of them."""
        deadline = time.monotonic() + LIMIT_S
        while not all(part in self.screen.text() for part in parts):
            assert time.monotonic() < deadline, f"expected {parts} in\n{self.screen.text()}"
            self.read()

    def press(self, keys, *parts):
        os.write(self.master, keys.encode())
        self.until(*parts)

    def end(self, expected):
        """It has left the screen, and the terminal's modes are those from before."""
        said = self.next_status()
        self.read()
        assert said == str(expected), f"ended with {said}, expected {expected}"
        self.check_left()
        os.waitpid(self.leader, 0)
        for descriptor in (self.master, self.slave, self.status):
            os.close(descriptor)

    def check_left(self):
        assert self.log.rfind(LEAVE) > self.log.rfind(ENTER) >= 0, "the screen was not left"
        assert self.log.rfind("\033[?25h") > self.log.rfind("\033[?25l"), "the cursor stays hidden"
        assert termios.tcgetattr(self.slave) == self.before, "modes of the terminal"
