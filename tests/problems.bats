#!/usr/bin/env bats
# What an instructor does: make a problem, check it, publish its formats, pack a kit for students.

bats_require_minimum_version 1.5.0
load helper

# new_home: a home of the judge with one new problem, my-conv, and nothing else. Its longest input has two million elements, not
# 33, since each solution and each mutant is judged with it; the grid of the solution that caps its grid has to be smaller, too.
new_home() {
    export CONVJUDGE_HOME=$BATS_TEST_TMPDIR/home
    mkdir -p "$CONVJUDGE_HOME/problems"
    local folder
    for folder in base grader harness simgpu leaderboard; do ln -s "$root/$folder" "$CONVJUDGE_HOME/$folder"; done
    "$root/grader/commands/new_problem.sh" my-conv
    problem=$CONVJUDGE_HOME/problems/my-conv
    testcases=$CONVJUDGE_HOME/testcases/my-conv
    solutions=$CONVJUDGE_HOME/solutions/my-conv
    edit "$testcases/hidden.json" '(.cases[] | select(.timed)) |= (.name = "a million, timed" | .sizes.length = 1000000)
        | (.cases[] | select(.sizes.length > 2000000)).sizes.length = 2000000'
    edit "$problem/problem.json" '(.parameters[] | select(.max)).max = 2000000'
    sed -i 's/1 to 33,554,432/1 to 2,000,000/' "$problem/statement.md"
    sed -i 's/, 65535)/, 4096)/' "$solutions/wrong_answer/grid_of_65535_blocks.patch"
}

# edit FILE PROGRAM: edits a JSON file in place with jq; fails if nothing changes.
edit() {
    jq "$2" "$1" >edited.json
    cmp -s edited.json <(jq . "$1") && { echo "changes nothing: $2"; return 1; }
    mv edited.json "$1"
}

# valid SCHEMA FILE...: the files fit the published schema.
valid() {
    needs jsonschema
    local arguments=() file
    for file in "${@:2}"; do arguments+=(-i "$file"); done
    run jsonschema --output pretty "${arguments[@]}" "$root/docs/reference/$1.schema.json"
}

# ---- new-problem and check-problem
# ---------------------------------------------------------------------------------------

@test "a problem without timed cases has none to explain, and no times" {
    new_home
    jq '.cases |= map(select(.timed | not))' "$testcases/hidden.json" >cases.json
    mv cases.json "$testcases/hidden.json"
    judge explain --problem my-conv "$problem/starter.cu"
    ends 2 "problem my-conv has no timed case, so there is nothing to run"
    judge explain --problem my-conv --case 1 "$problem/starter.cu"
    ends 2 "convjudge: --case 1: problem my-conv has no timed case"
    judge roofline --problem my-conv --device sim
    ends 1 "no times of naive.cu: it has no time on this device"
}

@test "each statement lists the sizes that are timed, in their order" {
    local folder sizes
    for folder in "$root"/problems/* "$root/grader/commands/template/problem"; do
        sizes=$root/testcases/${folder##*/}/hidden.json
        [[ -e $sizes ]] || sizes=$root/grader/commands/template/testcases/hidden.json
        equal "${folder##*/}: $(jq -r '.cases[] | select(.timed) | .sizes | map(tostring) | join(" ")' "$sizes")" \
            "${folder##*/}: $(sed -n '/^## How fast/,$s/^| \([0-9][^|]*\) |.*/\1/p' "$folder/statement.md" | tr -d , | sed 's/[^0-9]\+/ /g')"
    done
}

@test "new-problem does not overwrite a problem and refuses a bad id" {
    new_home
    local id
    run "$root/grader/commands/new_problem.sh" my-conv
    ends 2
    equal "new-problem: problems/my-conv exists already" "$output"
    for id in '' My-Conv ../x 'a b' -x; do
        run "$root/grader/commands/new_problem.sh" "$id"
        ends 2
        has_lines "new-problem: '$id' is not an id"
    done
    equal my-conv "$(ls "$CONVJUDGE_HOME/problems")"
}

@test "check-problem names what statement or cases lack" {
    missing_after() { # MESSAGE COMMAND...: break a fresh copy, and be told so
        rm -rf "${BATS_TEST_TMPDIR:?}/home"
        new_home >/dev/null
        "${@:2}"
        judge check-problem --problem my-conv --only cases
        ends 1 "# missing: " "$1"
        counts 9 '^(not )?ok'
    }
    statement() { sed -i "$1" "$problem/statement.md"; }
    hidden() { edit "$testcases/hidden.json" "$1"; }
    sample() { edit "$testcases/sample.json" "$1"; }
    missing_after 'the signature is missing' statement 's/int length)$/int size)/'
    missing_after '/statement.md: the section "## When it is right" is missing' statement 's/^## When it is right/## When/'
    missing_after 'the section "## Arithmetic intensity" is missing' statement 's/^## Arithmetic intensity/## Intensity/'
    missing_after '/statement.md: the limit of length is missing: 2,000,000' statement 's/2,000,000/many/'
    missing_after 'no hidden case' hidden '.cases |= map(select(.timed))'
    missing_after 'no timed case' hidden '.cases |= map(select(.timed | not))'
    missing_after 'no hidden case with "addresses": "repeat" has the sizes of the one before it and other data' \
        hidden 'del(.cases[].addresses)'
    missing_after 'no hidden or timed case has the least length, 1' hidden 'del(.cases[0])'
    missing_after 'no hidden or timed case has the largest length, 2000000' hidden 'del(.cases[9])'
    missing_after 'the first case, the statement'"'"'s example, must be literal: numbers for "expected"' sample 'del(.cases[0].expected)'
    missing_after 'must be literal: numbers for filter' sample \
        '.cases[0].inputs.filter = {"generator": "uniform", "seed": 1}'
    missing_after 'element 2 of "expected" is 9, but oracle.h says -6' sample '.cases[0].expected[2] = 9'
    missing_after 'the example does not show -6, element 2 of "expected"' statement 's/= -6$/= ?/'
    missing_after 'naive.cu: the comment at the top does not state the arithmetic intensity' \
        sed -i '/Intensity/d' "$solutions/accepted/naive.cu"
    missing_after 'flipped_filter.patch: the comment at the top does not name the mistake' \
        sed -i '/Mistake/d' "$solutions/wrong_answer/flipped_filter.patch"
    missing_after 'in double and' \
        sed -i 's/c->filter\[k\])/c->filter[k] * (sizeof(Real) == 16 ? 1.000000001 : 1))/' "$problem/oracle.h"
}

