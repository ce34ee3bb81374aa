# shellcheck shell=bash
# Makes a home of the judge with fewer cases, for tests of engines, compilers and styles of code.
#
# Of the timed cases, which run without the sanitizer and often in translated code, only the smallest stays, with an eighth of
# its largest size: the others run the same code for more blocks. Where the score counts, all stay as they are.

# home_with_fewer_cases FOLDER samples|few|small|finding|timed|scored: makes the home in FOLDER from the checkout in the current
# folder. Its untimed cases are the samples and
#   small, scored   those whose sizes multiply to two million at most
#   finding         a few that find all wrong solutions (tests/solutions.py)
#   few             those that are both
# `timed` and `scored` have all timed cases.
home_with_fewer_cases() {
    local folder problem most=0 scored=false numbers=null
    case $2 in
        small | few) most=2e6 ;;
        finding) most=infinite ;;
        timed) scored=true ;;
        scored) most=2e6 scored=true ;;
    esac
    for folder in base grader harness leaderboard problems simgpu solutions; do ln -s "$PWD/$folder" "$1/$folder"; done
    for problem in testcases/*; do
        mkdir -p "$1/$problem"
        cp "$problem"/* "$1/$problem/"
        if [[ $2 == few || $2 == finding ]]; then numbers=$(tests/solutions.py cases-for "$(basename "$problem")"); fi
        jq --argjson numbers "$numbers" '
            def product: .sizes | reduce (.[] | if type == "array" then last else . end) as $size (1; . * ([$size, 1] | max));
            (.cases | map(select(.timed)) | min_by(product).name) as $smallest
            | .cases |= [to_entries[] | (.key + 1) as $number | .value
                | select(if .timed then '$scored' or .name == $smallest
                    else product <= '$most' and ($numbers == null or any($numbers[]; . == $number)) end)
                | if .timed and ('$scored' | not) then (.sizes | to_entries | max_by(.value).key) as $largest | .sizes[$largest] |= (. / 8 | floor)
                  else . end]' \
            "$problem/hidden.json" >"$1/$problem/hidden.json"
    done
}
