#!/usr/bin/env python3
"""The tables of measured times that tools/docs-measured.py writes into documents, on figures made up. Writes TAP.

Usage: test-docs-measured.py DOCS-MEASURED.py
"""
import json
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import tap  # noqa: E402

SCRIPT = str(pathlib.Path(sys.argv[1]).resolve())
GPU = {"version": "0", "device": "a card", "compute_capability": 9, "multiprocessors": 132, "clock_mhz_before": 1980,
       "clock_mhz_after": 1980, "driver": 13000, "cuda": 13000, "processor": "a processor", "cores": 16, "blas": "a BLAS"}


def time(median):
    return {"trials": 5, "warmup": 2, "min": median / 2, "median": median, "mean": median, "max": 2 * median, "stddev": median / 8}


def row(method, n, median, **more):
    """A square row on the GPU; k is 1 of what only moves."""
    made = {"method": method, "place": "gpu", "type": "f32", "m": n, "n": n, "k": n, "time_s": median,
            "kernel_times": time(median), "call_times": time(2 * median), "transfer_in_times": time(4 * median),
            "transfer_out_times": time(8 * median),
            "flops": 2 * n**3, "bytes": 12 * n**2, "gflops": 2 * n**3 / median * 1e-9, "bytes_per_s": 12 * n**2 / median}
    return made | more


def write(folder, name, results, **more):
    (folder / name).write_text(json.dumps({"experiment": "x", "environment": GPU, "results": results} | more))


def rewrite(folder, table, *words, files="a.json", expect=0):
    """What the script makes of a page with one region."""
    page = folder / "page.md"
    if "--check" not in words:
        page.write_text(f"before\n<!-- {table}: {files} -->\nold\n<!-- end -->\nafter\n")
    done = subprocess.run([sys.executable, SCRIPT, "--results", folder, *words, page], capture_output=True, text=True, check=False)
    assert done.returncode == expect, done.stderr
    return page.read_text() if not expect else done.stderr


def test_missing(folder):
    text = rewrite(folder, "oneil-1", files="a.json b.json")
    assert text == ("before\n<!-- oneil-1: a.json b.json -->\nNot measured: there is no `bench/results/a.json` or "
                    "`bench/results/b.json`.\n<!-- end -->\nafter\n"), text
    rewrite(folder, "oneil-1", "--check")
    write(folder, "a.json", [row("oneil-nothing", 8, 5e-6)])
    assert "+| oneil-nothing" in rewrite(folder, "oneil-1", "--check", expect=1)
    assert "no table nothing" in rewrite(folder, "nothing", expect=1)


def test_checks(folder):
    def check(test, tool, said, status=0, piece=1, pieces=1, commit="abc"):
        return {"test": test, "tool": tool, "piece": piece, "pieces": pieces, "status": status, "said": said, "seconds": 1, "commit": commit}

    clean = "racecheck summary: 0 hazards displayed, 3 passed, 0 skipped"
    (folder / "a.json").write_text(json.dumps({"checks": [
        check("kernels", "test", "26 passed, 0 skipped"), check("kernels", "racecheck", clean, 0, 1, 2),
        check("kernels", "racecheck", clean, 0, 2, 2, "def"), check("kernels", "memcheck", "no kernel", 9),
        check("blocks", "racecheck", clean, 0, 1, 4), check("blocks", "racecheck", "ended after 45 s", 124, 2, 4),
        check("blocks", "racecheck", "not clean", 1, 3, 4), check("blocks", "synccheck", "ended after 9 s", 124)]}))
    lines = rewrite(folder, "checks").splitlines()
    assert "| test-kernels | 26 passed, 0 skipped | **failed** | racecheck summary: 0 hazards displayed, 6 passed, 0 skipped, in 2 parts | - |" in lines, lines
    assert "| test-blocks | - | - | 1 of 4 parts: 1 not ended within 1 s, 1 **failed**, 1 not run | not ended within 1 s |" in lines, lines
    assert "At commits abc, def." in lines, lines


