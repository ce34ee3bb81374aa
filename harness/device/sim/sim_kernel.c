#include "harness/device/sim/sim_kernel.h"

#include "base/allocated.h"
#include "base/clock.h"
#include "base/symbol.h"
#include "harness/device/launch_check.h"
#include "harness/device/sim/sim_check.h"
#include "harness/device/sim/sim_mistake.h"
#include "harness/device/sim/sim_probe.h"
#include "harness/device/sim/sim_profile.h"
#include "harness/device/sim/sim_sample.h"
#include "harness/device/sim/sim_stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    Status status = simgpu_module_load(sim_of(device)->gpu, image, bytes, &loaded, why);
    if (status != STATUS_OK)
        return status;
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

static void count_kernel(SimDevice *sim, const SimFunction *function, const SimReport *report)
{
    DeviceStatistics *sum = &sim->statistics;
    sum->kernels++;
    simgpu_counters_add(&sum->counters, &report->counters);
    const uint64_t executed = (uint64_t)((double)report->counters.warp_instructions * report->sampled_share);
    sum->executed_instructions += executed;
    sim->budget_left -= executed < sim->budget_left ? executed : sim->budget_left;
    if (report->modelled_s < sim->longest_s)
        return;
    SimFunctionInfo facts;
    simgpu_function_info(function, &facts);
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
                      .is_untimed = sim_is_untimed(sim),
                      .stack_bytes = sim->stack_bytes,
                      .heap_bytes = sim->heap_bytes,
                      .warp_instructions = sim->budget == 0 || sim->budget_left > 0 ? sim->budget_left : 1};
    SimReport report = {0};
    const double start_s = thread_s();
    if (sim->probe != NULL)
        sim_probe_launch(sim, work->function->module, &grid, &report);
    else
        simgpu_launch(sim->gpu, &grid, &report);
    sim->kernel_seconds += thread_s() - start_s;
    touch_memory(sim, &report);
    count_kernel(sim, grid.function, &report);
    if (sim->profile != NULL)
        sim_profile_launch(sim, &grid, &report);
    sim_keep_findings(sim, &report);
    keep_fault(sim, &report);
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

/* What the GPU refuses is refused at once; a fault of a kernel is met by whoever waits for it. */
static CudaError launch_kernel(Device *device, const DeviceLaunch *launch)
{
    SimDevice *sim = sim_of(device);
    DeviceFunctionInfo facts;
    char hint[200];
    if (sim->sticky != CUDA_ERROR_SUCCESS)
        return sim->sticky;
    kernel_info(launch->function, &facts);
    CudaError error = launch_check(&device->info, &facts, &launch->shape, hint, sizeof hint);
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
