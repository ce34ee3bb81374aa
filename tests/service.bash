# What the tests of the service share: a server of each test's own, and requests to it. Needs helper.bash.
# shellcheck shell=bash

# serve [SETTINGS]: starts a server with these settings (JSON) besides its address and folders, and waits until it answers. Sets
# address, socket and state.
serve() {
    state=$BATS_TEST_TMPDIR/state socket=$BATS_TEST_TMPDIR/socket
    jq -n --arg state "$state" --arg socket "$socket" '{listen: "127.0.0.1:0", state: $state, socket: $socket, workers: []}' |
        jq --argjson more "${1:-{\}}" '. + $more' >"$BATS_TEST_TMPDIR/config.json"
    start_server
}

# start_server: starts it with the settings that it had. Its temporary files are its own: judge() looks for those of commands, and
# those of a worker that is busy are no leftovers.
start_server() {
    local i
    mkdir -p "$BATS_TEST_TMPDIR/tmp_of_server"
    : >"$BATS_TEST_TMPDIR/server.log"
    TMPDIR=$BATS_TEST_TMPDIR/tmp_of_server "$build/convjudge" serve --config "$BATS_TEST_TMPDIR/config.json" 2>"$BATS_TEST_TMPDIR/server.log" 3>&- &
    server=$!
    for ((i = 0; i < 2400; i++)); do
        address=$(sed -n 's/.* event=started address=\([^ ]*\) .*/\1/p' "$BATS_TEST_TMPDIR/server.log")
        if [[ -n $address ]] && curl -sf --unix-socket "$socket" http://x/healthz >/dev/null; then return 0; fi
        kill -0 "$server" || break
        sleep 0.05
    done
    cat "$BATS_TEST_TMPDIR/server.log"
    return 1
}

end_server() { # SIGNAL
    if [[ -n ${server:-} ]]; then
        kill "-$1" "$server" 2>/dev/null || true
        wait "$server" || true
        server=
    fi
}

stop_server() { end_server TERM; }
kill_server() { end_server KILL; }
teardown() { stop_server; }

# token NAME [ROLE]: prints a new token.
token() { "$build/convjudge" token add "$1" --role "${2:-student}" --state "$state" 2>/dev/null; }

# token_to_hand_in NAME: prints a new one that only hands in for others.
token_to_hand_in() { "$build/convjudge" token add "$1" --hand-in-only --state "$state" 2>/dev/null; }

# ask METHOD PATH [CURL OPTION...]: sets status to that of HTTP and output to the body, in which nothing is amiss with a template.
ask() {
    local answer
    answer=$(curl -s -m 20 -X "$1" -w '\n%{http_code}' "${@:3}" "http://$address$2") || { echo "curl: $?"; return 1; }
    # shellcheck disable=SC2034 # the tests read it
    status=${answer##*$'\n'} output=${answer%$'\n'*}
    ! grep -oE '\[[a-z_]+(\.html:[0-9]+: .*|: nothing shows the value .*)\]' <<<"$output"
}

# as TOKEN METHOD PATH [CURL OPTION...]
as() { ask "$2" "$3" -H "Authorization: Bearer $1" "${@:4}"; }

# request KEY [JQ]: the body of a hand-in: the starter's place taken by a correct solution; jq changes it.
request() {
    jq -n --arg key "$1" --rawfile source "$root/solutions/conv1d/accepted/naive.cu" \
        '{key: $key, file_name: "mine.cu", source: $source, problem: "conv1d"}' | jq "${2:-.}"
}

# hand_in TOKEN KEY [JQ]: prints the number.
hand_in() { request "$2" "${3:-.}" | curl -sf -H "Authorization: Bearer $1" -d @- "http://$address/api/v1/submissions" | jq .submission; }

# wait_until_ended TOKEN NUMBER
wait_until_ended() {
    local i
    for ((i = 0; i < 1500; i++)); do
        as "$1" GET "/api/v1/submissions/$2"
        case $(jq -r .state <<<"$output") in judged | held | withdrawn) return 0 ;; esac
        sleep 0.2
    done
    echo "$output"
    return 1
}

# in_store QUERY: what the server's database answers.
in_store() { sqlite3 -readonly "$state/convjudge.db" "$1"; }
