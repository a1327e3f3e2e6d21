#!/usr/bin/env python3
"""The command as programs and people meet it: exit statuses, which stream says what, files, odd inputs. Texts are
compared in tests/golden/cli. Writes TAP.

Usage: test-cli.py TOPOGEMM
"""
import array
import configparser
import csv
import io
import itertools
import json
import math
import os
import pathlib
import random
import re
import resource
import shlex
import shutil
import signal
import statistics
import struct
import subprocess
import sys
import time
import xml.dom.minidom

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import tap  # noqa: E402
from terminal import open_pair  # noqa: E402

PROGRAM = str(pathlib.Path(sys.argv[1]).resolve())
HARDWARE = pathlib.Path(__file__).resolve().parents[1] / "fuzz/corpus/hardware"
COMMANDS = "list show verify mutate step draw topo sim shard run calibrate compare export trace".split()


def unwind(words, environment):
    """With a sanitizer: leaks of the plug-ins of libgvc are known by their library only from whole stacks."""
    if words[:1] in [("draw",), ("topo",)] and "ASAN_OPTIONS" in environment:
        environment["ASAN_OPTIONS"] += ":fast_unwind_on_malloc=0"


def run(*words, **options):
    """Runs topogemm; `expect` is the exit status, 0 if not given, or the statuses that may be."""
    expect = options.pop("expect", 0)
    environment = {k: v for k, v in os.environ.items() if k != "NO_COLOR"} | options.pop("env", {})
    unwind(words, environment)
    options = {"capture_output": True, "stdin": subprocess.DEVNULL} | options
    if "input" in options:
        del options["stdin"]
    done = subprocess.run([PROGRAM, *map(str, words)], text=True, env=environment, timeout=100, **options)
    errors = done.stderr or ""
    assert done.returncode in (expect if isinstance(expect, tuple) else (expect,)), f"{words}: exit status {done.returncode}, expected {expect}\n{errors}"
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


def test_list():
    """A screenful of names; each described within 80 columns, with all that the document has."""
    plain = lambda text: " ".join(text.split())  # noqa: E731
    whole, names = document("list"), run("list").stdout
    assert len(names.splitlines()) <= 24 and all(len(line) <= 80 for line in names.splitlines()), names
    for what in ["algorithms", "topologies", "machines", "kernels", "executors"]:
        said = run("list", what).stdout
        assert all(len(line) <= 80 for line in said.splitlines()), said
        part = document("list", what)
        assert part == {key: whole[key] for key in part}
        for entry in part[what]:
            assert re.search(rf"^{re.escape(entry['name'])} ", said, re.M), entry
            assert re.search(rf"\b{re.escape(entry['name'])}\b", names), entry
            for key in {"source", "summary", "idea", "processor", "link"} & set(entry):
                assert plain(entry[key]) in plain(said), entry
    for entry in whole["papers_kernels"]:
        assert all(plain(entry[key] or "") in plain(run("list", "kernels").stdout) for key in ["idea", "where", "defect", "source"])


def test_verify_accepts_the_library():
    documents = document("verify", "--all", "--for", "1..7")["schedules"]
    names = {entry["name"] for entry in document("list", "algorithms")["algorithms"]}
    assert len(names) >= 17 and {entry["algorithm"] for entry in documents} == names
    assert all(entry["ok"] and entry["sizes_checked"] for entry in documents)
    assert not any("error" in entry for entry in documents)


def test_verify_document():
    found = document("verify", "cannon", "--grid", "4x4")
    keys = "ok algorithm grid processors statements products messages blocks_per_processor_max warnings".split()
    assert [key for key in keys if key not in found] == []
    assert found["ok"] is True and found["grid"] == "4x4" and found["processors"] == 16 and found["warnings"] == []
    assert found["products"] == 64 and found["blocks_per_processor_max"] == 3 and "error" not in found


def test_verify_sizes():
    """Without sizes, words are counted at the smallest of at least 1024 with equal blocks; ratios are those of any such."""
    for words, n, blocks in [("cannon --grid 4x4", 1024, 8), ("cannon --grid 7x7", 1029, 14), ("ring --grid 5", 1025, 4),
                             ("cannon --grid 1x1", 1024, 0)]:
        found = document("verify", *words.split())
        assert (found["m"], found["n"], found["k"]) == (n, n, n), words
        assert found["words_received_max"] * found["processors"] == blocks * n * n, words
        small = document("verify", *words.split(), "-n", found["processors"])
        assert found["messages"] == small["messages"]
        ratios = [said["bounds"]["words_received_ratio"] or 0 for said in (found, small)]
        assert math.isclose(*ratios), words
    assert all(size["m"] >= 1024 for size in document("verify", "dimma", "--for", "1..4")["sizes"])
    said = run("verify", "cannon", "--grid", "4x4").stdout
    assert "words, at m = n = k = 1024 " in said and "memory-dependent [2]: no bound for this memory size" in said
    assert "memory-independent [1]: no bound for one processor" in run("verify", "ring", "--grid", 1).stdout
    assert "words, at m = 8, n = 4, k = 2 " in run("verify", "cannon", "--grid", "2x2", "--size", "8x4x2").stdout
    for words in ["cannon --grid 4x4", "cannon --grid 1x1", "mmt --grid 4", "transpose --for 1..3", "cannon --for 1..3"]:
        assert "says nothing" not in run("verify", *words.split()).stdout, words


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
    assert found["error"]["line"] == line
    stepped = run("step", "bad.sched", "--grid", "4x4", "-n", 8, "--json", expect=3)
    said = json.loads(stepped.stdout)
    assert said["ok"] is False and said["steps_executed"] == 2 and said["relative_error"] is None
    assert said["error"] == found["error"] and "step 3" in stepped.stderr
    human = run("verify", "bad.sched", "--grid", "4x4", expect=3)
    assert human.stdout == "" and human.stderr == done.stderr
    for words in [("step", "-n", 4), ("draw", "--step", 5, "-o", "f.svg"), ("export", "-n", 4, "-o", "f.goal")]:
        run(words[0], "bad.sched", "--grid", "4x4", *words[1:], expect=3)
    assert not list(pathlib.Path().glob("f.*"))


def test_ranges():
    found = document("verify", "cannon25d", "--for", "q=1..8", "--for", "c=1..4")
    assert found["sizes_checked"] == 26 and found["sizes_skipped"] == 6
    assert found["sizes"][-1]["parameters"] == {"q": 8, "c": 4} and found["sizes"][-1]["grid"] == "8x8x4"
    human = run("verify", "cannon25d", "--for", "q=1..8,c=1..4").stdout
    assert "checked for q = 1 to 8, c = 1 to 4 (26 sizes; 6 more do not meet `require c <= q`)" in human
    for bad in ["q=5..3,c=1", "q=,c=1", "q", "q=1..2", "x=1..2,q=1,c=1", "r=1..2,q=1,c=1", "", ",", "q=1..9999999,c=1",
                "q=2,c=3", "q=0..3,c=1", "q=1..2,q=1,c=1"]:
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
                               ("A.xls", 2, "suffix"), ("none.npy", 1, "none.npy"), ("nan.npy", 3, "NaN"),
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
            "long": b"schedule x\n" + b"a" * 1_000_000, "half": good.encode()[:200], "deep": (good[:good.index("step")]
            + "".join("  " * d + f"repeat s{d} in 2\n" for d in range(50))).encode(),
            "brackets": good.replace("j-i", "(" * 400 + "j-i" + ")" * 400).encode(), "latin": good.encode() + b"\xe9",
            "power": good.replace("j-i", "j-2**2**2**2**2**9").encode(), "huge": good.replace("i:q", "i:1000000000").encode(),
    }.items():
        pathlib.Path(name + ".sched").write_bytes(data)
        done = run("verify", name + ".sched", "--set", "q=4", expect=3 if name == "power" else 2)
        assert done.stderr.startswith(name + ".sched:"), done.stderr[:200]
        assert len(done.stderr) < 2000
        assert not re.search(r"[\x00-\x09\x0b-\x1f]", done.stderr), repr(done.stderr)
    assert run("verify", "-", "--grid", "4x4", input=good).stdout == run("verify", "cannon", "--grid", "4x4").stdout
    pathlib.Path("mine").write_text(good)
    assert "./mine" in run("verify", "mine", "--grid", "4x4", expect=2).stderr
    run("verify", "./mine", "--grid", "4x4")


def test_places_of_errors():
    """An error of a run points at its place, once; beyond a limit of the language is status 2."""
    head = "schedule x\ngrid i:q, j:q\nplace A(i,j), B(i,j), C(i,j) on (i,j)\n"
    for name, text, status, place, said in [
            ("endless", "repeat s in 999999999999\n  zero X\n", 2, "4:1", "more than 16777216 statements"),
            ("idle", "repeat s in 99999999999\n  repeat t in 0\n    zero X\nC += A*B\n", 2, "4:1", "65536 repetitions in a row"),
            ("slot", "zero X[-1]\n", 3, "4:9", "slot X[-1], expected an index"),
            ("umlaut", "repeat s in \u00fc\n  C += A*B\n", 2, "4:13", "unexpected `\u00fc`, expected ASCII")]:
        pathlib.Path(f"{name}.sched").write_text(head + text, encoding="utf-8")
        assert said in run("step", f"{name}.sched", "--grid", "1x1", "-n", 4, expect=status).stderr
        for words in [["verify"], ["sim", "-n", 4]]:
            error = run(words[0], f"{name}.sched", "--grid", "1x1", *words[1:], expect=status).stderr
            assert error.startswith(f"{name}.sched:{place}: ") and said in error and error.count(place) == 1, (words, error)
    pathlib.Path("open.sched").write_text("schedule x")
    assert run("verify", "open.sched", "--grid", "1x1", expect=2).stderr.startswith("open.sched:2:1: found the end")


def test_marked_machine():
    """The mark before UTF-8 is skipped in machine files as in schedules."""
    text = "[machine]\nname = mine\n[link]\nlatency_s = 1e-6\nbandwidth_bytes_per_s = 1e9\n[processor]\nflops_per_s = 1e12\n"
    said = set()
    for mark in ["", "\ufeff"]:
        pathlib.Path("m.machine").write_text(mark + text, encoding="utf-8")
        said.add(run("sim", "cannon", "--grid", "2x2", "-n", 64, "--machine", "m.machine").stdout)
    assert len(said) == 1


def test_values_of_options():
    """What is no text is reported by its option; a flag takes no value; what would be ignored is refused."""
    assert "grid `2x\\x9b`: expected extents" in run("verify", "cannon", "--grid", b"2x\x9b".decode(errors="surrogateescape"), expect=2).stderr
    assert "--json takes no value" in run("verify", "cannon", "--grid", "2x2", "--json=no", expect=2).stderr
    assert "give a higher --flops-per-s" in run(*"export cannon --grid 2x2 -n 64 --flops-per-s 1e-300 -o x.goal".split(), expect=2).stderr
    assert "a .json file has no times" in run(*"export cannon --grid 2x2 -n 4 --flops-per-s 2e9 -o x.json".split(), expect=2).stderr
    for name in ["-", ""]:
        assert "expected a file name" in run("mutate", "cannon", "-o", name, expect=2).stderr
    assert not os.listdir()


def test_limits_of_texts():
    """A megabyte of a schedule or a machine is read, and no more: whether it is a file, a pipe or mostly a hole."""
    text, limit = run("show", "cannon").stdout, 1 << 20
    full = text + "# " + "\n" * (limit - len(text.encode()) - 2)
    pathlib.Path("full.sched").write_text(full)
    pathlib.Path("more.sched").write_text(full + "\n")
    pathlib.Path("more.machine").write_text(MADE_UP + "\n" * limit)
    assert run("show", "full.sched").stdout == full
    for name in ["hole.sched", "hole.machine", "hole.mtx", "hole.npy", "hole.raw"]:
        pathlib.Path(name).touch()
        os.truncate(name, 1 << 40)
    os.symlink("/dev/zero", "zero.mtx")
    os.symlink("/dev/zero", "zero.sched")
    sized = ["--grid", "2x2", "-n", 4]
    for name in ["more.sched", "hole.sched", "zero.sched"]:
        for words in [["show"], ["verify", "--grid", "2x2"], ["mutate", "-o", "x.sched"]]:
            said = run(words[0], name, *words[1:], expect=2).stderr
            assert said == f"topogemm: {name}: larger than the limit of {limit} bytes\n", said
    assert f"limit of {limit} bytes" in run("show", "-", input=full + "\n", expect=2).stderr
    for name in ["more.machine", "hole.machine"]:
        assert f"{name}: larger than the limit of {limit} bytes" in run("sim", "cannon", *sized, "--machine", name, expect=2).stderr
    for name, said in [("hole.mtx", "hole.mtx:1: a line of more than 65535 bytes"), ("zero.mtx", "zero.mtx:1: a line"),
                       ("hole.npy", "not a .npy file"), ("hole.raw", f"expected 64 bytes, found {1 << 40}")]:
        assert said in run("step", "cannon", *sized, "--type", "f32", "--a", name, "--b", name, expect=2).stderr


def test_whole_numbers_of_mtx():
    """A number that f64 does not have is refused with its line; --type rounds, as it does for every file."""
    head = "%%MatrixMarket matrix array integer general\n1 1\n"
    pathlib.Path("odd.mtx").write_text(head + "9007199254740993\n")
    pathlib.Path("even.mtx").write_text(head + "9007199254740994\n")
    pathlib.Path("large.mtx").write_text(head + "16777217\n")
    pathlib.Path("one.mtx").write_text(head + "1\n")
    words = ["step", "cannon", "--grid", "1x1", "--b", "one.mtx", "-q"]
    said = run(*words, "--a", "odd.mtx", "--c", "c.npy", expect=2).stderr
    assert said.startswith("topogemm: odd.mtx:3: ") and "9007199254740993" in said, said
    run(*words, "--a", "even.mtx", "--c", "c.npy")
    assert read_npy("c.npy") == (1, 1, [9007199254740994.0])
    run(*words, "--a", "large.mtx", "--c", "c.npy", "--type", "f32")
    assert read_npy("c.npy") == (1, 1, [16777216.0])


def latin_locale():
    """An environment whose letters are those of ISO 8859-1, where the bytes of a UTF-8 character may be letters, too."""
    made = shutil.which("localedef") and subprocess.run(["localedef", "-i", "en_US", "-f", "ISO-8859-1", "./latin"],
                                                        capture_output=True, text=True)
    if not made or made.returncode:
        raise tap.Skipped("no locale in ISO 8859-1 can be made: " + (made.stderr.strip() if made else "there is no localedef"))
    return {"LOCPATH": os.getcwd(), "LC_ALL": "latin"}


def test_locale():
    """Letters and digits of a schedule are ASCII, whatever the locale says."""
    text, latin = run("show", "cannon").stdout, latin_locale()
    pathlib.Path("name.sched").write_text(text.replace("repeat s", "repeat \u00ea").replace("s < q", "\u00ea < q"))
    pathlib.Path("title.sched").write_text(text.replace("schedule cannon", "schedule cannon\u00ea"))
    pathlib.Path("number.sched").write_text(text.replace("q-1", "q-1\u00ea"))
    for name in ["name.sched", "title.sched", "number.sched"]:
        said = [run("verify", name, "--grid", "4x4", env=where, expect=2).stderr for where in ({"LC_ALL": "C"}, latin)]
        assert said[0] == said[1] and "expected ASCII" in said[0], said
    words = ["verify", "cannon", "--grid", "4x4"]
    assert run(*words, env=latin).stdout == run(*words).stdout


def test_numbers_of_options():
    """Decimal, finite and not rounded to 0; `inf` only where the help says so."""
    sized = ["cannon", "--grid", "2x2", "-n", 8]
    for words, good in [(["export", *sized, "-o", "x.goal", "--flops-per-s"], "2e11"),
                        (["plan", "-n", 64, "--procs", 4, "--top", 1, "--memory"], "1e9"),
                        (["sim", "cannon", "dns", "--sweep", "p=16", "--efficiency"], "0.5"),
                        (["sim", *sized, "--skew"], "1e-3"), (["sim", *sized, "--jitter"], ".5"),
                        (["sim", *sized, "--straggler"], "1:2."),
                        (["bench", "transpose", "--cpu-only", "--quick", "--budget"], "1e-3")]:
        run(*words, good)
        node = good[:good.find(":") + 1]
        for bad in ["1e400", "0x10", "nan", "1e-400", "-1", " 1", "1 ", "1,5", "1e", "1_0", "e5", ".", "\u0661", ""]:
            done = run(*words, node + bad, expect=2)
            assert done.stdout == "" and words[-1] in done.stderr, done.stderr
        run(*words, node + "inf", expect=0 if words[-1] == "--memory" else 2)


