#!/usr/bin/env python3
"""Writes the library of schedules as a C table: embed.py OUTPUT.c ALGO.sched ...

The texts keep their bytes. A file that is not UTF-8, whose first line does not name it (`schedule NAME` in NAME.sched),
or that comes twice is an error, so that the table cannot lie about what it holds.
"""
import pathlib
import sys

HEAD = """/* Written by tools/embed.py from algo/; edit the texts there. */
#include "algo-library.h"

#include <stdlib.h>
#include <string.h>

static const TgLibraryEntry entries[] = {
"""

TAIL = """};

enum { COUNT = sizeof entries / sizeof *entries };

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
"""

ESCAPES = {ord('"'): '\\"', ord("\\"): "\\\\", ord("\n"): "\\n", ord("\t"): "\\t", ord("?"): "\\?"}


def fail(path, what):
    sys.exit(f"embed.py: {path}: {what}")


def read_text(path):
    data = path.read_bytes()
    try:
        first = data.decode("utf-8").split("\n", 1)[0].split("#", 1)[0].split()
    except UnicodeDecodeError as error:
        fail(path, f"is not UTF-8 at byte {error.start}")
    if b"\0" in data:
        fail(path, "holds a zero byte")
    if first != ["schedule", path.stem]:
        fail(path, f"begins with {' '.join(first)!r}, expected 'schedule {path.stem}'")
    return data


def literal(data):
    """One C string literal a line of text. Octal escapes have three digits, so no digit that follows can join them."""
    lines = []
    for line in data.splitlines(keepends=True):
        escaped = "".join(ESCAPES.get(b, chr(b) if 32 <= b < 127 else f"\\{b:03o}") for b in line)
        lines.append(f'     "{escaped}"')
    return "\n".join(lines)


def main():
    if len(sys.argv) < 3:
        sys.exit("usage: embed.py OUTPUT.c ALGO.sched ...")
    texts = {}
    for path in map(pathlib.Path, sys.argv[2:]):
        if path.stem in texts:
            fail(path, "comes twice")
        texts[path.stem] = read_text(path)
    parts = [HEAD]
    for name, data in sorted(texts.items(), key=lambda item: item[0].encode()):
        parts.append(f'    {{"{name}",\n{literal(data)},\n     {len(data)}}},\n')
    parts.append(TAIL)
    pathlib.Path(sys.argv[1]).write_text("".join(parts), encoding="ascii")


if __name__ == "__main__":
    main()
