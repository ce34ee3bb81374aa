#!/usr/bin/env bats
# Results that are much faster than anything known: the second sitting, and the quarantine.

bats_require_minimum_version 1.5.0
load helper
# shellcheck disable=SC2034 # helper.bash reads it
real_home=1 # these tests compare times, which short cases do not tell apart

# A home of the judge with one problem, whose timed inputs are an eighth as long and whose hidden ones are small, and one
# reference solution, which computes everything four times over.
slow_home() {
    export CONVJUDGE_HOME=$BATS_TEST_TMPDIR/home
    mkdir -p "$CONVJUDGE_HOME"/{simgpu,problems,testcases/conv1d,leaderboard/references,solutions/conv1d/accepted}
    ln -s "$root/base" "$root/grader" "$root/harness" "$CONVJUDGE_HOME/"
    ln -s "$root/simgpu/profiles" "$CONVJUDGE_HOME/simgpu/"
    cp "$root/testcases/conv1d/sample.json" "$CONVJUDGE_HOME/testcases/conv1d/"
    jq '.cases |= map(select(.timed or .sizes.input_size < 50000)) | (.cases[] | select(.timed)).sizes.input_size |= (. / 8 | floor)' \
        "$root/testcases/conv1d/hidden.json" \
        >"$CONVJUDGE_HOME/testcases/conv1d/hidden.json"
    cp -r "$root/problems/conv1d" "$CONVJUDGE_HOME/problems/"
    submission 'for (int i = 0; i < 3; i++)
        convolve<<<(input_size + 255) / 256, 256>>>(input, kernel, output, input_size, kernel_size);' \
        >"$CONVJUDGE_HOME/solutions/conv1d/accepted/slow.cu"
}

# With a hundred times as many operations as there are, the direct roofline is so high that every honest file is beyond it.
raise_roofline() {
    sed -i 's/"operations": "2 /"operations": "200 /' "$CONVJUDGE_HOME/problems/conv1d/problem.json"
}

fast=$root/solutions/conv1d/accepted/vector_loads.cu

@test "an honest result that is far ahead ranks after a second sitting, which is announced" {
    slow_home
    judge grade --as Ada --json one.json "$fast"
    ends 0 "the best known is" "(slow.cu): timed again, which takes about" "second sitting      the same times" "1 of 1 in the class"
    lacks quarantine
    json one.json '.rank_status, (.seconds.second_sitting > 0), .second_sitting.verdict, (.second_sitting.order | length)' \
        $'ranked\ntrue\nAccepted\n3'
    json one.json '[.cases[] | select(.timed)] | length == 3 and all(.review.time_ms == .time_ms and .review.known_of == "slow.cu"
        and .review.known_ms > .time_ms and (.review.samples | length >= 1))' true
    json one.json '[.cases[] | select(.timed).name] == .second_sitting.order' false
    stored "SELECT json_extract(value, '$.review.known_of') FROM runs, json_each(cases) WHERE json_extract(value, '$.timed') LIMIT 1" slow.cu

    # The best time is known now, so the next result is no surprise.
    judge grade --as Bob --json two.json "$fast"
    ends 0 "in the class"
    lacks "second sitting"
    json two.json '.second_sitting, .seconds.second_sitting' $'null\nnull'
    judge quarantine
    ends 0 "no run waits in quarantine"
}

@test "a file that is fast by chance ends in quarantine, and is not ranked" {
    slow_home
    local tries=0
    until [[ ${output-} == *"quarantined: "* ]]; do
        holds "$((++tries)) <= 20"
        rm -f "$CONVJUDGE_DB"*
        judge grade --as Eve --json result.json "$root/tests/attacks/draw_lots.cu"
        ends 0 "Accepted"
    done
    ends 0 " in a second sitting" "warning: this result waits in quarantine: it is accepted, but has no rank until a teacher has looked at it"
    json result.json '(.rank_status | test("^quarantined: .* took .*, and .* in a second sitting$")), .verdict, .rank' \
        $'true\nAccepted\nnull'
    judge leaderboard --problem conv1d
    ends 0 "no ranked submissions"
    stored "SELECT json_extract(sitting, '$.second_sitting.verdict') FROM runs" Accepted
    judge verify-leaderboard
    ends 0
    # Whoever ranks it in the database shows.
    sqlite3 "$CONVJUDGE_DB" "CREATE TEMP TABLE forged AS SELECT * FROM runs; UPDATE forged SET id = 2, rank_status = 'ranked';
        INSERT INTO runs SELECT * FROM forged"
    judge verify-leaderboard
    ends 1 "runs 2: rank_status" "quarantined: two sittings that differ"
    judge quarantine --json list.json
    ends 0 "run 1: Eve, conv1d on sim-h200" "draw_lots.cu" "second sitting" "; best known "
    json list.json '[.runs[0].run, .runs[0].person, (.runs[0].source | test("unlucky")), (.runs[0].cases | length)] | join(" ")' \
        "1 Eve true 3"
    sqlite3 "$CONVJUDGE_DB" "DROP TRIGGER runs_are_never_changed; UPDATE runs SET cases = '[' WHERE id = 1"
    judge quarantine
    ends 2 "the cases of run 1:1: "
}