def test_oneil(folder):
    paper = {"trials": 15, "min": 277.5e-6, "mean": 281.6e-6, "max": 287.7e-6, "stddev": 3.2e-6}
    write(folder, "a.json", [row("oneil-cannon", 8, 6e-6, paper_times=paper), row("oneil-cannon-tiles", 8, 7e-6, width=8),
                             row("oneil-cannon-tiles", 16, 2.5e-3, width=8, split=2),
                             {"method": "cpu", "place": "cpu", "type": "f32", "m": 8, "n": 8, "k": 8, "time_s": 1e-6, "call_times": time(1e-6)}])
    write(folder, "b.json", [row("oneil-cannon-tiles", 32, 1.5, width=8), row("cublas", 32, 1e-6),
                             {"method": "cpu", "place": "cpu", "type": "f32", "m": 32, "n": 32, "k": 32, "left_out": "would take long"}])
    text = rewrite(folder, "oneil-1")
    assert ("| oneil-cannon | 15 | 277.5 | 287.7 | 281.6 | 3.2 | 5 | 3.0 | 12.0 | 6.0 | 0.8 | 6.0 | 12.0 | 24.0 | 48.0 |\n"
            in text), text
    assert "oneil-cannon-tiles" not in text
    write(folder, "wrong.json", [row("oneil-cube", 8, 6e-6, paper_times=paper, ok=False), row("oneil-cannon", 8, 6e-6, paper_times=paper)])
    wrong = rewrite(folder, "oneil-1", files="wrong.json")
    assert "| oneil-cube * |" in wrong and "| oneil-cannon |" in wrong and "\n*: not the product.\n" in wrong, wrong
    assert "a card, 132 SMs at 1980 MHz, CUDA 13.0; host: a processor, 16 cores." in text
    text = rewrite(folder, "oneil-growth", files="a.json b.json c.json")
    assert ("| n | cpu | cannon-tiles | cublas |\n|---|---|---|---|\n| 8 | 1 µs | 7 µs | - |\n| 16 | - | 2.5 ms | - |\n"
            "| 32 | - | 1.5 s | 1 µs |\n") in text, text
    assert "Left out: cpu at 32 would take long." in text


def test_division(folder):
    def one(kernel, median, ratio):
        return {"kernel": kernel, "width": 8, "split": 2, "time_s": median, "ratio_to_best": ratio}

    write(folder, "a.json", [], choices=[{"n": 64, "divisions": 9, "best": one("x", 5e-6, 1), "rule": one("y", 6e-6, 1.2),
                                          "paper": one("z", None, None)}])
    text = rewrite(folder, "division")
    assert ("| 64 | 9 | x, width 8, split 2: 5 µs | y, width 8, split 2: 6 µs | 1.20 | z, width 8, split 2: not measured | - |\n"
            in text), text


def test_essay(folder):
    write(folder, "a.json", [row("essay-naive", 64, 8e-6, width=16), row("essay-naive", 64, 9e-6, width=4),
                             row("essay-coalesced", 64, 4e-6, width=16, prepare_times=time(1e-3)), row("cublas", 64, 1e-6),
                             row("cublas", 32, 2e-6, m=64)])
    text = rewrite(folder, "essay")
    assert "| n | naive | coalesced | cuBLAS |\n|---|---|---|---|\n| 64 | 8 µs | 4 µs | 1 µs |\n" in text, text
    assert "| 64 | 112 µs | 1.06 ms | 14 µs |\n" in rewrite(folder, "essay-whole")
    assert "| Gflop/s at n = 64 | 4×4 | 8×8 | 16×16 | 32×32 |" in rewrite(folder, "essay-widths")
    assert "| naive | 58.25 | - | 65.54 | - |\n" in rewrite(folder, "essay-widths")
    assert "| 64×32×32 | - | - | - | 2 µs |\n" in rewrite(folder, "essay-oblongs")


