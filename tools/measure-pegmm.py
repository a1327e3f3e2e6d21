#!/usr/bin/env python3
"""The experiments of Ryu and Kim (2018), scaled down: EGMM, PEGMM, Mod_PEGMM and grid schedules from disks, compared with predictions.

Usage: measure-pegmm.py TOPOGEMM OUT.json FOLDER [--shrink 8] [--disk 100e6] [--ratio 8] [--sets 1,2,3,4,5] [--hosts 1,2,4]
                        [--only panels|grids] [--ratios 4,2,1,0.5,0.25] [--ratio-set 3]

       measure-pegmm.py TOPOGEMM --again OUT.json …    predicts stored runs with this version

Hosts are as in namespaces.py: each has a disk of --disk bytes/s, a network card --ratio times as fast, and limited memory; they share
this machine's CPUs. Extents are the paper's divided by --shrink, memory is the paper's divided by its square: the blocks of a node may
use what its GPU had (8 GB), page cache and program together what the node had (16 GB). All blocks are sent in messages, each to the
receiver's own disk. With --ratios, only --ratio-set is measured, on the largest number of hosts, at each of these ratios.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import time

import namespaces

# Table III: A is m x k, B is k x n.
SETS = {1: (2**15, 2**15, 2**15), 2: (2**16, 2**15, 2**15), 3: (2**16, 2**15, 2**16), 4: (2**16, 2**16, 2**16), 5: (2**17, 2**16, 2**16)}
EDGE, GPU_BYTES, HOST_BYTES = 2**13, 8e9, 16e9
TCP = 0.94  # of the line rate
OWN = pathlib.Path(__file__).resolve().parent.parent / "docs" / "results" / "ryu-kim"
GRIDS = [(OWN / "summa-from-root.sched", "2x2"), (OWN / "cannon-from-root.sched", "2x2"), ("summa", "2x2"), ("cannon", "2x2")]
KEPT = ["disk_read_bytes", "disk_written_bytes", "model_read_bytes", "sent_bytes", "wall_s", "disk_s", "compute_s", "peak_rss_bytes",
        "relative_error", "ok", "direct", "io"]


def ask(launch, environment, *words):
    """The document that the command prints."""
    done = subprocess.run([*launch, *map(str, words), "--json"], capture_output=True, text=True, env=environment, check=False)
    if done.returncode:
        raise SystemExit(f"{words}: {done.returncode}\n{done.stderr}")
    return json.loads(done.stdout)


def write_machine(path, about, row):
    """What is known of the cluster."""
    memory, rate = int(GPU_BYTES / about["shrink"]**2), about["disk_bytes_per_s"] * row["ratio"]
    path.write_text(f"[machine]\nname = scaled\nsource = the limits\nresidual = 0.2\nnetwork = switch:{row['hosts']}\n"
                    f"[link]\nlatency_s = 1e-4\nbandwidth_bytes_per_s = {TCP * rate}\nduplex = full\n[port]\nports = one\n"
                    f"[processor]\nflops_per_s = {about['flops_per_s'] / row['hosts']}\nmemory_bytes = {memory}\n"
                    f"[disk]\nread_bytes_per_s = {row['disk_rates'][0]}\nwrite_bytes_per_s = {row['disk_rates'][1]}\nlatency_s = 1e-4\n"
                    f"[cache]\nread_bytes_per_s = 5e9\nwrite_bytes_per_s = 5e9\ncapacity_bytes = {HOST_BYTES / about['shrink']**2 - memory}\n",
                    encoding="ascii")


def predict(program, folder, about, row):
    """The predicted time of a row. `huge` sends a block from its owner to one receiver after another: pairwise."""
    m, k, n = (extent // about["shrink"] for extent in SETS[row["set"]])
    own = OWN / f"{row['algorithm']}.sched"
    network = [] if row["hosts"] == 1 else ["--network", f"switch:{row['hosts']}"]
    blocks = ["--tiles", "x".join(map(str, row["tiles"]))] if row["tiles"] else []
    write_machine(folder / "scaled.machine", about, row)
    return ask([], None, program, "sim", own if own.exists() else row["algorithm"], "--size", f"{m}x{n}x{k}", "--grid", row["grid"], *network,
               "--machine", folder / "scaled.machine", "--collective", "pairwise", "--from", row["from"], *blocks)["time_s"]


def again(program, paths):
    """Predicts stored rows with this version."""
    with tempfile.TemporaryDirectory() as name:
        for path in map(pathlib.Path, paths):
            document = json.loads(path.read_text(encoding="utf-8"))
            for row in document["rows"]:
                row["predicted_s"] = predict(program, pathlib.Path(name), document, row)
            path.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


class Bench:
    """A cluster of a given number of hosts."""

    def __init__(self, words, folder, hosts, ratio):
        self.words, self.folder, self.hosts, self.ratio = words, folder, hosts, ratio
        self.environment = namespaces.environment(folder)
        self.memory = int(GPU_BYTES / words.shrink**2)
        self.rate, self.rates = words.disk * ratio, None

    def __enter__(self):
        namespaces.clear(self.hosts)
        namespaces.make(self.hosts, f"{round(self.rate * 8 / 1e6)}mbit")
        for host in range(1, self.hosts + 1):
            namespaces.limit(host, self.words.folder, self.words.disk, HOST_BYTES / self.words.shrink**2)
        self.rates = self.disk_rates()
        return self

    def __exit__(self, *_):
        namespaces.clear(self.hosts)

    def disk_rates(self):
        """Measures the first host's limited disk, past the cache: reads and writes, bytes/s."""
        path, size = f"{self.words.folder}/rate", int(2 * self.words.disk)
        enter = f"echo $$ > {namespaces.GROUPS}/blkio/{namespaces.BRIDGE}1/cgroup.procs; "
        rates = []
        for what in (f"of={path} if=/dev/zero oflag=direct", f"if={path} of=/dev/null iflag=direct"):
            begun = time.monotonic()
            subprocess.run(["sh", "-c", f"{enter} dd {what} bs=1M count={size >> 20} status=none"], check=True)
            rates.insert(0, (size >> 20 << 20) / (time.monotonic() - begun))
        pathlib.Path(path).unlink()
        return rates

    def run(self, number, algorithm, grid, place, tiles):
        """Measures and predicts one product."""
        words, name = self.words, pathlib.Path(algorithm).stem
        blocks = ["--tiles", "x".join(map(str, tiles))] if tiles else []
        subprocess.run(["sync"], check=True)
        pathlib.Path("/proc/sys/vm/drop_caches").write_text("3")  # so that what the hosts read is in their own share of the page cache
        files = [word for name in "abc" for word in (f"--{name}", f"{words.folder}/{number}-{name}.tg")]
        said = ask(namespaces.job(self.folder, self.hosts, "send"), self.environment, words.program, "huge", algorithm, "--grid", grid, *files,
                   "--memory", self.memory, *blocks, "--from", place, "--on", "ranks", "--transport", "message")
        pathlib.Path(f"{words.folder}/{number}-c.tg").unlink()
        row = {"set": number, "algorithm": name, "grid": grid, "hosts": self.hosts, "ratio": self.ratio, "from": place, "tiles": tiles,
               "disk_rates": self.rates} | {key: said[key] for key in KEPT}
        about = {"shrink": words.shrink, "disk_bytes_per_s": words.disk, "flops_per_s": words.flops}
        row["predicted_s"] = predict(words.program, self.folder, about, row)
        print(f"Set {number}, {name} {grid}, {place}, network / disk {self.ratio:g}, {tiles or 'planned'}: {said['wall_s']:.1f} s, predicted "
              f"{row['predicted_s']:.1f} s; read {said['disk_read_bytes'] / 1e9:.2f}, written {said['disk_written_bytes'] / 1e9:.2f}, sent "
              f"{said['sent_bytes'] / 1e9:.2f} GB", flush=True)
        return row


