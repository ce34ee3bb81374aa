#!/usr/bin/env bats
# convjudge try: a submission on a case of its author's own, or on the samples alone.

bats_require_minimum_version 1.5.0
load helper

npy() { # FILE NUMBER...: a vector of floats
    python3 - "$@" <<'EOF'
import struct, sys
data = [float(x) for x in sys.argv[2:]]
header = "{'descr': '<f4', 'fortran_order': False, 'shape': (%d,), }" % len(data)
header += ' ' * (-(11 + len(header)) % 64) + '\n'
open(sys.argv[1], 'wb').write(b'\x93NUMPY\x01\x00' + struct.pack('<H', len(header)) + header.encode() + struct.pack('<%df' % len(data), *data))
EOF
}

@test "a right submission is shown how near it is, and nothing is recorded" {
    submission >x.cu
    judge try --sizes input_size=1000,kernel_size=7 --json result.json x.cu
    ends 0 "Accepted" "input_size=1000,kernel_size=7: 994 of 994 elements are right" "the data: random ones with SEED="
    lacks "rank"
    json result.json '[.verdict, (.cases | length), .cases[0].sizes.input_size] | tostring' '["Accepted",1,1000]'
    [[ ! -e $CONVJUDGE_DB ]]
}

@test "a mistake is shown with all its numbers, and a seed repeats the data" {
    submission | sed 's/sum += /sum -= /' >x.cu
    local seed
    for seed in 12 12 13; do
        judge try --sizes kernel_size=7,input_size=1000 --seed $seed --device sim x.cu
        ends 1 "first  output[0]: expected"
        grep 'first  output' <<<"$output" >>seen
    done
    [[ $(sed -n 1p seen) == "$(sed -n 2p seen)" && $(sed -n 1p seen) != "$(sed -n 3p seen)" ]]
}

@test "without sizes the samples alone are run" {
    submission >x.cu
    judge try --json - x.cu
    ends 0
    json <(echo "$output" | sed -n '/^{/,$p') '[.cases[].timed] | any' false
}

@test "data come from files" {
    submission >x.cu
    npy a.npy 1 2 3 4 5
    npy taps.npy 1 0 2
    sed 's/output\[i\] = sum/output[i] = -sum/' x.cu >y.cu
    judge try --sizes input_size=5,kernel_size=3 --data a.npy,kernel=taps.npy y.cu
    ends 1 "expected 7, got -7"
    judge try --sizes ' input_size = 5, kernel_size = 3 ' --data a.npy --seed 4 x.cu
    ends 0 "  the data: what no file gives is random, with SEED=4, which repeats it"
}

@test "the smallest sizes that fail are found, and the command that shows them once more" {
    submission '' 'if (input_size - kernel_size > 100 && i == 7) { output[i] = 12345.678f; return; }' >x.cu
    judge try --find --seed 3 --json result.json x.cu
    ends 1 "output[7]: expected" "got 12345.6" "  the smallest sizes found that fail, of " " tried; once more:" "convjudge try --sizes input_size=102,kernel_size=1 --seed 3 -- x.cu"
    json result.json '.cases[0].sizes.input_size' 102
    submission | sed 's/sum += /sum -= /' >y.cu
    judge try --find y.cu
    ends 1 "the example of the statement: Wrong Answer"
    lacks "sizes found"
}

@test "a right submission is tried on many sizes" {
    submission >x.cu
    judge try --find x.cu
    ends 0 "Accepted" "  none of " " other sizes fails, with random data (SEED="
}

@test "make hands it all over" {
    submission >x.cu
    run make -C "$root" --no-print-directory try SUB="$PWD/x.cu" SIZES="input_size=1000,kernel_size=7" SEED=4 DEVICE=sim
    ends 0 "994 of 994 elements are right" "SEED=4"
}

@test "a trace names the factor that is wrong, in each wrong sample and in sizes of one's own" {
    submission | sed 's/kernel\[/kernel[kernel_size - 1 - /' >x.cu
    judge trace --json trace.json x.cu
    ends 1
    json trace.json '[.traces[] | .is_wrong and (.rows | length > 0)] | all' true
    judge trace --output 2 --sizes input_size=9,kernel_size=3 --seed 5 x.cu
    ends 1 "output[2] of the case \"input_size=9,kernel_size=3\" is " "input[2] is multiplied by kernel[2], not by kernel[0] (line 14, k = 0)." \
        "  > input[2] * kernel[2]" "    input[3] * kernel[1]" "  Elements: = used as by the oracle"
}

