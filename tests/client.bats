#!/usr/bin/env bats
# The commands that talk to a server, against one that judges nothing (tests/fake/convjudge_server.py).

bats_require_minimum_version 1.5.0
# shellcheck disable=SC2034 # helper.bash reads it
any_compiler=1
load helper

teardown() {
    [[ -z ${server_id:-} ]] || kill "$server_id" 2>/dev/null || true
}

# serve [OPTION...]: starts the server; on the socket `socket`, unless --port is given.
serve() {
    local place=(--socket "$PWD/socket") file=socket
    unset CONVJUDGE_TOKEN
    export HOME=$PWD
    if [[ " $* " == *" --port "* ]]; then place=() file=port; fi
    "$root/tests/fake/convjudge_server.py" "${place[@]}" --log "$PWD/log" "$@" 3>&- &
    server_id=$!
    wait_until test -e "$file"
    export CONVJUDGE_SERVER=$PWD/socket
    if [[ $file == port ]]; then CONVJUDGE_SERVER=http://127.0.0.1:$(cat port); fi
}

# file NAME [LINE...]: a source whose lines decide what the server says of it.
file() {
    printf '// %s\n' "${@:2}" "$1" >"$1"
}

# ---- handing in

@test "submit says at once how long it will take" {
    serve
    file mine.cu
    judge submit mine.cu
    ends 0 "submission 1: 3 ahead, about 40 s"
    judge submit --json answer.json --problem conv2d --mode try --sizes input_size=10 mine.cu
    ends 0 "submission 2: 3 ahead"
    json answer.json '[.schema, .submission.submission, .submission.problem, .submission.mode, .submission.state] | @csv' '1,2,"conv2d","try","waiting"'
    judge submit --json - mine.cu
    ends 0
    equal '{' "${output:0:1}"
}

@test "submit --wait shows the steps and the report, and ends as grade does" {
    serve
    file right.cu 'time: 51.6'
    CLICOLOR_FORCE=1 NO_COLOR='' judge submit --wait right.cu
    ends 0 $'\e[1;32mAccepted\e[0m  right.cu, the report'
    judge submit --wait --json result.json right.cu
    ends 0 "submission 2: 3 ahead" "waiting             done" "timed cases         done" "Accepted  right.cu, the report"
    json result.json '[.submission.verdict, .result.score_ms, .result.cases[1].name] | @csv' '"Accepted",0.0516,"long filter"'
    file wrong.cu 'verdict: Wrong Answer'
    judge submit --wait wrong.cu
    ends 1 "Wrong Answer  wrong.cu, the report"
    file lacking.cu 'verdict: Judge Error'
    judge submit --wait lacking.cu
    ends 2 "Judge Error  lacking.cu"
    file held.cu 'end: held'
    judge submit --wait held.cu
    ends 2 "held: the judge failed, not your submission; a person will look at it"
    file back.cu 'end: withdrawn'
    judge submit --wait back.cu
    ends 2 "withdrawn before it was judged"
}

@test "submit --wait asks again and again where no events come" {
    local fault
    file mine.cu 'time: 51.6'
    for fault in no-events cut-events bad-events; do
        serve --fault "$fault"
        judge submit --wait mine.cu
        ends 0 "timed cases         done" "Accepted  mine.cu, the report"
        kill "$server_id"
        rm -f socket
    done
}

@test "a hand-in whose answer is lost is repeated with the same key, and counts once" {
    local fault
    file mine.cu
    for fault in drop busy gateway; do
        serve --fault "$fault"
        judge submit mine.cu
        ends 0 "handing in          no answer yet, trying again" "handing in          done" "submission 1: 3 ahead"
        equal 2 "$(grep -c '^POST' log)"
        equal 1 "$(grep '^POST' log | cut -d ' ' -f 3 | sort -u | wc -l)"
        kill "$server_id"
        rm -f socket log
    done
}

