#!/usr/bin/env bats
# What administrators of the service run: check-config, doctor, the manual page, completion.

bats_require_minimum_version 1.5.0
# shellcheck disable=SC2034 # helper.bash reads it
any_compiler=1
load helper

# ---- check-config

@test "check-config prints the settings with their defaults, and deadlines that grow" {
    unset CONVJUDGE_CONFIG
    echo '{"admins": ["grace"], "penalty_s": 12.5}' >config.json
    judge check-config config.json
    ends 0 "config.json, with the defaults of what it leaves out" "Deadlines of a judging in seconds, each longer than the one before it" "A worker renews its lease every 1 s and loses it after 30 s."
    sed -n '/^{/,/^}/p' <<<"$output" >settings.json
    json settings.json '[.listen, .admins[0], .penalty_s, .lease_s, .public] | @csv' '"127.0.0.1:8080","grace",12.5,30,true'
    counts 3 '^conv1d +(try|test|rank) +240( +[0-9]+){3}$'
    awk '/^conv/ && !($3 < $4 && $4 < $5 && $5 + 30 < $6) { bad = 1 } END { exit bad }' <<<"$output"
}

@test "check-config reads what CONVJUDGE_CONFIG names, and defaults where nothing is configured" {
    echo '{"lease_s": 60}' >other.json
    CONVJUDGE_CONFIG=$PWD/other.json judge check-config
    ends 0 "other.json" "loses it after 60 s"
    [[ -e /etc/convjudge/config.json ]] || { judge check-config; ends 0 "no configuration file; all settings by default"; }
}

@test "check-config says how a pilot keeps within its time" {
    echo '{"engine": "slurm", "slurm": {"pilots": 4}}' >slurm.json
    judge check-config slurm.json
    ends 0 '"gres":' '"pilots":' 'A pilot of 240 minutes begins a judging until'
    lacks 'may take more than half'
    echo '{"engine": "slurm", "slurm": {"time_minutes": 60}}' >slurm.json
    judge check-config slurm.json
    ends 0 'A pilot of 60 minutes begins a judging until 1800 s before its end.' 'with longer "time_minutes" none is cut off'
}

@test "the published schema refuses what the service refuses" {
    local program
    needs jsonschema
    echo '{"proxy_socket": {"path": "/p", "user": "www-data"}, "admins": ["grace"], "budget_device_s": {}, "pages": {}}' >whole.json
    run jsonschema -i whole.json "$root/docs/reference/config.schema.json"
    ends 0
    judge check-config whole.json
    ends 0
    while read -r program; do
        jq "$program" whole.json >broken.json
        run jsonschema -i broken.json "$root/docs/reference/config.schema.json"
        [[ $status == 1 ]] || { echo "the schema lets pass: $program"; return 1; }
        judge check-config broken.json
        ends 2 "broken.json:"
    done <<'END'
.listen = "8080"
.listen = 8080
.socket = "relative"
.state = ""
.proxy_socket.user = ""
del(.proxy_socket.path)
.proxy_socket.group = "x"
.admins = "grace"
.admins = ["a", "a"]
.teachers = [""]
.workers = [1]
.penalty_s = -1
.webhooks = ["ftp://x"]
.limits.waiting = 0
.limits.bytes = 5
.budget_device_s.rank = 0
.budget_device_s.test = 1
.lease_s = 5
.pages.title = ""
.pages.colour = "red"
.public = 1
.lissen = ""
END
}

# ---- doctor

# doctor ARGUMENT...: runs it, and joins the lines of each finding.
doctor() {
    judge doctor "$@"
    output=$(sed -z 's/\n  */ /g' <<<"$output")
}

@test "doctor says what is there, what it costs and what to do, and that grading works" {
    doctor --json doctor.json
    ends 0 "ok       gcc" "ok       simulated GPU   NVIDIA H200 (simulated)" "ok       sandbox         full" \
        "temporary files $TMPDIR" " GiB free, a write reaches the disk in " " GiB of memory" "none yet The first grading makes it." "Grading works here." \
        "sandbox         full: namespaces, system calls filtered, no rights"
    [[ ! -e /proc/sys/kernel/seccomp/actions_avail ]] || ends 0 "ok       seccomp         the kernel filters system calls"
    case $output in
    *"ok       control groups"*) ends 0 "memory and processes of a sandbox are limited together" ;;
    *) ends 0 "the judge may not make any Limits hold for each process of a compiler, not for all of them together. The service's unit has" ;;
    esac
    [[ -e /etc/convjudge/config.json ]] || ends 0 "configuration   no file, all by default"
    if "$root/harness/compilers.sh" nvcc; then ends 0 "ok       nvcc"; else ends 0 "note     nvcc" "ok       clang"; fi
    equal true "$(jq '.grading_works and .schema == 1' doctor.json)"
    equal "missing,note,ok" "$(jq -r '[.findings[] | .level] + ["missing", "note", "ok"] | unique | join(",")' doctor.json)"
    equal 0 "$(jq '[.findings[] | select(.level != "ok" and .cost == "")] | length' doctor.json)"
    doctor --json -
    ends 0
    equal true "$(jq .grading_works <<<"$output")"
}

