"""Checks a JSON document against a JSON Schema (draft 2020-12, the keywords below), so that no package is needed. A
keyword that is not among them is an error of the schema, never passed over."""

import re

TYPES = {
    "object": lambda v: isinstance(v, dict),
    "array": lambda v: isinstance(v, list),
    "string": lambda v: isinstance(v, str),
    "integer": lambda v: isinstance(v, int) and not isinstance(v, bool),
    "boolean": lambda v: isinstance(v, bool),
    "null": lambda v: v is None,
}
NUMBER, IGNORED = TYPES["integer"], ("$schema", "$defs", "title", "description")


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
    for applies, words, size in ((NUMBER, ("minimum", "maximum"), int), (TYPES["array"], ("minItems", "maxItems"), len),
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


def check(value, schema, root=None, where="$"):
    """Raises SchemaError unless the value is as the schema says."""
    root = schema if root is None else root
    if isinstance(schema, bool):
        if not schema:
            raise SchemaError(f"{where}: not expected here")
        return
    if "$ref" in schema:
        if len(schema) > 1 or not schema["$ref"].startswith("#/$defs/"):
            raise SchemaError(f"schema of {where}: {schema} is more than a reference")
        check(value, root["$defs"][schema["$ref"].removeprefix("#/$defs/")], root, where)
        return
    plain = rules(value)
    for keyword, wanted in schema.items():
        if keyword in ("properties", "additionalProperties", "items", *IGNORED):
            continue
        if keyword not in plain:
            raise SchemaError(f"schema of {where}: unknown keyword {keyword}")
        if not plain[keyword](wanted):
            raise SchemaError(f"{where}: {str(value)[:60]} is against {keyword} {wanted}")
    for item, inner, place in children(value, schema, where):
        check(item, inner, root, place)
