#!/usr/bin/env bats
# A server with a class: deadlines, what is shown to whom and when, extensions that leave a record.

bats_require_minimum_version 1.5.0
# shellcheck disable=SC2034 # helper.bash reads it
any_compiler=1
load helper
load service

# local_time DATE: as class.json writes it, in UTC.
local_time() { date -u -d "$1" +%Y-%m-%dT%H:%M; }

# a_class [JQ]: writes class.json: one assignment for conv1d that is open and due in three hours; jq changes it.
a_class() {
    # the same times each time, whatever the minute
    opens=${opens:-$(local_time '2 days ago')} due=${due:-$(local_time '3 hours 30 minutes')}
    jq -n --arg opens "$opens" --arg due "$due" '{schema: 1, title: "Parallel programming", zone: "UTC",
        groups: [{name: "tutorial 1", people: ["ada", "bob"]}],
        assignments: [{id: "week-1", title: "One dimension", opens: $opens, due: $due, late: {percent_per_day: 10, days: 2},
            problems: [{problem: "conv1d", points: {accepted: 4}}]}]}' | jq "${1:-.}" >"$BATS_TEST_TMPDIR/class.json.new"
    mv "$BATS_TEST_TMPDIR/class.json.new" "$BATS_TEST_TMPDIR/class.json"
}

# serve_class [JQ [SETTINGS]]
serve_class() {
    local settings=${2:-}
    if [[ -z $settings ]]; then settings='{}'; fi
    a_class "${1:-.}"
    serve "$(jq --arg class "$BATS_TEST_TMPDIR/class.json" '. + {class: $class}' <<<"$settings")"
}

# read_anew [JQ]: changes class.json, and waits until the server has read or refused it.
read_anew() {
    local before
    before=$(grep -c 'event=class_re' "$BATS_TEST_TMPDIR/server.log" || true)
    a_class "${1:-.}"
    kill -HUP "$server"
    wait_until more_readings_than "$before"
}
more_readings_than() { (($(grep -c 'event=class_re' "$BATS_TEST_TMPDIR/server.log") > $1)); }

# moved NUMBER MODIFIER: a submission was received earlier, as the store has it.
moved() {
    sqlite3 "$state/convjudge.db" "PRAGMA busy_timeout = 10000; UPDATE submission SET received_s = received_s + $2,
        received_utc = strftime('%Y-%m-%dT%H:%M:%SZ', received_s + $2, 'unixepoch') WHERE id = $1" >/dev/null
}

# accepted NUMBER: the store says that it was accepted.
accepted() {
    sqlite3 "$state/convjudge.db" "PRAGMA busy_timeout = 10000; UPDATE judging SET state = 'recorded', verdict = 'Accepted',
        text = '', device = 'sim-h200' WHERE submission = $1" >/dev/null
}

@test "a hand-in says what it counts for and until when" {
    serve_class
    local ada
    ada=$(token ada)
    as "$ada" POST /api/v1/submissions -d "$(request k1)"
    equal 201 "$status"
    equal true "$(jq '.counts_for[0].counts' <<<"$output")"
    [[ $(jq -r '.counts_for[0].text' <<<"$output") == "counts for One dimension, due $(date -u -d "$(jq -r '.counts_for[0].due_utc' <<<"$output")" '+%Y-%m-%d %H:%M') (UTC), in 3 hours" ]]
    as "$ada" POST /api/v1/submissions -d "$(request k2 '.mode = "test"')"
    equal null "$(jq .counts_for <<<"$output")"
    as "$ada" GET /api/v1/assignments
    equal '["week-1","open",["conv1d"]]' "$(jq -c '.assignments[0] | [.assignment, .state, .problems]' <<<"$output")"
}

@test "what is late says what that costs, and what is too late is judged but does not count" {
    serve_class '.assignments[0].due = "'"$(local_time '5 hours ago')"'"'
    local ada number
    ada=$(token ada)
    number=$(hand_in "$ada" k)
    as "$ada" GET "/api/v1/submissions/$number"
    equal '[1,10]' "$(jq -c '.counts_for[0] | [.days_late, .taken_off_percent]' <<<"$output")"
    [[ $(jq -r '.counts_for[0].text' <<<"$output") == "counts for One dimension, 1 day late, so 10 % of its points are taken off; it was due "*", 5 hours ago" ]]
    read_anew '.assignments[0].opens = "2026-01-01T00:00" | .assignments[0].due = "2026-01-02T00:00"'
    as "$ada" GET "/api/v1/submissions/$number"
    equal false "$(jq '.counts_for[0].counts' <<<"$output")"
    as "$ada" POST /api/v1/submissions -d "$(request k2)"
    equal 201 "$status"
    [[ $(jq -r '.counts_for[0].text' <<<"$output") == "does not count: One dimension closed 2026-01-04 00:00 (UTC), "*" days ago" ]]
}

