#!/usr/bin/env python3
"""The command as programs and people meet it: exit statuses, which stream says what, files, odd inputs. Texts are
compared in tests/golden/cli. Writes TAP.

Usage: test-cli.py TOPOGEMM
"""
import array
import json
import os
import pathlib
import pty
import random
import re
import resource
import shlex
import signal
import struct
import subprocess
import sys
import tempfile
import time
import traceback

PROGRAM = str(pathlib.Path(sys.argv[1]).resolve())
COMMANDS = "list show verify mutate step draw topo export".split()
LATER = "run calibrate compare plan bench huge trace".split()


def unwind(words, environment):
    """With a sanitizer: leaks of the plug-ins of libgvc are known by their library only from whole stacks."""
    if words[:1] in [("draw",), ("topo",)] and "ASAN_OPTIONS" in environment:
        environment["ASAN_OPTIONS"] += ":fast_unwind_on_malloc=0"


def run(*words, **options):
    """Runs topogemm; `expect` is the exit status, 0 if not given."""
    expect = options.pop("expect", 0)
    environment = {k: v for k, v in os.environ.items() if k != "NO_COLOR"} | options.pop("env", {})
    unwind(words, environment)
    options = {"capture_output": True, "stdin": subprocess.DEVNULL} | options
    if "input" in options:
        del options["stdin"]
    done = subprocess.run([PROGRAM, *map(str, words)], text=True, env=environment, timeout=100, **options)
    errors = done.stderr or ""
    assert done.returncode == expect, f"{words}: exit status {done.returncode}, expected {expect}\n{errors}"
    if "stderr" not in options and "preexec_fn" not in options:
        assert (expect == 0) == (errors == ""), f"{words}: status {expect} and on standard error: {errors!r}"
    return done


def document(*words, **options):
    return json.loads(run(*words, "--json", **options).stdout)


def npy(path, rows, columns, values, dtype="<f8", order="False", cut=None):
    header = f"{{'descr': '{dtype}', 'fortran_order': {order}, 'shape': ({rows}, {columns}), }}"
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    data = array.array({"4": "f", "8": "d"}[dtype[2]], values).tobytes()
    bytes_ = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data
    pathlib.Path(path).write_bytes(bytes_[:cut])


def read_npy(path):
    bytes_ = pathlib.Path(path).read_bytes()
    length = struct.unpack("<H", bytes_[8:10])[0]
    header = bytes_[10:10 + length].decode()
    rows, columns = map(int, re.search(r"\((\d+), (\d+)\)", header).groups())
    values = array.array("d" if "<f8" in header else "f", bytes_[10 + length:])
    return rows, columns, list(values)


def test_messages_of_the_library():
    """Counts that follow from the algorithms: a receiver of a broadcast counts once."""
    for words, messages in [("cannon --grid 4x4", 120), ("dns --grid 4x4x4", 168), ("summa --grid 4x4", 96),
                            ("cannon25d --grid 8x8x2", 1184), ("ring --grid 6", 30)]:
        assert document("verify", *words.split())["messages"] == messages, words
        assert document("step", *words.split(), "-n", 8, "--integers")["messages"] == messages, words


def test_verify_accepts_the_library():
    documents = json.loads(run("verify", "--all", "--for", "1..7", "--json").stdout)
    names = {entry["name"] for entry in document("list", "algorithms")["algorithms"]}
    assert len(names) >= 17 and {entry["algorithm"] for entry in documents} == names
    assert all(entry["ok"] and entry["sizes_checked"] for entry in documents)


def test_verify_document():
    found = document("verify", "cannon", "--grid", "4x4")
    keys = "ok algorithm grid processors statements products messages blocks_per_processor_max warnings".split()
    assert [key for key in keys if key not in found] == []
    assert found["ok"] is True and found["grid"] == "4x4" and found["processors"] == 16 and found["warnings"] == []
    assert found["products"] == 64 and found["blocks_per_processor_max"] == 3 and "error" not in found


