#!/usr/bin/env bats
# Mistakes of students and instructors, and things that they may try. Each gives one clear line, the right verdict or
# exit status 2, leaves no process and no file behind (judge() in helper.bash), and adds a row only if it was judged.
# What is refused before anything is compiled is a row of service/commands/tests/test_command_line.c, and what the compiler
# refuses one of harness/compile/tests/test_compile.c.

bats_require_minimum_version 1.5.0
load helper

# claims FILE VERDICT WORDS...: the source of standard input, with lines that claim its verdict and what its author is told,
# for `convjudge check`. In WORDS, @9 is the number of line 9 of the source.
claims() {
    local words=() text
    for text in "${@:3}"; do
        while [[ $text =~ @([0-9]+) ]]; do text=${text/"${BASH_REMATCH[0]}"/$((BASH_REMATCH[1] + $# - 1))}; done
        words+=("// says: $text")
    done
    { printf '%s\n' "// expect: $2" "${words[@]}"; cat; } >"$1"
}

# all_claims_hold: of every file of this folder.
all_claims_hold() {
    judge check --problem conv1d ./*.cu
    ends 0
    counts 0 '^not ok'
}

# ---- names are only names
# ------------------------------------------------------------------------------------------------

@test "a device that does not exist is named, also by the process that looks for it" {
    submission >x.cu
    judge grade --device smi:h200 x.cu
    ends 2
    equal "convjudge: unknown device 'smi:h200'; did you mean 'sim'? expected auto, cuda, cuda:N, sim or sim:PROFILE" "$output"
    judge explain --device sim:zx81 x.cu
    ends 2 "convjudge: device 'sim:zx81': unknown profile of a simulated GPU; known profiles: " "h200"
    rows 0
}

@test "a misspelt variable of make is refused" {
    submission >x.cu
    run make --no-print-directory -C "$root" grade BUILD="${build#"$root"/}" SUB="$PWD/x.cu" DEVISE=sim
    ends 2 "unknown variable DEVISE; expected one of: SUB PROBLEM DEVICE CASE SHOW AS JSON"
    run make --no-print-directory -C "$root" grade BUILD="${build#"$root"/}" sub="$PWD/x.cu"
    ends 2 "unknown variable sub; write SUB; expected one of: SUB PROBLEM DEVICE CASE SHOW AS JSON"
    rows 0
}

@test "make knows each variable that its help names" {
    local names
    mapfile -t names < <(command make --no-print-directory -C "$root" help | grep -oE '\b[A-Z_]{2,}=' | sort -u)
    [[ " ${names[*]} " == *" GRADESCOPE= "* ]]
    run make --no-print-directory -n -C "$root" grade "${names[@]/%/x}"
    ends 0 '--gradescope "$GRADESCOPE"'
}

@test "a file name with quotes, a semicolon and a command substitution is only a name, and so is a person's with SQL" {
    local name='-my $(touch pwned1) "best"; touch pwned2 '\''x'\''.cu'
    submission >"$name"
    judge grade --as "Zoë'; DROP TABLE runs; --" -- "$name"
    ends 0 "Accepted"
    stored 'SELECT person, file_name FROM runs' "Zoë'; DROP TABLE runs; --|$name"
    absent pwned1 pwned2
}

@test "names with shell and make syntax are only names to make" {
    local name='-a $(touch pwned1) $(shell touch pwned2) `touch pwned3`; touch pwned4 "#".cu'
    printf 'void solve()\xff' >"$name"
    # MAKES may name other versions of make: from 4.4 on, it expands variables earlier.
    for make in ${MAKES:-make}; do
        run "$make" --no-print-directory -C "$root" grade BUILD="${build#"$root"/}" SUB="$PWD/$name" AS='$(shell touch pwned8)'
        ends 2 "$PWD/$name:1: byte 12 is not UTF-8 text"
        SUB="$PWD/$name" run "$make" --no-print-directory -C "$root" grade BUILD="${build#"$root"/}"
        ends 2 "$PWD/$name:1: byte 12 is not UTF-8 text"
        run "$make" --no-print-directory -C "$root" grade BUILD="${build#"$root"/}" SUB="$PWD/$name" AS=$'\x1b$(shell touch pwned9)'
        ends 2 "the name contains characters that cannot be seen or printed"
        run "$make" --no-print-directory -C "$root" -n help AS='$(shell touch pwned5)' UNCONFINED='$(shell touch pwned6)' OTHER='$(shell touch pwned7)'
        equal 0 "$status"
    done
    equal '' "$(find "$BATS_TEST_TMPDIR" "$root" -maxdepth 2 -name 'pwned*')"
}

@test "make takes its variables literally before it runs the first command of its own" {
    awk '/[$][(]shell / && !/^#/ { first = NR; exit } /override.*[$][$][(]value / { literal = NR } END { exit !(literal && literal < first) }' "$root/Makefile"
}

# ---- code that does not compile: Compile Error, exit status 1
# --------------------------------------------------------------

@test "an array that makes the compiled file too large is a Compile Error" {
    { submission; echo 'char big[6ull << 30] = {1};'; } >big.cu
    judge grade --no-record big.cu
    ends 1 "Compile Error" "compiling took more memory or disk space than is allowed"
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

@test "accesses of global memory that go wrong are told with array, index and line" {
    submission '' 'if (i == 0) output[0] = input[input_size];' | claims past.cu "Run-Time Error" \
        'reads 4 bytes at input[6], past its last element input[5] (past.cu:@9: `if (i == 0) output[0] = input[input_size];`)'
    submission '' 'if (i == 0) output[0] = input[-1];' | claims before.cu "Run-Time Error" \
        "reads 4 bytes at input[-1], before its first element" "before.cu:@9"
    submission '' 'if (i == 0) output[input_size - kernel_size + 1] = 1;' | claims written.cu "Run-Time Error" "writes 4 bytes" "written.cu:@9"
    submission '' 'output[input_size + i] = 1;' '1000, 1000' | claims million.cu "Run-Time Error" "writes 4 bytes" "million.cu:@9"
    submission '' 'output[0] = *(const float*)((const char*)input + 2);' | claims odd.cu "Run-Time Error" "not a multiple of 4" "odd.cu:@9"
    submission 'float *copy; cudaMalloc(&copy, 40); cudaMemcpy(copy, input, 4, cudaMemcpyDefault); cudaFree(copy); input = copy;' |
        claims freed.cu "Run-Time Error" "reads 4 bytes at offset 0 of an allocation of 40 bytes that has been freed" "freed.cu:@14"
    { echo '#include <cuda_pipeline.h>'
      submission '' '__shared__ float s[256];
          __pipeline_memcpy_async(&s[threadIdx.x], input + (size_t(threadIdx.x) << 30), 4);
          __pipeline_commit(); __pipeline_wait_prior(0); if (s[threadIdx.x] > 1e9f) return;'; } |
        claims far.cu "Run-Time Error" "accesses addresses more than 2 GiB apart (far.cu:"
    submission 'input = nullptr;' | claims null.cu "Run-Time Error" "null pointer"
    submission 'input = (const float*)malloc(4096);' | claims host.cu "Run-Time Error" "not device memory"
    all_claims_hold
}

@test "accesses of shared memory that go wrong are told with array and line" {
    submission '' '__shared__ float a[256], b[256]; a[threadIdx.x] = i; b[threadIdx.x] = i; __syncthreads();
        a[threadIdx.x + 1] = 3; __syncthreads(); i += a[threadIdx.x ^ 1] + b[threadIdx.x ^ 1] > 1e9f;' | claims next.cu "Run-Time Error" \
        "thread (255,0,0) writes 4 bytes past the end of shared array 'a', at byte 0 of shared variable 'b'" "next.cu:@10"
    submission '' '__shared__ float s[256]; s[threadIdx.x] = i; __syncthreads(); i += s[(int)threadIdx.x - 1] > 1e9f;' |
        claims below.cu "Run-Time Error" "reads 4 bytes before the start of shared array 's', at offset -4 of the block's 1024 bytes of shared memory"
    submission '' 'extern __shared__ float s[]; s[threadIdx.x] = i; __syncthreads(); i += s[threadIdx.x ^ 1] > 1e9f;' |
        claims dynamic.cu "Run-Time Error" "of shared memory, but the launch gives the block none"
    all_claims_hold
}

@test "a small case allows a kernel fewer instructions than a problem does" {
    submission '' 'for (volatile int j = 0;; j++) {}' >x.cu
    judge grade x.cu
    ends 1 "Time Limit Exceeded" "kernel convolve: executes more than 100012000 warp instructions, perhaps in an endless loop"
}

@test "races are told with both threads and the line" {
    submission '' '__shared__ int s[256]; s[threadIdx.x] = i; if (s[255 - threadIdx.x] < 0) return;' | claims shared.cu "Run-Time Error" \
        "thread (0,0,0) reads 4 bytes at byte 1020 of shared variable 's', which thread (255,0,0) has written" \
        "with no barrier in between" "shared.cu:@9: "
    submission '' '__shared__ int s[256]; s[threadIdx.x] = i; if (s[threadIdx.x ^ 1] < 0) return;' | claims warp.cu "Run-Time Error" \
        "kernel convolve: block (0,0,0), thread (0,0,0) reads 4 bytes at byte 4 of shared variable 's'" \
        "no __syncthreads() or __syncwarp() in between, 256 times in all (warp.cu:@9: "
    submission '' 'output[0] = blockIdx.x;' '2, 256' | claims blocks.cu "Run-Time Error" \
        "writes 4 bytes at output[0], where block (0,0,0) writes another value" "blocks.cu:@9"
    submission '' 'if (i == 64) output[0] = 2; if (i == 0) output[0] = 1;' | claims block.cu "Run-Time Error" \
        "writes 4 bytes at output[0], which thread (64,0,0) has written with no barrier in between"
    { echo '#include <cuda_pipeline.h>'
      submission '' '__shared__ float s[256]; __pipeline_memcpy_async(&s[threadIdx.x], kernel, 4); __pipeline_commit();
          __syncthreads(); i += s[threadIdx.x ^ 1] > 1e9f;'; } | claims copy.cu "Run-Time Error" \
        "into which a cp.async of thread (1,0,0) copies: that thread did not wait for the copy" "copy.cu:@11"
    all_claims_hold
}

@test "of many warnings the first four are told, and the others counted" {
    local body='__shared__ volatile int s[256]; int v = 0;' n
    for n in 1 2 3 4 5 6 7; do
        body+=$'\n'"v += i + 1; s[threadIdx.x] = v; if (s[threadIdx.x ^ $n] < 0) return; __syncthreads();"
    done
    submission '' "$body" >warps.cu
    judge try warps.cu
    ends 0 "Accepted" "and 3 more findings of this kind"
    counts 4 'warning: .* or __syncwarp\(\) in between'
}

@test "values that nothing has written are told where they decide the output" {
    submission '' 'if (i < input_size - kernel_size + 1) output[i] += 1; return;' | claims sum.cu "Wrong Answer" \
        "reads 4 bytes at output[0], which nothing has written" "sum.cu:@9"
    submission '' '__shared__ float s[256]; i += s[threadIdx.x] > 0 ? 1 : 0;' | claims luck.cu "Wrong Answer" \
        "right only by luck: it uses an undefined value, and with another one: " "of shared variable 's', which nothing has written" "luck.cu:@9"
    submission '' '__shared__ int s[256]; i += input[s[threadIdx.x] < 0 ? 0 : s[threadIdx.x]] > 1e9f;' | claims index.cu "Run-Time Error" \
        "right only by luck: it uses an undefined value, and with another one: kernel convolve: " "index.cu:@9"
    submission '' 'if (threadIdx.x % 32 < 16) i += __shfl_down_sync(0xFFFFFFFF, threadIdx.x, 16) > 1000;' | claims shuffle.cu "Wrong Answer" \
        "thread (0,0,0) takes the value of lane 16 of its warp, which takes no part in the shuffle" "shuffle.cu:@9"
    submission '' 'if (input_size < 64 && threadIdx.x < 16 && __shfl_down_sync(0xFFFFFFFF, i, 16) == -5) output[0] = 0;' |
        claims unused.cu "Accepted" "kernel convolve: block (0,0,0), thread (0,0,0) takes the value of lane 16 of its warp"
    all_claims_hold
}

@test "a read of an uninitialised part of a tile is accepted if its value is not used" {
    submission '' '__shared__ float s[512]; s[threadIdx.x] = i; __syncthreads(); if (s[threadIdx.x + 256] == i) return;' >tile.cu
    judge try tile.cu
    ends 0 "Accepted"
    lacks "warning"
}

# unsupported > FILE: a right submission whose kernel names an instruction that the simulated GPU does not implement.
unsupported() {
    submission '' 'if (kernel_size < 0) asm volatile("{ .reg .b64 a; mov.b64 a, 0; cp.async.bulk.prefetch.tensor.3d.L2.global.im2col [a, {%0, %0, %0}], {0}; }" ::"r"(i));'
}

@test "a judge error names what the simulated GPU lacks, is recorded, and takes no rank away" {
    submission >x.cu
    judge grade --as Ada x.cu
    ends 0 "Accepted"
    unsupported >x.cu
    judge grade --as Ada --json result.json x.cu
    ends 2 "Judge Error" "a limit of the simulated GPU: kernel convolve: " "does not implement 'cp.async.bulk.prefetch.tensor" "(x.cu:9: "
    lacks "Run-Time Error"
    json result.json '.verdict + ", " + .rank_status' "Judge Error, not ranked: not accepted"
    stored 'SELECT verdict FROM runs ORDER BY id' $'Accepted\nJudge Error'
    judge leaderboard --problem conv1d
    ends 0 "Ada"
}

@test "a CUDA call that the judge does not provide is a judge error if the output needs it, and one that CUDA refuses is not" {
    local handle='cudaIpcMemHandle_t handle;'
    submission "$handle if (cudaIpcGetMemHandle(&handle, nullptr) != cudaSuccess) exit(1);" | claims exits.cu "Judge Error" \
        "a limit of the judge: it does not provide cudaIpcGetMemHandle (exits.cu:"
    submission "$handle if (cudaIpcGetMemHandle(&handle, nullptr) != cudaSuccess) return;" | claims returns.cu "Judge Error" \
        "a limit of the judge: it does not provide cudaIpcGetMemHandle (returns.cu:"
    submission "$handle cudaIpcGetMemHandle(&handle, nullptr);" | claims goes_on.cu "Accepted" "cudaIpcGetMemHandle"
    submission 'cudaArray_t array; cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
                if (cudaMallocArray(&array, &format, 8, 8, cudaArrayLayered) != cudaSuccess) return;' |
        claims array.cu "Run-Time Error" "cudaMallocArray: invalid argument"
    submission 'if (cudaDeviceEnablePeerAccess(1, 0) != cudaSuccess) return;' |
        claims peer.cu "Run-Time Error" "cudaDeviceEnablePeerAccess: invalid device ordinal"
    all_claims_hold
}

@test "a launch or a device's memory beyond the limits has its verdict" {
    submission '' '' 'input_size, 2048' | claims block.cu "Run-Time Error" 2048 1024
    submission '' '' '1, 256, 300000' | claims dynamic.cu "Run-Time Error" 300000
    submission '' '__shared__ float tile[20000]; tile[threadIdx.x] = i; __syncthreads(); i = tile[threadIdx.x];' |
        claims static.cu "Compile Error"
    submission 'void* p; if (cudaMalloc(&p, 1ull << 33) != cudaSuccess) return;' | claims memory.cu "Memory Limit Exceeded"
    submission 'void* p; for (int i = 0; i < 20000; i++) cudaMalloc(&p, 1); if (cudaGetLastError() != cudaSuccess) return;' |
        claims many.cu "Memory Limit Exceeded"
    all_claims_hold
}

@test "a process that ends before solve() does is told with its signal or exit status, whatever it printed" {
    submission 'output[0] = 1;' | claims device_pointer.cu "Run-Time Error" "Segmentation fault"
    submission '*(volatile int*)0 = 1;' | claims fault.cu "Run-Time Error" "Segmentation fault"
    submission 'abort();' | claims abort.cu "Run-Time Error" Aborted
    submission 'puts("Verdict: Accepted"); fflush(stdout); exit(0);' | claims exit.cu "Run-Time Error" "exit status 0"
    { submission; echo 'static struct Early { Early() { puts("Verdict: Accepted"); fflush(stdout); _exit(0); } } early;'; } |
        claims constructor.cu "Run-Time Error" "a constructor"
    all_claims_hold
}

@test "what has no end meets its limit, and a kernel is named" {
    limited_home 's/"host_seconds": [0-9]*/"host_seconds": 1/; s/"sim_warp_instructions": [0-9]*/"sim_warp_instructions": 10000000/
        s/"host_mebibytes": [0-9]*/"host_mebibytes": 256/' # memory that a machine has not touched before can take longer than the host's time is
    submission 'for (volatile int i = 0;; i++) {}' | claims host.cu "Time Limit Exceeded"
    submission '' 'for (volatile int j = 0;; j++) {}' | claims kernel.cu "Time Limit Exceeded" "kernel convolve: executes more than" \
        "warp instructions, perhaps in an endless loop"
    submission 'for (;;) fork();' | claims forks.cu "Time Limit Exceeded, Run-Time Error"
    submission 'static char* volatile last; for (long i = 0;; i++) { last = (char*)malloc(1 << 24); last[i] = 1; }' |
        claims memory.cu "Memory Limit Exceeded" host
    { submission; echo 'static struct Early { Early() { for (;;) pause(); } } early;'; } | claims constructor.cu "Time Limit Exceeded" \
        "a constructor, before solve(): the host code kept the device waiting for more than 1 s"
    all_claims_hold
}

@test "what a submission prints is shown, without the escapes of terminals" {
    submission 'printf("\033[2Jcleared\n");' 'if (i == 0) printf("hello from block %d of %s\n", blockIdx.x, "solve");' >x.cu
    judge try x.cu
    ends 0 "Accepted" "hello from block 0 of solve" cleared
    lacks $'\033'
}

@test "100 MB of printf are cut, and the answer is accepted" {
    submission 'static int once; if (!once++) for (int line = 0; line < 1000000; line++) printf("%099d\n", line);' >x.cu
    judge try x.cu
    holds "${#output} < 200000"
    ends 0 "Accepted"
}

# ---- a database that cannot be written: exit status 2
# -------------------------------------------------------------------------

@test "a leaderboard in a folder that one cannot write to is shown, and a grading names it" {
    submission >x.cu
    mkdir 'frozen?#%'
    export CONVJUDGE_DB="$PWD/frozen?#%/leaderboard.db"
    judge grade --as ada x.cu
    ends 0
    judge leaderboard --problem conv1d
    ends 0
    echo 'static nonsense' >>x.cu
    # shellcheck disable=SC2016 # expanded by the inner bash
    run unshare --user --map-root-user --mount bash -c '
        mount --bind "frozen?#%" "frozen?#%" && mount -o remount,bind,ro "frozen?#%" && cd "$PWD" &&
        "$1/convjudge" leaderboard --problem conv1d && "$1/convjudge" verify-leaderboard &&
        { "$1/convjudge" grade --unconfined --no-record x.cu || [[ $? == 1 ]]; } && "$1/convjudge" grade --unconfined x.cu' _ "$build"
    ends 2 "ada" "Compile Error" "leaderboard.db: read-only, expected a file and a folder that can be written; to judge without keeping the run: --no-record; to keep it elsewhere: CONVJUDGE_DB=FILE"
    equal leaderboard.db "$(ls -A 'frozen?#%')" # reading leaves nothing beside it
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

@test "a folder where no temporary files can be made is named" {
    submission >x.cu
    TMPDIR=$PWD/missing run "$build/convjudge" grade x.cu
    ends 2
    equal "convjudge: $PWD/missing: no temporary folder can be made here; set TMPDIR to a folder where it can: No such file or directory" "$output"
}

@test "a command of the service names the program that it needs" {
    mkdir bin
    cp "$build/convjudge" bin/
    run bin/convjudge serve
    ends 2 "convjudge: $PWD/bin/convjudge-service: cannot be started (No such file or directory), expected " 'that `make service` builds'
}

@test "a small stack is made larger, or named where that is not allowed" {
    submission >x.cu
    run bash -c 'ulimit -Ss 64 && "$1/convjudge" try x.cu' _ "$build"
    ends 0 Accepted
    run bash -c 'ulimit -s 1024 && "$1/convjudge" try x.cu' _ "$build"
    ends 0 Accepted
    run bash -c 'ulimit -s 64 && "$1/convjudge" try x.cu' _ "$build"
    ends 2
    equal "convjudge: the stack is limited to less than 1 MiB (ulimit -Hs), expected 8 MiB" "$output"
}