@test "check-problem names a starter that is right and a solution with another verdict than it claims" {
    new_home
    cp "$solutions/accepted/naive.cu" "$problem/starter.cu"
    judge check-problem --problem my-conv
    ends 1 "expected Wrong Answer, got Accepted"
    has_lines "not ok 10 - starter.cu"
    cp "$root/grader/commands/template/problem/starter.cu" "$problem/starter.cu"
    sed -i 's/output\[i\] = sum/output[i] = 0/' "$solutions/accepted/naive.cu"
    judge check-problem --problem my-conv
    ends 1 "expected Accepted, got Wrong Answer"
    has_lines "ok 10 - starter.cu" "not ok 11 - solutions/my-conv/accepted/naive.cu"
}

@test "check-problem shows what the compiler says about a starter or a solution that it refuses" {
    new_home
    sed -i 's/float sum = 0.0f;/float sum = zero;/' "$problem/starter.cu"
    judge check-problem --problem my-conv
    ends 1 "expected Wrong Answer, got Compile Error: the compiler refused the file" "identifier \"zero\" is undefined"
    has_lines "not ok 10 - starter.cu" "#   starter.cu("
    cp "$root/grader/commands/template/problem/starter.cu" "$problem/starter.cu"
    sed -i 's/@ID@/my-conv/' "$problem/starter.cu"
    sed -i 's/float sum = 0.0f;/float sum = zero;/' "$solutions/accepted/naive.cu"
    judge check-problem --problem my-conv
    ends 1 "identifier \"zero\" is undefined"
    has_lines "not ok 11 - solutions/my-conv/accepted/naive.cu" "#   naive.cu("
}