def test_verify_failure():
    text = run("show", "cannon").stdout.replace("move A to (i, j-1)", "move A to (i, j+1)")
    pathlib.Path("bad.sched").write_text(text)
    done = run("verify", "bad.sched", "--grid", "4x4", "--json", expect=3)
    found = json.loads(done.stdout)
    line = text[:text.index("C += A * B")].count("\n") + 1
    assert found["ok"] is False
    assert found["error"]["step"] == 3 and found["error"]["statement"] == line and found["error"]["processor"] == [0, 0]
    assert "step 3" in found["error"]["message"] and "processor (0, 0)" in found["error"]["message"]
    assert done.stderr.startswith(f"bad.sched:{line}:5: ") and "C += A * B" in done.stderr
    human = run("verify", "bad.sched", "--grid", "4x4", expect=3)
    assert human.stdout == "" and human.stderr == done.stderr
    for words in [("step", "-n", 4), ("draw", "--step", 5, "-o", "f.svg"), ("export", "-n", 4, "-o", "f.goal")]:
        run(words[0], "bad.sched", "--grid", "4x4", *words[1:], expect=3)
    assert not list(pathlib.Path().glob("f.*"))


def test_ranges():
    found = document("verify", "cannon25d", "--for", "q=1..8", "--for", "c=1..4")
    assert found["sizes_checked"] == 16 and found["sizes_skipped"] == 16
    assert found["sizes"][-1]["parameters"] == {"q": 8, "c": 4} and found["sizes"][-1]["grid"] == "8x8x4"
    human = run("verify", "cannon25d", "--for", "q=1..8,c=1..4").stdout
    assert "checked for q = 1 to 8, c = 1 to 4 (16 sizes; 16 more do not meet `require q % c == 0`)" in human
    for bad in ["q=5..3,c=1", "q=,c=1", "q", "q=1..2", "x=1..2,q=1,c=1", "r=1..2,q=1,c=1", "", ",", "q=1..9999999,c=1",
                "q=3,c=2", "q=0..3,c=1", "q=1..2,q=1,c=1"]:
        run("verify", "cannon25d", "--for", bad, expect=2)


def test_step_document():
    found = document("step", "summa", "--grid", "2x2", "--size", "3x5x4", "--type", "f64")
    keys = "algorithm grid m n k type steps messages bytes relative_error ok".split()
    assert [key for key in keys if key not in found] == []
    assert (found["m"], found["n"], found["k"], found["type"], found["steps"]) == (3, 5, 4, "f64", 2)
    assert found["ok"] is True and found["relative_error"] <= 1e-14
    part = document("step", "summa", "--grid", "2x2", "-n", 4, "--step", 1)
    assert part["steps"] == 2 and part["steps_executed"] == 1 and part["ok"] is None and part["relative_error"] is None


def test_step_on_files():
    """Not square, not divisible, smaller than the grid, 1×1 and 1×n, in both types."""
    chance = random.Random(1)
    for m, k, n in [(7, 5, 9), (1, 1, 1), (1, 6, 1), (2, 3, 11)]:
        for dtype, tolerance in [("<f4", 1e-6), ("<f8", 1e-14)]:
            a = [chance.uniform(-1, 1) for _ in range(m * k)]
            b = [chance.uniform(-1, 1) for _ in range(k * n)]
            npy("A.npy", m, k, a, dtype)
            npy("B.npy", k, n, b, dtype)
            found = document("step", "cannon", "--grid", "4x4", "--a", "A.npy", "--b", "B.npy", "--c", "C.npy")
            assert found["type"] == "f" + {"4": "32", "8": "64"}[dtype[2]] and found["relative_error"] <= tolerance
            a, b = read_npy("A.npy")[2], read_npy("B.npy")[2]
            rows, columns, c = read_npy("C.npy")
            assert (rows, columns) == (m, n)
            for i in range(m):
                for j in range(n):
                    exact = sum(a[i * k + x] * b[x * n + j] for x in range(k))
                    assert abs(c[i * n + j] - exact) <= 10 * tolerance * k


