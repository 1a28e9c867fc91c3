#!/usr/bin/env bash
# Checks C++ files with clang-format, shell scripts with shellcheck and Python with pyflakes. `--fix` formats the C++
# files first. Exits with 77 (skipped; in CI with 1) when a tool is missing; `./zermelo test` installs them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

for tool in clang-format-16 shellcheck pyflakes3; do
  if ! command -v "$tool" >/dev/null; then
    echo "skipped: $tool is not installed (./zermelo test installs it)"
    exit "$([[ -n ${CI:-} ]] && echo 1 || echo 77)"
  fi
done

failed=0

mapfile -t sources < <(find src -name '*.h' -o -name '*.cc' | sort)
if [[ ${1:-} == --fix ]]; then clang-format-16 -i "${sources[@]}"; fi
clang-format-16 --dry-run --Werror "${sources[@]}" || failed=1

is_shell_script() {
  local first=
  IFS= read -r first <"$1" || true
  [[ $1 == *.sh || $first =~ ^\#!.*[/\ ](ba)?sh( |$) ]]
} 2>/dev/null # a binary file has null bytes

scripts=()
while IFS= read -r file; do
  if is_shell_script "$file"; then scripts+=("$file"); fi
done < <(find . \( -name .git -o -name build -o -name node_modules \) -prune -o \
  -type f -size -256k -print | sort)
shellcheck "${scripts[@]}" || failed=1

mapfile -t programs < <(find . \( -name .git -o -name build -o -name node_modules \) -prune -o \
  -type f -name '*.py' -print | sort)
pyflakes3 "${programs[@]}" || failed=1

if ((failed)); then
  echo "FAILED, see above; tests/format.sh --fix formats the C++ files"
else
  echo "${#sources[@]} C++ files, ${#scripts[@]} shell scripts and ${#programs[@]} Python programs are as they should be"
fi
exit $failed
