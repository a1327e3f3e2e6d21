"""Values of options and arguments: sane ones by the option's name, or by what --help writes for its value where the
option is new, and hostile ones."""
import re

NUMBERS = (b"0 -0 1 -1 2 3 7 2147483646 2147483647 2147483648 -2147483648 -2147483649 4294967295 4294967296 4294967297 "
           b"9223372036854775806 9223372036854775807 9223372036854775808 -9223372036854775808 -9223372036854775809 "
           b"18446744073709551615 18446744073709551616 1048575 1048576 65535 65536 759250124 3037000500 nan -nan "
           b"NAN(1) inf -inf INFINITY 1e400 -1e400 1e-400 1e308 1e309 5e-324 -5e-324 1e15 1e30 0.1 -0.5 1.5 1. .5 . e "
           b"1e 1e+ 0x10 0x1p-3 010 1_000 1,000 +5 --5 5x 5.0 5k 5GB 5% 1e3 9e18 1e-320").split() + [
               b"", b" ", b" 5", b"5 ", b"5\n", b"\t5", b"5\x01", b"\xd9\xa3", b"\xef\xbc\x91", b"9" * 400,
               b"0." + b"0" * 400 + b"1", b"-" + b"9" * 30, b"1" + b"0" * 5000]

# What is right for some option, but larger, smaller or other than usual.
UNUSUAL = (b"1 2 3 7 10 11 13 31 100 101 127 128 1000 1e-9 0.999 1e9 1x1 1x2 7x1 1x64 32x32 100x1 "
           b"16x16x16 1x1x4 2x3x4").split()

# The checks look for the first two in what is printed: no sequence of the command's own begins like that.
ESCAPES = [b"\x1b]0;owned\x07", b"\x1b[97;101mowned", b"\x08\x08\x08owned", b"\xc2\x9b97mowned", b"\x1b[97;2J"]

WORDS = ESCAPES + [
    b"", b"-", b"--", b"---", b"-o", b"--json", b"%d%s%n", b"%", b"\\", b"'", b'"', b"`touch pwned`", b"$(touch pwned)",
    b";touch pwned;", b"|touch pwned", b"<svg onload=x>", b"]]>", b"&amp;", b"*", b"[", b"[a-z]", b"~", b"!", b"#",
                   b"\n",
    b"a\nb", b"\r", b"\t", b"\x7f", b"\x01\x02", b"\xff", b"\xff\xfe", b"\xc0\xaf", b"\xed\xa0\x80",
                   b"\xf4\x90\x80\x80",
    "é".encode(), "e\u0301".encode(), "\u202eabc".encode(), "\u2028".encode(), "\ufeff".encode(), "Ａ₀₁".encode(),
    "\U0001f4a9".encode(), b"A" * 300, b"x" * 5000, b"y" * 100000, b"," * 1000, b"4x" * 1000 + b"4", b"nan,inf,-1",
                   b"/",
    b".", b"..", b"/dev/null", b"/dev/zero", b"null", b"true", b"None", b"cannon", b"4x4", b"all", b"auto", b"0..0",
                   b"1..",
    b"..1", b"=", b"q=", b"=1", b"q==1", b"q=1=2", b":", b"0:", b":2", b"*:*"]

SANE = {
    b"--grid": "4x4 2x2 3x3 1x1 2x3 6 4 2x2x2 4x4x2 4x4,2x2x2 1x1x1",
    b"-n": "1 2 3 5 8 16 33 64 100",
    b"--size": "5x7x4 8x8x8 1x1x1 64x32x16 37x29x31 1x100x3",
    b"--set": "b=2 c=2 c=1 q=4 p=2 b=1",
    b"--for": "q=1..4 1..3 q=2,4 c=1..2 q=1..3,c=1..2 p=1..3 q=1..40",
    b"--type": "f32 f64 i32",
    b"--network": "torus:4x4 mesh:4x4 ring:16 line:16 hypercube:4 full:16 switch:16 switch:4*torus:2x2 mesh torus full "
                  "hypercube switch torus:2x2 torus:2x2x2 switch:2*switch:2*switch:4 switch:2*spine:8x2 "
                  "switch:2*ecmp:8x3 spine:4x2*torus:2x2 dragonfly:4x4 switch:2*dragonfly:4x2 spine dragonfly",
    b"--embed": "rowmajor gray snake tiled",
    b"--collective": "native auto binomial ring chain recursive-doubling scatter-allgather pairwise",
    b"--seed": "0 1 2 77 9223372036854775807",
    b"--step": "0 1 2 3",
    b"--heat": "auto link received held",
    b"--flops-per-s": "1e9 2e11 1",
    b"--sizes": "8,16,32 16 3,4,5,6 16,32",
    b"--budget": "0.01 0.001",
    b"--kernels": "naive cublas cpu bulk",
    b"--beside": "cannon dns,summa fox",
    b"--baseline": "cublas split",
    b"--variant": "0 1 2",
    b"--on": "cpu cpu cpu cpu threads clusters blocks",
    b"--transport": "copy pull load copy,pull",
    b"--trials": "1 2 3",
    b"--warmup": "0 1",
    b"--deadline": "1 20 0.001",
    b"--device": "0 1",
    b"--machine": "commodity-cluster tpu-torus h200x32 ideal cluster-gtx1070",
    b"--model": "hockney store-and-forward flow loggp",
    b"--fair": "equal latency",
    b"--overlap": "on off",
    b"--skew": "0 1e-3 1",
    b"--jitter": "0 0.1 10",
    b"--seeds": "2 5 20",
    b"--straggler": "0:2 1:1e6 3:0.5",
    b"--symbols": "grama alpha-beta",
    b"--sweep": "n=64..512:x2,p=16 p=4,16,64 n=8..32:+8 p=16,n=100",
    b"--efficiency": "0.8 0.5 0.01 0.999",
    b"--from": "disk cache host device",
    b"--tiles": "1x1x1 2x2x2 auto 4x4x4",
    b"--pipeline": "on off full",
    b"--in-memory": "A B A,B",
    b"--by-rows": "A B",
    b"--procs": "1 4 12 16 64",
    b"--memory": "1e6 16e9 inf",
    b"--memory-limit": "1e6 1e8 1e9",
    b"--top": "1 3 10 100",
    b"--color": "auto always never",
}

