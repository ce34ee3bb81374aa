#!/usr/bin/env bats
# Mistakes of students and instructors, and things that they may try. Each gives one clear line, the right verdict or
# exit status 2, leaves no process and no file behind (judge() in helper.bash), and adds a row only if it was judged.

bats_require_minimum_version 1.5.0
load helper

# instructor FILE SED...: a copy of the judge's data with one file edited, and a submission.
instructor() {
    local file
    mkdir home
    cp -r "$root"/problems "$root"/testcases home/
    mkdir -p home/simgpu home/leaderboard
    for file in simgpu/profiles leaderboard/references leaderboard/schema.sql grader harness solutions; do
        [[ ! -e $root/$file ]] || ln -s "$root/$file" "home/$file"
    done
    sed -i "${@:2}" "home/$1"
    export CONVJUDGE_HOME=$PWD/home
    submission >x.cu
}

# limit NAME VALUE: lowers a limit of conv1d, so that a test reaches it soon.
limit() {
    instructor problems/conv1d/problem.json "s/\"$1\": [0-9]*/\"$1\": $2/"
}

# ---- files that are no submissions: exit status 2, no row
# ----------------------------------------------------------------

@test "a file that does not exist is named" {
    judge grade missing.cu
    ends 2 "missing.cu: no such file"
    rows 0
}

@test "grade without a file asks for one" {
    judge grade
    ends 2 "FILE"
    rows 0
}

@test "a folder is not a submission" {
    mkdir folder.cu
    judge grade folder.cu
    ends 2 "folder.cu: a folder, expected a regular file"
    rows 0
}

@test "a symbolic link is not a submission" {
    submission >real.cu
    ln -s real.cu link.cu
    judge grade link.cu
    ends 2 "link.cu: a symbolic link, expected a regular file"
    rows 0
}

@test "a named pipe is not a submission" {
    mkfifo pipe.cu
    judge grade pipe.cu
    ends 2 "pipe.cu: not a regular file"
    rows 0
}

@test "an empty file is not a submission" {
    : >empty.cu
    judge grade --problem conv1d empty.cu
    ends 2 "empty.cu" "empty"
    rows 0
}

@test "a binary file is not a submission" {
    head -c 4000 "$build/convjudge" >binary.cu
    judge grade --problem conv1d binary.cu
    ends 2 "binary.cu" "text"
    rows 0
}

@test "a file of 10 MB is longer than the problem allows" {
    yes '// a line of text' | head -c 10000000 >long.cu
    judge grade --problem conv1d long.cu
    ends 2 "long.cu" "262144"
    rows 0
}

# One line on standard error, and nothing else.
complains() {
    [[ $status == 2 && $output == "convjudge: $1" ]] || { echo "exit status $status: $output"; return 1; }
}

@test "convjudge without a command says so in one line" {
    judge
    ends 2 "convjudge grade [" "convjudge --help, --version"
}

@test "an unknown command is named, with the nearest right one" {
    judge grad x.cu
    complains "unknown command 'grad'; did you mean 'grade'? \`convjudge --help\` lists all"
    judge foo
    complains "unknown command 'foo'; \`convjudge --help\` lists all"
    judge --hlep
    complains "unknown command '--hlep'; did you mean '--help'? \`convjudge --help\` lists all"
    judge $'gr\x1b[2Jade'
    lacks $'\x1b'
}

@test "an unknown option is named" {
    judge grade --quickly x.cu
    complains "grade: unknown option '--quickly'; \`convjudge grade --help\` lists all"
    judge sweep --devise=sim x.cu
    complains "sweep: unknown option '--devise'; did you mean '--device'? \`convjudge sweep --help\` lists all"
}

@test "an option of another command is unknown" {
    judge leaderboard --problem conv1d --export
    complains "leaderboard does not take the option '--export', which belongs to: references"
}

@test "an option without its value, with one too many, or given twice is refused" {
    judge grade x.cu --problem
    complains "grade: option '--problem' needs a value"
    judge grade --no-record=yes x.cu
    complains "grade: option '--no-record' takes no value, found 'yes'"
    judge check --timed --timed
    complains "check: option '--timed' is given twice"
}

@test "an unknown device is refused, with the known ones" {
    submission >x.cu
    judge grade --device tpu x.cu
    ends 2 "tpu" "sim"
    rows 0
}

@test "a misspelt variable of make is refused" {
    submission >x.cu
    run make --no-print-directory -C "$root" grade BUILD="${build#"$root"/}" SUB="$PWD/x.cu" DEVISE=sim
    ends 2 "unknown variable DEVISE; expected one of: SUB PROBLEM DEVICE CASE AS JSON"
    rows 0
}