def test_control_characters():
    """Of names and arguments, what a terminal would obey is printed as \\xNN; what is no UTF-8, too."""
    name, shown = "e\033[31mv\nil\u009b\x7f\u202e", r"e\x1b[31mv\x0ail\xc2\x9b\x7f\xe2\x80\xae"
    raw, broken = name + "\udcff", shown + r"\xff"  # a byte that is no UTF-8
    text = run("show", "cannon").stdout
    pathlib.Path(raw + ".sched").write_text(text.replace("j-i", "j-"))
    said = [run("verify", raw + ".sched", "--grid", "4x4", expect=2).stderr,
            run("verify", name, "--grid", "4x4", expect=2).stderr, run(name, expect=2).stderr,
            run("verify", "cannon", "--" + name, expect=2).stderr, run("verify", "cannon", "--grid", name, expect=2).stderr,
            run("verify", "cannon", "--set", name + "=1", expect=2).stderr, run("list", name, expect=2).stderr,
            run("sim", "cannon", "--grid", "2x2", "-n", 4, "--machine", raw + ".machine", expect=1).stderr,
            run("step", "cannon", "--grid", "2x2", "-n", 4, "--c", raw + ".npy").stdout,
            run("step", "cannon", "--grid", "2x2", "--a", raw + ".npy", "--b", raw + ".npy").stdout,
            run("draw", "cannon", "--grid", "2x2", "-o", raw + ".svg").stdout,
            run("draw", "cannon", "--grid", "2x2", "--memory", "-o", raw + ".svg").stdout,
            run("topo", "torus:3x3", "-o", raw + ".svg").stdout,
            run("export", "cannon", "--grid", "2x2", "-n", 4, "-o", raw + ".goal").stdout,
            run("sim", "cannon", "--sweep", "n=64,p=4", "-o", raw + ".csv").stdout,
            run("trace", "cannon", "--grid", "2x2", "-n", 8, "-o", raw + ".json").stdout,
            run("mutate", "cannon", "-o", raw + ".sched").stdout]
    for at, output in enumerate(said):
        assert not re.search("[\0-\x09\x0b-\x1f\x7f-\x9f]", output) and "\nil" not in output, (at, output)
        assert shown in output or r"\x1b" not in output, (at, output)
    assert sum(broken in output for output in said) == 11, said
    assert "\033" not in pathlib.Path(raw + ".answer").read_text()
    pathlib.Path("note.sched").write_text(text.replace('"align"', '"al\033[31mign"'))
    assert "0x1b" in run("verify", "note.sched", "--grid", "4x4", expect=2).stderr
    crlf = text.replace("\n", "\r\n").encode()
    pathlib.Path("crlf.sched").write_bytes(crlf)
    assert subprocess.run([PROGRAM, "show", "crlf.sched"], capture_output=True, check=True).stdout == crlf


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
    run("verify", "cannon25d", "--grid", "4x4x5", expect=2)


def test_exit_statuses():
    for words in [["frobnicate"], ["--json", "list"], ["verify"], ["verify", "cannon"], ["show"], ["show", "a", "b"],
                  ["list", "things"], ["verify", "cannon", "--frobnicate"], ["verify", "cannon", "--grid"],
                  ["step", "cannon", "--grid", "2x2"], ["topo", "torus"], ["help", "frobnicate"], ["draw", "cannon"],
                  ["draw", "cannon", "--grid", "2x2", "-o", "f"], ["draw", "cannon", "--grid", "2x2", "-o", "f.bmp"],
                  ["draw", "cannon", "--grid", "2x2", "--step", 9, "-o", "f.svg"], ["export", "cannon", "--grid", "2x2"],
                  ["export", "cannon", "--grid", "2x2", "-n", 4, "-o", "f.xml"], ["mutate", "cannon"],
                  ["step", "cannon", "--grid", "2x2", "-n", 4, "--step", 4], ["list", "--color", "maybe"],
                  ["step", "cannon", "--grid", "2x2", "-n", 4, "--step", 1, "--c", "C.npy"]]:
        run(*words, expect=2)
    for words in [["--spacetime", "-o", "f.svg"], ["--memory", "-o", "f.gif"], ["--memory", "--spacetime", "-o", "f.svg"]]:
        run("draw", "cannon", "--grid", "2x2", *words, expect=2)
    assert "`verify`" in run("verfy", expect=2).stderr
    assert "--grid" in run("verify", "cannon", "--gird", "4x4", expect=2).stderr
    assert "`cannon`" in run("show", "canon", expect=2).stderr


def test_inputs_that_cannot_be_read():
    """The system refuses to read the file: status 1, whichever command and kind of input. What a file holds is 2."""
    for name in ["folder.sched", "folder.machine", "folder.npy"]:
        pathlib.Path(name).mkdir()
    pathlib.Path("locked").write_text("schedule x")
    os.chmod("locked", 0)
    size = ["--grid", "2x2", "-n", 4]
    schedules = ["./none.sched", "folder.sched", "none/none.sched", "./" + "n" * 300]
    if not os.access("locked", os.R_OK):  # root reads it all the same
        schedules.append("./locked")
    page = subprocess.run([PROGRAM, "draw", "cannon", *size[:2], "-o", "page.html"], capture_output=True).returncode == 0
    for file in schedules:
        for words in [["show", file], ["verify", file, "--grid", "2x2"], ["mutate", file, "-o", "f.sched"],
                      ["step", file, *size], ["draw", file, "--grid", "2x2", "-o", "f.svg"],
                      ["draw", file, *map(str, size), "--spacetime", "-o", "f.svg"], ["sim", file, *size],
                      ["draw", file, *map(str, size), "--memory", "-o", "f.svg"], ["sim", "cannon", file, *size],
                      ["sim", file, "--grid", "2x2", "--sweep", "n=4,8"], ["plan", file, "-n", 8, "--procs", 4],
                      ["run", file, *size, "--on", "cpu"], ["run", "cannon", file, *size, "--on", "cpu"],
                      ["compare", file, *size, "--on", "cpu"], ["trace", file, *size, "-o", "f.json"],
                      ["export", file, *size, "-o", "f.goal"],
                      *[["draw", "cannon", "--beside", file, "--grid", "2x2", "-o", "f.html"]] * page]:
            assert f"{file}: cannot read: " in run(*words, expect=1).stderr, words
    for words in [["sim", "cannon", *size], ["sim", "cannon", "--grid", "2x2", "--sweep", "n=4,8"],
                  ["plan", "-n", 8, "--procs", 4], ["draw", "cannon", *map(str, size), "--spacetime", "-o", "f.svg"],
                  ["trace", "cannon", *size, "-o", "f.json"], ["compare", "cannon", *size, "--on", "cpu"]]:
        for file in ["none.machine", "folder.machine"]:
            assert f"{file}: cannot read: " in run(*words, "--machine", file, expect=1).stderr, words
    for file in ["none.npy", "none.mtx", "none.raw", "folder.npy"]:
        for words in [["step"], ["run", "--on", "cpu"]]:
            words += ["cannon", "--grid", "2x2", "--size", "4x4x4", "--type", "f32", "--a", file, "--b", file]
            assert f"{file}: cannot read: " in run(*words, expect=1).stderr, words
    assert not list(pathlib.Path().glob("f.*"))


def test_bench_usage():
    for words in [["bench"], ["bench", "nothing"], ["bench", "ladder", "--cpu-only"], ["bench", "oneil", "--type", "f64"],
                  ["bench", "oneil", "--sizes", "0"], ["bench", "oneil", "--sizes", "8,x"],
                  ["bench", "oneil", "--trials", "0"], ["bench", "shapes", "--trials", "5"], ["bench", "host-anomaly", "--trials", "5"],
                  ["bench", "oneil", "--budget", "0"], ["bench", "oneil", "--budget", "1s"],
                  ["bench", "oneil", "--kernels", "essay-naive"], ["bench", "ladder", "--kernels", "none"], ["bench", "host-anomaly", "--type", "f32"],
                  ["bench", "mmt", "--type", "i32"], ["bench", "dobravec", "--kernels", "mmt-v001"],
                  ["bench", "oneil", "--budget", "0x1"], ["bench", "oneil", "--budget", " 1"],
                  ["bench", "transpose", "--cpu-only", "--cold"], ["bench", "transpose", "--kernels", ""],
                  ["bench", "transpose", "--cpu-only", "--kernels", "essay-copy"],
                  ["bench", "shapes", "--type", "i32"], ["bench", "shapes", "--kernels", "transpose"], ["bench", "shapes", "--cpu-only"]]:
        assert run(*words, expect=2).stdout == ""
    for name in ["o.csv", "o", "o.sgv"]:
        assert "unknown suffix" in run("bench", "transpose", "--cpu-only", "--quick", "-o", name, expect=2).stderr
        assert not os.path.exists(name)
    assert "its own experiment" in run("bench", "ladder", "--kernels", "mmt-v001", expect=2).stderr
    listed = run("bench", "nothing", expect=2).stderr
    assert all(name in listed for name in ["ladder", "oneil", "division", "essay", "transpose", "mmt", "dobravec", "host-anomaly", "shapes"])
    nowhere = {"PATH": os.getcwd()}
    done = run("bench", "essay", "--cpu-only", "--quick", "-o", "plot.svg", expect=4, env=nowhere)
    assert "gnuplot-nox" in done.stderr and done.stdout == "" and not os.path.exists("plot.svg")


def test_bench_without_a_gpu():
    """What needs none is measured, checked, printed, written and plotted; what needs one says that there is none."""
    words = ["bench", "oneil", "--cpu-only", "--quick", "--sizes", "8,16"]
    said = document(*words)
    assert said["experiment"] == "oneil" and said["quick"] and said["environment"]["device"] is None
    assert [(row["method"], row["n"], row["ok"]) for row in said["results"]] == [("cpu", 8, True), ("cpu", 16, True)]
    for row in said["results"]:
        times = row["call_times"]
        assert times["trials"] >= 3 and times["min"] <= times["median"] == row["time_s"] <= times["max"], row
    assert said["notes"] == ["the kernels were not run: only the CPU was asked for"]
    done = run(*words, "-o", "nowhere/oneil.json", expect=1)
    assert done.stdout == "" and "cannot write" in done.stderr  # nothing is measured in vain
    os.symlink("/dev/full", "full.json")
    done = run(*words, "-o", "full.json", expect=1)
    assert "Gflop/s" in done.stdout and "cannot write" in done.stderr  # nor is what was measured lost
    assert "would take" in run(*words[:4], "--sizes", "8192").stdout
    text = run("bench", "mmt", "--cpu-only", "--quick", "--sizes", "16").stdout
    assert "the kernels were not run" in text and "of cublas:" not in text, text
    text = run(*words, "-o", "oneil.json").stdout
    assert "the kernels were not run" in text and "Gflop/s" in text
    assert json.loads(pathlib.Path("oneil.json").read_text())["experiment"] == "oneil"
    assert document("bench", "oneil", "--cpu-only", "--quick", "--sizes", "9", "--type", "i32")["results"][0]["type"] == "i32"
    assert document("bench", "transpose", "--cpu-only", "--quick")["results"][0]["relative_error"] == 0
    if shutil.which("gnuplot"):
        run("bench", "essay", "--cpu-only", "--quick", "--sizes", "16,32", "-o", "essay.svg")
        svg = pathlib.Path("essay.svg").read_text()
        assert "CPU and naive" in svg and "not measured" in svg
    said = document("bench", "host-anomaly", "--quick", "--sizes", "24,40")
    assert [(row["series"], row["n"]) for row in said["results"]] == [(s, n) for n in (24, 40) for s in ("sizes", "padded", "huge-pages")]
    assert all("left_out" in row or row["ok"] for row in said["results"])
    said = document("bench", "host-anomaly", "--quick", "--sizes", "24,40,24,24")
    assert [row["n"] for row in said["results"] if row["series"] == "sizes"] == [24, 40]
    said = document("bench", "mmt", "--cpu-only", "--quick", "--sizes", "9")
    assert said["results"][0]["method"] == "sequential" and said["example"]["sequential"][-1] == 14203
    said = document("bench", "dobravec", "--cpu-only", "--sizes", "80", "--budget", "0.01")
    assert said["results"][0]["paper_times"]["mean"] == 1e-3
    done = subprocess.run([PROGRAM, "bench", "oneil", "--quick", "--sizes", "8", "--no-cache"], capture_output=True, text=True)
    assert done.returncode == 0 or (done.returncode == 4 and re.search("GPU|CUDA|driver", done.stderr)), done.stderr
    done = run("bench", "shapes", "--no-cache", "-o", "shapes.json", expect=4, env=NO_GPU)
    assert done.stdout == "" and re.search("bench shapes: .*(GPU|CUDA|driver)", done.stderr), done.stderr
    assert not os.path.exists("shapes.json")


# Every way to write a file, {} being its name without the suffix.
OUTPUTS = ["step cannon --grid 2x2 -n 40 -q --c {}.npy", "step cannon --grid 2x2 -n 40 -q --c {}.mtx",
           "run cannon --grid 2x2 -n 40 --on cpu --trials 1 -q --c {}.raw", "run cannon --grid 2x2 -n 8 --on cpu --trials 1 -q -o {}.json",
           "run cannon --grid 2x2 -n 8 --on cpu --trials 1 -q --trace {}.json", "trace cannon --grid 2x2 -n 8 -q -o {}.json",
           "sim cannon --grid 2x2 -n 8 --trace {}.json", "sim cannon --sweep n=64..256,p=4 -o {}.csv",
           "sim cannon --sweep n=64..256,p=4 -o {}.json", "sim cannon --sweep n=64..256,p=4 -o {}.gp",
           "calibrate --on cpu --grid 2x2 --sizes 8,16,32 --budget 0.01 --noisy -q -o {}.machine",
           "compare cannon --grid 2x2 -n 8 --on cpu --trials 1 --budget 0.01 -o {}.json",
           "compare cannon --grid 2x2 -n 8 --on cpu --trials 1 --budget 0.01 --trace {}.json",
           "draw cannon --grid 2x2 -o {}.svg", "draw cannon --grid 2x2 -o {}.dot", "draw cannon --grid 2x2 --all -o {}.svg",
           "draw cannon --grid 2x2 --all -o {}-%d.svg", "draw cannon --grid 2x2 --memory -o {}.svg",
           "draw cannon --grid 2x2 --spacetime -n 8 -o {}.svg", "topo ring:4 -o {}.svg", "mutate cannon -o {}.sched",
           "export cannon --grid 2x2 -n 4 -o {}.goal", "export cannon --grid 2x2 -n 4 -o {}.json"]


def test_unwritable_outputs():
    os.mkdir("closed", 0o500)
    name = "none/file" if os.geteuid() == 0 else "closed/file"
    for output in OUTPUTS:
        done = run(*output.format(name).split(), expect=1)
        assert name in done.stderr, done.stderr


def limit_files():
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)  # as a shell starts it
    resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64))


def test_full_disk_leaves_nothing():
    """A file may have 64 bytes: as on a full disk, the write fails in the middle."""
    for number, output in enumerate(OUTPUTS):
        words = output.format("new").split()
        old = [words[-1].replace("%d", "0")] if number % 2 else []  # a file that is there, and one that is not
        for name in old:
            pathlib.Path(name).write_text("as it was")
        done = run(*words, expect=1, preexec_fn=limit_files)
        assert "new" in done.stderr and "File too large" in done.stderr, done.stderr
        assert os.listdir() == old, (words, os.listdir())
        for name in old:
            assert pathlib.Path(name).read_text() == "as it was", words
            os.remove(name)
    with open("text", "w", encoding="utf-8") as text:
        done = run("help", stdout=text, stderr=subprocess.PIPE, capture_output=False, expect=1, preexec_fn=limit_files)
    assert "standard output: File too large" in done.stderr, done.stderr


def test_full_device():
    """A device takes what is written as it comes; what is beside it is not written alone."""
    for output in OUTPUTS:
        words = output.format("full").split()
        name = words[-1].replace("%d", "0")
        os.symlink("/dev/full", name)
        refused = words[0] == "mutate"
        done = run(*words, expect=2 if refused else 1)
        assert ("expected a file" if refused else "No space left") in done.stderr, done.stderr
        assert os.listdir() == [name], (words, os.listdir())
        os.remove(name)


def test_plot_without_room():
    """What gnuplot draws is whole, or not there: it does not tell when it cannot write all of it."""
    if not shutil.which("gnuplot"):
        raise tap.Skipped("gnuplot is not installed")
    for size in [2048, 4096, 8192, 16384]:
        done = run("sim", "cannon", "summa", "--sweep", "p=16,64", "-n", "256", "-o", "plot.pdf", expect=(0, 1),
                   preexec_fn=lambda size=size: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)))
        assert done.returncode == (0 if os.path.exists("plot.pdf") else 1), done
        if os.path.exists("plot.pdf"):
            assert pathlib.Path("plot.pdf").read_bytes().rstrip().endswith(b"%%EOF"), size
            os.remove("plot.pdf")


