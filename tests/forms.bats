#!/usr/bin/env bats
# Forms of the server's pages: what students, teachers and administrators change with them.

bats_require_minimum_version 1.5.0
# shellcheck disable=SC2034 # helper.bash reads it
any_compiler=1
load helper
load service

# set_store SQL: changes the server's database behind its back.
set_store() { sqlite3 "$state/convjudge.db" "PRAGMA busy_timeout = 10000; $1" >/dev/null; }

# said TEXT...: the page holds each text.
said() {
    local text
    for text in "$@"; do
        [[ $output == *"$text"* ]] || { echo "$status, the page lacks: $text"; sed -n '/<main/,$p' <<<"$output"; return 1; }
    done
}

# secret: what the page shows once.
secret() { sed -n 's/.*<code class="secret">\([^<]*\)<.*/\1/p' <<<"$output"; }

@test "a file that is uploaded keeps its name, without folders" {
    serve
    local ada
    ada=$(token ada)
    as "$ada" POST /problems/conv1d/submit -F key=k1 -F mode=rank -F "file=@$root/solutions/conv1d/accepted/naive.cu;filename=C:\\work/mine.cu"
    equal 303 "$status"
    as "$ada" POST /problems/conv1d/submit -F key=k2 -F mode=rank -F 'file=;filename=' -F "source=<$root/solutions/conv1d/accepted/naive.cu"
    equal 303 "$status"
    equal $'mine.cu\nsubmission.cu' "$(in_store 'SELECT file_name FROM submission ORDER BY id')"
    equal 1 "$(in_store 'SELECT count(DISTINCT source_hash) FROM submission')"
    as "$ada" POST /problems/conv1d/submit -F key=k3 -F mode=rank -F 'file=;filename=empty.cu' -F "source=<$root/solutions/conv1d/accepted/naive.cu"
    equal 400 "$status" # what was chosen counts, and not the field beside it
    said 'empty.cu: the file is empty'
}

@test "Back, edit, hand in: a form that is sent again with another program is a new submission" {
    serve
    local ada correct=$root/solutions/conv1d/accepted/naive.cu
    ada=$(token ada)
    as "$ada" POST /problems/conv1d/submit -F key=k1 -F mode=rank -F "source=<$correct"
    as "$ada" POST /problems/conv1d/submit -F key=k1 -F mode=rank -F "source=<$correct"
    equal 1 "$(in_store 'SELECT count(*) FROM submission')"
    as "$ada" POST /problems/conv1d/submit -F key=k1 -F mode=rank -F "source=<$correct" -F 'source=// and more'
    as "$ada" POST /problems/conv1d/submit -F key=k1 -F mode=try -F "source=<$correct" -D headers
    equal 303 "$status"
    equal 3 "$(in_store 'SELECT count(*) FROM submission')"
    grep -q '^Location: /submissions/3' headers
    as "$ada" GET /people/ada
    said 'a try: only the samples'
}

@test "a hand-in after the login has ended keeps the program, and hands it in with the token" {
    serve
    local ada program=$root/solutions/conv1d/accepted/naive.cu
    ada=$(token ada)
    ask POST /problems/conv1d/submit -b convjudge=ended -H "Origin: http://$address" -F key=k1 -F mode=test -F "file=@$program;filename=mine.cu"
    equal 401 "$status"
    said 'Your login has ended, so nothing is submitted yet.' 'mine.cu, for conv1d' 'name="mode" value="test"'
    diff "$program" <(sed -n '/<textarea/,/<.textarea>/p' <<<"$output" | sed -e 1d -e 's,</textarea>.*,,' -e 's/&lt;/</g' -e 's/&gt;/>/g' -e 's/&quot;/"/g' -e "s/&#39;/'/g" -e 's/&amp;/\&/g' | sed '$d')
    ask POST /login -F token=guess -F problem=conv1d -F key=k1 -F mode=test -F file_name=mine.cu -F "source=<$program"
    equal 401 "$status"
    said 'This is not a token that is in force' 'mine.cu, for conv1d'
    ask POST /login -F "token=$ada" -F problem=conv1d -F key=k1 -F mode=test -F file_name=mine.cu -F "source=<$program"
    equal 303 "$status"
    equal 'ada|mine.cu|test' "$(in_store 'SELECT name, file_name, mode FROM submission JOIN person ON person.id = person')"
    ask POST /people/ada/pseudonym -b convjudge=ended -H "Origin: http://$address" -d pseudonym=A
    equal 401 "$status"
    said 'Your login has ended, so nothing was changed.'
}

