#!/usr/bin/env bats
# What the server makes of workers that ask, fail, lie, or die. The worker here is this file, and speaks as docs/reference/api.md has it.

bats_require_minimum_version 1.5.0
# shellcheck disable=SC2034 # helper.bash reads it
any_compiler=1
load helper
load service

teardown() {
    [[ -z ${worker:-} ]] || { kill -9 "$worker" && wait "$worker"; } 2>/dev/null || true
    stop_server
}

# say PATH JSON [CURL OPTION...]: what the server answers a worker of its own host; sets status and output.
say() {
    local answer
    answer=$(curl -s -m 60 -w '\n%{http_code}' "${@:3}" --unix-socket "$socket" -d "$2" "http://x/api/v1/work/$1")
    status=${answer##*$'\n'} output=${answer%$'\n'*}
}

# claim WORKER: takes a job, which job.json becomes.
claim() {
    say claim "{\"worker\": \"$1\", \"device\": \"sim-h200\", \"device_name\": \"x\", \"wait_s\": 30, \"most_s\": 0}"
    jq -e .job <<<"$output" >job.json
}

# finish WORKER [JQ]: reports how the job of job.json ended; jq changes a failure's report.
finish() {
    say 'done' "$(jq --arg worker "$1" '{judging, attempt, source_hash, revision, worker: $worker, device: "sim-h200", device_name: "x",
        outcome: "worker_failed", why: "no compiler", result: "", report: "", explain: ""}' job.json | jq "${2:-.}")"
}

# alive WORKER: says that it is at it; prints whether it goes on.
alive() {
    say alive "$(jq --arg worker "$1" '{judging, attempt, worker: $worker, step: "samples", done: 1, total: 2}' job.json)"
    jq .goes_on <<<"$output"
}

becomes() { # STATES: the only submission is soon in one of these, such as "offered|queued"
    is_now() { [[ $(in_store 'SELECT state FROM judging') =~ ^($1)$ ]]; }
    wait_until is_now "$1" || { in_store 'SELECT * FROM judging; SELECT * FROM attempt'; return 1; }
}

logged() { # TEXT
    grep -qF -- "$1" "$BATS_TEST_TMPDIR/server.log" || { cat "$BATS_TEST_TMPDIR/server.log"; return 1; }
}

@test "who asks for work gets it, and the submission shows what its worker is doing" {
    serve
    local ada
    ada=$(token ada)
    hand_in "$ada" k
    claim w1
    json job.json '[.mode, .problem, .person, .file_name, .attempt] | join(" ")' 'rank conv1d ada mine.cu 1'
    becomes offered
    equal true "$(alive w1)"
    becomes running
    as "$ada" GET /api/v1/submissions/1
    equal 'judging samples 1' "$(jq -r '[.state, .progress.step, .progress.done] | join(" ")' <<<"$output")"
    equal false "$(alive w2)"
}

@test "what the judge failed at twice is held for a person" {
    serve
    local ada
    ada=$(token ada)
    hand_in "$ada" k
    claim w1
    finish w1
    equal 200 "$status"
    claim w2
    finish w2
    becomes held
    equal 'worker_failed|no compiler,worker_failed|no compiler' "$(in_store "SELECT group_concat(outcome || '|' || why) FROM attempt")"
    logged 'held=yes why="no compiler"'
    as "$ada" GET /api/v1/submissions/1
    equal held "$(jq -r .state <<<"$output")"
}

@test "what cannot be a result is refused in one line, and is a failure of the worker" {
    serve
    local ada
    ada=$(token ada)
    hand_in "$ada" k
    claim w1
    finish w1 '.outcome = "judged" | .result = "{}" | .revision = "another"'
    equal '400 the problem has another revision where the worker is' "$status $(jq -r .error <<<"$output")"
    claim w2
    finish w2 'del(.report)'
    equal 400 "$status"
    becomes held
    say 'done' '{'
    equal 400 "$status"
    head -c 3000000 /dev/zero | tr '\0' ' ' >large # of a worker it may be so large
    echo '{}' >>large
    say 'done' @large
    [[ $output == *'the key \"judging\" is missing'* ]]
    equal 413 "$(curl -s -o answer -w '%{http_code}' -d @large "http://$address/api/v1/work/done")"
    equal 0 "$(in_store 'SELECT count(*) FROM runs')"
}

