"""The table of docs-measured.py on what the first place of `plan` costs, from the results of measure-choices.py."""
import math
import statistics

from measured_common import markdown, where


def disturbed(case):
    """Whether the machine was not as fast as when it was calibrated, in some round."""
    return any(drift is not None and not 0.9 <= drift <= 1.1 for drift in case["drifts"])


def sizes_of(one, calm):
    """The cases of each size, the plan's first place first; with `calm`, only of sizes none of whose cases was disturbed."""
    sizes = {}
    for case in one["cases"]:
        sizes.setdefault((case["m"], case["n"], case["k"]), []).append(case)
    return [cases for cases in sizes.values() if all(all(case["rounds_s"]) for case in cases) and not (calm and any(map(disturbed, cases)))]


def percentile(numbers, part):
    """The nearest rank."""
    return sorted(numbers)[max(math.ceil(part * len(numbers)), 1) - 1]


def regrets(one, calm):
    """Of each size and round: by how much the plan's first place takes longer than the fastest case; and so the case that was
    fastest in the round before (the last one's, for the first): what one would lose who had measured them all."""
    planned, measured = [], []
    for cases in sizes_of(one, calm):
        rounds = list(zip(*(case["rounds_s"] for case in cases)))
        for number, times in enumerate(rounds):
            before = rounds[number - 1]
            planned.append(times[0] / min(times) - 1)
            measured.append(times[before.index(min(before))] / min(times) - 1)
    return planned, measured


def regrets_by_medians(one, calm):
    """For each size: how much longer the plan's first choice takes than the fastest case, by the medians of all rounds."""
    sizes = [[statistics.median(case["rounds_s"]) for case in cases] for cases in sizes_of(one, calm)]
    return [times[0] / min(times) - 1 for times in sizes]


def figures(one, calm):
    """What a line of the table shows; None where no size is left."""
    cases = [case for cases in sizes_of(one, calm) for case in cases]
    if not cases:
        return None
    errors = [abs(case["predicted_s"] / time_s - 1) for case in cases for time_s in case["rounds_s"]]
    apart = [abs(times[number] / times[number - 1] - 1) for times in (case["rounds_s"] for case in cases) for number in range(1, len(times))]
    within = [case["least_s"] <= time_s <= case["most_s"] for case in cases for time_s in case["rounds_s"] if case["least_s"] is not None]
    planned, measured = regrets(one, calm)
    return {"sizes": len(sizes_of(one, calm)), "cases": len(cases), "errors": errors, "apart": apart,
            "within": sum(within) / max(len(within), 1), "planned": planned,
            "by_medians": regrets_by_medians(one, calm), "measured": measured if apart else []}


def pair(numbers):
    """The median and the 90th percentile."""
    return "-" if not numbers else f"{statistics.median(numbers):.1%} ({percentile(numbers, 0.9):.1%})"


def small(numbers):
    """How many are at most 5 %."""
    return "-" if not numbers else f"{sum(number <= 0.05 for number in numbers) / len(numbers):.0%}"


def choices(files):
    """Two lines a campaign: all sizes, and those without a disturbed case."""
    lines = []
    for one in files:
        for calm in (False, True):
            found = figures(one, calm)
            if found:
                lines.append([f"`{one['on']}`, {one['type']}", "no case disturbed" if calm else "all", str(found["sizes"]), str(found["cases"]),
                              pair(found["errors"]), f"{found['within']:.0%}", pair(found["apart"]), f"{pair(found['planned'])}, {small(found['planned'])}",
                              f"{pair(found['by_medians'])}, {small(found['by_medians'])}", f"{pair(found['measured'])}, {small(found['measured'])}"])
    heads = ["executor", "subset", "sizes", "cases", "error, median (90th percentile)", "within the interval", "difference between rounds",
             "regret of plan's first choice, share ≤ 5 %", "regret of plan's first choice by medians of the rounds, share ≤ 5 %", "regret of the previous round's fastest, share ≤ 5 %"]
    return markdown(heads, lines) + ["", where(files)]


TABLES = {"choices": choices}
