#!/usr/bin/env bats
# `convjudge appeal`: a run timed again beside its neighbours, and both figures published.

bats_require_minimum_version 1.5.0
load helper
load service

# conv1d_class: six people, of whom Ada is fastest: her file is not Bob's. Bob's runs of one file are pooled. The other four have
# copies of Bob's run whose times are 1.5, 2, 3 and 4 times his.
conv1d_class() {
    judge grade --as Ada "$root/solutions/conv1d/accepted/vector_loads.cu"
    ends 0
    judge grade --as Bob "$root/solutions/conv1d/accepted/naive.cu"
    ends 0
    sqlite3 "$CONVJUDGE_DB" "CREATE TEMP TABLE copy AS SELECT * FROM runs WHERE id = 2;
        UPDATE copy SET id = 3, person = 'Cem', score_ms = 1.5 * score_ms; INSERT INTO runs SELECT * FROM copy;
        UPDATE copy SET id = 4, person = 'Dan', score_ms = score_ms * 2 / 1.5; INSERT INTO runs SELECT * FROM copy;
        UPDATE copy SET id = 5, person = 'Eve', score_ms = score_ms * 1.5; INSERT INTO runs SELECT * FROM copy;
        UPDATE copy SET id = 6, person = 'Fay', score_ms = score_ms * 4 / 3; INSERT INTO runs SELECT * FROM copy"
}

@test "a run whose figures agree keeps its rank, and both are published" {
    judge grade --as Ada "$root/solutions/conv1d/accepted/vector_loads.cu"
    ends 0
    judge grade --as Bob "$root/solutions/conv1d/accepted/naive.cu"
    ends 0
    judge appeal 2 --as Grace --why "Bob asked" --json appeal.json
    ends 0 "Run 2: its two figures agree within their uncertainties. Its rank was 2, and by these new figures alone it would be 2." \
        "Recorded as appeal 1. It replaces no time and no rank; to decide: convjudge retract, or convjudge quarantine --accept." \
        "run 2 on sim-h200, timed again beside its neighbours, 2 rounds in turn with new data"
    counts 1 '^> Bob, run 2 .* 2 .* 2  agrees$'
    counts 1 '^  Ada, run 1 .* 1 .* 1  agrees$'
    json appeal.json '[.schema, .appeal.run, .appeal.rank, .appeal.rank_again, .appeal.person, .appeal.why, (.missing | length)] | @csv' \
        '1,2,2,2,"Grace","Bob asked",0'
    json appeal.json '[.appeal.times[] | .run, .agrees, (.rounds_ms | length), .again_ms == .rounds_ms[0]] | @csv' \
        '1,true,2,true,2,true,2,true'
    json appeal.json '.appeal.times[1] | .first_ms == .again_ms' true
    judge leaderboard --problem conv1d
    ends 0 "timed again:" "run 2 of Bob, "
    counts 1 '^    run 2 of Bob, 20..-..-..: .* \+- .*, then .* \+- .*: its two figures agree within their uncertainties; rank 2, by the new figures 2$'
    judge verify-leaderboard --json verified.json
    ends 0 "2 runs" "1 appeal: all is well"
    json verified.json .appeals 1
    rows 2
}

@test "two neighbours on each side are timed, and a run whose time cannot be repeated is shown to differ" {
    conv1d_class
    judge appeal 4
    ends 1 "Run 4: it is faster now, by more than the uncertainties. Its rank was 4, and by these new figures alone it would be 2."
    counts 1 '^  Bob, run 2 .* 1 .* 1  agrees$'
    counts 1 '^  Cem, run 3 .* 2 .* 1  differs$'
    counts 1 '^> Dan, run 4 .* 3 .* 1  differs$'
    counts 1 '^  Fay, run 6 .* 5 .* 1  differs$'
    lacks Ada
    # The rank itself stays until somebody decides.
    judge leaderboard --problem conv1d
    counts 1 '^ +4  Dan '
    judge appeal 1
    ends 0 "Its rank was 1"
    counts 1 '^  Cem, run 3'
    lacks Dan
}

@test "a run that is no longer accepted gets no figure, and that is published" {
    conv1d_class
    sqlite3 "$CONVJUDGE_DB" "CREATE TEMP TABLE forged AS SELECT * FROM runs WHERE person = 'Bob';
        UPDATE forged SET id = 7, person = 'Mal', machine_code = 'e', source_hash = 'wrong', score_ms = score_ms / 10;
        INSERT INTO runs SELECT * FROM forged;
        INSERT INTO sources (source_hash, source) SELECT 'wrong', replace(source, 'sum +=', 'sum -=')
            FROM sources, runs WHERE sources.source_hash = runs.source_hash AND runs.id = 2"
    judge appeal 7
    ends 1 "Run 7: it was not accepted when it was timed again. Its rank was 1."
    counts 1 '^> Mal, run 7 .* -  Wrong Answer$'
    judge leaderboard --problem conv1d
    counts 1 '^    run 7 of Mal, [-0-9]+: [^,]*: it was not accepted when it was timed again$'
}

@test "a run that waits or was retracted is timed, too, and has no rank" {
    conv1d_class
    judge retract 2 --why "a look"
    ends 0
    judge appeal 2
    ends 0 "It did not rank."
    stored "SELECT rank IS NULL, rank_again IS NULL FROM appeals" '1|1'
}

