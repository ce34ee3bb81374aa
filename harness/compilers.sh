#!/usr/bin/env bash
# Prints the path of the compiler that the judge uses, after checking that it works. If there is none, or if it does not
# work, one line on standard error says why, and the exit status is 1.
#   nvcc    must compile harness/cuda/probe.cu; found in the same order as by harness/compile/toolkit.c
#   clang   the newest that compiles the same with the judge's own CUDA headers, as harness/compile/toolkit.c finds it
#   fuzzer  the first clang that links a fuzzer, which needs the package with clang's runtime libraries
# Usage: harness/compilers.sh nvcc|clang|fuzzer
#        harness/compilers.sh nvcc untried       says where it is, or that there is none, in no time
set -euo pipefail
cd "$(dirname "$0")/.."
export LC_ALL=C

die() { printf '%s\n' "$*" >&2; exit 1; }

work=$(mktemp -d 2>/dev/null) || die "no temporary folder can be made in ${TMPDIR:-/tmp}"
trap 'rm -rf "$work"' EXIT

printf 'int LLVMFuzzerTestOneInput(const char *data, unsigned long size) { return data == 0 && size > 0; }\n' >"$work/fuzzer.c"

# works COMMAND...: runs it without the environment, as the sandbox does, and keeps its output
works() {
    env -i PATH=/usr/bin:/bin TMPDIR="$work" "$@" >"$work/said" 2>&1
}

# The line of that output that best explains a failure.
reason() {
    { grep -m 1 -iE 'error|cannot|not found|unsupported' "$work/said" || head -n 1 "$work/said"; } | cut -c 1-200
}

find_nvcc() {
    local place
    if [[ -n ${CONVJUDGE_NVCC:-} ]]; then
        printf '%s\n' "$CONVJUDGE_NVCC"
        return
    fi
    for place in build/toolchain/bin/nvcc "$(command -v nvcc || true)" "${CUDA_HOME:-}/bin/nvcc" /usr/local/cuda/bin/nvcc \
        /usr/local/cuda-13/bin/nvcc /opt/cuda/bin/nvcc /usr/lib/cuda/bin/nvcc /usr/lib/nvidia-cuda-toolkit/bin/nvcc; do
        if [[ -x $place ]]; then
            printf '%s\n' "$place"
            return
        fi
    done
}

find_clangs() {
    local version
    for version in {99..16}; do command -v "clang-$version" || true; done
    if version=$(clang -dumpversion 2>/dev/null) && ((${version%%.*} >= 16)); then command -v clang; fi
}

# compiles_cuda CLANG: both sides, with the important flags of harness/compile/compile.c
compiles_cuda() {
    local side
    for side in device host; do
        works "$1" -x cuda "--cuda-$side-only" --cuda-gpu-arch=sm_90 -nocudainc -nocudalib --cuda-path=harness/cuda -D__CUDACC__ \
            -Wno-unknown-cuda-version -Xclang -target-sdk-version=11.8 --cuda-feature=+ptx78 -Wno-unused-command-line-argument \
            -isystem harness/cuda -include cuda_runtime.h -S harness/cuda/probe.cu -o "$work/probe.$side" || return
    done
}

mapfile -t clangs < <(find_clangs)
case ${1:-} in
nvcc)
    nvcc=$(find_nvcc)
    [[ -n $nvcc ]] || die "there is no nvcc"
    [[ ${2:-} == untried ]] || works "$nvcc" -O3 -lineinfo -cudart none -Xcompiler -fPIC -c harness/cuda/probe.cu -o "$work/probe.o" ||
        die "$nvcc does not compile a kernel: $(reason)"
    realpath -s "$nvcc" # whoever asks may stand elsewhere
    ;;
clang)
    ((${#clangs[@]} > 0)) || die "there is no clang 16 or later"
    why=
    for clang in "${clangs[@]}"; do
        if compiles_cuda "$clang"; then
            printf '%s\n' "$clang"
            exit
        fi
        why=${why:-$clang does not compile a kernel: $(reason)}
    done
    die "$why"
    ;;
fuzzer)
    ((${#clangs[@]} > 0)) || die "there is no clang 16 or later"
    for clang in "${clangs[@]}"; do
        if works "$clang" -fsanitize=fuzzer,address,undefined "$work/fuzzer.c" -o "$work/fuzzer"; then
            printf '%s\n' "$clang"
            exit
        fi
    done
    name=$(basename "${clangs[0]}") version=$("${clangs[0]}" -dumpversion)
    die "$name links no fuzzer; install its runtime (Debian: libclang-rt-${version%%.*}-dev; Fedora, Arch: compiler-rt)"
    ;;
*) die "usage: harness/compilers.sh nvcc|clang|fuzzer" ;;
esac