@test "make knows each variable that its help names" {
    local names
    mapfile -t names < <(command make --no-print-directory -C "$root" help | grep -oE '\b[A-Z_]{2,}=' | grep -v '^ONLY=' | sort -u) # of unit tests
    [[ " ${names[*]} " == *" SUMMARY= "* ]]
    run make --no-print-directory -n -C "$root" scores "${names[@]/%/x}"
    ends 0 'scores --class "$CLASS"'
}

@test "a misspelt device is refused, with the nearest right one" {
    submission >x.cu
    judge grade --device smi:h200 x.cu
    complains "unknown device 'smi:h200'; did you mean 'sim'? expected auto, cuda, cuda:N, sim or sim:PROFILE"
    judge explain --device cpu x.cu
    ends 2 "cpu"
    rows 0
}

@test "a misspelt device of a leaderboard is refused" {
    judge leaderboard --problem conv1d --device smi
    complains "unknown device 'smi'; did you mean 'sim'? expected one of: auto, cuda, sim"
    judge leaderboard --problem conv1d --device sim:h20
    ends 2 "did you mean 'h200'?"
    submission >x.cu
    judge grade --device sim --as Ada x.cu
    judge leaderboard --problem conv1d --device sim-h20
    ends 2 "did you mean 'h200'?"
    judge leaderboard --problem conv1d --device sim-a100
    ends 0 "no ranked submissions yet"
    judge leaderboard --problem conv1d --device sim-h200
    ends 0 "Ada"
}

@test "an unknown profile of the simulated GPU is refused, with the known ones" {
    submission >x.cu
    judge grade --device sim:zx81 x.cu
    ends 2 "device 'sim:zx81': unknown profile of a simulated GPU; known profiles: " "h200"
    judge grade --device sim:h20 x.cu
    ends 2 "did you mean 'h200'?"
    rows 0
}

@test "an unknown problem is refused, with the known ones" {
    submission >x.cu
    judge grade --problem conv9 x.cu
    ends 2 "unknown problem 'conv9'; known problems: " "conv1d" "conv2d"
    judge grade --problem con1d x.cu
    ends 2 "unknown problem 'con1d'; did you mean 'conv1d'? known problems: "
    rows 0
}

@test "an unknown problem in the file is refused" {
    submission | sed 's/problem: conv1d/problem: ..\/conv1d/' >x.cu
    judge grade x.cu
    ends 2 "../conv1d" "conv2d"
    rows 0
}

@test "a result file that cannot be written is refused" {
    submission >x.cu
    judge grade --json nowhere/result.json x.cu
    ends 2 "nowhere/result.json"
    rows 0
}

@test "a result file without a name is refused" {
    submission >x.cu
    judge grade --json '' x.cu
    ends 2 "--json: an empty name"
    rows 0
}

@test "a person's name with control characters is refused" {
    submission >x.cu
    judge grade --as $'Eve\x1b[2J' x.cu
    ends 2 "the name contains characters that cannot be printed, expected plain UTF-8 text"
    judge grade --as " Eve" x.cu
    ends 2 "the name begins or ends with a space"
    judge grade --as "" x.cu
    ends 2 "the name is empty, expected 1 to"
    rows 0
}

# ---- names of files are only names
# ---------------------------------------------------------------------------------------

@test "a file name with spaces, quotes, a semicolon and a command substitution is only a name" {
    local name='my $(touch pwned1) "best"; touch pwned2 '\''x'\''.cu'
    submission >"$name"
    judge grade "$name"
    ends 0 "Accepted"
    rows 1
    absent pwned1 pwned2
}

@test "a file name with a leading dash works after --" {
    submission >-rf.cu
    judge grade -- -rf.cu
    ends 0 "Accepted"
}

@test "a file name with shell and make syntax is only a name to make" {
    local name='-a $(touch pwned1) $(shell touch pwned2) `touch pwned3`; touch pwned4 "#".cu'
    submission >"$name"
    # MAKES may name other versions of make: from 4.4 on, it expands variables earlier.
    for make in ${MAKES:-make}; do
        run "$make" --no-print-directory -C "$root" grade BUILD="${build#"$root"/}" SUB="$PWD/$name"
        ends 0 "Accepted"
        SUB="$PWD/$name" run "$make" --no-print-directory -C "$root" grade BUILD="${build#"$root"/}"
        ends 0 "Accepted"
        run "$make" --no-print-directory -C "$root" -n help AS='$(shell touch pwned5)' UNCONFINED='$(shell touch pwned6)' OTHER='$(shell touch pwned7)'
        equal 0 "$status"
    done
    equal '' "$(find "$BATS_TEST_TMPDIR" "$root" -maxdepth 2 -name 'pwned*')"
}

@test "make takes its variables literally before it runs the first command of its own" {
    awk '/[$][(]shell / && !/^#/ { first = NR; exit } /override.*[$][$][(]value / { literal = NR } END { exit !(literal && literal < first) }' "$root/Makefile"
}

