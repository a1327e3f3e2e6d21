"""Makes the runs of a seed: sane words from the command's own examples and options, then attacks on them."""
import os
import random
import signal

import inputs
import outputs
import values
from case import KINDS, Case
from world import FOLDER, Node, World

STYLES = [0, 0, 0, 1, 1, 1, 3, 3, 3, 2]  # how an option is written
ROLES = (b"--a", b"--b")
MATRICES = (".npy", ".mtx", ".raw")

def lines(text):
    return [line.encode().split() for line in text.splitlines() if line]


# Longer runs than the examples, for signals to arrive in.
LONGER = lines("""
verify cannon --grid 100x100
verify --all --for 1..8
verify cannon25d --for q=1..16,c=1..4
draw cannon --grid 8x8 --all -o out.gif
draw summa --grid 4x4 --all -o out.gif
draw dns --grid 4x4x4 -o out.png
draw cannon --grid 12x12 --all -o out.svg
draw cannon --grid 5x5 -o out.html
draw dns --grid 4x4x4 -o out.pdf
export cannon --grid 48x48 -n 480 -o out.json
export summa --grid 32x32 -n 320 -o out.goal
run cannon -n 384 --grid 4x4 --on cpu -o out.json --trace trace.json --c out.npy
run dns -n 384 --grid 4x4x4 --on cores -o out.json --trace trace.json --c out.npy
step cannon --grid 48x48 -n 96
step summa --grid 8x8 -n 300 --c out.npy
step cannon --grid 16x16 -i
calibrate --on cpu --noisy -o out.machine
compare cannon -n 128 --grid 4x4 --on cpu -o out.svg --trace trace.json
plan -n 4096 --procs 256
sim cannon dns --sweep n=512..16384:x2,p=64,4096 -o out.csv
sim cannon cannon25d --sweep p=16,64 --efficiency 0.9
trace summa --grid 24x24 -n 2400 -o trace.json
bench transpose --cpu-only --quick
bench dobravec --cpu-only
bench host-anomaly --sizes 64
topo full:150 -o out.svg
topo torus:10x10x10 -o out.svg
mutate cannon --grid 8x8 -o out.sched
show cannon
list
""")

# Too large, or at the edge of it: refused early, or with progress.
LARGE = lines("""
verify cannon --grid 400x400
verify summa --grid 200x200
topo full:1000 -o out.svg
topo full:400 -o out.svg
topo torus:1000x1000 -o out.png
export cannon --grid 64x64 -n 640 -o out.json
export cannon --grid 128x128 -n 1280 -o out.goal
sim cannon --grid 500x500 -n 5000
draw cannon --grid 24x24 --all -o out.gif
draw cannon --grid 40x40 --all -o out.svg
draw summa --grid 64x64 -o out.pdf
draw cannon --grid 100x100 -o out.html
draw cannon --grid 100x100 -n 1000 --spacetime -o out.svg
step cannon --grid 400x400 -n 400
draw cannon --grid 300x300 -n 900 --memory -o out.png
trace cannon --grid 64x64 -n 640 -o out.json
sim dns --grid 100x100x100 -n 1000
trace cannon --grid 4x4 -n 64 --straggler 1:1e308 -o out.json
sim cannon --grid 4x4 -n 759250124
plan -n 100000 --procs 1000
run cannon --grid 16x16 -n 4000 --on cpu
compare cannon --grid 16x16 -n 2000 --on cpu
compare summa --grid 16x16 -n 2000 --on cores --transport pull
mutate cannon --grid 200x200 -o out.sched
sim cannon dns --sweep n=1..1000000:x2,p=1..100000 -o out.csv
sim summa --sweep p=16..65536:x4 --efficiency 0.99
verify cannon25d --for q=1..64,c=1..64
calibrate --on cores --sizes 512,1024,2048 --grid 4x4 --noisy
bench essay --cpu-only --sizes 2048
bench host-anomaly --quick
bench mmt --quick --cpu-only
""")