@test "an appeal that somebody changed or put in is named" {
    judge grade --as Ada "$root/solutions/conv1d/accepted/naive.cu"
    judge appeal 1
    ends 0 "Its rank was 1"
    sqlite3 "$CONVJUDGE_DB" "DROP TRIGGER appeals_are_never_changed;
        UPDATE appeals SET times = replace(times, '\"agrees\":	true', '\"agrees\":	false'), rank_again = 3"
    judge verify-leaderboard
    ends 1 "appeals 1" "agrees of run 1" "rank_again" "trigger appeals_are_never_changed"
    sqlite3 "$CONVJUDGE_DB" "UPDATE appeals SET times = replace(times, '\"person\":	\"Ada\"', '\"person\":	\"Bob\"')"
    judge verify-leaderboard
    ends 1 'appeals 1: person: expected Ada, found Bob'
    sqlite3 "$CONVJUDGE_DB" "UPDATE appeals SET times = '['"
    judge verify-leaderboard
    ends 1 "what an appeal writes"
    sqlite3 "$CONVJUDGE_DB" "UPDATE appeals SET run = 5, times = '[{\"run\": 5, \"person\": \"Ada\", \"first_ms\": 1, \"first_uncertainty\": 0,
        \"first_rank\": 1, \"rounds_ms\": [], \"verdict\": \"Accepted\", \"agrees\": false}]'"
    judge verify-leaderboard
    ends 1 "appeals 1: run: expected a run of the leaderboard, found "
}

@test "a neighbour without a source is named, and reason and person are recorded" {
    conv1d_class
    sqlite3 "$CONVJUDGE_DB" "CREATE TEMP TABLE old AS SELECT * FROM runs WHERE person = 'Cem';
        UPDATE old SET id = 9, person = 'Zoe', machine_code = 'z', source_hash = 'unknown'; INSERT INTO runs SELECT * FROM old"
    judge appeal --why so --as Grace --device sim --json out.json 2
    ends 0 "not timed, since the database lacks the source: Zoe"
    json out.json '[.appeal.why, .appeal.person, .missing[0]] | @csv' '"so","Grace","Zoe"'
}

@test "both figures stand on the page of the run, below its board and in the API, under the names of the board" {
    local ada bob
    serve '{"workers": ["sim"]}'
    ada=$(token ada) bob=$(token "b<i>b")
    hand_in "$ada" k1 >/dev/null
    hand_in "$bob" k2 '.source |= "// mine\n" + .' >/dev/null
    wait_until_ended "$ada" 1
    wait_until_ended "$bob" 2
    as "$bob" POST '/people/b%3Ci%3Eb/pseudonym' -d 'pseudonym=<b>Countess</b>'
    equal 303 "$status"
    as "$ada" GET /api/v1/submissions/1
    equal null "$(jq .appeals <<<"$output")"
    CONVJUDGE_DB=$state/convjudge.db judge appeal 1 --as grace --why '<script>x</script>'
    ends 0 "Run 1: its two figures agree"
    as "$ada" GET /api/v1/submissions/1
    equal '1 1 <b>Countess</b>,ada true' "$(jq -r '.appeals[0] | "\(.run) \(.rank) \([.times[].person] | sort | join(",")) \([.times[].agrees] | all)"' <<<"$output")"
    as "$ada" GET /submissions/1
    equal 200 "$status"
    counts 1 'Timed again</h2>'
    [[ $output == *'&lt;script&gt;x&lt;/script&gt;. The outcome: its two figures agree'* ]]
    [[ $output == *'&lt;b&gt;Countess&lt;/b&gt;</th>'* && $output != *'b&lt;i&gt;b</th>'* ]]
    as "$bob" GET /submissions/2
    lacks 'Timed again</h2>'
    as "$bob" GET /problems/conv1d
    counts 1 '<summary>Runs that were timed again'
    # Where the board is hidden, everybody sees his own figures alone, and no rank.
    stop_server
    jq -n '{schema: 1, title: "x", zone: "UTC", groups: [], assignments: [{id: "a", title: "A", opens: "2020-11-02T08:00", due: "2090-11-09T23:59",
        show: {board: "never"}, problems: [{problem: "conv1d", points: {accepted: 1}}]}]}' >class.json
    jq --arg class "$PWD/class.json" '. + {class: $class, workers: []}' "$BATS_TEST_TMPDIR/config.json" >settings.json
    mv settings.json "$BATS_TEST_TMPDIR/config.json"
    start_server
    as "$ada" GET /api/v1/submissions/1
    equal '["ada"] null null' "$(jq -r '.appeals[0] | "\([.times[].person] | tojson) \(.rank) \(.times[0].again_rank)"' <<<"$output")"
    as "$ada" GET /submissions/1
    counts 1 'Timed again</h2>'
    lacks Countess
    lacks 'Its rank on the board'
    as "$bob" GET /problems/conv1d
    lacks 'Runs that were timed again'
    as "$(token emmy teacher)" GET /api/v1/submissions/1
    equal '2 1' "$(jq -r '.appeals[0] | "\(.times | length) \(.rank)"' <<<"$output")"
    stop_server
}