@test "a person's name with SQL is only a name, also through make" {
    submission >x.cu
    run make --no-print-directory -C "$root" grade BUILD="${build#"$root"/}" SUB="$PWD/x.cu" AS="Zoë'; DROP TABLE runs; --"
    ends 0 "Accepted"
    stored 'SELECT person FROM runs' "Zoë'; DROP TABLE runs; --"
}

# ---- code that does not compile: Compile Error, exit status 1
# --------------------------------------------------------------

@test "a file without solve() is a Compile Error" {
    submission | sed 's/void solve(/void resolve(/' >x.cu
    judge grade x.cu
    ends 1 "Compile Error" "solve"
    rows 1
}

@test "a wrong signature is a Compile Error at the student's own line" {
    submission | sed 's/^extern "C" void solve(.*/extern "C" void solve(float* input, int n)/' >wrong.cu
    judge grade wrong.cu
    ends 1 "Compile Error" "wrong.cu:17: solve() must have the signature \`void solve(const float* input" \
        "in no namespace, neither static nor a template"
}

@test "a wrong signature without extern C is a Compile Error at the student's own line" {
    submission | sed 's/^extern "C" void solve(.*/void solve(const float* input, const float* kernel, float* output, long input_size, int kernel_size)/' >wrong.cu
    judge grade wrong.cu
    ends 1 "Compile Error" "wrong.cu:17:" "const float* input"
}

@test "a syntax error is a Compile Error" {
    submission 'int x = ;' >x.cu
    judge grade x.cu
    ends 1 "Compile Error" "x.cu" "expected an expression"
}

@test "a template that instantiates itself without end is a Compile Error" {
    submission >x.cu
    echo 'template <int N> struct Bomb { static const long value = Bomb<2*N>::value + Bomb<2*N+1>::value; }; long boom = Bomb<1>::value;' >>x.cu
    judge grade x.cu
    ends 1 "Compile Error" "excessive recursion at instantiation"
}

@test "an array that makes the compiled file too large is a Compile Error" {
    { submission; echo 'char big[6ull << 30] = {1};'; } >big.cu
    judge grade --no-record big.cu
    ends 1 "Compile Error" "compiling took more memory or disk space than is allowed"
}

@test "a file that includes itself without end is a Compile Error" {
    { submission; printf 'enum { %0200000d };\n' 0; } >x.cu # soon as large as a file may be
    echo '#include __FILE__' >>x.cu
    echo '#include __FILE__' >>x.cu
    judge grade x.cu
    ends 1 "Compile Error"
}

@test "an #include of an endless device is a Compile Error" {
    submission >x.cu
    echo '#include </dev/zero>' >>x.cu
    judge grade x.cu
    ends 1 "Compile Error"
}

@test "an #include of a hidden testcase finds no such file" {
    submission >x.cu
    echo "#include \"$root/testcases/conv1d/hidden.json\"" >>x.cu
    judge grade x.cu
    ends 1 "Compile Error" "No such file"
    lacks '"seed"'
    lacks '"why"'
}

# ---- code that goes wrong while it runs: its verdict, exit status 1
# --------------------------------------------------------

@test "an infinite loop on the host exceeds the time limit" {
    limit host_seconds 1
    submission 'for (volatile int i = 0;; i++) {}' >x.cu
    judge grade x.cu
    ends 1 "Time Limit Exceeded"
    rows 1
}

@test "an infinite kernel exceeds the time limit and is named" {
    limit sim_warp_instructions 10000000
    submission '' 'for (volatile int j = 0;; j++) {}' >x.cu
    judge grade x.cu
    ends 1 "Time Limit Exceeded" "kernel convolve: executes more than" "warp instructions, perhaps in an endless loop"
}

@test "a read of one element past the input is a Run-Time Error with array, index and line" {
    submission '' 'if (i == 0) output[0] = input[input_size];' >oob.cu
    judge grade oob.cu
    ends 1 "Run-Time Error" "reads 4 bytes at input[6], past its last element input[5] (oob.cu:9: \`if (i == 0) output[0] = input[input_size];\`)"
}

@test "a read of one element before the input is a Run-Time Error" {
    submission '' 'if (i == 0) output[0] = input[-1];' >oob.cu
    judge grade oob.cu
    ends 1 "Run-Time Error" "reads 4 bytes at input[-1], before its first element" "oob.cu:9"
}

@test "a write of one element past the output is a Run-Time Error" {
    submission '' 'if (i == 0) output[input_size - kernel_size + 1] = 1;' >oob.cu
    judge grade oob.cu
    ends 1 "Run-Time Error" "writes 4 bytes" "oob.cu:9"
}

@test "writes of a million elements past the output are a Run-Time Error" {
    submission '' 'output[input_size + i] = 1;' '1000, 1000' >oob.cu
    judge grade oob.cu
    ends 1 "Run-Time Error" "writes 4 bytes" "oob.cu:9"
}

