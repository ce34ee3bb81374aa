#!/usr/bin/env bats
# The judge's CUDA runtime library against the one of the installed toolkit.

load helper

# Names of the functions and variables that a library exports.
exports_of() { nm -D --defined-only "$1" | awk '{sub(/@.*/, "", $3); print $3}' | grep -E '^_*cuda' | sort -u; }

@test "each function of CUDA's runtime library is carried out or refused by name, so that none fails to link" {
    local toolkit library
    toolkit=$(realpath "$(dirname "$(realpath "$(command -v nvcc)")")/..") || skip "no CUDA toolkit"
    library=$(find "$toolkit/" -name 'libcudart.so.1*' -print -quit)
    [[ -n $library ]] || skip "a CUDA toolkit without libcudart.so"
    exports_of "$library" >theirs
    exports_of "$build/libcudart.so.13" >ours
    [[ $(wc -l <theirs) -gt 300 ]]
    equal "" "$(comm -23 theirs ours)"
}

@test "a function that is refused is named as a limit of the judge" {
    { echo 'extern "C" int cudaGLSetGLDevice(int);' && submission 'if (cudaGLSetGLDevice(0) != 0) return;'; } >x.cu
    judge grade --no-record x.cu
    ends 2 "Judge Error" "a limit of the judge" "cudaGLSetGLDevice"
}
