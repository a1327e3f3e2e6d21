#!/usr/bin/env python3
"""Builds, tests, sanitises and measures all that runs on a GPU, in one go, and leaves its JSON under bench/results.

Every part is a command; its output goes to BUILD/gpu/PART.log, its document to RESULTS/PREFIX-PART.json once it has ended
well. What tests said, also under tools, goes to RESULTS/PREFIX-checks.json, which keeps what this run leaves out. At the
end stands a table of all parts, and BUILD/gpu/summary.json has the same. The status is 1 where a part failed, 2 after wrong
use, 4 where there is no GPU.
Then tools/docs-measured.py brings the documents' tables up to date.

Usage: measure-gpu.py [--build FOLDER] [--prebuilt] [--results FOLDER] [--prefix NAME] [--quick] [--limit SECONDS]
                      [--jobs N] [--only PART,…] [--resume] [--list]
  --build     where it is built, or was (build)          --prebuilt  do not build: FOLDER/cli and FOLDER/tests are there
  --prefix    of the results' names; else of the card, as h200
  --quick     small sizes, whether all of it works; RESULTS is BUILD/gpu then, if not given
  --limit     seconds a part may take (1800)       --only  parts, or first words of their names, as `measure-ladder`
  --jobs      tests, also under tools, that run beside each other (1: they share the GPU)
  --resume    leaves out the parts of tests that RESULTS has as ended well at this commit
"""
import argparse
import concurrent.futures
import contextlib
import functools
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
TESTS = ["device", "kernels", "historic", "historic-mmt", "threads", "clusters", "blocks", "variants"]
TOOLS = ["memcheck", "racecheck", "synccheck"]
# Sizes at which a test under a tool ends within minutes: racecheck slows kernels down several hundred times.
LARGEST = {"memcheck": "130", "racecheck": "65", "synccheck": "130"}
# Tiles of clusters and of kernels are 128 x 128: no less has edges.
LARGEST_OF = {("racecheck", "clusters"): "130", ("racecheck", "kernels"): "130"}
# Of how many grids one is left, where a schedule runs on many; of how many layouts, for a kernel.
EVERY = {("racecheck", "clusters"): "2", ("racecheck", "blocks"): "4", ("racecheck", "threads"): "4",
         ("racecheck", "kernels"): "5"}
# The most local products of a schedule: racecheck takes 3 s for a run of 25 on 5 blocks, 8 s for 36 on 6, over 20 s for 64
# on 8.
PRODUCTS = {("racecheck", "clusters"): "24"}
# Cases that get more than that, and take minutes.
MANY_PRODUCTS = ("64", re.compile(r"/clusters/device/(stress/\w+-4x4|variants/(cannon-4x4|fox-3x3)/.*)"))
# Into how many parts, each with some of its cases, a test is divided under a tool. racecheck of clusters takes long, and in a
# process of several cases at times does not end: every case is a part.
DIVIDED = {("racecheck", "blocks"): 8, ("racecheck", "clusters"): 63, ("racecheck", "historic"): 4,
           ("racecheck", "kernels"): 4, ("racecheck", "threads"): 2}
# Cases that are a part more, with larger sizes: kernels that divide k do so for these alone.
LARGE = {(tool, "kernels"): ("1000", [f"/gpu/kernels/{name}/f32" for name in ["split", "stream", "turn", "sliced", "tensor"]])
         for tool in TOOLS}
CLEAN = re.compile(r"(ERROR SUMMARY: 0 errors|RACECHECK SUMMARY: 0 hazards displayed)")

