#!/usr/bin/env bash
# Fetches NVIDIA's own compiler with pip into build/toolchain: about 100 MB to fetch, 300 MB on disk, no root, no GPU.
# It is put into place as a whole once it has compiled a kernel.
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
        die "no pip; on Debian and Ubuntu run: sudo apt-get install -y python3-pip"
    fi
    echo "toolchain: installing python3-pip"
    export DEBIAN_FRONTEND=noninteractive
    { apt-get update -qq && apt-get install -y -qq --no-install-recommends python3-pip >/dev/null; } ||
        die "could not be installed: apt-get install python3-pip"
}

# A kernel that needs a header of each wheel, compiled as submissions are.
try() { # NVCC FOLDER
    cat >"$2/try.cu" <<'END'
#include <cooperative_groups.h>
#include <cuda_fp16.h>
#include <cub/block/block_reduce.cuh>
__global__ void scale(float* p) { cooperative_groups::this_thread_block().sync(); p[0] *= __half2float(__float2half(2)); }
extern "C" void solve(float* p) { scale<<<1, 1>>>(p); }
END
    env -i PATH=/usr/bin:/bin TMPDIR="$2" "$1" -O3 -lineinfo -cudart none -gencode 'arch=compute_90,code=[sm_90,compute_90]' \
        -Xcompiler -fPIC -c "$2/try.cu" -o "$2/try.o"
}

[[ $(uname -m) == x86_64 ]] || die "there is no compiler for $(uname -m) among those that were tried"
need_pip
mkdir -p build
fresh=$(mktemp -d build/toolchain.XXXXXX) || die "build/ cannot be written"
trap 'rm -rf "$fresh"' EXIT
chmod 755 "$fresh" # the sandbox's user reads it
echo "toolchain: fetching ${wheels[*]}"
PIP_ROOT_USER_ACTION=ignore python3 -m pip install --quiet --disable-pip-version-check --no-input --no-deps --only-binary :all: --no-compile \
    --target "$fresh/wheels" "${wheels[@]}" || die "the wheels could not be fetched"
mv "$fresh"/wheels/nvidia/cu13 "$fresh/toolkit" || die "the wheels hold no folder nvidia/cu13"
chmod -R a+rX "$fresh/toolkit"
try "$fresh/toolkit/bin/nvcc" "$fresh" || die "the compiler that was fetched does not work here"
rm -rf build/toolchain
mv "$fresh/toolkit" build/toolchain
echo "toolchain: $(build/toolchain/bin/nvcc --version | sed -n 's/.*, V/nvcc /p') is in build/toolchain"
