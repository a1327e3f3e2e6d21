#!/usr/bin/env python3
"""`topogemm trace`, from outside: that its slices nest, its flows and counters are the messages and loads that `sim`
has, its names those of pictures, `step` and `export`, and what it does where there is too much. Writes TAP.

Usage: test-trace.py TOPOGEMM
"""
import collections
import json
import math
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import tap  # noqa: E402

PROGRAM = str(pathlib.Path(sys.argv[1]).resolve())
MOST = 200000
SLICES = ["step", "products", "communication"]
DIGITS = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
# One processor a node, and in each some other thing: models, embeddings, idle nodes, pieces, clocks apart.
RUNS = ["cannon --grid 4x4", "cannon --grid 4x4 --overlap off --straggler 3:4 --jitter 0.1 --seed 7",
        "summa --grid 3x3 --skew 1e-4 --model flow", "summa-panels --grid 2x4 --collective chain",
        "dns --grid 2x2x2 --network hypercube --embed gray", "ring --grid 6 --model loggp",
        "cannon --grid 3x3 --network torus:4x4 --model store-and-forward", "mmt --grid 4", "transpose --grid 3x3",
        "cannon25d --grid 4x4x2 --collective binomial --type f64", "agarwal3d --grid 3x2x2 --straggler 1:3"]

# Nobody multiplies.
EMPTY = """schedule empty
grid i:q, j:q
place A(i,j), B(i,j), C(i,j) on (i,j)
repeat s in 10
  step "nothing"
    C += A * B where i == q
    C += A * B where i == q
    C += A * B where i == q
"""


def run(*words, expect=0):
    done = subprocess.run([PROGRAM, *map(str, words)], text=True, capture_output=True, stdin=subprocess.DEVNULL,
                          timeout=100, check=False)
    assert done.returncode == expect, f"{words}: exit status {done.returncode}, expected {expect}\n{done.stderr}"
    return done


def document(*words):
    return json.loads(run(*words, "--json").stdout)


class Trace:
    def __init__(self, *words, name="trace.json"):
        self.said = run("trace", *words, "-o", name)
        self.all = json.loads(pathlib.Path(name).read_text())
        self.about = self.all["otherData"]
        self.events = [event for event in self.all["traceEvents"] if event["pid"] == 1]
        self.names = {event["tid"]: event["args"]["name"] for event in self.events if event["name"] == "thread_name"}
        self.slices = [event for event in self.events if event["ph"] == "X"]
        self.steps = [event for event in self.slices if event["cat"] == "step"]
        self.flows = collections.defaultdict(list)
        for event in self.events:
            if event["ph"] in "sf":
                self.flows[event["id"]].append(event)

    def counter(self, start):
        """The values of each counter whose name begins so, by name."""
        found = collections.defaultdict(list)
        for event in self.events:
            if event["ph"] == "C" and event["name"].startswith(start):
                found[event["name"]].append((event["ts"], event["args"]["bytes"]))
        return found


def ns(microseconds):
    """As Perfetto reads a time: the thousandfold, cut off."""
    return int(microseconds * 1000)


def ends_of(slices):
    return max(event["ts"] + event["dur"] for event in slices)


def check_nesting(trace):
    """On a track every slice ends before the next begins, or lies within: Perfetto drops what does neither."""
    for track in {event["tid"] for event in trace.slices}:
        ends = []  # of the slices around
        mine = [event for event in trace.slices if event["tid"] == track]
        for event in sorted(mine, key=lambda event: (ns(event["ts"]), event["cat"] != "step")):
            begin, end = ns(event["ts"]), ns(event["ts"]) + ns(event["dur"])
            assert end >= begin
            while ends and ends[-1] <= begin and not ends[-1] == begin == end:
                ends.pop()
            assert not ends or end <= ends[-1], (event, ends)
            ends.append(end)


