#!/usr/bin/env bats
# The simulated GPU without NVIDIA's software: submissions compiled by clang with the judge's own CUDA headers.

bats_require_minimum_version 1.5.0
# shellcheck disable=SC2034 # helper.bash reads it
any_compiler=1
load helper

by_clang() {
    finds clang
    export CONVJUDGE_COMPILER=clang
}

# Of GPUs, clang 16 knows no half precision, and it calls functions that nothing defines.
is_clang_16() {
    [[ $("$clang" -dumpversion) == 16.* ]]
}

# A home of the judge with one problem and one reference solution.
small_home() {
    export CONVJUDGE_HOME=$BATS_TEST_TMPDIR/home
    mkdir -p "$CONVJUDGE_HOME"/{simgpu,problems,testcases,leaderboard,solutions/conv1d/accepted}
    ln -s "$root/base" "$root/grader" "$root/harness" "$CONVJUDGE_HOME/"
    ln -s "$root/simgpu/profiles" "$CONVJUDGE_HOME/simgpu/"
    ln -s "$root/problems/conv1d" "$CONVJUDGE_HOME/problems/"
    ln -s "$root/testcases/conv1d" "$CONVJUDGE_HOME/testcases/"
    ln -s "$root/leaderboard/references" "$CONVJUDGE_HOME/leaderboard/"
    cp "$root/solutions/conv1d/accepted/naive.cu" "$CONVJUDGE_HOME/solutions/conv1d/accepted/"
}

@test "the result names the compiler and no register counts, which clang does not report" {
    by_clang
    submission >x.cu
    judge grade --no-record --json result.json x.cu
    ends 0 "Accepted" "compiled by clang" "modelled"
    lacks "registers"
    json result.json '[.verdict, .device, (.toolkit | test("^clang [0-9]+[.]")), .compile.kernels, (.compile | has("registers"))]
        | tostring' '["Accepted","sim-h200-clang",true,[],false]'
}

@test "times of the two compilers never mix" {
    by_clang
    finds nvcc
    small_home
    submission >x.cu
    judge grade --as Ada x.cu
    ends 0 "Accepted"
    CONVJUDGE_COMPILER=nvcc judge grade --as Ben x.cu
    ends 0 "Accepted" "1 of 1 in the class"
    stored 'SELECT device, person, count(DISTINCT toolkit) FROM runs GROUP BY device' $'sim-h200|Ben|1\nsim-h200-clang|Ada|1'
    # Reference times for nvcc come with the judge; those for clang are measured when they are first needed.
    stored 'SELECT DISTINCT device FROM reference_times' sim-h200-clang
    judge leaderboard --problem conv1d
    ends 0 "sim-h200-clang" "Ada" "Ben"
}

@test "a file without kernels is judged as well" {
    by_clang
    judge check --device sim "$root/solutions/conv1d/rule_violation/computed_on_the_cpu.cu"
    ends 0 "ok 1 - "
}

@test "files that differ only in their name, comments and line breaks have the same machine code" {
    by_clang
    submission >x.cu
    submission | sed 's/^__global__/\/\/ a comment\n\n&/' >y.cu
    submission | sed 's/sum += /sum -= /' >z.cu
    local file
    for file in x y z; do
        judge grade --no-record --json $file.json $file.cu
        has_lines "$([[ $file == z ]] && echo 'Wrong Answer' || echo Accepted)"
    done
    json x.json '.machine_code | test("^[0-9a-f]{16,}$")' true
    json y.json .machine_code "$(jq -r .machine_code x.json)"
    json z.json ".machine_code == $(jq .machine_code x.json)" false
}

