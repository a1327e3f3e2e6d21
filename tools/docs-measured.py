#!/usr/bin/env python3
"""Rewrites the marked regions of documents, tables of measured times, from bench/results/*.json.

A region stands between `<!-- TABLE: FILE.json … -->`, which names the table and the results that it shows, and
`<!-- end -->`. Results that are not there are not shown; where none of a region's are, the region says so. With --check
nothing is written: the status is 1 where a page differs from what would be written.

Usage: docs-measured.py [--check] [--results FOLDER] [PAGE …]    PAGE (default): every page below docs/ that has a region
"""
import argparse
import difflib
import json
import pathlib
import re
import sys

from measured_common import grid, is_square, markdown, rows_of, seconds, show_rate, show_time, show_whole, where
import measured_choices
import measured_huge
import measured_pegmm
import measured_products
import measured_ranks
import measured_runs

ROOT = pathlib.Path(__file__).resolve().parent.parent
REGION = re.compile(r"(^<!-- ([a-z0-9-]+): ([^\n]*\.json) -->\n).*?(^<!-- end -->\n)", re.M | re.S)


# --- the ladder -------------------------------------------------------------------------------------------------------


def ladder_cell(result):
    """Speed, and in brackets the part of cuBLAS's."""
    if result is None:
        return ""
    if "left_out" in result:
        return "-"
    return f"{result['gflops'] / 1e3:.2f} ({result['ratio_to_cublas']:.3f})"


def ladder(files):
    """A line a kernel, a column a size."""
    results = rows_of(files)
    sizes = sorted({result["n"] for result in results})
    kernels = list(dict.fromkeys(result["kernel"] for result in results))
    found = {(result["kernel"], result["n"]): result for result in results}
    lines = []
    for kernel in kernels:
        row = [found.get((kernel, size)) for size in sizes]
        errors = [result["relative_error"] for result in row if result and "left_out" not in result]
        if errors:
            lines.append([kernel] + [ladder_cell(result) for result in row] + [f"{max(errors):.1e}"])
    trials = sorted({result["times"]["trials"] for result in results if "times" in result})
    heads = ["kernel"] + [f"n = {size}" for size in sizes] + ["relative error, largest"]
    return markdown(heads, lines) + ["", f"Medians of {trials[0]} to {trials[-1]} launches after two. {where(files)}"]


def ladder_alone(files):
    """The smallest size, where launches count: those that the device waits for, and those that find it idle."""
    results = [result for result in rows_of(files) if "left_out" not in result]
    n = min(result["n"] for result in results)
    lines = [[row["kernel"], f"{row['time_s'] * 1e6:.1f}", f"{row['ratio_to_cublas']:.3f}", f"{row['alone_s'] * 1e6:.1f}",
              f"{row['alone_ratio_to_cublas']:.3f}"] for row in results if row["n"] == n]
    return markdown([f"n = {n}", "waited for, µs", "of cuBLAS", "alone, µs", "of cuBLAS"], lines)


# --- O'Neil -----------------------------------------------------------------------------------------------------------


def micro(time, key):
    """A figure of a measurement in microseconds."""
    return "-" if not time or time.get(key) is None else f"{time[key] * 1e6:.1f}"


def oneil_table(files, n):
    """The paper's line, and ours."""
    lines, notes = [], []
    for row in rows_of(files):
        if row["n"] != n or "left_out" in row or not ("paper_times" in row or row["method"].endswith("-nothing")):
            continue
        paper, kernel = row.get("paper_times"), row["kernel_times"]
        of_paper = [str(paper["trials"])] + [micro(paper, key) for key in ("min", "max", "mean", "stddev")] if paper else ["-"] * 5
        wrong = "" if row.get("ok", True) else " *"
        notes = ["", "*: not the product."] if wrong else notes
        name = row["method"] + (f", width {row['width']}" if "width" in row else "") + wrong
        ours = [micro(kernel, key) for key in ("min", "max", "mean", "stddev", "median")]
        rest = [micro(row.get(key), "median") for key in ("call_times", "transfer_in_times", "transfer_out_times")]
        lines.append([name] + of_paper + [str(kernel["trials"])] + ours + rest)
    heads = ["µs", "paper: trials", "min", "max", "avg", "std", "here, kernel: trials", "min", "max", "avg", "std", "median",
             "call to end", "operands in", "result out"]
    return markdown(heads, lines) + notes + ["", where(files)]


