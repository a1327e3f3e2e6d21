#!/usr/bin/env python3
"""The letters of PNG, GIF and PDF, which are drawn here: that they are letters, whatever fonts a machine has. A letter that
no font has is drawn as a box with its number in it, small, in another font. Writes TAP.

Usage: test-fonts.py TOPOGEMM
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import zlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import tap  # noqa: E402

PROGRAM = str(pathlib.Path(sys.argv[1]).resolve())
CONFIGURATION = """<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>{folder}/fonts</dir><cachedir>{folder}/cache</cachedir>
<match target="scan"><test name="family"><string>Liberation Sans</string></test>
<edit name="charset" mode="assign"><minus><name>charset</name><charset><range><int>0x2080</int><int>0x2089</int></range></charset>
</minus></edit></match>
<alias><family>sans-serif</family><prefer><family>DejaVu Serif</family></prefer></alias></fontconfig>"""


def machine(folder, *families):
    """The environment of a machine that has these fonts and no others; its default one has serifs. Liberation Sans has the
    digits from version 2 on, and is said to lack them."""
    (folder / "fonts").mkdir()
    for family in families:
        found = subprocess.run(["fc-list", f":family={family}", "file"], capture_output=True, text=True, check=True).stdout
        if not found:
            raise tap.Skipped(f"the font {family} is not installed")
        for path in found.splitlines():
            shutil.copy(path.rstrip(": "), folder / "fonts")
    (folder / "fonts.conf").write_text(CONFIGURATION.format(folder=folder), encoding="utf-8")
    return {"FONTCONFIG_FILE": str(folder / "fonts.conf")}


def draw(path, *words, env=None):
    """What draw says on standard error."""
    environment = os.environ | (env or {})
    if "ASAN_OPTIONS" in environment:  # leaks of the plug-ins of libgvc are known by their library only from whole stacks
        environment["ASAN_OPTIONS"] += ":fast_unwind_on_malloc=0"
    words = [PROGRAM, "draw", "cannon", "--grid", "2x2", *words, "-o", path]
    done = subprocess.run(words, capture_output=True, text=True, env=environment, timeout=100, check=False)
    assert done.returncode == 0, done.stderr
    return done.stderr


def streams(data):
    """A PDF's own text and what is in its streams."""
    yield data
    for begin in re.finditer(rb"stream\r?\n", data):
        try:
            yield zlib.decompressobj().decompress(data[begin.end():])
        except zlib.error:
            pass


class Letters:
    """The letters of a PDF: their fonts, their code points, and the words that stand in one font."""

    def __init__(self, path):
        parts = list(streams(pathlib.Path(path).read_bytes()))
        whole = b"\n".join(parts)
        self.fonts = {name.decode() for name in re.findall(rb"/BaseFont */[A-Z]{6}\+([\w-]+)", whole)}
        maps = b"\n".join(re.findall(rb"beginbf(?:char|range)(.*?)endbf", whole, re.S))
        self.points = {int(code, 16) for code in re.findall(rb"<([0-9a-fA-F]{4})>$", maps, re.M)}
        self.words = {"".join(re.findall(r"\(([^)]*)\)", text.decode("latin-1")))
                      for text in re.findall(rb"\[(.*?)\] ?TJ", whole)} | {
                          text.decode("latin-1") for text in re.findall(rb"\(([^)]*)\) ?Tj", whole)}


def test_letters(folder):
    """With the fonts that are installed."""
    said = draw("f.pdf")
    letters = Letters("f.pdf")
    assert said == "", said
    assert {0x2080, 0x2081, ord("A"), ord("B")} <= letters.points, sorted(letters.points)
    assert "A01" not in letters.words


def test_digits_are_chosen(folder):
    """Not those of whichever font comes first."""
    said = draw("f.pdf", env=machine(folder, "Liberation Sans", "DejaVu Serif", "DejaVu Sans"))
    letters = Letters("f.pdf")
    assert said == "" and {0x2080, 0x2081} <= letters.points
    assert letters.fonts <= {"LiberationSans", "LiberationSans-Bold", "DejaVuSans"}, letters.fonts


def test_plain_digits(folder):
    """Where no font has them it is A01, not boxes, and draw says so once; text that others draw keeps A₀₁."""
    bare = machine(folder, "Liberation Sans")
    note = draw("f.pdf", env=bare)
    letters = Letters("f.pdf")
    assert letters.fonts == {"LiberationSans", "LiberationSans-Bold"}, letters.fonts
    assert {"A01", "B10"} <= letters.words and not letters.points & set(range(0x2080, 0x208a)), letters.words
    assert note.startswith("topogemm: note: ") and "fonts-dejavu-core" in note and note.count("\n") == 1, note
    assert draw("f.png", env=bare) == draw("f.gif", env=bare) == draw("f-%d.png", "--all", env=bare) == note
    assert draw("f.png", "--quiet", env=bare) == ""
    for path in ["f.svg", "f.dot"]:
        assert draw(path, env=bare) == ""
        assert "A₀₁" in pathlib.Path(path).read_text(encoding="utf-8")


def test_no_font(folder):
    """Boxes are no picture: exit 4 with the package, and no file; text needs no font here."""
    bare = machine(folder)
    for words in [["--step", "1", "-o", "f.png"], ["-o", "f.gif"], ["--memory", "-o", "f.pdf"]]:
        done = subprocess.run([PROGRAM, "draw", "cannon", "--grid", "2x2", *words], capture_output=True, text=True,
                              env=os.environ | bare, timeout=100, check=False)
        assert done.returncode == 4 and "no font is installed" in done.stderr, (done.returncode, done.stderr)
        assert "fonts-dejavu-core" in done.stderr and not os.path.exists(words[-1]), done.stderr
    assert draw("f.svg", env=bare) == ""


def test_plain_pictures(folder):
    """What has no such digits needs no note."""
    bare = machine(folder, "Liberation Sans")
    assert draw("f.png", "--memory", env=bare) == ""
    words = [PROGRAM, "draw", "cannon", "--grid", "40x40", "-o", "f.png"]
    assert subprocess.run(words, capture_output=True, env=os.environ | bare, timeout=100, check=True).stderr == b""


if __name__ == "__main__":
    sys.exit(tap.run_cases(tap.cases_of(globals())))
