#!/usr/bin/env bats
# What the head of the service makes of workers that fail, lie, or die. The worker here is this file.

bats_require_minimum_version 1.5.0
# shellcheck disable=SC2034 # helper.bash reads it
any_compiler=1
load helper
load service

teardown() {
    [[ -z ${worker:-} ]] || { kill -9 "$worker" && wait "$worker"; } 2>/dev/null || true
    stop_server
}

# claim WORKER [PATTERN]: takes a job as a worker would, whose name fits; prints its name, "1-1".
claim() {
    local i name
    for ((i = 0; i < 1200; i++)); do
        name=$(find "$state/spool/ready" -name "${2:-*}.json" -printf '%f\n' | sort | head -n 1)
        name=${name%.json}
        if [[ $name != "" ]] && mv "$state/spool/ready/$name.json" "$state/spool/claimed/$name.$1" 2>/dev/null; then
            echo "$name"
            return 0
        fi
        sleep 0.1
    done
    return 1
}

# finish NAME WORKER JQ: reports how a claimed job ended; jq changes a failure's report.
finish() {
    local job=${4:-$state/spool/claimed/$1.$2}
    jq '{format, judging, attempt, source_hash, revision, worker: $worker, device: "sim-h200", device_name: "x", outcome: "worker_failed",
         why: "no compiler", result: "", run: null, report: "", explain: ""}' --arg worker "$2" "$job" |
        jq -c "$3" | tr -d '\n' >done.json
    jq -c --arg sum "$(sha256sum <done.json | cut -d' ' -f1)" '. + {checksum: $sum}' done.json >"$state/spool/done/.new"
    mv "$state/spool/done/.new" "$state/spool/done/$1.json"
    rm -f "$state/spool/claimed/$1.$2" # the head may have been faster
}

# becomes STATES: the only submission is soon in this state, or one of several such as "offered|queued".
becomes() {
    is_now() { [[ $(in_store 'SELECT state FROM judging') =~ ^($1)$ ]]; }
    wait_until is_now "$1" || { in_store 'SELECT * FROM judging; SELECT * FROM attempt'; return 1; }
}

logged() { # TEXT
    grep -qF -- "$1" "$BATS_TEST_TMPDIR/server.log" || { cat "$BATS_TEST_TMPDIR/server.log"; return 1; }
}

@test "what the judge failed at twice is held for a person" {
    serve
    local ada
    ada=$(token ada)
    hand_in "$ada" k
    finish "$(claim w1)" w1 .
    finish "$(claim w2)" w2 .
    becomes held
    equal 'worker_failed|no compiler,worker_failed|no compiler' "$(in_store "SELECT group_concat(outcome || '|' || why) FROM attempt")"
    logged 'held=yes why="no compiler"'
    as "$ada" GET /api/v1/submissions/1
    equal held "$(jq -r .state <<<"$output")"
}

@test "a result of another source or of another revision does not count" {
    serve
    local ada
    ada=$(token ada)
    hand_in "$ada" k
    finish "$(claim w1)" w1 '.outcome = "judged" | .result = "{}" | .source_hash = "another"'
    finish "$(claim w2)" w2 '.outcome = "judged" | .result = "{}" | .revision = "another"'
    becomes held
    equal 'the result is of another source,the problem has another revision where the worker is' "$(in_store 'SELECT group_concat(why) FROM attempt')"
    equal 0 "$(in_store 'SELECT count(*) FROM runs')"
}

@test "a damaged result does not count" {
    serve
    local ada name
    ada=$(token ada)
    hand_in "$ada" k
    name=$(claim w1)
    finish "$name" w1 '.outcome = "judged"'
    becomes 'queued|offered'
    name=$(claim w1)
    echo '{' >"$state/spool/done/$name.json"
    becomes held
    equal 0 "$(in_store 'SELECT count(*) FROM runs')"
}

