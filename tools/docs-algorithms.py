#!/usr/bin/env python3
"""Rewrites the marked regions of docs/algorithms/*.md from the texts of algo/ and from what the built command says.

A region begins with one of these lines and ends with `<!-- end -->`; what stands between is generated:

  <!-- schedule NAME -->                  the text of algo/NAME.sched, as `topogemm show NAME` prints it
  <!-- formula NAME -->                   the text of algo/NAME.formula
  <!-- picture NAME ARGUMENTS -->         docs/pictures/NAME.svg; --draw lets `topogemm draw NAME ARGUMENTS` draw it
  <!-- facts NAME ARGUMENTS; ... -->      a table, one row for each `topogemm verify NAME ARGUMENTS --json`
  <!-- index -->                          the table of all algorithms, from the pages and the texts

With --check nothing is written: the status is 1 where a page differs from what would be written, or where a schedule
has no page, and the difference is printed.
"""
import argparse
import difflib
import json
import pathlib
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
ALGO = ROOT / "algo"
PAGES = ROOT / "docs" / "algorithms"
PICTURES = ROOT / "docs" / "pictures"
KINDS = "schedule|formula|picture|facts|index"
REGION = re.compile(rf"^<!-- ({KINDS})\b ?([^\n]*?) ?-->\n(.*?)^<!-- end -->\n", re.M | re.S)


class Failure(Exception):
    pass


