#!/usr/bin/env python3
"""Runs the code of docs/guide/python.md: four plots, each of less than ten lines, of real output. Where Matplotlib is not
here, a stand-in takes what would be drawn. Prints TAP.

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


def check_plot(code):
    assert len(code.splitlines()) < 10, "ten lines or more"
    [file] = re.findall(r'savefig\("([\w.]+)"', code)
    pyplot = None if MATPLOTLIB else stand_in()
    names = {}
    for block in (BLOCKS[0], code):
        exec(compile(block, str(GUIDE), "exec"), names)  # noqa: S102  # pylint: disable=exec-used
    if not pyplot:
        assert os.path.getsize(file) > 1000
        return
    assert pyplot.calls[-1] == ("savefig", (file,)), pyplot.calls[-1]
    check_points(pyplot.calls)


if __name__ == "__main__":
    os.environ["MPLBACKEND"] = "Agg"
    os.environ["PATH"] = f"{PROGRAM.parent}{os.pathsep}{os.environ['PATH']}"
    assert PROGRAM.name == "topogemm" and len(BLOCKS) == 5, len(BLOCKS)
    sys.exit(tap.run_cases([(f"plot-{number}", lambda _, code=code: check_plot(code)) for number, code in enumerate(BLOCKS[1:], 1)]))
