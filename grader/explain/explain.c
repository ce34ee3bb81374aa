#include "grader/explain/explain.h"

#include "base/allocated.h"
#include "base/symbol.h"
#include "harness/compile/compile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DRAM_SECTOR_BYTES = 32 };

/* ---- the cost model ---------------------------------------------------------------------------------------------- */

/* The profile has sums over all launches of one shape; the model needs the counters of one launch. */
static SimCounters average(const SimCounters *sum, uint64_t launches)
{
    SimCounters counters = *sum;
    for (size_t i = 0; i < sizeof counters / sizeof(uint64_t); i++)
        ((uint64_t *)&counters)[i] /= launches;
    return counters;
}

void kernel_model(const Explanation *explanation, uint32_t kernel, KernelModel *model)
{
    const ProfileKernel *profile = &explanation->profile->kernels[kernel];
    *model = (KernelModel){
        .function = {.registers = profile->registers,
                     .static_shared_bytes = profile->static_shared_bytes,
                     .local_bytes = profile->local_bytes,
                     .frame_bytes = profile->frame_bytes,
                     .has_unknown_code = profile->has_unknown_code,
                     .constant_bytes = profile->constant_bytes,
                     .uniform_constant_loads = profile->uniform_constant_loads},
        .counters = average(&profile->counters, profile->launches),
        .launches = profile->launches,
    };
    model->input = (CostInput){
        .profile = explanation->hardware,
        .shape = profile->shape,
        .longest_warp_instructions = profile->longest.instructions,
        .longest_warp_loads = profile->longest.loads,
        .longest_warp_shared = profile->longest.shared_loads,
        .longest_warp_constant = profile->longest.constant_loads,
        .machine = profile->machine,
    };
}

static CostInput input_of(const KernelModel *model)
{
    CostInput input = model->input;
    input.function = &model->function;
    input.counters = &model->counters;
    return input;
}

Cost kernel_model_cost(const KernelModel *model)
{
    const CostInput input = input_of(model);
    return cost_model(&input);
}

double kernel_model_seconds(const KernelModel *model)
{
    return kernel_model_cost(model).seconds * (double)model->launches;
}

uint32_t kernel_model_resident_blocks(const KernelModel *model)
{
    const LaunchShape *shape = &model->input.shape;
    return cost_resident_blocks(model->input.profile, &model->function, (uint32_t)launch_block_threads(shape),
                                shape->dynamic_shared_bytes);
}

/* ---- one kernel -------------------------------------------------------------------------------------------------- */

static double product(const uint32_t size[3])
{
    return (double)size[0] * size[1] * size[2];
}

static uint32_t resident_blocks(const KernelModel *model, uint32_t registers, uint32_t static_shared,
                                uint32_t dynamic_shared)
{
    SimFunctionInfo function = model->function;
    function.registers = registers;
    function.static_shared_bytes = static_shared;
    return cost_resident_blocks(model->input.profile, &function, (uint32_t)product(model->input.shape.block),
                                dynamic_shared);
}

/* Names the resource that keeps more blocks from being resident, by trying each limit without it. */
static const char *find_occupancy_limit(const KernelModel *model, uint32_t resident)
{
    const SimFunctionInfo *function = &model->function;
    uint32_t dynamic = model->input.shape.dynamic_shared_bytes;
    bool by_registers = resident_blocks(model, 0, function->static_shared_bytes, dynamic) > resident;
    bool by_shared = resident_blocks(model, function->registers, 0, 0) > resident;
    if (by_registers || by_shared)
        return by_registers ? "registers" : "shared memory";
    if (resident_blocks(model, 0, 0, 0) > resident)
        return "registers and shared memory";
    return resident == model->input.profile->max_blocks_per_multiprocessor ? "blocks per multiprocessor"
                                                                           : "threads per multiprocessor";
}

/* The seconds of a part; the launch itself is not in the list of parts. */
static double part_seconds(const Cost *cost, const char *name, double launch_s)
{
    for (int i = 0; i < cost->part_count; i++)
        if (strcmp(cost->parts[i].name, name) == 0)
            return cost->parts[i].seconds;
    return launch_s;
}

