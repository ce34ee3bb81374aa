#!/usr/bin/env bats
# What other systems take from the judge: Gradescope's results.json, JUnit XML, the kits and the workflow.

bats_require_minimum_version 1.5.0
load helper
load service

# xml FILE XPATH EXPECTED: the number of elements of a path, of a document that a parser takes.
xml() {
    equal "$3" "$(python3 -c 'import sys, xml.etree.ElementTree as tree
print(len(tree.parse(sys.argv[1]).getroot().findall(sys.argv[2])))' "$1" "$2")"
}

@test "a grading is written for Gradescope and as JUnit XML" {
    submission >mine.cu
    judge grade --device sim --gradescope results.json --junit report.xml --json result.json mine.cu
    ends 0 "Accepted  mine.cu"
    json results.json '.tests[0] | .name, .score, .max_score, .visibility' $'Accepted\n1\n1\nvisible'
    json results.json '.tests[0].output | startswith("Accepted  mine.cu, problem conv1d") and contains("reference solutions")' true
    json results.json '[.tests[] | select(.name | startswith("sample: ")) | .visibility] | unique[]' visible
    json results.json '[.tests[] | select(.name | startswith("hidden ")) | .visibility] | unique[]' hidden
    json results.json '[.tests[] | keys[]] | unique | join(" ")' "max_score name number output score status visibility"
    json results.json '[.leaderboard[].name] | join(", ")' "Time (us, modelled), Percentile among reference solutions"
    equal true "$(jq -s '.[0].score_ms * 1000 / .[1].leaderboard[0].value | . > 0.999 and . < 1.001' result.json results.json)"
    equal "$(jq '.cases | length' result.json)" "$(jq '.tests | length - 1' results.json)"
    xml report.xml ".//testcase" "$(jq '.cases | length + 1' result.json)"
    xml report.xml ".//failure" 0
    json results.json '.output' "Accepted. The report stands in test 1."
    judge grade --device sim --as Ada --gradescope results.json mine.cu
    json results.json '.leaderboard[2].name' "Percentile in the class"

    submission '' 'if (i == 1024) return;' >wrong.cu
    judge grade --device sim --gradescope results.json --junit report.xml --json result.json wrong.cu
    ends 1 "Wrong Answer"
    json results.json '.tests[0] | .name, .status, .score' $'Wrong Answer\nfailed\n0'
    json results.json '.leaderboard' null
    # Nothing about hidden cases that result.json does not tell.
    equal "$(jq -r '.cases[] | select(.name | startswith("hidden ")) | select(.verdict != "not run") | .text // empty' result.json)" \
        "$(jq -r '.tests[] | select(.name | startswith("hidden ")) | .output // empty' results.json)"
    equal "$(jq '[.cases[] | select(.verdict | IN("not run", "Accepted") | not)] | length' result.json)" \
        "$(python3 -c 'import xml.etree.ElementTree as tree; print(tree.parse("report.xml").getroot()[0].get("failures"))')"
}

@test "whatever goes wrong, the other system finds a file, and no score for what is not the student's fault" {
    echo 'extern "C" void solve() { nonsense }' >broken.cu
    judge grade --device sim --problem conv1d --gradescope results.json --junit report.xml broken.cu
    ends 1 "Compile Error"
    json results.json '.tests | length, (.[0] | .name, .score, (.output | contains("nonsense")))' $'1\nCompile Error\n0\ntrue'
    xml report.xml ".//failure[@type='Compile Error']" 1

    submission 'cudaIpcMemHandle_t handle; if (cudaIpcGetMemHandle(&handle, nullptr) != cudaSuccess) return;' >lacking.cu
    judge grade --device sim --gradescope results.json --junit report.xml lacking.cu
    ends 2 "Judge Error"
    json results.json '[.. | objects | has("score")] | any' false
    json results.json '.output' "Judge Error: the judge failed, not your file. There is no score."
    xml report.xml ".//error" 1

    judge grade --device sim --gradescope results.json --junit report.xml nothing.cu
    ends 2 "nothing.cu: no such file"
    json results.json '.output' "Your file could not be graded: nothing.cu: no such file. There is no score."
    xml report.xml ".//error[@type='not graded']" 1
    submission >mine.cu
    CONVJUDGE_DB=/dev/null/nowhere judge grade --device sim --gradescope results.json mine.cu
    ends 2 "/dev/null/nowhere"
    json results.json '.output | startswith("The judge failed, not your file: "), endswith("There is no score; submit it again later.")' $'true\ntrue'
}

