#!/usr/bin/env bash
# Checks the #includes of the C sources against the graph of folders in docs/folders.txt, and finds circles among
# files. x.c and x.h count as one file. Tests may include what their layer may include. A source of more than 1,500 lines
# must give its reason in its first comment: "This file is long because ...".
# Usage: tests/folders.sh [edges]     `edges` prints the graph that the sources have, as "folder: folder ..."
set -euo pipefail
cd "$(dirname "$0")/.."
graph=docs/folders.txt

mapfile -t sources < <(git ls-files '*.c' '*.h' '*.cu' '*.cuh' | grep -vE '(^|/)(tests|template|calibrate)/|^(examples|problems|solutions|testcases|tools)/')

# Prints "file included", a line for each #include of one source by another.
includes() {
    grep -oH '^ *#include "[^"]*"' "${sources[@]}" | sed 's/: *#include "/ /; s/"$//' |
        awk 'NR == FNR { known[$1]; next } $2 in known' <(git ls-files) -
}

edges() {
    includes | awk '
        { sub(/\/[^\/]*$/, "", $1); sub(/\/[^\/]*$/, "", $2); if ($1 != $2) print $1, $2 }' | sort -u |
        awk '{ to[$1] = to[$1] " " $2 } END { for (folder in to) print folder ":" to[folder] }' | sort
}

if [[ ${1:-} == edges ]]; then
    edges
    exit
fi

faults=$({
    printf '%s\n' "${sources[@]}" | sed 's/^/source /'
    includes | sed 's/^/include /'
} | awk -v graph="$graph" '
    function fault(text) { print "lint: " text }
    function folder_of(file) { sub(/\/[^\/]*$/, "", file); sub(/^harness\/cuda\/.*/, "harness/cuda", file); return file } # its folders are for includes to find
    BEGIN {
        while ((getline line < graph) > 0) {
            if (line ~ /^#|^ *$/) continue
            sub(/ *\|.*/, "", line)
            count = split(line, word, /:? +|:$/)
            folder = word[1]
            if (folder in known) fault(graph ": " folder " is listed twice")
            for (i = 2; i <= count; i++) if (word[i] != "") {
                if (!(word[i] in known)) fault(graph ": " folder " may include " word[i] ", which is not listed above it")
                allowed[folder, word[i]]
            }
            known[folder]
        }
    }
    $1 == "source" {
        folder = folder_of($2)
        if (!(folder in known) && !(folder in told)) { fault($2 ": its folder is not listed in " graph); told[folder] }
        place = $2; sub(/\/[^\/]*$/, "", place)
        if (++files[place] == 41) fault(place ": more than 40 sources")
    }
    $1 == "include" {
        from = folder_of($2); to = folder_of($3)
        if (from == to) next
        used[from, to]
        if (!((from, to) in allowed)) fault($2 " includes " $3 ", which " graph " does not allow")
    }
    END {
        for (edge in allowed) if (!(edge in used)) {
            split(edge, end, SUBSEP)
            fault(graph ": nothing in " end[1] " includes " end[2])
        }
    }')
circles=$(includes | sed -E 's/\.[a-z]+( |$)/\1/g' | awk '$1 != $2' | { tsort 2>&1 >/dev/null || true; } |
    sed -n 's/^tsort: -: input contains a loop:/lint: these files include each other in a circle:/p; s/^tsort: \([^-].*\)/    \1/p')
long=$(awk 'FNR == 1 { reason = 0 } /This file is long because/ && FNR < 40 { reason = 1 }
    FNR == 1501 && !reason { print "lint: " FILENAME ": more than 1,500 lines, and no comment \"This file is long because ...\"" }' "${sources[@]}")
[[ $(tail -n 1 docs/folders.svg) == "<!-- $(sha256sum <"$graph" | cut -c1-16) -->" ]] ||
    faults+=${faults:+$'\n'}"lint: docs/folders.svg is not the picture of $graph: run docs/draw_folders.sh"
printf '%s' "${faults:+$faults$'\n'}" "${circles:+$circles$'\n'}" "${long:+$long$'\n'}" >&2
[[ -z $faults$circles$long ]]
