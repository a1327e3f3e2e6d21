#!/usr/bin/env python3
"""Checks the JSON documents of every subcommand, and the committed measurements, against docs/schema/. Prints TAP.

Usage: json-documents.py TOPOGEMM
"""

import copy
import json
import pathlib
import re
import subprocess
import sys

sys.dont_write_bytecode = True  # nothing is left beside the sources
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import schema_check  # noqa: E402
import tap  # noqa: E402

try:
    import jsonschema  # a second opinion on schema_check.py where it is there
    import referencing
except ImportError:
    jsonschema = None

PROGRAM = str(pathlib.Path(sys.argv[1]).resolve())
ROOT = pathlib.Path(__file__).resolve().parents[2]
WRONG = {name: str(ROOT / "tests" / "golden" / "cli" / f"{name}.sched") for name in ("wrong-shift", "wrong-place", "unread")}
ON_CPU = "--on cpu --trials 2"
# Format, exit status, words of the command.
CASES = [
    ("verify", 0, "verify cannon --grid 4x4"),
    ("verify", 0, "verify transpose --grid 2x2"),
    ("verify", 0, f"verify {WRONG['unread']} --grid 2x2"),
    ("verify", 3, f"verify {WRONG['wrong-shift']} --grid 4x4"),
    ("verify-range", 0, "verify cannon25d --for q=2..4,c=1..2"),
    ("verify-range", 3, f"verify {WRONG['wrong-place']} --for 1..3"),
    ("verify-all", 0, "verify --all --for 1..2"),
    ("step", 0, "step cannon --grid 4x4 -n 8"),
    ("step", 0, "step dns --grid 2x2x2 --size 3x5x4 --step 2"),
    ("step", 3, f"step {WRONG['wrong-shift']} --grid 4x4 -n 8"),
    ("step", 3, f"step {WRONG['wrong-place']} --grid 2x2 -n 8"),
    ("sim", 0, "sim cannon --grid 4x4 -n 4096"),
    ("sim", 0, "sim transpose --grid 2x2 -n 100"),
    ("sim", 0, "sim cannon --grid 4x4 -n 4096 --model flow --skew 1e-3 --jitter 0.1 --straggler 5:2 --machine tpu-torus"),
    ("failure", 3, f"sim {WRONG['wrong-shift']} --grid 4x4 -n 8"),
    ("failure", 3, f"sim cannon {WRONG['wrong-shift']} --grid 4x4 -n 8"),
    ("failure", 3, f"run {WRONG['wrong-shift']} --grid 4x4 -n 8 {ON_CPU}"),
    ("failure", 3, f"run {WRONG['wrong-shift']} --grid 4x4 -n 8 --on blocks"),
    ("failure", 3, f"compare cannon {WRONG['wrong-shift']} --grid 4x4 -n 8 {ON_CPU} --budget 0.001"),
    ("sim", 0, "sim mmt --grid 4 -n 4096 --from disk"),
    ("sweep", 0, "sim cannon summa dns --size 4096x2048x1024 --grid 8x8,4x4x4 --network hypercube:6"),
    ("sweep", 0, "sim cannon dns --sweep n=512..8192:x4,p=64,100,4096"),
    ("sweep", 0, "sim cannon --sweep p=16,64 --efficiency 0.5"),
    ("plan", 0, "plan -n 1024 --procs 64"),
    ("plan", 0, "plan -n 1024 --procs 64 --memory 1e6 --model flow"),
    ("shard", 0, "shard A[I:x,K]*B[K,J]->C[I,J] --mesh x=2 -n 64"),
    ("list", 0, "list"),
    ("list", 0, "list machines"),
    ("topo", 0, f"topo --from {ROOT}/tests/fuzz/corpus/hardware/lstopo.xml"),
    ("topo", 0, "topo switch:4*torus:2x4"),
    ("run", 0, f"run cannon --grid 2x2 -n 64 {ON_CPU}"),
    ("run", 0, "run summa --grid 2x2 -n 64 --on cpu --trials 1"),
    ("run", 0, f"run transpose --grid 2x2 -n 9 {ON_CPU}"),
    ("runs", 0, f"run cannon summa --grid 2x2 -n 64 {ON_CPU}"),
    ("compare", 0, f"compare cannon --grid 2x2 -n 64 {ON_CPU} --budget 0.01"),
    ("comparisons", 0, f"compare cannon summa --grid 2x2 -n 64 {ON_CPU} --budget 0.01"),
    ("calibrate", 0, "calibrate --on cpu --grid 2x2 --sizes 4,8,16 --budget 0.001 --noisy"),
    ("calibrate", 0, "calibrate --on cpu --grid 2x2 --sizes 4,8,16 --budget 0.001 --noisy --disk . --memory-limit 512M"),
    ("bench", 0, "bench oneil --cpu-only --quick --sizes 8,16"),
    ("bench", 0, "bench mmt --cpu-only --quick --sizes 9"),
    ("bench", 0, "bench dobravec --cpu-only --sizes 80 --budget 0.01"),
    ("bench", 0, "bench transpose --cpu-only --quick"),
    ("bench-host-anomaly", 0, "bench host-anomaly --quick --sizes 24,40"),
]
# A key whose values are of different kinds in different places: what it means differs, too.
SEVERAL = {"error", "example", "gpu", "node", "paper", "predicted", "processor", "runs", "steps"}
SEEN = {}


