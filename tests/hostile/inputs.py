"""Input files: good ones, and hostile ones of every kind that the command reads."""
import pathlib
import re
import struct

from values import ESCAPES, NUMBERS, another_number
from world import FIFO, FILE, FOLDER, LINK, SOCKET, SPARSE, Node

SOURCE = pathlib.Path(__file__).resolve().parents[2]
MACHINES = [path.read_bytes() for path in sorted(SOURCE.glob("machines/*.machine"))]
CORPUS = {kind: [path.read_bytes() for path in sorted(SOURCE.glob(f"tests/fuzz/corpus/{kind}/*"))]
          for kind in ("schedule", "machine", "mtx", "npy")}
TOKEN = re.compile(rb"\w+|\s+|[^\w\s]")

NAMES = [b"plain", b"a b", b"%d%s%n", b"100%", b"[x]", b"a,b", b"quo'te", b'quo"te', b"new\nline", b"back\\slash",
         b"$HOME", b"$(touch pwned)", b";touch pwned;", b"|cat", b"*", b"?", b"~", b"-", b"--json", b"-o", b"<svg>",
         b"a&b", b"#1", b"a=b", b"file:", b"caf\xc3\xa9", b"\xff\xfe", b"\xc0\xaf", "\u202egpj".encode(), b" ", b"..x",
         b"...", b"x" * 200, b"\x7f", b"\x01"] + ESCAPES


def name(rng, world, suffix):
    """Half of the names are plain."""
    stem = rng.choice(NAMES) if rng.random() < 0.5 else b"in"
    return world.fresh(stem.replace(b"/", b""), suffix)


# Texts: schedules, machines, Matrix Market --------------------------------------------------------------------------

def swap_number(rng, text):
    return another_number(rng, text)


def swap_tokens(rng, text):
    tokens = TOKEN.findall(text) or [b""]
    for _ in range(rng.randrange(1, 4)):
        tokens[rng.randrange(len(tokens))] = rng.choice(tokens)
    return b"".join(tokens)


def change_bytes(rng, text):
    out = bytearray(text or b"\0")
    for _ in range(rng.randrange(1, 6)):
        out[rng.randrange(len(out))] = rng.randrange(256)
    return bytes(out)


def change_lines(rng, text):
    lines = text.split(b"\n")
    at, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    pick = rng.randrange(5)
    if pick == 0:
        del lines[at]
    elif pick == 1:
        lines.insert(other, lines[at])
    elif pick == 2:
        lines[at], lines[other] = lines[other], lines[at]
    elif pick == 3:
        lines[at] = lines[at] * rng.choice([2, 50, 20000])
    else:
        lines[at:at + 1] = [lines[at]] * rng.choice([2, 300, 20000])
    return b"\n".join(lines)


def nest(rng, text):
    """Depth: parentheses, blocks, signs."""
    depth = rng.choice([10, 100, 1000, 20000])
    pick = rng.randrange(4)
    if pick == 0:
        spot = re.search(rb"\(", text)
        at = spot.end() if spot else 0
        return text[:at] + b"(" * depth + b"0" + b")" * (depth if rng.random() < 0.7 else 0) + text[at:]
    if pick == 1:
        return text + b"".join(b"  " * n + b"repeat s%d in 2\n" % n for n in range(min(depth, 1000)))
    if pick == 2:
        return re.sub(rb"i", b"-" * depth + b"i", text, count=1)
    return re.sub(rb"j", b"+".join([b"j"] * depth), text, count=1)


def put_in(rng, text):
    """Bytes that no text has, and names and numbers of any length."""
    piece = rng.choice(ESCAPES + [b"\0", b"\xff\xfe", b"\xc0\x80", b"\xef\xbb\xbf", b"\r\n", b"\r", b"\x0c", b'"',
                                  b'"' * 3, b"#", b"[", b"]", b"q" * 70000, b"9" * 70000, b" " * 70000, b"\n" * 70000,
                                  "\u202e\u2066".encode(), b"into X[1048575]", b"into X[9223372036854775807]", b"% 0",
                                  b"/ 0", b"<script>alert(1)</script>", b"</svg>", b"%n%s"])
    at = rng.randrange(len(text) + 1)
    quote = text.find(b'"')  # within a quoted text, so that it is read
    at = quote + 1 if quote >= 0 and rng.random() < 0.4 else at
    return text[:at] + piece + text[at:]


def cut(rng, text):
    return text[:rng.randrange(len(text) + 1)]


