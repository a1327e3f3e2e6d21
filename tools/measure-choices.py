#!/usr/bin/env python3
"""How good the first place of `plan` is when what it ranks is run: a campaign of products drawn at random.

Usage: measure-choices.py TOPOGEMM FOLDER --machine FILE [--on ranks] [--launch "mpirun -n 2"] [--procs 2] [--type f64] [--sizes 200]
                          [--others 4] [--rounds 2] [--seed 1] [--least 100] [--most 800]

Each product is planned; its cases are the first place and --others more, drawn from all other places. All cases
are run in rounds, one after another. FOLDER gets the list (cases.txt), what `compare --campaign` makes of it in each round
(round-1.csv, round-1.json …), and all together (choices.json); where the first are there, the campaign is taken up.
Prints the table of measured_choices.py.
"""
import argparse
import csv
import json
import math
import pathlib
import random
import subprocess
import sys

import measured_choices


def planned(words, size):
    """All places, as words of `compare`."""
    said = json.loads(subprocess.run([words.program, "plan", "--size", size, "--procs", str(words.procs), "--machine", words.machine,
                                      "--type", words.type, "--budget", "0.5", "--top", "1000", "--json"],
                                     capture_output=True, text=True, check=True).stdout)
    lines = []
    for place in said["ranked"]:
        line = f"{place['algorithm']} --grid {place['grid']} --size {size}"
        line += "".join(f" --set {name}={value}" for name, value in place["parameters"].items())
        lines.append(line + (f" --collective {place['collective']}" if place["collective"] else ""))
    return lines


def draw(words, path):
    """The list."""
    rand, text = random.Random(words.seed), f"# seed {words.seed}; the first case of each size is the plan's first place\n"
    for _ in range(words.sizes):
        size = "x".join(str(round(math.exp(rand.uniform(math.log(words.least), math.log(words.most))))) for _ in "mnk")
        first, *others = planned(words, size)
        text += "\n".join([first, *rand.sample(others, min(words.others, len(others)))]) + "\n"
    path.write_text(text, encoding="ascii")


def number(text):
    """None where there is none."""
    return float(text) if text else None


def put_together(words, paths):
    """The rounds as one document, whose cases are in the list's order."""
    rounds = []
    for path in paths:
        with open(path, encoding="utf-8", newline="") as rows:
            rounds.append(list(csv.DictReader(rows)))
    reports = [json.loads(path.with_suffix(".json").read_text(encoding="utf-8")) for path in paths]
    cases = [{"algorithm": same[0]["algorithm"], "grid": same[0]["grid"], "set": same[0]["set"], "collective": same[0]["collective"],
              **{key: int(same[0][key]) for key in ("m", "n", "k", "processors")},
              **{key: number(same[0][key]) for key in ("closed_form_s", "predicted_s", "least_s", "most_s")},
              "rounds_s": [number(row["measured_s"]) for row in same], "stddevs_s": [number(row["stddev_s"]) for row in same],
              "trials": [number(row["trials"]) for row in same], "drifts": [number(row["drift"]) for row in same],
              "failures": [row["failure"] for row in same if row["failure"]]} for same in zip(*rounds)]
    return {"on": words.on, "type": words.type, "launch": words.launch, "procs": words.procs, "seed": words.seed,
            "rounds": [{"overall": one["overall"], "undisturbed": one["undisturbed"]} for one in reports],
            "environment": reports[-1]["environment"], "machine": pathlib.Path(words.machine).read_text(encoding="utf-8"), "cases": cases}


def main():
    """See above."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--machine", required=True)
    parser.add_argument("--on", default="ranks")
    parser.add_argument("--launch", default="mpirun -n 2", help="what starts a job, before the program")
    parser.add_argument("--procs", type=int, default=2)
    parser.add_argument("--type", default="f64")
    parser.add_argument("--sizes", type=int, default=200)
    parser.add_argument("--others", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--least", type=int, default=100)
    parser.add_argument("--most", type=int, default=800)
    parser.add_argument("--trials", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=2)
    words = parser.parse_args()
    words.folder.mkdir(parents=True, exist_ok=True)
    cases, paths = words.folder / "cases.txt", [words.folder / f"round-{number}.csv" for number in range(1, words.rounds + 1)]
    if not cases.exists():
        draw(words, cases)
    for path in paths:
        done = subprocess.run([*words.launch.split(), words.program, "compare", "--campaign", cases, "--on", words.on, "--machine",
                               words.machine, "--type", words.type, "--trials", str(words.trials), "-o", path, "--json"],
                              stdout=subprocess.PIPE, text=True, check=False)
        if not done.stdout:
            sys.exit(f"compare --campaign ended with status {done.returncode}")
        path.with_suffix(".json").write_text(done.stdout, encoding="utf-8")
    one = put_together(words, paths)
    (words.folder / "choices.json").write_text(json.dumps(one, separators=(",", ":")).replace('{"algorithm"', '\n{"algorithm"') + "\n", encoding="utf-8")
    for number_of, of_round in enumerate(one["rounds"], 1):
        found = {key: math.nan if value is None else value for key, value in of_round["overall"].items()}
        print(f"round {number_of}: tau {found['median_tau']:.2f}, noise in a case {found['noise']:.1%}, {found['disturbed']} cases disturbed")
    print("\n".join(measured_choices.choices([one])))


main()
