#!/usr/bin/env python3
"""Writes the library of schedules and their closed forms as C tables: embed.py OUTPUT.c ALGO.sched|ALGO.formula ...

The texts keep their bytes. A file that is not UTF-8, whose first line does not name it (`schedule NAME` in NAME.sched,
`formula NAME` in NAME.formula), or that comes twice is an error, and so is a formula without its schedule: the tables
cannot lie about what they hold.
"""
import pathlib
import re
import sys

HEAD = """/* Written by tools/embed.py from algo/; edit the texts there. */
#include "algo-library.h"

#include <stdlib.h>
#include <string.h>

"""

TAIL = """
enum { COUNT = sizeof entries / sizeof *entries, FORMULAS = sizeof formulas / sizeof *formulas - 1 };

static int compare(const void *name, const void *entry) {
  return strcmp((const char *)name, ((const TgLibraryEntry *)entry)->name);
}

const TgLibraryEntry *tg_library_list(size_t *count) {
  *count = COUNT;
  return entries;
}

const TgLibraryEntry *tg_library_find(const char *name) {
  return (const TgLibraryEntry *)bsearch(name, entries, COUNT, sizeof *entries, compare);
}

const TgLibraryEntry *tg_library_formula(const char *name) {
  return (const TgLibraryEntry *)bsearch(name, formulas, FORMULAS, sizeof *formulas, compare);
}
"""

# The first word of a text, by the ending of its file's name.
FIRST_WORD = {".sched": "schedule", ".formula": "formula"}

ESCAPES = {ord('"'): '\\"', ord("\\"): "\\\\", ord("\n"): "\\n", ord("\t"): "\\t", ord("?"): "\\?"}


def fail(path, what):
    sys.exit(f"embed.py: {path}: {what}")


def read_text(path):
    data = path.read_bytes()
    try:
        # Without the name for pictures, a string, and without a comment.
        first = re.split('["#]', data.decode("utf-8").split("\n", 1)[0])[0].split()
    except UnicodeDecodeError as error:
        fail(path, f"is not UTF-8 at byte {error.start}")
    if b"\0" in data:
        fail(path, "holds a zero byte")
    expected = [FIRST_WORD[path.suffix], path.stem]
    if first != expected:
        fail(path, f"begins with {' '.join(first)!r}, expected {' '.join(expected)!r}")
    return data


def literal(data):
    """One C string literal a line of text. Octal escapes have three digits, so no digit that follows can join them."""
    lines = []
    for line in data.splitlines(keepends=True):
        escaped = "".join(ESCAPES.get(b, chr(b) if 32 <= b < 127 else f"\\{b:03o}") for b in line)
        lines.append(f'     "{escaped}"')
    return "\n".join(lines)


def table(name, texts, end=""):
    """The rows of one table, sorted as strcmp sorts, `end` after the last."""
    rows = [f'    {{"{stem}",\n{literal(data)},\n     {len(data)}}},\n'
            for stem, data in sorted(texts.items(), key=lambda item: item[0].encode())]
    return f"static const TgLibraryEntry {name}[] = {{\n{''.join(rows)}{end}}};\n"


def main():
    if len(sys.argv) < 3:
        sys.exit("usage: embed.py OUTPUT.c ALGO.sched|ALGO.formula ...")
    texts = {suffix: {} for suffix in FIRST_WORD}
    for path in map(pathlib.Path, sys.argv[2:]):
        if path.suffix not in texts:
            fail(path, "is neither .sched nor .formula")
        if path.stem in texts[path.suffix]:
            fail(path, "comes twice")
        texts[path.suffix][path.stem] = read_text(path)
    for stem in sorted(texts[".formula"].keys() - texts[".sched"].keys()):
        fail(f"{stem}.formula", f"is the closed form of a schedule that is not here: {stem}.sched")
    # C has no empty tables, and there may be no formula at all.
    formulas = table("formulas", texts[".formula"], "    {NULL, NULL, 0},\n")
    parts = [HEAD, table("entries", texts[".sched"]), formulas, TAIL]
    pathlib.Path(sys.argv[1]).write_text("".join(parts), encoding="ascii")


if __name__ == "__main__":
    main()
