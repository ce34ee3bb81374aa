#!/usr/bin/env bats
# convjudge try: a submission on a case of its author's own, or on the samples alone.

bats_require_minimum_version 1.5.0
load helper

npy() { # FILE NUMBER...: a vector of floats
    python3 - "$@" <<'EOF'
import struct, sys
data = [float(x) for x in sys.argv[2:]]
header = "{'descr': '<f4', 'fortran_order': False, 'shape': (%d,), }" % len(data)
header += ' ' * (-(11 + len(header)) % 64) + '\n'
open(sys.argv[1], 'wb').write(b'\x93NUMPY\x01\x00' + struct.pack('<H', len(header)) + header.encode() + struct.pack('<%df' % len(data), *data))
EOF
}


@test "a right submission is shown how near it is, and nothing is recorded" {
    submission >x.cu
    judge try --sizes input_size=1000,kernel_size=7 --json result.json x.cu
    ends 0 "Accepted" "input_size=1000,kernel_size=7: 994 of 994 elements are right" "the data: random ones with SEED="
    lacks "rank"
    json result.json '[.verdict, (.cases | length), .cases[0].sizes.input_size] | tostring' '["Accepted",1,1000]'
    [[ ! -e $CONVJUDGE_DB ]]
}

@test "a mistake is shown with all its numbers, and a seed repeats the data" {
    submission | sed 's/sum += /sum -= /' >x.cu
    local seed
    for seed in 12 12 13; do
        judge try --sizes kernel_size=7,input_size=1000 --seed $seed --device sim x.cu
        ends 1 "first  output[0]: expected"
        grep 'first  output' <<<"$output" >>seen
    done
    [[ $(sed -n 1p seen) == "$(sed -n 2p seen)" && $(sed -n 1p seen) != "$(sed -n 3p seen)" ]]
}

@test "without sizes the samples alone are run" {
    submission >x.cu
    judge try --json - x.cu
    ends 0
    json <(echo "$output" | sed -n '/^{/,$p') '[.cases[].timed] | any' false
}

@test "data come from files" {
    submission >x.cu
    npy a.npy 1 2 3 4 5
    npy taps.npy 1 0 2
    sed 's/output\[i\] = sum/output[i] = -sum/' x.cu >y.cu
    judge try --sizes input_size=5,kernel_size=3 --data a.npy,kernel=taps.npy y.cu
    ends 1 "expected 7, got -7"
    judge try --sizes input_size=5,kernel_size=3 --data a.npy --seed 4 x.cu
    ends 0 "  the data: what no file gives is random, with SEED=4, which repeats it"
    judge try --sizes input_size=6,kernel_size=3 --data a.npy x.cu
    ends 2 "a.npy: expected the shape of input, 6, found 5"
    judge try --sizes input_size=6,kernel_size=3 --data filter=a.npy x.cu
    ends 2 "data: 'filter' is no input of conv1d" "expected: input, kernel"
    judge try --sizes input_size=5,kernel_size=3 --data input=a.npy,input=a.npy x.cu
    ends 2 "data: input is given twice"
    judge try --sizes input_size=5,kernel_size=3 --data a.npy,b.npy x.cu
    ends 2 "data: 'b.npy' is no input of conv1d"
    judge try --sizes input_size=5,kernel_size=3 --data "$(printf 'a.npy,%.0s' {1..20})a.npy" x.cu
    ends 2 "data: 'a.npy' is no input of conv1d"
    judge try --sizes input_size=6,kernel_size=3 --data nowhere.npy x.cu
    ends 2 "nowhere.npy"
}

@test "sizes that the statement does not allow are refused by name" {
    submission >x.cu
    local -A said=(
        ['input_size=1000']="sizes: kernel_size is missing; sizes of conv1d: input_size, kernel_size"
        ['input_size=1000,kernel=7']="'kernel' is no size of conv1d; did you mean 'kernel_size'?"
        ['input_size=10 kernel_size=3']="found '10 kernel_size=3'; commas separate sizes"
        ['input_size=5,kernel_size=7']="sizes: kernel_size <= input_size does not hold, which the statement promises"
        ['input_size=5,kernel_size=0']="kernel_size: expected a number from 1 to 2047"
        ['input_size=5,kernel_size=3x']="found '3x'"
        ['input_size=99999999999999999999,kernel_size=3']="found '99999999999999999999'"
        ['input_size=5,kernel_size=3,kernel_size=3']="given twice"
        ['5,3']="expected name=number, found '5'"
    )
    local sizes
    for sizes in "${!said[@]}"; do
        judge try --sizes "$sizes" x.cu
        ends 2 "${said[$sizes]}"
    done
    judge try --sizes ' input_size = 6, kernel_size = 3 ' x.cu
    ends 0 "4 of 4 elements are right"
    judge try --sizes '' x.cu
    ends 2 "expected name=number"
    judge try --seed 3 x.cu
    ends 2 "try: '--seed' needs '--sizes': the samples have data of their own"
    judge try --sizes input_size=5,kernel_size=3 --seed -1 x.cu
    ends 2 "expected a number from 0"
}

@test "make hands it all over" {
    submission >x.cu
    run make -C "$root" --no-print-directory try SUB="$PWD/x.cu" SIZES="input_size=1000,kernel_size=7" SEED=4 DEVICE=sim
    ends 0 "994 of 994 elements are right" "SEED=4"
}

@test "plain C is tried on the CPU alone" {
    submission >x.cu
    sed '/__global__/,/^}/d' x.cu >x.c
    judge try x.c
    ends 2 "x.c: a file in plain C runs only on the CPU, expected --device cpu"
}
