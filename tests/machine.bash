# shellcheck shell=bash
# What commands of administrators need besides root: sudo and systemd, as far as tests/doc_commands.sh lets pages use them. The
# service is installed and runs for real, below folders that lie over those of this machine.

export PATH=/usr/local/bin:$PATH

# lay_over_folders FOLDER: from here on, changes below /etc, /var, /usr/local and /run go to the folder. It needs root, and a
# mount namespace of its own.
lay_over_folders() {
    local folder
    mount -t tmpfs tmpfs "$1" || return
    for folder in etc var usr/local; do
        mkdir -p "$1/upper/$folder" "$1/work/$folder"
        mount -t overlay overlay -o "lowerdir=/$folder,upperdir=$1/upper/$folder,workdir=$1/work/$folder" "/$folder" || return
    done
    mount -t tmpfs -o mode=755 tmpfs /run
}

# as_account NAME COMMAND...: with nothing of the caller's environment but what finds programs and devices.
as_account() {
    exec setpriv --reuid "$1" --regid "$1" --init-groups env -i PATH="$PATH" EDITOR="$EDITOR" \
        CONVJUDGE_CUDA_DRIVER="$CONVJUDGE_CUDA_DRIVER" HOME="$(getent passwd "$1" | cut -d : -f 6)" "${@:2}"
}

sudo() { # [-u NAME] COMMAND...
    if [[ $1 == -u ]]; then (as_account "${@:2}"); else "$@"; fi
}

sudoedit() { "$EDITOR" "$@"; }

systemd-tmpfiles() { command systemd-tmpfiles "$@" convjudge.conf; }

systemctl() { # daemon-reload | (enable --now | start | restart | stop) UNIT
    local unit=/usr/local/lib/systemd/system/${*: -1}.service
    [[ $1 != daemon-reload ]] || return 0
    [[ -e $unit ]] || { echo "systemctl: there is no $unit"; return 5; }
    case $* in
    "stop "*) end_service ;;
    "restart "*) end_service; start_service "$unit" ;;
    "start "* | "enable --now "*) start_service "$unit" ;;
    *) echo "systemctl: expected enable --now, start, restart or stop, found '$*'"; return 1 ;;
    esac
}

# start_service UNIT: its program, as its user, in its environment, until it answers.
start_service() {
    local folder tries environment program
    read -ra environment < <(sed -n 's/^Environment=//p' "$1")
    read -ra program < <(sed -n 's/^ExecStart=//p' "$1")
    for folder in /run /var/lib /var/cache; do install -d -o convjudge -g convjudge -m 755 "$folder/convjudge"; done
    as_account convjudge "${environment[@]}" setsid "${program[@]}" >/run/service.log 2>&1 </dev/null &
    echo $! >/run/service.pid
    for ((tries = 0; tries < 300; tries++)); do
        if curl --silent --fail --unix-socket /run/convjudge/socket http://x/healthz >/dev/null; then return 0; fi
        sleep 0.1
    done
    cat /run/service.log
    return 1
}

end_service() {
    local process
    process=$(cat /run/service.pid 2>/dev/null) || return 0
    rm /run/service.pid
    kill "$process" 2>/dev/null || return 0
    while kill -0 "$process" 2>/dev/null; do sleep 0.1; done
}

# service_runs: for pages that begin with an installed service.
service_runs() {
    make install
    systemd-sysusers
    systemd-tmpfiles --create
    systemctl enable --now convjudge
}

# old_version: for pages that upgrade a checkout: a repository with nothing to pull, whose version is called OLD.
old_version() {
    git init --quiet
    git -c user.name=ada -c user.email=ada@example.org commit --quiet --allow-empty --message old
    git tag OLD
    git remote add origin .
    git fetch --quiet
    git branch --quiet --set-upstream-to "origin/$(git branch --show-current)"
}
