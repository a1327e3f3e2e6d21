"""The tables of docs-measured.py on the experiments of Ryu and Kim, from the results of measure-pegmm.py."""
import statistics

from measured_common import markdown, tau_of, where

PANELS = ("pegmm", "mod-pegmm")
SHOWN = {"egmm": "EGMM", "pegmm": "PEGMM", "mod-pegmm": "Mod_PEGMM", "summa-from-root": "SUMMA from the root",
         "cannon-from-root": "Cannon from the root", "summa": "SUMMA", "cannon": "Cannon"}


def rows_of(files):
    return [row for one in files for row in one["rows"]]


def find(rows, **wanted):
    """The row that has these values, or None."""
    found = [row for row in rows if all(row[key] == value for key, value in wanted.items())]
    assert len(found) < 2, wanted
    return found[0] if found else None


def times(row):
    """Measured and predicted time."""
    return f"{row['wall_s']:.1f} ({row['predicted_s']:.1f})" if row else "-"


def less(first, second):
    """How much less time the second takes, measured and predicted."""
    if not first or not second:
        return "-"
    return " ".join([f"{1 - second['wall_s'] / first['wall_s']:.0%}", f"({1 - second['predicted_s'] / first['predicted_s']:.0%})"])


def by_paper(rows):
    """The rows with the paper's blocks, and those with planned blocks."""
    return [row for row in rows if row["tiles"]], [row for row in rows if not row["tiles"]]


def numbers(rows, key):
    return sorted({row[key] for row in rows})


def paper(files, place):
    """One line per set, with the paper's blocks, x = y = z."""
    rows = [row for row in by_paper(rows_of(files))[0] if row["from"] == place]
    hosts = [count for count in numbers(rows, "hosts") if count > 1]
    heads = ["", "EGMM, 1", *(f"{SHOWN[name]}, {count}" for count in hosts for name in PANELS), *(f"less, {count}" for count in hosts)]
    lines = []
    for number in numbers(rows, "set"):
        both = {(count, name): find(rows, set=number, hosts=count, algorithm=name) for count in hosts for name in PANELS}
        lines.append([f"Set {number}", times(find(rows, set=number, hosts=1)), *(times(row) for row in both.values()),
                      *(less(both[count, "pegmm"], both[count, "mod-pegmm"]) for count in hosts)])
    return markdown(heads, lines)


def planned(files, place):
    """One line per set, with planned blocks, on the largest number of hosts."""
    rows = [row for row in by_paper(rows_of(files))[1] if row["from"] == place]
    most = max(numbers(rows, "hosts"))
    names = [name for name in SHOWN if find(rows, set=min(numbers(rows, "set")), hosts=most, algorithm=name)]
    lines = [[f"Set {number}", times(find(rows, set=number, hosts=1)), *(times(find(rows, set=number, hosts=most, algorithm=name)) for name in names)]
             for number in numbers(rows, "set")]
    return markdown(["", "EGMM, 1", *(SHOWN[name] for name in names)], lines)


def moved(files):
    """Bytes moved for the largest set, on the largest number of hosts, from disk."""
    rows = [row for row in rows_of(files) if row["from"] == "disk" and row["hosts"] == max(numbers(rows_of(files), "hosts"))]
    rows = [row for row in rows if row["set"] == max(numbers(rows, "set"))]
    lines = [[SHOWN[row["algorithm"]] + (", x = y = z" if row["tiles"] else "")] +
             [f"{row[key] / 1e9:.2f}" for key in ("disk_read_bytes", "disk_written_bytes", "sent_bytes")] +
             ["yes" if row["disk_read_bytes"] == row["model_read_bytes"] else "no"] for row in rows]
    return markdown(["", "read, GB", "written, GB", "sent, GB", "reads as planned"], lines)


def ratios(files):
    """One line per rate of the network."""
    rows, lines = rows_of(files), []
    for ratio in sorted(numbers(rows, "ratio"), reverse=True):
        at = [row for row in rows if row["ratio"] == ratio]
        disk, cache = ({name: find(at, algorithm=name, **{"from": place}) for name in (*PANELS, "summa-from-root")} for place in ("disk", "cache"))
        lines.append([f"{ratio:g}", times(disk["pegmm"]), times(disk["mod-pegmm"]), less(disk["pegmm"], disk["mod-pegmm"]), times(disk["summa-from-root"]),
                      times(cache["pegmm"]), times(cache["mod-pegmm"]), less(cache["pegmm"], cache["mod-pegmm"])])
    return markdown(["network / disk", "PEGMM", "Mod_PEGMM", "less", "SUMMA from the root", "PEGMM, cache", "Mod_PEGMM, cache", "less, cache"], lines)


def errors(files):
    """How good the predictions are."""
    lines = []
    for place in ("disk", "cache"):
        rows = [row for row in rows_of(files) if row["from"] == place]
        found = sorted(row["predicted_s"] / row["wall_s"] - 1 for row in rows)
        absolute = sorted(map(abs, found))
        groups = {}
        for row in rows:
            groups.setdefault((row["set"], row["hosts"], row["ratio"]), []).append({"predicted_s": row["predicted_s"], "measured_s": row["wall_s"]})
        taus = [tau_of(group) for group in groups.values() if len(group) > 2]
        lines.append([place, str(len(rows)), f"{statistics.median(absolute):.0%}", f"{absolute[int(0.9 * len(absolute))]:.0%}",
                      f"{statistics.median(found):+.0%}", f"{statistics.median(taus):.2f}", f"{min(taus):.2f}"])
    heads = ["from", "runs", "error, median", "90th percentile", "signed, median", "tau, median", "least"]
    kernels = files[0]["environment"]["blas"].partition("running as ")[2].partition(",")[0]
    return markdown(heads, lines) + [
        "", f"One run each. Disks of {files[0]['disk_bytes_per_s'] / 1e6:.0f} MB/s; OpenBLAS with kernels for {kernels}, "
            f"{files[0]['flops_per_s'] / 1e9:.0f} Gflop/s for all hosts together. {where(files)}"]


TABLES = {"pegmm-disk": lambda files: paper(files, "disk"), "pegmm-cache": lambda files: paper(files, "cache"),
          "pegmm-planned": lambda files: planned(files, "disk"), "pegmm-planned-cache": lambda files: planned(files, "cache"),
          "pegmm-moved": moved, "pegmm-ratios": ratios, "pegmm-errors": errors}
