#!/usr/bin/env python3
"""Puts the page together as a C array: build-page.py OUTPUT.c CORE.wasm PAGE.html PAGE.css SCRIPT.js...

Without a page: build-page.py OUTPUT.c --missing WHY
"""
import base64
import gzip
import json
import pathlib
import re
import sys


def array(data, missing):
    lines = [",".join(map(str, data[at:at + 64])) for at in range(0, len(data), 64)] or ["0"]
    return (f'#include "page-data.h"\n\nconst unsigned char tg_page_template[] = {{\n' + ",\n".join(lines) + "};\n"
            f"const size_t tg_page_template_bytes = {len(data)};\nconst char tg_page_missing[] = {json.dumps(missing)};\n")


def main():
    output, *words = sys.argv[1:]
    if words[0] == "--missing":
        pathlib.Path(output).write_text(array(b"", words[1]), encoding="ascii")
        return
    core, page, style, *scripts = map(pathlib.Path, words)
    script = "\n".join(path.read_text(encoding="utf-8") for path in scripts)
    if "</script" in script:
        sys.exit("build-page.py: a script holds </script")
    packed = base64.b64encode(gzip.compress(core.read_bytes(), 9, mtime=0)).decode()
    text = page.read_text(encoding="utf-8")
    for mark, value in {"@STYLE@": style.read_text(encoding="utf-8"), "@SCRIPT@": script, "@CORE@": packed}.items():
        text = text.replace(mark, value)
    if found := re.findall(r"@(STYLE|SCRIPT|CORE)@", text):
        sys.exit(f"build-page.py: left over: {found}")
    pathlib.Path(output).write_text(array(text.encode(), ""), encoding="ascii")


if __name__ == "__main__":
    main()
