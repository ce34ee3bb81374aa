#include "harness/device/sim_stream.h"

#include "base/arena.h"
#include "base/clock.h"
#include "base/elf.h"
#include "harness/device/launch_check.h"
#include "harness/protocol/ring.h"
#include "simgpu/simgpu.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ==== sim mistake ================================================================================================= */

/* The kinds of mistake (device.h) that the simulated GPU finds. */

static MistakeKind kind_of_access(const SimFault *fault)
{
    switch (fault->space) {
    case SIM_GLOBAL:
        if (fault->left.is_freed)
            return MISTAKE_FREED_MEMORY;
        if (fault->left.side == SIM_SIDE_UNKNOWN && !is_in_device_range(fault->address))
            return MISTAKE_NOT_DEVICE_MEMORY;
        return fault->is_store ? MISTAKE_WRITE_OUTSIDE : MISTAKE_READ_OUTSIDE;
    case SIM_SHARED: return fault->is_store ? MISTAKE_WRITE_OUTSIDE_SHARED : MISTAKE_READ_OUTSIDE_SHARED;
    case SIM_LOCAL:
        if (fault->left.parameter > 0 && !fault->is_store)
            return MISTAKE_READ_OUTSIDE_PARAMETERS;
        return fault->is_store ? MISTAKE_WRITE_OUTSIDE_LOCAL : MISTAKE_READ_OUTSIDE_LOCAL;
    case SIM_CONSTANT: return fault->is_store ? MISTAKE_WRITE_READ_ONLY : MISTAKE_READ_OUTSIDE_CONSTANT;
    case SIM_PARAMETER: return fault->is_store ? MISTAKE_WRITE_READ_ONLY : MISTAKE_READ_OUTSIDE_PARAMETERS;
    case SIM_SURFACE: return MISTAKE_OUTSIDE_SURFACE;
    }
    return MISTAKE_OTHER;
}

static Mistake with_left(Mistake mistake, const SimLeft *left)
{
    _Static_assert(sizeof mistake.array == sizeof left->array && sizeof mistake.kernel == sizeof left->kernel,
                   "names have the same room");
    static const MistakeSide sides[] = {
        [SIM_SIDE_UNKNOWN] = MISTAKE_SIDE_UNKNOWN, [SIM_BEFORE] = MISTAKE_BEFORE, [SIM_PAST] = MISTAKE_PAST};
    mistake.side = sides[left->side];
    mistake.parameter = left->parameter;
    memcpy(mistake.array, left->array, sizeof mistake.array);
    memcpy(mistake.kernel, left->kernel, sizeof mistake.kernel);
    return mistake;
}

static MistakeKind kind_of_fault(SimOutcome outcome, const SimFault *fault)
{
    switch (outcome) {
    case SIM_OK: return MISTAKE_NONE;
    case SIM_BAD_LAUNCH: return MISTAKE_LAUNCH_REFUSED;
    case SIM_BAD_CODE: return MISTAKE_LOAD_FAILED;
    case SIM_OUT_OF_BOUNDS: return kind_of_access(fault);
    case SIM_MISALIGNED: return MISTAKE_MISALIGNED;
    case SIM_BAD_BARRIER: return fault->space == SIM_SHARED ? MISTAKE_RACE_IN_CLUSTER : MISTAKE_BARRIER;
    case SIM_UNSET_MBARRIER: return MISTAKE_UNSET_MBARRIER;
    case SIM_NO_STACK: return MISTAKE_NO_STACK;
    case SIM_BAD_HANDLE: return MISTAKE_BAD_HANDLE;
    case SIM_TRAP: return MISTAKE_TRAP;
    case SIM_ENDLESS: return MISTAKE_ENDLESS;
    case SIM_TIME_LIMIT:
    case SIM_CANCELLED: return MISTAKE_KERNEL_TIME;
    case SIM_UNSUPPORTED:
    case SIM_ENGINES_DIFFER: return MISTAKE_UNSUPPORTED;
    }
    return MISTAKE_OTHER;
}

/* Returns the mistake that ended a launch. */
static Mistake sim_mistake_of_fault(SimOutcome outcome, const SimFault *fault)
{
    return with_left(mistake_at(kind_of_fault(outcome, fault), fault->file, fault->line), &fault->left);
}

