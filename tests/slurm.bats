#!/usr/bin/env bats
# serve --engine slurm: pilots in a real Slurm on this host, a controller and two nodes; and what the server does where Slurm fails.

bats_require_minimum_version 1.5.0
load helper
load service
# shellcheck source=/dev/null
source "$BATS_TEST_DIRNAME/slurm_cluster.sh"

teardown() {
    stop_server
    cluster_stop 3>&-
}

# judged_by_slurm [SLURM]: starts a server whose pilots judge on the simulated GPU; SLURM (JSON) changes the settings of Slurm.
judged_by_slurm() {
    jq -n --arg program "$build/convjudge" --arg cache "${CONVJUDGE_CACHE:-$build/cache}" \
        '{gres: "gpu:1", device: "sim", time_minutes: 30, pilots: 2, idle_seconds: 5,
          program: ["env", "CONVJUDGE_CACHE=\($cache)", $program]}' >slurm.json
    serve "$(jq -c --argjson more "${1:-{\}}" '{lease_s: 10, engine: "slurm", slurm: (. + $more)}' slurm.json)"
}

logged() { # REGEX
    grep -qE -- "$1" "$BATS_TEST_TMPDIR/server.log"
}

# hand_in_many FIRST LAST MODE: hands in that many submissions of one person.
hand_in_many() {
    local number
    for ((number = $1; number <= $2; number++)); do
        as "$ada" POST /api/v1/submissions --data "$(request "k$number" ".mode = \"$3\" | .source |= \"// $((number % 3))\n\" + .")"
        [[ $status == 201 ]] || { echo "$status $output"; return 1; }
    done
}

left_to_do() { in_store "SELECT count(*) FROM judging WHERE state <> 'recorded'"; }
fewer_left_than() { [[ $(left_to_do) -lt $1 ]]; }
claimed_on() { # NODE: its pilot has taken something
    local job
    job=$(squeue -h -t running -w "$1" -o %i | head -n 1)
    [[ -n $job && $(in_store "SELECT count(*) FROM attempt WHERE worker GLOB 'slurm-$job-*'") != 0 ]]
}
holds_the_judging() { # stops the judging on n1 where it is
    local pid
    for pid in $(cluster_jobs n1); do
        if grep -zqx try "/proc/$pid/cmdline" 2>/dev/null; then kill -STOP "$pid" && return; fi
    done
    return 1
}
pilots_on() { # NODES: so many nodes have a pilot
    [[ $(squeue -h -t running -o %N | sort -u | wc -l) -ge $1 ]]
}

@test "a node dies and the controller is killed, and each of 60 submissions has one result" {
    local reason
    reason=$(cluster_lacks) || skip "$reason"
    cluster_start "$BATS_TEST_TMPDIR/cluster" || skip "Slurm does not start here"
    judged_by_slurm
    ada=$(token ada)
    hand_in_many 1 54 try
    hand_in_many 55 60 rank
    cluster_node n1 # only now, so that enough waits for both of them
    cluster_node n2
    wait_until pilots_on 2
    wait_until claimed_on n1
    wait_until fewer_left_than 56
    cluster_kill_node n1
    cluster_kill_controller
    wait_until fewer_left_than 40
    cluster_controller
    wait_until fewer_left_than 20
    kill_server
    start_server
    wait_until fewer_left_than 1
    equal 60 "$(in_store "SELECT count(*) FROM judging WHERE state = 'recorded' AND verdict = 'Accepted'")"
    equal '6|6' "$(in_store 'SELECT count(*), (SELECT count(DISTINCT run) FROM judging WHERE run IS NOT NULL) FROM runs')"
    equal '' "$(in_store "SELECT judging FROM attempt WHERE outcome = 'judged' GROUP BY judging HAVING count(*) > 1")"
    # Done again is at most what the node that died and those that were told to stop had in hand.
    holds "$(in_store "SELECT count(*) FROM attempt WHERE outcome IS NOT 'judged'") <= 2"
    equal '' "$(in_store "SELECT DISTINCT worker FROM attempt WHERE worker NOT GLOB 'slurm-[0-9]*-[0-9]*-??????'")"
    quiet() { [[ -z $(squeue -h -t pending,running) ]]; }
    wait_until quiet # pilots end when nothing comes
}

