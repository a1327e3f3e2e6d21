#!/usr/bin/env python3
"""`topogemm calibrate` and `compare` on every executor that needs a GPU: the file is one, sums add up, and a prediction
is one and no more than a factor off. Skipped where the executor has no hardware. Writes TAP.

Usage: test-compare.py TOPOGEMM
"""
import json
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
sys.path.insert(1, str(pathlib.Path(__file__).resolve().parents[1] / "golden"))
import schema_check  # noqa: E402
import tap  # noqa: E402

# Executor and transport, grid, sizes to calibrate with, and what is compared at sizes that these do not have.
CASES = [
    ("threads copy", "4x4", "64,128,256", ["cannon --grid 4x4 -n 192", "summa --grid 4x4 -n 192"]),
    ("clusters copy", "2x2", "512,1024,2048", ["cannon --grid 2x2 -n 1536", "summa --grid 2x2 -n 1536"]),
    ("clusters load", "2x2", "512,1024,2048", ["cannon --grid 2x2 -n 1536"]),
    ("clusters copy", "2x2x2", "512,1024,2048", ["dns --grid 2x2x2 -n 1536"]),
    ("blocks copy", "4x4", "32,64,128", ["cannon --grid 4x4 -n 400", "summa --grid 4x4 -n 400"]),
    ("blocks pull", "4x4", "32,64,128", ["cannon --grid 4x4 -n 400"]),
    ("blocks copy", "2x2x2", "32,64,128", ["dns --grid 2x2x2 -n 200"]),
]
FACTOR = 3  # small problems, a card that has not warmed up: whether it is about right, not how exact it is


def document(program, *words):
    done = subprocess.run([program, *words, "--json"], capture_output=True, text=True, timeout=200)
    if done.returncode == 4:
        raise tap.Skipped(done.stderr.strip())
    assert done.returncode == 0, f"{' '.join(words)}: {done.returncode} {done.stderr}"
    found = json.loads(done.stdout)
    schema_check.check_document(found)
    return found


def check_calibration(said):
    assert any(not sample["moves"] and "left_out" not in sample for sample in said["samples"]), said["samples"]
    assert said["fit"]["latency_s"] >= 0 and said["fit"]["launch_s"] >= 0 and said["residual"] < 1
    for sample in said["samples"]:
        assert "left_out" in sample or sample["time_s"] > 0, sample


def check_comparison(said):
    assert said["measured"]["ok"]
    steps = [step for step in said["steps"] if step["measured_s"] is not None]
    assert steps and all(step["predicted_s"] >= 0 and step["measured_s"] > 0 for step in steps)
    whole = said["overhead_s"] + said["passes"] * said["pass_s"]
    assert abs(said["predicted_s"] - whole) < 1e-9 * whole
    ratio = said["predicted_s"] / said["measured_s"]
    assert 1 / FACTOR < ratio < FACTOR, f"predicted {said['predicted_s']} s, measured {said['measured_s']} s"


def run_case(program, case):
    how, grid, sizes, compared = case
    on, transport = how.split()
    common = ["--on", on, "--transport", transport]
    check_calibration(document(program, "calibrate", *common, "--grid", grid, "--sizes", sizes, "-o", "my.machine"))
    for words in compared:
        said = document(program, "compare", *words.split(), *common, "--machine", "my.machine", "--trace", "both.json")
        check_comparison(said)
        with open("both.json", encoding="utf-8") as file:
            slices = [event for event in json.load(file)["traceEvents"] if event["ph"] == "X"]
        assert {event["pid"] for event in slices} == {1, 2}
        print(f"# {on} {transport}, {words}: {100 * said['error']:+.1f} %, steps {100 * said['median_abs_step_error']:.1f} %")


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv[1])
    sys.exit(tap.run_cases([(f"{case[0].replace(' ', '-')}-{case[1]}", lambda _, case=case: run_case(PROGRAM, case))
                            for case in CASES]))
