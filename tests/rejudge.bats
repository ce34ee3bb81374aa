#!/usr/bin/env bats
# `convjudge rejudge`: submissions are judged again at a real server, and somebody decides whether that counts.

bats_require_minimum_version 1.5.0
load helper
load service

# own_home: a home of the test's own, whose hidden cases lack those with 32 weights, also by chance.
own_home() {
    local shared=$CONVJUDGE_HOME
    export CONVJUDGE_HOME=$BATS_TEST_TMPDIR/home HOME=$BATS_TEST_TMPDIR
    cp -r "$shared" "$CONVJUDGE_HOME"
    hidden=$CONVJUDGE_HOME/testcases/conv1d/hidden.json
    cp "$hidden" all_cases.json
    jq '.cases |= map(select(.sizes.kernel_size | type == "number" and . != 32))' all_cases.json >"$hidden"
}

# other_timed_cases: changes the revision of the problem.
other_timed_cases() { jq '.cases |= map(if .timed then .sizes.input_size += 1 else . end)' all_cases.json >"$hidden"; }

# submitted PERSON FILE: hands in and waits for the verdict.
submitted() {
    CONVJUDGE_TOKEN=$(token "$1") "$build/convjudge" submit --wait --json submitted.json --server "http://$address" "$2" >/dev/null || true
    jq -r .submission.verdict submitted.json
}

# verdict_of PERSON NUMBER: the one that counts now.
verdict_of() {
    as "$(token "$1")" GET "/api/v1/submissions/$2"
    jq -r .verdict <<<"$output"
}

rejudge() { judge rejudge --state "$state" "$@"; }

# batch_is N JQ VALUE: what --json says of a batch.
batch_is() { [[ $("$build/convjudge" rejudge --state "$state" --batch "$1" --json - | jq -c "$2") == "$3" ]]; }

# has_text TEXT...: the page holds each text.
has_text() {
    local text
    for text in "$@"; do
        [[ $output == *"$text"* ]] || { echo "$status, the page lacks: $text"; sed -n '/<main/,$p' <<<"$output"; return 1; }
    done
}

# editions N: the server keeps so many, and nothing unfinished.
editions() { [[ $(find "$state/editions" -mindepth 1 -maxdepth 1 | wc -l) == "$1" ]]; }

# claim WORKER: asks for work as a worker does; prints the job's judging, or nothing.
claim() {
    curl -sf --unix-socket "$socket" -d "{\"worker\": \"$1\", \"device\": \"sim-h200\", \"device_name\": \"x\", \"wait_s\": 0, \"most_s\": 0}" \
        http://x/api/v1/work/claim | jq '.job.judging // empty'
}

in_state() { [[ $(in_store "SELECT state FROM judging WHERE batch = 1 AND submission = $2") == "$1" ]]; }

# board: the names of those who rank.
board() { curl -sf --unix-socket "$socket" "http://x/api/v1/boards/conv1d?device=sim-h200" | jq -c '[.standings[].person] | sort'; }

