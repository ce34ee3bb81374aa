#!/usr/bin/env bash
# Runs the commands of README.md on bare Debian machines, as its readers do, and expects `Accepted` and `N passed, 0 failed`.
# A machine is what debootstrap makes (variant minbase) in a folder. It is entered by a mount namespace and pivot_root, since
# in a plain chroot the kernel forbids user namespaces, without which there is no bubblewrap. A clone of HEAD is judged.
# Readers who are not root install what set-up names, in one go; to be asked a second time is a failure. They are
#   user   an ordinary user                    root   root, for whom set-up installs everything
#   clang  an ordinary user without nvcc and pip, who takes the clang that set-up names instead
#   space  an ordinary user in a folder with a space in its name, with a umask of 077 and a locale that the machine lacks
#   tutorial  an ordinary user who follows the tutorials in place of the README's make (tests/doc_commands.sh)
#   package   an ordinary user of the packages of make deb, which root installs and removes again; what is built here is packed
# Bare machines are kept as archives for a month, in ~/.cache/convjudge/fresh. Everything that the commands print stays in
# build/fresh/NAME.log. A run takes as long as the commands do, and some minutes more.
# Usage: tests/fresh.sh [all | NAME...]         NAME: 12-user (the default), 12-root, 13-clang: Debian's version and a reader
#        ONLY=grade tests/fresh.sh [NAME...]    runs but those commands of make that hold this word
#        PART=1 tests/fresh.sh [NAME...]        of the tests only the suites that depend on the machine; simulator and grader
#                                               compute the same on each
#        KEEP=1 tests/fresh.sh [NAME...]        leaves the machines where they are
set -euo pipefail
cd "$(dirname "$0")/.."
logs=$PWD/build/fresh built=${CONVJUDGE_BUILD:-$PWD/build}
of_the_machine="base tests/verdicts bad_input.bats forms.bats run.bats try.bats"
kept=${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/convjudge/fresh
tests=0 failed=0

say() { printf '# %s\n' "$*"; }
die() { printf 'fresh: %s\n' "$*" >&2; exit 2; }

result() { # ok|not ok, and the words after the number
    tests=$((tests + 1))
    [[ $1 == ok ]] || failed=$((failed + 1))
    printf '%s %d %s\n' "$1" "$tests" "$2"
}

finish() {
    printf '1..%d\n' "$tests"
    exit $((failed > 0))
}

skip_all() { # REASON
    local name
    for name in "${names[@]}"; do result ok "# skip $name: $1"; done
    finish
}

# The indented lines of the README around `git clone`, with the place of this repository in place of URL. What its reader has
# to install first stands before them.
read_readme() {
    mapfile -t lines < <(awk '/^    [^ ]/ { block = block substr($0, 5) "\n"; next }
        block ~ /(^|\n)git clone / { exit } { block = "" } END { printf "%s", block }' README.md)
    [[ ${lines[*]} == *"git clone URL"*"make grade"*"make test"* ]] ||
        die "README.md: expected indented lines with git clone URL, make grade and make test"
    first=$(grep -om 1 'sudo apt-get install [a-z -]*' README.md) || die "README.md: expected sudo apt-get install ..."
}

mirror() { # where this machine gets its Debian from
    cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources 2>/dev/null |
        grep -v '^ *#' | grep -oE -m 1 'https?://[^ ]*/debian/?( |$)' | tr -d ' '
}

# How packages and wheels are fetched here: proxies, certificates and the like.
network=()
while IFS= read -r variable; do network+=("$variable"); done < <(env | grep -E \
    '^(https?_proxy|no_proxy|HTTPS?_PROXY|NO_PROXY|PIP_(INDEX_URL|EXTRA_INDEX_URL|PROXY|CERT|TRUSTED_HOST|DEFAULT_TIMEOUT))=')
connect() { # MACHINE
    local file
    for file in /etc/resolv.conf /etc/hosts /etc/pip.conf /etc/ssl/certs/ca-certificates.crt /usr/local/share/ca-certificates/*.crt \
        $(grep -lrs 'Acquire::' /etc/apt/apt.conf.d); do
        [[ ! -e $file ]] || install -D -m 644 "$file" "$1$file"
    done
    file=${HOME:-/root}/.config/pip/pip.conf
    [[ ! -e $file ]] || install -D -m 644 "$file" "$1/etc/pip.conf"
}

# enter MACHINE USER COMMAND...: runs it there; what it leaves running ends with it.
enter() {
    local home=/home/$2
    [[ $2 != root ]] || home=/root
    # shellcheck disable=SC2016 # expanded by the inner shell
    unshare --mount --pid --fork --kill-child --propagation private sh -euc '
        mount --bind "$1" "$1"
        cd "$1"
        mount -t proc proc proc
        mount --rbind /sys sys
        mount --rbind /dev dev
        mount -t tmpfs -o mode=1777 tmpfs dev/shm
        pivot_root . mnt
        umount -l mnt
        cd /
        shift
        exec "$@"' sh "$1" /usr/bin/setpriv --reuid "$2" --regid "$2" --init-groups \
        /usr/bin/env -i "${network[@]}" HOME="$home" USER="$2" LOGNAME="$2" TERM=dumb DEBIAN_FRONTEND=noninteractive LANG="${language:-C.UTF-8}" \
        PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "${@:3}" </dev/null
}

# bare MACHINE SUITE: makes it, or says why not
bare() {
    local archive=$kept/$2.tar
    if [[ -z $(find "$archive" -mtime -30 2>/dev/null) ]]; then
        say "debootstrap of Debian's $2"
        mkdir -p "$kept"
        debootstrap --variant=minbase "$2" "$1" "$(mirror)" >"$logs/debootstrap.log" 2>&1 || return
        rm -f "$1"/var/cache/apt/archives/*.deb
        tar -C "$1" --numeric-owner -cf "$archive.$$" . && mv "$archive.$$" "$archive"
    else
        mkdir "$1" && tar -C "$1" --numeric-owner -xpf "$archive"
    fi
}

install_as_root() { # MACHINE PACKAGE...
    say "apt-get install ${*:2}"
    enter "$1" root apt-get install -qq -y "${@:2}" >>"$log" 2>&1
}

# The packages of the first command that set-up printed to the file, with a clang in place of pip for who wants that.
asked_for() { # READER FILE
    local packages clang
    packages=$(sed -n 's/.*run: sudo apt-get install -y //p' "$2" | head -n 1)
    if [[ $1 == clang && $packages == *python3-pip* ]]; then
        clang=$(grep -oE -m 1 'clang-[0-9]+ libclang-rt-[0-9]+-dev' "$2") || true
        packages="${packages/python3-pip/} $clang"
    fi
    printf '%s\n' "$packages"
}

# as_expected READER COMMAND STATUS OUTPUT: prints what is wrong, if anything is.
as_expected() {
    local compiler=nvcc
    [[ $1 != clang ]] || compiler=clang
    if [[ $3 != 0 ]]; then
        echo "exit status $3"
    elif grep -q 'sudo apt-get' "$4"; then
        echo "set-up asks a second time"
    elif [[ $2 == "make grade"* ]] && ! grep -q '^Accepted ' "$4"; then
        echo "expected Accepted"
    elif [[ $2 == "make grade"* && $compiler != "$(grep -q 'compiled by clang' "$4" && echo clang || echo nvcc)" ]]; then
        echo "expected $compiler to compile"
    elif [[ $2 == "make test"* ]] && ! tail -n 1 "$4" | grep -qE '^[0-9]+ passed, 0 failed(, [0-9]+ skipped)?$'; then
        echo "expected N passed, 0 failed"
    fi
}

# Runs the README's commands one after the other, each in the folder that the lines before it lead to.
follow_readme() { # NAME MACHINE READER
    local name=$1 machine=$2 reader=$3 user=reader folder=convjudge-trial before='' line status wrong packages asked='' language=''
    local steps=("${lines[@]/URL/\/srv\/repository}")
    case $reader in
    root) user=root asked=1 ;;
    space) folder='a judge' before='umask 077; ' language=tr_TR.UTF-8 ;;
    tutorial) steps=("${steps[@]:0:2}" "make service" "SHOW=1 tests/doc_commands.sh build docs/tutorials/"{student,instructor,administrator}.md) ;;
    esac
    if [[ -n ${PART:-} ]]; then steps=("${steps[@]/%make test/make test ONLY=\"$of_the_machine\"}"); fi
    before+="mkdir -p \"\$HOME/$folder\" && cd \"\$HOME/$folder\" && "
    for line in "${steps[@]}"; do
        if [[ $line == make* && $line != *${ONLY:-}* ]]; then continue; fi
        say "$name: $line"
        status=0
        enter "$machine" "$user" bash -c "$before$line" >"$work/output" 2>&1 || status=$?
        packages=$(asked_for "$reader" "$work/output")
        if [[ $status != 0 && -z $asked && -n $packages ]]; then
            asked=1 status=0
            cat "$work/output" >>"$log"
            # shellcheck disable=SC2086 # a list of names
            install_as_root "$machine" $packages || { result "not ok" "- $name: apt-get install $packages"; return; }
            enter "$machine" "$user" bash -c "$before$line" >"$work/output" 2>&1 || status=$?
        fi
        cat "$work/output" >>"$log"
        if [[ $line == cd\ * ]]; then before+="$line && "; fi
        wrong=$(as_expected "$reader" "$line" "$status" "$work/output")
        if [[ -n $wrong ]]; then
            result "not ok" "- $name: $line: $wrong ($log)"
            grep -A 12 '^not ok' "$work/output" | head -n 100 | sed 's/^/# /' || true
            tail -n 40 "$work/output" | sed 's/^/# /'
            return
        fi
        if [[ $line == make* || $line == *doc_commands* ]]; then result ok "- $name: $line"; fi
    done
}

# use_packages NAME MACHINE: each package is installed, used and removed again, and leaves nothing.
use_packages() {
    local machine=$2 step title user command wanted status steps left='ls -d /usr/lib/convjudge /usr/share/convjudge /usr/bin/convjudge 2>&1 | grep -v "No such file" || echo nothing is left'
    mkdir "$machine/srv/packages"
    service/commands/deb.sh "$built" >>"$log" 2>&1 || { result "not ok" "- $1: make deb ($log)"; return; }
    cp "$built"/deb/*.deb solutions/conv1d/accepted/naive.cu "$machine/srv/packages/"
    steps=("install|root|apt-get install -q -y /srv/packages/convjudge_*.deb|Setting up convjudge "
        "grade|reader|convjudge grade --device sim /srv/packages/naive.cu|Accepted  naive.cu"
        "try|reader|convjudge try --device sim --sizes input_size=1000,kernel_size=7 /srv/packages/naive.cu|Accepted  naive.cu"
        "explain|reader|convjudge explain --device sim /srv/packages/naive.cu|100 % of the time"
        "remove|root|apt-get remove -q -y convjudge; $left|nothing is left"
        "install the server|root|apt-get install -q -y /srv/packages/convjudge-server_*.deb|Setting up convjudge-server "
        "serve|reader|$(declare -f answers); answers $((20000 + $$ % 20000))|HTTP/1.1 200"
        "purge the server|root|apt-get purge -q -y convjudge-server; $left|nothing is left")
    for step in "${steps[@]}"; do
        title=${step%%|*} wanted=${step##*|} status=0 command=${step%|*}
        command=${command#*|}
        user=${command%%|*} command=${command#*|}
        say "$1: $title"
        enter "$machine" "$user" bash -c "cd && $command" >"$work/output" 2>&1 || status=$?
        cat "$work/output" >>"$log"
        if [[ $status != 0 ]] || ! grep -qF -- "$wanted" "$work/output"; then
            result "not ok" "- $1: $title: exit status $status, expected $wanted ($log)"
            tail -n 30 "$work/output" | sed 's/^/# /'
            return
        fi
        result ok "- $1: $title"
    done
}

# shellcheck disable=SC2317 # a machine runs it
answers() { # PORT: starts a server, asks it for its first page, and prints the first line of the answer
    convjudge serve --trial --state trial --socket trial.socket --listen "127.0.0.1:$1" >serve.log 2>&1 &
    local server=$! tries=0
    until { exec 3<>"/dev/tcp/127.0.0.1/$1"; } 2>/dev/null; do
        ((tries++ < 300)) || { cat serve.log; return 1; }
        sleep 0.2
    done
    printf 'GET /login HTTP/1.1\r\nHost: 127.0.0.1:%s\r\nConnection: close\r\n\r\n' "$1" >&3
    head -n 1 <&3
    kill "$server"
}

run_machine() { # NAME
    local name=$1 machine=$work/$1 suite log=$logs/$1.log
    case $name in
    12-*) suite=bookworm ;;
    *) suite=trixie ;;
    esac
    rm -f "$log"
    bare "$machine" "$suite" || { result ok "# skip $name: debootstrap: $(tail -n 1 "$logs/debootstrap.log")"; return; }
    connect "$machine"
    enter "$machine" root useradd --create-home --shell /bin/bash reader
    enter "$machine" reader unshare --user true || { result ok "# skip $name: the kernel forbids user namespaces"; return; }
    if [[ $name == *-package ]]; then
        enter "$machine" root apt-get update -qq >>"$log" 2>&1 || { result ok "# skip $name: apt-get update: $(tail -n 1 "$log")"; return; }
        use_packages "$name" "$machine"
        [[ -n ${KEEP:-} ]] || rm -rf --one-file-system "$machine"
        return
    fi
    git bundle create --quiet "$machine/srv/repository" HEAD
    enter "$machine" root apt-get update -qq >>"$log" 2>&1 || { result ok "# skip $name: apt-get update: $(tail -n 1 "$log")"; return; }
    # shellcheck disable=SC2086 # a list of names
    install_as_root "$machine" ${first#sudo apt-get install} || { result "not ok" "- $name: $first ($log)"; return; }
    follow_readme "$name" "$machine" "${name#*-}"
    [[ -n ${KEEP:-} ]] || rm -rf --one-file-system "$machine"
}

names=("${@:-12-user}")
[[ ${names[*]} != all ]] || names=({12,13}-{user,root,clang,space,tutorial,package})
for name in "${names[@]}"; do
    [[ $name =~ ^1[23]-(user|root|clang|space|tutorial|package)$ ]] || die "$name: expected all or names such as 12-user, 13-root, 12-clang, 12-package"
done
read_readme
[[ $(id -u) == 0 ]] || skip_all "only root can make a machine"
command -v debootstrap >/dev/null || skip_all "there is no debootstrap (Debian: debootstrap)"
[[ -n $(mirror) ]] || skip_all "apt fetches nothing from a mirror of Debian here"
unshare --mount --pid --fork true 2>/dev/null || skip_all "no file system can be mounted here"
work=$(mktemp -d "${TMPDIR:-/tmp}/fresh.XXXXXX")
[[ -z ${KEEP:-} ]] || say "machines are kept in $work"
# shellcheck disable=SC2016 # expanded when the script ends
trap '[[ -n ${KEEP:-} ]] || rm -rf --one-file-system "$work"' EXIT
chmod 755 "$work"
mkdir -p "$logs"
for name in "${names[@]}"; do run_machine "$name"; done
finish
