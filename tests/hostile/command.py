"""The command's subcommands, their options and examples, as its own --help lists them: what is new there is attacked,
too. Everything is bytes, as arguments are."""
import dataclasses
import json
import re
import shlex
import subprocess

OPTION = re.compile(r"^ {2,6}(?:-(?P<letter>\w), )?(?P<name>--[\w-]+|-\w)(?: (?P<value>[^ ]\S*))?(?:  +(?P<text>.*))?$")
SUBCOMMAND = re.compile(r"^  (?P<name>[a-z][\w-]*)(?: (?P<argument>[^ ]\S*))?  +\S")
EXPERIMENT = re.compile(r"^  ([a-z][\w-]*)  +\S")
PICTURES = "svg png pdf dot gif html".split()


@dataclasses.dataclass
class Option:
    """`value` is what --help writes for the value, as in --grid 4x4; None where the option takes none."""
    name: bytes
    letter: bytes
    value: str
    text: str

    @property
    def is_output(self):
        """Whether the value names a file that the command writes."""
        return self.value is not None and (self.name in (b"--output", b"--trace", b"--c") or (
            "FILE" in self.value and re.search(r"\bwrite\b", self.text) is not None))

    @property
    def is_input(self):
        return self.value is not None and "FILE" in self.value and not self.is_output


@dataclasses.dataclass
class Command:
    name: bytes
    argument: str
    options: list
    examples: list
    help: str

    def option(self, name):
        return next((option for option in self.options if option.name == name), None)

    def required(self):
        """Options that every example has."""
        found = [option for option in self.options if self.examples and all(
            any(word in (option.name, b"-" + option.letter) for word in example) for example in self.examples)]
        return [option for option in found if option.value is not None]

    def takes_schedules(self):
        return "ALGO" in self.argument or ".sched" in self.argument

    def suffixes(self, option, known):
        """Those of `known` that the option's help or the examples give, and pictures that the whole help speaks of."""
        examples = " ".join(word.decode() for words in self.examples for word in words)
        for text in (f"{option.value} {option.text}", examples):
            found = [suffix for suffix in known if re.search(rf"\.{suffix}\b", text)]
            if found:
                break
        return found + [suffix for suffix in PICTURES if text is examples and re.search(rf"\b{suffix}\b", self.help)]


def printed(program, *words):
    return subprocess.run([program, *words], check=True, capture_output=True, text=True, encoding="utf-8").stdout


def section(text, heading):
    """The lines under a heading, to the next line that is not indented."""
    lines = text.splitlines()
    if heading not in lines:
        return []
    rest = lines[lines.index(heading) + 1:]
    end = next((number for number, line in enumerate(rest) if line and not line.startswith(" ")), len(rest))
    return rest[:end]


def read_options(text):
    options = []
    for line in section(text, "Options"):
        row = OPTION.match(line)
        if row:
            letter, name, value = row["letter"] or "", row["name"], row["value"]
            options.append(Option(name.encode(), letter.encode(), value, row["text"] or ""))
        elif options:
            options[-1].text += " " + line.strip()
    return options


def read_examples(text):
    """The examples' words after the program's name; redirections are left out."""
    lines = [line.strip() for line in section(text, "Examples")]
    found = [shlex.split(line.split(" > ")[0].split(" | ")[0]) for line in lines if line.startswith("topogemm ")]
    return [[word.encode() for word in words[1:]] for words in found]


def read_command(program, name, argument):
    text = printed(program, name, "--help")
    words = [EXPERIMENT.match(line) for line in section(text, "Experiments")]
    argument = "|".join(word[1] for word in words if word) or argument or ""
    examples = [words for words in read_examples(text) if words[0] == name.encode()]
    return Command(name.encode(), argument, read_options(text), examples, text)


def read_commands(program):
    """Every subcommand by name. An --help that this file cannot read is an error, so that nothing is left out."""
    rows = [SUBCOMMAND.match(line) for line in printed(program, "help").splitlines()]
    found = {row["name"]: read_command(program, row["name"], row["argument"]) for row in rows if row}
    for command in found.values():
        assert command.options, f"no options found in the help of {command.name.decode()}"
    assert len(found) > 10, f"only these subcommands were found in the help: {sorted(found)}"
    found["version"] = Command(b"version", "", found["help"].options, [[b"--version"], [b"version"]], "")
    return found


def read_library(program):
    """Name, number of coordinates and text of every schedule of the library."""
    rows = json.loads(printed(program, "list", "algorithms", "--json"))["algorithms"]
    return {row["name"].encode(): (row["grid"].count(",") + 1, printed(program, "show", row["name"]).encode())
            for row in rows}
