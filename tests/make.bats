#!/usr/bin/env bats
# The targets of make as their callers meet them: what they print, what they return, where they look for files.

load helper


# make_ ARGUMENT...: runs make on the checkout from the folder of the test.
make_() {
    run make --no-print-directory -C "$root" BUILD="${build#"$root"/}" "$@"
}

@test "make adds nothing to Wrong Answer and to other verdicts, and passes the exit status on" {
    submission '' 'if (i == 0) return;' >wrong.cu
    submission >right.cu
    for target in grade try explain; do
        make_ "$target" SUB=wrong.cu
        ends 1 "Wrong Answer"
        lacks "make:"
        lacks "***"
    done
    make_ grade SUB=right.cu
    ends 0 Accepted
    make_ grade SUB=nothing.cu
    ends 2 "convjudge: nothing.cu: no such file" "Error 2"
}

@test "files are looked for where the caller stands, then in the checkout" {
    submission >x.cu
    make_ grade SUB=x.cu JSON=result.json
    ends 0 Accepted
    json result.json .verdict Accepted
    make_ grade SUB=solutions/conv1d/accepted/naive.cu JSON=other.json
    ends 0 Accepted
    rm "$root/other.json" # with a file of the checkout, all is relative to the checkout
    make_ grade SUB="$PWD/x.cu" JSON=third.json
    ends 0 Accepted
    json third.json .verdict Accepted
}

@test "the name of the checkout's folder may have spaces and quotes in it" {
    mkdir "Ada's judge"
    ln -s "$root"/* "Ada's judge/"
    rm "Ada's judge/Makefile"
    cp "$root/Makefile" "Ada's judge/"
    submission >x.cu
    run make --no-print-directory -C "Ada's judge" BUILD="${build#"$root"/}" grade SUB=x.cu
    ends 0 Accepted
}

@test "make -n shows what would be done, and does nothing" {
    submission >x.cu
    make_ -n grade SUB=x.cu
    ends 0 '/convjudge" grade'
    lacks Accepted
    rows 0
}

@test "every target that runs the judge sets up and builds first" {
    local target
    sed -n 's/^\([a-z-]*\):.*##.*/\1/p' "$root/Makefile" >targets
    while read -r target; do
        sed -n "/^$target:/,/^\$/p" "$root/Makefile" >recipe
        grep -qE '/convjudge"? [a-z]|[$][(](judge)[)]' recipe || continue
        grep -qE '[$][(](judge|call ready,(build|service))[)]|^test-all: test' recipe || { echo "$target does not"; return 1; }
    done <targets
}

@test "what is built by name is set up first, and a missing compiler is named once" {
    local tool target
    mkdir bare
    for tool in sh bash make awk sed sort paste cksum env printf uname nproc mktemp rm cat dirname; do ln -s "$(command -v $tool)" bare/; done
    printf '#!/bin/sh\necho 1000\n' >bare/id # root's set-up would install it
    chmod 755 bare/id
    for target in build service; do
        PATH=$PWD/bare run make --no-print-directory -C "$root" BUILD="$PWD/none" MAKELEVEL=0 "$target"
        ends 2 "setup: missing; " "nothing is built"
        lacks "not found"
    done
}

@test "a build says one line for each program, and commands and errors in full" {
    run make --no-print-directory -C "$root" BUILD="$PWD/out" "$PWD/out/libbase.a"
    ends 0
    equal "" "$output"
    run make --no-print-directory -C "$root" BUILD="$PWD/out2" V=1 "$PWD/out2/base/text.o"
    ends 0 " -c base/text.c -o "
    run make --no-print-directory -C "$root" BUILD="$PWD/out3" CFLAGS=--no-such-option "$PWD/out3/base/text.o"
    ends 2 "unrecognized command-line option"
    TERM=xterm run script -qec "make --no-print-directory -C '$root' BUILD=$PWD/out4 $PWD/out4/libbase.a" /dev/null
    ends 0 $'\r\e[K  CC '"${PWD:0:20}"
    counts 1 ''
}

@test "the judge builds without the headers of the service's libraries" {
    local file needs='#include <(microhttpd|cmark|archive|archive_entry|yaml)\.h>|#include <curl/'
    while read -r file; do
        file=$(basename "$file" .c).o
        if ar t "$build/libservice.a" | grep -Fx "$file"; then return 1; fi
        ar t "$build/libonline.a" | grep -qFx "$file"
    done < <(grep -rlE "$needs" "$root"/{base,grader,harness,leaderboard,service,simgpu} --include='*.c' | grep -v /tests/)
}

@test "a caller's environment does not matter, or is told in one line" {
    submission >x.cu
    mkdir "$TMPDIR/a b"
    chmod 777 . "$TMPDIR" "$BATS_TEST_TMPDIR"
    chmod 711 "$BATS_RUN_TMPDIR"
    local command accepted=(
        'env -u HOME make'
        'umask 077; make'
        'LC_ALL=no_SUCH.UTF-8 make'
        'LC_ALL=C TERM= make'
        'TMPDIR="$TMPDIR/a b" make'
        'MAKEFLAGS=-k CDPATH=/ BASH_ENV=/no/such/file POSIXLY_CORRECT=1 make'
        'ulimit -n 64; make'
        'make <&-'
    )
    if unshare --net true 2>/dev/null; then accepted+=('unshare --net make'); fi
    # A user without a name, and a checkout that is read-only to it.
    if [[ $(id -u) == 0 ]] && setpriv --reuid 54321 --regid 54321 --clear-groups test -r "$CONVJUDGE_HOME/problems/conv1d/problem.json"; then
        accepted+=('CONVJUDGE_DB="$TMPDIR/db" exec setpriv --reuid 54321 --regid 54321 --clear-groups make')
    fi
    for command in "${accepted[@]}"; do
        run bash -c "$command"' --no-print-directory -C "$0" BUILD="$1" grade SUB="$PWD/x.cu"' "$root" "${build#"$root"/}"
        ends 0 "Accepted" || { echo "with: $command"; return 1; }
    done
    for command in TMPDIR=/no/such/folder TMPDIR=none; do
        export "${command?}"
        make_ grade SUB="$PWD/x.cu"
        ends 2 "setup: no temporary folder can be made in ${command#*=}; set TMPDIR to a folder where it can"
        lacks mktemp
    done
}

@test "standard output that is closed is not what the leaderboard is written to" {
    submission >x.cu
    run timeout 600 bash -c '"$1/convjudge" grade x.cu >&- 2>&- <&-' _ "$build"
    ends 0
    rows 1
    stored 'PRAGMA integrity_check' ok
}
