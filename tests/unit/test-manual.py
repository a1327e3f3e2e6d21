#!/usr/bin/env python3
"""Manual pages and completion: test-manual.py FOLDER TOPOGEMM, where FOLDER has the generated files."""
import os
import pathlib
import pty
import re
import select
import shutil
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import tap  # pylint: disable=wrong-import-position

FILES = pathlib.Path(sys.argv[1]).resolve()
TOPOGEMM = pathlib.Path(sys.argv[2]).resolve()


def need(program):
    """Skips the case where a program is missing."""
    if not shutil.which(program):
        raise tap.Skipped(f"no {program} here; ./setup.sh --tests installs it")


def said(*words, **options):
    return subprocess.run(words, capture_output=True, text=True, check=True, timeout=60, **options).stdout


def subcommands():
    help_text = said(TOPOGEMM, "--help").split("\n\n")[1]
    return [line.split()[0] for line in help_text.splitlines() if re.match(r"  [a-z]", line) and not line.startswith("  help")]


def test_every_subcommand_has_a_page(_):
    names = {path.name for path in FILES.glob("*.1")}
    assert names == {"topogemm.1"} | {f"topogemm-{name}.1" for name in subcommands()}, names


def test_pages_are_well_formed(_):
    need("mandoc")
    for path in sorted(FILES.glob("*.1")):
        done = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", path], capture_output=True, text=True, check=False)
        remarks = [line for line in done.stdout.splitlines() if "missing date" not in line]
        assert not remarks, remarks


def test_pages_say_what_help_says(_):
    """Every option with its description, and every example."""
    need("mandoc")
    def squeezed(text):
        return re.sub(r"[\s`]+", "", text)
    for name in subcommands():
        page = squeezed(said("mandoc", "-T", "utf8", "-O", "width=200", FILES / f"topogemm-{name}.1").replace("\b", "\b\0"))
        page = re.sub(r".\x08\x00", "", page)
        options = said(TOPOGEMM, "help", name).split("\nOptions\n")[1]
        for option in re.split(r"\n(?=  (?:-|    --))", "\n" + options)[1:]:
            assert squeezed(option) in page, (name, option)


def test_bash(_):
    need("bash")
    def completed(*words):
        script = (f'source "{FILES}/topogemm"; COMP_WORDS=({" ".join(words)}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); _topogemm; '
                  'printf "%s\\n" "${COMPREPLY[@]}"')
        return said("bash", "--norc", "-c", script, cwd=FILES).split()
    assert completed("topogemm", "ver") == ["verify"]
    assert completed("topogemm", "verify", "fo") == ["fox"]
    assert completed("topogemm", "sim", "cannon", "--mod") == ["--model"]
    assert completed("topogemm", "sim", "cannon", "--model", "fl") == ["flow"]
    assert completed("topogemm", "sim", "cannon", "--model", "=", "fl") == ["flow"]
    assert completed("topogemm", "sim", "cannon", "--embed", "''") == ["rowmajor", "gray", "snake", "tiled", "fold"]
    assert completed("topogemm", "run", "cannon", "--on", "co") == ["cores"]
    assert completed("topogemm", "draw", "cannon", "-o", "topogemm-sim") == ["topogemm-sim.1"]
    assert completed("topogemm", "list", "mach") == ["machines"]
    assert completed("topogemm", "sim", "cannon", "-n", "''") == []


def test_fish(_):
    need("fish")
    def completed(line):
        out = said("fish", "--no-config", "-c", f"source {FILES}/topogemm.fish; complete -C '{line}'", cwd=FILES)
        return [row.split("\t")[0] for row in out.splitlines()]
    assert completed("topogemm ver") == ["verify"]
    assert "cannon" in completed("topogemm verify canno")
    assert completed("topogemm sim cannon --mod") == ["--model"]
    assert completed("topogemm sim cannon --model fl") == ["flow"]
    assert "cores" in completed("topogemm run cannon --on co")
    assert "machines" in completed("topogemm list mach")
    assert completed("topogemm list --gri") == []


def zsh_line(typed, folder):
    """The command line in zsh after `typed` and Tab. Control-X writes it to a file."""
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(FILES)
        os.environ.update(TERM="dumb", HOME=str(folder), ZDOTDIR=str(folder))
        os.execvp("zsh", ["zsh", "-f", "-i"])
    ready, line = folder / "ready", folder / "line"
    for old in (ready, line):
        old.unlink(missing_ok=True)

    def wait_for(path):
        end = time.monotonic() + 30
        while not path.exists() and time.monotonic() < end:
            if select.select([terminal], [], [], 0.05)[0]:
                os.read(terminal, 4096)
        assert path.exists(), f"zsh did not write {path.name}"

    try:
        os.write(terminal, f"fpath=({FILES} $fpath); autoload -Uz compinit; compinit -u -D; show() {{ print -r -- $BUFFER > {line}.new; "
                           f"mv {line}.new {line} }}; zle -N show; bindkey '^X' show; touch {ready}\n".encode())
        wait_for(ready)
        os.write(terminal, f"{typed}\t\x18".encode())
        wait_for(line)
        return line.read_text(encoding="utf-8").rstrip("\n")
    finally:
        os.kill(child, 9)
        os.close(terminal)
        os.waitpid(child, 0)


def test_zsh(folder):
    need("zsh")
    for typed, expected in (("topogemm ver", "topogemm verify "), ("topogemm verify fo", "topogemm verify fox "),
                            ("topogemm sim cannon --mod", "topogemm sim cannon --model "), ("topogemm sim cannon --model fl", "topogemm sim cannon --model flow "),
                            ("topogemm run cannon --on co", "topogemm run cannon --on cores "), ("topogemm list mach", "topogemm list machines ")):
        assert zsh_line(typed, folder) == expected, (typed, zsh_line(typed, folder))


if __name__ == "__main__":
    sys.exit(tap.run_cases(tap.cases_of(globals())))
