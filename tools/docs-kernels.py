#!/usr/bin/env python3
"""Rewrites the marked regions of docs/kernels.md, tables of measured times, from bench/results/*.json.

A region stands between `<!-- FILE.json … -->`, which names the results it shows, and `<!-- end -->`. With --check nothing
is written: the status is 1 where the page differs from what would be written.

Usage: docs-kernels.py [--check] [PAGE]      PAGE: docs/kernels.md if not given
"""
import argparse
import difflib
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
REGION = re.compile(r"(^<!-- ([^\n]*\.json) -->\n).*?(^<!-- end -->\n)", re.M | re.S)


def cell(result):
    """Speed, and in brackets the part of cuBLAS's."""
    if result is None:
        return ""
    if "left_out" in result:
        return "-"
    return f"{result['gflops'] / 1e3:.2f} ({result['ratio_to_cublas']:.3f})"


def table(names):
    """A line a kernel, a column a size."""
    files = [json.loads((ROOT / "bench" / "results" / name).read_text(encoding="utf-8")) for name in names]
    results = [result for one in files for result in one["results"]]
    sizes = sorted({result["n"] for result in results})
    kernels = list(dict.fromkeys(result["kernel"] for result in results))
    found = {(result["kernel"], result["n"]): result for result in results}
    environment = files[0]["environment"]
    head = "| kernel | " + " | ".join(f"n = {size}" for size in sizes) + " | relative error, largest |"
    lines = [head, "|---|" + "---|" * (len(sizes) + 1)]
    for kernel in kernels:
        row = [found.get((kernel, size)) for size in sizes]
        errors = [result["relative_error"] for result in row if result and "left_out" not in result]
        if errors:
            cells = " | ".join(cell(result) for result in row)
            lines.append(f"| {kernel} | {cells} | {max(errors):.1e} |")
    trials = sorted({result["trials"] for result in results if "trials" in result})
    lines += ["", f"{environment['device']}, {environment['multiprocessors']} multiprocessors at "
              f"{environment['clock_mhz_before']} MHz, CUDA {environment['cuda'] // 1000}."
              f"{environment['cuda'] % 1000 // 10}; medians of {trials[0]} to {trials[-1]} launches after two."]
    return "\n".join(lines) + "\n"


def main():
    """Writes or checks the page."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("page", nargs="?", type=pathlib.Path, default=ROOT / "docs" / "kernels.md")
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    old = arguments.page.read_text(encoding="utf-8")
    new, count = REGION.subn(lambda match: match.group(1) + table(match.group(2).split()) + match.group(3), old)
    if count == 0:
        sys.exit(f"{arguments.page}: expected regions from <!-- FILE.json --> to <!-- end -->")
    if not arguments.check:
        arguments.page.write_text(new, encoding="utf-8")
    elif new != old:
        sys.exit("".join(difflib.unified_diff(old.splitlines(True), new.splitlines(True), "page", "should be")))


if __name__ == "__main__":
    main()
