#!/usr/bin/env python3
"""How well `compare` predicts runs that the calibration has not seen, on the CPU.

Usage: measure-cores.py TOPOGEMM OUT.json [--on cores|cpu|ranks] [--launch "mpirun -n 2"] [--transport copy] [--type f64|f32]
                        [--calibrate "mpirun -n 16"] [--cases 60] [--rounds 5] [--seed 1]
       measure-cores.py TOPOGEMM --again OUT.json …

Calibrates once, with --calibrate on another number of ranks than it runs on. Then, for sizes n drawn at random,
schedules and grids drawn at random: `compare` writes its prediction before it runs. All cases are run in --rounds
rounds, one round after another; a case's time is the median of its rounds. Prints the errors, the rank correlation
among the runs of one n, and the noise. Then the same for undisturbed rounds only: by products and
moves timed just before and after it, the case would take within 10 % of its predicted time.

With --again nothing is measured. This version predicts the stored runs again, from the stored calibrations, and prints the
errors against the stored times, for each file and for all together. Not for ranks in files of earlier versions, which lack
the protocols of their links.
"""
import argparse
import csv
import json
import math
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile

GRIDS = {"square": ["2x2", "3x3", "4x4"], "cube": ["2x2x2", "3x3x3", "4x4x4"], "layers": ["2x2x2", "4x4x2"], "line": ["4", "6", "9"]}
SCHEDULES = {"cannon": "square", "summa": "square", "fox": "square", "allgather": "square", "dns": "cube", "cube3d": "cube",
             "cannon25d": "layers", "ring": "line"}
A_SIZE = 8  # runs that are ranked against each other
DRIFT = 0.1  # above which `compare` reports it


def ask(options, launch, command, *words):
    """The document that the command prints."""
    line = [*launch.split(), options.program, command, *map(str, words), "--on", options.on, "--type", options.type,
            "--transport", options.transport, "--json"]
    return json.loads(subprocess.run(line, capture_output=True, text=True, check=True).stdout)


def draw(cases, seed):
    """(n, schedule, grid), sorted by n, none twice."""
    rand, drawn = random.Random(seed), []
    while len(drawn) < cases:
        n = round(math.exp(rand.uniform(math.log(100), math.log(1000))))
        choices = [(name, grid) for name, kind in SCHEDULES.items() for grid in GRIDS[kind]]
        drawn += [(n, *one) for one in rand.sample(choices, min(A_SIZE, cases - len(drawn)))]
    return sorted(drawn)


def tau_b(one, other):
    """Kendall's tau-b."""
    agree = disagree = ties_one = ties_other = 0
    for i, (a, b) in enumerate(zip(one, other)):
        for c, d in zip(one[:i], other[:i]):
            sign = ((a > c) - (a < c)) * ((b > d) - (b < d))
            agree, disagree = agree + (sign > 0), disagree + (sign < 0)
            ties_one, ties_other = ties_one + (a == c and b != d), ties_other + (b == d and a != c)
    return (agree - disagree) / math.sqrt((agree + disagree + ties_one) * (agree + disagree + ties_other))


def figures(runs):
    """How good the predictions are."""
    errors = sorted(abs(run["error"]) for run in runs)
    groups = [group for n in sorted({run["n"] for run in runs}) if len(group := [run for run in runs if run["n"] == n]) > 2]
    return {"errors": errors, "median": statistics.median(errors), "p90": errors[int(0.9 * len(errors))],
            "taus": [tau_b([run["predicted_s"] for run in group], [run["measured_s"] for run in group]) for group in groups],
            "regrets": [min(group, key=lambda run: run["predicted_s"])["measured_s"] / min(run["measured_s"] for run in group) - 1
                        for group in groups],
            "covered": sum(run.get("least_s") is not None and run["least_s"] <= run["measured_s"] <= run["most_s"] for run in runs)}


