#!/usr/bin/env bats
# The judge's CUDA runtime library against the one of the installed toolkit.

# shellcheck disable=SC2034 # helper.bash reads it
any_compiler=1
load helper

# Names of the functions and variables that a library exports.
exports_of() { nm -D --defined-only "$1" | awk '{sub(/@.*/, "", $3); print $3}' | grep -E '^_*cuda' | sort -u; }

# Sets library: the one of the toolkit.
find_library() {
    local toolkit
    finds nvcc
    toolkit=$(realpath "$(dirname "$(realpath "$nvcc")")/..")
    library=$(find "$toolkit/" -name 'libcudart.so.1*' -print -quit)
    [[ -n $library ]] || skip "a CUDA toolkit without libcudart.so"
}

# The name and the words of each error, of a library.
errors_of() {
    python3 - "$1" <<'END'
import ctypes, sys
library = ctypes.CDLL(sys.argv[1])
for function in library.cudaGetErrorName, library.cudaGetErrorString:
    function.restype = ctypes.c_char_p
for error in range(-1, 1100):
    print(error, library.cudaGetErrorName(error).decode(), library.cudaGetErrorString(error).decode())
END
}

@test "each function of CUDA's runtime library is carried out or refused by name, so that none fails to link" {
    find_library
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

@test "each error has the name and the words that CUDA gives it" {
    find_library
    [[ $library == *.so.13* ]] || skip "the words are those of CUDA 13"
    errors_of "$library" >theirs
    errors_of "$build/libcudart.so.13" >ours
    file_has ours '^21 cudaErrorInvalidMemcpyDirection invalid copy direction for memcpy$'
    equal "" "$(diff theirs ours)"
}