@test "new hidden cases change verdicts and ranks once the batch is applied, all at once" {
    own_home
    serve '{"workers": ["sim"]}'
    submission 'if (kernel_size == 32) return;' >weak.cu
    submission >good.cu
    submission '' '' '(input_size + 63) / 64, 64' >blocks.cu
    equal Accepted "$(submitted ada weak.cu)"
    equal Accepted "$(submitted bob good.cu)"
    equal Accepted "$(submitted cyd blocks.cu)"
    equal '["ada","bob","cyd"]' "$(board)"

    cp all_cases.json "$hidden"
    rejudge --problem conv1d --why "a case with 32 weights"
    ends 0 "batch 2: 3 submissions of problem conv1d are judged again; the results stay hidden until --apply" '`convjudge rejudge --batch 2` shows what it would change'
    # What is handed in meanwhile counts by the cases of before, and is judged by the new ones in the batch.
    equal Accepted "$(submitted dora weak.cu)"
    # The server and its workers may be killed meanwhile, also while it copies or removes an edition.
    kill_server
    mkdir -p "$state/editions/.part-7/problems/conv1d"
    cp "$CONVJUDGE_HOME/problems/conv1d/oracle.h" "$state/editions/.part-7/problems/conv1d"
    start_server
    wait_until batch_is 2 .batch.judged 4
    equal '["ada","bob","cyd","dora"]' "$(board)"
    wait_until editions 2
    equal 4 "$(in_store 'SELECT count(*) FROM runs')"
    rejudge --batch 2
    ends 0 "batch 2, problem conv1d, open since " "a case with 32 weights" "4 of 4 submissions judged" "3 of the judged submissions change, 1 stay as they are"
    has_lines "     1  ada             Accepted              Wrong Answer" "     3  cyd             Accepted              Accepted"
    batch_is 2 '[.submissions[] | .changes]' '[true,false,true,true]'
    batch_is 2 '[.submissions[] | [.before.rank, .after.rank]]' '[[1,null],[1,1],[4,2],[1,null]]'
    batch_is 2 '[.submissions[] | .time_differs]' '[false,false,false,false]'

    # One that is killed in the midst of it leaves everything as it was.
    sqlite3 "$state/convjudge.db" "PRAGMA busy_timeout = 10000; CREATE VIEW slow AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n
        WHERE i < 1000000000) SELECT max(i) AS last FROM n; CREATE TRIGGER slowly AFTER INSERT ON rulings BEGIN SELECT last FROM slow; END"
    "$build/convjudge" rejudge --state "$state" --apply 2 3>&- &
    local applying=$!
    is_held() { # for longer than the server ever writes
        for _ in 1 2 3 4 5; do
            run sqlite3 "$state/convjudge.db" "BEGIN IMMEDIATE"
            [[ $status == 5 && $output == *"database is locked"* ]] || return 1
        done
    }
    wait_until is_held
    kill -KILL "$applying"
    wait "$applying" || true
    sqlite3 "$state/convjudge.db" "PRAGMA busy_timeout = 10000; DROP TRIGGER slowly; DROP VIEW slow"
    batch_is 2 .batch.state '"open"'
    equal "4 0" "$(in_store "SELECT (SELECT count(*) FROM runs) || ' ' || (SELECT count(*) FROM rulings)")"

    rejudge --apply 2
    ends 0 "batch 2 is applied"
    equal '["bob","cyd"]' "$(board)"
    wait_until editions 1 # by which hand-ins count from now on
    [[ -d $state/editions/$(in_store "SELECT edition FROM batch WHERE id = 2") ]]
    CONVJUDGE_TOKEN=$(token ada) judge show 1 --no-code --server "http://$address"
    ends 0 "Wrong Answer  weak.cu"
    equal '["Wrong Answer","Wrong Answer"]' "$(jq -c . <<<"[\"$(verdict_of dora 4)\",\"$(submitted erin weak.cu)\"]")"
    CONVJUDGE_DB=$state/convjudge.db judge verify-leaderboard
    equal "" "$(grep -E '^(runs|rulings|sources) ' <<<"$output")"
    rejudge --apply 2
    ends 2 "batch 2 was applied already"

    rejudge --problem conv1d --runs 2 --why "another look"
    ends 0 "batch 3: 1 submissions"
    rejudge --drop 3
    ends 0 "batch 3 is dropped"
    equal '["bob","cyd"]' "$(board)"
    rejudge --list
    has_lines "batch 3, problem conv1d, dropped: another look" "batch 2, problem conv1d, applied: a case with 32 weights"
    equal "rejudge,rejudge apply,rejudge,rejudge drop" "$(in_store "SELECT group_concat(action) FROM (SELECT action FROM audit WHERE action LIKE 'rejudge%' ORDER BY id)")"
}

@test "what is handed in while a batch is open keeps the verdict of before once the batch is dropped" {
    own_home
    serve '{"workers": ["sim"]}'
    submission 'if (kernel_size == 32) return;' >weak.cu
    submission >good.cu
    equal Accepted "$(submitted ada good.cu)"
    cp "$hidden" before.json
    other_timed_cases # and the case with 32 weights
    rejudge --problem conv1d --why "a case with 32 weights"
    ends 0
    equal Accepted "$(submitted dora weak.cu)"
    wait_until batch_is 2 .batch.judged 2
    batch_is 2 '[.submissions[] | [.before.verdict, .after.verdict]]' '[["Accepted","Accepted"],["Accepted","Wrong Answer"]]'
    equal 2 "$(in_store 'SELECT count(DISTINCT edition) FROM judging WHERE submission = 2')"
    equal '["ada","dora"]' "$(board)"
    # Where the copy has gone bad, nothing is judged by other files: a person sees to it.
    local fay before
    before=$(in_store 'SELECT edition_before FROM batch WHERE id = 2')
    echo >>"$state/editions/$before/problems/conv1d/oracle.h"
    fay=$(hand_in "$(token fay)" f1)
    wait_until in_state held "$fay"
    grep -q "these files are no longer those of the edition" "$BATS_TEST_TMPDIR/server.log"
    rm -r "$state/editions/$before"
    fay=$(hand_in "$(token fay)" f2)
    wait_until in_state held "$fay"
    grep -q "the server lacks the files by which this problem counts" "$BATS_TEST_TMPDIR/server.log"
    rejudge --drop 2
    ends 0
    equal Accepted "$(verdict_of dora 2)"
    # From now on there is only the problem as it lies there.
    equal "Wrong Answer" "$(submitted erin weak.cu)"
    wait_until editions 1
    cp before.json "$hidden"
    equal '["ada","dora"]' "$(board)"
}