def document(words, status=0):
    done = subprocess.run([PROGRAM, *words.split(), "--json"], capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == status, f"{words}: {done.returncode} {done.stderr}"
    return json.loads(done.stdout)


def schema_of(found):
    return schema_check.read(f"{found['format']}-{found['version']}.schema.json")


def second_opinion(found):
    resource = referencing.Resource.from_contents
    registry = referencing.Registry(retrieve=lambda name: resource(schema_check.read(name)))
    return jsonschema.Draft202012Validator(schema_of(found), registry=registry).is_valid(found)


def check_case(name, status, words):
    found = document(words, status)
    assert (found["format"], found["version"]) == (f"topogemm-{name}", 1), list(found.items())[:2]
    schema_check.check_document(found)
    assert found.get("ok", True) is not (status == 3), found.get("ok")
    assert not jsonschema or second_opinion(found), "jsonschema rejects it"
    SEEN.setdefault(found["format"], found)


MACHINE = """[machine]
name = made up
residual = 0.1
[link]
latency_s = 1e-6
bandwidth_bytes_per_s = 1e9
[processor]
flops_per_s = 1e9
[executor]
on = cpu
transport = copy
type = f32
processors = 4
"""


def test_campaign(folder):
    cases, machine = pathlib.Path(folder) / "cases.txt", pathlib.Path(folder) / "made-up.machine"
    machine.write_text(MACHINE, encoding="ascii")
    cases.write_text("cannon summa --grid 2x2 -n 40\ncannon --grid 3x3 --size 20x30x40 --collective ring\n", encoding="ascii")
    for more in "--dry-run", "--trials 3":
        check_case("campaign", 0, f"compare --campaign {cases} --on cpu --machine {machine} {more}")


def test_tiled_files(folder):
    paths = [str(pathlib.Path(folder) / name) for name in ("a.tg", "c.tg")]
    made = subprocess.run([PROGRAM, "generate", paths[0], "-n", "100"], capture_output=True, text=True, check=False)
    if made.returncode == 4:
        raise tap.Skipped(made.stderr.strip())
    check_case("huge", 0, f"huge egmm --a {paths[0]} --b {paths[0]} --c {paths[1]}")
    check_case("check", 0, f"check {paths[0]} {paths[0]} {paths[1]}")
    check_case("check", 3, f"check {paths[0]} {paths[0]} {paths[0]}")


def test_grades(_):
    teach = ROOT / "docs" / "teach"
    check_case("grade", 3, f"grade {teach}/missing {teach}/answers")
    check_case("grade", 0, f"grade {teach}/answers {teach}/answers")


def test_measurements(_):
    """Keys that a measurement of an earlier commit lacks were added since."""
    for path in sorted((ROOT / "bench" / "results").glob("*.json")):
        found = json.loads(path.read_text(encoding="utf-8"))
        if "format" in found:
            schema_check.check_document(found, complete=False, where=path.name)
            SEEN.setdefault(found["format"], found)


def rejected(found, schema):
    try:
        schema_check.check(found, schema)
    except schema_check.SchemaError:
        return True
    return False


def test_other_documents_are_rejected(_):
    for name, found in SEEN.items():
        for change in ({"extra": 1}, {"format": "topogemm"}, {"version": True}):
            wrong = copy.deepcopy(found)
            wrong.update(change)
            assert rejected(wrong, schema_of(found)), f"{name}: {change} is accepted"
    for name, change in [("run", lambda d: d.pop("time_s")), ("run", lambda d: d.update(time_s=d["times"])),
                         ("run", lambda d: d["times"].pop("median")), ("sim", lambda d: d.update(parameters="q=4")),
                         ("sim", lambda d: d["steps"][0].update(start_s="0")), ("plan", lambda d: d["ranked"][0].update(grid=4)),
                         ("compare", lambda d: d["predicted"].pop("time_s")), ("compare", lambda d: d["calibration"].pop("fit")),
                         ("verify", lambda d: d.update(ok=None)), ("step", lambda d: d.update(seed=-1))]:
        wrong = copy.deepcopy(SEEN[f"topogemm-{name}"])
        change(wrong)
        assert rejected(wrong, schema_of(wrong)), name


def members(schema):
    """(key, schema) of all objects within a schema."""
    for key, inner in schema.get("properties", {}).items():
        yield key, inner
        yield from members(inner)
    if isinstance(schema.get("items"), dict):
        yield from members(schema["items"])
    for inner in (*schema.get("$defs", {}).values(), *schema.get("anyOf", [])):
        yield from members(inner)


def kinds(schema):
    """What values may be, apart from null: integers are numbers."""
    if "$ref" in schema:
        schema = schema_check.follow(schema["$ref"], schema_check.read("topogemm-common-1.schema.json"), "")[0]
    types = schema.get("type", [])
    for inner in schema.get("anyOf", []):
        types = [*types, *kinds(inner)]
    types = [types] if isinstance(types, str) else types
    found = {"number" if one == "integer" else one for one in types} - {"null"}
    return frozenset(found | ({"string"} if "enum" in schema else set()))


def test_one_form_for_one_name(_):
    found = {}
    for path in sorted(schema_check.FOLDER.glob("*.json")):
        if path.name.startswith("topogemm-schedule"):
            continue  # message by message: counts are called as what they count
        for key, schema in members(json.loads(path.read_text(encoding="utf-8"))):
            if "const" not in schema:
                found.setdefault(key, {}).setdefault(kinds(schema), set()).add(path.name)
    several = {key: forms for key, forms in found.items() if len(forms) > 1}
    assert set(several) == SEVERAL, {key: several.get(key) for key in set(several) ^ SEVERAL}
    for key, forms in found.items():
        if re.search(r"_s$", key):
            assert set(forms) == {frozenset({"number"})}, f"{key}: {forms}"


def test_every_schema_is_used(_):
    names = {path.name.removesuffix("-1.schema.json") for path in schema_check.FOLDER.glob("*.json")}
    assert names - set(SEEN) - {"topogemm-check", "topogemm-huge"} == {"topogemm-common", "topogemm-schedule"}, names ^ set(SEEN)


if __name__ == "__main__":
    sys.exit(tap.run_cases(
        [(re.sub(r"/\S*/", "", f"{name}: {words}"), lambda _, case=(name, status, words): check_case(*case))
         for name, status, words in CASES] + tap.cases_of(globals())))