def run(command, *arguments):
    """Standard output of the command; its own words in the failure where it does not succeed."""
    done = subprocess.run([command, *arguments], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Failure(f"{command} {shlex.join(arguments)}: status {done.returncode}: {done.stderr.strip()}")
    return done.stdout


def read_text(name):
    path = ALGO / f"{name}.sched"
    if not path.is_file():
        raise Failure(f"{path.relative_to(ROOT)}: no such schedule")
    return path.read_text(encoding="utf-8")


def schedule_region(arguments, options):
    text = read_text(arguments)
    shown = run(options.command, "show", arguments)
    if shown != text:
        raise Failure(f"topogemm show {arguments} differs from algo/{arguments}.sched: build the command again")
    return f"```\n{text}```\n"


def formula_region(arguments, _options):
    path = ALGO / f"{arguments}.formula"
    if not path.is_file():
        raise Failure(f"{path.relative_to(ROOT)}: no such closed form")
    return f"```\n{path.read_text(encoding='utf-8')}```\n"


def picture_region(arguments, options):
    name, *settings = shlex.split(arguments)
    path = PICTURES / f"{name}.svg"
    if options.draw:
        PICTURES.mkdir(parents=True, exist_ok=True)
        run(options.command, "draw", name, *settings, "-o", str(path))
    if not path.is_file():
        raise Failure(f"{path.relative_to(ROOT)} is missing: --draw draws it")
    said = shlex.join(["topogemm", "draw", name, *settings, "-o", f"{name}.svg"])
    return f"![One step of {name} as a picture](../pictures/{name}.svg)\n\n`{said}`\n"


def ratio(document, key):
    """How many times a lower bound it is; a dash where the bound says nothing (a transpose, one processor)."""
    value = (document["bounds"] or {key: None})[key]
    return "-" if value is None else f"{value:.2f}"


# Heading and content of each column, from one document of `topogemm verify --json`.
COLUMNS = [
    ("grid", lambda d: d["grid"] + d["settings"]),
    ("processors", lambda d: str(d["processors"])),
    ("messages", lambda d: str(d["messages"])),
    ("products", lambda d: str(d["products"])),
    ("blocks held", lambda d: str(d["blocks_per_processor_max"])),
    ("m×n×k", lambda d: f"{d['m']}×{d['n']}×{d['k']}"),
    ("words received", lambda d: str(d["words_received_max"])),
    ("× bound", lambda d: ratio(d, "words_received_ratio")),
    ("words held", lambda d: str(d["words_per_processor_max"])),
    ("× one copy", lambda d: ratio(d, "words_per_processor_ratio")),
]


def facts_region(arguments, options):
    name, rest = arguments.split(maxsplit=1)
    lines = ["| " + " | ".join(heading for heading, _ in COLUMNS) + " |", "|---" * len(COLUMNS) + "|"]
    for settings in rest.split(";"):
        words = shlex.split(settings)
        document = json.loads(run(options.command, "verify", name, *words, "--json"))
        if not document["ok"]:
            raise Failure(f"verify {name} {settings.strip()}: not ok")
        named = [words[i + 1] for i, word in enumerate(words) if word == "--set"]
        document["settings"] = "".join(f", {one}" for one in named)
        lines.append("| " + " | ".join(content(document) for _, content in COLUMNS) + " |")
    return "\n".join(lines) + "\n"


def page_words(name):
    """Title and first paragraph of a page."""
    path = PAGES / f"{name}.md"
    if not path.is_file():
        raise Failure(f"{path.relative_to(ROOT)} is missing: every schedule of algo/ has its page")
    paragraphs = path.read_text(encoding="utf-8").split("\n\n")
    return paragraphs[0].removeprefix("# ").strip(), " ".join(paragraphs[1].split())


def index_region(_arguments, _options):
    lines = ["| schedule | | what it does | grid | source |", "|---|---|---|---|---|"]
    for name in sorted(path.stem for path in ALGO.glob("*.sched")):
        text = read_text(name)
        title, summary = page_words(name)
        citation = re.search(r'^  "(.*)"$', text, re.MULTILINE).group(1)
        grid = re.search(r"^grid (.*?) *(#.*)?$", text, re.MULTILINE).group(1)
        lines.append(f"| [{name}]({name}.md) | {title} | {summary} | `{grid}` | {citation} |")
    return "\n".join(lines) + "\n"


REGIONS = {"schedule": schedule_region, "formula": formula_region, "picture": picture_region, "facts": facts_region,
           "index": index_region}


def rewrite(text, options):
    def replace(match):
        kind, arguments = match.group(1), match.group(2)
        if options.only and kind not in options.only:
            return match.group(0)
        head = match.group(0).split("\n", 1)[0]
        return f"{head}\n{REGIONS[kind](arguments, options)}<!-- end -->\n"

    return REGION.sub(replace, text)


def check_pages():
    """Every schedule has a page that holds the regions of its own name, that of a closed form where it has one."""
    for name in sorted(path.stem for path in ALGO.glob("*.sched")):
        page_words(name)
        text = (PAGES / f"{name}.md").read_text(encoding="utf-8")
        kinds = {m.group(1) for m in REGION.finditer(text) if m.group(2).split()[:1] == [name]}
        expected = {"schedule", "picture", "facts"} | ({"formula"} if (ALGO / f"{name}.formula").is_file() else set())
        missing = expected - kinds
        if missing:
            raise Failure(f"docs/algorithms/{name}.md has no region {' and '.join(sorted(missing))} of {name}")


def update(path, options):
    """True where the page is, or now is, what it should be."""
    old = path.read_text(encoding="utf-8")
    new = rewrite(old, options)
    if new == old:
        return True
    if not options.check:
        path.write_text(new, encoding="utf-8")
        print(f"rewrote {path.relative_to(ROOT)}")
        return True
    name = str(path.relative_to(ROOT))
    sys.stdout.writelines(difflib.unified_diff(old.splitlines(True), new.splitlines(True), name, name + " (generated)"))
    return False


def main():
    parser = argparse.ArgumentParser(description="Rewrites the generated regions of docs/algorithms/*.md.")
    parser.add_argument("--command", default="build/cli/topogemm", help="the built topogemm (default: %(default)s)")
    parser.add_argument("--check", action="store_true", help="write nothing; fail where a page is out of date")
    parser.add_argument("--draw", action="store_true", help="draw the pictures, too")
    parser.add_argument("--only", action="append", choices=sorted(REGIONS), help="only regions of this kind")
    options = parser.parse_args()
    if options.check and options.draw:
        parser.error("--check writes nothing, --draw draws")
    options.command = str(pathlib.Path(options.command).resolve())
    try:
        check_pages()
        fine = [update(path, options) for path in sorted(PAGES.glob("*.md"))]
    except (Failure, OSError, KeyError, json.JSONDecodeError) as error:
        sys.exit(f"docs-algorithms.py: {error!r}" if isinstance(error, KeyError) else f"docs-algorithms.py: {error}")
    if not all(fine):
        sys.exit("docs-algorithms.py: the pages are out of date; run tools/docs-algorithms.py")


if __name__ == "__main__":
    main()