def check_flows(trace):
    for number, ends in trace.flows.items():
        assert [event["ph"] for event in ends] == ["s", "f"], number
        begin, end = ends
        assert end["ts"] >= begin["ts"] and end["bp"] == "e"
        assert begin["name"] == end["name"] and begin["cat"] == end["cat"] and begin["args"] == end["args"]
        for event in ends:
            [step] = [s for s in trace.steps if s["tid"] == event["tid"] and s["args"]["step"] == event["args"]["step"]]
            assert ns(step["ts"]) <= ns(event["ts"]) <= ns(step["ts"]) + ns(step["dur"]), (event, step)


def test_slices():
    for words in RUNS:
        trace = Trace(*words.split(), "-n", 480)
        said = document("sim", *words.split(), "-n", 480)
        check_nesting(trace)
        assert math.isclose(ends_of(trace.slices), 1e6 * said["time_s"], abs_tol=2e-3), words
        for node in said["node_times"]:
            mine = [s for s in trace.slices if trace.names[s["tid"]] == "P" + node["node"].replace(" ", "")]
            took = {kind: sum(s["dur"] for s in mine if s["cat"] == kind) for kind in SLICES}
            assert math.isclose(took["products"], 1e6 * node["compute_s"], abs_tol=0.1), (words, node, took)
            assert math.isclose(took["step"], took["products"] + took["communication"], abs_tol=0.1), (words, node, took)
            assert not mine or math.isclose(ends_of(mine), 1e6 * node["time_s"], abs_tol=2e-3), (words, node)
        assert trace.all["displayTimeUnit"] == "ms" and trace.about["left_out"] is None and trace.said.stderr == ""
        assert trace.about["settings"].startswith(f"model {said['model']}")


def test_tracks():
    """tid is the processor's number, and the tracks lie in its order."""
    trace = Trace("summa-panels", "--grid", "3x4", "-n", 24)
    assert trace.names == {4 * i + j: f"P({i},{j})" for i in range(3) for j in range(4)}
    places = {e["tid"]: e["args"]["sort_index"] for e in trace.events if e["name"] == "thread_sort_index"}
    assert places == {tid: tid for tid in trace.names}
    assert all(s["args"]["processor"] == f"p-{s['tid'] // 4}-{s['tid'] % 4}" for s in trace.steps)
    [process] = [event["args"]["name"] for event in trace.events if event["name"] == "process_name"]
    assert process == "predicted: summa-panels on 3x4, hockney"


def test_messages():
    """A flow a message, with its bytes; the counters are the loads that `sim` has, and those of its links."""
    for words in RUNS:
        trace = Trace(*words.split(), "-n", 480)
        said = document("sim", *words.split(), "-n", 480)
        check_flows(trace)
        by_step = collections.defaultdict(int)
        for begin, _ in trace.flows.values():
            by_step[begin["args"]["step"]] += begin["args"]["bytes"]
        assert dict(by_step) == {s["index"]: s["bytes"] for s in said["steps"] if s["messages"]}, words
        if "chain" not in words and "ring" not in words and "25d" not in words:
            assert len(trace.flows) == said["messages"], words  # there parcels of one message are flows of their own
        sent = sum(step["args"]["sent"] for step in trace.steps)
        assert sent == sum(step["args"]["received"] for step in trace.steps) == len(trace.flows), words
        busiest = trace.counter("busiest link")["busiest link"]
        assert [value for _, value in busiest] == [step["max_link_bytes"] for step in said["steps"]] + [0], words
        assert sum(value for _, value in trace.counter("all links")["all links"]) == said["hop_bytes"], words
        links = trace.counter("link ")
        if links:
            assert max(value for values in links.values() for _, value in values) == max(b for _, b in busiest), words
            assert all(values[-1][1] == 0 for values in links.values())
    assert Trace("cannon", "--grid", "4x4", "-n", 64).counter("link ")
    assert not Trace("cannon", "--grid", "5x5", "-n", 100).counter("link ")


