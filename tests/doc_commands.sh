#!/usr/bin/env bash
# Runs the commands of README.md and docs/ as they stand there, and prints TAP, a test for each block.
# Each page has a copy of the checkout, with what is built, and a home of its own. A block of commands is indented or fenced
# and begins with one of the words below; a drawing has wide gaps. Where it shows a prompt ("$ "), its other lines are output. A fenced block after a line
# `path`: is that file. A line of a crontab runs as cron would run it. Comments before a block say
#   <!-- not run: WHY -->                  what it needs that is not here; such blocks are parsed, and count as skipped
#   <!-- exit status N -->                 what its last command ends with, other than 0
#   <!-- in another terminal: WORD -->     it runs until the page ends; the next block begins when it has printed WORD
#   <!-- first: COMMAND -->                what its reader has done before
#   <!-- as root -->                       it changes the machine (tests/machine.bash); needs root
#   <!-- as the account convjudge -->      the same, as the service's account
# tests/reference.py check holds options in all pages to the tables of the code; tests/problems.bats follows add-a-problem.md.
# Usage: tests/doc_commands.sh BUILD [PAGE...]    with SHOW=1 commands and what they print are shown, too
set -euo pipefail
cd "$(dirname "$0")/.."
if [[ $(id -u) == 0 && -z ${OF_ITS_OWN:-} ]] && unshare --mount true 2>/dev/null; then
    OF_ITS_OWN=1 exec unshare --mount --propagation private "$PWD/tests/doc_commands.sh" "$@"
fi
build=$(realpath -m "$1")
shift
pages=("$@")
[[ $# -gt 0 ]] || mapfile -t pages < <(printf '%s\n' README.md docs/{tutorials,guides,explanation}/*.md | grep -v /add-a-problem.md)
tests=0 failed=0 blocks=0 others=()
work=$(mktemp -d "${TMPDIR:-/tmp}/doc_commands.XXXXXX")
chmod 711 "$work"
mkdir "$work/bin" "$work/over"
ln -s "$work/convjudge/build/convjudge" "$work/bin/convjudge"
export CONVJUDGE_CUDA_DRIVER=no-such-library.so.1 NO_COLOR=1 EDITOR=true # a GPU of this machine is for `make test-gpu`
export XDG_CACHE_HOME=${XDG_CACHE_HOME:-${HOME:-/root}/.cache}           # what was compiled before need not be compiled again
PATH=$PATH:$work/bin
# shellcheck source=tests/machine.bash disable=SC1091
source tests/machine.bash
machine=no lacks="root, and a mount namespace with overlayfs"
if ! type -P systemd-sysusers >/dev/null || ! type -P systemd-tmpfiles >/dev/null; then
    lacks="systemd's own programs"
elif [[ -n ${OF_ITS_OWN:-} ]] && lay_over_folders "$work/over" 2>/dev/null; then
    machine=yes
fi
unset CONVJUDGE_DB CONVJUDGE_HOME CONVJUDGE_SERVER CONVJUDGE_TOKEN CONVJUDGE_CONFIG MAKEFLAGS MAKELEVEL

end_others() {
    local process
    for process in "${others[@]}"; do
        kill -- "-$process" 2>/dev/null || true
        wait "$process" 2>/dev/null || true
    done
    others=()
}
clean_machine() {
    [[ $machine == yes ]] || return 0
    end_service
    service/commands/install.sh uninstall "$build" >/dev/null
    rm -rf /var/lib/convjudge* /var/backups/convjudge /etc/convjudge
}
trap 'end_others; clean_machine; umount "$work/over" 2>/dev/null || true; rm -rf --one-file-system "$work"' EXIT

result() { # ok|not ok WORDS
    tests=$((tests + 1))
    [[ $1 == ok ]] || failed=$((failed + 1))
    printf '%s %d %s\n' "$1" "$tests" "$2"
}

# read_page PAGE: writes its blocks of commands to $work/blocks/LINE, what comments say of one to LINE.how, and the name of
# a file to LINE.file.
read_page() {
    rm -rf "$work/blocks"
    mkdir "$work/blocks"
    awk -v folder="$work/blocks/" '
        function finish(    i, file, has_prompt) {
            file = sprintf("%s%04d", folder, begin)
            if (count > 0 && path) {
                for (i = 1; i <= count; i++) print block[i] > file
                print path > (file ".file")
                close(file); close(file ".file")
            } else if (count > 0 && block[1] ~ /^(\$ )?(make|convjudge|build\/convjudge|cp|mkdir|cd|git|sed|cat|echo|export|sudo|curl|umask|rm|systemctl|apptainer|podman|debootstrap|install|[0-9]+ [0-9]+ [*] [*] [*]|[A-Z]+(_[A-Z]+)*=[^ ]*|(grader|service|tests|tools)\/[^ ]*\.(sh|py)|\$EDITOR)( |$)/ && block[1] !~ /   +[^ #]/) {
                has_prompt = block[1] ~ /^\$ /
                for (i = 1; i <= count; i++) if (!has_prompt || sub(/^\$ /, "", block[i])) print block[i] > file
                printf "%s", how > (file ".how")
                close(file); close(file ".how")
            }
            if (count > 0) how = path = ""; count = gap = 0
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
        /^<!-- (not run: |exit status |in another terminal: |first: |as )/ { sub(/^<!-- /, ""); sub(/ -->$/, ""); how = how $0 "\n" }
        /^`[^`]+`:$/ { path = $0; gsub(/[`:]/, "", path) }
        END { finish() }' "$1"
}

