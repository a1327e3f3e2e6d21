"""Installs the build into an empty folder and uses it as another program would: every header alone in C and C++, the
symbols of the library, and each program of examples/ built through pkg-config against the shared and the static
library and run. Prints TAP.

test-install.py BUILD KINDS SANITIZERS EXAMPLE.c ...    KINDS: meson's default_library; CC, CXX, MESON: commands
"""
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]

# Each example: arguments, exit status, and what it must say.
RUNS = {
    "prove-schedule": [([], 0, r"messages +120\n"), (["dns", "4x4x4"], 0, r"messages +168\n"),
                       (["cannon", "3x4"], 2, r"`q` is both 3 and 4"), (["nobody"], 2, r"no schedule `nobody`")],
    "step-cannon": [([], 0, r"back at step 2 +56 messages(.|\n)*relative error \S+e-1[5-9]: C = A \* B"),
                    (["1", "1", "1"], 0, r"C = A \* B"), (["0", "5", "5"], 2, r"step-cannon: m is 0")],
    "plan-and-run": [(["200"], 0, r"place 1: \w+ on \S+, \S+ s\n(.|\n)*predicted \S+ s, measured \S+ s, error (.|\n)*within")],
    "own-schedule": [([], 0, r"does not parse: line 9, column 14(.|\n)*is wrong: line 9: step 2(.|\n)*"
                             r"is right on 6 processors: 30 messages")],
    "draw-step": [([], 0, r"step\.svg: \d{4,} bytes"), (["summa", "4x4", "1", "summa.dot"], 0, r"summa\.dot"),
                  (["cannon", "3x3", "99", "no.svg"], 2, r"draw-step: .*99"),
                  (["cannon", "3x3", "1", "no.doc"], 2, r"draw-step: .*doc")],
    "network-facts": [([], 0, r"30 nodes, 60 cables, diameter 5 hops(.|\n)*5 hops: \(0,0\) → \(0,1\)"),
                      (["switch:4*torus:2x4", "0", "31"], 0, r"→ switch \d"), (["torus:0"], 2, r"torus:0:7: ")],
}

number = 0


def point(passed, name, words="", skip=""):
    global number
    number += 1
    print(f"{'ok' if passed else 'not ok'} {number} - {name}{' # SKIP ' + skip if skip else ''}", flush=True)
    if not passed and words:
        print("\n".join("# " + line for line in str(words).strip().splitlines()), flush=True)
    return passed


