#!/usr/bin/env python3
"""The gallery: every schedule of the library, a picture and its page.

  gallery.py --command build/cli/topogemm             rewrites docs/gallery.md
  gallery.py --command build/cli/topogemm --check     status 1 where it differs from what would be written
  gallery.py --command build/cli/topogemm -o FOLDER   writes FOLDER/index.html, and for every schedule its page and its picture

Which grid and step a schedule is shown at stands with its picture in docs/algorithms/.
"""
import argparse
import html
import pathlib
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGES = ROOT / "docs" / "algorithms"
TEXT = ROOT / "docs" / "gallery.md"
PICTURE = re.compile(r"^<!-- picture (\S+) (.*?) -->$", re.M)
COLUMNS = 3

HEAD = """# Gallery

Every schedule of the library, at one step. Each picture leads to the schedule's page. To step through all of them in a browser:

```sh
tools/gallery.py --command build/cli/topogemm -o gallery   # then open gallery/index.html
topogemm draw cannon --grid 4x4 -o cannon.html             # the page of one
```

"""

STYLE = """body { font: 16px/1.4 "Liberation Sans", Arial, sans-serif; margin: 1.5rem auto; max-width: 75rem; padding: 0 1rem;
  color-scheme: light dark; }
ul { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 20rem), 1fr)); gap: 1.2rem; padding: 0; list-style: none; }
a { display: block; box-sizing: border-box; border: 1px solid #8888; border-radius: 8px; padding: 0.8rem; text-decoration: none; color: inherit; height: 100%; }
a:hover, a:focus-visible { outline: 3px solid #005a8c; }
img { width: 100%; height: 14rem; object-fit: contain; background: #fff; border-radius: 4px; }
h2 { font-size: 1.1rem; margin: 0.5rem 0 0.2rem; } p { margin: 0; }"""


def shown():
    """Name, arguments, title and first sentence of every schedule."""
    for path in sorted(PAGES.glob("*.md")):
        text = path.read_text(encoding="utf-8")
        found = PICTURE.search(text)
        if found:
            title, _, rest = text.partition("\n")
            yield found.group(1), shlex.split(found.group(2)), title.lstrip("# "), rest.strip().split("\n\n")[0].replace("\n", " ")


def gallery_text():
    parts = [HEAD, "|" + "  |" * COLUMNS + "\n|" + "---|" * COLUMNS + "\n"]
    cells = [f"[![{title}](pictures/{name}.svg)](algorithms/{name}.md)<br>**{title}**: `{' '.join([name, *words])}`"
             for name, words, title, _ in shown()]
    for at in range(0, len(cells), COLUMNS):
        rows = cells[at:at + COLUMNS]
        parts.append("| " + " | ".join(rows + [""] * (COLUMNS - len(rows))) + " |\n")
    return "".join(parts)


def write_pages(command, folder):
    folder.mkdir(parents=True, exist_ok=True)
    items = []
    for name, words, title, about in shown():
        for suffix in ("svg", "html"):
            subprocess.run([command, "draw", name, *words, "-o", folder / f"{name}.{suffix}", "--quiet"], check=True)
        items.append(f'<li><a href="{name}.html"><img src="{name}.svg" alt="" loading="lazy"><h2>{html.escape(title)}</h2>'
                     f"<p>{html.escape(about)}</p></a></li>")
    (folder / "index.html").write_text(
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        f"<title>Parallel matrix multiplication, step by step</title><style>{STYLE}</style></head><body>\n"
        "<main>\n<h1>Parallel matrix multiplication, step by step</h1>\n<ul>\n" + "\n".join(items) + "\n</ul>\n</main>\n</body></html>\n",
        encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--command", required=True, type=pathlib.Path)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("-o", "--output", type=pathlib.Path)
    options = parser.parse_args()
    if options.output:
        write_pages(options.command.resolve(), options.output)
        return 0
    text = gallery_text()
    if not options.check:
        TEXT.write_text(text, encoding="utf-8")
        return 0
    same = TEXT.is_file() and TEXT.read_text(encoding="utf-8") == text
    if not same:
        print("docs/gallery.md differs from what tools/gallery.py writes", file=sys.stderr)
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
