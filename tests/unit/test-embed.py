#!/usr/bin/env python3
"""tools/embed.py: its table holds the bytes of its input, refuses what would lie, and leaves no schedule out. TAP."""

import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "tools" / "embed.py"
STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
ESCAPE = re.compile(rb"\\([0-7]{3}|.)", re.DOTALL)


def unescape(match):
    escape = match.group(1)
    if len(escape) == 3:
        return bytes([int(escape, 8)])
    return {b"n": b"\n", b"t": b"\t"}.get(escape, escape)


def embed(folder, files):
    """Exit status, messages and the C text for {file name: bytes}."""
    folder = pathlib.Path(folder)
    for name, data in files.items():
        (folder / name).write_bytes(data)
    output = folder / "table.c"
    done = subprocess.run([sys.executable, SCRIPT, output, *(folder / name for name in files)], capture_output=True,
                          text=True, check=False)
    return done.returncode, done.stderr, output.read_text(encoding="ascii") if output.exists() else ""


def entries(text):
    """(name, bytes, stated length) of each row of the table, read as a C compiler reads the strings."""
    table = text.split("entries[] = {\n", 1)[1].split("\n};\n", 1)[0]
    for row in re.split(r"\n(?=    \{)", table):
        name, *pieces = STRING.findall(row)
        length = int(re.search(r",\s*(\d+)\},$", row).group(1))
        yield name, b"".join(ESCAPE.sub(unescape, piece.encode()) for piece in pieces), length


def keeps_bytes():
    odd = 'schedule odd\n  "a \\ ??/ \t é 0"\n# \x017\n# no end of line'.encode()
    with tempfile.TemporaryDirectory() as folder:
        status, _, text = embed(folder, {"odd.sched": odd, "a-b.sched": b"schedule a-b\n"})
    return status == 0 and list(entries(text)) == [("a-b", b"schedule a-b\n", 13), ("odd", odd, len(odd))]


def sorts_by_bytes():
    names = ["b", "a-b", "ab", "a", "B", "a2"]
    with tempfile.TemporaryDirectory() as folder:
        _, _, text = embed(folder, {f"{name}.sched": f"schedule {name}\n".encode() for name in names})
    return [name for name, _, _ in entries(text)] == ["B", "a", "a-b", "a2", "ab", "b"]


def refuses(files, words):
    def case():
        with tempfile.TemporaryDirectory() as folder:
            status, messages, text = embed(folder, files)
        return status != 0 and words in messages and text == ""

    return case


def embeds_the_library():
    paths = sorted((ROOT / "algo").glob("*.sched"))
    with tempfile.TemporaryDirectory() as folder:
        status, _, text = embed(folder, {path.name: path.read_bytes() for path in paths})
    return status == 0 and {name: data for name, data, _ in entries(text)} == {p.stem: p.read_bytes() for p in paths}


def leaves_no_schedule_out():
    named = re.findall(r"'(.*)\.sched'", (ROOT / "algo" / "meson.build").read_text(encoding="utf-8"))
    return named == sorted(path.stem for path in (ROOT / "algo").glob("*.sched"))


CASES = {
    "keeps every byte": keeps_bytes,
    "sorts as strcmp does": sorts_by_bytes,
    "refuses another name": refuses({"a.sched": b"schedule b\n"}, "expected 'schedule a'"),
    "refuses an empty file": refuses({"a.sched": b""}, "expected 'schedule a'"),
    "refuses what is not UTF-8": refuses({"a.sched": b"schedule a\n\xff"}, "not UTF-8 at byte 11"),
    "refuses a zero byte": refuses({"a.sched": b"schedule a\n\0"}, "zero byte"),
    "embeds the library": embeds_the_library,
    "names every schedule in algo/meson.build": leaves_no_schedule_out,
}


def main():
    print(f"1..{len(CASES)}")
    failed = 0
    for number, (name, case) in enumerate(CASES.items(), 1):
        fine = case()
        failed += not fine
        print(f"{'ok' if fine else 'not ok'} {number} {name}")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