def test_several_outputs_together():
    """Where the last of a command's files cannot be written, the others are not written either."""
    together = [["run", "cannon", "--grid", "2x2", "-n", "8", "--on", "cpu", "-o", "report.json", "--trace", "times.json",
                 "--c", "full.npy"],
                ["compare", "cannon", "--grid", "2x2", "-n", "64", "--on", "cpu", "-o", "report.json", "--trace", "full.json"]]
    for words in together:
        os.symlink("/dev/full", words[-1])
        done = run(*words, expect=1)
        assert f"{words[-1]}: cannot write: No space left" in done.stderr and words[-1] not in done.stdout, done
        assert os.listdir() == [words[-1]], (words, os.listdir())
        os.remove(words[-1])
        run(*words)
        assert sorted(os.listdir()) == sorted(word for word in words if "." in word), os.listdir()
        for name in os.listdir():
            os.remove(name)


def wait_for(condition, process):
    for _ in range(3000):
        if condition():
            return
        assert process.poll() is None, f"ended with {process.returncode} before there was anything to see"
        time.sleep(0.01)
    raise AssertionError("nothing came for 30 s")


def test_signals_leave_nothing():
    """A file that has a name while it is written goes with the program; /proc is hidden, without which no file can do
    without a name."""
    alone = ["--mount"] if os.geteuid() == 0 else ["--mount", "--map-root-user"]
    hide = ["unshare", *alone, "sh", "-c", 'mount -t tmpfs none /proc && exec "$@"', "sh"]
    export = ["export", "cannon", "--grid", "64x64", "-n", "256", "-o", "large.goal"]
    if not shutil.which("unshare") or subprocess.run([*hide, "true"], capture_output=True, check=False).returncode != 0:
        raise tap.Skipped("the system allows no mounts of one's own here")
    for number in [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]:
        pathlib.Path("large.goal").write_text("as it was")
        with subprocess.Popen([*hide, PROGRAM, *export], stderr=subprocess.PIPE,
                              preexec_fn=lambda number=number: signal.signal(number, signal.SIG_DFL)) as process:
            wait_for(lambda: len(os.listdir()) == 2, process)
            process.send_signal(number)
            process.communicate()
        assert process.returncode == -number, process.returncode
        assert os.listdir() == ["large.goal"] and pathlib.Path("large.goal").read_text() == "as it was", os.listdir()


def test_schedule_read_once():
    """A pipe gives its text once, however often the command needs the schedule."""
    text = run("show", "cannon").stdout
    sized = ["--grid", "2x2", "-n", "64"]
    for words in (["trace", "-", *sized, "--on", "cpu", "-o", "t.json", "-q"], ["compare", "-", *sized, *RUN], ["mutate", "-", "--grid", "2x2", "-o", "m.sched", "-q"]):
        run(*words, input=text)
    os.mkfifo("pipe.sched")
    with subprocess.Popen(["sh", "-c", "cat >pipe.sched"], stdin=subprocess.PIPE, text=True) as writer:
        writer.stdin.write(text)
        writer.stdin.close()
        run("trace", "pipe.sched", *sized, "--on", "cpu", "-o", "t.json", "-q")


def test_mutate_prints_a_command_that_works():
    """Whatever the name: pasted into a shell, the command verifies the exercise."""
    pathlib.Path("-d").mkdir()
    for name in ["a b.sched", "-x.sched", "--json", "it's.sched", "$HOME;.sched", "~.sched", "-d/x.sched", "übung.sched", "a&b"]:
        said = run("mutate", "cannon", f"--output={name}").stdout.splitlines()[1]
        assert said.endswith(" rejects it"), said
        command = shlex.split(said.removesuffix(" rejects it"))
        assert command[0] == "topogemm", said
        run(*command[1:], expect=3)
    assert "topogemm verify e.sched --grid" in run("mutate", "cannon", "-o", "e.sched").stdout


def test_a_closed_input_cannot_be_read():
    for words in [["verify", "-", "--grid", "2x2"], ["show", "-"]]:
        said = run(*words, expect=1, stdin=None, preexec_fn=lambda: os.close(0)).stderr
        assert said == "topogemm: cannot read <stdin>: it is closed\n", said
        assert "end of the text" in run(*words, expect=2, input="").stderr


def test_set_twice():
    for words in [["verify", "summa-panels", "--grid", "4x4"], ["sim", "cannon", "summa-panels", "--grid", "4x4", "-n", 64],
                  ["mutate", "summa-panels", "--grid", "4x4", "-o", "f.sched"]]:
        for second in ["b=2", "b=4"]:
            assert "--set: `b` is set twice" in run(*words, "--set", "b=2", "--set", second, expect=2).stderr, words


def test_numbers_of_mtx_have_a_limit():
    for digits, expect in [(511, 0), (512, 2)]:
        number = "1." + (digits - 2) * "0"
        pathlib.Path("A.mtx").write_text(f"%%MatrixMarket matrix array real general\n1 1\n{number}\n")
        said = run("step", "cannon", "--grid", "1x1", "--a", "A.mtx", "--b", "A.mtx", expect=expect).stderr
        assert expect == 0 or "A.mtx:3: a number of more than 511 characters, the limit" in said, said


def test_mutate_ends_the_last_line():
    text = run("show", "cannon").stdout.rstrip("\n")
    run("mutate", "-", "--grid", "2x2", "-o", "m.sched", "-q", input=text)
    assert pathlib.Path("m.sched").read_text().endswith("\n")


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
    texts, terminals = [], [open_pair(), open_pair()]
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
    """What does not go with it; test-step-interactive.py has what it does."""
    for more in ["--json", "--quiet", "--step 1", "--seed 3", "--c C.npy", "--type i8", "-n 0"]:
        run("step", "cannon", "--grid", "2x2", "--interactive", *more.split(), expect=2)


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


def test_topo_from():
    """A description of a machine: its network, its picture, and a machine file that `sim` takes."""
    path = HARDWARE / "cube-mesh.txt"
    assert document("topo", "--from", path)["topology"] == "switch:2*switch:2"
    assert "NVLink also joins 2 pairs" in run("topo", "--from", path).stdout
    run("topo", "--from", path, "-o", "machine.svg")
    assert "<svg" in pathlib.Path("machine.svg").read_text()
    assert run("topo", "--from", path, "-o", "gpus.machine").stdout.endswith("gpus.machine\n")
    found = document("sim", "cannon", "--grid", "2x2", "-n", 512, "--machine", "gpus.machine")
    assert found["topology"] == "switch:2*switch:2" and found["time_s"] > 0
    run("topo", "torus:4x4", "-o", "no.machine", expect=2)
    run("topo", expect=2)
    run("topo", "torus:4x4", "--from", path, expect=2)
    run("topo", "--from", "gpus.machine", expect=2)
    assert document("topo", "--from", "/dev/stdin", input=path.read_text())["nodes"] == 4
    run("topo", "--from", "missing.xml", expect=1)


def test_drawings_page():
    """A page has all steps: --all changes nothing, and where it opens is what --step says, not both."""
    page = ["draw", "cannon", "--grid", "2x2", "-o"]
    run(*page, "f.html", "--all", "--step", 1, expect=2)
    if "no page" in subprocess.run([PROGRAM, *page, "f.html"], capture_output=True, text=True, check=False).stderr:
        print("# this build has no page: none was drawn")
        return
    run(*page, "all.html", "--all")
    assert pathlib.Path("all.html").read_bytes() == pathlib.Path("f.html").read_bytes()


def test_sim_document():
    """What a prediction says of its parts fits together."""
    for words in ["cannon --grid 4x4", "dns --grid 2x2x2 --network hypercube", "summa --grid 6x6 --network torus:3x3",
                  "cannon --grid 4x4 --skew 1e-3 --jitter 0.2 --straggler 5:3", "fox --grid 3x3 --overlap off"]:
        said = document("sim", *words.split(), "-n", 240)
        assert math.isclose(said["compute_s"] + said["communication_s"], said["time_s"], rel_tol=1e-9)
        nodes = said["node_times"]
        assert len(nodes) == said["nodes"] and max(node["time_s"] for node in nodes) == said["time_s"]
        for node in nodes:
            assert math.isclose(node["compute_s"] + node["communication_s"], node["time_s"], rel_tol=1e-9), node
        assert any(node["time_s"] == said["time_s"] and node["compute_s"] == said["compute_s"] for node in nodes)
        assert sum(step["compute_s"] for step in said["steps"]) >= max(node["compute_s"] for node in nodes) * (1 - 1e-9)
        links = [link["bytes"] for link in said["busiest_links"]]
        assert links == sorted(links, reverse=True) and 0 < len(links) <= 10 and links[0] == said["max_link_bytes"]
        assert math.isclose(said["serial_s"], 2 * 240 ** 3 / 1e12, rel_tol=1e-9)
        workers = min(said["processors"], said["nodes"])
        assert math.isclose(said["efficiency"], said["serial_s"] / workers / said["time_s"], rel_tol=1e-9)
        assert said["proved"] and said["fits"]
    ends = {(link["from"], link["to"]) for link in document("sim", "dns", "--grid", "2x2x2", "-n", 8, "--network",
                                                            "switch")["busiest_links"]}
    assert all("switch 0" in pair and any("(" in end for end in pair) for pair in ends), ends


def test_sim_many_nodes():
    said = document("sim", "cannon", "--grid", "80x80", "-n", 800, "--straggler", "77:9")
    assert len(said["node_times"]) == 4096 and said["nodes"] == 6400 and said["node_times"][-1]["time_s"] == said["time_s"]
    text = run("sim", "cannon", "--grid", "80x80", "-n", 800, "--straggler", "77:9").stdout
    assert "not proved" in text and not said["proved"] and "the median" in text and "last to finish" in text


def test_sim_memory():
    """Never more than verify states; where it is proved first, the same."""
    for words in ["cannon --grid 4x4", "dns --grid 2x2x2", "cannon25d --grid 4x4x2", "summa --grid 4x4", "mmt --grid 4",
                  "berntsen --grid 2x2x2", "fox --grid 3x3", "dimma --grid 2x3", "transpose --grid 2x2"]:
        said, stated = document("sim", *words.split(), "-n", 100, "--overlap", "off"), document("verify", *words.split(), "-n", 100)
        assert said["blocks_per_processor_max"] == stated["blocks_per_processor_max"], words
        assert said["bytes_per_processor"] == 4 * stated["words_per_processor_max"] and not said["memory_is_a_lower_bound"]
    for words in ["cannon --grid 48x48", "summa --grid 48x48", "dns --grid 40x40x40", "cannon25d --grid 60x60x2"]:
        said, stated = document("sim", *words.split(), "-n", 480, "--overlap", "off"), document("verify", *words.split(), "-n", 480)
        assert said["memory_is_a_lower_bound"] and not said["proved"], words
        assert 0 < said["bytes_per_processor"] <= 4 * stated["words_per_processor_max"], words
        assert 0 < said["blocks_per_processor_max"] <= stated["blocks_per_processor_max"], words
    for buffers, blocks in [(1, 3), (2, 5), (3, 7)]:
        said = document("sim", "cannon", "--grid", "4x4", "-n", 64, "--buffers", buffers)
        assert said["buffers"] == buffers and said["blocks_for_overlap"] == blocks - 3 and said["bytes_per_processor"] == 4 * 256 * blocks
        for memory, fate in [(1024 * blocks, "ranked"), (1024 * blocks - 1, "rejected")]:
            plan = document("plan", "-n", 64, "--procs", 16, "--top", 50, "--buffers", buffers, "--memory", memory, expect=int(memory < 3072))  # that much A, B and C have
            [mine] = [one for kind in ("ranked", "rejected") for one in plan[kind] if (one["algorithm"], one["grid"]) == ("cannon", "4x4")]
            assert mine in plan[fate] and mine["bytes_per_processor"] == 1024 * blocks, (blocks, mine)
    assert "overlap off" in run("sim", "cannon", "--grid", "4x4", "-n", 64, "--overlap", "off", "--buffers", 2, expect=2).stderr
    shared = document("sim", "cannon", "--grid", "4x4", "-n", 64, "--network", "ring:4")
    assert shared["bytes_per_node_max"] == 4 * shared["bytes_per_processor"]
    with open("errors", "w+") as errors:
        done = run("sim", "cannon", "--grid", "4x4", "-n", 200000, capture_output=False,
                   stdout=subprocess.PIPE, stderr=errors)
        errors.seek(0)
        assert "does not fit" in errors.read() and "it does not fit" in done.stdout


def test_sim_failures():
    """A schedule that fails its proof is not predicted; what fails on the way is reported at its place."""
    wrong = run("show", "cannon").stdout.replace("move A to (i, j-1)", "move A to (i, j-2)")
    pathlib.Path("wrong.sched").write_text(wrong)
    done = run("sim", "wrong.sched", "-n", 64, "--grid", "4x4", expect=3)
    assert done.stdout == "" and re.match(r"wrong\.sched:\d+:\d+: step 3", done.stderr), done.stderr
    assert done.stderr == run("verify", "wrong.sched", "--collective", "auto", "--grid", "4x4", expect=3).stderr
    pathlib.Path("power.sched").write_text(wrong.replace("(i, j-2)", "(i, j-2**2**2**2**2**9)"))
    for grid in ["4x4", "60x60"]:
        done = run("sim", "power.sched", "-n", 240, "--grid", grid, expect=3)
        assert re.match(r"power\.sched:\d+:\d+: ", done.stderr) and "|" in done.stderr, done.stderr
    assert document("sim", "wrong.sched", "-n", 600, "--grid", "60x60")["proved"] is False


def test_sim_sweep():
    """Each point is the prediction of `sim` alone; winners and crossovers follow from the times."""
    trees = ["--collective", "binomial"]
    said = document("sim", "cannon", "dns", *trees, "--sweep", "n=512..8192:x4,p=64,100,4096", "-o", "sweep.json")
    assert said == json.loads(pathlib.Path("sweep.json").read_text())
    rows = said["predictions"]
    assert len(rows) == 18 and {row["n"] for row in rows} == {512, 2048, 8192}
    for row in rows:
        if row.get("left_out"):
            assert (row["algorithm"], row["p"]) == ("dns", 100)
            continue
        alone = document("sim", row["algorithm"], *trees, "--grid", row["grid"], "-n", row["n"])
        for key in ["time_s", "compute_s", "communication_s", "efficiency", "messages", "bytes", "max_link_bytes",
                    "closed_form_s", "bytes_per_node_max", "topology", "processors"]:
            assert alone[key] == row[key], (row, key, alone[key])
        rivals = [other["time_s"] for other in rows if (other["n"], other["p"]) == (row["n"], row["p"]) and not other.get("left_out")]
        assert row["fastest"] == (row["time_s"] == min(rivals))
    [crossover] = said["crossovers"]
    assert (crossover["p"], crossover["from"], crossover["to"], crossover["n"]) == (4096, "dns", "cannon", 2048)
    assert 512 < crossover["near"] < 2048
    text = run("sim", "cannon", "dns", *trees, "--sweep", "n=512..8192:x4,p=64,100,4096").stdout
    assert "dns is the fastest up to n = 512; cannon beats dns from n = 2048 on" in text
    assert "dns has no grid of 100 processors: its grid is i:q, j:q, k:q" in text
    for values, wanted in [("5,3,5", [3, 5]), ("4..32", [4, 8, 16, 32]), ("4..33:x3", [4, 12]), ("4..10:+3", [4, 7, 10]),
                           ("64..64", [64]), ("4..8,6", [4, 6, 8])]:
        rows = document("sim", "cannon", "--grid", "2x2", "--sweep", "n=" + values)["predictions"]
        assert [row["n"] for row in rows] == wanted, values


def test_sim_grids_of_a_number():
    grids = [("cannon", "p=36", "6x6"), ("cannon25d", "p=64", "4x4x4"), ("cannon25d", "p=32", "4x4x2"),
             ("dimma", "p=24", "6x4"), ("ring", "p=7", "7"), ("agarwal3d", "p=16", "4x2x2")]
    for algorithm, p, grid in grids:
        [row] = document("sim", algorithm, "--sweep", p, "-n", 48)["predictions"]
        assert row["grid"] == grid, row
    [row] = document("sim", "cannon25d", "--set", "c=1", "--sweep", "p=64", "-n", 64)["predictions"]
    assert row["grid"] == "8x8x1"
    rows = document("sim", "cannon", "dns", "ring", "-n", 64, "--grid", "4x4,8,2x2x2,8x8")["predictions"]
    assert [row["grid"] for row in rows] == ["4x4", "2x2x2", "8"]


