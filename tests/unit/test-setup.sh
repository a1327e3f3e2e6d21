#!/usr/bin/env bash
# setup.sh on made-up machines: a folder of stand-in commands is all the PATH there is. Prints TAP.
set -uo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$root/setup.sh" "$work" # where any user can read it
echo "project('x', meson_version: '>=1.2.0')" >"$work/meson.build"
chmod 755 "$work"
number=0
as=() # a command that runs another as someone else

# What setup.sh itself is made of; the things it looks for are added machine by machine.
base=(bash env dirname find grep sort awk wc rm cat mktemp sed tail)
# stand_in NAME SCRIPT
stand_in() { printf '#!%s\n%s\n' "$BASH" "$2" >"$machine/$1" && chmod +x "$machine/$1"; }
new_machine() {
  machine=$work/machine-$number-$RANDOM
  mkdir "$machine"
  local name
  for name in "${base[@]}"; do ln -s "$(command -v "$name")" "$machine/$name"; done
  stand_in true 'exit 0' # of the system's, `command -v` knows no path
}
# apt-get that writes down how it was called, and "installs" by making the next machine's stand-ins appear.
with_apt() {
  stand_in apt-get "echo \"apt-get \$*\" >>$machine.calls; $1"
  stand_in apt-cache "for name in \"\${@:2}\"; do echo \"  Candidate: ${2:-1}\"; done"
}
complete() {
  local name
  for name in ninja python3 dot gnuplot clang g++ wasm-ld node npm chromium cmark-gfm mpicc mpirun zsh fish mandoc patchelf; do stand_in "$name" 'exit 0'; done
  stand_in meson 'echo 1.10.0'
  stand_in gcc 'echo /lib/libopenblas.so.0'
  stand_in pkg-config 'exit 0'
  stand_in fc-match 'printf "Liberation Sans"'
  stand_in fc-list 'echo DejaVu Sans'
  stand_in convert 'echo "Version: ImageMagick 6"'
  mkdir -p "$machine.runtime"
  : >"$machine.runtime/libclang_rt.fuzzer-x86_64.a"
  stand_in clang "echo $machine.runtime"
}
# setup ARGUMENT...: runs it there; sets output and status.
setup() {
  output=$(cd "$work" && env -i PATH="$machine" HOME="$work" TMPDIR="$work" "${as[@]}" "$machine/bash" "$work/setup.sh" "$@" \
    </dev/null 2>&1)
  status=$?
}
calls() { cat "$machine.calls" 2>/dev/null; }

# check NAME CONDITION...: one TAP point; the condition is a command.
check() {
  local name=$1
  shift
  number=$((number + 1))
  if "$@"; then
    echo "ok $number - $name"
  else
    echo "not ok $number - $name"
    printf '# status %s\n' "$status"
    printf '%s\n' "$output" "$(calls)" | sed 's/^/# /'
  fi
}
says() { [[ $output == *"$1"* ]]; }
ended() { [[ $status == "$1" ]]; }
called() { [[ $(calls) == *"$1"* ]]; }
never_called() { [[ -z $(calls) ]]; }
# log_has TEXT: the log has it, what setup.sh prints has not.
log_has() { [[ $output != *"$1"* ]] && grep -qF "$1" "$(grep -oE "$work/topogemm-setup[^)]*" <<<"$output")"; }

echo 1..37

new_machine && complete && with_apt 'exit 1'
setup --tests
check "a complete machine is left alone" ended 0
check "and apt-get is not called" never_called
check "and it says just that" [ "$output" = "setup: everything needed is there" ]

new_machine && with_apt 'exit 1' && stand_in fc-match 'printf "DejaVu Sans"'
stand_in fc-list 'exit 0'
setup --dry-run
check "a bare machine lacks something" ended 1
for package in gcc meson ninja-build pkg-config libglib2.0-dev libgraphviz-dev graphviz fonts-liberation \
  fonts-dejavu-core libfontconfig-dev libopenblas0 imagemagick; do
  check "it names $package and why" grep -qE "^  $package +[a-zA-Z].*" <(printf '%s' "$output")
done
check "a dry run installs nothing" never_called

new_machine && complete && with_apt 'exit 1'
stand_in gcc 'echo libopenblas.so.0'
setup --dry-run
check "only what is missing is named" [ "$(grep -c '^  ' <<<"$output")" = 1 ]
check "that is OpenBLAS" says libopenblas0

