#!/usr/bin/env bash
# The one place that installs what topogemm needs. See ./setup.sh --help.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

usage() {
  cat <<'END'
Usage: ./setup.sh [--tests] [--dry-run] [--help]

Looks for what topogemm is built from, says what is missing and why each piece is needed, how much apt-get downloads
for it, and installs it: as root directly, otherwise through sudo. What apt-get prints goes to a log. Where everything
is there it changes nothing, needs neither root nor a network, and takes a fraction of a second.

  --tests    also what the tests use beyond the program itself
  --dry-run  only say what is missing and the command that would install it
  --help     this text

Exit status: 0 everything needed is there; 1 something is still missing; 2 wrong use.
END
}

tests=false
dry_run=false
for argument in "$@"; do
  case $argument in
    --tests) tests=true ;;
    --dry-run) dry_run=true ;;
    -h | --help) usage && exit 0 ;;
    *) printf 'setup.sh: unknown option: %s\n\n' "$argument" >&2 && usage >&2 && exit 2 ;;
  esac
done

# ---- What is looked for: the thing itself, never a package's name, so that any distribution passes that has it. ----

any_command() {
  local name
  for name in "$@"; do
    if command -v "$name" >/dev/null 2>&1; then return 0; fi
  done
  return 1
}
module() { pkg-config --exists "$@" 2>/dev/null; }
c_headers() {
  local compiler
  for compiler in cc gcc clang; do
    if "$compiler" -E -x c - <<<'#include <stdlib.h>' >/dev/null 2>&1; then return 0; fi
  done
  return 1
}
meson_least=$(grep -oE "meson_version: '>=[0-9.]+" "$here/meson.build" | grep -oE '[0-9.]+$')
recent_meson() {
  local version
  version=$(meson --version 2>/dev/null) && printf '%s\n' "$meson_least" "$version" | sort -V -C
}
# Without fontconfig's own commands the font file itself is looked for.
font() {
  if any_command fc-match; then
    [[ $(fc-match -f '%{family}' "$1" 2>/dev/null) == *"$1"* ]]
  else
    [[ -n $(find /usr/share/fonts /usr/local/share/fonts -name "${1// /}-Regular.*" -print -quit 2>/dev/null) ]]
  fi
}
# Any font that has U+2080 to U+2089 will do.
digits_below_the_line() {
  if any_command fc-list; then
    [[ -n $(fc-list ':charset=2080-2089' family 2>/dev/null) ]]
  else
    [[ -n $(find /usr/share/fonts /usr/local/share/fonts -name 'DejaVuSans.*' -print -quit 2>/dev/null) ]]
  fi
}
# Asked for its version because other programs are called `convert`, too.
imagemagick() { [[ $( (magick -version || convert -version) 2>/dev/null) == *ImageMagick* ]]; }
# The system's Python first: Meson runs under it, and so do the tests.
python_module() {
  local python
  for python in /usr/bin/python3 python3; do
    if "$python" -c "import importlib.util, sys; sys.exit(importlib.util.find_spec('$1') is None)" 2>/dev/null; then
      return 0
    fi
  done
  return 1
}
fuzzer() {
  local runtime
  any_command clang || return 1
  runtime=$(clang --print-runtime-dir 2>/dev/null || true)
  compgen -G "${runtime:-/nonexistent}/libclang_rt.fuzzer*.a" >/dev/null ||
    compgen -G "$(clang -print-resource-dir)/lib/*/libclang_rt.fuzzer*.a" >/dev/null
}

