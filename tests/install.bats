#!/usr/bin/env bats
# make install, and what removes it again, below a folder of a package; the units, and the examples for reverse proxies.

# shellcheck disable=SC2034 # helper.bash reads it
real_home=1 # it is about the folder that the program finds by itself
load helper

# installed ARGUMENT...: make install below $dest, which stands for the root of a machine. Other users reach it.
installed() {
    top=$(mktemp -d /tmp/convjudge-install-XXXXXX)
    dest=$top/dest
    mkdir -p "$dest/etc" "$top/home"
    chmod 755 "$top" "$dest"
    chmod 777 "$top/home"
    run make --no-print-directory --silent -C "$root" BUILD="${build#"$root"/}" install DESTDIR="$dest" "$@"
    ends 0
}

teardown() {
    if [[ -n ${top:-} ]]; then rm -rf "$top"; fi
}

# as_user UID GID COMMAND...: with a login of an ordinary user, who has a folder and a database.
as_user() {
    cd "$top/home" || return
    run env -i PATH=/usr/bin:/bin TMPDIR=/tmp CONVJUDGE_DB="$PWD/runs.db" setpriv --reuid "$1" --regid "$2" --clear-groups "${@:3}"
}

@test "what is installed judges for its own account, and keeps its secrets from others" {
    [[ $(id -u) == 0 ]] || skip "needs root, to be other users"
    command -v systemd-sysusers >/dev/null || skip "needs systemd-sysusers"
    installed
    systemd-sysusers --root="$dest"
    systemd-tmpfiles --root="$dest" --create
    IFS=: read -r _ _ uid gid _ < <(grep '^convjudge:' "$dest/etc/passwd")
    submission >"$top/home/x.cu"
    as_user "$uid" "$gid" "$dest/usr/local/bin/convjudge" grade x.cu
    ends 0 "Accepted" "hidden cases" "rank        1 of 1"
    as_user "$uid" "$gid" "$dest/usr/local/bin/convjudge" doctor
    ends 0 "only some may read hidden cases and solutions" "Grading works here."
    as_user 54321 54321 "$dest/usr/local/bin/convjudge" grade --no-record x.cu
    ends 2 "testcases/conv1d/" "Permission denied"
    as_user 54321 54321 find "$dest/usr/local/share/convjudge/testcases" "$dest/usr/local/share/convjudge/solutions" -type f
    equal "" "$(grep -v 'Permission denied' <<<"$output" || true)"
    as_user 54321 54321 "$dest/usr/local/bin/convjudge" submit x.cu
    ends 2 "no server at"
}

@test "what is installed needs nothing of the checkout" {
    installed PREFIX=/opt/judge
    absent "$dest/usr"
    run env -i PATH=/usr/bin:/bin "$dest/opt/judge/bin/convjudge" --completion problems
    equal "$(ls "$root/problems")" "$output"
    run ldd "$dest/opt/judge/lib/convjudge/convjudge"
    lacks "$root"
    lacks "not found"
    run grep -rlF "$root" "$dest/opt/judge/share" "$dest/opt/judge/lib/systemd"
    ends 1
    equal 0 "$(find "$dest" -name tests -o -name '*.db' | wc -l)"
}

@test "uninstall leaves nothing" {
    installed
    mkdir -p "$dest/usr/local/share/man/man1"
    echo other >"$dest/usr/local/share/man/man1/other.1"
    run env DESTDIR="$dest" "$root/service/commands/install.sh" uninstall "$build"
    ends 0
    equal "./usr/local/share/man/man1/other.1" "$(cd "$dest" && find . -type f -o -type l)"
    equal "./etc" "$(cd "$dest" && find . -type d -empty)"
}

@test "an installation to a relative folder is refused" {
    run env DESTDIR=relative "$root/service/commands/install.sh" install "$build"
    ends 2 "DESTDIR must be a path from the root, found 'relative'"
    run env PREFIX='/a b' "$root/service/commands/install.sh" install "$build"
    ends 2 "PREFIX must be a path from the root without spaces, found '/a b'"
}

@test "systemd understands the units" {
    command -v systemd-analyze >/dev/null || skip "needs systemd-analyze"
    installed
    local unit
    for unit in convjudge.service convjudge-worker@.service convjudge-check-board.service; do
        file_has "$dest/usr/local/lib/systemd/system/$unit" '^Delegate=yes'
        file_has "$dest/usr/local/lib/systemd/system/$unit" '^ExecStart=/usr/local/bin/convjudge '
        file_lacks "$dest/usr/local/lib/systemd/system/$unit" '@[A-Z]+@'
        # Older versions ignore the subgroup; the program and the manual are not in this machine's folders.
        systemd-analyze verify "$dest/usr/local/lib/systemd/system/$unit" 2>&1 |
            grep -vE 'DelegateSubgroup|is not executable|man convjudge|^$' >faults || true
        equal "" "$(grep -F convjudge faults || true)"
    done
}

