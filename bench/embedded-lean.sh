#!/usr/bin/env bash
# bench: the embedded Lean: start, checks, memory, two workers (about 4 minutes)
set -euo pipefail
embedded="$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../embedded"
exec "$embedded/build/bin/node" "$embedded/bench.mjs" "$@"