@test "a source with NUL characters or in UTF-16 is refused with what it is" {
    serve
    local ada
    ada=$(token ada)
    printf 'int a;\n\0int b;\n' >nul.cu
    iconv -f UTF-8 -t UTF-16 "$root/solutions/conv1d/accepted/naive.cu" >wide.cu
    iconv -f UTF-8 -t UTF-16BE "$root/solutions/conv1d/accepted/naive.cu" >unmarked.cu
    as "$ada" POST /problems/conv1d/submit -F key=k1 -F mode=rank -F file=@nul.cu
    equal 400 "$status"
    said 'nul.cu:2: byte 7 is a NUL character, expected CUDA source text'
    for file in wide unmarked; do
        as "$ada" POST /problems/conv1d/submit -F key=k1 -F mode=rank -F file=@$file.cu
        equal 400 "$status"
        said "$file.cu: the file is UTF-16 text, expected UTF-8"
    done
    as "$ada" POST /api/v1/submissions -d '{"key": "k", "file_name": "x.cu", "source": "int a;\u0000", "problem": "conv1d"}'
    equal 400 "$status"
    equal 'request:1: a text with a NUL character, \u0000' "$(jq -r .error <<<"$output")"
    equal 0 "$(in_store 'SELECT count(*) FROM submission')"
}

@test "a try is marked as a try in every list, and a test as a test" {
    serve
    local ada teacher mode
    ada=$(token ada) teacher=$(token emmy admin)
    for mode in try test rank; do hand_in "$ada" "$mode" ".mode = \"$mode\"" >/dev/null; done
    for page in / /people/ada '/people/ada?problem=conv1d'; do
        as "$ada" GET "$page"
        equal 1 "$(grep -c 'a try: only the samples' <<<"$output")"
        equal 1 "$(grep -c 'a test: without times' <<<"$output")"
    done
    as "$teacher" GET /admin
    [[ $output == *'a try: only the samples'* && $output == *'a test: without times'* ]]
    as "$ada" GET /submissions/1
    [[ $output == *', as a try'* ]]
    as "$teacher" GET /api/v1/submissions
    equal rank,test,try "$(jq -r '[.submissions[].mode] | join(",")' <<<"$output")"
    as "$teacher" GET /api/v1/history
    equal try,test,rank "$(jq -r '[.histories[0].submissions[].mode] | join(",")' <<<"$output")"
    as "$ada" GET '/api/v1/submissions?text=1'
    equal 3,-:2,test:1,try "$(awk '$4 == "conv1d" { print $1 "," $NF }' <<<"$output" | paste -sd:)"
    as "$ada" GET '/api/v1/history?text=1'
    equal 1,waiting,try:2,waiting,test:3,waiting,- "$(awk '$2 == "waiting" { print $1 "," $2 "," $3 }' <<<"$output" | paste -sd:)"
}

@test "everybody chooses a pseudonym, which is nobody else's name" {
    serve
    local ada teacher
    ada=$(token 'ada "l"') teacher=$(token emmy teacher)
    as "$ada" POST '/people/ada%20%22l%22/pseudonym' -d 'pseudonym=Countess' -D headers
    equal 303 "$status"
    grep -qi '^location: /people/ada%20%22l%22' headers
    as "$ada" GET '/people/ada%20%22l%22'
    said 'value="Countess"'
    as "$ada" POST '/people/ada%20%22l%22/pseudonym' -d 'pseudonym=Emmy'
    equal 400 "$status"
    said "is taken or looks like one that is, expected another one"
    as "$ada" POST '/people/ada%20%22l%22/pseudonym' -d 'x=1'
    equal 400 "$status"
    said "expected a pseudonym"
    as "$teacher" POST '/people/ada%20%22l%22/pseudonym' -d 'pseudonym=Lovelace'
    equal 403 "$status"
    said "everybody chooses his or her own pseudonym"
    equal Countess "$(in_store "SELECT pseudonym FROM person WHERE name LIKE 'ada%'")"
}