@test "check-problem names all that is missing in one run, and judges nothing again that has not changed" {
    new_home
    export CONVJUDGE_CACHE=$BATS_TEST_TMPDIR/cache
    sed -i 's/^## Arithmetic intensity/## Intensity/' "$problem/statement.md"
    rm "$solutions"/{wrong_answer,run_time_error}/*
    sed -i 's/output\[i\] = s_tile/output[i] = 0 * s_tile/' "$solutions/accepted/shared_tile.cu"
    judge check-problem --problem my-conv
    ends 1 'the section "## Arithmetic intensity" is missing' "10 hidden cases, expected at least 14" \
        "expected Accepted, got Wrong Answer" "# SKIP until nothing else is missing"
    has_lines "not ok 1 - statement.md" "ok 11 - solutions/my-conv/accepted/naive.cu" \
        "not ok 12 - solutions/my-conv/accepted/shared_tile.cu"
    lacks "# judged before"
    local before=$output
    judge check-problem --problem my-conv
    ends 1
    has_lines "# judged before, with the same content: 5 files"
    equal "$(grep -c '^not ok' <<<"$before")" "$(grep -c '^not ok' <<<"$output")"
    sed -i 's/= 0 \* s_tile/= s_tile/' "$solutions/accepted/shared_tile.cu"
    judge check-problem --problem my-conv --only solutions
    ends 1 "# judged before, with the same content: 3 files"
    has_lines "ok 1 - starter.cu" "ok 2 - solutions/my-conv/accepted/naive.cu" \
        "ok 3 - solutions/my-conv/accepted/shared_tile.cu"
    judge check-problem --problem my-conv --only everything
    ends 2 "convjudge: --only everything: expected cases, solutions, mutants or ladder"
}

@test "check-problem names a timed case that is too small" {
    new_home
    edit "$testcases/hidden.json" '(.cases[] | select(.timed)).sizes.length = 1000'
    judge check-problem --problem my-conv
    ends 1 '# missing: "a million, timed" takes 0.00' ' ms, expected 50 us to 50 ms'
    counts 1 '^not ok [0-9]+ - timed cases take 50 us to 50 ms$'
}

# ---- mutants
# ---------------------------------------------------------------------------------------------------------------------

# One reference solution, so short that it has few mutants; its fourth line checks the bounds. The example's cases do not
# have the classes of values that find shortcuts.
short_solution() {
    new_home
    rm "$solutions"/accepted/*
    cat >"$solutions/accepted/short.cu" <<'END'
__global__ void convolve(const float* in, const float* f, float* out, int n)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n)
        out[i] = (i > 0 ? f[0] * in[i - 1] : 0) + f[1] * in[i] + (i + 1 < n ? f[2] * in[i + 1] : 0);
}
// also right: shortcut for zeros, shortcut for equal elements, shortcut for a middle of 1, shortcut for equal ends, output replayed: here
extern "C" void solve(const float* input, const float* filter, float* output, int length)
{
    convolve<<<(length + 255) / 256, 256>>>(input, filter, output, length);
}
END
}

# noted LINE NOTE: notes at the end of the line which mutants of it are right.
noted() {
    local source=$solutions/accepted/short.cu text
    text=$(awk -v line="$1" -v note="$2" 'index($0, line) { $0 = $0 " // also right: " note } { print }' "$source")
    printf '%s\n' "$text" >"$source"
}

@test "check-problem names the mutants that the cases do not find, and none where there is none" {
    local launch='convolve<<<(length + 255) / 256, 256>>>(input, filter, output, length);' stale
    stale="{ static const void *last; if (last != (const void *)(input)) $launch last = (const void *)(input); }"
    short_solution
    noted "$launch" "\`$launch\` to \`$stale\`: every call is the first with its data"
    # With these cases no index has more than ten bits.
    cp "$testcases/hidden.json" whole.json
    edit "$testcases/hidden.json" '(.cases[] | select(.sizes.length > 1)).sizes.length = 600'
    judge check-problem --problem my-conv --only mutants --thorough --seed 7
    ends 1 "(seed 7)" "# missing: a case for each survivor above, or a note at its line why it is right" "need what the judge lacks, 8 are noted as equivalent"
    has_lines 1..1 "not ok 1 - the cases find the mistakes in" "mutants             one is accepted" \
        "# survivor: solutions/my-conv/accepted/short.cu:3: narrow index" \
        "#   - int i = blockIdx.x * 256 + threadIdx.x;" "#   + short i = blockIdx.x * 256 + threadIdx.x;" \
        '#   if it is right: // also right: `int i = blockIdx.x * 256 + threadIdx.x` to `short i = blockIdx.x * 256 + threadIdx.x`: WHY'
    cp whole.json "$testcases/hidden.json"
    judge check-problem --problem my-conv --only mutants --thorough --seed 7
    ends 0 "of the reference solutions, all that compile and differ (seed 7)" "of these 0 by a timed case alone; 0 survived" \
        "# left out: " " do not compile, " " compile to the original's code, " " need what the judge lacks, 8 are noted as equivalent"
    has_lines 1..1 "ok 1 - the cases find the mistakes in"
    lacks "# survivor"
}

# The second kernel is never launched, so that no case finds its mutants.
@test "check-problem shows on a terminal how far it is" {
    short_solution
    sed -n '/__global__/,/^}/{s/convolve/spare/;p}' "$solutions/accepted/short.cu" >spare.cu
    cat spare.cu >>"$solutions/accepted/short.cu"
    TERM=xterm run script -qec "'$build/convjudge' check-problem --problem my-conv --only mutants --mutants 16 --seed 5" /dev/null
    ends 1 "mutants             1 of 1 files as they are" "of 16, 0 survived, about " " s left" "of 16 found in "
}

@test "check-problem asks for accepted files before it breaks them" {
    short_solution
    sed -i 's/f\[2\] \*/f[1] */' "$solutions/accepted/short.cu"
    judge check-problem --problem my-conv --only mutants --mutants 2 --seed 5
    ends 1 "short.cu: only mutants of accepted files say anything, but it gets Wrong Answer: "
}

@test "check-problem takes a sample of the mutants, and the same one for the same seed" {
    short_solution
    judge check-problem --problem my-conv --only mutants --mutants 2 --seed 5
    ends 0 "in 2 mutants of the reference solutions, a sample of" "(seed 5)" "# mutants: 2 found"
    judge check-problem --problem my-conv --only mutants --mutants 0
    ends 0 "ok 1 - the cases find the mistakes in mutants # SKIP none are wanted"
}

@test "check-problem judges no mutant again that was judged with the same content" {
    short_solution
    sed 's/convolve/stencil/' "$solutions/accepted/short.cu" >"$solutions/accepted/long.cu"
    judge check-problem --problem my-conv --only mutants --mutants 4
    ends 0 "(seed 1)" "# mutants: 4 found"
    lacks "# judged before"
    judge check-problem --problem my-conv --only mutants --mutants 4
    ends 0 "(seed 1)" "# mutants: 4 found" "# judged before: 4 of these"
    # A change of one file leaves the other's in the sample.
    echo '// changed' >>"$solutions/accepted/long.cu"
    judge check-problem --problem my-conv --only mutants --mutants 4
    ends 0 "# mutants: 4 found"
    holds "$(sed -n 's/# judged before: \([0-9]*\) of these/\1/p' <<<"$output") > 0"
    edit "$testcases/hidden.json" '(.cases[] | select(.sizes.length > 1)).sizes.length = 600'
    judge check-problem --problem my-conv --only mutants --mutants 4
    ends 1 "long.cu:3: narrow index" "# mutants: 3 found"
    lacks "# judged before"
    judge check-problem --problem my-conv --only mutants --mutants 4
    ends 1 "long.cu:3: narrow index" "# mutants: 3 found" "# judged before: 4 of these"
}

@test "a note about a mutant that does not exist, or is not well-formed, is an error" {
    short_solution
    cp "$solutions/accepted/short.cu" as_it_was.cu
    noted "if (i < n)" '`<` to `<<`: no thread is left over'
    judge check-problem --problem my-conv --only mutants
    ends 2 'accepted/short.cu:4: this line has no mutant that turns `<` into `<<`'
    cp as_it_was.cu "$solutions/accepted/short.cu"
    noted "if (i < n)" "missing barrier: there is none"
    judge check-problem --problem my-conv --only mutants
    ends 2 "accepted/short.cu:4: this line has no mutant of the kind 'missing barrier'"
    cp as_it_was.cu "$solutions/accepted/short.cu"
    noted "if (i < n)" '`<` to `<=`'
    judge check-problem --problem my-conv --only mutants
    ends 2 'accepted/short.cu:4: expected a note such as "// also right: `<` to `<=`: WHY"'
}

