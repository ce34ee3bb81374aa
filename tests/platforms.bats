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
    json results.json '.output | startswith("The judge failed, not your file: "), endswith("There is no score; hand it in again later.")' $'true\ntrue'
}

@test "a place where the other system's file cannot be written is refused before the grading" {
    submission >mine.cu
    judge grade --gradescope "" mine.cu
    ends 2 "--gradescope: expected the name of a file, found ''"
    judge grade --junit - mine.cu
    ends 2 "--junit: expected the name of a file, found '-'"
    judge grade --junit mine.cu mine.cu
    ends 2 "mine.cu: the submission itself, expected a place for the result"
    judge grade --gradescope nowhere/results.json mine.cu
    ends 2 "nowhere/results.json: the result cannot be written there"
    rows 0
}