@test "CUDA features that clang's subset lacks are refused by name, with what to do" {
    by_clang
    local header
    for header in cuda_fp8 cooperative_groups nvrtc; do
        { echo "#include <$header.h>"; submission; } >x.cu
        judge grade --no-record x.cu
        ends 2 "Judge Error" "x.cu: $header.h is a header of" "clang compiles a subset of CUDA without it" "x.cu:1:" "make toolchain"
    done
    submission '' 'output[i] = tex2D<float>(input_size, 0.5f, 0.5f);' >x.cu
    judge grade --no-record x.cu
    ends 2 "Judge Error" "a limit of the judge: clang" "x.cu:9:" "textures and surfaces need nvcc" "make toolchain"
    local what call
    while IFS=: read -r what call; do
        submission '' "output[i] = ($call, 0);" >x.cu
        judge grade --no-record x.cu
        ends 2 "Judge Error" "x.cu:9:" "$what need nvcc: clang compiles a subset of CUDA" "make toolchain"
    done <<'END'
these mathematical functions:erfinvf(input[i])
these mathematical functions:acosf(input[i])
instructions on packed or several integers:__vadd2(input_size, 1)
break points and counters of a profiler:__brkpt()
these functions of half precision:hexp(input[i])
atomics of 128 bits:__u128AtomicExch(output, output)
atomics of vectors:atomicAdd((float2 *)output, make_float2(0, 0))
atomics of 16 bits:atomicCAS((unsigned short *)output, (unsigned short)0, (unsigned short)1)
END
    { echo '#include <cuda_fp16.h>'; submission '' 'atomicAdd((half *)output, half(1));'; } >x.cu
    judge grade --no-record x.cu
    if is_clang_16; then
        ends 2 "Judge Error" "half precision needs nvcc, or clang 17: clang compiles a subset of CUDA" "make toolchain"
        submission '' '__shared__ alignas(16) float tile[64]; tile[threadIdx.x & 63] = input[0];' >x.cu
        judge grade --no-record x.cu
        ends 2 "Judge Error" "x.cu: alignas() after __shared__ needs clang 18; before __shared__, every version takes it" "make toolchain"
    else
        ends 2 "Judge Error" "x.cu:10:" "atomics of half precision need nvcc: clang compiles a subset of CUDA" "make toolchain"
        { echo '#include <mma.h>'; submission '' 'nvcuda::wmma::fragment<nvcuda::wmma::accumulator, 8, 8, 4, double> sums; output[i] = sums.x[0];'; } >x.cu
        judge grade --no-record x.cu
        ends 2 "Judge Error" "matrices of this type or size need nvcc: clang compiles a subset of CUDA" "make toolchain"
    fi
    local bound
    for bound in __cluster_dims__ __block_size__; do
        submission | sed "s/__global__ void/& $bound(1)/" >x.cu
        judge grade --no-record x.cu
        ends 2 "Judge Error" "kernels with $bound need nvcc: clang compiles a subset of CUDA" "make toolchain"
    done
    submission '' 'output[i] = acos(input_size);' >x.cu # <cmath> converts integers to double
    judge grade --no-record x.cu
    if is_clang_16; then
        ends 2 "Judge Error" "the simulated GPU does not implement 'call.uni': acos"
    else
        ends 2 "Judge Error" "a kernel calls the function acos(): clang compiles a subset of CUDA without it" "make toolchain"
    fi
    lacks "Stack dump"
    submission 'cudaMemcpyNoSuchThing();' >x.cu
    judge grade --no-record x.cu
    ends 1 "Compile Error" "cudaMemcpyNoSuchThing" "make toolchain"
}

@test "an ordinary error does not mention the subset" {
    by_clang
    submission '' 'int x = ;' >x.cu
    judge grade --no-record x.cu
    ends 1 "Compile Error" "x.cu:9:" "expected expression"
    lacks "subset"
}

@test "a wrong solve() is answered with the right signature" {
    by_clang
    local wrong
    for wrong in 's/solve(const float\*/solve(float*/' 's/extern "C" void solve/static void solve/' 's/extern "C" void solve/int solve/' \
        's/extern "C" void solve/void resolve/'; do
        submission | sed "$wrong" >x.cu
        judge grade --no-record --problem conv1d x.cu
        ends 1 "Compile Error" "solve()" "the signature"
    done
}

