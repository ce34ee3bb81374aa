#!/usr/bin/env bats
# The program that runs all suites: what it prints of suites that pass and of suites that fail.

bats_require_minimum_version 1.5.0
# shellcheck disable=SC2034 # helper.bash reads it
any_compiler=1
load helper

# run_suites: runs the suites of standard input, one a line: name, tab, command.
run_suites() {
    mkdir build
    cat >suites
    run "$root/tests/run.sh" "$PWD/build" "$PWD/suites"
}

@test "suites that pass have one line each, and the last line counts their tests" {
    run_suites <<'END'
two	echo 1..2; echo ok 1 - a; echo ok 2 - b
groups	echo 1..1; echo ok 1 - a; echo 1..1; echo ok 1 - b # skip not here
END
    ends 0 "2 passed, 0 failed  ("
    equal 3 "${#lines[@]}"
    equal "4 passed, 0 failed" "${lines[-1]}"
}

@test "a failed test is shown with its output" {
    run_suites <<'END'
fails	echo 1..3; echo ok 1 - a; echo not ok 2 - b; echo '# expected 3, found 4'; echo ok 3 - c; exit 1
END
    ends 1 $'\nonce more, by itself: fails\n' "2 passed, 1 failed  (" $'\nnot ok 2 - b\n# expected 3, found 4\n' "exit status 1"
    equal "2 passed, 1 failed" "${lines[-1]}"
}

@test "a suite that ends without a failed test is shown with its last lines, and counts as a failure" {
    run_suites <<'END'
dies	seq 100; echo 'cc: no such library'; exit 2
short	echo 1..3; echo ok 1 - a; echo 'Segmentation fault'
silent	true
passes	echo 1..1; echo ok 1 - a; exit 3
END
    ends 1 $'\n100\ncc: no such library\n' $'\nSegmentation fault\n' "exit status 2, 101 lines" "exit status 3, 2 lines"
    lacks $'\n80\n'
    equal "2 passed, 5 failed" "${lines[-1]}"
}

@test "a suite that fails beside others and passes by itself counts as passed, and is named" {
    run_suites <<'END'
steady	echo 1..1; echo ok 1 - a
chance	echo 1..2; echo ok 1 - a; [ -e "$logs/seen" ] || { touch "$logs/seen"; echo not ok 2 - b; exit 1; }; echo ok 2 - b
END
    ends 0 $'\nnot ok 2 - b\n' "chance                                         1 passed, 1 failed  (" "chance                                         2 passed, 0 failed  ("
    equal "unsteady, failed beside other suites and passed by itself: chance ($PWD/build/test-logs/chance.first)" "${lines[-2]}"
    equal "3 passed, 0 failed" "${lines[-1]}"
}

@test "nothing is repeated where many suites fail, or where the test programs do not build" {
    run_suites < <(printf 'fails %s\techo 1..1; echo not ok 1 - a\n' 1 2 3 4)
    ends 1
    lacks "once more"
    equal "0 passed, 4 failed" "${lines[-1]}"
    rm -r build
    run_suites <<'END'
test programs	echo 1..1; echo not ok 1 - a
END
    ends 1
    lacks "once more"
}
