#!/usr/bin/env bats
# convjudge work: takes jobs from the spool, judges them, and reports how each has ended, whatever happens meanwhile.

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

teardown() {
    [[ -z ${worker:-} ]] || { kill -9 "$worker" && wait "$worker"; } 2>/dev/null || true
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
    [[ -d spool ]] || mkdir -m 700 spool spool/{ready,claimed,beat,done,hold,damaged}
    jq -n --rawfile source "$2" --arg hash "$(source_hash "$2")" --argjson judging "$1" \
        --arg revision "$(jq -r .revision "$BATS_FILE_TMPDIR/result.json")" '{format: 1, judging: $judging, attempt: 1,
            mode: "rank", problem: "conv1d", revision: $revision, source_hash: $hash, source: $source, file_name: "mine.cu",
            person: "ada", device: "sim-h200", priority: $judging, time_limit_s: 100}'" | ${3:-.}" >offered
    mv offered "spool/ready/$1-1.json"
}

# work: a worker that judges one job.
work() { judge work --spool spool --device sim --name w --once "$@"; }

# start NAME: starts a worker, whose process id is $worker.
start() {
    "$build/convjudge" work --spool spool --device sim --name "$1" >"$1.log" 2>&1 &
    worker=$!
}

# left: what is under way in the spool; empty if nothing is. What belongs to an attempt whose end is reported stays for the head.
left() {
    local file name
    while read -r file; do
        name=${file##*/}
        [[ -e spool/done/${name%.*}.json ]] || echo "$file"
    done < <(find spool/ready spool/claimed spool/beat -type f)
}

done_has() { json "spool/done/$1-1.json" "$2" "$3"; }

# failed JUDGING WHY: the attempt ended as a failure of the worker.
failed() { # JUDGING WHY [OUTCOME]
    done_has "$1" .outcome "${3:-worker_failed}"
    done_has "$1" .why "$2"
    done_has "$1" '.result + .report + .explain' ''
    done_has "$1" .run null
}

# checksum_holds JUDGING: the checksum is that of the text without white space.
checksum_holds() {
    equal "$(jq -r .checksum "spool/done/$1-1.json")" "$(python3 - "spool/done/$1-1.json" <<'END'
import hashlib, json, sys
done = json.load(open(sys.argv[1]))
del done["checksum"]
print(hashlib.sha256(json.dumps(done, ensure_ascii=False, separators=(",", ":")).encode()).hexdigest())
END
    )"
}

# hanging: a file on which the grader is busy for a while.
hanging() { submission 'sleep(100);'; }

@test "an accepted submission is reported with result, run, report, advice and a checksum" {
    submission >x.cu
    offer 12 x.cu
    work
    ends 0 'event=claimed judging=12 attempt=1 worker=w' 'event=judged judging=12 attempt=1 worker=w'
    equal '' "$(left)"
    done_has 12 '[.format, .judging, .attempt, .worker, .outcome, .why, .device] | join(" ")' '1 12 1 w judged  sim-h200'
    done_has 12 .source_hash "$(source_hash x.cu)"
    done_has 12 '.result | fromjson | [.verdict, .rank_status, .file, .person] | join(" ")' 'Accepted ranked mine.cu ada'
    done_has 12 '.explain | fromjson | has("cases")' true
    done_has 12 '.run | [.verdict, .rank_status, .person, .problem, .file_name] | join(" ")' 'Accepted ranked ada conv1d mine.cu'
    done_has 12 '.run.score_ms == (.result | fromjson | .score_ms)' true
    done_has 12 '.report | startswith("Accepted")' true
    done_has 12 '.report | test("\u001b|progress|recorded  ")' false
    done_has 12 '.report | endswith("times as fast.\n")' true
    done_has 12 '.result | fromjson | has("run")' false
    checksum_holds 12
    CONVJUDGE_DB=spool/workers/w/judged.db rows 1
    rows 0
}

@test "with --no-explain nobody asks where the time goes" {
    submission >x.cu
    offer 1 x.cu
    work --no-explain
    ends 0 'event=judged judging=1 attempt=1 worker=w'
    done_has 1 '[.outcome, (.result | fromjson | .verdict), .explain] | join(",")' 'judged,Accepted,'
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
    checksum_holds 1
    checksum_holds 2
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
        rm -r spool
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
    wait_until descendant $worker '/proc/self/exe grade*'
    kill -9 "$(descendant $worker '/proc/self/exe grade*')"
    wait_until test -e spool/done/1-1.json
    failed 1 'the judge was killed by signal 9'
    wait_until test -e spool/done/2-1.json
    done_has 2 .outcome judged
}

@test "a damaged job is reported as such, and kept for a person" {
    submission >x.cu
    offer 1 x.cu
    offer 2 x.cu 'del(.person)'
    offer 3 x.cu '.source += "changed"'
    head -c 100 spool/ready/1-1.json >short && mv short spool/ready/1-1.json
    work
    work
    work
    done_has 1 '[.outcome, .source_hash] | join(" ")' 'worker_failed '
    done_has 1 '.why | test("not valid JSON")' true
    done_has 2 '.why | test("the key \"person\" is missing")' true
    done_has 3 '.why | test("not the hash")' true
    equal 'spool/damaged/1-1.w spool/damaged/2-1.w spool/damaged/3-1.w' "$(echo spool/damaged/*)"
    equal '' "$(left)"
}

