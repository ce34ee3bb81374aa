#!/usr/bin/env bats
# The program of the simulated GPU's library, which runs one kernel (simgpu/README.md).

bats_require_minimum_version 1.5.0
# shellcheck disable=SC2034 # helper.bash reads both
any_compiler=1 real_home=1
load helper

simgpu() { # ARGUMENT...
    cd "$root" || return
    run -"$1" "$build/simgpu/simgpu" "${@:2}"
}

blur() { # STATUS ARGUMENT...: runs the example with these arguments
    simgpu "$1" run simgpu/example/blur.ptx --kernel blur --grid 8 --block 128 "${@:2}"
}

@test "the commands of the library's README print what it shows" {
    cd "$root" || return
    awk '/^\$ /, /^```$/' simgpu/README.md | grep -v '^```$' >"$BATS_TEST_TMPDIR/shown"
    while read -r line; do
        echo "\$ $line"
        bash -c "${line//build\/simgpu/$build/simgpu}" || true
    done < <(sed -n 's/^\$ //p' simgpu/README.md) >"$BATS_TEST_TMPDIR/printed"
    [[ $(grep -c '^\$ ' "$BATS_TEST_TMPDIR/printed") == 3 ]]
    diff "$BATS_TEST_TMPDIR/shown" "$BATS_TEST_TMPDIR/printed"
}

@test "the exit status tells a kernel that is right from one with a fault" {
    blur 0 'f32[1000]=2' 'f32[1000]' i32:1000
    [[ $output == "modelled time: "*" us, limited by launch, occupancy 100 %"*"argument 2: 1.33333 2 2 2 2 2 2 2 ..."* ]]
    blur 1 'f32[10]=2' 'f32[1000]' i32:1000
    [[ $output == "fault: kernel blur: "*"argument1[10], past its last element argument1[9] (blur.cu:"* ]]
    blur 1 'f32[1000]' 'f32[1000]' i32:1000
    [[ $output == *"finding: "*"argument1"*"nothing has written"* ]]
}

@test "what cannot run is refused in one line, with what was found and what was expected" {
    blur 2 i32:1
    [[ $output == "simgpu: kernel blur: found 1 arguments, expected 3" ]]
    blur 2 i32:1 'f32[9]' i32:1
    [[ $output == "simgpu: argument 1: found 4 bytes, kernel blur expects 8" ]]
    blur 2 'f32[9' 'f32[9]' i32:1
    [[ $output == "simgpu: argument 1: found 'f32[9', expected TYPE[COUNT] or TYPE[COUNT]=NUMBER" ]]
    blur 2 'f32[9]=x' 'f32[9]' i32:1
    [[ $output == "simgpu: argument 1: found '=x', expected a number of type f32, or index" ]]
    blur 2 'f32[9]' 'f32[9]' i32:2147483648
    [[ $output == "simgpu: argument 3: found 'i32:2147483648', expected TYPE:NUMBER or TYPE[COUNT], the type one of i32 u32 i64 u64 f32 f64" ]]
    blur 2 'f32[x]' 'f32[9]' i32:1
    [[ $output == "simgpu: argument 1, an array's size: found 'x]', expected a whole number" ]]
    simgpu 2 run simgpu/example/blur.ptx --kernel blurred --grid 8 --block 128
    [[ $output == "simgpu: simgpu/example/blur.ptx: no kernel 'blurred'" ]]
    simgpu 2 run simgpu/example/blur.ptx --kernel blur --grid 8,x --block 128
    [[ $output == "simgpu: --grid: found 'x', expected a whole number" ]]
    simgpu 2 run simgpu/example/blur.ptx --kernel blur --grid 8,8,8,8 --block 128
    [[ $output == "simgpu: --grid: found '8,8,8,8', expected X, X,Y or X,Y,Z" ]]
    simgpu 2 run simgpu/example/blur.ptx --grid 8 --block 128
    [[ $output == "simgpu: --kernel NAME is missing" ]]
    simgpu 2
    [[ $output == "simgpu: found nothing, expected run FILE; simgpu --help says more" ]]
    sed 's/add\.f32/add.f33/' "$root/simgpu/example/blur.ptx" >"$BATS_TEST_TMPDIR/bad.ptx"
    simgpu 1 run "$BATS_TEST_TMPDIR/bad.ptx" --kernel blur --grid 8 --block 128 'f32[9]' 'f32[9]' i32:1
    [[ $output == "fault: kernel blur: "*"add.f33"* ]]
    echo "no PTX" >"$BATS_TEST_TMPDIR/none.ptx"
    simgpu 2 run "$BATS_TEST_TMPDIR/none.ptx" --kernel blur --grid 8 --block 128
    [[ $output == "simgpu: $BATS_TEST_TMPDIR/none.ptx: "* && ${#lines[@]} -le 3 ]]
}
