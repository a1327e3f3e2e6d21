#!/usr/bin/env python3
"""Checks against NumPy that .npy, .mtx and raw files mean what NumPy means by them. Prints TAP.

Usage: npy-numpy.py MATRIX-CONVERT, the program built from matrix-convert.c.
"""

import pathlib
import subprocess
import sys
import tempfile

try:
    import numpy as np
except ImportError:
    print("1..0 # SKIP NumPy is not installed (python3-numpy)")
    sys.exit(0)

CONVERT = sys.argv[1]
SHAPES = [(), (1,), (7,), (1, 1), (1, 5), (5, 1), (3, 4), (130, 67)]
POINTS = []


def convert(source, target, *request):
    """The words of the error, or None."""
    run = subprocess.run([CONVERT, source, target, *map(str, request)], capture_output=True, text=True, check=False)
    return None if run.returncode == 0 else f"exit {run.returncode}: {run.stderr.strip()}"


def point(name, problem):
    POINTS.append(problem is None)
    print(f"{'ok' if problem is None else 'not ok'} {len(POINTS)} {name}")
    if problem is not None:
        print(f"# {problem}")


def example(shape, dtype):
    rng = np.random.default_rng(20)
    numbers = np.asarray(rng.standard_normal(shape) * 10.0 ** rng.integers(-30, 30, shape))
    if numbers.size > 3:
        numbers.flat[:3] = np.nan, -np.inf, -0.0
    return numbers.astype(dtype)


def as_row(array):
    return array.reshape(1, -1) if array.ndim < 2 else array


def different(found, expected):
    if found.dtype != expected.dtype or found.shape != expected.shape:
        return f"{found.dtype} {found.shape}, expected {expected.dtype} {expected.shape}"
    same = np.array_equal(found, expected, equal_nan=True) and np.array_equal(np.signbit(found), np.signbit(expected))
    return None if same else "other elements"


def check_npy(folder, dtype, order, version):
    """NumPy writes every shape, we read and write it, and NumPy reads the same; byte by byte as NumPy would write."""
    for shape in SHAPES:
        source, target, plain = folder / "in.npy", folder / "out.npy", folder / "plain.npy"
        array = np.asarray(example(shape, dtype), order=order)
        with open(source, "wb") as file:
            np.lib.format.write_array(file, array, version=version)
        expected = np.ascontiguousarray(as_row(array)).astype(array.dtype.newbyteorder("="))
        np.save(plain, expected)
        problem = convert(source, target) or different(np.load(target), expected)
        if problem is None and target.read_bytes() != plain.read_bytes():
            problem = "the file's bytes are not NumPy's"
        if problem:
            return f"shape {shape}: {problem}"
    return None


def check_conversion(folder):
    source, target = folder / "in.npy", folder / "out.npy"
    array = np.random.default_rng(21).standard_normal((20, 30))
    np.save(source, array)
    return convert(source, target, "f32") or different(np.load(target), array.astype("f4"))


def check_mtx(folder, dtype):
    """Our .mtx, read as its definition says: a banner, the sizes, the elements column by column."""
    source, text, target = folder / "in.npy", folder / "x.mtx", folder / "out.npy"
    array = example((13, 9), dtype)
    array[0, 0] = 0.1  # its NaN has a sign, which text may lose
    np.save(source, array)
    name = {"<f4": "f32", "<f8": "f64"}[dtype]
    problem = convert(source, text) or convert(text, target, name)
    if problem:
        return problem
    lines = text.read_text().split("\n")
    found = np.array([float(line) for line in lines[2:-1]]).reshape(9, 13).T.astype(dtype)
    if lines[:2] != ["%%MatrixMarket matrix array real general", "13 9"]:
        return f"the file begins with {lines[:2]}"
    return different(found, array) or different(np.load(target), array)


def check_raw(folder, dtype):
    source, raw, target = folder / "in.npy", folder / "x.raw", folder / "out.npy"
    array = example((4, 6), dtype)
    np.save(source, array)
    name = {"<f4": "f32", "<f8": "f64"}[dtype]
    problem = convert(source, raw) or convert(raw, target, name, 4, 6)
    return problem or different(np.fromfile(raw, dtype).reshape(4, 6), array) or different(np.load(target), array)


def check_refused(folder, array, words):
    source, target = folder / "in.npy", folder / "refused.npy"
    np.save(source, array)
    problem = convert(source, target) or "accepted"
    if target.exists():
        return "a file was left"
    return None if problem.startswith("exit 2") and words in problem else problem


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for dtype in "<f4", "<f8", ">f4", ">f8":
            for order in "C", "F":
                for version in (1, 0), (2, 0), (3, 0):
                    label = f"npy {dtype} order {order} version {version[0]}.{version[1]}"
                    point(label, check_npy(folder, dtype, order, version))
        point("npy f64 as f32", check_conversion(folder))
        for dtype in "<f4", "<f8":
            point(f"mtx {dtype}", check_mtx(folder, dtype))
            point(f"raw {dtype}", check_raw(folder, dtype))
        point("refused: integers", check_refused(folder, np.arange(6), "dtype <i8 is not supported"))
        point("refused: half", check_refused(folder, np.ones(2, "f2"), "dtype <f2 is not supported"))
        point("refused: objects", check_refused(folder, np.array([None]), "an array of Python objects"))
        point("refused: records", check_refused(folder, np.zeros(2, [("a", "f8")]), "dtype of records"))
        point("refused: 3 dimensions", check_refused(folder, np.zeros((2, 2, 2)), "no more than two dimensions"))
        point("refused: no elements", check_refused(folder, np.zeros((0, 2)), "an extent of at least 1"))
    print(f"1..{len(POINTS)}")
    return 0 if all(POINTS) else 1


if __name__ == "__main__":
    sys.exit(main())
