#!/usr/bin/env bash
# A sweep as a job array of Slurm, a shard a task:
#
#   sbatch --wait --array=1-8 scenarios/cluster/slurm.sh out/seats herd-100 --vary provider.seats=1..40/40
#   simulate merge out/seats-* --out out/seats
#
# --shard slurm reads the task's number and how many there are from the array, so the
# numbers need only follow one another. A task that was killed or requeued goes on where it
# stopped; resubmitting one, sbatch --array=3-3, would be another array, so write its shard
# instead: simulate sweep ... --shard 3/8 --out out/seats-3.
#
# What follows suits small shards: a core and a gigabyte each. A sweep's memory does not
# grow with its length.
#SBATCH --job-name=stampede
#SBATCH --cpus-per-task=1
#SBATCH --mem=1G
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=stampede-%A-%a.log
set -euo pipefail
[ $# -ge 2 ] || { echo "write: sbatch --array=1-N slurm.sh DIR SCENARIO [FLAGS OF sweep ...]" >&2; exit 2; }
dir=$1
shift

# Slurm sends TERM before it kills: what is finished is then on disk within two seconds.
# A shard in which an `expect` fails ends with 1 and is whole all the same.
exec simulate sweep "$@" --shard slurm --out "$dir-$SLURM_ARRAY_TASK_ID" --jobs "${SLURM_CPUS_PER_TASK:-1}" --quiet
