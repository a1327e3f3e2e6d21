"""One run: the command's words, its files, and everything around it, all of it following from a seed and a number."""
import dataclasses

import outputs
from world import FILE, World

KINDS = "options files outputs limits signals disks streams terminal environment sizes".split()


WRITTEN_ARGUMENT = {b"generate": 0, b"convert": 1}


@dataclasses.dataclass
class Case:
    """All of a run. Streams by number: null, closed, pipe, full, broken, tty, folder, FILE:path, or what is read:
    ("data", bytes, bytes repeated for ever)."""
    seed: int
    number: int
    command: object
    words: list
    world: World
    kinds: set
    environment: dict
    streams: dict
    limits: dict = dataclasses.field(default_factory=dict)
    signals: list = dataclasses.field(default_factory=list)  # (seconds, number, to the whole group)
    keys: list = dataclasses.field(default_factory=list)     # (seconds, bytes)
    window: tuple = (24, 80)
    user: bool = False       # as a user without rights, if the attack itself has them
    umask: int = 0o022
    room: int = -1           # bytes left on the full disk
    tmp_room: int = -1       # bytes left in /tmp
    folder_gone: bool = False
    children_ignored: bool = False

    @property
    def label(self):
        return f"{self.seed}:{self.number}"

    def options(self):
        """(index, option, index of the value or None, value) for every word that is an option, as the command takes
        them."""
        at = 1
        while at < len(self.words) and self.words[at] != b"--":
            word, step = self.words[at], 1
            name, equals, value = word.partition(b"=")
            for option in self.command.options:
                if option.name == name and name[:2] == b"--" and (equals or option.value is None):
                    yield at, option, at, value
                elif word in (option.name, b"-" + option.letter) and len(word) > 1:
                    if option.value is not None and at + 1 < len(self.words):
                        step = 2
                        yield at, option, at + 1, self.words[at + 1]
                elif option.value is not None and len(word) > 2 and word[:1] == b"-" and word[:2] in (
                        b"-" + option.letter, option.name) and word[1:2] != b"-":
                    yield at, option, at, word[2:]
            at += step

    def is_interactive(self):
        return bool({b"-i", b"--interactive"} & set(self.words))

    def given(self):
        return [option for _, option, _, _ in self.options()]

    def arguments(self):
        """Indices of the words that are no options and no values."""
        taken = {0}
        for at, _, value, _ in self.options():
            taken |= {at, value}
        return [at for at, word in enumerate(self.words) if at not in taken and word[:1] != b"-"]

    def set(self, option, value, style=0):
        """Replaces the option's value, or adds the option."""
        found = [index for _, known, index, _ in self.options() if known is option]
        if found and found[-1] < len(self.words):
            bare = not self.words[found[-1]].startswith(b"-") or self.words[found[-1]] == b"-"
            self.words[found[-1]] = value if bare else option.name + b"=" + value
        elif option.value is None:
            self.words.append(option.name)
        elif style == 1 and option.name[:2] == b"--":
            self.words.append(option.name + b"=" + value)
        elif style == 2 and option.letter:
            self.words.append(b"-" + option.letter + value)
        else:
            self.words += [b"-" + option.letter if option.letter and style == 3 else option.name, value]

    def drop(self, *names):
        """Leaves out options that are words of their own."""
        for at, option, value, _ in reversed(list(self.options())):
            if option.name in names:
                del self.words[at:value + 1]

    def named_outputs(self):
        """Values of the options that name an output; of one that is given more than once the last."""
        return list({option.name: value for _, option, _, value in self.options() if option.is_output}.values())

    def written_arguments(self):
        """Where the words have a file to be written that no option names."""
        at = WRITTEN_ARGUMENT.get(self.command.name)
        return [] if at is None else self.arguments()[at:at + 1]

    def output_paths(self):
        """What the words say is to be written. `mutate` also writes an .answer beside it."""
        found = self.named_outputs() + [self.words[at] for at in self.written_arguments()]
        if self.command.name == b"mutate":
            there = self.world.nodes
            found += [path for path in map(outputs.answer_of, found) if path not in there or there[path].kind != FILE]
        return found

    def input_paths(self):
        """What the words say is read: any word or value that is no output may be."""
        known = [value for _, option, _, value in self.options() if option.value is not None and not option.is_output]
        return known + [self.words[at] for at in self.arguments() if at not in self.written_arguments()]

    def seen_on_terminal(self):
        """The same, but with a terminal where progress would be seen, and nobody who interrupts."""
        words = [word for word in self.words if word not in (b"-q", b"--quiet")]
        streams = {number: stream if number == 0 else "tty" for number, stream in self.streams.items()}
        return dataclasses.replace(self, words=words, streams=streams, signals=[], keys=[])

    def with_option(self, *words):
        return dataclasses.replace(self, words=[*self.words[:1], *words, *self.words[1:]])
