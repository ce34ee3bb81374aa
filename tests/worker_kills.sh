#!/usr/bin/env bash
# Hands in to a server, and each time kills with -9, at a random moment, the server's worker or one process that it has started. The
# worker is started again where it was killed. Each submission must be recorded once, with the right verdict, and each other attempt
# must have a reason. No process and no temporary file may be left. Prints TAP.
# Usage: tests/worker_kills.sh BUILD [KILLS] [SEED]     the same seed chooses the same moments; processes still differ
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1 kills=${2:-50} seed=${3:-$(od -An -N2 -tu2 /dev/urandom)}
RANDOM=$seed
scratch=$(mktemp -d)
worker='' server=''
trap 'for pid in $worker $server; do kill -9 "$pid" 2>/dev/null || true; done; rm -rf "$scratch"' EXIT
export CONVJUDGE_DB=$scratch/none.db NO_COLOR=1
state=$scratch/state socket=$scratch/socket honest=solutions/conv1d/accepted/naive.cu
mkdir "$scratch/tmp" "$scratch/tmp_of_server"
CONVJUDGE_HOME=$(PYTHONPATH=tests/service python3 -c 'import lab, sys; print(lab.light_home(sys.argv[1]))' "$scratch/home")
export CONVJUDGE_HOME
# shellcheck source=/dev/null
source tests/processes.sh

"$build/convjudge" try --device sim --sizes input_size=9,kernel_size=3 --problem conv1d "$honest" >/dev/null 2>&1
jq -n --arg state "$state" --arg socket "$socket" '{listen: "", state: $state, socket: $socket, workers: [], lease_s: 10}' >"$scratch/config.json"
TMPDIR=$scratch/tmp_of_server "$build/convjudge" serve --config "$scratch/config.json" 2>"$scratch/server.log" &
server=$!
export TMPDIR=$scratch/tmp

start_worker() {
    "$build/convjudge" work --server "$socket" --state "$state" --device sim --name w 2>>"$scratch/log" &
    worker=$!
}

in_store() { sqlite3 "$state/convjudge.db" "PRAGMA busy_timeout = 60000; $1" | tail -n +2; }

offer() { # NUMBER MODE
    jq -n --rawfile source "$honest" --arg key "k$1" --arg mode "$2" \
        '{key: $key, file_name: "naive.cu", source: $source, problem: "conv1d", mode: $mode}' |
        curl -sf --unix-socket "$socket" -d @- http://x/api/v1/submissions >/dev/null
}

wait_for() { # COMMAND...: fails after 600 s
    local deadline=$((SECONDS + 600))
    until "$@"; do
        [[ $SECONDS -lt $deadline ]] || return
        sleep 0.01
    done
}

# shellcheck disable=SC2317 # what wait_for() is given looks unreachable
gone() { # PID...: none of them lives
    local pid
    for pid in "$@"; do [[ ! -e /proc/$pid ]] || return; done
}

# shellcheck disable=SC2317
is_begun() { [[ $(in_store "SELECT count(*) FROM attempt WHERE judging = $1") != 0 ]]; }
# shellcheck disable=SC2317
has_ended() { [[ $(in_store "SELECT state FROM judging WHERE id = $1") == @(recorded|held) ]]; }
# shellcheck disable=SC2317
is_clean() { [[ -z $(ls -A "$TMPDIR") ]]; }
lives() { kill -0 "$worker" 2>/dev/null; }

# others: all descendants of the worker but its janitor, without which nobody would clear up after a second kill.
others() {
    local pid
    for pid in $(descendants "$worker" || true); do
        grep -qzx work "/proc/$pid/cmdline" 2>/dev/null || echo "$pid"
    done
}

# kill_one AFTER: kills the worker (one time in four) or one of its descendants; prints what it was.
kill_one() {
    local all victim words=()
    sleep "$(printf '0.%03d' "$1")"
    mapfile -t all < <(others)
    victim=$worker
    if [[ ${#all[@]} != 0 && $((RANDOM % 4)) != 0 ]]; then victim=${all[RANDOM % ${#all[@]}]}; fi
    { mapfile -d '' -t words <"/proc/$victim/cmdline"; } 2>/dev/null || true
    kill -9 "$victim" 2>/dev/null || return 0
    if [[ $victim == "$worker" ]]; then
        wait "$worker" 2>/dev/null || true
        wait_for gone "${all[@]}" || {
            ps -o pid=,ppid=,stat=,etimes=,args= -p "$(IFS=,; echo "${all[*]}")" >>"$scratch/log" || true
            echo -n 'processes are left: '
        }
    fi
    words=("${words[*]:0:3}")
    echo "${words[0]%%$'\n'*}"
}

what_is_wrong() { # JUDGING
    wait_for has_ended "$1" || echo "it does not end: $(in_store "SELECT state FROM judging WHERE id = $1")"
    # A killed process of the submission is a Run-Time Error of the submission. No other verdict may come of a kill.
    in_store "SELECT verdict FROM judging WHERE id = $1 AND state = 'recorded' AND verdict NOT IN ('Accepted', 'Run-Time Error')"
    in_store "SELECT 'attempt ' || n || ' has no outcome' FROM attempt WHERE judging = $1 AND outcome IS NULL"
    in_store "SELECT 'no reason is given' FROM attempt WHERE judging = $1 AND outcome = 'worker_failed' AND why = ''"
    in_store "SELECT 'judged twice' FROM attempt WHERE judging = $1 AND outcome = 'judged' GROUP BY judging HAVING count(*) > 1"
}

round() { # NUMBER
    local modes=(rank test try) after=$((RANDOM % 900)) victim wrong
    lives || start_worker
    offer "$1" "${modes[RANDOM % 3]}"
    wait_for is_begun "$1" || true
    kill_one "$after" >"$scratch/victim"
    victim=$(<"$scratch/victim")
    lives || start_worker
    wrong=$(what_is_wrong "$1")
    [[ $victim != processes* ]] || wrong+=$victim
    if [[ -n $wrong ]]; then echo -n 'not '; failed=1; fi
    echo "ok $1 - after $after ms: $victim: $(in_store "SELECT group_concat(outcome || ' ' || coalesce(why, ''), ', ') FROM attempt WHERE judging = $1")"
    if [[ -n $wrong ]]; then
        printf '# %s\n' "${wrong//$'\n'/$'\n'# }" "seed $seed"
        tail -n 5 "$scratch/log" | sed 's/^/# /'
    fi
    in_store 'DELETE FROM drained' # a person has seen to it
}

failed=0
echo "1..$((kills + 1))"
echo "# seed $seed"
wait_for curl -sf --unix-socket "$socket" -o /dev/null http://x/healthz
for ((number = 1; number <= kills; number++)); do round $number; done
kill -TERM "$worker" 2>/dev/null || true
wait "$worker" 2>/dev/null || true
worker=
kill -TERM "$server"
wait "$server" || { echo -n 'not '; failed=1; }
server=
wait_for is_clean || { echo -n 'not '; failed=1; }
echo "ok $((kills + 1)) - no temporary file is left"
exit $failed
