"""The files that a run finds: described first, so that they can be printed and made again, then made."""
import dataclasses
import hashlib
import os
import socket
import stat

FILE, SPARSE, FOLDER, LINK, HARD, FIFO, SOCKET = "file", "sparse file", "folder", "link", "hard link", "pipe", "socket"
LONGEST_PATH = 1000
WHOLE_BYTES = 4 << 20  # files up to this size are compared by content, larger ones by size and time


@dataclasses.dataclass
class Node:
    """A file to be. `content` is its bytes, what a link leads to, or what is written into a pipe; `size` that of a
    sparse file, which begins with `content`; `own` makes it the property of the user that runs the command."""
    kind: str
    content: bytes = b""
    mode: int = 0o644
    size: int = 0
    own: bool = True
    endless: bytes = b""   # pipes: repeated for ever after `content`
    moving: list = None    # sizes that the file is given in turn while the command runs
    note: str = ""

    def describe(self):
        text = {LINK: f"-> {self.content!r}", HARD: f"of {self.content!r}", SPARSE: f"of {self.size} bytes"}.get(
            self.kind, f"of {len(self.content)} bytes" if self.content else "")
        more = [f"mode {self.mode:o}" if self.mode not in (0o644, 0o755) else "", "endless" if self.endless else "",
                f"size changes: {self.moving}" if self.moving else "", self.note]
        return " ".join(part for part in [self.kind, text, *more] if part)


class World:
    """Nodes by path, relative to the working folder of the run."""

    def __init__(self, rng):
        self.rng = rng
        self.nodes = {}

    def add(self, path, node):
        self.nodes[path] = node
        return path

    def file(self, path, content, **more):
        return self.add(path, Node(FILE, content, **more))

    def fresh(self, stem, suffix):
        """A plain name that is not taken."""
        number = 0
        while (name := stem + (b"%d" % number if number else b"") + suffix) in self.nodes:
            number += 1
        return name

    def make(self, folder, user):
        """Links last, so that what they lead to is there; modes after everything, so that nothing is in the way."""
        order = sorted(self.nodes, key=lambda path: (self.nodes[path].kind in (LINK, HARD), path.count(b"/")))
        made = [path for path in order if self.make_one(os.path.join(folder, path), self.nodes[path])]
        for path in reversed(made):
            node = self.nodes[path]
            if node.kind not in (LINK, HARD):
                if user is not None and node.own:
                    os.chown(os.path.join(folder, path), user, user)
                os.chmod(os.path.join(folder, path), node.mode)

    @staticmethod
    def make_one(path, node):
        """False where the file system does not take it (a name that is too long, no room)."""
        if len(path) > LONGEST_PATH:
            return False
        try:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            if node.kind == FOLDER:
                os.makedirs(path, exist_ok=True)
            elif node.kind == LINK:
                os.symlink(node.content, path)
            elif node.kind == HARD:
                os.link(os.path.join(os.path.dirname(path), node.content), path)
            elif node.kind == FIFO:
                os.mkfifo(path)
            elif node.kind == SOCKET:
                make_socket(path)
            else:
                with open(path, "wb") as file:
                    file.write(node.content)
                    if node.kind == SPARSE:
                        file.truncate(node.size)
        except OSError:
            return False
        return True


def make_socket(path):
    """By a short name, since a long path does not fit the address."""
    here = os.open(".", os.O_RDONLY)
    try:
        os.chdir(os.path.dirname(path))
        with socket.socket(socket.AF_UNIX) as one:
            one.bind(os.path.basename(path))
    finally:
        os.fchdir(here)
        os.close(here)


@dataclasses.dataclass(frozen=True)
class Seen:
    """A file as it is at one time."""
    kind: int
    mode: int
    size: int
    time_ns: int
    content: str

    def change(self, other):
        """In words what is different; an empty text where nothing is."""
        parts = ("kind", "mode", "size", "time_ns", "content")
        return ", ".join(part for part in parts if getattr(self, part) != getattr(other, part))


def content_of(path, status):
    if stat.S_ISLNK(status.st_mode):
        return repr(os.readlink(path))
    if not stat.S_ISREG(status.st_mode) or status.st_size > WHOLE_BYTES or not os.access(path, os.R_OK):
        return ""
    with open(path, "rb") as file:
        return hashlib.sha1(file.read()).hexdigest()


def look(path):
    status = os.lstat(path)
    of_files = stat.S_ISREG(status.st_mode)
    return Seen(stat.S_IFMT(status.st_mode), stat.S_IMODE(status.st_mode), status.st_size if of_files else 0,
                status.st_mtime_ns if of_files else 0, content_of(path, status))


def look_around(folders):
    """Everything under the folders, by path. Folders themselves count by kind and mode."""
    seen = {}
    for folder in folders:
        for path, names, files in os.walk(folder):
            for name in names + files:
                seen[os.path.join(path, name)] = look(os.path.join(path, name))
    return seen
