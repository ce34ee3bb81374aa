/* A real GPU, through NVIDIA's driver library. */
#include "harness/device/cuda/device_cuda.h"
#include "harness/device/open/device_kinds.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum { CALIBRATION_BRACKETS = 31 };

static const double CLOSE_SECONDS = 5; /* for what still runs, where nothing else is set */

static const uint64_t LEAST_FLUSH_BYTES = 16u << 20; /* for a device that does not tell the size of its L2 */

/* ---- memory, as the judge asks ----------------------------------------------------------------------------------- */

static void set_memory_limit(Device *device, uint64_t bytes)
{
    cuda_of(device)->memory_limit = bytes + cuda_of(device)->flush_bytes;
}

static uint64_t allocated_bytes(Device *device)
{
    return cuda_used_bytes(cuda_of(device)) - cuda_of(device)->flush_bytes;
}

/* What kernels store the hardware does not tell; but an array that no kernel can have filled, or that was copied as a
 * whole from elsewhere, was filled by no kernel. */
static int kernel_wrote(Device *device, uint64_t address)
{
    const CudaDevice *cuda = cuda_of(device);
    const AddressPiece *piece = address_find(&cuda->range, address, 1);
    bool copied = piece != NULL && piece->copied_bytes >= piece->bytes;
    return cuda->statistics.kernels == 0 || copied ? 0 : -1;
}

/* Memory that cannot be pinned is copied all the same, more slowly. */
static void pin(Device *device, void *memory, size_t bytes)
{
    CudaDevice *cuda = cuda_of(device);
    cuda->driver->cuMemHostRegister(memory, bytes, CU_HOST_REGISTER_DEVICE_MAP);
}

static void unpin(Device *device, void *memory)
{
    cuda_of(device)->driver->cuMemHostUnregister(memory);
}

/* ---- launches ---------------------------------------------------------------------------------------------------- */

static void remember_kernel(CudaDevice *cuda, const char *name)
{
    for (unsigned i = 0; i < cuda->last_kernel_count; i++)
        if (cuda->last_kernels[i] == name)
            return;
    if (cuda->last_kernel_count < CUDA_LAST_KERNELS)
        cuda->last_kernels[cuda->last_kernel_count++] = name;
}

static CudaError launch_kernel(Device *device, const DeviceLaunch *launch)
{
    CudaDevice *cuda = cuda_of(device);
    size_t bytes = launch->parameter_bytes;
    void *extra[] = {CU_LAUNCH_PARAMETER_BUFFER, (void *)(uintptr_t)launch->parameters, CU_LAUNCH_PARAMETER_BYTES,
                     &bytes, CU_LAUNCH_PARAMETER_END};
    CuStream raw;
    if (bytes != launch->function->parameter_bytes)
        return CUDA_ERROR_INVALID_VALUE;
    CudaError error = cuda_enter(cuda, launch->stream, &raw);
    if (error != CUDA_ERROR_SUCCESS)
        return error;
    error = cuda->driver->cuLaunchKernel(launch->function->raw, launch->grid[0], launch->grid[1], launch->grid[2],
                                         launch->block[0], launch->block[1], launch->block[2],
                                         launch->dynamic_shared_bytes, raw, NULL, bytes == 0 ? NULL : extra);
    if (error == CUDA_ERROR_SUCCESS) {
        cuda->statistics.kernels++;
        remember_kernel(cuda, launch->function->name);
    }
    return cuda_note(cuda, error);
}

/* ---- streams and events ------------------------------------------------------------------------------------------ */

/* `joint` is only ever waited for: without a time it is cheaper. */
static CudaError stream_open(CudaDevice *cuda, DeviceStream *stream)
{
    CudaError error = cuda->driver->cuEventCreate(&stream->joint, CU_EVENT_UNTIMED);
    if (error == CUDA_ERROR_SUCCESS && stream->raw == NULL)
        error = cuda->driver->cuStreamCreate(&stream->raw,
                                             stream->non_blocking ? CU_STREAM_NON_BLOCKING : CU_STREAM_BLOCKING);
    return cuda_note(cuda, error);
}