def test_link_names():
    """Those of the table of `sim`, and what they carry in all."""
    trace = Trace("cannon", "--grid", "3x3", "-n", 90, "--network", "mesh")
    busiest = document("sim", "cannon", "--grid", "3x3", "-n", 90, "--network", "mesh")["busiest_links"]
    said = run("sim", "cannon", "--grid", "3x3", "-n", 90, "--network", "mesh").stdout
    for name, value in [(f"{link['from']} -> {link['to']}", link["bytes"]) for link in busiest]:
        assert f"  {name}  " in said
        held = trace.counter("link ")[f"link {name}"]
        changes = [ts for ts, _ in trace.counter("busiest link")["busiest link"]]
        # a counter is written where it changes, and holds for all steps until then
        loads = [next((v for ts, v in reversed(held) if ts <= change), 0) for change in changes]
        assert sum(loads) == value, (name, held, value)
    assert busiest


def test_names_are_everywhere_the_same():
    """Text, picture, export and trace name the messages of a step alike, in the same order."""
    words = ["cannon25d", "--grid", "4x4x2", "--collective", "binomial"]
    trace = Trace(*words, "-n", 8)
    run("export", *words, "-n", 8, "-o", "all.json", "-q")
    exported = json.loads(pathlib.Path("all.json").read_text())
    text = run("step", *words, "-n", 8, "--messages").stdout
    shown = dict(re.findall(r"^step (\d+) of \d+: .*\n((?:  .*\n)*)", text, re.M))  # messages are after the blocks
    for step in exported["steps"]:
        flows = [begin for begin, _ in trace.flows.values() if begin["args"]["step"] == step["index"]]
        messages = [(statement["line"], m) for statement in step["statements"] for m in statement.get("messages", [])]
        assert [flow["args"]["message"] for flow in flows] == [f"m-{step['index']}-{n}" for n in range(len(messages))]
        for flow, (line, message) in zip(flows, messages):
            block = "{}({}, {})".format(*flow["args"]["block"].translate(DIGITS))
            assert message["block"] == block and message["bytes"] == flow["args"]["bytes"], (flow, message)
            assert (line, message["from"]) == (flow["args"]["line"], flow["tid"]), (flow, message)
            assert flow["name"].endswith(f"→ {trace.names[message['to']]}"), (flow, message)
            assert trace.flows[flow["id"]][1]["tid"] == message["to"], (flow, message)
        lines = re.findall(r"^  \((\d), (\d), (\d)\) -> \(\d, \d, \d\) +(?:\+ )?(\w+) +.*line (\d+)", shown[str(step["index"])], re.M)
        told = [(f"P({a},{b},{c})", block, int(line)) for a, b, c, block, line in lines]
        here = [(trace.names[f["tid"]], f["args"]["block"].translate(DIGITS), f["args"]["line"]) for f in flows]
        assert told == here, (step["index"], told[:4], here[:4])
        if flows:
            check_picture(trace, words, step["index"], flows)


def check_picture(trace, words, step, flows):
    """What the picture draws is among the flows: its arrows have the id of the first message in each."""
    run("draw", *words, "--step", step, "-o", "step.svg", "-q")
    svg = pathlib.Path("step.svg").read_text()
    drawn = dict(re.findall(r'<g id="(m-\d+-\d+)"[^>]*>\s*<title>([^<]*)</title>', svg))
    flows = {flow["args"]["message"]: flow["name"] for flow in flows}
    assert drawn and set(drawn) <= set(flows), (set(drawn), set(flows))
    for number, title in drawn.items():
        if "messages with" not in title:
            assert title.startswith(flows[number]), (title, flows[number])
    processors = set(re.findall(r'id="(p(?:-\d)+)"', svg))
    assert processors == {s["args"]["processor"] for s in trace.steps}