def test_other_matrix_files():
    npy("A.npy", 3, 2, range(6))
    npy("F.npy", 3, 2, [0, 2, 4, 1, 3, 5], order="True")
    npy("B.npy", 2, 2, [1, 0, 0, 1])
    for a in ["A.npy", "F.npy"]:
        run("step", "cannon", "--grid", "2x2", "--a", a, "--b", "B.npy", "--c", "C.npy", "-q")
        assert read_npy("C.npy") == (3, 2, [0, 1, 2, 3, 4, 5])
    run("step", "cannon", "--grid", "2x2", "--a", "A.npy", "--b", "B.npy", "--c", "C.mtx", "-q")
    run("step", "cannon", "--grid", "2x2", "--a", "C.mtx", "--b", "B.npy", "--c", "C.raw", "-q")
    raw = ["--size", "3x2x2", "--type", "f64"]
    run("step", "cannon", "--grid", "2x2", "--a", "C.raw", "--b", "B.npy", *raw, "--c", "D.npy", "-q")
    assert read_npy("D.npy") == (3, 2, [0, 1, 2, 3, 4, 5])
    run("step", "cannon", "--grid", "2x2", "--a", "C.raw", "--b", "B.npy", expect=2)
    run("step", "cannon", "--grid", "2x2", "--a", "A.npy", "--b", "B.npy", "--size", "3x3x2", expect=2)


def test_wrong_matrix_files():
    npy("A.npy", 6, 6, range(36))
    npy("B.npy", 6, 6, range(36))
    npy("short.npy", 6, 6, range(36), cut=200)
    npy("other.npy", 5, 6, range(30))
    npy("small.npy", 6, 6, range(36), dtype="<f4")
    npy("nan.npy", 6, 6, [float("nan") if i == 7 else 1 for i in range(36)])
    npy("inf.npy", 6, 6, [float("inf") if i == 7 else 1 for i in range(36)])
    pathlib.Path("complex.npy").write_bytes(pathlib.Path("A.npy").read_bytes().replace(b"<f8", b"<c8"))
    pathlib.Path("empty.npy").write_bytes(b"")
    pathlib.Path("text.npy").write_text("no matrix")
    pathlib.Path("A.xls").write_text("no matrix")
    for name, status, word in [("short.npy", 2, "truncated"), ("other.npy", 2, "5"), ("small.npy", 2, "--type"),
                               ("complex.npy", 2, "c8"), ("empty.npy", 2, "empty.npy"), ("text.npy", 2, "text.npy"),
                               ("A.xls", 2, "suffix"), ("none.npy", 2, "none.npy"), ("nan.npy", 3, "NaN"),
                               ("inf.npy", 3, "Inf")]:
        done = run("step", "cannon", "--grid", "2x2", "--a", "A.npy", "--b", name, "--c", "C.npy", expect=status)
        assert word in done.stderr, f"{name}: {done.stderr}"
        assert not pathlib.Path("C.npy").exists(), name
    found = document("step", "cannon", "--grid", "2x2", "--a", "nan.npy", "--b", "B.npy", expect=3)
    assert found["ok"] is False and found["relative_error"] is None
    assert document("step", "cannon", "--grid", "2x2", "--a", "A.npy", "--b", "small.npy", "--type", "f64")["ok"]
    run("step", "cannon", "--grid", "2x2", "--a", "A.npy", expect=2)
    run("step", "mmt", "--grid", "2", "--a", "A.npy", "--b", "B.npy", expect=2)
    run("step", "cannon", "--grid", "2x2", "--a", "A.npy", "--b", "B.npy", "--seed", 3, expect=2)


def test_wrong_schedules():
    good = run("show", "cannon").stdout
    for name, data in {
            "empty": b"", "space": b" \n\n", "junk": random.Random(2).randbytes(5000), "zero": good.encode() + b"\0",
            "long": b"schedule x\n" + b"a" * 10_000_000, "half": good.encode()[:200], "deep": (good[:good.index("step")]
            + "".join("  " * d + f"repeat s{d} in 2\n" for d in range(50))).encode(),
            "brackets": good.replace("j-i", "(" * 400 + "j-i" + ")" * 400).encode(), "latin": good.encode() + b"\xe9",
            "power": good.replace("j-i", "j-2**2**2**2**2**9").encode(), "huge": good.replace("i:q", "i:1000000000").encode(),
    }.items():
        pathlib.Path(name + ".sched").write_bytes(data)
        done = run("verify", name + ".sched", "--set", "q=4", expect=3 if name == "power" else 2)
        assert done.stderr.startswith(name + ".sched:"), done.stderr[:200]
        assert len(done.stderr) < 2000
        assert not re.search(r"[\x00-\x09\x0b-\x1f]", done.stderr), repr(done.stderr)
    run("verify", ".", "--grid", "4x4", expect=2)
    run("verify", "none.sched", "--grid", "4x4", expect=2)
    assert run("verify", "-", "--grid", "4x4", input=good).stdout == run("verify", "cannon", "--grid", "4x4").stdout
    pathlib.Path("mine").write_text(good)
    assert "./mine" in run("verify", "mine", "--grid", "4x4", expect=2).stderr
    run("verify", "./mine", "--grid", "4x4")