/* Returns the mistake that the sanitizer found. */
static Mistake sim_mistake_of_finding(const SimFinding *finding)
{
    static const MistakeKind kinds[SIM_FINDING_KINDS] = {[SIM_NO_FENCE] = MISTAKE_NO_FENCE,
                                                         [SIM_STALE_LOAD] = MISTAKE_STALE_LOAD,
                                                         [SIM_RACE_OF_BLOCKS] = MISTAKE_RACE_OF_BLOCKS,
                                                         [SIM_RACE_OF_WARPS] = MISTAKE_RACE_OF_WARPS,
                                                         [SIM_RACE_OF_LANES] = MISTAKE_RACE_OF_LANES,
                                                         [SIM_RACE_WITH_COPY] = MISTAKE_RACE_WITH_COPY,
                                                         [SIM_UNEXPECTED_COPY] = MISTAKE_RACE_WITH_COPY,
                                                         [SIM_RACE_WITH_PRODUCT] = MISTAKE_RACE_WITH_PRODUCT,
                                                         [SIM_UNWAITED_PRODUCT] = MISTAKE_UNWAITED_PRODUCT,
                                                         [SIM_UNFENCED_PRODUCT] = MISTAKE_UNFENCED_PRODUCT,
                                                         [SIM_NO_PROXY_FENCE] = MISTAKE_NO_PROXY_FENCE,
                                                         [SIM_RACE_IN_CLUSTER] = MISTAKE_RACE_IN_CLUSTER,
                                                         [SIM_RACE_IN_WARP] = MISTAKE_RACE_IN_WARP,
                                                         [SIM_ORDER_IN_WARP] = MISTAKE_RACE_IN_WARP,
                                                         [SIM_UNINITIALISED] = MISTAKE_UNINITIALISED,
                                                         [SIM_BAD_SHUFFLE] = MISTAKE_BAD_SHUFFLE,
                                                         [SIM_UNSET_VARIABLE] = MISTAKE_UNSET_VARIABLE,
                                                         [SIM_MIXED_BARRIERS] = MISTAKE_MIXED_BARRIERS,
                                                         [SIM_EARLY_EXIT] = MISTAKE_EARLY_EXIT};
    const SimFault *where = &finding->where;
    MistakeKind kind = finding->kind == SIM_OUTSIDE_VARIABLE ? kind_of_access(where) : kinds[finding->kind];
    return with_left(mistake_at(kind, where->file, where->line), &where->left);
}

/* ==== sim check =================================================================================================== */

/* In a launch of more threads only a few blocks are checked, because the check takes time. */
static const uint64_t MAX_SANITIZED_THREADS = 1 << 16;
/* If a call launches a kernel again and again, checking the first launches is enough. */
static const uint32_t MAX_SANITIZED_LAUNCHES = 64;

/* Returns the fill byte of odd-numbered blocks. */
static uint8_t odd_byte(uint8_t byte)
{
    switch (byte) {
    case DEVICE_LARGE_BYTE: return DEVICE_NAN_BYTE;
    case DEVICE_NAN_BYTE: return DEVICE_LARGE_BYTE;
    default: return byte;
    }
}

void sim_set_check(Device *device, DeviceCheck *check)
{
    SimDevice *sim = sim_of(device);
    sim->check = check;
    sim->sanitized_launches = 0;
    simgpu_set_compiles(sim->gpu, check == NULL || !check->is_secret);
    if (check != NULL) {
        const uint8_t byte = check->uninitialised_byte != 0 ? check->uninitialised_byte : SIM_UNINITIALISED_BYTE;
        simgpu_set_uninitialised_bytes(sim->gpu, byte, odd_byte(byte));
        simgpu_forget_released(sim->gpu); /* those were the judge's own */
    }
    for (size_t i = 0; check != NULL && i < check->array_count; i++) {
        const DeviceNamed *array = &check->arrays[i];
        simgpu_name(sim->gpu, array->address, array->name, array->element_bytes);
        if (array->is_unwritten)
            simgpu_mark_unwritten(sim->gpu, array->address, array->bytes);
    }
}

/* Returns what the simulator checks and counts in a launch: bits of SimLaunchFlags. */
static uint32_t sim_launch_flags(SimDevice *sim, const LaunchShape *shape)
{
    uint32_t lines = sim->profile != NULL ? SIM_COUNT_LINES : 0;
    uint64_t threads = launch_block_count(shape) * launch_block_threads(shape);
    uint32_t sample = threads > MAX_SANITIZED_THREADS ? SIM_SANITIZE_SAMPLE : 0;
    if (sim->check == NULL || !sim->check->sanitize)
        return lines;
    if (!sim->check->is_untimed)
        return lines | SIM_SANITIZE_RACES | SIM_SANITIZE_SAMPLE; /* a few blocks of each launch, which costs little */
    bool sanitize = sim->sanitized_launches < MAX_SANITIZED_LAUNCHES;
    sim->sanitized_launches += sanitize;
    return lines | (sanitize ? SIM_SANITIZE_RACES | SIM_SANITIZE_UNINITIALISED | sample : 0);
}

/* Whether nobody can find out how long kernels take. */
static bool sim_is_untimed(const SimDevice *sim)
{
    return sim->check != NULL && sim->check->is_untimed && !sim->has_timed_event && sim->profile == NULL;
}

/* Some findings need not change the result. Volatile accesses of a warp that stays together happen in order, though CUDA
 * does not promise that it stays together. (Of plain accesses not even the compiler keeps the order.) A value that was never
 * written, or that a shuffle takes from an inactive lane, may be thrown away; a second run with other contents of
 * uninitialised memory finds out. */
