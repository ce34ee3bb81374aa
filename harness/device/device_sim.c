#include "harness/device/device_open.h"

#include "base/arena.h"
#include "base/compile_cache.h"
#include "base/paths.h"
#include "harness/device/sim_queue.h"
#include "harness/device/sim_state.h"
#include "harness/device/sim_stream.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- what the judge asks ----------------------------------------------------------------------------------------- */

static void reset_report(Device *device)
{
    SimDevice *sim = sim_of(device);
    sim->statistics = (DeviceStatistics){.has_counters = true};
    sim_sample_reset(sim);
    sim->longest_s = 0;
    sim->fault = (DeviceFault){0};
}

static void report_statistics(Device *device, DeviceStatistics *statistics)
{
    *statistics = sim_of(device)->statistics;
}

static void report_fault(Device *device, DeviceFault *fault)
{
    *fault = sim_of(device)->fault;
}

static const DeviceReportOps REPORT_OPS = {
    .reset = reset_report,
    .statistics = report_statistics,
    .fault = report_fault,
};

/* ---- what only a simulated GPU can do ---------------------------------------------------------------------------- */

static void set_budget(Device *device, uint64_t warp_instructions, uint64_t of_a_block)
{
    sim_of(device)->budget = sim_of(device)->budget_left = warp_instructions;
    sim_of(device)->block_budget = of_a_block;
}

static size_t take_output(Device *device, char *buffer, size_t size)
{
    uint64_t lost;
    return simgpu_take_output(sim_of(device)->gpu, buffer, size, &lost);
}

static void set_probe(Device *device, DeviceProbe *probe)
{
    sim_of(device)->probe = probe;
}

static void set_profile(Device *device, ExecutionProfile *profile)
{
    sim_profile_set(sim_of(device), profile);
}

static void set_place(Device *device, uint32_t place)
{
    sim_of(device)->place = place;
}

static void host_works(Device *device, double seconds)
{
    sim_time_note(sim_of(device), (Moment){.kind = MOMENT_HOST_WORKS, .seconds = seconds});
}

static double kernel_seconds(Device *device)
{
    return sim_of(device)->kernel_seconds;
}

static CudaError finish(Device *device, DeviceStream *stream)
{
    return sim_finish(sim_of(device), stream);
}

static CudaError settle(Device *device)
{
    return sim_settle(sim_of(device));
}

static CudaError take_turn(Device *device, uint64_t turn, uint8_t *staging)
{
    return sim_take_turn(sim_of(device), turn, staging);
}

static uint64_t turn_wanted(Device *device)
{
    return sim_of(device)->turn;
}

static bool is_compiling(Device *device)
{
    return simgpu_is_compiling(sim_of(device)->gpu);
}

static const DeviceSimulationOps SIMULATION_OPS = {
    .set_budget = set_budget,
    .take_output = take_output,
    .set_probe = set_probe,
    .set_profile = set_profile,
    .set_check = sim_set_check,
    .set_place = set_place,
    .host_works = host_works,
    .kernel_seconds = kernel_seconds,
    .finish = finish,
    .settle = settle,
    .copy_away = sim_copy_away,
    .host_call = sim_host_call,
    .renew = sim_renew,
    .take_turn = take_turn,
    .copies_at_once = &SIM_COPIES_AT_ONCE,
    .turn = turn_wanted,
    .is_compiling = is_compiling,
};

/* ---- opening ----------------------------------------------------------------------------------------------------- */

static void close_device(Device *device)
{
    SimDevice *sim = sim_of(device);
    sim_streams_free(sim);
    sim_queue_free(sim);
    simgpu_free(sim->gpu);
    free(sim->requests);
    free(sim);
}

/* Tensor cores multiply half as many TF32 numbers as float16 ones, and none on compute capability 7.5 (PTX ISA 8.5,
 * mma). A multiply-add is two operations. */
static double tf32_flops_per_s(const HardwareProfile *profile)
{
    const double halves = fmax(profile->tensor_multiply_adds, profile->warpgroup_multiply_adds);
    return profile->compute_major < 8 ? 0 : halves / 2 * 2 * profile->multiprocessors * profile->clock_hz;
}

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
        .tf32_flops_per_s = tf32_flops_per_s(profile),
    };
    memcpy(info->max_block, profile->max_block, sizeof info->max_block);
    memcpy(info->max_grid, profile->max_grid, sizeof info->max_grid);
    memcpy(info->model_factors, profile->model_factors, sizeof info->model_factors);
    memcpy(info->doubts, profile->doubts, sizeof info->doubts);
    snprintf(info->id, sizeof info->id, "sim-%s", profile->name);
    snprintf(info->name, sizeof info->name, "%s (simulated%s)", profile->title,
             profile->calibrated ? "" : ", uncalibrated");
}

static const char COMPILER[] = "/usr/bin/gcc"; /* the host compiler of nvcc */

/* A folder below that of what nvcc made, so that a broker may write there and nowhere else. */
bool device_sim_translations(char *folder, size_t size)
{
    const char *engine = getenv("CONVJUDGE_ENGINE");
    char cache[PATH_MAX];
    if ((engine != NULL && strcmp(engine, "interpreter") == 0) || access(COMPILER, X_OK) != 0 ||
        paths_make_cache(cache, sizeof cache, NULL) != STATUS_OK ||
        (size_t)snprintf(folder, size, "%s/" COMPILE_CACHE_TRANSLATIONS, cache) >= size)
        return false;
    return mkdir(folder, 0700) == 0 || access(folder, F_OK) == 0;
}

static Status choose_engine(SimGpu *gpu, Message *why)
{
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
    if (device_sim_translations(folder, sizeof folder) && !simgpu_set_translator(gpu, COMPILER, folder, when) &&
        !is_free)
        return fail(STATUS_BAD_INPUT, why, "CONVJUDGE_ENGINE=%s: this build has no translator (make JIT=1)", engine);
    return STATUS_OK;
}

Status device_open_sim(const HardwareProfile *profile, Device **device, Message *why)
{
    SimDevice *sim = allocated(calloc(1, sizeof *sim));
    Status status = simgpu_new(profile, DEVICE_BASE, DEVICE_SPAN, 0, &sim->gpu, why);
    THEN(status, choose_engine(sim->gpu, why));
    if (status != STATUS_OK) {
        simgpu_free(sim->gpu);
        free(sim);
        return status;
    }
    sim->device = (Device){
        .close = close_device,
        .memory = &SIM_MEMORY_OPS,
        .copies = &SIM_COPY_OPS,
        .modules = &SIM_MODULE_OPS,
        .kernels = &SIM_KERNEL_OPS,
        .streams = &SIM_STREAM_OPS,
        .events = &SIM_EVENT_OPS,
        .arrays = &SIM_ARRAY_OPS,
        .textures = &SIM_TEXTURE_OPS,
        .tensors = &SIM_TENSOR_OPS,
        .timing = &SIM_TIMING_OPS,
        .report = &REPORT_OPS,
        .simulation = &SIMULATION_OPS,
    };
    device_describe_sim(profile, &sim->device.info);
    reset_report(&sim->device);
    sim_queue_new(sim);
    sim->first_start_s = INFINITY;
    *device = &sim->device;
    return STATUS_OK;
}
