"""The notebooks run, and a schedule is the live page in a cell: the page of the executed notebook is opened in Chromium.

Usage: test-notebooks.py FOLDER TOPOGEMM, with the package in PYTHONPATH
"""
import html
import json
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import tap  # noqa: E402

FOLDER, TOPOGEMM = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
BROWSER = pathlib.Path(__file__).resolve().parents[1] / "browser" / "run.sh"
NEEDED = ["numpy", "nbconvert", "ipykernel"]


def need(*modules):
    for name in modules:
        if subprocess.run([sys.executable, "-c", f"import {name}"], capture_output=True, check=False).returncode:
            raise tap.Skipped(f"no {name}")


def executed(name, folder):
    """The notebook after all its cells have run: each that fails is an error."""
    done = subprocess.run([sys.executable, "-m", "nbconvert", "--to", "notebook", "--execute", "--output-dir", folder, FOLDER / name],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads((pathlib.Path(folder) / name).read_text(encoding="utf-8"))


def outputs_of(notebook):
    """Mime type and text of all that the cells show."""
    for cell in notebook["cells"]:
        for output in cell.get("outputs", []):
            yield "text/plain", "".join(output.get("text", []))
            yield from ((kind, "".join(text)) for kind, text in output.get("data", {}).items())


def test_first_steps(folder):
    need(*NEEDED)
    shown = list(outputs_of(executed("first-steps.ipynb", folder)))
    text = "\n".join(words for kind, words in shown if kind == "text/plain")
    assert re.search(r"Proof\(ok=True,", text) and re.search(r"\(False,\s+\d+,\s+'step 2", text) and "\nTrue\n" in text, text
    assert any(kind == "text/html" and words.startswith("<img src=") for kind, words in shown)
    [page] = [words for kind, words in shown if kind == "text/html" and "<iframe" in words]
    document = html.unescape(re.search(r'srcdoc="([^"]*)"', page)[1])
    assert "schedule cannon" in document and "</html>" in document


def test_live_page(folder):
    """As a web page, in Chromium."""
    need(*NEEDED)
    subprocess.run([sys.executable, "-m", "nbconvert", "--to", "html", "--execute", "--output-dir", folder, FOLDER / "first-steps.ipynb"],
                   capture_output=True, check=True)
    done = subprocess.run(["bash", BROWSER, "notebook.mjs", TOPOGEMM, pathlib.Path(folder) / "first-steps.html"], capture_output=True, text=True, check=False)
    if "# SKIP" in done.stdout:
        raise tap.Skipped(done.stdout.split("# SKIP ")[1].strip())
    assert done.returncode == 0 and done.stdout == "live\n", done.stdout + done.stderr


def test_choose(folder):
    need(*NEEDED, "matplotlib")
    shown = list(outputs_of(executed("choose-a-schedule.ipynb", folder)))
    text = "\n".join(words for kind, words in shown if kind == "text/plain")
    assert re.search(r"ms  cosma 4x4x4: ", text) and "tpu-torus" in text, text
    assert any(kind == "image/png" for kind, _ in shown)


if __name__ == "__main__":
    sys.exit(tap.run_cases(tap.cases_of(globals())))