@test "a batch waits behind what is handed in, and is no longer applied once the problem has changed again" {
    own_home
    serve '{"workers": []}'
    local ada
    ada=$(token ada)
    hand_in "$ada" a1
    rejudge --problem conv1d --why "a new driver"
    ends 0 "batch 2: 1 submissions of problem conv1d are judged again"
    hand_in "$ada" a2
    equal 2 "$(in_store 'SELECT count(*) FROM judging WHERE batch = 2')"
    claim w1
    equal 1 "$(in_store "SELECT group_concat(batch, ' ') FROM judging WHERE state = 'offered'")" # where it could have been the batch's
    rejudge --apply 2
    ends 2 "batch 2: 2 of 2 submissions are not judged yet"
    rejudge --batch 2 --json -
    equal '{"judged":0,"waiting":2}' "$(jq -c '.batch | {judged, waiting}' <<<"$output")"
    rejudge --problem conv1d --why "once more"
    ends 2 "batch 2 of problem conv1d is open; apply or drop it before another is begun"
    other_timed_cases
    rejudge --apply 2
    ends 2 "batch 2: problem conv1d has changed since; drop the batch, and begin another"
    as "$ada" DELETE /api/v1/submissions/2
    equal 200 "$status"
    rejudge --drop 2
    ends 0 "batch 2 is dropped"
    rejudge --problem conv1d --why "once more" --json -
    ends 0
    equal '[{"submission":2,"why":"its author has withdrawn it"}]' "$(jq -c .skipped <<<"$output")"
    rejudge --batch 3
    ends 0 "    not submission 2: its author has withdrawn it"
    rejudge --batch 3 --json -
    equal '[{"submission":2,"why":"its author has withdrawn it"}]' "$(jq -c .skipped <<<"$output")"
}

@test "other timed cases make a new board, which the batch fills" {
    own_home
    serve '{"workers": ["sim"]}'
    submission >good.cu
    equal Accepted "$(submitted ada good.cu)"
    other_timed_cases
    equal Accepted "$(submitted bob good.cu)"
    equal '["bob"]' "$(board)"
    rejudge --problem conv1d --why "longer inputs" --runs 1
    ends 0
    wait_until batch_is 2 .batch.judged 1
    rejudge --apply 2
    ends 0 "batch 2 is applied"
    equal '["ada","bob"]' "$(board)"
    equal "replaced by run 3 (batch 2: longer inputs)" "$(in_store 'SELECT why FROM rulings')"
}

@test "a rejudging waits for what is handed in, and what waits is judged by the cases of now" {
    own_home
    serve '{"workers": []}'
    local ada i
    ada=$(token ada)
    for i in 1 2 3 4 5; do hand_in "$ada" "a$i"; done
    sqlite3 "$state/convjudge.db" "PRAGMA busy_timeout = 10000; UPDATE judging SET state = 'recorded', verdict = 'Accepted', text = ''" >/dev/null
    equal "" "$(claim w1)"
    rejudge --problem conv1d --why "a new driver"
    ends 0
    claim w1
    equal 1 "$(in_store "SELECT count(*) FROM judging WHERE state = 'offered' AND batch = 2")"
    hand_in "$ada" a6
    claim w2
    equal 1 "$(in_store "SELECT count(*) FROM judging WHERE state = 'offered' AND batch = 1")"
    other_timed_cases
    claim w3
    equal 2 "$(in_store "SELECT count(DISTINCT revision) FROM judging WHERE state = 'offered' AND batch = 2")"
    rejudge --apply 2
    ends 2 "batch 2: problem conv1d has changed since; drop the batch, and begin another"
}

