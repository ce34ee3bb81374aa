#include "base/paths.h"
#include "harness/device/open/device_kinds.h"
#include "harness/device/sim/device_sim.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Every operation is carried out at once, when it is asked for, so results never depend on timing. Time is kept beside
 * that: each operation has a modelled duration and starts when its stream, the engine it needs (kernels, or the bus)
 * and what the host has already waited for allow. Kernels follow one another even across streams: two that share the
 * device take as long as one after the other, and a model that let them overlap for free would reward splitting one. */

struct DeviceEvent {
    double at_s;
    bool recorded;
};

/* ---- time -------------------------------------------------------------------------------------------------------- */

static double blocking_streams_end(const SimDevice *sim)
{
    double end_s = sim->legacy.end_s;
    for (const DeviceStream *stream = sim->streams; stream != NULL; stream = stream->next)
        if (!stream->non_blocking)
            end_s = fmax(end_s, stream->end_s);
    return end_s;
}

static double all_streams_end(const SimDevice *sim)
{
    double end_s = sim->legacy.end_s;
    for (const DeviceStream *stream = sim->streams; stream != NULL; stream = stream->next)
        end_s = fmax(end_s, stream->end_s);
    return end_s;
}

/* When all that an operation on the stream waits for is done (CUDA Programming Guide, "Implicit Synchronization"). */
static double stream_ready(const SimDevice *sim, const DeviceStream *stream)
{
    if (stream == NULL)
        return blocking_streams_end(sim);
    return stream->non_blocking ? stream->end_s : fmax(stream->end_s, sim->legacy.end_s);
}

void sim_enqueue(SimDevice *sim, DeviceStream *stream, Engine engine, double seconds)
{
    double start_s = fmax(fmax(stream_ready(sim, stream), sim->engine_end_s[engine]), sim->host_s);
    double end_s = start_s + seconds;
    (stream == NULL ? &sim->legacy : stream)->end_s = end_s;
    sim->engine_end_s[engine] = end_s;
    sim->first_start_s = fmin(sim->first_start_s, start_s);
    sim->last_end_s = fmax(sim->last_end_s, end_s);
}

/* Where there is something to wait for, the host is late with what it asks for next. */
static void host_waits(SimDevice *sim, double until_s)
{
    if (until_s > sim->host_s)
        sim->host_s = until_s + simgpu_profile(sim->gpu)->host_wait_s;
}

/* A program that polls must see an end: work under way is "not ready" when first asked for, and done after that. */
static CudaError poll(SimDevice *sim, double end_s)
{
    if (end_s > sim->host_s && end_s > sim->polled_s) {
        sim->polled_s = end_s;
        return CUDA_ERROR_NOT_READY;
    }
    host_waits(sim, end_s);
    return CUDA_ERROR_SUCCESS;
}

static CudaError sim_bracket_begin(Device *device)
{
    SimDevice *sim = sim_of(device);
    host_waits(sim, all_streams_end(sim));
    sim->first_start_s = INFINITY;
    sim->last_end_s = 0;
    return sim->sticky;
}

/* In whole femtoseconds: how far the clock has come before must not show in the last digits. */
static double whole_femtoseconds(double seconds)
{
    return round(seconds * 1e15) / 1e15;
}

static CudaError sim_bracket_end(Device *device, DeviceBracket *bracket)
{
    SimDevice *sim = sim_of(device);
    *bracket = (DeviceBracket){.pending = all_streams_end(sim) > sim->host_s};
    double work_s = sim->last_end_s - sim->first_start_s;
    if (work_s > 0)
        bracket->event_s = whole_femtoseconds(work_s) + simgpu_profile(sim->gpu)->events_s;
    host_waits(sim, all_streams_end(sim));
    return sim->sticky;
}

/* ---- what only a real GPU has need of ---------------------------------------------------------------------------- */

static void sim_let_go(Device *device)
{
}

static void sim_set_time_limit(Device *device, double seconds)
{
}

static void sim_pin(Device *device, void *memory, size_t bytes)
{
}