def test_transpose(folder):
    write(folder, "a.json", [row("essay-transpose-shared", 64, 1e-6, width=16, k=1), row("memcpy", 64, 5e-7, k=1),
                             row("essay-transpose-shared/100", 64, 1e-7, width=32, k=1)])
    assert "| n | shared | cudaMemcpy |\n|---|---|---|\n| 64 | 49.2 | 98.3 |\n" in rewrite(folder, "transpose")
    assert "| n | shared, 32×32 |\n|---|---|\n| 64 | 492 |\n" in rewrite(folder, "transpose-often")


def mmt(kernel, d, median, width=None, ok=True, executed=None):
    made = row(kernel, d, median, ok=ok, executed_flops=executed or 2 * d**3)
    return made | ({"width": width} if width else {})


def test_mmt(folder):
    def sanity(kernel, d, wrong, l2, **more):
        return {"kernel": kernel, "d": d, "wrong_elements": wrong, "l2_difference_as_printed": l2} | more

    example = {"gpu": list(range(49)), "sequential": [0] * 49}
    write(folder, "a.json", [mmt("mmt-v001", 1000, 2e-3, 8), mmt("mmt-v001", 1000, 4e-3, 32),
                             mmt("mmt-v005-as-printed", 1000, 1e-3, 32, False, 1e9), mmt("mmt-cublas-corrected", 1000, 1e-4)],
          sanity=[sanity("mmt-v001", 100, 0, 0.5, paper=0), sanity("mmt-v008-as-printed", 64, 4096, 400)], example=example)
    text = rewrite(folder, "mmt")
    assert "| Gflop/s (width) | d = 1000 |\n|---|---|\n| v001 | 1000 (8) |\n| v005-as-printed | 2000 (32) * |\n" in text, text
    text = rewrite(folder, "mmt-widths")
    assert "| v001 | - | 1000 | - | 500 | 8 | 1000 | 71.43 | 1000 | 0.050 | right |\n" in text, text
    assert "| v005-as-printed | - | - | - | 2000 | 32 | 2000 | 142.9 | 1000 | 0.100 | not M·M' |\n" in text, text
    assert "| n | v001 | cuBLAS |\n|---|---|---|\n| 1000 | 1000, 71.43 | 2e+04, 1429 |\n" in rewrite(folder, "mmt-transfers")
    text = rewrite(folder, "mmt-differences")
    assert "| 100 | - | - | 0.000 | 0.5 | - | - | - | - | - | - | - | - |\n" in text, text
    assert "| 64 | - | - | - | - | - | - | - | - | - | 4e+02 | - | - |\n" in text, text
    assert "| v008-as-printed | - | 4096 |\n" in rewrite(folder, "mmt-wrong")
    assert "       0       1       2       3       4       5       6\n" in rewrite(folder, "mmt-example")


def test_dobravec(folder):
    def paper(ms):
        return {"paper_times": {"min": None, "mean": ms * 1e-3, "max": None, "stddev": None}}

    def host(n, median, ms):
        return {"method": "matrixMulH", "place": "cpu", "type": "f32", "m": n, "n": n, "k": n, "time_s": median,
                "call_times": time(median),
                "relative_error": 2e-8, "ok": True} | paper(ms)

    def gpu(method, n, median, width, **more):
        return row(f"dobravec-{method}", n, median, width=width, relative_error=1e-7, ok=True) | more

    write(folder, "a.json", [host(800, 1, 2169), gpu("global-as-printed", 800, 5e-4, 8, **paper(598)),
                             gpu("global-corrected", 800, 4e-4, 8), gpu("shared-as-printed", 800, 3e-4, 8, **paper(275)),
                             gpu("shared-corrected", 800, 2e-4, 8), host(512, 0.2, 357),
                             gpu("shared-run-time", 512, 8e-3, 1, **paper(11149)), gpu("shared-run-time", 512, 1e-4, 16, **paper(83)),
                             gpu("shared-as-printed", 792, 1e-4, 16, ok=False, relative_error=None)])
    text = rewrite(folder, "dobravec-1")
    assert "| 100 | 800 | 2169 | 1000 | 598 | 0.4 | 275 | 0.2 | - | - | - |\n" in text, text
    assert "| 800 | 3.63 | 2.5e+03 | 7.89 | 5e+03 | 357 | 2.17 | 2 | - |\n" in rewrite(folder, "dobravec-ratios")
    text = rewrite(folder, "dobravec-2")
    assert "| 1 | 1.115e+04 | 8 |\n| 256 | 83 | 0.1 |\n" in text and "MulH: paper 357 ms, here 200 ms." in text, text
    assert "| dobravec-shared-as-printed | 16 | 1 | 1 | 1 | - |\n" in rewrite(folder, "dobravec-checks")