@test "a server that never answers is given up, in one line" {
    export CONVJUDGE_PATIENCE_SECONDS=2
    file mine.cu
    serve --fault drop-all
    judge submit mine.cu
    ends 2 "socket: the connection was lost before the answer"
    counts 1 '^convjudge: '
    [[ $(grep -c '^POST' log) -gt 1 ]]
    kill "$server_id"
    rm -f socket
    serve --fault slow
    judge runs
    ends 2 "socket: the connection was lost before the answer (Timeout was reached)"
    kill "$server_id"
    rm -f socket
    serve --fault lose-progress
    judge submit --wait mine.cu
    ends 2 "the connection was lost before the answer" "submission 1 is kept: \`convjudge show 1\` shows it"
}

@test "Ctrl-C ends the waiting, and says how to come back" {
    serve
    file mine.cu never
    run timeout --preserve-status -s INT 2 "$build/convjudge" submit --wait mine.cu
    ends 2 "submission 1: 3 ahead" "interrupted; submission 1 is kept: \`convjudge show 1\` shows it"
    kill "$server_id"
    rm -f socket
    serve --fault slow
    run timeout --preserve-status -s INT 2 "$build/convjudge" submit mine.cu
    ends 2 "interrupted, maybe after the file was submitted: \`convjudge runs\` says whether"
}

# ---- looking at submissions

@test "runs prints the server's list of one's submissions" {
    serve
    file a.cu 'time: 160'
    file b.cu never
    judge submit --wait a.cu
    judge submit --problem conv2d b.cu
    judge runs
    ends 0 "the text of submissions 2 1"
    judge runs --top 1
    ends 0 "the text of submissions 2"
    lacks "2 1"
    judge runs --problem conv2d --json runs.json
    ends 0 "the text of submissions 2"
    json runs.json '.schema, [.submissions[].submission]' $'1\n[\n  2\n]'
    judge runs --as bob
    ends 0 "the text of submissions"
    file_has log 'person=bob'
    judge runs --json -
    ends 0
    equal '{' "${output:0:1}"
    for number in 0 5001 x; do
        judge runs --top $number
        ends 2 "runs: option '--top': expected a number from 1 to 5000, found '$number'"
    done
}

@test "show prints what the server says of a submission" {
    serve
    file mine.cu 'time: 51.6'
    judge submit --wait mine.cu
    judge show 1
    ends 0 "the text of submission 1" "// time: 51.6"
    judge show --no-code --json show.json 1
    ends 0 "the text of submission 1"
    lacks "// time: 51.6"
    json show.json '[.schema, .submission.verdict, (.report | test("the report"))] | @csv' '1,"Accepted",true'
    judge show 7
    ends 2 "socket: there is no such submission, or none that you may see (status 404)"
    judge show
    ends 2 "show: expected the number of one RUN, found 0 words"
}

@test "compare and history print the server's words" {
    serve
    file a.cu 'time: 160'
    for _ in 1 2; do judge submit --wait a.cu; done
    judge compare --json pair.json 1 2
    ends 0 "the text of comparison 1 2"
    json pair.json '[.schema, .before, .after] | @csv' '1,1,2'
    judge compare 1 9
    ends 2 "status 404"
    judge compare 1
    ends 2 "compare: expected the numbers of two runs, found 1 words"
    judge history --problem conv1d --json history.json
    ends 0 "the text of history 2 1"
    json history.json '.schema' 1
}

@test "withdraw takes back what waits, and nothing else" {
    serve
    file mine.cu never
    judge submit mine.cu
    judge withdraw --json gone.json 1
    ends 0 "submission 1 is withdrawn"
    json gone.json .submission.state withdrawn
    judge withdraw 1
    ends 2 "it is being judged, or has been (status 409)"
}

# ---- servers that misbehave

@test "every refusal of the server is one line" {
    local code
    file mine.cu
    for code in 400 401 403 404 409 413 429; do
        serve --fault "status-$code"
        for command in runs "show 1" "submit mine.cu" "withdraw 1" history "compare 1 2"; do
            # shellcheck disable=SC2086 # words
            judge $command
            ends 2 "socket: the reason (status $code)"
            counts 1 .
        done
        kill "$server_id"
        rm -f socket
    done
    ends 2 "; try again later"
}