def run(command, **options):
    """Exit status and all that was said."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **options)
    return done.returncode, done.stdout


def test_header(header, compilers, flags, folder):
    """Compiles a file that includes this header alone, twice, in each language."""
    for language, compiler in compilers.items():
        name = f"{header.name} alone in {language}"
        if not compiler:
            point(True, name, skip=f"no {language} compiler (package g++)")
            continue
        source = folder / ("alone.c" if language == "C" else "alone.cc")
        source.write_text(f"#include <topogemm/{header.name}>\n#include <topogemm/{header.name}>\n"
                          "int main(void) { return 0; }\n")
        status, said = run([*compiler, "-fsyntax-only", *WARNINGS, str(source), *flags])
        point(status == 0, name, said)


def declared(headers):
    """Names of the functions that the headers declare, those that they define left out."""
    names = set()
    for header in headers:
        text = re.sub(r"/\*.*?\*/|//[^\n]*", "", header.read_text(), flags=re.S)
        for start in re.finditer(r"^(?!.*\b(?:static|typedef|define|G_DEFINE\w*)\b)[A-Za-z][\w \*]*?\b(tg_\w+)\(", text,
                                 re.M):
            names.add(start.group(1))
        for line in re.findall(r"^extern const ([^;]*);", text, re.M):
            names |= set(re.findall(r"\btg_\w+", line))
    return names


def test_symbols(library, headers):
    status, said = run(["nm", "-D", "--defined-only", str(library)])
    exported = {line.split()[-1].split("@")[0] for line in said.splitlines() if len(line.split()) >= 3}
    ours = {name for name in exported if not re.match(r"TOPOGEMM_\d+$|__(asan|odr_asan|ubsan|lsan)", name)}
    foreign = sorted(ours - declared(headers))
    missing = sorted(declared(headers) - exported)
    point(status == 0 and len(ours) > 50 and not foreign, "the shared library exports only what a header declares", foreign)
    point(len(declared(headers)) > 50 and not missing, "it has every function that a header declares", missing)


def lacks_fortran(build, kind):
    """Whether OpenBLAS wants the library of Fortran, and the compiler, which prints its bare name then, has none."""
    _, said = run([*build["cc"], "-print-file-name=libgfortran.so"])
    return "-lgfortran" in build["libraries"][kind] and said.strip() == "libgfortran.so"


def test_example(source, kind, build, folder):
    """Builds one example in its own folder and makes its runs."""
    if lacks_fortran(build, kind):
        point(True, f"{source.stem}, {kind}", skip="no libgfortran.so, which a static OpenBLAS needs (package gfortran)")
        return
    folder = folder / f"{kind}-{source.stem}"
    folder.mkdir()
    program = folder / source.stem
    status, said = run([*build["cc"], "-std=c17", *WARNINGS, *build["sanitizers"], str(source), "-o", str(program),
                        *build["flags"], *build["libraries"][kind]])
    point(status == 0, f"{source.stem} builds, {kind}", said)
    if status != 0:
        return
    _, needed = run(["readelf", "-d", str(program)])
    point(("libtopogemm" in needed) == (kind == "shared"), f"{source.stem} takes the {kind} library", needed)
    for arguments, expected, words in RUNS[source.stem]:
        status, said = run([str(program), *arguments], cwd=folder, env=build["environment"])
        fine = status == expected and re.search(words, said)
        name = shlex.join([source.stem, *arguments])
        point(fine, f"{name}, {kind}", f"status {status}, expected {expected}\n{said}")


def test_release(source, temporary):
    """A release is built to be installed: that has no tests to build, and no program that stays behind."""
    folder = temporary / "release"
    status, said = run([*shlex.split(os.environ["MESON"]), "setup", str(folder), str(source), "--buildtype=release",
                        "-Dcuda=disabled"])
    if not point(status == 0, "a release is set up", said):
        return
    _, said = run([*shlex.split(os.environ["MESON"]), "introspect", "--tests", "--benchmarks", "--targets", str(folder)])
    facts = json.loads(said)
    left = [target["name"] for target in facts["targets"] if target["type"] in ("executable", "shared library")
            and target["build_by_default"] and not target["installed"]]
    point(not left and not facts["tests"] and not facts["benchmarks"], "a release builds nothing that is not installed",
          f"{left}, {len(facts['tests'])} tests")


def test_uninstall(build, target):
    """What was installed last is removed, file by file."""
    ninja = next(filter(shutil.which, ("ninja", "ninja-build", "samu")))
    status, said = run([ninja, "-C", build, "uninstall"])
    left = [str(path) for path in target.rglob("*") if not path.is_dir()]
    point(status == 0 and not left, "ninja uninstall", f"{left}\n{said}")


def pkg_config(environment, *arguments):
    status, said = run(["pkg-config", *arguments, "topogemm"], env=environment)
    point(status == 0, shlex.join(["pkg-config", *arguments, "topogemm"]), said)
    return shlex.split(said) if status == 0 else []


def describe(target, temporary, sanitizers):
    """What the examples are built with. A folder with the static library alone is how the linker is made to take it."""
    (target / "bin").mkdir(exist_ok=True)
    config = next(target.rglob("topogemm.pc")).parent
    environment = dict(os.environ, PKG_CONFIG_PATH=str(config), LD_LIBRARY_PATH=str(config.parent))
    if sanitizers:  # libraries without frame pointers are told from their own leaks only by the slow unwinder
        suppressions = pathlib.Path(__file__).resolve().parent.parent / "lsan.supp"
        environment["ASAN_OPTIONS"] = environment.get("ASAN_OPTIONS", "") + ":fast_unwind_on_malloc=0"
        environment["LSAN_OPTIONS"] = f"suppressions={suppressions}:print_suppressions=0"
    libraries = {"shared": pkg_config(environment, "--libs")}
    archive = config.parent / "libtopogemm.a"
    if archive.exists():
        only = temporary / "archive"
        only.mkdir()
        shutil.copy(archive, only)
        libraries["static"] = [f"-L{only}", *pkg_config(environment, "--static", "--libs")]
    return {
        "cc": shlex.split(os.environ["CC"]),
        "flags": pkg_config(environment, "--cflags"),
        "libraries": libraries,
        "sanitizers": sanitizers,
        "environment": environment,
    }


def main():
    build_folder, kinds, sanitizers, *sources = sys.argv[1:]
    sanitizers = [] if sanitizers == "none" else [f"-fsanitize={sanitizers}"]
    kinds = ["shared", "static"] if kinds == "both" else [kinds]
    with tempfile.TemporaryDirectory() as name:
        temporary = pathlib.Path(name)
        if not sanitizers:  # which see nothing in a release or a header
            test_release(pathlib.Path(__file__).resolve().parents[2], temporary)
        target = temporary / "target"
        status, said = run([*shlex.split(os.environ["MESON"]), "install", "-C", build_folder, "--no-rebuild",
                            "--destdir", str(target)])
        if not point(status == 0 and any(target.rglob("topogemm.pc")), "meson install", said):
            return
        build = describe(target, temporary, sanitizers)
        umbrella = next(target.rglob("topogemm.h"))
        headers = sorted(umbrella.parent.glob("*.h"))
        included = set(re.findall(r'#include "(.*)"', umbrella.read_text()))
        rest = {header.name for header in headers} - {umbrella.name}
        point(included == rest and len(rest) > 20, "topogemm.h includes every header", included ^ rest)
        compilers = {"C": [*build["cc"], "-std=c17"],
                     "C++": os.environ["CXX"] and [*shlex.split(os.environ["CXX"]), "-std=c++17"]}
        for header in headers if not sanitizers else []:
            test_header(header, compilers, build["flags"], temporary)
        if "shared" in kinds:
            test_symbols(next(target.rglob("libtopogemm.so")), headers)
        for kind in kinds:
            for source in map(pathlib.Path, sources):
                test_example(source, kind, build, temporary)
        test_uninstall(build_folder, target)


if __name__ == "__main__":
    main()
    print(f"1..{number}")
