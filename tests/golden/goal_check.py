#!/usr/bin/env python3
"""Checks GOAL files: goal_check.py FILE…

The grammar is the one that txt2bin of LogGOPSim accepts (github.com/spcl/LogGOPSim, src/LogGOPSim/txt2bin.re; the
language: T. Hoefler, C. Siebert, A. Lumsdaine, Group Operation Assembly Language, ICPP 2009), with a line for each
statement as its Schedgen writes them:

  file       = { nothing | comment } "num_ranks" INT { nothing | comment | rank }
  rank       = "rank" INT "{" { nothing | comment | operation | dependency } "}"
  operation  = [ LABEL ":" ] ( send | recv | calc )
  send       = "send" INT "b" "to" INT              [ "tag" INT ] [ "cpu" INT ] [ "nic" INT ]
  recv       = "recv" INT "b" "from" ( INT | "-1" ) [ "tag" ( INT | "-1" ) ] [ "cpu" INT ] [ "nic" INT ]
  calc       = "calc" INT [ "cpu" INT ]
  dependency = LABEL ( "requires" | "irequires" ) LABEL
  comment    = "//" anything, to the end of the line; not after a statement
  LABEL      = a letter, then letters, digits, "_"; no blanks before it

Beyond the grammar: what txt2bin and LogGOPSim take for granted (ranks in order, labels before their use), and what an
exact export has to hold (each send has its one receive of the same size and tag; the run ends, whether sends are eager
or wait for their receives).
"""

import re
import sys

INT, WS = r"([0-9]+)", r"[ \t]+"
TAIL = rf"(?:{WS}cpu{WS}[0-9]+)?(?:{WS}nic{WS}[0-9]+)?[ \t]*"
LABEL = r"(?:([a-zA-Z][a-zA-Z0-9_]*)[ \t]*:[ \t]*)?"
SEND = re.compile(rf"{LABEL}send{WS}{INT}b{WS}to{WS}{INT}(?:{WS}tag{WS}{INT})?{TAIL}")
RECV = re.compile(rf"{LABEL}recv{WS}{INT}b{WS}from{WS}(-1|[0-9]+)(?:{WS}tag{WS}(-1|[0-9]+))?{TAIL}")
CALC = re.compile(rf"{LABEL}calc{WS}{INT}(?:{WS}cpu{WS}[0-9]+)?[ \t]*")
REQUIRES = re.compile(rf"([a-zA-Z][a-zA-Z0-9_]*){WS}(requires|irequires){WS}([a-zA-Z][a-zA-Z0-9_]*)[ \t]*")
NUM_RANKS = re.compile(rf"num_ranks{WS}{INT}[ \t]*")
RANK = re.compile(rf"rank{WS}{INT}[ \t]*{{[ \t]*")


class GoalError(Exception):
    """What is wrong, and in which line."""


class Operation:
    """A send, recv or calc; `size` in bytes or ns, `waits` for the operations (indices) before it starts."""

    def __init__(self, kind, size, peer=None, tag=0):
        self.kind, self.size, self.peer, self.tag, self.waits = kind, size, peer, tag, []


def need(condition, message):
    if not condition:
        raise GoalError(message)


def operation_of(text):
    """(label, operation), or None where the line is no operation."""
    for kind, form in ("send", SEND), ("recv", RECV):
        match = form.fullmatch(text)
        if match:
            label, size, peer, tag = match.groups()
            return label, Operation(kind, int(size), int(peer), int(tag or 0))
    match = CALC.fullmatch(text)
    return (match[1], Operation("calc", int(match[2]))) if match else None


def read_statement(text, where, labels, operations):
    found = operation_of(text)
    if found:
        label, operation = found
        need(label not in labels, f"{where}: label {label} is there already")
        if label:
            labels[label] = len(operations)
        operations.append(operation)
        return
    match = REQUIRES.fullmatch(text)
    need(match, f"{where}: not in the grammar: {text!r}")
    waiting, kind, awaited = match.groups()
    need(waiting in labels and awaited in labels, f"{where}: a label that is not defined before")
    need(kind == "requires", f"{where}: irequires, which the export has no use for")
    need(labels[awaited] < labels[waiting], f"{where}: an operation waits for itself or a later one")
    operations[labels[waiting]].waits.append(labels[awaited])


def parse(text):
    """The operations of each rank."""
    ranks, count, labels = [], None, None
    need(text.endswith("\n"), "the last line is not ended")
    for number, line in enumerate(text.split("\n")[:-1], 1):
        where = f"line {number}"
        if line == "" or line.startswith("//"):
            continue
        if labels is not None and line.rstrip(" \t") == "}":
            labels = None
        elif labels is not None:
            read_statement(line, where, labels, ranks[-1])
        elif count is None:
            match = NUM_RANKS.fullmatch(line)
            need(match, f"{where}: expected num_ranks")
            count = int(match[1])
        else:
            match = RANK.fullmatch(line)
            need(match, f"{where}: not in the grammar: {line!r}")
            need(int(match[1]) == len(ranks) < count, f"{where}: ranks are not in order, or too many")
            ranks.append([])
            labels = {}
    need(labels is None, "the last rank is not closed")
    need(count is not None and len(ranks) == count, "there are fewer ranks than num_ranks says")
    return ranks


