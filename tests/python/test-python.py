"""The Python package says what the command says, and multiplies as NumPy does.

Usage: test-python.py TOPOGEMM, with the package in PYTHONPATH
"""
import copy
import json
import math
import pathlib
import pickle
import subprocess
import sys
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import tap  # noqa: E402

TOPOGEMM = str(pathlib.Path(sys.argv[1]).resolve())
SHIFTED = """schedule shifted
grid i:q, j:q
computes C = A * B
place A(i,j), B(i,j), C(i,j) on (i,j)
C += A * B
"""


def document(*words):
    """The JSON document of a command."""
    return json.loads(subprocess.run([TOPOGEMM, *map(str, words), "--json"], capture_output=True, text=True, check=True).stdout)


def refused(function, *arguments, **named):
    """The error, which must come."""
    try:
        function(*arguments, **named)
    except topogemm.Error as error:
        return error
    raise AssertionError("not refused")


def test_library(_):
    """What there is."""
    listed = document("list")
    assert topogemm.schedules() == sorted(one["name"] for one in listed["algorithms"]), topogemm.schedules()
    assert topogemm.machines() == sorted(one["name"] for one in listed["machines"]), topogemm.machines()
    version = subprocess.run([TOPOGEMM, "--version"], capture_output=True, text=True, check=True).stdout
    assert f"topogemm {topogemm.__version__}" in version, version
    assert "cannon" in str(refused(topogemm.Schedule.load, "canon"))


def test_verify(folder):
    """A proof's counts are those of `verify`; what is wrong is said with its line."""
    for name, grid, size in [("cannon", "4x4", 64), ("dns", (2, 2, 2), (8, 6, 4)), ("ring", 5, 20), ("summa-panels", "2x3", (12, 12, 12))]:
        schedule = topogemm.Schedule.load(name, grid=grid)
        m, n, k = size if isinstance(size, tuple) else (size,) * 3
        said = document("verify", name, "--grid", "x".join(map(str, grid)) if isinstance(grid, tuple) else grid, "--size", f"{m}x{n}x{k}")
        proof = schedule.verify(size)
        assert proof and said["ok"] and not proof.message
        for key in ("steps", "messages", "processors", "words_received_max", "words_per_processor_max", "blocks_per_processor_max"):
            assert getattr(proof, key) == said[key], (name, key, getattr(proof, key), said[key])
    path = pathlib.Path(folder) / "shifted.sched"
    path.write_text(SHIFTED)
    wrong = topogemm.Schedule.load(path, grid="2x2").verify()
    assert not wrong and wrong.line == 5 and wrong.message, wrong
    for size in (0, -1, 2**31, 1.5):
        refused(topogemm.Schedule.load("cannon", grid="2x2").verify, size)
    path.write_text(SHIFTED.replace("place", "plaice"))
    assert str(refused(topogemm.Schedule.load, path)).startswith(f"{path}: line 4")
    path.write_bytes(b"schedule \xff")
    refused(topogemm.Schedule.load, path)
    for wrong in (3, None, "schedule x\0"):
        refused(topogemm.Schedule.parse, wrong)
    for grid in ("2x2\0z", b"2x2", 2.5, (2, 2.5), (2, 2, 2)):
        refused(topogemm.Schedule.load, "cannon", grid=grid)
    error = refused(topogemm.Schedule.parse, SHIFTED.replace("place", "plaice"))
    assert error.line == 4 and "line 4" in str(error) and "place" in str(error), error
    assert "grid" in str(refused(topogemm.Schedule.load("cannon").verify))
    assert "`q`" in str(refused(topogemm.Schedule.load, "cannon", grid="2x3"))


