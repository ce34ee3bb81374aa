#!/usr/bin/env bats
# The simulated GPU's translator must not be noticed but by the clock: modelled times follow from all that is counted.

bats_require_minimum_version 1.5.0
load helper

# What a result says that does not depend on when it was made.
result_of() { # ENGINE FILE
    rm -f result.json
    CONVJUDGE_ENGINE=$1 timeout 120 "$build/convjudge" grade --device sim --no-record --json result.json "$root/$2" >/dev/null 2>&1
    jq '[.verdict, .score_ms, (.cases | map([.name, .verdict, .time_ms, .explanation]))]' result.json
}

same_from_both() { # FILE
    result_of interpreter "$1" >interpreted.json
    result_of translator "$1" >translated.json
    [[ -s interpreted.json ]] || { echo "$1: no result"; return 1; }
    diff interpreted.json translated.json
}

@test "blocks in two dimensions, borders, shared tiles: the same from both engines" {
    same_from_both solutions/conv2d/accepted/naive.cu
    same_from_both solutions/conv2d-same/accepted/block_of_input_tile.cu
}

@test "bytes, vectors of four, special functions: the same from both engines" {
    same_from_both solutions/blur-rgb/accepted/two_passes.cu
    same_from_both solutions/conv1d/accepted/vector_loads.cu
}

@test "indices by division, partial sums: the same from both engines" {
    same_from_both solutions/conv-layer/accepted/grid_stride.cu
    same_from_both solutions/conv3d/accepted/naive.cu
}
