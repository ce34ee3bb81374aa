#!/usr/bin/env bash
# Installs what was built below PREFIX (/usr/local), or removes it again. With DESTDIR, all goes below that folder, for
# packages, which have no toolchain (without_toolchain=1). Settings (/etc/convjudge) and state (/var/lib/convjudge) are never touched.
# Usage: [PREFIX=...] [DESTDIR=...] service/commands/install.sh install|uninstall BUILD
set -euo pipefail
cd "$(dirname "$0")/../.."
what=${1:?install or uninstall} build=${2:?the build folder}
prefix=${PREFIX:-/usr/local}
to=${DESTDIR:-}$prefix

die() { printf 'install: %s\n' "$*" >&2; exit 2; }
umask 022
[[ -z ${DESTDIR:-} || $DESTDIR == /* ]] || die "DESTDIR must be a path from the root, found '$DESTDIR'"
[[ $prefix == /* && $prefix != *[[:space:]]* ]] || die "PREFIX must be a path from the root without spaces, found '$prefix'"

lib=$to/lib/convjudge share=$to/share/convjudge doc=$to/share/doc/convjudge
single=("$to/bin/convjudge" "$to/share/man/man1/convjudge.1" "$to/share/bash-completion/completions/convjudge"
    "$to/share/zsh/site-functions/_convjudge" "$to/lib/systemd/system/convjudge.service"
    "$to/lib/systemd/system/convjudge-worker@.service" "$to/lib/systemd/system/convjudge-check-board.service"
    "$to/lib/systemd/system/convjudge-check-board.timer" "$to/lib/sysusers.d/convjudge.conf" "$to/lib/tmpfiles.d/convjudge.conf")

# put MODE FILE: writes standard input to the file.
put() {
    mkdir -p "$(dirname "$2")"
    rm -f "$2"
    cat >"$2"
    chmod "$1" "$2"
}

# A unit, with the hardening that all units share.
unit() { sed "/^# @SANDBOX@/{r service/commands/units/sandbox.conf
d}" "service/commands/units/$1" | sed "s|@PREFIX@|$prefix|g"; }

install_programs() {
    local name
    mkdir -p "$lib" "$to/bin"
    for name in convjudge convjudge-service convjudge-runner libcudart.so.13 libcjson.so.1; do
        [[ ! -e $build/$name ]] || install -m 755 "$build/$name" "$lib/"
    done
    [[ ! -d $build/toolchain || -n ${without_toolchain:-} ]] || cp -RL "$build/toolchain" "$lib/"
    ln -sfn ../lib/convjudge/convjudge "$to/bin/convjudge"
}

# What the judge reads while it runs: headers and device code for its compilers, profiles, problems. The two last folders
# hold secrets, and are closed until tmpfiles gives them to the judge's account.
install_data() {
    local folder
    mkdir -p "$share"
    find base grader harness leaderboard simgpu \( -name tests -o -name template \) -prune -o \
        \( -name '*.h' -o -name '*.cuh' -o -name '*.cu' -o -name '*.def' -o -name '*.json' -o -name row.c -o -name pytorch_rivals.py -o -name import.py -o -name torch_stand_in.py \) -type f -print0 |
        tar --null -T - -c | tar -x --no-same-owner -C "$share"
    install -D -m 644 service/web/style.css "$share/service/web/style.css" # of the pages that commands write
    for folder in problems testcases solutions; do
        tar -c "$folder" | tar -x --no-same-owner -C "$share"
    done
    chmod -R u=rwX,go=rX "$share"
    chmod -R g=,o= "$share/testcases" "$share/solutions"
}

install_documents() {
    local page
    while read -r page; do put 644 "$doc/${page#docs/}" <"$page"; done < <(
        find docs -type f ! -name '*.sh'
        printf "%s\n" CHANGELOG.md LICENSE
    )
    "$build/convjudge" --man | put 644 "$to/share/man/man1/convjudge.1"
    "$build/convjudge" --completion bash | put 644 "$to/share/bash-completion/completions/convjudge"
    "$build/convjudge" --completion zsh | put 644 "$to/share/zsh/site-functions/_convjudge"
}

install_units() {
    local name
    for name in convjudge.service convjudge-worker@.service convjudge-check-board.{service,timer}; do
        unit "$name" | put 644 "$to/lib/systemd/system/$name"
    done
    unit sysusers.conf | put 644 "$to/lib/sysusers.d/convjudge.conf"
    unit tmpfiles.conf | put 644 "$to/lib/tmpfiles.d/convjudge.conf"
}

# Those of a package in which nothing is left; on a running system folders are everybody's.
remove_folders() {
    local file
    [[ -n ${DESTDIR:-} ]] || return 0
    cd "$DESTDIR"
    for file in "$lib" "$share" "$doc" "${single[@]}"; do
        file=${file#"$DESTDIR"/}
        [[ ! -d ${file%/*} ]] || rmdir -p --ignore-fail-on-non-empty "${file%/*}"
    done
}

case $what in
install)
    rm -rf "$lib" "$share" "$doc" # nothing of an older version stays
    install_programs
    install_data
    install_documents
    install_units
    [[ -n ${DESTDIR:-} ]] || printf '%s\n' "Installed below $prefix. Next, as root:" \
        "  systemd-sysusers && systemd-tmpfiles --create && systemctl daemon-reload" \
        "  systemctl enable --now convjudge" "  sudo -u convjudge convjudge doctor"
    ;;
uninstall)
    rm -rf "$lib" "$share" "$doc"
    rm -f "${single[@]}"
    remove_folders
    [[ -n ${DESTDIR:-} ]] || echo "Settings in /etc/convjudge and submissions in /var/lib/convjudge are still there."
    ;;
*) die "expected install or uninstall, found '$what'" ;;
esac