# served [SETTINGS]: starts a server, with a temporary folder of its own, and lets the commands find it.
served() {
    export HOME=$BATS_TEST_TMPDIR
    serve "${1:-{\"workers\": [\"sim\"]\}}"
}

# autograder [EMAIL [ID]]: the folders that Gradescope makes, in autograder/.
autograder() {
    mkdir -p autograder/submission autograder/results
    jq -n --arg email "${1:-ada@example.org}" --argjson id "${2:-123456}" '{id: $id, created_at: "2026-11-02T14:22:32.365935-07:00",
        assignment: {due_date: "2026-11-09T23:59:00.000000-08:00", group_size: null, group_submission: false, id: 25828, course_id: 1234,
            late_due_date: null, title: "Week 1", total_points: "20.0"}, submission_method: "upload",
        users: [{email: $email, id: 1234, name: "Ada Lovelace"}],
        previous_submissions: [{submission_time: "2026-11-01T14:24:48.087023-07:00", score: 0.0, results: {}}]}' \
        >autograder/submission_metadata.json
}

# outcome PROGRAM EXPECTED: jq prints this text for the results of the autograder.
outcome() { json autograder/results/results.json "$1" "$2"; }

@test "an autograder of Gradescope hands in for the student, and the same submission twice counts once" {
    served
    CONVJUDGE_TOKEN=$(token_to_hand_in gradescope)
    export CONVJUDGE_TOKEN CONVJUDGE_SERVER=http://$address
    autograder
    submission >autograder/submission/mine.cu
    echo "my thoughts" >autograder/submission/README.md
    judge gradescope autograder
    ends 0 "submission 1: " "Accepted  mine.cu"
    outcome '.tests[0] | .name, .score, (.output | startswith("Accepted  mine.cu"))' $'Accepted\n1\ntrue'
    outcome '.output' "Accepted. The report stands in test 1. Submission 1 at http://$address."
    outcome '[.leaderboard[].order] | join(" ")' "asc desc"
    equal "1|ada@example.org|gradescope123456" "$(in_store 'SELECT submission.id, name, key FROM submission JOIN person ON person.id = person')"
    equal "gradescope|hand in|mine.cu for ada@example.org, key gradescope123456" \
        "$(in_store "SELECT person, action, object FROM audit WHERE action = 'hand in'")"
    # Run again, as Gradescope does when a teacher asks for it: the verdict comes from the server.
    rm autograder/results/results.json
    judge gradescope autograder
    ends 0 "submission 1: judged"
    outcome '.tests[0].score' 1
    equal 1 "$(in_store 'SELECT count(*) FROM submission')"

    autograder bob@example.org 7
    echo 'extern "C" void solve() { nonsense }' >autograder/submission/mine.cu
    judge gradescope --problem conv1d --person login autograder
    ends 1 "Compile Error"
    outcome '.tests[0] | .name, .score, (.output | contains("nonsense"))' $'Compile Error\n0\ntrue'
    equal bob "$(in_store 'SELECT name FROM submission JOIN person ON person.id = person WHERE submission.id = 2')"

    # The other view, by somebody of his own.
    unset CONVJUDGE_TOKEN
    export CONVJUDGE_SERVER=$socket
    submission '' 'input_size--;' >wrong.cu
    judge submit --wait --junit report.xml --gradescope results.json wrong.cu
    ends 1 "Wrong Answer"
    xml report.xml ".//failure[@type='Wrong Answer']" "$(jq '[.tests[1:][] | select(.status == "failed")] | length' results.json)"
}

