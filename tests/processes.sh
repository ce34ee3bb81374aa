# shellcheck shell=bash
# Finds processes that a test has started. Starts none itself, so that it finds short-lived ones too.

# descendant PID PATTERN: prints the process id of a descendant whose command line matches; fails if there is none.
descendant() {
    local file children child words
    for file in "/proc/$1/task/"*/children; do
        children=''
        { read -r children <"$file"; } 2>/dev/null
        for child in $children; do
            words=()
            { mapfile -d '' -t words <"/proc/$child/cmdline"; } 2>/dev/null
            # shellcheck disable=SC2053 # a pattern
            if [[ "${words[*]} " == $2 ]]; then
                echo "$child"
                return
            fi
            if descendant "$child" "$2"; then return; fi
        done
    done
    return 1
}

# descendants PID: prints the process id of every descendant.
descendants() {
    local file children child
    for file in "/proc/$1/task/"*/children; do
        children=''
        { read -r children <"$file"; } 2>/dev/null
        for child in $children; do
            echo "$child"
            descendants "$child"
        done
    done
}