static CudaError stream_new(Device *device, bool non_blocking, DeviceStream **stream)
{
    CudaDevice *cuda = cuda_of(device);
    CudaError error = cuda->sticky != CUDA_ERROR_SUCCESS ? cuda->sticky : cuda_release(cuda);
    if (error != CUDA_ERROR_SUCCESS)
        return error;
    *stream = calloc(1, sizeof **stream);
    if (*stream == NULL)
        return CUDA_ERROR_MEMORY_ALLOCATION;
    (*stream)->non_blocking = non_blocking;
    error = stream_open(cuda, *stream);
    if (error != CUDA_ERROR_SUCCESS) {
        free(*stream);
        return error;
    }
    (*stream)->next = cuda->streams;
    cuda->streams = *stream;
    return CUDA_ERROR_SUCCESS;
}

/* A stream that goes while it has work: the work is done all the same, and the judge must see its end. */
static CudaError stream_free(Device *device, DeviceStream *stream)
{
    CudaDevice *cuda = cuda_of(device);
    DeviceStream **link = &cuda->streams;
    while (*link != NULL && *link != stream)
        link = &(*link)->next;
    if (*link == NULL)
        return CUDA_ERROR_INVALID_RESOURCE_HANDLE;
    CudaError error = cuda->sticky != CUDA_ERROR_SUCCESS ? cuda->sticky : cuda_release(cuda);
    if (error == CUDA_ERROR_SUCCESS && stream->used)
        error = cuda_join(cuda, stream);
    if (error == CUDA_ERROR_SUCCESS)
        error = cuda_note(cuda, cuda->driver->cuStreamDestroy(stream->raw));
    if (error == CUDA_ERROR_SUCCESS)
        error = cuda_note(cuda, cuda->driver->cuEventDestroy(stream->joint));
    *link = stream->next;
    free(stream);
    return error;
}

static CudaError stream_synchronize(Device *device, DeviceStream *stream)
{
    return cuda_wait(cuda_of(device), stream);
}

/* A program that asks again and again must see an end: what is held is let go. */
static CudaError stream_query(Device *device, DeviceStream *stream)
{
    CudaDevice *cuda = cuda_of(device);
    CudaError error = cuda->sticky != CUDA_ERROR_SUCCESS ? cuda->sticky : cuda_release(cuda);
    cuda_observe(cuda);
    return error != CUDA_ERROR_SUCCESS
               ? error
               : cuda_note(cuda, cuda->driver->cuStreamQuery(stream == NULL ? cuda->legacy.raw : stream->raw));
}

static CudaError stream_wait(Device *device, DeviceStream *stream, DeviceEvent *event)
{
    CudaDevice *cuda = cuda_of(device);
    CuStream raw;
    if (!event->recorded)
        return cuda->sticky;
    CudaError error = cuda_enter(cuda, stream, &raw);
    return error != CUDA_ERROR_SUCCESS ? error : cuda_note(cuda, cuda->driver->cuStreamWaitEvent(raw, event->raw, 0));
}

static CudaError event_new(Device *device, bool is_timed, DeviceEvent **event)
{
    CudaDevice *cuda = cuda_of(device);
    if (cuda->sticky != CUDA_ERROR_SUCCESS)
        return cuda->sticky;
    *event = calloc(1, sizeof **event);
    if (*event == NULL)
        return CUDA_ERROR_MEMORY_ALLOCATION;
    const unsigned flags = is_timed ? CU_EVENT_TIMED : CU_EVENT_UNTIMED;
    CudaError error = cuda_note(cuda, cuda->driver->cuEventCreate(&(*event)->raw, flags));
    if (error != CUDA_ERROR_SUCCESS)
        free(*event);
    return error;
}

static CudaError event_free(Device *device, DeviceEvent *event)
{
    CudaDevice *cuda = cuda_of(device);
    CudaError error = cuda->sticky;
    if (error == CUDA_ERROR_SUCCESS)
        error = cuda_note(cuda, cuda->driver->cuEventDestroy(event->raw));
    free(event);
    return error;
}

static CudaError event_record(Device *device, DeviceEvent *event, DeviceStream *stream)
{
    CudaDevice *cuda = cuda_of(device);
    CuStream raw;
    CudaError error = cuda_enter(cuda, stream, &raw);
    if (error != CUDA_ERROR_SUCCESS)
        return error;
    event->recorded = true;
    return cuda_note(cuda, cuda->driver->cuEventRecord(event->raw, raw));
}

static CudaError event_synchronize(Device *device, DeviceEvent *event)
{
    CudaDevice *cuda = cuda_of(device);
    return event->recorded ? cuda_wait_event(cuda, event->raw) : cuda->sticky;
}

