#include "harness/device/cuda/device_cuda.h"

#include "base/allocated.h"
#include "harness/device/cuda/cuda_array.h"
#include "harness/device/cuda/cuda_calibration.h"
#include "harness/device/cuda/cuda_exchange.h"
#include "harness/device/cuda/cuda_gate.h"
#include "harness/device/cuda/cuda_info.h"
#include "harness/device/cuda/cuda_memory.h"
#include "harness/device/cuda/cuda_module.h"
#include "harness/device/cuda/cuda_stream.h"
#include "harness/device/cuda/cuda_tensor.h"
#include "harness/device/cuda/cuda_visible.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double CLOSE_SECONDS = 5; /* how long to wait for running work if no limit was set */

static const uint64_t LEAST_FLUSH_BYTES = 16u << 20; /* for a device that does not report the size of its L2 */

/* ---- brackets ---------------------------------------------------------------------------------------------------- */

static CudaError bracket_begin(Device *device)
{
    return cuda_bracket_begin(cuda_of(device));
}

static CudaError bracket_end(Device *device, DeviceBracket *bracket)
{
    CudaError error = cuda_bracket_end(cuda_of(device), bracket);
    return error == CUDA_ERROR_SUCCESS ? cuda_check_zones(cuda_of(device), NULL) : error;
}

static const DeviceTimingOps TIMING_OPS = {.begin = bracket_begin, .end = bracket_end};

/* ---- what the judge asks ----------------------------------------------------------------------------------------- */

static void reset_report(Device *device)
{
    CudaDevice *cuda = cuda_of(device);
    cuda->statistics = (DeviceStatistics){0};
    cuda->fault = (DeviceFault){0};
    cuda->waited_s = 0;
}

static void report_statistics(Device *device, DeviceStatistics *statistics)
{
    *statistics = cuda_of(device)->statistics;
}

static void report_fault(Device *device, DeviceFault *fault)
{
    *fault = cuda_of(device)->fault;
}

static const DeviceReportOps REPORT_OPS = {
    .reset = reset_report,
    .statistics = report_statistics,
    .fault = report_fault,
};

/* ---- what only a real GPU needs ---------------------------------------------------------------------------------- */

static void set_time_limit(Device *device, double seconds)
{
    cuda_of(device)->time_limit_s = seconds;
}

static void start_held_work(Device *device)
{
    CudaDevice *cuda = cuda_of(device);
    cuda_note(cuda, cuda_release(cuda));
}

static bool is_idle(Device *device)
{
    return cuda_is_idle(cuda_of(device));
}

/* The driver keeps what kernels print until it is asked to wait, to launch, or the like (CUDA Programming Guide, "Formatted
 * Output"); queries, by which this device waits, do not count. Nothing is under way here, so that it returns at once. */
static void flush_output(Device *device)
{
    CudaDevice *cuda = cuda_of(device);
    if (cuda->idle && cuda->sticky == CUDA_ERROR_SUCCESS)
        cuda_note(cuda, cuda->driver->cuCtxSynchronize());
}

/* Memory that cannot be pinned can still be copied, but more slowly. */
static void pin(Device *device, void *memory, size_t bytes)
{
    CudaDevice *cuda = cuda_of(device);
    cuda->driver->cuMemHostRegister(memory, bytes, CU_HOST_REGISTER_DEVICE_MAP);
}

static void unpin(Device *device, void *memory)
{
    cuda_of(device)->driver->cuMemHostUnregister(memory);
}

static CudaError calibrate(Device *device)
{
    return cuda_calibrate(cuda_of(device));
}

static const DeviceHardwareOps HARDWARE_OPS = {
    .calibrate = calibrate,
    .set_time_limit = set_time_limit,
    .start_held_work = start_held_work,
    .is_idle = is_idle,
    .flush_output = flush_output,
    .pin = pin,
    .unpin = unpin,
};

/* ---- opening ----------------------------------------------------------------------------------------------------- */

static void release_context(CudaDevice *cuda)
{
    CuDevice device;
    if (cuda->driver->cuDeviceGet(&device, cuda->ordinal) == CUDA_ERROR_SUCCESS)
        cuda->driver->cuDevicePrimaryCtxRelease(device);
}

/* A context that is dead, or in which a kernel still runs, is released when the process ends. */
static void close_device(Device *device)
{
    CudaDevice *cuda = cuda_of(device);
    if (cuda->time_limit_s == 0)
        cuda->time_limit_s = CLOSE_SECONDS;
    if (cuda->has_context && cuda_wait_all(cuda) == CUDA_ERROR_SUCCESS)
        release_context(cuda);
    cuda_modules_free(cuda);
    cuda_streams_free(cuda);
    address_range_free(&cuda->range);
    host_origin_free(&cuda->host_origin);
    free(cuda);
}

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
    cuda->echo_address = address + offsetof(CudaShared, echo);
    return CUDA_ERROR_SUCCESS;
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
    CudaError error = CUDA_MEMORY_OPS.alloc(&cuda->device, bytes, &cuda->flush_address);
    if (error == CUDA_ERROR_SUCCESS)
        cuda->flush_bytes = bytes;
    return error;
}

static const struct {
    CudaError (*open)(CudaDevice *cuda);
    const char *doing;
} STEPS[] = {
    {open_context, "creating a context"},
    {open_shared_memory, "pinned host memory"},
    {open_range, "the fixed range of device addresses"},
    {cuda_streams_open, "creating streams and events"},
    {open_flush, "device memory for flushing the L2"},
};

Status device_describe_cuda(int ordinal, DeviceInfo *info, Message *why)
{
    const CudaDriver *driver;
    Status status = cuda_driver_open(&driver, why);
    return status == STATUS_OK ? cuda_describe(driver, ordinal, info, why) : status;
}

Status device_open_cuda(int ordinal, Device **device, Message *why)
{
    CudaDevice *cuda = allocated(calloc(1, sizeof *cuda));
    cuda->ordinal = cuda_shown_ordinal(ordinal);
    cuda->device = (Device){
        .close = close_device,
        .memory = &CUDA_MEMORY_OPS,
        .copies = &CUDA_COPY_OPS,
        .modules = &CUDA_MODULE_OPS,
        .kernels = &CUDA_KERNEL_OPS,
        .streams = &CUDA_STREAM_OPS,
        .events = &CUDA_EVENT_OPS,
        .arrays = &CUDA_ARRAY_OPS,
        .textures = &CUDA_TEXTURE_OPS,
        .tensors = &CUDA_TENSOR_OPS,
        .timing = &TIMING_OPS,
        .report = &REPORT_OPS,
        .hardware = &HARDWARE_OPS,
        .exchange = &CUDA_EXCHANGE_OPS,
    };
    Status status = cuda_driver_open(&cuda->driver, why);
    if (status == STATUS_OK)
        status = cuda_describe(cuda->driver, ordinal, &cuda->device.info, why);
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
    cuda_calibration_open(cuda);
    reset_report(&cuda->device);
    *device = &cuda->device;
    return STATUS_OK;
}
