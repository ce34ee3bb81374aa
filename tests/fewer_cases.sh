# shellcheck shell=bash
# Makes a home of the judge with fewer cases, for tests of engines, compilers and styles of code.
#
# Of the timed cases, which run without the sanitizer and often in translated code, only the smallest stays, with an eighth of
# its largest size: the others run the same code for more blocks. Where the score counts, all stay as they are.

# home_with_fewer_cases FOLDER samples|small|untimed|scored: makes the home in FOLDER from the checkout in the current folder,
# with the sample cases, with those untimed ones whose sizes multiply to two million at most, with all untimed cases, or with
# the small ones and all timed ones.
home_with_fewer_cases() {
    local folder problem most=0 scored=false
    case $2 in
        small) most=2e6 ;;
        scored) most=2e6 scored=true ;;
        untimed) most=infinite ;;
    esac
    for folder in base grader harness leaderboard problems simgpu solutions; do ln -s "$PWD/$folder" "$1/$folder"; done
    for problem in testcases/*; do
        mkdir -p "$1/$problem"
        cp "$problem"/* "$1/$problem/"
        jq '
            def product: .sizes | reduce (.[] | if type == "array" then last else . end) as $size (1; . * $size);
            (.cases | map(select(.timed)) | min_by(product).name) as $smallest
            | .cases |= map(select(if .timed then '$scored' or .name == $smallest else product <= '$most' end)
                | if .timed and ('$scored' | not) then (.sizes | to_entries | max_by(.value).key) as $largest | .sizes[$largest] |= (. / 8 | floor)
                  else . end)' \
            "$problem/hidden.json" >"$1/$problem/hidden.json"
    done
}