def test_wrong_sizes():
    for grid in ["0x0", "4", "4x5", "4x4x4", "1000000000x1000000000", "99999999999999999999x1", "-4x4", "4x", "x", "", "a"]:
        run("verify", "cannon", "--grid", grid, expect=2)
    for n in ["0", "-1", "1.5", "x", "", "1000000000", "99999999999999999999"]:
        run("step", "cannon", "--grid", "2x2", "-n", n, expect=2)
    for size in ["4", "4x4", "4x4x4x4", "0x4x4", "4x4x", "2147483647x2147483647x2147483647"]:
        run("step", "cannon", "--grid", "2x2", "--size", size, expect=2)
    run("step", "cannon", "--grid", "2x2", "-n", 4, "--size", "4x4x4", expect=2)
    run("verify", "cannon", "--set", "q", expect=2)
    run("verify", "cannon", "--set", "z=3", "--grid", "2x2", expect=2)
    run("verify", "cannon25d", "--grid", "4x4x3", expect=2)


def test_exit_statuses():
    for name in LATER:
        assert name in run(name, expect=4).stderr
    for words in [["frobnicate"], ["--json", "list"], ["verify"], ["verify", "cannon"], ["show"], ["show", "a", "b"],
                  ["list", "things"], ["verify", "cannon", "--frobnicate"], ["verify", "cannon", "--grid"],
                  ["step", "cannon", "--grid", "2x2"], ["topo", "torus"], ["help", "frobnicate"], ["draw", "cannon"],
                  ["draw", "cannon", "--grid", "2x2", "-o", "f"], ["draw", "cannon", "--grid", "2x2", "-o", "f.bmp"],
                  ["draw", "cannon", "--grid", "2x2", "--step", 9, "-o", "f.svg"], ["export", "cannon", "--grid", "2x2"],
                  ["export", "cannon", "--grid", "2x2", "-n", 4, "-o", "f.xml"], ["mutate", "cannon"],
                  ["step", "cannon", "--grid", "2x2", "-n", 4, "--step", 4], ["list", "--color", "maybe"],
                  ["step", "cannon", "--grid", "2x2", "-n", 4, "--step", 1, "--c", "C.npy"]]:
        run(*words, expect=2)
    for words in [["--spacetime", "-o", "f.svg"], ["--memory", "-o", "f.svg"], ["-o", "f.html"]]:
        run("draw", "cannon", "--grid", "2x2", *words, expect=4)
    assert "`verify`" in run("verfy", expect=2).stderr
    assert "--grid" in run("verify", "cannon", "--gird", "4x4", expect=2).stderr
    assert "`cannon`" in run("show", "canon", expect=2).stderr


def test_unwritable_outputs():
    os.mkdir("closed", 0o500)
    outputs = [["step", "cannon", "--grid", "2x2", "-n", 4, "--c", "{}.npy"],
               ["draw", "cannon", "--grid", "2x2", "-o", "{}.svg"],
               ["export", "cannon", "--grid", "2x2", "-n", 4, "-o", "{}.goal"],
               ["mutate", "cannon", "-o", "{}.sched"]]
    for words in outputs:
        name = "none/file" if os.geteuid() == 0 else "closed/file"
        done = run(*[str(word).format(name) for word in words], expect=1)
        assert name in done.stderr, done.stderr


def limit_files():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64))


def test_full_disk_leaves_nothing():
    """A file may have 64 bytes: as on a full disk, the write fails in the middle."""
    pathlib.Path("old.npy").write_text("as it was")
    for words in [["step", "cannon", "--grid", "2x2", "-n", 40, "-q", "--c", "new.npy"],
                  ["step", "cannon", "--grid", "2x2", "-n", 40, "-q", "--c", "old.npy"],
                  ["draw", "cannon", "--grid", "2x2", "-o", "new.svg"], ["mutate", "cannon", "-o", "new.sched"],
                  ["export", "cannon", "--grid", "2x2", "-n", 4, "-o", "new.json"]]:
        done = run(*words, expect=1, preexec_fn=limit_files)
        assert words[-1].split(".")[0] in done.stderr
    assert os.listdir() == ["old.npy"] and pathlib.Path("old.npy").read_text() == "as it was"


