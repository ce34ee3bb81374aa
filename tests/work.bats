#!/usr/bin/env bats
# convjudge work: takes jobs from a server, judges them, and reports how each has ended, whatever happens meanwhile. The server here is
# tests/fake/work_server.py, over the folder spool/.

load helper
# shellcheck source=/dev/null
source "$BATS_TEST_DIRNAME/processes.sh"

# The revision of conv1d, as every result names it.
setup_file() {
    root=$(cd "$BATS_TEST_DIRNAME/.." && pwd) build=${CONVJUDGE_BUILD:-$root/build}
    light_home
    echo 'nonsense' >"$BATS_FILE_TMPDIR/x.cu"
    "$build/convjudge" grade --problem conv1d --device sim --no-record --json "$BATS_FILE_TMPDIR/result.json" \
        "$BATS_FILE_TMPDIR/x.cu" >/dev/null 2>&1 || true
}

serve() {
    "$root/tests/fake/work_server.py" "$PWD/socket" spool 3>&- &
    server=$!
    wait_until test -S socket
}

teardown() {
    [[ -z ${worker:-} ]] || { kill -9 "$worker" && wait "$worker"; } 2>/dev/null || true
    [[ -z ${server:-} ]] || { kill "$server" && wait "$server"; } 2>/dev/null || true
}

# source_hash FILE: the hash of a source as result.json has it: of its length in 8 bytes, the lowest first, and its bytes.
source_hash() {
    local length byte
    length=$(stat -c %s "$1")
    {
        for byte in 0 1 2 3 4 5 6 7; do printf '%b' "\\x$(printf %02x $((length >> 8 * byte & 255)))"; done
        cat "$1"
    } | sha256sum | cut -d' ' -f1
}

# offer JUDGING FILE [JQ]: offers the file as attempt 1 of a judging; JQ changes the job.
offer() {
    [[ -n ${server:-} ]] || serve
    jq -n --rawfile source "$2" --arg hash "$(source_hash "$2")" --argjson judging "$1" \
        --arg revision "$(jq -r .revision "$BATS_FILE_TMPDIR/result.json")" '{judging: $judging, attempt: 1,
            mode: "rank", problem: "conv1d", revision: $revision, source_hash: $hash, source: $source, file_name: "mine.cu",
            person: "ada", time_limit_s: 100}'" | ${3:-.}" >offered
    mv offered "spool/ready/$1-1.json"
}

# work: a worker that judges one job.
work() { judge work --server socket --state state --device sim --name w --once "$@"; }

# start NAME: starts a worker, whose process id is $worker.
start() {
    "$build/convjudge" work --server socket --state state --device sim --name "$1" >"$1.log" 2>&1 3>&- &
    worker=$!
}

# left: what is under way; empty if nothing is.
left() { find spool/ready spool/claimed spool/beat -type f; }

done_has() { json "spool/done/$1-1.json" "$2" "$3"; }

# failed JUDGING WHY: the attempt ended as a failure of the worker.
failed() { # JUDGING WHY [OUTCOME]
    done_has "$1" .outcome "${3:-worker_failed}"
    done_has "$1" .why "$2"
    done_has "$1" '.result + .report + .explain' ''
    done_has "$1" 'has("run")' false
}

# hanging: a file on which the grader is busy for a while.
hanging() { submission 'sleep(100);'; }

@test "an accepted submission is reported with result, run, report and advice" {
    submission >x.cu
    offer 12 x.cu
    work
    ends 0 'event=claimed judging=12 attempt=1 worker=w' 'event=judged judging=12 attempt=1 worker=w'
    equal '' "$(left)"
    done_has 12 '[.judging, .attempt, .worker, .outcome, .why, .device] | join(" ")' '12 1 w judged  sim-h200'
    done_has 12 .source_hash "$(source_hash x.cu)"
    done_has 12 '.result | fromjson | [.verdict, .rank_status, .file, .person] | join(" ")' 'Accepted ranked mine.cu ada'
    done_has 12 '.explain | fromjson | has("cases")' true
    done_has 12 '.result | fromjson | .look.case as $name | [.cases[] | select(.name == $name).timed] | join("")' false
    done_has 12 '.result | fromjson | .look | (.accesses | length > 0) and (.kernels | length > 0)' true
    done_has 12 '.run | [.verdict, .rank_status, .person, .problem, .file_name] | join(" ")' 'Accepted ranked ada conv1d mine.cu'
    done_has 12 '.run.score_ms == (.result | fromjson | .score_ms)' true
    done_has 12 '.report | startswith("Accepted")' true
    done_has 12 '.report | test("\u001b|progress|recorded  ")' false
    done_has 12 '.report | endswith("times as fast.\n")' true
    done_has 12 '.result | fromjson | has("run")' false
    CONVJUDGE_DB=state/workers/w/judged.db rows 1
    rows 0
}

