#!/usr/bin/env bash
# Builds the Debian packages on a bare Debian, and tries them on another. See --help.
set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

usage() {
  cat <<'END'
Usage: tools/debian-packages.sh [--suite bookworm|trixie] [--keep] [FOLDER]

Needs root and debootstrap. In FOLDER (default: a temporary one) it

  1. makes a bare Debian, installs what debian/control needs for the build, and builds the packages of the last commit,
  2. runs lintian on them,
  3. makes a second bare Debian, installs the packages there, and uses each as a user would,
  4. removes them and looks for what they left behind.

The packages are copied to FOLDER/packages. --keep keeps the two systems, so that the next run is faster.
Exit status: 0 if all steps worked; 1 otherwise; 2 for wrong use.
END
}

suite=bookworm keep=false folder=
while (($#)); do
  case $1 in
    --suite) suite=${2:?--suite needs a name} && shift ;;
    --keep) keep=true ;;
    -h | --help) usage && exit 0 ;;
    -*) printf 'debian-packages.sh: unknown option: %s\n\n' "$1" >&2 && usage >&2 && exit 2 ;;
    *) folder=$1 ;;
  esac
  shift
done
folder=${folder:-$(mktemp -d)}
mirror=$(grep -hoE '^(URIs: |deb (\[[^]]*\] )?)https?://[^ ]+' /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null |
  grep -oE 'https?://[^ ]+' | grep -v security | head -n 1 || true)

unmount() {
  local system
  for system in build try; do
    if mountpoint -q "$folder/$system/proc"; then umount "$folder/$system/proc"; fi
  done
}
leave() {
  unmount
  if ! $keep; then rm -rf --one-file-system "$folder/build" "$folder/try"; fi
}
trap leave EXIT

# A bare Debian that reaches its mirror as this system does.
make_system() {
  local root=$folder/$1
  if [[ ! -x $root/bin/bash ]]; then
    debootstrap --variant=minbase --include=ca-certificates "$suite" "$root" "${mirror:-http://deb.debian.org/debian}" >"$root.log"
    cp -a /etc/apt/apt.conf.d/99* "$root/etc/apt/apt.conf.d/" 2>/dev/null || true
    cp -a /usr/local/share/ca-certificates/. "$root/usr/local/share/ca-certificates/" 2>/dev/null || true
    chroot "$root" update-ca-certificates >/dev/null 2>&1 || true
  fi
  mountpoint -q "$root/proc" || mount -t proc proc "$root/proc"
}
inside() {
  chroot "$folder/$1" /usr/bin/env -i HOME=/root TERM=dumb LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
    PATH=/usr/sbin:/usr/bin:/sbin:/bin bash -euo pipefail -c "$2" </dev/null
}
say() { printf '\n== %s\n' "$*"; }
# try WORDS COMMAND: one thing that a user does.
failed=0
try() {
  if inside try "$2" >"$folder/try.log" 2>&1; then
    echo "ok: $1"
  else
    echo "FAILED: $1"
    sed 's/^/  /' "$folder/try.log"
    failed=1
  fi
}

mkdir -p "$folder"/{build,try,packages}
say "build, on a bare Debian $suite"
make_system build
rm -rf "$folder/build/root/topogemm" && mkdir -p "$folder/build/root/topogemm"
git -C "$top" archive HEAD | tar x -C "$folder/build/root/topogemm"
inside build 'apt-get update -q >/dev/null && apt-get install -y -q --no-install-recommends build-essential lintian >/dev/null &&
  apt-get build-dep -y -q --no-install-recommends /root/topogemm >/dev/null'
inside build 'cd /root && rm -f *.deb *.changes && cd topogemm && dpkg-buildpackage -us -uc -b' >"$folder/build.log" 2>&1 ||
  { tail -n 40 "$folder/build.log" && exit 1; }
rm -f "$folder"/packages/*
cp "$folder"/build/root/*.deb "$folder/packages"
ls -l "$folder/packages"

say 'lintian'
inside build 'lintian --fail-on error --allow-root /root/*.changes'

say "use, on another bare Debian $suite"
make_system try
inside try 'apt-get update -q >/dev/null && apt-get install -y -q --no-install-recommends man-db bash-completion zsh fish >/dev/null'
inside try 'rm -rf /packages' && cp -r "$folder/packages" "$folder/try/packages"
try 'no topogemm before' '! command -v topogemm && [ -z "$(find / -xdev -path /proc -prune -o -path /packages -prune -o -iname "*topogemm*" -print)" ]'
# A minimal Debian leaves manual pages out unless it is told otherwise.
inside try 'rm -f /etc/dpkg/dpkg.cfg.d/docker* && apt-get install -y -q --no-install-recommends /packages/topogemm_*.deb >/dev/null'
try 'the version' 'topogemm --version | grep "^topogemm "'
try 'a proof' 'topogemm verify cannon --grid 4x4'
try 'a product on the CPU' 'topogemm run cannon --grid 2x2 -n 256 --on cpu --json | grep "\"ok\": *true"'
try 'a picture' 'cd /tmp && topogemm draw cannon --grid 4x4 --step 2 -o step.png && [ "$(head -c 4 step.png | tail -c 3)" = PNG ] && rm step.png'
try 'ranks without MPI: status 4, and the package' 'status=0; said=$(topogemm run cannon --grid 2x2 -n 64 --on ranks 2>&1) || status=$?; [ $status = 4 ] && grep -i mpi <<<"$said"'
try 'a manual page' 'man topogemm-sim | grep -i "predict"'
try 'completion in bash' 'bash -c "source /usr/share/bash-completion/bash_completion && _completion_loader topogemm; complete -p topogemm"'
try 'completion in zsh' 'zsh -c "autoload -U compinit && compinit -u && whence -v _topogemm && [[ -n \${_comps[topogemm]} ]]"'
try 'completion in fish' 'fish -c "complete -C \"topogemm ver\"" | grep verify'
inside try 'apt-get install -y -q --no-install-recommends openmpi-bin libopenmpi-dev >/dev/null 2>&1'
try 'a product on four ranks' 'OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun --oversubscribe -n 4 topogemm run cannon --grid 2x2 -n 256 --on ranks --json | grep "\"ok\": *true"'
inside try 'apt-get install -y -q --no-install-recommends gcc libc6-dev pkg-config /packages/*.deb >/dev/null 2>&1'
cp "$top/examples/prove-schedule.c" "$folder/try/root/prove.c"
try 'a program with the C library' 'cd /tmp && cc -o prove /root/prove.c $(pkg-config --cflags --libs topogemm) && ./prove | grep messages; rm -f prove'
try 'the Python package' 'python3 -c "import numpy, topogemm
cannon = topogemm.Schedule.load(\"cannon\", grid=(2, 2))
assert cannon.verify().ok
a = numpy.arange(16.0).reshape(4, 4)
run = cannon.step(a, a)
assert (run.result() == a @ a).all()"'
inside try 'rm -f /root/prove.c && apt-get purge -y -q topogemm libtopogemm0 libtopogemm-dev python3-topogemm >/dev/null 2>&1'
# Skip man-db's cache: it belongs to man-db.
try 'no trace after removal' '[ -z "$(find / -xdev -path /proc -prune -o -path /packages -prune -o -path /var/cache/man -prune -o -iname "*topogemm*" -print | tee /dev/stderr)" ]'
exit $failed
