/* Checks the limits of a grid, spreads its blocks over workers, and adds up what they counted.  */
#include "simgpu/gpu/launch.h"

#include "base/allocated.h"
#include "simgpu/block/cluster.h"
#include "simgpu/block/lines.h"
#include "simgpu/block/memory_note.h"
#include "simgpu/block/worker_setup.h"
#include "simgpu/cost/cost.h"
#include "simgpu/cost/counters.h"
#include "simgpu/cost/launch_limits.h"
#include "simgpu/cost/machine_total.h"
#include "simgpu/engine/bulk_copy.h"
#include "simgpu/gpu/cluster_run.h"
#include "simgpu/engine/interpreter.h"
#include "simgpu/engine/slow_path.h"
#include "simgpu/gpu/touched.h"
#include "simgpu/gpu/cooperative.h"
#include "simgpu/gpu/grid_run.h"
#include "simgpu/gpu/launch_heap.h"
#include "simgpu/memory/validity.h"
#include "simgpu/sanitizer/block_races.h"
#include "simgpu/sanitizer/raw_finding.h"
#include "simgpu/sanitizer/sanitizer.h"
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
    if (function->is_supported)
        return true;
    report->outcome = SIM_UNSUPPORTED;
    snprintf(text, sizeof report->fault.text, "kernel %.80s: %.300s", function->plain_name, function->refusal.text);
    return false;
}

/* ---- workers ----------------------------------------------------------------------------------------------------- */

typedef struct Run {
    Launch launch;
    TranslationJob *job;  /* NULL: the launch is interpreted */
    pthread_mutex_t lock; /* for the sums below */
    SimCounters counters;
    Executed *executed;       /* [block_count] */
    Touched *loaded, *stored; /* [allocation] */
    SimWarpPath longest;
    LineTable *lines;  /* NULL without SIM_COUNT_LINES */
    RawFinding *found; /* of the sanitizer; NULL: it does not check the launch */
    int first_watched; /* lowest instruction that loaded from the watched source; instruction_count: none */
} Run;

static void lengthen(SimWarpPath *longest, const SimWarpPath *path)
{
    if (path->instructions > longest->instructions)
        *longest = *path;
}

/* Empties the worker's notes. Returns the lowest instruction that loaded from the watched source, or
 * instruction_count. */
static int forget_notes(Worker *worker)
{
    int count = worker->code->instruction_count, first_watched = count;
    for (int i = 0; i < count; i++) {
        const Instruction *instruction = &worker->code->instructions[i];
        if (instruction->index < 0)
            continue;
        MemoryNote *note = &worker->notes[instruction->index];
        note_forget(worker, note, note_is_of_stores(instruction));
        if (note->loaded_watched && first_watched == count)
            first_watched = i;
    }
    return first_watched;
}

static void add_worker(Run *run, Worker *worker, const Sanitizer *sanitizer)
{
    int first_watched = forget_notes(worker);
    pthread_mutex_lock(&run->lock);
    run->first_watched = first_watched < run->first_watched ? first_watched : run->first_watched;
    simgpu_counters_add(&run->counters, &worker->counters);
    for (int i = 0; i < worker->code->block_count; i++) {
        run->executed[i].warps += worker->executed[i].warps;
        run->executed[i].lanes += worker->executed[i].lanes;
    }
    touched_add(run->loaded, worker->loaded, run->launch.memory->count);
    touched_add(run->stored, worker->stored, run->launch.memory->count);
    lengthen(&run->longest, &worker->longest);
    if (run->lines != NULL)
        lines_add_worker(run->lines, worker);
    if (run->found != NULL)
        raw_findings_merge(worker->code, run->found, sanitizer->found);
    pthread_mutex_unlock(&run->lock);
}

/* Lane-instructions that the unfinished blocks will execute, if they are like the finished ones. */
static uint64_t lane_instructions_left(const Launch *launch)
{
    uint64_t finished = atomic_load_explicit(&launch->finished_blocks, memory_order_relaxed);
    uint64_t warps = atomic_load_explicit(&launch->warp_instructions, memory_order_relaxed);
    uint64_t each = finished == 0 ? 0 : warps / finished * SIM_WARP_SIZE;
    return each * (launch->blocks - finished);
}