static bool can_change_results(SimFindingKind kind)
{
    switch (kind) {
    case SIM_RACE_OF_BLOCKS:
    case SIM_NO_FENCE:
    case SIM_RACE_OF_WARPS:
    case SIM_RACE_OF_LANES:
    case SIM_RACE_WITH_COPY:
    case SIM_UNEXPECTED_COPY:
    case SIM_RACE_WITH_PRODUCT:
    case SIM_UNWAITED_PRODUCT:
    case SIM_UNFENCED_PRODUCT:
    case SIM_NO_PROXY_FENCE:
    case SIM_RACE_IN_CLUSTER:
    case SIM_STALE_LOAD:
    case SIM_RACE_IN_WARP:
    case SIM_OUTSIDE_VARIABLE: return true;
    case SIM_ORDER_IN_WARP:
    case SIM_UNINITIALISED:
    case SIM_UNSET_VARIABLE:
    case SIM_BAD_SHUFFLE:
    case SIM_MIXED_BARRIERS:
    case SIM_EARLY_EXIT:
    case SIM_FINDING_KINDS: return false;
    }
    return false;
}

static void add_finding(DeviceFindings *findings, const SimFinding *finding)
{
    if (findings->count == DEVICE_MAX_FINDINGS) {
        findings->more++;
        return;
    }
    DeviceFinding *item = &findings->items[findings->count++];
    item->is_undefined = finding->kind == SIM_UNINITIALISED || finding->kind == SIM_UNSET_VARIABLE ||
                         finding->kind == SIM_BAD_SHUFFLE;
    item->is_unwritten = finding->kind == SIM_UNINITIALISED || finding->kind == SIM_UNSET_VARIABLE;
    item->is_global = finding->where.space == SIM_GLOBAL;
    item->mistake = sim_mistake_of_finding(finding);
    snprintf(item->text, sizeof item->text, "%s", finding->where.text);
}

/* Keeps what a launch was found to do; a race that can change the result becomes the device's fault. */
static void sim_keep_findings(SimDevice *sim, const SimReport *report)
{
    if (sim->check == NULL)
        return;
    for (uint32_t i = 0; i < report->finding_count; i++) {
        const SimFinding *finding = &report->findings[i];
        if (!can_change_results(finding->kind) || sim->fault.kind != DEVICE_NO_FAULT) {
            add_finding(&sim->check->findings, finding);
            continue;
        }
        sim->fault.kind = DEVICE_FAULT;
        sim->fault.mistake = sim_mistake_of_finding(finding);
        sim->sticky = CUDA_ERROR_LAUNCH_FAILURE;
        snprintf(sim->fault.text, sizeof sim->fault.text, "%s", finding->where.text);
    }
    sim->check->findings.more += report->findings_more;
}

/* ==== sim probe =================================================================================================== */

/* Finds out how kernels read an array (DeviceProbe). */

/* Values are exchanged only during a launch, so that the host and later copies read from a constant variable what was
 * written to it. */

static void exchange_word(uint32_t *word, const uint32_t *from, const uint32_t *to, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (*word == from[i]) {
            *word = to[i];
            return;
        }
}

static void exchange(const SimModule *module, const uint32_t *from, const uint32_t *to, size_t count)
{
    uint64_t address, bytes;
    for (uint32_t number = 0; simgpu_constant(module, number, &address, &bytes); number++)
        for (uint64_t offset = 0; offset + sizeof(uint32_t) <= bytes; offset += sizeof(uint32_t))
            exchange_word(byte_at(address + offset), from, to, count);
}

/* Runs a grid of a function of `module` with the device's probe, which must be set. */
static void sim_probe_launch(SimDevice *sim, const SimModule *module, SimLaunch *grid, SimReport *report)
{
    DeviceProbe *probe = sim->probe;
    grid->watched_source = probe->source;
    grid->watched_target = probe->target;
    exchange(module, probe->words, probe->others, probe->count);
    simgpu_launch(sim->gpu, grid, report);
    exchange(module, probe->others, probe->words, probe->count);
    if (report->watched_store && probe->direct_load[0] == '\0') {
        memcpy(probe->direct_load, report->watched_load, sizeof probe->direct_load);
        probe->direct_line = mistake_at(MISTAKE_NOT_THROUGH_CONSTANTS, report->watched_file, report->watched_line).line;
    }
}

/* ==== sim stream ================================================================================================== */

/* ---- waiting ----------------------------------------------------------------------------------------------------- */

/* Carries out what the host waits for. */
static CudaError await(SimDevice *sim, const OperationSet *set, Moment moment)
{
    CudaError error = sim_carry_out(sim, set);
    if (error == DEVICE_HOST_TURN)
        return error;
    sim_host_knows(sim, set);
    sim_time_note(sim, moment);
    return sim->sticky;
}

CudaError sim_wait_all(SimDevice *sim)
{
    const OperationSet all = sim_everything(sim);
    return await(sim, &all, (Moment){.kind = MOMENT_HOST_ALL});
}