# What is measured: name, and words of the command with and without --quick. A median is one of 20 at least, or of as many
# as fit 20 s.
EXPERIMENTS = {
    "ladder-f32": ("bench ladder --sizes 1024,2048,3000,4096,8192", "--quick"),
    "ladder-f32-16384": ("bench ladder --sizes 16384 --kernels vectors,bulk,turn,tensor,cublas --budget 4", None),
    "ladder-f64": ("bench ladder --type f64 --sizes 1024,2048,4096", "--type f64 --quick"),
    "division": ("bench division", "--quick"),
    "oneil": ("bench oneil --sizes 8,16,32,64,128,256,512,1024 --budget 0.1", "--quick"),
    # All sizes in one run, for what is left out is told by the sizes before; 40 times the budget is the paper's minute.
    "oneil-large": ("bench oneil --sizes 2048,4096,8192,16384,32768 --budget 1.5 --kernels oneil-cannon-tiles,"
                    "oneil-dns-cube-tiles,oneil-dns-cube-tiles-banks,oneil-dns-planes-tiles,chosen,cublas", None),
    "essay": ("bench essay --budget 0.1", "--quick"),
    "transpose": ("bench transpose --sizes 16,32,64,128,256,512,1024,2048,4096,8192 --budget 0.05", "--quick"),
    "transpose-16384": ("bench transpose --sizes 16384 --budget 0.05 --kernels essay-copy,memcpy,essay-transpose-naive,"
                        "essay-transpose-unpadded,essay-transpose-shared", None),
    "mmt": ("bench mmt --sizes 500,512,1000,1024,2000,3000 --budget 0.1", "--quick"),
    "mmt-large": ("bench mmt --sizes 5000 --budget 0.1", None),
    "mmt-largest": ("bench mmt --sizes 10000,20000 --budget 0.1 --kernels mmt-v006-corrected,mmt-v006-coalesced,"
                    "mmt-cublas-corrected", None),
    # The tables' sizes, and odd multiples of 8, where blocks of 16 do not fit: the processor takes minutes for all hundred.
    "dobravec": ("bench dobravec --budget 0.02 --sizes 8,24,40,80,120,160,200,240,320,360,400,480,512,560,600,640,720,760,800",
                 "--quick"),
    "shapes": ("bench shapes", "--quick"),
}

TRIALS = "--trials", "20"  # of all of them but the variants, of which there are hundreds; fewer where these take over 20 s
# Figures that do not depend on which variant an earlier part, or another day, kept as the fastest.
OWN = ["--no-cache"]
# Schedules on the executors of one GPU, with cuBLAS in the same run: algorithms, grids, sizes, more.
RUNS = {
    "clusters-2x2": ("cannon summa fox", "2x2", (4096,), "--on clusters --transport copy,load"),
    "clusters-2x2-cannon": ("cannon", "2x2", (8192,), "--on clusters --transport copy,load"),
    "clusters-4x4": ("cannon summa fox", "4x4", (4096,), "--on clusters --transport copy,load"),
    "clusters-4x4-cannon": ("cannon", "4x4", (8192,), "--on clusters --transport copy,load"),
    "clusters-2x2x2": ("dns", "2x2x2", (4096, 8192), "--on clusters --transport copy,load"),
    "blocks-16x16": ("cannon summa fox", "16x16", (8192,), "--on blocks --transport copy,pull"),
    "blocks-8x8x8": ("dns", "8x8x8", (8192,), "--on blocks --transport copy,pull"),
    "threads-16x16": ("cannon summa fox", "16x16", (1024,), "--on threads"),
    "threads-8x8x8": ("dns", "8x8x8", (1024,), "--on threads"),
}


# Predictions beside runs: what is calibrated, and what is compared with that machine.
COMPARES = {
    "clusters-2x2": ("--on clusters", "2x2", "cannon summa fox", (4096, 8192)),
    "clusters-2x2-load": ("--on clusters --transport load", "2x2", "cannon summa fox", (4096, 8192)),
    "clusters-4x4": ("--on clusters", "4x4", "cannon summa fox", (4096, 8192)),
    "clusters-4x4-load": ("--on clusters --transport load", "4x4", "cannon summa fox", (4096, 8192)),
    "clusters-2x2x2": ("--on clusters", "2x2x2", "dns", (4096, 8192)),
    "blocks-16x16": ("--on blocks", "16x16", "cannon summa fox", (4096, 8192)),
    "blocks-16x16-pull": ("--on blocks --transport pull", "16x16", "cannon summa fox", (4096, 8192)),
    "blocks-8x8x8": ("--on blocks", "8x8x8", "dns", (4096, 8192)),
    "blocks-8x8x8-pull": ("--on blocks --transport pull", "8x8x8", "dns", (4096, 8192)),
    "threads-16x16": ("--on threads", "16x16", "cannon summa fox", (800,)),
}


def blas_core():
    """OpenBLAS takes processors that it does not know for old ones, at a tenth of their speed: by what this one can do."""
    try:
        flags = set(re.search(r"^flags\s*:(.*)", pathlib.Path("/proc/cpuinfo").read_text(), re.M).group(1).split())
    except (OSError, AttributeError):
        return {}
    wide = {"avx512f", "avx512dq", "avx512bw", "avx512vl"} <= flags
    core = "SKYLAKEX" if wide else "HASWELL" if {"avx2", "fma"} <= flags else None
    return {"OPENBLAS_CORETYPE": core} if core and "OPENBLAS_CORETYPE" not in os.environ else {}


RUNNING = set()  # processes, each the first of its group: tools start programs, which end with them
ENDED = threading.Event()  # everything that is running; what that says is not kept