def test_step(_):
    """C is NumPy's product, in both types, forward, back and again; blocks are those of A and B; neither is copied."""
    random = numpy.random.default_rng(1)
    for name, grid, dtype in [("cannon", "4x4", "float64"), ("dns", "2x2x2", "float32"), ("summa-panels", "3x2", "float64")]:
        a, b = (random.integers(-4, 5, shape).astype(dtype) for shape in ((13, 11), (11, 17)))
        run = topogemm.Schedule.load(name, grid=grid).step(a, b)
        assert numpy.shares_memory(run.a, a) and numpy.shares_memory(run.b, b) and run.index == 0
        steps = list(run)
        assert [step.index for step in steps] == list(range(1, len(run) + 1)) and len(run) == run.index
        assert run.back().index == len(run) - 1 and run.seek(0).messages == 0
        c = run.result()
        assert c.dtype == dtype and numpy.array_equal(c, a @ b), name
        assert steps[-1].messages == run.now.messages == document("verify", name, "--grid", grid, "--size", "13x17x11")["messages"]
    a, b = numpy.arange(36.0).reshape(6, 6), numpy.eye(6)
    run = topogemm.Schedule.load("cannon", grid="3x3").step(a, b)
    assert numpy.array_equal(run.block((0, 1), "A"), a[0:2, 2:4]) and run.block(1, "B") is not None and run.block(0, "A", 5) is None
    next(run)
    assert numpy.array_equal(run.block((1, 0), "A"), a[2:4, 2:4]), run.block((1, 0), "A")  # skewed by one
    assert "no buffer" in str(refused(run.block, 0, "X")) and "expected 0 to 8" in str(refused(run.block, 9, "A"))
    assert numpy.array_equal(topogemm.Schedule.load("cannon", grid="3x3").step(a.tolist(), b[::1].T).result(), a)
    for processor, buffer, index in [(0, "A", -1), (-1, "A", 0), ((3, 0), "A", 0), ((0,), "A", 0), (0.5, "A", 0), (0, None, 0), (0, "A", None)]:
        refused(run.block, processor, buffer, index)
    small = topogemm.Schedule.load("cannon", grid="4x4").step(numpy.ones((3, 3)), numpy.ones((3, 3)))
    assert small.block(0, "A").shape == (0, 0) and numpy.array_equal(small.result(), numpy.full((3, 3), 3.0))
    for given in (a * 1j, numpy.ma.array(a, mask=True), a.astype(object), a.astype(str), a[0], a[None]):
        refused(topogemm.Schedule.load("cannon", grid="3x3").step, given, b)
    wrong = topogemm.Schedule.parse(SHIFTED, grid="3x3").step(a, b)
    assert refused(wrong.result).line == 5
    assert "inner" in str(refused(topogemm.Schedule.load("cannon", grid="3x3").step, a, numpy.ones((5, 6))))
    assert "two-dimensional" in str(refused(topogemm.Schedule.load("cannon", grid="3x3").step, a, numpy.ones(6)))