@test "doctor names what is missing, and then grading does not work" {
    CONVJUDGE_BWRAP=/bin/false doctor
    ends 1 "missing  bubblewrap" "Debian: apt-get install bubblewrap." "missing  sandbox         none: /bin/false" \
        "No submission runs, unless --unconfined lets" \
        "Containers often forbid namespaces: run the judge outside, or let them be made." "Nothing can be graded here until the missing parts are there."
    local bin=$PWD/bin
    mkdir "$bin"
    ln -s "$(type -P bwrap)" "$bin/"
    run env PATH="$bin" CONVJUDGE_NVCC=/nowhere CONVJUDGE_CLANG=/nowhere "$build/convjudge" doctor
    output=$(sed -z 's/\n  */ /g' <<<"$output")
    ends 1 "missing  nvcc            CONVJUDGE_NVCC=/nowhere: no such program Nothing compiles submissions. To get a compiler: run "
    run env PATH="$bin" CONVJUDGE_COMPILER=clang "$build/convjudge" doctor
    ends 1 "missing  g++"
    output=$(sed -z 's/\n  */ /g' <<<"$output")
    ends 1 "missing  gcc             none that works It compiles expected outputs and the host's side of submissions."
    local nvcc
    if nvcc=$("$root/harness/compilers.sh" nvcc); then
        run env PATH="$bin" CONVJUDGE_NVCC="$nvcc" "$build/convjudge" doctor
        output=$(sed -z 's/\n  */ /g' <<<"$output")
        ends 1 "ok       clang           no clang 16 or later found It is not needed: nvcc compiles."
    fi
    run env TMPDIR=/nowhere "$build/convjudge" doctor
    ends 1 "/nowhere: nothing can be written there"
    TMPDIR=/proc run "$build/convjudge" doctor
    output=$(sed -z 's/\n  */ /g' <<<"$output")
    ends 1 "missing  temporary files /proc: nothing can be written there Nothing can be compiled. Let TMPDIR name"
}

@test "doctor tells what is not as it should be" {
    LC_ALL=C doctor
    ends 0 "note     locale          not UTF-8 Bars and signs in reports are plain ASCII. LANG=C.UTF-8 changes that."
    CONVJUDGE_CUDA_DRIVER=no-such-library.so.1 doctor
    ends 0 "note     GPU             none: there is no NVIDIA GPU here" "Gradings run on the simulated GPU, and times are modelled;"
    CONVJUDGE_CACHE=/proc doctor
    ends 0 "compile cache   /proc: nothing can be written there Each file is compiled anew. Let CONVJUDGE_CACHE name"
    touch "$CONVJUDGE_DB"
    chmod 666 "$CONVJUDGE_DB"
    doctor
    ends 0 "note     database" "everybody may write to it" "Anybody can change ranks."
    chmod 644 "$CONVJUDGE_DB"
    doctor
    ends 0 "everybody may read it It holds the sources of all submissions. chmod o-r, or run the service."
    chmod 600 "$CONVJUDGE_DB"
    doctor
    ends 0 "only some may read it" "note     secrets" "everybody here may read" \
        "Fine for practice. For a class, install the service, whose account alone reads them"
    run bash -c 'ulimit -s 2048; "$1/convjudge" doctor' _ "$build"
    output=$(sed -z 's/\n  */ /g' <<<"$output")
    ends 0 "note     stack           2 MiB at most 8 MiB are usual. Raise the hard limit (ulimit -Hs)."
    CONVJUDGE_DB=/proc/x.db doctor
    ends 0 "note     leaderboard     /proc: nothing can be written there Runs cannot be kept. Grade with --no-record"
    CONVJUDGE_HOME=/nowhere CONVJUDGE_DB='' run "$build/convjudge" doctor
    ends 1 "missing  simulated GPU"
    CONVJUDGE_HOME=/$(printf 'x%.0s' {1..5000}) CONVJUDGE_DB='' doctor
    ends 1 "the path of the judge's folder is too long It holds problems and testcases. Set CONVJUDGE_HOME."
    echo '{"state": "/proc"}' >config.json
    doctor --config config.json
    ends 0 "service's state /proc: nothing can be written there Only the service's account can write there, as intended."
    echo '{"listen": "0.0.0.0:80"}' >config.json
    doctor --config config.json
    ends 0 "note     configuration   config.json: listens on 0.0.0.0:80 Tokens cross the network as plain text." \
        "Listen on 127.0.0.1, behind a reverse proxy with TLS (docs/guides/operate.md)."
}