def end_all():
    """Nothing may be left on the GPU that others then measure."""
    ENDED.set()
    for process in list(RUNNING):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


def run_words(words, limit, environment):
    """Output, errors, status; after `limit` s, what there was until then."""
    text = {"mode": "w+", "encoding": "utf-8", "errors": "replace"}
    with tempfile.TemporaryFile(**text) as output, tempfile.TemporaryFile(**text) as errors:
        with subprocess.Popen(words, stdout=output, stderr=errors, cwd=ROOT, env={**os.environ, **environment},
                              start_new_session=True) as process:
            RUNNING.add(process)
            if ENDED.is_set():  # end_all() ran before this process was noted
                os.killpg(process.pid, signal.SIGKILL)
            late = ""
            try:
                status = process.wait(limit)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                late, status = f"ended after {limit:g} s\n", 124
            RUNNING.discard(process)
        output.seek(0)
        errors.seek(0)
        return output.read(), errors.read() + late, status


class Part:
    """One command."""

    def __init__(self, name, words, document=False, environment=None, check=None, more=None, what=None):
        self.name, self.words, self.document, self.more = name, words, document, more
        self.what = what  # of a test: its name, the tool, and which part of how many it is
        self.environment, self.check = environment or {}, check
        self.status, self.seconds, self.said = None, 0.0, ""

    def run(self, options, prefix):
        begun = time.monotonic()
        log = options.logs / f"{self.name}.log"
        try:
            words, environment = self.more() if self.more else ([], {})
            self.words = self.words + words  # a list that parts share stays as it is
            self.environment = {**self.environment, **environment}
            output, errors, self.status = run_words(self.words, options.limit, {**blas_core(), **self.environment})
        except (OSError, subprocess.CalledProcessError) as error:
            output, errors, self.status = "", f"{error}\n", 127
        self.seconds = time.monotonic() - begun
        log.write_text(f"$ {' '.join(self.words)}\n{output}{errors}= {self.status}\n")
        self.said = self.check(output + errors) if self.check and self.status == 0 else ""
        if self.status == 0 and self.said.startswith("not "):
            self.status = 1
        if self.status == 0 and self.document:
            self.write(options.results / f"{prefix}-{self.name.split('-', 1)[1]}.json", output)
        if self.status != 0:
            self.said = self.said or (errors.strip().splitlines() or ["see its log"])[-1][:100]

    def write(self, path, output):
        try:
            json.loads(output)
        except ValueError:
            self.status, self.said = 1, "not a JSON document"
            return
        path.write_text(output)
        self.said = path.name


def count_tests(output, may_skip=False):
    """Of a TAP document; unless all of them may be skipped, one has to have passed."""
    wrong = len(re.findall(r"^not ok", output, re.M))
    skipped = re.findall(r"^ok \d+ (\S+) # SKIP", output, re.M)
    good = len(re.findall(r"^ok", output, re.M)) - len(skipped)
    text = f"{good} passed, {len(skipped)} skipped"
    ran = good or may_skip and skipped
    return text if ran and not wrong else f"not right: {wrong} failed, {text}"


def find_summary(output):
    """A part may be of cases alone that are left out under a tool."""
    found = CLEAN.search(output)
    counts = count_tests(output, may_skip=True)
    return f"{found.group(0).lower()}, {counts}" if found and not counts.startswith("not ") else f"not clean: {counts}"


def cases_of(program, part, count):
    """Options that choose every count-th case of a test, and what its environment needs for them; where some are of the device,
    of those: of a program that does nothing on a GPU a tool says that it is an error."""
    listed = subprocess.run([program, "-l"], capture_output=True, text=True, check=True).stdout
    cases = re.findall(r"^(/\S+)", listed, re.M)
    chosen = ([case for case in cases if "/device/" in case] or cases)[part::count]
    products, long = MANY_PRODUCTS
    environment = {"TG_TEST_PRODUCTS": products} if any(map(long.fullmatch, chosen)) else {}
    return [word for case in chosen for word in ("-p", case)], environment


