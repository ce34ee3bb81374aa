#!/usr/bin/env bats
# `convjudge serve`: who may do what, and what requests that are wrong get.

bats_require_minimum_version 1.5.0
# shellcheck disable=SC2034 # helper.bash reads it
any_compiler=1
load helper
load service

# judged_as TOKEN KEY: hands in, and lets the store say that it was judged; prints the number.
judged_as() {
    local number
    number=$(hand_in "$1" "$2")
    sqlite3 "$state/convjudge.db" "PRAGMA busy_timeout = 10000; UPDATE judging SET state = 'recorded', verdict = 'Accepted', text = '', device = 'sim-h200'
        WHERE submission = $number; INSERT INTO document SELECT id, kind, '{}' FROM judging, (SELECT 'result' AS kind UNION
        SELECT 'explain' UNION SELECT 'report') WHERE submission = $number" >/dev/null
    echo "$number"
}

@test "everybody may do what the table says, and no more" {
    serve '{"public": false, "lease_s": 3600}' # whatever waits here, /healthz does not miss workers
    local other author teacher admin method path expected i number fault=0 who=(nobody student author teacher admin)
    other=$(token other) author=$(token author) teacher=$(token teacher teacher) admin=$(token admin admin)
    local tokens=("" "$other" "$author" "$teacher" "$admin")
    number=$(judged_as "$author" judged)
    while IFS=$'\t' read -r method path expected; do
        read -ra expected <<<"$expected"
        for i in 0 1 2 3 4; do
            local place=${path/\/N//$number} options=()
            if [[ $place == */W* ]]; then place=${place/W/$(hand_in "$author" "w${method}$i")}; fi
            if [[ ${tokens[i]} != "" ]]; then options=(-H "Authorization: Bearer ${tokens[i]}"); fi
            if [[ $path == */submissions && $method == POST ]]; then options+=(-d "$(request "p$i")"); fi
            ask "$method" "$place" "${options[@]}"
            if [[ $status != "${expected[i]}" ]]; then
                echo "${who[i]}: $method $place: $status, expected ${expected[i]}: $(grep -o "<p>.*\|error.*" <<<"$output" | head -n 3)"
                fault=1
            fi
        done
    done < <(grep -v '^#' "$root/tests/service/access.tsv")
    [[ $fault == 0 ]]
}

@test "the table of who may do what names every route" {
    local method path
    while IFS=$'\t' read -r method path; do
        grep -q "^$method"$'\t'"${path//\*/[^\/	]*}" "$root/tests/service/access.tsv" || { echo "no row for $method $path"; return 1; }
    done < <(sed -nE 's/^    \{"([A-Z]+)", "([^"]+)", ACCESS_.*/\1\t\2/p' "$root"/service/web/{api_routes,site_answers}.c)
}

@test "a token that only hands in does that for students, sees what becomes of it, and nothing else" {
    serve '{"admins": ["grace"], "teachers": ["gradescope"], "public": false}'
    local kit other ada teacher number method path expected wrong=0
    ada=$(token ada) teacher=$(token turing teacher)
    hand_in "$ada" own
    kit=$(token_to_hand_in gradescope) other=$(token_to_hand_in another)
    equal "gradescope another" "$(in_store "SELECT object FROM audit WHERE action = 'token add to hand in' ORDER BY id" | xargs)"
    as "$kit" POST /api/v1/people/ada/submissions -d "$(request k)"
    equal 201 "$status"
    number=$(jq .submission <<<"$output")
    equal ada "$(jq -r .person <<<"$output")"
    as "$kit" GET "/api/v1/submissions/$number"
    equal 200 "$status"
    as "$kit" GET "/api/v1/submissions/$number/report"
    equal 409 "$status" # it is not judged yet
    as "$kit" POST /api/v1/people/ada/submissions -d "$(request own)" # which ada handed in
    as "$kit" GET /api/v1/submissions/1
    equal 404 "$status"
    as "$other" GET "/api/v1/submissions/$number"
    equal 404 "$status"
    as "$kit" POST /api/v1/people/turing/submissions -d "$(request k)"
    says 400 "this token submits for students only, and the role of 'turing' is teacher"
    as "$kit" POST /api/v1/people/grace/submissions -d "$(request k)"
    says 400 "this token submits for students only, and the role of 'grace' is admin"
    ask POST /login -d "token=$kit" -H "Origin: http://$address"
    equal 401 "$status"
    while IFS=$'\t' read -r method path expected; do
        if [[ $path == /login || $path == /logout || $path == /healthz || $path == /metrics || $path == /static/* || $path == /api/v1/work/* ]]; then continue; fi
        as "$kit" "$method" "${path/\/[NW]//1}" -d ''
        [[ $status == 40[345] || ($status == 400 && $path == /api/v1/people/*/submissions) ]] || { echo "$method $path: $status"; wrong=1; }
    done < <(grep -v '^#' "$root/tests/service/access.tsv")
    equal 0 "$wrong"
    as "$kit" GET /api/v1/me
    says 403 "this token only submits for others"
    "$build/convjudge" token revoke gradescope --state "$state"
    as "$kit" GET "/api/v1/submissions/$number"
    equal 401 "$status"
    judge token revoke ada --hand-in-only --state "$state"
    ends 2 "token: option '--hand-in-only' belongs to 'add NAME', alone and without a role"
    judge token add kit --role teacher --hand-in-only --state "$state"
    ends 2 "token: option '--hand-in-only' belongs to 'add NAME', alone and without a role"
}

@test "public pages show boards to those whom nobody knows" {
    serve
    ask GET /api/v1/boards/conv1d
    equal 200 "$status"
    ask GET /api/v1/submissions
    equal 401 "$status"
}