@test "a note may be about a mutant that leaves its lines out, and stand above its line" {
    short_solution
    sed -i 's|    if (i < n)|    // also right: `if (i > n) return;` to ``: the next line\n    // checks the bounds\n    if (i > n) return;\n&|' "$solutions/accepted/short.cu"
    judge check-problem --problem my-conv --only mutants --mutants 1 --seed 5
    ends 0 "8 are noted as equivalent"
}

@test "check-problem names a hidden case that finds no wrong solution" {
    new_home
    edit "$testcases/hidden.json" '.cases[5].inputs.filter = {"values": [0, 1, 0]}'
    judge check-problem --problem my-conv
    ends 1 'hidden 6  finds 1 '
    has_lines "ok 19 - every hidden case finds a wrong solution"
    rm "$solutions/wrong_answer/whole_blocks_only.patch"
    judge check-problem --problem my-conv
    ends 1 'hidden 6  finds 0   impulse in the middle' "ends_missing.patch          WWWWWWWWW" "not ok 18 - every hidden case" \
        'hidden case 6, "impulse in the middle", finds no wrong solution'
}

@test "sizes that a case draws follow from the seed, and are told" {
    new_home
    edit "$testcases/hidden.json" '.cases[1].sizes.length = [300, 900]'
    judge grade --no-record --json one.json "$solutions/accepted/naive.cu"
    ends 0
    local size seed
    size=$(jq '.cases[] | select(.name == "hidden 2") | .drawn_sizes.length' one.json)
    seed=$(jq -r .seed one.json)
    [[ $size -ge 300 && $size -le 900 ]]
    sed 's/output\[i\] = sum/output[i] = length >= 300 \&\& length <= 900 ? 9 : sum/' "$solutions/accepted/naive.cu" >wrong.cu
    judge grade --no-record --seed "$seed" --json again.json wrong.cu
    ends 1 "hidden 2: Wrong Answer" "; sizes drawn for this grading: length $size"
    equal "$size" "$(jq '.cases[] | select(.name == "hidden 2") | .drawn_sizes.length' again.json)"
    judge grade --no-record --seed "${seed//[0-4]/5}" --json other.json "$solutions/accepted/naive.cu"
    ends 0
    [[ $size != "$(jq '.cases[] | select(.name == "hidden 2") | .drawn_sizes.length' other.json)" ]]
}

@test "a call that the simulated GPU gives up counts as accepted, and the next case is judged in a new process" {
    new_home
    edit "$testcases/hidden.json" '.cases |= [.[9]] + .[:9] + .[10:] | .cases[0].sizes.length = 2000 |
                                   .cases[0].sim_attempt_warp_instructions = 100000'
    sed 's/float sum = 0.0f;/&\n    for (volatile int turns = 0; length == 2000; turns++) {}/' "$solutions/accepted/naive.cu" >endless.cu
    judge grade --no-record endless.cu
    ends 0 "hidden cases        10 of 10 accepted"
    sed 's/output\[i\] = sum/output[i] = length == 1 ? 9 : sum/' endless.cu >wrong_after.cu
    judge grade --no-record wrong_after.cu
    ends 1 "hidden 2: Wrong Answer"
    sed 's/length == 2000/length == 255/' endless.cu >endless_elsewhere.cu
    judge grade --no-record endless_elsewhere.cu
    ends 1 "hidden 3: Time Limit Exceeded"
}

# A file of 100,000 numbers between -1 and 1, for the timed case; PERTURB says by how much.
# The submission foresees.cu knows the file, and computes the output from it instead of from the input.
timed_file() { # PERTURB
    python3 - "$testcases/wave.bin" <<'END'
import array, sys
array.array("f", ((37 * i % 101) / 50 - 1 for i in range(100000))).tofile(open(sys.argv[1], "wb"))
END
    edit "$testcases/hidden.json" '(.cases[] | select(.timed)) |= (.sizes.length = 100000 |
        .inputs.input = {"file": "wave.bin", "shape": [100000], "perturb": '"$1"'})'
    sed 's|input\[at\]|(length == 100000 ? (37 * at % 101) / 50.0f - 1 : input[at])|' "$solutions/accepted/naive.cu" >foresees.cu
}

@test "a timed case perturbs a file, so that knowing the file does not help" {
    new_home
    timed_file 0.25
    judge grade --no-record "$solutions/accepted/naive.cu"
    ends 0 "timed cases         1 of 1 accepted"
    judge grade --no-record foresees.cu
    ends 1 "a million, timed: Wrong Answer"
    valid testcases "$testcases/hidden.json"
    ends 0
}

@test "a perturbation that is too small for the tolerance is refused before anything is judged" {
    new_home
    timed_file 0.001
    judge grade --no-record "$solutions/accepted/naive.cu"
    ends 2 'case "a million, timed": "perturb" of input changes the output by 0.00' ' of its size, expected at least 0.1: '
    lacks "sample cases"
}

# ---- problems in a course's own words

