#!/usr/bin/env bash
# Builds llama.cpp's own server, for the processor only, from the source in PyPI's llama-cpp-python:
# build/llama-cpp/bin/llama-server (about ten minutes on two cores; nothing when it is there).
set -euo pipefail

version=0.3.36
root="$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.."
folder="$root/build/llama-cpp"
server="$folder/bin/llama-server"
[[ -x $server && $(cat "$folder/version" 2>/dev/null) == "$version" ]] && exit
mkdir -p "$folder"

venv="$folder/venv"
[[ -x $venv/bin/pip ]] || python3 -m venv "$venv"
# pip looks at a source package's metadata with its build backend.
"$venv/bin/pip" install --quiet scikit-build-core
"$venv/bin/pip" download --quiet --no-deps --no-build-isolation --no-binary :all: \
  --dest "$folder" "llama-cpp-python==$version"
tar -xzf "$folder/llama_cpp_python-$version.tar.gz" -C "$folder" \
  --strip-components=1 "llama_cpp_python-$version/vendor/llama.cpp"

# Built for a quick build, not for speed: the model of the tests is tiny.
cmake -S "$folder/vendor/llama.cpp" -B "$folder/build" -G Ninja -DCMAKE_BUILD_TYPE=None \
  -DCMAKE_CXX_FLAGS="-O0 -w" -DCMAKE_C_FLAGS="-O1 -w" -DBUILD_SHARED_LIBS=OFF \
  -DGGML_NATIVE=OFF -DGGML_OPENMP=OFF -DGGML_LLAMAFILE=OFF \
  -DLLAMA_BUILD_TESTS=OFF -DLLAMA_BUILD_EXAMPLES=OFF -DLLAMA_BUILD_APP=OFF \
  -DLLAMA_USE_PREBUILT_UI=OFF -DLLAMA_OPENSSL=OFF -DLLAMA_BUILD_NUMBER=1 -DLLAMA_BUILD_COMMIT=none
cmake --build "$folder/build" --target llama-server
mkdir -p "$folder/bin"
cp "$folder/build/bin/llama-server" "$server"
strip "$server"
rm -rf "$folder/build" "$folder/vendor" "$folder/llama_cpp_python-$version.tar.gz"
echo "$version" >"$folder/version"