# doctor_behind FUNCTION: runs it where this function of C stands before that of the C library.
doctor_behind() {
    printf '#include <string.h>\n#include <sys/syscall.h>\n#include <sys/vfs.h>\n#include <unistd.h>\n%s\n' "$1" >before.c
    gcc -shared -fPIC -o before.so before.c
    LD_PRELOAD=$PWD/before.so doctor
}

@test "doctor says what a disk costs that holds a database" {
    doctor_behind 'int fsync(int file) { usleep(60000); return syscall(SYS_fsync, file); }'
    ends 0 "note     leaderboard" "Each run waits for the disk twice. A faster one makes a busy service quicker."
    doctor_behind 'int statfs(const char *path, struct statfs *info) { memset(info, 0, sizeof *info); info->f_type = 0x6969; return 0; }'
    ends 0 "note     leaderboard" ", on NFS The database may be damaged, since its log needs shared memory. Move it to a local disk."
}

# doctor_where COMMANDS: runs it after commands of root that change what this machine shows.
doctor_where() {
    run unshare --user --map-root-user --mount bash -c "set -e; $1; \"\$0/convjudge\" doctor" "$build"
    output=$(sed -z 's/\n  */ /g' <<<"$output")
}

@test "doctor says what the host's clocks and cores cost" {
    run taskset -c "$(taskset -cp $$ | sed 's/.*: \([0-9]*\).*/\1/')" "$build/convjudge" doctor
    output=$(sed -z 's/\n  */ /g' <<<"$output")
    ends 0 "note     cores           1, with " \
        "The simulated GPU runs on the cores, and a submission may use 2 GiB: gradings take long, and run one at a time."
    unshare -rm true 2>/dev/null || skip "no file system can be mounted here"
    local system=/sys/devices/system
    [[ -e $system/clocksource/clocksource0 ]] || skip "the kernel shows no clocks here"
    echo hpet >hpet
    doctor_where "mount --bind hpet $system/clocksource/clocksource0/current_clocksource
        mount -t tmpfs none $system/cpu/cpu0; mkdir $system/cpu/cpu0/cpufreq; echo powersave >$system/cpu/cpu0/cpufreq/scaling_governor"
    ends 1 "note     host clock      hpet Reading it takes a microsecond or more, which blurs the second clock of short kernels. The kernel's option tsc=reliable may help." \
        'note     host frequency  governor "powersave" Times of CPU baselines vary with the load. As root: cpupower frequency-set -g performance.'
}

@test "doctor says what the sandbox lacks" {
    unshare -rm true 2>/dev/null || skip "no file system can be mounted here"
    doctor_where true
    ends 1 "missing  sandbox         partial: root's processes cannot be limited here"
    printf '#!/bin/sh\ncase "$*" in *--disable-userns*) exit 1 ;; esac\nexec %q "$@"\n' "$(type -P bwrap)" >bwrap
    chmod +x bwrap
    CONVJUDGE_BWRAP=$PWD/bwrap doctor_where true
    ends 1 "missing  sandbox         partial: nested user namespaces are allowed (bubblewrap 0.8 forbids them)"
    [[ ! -e /proc/sys/kernel/seccomp ]] || doctor_where 'mount -t tmpfs none /proc/sys/kernel/seccomp'
    ends 1 "note     seccomp         the kernel does not say that it filters system calls Where it filters none, the sandbox is not full."
    [[ $(id -u) == 0 ]] || skip "only root's mounts hide a program from an ordinary process"
    # shellcheck disable=SC2016 # expanded by the inner bash
    run unshare --mount bash -c 'mount --bind /dev/null "$(type -P prlimit)" && "$0/convjudge" doctor' "$build"
    output=$(sed -z 's/\n  */ /g' <<<"$output")
    ends 1 "missing  sandbox         partial: the number of processes is not limited (needs Linux 5.14 and util-linux)"
}

