#!/usr/bin/env python3
"""Every link in a document leads somewhere, every path of a document that the source mentions exists and every path of a
source file that a document mentions, and every page below docs/ can be reached from README.md. Writes TAP.

Usage: test-docs-links.py ROOT
"""
import os
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import tap  # noqa: E402

ROOT = pathlib.Path(sys.argv[1]).resolve()
LINK = re.compile(r"\]\(([^()\s]+)\)|(?:src|href)=\"([^\"]+)\"")
CODE = re.compile(r"^```.*?^```$", re.M | re.S)
HEADING = re.compile(r"^#+ +(.*?) *$", re.M)
MENTION = re.compile(r"(?<![\w/.-])docs/[\w/.-]*\w")
PATH = re.compile(r"`((?:algo|bench|cli|cuda|examples|exec|io|machines|schedule|sim|tests|tools|topo|viz)/[\w/.-]+)[` ]")
SOURCES = {".build", ".c", ".cu", ".cuh", ".h", ".in", ".machine", ".md", ".mjs", ".py", ".sh", ".txt", ".json"}


def anchors(text):
    """The anchors of a page's headings, as GitHub makes them."""
    found = set()
    for heading in HEADING.findall(CODE.sub("", text)):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        slug = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
        number, name = 0, slug
        while name in found:
            number += 1
            name = f"{slug}-{number}"
        found.add(name)
    return found


def links(page):
    """The targets of a page's links within the source."""
    text = re.sub(r"`[^`\n]*`", "", CODE.sub("", page.read_text(encoding="utf-8")))
    targets = (first or second for first, second in LINK.findall(text))
    return [target for target in targets if not re.match(r"[a-z]+:", target)]


def broken(page):
    """The links of a page that lead nowhere."""
    for target in links(page):
        path, _, anchor = target.partition("#")
        file = page.parent / path if path else page
        if not file.exists():
            yield f"{page}: there is no {path}"
        elif anchor and anchor not in anchors(file.read_text(encoding="utf-8")):
            yield f"{page}: {file.name} has no heading #{anchor}"


def walk():
    """All files but those of build folders and of version control."""
    for folder, folders, files in os.walk(ROOT):
        folders[:] = sorted(name for name in folders if not name.startswith((".", "build", "node_modules", "demo-out")))
        yield from (pathlib.Path(folder) / name for name in sorted(files))


def pages():
    return [path for path in walk() if path.suffix == ".md"]


def test_links(_folder):
    found = [line for page in pages() for line in broken(page)]
    assert not found, "\n".join(found)


def test_paths_in_the_source(_folder):
    """Help texts, errors, comments and scripts name documents by their paths."""
    found = []
    for path in walk():
        if path.suffix in SOURCES and path.name not in ("CHANGELOG.md", "test-docs-links.py"):
            text = path.read_text(encoding="utf-8", errors="replace")
            found += [f"{path}: there is no {name}" for name in set(MENTION.findall(text))
                      if "NAME" not in name and not (ROOT / name).exists()]
    assert not found, "\n".join(found)


def test_paths_in_documents(_folder):
    """`sim/plan.h`; names in upper case (`algo/NAME.sched`) stand for many."""
    found = [f"{page}: there is no {name}" for page in pages() if page.name != "CHANGELOG.md"
             for name in PATH.findall(page.read_text(encoding="utf-8"))
             if not re.search(r"[A-Z]{4}", name) and not (ROOT / name).exists()]
    assert not found, "\n".join(found)


def test_reachable_from_readme(_folder):
    """From README.md, by links from page to page."""
    todo, seen = [ROOT / "README.md"], set()
    while todo:
        page = todo.pop().resolve()
        if page.suffix != ".md" or page in seen or not page.exists():
            continue
        seen.add(page)
        todo += [page.parent / target.partition("#")[0] for target in links(page) if not target.startswith("#")]
    lost = [str(page) for page in pages() if (ROOT / "docs") in page.parents and page not in seen]
    assert not lost, "no link leads to " + ", ".join(lost)


def test_finds_what_is_broken(folder):
    """What is broken is found."""
    (folder / "other.md").write_text("# A heading: `code` (and more)\n```\n# no heading\n```\n## Twice\n## Twice\n")
    page = folder / "page.md"
    page.write_text("[a](other.md#a-heading-code-and-more) [b](other.md#twice-1) [c](https://nowhere.invalid) `[d](none.md)`\n"
                    "[e](gone.md) [f](other.md#no-heading) <img src=\"gone.svg\"> ![g](gone.png) [h](#here)\n")
    said = "\n".join(broken(page))
    assert len(said.splitlines()) == 5, said
    for word in ("gone.md", "#no-heading", "gone.svg", "gone.png", "#here"):
        assert word in said, said


if __name__ == "__main__":
    sys.exit(tap.run_cases(tap.cases_of(globals())))
