#!/usr/bin/env python3
"""Checks exports as JSON: the JSON Schema, what the numbers mean, and that GOAL says the same. Prints TAP.

Usage: export-json.py SCHEMA EXPORT-SCHEDULE, the second the program built from export-schedule.c.
"""

import copy
import json
import pathlib
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # nothing is left beside the sources
import goal_check
import schema_check

try:
    import jsonschema  # a second opinion on schema_check.py where it is there
except ImportError:
    jsonschema = None

SCHEMA = json.loads(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"))
EXPORT = sys.argv[2]
POINTS = []
CASES = [
    ("cannon", "4x4", "-", "64x64x64", "f32", "native"),
    ("cannon", "5x5", "-", "3x2x7", "f64", "auto"),
    ("dns", "4x4x4", "-", "17x23x31", "f32", "auto"),
    ("summa", "4x4", "-", "64x64x64", "f32", "scatter-allgather"),
    ("fox", "3x3", "-", "9x9x9", "f32", "chain"),
    ("cannon25d", "4x4x2", "-", "64x64x64", "f32", "auto"),
    ("agarwal3d", "2x4x3", "-", "40x41x42", "f32", "ring"),
    ("agarwal3d", "2x4x2", "-", "40x41x42", "f32", "recursive-doubling"),
    ("ring", "6", "-", "30x30x30", "f64", "auto"),
    ("mmt", "4", "-", "30x30x30", "f32", "auto"),
    ("transpose", "4x4", "-", "9x10x1", "f32", "auto"),
]


def point(name, check, *arguments):
    try:
        problem = check(*arguments)
    except (AssertionError, goal_check.GoalError, schema_check.SchemaError) as error:
        problem = str(error) or repr(error)
    POINTS.append(problem is None)
    print(f"{'ok' if problem is None else 'not ok'} {len(POINTS)} {name}")
    if problem is not None:
        print(f"# {problem}")


def export(path, request):
    """The text of the file, and what the proof counted."""
    run = subprocess.run([EXPORT, path, *request], capture_output=True, text=True, check=False)
    assert run.returncode == 0, f"exit {run.returncode}: {run.stderr.strip()}"
    proved = run.stdout.splitlines()[1]
    return path.read_text(encoding="utf-8"), {key: int(value) for key, value in re.findall(r"(\w+)=(\d+)", proved)}


def statements(document):
    return [statement for step in document["steps"] for statement in step["statements"]]


def check_counts(document, proved):
    counts, executed = document["counts"], statements(document)
    messages = [message for statement in executed for message in statement.get("messages", [])]
    products = [product for statement in executed for product in statement.get("products", [])]
    found = {"statements": len(executed), "products": len(products), "messages": len(messages),
             "bytes": sum(message["bytes"] for message in messages)}
    for key, number in found.items():
        assert counts[key] == number == proved[key], f"{key}: {counts[key]}, listed {number}, proof {proved[key]}"
    assert counts["sends"] == sum(not message["joined"] for message in messages), "sends"
    assert counts["flops"] == sum(product["flops"] for product in products), "flops"


def check_processors(document):
    """Ranks and coordinates say the same, the last coordinate the fastest."""
    extents = [axis["extent"] for axis in document["axes"]]
    assert document["grid"] == "x".join(map(str, extents)), "grid"

    def check(rank, coordinates):
        number = 0
        for extent, coordinate in zip(extents, coordinates, strict=True):
            assert coordinate < extent, f"{coordinates} is outside the grid"
            number = number * extent + coordinate
        assert number == rank < document["processors"], f"rank {rank} is not {coordinates}"

    for placement in document["placements"]:
        check(placement["processor"], placement["coordinates"])
    for statement in statements(document):
        for message in statement.get("messages", []):
            assert message["from"] != message["to"], "a message to oneself"
            check(message["from"], message["from_coordinates"])
            check(message["to"], message["to_coordinates"])
        for product in statement.get("products", []):
            check(product["processor"], product["coordinates"])


def block_extents(document):
    """Elements of each block, from the placements and the sizes; C = A B unless the text says otherwise."""
    m, n, k = document["m"], document["n"], document["k"]
    transposed = re.search(r"^computes C = (A'?)(?: \* (B'?|A'?))?", document["text"], re.MULTILINE)
    sides = (transposed[1], transposed[2]) if transposed else ("A", "B")
    left, right = ((m, k), (k, n)) if sides[1] else ((m, n), None)
    shapes = {"C": (m, n)}
    for side, shape in zip(sides, (left, right)):
        if side:
            shapes[side[0]] = shape[::-1] if side.endswith("'") else shape
    places = [re.fullmatch(r"(.)\((\d+), (\d+)\)", placement["block"]).groups() for placement in document["placements"]]
    sizes = {}
    for matrix in shapes:
        rows = 1 + max(int(row) for name, row, _ in places if name == matrix)
        columns = 1 + max(int(column) for name, _, column in places if name == matrix)
        for row in range(rows):
            for column in range(columns):
                height = (row + 1) * shapes[matrix][0] // rows - row * shapes[matrix][0] // rows
                width = (column + 1) * shapes[matrix][1] // columns - column * shapes[matrix][1] // columns
                sizes[f"{matrix}({row}, {column})"] = height * width
    return sizes


def check_bytes(document):
    """Every message has the bytes of its block, or of its piece of it."""
    sizes = block_extents(document) | {"zero": 0}
    for statement in statements(document):
        for message in statement.get("messages", []):
            elements, pieces, piece = sizes[message["block"].rstrip("'")], message["pieces"], message["piece"]
            part = (piece + 1) * elements // pieces - piece * elements // pieces
            assert message["bytes"] == part * document["element_bytes"], f"{message}: expected {part} elements"


def check_text(document):
    """Statements stand in the text at their lines, and steps have its labels."""
    lines = document["text"].split("\n")
    for step in document["steps"]:
        assert not step["label"] or f'step "{step["label"]}"' in document["text"], f"label {step['label']}"
        for statement in step["statements"]:
            assert statement["text"] in lines[statement["line"] - 1], f"line {statement['line']}: {statement['text']}"
    indices = [step["index"] for step in document["steps"]]
    assert indices == sorted(set(indices)), "steps are not in order"


def check_goal(document, text):
    """Between each ordered pair both formats send the same, in the same order; in GOAL an empty block is one byte."""
    expected, found = {}, {}
    for statement in statements(document):
        for message in sorted(statement.get("messages", []), key=lambda message: message["round"]):
            sizes = expected.setdefault((message["from"], message["to"]), [])
            if message["joined"]:
                sizes[-1] += message["bytes"]
            else:
                sizes.append(message["bytes"])
    for rank, operations in enumerate(goal_check.check(text)):
        for operation in sorted((o for o in operations if o.kind == "send"), key=lambda o: o.tag):
            found.setdefault((rank, operation.peer), []).append(operation.size)
    expected = {pair: [max(size, 1) for size in sizes] for pair, sizes in expected.items()}
    wrong = [pair for pair in expected.keys() | found.keys() if expected.get(pair) != found.get(pair)]
    assert not wrong, f"{wrong[0]}: {expected.get(wrong[0])}, in GOAL {found.get(wrong[0])}"


def check_case(folder, request):
    text, proved = export(folder / "x.json", request)
    document = json.loads(text)
    schema_check.check(document, SCHEMA)
    check_counts(document, proved)
    check_processors(document)
    check_bytes(document)
    check_text(document)
    check_goal(document, export(folder / "x.goal", request)[0])


def edits(document):
    """Documents that are not of the format, and why."""
    def edit(name, change):
        wrong = copy.deepcopy(document)
        change(wrong)
        return name, wrong

    def message(wrong):
        return wrong["steps"][0]["statements"][0]["messages"][0]

    return [
        edit("another version", lambda d: d.update(version=2)),
        edit("a version that is true", lambda d: d.update(version=True)),
        edit("no text", lambda d: d.pop("text")),
        edit("another key", lambda d: d.update(extra=1)),
        edit("a size of 0", lambda d: d.update(m=0)),
        edit("a grid without extents", lambda d: d.update(grid="4x")),
        edit("a parameter in words", lambda d: d["parameters"].update(q="four")),
        edit("a block without its column", lambda d: message(d).update(block="A(1)")),
        edit("bytes below 0", lambda d: message(d).update(bytes=-1)),
        edit("bytes in words", lambda d: message(d).update(bytes="16")),
        edit("no receiver", lambda d: message(d).pop("to")),
        edit("a message with a key more", lambda d: message(d).update(hops=1)),
        edit("five coordinates", lambda d: message(d).update(to_coordinates=[0] * 5)),
        edit("an unknown operation", lambda d: d["steps"][0]["statements"][0].update(operation="shift")),
        edit("a step without statements", lambda d: d["steps"][0].update(statements=[])),
    ]


def check_rejected(wrong):
    try:
        schema_check.check(wrong, SCHEMA)
    except schema_check.SchemaError as error:
        agreed = not jsonschema or not jsonschema.Draft202012Validator(SCHEMA).is_valid(wrong)
        return None if agreed and "schema of" not in str(error) else f"jsonschema accepts it, or: {error}"
    return "accepted"


def check_second_opinion(document):
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert jsonschema.Draft202012Validator(SCHEMA).is_valid(document), "jsonschema rejects it"


def check_keyword():
    try:
        schema_check.check({}, {"maxProperties": 1})
    except schema_check.SchemaError:
        return None
    return "a keyword it does not know is passed over"


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for request in CASES:
            point(f"json {' '.join(request)}", check_case, folder, request)
        document = json.loads(export(folder / "x.json", CASES[0])[0])
    if jsonschema:
        point("jsonschema reads the schema alike", check_second_opinion, document)
    for words, wrong in edits(document):
        point(f"rejected: {words}", check_rejected, wrong)
    point("rejected: an unknown keyword of a schema", check_keyword)
    print(f"1..{len(POINTS)}")
    return 0 if all(POINTS) else 1


if __name__ == "__main__":
    sys.exit(main())