/* Returns the operations that a stream holds; the legacy default stream, in case of doubt, those of all blocking
 * streams, too. */
static OperationSet held_by(SimDevice *sim, DeviceStream *stream)
{
    OperationSet held = sim_none(sim);
    if (stream == NULL)
        return sim_before_stream(sim, NULL);
    sim_add_before(sim, &held, &stream->before);
    return held;
}

static CudaError sim_wait_stream(SimDevice *sim, DeviceStream *stream)
{
    const OperationSet before = held_by(sim, stream);
    return await(sim, &before, (Moment){.kind = MOMENT_HOST_STREAM, .stream = stream});
}

static CudaError wait_event(SimDevice *sim, DeviceEvent *event)
{
    const OperationSet before = sim_before_event(sim, event);
    return await(sim, &before, (Moment){.kind = MOMENT_HOST_EVENT, .event = event});
}

/* Carries out earlier operations first, so that no turn of the host is missing. */
CudaError sim_submit_and_wait(SimDevice *sim, const Work *work)
{
    DeviceStream *stream = work->stream;
    const OperationSet before = sim_before_stream(sim, stream);
    CudaError error = sim_carry_out(sim, &before);
    if (error != CUDA_ERROR_SUCCESS) {
        free(work->what);
        return error;
    }
    TRY(sim_submit(sim, work, NULL));
    return sim_wait_stream(sim, stream);
}

CudaError sim_finish(SimDevice *sim, DeviceStream *stream)
{
    const OperationSet before = sim_before_stream(sim, stream);
    CudaError error = sim_carry_out(sim, &before);
    if (error != DEVICE_HOST_TURN)
        sim_host_knows(sim, &before);
    return error;
}

CudaError sim_settle(SimDevice *sim)
{
    const OperationSet all = sim_everything(sim);
    return sim_carry_out(sim, &all);
}

/* ---- functions of the host --------------------------------------------------------------------------------------- */

/* A call of the host takes no time of the device. Its work costs the host's time, which is counted when it runs. */
static double carry_host_call(SimDevice *sim, void *what, uint8_t *staging)
{
    return 0;
}

CudaError sim_host_call(Device *device, DeviceStream *stream, uint64_t *turn, bool *is_due)
{
    SimDevice *sim = sim_of(device);
    const Work work = {.carry = carry_host_call,
                       .stream = stream,
                       .needs_turn = true,
                       .is_function = true,
                       .mistake = {.kind = MISTAKE_HOST_TOO_EARLY},
                       .name = "the host function"};
    TRY(sim->sticky);
    sim->turn = 0;
    CudaError error = sim_submit(sim, &work, turn);
    *is_due = error == CUDA_ERROR_SUCCESS && sim->turn == *turn;
    return error;
}

/* ---- streams ----------------------------------------------------------------------------------------------------- */

static bool is_of_graph(DeviceStreamKind kind)
{
    return kind == DEVICE_STREAM_OF_GRAPH;
}

/* Those of graphs, or all others. */
static uint32_t living_streams(const SimDevice *sim, bool of_graphs)
{
    uint32_t count = 0;
    for (const DeviceStream *stream = sim->streams; stream != NULL; stream = stream->next)
        count += !stream->is_gone && is_of_graph(stream->kind) == of_graphs;
    return count;
}

static CudaError stream_create(Device *device, DeviceStreamKind kind, DeviceStream **stream)
{
    SimDevice *sim = sim_of(device);
    TRY(sim->sticky);
    *stream = calloc(1, sizeof **stream);
    if (*stream == NULL)
        return CUDA_ERROR_MEMORY_ALLOCATION;
    **stream = (DeviceStream){.non_blocking = kind >= DEVICE_STREAM_NON_BLOCKING,
                              .kind = kind,
                              .number = living_streams(sim, is_of_graph(kind)) + 1,
                              .next = sim->streams};
    sim->streams = *stream;
    if (kind == DEVICE_STREAM_BLOCKING || kind == DEVICE_STREAM_NON_BLOCKING)
        sim_time_note(sim, (Moment){.kind = MOMENT_HOST_WORKS, .seconds = SIM_STREAM_CREATION_S});
    return CUDA_ERROR_SUCCESS;
}

/* Its work goes on, and the legacy stream still waits for it. */
static CudaError stream_destroy(Device *device, DeviceStream *stream)
{
    SimDevice *sim = sim_of(device);
    const DeviceStream *known = sim->streams;
    while (known != NULL && known != stream)
        known = known->next;
    if (known == NULL || known->is_gone)
        return CUDA_ERROR_INVALID_RESOURCE_HANDLE;
    stream->is_gone = true;
    if (!stream->non_blocking)
        sim_add_before(sim, &sim->legacy.before, &stream->before);
    sim_time_note(sim, (Moment){.kind = MOMENT_STREAM_GONE, .stream = stream});
    return sim->sticky;
}

