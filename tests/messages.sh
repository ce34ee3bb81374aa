#!/usr/bin/env bash
# Checks the table of messages (tests/messages/README.md) against the kinds of mistake and of wrong output, against its
# examples, and against every file that says what its author must be told. `convjudge check` holds the files themselves.
# Usage: tests/messages.sh
set -euo pipefail
cd "$(dirname "$0")/.."
faults=0
table=tests/messages/README.md

fault() {
    echo "lint: $*"
    faults=1
}

rows() { # HEADING: name, words and example of each row, a tab in between
    awk -F' *\\| *' -v heading="## $1" '/^## /{ inside = $0 == heading } inside && $2 ~ /^`/ { gsub(/`/, "", $2); gsub(/`/, "", $4); print $2 "\t" $3 "\t" $4 }' "$table"
}

holds() { # LINE WORDS: whether the line has the words, with anything for each …
    local rest=$1 part
    while IFS= read -r part; do
        [[ $rest == *"$part"* ]] || return 1
        rest=${rest#*"$part"}
    done <<<"${2//…/$'\n'}"
}

# Kinds that no file provokes on a simulated GPU; the table says why. Families of messages without a list of kinds, such as
# the refusals of CUDA calls, cannot be held to the table; its head names those that it leaves out.
mapfile -t without < <(rows "Kinds without an example" | cut -f 1)

each_has_a_row() { # DEFINITIONS HEADING NAME...
    local names kind
    names=$(rows "$2" | cut -f 1)
    for kind in "${@:3}"; do
        if printf '%s\n' "${without[@]}" | grep -qx "$kind"; then
            if grep -qx "$kind" <<<"$names"; then fault "$table: $kind stands among the kinds without an example, and has one"; fi
        else
            grep -qx "$kind" <<<"$names" || fault "$table: $kind of $1 has no row"
        fi
    done
    while read -r kind; do
        printf '%s\n' "${@:3}" | grep -qx "$kind" || fault "$table: $1 has no $kind"
    done <<<"$names"
}

mistakes=harness/device/mistake.def outputs=grader/check/wrong_output.def
mapfile -t kinds < <(sed -nE 's/^(MISTAKE|OUTSIDE)\((\w+), .*/\2/p' "$mistakes" | grep -vx NONE)
each_has_a_row "$mistakes" "Mistakes" "${kinds[@]}"
mapfile -t kinds < <(sed -nE 's/^WRONG_(PLACE|NATURE)\((\w+), ".+"\)$/\2/p' "$outputs")
each_has_a_row "$outputs" "Wrong outputs" "${kinds[@]}"
for kind in "${without[@]}"; do
    grep -qE "\($kind, " "$mistakes" "$outputs" || fault "$table: there is no $kind"
done

while IFS=$'\t' read -r kind words _; do # the words are the same for every case, or begin with them
    told=$(sed -nE "s/^WRONG_(PLACE|NATURE)\($kind, \"(.+)\"\)\$/\2/p" "$outputs")
    [[ $words == *"$told"* ]] || fault "$table: $kind is told as \`$told\`"
done < <(rows "Wrong outputs")

# Each row names a file that claims its words; … stands for what differs from case to case.
while IFS=$'\t' read -r _ words example; do
    [[ -e $example ]] || { fault "$table: there is no $example"; continue; }
    claimed=false
    while read -r line; do
        if holds "$line" "$words"; then claimed=true; fi
    done < <(sed -n 's,^// says: ,,p' "$example")
    $claimed || fault "$example: the header lacks \`// says: $words\`"
done < <(awk '/^## /{ print substr($0, 4) }' "$table" | grep -v "^Kinds without" | while read -r heading; do rows "$heading"; done)

# ... and each file that claims words stands in the table.
while read -r file; do
    grep -qF "| \`$file\` |" "$table" || fault "$table: $file is missing"
done < <({ ls tests/messages/*.cu && git grep -l '^// says: ' -- 'tests/*.cu' 'solutions/*.cu'; } | sort -u)

exit "$faults"