@test "a group has a page with its members, and its link ends" {
    serve '{"public": false}'
    local ada bob teacher link second
    ada=$(token ada) bob=$(token bob) teacher=$(token emmy teacher)
    as "$teacher" POST /teacher/groups -d 'name=Monday' -d 'days=0'
    equal 400 "$status"
    said "days: expected a number from 1 to 366"
    as "$teacher" POST /teacher/groups -d 'name=Monday' -d 'days=1'
    said "It ends at $(date -u -d tomorrow +%F)T"
    link=$(secret)
    as "$ada" POST "/join/${link##*/}"
    as "$teacher" GET /teacher/groups/1
    said "Its link lets people in until"
    [[ $output == *'/people/ada"'* ]]
    as "$ada" GET /teacher/groups/1
    equal 403 "$status"
    as "$teacher" GET /teacher/groups/2
    equal 404 "$status"
    as "$teacher" POST /teacher/groups/1/link
    second=$(secret)
    as "$bob" GET "/join/${link##*/}" # the old link is void
    equal 404 "$status"
    as "$bob" GET "/join/${second##*/}"
    equal 200 "$status"
    as "$teacher" POST /teacher/groups/1/end
    as "$bob" POST "/join/${second##*/}"
    equal 404 "$status"
    said "unknown invitation, or one that has ended"
    as "$teacher" GET /teacher/groups/1
    said "Its link has ended."
    as "$teacher" POST /teacher/groups/1/remove -d "person=$(in_store "SELECT id FROM person WHERE name = 'ada'")"
    equal 303 "$status"
    as "$teacher" GET /teacher/groups/1
    said "Nobody has joined yet."
    equal "group add, group link, group link end, group remove" "$(in_store "SELECT group_concat(action, ', ') FROM (SELECT action FROM audit WHERE action LIKE 'group%' ORDER BY id)")"
    in_store "INSERT INTO membership (class_group, person, by_class) SELECT 1, id, 1 FROM person WHERE name = 'bob'" ||
        sqlite3 "$state/convjudge.db" "INSERT INTO membership (class_group, person, by_class) SELECT 1, id, 1 FROM person WHERE name = 'bob'"
    as "$teacher" POST /teacher/groups/1/remove -d "person=$(in_store "SELECT id FROM person WHERE name = 'bob'")"
    equal 400 "$status"
    said "this person did not join by a link; remove the name from the group in class.json"
}

