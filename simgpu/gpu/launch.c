/* Checks the limits of a grid, has its blocks run, and concludes from what they counted.  */
#include "simgpu/gpu/launch.h"

#include "base/allocated.h"
#include "simgpu/block/cluster.h"
#include "simgpu/cost/cost.h"
#include "simgpu/cost/counters.h"
#include "simgpu/cost/launch_limits.h"
#include "simgpu/cost/machine_total.h"
#include "simgpu/engine/slow_path.h"
#include "simgpu/gpu/block_sample.h"
#include "simgpu/gpu/touched.h"
#include "simgpu/gpu/cooperative.h"
#include "simgpu/gpu/launch_heap.h"
#include "simgpu/gpu/run.h"
#include "simgpu/memory/validity.h"
#include "simgpu/sanitizer/block_races.h"
#include "simgpu/sanitizer/raw_finding.h"
#include "simgpu/sanitizer/sanitizer_plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- limits ------------------------------------------------------------------------------------------------------ */

/* A kernel is not refused because of an estimated number of registers. */
bool launch_is_possible(const SimGpu *gpu, const SimLaunch *launch, SimReport *report)
{
    const SimFunction *function = launch->function;
    const LaunchLimits limits = launch_limits(&gpu->profile);
    const LaunchNeeds needs = function_needs(function);
    char *text = report->fault.text;
    if (launch_limits_check(&limits, &needs, &launch->shape, text, sizeof report->fault.text) != LAUNCH_FITS) {
        report->outcome = SIM_BAD_LAUNCH;
        return false;
    }
    if (function->lowered == STATUS_OK)
        return true;
    report->outcome = function->lowered == STATUS_BAD_INPUT ? SIM_BAD_CODE : SIM_UNSUPPORTED;
    snprintf(text, sizeof report->fault.text, "kernel %.80s: %.300s", function->plain_name, function->refusal.text);
    return false;
}

/* ---- results ----------------------------------------------------------------------------------------------------- */

/* Adds the counters that follow from how often each basic block ran. */
static void add_executed(const Code *code, GridRun *run)
{
    for (int i = 0; i < code->block_line_count; i++) {
        const BlockLine *part = &code->block_lines[i];
        counters_add_executed(&run->counters, part, &run->executed[part->block]);
    }
    if (run->lines != NULL)
        lines_add_executed(run->lines, code, run->executed);
}

static uint64_t sectors_of(const Touched *touched)
{
    if (touched->low > touched->high)
        return 0;
    return (touched->high + SECTOR_BYTES - 1) / SECTOR_BYTES - touched->low / SECTOR_BYTES;
}

/* Models what loads and stores mean for caches and memory. Must precede note_written(), because reuse_of() takes data
 * that earlier kernels wrote as cached. */
static Reuse count_traffic(GridRun *run)
{
    const Memory *memory = run->launch.memory;
    Reuse reuse = reuse_of(&run->launch.traces, memory, run->launch.code->memory_count);
    reuse_check(&reuse, &run->launch.traces, &run->launch.drawn, memory, run->launch.code->memory_count);
    run->counters.missing_load_sectors = (uint64_t)(reuse.missing * (double)run->counters.global_load_sectors);
    for (int i = 0; i < memory->count; i++) {
        run->counters.unique_load_sectors += sectors_of(&run->loaded[i]);
        run->counters.unique_store_sectors += sectors_of(&run->stored[i]);
    }
    return reuse;
}

static void note_written(GridRun *run)
{
    Memory *memory = run->launch.memory;
    for (int i = 0; i < memory->count; i++)
        memory->allocations[i].kernel_wrote |= run->stored[i].low <= run->stored[i].high;
}

/* Which bytes a launch has written is known only if the sanitizer checked it. If not, all bytes of the allocations that
 * it stored into count as written. */
static void settle_written(GridRun *run, bool is_sanitized)
{
    for (int i = 0; i < run->launch.memory->count && !is_sanitized; i++)
        if (run->stored[i].low <= run->stored[i].high)
            validity_free(&run->launch.memory->allocations[i]);
}

static void report_findings(GridRun *run, SimReport *report)
{
    const Launch *launch = &run->launch;
    for (int i = 0; i < launch->memory->count; i++)
        if (run->stored[i].low < run->stored[i].high)
            block_races_find(launch, i, run->stored[i].low, run->stored[i].high, run->found);
    report->finding_count = raw_findings_report(launch, run->found, report->findings, &report->findings_more);
}

static SimMachineRatios machine_ratios(SimFunction *function, const Executed *executed, const LoadShare *loads,
                                       const CostInput *input)
{
    const Code *code = &function->code;
    MachineWork work;
    if (!function->machine_known)
        return (SimMachineRatios){0};
    uint64_t *warps = zeroed((size_t)code->block_count, sizeof *warps);
    for (int i = 0; i < code->block_count; i++)
        warps[i] = executed[i].warps;
    machine_code_wait(&function->machine, code, input->profile, loads, cost_local_share(input));
    machine_total(&function->machine, code, warps, &work);
    slow_path_add(&work, input->counters->slow_path_instructions);
    free(warps);
    return cost_machine_ratios(input, &work, function->machine.direct_bytes);
}