@test "doctor asks a GPU for its clock and its rates" {
    export CONVJUDGE_CUDA_DRIVER=$build/tests/libcuda.so.1 CONVJUDGE_NVML=no-such-library.so.1
    [[ -e $CONVJUDGE_CUDA_DRIVER ]] || skip "make test builds the driver that stands in for NVIDIA's"
    doctor
    ends 0 "ok       GPU             cuda:0: Fake GPU" "note     GPU clock       unknown: " "Disturbed measurements go unnoticed. Install NVIDIA's libnvidia-ml.so.1." \
        "note     GPU's rates     not measured yet Run once: convjudge calibrate. Until then reports lack the roofline, and impossible times are refused only"
    export CONVJUDGE_NVML=$build/tests/libnvml.so.1 CONVJUDGE_FAKE_NVML=$PWD/nvml
    printf 'sm_clock 1980\nmax_sm_clock 1980\nreasons 0\n' >nvml
    doctor
    ends 0 "ok       GPU clock       1980 of at most 1980 MHz As root, nvidia-smi --lock-gpu-clocks makes times steadier."
    printf 'sm_clock 1200\nmax_sm_clock 1980\nreasons 0x4\n' >nvml
    doctor
    ends 0 "note     GPU clock       1200 of at most 1980 MHz: " "The judge waits until the clock is free, which takes time."
    CONVJUDGE_FAKE_CUDA_PAGEABLE=1 doctor
    ends 0 "note     GPU's memory    kernels can read the memory of the judge's processes Nothing is ranked on this device: docs/explanation/security.md."
}

# ---- the manual page and completion

@test "the manual page has every command and option, and mandoc finds nothing wrong with it" {
    local command
    "$build/convjudge" --man >convjudge.1
    while read -r command; do
        file_has convjudge.1 "^\.SS $command\$"
    done < <("$build/convjudge" help | sed -n 's/^  less often: *//p; s/^  \([a-z-]*\)  .*/\1/p' | tr -s ', ' '\n')
    file_has convjudge.1 '^\.B \\-\\-no\\-second\\-opinion$'
    file_has convjudge.1 '^\.B \\-\\-listen ADDRESS:PORT$'
    if command -v mandoc >/dev/null; then
        mandoc -Tlint -Wwarning convjudge.1 | grep -v 'missing date' >faults || true
        equal "" "$(<faults)"
    fi
}

# completes LINE: what bash makes of the line when the tabulator key is pressed.
completes() {
    printf 'PATH=%q:$PATH; source %q\n%s\t\nexit 0\n' "$build" "$PWD/completion.bash" "$1" >keys
    run script -qec "bash --norc --noprofile -i" /dev/null <keys
    ends 0 "$2"
}

@test "bash completes commands, options, problems, devices and files" {
    "$build/convjudge" --completion bash >completion.bash
    ! command -v shellcheck || shellcheck -s bash completion.bash
    touch mine.cu mine.o result.json
    completes "false && convjudge retim" "false && convjudge retime "
    completes "false && convjudge hel" "false && convjudge help "
    completes "false && convjudge grade --no-sec" "false && convjudge grade --no-second-opinion "
    completes "false && convjudge grade --problem conv1d-s" "false && convjudge grade --problem conv1d-same "
    completes "false && convjudge grade --problem=conv1d-s" "false && convjudge grade --problem=conv1d-same "
    completes "false && convjudge try --device sim:h2" "false && convjudge try --device sim:h200 "
    completes "false && convjudge explain mi" "false && convjudge explain mine.cu "
    completes "false && convjudge explain --json re" "false && convjudge explain --json result.json "
}

@test "what completions ask for is what is there" {
    run "$build/convjudge" --completion problems
    ends 0 conv1d-same
    equal "$(ls "$root/problems")" "$output"
    run "$build/convjudge" --completion devices
    ends 0 auto sim:h200 cpu
    CONVJUDGE_HOME=/nowhere run "$build/convjudge" --completion problems
    ends 0
    equal "" "$output"
    "$build/convjudge" --completion zsh >_convjudge
    file_has _convjudge "'grade:Judges a CUDA source file'"
    file_has _convjudge "verify-leaderboard\) options=\(--json --help\)"
    if command -v zsh >/dev/null; then zsh -n _convjudge; fi
}
