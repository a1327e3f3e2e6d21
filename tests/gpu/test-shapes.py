#!/usr/bin/env python3
"""`topogemm bench shapes` on a GPU: every variant that runs is right, the best is kept, and `run` and `compare` take it. Skipped
where there is no GPU. Writes TAP.

Usage: test-shapes.py TOPOGEMM
"""
import configparser
import json
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
sys.path.insert(1, str(pathlib.Path(__file__).resolve().parents[1] / "golden"))
import schema_check  # noqa: E402
import tap  # noqa: E402

N = 384  # three tiles of clusters: the instances of most grids have edges


def call(program, folder, *words, expect=0):
    environment = {**os.environ, "XDG_CACHE_HOME": folder}
    done = subprocess.run([program, *words], capture_output=True, text=True, timeout=250, env=environment, cwd=folder)
    if done.returncode == 4:
        raise tap.Skipped(done.stderr.strip())
    assert done.returncode == expect, f"{' '.join(words)}: {done.returncode} {done.stderr}"
    return done


def document(program, folder, *words):
    found = json.loads(call(program, folder, *words, "--json").stdout)
    schema_check.check_document(found)
    return found


def kept_of(folder):
    """Variants by executor, schedule, grid and transport; and executors that a best shape is kept of."""
    file = configparser.ConfigParser(delimiters="=", interpolation=None)
    file.optionxform = str
    assert file.read(os.path.join(folder, "topogemm", "tuning.ini")), "nothing was kept"
    (section,) = file.sections()
    variants, best = {}, {}
    for key, value in file[section].items():
        on, kind, size, *shape = key.split()
        assert (kind, size) == ("f32", f"{N}x{N}x{N}"), key
        if shape:
            assert value.split()[0] == "variant" and int(value.split()[1]) >= 1, (key, value)
            variants[(on, *shape)] = int(value.split()[1])
        else:
            best[on] = value.split()
    return variants, best


def variant_key(row):
    return row["on"], row["algorithm"], row["grid"], row["transport"]


def check_rows(said):
    for row in said["results"]:
        assert "left_out" in row or (row["ok"] and row["time_s"] > 0 and 1 <= row["variant"] <= row["variants"]), row
    for on, least in [("clusters", 2), ("blocks", 3)]:
        rows = [row for row in said["results"] if row["on"] == on]
        variants = {row["variant"] for row in rows if "left_out" not in row}
        assert len(variants) >= least or all("left_out" in row for row in rows), (on, variants)
    seen = [(*variant_key(row), row["variant"]) for row in said["results"]]
    assert len(seen) == len(set(seen)), "a combination stands twice"
    assert said["choices"]


def test_sweep_is_kept_and_used(program, folder):
    said = document(program, folder, "bench", "shapes", "--sizes", str(N))
    check_rows(said)
    variants, best = kept_of(folder)
    assert set(best) == {choice["best"]["on"] for choice in said["choices"]}, best
    for choice in said["choices"]:
        shape = choice["best"]
        assert best[shape["on"]][:2] == [f"{shape['algorithm']}:{shape['grid']}:{shape['transport']}", str(shape["variant"])]
    for (on, algorithm, grid, transport), variant in [item for item in variants.items() if item[0][2] in ("2x2", "8x8")][:6]:
        words = [algorithm, "--grid", grid, "-n", str(N), "--on", on, "--transport", transport]
        found = document(program, folder, "run", *words, "--trials", "3")
        assert found["ok"] and (found["variant"], found["variant_from"]) == (variant, "tuned"), (words, variant, found["variant"])
        found = document(program, folder, "run", *words, "--trials", "3", "--no-cache")
        assert found["ok"] and found["variant_from"] == "chosen", words
        measured = [row["variant"] for row in said["results"] if "left_out" not in row and variant_key(row) == (on, algorithm, grid, transport)]
        assert len(measured) >= 2, words
        for number in measured:
            given = document(program, folder, "run", *words, "--trials", "3", "--variant", str(number))
            assert given["ok"] and (given["variant"], given["variant_from"]) == (number, "given"), (words, number)
        many = call(program, folder, "run", *words, "--variant", str(found["variants"] + 1), expect=2).stderr
        assert f"has no variant {found['variants'] + 1} of f32" in many, many
        text = call(program, folder, "run", *words, "--trials", "3").stdout
        assert f"{variant} of {found['variants']}" in text and "as measured by bench shapes" in text, text
    again = document(program, folder, "bench", "shapes", "--sizes", str(N))
    assert all("kept" in choice for choice in again["choices"]), again["choices"]


def test_compare_takes_the_kept_variant(program, folder):
    words = ["cannon", "--grid", "8x8", "-n", str(N), "--on", "blocks"]
    chosen = document(program, folder, "compare", *words, "--trials", "3")["measured"]
    assert chosen["variant_from"] == "chosen", chosen["variant_from"]
    variant = 1 + chosen["variant"] % chosen["variants"]
    given = document(program, folder, "compare", *words, "--trials", "3", "--variant", str(variant))["measured"]
    assert given["ok"] and (given["variant"], given["variant_from"]) == (variant, "given"), given


def test_quick_keeps_nothing(program, folder):
    said = document(program, folder, "bench", "shapes", "--quick")
    check_rows(said)
    assert {row["n"] for row in said["results"]} == {512}
    assert not os.path.exists(os.path.join(folder, "topogemm")), os.listdir(folder)


def test_double_precision(program, folder):
    said = document(program, folder, "bench", "shapes", "--quick", "--type", "f64", "--kernels", "cannon,dns")
    check_rows(said)
    assert {row["algorithm"] for row in said["results"]} == {"cannon", "dns"}
    assert {row["type"] for row in said["results"]} == {"f64"}


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv[1])
    sys.exit(tap.run_cases([(name, lambda folder, case=case: case(PROGRAM, folder)) for name, case in tap.cases_of(globals())]))