def sanitised_of(tool, name, program):
    """A test under a tool, in as many parts as the table says."""
    words = ["compute-sanitizer", "--tool", tool, "--error-exitcode", "9", str(program)]
    if tool == "memcheck":  # launches that are refused are what some tests are about
        words[3:3] = ["--report-api-errors", "no"]
    environment = {"TG_TEST_LARGEST": LARGEST_OF.get((tool, name), LARGEST[tool])}
    if (tool, name) in EVERY:
        environment["TG_TEST_EVERY"] = EVERY[tool, name]
    if (tool, name) in PRODUCTS:
        environment["TG_TEST_PRODUCTS"] = PRODUCTS[tool, name]
    count = DIVIDED.get((tool, name), 1)
    pieces = count + ((tool, name) in LARGE)
    for part in range(count):
        more = functools.partial(cases_of, str(program), part, count) if count > 1 else None
        yield Part(f"{tool}-{name}" + (f"-{part + 1}" if more else ""), words, check=find_summary,
                   environment=environment, more=more, what=(name, tool, part + 1, pieces))
    if pieces > count:
        largest, cases = LARGE[tool, name]
        yield Part(f"{tool}-{name}-{pieces}", [*words, *(word for case in cases for word in ("-p", case))], check=find_summary,
                   environment={**environment, "TG_TEST_LARGEST": largest}, what=(name, tool, pieces, pieces))


def parts_of(options):
    cli, tests = options.build / "cli" / "topogemm", options.build / "tests" / "gpu"
    if not options.prebuilt:
        how = "configure" if (options.build / "build.ninja").exists() else "setup"
        yield Part("build-setup", ["meson", how, str(options.build), "--buildtype", "release", "-Dtests=enabled"])
        yield Part("build", ["ninja", "-C", str(options.build)])
    for name in TESTS:
        yield Part(f"test-{name}", [str(tests / f"test-{name}")], check=count_tests, what=(name, "test", 1, 1),
                   environment={"TG_TEST_LARGEST": "129"} if options.quick else None)
    for tool in TOOLS:
        for name in TESTS[1:]:
            yield from sanitised_of(tool, name, tests / f"test-{name}")
    for name, (words, quick) in EXPERIMENTS.items():
        if options.quick and not quick:
            continue
        chosen = words.split()[:2] + quick.split() if options.quick else words.split()
        if name != "shapes" and not options.quick:
            chosen += TRIALS
        yield Part(f"measure-{name}", [str(cli), *chosen, "--json"], document=True)
    for name, (algorithms, grid, sizes, more) in RUNS.items():
        for size in (512,) if options.quick else sizes:
            words = ["run", *algorithms.split(), "--grid", grid, "-n", str(size), *more.split(), *OWN]
            yield Part(f"measure-{name}-{size}", [str(cli), *words, "--baseline", "cublas", "--json"], document=True)
    for name, (how, grid, algorithms, sizes) in COMPARES.items():
        machine = str(options.build / "gpu" / f"{name}.machine")
        words = ["calibrate", *how.split(), "--grid", grid, "-o", machine]
        yield Part(f"measure-calibrate-{name}", [str(cli), *words, "--json"], document=True)
        for size in (1000,) if options.quick else sizes:
            words = ["compare", *algorithms.split(), *how.split(), "--grid", grid, "-n", str(size), "--machine", machine, *OWN]
            yield Part(f"measure-compare-{name}-{size}", [str(cli), *words, "--json"], document=True)


def wrong_use(message):
    print(f"measure-gpu.py: {message}", file=sys.stderr)
    sys.exit(2)


def card():
    """Name of the first GPU in short: h200 of `NVIDIA H200`."""
    words = ["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"]
    try:
        name = subprocess.run(words, capture_output=True, text=True, check=True).stdout.splitlines()[0]
    except (OSError, subprocess.CalledProcessError, IndexError):
        print("measure-gpu.py: no NVIDIA driver that answers: nvidia-smi does not name a GPU", file=sys.stderr)
        sys.exit(4)
    return "-".join(re.sub(r"NVIDIA|GeForce", "", name).lower().split())


def commit_of(build):
    """What the programs were built from; None where that is not known."""
    try:
        return re.search(r'TG_COMMIT "(.*)"', (build / "bench" / "commit.h").read_text()).group(1)
    except (OSError, AttributeError):
        return None


def keep_check(part, options, path):
    """Into the document, in the order of all parts; what was not run this time stays as it was, but for parts of a test
    that was divided otherwise."""
    test, tool, piece, pieces = part.what
    kept = {}
    if path.exists():
        kept = {(one["test"], one["tool"], one["piece"]): one for one in json.loads(path.read_text())["checks"]}
    kept = {key: one for key, one in kept.items() if key[:2] != (test, tool) or one["pieces"] == pieces}
    kept[test, tool, piece] = {"test": test, "tool": tool, "piece": piece, "pieces": pieces, "status": part.status,
                               "said": part.said, "seconds": round(part.seconds, 1), "commit": commit_of(options.build)}
    order = [(name, tool) for name in TESTS for tool in ["test"] + TOOLS]
    checks = sorted((one for one in kept.values() if (one["test"], one["tool"]) in order),  # else there is no such test any more
                    key=lambda one: (order.index((one["test"], one["tool"])), one["piece"]))
    rows = ",\n".join("  " + json.dumps(one) for one in checks)
    path.write_text(f'{{"checks": [\n{rows}\n]}}\n')


