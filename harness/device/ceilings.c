/* Theory of operation
 *
 * Each figure comes from the time between two events around one kernel or copy of some hundred microseconds. The same
 * work, on the other of two arrays, is queued before it. So the device is busy while the host queues the timed work, no
 * launch latency lies between the events, and the L2 holds nothing that the timed work could use.  */
#include "harness/device/ceilings.h"

#include "base/paths.h"
#include "base/record.h"
#include "base/text.h"
#include "harness/compile/toolkit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ==== ceilings measure ============================================================================================ */

enum {
    CLOCKS = 2,
    BLOCK_THREADS = 256,
    FMAS_PER_ROUND = 128,
    TENSOR_BLOCKS_PER_MULTIPROCESSOR = 2,
    FLOPS_PER_FMA = 2,
    MAX_REPETITIONS = 99
};

/* On an H200 an FMA kernel with these rounds takes 4.2 ms. It is measured first, so that its 25 warm-ups, of two
 * kernels each, are the 200 ms of load after which the clock is steady. */
const CeilingsWork CEILINGS_WORK = {.bytes = 1ull << 30, .rounds = 4096, .warm_ups = 25, .repetitions = 15};

/* The grid that reads fastest differs between GPUs. */
static const uint32_t READ_BLOCKS_PER_MULTIPROCESSOR[] = {4, 8, 16, 32};

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))
_Static_assert(COUNT_OF(READ_BLOCKS_PER_MULTIPROCESSOR) + 3 == CEILINGS_STEPS,
               "one step for each grid, for FMA, for tensor cores and for copy");

typedef struct CeilingBench {
    Device *device;
    const CeilingsWork *work;
    DeviceModule *module, *tensor_module; /* NULL: the device has no tensor cores for TF32 */
    uint64_t arrays[2];
    uint64_t sums, clocks; /* of the FMA kernel: a float per thread; cycles and nanoseconds */
    DeviceEvent *start, *stop;
    uint32_t blocks; /* of the current grid */
} CeilingBench;

/* Queues one piece of work that reads array `turn`, 0 or 1. */
typedef CudaError QueueFunction(CeilingBench *bench, int turn);

/* ---- the three kinds of work ------------------------------------------------------------------------------------- */

static CudaError launch(CeilingBench *bench, DeviceModule *module, const char *name, const void *parameters,
                        size_t bytes)
{
    const DeviceLaunch one = {.function = bench->device->modules->function(module, name),
                              .shape.grid = {bench->blocks, 1, 1},
                              .shape.block = {BLOCK_THREADS, 1, 1},
                              .parameters = parameters,
                              .parameter_bytes = bytes};
    return one.function == NULL ? CUDA_ERROR_INVALID_DEVICE_FUNCTION
                                : bench->device->kernels->launch(bench->device, &one);
}

static CudaError queue_read(CeilingBench *bench, int turn)
{
    const struct {
        uint64_t data, count, unused;
    } parameters = {bench->arrays[turn], bench->work->bytes / 16, bench->sums};
    return launch(bench, bench->module, "ceilings_read", &parameters, sizeof parameters);
}

static CudaError queue_copy(CeilingBench *bench, int turn)
{
    return bench->device->copies->copy(bench->device, bench->arrays[1 - turn], bench->arrays[turn], bench->work->bytes,
                                       NULL);
}

/* The chains converge to 1, far from infinities and denormal numbers. */
static CudaError queue_fma(CeilingBench *bench, int turn)
{
    const struct {
        uint64_t sums, clocks;
        uint32_t rounds;
        float factor, summand;
    } parameters = {bench->sums, bench->clocks, bench->work->rounds, 0.5f, 0.5f};
    return launch(bench, bench->module, "ceilings_fma", &parameters, 28);
}

/* A round takes several times as long as one of FMAs. */
static uint32_t tensor_rounds(const CeilingsWork *work)
{
    return (work->rounds + 7) / 8;
}

static CudaError queue_tensor(CeilingBench *bench, int turn)
{
    const struct {
        uint64_t sums, multiply_adds;
        uint32_t rounds;
    } parameters = {bench->sums, bench->clocks, tensor_rounds(bench->work)};
    return launch(bench, bench->tensor_module, "ceilings_tf32", &parameters, 20);
}

/* ---- time -------------------------------------------------------------------------------------------------------- */

