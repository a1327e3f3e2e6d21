#!/usr/bin/env python3
"""Exercises for students, and how what they hand in is graded."""
import configparser
import csv
import json
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import tap  # pylint: disable=wrong-import-position

TOPOGEMM = str(pathlib.Path(sys.argv[1]).resolve())


def run(*words, status=0):
    done = subprocess.run([TOPOGEMM, *map(str, words)], capture_output=True, text=True, check=False, timeout=300)
    if done.returncode == 4 and status != 4:
        raise tap.Skipped(done.stderr.strip())
    assert done.returncode == status, (words, done.returncode, done.stdout, done.stderr)
    return done


def document(*words, status=0):
    return json.loads(run(*words, "--json", status=status).stdout)


def answer(path):
    """The key file of an answer."""
    parser = configparser.RawConfigParser(delimiters="=", comment_prefixes="#")
    parser.read(path)
    return parser


def made(folder):
    """The names of the exercises by their seeds."""
    paths = pathlib.Path(folder, "answers").glob("*.answer")
    return {int(answer(path)["exercise"]["seed"]): path.stem for path in paths}


def verify_words(found):
    """`verify`'s options for each grid of an answer."""
    sets = [word for one in found["exercise"]["set"].split(";") if one for word in ("--set", one)]
    return [["--grid", grid, *sets] for grid in found["exercise"]["grids"].split(";") if grid]


def library():
    return [one["name"] for one in document("list", "algorithms")["algorithms"]]


def test_a_disguise_computes_the_same(_):
    for number, name in enumerate(library(), 1):
        run("exercise", name, "--seed", number, "-o", "x", "-q")
        exercise = made("x")[number]
        found = answer(f"x/answers/{exercise}.answer")
        right, source = f"x/answers/{exercise}.sched", run("show", name).stdout
        grids = verify_words(found)
        assert grids
        for words in grids:
            run("verify", right, *words, "-q")
        own = document("verify", right, *grids[0])
        its = document("verify", name, *grids[0][:2], *renamed(name, grids[0][2:]))
        for key in ("messages", "words", "steps", "memory_blocks"):
            assert own.get(key) == its.get(key), (name, key, own.get(key), its.get(key))
        text = pathlib.Path(right).read_text(encoding="utf-8")
        assert '#' not in text and "note" not in text and f"schedule {name}" not in text, text
        for string in re.findall('"([^"]*)"', source):
            assert f'"{string}"' not in text, (name, string)
        plain = [line.strip() for line in source.splitlines()]
        same = [line for line in text.splitlines() if line.strip() in plain and re.search(r"\b(move|add|grid|repeat)\b|place .*\(\w*[a-z]", line)]
        assert not same, (name, same)


def renamed(name, sets):
    """The options --set of the library's schedule: its only parameter that is no extent has another name there."""
    if not sets:
        return []
    own = re.search(r"^param (\w+)(?: default|$)", run("show", name).stdout, re.M).group(1)
    return ["--set", f"{own}={sets[1].split('=')[1]}"]


def test_levels_say_where_the_message_points(_):
    for name in ("cannon", "dns", "summa"):
        for level in (1, 2, 3):
            folder = f"{name}-{level}"
            run("exercise", name, "--level", level, "--count", 6, "-o", folder, "-q")
            names = made(folder)
            for seed, one in names.items():
                found = answer(f"{folder}/answers/{one}.answer")
                said = document("verify", f"{folder}/handout/{one}.sched", *verify_words(found)[0], status=3)["error"]
                line, edited = said["line"], int(found["edit"]["line"])
                gone, twice = found["edit"]["is"] == "(removed)", found["edit"]["is"].endswith(" (twice)")
                quoted = not gone and line in (edited, edited + twice)
                assert said["message"] == found["edit"]["reports"]
                if level == 3:
                    assert said.get("statement") is None, (name, seed, said)
                else:
                    assert said.get("statement") is not None and quoted == (level == 1), (name, level, seed, said, dict(found["edit"]))


def edits(folder):
    """The edits, with names numbered as they first stand in the text, since each exercise has other names."""
    found = []
    for path in pathlib.Path(folder, "answers").glob("*.answer"):
        edit = answer(path)["edit"]
        names = list(dict.fromkeys(re.findall(r"[a-z]\w*", path.with_suffix(".sched").read_text(encoding="utf-8").split("\n", 1)[1])))
        found.append((edit["line"], edit["kind"], re.sub(r"[a-z]\w*", lambda word, of=names: str(of.index(word[0])) if word[0] in of else word[0], edit["is"])))
    return found


