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
import os
import pathlib
import statistics
import subprocess
import tempfile

BRIDGE, SUBNET = "tgbridge", "10.77.0"
CASES = [("cannon", "2x2", 1000), ("cannon", "2x2", 3000), ("cannon", "4x4", 2000), ("summa", "4x4", 2000), ("dns", "2x2x2", 2000)]
SIZES = "16,32,64,112,208"
AGENT = f"""#!/bin/sh
# A remote shell into the namespace of that address.
while [ "${{1#-}}" != "$1" ]; do shift; done
host=$1
shift
mkdir -p "$FOLDER/$host"
export TMPDIR="$FOLDER/$host" OMPI_MCA_orte_tmpdir_base="$FOLDER/$host"
exec taskset -c $(((${{host##*.}} - 1) % {len(os.sched_getaffinity(0))})) ip netns exec "{BRIDGE}${{host##*.}}" sh -c "$*"
"""


def call(text):
    subprocess.run(text.split(), check=True)


def clear(hosts):
    """Whatever there is of them."""
    for host in range(1, hosts + 1):  # the link first: that of a namespace goes only some time after it
        subprocess.run(["ip", "link", "del", f"tgv{host}"], stderr=subprocess.DEVNULL, check=False)
        subprocess.run(["ip", "netns", "del", f"{BRIDGE}{host}"], stderr=subprocess.DEVNULL, check=False)
    subprocess.run(["ip", "link", "del", BRIDGE], stderr=subprocess.DEVNULL, check=False)


def make(hosts, rate):
    """The bridge, and a namespace for each host."""
    call(f"ip link add {BRIDGE} type bridge")
    call(f"ip addr add {SUBNET}.254/24 dev {BRIDGE}")
    call(f"ip link set {BRIDGE} up")
    for host in range(1, hosts + 1):
        call(f"ip netns add {BRIDGE}{host}")
        call(f"ip link add tgv{host} type veth peer name eth0 netns {BRIDGE}{host}")
        call(f"ip link set tgv{host} master {BRIDGE} up")
        call(f"ip -n {BRIDGE}{host} addr add {SUBNET}.{host}/24 dev eth0")
        call(f"ip -n {BRIDGE}{host} link set eth0 up")
        call(f"ip -n {BRIDGE}{host} link set lo up")
        call(f"ip netns exec {BRIDGE}{host} tc qdisc add dev eth0 root tbf rate {rate} burst 256kb latency 50ms")


def job(folder, hosts, flags):
    """What starts one rank on each host."""
    net = f"{SUBNET}.0/24"
    tcp = ["--mca", "btl_tcp_flags", flags] if flags else []
    return ["mpirun", "--bind-to", "none", *tcp, "--mca", "btl", "self,tcp", "--mca", "btl_tcp_if_include", net, "--mca", "oob_tcp_if_include", net, "--mca",
            "plm_rsh_agent", str(folder / "agent"), "-H", ",".join(f"{SUBNET}.{host}:1" for host in range(1, hosts + 1)), "-n", str(hosts)]


def ask(launch, program, environment, *words):
    """The document that the command prints."""
    done = subprocess.run([*launch, program, *map(str, words), "--on", "ranks", "--json"], capture_output=True, text=True, env=environment,
                          check=False)
    if done.returncode:
        raise SystemExit(f"{words}: {done.returncode}\n{done.stderr}")
    return json.loads(done.stdout)


def measure(words, folder, hosts, rate):
    """All cases at one rate."""
    environment = os.environ | {"FOLDER": str(folder), "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    launch, machine = job(folder, hosts, words.flags), folder / "network.machine"
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
        (folder / "agent").write_text(AGENT)
        (folder / "agent").chmod(0o755)
        for hosts in map(int, words.hosts.split(",")):
            for rate in words.rates.split(","):
                clear(hosts)
                try:
                    make(hosts, rate)
                    results.append(measure(words, folder, hosts, rate))
                finally:
                    clear(hosts)
    document = {"environment": results[0]["environment"], "rounds": words.rounds, "btl_tcp_flags": words.flags, "measured": results}
    pathlib.Path(words.out).write_text(json.dumps(document, indent=1) + "\n")


main()
