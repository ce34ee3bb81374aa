#!/usr/bin/env bash
# Runs the commands of README.md and docs/tutorials/*.md as they stand there, and prints TAP, a test for each block.
# Each page has a copy of the checkout, with what is built, and a home of its own. A block of commands is indented or fenced
# and begins with one of the words below. Where it shows a prompt ("$ "), its other lines are output. A comment before it says
#   <!-- not run: WHY -->                  what it needs that is not here, such as root; such blocks count as skipped
#   <!-- exit status N -->                 what its last command ends with, other than 0
#   <!-- in another terminal: WORD -->     it runs until the page ends; the next block begins when it has printed WORD
# Usage: tests/doc_commands.sh BUILD [PAGE...]
set -euo pipefail
cd "$(dirname "$0")/.."
build=$(realpath -m "$1")
shift
pages=("$@")
[[ $# -gt 0 ]] || pages=(README.md docs/tutorials/*.md)
tests=0 failed=0 blocks=0 others=()
work=$(mktemp -d "${TMPDIR:-/tmp}/doc_commands.XXXXXX")
export CONVJUDGE_CUDA_DRIVER=no-such-library.so.1 NO_COLOR=1 EDITOR=true # a GPU of this machine is for `make test-gpu`
export XDG_CACHE_HOME=${XDG_CACHE_HOME:-${HOME:-/root}/.cache}           # what was compiled before need not be compiled again
unset CONVJUDGE_DB CONVJUDGE_HOME CONVJUDGE_SERVER CONVJUDGE_TOKEN CONVJUDGE_CONFIG MAKEFLAGS MAKELEVEL

end_others() {
    local process
    for process in "${others[@]}"; do
        kill -- "-$process" 2>/dev/null || true
        wait "$process" 2>/dev/null || true
    done
    others=()
}
trap 'end_others; rm -rf "$work"' EXIT

result() { # ok|not ok WORDS
    tests=$((tests + 1))
    [[ $1 == ok ]] || failed=$((failed + 1))
    printf '%s %d %s\n' "$1" "$tests" "$2"
}

# read_page PAGE: writes its blocks of commands to $work/blocks/LINE, and what a comment says of one to LINE.how.
read_page() {
    rm -rf "$work/blocks"
    mkdir "$work/blocks"
    awk -v folder="$work/blocks/" '
        function finish(    i, file, has_prompt) {
            if (count > 0 && block[1] ~ /^(\$ )?(make|convjudge|build\/convjudge|cp|mkdir|cd|git|sed|cat|echo|export|sudo|curl|grader\/|tests\/|\$EDITOR)( |$|[a-z])/) {
                file = sprintf("%s%04d", folder, begin)
                has_prompt = block[1] ~ /^\$ /
                for (i = 1; i <= count; i++) if (!has_prompt || sub(/^\$ /, "", block[i])) print block[i] > file
                print how > (file ".how")
                close(file); close(file ".how")
            }
            if (count > 0) how = ""; count = gap = 0
        }
        /^```/ { if (fenced) finish(); fenced = !fenced; next }
        fenced || /^    / {
            line = $0
            if (!fenced) sub(/^    /, "", line)
            if (gap && line ~ /^\$ /) finish()
            if (gap && count > 0) block[++count] = ""
            if (count == 0) begin = NR
            block[++count] = line
            gap = 0
            next
        }
        /^$/ && count > 0 { gap = 1; next }
        { finish() }
        /^<!-- (not run: |exit status |in another terminal: )/ { how = $0; gsub(/^<!-- | -->$/, "", how) }
        END { finish() }' "$1"
}

# A copy of the tracked files and of what is built, whose times stay as they are, so that make has nothing to do.
copy_checkout() { # FOLDER
    mkdir "$1" "$1/build"
    git ls-files -z | xargs -0 cp -a --parents -t "$1"
    find "$build" -mindepth 1 -maxdepth 1 ! -name sanitize ! -name fuzz ! -name tests ! -name 'test-*' ! -name cache ! -name trial ! -name fresh \
        -exec cp -a -t "$1/build" {} +
}

run_block() { # PAGE LINE
    local block=$work/blocks/$2 how name status=0 expected=0 strict='set -e'
    how=$(cat "$block.how")
    name="$1:$((10#$2)): $(head -n 1 "$block")"
    blocks=$((blocks + 1))
    case $how in
    'not run: '*) result ok "# skip $name: ${how#not run: }"; return ;;
    'exit status '*) expected=${how##* } strict='' ;;
    'in another terminal: '*)
        (cd "$(cat "$work/folder")" && HOME=$work/home exec setsid bash "$block" >"$work/other" 2>&1 </dev/null) &
        others+=($!)
        for ((; SECONDS < deadline; )); do
            if grep -qs "${how#*: }" "$work/other"; then result ok "- $name"; return; fi
            sleep 0.2
        done
        result "not ok" "- $name: it did not print ${how#*: }"
        return
        ;;
    esac
    # Where the commands before it have left the shell, and what they have exported, is where it begins.
    # shellcheck disable=SC2016 # expanded when the script runs
    printf 'cd %q\nsource %q\n%s\n%s\nstatus=$?\npwd >%q\nexport -p >%q\nexit $status\n' "$(cat "$work/folder")" \
        "$work/exports" "$strict" "$(cat "$block")" "$work/folder" "$work/exports" >"$work/script"
    bash "$work/script" >"$work/output" 2>&1 </dev/null || status=$?
    if [[ $status == "$expected" ]]; then result ok "- $name"; return; fi
    result "not ok" "- $name: exit status $status, expected $expected"
    tail -n 30 "$work/output" | sed 's/^/# /'
}

for page in "${pages[@]}"; do
    read_page "$page"
    copy_checkout "$work/convjudge"
    mkdir "$work/home"
    echo "$work/convjudge" >"$work/folder"
    printf 'export HOME=%q\n' "$work/home" >"$work/exports"
    for block in "$work"/blocks/*.how; do
        deadline=$((SECONDS + 300))
        [[ -e $block ]] && run_block "$page" "$(basename "$block" .how)"
    done
    end_others
    rm -rf "${work:?}/convjudge" "${work:?}/home"
done
printf '1..%d\n# %d blocks of commands in %d pages\n' "$tests" "$blocks" "${#pages[@]}"
exit $((failed > 0))
