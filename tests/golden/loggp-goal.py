#!/usr/bin/env python3
"""The model loggp where messages are received on arrival, against the exported schedule run by goal_run.py. Writes TAP.

Usage: loggp-goal.py TOPOGEMM
"""
import json
import pathlib
import random
import subprocess
import sys

sys.dont_write_bytecode = True  # nothing is left beside the sources
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import goal_check  # noqa: E402
import goal_run  # noqa: E402
import tap  # noqa: E402

PROGRAM = str(pathlib.Path(sys.argv[1]).resolve())
CASES = [("cannon", "2x2"), ("cannon", "3x3"), ("cannon", "4x4"), ("cannon25d", "4x4x2"), ("dns", "4x4x4"), ("dns-rounds", "2x2x2"),
         ("summa", "4x4"), ("summa", "5x5"), ("summa-panels", "3x5"), ("fox", "4x4"), ("ring", "6"), ("agarwal3d", "3x3x3"),
         ("cube3d", "3x3x3"), ("cosma", "2x4x2"), ("berntsen", "2x2x2"), ("dimma", "3x3"), ("pegmm", "4"), ("transpose", "4x4")]
COLLECTIVES = ["binomial", "ring", "scatter-allgather"]
RANDOM = random.Random(20261127)
MACHINE = """[machine]
name = made
source = made
[link]
latency_s = {L}e-9
bandwidth_bytes_per_s = {bandwidth!r}
[port]
overhead_s = {o}e-9
gap_s = {g}e-9
receives = {receives}
[processor]
flops_per_s = {flops_per_s!r}
"""


def command(*words):
    done = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, check=False, timeout=100)
    assert done.returncode == 0, f"{words}: {done.returncode}\n{done.stderr}"
    return done.stdout


def predicted_ns(folder, case, receives, numbers, flops_per_s):
    path = folder / f"{receives}.machine"
    path.write_text(MACHINE.format(receives=receives, bandwidth=1e9 / numbers["G"], flops_per_s=flops_per_s, **numbers))
    shown = command("sim", *case, "--overlap", "off", "--model", "loggp", "--machine", path, "--json")
    return 1e9 * json.loads(shown)["time_s"]


def random_case():
    name, grid = RANDOM.choice(CASES)
    nodes = 1
    for extent in grid.split("x"):
        nodes *= int(extent)
    case = [name, "--grid", grid, "-n", RANDOM.choice([24, 60, 97, 120]), "--collective", RANDOM.choice(COLLECTIVES)]
    numbers = {"o": RANDOM.choice([0, 137, 1499]), "g": RANDOM.choice([0, 211, 1801]), "L": RANDOM.choice([1, 1009, 20011]),
               "G": RANDOM.choice([1, 3])}
    return case, numbers, f"full:{nodes}"


def both_ns(folder, case, numbers, network, flops_per_s=1e9):
    """The times with receives = entered and arrival; the latter must be that of the exported schedule."""
    command("export", *case, "--flops-per-s", flops_per_s, "-o", folder / "x.goal")
    ranks = goal_check.parse((folder / "x.goal").read_text(encoding="utf-8"))
    expected = max(goal_run.run(ranks, **numbers))
    entered, found = (predicted_ns(folder, [*case, "--network", network], receives, numbers, flops_per_s)
                      for receives in ("entered", "arrival"))
    assert abs(found - expected) <= 1e-9 * expected, f"{case} {numbers}: {found} ns, and {expected} by GOAL"
    return entered, expected


def test_same_times(folder):
    """Both give the same time. In at least 10 cases `receives = entered` gives another one, so that they tell the two apart."""
    differing = 0
    for _ in range(60):
        entered, arrival = both_ns(folder, *random_case())
        differing += abs(entered - arrival) > 0.01 * arrival
    assert differing >= 10, f"only {differing} cases tell arrival from entered"


def test_products_before_receives(folder):
    """With g above o, messages that have arrived wait for the network interface while products become ready."""
    for o, g in (16, 32), (2, 100):
        case = ["summa-panels", "--grid", "4x4", "-n", 48, "--collective", "ring"]
        both_ns(folder, case, {"o": o, "g": g, "L": 64, "G": 64}, "full:16", 0.125e9)


if __name__ == "__main__":
    sys.exit(tap.run_cases(tap.cases_of(globals())))
