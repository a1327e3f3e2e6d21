"""A wheel is built, and installed into a new virtual environment, where the package and the command work.

Usage: test-wheel.py SOURCE
"""
import os
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import tap  # noqa: E402

SOURCE = pathlib.Path(sys.argv[1]).resolve()
ENVIRONMENT = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "LD_LIBRARY_PATH")}


def said(*words, cwd="/"):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, cwd=cwd, env=ENVIRONMENT, check=False)
    assert done.returncode == 0, (words, done.stdout[-3000:], done.stderr[-3000:])
    return done.stdout


def test_wheel(folder):
    """The build takes half a minute: the sources are compiled anew."""
    for module in ("mesonpy", "ensurepip", "numpy"):
        if subprocess.run([sys.executable, "-c", f"import {module}"], capture_output=True, check=False).returncode:
            raise tap.Skipped(f"no {module}")
    if not shutil.which("patchelf"):
        raise tap.Skipped("no patchelf")
    folder = pathlib.Path(folder)
    said(sys.executable, "-m", "venv", "--system-site-packages", folder / "venv")
    left_out = shutil.ignore_patterns("build*", ".git", "node_modules")  # some versions of meson-python write into the sources
    shutil.copytree(SOURCE, folder / "source", ignore=lambda at, names: left_out(at, names) if pathlib.Path(at) == SOURCE or "node_modules" in names else [])
    said(folder / "venv/bin/pip", "wheel", "--no-build-isolation", "--no-deps", "--no-index", "-w", folder, folder / "source")
    [wheel] = folder.glob("topogemm-*.whl")
    said(folder / "venv/bin/pip", "install", "--no-deps", "--no-index", wheel)
    code = "import topogemm; print(topogemm.__file__, bool(topogemm.Schedule.load('cannon', grid='4x4').verify()))"
    path, proved = said(folder / "venv/bin/python", "-c", code).split()
    assert path.startswith(str(folder / "venv")) and proved == "True", path
    assert "cannon" in said(folder / "venv/bin/topogemm", "list")


if __name__ == "__main__":
    sys.exit(tap.run_cases(tap.cases_of(globals())))