def swap_names(rng, text):
    """Words of the language for each other, small numbers for small numbers: often still a schedule, another one."""
    words = [word for word in re.findall(rb"\b(?:[a-zA-Z]|move|broadcast|reduce|into|from|along|to)\b", text)] or [b"A"]
    spots = list(re.finditer(rb"(?<![\w\"])(?:[a-zA-Z]|\d|move|broadcast|from|to|[-+*/%<>=])(?![\w\"])", text))
    for _ in range(rng.randrange(1, 3)):
        if spots:
            spot = rng.choice(spots)
            new = b"%d" % rng.randrange(10) if spot[0].isdigit() else rng.choice(
                [b"-", b"+", b"*", b"/", b"%", b"<", b"=="]) if not spot[0].isalpha() else rng.choice(words)
            text = text[:spot.start()] + new + text[spot.end():]
            spots = [later for later in spots if later.end() < spot.start()]
    return text


TEXT_ATTACKS = [swap_number, swap_number, swap_tokens, change_bytes, change_lines, nest, put_in, put_in, cut]


def damage(rng, text):
    if rng.random() < 0.4:
        return swap_names(rng, text)
    for _ in range(rng.randrange(1, 4)):
        text = rng.choice(TEXT_ATTACKS)(rng, text)
    return text


# Matrices -----------------------------------------------------------------------------------------------------------

def npy(header, data, version=b"\x01\x00", length=None):
    pad = b" " * (63 - (10 + len(header)) % 64) + b"\n"
    whole = header + pad
    return b"\x93NUMPY" + version + struct.pack("<H", min(len(whole) if length is None else length,
                                                          65535)) + whole + data


def npy_header(shape, kind=b"<f4", order=b"False"):
    return b"{'descr': '%s', 'fortran_order': %s, 'shape': %s, }" % (kind, order, shape)


def good_npy(rng, n):
    kind, code = rng.choice([(b"<f4", "f"), (b"<f8", "d")])
    values = struct.pack(f"<{n * n}{code}", *[rng.randrange(-4, 5) for _ in range(n * n)])
    return npy(npy_header(b"(%d, %d)" % (n, n), kind), values)


def good_mtx(rng, n):
    return b"%%%%MatrixMarket matrix array real general\n%d %d\n" % (n, n) + b"".join(
        b"%d\n" % rng.randrange(-4, 5) for _ in range(n * n))


def hostile_npy(rng, n):
    good = good_npy(rng, n)
    shape = rng.choice([b"(%s, %d)" % (rng.choice(NUMBERS[:40]), n), b"()", b"(8,)", b"(2, 2, 2)", b"(1e9, 1)",
                        b"(-1, 8)", b"(4294967296, 4294967296)", b"(1000000, 1000000)", b"(0, 0)", b"(" * 5000,
                        b"(8, 8", b"None"])
    kind = rng.choice([b"<f4", b"<f8", b">f8", b"|O", b"<i8", b"<c16", b"<f2", b"", b"'", b"<f" + b"8" * 500] + ESCAPES)
    order = rng.choice([b"True", b"False", b"Maybe", b""])
    lies = npy(npy_header(shape, kind, order), good[80:], length=rng.choice([None, None, 0, 10, 65535]))
    return rng.choice([lies, lies, cut(rng, good), change_bytes(rng, good), good[:70], good + b"\0" * 5000,
                       good.replace(b"\x01\x00", rng.choice([b"\x02\x00", b"\x03\x00", b"\x09\x00"]), 1),
                       rng.choice(CORPUS["npy"])])


def hostile_mtx(rng, n):
    good = good_mtx(rng, n)
    lies = [b"%%%%MatrixMarket matrix coordinate real general\n%s %s %s\n1 1 1\n" % tuple(
        rng.choice(NUMBERS) for _ in range(3)),
            b"%%%%MatrixMarket matrix array integer general\n1 1\n%s\n" % rng.choice(NUMBERS),
            b"%%MatrixMarket matrix coordinate real symmetric\n100000 100000 0\n"]
    return rng.choice([rng.choice(lies), damage(rng, good), damage(rng, rng.choice(CORPUS["mtx"])),
                       rng.choice(CORPUS["mtx"])])


# Every kind of file, under one name each ----------------------------------------------------------------------------

