#!/usr/bin/env bats
# `convjudge grade`, as students and scripts use it.

bats_require_minimum_version 1.5.0
load helper
load processes.sh

@test "an accepted submission has a report, exit status 0 and a row in the database" {
    submission >x.cu
    judge grade --as Ada x.cu
    ends 0 "Accepted" "modelled" "GFLOP/s" "GB/s" "roofline" "naive"
    counts 1 '^compile  +[0-9.]+ s( \(cached\))?, [0-9]+ registers, 0 bytes shared, 0 bytes spilled$'
    stored 'SELECT person, verdict FROM runs' "Ada|Accepted"
}

@test "--json - writes the result and nothing else to standard output" {
    submission >x.cu
    "$build/convjudge" grade --json - x.cu >out.json 2>/dev/null
    json out.json '[.schema, .verdict, .problem, .device, (.cases | length > 10), (.score_ms > 0), (.uncertainty > 0),
        (.percentile.references.n >= 5), (.gflops > 0), (.gbytes_per_s > 0), (.compile.registers > 0), (.warnings | type),
        .sandbox] | join(" ")' "1 Accepted conv1d sim-h200 true true true true true true true array full"
}

@test "--seed repeats the hidden data of a grading, which is not recorded; another grading has other data" {
    local i traps='' # on one of 256 lines, by bits of the data
    for i in {0..255}; do traps+=$'\n'"if (bits == $i) __trap();"; done
    submission '' "int bits = input_size > 99 && input[1] * 1024 != rintf(input[1] * 1024) ? __float_as_uint(input[1]) >> 3 & 255 : -1;$traps" >x.cu
    judge grade --no-record --json one.json x.cu
    ends 1 "__trap();"
    judge grade --no-record --json other.json x.cu
    judge grade --no-record --json third.json x.cu
    judge grade --seed "$(jq -r .seed one.json)" --json again.json x.cu
    ends 1 "Run-Time Error"
    rows 0
    json again.json '.seed, .text, .rank_status' "$(jq -r '.seed, .text, "not ranked: not accepted"' one.json)"
    [[ $(jq -r .text one.json other.json third.json | sort -u | wc -l) -gt 1 ]]
    [[ "$(jq -r .seed one.json)" =~ ^[0-9a-f]{64}$ && "$(jq -r .seed one.json)" != "$(jq -r .seed other.json)" ]]
}

@test "every case of result.json has a name and a verdict, every one but hidden ones its errors, every timed one its times" {
    submission >x.cu
    judge grade --json result.json x.cu
    ends 0
    json result.json '.cases | all(.name and .verdict and (.timed | type == "boolean") and
        ([has("max_error", "mean_error", "bound")] | unique) == [.name | startswith("hidden") | not]) and (map(select(.timed)) | length >= 2 and all(.time_ms > 0 and (.samples | length >= 1)))' true
    json result.json '[.cases[].name | select(. == "hidden 1")] | length' 1
}

@test "work that a submission does once for all later calls is part of its time" {
    judge grade --no-record --json result.json "$root/tests/attacks/work_in_the_first_call.cu"
    ends 0 "Accepted"
    json result.json '.score_ms > 100 and ([.cases[] | select(.timed) | .samples | length == 1 and .[0].busy_ms > 100] | all)' true
}

@test "so is work of constructors, which the submission is told of" {
    sed 's/1 << 23/1 << 22/; s/if (!is_made)/if (false)/; s/^extern "C" void solve/static int early() { make_table<<<1, 1>>>(); return 0; }\nint begun = early();\n&/' \
        "$root/tests/attacks/work_in_the_first_call.cu" >x.cu
    judge grade --no-record --json result.json x.cu
    ends 0 "Accepted" "warning: a call kept the device busy for much longer than the timed calls; the rest of its time was spread over them: " " ms each"
    json result.json '[.cases[] | select(.timed) | .samples[0] | .charged_ms > 50 and .busy_ms < 1] | all' true
}

@test "a failed hidden case shows its number and the kind of mistake, never data" {
    submission '' 'if (input_size - kernel_size > 100 && i == 7) { output[i] = 12345.678f; return; }' >x.cu
    judge grade --json result.json x.cu
    ends 1 "Wrong Answer" "hidden" "The numbers of hidden cases stay hidden, so that nobody can reconstruct them. This case fails, too:"
    lacks "12345"
    file_lacks result.json 12345
}