static CudaError stream_synchronize(Device *device, DeviceStream *stream)
{
    return sim_wait_stream(sim_of(device), stream);
}

static CudaError stream_query(Device *device, DeviceStream *stream)
{
    SimDevice *sim = sim_of(device);
    const OperationSet before = held_by(sim, stream);
    TRY(sim->sticky);
    return sim_is_news(sim, &before) ? CUDA_ERROR_NOT_READY : sim_wait_stream(sim, stream);
}

/* A kernel that comes next on the stream waits for all that came before, even with programmatic stream serialization. */
static void interrupt(SimDevice *sim, DeviceStream *stream)
{
    (stream == NULL ? &sim->legacy : stream)->kernel = sim_none(sim);
}

static CudaError stream_wait_event(Device *device, DeviceStream *stream, DeviceEvent *event)
{
    SimDevice *sim = sim_of(device);
    if (!event->recorded)
        return sim->sticky;
    const OperationSet before = sim_before_event(sim, event);
    sim_add_before(sim, stream == NULL ? &sim->legacy.before : &stream->before, &before);
    interrupt(sim, stream);
    sim_time_note(sim, (Moment){.kind = MOMENT_WAIT, .stream = stream, .event = event});
    return sim->sticky;
}

static CudaError synchronize_all(Device *device)
{
    return sim_wait_all(sim_of(device));
}

void sim_streams_free(SimDevice *sim)
{
    sim_time_abandon(sim); /* else destroyed streams would stay, behind operations that never end */
    while (sim->streams != NULL)
        stream_destroy(&sim->device, sim->streams);
}

const DeviceStreamOps SIM_STREAM_OPS = {
    .create = stream_create,
    .destroy = stream_destroy,
    .synchronize = stream_synchronize,
    .synchronize_all = synchronize_all,
    .query = stream_query,
    .wait_event = stream_wait_event,
};

/* ---- events ------------------------------------------------------------------------------------------------------ */

static CudaError event_create(Device *device, bool is_timed, DeviceEvent **event)
{
    SimDevice *sim = sim_of(device);
    TRY(sim->sticky);
    sim->has_timed_event |= is_timed;
    *event = calloc(1, sizeof **event);
    return *event == NULL ? CUDA_ERROR_MEMORY_ALLOCATION : CUDA_ERROR_SUCCESS;
}

static CudaError event_destroy(Device *device, DeviceEvent *event)
{
    sim_time_note(sim_of(device), (Moment){.kind = MOMENT_EVENT_GONE, .event = event});
    return sim_of(device)->sticky;
}

static CudaError event_record(Device *device, DeviceEvent *event, DeviceStream *stream)
{
    SimDevice *sim = sim_of(device);
    TRY(sim->sticky);
    event->recorded = true;
    event->before = sim_before_stream(sim, stream);
    interrupt(sim, stream);
    sim_time_note(sim, (Moment){.kind = MOMENT_RECORD, .stream = stream, .event = event});
    return CUDA_ERROR_SUCCESS;
}

static CudaError event_synchronize(Device *device, DeviceEvent *event)
{
    SimDevice *sim = sim_of(device);
    return event->recorded ? wait_event(sim, event) : sim->sticky;
}

static CudaError event_query(Device *device, DeviceEvent *event)
{
    SimDevice *sim = sim_of(device);
    const OperationSet before = sim_before_event(sim, event);
    if (sim->sticky != CUDA_ERROR_SUCCESS || !event->recorded)
        return sim->sticky;
    return sim_is_news(sim, &before) ? CUDA_ERROR_NOT_READY : wait_event(sim, event);
}

/* When an event was recorded is known once everything that was asked for before it has been carried out. */
static CudaError event_elapsed(Device *device, DeviceEvent *start, DeviceEvent *stop, double *seconds)
{
    SimDevice *sim = sim_of(device);
    TRY(sim->sticky);
    if (!start->recorded || !stop->recorded)
        return CUDA_ERROR_INVALID_RESOURCE_HANDLE;
    TRY(sim_settle(sim));
    if (start->at_s > sim->host_s || stop->at_s > sim->host_s)
        return CUDA_ERROR_NOT_READY;
    *seconds = stop->at_s - start->at_s;
    return CUDA_ERROR_SUCCESS;
}

const DeviceEventOps SIM_EVENT_OPS = {
    .create = event_create,
    .destroy = event_destroy,
    .record = event_record,
    .synchronize = event_synchronize,
    .query = event_query,
    .elapsed = event_elapsed,
};

/* ---- the bracket around a call ---------------------------------------------------------------------------------- */

static CudaError bracket_begin(Device *device)
{
    SimDevice *sim = sim_of(device);
    sim_wait_all(sim);
    sim_queue_open(sim);
    simgpu_empty_l2(sim->gpu);
    sim->first_start_s = INFINITY;
    sim->last_end_s = sim->busy_s = 0;
    sim->statistics.waits_for_host = sim->statistics.uses_streams = false; /* those of the call count */
    return sim->sticky;
}

