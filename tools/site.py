#!/usr/bin/env python3
"""Builds the documentation as a website, with the live page of every schedule.

  site.py --command build/cli/topogemm -o site/

It needs no server and works under any URL. The front page is README.md, and its picture is
the live page of Cannon's algorithm; every page of docs/algorithms/ begins with the live page of its schedule. Documents are found
by their links, beginning with README.md, and converted by cmark-gfm (Debian's package of that name). Links to other files of the
project lead to copies of them.
"""
import argparse
import html
import os
import pathlib
import re
import shutil
import subprocess
import sys

import gallery

ROOT = gallery.ROOT
GROUPS = {"tutorial": "Tutorial", "guide": "Guides", "teach": "Teaching", "reference": "Reference", "algorithms": "Algorithms", "results": "Results",
          "internals": "For contributors"}
LINK = re.compile(r'(<a href|<img src)="([^"]*)"')
HEADING = re.compile(r"<h([1-6])>(.*?)</h\1>", re.S)
LIVE = '<iframe class="live" title="{title}, step by step" src="{page}?embed#step=1" loading="lazy"></iframe>\n' \
       '<p><a href="{page}">Open the whole page</a>: edit the schedule, change the grid, follow a block.</p>\n'

STYLE = """:root { color-scheme: light dark; --ink: #1a1a1a; --paper: #fff; --soft: #555; --line: #ccc; --link: #005a8c; --code: #f4f4f4; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #ececec; --paper: #16181b; --soft: #b0b3b8; --line: #4b4f55; --link: #7cc4f0; --code: #1f2226; }
}
* { box-sizing: border-box; }
body { margin: 0; font: 16px/1.5 "Liberation Sans", Arial, sans-serif; color: var(--ink); background: var(--paper); display: grid;
  grid-template-columns: 15rem minmax(0, 1fr); }
nav { padding: 1rem; border-right: 1px solid var(--line); font-size: 0.93rem; position: sticky; top: 0; max-height: 100vh; overflow: auto; }
nav ul { list-style: none; margin: 0.2rem 0 0.6rem; padding-left: 0.7rem; }
nav summary { font-weight: bold; cursor: pointer; }
nav a { text-decoration: none; display: block; padding: 0.1rem 0; }
nav a[aria-current] { font-weight: bold; text-decoration: underline; }
main { padding: 1rem 2rem 4rem; max-width: 62rem; min-width: 0; }
a { color: var(--link); }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
pre, code { font: 0.88em/1.45 "DejaVu Sans Mono", "Liberation Mono", monospace; background: var(--code); }
code { padding: 0.1em 0.25em; } pre { padding: 0.7rem; overflow: auto; } pre code { padding: 0; }
.wide { overflow: auto; } table { border-collapse: collapse; } th, td { border: 1px solid var(--line); padding: 0.25rem 0.6rem; text-align: left; vertical-align: top; }
img { max-width: 100%; background: #fff; }
.live { width: 100%; height: min(36rem, 85vh); border: 1px solid var(--line); border-radius: 6px; background: var(--paper); }
@media (max-width: 50rem) { body { display: block; } nav { position: static; max-height: none; border: 0; border-bottom: 1px solid var(--line); } main { padding: 0.7rem; } }
@media print { nav, .live { display: none; } body { display: block; } }
"""


def slug(heading):
    """The heading's anchor, as code forges make it."""
    text = html.unescape(re.sub(r"<[^>]+>", "", heading)).strip().lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


def address(path):
    """Where a file of the project is on the site."""
    if path == pathlib.PurePosixPath("README.md"):
        return pathlib.PurePosixPath("index.html")
    return path.with_suffix(".html") if path.suffix == ".md" else path