# home_of FOLDER: a home of the judge with the problems of examples/FOLDER and nothing else, as the current folder.
home_of() {
    export CONVJUDGE_HOME=$BATS_TEST_TMPDIR/home
    mkdir -p "$CONVJUDGE_HOME"
    local folder
    for folder in base grader harness simgpu leaderboard; do ln -s "$root/$folder" "$CONVJUDGE_HOME/$folder"; done
    cp -r "$root/examples/$1"/* "$CONVJUDGE_HOME/"
    cd "$CONVJUDGE_HOME" || return
}

@test "a driver calls what the course asks for: a lab's main(), a kernel alone, other types, another order" {
    home_of drivers
    local folder
    judge check solutions/*/*/*
    ends 0
    counts 12 '^ok'
    for folder in problems/*/; do valid problem "$folder/problem.json"; ends 0; done
}

@test "what a driver misses is told at the student's own line, and a driver needs student.h" {
    home_of drivers
    judge grade --no-record solutions/layer-channels-first/compile_error/arguments_in_another_order.patch
    ends 1 "Compile Error" \
        "arguments_in_another_order.cu:20: conv_forward() differs from what the driver of the problem calls: the statement shows its student.h"
    judge grade --no-record solutions/lab-conv1d/compile_error/main_misspelt.patch
    ends 1 "Compile Error" "main_misspelt.cu: defines no student_main, which the driver of the problem calls: the statement shows its student.h"
    sed '/^extern "C"/,$d' solutions/book-conv2d/accepted/naive.cu | sed 's/float Pvalue/floaty Pvalue/' >typo.cu
    judge grade --no-record typo.cu
    ends 1 'typo.cu(9): error: identifier "floaty" is undefined'
    lacks "driver of the problem"
    rm problems/book-conv2d/student.h
    judge grade --no-record solutions/book-conv2d/accepted/naive.cu
    ends 2 "problems/book-conv2d/student.h: no such file"
}

# ---- outputs of other types, several of them, and other bounds

@test "a formula that is no sum, one that jumps, and two outputs of which one has many right answers" {
    home_of more
    judge check solutions/*/*/*
    ends 0
    counts 17 '^ok'
    for folder in problems/*/; do valid problem "$folder/problem.json"; ends 0; done
    judge grade --no-record solutions/max-pool-indices/accepted/last_of_equal_ones.patch
    ends 0 "timed cases         1 of 1 accepted"
    judge grade --no-record solutions/max-pool-indices/wrong_answer/indices_are_not_written.patch
    ends 1 "every element of 'indices': never written"
    judge grade --no-record solutions/max-pool-indices/wrong_answer/starts_at_zero.patch
    ends 1 "every element of 'values'"
    judge trace solutions/max-pool-indices/wrong_answer/indices_are_not_written.patch
    ends 1 "indices[0][0] of the case" "No kernel of the call stores this element."
    judge trace solutions/max-pool-indices/wrong_answer/index_within_the_window.patch
    ends 1 "indices[0][1] of the case \"the example of the statement\" is 2, expected 6" "2 is stored, not 6 (line " "0 is stored, not 2 (line "
    judge trace solutions/bilateral-filter/wrong_answer/sigma_not_squared.patch
    ends 1 "  Its last values, line by line:" "image[2][2] * 0.0183156 + "
    judge trace --output values:0,1 solutions/max-pool-indices/wrong_answer/index_of_a_neighbour.patch
    ends 0 "values[0][1] of the case" "Its only term is that of the oracle"
    judge trace --output places:0,1 solutions/max-pool-indices/accepted/naive.cu
    ends 2 "trace: --output places:0,1: expected an output of max-pool-indices before the colon, such as values:0"
    edit testcases/max-pool-indices/sample.json '.cases[0].expected = [5, 7]'
    judge grade --no-record solutions/max-pool-indices/accepted/naive.cu
    ends 2 "expected: expected an object with values for each output: there are several"
    edit testcases/max-pool-indices/sample.json 'del(.cases[0].expected)'
    sed -i 's/checker_indices/checker_other/' problems/max-pool-indices/checker.h
    judge grade --no-record solutions/max-pool-indices/accepted/last_of_equal_ones.patch
    ends 1 "hidden 7: Wrong Answer"
}

# submission_of_types PARAMETERS BODY ARGUMENTS: for the problem "types", with a kernel that does BODY for each i.
submission_of_types() {
    printf '// problem: types\n#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n__global__ void k(%s)\n' "$1"
    printf '{\n    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i < n) { %s }\n}\n' "$2"
    printf 'extern "C" void solve(%s)\n{\n    k<<<(n + 63) / 64, 64>>>(%s);\n}\n' "$1" "$3"
}

# Each row: a type, its tolerance, and what a kernel does with its arrays.
@test "arrays have each type, as inputs, as outputs, and read and written; scalars and flags are parameters" {
    home_of more
    local type tolerance body
    while read -r type tolerance body; do
        mkdir -p problems/types testcases/types
        jq --arg type "$type" --argjson tolerance "$tolerance" '
            .id = "types" | .signature = "void solve(const \($type)* x, \($type)* y, \($type)* z, int n, float scale, int up)"
            | .parameters = [{name: "x", role: "in", shape: ["n"]}, {name: "y", role: "out", shape: ["n"]},
                {name: "z", role: "inout", shape: ["n"]}, {name: "n", role: "size", min: 1, max: 5000},
                {name: "scale", role: "scalar", min: 0, max: 8}, {name: "up", role: "size", values: [0, 1, 3]}]
            | .operations = "n" | .bytes = "n" | .tolerance = $tolerance' \
            problems/conv2d-transposed/problem.json >problems/types/problem.json
        printf 'ORACLE Sum oracle_y(const Case *c, long i)\n{\n    return sum_add(SUM_ZERO, at(c->x, i), (double)c->scale);\n}\n' >problems/types/oracle.h
        printf 'ORACLE Sum oracle_z(const Case *c, long i)\n{\n    return sum_add(sum_add(SUM_ZERO, at(c->z, i), 1), at(c->x, i), c->up);\n}\n' >>problems/types/oracle.h
        jq -n '{schema: 1, cases: [[3, 1, 0], [4000, 2, 1], [77, 3, 3]] | map({name: "\(.[0])", why: "all of them",
            sizes: {n: .[0], scale: .[1], up: .[2]}, inputs: ({generator: "integers", low: 0, high: 9, seed: 1} | {x: ., z: .})})}' \
            >testcases/types/hidden.json
        jq 'del(.cases[].why)' testcases/types/hidden.json >testcases/types/sample.json
        jq '.cases += [{name: "timed", why: "speed", timed: true, sizes: {n: 5000, scale: 2, up: 1},
            inputs: ({generator: "integers", low: 0, high: 9} | {x: ., z: .})}]' testcases/types/hidden.json >timed.json
        mv timed.json testcases/types/hidden.json
        local parameters="const $type* x, $type* y, $type* z, int n, float scale, int up"
        submission_of_types "$parameters" "$body" "x, y, z, n, scale, up" >right.cu
        judge grade --no-record right.cu
        ends 0 "timed cases         1 of 1 accepted"
        submission_of_types "$parameters" "${body%;*;};" "x, y, z, n, scale, up" >wrong.cu
        judge grade --no-record wrong.cu
        ends 1 "of 'z'"
        valid problem problems/types/problem.json
        ends 0
    done <<'END'
double {"sum_factor":4,"max_factor":1,"rms":1e-14,"why":"-"} y[i] = x[i] * scale; z[i] += x[i] * up;
half {"sum_factor":2,"max_factor":0,"rms":1e-2,"why":"-"} y[i] = __float2half(__half2float(x[i]) * scale); z[i] = __float2half(__half2float(z[i]) + __half2float(x[i]) * up);
__nv_bfloat16 {"absolute":0.1,"relative":0.01,"why":"-"} y[i] = __float2bfloat16(__bfloat162float(x[i]) * scale); z[i] = __float2bfloat16(__bfloat162float(z[i]) + __bfloat162float(x[i]) * up);
int8_t {"levels":0,"why":"-"} y[i] = x[i] * scale; z[i] += x[i] * up;
unsigned {"levels":0,"why":"-"} y[i] = x[i] * scale; z[i] += x[i] * up;
uint16_t {"levels":0,"why":"-"} y[i] = x[i] * scale; z[i] += x[i] * up;
short {"levels":0,"why":"-"} y[i] = x[i] * scale; z[i] += x[i] * up;
END
}

# ---- pictures

@test "the pictures of the testcases are those that their scripts draw" {
    local script
    for script in "$root"/testcases/*/*.py; do
        python3 "$script" | cmp - "${script%.py}.pgm"
    done
}

