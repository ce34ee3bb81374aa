#!/usr/bin/env bats
# The leaderboard as a folder of pages.

# shellcheck disable=SC2034 # helper.bash reads it
any_compiler=1
load helper

# A board of three people, one of whom has a name that is markup.
setup_file() {
    export CONVJUDGE_DB=$BATS_FILE_TMPDIR/board.db TMPDIR=$BATS_FILE_TMPDIR
    light_home
    grade_as 'Ada' naive
    grade_as '<b>Grace</b> & co' shared_tile
    grade_as 'Alan' register_tile
}

grade_as() {
    "$build/convjudge" grade --device sim --as "$1" -- "$root/solutions/conv1d/accepted/$2.cu" >/dev/null
}

board() {
    export CONVJUDGE_DB=$BATS_FILE_TMPDIR/board.db
}

# Tags must nest, ids must differ, and links within the folder must lead somewhere; nothing may come from elsewhere.
check_pages() {
    python3 "$root/tests/check_html.py" "$@"
}

@test "a report has an index, a page for each problem and one for each run that ranks" {
    board
    judge report --out pages
    ends 0 "pages/index.html: $(($(find "$root"/problems/* -maxdepth 0 | wc -l) + 4)) pages"
    [[ -s pages/style.css && -s pages/problem-conv1d.html && -s pages/problem-blur-rgb.html ]]
    [[ -s pages/submission-1.html && -s pages/submission-2.html && -s pages/submission-3.html && ! -e pages/submission-4.html ]]
    file_has pages/index.html 'Ada'
    file_has pages/problem-conv1d.html '1D convolution'
    check_pages pages
}

@test "a report of one problem has no other" {
    board
    judge report --problem conv1d --out pages
    ends 0 'pages/index.html: 5 pages'
    equal problem-conv1d.html "$(cd pages && echo problem-*)"
}

@test "names are shown as they were recorded, as text" {
    board
    judge report --problem conv1d --out pages
    file_has pages/problem-conv1d.html '&lt;b&gt;Grace&lt;/b&gt; &amp; co'
    file_lacks pages/problem-conv1d.html '<b>Grace'
    file_has pages/submission-2.html 'by &lt;b&gt;Grace'
}

@test "sources are in a report only on request" {
    board
    judge report --problem conv1d --out pages
    file_lacks pages/submission-1.html '__global__'
    judge report --problem conv1d --out pages --sources
    file_has pages/submission-1.html '__global__'
    check_pages pages
}

@test "pages show the place of a run, its cases, and every plot's numbers" {
    board
    judge report --problem conv1d --out pages
    file_has pages/submission-1.html 'you are here'
    file_has pages/submission-1.html 'Hidden cases: [0-9]+ of [0-9]+ accepted'
    file_has pages/submission-1.html 'The roofline'
    file_has pages/submission-1.html 'Next to beat'
    equal "$(grep -c '<svg class="plot"' pages/submission-1.html)" "$(grep -c 'The numbers of this plot' pages/submission-1.html)"
}

@test "what a hidden case is about is on no page" {
    board
    judge report --out pages --sources
    while read -r why; do
        if grep -rqF -- "$why" pages; then echo "a page holds: $why"; return 1; fi
    done < <(jq -r '.cases[] | select(.timed | not) | .why, .name | select(length > 25)' "$light/hidden.json")
}

@test "a report without a database has the statements" {
    export CONVJUDGE_DB=$BATS_TEST_TMPDIR/none.db
    judge report --problem conv1d --out pages
    ends 0 'pages/index.html: 2 pages'
    file_has pages/problem-conv1d.html 'Nobody ranks yet'
    [[ ! -e $CONVJUDGE_DB ]]
}

@test "pages of a report look right in a browser, where there is one" {
    board
    command -v chromium >/dev/null || skip 'Chromium is not installed'
    judge report --problem conv1d --out pages --sources
    rm pages/submission-[23].html
    timeout 600 /usr/bin/python3 "$root/tests/pages.py" pages
}

@test "pages of a server look right in a browser, where there is one" {
    mkdir pages
    cp "$root/solutions/conv1d/accepted/naive.cu" .
    judge grade --device sim --json result.json naive.cu
    judge explain --device sim --json explain.json naive.cu
    "$build/tests/draw_pages" pages result.json explain.json naive.cu
    check_pages pages
    command -v chromium >/dev/null || skip 'Chromium is not installed'
    timeout 600 /usr/bin/python3 "$root/tests/pages.py" pages
}

@test "a wrong sample is drawn as pictures" {
    mkdir pages
    cp "$root/solutions/conv2d-same/wrong_answer/flipped_filter.cu" .
    judge grade --device sim --json result.json flipped_filter.cu
    ends 1 'Wrong Answer'
    json result.json '.cases[0].output | .type, (.shape | length), (.expected | length)' $'float\n2\n12'
    json result.json '[.cases[] | select(.output != null) | .name] | map(select(startswith("hidden"))) | length' 0
    "$build/tests/draw_pages" pages result.json '' flipped_filter.cu
    check_pages pages
    equal 4 "$(grep -o '<img src="data:image/png' pages/submission.html | head -4 | wc -l)"
}
