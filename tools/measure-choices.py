#!/usr/bin/env python3
"""How good the first place of `plan` is when what it ranks is run: a campaign of products drawn at random.

Usage: measure-choices.py TOPOGEMM FOLDER --machine FILE [--on ranks] [--launch "mpirun -n 2"] [--procs 2] [--type f64] [--sizes 200]
                          [--others 4] [--seed 1] [--least 100] [--most 800]

Each product is planned; its cases are the first place and --others more, drawn from all other places. FOLDER gets the
list (cases.txt) and what `compare --campaign` makes of it (results.csv, report.json); where these are there, the campaign
is taken up. Prints the report, and the regret: what the first place took longer than the fastest case of its product.
"""
import argparse
import csv
import json
import math
import pathlib
import random
import statistics
import subprocess


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


def regrets(path):
    """By how much the first case of each size is slower than the fastest, in the order of the list."""
    sizes = {}
    with open(path, encoding="utf-8", newline="") as rows:
        for row in csv.DictReader(rows):
            sizes.setdefault((row["m"], row["n"], row["k"]), []).append(row)
    return [(float(cases[0]["measured_s"]) / min(float(case["measured_s"]) for case in cases if case["measured_s"]) - 1, size, cases)
            for size, cases in sizes.items() if cases[0]["measured_s"]]


def disturbed(case):
    """Whether the machine was not as fast as when it was calibrated."""
    return case["drift"] != "" and not 0.9 <= float(case["drift"]) <= 1.1


def print_regrets(found, what):
    """Of a list of regrets, their distribution."""
    ordered = sorted(regret for regret, _, _ in found)
    if ordered:
        print(f"regret of the plan's first place, {len(ordered)} {what}: median {statistics.median(ordered):.1%}, 90th percentile "
              f"{ordered[math.ceil(0.9 * len(ordered)) - 1]:.1%}, most {ordered[-1]:.1%}; at most 5 % in "
              f"{sum(regret <= 0.05 for regret in ordered) / len(ordered):.1%}")


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
    words = parser.parse_args()
    words.folder.mkdir(parents=True, exist_ok=True)
    cases, results, report = (words.folder / name for name in ("cases.txt", "results.csv", "report.json"))
    if not cases.exists():
        draw(words, cases)
    done = subprocess.run([*words.launch.split(), words.program, "compare", "--campaign", cases, "--on", words.on, "--machine",
                           words.machine, "--type", words.type, "--trials", str(words.trials), "-o", results, "--json"],
                          stdout=subprocess.PIPE, text=True, check=False)
    report.write_text(done.stdout, encoding="utf-8")
    said = json.loads(done.stdout)
    for key, value in said["overall"].items():
        print(f"{key:20} {value:<24} undisturbed {said['undisturbed'][key]}")
    found = regrets(results)
    print_regrets(found, "sizes")
    print_regrets([one for one in found if not any(disturbed(case) for case in one[2])], "sizes without a disturbed case")
    for regret, size, cases in sorted(found, key=lambda one: -one[0])[:5]:
        best = min(cases, key=lambda case: float(case["measured_s"] or "inf"))
        print(f"  {'x'.join(size)}: {cases[0]['algorithm']} {cases[0]['grid']} {float(cases[0]['measured_s']):.3g} s, "
              f"{best['algorithm']} {best['grid']} {float(best['measured_s']):.3g} s, {regret:+.1%}")


main()
