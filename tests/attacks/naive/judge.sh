#!/usr/bin/env bash
# The naive judge's script: compiles a submission and links it with naive.o, or judges it, as often as if it were
# handed in again. run.sh starts it in a folder with naive.o and case/, and with the paths of libraries and tools set.
# Usage: tests/attacks/naive/judge.sh compile SUBMISSION NVCC      Leaves compiler.log in the working folder
#        tests/attacks/naive/judge.sh judge sim|cuda TIMES         Leaves run.log, of the last time
set -euo pipefail

compile() { # SUBMISSION NVCC
    local flags=(-O3 --no-compress -cudart none -gencode 'arch=compute_90,code=[sm_90,compute_90]' -Xcompiler -fPIC)
    mkdir lib
    "$2" "${flags[@]}" -shared "$1" -o lib/libsubmission.so -L/tmp/runtime -l:libcudart.so.13 2>&1 |
        tail -c $((17 << 20)) >compiler.log # endless messages must not end the compiler by a full file
    g++ naive.o -o naive -Llib -lsubmission -L/tmp/runtime -l:libcudart.so.13 -Wl,--allow-shlib-undefined \
        >>compiler.log 2>&1
}

judge() { # DEVICE TIMES
    local command=(./naive case) status=0 time
    if [[ $1 == sim ]]; then command=(/tmp/tools/simulated naive lib/libsubmission.so -- "${command[@]}"); fi
    for ((time = 0; time < $2; time++)); do
        "${command[@]}" >/tmp/run.log 2>&1 || status=$?
    done
    cp /tmp/run.log .
    exit "$status"
}

"$@"
