#!/usr/bin/env bash
# Installs what is missing, builds, and shows the main job on two algorithms. See ./demo.sh --help.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

usage() {
  cat <<'END'
Usage: ./demo.sh [--help]

Installs what is missing (./setup.sh), builds topogemm into build-demo/, and then, each command shown before it runs:
proves Cannon's algorithm on 4x4 processors and Dekel, Nassimi and Sahni's on 4x4x4, steps both on real matrices,
checks the products, draws every step, and writes a page to step through in a browser. All results are left in
demo-out/, named at the end, with the commands to go on with. What the compiler prints goes to build-demo/build.log.

Needs no GPU; needs root only where something must be installed. A second run takes seconds.
END
}

case ${1-} in
  '') ;;
  -h | --help) usage && exit 0 ;;
  *) printf 'demo.sh: unknown option: %s\n\n' "$1" >&2 && usage >&2 && exit 2 ;;
esac

out=demo-out
log=build-demo/build.log
program=build-demo/cli/topogemm
# What the run leaves, in the order in which one would look at it.
results=(
  'cannon.html|a page to step through Cannon in a browser'
  'cannon.svg|all steps of Cannon on a 4x4 torus, moving'
  'cannon.gif|the same as a GIF'
  'cannon-[0-9].svg|a picture of each step; 0: where blocks start'
  'cannon-2.png|its first multiplication and shift, as PNG'
  'dns.svg|all steps of DNS on 4x4x4 processors, moving'
  'dns-[0-9].svg|a picture of each step'
  'torus-4x4.svg|the network that Cannon was laid on'
  'hypercube-4.svg|sixteen processors as a hypercube'
  'A.npy|left matrix, 120 x 96; numpy.load() opens it'
  'B.npy|right matrix, 96 x 80'
  'cannon-C.npy|the product, as Cannon computed it'
  'dns-C.npy|the product, as DNS computed it'
)

heading() { printf '\n== %s\n' "$*"; }
# Shows a command of topogemm as one would type it, then runs it.
run() {
  printf '\n$ topogemm %s\n' "$*"
  "$program" "$@"
}

# Copies what the build prints to the log, and prints 20 dots on the way.
dots() {
  local line shown=0
  while IFS= read -r line; do
    printf '%s\n' "$line" >&3
    if ! [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]]; then continue; fi
    for ((; shown < BASH_REMATCH[1] * 20 / BASH_REMATCH[2]; shown++)); do printf .; done
  done 3>>"$log"
}
build() {
  if [[ ! -f build-demo/build.ninja ]]; then meson setup build-demo --buildtype=release; fi
  meson compile -C build-demo cli/topogemm:executable
}

./setup.sh
mkdir -p build-demo "$out"
: >"$log"
begun=$SECONDS
printf 'demo: building (log: %s) ' "$log"
if ! build </dev/null 2>&1 | dots; then
  printf ' failed; the end of the log:\n'
  tail -n 40 "$log"
  exit 1
fi
printf ' %s s\n' $((SECONDS - begun))

# Unquoted on purpose: a row names all files of a pattern.
# shellcheck disable=SC2086
for result in "${results[@]}"; do rm -f "$out"/${result%%|*}; done

heading "A schedule is ten lines of text"
run show cannon

heading "The proof that it computes C = A*B: on 4x4 processors, then on 1x1 to 16x16"
run verify cannon --grid 4x4
run verify cannon --for q=1..16
run verify dns --grid 4x4x4

heading "Real matrices: products of random ones, so that nothing is special about them"
run step cannon --grid 4x4 --size 120x96x60 --seed 1 --c "$out/A.npy" --quiet
run step cannon --grid 4x4 --size 96x80x60 --seed 2 --c "$out/B.npy" --quiet

heading "Both algorithms on them, a step at a time"
run step cannon --grid 4x4 --a "$out/A.npy" --b "$out/B.npy" --c "$out/cannon-C.npy"
run step dns --grid 4x4x4 --a "$out/A.npy" --b "$out/B.npy" --c "$out/dns-C.npy"

heading "Pictures of every step, and a page to step through them"
run draw cannon --grid 4x4 --all -o "$out/cannon-%d.svg"
run draw cannon --grid 4x4 --all -o "$out/cannon.svg"
run draw cannon --grid 4x4 --all -o "$out/cannon.gif"
run draw cannon --grid 4x4 --step 2 -o "$out/cannon-2.png"
run draw dns --grid 4x4x4 --all -o "$out/dns-%d.svg"
run draw dns --grid 4x4x4 --all -o "$out/dns.svg"
run topo torus:4x4 -o "$out/torus-4x4.svg"
run topo hypercube:4 -o "$out/hypercube-4.svg"
# Status 4: built without the page, for want of a compiler to WebAssembly.
page=0
said=$(run draw cannon --grid 4x4 -o "$out/cannon.html" 2>&1) || page=$?
printf '\n%s\n' "${said#$'\n'}"
if ((page != 0 && page != 4)); then exit 1; fi

heading "What is now in $out/"
shopt -s nullglob
for result in "${results[@]}"; do
  # shellcheck disable=SC2206
  files=("$out"/${result%%|*})
  if ((page == 4)) && [[ $result == cannon.html* ]]; then
    printf '  %s\n' "$out/cannon.html is not written: ${said##*$'\n'}" "when they are there: rm -r build-demo && ./demo.sh"
    continue
  fi
  if ((${#files[@]} == 0)) || [[ ! -s ${files[0]} ]]; then
    printf 'demo.sh: %s was not written\n' "$out/${result%%|*}" >&2
    exit 1
  fi
  name=${files[0]}
  if ((${#files[@]} > 1)); then name+=" ... ${files[-1]##*-}"; fi
  printf '  %-31s  %s\n' "$name" "${result#*|}"
done

heading "Next"
first=$out/cannon.html
if ((page == 4)); then first=$out/cannon.svg; fi
cat <<END
Open file://$PWD/$first in a browser. Then type:

  export PATH=$(printf %q "$PWD/${program%/*}"):\$PATH
  topogemm help

docs/tutorial/first-hour.md goes on from there.
END