static CudaError time_once(CeilingBench *bench, QueueFunction *queue, double *seconds)
{
    Device *device = bench->device;
    TRY(queue(bench, 1));
    TRY(device->events->record(device, bench->start, NULL));
    TRY(queue(bench, 0));
    TRY(device->events->record(device, bench->stop, NULL));
    TRY(device->streams->synchronize_all(device));
    return device->events->elapsed(device, bench->start, bench->stop, seconds);
}

/* The median; of an even number of times the lower of the two in the middle. */
static Status time_median(CeilingBench *bench, QueueFunction *queue, double *seconds, Message *why)
{
    double times[MAX_REPETITIONS];
    const int count = bench->work->repetitions;
    if (count < 1 || count > MAX_REPETITIONS)
        return fail(STATUS_BAD_INPUT, why, "%d repetitions, expected 1 to %d", count, MAX_REPETITIONS);
    for (int i = -bench->work->warm_ups; i < count; i++) {
        CudaError error = time_once(bench, queue, &times[i < 0 ? 0 : i]);
        if (error != CUDA_ERROR_SUCCESS)
            return fail(STATUS_SYSTEM, why, "a calibration kernel or copy failed: %s", cuda_error_text(error));
    }
    qsort(times, (size_t)count, sizeof *times, order_numbers);
    *seconds = times[(count - 1) / 2];
    return *seconds > 0 ? STATUS_OK : fail(STATUS_SYSTEM, why, "a calibration kernel took no time");
}

/* ---- the figures ------------------------------------------------------------------------------------------------- */

typedef struct StepCallback { /* the caller's callback */
    void (*step)(void *context);
    void *context;
} StepCallback;

static void report_step(const StepCallback *steps)
{
    if (steps->step != NULL)
        steps->step(steps->context);
}

/* One wave: as many threads as all multiprocessors hold at once. */
static uint32_t fma_blocks(const DeviceInfo *info)
{
    return info->multiprocessors * (info->max_threads_per_multiprocessor / BLOCK_THREADS);
}

static Status measure_fma(CeilingBench *bench, const StepCallback *steps, Ceilings *ceilings, Message *why)
{
    double seconds;
    int64_t clocks[CLOCKS];
    bench->blocks = fma_blocks(&bench->device->info);
    TRY(time_median(bench, queue_fma, &seconds, why));
    CudaError error = bench->device->copies->read(bench->device, clocks, bench->clocks, sizeof clocks, NULL);
    if (error != CUDA_ERROR_SUCCESS)
        return fail(STATUS_SYSTEM, why, "reading the clocks: %s", cuda_error_text(error));
    const double fmas = (double)bench->blocks * BLOCK_THREADS * bench->work->rounds * FMAS_PER_ROUND;
    ceilings->fma_flops_per_s = FLOPS_PER_FMA * fmas / seconds;
    ceilings->sm_clock_mhz = clocks[1] > 0 ? 1e3 * (double)clocks[0] / (double)clocks[1] : 0;
    report_step(steps);
    return STATUS_OK;
}

static Status measure_tensor(CeilingBench *bench, const StepCallback *steps, Ceilings *ceilings, Message *why)
{
    double seconds = 0;
    int64_t multiply_adds = 0; /* of a block in a round */
    Status status = STATUS_OK;
    if (bench->tensor_module != NULL) {
        bench->blocks = TENSOR_BLOCKS_PER_MULTIPROCESSOR * bench->device->info.multiprocessors;
        status = time_median(bench, queue_tensor, &seconds, why);
    }
    if (status == STATUS_OK && seconds > 0) {
        CudaError error = bench->device->copies->read(bench->device, &multiply_adds, bench->clocks,
                                                      sizeof multiply_adds, NULL);
        if (error != CUDA_ERROR_SUCCESS)
            return fail(STATUS_SYSTEM, why, "reading the clocks: %s", cuda_error_text(error));
        ceilings->tf32_flops_per_s = FLOPS_PER_FMA * (double)multiply_adds * bench->blocks *
                                     tensor_rounds(bench->work) / seconds;
    }
    report_step(steps);
    return status;
}

static Status measure_copy(CeilingBench *bench, const StepCallback *steps, Ceilings *ceilings, Message *why)
{
    double seconds;
    Status status = time_median(bench, queue_copy, &seconds, why);
    if (status == STATUS_OK)
        ceilings->copy_bytes_per_s = 2 * (double)bench->work->bytes / seconds;
    report_step(steps);
    return status;
}

