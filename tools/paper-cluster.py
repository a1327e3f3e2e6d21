#!/usr/bin/env python3
"""Rewrites the tables of docs/results/ryu-kim.md: the experiments of Ryu and Kim (2018) as `topogemm sim` predicts them.

A region begins with `<!-- NAME -->` and ends with `<!-- end -->`; what stands between is generated. Every number comes
from `topogemm sim --json` on machines/cluster-gtx1070.machine, or is counted from the sizes.

With --check nothing is written: the status is 1 where the page differs from what would be written.

Usage: paper-cluster.py [--check] [--command build/cli/topogemm] [PAGE]
"""
import argparse
import difflib
import functools
import json
import math
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
OWN = ROOT / "docs" / "results" / "ryu-kim"
REGION = re.compile(r"^<!-- (\w+) -->\n.*?^<!-- end -->\n", re.M | re.S)
# Table III: A is m x k, B is k x n.
SETS = {1: (2**15, 2**15, 2**15), 2: (2**16, 2**15, 2**15), 3: (2**16, 2**15, 2**16), 4: (2**16, 2**16, 2**16),
        5: (2**17, 2**16, 2**16)}
NODES = (2, 4, 8)
# Binomial trees, as in the paper.
MACHINE = ("--machine", "cluster-gtx1070", "--collective", "binomial")
CPU_S, CPU_GPU_S, SPEEDUP = 54142, 5722, 96.9  # sections I and IV
CPU_PEAK = 4 * 4.2e9 * 32  # i7-7700: four cores, 4.2 GHz, two fused multiply-adds of eight floats a cycle
DISK, GPU = 156e6, 3.9e12  # of the machine's file


class Failure(Exception):
    pass


class Command:
    """The built topogemm."""
    path = "topogemm"


