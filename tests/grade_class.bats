#!/usr/bin/env bats
# A class in one command: the exports of other systems, each submission counted once, whatever interrupts it.

bats_require_minimum_version 1.5.0
load helper

source_of() { cp "$root/solutions/conv1d/$1" "$2"; } # SOLUTION FILE

grade_class() { judge grade-class --device sim --dir submissions "$@"; }

in_state() { sqlite3 -readonly submissions.state/convjudge.db "$1"; }

# A class as four systems export it, and by hand.
make_class() {
    local hw=submissions/hw-submissions/hw-
    mkdir -p "submissions/Ada O'Neil_17_assignsubmission_file_/work" submissions/assignment_5_export
    source_of accepted/naive.cu "submissions/Ada O'Neil_17_assignsubmission_file_/work/conv.cu"
    echo notes >"submissions/Ada O'Neil_17_assignsubmission_file_/notes.txt"
    source_of compile_error/unknown_name.cu $'submissions/J\xc3\xb6rg \n Li_18_assignsubmission_file_conv.cu'
    source_of compile_error/syntax_error.cu submissions/leekim_17_40_conv.cu
    source_of run_time_error/null_pointer.cu submissions/leekim_LATE_17_42_conv-1.cu
    source_of compile_error/syntax_error.cu submissions/leekim_LATE_17_43_conv-2.cu
    mkdir -p "${hw}bob/.git" "${hw}-cem/.git"
    source_of compile_error/wrong_signature.cu "${hw}bob/conv.cu"
    sed -i '1i // problem: conv1d' "${hw}bob/conv.cu"
    mkdir packed && source_of rule_violation/computed_on_the_cpu.cu packed/x.cu
    tar czf submissions/dan.tar.gz packed
    (cd packed && ln -s /etc/passwd y.cu && tar cf ../submissions/eve.tar .)
    source_of compile_error/no_solve.cu submissions/-rf.cu
    sed -i '1i // problem: conv1d' submissions/-rf.cu
    cp submissions/-rf.cu 'submissions/-rf (1).cu'
    rm -r submissions/assignment_5_export packed
}

@test "a class from several systems is judged, each submission once, and everything else is named" {
    make_class
    grade_class --json class.result.json
    ends 1 "8 submissions of 6 people: 5 Compile Error, 1 Accepted, 1 Rule Violation, 1 Run-Time Error" \
        "counted once: -rf (1).cu is the same as -rf.cu" \
        "refused: eve.tar: holds the link './y.cu', expected files and folders" \
        "refused: hw-submissions/hw--cem: holds no file whose name ends in .cu" \
        "left aside, neither sources nor archives: Ada O'Neil_17_assignsubmission_file_/notes.txt, hw-submissions/hw--cem/.git" \
        "J" " Li, conv1d: Compile Error" "dan, conv1d: Rule Violation (dan.tar.gz/packed/x.cu)" \
        "leekim, conv1d: Run-Time Error (leekim_LATE_17_42_conv-1.cu, marked late)" \
        "Results: submissions.state. Next: convjudge scores --csv scores.csv --summary scores.html --class class.json --state submissions.state (docs/guides/run-a-class.md has a class.json to begin with)"
    json class.result.json '[.submissions[] | select(.person == "leekim") | "\(.version) \(.marked_late) \(.verdict)"] | join(", ")' \
        "0 false Compile Error, 1 true Run-Time Error, 2 true Compile Error"
    json class.result.json '[.submissions[].submission] | unique | length' 8
    json class.result.json '.refused | length' 2
    json class.result.json '.submissions[] | select(.same_as) | .same_as' '-rf.cu'
    equal 8 "$(in_state "SELECT count(*) FROM judging WHERE state = 'recorded' AND attempt = 1")"
    equal 8 "$(in_state 'SELECT count(*) FROM taken_in')"
    grade_class
    ends 1 "8 submissions of 6 people: 5 Compile Error"
    lacks "1  "
    equal 8 "$(in_state 'SELECT count(*) FROM attempt')"
}

@test "killed or interrupted at any moment, it goes on where it was, and each counts once" {
    # So many that the fastest machine is not through with them at the first line.
    local i shell count=40 sources=(unknown_name no_solve wrong_signature syntax_error)
    mkdir submissions
    for ((i = 0; i < count; i++)); do
        { echo "// problem: conv1d"; echo "// $i"; cat "$root/solutions/conv1d/compile_error/${sources[i % 4]}.cu"; } >"submissions/p$i.cu"
    done
    for signal in KILL INT; do
        timeout 600 "$build/convjudge" grade-class --device sim --dir submissions >"$signal.log" 2>&1 3>&- &
        shell=$!
        wait_until grep -q 'conv1d:' "$signal.log"
        pkill "-$signal" -P "$shell" # timeout's child
        wait "$shell" || status=$?
    done
    equal 2 "$status"
    file_has INT.log 'convjudge: interrupted; [0-9]* of 40 are judged, and the same command continues'
    file_lacks INT.log '^40  '
    no_worker() { ! pgrep -f "work --server .* --state submissions.state" >/dev/null; }
    wait_until no_worker
    grade_class
    ends 0 "40 submissions of 40 people: 40 Compile Error"
    equal $count "$(in_state "SELECT count(DISTINCT submission) FROM judging WHERE state = 'recorded'")"
    equal $count "$(in_state 'SELECT count(*) FROM judging')"
    equal $count "$(in_state 'SELECT count(*) FROM runs')"
}

