#!/usr/bin/env python3
"""The executor ranks as SimGrid simulates its MPI calls (smpirun), on 64 ranks and more: the product, the number of messages,
and the time beside that of the model flow on the same network.

Usage: test-smpi.py TOPOGEMM MODULE [--more]

Without --more, of the larger cases only the first.

Products take no time. Links are those of a switch, one each way. Each case has the most that the time may be of the model's.
Where ranks send one block after another (Cannon, ring) the two agree. Otherwise a rank begins each send as soon as it has
the block, whatever step it is of, and messages under way share its link: in dns those of the broadcast hold up those of the
lift, and in a tree the later ones the first, which others wait for. The model sends in rounds.
"""
import json
import math
import os
import pathlib
import signal
import subprocess
import sys
import tempfile

PROGRAM, MODULE, *MORE = sys.argv[1:]
LATENCY_S, BANDWIDTH = 1e-6, 1e9  # of each of the two links of a route
CASES = [("cannon", "8x8", 128, 1.03), ("summa", "8x8", 128, 1.3), ("dns", "4x4x4", 128, 1.6),
         ("cannon25d", "4x4x4", 128, 1.9), ("ring", "64", 64, 1.03)]
LARGE = [("cannon", "16x16", 256, 1.03), ("summa", "16x16", 256, 1.6), ("dns", "6x6x6", 192, 1.3),
         ("cannon25d", "8x8x4", 256, 1.7), ("ring", "128", 128, 1.03)]
OPTIONS = ["smpi/simulate-computation:no", "smpi/wtime:0", "network/model:CM02", "network/TCP-gamma:0", "network/weight-S:0",
           "network/crosstraffic:0", "smpi/coll-selector:ompi"]
MACHINE = f"""[machine]
name = as simulated
source = test
[link]
latency_s = {2 * LATENCY_S}
per_hop_s = 0
bandwidth_bytes_per_s = {BANDWIDTH}
duplex = full
[port]
ports = all
[processor]
flops_per_s = 1e30
"""


def simulated(folder, words, ranks):
    """By smpirun: whether C is right, seconds, messages."""
    hosts, platform, out = folder / "hosts", folder / "platform.xml", folder / "out"
    hosts.write_text("".join(f"n{rank}\n" for rank in range(ranks)), encoding="ascii")
    platform.write_text("<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM 'https://simgrid.org/simgrid.dtd'>\n<platform "
                        "version='4.1'><zone id='world' routing='Full'><cluster id='all' prefix='n' suffix='' "
                        f"radical='0-{ranks - 1}' speed='1Gf' bw='{BANDWIDTH}Bps' lat='{LATENCY_S}s' "
                        "sharing_policy='SPLITDUPLEX'/></zone></platform>\n", encoding="ascii")
    job = subprocess.Popen(["smpirun", "-np", str(ranks), "-platform", platform, "-hostfile", hosts,
                           *(f"--cfg={option}" for option in OPTIONS), "--log=root.thresh:error", MODULE, *words, out],
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True)
    try:
        said, _ = job.communicate(timeout=1000)
    finally:
        try:
            os.killpg(job.pid, signal.SIGKILL)  # smpirun is a script, and the simulation its child
        except ProcessLookupError:
            pass
    if job.returncode or not out.exists():
        raise RuntimeError(f"smpirun ended with {job.returncode}: {said[-800:]}")
    same, seconds, messages = out.read_text(encoding="ascii").split()
    return same == "same", float(seconds), int(messages)


def predicted(folder, words, ranks):
    """By the model."""
    machine = folder / "simulated.machine"
    machine.write_text(MACHINE, encoding="ascii")
    name, grid, n, collective = words
    said = subprocess.run([PROGRAM, "sim", name, "--grid", grid, "-n", n, "--collective", collective, "--type", "f64", "--model",
                           "flow", "--network", f"switch:{ranks}", "--machine", machine, "--json"],
                          capture_output=True, text=True, check=True).stdout
    said = json.loads(said)
    return said["time_s"], said["messages"]


def main():
    """See above."""
    cases = CASES + (LARGE if MORE else LARGE[:1])
    print(f"1..{len(cases)}")
    wrong = 0
    for number, (name, grid, n, most) in enumerate(cases, 1):
        ranks, words = math.prod(map(int, grid.split("x"))), [name, grid, str(n), "binomial"]
        with tempfile.TemporaryDirectory() as folder:
            right, took_s, sent = simulated(pathlib.Path(folder), words, ranks)
            model_s, messages = predicted(pathlib.Path(folder), words, ranks)
        fine = right and sent == messages and 0.99 < took_s / model_s < most
        wrong += not fine
        print(f"# {sent} messages, {messages} by the model; {took_s * 1e6:.1f} us, {model_s * 1e6:.1f} us by the model "
              f"({took_s / model_s:.3f})")
        print(f"{'ok' if fine else 'not ok'} {number} - {name} {grid}{'' if right else ': another C than the stepper'}", flush=True)
    sys.exit(wrong > 0)


main()
