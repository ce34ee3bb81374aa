#!/usr/bin/env bash
# Offers jobs to a worker, and each time kills with -9, at a random moment, the worker or one process that it has started. The
# worker is started again where it was killed. Each job must end exactly once: judged, with the right verdict, or as a failure of
# the worker. No process, no temporary file and nothing in the spool may be left. Prints TAP.
# Usage: tests/worker_kills.sh BUILD [KILLS] [SEED]     the same seed chooses the same moments; processes still differ
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1 kills=${2:-50} seed=${3:-$(od -An -N2 -tu2 /dev/urandom)}
RANDOM=$seed
scratch=$(mktemp -d)
worker=
trap '[[ -z $worker ]] || kill -9 $worker 2>/dev/null; rm -rf "$scratch"' EXIT
export TMPDIR=$scratch/tmp CONVJUDGE_DB=$scratch/none.db NO_COLOR=1
spool=$scratch/spool honest=solutions/conv1d/accepted/naive.cu
mkdir "$TMPDIR"
mkdir -m 700 "$spool" "$spool"/{ready,claimed,beat,done,hold,damaged}
# shellcheck source=/dev/null
source tests/processes.sh

"$build/convjudge" try --device sim --sizes input_size=9,kernel_size=3 --problem conv1d --json "$scratch/result.json" "$honest" >/dev/null 2>&1

start_worker() {
    "$build/convjudge" work --spool "$spool" --device sim --name w 2>>"$scratch/log" &
    worker=$!
}

offer() { # JUDGING MODE
    jq -n --rawfile source "$honest" --slurpfile result "$scratch/result.json" --argjson judging "$1" --arg mode "$2" '$result[0] |
        {format: 1, judging: $judging, attempt: 1, mode: $mode, problem: .problem, revision: .revision, source_hash: .source_hash,
         source: $source, file_name: "naive.cu", person: "ada", device: "", priority: $judging, time_limit_s: 100}' >"$scratch/job"
    mv "$scratch/job" "$spool/ready/$1-1.json"
}

wait_for() { # COMMAND...: fails after 60 s
    local deadline=$((SECONDS + 60))
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

# What belongs to a job whose end is reported stays for the head, which is not here.
under_way() {
    local file name
    find "$spool"/{ready,claimed,beat} -type f | while read -r file; do
        name=${file##*/}
        [[ -e $spool/done/${name%.*}.json ]] || echo "$file"
    done
}
# shellcheck disable=SC2317
is_idle() { [[ -z $(under_way) ]]; }
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
        wait_for gone "${all[@]}" || echo -n 'processes are left: '
    fi
    words=("${words[*]:0:3}")
    echo "${words[0]%%$'\n'*}"
}

what_is_wrong() { # JUDGING
    local file=$spool/done/$1-1.json
    wait_for is_idle || under_way
    if [[ ! -e $file ]]; then
        echo "no end is reported"
        return
    fi
    # A killed process of the submission is a Run-Time Error of the submission. No other verdict may come of a kill.
    jq -r 'select(.outcome == "judged") | .result | fromjson | .verdict | select(. != "Accepted" and . != "Run-Time Error")' "$file"
    jq -r 'select(.outcome == "worker_failed" and .why == "") | "no reason is given"' "$file"
}

round() { # NUMBER
    local modes=(rank test try) after=$((RANDOM % 900)) victim wrong
    lives || start_worker
    offer "$1" "${modes[RANDOM % 3]}"
    wait_for test -e "$spool/claimed/$1-1.w" || true
    kill_one "$after" >"$scratch/victim"
    victim=$(<"$scratch/victim")
    lives || start_worker
    wrong=$(what_is_wrong "$1")
    [[ $victim != processes* ]] || wrong+=$victim
    if [[ -n $wrong ]]; then echo -n 'not '; failed=1; fi
    echo "ok $1 - after $after ms: $victim: $(jq -r '.outcome + " " + .why' "$spool/done/$1-1.json" 2>/dev/null)"
    if [[ -n $wrong ]]; then
        printf '# %s\n' "${wrong//$'\n'/$'\n'# }" "seed $seed"
        tail -n 5 "$scratch/log" | sed 's/^/# /'
    fi
}

failed=0
echo "1..$((kills + 1))"
echo "# seed $seed"
for ((number = 1; number <= kills; number++)); do round $number; done
kill -TERM "$worker" 2>/dev/null || true
wait "$worker" 2>/dev/null || true
worker=
wait_for is_clean || { echo -n 'not '; failed=1; }
echo "ok $((kills + 1)) - no temporary file is left"
exit $failed