def test_sim_efficiency():
    """The least n that makes blocks of one size: a prediction there has the efficiency, one a step less has not."""
    for words in ["cannon", "dns --overlap off", "summa --network hypercube"]:
        for row in document("sim", *words.split(), "--sweep", "p=16,64", "--efficiency", 0.7)["predictions"]:
            if row.get("left_out"):
                continue
            less = row["n"] - int(row["grid"].split("x")[0]) ** (2 if words.startswith("dns") else 1)
            options = words.split() + ["--grid", row["grid"]]
            assert document("sim", *options, "-n", row["n"])["efficiency"] == row["efficiency"] >= 0.7
            assert document("sim", *options, "-n", int(less))["efficiency"] < 0.7, row
    never = run("sim", "cannon", "dns", "--sweep", "p=16,64", "--efficiency", 0.5, "--machine", "ideal").stdout
    assert "cannon needs the smallest n" in never
    small = pathlib.Path("small.machine")
    small.write_text("[link]\nlatency_s = 1e-6\nbandwidth_bytes_per_s = 1e9\n[processor]\nflops_per_s = 1e12\n"
                     "memory_bytes = 1e6\n")
    full = run("sim", "cannon", "--sweep", "p=16", "--efficiency", 0.5, "--machine", "./small.machine").stdout
    assert re.search(r" 16 +\d+ +[0-9.]+ ms!\n", full) and "!: does not fit" in full, full


def test_sim_settings():
    """What a prediction depends on is named in each of its forms."""
    options = "--network hypercube:4 --skew 1e-3 --jitter 0.1 --straggler 5:2 --seed 3 --from disk".split()
    named = ["hypercube:4", "skew 1 ms", "jitter 0.1", "straggler 5:2", "seed 3", "blocks from disk", "overlap on"]
    options += ["--machine", "cluster-gtx1070"]
    cannon = ["sim", "cannon", "-n", 256, "--grid", "4x4", *options]
    for words in [cannon, cannon[:2] + ["summa"] + cannon[2:]]:
        heading = run(*words).stdout.split("\n\n")[0]
        assert [name for name in named if name not in heading] == [], heading
        said = document(*words)
        assert (said["skew_s"], said["jitter"], said["seed"], said["from"]) == (1e-3, 0.1, 3, "disk")
        assert said["straggler"] == {"node": 5, "factor": 2}
    run("sim", "cannon", "--grid", "4x4", *options, "--sweep", "n=64,128", "-o", "named.gp")
    script = pathlib.Path("named.gp").read_text()
    lines = re.findall("^set label '(.*)' at screen 0.5, .* center noenhanced", script, re.M)
    assert [name for name in named if name not in " ".join(lines)] == [], lines
    panels = ["sim", "summa-panels", "--grid", "2x2", "-n", 64, "--set", "b=2"]
    assert document(*panels)["parameters"]["b"] == 2 and " with b = 2" in run(*panels).stdout.split("\n")[0]
    [row] = document("sim", "summa-panels", "--sweep", "n=64", "--grid", "2x2", "--set", "b=2")["predictions"]
    assert row["parameters"]["b"] == 2


def test_sim_seeds():
    """--seeds is as many runs with one seed each."""
    words = ["sim", "summa", "--grid", "3x3", "-n", 300, "--jitter", 0.5, "--skew", 1e-4]
    times = sorted(document(*words, "--seed", seed)["time_s"] for seed in range(7, 12))
    said = document(*words, "--seed", 7, "--seeds", 5)
    seeds = said["seeds"]
    assert (seeds["count"], seeds["min_s"], seeds["median_s"], seeds["max_s"]) == (5, times[0], times[2], times[4]), (seeds, times)
    assert math.isclose(seeds["mean_s"], statistics.mean(times)) and math.isclose(seeds["stddev_s"], statistics.stdev(times))
    assert said["time_s"] == document(*words, "--seed", 7)["time_s"] and times[0] < times[4]
    assert "median of 5, from" in run(*words, "--seed", 7, "--seeds", 5).stdout
    for more, wrong in [(["--seeds", 1], "2 to"), (["--seeds", "x"], "--seeds"), (["--seeds", 3, "--sweep", "n=8"], "no --sweep")]:
        assert wrong in run(*words, *more, expect=2).stderr, more
    assert "needs --skew or --jitter" in run("sim", "summa", "--grid", "3x3", "-n", 300, "--seeds", 3, expect=2).stderr
    assert "one ALGO" in run("sim", "summa", "cannon", "--grid", "3x3", "-n", 300, "--jitter", 1, "--seeds", 3, expect=2).stderr


def test_sim_own_network():
    """The machine's own network where it has a node for each processor; otherwise a torus, and the text says so."""
    four, sixteen = (["sim", "cannon", "-n", 64, "--grid", grid, "--machine", "h200x4"] for grid in ["2x2", "4x4"])
    assert document(*four)["topology"] == "switch:4" and "the machine's own" in run(*four).stdout
    assert document(*four, "--network", "torus:2x2")["topology"] == "torus:2x2"
    assert document("sim", "ring", "-n", 64, "--grid", 2, "--machine", "h200x4")["topology"] == "switch:4"
    part = ["plan", "-n", 4096, "--procs", 16, "--machine", "h200x32", "--top", 1, "--budget", 600]  # until complete
    for command in [part, ["sim", "cannon", "-n", 4096, "--grid", "4x4", "--machine", "h200x32"]]:
        own, named = (document(*command, *network) for network in [[], ["--network", "switch:4*switch:8"]])
        assert own["topology"] == named["topology"] == "switch:4*switch:8"
        times = [found.get("time_s") or found["ranked"][0]["predicted_s"] for found in (own, named)]
        assert times[0] == times[1], times
    assert document(*sixteen)["topology"] == "torus:4x4" and document(*sixteen)["machine_topology"] == "switch:4"
    assert "another network, switch:4" in run(*sixteen).stdout


def test_sim_comparisons():
    said = run("sim", "cannon", "transpose", "-n", 64, "--grid", "4x4", expect=2).stderr
    assert "cannon computes C = A * B, but transpose computes C = A'" in said
    sizes = ["--sweep", "n=64..256", "--grid", "2x2"]
    assert "  cannon and summa tie at every n\n" in run("sim", "cannon", "summa", *sizes).stdout
    assert "needs the smallest n at every p (summa ties at p = 4)" in run(
        "sim", "cannon", "summa", "--sweep", "p=4,16", "--efficiency", 0.8, "--collective", "binomial").stdout


def test_sim_idle_nodes():
    """Nodes without a processor have no part in the run: it is that of the same grid on a network of its size."""
    for model in ["hockney", "store-and-forward", "flow", "loggp"]:
        words = ["sim", "cannon", "-n", 64, "--grid", "2x2", "--model", model, "--network"]
        small, large = document(*words, "mesh:2x2"), document(*words, "mesh:6x6")
        parts = [[step.pop("parts") for step in said["steps"]] for said in (small, large)]
        assert small["steps"] == large["steps"] and small["time_s"] == large["time_s"], model
        for one, other in zip(*parts): # sums in another order
            assert all(abs(one[part] - other[part]) <= 1e-12 * small["time_s"] for part in one), (model, one, other)
        assert (large["nodes"], large["nodes_used"]) == (36, 4)
        text = run(*words, "mesh:6x6").stdout
        assert "over 4 of 36 nodes" in text and "node (" not in text, text


def test_sim_refusals():
    zero = pathlib.Path("zero.machine")
    zero.write_text("[link]\nlatency_s = 0\nbandwidth_bytes_per_s = inf\n[processor]\nflops_per_s = inf\n")
    cannon = ["sim", "cannon", "--grid", "4x4"]
    said = run(*cannon, "--sweep", "n=64,128", "--machine", "./zero.machine", "-o", "zero.gp", expect=2).stderr
    assert "nothing to draw" in said and not os.path.exists("zero.gp")
    zero.write_text(zero.read_text().replace("= 0", "= 1e-400"))
    assert "too small" in run(*cannon, "-n", 64, "--machine", "./zero.machine", expect=2).stderr
    for words, wrong in [("--from host", "[device]"), ("--skew inf", "finite"), ("--jitter inf", "finite"),
                         ("--seed -1", "expected 0 to")]:
        assert wrong in run(*cannon, "-n", 64, *words.split(), expect=2).stderr, words
    assert "expected extents" in run("sim", "cannon", "-n", 64, "--grid", "", expect=2).stderr
    one = document("sim", "cannon", "-n", 64, "--grid", "1x1", "--network", "hypercube")
    assert one["topology"] == "hypercube:1" and one["messages"] == 0
    assert "over 1 node\n" in run("sim", "cannon", "-n", 64, "--grid", "1x1").stdout


def test_sim_shared_links():
    """A model in which links are not shared says so where the busiest link alone needs longer than predicted."""
    words = ["sim", "cannon", "--grid", "4x4", "-n", 4096, "--network"]
    said = document(*words, "line:16")
    assert said["busiest_link_s"] == said["max_link_bytes"] / 1.25e9 > said["time_s"]
    for network, model, said in [("line:16", "hockney", True), ("line:16", "loggp", True), ("line:16", "flow", False),
                                 ("line:16", "store-and-forward", False), ("torus:4x4", "hockney", False)]:
        assert ("busiest link alone needs" in run(*words, network, "--model", model).stdout) == said, (network, model)
    text = run(*words, "torus:4x4").stdout
    assert "Tflop/s over 16 nodes" in text and "a guess" in text and " messages, 503.3 MB, " in text, text
    assert not document(*words, "torus:4x4")["residual_is_measured"]


def test_sim_memory_bound():
    """What is counted without a proof is no more than what the proof finds, and no less than the placements."""
    said = document("sim", "berntsen", "--grid", "16x16x16", "-n", 4096)
    assert said["memory_is_a_lower_bound"] and said["bytes_per_processor"] >= 3 * 4 * 4096
    assert said["blocks_per_processor_max"] <= document("verify", "berntsen", "--grid", "16x16x16")["blocks_per_processor_max"]


def test_sim_plots():
    sweep = ["sim", "cannon", "dns", "--sweep", "n=64,256,p=16,64"]
    nowhere = {"PATH": os.getcwd()}
    for name in ["plot.svg", "plot.png", "plot.pdf"]:
        done = run(*sweep, "-o", name, expect=4, env=nowhere)
        assert "gnuplot-nox" in done.stderr and done.stdout == "" and not os.path.exists(name)
    run(*sweep, "-o", "plot.gp", env=nowhere)
    if not shutil.which("gnuplot"):
        print("# gnuplot is not here: plots were not drawn")
        return
    for name, begin in [("plot.svg", b"<?xml"), ("plot.png", b"\x89PNG"), ("plot.pdf", b"%PDF")]:
        run(*sweep, "-o", name)
        assert pathlib.Path(name).read_bytes().startswith(begin)
    svg = pathlib.Path("plot.svg").read_text()
    assert all(word in svg for word in ["cannon", "dns", "predicted time", "efficiency", "p = 16", "p = 64"])
    assert subprocess.run(["gnuplot", "plot.gp"], capture_output=True, text=True, check=True).stdout == svg
    pathlib.Path("m.machine").write_text(MADE_UP.split("[executor]")[0].replace("made up", "a]]>b'&<c>"))
    run(*sweep, "--machine", "m.machine", "-o", "name.svg")
    assert "a]] >b'&<c>" in xml.dom.minidom.parse("name.svg").toxml().replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    os.symlink("/bin/false", "gnuplot")
    assert "gnuplot failed" in run(*sweep, "-o", "bad.svg", expect=1, env=nowhere).stderr
    assert not os.path.exists("bad.svg")


def test_sim_formula():
    """The reasons for a difference add up to it."""
    units = {"s": 1, "ms": 1e-3, "us": 1e-6}
    for words in ["cannon --grid 4x4 -n 4096", "dns --grid 4x4x4 -n 960 --jitter 0.1", "fox --grid 4x4 -n 2048 --overlap off"]:
        said = document("sim", *words.split())
        text = run("sim", *words.split(), "--formula").stdout.split("The prediction is")[1]
        reasons = re.findall(r"^    +([+-][0-9.e+]+) (s|ms|us)  ", text, re.M)
        total = sum(float(value) * units[unit] for value, unit in reasons)
        assert math.isclose(total, said["time_s"] - said["closed_form_s"], rel_tol=1e-2, abs_tol=3e-3 * said["time_s"]), text
    assert "t_s" in run("sim", "cannon", "--grid", "4x4", "-n", 64, "--symbols", "grama").stdout


RUN = ["--on", "cpu", "--trials", 3, "--warmup", 1]
NO_GPU = {"CUDA_VISIBLE_DEVICES": ""}


def test_run_document():
    """The keys that other programs rely on, and numbers that fit each other."""
    found = document("run", "summa", "--grid", "2x2", "--size", "30x50x40", "--type", "f64", *RUN,
                     "-o", "run.json")
    assert found == json.loads(pathlib.Path("run.json").read_text())
    keys = ("algorithm grid m n k type on device kernel parameters time_s times transfer_s gflops steps relative_error ok "
            "environment").split()
    assert [key for key in keys if key not in found] == []
    assert (found["algorithm"], found["grid"], found["on"], found["type"]) == ("summa", "2x2", "cpu", "f64")
    assert (found["m"], found["n"], found["k"], found["times"]["trials"], found["times"]["warmup"]) == (30, 50, 40, 3, 1)
    assert (found["variant"], found["variants"], found["variant_from"]) == (1, 1, "chosen")
    for variant, origin in [("0", "chosen"), ("1", "given")]:
        asked = document("run", "summa", "--grid", "2x2", "-n", 8, "--variant", variant, *RUN)
        assert (asked["variant"], asked["variant_from"]) == (1, origin)
    times = found["times"]
    assert list(times) == ["trials", "warmup", "min", "median", "mean", "max", "stddev"]
    assert 0 < times["min"] <= times["median"] <= times["max"] and times["min"] <= times["mean"] <= times["max"]
    assert math.isclose(found["gflops"], 2 * 30 * 50 * 40 / found["time_s"] * 1e-9, rel_tol=1e-9) and found["time_s"] == times["median"]
    assert math.isclose(found["transfer_s"], found["load_s"] + found["gather_s"]) and found["transfer_s"] > 0
    assert [step["index"] for step in found["steps"]] == [1, 2] and found["step_trials"] == 3
    for step in found["steps"]:
        assert step["label"] == "broadcast and multiply" and step["runs"] == 1
        assert 0 < step["median_s"] <= times["max"] and step["start_s"] < step["end_s"]
    assert found["steps"][0]["start_s"] == 0 and 0.5 < found["steps_share"] <= 1 + 1e-9
    assert found["ok"] is True and found["relative_error"] <= found["tolerance"] == 1e-14
    environment = found["environment"]
    keys = "version commit device driver cuda clock_mhz_before clock_mhz_after blas processor cores".split()
    assert [key for key in keys if key not in environment] == []
    assert environment["driver"] is None and environment["blas"] == found["kernel"]
    assert re.fullmatch(r"[0-9a-f]{12,40}(-dirty)?|\d+\.\d+\.\d+", environment["commit"]), environment["commit"]
    alone = document("run", "transpose", "--grid", "2x2", "-n", 9, *RUN)
    assert alone["gflops"] is None and alone["relative_error"] == 0 == alone["tolerance"]


def seconds(text):
    number, unit = text.split()
    return float(number) * {"us": 1e-6, "ms": 1e-3, "s": 1}[unit]


def test_run_steps():
    """What the steps take of a run, and what is outside of them, make up the run; where medians do not, that is said."""
    for words in ["cannon --grid 4x4 -n 64", "dns --grid 2x2x2 -n 40", "transpose --grid 2x2 -n 9", "ring --grid 1 -n 8"]:
        for more in [[], ["--trials", 1], ["--trials", 40]]:
            said = run("run", *words.split(), "--on", "cpu", *more, "-o", "run.json").stdout
            found = json.loads(pathlib.Path("run.json").read_text())
            shares = [step["share"] for step in found["steps"]] + [found["outside_share"]]
            assert math.isclose(sum(shares), 1, abs_tol=1e-9) and min(shares) >= -1e-9, (words, shares)
            assert found["steps_s"] <= found["times"]["max"] * (1 + 1e-9)
            rows = re.findall(r"^ +(?:\d+  )?(\w[\w ]*?) +(?:\d+ +)?(\S+ [um]?s) +(\S+) %$", said, re.M)
            assert [row[0] for row in rows] == [step["label"] for step in found["steps"]] + ["all steps"], said
            assert abs(sum(float(row[2]) for row in rows[:-1]) - float(rows[-1][2])) < 0.06 * len(rows), said
            assert math.isclose(seconds(rows[-1][1]), found["steps_s"], rel_tol=1e-3), said
            ratio = sum(seconds(row[1]) for row in rows[:-1]) / seconds(rows[-1][1])
            if not 0.94 < ratio < 1.06 or 0.96 < ratio < 1.04:  # printed figures are rounded
                assert ("step medians add up to" in said) == (not 0.95 < ratio < 1.05), (ratio, said)


def test_run_trials():
    few = ["run", "cannon", "--grid", "2x2", "-n", 8, "--on", "cpu"]
    assert document(*few, "--trials", 5, "--warmup", 0)["times"]["trials"] == 5
    for words in [few, few + ["--warmup", 0]]:
        found = document(*words)["times"]
        assert 20 <= found["trials"] <= 100 and found["warmup"] == (0 if "--warmup" in words else 2)


