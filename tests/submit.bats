#!/usr/bin/env bats
# The commands that talk to a server, at a real one with a worker. tests/client.bats has what can go wrong.

bats_require_minimum_version 1.5.0
load helper
load service

# served [SETTINGS]: starts a server, with a temporary folder of its own, and lets the commands find it.
served() {
    export HOME=$BATS_TEST_TMPDIR
    serve "${1:-{\"workers\": [\"sim\"]\}}"
    export CONVJUDGE_SERVER=$socket
}

@test "a file is handed in, judged and looked at" {
    served
    submission >mine.cu
    judge submit --wait --json mine.json mine.cu
    ends 0 "submission 1: " "Accepted  mine.cu, problem conv1d on NVIDIA H200 (simulated)"
    json mine.json '.submission.state, .result.verdict, (.result.score_ms == .submission.score_ms)' $'judged\nAccepted\ntrue'
    submission '' 'input_size--;' >wrong.cu
    judge submit --wait wrong.cu
    ends 1 "Wrong Answer  wrong.cu"
    echo 'extern "C" void solve() { nonsense }' >broken.cu
    judge submit --wait --problem conv1d broken.cu
    ends 1 "Compile Error  broken.cu"
    judge submit --wait --mode test mine.cu
    ends 0 "Accepted  mine.cu"
    judge submit --wait --mode try --sizes input_size=100,kernel_size=7 mine.cu
    ends 0
    submission '' '' '(input_size + 63) / 64, 64' >blocks.cu
    judge submit --wait blocks.cu
    ends 0 "Accepted  blocks.cu"

    judge runs --json runs.json
    ends 0 "run  at (UTC) " "Wrong Answer" "Compile Error" "times are modelled"
    equal "6 5 4 3 2 1" "$(awk '$1 ~ /^[0-9]+$/ { print $1 }' <<<"$output" | xargs)"
    json runs.json '[.submissions[].mode] | join(" ")' "rank try test rank rank rank"
    judge show 2
    ends 0 "submission 2 of $(id -un)" "file        wrong.cu" " UTC" "state       judged" "Wrong Answer  wrong.cu" "input_size--;"
    judge show --no-code 1
    ends 0 "rank now    1 of 1" "Accepted  mine.cu"
    lacks "extern"
    judge compare --json pair.json 1 6
    ends 0 "6 against 1, problem conv1d" "all, geometric mean"
    json pair.json '.obstacle, (.cases | map(select(.change)) | length), (.score.change.order | length > 0)' $'null\n3\ntrue'
    judge compare --json pair.json 1 2
    ends 0 ", then Wrong Answer" "Their times cannot be compared: both need one."
    json pair.json '.obstacle, .score.change' $'both need one\nnull'
    judge compare 1 9
    ends 2 "(status 404)"
    judge history --json history.json
    ends 0 "conv1d on NVIDIA H200 (simulated), modelled times" " *"
    json history.json '.histories[0] | .problem, (.submissions | length), (.submissions[5] | .best_ms <= .score_ms)' $'conv1d\n6\ntrue'
    judge withdraw 1
    ends 2 "(status 409)"
    CONVJUDGE_DB=$state/convjudge.db judge verify-leaderboard
    ends 0
    run curl -s --unix-socket "$socket" http://x/api/v1/boards/conv1d/csv
    ends 0 "rank,person,time_ms,uncertainty,model_factor,time_utc" $'\n'"1,$(id -un),0."
}

@test "the place in the class is the server's, as its board is now" {
    served
    local ada bob
    ada=$(token ada) bob=$(token bob)
    submission >mine.cu
    submission '' '' '(input_size + 63) / 64, 64' >blocks.cu
    CONVJUDGE_TOKEN=$bob judge submit --wait --server "http://$address" blocks.cu
    ends 0 "class       no others to compare with yet" "rank        1 of 1 in the class, as bob"
    CONVJUDGE_TOKEN=$ada judge submit --wait --server "http://$address" mine.cu
    ends 0 "rank        1 of 2 in the class, as ada"
    CONVJUDGE_TOKEN=$bob judge show --json show.json --server "http://$address" 1
    ends 0 "class       faster than 0 of 1 others" "rank        2 of 2 in the class, as bob"
    as "$bob" GET /api/v1/submissions/1/result
    equal '[2,1,0,"ranked"]' "$(jq -c '[.rank, .percentile.class.n, .percentile.class.slower, .rank_status]' <<<"$output")"
    CONVJUDGE_DB=$state/convjudge.db judge retract --why "to see what follows" 2
    ends 0
    as "$bob" GET /api/v1/submissions/1/report
    [[ $output == *"rank        1 of 1 in the class, as bob"* ]]
    as "$ada" GET /api/v1/submissions/2/report
    [[ $output == *"rank        retracted"* ]]
}

@test "who waits gets the verdict from the server that comes back after a kill" {
    local client result=0
    served
    submission >mine.cu
    "$build/convjudge" submit --wait mine.cu >out 2>err 3>&- &
    client=$!
    wait_until grep -q judging err
    kill_server
    start_server
    wait "$client" || result=$?
    output=$(cat out err) status=$result
    ends 0 "submission 1: " "Accepted  mine.cu"
}

@test "what waits is withdrawn, and a token opens the other door" {
    served '{"workers": []}'
    submission >mine.cu
    judge submit mine.cu
    ends 0 "submission 1: next"
    judge withdraw 1
    ends 0 "submission 1 is withdrawn"
    judge submit --wait mine.cu --server "http://$address"
    ends 2 "expected a token, in CONVJUDGE_TOKEN or in the file ~/.config/convjudge/token"
    CONVJUDGE_TOKEN=$(token ada) judge submit mine.cu --server "http://$address"
    ends 0 "submission 2: next"
    CONVJUDGE_TOKEN=$(token bob) judge show 2 --server "http://$address"
    ends 2 "(status 404)"
    CONVJUDGE_TOKEN=$(token grace teacher) judge runs --as ada --server "http://$address"
    ends 0 "waiting"
    CONVJUDGE_TOKEN=$(token grace teacher) judge runs --server "http://$address"
    ends 0 "no submissions yet"
    CONVJUDGE_TOKEN=$(token grace teacher) judge runs --problem conv2d --server "http://$address"
    ends 0 "no submissions yet"
    CONVJUDGE_TOKEN=$(token grace teacher) judge runs --problem conv22 --server "http://$address"
    ends 2 "unknown problem 'conv22'; did you mean" "known problems: "
}

@test "what waits is withdrawn at whatever moment" {
    local i
    served '{"workers": []}'
    for i in {1..20}; do
        submission >mine.cu
        echo "// $i" >>mine.cu
        judge submit mine.cu
        ends 0 "submission $i: next"
        judge withdraw "$i"
        ends 0 "submission $i is withdrawn"
    done
}