@test "class.json says who and what there is, and a problem that it does not have is refused" {
    mkdir -p submissions/week-1 submissions/week-2
    source_of compile_error/no_solve.cu submissions/week-1/ada_conv.cu
    cp submissions/week-1/ada_conv.cu submissions/week-2/bob.cu
    sed -i '1i // problem: conv1d' submissions/week-2/bob.cu
    cat >class.json <<'END'
{"schema": 1, "zone": "UTC", "groups": [{"name": "all", "people": ["ada", "bob"]}], "assignments": [
  {"id": "week-1", "due": "2026-10-25T02:30", "problems": [{"problem": "conv1d", "points": {"accepted": 1}}]},
  {"id": "week-2", "due": "2026-10-25T02:30", "problems": [{"problem": "conv2d", "points": {"accepted": 1}}]}]}
END
    grade_class --class class.json
    ends 1 "ada, conv1d: Compile Error (week-1/ada_conv.cu)" \
        "refused: week-2/bob.cu: is for the problem conv1d, which class.json does not have in week-2" \
        "Results: class.state. Next: convjudge scores --csv scores.csv --summary scores.html --class class.json --state class.state"
    judge scores --class class.json --csv - # finds class.state by itself
    ends 0 "ada,,all,week-1,conv1d,0,1" "bob,,all,week-2,conv2d,0,1"
}

@test "a roster knows other spellings, a broken archive is refused and not missing, and a stranger's nearest name is told" {
    mkdir submissions
    source_of compile_error/no_solve.cu submissions/lovelaceada_17_42_conv.cu
    cp submissions/lovelaceada_17_42_conv.cu submissions/moorebob_18_43_conv.cu
    cp submissions/lovelaceada_17_42_conv.cu submissions/evv.cu
    echo "no archive" >submissions/dan.zip
    cat >class.json <<'END'
{"schema": 1, "zone": "UTC", "groups": [{"name": "all", "people": [
   {"name": "ada", "also": ["lovelaceada"]}, {"name": "bob", "id": "18"}, "dan", "eve"]}],
 "assignments": [{"id": "week-1", "due": "2026-10-25T02:30", "problems": [{"problem": "conv1d", "points": {"accepted": 4}}]}],
 "overrides": [{"person": "bob", "assignment": "week-1", "problem": "conv1d", "points": 1.5, "why": "half of it was right", "by": "grace"}]}
END
    sed -i '1i // problem: conv1d' submissions/*.cu
    grade_class --class class.json
    ends 1 "ada, conv1d: Compile Error (lovelaceada_17_42_conv.cu)" "bob, conv1d: Compile Error" \
        "refused: dan.zip: " "in no group: evv; nearest name: eve"
    judge scores --class class.json --csv -
    ends 0 "ada,17,all,week-1,conv1d,0,4" "bob,18,all,week-1,conv1d,1.5,4" "Set to 1.5 by grace: half of it was right. Counted: 0." \
        "dan,,all,week-1,conv1d,0,4,yes,,,,,,'dan.zip' was refused: " "eve,,all,week-1,conv1d,0,4,yes,,,,,,Nothing was submitted."
    judge scores --class class.json
    ends 0 "in no group: evv; nearest name: eve"
    equal "override add|bob, week-1/conv1d: 1.5 points instead of those that are counted, by grace: half of it was right ($PWD/class.json)" \
        "$(sqlite3 class.state/convjudge.db "SELECT action, object FROM audit WHERE action LIKE 'override%'")"
    rm submissions/dan.zip
    grade_class --class class.json
    judge scores --class class.json --csv -
    ends 0 "dan,,all,week-1,conv1d,0,4,yes,,,,,,Nothing was submitted."
}

@test "a running server judges what is handed in to its state" {
    load service
    mkdir submissions
    source_of compile_error/syntax_error.cu submissions/ada.cu
    serve '{"workers": ["sim"]}'
    run timeout 600 "$build/convjudge" grade-class --device sim --dir submissions --state "$state"
    ends 0 "1 submission of 1 person: 1 Compile Error" "Next: convjudge scores --csv scores.csv --summary scores.html --class class.json --state $state"
    equal "ada.cu" "$(in_store 'SELECT origin FROM taken_in')"
    stop_server
}

@test "what cannot be judged is refused in one line" {
    mkdir submissions
    printf 'void solve()\xff' >submissions/ada.cu
    : >submissions/bob.cu
    mkdir submissions/submission_1
    source_of compile_error/syntax_error.cu submissions/submission_1/x.cu
    printf 'submission_1:\n  :created_at: 2090-01-01 00:00:00 Z\n' >submissions/submission_metadata.yml
    grade_class
    ends 1 "0 submissions of 0 people" "refused: ada.cu: line 1: byte 12 is not UTF-8 text, expected CUDA source text" \
        "refused: bob.cu: the file is empty, expected CUDA source text" \
        "refused: submission_1/x.cu: has a time of receipt in the future, according to the export"
}

@test "workers that fail at everything end it, with the place of their log" {
    mkdir -p submissions submissions.state/workers
    chmod 700 submissions.state submissions.state/workers
    touch submissions.state/workers/own-1
    source_of compile_error/syntax_error.cu submissions/ada.cu
    run timeout 600 taskset -c 0 "$build/convjudge" grade-class --device sim --dir submissions
    ends 2 "the workers fail at everything; submissions.state/grade-class.log says why, and the same command continues"
    file_has submissions.state/grade-class.log 'own-1/lock: '
    rm submissions.state/workers/own-1
    grade_class
    ends 0 "1 submission of 1 person: 1 Compile Error"
}