static void begin_block(Run *run, Worker *worker, Sanitizer *sanitizer, uint64_t block)
{
    worker_begin_block(worker, block);
    worker->sanitizer = sanitizer;
    if (sanitizer != NULL && !sanitizer_begin_block(worker))
        worker->sanitizer = NULL;
    if (run->job != NULL)
        run->launch.translator->begin_block(run->job, worker,
                                            worker->jit == NULL ? lane_instructions_left(&run->launch) : 0);
}

/* What one thread of the host runs blocks with: a worker for each block of a cluster. */
typedef struct Team {
    Cluster cluster;
    Sanitizer *sanitizers[MAX_CLUSTER]; /* of the workers; NULL: the launch has no plan */
} Team;

static void begin_team(Run *run, Team *team)
{
    const Launch *launch = &run->launch;
    bool is_needed = launch->cluster_blocks > 1 || launch->code->uses_cluster;
    *team = (Team){.cluster.count = launch->cluster_blocks};
    for (uint32_t i = 0; i < team->cluster.count; i++) {
        Worker *worker = worker_new(&run->launch);
        team->sanitizers[i] = sanitizer_new(worker);
        worker->cluster = is_needed ? &team->cluster : NULL;
        team->cluster.blocks[i] = worker;
    }
}

static void end_team(Run *run, const Team *team)
{
    for (uint32_t i = 0; i < team->cluster.count; i++) {
        Worker *worker = team->cluster.blocks[i];
        if (run->job != NULL)
            run->launch.translator->end_worker(worker);
        add_worker(run, worker, team->sanitizers[i]);
        sanitizer_free(team->sanitizers[i]);
        bulk_copies_free(worker);
        worker_free(worker);
    }
}

/* Runs the blocks of one cluster; without clusters, that is one block. */
static bool run_one(Run *run, Team *team, uint64_t number)
{
    Launch *launch = &run->launch;
    Cluster *cluster = &team->cluster;
    cluster->first_block = cluster_block(launch, number, 0);
    cluster->is_descending = number % 2 != 0;
    for (uint32_t i = 0; i < cluster->count; i++)
        begin_block(run, cluster->blocks[i], team->sanitizers[i], cluster_block(launch, number, i));
    bool going_on = cluster->blocks[0]->cluster != NULL ? run_cluster(cluster) : run_block(cluster->blocks[0]);
    atomic_fetch_add_explicit(&launch->finished_blocks, cluster->count, memory_order_relaxed);
    for (uint32_t i = 0; i < cluster->count; i++) {
        Worker *worker = cluster->blocks[i];
        if (worker->sanitizer != NULL)
            sanitizer_end_block(worker);
        lengthen(&worker->longest, &worker->path);
    }
    return going_on;
}

/* Runs chunks of clusters, in order, until none are left or the launch must end. Each host thread does this. */
static void run_blocks(void *context)
{
    Run *run = context;
    Launch *launch = &run->launch;
    Team team;
    begin_team(run, &team);
    bool going_on = true;
    while (going_on) {
        uint64_t number = atomic_fetch_add(&launch->next_cluster, launch->chunk);
        uint64_t end = number + launch->chunk < launch->clusters ? number + launch->chunk : launch->clusters;
        if (number >= end)
            break;
        for (; going_on && number < end && cluster_block(launch, number, 0) < atomic_load(&launch->fault_block);
             number++)
            going_on = run_one(run, &team, number);
        going_on = going_on && number == end;
    }
    end_team(run, &team);
}

