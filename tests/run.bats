#!/usr/bin/env bats
# The program that runs all suites: what it prints of suites that pass and of suites that fail.

bats_require_minimum_version 1.5.0
# shellcheck disable=SC2034 # helper.bash reads it
any_compiler=1
load helper

# run_suites: runs the suites of standard input, one a line as in tests/suites.txt.
run_suites() {
    mkdir -p build/tests
    cp "$build/tests/leftovers" build/tests
    cat >suites
    SUITES=$PWD/suites run "$root/tests/run.sh" "$PWD/build" test
}

@test "suites that pass have one line each, and the last line counts their tests" {
    run_suites <<'END'
# a comment
test 1 two    echo 1..2; echo ok 1 - a; echo ok 2 - b

test 1 groups echo 1..1; echo ok 1 - a; echo 1..1; echo ok 1 - b
all  1 rest   echo 1..1; echo ok 1 - c
alone 1 last  echo 1..1; echo ok 1 - d
END
    ends 0 "2 passed, 0 failed  ("
    equal 3 "${#lines[@]}"
    equal "4 passed, 0 failed" "${lines[-1]}"
    rm build/test-passed
    SUITES=$PWD/suites run "$root/tests/run.sh" "$PWD/build" all
    equal "last" "${lines[3]%% *}"
    equal "6 passed, 0 failed" "${lines[-1]}"
}

@test "what make test has passed with the same files is counted by make test-all, and not run again" {
    run_suites <<'END'
test 1 short echo 1..2; echo ok 1 - a; echo 'ok 2 - b # skip no GPU'
all  1 long  echo 1..1; echo ok 1 - c
END
    ends 0
    SUITES=$PWD/suites run "$root/tests/run.sh" "$PWD/build" all
    ends 0 "counted and not run again, since make test has passed with the same files: 1 suites" $'\nlong '
    lacks $'\nshort '
    equal "2 passed, 0 failed, 1 skipped" "${lines[-1]}"
    runs_all() { # what `make test` has passed counts once, and only with the same files
        SUITES=$PWD/suites run "$root/tests/run.sh" "$PWD/build" all
        ends 0 "short "
        lacks "not run again"
    }
    runs_all
    run_suites <<<'test 1 short echo 1..1; echo ok 1 - a'
    echo 'all 1 new echo 1..1; echo ok 1 - d' >>suites
    runs_all
    run_suites <<<'test 1 short echo 1..1; [ -e "$build/mended" ] || exit 1; echo ok 1 - a'
    ends 1
    touch build/mended
    runs_all
}

@test "a failed test is shown with its output, and again at the end with the command that runs it alone" {
    run_suites <<'END'
test 1 fails echo 1..3; echo ok 1 - a; echo not ok 2 - b; echo '# expected 3, found 4'; echo ok 3 - c; exit 1
test 1 x.bats echo 1..1; echo not ok 1 the judge\'s own
test 1 files echo 1..1; echo not ok 1 - solutions/conv1d/accepted/naive.cu
END
    ends 1 $'\nonce more, alone: fails\n' "2 passed, 1 failed  (" $'\nnot ok 2 - b\n# expected 3, found 4\n' "exit status 1" \
        $'\nfailed: fails: b\n  make test ONLY=fails\n' $'\nfailed: files: solutions/conv1d/accepted/naive.cu\n  make test ONLY=solutions/conv1d/accepted/naive.cu\n' \
        "  bats -f \\^the\\ judge\\'s\\ own\\$ tests/x.bats"
    equal "2 passed, 3 failed" "${lines[-1]}"
}

@test "a suite that ends without a failed test is shown with its last lines, and counts as a failure" {
    run_suites <<'END'
test 1 dies   seq 100; echo 'cc: no such library'; exit 2
test 1 short  echo 1..3; echo ok 1 - a; echo 'Segmentation fault'
test 1 silent true
test 1 passes echo 1..1; echo ok 1 - a; exit 3
END
    ends 1 $'\n100\ncc: no such library\n' $'\nSegmentation fault\n' "exit status 2, 101 lines" "exit status 3, 2 lines" \
        $'failed: silent ended without a failed test\n  make test ONLY=silent\n'
    lacks $'\n80\n'
    equal "2 passed, 5 failed" "${lines[-1]}"
}

