#!/usr/bin/env python3
"""Long work on a terminal: it shows how far it is, and a signal ends it in order: by that very signal, with nothing left
of files, of programs that it runs, or of the line on the terminal. Writes TAP.

Usage: test-interrupt.py TOPOGEMM
"""
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import tap  # noqa: E402
from terminal import LIMIT_S, Terminal  # noqa: E402

PROGRAM = str(pathlib.Path(sys.argv[1]).resolve())
ENDING = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1]
VERIFY = "verify cannon --grid 400x400".split()
EXPORT = "export cannon --grid 120x120 -n 120 -o".split()
GIF = "draw cannon --grid 2x2 -o x.gif".split()
PLOT = "sim cannon summa --sweep p=16,64 -n 256 -o x.svg".split()
CONVERT = """#!/bin/sh
pwd > "$FOLDER/place"
touch "$TMPDIR/its-own"
echo $$ > "$FOLDER/number"  # last: tests go on from here, and a killed shell leaves a child that still writes
exec sleep 1000
"""


def ended(run):
    status = run.next_status()
    run.read()
    os.waitpid(run.leader, 0)
    for descriptor in (run.master, run.slave, run.status):
        os.close(descriptor)
    return status


def wait_for(what, *arguments):
    deadline = time.monotonic() + LIMIT_S
    while not what(*arguments):
        assert time.monotonic() < deadline, f"not in time: {what.__name__}{arguments}"
        time.sleep(0.02)


def without_proc(*words):
    """There files have names from their beginning on, as on a file system without unnamed ones."""
    hidden = ["unshare", "-rm", "sh", "-c", 'mount -t tmpfs none /proc && exec "$@"', "sh"]
    if subprocess.run([*hidden, "true"], capture_output=True, check=False).returncode:
        raise tap.Skipped("unshare cannot make a namespace of its own here")
    return [shutil.which("unshare"), *hidden[1:], *words]


def test_verify(_):
    """One large size shows how many of its statements are done."""
    for number in ENDING:
        run = Terminal(PROGRAM, *VERIFY)
        run.until("cannon: ", " of 1202, ", " left")
        os.kill(run.pid, number)
        assert ended(run) == str(-number)
        assert run.screen.text().strip() == "", run.screen.text()
    run = Terminal(PROGRAM, *VERIFY)
    run.until(" left")
    os.write(run.master, b"\003")
    assert ended(run) == str(-signal.SIGINT)


def test_verify_ranges(_):
    """Also in the middle of one of many sizes, and of all schedules."""
    for words in ["verify cannon --for q=399..400".split(), "verify --all --for 6..12".split()]:
        run = Terminal(PROGRAM, *words, *(["--json"] if "--all" in words else []))
        run.until(" of ", " s ")
        os.kill(run.pid, signal.SIGTERM)
        assert ended(run) == str(-signal.SIGTERM)
        assert run.screen.text().strip() == "", run.screen.text()


LONG = {
    "proof": "run cannon --grid 200x200 -n 200 --on cpu --trials 1",
    "memory": "step cannon --grid 200x200 -n 2000 --memory-limit 300M",
    "draw": "draw cannon --grid 200x200 --step 200 -o x.svg",
    "draw ": "draw cannon --grid 200x200 --memory -o x.svg",
    "run": "run cannon --grid 60x60 -n 60 --on cpu --warmup 0 --trials 1000",
    "calibrate, 10^9 multiply-adds": "compare cannon -n 200 --grid 200x200 --on cpu",
    "mutate": "mutate cannon --grid 400x400 -o x.sched",
    "plan: seconds": "plan -n 65536 --procs 4096 --budget 60",
}