static void model_time(const SimGpu *gpu, const SimLaunch *launch, const GridRun *run, const LoadShare *loads,
                       SimReport *report)
{
    CostInput input = {
        .profile = &gpu->profile,
        .function = &launch->function->info,
        .shape = launch->shape,
        .counters = &report->counters,
        .longest_warp_instructions = run->longest.instructions,
        .longest_warp_loads = run->longest.loads,
        .longest_warp_shared = run->longest.shared_loads,
        .longest_warp_constant = run->longest.constant_loads,
    };
    input.machine = report->machine = machine_ratios(launch->function, run->executed, loads, &input);
    Cost cost = cost_model(&input);
    report->modelled_s = cost.seconds;
    report->occupancy = cost.occupancy;
    report->limiter = cost.limiter;
}

static void report_watched(const GridRun *run, SimReport *report)
{
    const Launch *launch = &run->launch;
    int target = memory_find(launch->memory, launch->request->watched_target);
    report->watched_store = target >= 0 && run->stored[target].low <= run->stored[target].high;
    if (run->first_watched == launch->code->instruction_count)
        return;
    const Instruction *instruction = &launch->code->instructions[run->first_watched];
    bool known = instruction->line > 0 && instruction->file > 0 && instruction->file < launch->file_count &&
                 launch->files[instruction->file] != NULL;
    const char *file = known ? launch->files[instruction->file] : "";
    const char *slash = strrchr(file, '/');
    int length = snprintf(report->watched_load, sizeof report->watched_load, "kernel %.80s", launch->function_name);
    if (!known)
        return;
    report->watched_file = file;
    report->watched_line = instruction->line;
    snprintf(report->watched_load + length, sizeof report->watched_load - (size_t)length, " (%.120s:%d)",
             slash != NULL ? slash + 1 : file, instruction->line);
}

/* ---- the launch -------------------------------------------------------------------------------------------------- */

static TraceSet new_traces(const SimGpu *gpu, const SimLaunch *request, const Launch *launch)
{
    uint32_t resident = cost_resident_blocks(&gpu->profile, &request->function->info, launch->threads,
                                             request->shape.dynamic_shared_bytes);
    uint64_t frames = (uint64_t)launch->threads * request->function->info.frame_bytes;
    return trace_set_new(&gpu->profile, launch->blocks, resident, launch->shared_bytes, frames);
}

static void prepare_run(SimGpu *gpu, const SimLaunch *request, const LaunchHow *how, GridRun *run)
{
    const SimFunction *function = request->function;
    const PtxModule *ptx = &function->module->ptx;
    uint32_t threads = (uint32_t)launch_block_threads(&request->shape);
    bool has_dynamic = request->shape.dynamic_shared_bytes > 0;
    *run = (GridRun){.launch = {.code = &function->code,
                                .memory = &gpu->memory,
                                .textures = &gpu->textures,
                                .request = request,
                                .function = &function->info,
                                .function_name = function->plain_name,
                                .files = ptx->files,
                                .file_count = ptx->file_count,
                                .threads = threads,
                                .warps = (threads + SIM_WARP_SIZE - 1) / SIM_WARP_SIZE,
                                .capacity = (threads + SIM_WARP_SIZE - 1) / SIM_WARP_SIZE * SIM_WARP_SIZE,
                                .shared_bytes = has_dynamic ? function->code.dynamic_shared_offset +
                                                                  request->shape.dynamic_shared_bytes
                                                            : function->code.shared_bytes,
                                .stack_bytes = launch_stack_bytes(request),
                                .parameter_bytes = function->info.parameter_bytes,
                                .profile = &gpu->profile,
                                .is_timed = !request->is_untimed || (request->flags & SIM_COUNT_LINES),
                                .is_cooperative = (request->flags & SIM_COOPERATIVE) != 0,
                                .workspace = cooperative_workspace(gpu, request),
                                .blocks = launch_block_count(&request->shape),
                                .watched_source = memory_find(&gpu->memory, request->watched_source),
                                .cancelled = &gpu->cancelled,
                                .output = &gpu->output,
                                .translator = gpu->translator,
                                .fault_block = UINT64_MAX},
                     .first_watched = function->code.instruction_count};
    launch_take_heap(gpu, request, &run->launch);
    if (gpu->translator_settings.compiler != NULL && !how->interprets &&
        !(request->flags & (SIM_COUNT_LINES | SIM_COOPERATIVE)) && !function->code.reads_clock &&
        function->code.procedure_count == 0 && gpu->memory.heap.bytes == 0)
        run->job = gpu->translator->find(&request->function->jobs, &gpu->translator_settings, &function->code,
                                         request->shape.block);
    if (run->launch.is_timed) {
        run->launch.traces = new_traces(gpu, request, &run->launch);
        run->launch.drawn = trace_set_drawn(&run->launch.traces, run->launch.blocks, request->sample_key);
    }
    const LaunchNeeds needs = function_needs(function);
    launch_cluster(&needs, &request->shape, run->launch.cluster);
    run->launch.cluster_blocks = run->launch.cluster[0] * run->launch.cluster[1] * run->launch.cluster[2];
    run->launch.is_explicit_cluster = request->shape.cluster[0] > 0 || needs.cluster[0] > 0;
    run->launch.clusters = run->launch.blocks / run->launch.cluster_blocks;
    pthread_mutex_init(&run->launch.fault_lock, NULL);
    pthread_mutex_init(&run->launch.bulk_lock, NULL);
    pthread_mutex_init(&run->lock, NULL);
    run->launch.sanitizer_plan = sanitizer_plan_new(&run->launch);
    bool is_checked = run->launch.sanitizer_plan != NULL && request->footprint == NULL;
    run->found = is_checked ? raw_findings_new(&function->code) : NULL;
    run->executed = zeroed((size_t)function->code.block_count, sizeof *run->executed);
    run->loaded = zeroed((size_t)gpu->memory.count, sizeof *run->loaded);
    run->stored = zeroed((size_t)gpu->memory.count, sizeof *run->stored);
    for (int i = 0; i < gpu->memory.count; i++)
        run->loaded[i] = run->stored[i] = (Touched){.low = UINT64_MAX};
    if (request->flags & SIM_COUNT_LINES)
        run->launch.lines = run->lines = lines_new(&run->launch);
}