static CudaError event_query(Device *device, DeviceEvent *event)
{
    CudaDevice *cuda = cuda_of(device);
    CudaError error = cuda->sticky != CUDA_ERROR_SUCCESS ? cuda->sticky : cuda_release(cuda);
    cuda_observe(cuda);
    if (error != CUDA_ERROR_SUCCESS || !event->recorded)
        return error;
    return cuda_note(cuda, cuda->driver->cuEventQuery(event->raw));
}

static CudaError event_elapsed(Device *device, DeviceEvent *start, DeviceEvent *stop, double *seconds)
{
    CudaDevice *cuda = cuda_of(device);
    float milliseconds = 0;
    CudaError error = cuda->sticky != CUDA_ERROR_SUCCESS ? cuda->sticky : cuda_release(cuda);
    if (error != CUDA_ERROR_SUCCESS)
        return error;
    if (!start->recorded || !stop->recorded)
        return CUDA_ERROR_INVALID_RESOURCE_HANDLE;
    error = cuda_note(cuda, cuda->driver->cuEventElapsedTime(&milliseconds, start->raw, stop->raw));
    *seconds = 1e-3 * milliseconds;
    return error;
}

static CudaError synchronize(Device *device)
{
    return cuda_wait_all(cuda_of(device));
}

/* ---- what the judge asks ----------------------------------------------------------------------------------------- */

static CudaError bracket_end(Device *device, DeviceBracket *bracket)
{
    CudaError error = cuda_bracket_end(device, bracket);
    return error == CUDA_ERROR_SUCCESS ? cuda_check_zones(cuda_of(device), NULL) : error;
}

static void let_go(Device *device)
{
    CudaDevice *cuda = cuda_of(device);
    cuda_note(cuda, cuda_release(cuda));
}

static void set_time_limit(Device *device, double seconds)
{
    cuda_of(device)->time_limit_s = seconds;
}

static void reset_statistics(Device *device)
{
    CudaDevice *cuda = cuda_of(device);
    cuda->statistics = (DeviceStatistics){0};
    cuda->fault = (DeviceFault){0};
    cuda->waited_s = 0;
    for (size_t i = 0; i < cuda->range.count; i++)
        cuda->range.pieces[i].copied_bytes = 0;
}

static void statistics(Device *device, DeviceStatistics *statistics)
{
    *statistics = cuda_of(device)->statistics;
}

static void fault(Device *device, DeviceFault *fault)
{
    *fault = cuda_of(device)->fault;
}

/* Instructions are not counted here: a kernel that does not end runs into the time limit. */
static void set_budget(Device *device, uint64_t warp_instructions)
{
}

/* Kernels print through the driver, to this process's standard output. */
static size_t take_output(Device *device, char *buffer, size_t size)
{
    return 0;
}

/* ---- opening ----------------------------------------------------------------------------------------------------- */

static void release_context(CudaDevice *cuda)
{
    CuDevice device;
    if (cuda->driver->cuDeviceGet(&device, cuda->ordinal) == CUDA_ERROR_SUCCESS)
        cuda->driver->cuDevicePrimaryCtxRelease(device);
}

/* A context that is dead, or in which a kernel still runs, is left to the end of the process. */
static void close_device(Device *device)
{
    CudaDevice *cuda = cuda_of(device);
    if (cuda->time_limit_s == 0)
        cuda->time_limit_s = CLOSE_SECONDS;
    if (cuda->has_context && cuda_wait_all(cuda) == CUDA_ERROR_SUCCESS)
        release_context(cuda);
    cuda_modules_free(cuda);
    while (cuda->streams != NULL) {
        DeviceStream *next = cuda->streams->next;
        free(cuda->streams);
        cuda->streams = next;
    }
    address_range_free(&cuda->range);
    free(cuda);
}

