#!/usr/bin/env bash
# Builds llama.cpp's own server, for the processor only, from the source in PyPI's llama-cpp-python:
# build/llama-cpp/bin/llama-server (about twenty minutes on two cores; nothing when it is there). With --quick, without
# optimizations: build/llama-cpp-quick, for the tests' tiny models (ten minutes).
set -euo pipefail

version=0.3.36
root="$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")"
# shellcheck source=scripts/build.sh
source "$root/scripts/build.sh"

if [[ ${1:-} == --quick ]]; then
  folder="$root/build/llama-cpp-quick" minutes=ten
  flags=(-DCMAKE_BUILD_TYPE=None "-DCMAKE_CXX_FLAGS=-O0 -w" "-DCMAKE_C_FLAGS=-O1 -w" -DGGML_NATIVE=OFF -DGGML_OPENMP=OFF)
else
  folder="$root/build/llama-cpp" minutes=twenty
  flags=(-DCMAKE_BUILD_TYPE=Release "-DCMAKE_CXX_FLAGS=-w" "-DCMAKE_C_FLAGS=-w")
fi
server="$folder/bin/llama-server"
log="$folder/log"
[[ -x $server && $(cat "$folder/version" 2>/dev/null) == "$version" ]] && exit

# step WHAT COMMAND...: its output goes to the log.
step() {
  local what="$1" end
  shift
  "$@" >>"$log" 2>&1 && return
  mapfile -t end < <(tail -n 5 "$log")
  fail "cannot $what; $log ends with:" "${end[@]}" "If llama.cpp is installed otherwise, put llama-server on PATH."
}

mapfile -t lacking < <(missing_packages build)
[[ ${#lacking[@]} -eq 0 ]] || fail "llama.cpp needs packages; this installs them:" "./zermelo packages build"
say "building llama.cpp's server from PyPI's llama-cpp-python $version (about $minutes minutes, once)"
mkdir -p "$folder"
: >"$log"
venv="$folder/venv"
[[ -x $venv/bin/pip ]] || step "make a Python environment (Debian's python3-venv is needed)" python3 -m venv "$venv"
# pip looks at a source package's metadata with its build backend.
step "install scikit-build-core from PyPI" "$venv/bin/pip" install --quiet scikit-build-core
step "download llama-cpp-python from PyPI" "$venv/bin/pip" download --quiet --no-deps --no-build-isolation \
  --no-binary :all: --dest "$folder" "llama-cpp-python==$version"
step "unpack llama.cpp" tar -xzf "$folder/llama_cpp_python-$version.tar.gz" -C "$folder" \
  --strip-components=1 "llama_cpp_python-$version/vendor/llama.cpp"
step "configure llama.cpp" clean cmake -S "$folder/vendor/llama.cpp" -B "$folder/build" -G Ninja "${flags[@]}" \
  -DBUILD_SHARED_LIBS=OFF -DGGML_LLAMAFILE=OFF -DLLAMA_BUILD_TESTS=OFF -DLLAMA_BUILD_EXAMPLES=OFF -DLLAMA_BUILD_APP=OFF \
  -DLLAMA_USE_PREBUILT_UI=OFF -DLLAMA_OPENSSL=OFF -DLLAMA_BUILD_NUMBER=1 -DLLAMA_BUILD_COMMIT=none
step "build llama.cpp" clean cmake --build "$folder/build" --target llama-server -j "$(at_once 2)"
mkdir -p "$folder/bin"
cp "$folder/build/bin/llama-server" "$server"
strip "$server"
rm -rf "$folder/build" "$folder/vendor" "$folder/llama_cpp_python-$version.tar.gz"
echo "$version" >"$folder/version"