def good(rng, role, schedules, n=8):
    """Text or bytes of a role: schedule, machine, .npy, .mtx or .raw."""
    if role == "schedule":
        return rng.choice(schedules)
    if role == "machine":
        return rng.choice(MACHINES)
    return {".npy": good_npy, ".mtx": good_mtx, ".raw": lambda *_: bytes(n * n * 4)}[role](rng, n)


def bad(rng, role, schedules, n=8):
    if role in ("schedule", "machine"):
        text = good(rng, role, schedules) if rng.random() < 0.85 else rng.choice(CORPUS[role])
        return damage(rng, text)
    if role == ".raw":
        return bytes(rng.choice([0, 1, n * n * 4 - 1, n * n * 4 + 1, n * n * 8, 5]))
    return {".npy": hostile_npy, ".mtx": hostile_mtx}[role](rng, n)


def endless(rng, role):
    """What comes after a good beginning, for ever."""
    return {"schedule": rng.choice([b"# more\n", b"    C += A * B\n", b"x", b" "]), "machine": rng.choice([b"# more\n",
                                                                                                           b"x"]),
            ".npy": bytes(64), ".mtx": rng.choice([b"1.0\n", b"1", b"\n", b"% more\n"]), ".raw": bytes(64)}[role] * 1000


def moving(rng, role, schedules):
    """A file that others cut and lengthen meanwhile. Large, so that reading it takes a while."""
    if role == ".npy":
        side = rng.choice([512, 2048])
        content = npy(npy_header(b"(%d, %d)" % (side, side)), bytes(side * side * 4))
    elif role == ".mtx":
        side = 300
        content = good_mtx(rng, 2)[:42] + b"\n%d %d\n" % (side, side) + b"0.5\n" * (side * side)
    elif role == ".raw":
        content = bytes(4 << 20)
    else:
        content = good(rng, role, schedules)
        content += (b"# a comment\n" * rng.choice([0, 30000]))
    sizes = rng.choice([[0], [len(content) // 2], [1, len(content)], [0, len(content) * 2, 4096], [len(content) + 100]])
    return Node(FILE, content, moving=sizes)


def special(rng, role, schedules):
    """What is there under the name but is no ordinary file."""
    content = good(rng, role, schedules)
    return rng.choice([
        Node(FOLDER, mode=0o755), Node(SOCKET), Node(LINK, b"nowhere"), Node(LINK, b"loop-a"), Node(FILE, content,
                                                                                                    mode=0),
        Node(FILE, b""), Node(FIFO, content), Node(FIFO, content[:len(content) // 2]), Node(FIFO, b""),
        Node(FIFO, content, endless=endless(rng, role)), Node(FIFO, b"", endless=rng.choice([bytes(1000), b"\n",
                                                                                             b"x" * 999])),
        Node(SPARSE, content, size=1 << 40), Node(SPARSE, content, size=rng.choice([3 << 30, 1 << 31, (1 << 32) + 5])),
        Node(SPARSE, b"", size=1 << 40), Node(LINK, b"/dev/zero"), Node(LINK, b"/dev/full"), Node(LINK, b"/dev/null"),
        Node(LINK, b"/dev/urandom"), Node(LINK, b"/proc/self/mem"), Node(LINK, b"/dev/tty"), Node(LINK, b"/dev/fd/0"),
        moving(rng, role, schedules), moving(rng, role, schedules)])


def hostile_path(rng, world, role, schedules):
    """A path to give to the command, and whatever lies there. Without a file for some of them."""
    suffix = {"schedule": b".sched", "machine": b".machine"}.get(role, role.encode())
    path = name(rng, world, suffix)
    pick = rng.random()
    if pick < 0.06:
        return rng.choice([b"missing" + suffix, b"a/b/c/d" + suffix, b"x" * 300 + suffix, b"d/" * 2500 + suffix, b"./",
                           b"/dev/zero", b"/dev/null", b"/dev/fd/99", b"/dev/fd/0", b"/proc/self/environ", suffix])
    if pick < 0.6:
        world.file(path, bad(rng, role, schedules))
    elif pick < 0.7:
        world.file(path, good(rng, role, schedules))
    else:
        world.add(path, special(rng, role, schedules))
        if world.nodes[path].content == b"loop-a":
            world.add(b"loop-a", Node(LINK, b"loop-b"))
            world.add(b"loop-b", Node(LINK, b"loop-a"))
    return as_path(rng, path)


def as_path(rng, path):
    """Names that begin with a dash need ./, and schedules with a slash are surely paths."""
    return rng.choice([path, b"./" + path]) if path[:1] != b"-" or rng.random() < 0.2 else b"./" + path
