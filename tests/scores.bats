#!/usr/bin/env bats
# A class: class.json, its points and scores.

bats_require_minimum_version 1.5.0
# shellcheck disable=SC2034 # helper.bash reads it
any_compiler=1
load helper

# The class.json and the output that docs/guides/run-a-class.md shows.
example() {
    sed -n '/^```json$/,/^```$/p' "$root/docs/guides/run-a-class.md" | sed '1d;$d' >class.json
}

# ---- check-class

@test "check-class prints what follows from the example of the documentation, as the documentation says" {
    example
    judge check-class class.json
    ends 0 "class.json, Parallel programming: 2 assignments, 3 people in 2 groups, 1 extension; times of Europe/Berlin, then UTC" \
        ", sources of others when it has closed" "speed: a roofline share of 5 %" "speed: as fast as shared_tile.cu" "  late      does not count" "
week-1, One dimension: at most 10 points"
    local line shown=0
    while IFS= read -r line; do
        [[ $line == *... || -z $line ]] || has_lines "$line"
        shown=$((shown + 1))
    done < <(sed -n '/^    \$ convjudge check-class/,/^In practice/p' "$root/docs/guides/run-a-class.md" | sed '1d;$d;s/^    //')
    [[ $shown -gt 10 ]]
    mkdir there
    jq '.earlier = ["there"]' class.json >other.json
    judge check-class other.json
    ends 0
}

@test "check-class shows grace, gaps of the clock and what is for whom" {
    cat >class.json <<'END'
{"schema": 1, "zone": "Europe/Berlin", "assignments": [
  {"id": "spring", "opens": "2026-03-29T02:30", "due": "2026-10-25T02:30", "counts": "last", "late": {"percent_per_day": 5, "days": 9},
   "show": {"board": "never", "points": "2026-11-01T12:00"},
   "problems": [{"problem": "conv1d", "points": {"speed": {"measure": "percentile", "bands": [{"at_least": 50, "points": 0.5}]}}}]}]}
END
    judge check-class class.json
    ends 0 "clocks skip 2026-03-29T02:30 on this day; it is counted on from before" "opens     2026-03-29 03:30     2026-03-29T01:30:00Z" \
        "clocks show 2026-10-25T02:30 twice on this day; it is the second" "due       2026-10-25 02:30     2026-10-25T01:30:00Z" \
        "day 9     2026-11-03 02:30" "late      5 % off for each day begun, nothing after 9 days" "the last submission counts" \
        "points from 2026-11-01 12:00, board never" "0.5  speed: percentile 50 among the reference solutions"
    [[ $output != *"day 4"* ]]
}