def oneil_growth(files):
    """Medians of all that takes any size."""
    any_size = ["cpu"] + list(dict.fromkeys(row["method"] for row in rows_of(files) if "split" in row and row["method"] != "chosen"))
    columns = [(name.removeprefix("oneil-"), name, None) for name in any_size + ["chosen", "cublas"]]
    left_out = sorted({f"{row['method']} at {row['n']} {row['left_out']}" for row in rows_of(files) if "left_out" in row})
    lines = grid(files, columns, show_time) + ["", where(files)]
    return lines + (["", "Left out: " + "; ".join(left_out) + "."] if left_out else [])


def division(files):
    """A line a size: the best, the rule's choice, the paper's own."""

    def cell(one):
        if not one:
            return "-"
        return f"{one['kernel']}, width {one['width']}, split {one['split']}: {seconds(one['time_s']) if one['time_s'] else 'not measured'}"

    def ratio(one):
        return "-" if not one or one["ratio_to_best"] is None else f"{one['ratio_to_best']:.2f}"

    lines = []
    for choice in [choice for one in files for choice in one["choices"]]:
        best, rule, paper = (choice.get(key) for key in ("best", "rule", "paper"))
        lines.append([str(choice["n"]), str(choice["divisions"]), cell(best), cell(rule), ratio(rule), cell(paper), ratio(paper)])
    heads = ["n", "divisions", "best", "the rule's", "time / best", "the paper's", "time / best"]
    return markdown(heads, lines) + ["", where(files)]


# --- the essay --------------------------------------------------------------------------------------------------------

ESSAY = [("CPU", "cpu", None), ("naive", "essay-naive", 16), ("tiled", "essay-tiled", 16),
         ("coalesced", "essay-coalesced", 16), ("no conflicts", "essay-no-conflicts", 16), ("outer", "essay-outer", 16),
         ("prefetch", "essay-prefetch", 16), ("cuBLAS", "cublas", None)]


def essay_widths(files):
    """Gflop/s of the largest square size, by the width of blocks."""
    widths = [4, 8, 16, 32]
    rows = [row for row in rows_of(files) if is_square(row) and "kernel_times" in row]
    n = max(row["n"] for row in rows)
    found = {(row["method"], row.get("width")): row for row in rows if row["n"] == n}
    lines = [[head] + [f"{found[method, w]['gflops']:.4g}" if (method, w) in found else "-" for w in widths]
             for head, method, width in ESSAY if width]
    return markdown([f"Gflop/s at n = {n}"] + [f"{w}×{w}" for w in widths], lines) + ["", where(files)]


def essay_oblongs(files):
    """Where no matrix is square."""
    columns = [("CPU", "cpu"), ("naive", "essay-naive"), ("prefetch", "essay-prefetch"), ("cuBLAS", "cublas")]
    rows = [row for row in rows_of(files) if not is_square(row)]
    sizes = list(dict.fromkeys((row["m"], row["n"], row["k"]) for row in rows))
    found = {(row["method"], row["m"], row["n"], row["k"]): row for row in rows}
    lines = [["×".join(map(str, size))] + [show_time(found.get((method, *size))) for _, method in columns] for size in sizes]
    return markdown(["m×n×k"] + [head for head, _ in columns], lines) + ["", where(files)]


TRANSPOSE = [("CPU", "cpu", None), ("naive", "essay-transpose-naive", 16), ("unpadded", "essay-transpose-unpadded", 16),
             ("shared", "essay-transpose-shared", 16), ("naive, 32×32", "essay-transpose-naive", 32),
             ("unpadded, 32×32", "essay-transpose-unpadded", 32), ("shared, 32×32", "essay-transpose-shared", 32),
             ("copy", "essay-copy", 16), ("copy, 32×32", "essay-copy", 32), ("cudaMemcpy", "memcpy", None)]
