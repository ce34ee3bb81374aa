#!/usr/bin/env bash
# Finds circles among the judge's object files: files that need each other's functions or variables, directly or through
# others. tests/folders.sh finds circles of #includes; a declaration written by hand hides from it. Prints TAP.
# Usage: tests/circles.sh BUILD     after `make build`
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1

# Path of each source's object; a source that is compiled in several ways (lanes.c) has several.
objects() {
    local source object
    while read -r source; do
        for object in "$build/${source%.c}".o "$build/${source%.c}".v?.o "$build/pic/${source%.c}.o"; do
            [[ ! -e $object ]] || echo "$object"
        done
    done < <(git ls-files {base,simgpu,harness,leaderboard,grader}/'*.c' | grep -vE '/(tests|template|calibrate)/')
}

# "user owner", a line for each object file that uses a symbol of another.
uses() {
    mapfile -t files < <(objects)
    nm -A "${files[@]}" | sed -E "s|^$build/(pic/)?([^:]+)\.o:|\2 |; s|\.v[0-9] | |" | awk '
        NF == 4 && $3 ~ /[TDBRCVW]/ { owner[$4] = $1 }
        NF == 3 && $2 == "U" { user[++count] = $1; symbol[count] = $3 }
        END {
            for (i = 1; i <= count; i++)
                if (symbol[i] in owner && owner[symbol[i]] != user[i]) print user[i], owner[symbol[i]]
        }' | sort -u
}

found=$(uses)
[[ -n $found ]]
circles=$({ tsort <<<"$found" 2>&1 >/dev/null || true; } |
    sed -n 's/^tsort: -: input contains a loop:/# these files use each other in a circle:/p; s/^tsort: \([^-].*\)/#     \1/p' |
    awk '/circle/ && seen++ { exit } { print }')
echo 1..1
if [[ -n $circles ]]; then
    printf 'not ok 1 - no circle among object files\n%s\n' "$circles"
    exit 1
fi
echo 'ok 1 - no circle among object files'
