"""Tables of docs-measured.py: schedules that `topogemm run` executed, beside a kernel of the ladder."""
import itertools
import math
import re
import statistics

from measured_common import markdown, rows_of, seconds, tau_of, where


def runs_of(files):
    """All runs, in the files' order, whether a document is of one ALGO or of several."""
    return [run for one in files for run in one.get("runs", [one])]


def speed(run):
    """Tflop/s with the spread of the trials, in percent."""
    spread = run["times"]["stddev"] / run["time_s"]
    return f"{run['gflops'] / 1e3:.1f} ± {spread * 100:.1f} %"


def of_beside(run):
    """The part of the other kernel's speed."""
    return f"{run['baseline']['ratio']:.3f}" if "baseline" in run else "-"


def below(files):
    """The line below a table: the card, and what the figures are."""
    runs = runs_of(files)
    trials = sorted(run["times"]["trials"] for run in runs)
    baseline = next((run["baseline"]["kernel"] for run in runs if "baseline" in run), None)
    words = f"Tflop/s ± the standard deviation, medians of {trials[0]} to {trials[-1]} runs"
    return ["", words + (f"; of {baseline}: its median in the same run over the schedule's" if baseline else "") + ". " + where(files)]


def runs(files):
    """A line a run."""
    lines = [[run["on"], run["transport"], run["grid"], run["algorithm"], str(run["n"]), speed(run), of_beside(run)]
             for run in runs_of(files)]
    return markdown(["`--on`", "transport", "grid", "schedule", "n", "Tflop/s", "of cuBLAS"], lines) + below(files)


def shifts(files):
    """A line a schedule and size: blocks that are sent beside blocks that are loaded."""
    found = {(run["grid"], run["algorithm"], run["n"], run["transport"]): run for run in runs_of(files)}
    lines = []
    for grid, algorithm, n in dict.fromkeys(key[:3] for key in found):
        sent, loaded = (found.get((grid, algorithm, n, transport)) for transport in ("copy", "load"))
        if sent and loaded:
            lines.append([grid, algorithm, str(n), speed(sent), speed(loaded), f"{sent['gflops'] / loaded['gflops']:.3f}",
                          str(sent["resident"] * sent["processors"]), of_beside(loaded)])
    heads = ["grid", "schedule", "n", "sent", "loaded", "sent of loaded", "processors resident", "loaded of cuBLAS"]
    return markdown(heads, lines) + below(files)


def shapes_of(results, on, key):
    """The fastest row of an executor for each grid or schedule (`key`), the fastest first."""
    right = [row for row in results if row["on"] == on and "left_out" not in row and row["ok"]]
    best = {}
    for row in sorted(right, key=lambda row: row["time_s"]):
        best.setdefault(row[key], row)
    return list(best.values())


def own_ratio(results, row):
    """The time of the variant that the executor chooses over that of this one."""
    names = ("on", "algorithm", "grid", "transport", "n")
    own = [one for one in results if one["chosen"] and "left_out" not in one and one["ok"] and all(one[name] == row[name] for name in names)]
    return f"{own[0]['time_s'] / row['time_s']:.3f}" if own else "-"


def own_words(choice):
    """How the executor's choice of a variant does on the whole."""
    count, best = choice["compared_with_own_variant"], choice["best"]
    if not count:
        return f"{best['on']}: no combination was measured in several forms."
    return (f"{best['on']}: the executor's own variant takes {choice['own_variant_ratio']:.3f} times as long as the best one, in the "
            f"geometric mean over {count} combinations of schedule, grid and transport.")


def shapes(files):
    """For each executor and size a line a grid and a line a schedule: the best of it."""
    lines, words = [], []
    for one in files:
        for n in sorted({row["n"] for row in one["results"]}):
            results = [row for row in one["results"] if row["n"] == n]
            for on in dict.fromkeys(row["on"] for row in results):
                for key, what in [("grid", "grid"), ("algorithm", "schedule")]:
                    for row in shapes_of(results, on, key):
                        fastest = shapes_of(results, on, key)[0]
                        lines.append([f"`{on}`", str(n), what, row["grid"], row["algorithm"], row["transport"],
                                      f"{row['variant']} of {row['variants']}", f"{row['gflops'] / 1e3:.1f}",
                                      f"{row['time_s'] / fastest['time_s']:.2f}", own_ratio(results, row)])
        left_out = sum("left_out" in row for row in one["results"])
        words += [own_words(choice) for choice in one["choices"]]
        words.append(f"{len(one['results']) - left_out} combinations measured, {left_out} left out. {where([one])}")
    heads = ["`--on`", "n", "best of each", "grid", "schedule", "transport", "variant", "Tflop/s", "times the best", "own variant, times this one"]
    return markdown(heads, lines) + ["", " ".join(words)]