# Compares mathematical functions with the host's: each within four units in the last place over its range.
@test "mathematical functions are accurate to a few units in the last place" {
    by_clang
    cat >x.cu <<'EOF'
// problem: conv1d
#include <cmath>
#include <cstdio>
#define FUNCTIONS(F) F(exp, -80, 80) F(exp2, -100, 100) F(log, 1e-30, 1e4) F(log2, 0.5, 2) F(log10, 1e-3, 1e9) F(sin, -1e4, 1e4) \
    F(cos, -7, 7) F(tan, -1.5, 1.5) F(tanh, -4, 4)
enum { SAMPLES = 4096 };
#define KERNEL(name, low, high) \
    __global__ void k_##name(float *y) { int i = blockIdx.x * blockDim.x + threadIdx.x; \
        y[i] = name##f((float)(low + (high - (low)) * (i / (double)SAMPLES))); }
FUNCTIONS(KERNEL)
__global__ void k_double(double *y) { int i = threadIdx.x; double x = i * 0.375 - 40;
    y[i] = exp(x); y[256 + i] = sin(x); y[512 + i] = log(i + 0.125); y[768 + i] = pow(i + 0.5, 1.7); }
__global__ void correct(const float *input, const float *kernel, float *output, int n, int k)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > n - k) return;
    float sum = 0;
    for (int j = 0; j < k; j++) sum += input[i + j] * kernel[j];
    output[i] = sum;
}
static void check(const char *name, double x, double got, double expected, double ulp)
{
    double error = std::fabs(got - expected) / ulp;
    if (!(error <= 4)) printf("%s(%.17g) = %.17g, expected %.17g\n", name, x, got, expected);
}
extern "C" void solve(const float *input, const float *kernel, float *output, int input_size, int kernel_size)
{
    static float y[SAMPLES];
    static double z[1024];
    void *d;
    cudaMalloc(&d, sizeof y);
#define CHECK(name, low, high) \
    k_##name<<<SAMPLES / 256, 256>>>((float *)d); \
    cudaMemcpy(y, d, sizeof y, cudaMemcpyDeviceToHost); \
    for (int i = 0; i < SAMPLES; i++) { \
        float x = (float)(low + (high - (low)) * (i / (double)SAMPLES)); \
        double e = std::name((double)x); \
        check(#name "f", x, y[i], e, std::fmax(std::fabs(e) * 1.2e-7, 1e-38)); }
    FUNCTIONS(CHECK)
    k_double<<<1, 256>>>((double *)d);
    cudaMemcpy(z, d, sizeof z, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 256; i++) {
        double x = i * 0.375 - 40;
        check("exp", x, z[i], std::exp(x), std::exp(x) * 2.2e-16);
        check("sin", x, z[256 + i], std::sin(x), 2.2e-16);
        check("log", i + 0.125, z[512 + i], std::log(i + 0.125), std::fmax(std::fabs(std::log(i + 0.125)), 0.1) * 2.2e-16);
        check("pow", i + 0.5, z[768 + i], std::pow(i + 0.5, 1.7), std::pow(i + 0.5, 1.7) * 1e-15);
    }
    cudaFree(d);
    correct<<<(input_size + 255) / 256, 256>>>(input, kernel, output, input_size, kernel_size);
    cudaDeviceSynchronize();
    printf("checked\n");
}
EOF
    judge grade --no-record --json result.json x.cu
    ends 0 "Accepted"
    json result.json '[.cases[].printed // empty] | unique | join(";")' checked
}

@test "device functions of one instruction, half precision, bfloat16 and matrices give what nvcc's give" {
    by_clang
    local compiler file files=intrinsics
    if ! is_clang_16; then files+=" half bfloat16 matrices"; fi
    for compiler in clang nvcc; do
        finds $compiler
        for file in $files; do
            CONVJUDGE_COMPILER=$compiler judge grade --no-record --json result.json "$root/tests/clang/$file.cu"
            ends 0 "Accepted"
            json result.json '[.cases[].printed // empty] | unique | join(";") | rtrimstr("\n")' 'bad 0'
        done
    done
}

# kernels_of_functions: writes one kernel for each call that tests/clang/functions.txt lists, one a line.
kernels_of_functions() {
    printf '#include <cuda_bf16.h>\n#include <cuda_fp16.h>\ntemplate <class T> __device__ T any();\n'
    awk -F': ' '/^[^#]/ { types = split($1, type, /, */); names = split($2, name, " ")
        for (n = 1; n <= names; n++) {
            printf "__global__ void f%d() { %s(", ++count, name[n]
            for (t = 1; t <= types; t++) printf "%s%s", (t > 1 ? ", any<" : "any<"), type[t] ">()"
            print "); }"
        } }' "$root/tests/clang/functions.txt"
}