@test "an administrator begins a rejudging on a page, looks at what it would change, and applies it" {
    own_home
    serve '{"workers": ["sim"]}'
    local admin
    admin=$(token grace admin)
    submission 'if (kernel_size == 32) return;' >weak.cu
    equal Accepted "$(submitted 'ada<b>' weak.cu)"
    as "$admin" GET /admin/batches
    has_text "Nothing has been judged again yet."
    as "$admin" POST /admin/batches -d problem=conv1d -d 'why= '
    equal 400 "$status"
    has_text "expected a reason"
    as "$admin" POST /admin/batches -d problem=conv1d -d why=x -d since=yesterday
    equal 400 "$status"
    has_text "expected a time such as 2026-01-31T12:00:00Z, found &#39;yesterday&#39;"
    as "$admin" POST /admin/batches -d why=x
    equal 400 "$status"
    has_text "expected the name of a problem"
    as "$admin" POST /admin/batches -d problem=../conv1d -d why=x
    equal 400 "$status"
    as "$admin" GET /admin/batches/99999999999999999999
    equal 404 "$status"
    has_text "there is no batch &#39;99999999999999999999&#39;"
    cp all_cases.json "$hidden"
    as "$admin" POST /admin/batches -d problem=conv1d --data-urlencode 'why=<i>32</i> weights' -D headers
    equal 303 "$status"
    grep -qi '^location: /admin/batches/2' headers
    as "$admin" POST /admin/batches/2/apply
    equal 400 "$status"
    wait_until batch_is 2 .batch.judged 1
    as "$admin" GET /admin/batches/2
    has_text "What it would change" "1 of 1 judged" "1 of the judged submissions change, 0 stay as they are." "&lt;i&gt;32&lt;/i&gt; weights" "ada&lt;b&gt;" "Wrong</span> Answer"
    as "$admin" GET /admin/batches
    has_text '<a href="/admin/batches/2">2</a>' "1 of 1 judged"
    equal '["ada<b>"]' "$(board)"
    as "$admin" POST /admin/batches/2/apply
    equal 303 "$status"
    equal '[]' "$(board)"
    as "$admin" POST /admin/batches/2/drop
    equal 400 "$status"
    as "$admin" GET /admin/batches/2
    has_text "What it found"
    [[ $output != *"/admin/batches/2/apply"* ]]
    equal $'rejudge\nrejudge apply' "$(in_store "SELECT action FROM audit WHERE person = 'grace' AND action LIKE 'rejudge%' ORDER BY id")"
}

@test "after an upgrade the old board stays, labelled, until its submissions are judged again" {
    serve
    local teacher admin add="INSERT INTO runs SELECT NULL, '2026-01-31T12:00:00Z', name, 'conv1d', revision, 'sim-h200', epoch, 'H200',
        '', '', '', 'full', 'Accepted', 'ranked', 1.5, 0.01, name, 'x', 'x.cu', '{}', '[]' FROM judging,"
    teacher=$(token emmy teacher) admin=$(token root admin)
    hand_in "$teacher" k >/dev/null
    sqlite3 "$state/convjudge.db" "$add (SELECT 'bob' AS name, -1 AS epoch)"
    as "$admin" GET /admin
    has_text 'convjudge rejudge --problem conv1d --why "a new version of the judge"'
    sqlite3 "$state/convjudge.db" "$add (SELECT 'eve' AS name, 99 AS epoch)"
    as "$teacher" GET /problems/conv1d
    [[ $output == *eve*'of an earlier version of the judge'*'These times do not compare with newer ones.'*bob* ]]
    as "$teacher" GET /teacher
    [[ $output == *'Times of an earlier version of the judge'*sim-h200* ]]
    as "$teacher" GET /api/v1/boards/conv1d
    equal 'eve false' "$(jq -r '"\(.standings[0].person) \(.older)"' <<<"$output")"
    stop_server
    start_server
    grep -q 'event=board_of_an_earlier_version problem=conv1d device=sim-h200 repair=' "$BATS_TEST_TMPDIR/server.log"
    sqlite3 "$state/convjudge.db" "INSERT INTO rulings (time_utc, run, kind, why, person) VALUES ('', 1, 'retract', 'replaced by run 2', 'root')"
    as "$teacher" GET /problems/conv1d
    [[ $output == *eve* && $output != *'of an earlier version'* && $output != *bob* ]]
}
