#!/usr/bin/env bash
# What `./zermelo test` does (`./zermelo test --help`): the gate, or ctest with the given options.
set -euo pipefail

root="$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")"
# shellcheck source=scripts/build.sh
source "$root/scripts/build.sh"

run_ctest() { # FOLDER OPTION...
  local folder="$1"
  shift
  ctest --test-dir "$folder" --output-on-failure --no-tests=error "$@"
}

# --- the parts of the gate ----------------------------------------------------------------------------

# Warnings are errors, without -Werror: a user's build has the same flags and a compiler that we don't know. Without
# Ninja's log everything is compiled again, from ccache if it is there, so that a warning of an earlier build is seen.
build_all() {
  rm -f "$build/.ninja_log"
  build_targets ON all
  ! grep -E 'warning:' "$build/build.log" >&2 || fail "the compiler warned (see above)"
}

# units FOLDER FILTER LIBRARY...: the unit tests of these libraries, one process a library: to start a process for each
# case, as ctest does, takes longer than the cases. LIBRARY:PARTS is several processes, for one that takes long. One
# process more than there are cores, since some wait most of the time.
units() {
  local folder="$1" filter="$2" library part parts
  shift 2
  for library in "$@"; do
    parts=1
    [[ $library != *:* ]] || parts="${library#*:}"
    for ((part = 0; part < parts; part++)); do echo "${library%:*} $part $parts"; done
  done | xargs -P "$(($(at_once 2) + 1))" -L 1 "$root/scripts/test.sh" --library "$folder" "$filter"
}

# units_of FOLDER FILTER LIBRARY PART PARTS: shows the output of a failure only.
units_of() {
  local log="$1/src/$3/units-$4.log" started=$SECONDS
  if ! GTEST_SHARD_INDEX="$4" GTEST_TOTAL_SHARDS="$5" timeout 1200 "$1/src/$3/$3_test" --gtest_brief=1 \
    --gtest_filter="$2" >"$log" 2>&1; then
    tail -n 200 "$log"
    echo "FAILED: $3, all of its output is in $log"
    return 1
  fi
  echo "$3: $(grep -oE '^\[==========\] [0-9]+ tests' "$log" | grep -oE '[0-9]+ tests') in $((SECONDS - started)) s"
}