@test "a race for shared memory is a Run-Time Error that names both threads" {
    submission '' '__shared__ int s[256]; s[threadIdx.x] = i; if (s[255 - threadIdx.x] < 0) return;' >race.cu
    judge grade race.cu
    ends 1 "Run-Time Error" "thread (0,0,0) reads 4 bytes at byte 1020 of shared variable 's', which thread (255,0,0) has written" \
        "with no barrier in between" "race.cu:9: "
}

@test "a race within a warp, without __syncwarp(), is a warning" {
    submission '' '__shared__ int s[256]; s[threadIdx.x] = i; if (s[threadIdx.x ^ 1] < 0) return;' >warp.cu
    judge grade --json out.json warp.cu
    ends 0 "Accepted" "warning: kernel convolve: block (0,0,0), thread (0,0,0) reads 4 bytes at byte 4 of shared variable 's'" \
        "no __syncwarp() in between, 256 times in all (warp.cu:9: "
    json out.json '.warnings[0] | contains("no __syncwarp() in between")' true
}

@test "of many races within warps the first four are told, and the others counted" {
    local body='__shared__ int s[256]; int v = 0;' n
    for n in 1 2 3 4 5 6 7; do
        body+=$'\n'"v += i + 1; s[threadIdx.x] = v; if (s[threadIdx.x ^ $n] < 0) return; __syncthreads();"
    done
    submission '' "$body" >warps.cu
    judge grade --no-record warps.cu
    ends 0 "Accepted" "and 3 more findings of this kind"
    counts 4 'warning: .* with no __syncwarp\(\) in between'
}

@test "a race of two blocks for global memory is a Run-Time Error" {
    submission '' 'output[0] = blockIdx.x;' '2, 256' >race.cu
    judge grade race.cu
    ends 1 "Run-Time Error" "writes 4 bytes at output[0], where block (0,0,0) writes another value" "race.cu:9"
}

@test "a read of uninitialised memory explains a wrong answer" {
    submission '' 'if (i < input_size - kernel_size + 1) output[i] += 1; return;' >sum.cu
    judge grade sum.cu
    ends 1 "Wrong Answer" "reads 4 bytes at output[0], which nothing has written" "sum.cu:9"
}

@test "an output that is right only by the contents of uninitialised memory is a Wrong Answer" {
    submission '' '__shared__ float s[256]; i += s[threadIdx.x] > 0 ? 1 : 0;' >luck.cu
    judge grade luck.cu
    ends 1 "Wrong Answer" "right only by luck: it uses an undefined value, and with another one: " \
        "of shared variable 's', which nothing has written" "luck.cu:9"
}

@test "an index read from uninitialised memory is a Run-Time Error" {
    submission '' '__shared__ int s[256]; i += input[s[threadIdx.x] < 0 ? 0 : s[threadIdx.x]] > 1e9f;' >luck.cu
    judge grade luck.cu
    ends 1 "Run-Time Error" "right only by luck: it uses an undefined value, and with another one: kernel convolve: " "luck.cu:9"
}

@test "a shuffle from an inactive lane is a Wrong Answer if its value is used" {
    submission '' 'if (threadIdx.x % 32 < 16) i += __shfl_down_sync(0xFFFFFFFF, threadIdx.x, 16) > 1000;' >luck.cu
    judge grade luck.cu
    ends 1 "Wrong Answer" "thread (0,0,0) takes the value of lane 16 of its warp, which takes no part in the shuffle" "luck.cu:9"
}

@test "a shuffle from an inactive lane is a warning if its value is not used" {
    submission '' 'if (input_size < 64 && threadIdx.x < 16 && __shfl_down_sync(0xFFFFFFFF, i, 16) == -5) output[0] = 0;' >luck.cu
    judge grade luck.cu
    ends 0 "Accepted" "warning: kernel convolve: block (0,0,0), thread (0,0,0) takes the value of lane 16 of its warp"
}

