#!/usr/bin/env bash
# Builds what is needed to compare the simulated GPU with a real one: solutions as shared objects and their driver.
# Usage: tools/hardware/build.sh BUILD             Leaves BUILD/hardware/{driver-sim,driver-cuda,*.so}
#        tools/hardware/build.sh BUILD variants    Leaves BUILD/variants/*.so, the kernels of variants.py
set -euo pipefail
cd "$(dirname "$0")/../.."
build=$1
out=$build/hardware
nvcc=${CONVJUDGE_NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
cuda=$(realpath "$(dirname "$nvcc")/..")
mkdir -p "$out"

# Compiles as the judge does (harness/compile/compile.c), without a CUDA runtime: the driver has it. CONVJUDGE_ARCH is the
# compute capability without its point.
arch=${CONVJUDGE_ARCH:-90}
flags=(-O3 -lineinfo --no-compress -cudart none -gencode "arch=compute_$arch,code=[sm_$arch,compute_$arch]" -Xcompiler -fPIC)

object() { # SOURCE, FOLDER/<problem>/[accepted/]<name>.cu
    local problem so
    problem=$(basename "$(dirname "${1/accepted\//}")")
    so=$objects/$problem.$(basename "$1" .cu).so
    [[ $so -nt $1 ]] || "$nvcc" "${flags[@]}" -I "$out/$problem" -I solutions -include solve.h -shared -o "$so" "$1"
}
export -f object
objects=$out
if [[ ${2-} == variants ]]; then
    objects=$build/variants
    tools/hardware/variants.py "$objects/source"
fi
export out objects nvcc
for problem in problems/*/problem.json; do
    folder=$out/$(basename "$(dirname "$problem")")
    mkdir -p "$folder"
    jq -r '"extern \"C\" \(.signature);"' "$problem" >"$folder/solve.h"
done
if [[ ${2-} == variants ]]; then
    printf '%s\n' "$objects"/source/*/*.cu | xargs -P "$(nproc)" -I{} bash -c "$(declare -p flags); object {}"
    exit
fi
printf '%s\n' solutions/*/accepted/*.cu | xargs -P "$(nproc)" -I{} bash -c "$(declare -p flags); object {}"
"$nvcc" "${flags[@]}" -shared -o "$out/accesses.wavefronts.so" tools/hardware/wavefronts.cu
"$nvcc" "${flags[@]}" -shared -o "$out/shapes.so" tools/hardware/shapes.cu

"$nvcc" "${flags[@]}" -c tools/hardware/driver.cu -o "$out/driver.o"
gcc -std=gnu11 -O2 -Wall -Wextra -Wno-unused-parameter -I. -Iharness/cuda -D_GNU_SOURCE -c tools/hardware/cudart.c -o "$out/cudart.o"
gcc -std=gnu11 -O2 -Wall -Wextra -I. -D_GNU_SOURCE -c tools/hardware/counts.c -o "$out/counts.o"
g++ -rdynamic -Wl,--wrap=machine_code_wait,--wrap=machine_total,--wrap=cost_model "$out"/{driver,cudart,counts}.o \
    "$build"/lib{simgpu,base}.a -lcjson -lmd -lpthread -ldl -lm -o "$out/driver-sim"
g++ -rdynamic "$out/driver.o" -L"$cuda/lib64" -lcudart -Wl,-rpath,"$cuda/lib64" -ldl -o "$out/driver-cuda"