@test "before an assignment opens, students practise and teachers hand in" {
    serve_class '.assignments[0].opens = "'"$(local_time '90 minutes')"'"'
    local ada teacher
    ada=$(token ada) teacher=$(token turing teacher)
    as "$ada" POST /api/v1/submissions -d "$(request k1)"
    equal 400 "$status"
    [[ $(jq -r .error <<<"$output") == "One dimension opens "*" (UTC), in 1 hour; until then conv1d can be submitted with the modes try and test only" ]]
    equal 0 "$(in_store 'SELECT count(*) FROM submission')"
    as "$ada" POST /api/v1/submissions -d "$(request k1 '.mode = "test"')"
    equal 201 "$status"
    as "$teacher" POST /api/v1/submissions -d "$(request k1)"
    equal 201 "$status"
}

@test "a class that is wrong ends the start, and is refused while the server runs" {
    a_class '.assignments[0].due = "tomorrow"'
    serve "$(jq -n --arg class "$BATS_TEST_TMPDIR/class.json" '{class: $class}')" && false
    [[ $(cat "$BATS_TEST_TMPDIR/server.log") == *"class.json:"*"due: expected a time"* ]]
    serve_class
    local ada
    ada=$(token ada)
    read_anew '.assignments[0].problems[0].problem = "conv9d"'
    grep -q 'level=error event=class_refused .*conv9d.* kept="the one read before"' "$BATS_TEST_TMPDIR/server.log"
    as "$ada" GET /api/v1/assignments
    equal week-1 "$(jq -r '.assignments[0].assignment' <<<"$output")"
    read_anew '.assignments[0].id = "week-7"'
    as "$ada" GET /api/v1/assignments
    equal week-7 "$(jq -r '.assignments[0].assignment' <<<"$output")"
}

@test "a class is read anew when its file changes, without a signal" {
    serve_class
    local ada
    ada=$(token ada)
    a_class '.assignments[0].id = "week-8"'
    shown() { as "$ada" GET /api/v1/assignments && [[ $output == *week-8* ]]; }
    wait_until shown
}

@test "each extension that is new, changed or gone is a row of the audit log" {
    serve_class
    equal 0 "$(in_store "SELECT count(*) FROM audit WHERE action LIKE 'extension%'")"
    local extension
    extension='{person: "bob", assignment: "week-1", due: "2098-01-01T12:00", why: "ill", by: "grace"}'
    read_anew ".extensions = [$extension]"
    read_anew ".extensions = [$extension]" # nothing has changed
    read_anew ".extensions = [$extension | .why = \"still ill\"]"
    read_anew
    equal "convjudge serve|extension add|bob, week-1: due 2098-01-01T12:00 instead of $due, by grace: ill ($BATS_TEST_TMPDIR/class.json)
convjudge serve|extension change|bob, week-1: due 2098-01-01T12:00 instead of 2098-01-01T12:00, by grace: still ill ($BATS_TEST_TMPDIR/class.json)
convjudge serve|extension remove|bob, week-1: due $due instead of 2098-01-01T12:00 ($BATS_TEST_TMPDIR/class.json)" \
        "$(in_store "SELECT person, action, object FROM audit WHERE action LIKE 'extension%' ORDER BY id")"
    equal 0 "$(in_store 'SELECT count(*) FROM seen_extension')"
    read_anew ".extensions = [$extension]"
    read_anew '.assignments[0].id = "week-9"'
    [[ $(in_store 'SELECT object FROM audit ORDER BY id DESC LIMIT 1') == "bob, week-1: was due 2098-01-01T12:00; there is no such assignment now ("* ]]
}

