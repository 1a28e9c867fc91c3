#!/usr/bin/env bash
# Evaluates a benchmark on a Slurm cluster: one array task for each shard, then a job that merges them.
#
#   examples/slurm/submit.sh DATASET OUT SHARDS [sbatch options] [-- zermelo eval options]
#   examples/slurm/submit.sh minif2f.jsonl runs/today 32 --time=4:00:00 --mem=16G -- --split test --model kimina
#
# OUT must be on a file system that all nodes see. Its report is OUT/report.html when both jobs have ended.
# A task that is stopped, killed or requeued goes on where it was; submit the same again for what is missing.
# ZERMELO: the program (default: the launcher of this repository; run it once before, so that it is built).
set -euo pipefail

if [[ $# -lt 3 ]]; then
  sed -n '2,10s/^# \{0,1\}//p' "$0" >&2
  exit 2
fi
here="$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")"
dataset="$(realpath "$1")"
mkdir -p "$2"
out="$(realpath "$2")"
shards="$3"
shift 3
batch_options=()
while [[ $# -gt 0 && $1 != -- ]]; do
  batch_options+=("$1")
  shift
done
[[ $# -gt 0 ]] && shift
export ZERMELO="${ZERMELO:-$here/../../zermelo}"

array="$(sbatch --parsable --array="1-$shards" --output="$out/shard-%a.log" "${batch_options[@]}" \
  "$here/shard.sbatch" "$dataset" "$out" "$@")"
array="${array%%;*}"
# Also after tasks that failed: the report says what is missing.
merge="$(sbatch --parsable --dependency="afterany:$array" --output="$out/merge.log" "${batch_options[@]}" \
  "$here/merge.sbatch" "$out")"
echo "array $array, merge ${merge%%;*}: $out/report.html"