@test "an autograder of Gradescope writes results whatever happens" {
    served '{"workers": []}'
    autograder
    judge gradescope autograder
    ends 2 "expected one file that ends in .cu, found 0"
    outcome '.output' "Your file could not be graded: expected one file that ends in .cu, found 0. There is no score."
    submission >autograder/submission/mine.cu
    export CONVJUDGE_SERVER=http://127.0.0.1:1 CONVJUDGE_TOKEN=nonsense
    judge gradescope autograder
    ends 2 "no server at http://127.0.0.1:1 "
    outcome '.output | startswith("The judge failed, not your file: no server at http://127.0.0.1:1 ")' true
    CONVJUDGE_SERVER=http://$address judge gradescope autograder
    ends 2 "(status 401)"
    outcome '[.. | objects | has("score")] | any' false
    CONVJUDGE_TOKEN=$(token ada) CONVJUDGE_SERVER=http://$address judge gradescope autograder
    ends 2 "this is for teachers (status 403)"
    outcome '.output | startswith("The judge failed, not your file: ")' true
    CONVJUDGE_TOKEN=$(token_to_hand_in gradescope)
    export CONVJUDGE_TOKEN CONVJUDGE_SERVER=http://$address
    mv autograder/submission/mine.cu .
    echo "// nothing" >autograder/submission/mine.cu
    judge gradescope autograder
    ends 2 "(status 400)"
    outcome '.output | startswith("Your file could not be graded: ")' true
    mv mine.cu autograder/submission
    jq 'del(.users[0].email)' autograder/submission_metadata.json >other && mv other autograder/submission_metadata.json
    judge gradescope autograder
    ends 2 'expected "users", each with "email"'
    outcome '.tests[0].name' "Not graded"

    # Nobody judges: told to end, as by the end of its time, it says where the submission stands.
    autograder
    "$build/convjudge" gradescope --minutes 9 autograder >out 2>err 3>&- &
    local client=$!
    wait_until grep -q waiting err
    kill -ALRM "$client"
    wait "$client" || true
    outcome '.output | startswith("Your file is submitted and counts, but it is not judged yet: ")' true
    outcome '.output | contains("interrupted; submission 1 is kept: `convjudge show 1` shows it; last seen: next")' true
    outcome '.output | contains(". There is no score yet. Look there later, or ask your teacher to run this autograder again.")' true
    outcome '.output | endswith("Submission 1 at http://'"$address"'.")' true
    outcome '[.. | objects | has("score")] | any' false
    "$build/convjudge" gradescope autograder >out 2>err 3>&- &
    client=$!
    wait_until grep -q waiting err
    as "$(token ada@example.org)" DELETE /api/v1/submissions/1
    wait "$client" || true
    outcome '.output | startswith("withdrawn before it was judged")' true
}

@test "an autograder of Gradescope needs the folder of a submission" {
    mkdir -p autograder/results
    judge gradescope --server http://127.0.0.1:1 autograder
    ends 2 "autograder/submission: cannot be listed"
}

# bare_root: a root in root/ with nothing but a shell and what the kit's scripts call.
bare_root() {
    local tool library
    mkdir -p root/{bin,lib,lib64,autograder,proc,dev,tmp}
    for tool in sh cat sed mkdir dirname grep; do
        cp -L "$(type -P "$tool")" root/bin/
        ldd "$(type -P "$tool")" | grep -o '/[^ ]*' | while read -r library; do
            mkdir -p "root$(dirname "$library")"
            cp -L "$library" "root$library"
        done
    done
}

# in_bare_root COMMAND...: runs it where Gradescope's folder is the only one that is not empty. A server of this host can be reached.
in_bare_root() {
    run timeout 600 bwrap --ro-bind root / --bind autograder /autograder --proc /proc --dev /dev --clearenv --setenv PATH /bin --chdir /autograder "$@"
}

