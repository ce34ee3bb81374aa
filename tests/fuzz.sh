#!/usr/bin/env bash
# Fuzzes the readers of bytes that a submission, its compiler or another process wrote: SECONDS for each target of
# tests/fuzz/, under AddressSanitizer and UndefinedBehaviorSanitizer. Seeds are files of the repository, or the target
# makes them. An input that crashes, leaks or takes 20 s is kept in BUILD/fuzz/found; what it shows is repaired, and the
# input moves to tests/fuzz/found/TARGET, from where it is run again each time, also by simgpu/tests/test_found.c.
# Prints TAP.
# Usage: tests/fuzz.sh BUILD SECONDS
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1 seconds=$2
programs=$build/fuzz/tests/fuzz
targets=(fatbin ptx broker control execute machine_code)

printf '1..%d\n' "${#targets[@]}"
if ! why=$(harness/compilers.sh fuzzer 2>&1 >/dev/null); then # tests/run.sh has built none
    for i in "${!targets[@]}"; do printf 'ok %d %s # skip %s\n' $((i + 1)) "${targets[i]}" "$why"; done
    exit
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work"/{fatbin,ptx,broker,control,execute,machine_code} "$build/fuzz/found"
cp simgpu/tests/data/*.ptx "$work/ptx/"
cp simgpu/tests/data/*.ptx "$work/execute/"
cp simgpu/tests/data/*.fatbin "$work/fatbin/"
cp simgpu/tests/data/*.fatbin "$work/machine_code/"
grep -ohE '[.a-z][a-z0-9_]*(\.[a-z0-9_]+)+' simgpu/tests/data/*.ptx | sort -u | sed 's/.*/"&"/' >"$work/ptx.dict"

# request KIND BYTES [WORD...]: a request with a body of BYTES bytes that begins with the words (tests/fuzz/broker.c).
little_endian() { # VALUE BYTES
    local i bytes=''
    for ((i = 0; i < $2; i++)); do bytes+=$(printf '\\x%02x' $(($1 >> 8 * i & 255))); done
    printf %b "$bytes"
}
request() {
    local word
    little_endian "$1" 1
    little_endian 1 1
    little_endian "$2" 2
    for word in "${@:3}"; do little_endian "$word" 8; done
    head -c $(($2 - 8 * ($# - 2))) /dev/zero
}
# KIND is a value of RingKind (harness/protocol/ring.h). The seeds allocate, fill and write memory; create, wait for
# and destroy a stream; find and launch a kernel.
given=$((0xA5 << 56)) one=$((1 << 32))
{ printf '\1'; request 13 32 256 0 0 0; request 19 32 $given 7 64 0; request 16 32 $given 16 0 0; } >"$work/broker/memory"
{ printf '\1'; request 29 32 0 0 0 0; request 31 32 $given 0 0 0; request 30 32 $given 0 0 0; } >"$work/broker/streams"
{ printf '\1'; request 9 1032 0 0x676e6968746f6e; request 27 64 $given 0 $((one + 1)) $((32 * one + 1)) $((one + 1)) 0 8 0; } >"$work/broker/launch"
printf '\0' >"$work/broker/raw"
head -c 200 /dev/zero >>"$work/broker/raw"

CONVJUDGE_FUZZ_SEEDS="$work/control" "$programs/control"
CONVJUDGE_FUZZ_SEEDS="$work/execute" "$programs/execute"

for target in "${targets[@]}"; do
    if [[ -d tests/fuzz/found/$target ]]; then cp "tests/fuzz/found/$target"/* "$work/$target/"; fi
done

# fuzz NUMBER TARGET: one line of TAP; of a failure also the fuzzer's report, or the end of its log.
fuzz() {
    local log=$build/fuzz/$2.log options=() executions='' share=1
    if [[ -e $work/$2.dict ]]; then options=("-dict=$work/$2.dict"); fi
    if [[ $2 == execute ]]; then share=4; fi # most of what a submission can reach is behind it
    if "$programs/$2" -max_total_time=$((seconds < 600 ? seconds * share : seconds)) -timeout=20 -rss_limit_mb=3000 -max_len=65536 -print_final_stats=1 \
        -artifact_prefix="$build/fuzz/found/$2-" "${options[@]}" "$work/$2" >"$log" 2>&1; then
        executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    elif grep -qx 'out of memory' "$log" && grep -q 'fuzz target exited' "$log"; then
        executions="ended at the judge's own shortage of memory, as a broker must; some" # base/arena.h
    fi
    if [[ -n $executions ]]; then
        printf 'ok %d %s: %s executions\n' "$1" "$2" "$executions"
    else
        printf 'not ok %d %s\n' "$1" "$2"
        { grep -E -m 30 '^==|ERROR|SUMMARY|Test unit written|    #[0-9] ' "$log" || tail -n 15 "$log"; } | sed 's/^/# /'
        return 1
    fi
}
status=0
for i in "${!targets[@]}"; do fuzz $((i + 1)) "${targets[i]}" || status=1; done
exit "$status"