def test_products():
    """One in a step is a slice with its blocks' names; of several, which the model times together, all names."""
    trace = Trace("cannon", "--grid", "3x3", "-n", 90)
    products = [s for s in trace.slices if s["cat"] == "products"]
    assert len(products) == 27 and len({s["name"] for s in products}) == 27
    line = run("show", "cannon").stdout.splitlines().index("    C += A * B") + 1
    for event in products:
        i, k, k2, j, i2, j2 = re.fullmatch(r"A(.)(.)·B(.)(.) into C(.)(.)", event["name"].translate(DIGITS)).groups()
        assert (i, j, k) == (i2, j2, k2) and f"P({i},{j})" == trace.names[event["tid"]] and event["args"]["line"] == line
    several = Trace("allgather", "--grid", "3x3", "-n", 90)
    products = [s for s in several.slices if s["cat"] == "products"]
    assert sum(s["args"]["products"].count("·") for s in products) == 27
    assert {s["name"] for s in products if "," in s["args"]["products"]} <= {"3 products"}


def test_shared_nodes():
    """Several processors of a node share its clock: a track is a node, and what stays on it is no message."""
    words = ["cannon", "--grid", "8x8", "--network", "torus:4x4", "-n", 480]
    trace, said = Trace(*words), document("sim", *words)
    assert trace.names == {4 * i + j: f"node ({i}, {j})" for i in range(4) for j in range(4)}
    check_nesting(trace)
    check_flows(trace)
    assert sum(begin["args"]["bytes"] for begin, _ in trace.flows.values()) == said["bytes"]
    assert all(begin["tid"] != end["tid"] for begin, end in trace.flows.values())


def test_small():
    """What takes less than a nanosecond is there all the same; one processor has no messages."""
    trace = Trace("cannon", "--grid", "2x2", "-n", 2)
    assert len([s for s in trace.slices if s["cat"] == "products"]) == 8 and len(trace.flows) == 12
    check_nesting(trace)
    check_flows(trace)
    assert not Trace("cannon", "--grid", "1x1", "-n", 8).flows


def check_rows(trace, words):
    said = document("sim", *words)
    check_nesting(trace)
    assert len(trace.all["traceEvents"]) <= MOST and f"{len(trace.all['traceEvents'])} events" in trace.said.stdout
    assert trace.about["left_out"] in trace.said.stderr.replace("\n", " ") and "share a track" in trace.about["left_out"]
    assert {s["cat"] for s in trace.slices} == {"step"} and not trace.counter("link ")
    assert math.isclose(ends_of(trace.slices), 1e6 * said["time_s"], abs_tol=2e-3)
    for begin, end in trace.flows.values():
        assert begin["ph"] == "s" and end["ph"] == "f" and end["ts"] >= begin["ts"] and begin["tid"] != end["tid"]
    for what in ["messages", "bytes"]:
        between = sum(begin["args"][what] for begin, _ in trace.flows.values())
        assert between + sum(s["args"][f"{what}_within"] for s in trace.steps) == said[what]
    assert f"{said['messages']} messages are summed" in trace.about["left_out"]
    busiest = trace.counter("busiest link")["busiest link"]
    assert [value for _, value in busiest] == [step["max_link_bytes"] for step in said["steps"]] + [0]
    return said


def test_rows():
    """Beyond the limit rows are tracks, then several rows; counters stay."""
    words = ["cannon", "--grid", "48x48", "-n", 480]  # single times are kept, messages are too many
    trace = Trace(*words)
    check_rows(trace, words)
    assert trace.names == {48 * i: f"P({i},0) to P({i},47)" for i in range(48)}
    words = ["cannon", "--grid", "64x64", "-n", 512, "--model", "loggp"]  # times of rows are kept
    trace = Trace(*words)
    check_rows(trace, words)
    assert len(trace.names) == 64
    words = ["cannon", "--grid", "256x256", "-n", 1024]
    trace = Trace(*words)
    check_rows(trace, words)
    assert len(trace.names) == 128 and trace.about["left_out"].startswith("512 processors (2 of 256 rows)")
    words = ["ring", "--grid", "1024", "-n", 1024]
    trace = Trace(*words)
    check_rows(trace, words)
    assert trace.names == {0: "P(0) to P(1023)"} and not trace.flows