@test "groups of class.json and groups of the server are one where names agree" {
    serve_class '.assignments[0].groups = ["tutorial 1"]'
    local eve teacher
    eve=$(token eve) teacher=$(token turing teacher)
    equal 2 "$(in_store "SELECT count(*) FROM membership JOIN class_group ON class_group.id = class_group WHERE name = 'tutorial 1'")"
    as "$eve" GET /api/v1/assignments
    equal '[]' "$(jq -c .assignments <<<"$output")"
    # Who has joined by a link takes part; who is no more in the file has left.
    sqlite3 "$state/convjudge.db" "PRAGMA busy_timeout = 10000; INSERT INTO membership (class_group, person) SELECT class_group.id, person.id FROM class_group, person WHERE person.name = 'eve'" >/dev/null
    read_anew '.assignments[0].groups = ["tutorial 1"] | .groups[0].people = ["ada"]'
    as "$eve" GET /api/v1/assignments
    equal 1 "$(jq '.assignments | length' <<<"$output")"
    equal 'ada
eve' "$(in_store "SELECT person.name FROM membership JOIN person ON person.id = person ORDER BY 1")"
}

@test "a board is hidden while class.json says so" {
    serve_class '.assignments[0].show = {board: "closed"}'
    local ada teacher
    ada=$(token ada) teacher=$(token turing teacher)
    ask GET /api/v1/boards/conv1d
    equal 403 "$status"
    as "$ada" GET /api/v1/boards/conv1d/csv
    equal 403 "$status"
    [[ $output == *"the board of conv1d is not shown now"* ]]
    as "$ada" GET /api/v1/boards/conv2d
    equal 200 "$status"
    as "$teacher" GET /api/v1/boards/conv1d
    equal 200 "$status"
    as "$ada" GET /problems/conv1d
    [[ $output == *"The board is not shown now."* && $output != *"All times on this board"* ]]
    # Nor do report and result tell one's place.
    local number
    number=$(hand_in "$ada" k)
    accepted "$number"
    sqlite3 "$state/convjudge.db" "PRAGMA busy_timeout = 10000; INSERT INTO document SELECT id, 'report', 'verdict Accepted
  references  faster than 6 of 8
  class       faster than 1 of 1 others
  rank        1 of 2 in the class
  end' FROM judging WHERE submission = $number; INSERT INTO document SELECT id, 'result',
        '{\"rank\": 1, \"score_ms\": 0.06066000000000001, \"percentile\": {\"references\": {\"n\": 8}, \"class\": {\"n\": 1}}}' FROM judging WHERE submission = $number" >/dev/null
    as "$ada" GET "/api/v1/submissions/$number/report"
    equal $'verdict Accepted\n  references  faster than 6 of 8\n  end' "$output"
    as "$ada" GET "/api/v1/submissions/$number/result"
    equal '{"score_ms":0.06066000000000001,"percentile":{"references":{"n":8}}}' "$(tr -d ' \t\n' <<<"$output")"
    as "$teacher" GET "/api/v1/submissions/$number/result"
    equal 1 "$(jq .rank <<<"$output")"
    read_anew '.assignments[0].show = {board: "always"}'
    as "$ada" GET "/api/v1/submissions/$number/report"
    [[ $output == *"1 of 2 in the class"* ]]
    ask GET /api/v1/boards/conv1d
    equal 200 "$status"
}