@test "two accounts of a person become one, and a former name stays the person's" {
    jq -n '{schema: 1, zone: "UTC", groups: [{name: "1", people: ["bob", "eve"]}],
            assignments: [{id: "w", due: "2099-01-01T12:00", problems: [{problem: "conv1d", points: {accepted: 2}}]}],
            overrides: [{person: "bob", assignment: "w", problem: "conv1d", points: 1, why: "oral", by: "emmy"}]}' >class.json
    serve "$(jq -n --arg class "$PWD/class.json" '{public: false, class: $class, admins: ["grace"]}')"
    local ada bob teacher
    ada=$(token ada) bob=$(token bob) teacher=$(token emmy teacher)
    hand_in "$ada" same >/dev/null
    hand_in "$bob" same >/dev/null
    sqlite3 "$state/convjudge.db" "INSERT INTO runs SELECT NULL, '2026-01-31T12:00:00Z', 'bob', 'conv1d', revision, 'sim-h200', 99, 'H200', '', '', '', 'full',
        'Accepted', 'ranked', 1, 0.001, 'c', 'x', 'x.cu', '{}', '[]' FROM judging LIMIT 1"
    as "$teacher" GET /api/v1/boards/conv1d
    equal bob "$(jq -r '.standings[0].person' <<<"$output")"
    as "$teacher" POST /people/bob/merge -d name=carl
    equal 400 "$status"
    said "there is no person of this name"
    as "$teacher" POST /people/bob/merge -d name=emmy
    said "emmy is no student; an administrator decides about this account"
    as "$teacher" POST /people/bob/merge -d name=bob
    said "&#39;bob&#39; is this person already, expected somebody else"
    as "$teacher" POST /people/bob/merge -d name=ada
    equal 303 "$status"
    as "$bob" GET /api/v1/me # the token leads to the one account
    equal ada "$(jq -r .person <<<"$output")"
    as "$ada" GET /api/v1/submissions
    equal 2 "$(jq '.submissions | length' <<<"$output")"
    as "$teacher" GET /api/v1/boards/conv1d
    equal "1 ada" "$(jq -r '"\(.standings | length) \(.standings[0].person)"' <<<"$output")"
    as "$teacher" GET /teacher/points.csv # class.json goes on to say bob
    [[ $output == *$'\n'ada,*oral* && $output != *bob* ]]
    as "$teacher" GET /people/bob
    said "<h1>ada</h1>"
    as "$teacher" POST /people/eve/rename -d name=bob
    equal 400 "$status"
    said "the name &#39;bob&#39; is or was ada&#39;s, expected one that nobody had"
    as "$teacher" POST /people/eve/rename --data-urlencode $'name=аda' # with a Cyrillic letter
    said "looks like ada&#39;s, expected another one"
    as "$teacher" POST /people/eve/rename -d name=evelyn
    equal 303 "$status"
    as "$teacher" GET /teacher/points.csv
    [[ $output == *$'\n'evelyn,* && $output != *$'\n'eve,* ]]
    as "$teacher" POST /people/evelyn/remove
    said "class.json lists evelyn; remove the name from its groups first"
    judge person --state "$state" rename ada "ada l"
    ends 0
    judge person --state "$state" remove carl
    ends 2 "person: there is no person 'carl'"
    judge person --state "$state" rename ada
    ends 2 "person: expected 'rename NAME NEW', 'merge NAME INTO' or 'remove NAME'"
    as "$ada" GET /api/v1/me
    equal "ada l" "$(jq -r .person <<<"$output")"
    as "$teacher" GET /api/v1/boards/conv1d
    equal "ada l" "$(jq -r '.standings[0].person' <<<"$output")"
    equal "merge bob to ada, rename eve to evelyn, rename ada to ada l" \
        "$(in_store "SELECT group_concat(action || ' ' || object, ', ') FROM (SELECT * FROM audit WHERE action IN ('merge', 'rename') ORDER BY id)")"
    local carl
    carl=$(token carl)
    judge person --state "$state" remove carl
    ends 0
    as "$carl" GET /api/v1/me
    equal 401 "$status"
    as "$teacher" GET /people/carl
    said "This account was removed. A new token lets carl in again."
    as "$(token carl)" GET /api/v1/me
    equal 200 "$status"
    equal 1 "$(in_store "SELECT count(*) FROM sqlite_schema WHERE name = 'runs_are_never_changed'")" # which renaming takes away for a moment
}

@test "a list of students gets tokens, all of them or none" {
    serve '{"public": false}'
    local ada teacher
    ada=$(token ada) teacher=$(token emmy teacher)
    printf 'name,group\n"Lovelace, Ada",1\nbob;2\n\n  eve \n' >names.csv
    as "$teacher" POST /teacher/tokens/list -F file=@names.csv -D headers
    equal 200 "$status"
    grep -qi '^content-disposition: attachment; filename="tokens.csv"' headers
    equal '"Lovelace, Ada" bob eve' "$(sed -n '2,$s/,[0-9a-f]\{64\}.*//p' <<<"$output" | xargs -d '\n')"
    as "$(sed -n 's/^bob,\([0-9a-f]*\).*/\1/p' <<<"$output")" GET /api/v1/me
    equal bob "$(jq -r .person <<<"$output")"
    as "$teacher" POST /teacher/tokens/list -F $'names=ada\nemmy\n'
    equal 400 "$status"
    said "line 2: tokens are made here for students alone"
    as "$ada" GET /api/v1/me # keeps the token that the list would have ended
    equal 200 "$status"
    printf '\xEF\xBB\xBFname;group\nzoe;1\n"Ada";2\n' >names.csv # as spreadsheets write it
    as "$teacher" POST /teacher/tokens/list -F file=@names.csv
    equal 'zoe Ada' "$(sed -n '2,$s/,[0-9a-f]\{64\}.*//p' <<<"$output" | xargs -d '\n')"
    as "$teacher" POST /teacher/tokens/list -F $'names=zoe\nbob\nzoe\n'
    said "lines 1 and 3 name the same person, &#39;zoe&#39;"
    printf 'name\nzoe\n' | iconv -t UTF-16 >names.csv
    as "$teacher" POST /teacher/tokens/list -F file=@names.csv
    said "the file is no text in UTF-8, expected a CSV file"
    as "$teacher" POST /teacher/tokens/list -F names=
    said "the list has no name, expected one on each line"
    seq -f 'person %g' 1001 >names.csv
    as "$teacher" POST /teacher/tokens/list -F file=@names.csv
    said "the list has more than 1000 names"
}

