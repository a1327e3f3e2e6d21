"""Where a run is told to write: new names, existing files, links, inputs by another name, what cannot be written."""
from inputs import name
from values import ESCAPES
from world import FIFO, FILE, FOLDER, HARD, LINK, Node

OLD = b"this was here before\n"
SUFFIXES = "svg png pdf dot gif html json csv gp goal machine npy mtx raw sched".split()


def existing(rng, world, path):
    """Something at the path itself."""
    node = rng.choice([
        Node(FILE, OLD), Node(FILE, OLD, mode=0o4755), Node(FILE, OLD, mode=0o6777), Node(FILE, OLD, mode=0o444),
        Node(FILE, OLD, mode=0o600), Node(FILE, OLD, mode=0, own=False), Node(FILE, OLD, mode=0o644, own=False),
        Node(FOLDER, mode=0o755), Node(FIFO), Node(LINK, b"nowhere"), Node(LINK, b"loop-a"), Node(LINK, b"/dev/full"),
        Node(LINK, b"/dev/null"), Node(LINK, b"target" + path[-5:]), Node(LINK, b"ro/target"), Node(HARD,
                                                                                                    b"other-name")])
    if node.content == b"loop-a":
        world.add(b"loop-a", Node(LINK, b"loop-b"))
        world.add(b"loop-b", Node(LINK, b"loop-a"))
    elif node.kind == HARD:
        world.file(b"other-name", OLD)
    elif node.content.startswith(b"target"):
        world.file(node.content, OLD)
    elif node.content == b"ro/target":
        read_only(world, b"ro/target", OLD)
    world.add(path, node)
    return path


def read_only(world, path=None, content=None):
    """A folder that takes no new files (for root it does)."""
    world.add(b"ro", Node(FOLDER, mode=0o555))
    if path:
        world.file(path, content)


def alias(rng, world, path):
    """Another way to say a path that is an input."""
    base = path.rsplit(b"/", 1)[-1]
    pick = rng.randrange(8)
    if pick == 0:
        return world.add(world.fresh(b"alias", b"." + base.rsplit(b".", 1)[-1]), Node(LINK, base))
    if pick == 1 and base in world.nodes and world.nodes[base].kind == FILE:
        return world.add(world.fresh(b"second", b"." + base.rsplit(b".", 1)[-1]), Node(HARD, base))
    if pick == 2:
        world.add(b"here", Node(LINK, b"."))
        return b"here/" + base
    return [b"./" + base, b".//" + base, b"../work/" + base, b"../work/./" + base, base][pick - 3]


def impossible(rng, world, suffix):
    """What cannot be written, or is no file."""
    world.file(b"file", OLD)
    read_only(world)
    return rng.choice([b"", b"-", b".", b"..", b"/", b"./", b"none/such" + suffix, b"file/below" + suffix, b"new/",
                       b"x" * 251 + suffix, b"x" * 256 + suffix, b"d/" * 2100 + b"x" + suffix, b"ro/x" + suffix, suffix,
                       b"/dev/full", b"/dev/null", b"/dev/stdout", b"/dev/stderr", b"/dev/fd/1", b"/dev/fd/77",
                       b"/dev/tty", b"/proc/self/mem", b"/proc/self/fd/1", b"/dev/stdin", b"/sys/none" + suffix,
                       b"/proc/none" + suffix])


def answer_of(path):
    """The second file that `mutate` writes."""
    return path.rsplit(b".", 1)[0] + b".answer"


def answer(rng, world, path, source):
    """Something is there already under the second name, the input for instance."""
    beside = answer_of(path)
    if beside in world.nodes:
        return
    kinds = [Node(FILE, OLD), Node(FOLDER, mode=0o755), Node(LINK, source or b"nowhere"), Node(LINK, b"/dev/full"),
             Node(FIFO)]
    world.add(beside, rng.choice(kinds + ([Node(HARD, source)] if source and world.nodes[source].kind == FILE else [])))


def hostile_path(rng, world, suffix, inputs):
    """`inputs`: the paths of files that the same run reads."""
    pick = rng.random()
    if pick < 0.2 and inputs:
        return alias(rng, world, rng.choice(inputs))
    if pick < 0.5:
        return existing(rng, world, world.fresh(b"out", suffix))
    if pick < 0.75:
        return impossible(rng, world, suffix)
    stem = name(rng, world, b"")
    odd = [suffix.upper(), b"", b".", b".xyz", suffix + rng.choice(ESCAPES), b".tar" + suffix]
    return stem + (suffix if rng.random() < 0.7 else rng.choice(odd))


def pair(rng, world, suffix):
    """Two names of one file that is not there yet."""
    world.add(b"d1", Node(FOLDER, mode=0o755))
    world.add(b"d2", Node(LINK, b"d1"))
    return [b"d1/x" + suffix, rng.choice([b"d2/x", b"d1/./x", b"d1/../d2/x", b".//d1/x", b"../work/d1/x"]) + suffix]
