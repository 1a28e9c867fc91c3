#!/usr/bin/env bash
# Evaluates a benchmark on a Slurm cluster: one array task per shard, then a job that merges them.
#
#   examples/slurm/submit.sh DATASET OUT SHARDS [sbatch options] [-- zermelo eval options]
#   examples/slurm/submit.sh minif2f.jsonl runs/today 32 --time=4:00:00 --mem=16G -- --split test --model kimina
#
# OUT must be on a file system that all nodes share. When both jobs have ended, the report is OUT/report.html.
# A task that was stopped, killed or requeued resumes; submit the same command again to finish missing problems.
# ZERMELO: path of the program (default: this repository's launcher; run it once beforehand to build it).
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
# Runs also after failed tasks: the report says what is missing.
merge="$(sbatch --parsable --dependency="afterany:$array" --output="$out/merge.log" "${batch_options[@]}" \
  "$here/merge.sbatch" "$out")"
echo "array $array, merge ${merge%%;*}: $out/report.html"
