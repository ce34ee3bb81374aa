#!/usr/bin/env bats
# The pictures among the testcases are those that their program draws.

# shellcheck disable=SC2034 # helper.bash reads it
any_compiler=1
load helper

@test "each picture among the testcases is the one that its program draws" {
    gcc -std=c11 -Wall -Wextra -Werror -o pictures "$root/testcases/blur-rgb/pictures.c"
    ./pictures
    for picture in "$root"/testcases/blur-rgb/*.ppm; do
        cmp "$picture" "${picture##*/}"
    done
}