# For clang's target wasm32-wasi; a compiler prints the bare name of a library that it does not have.
wasm_library() { any_command clang && [[ $(clang --target=wasm32-wasi -print-file-name=libc.a 2>/dev/null) == /* ]]; }
wasm_runtime() {
  any_command clang && [[ -e $(clang --target=wasm32-wasi --rtlib=compiler-rt -print-libgcc-file-name 2>/dev/null) ]]
}

# A compiler prints the bare name of a library that it does not have.
linkable() { [[ $( (cc -print-file-name="$1" || gcc -print-file-name="$1") 2>/dev/null) == /* ]]; }

# package | how it is looked for | the same in words | why it is needed
needed=(
  'gcc|any_command cc gcc clang|the command cc|compiles the C sources'
  'libc6-dev|c_headers|the header stdlib.h|the headers of the C library'
  "meson|recent_meson|the command meson, $meson_least or later|describes the build (version $meson_least or later)"
  'ninja-build|any_command ninja ninja-build samu|the command ninja|runs the build'
  'pkg-config|any_command pkg-config|the command pkg-config|finds the libraries'
  'python3|any_command python3|the command python3|embeds the schedules of algo/; counts test results'
  'libglib2.0-dev|module glib-2.0 >= 2.72|the pkg-config module glib-2.0, 2.72 or later|options, errors, machine files, tests'
  'libgraphviz-dev|module libgvc|the pkg-config module libgvc|lays out pictures; writes SVG, PNG and PDF'
  'graphviz|any_command dot|the command dot|the plug-ins of libgvc; draws .dot files'
  'fonts-liberation|font Liberation Sans|the font Liberation Sans|the letters in pictures, equal on every machine'
  'fonts-dejavu-core|digits_below_the_line|a font with the digits of A₀₁, such as DejaVu Sans|the digits of A₀₁ in PNG, GIF and PDF'
  'libfontconfig-dev|module fontconfig|the pkg-config module fontconfig|asks whether the fonts have these digits'
  'libopenblas0|linkable libopenblas.so.0|the library libopenblas.so.0|multiplies the local blocks (loaded at run time)'
  'imagemagick|imagemagick|the command magick or convert|joins frames to a GIF (draw -o x.gif)'
)
# The interactive page, topogemm draw -o x.html; without these the rest is built. Reasons keep lines within 80 columns.
for_the_page=(
  'clang|any_command clang|the command clang|optional: the interactive page (draw -o x.html)'
  'lld|any_command wasm-ld|the command wasm-ld|optional: the interactive page'
  'wasi-libc|wasm_library|the C library of the target wasm32-wasi of clang|optional: the interactive page'
  'libclang-rt-dev-wasm32|wasm_runtime|the library libclang_rt.builtins-wasm32 of clang|optional: the interactive page'
)
# topogemm huge, matrices larger than memory.
for_disks=(
  'libxxhash-dev|module libxxhash|the pkg-config module libxxhash|optional: matrices larger than memory (huge)'
  'liburing-dev|module liburing|the pkg-config module liburing|optional: huge through io_uring'
)
# The suite needs the first of these; without the others it skips a part, and says and counts that.
needed_by_tests=(
  'python3-numpy|python_module numpy|the Python module numpy|opens the .npy files that topogemm writes'
)
optional=(
  'g++|any_command c++ g++ clang++|a C++ compiler|optional: checks the public headers in C++'
  'libsimgrid-dev|module simgrid|the pkg-config module simgrid|optional: the model flow against SimGrid'
  'nodejs|any_command node|the command node|optional: tests of the page'
  'npm|any_command npm|the command npm|optional: tests of the page'
  'chromium|any_command chromium chromium-browser google-chrome|the command chromium|optional: tests of the page'
  'cmark-gfm|any_command cmark-gfm|the command cmark-gfm|optional: the documentation website (tools/site.py)'
  'libopenmpi-dev|any_command mpicc|the command mpicc|optional: schedules on MPI ranks (run --on ranks)'
  'openmpi-bin|any_command mpirun|the command mpirun|optional: schedules on MPI ranks'
  'python3-cffi|python_module cffi|the Python module cffi|optional: the Python package'
  'python3-dev|module python3|the pkg-config module python3|optional: the Python package'
  'python3-mesonpy|python_module mesonpy|the Python module mesonpy|optional: tests of the Python wheel'
  'patchelf|any_command patchelf|the command patchelf|optional: tests of the Python wheel'
  'python3-venv|python_module ensurepip|the Python module ensurepip|optional: tests of the Python wheel'
  'python3-nbconvert|python_module nbconvert|the Python module nbconvert|optional: tests of the notebooks'
  'python3-ipykernel|python_module ipykernel|the Python module ipykernel|optional: tests of the notebooks'
  'python3-matplotlib|python_module matplotlib|the Python module matplotlib|optional: tests of the notebooks'
  'zsh|any_command zsh|the command zsh|optional: tests of completion'
  'fish|any_command fish|the command fish|optional: tests of completion'
  'mandoc|any_command mandoc|the command mandoc|optional: tests of the manual pages'
  'gnuplot-nox|any_command gnuplot|the command gnuplot|optional: plots of sweeps'
  'libclang-rt-dev|fuzzer|the library libclang_rt.fuzzer of clang|optional: runs the fuzzers'
)

# Prints the rows among the arguments whose thing is not there.
missing_of() {
  local row package check words
  for row in "$@"; do
    IFS='|' read -r package check _ <<<"$row"
    read -ra words <<<"$check"
    # A font has a space in its name: all words after the first are one.
    if [[ ${words[0]} == font ]]; then words=(font "${check#font }"); fi
    if ! "${words[@]}"; then printf '%s\n' "$row"; fi
  done
}
packages_of() {
  local row
  for row in "$@"; do printf '%s\n' "${row%%|*}"; done
}
tell() {
  local row package check what why width=0
  for row in "$@"; do
    package=${row%%|*}
    if ((${#package} > width)); then width=${#package}; fi
  done
  for row in "$@"; do
    IFS='|' read -r package check what why <<<"$row"
    printf '  %-*s  %s\n' "$width" "$package" "$why"
  done
}
# Where the output of other programs goes: a name that is free, whoever ran this before.
log=
begin_log() { log=${log:-$(mktemp "${TMPDIR:-/tmp}/topogemm-setup.XXXXXX")}; }
log_tail() {
  echo "setup: the end of $log:"
  tail -n 20 "$log" | while IFS= read -r line; do printf '  | %s\n' "$line"; done
}

look() {
  mapfile -t missing < <(missing_of "${needed[@]}")
  mapfile -t missing_optional < <(missing_of "${for_the_page[@]}" "${for_disks[@]}")
  if $tests; then
    mapfile -t -O "${#missing[@]}" missing < <(missing_of "${needed_by_tests[@]}")
    mapfile -t -O "${#missing_optional[@]}" missing_optional < <(missing_of "${optional[@]}")
  fi
}

# What the tests of the page import, in the versions of package-lock.json.
browser_modules() {
  local folder=$here/tests/browser
  if ! $tests || $dry_run || [[ ! -f $folder/package-lock.json ]] || ! any_command npm; then return; fi
  if [[ $folder/node_modules/.package-lock.json -nt $folder/package-lock.json ]]; then return; fi
  begin_log
  echo "setup: npm ci in tests/browser (log: $log)"
  # The system's certificates, which Node does not read by itself. Without a network npm would wait for minutes.
  local certificates=/etc/ssl/certs/ca-certificates.crt
  if [[ -z ${NODE_EXTRA_CA_CERTS:-} && -r $certificates ]]; then export NODE_EXTRA_CA_CERTS=$certificates; fi
  if timeout 120 npm ci --prefix "$folder" --prefer-offline --fetch-retries=1 --fetch-timeout=30000 --no-audit --no-fund \
    --loglevel=error </dev/null >>"$log" 2>&1; then
    touch "$folder/node_modules/.package-lock.json"
  else
    log_tail
    echo "setup: going on without the tests of the page (npm failed)"
  fi
}

look
if ((${#missing[@]} + ${#missing_optional[@]} == 0)); then
  browser_modules
  echo "setup: everything needed is there"
  exit 0
fi
echo "setup: missing, and what each is for:"
tell "${missing[@]}" "${missing_optional[@]}"

# ---- Installing. ----

if ! any_command apt-get; then
  echo "setup: this system has no apt-get. Install, with its own package manager, what provides:"
  for row in "${missing[@]}" "${missing_optional[@]}"; do
    IFS='|' read -r _ _ what _ <<<"$row"
    printf '  %s\n' "$what"
  done
  if ((${#missing[@]} > 0)); then exit 1; fi
  exit 0
fi

install=(apt-get install --yes --no-install-recommends -o DPkg::Lock::Timeout=300)
mapfile -t wanted < <(packages_of "${missing[@]}" "${missing_optional[@]}")
command_line="apt-get update && apt-get install --yes --no-install-recommends ${wanted[*]}"
if $dry_run; then
  printf 'setup: would run: %s\n' "$command_line"
  if ((${#missing[@]} > 0)); then exit 1; fi
  exit 0
fi

as_root=()
if ((EUID != 0)); then
  if any_command sudo && { sudo -n true 2>/dev/null || [[ -t 0 && -t 2 ]]; }; then
    as_root=(sudo)
  elif ((${#missing[@]} > 0)); then
    printf 'setup: installing needs root, and sudo does not work here. Ask an administrator to run:\n  %s\n' \
      "$command_line" >&2
    exit 1
  else
    echo "setup: going on without the optional ones (installing needs root)"
    exit 0
  fi
fi
# No input, so that no package waits for an answer; no language but the one that is read here.
privileged() { "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive LC_ALL=C "$@" </dev/null; }

known() { LC_ALL=C apt-cache policy "$@" 2>/dev/null | awk '/Candidate:/ && $2 != "(none)"' | wc -l; }
# Package lists may be absent (a fresh image) or older than the server's files: fetched anew only in these cases.
updated=false
update() {
  if $updated; then return 0; fi
  updated=true
  echo "setup: apt-get update"
  privileged apt-get update --quiet >>"$log" 2>&1
}

# apt-get's own figures for these packages, before anything is changed.
steps=0
announce() {
  local said count
  said=$(privileged "${install[@]/--yes/--assume-no}" "$@" 2>&1) || true # it ends with 1, having been told no
  printf '%s\n' "$said" >>"$log"
  count=$(sed -n 's/.* \([0-9]*\) newly installed.*/\1/p' <<<"$said")
  steps=$((3 * ${count:-$#})) # each is fetched, unpacked and set up
  if ((${count:-0} == 0)); then return; fi
  printf 'setup: apt-get downloads %s and installs %s packages, %s on the disk\n' \
    "$(sed -n 's/^Need to get \(.*\) of archives.*/\1/p' <<<"$said")" "$count" \
    "$(sed -n 's/^After this operation, \(.*\) of additional .*/\1/p' <<<"$said")"
}

# Copies what apt-get prints to the log, and prints 20 dots on the way.
dots() {
  local line number=0
  while IFS= read -r line; do
    printf '%s\n' "$line" >&3
    if ! [[ $line =~ ^(Get:|Unpacking |Setting\ up ) ]] || ((number == steps)); then continue; fi
    number=$((number + 1))
    if ((number * 20 / steps > (number - 1) * 20 / steps)); then printf .; fi
  done 3>>"$log"
}
install_once() {
  local begun=$SECONDS status=0
  printf 'setup: installing (log: %s) ' "$log"
  privileged "${install[@]}" --quiet "$@" 2>&1 | dots || status=$?
  if ((status == 0)); then printf ' %s s\n' $((SECONDS - begun)); else printf ' failed\n'; fi
  return $status
}
install_packages() { install_once "$@" || { ! $updated && update && install_once "$@"; }; }

begin_log
if (($(known "${wanted[@]}") < ${#wanted[@]})); then update || true; fi
mapfile -t packages < <(packages_of "${missing[@]}")
mapfile -t extra < <(packages_of "${missing_optional[@]}")
for package in "${extra[@]}"; do
  if (($(known "$package") > 0)); then packages+=("$package"); fi
done
announce "${packages[@]}"
# All at once; where that fails, what is needed, and then the optional ones one by one: the others still come.
if ! install_packages "${packages[@]}"; then
  mapfile -t packages < <(packages_of "${missing[@]}")
  if ((${#packages[@]} > 0)) && ! install_packages "${packages[@]}"; then
    log_tail >&2
    printf 'setup: apt-get failed. The command was:\n  %s\n' "$command_line" >&2
    exit 1
  fi
  for row in "${missing_optional[@]}"; do
    if [[ -n $(missing_of "$row") ]]; then install_packages "${row%%|*}" || true; fi
  done
fi

hash -r
look
if ((${#missing[@]} > 0)); then
  echo "setup: installed, yet still not found:" >&2
  tell "${missing[@]}" >&2
  exit 1
fi
for row in "${missing_optional[@]}"; do
  echo "setup: going on without ${row%%|*}, which could not be installed"
done
browser_modules
echo "setup: everything needed is there"