@test "the command that is shown after a hidden failure fails where it is typed" {
    local command
    mkdir "a folder" elsewhere
    submission '' 'if (input_size - kernel_size > 100 && i == 7) { output[i] = 12345.678f; return; }' | grep -v "^// problem:" >"a folder/x.cu"
    cd elsewhere
    judge grade --no-record --untimed --problem conv1d "../a folder/x.cu"
    ends 1 "hidden" "    convjudge try --sizes input_size=" " --seed 1 --problem conv1d -- '../a folder/x.cu'" # the home of the tests has no Makefile
    unset CONVJUDGE_HOME
    judge grade --no-record --untimed --problem conv1d "../a folder/x.cu"
    ends 1 "hidden"
    command=$(grep -A1 "This case fails, too:" <<<"$output" | tail -1)
    [[ $command == "    make -C "*" try SUB='../a folder/x.cu' SIZES=input_size="*",kernel_size="*" SEED=1 PROBLEM=conv1d" ]]
    run bash -c "$command"
    ends 1 "Wrong Answer" "got 12345.6" "SEED=1"
}

@test "no command is shown that would say Accepted, and none to a reader who is elsewhere" {
    submission '' 'if (input_size == 1037 && kernel_size == 14 && i == 7) { output[i] = 12345.678f; return; }' >x.cu
    judge grade --no-record --untimed x.cu
    ends 1 "hidden" "nobody can reconstruct them. " "The judge tried " " other cases, and all were right."
    lacks "try --sizes"
    submission '' 'if (input_size - kernel_size > 100 && i == 7) { output[i] = 12345.678f; return; }' >y.cu
    judge grade --no-record --untimed --gradescope results.json y.cu
    ends 1 "These sizes fail, too:" "    input_size="
    lacks "try --sizes"
}

@test "a failed sample case shows sizes, expected and got" {
    submission '' 'if (i == 1) { output[i] = 12345; return; }' >x.cu
    judge grade x.cu
    ends 1 "Wrong Answer" "12345" "expected" "input_size" " elements are wrong" " (off by " ", allowed "
}

@test "an output element that is never written is reported" {
    submission '' 'if (i == 1) return;' >x.cu
    judge grade x.cu
    ends 1 "Wrong Answer" "never written" ", got NaN"
}

@test "a file that names no problem is matched by its signature" {
    submission | grep -v 'problem:' >x.cu
    judge grade --json result.json x.cu
    ends 0
    json result.json .problem conv1d
}

@test "--problem overrides the line in the file" {
    submission | sed 's/problem: conv1d/problem: conv2d/' >x.cu
    judge grade --problem conv1d x.cu
    ends 0
}

@test "older files that include solve.h and leave out extern C are accepted" {
    submission | sed 's/extern "C" //; s/#include <stdio.h>/#include "solve.h"/' >x.cu
    judge grade x.cu
    ends 0 "Accepted"
}

@test "--no-record leaves the database alone" {
    submission >x.cu
    judge grade --no-record x.cu
    ends 0 "Accepted"
    rows 0
}

@test "--untimed leaves out the timed cases and the database" {
    submission >x.cu
    judge grade --untimed --json result.json x.cu
    ends 0 Accepted 'not ranked: without timed cases (--untimed)'
    json result.json '[.cases[] | select(.timed)] | length' 0
    json result.json '[.cases[] | select(.name | startswith("hidden"))] | length > 0' true
    rows 0
}

@test "progress is plain lines without colour if the output is not a terminal" {
    submission >x.cu
    unset NO_COLOR
    judge grade x.cu
    ends 0
    local hidden
    hidden=$(jq '[.cases[] | select(has("timed") | not)] | length' "$light/hidden.json")
    has_lines "hidden cases        $hidden of $hidden accepted"
    lacks $'\033'
    lacks $'\r'
    lacks '[...'
}