/* Rounded to whole femtoseconds, so that the last digits do not depend on the time before the bracket. */
static double whole_femtoseconds(double seconds)
{
    return round(seconds * 1e15) / 1e15;
}

static CudaError bracket_end(Device *device, DeviceBracket *bracket)
{
    SimDevice *sim = sim_of(device);
    sim_queue_close(sim);
    *bracket = (DeviceBracket){.busy_s = whole_femtoseconds(sim->busy_s), .pending = sim_time_end(sim) > sim->host_s};
    double work_s = sim->last_end_s - sim->first_start_s;
    if (work_s > 0)
        bracket->event_s = whole_femtoseconds(work_s) + simgpu_profile(sim->gpu)->events_s;
    return sim_wait_all(sim);
}

const DeviceTimingOps SIM_TIMING_OPS = {.begin = bracket_begin, .end = bracket_end};

/* ==== sim kernel ================================================================================================== */

struct DeviceFunction {
    SimFunction *function;
    const SimModule *module;
    uint32_t max_dynamic_shared_bytes;
    const DeviceInfo *device;
    DeviceFunction *next;
};

struct DeviceModule {
    SimModule *module;
    const DeviceInfo *device;
    DeviceFunction *functions;
};

/* ---- modules ----------------------------------------------------------------------------------------------------- */

static Status module_load(Device *device, const void *image, size_t bytes, DeviceModule **module, Message *why)
{
    SimModule *loaded;
    TRY(simgpu_module_load(sim_of(device)->gpu, image, bytes, &loaded, why));
    *module = zeroed(1, sizeof **module);
    (*module)->module = loaded;
    (*module)->device = &device->info;
    return STATUS_OK;
}

static void module_unload(Device *device, DeviceModule *module)
{
    while (module->functions != NULL) {
        DeviceFunction *next = module->functions->next;
        free(module->functions);
        module->functions = next;
    }
    simgpu_module_unload(sim_of(device)->gpu, module->module);
    free(module);
}

static DeviceFunction *function_new(DeviceModule *module, SimFunction *found)
{
    DeviceFunction *function = calloc(1, sizeof *function);
    SimFunctionInfo facts;
    if (function == NULL)
        return NULL;
    simgpu_function_info(found, &facts);
    uint32_t most = module->device->shared_bytes_per_block;
    *function = (DeviceFunction){
        .function = found, .module = module->module, .device = module->device, .next = module->functions};
    function->max_dynamic_shared_bytes = facts.static_shared_bytes < most ? most - facts.static_shared_bytes : 0;
    module->functions = function;
    return function;
}

static DeviceFunction *module_function(DeviceModule *module, const char *name)
{
    SimFunction *found = simgpu_function(module->module, name);
    for (DeviceFunction *known = module->functions; known != NULL; known = known->next)
        if (known->function == found)
            return known;
    return found == NULL ? NULL : function_new(module, found);
}

static bool module_variable(DeviceModule *module, const char *name, uint64_t *address, uint64_t *bytes)
{
    return simgpu_variable(module->module, name, address, bytes);
}

const DeviceModuleOps SIM_MODULE_OPS = {
    .load = module_load,
    .unload = module_unload,
    .function = module_function,
    .variable = module_variable,
};

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

static void kernel_info(DeviceFunction *function, DeviceFunctionInfo *info)
{
    SimFunctionInfo facts;
    simgpu_function_info(function->function, &facts);
    int version = 10 * function->device->compute_major + function->device->compute_minor;
    *info = (DeviceFunctionInfo){
        .parameter_count = facts.parameter_count,
        .parameter_bytes = facts.parameter_bytes,
        .parameter_offsets = facts.parameter_offsets,
        .parameter_sizes = facts.parameter_sizes,
        .registers = facts.registers,
        .registers_estimated = facts.registers_estimated,
        .static_shared_bytes = facts.static_shared_bytes,
        .local_bytes = facts.local_bytes,
        .constant_bytes = facts.constant_bytes,
        .max_threads_per_block = facts.max_threads_per_block,
        .cluster = {facts.cluster[0], facts.cluster[1], facts.cluster[2]},
        .max_dynamic_shared_bytes = function->max_dynamic_shared_bytes,
        .ptx_version = version,
        .binary_version = version,
    };
}

static CudaError set_dynamic_shared(DeviceFunction *function, uint32_t bytes)
{
    SimFunctionInfo facts;
    simgpu_function_info(function->function, &facts);
    if ((uint64_t)bytes + facts.static_shared_bytes > function->device->shared_bytes_per_block_optin ||
        !simgpu_function_set_dynamic_shared(function->function, bytes))
        return CUDA_ERROR_INVALID_VALUE;
    function->max_dynamic_shared_bytes = bytes;
    return CUDA_ERROR_SUCCESS;
}

