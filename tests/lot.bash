# lot.bash - which of many items a run of the tests takes. The same LOT takes the same ones; LOT=all takes all.

export LOT=${LOT:-$RANDOM}

lot() { # COUNT ITEM...: so many of the items, drawn by lot, each on a line
    local count=$1
    shift
    if [[ $LOT == all ]]; then count=$#; fi
    printf '%s\n' "$@" | awk -v seed="$LOT" 'BEGIN { srand(seed) } { print rand() "\t" $0 }' | sort | head -n "$count" | cut -f2
}