def test_anomaly(folder):
    def run(series, n, length, step, **more):
        column = [{"level": 1, "sets": 1, "fullest_set_lines": n, "overfull_lines": n},
                  {"level": 2, "sets": 16, "fullest_set_lines": 64, "overfull_lines": 0}]
        return {"series": series, "n": n, "row_elements": length, "column": column, "time_s": step, "times": time(step), "step_s": step,
                "to_neighbours": None if "rows" in series else 2.5} | more

    host = {"environment": GPU | {"device": None}, "caches": [{"level": 1, "sets": 64, "ways": 8, "line_bytes": 64}]}
    results = [run("sizes", 1024, 1024, 4e-9, paper_time_s=27.893, paper_to_neighbours=4.6), run("padded", 1024, 1040, 2e-9),
               {"series": "huge-pages", "n": 1024, "row_elements": 1024, "column": [], "left_out": "none"},
               run("rows", 1024, 1536, 3e-9), run("few-rows", 112, 1536, 1e-9)]
    (folder / "a.json").write_text(json.dumps({"results": results} | host))
    text = rewrite(folder, "anomaly")
    assert "| 1024 | 27893 | 4.60 | 4.00 | 2.50 | 2.00 | 2.50 | - | - | 1 × 1024 | 16 × 64 |\n" in text, text
    assert "a processor, 16 cores; one thread on one core; L1 64 sets of 8 lines of 64 bytes. Medians of 5 trials" in text, text
    text = rewrite(folder, "anomaly-rows")
    assert "| 1536 | 3.00 | 1 × 1024 | 16 × 64, room | 1.00 | 1 × 112 | 16 × 64, room |\n" in text, text


def run(transport, gflops, trials=20, **more):
    return {"on": "clusters", "algorithm": "ring", "grid": "2x2", "transport": transport, "n": 64, "gflops": gflops,
            "time_s": 1, "times": time(1) | {"trials": trials}, "processors": 4, "resident": 30, "baseline": {"kernel": "cublas", "ratio": 0.9}} | more


def test_ladder_alone(folder):
    def rung(kernel, n, median, **more):
        return {"kernel": kernel, "n": n, "time_s": median, "times": time(median), "ratio_to_cublas": 0.5, "alone_s": 2 * median,
                "alone_ratio_to_cublas": 0.25} | more

    write(folder, "a.json", [rung("fast", 64, 1e-5), rung("fast", 128, 8e-5), {"kernel": "slow", "n": 32, "left_out": "slow"}])
    text = rewrite(folder, "ladder-alone")
    assert "| n = 64 | waited for, µs | of cuBLAS | alone, µs | of cuBLAS |\n" in text, text
    assert "| fast | 10.0 | 0.500 | 20.0 | 0.250 |\n" in text and "80.0" not in text and "slow" not in text, text


