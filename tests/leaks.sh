#!/usr/bin/env bash
# Measures what a submission can tell its author about hidden data. Prints TAP. tests/leaks/tell.cu is graded on cases that hold
# a secret, which it tries to tell in one way after the other. All that its author sees (terminal, result.json, database,
# exit status) is held against what it is with another secret. Both must be alike, except for what docs/explanation/security.md states.
# Usage: [DEVICE=cuda] [ALL_CASES=1] tests/leaks.sh BUILD [WAY]...     WAY: its number or name below; without any all of them; `list` prints these
# ALL_CASES=1: every case is judged for points, which the author does not see
set -euo pipefail
shopt -s extglob
cd "$(dirname "$0")/.."
root=$PWD
build=$(realpath "$1")
wanted=" ${*:2} "
device=${DEVICE:-sim}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export CONVJUDGE_HOME=$scratch/home TMPDIR=$scratch NO_COLOR=1
mkdir -p "$CONVJUDGE_HOME/problems" "$CONVJUDGE_HOME/testcases/conv1d"
for folder in base grader harness simgpu leaderboard; do ln -s "$root/$folder" "$CONVJUDGE_HOME/$folder"; done
cp -r problems/conv1d "$CONVJUDGE_HOME/problems"
# the least that a timed case needs: what is measured here is words, not time. The host keeps its seconds: a busy machine takes some of them.
jq ".limits += {device_seconds: 1, sim_warp_instructions: 10000000} | .timing = {blocks: 3, warm_up_calls: 1, timed_calls: 15}" \
    problems/conv1d/problem.json >"$CONVJUDGE_HOME/problems/conv1d/problem.json"
cp testcases/conv1d/sample.json "$CONVJUDGE_HOME/testcases/conv1d"
# shellcheck disable=SC2016 # the variables are jq's
cases='{schema: 1, cases: ([1, 0 | {name: "secret \(.)", why: "holds a secret", sizes: {input_size: 64, kernel_size: 1}, inputs: {
        input: {values: ([12345, $way, $secret, .] + [range(60) | 0.5])}, kernel: {values: [1]}}}]
    + [{name: "timed", why: "the time", timed: true, sizes: {input_size: 1000, kernel_size: 5},
        inputs: {input: {generator: "uniform"}, kernel: {generator: "uniform"}}}])}'

# What differs between any two gradings: durations, of which that of the hidden cases must be one of few, the date, the key of the data, and on a real GPU all times.
ordinary='del(.time_utc, .seed, .second_sitting, .score_ms, .uncertainty, .gflops, .gbytes_per_s, .roofline, .blocks, .anchor, .clock_gap_us, .launch_us, .launch_spread_us, .usual_launch_us, .host_constant_us, .percentile,
        .compile.seconds, .compile.cached, .seconds.start, .seconds.compile, .seconds.sample, .seconds.timed, .seconds.open, .seconds.wait,
        .seconds.check)
    | .seconds.hidden |= if . >= 0.25 and (. | log2 | floor == .) then "one of few" else . end
    | (.cases[] | select(.timed)) |= {name, verdict, text, counters}'

tell() { # WAY SECRET: grades, and writes everything that the author sees to `seen`
    local status device=$device way=$1 file=tests/leaks/tell.cu opinion=
    if [[ $way == *.cu ]]; then way=0 file=tests/attacks/$1; fi
    # Another simulated GPU stands in for a real one, which gets a second opinion.
    if [[ $way -ge 1000 ]]; then device=sim:a100 opinion=sim:h200; fi
    jq -n --argjson way "$way" --argjson secret "$2" "$cases" >"$CONVJUDGE_HOME/testcases/conv1d/hidden.json"
    # On a busy machine an opinion may come too late by chance. What makes it late each time is told, and found.
    for _ in 1 2 3; do
        rm -f "$scratch/result" "$scratch/db"
        status=0
        CONVJUDGE_DB=$scratch/db CONVJUDGE_SECOND_OPINION=$opinion "$build/convjudge-patient" grade --as Ada --device "$device" --json "$scratch/result" ${ALL_CASES:+--all-cases "$scratch/all"} "$file" \
            >"$scratch/printed" 2>&1 || status=$?
        grep -q 'it was not ready in time' "$scratch/printed" || break
    done
    {
        echo "exit status $status"
        sed -E '/^compile /d; s/[0-9.]+ us ± .*//; s/, SM clock .*//; s/ +/ /g; /^ +[0-9a-f]{64}$|±|GFLOP|^ (time|timed|>|timed case .*|clock) .*/d' "$scratch/printed"
        jq "$ordinary" "$scratch/result" || true
        [[ ! -e $scratch/result ]] || cmp <(jq .cases "$scratch/result") <(sqlite3 "$scratch/db" 'SELECT cases FROM runs' | jq .) || true
    } >"$scratch/seen" 2>&1
}

# shellcheck disable=SC2016 # the quotes are those of the report
# without CHANNEL: takes what this channel may carry out of `seen`
without() {
    case $1 in
        line) sed -E 's/ \(tell\.cu:[0-9]+: `[^`]*`\)//g' ;;
        array) sed -E "s/(past the end|before the start) of array '[^']*'/array/g" ;; # the side is chance: it depends on where the arrays lie
        call) sed -E 's/cuda[A-Za-z0-9]*\(\) fails/call/' ;;
        error) sed -E '/^ +(errors up to|"max_error":) /d; s/,$//' ;;
        *) cat ;;
    esac
}

