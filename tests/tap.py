"""For tests in Python: runs cases, each in a folder of its own, and writes what came of them as TAP."""
import os
import pathlib
import tempfile
import time
import traceback


# Threads of OpenBLAS wait for each other by spinning: where other tests run beside, small products would take minutes.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


class Skipped(Exception):
    """What the case needs is not there."""


def cases_of(module):
    """Name and function of every test_… of a module's globals(), in their order."""
    return [(name[5:].replace("_", "-"), case) for name, case in module.items() if name.startswith("test_")]


def run_case(number, name, case, folder):
    """False where it failed."""
    begun = time.monotonic()
    try:
        case(folder)
    except Skipped as why:
        print(f"ok {number} {name} # SKIP {why}", flush=True)
    except Exception:  # pylint: disable=broad-except
        print(f"not ok {number} {name}\n" + "".join(f"# {line}\n" for line in traceback.format_exc().splitlines()), flush=True)
        return False
    else:
        print(f"ok {number} {name} # {time.monotonic() - begun:.1f} s", flush=True)
    return True


def run_cases(cases):
    """Calls each (name, function) with an empty folder, which is also the working directory. Returns the exit status."""
    print(f"1..{len(cases)}", flush=True)
    failures, home = 0, os.getcwd()
    for number, (name, case) in enumerate(cases, 1):
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            failures += not run_case(number, name, case, pathlib.Path(folder))
            os.chdir(home)
    return int(failures > 0)