static Status measure_read(CeilingBench *bench, const StepCallback *steps, Ceilings *ceilings, Message *why)
{
    Status status = STATUS_OK;
    for (size_t i = 0; i < COUNT_OF(READ_BLOCKS_PER_MULTIPROCESSOR) && status == STATUS_OK; i++) {
        double seconds = 0;
        bench->blocks = bench->device->info.multiprocessors * READ_BLOCKS_PER_MULTIPROCESSOR[i];
        status = time_median(bench, queue_read, &seconds, why);
        if (status == STATUS_OK && (double)bench->work->bytes > ceilings->read_bytes_per_s * seconds)
            ceilings->read_bytes_per_s = (double)bench->work->bytes / seconds;
        report_step(steps);
    }
    return status;
}

/* ---- before and after -------------------------------------------------------------------------------------------- */

static Status load_file(CeilingBench *bench, const char *file, bool with_features, DeviceModule **module, Message *why)
{
    char source[4096];
    Text image = {0};
    const DeviceInfo *info = &bench->device->info;
    Status status = paths_home(file, source, sizeof source, why);
    const DeviceCodeJob job = {
        .source = source, .compute = 10 * info->compute_major + info->compute_minor, .with_features = with_features};
    THEN(status, device_code_build(&job, &image, why));
    THEN(status, bench->device->modules->load(bench->device, image.data, image.length, module, why));
    text_free(&image);
    return status;
}

static Status load_kernels(CeilingBench *bench, Message *why)
{
    const DeviceInfo *info = &bench->device->info;
    TRY(load_file(bench, "harness/device/ceilings.cu", false, &bench->module, why));
    if (info->compute_major >= 8)
        TRY(load_file(bench, "harness/device/ceilings_tensor.cu", info->compute_major == 9 && info->compute_minor == 0,
                      &bench->tensor_module, why));
    return STATUS_OK;
}

static CudaError new_array(CeilingBench *bench, uint64_t bytes, uint64_t *address)
{
    TRY(bench->device->memory->alloc(bench->device, bytes, address));
    return bench->device->copies->fill(bench->device, *address, 0, bytes, NULL);
}

static Status new_arrays(CeilingBench *bench, Message *why)
{
    const uint64_t threads = (uint64_t)fma_blocks(&bench->device->info) * BLOCK_THREADS;
    CudaError error = new_array(bench, bench->work->bytes, &bench->arrays[0]);
    THEN(error, new_array(bench, bench->work->bytes, &bench->arrays[1]));
    THEN(error, new_array(bench, threads * sizeof(float), &bench->sums));
    THEN(error, new_array(bench, CLOCKS * sizeof(int64_t), &bench->clocks));
    THEN(error, bench->device->events->create(bench->device, true, &bench->start));
    THEN(error, bench->device->events->create(bench->device, true, &bench->stop));
    return error == CUDA_ERROR_SUCCESS
               ? STATUS_OK
               : fail(STATUS_SYSTEM, why, "memory for the calibration: %s", cuda_error_text(error));
}

/* Ignores errors, since all figures have been measured. */
static void free_all(CeilingBench *bench)
{
    Device *device = bench->device;
    const uint64_t taken[] = {bench->arrays[0], bench->arrays[1], bench->sums, bench->clocks};
    for (size_t i = 0; i < COUNT_OF(taken); i++)
        if (taken[i] != 0)
            (void)device->memory->release(device, taken[i]);
    if (bench->start != NULL)
        (void)device->events->destroy(device, bench->start);
    if (bench->stop != NULL)
        (void)device->events->destroy(device, bench->stop);
    if (bench->module != NULL)
        device->modules->unload(device, bench->module);
    if (bench->tensor_module != NULL)
        device->modules->unload(device, bench->tensor_module);
}

