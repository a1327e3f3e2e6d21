"""What -Dpage=false and -Dpapers=false leave out says so with status 4, and the rest works. Writes TAP.

test-options.py TOPOGEMM page|no-page papers|no-papers
"""
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import tap  # noqa: E402

PROGRAM, PAGE, PAPERS = str(pathlib.Path(sys.argv[1]).resolve()), sys.argv[2] == "page", sys.argv[3] == "papers"


def run(folder, *words):
    done = subprocess.run([PROGRAM, *words], capture_output=True, text=True, cwd=folder, check=False)
    return done.returncode, done.stdout, done.stderr


def test_page(folder):
    status, _, said = run(folder, "draw", "cannon", "--grid", "2x2", "-o", "page.html")
    if PAGE and "clang" in said:
        raise tap.Skipped("no compiler for WebAssembly")
    assert status == (0 if PAGE else 4) and ("-Dpage=false" in said) == (not PAGE), (status, said)
    assert (folder / "page.html").exists() == PAGE


def test_papers(folder):
    status, _, said = run(folder, "bench", "host-anomaly", "--sizes", "x")
    assert status == (2 if PAPERS else 4) and ("-Dpapers=false" in said) == (not PAPERS), (status, said)
    status, listed, _ = run(folder, "list", "kernels")
    assert status == 0 and ("oneil" in listed) == PAPERS and "tensor" in listed, listed
    status, helped, _ = run(folder, "help", "bench")
    assert status == 0 and ("dobravec" in helped.split("Examples")[0]) == PAPERS and "ladder" in helped, helped


def test_rest(folder):
    for words in ["verify cannon --grid 3x3", "sim cannon --grid 4x4 -n 64", "draw cannon --grid 2x2 --step 1 -o one.svg"]:
        assert run(folder, *words.split())[0] == 0, words


if __name__ == "__main__":
    sys.exit(tap.run_cases(tap.cases_of(globals())))
