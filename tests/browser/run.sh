#!/usr/bin/env bash
# Runs a script of this folder in Chromium: run.sh SCRIPT TOPOGEMM [WORD …]. What is missing is a skip, in TAP.
script=$1 program=$(realpath "$2")
cd "$(dirname "${BASH_SOURCE[0]}")" || exit 1

skip() {
  echo "1..0 # SKIP $*"
  exit 0
}

command -v node >/dev/null || skip "no node here; ./setup.sh --tests installs it"
[[ -d node_modules/playwright-core && -d node_modules/axe-core ]] || skip "no playwright-core here; ./setup.sh --tests installs it"
for name in chromium chromium-browser google-chrome; do
  browser=$(command -v "$name") && break
done
[[ -n $browser ]] || skip "no chromium here; ./setup.sh --tests installs it"
"$program" draw cannon --grid 1x1 -o /dev/null/x.html >/dev/null 2>&1
if (($? == 4)); then skip "$("$program" draw cannon --grid 1x1 -o /dev/null/x.html 2>&1 | head -1)"; fi
exec node "$script" "$program" "$browser" "${@:3}"