def test_run_sizes():
    """Nothing need divide, be square or be larger than the grid."""
    for size in ["1x1x1", "7x7x7", "127x129x67", "1000x37x513"]:
        for words in ["cannon --grid 4x4", "summa --grid 3x3", "dns --grid 3x3x3", "ring --grid 5", "fox --grid 2x2"]:
            for kind in ["f32", "f64"]:
                found = document("run", *words.split(), "--size", size, "--type", kind, *RUN)
                m, n, k = map(int, size.split("x"))
                limit = max(1e-6, 5e-7 * math.sqrt(k)) if kind == "f32" else max(1e-14, 1e-15 * math.sqrt(k))
                assert (found["m"], found["n"], found["k"]) == (m, n, k)
                assert found["ok"] and found["relative_error"] <= limit == found["tolerance"], (words, size, kind)
    for collective in ["auto", "ring", "chain", "pairwise"]:
        assert document("run", "summa", "--grid", "3x3", "-n", 20, "--collective", collective, *RUN)["ok"]
    assert document("run", "mmt", "--grid", "3", "--size", "10x10x7", *RUN)["computes"] == "C = A * A'"
    run("run", "mmt", "--grid", "3", "--size", "10x11x7", *RUN, expect=2)


def test_run_on_files():
    """The same C as `step` writes, of the same files and of the same seed; every element of it."""
    chance = random.Random(4)
    for m, k, n in [(7, 5, 9), (1, 1, 1), (2, 3, 11)]:
        npy("A.npy", m, k, [chance.uniform(-1, 1) for _ in range(m * k)])
        npy("B.npy", k, n, [chance.uniform(-1, 1) for _ in range(k * n)])
        files = ["cannon", "--grid", "3x3", "--a", "A.npy", "--b", "B.npy"]
        found = document("run", *files, "--c", "C.npy", *RUN)
        run("step", *files, "--c", "D.npy", "-q")
        assert found["type"] == "f64" and found["seed"] is None and read_npy("C.npy")[:2] == (m, n)
        assert all(abs(x - y) <= 1e-14 * k for x, y in zip(read_npy("C.npy")[2], read_npy("D.npy")[2]))
        a, b = read_npy("A.npy")[2], read_npy("B.npy")[2]
        exact = [sum(a[i * k + x] * b[x * n + j] for x in range(k)) for i in range(m) for j in range(n)]
        assert all(abs(x - y) <= 1e-14 * k for x, y in zip(read_npy("C.npy")[2], exact))
    same = ["summa", "--grid", "2x2", "-n", 6, "--seed", 5, "--integers"]
    text = run("run", *same, "--c", "C.npy", *RUN).stdout
    run("step", *same, "--c", "D.npy", "-q")
    assert read_npy("C.npy") == read_npy("D.npy") and text.endswith("C is in C.npy\n")
    run("run", "cannon", "--grid", "2x2", "--a", "A.npy", *RUN, expect=2)


def test_run_several():
    said = document("run", "cannon", "summa", "dns", "-n", 40, "--grid", "4x4,2x2x2", *RUN)
    assert list(said) == ["format", "version", "ok", "runs", "environment"] and said["ok"] is True
    assert [(one["algorithm"], one["grid"]) for one in said["runs"]] == [("cannon", "4x4"), ("summa", "4x4"), ("dns", "2x2x2")]
    assert all(one["ok"] and one["times"]["trials"] == 3 and "environment" not in one for one in said["runs"])
    text = run("run", "cannon", "summa", "dns", "-n", 40, "--grid", "4x4,2x2x2", *RUN).stdout
    rows = re.findall(r"^  (cannon|summa|dns) .* (fastest|[0-9.]+x)$", text, re.M)
    slower = [1 if row[1] == "fastest" else float(row[1][:-1]) for row in rows]
    assert len(rows) == 3 and rows[0][1] == "fastest" and slower == sorted(slower), text
    both = ["run", "cannon", "cannon25d", "-n", 16, "--grid", "4x4,2x2x2", *RUN]
    assert document(*both, "--set", "c=2")["runs"][1]["grid"] == "2x2x2"
    for words, wrong in [("cannon transpose --grid 2x2", "compute the same"), ("cannon - --grid 2x2", "standard input"),
                         ("cannon dns --grid 2x2", "dns"), ("cannon summa --grid 2x2 --c C.npy", "one ALGO"),
                         ("cannon summa --grid 2x2 --set b=2", "no"), ("cannon dns --grid 2x2,3", "none of these fits dns")]:
        assert wrong in run("run", *words.split(), "-n", 8, *RUN, expect=2).stderr, words


def test_run_files():
    """A file that cannot be written is found before the run, and a report is not lost with it; two files are two."""
    cannon = ["run", "cannon", "--grid", "2x2", "-n", 8, "--on", "cpu", "--trials", 1]
    for name in ["full.json", "full.machine"]:
        os.symlink("/dev/full", name)
    for words in ["-o nowhere/x.json", "--trace nowhere/x.json", "--c nowhere/x.npy"]:
        done = run(*cannon, *words.split(), expect=1)
        assert done.stdout == "" and "nowhere/x" in done.stderr and "cannot write" in done.stderr, done.stdout
    done = run(*cannon, "-o", "full.json", expect=1)
    assert "spread             -" in done.stdout and "cannot write" in done.stderr, done.stdout
    assert json.loads(run(*cannon, "--json").stdout)["times"]["stddev"] is None
    for words in ["-o x.json --trace x.json", "-o x.json --trace ./x.json", "--c x.npy --trace x.npy"]:
        assert "both would write" in run(*cannon, *words.split(), expect=2).stderr
    for command in [cannon, ["compare", *cannon[1:]]]:
        assert "expected copy" in run(*command, "--transport", "", expect=2).stderr
        assert "--grid" in run(*command, "--grid", "2x2,", expect=2).stderr
    assert "both would write" in run("compare", *cannon[1:], "-o", "x.json", "--trace", "x.json", expect=2).stderr
    assert "--sizes" in run("bench", "ladder", "--sizes", "", expect=2).stderr
    text = run("run", "transpose", *cannon[2:]).stdout
    assert "not included in the time; A in:" in text and "C compared with its source" in text, text
    calibrate = ["calibrate", "--on", "cpu", "--grid", "2x2", "--sizes", "8,16,32", "--budget", "0.01", "--noisy"]
    assert run(*calibrate, "-o", "nowhere/m.machine", expect=1).stdout == ""
    done = run(*calibrate, "-o", "full.machine", expect=1)
    assert "latency" in done.stdout and "for `compare" not in done.stdout and "cannot write" in done.stderr
    run(*calibrate, "--quiet", "-o", "m.machine")
    assert run("compare", *cannon[1:], "--machine", "m.machine", "-o", "nowhere/c.json", expect=1).stdout == ""
    done = run("compare", *cannon[1:], "--machine", "m.machine", "-o", "full.json", expect=1)
    assert "predicted" in done.stdout and "cannot write" in done.stderr


def files_here():
    """What every file holds, and where every link leads."""
    return {str(path): os.readlink(path) if path.is_symlink() else path.read_bytes()
            for path in pathlib.Path().rglob("*") if path.is_symlink() or path.is_file()}


def test_outputs_are_no_inputs():
    """A file that is read is not overwritten, under whatever name it is given for writing."""
    npy("a.npy", 4, 4, range(16))
    npy("b.npy", 4, 4, range(16))
    os.symlink("a.npy", "link.npy")
    os.link("b.npy", "hard.npy")
    for name in ["folder", "s2"]:
        os.mkdir(name)
    for name in ["s.sched", "s.json", "s.answer", "s.html", "step-2.svg", "s2/x.svg"]:
        pathlib.Path(name).write_text(run("show", "cannon").stdout)
    for name in ["m.json", "m.machine"]:
        pathlib.Path(name).write_text(MADE_UP)
    os.symlink(".", "folder-link")
    os.symlink("s.sched", "s.svg")
    before = files_here()
    files = ["cannon", "--grid", "2x2", "--a", "a.npy", "--b", "b.npy"]
    sized = ["--grid", "2x2", "-n", 4]
    for words, said in [(["run", *files, *RUN, "--c", "a.npy"], "--a a.npy"), (["run", *files, *RUN, "--c", "./b.npy"], "--b b.npy"),
                        (["run", *files, *RUN, "--c", "link.npy"], "link.npy"), (["run", *files, *RUN, "--c", "hard.npy"], "hard.npy"),
                        (["step", *files, "--c", "a.npy"], "--a a.npy"),
                        (["run", "./s.json", *sized, *RUN, "-o", "s.json"], "./s.json"), (["run", "./s.json", *sized, *RUN, "--trace", "s.json"], "./s.json"),
                        (["compare", "cannon", *sized, *RUN, "--machine", "./m.json", "-o", "m.json"], "--machine ./m.json"),
                        (["compare", "cannon", *sized, *RUN, "--machine", "./m.json", "--trace", "m.json"], "--machine ./m.json"),
                        (["sim", "cannon", *sized, "--machine", "./m.json", "--trace", "m.json"], "--machine ./m.json"),
                        (["sim", "cannon", "--sweep", "n=64,p=4", "--machine", "./m.json", "-o", "m.json"], "--machine ./m.json"),
                        (["trace", "cannon", *sized, "--machine", "./m.json", "-o", "m.json"], "--machine ./m.json"),
                        (["export", "./s.json", *sized, "-o", "s.json"], "./s.json"), (["mutate", "s.sched", "-o", "./s.sched"], "s.sched"),
                        (["mutate", "./s.answer", "-o", "s.sched"], "./s.answer"), (["mutate", "./s.answer", "-o", "folder/../s.txt"], "./s.answer"),
                        (["draw", "cannon", "--beside", "summa,./s.html", "--grid", "2x2", "-o", "s.html"], "--beside ./s.html"),
                        (["draw", "./step-2.svg", "--grid", "4x4", "--all", "-o", "step-%d.svg"], "./step-2.svg"),
                        (["draw", "./step-2.svg", "--grid", "4x4", "--step", "2", "-o", "step-%d.svg"], "./step-2.svg"),
                        (["draw", "./s2/x.svg", "--grid", "4x4", "--all", "-o", "s%d/x.svg"], "./s2/x.svg"),
                        (["draw", "./s.sched", "--grid", "2x2", "-o", "folder-link/s.svg"], "./s.sched")]:
        done = run(*words, expect=2)
        assert done.stdout == "" and said in done.stderr and "overwrit" in done.stderr, (words, done.stderr)
        assert files_here() == before, words
    for stream in ["-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"]:
        with open("s.sched", encoding="utf-8") as text:
            said = run("mutate", stream, "-o", "s.sched", stdin=text, expect=2).stderr
            assert f"would overwrite an input, {'standard input' if stream == '-' else stream};" in said, said
    assert files_here() == before
    cache = {"XDG_CACHE_HOME": os.path.abspath("cache")}
    os.makedirs("cache/topogemm")
    pathlib.Path("cache/topogemm/tuning.ini").write_text("")
    os.symlink("cache/topogemm/tuning.ini", "tuning.json")
    assert "tuning.ini" in run("run", "cannon", *sized, *RUN, "-o", "tuning.json", env=cache, expect=2).stderr
    run("run", "cannon", *sized, *RUN, "--no-cache", "-q", "-o", "tuning.json", env=cache)
    run("draw", "./step-2.svg", "--grid", "4x4", "--step", "1", "-o", "step-%d.svg")
    run("run", *files, *RUN, "--c", "c.npy", "-q")
    run("run", *files, *RUN, "--c", "c.npy", "-q")  # an earlier output may be
    run("export", "-", *sized, "-o", "-.json", input=run("show", "cannon").stdout)


def run_as_stranger(*words, **options):
    """As a user without rights whom the system does not know, with neither HOME nor a cache folder."""
    environment = {k: v for k, v in os.environ.items() if k not in ("HOME", "XDG_CACHE_HOME")}
    stranger = {"user": 47000, "group": 47000, "extra_groups": []} if os.geteuid() == 0 else {}
    try:
        return subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, env=environment, timeout=100,
                              **stranger, **options)
    except PermissionError as why:
        raise tap.Skipped(f"other users cannot reach the command: {why}") from why


def test_no_home():
    done = run_as_stranger("step", "cannon", "--grid", "2x2", "-n", 8, "-q")
    assert (done.returncode, done.stderr) == (0, ""), done
    done = run_as_stranger("run", "cannon", "--grid", "2x2", "-n", 8, *RUN, "-q")
    assert (done.returncode, done.stderr) == (0, ""), done


def test_no_more_threads():
    """The library that multiplies ends the process where it cannot start its threads."""
    if "ASAN_OPTIONS" in os.environ:
        raise tap.Skipped("a sanitizer starts a process of its own")
    done = run_as_stranger("step", "cannon", "--grid", "2x2", "-n", 400, "-q",
                           preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NPROC, (1, 1)))
    assert (done.returncode, done.stderr) == (0, ""), done


def test_outputs_are_distinct():
    """Two outputs are two files, through whatever folders and links they are named; devices may be shared."""
    cannon = ["run", "cannon", "--grid", "2x2", "-n", 8, "--on", "cpu", "--trials", 1, "-q"]
    os.mkdir("d1")
    os.symlink("d1", "d2")
    os.symlink("old.json", "link.json")
    pathlib.Path("old.json").write_text("old")
    os.link("old.json", "hard.json")
    for number in range(3):
        os.symlink("one.svg", f"step-{number}.svg")
    pathlib.Path("one.svg").write_text("old")
    before = files_here()
    for first, second in [("d1/x.json", "d2/x.json"), ("old.json", "link.json"), ("hard.json", "link.json"),
                          ("x.json", "d2/../x.json"), (os.path.abspath("x.json"), "d1/../x.json")]:
        said = run(*cannon, "-o", first, "--trace", second, expect=2).stderr
        assert f"-o {first} and --trace {second}: both would write the same file" in said, said
    assert "both would write" in run("draw", "cannon", "--grid", "2x2", "--all", "-o", "step-%d.svg", expect=2).stderr
    with open("one.svg", "a", encoding="utf-8") as text:
        said = run("topo", "ring:4", "-o", "one.svg", stdout=text, stderr=subprocess.PIPE, capture_output=False, expect=2).stderr
    assert "standard output and -o one.svg" in said, said
    assert files_here() == before
    for name in ["null.json", "nothing.json"]:
        os.symlink("/dev/null", name)
    run(*cannon, "-o", "null.json", "--trace", "nothing.json")
    run(*cannon, "-o", "d1/x.json", "--trace", "d1/y.json")


def test_no_option_is_forgotten():
    """One file for two options of a command, as its help has them, is refused unless both are read."""
    reads = {"--a", "--b", "--machine", "--beside", "--campaign"}
    pathlib.Path("same.json").write_text("as it was")
    pairs = 0
    for name in [*COMMANDS, "bench"]:
        page = run("help", name).stdout
        options = re.findall(r"^ .*(--[\w-]+) \S*(?:FILE|ALGO,)", page, re.M)
        positional = page.split()[2]
        outputs = [option for option in options if option not in reads]
        given = [] if positional == "[OPTIONS]" else ["cannon"]
        cases = [[*given, one, "same.json", other, "cannon,./same.json" if other == "--beside" else "./same.json"]
                 for one in outputs for other in options if one != other]
        cases += [["./same.json", one, "same.json"] for one in outputs if positional.startswith("ALGO")]
        for words in cases:
            said = run(name, *words, expect=2).stderr
            assert re.search("both would write|would overwrite an input", said), (name, words, said)
        pairs += len(cases)
        assert (name in "step draw topo sim shard run calibrate compare export trace mutate bench".split()) == bool(outputs), (name, options)
    assert pairs > 25 and pathlib.Path("same.json").read_text() == "as it was", pairs


