
#include "base/arena.h"
#include "base/text.h"
#include "harness/device/ceilings.h"
#include "harness/device/cuda_driver.h"
#include "harness/device/cuda_gate.h"
#include "harness/device/cuda_memory.h"
#include "harness/device/device_open.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ==== cuda info =================================================================================================== */

/* Describes a real GPU: its limits, and its ceilings where they have been measured. */

enum { CUDA_EPOCH = 1 }; /* raised when the method of timing changes, since old times do not compare any more */

/* "NVIDIA H200" becomes "nvidia-h200". */
static void make_id(const char *name, char *id, size_t size)
{
    size_t length = 0;
    for (; *name != '\0' && length + 1 < size; name++)
        if (isalnum((unsigned char)*name))
            id[length++] = (char)tolower((unsigned char)*name);
        else if (length > 0 && id[length - 1] != '-')
            id[length++] = '-';
    while (length > 0 && id[length - 1] == '-')
        length--;
    id[length] = '\0';
}

static void format_uuid(const CuUuid *uuid, char *text, size_t size)
{
    const unsigned char *b = uuid->bytes;
    snprintf(text, size, "GPU-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", b[0], b[1], b[2],
             b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]);
}

/* "580.65.06" as the kernel module reports it, or else the version of CUDA that the driver supports. */
static void read_driver_version(const CudaDriver *driver, char *text, size_t size)
{
    char line[400];
    int version = 0;
    FILE *file = fopen("/proc/driver/nvidia/version", "r");
    const char *found = file != NULL && fgets(line, sizeof line, file) != NULL ? strpbrk(line, "0123456789") : NULL;
    while (found != NULL && strcspn(found, ". \n") == strcspn(found, " \n")) /* skip a word without a point: "x86_64" */
        found = strpbrk(found + strcspn(found, " \n"), "0123456789");
    if (found != NULL) {
        snprintf(text, size, "%.*s", (int)strspn(found, "0123456789."), found);
    } else {
        driver->cuDriverGetVersion(&version);
        snprintf(text, size, "CUDA %d.%d", version / 1000, version % 1000 / 10);
    }
    if (file != NULL)
        fclose(file);
}

typedef struct Asked {
    const CudaDriver *driver;
    CuDevice device;
    CudaError error; /* the first */
} Asked;

static uint32_t ask(Asked *asked, int attribute)
{
    int value = 0;
    CudaError error = asked->driver->cuDeviceGetAttribute(&value, attribute, asked->device);
    if (error != CUDA_ERROR_SUCCESS && asked->error == CUDA_ERROR_SUCCESS)
        asked->error = error;
    return value < 0 ? 0 : (uint32_t)value;
}