def test_huge(_):
    """Also with what is done so far, and what was read and written."""
    words = [PROGRAM, "generate", "A.tg", "-n", "4000"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode == 4:
        raise tap.Skipped(done.stderr.strip())
    run = Terminal(PROGRAM, *"huge egmm --a A.tg --b A.tg --c C.tg --memory 1G --tiles 128x128x128 --pipeline off".split())
    run.until("huge: ", " of ", " left, ", "flop/s, read ", "B, wrote ")
    os.kill(run.pid, signal.SIGTERM)
    assert ended(run) == str(-signal.SIGTERM)
    assert run.screen.text().strip() == "", run.screen.text()


def test_before_first_line(folder):
    """What a command does before its first output is shown, too, and a signal ends it, also one from Ctrl-C."""
    for what, words in LONG.items():
        run = Terminal(PROGRAM, *words.split())
        # A calibration says "so far" or "left", as the machine is slow or quick.
        run.until(what.strip() + ": ", " of ", *([] if "multiply" in what else [" left"]))
        if words.startswith(("run", "plan")):
            os.write(run.master, b"\003")
            assert ended(run) == str(-signal.SIGINT)
        else:
            os.kill(run.pid, signal.SIGTERM)
            assert ended(run) == str(-signal.SIGTERM)
        assert run.screen.text().strip() == "", (words, run.screen.text())
        assert not list(folder.iterdir()), words


def test_announced(folder):
    """Graphviz does not report its progress: the line shows at once what is drawn, and a signal clears it."""
    run = Terminal(PROGRAM, *"topo full:400 -o x.png".split())
    run.until("topo: drawing 79800 cables")
    os.write(run.master, b"\003")
    assert ended(run) == str(-signal.SIGINT)
    assert run.screen.text().strip() == "" and not list(folder.iterdir()), run.screen.text()
    run = Terminal(PROGRAM, *"topo full:110 -o x.dot".split())
    assert ended(run) == "0"
    assert "drawing" not in run.screen.text() and "x.dot" in run.screen.text(), run.screen.text()


def test_stopped_terminal(_):
    """Ctrl-S does not hold up the end of a command that a signal ends at once."""
    run = Terminal(PROGRAM, *LONG["run"].split())
    run.until(" left")
    os.write(run.master, b"\023")
    time.sleep(0.3)
    os.kill(run.pid, signal.SIGTERM)
    assert run.next_status() == str(-signal.SIGTERM)
    os.waitpid(run.leader, 0)
    for descriptor in (run.master, run.slave, run.status):
        os.close(descriptor)


def test_ignored(_):
    """As after nohup: what is ignored from the beginning ends nothing."""
    run = Terminal("/bin/sh", "-c", 'trap "" HUP; exec "$@"', "sh", PROGRAM, *VERIFY, "--quiet")
    time.sleep(0.5)
    os.kill(run.pid, signal.SIGHUP)
    time.sleep(0.5)
    os.kill(run.pid, signal.SIGTERM)
    assert ended(run) == str(-signal.SIGTERM)


def test_export(folder):
    """Nothing is left of the file, and one that was there stays as it was, whatever the file system can."""
    for name in ("x.json", "x.goal"):
        (folder / name).write_text("before")
        for number in ENDING:
            run = Terminal(*without_proc(PROGRAM, *EXPORT, name))
            run.until("export: ", " left")
            os.kill(run.pid, number)
            assert ended(run) == str(-number)
            assert " left" not in run.screen.text()
            assert sorted(path.name for path in folder.iterdir()) == sorted({"x.json", name}), list(folder.iterdir())
            assert (folder / name).read_text() == "before"


def test_export_blocked(folder):
    """A pipe that nobody reads."""
    os.mkfifo("x.json")
    pipe = os.open("x.json", os.O_RDWR)
    with subprocess.Popen([PROGRAM, *EXPORT, "x.json", "--quiet"], stderr=subprocess.PIPE) as process:
        wait_for(lambda: len(os.read(pipe, 1)) == 1)
        time.sleep(0.5)
        process.terminate()
        assert process.stderr.read() == b"" and process.wait() == -signal.SIGTERM
    os.close(pipe)


def test_export_size(folder):
    """Said before anything is written, where it is much."""
    for name, low, high in [("x.json", 900, 1100), ("x.goal", 400, 600)]:
        with subprocess.Popen([PROGRAM, *EXPORT, name], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True) as process:
            line = process.stderr.readline()
            process.send_signal(signal.SIGINT)
            assert process.stderr.read() == "" and process.wait() == -signal.SIGINT
        found = re.fullmatch(rf"topogemm: {name}: writing about ([\d.]+) (MB|GB)\n", line)
        assert found, line
        assert low <= float(found[1]) * (1000 if found[2] == "GB" else 1) <= high, line
        assert list(folder.iterdir()) == []
    small = subprocess.run([PROGRAM, *"export cannon --grid 8x8 -n 8 -o x.json".split()], check=True, capture_output=True)
    assert small.stderr == b""


def fakes(folder, text=CONVERT):
    """Environment in which a script stands for the programs that draw."""
    for name in ("magick", "convert", "gnuplot"):
        program = folder / "bin" / name
        program.parent.mkdir(exist_ok=True)
        program.write_text(text)
        program.chmod(0o755)
    shutil.rmtree(folder / "tmp", ignore_errors=True)
    (folder / "tmp").mkdir()
    (folder / "number").unlink(missing_ok=True)
    return {"PATH": f"{folder / 'bin'}:{os.environ['PATH']}", "TMPDIR": str(folder / "tmp"), "FOLDER": str(folder)}


def number_of(folder):
    text = (folder / "number").read_text() if (folder / "number").exists() else ""
    return int(text) if text.endswith("\n") else 0


def is_running(number):
    """False for one that has ended and that nobody has waited for, too."""
    try:
        state = pathlib.Path(f"/proc/{number}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return False
    return state not in "ZX"


def begin(folder, words, text=CONVERT):
    environment = fakes(folder, text)
    process = subprocess.Popen([PROGRAM, *words], env={**os.environ, **environment}, stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, text=True)
    wait_for(number_of, folder)
    return process


def check_ended(folder):
    try:
        wait_for(lambda: not is_running(number_of(folder)))
    finally:
        if is_running(number_of(folder)):
            os.kill(number_of(folder), signal.SIGKILL)


def test_gif(folder):
    """While ImageMagick joins the frames: it is ended, too, and the frames are gone."""
    stubborn = CONVERT.replace("#!/bin/sh\n", "#!/bin/sh\ntrap '' TERM\n")
    for number, text in [*[(number, CONVERT) for number in ENDING], (signal.SIGTERM, stubborn)]:
        process = begin(folder, GIF, text)
        process.send_signal(number)
        errors = process.communicate(timeout=LIMIT_S)[1]
        assert process.returncode == -number and errors == "", (process.returncode, errors)
        check_ended(folder)
        assert list((folder / "tmp").iterdir()) == [] and not (folder / "x.gif").exists()


def test_gif_two_signals(folder):
    """Two signals that come together, as from a service manager, are one request: the frames are still removed."""
    process = begin(folder, GIF, CONVERT.replace("#!/bin/sh\n", "#!/bin/sh\ntrap '' TERM\n"))
    process.send_signal(signal.SIGTERM)
    time.sleep(0.05)
    process.send_signal(signal.SIGHUP)
    process.communicate(timeout=LIMIT_S)
    assert process.returncode == -signal.SIGTERM, process.returncode
    check_ended(folder)
    assert list((folder / "tmp").iterdir()) == [] and not (folder / "x.gif").exists()


def test_gif_stopped_terminal(folder):
    """Ctrl-S holds up what is written to the terminal, the line with the progress too, but not the end."""
    run = Terminal(PROGRAM, *GIF, **fakes(folder))
    wait_for(number_of, folder)
    time.sleep(0.7)  # by now there is a line with the progress
    os.write(run.master, b"\023")
    time.sleep(0.3)  # and by now the command waits to write it anew
    begun = time.monotonic()
    os.kill(run.pid, signal.SIGTERM)
    assert run.next_status() == str(-signal.SIGTERM)
    assert time.monotonic() - begun < LIMIT_S / 3
    os.waitpid(run.leader, 0)
    for descriptor in (run.master, run.slave, run.status):
        os.close(descriptor)
    check_ended(folder)
    assert list((folder / "tmp").iterdir()) == [] and not (folder / "x.gif").exists()


def test_gif_killed(folder):
    """Nothing can be cleaned up then, but ImageMagick ends, and all that stays is in TMPDIR."""
    if not sys.platform.startswith("linux"):
        raise tap.Skipped("only Linux tells a program that its parent has ended")
    process = begin(folder, GIF)
    process.kill()
    process.communicate()
    check_ended(folder)
    assert sorted(path.name for path in folder.iterdir()) == ["bin", "number", "place", "tmp"]


def test_plot_killed(folder):
    """gnuplot ends with the command, however that ends, and leaves nothing."""
    if not sys.platform.startswith("linux"):
        raise tap.Skipped("only Linux tells a program that its parent has ended")
    for number in [*ENDING, signal.SIGKILL]:
        process = begin(folder, PLOT, CONVERT.replace("touch", "true"))
        process.send_signal(number)
        process.communicate()
        assert process.returncode == -number
        check_ended(folder)
        assert list((folder / "tmp").iterdir()) == [] and not (folder / "x.svg").exists()


def test_gif_fails(folder):
    environment = fakes(folder, "#!/bin/sh\necho 'no such colour' >&2\nexit 3\n")
    done = subprocess.run([PROGRAM, *GIF], env={**os.environ, **environment}, check=False, capture_output=True, text=True)
    assert done.returncode == 1 and "magick failed: no such colour" in done.stderr, done
    assert list((folder / "tmp").iterdir()) == [] and not (folder / "x.gif").exists()


def test_gif_frames(folder):
    """How many are drawn, with the time that is left."""
    run = Terminal(PROGRAM, *"draw ring --grid 64 -o x.gif".split(), **fakes(folder))
    run.until("draw: ", " of 65, ", " s left")
    os.kill(run.pid, signal.SIGINT)
    assert ended(run) == str(-signal.SIGINT)
    assert run.screen.text().strip() == "" and not (folder / "x.gif").exists() and not list((folder / "tmp").iterdir())


NO_FOLDER = ("topogemm: cannot write {} in {}, the folder for temporary files: No such file or directory; set TMPDIR to a "
             "folder with enough space\n")


def test_gif_has_no_folder(folder):
    """TMPDIR does not exist, or has no room."""
    environment = fakes(folder) | {"TMPDIR": str(folder / "none")}
    done = subprocess.run([PROGRAM, *GIF], env={**os.environ, **environment}, check=False, capture_output=True, text=True)
    assert done.returncode == 1 and done.stderr == NO_FOLDER.format("the frames of the GIF", folder / "none"), done
    environment = fakes(folder)
    done = subprocess.run([PROGRAM, *GIF], env={**os.environ, **environment}, check=False, capture_output=True, text=True,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)))
    assert done.returncode == 1 and "tmp, the folder for temporary files: File too large; set TMPDIR to a" in done.stderr, done
    assert list((folder / "tmp").iterdir()) == [] and not (folder / "x.gif").exists()