def test_run_refusals():
    cannon = ["run", "cannon", "--grid", "2x2", "-n", 8]
    for words, wrong in [("", "--on"), ("--on cpus", "expected one of cpu"), ("--on nothing", "cpu, cores, threads, clusters, blocks"),
                         ("--on cpu --transport pull", "cpu does not support it"), ("--on cpu --transport push", "copy, pull, load or message"),
                         ("--on blocks --transport copy,load", "blocks does not support it"), ("--on blocks --transport copy,", "copy, pull, load or message"),
                         ("--on blocks --transport pull,copy,pull", "pull is given twice"),
                         ("--on blocks --transport copy,pull --c C.npy", "one transport"),
                         ("--on threads --transport pull", "threads does not support it"),
                         ("--on clusters --transport pull", "clusters does not support it"), ("--on blocks --transport load", "blocks does not support it"), ("--on cpu --device 1", "no GPU"),
                         ("--on cpu --cold", "GPU"), ("--on cpu --variant 2", "the executor cpu has no variant 2 of f32: it has 1, and 0"),
                         ("--on cpu --variant -1", "expected 0 to"), ("--on cpu --variant x", "whole number"), ("--on cpu --variant 1 --no-cache --trials 0", "expected 1 to"), ("--on cpu --baseline cublas", "uses none"), ("--on blocks --baseline cubla", "`cublas`"),
                         ("--on blocks --baseline nothing", "list kernels"), ("--on cpu --deadline 1", "never wait"),
                         ("--on threads --deadline 1", "never wait"), ("--on blocks --deadline x", "finite number"),
                         ("--on blocks --device -1", "expected 0 to"), ("--on cpu --trials 0", "expected 1 to"),
                         ("--on cpu --trials x", "whole number"), ("--on cpu --warmup -1", "expected 0 to"),
                         ("--on cpu -o run.txt", ".json"), ("--on cpu --trace run.txt", ".json"),
                         ("--on cpu --c C.xls", "suffix"), ("--on cpu --size 1x2x3", "one of them"),
                         ("--on cpu --collective tree", "unknown collective"), ("--on cpu --type f16", "f16")]:
        assert wrong in run(*cannon, *words.split(), expect=2, env=NO_GPU).stderr, words
    assert "-n or --size" in run("run", "cannon", "--grid", "2x2", "--on", "cpu", expect=2).stderr
    assert "32 TB" in run("run", "cannon", "--grid", "2x2", "-n", 2000000, "--on", "cpu", expect=2).stderr
    for name in ["gpus"]:
        said = run(*cannon, "--on", name, expect=4).stderr
        assert f"--on {name}: not available in this version" in said, said
    for name in ["threads", "clusters", "blocks"]:
        done = run(*cannon, "--on", name, "--json", "-o", "run.json", expect=4, env=NO_GPU)
        assert done.stdout == "" and re.search("no GPU|no NVIDIA driver|has no CUDA", done.stderr), done.stderr
    assert os.listdir() == []
    run(*cannon, "--on", "cpu", "-q", "-o", "none/run.json", expect=1)
    run(*cannon, "--on", "cpu", "-q", "--trace", "none/run.json", expect=1)
    run(*cannon, "--on", "cpu", "-q", "--c", "none/C.npy", expect=1)


def test_wrong_without_a_gpu():
    """What needs no device is checked before one is looked for: a wrong command line, a file, a proof."""
    bad = run("show", "cannon").stdout.replace("move A to (i, j-1)", "move A to (i, j+1)")
    pathlib.Path("bad.sched").write_text(bad)
    pathlib.Path("my.machine").write_text(MADE_UP)
    npy("A.npy", 4, 4, range(16))
    npy("B.npy", 5, 4, range(20))
    before = sorted(os.listdir())
    sized = ["-n 0", "-n -3", "-n 99999999999999999999", "-n 2000000", "--size 10x10", "-n 8 --size 8x8x8", "",
             "--a A.npy", "--a A.npy --b B.npy", "--a A.npy --b A.npy --seed 1", "-n 8 --type f16", "-n 8 --seed -1", "-n 8 --variant -1"]
    for on in ["threads", "clusters", "blocks"]:
        for words in sized:
            for command in ["run", "compare"]:
                done = run(command, "cannon", "--grid", "4x4", "--on", on, *words.split(), expect=2, env=NO_GPU)
                assert done.stdout == "", words
        for words in [["run", "--a", "missing.npy", "--b", "A.npy"], ["compare", "-n", 8, "--machine", "none.machine"]]:
            run(*words[:1], "cannon", "--grid", "4x4", "--on", on, *words[1:], expect=1, env=NO_GPU)
        run("run", "transpose", "--grid", "2x2", "-n", 8, "--on", on, "--baseline", "bulk", expect=2, env=NO_GPU)
        for words in ["--machine my.machine", "--sizes 1,2", "--budget 0"]:
            run("compare", "cannon", "--grid", "4x4", "-n", 8, "--on", on, *words.split(), expect=2, env=NO_GPU)
        run("trace", "cannon", "--grid", "4x4", "-n", 8, "--on", on, "--variant", -1, "-o", "t.json", expect=2, env=NO_GPU)
        for words in ["--sizes 4,8", "--type f16", "--budget 0", "--grid 4y4"]:
            run("calibrate", "--on", on, "-o", "new.machine", *words.split(), expect=2, env=NO_GPU)
        for command in ["run", "compare"]:
            done = run(command, "bad.sched", "--grid", "4x4", "-n", 8, "--on", on, "-o", "r.json", expect=3, env=NO_GPU)
            assert done.stdout == "" and done.stderr == run("verify", "bad.sched", "--grid", "4x4", expect=3).stderr
    run("compare", "cannon", "--grid", "4x4", "-n", 8, "--on", "blocks", "--transport", "copy,pull", expect=2, env=NO_GPU)
    for words in ["--grid 4x4 --a A.npy --b A.npy", "--grid 1024x1024 -n 1024"]:  # the proof of the latter would take minutes
        said = run("run", "cannon", "--on", "blocks", *words.split(), expect=4, env=NO_GPU).stderr
        assert re.search("no GPU|no NVIDIA driver|has no CUDA", said), said
    assert sorted(os.listdir()) == before


def test_run_wrong_numbers():
    """What is wrong is said, in the document too, and C is not written."""
    bad = run("show", "cannon").stdout.replace("move A to (i, j-1)", "move A to (i, j+1)")
    pathlib.Path("bad.sched").write_text(bad)
    done = run("run", "bad.sched", "--grid", "4x4", "-n", 8, *RUN, expect=3)
    assert done.stdout == "" and done.stderr == run("verify", "bad.sched", "--grid", "4x4", expect=3).stderr
    npy("A.npy", 6, 6, [float("nan") if i == 7 else 1 for i in range(36)])
    npy("B.npy", 6, 6, range(36))
    files = ["run", "cannon", "--grid", "2x2", "--a", "A.npy", "--b", "B.npy", "--c", "C.npy", *RUN]
    done = run(*files, "--json", expect=3)
    found = json.loads(done.stdout)
    assert found["ok"] is False and found["relative_error"] is None and not pathlib.Path("C.npy").exists()
    assert "A has NaN at row 1, column 1" in done.stderr
    done = run(*files, expect=3)
    assert "A has NaN at row 1, column 1" in done.stderr and done.stdout == "", done  # and no times
    files[8:10] = []
    run(*files, "-o", "run.json", expect=3)
    assert json.loads(pathlib.Path("run.json").read_text())["ok"] is False
    compared = json.loads(run("compare", *files[1:], "--budget", 0.01, "-o", "compare.json", "--json", expect=3).stdout)
    assert compared["ok"] is False and compared["measured"]["ok"] is False and compared["measured"]["relative_error"] is None
    assert compared == json.loads(pathlib.Path("compare.json").read_text())
    both = json.loads(run("run", "summa", *files[1:], "--json", expect=3).stdout)
    assert both["ok"] is False and [one["ok"] for one in both["runs"]] == [False, False]


def test_run_trace():
    """The measured steps, one after another, as the document has them."""
    said = document("run", "cannon", "--grid", "4x4", "-n", 64, *RUN, "--trace", "trace.json")
    events = json.loads(pathlib.Path("trace.json").read_text())["traceEvents"]
    slices = [event for event in events if event["ph"] == "X"]
    assert [s["args"]["step"] for s in slices] == [step["index"] for step in said["steps"]] == [1, 2, 3, 4, 5]
    for s, step in zip(slices, said["steps"]):
        assert s["name"] == step["label"] and math.isclose(s["ts"], 1e6 * step["start_s"], abs_tol=1e-3)
        assert math.isclose(s["ts"] + s["dur"], 1e6 * step["end_s"], abs_tol=2e-3)
    for track in {s["tid"] for s in slices}:
        ends = 0
        for s in [s for s in slices if s["tid"] == track]:
            assert s["ts"] >= ends - 1e-3
            ends = s["ts"] + s["dur"]
    [process] = [event["args"]["name"] for event in events if event["name"] == "process_name"]
    assert process == "measured: cannon on 4x4, cpu"
    text = run("run", "cannon", "summa", "--grid", "2x2", "-n", 8, *RUN, "--trace", "two.json").stdout
    two = json.loads(pathlib.Path("two.json").read_text())
    assert {event["pid"] for event in two["traceEvents"]} == {2, 3} and "two.json: 9 events" in text


def test_run_on_terminal():
    words = ["run", "cannon", "--grid", "4x4", "-n", 384, "--on", "cpu"]
    for trials in [400, 1600, 6400]:
        output, errors = on_terminal([*words, "--trials", trials], {"TERM": "xterm"})
        if errors:
            break
    assert re.search(rf"run: \d+ of {trials}, \d+ s left", errors), errors
    assert " left" not in output and errors.endswith("\r")
    assert on_terminal([*words, "--trials", 3, "--quiet"], {"TERM": "xterm"}) == ["", ""]


CALIBRATE = "--on cpu --sizes 4,8,16 --budget 0.001".split()


def near(value, wanted, tolerance=1e-9):
    return math.isclose(value, wanted, rel_tol=tolerance)


def machine_of(path):
    parser = configparser.ConfigParser(inline_comment_prefixes=("#",))
    parser.read(path)
    return {section: dict(parser[section]) for section in parser.sections()}


def test_calibrate():
    """The document has all that was measured, and the file the numbers that were found; `sim` takes it."""
    said = document("calibrate", "--noisy", *CALIBRATE, "--grid", "2x3", "-o", "my.machine", "--type", "f64")
    assert (said["on"], said["transport"], said["type"], said["grid"], said["tiled"]) == ("cpu", "copy", "f64", "2x3", False)
    assert [sample["moves"] for sample in said["samples"]] == [0] * 10 + [2 * 31] * 3
    assert [sample["sums"] for sample in said["samples"]] == [0] * 7 + [63] * 3 + [0] * 3
    assert [sample["block"]["m"] for sample in said["samples"][3:6]] == [8] * 3
    assert said["fit"]["additions_per_s"] > 0 and 0 <= said["spread"] < 1
    for sample, size in zip(said["samples"][3:6], [4, 8, 16]):  # few rows
        assert sample["block"]["n"] == sample["block"]["k"] == size and sample["move_s"] is None
    assert said["samples"][6]["block"] == {"m": 16, "n": 16, "k": 128}
    assert all(near(row["size"], 32, 1e-3) and row["flops_per_s"] > 0 for row in said["fit"]["deep_rate"])
    for sample, size in zip(said["samples"][:3] + said["samples"][7:], [4, 8, 16] * 3):
        if sample["sums"]:
            assert sample["block"]["m"] == sample["block"]["n"] == size and sample["block_bytes"] == size * size * 8
            continue
        assert sample["block"]["m"] == sample["block"]["k"] == size and "left_out" not in sample
        assert sample["m"] == 2 * size and sample["trials"] >= 3 and sample["time_s"] > 0
        flops = 2 * sample["block"]["m"] * sample["block"]["n"] * sample["block"]["k"]
        assert near(sample["product_s"], sample["multiply_s"] / (6 * sample["products"]))
        if not sample["moves"]:
            assert sample["move_s"] is None and sample["block_bytes"] == 0
            row = next(row for row in said["fit"]["rate"] if near(row["size"], size, 1e-3))
            assert near(row["flops_per_s"], flops / sample["product_s"], 1e-3)
        else:
            assert near(sample["move_s"], sample["moves_s"] / (6 * 62)) and sample["block_bytes"] == 8 * size * size
    machine = machine_of("my.machine")
    assert float(machine["link"]["latency_s"]) == said["fit"]["latency_s"] and machine["port"]["ports"] == "fetch"
    executor = machine["executor"]
    assert (executor["on"], executor["transport"], executor["type"], executor["processors"]) == ("cpu", "copy", "f64", "6")
    assert executor["device"] == said["device"] and float(machine["machine"]["residual"]) == min(said["residual"], .99)
    assert said["environment"]["cores"] > 0
    done = subprocess.run([PROGRAM, *"sim cannon --grid 2x2 -n 64 --machine my.machine --json".split()], capture_output=True, text=True)
    assert json.loads(done.stdout)["time_s"] > 0 and "take turns" in done.stderr, done.stderr
    for words in [["--model", "flow"], ["--model", "loggp"], ["--model", "store-and-forward"]]:
        said = run("sim", "cannon", "--grid", "2x2", "-n", 64, "--machine", "my.machine", *words, expect=2).stderr
        assert all(word in said for word in ["ports = fetch", "calibrate", "hockney", "one or all in a copy"]), said
    said = run("plan", "-n", 64, "--procs", 4, "--machine", "my.machine", "--model", "flow", expect=2).stderr
    assert all(word in said for word in ["ports = fetch", "calibrate", "hockney", "one or all in a copy"]), said
    planned = subprocess.run([PROGRAM, *"plan -n 64 --procs 4 --machine my.machine --json".split()], capture_output=True, text=True)
    assert json.loads(planned.stdout)["ranked"] and "take turns" in planned.stderr, planned.stderr
    pathlib.Path("copy.machine").write_text(pathlib.Path("my.machine").read_text().replace("ports = fetch", "ports = one"))
    planned = subprocess.run([PROGRAM, *"plan -n 64 --procs 4 --machine copy.machine --model flow --json".split()], capture_output=True, text=True)
    assert json.loads(planned.stdout)["ranked"], planned
    os.remove("copy.machine")
    text = run("calibrate", "--noisy", *CALIBRATE, "--grid", "1x1").stdout
    assert "cpu on a grid of 1x1" in text and "one processor sends nothing" in text and len(os.listdir()) == 1
    run("calibrate", "--noisy", *CALIBRATE, "--grid", "1x1", "-q", "-o", "one.machine")
    words = "compare cannon --on cpu -n 64 --trials 1 --grid"
    said = subprocess.run([PROGRAM, *words.split(), "2x2", "--machine", "one.machine"], capture_output=True, text=True)
    assert said.returncode == 0 and "measured with one processor" in said.stderr, said
    assert "one run" in said.stdout and "of all processors in the step" in said.stdout, said
    run(*words.split(), "4x4", "--machine", "my.machine", "--type", "f64")  # of 2x3, but they take turns
    os.remove("one.machine")
    assert run("calibrate", "--noisy", *CALIBRATE, "-q").stdout == ""


def test_calibrate_disk():
    """The disk's rates are in the document and in the machine file, which `sim --from` takes; no other file remains."""
    words = ["calibrate", "--noisy", *CALIBRATE, "--memory-limit", "512M", "--disk"]
    said = document(*words, ".", "-o", "disk.machine")
    assert os.listdir() == ["disk.machine"]
    disk, machine = said["disk"], machine_of("disk.machine")
    assert 0 < disk["latency_s"] < 1 and 32e6 <= disk["file_bytes"] <= 128e6
    for name, rates in (("disk", disk), ("cache", disk["cache"])):
        assert 0 < rates["read_bytes_per_s"] < 1e12 and rates["spread"] >= 0, disk
        assert all(float(machine[name][key]) == rates[key] for key in ("read_bytes_per_s", "write_bytes_per_s", "latency_s")), machine
    assert float(machine["processor"]["memory_bytes"]) == float(machine["cache"]["capacity_bytes"]) <= 512e6
    sim = "sim egmm --grid 1 -n 2048 --machine disk.machine --json --from".split()
    for place in ("disk", "cache"):  # with a warning that processors take turns
        done = subprocess.run([PROGRAM, *sim, place], capture_output=True, text=True)
        assert json.loads(done.stdout)["time_s"] > 0, done
    assert "GB/s" in run(*words, ".").stdout and os.listdir() == ["disk.machine"]
    assert "no such folder" in run(*words, "nowhere", expect=2).stderr


def test_compare_warns_of_idle_cores():
    """Where fewer cores are at work than in the calibration each is faster: what is predicted is too long."""
    words = "--on cores --grid 2x2"
    run("calibrate", "--noisy", *words.split(), "--sizes", "8,16,32", "--budget", "0.01", "-q", "-o", "same.machine")
    text = re.sub("\nspeedup_with_fewer = .*", "", pathlib.Path("same.machine").read_text())
    pathlib.Path("many.machine").write_text(re.sub("\nat_once = .*", "\nat_once = 1000", text))
    pathlib.Path("known.machine").write_text(re.sub("\nat_once = .*", "\nat_once = 1000\nspeedup_with_fewer = 1:1.5", text))
    pathlib.Path("unknown.machine").write_text(re.sub("\nat_once = .*", "", text))
    for machine in ("same", "many", "known", "unknown"):
        line = ["compare", "cannon", *words.split(), "-n", "32", "--trials", "1", "--machine", f"{machine}.machine"]
        said = subprocess.run([PROGRAM, *line], capture_output=True, text=True)
        assert said.returncode == 0 and ("1000 cores or ranks at work" in said.stderr) == (machine == "many"), said.stderr
        assert machine == "many" or "at work" not in said.stderr, said.stderr


