#!/usr/bin/env bats
# What a student reads about the rule that a filter goes through constant memory. The verdicts themselves are tested by
# solutions/conv1d-constant/ and solutions/conv2d-constant/.

bats_require_minimum_version 1.5.0
load helper

@test "a kernel that loads the filter from global memory is named with its line" {
    judge grade --no-record "$root/solutions/conv1d-constant/rule_violation/unused_constant.cu"
    ends 1 "Rule Violation" "kernel convolve (unused_constant.cu:17: \`sum += input[j] * filter[k];\`) writes the output and loads from filter in global memory"
}

@test "a filter that comes from elsewhere was not read through constant memory" {
    judge grade --no-record "$root/solutions/conv1d-constant/rule_violation/copy_in_global_memory.cu"
    ends 1 "Rule Violation" "filter was not read through constant memory: expected all of its values, unchanged,"
}

@test "one tap from constant memory is not the filter" {
    judge grade --no-record "$root/solutions/conv1d-constant/rule_violation/one_constant_tap.cu"
    ends 1 "Rule Violation" "filter was only partly read through constant memory"
}

@test "a wrong answer is told as such, whatever the rule says" {
    sed 's/k - filter_width/k + 1 - filter_width/' \
        "$root/solutions/conv1d-constant/rule_violation/filter_in_global_memory.cu" >x.cu
    judge grade --no-record x.cu
    ends 1 "Wrong Answer"
    lacks "constant memory"
}

@test "an accepted submission is told that the rule is kept" {
    judge grade --no-record "$root/solutions/conv1d-constant/accepted/constant_memory.cu"
    ends 0 "Accepted" "constant memory     read through it"
}