@test "progress has colour and a bar on a terminal" {
    submission >x.cu
    unset NO_COLOR
    TERM=xterm run script -qec "'$build/convjudge' grade x.cu" /dev/null
    ends 0 $'\033[1;32mAccepted\033[0m' "[..............................] 0/4"
    local bars filled step count # which steps are shown, the machine's pace decides
    bars=$(grep -oE '\[#+\.+\] [0-9]+/[0-9]+' <<<"${output//█/#}" | tr -d '[].' | tr / ' ')
    [[ -n $bars ]] || { echo "no bar is filled in part: $output"; return 1; }
    while read -r filled step count; do equal $((30 * step / count)) ${#filled}; done <<<"$bars"
    lacks "0/24"
}

@test "solve() that does not wait for its kernels is accepted, with a note" {
    local note='solve() returned before its kernels had finished. That is allowed. To see their errors in solve(), call cudaDeviceSynchronize() first'
    submission | sed '/cudaDeviceSynchronize/d' >x.cu
    judge grade --json result.json x.cu
    ends 0 "Accepted" "  note: $note"
    json result.json '.note' "$note"
    json result.json '.warnings | length' 0
}

@test "a result that is copied to the output on the device is accepted, with a warning" {
    local warning='solve() copies its results to the output on the device, which costs time'
    judge grade --json result.json "$root/tests/student/conv1d_copies_result.cu"
    ends 0 "Accepted" "  warning: $warning: let the kernel write to the output directly"
    json result.json '[.warnings[] | select(startswith("'"$warning"'"))] | length' 1
}

@test "an answer computed on the CPU breaks the rules" {
    judge grade "$root/solutions/conv1d/rule_violation/computed_on_the_cpu.cu"
    ends 1 "Rule Violation"
}

@test "the same submission has the same modelled time again" {
    submission >x.cu
    judge grade --json first.json x.cu
    ends 0
    judge grade --json second.json x.cu
    ends 0
    json first.json '.score_ms > 0' true
    json second.json .score_ms "$(jq .score_ms first.json)"
}

# signalled SIGNAL PATTERN: grades x.cu, and sends the judge the signal as soon as the command line of one of its
# processes matches. The judge must end by the signal, and leave no process behind. (Bash has its background jobs
# ignore INT.)
signalled() {
    "$build/tests/leftovers" env --default-signal=INT "$build/convjudge" grade x.cu >printed 2>&1 &
    local leftovers=$!
    wait_until descendant $leftovers "$2" >/dev/null
    kill -s "$1" "$(descendant $leftovers '*')"
    status=0
    wait $leftovers || status=$?
    output=$(<printed)
    ends $((128 + $(kill -l "$1")))
}

@test "an interrupted grading leaves no process, no file and no row behind" {
    submission 'for (volatile int i = 0;; i++) {}' >x.cu
    signalled INT '/judge/convjudge-runner *'
    equal '' "$(ls -A "$TMPDIR")"
    rows 0
}

@test "where the budget of a grading ends among the hidden cases, the words are the same for all" {
    limited_home 's/"sim_warp_instructions": [0-9]*/"sim_warp_instructions": 90000, "sim_grading_warp_instructions": 90000/'
    judge grade --no-record "$root/solutions/conv1d/accepted/naive.cu"
    ends 1 "Time Limit Exceeded" "the budget of the grading is used up"
}

@test "where the budget of a grading ends before a load, no constructor is to blame" {
    limited_home 's/"sim_warp_instructions": [0-9]*/"sim_warp_instructions": 70000, "sim_grading_warp_instructions": 70000/'
    judge grade --no-record "$root/solutions/conv1d/accepted/naive.cu"
    ends 1 "sample cases        4 of 4 accepted" "Time Limit Exceeded" "the budget of the grading is used up"
    lacks "constructor"
}

@test "--help lists the options, --version prints the version" {
    judge grade --help
    ends 0 "--problem" "--json" "--no-record"
    judge --version
    ends 0 "convjudge"
}

@test "a grading killed at any step leaves no process behind" {
    submission 'for (volatile int i = 0;; i++) {}' >x.cu
    export CONVJUDGE_CACHE=$PWD/cache
    local process
    for process in '*' '/proc/self/exe broker *' '/toolkit/bin/nvcc *' '/judge/convjudge-runner *'; do
        signalled KILL "$process"
    done
}