# refused_by_name COMMAND... FILE [OPTION...]: compiling fails, with nothing but refusals; writes the other lines to rest.cu.
refused_by_name() {
    local file
    file=$(printf '%s\n' "$@" | grep '\.cu$')
    "$@" -w -ferror-limit=0 2>errors && return 1
    equal '' "$(grep ' error: ' errors | grep -v 'clang compiles a subset of CUDA without')"
    awk -F: -v file="$file" 'FILENAME == "errors" && $1 == file { refused[$2] } FILENAME == file && !(FNR in refused)' errors "$file" >others
    mv others rest.cu
}

@test "each device function of CUDA compiles, or is refused by name" {
    by_clang
    ! is_clang_16 || skip "needs clang 17, for half precision"
    local device=(-x cuda --cuda-device-only --cuda-gpu-arch=sm_90 -nocudainc -nocudalib --cuda-path="$root/harness/cuda"
        -D__CUDACC__ -Wno-unknown-cuda-version -Xclang -target-sdk-version=11.8 --cuda-feature=+ptx78 -std=c++17
        -isystem "$root/harness/cuda" -include cuda_runtime.h)
    kernels_of_functions >all.cu
    holds "$(wc -l <all.cu) > 1300"
    if nvcc=$("$root/harness/compilers.sh" nvcc); then "$nvcc" -w -arch=sm_90 -ptx all.cu -o all.ptx; fi
    # The parser refuses some, the code generator others, and of the rest there must be device code.
    refused_by_name "$clang" "${device[@]}" -fsyntax-only all.cu
    refused_by_name "$clang" "${device[@]}" -O1 -S rest.cu -o rest.ptx
    holds "$(wc -l <rest.cu) > 900"
    "$clang" "${device[@]}" -w -O1 -S rest.cu -o rest.ptx
    equal free "$(grep -A 1 '^.extern .func' rest.ptx | grep -oE '\b[a-z]+$' | sort -u | xargs)"
}

@test "what ends host code names its line" {
    by_clang
    local files=("$root"/tests/messages/host_{division,exception,exit,pointer}.cu)
    # Until version 17, clang's checks of arrays share one trap, which belongs to no line.
    if [[ $("$clang" -dumpversion) != 1[67].* ]]; then files+=("$root/tests/messages/host_past_array.cu"); fi
    judge check "${files[@]}"
    ends 0
    counts ${#files[@]} "^ok "
}

@test "no launch is refused because registers are only estimated" {
    by_clang
    local bounds
    for bounds in '__launch_bounds__(1024)' ''; do
        cat >x.cu <<EOF
// problem: conv1d
__global__ void $bounds wide(const float *input, const float *kernel, float *output, int n, int k)
{
    const int R = 64;
    long start = ((long)blockIdx.x * blockDim.x + threadIdx.x) * R;
    float sum[R], window[R];
#pragma unroll
    for (int r = 0; r < R; r++) { sum[r] = 0; window[r] = start + r < n ? input[start + r] : 0; }
    for (int j = 0; j < k; j++) {
#pragma unroll
        for (int r = 0; r < R; r++) sum[r] += kernel[j] * window[r];
#pragma unroll
        for (int r = 0; r + 1 < R; r++) window[r] = window[r + 1];
        window[R - 1] = start + R + j < n ? input[start + R + j] : 0;
    }
#pragma unroll
    for (int r = 0; r < R; r++) if (start + r <= n - k) output[start + r] = sum[r];
}
extern "C" void solve(const float *input, const float *kernel, float *output, int input_size, int kernel_size)
{
    int per = 1024 * 64;
    wide<<<(input_size - kernel_size + per) / per, 1024>>>(input, kernel, output, input_size, kernel_size);
    cudaDeviceSynchronize();
}
EOF
        judge grade --no-record x.cu
        ends 0 "Accepted"
    done
}

@test "the newest clang that can compile a kernel is taken, and the reason named where none can" {
    by_clang
    mkdir bin
    local program
    for program in clang-97 clang-98; do
        cat >bin/$program <<'EOF'
#!/bin/sh
case "$*" in
*--version*) echo "clang version ${0##*-}.0.0" ;;
*--print-supported-cpus*) echo sm_90 ;;
*) echo "/usr/include/limits.h:5:1: error: no such type on this target" >&2; exit 1 ;;
esac
EOF
        chmod +x bin/$program
    done
    submission >x.cu
    PATH=$PWD/bin:$PATH judge grade --no-record --json result.json x.cu
    ends 0 "Accepted"
    json result.json '.toolkit | test("^clang (1[6-9]|[2-8][0-9])[.]")' true
    ln -s "$(command -v gcc)" bin/ # for the oracle
    run env PATH="$PWD/bin" "$build/convjudge" grade --no-record x.cu
    ends 2 "clang 98.0.0" "does not work here: a small kernel does not compile" "limits.h:5:1: error: no such type on this target"
}