static const DeviceOps OPS = {
    .close = close_device,
    .alloc = cuda_alloc,
    .release = cuda_free,
    .set_memory_limit = set_memory_limit,
    .allocated_bytes = allocated_bytes,
    .kernel_wrote = kernel_wrote,
    .owns = cuda_owns,
    .write = cuda_write,
    .read = cuda_read,
    .copy = cuda_copy,
    .fill = cuda_fill,
    .module_load = cuda_module_load,
    .module_unload = cuda_module_unload,
    .function = cuda_function,
    .variable = cuda_variable,
    .function_info = cuda_function_info,
    .function_set_dynamic_shared = cuda_function_set_dynamic_shared,
    .occupancy = cuda_occupancy,
    .launch = launch_kernel,
    .stream_new = stream_new,
    .stream_free = stream_free,
    .stream_synchronize = stream_synchronize,
    .stream_query = stream_query,
    .stream_wait = stream_wait,
    .event_new = event_new,
    .event_free = event_free,
    .event_record = event_record,
    .event_synchronize = event_synchronize,
    .event_query = event_query,
    .event_elapsed = event_elapsed,
    .synchronize = synchronize,
    .bracket_begin = cuda_bracket_begin,
    .bracket_end = bracket_end,
    .let_go = let_go,
    .set_time_limit = set_time_limit,
    .pin = pin,
    .unpin = unpin,
    .exchange_new = cuda_exchange_new,
    .exchange_join = cuda_exchange_join,
    .exchange_leave = cuda_exchange_leave,
    .exchange_put = cuda_exchange_put,
    .exchange_take = cuda_exchange_take,
    .reset_statistics = reset_statistics,
    .statistics = statistics,
    .fault = fault,
    .set_budget = set_budget,
    .take_output = take_output,
    .array_new = cuda_array_new,
    .array_free = cuda_array_free,
    .copy_box = cuda_copy_box,
    .fill_rows = cuda_fill_rows,
    .texture_new = cuda_texture_new,
    .texture_free = cuda_texture_free,
};

static CudaError open_context(CudaDevice *cuda)
{
    CuDevice device;
    CuContext context;
    CudaError error = cuda->driver->cuDeviceGet(&device, cuda->ordinal);
    if (error == CUDA_ERROR_SUCCESS)
        error = cuda->driver->cuDevicePrimaryCtxSetFlags(device, CU_CONTEXT_SCHEDULE_SPIN);
    if (error == CUDA_ERROR_SUCCESS)
        error = cuda->driver->cuDevicePrimaryCtxRetain(&context, device);
    if (error != CUDA_ERROR_SUCCESS)
        return error;
    cuda->has_context = true;
    return cuda->driver->cuCtxSetCurrent(context);
}

static CudaError pinned(CudaDevice *cuda, size_t bytes, void **memory)
{
    CudaError error = cuda->driver->cuMemHostAlloc(memory, bytes, CU_HOST_ALLOC_DEVICE_MAP);
    if (error == CUDA_ERROR_SUCCESS)
        memset(*memory, 0, bytes);
    return error;
}

static CudaError open_shared_memory(CudaDevice *cuda)
{
    void *shared, *bounce, *zones;
    CuAddress address = 0;
    CudaError error = pinned(cuda, sizeof *cuda->shared, &shared);
    if (error == CUDA_ERROR_SUCCESS)
        error = cuda->driver->cuMemHostGetDevicePointer(&address, shared, 0);
    if (error == CUDA_ERROR_SUCCESS)
        error = pinned(cuda, (size_t)CUDA_BOUNCE_BYTES * CUDA_BOUNCE_SLOTS, &bounce);
    if (error == CUDA_ERROR_SUCCESS)
        error = pinned(cuda, (size_t)CUDA_ZONE_ROOM * CUDA_ZONES_AT_ONCE, &zones);
    if (error != CUDA_ERROR_SUCCESS)
        return error;
    cuda->shared = shared;
    cuda->bounce = bounce;
    cuda->zones = zones;
    cuda->gate_address = address + offsetof(CudaShared, gate);
    cuda->nonce_address = address + offsetof(CudaShared, nonce);
    return CUDA_ERROR_SUCCESS;
}

static CudaError open_streams(CudaDevice *cuda)
{
    cuda->legacy.raw = CU_STREAM_LEGACY;
    cuda->own.non_blocking = true;
    CudaError error = stream_open(cuda, &cuda->legacy);
    if (error == CUDA_ERROR_SUCCESS)
        error = stream_open(cuda, &cuda->own);
    if (error == CUDA_ERROR_SUCCESS)
        error = cuda->driver->cuEventCreate(&cuda->bracket.start, CU_EVENT_TIMED);
    return error == CUDA_ERROR_SUCCESS ? cuda->driver->cuEventCreate(&cuda->bracket.stop, CU_EVENT_TIMED) : error;
}