# A copy of the tracked files and of what is built, whose times stay as they are, so that make has nothing to do.
copy_checkout() { # FOLDER
    mkdir "$1" "$1/build"
    git ls-files -z | xargs -0 cp -a --parents -t "$1"
    find "$build" -mindepth 1 -maxdepth 1 ! -name sanitize ! -name fuzz ! -name tests ! -name 'test-*' ! -name cache ! -name trial ! -name fresh \
        -exec cp -a -t "$1/build" {} +
}

# said KEY: what a comment before the block says after this key.
said() { sed -n "s/^$1//p" "$block.how"; }

run_block() { # PAGE LINE
    local block=$work/blocks/$2 name status=0 expected why word user
    name="$1:$((10#$2)): $(head -n 1 "$block")"
    why=$(said 'not run: ') expected=$(said 'exit status ') word=$(said 'in another terminal: ') user=$(said 'as ')
    blocks=$((blocks + 1))
    if grep -q '^[0-9]* [0-9]* \* \* \* ' "$block"; then
        # shellcheck disable=SC2016 # expanded by bash
        printf 'env -i HOME="$HOME" PATH=/usr/bin:/bin /bin/sh -c %q\n' "$(sed 's/^[0-9]* [0-9]* \* \* \* *//; s/\\%/%/g' "$block")" >"$work/crontab"
        mv "$work/crontab" "$block"
    fi
    bash -n "$block" || { result "not ok" "- $name: bash does not parse it"; return; }
    [[ -z $user || $machine == yes ]] || why="needs $lacks"
    if [[ -n $why ]]; then result ok "# skip $name: $why"; return; fi
    [[ -z $user ]] || end_others
    if [[ -n $word ]]; then
        (cd "$(cat "$work/folder")" && HOME=$work/home exec setsid bash "$block" >"$work/other" 2>&1 </dev/null) &
        others+=($!)
        for ((; SECONDS < deadline; )); do
            if grep -qs "$word" "$work/other"; then result ok "- $name"; return; fi
            sleep 0.2
        done
        result "not ok" "- $name: it did not print $word"
        return
    fi
    # Where the commands before it have left the shell, and what they have exported, is where it begins. `set -e` overlooks a
    # failure before `&&`, so such a line ends the script itself, unless it may be of a here-document.
    [[ -n $expected ]] || sed -i '/<</,$!s/^\([^#]* && [^#]*[^# ]\)\( *#.*\)*$/\1 || exit\2/' "$block"
    {
        printf 'source %q\ncd %q\nsource %q\nset -e\n' "$PWD/tests/machine.bash" "$(cat "$work/folder")" "$work/exports"
        said 'first: '
        [[ -z $expected ]] || echo 'set +e'
        if [[ $user == "the account convjudge" ]]; then
            # shellcheck disable=SC2016 # expanded when the script runs
            printf 'cd ~convjudge\nsudo -u convjudge bash -ec "$(cat %q)"\n' "$block"
        else
            cat "$block"
            # shellcheck disable=SC2016
            printf 'status=$?\npwd >%q\nexport -p >%q\nexit $status\n' "$work/folder" "$work/exports"
        fi
    } >"$work/script"
    bash "$work/script" >"$work/output" 2>&1 </dev/null || status=$?
    if [[ -n ${SHOW:-} ]]; then sed 's/^/# $ /' "$block"; sed 's/^/# /' "$work/output"; fi
    if [[ $status == "${expected:-0}" ]]; then result ok "- $name"; return; fi
    result "not ok" "- $name: exit status $status, expected ${expected:-0}"
    tail -n 30 "$work/output" | sed 's/^/# /'
}

for page in "${pages[@]}"; do
    read_page "$page"
    copy_checkout "$work/convjudge"
    mkdir "$work/home"
    echo "$work/convjudge" >"$work/folder"
    printf 'export HOME=%q\n' "$work/home" >"$work/exports"
    find "$work/blocks" '(' -name '*.how' -o -name '*.file' ')' -printf '%f\n' | sort >"$work/order"
    while read -r block; do
        deadline=$((SECONDS + 300))
        case $block in
        *.how) run_block "$page" "${block%.how}" ;;
        *.file) cp "$work/blocks/${block%.file}" "$work/convjudge/$(cat "$work/blocks/$block")" ;;
        esac
    done <"$work/order"
    end_others
    clean_machine
    rm -rf "${work:?}/convjudge" "${work:?}/home"
done
printf '1..%d\n# %d blocks of commands in %d pages\n' "$tests" "$blocks" "${#pages[@]}"
exit $((failed > 0))
