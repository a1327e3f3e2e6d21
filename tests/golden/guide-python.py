#!/usr/bin/env python3
"""Runs the code of docs/guide/python.md: the package's, and plots, each of less than ten lines, of real output. Where
Matplotlib is not here, a stand-in takes what would be drawn. Prints TAP.

Usage: guide-python.py TOPOGEMM
"""
import importlib.util
import math
import os
import pathlib
import re
import sys
import types

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import tap  # noqa: E402

MATPLOTLIB = importlib.util.find_spec("matplotlib") is not None
GUIDE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "guide" / "python.md"
PROGRAM = pathlib.Path(sys.argv[1]).resolve()
PACKAGE = all(importlib.util.find_spec(name) for name in ("numpy", "topogemm"))
PACKAGED = "import topogemm\n"
BLOCKS = re.findall(r"^```python\n(.*?)^```$", GUIDE.read_text(encoding="utf-8"), re.M | re.S)


class Pyplot(types.ModuleType):
    """Keeps the calls of the functions that the guide uses."""

    def __init__(self):
        super().__init__("matplotlib.pyplot")
        self.calls = []

    def __getattr__(self, name):
        assert name in ("figure", "loglog", "errorbar", "bar", "xlabel", "ylabel", "xticks", "legend", "savefig"), name
        return lambda *words, **options: self.calls.append((name, words))


def stand_in():
    matplotlib = types.ModuleType("matplotlib")
    matplotlib.pyplot = sys.modules["matplotlib.pyplot"] = Pyplot()
    sys.modules["matplotlib"] = matplotlib
    return matplotlib.pyplot


def check_points(calls):
    """Curves have as many places as values, and all values are times or counts."""
    curves = [words for name, words in calls if name in ("loglog", "errorbar", "bar")]
    assert curves
    for places, values, *_ in curves:
        assert len(places) == len(values) > 1, (places, values)
        assert all(isinstance(one, (int, float)) and math.isfinite(one) and one > 0 for one in values), values


def run_block(code, names):
    exec(compile(code, str(GUIDE), "exec"), names)  # noqa: S102  # pylint: disable=exec-used


def check_package(_):
    if not PACKAGE:
        raise tap.Skipped("no Python package, or no NumPy")
    names, said = {}, []
    run_block(BLOCKS[0], names | {"print": lambda *words: said.append(words)})
    assert said[0] == (True, 120, 8) and (True,) in said and os.path.getsize("step.svg") > 1000, said
    assert any(words[0] == "cosma" and len(words) == 4 for words in said), said


def check_plot(code, before):
    if not PACKAGE and before == PACKAGED:
        raise tap.Skipped("no Python package, or no NumPy")
    assert len(code.splitlines()) < 10, "ten lines or more"
    [file] = re.findall(r'savefig\("([\w.]+)"', code)
    pyplot = None if MATPLOTLIB else stand_in()
    names = {}
    for block in (before, code):
        run_block(block, names)
    if not pyplot:
        assert os.path.getsize(file) > 1000
        return
    assert pyplot.calls[-1] == ("savefig", (file,)), pyplot.calls[-1]
    check_points(pyplot.calls)


if __name__ == "__main__":
    os.environ["MPLBACKEND"] = "Agg"
    os.environ["PATH"] = f"{PROGRAM.parent}{os.pathsep}{os.environ['PATH']}"
    assert PROGRAM.name == "topogemm" and len(BLOCKS) == 6 and "def command" in BLOCKS[2], len(BLOCKS)
    plots = [(PACKAGED, BLOCKS[1]), *((BLOCKS[2], code) for code in BLOCKS[3:])]
    sys.exit(tap.run_cases([("package", check_package)] +
                           [(f"plot-{number}", lambda _, code=code, before=before: check_plot(code, before)) for number, (before, code) in enumerate(plots, 1)]))
