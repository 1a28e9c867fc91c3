# Sourced by ./zermelo and the scripts beside this file: installs packages, builds, installs the embedded
# Lean. Expects $root, the repository. Every function either does its work or ends the script with one
# sentence on standard error and exit code 3.
# shellcheck shell=bash

build="${root:?}/build/release"
program="$build/zermelo"

say() { echo "zermelo: $*" >&2; }

# fail SENTENCE [DETAIL...]: the details follow, one a line.
fail() {
  say "$1"
  shift
  [[ $# -eq 0 ]] || printf '  %s\n' "$@" >&2
  exit 3
}

# Runs a command that neither the caller's PATH (conda, pyenv) nor its variables (CXXFLAGS, CMAKE_PREFIX_PATH,
# CPATH, LD_LIBRARY_PATH, ...) can influence: a build uses Debian's compiler and libraries only.
clean() {
  local kept=(PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8) name
  for name in HOME TERM TMPDIR XDG_CACHE_HOME ${!CCACHE_@}; do
    [[ -z ${!name:-} ]] || kept+=("$name=${!name}")
  done
  can_cache || kept+=(CCACHE_DISABLE=1)
  env -i "${kept[@]}" "$@"
}

# Whether ccache can write to its folder; the home folder may be read-only, or another user's.
can_cache() {
  local folder="${CCACHE_DIR:-${XDG_CACHE_HOME:-${HOME:-/nonexistent}/.cache}/ccache}"
  mkdir -p "$folder" 2>/dev/null && [[ -w $folder ]]
}

# The bytes of memory of this machine and those that a container or a job may use, one a line.
memory_limits() {
  local group
  awk '/^MemTotal:/ { print $2 * 1024 }' /proc/meminfo
  group="$(sed -n 's/^0:://p' /proc/self/cgroup 2>/dev/null || true)"
  while true; do
    cat "/sys/fs/cgroup$group/memory.max" 2>/dev/null || true
    [[ $group == */* ]] || break
    group="${group%/*}"
  done
  cat /sys/fs/cgroup/memory/memory.limit_in_bytes 2>/dev/null || true
}

# How many processes may run at once, one a processor, if each needs so many GB of memory.
at_once() {
  memory_limits | awk -v at_once="$(nproc)" -v each="$1" '
    /^[0-9]/ && (!least || $1 < least) { least = $1 }
    END {
      by_memory = int(least / 1.024e9 / each)
      if (by_memory < at_once) at_once = by_memory
      print at_once < 1 ? 1 : at_once
    }'
}

# with_lock FILE WHAT COMMAND...: only one process at a time; the others wait half an hour at most.
with_lock() {
  local file="$1" what="$2" lock
  shift 2
  if ! { mkdir -p "$(dirname "$file")" && touch "$file"; } 2>/dev/null; then
    if [[ -O $root ]]; then
      fail "cannot write to $(dirname "$file"), perhaps after a run as root; this gives it back to you:" \
        "sudo chown -R $(id -un) '$root'"
    fi
    fail "cannot write to $(dirname "$file"); clone the repository to a folder of your own"
  fi
  exec {lock}>"$file"
  local locked=0
  flock -n "$lock" || locked=$?
  if [[ $locked -eq 1 ]]; then
    say "another ./zermelo is $what; waiting for it"
    flock -w 1800 "$lock" || fail "another ./zermelo has been $what for half an hour; end it and run this again"
  elif [[ $locked -ne 0 ]]; then
    say "files cannot be locked here: run one ./zermelo at a time until this one has started"
  fi
  "$@" {lock}>&-
  exec {lock}>&-
}

# --- packages -----------------------------------------------------------------------------------------

# Whether the file or command that packages.txt names is there.
is_installed() {
  local file="${1%%::*}" pattern="" found
  [[ $1 != *::* ]] || pattern="${1#*::}"
  [[ $file == /* ]] || { command -v "$file" >/dev/null; return; }
  found="$(compgen -G "$file")" || return 1
  found="${found%%$'\n'*}"
  [[ -z $pattern ]] || grep -qE "$pattern" "$found"
}

# The alternatives (a|b) of the packages that the given uses lack.
missing_packages() {
  local uses=" $* " use packages file
  while read -r use packages file; do
    [[ -z $use || $use == \#* || $uses != *" $use "* ]] && continue
    is_installed "$file" || echo "$packages"
  done <"$root/packages.txt" | sort -u
}

# (grep -q would end before apt-cache does, whose broken pipe `pipefail` takes for a failure.)
has_candidate() { grep -q '^  Candidate: [^(]' <<<"$(LC_ALL=C apt-cache policy "$1" 2>/dev/null)"; }

# The first of the alternatives that apt offers; "-" for nothing where that is allowed.
choose_package() {
  local name
  for name in ${1//|/ }; do
    if [[ $name == - ]] || has_candidate "$name"; then
      echo "$name"
      return
    fi
  done
  return 1
}

# The command that installs the packages of these alternatives.
apt_command() {
  local alternatives names=()
  for alternatives in "$@"; do
    alternatives="$(choose_package "$alternatives" || echo "${alternatives%%|*}")"
    [[ $alternatives == - ]] || names+=("$alternatives")
  done
  echo "apt-get update && apt-get install -y --no-install-recommends ${names[*]}"
}

# update_lists LOG COMMAND...: apt-get update, as COMMAND runs it. It does not wait for another apt by itself.
update_lists() {
  local log="$1" tries
  shift
  for ((tries = 0; tries < 120; tries++)); do
    # A source that cannot be reached is no reason to stop: what is needed may come from the others.
    "$@" LC_ALL=C apt-get update -qq >"$log" 2>&1 || true
    grep -q 'Could not get lock' "$log" || return 0
    [[ $tries -gt 0 ]] || say "another program is using apt; waiting for it"
    sleep 5
  done
  fail "another program has been using apt for ten minutes; run this again when it has ended"
}

# Ends the script: apt failed; says why in one sentence.
report_apt_failure() {
  local log="$1" removed
  shift
  removed="$(LC_ALL=C apt-get install -s --no-install-recommends "$@" 2>/dev/null | awk '/^Remv/ { print $2 }' | xargs)"
  if [[ -n $removed ]]; then
    fail "apt would have to remove $removed to install what Zermelo is built with, so nothing was changed; if you agree, run this and then the same command again:" \
      "apt-get install --no-install-recommends $*"
  fi
  if grep -qE 'Could not resolve|Failed to fetch|Unable to fetch|Temporary failure|Could not connect' "$log"; then
    fail "apt could not fetch these packages (is there a network?); run this again once it can: $*"
  fi
  tail -n 20 "$log" >&2
  fail "apt-get could not install: $* (its last messages are above)"
}

install_packages() {
  local missing names=() unknown=() alternatives name log as_root=(env)
  mapfile -t missing < <(missing_packages "$@")
  # Do not ask for a password just for optional packages.
  grep -qv -e '|-$' -e '^$' <<<"$(printf '%s\n' "${missing[@]}")" || return 0
  if ! command -v apt-get >/dev/null; then
    fail "these packages are missing, by Debian's names; install them and run this again:" "${missing[@]}"
  fi
  if [[ $EUID -ne 0 ]]; then
    command -v sudo >/dev/null ||
      fail "these packages are missing and sudo is not installed; run this as root, and then the same command again:" \
        "$(apt_command "${missing[@]}")"
    say "Debian packages are missing; sudo may ask for your password to install them"
    sudo true ||
      fail "sudo refused; run this as root, and then the same command again:" "$(apt_command "${missing[@]}")"
    as_root=(sudo env)
    for name in http_proxy https_proxy no_proxy; do
      [[ -z ${!name:-} ]] || as_root+=("$name=${!name}")
    done
  fi
  log="$(mktemp)"
  say "looking for Debian packages"
  update_lists "$log" "${as_root[@]}"
  for alternatives in "${missing[@]}"; do
    if ! name="$(choose_package "$alternatives")"; then
      unknown+=("${alternatives//|/ or }")
    elif [[ $name != - ]]; then
      names+=("$name")
    fi
  done
  if [[ ${#unknown[@]} -gt 0 ]]; then
    if grep -qE 'Could not resolve|Failed to fetch|Temporary failure|Could not connect' "$log"; then
      fail "apt cannot reach its package archives (is there a network?); it should have fetched:" "${missing[@]}"
    fi
    fail "apt offers no package for what is listed below; Debian 12 and 13 have it in \"main\", Ubuntu in \"universe\": add that to apt's sources, or install it yourself:" \
      "${unknown[@]}"
  fi
  say "installing Debian packages: ${names[*]}"
  "${as_root[@]}" DEBIAN_FRONTEND=noninteractive LC_ALL=C apt-get install -y -qq --no-remove \
    --no-install-recommends -o DPkg::Lock::Timeout=600 "${names[@]}" >>"$log" 2>&1 ||
    report_apt_failure "$log" "${names[@]}"
  rm -f "$log"
  mapfile -t missing < <(missing_packages "$@" | grep -v '|-$')
  [[ ${#missing[@]} -eq 0 ]] ||
    fail "apt installed everything, but the files that packages.txt names are still missing for: ${missing[*]}"
}

# The uses of what tests and benchmarks need. Debian starts daemons when they are installed, and at every start of the
# machine: not on one that somebody works on.
test_uses() {
  echo test
  [[ -d /run/systemd/system && -z ${CI:-} ]] || echo services
}

# --- the program --------------------------------------------------------------------------------------

# Everything that the program is built from; one look at it decides whether to build. A program that no
# longer starts (a library was upgraded) is not built either.
is_built() {
  [[ -x $program && -e $build/.built ]] &&
    [[ -z $(find "$root/src" "$root/cmake" "$root/CMakeLists.txt" "$root/CMakePresets.json" \
      -newer "$build/.built" -print -quit) ]] && "$program" --version >/dev/null 2>&1
}

# configure PRESET [CMAKE OPTION...]: a cache that is broken, or of another folder, is made anew.
configure() {
  local preset="$1" log="$root/build/$1/configure.log"
  shift
  mkdir -p "$root/build/$preset"
  clean cmake --preset "$preset" -S "$root" "$@" >"$log" 2>&1 ||
    clean cmake --fresh --preset "$preset" -S "$root" "$@" >"$log" 2>&1 || {
    grep -A 8 'CMake Error' "$log" | head -n 30 >&2
    fail "CMake could not configure the build; its full output is in $log"
  }
}

# compile PRESET TARGET...: shows ninja's progress on a terminal. Two GB for each compiler.
compile() {
  local folder="$root/build/$1" log="$root/build/$1/build.log" status=0
  shift
  local command=(clean cmake --build "$folder" --parallel "$(at_once 2)" --target "$@")
  if [[ -t 2 ]]; then
    # As ninja does on a terminal, one line for its progress; all else stays to be read.
    {
      "${command[@]}" 2>&1 | tee "$log" | while IFS= read -r line; do
        if [[ $line == \[* ]]; then
          printf '\r\033[K%.78s' "$line"
        elif [[ $line != 'ninja: no work to do.' ]]; then
          printf '\r\033[K%s\n' "$line"
        fi
      done >&2
      status="${PIPESTATUS[0]}"
    } || true
    printf '\r\033[K' >&2
  else
    "${command[@]}" >"$log" 2>&1 || status=$?
  fi
  [[ $status -eq 0 ]] && return
  [[ -t 2 ]] || grep -vE '^\[[0-9]+/[0-9]+\]' "$log" | tail -n 40 >&2
  if grep -q 'Killed signal terminated program' "$log"; then
    fail "the compiler ran out of memory; free some and run this again"
  fi
  if grep -q 'No space left on device' "$log"; then
    fail "the disk is full; the build needs about 1 GB in $folder"
  fi
  fail "the build failed; the compiler's full output is in $log"
}

# build_targets TESTS TARGET...: TESTS, ON or OFF, says whether tests are configured. One build directory serves
# both, so what is tested is what users run. The targets have to include the program.
build_targets() {
  local tests="$1" mark="$build/.building"
  shift
  mkdir -p "$build"
  touch "$mark" # as old as what is about to be built
  say "building (a few minutes the first time)"
  configure release "-DZERMELO_TESTS=$tests"
  compile release "$@"
  mv "$mark" "$build/.built"
}

build_program() {
  if is_built; then return; fi # another process has built it meanwhile
  install_packages build
  build_targets OFF zermelo
}

ensure_program() {
  is_built || with_lock "$root/build/.lock" "building Zermelo" build_program
}

# --- the embedded Lean --------------------------------------------------------------------------------

# As is_built: one look at what it is made of.
embedded_lean_is_current() {
  local from="$root/embedded"
  [[ -e $from/build/stamp ]] &&
    [[ -z $(find "$from/package-lock.json" "$from/install.sh" "$from/host.js" "$from"/*.mjs \
      "$from/warm_up.lean" "$from/src" -newer "$from/build/stamp" -print -quit) ]]
}

install_embedded_lean() {
  embedded_lean_is_current && return
  with_lock "$root/build/.lock" "installing packages" install_packages embedded
  "$root/embedded/install.sh" >&2 && return
  [[ -e $root/embedded/build/stamp ]] || exit 3
  say "the embedded Lean could not be updated; the installed one is used"
}

# --- the trainer --------------------------------------------------------------------------------------

torch="$root/build/torch"
trainer="$build/zermelo-train"

# Only what a program needs that links libtorch: 0.5 GB of the wheels' 1.5.
unpack_torch() { # WHEELS FOLDER
  python3 - "$@" <<'END'
import pathlib, sys, zipfile
wheels, folder = sys.argv[1:]
wanted = ("torch/include/", "torch/lib/libtorch_cpu.so", "torch/lib/libc10.so", "torch/lib/libgomp", "nvidia/cu13/lib/libcu")
for wheel in pathlib.Path(wheels).glob("*.whl"):
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder, [name for name in archive.namelist() if name.startswith(wanted)])
END
}

install_torch() {
  local list="$root/src/train/torch.txt" wheels="$root/build/torch-wheels" log="$root/build/torch.log"
  cmp -s "$list" "$torch/torch.txt" && return
  [[ $(uname -m) == x86_64 ]] || fail "the trainer needs libtorch, whose wheel is pinned for x86_64 only"
  say "fetching libtorch for the trainer (540 MB, once)"
  rm -rf "$torch" "$torch.new" "$wheels"
  mkdir -p "$wheels"
  if ! { python3 -m venv "$wheels/venv" && "$wheels/venv/bin/pip" download --quiet --disable-pip-version-check \
    --no-deps --require-hashes --only-binary=:all: --python-version 311 --implementation cp \
    --platform manylinux_2_28_x86_64 --platform manylinux_2_25_x86_64 --platform manylinux_2_17_x86_64 \
    --platform manylinux2014_x86_64 -d "$wheels" -r "$list"; } >"$log" 2>&1; then
    tail -n 5 "$log" >&2
    fail "libtorch could not be fetched from pip's package index (is there a network?)"
  fi
  unpack_torch "$wheels" "$torch.new" >"$log" 2>&1 || fail "libtorch could not be unpacked: $(tail -n 1 "$log")"
  cp "$list" "$torch.new/torch.txt"
  mv "$torch.new" "$torch"
  rm -rf "$wheels"
}

trainer_is_built() {
  [[ -x $trainer && -e $build/.trainer_built ]] &&
    [[ -z $(find "$root/src" "$root/cmake" "$root/CMakeLists.txt" "$root/CMakePresets.json" \
      -newer "$build/.trainer_built" -print -quit) ]]
}

build_trainer() {
  if trainer_is_built; then return; fi # another process has built it meanwhile
  install_packages build train
  install_torch
  say "building the trainer (some minutes the first time)"
  mkdir -p "$build"
  touch "$build/.building_trainer"
  configure release "-DZERMELO_TORCH=$torch"
  compile release train_program
  mv "$build/.building_trainer" "$build/.trainer_built"
}

ensure_trainer() {
  trainer_is_built || with_lock "$root/build/.lock" "building the trainer" build_trainer
}
