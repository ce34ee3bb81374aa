#!/usr/bin/env bash
# Measures how fast a class is judged: many different conv1d files, none of which has been compiled before, by `grade-class`.
# Where a control group can be made, it also says what that took of all processors, which other work on the machine does not change.
# Several devices, as in cuda:0,cuda for one GPU and then all of the host, get the same files one after the other, and are compared with the first.
# Usage: tools/bench_class.sh BUILD [DEVICE[,DEVICE]...] [FILES]
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1 files=${3:-60}
IFS=, read -ra devices <<<"${2:-auto}"
scratch=$(mktemp -d)
groups=() first_us=''
finish() {
    [[ ${#groups[@]} == 0 ]] || rmdir "${groups[@]}" 2>/dev/null || true
    rm -rf "$scratch"
}
trap finish EXIT
export TMPDIR=$scratch
mkdir "$scratch/submissions"

# Each file says one more thing to the compiler that no other file says, and that changes no result: blockDim.z is 1.
# Shared parts are put in their places below solutions/ only.
mapfile -t sources < <(grep -L '^#include "shared/' solutions/conv1d/accepted/*.cu tests/student/conv1d*.cu solutions/conv1d/wrong_answer/*.cu \
    solutions/conv1d/compile_error/unknown_name.cu solutions/conv1d/run_time_error/{out_of_bounds_read,barrier_missing}.cu)
for ((i = 0; i < files; i++)); do
    { echo "// problem: conv1d"; sed "0,/blockIdx\.x/s/blockIdx\.x/(blockIdx.x + (blockDim.z - 1) * $((i + 2)))/" "${sources[i % ${#sources[@]}]}"; } \
        >"$scratch/submissions/student-$i.cu"
done

logged() { # COMMAND...: its output is shown if it fails
    "$@" >"$scratch/log" 2>&1 || { cat "$scratch/log" >&2; exit 1; }
}
figure() { printf '%-58s %12s %s\n' "$1" "$2" "$3"; } # NAME VALUE UNIT
join_group() { [[ -z $group ]] || { echo "$BASHPID" >"$group/cgroup.procs"; } 2>/dev/null || true; }

measure() { # DEVICE FOLDER: the folder for what is compiled and recorded
    local base group='' name=convjudge-bench.$$.${#groups[@]} start elapsed_us processor_us=''
    export CONVJUDGE_CACHE=$2/cache CONVJUDGE_DB=$2/leaderboard.db
    mkdir "$2"
    logged "$build/convjudge" grade --no-record --device "$1" --problem conv1d solutions/conv1d/accepted/naive.cu # the oracle is compiled now
    for base in /sys/fs/cgroup/cpuacct /sys/fs/cgroup; do
        if [[ -z $group ]] && mkdir "$base/$name" 2>/dev/null; then group=$base/$name; fi
    done
    [[ -z $group ]] || groups+=("$group")
    start=${EPOCHREALTIME/./}
    (join_group; logged "$build/convjudge" grade-class --device "$1" --dir "$scratch/submissions" --state "$2/state" --json "$2/result.json")
    elapsed_us=$((${EPOCHREALTIME/./} - start))
    if [[ -r $group/cpuacct.usage ]]; then processor_us=$(($(<"$group/cpuacct.usage") / 1000)); fi
    if [[ -z $processor_us && -r $group/cpu.stat ]]; then processor_us=$(sed -n 's/^usage_usec //p' "$group/cpu.stat"); fi

    figure "a class of $files conv1d files: $(jq -r '[.submissions[].verdict] | group_by(.) | map("\(length) \(.[0])") | join(", ")' "$2/result.json")" "" ""
    jq -r '.submissions[] | select(.verdict | IN("Accepted", "Wrong Answer", "Run-Time Error", "Compile Error") | not) | "\(.person | ltrimstr("student-")) \(.verdict)"' "$2/result.json" |
        while read -r number verdict; do figure "  $verdict, which none of them deserves" "" "${sources[number % ${#sources[@]}]}"; done
    figure "  judged, $(nproc) cores, device $1" "$((files * 3600 * 1000000 / elapsed_us))" "an hour"
    if [[ -n $processor_us && $processor_us -gt 0 ]]; then
        figure "  processor time of one" "$(awk "BEGIN { printf \"%.2f\", $processor_us / $files / 1e6 }")" s
        figure "  as many as the cores would judge without other work" "$(awk "BEGIN { printf \"%d\", $(nproc) * 3600e6 * $files / $processor_us }")" "an hour"
    fi
    if [[ -n $first_us ]]; then
        figure "  that of ${devices[0]}, times" "$(awk "BEGIN { printf \"%.2f\", $first_us / $elapsed_us }")" ""
    fi
    first_us=${first_us:-$elapsed_us}
}

for i in "${!devices[@]}"; do measure "${devices[i]}" "$scratch/measured-$i"; done
