#!/usr/bin/env bash
# A sweep in shards by GNU parallel, on the cores of this machine or of many:
#
#   scenarios/cluster/parallel.sh SHARDS DIR SCENARIO [FLAGS OF sweep ...]
#   scenarios/cluster/parallel.sh 8 out/seats herd-100 --vary provider.seats=1..40/40
#
# What it comes to is in DIR, the same bytes as one sweep without shards. Interrupted, or
# with a machine gone, it is started again with the same words and goes on where each shard
# stopped.
#
# JOBS=4      how many shards at once (default: as many as there are cores)
# HOSTS=file  machines to run them on, one a line as --sshloginfile of parallel takes them;
#             each needs `simulate` on its PATH, and DIR on a file system that all share
set -euo pipefail
[ $# -ge 3 ] || { echo "write: parallel.sh SHARDS DIR SCENARIO [FLAGS]" >&2; exit 2; }
shards=$1 dir=$2
shift 2

# -q keeps the flags as they are; @@ is the shard's number. More shards than jobs even out
# cells that take longer than others. A shard in which an `expect` fails ends with 1 and is
# whole all the same: merge refuses those that are not.
seq "$shards" | parallel -q -I @@ --jobs "${JOBS:-100%}" ${HOSTS:+--sshloginfile "$HOSTS" --workdir .} \
	simulate sweep "$@" --shard "@@/$shards" --out "$dir-@@" --jobs 1 --quiet >/dev/null || true

parts=()
for i in $(seq "$shards"); do parts+=("$dir-$i"); done
simulate merge "${parts[@]}" --out "$dir"