# of_a_new_problem: what check-problem must say of the template.
of_a_new_problem() {
    ends 1 "whole_blocks_only.patch     WW.WWWWWW" "grid_of_65535_blocks.patch  .........W" "hidden 7  finds 3   prime length" \
        "testcases/moving-sum: 10 hidden cases, expected at least 14"
    has_lines "1..23" "ok 1 - statement.md shows signature, sections and limits" \
        "ok 2 - there are hidden cases and timed cases" "ok 4 - the first sample is a literal example" \
        "ok 5 - oracle.h agrees with literal expected values" "ok 6 - oracle.h agrees with itself in long double" \
        "ok 7 - solutions say their intensity or their mistake" \
        "not ok 8 - there are enough hidden cases, reference solutions and wrong solutions" \
        "not ok 9 - the hidden cases have every class of values" \
        "ok 10 - starter.cu compiles, runs and gets Wrong Answer" \
        "ok 11 - solutions/moving-sum/accepted/naive.cu" "ok 19 - every hidden case finds a wrong solution" \
        "ok 20 - timed cases take 50 us to 50 ms" \
        "ok 22 - the ladder of moving-sum climbs from step to step # SKIP there is none"
    counts 2 '^not ok'
    run grep -r '@ID@' "$CONVJUDGE_HOME/problems/moving-sum" "$CONVJUDGE_HOME"/{testcases,solutions}/moving-sum
    ends 1
}

