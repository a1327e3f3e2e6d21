#!/usr/bin/env python3
"""Compiles the page's module: build-core.py CLANG OUTPUT.wasm DEPFILE FOLDER INCLUDE,... SOURCE...

Objects stay in FOLDER and are compiled again where a file that they read is newer. Warnings are errors with --werror before
CLANG. DEPFILE tells Meson what the module was made from.
"""
import concurrent.futures
import os
import pathlib
import subprocess
import sys

FLAGS = ["--target=wasm32-wasi", "-std=c17", "-O2", "-flto", "-mbulk-memory", "-msign-ext", "-mnontrapping-fptoint", "-D_POSIX_C_SOURCE=200809L", "-Wall", "-Wextra"]
LINK = ["--target=wasm32-wasi", "-mexec-model=reactor", "-O2", "-flto", "-mbulk-memory", "-Wl,--strip-all", "-Wl,--gc-sections",
        "-Wl,-z,stack-size=1048576"]


def read_by(depfile):
    text = depfile.read_text().replace("\\\n", " ")
    return text.split(":", 1)[1].split()


def is_fresh(target, depfile):
    if not target.exists() or not depfile.exists():
        return False
    made = target.stat().st_mtime_ns
    return all(os.path.exists(name) and os.stat(name).st_mtime_ns <= made for name in read_by(depfile))


def compile_one(clang, flags, source, folder):
    target = folder / ("_".join(pathlib.Path(source).parts[-2:]) + ".o")
    depfile = target.with_suffix(".d")
    if not is_fresh(target, depfile):
        subprocess.run([clang, *flags, "-MMD", "-MF", depfile, "-c", source, "-o", target], check=True)
    return target, depfile


def main():
    words = sys.argv[1:]
    flags = list(FLAGS)
    if words[0] == "--werror":
        flags.append("-Werror")
        words.pop(0)
    clang, output, depfile, folder, includes, *sources = words
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    flags += [f"-I{include}" for include in includes.split(",")]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        made = list(pool.map(lambda source: compile_one(clang, flags, source, folder), sources))
    subprocess.run([clang, *LINK, *(target for target, _ in made), "-o", output], check=True)
    read = sorted({name for _, one in made for name in read_by(one)})
    pathlib.Path(depfile).write_text(f"{output}: {' '.join(read)}\n")


if __name__ == "__main__":
    main()