static void sim_unpin(Device *device, void *memory)
{
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

CudaError sim_alloc(Device *device, uint64_t bytes, uint64_t *address)
{
    SimDevice *sim = sim_of(device);
    if (sim->sticky != CUDA_ERROR_SUCCESS)
        return sim->sticky;
    *address = simgpu_alloc(sim->gpu, bytes);
    return *address == 0 ? CUDA_ERROR_MEMORY_ALLOCATION : CUDA_ERROR_SUCCESS;
}

/* cudaFree() waits for the device (CUDA Programming Guide, "Implicit Synchronization"). */
CudaError sim_release(Device *device, uint64_t address)
{
    SimDevice *sim = sim_of(device);
    if (sim->sticky != CUDA_ERROR_SUCCESS)
        return sim->sticky;
    host_waits(sim, all_streams_end(sim));
    return simgpu_release(sim->gpu, address) ? CUDA_ERROR_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static void sim_set_memory_limit(Device *device, uint64_t bytes)
{
    simgpu_set_memory_limit(sim_of(device)->gpu, bytes);
}

static uint64_t sim_allocated_bytes(Device *device)
{
    return simgpu_allocated_bytes(sim_of(device)->gpu);
}

/* An allocation is new when a call begins, so that "ever written" is "written since reset_statistics". */
static int sim_kernel_wrote(Device *device, uint64_t address)
{
    SimAllocation found;
    return simgpu_find(sim_of(device)->gpu, address, 1, &found) && found.kernel_wrote;
}

static bool sim_owns(Device *device, uint64_t address, uint64_t bytes)
{
    SimAllocation found;
    return simgpu_find(sim_of(device)->gpu, address, bytes, &found);
}

CudaError sim_check_range(SimDevice *sim, uint64_t address, uint64_t bytes)
{
    if (sim->sticky != CUDA_ERROR_SUCCESS)
        return sim->sticky;
    return bytes == 0 || sim_owns(&sim->device, address, bytes) ? CUDA_ERROR_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

void sim_count_copy(SimDevice *sim, DeviceStream *stream, uint64_t bytes, bool across_bus)
{
    double seconds = simgpu_copy_seconds(sim->gpu, bytes, across_bus);
    sim->statistics.copies++;
    if (sim->profile != NULL)
        sim_profile_copy(sim, bytes, across_bus, seconds);
    sim_enqueue(sim, stream, across_bus ? ENGINE_BUS : ENGINE_KERNELS, seconds);
}

static CudaError sim_write(Device *device, uint64_t to, const void *from, uint64_t bytes, DeviceStream *stream)
{
    SimDevice *sim = sim_of(device);
    CudaError error = sim_check_range(sim, to, bytes);
    if (error != CUDA_ERROR_SUCCESS || bytes == 0)
        return error;
    memcpy(byte_at(to), from, bytes);
    simgpu_mark_written(sim->gpu, to, bytes);
    sim_count_copy(sim, stream, bytes, true);
    return CUDA_ERROR_SUCCESS;
}

static CudaError sim_read(Device *device, void *to, uint64_t from, uint64_t bytes, DeviceStream *stream)
{
    SimDevice *sim = sim_of(device);
    CudaError error = sim_check_range(sim, from, bytes);
    if (error != CUDA_ERROR_SUCCESS || bytes == 0)
        return error;
    memcpy(to, byte_at(from), bytes);
    sim_count_copy(sim, stream, bytes, true);
    return sim_stream_synchronize(device, stream);
}

static CudaError sim_copy(Device *device, uint64_t to, uint64_t from, uint64_t bytes, DeviceStream *stream)
{
    SimDevice *sim = sim_of(device);
    CudaError error = sim_check_range(sim, to, bytes);
    if (error == CUDA_ERROR_SUCCESS)
        error = sim_check_range(sim, from, bytes);
    if (error != CUDA_ERROR_SUCCESS || bytes == 0)
        return error;
    memmove(byte_at(to), byte_at(from), bytes);
    simgpu_mark_written(sim->gpu, to, bytes);
    sim_count_copy(sim, stream, bytes, false);
    return CUDA_ERROR_SUCCESS;
}

static CudaError sim_fill(Device *device, uint64_t to, uint8_t value, uint64_t bytes, DeviceStream *stream)
{
    SimDevice *sim = sim_of(device);
    CudaError error = sim_check_range(sim, to, bytes);
    if (error != CUDA_ERROR_SUCCESS || bytes == 0)
        return error;
    memset(byte_at(to), value, bytes);
    simgpu_mark_written(sim->gpu, to, bytes);
    sim_count_copy(sim, stream, bytes, false);
    return CUDA_ERROR_SUCCESS;
}

/* ---- streams and events ------------------------------------------------------------------------------------------ */

static CudaError sim_stream_new(Device *device, bool non_blocking, DeviceStream **stream)
{
    SimDevice *sim = sim_of(device);
    if (sim->sticky != CUDA_ERROR_SUCCESS)
        return sim->sticky;
    *stream = calloc(1, sizeof **stream);
    if (*stream == NULL)
        return CUDA_ERROR_MEMORY_ALLOCATION;
    **stream = (DeviceStream){.non_blocking = non_blocking, .next = sim->streams};
    sim->streams = *stream;
    return CUDA_ERROR_SUCCESS;
}

static CudaError sim_stream_free(Device *device, DeviceStream *stream)
{
    SimDevice *sim = sim_of(device);
    DeviceStream **link = &sim->streams;
    while (*link != NULL && *link != stream)
        link = &(*link)->next;
    if (*link == NULL)
        return CUDA_ERROR_INVALID_RESOURCE_HANDLE;
    if (!stream->non_blocking) /* its work still has to end, and the legacy stream to wait for it */
        sim->legacy.end_s = fmax(sim->legacy.end_s, stream->end_s);
    *link = stream->next;
    free(stream);
    return sim->sticky;
}

CudaError sim_stream_synchronize(Device *device, DeviceStream *stream)
{
    SimDevice *sim = sim_of(device);
    host_waits(sim, stream_ready(sim, stream));
    return sim->sticky;
}

static CudaError sim_stream_query(Device *device, DeviceStream *stream)
{
    SimDevice *sim = sim_of(device);
    return sim->sticky != CUDA_ERROR_SUCCESS ? sim->sticky : poll(sim, stream_ready(sim, stream));
}

static CudaError sim_stream_wait(Device *device, DeviceStream *stream, DeviceEvent *event)
{
    SimDevice *sim = sim_of(device);
    DeviceStream *waiting = stream == NULL ? &sim->legacy : stream;
    if (event->recorded)
        waiting->end_s = fmax(waiting->end_s, event->at_s);
    return sim->sticky;
}

static CudaError sim_event_new(Device *device, bool is_timed, DeviceEvent **event)
{
    SimDevice *sim = sim_of(device);
    if (sim->sticky != CUDA_ERROR_SUCCESS)
        return sim->sticky;
    sim->has_timed_event |= is_timed;
    *event = calloc(1, sizeof **event);
    return *event == NULL ? CUDA_ERROR_MEMORY_ALLOCATION : CUDA_ERROR_SUCCESS;
}

static CudaError sim_event_free(Device *device, DeviceEvent *event)
{
    free(event);
    return sim_of(device)->sticky;
}

static CudaError sim_event_record(Device *device, DeviceEvent *event, DeviceStream *stream)
{
    SimDevice *sim = sim_of(device);
    if (sim->sticky != CUDA_ERROR_SUCCESS)
        return sim->sticky;
    event->recorded = true;
    event->at_s = fmax(stream_ready(sim, stream), sim->host_s);
    return CUDA_ERROR_SUCCESS;
}

static CudaError sim_event_synchronize(Device *device, DeviceEvent *event)
{
    SimDevice *sim = sim_of(device);
    if (event->recorded)
        host_waits(sim, event->at_s);
    return sim->sticky;
}

static CudaError sim_event_query(Device *device, DeviceEvent *event)
{
    SimDevice *sim = sim_of(device);
    if (sim->sticky != CUDA_ERROR_SUCCESS || !event->recorded)
        return sim->sticky;
    return poll(sim, event->at_s);
}

static CudaError sim_event_elapsed(Device *device, DeviceEvent *start, DeviceEvent *stop, double *seconds)
{
    SimDevice *sim = sim_of(device);
    if (sim->sticky != CUDA_ERROR_SUCCESS)
        return sim->sticky;
    if (!start->recorded || !stop->recorded)
        return CUDA_ERROR_INVALID_RESOURCE_HANDLE;
    if (start->at_s > sim->host_s || stop->at_s > sim->host_s)
        return CUDA_ERROR_NOT_READY;
    *seconds = stop->at_s - start->at_s;
    return CUDA_ERROR_SUCCESS;
}

static CudaError sim_synchronize(Device *device)
{
    SimDevice *sim = sim_of(device);
    host_waits(sim, all_streams_end(sim));
    return sim->sticky;
}

/* ---- what the judge asks ----------------------------------------------------------------------------------------- */

static void sim_reset_statistics(Device *device)
{
    SimDevice *sim = sim_of(device);
    sim->statistics = (DeviceStatistics){.has_counters = true};
    sim->longest_s = 0;
    sim->fault = (DeviceFault){0};
}

static void sim_statistics(Device *device, DeviceStatistics *statistics)
{
    *statistics = sim_of(device)->statistics;
}

static void sim_fault(Device *device, DeviceFault *fault)
{
    *fault = sim_of(device)->fault;
}

static void sim_set_budget(Device *device, uint64_t warp_instructions)
{
    sim_of(device)->budget = sim_of(device)->budget_left = warp_instructions;
}

static size_t sim_take_output(Device *device, char *buffer, size_t size)
{
    uint64_t lost;
    return simgpu_take_output(sim_of(device)->gpu, buffer, size, &lost);
}

/* ---- opening ----------------------------------------------------------------------------------------------------- */

static void sim_close(Device *device)
{
    SimDevice *sim = sim_of(device);
    while (sim->streams != NULL)
        sim_stream_free(device, sim->streams);
    simgpu_free(sim->gpu);
    free(sim);
}

static const DeviceOps OPS = {
    .close = sim_close,
    .alloc = sim_alloc,
    .release = sim_release,
    .set_memory_limit = sim_set_memory_limit,
    .allocated_bytes = sim_allocated_bytes,
    .kernel_wrote = sim_kernel_wrote,
    .owns = sim_owns,
    .write = sim_write,
    .read = sim_read,
    .copy = sim_copy,
    .fill = sim_fill,
    .module_load = sim_module_load,
    .module_unload = sim_module_unload,
    .function = sim_function,
    .variable = sim_variable,
    .function_info = sim_function_info,
    .function_set_dynamic_shared = sim_function_set_dynamic_shared,
    .occupancy = sim_occupancy,
    .launch = sim_launch,
    .stream_new = sim_stream_new,
    .stream_free = sim_stream_free,
    .stream_synchronize = sim_stream_synchronize,
    .stream_query = sim_stream_query,
    .stream_wait = sim_stream_wait,
    .event_new = sim_event_new,
    .event_free = sim_event_free,
    .event_record = sim_event_record,
    .event_synchronize = sim_event_synchronize,
    .event_query = sim_event_query,
    .event_elapsed = sim_event_elapsed,
    .synchronize = sim_synchronize,
    .bracket_begin = sim_bracket_begin,
    .bracket_end = sim_bracket_end,
    .let_go = sim_let_go,
    .set_time_limit = sim_set_time_limit,
    .pin = sim_pin,
    .unpin = sim_unpin,
    .reset_statistics = sim_reset_statistics,
    .statistics = sim_statistics,
    .fault = sim_fault,
    .set_budget = sim_set_budget,
    .take_output = sim_take_output,
    .array_new = sim_array_new,
    .array_free = sim_array_free,
    .copy_box = sim_copy_box,
    .fill_rows = sim_fill_rows,
    .texture_new = sim_texture_new,
    .texture_free = sim_texture_free,
    .probe = sim_probe,
    .profile = sim_profile,
    .check = sim_check,
};

void device_describe_sim(const HardwareProfile *profile, DeviceInfo *info)
{
    *info = (DeviceInfo){
        .driver = "simgpu",
        .modelled = true,
        .calibrated = profile->calibrated,
        .epoch = profile->epoch,
        .compute_major = profile->compute_major,
        .compute_minor = profile->compute_minor,
        .multiprocessors = profile->multiprocessors,
        .warp_size = SIM_WARP_SIZE,
        .max_threads_per_block = profile->max_threads_per_block,
        .max_threads_per_multiprocessor = profile->max_threads_per_multiprocessor,
        .max_blocks_per_multiprocessor = profile->max_blocks_per_multiprocessor,
        .registers_per_block = profile->registers_per_multiprocessor,
        .registers_per_multiprocessor = profile->registers_per_multiprocessor,
        .shared_bytes_per_block = profile->shared_bytes_per_block,
        .shared_bytes_per_block_optin = profile->shared_bytes_per_block_optin,
        .shared_bytes_per_multiprocessor = profile->shared_bytes_per_multiprocessor,
        .shared_reserved_bytes_per_block = profile->shared_reserved_bytes_per_block,
        .constant_bytes = profile->constant_bytes,
        .l2_bytes = profile->l2_bytes,
        .memory_bytes = profile->memory_bytes,
        .clock_khz = (uint32_t)(profile->clock_hz / 1000),
        .read_bytes_per_s = profile->dram_read_bytes_per_s,
        .copy_bytes_per_s = profile->dram_copy_bytes_per_s,
        .fma_flops_per_s = profile->fma_flops_per_s,
    };
    memcpy(info->max_block, profile->max_block, sizeof info->max_block);
    memcpy(info->max_grid, profile->max_grid, sizeof info->max_grid);
    snprintf(info->id, sizeof info->id, "sim-%s", profile->name);
    snprintf(info->name, sizeof info->name, "%s (simulated%s)", profile->title,
             profile->calibrated ? "" : ", uncalibrated");
}

/* The compiler that nvcc uses, too. Libraries are kept beside what nvcc made: whoever can write there decides every
 * verdict anyway. */
static Status choose_engine(SimGpu *gpu, Message *why)
{
    static const char compiler[] = "/usr/bin/gcc";
    const char *engine = getenv("CONVJUDGE_ENGINE");
    bool is_free = engine == NULL || engine[0] == '\0';
    SimTranslate when = SIM_TRANSLATE_WHERE_IT_PAYS;
    char folder[PATH_MAX];
    if (!is_free && strcmp(engine, "interpreter") == 0)
        return STATUS_OK;
    if (!is_free && strcmp(engine, "translator") == 0)
        when = SIM_TRANSLATE_ALWAYS;
    else if (!is_free && strcmp(engine, "compare") == 0)
        when = SIM_TRANSLATE_COMPARED;
    else if (!is_free)
        return fail(STATUS_BAD_INPUT, why, "CONVJUDGE_ENGINE=%s: expected 'interpreter', 'translator' or 'compare'",
                    engine);
    if (paths_cache(folder, sizeof folder, NULL) == STATUS_OK && access(compiler, X_OK) == 0)
        simgpu_set_translator(gpu, compiler, folder, when);
    return STATUS_OK;
}

Status device_open_sim(const HardwareProfile *profile, Device **device, Message *why)
{
    SimDevice *sim = calloc(1, sizeof *sim);
    if (sim == NULL)
        return fail_errno(why, "the simulated GPU's memory");
    Status status = simgpu_new(profile, DEVICE_BASE, DEVICE_SPAN, 0, &sim->gpu, why);
    if (status == STATUS_OK)
        status = choose_engine(sim->gpu, why);
    if (status != STATUS_OK) {
        simgpu_free(sim->gpu);
        free(sim);
        return status;
    }
    sim->device.ops = &OPS;
    device_describe_sim(profile, &sim->device.info);
    sim_reset_statistics(&sim->device);
    sim->first_start_s = INFINITY;
    *device = &sim->device;
    return STATUS_OK;
}