def test_edits_differ_as_long_as_there_are_others(_):
    """`summa` has 17 at level 1, and three at level 3."""
    assert "different edits" not in run("exercise", "summa", "--count", 15, "-o", "x").stdout
    assert len(set(edits("x"))) == 15, sorted(edits("x"))
    said = run("exercise", "summa", "--level", 3, "--count", 6, "-o", "y").stdout
    assert re.search(r"^only 3 different edits for 6 exercises; for more", said, re.M), said
    assert len(edits("y")) == 6 and len(set(edits("y"))) == 3


def test_a_handout_does_not_tell_the_answer(_):
    run("exercise", "cannon", "--seed", 3, "-o", "x", "-q")
    name = made("x")[3]
    assert sorted(os.listdir("x/handout")) == [f"{name}.html", f"{name}.sched"] and "3" != name.split("-")[1]
    page = pathlib.Path(f"x/handout/{name}.html").read_text(encoding="utf-8").lower()
    handout = pathlib.Path(f"x/handout/{name}.sched").read_text(encoding="utf-8")
    assert "cannon" not in page and "kalman" not in page
    right = pathlib.Path(f"x/answers/{name}.sched").read_text(encoding="utf-8")
    assert right != handout


def test_equal_seeds_make_equal_exercises(_):
    run("exercise", "dns", "--seed", 5, "-o", "x", "-q")
    first = {path: path.read_bytes() for path in pathlib.Path("x").rglob("*.*")}
    run("exercise", "dns", "--seed", 5, "-o", "x", "-q")
    run("exercise", "dns", "--seed", 5, "-o", "y", "-q")
    assert len(first) == 4
    for path, data in first.items():
        assert path.read_bytes() == data == ("y" / path.relative_to("x")).read_bytes()


def test_another_exercise_does_not_replace_one(_):
    run("exercise", "dns", "--seed", 5, "-o", "x", "-q")
    run("exercise", "cannon", "--seed", 5, "-o", "x", "-q")
    first = {path: path.read_bytes() for path in pathlib.Path("x").rglob("*.*")}
    assert len(first) == 8
    path = pathlib.Path("x/answers", f"{made('x')[5]}.answer")
    path.write_text(path.read_text(encoding="utf-8") + "# a note\n", encoding="utf-8")
    handout = pathlib.Path("x/handout", path.stem + ".sched")
    handout.write_text("in the hands of students\n", encoding="utf-8")
    said = [subprocess.run([TOPOGEMM, "exercise", name, "--seed", "5", "-o", "x", "-q"], capture_output=True, text=True, check=False)
            for name in ("dns", "cannon")]
    assert sorted(one.returncode for one in said) == [0, 2] and any("answers another exercise" in one.stderr for one in said)
    assert handout.read_text(encoding="utf-8") == "in the hands of students\n"
    assert all(one in (path, handout) or one.read_bytes() == data for one, data in first.items())


def test_refusals(_):
    assert "-o FOLDER" in run("exercise", "dns", status=2).stderr
    assert "--level" in run("exercise", "dns", "--level", 4, "-o", "x", status=2).stderr
    assert "--count" in run("exercise", "dns", "--count", 0, "-o", "x", status=2).stderr
    pathlib.Path("empty").mkdir()
    assert "no answers here" in run("grade", "empty", "empty", status=2).stderr
    run("exercise", "dns", "-o", "x", "-q")
    assert "no .sched file" in run("grade", "empty", "x/answers", status=2).stderr
    assert not list(pathlib.Path("empty").iterdir())
    run("grade", "nowhere", "x/answers", status=1)
    name = made("x")[1]
    pathlib.Path(f"x/answers/{name}.answer").write_text("[exercise]\nlevel=one\n", encoding="utf-8")
    assert f"{name}.answer" in run("grade", "x/handout", "x/answers", status=2).stderr