class Site:
    def __init__(self, command, folder):
        self.command, self.folder = command, folder
        self.pages, self.titles, self.files = {}, {}, set()
        self.live = {name: (words, title) for name, words, title, _ in gallery.shown()}

    def read(self, path):
        """Converts a document and all that it links to."""
        if path in self.pages:
            return
        text = (ROOT / path).read_text(encoding="utf-8")
        body = subprocess.run(["cmark-gfm", "-e", "table", "-e", "autolink", "--unsafe"], input=text, capture_output=True, text=True,
                              check=True).stdout
        self.pages[path] = ""
        self.titles[path] = html.unescape(re.sub(r"<[^>]+>", "", HEADING.search(body)[2]))
        body = LINK.sub(lambda found: f'{found[1]}="{self.link(path, found[2])}"', body)
        body = re.sub(r'<a href="">(.*?)</a>', r"\1", body, flags=re.S)
        seen = {}

        def with_id(found):
            name = slug(found[2])
            seen[name] = seen.get(name, -1) + 1
            return f'<h{found[1]} id="{name}{f"-{seen[name]}" if seen[name] else ""}">{found[2]}</h{found[1]}>'

        body = HEADING.sub(with_id, body)
        body = re.sub(r"<th( [^>]*)?></th>", "<td></td>", body)  # a corner heads nothing
        self.pages[path] = re.sub(r"<table>(.*?)</table>", r'<div class="wide" tabindex="0"><table>\1</table></div>', body, flags=re.S).replace(
            "<pre>", '<pre tabindex="0">')

    def link(self, path, to):
        """A link of a document, as it is on the site; "" where there is nothing to lead to."""
        if re.match(r"[a-z]+:|#", to) or not to:
            return to
        target, _, anchor = html.unescape(to).partition("#")
        wanted = pathlib.PurePosixPath(os.path.normpath(path.parent / target))
        if (ROOT / wanted).is_dir():
            wanted = wanted / "README.md"
        if not (ROOT / wanted).is_file():
            return ""
        if wanted.suffix == ".md":
            self.read(wanted)
        else:
            self.files.add(wanted)
        return html.escape(os.path.relpath(address(wanted), address(path).parent) + (f"#{anchor}" if anchor else ""))

    def navigation(self, path):
        """The list of all documents, that of this one open."""
        def item(to):
            here = ' aria-current="page"' if to == path else ""
            return f'<li><a href="{html.escape(os.path.relpath(address(to), address(path).parent))}"{here}>{html.escape(self.titles[to])}</a></li>'

        parts = ["<nav aria-label=\"Documents\"><ul>", item(pathlib.PurePosixPath("README.md")), item(pathlib.PurePosixPath("docs/gallery.md")), "</ul>"]
        for name, title in GROUPS.items():
            pages = sorted(to for to in self.pages if to.parent == pathlib.PurePosixPath("docs") / name)
            shown = " open" if path in pages or name == "tutorial" else ""
            parts.append(f"<details{shown}><summary>{title}</summary><ul>{''.join(map(item, pages))}</ul></details>")
        return "".join(parts) + "</nav>"

    def with_live_page(self, path, body):
        """The page with the live one of its schedule."""
        name = "cannon" if path.name == "README.md" and path.parent.name == "" else path.stem
        if name not in self.live or path.parent.name not in ("", "algorithms"):
            return body
        live = LIVE.format(title=html.escape(self.live[name][1]), page=os.path.relpath(f"pages/{name}.html", address(path).parent))
        if path.name == "README.md":
            return re.sub(r"<p><img [^>]*page\.png.*?</p>|<img [^>]*page\.png[^>]*>", lambda _: live, body, count=1, flags=re.S)
        return re.sub(r"</h1>\n", lambda found: found[0] + live, body, count=1)

    def write(self):
        self.read(pathlib.PurePosixPath("README.md"))
        gallery.write_pages(self.command, self.folder / "pages")
        for path, body in self.pages.items():
            out = self.folder / address(path)
            out.parent.mkdir(parents=True, exist_ok=True)
            style = os.path.relpath("style.css", address(path).parent)
            out.write_text(f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
                           f'<title>{html.escape(self.titles[path])}</title><link rel="icon" href="data:,"><link rel="stylesheet" href="{style}">'
                           f"</head><body>\n{self.navigation(path)}\n<main>\n{self.with_live_page(path, body)}</main>\n</body></html>\n", encoding="utf-8")
        for path in self.files:
            (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / path, self.folder / path)
        (self.folder / "style.css").write_text(STYLE, encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--command", required=True, type=pathlib.Path, help="the built topogemm")
    parser.add_argument("-o", "--output", required=True, type=pathlib.Path, help="folder to write")
    options = parser.parse_args()
    if not shutil.which("cmark-gfm"):
        sys.exit("site.py: cmark-gfm is missing; install it with: apt-get install cmark-gfm")
    site = Site(options.command.resolve(), options.output)
    site.write()
    print(f"{options.output}: {len(site.pages)} documents, {len(site.live)} live pages, {len(site.files)} other files")


if __name__ == "__main__":
    main()