@test "a claim that shows no sign of life is given up, and its late result ranks nowhere" {
    serve '{"lease_s": 10}'
    local ada first
    ada=$(token ada)
    hand_in "$ada" k
    first=$(claim dead)
    cp "$state/spool/claimed/$first.dead" kept
    becomes running
    becomes offered
    equal 'lost|the worker has not shown a sign of life' "$(in_store "SELECT outcome || '|' || why FROM attempt WHERE n = 1")"
    cp kept "$state/spool/claimed/$first.dead"
    # from the copy: the head may take the claim away at any time
    finish "$first" dead '.outcome = "judged" | .result = ({verdict: "Accepted"} | tojson)' kept
    is_late() { [[ $(in_store 'SELECT outcome FROM attempt WHERE n = 1') == late ]]; }
    wait_until is_late
    equal '' "$(in_store 'SELECT verdict FROM judging')"
}

@test "a claim that disappears is noticed" {
    serve
    local ada
    ada=$(token ada)
    hand_in "$ada" k
    name=$(claim w)
    becomes running
    rm "$state/spool/claimed/$name.w"
    becomes 'offered|queued'
    equal 'its claim is gone from the spool' "$(in_store 'SELECT why FROM attempt WHERE n = 1')"
}

@test "a worker that fails at two submissions in a row gets no more work" {
    serve
    local ada bob first
    ada=$(token ada) bob=$(token bob)
    hand_in "$ada" k
    hand_in "$bob" k
    first=$(claim bad)
    finish "$first" bad .
    wait_until test ! -e "$state/spool/done/$first.json"
    finish "$(claim bad '2-*')" bad .
    wait_until test -e "$state/spool/hold/bad"
    equal 'bad|failed at two different submissions in a row' "$(in_store "SELECT worker || '|' || why FROM drained")"
    stop_server
    rm "$state/spool/hold/bad"
    start_server
    test -e "$state/spool/hold/bad"
}

# metric REST: whether this is a line of the metrics of workers. said TEXT: whether the administrator's page says so.
metric() { curl -sf "http://$address/metrics" | grep -qxF "convjudge_workers$1"; }
said() { as "$root_token" GET /admin && grep -qF -- "$1" <<<"$output"; }

@test "a worker is seen while it waits, and no more once it is dead" {
    has_nvcc # which the device's name leaves out
    serve '{"lease_s": 10}'
    local ada root_token
    ada=$(token ada) root_token=$(token root admin)
    "$build/convjudge" work --spool "$state/spool" --device sim --name w 2>/dev/null 3>&- &
    worker=$!
    wait_until metric '{state="idle"} 1'
    said '<th scope="row">w</th><td>sim-h200</td><td>idle</td>'
    metric '{state="not_there"} 0'
    touch "$state/spool/hold/w"
    wait_until metric '{state="gets_no_work"} 1'
    rm "$state/spool/hold/w"
    hand_in "$ada" k '.mode = "test"'
    becomes recorded
    wait_until metric '{state="idle"} 1'
    kill -9 "$worker"
    wait "$worker" || true
    worker=
    hand_in "$ada" l '.mode = "test"'
    wait_until metric '{state="not_there"} 1' # after the lease
    absent "$state/spool/idle/w"
    said '<th scope="row">w</th><td>sim-h200</td><td>not there</td>'
    wait_until metric '_lacking 1'
    said 'Submissions wait, and no worker is there to judge them.'
    equal 1 "$(grep -c 'level=warning event=no_worker waiting=1' "$BATS_TEST_TMPDIR/server.log")"
    claim other
    wait_until metric '_lacking 0'
    logged 'event=no_worker_is_over'
}

@test "what is in the store and not in the spool is offered again after a start" {
    serve
    local ada
    ada=$(token ada)
    hand_in "$ada" k
    becomes offered
    kill_server
    rm "$state"/spool/ready/*
    start_server
    name=$(claim w)
    finish "$name" w '.outcome = "given_back" | .why = "told to stop"'
    becomes offered
    equal 0 "$(in_store 'SELECT failures FROM judging')"
}
