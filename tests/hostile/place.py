"""The folders in which one job makes its runs, and what keeps the machine safe from them."""
import ctypes
import os
import shutil
import subprocess

from world import look, look_around

USER = 47000  # a user that nobody is; each job adds its number
LIBC = ctypes.CDLL(None, use_errno=True)
MS_RDONLY, MS_REMOUNT, MS_BIND, MS_REC, MS_PRIVATE, NEW_MOUNTS = 1, 32, 4096, 16384, 1 << 18, 0x20000
SUBREAPER, DEATH_SIGNAL = 36, 1
FOLDERS = ("work", "home", "tmp", "full")


def mount(source, target, kind, flags, data=None):
    if LIBC.mount(os.fsencode(source), os.fsencode(target), kind, ctypes.c_ulong(flags), data):
        raise OSError(ctypes.get_errno(), f"cannot mount {target}")


class Place:
    """The folders of one job. As root it gets a small disk of its own, and all else is read-only to what it runs: an
    attack on a command that is wrong must not harm the machine."""

    def __init__(self, base, number, program, sanitized):
        self.base = os.path.join(os.fsencode(os.path.realpath(base)), b"%d" % number)
        self.sanitized = sanitized
        self.user = None
        LIBC.prctl(SUBREAPER, 1)
        for name in (*FOLDERS, "readonly"):
            os.makedirs(self.path(name), exist_ok=True)
        os.chmod(self.base, 0o755)
        self.program = shutil.copy(program, os.path.join(os.fsdecode(self.base), "topogemm"))
        self.has_disk = os.geteuid() == 0 and self.separate()
        if os.geteuid() == 0:
            self.user = self.other_user(USER + number)

    def path(self, name):
        return os.path.join(self.base, name.encode())

    def separate(self):
        """False where this is not allowed, as in many containers."""
        if LIBC.unshare(NEW_MOUNTS):
            return False
        try:
            mount("none", "/", None, MS_REC | MS_PRIVATE)
            self.separate_tmp()
            mount("tmpfs", self.path("full"), b"tmpfs", 0, b"size=256k")
            mount("tmpfs", self.path("readonly"), b"tmpfs", MS_RDONLY, b"size=64k")
            for path in ("/", "/dev"):
                mount(path, path, None, MS_BIND | MS_REC)
                mount("none", path, None, MS_BIND | MS_REMOUNT | MS_RDONLY)
        except OSError:
            return False
        return True

    def separate_tmp(self):
        """A /tmp of its own, in which only this job's folder is known, so that what is left there is seen, too."""
        own = os.open(self.base, os.O_PATH)
        mount("tmpfs", "/tmp", b"tmpfs", 0, b"size=8m")
        os.makedirs(self.base, exist_ok=True)
        mount(f"/proc/self/fd/{own}", self.base, None, MS_BIND)
        os.close(own)

    def other_user(self, user):
        """A user without rights, if the program can be run as that user."""
        words = [self.program, "version"]
        try:
            done = subprocess.run(words, user=user, group=user, extra_groups=[], capture_output=True, check=False)
        except OSError:
            return None
        return user if done.returncode == 0 else None

    def clear(self):
        for name in FOLDERS:
            for entry in os.scandir(self.path(name)):
                remove(entry.path)
        if self.has_disk:
            for path in self.strangers_in_tmp():
                remove(path)

    def user_of(self, case):
        return self.user if case.user else None

    def make(self, case):
        """The files of the run. Folders belong to whoever runs it."""
        self.clear()
        user = self.user_of(case)
        for name in FOLDERS:
            os.chmod(self.path(name), 0o755)
            if self.user is not None:
                os.chown(self.path(name), *(user if user is not None else 0,) * 2)
        case.world.make(self.path("work"), user)
        if self.has_disk:
            fill(self.path("full"), case.room)
            fill(b"/tmp", case.tmp_room)

    def environment(self, case):
        found = {}
        for name, value in case.environment.items():
            for place in ("home", "tmp"):
                value = value.replace(b"@" + place.encode(), self.path(place))
            found[name] = value
        if self.sanitized:  # leaks are looked for in other tests; a refused allocation is the command's to report
            options = os.environb.get(b"ASAN_OPTIONS", b"")
            found[b"ASAN_OPTIONS"] = options + b":detect_leaks=0:allocator_may_return_null=1"
            found[b"UBSAN_OPTIONS"] = os.environb.get(b"UBSAN_OPTIONS", b"halt_on_error=1")
        if self.user_of(case) is None and b"HOME" not in found:  # else it is root's own home
            found[b"XDG_CACHE_HOME"] = self.path("home")
        return found

    def seen(self):
        seen = look_around([self.path(name) for name in FOLDERS])
        if self.has_disk:
            seen |= {path: look(path) for path in self.strangers_in_tmp()}
        return seen

    def strangers_in_tmp(self):
        return [entry.path for entry in os.scandir(b"/tmp") if not self.base.startswith(entry.path)]


def fill(folder, room):
    """Leaves so many bytes of a small disk, if any number is given."""
    if room >= 0:
        disk = os.statvfs(folder)
        with open(os.path.join(folder, b"filler"), "wb") as file:
            file.write(bytes(max(disk.f_bavail * disk.f_frsize - room, 0)))


def remove(path):
    if os.path.isdir(path) and not os.path.islink(path):
        if os.geteuid():
            subprocess.run(["chmod", "-R", "u+rwX", "--", path], check=False)
        shutil.rmtree(path, ignore_errors=True)
    else:
        os.unlink(path)