static void finish_run(GridRun *run)
{
    pthread_mutex_destroy(&run->launch.fault_lock);
    pthread_mutex_destroy(&run->launch.bulk_lock);
    pthread_mutex_destroy(&run->lock);
    sanitizer_plan_free(run->launch.sanitizer_plan);
    trace_set_free(&run->launch.traces);
    trace_set_free(&run->launch.drawn);
    free(run->found);
    free(run->executed);
    free(run->loaded);
    free(run->stored);
}

/* The lines are valid until the next launch. */
static void report_lines(SimGpu *gpu, GridRun *run, SimReport *report)
{
    if (run->lines == NULL)
        return;
    report->line_count = (size_t)run->lines->count;
    report->lines = gpu->lines = lines_take(run->lines);
}

static void describe_stop(const SimLaunch *launch, SimReport *report)
{
    const char *name = launch->function->plain_name;
    if (report->outcome == SIM_TIME_LIMIT && (launch->flags & SIM_COOPERATIVE) != 0)
        snprintf(report->fault.text, sizeof report->fault.text,
                 "kernel %.80s: does not end, perhaps because not all blocks come to a grid.sync()", name);
    else if (report->outcome == SIM_TIME_LIMIT)
        snprintf(report->fault.text, sizeof report->fault.text,
                 "kernel %.80s: executes more than %llu warp instructions, perhaps in an endless loop", name,
                 (unsigned long long)launch->warp_instructions);
    else if (report->outcome == SIM_CANCELLED)
        snprintf(report->fault.text, sizeof report->fault.text, "kernel %.80s: was cancelled", name);
}

static void run_blocks(SimGpu *gpu, GridRun *run, int helpers)
{
    run->sampled_share = 1;
    if (run->launch.is_cooperative)
        run_together(run);
    else if (block_sample_is_possible(run))
        block_sample_run(gpu, run, helpers);
    else
        run_whole(gpu, run, helpers);
}

void launch_run(SimGpu *gpu, const SimLaunch *launch, const LaunchHow *how, SimReport *report)
{
    *report = (SimReport){.outcome = SIM_OK};
    free(gpu->lines);
    gpu->lines = NULL;
    if (!launch_is_possible(gpu, launch, report) || !cooperative_check(gpu, launch, report))
        return;
    GridRun run;
    prepare_run(gpu, launch, how, &run);
    run_blocks(gpu, &run, launch->function->code.uses_heap ? 0 : how->helpers);
    atomic_store(&gpu->cancelled, 0);
    Reuse reuse = {0};
    if (run.launch.is_timed)
        reuse = count_traffic(&run);
    else
        run.counters = (SimCounters){0}; /* the engines have counted different things */
    add_executed(&launch->function->code, &run);
    note_written(&run);
    settle_written(&run, run.found != NULL && !run.launch.sanitizer_plan->is_sample);
    report_watched(&run, report);
    touched_report(gpu, run.loaded, run.stored, report);
    report_lines(gpu, &run, report);
    report->counters = run.counters;
    report->longest = run.longest;
    report->sampled_share = run.sampled_share;
    report->sample_error = run.sample_error;
    report->drawn_share = run.drawn_share;
    report->certain_bytes = run.certain_bytes;
    report->outcome = (SimOutcome)atomic_load(&run.launch.stop);
    if (run.launch.outcome != SIM_OK) {
        report->outcome = run.launch.outcome;
        report->fault = run.launch.fault;
    }
    if (report->outcome != SIM_OK)
        describe_stop(launch, report);
    else if (run.launch.is_timed)
        model_time(gpu, launch, &run, reuse.loads, report);
    else
        report->modelled_s = gpu->profile.launch_s;
    if (report->outcome == SIM_OK && run.found != NULL)
        report_findings(&run, report);
    reuse_free(&reuse);
    finish_run(&run);
}
