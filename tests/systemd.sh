#!/usr/bin/env bash
# Boots a systemd of its own in namespaces, over a copy-on-write view of this machine's file system, installs the service there
# and uses it as an administrator and a student do. Prints TAP. Needs root, systemd, overlayfs and control groups of version 1
# (a name=systemd hierarchy); elsewhere it says so and passes.
# Usage: tests/systemd.sh BUILD
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD build=$(realpath "$1")
group=convjudge-test.$$ # in every hierarchy of control groups: what lies above is not for this systemd

skip() { echo "1..0 # skip $1"; exit 0; }
[[ $(id -u) == 0 ]] || skip "needs root"
[[ -x /lib/systemd/systemd ]] || skip "needs systemd"
[[ -e /sys/fs/cgroup/systemd/cgroup.procs ]] || skip "needs control groups of version 1"

# All mounts are of this mount namespace, and are gone with its last process.
boot() {
    local hierarchy
    for hierarchy in /sys/fs/cgroup/*; do
        [[ ! -d $hierarchy || -L $hierarchy ]] || { mkdir "$hierarchy/$group" && echo "$BASHPID" >"$hierarchy/$group/cgroup.procs"; } 2>/dev/null || true
    done
    # shellcheck disable=SC2016 # the inner shell's
    exec unshare --mount --pid --ipc --uts --cgroup --net --fork --kill-child bash -ec '
        mount --make-rprivate /
        mount -t tmpfs tmpfs /mnt
        mkdir /mnt/{upper,work,root}
        mount -t overlay overlay -o lowerdir=/,upperdir=/mnt/upper,workdir=/mnt/work /mnt/root
        cd /mnt/root
        mount -t proc proc proc
        mount --rbind /sys sys
        mount --rbind /dev dev
        mount -t tmpfs tmpfs sys/fs/cgroup
        mkdir sys/fs/cgroup/systemd
        mount -t cgroup -o none,name=systemd cgroup sys/fs/cgroup/systemd # as this namespace sees it: its own part alone
        mount -t tmpfs tmpfs run
        mount -t tmpfs tmpfs tmp
        for folder in "$@"; do # a checkout below /tmp or /run, which lie hidden now
            [[ -e .$folder ]] || { mkdir -p ".$folder" && mount --bind "$folder" ".$folder"; }
        done
        pivot_root . mnt
        umount -l /mnt
        cd /
        exec env -i container=docker PATH="$PATH" /lib/systemd/systemd --system --unit=basic.target' boot "$root" "$build" >/dev/null 2>&1 </dev/null
}

boot &
machine=$!
finish() {
    kill -KILL "$machine" 2>/dev/null || true # its first process dies with it, and everything else with that
    wait "$machine" 2>/dev/null || true
    for ((tries = 0; tries < 100; tries++)); do
        find /sys/fs/cgroup/*/"$group" -depth -type d -exec rmdir {} + 2>/dev/null || true
        compgen -G "/sys/fs/cgroup/*/$group" >/dev/null || break
        sleep 0.05
    done
}
trap finish EXIT

inside() { nsenter --target "$first" --mount --pid --ipc --uts --cgroup --net --root --wd=/ env -i PATH="/usr/local/bin:$PATH" HOME=/root LC_ALL=C.UTF-8 "$@"; }
student() { inside su - ada -c "$1"; }

first=''
for ((tries = 0; tries < 300; tries++)); do
    first=$(pgrep -P "$machine" -f systemd || true)
    [[ -z $first || $(inside systemctl is-system-running 2>/dev/null) != running ]] || break
    kill -0 "$machine" 2>/dev/null || skip "systemd does not boot here"
    first=''
    sleep 0.1
done
[[ -n $first ]] || skip "systemd does not boot here"

count=0 failed=0
# claim NAME COMMAND...: a line of TAP; of a failure what was printed.
claim() {
    local printed verdict=ok
    printed=$("${@:2}" 2>&1) || { verdict="not ok" failed=$((failed + 1)); }
    count=$((count + 1))
    echo "$verdict $count - $1"
    [[ $verdict == ok ]] || echo "# ${printed//$'\n'/$'\n'# }"
}

# The commands of docs/guides/operate.md, "Install".
install_service() {
    inside bash -ec "cd '$root'; service/commands/install.sh install '$build'; systemd-sysusers; systemd-tmpfiles --create; systemctl daemon-reload"
    inside bash -ec 'echo '\''{"workers": ["sim"]}'\'' >/etc/convjudge/config.json && convjudge check-config && systemctl enable --now convjudge'
}
doctor() { inside su -s /bin/bash convjudge -c 'convjudge doctor'; }
add_student() {
    inside useradd -m ada
    inside install -o ada "$root/solutions/conv1d/accepted/naive.cu" /home/ada/mine.cu
}
hand_in() { student 'convjudge submit --wait --problem conv1d mine.cu' | grep -A100 Accepted; }
is_accepted() { student 'convjudge runs' | grep -q "^ *$1 .* Accepted "; }
survive_a_kill() {
    student 'echo "// again" >>mine.cu; convjudge submit --problem conv1d mine.cu'
    inside systemctl kill --signal KILL --kill-who main convjudge
    for ((tries = 0; tries < 600; tries++)); do
        if is_accepted 2 2>/dev/null; then return 0; fi
        sleep 0.2
    done
    inside journalctl --no-pager --unit convjudge
    return 1
}
stop() {
    inside systemctl stop convjudge
    ! inside pgrep -f convjudge
}
nothing_failed() { [[ -z $(inside systemctl --failed --no-legend --plain) ]] || { inside systemctl --failed; return 1; }; }
secrets_are_kept() { ! student "ls /usr/local/share/convjudge/testcases/conv1d || ls /var/lib/convjudge"; }
remove_service() {
    inside bash -ec "cd '$root'; service/commands/install.sh uninstall '$build'; systemctl daemon-reload"
    inside bash -ec '[[ -e /var/lib/convjudge/convjudge.db && -e /etc/convjudge/config.json && ! -e /usr/local/bin/convjudge ]]'
}

claim "the commands of the guide install the service and start it" install_service
claim "convjudge doctor finds that gradings work" doctor
claim "there is a student" add_student
claim "a submission is judged by the confined service" hand_in
claim "a student reads neither hidden cases nor the service's state" secrets_are_kept
claim "a server that is killed is started again, and loses nothing" survive_a_kill
claim "the service stops, and leaves no process" stop
claim "no unit has failed" nothing_failed
claim "what is removed leaves settings and submissions" remove_service
echo "1..$count"
[[ $failed == 0 ]]
