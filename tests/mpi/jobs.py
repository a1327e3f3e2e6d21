"""For tests of MPI jobs: whether there can be one, how it is started, and which processes it has."""
import os
import pathlib
import shutil
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import tap  # pylint: disable=wrong-import-position

# What MPI libraries do not free is not ours.
ENVIRONMENT = os.environ | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
                            "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",  # the same since Open MPI 5
                            "RES_OPTIONS": "attempts:1 timeout:1",  # it looks for its host's name, which not every machine knows
                            "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"}


def need_mpi(built):
    """Skips the case where topogemm was built without MPI, or nothing starts a job."""
    if not built:
        raise tap.Skipped("built without MPI")
    if not shutil.which("mpirun"):
        raise tap.Skipped("mpirun is not installed")
    works = subprocess.run(["mpirun", "-n", "2", "true"], capture_output=True, text=True, env=ENVIRONMENT, timeout=60, check=False)
    if works.returncode != 0:
        raise tap.Skipped("`mpirun -n 2 true` fails: " + " ".join(works.stderr.split())[:200])


def open_mpi_4():
    return "Open MPI) 4" in subprocess.run(["mpirun", "--version"], capture_output=True, text=True, check=False).stdout


def failing_s():
    """How long mpirun itself takes to say that something failed: where it cannot find its own host's name, long."""
    begun = time.monotonic()
    subprocess.run(["mpirun", "-n", "2", "false"], capture_output=True, env=ENVIRONMENT, timeout=120, check=False)
    return time.monotonic() - begun


def messages_of(said):
    """What topogemm says, without what mpirun adds, which ends with a zero byte in Open MPI 5."""
    lines = [line.lstrip("\0 \t") for line in said.splitlines()]
    return [line for line in lines if line.startswith("topogemm: ")]


def processes(ancestor=None):
    """Those that run topogemm, below this process or anywhere: mpiexec of MPICH starts them through a proxy."""
    parents, found = {}, []
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            program, _, rest = (folder / "stat").read_text().rpartition(")")
        except OSError:
            continue
        state, of = rest.split()[:2]
        parents[int(folder.name)] = int(of)
        if program.endswith("(topogemm") and state != "Z":
            found.append(int(folder.name))

    def is_below(process):
        while process and process != ancestor:
            process = parents.get(process, 0)
        return process == ancestor

    return sorted(process for process in found if ancestor is None or is_below(process))


def has_loaded(process, library):
    try:
        return library in pathlib.Path(f"/proc/{process}/maps").read_text()
    except OSError:
        return False


def wait_for_ranks(job, count, loaded=""):
    """They exist, and have loaded that library: BLAS comes after all that MPI does to begin. How far they are otherwise is random."""
    found = []
    for _ in range(1500):
        found = processes(job.pid)
        if len(found) == count and all(has_loaded(rank, loaded) for rank in found):
            return found
        time.sleep(0.02)
    job.terminate()
    raise AssertionError(f"{len(found)} ranks")
