#!/usr/bin/env bash
# Fetches NVIDIA's compiler with pip into build/toolchain: about 100 MB to download and 300 MB on disk. It needs neither root
# nor a GPU. The folder is put into place after the compiler has compiled a kernel.
# Usage: harness/toolchain.sh
set -euo pipefail
cd "$(dirname "$0")/.."

# nvcc with ptxas and cudafe++; cicc; nvcc's headers; the runtime's headers; cooperative groups, cub and libcu++.
wheels=(nvidia-cuda-nvcc==13.0.88 nvidia-nvvm==13.0.88 nvidia-cuda-crt==13.0.88 nvidia-cuda-runtime==13.0.96
    nvidia-cuda-cccl==13.0.85)

die() {
    printf 'toolchain: %s\n' "$*" >&2
    printf 'toolchain: install the CUDA toolkit by hand (https://developer.nvidia.com/cuda-downloads) and set %s\n' \
        'CUDA_HOME to its folder' >&2
    exit 2
}

need_pip() {
    ! python3 -m pip --version >/dev/null 2>&1 || return 0
    if [[ $(id -u) != 0 ]] || ! command -v apt-get >/dev/null; then
        die "pip is missing; on Debian and Ubuntu run: sudo apt-get install -y python3-pip"
    fi
    echo "toolchain: installing python3-pip"
    export DEBIAN_FRONTEND=noninteractive
    local said
    said=$({ apt-get update -qq && apt-get install -y -qq --no-install-recommends python3-pip; } 2>&1) ||
        die "this failed: apt-get install python3-pip: $said"
}

# compiles_kernel NVCC FOLDER: a kernel that needs a header of each wheel, compiled like a submission
compiles_kernel() {
    cat >"$2/kernel.cu" <<'END'
#include <cooperative_groups.h>
#include <cuda_fp16.h>
#include <cub/block/block_reduce.cuh>
__global__ void scale(float* p) { cooperative_groups::this_thread_block().sync(); p[0] *= __half2float(__float2half(2)); }
extern "C" void solve(float* p) { scale<<<1, 1>>>(p); }
END
    env -i PATH=/usr/bin:/bin TMPDIR="$2" "$1" -O3 -lineinfo -cudart none -gencode 'arch=compute_90,code=[sm_90,compute_90]' \
        -Xcompiler -fPIC -c "$2/kernel.cu" -o "$2/kernel.o"
}

[[ $(uname -m) == @(x86_64|aarch64) ]] || die "NVIDIA has wheels for x86_64 and aarch64, and this machine is $(uname -m)"
need_pip
mkdir -p build
new=$(mktemp -d build/toolchain.XXXXXX) || die "cannot write to build/"
trap 'rm -rf "$new"' EXIT
chmod 755 "$new" # the sandbox's user reads it
echo "toolchain: fetching ${wheels[*]}"
PIP_ROOT_USER_ACTION=ignore python3 -m pip install --quiet --disable-pip-version-check --no-input --no-deps --only-binary :all: --no-compile \
    --target "$new/wheels" "${wheels[@]}" || die "pip could not fetch the wheels"
mv "$new"/wheels/nvidia/cu13 "$new/toolkit" || die "the wheels do not contain the folder nvidia/cu13"
chmod -R a+rX "$new/toolkit"
compiles_kernel "$new/toolkit/bin/nvcc" "$new" || die "the downloaded compiler does not work on this machine"
rm -rf build/toolchain
mv "$new/toolkit" build/toolchain
echo "toolchain: $(build/toolchain/bin/nvcc --version | sed -n 's/.*, V/nvcc /p') is in build/toolchain"