def test_calibrate_on_one_column():
    """Blocks move along rows, so a single column is calibrated as a row."""
    said = document("calibrate", "--noisy", *CALIBRATE, "--grid", "3x1")
    assert said["grid"] == "1x3" and [sample["moves"] > 0 for sample in said["samples"]].count(True) == 3


def test_calibrate_refusals():
    for words, wrong in [("", "expected --on"), ("--on cpus", "expected one of cpu"), ("--on cpu --transport load", "does not support it"),
                         ("--on cpu --sizes 4,8", "at least 3"), ("--on cpu --sizes 8,8,16", "increasing order"),
                         ("--on cpu --sizes 4,8,x", "whole number"), ("--on cpu --sizes " + ",".join(map(str, range(1, 18))), "at most 16"),
                         ("--on cpu --grid 4y4", "--grid"), ("--on cpu --grid 65536x65536x4", "more than"), ("--on cpu --type f16", "f16"),
                         ("--on cpu --budget 0", "at least"), ("--on cpu --deadline 1", "never wait"), ("--on cpu --device 0", "no GPU"),
                         ("--on cpu -o my.txt", ".machine"), ("--on cpu more", "too many")]:
        assert wrong in run("calibrate", *words.split(), expect=2).stderr, words
    for name in ["gpus", "threads", "clusters", "blocks"]:
        assert run("calibrate", "--on", name, "-o", "my.machine", expect=4, env=NO_GPU).stdout == ""
    assert os.listdir() == []
    run("calibrate", "--noisy", *CALIBRATE, "-q", "-o", "none/my.machine", expect=1)


def check_comparison(said, steps):
    """One ALGO: keys as other programs rely on them, errors signed, sums that add up."""
    assert said["predicted"]["steps"] and said["predicted"]["model"] == "hockney"
    assert said["measured"]["ok"] and len(said["measured"]["steps"]) == len(said["steps"]) == steps
    assert near(said["measured_s"], said["measured"]["time_s"])
    assert near(said["error"], (said["predicted_s"] - said["measured_s"]) / said["measured_s"])
    errors = []
    for step, ran in zip(said["steps"], said["measured"]["steps"]):
        assert list(step) == ["label", "index", "predicted_s", "measured_s", "error"]
        assert (step["label"], step["index"]) == (ran["label"], ran["index"])
        assert near(step["measured_s"], ran["median_s"] * said["step_scale"])
        assert near(step["error"], (step["predicted_s"] - step["measured_s"]) / step["measured_s"], 1e-6)
        errors.append(abs(step["error"]))
    assert near(said["median_abs_step_error"], statistics.median(errors))
    whole = said["overhead_s"] + said["passes"] * said["pass_s"]
    assert near(said["predicted_s"], whole) and near(sum(step["predicted_s"] for step in said["steps"]), said["passes"] * said["pass_s"])


MADE_UP = """[machine]
name = made up
[link]
latency_s = 1
bandwidth_bytes_per_s = 4
[processor]
flops_per_s = 1
[executor]
on = cpu
transport = copy
type = f32
processors = 4
launch_s = 1000
"""


def test_compare():
    """On a machine of round numbers the prediction is known: 16 s a product of 2x2 by 2x2, 5 s a move of 16 bytes."""
    pathlib.Path("my.machine").write_text(MADE_UP)
    few = ["--on", "cpu", "-n", 4, "--trials", 3]
    said = document("compare", "cannon", "--grid", "2x2", *few, "--machine", "my.machine")
    check_comparison(said, 3)
    assert [step["predicted_s"] for step in said["steps"]] == [20, 104, 64] and said["predicted_s"] == 1188
    assert said["error"] > 1000 and said["calibrated"] is False and said["machine"] == "made up"
    assert said["predicted"]["messages"] == 12 and said["predicted"]["m"] == 4
    pathlib.Path("my.machine").write_text(MADE_UP.replace("= 1\n[ex", "= inf\n[ex").replace("1000", "0").replace("y_s = 1", "y_s = 0").replace("= 4\n[p", "= inf\n[p"))
    said = document("compare", "cannon", "--grid", "2x2", *few, "--machine", "my.machine")
    assert said["predicted_s"] == 0 and said["error"] == -1 == said["steps"][1]["error"] and said["median_abs_step_error"] == 1
    text = run("compare", "cannon", "--grid", "2x2", *few, "--machine", "my.machine").stdout
    assert "-100.0 %" in text and "made up" in text and re.search(r"measured +[0-9.]+ us", text)


def test_compare_calibrates():
    said = document("compare", "summa", "--grid", "3x3", *CALIBRATE, "-n", 30, "--trials", 3, "-o", "both.json")
    check_comparison(said, 3)
    assert said["calibrated"] is True and "3x3" in said["machine"] and said["calibration"]["grid"] == "3x3"
    assert json.loads(pathlib.Path("both.json").read_text())["algorithm"] == "summa"
    assert "calibrated for this comparison" in run("compare", "summa", "--grid", "3x3", *CALIBRATE, "-n", 30, "--trials", 3).stdout


def test_compare_several():
    """Places by time, predicted and measured, and whether they agree."""
    pathlib.Path("my.machine").write_text(MADE_UP)
    words = ["compare", "cannon", "summa", "dns", "-n", 48, "--grid", "4x4,2x2x2", "--on", "cpu", "--trials", 3, "--machine", "my.machine"]
    said = document(*words)
    assert list(said) == ["format", "version", "ok", "comparisons", "places", "ranking", "calibration", "environment"] and said["ok"] and said["calibration"] is None
    for one, steps in zip(said["comparisons"], [5, 4, 4]):
        check_comparison(one, steps)
    for kind in ["predicted", "measured"]:
        order = sorted(said["comparisons"], key=lambda one: one[f"{kind}_s"])
        for place in said["places"]:
            assert order[place[f"{kind}_place"] - 1]["algorithm"] == place["algorithm"], (kind, said["places"])
    text = run(*words).stdout
    places = re.findall(r"^  (?:cannon|summa|dns) .* =?(\d) +(\d)$", text, re.M)
    assert len(places) == 3 and ("too noisy to rank" in text or re.search(r"tells [1-3] of 3 pairs apart, (none|[1-3]) of them", text)), text
    predicted = [one["predicted_s"] for one in said["comparisons"]]
    assert said["ranking"]["separated"] == sum(a != b for a, b in itertools.combinations(predicted, 2)), predicted  # no residual
    ranking, least = said["ranking"], min(one["measured_s"] for one in said["comparisons"])
    winner = min(said["comparisons"], key=lambda one: one["predicted_s"])
    assert ranking["pairs"] == 3 and math.isclose(ranking["regret"], winner["measured_s"] / least - 1, abs_tol=1e-12)
    assert ranking["median_abs_error"] == sorted(abs(one["error"]) for one in said["comparisons"])[1]
    text = run("compare", "cannon", "cannon", *words[4:]).stdout  # predicted alike
    assert "too noisy to rank" in text or "does not tell them apart" in text, text
    assert len(re.findall(r"^  cannon .* =1 +\d$", text, re.M)) == 2, text


def rows_of(path):
    return list(csv.DictReader(io.StringIO(pathlib.Path(path).read_text())))


def test_compare_campaign():
    """All predictions are in the file before a case runs; a file that is taken up keeps what it has; others are refused."""
    machine, cases, results = pathlib.Path("my.machine"), pathlib.Path("cases.txt"), pathlib.Path("results.csv")
    machine.write_text(MADE_UP.replace("made up", "made up\nresidual = 0.1"))
    cases.write_text("# two schedules\ncannon summa --grid 2x2 -n 4\n\nring --grid 3 --size 6x5x3 # one\ncannon25d --grid 2x2x2 --set c=2 -n 8\n")
    words = ["compare", "--campaign", "cases.txt", "--on", "cpu", "--machine", "my.machine", "-o", "results.csv", "--trials", 3]
    assert re.search(r"measured +0\n", run(*words, "--dry-run").stdout)
    assert "measures nothing" in run(*words, "--dry-run", "--plot", "p.gp", expect=2).stderr
    before = results.read_text()
    planned = rows_of(results)
    assert [(row["algorithm"], row["grid"], row["set"], row["m"], row["n"], row["k"]) for row in planned] == [
        ("cannon", "2x2", "", "4", "4", "4"), ("summa", "2x2", "", "4", "4", "4"), ("ring", "3", "", "6", "5", "3"),
        ("cannon25d", "2x2x2", "c=2", "8", "8", "8")], planned
    alone = document("compare", "cannon", "--grid", "2x2", "-n", 4, "--on", "cpu", "--trials", 3, "--machine", "my.machine")
    assert float(planned[0]["predicted_s"]) == alone["predicted_s"] and all(not row["measured_s"] for row in planned)
    said = document(*words)
    measured = rows_of(results)
    for row, was, one in zip(measured, planned, said["cases"]):
        assert all(row[key] == was[key] for key in list(row)[:16]) and row["trials"] == "3" and not row["failure"], row
        assert math.isclose(float(row["measured_s"]), one["measured_s"], rel_tol=1e-8)
        error = (one["predicted_s"] - one["measured_s"]) / one["measured_s"]
        assert math.isclose(one["error"], error, rel_tol=1e-6) and math.isclose(float(row["error"]), error, rel_tol=1e-4), row
    summary, errors = said["overall"], sorted(abs(one["error"]) for one in said["cases"])
    assert (summary["total"], summary["completed"], summary["failed"], summary["problems"]) == (4, 4, 0, 1), summary
    assert (summary["median_error"], summary["p90_error"], summary["most_error"]) == ((errors[1] + errors[2]) / 2, errors[3], errors[3]), summary
    # Stopped after the first case: only the others run.
    kept, lines = results.read_text().splitlines(True), before.splitlines(True)
    results.write_text("".join(kept[:2] + lines[2:]))
    assert "all measured" in run(*words, "--trials", 4).stdout
    assert [row["trials"] for row in rows_of(results)] == ["3", "4", "4", "4"]
    # Of a case that was disturbed the time is measured again, but not where most were.
    for disturbed, trials in [([1], ["3", "5", "4", "4"]), ([0, 1, 2], ["3", "5", "4", "4"])]:
        lines = [line.split(",") for line in results.read_text().splitlines()]
        for at in disturbed:
            lines[1 + at][20] = "1.5"
        results.write_text("".join(",".join(line) + "\n" for line in lines))
        said = document(*words, "--trials", 5)
        assert [row["trials"] for row in rows_of(results)] == trials
        assert said["overall"]["disturbed"] == (len(disturbed) if len(disturbed) > 1 else 0)
    one = said["cases"][3]
    assert said["undisturbed"]["completed"] == 1 and said["undisturbed"]["median_error"] == abs(one["error"]) and said["overall"]["completed"] == 4
    text = run(*words, "--trials", 5, "--dry-run", "--plot", "p.gp").stdout
    assert "disturbed: 3 cases ran" in text and "calibrate again" in text.replace("\n", " "), text
    assert "p.gp" in os.listdir() and [row["trials"] for row in rows_of(results)] == trials
    for change in [lambda: cases.write_text(cases.read_text().replace("8", "9")),
                   lambda: machine.write_text(machine.read_text().replace("latency_s = 1", "latency_s = 2"))]:
        whole = results.read_text(), cases.read_text(), machine.read_text()
        change()
        assert "does not match this campaign" in run(*words, expect=2).stderr and results.read_text() == whole[0]
        cases.write_text(whole[1])
        machine.write_text(whole[2])


def test_compare_campaign_failures():
    """What cannot run stays in, with its reason; a line that is wrong is named before anything runs."""
    machine, cases, results = pathlib.Path("my.machine"), pathlib.Path("cases.txt"), pathlib.Path("results.csv")
    machine.write_text(MADE_UP)
    words = ["compare", "--campaign", "cases.txt", "--on", "cpu", "--machine", "my.machine", "-o", "results.csv", "--trials", 3]
    wrong = pathlib.Path(__file__).resolve().parents[1] / "golden" / "cli" / "wrong-shift.sched"
    cases.write_text(f"cannon --grid 2x2 -n 4\n{wrong} --grid 4x4 -n 8\n")
    done = run(*words, expect=3)
    rows = rows_of(results)
    assert "1 of 2 cases failed" in done.stderr and "cases.txt:2" in done.stderr and rows[0]["measured_s"] and not rows[1]["measured_s"] and rows[1]["failure"], rows
    results.unlink()
    for text, said in [("cannon --grid 2x2 -n 4\nsumma --grid 2x3x4 -n 4\n", "cases.txt:2: "), ("\ncannon --grid 2x2 -n 4 --trials 3\n", "cases.txt:2: unknown option --trials"),
                       ("cannon --grid '2x2 -n 4", "cases.txt:1: "), ("# nothing\n", "no cases in it"), ("--grid 2x2 -n 4\n", "expected ALGO"),
                       ("cannon --grid 2x2\n", "cases.txt:1: ")]:
        cases.write_text(text)
        assert said in run(*words, expect=2).stderr and not results.exists(), text
    # What an editor makes of a list, and what is no list.
    cases.write_bytes(b"\xef\xbb\xbfcannon --grid 2x2 -n 4\r\n\r\n")
    run(*words)
    assert [row["algorithm"] for row in rows_of(results)] == ["cannon"]
    kept = results.read_text()
    for text, said in [(kept + "\nnotes\n", "line 4 is beyond"), (kept.splitlines(True)[0], "line 2 is missing"), ("notes\n", "line 1 is not")]:
        results.write_text(text)
        assert said in run(*words, expect=2).stderr and results.read_text() == text
    row = kept.splitlines()[1].split(",")
    for at, value in [(16, "inf"), (19, "0"), (20, "-1"), (20, "inf"), (22, '"the product is wrong"'), (16, "")]:  # no good time: the case runs again
        results.write_text(kept.splitlines(True)[0] + ",".join(value if a == at else word for a, word in enumerate(row)) + "\n")
        run(*words, "--trials", 4)
        assert rows_of(results)[0]["trials"] == "4" and not rows_of(results)[0]["failure"], (at, value)
    results.unlink()
    cases.write_bytes(b"cannon --grid 2x2 -n 4\n\0summa --grid 2x2 -n 4\n")
    assert "zero byte" in run(*words, expect=2).stderr
    shutil.copy(pathlib.Path(wrong).parent / "wrong-shift.sched", "s.gp")
    cases.write_text("./s.gp --grid 2x2 -n 4\n")
    before = pathlib.Path("s.gp").read_text()
    assert "would overwrite an input" in run(*words, "--plot", "s.gp", expect=2).stderr and pathlib.Path("s.gp").read_text() == before
    cases.write_text("mmt --grid 2 -n 4\nring --grid 2 -n 4\ncannon --grid 2x2 -n 4\n")  # other products are not ranked together
    assert document(*words)["overall"]["problems"] == 1
    results.unlink()
    cases.write_text("cannon25d -n 4 --set q=2 --set c=1\ncannon25d -n 4\n")
    assert [one["set"] for one in document(*words, "--set", "c=2", "--set", "q=2")["cases"]] == ["q=2 c=1", "c=2 q=2"]
    results.unlink()
    cases.write_text("cannon --grid 2x2 -n 4\n")
    for more, said in [(["cannon"], "leave out cannon"), (["--trials", "x"], "topogemm: --trials: "), (["--trace", "t.json"], "--trace"), (["-o", "r.json"], ".csv"), (["--plot", "p.txt"], ".svg")]:
        assert said in run(*words, *more, expect=2).stderr, more
    assert "--machine" in run("compare", "--campaign", "cases.txt", "--on", "cpu", expect=2).stderr
    assert "only with --campaign" in run("compare", "cannon", "--grid", "2x2", "-n", 4, "--on", "cpu", "--dry-run", expect=2).stderr
    run(*words, "--plot", "p.gp")
    assert "each case" in pathlib.Path("p.gp").read_text()