def test_on():
    """The run is process 2, with the same names of steps."""
    trace = Trace("cannon", "--grid", "4x4", "-n", 64, "--on", "cpu", "--trials", 3, "--warmup", 0)
    measured = [event for event in trace.all["traceEvents"] if event["pid"] == 2]
    slices = [event for event in measured if event["ph"] == "X"]
    labels = {step["args"]["step"]: step["name"] for step in trace.steps}
    assert {s["args"]["step"]: s["name"] for s in slices} == labels and len(slices) == 5
    assert [e["args"]["name"] for e in measured if e["name"] == "process_name"] == ["measured: cannon on 4x4, cpu"]
    assert trace.about["on"] == "cpu" and Trace("cannon", "--grid", "2x2", "-n", 8).about["on"] is None
    assert "add --on EXECUTOR" in run("trace", "cannon", "--grid", "2x2", "-n", 8, "--trials", 2, "-o", "x.json",
                                  expect=2).stderr
    run("trace", "cannon", "--grid", "2x2", "-n", 8, "--on", "moon", "-o", "x.json", expect=2)
    assert not pathlib.Path("x.json").exists()


def test_sim_writes_the_same():
    words = ["cannon", "--grid", "3x3", "-n", 90, "--model", "flow"]
    run("trace", *words, "-o", "one.json")
    run("sim", *words, "--trace", "two.json")
    assert pathlib.Path("one.json").read_bytes() == pathlib.Path("two.json").read_bytes()


def test_refusals():
    """A file is there whole or not at all, and one that was there stays."""
    good = ["cannon", "--grid", "4x4", "-n", 64]
    wrong = run("show", "cannon").stdout.replace("(i, j-1)", "(i, j-2)")
    pathlib.Path("wrong.sched").write_text(wrong)
    pathlib.Path("old.json").write_text("old")
    bad = run("trace", "wrong.sched", "--grid", "4x4", "-n", 64, "-o", "old.json", expect=3)
    assert re.match(r"wrong\.sched:\d+:\d+: step 3", bad.stderr) and pathlib.Path("old.json").read_text() == "old"
    bad = run("trace", "wrong.sched", "--grid", "28x28", "-n", 56, "-o", "none.json", expect=3)
    assert re.match(r"wrong\.sched:\d+:\d+: ", bad.stderr) and not pathlib.Path("none.json").exists()
    # too large for the proof before, small enough for all events: found on the way
    pathlib.Path("empty.sched").write_text(EMPTY)
    assert document("sim", "empty.sched", "--grid", "100x100", "-n", 100)["proved"] is False
    bad = run("trace", "empty.sched", "--grid", "100x100", "-n", 100, "-o", "none.json", expect=3)
    assert "C(0, 0)" in bad.stderr and not pathlib.Path("none.json").exists()
    for words, status, said in [([], 2, "expected -o FILE.json"), (["-o", "x.svg"], 2, "ends in .json"),
                                (["-o", "-"], 2, "ends in .json"), (["-o", "no/x.json"], 1, "no/x.json"),
                                (["--model", "guess", "-o", "x.json"], 2, "--model"),
                                (["summa", "-o", "x.json"], 2, "summa")]:
        bad = run("trace", *good, *words, expect=status)
        assert said in bad.stderr and bad.stdout == "", (words, bad.stderr)
    assert "sizes" in run("trace", "cannon", "--grid", "4x4", "-o", "x.json", expect=2).stderr
    assert not pathlib.Path("x.json").exists()
    assert run("trace", *good, "-o", "x.json", "-q").stdout == ""


if __name__ == "__main__":
    sys.exit(tap.run_cases([(name, lambda folder, case=case: case()) for name, case in tap.cases_of(globals())]))
