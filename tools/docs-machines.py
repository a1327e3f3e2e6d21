#!/usr/bin/env python3
"""Rewrites the marked region of docs/reference/machines.md, the table of the machines, from machines/*.machine.

The region stands between `<!-- machines -->` and `<!-- end -->`. What stands above it is checked: the page's tables
list the keys that sim/machine/machine-keys.c knows, section by section and in that order. So is that the program has all files.

With --check nothing is written: the status is 1 where the page differs from what would be written.

Usage: docs-machines.py [--check] [PAGE]      PAGE: docs/reference/machines.md if not given
"""
import argparse
import configparser
import difflib
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
REGION = re.compile(r"(^<!-- machines -->\n).*?(^<!-- end -->\n)", re.M | re.S)
TIERS = ["disk", "cache", "device"]


class Failure(Exception):
    pass


def read_machine(path):
    """The sections of a machine file as dictionaries."""
    parser = configparser.ConfigParser(delimiters="=", inline_comment_prefixes="#", interpolation=None)
    parser.read_string(path.read_text(encoding="utf-8"), str(path))
    return {section: dict(parser[section]) for section in parser.sections()}


def links(machine, key):
    """The value of [link], or those of the levels, innermost first."""
    levels = sorted(section for section in machine if section.startswith("level."))
    values = [machine[level].get(key, machine["link"][key]) for level in levels]
    return " / ".join(values or [machine["link"][key]])


def rate(machine):
    """The constant rate, or the lowest and the highest of a table."""
    processor = machine["processor"]
    if "flops_per_s" in processor:
        return processor["flops_per_s"]
    rates = sorted((row.split(":")[1].strip() for row in processor["rate"].split(";") if row.strip()), key=float)
    return f"{rates[0]} to {rates[-1]}"


# Heading and content of each column, from a name and its machine.
COLUMNS = [
    ("machine", lambda name, m: f"[{name}](../../machines/{name}.machine)"),
    ("what it is", lambda name, m: m["machine"]["name"]),
    ("network", lambda name, m: f"`{m['machine']['network']}`" if "network" in m["machine"] else "any"),
    ("latency, s", lambda name, m: links(m, "latency_s")),
    ("bandwidth, bytes/s", lambda name, m: links(m, "bandwidth_bytes_per_s")),
    ("ports", lambda name, m: m.get("port", {}).get("ports", "one")),
    ("flop/s", lambda name, m: rate(m)),
    ("memory, bytes", lambda name, m: m["processor"].get("memory_bytes", "inf")),
    ("tiers", lambda name, m: ", ".join(tier for tier in TIERS if tier in m) or "-"),
    ("residual", lambda name, m: m["machine"].get("residual", "0")),
    ("source", lambda name, m: m["machine"]["source"]),
]


def table():
    lines = ["| " + " | ".join(heading for heading, _ in COLUMNS) + " |", "|---" * len(COLUMNS) + "|"]
    for path in sorted((ROOT / "machines").glob("*.machine")):
        machine = read_machine(path)
        lines.append("| " + " | ".join(content(path.stem, machine) for _, content in COLUMNS) + " |")
    return "\n".join(lines) + "\n"


def known_keys():
    """What the reader knows: for each section its keys, in their order."""
    text = (ROOT / "sim" / "machine" / "machine-keys.c").read_text(encoding="utf-8")
    lists = {name: re.findall(r"KEY\(\w+, (\w+),", body)
             for name, body in re.findall(r"TgMachineKey (\w+)\[\] = \{\n(.*?)^\};", text, re.M | re.S)}
    return {section: lists[keys] for section, keys in re.findall(r'^    \{"(\w+)", (\w+_keys), ', text, re.M)}


def written_keys(page):
    """What the page's tables list: `## [a], [b]` and below it rows that begin with `| \\`key\\``."""
    keys = {}
    for heading, body in re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", page, re.M | re.S):
        for section in re.findall(r"\[(\w+)(?:\.\w+)?\]", heading):
            keys[section] = re.findall(r"^\| `(\w+)` ", body, re.M)
    return keys


def check_keys(page):
    known, written = known_keys(), written_keys(page)
    for section in sorted({*known, *written}):
        if known.get(section) != written.get(section):
            raise Failure(f"[{section}] in the page: {written.get(section)}, in the code: {known.get(section)}")


def check_library():
    """A file that machines/meson.build does not name is not in the program."""
    listed = re.findall(r"'(\S+\.machine)'", (ROOT / "machines" / "meson.build").read_text(encoding="utf-8"))
    there = [path.name for path in (ROOT / "machines").glob("*.machine")]
    if sorted(listed) != sorted(there):
        raise Failure(f"machines/meson.build differs from the folder in {sorted({*listed} ^ {*there})}")


def main():
    parser = argparse.ArgumentParser(description="Rewrites the table of the machines in docs/reference/machines.md.")
    parser.add_argument("--check", action="store_true", help="write nothing; fail where the page is out of date")
    parser.add_argument("page", nargs="?", type=pathlib.Path, default=ROOT / "docs" / "reference" / "machines.md")
    options = parser.parse_args()
    try:
        old = options.page.read_text(encoding="utf-8")
        check_keys(old)
        check_library()
        if len(REGION.findall(old)) != 1:
            raise Failure(f"{options.page}: needs one region from <!-- machines --> to <!-- end -->")
        new = REGION.sub(lambda match: match.group(1) + table() + match.group(2), old)
    except (Failure, OSError, KeyError, configparser.Error) as error:
        sys.exit(f"docs-machines.py: {error!r}" if isinstance(error, KeyError) else f"docs-machines.py: {error}")
    if options.check and new != old:
        sys.stdout.writelines(difflib.unified_diff(old.splitlines(True), new.splitlines(True), "page", "generated"))
        sys.exit("docs-machines.py: the page is out of date; run tools/docs-machines.py")
    if new != old:
        options.page.write_text(new, encoding="utf-8")


if __name__ == "__main__":
    main()
