#!/usr/bin/env python3
"""`topogemm run` on every executor that needs a GPU: documents of several runs, a baseline kernel, C in a file, what is refused.
Skipped where the executor has no hardware. Writes TAP.

Usage: test-run.py TOPOGEMM
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

CASES = ["threads copy 4x4", "clusters copy,load 2x2", "clusters load,copy 2x2", "blocks pull,copy 3x3"]


def call(program, *words, expect=0):
    done = subprocess.run([program, *map(str, words)], capture_output=True, text=True, timeout=100, check=False)
    if done.returncode == 4:
        raise tap.Skipped(done.stderr.strip())
    assert done.returncode == expect, f"{words}: {done.returncode} {done.stderr}"
    return done


def run_case(program, on, transports, grid):
    common = ["run", "cannon", "--grid", grid, "--on", on, "--transport", transports, "--trials", 3]
    said = json.loads(call(program, *common, "-n", 200, "--baseline", "cublas", "--json", "--trace", "steps.json").stdout)
    schema_check.check_document(said)
    runs = said.get("runs", [said])
    assert [one["transport"] for one in runs] == transports.split(",") and said["ok"], said
    for one in runs:
        assert one["ok"] and one["kernel"] and one["baseline"]["kernel"] == "cublas" and one["times"]["trials"] == 3, one
        ratio = one["baseline"]["time_s"] / one["time_s"]
        assert abs(one["baseline"]["ratio"] - ratio) < 1e-9 * ratio, one
    with open("steps.json", encoding="utf-8") as file:
        named = [event["args"]["name"] for event in json.load(file)["traceEvents"] if event["name"] == "process_name"]
    assert len(named) == len(set(named)) == len(runs), named
    text = call(program, *common, "-n", 40).stdout
    assert all(name in text for name in transports.split(",") if name != "copy"), text
    one = [*common[:7], transports.split(",")[0]]
    call(program, *one, "-n", 50, "--integers", "--c", "C.npy")
    assert os.path.getsize("C.npy") == 128 + 4 * 50 * 50
    call(program, *one, "-n", 50, "--c", "no/C.npy", expect=1)
    assert not os.path.exists("no")


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv[1])
    sys.exit(tap.run_cases([(case, lambda _, case=case: run_case(PROGRAM, *case.split())) for case in CASES]))