@test "sources of others are shown after closing, to those who handed in, where class.json says so" {
    serve_class '.assignments[0].show = {sources: "closed"}'
    local ada bob eve teacher a b e
    ada=$(token ada) bob=$(token bob) eve=$(token eve) teacher=$(token turing teacher)
    a=$(hand_in "$ada" a) b=$(hand_in "$bob" b '.file_name = "bobs_own.cu"') e=$(hand_in "$eve" e '.mode = "test"')
    accepted "$a"
    accepted "$b"
    sqlite3 "$state/convjudge.db" "PRAGMA busy_timeout = 10000; UPDATE person SET pseudonym = 'Zed' WHERE name = 'bob'" >/dev/null
    as "$ada" GET "/api/v1/sources/$b" # not yet closed
    equal 404 "$status"
    as "$ada" GET /api/v1/problems/conv1d/sources
    equal '[]' "$(jq -c .sources <<<"$output")"
    local closed
    closed='.assignments[0] |= (.opens = "'$(local_time '2 days ago')'" | .due = "'$(local_time '1 day ago')'" | .late = null | del(.late))'
    moved "$a" -129600
    moved "$b" -129600
    read_anew "$closed" # and nothing about sources
    as "$ada" GET "/api/v1/sources/$b"
    equal 404 "$status"
    read_anew "$closed | .assignments[0].show = {sources: \"closed\"} | .extensions = [{person: \"bob\", assignment: \"week-1\", due: \"2098-01-01T12:00\", why: \"ill\", by: \"grace\"}]"
    as "$ada" GET "/api/v1/sources/$b" # bob may still hand in
    equal 404 "$status"
    read_anew "$closed | .assignments[0].show = {sources: \"closed\"}"
    as "$ada" GET "/api/v1/sources/$b"
    equal 200 "$status"
    equal "[\"Zed\",\"submission-$b.cu\"]" "$(jq -c '[.person, .file_name]' <<<"$output")"
    [[ $(jq -r .source <<<"$output") == "$(cat "$root/solutions/conv1d/accepted/naive.cu")" ]]
    lacks bobs_own
    as "$ada" GET /api/v1/problems/conv1d/sources
    equal "[$b]" "$(jq -c '[.sources[].submission]' <<<"$output")"
    as "$ada" GET "/api/v1/submissions/$b?code=1" # the submission itself stays his own
    equal 404 "$status"
    as "$ada" GET "/sources/$b"
    [[ $output == *Zed* && $output == *__global__* && $output != *bobs_own* ]]
    as "$eve" GET "/api/v1/sources/$b" # has handed in nothing for ranking
    equal 404 "$status"
    as "$ada" GET "/api/v1/sources/$e" # a test, not accepted
    equal 404 "$status"
    as "$teacher" GET /api/v1/problems/conv1d/sources
    equal '["ada","bob"]' "$(jq -c '[.sources[].person]' <<<"$output")"
    sqlite3 "$state/convjudge.db" "PRAGMA busy_timeout = 10000; DROP TRIGGER sources_are_never_deleted; DELETE FROM sources" >/dev/null
    as "$teacher" GET "/api/v1/sources/$b"
    ends 404 "the source of submission $b is not kept"
    read_anew "$closed"
    as "$ada" GET "/sources/$b"
    equal 404 "$status"
}

@test "points are on one's own page once they are shown, and teachers see all at any time" {
    serve_class '.assignments[0].show = {points: "closed"}'
    local ada bob teacher number
    ada=$(token ada) bob=$(token bob) teacher=$(token turing teacher)
    number=$(hand_in "$ada" k)
    accepted "$number"
    as "$ada" GET /people/ada
    equal 200 "$status"
    lacks 'id="points"'
    as "$ada" GET "/api/v1/submissions/$number/points"
    equal 403 "$status"
    [[ $output == *"the points of One dimension are not shown yet"* ]]
    as "$teacher" GET /people/ada
    [[ $output == *"One dimension: 4 of 4"*"Submission $number counts"* ]]
    as "$teacher" GET /teacher
    [[ $output == *'href="/teacher/points"'* ]]
    as "$teacher" GET /teacher/points
    [[ $output == *'/people/ada'*'<td class="number">4</td>'*'/people/bob'*'<td class="number">0</td>'*"No changes yet."* ]]
    as "$teacher" GET /teacher/points.csv
    [[ $output == person,*$'\r\n'*ada,*"Submission $number counts"* ]]
    as "$teacher" GET /teacher/summary
    [[ $output == *"Parallel programming"*"Submitted nothing: 1 of 2"*"/people/bob"*"1 person made 1 submission; 1 solved it."* ]]
    as "$ada" GET /teacher/summary
    equal 403 "$status"
    read_anew '.assignments[0].show = {points: "always"} | .extensions = [{person: "bob", assignment: "week-1", due: "2098-01-01T12:00", why: "ill", by: "grace"}]'
    as "$ada" GET /people/ada
    [[ $output == *"One dimension: 4 of 4"* ]]
    as "$ada" GET /people/bob
    equal 404 "$status"
    as "$teacher" GET /teacher/points
    [[ $output == *"extension add: bob, week-1: due 2098-01-01T12:00 instead of"* ]]
    read_anew '.assignments[0].show = {points: "never"}'
    as "$ada" GET /people/ada
    lacks 'id="points"'
}

@test "without a class there are no points" {
    serve
    local teacher
    teacher=$(token turing teacher)
    as "$teacher" GET /teacher/points
    equal 404 "$status"
    [[ $output == *"this server has no class; its setting &quot;class&quot; names a class.json"* ]]
    as "$teacher" GET /teacher
    lacks /teacher/points
    as "$teacher" GET /api/v1/assignments
    equal '[]' "$(jq -c .assignments <<<"$output")"
}

