#!/usr/bin/env bash
# Measures how fast a class is judged: many different conv1d files, none of which has been compiled before, by `grade-class`.
# Where a control group can be made, it also says what that took of all processors, which other work on the machine does not change.
# Usage: tests/bench_class.sh BUILD [DEVICE] [FILES]
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1 device=${2:-auto} files=${3:-60}
scratch=$(mktemp -d)
group=''
finish() {
    [[ -z $group ]] || rmdir "$group" 2>/dev/null || true
    rm -rf "$scratch"
}
trap finish EXIT
export CONVJUDGE_CACHE=$scratch/cache CONVJUDGE_DB=$scratch/leaderboard.db TMPDIR=$scratch
mkdir "$scratch/submissions"

# Each file says one more thing to the compiler that no other file says, and that changes no result: gridDim.z is 1.
mapfile -t sources < <(ls solutions/conv1d/accepted/*.cu tests/student/conv1d*.cu solutions/conv1d/wrong_answer/*.cu \
    solutions/conv1d/compile_error/unknown_name.cu solutions/conv1d/run_time_error/{out_of_bounds_read,barrier_missing}.cu)
for ((i = 0; i < files; i++)); do
    { echo "// problem: conv1d"; sed "0,/blockIdx\.x/s/blockIdx\.x/(blockIdx.x + (gridDim.z - 1) * $((i + 2)))/" "${sources[i % ${#sources[@]}]}"; } \
        >"$scratch/submissions/student-$i.cu"
done
"$build/convjudge" grade --no-record --device "$device" --problem conv1d solutions/conv1d/accepted/naive.cu >"$scratch/log" 2>&1 ||
    { cat "$scratch/log" >&2; exit 1; } # the oracle is compiled now

for base in /sys/fs/cgroup/cpuacct /sys/fs/cgroup; do
    if [[ -z $group ]] && mkdir "$base/convjudge-bench.$$" 2>/dev/null; then group=$base/convjudge-bench.$$; fi
done
start=${EPOCHREALTIME/./}
(
    [[ -z $group ]] || { echo "$BASHPID" >"$group/cgroup.procs"; } 2>/dev/null || true
    exec "$build/convjudge" grade-class --device "$device" --dir "$scratch/submissions" --state "$scratch/state" --json "$scratch/result.json"
) >"$scratch/log" 2>&1 || { cat "$scratch/log" >&2; exit 1; }
elapsed=$((${EPOCHREALTIME/./} - start))

processor_us=''
if [[ -r $group/cpuacct.usage ]]; then processor_us=$(($(<"$group/cpuacct.usage") / 1000)); fi
if [[ -z $processor_us && -r $group/cpu.stat ]]; then processor_us=$(sed -n 's/^usage_usec //p' "$group/cpu.stat"); fi
figure() { printf '%-58s %12s %s\n' "$1" "$2" "$3"; } # NAME VALUE UNIT
figure "a class of $files conv1d files: $(jq -r '[.submissions[].verdict] | group_by(.) | map("\(length) \(.[0])") | join(", ")' "$scratch/result.json")" "" ""
figure "  judged, $(nproc) cores, device $device" "$((files * 3600 * 1000000 / elapsed))" "an hour"
if [[ -n $processor_us && $processor_us -gt 0 ]]; then
    figure "  processor time of one" "$(awk "BEGIN { printf \"%.2f\", $processor_us / $files / 1e6 }")" s
    figure "  as many as the cores would judge without other work" "$(awk "BEGIN { printf \"%d\", $(nproc) * 3600e6 * $files / $processor_us }")" "an hour"
fi