static CudaError set_stack(Device *device, uint32_t bytes)
{
    sim_of(device)->stack_bytes = bytes;
    return CUDA_ERROR_SUCCESS;
}

static CudaError set_heap(Device *device, uint32_t bytes)
{
    sim_of(device)->heap_bytes = bytes;
    return CUDA_ERROR_SUCCESS;
}

static uint32_t kernel_occupancy(Device *device, DeviceFunction *function, uint32_t threads,
                                 uint32_t dynamic_shared_bytes)
{
    return simgpu_occupancy(sim_of(device)->gpu, function->function, threads, dynamic_shared_bytes);
}

/* ---- launches ---------------------------------------------------------------------------------------------------- */

typedef struct Ending { /* of a launch */
    DeviceFaultKind kind;
    CudaError error;
} Ending;

static Ending ending_of(SimOutcome outcome)
{
    switch (outcome) {
    case SIM_OK: return (Ending){DEVICE_NO_FAULT, CUDA_ERROR_SUCCESS};
    case SIM_BAD_LAUNCH: return (Ending){DEVICE_BAD_LAUNCH, CUDA_ERROR_INVALID_VALUE};
    case SIM_UNSUPPORTED: return (Ending){DEVICE_UNSUPPORTED, CUDA_ERROR_NOT_SUPPORTED};
    case SIM_BAD_CODE: return (Ending){DEVICE_FAULT, CUDA_ERROR_INVALID_PTX};
    case SIM_NO_STACK:
    case SIM_BAD_HANDLE:
    case SIM_OUT_OF_BOUNDS: return (Ending){DEVICE_FAULT, CUDA_ERROR_ILLEGAL_ADDRESS};
    case SIM_MISALIGNED: return (Ending){DEVICE_FAULT, CUDA_ERROR_MISALIGNED_ADDRESS};
    case SIM_UNSET_MBARRIER:
    case SIM_BAD_BARRIER: return (Ending){DEVICE_FAULT, CUDA_ERROR_LAUNCH_FAILURE};
    case SIM_TRAP: return (Ending){DEVICE_FAULT, CUDA_ERROR_LAUNCH_FAILURE};
    case SIM_ENDLESS:
    case SIM_TIME_LIMIT: return (Ending){DEVICE_TIME_LIMIT, CUDA_ERROR_LAUNCH_TIMEOUT};
    case SIM_CANCELLED: return (Ending){DEVICE_TIME_LIMIT, CUDA_ERROR_LAUNCH_TIMEOUT};
    case SIM_ENGINES_DIFFER: return (Ending){DEVICE_UNSUPPORTED, CUDA_ERROR_NOT_SUPPORTED};
    }
    return (Ending){DEVICE_UNSUPPORTED, CUDA_ERROR_UNKNOWN};
}

/* Keeps the fault of a launch. As on hardware, the launch itself succeeds, and the next operation returns the error.
 * But if nothing ran, the launch returns it. */
static CudaError keep_fault(SimDevice *sim, const SimReport *report)
{
    const Ending ending = ending_of(report->outcome);
    if (ending.kind == DEVICE_NO_FAULT)
        return CUDA_ERROR_SUCCESS;
    if (sim->fault.kind == DEVICE_NO_FAULT) {
        sim->fault.kind = ending.kind;
        sim->fault.mistake = sim_mistake_of_fault(report->outcome, &report->fault);
        snprintf(sim->fault.text, sizeof sim->fault.text, "%s", report->fault.text);
    }
    if (ending.kind != DEVICE_BAD_LAUNCH)
        sim->sticky = ending.error;
    bool refused = ending.kind == DEVICE_BAD_LAUNCH || ending.kind == DEVICE_UNSUPPORTED;
    return refused ? ending.error : CUDA_ERROR_SUCCESS;
}

/* Whether the busiest multiprocessor does a quarter more than it would if all blocks were alike. */
static bool is_uneven(const SimDevice *sim, const BlockShares *shares, const LaunchShape *shape)
{
    const double multiprocessors = simgpu_profile(sim->gpu)->multiprocessors;
    const double blocks = (double)shape->grid[0] * shape->grid[1] * shape->grid[2];
    return shares->share * blocks > 1.25 * ceil(blocks / multiprocessors);
}

static void count_kernel(SimDevice *sim, const SimFunction *function, const LaunchShape *shape, const SimReport *report)
{
    DeviceStatistics *sum = &sim->statistics;
    sum->kernels++;
    simgpu_counters_add(&sum->counters, &report->counters);
    const uint64_t executed = (uint64_t)((double)report->counters.warp_instructions * report->sampled_share);
    sum->executed_instructions += executed;
    sim->budget_left -= executed < sim->budget_left ? executed : sim->budget_left;
    SimFunctionInfo facts;
    simgpu_function_info(function, &facts);
    sum->is_doubtful |= facts.has_unknown_code || report->machine.is_doubtful;
    sum->has_uneven_blocks |= is_uneven(sim, &report->block_shares, shape);
    if (report->modelled_s < sim->longest_s)
        return;
    sim->longest_s = report->modelled_s;
    sum->occupancy = report->occupancy;
    snprintf(sum->limiter, sizeof sum->limiter, "%s", report->limiter == NULL ? "" : report->limiter);
    snprintf(sum->longest, sizeof sum->longest, "%s", facts.name);
}

