"""Simulated hosts for measurements on one machine: network namespaces joined by a bridge. Each host has its own network rate and,
optionally, its own disk rate and memory limit (control groups, version 1). Needs root, iproute2, util-linux and Open MPI."""
import os
import pathlib
import subprocess

BRIDGE, SUBNET = "tgbridge", "10.77.0"
GROUPS = pathlib.Path("/sys/fs/cgroup")
AGENT = f"""#!/bin/sh
# A remote shell into the namespace of that address.
while [ "${{1#-}}" != "$1" ]; do shift; done
host=$1
shift
number=${{host##*.}}
mkdir -p "$FOLDER/$host"
export TMPDIR="$FOLDER/$host" OMPI_MCA_orte_tmpdir_base="$FOLDER/$host"
for group in {GROUPS}/blkio/{BRIDGE}$number {GROUPS}/memory/{BRIDGE}$number; do
  if [ -d "$group" ]; then echo $$ > "$group/cgroup.procs"; fi
done
exec taskset -c $(((number - 1) % {len(os.sched_getaffinity(0))})) ip netns exec "{BRIDGE}$number" sh -c "$*"
"""


def call(text):
    subprocess.run(text.split(), check=True)


def groups_of(host):
    return [GROUPS / kind / f"{BRIDGE}{host}" for kind in ("blkio", "memory")]


def clear(hosts):
    """Removes whatever exists of the hosts."""
    for host in range(1, hosts + 1):  # the link first: with the namespace it would be deleted only some time later
        subprocess.run(["ip", "link", "del", f"tgv{host}"], stderr=subprocess.DEVNULL, check=False)
        subprocess.run(["ip", "netns", "del", f"{BRIDGE}{host}"], stderr=subprocess.DEVNULL, check=False)
        for group in groups_of(host):
            if group.is_dir():
                group.rmdir()
    subprocess.run(["ip", "link", "del", BRIDGE], stderr=subprocess.DEVNULL, check=False)


def disk_of(folder):
    """Major and minor number of the whole disk (not the partition) that holds the folder."""
    device = os.stat(folder).st_dev
    name = f"{os.major(device)}:{os.minor(device)}"
    entry = pathlib.Path(f"/sys/dev/block/{name}").resolve()
    return (entry.parent / "dev").read_text().strip() if (entry / "partition").exists() else name


def limit(host, folder, disk_bytes_per_s, memory_bytes):
    """Limits the host's disk, and its memory including its share of the page cache."""
    blkio, memory = groups_of(host)
    blkio.mkdir()
    for way in ("read", "write"):
        (blkio / f"blkio.throttle.{way}_bps_device").write_text(f"{disk_of(folder)} {int(disk_bytes_per_s)}")
    memory.mkdir()
    (memory / "memory.limit_in_bytes").write_text(str(int(memory_bytes)))


def make(hosts, rate):
    """Creates the bridge, and a namespace for each host."""
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


def write_agent(folder):
    (folder / "agent").write_text(AGENT)
    (folder / "agent").chmod(0o755)


def environment(folder):
    return os.environ | {"FOLDER": str(folder), "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def job(folder, hosts, flags):
    """The command that starts one rank on each host. `flags` are those of Open MPI's TCP transport."""
    net = f"{SUBNET}.0/24"
    tcp = ["--mca", "btl_tcp_flags", flags] if flags else []
    return ["mpirun", "--bind-to", "none", *tcp, "--mca", "btl", "self,tcp", "--mca", "btl_tcp_if_include", net, "--mca", "oob_tcp_if_include", net, "--mca",
            "plm_rsh_agent", str(folder / "agent"), "-H", ",".join(f"{SUBNET}.{host}:1" for host in range(1, hosts + 1)), "-n", str(hosts)]
