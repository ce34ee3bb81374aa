#!/usr/bin/env bats
# What a student reads about the rule that kernels must read the filter through constant memory. The verdicts are
# tested by solutions/conv1d-constant/ and solutions/conv2d-constant/.

bats_require_minimum_version 1.5.0
load helper

@test "the line at which a kernel loads the filter from global memory is named" {
    judge grade --no-record "$root/solutions/conv1d-constant/rule_violation/unused_constant.cu"
    ends 1 "Rule Violation" "a kernel writes the output and loads from filter in global memory; it must be read through constant memory (unused_constant.cu:17: \`sum += input[j] * filter[k];\`)"
}

@test "a filter that is read from a copy in global memory breaks the rule" {
    judge grade --no-record "$root/solutions/conv1d-constant/rule_violation/copy_in_global_memory.cu"
    ends 1 "Rule Violation" "filter was not read through constant memory: expected all of its values, unchanged,"
}

@test "one tap from constant memory is not the whole filter" {
    judge grade --no-record "$root/solutions/conv1d-constant/rule_violation/one_constant_tap.cu"
    ends 1 "Rule Violation" "filter was only partly read through constant memory"
}

@test "a wrong answer that also breaks the rule is a Wrong Answer" {
    sed 's/k - filter_width/k + 1 - filter_width/' \
        "$root/solutions/conv1d-constant/rule_violation/filter_in_global_memory.cu" >x.cu
    judge grade --no-record x.cu
    ends 1 "Wrong Answer"
    lacks "constant memory"
}

@test "the report of an accepted submission says that it keeps the rule" {
    judge grade --no-record "$root/solutions/conv1d-constant/accepted/constant_memory.cu"
    ends 0 "Accepted" "constant memory     read through it"
}

@test "a file that does not compile for the GPU that proves the rule is a limit of the judge" {
    cat "$root/solutions/conv1d-constant/accepted/constant_memory.cu" - >x.cu <<<$'#if __CUDA_ARCH__ == 900\n#error not for this GPU\n#endif'
    judge grade --no-record --device sim:rtx3060 x.cu
    ends 2 "constant memory     Judge Error" "a limit of the judge: the file compiles for this GPU, but not for the simulated GPU that must prove that filter is read through constant memory"
}

@test "a case of one's own that is too large for the proof is judged without it" {
    cp "$root/solutions/conv1d-constant/accepted/constant_memory.cu" x.cu
    judge try --device sim --sizes width=2000000,filter_width=5 x.cu
    ends 0 "constant memory     not looked at: this needs a smaller case" "Accepted" "2000000 of 2000000 elements are right"
}
