"""Whether a written file is whole, by its suffix."""
import csv
import io
import json
import re
import struct
import xml.parsers.expat
import zlib

# Keys whose values are never below zero: counts, sizes and times. Differences have other names.
COUNTED = re.compile(r"(_s|bytes|messages|hops|sends|products|statements|steps|flops|processors|nodes|links|ts|dur)$")


def not_a_number(text):
    raise ValueError(f"{text} in a JSON document")


def negatives(value, key=""):
    """Keys of a document with a count, size or time below zero."""
    if isinstance(value, dict):
        return [found for name, inner in value.items() for found in negatives(inner, name)]
    if isinstance(value, list):
        return [found for inner in value for found in negatives(inner, key)]
    is_below = isinstance(value, (int, float)) and value < 0 and COUNTED.search(key)
    return [f"{key} = {value}"] if is_below else []


def check_json(content):
    found = negatives(json.loads(content.decode(), parse_constant=not_a_number))
    assert not found, f"below zero: {', '.join(found[:3])}"


def check_svg(content):
    xml.parsers.expat.ParserCreate().Parse(content, True)
    assert content.rstrip().endswith(b"</svg>")


def check_png(content):
    assert content.startswith(b"\x89PNG\r\n\x1a\n"), "no PNG signature"
    at, kind = 8, b""
    while kind != b"IEND":
        length, kind = struct.unpack(">I4s", content[at:at + 8])
        (check,) = struct.unpack(">I", content[at + 8 + length:at + 12 + length])
        assert zlib.crc32(content[at + 4:at + 8 + length]) == check, f"wrong check sum in {kind}"
        at += 12 + length
    assert at == len(content), "bytes after the end"


def check_gif(content):
    assert content.startswith(b"GIF8") and content.endswith(b"\x3b"), "not from GIF8 to its trailer"


def check_pdf(content):
    assert content.startswith(b"%PDF-") and b"%%EOF" in content[-1024:], "not from %PDF to %%EOF"


def check_npy(content):
    assert content.startswith(b"\x93NUMPY"), "no signature"
    length = struct.unpack("<H", content[8:10])[0] + 10
    kind, shape = re.search(rb"'descr': '<f(\d)'", content[:length]), re.search(rb"\((\d+), (\d+)\)", content[:length])
    size = length + int(kind[1]) * int(shape[1]) * int(shape[2])
    assert len(content) == size, f"{len(content)} bytes, expected {size}"


def check_mtx(content):
    lines = [line for line in content.decode().splitlines() if not line.startswith("%")]
    rows, columns = map(int, lines[0].split())
    assert len(lines) == 1 + rows * columns and content.endswith(b"\n"), "wrong number of lines"


def check_csv(content):
    rows = list(csv.reader(io.StringIO(content.decode())))
    assert content.endswith(b"\n") and len({len(row) for row in rows}) == 1, "rows of different lengths"


def check_goal(content):
    assert content.startswith(b"num_ranks ") or b"\nnum_ranks " in content, "no num_ranks"
    assert content.count(b"{") == content.count(b"}") and content.endswith(b"}\n"), "braces that do not match"


def ends_with(end):
    def check(content):
        assert content.rstrip().endswith(end), f"does not end with {end}"
    return check


def check_text(content):
    assert content.endswith(b"\n"), "empty, or cut within a line"


CHECKS = {b".json": check_json, b".svg": check_svg, b".png": check_png, b".gif": check_gif, b".pdf": check_pdf,
          b".npy": check_npy, b".mtx": check_mtx, b".csv": check_csv, b".goal": check_goal,
          b".html": ends_with(b"</html>"), b".dot": ends_with(b"}"), b".tex": ends_with(b"\\end{tikzpicture}"), b".gp": check_text, b".machine": check_text,
          b".sched": check_text, b".answer": check_text}


def problem(path, content):
    """Why the file is not whole; an empty text where it is, or where nothing is known of its kind."""
    check = next((check for suffix, check in CHECKS.items() if path.lower().endswith(suffix)), None)
    try:
        if check:
            check(content)
    except Exception as why:  # pylint: disable=broad-except
        return f"{type(why).__name__}: {why}"
    return ""