@test "a server that one may not connect to says so" {
    [[ $(id -u) != 0 ]] || skip "root may connect to every socket"
    serve
    chmod 000 socket
    judge runs
    ends 2 "you may not connect to this server (Permission denied)"
}

@test "answers that are no answers are refused" {
    file mine.cu
    serve --fault garbage
    judge submit mine.cu
    ends 2 "socket: POST /api/v1/submissions:1: not valid JSON from here on"
    kill "$server_id"; rm socket
    serve --fault text
    judge runs
    ends 2 "GET /api/v1/me:1: not valid JSON"
    kill "$server_id"; rm socket
    serve --fault huge
    judge runs
    ends 2 "the answer has more than 16777216 bytes, which is the limit"
    kill "$server_id"; rm socket
    serve --fault redirect
    judge runs
    ends 2 "the server answers with status 302, a redirection, which is not followed; expected the address to which it leads"
    kill "$server_id"; rm socket
    serve --fault no-reason
    judge runs
    ends 2 "the server answers with status 502 and no reason, expected ConvJudge; try again later"
    kill "$server_id"; rm socket
    serve --fault bad-state
    judge submit mine.cu
    ends 2 '"state": expected waiting, judging, judged, held or withdrawn, found '"'sleeping'"
    kill "$server_id"; rm socket
    serve --fault other
    judge submit --wait mine.cu
    ends 2 "submissions/1: expected submission 1, found 2; submission 1 is kept"
}

@test "escape sequences of others reach no terminal" {
    serve --mark
    file mine.cu 'time: 51.6' $'\e[2J'
    for command in "submit --wait mine.cu" "submit mine.cu" "show 1" runs history "compare 1 1" "show --json - 1" "runs --json -"; do
        # shellcheck disable=SC2086 # words
        judge $command
        ends 0
        equal 0 "$(tr -d '\n' <<<"$output" | LC_ALL=C grep -c $'[\x01-\x08\x0b-\x1f\x7f]\|\xc2\x9b' || true)"
    done
    kill "$server_id"; rm socket
    serve --mark --fault status-403
    judge runs
    ends 2 "the reason?[31mred?[0m?2J (status 403)"
}

# ---- who calls

@test "a URL is called with a token, from the environment or a file that others cannot read" {
    serve --port port --token secret
    judge runs
    ends 2 "who are you? (status 401); expected a token, in CONVJUDGE_TOKEN or in the file ~/.config/convjudge/token"
    CONVJUDGE_TOKEN=other judge runs
    ends 2 "who are you? (status 401); the server does not know your token"
    CONVJUDGE_TOKEN=secret judge runs
    ends 0 "the text of submissions"
    file_has log 'Bearer secret'
    mkdir -p .config/convjudge
    echo secret >.config/convjudge/token
    chmod 644 .config/convjudge/token
    judge runs
    ends 2 ".config/convjudge/token: others can read this token (mode 644), expected: chmod 600"
    chmod 600 .config/convjudge/token
    judge runs
    ends 0 "the text of submissions"
    http_proxy=http://127.0.0.1:1 judge runs
    ends 0 "the text of submissions"
}

@test "a server with a certificate that nobody vouches for gets no token" {
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1 \
        -days 2 -keyout key.pem -out certificate.pem 2>/dev/null
    cat key.pem certificate.pem >both.pem
    serve --port port --tls both.pem
    CONVJUDGE_TOKEN=secret judge runs --server "https://127.0.0.1:$(cat port)"
    ends 2 "https://127.0.0.1:$(cat port): no authority that is trusted here has signed its certificate"
    [[ ! -s log ]]
}

@test "submit hands in a file whatever it is called" {
    serve
    file "it's \$(touch harm).cu" 'time: 51.6'
    judge submit --problem conv2d --mode test --wait "it's \$(touch harm).cu"
    ends 0 "submission 1: 3 ahead" "Accepted"
    absent harm
}