@test "the world sees no real name, and no problem before its assignment opens" {
    opens_at() { # TIME
        jq -n --arg opens "$1" '{schema: 1, zone: "UTC", assignments: [{id: "week-1", opens: $opens, due: "2098-01-01T00:00",
            problems: [{problem: "conv1d", points: {accepted: 1}}]}]}' >"$BATS_TEST_TMPDIR/class.json"
    }
    opens_at 2097-01-01T00:00
    serve "{\"class\": \"$BATS_TEST_TMPDIR/class.json\"}"
    local teacher
    teacher=$(token emmy teacher)
    hand_in "$teacher" k >/dev/null
    sqlite3 "$state/convjudge.db" "INSERT INTO runs SELECT NULL, '2026-01-31T12:00:00Z', 'emmy', 'conv1d', revision, 'sim-h200', 99, 'H200',
        '', '', '', 'full', 'Accepted', 'ranked', 1, 0.001, 'c', 'x', 'x.cu', '{}', '[]' FROM judging"
    ask GET /problems/conv1d
    says 404 "this problem is not public yet; log in to see it"
    ask GET /problems/conv1d/starter.cu
    equal 404 "$status"
    ask GET /api/v1/boards/conv1d
    equal 403 "$status"
    ask GET /
    [[ $output == *'/problems/conv2d"'* && $output != *'/problems/conv1d"'* ]]
    ask GET /api/v1/problems
    [[ $output == *conv2d* && $output != *'"conv1d"'* ]]
    as "$teacher" GET /problems/conv1d
    says 200 emmy
    opens_at 2026-01-01T00:00
    kill -HUP "$server"
    public() { ask GET /problems/conv1d; [[ $status == 200 ]]; }
    wait_until public
    [[ $output == *somebody* && $output != *emmy* ]]
    ask GET /api/v1/boards/conv1d
    equal somebody "$(jq -r '.standings[0].person' <<<"$output")"
    as "$teacher" POST /people/emmy/pseudonym -d pseudonym=Noether
    ask GET /api/v1/boards/conv1d
    equal Noether "$(jq -r '.standings[0].person' <<<"$output")"
}

@test "a board of many people shows the first and the reader's own place, and no name behind a pseudonym" {
    serve '{"public": true, "public_names": true}'
    local teacher last
    teacher=$(token emmy teacher) last=$(token p400)
    hand_in "$teacher" k >/dev/null
    as "$last" POST /people/p400/pseudonym -d pseudonym=Turtle
    sqlite3 "$state/convjudge.db" "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 400)
        INSERT INTO runs SELECT NULL, '2026-01-31T12:00:00Z', 'p' || i, 'conv1d', revision, 'sim-h200', 99, 'H200', '', '', '', 'full',
        'Accepted', 'ranked', i, 0.001, 'c', 'x', 'x.cu', '{}', '[]' FROM judging, n"
    ask GET /problems/conv1d
    equal 200 "$status"
    [[ $output == *'>p1<'*'>p300<'* && $output != *'>p301<'* && $output != *Turtle* ]]
    as "$last" GET /problems/conv1d
    [[ $output == *'Your place'*Turtle* || $output == *'Your place'*p400* ]]
    as "$teacher" GET /problems/conv1d
    equal 200 "$status"
    ask GET /api/v1/boards/conv1d
    equal '400 Turtle' "$(jq -r '"\(.standings | length) \(.standings[399].person)"' <<<"$output")"
}

@test "a large class is shown in parts" {
    serve
    local teacher page
    teacher=$(token emmy teacher)
    sqlite3 "$state/convjudge.db" "PRAGMA busy_timeout = 10000; WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 130)
        INSERT INTO person (name, role, created_utc) SELECT printf('p%03d', i), 'student', '2026-01-31T12:00:00Z' FROM n;
        INSERT INTO submission (person, key, problem, mode, sizes, file_name, source_hash, received_utc, received_s)
        SELECT id, 'k', 'conv1d', 'rank', '', 'x.cu', 'h', created_utc, 1769860800 FROM person WHERE name LIKE 'p%';
        INSERT INTO judging (submission, batch, revision, position, state, attempt, failures, verdict)
        SELECT id, 1, 'r', 0, 'recorded', 1, 0, 'Accepted' FROM submission" >/dev/null
    as "$teacher" GET /teacher
    [[ $output == *'>p001<'*'Solved, of 100'*'Page 1 of 2'*'href="?page=2"'* && $output != *'>p130<'* && $output != *'page=0'* ]]
    as "$teacher" GET '/problems/conv1d/sources?page=2'
    [[ $output == *'>p101<'*'>p130<'*'href="?page=1"'*'Page 2 of 2'* && $output != *'>p100<'* && $output != *'page=3'* ]]
    as "$teacher" GET '/api/v1/problems/conv1d/sources?page=2'
    equal '30 2' "$(jq -r '"\(.sources | length) \(.pages)"' <<<"$output")"
    for page in 2 3 99999999999999999999; do
        as "$teacher" GET "/teacher?page=$page"
        [[ $output == *'>p130<'*'Page 2 of 2'* && $output != *'>p001<'* ]]
    done
    for page in 0 -7 x; do
        as "$teacher" GET "/teacher?page=$page"
        [[ $output == *'>p001<'*'Page 1 of 2'* ]]
    done
}

@test "a problem whose files are broken takes no other problem's page away" {
    local shared=$CONVJUDGE_HOME
    export CONVJUDGE_HOME=$BATS_TEST_TMPDIR/home
    cp -r "$shared" "$CONVJUDGE_HOME"
    rm "$CONVJUDGE_HOME/testcases/conv2d"
    serve
    ask GET /
    [[ $status == 200 && $output == *"conv2d, out of order"* && $output == *"conv1d, easy"* ]]
    as "$(token ada)" GET /api/v1/problems
    [[ $status == 200 && $(jq '[.problems[].id] | index("conv1d") != null and index("conv2d") == null' <<<"$output") == true ]]
    ask GET /problems/conv2d
    [[ $status == 404 ]]
}

@test "a student sees his own submissions alone, a teacher those of all" {
    serve
    local ada bob teacher
    ada=$(token ada) bob=$(token bob) teacher=$(token turing teacher)
    hand_in "$ada" a1
    hand_in "$bob" b1
    as "$ada" GET /api/v1/submissions
    equal '["ada"]' "$(jq -c '[.submissions[].person]' <<<"$output")"
    as "$ada" GET '/api/v1/submissions?person=bob'
    equal 404 "$status"
    as "$teacher" GET /api/v1/submissions
    equal '["bob","ada"]' "$(jq -c '[.submissions[].person]' <<<"$output")"
    as "$teacher" GET '/api/v1/submissions?person=ada&limit=1'
    equal '["ada"]' "$(jq -c '[.submissions[].person]' <<<"$output")"
}

@test "on the Unix socket the kernel says who calls" {
    serve
    run curl -s --unix-socket "$socket" http://x/api/v1/me
    equal "$(id -un)" "$(jq -r .person <<<"$output")"
    run curl -s --unix-socket "$socket" -H 'Authorization: Bearer nonsense' -H 'X-Remote-User: turing' http://x/api/v1/me
    equal "$(id -un)" "$(jq -r .person <<<"$output")"
}

