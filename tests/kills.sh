#!/usr/bin/env bash
# Grades a file again and again, and each time kills one process of the judge at a random moment with -9: the grader, a
# compiler, bubblewrap, the broker, its translator's gcc, the runner, the janitor. No process and no file may be left, no
# recorded run may be lost, no verdict may be wrong, and the next grading must work. Prints TAP.
# Usage: tests/kills.sh BUILD [KILLS] [SEED]     the same seed chooses the same moments; processes still differ
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1 kills=${2:-50} seed=${3:-$(od -An -N2 -tu2 /dev/urandom)}
RANDOM=$seed
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export TMPDIR=$scratch/tmp HOME=$scratch/home XDG_CACHE_HOME=$scratch/home XDG_RUNTIME_DIR=$scratch/home NO_COLOR=1
export CONVJUDGE_DB=$scratch/store/leaderboard.db
honest=solutions/conv1d/accepted/naive.cu
mkdir "$TMPDIR" "$HOME" "$scratch/store"
# shellcheck source=/dev/null
source tests/processes.sh

rows() { sqlite3 "$CONVJUDGE_DB" 'SELECT count(*) FROM runs' 2>/dev/null || echo 0; }

grade() { timeout 600 "$build/tests/leftovers" "$build/convjudge" grade --problem conv1d --device sim "$honest" >"$scratch/log" 2>&1; }

# kill_one PID AFTER: kills one of the process's descendants AFTER milliseconds; prints its command line. Fails if none lived.
kill_one() {
    local all victim words=()
    sleep "$(printf '0.%03d' "$2")"
    for _ in {1..20}; do
        mapfile -t all < <(descendants "$1")
        [[ ${#all[@]} != 0 ]] || return
        victim=${all[RANDOM % ${#all[@]}]}
        { mapfile -d '' -t words <"/proc/$victim/cmdline"; } 2>/dev/null || continue
        [[ ${#words[@]} != 0 ]] || words=("a process that has ended")
        if kill -9 "$victim" 2>/dev/null; then
            words=("${words[*]:0:3}")
            echo "${words[0]%%$'\n'*}"
            return
        fi
    done
    return 1
}

what_is_wrong() { # STATUS BEFORE: what a killed grading has left, and how it ended
    local after
    after=$(rows)
    [[ $1 != 99 ]] || echo "a process is left: $(grep '^leftovers' "$scratch/log")"
    [[ $1 == 0 || $1 == 1 || $1 == 2 || $1 == 137 ]] || echo "exit status $1"
    # A killed process of the submission is a Run-Time Error of the submission. No other verdict may come of a kill.
    [[ $1 != 1 ]] || grep -q '^Run-Time Error' "$scratch/log" || echo "the verdict is wrong"
    [[ $1 != 0 ]] || grep -q '^Accepted' "$scratch/log" || echo "no verdict"
    [[ $1 != 0 || $after == $(($2 + 1)) ]] || echo "the run is not recorded"
    [[ $after == "$2" || $after == $(($2 + 1)) ]] || echo "$after rows instead of $2"
    find "$TMPDIR" "$HOME" -mindepth 1 -printf 'left: %p\n'
    find "$CONVJUDGE_CACHE" -mindepth 1 -name '.*'  -printf 'left: %p\n'
    find "$scratch/store" -type f ! -name 'leaderboard.db*' -printf 'left: %p\n'
    [[ ! -e $CONVJUDGE_DB || $(sqlite3 "$CONVJUDGE_DB" 'PRAGMA integrity_check') == ok ]] || echo "the store is damaged"
}

# round NUMBER: one kill. In half of the rounds nothing has been compiled before.
round() {
    local before status=0 victim='' wrong after=$((RANDOM % ($1 % 2 ? 1000 : 400))) judge pid
    export CONVJUDGE_ENGINE=translator CONVJUDGE_CACHE=$scratch/cache$(($1 % 2 ? $1 : 0))
    mkdir -p "$CONVJUDGE_CACHE"
    before=$(rows)
    grade &
    judge=$!
    until pid=$(descendant $judge "$build/tests/leftovers *"); do sleep 0.005; done
    victim=$(kill_one "$pid" "$after") || true
    wait $judge || status=$?
    wrong=$(what_is_wrong "$status" "$before")
    if [[ -z $victim ]]; then # the grading had ended before
        round "$1"
        return
    fi
    [[ -z $wrong ]] || cp "$scratch/log" "$scratch/first"
    before=$(rows)
    status=0
    grade || status=$?
    [[ $status == 0 && $(rows) == $((before + 1)) ]] || wrong+="the next grading ended with exit status $status"
    if [[ -n $wrong ]]; then echo -n 'not '; fi
    echo "ok $1 - after $after ms: $victim"
    if [[ -z $wrong ]]; then return; fi
    printf '# %s\n' "${wrong//$'\n'/$'\n'# }" "seed $seed"
    sed 's/^/# /' "$scratch/first" "$scratch/log" 2>/dev/null || true
    failed=1
}

failed=0
echo "1..$kills"
echo "# seed $seed"
for ((number = 1; number <= kills; number++)); do round $number; done
exit $failed