@test "with --no-explain nobody asks where the time goes" {
    submission >x.cu
    offer 1 x.cu
    work --no-explain
    ends 0 'event=judged judging=1 attempt=1 worker=w'
    done_has 1 '[.outcome, (.result | fromjson | .verdict), .explain] | join(",")' 'judged,Accepted,'
    done_has 1 '.result | fromjson | has("look")' false
}

@test "a wrong answer and a compile error are verdicts, not failures of the worker" {
    submission '' 'if (i == 0) kernel_size--;' >wrong.cu
    echo 'int x = ;' >broken.cu
    offer 1 wrong.cu
    offer 2 broken.cu
    work
    work
    done_has 1 '[.outcome, (.result | fromjson | .verdict), .run.verdict, .explain] | join(",")' 'judged,Wrong Answer,Wrong Answer,'
    done_has 2 '[.outcome, (.result | fromjson | .verdict), .run.verdict, .explain] | join(",")' 'judged,Compile Error,Compile Error,'
    work
    ends 0 event=started
    lacks event=claimed
}

@test "a limit of the judge is a verdict, too, in every mode, and no failure of the worker" {
    local mode
    submission 'cudaIpcMemHandle_t handle; if (cudaIpcGetMemHandle(&handle, nullptr) != cudaSuccess) return;' >x.cu
    for mode in rank test try; do
        offer 1 x.cu ".mode = \"$mode\""
        work
        ends 0
        done_has 1 .outcome judged
        done_has 1 '.result | fromjson | .verdict' "Judge Error"
        [[ $(jq -r .report spool/done/1-1.json) == *"it does not provide cudaIpcGetMemHandle"* ]]
        rm spool/done/*
    done
}

@test "the mode decides what is judged, and what is kept" {
    submission >x.cu
    offer 1 x.cu '.mode = "test"'
    offer 2 x.cu '.mode = "try"'
    offer 3 x.cu '.mode = "try" | .sizes = "input_size=50,kernel_size=3"'
    work
    work
    work
    done_has 1 '.result | fromjson | [.verdict, .rank_status] | join(", ")' 'Accepted, not ranked: without timed cases (--untimed)'
    done_has 2 '.result | fromjson | [.cases[].name | startswith("hidden")] | any' false
    done_has 3 '.result | fromjson | .cases | length' 1
    done_has 3 '.result | fromjson | .look.case' "input_size=50,kernel_size=3"
    done_has 1 '[.run, .explain] | map(tostring) | join("")' null
    done_has 3 '[.run, .explain] | map(tostring) | join("")' null
}

@test "names and persons are data, whatever they hold" {
    submission >x.cu
    offer 1 x.cu '.mode = "try" | .file_name = "--help"'
    offer 2 x.cu '.mode = "try" | .file_name = "../x.cu"'
    offer 3 x.cu '.mode = "try" | .file_name = "x.c"'
    offer 4 x.cu '.mode = "test" | .file_name = "result.json" | .person = "--no-record"'
    for _ in 1 2 3 4; do work; done
    for judging in 1 2 3; do done_has $judging '.result | fromjson | [.verdict, .file] | join(" ")' 'Accepted submission.cu'; done
    done_has 4 '.result | fromjson | [.verdict, .file, .person] | join(" ")' 'Accepted result.json --no-record'
}

@test "a judging that takes too long is given up" {
    hanging >x.cu
    offer 1 x.cu '.time_limit_s = 2'
    work
    ends 0 'event=worker_failed' 'no verdict within 2 s'
    failed 1 'no verdict within 2 s'
}

@test "what the judge cannot do is a failure of the worker, in the judge's words" {
    submission >x.cu
    offer 1 x.cu '.problem = "no-such-problem"'
    offer 2 x.cu '.revision = "0123"'
    work
    work
    done_has 1 .outcome worker_failed
    done_has 1 '.why | test("^[^:]*no-such-problem")' true
    failed 2 "this worker judged with the revision $(jq -r .revision "$BATS_FILE_TMPDIR/result.json"), expected 0123"
}

@test "a judge that is killed is a failure of the worker, which goes on" {
    hanging >hanging.cu
    submission >x.cu
    offer 1 hanging.cu
    offer 2 x.cu '.mode = "try"'
    start w
    wait_until descendant $worker '*/convjudge grade*'
    kill -9 "$(descendant $worker '*/convjudge grade*')"
    wait_until test -e spool/done/1-1.json
    failed 1 'the judge was killed by signal 9'
    wait_until test -e spool/done/2-1.json
    done_has 2 .outcome judged
}