# A way to tell (its number in tell.cu, or the name of an attack), the channel that it may use and how many different things it may tell there, the secrets, and words. `case` and `kind`
# stand for the number of the case that fails and the kind of mistake, which change all that follows.
ways() {
    cat <<'END'
1  none     1 0 1       text in a note of a failed call
2  none     1 0 1       the error in such a note
3  call     2 0 1       the CUDA call that fails
4  none     1 0 1       the name of a kernel that cannot be launched
5  none     1 0 1       the grid of such a kernel
6  none     1 0 1       the shared memory of such a kernel
7  none     1 0 1       what kernels print
8  none     1 0 1       what the host prints
9  none     1 0 1       the place of a read that nobody wrote
10 none     1 0 1       the place of a race in a warp
11 none     1 0 1       the lane of a shuffle
12 line     2 0 5       how many findings there are
13 none     1 0 1 4     how long it sleeps
14 none     1 0 1       how many kernels it launches
15 none     1 0 1       how much device memory it uses
16 none     1 0 1       the name of a call that does not exist
17 kind     2 0 1       whether there is a warning
18 none     1 0 1       how much address space it asks for
30 none     1 0 1       the words of an assertion
31 none     1 0 1       the name of a kernel that traps
32 none     1 0 1       the place of a write
33 none     1 0 1       the place of a read
34 none     1 0 1       an address that is no memory, low
35 none     1 0 1       an address that is no memory, high
36 none     1 0 1       an address that is misaligned
37 none     1 0 1       the place of a write to shared memory
38 none     1 0 1       the place of a race
39 none     1 0 1       an exit status
40 none     1 0 1       a signal
41 none     1 0 1       the words of an exception
42 none     1 0 1       the size of an allocation that is refused
43 none     1 0 1       how host memory is used up
44 none     1 0 1       how many elements are wrong
45 none     1 0 1       which element is wrong
46 none     1 0 1       where NaN is
47 error    4 3 5 6 7   how large the errors are
48 none     1 0 1       which input is changed
49 line     2 0 1       the line of a fault
50 none     1 0 1       lines and names of files by #line
51 none     1 0 1       where a kernel spins for ever
52 none     1 0 1       the thread at a barrier
53 none     1 0 1       the depth of a recursion
54 none     1 0 1       a request that does not exist
55 none     1 0 1       text in a note, and a wrong output
56 none     1 0 1       the place of a read that nobody wrote, and a wrong output
57 case     2 0 1       which case fails
58 none     1 0 1       what the case does that follows a failure
59 none     1 0 1       a warning before a failure
60 kind     2 0 1       the kind of mistake
61 none     1 0 1 2     how large errors are that are accepted
62 none     1 0 1       patterns of wrong elements
63 array    2 0 1       which array it leaves
64 none     1 0 1       the name of an array that the source does not hold
65 kind     2 0 1       on which side it leaves an array
66 line     2 0 1       the lines of work that nothing orders
67 none     1 0 1       the size of such work
1033 none   1 0 1       the place of a read, to a second opinion
1047 none   1 3 5       how large the errors are, to a second opinion
1049 line   2 0 1       the line of a fault, to a second opinion
1013 kind   2 0 1 4     how long it sleeps, to a second opinion
tell_by_failed_calls.cu line 2 0 1 kernels and calls that fail
tell_by_assertions.cu   none 1 0 1 an assertion
tell_by_lines.cu        none 1 0 1 lines and files
tell_by_time.cu         none 1 0 1 time, kernels, prints
END
}

compare() { # NUMBER WAY CHANNEL MOST SECRETS NAME: one line of TAP
    local secret secrets all rest
    read -ra secrets <<<"$5"
    for secret in "${secrets[@]}"; do
        tell "$2" "$secret"
        mv "$scratch/seen" "$scratch/seen.$secret"
    done
    all=$(for secret in "${secrets[@]}"; do md5sum <"$scratch/seen.$secret"; done | sort -u | wc -l)
    rest=$(for secret in "${secrets[@]}"; do without "$3" <"$scratch/seen.$secret" | md5sum; done | sort -u | wc -l)
    if [[ $all -le $4 && ($rest == 1 || $3 == case || $3 == kind) ]]; then
        echo "ok $1 - $6"
    else
        echo "not ok $1 - $6: $all different things are seen, $rest without the channel '$3'; expected at most $4"
        diff "$scratch/seen.${secrets[0]}" "$scratch/seen.${secrets[-1]}" | sed 's/^/# /' | head -40 || true
    fi
}

chosen() {
    ways | awk -v wanted="$wanted" 'wanted == "  " || index(wanted, " " $1 " ")'
}

if [[ $wanted == " list " ]]; then
    ways | cut -d ' ' -f 1
    exit
fi
echo "1..$(chosen | wc -l)"
number=0
while read -r way channel most rest; do
    number=$((number + 1))
    name=${rest##+([0-9 ])}
    compare "$number" "$way" "$channel" "$most" "${rest%"$name"}" "$name"
done < <(chosen) | tee "$scratch/tap"
! grep -q '^not ok' "$scratch/tap"