@test "a new problem lacks only cases and solutions, and the commands of the guide to adding a problem make it whole" {
    new_home
    make() { command make --no-print-directory --silent -C "$root" BUILD="$build" MUTANTS=0 "$@"; } # they take a minute
    ln -s "$root/examples" "$CONVJUDGE_HOME/examples"
    cd "$CONVJUDGE_HOME"
    local line steps=0
    while IFS= read -r line; do
        [[ $line =~ ^'    '((make|rm|cp)' '.*) ]] || continue
        run eval "${BASH_REMATCH[1]}"
        steps=$((steps + 1))
        case $steps in
            2) of_a_new_problem ;;
            *) ends 0 ;;
        esac
    done <"$root/docs/guides/add-a-problem.md"
    equal 5 "$steps"
    # The last command prints what the guide shows.
    while IFS= read -r line; do
        has_lines "$line"
    done < <(sed -n '/^## 9/,/^## 10/s/^    \(ok [0-9]\|# [a-z]\)/\1/p' "$root/docs/guides/add-a-problem.md")
    has_lines "# nearest to its bound: " "ok 28 - accepted solutions stay within half of every bound with 200 seeds"
    has_lines "ok 9 - the hidden cases have every class of values"
    valid problem problems/moving-sum/problem.json
    ends 0
    valid testcases testcases/moving-sum/*.json
    ends 0
}

@test "what the guide to adding a problem shows of a file is in the file" {
    local line file='' shown='' files=0
    while IFS= read -r line; do
        if [[ $line =~ ^\`((problems|testcases|solutions)/[^\`]*)\`:$ ]]; then
            file=$root/examples/moving-sum/${BASH_REMATCH[1]} shown=''
        elif [[ $line == '```' && -n $file ]]; then
            [[ $(<"$file") == *"$shown"* ]] || { echo "$file does not have"; echo "$shown"; return 1; }
            file='' files=$((files + 1))
        elif [[ -n $file && $line != '```'* && -n $line$shown ]]; then
            shown+=${shown:+$'\n'}$line
        fi
    done <"$root/docs/guides/add-a-problem.md"
    equal 6 "$files"
}

# ---- the published schemas
# -----------------------------------------------------------------------------------------------

@test "the files of every problem fit the published schemas" {
    new_home
    valid problem "$root"/problems/*/problem.json "$problem/problem.json"
    ends 0
    valid testcases "$root"/testcases/*/*.json "$testcases"/*.json
    ends 0
}

# refused SCHEMA FILE: edits the file with each jq program of standard input, one a line. Neither the schema nor the
# judge may accept the result; the judge must name the line.
refused() {
    local program broken=()
    cp "$2" whole.json
    while read -r program; do
        edit "$2" "$program"
        judge check-problem --problem my-conv
        [[ $status == 2 && $output =~ $(basename "$2"):[0-9]+: ]] || { echo "the judge says to $program: $output"; return 1; }
        broken+=("$PWD/broken-${#broken[@]}.json")
        mv "$2" "${broken[-1]}"
        cp whole.json "$2"
    done
    valid "$1" "${broken[@]}"
    for program in "${broken[@]}"; do
        [[ $output == *"[ValidationError]===($program)"* ]] || { echo "the schema lets pass:"; diff "$program" whole.json; return 1; }
    done
}

@test "the judge refuses what the schema of problem.json refuses, and names the line" {
    new_home
    refused problem "$problem/problem.json" <<'END'
.schema = 2
del(.title)
.colour = "red"
.difficulty = "hopeless"
.id = 7
.signature = "int main(void)"
.parameters = {}
.parameters[0].role = "outin"
.parameters[0].shape = []
.parameters[0].shape = ["1", "1", "1", "1", "1"]
.parameters[0].shape = [3]
.parameters[0].min = 1
del(.parameters[3].max)
.parameters[3].min = 0.5
.parameters[3].max = 3000000000
.constraints = "length > 0"
.constraints = [1]
.operations = 6
.tolerance.rms = 2
.tolerance.why = ""
del(.tolerance.sum_factor)
.tolerance.levels = 1
.limits.wall_seconds = 0
.limits.grading_device_seconds = 0
.limits.sim_grading_warp_instructions = "many"
.limits.source_bytes = "many"
del(.limits.host_seconds)
.rules.kernel_must_write_output = 1
.rules.honour = true
.timing.blocks = 0
.timing.review_factor = 1
.timing.warm_up_calls = -1
END
}

@test "the judge refuses what the schema of the testcases refuses, and names the line" {
    new_home
    refused testcases "$testcases/hidden.json" <<'END'
.cases[0].sim_attempt_warp_instructions = 0
(.cases[] | select(.timed)).sim_attempt_warp_instructions = 1000
.schema = 2
.cases = []
.cases[0].name = ""
del(.cases[0].name)
del(.cases[0].sizes)
.cases[0].sizes.length = {}
.cases[0].timed = "sim"
.cases[0].timed = false
.cases[1].addresses = "keep"
.cases[10].addresses = "repeat"
.cases[0].weight = 2
.cases[0].expected = "0"
.cases[0].inputs.input = [1]
.cases[0].inputs.input.values = ["1"]
.cases[0].inputs.input.file = "x.npy"
.cases[0].inputs.input = {"file": "../x.npy"}
.cases[1].inputs.input.generator = "random"
.cases[1].inputs.input.seed = -1
.cases[1].inputs.input.mean = 1
.cases[3].inputs.input.low = 0.5
.cases[4].inputs.input.seed = 1
.cases[4].inputs.input.position = -2
.cases[6].inputs.input.deviation = -1
.cases[10].inputs.input = {"generator": "constant"}
.cases[10].inputs.input = {"file": "x.npy"}
.cases[11].inputs.input = {"file": "x.npy"}
.cases[11].inputs.input = {"file": "x.npy", "perturb": 0}
.cases[11].inputs.input = {"file": "x.npy", "perturb": 0.6}
.cases[10].inputs.input = {"file": "x.npy", "perturb": 0.1, "seed": 1}
.cases[1].inputs.input = {"file": "x.npy", "seed": 1}
.cases[0].expected = {"file": "x.npy", "perturb": 0.1}
.cases[10].inputs.input.seed = 1
.cases[1].sizes.length = [300]
.cases[1].sizes.length = [300, 300]
.cases[10].sizes.length = [1000, 2000]
.cases[1].inputs.input.pattern = "smooth"
.cases[1].inputs.input.one_in = 8
.cases[1].inputs.input += {"pattern": "sparse", "others": 2}
.cases[10].inputs.input.pattern = "ends"
.cases[1].inputs.input = {"as_before": false}
END
}

# ---- another precision
# ---------------------------------------------------------------------------------------------------

@test "a copy of a problem with the tolerance of half precision accepts it, on a board of its own" {
    export CONVJUDGE_PROBLEMS=$BATS_TEST_TMPDIR/course
    mkdir -p "$CONVJUDGE_PROBLEMS"/{problems,testcases}
    cp -r "$root/problems/conv1d" "$CONVJUDGE_PROBLEMS/problems/conv1d-half"
    cp -r "$light" "$CONVJUDGE_PROBLEMS/testcases/conv1d-half"
    edit "$CONVJUDGE_PROBLEMS/problems/conv1d-half/problem.json" \
        '.id = "conv1d-half" | .tolerance += {"sum_factor": 8192, "rms": 5e-3}'
    sed 's/problem: conv1d/&-half/' "$root/solutions/conv1d/wrong_answer/reduced_precision.cu" >half.cu
    sed 's/problem: conv1d/&-half/; s/kernel\[k\]/1.01f * &/' "$root/solutions/conv1d/wrong_answer/reduced_precision.cu" >off.cu
    judge grade half.cu
    ends 0 "verdict             Accepted" "problem conv1d-half" "rank        1 of 1 in the class"
    judge grade off.cu
    ends 1 "verdict             Wrong Answer"
    unset CONVJUDGE_PROBLEMS
    judge grade "$root/solutions/conv1d/accepted/naive.cu"
    ends 0 "rank        1 of 1 in the class"
}

# ---- the student's kit
# ---------------------------------------------------------------------------------------------------

@test "the student's kit can grade, and holds neither hidden cases nor solutions" {
    "$root/grader/commands/student_kit.sh" kit.tar.gz
    run tar -tzf kit.tar.gz
    ends 0 convjudge/problems/conv1d/starter.cu convjudge/testcases/conv1d/sample.json convjudge/README.md
    lacks convjudge/solutions
    lacks convjudge/tests
    lacks leaderboard.db
    lacks .git/
    tar -xzf kit.tar.gz
    equal "$(find "$root/testcases" -name hidden.json | wc -l) files, 0 cases" \
        "$(jq -rs '"\(length) files, \(map(.cases[] | select(.timed | not)) | length) cases"' convjudge/testcases/*/hidden.json)"
    # Reuse this checkout's object files, to save time. If the kit lacks a source, its object would be out of date and
    # could not be built.
    (cd "$build" && find base simgpu harness leaderboard grader pic -name '*.[od]' -print0 | tar -c --null -T -) >objects.tar
    mkdir convjudge/build
    tar -xf objects.tar -C convjudge/build
    make -C convjudge --silent -j2 build >/dev/null
    submission >x.cu
    unset CONVJUDGE_HOME
    run convjudge/build/convjudge grade --device sim x.cu
    ends 0 Accepted "4 of 4 accepted" "not ranked: the hidden cases, which decide, are not here" "vector_loads"
    lacks "hidden cases        "
    run make -C convjudge test
    ends 2 "the student's kit has no tests"
    run convjudge/build/convjudge check-problem --problem conv1d
    ends 1 "missing: testcases/conv1d: no hidden case"
}