@test "nginx and Caddy understand their examples" {
    if command -v nginx >/dev/null && command -v openssl >/dev/null; then
        openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=judge.example.org -keyout key.pem -out certificate.pem 2>/dev/null
        {
            echo "pid $PWD/nginx.pid; error_log stderr; events {} http { access_log off;"
            sed "s|/etc/ssl/certs/judge.example.org.pem|$PWD/certificate.pem|; s|/etc/ssl/private/judge.example.org.key|$PWD/key.pem|" "$root/docs/guides/nginx.conf"
            echo "}"
        } >nginx.conf
        run nginx -t -c "$PWD/nginx.conf"
        ends 0 "syntax is ok"
    fi
    if command -v caddy >/dev/null; then
        HOME=$PWD run caddy validate --adapter caddyfile --config "$root/docs/guides/Caddyfile"
        ends 0 "Valid configuration"
    fi
}

@test "the sandbox works where a service is confined as the units say" {
    [[ $(id -u) == 0 ]] || skip "needs root, to confine"
    [[ $root != /tmp/* ]] || skip "another /tmp would hide this checkout"
    file_has "$root/service/commands/units/sandbox.conf" '^ProtectSystem=strict'
    file_has "$root/service/commands/units/sandbox.conf" '^NoNewPrivileges=yes'
    file_has "$root/service/commands/units/sandbox.conf" '^CapabilityBoundingSet=$'
    run unshare --mount bash -c '
        mount --make-rprivate / && mount -t tmpfs -o mode=1777 tmpfs /tmp && mount -o remount,bind,ro / || exit 99
        exec setpriv --reuid=54321 --regid=54321 --clear-groups --no-new-privs --bounding-set=-all --inh-caps=-all \
            env -i PATH=/usr/bin:/bin CONVJUDGE_DB=/tmp/runs.db CONVJUDGE_CACHE=/tmp/cache \
            "$1/convjudge" grade "$2/solutions/conv1d/accepted/naive.cu"' _ "$build" "$root"
    ends 0 "Accepted" "rank        1 of 1"
}

# unpacked NAME: the package's files, in a folder of that name.
unpacked() {
    dpkg-deb -x "$BATS_FILE_TMPDIR"/packages/deb/"$1"_*.deb "$1"
}

@test "the students' package judges, and holds neither hidden cases, nor solutions, nor the server" {
    needs dpkg-deb
    mkdir -p "$BATS_FILE_TMPDIR/packages"
    for name in convjudge convjudge-service convjudge-runner libcudart.so.13 libcjson.so.1; do
        [[ ! -e $build/$name ]] || ln -s "$build/$name" "$BATS_FILE_TMPDIR/packages/"
    done
    run "$root/service/commands/deb.sh" "$BATS_FILE_TMPDIR/packages"
    ends 0 "/deb/convjudge_" "/deb/convjudge-server_"
    unpacked convjudge
    equal "" "$(find convjudge \( -path '*/solutions/*' -o -name '*convjudge-service*' -o -name '*.service' -o -path '*/toolchain/*' \) -print)"
    equal 0 "$(jq -s '[.[].cases[] | select(.timed | not)] | length' convjudge/usr/share/convjudge/testcases/*/hidden.json)"
    for part in "Depends: bubblewrap, g++, " "libc6 (>= " "Conflicts: convjudge-server"; do
        dpkg-deb -f "$BATS_FILE_TMPDIR"/packages/deb/convjudge_*.deb | grep -qF "$part"
    done
    submission >x.cu
    unset CONVJUDGE_HOME
    run convjudge/usr/bin/convjudge grade --device sim x.cu
    ends 0 "Accepted  x.cu" "not ranked: the hidden cases, which decide, are not here"
    unpacked convjudge-server
    [[ -x convjudge-server/usr/lib/convjudge/convjudge-service && -e convjudge-server/usr/lib/systemd/system/convjudge.service ]]
    [[ $(jq '[.cases[] | select(.timed | not)] | length' convjudge-server/usr/share/convjudge/testcases/conv1d/hidden.json) -gt 0 ]]
    [[ -e convjudge-server/usr/share/convjudge/solutions/conv1d/accepted/naive.cu ]]
}