@test "a worker elsewhere needs a token for workers, which is good for nothing else" {
    serve
    local ada node claim='{"worker": "n1", "device": "h200", "device_name": "x", "wait_s": 0, "most_s": 0}'
    ada=$(token ada)
    node=$("$build/convjudge" token add node3 --work-only --state "$state" 2>/dev/null)
    equal 'token add to work' "$(in_store 'SELECT action FROM audit ORDER BY id DESC LIMIT 1')"
    ask POST /api/v1/work/claim -d "$claim"
    ends 401 "expected a worker's token, of \`convjudge token add NAME --work-only\`"
    as "$ada" POST /api/v1/work/claim -d "$claim"
    equal '401 this token is not for workers' "$status $(jq -r .error <<<"$output")"
    as "$node" GET /api/v1/me
    equal '401 this token is only for workers' "$status $(jq -r .error <<<"$output")"
    as "$node" POST /api/v1/work/claim -d "$claim"
    equal '200 ' "$status $(jq -r .reason <<<"$output")"
    hand_in "$ada" k '.mode = "try"'
    as "$node" POST /api/v1/work/claim -d "${claim/\"wait_s\": 0/\"wait_s\": 10}"
    jq .job <<<"$output" >job.json
    finish n1 # by another one, who uses the name
    equal 404 "$status"
    becomes offered
    has_nvcc
    CONVJUDGE_TOKEN=$node "$build/convjudge" work --server "http://$address" --state mine --device sim --name n2 2>w.log 3>&- &
    worker=$!
    finish_of_n1() { as "$node" POST /api/v1/work/done -d "$(jq '{judging, attempt, source_hash, revision, worker: "n1", device: "h200",
        device_name: "x", outcome: "given_back", why: "told to stop", result: "", report: "", explain: ""}' job.json)"; }
    finish_of_n1
    equal 200 "$status"
    becomes recorded
    equal 'n2|Accepted' "$(in_store "SELECT worker || '|' || verdict FROM judging JOIN attempt ON judging = id AND n = attempt")"
}

@test "a worker that shows no sign of life loses its job, and its late result ranks nowhere" {
    serve '{"lease_s": 10}'
    local ada
    ada=$(token ada)
    hand_in "$ada" k
    claim dead
    equal true "$(alive dead)"
    becomes running
    becomes queued
    equal 'lost|the worker has not shown a sign of life' "$(in_store "SELECT outcome || '|' || why FROM attempt WHERE n = 1")"
    finish dead '.outcome = "judged" | .result = ({verdict: "Accepted", problem: "conv1d", revision, source_hash, device: "sim-h200"} | tojson)'
    equal late "$(jq -r .outcome <<<"$output")"
    equal late "$(in_store 'SELECT outcome FROM attempt WHERE n = 1')"
    equal '' "$(in_store 'SELECT verdict FROM judging')"
}

@test "a job whose worker hangs up before it gets it goes to somebody else" {
    serve '{"lease_s": 10}'
    local ada
    ada=$(token ada)
    curl -s --unix-socket "$socket" -d '{"worker": "w1", "device": "", "device_name": "", "wait_s": 60, "most_s": 0}' \
        http://x/api/v1/work/claim >/dev/null 3>&- &
    local asking=$!
    is_there() { curl -sf "http://$address/metrics" | grep -qxF 'convjudge_workers{state="idle"} 1'; }
    wait_until is_there
    kill "$asking"
    wait "$asking" || true
    hand_in "$ada" k
    claim w2
    equal 0 "$(in_store 'SELECT failures FROM judging')"
}

@test "a worker that fails at two submissions in a row gets no more work" {
    serve
    local ada bob
    ada=$(token ada) bob=$(token bob)
    hand_in "$ada" k
    hand_in "$bob" k
    claim bad
    finish bad
    claim bad
    finish bad
    equal 'bad|failed at two different submissions in a row' "$(in_store "SELECT worker || '|' || why FROM drained")"
    kill_server
    start_server
    say claim '{"worker": "bad", "device": "", "device_name": "", "wait_s": 4, "most_s": 0}'
    equal held "$(jq -r .reason <<<"$output")"
}

# metric REST: whether this is a line of the metrics of workers. said TEXT: whether the administrator's page says so.
metric() { curl -sf "http://$address/metrics" | grep -qxF "convjudge_workers$1"; }
said() { as "$root_token" GET /admin && grep -qF -- "$1" <<<"$output"; }

@test "a worker is seen while it waits, and no more once it is dead" {
    has_nvcc # which the device's name leaves out
    serve '{"lease_s": 10}'
    local ada root_token
    ada=$(token ada) root_token=$(token root admin)
    "$build/convjudge" work --server "$socket" --state mine --device sim --name w 2>/dev/null 3>&- &
    worker=$!
    wait_until metric '{state="idle"} 1'
    said '<th scope="row">w</th><td>sim-h200</td><td>idle<form '
    metric '{state="not_there"} 0'
    hand_in "$ada" k '.mode = "test"'
    becomes recorded
    wait_until metric '{state="idle"} 1'
    kill -9 "$worker"
    wait "$worker" || true
    worker=
    wait_until metric '{state="not_there"} 1'
    hand_in "$ada" l '.mode = "test"'
    said '<th scope="row">w</th><td>sim-h200</td><td>not there<form '
    wait_until metric '_lacking 1' # after the lease
    said 'Submissions wait, and no worker is there to judge them.'
    equal 1 "$(grep -c 'level=warning event=no_worker waiting=1' "$BATS_TEST_TMPDIR/server.log")"
    claim other
    wait_until metric '_lacking 0'
    logged 'event=no_worker_is_over'
}

@test "after a restart of the server a worker goes on with what it has, and what nobody has goes back" {
    serve '{"lease_s": 10}'
    local ada
    ada=$(token ada)
    hand_in "$ada" k
    claim w
    equal true "$(alive w)"
    kill_server
    start_server
    equal true "$(alive w)"
    finish w '.outcome = "given_back" | .why = "told to stop"'
    becomes queued
    claim v
    kill_server
    start_server
    becomes queued
    equal 'given_back|the worker did not begin it' "$(in_store "SELECT outcome || '|' || why FROM attempt WHERE n = 2")"
    equal 0 "$(in_store 'SELECT failures FROM judging')"
}
