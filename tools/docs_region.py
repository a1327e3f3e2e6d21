"""For tools that rewrite one marked region of a document by running the command."""
import argparse
import difflib
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def rewrite(description, page, name, table):
    """Puts table(PROGRAM) between `<!-- NAME -->` and `<!-- end -->`, or with --check ends with 1 where it is not that."""
    parser = argparse.ArgumentParser(description=description.split("\n", maxsplit=1)[0])
    parser.add_argument("page", nargs="?", type=pathlib.Path, default=ROOT / page)
    parser.add_argument("--program", required=True)
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    region = re.compile(rf"(^<!-- {name} -->\n).*?(^<!-- end -->\n)", re.M | re.S)
    old = arguments.page.read_text(encoding="utf-8")
    new, count = region.subn(lambda match: match.group(1) + table(arguments.program) + match.group(2), old)
    if count != 1:
        sys.exit(f"{arguments.page}: expected one region from <!-- {name} --> to <!-- end -->")
    if not arguments.check:
        arguments.page.write_text(new, encoding="utf-8")
    elif new != old:
        sys.exit("".join(difflib.unified_diff(old.splitlines(True), new.splitlines(True), "page", "should be")))