def test_streams():
    with open("/dev/full", "w") as full:
        done = run("list", stdout=full, stderr=subprocess.PIPE, capture_output=False, expect=1)
    assert "No space left" in done.stderr
    for words in [["list"], ["step", "cannon", "--grid", "16x16", "-n", 32, "--blocks"], ["verify", "cannon", "--for", "q=1..9"]]:
        reading, writing = os.pipe()
        os.close(reading)
        done = run(*words, stdout=writing, stderr=subprocess.PIPE, capture_output=False)
        os.close(writing)
        assert done.stderr == "", done.stderr
    done = run("step", "cannon", "--grid", "2x2", "-n", 4, "--c", "C.npy", stderr=subprocess.PIPE, capture_output=False,
               stdout=subprocess.PIPE, preexec_fn=lambda: os.close(1), expect=1)
    assert pathlib.Path("C.npy").read_bytes()[:6] == b"\x93NUMPY" and len(read_npy("C.npy")[2]) == 16
    for words in [["verify", "cannon", "--grid", "4x4"], ["step", "cannon", "--grid", "2x2", "-n", 4],
                  ["draw", "cannon", "--grid", "2x2", "-o", "f.svg"], ["mutate", "cannon", "-o", "f.sched"]]:
        assert run(*words, "--quiet").stdout == ""


def test_colours():
    words = ["verify", "cannon", "--grid", "4x4"]
    plain = run(*words).stdout
    assert "\033" not in plain
    coloured = run(*words, "--color", "always").stdout
    assert "\033" in coloured and re.sub(r"\033\[[0-9;]*m", "", coloured) == plain
    assert "\033" in run("show", "canon", "--color", "always", expect=2).stderr
    assert "\033" in on_terminal(words, {"TERM": "xterm"})[0]
    for change in [{"NO_COLOR": "1"}, {"TERM": "dumb"}]:
        assert "\033" not in on_terminal(words, {"TERM": "xterm"} | change)[0]
    assert "\033" not in on_terminal(words + ["--color", "never"], {"TERM": "xterm"})[0]


def on_terminal(words, environment):
    """Standard output and standard error are two terminals; returns what each got."""
    texts, terminals = [], [pty.openpty(), pty.openpty()]
    clean = {k: v for k, v in os.environ.items() if k != "NO_COLOR"}
    process = subprocess.Popen([PROGRAM, *map(str, words)], stdin=subprocess.DEVNULL, stdout=terminals[0][1],
                               stderr=terminals[1][1], env=clean | environment)
    for master, slave in terminals:
        os.close(slave)
        text = b""
        try:
            while part := os.read(master, 65536):
                text += part
        except OSError:
            pass  # the other end is closed
        os.close(master)
        texts.append(text.decode())
    assert process.wait() == 0
    return texts


def test_progress():
    """Only on a terminal, and only where the work takes longer than half a second."""
    for last in [16, 24, 32, 48, 64, 96, 128]:
        words = ["verify", "cannon", "--for", f"q=8..{last}"]
        output, errors = on_terminal(words, {"TERM": "xterm"})
        if errors:
            break
    assert re.search(rf"cannon: \d+ of {last - 7}, \d+ s left", errors), errors
    assert " left" not in output and errors.endswith("\r")
    assert run(*words).stderr == ""
    assert on_terminal([*words, "--quiet"], {"TERM": "xterm"}) == ["", ""]


def test_interactive():
    words = ["step", "cannon", "--grid", "2x2", "-n", 4, "--interactive"]
    text = run(*words, input="\nn\nb\n3\nm\n0\nb\nxyz\n99\nq\n").stdout
    assert re.findall(r"^step (\d) of 3", text, re.M) == list("012130")
    assert "initial placement" in text and "stopped after step 0 of 3" in text
    assert "relative error" in run(*words, input="3\nq\n").stdout
    assert "relative error" in run(*words, input="3\n").stdout
    run(*words, "--json", expect=2)