# What keeps valid work short where the option is known: a value, or None; an option that must be given for it to make
# sense, where the command has it; a word that forbids it; and a word that it is for.
SHORT = {b"--trials": (b"2", b"--on", b"host-anomaly", None), b"--warmup": (b"0", b"--on", None, None),
         b"--budget": (b"0.01", None, b"host-anomaly", None), b"--quick": (None, None, None, None),
         b"--sizes": (b"64", None, None, b"host-anomaly")}

# Of these the command takes one at a time.
ALTERNATIVES = [{b"-n", b"--size", b"--a", b"--b"}, {b"--grid", b"--for"}, {b"--seed", b"--a", b"--b", b"--integers"},
                {b"--spacetime", b"--memory", b"--step", b"--beside"}, {b"--quiet", b"--json"}, {b"--budget",
                                                                                                 b"--machine"},
                {b"--all", b"--step"}]

PLACEHOLDERS = {"N": "1 2 5 8", "SECONDS": "0.01 1", "BYTES": "1e6 1e9", "F": "0.5 2", "P": "4 16", "K": "2 5",
                "S": "0 1"}


def sane(rng, option):
    """A value that the option takes, as far as one can tell from its name or from what its help writes."""
    if option.name in SANE:
        choices = SANE[option.name].split()
    elif option.value in PLACEHOLDERS:
        choices = PLACEHOLDERS[option.value].split()
    else:
        choices = option.value.split("|")
    return rng.choice(choices).encode()


def sane_grid(rng, coordinates):
    return {1: [b"1", b"2", b"3", b"6", b"8"], 2: [b"2x2", b"3x3", b"4x4", b"1x1", b"2x4"],
            3: [b"2x2x2", b"1x1x1", b"4x4x2", b"3x3x3"]}.get(coordinates,
                                                             [b"2x2"])[rng.randrange(5 if coordinates < 3 else 4)]


def magnitude(rng, digits=19):
    """A number of any size: whole mostly, else from the smallest double to the largest."""
    if rng.random() < 0.8:
        return b"%d" % int(10 ** (rng.random() * digits))
    return b"%de%d" % (rng.randrange(1, 10), rng.randrange(-323, 309))


def another_number(rng, value, number=None):
    """`value` with one of its numbers replaced by a hostile one, or by `number`."""
    found = list(re.finditer(rb"\d+(\.\d+)?(e-?\d+)?", value))
    number = number or rng.choice([rng.choice(NUMBERS), rng.choice(UNUSUAL), magnitude(rng)])
    if not found:
        return value + number
    spot = rng.choice(found)
    return value[:spot.start()] + number + value[spot.end():]


def damaged(rng, value):
    """`value` with a byte removed, doubled, changed or put in; never a zero byte, which no argument can have."""
    at = rng.randrange(len(value) + 1)
    byte = bytes([rng.randrange(1, 256)])
    return rng.choice([value[:at] + value[at + 1:], value[:at] + byte + value[at:], value[:at] + byte + value[at + 1:],
                       value[:at] + value[at:at + 1] * 2 + value[at + 1:], value + value, value[::-1]])


def joined(rng, value):
    """Lists and ranges of it."""
    return rng.choice([value + b"," + value, value + b".." + rng.choice(NUMBERS), b",".join([value] * 500),
                       value + b"x" + rng.choice(NUMBERS), value + b":" + rng.choice(NUMBERS), value + b"*" + value,
                       b"*".join([value] * 40), value + b"=" + value])


def hostile(rng, value):
    """What an option whose sane value is `value` should refuse, or come to terms with."""
    pick = rng.random()
    if pick < 0.1:
        return rng.choice(UNUSUAL)
    if pick < 0.35:
        return rng.choice(NUMBERS)
    if pick < 0.6:
        return another_number(rng, value)
    if pick < 0.7:
        return damaged(rng, value)
    if pick < 0.8:
        return joined(rng, value)
    if pick < 0.85:
        return value + rng.choice(ESCAPES)
    return rng.choice(WORDS)
