#!/usr/bin/env python3
"""Counts and times at the end of what 64 bits hold: right, or refused in words. Writes TAP.

Usage: test-sums.py TOPOGEMM
"""
import json
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import tap  # noqa: E402

PROGRAM = str(pathlib.Path(sys.argv[1]).resolve())
MOST = 2**63 - 2
COUNTS = ["bytes", "hop_bytes", "max_link_bytes", "bytes_per_processor"]
GRIDS = {1: "16", 2: "4x4", 3: "4x4x4"}
MODELS = ["hockney", "store-and-forward", "flow", "loggp"]
LARGEST = 759250124  # its square is just below 2^59 elements


def run(*words):
    return subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=100)


def refused(*words):
    done = run(*words)
    assert done.returncode == 2 and done.stderr.startswith("topogemm: "), f"{words}: {done.returncode}\n{done.stderr}"
    return done.stderr


def document(*words):
    done = run(*words, "--json")
    assert done.returncode == 0, f"{words}: {done.returncode}\n{done.stderr}"
    return json.loads(done.stdout)


def test_predicted_bytes():
    """Of blocks all alike, bytes go with the square of n: as many times those of a small n, or too many."""
    most = right = 0
    for entry in document("list", "algorithms")["algorithms"]:
        words = ["sim", entry["name"], "--grid", GRIDS[entry["grid"].count(",") + 1], "--model", MODELS[most % 4],
                 "--collective", "binomial"]  # auto may take another algorithm at another size
        small = document(*words, "-n", 480)
        for times in [1, 10**5, 2 * 10**5, 5 * 10**5, 75 * 10**4, 10**6, 15 * 10**5, LARGEST // 480]:
            counts = {name: small[name] * times**2 for name in COUNTS}
            if max(counts.values()) > MOST:
                assert "64-bit" in refused(*words, "-n", 480 * times)
                most += 1
            else:
                large = document(*words, "-n", 480 * times)
                assert {name: large[name] for name in COUNTS} == counts, words
                right += 1
    assert most > 10 and right > 50


def test_the_last_that_fits():
    """Cannon on 4x4 has 32 n² bytes times links crossed: 2^63 at n = 2^29."""
    words = ["sim", "cannon", "--grid", "4x4"]
    assert document(*words, "-n", 2**29 - 4)["hop_bytes"] == 32 * (2**29 - 4)**2
    for model in MODELS:
        assert "link" in refused(*words, "-n", 2**29, "--model", model)
    assert "link" in refused(*words, "--sweep", f"n=512,{LARGEST}")


def test_blocks_of_different_sizes():
    """Followed by name, in all forms of collectives."""
    for name, grid in [("cannon", "4x4"), ("summa", "4x4"), ("dns", "4x4x4"), ("allgather", "4x4"), ("mmt", "16")]:
        for collective in ["auto", "binomial", "ring", "chain", "recursive-doubling", "scatter-allgather", "pairwise"]:
            words = ["sim", name, "--grid", grid, "--collective", collective]
            small = document(*words, "-n", 1009)
            n = 100 * 10**6 - 1
            factor = (n / 1009)**2
            large = document(*words, "-n", n)
            assert abs(large["hop_bytes"] / factor / small["hop_bytes"] - 1) < 0.01, words
            refused(*words, "-n", LARGEST, "--type", "f64")


def test_words_of_a_processor():
    """32 copies of a block of 2^59 elements on one processor."""
    pathlib.Path("many.sched").write_text("schedule many\ngrid i:q\nplace A(i,0), B(0,i) on (i)\nplace C(i,i) on (i)\n"
                                          "repeat s in 32\n  copy A into X[s]\nC = A * B\n")
    words = ["./many.sched", "--grid", 1]
    assert document("verify", *words, "-n", 2**28)["words_per_processor_max"] == 35 * 2**56
    assert "64-bit" in refused("verify", *words, "-n", LARGEST)
    assert "64-bit" in refused("sim", *words, "-n", LARGEST)
    assert "64-bit" in refused("draw", *words, "-n", LARGEST, "--memory", "-o", "m.svg")
    assert "64-bit" in refused("sim", "cannon", "--grid", "1x1", "-n", LARGEST, "--type", "f64")


def test_times_of_a_trace():
    words = ["--grid", "4x4", "-n", 64, "--straggler"]
    for factor in ["1e20", "1e100", "1e308"]:
        assert "a trace can hold" in refused("trace", "cannon", *words, f"1:{factor}", "-o", "t.json")
        assert "a trace can hold" in refused("sim", "cannon", *words, f"1:{factor}", "--trace", "t.json")
    assert not pathlib.Path("t.json").exists()
    assert run("trace", "cannon", *words, "1:1e12", "-o", "t.json").returncode == 0
    events = json.loads(pathlib.Path("t.json").read_text())["traceEvents"]
    assert all(event.get("ts", 0) >= 0 and event.get("dur", 0) >= 0 for event in events)


def test_plan_of_large_blocks():
    """What a sanitized build watches: sums on the way."""
    for n in [99999989, LARGEST]:
        assert run("plan", "--procs", 16, "--memory", "inf", "--top", 3, "-n", n).returncode == 0


if __name__ == "__main__":
    sys.exit(tap.run_cases([(name, lambda _, case=case: case()) for name, case in tap.cases_of(globals())]))