typedef struct SimKernelWork {
    DeviceFunction *function;
    LaunchShape shape;
    bool is_cooperative;
    _Alignas(16) uint8_t parameters[];
} SimKernelWork;

static void touch_memory(SimDevice *sim, const SimReport *report)
{
    sim_sample_check(sim, report);
    for (size_t i = 0; i < report->touched_count; i++)
        sim_touches(sim, report->touched[i].address, report->touched[i].bytes, report->touched[i].is_store);
    sim_sample_keep(sim, report);
}

static double carry_kernel(SimDevice *sim, void *what, uint8_t *staging)
{
    const SimKernelWork *work = what;
    SimLaunch grid = {.function = work->function->function,
                      .shape = work->shape,
                      .parameters = work->parameters,
                      .flags = sim_launch_flags(sim, &work->shape) | (work->is_cooperative ? SIM_COOPERATIVE : 0),
                      .sample_key = sim->check == NULL ? NULL : sim->check->sample_key,
                      .sample_lane_instructions = sim_sample_limit(sim),
                      .marked = sim_sample_marked(sim),
                      .footprint = sim_footprint(sim),
                      .requests = sim->requests,
                      .is_untimed = sim_is_untimed(sim),
                      .stack_bytes = sim->stack_bytes,
                      .heap_bytes = sim->heap_bytes,
                      .warp_instructions = sim->budget == 0 || sim->budget_left > 0 ? sim->budget_left : 1,
                      .block_instructions = sim->block_budget};
    SimReport report = {0};
    const double start_s = thread_s();
    if (sim->probe != NULL)
        sim_probe_launch(sim, work->function->module, &grid, &report);
    else
        simgpu_launch(sim->gpu, &grid, &report);
    sim->kernel_seconds += thread_s() - start_s;
    touch_memory(sim, &report);
    count_kernel(sim, grid.function, &work->shape, &report);
    if (sim->profile != NULL)
        sim_profile_launch(sim, &grid, &report);
    sim_keep_findings(sim, &report);
    keep_fault(sim, &report);
    sim->device_s = report.device_s;
    return report.modelled_s;
}

static CudaError submit_kernel(SimDevice *sim, const DeviceLaunch *launch)
{
    SimFunctionInfo facts;
    char name[100];
    SimKernelWork *what = malloc(sizeof *what + launch->parameter_bytes);
    if (what == NULL)
        return CUDA_ERROR_MEMORY_ALLOCATION;
    *what = (SimKernelWork){
        .function = launch->function, .shape = launch->shape, .is_cooperative = launch->is_cooperative};
    if (launch->parameter_bytes > 0)
        memcpy(what->parameters, launch->parameters, launch->parameter_bytes);
    simgpu_function_info(launch->function->function, &facts);
    Work work = {.carry = carry_kernel,
                 .what = what,
                 .held_bytes = launch->parameter_bytes,
                 .engine = ENGINE_KERNELS,
                 .stream = launch->stream,
                 .is_kernel = true,
                 .is_programmatic = launch->is_programmatic,
                 .mistake = {.kind = MISTAKE_KERNEL_NOT_ORDERED}};
    symbol_name(facts.name, name, sizeof name);
    snprintf(work.name, sizeof work.name, "kernel %s", name);
    return sim_submit(sim, &work, NULL);
}

/* A launch that the GPU refuses fails at once; a fault of a kernel shows when the host waits for it. */
static CudaError launch_kernel(Device *device, const DeviceLaunch *launch)
{
    SimDevice *sim = sim_of(device);
    DeviceFunctionInfo facts;
    LaunchLimit limit;
    char hint[200];
    TRY(sim->sticky);
    kernel_info(launch->function, &facts);
    CudaError error = launch_check(&device->info, &facts, &launch->shape, &limit, hint, sizeof hint);
    if (error == CUDA_ERROR_SUCCESS && launch->parameter_bytes != facts.parameter_bytes)
        error = CUDA_ERROR_INVALID_VALUE;
    if (error != CUDA_ERROR_SUCCESS)
        return error;
    SimReport refusal = {0};
    const SimLaunch grid = {.function = launch->function->function, .shape = launch->shape};
    if (!simgpu_accepts(sim->gpu, &grid, &refusal))
        return keep_fault(sim, &refusal);
    return submit_kernel(sim, launch);
}

const DeviceKernelOps SIM_KERNEL_OPS = {
    .info = kernel_info,
    .set_dynamic_shared = set_dynamic_shared,
    .set_stack = set_stack,
    .set_heap = set_heap,
    .occupancy = kernel_occupancy,
    .launch = launch_kernel,
};
