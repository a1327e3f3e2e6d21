#!/usr/bin/env bash
# Installs what is missing, builds, and shows the main job on two algorithms. See ./demo.sh --help.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

usage() {
  cat <<'END'
Usage: ./demo.sh [--help]

Installs what is missing (./setup.sh), builds topogemm into build-demo/, and then, each command shown before it runs:
proves Cannon's algorithm on 4x4 processors and Dekel, Nassimi and Sahni's on 4x4x4, steps both on real matrices,
checks the products, and draws every step. All results are left in demo-out/, named at the end.

Needs no GPU; needs root only where something must be installed. A second run takes seconds.
END
}

case ${1-} in
  '') ;;
  -h | --help) usage && exit 0 ;;
  *) printf 'demo.sh: unknown option: %s\n\n' "$1" >&2 && usage >&2 && exit 2 ;;
esac

out=demo-out
# What the run leaves, in the order in which one would look at it.
results=(
  'cannon.svg|all steps of Cannon on a 4x4 torus as one animated picture: open it in a browser'
  'cannon.gif|the same as a GIF'
  'cannon-01.svg|its first step, the alignment, as a still picture'
  'cannon-01.png|the same as PNG'
  'dns.svg|all steps of DNS on 4x4x4 processors, plane by plane'
  'torus-4x4.svg|the network that Cannon is laid on'
  'hypercube-6.svg|the 64 processors of DNS as a hypercube of six dimensions'
  'A.npy|the left matrix, 120 x 96; numpy.load() opens it'
  'B.npy|the right matrix, 96 x 80'
  'cannon-C.npy|the product, 120 x 80, as Cannon computed it'
  'dns-C.npy|the product as DNS computed it'
)

heading() { printf '\n== %s\n' "$*"; }
# Shows a command of topogemm as one would type it, then runs it.
run() {
  printf '\n$ topogemm %s\n' "$*"
  build-demo/cli/topogemm "$@"
}

./setup.sh
heading "build (build-demo/)"
if [[ ! -f build-demo/build.ninja ]]; then
  meson setup build-demo --buildtype=release >build-demo.log 2>&1 || { cat build-demo.log && exit 1; }
  mv build-demo.log build-demo/
fi
meson compile -C build-demo topogemm
mkdir -p "$out"
for result in "${results[@]}"; do rm -f "$out/${result%%|*}"; done

heading "What there is"
run list algorithms
run show cannon

heading "The proof: C = A*B on these sizes, and on all sizes of a range"
run verify cannon --grid 4x4
run verify cannon --for q=1..16
run verify dns --grid 4x4x4

heading "Real matrices, a step at a time"
run step cannon --grid 4x4 --size 120x96x60 --seed 1 --c "$out/A.npy"
run step cannon --grid 4x4 --size 96x80x60 --seed 2 --c "$out/B.npy"
run step cannon --grid 4x4 --a "$out/A.npy" --b "$out/B.npy" --c "$out/cannon-C.npy"
run step dns --grid 4x4x4 --a "$out/A.npy" --b "$out/B.npy" --c "$out/dns-C.npy"

heading "Pictures"
run draw cannon --grid 4x4 --all -o "$out/cannon.svg"
run draw cannon --grid 4x4 --all -o "$out/cannon.gif"
run draw cannon --grid 4x4 --step 1 -o "$out/cannon-01.svg"
run draw cannon --grid 4x4 --step 1 -o "$out/cannon-01.png"
run draw dns --grid 4x4x4 --all -o "$out/dns.svg"
run topo torus:4x4 -o "$out/torus-4x4.svg"
run topo hypercube:6 -o "$out/hypercube-6.svg"

heading "What is now in $out/"
for result in "${results[@]}"; do
  if [[ ! -s $out/${result%%|*} ]]; then
    printf 'demo.sh: %s was not written\n' "$out/${result%%|*}" >&2
    exit 1
  fi
  printf '  %-26s %s\n' "$out/${result%%|*}" "${result#*|}"
done