@test "a trace names the turns of the loops around a line, however the compiler unrolls them" {
    submission | sed 's/for (int k.*/for (int first = 0; first < kernel_size; first += 4)\
#pragma unroll\
        for (int k = 0; k < 4; k++)\
            if ((i + k) % 5 > 0 \&\& first + k < kernel_size)/; s/sum += .*/sum += input[i + first + k] * kernel[first + k == 6 ? 5 : first + k];/' >x.cu
    judge trace --output 2 --sizes input_size=16,kernel_size=7 --seed 5 x.cu
    ends 1 "input[8] is multiplied by kernel[5], not by kernel[6] (line $(grep -n 'sum +=' x.cu | cut -d: -f1), first = 4, k = 2)"
    sed 's/int k = 0; k < 4; k++/double k = 0; k < 4; k++/; s/first + k/first + (int)k/g; s/(i + k)/(i + (int)k)/' x.cu >y.cu
    judge trace --output 2 --sizes input_size=16,kernel_size=7 --seed 5 y.cu
    ends 1 "kernel[6] (line $(grep -n 'sum +=' y.cu | cut -d: -f1), first = 4)"
}

@test "a trace of a right submission needs an element, and of one that does not compile shows why" {
    submission >x.cu
    judge trace x.cu
    ends 0 "Accepted" "No element is wrong here. Look for sizes that fail with"
    judge trace --output 1 x.cu
    ends 0 "output[1] of the case \"the example of the statement\" is " "All 3 terms are those of the oracle; exactly, they add up to"
    echo 'extern "C" void solve(' >y.cu
    judge trace --problem conv1d y.cu
    ends 1 "Compile Error"
}

@test "an element that the output does not have cannot be traced" {
    submission >x.cu
    judge trace --output 1,2 x.cu
    ends 2 "trace: --output 1,2: expected 1 number with commas between them"
    judge trace --output 4 x.cu
    ends 2 "trace: --output 4: 4 is outside of output, expected 0 to 3"
    judge trace --device cuda x.cu
    ends 2 "trace: --device cuda: expected sim[:PROFILE]"
}

@test "a trace follows texels, also where they are mixed, and says where it does not" {
    cat >x.cu <<'END'
// problem: conv1d
#include <cuda_runtime.h>

__global__ void convolve(cudaTextureObject_t input, const float *kernel, float *output, int output_size, int kernel_size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= output_size)
        return;
    float sum = 0.0f;
    for (int k = 0; k < kernel_size; k++)
        sum += tex1Dfetch<float>(input, i + k) * kernel[k == 1 ? 0 : k];
    output[i] = sum;
}

extern "C" void solve(const float *input, const float *kernel, float *output, int input_size, int kernel_size)
{
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = (void *)input;
    resource.res.linear.desc = cudaCreateChannelDesc<float>();
    resource.res.linear.sizeInBytes = input_size * sizeof(float);
    cudaTextureDesc how = {};
    cudaTextureObject_t texture;
    cudaCreateTextureObject(&texture, &resource, &how, nullptr);
    int output_size = input_size - kernel_size + 1;
    convolve<<<(output_size + 255) / 256, 256>>>(texture, kernel, output, output_size, kernel_size);
    cudaDeviceSynchronize();
    cudaDestroyTextureObject(texture);
}
END
    judge trace x.cu
    ends 1 "input[1] is multiplied by kernel[0], not by kernel[1] (line 11, k = 1)." "input[2] * kernel[2]"
    judge look --sample --line 11 x.cu
    ends 0 "Kernel convolve loads from input, a texture, 4 bytes for each lane." \
        "Each character is a lane: which 32 bytes of the texture's rows hold its texel."
    cp "$root/solutions/gaussian-blur/wrong_answer/half_a_texel_off.cu" y.cu
    judge trace --problem gaussian-blur y.cu
    ends 1 "0.25 * input[0][0] * kernel["
    sed 's/tex2D<float>(\(.*\)) \*/tex2Dgather<float4>(\1).x */; s/input_cols, input_rows);$/input_cols, input_rows, cudaArrayTextureGather);/' y.cu >z.cu
    judge trace --problem gaussian-blur z.cu
    ends 1 "A trace does not follow texels that are gathered or of several levels (line 16)"
}