@test "a kit for Gradescope works in a root that holds a shell and nothing else" {
    served
    SERVER=http://$address TOKEN=$(token_to_hand_in gradescope) PROBLEM=conv1d MINUTES=2 \
        "$root/service/commands/kit.sh" "$build" kit.zip
    equal 600 "$(stat -c %a kit.zip)"
    bare_root
    autograder
    python3 -m zipfile -e kit.zip autograder/source
    chmod +x autograder/source/{setup.sh,run_autograder,client} autograder/source/lib/{loader,convjudge-service} # which zipfile forgets
    cp autograder/source/run_autograder autograder/
    submission >autograder/submission/mine.cu
    in_bare_root sh source/setup.sh
    ends 0 "convjudge "
    in_bare_root ./run_autograder
    ends 0 "submission 1: " "Accepted  mine.cu"
    outcome '.tests[0] | .name, .score' $'Accepted\n1'
    equal ada@example.org "$(in_store 'SELECT name FROM submission JOIN person ON person.id = person')"
    # Where not even the client starts, there are results.
    rm autograder/source/lib/libcurl*
    in_bare_root ./run_autograder
    ends 0
    outcome '.tests[0].name, (.output | contains("please tell your teacher"))' $'Not graded\ntrue'
}

@test "a kit for Gradescope is not made of what cannot work" {
    local secret
    secret=$(printf 'a%.0s' {1..64})
    kit() { run env "$@" "$root/service/commands/kit.sh" "$build" kit.zip; }
    kit TOKEN="$secret"
    ends 2 "gradescope-kit: SERVER: expected the address of the server, https://judge.example.org, found ''"
    kit SERVER=https://judge.example.org TOKEN=secret
    ends 2 "gradescope-kit: TOKEN: expected a token that submits for others"
    lacks secret
    kit SERVER=https://judge.example.org TOKEN="$secret" MINUTES=40
    ends 2 "gradescope-kit: MINUTES: expected 1 to 39"
    kit SERVER=https://judge.example.org TOKEN="$secret" PERSON=number
    ends 2 "gradescope-kit: PERSON: expected email, login or name, found 'number'"
    kit SERVER=https://judge.example.org TOKEN="$secret" PROBLEM=conv
    ends 2 "gradescope-kit: PROBLEM: there is no problem 'conv'"
    kit SERVER=https://judge.example.org TOKEN="$secret" PROBLEM=$'a\nb'
    ends 2 "gradescope-kit: PROBLEM: expected one line"
    local class=$root/examples/first-week/class.json
    for_class() { run env SERVER=https://judge.example.org TOKEN="$secret" "$@" "$root/service/commands/kit.sh" "$build" kit.zip "$class"; }
    for_class
    ends 2 "gradescope-kit: PROBLEM: expected one of conv1d, conv1d-constant, conv2d: $class has several"
    for_class PROBLEM=conv3d
    ends 2 "gradescope-kit: PROBLEM: $class has no problem 'conv3d'"
    absent kit.zip
    for_class PROBLEM=conv1d-constant
    ends 0 'set "Autograder points" of the assignment at Gradescope to 10'
    python3 -m zipfile -e kit.zip packed
    file_has packed/settings '^problem=conv1d-constant$'
    absent packed/class.json
}

# ---- the workflow for GitHub, and the assignment to take

# workflow_steps: writes the shell steps of the workflow to steps/1.sh and so on, as GitHub runs them, and checks what it takes for granted.
workflow_steps() {
    mkdir steps
    python3 - "$1" <<'END'
import sys, yaml
workflow = yaml.safe_load(open(sys.argv[1]))
# GitHub Classroom takes points from no other names. (A bare "on" is true in YAML 1.1.)
assert workflow["name"] == "Autograding Tests" and list(workflow["jobs"]) == ["run-autograding-tests"]
assert "push" in workflow.get("on", workflow.get(True))
job = workflow["jobs"]["run-autograding-tests"]
assert job["runs-on"] == "ubuntu-latest"
assert [step["uses"] for step in job["steps"] if "uses" in step] == ["actions/checkout@v4", "actions/cache@v4", "actions/upload-artifact@v4"]
assert job["steps"][-1]["if"] == "always()"
for number, step in enumerate((step for step in job["steps"] if "run" in step), 1):
    begin = "set -eo pipefail\n" if step.get("shell") == "bash" else "set -e\n"
    open(f"steps/{number}.sh", "w").write(begin + step["run"])
END
}

@test "a kit of a class grades its problems by the workflow, and holds nothing else" {
    local number result=0 week=$root/examples/first-week
    "$root/grader/commands/student_kit.sh" kit.tar.gz "$week/class.json"
    tar -xzf kit.tar.gz
    equal "conv1d conv1d-constant conv2d" "$(cd convjudge/problems && echo *)"
    equal "conv1d conv1d-constant conv2d" "$(cd convjudge/testcases && echo *)"
    equal "conv1d-constant.cu conv1d.cu conv2d.cu" "$(cd convjudge/work && echo *)"
    diff -r "$week/handout" convjudge/handout
    equal 0 "$(jq -s '[.[].cases[] | select(.timed | not)] | length' convjudge/testcases/*/hidden.json)"
    run find convjudge -name class.json -o -name 'what-to-expect*' -o -path '*/grader/*/tests' -o -path convjudge/solutions
    equal "" "$output"

    # What GitHub's machine has: the compiler from the cache, and here the objects of this checkout, to save time.
    (cd "$build" && find base simgpu harness leaderboard grader service pic -name '*.[od]' -print0 | tar -c --null -T -) >objects.tar
    mkdir convjudge/build bin
    tar -xf objects.tar -C convjudge/build
    [[ ! -e $root/build/toolchain ]] || ln -s "$root/build/toolchain" convjudge/build/toolchain
    printf '#!/bin/sh\necho "$@" >>"%s/sudo.log"\ncase $1 in sysctl) ;; *) exec "$@" ;; esac\n' "$PWD" >bin/sudo
    chmod +x bin/sudo
    submission >convjudge/work/conv1d.cu
    workflow_steps convjudge/.github/workflows/classroom.yml
    unset CONVJUDGE_HOME
    for number in 1 2 3 4; do
        (cd convjudge && PATH=$OLDPWD/bin:$PATH GITHUB_STEP_SUMMARY=$OLDPWD/summary timeout 600 bash "../steps/$number.sh") >"out.$number" || result=$?
        equal "$([[ $number == 4 ]] && echo 1 || echo 0)" "$result" || { cat "out.$number"; return 1; }
    done
    absent steps/5.sh
    equal "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0" "$(head -n 1 sudo.log)"
    output=$(<out.4) status=0
    ends 0 "::notice title=Autograding complete::Points 1/3" '::notice title=Autograding report::{"totalPoints":1,"maxPoints":3}' \
        "not ranked: "
    xml convjudge/reports/conv1d.xml ".//failure" 0
    xml convjudge/reports/conv2d.xml ".//failure[@type='Wrong Answer']" 4
    file_has summary "^    Accepted  conv1d.cu"
    rm -rf convjudge
}

@test "a kit is not made of a class.json that is wrong" {
    echo '{"schema": 1}' >class.json
    run "$root/grader/commands/student_kit.sh" kit.tar.gz class.json
    ends 2 "student-kit: "
    echo '{"assignments": []}' >class.json
    run "$root/grader/commands/student_kit.sh" kit.tar.gz class.json
    ends 2 "student-kit: $PWD/class.json names no problems"
    absent kit.tar.gz
}

@test "the assignment to take can be given as it is, and its pages say what is so" {
    local week=$root/examples/first-week name
    unset CONVJUDGE_HOME
    judge check-class "$week/class.json"
    ends 0 "at most 30 points" "conv1d                   at most 8" "conv1d-constant          at most 10" "conv2d                   at most 12"
    # Each file that the teacher's page speaks of exists, and each figure is the one that is stored.
    grep -o 'solutions/[a-z0-9_/-]*\.cu' "$week/what-to-expect.md" | sort -u >files
    holds "$(wc -l <files) > 15"
    while read -r name; do [[ -e $root/$name ]] || { echo "there is no $name"; return 1; }; done <files
    python3 - "$root" <<'END'
import json, re, sys
root = sys.argv[1]
stored = {}
for device in ("sim-h200", "nvidia-h200"):
    for problem in json.load(open(f"{root}/leaderboard/references/{device}.json"))["problems"]:
        for reference in problem["references"]:
            stored[problem["problem"], reference["name"], device] = 1e3 * reference["score_ms"]
rows = re.findall(r"^\| `([a-z0-9-]+)` \| `([a-z0-9_]+)` \| ([0-9.]+) \| ([0-9.]+) \|", open(f"{root}/examples/first-week/what-to-expect.md").read(), re.M)
week = {problem for problem, _, _, _ in rows}
assert {(problem, name + ".cu") for problem, name, _, _ in rows} == {key[:2] for key in stored if key[0] in week}, rows
for problem, name, modelled, measured in rows:
    for device, shown in (("sim-h200", modelled), ("nvidia-h200", measured)):
        time = stored[problem, name + ".cu", device]
        assert abs(float(shown) / time - 1) < 0.01, f"{problem} {name} {device}: {shown} us shown, {time} us stored"
points = json.load(open(f"{root}/examples/first-week/class.json"))["assignments"][0]["problems"]
handout = open(f"{root}/examples/first-week/handout/handout.md").read()
for problem in points:
    for band in problem["points"]["speed"]["bands"]:
        assert re.search(rf"{band['points']} for[^;.]*`{band['rung']}`", handout), band
END
}

# a_class SHOW: a class.json of one week, which shows points as SHOW says.
a_class() {
    jq -n --arg show "$1" '{schema: 1, zone: "UTC", assignments: [{id: "week-1", due: "2099-11-09T23:59", show: {points: $show},
        problems: [{problem: "conv1d", points: {accepted: 3, cases: [{name: "samples", cases: ["samples"], points: 1},
            {name: "one more", cases: ["one more than a block"], points: 2.5}],
            speed: {measure: "percentile", bands: [{at_least: 1, points: 1}, {at_least: 100, points: 9}]}}}]}]}' >"$BATS_TEST_TMPDIR/class.json"
}