@test "a key that was used before gives the same submission, or 409 for another one" {
    serve
    local ada
    ada=$(token ada)
    as "$ada" POST /api/v1/submissions -d "$(request again)"
    equal 201 "$status"
    local first=$output
    as "$ada" POST /api/v1/submissions -d "$(request again '.source = "// another"')"
    equal 409 "$status"
    equal 'key: submission 1 has it, with another source, problem, mode or sizes; expected a new key' "$(jq -r .error <<<"$output")"
    as "$ada" POST /api/v1/submissions -d "$(request again)"
    equal 200 "$status"
    equal "$(jq '.submission, .source_hash' <<<"$first")" "$(jq '.submission, .source_hash' <<<"$output")"
    equal 1 "$(in_store 'SELECT count(*) FROM submission')"
}

# refused_hand_in JQ TEXT: a hand-in that jq has spoilt is refused with this text, and nothing is kept of it.
refused_hand_in() {
    request bad "$1" >body.json
    as "$ada" POST /api/v1/submissions -d @body.json
    equal 400 "$status"
    [[ $(jq -r .error <<<"$output") == *"$2"* ]] || { echo "$1: $output"; return 1; }
}

@test "wrong hand-ins are refused in one line" {
    serve
    ada=$(token ada)
    refused_hand_in 'del(.key)' 'key "key" is missing'
    refused_hand_in '.key = ""' 'key: expected 1 to 64 letters and digits'
    refused_hand_in '.key = "a b"' 'key: expected 1 to 64 letters and digits'
    refused_hand_in '.more = 1' 'more'
    refused_hand_in '.source = ""' 'the file is empty'
    refused_hand_in '.file_name = "../x.cu"' 'file_name: expected the name of a file'
    refused_hand_in '.file_name = "-x.cu"' 'file_name: expected the name of a file'
    refused_hand_in '.file_name = "x\u001b[31m.cu"' 'file_name: found a control character'
    refused_hand_in '.file_name = "x.c"' 'plain C runs only on the CPU'
    refused_hand_in '.mode = "win"' 'mode: expected try, test or rank'
    refused_hand_in '.problem = "conv9d"' 'conv9d'
    refused_hand_in '.problem = "../../etc"' 'etc'
    refused_hand_in '.sizes = "input_size=9"' 'sizes: only for the mode try'
    refused_hand_in '.mode = "try" | .sizes = "input_size=9"' 'kernel_size'
    refused_hand_in '.source = ("x" * 300000)' 'the limit of problem conv1d is'
    as "$ada" POST /api/v1/submissions -d '{"key": "a", "key": "b"}'
    equal 400 "$status"
    as "$ada" POST /api/v1/submissions -d 'nonsense'
    equal 400 "$status"
    head -c 3000000 /dev/zero | tr '\0' x >large
    as "$ada" POST /api/v1/submissions --data-binary @large
    equal 413 "$status"
    [[ $output == *"the request is too large"* ]]
    equal 0 "$(in_store 'SELECT count(*) FROM submission')"
}

@test "an author withdraws what waits" {
    serve
    local ada number
    ada=$(token ada)
    number=$(hand_in "$ada" k)
    as "$ada" DELETE "/api/v1/submissions/$number"
    equal 200 "$status"
    equal withdrawn "$(jq -r .state <<<"$output")"
    as "$ada" DELETE "/api/v1/submissions/$number"
    equal 409 "$status"
}

@test "four streams are open at once for a person, and each tells what happens" {
    serve
    local ada number i
    ada=$(token ada)
    number=$(hand_in "$ada" k)
    for i in 1 2 3 4; do
        curl -sN -m 15 -H "Authorization: Bearer $ada" "http://$address/api/v1/submissions/$number/events" >"events$i" 3>&- &
    done
    for i in 1 2 3 4; do wait_until test -s "events$i"; done
    as "$ada" GET "/api/v1/submissions/$number/events" -D headers
    equal 429 "$status"
    grep -qi '^retry-after: 5' headers
    as "$ada" DELETE "/api/v1/submissions/$number"
    for i in 1 4; do wait_until grep -q withdrawn "events$i"; done
    equal 'event: state' "$(head -n 1 events1)"
    equal waiting "$(sed -n '2s/^data: //p' events1 | jq -r .state)"
    equal withdrawn "$(sed -n 's/^data: //p' events1 | tail -n 1 | jq -r .state)"
    stop_server
    wait
}

@test "connections that idle or drip harm nobody" {
    serve
    local ada
    ada=$(token ada)
    python3 - "$address" <<'END' 3>&- &
import socket, sys, time
host, port = sys.argv[1].split(":")
idle = [socket.create_connection((host, int(port))) for _ in range(100)]
dripping = [socket.create_connection((host, int(port))) for _ in range(50)]
for s in dripping:
    s.send(b"G")
open("connected", "w").close()
while dripping:
    for s in list(dripping):
        try:
            s.send(b"E")
        except OSError:
            dripping.remove(s)
    time.sleep(0.05)
END
    local visitors=$! i
    wait_until test -e connected
    for ((i = 0; i < 20; i++)); do
        as "$ada" GET /api/v1/me -o /dev/null
        equal 200 "$status"
    done
    kill "$visitors"
    wait "$visitors" || true
    as "$ada" GET /api/v1/me
    equal 200 "$status"
}

@test "silent connections, as many as there are descriptors, shut nobody out" {
    ulimit -n 300
    serve
    local ada
    ada=$(token ada)
    python3 - "$address" <<'END' 3>&- &
import resource, socket, sys, time
resource.setrlimit(resource.RLIMIT_NOFILE, (300, 300))
host, port = sys.argv[1].split(":")
held = [socket.create_connection((host, int(port))) for _ in range(280)]
open("connected", "w").close()
time.sleep(60)
END
    local visitors=$! i
    wait_until test -e connected
    for ((i = 0; i < 5; i++)); do
        as "$ada" GET /api/v1/me
        equal 200 "$status"
    done
    hand_in "$ada" k >/dev/null
    kill "$visitors"
    wait "$visitors" || true
}

