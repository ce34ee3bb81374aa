# shellcheck shell=bash
# A home of the judge's without the hidden cases that are not timed: for tests of engines and compilers, not of cases.
# home_without_hidden_cases FOLDER: makes it there, of the checkout in the current folder.
home_without_hidden_cases() {
    local folder problem
    for folder in grader harness leaderboard problems simgpu solutions; do ln -s "$PWD/$folder" "$1/$folder"; done
    for problem in testcases/*; do
        mkdir -p "$1/$problem"
        cp "$problem/sample.json" "$1/$problem/"
        jq '.cases |= map(select(.timed))' "$problem/hidden.json" >"$1/$problem/hidden.json"
    done
}