@test "what a requeued pilot had in hand is given back, which is nobody's failure" {
    local reason job
    reason=$(cluster_lacks) || skip "$reason"
    cluster_start "$BATS_TEST_TMPDIR/cluster" || skip "Slurm does not start here"
    cluster_node n1
    judged_by_slurm
    ada=$(token ada)
    submission 'sleep(100);' >hanging.cu
    as "$ada" POST /api/v1/submissions --data "$(request k '.mode = "try"' | jq --rawfile source hanging.cu '.source = $source')"
    wait_until holds_the_judging # which would end by itself before a busy Slurm requeues
    job=$(squeue -h -o %i)
    scontrol requeue "$job"
    gives_back() { [[ $(in_store "SELECT outcome || ': ' || why FROM attempt WHERE n = 1") == 'given_back: the worker was told to stop' ]]; }
    wait_until gives_back
    equal 0 "$(in_store 'SELECT failures FROM judging')"
    file_has "$state/pilots/$job.log" "event=given_back judging=1 attempt=1 worker=slurm-$job-0-"
    scancel "$job"
}

@test "the simulation of a deadline's evening knows the pilots' rule" {
    equal "$(sed -n 's/^PER_PILOT = \([0-9]*\) .*/\1/p' "$root/tests/deadline.py")" \
        "$(sed -n 's/.*SUBMISSIONS_PER_PILOT = \([0-9]*\) .*/\1/p' "$root/service/store/slurm.h")"
    run "$root/tests/deadline.py" --people 50 --each 2 1 4
    ends 0 '100 submissions' '300 an hour'
    counts 2 '^ +[14] '
}

# fake_slurm: commands of Slurm that do what the files sbatch.does and squeue.does say, and count how often they are called.
fake_slurm() {
    local name
    mkdir -p fake
    for name in sbatch squeue; do
        printf '#!/usr/bin/env bash\necho "${*//[[:cntrl:]]/ }" >>"%s/fake/%s.calls"\nsource "%s/fake/%s.does"\n' "$PWD" $name "$PWD" $name >fake/$name
        chmod +x fake/$name
        : >fake/$name.calls
        echo true >fake/$name.does
    done
    PATH=$PWD/fake:$PATH
}

calls() { wc -l <"fake/$1.calls"; }
at_least() { [[ $(calls "$1") -ge $2 ]]; }
lists_again() { wait_until at_least squeue $(($(calls squeue) + $1)); } # the server asks so many times more what Slurm has
metric() { ask GET /metrics && awk -v name="$1" '$1 == name { print $2 }' <<<"$output"; }
metric_is() { [[ $(metric "$1") == "$2" ]]; }

@test "a failing sbatch is tried again after growing pauses, and the operator is told once" {
    fake_slurm
    echo 'echo "sbatch: error: Batch job submission failed: Invalid account" >&2; exit 1' >fake/sbatch.does
    judged_by_slurm '{"account": "none"}'
    ada=$(token ada)
    wait_until at_least squeue 1
    equal 0 "$(calls sbatch)" # nothing waits
    hand_in_many 1 1 try
    wait_until at_least sbatch 3
    wait_until metric_is convjudge_slurm_trouble 1
    equal 1 "$(grep -c event=slurm_trouble "$BATS_TEST_TMPDIR/server.log")"
    logged 'event=slurm_trouble why="sbatch: exit status 1: sbatch: error: Batch job submission failed: Invalid account"'
    file_has fake/sbatch.calls '--gres=gpu:1 '
    file_has fake/sbatch.calls '--account=none '
    as "$(token grace admin)" GET /admin
    ends 200 'Pilots in Slurm: 0 running, 0 waiting to start' 'Invalid account'
    echo "if [[ -e $PWD/started ]]; then echo '17|PENDING|Resources'; fi" >fake/squeue.does
    echo "touch $PWD/started; echo 17" >fake/sbatch.does
    wait_until logged 'event=pilot_started job=17'
    wait_until metric_is convjudge_slurm_trouble 0
    logged event=slurm_trouble_is_over
}