# read_anew: the server has read its class once more than $before says.
read_anew() { holds "$(grep -c event=class_re "$BATS_TEST_TMPDIR/server.log") > $before" >/dev/null; }

@test "a grading on this machine takes points from a class.json, too" {
    a_class never
    submission '' 'if (i == 256) return;' >wrong.cu
    judge grade --device sim --gradescope results.json --class "$BATS_TEST_TMPDIR/class.json" wrong.cu
    ends 1 "Wrong Answer"
    json results.json '[.tests[] | select(.max_score) | "\(.name) \(.score)/\(.max_score) \(.visibility)"] | join(", ")' \
        "accepted 0/3 after_published, samples 1/1 after_published, one more 0/2.5 after_published, speed 0/9 after_published"
    jq '.assignments[0].problems[0].problem = "conv2d" | .assignments[0].problems[0].points = {accepted: 1}' "$BATS_TEST_TMPDIR/class.json" >class.json
    judge grade --device sim --gradescope results.json --class class.json wrong.cu
    ends 2 "class.json: no assignment has the problem conv1d"
}

@test "where the server has a class, its points are Gradescope's" {
    local before
    a_class always
    served "{\"workers\": [\"sim\"], \"class\": \"$BATS_TEST_TMPDIR/class.json\"}"
    CONVJUDGE_TOKEN=$(token_to_hand_in gradescope)
    export CONVJUDGE_TOKEN CONVJUDGE_SERVER=http://$address
    autograder
    submission >autograder/submission/mine.cu
    judge gradescope autograder
    ends 0
    outcome '[.tests[] | select(.max_score) | "\(.number) \(.name) \(.score)/\(.max_score) \(.visibility)"] | join(", ")' \
        "2.1 accepted 3/3 visible, 2.2 samples 1/1 visible, 2.3 one more 2.5/2.5 visible, 2.4 speed 1/9 visible"
    outcome '.score' null
    before=$(grep -c event=class_re "$BATS_TEST_TMPDIR/server.log" || true)
    a_class closed
    kill -HUP "$server"
    wait_until read_anew
    autograder bob@example.org 8
    submission '' 'if (i == 256) return;' >autograder/submission/mine.cu
    judge gradescope autograder
    ends 1 "Wrong Answer"
    outcome '[.tests[] | select(.max_score) | "\(.name) \(.score) \(.visibility)"] | join(", ")' \
        "accepted 0 after_published, samples 1 after_published, one more 0 after_published, speed 0 after_published"
    # What points say to students names no hidden case.
    outcome '[.tests[] | select(.visibility != "hidden") | .output] | join(" ") | contains("one more than a block")' false
    as "$(token bob@example.org)" GET /api/v1/submissions/2/points
    equal 403 "$status"
    as "$CONVJUDGE_TOKEN" GET /api/v1/submissions/2/points
    equal false "$(jq .shown <<<"$output")"
    judge submit --wait --mode test --as bob@example.org --gradescope results.json autograder/submission/mine.cu
    json results.json '[.tests[] | select(.max_score) | .name] | join(", ")' "Wrong Answer"
    as "$CONVJUDGE_TOKEN" GET /api/v1/submissions/3/points
    equal 404 "$status"
    equal "submission 3 counts for nothing: it was not for the ranking" "$(jq -r .error <<<"$output")"
    as "$CONVJUDGE_TOKEN" POST /api/v1/people/bob@example.org/submissions -d "$(request other '.problem = "conv1d-constant"')"
    equal "400 no assignment of the class has the problem 'conv1d-constant'" "$status $(jq -r .error <<<"$output")"
}

