#!/usr/bin/env bats
# What administrators of the service run: check-config, doctor, the manual page, completion.

bats_require_minimum_version 1.5.0
load helper

# ---- check-config

@test "check-config prints the settings with their defaults, and deadlines that grow" {
    unset CONVJUDGE_CONFIG
    echo '{"admins": ["grace"], "penalty_s": 12.5}' >config.json
    judge check-config config.json
    ends 0 "config.json, with the defaults of what it leaves out" "Deadlines of a judging in seconds, each longer than the one before it" "A worker renews its lease every 1 s and loses it after 30 s."
    sed -n '/^{/,/^}/p' <<<"$output" >settings.json
    json settings.json '[.listen, .admins[0], .penalty_s, .lease_s, .public] | @csv' '"127.0.0.1:8080","grace",12.5,30,true'
    counts 3 '^conv1d +(try|test|rank) +120( +[0-9]+){3}$'
    awk '/^conv/ && !($3 < $4 && $4 < $5 && $5 + 30 < $6) { bad = 1 } END { exit bad }' <<<"$output"
}

@test "check-config reads what CONVJUDGE_CONFIG names, and defaults where nothing is configured" {
    echo '{"lease_s": 60}' >other.json
    CONVJUDGE_CONFIG=$PWD/other.json judge check-config
    ends 0 "other.json" "loses it after 60 s"
    [[ -e /etc/convjudge/config.json ]] || { judge check-config; ends 0 "no configuration file; all settings by default"; }
}

@test "check-config refuses a wrong file with its line" {
    printf '{\n  "lissen": ""\n}\n' >config.json
    judge check-config config.json
    ends 2 "config.json:2: lissen: unknown key; did you mean 'listen'?"
    judge check-config none.json
    ends 2 "none.json: there is no such file of settings"
    judge check-config a b
    ends 2 "check-config: expected one FILE, found 2"
}

@test "the published schema refuses what the service refuses" {
    local program
    echo '{"proxy_socket": {"path": "/p", "user": "www-data"}, "admins": ["grace"], "budget_device_s": {}, "pages": {}}' >whole.json
    run jsonschema -i whole.json "$root/docs/config.schema.json"
    ends 0
    judge check-config whole.json
    ends 0
    while read -r program; do
        jq "$program" whole.json >broken.json
        run jsonschema -i broken.json "$root/docs/config.schema.json"
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
    ends 0 "ok       nvcc" "ok       gcc" "ok       simulated GPU   NVIDIA H200 (simulated)" "ok       sandbox         full" \
        "temporary files $TMPDIR" "a write" "Grading works here."
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
        "No submission runs, unless --unconfined lets" "Nothing can be graded here before what is missing is there."
    local bin=$PWD/bin
    mkdir "$bin"
    ln -s "$(type -P bwrap)" "$bin/"
    run env PATH="$bin" CONVJUDGE_COMPILER=clang "$build/convjudge" doctor
    ends 1 "missing  gcc             none that works" "missing  g++"
    run env TMPDIR=/nowhere "$build/convjudge" doctor
    ends 1 "/nowhere: nothing can be written there"
    TMPDIR=/proc run "$build/convjudge" doctor
    ends 1 "missing  temporary files /proc: nothing can be written there" "Let TMPDIR name"
}

@test "doctor tells what is not as it should be" {
    LC_ALL=C doctor
    ends 0 "note     locale          not UTF-8" "LANG=C.UTF-8 changes that."
    CONVJUDGE_CUDA_DRIVER=no-such-library.so.1 doctor
    ends 0 "note     GPU             none: there is no NVIDIA GPU here" "Gradings run on the simulated GPU"
    touch "$CONVJUDGE_DB"
    chmod 666 "$CONVJUDGE_DB"
    doctor
    ends 0 "note     database" "everybody may write to it" "Anybody can change ranks."
    chmod 644 "$CONVJUDGE_DB"
    doctor
    ends 0 "everybody may read it"
    chmod 600 "$CONVJUDGE_DB"
    doctor
    ends 0 "only some may read it" "note     secrets" "everybody here may read"
    run bash -c 'ulimit -s 2048; "$1/convjudge" doctor' _ "$build"
    ends 0 "note     stack           2 MiB at most"
    CONVJUDGE_DB=/proc/x.db doctor
    ends 0 "note     leaderboard     /proc: nothing can be written there Runs cannot be kept. Grade with --no-record"
    CONVJUDGE_HOME=/nowhere CONVJUDGE_DB='' run "$build/convjudge" doctor
    ends 1 "missing  simulated GPU"
    echo '{"lissen": 1}' >config.json
    doctor --config config.json
    ends 2 "config.json:1: lissen: unknown key"
}

@test "doctor asks a GPU for its clock and its rates" {
    export CONVJUDGE_CUDA_DRIVER=$build/tests/libcuda.so.1 CONVJUDGE_NVML=no-such-library.so.1
    [[ -e $CONVJUDGE_CUDA_DRIVER ]] || skip "make test builds the driver that stands in for NVIDIA's"
    doctor
    ends 0 "ok       GPU             cuda:0: Fake GPU" "note     GPU clock       unknown: " "Disturbed measurements go unnoticed. Install NVIDIA's libnvidia-ml.so.1."
}