def test_compare(folder):
    def row(algorithm, n, error, steps):
        return {"on": "clusters", "algorithm": algorithm, "predicted_s": 2e-3 * (1 + error), "measured_s": 2e-3, "error": error,
                "median_abs_step_error": steps, "measured": {"transport": "copy", "grid": "2x2", "n": n, "environment": GPU}}

    (folder / "a.json").write_text(json.dumps({"comparisons": [row("ring", 64, 0.05, 0.1), row("star", 64, -0.5, None)], "environment": GPU}))
    (folder / "b.json").write_text(json.dumps(row("ring", 128, -0.01, 0.3)))
    text = rewrite(folder, "compare", files="a.json b.json")
    assert "| clusters | copy | 2x2 | ring | 2.10 | 2.00 | +5.0 % | 1.98 | 2.00 | -1.0 % | 20 % |\n" in text, text
    assert "| clusters | copy | 2x2 | star | 1.00 | 2.00 | -50.0 % |  |  |  | - |\n" in text, text
    assert "its median without signs: 5.0 % on clusters; of a step" in text and "a card, 132" in text, text
    text = rewrite(folder, "compare", files="b.json")
    assert "a card, 132" in text, text


def test_runs(folder):
    (folder / "a.json").write_text(json.dumps({"runs": [run("copy", 42000), run("copy", 3000, algorithm="alone")], "environment": GPU}))
    (folder / "b.json").write_text(json.dumps(run("load", 44000, trials=31) | {"environment": GPU}))
    text = rewrite(folder, "runs", files="a.json b.json")
    assert "| clusters | copy | 2x2 | ring | 64 | 42.0 ± 12.5 % | 0.900 |\n" in text, text
    assert "| clusters | load | 2x2 | ring | 64 | 44.0 ± 12.5 % | 0.900 |\n" in text, text
    assert "medians of 20 to 31 runs; of cublas" in text, text
    text = rewrite(folder, "shifts", files="a.json b.json")
    assert "| 2x2 | ring | 64 | 42.0 ± 12.5 % | 44.0 ± 12.5 % | 0.955 | 120 | 0.900 |\n" in text, text
    assert "alone" not in text, text


def test_shapes(folder):
    def shape(grid, algorithm, variant, median, **more):
        return {"on": "clusters", "algorithm": algorithm, "grid": grid, "transport": "copy", "variant": variant, "variants": 2,
                "chosen": variant == 1, "n": 64, "time_s": median, "times": time(median), "gflops": 1000 / median, "ok": True} | more

    results = [shape("2x2", "ring", 1, 0.5), shape("2x2", "ring", 2, 0.25), shape("4x4", "ring", 1, 1), shape("2x2", "star", 2, 0.75),
               shape("2x2", "star", 1, 0.1, ok=False), shape("8x8", "ring", 0, 1, left_out="does not fit")]
    best = {"on": "clusters", "algorithm": "ring", "grid": "2x2", "transport": "copy", "variant": 2, "time_s": 0.25}
    write(folder, "a.json", results, choices=[{"n": 64, "best": best, "compared_with_own_variant": 1, "own_variant_ratio": 2.0}])
    text = rewrite(folder, "shapes")
    assert "| `clusters` | 64 | grid | 2x2 | ring | copy | 2 of 2 | 4.0 | 1.00 | 2.000 |\n" in text, text
    assert "| `clusters` | 64 | grid | 4x4 | ring | copy | 1 of 2 | 1.0 | 4.00 | 1.000 |\n" in text, text
    assert "| `clusters` | 64 | schedule | 2x2 | star | copy | 2 of 2 | 1.3 | 3.00 | - |\n" in text, text
    assert "| `clusters` | 64 | grid | 8x8" not in text, text
    assert "clusters: the executor's own variant takes 2.000 times as long as the best one, in the geometric mean over 1 comb" in text
    assert "5 combinations measured, 1 left out. a card, 132" in text, text


if __name__ == "__main__":
    sys.exit(tap.run_cases(tap.cases_of(globals())))