# Debian's and Ubuntu's own package, and NVIDIA's beside another version.
@test "nvcc of CUDA 11 and 12 gives the verdicts of CUDA 13" {
    local nvcc found=()
    for nvcc in /usr/lib/nvidia-cuda-toolkit/bin/nvcc /usr/local/cuda-1[12]*/bin/nvcc; do
        [[ ! -x $nvcc ]] || ! CONVJUDGE_NVCC=$nvcc "$root/harness/compilers.sh" nvcc || found+=("$nvcc")
    done
    [[ ${#found[@]} != 0 ]] || skip "no nvcc of CUDA 11 or 12 that works is in /usr/lib/nvidia-cuda-toolkit or /usr/local"
    submission 'cudaDeviceProp is; long after = 7; cudaGetDeviceProperties(&is, 0);
        if (after != 7 || is.major != 9 || is.warpSize != 32 || is.sharedMemPerBlockOptin != 232448) return;' >right.cu
    submission '' 'if (i == 1024) return;' >wrong.cu
    for nvcc in "${found[@]}"; do
        export CONVJUDGE_NVCC=$nvcc
        judge grade --device sim --no-record --json result.json right.cu
        ends 0 "Accepted  right.cu"
        json result.json '.toolkit, (.compile.kernels[0].registers > 0)' "nvcc $("$nvcc" --version | sed -n 's/.*, V//p')"$'\ntrue'
        judge grade --device sim --no-record wrong.cu
        ends 1 "Wrong Answer"
        judge check --device sim "$root"/solutions/{blur-rgb/accepted/textures,conv-layer/accepted/tensor_cores}.cu \
            "$root"/solutions/conv2d-constant/accepted/patch_in_registers.cu
        ends 0
        counts 3 "^ok "
    done
}
