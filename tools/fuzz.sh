#!/bin/sh
# Runs every fuzzer of tests/fuzz for SECONDS each (60 if not given), with address and undefined-behaviour sanitizers.
# Usage: tools/fuzz.sh [SECONDS] [NAME...]      NAME: a row of tests/fuzz/meson.build; all of them if none is given
# Stops at the first finding, keeps its input in build-fuzz/findings and ends with status 1; 2 for wrong use; 4 where
# clang is not installed. Inputs found on the way stay in build-fuzz/corpus for the next run.
set -eu

seconds=${1:-60}
case $seconds in
  '' | *[!0-9]* | 0) echo "usage: tools/fuzz.sh [SECONDS] [NAME...]" >&2; exit 2 ;;
esac
[ $# -eq 0 ] || shift
command -v clang >/dev/null || { echo "tools/fuzz.sh: needs clang: apt-get install clang" >&2; exit 4; }

cd "$(dirname "$0")/.."
build=build-fuzz
[ -f $build/build.ninja ] || CC=clang meson setup $build -Dbuildtype=debugoptimized \
  -Db_sanitize=address,undefined -Db_lundef=false \
  "-Dc_args=['-fsanitize=fuzzer-no-link', '-fno-sanitize-recover=undefined']"
ninja -C $build fuzzers

[ $# -gt 0 ] || set -- $(find $build/tests/fuzz -maxdepth 1 -type f -name 'fuzz-*' | sed 's/.*fuzz-//' | sort)
mkdir -p $build/findings
for name in "$@"; do
  [ -x "$build/tests/fuzz/fuzz-$name" ] || { echo "tools/fuzz.sh: there is no fuzzer '$name'" >&2; exit 2; }
  mkdir -p "$build/corpus/$name"
  words=tests/fuzz/$name.dict
  [ -f "$words" ] || words=
  echo "== $name: $seconds s"
  "$build/tests/fuzz/fuzz-$name" -max_total_time="$seconds" -timeout=10 -print_final_stats=1 \
    ${words:+-dict="$words"} -artifact_prefix="$build/findings/$name-" "$build/corpus/$name" "tests/fuzz/corpus/$name" \
    >"$build/findings/$name.log" 2>&1 || {
    tail -n 60 "$build/findings/$name.log"
    echo "tools/fuzz.sh: $name: a finding; its input is $build/findings/$name-*" >&2
    exit 1
  }
  sed -n 's/^stat::number_of_executed_units: */   inputs run: /p' "$build/findings/$name.log"
done
echo "== $# fuzzers ran clean"
