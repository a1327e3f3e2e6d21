#!/usr/bin/env python3
"""The rooms of the source: which headers are seen from where, by the commands that compile the files there."""
import json
import pathlib
import re
import shlex
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import tap  # pylint: disable=wrong-import-position

BUILD = pathlib.Path(sys.argv[1]).resolve()
TOP = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ["topo", "schedule", "io", "exec", "mpi", "sim", "disk", "viz", "cuda", "bench", "cli"]
LARGEST = 25
# The page and the screen have headers for others; page/glib is called as GLib is.
OPEN = {pathlib.Path("viz/page"), pathlib.Path("viz/page/glib"), pathlib.Path("viz/screen")}


def files(*suffixes):
    return [path.relative_to(TOP) for folder in FOLDERS for path in sorted((TOP / folder).rglob("*")) if path.suffix in suffixes]


def commands():
    """How one file of each room is compiled: {room: words without the file and what is written}."""
    found = {}
    for entry in json.loads((BUILD / "compile_commands.json").read_text()):
        source = pathlib.Path(entry["directory"], entry["file"]).resolve()
        if source.suffix != ".c" or not source.is_relative_to(TOP) or source.is_relative_to(BUILD):
            continue
        room = source.relative_to(TOP).parent
        if room.parts and room.parts[0] in FOLDERS:
            words = shlex.split(entry["command"])
            found.setdefault(room, [word for word in words if word.startswith(("-I", "-D", "-std"))])
    return found


def seen(words, headers):
    """Which of the headers a file that is compiled so can include. Its own folder counts only as far as -I names it."""
    text = "".join(f'#if __has_include(<{header.name}>)\nseen {header}\n#endif\n' for header in headers)
    done = subprocess.run(["cc", *words, "-nostdinc", "-E", "-P", "-"], input=text, cwd=BUILD, capture_output=True, text=True, check=True)
    return {pathlib.Path(line[5:]) for line in done.stdout.splitlines() if line.startswith("seen ")}


def headers_of_rooms():
    """But for those that share their name with another header, which the compiler cannot tell apart here."""
    headers = files(".h", ".cuh")
    names = [path.name for path in headers]
    return [path for path in headers if len(path.parts) > 2 and names.count(path.name) == 1]


def test_private_headers(_):
    """A header in a room is not seen from another top-level folder."""
    inside, rooms = headers_of_rooms(), commands()
    assert len(inside) > 100 and len(rooms) > 35, (len(inside), len(rooms))
    for room, words in rooms.items():
        wrong = {header for header in seen(words, inside) if header.parts[0] != room.parts[0] and header.parent not in OPEN}
        assert not wrong, f"a file in {room} can include {sorted(map(str, wrong))}"


def test_neighbours(_):
    """A room sees of its folder's other rooms those that its meson.build names."""
    for room, words in commands().items():
        text = (TOP / room / "meson.build").read_text() if len(room.parts) > 1 and (TOP / room / "meson.build").exists() else None
        if text is None:
            continue
        named = {(TOP / room / name).resolve().relative_to(TOP) for name in re.findall(r"'(\.\.[\w/.-]*)'", text)}
        others = [path for path in headers_of_rooms() if path.parts[0] == room.parts[0] and path.parent != room]
        wrong = {header for header in seen(words, others) if header.parent not in named | OPEN}
        assert not wrong or room in OPEN, f"a file in {room} can include {sorted(map(str, wrong))}"


def test_includes(_):
    """By name alone: where a header lies is a matter of the build."""
    for path in files(".c", ".h", ".cu", ".cuh"):
        assert not re.search(r'#include "[^"]*/', (TOP / path).read_text()), path


def test_sizes(_):
    """A folder that has grown too large to overlook is to get rooms."""
    for folder in {path.parent for path in files(".c", ".h", ".cu", ".cuh", ".js")}:
        count = len([path for path in (TOP / folder).iterdir() if path.is_file()])
        assert count <= LARGEST, f"{count} files directly in {folder}/"


def test_document(_):
    """The page about the source names every room, and no file that is not there."""
    text = (TOP / "docs/internals/source.md").read_text()
    rooms = {"/".join(path.parts[:2]) for path in files(".c", ".h", ".cu", ".cuh") if len(path.parts) > 2}
    assert len(rooms) > 35, rooms
    unnamed = sorted(room for room in rooms if f"`{room}/`" not in text)
    assert not unnamed, f"docs/internals/source.md does not name {unnamed}"
    for page in "source", "adding", "drawing":
        named = re.findall(r"`((?:%s)/[\w./-]+\.\w+)`" % "|".join([*FOLDERS, "tests", "tools"]), (TOP / f"docs/internals/{page}.md").read_text())
        gone = sorted({name for name in named if not (TOP / name).exists() and not re.search(r"[A-Z]{3}", name)})
        assert named and not gone, f"docs/internals/{page}.md names {gone}"


if __name__ == "__main__":
    sys.exit(tap.run_cases(tap.cases_of(globals())))