static void ask_limits(Asked *asked, DeviceInfo *info)
{
    info->compute_major = (int)ask(asked, CU_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
    info->compute_minor = (int)ask(asked, CU_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
    info->multiprocessors = ask(asked, CU_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    info->warp_size = ask(asked, CU_ATTRIBUTE_WARP_SIZE);
    info->max_threads_per_block = ask(asked, CU_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
    info->max_threads_per_multiprocessor = ask(asked, CU_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
    info->max_blocks_per_multiprocessor = ask(asked, CU_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR);
    for (int i = 0; i < 3; i++) {
        info->max_block[i] = ask(asked, CU_ATTRIBUTE_MAX_BLOCK_DIM_X + i);
        info->max_grid[i] = ask(asked, CU_ATTRIBUTE_MAX_GRID_DIM_X + i);
    }
    info->registers_per_block = ask(asked, CU_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK);
    info->registers_per_multiprocessor = ask(asked, CU_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR);
    info->shared_bytes_per_block = ask(asked, CU_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
    info->shared_bytes_per_block_optin = ask(asked, CU_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
    info->shared_bytes_per_multiprocessor = ask(asked, CU_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
    info->shared_reserved_bytes_per_block = ask(asked, CU_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK);
    info->constant_bytes = ask(asked, CU_ATTRIBUTE_TOTAL_CONSTANT_MEMORY);
    info->l2_bytes = ask(asked, CU_ATTRIBUTE_L2_CACHE_SIZE);
    info->clock_khz = ask(asked, CU_ATTRIBUTE_CLOCK_RATE);
    info->memory_clock_khz = ask(asked, CU_ATTRIBUTE_MEMORY_CLOCK_RATE);
    info->memory_bus_bits = ask(asked, CU_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
    info->pageable_access = ask(asked, CU_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS) != 0;
}

/* Double data rate: two transfers per cycle of the memory clock. No kernel can read faster. */
static double peak_bytes_per_s(const DeviceInfo *info)
{
    return 2e3 * info->memory_clock_khz * (info->memory_bus_bits / 8);
}

/* Without a calibration, the peak of the memory bounds all times from below, and there is no roofline. */
static Status take_ceilings(DeviceInfo *info, Message *why)
{
    Ceilings ceilings;
    info->read_bytes_per_s = peak_bytes_per_s(info);
    Status status = ceilings_read(info->id, &ceilings, why);
    if (status != STATUS_OK)
        return status == STATUS_NOT_FOUND ? STATUS_OK : status;
    info->read_bytes_per_s = ceilings.read_bytes_per_s;
    info->copy_bytes_per_s = ceilings.copy_bytes_per_s;
    info->fma_flops_per_s = ceilings.fma_flops_per_s;
    info->tf32_flops_per_s = ceilings.tf32_flops_per_s;
    info->usual_launch_s = 1e-6 * ceilings.launch_us;
    info->usual_clock_mhz = ceilings.sm_clock_mhz;
    return STATUS_OK;
}

static MUST_USE Status cuda_describe(const CudaDriver *driver, int ordinal, DeviceInfo *info, Message *why)
{
    Asked asked = {.driver = driver};
    CuUuid uuid;
    size_t bytes = 0;
    int count = 0;
    *info = (DeviceInfo){.epoch = CUDA_EPOCH};
    CudaError error = driver->cuDeviceGetCount(&count);
    if (error == CUDA_ERROR_SUCCESS && cuda_shown_ordinal(ordinal) >= count)
        return fail(STATUS_NOT_FOUND, why, "there is no GPU number %d: the driver finds %d, numbered from 0", ordinal,
                    count);
    THEN(error, driver->cuDeviceGet(&asked.device, cuda_shown_ordinal(ordinal)));
    THEN(error, driver->cuDeviceGetName(info->name, sizeof info->name, asked.device));
    THEN(error, driver->cuDeviceGetUuid(&uuid, asked.device));
    THEN(error, driver->cuDeviceTotalMem(&bytes, asked.device));
    if (error == CUDA_ERROR_SUCCESS) {
        ask_limits(&asked, info);
        error = asked.error;
    }
    if (error != CUDA_ERROR_SUCCESS)
        return fail(STATUS_SYSTEM, why, "GPU number %d does not answer: %s", ordinal, cuda_error_text(error));
    info->memory_bytes = bytes;
    make_id(info->name, info->id, sizeof info->id);
    format_uuid(&uuid, info->uuid, sizeof info->uuid);
    read_driver_version(driver, info->driver, sizeof info->driver);
    return take_ceilings(info, why);
}

/* ==== cuda calibration ============================================================================================ */

/* Times of the judge's own operations on this host and this GPU, so that they can be told from a submission's: an echo,
 * the gap between both clocks, an empty launch. */

enum { CALIBRATION_BRACKETS = 31, LAUNCH_WARM_UPS = 5, LAUNCH_BRACKETS = 61 };

/* A kernel that does nothing, for every GPU from compute capability 7.5 on: the driver compiles it. */
static const char EMPTY_KERNEL[] =
    ".version 6.3\n.target sm_75\n.address_size 64\n.visible .entry empty()\n{\n    ret;\n}\n";

/* Loads what cuda_calibrate() launches, which takes the driver longer than the calibration itself. */
static void cuda_calibration_open(CudaDevice *cuda)
{
    if (cuda->driver->cuModuleLoadData(&cuda->empty, EMPTY_KERNEL) != CUDA_ERROR_SUCCESS)
        cuda->empty = NULL;
}

/* Measures a bracket like that of most submissions: one operation of some microseconds, and a wait for it. */
static CudaError measure_clock_gap(CudaDevice *cuda)
{
    double gaps_s[CALIBRATION_BRACKETS];
    CudaError error = CUDA_ERROR_SUCCESS;
    for (int i = 0; i < CALIBRATION_BRACKETS && error == CUDA_ERROR_SUCCESS; i++) {
        DeviceBracket taken = {0};
        error = cuda_bracket_begin(cuda);
        THEN(error, CUDA_COPY_OPS.fill(&cuda->device, cuda->flush_address, 0, cuda->flush_bytes / 2, NULL));
        THEN(error, cuda_wait_all(cuda));
        THEN(error, cuda_bracket_end(cuda, &taken));
        gaps_s[i] = taken.host_s - taken.event_s;
    }
    qsort(gaps_s, CALIBRATION_BRACKETS, sizeof *gaps_s, order_numbers);
    cuda->device.info.clock_gap_s = fmax(0, gaps_s[CALIBRATION_BRACKETS / 2]);
    return error;
}

static CudaError launch_empty(CudaDevice *cuda, CuFunction function, double *event_s)
{
    DeviceBracket taken = {0};
    CuStream raw;
    CudaError error = cuda_bracket_begin(cuda);
    THEN(error, cuda_enter(cuda, NULL, &raw));
    THEN(error, cuda_note(cuda, cuda->driver->cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, raw, NULL, NULL)));
    THEN(error, cuda_wait_all(cuda));
    THEN(error, cuda_bracket_end(cuda, &taken));
    *event_s = taken.event_s;
    return error;
}

/* The median, and half of its 95 % interval: the order statistics that lie 0.98 roots of n from the middle (Conover,
 * Practical Nonparametric Statistics, 1999, section 3.2). */
static void take_launches(double *launches_s, DeviceInfo *info)
{
    const int middle = LAUNCH_BRACKETS / 2, reach = (int)ceil(0.98 * sqrt(LAUNCH_BRACKETS));
    qsort(launches_s, LAUNCH_BRACKETS, sizeof *launches_s, order_numbers);
    info->launch_s = launches_s[middle];
    info->launch_spread_s = (launches_s[middle + reach] - launches_s[middle - reach]) / 2;
}

/* How long a launch takes on this host without any work, with both events of a timed call around it. Where the driver
 * cannot compile the kernel, the time stays unknown. */
static CudaError measure_launch(CudaDevice *cuda)
{
    double launches_s[LAUNCH_BRACKETS] = {0};
    CuFunction function;
    if (cuda->empty == NULL)
        return CUDA_ERROR_SUCCESS;
    CudaError error = cuda_note(cuda, cuda->driver->cuModuleGetFunction(&function, cuda->empty, "empty"));
    for (int i = -LAUNCH_WARM_UPS; i < LAUNCH_BRACKETS && error == CUDA_ERROR_SUCCESS; i++)
        error = launch_empty(cuda, function, &launches_s[i < 0 ? 0 : i]);
    if (error == CUDA_ERROR_SUCCESS)
        take_launches(launches_s, &cuda->device.info);
    const CudaError unloaded = cuda_note(cuda, cuda->driver->cuModuleUnload(cuda->empty));
    cuda->empty = NULL;
    return error == CUDA_ERROR_SUCCESS ? unloaded : error;
}

static CudaError measure_echo(CudaDevice *cuda)
{
    double echoes_s[CALIBRATION_BRACKETS] = {0};
    CudaError error = cuda_wait_all(cuda);
    for (int i = 0; i < CALIBRATION_BRACKETS && error == CUDA_ERROR_SUCCESS; i++)
        error = cuda_measure_echo(cuda, &echoes_s[i]);
    qsort(echoes_s, CALIBRATION_BRACKETS, sizeof *echoes_s, order_numbers);
    cuda->usual_echo_s = error == CUDA_ERROR_SUCCESS ? echoes_s[CALIBRATION_BRACKETS / 2] : 0;
    return error;
}

/* As DeviceHardwareOps.calibrate. */
static MUST_USE CudaError cuda_calibrate(CudaDevice *cuda)
{
    TRY(measure_echo(cuda));
    TRY(measure_clock_gap(cuda));
    return measure_launch(cuda);
}

/* ==== device cuda ================================================================================================= */

static const double CLOSE_SECONDS = 5; /* how long to wait for running work if no limit was set */

static const uint64_t LEAST_FLUSH_BYTES = 16u << 20; /* for a device that does not report the size of its L2 */

/* ---- brackets ---------------------------------------------------------------------------------------------------- */

static CudaError bracket_begin(Device *device)
{
    return cuda_bracket_begin(cuda_of(device));
}

static CudaError bracket_end(Device *device, DeviceBracket *bracket)
{
    TRY(cuda_bracket_end(cuda_of(device), bracket));
    return cuda_check_zones(cuda_of(device), NULL);
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
    TRY(cuda->driver->cuDeviceGet(&device, cuda->ordinal));
    TRY(cuda->driver->cuDevicePrimaryCtxSetFlags(device, CU_CONTEXT_SCHEDULE_SPIN));
    TRY(cuda->driver->cuDevicePrimaryCtxRetain(&context, device));
    cuda->has_context = true;
    return cuda->driver->cuCtxSetCurrent(context);
}

static CudaError pinned(CudaDevice *cuda, size_t bytes, void **memory)
{
    TRY(cuda->driver->cuMemHostAlloc(memory, bytes, CU_HOST_ALLOC_DEVICE_MAP));
    memset(*memory, 0, bytes);
    return CUDA_ERROR_SUCCESS;
}

static CudaError open_shared_memory(CudaDevice *cuda)
{
    void *shared, *bounce, *zones;
    CuAddress address = 0;
    TRY(pinned(cuda, sizeof *cuda->shared, &shared));
    TRY(cuda->driver->cuMemHostGetDevicePointer(&address, shared, 0));
    TRY(pinned(cuda, (size_t)CUDA_BOUNCE_BYTES * CUDA_BOUNCE_SLOTS, &bounce));
    TRY(pinned(cuda, (size_t)CUDA_ZONE_ROOM * CUDA_ZONES_AT_ONCE, &zones));
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
    TRY(CUDA_MEMORY_OPS.alloc(&cuda->device, bytes, &cuda->flush_address));
    cuda->flush_bytes = bytes;
    return CUDA_ERROR_SUCCESS;
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
    TRY(cuda_driver_open(&driver, why));
    return cuda_describe(driver, ordinal, info, why);
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
    THEN(status, cuda_describe(cuda->driver, ordinal, &cuda->device.info, why));
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