@functools.lru_cache(maxsize=None)
def sim(algorithm, size, grid, *options):
    m, k, n = size
    arguments = [Command.path, "sim", algorithm, "--size", f"{m}x{n}x{k}", "--grid", grid, *MACHINE, *options, "--json"]
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Failure(f"{' '.join(arguments)}: status {done.returncode}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def edge(name, size, p):
    """The paper's x = y = z (section IV)."""
    m, k, n = size
    return min(m // p, k, n if name == "pegmm" else n // p, 2**13)


def tiles(name, size, p):
    return "x".join([str(edge(name, size, p))] * 3)


def paper(name, number, p, *options, place="disk", blocks=None):
    """One of the two algorithms with the paper's blocks. What Mod_PEGMM exchanges stays in memory. The place rows is a
    cache, with PEGMM's B on the disks row by row."""
    memory = ("--in-memory", "X") if name == "mod-pegmm" else ("--by-rows", "B") if place == "rows" else ()
    place = "cache" if place == "rows" else place
    return sim(name, SETS[number], str(p), "--network", f"switch:{p}", "--from", place, "--tiles",
               blocks or tiles(name, SETS[number], p), *memory, *options)


def time_s(*arguments, **options):
    return paper(*arguments, **options)["time_s"]


def table(heads, rows, align=None):
    lines = ["| " + " | ".join(heads) + " |", "|" + "|".join(align or ["---"] + ["---:"] * (len(heads) - 1)) + "|"]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def power(extent):
    return f"2^{extent.bit_length() - 1}"


def gigabytes(count):
    return f"{count / 1e9:.1f}"


def sets_region():
    rows = []
    for number, (m, k, n) in SETS.items():
        flops = 2 * m * k * n
        factors = 4 * (m * k + k * n)
        rows.append([f"Set {number}", f"{power(m)} × {power(k)}", f"{power(k)} × {power(n)}", gigabytes(factors),
                     gigabytes(4 * m * n), f"{flops:.2e}", f"{flops / GPU:.0f}", f"{factors / DISK:.0f}"])
    return table(["", "A", "B", "A and B, GB", "C, GB", "flop", "on one GPU, s", "A and B from one disk, s"], rows)


def predictions(place):
    heads = ["", *(f"{name}, {p}" for name in ("PEGMM", "Mod_PEGMM") for p in NODES), *(f"less, {p}" for p in NODES)]
    rows = []
    for number in SETS:
        plain = [time_s("pegmm", number, p, place=place) for p in NODES]
        changed = [time_s("mod-pegmm", number, p, place=place) for p in NODES]
        less = [100 - 100 * b / a for a, b in zip(plain, changed)]
        rows.append([f"Set {number}", *(f"{t:.0f}" for t in plain + changed), *(f"{round(x) or 0} %" for x in less)])
    return table(heads, rows)


def gain(number, p, place):
    """PEGMM's time over Mod_PEGMM's."""
    return time_s("pegmm", number, p, place=place) / time_s("mod-pegmm", number, p, place=place)


def savings(place):
    """From how much to how much less time Mod_PEGMM takes, in words."""
    less = [round(100 - 100 / gain(number, p, place)) for number in SETS for p in NODES]
    return f"from {-min(less)} % more to {max(less)} % less"


def scaling_region():
    places = {"disk": "disks", "cache": "cache", "rows": "cache, B by rows"}
    rows = []
    for number in SETS:
        row = [f"Set {number}"]
        for place in places:
            for name in ("pegmm", "mod-pegmm"):
                base = time_s(name, number, 2, place=place)
                row += [" / ".join(f"{base / time_s(name, number, p, place=place):.2f}" for p in (4, 8))]
        rows.append(row)
    heads = [f"{name}, {words}" for words in places.values() for name in ("PEGMM", "Mod_PEGMM")]
    return table(["p = 4 / p = 8", *heads], rows)


def stages_region():
    copies = ("host_to_device_s", "device_to_host_s", "multiply_s")
    heads = ["", "distribution, s", "disk read, s", "disk write, s", "to the GPU, s", "from the GPU, s", "multiply, s",
             "all, s", "slowest in a product"]
    rows = []
    for number in (1, 4):
        for name, said, products in (("pegmm", "PEGMM", 1), ("mod-pegmm", "Mod_PEGMM", 8)):
            run = paper(name, number, 8)
            product = run["tiers"]["product"]
            node = run["tiers"]["disks"][7]
            dealt = run["steps"][0]
            rows.append([f"Set {number}, {said}", f"{dealt['end_s']:.0f}", f"{node['read_bytes'] / DISK:.0f}",
                         f"{node['write_bytes'] / DISK:.0f}",
                         *(f"{products * product[key]:.1f}" for key in copies),
                         f"{run['time_s']:.0f}", product["slowest"]])
    return table(heads, rows, ["---"] + ["---:"] * 7 + ["---"])


def blocks_region():
    heads = ["", "x = y = z", "a node reads, GB", "planned x, y, z", "reads, GB", "least, GB", "predicted, s",
             "planned, s"]
    rows = []
    for number in (1, 4):
        for p in NODES:
            fixed = paper("pegmm", number, p)
            planned = paper("pegmm", number, p, blocks="auto")
            one, other = fixed["tiers"]["product"], planned["tiers"]["product"]
            rows.append([f"Set {number}, p = {p}", str(edge("pegmm", SETS[number], p)), gigabytes(one["read_bytes"]),
                         f"{other['x']}, {other['y']}, {other['z']}", gigabytes(other["read_bytes"]),
                         gigabytes(other["bound_bytes"]), f"{fixed['time_s']:.0f}", f"{planned['time_s']:.0f}"])
    return table(heads, rows)


def distribution(name, number, p):
    """Equation (2) or (3): its terms added up, the network's from the closed form; and what the pipeline of Fig. 3
    takes."""
    m, k, n = SETS[number]
    a, b = 4 * m * k, 4 * k * n
    disk = (a + b + a / p + (b if name == "pegmm" else b / p)) / DISK
    rate, rounds = 1.25e9, math.log2(p)
    network = a * (p - 1) / p / rate + (b * rounds if name == "pegmm" else b * (p - 1) / p) / rate
    run = paper(name, number, p)
    return disk + network, run["steps"][0]["end_s"]


def sums_region():
    rows = []
    for number in (1, 4):
        for p in NODES:
            row = [f"Set {number}, p = {p}"]
            for name in ("pegmm", "mod-pegmm"):
                row += [f"{seconds:.0f}" for seconds in distribution(name, number, p)]
                off = time_s(name, number, p, "--pipeline", "off")
                row += [f"{off:.0f}", f"{time_s(name, number, p):.0f}"]
            rows.append(row)
    heads = [f"{name}: {what}" for name, equation in (("PEGMM", 2), ("Mod_PEGMM", 3))
             for what in (f"eq. ({equation}), s", "pipelined, s", "run, off, s", "run, on, s")]
    return table(["", *heads], rows)


def resend(number, p):
    """The exchange inside the loop over blocks of rows: how often, bytes more that a node sends, time of both."""
    size = SETS[number]
    times = size[0] // (p * edge("mod-pegmm", size, p))
    options = ("--network", f"switch:{p}", "--from", "disk", "--tiles", tiles("mod-pegmm", size, p), "--in-memory", "X")
    once, again = (sim(str(OWN / "mod-pegmm-resend.sched"), size, str(p), "--set", f"e={times}", "--set", f"s={s}",
                       *options) for s in (1, times))
    return times, (again["bytes"] - once["bytes"]) / p, once["time_s"], again["time_s"]


def resend_text(number, p):
    times, more, once, again = resend(number, p)
    if times == 1:
        return "once: nothing"
    return f"{times} times: {gigabytes(more)} GB more per node, {again:.0f} instead of {once:.0f} s"


def hops(number, p):
    """Bytes over the busiest link of a ring: the exchange as printed, and panels passed on to neighbours."""
    options = ("--network", f"ring:{p}", "--model", "store-and-forward", "--overlap", "off")
    far, near = sim("mod-pegmm", SETS[number], str(p), *options), sim("ring", SETS[number], str(p), *options)
    exchange = sum(step["max_link_bytes"] for step in far["steps"] if step["label"].startswith("exchange"))
    return f"{gigabytes(exchange)} against {gigabytes(near['max_link_bytes'])} GB"


def verify_message():
    arguments = [Command.path, "verify", str(OWN / "mod-pegmm-printed.sched"), "--grid", "8"]
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    if done.returncode != 3:
        raise Failure("mod-pegmm-printed.sched should fail its proof")
    return re.search(r"at the end (.*?) \(on", done.stdout + done.stderr).group(1)


def shrinking(number, p):
    one, other = paper("pegmm", number, p), paper("pegmm", number, p, blocks="auto")
    reads = [gigabytes(run["tiers"]["product"]["read_bytes"]) for run in (one, other)]
    return f"{reads[0]} instead of {reads[1]} GB, {one['time_s']:.0f} instead of {other['time_s']:.0f} s"


def cpu_text():
    """What half of the CPU's peak would make of the paper's speedup."""
    half = 2 * math.prod(SETS[4]) / (CPU_PEAK / 2)
    return f"{half:.0f} s in memory: {half / (CPU_S / SPEEDUP):.1f} times"


def by_set(text, *arguments):
    return [text(number, *arguments) for number in (1, 4)]


def error_rows():
    share = by_set(lambda s: f"{gigabytes(4 * SETS[s][0] * SETS[s][2] / 8)} GB of C, one part in 8, never computed")
    lost = by_set(lambda s: f"7 panels, {gigabytes(7 * 4 * SETS[s][1] * SETS[s][2] / 8)} GB, to nobody")
    again = "the exchange is inside the loop over i: B is sent m/(px) times. "
    shrinks = "x = y = z shrinks with p, though only x is bound by m/p and z by n/p: PEGMM's product reads. "
    rate = 2 * math.prod(SETS[4]) / CPU_S
    return [
        ["1", "Fig. 6 lines 5, 11: q = 2 to p gives the distances 2, …, p-1 and 0. `verify` reports: at the end "
         f"{verify_message()}; q - 1 is meant", *share],
        ["2", "ids are 1 to p, % p gives 0 to p-1: in each round one node's panel of B goes to a node 0", *lost],
        ["3", "partners are at distance q, not neighbours: nothing on a switch; on a ring of 8 the busiest link "
         "carries more than if the panels were passed on (`ring`)", *by_set(hops, 8)],
        *(["4" if p == 2 else "", f"{again if p == 2 else ''}p = {p}", *by_set(resend_text, p)] for p in NODES),
        ["5", "Fig. 1 line 5 reads B_{j,h}: the bytes are right, the block is B_{h,j}'s mirror image",
         *by_set(lambda s: "wrong product, no byte more")],
        *(["6" if p == 4 else "", f"{shrinks if p == 4 else ''}p = {p}", *by_set(shrinking, p)] for p in (4, 8)),
        ["7", f"the 96.9 is against {CPU_S} s on one CPU, if that is Set 4: {rate / 1e9:.0f} Gflop/s of its "
         f"{CPU_PEAK / 1e9:.0f}. Against half of the peak it would be", "-", cpu_text()],
    ]


def errors_region():
    return table(["", "what", "Set 1", "Set 4"], error_rows(), ["---"] * 4)


def speedups(place):
    """Of Mod_PEGMM over p = 2 at p = 8, in words."""
    times = [(time_s("mod-pegmm", s, 2, place=place), time_s("mod-pegmm", s, 8, place=place)) for s in SETS]
    return ", ".join(f"{two / eight:.2f}" for two, eight in times)


def best_gain(place):
    return f"{100 * max(gain(s, p, place) for s in SETS for p in NODES) - 100:.0f} %"


def statements_region():
    disk, cache = (time_s("mod-pegmm", 4, 8, place=place) for place in ("disk", "cache"))
    one = sim("pegmm", SETS[4], "1", "--network", "switch:1", "--from", "disk", "--tiles", "8192x8192x8192",
              "--pipeline", "off")["time_s"]
    rows = [
        ["Mod_PEGMM takes up to 45 % less time than PEGMM (abstract; section IV with Fig. 7 (a), Sets 1 to 3; "
         "section V)",
         f"from disks {savings('disk')}; with a page cache {savings('cache')}; and with PEGMM's B stored row by row, "
         f"{savings('rows')}"],
        ["speedups over p = 2 are small for Sets 1 to 3 and improve as the matrices grow (section IV, Fig. 7)",
         f"Mod_PEGMM, p = 8 over p = 2, of 4 at most, Sets 1 to 5: {speedups('disk')} from disks; {speedups('cache')} "
         "with a page cache"],
        ["best speedup 96.9 over one CPU without GPU, Set 4, p = 8 (section IV). If that CPU's time is the "
         f"{CPU_S} s of section I: {CPU_S / SPEEDUP:.0f} s",
         f"{disk:.0f} s from disks, {cache:.0f} s with a page cache: {CPU_S / disk:.0f} and {CPU_S / cache:.0f} "
         "times that CPU"],
        [f"one GPU, nothing optimised: {CPU_GPU_S} s, less than 10 times as fast as the CPU's {CPU_S} s (section I)",
         f"if that is Set 4, x = 8192, one stage after another: {one:.0f} s, of which "
         f"{2 * math.prod(SETS[4]) / GPU:.0f} s multiply"],
        ["efficiency of parallel computing up by up to 40 % (section V)",
         f"at equal p it is the ratio of the times: up by up to {best_gain('disk')} from disks, {best_gain('cache')} "
         "with a page cache"],
    ]
    return table(["paper", "model"], rows, ["---", "---"])


# Who multiplies from a root's disk: words, schedule, grid by p, buffers in memory.
ROOT_RUNS = [
    ("PEGMM", "pegmm", {4: "4", 8: "8"}, None),
    ("Mod_PEGMM, B's panel X in memory", "mod-pegmm", {4: "4", 8: "8"}, "X"),
    ("SUMMA, panels in memory", OWN / "summa-from-root.sched", {4: "2x2", 8: "2x4"}, "P,Q"),
    ("Mod_PEGMM, all of B's panels in memory", "mod-pegmm", {4: "4", 8: "8"}, "B,X"),
    ("Cannon, A and B in memory", OWN / "cannon-from-root.sched", {4: "2x2"}, "A,B"),
]
# The same where every node has its part on its disk already.
SPREAD_RUNS = [
    ("Mod_PEGMM as a ring", "ring", {4: "4", 8: "8"}, None),
    ("SUMMA, panels in memory", "summa-panels", {4: "2x2", 8: "2x4"}, "P,Q"),
    ("Cannon", "cannon", {4: "2x2"}, None),
]


def grid_rows(runs, first):
    rows = []
    for words, schedule, grids, memory in runs:
        row = [words]
        for number in (1, 4):
            for p in (4, 8):
                kept = ("--in-memory", memory) if memory else ()
                run = p in grids and sim(str(schedule), SETS[number], grids[p], "--network", f"switch:{p}", "--from",
                                         "disk", *kept)
                row += [f"{run['time_s']:.0f} s, {gigabytes(run['bytes'] / p)} GB" if run else "-"]
        rows.append(row)
    return table([first, *(f"Set {s}, p = {p}" for s in (1, 4) for p in (4, 8))], rows)


REGIONS = {
    "sets": sets_region, "disk": lambda: predictions("disk"), "cache": lambda: predictions("cache"),
    "rows": lambda: predictions("rows"),
    "scaling": scaling_region, "stages": stages_region, "statements": statements_region, "blocks": blocks_region,
    "sums": sums_region, "errors": errors_region, "root": lambda: grid_rows(ROOT_RUNS, "from the root's disk"),
    "spread": lambda: grid_rows(SPREAD_RUNS, "from the nodes' disks"),
}


def rewrite(text):
    found = REGION.findall(text)
    if sorted(found) != sorted(REGIONS):
        raise Failure(f"the page's regions are {found}, expected each of {sorted(REGIONS)} once")
    return REGION.sub(lambda match: f"<!-- {match.group(1)} -->\n{REGIONS[match.group(1)]()}<!-- end -->\n", text)


def main():
    parser = argparse.ArgumentParser(description="Rewrites the tables of docs/results/ryu-kim.md.")
    parser.add_argument("--check", action="store_true", help="write nothing; fail where the page is out of date")
    parser.add_argument("--command", default="build/cli/topogemm", help="the built topogemm (default: %(default)s)")
    parser.add_argument("page", nargs="?", type=pathlib.Path, default=ROOT / "docs" / "results" / "ryu-kim.md")
    options = parser.parse_args()
    Command.path = str(pathlib.Path(options.command).resolve())
    try:
        old = options.page.read_text(encoding="utf-8")
        new = rewrite(old)
    except (Failure, OSError, KeyError, json.JSONDecodeError) as error:
        sys.exit(f"paper-cluster.py: {error!r}" if isinstance(error, KeyError) else f"paper-cluster.py: {error}")
    if options.check and new != old:
        sys.stdout.writelines(difflib.unified_diff(old.splitlines(True), new.splitlines(True), "page", "generated"))
        sys.exit("paper-cluster.py: the page is out of date; run tools/paper-cluster.py")
    if new != old:
        options.page.write_text(new, encoding="utf-8")


if __name__ == "__main__":
    main()
