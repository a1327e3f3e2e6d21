#!/usr/bin/env python3
"""Writes the library of machines as a C table: embed-machines.py OUTPUT.c NAME.machine ...

As embed.py does for schedules: the texts keep their bytes; a file that is not UTF-8, that does not begin with [machine]
below its comments, or that comes twice is an error.
"""
import pathlib
import sys

sys.dont_write_bytecode = True  # the build leaves nothing beside the sources
from embed import fail, literal  # noqa: E402

HEAD = """/* Written by tools/embed-machines.py from machines/; edit the texts there. */
#include "machine-library.h"

#include <stdlib.h>
#include <string.h>

static const TgMachineEntry entries[] = {
"""

TAIL = """};

enum { COUNT = sizeof entries / sizeof *entries };

static int compare(const void *name, const void *entry) {
  return strcmp((const char *)name, ((const TgMachineEntry *)entry)->name);
}

const TgMachineEntry *tg_machine_library_list(size_t *count) {
  *count = COUNT;
  return entries;
}

const TgMachineEntry *tg_machine_library_find(const char *name) {
  return (const TgMachineEntry *)bsearch(name, entries, COUNT, sizeof *entries, compare);
}
"""


def read_text(path):
    data = path.read_bytes()
    try:
        lines = [line.split("#", 1)[0].strip() for line in data.decode("utf-8").split("\n")]
    except UnicodeDecodeError as error:
        fail(path, f"is not UTF-8 at byte {error.start}")
    if b"\0" in data:
        fail(path, "holds a zero byte")
    first = next(filter(None, lines), "")
    if path.suffix != ".machine" or first != "[machine]":
        fail(path, f"begins with {first!r}, expected NAME.machine that begins with '[machine]'")
    return data


def main():
    if len(sys.argv) < 3:
        sys.exit("usage: embed-machines.py OUTPUT.c NAME.machine ...")
    texts = {}
    for path in map(pathlib.Path, sys.argv[2:]):
        if path.stem in texts:
            fail(path, "comes twice")
        texts[path.stem] = read_text(path)
    rows = [f'    {{"{name}",\n{literal(data)},\n     {len(data)}}},\n'
            for name, data in sorted(texts.items(), key=lambda item: item[0].encode())]
    pathlib.Path(sys.argv[1]).write_text(HEAD + "".join(rows) + TAIL, encoding="ascii")


if __name__ == "__main__":
    main()