@test "a job that the worker cannot read is reported as such" {
    submission >x.cu
    offer 2 x.cu 'del(.person)'
    offer 3 x.cu '.source += "changed"'
    work
    work
    done_has 2 '[.outcome, .source_hash] | join(" ")' 'worker_failed '
    done_has 2 '.why | test("the key \"person\" is missing")' true
    done_has 3 '.why | test("not the hash")' true
    equal '' "$(left)"
}

@test "while a job is judged, beats count up and name the step" {
    hanging >x.cu
    offer 1 x.cu
    start w
    wait_until test -e spool/beat/1-1.w
    wait_until jq -e '.count > 2 and .step != ""' spool/beat/1-1.w
    json spool/beat/1-1.w 'keys | join(" ")' 'attempt count done judging step total worker'
}

@test "a worker that is told to stop says so, and leaves no process" {
    hanging >x.cu
    offer 1 x.cu
    start w
    wait_until descendant $worker '*grade*'
    kill -TERM $worker
    wait_until test -e spool/done/1-1.json
    wait $worker
    failed 1 'the worker was told to stop' given_back
    equal '' "$(left)"
    file_has w.log event=ended
}

# later.so: the clock of the process to which the link "later" points has advanced by 200 s.
@test "a pilot that has judged for half of its life when it is told to stop has failed" {
    gcc -shared -fPIC -xc -o later.so - <<'END'
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
int clock_gettime(clockid_t clock, struct timespec *now)
{
    char process[20] = "";
    int result = syscall(SYS_clock_gettime, clock, now);
    if (clock == CLOCK_MONOTONIC && readlink("later", process, sizeof process - 1) > 0 && atoi(process) == getpid())
        now->tv_sec += 200;
    return result;
}
END
    hanging >x.cu
    offer 1 x.cu '.time_limit_s = 1000'
    LD_PRELOAD=$PWD/later.so "$build/convjudge" work --server socket --state state --device sim --name w --pilot 5 >w.log 2>&1 3>&- &
    worker=$!
    wait_until descendant $worker '*grade*'
    ln -s $worker later
    kill -TERM $worker
    wait $worker
    done_has 1 .outcome worker_failed
    done_has 1 '.why | test("^no verdict within 20[0-9] s, when the batch job ended$")' true
}

@test "a worker on a GPU stops when it is told to, though the driver has threads of its own" {
    export CONVJUDGE_CUDA_DRIVER=$build/tests/libcuda.so.1
    serve
    "$build/convjudge" work --server socket --state state --device cuda --name w >w.log 2>&1 3>&- &
    worker=$!
    wait_until grep -q event=started w.log
    kill -TERM $worker
    wait $worker
    file_has w.log event=ended
}

@test "a worker that is killed leaves no process and no file" {
    hanging >x.cu
    offer 1 x.cu
    start w
    wait_until descendant $worker '*convjudge-runner*'
    mapfile -t all < <(descendants $worker || true)
    [[ ${#all[@]} -gt 2 ]]
    kill -9 $worker
    gone() { local pid; for pid in "${all[@]}"; do [[ ! -e /proc/$pid ]] || return 1; done; }
    wait_until gone
    empty() { [[ -z $(ls -A "$TMPDIR") ]]; }
    wait_until empty
    worker=
}

@test "a job that the server has forgotten is dropped" {
    hanging >x.cu
    offer 1 x.cu
    start w
    wait_until descendant $worker '*grade*'
    rm spool/claimed/1-1.w
    wait_until grep -q event=given_up w.log
    absent spool/done/1-1.json
}

@test "a server that cannot be reached for a while loses nothing" {
    submission >x.cu
    offer 1 x.cu '.mode = "try"'
    start w
    wait_until test -e spool/beat/1-1.w
    kill -STOP "$worker" # so that the server is gone before the end
    kill "$server"
    wait "$server" || true
    rm socket
    kill -CONT "$worker"
    wait_until grep -q 'event=no_report judging=1' w.log
    serve
    wait_until grep -q event=judged w.log
    done_has 1 .outcome judged
    equal 1 "$(grep -c event=no_report w.log)"
    offer 2 x.cu '.mode = "try"'
    wait_until test -e spool/done/2-1.json
}

@test "two workers on one host have different names" {
    submission >x.cu
    offer 1 x.cu
    start w
    wait_until grep -q event=started w.log
    run "$build/convjudge" work --server socket --state state --device sim --name w --once
    ends 2 'a worker called w runs here already, expected another --name'
}

@test "a worker is named after its host and its device" {
    serve
    judge work --server socket --state state --device sim --once
    ends 0 "worker=$(hostname -s | tr -c 'a-zA-Z0-9\n' -)-sim-h200"
}
