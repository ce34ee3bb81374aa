#!/usr/bin/env bats
# `convjudge explain`: where a submission's time goes, and what to change.

bats_require_minimum_version 1.5.0
load helper
# shellcheck disable=SC2034 # helper.bash reads it
real_home=1 # advice depends on sizes

# home_of_problem ID: a home in which the problem's files may be changed, for tests of its ladder.
home_of_problem() {
    local item
    export CONVJUDGE_HOME=$BATS_TEST_TMPDIR/home
    mkdir -p "$CONVJUDGE_HOME/problems"
    for item in base grader harness leaderboard simgpu solutions testcases; do ln -s "$root/$item" "$CONVJUDGE_HOME/"; done
    cp -r "$root/problems/$1" "$CONVJUDGE_HOME/problems/"
}

# tells WHAT FILE [CASE]: what is told about the file, or about one case of it: the name of a step, if it comes first, and the
# defects, the largest first.
tells() {
    rm -f result.json
    judge explain ${3:+--case "$3"} --json result.json "$2"
    ends 0
    json result.json '(if .telling == "step" then [.step.name] else [] end) + [.advice[].id] | join("+")' "$1" ||
        { echo "$2: $(jq -c '[.telling, .step, .advice]' result.json)"; return 1; }
}

@test "the step is told that gains more than a defect, with the defects that it must not keep" {
    local what file case
    while read -r what file case; do
        tells "$what" "$root/solutions/$file" "$case"
    done < <(printf '%s\n' \
        "1-walk+uncoalesced depthwise-conv1d/accepted/uncoalesced.cu 3" \
        "1-shared-tile+global_accumulation conv2d-same/accepted/global_accumulation.cu 2" \
        "2-several-results+bank_conflicts conv2d-separable/accepted/two_passes_bank_conflicts.cu")
    ends 0 "Next step: Eight results" "  In the same step, mend this (bank_conflicts)" "make the distance between their elements odd" "Without this, the score would be "
}

@test "a defect is told first of a file that has taken all steps" {
    sed 's/^    cudaMemcpyToSymbolAsync(c_filter, filter, \(.*\), 0,.*/    float taps[17 * 17];\n    cudaMemcpy(taps, filter, \1, cudaMemcpyDeviceToHost);\n    cudaMemcpyToSymbol(c_filter, taps, \1);/' \
        "$root/solutions/conv2d-constant/accepted/patch_in_registers.cu" >x.cu
    tells host_copies x.cu 2
    ends 0 "Mend this first (host_copies)" "copies move "
    lacks "Next step" "The next step"
}

@test "kernels that wait for each other are told so" {
    sed 's/^    convolve_columns<<</    cudaDeviceSynchronize();\n&/' "$root/solutions/conv2d-separable/accepted/several_results.cu" >x.cu
    tells 3-partial-sums+waits x.cu 2
    ends 0 "In the same step, mend this (waits)" "  cudaDeviceSynchronize();"
    json result.json '.advice[0].text | contains("solve() waits for it before it launches the next kernel")' true
}