@test "a teacher makes groups with a link, and tokens for students alone" {
    serve '{"admins": ["grace"], "public": false}'
    local ada teacher link
    ada=$(token ada) teacher=$(token emmy teacher)
    as "$teacher" POST /teacher/groups -d 'name=Monday'
    equal 200 "$status"
    said "Give this link to the students of the group. Each logs in, opens it and joins."
    link=$(secret)
    equal "http://$address/join/" "${link%/*}/"
    as "$teacher" POST /teacher/groups -d 'name=Monday'
    equal 400 "$status"
    as "$teacher" GET /teacher
    lacks "${link##*/}"
    as "$ada" GET "/join/${link##*/}"
    equal 200 "$status"
    said "The link is an invitation to the group <strong>Monday</strong>."
    equal "" "$(in_store 'SELECT name FROM membership JOIN person ON person.id = person')" # looking is not joining
    as "$ada" POST "/join/${link##*/}"
    equal 303 "$status"
    equal ada "$(in_store 'SELECT name FROM membership JOIN person ON person.id = person')"

    as "$teacher" POST /teacher/tokens -d 'name=ada'
    said "Give it to the student alone: anyone who has it can submit under this name."
    as "$(secret)" GET /api/v1/me
    equal ada "$(jq -r .person <<<"$output")"
    as "$ada" GET /api/v1/me
    equal 401 "$status" # the earlier one has ended
    for name in grace emmy; do # one by the configuration, one by the store
        as "$teacher" POST /teacher/tokens -d "name=$name"
        equal 400 "$status"
        said "tokens are made here for students alone; convjudge token makes others"
    done
    as "$teacher" GET /api/v1/me
    equal 200 "$status"
    equal $'group add\ntoken add' "$(in_store "SELECT action FROM audit WHERE person = 'emmy' ORDER BY id")"
}

@test "an administrator lets a held submission go on, and gives a worker work again" {
    serve
    local ada admin number
    ada=$(token ada) admin=$(token grace admin)
    number=$(hand_in "$ada" k)
    as "$admin" POST "/submissions/$number/release"
    equal 409 "$status"
    said "submission $number is not held"
    set_store "UPDATE judging SET state = 'held', failures = 2; INSERT INTO attempt (judging, n, worker, offered_utc, ended_utc, outcome, why)
        SELECT id, 9, 'node/1', '2026-01-31T12:00:00Z', '2026-01-31T12:00:01Z', 'worker_failed', 'no device' FROM judging;
        INSERT INTO drained VALUES ('node/1', '2026-01-31T12:00:01Z', 'failed twice'), ('node2', '2026-01-31T12:00:01Z', 'failed twice')"
    as "$admin" GET /admin
    said "gets no work" "failed twice" "/submissions/$number/release" "/admin/workers/node%2F1/undrain"
    as "$admin" POST "/submissions/$number/release"
    equal 303 "$status"
    equal 0 "$(in_store 'SELECT failures FROM judging')"
    as "$admin" POST /admin/workers/node2/undrain
    equal 303 "$status"
    equal 'node/1' "$(in_store 'SELECT worker FROM drained')"
    as "$admin" POST /admin/workers/..%2f..%2fserve.lock/undrain
    equal 404 "$status"
    [[ -e $state/serve.lock ]]
}

@test "an administrator corrects times of receipt after the clock was wrong, and trusts the clock" {
    serve
    local ada admin
    ada=$(token ada) admin=$(token grace admin)
    hand_in "$ada" k >/dev/null
    set_store "UPDATE submission SET received_s = received_s + 518400"
    as "$admin" POST /admin/clock -d what=correct -d first=1 -d last=1 -d by=-518400
    equal 400 "$status"
    said 'expected a reason'
    as "$admin" POST /admin/clock -d what=correct -d first=1 -d last=1 -d by=7 -d why=so
    equal 400 "$status"
    said 'with +7 s the last of them would have been received at'
    as "$admin" POST /admin/clock -d what=correct -d first=8 -d last=9 -d by=-7 -d why=so
    said 'there are no submissions from 8 to 9'
    as "$admin" POST /admin/clock -d what=correct -d first=1 -d last=1 -d by=-518400 -d 'why=the clock was wrong'
    equal 303 "$status"
    equal 1 "$(in_store "SELECT abs(received_s - strftime('%s', 'now')) < 600 AND received_s = strftime('%s', received_utc) FROM submission")"
    as "$admin" POST /admin/clock -d what=trust
    equal 303 "$status"
    equal $'correct receipts|submissions 1 to 1 by -518400 s: the clock was wrong\ncorrect the clock|\ntrust the clock|' \
        "$(in_store "SELECT action, object FROM audit WHERE person = 'grace' AND (action LIKE '%clock' OR action LIKE 'correct%') ORDER BY id")"
}

