#!/usr/bin/env bash
# Climbs from a naive kernel to a fast one by the first advice of `convjudge explain` alone. tests/explain/climb/<problem>/ holds the
# steps in order. Every step is accepted; each but the first does what the first advice on the one before it says, whose id
# stands in its line `// advice:`, and is faster by that; the advice is that on the largest case, or on the one that a line
# `// case:` names. The last step is among the fastest quarter of the reference solutions. On the simulated GPU the untimed
# cases are the small ones.
# Prints TAP. Usage: [DEVICE=cuda] tests/climb.sh BUILD PROBLEM...     with a real GPU, times alone: advice is the same on all devices
set -euo pipefail
cd "$(dirname "$0")/.."
build=$(realpath "$1") device=${DEVICE:-sim}
# shellcheck source=/dev/null
source tests/needs.sh
needs nvcc
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export TMPDIR=$scratch CONVJUDGE_DB=$scratch/leaderboard.db NO_COLOR=1
if [[ $device == sim* ]]; then
    # shellcheck source=/dev/null
    source tests/fewer_cases.sh
    mkdir "$scratch/home"
    home_with_fewer_cases "$scratch/home" scored
    export CONVJUDGE_HOME=$scratch/home
fi
number=0

result() { # STATUS NAME [FILE]: one line of TAP; of a failure also the contents of FILE
    number=$((number + 1))
    echo "$([[ $1 == 0 ]] || echo 'not ')ok $number - $2"
    [[ $1 == 0 || $# -lt 3 ]] || awk '{ print "# " $0 }' "$3"
}

holds() { # NAME FILTER FILE...: a jq condition over the files, taken together
    local fault=0
    jq -e -s "$2" "${@:3}" >"$scratch/value" 2>&1 || fault=1
    result "$fault" "$1" "$scratch/value"
}

step() { # FILE BEFORE: grades the file; BEFORE is the result of the step before it, if there is one
    local name=${1#tests/explain/climb/} graded=$scratch/graded.json
    name=${name%.cu}
    "$build/convjudge" grade --no-record --device "$device" --json "$graded" "$1" >"$scratch/log" 2>&1 || true
    if [[ ! -e $graded ]] || ! jq -e '.verdict == "Accepted"' "$graded" >/dev/null; then
        result 1 "$name is accepted" "$scratch/log"
        return 1
    fi
    if [[ -e $2 ]]; then
        holds "$name is faster than the step before it" 'if .[1].score_ms < .[0].score_ms then true else "\(.[1].score_ms) ms after \(.[0].score_ms) ms" | halt_error end' "$2" "$graded"
    fi
    mv "$graded" "$2"
}

advised() { # FILE NEXT: the first advice on the file is what the next one does
    local name=${1#tests/explain/climb/} wanted case
    wanted=$(sed -n 's|^// advice: ||p' "$2")
    case=$(sed -n 's|^// case: ||p' "$2")
    "$build/convjudge" explain ${case:+--case "$case"} --json "$scratch/explained.json" "$1" >"$scratch/log" 2>&1 || true
    holds "${name%.cu}: the first advice is $wanted" ".[0].advice as \$all | if \$all[0].id == \"$wanted\" then true else \"\\(\$all | map([.id, .line, .gain]))\" | halt_error end" \
        "$scratch/explained.json"
    rm -f "$scratch/explained.json"
}

climb() { # PROBLEM
    local files file before=''
    rm -f "$scratch/last.json"
    files=(tests/explain/climb/"$1"/*.cu)
    [[ ${#files[@]} -ge 2 && ${#files[@]} -le 6 ]] || result 1 "$1: ${#files[@]} files, expected a first one and at most five steps"
    for file in "${files[@]}"; do
        [[ -z $before || $device != sim* ]] || advised "$before" "$file"
        step "$file" "$scratch/last.json" || return 0
        before=$file
    done
    if jq -e '.percentile.references.n == 0' "$scratch/last.json" >/dev/null; then
        result 0 "${before#tests/explain/climb/} is among the fastest quarter # SKIP no reference solution has a time on this device"
    else
        holds "${before#tests/explain/climb/} is among the fastest quarter" \
            '.[0].percentile.references | if .value >= 75 then true else "percentile \(.value) of \(.n)" | halt_error end' "$scratch/last.json"
    fi
}

for problem in "${@:2}"; do climb "$problem"; done
echo "1..$number"