@test "never more pilots than configured are started, and only while something waits" {
    fake_slurm
    echo 'grep -c . "$(dirname "$0")/sbatch.calls"' >fake/sbatch.does
    echo 'for ((job = 1; job <= $(grep -c . "$(dirname "$0")/sbatch.calls"); job++)); do echo "$job|PENDING|Resources"; done' >fake/squeue.does
    judged_by_slurm '{"pilots": 2}'
    ada=$(token ada)
    hand_in_many 1 8 try
    wait_until at_least sbatch 1
    lists_again 1
    equal 1 "$(calls sbatch)" # eight are not worth another one
    hand_in_many 9 30 try
    wait_until at_least sbatch 2
    kill_server
    start_server
    lists_again 2
    equal 2 "$(calls sbatch)"
    metric_is 'convjudge_pilots{state="pending"}' 2
}

@test "a pilot that ends without taking anything is shown with its last words, and is no reason for hundreds more" {
    fake_slurm
    cat >fake/sbatch.does <<END
number=\$(grep -c . "$PWD/fake/sbatch.calls")
echo "convjudge: no GPU can be used: no device" >"$BATS_TEST_TMPDIR/state/pilots/\$number.log"
echo \$number
END
    judged_by_slurm
    ada=$(token ada)
    hand_in_many 1 1 try
    wait_until logged 'event=pilot_failed job=1 why="convjudge: no GPU can be used: no device"'
    logged 'slurm_trouble why="pilot 1 has ended without taking anything: convjudge: no GPU'
    lists_again 2
    holds "$(calls sbatch) <= 4"
}

@test "where Slurm is out of reach, nothing is started, and hand-ins go on" {
    fake_slurm
    echo 'echo "slurm_load_jobs error: Unable to contact slurm controller" >&2; exit 1' >fake/squeue.does
    judged_by_slurm
    ada=$(token ada)
    hand_in_many 1 20 try
    wait_until logged 'event=slurm_trouble why="squeue: exit status 1: slurm_load_jobs error: Unable to contact'
    lists_again 1
    equal 0 "$(calls sbatch)"
    echo 'sleep 100' >fake/squeue.does
    hand_in_many 21 22 try # while squeue hangs
    equal 22 "$(left_to_do)"
    wait_until logged 'event=slurm_trouble why="squeue: no answer within 30 s'
}

@test "what sbatch and squeue print must be what was asked for" {
    fake_slurm
    echo 'echo Welcome to the cluster' >fake/squeue.does
    judged_by_slurm
    ada=$(token ada)
    hand_in_many 1 1 try
    wait_until logged 'event=slurm_trouble why="squeue: expected ..JOB.STATE.REASON.., found ..Welcome to the cluster'
    echo true >fake/squeue.does
    wait_until logged 'event=slurm_trouble why="sbatch: expected the number of a job, found'
}

@test "a pilot begins nothing that may not fit, and ends when nothing comes" {
    serve
    judge work --server "$socket" --state mine --device sim --name slurm-1-0-abc --pilot 5 --idle 1
    ends 0 event=ended
    test -d "mine/workers/$(hostname -s | tr -c 'a-zA-Z0-9\n' -)-sim-h200-1"
    # One that gets no more work leaves its GPU to others.
    sqlite3 "$state/convjudge.db" "INSERT INTO drained VALUES ('slurm-1-0-abc', '2026-01-31T12:00:00Z', 'by hand')"
    judge work --server "$socket" --state mine --device sim --name slurm-1-0-abc --pilot 5 --idle 1000
    ends 0 event=ended
}