def test_twenty_submissions(_):
    """Five are handed in as they were handed out."""
    run("exercise", "cannon", "--count", 20, "-o", "x", "-q")
    names = sorted(made("x").values())
    for number, name in enumerate(names, 1):
        source = "handout" if number % 4 == 0 else "answers"
        folder = pathlib.Path(f"in/student {number:02}")
        folder.mkdir(parents=True)
        text = pathlib.Path(f"x/{source}/{name}.sched").read_text(encoding="utf-8")
        (folder / "mine.sched").write_text("# by me\n" + text.replace("\n", "  \n"), encoding="utf-8")
    said = run("grade", "in", "x/answers", "-o", "grades.csv", "--gradescope", "results.json", status=3)
    assert "15 right, 5 wrong" in said.stdout
    with open("grades.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [int(row["right"]) for row in rows] == [int(number % 4 != 0) for number in range(1, 21)]
    assert rows[3]["file"] == "student 04/mine.sched" and rows[3]["exercise"] == names[3] and rows[3]["message"]
    assert {row["differs"] for row in rows if row["right"] == "1"} == {"0"}
    assert all(int(row["differs"]) == 1 for row in rows if row["right"] == "0"), rows
    tests = json.loads(pathlib.Path("results.json").read_text(encoding="utf-8"))["tests"]
    assert sum(one["score"] for one in tests) == 15 and sum(one["max_score"] for one in tests) == 20
    found = document("grade", "in", "x/answers", status=3)
    assert (found["right"], found["wrong"], len(found["submissions"])) == (15, 5, 20)


def answer_text():
    """The right schedule of the only exercise."""
    return pathlib.Path("x/answers", f"{made('x')[1]}.sched").read_text(encoding="utf-8")


def hand_in(text):
    """What `grade` says of one text."""
    pathlib.Path("in").mkdir(exist_ok=True)
    pathlib.Path("in/mine.sched").write_text(text, encoding="utf-8")
    done = subprocess.run([TOPOGEMM, "grade", "in", "x/answers", "--json"], capture_output=True, text=True, check=False, timeout=60)
    found = json.loads(done.stdout)["submissions"][0]
    assert done.returncode == (0 if found["ok"] else 3)
    return found


def test_a_repair_need_not_be_the_answer(_):
    run("exercise", "cannon", "-o", "x", "-q")
    right = answer_text()
    assert hand_in(right)["differs"] == 0
    lines = right.splitlines()
    moves = [i for i, line in enumerate(lines) if line.strip().startswith("move")]
    lines[moves[0]], lines[moves[1]] = lines[moves[1]], lines[moves[0]]
    other = hand_in("\n".join(lines))
    assert other["ok"] and other["differs"] > 0, other


def test_what_is_no_repair(_):
    run("exercise", "cannon", "-o", "x", "-q")
    right, name = answer_text(), made("x")[1]
    place, grid = re.search("^place.*$", right, re.M).group(), re.search(r"^grid (\w+):(\w+), (\w+):(\w+)$", right, re.M)
    i, n, j, _ = grid.groups()
    statements = right[right.index("\n", right.index("place")):]
    wrong = {
        "is not placed as": f"schedule {name}\n{grid.group()}\nplace A({i},{j}), B({i},{j}) on ({i},{j})\n"
                            f"place C({i},{j}) on ({j},{i})\nC = A * B\n",
        "which the schedule sets to 1": f"schedule {name}\ngrid {i}:1, {j}:1\nplace A({i},{j}), B({i},{j}), C({i},{j}) on ({i},{j})\nC = A * B\n",
        "times as many statements": right.replace(statements, f"\nrepeat s in 1000000\n  zero A where {i} > {n}\n"),
        "line ": right.replace("move", "mvoe", 1),
        "no exercise is called another": right.replace(name, "another", 1),
        "something else": f"schedule {name}\n{grid.group()}\ncomputes C = A * A'\nplace A({i},{j}), C({i},{j}) on ({i},{j})\nC = A * A'\n",
        "more than 65536 bytes": right + "# \n" * 30000,
    }
    for words, text in wrong.items():
        found = hand_in(text)
        assert not found["ok"] and words in found["message"], (words, found, place)
    assert "no line `schedule" in hand_in("")["message"]
    assert hand_in(right.replace(place, f"place C({i},{j}) on ({i},{j})\nplace B({i},{j}), A({i},{j}) on ({i},{j})"))["ok"]


def test_files_as_editors_and_systems_write_them(_):
    run("exercise", "cannon", "-o", "x", "-q")
    right = answer_text().encode()
    pathlib.Path("in/__MACOSX").mkdir(parents=True)
    files = {"d.sched": right.decode().encode("utf-16"), "=e.sched": right, "a.sched": b"\xef\xbb\xbf" + right, "b.SCHED": right.replace(b"\n", b"\r\n"), "c.sched.txt": right, "notes.txt": b"hello",
             "__MACOSX/._a.sched": b"\0\5\26\7"}
    for name, data in files.items():
        pathlib.Path("in", name).write_bytes(data)
    said = run("grade", "in", "x/answers", "-o", "grades.csv").stdout
    assert "5 right, 0 wrong" in said and "not graded: 1 other file" in said, said
    assert "\n'=e.sched," in pathlib.Path("grades.csv").read_text(encoding="utf-8")


def test_a_repair_for_one_grid_alone_is_wrong(_):
    run("exercise", "cannon", "-o", "x", "--grid", "2x2", "-q")
    right = answer_text()
    alone = re.sub(r"repeat (\w+) in \w+", r"repeat \1 in 2", right)
    assert alone != right
    found = hand_in(alone)
    assert not found["ok"] and re.match(r"[3-9]x[3-9]: ", found["message"]), found


def test_only_submissions_are_graded(_):
    """Neither the answers in the folder, nor what links lead to."""
    run("exercise", "cannon", "-o", "x", "-q")
    pathlib.Path("x/handout/loop").symlink_to("..")
    pathlib.Path("x/handout/linked.sched").symlink_to(f"../answers/{made('x')[1]}.sched")
    found = document("grade", "x", "x/answers", status=3)
    assert [one["file"] for one in found["submissions"]] == [f"handout/{made('x')[1]}.sched"]
    said = run("grade", "x", "x/answers", status=3).stdout
    assert "not graded: 3 other files (links, and" in said, said


def test_damaged_answers_are_refused(_):
    """They would cost students their points, or give them."""
    run("exercise", "cannon", "-o", "x", "-q")
    name = made("x")[1]
    answer_file, schedule = pathlib.Path(f"x/answers/{name}.answer"), pathlib.Path(f"x/answers/{name}.sched")
    good, right, handout = answer_file.read_text(encoding="utf-8"), schedule.read_text(encoding="utf-8"), pathlib.Path(f"x/handout/{name}.sched")
    for grids in ("", "3;", "3x4;", "axb;"):
        answer_file.write_text(re.sub("^grids=.*$", f"grids={grids}", good, flags=re.M), encoding="utf-8")
        said = run("grade", "x/handout", "x/answers", status=2).stderr
        assert answer_file.name in said and "grid" in said, said
    answer_file.write_text(good, encoding="utf-8")
    for text in ("", handout.read_text(encoding="utf-8")):
        schedule.write_text(text, encoding="utf-8")
        assert name in run("grade", "x/handout", "x/answers", status=2).stderr
    schedule.write_text(right, encoding="utf-8")
    pathlib.Path("x/answers/exercise-0.sched").write_text(right, encoding="utf-8")
    said = run("grade", "x/handout", "x/answers", status=2).stderr
    assert "exercise-0.sched is here, but exercise-0.answer is missing" in said, said


def test_an_exercise_is_one_point(_):
    """However often it is handed in; what is right counts."""
    run("exercise", "cannon", "-o", "x", "-q")
    name = made("x")[1]
    pathlib.Path("in").mkdir()
    for file, source in (("a", "handout"), ("b", "answers"), ("c", "answers")):
        pathlib.Path(f"in/{file}.sched").write_bytes(pathlib.Path(f"x/{source}/{name}.sched").read_bytes())
    run("grade", "in", "x/answers", "--gradescope", "results.json", "-q", status=3)
    tests = json.loads(pathlib.Path("results.json").read_text(encoding="utf-8"))["tests"]
    assert [(one["score"], one["max_score"]) for one in tests] == [(0, 0), (1, 1), (0, 0)], tests
    assert "same exercise as b.sched" in tests[2]["output"]


def test_an_empty_submission_has_a_result(_):
    run("exercise", "cannon", "-o", "x", "-q")
    pathlib.Path("in").mkdir()
    run("grade", "in", "x/answers", "--gradescope", "results.json", "-q", status=3)
    tests = json.loads(pathlib.Path("results.json").read_text(encoding="utf-8"))["tests"]
    assert [one["score"] for one in tests] == [0]


if __name__ == "__main__":
    sys.exit(tap.run_cases(tap.cases_of(globals())))
