# shellcheck shell=bash
# Makes a home of the judge with fewer cases, for tests of engines, compilers and styles of code.
#
# Of the timed cases, which run without the sanitizer and often in translated code, only the smallest stays, with an eighth of
# its largest size: the others run the same code for more blocks. Where the score counts, all stay as they are.

# home_with_fewer_cases FOLDER samples|small|finding|timed|scored: makes the home in FOLDER from the checkout in the current
# folder, with the sample cases, with those untimed ones whose sizes multiply to two million at most, with a few that find all
# wrong solutions (tests/solutions.py), with the timed ones, or with the small ones and all timed ones.
home_with_fewer_cases() {
    local folder problem most=0 scored=false numbers=[]
    case $2 in
        small) most=2e6 ;;
        timed) scored=true ;;
        scored) most=2e6 scored=true ;;
    esac
    for folder in base grader harness leaderboard problems simgpu solutions; do ln -s "$PWD/$folder" "$1/$folder"; done
    for problem in testcases/*; do
        mkdir -p "$1/$problem"
        cp "$problem"/* "$1/$problem/"
        [[ $2 != finding ]] || numbers=$(tests/solutions.py cases-for "$(basename "$problem")")
        jq --argjson numbers "$numbers" '
            def product: .sizes | reduce (.[] | if type == "array" then last else . end) as $size (1; . * ([$size, 1] | max));
            (.cases | map(select(.timed)) | min_by(product).name) as $smallest
            | .cases |= [to_entries[] | .key as $place | .value
                | select(if .timed then '$scored' or .name == $smallest else product <= '$most' or any($numbers[]; . == $place + 1) end)
                | if .timed and ('$scored' | not) then (.sizes | to_entries | max_by(.value).key) as $largest | .sizes[$largest] |= (. / 8 | floor)
                  else . end]' \
            "$problem/hidden.json" >"$1/$problem/hidden.json"
    done
}