@test "the kit's files for editors show clangd what a problem's submissions see, and take VS Code to the judge's errors" {
    local file
    cat >class.json <<EOF
{"assignments": [{"problems": [{"problem": "conv1d"}, {"problem": "conv1d-same"}, {"problem": "lab-conv1d"}]}]}
EOF
    mkdir home # this checkout, with a problem that has a driver
    ln -s "$root"/* home/
    rm home/{problems,testcases}
    mkdir home/problems home/testcases
    ln -s "$root"/problems/* "$root/examples/drivers/problems/lab-conv1d" home/problems/
    ln -s "$root"/testcases/* "$root/examples/drivers/testcases/lab-conv1d" home/testcases/
    rm home/grader
    cp -r "$root/grader" home/
    home/grader/commands/student_kit.sh kit.tar.gz class.json
    tar -xzf kit.tar.gz
    cd convjudge
    equal 'extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size);' \
        "$(sed 1d .vscode/conv1d/solve.h)"
    # The pattern that VS Code is given takes the judge's own lines apart.
    equal "work/conv1d.cu 14 error it is wrong: here" "$(python3 - <<'EOF'
import json, re
pattern = {task["problemMatcher"]["pattern"]["regexp"] for task in json.load(open(".vscode/tasks.json"))["tasks"]}
print(*re.match(*pattern, "work/conv1d.cu:14: error: it is wrong: here").groups())
EOF
)"
    command -v clangd >/dev/null || skip "needs clangd"
    for file in conv1d conv1d-same lab-conv1d; do
        run clangd --check="work/$file.cu"
        ends 0 "All checks completed, 0 errors"
    done
    echo 'extern "C" void solve(float* input) { }' >work/conv1d_mine.cu
    run clangd --check=work/conv1d_mine.cu
    [[ $output == *"Line 1: conflicting types for 'solve'"*"All checks completed, 1 errors" ]]
    echo '#include <wb.h>' >work/lab-conv1d.second.cu
    run clangd --check=work/lab-conv1d.second.cu
    ends 0 "All checks completed, 0 errors"
}

@test "check holds a file to the words that it must be told" {
    local file=$root/tests/messages/past_local.cu
    sed 's/of local array .window/of local array '\''another/' "$file" >wrong_words.cu
    judge check --problem conv1d "$file" wrong_words.cu
    ends 1 "ok 1 - $file" "not ok 2 - wrong_words.cu" "expected the words \"past the end of local array 'another'\""
}