@test "a header of the system that clang cannot read is a fault of the judge" {
    by_clang
    mkdir bin
    chmod 755 . bin
    cat >bin/clang-98 <<EOF
#!/bin/sh
case "\$*" in
*submission*) echo "/usr/include/limits.h:5:1: error: no such type on this target" >&2; exit 1 ;;
*) exec $clang "\$@" ;;
esac
EOF
    chmod 755 bin/clang-98
    submission >x.cu
    PATH=$PWD/bin:$PATH CONVJUDGE_CACHE=$PWD/cache judge grade --no-record x.cu
    ends 2 "Judge Error" "a limit of the judge: its compiler cannot read a header of this system" "limits.h:5:1: error: no such type on this target"
}

@test "a toolchain beside the judge's program is found whatever CONVJUDGE_HOME says, in a folder with a space" {
    finds nvcc
    mkdir -p "a judge/build/toolchain/bin"
    cp "$build"/{convjudge,convjudge-runner,libcudart.so.13} "a judge/build/"
    printf '#!/bin/sh\necho asked >>"%s/asked"\nexec "%s" "$@"\n' "$PWD" "$nvcc" >"a judge/build/toolchain/bin/nvcc"
    chmod +x "a judge/build/toolchain/bin/nvcc"
    submission >x.cu
    CONVJUDGE_HOME=$root CONVJUDGE_COMPILER=nvcc run "a judge/build/convjudge" grade --no-record x.cu
    ends 0 "Accepted"
    [[ -s asked ]]
}

# hide_nvcc: `hidden` are bubblewrap's options that hide every nvcc, and home/build/ has a judge beside no build/toolchain.
hide_nvcc() {
    local folder
    /usr/bin/bwrap --dev-bind / / true || skip "nothing can be hidden here"
    hidden=()
    for folder in /usr/local/cuda /usr/local/cuda-13 /usr/local/cuda-13.0 /opt/cuda /usr/lib/cuda /usr/lib/nvidia-cuda-toolkit; do
        if [[ -d $folder ]]; then hidden+=(--tmpfs "$(realpath "$folder")"); fi
    done
    mkdir -p home/build bin
    cp "$build"/{convjudge,convjudge-runner,libcudart.so.13} home/build/
    ln -s "$(command -v gcc)" bin/ # for the oracle
}

@test "an nvcc that does not answer is not passed over for clang without a word" {
    hide_nvcc
    printf '#!/bin/sh\nexit 1\n' >bin/nvcc
    chmod +x bin/nvcc
    submission >x.cu
    run env -u CUDA_HOME -u CONVJUDGE_COMPILER -u CONVJUDGE_NVCC CONVJUDGE_HOME="$root" PATH="$PWD/bin" \
        /usr/bin/bwrap --dev-bind / / "${hidden[@]}" home/build/convjudge grade --no-record x.cu
    ends 2 "$PWD/bin/nvcc: does not report its toolkit's folder and version; run \`make toolchain\`"
    finds clang
    ln -s "$clang" bin/clang
    run env -u CUDA_HOME -u CONVJUDGE_COMPILER -u CONVJUDGE_NVCC CONVJUDGE_HOME="$root" PATH="$PWD/bin" \
        /usr/bin/bwrap --dev-bind / / "${hidden[@]}" home/build/convjudge grade --no-record x.cu
    ends 0 "Accepted" "compiler            clang" ": $PWD/bin/nvcc: does not report its toolkit's folder and version; run \`make toolchain\`"
}

