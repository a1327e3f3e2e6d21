#!/usr/bin/env python3
"""The subcommands about matrices on disk: what they write, and what is left when they are ended."""
import array
import contextlib
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import tap  # pylint: disable=wrong-import-position

TOPOGEMM = str(pathlib.Path(sys.argv[1]).resolve())
SANITIZED = "ASAN_OPTIONS" in os.environ  # takes memory of its own
KILLS = 20 if SANITIZED else 200
EGMM = ["huge", "egmm", "--a", "A.tg", "--b", "B.tg", "--c", "C.tg"]


def run(*words, status=0):
    done = subprocess.run([TOPOGEMM, *map(str, words)], capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == status, (words, done.returncode, done.stdout, done.stderr)
    return done


def document(*words, status=0):
    return json.loads(run(*words, "--json", status=status).stdout)


def built():
    done = subprocess.run([TOPOGEMM, "generate", "X.tg", "-n", "1"], capture_output=True, text=True, check=False)
    if done.returncode == 4:
        raise tap.Skipped(done.stderr.strip())


def needs_own_memory():
    if SANITIZED:
        raise tap.Skipped("a sanitizer takes memory, too")


def generate(n, kind="f32"):
    built()
    run("generate", "A.tg", "-n", n, "--type", kind, "--tile", "128x128")
    run("generate", "B.tg", "-n", n, "--type", kind, "--seed", 2, "--tile", "128x128")


def bytes_of(path):
    return pathlib.Path(path).read_bytes()


def write_npy(path, rows, columns, kind, values, fortran=False):
    """As NumPy writes it, from values row by row."""
    if fortran:
        values = [values[r * columns + c] for c in range(columns) for r in range(rows)]
    about = f"{{'descr': '<{kind}', 'fortran_order': {fortran}, 'shape': ({rows}, {columns}), }}"
    about += " " * (63 - (10 + len(about)) % 64) + "\n"
    head = b"\x93NUMPY\x01\x00" + len(about).to_bytes(2, "little") + about.encode()
    pathlib.Path(path).write_bytes(head + array.array("f" if kind == "f4" else "d", values).tobytes())


def read_npy(path, kind):
    """Its elements."""
    whole = bytes_of(path)
    return list(array.array("f" if kind == "f4" else "d", whole[10 + int.from_bytes(whole[8:10], "little"):]))


def test_formats(_):
    """Every format there and back; matrices that tiles do not divide; both orders of .npy."""
    built()
    rng = random.Random(1)
    for rows, columns, kind in [(1, 1, "f4"), (300, 129, "f4"), (128, 500, "f8"), (1000, 3, "f8")]:
        values = array.array("f" if kind == "f4" else "d", [rng.uniform(-1, 1) for _ in range(rows * columns)]).tolist()
        for fortran in False, True:
            write_npy("m.npy", rows, columns, kind, values, fortran)
            run("convert", "m.npy", "m.tg")
            for path in ["n.npy", "n.mtx", "n.raw"]:
                run("convert", "m.tg", path)
                size = ["--size", f"{rows}x{columns}"] if path == "n.raw" else []
                run("convert", path, "n.tg", "--type", "f32" if kind == "f4" else "f64", *size)
                assert bytes_of("n.tg") == bytes_of("m.tg"), (path, fortran)
            assert read_npy("n.npy", kind) == values


def test_generated(_):
    """The same elements whatever the tiles, and those of the range that is asked for."""
    built()
    made = []
    for tile in ["7x300", "128x128"]:
        run("generate", "A.tg", "--size", "200x150", "--seed", 5, "--tile", tile)
        run("convert", "A.tg", "A.npy")
        made.append(read_npy("A.npy", "f4"))
    assert made[0] == made[1] and -1 <= min(made[0]) < -0.9 and 0.9 < max(made[0]) < 1
    run("generate", "I.tg", "-n", 50, "--integers", "--type", "f64")
    run("convert", "I.tg", "I.npy")
    assert set(read_npy("I.npy", "f8")) == set(range(-4, 5))


def test_product(_):
    """The product, and what is said of it."""
    built()
    m, n, k, rng = 70, 90, 110, random.Random(2)
    a, b = [[rng.randrange(-9, 10) for _ in range(count)] for count in (m * k, k * n)]
    expected = [sum(a[i * k + l] * b[l * n + j] for l in range(k)) for i in range(m) for j in range(n)]
    write_npy("A.npy", m, k, "f8", a)
    write_npy("B.npy", k, n, "f8", b)
    run("convert", "A.npy", "A.tg", "--tile", "16x16")
    run("convert", "B.npy", "B.tg", "--tile", "16x16")
    for options in [[], ["--from", "cache"], ["--pipeline", "off"], ["--tiles", "32x16x48"]]:
        said = document(*EGMM, "--memory", "1G", *options)
        run("convert", "C.tg", "C.npy")
        assert read_npy("C.npy", "f8") == expected, options
        assert said["ok"] and said["relative_error"] == 0
        assert said["disk_read_bytes"] == said["model_read_bytes"] >= said["bound_read_bytes"]
        assert said["disk_written_bytes"] == said["model_written_bytes"]
        assert said["peak_rss_bytes"] <= said["memory_limit_bytes"] == 1e9
        assert said["panels"] == (6 if "--tiles" in options else 1)
        assert said["pipelined"] == ("off" not in options) and said["from"] == ("cache" if "cache" in options else "disk")
    assert document("check", "A.tg", "B.tg", "C.tg")["ok"]


def test_trace(_):
    """Every panel is multiplied, written and kept; nothing is multiplied before it is read."""
    generate(512)
    said = document(*EGMM, "--tiles", "256x128x256", "--trace", "t.json")
    events = json.loads(bytes_of("t.json"))["traceEvents"]
    spans = {name: [e for e in events if e["ph"] == "X" and e["name"] == name]
             for name in ("read A", "read B", "multiply", "write C", "sync C")}
    assert said["panels"] == 4 and said["chunk"] >= 256
    counts = [len(each) for each in spans.values()]
    assert counts[:3] == [16, 16, 16] and 1 <= counts[4] <= counts[3] and counts[4] <= 4, counts  # two may share a span
    assert max(e["args"]["panel"] for e in spans["sync C"]) == 4
    ends = {tuple(e["args"].values()): e["ts"] + e["dur"] for e in spans["read A"]}
    assert all(ends[tuple(e["args"].values())] <= e["ts"] + 1 for e in spans["multiply"])
    generate(1024)  # a panel is computed and written in four chunks
    run(*EGMM, "--tiles", "1024x1024x1024", "--trace", "off.json", "--pipeline", "off")
    events = sorted((e["ts"], e["ts"] + e["dur"], e["name"]) for e in json.loads(bytes_of("off.json"))["traceEvents"]
                    if e["ph"] == "X" and e["name"] in ("multiply", "write C"))
    assert all(one[1] <= other[0] + 1 for one, other in zip(events, events[1:])), events


def test_plot(_):
    """The plot has a row for each stage, and bars where the trace has slices; with gnuplot it is a picture."""
    generate(512)
    run(*EGMM, "--tiles", "256x128x256", "--plot", "t.gp", "--trace", "t.json")
    script = bytes_of("t.gp").decode()
    rows = re.search(r"set ytics [^(]*\((.*)\)", script).group(1)
    assert re.findall(r"'([^']*)'", rows) == ["read A", "read B", "multiply", "write C", "sync C"], rows
    bars = [line.split() for line in script.splitlines() if re.fullmatch(r"( -?[0-9.e+-]+){6}", line)]
    events = [event for event in json.loads(bytes_of("t.json"))["traceEvents"] if event["ph"] == "X"]
    assert 0 < len(bars) <= len(events) and all(float(bar[2]) <= float(bar[0]) <= float(bar[3]) for bar in bars), bars
    assert abs(max(float(bar[3]) for bar in bars) - max(event["ts"] + event["dur"] for event in events) / 1e6) < 1e-4
    assert "expected a name that ends in .svg" in run(*EGMM, "--plot", "t.bmp", status=2).stderr
    if shutil.which("gnuplot"):
        run(*EGMM, "--plot", "t.png")
        assert bytes_of("t.png").startswith(b"\x89PNG")


def test_gpu(_):
    """Without a GPU the command reports that; with one, the product is right."""
    generate(512)
    done = subprocess.run([TOPOGEMM, *EGMM, "--gpu-memory", "1G"], capture_output=True, text=True, check=False)
    if done.returncode == 0:
        assert "GPU" in done.stdout, done
    else:
        assert done.returncode == 4 and done.stderr.count("\n") == 1 and not pathlib.Path("C.tg").exists(), done
    assert "--device is for --gpu-memory" in run(*EGMM, "--device", 0, status=2).stderr


def test_memory(_):
    """The limit holds, with more panels the less memory there is; too little names what would do."""
    needs_own_memory()
    generate(2048)
    panels = []
    for megabytes in [60, 30, 22]:
        said = document(*EGMM, "--memory", f"{megabytes}M")
        assert said["peak_rss_bytes"] <= megabytes * 1e6, said
        panels.append(said["panels"])
    assert panels[0] == 1 < panels[1] < panels[2], panels
    least = re.search(r"at least (\d+M)", run(*EGMM, "--memory", "1M", status=2).stderr)[1]
    assert document(*EGMM, "--memory", least)["ok"]


def test_predicted_reads(_):
    """`sim --from disk` plans as `huge` does, whose files are whole sectors."""
    needs_own_memory()
    for m, n, k in (2048, 2048, 2048), (1500, 3000, 700), (300, 400, 5000):
        built()
        run("generate", "A.tg", "--size", f"{m}x{k}", "--type", "f64")
        run("generate", "B.tg", "--size", f"{k}x{n}", "--type", "f64")
        for memory in "30M", "50M", "1G":
            said = document(*EGMM, "--memory", memory)
            product = document("sim", "egmm", "--grid", "1", "--size", f"{m}x{n}x{k}", "--type", "f64", "--from", "disk",
                               "--machine", "cluster-gtx1070", "--memory", memory)["tiers"]["product"]
            assert product["panels"] == said["panels"], (memory, product, said)
            assert abs(said["disk_read_bytes"] / product["read_bytes"] - 1) < 0.01, (memory, product, said)
    assert "the program alone" in run("sim", "egmm", "--grid", "1", "-n", "9", "--from", "disk", "--machine", "cluster-gtx1070",
                                      "--memory", "1M", status=2).stderr


def test_same_plan(_):
    """The same command has the same plan, and so the same bytes, each time; thin matrices stay within memory, too."""
    needs_own_memory()
    generate(1500)
    plans = {json.dumps([said[key] for key in ("panels", "largest_rows", "largest_columns", "step", "chunk", "buffer_bytes")])
             for said in (document(*EGMM, "--memory", "20M") for _ in range(8))}
    assert len(plans) == 1, plans
    for a, b in ("1000000x1", "1x1"), ("1x1000000", "1000000x1"):
        run("generate", "A.tg", "--size", a)
        run("generate", "B.tg", "--size", b)
        said = document(*EGMM, "--memory", "64M")
        assert said["ok"] and said["peak_rss_bytes"] <= 64e6, said
        assert said["disk_read_bytes"] < 1.1 * said["bound_read_bytes"] + 10000, said


def test_not_finite(_):
    """What cannot be checked is said, and is no wrong product."""
    built()
    write_npy("A.npy", 3, 3, "f8", [1, 2, 3, 4, float("nan"), 6, 7, 8, 9])
    run("convert", "A.npy", "A.tg")
    run("generate", "B.tg", "-n", 3, "--type", "f64")
    assert "has NaN or Inf" in run(*EGMM, status=3).stderr
    assert "has NaN or Inf" in run("check", "A.tg", "B.tg", "C.tg", status=3).stderr


def test_output(_):
    """What C replaces, and what is not touched."""
    generate(200)
    out = pathlib.Path("C.tg")
    out.write_text("old", encoding="ascii")
    out.chmod(0o640)
    assert document(*EGMM)["ok"] and out.stat().st_mode & 0o777 == 0o640
    expected = bytes_of("C.tg")
    out.rename("real.tg")
    out.symlink_to("real.tg")
    pathlib.Path("real.tg").write_text("old", encoding="ascii")
    assert document(*EGMM)["ok"] and out.is_symlink() and bytes_of("real.tg") == expected
    out.unlink()
    out.mkdir()
    assert "C.tg: cannot write" in run(*EGMM, status=1).stderr
    out.rmdir()
    part, other = pathlib.Path("C.tg.part"), pathlib.Path("other")
    for found in b"hi", bytes(100000), b"x" * 5000:
        part.write_bytes(found)
        assert "remove C.tg.part" in run(*EGMM, status=2).stderr.replace(os.getcwd() + "/", "") and part.read_bytes() == found
        part.unlink()
        other.write_bytes(found)
        part.symlink_to("other")
        assert "symbolic link" in run(*EGMM, status=1).stderr and other.read_bytes() == found
        part.unlink()
        os.link("other", "C.tg.part")
        assert "remove it" in run(*EGMM, status=1).stderr and other.read_bytes() == found
        part.unlink()
    os.mkfifo("C.tg.part")
    run(*EGMM, status=1)
    assert part.is_fifo()


def test_wrong_use(_):
    built()
    run("generate", "A.tg", "-n", 20)
    run("generate", "B.tg", "--size", "30x20")
    write_npy("A.npy", 3, 3, "f8", [0] * 9)
    os.mkfifo("pipe.tg")
    for words, status, said in [
        (["huge", "egmm", "--a", "pipe.tg", "--b", "A.tg", "--c", "C.tg"], 1, "pipe.tg: cannot read: not a regular file"),
        (["generate", "pipe.tg", "-n", 9], 1, "pipe.tg: cannot write: not a regular file"),
        (EGMM, 2, "20x20"),
        (["huge", "egmm", "--a", "A.tg", "--b", "A.tg"], 2, "--c"),
        (["huge", "egmm", "--a", "A.npy", "--b", "A.tg", "--c", "C.tg"], 2, "convert"),
        (["huge", "egmm", "--a", "A.tg", "--b", "A.tg", "--c", "A.tg"], 2, "overwrite"),
        (["huge", "cannon", "--grid", "2x2", "--a", "A.tg", "--b", "A.tg", "--c", "C.tg"], 2, "4 processors"),
        (["huge", "egmm", "--a", "A.tg", "--b", "A.tg", "--c", "C.tg", "--from", "tape"], 2, "disk"),
        (["huge", "egmm", "--a", "A.tg", "--b", "A.tg", "--c", "C.tg", "--tiles", "3x3x3"], 2, "20, the number of rows in a tile of A"),
        (["huge", "egmm", "--a", "A.tg", "--b", "A.tg", "--c", "none/C.tg"], 1, "none/C.tg"),
        (["huge", "egmm", "--a", "none.tg", "--b", "A.tg", "--c", "D.tg"], 1, "none.tg"),
        (["convert", "A.tg", "B.tg"], 2, "expected one name"),
        (["convert", "A.npy", "B.npy"], 2, "expected one name"),
        (["convert", "A.tg", "x.npy", "--tile", "3x3"], 2, "--tile"),
        (["generate", "A.npy", "-n", 3], 2, ".tg"),
        (["generate", "A.tg"], 2, "-n N"),
        (["check", "A.tg", "A.tg", "B.tg"], 2, "is not C of 30x20"),
    ]:
        done = run(*words, status=status)
        assert said in done.stderr, (words, done.stderr)
    assert not pathlib.Path("C.tg.part").exists() and not pathlib.Path("D.tg.part").exists()


def test_wrong_product(_):
    """A product of others is none, and exits with 3."""
    generate(300)
    assert document(*EGMM)["ok"]
    run("generate", "B.tg", "-n", 300, "--seed", 3)
    said = document("check", "A.tg", "B.tg", "C.tg", status=3)
    assert not said["ok"] and said["relative_error"] > 0.5


def test_flipped_bits(_):
    """50 wrong bits in tiles of the inputs: each is found, and its tile named."""
    generate(512)
    rng = random.Random(3)
    begin = 4096 + 4096  # the header, the checksums
    for i in range(50):
        path, tile = rng.choice(["A.tg", "B.tg"]), rng.randrange(16)
        at, bit = begin + tile * 65536 + rng.randrange(65536), 1 << rng.randrange(8)
        with open(path, "r+b") as file:
            file.seek(at)
            value = file.read(1)[0]
            file.seek(at)
            file.write(bytes([value ^ bit]))
        done = run(*EGMM, "--tiles", "256x128x256", status=2)
        assert f"{path}: the tile at row {tile // 4 * 128}, column {tile % 4 * 128}" in done.stderr, (i, done.stderr)
        assert f"from byte {begin + tile * 65536}" in done.stderr
        with open(path, "r+b") as file:
            file.seek(at)
            file.write(bytes([value]))
    assert document(*EGMM)["ok"]


def wait_for_panel(process):
    """Wait until a panel of C is complete: its tiles' checksums, which follow the header, are no longer zero."""
    while process.poll() is None:
        with contextlib.suppress(FileNotFoundError), open("C.tg.part", "rb") as file:
            file.seek(4096)
            if any(file.read(4096)):
                return


def end_within(seconds, words, rng):
    """Whether the process was ended before it finished by itself. In half of the cases, a panel is complete by then."""
    # killed within its search for leaks, LeakSanitizer says so
    environment = {**os.environ, "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"}
    with subprocess.Popen([TOPOGEMM, *words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=environment) as process:
        if rng.random() < 0.5:
            wait_for_panel(process)
        else:
            time.sleep(rng.uniform(0, seconds))
        process.send_signal(rng.choice([signal.SIGKILL] * 3 + [signal.SIGTERM]))
        said = process.stderr.read()
    assert process.returncode <= 0 and not said, (process.returncode, said)
    return process.returncode < 0


def test_kills(_):
    """Ended at any moment, and started again: in the end the bytes are those of a run that nobody ended."""
    generate(512)
    words = [*EGMM, "--tiles", "128x128x128", "--memory", "1G"]
    begun = time.monotonic()
    run(*words)
    whole_s = time.monotonic() - begun
    expected = bytes_of("C.tg")
    rng, ended, resumed = random.Random(4), 0, 0
    while ended < KILLS:
        pathlib.Path("C.tg").unlink(missing_ok=True)
        for _ in range(rng.randrange(1, 5)):
            ended += end_within(whole_s, words, rng)
            assert not pathlib.Path("C.tg").exists() or bytes_of("C.tg") == expected
        resumed += document(*words)["panels_resumed"] > 0
        assert bytes_of("C.tg") == expected
    assert resumed > KILLS / 10, resumed


def test_full_disk(_):
    """Without room for C nothing is begun; nothing wrong is left."""
    built()
    run("generate", "A.tg", "--size", "4096x16")
    run("generate", "B.tg", "--size", "16x4096")
    done = subprocess.run(["sh", "-c", f"ulimit -f 2000; exec {TOPOGEMM} {' '.join(EGMM)}"], capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "cannot write" in done.stderr, done
    assert not pathlib.Path("C.tg").exists()
    assert document(*EGMM)["ok"]


sys.exit(tap.run_cases(tap.cases_of(globals())))
