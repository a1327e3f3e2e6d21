#!/usr/bin/env python3
"""The ranges that `topogemm run` names for profilers, as a profiler gets them: loads, runs, gathers. Writes TAP.

Usage: test-ranges.py TOPOGEMM LISTENER
"""
import os
import subprocess
import sys
import tempfile


def main():
    program, listener = map(os.path.abspath, sys.argv[1:])
    with tempfile.TemporaryDirectory() as folder:
        ranges = os.path.join(folder, "ranges")
        environment = {**os.environ, "NVTX_INJECTION64_PATH": listener, "TG_TEST_RANGES": ranges}
        words = ["run", "cannon", "--grid", "2x2", "-n", "8", "--on", "cpu", "--trials", "3", "--warmup", "1", "--quiet"]
        subprocess.run([program, *words], env=environment, check=True, timeout=100)
        with open(ranges, encoding="utf-8") as file:
            said = file.read().split()
    wanted = ["load", "end"]
    for name in ["run", "gather", "run", "run", "run", "gather"]:  # the first run is checked at once
        wanted += [name, "end"]
    same = said == wanted
    print(f"1..1\n{'ok' if same else 'not ok'} 1 - ranges")
    if not same:
        print(f"# {said}, expected {wanted}")
    return not same


if __name__ == "__main__":
    sys.exit(main())
