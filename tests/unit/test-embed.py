#!/usr/bin/env python3
"""tools/embed.py: its tables hold the bytes of their input, refuse what would lie, and leave no text out. TAP."""

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


def entries(text, name="entries"):
    """(name, bytes, stated length) of each row of a table, read as a C compiler reads the strings."""
    table = text.split(f"{name}[] = {{\n", 1)[1].split("\n};\n", 1)[0].removesuffix("    {NULL, NULL, 0},").rstrip()
    if not table:
        return
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


def embeds_formulas():
    files = {"b.sched": b"schedule b\n", "b.formula": b"formula b # 'x\n", "a.sched": b"schedule a\n"}
    with tempfile.TemporaryDirectory() as folder:
        status, _, text = embed(folder, files)
    return status == 0 and list(entries(text, "formulas")) == [("b", b"formula b # 'x\n", 15)]


def needs_no_formula():
    with tempfile.TemporaryDirectory() as folder:
        status, _, text = embed(folder, {"a.sched": b"schedule a\n"})
    return status == 0 and not list(entries(text, "formulas"))


def texts_of(ending):
    return {path.stem: path.read_bytes() for path in (ROOT / "algo").glob("*" + ending)}


def embeds_the_library():
    paths = sorted([*(ROOT / "algo").glob("*.sched"), *(ROOT / "algo").glob("*.formula")])
    with tempfile.TemporaryDirectory() as folder:
        status, _, text = embed(folder, {path.name: path.read_bytes() for path in paths})
    tables = {"entries": texts_of(".sched"), "formulas": texts_of(".formula")}
    return status == 0 and all({n: data for n, data, _ in entries(text, t)} == tables[t] for t in tables)


def leaves_nothing_out():
    listed = re.findall(r"'(.*\.(?:sched|formula))'", (ROOT / "algo" / "meson.build").read_text(encoding="utf-8"))
    there = [path.name for ending in (".sched", ".formula") for path in (ROOT / "algo").glob("*" + ending)]
    return sorted(listed) == sorted(there)


CASES = {
    "keeps every byte": keeps_bytes,
    "sorts as strcmp does": sorts_by_bytes,
    "refuses another name": refuses({"a.sched": b"schedule b\n"}, "expected 'schedule a'"),
    "refuses an empty file": refuses({"a.sched": b""}, "expected 'schedule a'"),
    "refuses what is not UTF-8": refuses({"a.sched": b"schedule a\n\xff"}, "not UTF-8 at byte 11"),
    "refuses a zero byte": refuses({"a.sched": b"schedule a\n\0"}, "zero byte"),
    "embeds closed forms": embeds_formulas,
    "needs no closed form": needs_no_formula,
    "refuses a closed form of another name": refuses(
        {"a.sched": b"schedule a\n", "a.formula": b"formula b\n"}, "expected 'formula a'"),
    "refuses a closed form without a schedule": refuses({"a.formula": b"formula a\n"}, "not here: a.sched"),
    "refuses another kind of file": refuses({"a.txt": b"schedule a\n"}, "neither .sched nor .formula"),
    "embeds the library": embeds_the_library,
    "names every text in algo/meson.build": leaves_nothing_out,
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