new_machine && complete && with_apt 'exit 1' && stand_in fc-list '[[ $* != *2080-2089* ]] && echo Liberation Sans'
setup --dry-run
check "a font without the digits below the line is not enough" says fonts-dejavu-core
check "and nothing else is missing" [ "$(grep -c '^  ' <<<"$output")" = 1 ]

new_machine && complete && rm "$machine/convert" && stand_in convert 'echo some other convert'
setup
check "another program called convert is no ImageMagick" says imagemagick
check "without apt-get it says what to install" says "the command magick or convert"
check "and ends with 1" ended 1

new_machine && complete && stand_in meson 'echo 1.1.9'
setup --dry-run
check "an old Meson is not enough" ended 1
check "and it says which one is" says "the command meson, 1.2.0 or later"

new_machine && complete && stand_in pkg-config '[[ $* != *libgvc* ]]'
setup --frobnicate
check "an unknown option is wrong use" ended 2

# The rest installs: as root through apt-get, otherwise through sudo.
if ((EUID == 0)); then sudo='exit 1'; else sudo="if [[ \$1 == -n ]]; then shift; fi; exec \"\$@\""; fi

new_machine && complete && with_apt "rm -f $machine/pkg-config.absent" && stand_in sudo "$sudo"
stand_in pkg-config "[[ ! -e $machine/pkg-config.absent || \$* != *libgvc* ]]"
: >"$machine/pkg-config.absent"
setup
check "it installs what is missing without a question" called "install --yes --no-install-recommends"
check "and is content with what it then finds" ended 0

new_machine && complete && with_apt 'exit 0' '(none)' && stand_in sudo "$sudo"
stand_in pkg-config '[[ $* != *libgvc* ]]'
setup
check "unknown packages make it fetch the lists; a package that changed nothing is a failure" \
  eval 'called "apt-get update" && ended 1 && says "installed, yet still not found"'

# lacks_gvc SCRIPT: a machine without libgvc, until SCRIPT, apt-get there, removes $absent.
lacks_gvc() {
  new_machine && complete && absent=$machine.absent && : >"$absent"
  with_apt "absent=$absent; $1" && stand_in sudo "$sudo"
  stand_in pkg-config "[[ ! -e $absent || \$* != *libgvc* ]]"
}
# As apt-get prints: what it would take, and what it does.
talk='case $* in
*--assume-no*) printf "%s\n" "0 upgraded, 12 newly installed, 0 to remove and 3 not upgraded." \
  "Need to get 34.5 MB of archives." "After this operation, 120 MB of additional disk space will be used." "Abort."
  exit 1 ;;
esac
printf "%s\n" "Get:1 http://deb.debian.org x" "Unpacking x" "Setting up x" "E: no space left"'

lacks_gvc "$talk; rm -f \$absent"
setup
check "it tells how much apt-get downloads and installs" \
  says "apt-get downloads 34.5 MB and installs 12 packages, 120 MB on the disk"
check "what apt-get prints is in the log that it names" log_has "Unpacking x"

lacks_gvc "$talk; exit 100"
setup
check "where apt-get fails, the end of the log is shown" eval 'ended 1 && says "  | E: no space left"'

lacks_gvc "[[ \$* != *gnuplot* ]] || exit 1; rm -f \$absent" && rm "$machine/gnuplot"
setup --tests
check "an optional package that does not install keeps none of the others away" ended 0
check "and it is named" says "going on without gnuplot-nox"

new_machine && complete && with_apt 'exit 0' && stand_in sudo 'exit 1'
stand_in pkg-config '[[ $* != *libgvc* ]]'
# As root: someone else, who may read what root may, for the folder above may be closed to others.
if ((EUID == 0)); then
  as=("$(command -v setpriv)" --reuid=65534 --clear-groups --inh-caps=+dac_override --ambient-caps=+dac_override)
fi
if ! "${as[@]}" "$machine/bash" -c : 2>/dev/null; then
  for name in "without root and without sudo it prints the whole command" "and ends with 1"; do
    echo "ok $((++number)) - $name # SKIP no other user can be had here"
  done
  exit
fi
setup
check "without root and without sudo it prints the whole command for an administrator" \
  says "apt-get update && apt-get install --yes --no-install-recommends libgraphviz-dev"
check "and ends with 1, having called nothing" eval 'ended 1 && never_called'