def test_threads(_):
    """A Run belongs to one thread at a time, whoever calls it."""
    a = numpy.random.default_rng(2).random((64, 64))
    run = topogemm.Schedule.load("cannon", grid="8x8").step(a, a)

    def wander(seed):
        random = numpy.random.default_rng(seed)
        for _ in range(300):
            run.seek(int(random.integers(0, 9)))

    threads = [threading.Thread(target=wander, args=[seed]) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert numpy.allclose(run.result(), a @ a)


def test_copies(_):
    """Schedules and results can be copied, compared and sent to other processes; a Run cannot."""
    schedule = topogemm.Schedule.load("cannon25d", grid="4x4x2")
    for again in (copy.deepcopy(schedule), pickle.loads(pickle.dumps(schedule))):
        assert again == schedule and hash(again) == hash(schedule) and again.predict(64) == schedule.predict(64)
    assert schedule != schedule.bind(grid="4x4x4") and schedule.grid == (4, 4, 2) and topogemm.Schedule.load("cannon").grid is None
    assert topogemm.Schedule.load("cannon", q=2).grid == (2, 2)
    error = refused(topogemm.Schedule.parse, SHIFTED.replace("place", "plaice"))
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
    for kind in (copy.copy, pickle.dumps):
        try:
            kind(topogemm.Schedule.load("cannon", grid="2x2").step(numpy.eye(2), numpy.eye(2)))
        except TypeError:
            continue
        raise AssertionError("a Run was copied")


def test_predict(_):
    """Times are those of `sim`, on any machine, network and model."""
    for name, grid, size, options in [("cannon", "8x8", 4096, {}), ("summa", "4x4", (512, 1024, 2048), {"machine": "h200x32", "model": "flow"}),
                                      ("dns", "4x4x4", 1000, {"network": "hypercube:6", "embed": "gray", "overlap": False, "type": "float64"}),
                                      ("cannon25d", "4x4x2", 999, {"collective": "ring"}), ("summa", "4x4", 512, {"collective": "native"})]:
        words = ["sim", name, "--grid", grid, *(("-n", size) if isinstance(size, int) else ("--size", "x".join(map(str, size))))]
        for key, value in options.items():
            words += [f"--{key}", {False: "off", "float64": "f64"}.get(value, value)]
        said, found = document(*words), topogemm.Schedule.load(name, grid=grid).predict(size, **options)
        for key in ("time_s", "compute_s", "communication_s", "messages", "bytes", "max_link_bytes"):
            assert math.isclose(getattr(found, key), said[key], rel_tol=1e-12), (name, key, getattr(found, key), said[key])
        assert len(found.steps) == len(said["steps"]) and found.least_s <= found.time_s <= found.most_s and found.machine == said["machine"], found
    assert topogemm.Schedule.load("transpose", grid="1x1").predict(64).steps == ()
    wrong = [{"size": one} for one in (0, -1, 2**31, 64.5, "64", [64, 128, 256], (64, 64), None)]
    wrong += [{name: None} for name in ("machine", "model", "collective", "embed", "type")]
    for options in [*wrong, {"type": "float16"}, {"machine": "ideal\0x"}, {"machine": "none"}, {"model": "guess"}, {"network": "donut"}, {"embed": "sideways"}, {"size": 0}]:
        refused(topogemm.Schedule.load("cannon", grid="4x4").predict, **({"size": 64} | options))


def test_plan(_):
    """A plan is that of `plan`."""
    said, found = document("plan", "-n", 2048, "--procs", 16), topogemm.plan(2048, 16)
    assert found.certain == said["certain"] and math.isclose(found.least_s, said["least_possible_s"])
    for place, row in zip(found, said["ranked"]):
        assert (place.algorithm, place.grid, place.network) == (row["algorithm"], row["grid"], row["topology"]), (place, row)
        assert math.isclose(place.predicted_s, row["predicted_s"]) and place.why == row["why"]
    assert len(found) == 5 and found[0].predicted_s <= found[4].predicted_s
    alone = topogemm.Schedule.load("cannon").plan(2048, 16, top=3)
    assert {place.algorithm for place in alone} == {"cannon"} and alone[0].grid == "4x4", alone
    assert found[0].schedule.predict(2048).processors == found[0].processors and found[0].schedule.name == found[0].algorithm
    for options in ({"memory": 1000}, {"top": 0}, {"type": "S0"}, {"model": None}, {"processors": 0}, {"network": "donut"}):
        refused(topogemm.plan, 2048, **({"processors": 16} | options))


def test_draw(folder):
    """Pictures are those of `draw`; a notebook shows them, and the page."""
    cannon = topogemm.Schedule.load("cannon", grid="3x3")
    for step, suffix in [(0, "svg"), (2, "svg"), (1, "dot")]:
        path = pathlib.Path(folder) / f"step.{suffix}"
        subprocess.run([TOPOGEMM, "draw", "cannon", "--grid", "3x3", "--step", str(step), "-o", path, "--quiet"], check=True)
        picture = cannon.draw(step, format=suffix)
        assert picture.data == path.read_bytes(), (step, suffix)
    assert cannon.draw(1)._repr_mimebundle_()["text/html"].startswith('<img src="data:image/svg+xml;base64,')
    assert cannon.draw(1, format="png").data.startswith(b"\x89PNG")
    assert cannon.draw(1, format="PNG").format == "png"
    for options in ({"step": 99}, {"step": -1}, {"format": "doc"}, {"embed": "sideways"}):
        refused(cannon.draw, **options)
    cannon.animate().save(pathlib.Path(folder) / "all.svg")
    assert "@keyframes" in (pathlib.Path(folder) / "all.svg").read_text()
    path = pathlib.Path(folder) / "page.html"
    if subprocess.run([TOPOGEMM, "draw", "cannon", "--grid", "3x3", "-o", path, "--quiet"], check=False).returncode == 0:
        assert cannon.page() == path.read_text()
        assert cannon._repr_html_().startswith("<iframe srcdoc=") and "&lt;script" in cannon._repr_html_()


def test_table(_):
    """With pandas, results are data frames."""
    try:
        import pandas  # pylint: disable=import-outside-toplevel,unused-import
    except ImportError as error:
        raise tap.Skipped("no pandas") from error
    frame = topogemm.table([topogemm.Schedule.load("cannon", grid="4x4").predict(n) for n in (256, 512)])
    assert list(frame["n"]) == [256, 512] and frame["time_s"].is_monotonic_increasing
    assert len(topogemm.plan(512, 4).table()) == 5


try:
    import numpy
except ImportError:
    print("1..0 # SKIP no NumPy")
    sys.exit(0)
import topogemm  # noqa: E402

if __name__ == "__main__":
    sys.exit(tap.run_cases(tap.cases_of(globals())))