KEYS = [b"n", b"b", b" ", b"g5\r", b"g99999999999\r", b"g-1\r", b"gq\r", b"g\x1b", b"f", b"fA01\r", b"f\xff\r", b"s",
        b"s\r", b"?", b"q", b"\x1b", b"\x1b[A", b"\x1b[B", b"\x1b[C", b"\x1b[D", b"\x1b[H", b"\x1b[F", b"\x1b[5~",
        b"\x1b[6~", b"\x1b[4~", b"\x1b[1;5C", b"\x1b[999999999999A", b"\x1b[M !!", b"\x1b[200~paste\x1b[201~", b"\x03",
        b"\x04", b"\x0c", b"\x11", b"\x13", b"\x16\x03", b"\r", b"\n", b"\0", b"\xff\xfe", b"\xc3", b"n" * 500,
        b"x" * 5000, b"\x1b" * 100, b"+", b"-", b"0", b"9"]

SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE, signal.SIGXFSZ, signal.SIGKILL,
           signal.SIGWINCH, signal.SIGCONT, signal.SIGALRM, signal.SIGUSR1]


class Maker:
    """Makes the runs of one seed."""

    def __init__(self, commands, library, only=None, without=()):
        self.commands, self.library, self.only, self.without = commands, library, only, without
        self.weights = [0 if kind in without else 0.15 if kind == "sizes" else 1 for kind in KINDS]
        self.texts = [text for _, text in library.values()]

    def make(self, seed, number):
        rng = random.Random(f"{seed}:{number}")
        kinds = {self.only} if self.only else {rng.choices(KINDS, self.weights)[0]} | {
            kind for kind in KINDS if rng.random() < 0.06 and kind != "sizes" and kind not in self.without}
        command = self.choose(rng, kinds)
        case = Case(seed, number, command, self.begin(rng, command), World(rng), kinds, environment(), {0: "null",
                                                                                                        1: "pipe",
                    2: "pipe"}, user=rng.random() < 0.6)
        self.extend(rng, case)
        self.complete(rng, case)
        if kinds & {"signals", "terminal"} and rng.random() < 0.6:
            case.words = list(rng.choice(LONGER))
            case.command = self.commands[case.words[0].decode()]
        for kind in KINDS:
            if kind in kinds:
                getattr(self, kind)(rng, case)
        self.shorten(rng, case)
        case.words = [word.replace(b"\0", b"") for word in case.words]
        return case

    def choose(self, rng, kinds):
        """A command that has what the attack is about."""
        fits = list(self.commands.values())
        if kinds & {"outputs", "disks"}:
            fits = [command for command in fits if any(option.is_output for option in command.options)]
        elif "files" in kinds:
            fits = [command for command in fits if command.takes_schedules() or any(
                option.is_input for option in command.options)]
        return rng.choice(fits)

    # Sane words ------------------------------------------------------------------------------------------------------

    def begin(self, rng, command):
        if command.examples and rng.random() < 0.7:
            return list(rng.choice(command.examples))
        words = [command.name]
        algorithm = rng.choice(sorted(self.library))
        if command.takes_schedules():
            words.append(algorithm)
        elif command.argument:
            words.append(self.sane_argument(rng, command))
        if command.option(b"--grid"):
            words += [b"--grid", values.sane_grid(rng, self.library[algorithm][0])]
        if command.option(b"-n"):
            words += [b"-n", values.sane(rng, command.option(b"-n"))]
        if command.option(b"--on"):
            words += [b"--on", rng.choice([b"cpu", b"cores"])]
        return words

    def complete(self, rng, case):
        """Adds what the command cannot do without."""
        for option in case.command.required():
            if option not in case.given():
                case.set(option, self.sane_value(rng, case, option))

    def sane_argument(self, rng, command):
        if "|" in command.argument:
            return rng.choice(command.argument.split("|")).encode()
        choices = {"TOPOLOGY": values.SANE[b"--network"].split(), "SUBCOMMAND": sorted(self.commands),
                   "[WHAT]": "algorithms topologies machines kernels executors".split()}
        return rng.choice(choices.get(command.argument, ["cannon"])).encode()

    def extend(self, rng, case, counts=(0, 0, 1, 1, 2, 4)):
        """A few more options with sane values."""
        count = rng.choice(counts)
        for option in rng.sample(case.command.options, min(count, len(case.command.options))):
            if option.name in (b"--help", b"--version", b"--interactive") and rng.random() < 0.9:
                continue
            others = set().union(*(group for group in values.ALTERNATIVES if option.name in group)) - {option.name}
            if not others & {known.name for known in case.given()} or rng.random() < 0.1:
                case.set(option, self.sane_value(rng, case, option), rng.choice(STYLES))

    def sane_value(self, rng, case, option):
        if option.value is None:
            return b""
        if option.is_output:
            return self.sane_output(rng, case, option)
        if option.name in ROLES:
            return self.sane_matrix(rng, case)
        if option.is_input and rng.random() < 0.5:
            return case.world.file(case.world.fresh(b"in", b".machine"), rng.choice(inputs.MACHINES))
        return values.sane(rng, option)

    @staticmethod
    def suffix(rng, case, option):
        return b"." + rng.choice(case.command.suffixes(option, outputs.SUFFIXES) or ["json"]).encode()

    def sane_output(self, rng, case, option):
        return case.world.fresh(b"out%d" % rng.randrange(3), self.suffix(rng, case, option))

    def sane_matrix(self, rng, case):
        suffix = rng.choice(MATRICES)
        return case.world.file(case.world.fresh(b"in", suffix.encode()), inputs.good(rng, suffix, self.texts,
                                                                                     rng.choice([4, 8])))

    def shorten(self, rng, case):
        """Keeps valid work short: the attack is not about patience."""
        known = {option.name for option in case.given()}
        for name, (value, needs, forbids, only) in values.SHORT.items():
            wanted = case.command.option(name) and name not in known and forbids not in case.words
            wanted = wanted and (only is None or only in case.words)
            if needs and case.command.option(needs):
                wanted = wanted and needs in known
            if name == b"--budget" and b"--machine" in known:
                continue
            if wanted and rng.random() < 0.97:
                case.words[1:1] = [name] if value is None else [name, value]

    # Attacks, one a kind ---------------------------------------------------------------------------------------------

    def options(self, rng, case):
        """Many sane options at once, or hostile values."""
        if rng.random() < 0.35:
            self.extend(rng, case, [3, 5, 8])
            return
        for _ in range(rng.choice([1, 1, 1, 2, 3])):
            pick = rng.random()
            if pick < 0.6:
                option = rng.choice([option for option in case.command.options if option.value is not None])
                case.set(option, values.hostile(rng, self.sane_value(rng, case, option)), rng.choice(STYLES))
            elif pick < 0.75 and case.arguments():
                at = rng.choice(case.arguments())
                case.words[at] = values.hostile(rng, case.words[at])
            else:
                self.change_words(rng, case)

    @staticmethod
    def change_words(rng, case):
        words, at = case.words, rng.randrange(1, len(case.words) + 1)
        pick = rng.randrange(7)
        if pick == 0 and at < len(words):
            del words[at]
        elif pick == 1 and at < len(words):
            words.insert(at, words[at])
        elif pick == 2:
            words.insert(at, rng.choice(values.WORDS))
        elif pick == 3:
            words.insert(at, b"--" + rng.choice(values.WORDS) + rng.choice([b"", b"=1"]))
        elif pick == 4:
            words[1:] = rng.sample(words[1:], len(words) - 1)
        elif pick == 5:
            words += [rng.choice(words)] * rng.choice([1, 20, 2000])
        else:
            words[0] = rng.choice([words[0][:-1], words[0] + rng.choice(values.WORDS), words[0].upper(), b"",
                                   b"--" + words[0]])

    def files(self, rng, case):
        """Hostile input files in one role, or two."""
        for _ in range(rng.choice([1, 1, 1, 2])):
            role, give = rng.choice(self.roles(case) or [("schedule", None)])
            if role == "matrix":
                role = rng.choice(MATRICES)
            places = case.arguments() or [len(case.words)]
            texts = [self.library[word][1] for word in case.words[1:] if word in self.library] if give is None else None
            path = inputs.hostile_path(rng, case.world, role, texts or self.texts)
            if give is None:
                case.words[places[0]:places[0] + 1] = [path]
            else:
                case.set(give, path)
                if give.name in ROLES:
                    self.give_other_matrix(rng, case, give)
        if any(role == b"-" for role in case.words):
            case.streams[0] = self.stdin(rng)

    @staticmethod
    def roles(case):
        """What kinds of files the command reads, and by which option (None: as its argument)."""
        found = [("schedule", None)] * 3 if case.command.takes_schedules() else []
        for option in case.command.options:
            if option.name in ROLES:
                found.append(("matrix", option))
            elif option.is_input:
                found += [("machine", option)] * 2
            elif option.value and "ALGO" in option.value:
                found.append(("schedule", option))
        return found

    def give_other_matrix(self, rng, case, given):
        """A and B come together, and their sizes are in the files."""
        case.drop(b"--seed", b"--integers", *[b"-n", b"--size"][:rng.choice([0, 2, 2, 2])])
        other = case.command.option(b"--b" if given.name == b"--a" else b"--a")
        if other not in case.given() and rng.random() < 0.9:
            case.set(other, self.sane_matrix(rng, case))

    def outputs(self, rng, case):
        options = [option for option in case.command.options if option.is_output]
        if not options:
            return
        if rng.random() < 0.5:
            self.give_file(rng, case)
        read = [path[2:] if path[:2] == b"./" else path for path in case.input_paths()]
        read = [path for path in read if path in case.world.nodes]
        rng.shuffle(options)
        paths = [outputs.hostile_path(rng, case.world, self.suffix(rng, case, option), read) for option in options]
        if len(options) > 1 and rng.random() < 0.3:
            paths = outputs.pair(rng, case.world, self.suffix(rng, case, options[0]))
        if case.command.name == b"mutate" and rng.random() < 0.6:
            if read and read[0].endswith(b".answer"):
                paths[0] = rng.choice([b"", b"./", b"../work/"]) + read[0][:-len(b".answer")] + b".sched"
            else:
                outputs.answer(rng, case.world, paths[0], read[0] if read else None)
        case.set(options[0], paths[0], rng.choice(STYLES))
        if len(options) > 1 and rng.random() < 0.6:
            case.set(options[1], rng.choice([paths[1], paths[1], paths[1], paths[0]]))

    def own_schedule(self, rng, case):
        """A schedule with a number of another size, on a grid of some size."""
        places, grid = case.arguments(), case.command.option(b"--grid")
        if not case.command.takes_schedules() or not grid or not places or case.words[places[0]] not in self.library:
            return
        coordinates, text = self.library[case.words[places[0]]]
        number = values.magnitude(rng, rng.choice([2, 4, 7, 19]))
        text = text.replace(b"[0]", b"[" + number + b"]") if rng.random() < 0.5 else values.another_number(rng, text,
                                                                                                           number)
        case.words[places[0]] = b"./" + case.world.file(case.world.fresh(b"in", b".sched"), text)
        case.set(grid, {1: b"64", 2: b"16x16"}.get(coordinates, b"6x6x6"))

    def give_file(self, rng, case):
        """An input that is a file: the schedule, or a machine, or a matrix."""
        roles = self.roles(case)
        if not roles:
            return
        role, give = rng.choice(roles)
        role = rng.choice(MATRICES) if role == "matrix" else role
        suffix = {"schedule": b".sched", "machine": b".machine"}.get(role, role.encode())
        text = inputs.good(rng, role, self.texts)
        places = case.arguments()
        if give is None and places and case.words[places[0]] in self.library:
            text = self.library[case.words[places[0]]][1]
        path = case.world.file(case.world.fresh(b"in", rng.choice([suffix, suffix, b".answer", b".json"])), text)
        if give is not None:
            case.set(give, path)
            if give.name in ROLES:
                self.give_other_matrix(rng, case, give)
        elif places:
            case.words[places[0]] = b"./" + path

    @staticmethod
    def limits(rng, case):
        case.limits[rng.choice(["memory", "memory", "memory", "files", "processes", "file-size", "file-size",
                                "stack"])] = 0
        for which in case.limits:
            case.limits[which] = {"memory": rng.randrange(60, 401) << 20, "files": rng.choice([3, 4, 5, 6, 7, 8, 10,
                                                                                               16]),
                                  "processes": rng.choice([1, 2, 3, 5]), "stack": rng.choice([1, 2]) << 20,
                                  "file-size": rng.choice([0, 1, 100, 4096, 20000, 100000])}[which]
        case.user = case.user or "processes" in case.limits

    def sizes(self, rng, case):
        """Numbers of any size, small ones more often than huge ones, or a problem that is known to be large."""
        if rng.random() < 0.4:
            case.words = list(rng.choice(LARGE))
            case.command = self.commands[case.words[0].decode()]
            if rng.random() < 0.5:
                return
        elif rng.random() < 0.3:
            self.own_schedule(rng, case)
        numbered = [row for row in case.options() if row[1].value is not None and any(48 <= c < 58 for c in row[3])]
        for _, option, _, value in rng.sample(numbered, min(len(numbered), rng.choice([0, 1, 1, 2, 3]))):
            case.set(option, values.another_number(rng, value, values.magnitude(rng, rng.choice([3, 6, 10, 19]))))
        if not numbered:
            places = case.arguments() or [0]
            case.words[places[-1]] = values.another_number(rng, case.words[places[-1]], values.magnitude(rng, 8))

    @staticmethod
    def signals(rng, case):
        longest = rng.choice([0.01, 0.03, 0.1, 0.3, 1])
        for _ in range(rng.choice([1, 1, 1, 2, 5])):
            case.signals.append((rng.random() * longest, rng.choice(SIGNALS[:3] + SIGNALS), rng.random() < 0.4))
        case.signals.sort()

    def disks(self, rng, case):
        """Outputs on a disk with little or no room, or that cannot be written."""
        case.room = rng.choice([0, 0, 4096, 8192, 20000, 61440])
        for option in [option for option in case.command.options if option.is_output]:
            if rng.random() < 0.7 or option.name == b"--output":
                base = self.sane_output(rng, case, option)
                where = rng.choice([b"../full/", b"../full/", b"../full/", b"../readonly/"])
                if rng.random() < 0.3:
                    case.world.file(where + base, outputs.OLD) if where == b"../full/" else None
                case.set(option, where + base)
        if rng.random() < 0.3:
            case.environment[b"TMPDIR"] = rng.choice([b"../full", b"../readonly"])
        if rng.random() < 0.3:
            case.tmp_room = rng.choice([0, 4096, 12288, 40960])

    def stdin(self, rng):
        """What comes in: schedules, whole, damaged or without end."""
        text = inputs.good(rng, "schedule", self.texts)
        return rng.choice([("data", text, b""), ("data", inputs.damage(rng, text), b""), ("data", b"", b""), "closed",
                           "folder", ("data", text, inputs.endless(rng, "schedule")), ("data", b"", bytes(1000)),
                           "null", "full"])

    def streams(self, rng, case):
        for number in rng.sample([0, 1, 2], rng.choice([1, 1, 2, 3])):
            case.streams[number] = rng.choice(["closed", "closed", "full", "broken",
                                               "broken"]) if number else self.stdin(rng)
        if case.command.takes_schedules() and rng.random() < 0.4 and case.arguments():
            case.words[case.arguments()[0]] = rng.choice([b"-", b"-", b"/dev/stdin"])
            case.streams[0] = self.stdin(rng)
            if rng.random() < 0.3:  # a file that may be the output, too
                paths = [path for path in case.output_paths() if path and b"/" not in path]
                path = rng.choice(paths) if paths else b"in.sched"
                case.world.file(path, inputs.good(rng, "schedule", self.texts))
                case.streams[0] = "FILE:" + os.fsdecode(path)

    def terminal(self, rng, case):
        case.streams = {0: "tty", 1: rng.choice(["tty", "tty", "tty", "pipe"]), 2: "tty"}
        case.window = rng.choice([(24, 80), (24, 80), (1, 1), (0, 0), (2, 10), (500, 500), (65535, 65535), (3, 200)])
        case.environment[b"TERM"] = rng.choice([b"xterm-256color", b"xterm", b"dumb", b"", b"vt100", b"linux",
                                                b"x" * 999])
        if case.command.name == b"step" and rng.random() < 0.8 and b"-i" not in case.words:
            case.words.append(b"-i")
        at = rng.random() * 0.05
        for _ in range(rng.choice([1, 3, 10])):
            case.keys.append((at, rng.choice(KEYS)))
            at += rng.random() * 0.05
        case.keys.append((at + 0.05, b"q"))
        end = rng.choice([signal.SIGHUP, signal.SIGTERM, signal.SIGHUP if case.is_interactive() else signal.SIGINT])
        case.signals.append((at + rng.choice([0.2, 0.5, 1]), end, rng.random() < 0.5))

    @staticmethod
    def environment(rng, case):
        set_ = case.environment
        for _ in range(rng.choice([1, 1, 2])):
            pick = rng.randrange(10)
            if pick == 0:
                set_[b"HOME"] = rng.choice([b"", b"/nonexistent", b"relative", b"/dev/null", b"../full", b"x" * 5000])
            elif pick == 1:
                set_.pop(b"HOME", None)
            elif pick in (2, 3):
                odd_folder(rng, case)
            elif pick == 4:
                set_[b"LC_ALL"] = rng.choice([b"C", b"POSIX", b"C.UTF-8", b"de_DE.UTF-8", b"tr_TR.UTF-8",
                                              b"ja_JP.eucJP", b"xx", b"", b"A" * 5000, b"%s", b"../../etc"])
            elif pick == 5:
                set_[b"PATH"] = rng.choice([b"", b"/nonexistent", b".", b":::", b"/usr/bin:/bin"])
            elif pick == 6:
                name = rng.choice([b"COLUMNS", b"LINES", b"OPENBLAS_NUM_THREADS", b"OMP_NUM_THREADS", b"NO_COLOR",
                                   b"COLORTERM", b"TERM", b"G_SLICE", b"MALLOC_PERTURB_", b"POSIXLY_CORRECT",
                                   b"LANGUAGE", b"G_FILENAME_ENCODING"])
                set_[name] = rng.choice([b"", b"0", b"1", b"-1", b"3", b"99999999999", b"nan", b"x", b"%s"])
            elif pick == 7:
                case.umask = rng.choice([0, 0o777, 0o077, 0o277])
            elif pick == 8:
                case.folder_gone = True
            else:
                case.children_ignored = True
        if rng.random() < 0.4:
            case.world.file(b"../home/.cache/topogemm/tuning.ini", rng.choice([b"[", b"\xff", b"[x]\na=" + b"9" * 5000,
                                                                               b"\0" * 99]))


