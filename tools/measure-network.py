#!/usr/bin/env python3
"""Whether messages of `--on ranks` go on during products, on networks of several rates, beside the prediction.

Usage: measure-network.py TOPOGEMM OUT.json [--rates 100mbit,1gbit,10gbit] [--hosts 2,4] [--rounds 3] [--flags send]

Needs root, iproute2, util-linux and Open MPI. Hosts are network namespaces of this machine, joined by a bridge; the rate of each is
limited by `tc … tbf`. One rank runs on each, bound to one CPU (hosts take turns if there are fewer CPUs), by TCP. For each
rate and number of hosts a machine file is made; then `compare` writes its prediction before it runs. The same schedules run
with --overlap on and off, one after another in each round. --flags "" leaves Open MPI's TCP as it is: of two hosts that send
each other one message of more than 192 KiB, each then asks for the other's behind what it sends itself.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import tempfile

import namespaces

CASES = [("cannon", "2x2", 1000), ("cannon", "2x2", 3000), ("cannon", "4x4", 2000), ("summa", "4x4", 2000), ("dns", "2x2x2", 2000)]
SIZES = "16,32,64,112,208"

def ask(launch, program, environment, *words):
    """The document that the command prints."""
    done = subprocess.run([*launch, program, *map(str, words), "--on", "ranks", "--json"], capture_output=True, text=True, env=environment,
                          check=False)
    if done.returncode:
        raise SystemExit(f"{words}: {done.returncode}\n{done.stderr}")
    return json.loads(done.stdout)


def measure(words, folder, hosts, rate):
    """All cases at one rate."""
    environment = namespaces.environment(folder)
    launch, machine = namespaces.job(folder, hosts, words.flags), folder / "network.machine"
    calibration = ask(launch, words.program, environment, "calibrate", "--grid", "4x4", "--sizes", SIZES, "--noisy", "-o", machine)
    runs = []
    for algorithm, grid, n in CASES:
        case = [algorithm, "--grid", grid, "-n", n, "--trials", 3, "--warmup", 1, "--deadline", 120]
        said = ask(launch, words.program, environment, "compare", *case, "--machine", machine)
        on_s, off_s = [said["measured_s"]], []
        for number in range(words.rounds):
            off_s.append(ask(launch, words.program, environment, "run", *case, "--overlap", "off")["times"]["median"])
            if number:
                on_s.append(ask(launch, words.program, environment, "run", *case)["times"]["median"])
        runs.append({"algorithm": algorithm, "grid": grid, "n": n, "predicted_s": said["predicted_s"], "on_s": on_s, "off_s": off_s})
        on, off = statistics.median(on_s), statistics.median(off_s)
        print(f"{hosts} hosts, {rate}: {algorithm} {grid}, n = {n}: predicted {said['predicted_s']:.3g} s, measured {on:.3g} s "
              f"({said['predicted_s'] / on - 1:+.0%}), without overlap {off:.3g} s ({off / on:.2f} times as long)", flush=True)
    return {"hosts": hosts, "rate": rate, "calibration": calibration["fit"], "environment": calibration["environment"], "runs": runs}


def main():
    """See above."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("out")
    parser.add_argument("--rates", default="100mbit,1gbit,10gbit")
    parser.add_argument("--hosts", default="2,4")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--flags", default="send", help="of Open MPI's TCP transport")
    words = parser.parse_args()
    words.program = str(pathlib.Path(words.program).resolve())
    results = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        namespaces.write_agent(folder)
        for hosts in map(int, words.hosts.split(",")):
            for rate in words.rates.split(","):
                namespaces.clear(hosts)
                try:
                    namespaces.make(hosts, rate)
                    results.append(measure(words, folder, hosts, rate))
                finally:
                    namespaces.clear(hosts)
    document = {"environment": results[0]["environment"], "rounds": words.rounds, "btl_tcp_flags": words.flags, "measured": results}
    pathlib.Path(words.out).write_text(json.dumps(document, indent=1) + "\n")


main()