@test "a login leads to the page that was asked for, and to no other server" {
    serve '{"public": false}'
    local ada
    ada=$(token ada)
    ask GET '/join/a%22b%25c' -D headers
    equal 303 "$status"
    grep -qi '^location: /login?next=/join/a%22b%25c' headers
    ask GET '/login?next=/people/ada'
    said 'name="next" value="/people/ada"'
    for next in //evil.example '/\evil.example' http://evil.example; do
        ask POST /login -d "token=$ada" --data-urlencode "next=$next" -H "Origin: http://$address" -D headers
        equal 303 "$status"
        grep -qi '^location: /'$'\r''*$' headers
    done
}

@test "pairs that convjudge similar has found stand on the teacher's page" {
    serve
    local teacher
    teacher=$(token emmy teacher)
    CONVJUDGE_DB=$BATS_TEST_TMPDIR/other.db judge grade --device sim --as ada "$root/solutions/conv1d/accepted/register_tile.cu"
    CONVJUDGE_DB=$BATS_TEST_TMPDIR/other.db judge grade --device sim --as "b<i>b" "$root/solutions/conv1d/accepted/register_tile.cu"
    mkdir "$state/similar"
    CONVJUDGE_DB=$BATS_TEST_TMPDIR/other.db judge similar --problem conv1d --json "$state/similar/conv1d.json"
    as "$teacher" GET /teacher
    said 'Similar pairs' 'As of' '>100' 'register_tile.cu' 'b&lt;i&gt;b'
    # The pair of two people, whose sources the server's database lacks at first, and that of a person and a reference.
    said '>the same</td>' '<a href="/teacher/similar/conv1d?pair=1-2">side by side'
    as "$teacher" GET '/teacher/similar/conv1d?pair=1-2'
    equal 200 "$status"
    said 'The database of this server lacks its source.' 'b&lt;i&gt;b' 'Both are the same text'
    sqlite3 "$state/convjudge.db" "PRAGMA busy_timeout = 10000; ATTACH '$BATS_TEST_TMPDIR/other.db' AS other;
        INSERT INTO sources (source_hash, source) SELECT source_hash, source FROM other.sources" >/dev/null
    as "$teacher" GET '/teacher/similar/conv1d?pair=1-2'
    lacks 'lacks its source'
    said 'class="shared p1"' 'Handed out: line'
    as "$teacher" GET "/teacher/similar/conv1d?pair=1-$(jq -r '[.pairs[] | select(.b.from)][0].b.source_hash[:16]' "$state/similar/conv1d.json")"
    equal 200 "$status"
    said 'a further source' 'register_<wbr>tile.<wbr>cu' '__syncthreads</span>();'
    for query in '' '?pair=' '?pair=1-3' '?pair=-'; do
        as "$teacher" GET "/teacher/similar/conv1d$query"
        equal 404 "$status"
        said 'there is no such pair any more'
    done
    as "$teacher" GET '/teacher/similar/..%2Fsimilar%2Fconv1d?pair=1-2'
    equal 404 "$status"
    as "$(token ada)" GET '/teacher/similar/conv1d?pair=1-2'
    equal 403 "$status"
    echo '{"pairs": [{"a": {"run": 1, "person": "x", "source_hash": 3}, "b": {"source_hash": "0123456789abcdef", "handed_out": [[0, 2], "x", [5, 1]]},
        "parts": [1, {"lines": [[1, 2]]}, {"lines": [[1, 1e99], [1, 2]]}]}], "texts": 7}' >"$state/similar/conv3d.json"
    as "$teacher" GET '/teacher/similar/conv3d?pair=1-0123456789abcdef'
    equal 200 "$status"
    echo '{"pairs": [{"a": 1, "b": {"run": "x"}, "source": ["y"]}, 7' >"$state/similar/conv2d.json"
    as "$teacher" GET /teacher
    equal 200 "$status"
}