def tell(runs):
    """The figures that matter, and the worst cases."""
    found = figures(runs)
    noise = sorted((run["rounds_s"][-1] - run["rounds_s"][0]) / 2 / run["measured_s"] for run in runs)
    print(f"{len(runs)} runs: error median {found['median']:.1%}, 90th percentile {found['p90']:.1%}, most {found['errors'][-1]:.1%}; "
          f"common to all {statistics.median(run['error'] for run in runs):+.1%}; within the interval {found['covered']}")
    if found["taus"]:
        print(f"rank correlation tau-b in {len(found['taus'])} groups: median {statistics.median(found['taus']):.2f}, "
              f"least {min(found['taus']):.2f}; regret median {statistics.median(found['regrets']):.1%}, most {max(found['regrets']):.1%}")
    print(f"noise (half of what lies between the rounds): median {statistics.median(noise):.1%}, "
          f"90th percentile {noise[int(0.9 * len(noise))]:.1%}")
    for run in sorted(runs, key=lambda run: -abs(run["error"]))[:10]:
        print(f"  {run['algorithm']} {run['grid']} n = {run['n']}: predicted {run['predicted_s']:.3g} s, measured "
              f"{run['measured_s']:.3g} s, {run['error']:+.1%}")


def measure(words, machine, n, algorithm, grid):
    """One comparison, whose runs take about half a second together."""
    trials = max(20, min(2000, round(0.5 / (2 * n**3 / 8e10 + 2e-5))))
    said = ask(words, words.launch, "compare", algorithm, "--grid", grid, "-n", n, "--machine", machine, "--trials", trials)
    times = said["measured"]["times"]
    return {"n": n, "algorithm": algorithm, "grid": grid, "predicted_s": said["predicted_s"], "measured_s": said["measured_s"],
            "error": said["error"], "stddev_s": times["stddev"], "min_s": times["min"], "trials": times["trials"],
            "least_s": said["least_s"], "most_s": said["most_s"], "steps": said["steps"],
            "drift": max(said["drift_before"], said["drift_after"], key=lambda drift: abs(math.log(drift)))}


