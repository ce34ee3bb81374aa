#!/usr/bin/env bash
# Builds what is needed to compare the simulated GPU with a real one: solutions as shared objects and their driver.
# Usage: tests/hardware/build.sh BUILD     Leaves BUILD/hardware/{driver-sim,driver-cuda,*.so}
set -euo pipefail
cd "$(dirname "$0")/../.."
build=$1
out=$build/hardware
nvcc=${CONVJUDGE_NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
cuda=$(realpath "$(dirname "$nvcc")/..")
mkdir -p "$out"

# Compiles as the judge does (harness/compile/compile.c), without a CUDA runtime: the driver has it.
flags=(-O3 -lineinfo --no-compress -cudart none -gencode 'arch=compute_90,code=[sm_90,compute_90]' -Xcompiler -fPIC)

object() { # SOURCE
    local problem so
    problem=$(cut -d/ -f2 <<<"$1")
    so=$out/$problem.$(basename "$1" .cu).so
    [[ $so -nt $1 ]] || "$nvcc" "${flags[@]}" -I "$out/$problem" -include solve.h -shared -o "$so" "$1"
}
export -f object
export out nvcc
for problem in problems/*/problem.json; do
    folder=$out/$(basename "$(dirname "$problem")")
    mkdir -p "$folder"
    jq -r '"extern \"C\" \(.signature);"' "$problem" >"$folder/solve.h"
done
printf '%s\n' solutions/*/accepted/*.cu | xargs -P "$(nproc)" -I{} bash -c "$(declare -p flags); object {}"
"$nvcc" "${flags[@]}" -shared -o "$out/accesses.wavefronts.so" tests/hardware/wavefronts.cu
"$nvcc" "${flags[@]}" -shared -o "$out/shapes.so" tests/hardware/shapes.cu

"$nvcc" "${flags[@]}" -c tests/hardware/driver.cu -o "$out/driver.o"
gcc -std=gnu11 -O2 -Wall -Wextra -Wno-unused-parameter -I. -D_GNU_SOURCE -isystem "$cuda/include" -c tests/hardware/cudart.c -o "$out/cudart.o"
g++ -rdynamic "$out"/{driver,cudart}.o "$build"/lib{simgpu,base}.a -lcjson -lmd -lpthread -ldl -lm -o "$out/driver-sim"
g++ -rdynamic "$out/driver.o" -L"$cuda/lib64" -lcudart -Wl,-rpath,"$cuda/lib64" -ldl -o "$out/driver-cuda"
