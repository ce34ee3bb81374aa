#!/usr/bin/env bash
# The naive judge's script: compiles a submission, links it with naive.o, and judges it twice, as if it were handed in
# again. run.sh starts it in a folder with naive.o and case/, and with the paths of libraries and tools set.
# Usage: tests/attacks/naive/judge.sh SUBMISSION NVCC sim|cuda      Leaves compiler.log and run.log in the working folder
set -eu
flags=(-O3 --no-compress -cudart none -gencode 'arch=compute_90,code=[sm_90,compute_90]' -Xcompiler -fPIC)
mkdir lib
"$2" "${flags[@]}" -shared "$1" -o lib/libsubmission.so -L/tmp/runtime -l:libcudart.so.13 >compiler.log 2>&1
g++ naive.o -o naive -Llib -lsubmission -L/tmp/runtime -l:libcudart.so.13 -Wl,--allow-shlib-undefined >>compiler.log 2>&1
simulated=()
if [[ $3 == sim ]]; then simulated=(/tmp/tools/simulated naive lib/libsubmission.so --); fi
status=0
for _ in first again; do
    "${simulated[@]}" ./naive case >/tmp/run.log 2>&1 || status=$?
done
cp /tmp/run.log .
exit "$status"