def test_gif_names(folder):
    """Whatever the folder for temporary files and the output are called."""
    if not shutil.which("convert") and not shutil.which("magick"):
        raise tap.Skipped("ImageMagick is not installed")
    disk = {"MAGICK_MEMORY_LIMIT": "1", "MAGICK_MAP_LIMIT": "1"}  # its own files there, too
    for name, output in [("a%d", "x[0].gif"), ("a[0]", "png:x.gif"), ("a %03u 'b'", "a%03u.gif"), ("@a", "@x.gif"), ("-a", "./-x.gif")]:
        temporary = folder / name
        temporary.mkdir()
        subprocess.run([PROGRAM, *"draw cannon --grid 2x2 -o".split(), output], check=True, stdout=subprocess.DEVNULL,
                       env={**os.environ, "TMPDIR": str(temporary), **(disk if name == "a%d" else {})})
        assert (folder / output).read_bytes().startswith(b"GIF89a"), output
        assert list(temporary.iterdir()) == [], name
    assert len(list(folder.iterdir())) == 10


def test_plot_names(folder):
    """gnuplot's files have no names, and lie where TMPDIR says."""
    if not shutil.which("gnuplot"):
        raise tap.Skipped("gnuplot is not installed")
    for name, output in [("a%d'", "x'%d.svg"), ("a[0] `b`", '"x`.svg'), ("@a", "|x.svg")]:
        temporary = folder / name
        temporary.mkdir()
        subprocess.run([PROGRAM, *PLOT[:-1], output], check=True, stdout=subprocess.DEVNULL,
                       env={**os.environ, "TMPDIR": str(temporary)})
        assert b"<svg" in (folder / output).read_bytes() and list(temporary.iterdir()) == [], output
    missing = subprocess.run([PROGRAM, *PLOT], check=False, capture_output=True, text=True,
                             env={**os.environ, "TMPDIR": str(folder / "none")})
    assert missing.returncode == 1 and missing.stderr == NO_FOLDER.format("the gnuplot script", folder / "none"), missing
    assert len(list(folder.iterdir())) == 6


if __name__ == "__main__":
    for ending in ENDING:  # nohup and `&` of a shell ignore some, and so would the commands
        signal.signal(ending, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # SIGQUIT would write core files
    sys.exit(tap.run_cases(tap.cases_of(globals())))