@test "where there is no compiler, what to do is said" {
    hide_nvcc
    submission >x.cu
    run env -u CUDA_HOME -u CONVJUDGE_COMPILER -u CONVJUDGE_NVCC CONVJUDGE_HOME="$root" PATH="$PWD/bin" \
        /usr/bin/bwrap --dev-bind / / "${hidden[@]}" home/build/convjudge grade --no-record x.cu
    ends 2 "no CUDA compiler found: no nvcc, and no clang 16 or later found; run \`make toolchain\`" "for the simulated GPU, clang 16 or later is enough"
    run env -u CUDA_HOME -u CONVJUDGE_NVCC CONVJUDGE_COMPILER=nvcc CONVJUDGE_HOME="$root" PATH="$PWD/bin" \
        /usr/bin/bwrap --dev-bind / / "${hidden[@]}" home/build/convjudge grade --no-record x.cu
    ends 2 "no nvcc found; run \`make toolchain\`, or install the CUDA toolkit and set CUDA_HOME to its folder"
}

# layout_by FOLDER: prints the value of every enumerator and the layout of every struct that the judge's CUDA headers
# declare, as the headers in FOLDER define them.
layout_by() {
    local headers=$root/harness/cuda
    {
        echo '#include <stddef.h>'
        echo '#include <stdio.h>'
        echo '#include <cuda_runtime_api.h>'
        echo 'int main(void) {'
        sed -nE '/^(typedef )?enum .*\{$/,/^}/p' "$headers/driver_types.h" | grep -oE '\bcuda[A-Z]\w*( =)?' | grep -oE 'cuda\w+' |
            sort -u | grep -vxFf <(grep -oE 'enum cuda\w+' "$headers/driver_types.h" | cut -d' ' -f2) |
            sed 's/.*/printf("& %lld\\n", (long long)&);/'
        grep -oE ', cuda\w+,' "$headers/cuda_error.def" | grep -oE 'cuda\w+' | sed 's/.*/printf("& %d\\n", (int)&);/'
        grep -oE '^#define cuda\w+ 0x\w+' "$headers/driver_types.h" | cut -d' ' -f2 | sed 's/.*/printf("& %d\\n", (int)&);/'
        awk '/^struct cuda/ { name = $2; depth = 0; print "printf(\"" name " %zu\\n\", sizeof(struct " name "));"; next }
             /^}/ { name = "" }
             name == "" { next }
             { line = $0; opened = gsub(/{/, "{", line); closed = gsub(/}/, "}", line)
               if (depth == 0 && !opened || depth + opened - closed == 0 && closed) {
                   gsub(/\[[^]]*\]|^ *(unsigned int|enum [a-zA-Z0-9]+|struct [a-zA-Z0-9]+|[a-zA-Z_]+[0-9a-zA-Z_]*) +|[*;}]/, "", line)
                   count = split(line, field, /, */)
                   for (i = 1; i <= count; i++) { gsub(/ /, "", field[i]); if (field[i] != "")
                       print "printf(\"" name "." field[i] " %zu\\n\", offsetof(struct " name ", " field[i] "));" }
               }
               depth += opened - closed }' "$headers/driver_types.h"
        echo 'return 0; }'
    } >layout.c
    gcc -std=gnu11 -w -I"$1" layout.c -o layout && ./layout
}

@test "the judge's CUDA headers agree with NVIDIA's" {
    local toolkit
    finds nvcc
    toolkit=$("$nvcc" --dryrun -E -x cu /dev/null 2>&1 |
        sed -n 's/^#$ _HERE_=\(.*\)bin$/\1/p') || true
    grep -q 'CUDART_VERSION *13' "$toolkit/include/cuda_runtime_api.h" 2>/dev/null || skip "no CUDA 13 to compare with"
    layout_by "$root/harness/cuda" >ours
    layout_by "$toolkit/include" >theirs
    holds "$(wc -l <ours) > 400"
    diff ours theirs
}

@test "GPU code that clang's device step did not make is refused" {
    by_clang
    judge check "$root"/tests/attacks/{garbage_in_the_fatbin_section,surplus_module,{machine_code,ptx}_of_another_kernel,forge_the_module}.cu
    ends 0
    counts 5 "^ok "
}

@test "inline assembly that NVIDIA's assembler would refuse is a run-time error that names its operand" {
    by_clang
    judge check "$root"/tests/attacks/{negated_number,wide_sum_in_a_narrow_register}.cu
    ends 0
    counts 2 "^ok "
    judge grade --no-record "$root/tests/attacks/wide_sum_in_a_narrow_register.cu"
    ends 1 "Run-Time Error" "this is not PTX: 'add.s64': operand 1 is a register of 32 bits, expected a register of 64 bits" "(wide_sum_in_a_narrow_register.cu:12"
}
