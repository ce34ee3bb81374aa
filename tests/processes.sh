# shellcheck shell=bash
# Finds processes that a test has started.

# descendants PID: prints the process ids of its children, their children, and so on.
descendants() {
    local child
    while read -rd ' ' child; do
        echo "$child"
        descendants "$child"
    done < <(cat "/proc/$1/task/"*/children 2>/dev/null)
}

# descendant PID PATTERN: prints the process id of a descendant whose command line matches; fails if there is none.
descendant() {
    local child
    for child in $(descendants "$1"); do
        # shellcheck disable=SC2053 # a pattern
        if [[ $(tr '\0' ' ' 2>/dev/null <"/proc/$child/cmdline") == $2 ]]; then
            echo "$child"
            return
        fi
    done
    return 1
}