@test "a result beyond twice the roofline waits until a teacher has accepted it" {
    slow_home
    raise_roofline
    judge grade --as Ada "$fast"
    ends 0 "second sitting      " "times faster than the direct roofline" "quarantined: "
    judge leaderboard --problem conv1d
    ends 0 "no ranked submissions"

    judge quarantine --accept 1 --why "read it" --as Teacher
    ends 0 "run 1 of Ada for conv1d is accepted, and ranks"
    judge leaderboard --problem conv1d
    ends 0 "Ada"
    judge quarantine
    ends 0 "no run waits in quarantine"
    stored 'SELECT run, kind, why, person FROM rulings' "1|accept|read it|Teacher"
    judge grade --as Bob "$fast" # what a teacher has accepted is possible
    ends 0 "in the class"

    judge verify-leaderboard
    ends 0
    judge quarantine --reject 1 --why "the data were known"
    ends 0 "run 1 of Ada for conv1d is rejected, and stays hidden"
    judge leaderboard --problem conv1d
    lacks Ada
    rows 2
    stored 'SELECT count(*) FROM rulings' 2
}

@test "a run that is only a little faster than an unseen one does not pass the roofline either" {
    slow_home
    raise_roofline
    sed -i 's/"timed_calls": 100/"timed_calls": 100, "review_factor": 100/' "$CONVJUDGE_HOME/problems/conv1d/problem.json"
    judge grade --as Ada "$root/solutions/conv1d/accepted/naive.cu" # within a factor of 100: ranks
    ends 0 "1 of 1 in the class"
    lacks "second sitting"
    sed -i 's/"review_factor": 100/"review_factor": 2/' "$CONVJUDGE_HOME/problems/conv1d/problem.json"
    judge grade --as Bob "$root/solutions/conv1d/accepted/shared_tile.cu" # the same time as Ada's
    ends 0 "quarantined: " "times faster than the direct roofline"
}

@test "what waits in quarantine is no best time for others, nor is what was rejected or retracted" {
    slow_home
    raise_roofline
    judge grade --as Ada "$fast"
    ends 0 "quarantined: "
    judge grade --as Bob --json result.json "$fast"
    ends 0 "quarantined: "
    json result.json '[.cases[].review.known_of | values] | unique | join(" ")' slow.cu
    judge quarantine --accept 1 --why "read it"
    ends 0
    judge quarantine --reject 2 --why "it is Ada's"
    ends 0
    judge retract 1 --why "the data were known"
    ends 0
    judge grade --as Bob --json result.json "$fast"
    ends 0 "quarantined: "
    json result.json '[.cases[].review.known_of | values] | unique | join(" ")' slow.cu
}

@test "both sittings share the budget of the grading; without enough left, a result waits" {
    slow_home
    local problem=$CONVJUDGE_HOME/problems/conv1d/problem.json
    judge references --problem conv1d --device sim
    ends 0
    # The timed cases of one sitting take about 19 million warp-instructions, the largest 15, the hidden cases few.
    sed -i 's/"sim_warp_instructions": [0-9]*/"sim_warp_instructions": 30000000, "sim_grading_warp_instructions": 30000000/' "$problem"
    judge grade --as Ada --json result.json "$fast"
    ends 0 "Accepted" "quarantined: the grading had too little time left for a second sitting"
    json result.json '.second_sitting.verdict, (.second_sitting.text | test("budget"))' $'Time Limit Exceeded\ntrue'
    sed -i 's/"sim_grading_warp_instructions": 30000000/"sim_grading_warp_instructions": 60000000/' "$problem"
    judge grade --as Ada "$fast"
    ends 0 "second sitting      the same times" "1 of 1 in the class"
}

@test "a run that is not recorded is not timed again" {
    slow_home
    judge grade --no-record "$fast"
    ends 0 "not recorded"
    lacks "second sitting"
}

@test "quarantine lists and decides, and takes nothing for a command" {
    slow_home
    raise_roofline
    judge grade --as Ada "$fast"
    ends 0 "quarantined: "
    judge quarantine
    ends 0 "run 1: Ada" " of the roofline" "    source " "..., machine code " "These runs are accepted, but rank only after: convjudge quarantine --accept RUN" \
        "To keep one hidden: convjudge quarantine --reject RUN"
    # shellcheck disable=SC2016
    judge quarantine --accept 1 --as Teacher --why 'it is "$(shell touch '"$PWD"'/ran)" fine'
    ends 0 "run 1 of Ada for conv1d is accepted"
    absent ran
    # shellcheck disable=SC2016
    stored 'SELECT why FROM rulings' 'it is "$(shell touch '"$PWD"'/ran)" fine'
}
