#!/usr/bin/env python3
"""Exit status 0 where this clang makes a WebAssembly module with a C library: try-wasm.py CLANG"""
import pathlib
import subprocess
import sys
import tempfile

TEXT = "#include <math.h>\n#include <stdio.h>\nint main(int n, char **words) { return printf(\"%g %s\", sqrt(n), words[0]); }\n"

with tempfile.TemporaryDirectory() as folder:
    source = pathlib.Path(folder) / "try.c"
    source.write_text(TEXT)
    done = subprocess.run([sys.argv[1], "--target=wasm32-wasi", "-mexec-model=reactor", "-O1", "-flto", source, "-o",
                           pathlib.Path(folder) / "try.wasm"], capture_output=True, check=False)
    sys.exit(done.returncode)
