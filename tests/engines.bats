#!/usr/bin/env bats
# The simulated GPU's translator may differ from its interpreter only in speed. CONVJUDGE_ENGINE=compare runs each
# launch in both; any difference in memory, counters or findings is a fault of the judge.

bats_require_minimum_version 1.5.0
load helper

# shellcheck source=/dev/null
source "$BATS_TEST_DIRNAME/fewer_cases.sh"

same_on_all_cases() { # FILE...
    cd "$root" || return
    CONVJUDGE_ENGINE=compare run timeout 600 "$build/convjudge" check "$@"
    [[ $output != *"this build has no translator"* ]] || skip "this build has no translator"
    ends 0 "1..$#"
    lacks "not ok"
}

same_from_both() { # FILE... : on the samples, which run under the sanitizer, and on a timed case, which does not
    local home=$BATS_TEST_TMPDIR/home
    mkdir "$home"
    cd "$root" || return
    home_with_fewer_cases "$home" samples
    CONVJUDGE_HOME=$home same_on_all_cases "$@"
}

@test "a misspelt engine is refused, so the tests below do run both" {
    submission >x.cu
    CONVJUDGE_ENGINE=compared judge grade x.cu
    ends 2 "CONVJUDGE_ENGINE=compared: expected"
}

@test "both engines agree on two-dimensional blocks, borders and shared tiles" {
    same_from_both solutions/conv2d/accepted/naive.cu solutions/conv2d-same/accepted/block_of_input_tile.cu \
        solutions/conv2d-separable/accepted/two_passes.cu solutions/gaussian-blur/accepted/naive.cu
}

@test "both engines agree on bytes, vectors of four and constant memory" {
    same_from_both solutions/blur-rgb/accepted/two_passes.cu solutions/conv1d/accepted/vector_loads.cu \
        solutions/conv-rgb-planar/accepted/naive.cu solutions/conv1d-constant/accepted/shared_tile.cu solutions/conv2d-constant/accepted/constant_memory.cu
}

@test "both engines agree on indices by division, partial sums and barriers" {
    same_from_both solutions/conv-layer/accepted/grid_stride.cu solutions/conv3d/accepted/naive.cu \
        solutions/conv1d-same/accepted/cached_halo.cu solutions/depthwise-conv1d/accepted/shared_tile.cu
}

@test "both engines agree on races and accesses out of bounds" {
    same_on_all_cases solutions/conv1d/run_time_error/{barrier_missing,blocks_race,out_of_bounds_read}.cu
}

@test "the simulated GPU builds without the translator, and then starts no gcc and loads no library" {
    local out=$BATS_TEST_TMPDIR/interpreted
    make --silent -C "$root" BUILD="$out" JIT= CFLAGS=-O0 LANES=-O0 WARNINGS=-w "$out/bench-simgpu" >/dev/null
    run nm "$out/libsimgpu.a"
    ends 0 "T simgpu_set_translator"
    lacks "jit_translator"
    lacks " U dlopen"
    lacks " U compile_cache_load"
    lacks " U posix_spawn"
}
