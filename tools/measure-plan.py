#!/usr/bin/env python3
"""How far the plan of a short search lies behind that of a long one, for so many processors that few can be predicted.

Usage: measure-plan.py TOPOGEMM OUT.json [--procs 65536] [--budget 4] [--long 480] [--cases 4] [--seed 1] [--jobs 16]

The first case is a product of PROCS x PROCS; the sizes of the others are drawn at random. Each is planned in every model,
first within --budget, one search after another, then within --long, several side by side. The regret is what the first
place of the short search takes longer than that of the better of the two.
"""
import argparse
import concurrent.futures
import json
import math
import os
import pathlib
import random
import statistics
import subprocess

MODELS = ["hockney", "loggp", "store-and-forward", "flow"]
SIZES = 8192, 131072


def plan(words, case, budget):
    """The first place, and how long the search took."""
    said = json.loads(subprocess.run(
        [words.program, "plan", "--size", case["size"], "--procs", str(words.procs), "--model", case["model"], "--budget",
         str(budget), "--top", "1", "--json"], capture_output=True, text=True, check=True).stdout)
    first = said["ranked"][0]
    kept = {key: first[key] for key in ("algorithm", "grid", "predicted_s", "certain") if key in first}
    return kept | {"wall_s": said["wall_s"], "least_possible_s": said.get("least_possible_s"), "machine": said["machine"]}


def draw(words):
    """Every size in every model."""
    rand = random.Random(words.seed)
    sizes = ["x".join([str(words.procs)] * 3)]
    while len(sizes) < words.cases:
        sizes.append("x".join(str(round(math.exp(rand.uniform(*map(math.log, SIZES))))) for _ in "mkn"))
    return [{"size": size, "model": model} for size in sizes for model in MODELS]


def processor():
    """The name of this machine's processor."""
    for line in pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return None


def tell(cases):
    """By model, and the worst case."""
    for model in MODELS:
        regrets = sorted(case["regret"] for case in cases if case["model"] == model)
        print(f"{model}: regret median {statistics.median(regrets):.1%}, most {regrets[-1]:.1%}")
    for case in cases:
        short, long = case["short"], case["long"]
        print(f"  {case['size']} {case['model']}: {short['algorithm']} {short['grid']} {short['predicted_s']:.4g} s, "
              f"{long['algorithm']} {long['grid']} {long['predicted_s']:.4g} s: {case['regret']:.1%}")


def main():
    """See above."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("out")
    parser.add_argument("--procs", type=int, default=65536)
    parser.add_argument("--budget", type=float, default=4)
    parser.add_argument("--long", type=float, default=480)
    parser.add_argument("--cases", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    words = parser.parse_args()
    cases = draw(words)
    for case in cases:
        case["short"] = plan(words, case, words.budget)
    with concurrent.futures.ThreadPoolExecutor(words.jobs) as pool:
        for case, found in zip(cases, pool.map(lambda case: plan(words, case, words.long), cases)):
            case["long"] = found
            case["regret"] = case["short"]["predicted_s"] / min(case["short"]["predicted_s"], found["predicted_s"]) - 1
    version = subprocess.run([words.program, "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0]
    document = {"version": version, "processor": processor(), "procs": words.procs, "budget_s": words.budget,
                "long_s": words.long, "seed": words.seed, "cases": cases}
    pathlib.Path(words.out).write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    tell(cases)


main()