@test "pages that wait leave half of the connections to others, and ask now and then" {
    ulimit -n 300
    serve
    local teacher i k streams=()
    teacher=$(token emmy teacher)
    hand_in "$teacher" k >/dev/null
    for ((i = 0; i < 22; i++)); do
        teacher=$(token "t$i" teacher)
        for ((k = 0; k < 4; k++)); do
            curl -sN -m 60 -o "events.$i.$k" -w '%{http_code}\n' -H "Authorization: Bearer $teacher" "http://$address/api/v1/submissions/1/events" >"status.$i.$k" 3>&- &
            streams+=($!)
        done
    done
    wait_until grep -qs 'too many streams are open; ask for /api/v1/submissions/1 now and then' events.21.0 events.21.1 events.21.2 events.21.3
    as "$teacher" GET /api/v1/submissions/1
    equal 200 "$status"
    kill "${streams[@]}" 2>/dev/null || true
    wait "${streams[@]}" || true
}

@test "requests that a proxy could understand in another way are refused" {
    serve
    python3 - "$address" <<'END'
import socket, sys
host, port = sys.argv[1].split(":")
rows = [("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n", 200),
        ("GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400, "two hosts, expected one"),
        ("GET /healthz HTTP/1.1\r\n\r\n", 400),
        ("GET /healthz HTTP/1.1\r\nHost: a, b\r\n\r\n", 400, "a header with a character that does not belong there"),
        ("POST /login HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400, "a length and a transfer encoding, expected one of them"),
        ("POST /login HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\n12345", 400, "two lengths, expected one"),
        ("POST /login HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n", 501, "an unknown transfer encoding, expected chunked"),
        ("GET /healthz HTTP/1.1\nHost: a\r\n\r\n", 400, "a line that ends with LF alone, expected CR and LF"),
        ("GET /healthz HTTP/1.1\r\nHost: a\nAccept: b\r\n\r\n", 400, "a line that ends with LF alone"),
        ("GET /healthz HTTP/1.1\r\nHost: a\n\r\nGET /healthz HTTP/1.1\r\nHost: a\r\n\r\n", 400, "a line that ends with LF alone"),
        ("GET /healthz HTTP/1.1\r\nHost: a\r\n\nGET /healthz HTTP/1.1\r\nHost: a\r\n\r\n", 400, "a line that ends with LF alone"),
        ("POST /login HTTP/1.1\r\nHost: a\r\nContent-Length: 5\n\ntoken", 400, "a line that ends with LF alone"),
        ("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\nGET /healthz HTTP/1.1\r\nHost: a\r\n\r\n", 200),
        ("GET /healthz HTTP/1.1\r\nHost: a\rAccept: b\r\n\r\n", 400, "a header with a character that does not belong there"),
        ("GET /healthz HTTP/1.1\r\nHost: a\r\nContent-Length : 5\r\n\r\n", 400, "a header with a character that does not belong there"),
        ("GET /healthz HTTP/1.1\r\nHost: a\r\nAccept: b\0c\r\nX: d\r\n\r\n", 400, "a header with a character that does not belong there"),
        ("GET /healthz HTTP/1.1\r\nHost: a \r\nAccept: \r\nX-1:\tb\r\n\r\n", 200),
        ("GET /healthz HTTP/1.1\r\nHost: a\r\n\n", 400, "a line that ends with LF alone"),
        ("GET /healthz HTTP/1.1\r\nHost: a\n\n", 400, "a line that ends with LF alone"),
        ("GET /healthz HTTP/1.1\r\nHost: a\r\nAccept: b\0\r\n\r\n", 400, "a header with a character that does not belong there"),
        ("GET /healthz HTTP/1.1\r\nHost: a\r\nAccept: b\r\n c\r\n\r\n", 400, "a header with a character that does not belong there"),
        ("POST /login HTTP/1.1\r\nHost: a\r\nContent: 5\r\n -Length\r\n\r\n12345", 400, "a header with a character that does not belong there"),
        ("GET /healthz HTTP/1.1\r\nHost: a\r\nX-1: " + 20000 * "b" + "\r\n\r\n", 200),
        ("POST /login HTTP/1.1\r\nHost: a\r\nContent-Length: 5, 5\r\n\r\n12345", 400),
        ("POST /login HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\ntoken\r\n0\r\n\r\nGET /healthz HTTP/1.1\r\nHost: a\r\n\r\n", 401),
        ("POST /login HTTP/1.1\r\nHost: a\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\n12345", 415)]
wrong = 0
for text, expected, *words in rows:
    for pieces in (1, min(len(text), 500)): # at once, and byte by byte
        size = -(-len(text) // pieces)
        answer = b""
        with socket.create_connection((host, int(port)), 60) as connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            try:
                for at in range(0, len(text), size):
                    connection.sendall(text[at : at + size].encode())
            except (BrokenPipeError, ConnectionResetError):
                pass # it has refused before the end
            try:
                while (expected >= 400 or not answer) and (piece := connection.recv(4096)): # a refusal ends the connection
                    answer += piece
            except ConnectionResetError:
                pass # what was not read is lost
        found = answer.split(b" ")[1:2]
        by_library = expected >= 400 and found == [b"400"] and b"<html>" in answer # version 1.0 refuses more by itself
        is_right = by_library or (found == [str(expected).encode()] and (not words or words[0].encode() in answer))
        if not is_right or (expected >= 400 and b" 200 " in answer):
            print(repr(text), pieces, found, "expected", expected)
            wrong += 1
sys.exit(wrong)
END
}

@test "a store that is locked answers soon, and says when to come again" {
    serve
    local ada path
    ada=$(token ada)
    (sleep 8 | sqlite3 "$state/convjudge.db" -cmd 'BEGIN IMMEDIATE' 3>&-) &
    local holder=$!
    wait_until eval '! sqlite3 "$state/convjudge.db" "BEGIN IMMEDIATE; ROLLBACK" 2>/dev/null'
    local begun=${EPOCHREALTIME/./}
    as "$ada" POST /api/v1/submissions -d "$(request k)" -D headers
    equal 503 "$status"
    grep -qi '^Retry-After: 5' headers
    ((${EPOCHREALTIME/./} - begun < 6000000))
    begun=${EPOCHREALTIME/./}
    (as "$ada" POST /api/v1/submissions -d "$(request late)") &
    local waiting=$!
    for path in / /problems/conv1d /api/v1/submissions; do # whoever only reads is answered meanwhile
        as "$ada" GET "$path"
        equal 200 "$status"
    done
    ((${EPOCHREALTIME/./} - begun < 1500000))
    wait "$waiting"
    wait "$holder" || true
    hand_in "$ada" k >/dev/null
}

@test "a server that is killed loses nothing that it acknowledged" {
    serve
    local ada i
    ada=$(token ada)
    for ((i = 0; i < 5; i++)); do
        equal $((i + 1)) "$(hand_in "$ada" "k$i")"
        kill_server
        start_server
    done
    equal 5 "$(in_store 'SELECT count(*) FROM submission')"
    as "$ada" GET /api/v1/submissions
    equal '["waiting"]' "$(jq -c '[.submissions[].state] | unique' <<<"$output")"
}

@test "a second server on the same state is refused, and so is a taken address" {
    serve
    judge serve --config "$BATS_TEST_TMPDIR/config.json" --socket "$BATS_TEST_TMPDIR/other"
    ends 2 "another process, \`convjudge serve\` or \`convjudge grade-class\`, uses this state"
    judge serve --config "$BATS_TEST_TMPDIR/config.json" --state "$BATS_TEST_TMPDIR/other-state" --socket "$BATS_TEST_TMPDIR/other" --listen "$address"
    ends 2 "another program listens there; choose another port with --listen"
    judge serve --config "$BATS_TEST_TMPDIR/config.json" --state "$BATS_TEST_TMPDIR/other-state" --listen 127.0.0.1:0
    ends 2 "another server listens there"
    judge serve --config "$BATS_TEST_TMPDIR/config.json" --state "$BATS_TEST_TMPDIR/other-state" --listen nonsense
    ends 2 "expected"
}

@test "the socket of the reverse proxy is for a user of this host, and for no other" {
    serve "$(jq -n --arg path "$BATS_TEST_TMPDIR/proxy" '{proxy_socket: {path: $path, user: "nobody"}}')"
    status=$(curl --silent --unix-socket "$BATS_TEST_TMPDIR/proxy" --output answer --write-out '%{http_code}' http://localhost/)
    output=$(cat answer)
    says 403 "this socket is the reverse proxy's"
    stop_server
    jq '.proxy_socket.user = "no-such-user"' "$BATS_TEST_TMPDIR/config.json" >absent.json
    judge serve --config absent.json
    ends 2 "proxy_socket: this host" "'no-such-user'"
}

@test "tokens are made, shown once and revoked" {
    serve
    local ada
    ada=$(token ada teacher)
    as "$ada" GET /api/v1/me
    equal teacher "$(jq -r .role <<<"$output")"
    judge token revoke ada --state "$state"
    ends 0
    as "$ada" GET /api/v1/me
    equal 401 "$status"
    judge token revoke nobody --state "$state"
    ends 2 "there is no person 'nobody'"
    judge token add
    ends 2 "expected 'add NAME' or 'revoke NAME'"
    judge token add ada --role king --state "$state"
    ends 2 "unknown role 'king'"
    judge token add ada --state "$BATS_TEST_TMPDIR/nowhere"
    ends 2 "there is no such database, expected the state of \`convjudge serve\`"
    judge token add bob --state "$state"
    ends 0 "This token of bob is not kept and not shown again."
}

@test "a copy is made while the server runs" {
    serve
    local ada
    ada=$(token ada)
    hand_in "$ada" k
    judge backup --state "$state" copy.db
    ends 0
    equal 1 "$(sqlite3 copy.db 'SELECT count(*) FROM submission')"
    judge backup --state "$state" copy.db
    ends 2 "exists already"
    equal 600 "$(stat -c %a copy.db)"
}

@test "a person's limits refuse a submission, and say when the next is possible" {
    serve '{"limits": {"waiting": 3, "submissions_a_day": 5, "bytes_a_day": 100000}}'
    local ada grace i
    ada=$(token ada) grace=$(token grace teacher)
    send() { as "$1" POST /api/v1/submissions -d "$(jq -n --arg key "$2" --arg source "// ${3:-$2}" '{key: $key, file_name: "x.cu", problem: "conv1d", source: $source}')" -D headers; }
    for ((i = 1; i <= 3; i++)); do send "$ada" k$i; done
    send "$ada" k4
    says 429 "3 of your submissions wait, which is the most; the next is possible when one is judged"
    grep -qi '^retry-after: 10' headers
    send "$ada" k3 # the same again is no new one
    equal 200 "$status"
    for ((i = 1; i <= 4; i++)); do send "$grace" k$i; done # teachers have none
    equal 201 "$status"
    sqlite3 "$state/convjudge.db" "UPDATE judging SET state = 'cancelled'"
    for ((i = 4; i <= 5; i++)); do send "$ada" k$i; done
    equal 201 "$status"
    send "$ada" k6
    says 429 "within 24 hours you may submit 5 files; the next is possible at $(date -u -d tomorrow +%F)T"
    sqlite3 "$state/convjudge.db" "UPDATE submission SET received_s = received_s - 86401 WHERE id < 4; UPDATE judging SET state = 'cancelled'"
    send "$ada" k6
    equal 201 "$status"
    send "$ada" k7 "$(head -c 99000 /dev/zero | tr '\0' x)"
    equal 201 "$status"
    sqlite3 "$state/convjudge.db" "UPDATE judging SET state = 'cancelled'"
    send "$ada" k8 "$(head -c 1000 /dev/zero | tr '\0' x)"
    says 429 "within 24 hours you may submit 100000 bytes; the next is possible at $(date -u -d tomorrow +%F)T"
    echo '{"limits": {"waiting": 0}}' >wrong.json
    judge check-config wrong.json
    ends 2 "waiting: expected a whole number from 1 to 1000000"
}

@test "behind TLS a login's cookie is of this host alone, and a person logs out everywhere" {
    serve
    local ada other_cookie
    ada=$(token ada)
    log_in() { ask POST /login -d "token=$ada" -H "Origin: $1://$address" -D headers "${@:2}"; }
    log_in https -H 'X-Forwarded-Proto: https'
    grep -qi '^set-cookie: __Host-convjudge=[0-9a-f]\{64\}; Path=/; Max-Age=2592000; HttpOnly; SameSite=Lax; Secure'$'\r' headers
    cookie=$(sed -n 's/^[Ss]et-[Cc]ookie: __Host-convjudge=\([0-9a-f]*\);.*/\1/p' headers)
    ask GET /api/v1/me -H 'X-Forwarded-Proto: https' -b "__Host-convjudge=$cookie"
    equal 200 "$status"
    ask GET /api/v1/me -H 'X-Forwarded-Proto: https' -b "convjudge=$cookie" # could be set by a neighbour of this host
    equal 401 "$status"
    log_in http
    other_cookie=$(sed -n 's/^[Ss]et-[Cc]ookie: convjudge=\([0-9a-f]*\);.*/\1/p' headers)
    ask POST /logout -b "convjudge=$other_cookie" -H "Origin: http://$address" -d everywhere=1
    equal 303 "$status"
    ask GET /api/v1/me -H 'X-Forwarded-Proto: https' -b "__Host-convjudge=$cookie"
    equal 401 "$status"
    as "$ada" GET /api/v1/me
    equal 200 "$status"
}

@test "an administrator pauses the queue and takes a worker out" {
    serve '{"workers": ["sim"]}'
    local ada boss
    ada=$(token ada) boss=$(token grace admin)
    as "$boss" POST /admin/pause -d "why= "
    says 400 "expected a reason"
    as "$boss" POST /admin/pause -d "why=new driver"
    equal 303 "$status"
    as "$ada" POST /admin/pause -d "why=me too"
    says 403 "this is for admins"
    hand_in "$ada" k >/dev/null
    sleep 1
    equal queued "$(in_store 'SELECT state FROM judging')"
    ask GET /healthz
    says 503 "the queue is paused since "
    [[ $output == *"new driver, by grace"* ]]
    as "$boss" GET /admin
    says 200 "new driver, by grace. Submissions are taken and wait."
    as "$boss" POST /admin/workers/nobody/drain
    says 404 "there is no such worker"
    as "$boss" POST /admin/workers/own-1/drain
    as "$boss" POST /admin/resume
    ask GET /healthz
    equal 200 "$status"
    sleep 1
    equal queued "$(in_store 'SELECT state FROM judging')"
    as "$boss" GET /admin
    says 200 "taken out by grace"
    as "$boss" POST /admin/workers/own-1/undrain
    wait_until_ended "$ada" 1
    equal "pause new driver, by grace|drain own-1|resume |undrain own-1" \
        "$(in_store "SELECT group_concat(action || ' ' || object, '|') FROM (SELECT * FROM audit WHERE action IN ('pause', 'resume', 'drain', 'undrain') ORDER BY id)")"
}

@test "a worker of the server's own that hangs is replaced, and what it had is judged" {
    serve '{"workers": ["sim"], "lease_s": 10}'
    local ada worker
    ada=$(token ada)
    wait_until grep -q 'worker=own-1' "$BATS_TEST_TMPDIR/server.log"
    worker=$(pgrep -P "$server" -f 'work --server')
    kill -STOP "$worker"
    hand_in "$ada" k '.mode = "try"' >/dev/null
    wait_until grep -q 'event=attempt_failed .* outcome=given_back' "$BATS_TEST_TMPDIR/server.log"
    ask GET /healthz
    says 503 "the worker own-1 hangs: it has not shown a sign of life"
    wait_until grep -q 'event=worker_hangs worker=own-1' "$BATS_TEST_TMPDIR/server.log"
    wait_until_ended "$ada" 1
    [[ $(jq -r .verdict <<<"$output") == Accepted ]]
    run kill -0 "$worker"
    equal 1 "$status"
    ask GET /healthz
    equal 200 "$status"
}

@test "a webhook gets a POST for what is judged, and one that fails is in the log alone" {
    python3 - <<'END' 3>&- &
import http.server
class Hook(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self.send_response(204)
        self.end_headers()
        with open("news", "a") as file: file.write(" ".join(body.split()) + "\n")
    def log_message(self, *_): pass
server = http.server.HTTPServer(("127.0.0.1", 0), Hook)
with open("port.new", "w") as file: file.write(str(server.server_port))
import os; os.rename("port.new", "port")
server.serve_forever()
END
    local hook=$! ada
    wait_until test -s port
    serve "{\"workers\": [\"sim\"], \"webhooks\": [\"http://127.0.0.1:$(<port)/hook\", \"http://127.0.0.1:1/\"]}"
    ada=$(token ada)
    jq -n '{key: "k", file_name: "x.cu", problem: "conv1d", mode: "test", source: "void f("}' |
        curl -sf -H "Authorization: Bearer $ada" -d @- "http://$address/api/v1/submissions" >answer
    wait_until grep -q judged news
    kill "$hook"
    equal '{"event":"judged","submission":1,"person":"ada","problem":"conv1d","mode":"test","verdict":"Compile Error"}' "$(jq -c . news)"
    wait_until grep -q "event=webhook_failed url=http://127.0.0.1:1/" "$BATS_TEST_TMPDIR/server.log"
    stop_server
    serve '{"webhooks": []}'
    echo '{"webhooks": ["ftp://x"]}' >wrong.json
    judge check-config wrong.json
    ends 2 'expected a URL of http or https, found "ftp://x"'
}

@test "submissions are listed by problem, verdict, time and speed" {
    serve
    local ada
    ada=$(token ada)
    hand_in "$ada" k1 >/dev/null
    hand_in "$ada" k2 '.mode = "test"' >/dev/null
    sqlite3 "$state/convjudge.db" "UPDATE submission SET received_s = received_s - 100000 WHERE id = 1;
        UPDATE judging SET state = 'recorded', verdict = 'Wrong Answer', text = '', recorded_utc = '2026-01-01T00:00:00Z' WHERE submission = 1" ||
        sqlite3 "$state/convjudge.db" "UPDATE judging SET state = 'recorded', verdict = 'Wrong Answer' WHERE submission = 1"
    listed() { as "$ada" GET "/api/v1/submissions?$1"; equal "$2" "$(jq -r '[.submissions[].submission] | join(" ")' <<<"$output")"; }
    listed "" "2 1"
    listed "verdict=Wrong%20Answer" 1
    listed "since=$(date -u -d '1 hour ago' +%FT%TZ)" 2
    listed "most_ms=5" ""
    listed "verdict=&problem=conv1d" "2 1"
    as "$ada" GET "/api/v1/submissions?verdict=Fine"
    says 400 "verdict: expected one such as Accepted, found 'Fine'"
    as "$ada" GET "/api/v1/submissions?since=yesterday"
    says 400 "since: expected a time such as 2026-01-31T12:00:00Z, found 'yesterday'"
    as "$ada" GET "/api/v1/submissions?most_ms=fast"
    says 400 "most_ms: expected a number above 0, found 'fast'"
    as "$ada" GET "/people/ada?verdict=Wrong+Answer"
    says 200 '<option selected>Wrong Answer</option>'
    [[ $output == *'/submissions/1"'* && $output != *'/submissions/2"'* ]]
    CONVJUDGE_SERVER=http://$address CONVJUDGE_TOKEN=$ada judge runs --since "$(date -u -d '1 hour ago' +%FT%TZ)"
    ends 0 "     2  "
}

@test "a nightly copy is safe to repeat, for its owner alone, and the oldest ones go" {
    serve
    mkdir copies
    touch copies/convjudge-2020-01-0{1,2,3}T000000Z.db copies/convjudge-2020-01-04T000000Z.part copies/mine.db
    judge backup --state "$state" --keep 2 copies
    ends 0 "copies/convjudge-20"
    sleep 1.1 # names have seconds
    judge backup --state "$state" --keep 2 copies
    ends 0
    equal 3 "$(find copies -type f | wc -l)"
    ls copies/mine.db
    absent copies/convjudge-2020-01-03T000000Z.db
    equal 600 "$(stat -c %a copies/convjudge-2*.db | sort -u)"
    judge backup --state "$state" --keep 0 copies
    ends 2 "--keep"
    judge backup --state "$state" --keep 2 nowhere
    ends 2 "nowhere: No such file or directory"
}

@test "a copy is restored, what was there is kept, and no number is given twice" {
    serve
    local ada
    ada=$(token ada)
    hand_in "$ada" k1
    judge backup --state "$state" copy.db
    hand_in "$ada" k2
    add_run() {
        sqlite3 "$state/convjudge.db" "INSERT INTO runs SELECT $1, '2026-01-31T12:00:00Z', 'ada', 'conv1d', revision, 'sim-h200', 99, 'H200', '', '', '', 'full',
            'Accepted', 'ranked', 1, 0.001, 'c', 'x', 'x.cu', '{}', '[]' FROM judging LIMIT 1"
    }
    add_run 41
    judge restore --state "$state" copy.db
    ends 2 "another process, \`convjudge serve\` or \`convjudge grade-class\`, uses this state"
    stop_server
    echo damaged >broken.db
    judge restore --state "$state" broken.db
    ends 2 "broken.db"
    { head -c 20000 copy.db; head -c 20000 /dev/urandom; tail -c +40001 copy.db; } >broken.db
    judge restore --state "$state" broken.db
    ends 2 "broken.db: the database is damaged: "
    sqlite3 leaderboard.db ".read $root/leaderboard/schema.sql" ".read $root/leaderboard/case_times.sql" ".read $root/leaderboard/boards.sql"
    judge restore --state "$state" leaderboard.db
    ends 2 "leaderboard.db: holds no submissions, expected a copy of \`convjudge backup\`"
    judge restore --state "$state" nothing.db
    ends 2 "nothing.db: there is no such file, expected a copy of \`convjudge backup\`"
    equal 2 "$(in_store 'SELECT count(*) FROM submission')"
    judge restore --state "$state" copy.db
    ends 0 "$state/convjudge.db is now copy.db; the next submission is number 3" "the database before it is kept as $state/convjudge.db.before-"
    equal 1 "$(in_store 'SELECT count(*) FROM submission')"
    equal 2 "$(sqlite3 "$state"/convjudge.db.before-*Z 'SELECT count(*) FROM submission')"
    equal 600 "$(stat -c %a "$state/convjudge.db")"
    equal 42 "$(in_store 'SELECT run FROM next_number')"
    serve
    equal 3 "$(hand_in "$ada" k3)"
    stop_server
    rm "$state"/convjudge.db*
    judge restore --state "$state" copy.db # nobody knows what was given since
    ends 0 "the next submission is number 10002"
    equal 10001 "$(in_store 'SELECT run FROM next_number')"
    lacks "is kept as"
}

@test "an empty store where there was one is no health" {
    health() { curl -s --unix-socket "$socket" http://x/healthz; }
    serve
    stop_server
    rm "$state"/convjudge.db*
    "$build/convjudge" serve --config "$BATS_TEST_TMPDIR/config.json" 2>server.log 3>&- &
    # shellcheck disable=SC2034 # service.bash reads it
    server=$!
    wait_until grep -q event=started server.log
    [[ $(health) == *"the store was gone and is a new, empty one; restore a copy (convjudge restore), or remove $state/store-was-lost"* ]]
    rm "$state/store-was-lost"
    equal ok "$(health)"
}

# says STATUS TEXT: what the last request got.
says() {
    equal "$1" "$status" || { echo "$output"; return 1; }
    [[ $output == *"$2"* ]] || { echo "$output"; return 1; }
}

@test "whoever may not is told why" {
    serve '{"public": false}'
    local ada bob number
    ada=$(token ada) bob=$(token bob teacher)
    number=$(hand_in "$ada" k)
    ask GET /api/v1/me
    says 401 'who are you?'
    ask GET /api/v1/me -H 'Authorization: Basic eDp5'
    says 401 'expected \"Authorization: Bearer TOKEN\"'
    ask GET /api/v1/me -H 'Authorization: Bearer guess'
    says 401 'unknown token'
    as "$ada" GET /teacher
    says 403 'this is for teachers'
    as "$bob" GET /admin
    says 403 'this is for admins'
    as "$ada" PUT /api/v1/me
    says 405 'this cannot be done here'
    as "$ada" GET "/api/v1/submissions/$number/report"
    says 409 "submission $number is not judged yet"
    as "$ada" GET "/submissions/$number/look"
    says 404 "there is no look inside submission $number"
    as "$ada" GET "/api/v1/submissions/$number/comparison?before=$number"
    says 409 "submission $number is not judged yet"
    as "$ada" GET "/api/v1/submissions/$number/comparison"
    says 400 'expected ?before=, the number of the other submission'
    as "$ada" GET /api/v1/submissions/999
    says 404 "there is no submission 999"
    as "$bob" DELETE "/api/v1/submissions/$number"
    says 403 'only its author can withdraw a submission'
    as "$bob" POST "/submissions/$number/withdraw"
    says 403 'only its author can withdraw a submission'
    as "$bob" POST "/submissions/$number/ruling" -d ruling=accept
    says 400 'expected a decision about a run that was recorded'
    as "$ada" DELETE "/api/v1/submissions/$number"
    equal 200 "$status"
    as "$ada" DELETE "/api/v1/submissions/$number"
    says 409 "submission $number does not wait any more"
    as "$ada" GET /api/v1/nonsense
    says 404 'there is no such page'
}

@test "a browser logs in with a token, and only pages of this server change anything" {
    serve
    local ada number cookie
    ada=$(token ada)
    ask POST /login -d token=guess
    says 401 'This is not a token that is in force; a teacher gives out new ones.'
    ask POST /login -d "token=$ada&next=//elsewhere/" -D headers -b convjudge=mine -H "Origin: http://$address"
    equal 303 "$status"
    grep -qi '^location: /'$'\r' headers
    grep -qi '^set-cookie: convjudge=[0-9a-f]\{64\}; Path=/; Max-Age=2592000; HttpOnly; SameSite=Lax'$'\r' headers
    cookie=$(sed -n 's/^[Ss]et-[Cc]ookie: \(convjudge=[0-9a-f]*\);.*/\1/p' headers)
    ask POST /login -d "token=$ada" -D headers -H 'X-Forwarded-Proto: https'
    grep -qi '^set-cookie: .*; Secure' headers
    ask GET /api/v1/me -b "$cookie"
    says 200 '"ada"'
    ask POST /problems/conv1d/submit -b "$cookie" -F key=k1 -F mode=rank -F "file=@$root/solutions/conv1d/accepted/naive.cu"
    says 403 'the request does not come from a page of this server'
    ask POST /problems/conv1d/submit -b "$cookie" -H "Origin: http://elsewhere" -F key=k1 -F mode=rank -F "file=@$root/solutions/conv1d/accepted/naive.cu"
    says 403 'the request does not come from a page of this server'
    ask POST /problems/conv1d/submit -b "$cookie" -H "Origin: http://$address" -F key=k1 -F mode=rank -F "file=@$root/solutions/conv1d/accepted/naive.cu" -D headers
    says 303 ''
    grep -qi '^location: /submissions/1' headers
    ask GET /submissions/1 -b "$cookie"
    equal 200 "$status"
    ask POST /logout -b "$cookie" -H "Origin: http://$address"
    ask GET /api/v1/me -b "$cookie"
    equal 401 "$status"
}

@test "addresses and sockets that cannot be are refused" {
    serve
    local other=(--config "$BATS_TEST_TMPDIR/config.json" --state "$BATS_TEST_TMPDIR/other")
    judge serve "${other[@]}" --socket "$BATS_TEST_TMPDIR/x" --listen nonsense
    ends 2 "nonsense: not an address, expected one like 127.0.0.1:8080"
    judge serve "${other[@]}" --socket "$BATS_TEST_TMPDIR/x" --listen no-such-host.invalid:80
    ends 2 "no-such-host.invalid:80: unknown host, expected an address like 127.0.0.1:8080"
    touch file
    judge serve "${other[@]}" --listen 127.0.0.1:0 --socket "$PWD/file"
    ends 2 "file: exists and is not a socket, expected the path of one"
    judge serve "${other[@]}" --listen 127.0.0.1:0 --socket "$PWD/$(printf 'x%.0s' {1..200})"
    ends 2 "the name of a socket has at most 107 bytes"
}

@test "a state on a network file system is refused" {
    cat >nfs.c <<'END'
#include <string.h>
#include <sys/vfs.h>
int statfs(const char *path, struct statfs *info) { memset(info, 0, sizeof *info); info->f_type = 0x6969; return 0; }
END
    gcc -shared -fPIC -o nfs.so nfs.c
    LD_PRELOAD=$PWD/nfs.so run "$build/convjudge" serve --listen 127.0.0.1:0 --state "$PWD/state" --socket "$PWD/socket"
    ends 2 "state: lies on a network file system (NFS), expected a local disk: the database's log needs shared memory"
    [[ ! -e state/convjudge.db ]]
}

@test "a database of a newer version is refused" {
    serve
    stop_server
    sqlite3 "$state/convjudge.db" 'UPDATE service_version SET version = 99'
    judge serve --config "$BATS_TEST_TMPDIR/config.json"
    ends 2 "written by a newer ConvJudge: version 99 of the service, this program knows versions up to 9"
}

@test "an older database is upgraded, after a copy" {
    mkdir -m 700 "$BATS_TEST_TMPDIR/state"
    sqlite3 "$BATS_TEST_TMPDIR/state/convjudge.db" ".read $root/leaderboard/tests/schema_1.sql"
    serve
    equal 1 "$(sqlite3 "$state/convjudge.db.version-1" 'PRAGMA user_version')"
    equal 8 "$(in_store 'PRAGMA user_version')"
    equal 9 "$(in_store 'SELECT version FROM service_version')"
}

@test "tables of the service of version 1 are upgraded, after a copy, and are those of a new database" {
    mkdir -m 700 "$BATS_TEST_TMPDIR/state"
    sqlite3 "$BATS_TEST_TMPDIR/state/convjudge.db" ".read $root/leaderboard/schema.sql" \
        ".read $root/leaderboard/case_times.sql" ".read $root/leaderboard/boards.sql" ".read $root/leaderboard/service.sql"
    serve
    equal 1 "$(sqlite3 "$state/convjudge.db.service-version-1" 'SELECT version FROM service_version')"
    equal 9 "$(in_store 'SELECT max(version) FROM service_version')"
    equal 0 "$(in_store 'SELECT count(*) FROM taken_in')"
    stop_server
    CONVJUDGE_DB=$state/convjudge.db judge verify-leaderboard
    ends 0
}

@test "where the disk is full, a hand-in is refused in one line, and goes well later" {
    unshare -rm true 2>/dev/null || skip "no file system can be mounted here"
    cat >inside.sh <<'END'
mount -t tmpfs -o size=90m tmpfs "$1"
"$2" serve --listen 127.0.0.1:0 --state "$1/state" --socket "$1/socket" --config "$3" 2>server.log 3>&- &
server=$!
for ((i = 0; i < 1200; i++)); do curl -sf --unix-socket "$1/socket" http://x/healthz >/dev/null && break; sleep 0.05; done
hand_in() { curl -s -o "$2" -w '%{http_code}\n' --unix-socket "$1/socket" -d "@$2.json" http://x/api/v1/submissions; }
hand_in "$1" first
head -c 100000000 /dev/zero >"$1/filler" 2>/dev/null
hand_in "$1" second
rm "$1/filler"
hand_in "$1" second
curl -s -o health -w '%{http_code}\n' --unix-socket "$1/socket" http://x/healthz
kill $server
wait $server
END
    mkdir "$BATS_TEST_TMPDIR/small"
    echo '{"workers": []}' >config.json
    request k1 >first.json
    request k2 '.source += ("// " + "x" * 200000)' >second.json
    run unshare --user --map-root-user --mount bash inside.sh "$BATS_TEST_TMPDIR/small" "$build/convjudge" "$PWD/config.json"
    equal $'201\n503\n201\n200' "$output" || { cat server.log second; return 1; }
}
