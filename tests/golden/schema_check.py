"""Checks a JSON document against a JSON Schema (draft 2020-12, the keywords below), so that no package is needed. A
keyword that is not among them is an error of the schema, never passed over. A reference leads to the same file's $defs,
or to another file of docs/schema/ or its $defs."""

import functools
import json
import pathlib
import re

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "docs" / "schema"

TYPES = {
    "object": lambda v: isinstance(v, dict),
    "array": lambda v: isinstance(v, list),
    "string": lambda v: isinstance(v, str),
    "integer": lambda v: isinstance(v, int) and not isinstance(v, bool),
    "number": lambda v: isinstance(v, (int, float)) and not isinstance(v, bool),
    "boolean": lambda v: isinstance(v, bool),
    "null": lambda v: v is None,
}
NUMBER, IGNORED = TYPES["number"], ("$schema", "$defs", "title", "description")


class SchemaError(Exception):
    """Where the document (or the schema) is wrong, and why."""


def same(a, b):
    return a == b and isinstance(a, bool) == isinstance(b, bool)


def limits(value, words, size):
    """(keyword, whether it holds) for a minimum and a maximum."""
    return ((words[0], lambda limit: size(value) >= limit), (words[1], lambda limit: size(value) <= limit))


def rules(value):
    """What each plain keyword asks of the value; a keyword for another type asks nothing."""
    found = {
        "const": lambda wanted: same(value, wanted),
        "enum": lambda wanted: any(same(value, one) for one in wanted),
        "type": lambda wanted: any(TYPES[one](value) for one in ([wanted] if isinstance(wanted, str) else wanted)),
        "required": lambda keys: not isinstance(value, dict) or all(key in value for key in keys),
        "pattern": lambda form: not isinstance(value, str) or re.search(form, value) is not None,
    }
    for applies, words, size in ((NUMBER, ("minimum", "maximum"), float), (TYPES["array"], ("minItems", "maxItems"), len),
                                 (TYPES["string"], ("minLength", "maxLength"), len)):
        for word, rule in limits(value, words, size):
            found[word] = rule if applies(value) else lambda limit: True
    return found


def children(value, schema, where):
    """The values within, each with its schema and its place."""
    if isinstance(value, list) and "items" in schema:
        for index, item in enumerate(value):
            yield item, schema["items"], f"{where}[{index}]"
    if isinstance(value, dict):
        for key, item in value.items():
            yield item, schema.get("properties", {}).get(key, schema.get("additionalProperties", True)), f"{where}.{key}"


@functools.cache
def read(name):
    """The schema in a file of docs/schema/."""
    return json.loads((FOLDER / name).read_text(encoding="utf-8"))


def follow(reference, root, where):
    """The schema that a reference leads to, and the one that it is in."""
    name, _, path = reference.partition("#")
    if not re.fullmatch(r"[a-z0-9.-]*(#/\$defs/\w+)?", reference) or not reference:
        raise SchemaError(f"schema of {where}: reference {reference}")
    root = read(name) if name else root
    return (root["$defs"][path.removeprefix("/$defs/")] if path else root), root


def one_of(value, schemas, root, where, complete):
    """Raises SchemaError unless the value is as one of the schemas says."""
    problems = []
    for schema in schemas:
        try:
            return check(value, schema, root, where, complete)
        except SchemaError as error:
            problems.append(str(error))
    raise SchemaError("; ".join(problems))


def check(value, schema, root=None, where="$", complete=True):
    """Raises SchemaError unless the value is as the schema says; with `complete` false keys may be missing."""
    root = schema if root is None else root
    if isinstance(schema, bool):
        if not schema:
            raise SchemaError(f"{where}: not expected here")
        return
    if "$ref" in schema:
        if len(schema) > 1:
            raise SchemaError(f"schema of {where}: {schema} is more than a reference")
        inner, inner_root = follow(schema["$ref"], root, where)
        check(value, inner, inner_root, where, complete)
        return
    if "anyOf" in schema:
        one_of(value, schema["anyOf"], root, where, complete)
    plain = rules(value)
    for keyword, wanted in schema.items():
        if keyword in ("properties", "additionalProperties", "items", "anyOf", *IGNORED) or (keyword == "required" and not complete):
            continue
        if keyword not in plain:
            raise SchemaError(f"schema of {where}: unknown keyword {keyword}")
        if not plain[keyword](wanted):
            raise SchemaError(f"{where}: {str(value)[:60]} is against {keyword} {wanted}")
    for item, inner, place in children(value, schema, where):
        check(item, inner, root, place, complete)


def check_document(found, complete=True, where="$"):
    """Checks a document against the schema that its format and version name."""
    check(found, read(f"{found['format']}-{found['version']}.schema.json"), where=where, complete=complete)