@test "a cp.async that no thread waits for is a Run-Time Error" {
    { echo '#include <cuda_pipeline.h>'
      submission '' '__shared__ float s[256]; __pipeline_memcpy_async(&s[threadIdx.x], kernel, 4); __pipeline_commit();
          __syncthreads(); i += s[threadIdx.x ^ 1] > 1e9f;'; } >copy.cu
    judge grade copy.cu
    ends 1 "Run-Time Error" "into which a cp.async of thread (1,0,0) copies: that thread did not wait for the copy" "copy.cu:11"
}

@test "a race within a block for global memory is a Run-Time Error" {
    submission '' 'if (i == 64) output[0] = 2; if (i == 0) output[0] = 1;' >race.cu
    judge grade race.cu
    ends 1 "Run-Time Error" "writes 4 bytes at output[0], which thread (64,0,0) has written with no barrier in between"
}

@test "a read of an uninitialised part of a tile is accepted if its value is not used" {
    submission '' '__shared__ float s[512]; s[threadIdx.x] = i; __syncthreads(); if (s[threadIdx.x + 256] == i) return;' >tile.cu
    judge grade tile.cu
    ends 0 "Accepted"
    lacks "warning"
}

@test "a read of freed memory is a Run-Time Error" {
    submission 'float *copy; cudaMalloc(&copy, 40); cudaMemcpy(copy, input, 4, cudaMemcpyDefault); cudaFree(copy); input = copy;' >x.cu
    judge grade x.cu
    ends 1 "Run-Time Error" "reads 4 bytes at offset 0 of an allocation of 40 bytes that has been freed" "x.cu:14"
}

@test "an index past a shared array into the next one is a Run-Time Error" {
    submission '' '__shared__ float a[256], b[256]; a[threadIdx.x] = i; b[threadIdx.x] = i; __syncthreads();
        a[threadIdx.x + 1] = 3; __syncthreads(); i += a[threadIdx.x ^ 1] + b[threadIdx.x ^ 1] > 1e9f;' >x.cu
    judge grade x.cu
    ends 1 "Run-Time Error" "thread (255,0,0) writes 4 bytes past the end of shared array 'a', at byte 0 of shared variable 'b'" "x.cu:10"
}

@test "an index below a shared array is a Run-Time Error" {
    submission '' '__shared__ float s[256]; s[threadIdx.x] = i; __syncthreads(); i += s[(int)threadIdx.x - 1] > 1e9f;' >x.cu
    judge grade x.cu
    ends 1 "Run-Time Error" "reads 4 bytes before the start of shared array 's', at offset -4 of the block's 1024 bytes of shared memory"
}

@test "a dynamic shared array without its size in the launch is a Run-Time Error" {
    submission '' 'extern __shared__ float s[]; s[threadIdx.x] = i; __syncthreads(); i += s[threadIdx.x ^ 1] > 1e9f;' >x.cu
    judge grade x.cu
    ends 1 "Run-Time Error" "of shared memory, but the launch gives the block none"
}

# unsupported > FILE: a right submission whose kernel names an instruction that the simulated GPU does not implement.
unsupported() {
    submission '' 'if (kernel_size < 0) asm volatile("{ .reg .b64 a; mov.b64 a, 0; cp.async.bulk.prefetch.tensor.3d.L2.global.im2col [a, {%0, %0, %0}], {0}; }" ::"r"(i));'
}

@test "what the simulated GPU does not implement is a judge error that names it and its line" {
    unsupported >x.cu
    judge grade --json result.json x.cu
    ends 2 "Judge Error" "a limit of the simulated GPU: kernel convolve: " "does not implement 'cp.async.bulk.prefetch.tensor" "(x.cu:9: "
    lacks "Run-Time Error"
    [[ $(jq -r '.verdict + ", " + .rank_status' result.json) == "Judge Error, not ranked: not accepted" ]]
}

@test "a judge error is recorded, and takes no rank away" {
    submission >x.cu
    judge grade --as Ada x.cu
    ends 0 "Accepted"
    unsupported >x.cu
    judge grade --as Ada x.cu
    ends 2 "Judge Error"
    [[ $(sqlite3 "$CONVJUDGE_DB" 'SELECT verdict FROM runs ORDER BY id') == $'Accepted\nJudge Error' ]]
    judge leaderboard --problem conv1d
    ends 0 "Ada"
}

@test "a CUDA call that the judge does not provide is a judge error if the output needs it" {
    submission 'cudaIpcMemHandle_t handle; if (cudaIpcGetMemHandle(&handle, nullptr) != cudaSuccess) exit(1);' >x.cu
    judge grade x.cu
    ends 2 "Judge Error" "a limit of the judge: it does not provide cudaIpcGetMemHandle; after that, solve() did not return: the process ended with exit status 1"
    submission 'cudaIpcMemHandle_t handle; if (cudaIpcGetMemHandle(&handle, nullptr) != cudaSuccess) return;' >x.cu
    judge grade x.cu
    ends 2 "Judge Error" "a limit of the judge: it does not provide cudaIpcGetMemHandle, and the output is wrong without it: "
    submission 'cudaIpcMemHandle_t handle; cudaIpcGetMemHandle(&handle, nullptr);' >x.cu
    judge grade x.cu
    ends 0 "Accepted" "cudaIpcGetMemHandle"
}

@test "a call that CUDA itself refuses is not a judge error" {
    submission 'cudaArray_t array; cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
                if (cudaMallocArray(&array, &format, 8, 8, cudaArrayLayered) != cudaSuccess) return;' >x.cu
    judge grade x.cu
    ends 1 "Run-Time Error" "cudaMallocArray: invalid argument"
    submission 'if (cudaDeviceEnablePeerAccess(1, 0) != cudaSuccess) return;' >x.cu
    judge grade x.cu
    ends 1 "Run-Time Error" "cudaDeviceEnablePeerAccess: invalid device ordinal"
}

@test "a folder can claim a judge error" {
    mkdir judge_error run_time_error
    unsupported >judge_error/x.cu
    unsupported >run_time_error/x.cu
    judge check judge_error/x.cu run_time_error/x.cu
    ends 1 "ok 1 - judge_error/x.cu" "not ok 2 - run_time_error/x.cu" "expected Run-Time Error, got Judge Error"
}

@test "a misaligned access is a Run-Time Error" {
    submission '' 'output[0] = *(const float*)((const char*)input + 2);' >x.cu
    judge grade x.cu
    ends 1 "Run-Time Error" "not a multiple of 4" "x.cu:9"
}

@test "a launch with 2048 threads a block is a Run-Time Error" {
    submission '' '' 'input_size, 2048' >x.cu
    judge grade x.cu
    ends 1 "Run-Time Error" "2048" "1024"
}

@test "more dynamic shared memory than the GPU has is a Run-Time Error" {
    submission '' '' '1, 256, 300000' >x.cu
    judge grade x.cu
    ends 1 "Run-Time Error" "300000"
}

@test "more static shared memory than the GPU has is a Compile Error" {
    submission '' '__shared__ float tile[20000]; tile[threadIdx.x] = i; __syncthreads(); i = tile[threadIdx.x];' >x.cu
    judge grade x.cu
    ends 1 "Compile Error" "shared"
}

@test "a cp.async whose threads read far apart is a Run-Time Error" {
    {
        echo '#include <cuda_pipeline.h>'
        submission '' '__shared__ float s[256];
            __pipeline_memcpy_async(&s[threadIdx.x], input + (size_t(threadIdx.x) << 30), 4);
            __pipeline_commit(); __pipeline_wait_prior(0); if (s[threadIdx.x] > 1e9f) return;'
    } >far.cu
    judge grade --no-record --problem conv1d far.cu
    ends 1 "Run-Time Error" "accesses addresses more than 2 GiB apart (far.cu:"
}

@test "a null pointer in a kernel is a Run-Time Error" {
    submission 'input = nullptr;' >x.cu
    judge grade x.cu
    ends 1 "Run-Time Error" "null pointer"
}

@test "a host pointer in a kernel is a Run-Time Error" {
    submission 'input = (const float*)malloc(4096);' >x.cu
    judge grade x.cu
    ends 1 "Run-Time Error" "not device memory"
}

@test "a device pointer on the host is a segmentation fault" {
    submission 'output[0] = 1;' >x.cu
    judge grade x.cu
    ends 1 "Run-Time Error" "Segmentation fault"
}

@test "exit(0) inside solve() is a Run-Time Error, whatever was printed" {
    submission 'puts("Verdict: Accepted"); fflush(stdout); exit(0);' >x.cu
    judge grade --json result.json x.cu
    ends 1 "Run-Time Error" "exit status 0"
    json result.json .verdict "Run-Time Error"
}

@test "a segmentation fault is a Run-Time Error with the signal's name" {
    submission '*(volatile int*)0 = 1;' >x.cu
    judge grade x.cu
    ends 1 "Run-Time Error" "Segmentation fault"
}

@test "abort() is a Run-Time Error with the signal's name" {
    submission 'abort();' >x.cu
    judge grade x.cu
    ends 1 "Run-Time Error" "Aborted"
}

@test "a fork bomb ends at a limit" {
    limit host_seconds 1
    submission 'for (;;) fork();' >x.cu
    judge grade x.cu
    ends 1
    counts 1 '^(Time Limit Exceeded|Run-Time Error)'
}

@test "100 MB of printf are cut, and the answer is accepted" {
    submission 'static int once; if (!once++) for (int line = 0; line < 1000000; line++) printf("%099d\n", line);' >x.cu
    judge grade x.cu
    holds "${#output} < 200000"
    ends 0 "Accepted"
}

@test "the output of a kernel's printf is shown" {
    submission '' 'if (i == 0) printf("hello from block %d of %s\n", blockIdx.x, "solve");' >x.cu
    judge grade x.cu
    ends 0 "Accepted" "hello from block 0 of solve"
}

@test "terminal escapes in a submission's output are not passed on" {
    submission 'printf("\033[2Jcleared\n");' >x.cu
    judge grade x.cu
    ends 0 "cleared"
    lacks $'\033'
}

@test "more device memory than allowed exceeds the memory limit" {
    submission 'void* p; if (cudaMalloc(&p, 1ull << 33) != cudaSuccess) return;' >x.cu
    judge grade x.cu
    ends 1 "Memory Limit Exceeded"
}

@test "more host memory than allowed exceeds the memory limit" {
    submission 'static char* volatile last; for (long i = 0;; i++) { last = (char*)malloc(1 << 24); last[i] = 1; }' >x.cu
    # Memory that a machine has not touched before can take longer than the host's time is.
    cp -r "$CONVJUDGE_HOME" "$BATS_TEST_TMPDIR/less"
    export CONVJUDGE_HOME=$BATS_TEST_TMPDIR/less
    rm "$CONVJUDGE_HOME/problems"
    cp -r "$root/problems" "$CONVJUDGE_HOME/"
    jq '.limits.host_mebibytes = 256' "$root/problems/conv1d/problem.json" >"$CONVJUDGE_HOME/problems/conv1d/problem.json"
    judge grade x.cu
    ends 1 "Memory Limit Exceeded" "host"
}

@test "more allocations than a device can keep apart exceed the memory limit" {
    submission 'void* p; for (int i = 0; i < 20000; i++) cudaMalloc(&p, 1); if (cudaGetLastError() != cudaSuccess) return;' >x.cu
    judge grade x.cu
    ends 1 "Memory Limit Exceeded"
    rows 1
}

@test "a constructor that ends the process is a Run-Time Error" {
    submission >x.cu
    echo 'static struct Early { Early() { puts("Verdict: Accepted"); fflush(stdout); _exit(0); } } early;' >>x.cu
    judge grade x.cu
    ends 1 "Run-Time Error" "a constructor"
}

@test "a constructor that never ends exceeds the time limit" {
    limit host_seconds 1
    submission >x.cu
    echo 'static struct Early { Early() { for (;;) pause(); } } early;' >>x.cu
    judge grade x.cu
    ends 1 "Time Limit Exceeded" "a constructor, before solve(): the host code kept the device waiting for more than 1 s"
}

# ---- an instructor's mistakes: file, line, key, exit status 2
# --------------------------------------------------------------

@test "a problem has one output" {
    instructor problems/conv1d/problem.json 's/const float\* kernel/float* kernel/; /"name": "kernel"/s/"role": "in"/"role": "out"/'
    judge grade x.cu
    ends 2 "problems/conv1d/problem.json:" "expected exactly one parameter of role \"out\", found 2"
    rows 0
}

@test "broken JSON in problem.json is named with its line" {
    instructor problems/conv1d/problem.json '3s/,$//'
    judge grade x.cu
    ends 2 "problem.json:4"
    rows 0
}

@test "an unknown key in problem.json is named" {
    instructor problems/conv1d/problem.json 's/"title"/"titel"/'
    judge grade x.cu
    ends 2 "problem.json:" "titel: unknown key; did you mean 'title'? expected one of: "
    rows 0
}

@test "a repeated key in problem.json is named" {
    instructor problems/conv1d/problem.json 's/^\( *\)"title"\(.*\)/\1"title"\2\n\1"title": "again",/'
    judge grade x.cu
    ends 2 "problem.json:" "title: this key is repeated"
    rows 0
}

@test "broken JSON in a testcase is named with its file" {
    instructor testcases/conv1d/hidden.json '$ s/}//'
    judge grade x.cu
    ends 2 "hidden.json:"
    rows 0
}

@test "an unknown key in a testcase is named" {
    instructor testcases/conv1d/sample.json '0,/"sizes"/s//"size"/'
    judge grade x.cu
    ends 2 "sample.json:" "size: unknown key"
    rows 0
}

@test "a testcase's size beyond the statement's limit is refused" {
    instructor testcases/conv1d/sample.json '0,/"kernel_size": *[0-9]*/s//"kernel_size": 5000/'
    judge grade x.cu
    ends 2 "sample.json:" "kernel_size" "2047"
    rows 0
}

# ---- a database that cannot be used: exit status 2
# -------------------------------------------------------------------------

@test "a locked database is named" {
    submission >x.cu
    judge grade x.cu
    ends 0
    export CONVJUDGE_DB_TIMEOUT_MS=300
    mkfifo statements
    sqlite3 "$CONVJUDGE_DB" <statements >/dev/null &
    local holder=$!
    exec 4<>statements # it holds the lock until its input ends
    printf 'BEGIN EXCLUSIVE;\n.shell touch held\n' >&4
    wait_until test -e held
    judge grade x.cu
    exec 4>&-
    wait "$holder"
    ends 2 "leaderboard.db: locked by another process for more than 0.3 s"
}

@test "a read-only database is named" {
    submission >x.cu
    mkdir frozen
    export CONVJUDGE_DB=$PWD/frozen/leaderboard.db
    judge leaderboard --problem conv1d
    ends 0
    run unshare --user --map-root-user --mount bash -c '
        mount --bind frozen frozen && mount -o remount,bind,ro frozen && cd "$PWD" && "$1/convjudge" grade --unconfined x.cu' _ "$build"
    ends 2 "leaderboard.db: read-only, expected a file and a folder that can be written; to judge without keeping the run: --no-record; to keep it elsewhere: CONVJUDGE_DB=FILE"
}

@test "a leaderboard in a folder that one cannot write to is shown" {
    submission >x.cu
    mkdir 'frozen?#%'
    export CONVJUDGE_DB="$PWD/frozen?#%/leaderboard.db"
    judge grade --as ada x.cu
    ends 0
    run unshare --user --map-root-user --mount bash -c '
        mount --bind "frozen?#%" "frozen?#%" && mount -o remount,bind,ro "frozen?#%" && cd "$PWD" &&
        "$1/convjudge" leaderboard --problem conv1d && "$1/convjudge" verify-leaderboard &&
        "$1/convjudge" grade --unconfined --no-record x.cu' _ "$build"
    ends 0 "ada" "Accepted"
    equal $'leaderboard.db\nleaderboard.db.head' "$(ls -A 'frozen?#%')"
}

@test "a database whose journal cannot be made is named" {
    submission >x.cu
    mkdir "$CONVJUDGE_DB-journal"
    judge grade x.cu
    ends 2 "leaderboard.db: cannot be opened; to judge without keeping the run: --no-record"
}

@test "a database in a folder that does not exist is named" {
    submission >x.cu
    export CONVJUDGE_DB=$PWD/nowhere/leaderboard.db
    judge grade x.cu
    ends 2 "nowhere/leaderboard.db: its folder does not exist"
}

@test "reading the database leaves nothing beside it" {
    submission >x.cu
    judge grade x.cu
    ends 0
    judge grade --no-record x.cu
    ends 0
    judge leaderboard --problem conv1d
    ends 0
    equal $'leaderboard.db\nleaderboard.db.head\ntmp\nwork' "$(ls -A "$BATS_TEST_TMPDIR")"
}

@test "a database with a newer schema is refused" {
    sqlite3 "$CONVJUDGE_DB" 'PRAGMA user_version = 999; CREATE TABLE runs(x)'
    submission >x.cu
    judge grade x.cu
    ends 2 "leaderboard.db: written by a newer ConvJudge: schema version 999"
    rows 0
}

@test "a file that is not a database is refused" {
    yes 'not a database' | head -c 100000 >"$CONVJUDGE_DB"
    submission >x.cu
    judge grade x.cu
    ends 2 "leaderboard.db: not a database, expected a leaderboard that ConvJudge made"
}

# ---- the shell's limits

@test "processes of the judge itself that somebody starts by hand say whose they are" {
    run "$build/convjudge" broker
    ends 2 "broker: started by the judge itself, with DESCRIPTOR and DEVICE"
    run "$build/convjudge" oracle
    ends 2 "oracle: started by the judge itself, with DESCRIPTOR and DEVICE"
    run "$build/convjudge-runner"
    ends 2 "convjudge-runner: started by the judge itself, with the role cuda, cpu or direct"
    # shellcheck disable=SC2046
    run "$build/convjudge-runner" direct library object $(printf 'value:%d ' {1..100})
    ends 2 "convjudge-runner: too many arguments"
}

@test "without gcc there is no oracle" {
    submission >x.cu
    mkdir bin
    run env PATH="$PWD/bin" "$build/convjudge" grade --no-record x.cu
    ends 2 "gcc was not found, which compiles oracle.h: install gcc"
}

@test "a folder whose path is too long is named by its beginning" {
    local folder
    folder=/$(printf 'x%.0s' {1..5000})
    submission >x.cu
    CONVJUDGE_HOME=$folder judge grade x.cu
    ends 2 "/xxx" "xxx...: the path of the judge's folder is too long"
    TMPDIR=$folder run "$build/convjudge" grade x.cu
    ends 2 "TMPDIR=/xxx" "xxx...: the path is too long"
}

@test "a folder where no temporary files can be made is named" {
    submission >x.cu
    TMPDIR=$PWD/missing run "$build/convjudge" grade x.cu
    complains "$PWD/missing: no temporary folder can be made here; set TMPDIR to a folder where it can: No such file or directory"
}

@test "a command of the service names the program that it needs" {
    mkdir bin
    cp "$build/convjudge" bin/
    run bin/convjudge serve
    ends 2 "convjudge: $PWD/bin/convjudge-service: cannot be started (No such file or directory), expected " 'that `make service` builds'
}

@test "a small stack is made larger, or named where that is not allowed" {
    submission >x.cu
    run bash -c 'ulimit -Ss 64 && "$1/convjudge" grade x.cu' _ "$build"
    ends 0 Accepted
    run bash -c 'ulimit -s 1024 && "$1/convjudge" grade x.cu' _ "$build"
    ends 0 Accepted
    run bash -c 'ulimit -s 64 && "$1/convjudge" grade x.cu' _ "$build"
    ends 2
    equal "convjudge: the stack is limited to less than 1 MiB (ulimit -Hs), expected 8 MiB" "$output"
}