@test "scores writes a summary, and notes who read which extensions" {
    serve_class '.assignments[0].title = "One <b>dimension"'
    local ada class=$BATS_TEST_TMPDIR/class.json
    ada=$(token ada)
    accepted "$(hand_in "$ada" k)"
    stop_server
    a_class '.extensions = [{person: "bob", assignment: "week-1", due: "2098-01-01T12:00", why: "ill", by: "grace"}]'
    judge scores --class "$class" --state "$state" --summary -
    ends 0 "<title>" "Points of 1 person, of 4<" "<h3>Submitted nothing: 1 of 2</h3>"
    lacks "ada: week-1"
    judge scores --class "$class" --state "$state" --summary s.html --csv s.csv
    ends 0 "ada: week-1 4 of 4"
    grep -q '<style>' s.html
    grep -q '<h3>Submitted nothing: 1 of 2</h3>' s.html
    equal "$(id -un)|extension add" "$(in_store "SELECT person, action FROM audit WHERE action LIKE 'extension%'")"
}

@test "submit and runs say what counts" {
    serve_class
    export CONVJUDGE_SERVER=http://$address CONVJUDGE_TOKEN
    CONVJUDGE_TOKEN=$(token ada)
    cp "$root/solutions/conv1d/accepted/naive.cu" mine.cu
    judge submit mine.cu --problem conv1d
    ends 0 "submission 1: " "counts for One dimension, due " "(UTC), in 3 hours"
    judge submit mine.cu --problem conv1d --mode test
    lacks "counts for"
    judge runs
    ends 0 "1: counts for One dimension, due "
    read_anew '.assignments[0] |= (.opens = "2026-01-01T00:00" | .due = "2026-01-02T00:00")'
    judge submit mine.cu --problem conv1d
    ends 0 "does not count: One dimension closed 2026-01-04 00:00 (UTC), "
    judge runs
    ends 0 "3, 1: does not count: One dimension closed "
    read_anew '.assignments[0].opens = "'"$(local_time '90 minutes')"'"'
    judge submit mine.cu --problem conv1d
    ends 2 "One dimension opens " "until then conv1d can be submitted with the modes try and test only"
}

@test "check-config reads the class, too" {
    a_class
    jq -n --arg class "$BATS_TEST_TMPDIR/class.json" '{class: $class}' >config.json
    judge check-config config.json
    ends 0 '"class":' "The class: 1 assignment, 2 people in groups, times of UTC. Extensions: 0."
    a_class '.zone = "Mars/Crater"'
    judge check-config config.json
    ends 2 class.json
    echo '{"class": "class.json"}' >config.json
    judge check-config config.json
    ends 2 'class: expected a path from the root, found "class.json"'
}

# ---- points for groups of cases

@test "workers judge all cases where class.json gives points for groups of them, and students see no more" {
    local teacher student number
    serve_class '.assignments[0].problems[0].points = {cases: [{name: "small", cases: ["1023 elements, two taps"], points: 2},
        {name: "odd", cases: ["1024 elements, 32 taps"], points: 3}]}' '{"workers": ["sim"]}'
    student=$(token ada)
    number=$(hand_in "$student" one '.mode = "rank" | .source |= sub("output.i. = sum;"; "output[i] = output_size % 2 == 1 ? sum + 1 : sum;")')
    wait_until_ended "$student" "$number"
    as "$student" GET "/api/v1/submissions/$number/result"
    [[ $status == 200 ]]
    [[ $(jq '[.cases[] | select(.verdict == "not run")] | length > 0' <<<"$output") == true ]]
    [[ $output != *"1024 elements"* ]]
    judge scores --class "$BATS_TEST_TMPDIR/class.json" --state "$state" --csv -
    ends 0 "2 of 2: small: its case is accepted. 0 of 3: odd: '1024 elements, 32 taps' is Wrong Answer."
    [[ $(sqlite3 "$state/convjudge.db" "SELECT count(*) FROM document WHERE text LIKE '%1024 elements%'") == 0 ]]
    [[ $(sqlite3 "$state/convjudge.db" "SELECT json_extract(text, '\$.verdict') FROM case_verdicts") == "Wrong Answer" ]]
}