def test_drawings():
    run("draw", "cannon", "--grid", "4x4", "-o", "one.svg")
    run("draw", "cannon", "--grid", "4x4", "--all", "-o", "all.svg")
    names = run("draw", "cannon", "--grid", "11x11", "--all", "-o", "s-%d.dot").stdout.split()
    assert names == [f"s-{i:02d}.dot" for i in range(13)]
    assert all(pathlib.Path(name).stat().st_size > 100 for name in names)
    assert all("<svg" in pathlib.Path(name).read_text() for name in ["one.svg", "all.svg"])
    run("draw", "cannon", "--grid", "2x2", "-o", "f.png")
    run("topo", "torus:3x3", "-o", "t.svg")
    assert "<svg" in pathlib.Path("t.svg").read_text()
    run("topo", "torus:3x3", "-o", "t.gif", expect=2)
    run("draw", "cannon", "--grid", "2x2", "-o", "f.pdf")
    assert pathlib.Path("f.png").read_bytes()[:4] == b"\x89PNG" and pathlib.Path("f.pdf").read_bytes()[:4] == b"%PDF"


def test_exercises():
    for seed in range(8):
        text = run("mutate", "cannon", "--seed", seed, "-o", "e.sched").stdout
        command = shlex.split(next(line for line in text.splitlines() if line.startswith("topogemm"))[:-len(" rejects it")])
        said = run(*command[1:], expect=3).stderr
        answer = pathlib.Path("e.answer").read_text()
        assert answer.splitlines()[-1].removeprefix("says: ") in said
        assert pathlib.Path("e.sched").read_text() != run("show", "cannon").stdout
        run("mutate", "cannon", "--seed", seed, "-o", "again.sched")
        assert pathlib.Path("e.sched").read_text() == pathlib.Path("again.sched").read_text()
    run("mutate", "./e.sched", "-o", "e.sched", expect=2)
    run("mutate", "cannon", "-o", "e.answer", expect=2)
    for entry in document("list", "algorithms")["algorithms"]:
        run("mutate", entry["name"], "-o", "x.sched")


def test_help():
    program = run("--help").stdout
    assert program == run().stdout == run("help").stdout == run("-h").stdout == run("help", "help").stdout
    for name in COMMANDS:
        assert re.search(rf"^  {name}\b", program, re.M), name
        assert run("help", name).stdout == run(name, "--help").stdout == run(name, "-h").stdout
    for pages in [program] + [run("help", name).stdout for name in COMMANDS]:
        assert 3 <= len(re.findall(r"^  topogemm ", pages, re.M)) <= 6
        assert all(len(line) <= 100 for line in pages.splitlines()), pages
    assert re.match(r"topogemm \d+\.\d+\.\d+\n", run("--version").stdout)
    assert "Graphviz" in run("--version").stdout and "BLAS" in run("--version").stdout


def test_examples_of_the_help():
    """Every example works when it is pasted."""
    os.symlink(PROGRAM, "topogemm")
    path = {"PATH": f"{os.getcwd()}:{os.environ['PATH']}"}
    for page in [run("--help").stdout] + [run("help", name).stdout for name in COMMANDS]:
        for line in re.findall(r"^  (topogemm .*\w.*)$", page.split("Examples")[1].split("Options")[0], re.M):
            environment = os.environ | path
            unwind(tuple(line.split()[1:]), environment)
            done = subprocess.run(line, shell=True, capture_output=True, text=True, env=environment)
            assert done.returncode == 0 and done.stderr == "", f"{line}: {done.returncode} {done.stderr}"


def main():
    tests = [(name, test) for name, test in globals().items() if name.startswith("test_")]
    print(f"1..{len(tests)}", flush=True)
    failures = 0
    home = os.getcwd()
    for number, (name, test) in enumerate(tests, 1):
        begun = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                test()
                print(f"ok {number} - {name[5:]} # {time.monotonic() - begun:.1f} s", flush=True)
            except Exception:  # pylint: disable=broad-except
                failures += 1
                print(f"not ok {number} - {name[5:]}")
                print("".join(f"# {line}\n" for line in traceback.format_exc().splitlines()), flush=True)
            os.chdir(home)
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
