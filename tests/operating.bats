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