def take(rounds):
    """The round of median length, with how far the others lie from it."""
    rounds = sorted(rounds, key=lambda run: run["measured_s"])
    run = rounds[(len(rounds) - 1) // 2]
    return run | {"rounds_s": [one["measured_s"] for one in rounds], "drifts": [one["drift"] for one in rounds]}


def machine_text(result):
    """The machine file of its calibration; files of earlier versions have its numbers alone."""
    if "machine" in result:
        return result["machine"]
    calibration = result["calibration"]
    fit = calibration["fit"] | {"bandwidth_bytes_per_s": calibration["fit"]["bandwidth_bytes_per_s"] or "inf"}
    processor = ["additions_per_s", "a_elements_per_s", "b_elements_per_s", "c_elements_per_s", "cache_bytes", "miss_bytes_per_s",
                 "miss_most_bytes", "copy_s", "copy_bytes_per_s"]
    tables = {name: [(2**piece, max(takes, 2**piece)) for piece, takes in enumerate(fit.get(name, []))]  # earlier versions had less
              for name in ("rest_rows", "rest_columns")}
    tables |= {name: [(row["size"], row["flops_per_s"]) for row in fit.get(name, [])] for name in ("rate", "deep_rate")}
    fewer = "; ".join(f"{row['at_once']}:{row['speedup']}" for row in fit.get("speedup_with_fewer", []))
    sections = {"machine": {"name": "stored", "source": "a calibration", "residual": calibration["residual"], "spread": calibration["spread"]},
                "link": {name: fit[name] for name in ("latency_s", "bandwidth_bytes_per_s")}, "port": {"ports": "fetch"},
                "processor": {name: "; ".join(f"{at}:{value}" for at, value in rows) for name, rows in tables.items() if rows} |
                             {name: fit[name] for name in processor if fit.get(name)},
                "executor": {"on": result["on"]} | {name: calibration[name] for name in ("transport", "type", "device")} |
                            {"processors": math.prod(map(int, calibration["grid"].split("x")))} |
                            {name: fit[name] for name in ("launch_s", "round_s", "pass_s", "at_once") if name in fit} |
                            ({"speedup_with_fewer": fewer} if fewer else {})}
    return "".join(f"[{name}]\n" + "".join(f"{key} = {value}\n" for key, value in keys.items()) for name, keys in sections.items())


def predicted_again(program, result):
    """Its runs with this program's predictions."""
    if result["on"] == "ranks" and "machine" not in result:
        sys.exit("results of ranks from earlier versions cannot be predicted again")
    with tempfile.TemporaryDirectory() as name:
        machine, cases, out = (pathlib.Path(name) / file for file in ("stored.machine", "cases.txt", "out.csv"))
        machine.write_text(machine_text(result), encoding="utf-8")
        cases.write_text("".join(f"{run['algorithm']} --grid {run['grid']} -n {run['n']}\n" for run in result["runs"]), encoding="ascii")
        subprocess.run([*result.get("launch", "").split(), program, "compare", "--campaign", cases, "--on", result["on"], "--machine", machine, "--type", result["type"],
                        "--dry-run", "--quiet", "-o", out], check=True)
        with open(out, encoding="utf-8", newline="") as rows:
            said = [{key: float(row[key]) for key in ("predicted_s", "least_s", "most_s")} for row in csv.DictReader(rows)]
    return [run | row | {"error": row["predicted_s"] / run["measured_s"] - 1} for run, row in zip(result["runs"], said, strict=True)]


def tell_again(words):
    """Each file's figures, and those of all files together: ranks are within a file."""
    found = []
    for path in words.out:
        runs = predicted_again(words.program, json.loads(pathlib.Path(path).read_text(encoding="utf-8")))
        print(path)
        tell(runs)
        found.append(figures(runs))
    errors, taus, regrets = (sorted(value for one in found for value in one[key]) for key in ("errors", "taus", "regrets"))
    print(f"all {len(errors)} runs: error median {statistics.median(errors):.1%}, 90th percentile {errors[int(0.9 * len(errors))]:.1%}; "
          f"within the interval {sum(one['covered'] for one in found)}; tau-b in {len(taus)} groups: median {statistics.median(taus):.2f}, "
          f"mean {statistics.mean(taus):.2f}; regret at most {regrets[-1]:.1%}")


def undisturbed(cases):
    """Each case's undisturbed rounds; cases without any are dropped."""
    kept = [[one for one in rounds if abs(one["drift"] - 1) <= DRIFT] for rounds in cases]
    return [rounds for rounds in kept if rounds]


def main():
    """See above."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("out", nargs="+")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--on", default="cores")
    parser.add_argument("--launch", default="", help="what starts a job, before the program")
    parser.add_argument("--calibrate", help="what starts the job that calibrates; --launch without it")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--transport", default="copy")
    parser.add_argument("--type", default="f64")
    parser.add_argument("--grid", default="4x4", help="to calibrate on")
    parser.add_argument("--cases", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    words = parser.parse_args()
    if words.again:
        tell_again(words)
        return
    with tempfile.TemporaryDirectory() as folder:
        machine = pathlib.Path(folder) / "calibrated.machine"
        calibration = ask(words, words.calibrate or words.launch, "calibrate", "--grid", words.grid, "-o", machine)
        cases = draw(words.cases, words.seed)
        rounds = [[measure(words, machine, *case) for case in cases] for _ in range(words.rounds)]
        text = "".join(line for line in machine.read_text(encoding="utf-8").splitlines(True) if not line.startswith("#"))
    runs, calm = [take(case) for case in zip(*rounds)], [take(case) for case in undisturbed(zip(*rounds))]
    result = {"on": words.on, "launch": words.launch, "calibrate": words.calibrate, "transport": words.transport, "type": words.type,
              "seed": words.seed, "machine": text, "calibration": calibration, "runs": runs, "undisturbed": calm}
    pathlib.Path(words.out[0]).write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    tell(runs)
    if calm:
        print(f"undisturbed: {len(calm)} cases in {sum(len(run['rounds_s']) for run in calm)} of {words.rounds * len(runs)} runs")
        tell(calm)


if __name__ == "__main__":
    main()