@test "the step stands below the cases, with the times that its example takes; then kernels and a listing; the JSON file holds the same" {
    judge explain --json result.json "$root/solutions/conv1d/accepted/naive.cu"
    ends 0 "naive.cu, problem conv1d on NVIDIA H200 (simulated)" "(modelled)" "after the step" "Next step: Input and filter in shared memory" \
        "shared_both.cu does this, and takes " " where your file takes " " % less." "    --show sketch shows its code with holes." \
        "limited by " " (alone: " " % of the time); next: " " flops per byte (compute side of the ridge at " "; achieved " " instructions per floating-point instruction" \
        "sum += input[i + k] * kernel[k];" "sectors  wave- divergent" "ideal fronts  branches" \
        " % in header files, " " % in launches, block start-up, copies, waiting and events"
    lacks $'\033' "HOLE" "a wider terminal"
    json result.json '.schema == 2 and .problem == "conv1d" and .file == "naive.cu" and .device == "sim-h200"
        and (.kernels | length == 1) and .kernels[0].bound == "lsu" and .kernels[0].occupancy == 1
        and ([.lines[].share] | add | . > 0.5 and . <= 1)
        and .telling == "step" and .step.example == "shared_both.cu" and .step.example_ms < .step.time_ms
        and (.cases | all(.example_s > 0 and (.facts.outputs_per_thread - 1 | fabs) < 0.01 and .facts.loads_per_fma > 1.9))
        and .kernels[0].counters.fma32 == ([.lines[].counters.fma32 // 0] | add)' true
}

@test "the sketch has holes, the code has none, and terms are explained where they are used" {
    judge explain --case 1 --show sketch --terms "$root/solutions/conv1d/accepted/naive.cu"
    ends 0 "    // HOLE: " "    __shared__ float s_input[THREADS + MAX_KERNEL_SIZE - 1];" "--show code shows all of its code." $'\n  Terms\n' \
        "warp                32 threads of a block, which execute one instruction together" \
        "lanes               the threads of a warp; the column shows how many" "sectors             pieces of 32 bytes, in which global memory is read" \
        "fronts              wavefronts: the turns that one access to shared memory takes" \
        "divergent           branches that threads of one warp take differently" \
        "occupancy           the warps that a multiprocessor holds at a time" \
        "wave                the blocks that fit on all multiprocessors at the same time" \
        "roofline            the highest rate that memory and arithmetic allow" "spilled             bytes of values that found no register" \
        "load/store units    the units through which each load and store of a warp goes" \
        "instruction issue   a multiprocessor starts at most four instructions of warps" \
        "halo                the elements around a tile that its outputs need"
    judge explain --case 1 --terms "$root/solutions/conv2d/accepted/vector_loads.cu"
    ends 0 "tile                the part of an array that a block works on" "patch               neighbouring outputs in two directions"
    judge explain --terms "$root/solutions/conv2d/accepted/naive.cu"
    ends 0 "latency             warps wait for their own loads and results"
    judge explain --case 1 --show code "$root/solutions/conv1d/accepted/naive.cu"
    ends 0 "            s_kernel[k] = kernel[k];"
    lacks "HOLE" "--show" "  Terms"
    judge explain --show all "$root/solutions/conv1d/accepted/naive.cu"
    ends 2 "--show all: expected idea, sketch or code"
}

@test "without a step or a defect the two slowest lines are shown, and whom to beat; in the fastest quarter nothing" {
    home_of_problem conv2d
    rm -r "$CONVJUDGE_HOME/problems/conv2d/ladder"
    judge explain "$root/solutions/conv2d/accepted/naive.cu"
    ends 0 "Where to look" "No step of the problem's ladder and no measured defect fits this file. Case 1 is limited by" \
        "The next reference solution to beat is fixed_sizes.cu, with " "lines take most of its time:" \
        "    26  sum += input[(row + r) * input_cols + col + s] * kernel[r * kernel_cols + s];"
    judge explain --device sim:t4 "$root/solutions/conv2d/accepted/naive.cu"
    ends 0 "    No reference solution has a time on this device; run: convjudge references --problem conv2d"
    judge explain "$root/solutions/conv2d/accepted/patch_in_registers.cu"
    ends 0 "No advice: it is among the fastest quarter of the reference solutions (percentile 94)."
}

@test "a wrong ladder is named with its line, and facts are printed for each case" {
    home_of_problem conv1d
    local step=$CONVJUDGE_HOME/problems/conv1d/ladder/1-shared-memory.md
    sed -i 's/^- when: .*/- when: `loads > 1`/' "$step"
    judge explain "$root/solutions/conv1d/accepted/naive.cu"
    ends 2 "problems/conv1d/ladder/1-shared-memory.md:7: \"loads > 1\": at character 1: expected the name of a fact, as \`convjudge facts\` lists them"
    unset CONVJUDGE_HOME
    judge facts "$root/solutions/conv1d/accepted/naive.cu"
    ends 0 "  1  " "loads_per_fma " "  load instructions for each multiply-add, from all memories" "tensor_share " "  -  different addresses of a warp"
}

# does_not_climb WHY: check-problem says that of the ladder of conv2d-constant.
does_not_climb() {
    judge check-problem --problem conv2d-constant --only ladder
    ends 1 "not ok 1 - the ladder of conv2d-constant climbs from step to step" "# missing: $CONVJUDGE_HOME/problems/conv2d-constant/ladder/$1"
}

# stored_ms FILE: the time of an accepted solution of conv2d-constant, as leaderboard/references has it.
stored_ms() {
    jq --arg name "$1" '.problems[] | select(.problem == "conv2d-constant").references[] | select(.name == $name).score_ms' \
        "$root/leaderboard/references/sim-h200.json" | xargs printf %.4g
}

@test "check-problem names the step at which a ladder does not climb" {
    home_of_problem conv2d-constant
    local ladder=$CONVJUDGE_HOME/problems/conv2d-constant/ladder kept=$root/problems/conv2d-constant/ladder
    sed -i 's/^- example: .*/- example: `none.cu`/' "$ladder/1-register-tile.md"
    does_not_climb '1-register-tile.md: none.cu: expected a file in solutions/conv2d-constant/accepted'
    sed -i 's/^- example: .*/- example: `block_of_output_tile.cu`/' "$ladder/1-register-tile.md"
    does_not_climb "1-register-tile.md: block_of_output_tile.cu takes $(stored_ms block_of_output_tile.cu) ms, expected at least 10 % less than constant_memory.cu, $(stored_ms constant_memory.cu) ms"
    sed 's/    __syncthreads();/    __syncwarp();/' "$kept/1-register-tile.md" >"$ladder/1-register-tile.md"
    does_not_climb '1-register-tile.md: expected a line of register_tile.cu, in its order, found "__syncwarp();"'
    sed '/    int side = 2/d' "$kept/1-register-tile.md" >"$ladder/1-register-tile.md"
    does_not_climb '1-register-tile.md: expected a sketch that compiles: '
    sed 's/^- when: .*/- when: `blocks < 0`/' "$kept/1-register-tile.md" >"$ladder/1-register-tile.md"
    does_not_climb '1-register-tile.md: expected to be told for constant_memory.cu, found 2-patch'
    cp "$kept/1-register-tile.md" "$ladder/"
    sed -i 's/^- from: .*/- from: `border_apart.cu`/' "$ladder/2-patch.md"
    does_not_climb '2-patch.md: from border_apart.cu: expected the example of the step before, register_tile.cu'
    rm "$ladder/2-patch.md"
    cat >"$ladder/1-register-tile.md" <<'STEP'
# Sizes as template arguments

Let the compiler know the size of the filter.

- when: `outputs_per_thread < 3`
- from: `constant_memory.cu`
- example: `fixed_sizes.cu`

```cuda
extern "C" void solve(const float* input, const float* filter, float* output, int width, int height, int radius)
{
    // HOLE: all of it
}
```
STEP
    does_not_climb '1-register-tile.md: fixed_sizes.cu has percentile 50, expected at least 75 of the last step'
    lacks "# climbed before"
    does_not_climb '1-register-tile.md: fixed_sizes.cu has percentile 50, expected at least 75 of the last step'
    has_lines "# climbed before, with the same content"
}

@test "a step that begins with a larger defect, or whose condition does not hold, is refused" {
    home_of_problem depthwise-conv1d
    rm "$CONVJUDGE_HOME/problems/depthwise-conv1d/ladder/2-wide-loads.md"
    cat >"$CONVJUDGE_HOME/problems/depthwise-conv1d/ladder/1-walk.md" <<'STEP'
# Weights from global memory

Let each thread load its weights from global memory.

- when: `outputs_per_thread < 2`
- from: `constant_memory.cu`
- example: `uncoalesced.cu`

```cuda
extern "C" void solve(const float* x, const float* weight, const float* bias, float* output, int B, int L, int D, int K)
{
    // HOLE: all of it
}
```
STEP
    judge check-problem --problem depthwise-conv1d --only ladder
    ends 1 '1-walk.md: expected to be told for constant_memory.cu, found "constant_addresses_differ", ' ' % of the score'
    sed -i 's/^- when: .*/- when: `blocks < 0`/; s/^- from: .*/- from: `uncoalesced.cu`/; s/^- example: .*/- example: `naive.cu`/' \
        "$CONVJUDGE_HOME/problems/depthwise-conv1d/ladder/1-walk.md"
    judge check-problem --problem depthwise-conv1d --only ladder
    ends 1 '1-walk.md: expected to be told for uncoalesced.cu, found no step that holds'
}

@test "all timed cases are listed with their share in the score, and --case chooses one" {
    light_home
    submission >x.cu
    judge explain --json all.json x.cu
    ends 0 "timed case" ">  1  "
    json all.json '.cases | length' 3
    judge explain --case 2 --json two.json x.cu
    ends 0 "   2  $(jq -r '.cases[1].name' all.json)"
    lacks "   1  "
    json two.json '.cases | length' 1
    json two.json .case "$(jq -r '.cases[1].name' all.json)"
    equal "$(jq '.cases[1].seconds' all.json)" "$(jq '.cases[0].seconds' two.json)"
    judge explain --case "$(jq -r '.cases[0].name' all.json)" --json one.json x.cu
    json one.json '.cases[0].number' 1
    judge explain --case 4 x.cu
    ends 2 "--case 4: problem conv1d has no such timed case; expected a number or name: 1 ($(jq -r '.cases[0].name' all.json)); 2 ("
}

@test "kernels that take little of the time, and launches in ever new shapes, are counted" {
    light_home
    { echo '__global__ void nothing() {}' && submission 'for (int i = 1; i <= 100; i++) nothing<<<i, 32>>>();'; } >x.cu
    judge explain --case 1 x.cu
    ends 0 "launches of kernels that are not shown: 69"
    { echo '__global__ void nothing() {}' && submission 'nothing<<<1, 32>>>();'; } >x.cu
    judge explain --case 1 x.cu
    ends 0 "kernels (or launch shapes) that are not shown: 1, with "
}

@test "time by line adds up to the kernels'" {
    judge explain --case 1 --json result.json "$root/solutions/conv2d-separable/accepted/two_passes.cu"
    ends 0
    json result.json '([.lines[].share] | add) as $lines | ([.kernels[].share] | add) as $kernels | $kernels - $lines | . > -1e-6 and . < 0.3' true
}

@test "CLICOLOR_FORCE gives colour, and the JSON file can go to standard output" {
    light_home
    unset NO_COLOR
    export CLICOLOR_FORCE=1
    submission >x.cu
    judge explain --case 1 --json result.json x.cu
    ends 0 $'\033[1mx.cu'
    "$build/convjudge" explain --case 1 --json - x.cu >again.json 2>/dev/null
    cmp again.json result.json
}

@test "memory that each call allocates is named, though it gains nothing" {
    light_home
    submission 'float* scratch; cudaMalloc(&scratch, 4096); cudaFree(scratch);' >x.cu
    judge explain --case 3 x.cu
    ends 0 "line 19: this call allocates device memory (1 allocation) and frees it. No time here contains" \
        "host's time for that, but other programs wait for it: keep the memory for the next call"
    submission 'static float* scratch; if (scratch == NULL) cudaMalloc(&scratch, 4096);' >kept.cu
    judge explain --case 3 kept.cu
    ends 0
    lacks "allocates device memory"
}

@test "a submission that is not accepted gets its verdict instead" {
    submission >x.cu 'return;'
    judge explain x.cu
    ends 1 "Wrong Answer" "never written"
    lacks "Next step"
    submission >y.cu '' 'syntax'
    judge explain y.cu
    ends 1 "Compile Error" "y.cu(9): error"
}

# fake_gpu_with_ncu: makes the fake CUDA driver look like a real GPU, and puts an ncu into PATH: the script on standard
# input. The timed cases are short, since what ncu says does not depend on them.
fake_gpu_with_ncu() {
    light_home
    export CONVJUDGE_CUDA_DRIVER=$build/tests/libcuda.so.1 LD_LIBRARY_PATH=$build/tests PATH=$PWD/bin:$PATH
    mkdir bin
    { echo '#!/usr/bin/env bash'; cat; } >bin/ncu
    chmod +x bin/ncu
}

@test "on a real GPU a file runs under Nsight Compute only with --ncu" {
    submission >x.cu
    fake_gpu_with_ncu <<<"touch $PWD/ran"
    judge explain --device cuda x.cu
    ends 0 "Nsight Compute: not asked for: --ncu runs the file directly on the GPU, outside of the sandbox" "Mend this first (too_few_blocks)"
    absent ran
}

@test "measurements of Nsight Compute stand beside the simulated ones" {
    submission >x.cu
    local attributes=() names values
    mapfile -t attributes < <(seq 300) # of the device: what ncu's page of raw figures begins with
    names=$(printf '"device__attribute_%s",' "${attributes[@]}") values=$(printf '"%s",' "${attributes[@]}")
    fake_gpu_with_ncu <<EOF
printf '%s\n' "\$@" >"$PWD/arguments"
cat <<'TABLE'
convolve is about to run
==PROF== Connected to process 1
"ID","Kernel Name","Block Size",$names"gpu__time_duration.sum","sm__warps_active.avg.pct_of_peak_sustained_active","l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"
"","","",${names//[a-z0-9_]/}"ns","%","sector"
"0","convolve(const float *, const float *, float *, int, int)","(256, 1, 1)",$values"1,000","50","7"
"1","convolve(const float *, const float *, float *, int, int)","(256, 1, 1)",$values"2,000","100","8"
TABLE
EOF
    judge explain --device cuda --ncu --json result.json x.cu
    ends 0 "Nsight Compute on Fake GPU" "measured     simulated" "convolve, 2 launches" "75 %         100 %" "3 us" \
        "global load requests" "global load sectors" "global store sectors" "bytes of DRAM traffic"
    json result.json '.measured[0].seconds * 1e9 + 0.5 | floor' 3000
    json result.json '.measured[0] | del(.seconds) == {name: "convolve", launches: 2, occupancy: 0.75, global_load_sectors: 15}' true
    file_has arguments '^float:15000$'
    file_has arguments '^value:2047$'
    file_has arguments '/convjudge-runner$'
    file_has arguments '^direct$'
}

@test "a missing or failing ncu is named, and the rest is shown" {
    submission >x.cu
    fake_gpu_with_ncu <<<'exit 127'
    judge explain --case 1 --device cuda --ncu x.cu
    ends 0 "Nsight Compute: Nsight Compute's ncu is not installed"
    printf '#!/bin/sh\necho "==ERROR== ERR_NVGPUCTRPERM: no permission"; exit 1\n' >bin/ncu
    judge explain --case 1 --device cuda --ncu x.cu
    ends 0 "ncu ended with exit status 1: ==ERROR== ERR_NVGPUCTRPERM"
    printf '#!/bin/sh\nexit 1\n' >bin/ncu
    judge explain --case 1 --device cuda --ncu x.cu
    ends 0 "ncu ended with exit status 1: it printed nothing"
    printf '#!/bin/sh\necho nothing\n' >bin/ncu
    judge explain --case 1 --device cuda --ncu x.cu
    ends 0 "ncu printed no table, expected a line that begins with \"ID\""
    printf '#!/bin/sh\necho '\''"ID","Kernel Name","gpu__time_duration.sum"\n"","","ns"'\''\n' >bin/ncu
    judge explain --case 1 --device cuda --ncu x.cu
    ends 0 "ncu saw no kernel"
}

# A CUDA library that runs nothing, and says so at the end. It is the submission, too.
@test "a kernel that fails under Nsight Compute is named" {
    submission >x.cu
    gcc -shared -fPIC -xc -o runtime.so - <<'END'
#include <stdlib.h>
int cudaMalloc(void **address, size_t bytes) { return (*address = malloc(bytes)) == NULL; }
int cudaMemcpy(void *to, const void *from, size_t bytes, int kind) { return 0; }
int cudaDeviceSynchronize(void) { return 719; }
void convjudge_call(const unsigned long long *words) {}
END
    fake_gpu_with_ncu <<<"shift 9; exec \"\$1\" direct $PWD/runtime.so $PWD/runtime.so \"\${@:5}\""
    judge explain --device cuda --ncu x.cu
    ends 0 "ncu ended with exit status 2: convjudge-runner: a kernel failed"
}

@test "a narrow terminal gets fewer columns of figures, and still reads the source" {
    light_home
    submission >x.cu
    TERM=xterm LC_ALL=C.UTF-8 run script -qec "stty cols 60; '$build/convjudge' explain x.cu 2>/dev/null" /dev/null
    ends 0 "  line   time  warps lanes" $'\n'"    14" "│         sum += input[i + k] * k" "a wider terminal shows more columns"
    lacks branches
}