static void put_identity(const DeviceInfo *info, Ceilings *ceilings)
{
    time_t now = time(NULL);
    struct tm utc;
    *ceilings = (Ceilings){.clock_gap_us = info->clock_gap_s * 1e6, .launch_us = info->launch_s * 1e6};
    snprintf(ceilings->device, sizeof ceilings->device, "%s", info->id);
    snprintf(ceilings->name, sizeof ceilings->name, "%s", info->name);
    snprintf(ceilings->driver, sizeof ceilings->driver, "%s", info->driver);
    strftime(ceilings->time_utc, sizeof ceilings->time_utc, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
}

Status ceilings_measure(Device *device, const CeilingsWork *work, void (*step)(void *context), void *context,
                        Ceilings *ceilings, Message *why)
{
    CeilingBench bench = {.device = device, .work = work};
    const StepCallback steps = {step, context};
    Status status = device_calibrate(device, why);
    put_identity(&device->info, ceilings);
    THEN(status, load_kernels(&bench, why));
    THEN(status, new_arrays(&bench, why));
    THEN(status, measure_fma(&bench, &steps, ceilings, why));
    THEN(status, measure_tensor(&bench, &steps, ceilings, why));
    THEN(status, measure_copy(&bench, &steps, ceilings, why));
    THEN(status, measure_read(&bench, &steps, ceilings, why));
    free_all(&bench);
    return status;
}

/* ==== ceilings ==================================================================================================== */

enum { MAX_FILE_BYTES = 64 * 1024 };

/* The limits refuse figures that no GPU has: in another unit, or zero. */
/* clang-format off */

RECORD_PUBLIC(ceilings_table, Ceilings,
    ROW_SCHEMA("schema", 1),
    ROW(Ceilings, device, "device", .required = true),
    ROW(Ceilings, name, "name", .required = true),
    ROW(Ceilings, driver, "driver", .required = true),
    ROW(Ceilings, time_utc, "time_utc", .required = true, .about = "id, as in the file's name; the GPU, its driver, and when it was measured"),
    ROW(Ceilings, read_bytes_per_s, "read_bytes_per_s", .required = true, .low = 1e9, .high = 1e15),
    ROW(Ceilings, copy_bytes_per_s, "copy_bytes_per_s", .required = true, .low = 1e9, .high = 1e15),
    ROW(Ceilings, fma_flops_per_s, "fma_flops_per_s", .required = true, .low = 1e9, .high = 1e17, .about = "reading 1 GiB of device memory; copying it, read plus written; float32 multiply-adds, two operations each"),
    ROW(Ceilings, tf32_flops_per_s, "tf32_flops_per_s", .sparse = true, .low = 1e9, .high = 1e17, .about = "optional: tensor cores in TF32; without it `convjudge roofline` measures it each time"),
    ROW(Ceilings, clock_gap_us, "clock_gap_us", .required = true, .low = 0, .high = 1000, .about = "how much more the host's clock shows than the device's events around the same work"),
    ROW(Ceilings, launch_us, "launch_us", .sparse = true, .low = 0.1, .high = 1000, .about = "optional: an empty launch on the fastest host; without it nothing is taken off the times of other hosts"),
    ROW(Ceilings, sm_clock_mhz, "sm_clock_mhz", .required = true, .low = 10, .high = 1e5, .about = "clock during the multiply-adds"));

/* clang-format on */

Status ceilings_folder(char *path, size_t size, Message *why)
{
    return paths_chosen("CONVJUDGE_DEVICES", "leaderboard/devices", path, size, why);
}

Status ceilings_path(const char *device_id, char *path, size_t size, Message *why)
{
    Status status = ceilings_folder(path, size, why);
    size_t length = status == STATUS_OK ? strlen(path) : 0;
    if (status == STATUS_OK && (size_t)snprintf(path + length, size - length, "/%s.json", device_id) >= size - length)
        return fail(STATUS_BAD_INPUT, why, "%.100s...: the path is too long", path);
    return status;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

Status ceilings_read(const char *device_id, Ceilings *ceilings, Message *why)
{
    char path[4096];
    JsonFile file;
    *ceilings = (Ceilings){0};
    Status status = ceilings_path(device_id, path, sizeof path, why);
    if (status == STATUS_OK && access(path, F_OK) != 0)
        status = fail(STATUS_NOT_FOUND, why, "%s: no such file; measure the device with: convjudge calibrate", path);
    THEN(status, json_read(path, MAX_FILE_BYTES, &file, why));
    TRY(status);
    status = record_read(&ceilings_table, &file, file.root, NULL, ceilings, why);
    if (status == STATUS_OK && strcmp(ceilings->device, device_id) != 0)
        status = json_fail(&file, json_get(file.root, "device"), why, "expected \"%s\", as the file is named",
                           device_id);
    json_free(&file);
    return status;
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

static Status make_folder(Message *why)
{
    char path[4096];
    TRY(ceilings_folder(path, sizeof path, why));
    if (mkdir(path, 0755) != 0 && errno != EEXIST)
        return fail_errno(why, "%s: cannot be made", path);
    return STATUS_OK;
}

Status ceilings_write(const Ceilings *ceilings, Message *why)
{
    char path[4096];
    Text text = {0};
    Status status = ceilings_path(ceilings->device, path, sizeof path, why);
    THEN(status, make_folder(why));
    if (status == STATUS_OK) {
        record_print(&ceilings_table, ceilings, &text);
        status = text_write_file(path, &text, why);
    }
    text_free(&text);
    return status;
}