def check_numbers(ranks):
    for rank, operations in enumerate(ranks):
        for operation in operations:
            if operation.kind == "calc":
                need(operation.size < 2**63, f"rank {rank}: a calc beyond 63 bits")
                continue
            need(0 <= operation.peer < len(ranks) and operation.peer != rank, f"rank {rank}: peer {operation.peer}")
            need(0 <= operation.tag < 2**31, f"rank {rank}: tag {operation.tag}")
            need(1 <= operation.size < 2**63, f"rank {rank}: {operation.size} bytes, LogGOPSim needs 1 or more")


def channels(ranks, kind):
    """Sizes by (from, to, tag)."""
    found = {}
    for rank, operations in enumerate(ranks):
        for operation in operations:
            if operation.kind == kind:
                pair = (rank, operation.peer) if kind == "send" else (operation.peer, rank)
                found.setdefault((*pair, operation.tag), []).append(operation.size)
    return found


def check_pairs(ranks):
    sends, receives = channels(ranks, "send"), channels(ranks, "recv")
    for key in sends.keys() | receives.keys():
        need(len(sends.get(key, [])) == 1, f"from {key[0]} to {key[1]} tag {key[2]}: not one send")
        need(receives.get(key) == sends[key], f"from {key[0]} to {key[1]} tag {key[2]}: the receive does not fit")


def check_order(ranks):
    """A processor's messages of a later tag wait for those of an earlier one, those of one tag not for each other, and
    a product stands before or after everything else."""
    for rank, operations in enumerate(ranks):
        before = []  # by operation: the set of those that it waits for, as bits
        for operation in operations:
            bits = 0
            for awaited in operation.waits:
                bits |= before[awaited] | 1 << awaited
            before.append(bits)
        for later, operation in enumerate(operations):
            for earlier in range(later):
                other = operations[earlier]
                together = operation.kind != "calc" and other.kind != "calc" and operation.tag == other.tag
                waits = bool(before[later] >> earlier & 1)
                need(waits != together, f"rank {rank}: operations {earlier} and {later}, counted from 0: "
                     f"{'one waits' if waits else 'neither waits'} for the other")


def check_run(ranks, eager):
    """Executes everything without clocks: a send is done when it starts (eager), or when its receive has started too."""
    waiting = [[len(operation.waits) for operation in operations] for operations in ranks]
    awaited_by = [[[] for _ in operations] for operations in ranks]
    place = {}
    for rank, operations in enumerate(ranks):
        for index, operation in enumerate(operations):
            for awaited in operation.waits:
                awaited_by[rank][awaited].append(index)
            if operation.kind != "calc":
                key = (rank, operation.peer) if operation.kind == "send" else (operation.peer, rank)
                place.setdefault((*key, operation.tag), {})[operation.kind] = (rank, index)
    ready = [(rank, index) for rank, counts in enumerate(waiting) for index, count in enumerate(counts) if count == 0]
    started, done = set(), set()
    while ready:
        rank, index = ready.pop()
        operation = ranks[rank][index]
        started.add((rank, index))
        finished = [(rank, index)]
        if operation.kind != "calc":
            key = (rank, operation.peer) if operation.kind == "send" else (operation.peer, rank)
            pair = place[(*key, operation.tag)]
            both = pair["send"] in started and pair["recv"] in started
            finished = list(pair.values()) if both else [(rank, index)] if eager and operation.kind == "send" else []
        for end in finished:
            if end in done:
                continue
            done.add(end)
            for later in awaited_by[end[0]][end[1]]:
                waiting[end[0]][later] -= 1
                if waiting[end[0]][later] == 0:
                    ready.append((end[0], later))
    need(len(done) == sum(map(len, ranks)), "the run stands still" + (" with eager sends" if eager else ""))


def check(text):
    """The operations of each rank of a file that is right; GoalError for any other."""
    ranks = parse(text)
    check_numbers(ranks)
    check_pairs(ranks)
    check_order(ranks)
    check_run(ranks, eager=True)
    check_run(ranks, eager=False)
    return ranks


def main():
    for name in sys.argv[1:]:
        with open(name, encoding="utf-8") as file:
            ranks = check(file.read())
        counts = {kind: sum(o.kind == kind for operations in ranks for o in operations) for kind in ("send", "calc")}
        print(f"{name}: {len(ranks)} ranks, {counts['send']} sends, {counts['calc']} calcs")


if __name__ == "__main__":
    main()