@test "the published schema of class.json refuses what check-class refuses" {
    local program file programs=() arguments=()
    needs jsonschema
    example
    run jsonschema -i class.json "$root/docs/reference/class.schema.json"
    ends 0
    while read -r program; do
        file=broken-${#programs[@]}.json
        jq "$program" class.json >"$file"
        judge check-class "$file"
        ends 2 "$file:"
        programs+=("$program")
        arguments+=(-i "$file")
    done <<'END'
.schema = 2
del(.zone)
.zone = "/etc/localtime"
.titel = "x"
.title = ""
.groups[0].people = "ada"
.groups[0].people = ["ada", "ada"]
.groups[0].people = [" ada"]
del(.groups[0].name)
.assignments = []
.assignments[0].id = "Week 1"
.assignments[0].due = "2026-11-09"
.assignments[0].due = "2026-13-09T23:59"
del(.assignments[0].due)
.assignments[0].opens = 5
.assignments[0].late.grace_minutes = -1
.assignments[0].late.percent_per_day = 101
.assignments[0].late.days = 1.5
.assignments[0].late.hours = 1
.assignments[0].counts = "first"
.assignments[0].groups = []
.assignments[0].show.board = "sometimes"
.assignments[0].show.times = "never"
.assignments[0].problems = []
.assignments[0].problems[0].points = {}
.assignments[0].problems[0].points.accepted = -1
.assignments[0].problems[0].points.bonus = 1
.assignments[0].problems[0].points.cases[0].cases = []
del(.assignments[0].problems[0].points.cases[0].points)
.assignments[0].problems[0].points.speed.measure = "seconds"
.assignments[0].problems[0].points.speed.bands = []
.assignments[0].problems[0].points.speed.bands[0].at_least = -1
.assignments[0].problems[0].points.speed.bands[0].rung = "naive"
.assignments[1].problems[0].points.speed.bands[0].at_least = 1
del(.extensions[0].why)
.extensions[0].due = "tomorrow"
.extensions[0].person = ""
.groups[0].people = [{"id": "17"}]
.groups[0].people = [{"name": "ada", "nick": "a"}]
.groups[0].people = [{"name": "ada", "also": "Ada Lovelace"}]
.overrides = [{"person": "ada", "assignment": "week-1", "problem": "conv1d", "points": -1, "why": "x", "by": "grace"}]
.overrides = [{"person": "ada", "assignment": "week-1", "problem": "conv1d", "points": 1, "by": "grace"}]
.handed_out = "handout"
.earlier = [1]
END
    run jsonschema --output pretty "${arguments[@]}" "$root/docs/reference/class.schema.json" # once, since it takes a while to start
    for file in "${!programs[@]}"; do
        [[ $output == *"[ValidationError]===(broken-$file.json)"* ]] || { echo "the schema lets pass: ${programs[file]}"; return 1; }
    done
}

# ---- scores

# The state of a server that nobody has handed in to.
state() {
    mkdir state
    cat "$root"/leaderboard/{schema,case_times,boards,service,service_{2..6}}.sql | sqlite3 state/convjudge.db
}

@test "scores lists everybody of the groups, also where nothing was handed in" {
    example
    state
    judge scores --class class.json --state state
    ends 0
    [[ $output == $'ada: week-1 0 of 10, week-2 0 of 8\nbob: week-1 0 of 10, week-2 0 of 8\neve: week-1 0 of 10' ]]
}

@test "scores writes a table and JSON, the same each time" {
    example
    state
    judge scores --class class.json --state state --csv scores.csv --json scores.json
    ends 0 "eve: week-1 0 of 10"
    [[ $(wc -l <scores.csv) == 6 ]]
    python3 - <<'END'
import csv
rows = list(csv.DictReader(open("scores.csv", newline="")))
assert [(row["person"], row["assignment"]) for row in rows] == [("ada", "week-1"), ("ada", "week-2"), ("bob", "week-1"), ("bob", "week-2"), ("eve", "week-1")]
assert rows[0]["reason"] == "Nothing was submitted. The deadline was extended to 2026-11-16 23:59 by grace: ill."
assert rows[0]["most"] == "10" and rows[0]["final"] == "yes"
END
    json scores.json '[.people[0].assignments[0].extended_utc, .people[2].groups] | @csv' '"2026-11-16T22:59:00Z","tutorial 2"'
    judge scores --class class.json --state state --csv -
    ends 0
    diff scores.csv <(printf '%s\n' "$output")
}

# ---- a verdict of every case

# Wrong where the number of outputs is odd and not small.
wrong_for_some() {
    sed 's/output\[i\] = sum;/output[i] = output_size % 2 == 1 \&\& output_size > 9 ? sum + 1 : sum;/' "$root/solutions/conv1d/accepted/naive.cu" >some.cu
    ! cmp -s some.cu "$root/solutions/conv1d/accepted/naive.cu"
}

@test "grade --all-cases gives every case a verdict, and the result stays as it is without" {
    wrong_for_some
    local seed
    seed=$(printf '%064d' 7)
    judge grade --device sim --seed "$seed" --untimed --json plain.json some.cu
    ends 1
    judge grade --device sim --seed "$seed" --untimed --json result.json --all-cases all.json some.cu
    ends 1
    json all.json '[.schema, .problem, .verdict] | @csv' '1,"conv1d","Wrong Answer"'
    json all.json '[.cases[] | select(.verdict == "not run")] | length' 0
    json all.json '[.cases[] | select(.name == "1023 elements, two taps" or .name == "1024 elements, 32 taps") | .verdict] | @csv' '"Accepted","Wrong Answer"'
    json all.json '.cases[-1].hidden' true
    program='del(.seed, .time_utc, .seconds, .compile, .cases[].statistics)'
    diff <(jq "$program | [.verdict, .text, .warnings, .cases]" plain.json) <(jq "$program | [.verdict, .text, .warnings, .cases]" result.json)
    json result.json '[.cases[] | select(.verdict == "not run")] | length > 0' true
}

@test "all cases of a submission that crashes have a verdict of their own" {
    sed 's/output\[i\] = sum;/if (output_size == 4) __trap(); output[i] = sum;/' "$root/solutions/conv1d/accepted/naive.cu" >crash.cu
    judge grade --device sim --no-record --untimed --all-cases all.json crash.cu
    ends 1 "hidden cases        remaining cases, for partial points"
    json all.json '[.cases[] | select(.verdict != "Accepted") | .name] | @csv' '"the example of the statement"'
}

@test "what hangs twice is not tried again, and what does not compile was not run" {
    limited_home 's/"sim_warp_instructions": 1500000000/"sim_warp_instructions": 2000000/'
    judge grade --device sim --no-record --untimed --all-cases all.json "$root/solutions/conv1d/time_limit_exceeded/infinite_kernel.cu"
    ends 1
    json all.json '[.cases[] | select(.verdict == "Time Limit Exceeded")] | length' 2
    judge grade --device sim --no-record --all-cases all.json "$root/solutions/conv1d/compile_error/no_solve.cu"
    ends 1
    json all.json '([.cases[] | select(.verdict != "not run")] | length)' 0
}

@test "scores of a graded folder count groups of cases behind the first failure" {
    example
    wrong_for_some
    jq '.assignments |= map(select(.id == "week-1") | del(.opens) | .due = "2099-01-01T00:00") | del(.extensions)' class.json >week.json
    mkdir -p submissions/ada
    cp some.cu submissions/ada/conv1d.cu
    judge grade-class --dir submissions --class week.json --state "$PWD/state" --device sim
    ends 0
    judge scores --class week.json --state state --csv -
    ends 0 "0 of 3: odd sizes: '1025 elements, 33 taps' is Wrong Answer."
    jq '.assignments[0].problems[0].points.cases[1].cases = ["1023 elements, two taps"]' week.json >other.json
    judge scores --class other.json --state state
    ends 0 "ada: week-1 4 of 10"
}

@test "a submission tells its author no more of hidden cases where all of them are judged" {
    ALL_CASES=1 run timeout 600 "$root/tests/leaks.sh" "$build" 13 57 58
    ends 0 "ok 3"
}