@test "a suite that leaves a process behind fails, and the process is named" {
    run_suites <<'END'
test 1 leaves echo 1..1; echo ok 1 - a; setsid sleep 1234 & disown
END
    ends 1 "lives on: sleep 1234" $'\nfailed: leaves ended without a failed test\n'
    equal "1 passed, 1 failed" "${lines[-1]}"
}

@test "an orphan that has ended is gone, so that no suite takes it for one that lives" {
    run_suites <<'END'
test 1 orphan echo 1..1; pid=$(bash -c 'sleep 0.1 >/dev/null & echo $!'); sleep 1; [[ ! -e /proc/$pid ]] || echo -n 'not '; echo ok 1 - a
END
    ends 0
    equal "1 passed, 0 failed" "${lines[-1]}"
}

@test "the processor time of what nobody waits for counts" {
    run_suites <<'END'
test 9 orphan echo 1..1; echo ok 1 - a; (while read -ra used </proc/$BASHPID/stat; ((used[13] < 100)); do :; done) & disown
END
    ends 0
    lacks ", 0 s of a processor"
}

@test "a suite that fails and passes at its second try is named as unsteady, and has failed" {
    run_suites <<'END'
test 1 steady echo 1..1; echo ok 1 - a
test 1 chance echo 1..2; echo ok 1 - a; [ -e "$logs/seen" ] || { touch "$logs/seen"; echo not ok 2 - b; exit 1; }; echo ok 2 - b
END
    ends 1 $'\nnot ok 2 - b\n' "chance                                         2 passed, 0 failed  (" $'\nfailed: chance: b\n'
    equal "unsteady, passed alone at the second try: chance" "${lines[-2]}"
    equal "2 passed, 1 failed" "${lines[-1]}"
}

@test "nothing is repeated where many suites fail" {
    run_suites < <(printf 'test 1 fails%s echo 1..1; echo not ok 1 - a\n' 1 2 3 4)
    ends 1
    lacks "once more"
    equal "0 passed, 4 failed" "${lines[-1]}"
}

@test "what was skipped is counted with its reasons" {
    run_suites <<'END'
test 1 a echo 1..2; echo ok 1 - a; echo 'ok 2 - b # skip there is no nvcc'
test 1 b echo 1..1; echo 'not ok 1 - c # SKIP'; echo 1..1; echo 'ok 1 # skip there is no nvcc'
END
    ends 0 $'\nskipped: 2 tests: there is no nvcc\n'
    equal "1 passed, 0 failed, 3 skipped" "${lines[-1]}"
}

@test "what failed last time comes first when that is asked for" {
    run_suites <<'END'
test 1 a echo 1..1; sleep 1; echo ok 1 - a
test 1 b echo 1..1; echo not ok 1 - b
END
    ends 1
    FAILED=1 SUITES=$PWD/suites run taskset -c "$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')" "$root/tests/run.sh" "$PWD/build" test
    ends 1
    equal b "${lines[0]%% *}"
}

@test "several parts run, each once" {
    ONLY="a b.bats d/ a" run_suites <<'END'
all  1 a      echo 1..1; echo ok 1 - a
test 1 b.bats echo 1..1; echo ok 1 - b
test 1 c      echo 1..1; echo ok 1 - c
test 1 d/e    echo 1..1; echo ok 1 - e
END
    ends 0
    equal "3 passed, 0 failed" "${lines[-1]}"
    ONLY="a nothing" SUITES=$PWD/suites run "$root/tests/run.sh" "$PWD/build" test
    ends 2 "tests: ONLY=nothing: tests/suites.txt has no such suite"
}

@test "a part that does not exist is refused" {
    ONLY=nothing SUITES=/dev/null run "$root/tests/run.sh" "$PWD/build" test
    ends 2 "tests: ONLY=nothing: tests/suites.txt has no such suite"
}