@test "a worker that is held claims nothing, nor does one with another device" {
    submission >x.cu
    offer 1 x.cu '.mode = "try"'
    offer 2 x.cu '.mode = "try" | .device = "h200" | .priority = 0'
    touch spool/hold/w
    work
    absent spool/done/1-1.json
    rm spool/hold/w
    work
    work
    done_has 1 .outcome judged
    equal spool/ready/2-1.json "$(left)"
}

@test "a worker that waits shows itself, until it has a job or ends" {
    mkdir -m 700 spool spool/{ready,claimed,beat,done,idle,hold,damaged}
    touch spool/hold/w
    echo '{"count": 9, "device": "h200", "device_name": "of its former life", "held": false}' >spool/idle/w
    start w
    wait_until jq -e .held spool/idle/w
    json spool/idle/w '[keys[], .device] | join(" ")' 'count device device_name held sim-h200'
    rm spool/hold/w
    wait_until jq -e '.count > 1 and (.held | not)' spool/idle/w
    hanging >x.cu
    offer 1 x.cu
    wait_until test -e spool/beat/1-1.w
    absent spool/idle/w
    rm spool/claimed/1-1.w # the head wants it no more
    wait_until test -e spool/idle/w
    kill "$worker"
    wait "$worker"
    worker=
    equal '' "$(ls -A spool/idle)"
}

@test "while a job is judged, beats count up and name the step" {
    hanging >x.cu
    offer 1 x.cu
    start w
    wait_until test -e spool/beat/1-1.w
    wait_until jq -e '.count > 2 and .step != ""' spool/beat/1-1.w
    json spool/beat/1-1.w 'keys | join(" ")' 'count done step total'
}

@test "jobs that failed on a worker are left to others for a while, not for ever" {
    local job
    submission >x.cu
    for job in 1 2 3; do
        offer $job x.cu '.avoid = "w"'
    done
    start w
    sleep 1.5
    test -e spool/ready/1-1.json
    for job in 1 2 3; do
        wait_until test -e spool/done/$job-1.json
        done_has $job .outcome judged
    done
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
    LD_PRELOAD=$PWD/later.so "$build/convjudge" work --spool spool --device sim --name w --pilot 5 >w.log 2>&1 &
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
    "$build/convjudge" work --spool spool --device cuda --name w >w.log 2>&1 &
    worker=$!
    wait_until grep -q event=started w.log
    kill -TERM $worker
    wait $worker
    file_has w.log event=ended
}

@test "a worker that is killed leaves no process, and its next life reports what it had in hand" {
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
    equal spool/claimed/1-1.w "$(find spool/claimed -type f)"
    work
    ends 0 'event=worker_failed judging=1 attempt=1 worker=w' 'why="the worker was restarted"'
    failed 1 'the worker was restarted'
    equal '' "$(left)"
}

@test "a job stays until the head has recorded its end, and is not reported again" {
    submission >x.cu
    offer 1 x.cu '.mode = "try"'
    cp spool/ready/1-1.json kept
    work
    cmp kept spool/claimed/1-1.w
    echo '{' >spool/beat/1-1.w
    work
    done_has 1 .outcome judged
    cmp kept spool/claimed/1-1.w
}

@test "a job that the head has forgotten is dropped" {
    hanging >x.cu
    offer 1 x.cu
    start w
    wait_until descendant $worker '*grade*'
    rm spool/claimed/1-1.w
    wait_until grep -q event=given_up w.log
    absent spool/done/1-1.json
    equal '' "$(left)"
}

@test "a spool that cannot be reached for a while loses nothing" {
    submission >x.cu
    start w
    wait_until grep -q event=started w.log
    mv spool/ready away
    wait_until grep -q 'event=spool_unreadable.*spool/ready: cannot be read' w.log
    mv spool/done done_away
    mv spool/beat beat_away
    mv away spool/ready
    offer 1 x.cu '.mode = "try"'
    wait_until grep -q 'event=no_report judging=1.*spool/done/.1-1.json: cannot be written' w.log
    equal 1 "$(grep -c event=no_beat w.log)"
    mv done_away spool/done
    mv beat_away spool/beat
    wait_until grep -q event=judged w.log
    done_has 1 .outcome judged
    equal '' "$(left)"
}

@test "two workers that race for jobs judge each one once" {
    submission >x.cu
    for judging in 1 2 3 4 5 6; do offer $judging x.cu '.mode = "try"'; done
    start w1
    first=$worker
    start w2
    all_done() { [[ $(find spool/done -name '*.json' | wc -l) == 6 ]]; }
    wait_until all_done
    kill -TERM $first $worker
    wait $first
    wait $worker
    equal 6 "$(cat w1.log w2.log | grep -c event=claimed)"
    equal 6 "$(cat w1.log w2.log | grep -c event=judged)"
    equal judged "$(jq -r .outcome spool/done/*.json | sort -u)"
    equal '' "$(left)"
}

@test "the most urgent job goes first" {
    submission >x.cu
    offer 1 x.cu '.mode = "try" | .priority = 5'
    offer 2 x.cu '.mode = "try" | .priority = -1.5'
    work
    equal spool/done/2-1.json "$(echo spool/done/*)"
}

@test "two workers on one host have different names" {
    submission >x.cu
    offer 1 x.cu
    start w
    wait_until grep -q event=started w.log
    run "$build/convjudge" work --spool spool --device sim --name w --once
    ends 2 'a worker called w runs here already, expected another --name'
}

@test "a worker is named after its host and its device" {
    judge work --spool spool --device sim --once
    ends 0 "worker=$(hostname -s | tr -c 'a-zA-Z0-9\n' -)-sim-h200"
}