@test "a look shows what each lane of a warp asks for, on the terminal and on a page" {
    submission >x.cu
    judge look --sizes input_size=2000,kernel_size=3 --page look.html x.cu
    ends 0 ", line " "Kernel convolve loads from input, global memory, 4 bytes for each lane." \
        "00000000111111112222222233333333  warp 0, time 1: elements 1024 to 1055: 4 sectors" \
        "warp 0, time 2: elements 1025 to 1056: 5 sectors, 4 would do" \
        "00000000000000000000000000000000  warp 0, time 1: element 0: 1 sector" \
        "The block reads 258 elements of input from global memory. Its threads load each 3.0 times on" \
        "Kernel convolve: 8 blocks of 256 threads, less than 0.01 waves. A multiprocessor holds 8" \
        "registers that hold values: " "fma.rn.f32"
    grep -q '<title id="request-0-title">Lanes of a warp, and what serves them</title>' look.html
    grep -q '<title id="reads-0-3-title">How often each element is read</title>' look.html
    grep -q '<title id="blocks-0-title">Blocks over time</title>' look.html
    grep -q '<th scope="col">PTX</th>' look.html
    if grep -q '<h2>Source, PTX and SASS</h2>' look.html; then
        grep -q 'FFMA' look.html
    else
        grep -qE 'There is no SASS: (machine code is shown where nvdisasm lies beside nvcc|clang made PTX)' look.html
    fi
    [[ $(wc -c <look.html) -lt 300000 ]]
    judge look --sample --json look.json x.cu
    json look.json '.accesses | length > 0' true
    json look.json '[.maps[].means | length == 5] | all' true
    json look.json '[.lines[] | select(.ptx | contains("fma.rn.f32"))] | length > 0' true
    [[ $(wc -c <look.json) -lt 100000 ]]
    judge look --sizes input_size=2000,kernel_size=3 --line 1 x.cu
    ends 2 "look: no access to memory was seen in line 1 of the file; the one with most is "
    judge look --device cuda x.cu
    ends 2 "look: --device cuda: expected sim[:PROFILE]"
    sed -i 's/convolve<<<.*/return;/' x.cu
    judge look --sizes input_size=2000,kernel_size=3 x.cu
    ends 1
}

@test "--format gcc writes a line for each error, finding and advice, with the file's name as it was given" {
    mkdir ada
    submission '' 'total = 1;' >ada/x.cu
    judge try --format gcc ada/x.cu
    ends 1 'ada/x.cu:9: error: identifier "total" is undefined' "Compile Error  x.cu"
    lacks "the compiler refused the file"
    submission | sed 's/kernel\[/kernel[kernel_size + /' >ada/x.cu
    judge try --format gcc ada/x.cu
    ends 1 "ada/x.cu:14: error: Run-Time Error, the example of the statement: kernel convolve: block (0,0,0)"
    submission | sed 's/sum += /sum -= /' >ada/x.cu
    judge grade --no-record --format gcc ada/x.cu
    ends 1 "ada/x.cu:17: error: Wrong Answer, the example of the statement: " "ada/x.cu:17: note: output[0]: expected "
    echo 'int solve_nothing;' >ada/y.cu
    judge try --problem conv1d --format gcc ada/y.cu
    ends 1 "ada/y.cu:1: error: no function solve() with the signature"
    submission >ada/x.cu
    judge explain --format gcc ada/x.cu
    ends 0 "ada/x.cu:20: note: Kernel convolve has only " "x.cu, problem conv1d on"
    judge explain --format vim ada/x.cu
    ends 2 "convjudge: explain: option '--format': expected gcc, found 'vim'"
}

@test "--watch judges the file again when it is written or replaced, and Ctrl-C ends it" {
    submission | sed 's/sum += /sum -= /' >x.cu
    "$build/convjudge" try --watch --device sim x.cu >seen 2>errors 3>&- &
    local watcher=$!
    has() { for _ in {1..300}; do [[ $(grep -c "$1" seen) -lt $2 ]] || return 0; sleep 0.1; done; cat seen errors; return 1; }
    has "^waiting for changes of x.cu; Ctrl-C ends" 1
    grep -q "^Wrong Answer  x.cu" seen
    submission >y.cu
    mv y.cu x.cu # as editors do that write a new file first
    has "^waiting for changes" 2
    grep -q "^Accepted  x.cu" seen
    echo "// problem: none" >x.cu
    has "^waiting for changes" 3
    grep -q "^convjudge: " errors
    rm x.cu
    submission >x.cu
    has "^waiting for changes" 4
    kill -INT "$watcher"
    wait "$watcher"
    equal "2" "$(grep -c "^Accepted  x.cu" seen)"
    judge try --watch none.cu
    ends 2 "none.cu: no such file"
}