def compared(files):
    """A line a schedule that was predicted and run, sizes side by side, and the median of the errors without their signs."""
    found, environments = {}, []
    for one in files:
        environments.append({"environment": one.get("environment") or one["measured"]["environment"]})
        for row in one.get("comparisons", [one]):
            ran = row["measured"]
            key = (row["on"], ran["transport"], ran["grid"], row["algorithm"])
            found.setdefault(key, {})[ran["n"]] = row
    sizes = sorted({n for rows in found.values() for n in rows})
    lines = []
    for key, rows in found.items():
        line = list(key)
        for n in sizes:
            row = rows.get(n)
            line += [f"{row['predicted_s'] * 1e3:.2f}", f"{row['measured_s'] * 1e3:.2f}", f"{row['error'] * 100:+.1f} %"] if row else ["", "", ""]
        steps = [row["median_abs_step_error"] for row in rows.values() if row["median_abs_step_error"] is not None]
        lines.append(line + [f"{statistics.median(steps) * 100:.0f} %" if steps else "-"])
    heads = ["`--on`", "transport", "grid", "schedule"]
    for n in sizes:
        heads += [f"n = {n}: predicted, ms", "measured", "error"]
    errors = {}
    for key, rows in found.items():
        errors.setdefault(key[0], []).extend(abs(row["error"]) for row in rows.values())
    medians = ", ".join(f"{statistics.median(some) * 100:.1f} % on {on}" for on, some in errors.items())
    return markdown(heads + ["of a step"], lines) + [
        "", f"error: (predicted − measured) / measured; its median without signs: {medians}; of a step: the median of the steps'. "
        + where(environments)]


def sign_beyond(difference, tie):
    return (difference > tie) - (difference < -tie)


def rank_correlation(rows):
    """Kendall's tau-b with the ties of `topogemm compare`, as text; in words where there is none."""
    signs = []
    for one, other in itertools.combinations(rows, 2):
        spread = sum(max(row["measured"]["times"]["stddev"] or 0, 0) for row in (one, other))
        signs.append((sign_beyond(one["predicted_s"] - other["predicted_s"],
                                  1e-3 * min(one["predicted_s"], other["predicted_s"])),
                      sign_beyond(one["measured_s"] - other["measured_s"], spread)))
    predicted, measured = (sum(pair[side] != 0 for pair in signs) for side in (0, 1))
    if not measured:
        return "too noisy to rank"
    if not predicted:
        return "predicted alike"
    return f"{sum(a * b for a, b in signs) / math.sqrt(predicted * measured):.2f}"


def ranking(files):
    """A line a comparison of several schedules: whether the predictions tell them apart."""
    lines = []
    for one in files:
        rows = one.get("comparisons", [])
        if len(rows) < 2:
            continue
        least = min(row["predicted_s"] for row in rows)
        chosen = max(row["measured_s"] for row in rows if row["predicted_s"] - least <= 1e-3 * least)
        regret = chosen / min(row["measured_s"] for row in rows) - 1
        error = statistics.median(abs(row["error"]) for row in rows)
        ran = rows[0]["measured"]
        lines.append([rows[0]["on"], ran["transport"], ran["grid"], str(ran["n"]),
                      ", ".join(row["algorithm"] for row in rows), f"{error * 100:.1f} %", rank_correlation(rows),
                      f"{regret * 100:.1f} %"])
    return markdown(["`--on`", "transport", "grid", "n", "schedules", "median error", "rank correlation", "regret"], lines)


TOOLS = ["test", "memcheck", "racecheck", "synccheck"]


def said_of(pieces):
    """What a test's parts said, in a cell."""
    if not pieces:
        return "-"
    good = [one for one in pieces if one["status"] == 0]
    count, all_of = len(good), pieces[0]["pieces"]
    if len(pieces) == count == all_of:
        passed, skipped = (sum(int(re.search(rf"(\d+) {verb}", one["said"])[1]) for one in good) for verb in ("passed", "skipped"))
        text = re.sub(r"\d+ passed.*", "", good[0]["said"]) + f"{passed} passed, {skipped} skipped"
        return text if all_of == 1 else f"{text}, in {all_of} parts"
    text = f"{count} of {all_of} parts" if all_of > 1 else ""
    late = [one for one in pieces if one["status"] == 124]
    within = f"not ended within {max(round(one['seconds']) for one in late)} s" if late else ""
    counts = {within: len(late), "**failed**": len(pieces) - count - len(late), "not run": all_of - len(pieces)}
    notes = [f"{number} {verb}" if all_of > 1 else verb for verb, number in counts.items() if number]
    return ": ".join(filter(None, [text, ", ".join(notes)]))


def checks(files):
    """A line a test program, a column a tool."""
    found, commits = {}, []
    for one in files[0]["checks"]:
        found.setdefault((one["test"], one["tool"]), []).append(one)
        commits += [one["commit"]] if one["commit"] and one["commit"] not in commits else []
    tests = list(dict.fromkeys(test for test, _ in found))
    lines = [[f"test-{test}"] + [said_of(found.get((test, tool))) for tool in TOOLS] for test in tests]
    return markdown(["", "alone"] + TOOLS[1:], lines) + ["", f"At commit{'s' if len(commits) > 1 else ''} {', '.join(commits)}."]