# The libraries that have unit tests in a build; those of `lean` wait most of the time.
libraries() {
  local folder
  for folder in "$1"/src/*/; do
    folder="$(basename "$folder")"
    [[ ! -x $1/src/$folder/${folder}_test ]] || echo "$folder"
  done | sed 's/^lean$/lean:3/'
}

# Eight GB for each test of ctest: the Leans that it starts.
run_tests() {
  local apart=(--label-exclude '^release$') passed=yes unit_tests
  [[ -z ${ZERMELO_TEST_ALL:-} ]] || apart=()
  mapfile -t unit_tests < <(libraries "$build")
  units "$build" '*' "${unit_tests[@]}" || passed=no
  run_ctest "$build" --parallel "$(at_once 8)" --exclude-regex '^unit\.' "${apart[@]}" || passed=no
  [[ $passed == yes ]]
}

newest_clang() { find /usr/bin -name 'clang++-1[6-9]' | sort | tail -n 1; }

# sanitize PRESET LIBRARY...: the unit tests of these libraries. Without the tests of how much time and memory something
# takes, since instrumented code takes other amounts; without those that repeat one thing 50 times; and, for threads,
# without those of the kernel's readers, which have none.
sanitize() {
  local preset="$1" folder="$root/build/$1"
  shift
  configure "$preset" -DCMAKE_CXX_COMPILER="$(newest_clang)"
  local targets=("${@%:*}")
  compile "$preset" "${targets[@]/%/_test}"
  local skipped='MemoryTest.*:*Linear*:*FiftyThousandLines*:*GigabyteOfOutput*:*KilledAt50RandomMoments*:*SixtyProblemsEndExactly*'
  [[ $preset != tsan ]] || skipped+=':Hostile*:Exporting*'
  units "$folder" "-$skipped" "$@"
}

# sanitize_changed PRESET LIBRARY...: those of these libraries that differ from the landed commit; with --all, all.
sanitize_changed() {
  local preset="$1" changed each chosen=()
  shift
  changed="$("$root/scripts/lint.py" --libraries)"
  for each in "$@"; do
    if [[ -n ${ZERMELO_TEST_ALL:-} ]] || grep -qx "${each%:*}" <<<"$changed"; then chosen+=("$each"); fi
  done
  if [[ ${#chosen[@]} -gt 0 ]]; then sanitize "$preset" "${chosen[@]}"; else echo "none of its libraries has changed"; fi
}

address_sanitizer() {
  sanitize_changed asan trust:4 policy:2 kernel:2 lean:3 engine strategy llm serve core search syntax eval record retrieve \
    store cli learn decoder data view
}

thread_sanitizer() { sanitize_changed tsan lean:4 serve:2 kernel core; }

lint_changes() { "$root/scripts/lint.py" --changed --minutes 3; }

# Each source by itself: what it forgets to include is hidden where several are compiled as one. Benchmarks, too.
build_one_by_one() {
  configure dev
  compile dev all benchmarks
}

lint_all() { "$root/scripts/lint.py"; }

# The same compiler has compiled the same sources a moment ago: what ccache has of that is not compiled again.
bare_debian_12() {
  local cache=()
  [[ -n ${ZERMELO_TEST_ALL:-} ]] || ! type -P ccache >/dev/null || cache=(--ccache "$(ccache --get-config cache_dir)")
  "$root/tests/bare_root.py" bookworm "${cache[@]}"
}

# With libtorch in the build; the other tests were run without.
train_tests() {
  install_packages build train
  install_torch
  configure release -DZERMELO_TESTS=ON "-DZERMELO_TORCH=$torch"
  compile release train_program train_test train_bench zermelo
  run_ctest "$build" -R '^(unit|e2e)\.train'
}

bare_debian_13() { "$root/tests/bare_root.py" trixie --test; }

# --- the gate -----------------------------------------------------------------------------------------

summary=()
failed=0 left_out=0

minutes() { awk -v seconds="$1" 'BEGIN { printf "%.1f", seconds / 60 }'; }

# part NAME FUNCTION [LIMIT]: goes on after a failure, so that one run shows all that is wrong. What has not ended when
# the whole run has taken LIMIT seconds is ended, and said to be left out.
part() {
  local name="$1" limit="${3:-}" started=$SECONDS code=0 result=passed within=()
  say "--- $name"
  [[ -z $limit ]] || within=(timeout --kill-after=20 "$((limit > SECONDS ? limit - SECONDS : 1))")
  # In a process of its own, where `set -e` holds although the result is looked at.
  "${within[@]}" "$root/scripts/test.sh" --part "$2" || code=$?
  if [[ -n $limit && ($code -eq 124 || $code -eq 137) ]]; then
    result="LEFT OUT: not done $((limit / 60)) minutes after the start" left_out=$((left_out + 1))
  elif [[ $code -ne 0 ]]; then
    result=FAILED failed=$((failed + 1))
  fi
  summary+=("$(printf '%-34s %6.1f min  %s' "$name" "$(minutes $((SECONDS - started)))" "$result")")
}

# CI ends a run after 90 minutes without a result. What a slow machine may leave out comes last.
gate() {
  local all="$1" limit=()
  [[ $all == yes || -z ${CI:-} ]] || limit=(5040)
  part "build" build_all
  part "clang-tidy, changed files" lint_changes
  part "tests" run_tests
  part "empty Debian 12" bare_debian_12
  part "thread sanitizer" thread_sanitizer "${limit[@]}"
  part "address and UB sanitizers" address_sanitizer "${limit[@]}"
  if [[ $all == yes ]]; then
    part "sources one by one" build_one_by_one
    part "trainer" train_tests
    part "empty Debian 13" bare_debian_13
    part "clang-tidy, all files" lint_all
  fi
  echo
  printf '%s\n' "${summary[@]}"
  printf '%-34s %6.1f min\n' "in all" "$(minutes $SECONDS)"
  echo "$((${#summary[@]} - failed - left_out)) passed, $failed failed, $left_out left out"
  exit $((failed > 0))
}

# --- single tests -------------------------------------------------------------------------------------

# The targets of the tests that ctest would run with these options: LIBRARY_test for unit.LIBRARY.*, the program for
# end-to-end tests, four of which have a test program of their own.
targets_of() {
  ctest --test-dir "$build" -N "$@" | sed -nE 's/^ *Test +#[0-9]+: +unit\.([a-z]+)\..*/\1_test/p; s/^ *Test +#[0-9]+: +e2e\.(trace|states|library_mutants)$/\1_lean_test/p; s/^ *Test +#[0-9]+: +e2e\.llama_cpp$/llm_test\nzermelo/p
      s/^ *Test +#[0-9]+: +e2e\..*/zermelo/p' |
    sort -u
}

selected_tests() {
  local targets
  touch "$build/.building"
  configure release -DZERMELO_TESTS=ON
  mapfile -t targets < <(targets_of "$@")
  if [[ ${#targets[@]} -gt 0 && " $* " != *" -N "* ]]; then
    say "building ${targets[*]}"
    compile release "${targets[@]}"
    [[ " ${targets[*]} " != *" zermelo "* ]] || mv "$build/.building" "$build/.built"
  fi
  exec ctest --test-dir "$build" --output-on-failure --no-tests=error --parallel "$(at_once 8)" "$@"
}

# What this script calls itself for.
case "${1:-}" in
  --part)
    "$2"
    exit
    ;;
  --library)
    units_of "${@:2}"
    exit
    ;;
esac

mkdir -p "$build"
mapfile -t uses < <(test_uses)
with_lock "$build/.lock" "installing packages" install_packages build clang bare "${uses[@]}"
install_embedded_lean
all=no
if [[ ${1:-} == --all ]]; then
  all=yes
  export ZERMELO_TEST_ALL=1
  with_lock "$build/.lock" "installing packages" install_packages release
  shift
fi
if [[ ${1:-} == --with-llama-cpp || $all == yes ]]; then
  [[ $all == yes ]] || shift
  say "building llama.cpp's server (ten minutes the first time)"
  "$root/scripts/llama_cpp.sh" --quick >&2
fi
if [[ $# -eq 0 ]]; then
  gate "$all"
else
  selected_tests "$@"
fi