OFTEN = [("naive", "essay-transpose-naive/100", 16), ("unpadded", "essay-transpose-unpadded/100", 16),
         ("shared", "essay-transpose-shared/100", 16), ("naive, 32×32", "essay-transpose-naive/100", 32),
         ("unpadded, 32×32", "essay-transpose-unpadded/100", 32),
         ("shared, 32×32", "essay-transpose-shared/100", 32), ("copy", "essay-copy/100", 16)]

# --- the page in a browser -------------------------------------------------------------------------------------------


def page_steps(files):
    """A line a grid: how long a step takes until it is painted."""
    environment = files[0]["environment"]
    lines = [[one["grid"].replace("x", "×") + (f", {one['as']}" if one["as"] else ""), f"{one['opened_ms']}",
              f"{one['median_ms']:.0f}", f"{one['aimed_ms']}" if one["aimed_ms"] else "", f"{one['most_ms']:.0f}", f"{one['settled_median_ms']:.0f}"]
             for file in files for one in file["results"]]
    embeds = [f"Three embedded pages, {', '.join(one['pages'])}, each playing {one['steps_per_s']} steps per second: "
              f"{one['frames_per_s']} frames per second, {100 * one['late_share']:.1f} % late, slowest frame {one['most_ms']} ms."
              for one in (file["embeds"] for file in files if "embeds" in file)]
    return markdown(["cannon on", "page opened, ms", "step painted, ms", "target", "slowest", "whole page updated, ms"], lines) + [
        "", f"{environment['browser']}, {environment['cores']} cores of {environment['processor']}, a window of {environment['window']}; "
        f"medians of {files[0]['results'][-1]['steps']} steps, or as many as there are.", *(words for one in embeds for words in ("", one))]


# --- pages ------------------------------------------------------------------------------------------------------------

TABLES = {
    "page-steps": page_steps,
    "ladder": ladder,
    "ladder-alone": ladder_alone,
    "oneil-1": lambda files: oneil_table(files, 8),
    "oneil-2": lambda files: oneil_table(files, 16),
    "oneil-growth": oneil_growth,
    "division": division,
    "essay": lambda files: grid(files, ESSAY, show_time) + ["", where(files)],
    "essay-whole": lambda files: grid(files, ESSAY, show_whole) + ["", where(files)],
    "essay-widths": essay_widths,
    "essay-oblongs": essay_oblongs,
    "transpose": lambda files: grid(files, TRANSPOSE, show_rate) + ["", where(files)],
    "transpose-often": lambda files: grid(files, OFTEN, show_rate) + ["", where(files)],
    "ranks-speed": measured_ranks.speed,
    "broadcast": measured_ranks.broadcast,
} | measured_choices.TABLES | measured_huge.TABLES | measured_pegmm.TABLES | measured_products.TABLES | measured_runs.TABLES


def region(folder, table, names):
    """The text of a region."""
    if table not in TABLES:
        sys.exit(f"no table {table}; there are {', '.join(sorted(TABLES))}")
    paths = [folder / name for name in names]
    files = [json.loads(path.read_text(encoding="utf-8")) for path in paths if path.exists()]
    if not files:
        return f"Not measured: there is no {' or '.join(f'`bench/results/{name}`' for name in names)}.\n"
    return "\n".join(TABLES[table](files)) + "\n"


def pages_with_regions():
    """Every page below docs/ that has a table."""
    return [page for page in sorted((ROOT / "docs").rglob("*.md")) if REGION.search(page.read_text(encoding="utf-8"))]


def main():
    """Writes or checks the pages."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("pages", nargs="*", type=pathlib.Path)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--results", type=pathlib.Path, default=ROOT / "bench" / "results")
    arguments = parser.parse_args()
    failed = False
    for page in arguments.pages or pages_with_regions():
        old = page.read_text(encoding="utf-8")
        new, count = REGION.subn(
            lambda match: match[1] + region(arguments.results, match[2], match[3].split()) + match[4], old)
        if count == 0:
            sys.exit(f"{page}: expected regions from <!-- TABLE: FILE.json --> to <!-- end -->")
        if not arguments.check:
            page.write_text(new, encoding="utf-8")
        elif new != old:
            failed = True
            sys.stderr.writelines(difflib.unified_diff(old.splitlines(True), new.splitlines(True), str(page), "should be"))
    sys.exit(failed)


if __name__ == "__main__":
    main()