def paper_tiles(number, algorithm, hosts, shrink):
    """The paper's blocks, x = y = z (section IV)."""
    m, k, n = SETS[number]
    edge = min(m // hosts, k, n // hosts if algorithm == "mod-pegmm" else n, EDGE) // shrink
    return [edge, edge, edge]


def generate(words, number):
    """Writes A and B of a set."""
    m, k, n = (extent // words.shrink for extent in SETS[number])
    for name, rows, columns in (("a", m, k), ("b", k, n)):
        subprocess.run([words.program, "generate", f"{words.folder}/{number}-{name}.tg", "--size", f"{rows}x{columns}", "--seed", str(ord(name)), "--quiet"],
                       check=True)


def measure_set(words, folder, number):
    """Measures all schedules of a set."""
    rows = []
    for hosts in words.hosts:
        with Bench(words, folder, hosts, words.ratio) as bench:
            for place in ("disk", "cache"):
                if hosts == 4 and words.only != "panels":
                    rows += [bench.run(number, algorithm, grid, place, None) for algorithm, grid in GRIDS]
                if words.only == "grids":
                    continue
                if hosts == 1:
                    rows.append(bench.run(number, "egmm", "1", place, paper_tiles(number, "egmm", 1, words.shrink)))
                    rows.append(bench.run(number, "egmm", "1", place, None))
                    continue
                for algorithm in ("pegmm", "mod-pegmm"):
                    rows.append(bench.run(number, algorithm, str(hosts), place, paper_tiles(number, algorithm, hosts, words.shrink)))
                    rows.append(bench.run(number, algorithm, str(hosts), place, None))
    return rows


def measure_ratios(words, folder):
    """Measures one set at several rates of the network."""
    rows = []
    for ratio in words.ratios:
        with Bench(words, folder, max(words.hosts), ratio) as bench:
            for algorithm in ("pegmm", "mod-pegmm"):
                tiles = paper_tiles(words.ratio_set, algorithm, bench.hosts, words.shrink)
                rows += [bench.run(words.ratio_set, algorithm, str(bench.hosts), place, tiles) for place in ("disk", "cache")]
            rows.append(bench.run(words.ratio_set, GRIDS[0][0], "2x2", "disk", None))
    return rows


def main():
    """See above."""
    if sys.argv[2:3] == ["--again"]:
        again(sys.argv[1], sys.argv[3:])
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("folder")
    parser.add_argument("--shrink", type=int, default=8)
    parser.add_argument("--disk", type=float, default=100e6)
    parser.add_argument("--ratio", type=float, default=8)
    parser.add_argument("--sets", default="1,2,3,4,5")
    parser.add_argument("--hosts", default="1,2,4")
    parser.add_argument("--only", choices=["panels", "grids"], help="only schedules on panels of rows and columns, or only those on grids (default: both)")
    parser.add_argument("--ratios", default="")
    parser.add_argument("--ratio-set", type=int, default=3)
    words = parser.parse_args()
    words.program = str(pathlib.Path(words.program).resolve())
    words.hosts = [int(hosts) for hosts in words.hosts.split(",")]
    words.ratios = [float(ratio) for ratio in words.ratios.split(",") if ratio]
    inside = ask([], None, words.program, "run", "cannon", "--grid", "1x1", "-n", "4096", "--on", "cpu")
    words.flops = 1e9 * inside["gflops"]
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        namespaces.write_agent(folder)
        for number in [words.ratio_set] if words.ratios else map(int, words.sets.split(",")):
            generate(words, number)
            rows += measure_ratios(words, folder) if words.ratios else measure_set(words, folder, number)
            for matrix in "ab":
                pathlib.Path(f"{words.folder}/{number}-{matrix}.tg").unlink()
    document = {"environment": inside["environment"], "shrink": words.shrink, "disk_bytes_per_s": words.disk, "flops_per_s": words.flops, "rows": rows}
    words.out.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


main()
