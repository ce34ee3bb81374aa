# lot.bash - which of many items a run of the tests takes. The same LOT takes the same ones; LOT=all takes all. Without one
# each commit takes its own, so that a commit which failed on one machine fails on the next one too.

commit_lot() {
    local tree
    tree=$(git rev-parse 'HEAD^{tree}' 2>/dev/null) || return
    echo $((16#${tree:0:6}))
}

export LOT=${LOT:-$(commit_lot || echo $RANDOM)}

lot() { # COUNT ITEM...: so many of the items, drawn by lot, each on a line
    local count=$1
    shift
    if [[ $LOT == all ]]; then count=$#; fi
    printf '%s\n' "$@" | awk -v seed="$LOT" 'BEGIN { srand(seed) } { print rand() "\t" $0 }' | sort | head -n "$count" | cut -f2-
}
