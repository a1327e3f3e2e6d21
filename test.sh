#!/usr/bin/env bash
# Installs what is missing, builds, and runs every test. See ./test.sh --help.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")" || exit 1

usage() {
  cat <<'END'
Usage: ./test.sh [--quick] [--help]

  1. ./setup.sh --tests installs what is missing
  2. build-test/           all tests; warnings are errors; CUDA code is compiled where nvcc is
  3. build-test-no-cuda/   where nvcc is, once more with -Dcuda=disabled: the suites golden, gpu and no-cuda. The
                           others test what is the same in both builds
  4. build-test-sanitize/  all tests again with AddressSanitizer, LeakSanitizer and UndefinedBehaviorSanitizer, but for
                           the page in a browser and the papers' kernels on the CPU, where sanitizers see nothing; CUDA
                           code only where there is a GPU
  5. build-test-small/     without the page and the papers: the C library used by two threads, with ThreadSanitizer
  6. a few seconds of fuzzing each parser (tools/fuzz.sh runs them for longer)

Ends with the time that each part took and `N passed, N failed, N skipped`, counted in single test points over all
runs; what failed is printed with its output, what was skipped with its reason. A later run builds only what changed.

  --quick  only 1 and 2
  --help   this text

Exit status: 0 at least one test passed and none failed; 1 otherwise; 2 wrong use.
END
}

quick=false
for argument in "$@"; do
  case $argument in
    --quick) quick=true ;;
    -h | --help) usage && exit 0 ;;
    *) printf 'test.sh: unknown option: %s\n\n' "$argument" >&2 && usage >&2 && exit 2 ;;
  esac
done

runs=() # LABEL=FILE, as tools/count-tests.py reads them
times=() # of the parts so far
part='' begun=0
heading() {
  if [[ -n $part ]]; then times+=("$(printf '%5d s  %s' $((SECONDS - begun)) "$part")"); fi
  part=$* begun=$SECONDS
  printf '\n== %s\n' "$part"
}

# A folder that someone configured by hand gets the options, too.
configure() {
  local folder=$1 option
  shift
  if [[ ! -f $folder/build.ninja ]]; then
    meson setup "$folder" "$@"
    return
  fi
  for option in "$@"; do
    option=${option#-D}
    if ! grep -qxF "${option%%=*} = ${option#*=}" "$folder/meson-private/cmd_line.txt"; then
      meson configure "$folder" "$@"
      return
    fi
  done
}

# suite LABEL FOLDER TIME-LIMIT-FACTOR OPTION...: without a log, the run counts as failed.
suite() {
  local label=$1 folder=$2 factor=$3 log=$2/meson-logs/testlog.json
  shift 3
  runs+=("$label=$log")
  rm -f "$log"
  heading "$label: build"
  configure "$folder" "$@" && meson compile -C "$folder" || return
  heading "$label: tests"
  meson test -C "$folder" --no-rebuild --timeout-multiplier "$factor"
}

# Builds what these suites need, and no more.
no_cuda_suites() {
  local folder=build-test-no-cuda log=build-test-no-cuda/meson-logs/testlog.json
  runs+=("no-cuda=$log:golden,gpu,no-cuda")
  rm -f "$log"
  heading "no-cuda: build and tests"
  configure "$folder" -Dwerror=true -Dcuda=disabled &&
    meson test -C "$folder" --suite golden --suite gpu --suite no-cuda
}

sanitized_suite() {
  # Tests that run the command's drawing ask for the slow unwinder themselves: the quick one stops at a library without
  # frame pointers and hides whose leak it is from the suppressions, but is more than ten times as fast.
  export ASAN_OPTIONS=detect_leaks=1:abort_on_error=0
  export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
  export LSAN_OPTIONS=suppressions=$PWD/tests/lsan.supp:print_suppressions=0
  local cuda=disabled
  if [[ -e /dev/nvidiactl ]]; then cuda=auto; fi
  suite sanitized build-test-sanitize 5 -Dwerror=true -Dcuda=$cuda -Db_sanitize=address,undefined -Db_lundef=false
  unset ASAN_OPTIONS UBSAN_OPTIONS LSAN_OPTIONS
}

# ThreadSanitizer of older compilers cannot start where the kernel spreads addresses widely, unless it is told not to.
thread_wrapper() {
  local program status=1
  program=$(mktemp) || return
  if echo 'int main(void) { return 0; }' | ${CC:-cc} -fsanitize=thread -x c - -o "$program"; then
    if "$program"; then echo env; else setarch -R "$program" && echo setarch -R; fi
    status=$?
  fi
  rm -f "$program"
  return $status
}

# A build without what can be left out: a few tests, and what they are built from.
small_suite() {
  local folder=build-test-small log=build-test-small/meson-logs/testlog.json wrapper
  heading "small, ThreadSanitizer: build and tests"
  if ! wrapper=$(thread_wrapper 2>/dev/null); then
    mkdir -p "$folder"
    echo "1..0 # SKIP ThreadSanitizer (libtsan) does not start here" >"$folder/skipped.tap"
    runs+=("small=$folder/skipped.tap")
    return
  fi
  runs+=("small=$log:small")
  rm -f "$log"
  configure "$folder" -Dwerror=true -Dcuda=disabled -Dpage=false -Dpapers=false -Db_sanitize=thread -Db_lundef=false &&
    TSAN_OPTIONS=suppressions=$PWD/tests/tsan.supp:print_suppressions=0 \
      $wrapper meson test -C "$folder" --suite small
}

can_fuzz() {
  echo 'int LLVMFuzzerTestOneInput(const char *data, unsigned long size) { return data && size ? 0 : 0; }' |
    clang -fsanitize=fuzzer -x c - -o /dev/null 2>/dev/null
}

# Writes TAP: a point a fuzzer that tools/fuzz.sh named on its way; it stops at the first finding, so only the last one
# can be bad.
fuzz_tap() {
  local status=$1 log=$2 names name number=0
  mapfile -t names < <(sed -n 's/^== \(.*\): [0-9]* s$/\1/p' "$log")
  if ((${#names[@]} == 0)); then names=("tools/fuzz.sh") && status=1; fi
  echo "1..${#names[@]}"
  for name in "${names[@]}"; do
    number=$((number + 1))
    if ((status != 0 && number == ${#names[@]})); then printf 'not '; fi
    echo "ok $number - $name"
  done
  sed 's/^/# /' "$log"
}

fuzz() {
  local seconds=$1 log=build-test/meson-logs/fuzz.log tap=build-test/meson-logs/fuzz.tap status
  runs+=("fuzz=$tap")
  rm -f "$tap"
  heading "fuzz: $seconds s each"
  if ! can_fuzz; then
    echo "1..0 # SKIP clang with its fuzzer library (libclang-rt) is not here" >"$tap"
    return
  fi
  tools/fuzz.sh "$seconds" </dev/null 2>&1 | tee "$log"
  status=${PIPESTATUS[0]}
  fuzz_tap "$status" "$log" >"$tap"
}

heading "setup"
if ! ./setup.sh --tests; then
  echo "0 passed, 1 failed, 0 skipped"
  exit 1
fi
suite plain build-test 1 -Dwerror=true
if ! $quick; then
  if command -v nvcc >/dev/null; then no_cuda_suites; fi
  sanitized_suite
  small_suite
  fuzz 5
fi

heading "result"
printf '%s\n' "${times[@]}"
python3 tools/count-tests.py "${runs[@]}"