def test_compare_campaign_twice():
    """A second campaign on the same results is refused, and so is the first one's next case where another has written them."""
    pathlib.Path("my.machine").write_text(MADE_UP)
    results = pathlib.Path("results.csv")
    pathlib.Path("cases.txt").write_text("cannon --grid 2x2 -n 200\n" * 200)
    words = ["compare", "--campaign", "cases.txt", "--on", "cpu", "--machine", "my.machine", "-o", "results.csv", "--trials", 500]
    for replaced in (False, True):
        results.unlink(missing_ok=True)
        with subprocess.Popen([PROGRAM, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as first:
            try:
                while not results.exists() or not rows_of(results)[0]["measured_s"]:
                    assert first.poll() is None, first.stderr.read()
                assert "another campaign is writing this file" in run(*words, expect=2).stderr
                assert first.poll() is None, (first.returncode, first.communicate())
                if replaced:
                    shutil.copy(results, "copy.csv")
                    os.replace("copy.csv", results)
                    assert "this file was replaced while the campaign ran" in first.communicate(timeout=300)[1] and first.returncode == 2
            finally:
                first.kill()
    done = sum(row["measured_s"] != "" for row in rows_of(results))
    assert 1 <= done < 200, done


def test_compare_ties():
    """What the machine's error does not separate is a tie, and so it is in `plan`; the interval is that of `sim`."""
    pathlib.Path("my.machine").write_text(MADE_UP.replace("made up", "made up\nresidual = 0.3\nspread = 0.4"))
    words = ["-n", 48, "--machine", "my.machine"]
    said = document("compare", "cannon", "summa", *words, "--grid", "4x4", "--on", "cpu", "--trials", 3)
    assert said["ranking"]["separated"] == 0, said["ranking"]
    one = said["comparisons"][0]
    waited = one["cpu_waited"] if (one["cpu_waited"] or 0) > 0.05 else 0
    assert math.isclose(one["least_s"], 0.01 * one["predicted_s"])
    assert math.isclose(one["most_s"], 1.99 * one["predicted_s"] / (1 - min(waited, 0.9))), one
    text = run("compare", "cannon", "summa", *words, "--grid", "4x4", "--on", "cpu", "--trials", 3).stdout
    assert "too noisy to rank" in text or "off by 99.0 % either way" in text, text
    assert len(re.findall(r"^  (?:cannon|summa) .* =[12] +\d$", text, re.M)) == 2, text
    machine = pathlib.Path("my.machine")
    machine.write_text(machine.read_text().replace("on = cpu", "on = blocks"))  # `sim` warns of cpu
    sim = document("sim", "cannon", "--grid", "4x4", *words)
    assert math.isclose(sim["least_s"], 0.01 * sim["time_s"]) and math.isclose(sim["most_s"], 1.99 * sim["time_s"])
    plan = document("plan", *words, "--procs", 4)
    assert plan["error"] == 0.99
    best = plan["ranked"][0]["predicted_s"]
    for place in plan["ranked"][1:]:
        assert place["tie"] == (place["predicted_s"] - best <= 0.99 * math.hypot(place["predicted_s"], best)), place


def test_compare_files():
    """The trace has both with the same names of steps, the plot both curves."""
    pathlib.Path("my.machine").write_text(MADE_UP)
    words = ["compare", "cannon", "--grid", "2x2", "-n", 4, "--on", "cpu", "--trials", 3, "--machine", "my.machine"]
    said = document(*words, "--trace", "both.json", "-o", "steps.gp")
    events = json.loads(pathlib.Path("both.json").read_text())["traceEvents"]
    names = {event["pid"]: event["args"]["name"] for event in events if event["name"] == "process_name"}
    assert names == {1: "predicted: cannon on 2x2, cpu", 2: "measured: cannon on 2x2, cpu"}
    slices = {pid: [event for event in events if event["ph"] == "X" and event["pid"] == pid] for pid in names}
    assert [s["name"] for s in slices[1]] == [s["name"] for s in slices[2]] == [step["label"] for step in said["steps"]]
    assert [(s["ts"], s["dur"]) for s in slices[1]] == [(0, 20e6), (20e6, 104e6), (124e6, 64e6)]
    script = pathlib.Path("steps.gp").read_text()
    assert "predicted" in script and "measured" in script and "1.04e+08" in script or "104000000" in script, script
    if shutil.which("gnuplot"):
        run(*words, "-o", "steps.svg")
        assert "<svg" in pathlib.Path("steps.svg").read_text()
    text = run(*words, "--trace", "both.json").stdout
    assert "both.json: 10 events" in text


def test_compare_refusals():
    pathlib.Path("my.machine").write_text(MADE_UP)
    pathlib.Path("other.machine").write_text(MADE_UP.replace("processors = 4", "processors = 4\ndevice = abacus"))
    pathlib.Path("links.machine").write_text(MADE_UP.replace("[processor]", "[link.0]\nlatency_s = 1\n[processor]"))
    pathlib.Path("network.machine").write_text(MADE_UP.replace("[machine]", "[machine]\nnetwork = torus:2x2"))
    cannon = ["compare", "cannon", "--grid", "2x2", "-n", 8, "--trials", 3]
    for words, wrong in [("", "expected --on"), ("--on cpu --machine commodity-cluster", "no [executor]"),
                         ("--on cpu --machine nothing", "list machines"),
                         ("--on cpu --machine my.machine --type f64", "--type f32, not f64"),
                         ("--on cpu -o both.txt", ".json, .svg"), ("--on cpu --trace both.txt", ".json"),
                         ("--on cpu --transport pull", "does not support it"), ("--on cpu --sizes 1,2", "at least 3"),
                         ("--on cpu --machine my.machine --sizes 4,8,16", "--sizes controls the calibration"),
                         ("--on cpu --machine my.machine --budget 1", "--budget controls the calibration"),
                         ("--on cpu --machine links.machine", "one [link] between every two processors"),
                         ("--on cpu --machine network.machine", "one [link] between every two processors"),
                         ("--on cpu --model flow", "--model")]:
        assert wrong in run(*cannon, *words.split(), expect=2).stderr, words
    for name in ["gpus", "threads", "clusters", "blocks"]:
        pathlib.Path("its.machine").write_text(MADE_UP.replace("on = cpu", f"on = {name}"))
        assert run(*cannon, "--on", name, "-o", "both.json", "--machine", "its.machine", expect=4, env=NO_GPU).stdout == ""
    assert sorted(os.listdir()) == ["its.machine", "links.machine", "my.machine", "network.machine", "other.machine"]
    done = subprocess.run([PROGRAM, *map(str, cannon), "--on", "cpu", "--machine", "other.machine", "-q"], capture_output=True, text=True)
    assert done.returncode == 0 and "warning" in done.stderr and "abacus" in done.stderr
    bad = run("show", "cannon").stdout.replace("move A to (i, j-1)", "move A to (i, j+1)")
    pathlib.Path("bad.sched").write_text(bad)
    done = run("compare", "bad.sched", "--grid", "4x4", "-n", 8, "--on", "cpu", "--machine", "my.machine", expect=3)
    assert done.stderr == run("verify", "bad.sched", "--grid", "4x4", expect=3).stderr
    run(*cannon, "--on", "cpu", "--machine", "my.machine", "-q", "-o", "none/both.json", expect=1)


def test_compare_beyond_the_rates():
    """Products of more than twice, or less than half, the sizes that the rates are of: a warning, and the prediction all the same."""
    pathlib.Path("my.machine").write_text(MADE_UP.replace("flops_per_s = 1\n", "rate = 8:1e9; 32:2e9\n"))
    for grid, size, warned in [("1x1", 1, True), ("1x1", 3, True), ("1x1", 4, False), ("2x2", 128, False), ("2x2", 132, True)]:
        words = ["compare", "cannon", "--grid", grid, "-n", size, "--on", "cpu", "--trials", 1, "--machine", "my.machine", "--json"]
        done = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True)
        assert done.returncode == 0 and json.loads(done.stdout)["predicted_s"] > 0
        side = size // int(grid[0])
        said = f"warning: --machine my.machine has rates for products of 8 to 32 elements along a side, but those of cannon have {side}: "
        assert (said in done.stderr) if warned else not done.stderr, (grid, size, done.stderr)
    pathlib.Path("my.machine").write_text(MADE_UP)  # one rate for all sizes
    run("compare", "cannon", "--grid", "1x1", "-n", 1, "--on", "cpu", "--trials", 1, "--machine", "my.machine")
    done = subprocess.run([PROGRAM, *"compare cannon --grid 1x1 -n 64 --trials 1 -q".split(), *CALIBRATE], capture_output=True, text=True)
    assert done.returncode == 0 and "warning: the calibration has rates for products of 4 to 16 elements" in done.stderr, done.stderr


def test_compare_with_tiles_of_another():
    """Rates of whole tiles are for an executor that multiplies in such tiles; cpu takes any size. Sizes are those of whole tiles."""
    words = "compare cannon --grid 2x2 -n 64 --on cpu --trials 1 --machine my.machine --json".split()
    for tiles, warned in [("", False), ("tile_rows = 1\ntile_columns = 1\n", False), ("tile_rows = 48\n", True)]:
        pathlib.Path("my.machine").write_text(MADE_UP.replace("flops_per_s = 1\n", "rate = 32:1e9; 48:1e9\n" + tiles))
        done = subprocess.run([PROGRAM, *words], capture_output=True, text=True)
        said = "warning: --machine my.machine is for processors that multiply 48x1 of C at a time, but those of cannon multiply 1x1: "
        assert done.returncode == 0 and (said in done.stderr if warned else not done.stderr), (tiles, done.stderr)


def test_formula_of_uneven_sizes():
    """The closed form has the rate of the largest block: 129 fill two tiles of 128."""
    made = "[link]\nlatency_s = 0\nbandwidth_bytes_per_s = inf\n[processor]\nflops_per_s = 1e12\ntile_rows = 128\ntile_columns = 128\n"
    pathlib.Path("tiles.machine").write_text(made)
    for n in [256, 257]:
        done = json.loads(run("sim", "cannon", "--grid", "2x2", "-n", n, "--machine", "tiles.machine", "--formula", "--json").stdout)
        assert abs(done["closed_form_s"] / done["time_s"] - 1) < 0.02, (n, done["closed_form_s"], done["time_s"])


def test_machine_of_an_executor():
    """Every executor that --on takes has its name in machine files, and sim says where it predicts another run than compare."""
    sim = ["sim", "cannon", "--grid", "2x2", "-n", 8, "--machine", "my.machine"]
    names = run("run", "cannon", "--grid", "2x2", "-n", 8, expect=2).stderr.strip().rpartition(": ")[2].split(", ")
    said = {"cpu": "take turns", "cores": "share cores", "threads": "into smaller ones", "clusters": "into smaller ones", "blocks": None,
            "ranks": "share cores"}
    assert names == list(said), names
    for name, words in said.items():
        pathlib.Path("my.machine").write_text(MADE_UP.replace("on = cpu", f"on = {name}"))
        done = subprocess.run([PROGRAM, *map(str, sim)], capture_output=True, text=True)
        assert done.returncode == 0 and (words in done.stderr and f"on {name}, wh" in done.stderr if words else not done.stderr), done.stderr
    for old, new, error in [("on = cpu", "on = gpu", "[executor] has on = gpu, expected one of cpu, cores, threads, clusters, blocks"),
                            ("type = f32", "type = f99", "11:8: type = f99 is unknown; write f32 or f64")]:
        pathlib.Path("my.machine").write_text(MADE_UP.replace(old, new))
        for words in [sim, ["plan", "-n", 8, "--procs", 4, "--machine", "my.machine"],
                      ["compare", "cannon", "--grid", "2x2", "-n", 8, "--on", "cpu", "--machine", "my.machine"]]:
            assert re.search(rf"my.machine: ?{re.escape(error)}", run(*words, expect=2).stderr), words


def test_machine_without_a_name():
    """It is called as its file is, without .machine; what a terminal would act on, or no XML may hold, is escaped."""
    measured = MADE_UP.replace("name = made up\n", "")
    plain = measured[:measured.index("[executor]")]
    grid = ["--grid", "2x2"]
    for file, name in [("./office.machine", "office"), ("./büro", "büro"), ("./a\033[31mb.machine", r"a\x1b[31mb"),
                       ("./" + "x" * 60 + "äöü.machine", "x" * 60 + "ä")]:
        machine = ["--machine", file]
        for text, words in [(plain, ["sim", "cannon", *grid, "-n", 8]), (plain, ["sim", "cannon", "summa", *grid, "-n", 8]),
                            (plain, ["sim", "cannon", *grid, "--sweep", "n=4,8"]), (plain, ["plan", "-n", 8, "--procs", 4]),
                            (measured, ["compare", "cannon", *grid, "-n", 8, "--on", "cpu"])]:
            pathlib.Path(file).write_text(text)
            said = run(*words, *machine).stdout
            assert re.search(rf"^machine: {re.escape(name)}(;|$)", said, re.M), (words, said)
            if "--sweep" not in words:
                assert document(*words, *machine).get("machine", name) == name, words
        pathlib.Path(file).write_text(plain)
        said = run("sim", "cannon", *grid, "-n", 8, "--from", "disk", *machine, expect=2).stderr
        assert f"machine {name} has no [disk]" in said
    os.rename("office.machine", "of\ufffe\033.machine")
    run("draw", "cannon", *grid, "-n", 8, "--spacetime", "--machine", "./of\ufffe\033.machine", "-o", "x.svg")
    assert r"of\xef\xbf\xbe\x1b" in xml.dom.minidom.parse("x.svg").toxml()


def test_exercises():
    for seed in range(8):
        text = run("mutate", "cannon", "--seed", seed, "-o", "e.sched").stdout
        command = shlex.split(next(line for line in text.splitlines() if line.startswith("topogemm"))[:-len(" rejects it")])
        said = run(*command[1:], expect=3).stderr
        answer = pathlib.Path("e.answer").read_text()
        assert answer.splitlines()[-1].removeprefix("reports: ") in said
        assert pathlib.Path("e.sched").read_text() != run("show", "cannon").stdout
        run("mutate", "cannon", "--seed", seed, "-o", "again.sched")
        assert pathlib.Path("e.sched").read_text() == pathlib.Path("again.sched").read_text()
    run("mutate", "./e.sched", "-o", "e.sched", expect=2)
    run("mutate", "cannon", "-o", "e.answer", expect=2)
    run("mutate", "summa", "-o", f"{os.getcwd()}/e.sched")  # another exercise of that name, with its answer
    for entry in document("list", "algorithms")["algorithms"]:
        run("mutate", entry["name"], "-o", "x.sched")


def test_answers_replace_nothing_else():
    """Only an answer to the exercise of that name gives way to a new one; both files are written, or neither."""
    run("mutate", "cannon", "-o", "e.sched")
    pathlib.Path("mine.answer").write_text("my answer to everything")
    os.symlink("nowhere", "link.answer")
    os.mkdir("folder.answer")
    os.symlink("/dev/null", "null.answer")
    before = files_here()
    for name in ["e.txt", "e", "mine.sched", "folder.sched", "null.sched"]:
        said = run("mutate", "cannon", "-o", name, expect=2).stderr
        assert f"{name.split('.')[0]}.answer exists and was not written by an earlier" in said, said
    run("mutate", "cannon", "-o", "link.sched", expect=2)
    for device in ["/dev/full", "/dev/null", "/dev/stdout"]:
        run("mutate", "cannon", "-o", device, expect=2)
        assert not os.path.exists(f"{device}.answer")
    os.mkdir("target.sched")
    assert "target.sched" in run("mutate", "cannon", "-o", "target.sched", expect=1).stderr
    assert files_here() == before and not os.path.exists("target.answer")


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
    assert all(re.search(rf"^  {what} ", run("--version").stdout, re.M) for what in ["BLAS", "Graphviz", "GPUs", "MPI"])


def test_chart_of_times():
    """The time in the picture, and the processors' ends, are those of sim with the same options."""
    for name, grid, more in [("cannon", "4x4", ""), ("dns", "2x2x2", "--model flow"), ("ring", "6", "--straggler 2:9"),
                             ("summa", "3x3", "--network mesh --overlap off --type f64")]:
        words = [name, "--grid", grid, "-n", "48", *more.split()]
        said = re.search(r"predicted time +(\S+ \w+)", run("sim", *words).stdout).group(1)
        run("draw", *words, "--spacetime", "-o", "time.dot")
        drawn = pathlib.Path("time.dot").read_text(encoding="utf-8")
        assert f'label="predicted time: {said}"' in drawn, f"{name}: sim says {said}"


def test_examples_of_the_help():
    """Every example works when it is pasted; a calibration may find that this machine is busy, and say so. Under a sanitizer one of
    each page, since they take long."""
    os.symlink(PROGRAM, "topogemm")
    pathlib.Path("cases.txt").write_text("cannon summa --grid 2x2 -n 200\n")
    shutil.copy(HARDWARE / "lstopo.xml", "lstopo.xml")
    path = {"PATH": f"{os.getcwd()}:{os.environ['PATH']}"}
    for page in [run("--help").stdout] + [run("help", name).stdout for name in COMMANDS]:
        lines = re.findall(r"^  (topogemm .*\w.*)$", page.split("Examples")[1].split("Options")[0], re.M)
        for line in lines[:1] if "ASAN_OPTIONS" in os.environ else lines:
            environment = os.environ | path
            unwind(tuple(line.split()[1:]), environment)
            done = subprocess.run(line, shell=True, capture_output=True, text=True, env=environment)
            if " calibrate " in line and done.returncode == 1 and "--noisy" in done.stderr:
                line += " --noisy"
                done = subprocess.run(line, shell=True, capture_output=True, text=True, env=environment)
            assert done.returncode == 0 and done.stderr == "", f"{line}: {done.returncode} {done.stderr}"


if __name__ == "__main__":
    sys.exit(tap.run_cases([(name, lambda _, case=case: case()) for name, case in tap.cases_of(globals())]))