def odd_folder(rng, case):
    """A folder for temporary files with an odd name, or one that is none. GIF is what uses it."""
    name = rng.choice([b"%d", b"a b", b"[x]", b"quo'te", b"100%06u", b"*", b"new\nline", b"-x", b"\xff", b"caf\xc3\xa9",
                       b"@list", b"msl:x", b"a:b", b"\x1b]0;owned\x07", b"$(touch pwned)", b"|touch pwned", b"x" * 200])
    pick = rng.randrange(5)
    if pick < 3:
        case.world.add(b"../tmp/" + name, Node(FOLDER, mode=0o755))
        case.environment[b"TMPDIR"] = b"@tmp/" + name
    elif pick == 3:
        case.environment[b"TMPDIR"] = rng.choice([b"", b"/nonexistent", b"/dev/null", b".", b"..", b"/proc",
                                                  b"x" * 5000])
    else:
        case.environment.pop(b"TMPDIR", None)
    if case.command.name == b"draw" and rng.random() < 0.7:
        case.words = rng.choice([b"draw cannon --grid 2x2 --all -o out.gif",
                                 b"draw summa --grid 2x2 -o out.gif"]).split()


def environment():
    """@home and @tmp are the job's folders."""
    return {b"PATH": b"/usr/local/bin:/usr/bin:/bin", b"HOME": b"@home", b"TMPDIR": b"@tmp", b"LC_ALL": b"C.UTF-8",
            b"TERM": b"xterm-256color"}