def chosen_of(parts, only):
    """Those that are named, wholly or by their first words: racecheck-blocks-1 is not racecheck-blocks-12."""
    def is_named(part, word):
        return f"{part.name}-".startswith(word.rstrip("-") + "-")

    for word in only or []:
        if not any(is_named(part, word) for part in parts):
            wrong_use(f"--only {','.join(only)}: no part is called '{word}', or begins with it and a hyphen; see --list")
    return [part for part in parts if not only or any(is_named(part, word) for word in only)]


def ended_well(part, options, path):
    """Whether the document has it so, of the programs that are tested now; of those with changes of their own nothing is known."""
    commit = commit_of(options.build)
    if not part.what or not path.exists() or not commit or commit.endswith("-dirty"):
        return False
    return any([one["test"], one["tool"], one["piece"], one["pieces"]] == list(part.what) and one["status"] == 0
               and one["commit"] == commit for one in json.loads(path.read_text())["checks"])


KEEPING = threading.Lock()


def run_part(part, options, prefix):
    """What it said is kept at once: whoever ends the script in the middle has what was done."""
    part.run(options, prefix)
    if ENDED.is_set():
        return False
    with KEEPING:
        print(f"{'ok' if part.status == 0 else 'FAILED':6} {part.name:32} {part.seconds:7.1f} s  {part.said}", flush=True)
        if part.what:
            keep_check(part, options, options.results / f"{prefix}-checks.json")
    return part.status == 0


def run_beside(parts, jobs, options, prefix):
    """Runs `jobs` parts at a time; whether all went well. They run in other threads, because an interrupt arrives in
    the main thread, where it may come just after a process was started and before that was noted."""
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        running = [pool.submit(run_part, part, options, prefix) for part in parts]
        try:
            return all([one.result() for one in running])
        except KeyboardInterrupt:
            pool.shutdown(wait=False, cancel_futures=True)
            end_all()
            raise


def run_all(parts, options, prefix):
    """In order, but tests and tests under tools at the same time: only measurements need the GPU to themselves."""
    builds = [part for part in parts if part.name.startswith("build")]
    measures = [part for part in parts if part.name.startswith("measure")]
    for part in builds:
        if not run_beside([part], 1, options, prefix):
            return
    run_beside([part for part in parts if part not in builds + measures], options.jobs, options, prefix)
    run_beside(measures, 1, options, prefix)


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("Usage: ")[1])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--results", type=pathlib.Path)
    parser.add_argument("--prefix")
    parser.add_argument("--only", type=lambda text: text.split(","))
    parser.add_argument("--limit", type=float, default=1800)
    parser.add_argument("--jobs", type=int, default=1)
    for flag in ["prebuilt", "quick", "resume", "list"]:
        parser.add_argument(f"--{flag}", action="store_true")
    options = parser.parse_args()
    options.build = options.build.resolve()
    options.logs = options.build / "gpu"
    options.results = (options.results or (options.logs if options.quick else ROOT / "bench" / "results")).resolve()
    if options.limit <= 0 or options.jobs < 1:
        wrong_use("--limit and --jobs: expected numbers above 0")
    parts = chosen_of(list(parts_of(options)), options.only)
    if options.list:
        print("\n".join(f"{part.name:32} {' '.join(part.words)}" for part in parts))
        return 0
    prefix = options.prefix or card()
    if options.resume:
        checks = options.results / f"{prefix}-checks.json"
        parts = [part for part in parts if not ended_well(part, options, checks)]
    options.logs.mkdir(parents=True, exist_ok=True)
    options.results.mkdir(parents=True, exist_ok=True)
    try:
        run_all(parts, options, prefix)
    except KeyboardInterrupt:
        end_all()
        sys.exit("measure-gpu.py: interrupted; what had ended before is kept")
    failed = [part for part in parts if part.status != 0]
    summary = [{"part": part.name, "status": part.status, "seconds": round(part.seconds, 1), "said": part.said}
               for part in parts]
    (options.logs / "summary.json").write_text(json.dumps(summary, indent=1) + "\n")
    print(f"{len(parts) - len(failed)} of {len(parts)} parts ended well; logs in {options.logs}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