def held_out(files):
    """A line a calibration: how well it predicts runs at sizes and on grids that it has not seen."""
    lines = []
    for one in files:
        runs = one["runs"]
        errors = sorted(abs(run["error"]) for run in runs)
        bias = statistics.median(run["error"] for run in runs)
        without = sorted(abs((1 + run["error"]) / (1 + bias) - 1) for run in runs)
        groups = [[run for run in runs if run["n"] == n] for n in sorted({run["n"] for run in runs})]
        groups = [group for group in groups if len(group) > 2]
        taus = [tau_of(group) for group in groups]
        regrets = [min(group, key=lambda run: run["predicted_s"])["measured_s"] / min(run["measured_s"] for run in group) - 1
                   for group in groups]
        noise = sorted((run["rounds_s"][-1] - run["rounds_s"][0]) / 2 / run["measured_s"] for run in runs)
        within = sum(run["least_s"] <= run["measured_s"] <= run["most_s"] for run in runs)
        lines.append([f"`{one['on']}`", str(one["seed"]), str(len(runs)), f"{statistics.median(errors):.1%}", f"{errors[int(0.9 * len(errors))]:.1%}",
                      f"{errors[-1]:.1%}", f"{bias:+.1%}", f"{statistics.median(without):.1%} ({without[int(0.9 * len(without))]:.1%})", str(within),
                      f"{statistics.median(taus):.2f} ({min(taus):.2f})",
                      f"{statistics.median(regrets):.1%} ({max(regrets):.1%})",
                      f"{statistics.median(noise):.1%} ({noise[int(0.9 * len(noise))]:.1%})"])
    heads = ["executor", "seed", "runs", "error, median", "90th percentile", "largest", "common to all",
             "the rest, median (90th percentile)", "within the interval", "τ_b, median (least)",
             "regret, median (most)", "noise, median (90th percentile)"]
    return markdown(heads, lines) + ["", where([one["calibration"] for one in files])]


def network(files):
    """A line a case: ranks on hosts joined by a network of some rate, with and without overlap."""
    lines = []
    for one in (one for results in files for one in results["measured"]):
        for run in one["runs"]:
            on_s, off_s = statistics.median(run["on_s"]), statistics.median(run["off_s"])
            lines.append([str(one["hosts"]), one["rate"].replace("mbit", " Mbit/s").replace("gbit", " Gbit/s"), run["algorithm"], run["grid"],
                          str(run["n"]), f"{run['predicted_s']:.3g} s", f"{on_s:.3g} s", f"{run['predicted_s'] / on_s - 1:+.0%}", f"{off_s / on_s:.2f}"])
    heads = ["hosts", "rate", "schedule", "grid", "n", "predicted", "measured", "error", "without overlap, times as long"]
    places = dict.fromkeys(where([one]) for results in files for one in results["measured"])
    return markdown(heads, lines) + ["", " ".join(places)]


def plans(files):
    """A line a size, and what the plan of a short search takes longer than that of a long one, by model."""
    lines = []
    for one in files:
        cases = one["cases"]
        models = list(dict.fromkeys(case["model"] for case in cases))
        for size in dict.fromkeys(case["size"] for case in cases):
            found = {case["model"]: case for case in cases if case["size"] == size}
            lines.append([size.replace("x", "×")] + [f"{found[model]['short']['algorithm']} {found[model]['short']['grid']}, "
                                                     f"{found[model]['regret']:.1%}" for model in models])
    first = files[0]
    note = (f"{first['procs']} processors of the {first['cases'][0]['short']['machine']}, f32; {first['budget_s']:g} s against "
            f"{first['long_s']:g} s, on one core of an {first['processor'].replace('(R)', '')}.")
    return markdown(["m×k×n"] + [f"`{model}`" for model in models], lines) + ["", note]


def predictions(files):
    """One line per prediction: how long it takes."""
    lines = [[row["model"], f"{row['algorithm']} {row['grid'].replace('x', '×')}" + (f", skew {seconds(row['skew_s'])}" if row["skew_s"] else ""),
              f"{row['processors']:,}", f"{row['messages'] / 1e6:,.1f}", seconds(row["time_s"]), seconds(row["times"]["max"]),
              f"{row['messages'] / row['time_s'] / 1e6:,.0f}"] for row in rows_of(files)]
    return markdown(["model", "prediction", "processors", "million messages", "median", "longest", "million messages/s"], lines) + ["", where(files)]


TABLES = {"predictions": predictions, "plans": plans, "held-out": held_out, "network": network, "checks": checks, "compare": compared, "ranking": ranking, "runs": runs, "shifts": shifts, "shapes": shapes}