static void place_on_roofline(const HardwareProfile *hardware, ExplainedKernel *kernel)
{
    const SimCounters *counters = &kernel->profile->counters;
    double sectors = fmin((double)counters->global_load_sectors, (double)counters->unique_load_sectors) +
                     fmin((double)counters->global_store_sectors, (double)counters->unique_store_sectors);
    kernel->flops = (double)(counters->fp32 + counters->fma32 + counters->fp64 + counters->fma64);
    kernel->dram_bytes = sectors * DRAM_SECTOR_BYTES;
    kernel->intensity = kernel->dram_bytes > 0 ? kernel->flops / kernel->dram_bytes : 0;
    kernel->gflops = kernel->flops / kernel->profile->seconds * 1e-9;
    kernel->roof_gflops = 1e-9 *
                          fmin(hardware->fma_flops_per_s,
                               kernel->intensity > 0 ? kernel->intensity * hardware->dram_read_bytes_per_s : INFINITY);
}

static void explain_kernel(Explanation *explanation, uint32_t index)
{
    const ProfileKernel *profile = &explanation->profile->kernels[index];
    ExplainedKernel *kernel = &explanation->kernels[index];
    KernelModel model;
    kernel_model(explanation, index, &model);
    kernel->profile = profile;
    symbol_name(profile->name, kernel->name, sizeof kernel->name);
    kernel->cost = kernel_model_cost(&model);
    kernel->share = profile->seconds / explanation->seconds;
    kernel->bound_share = part_seconds(&kernel->cost, kernel->cost.limiter, explanation->hardware->launch_s) /
                          kernel->cost.seconds;
    kernel->resident_blocks = kernel_model_resident_blocks(&model);
    kernel->occupancy_limit = find_occupancy_limit(&model, kernel->resident_blocks);
    kernel->waves = product(profile->shape.grid) / fmax(1, kernel->resident_blocks) /
                    explanation->hardware->multiprocessors;
    kernel->achieved_occupancy = kernel->cost.occupancy * kernel->waves / fmax(1, ceil(kernel->waves));
    place_on_roofline(explanation->hardware, kernel);
}

/* ---- its lines --------------------------------------------------------------------------------------------------- */

bool explain_is_own_line(const Explanation *explanation, const ProfileLine *line)
{
    const char *file = explanation->profile->files[line->file], *slash = strrchr(file, '/');
    return strcmp(slash == NULL ? file : slash + 1, COMPILE_SOURCE_NAME) == 0;
}

/* Only the ratios between lines matter, so their counters may be sums over all launches. */
static void share_among_lines(Explanation *explanation, uint32_t index, SimLine *lines, double *shares)
{
    const ExecutionProfile *profile = explanation->profile;
    KernelModel model;
    size_t count = 0;
    for (uint32_t i = 0; i < profile->line_count; i++)
        if (profile->lines[i].kernel == index)
            lines[count++] = profile->lines[i].counts;
    kernel_model(explanation, index, &model);
    const CostInput input = input_of(&model);
    cost_shares(&input, lines, count, shares);
    count = 0;
    for (uint32_t i = 0; i < profile->line_count; i++) {
        if (profile->lines[i].kernel != index)
            continue;
        explanation->line_shares[i] = explanation->kernels[index].share * shares[count++];
    }
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

void explain(const ExecutionProfile *profile, const HardwareProfile *hardware, double call_s, Explanation *explanation)
{
    *explanation = (Explanation){.profile = profile, .hardware = hardware};
    explanation->line_shares = zeroed(profile->line_count, sizeof *explanation->line_shares);
    explanation->seconds = profile->host_copies.seconds + profile->device_copies.seconds;
    for (uint32_t i = 0; i < profile->kernel_count; i++)
        explanation->seconds += profile->kernels[i].seconds;
    explanation->wait_s = fmax(0, call_s - hardware->events_s - explanation->seconds);
    explanation->seconds += explanation->wait_s + (call_s > 0 ? hardware->events_s : 0);
    SimLine *lines = zeroed(profile->line_count, sizeof *lines);
    double *shares = zeroed(profile->line_count, sizeof *shares);
    for (uint32_t i = 0; i < profile->kernel_count; i++) {
        explain_kernel(explanation, i);
        share_among_lines(explanation, i, lines, shares);
    }
    free(lines);
    free(shares);
}

void explanation_free(Explanation *explanation)
{
    free(explanation->line_shares);
    *explanation = (Explanation){0};
}