static CudaError open_range(CudaDevice *cuda)
{
    CuAddress base = 0;
    CudaError error = cuda->driver->cuMemAddressReserve(&base, DEVICE_SPAN, 0, DEVICE_BASE, 0);
    if (error == CUDA_ERROR_SUCCESS && base != DEVICE_BASE)
        error = CUDA_ERROR_MEMORY_ALLOCATION;
    cuda->range = (AddressRange){.base = DEVICE_BASE, .span = DEVICE_SPAN};
    cuda->memory_limit = UINT64_MAX;
    return error;
}

static CudaError open_flush(CudaDevice *cuda)
{
    uint64_t bytes = 2 * (uint64_t)cuda->device.info.l2_bytes;
    bytes = bytes < LEAST_FLUSH_BYTES ? LEAST_FLUSH_BYTES : bytes / 4 * 4;
    CudaError error = cuda_alloc(&cuda->device, bytes, &cuda->flush_address);
    if (error == CUDA_ERROR_SUCCESS)
        cuda->flush_bytes = bytes;
    return error;
}

static int by_number(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The same bracket as around the solve() that most write: one operation of some microseconds, and a wait for it. */
static CudaError measure_clock_gap(CudaDevice *cuda)
{
    double gaps_s[CALIBRATION_BRACKETS];
    CudaError error = CUDA_ERROR_SUCCESS;
    for (int i = 0; i < CALIBRATION_BRACKETS && error == CUDA_ERROR_SUCCESS; i++) {
        DeviceBracket taken = {0};
        error = cuda_bracket_begin(&cuda->device);
        if (error == CUDA_ERROR_SUCCESS)
            error = cuda_fill(&cuda->device, cuda->flush_address, 0, cuda->flush_bytes / 2, NULL);
        if (error == CUDA_ERROR_SUCCESS)
            error = cuda_wait_all(cuda);
        if (error == CUDA_ERROR_SUCCESS)
            error = cuda_bracket_end(&cuda->device, &taken);
        gaps_s[i] = taken.host_s - taken.event_s;
    }
    qsort(gaps_s, CALIBRATION_BRACKETS, sizeof *gaps_s, by_number);
    cuda->device.info.clock_gap_s = fmax(0, gaps_s[CALIBRATION_BRACKETS / 2]);
    return error;
}

static const struct {
    CudaError (*open)(CudaDevice *cuda);
    const char *doing;
} STEPS[] = {
    {open_context, "creating a context"},
    {open_shared_memory, "pinned host memory"},
    {open_range, "the fixed range of device addresses"},
    {open_streams, "creating streams and events"},
    {open_flush, "device memory for flushing the L2"},
    {measure_clock_gap, "comparing both clocks"},
};

Status device_describe_cuda(int ordinal, DeviceInfo *info, Message *why)
{
    const CudaDriver *driver;
    Status status = cuda_driver_open(&driver, why);
    return status == STATUS_OK ? cuda_describe(driver, ordinal, info, why) : status;
}

Status device_open_cuda(int ordinal, Device **device, Message *why)
{
    CudaDevice *cuda = calloc(1, sizeof *cuda);
    if (cuda == NULL)
        return fail_errno(why, "the GPU's memory");
    cuda->ordinal = ordinal;
    cuda->device.ops = &OPS;
    Status status = cuda_driver_open(&cuda->driver, why);
    if (status == STATUS_OK)
        status = cuda_describe(cuda->driver, ordinal, &cuda->device.info, why);
    if (status == STATUS_OK &&
        getrandom(&cuda->zone_pattern, sizeof cuda->zone_pattern, 0) != sizeof cuda->zone_pattern)
        status = fail_errno(why, "random bytes");
    for (size_t i = 0; i < sizeof STEPS / sizeof *STEPS && status == STATUS_OK; i++) {
        CudaError error = STEPS[i].open(cuda);
        if (error != CUDA_ERROR_SUCCESS)
            status = fail(STATUS_SYSTEM, why, "%s does not open: %s: %s", cuda->device.info.name, STEPS[i].doing,
                          cuda_error_text(error));
    }
    if (status != STATUS_OK) {
        close_device(&cuda->device);
        return status;
    }
    reset_statistics(&cuda->device);
    *device = &cuda->device;
    return STATUS_OK;
}