/* The blocks of a cooperative launch take turns on one thread of the host, each with a worker of its own. */
static void run_together(Run *run)
{
    Launch *launch = &run->launch;
    Worker **workers = zeroed(launch->blocks, sizeof *workers);
    Sanitizer *sanitizer = NULL;
    for (uint64_t i = 0; i < launch->blocks; i++) {
        workers[i] = worker_new(launch);
        sanitizer = i == 0 ? sanitizer_new(workers[i]) : sanitizer;
        begin_block(run, workers[i], sanitizer, i);
    }
    run_grid(workers, launch->blocks);
    for (uint64_t i = 0; i < launch->blocks; i++) {
        lengthen(&workers[i]->longest, &workers[i]->path);
        add_worker(run, workers[i], NULL);
        bulk_copies_free(workers[i]);
        worker_free(workers[i]);
    }
    sanitizer_free(sanitizer);
    free(workers);
}

/* ---- results ----------------------------------------------------------------------------------------------------- */

/* Adds the counters that follow from how often each basic block ran. */
static void add_executed(const Code *code, Run *run)
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
static Reuse count_traffic(Run *run)
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

static void note_written(Run *run)
{
    Memory *memory = run->launch.memory;
    for (int i = 0; i < memory->count; i++)
        memory->allocations[i].kernel_wrote |= run->stored[i].low <= run->stored[i].high;
}

/* Which bytes a launch has written is known only if the sanitizer checked it. If not, all bytes of the allocations that
 * it stored into count as written. */
static void settle_written(Run *run, bool is_sanitized)
{
    for (int i = 0; i < run->launch.memory->count && !is_sanitized; i++)
        if (run->stored[i].low <= run->stored[i].high)
            validity_free(&run->launch.memory->allocations[i]);
}

static void report_findings(Run *run, SimReport *report)
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
    machine_code_wait(&function->machine, code, input->profile, loads);
    machine_total(&function->machine, code, warps, &work);
    slow_path_add(&work, input->counters->slow_path_instructions);
    free(warps);
    return cost_machine_ratios(input, &work, function->machine.direct_bytes);
}

static void model_time(const SimGpu *gpu, const SimLaunch *launch, const Run *run, const LoadShare *loads,
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

static void report_watched(const Run *run, SimReport *report)
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

/* Clusters per chunk: few enough that all workers end at about the same time, enough that taking a chunk costs little. */
static uint64_t chunk_size(uint64_t clusters, int workers)
{
    uint64_t chunk = clusters / ((uint64_t)workers * 32);
    return chunk < 1 ? 1 : chunk > 256 ? 256 : chunk;
}

static TraceSet new_traces(const SimGpu *gpu, const SimLaunch *request, const Launch *launch)
{
    uint32_t resident = cost_resident_blocks(&gpu->profile, &request->function->info, launch->threads,
                                             request->shape.dynamic_shared_bytes);
    return trace_set_new(&gpu->profile, launch->blocks, resident, launch->shared_bytes);
}

static void prepare_run(SimGpu *gpu, const SimLaunch *request, const LaunchHow *how, Run *run)
{
    const SimFunction *function = request->function;
    const PtxModule *ptx = &function->module->ptx;
    uint32_t threads = (uint32_t)launch_block_threads(&request->shape);
    bool has_dynamic = request->shape.dynamic_shared_bytes > 0;
    *run = (Run){.launch = {.code = &function->code,
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
    run->launch.chunk = chunk_size(run->launch.clusters, how->helpers + 1);
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

static void finish_run(Run *run)
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
static void report_lines(SimGpu *gpu, Run *run, SimReport *report)
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

void launch_run(SimGpu *gpu, const SimLaunch *launch, const LaunchHow *how, SimReport *report)
{
    *report = (SimReport){.outcome = SIM_OK};
    free(gpu->lines);
    gpu->lines = NULL;
    if (!launch_is_possible(gpu, launch, report) || !cooperative_check(gpu, launch, report))
        return;
    Run run;
    prepare_run(gpu, launch, how, &run);
    uint64_t most = launch->function->code.uses_heap ? 0 : run.launch.clusters - 1;
    int helpers = most < (uint64_t)how->helpers ? (int)most : how->helpers;
    run.launch.is_cooperative ? run_together(&run) : pool_run(&gpu->pool, helpers, run_blocks, &run);
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
