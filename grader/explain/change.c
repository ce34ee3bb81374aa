#include "grader/explain/change.h"

#include <math.h>
#include <string.h>

uint64_t change_scaled(uint64_t count, double factor)
{
    return (uint64_t)((double)count * fmax(0, factor));
}

static void scale(uint64_t *count, double factor)
{
    *count = change_scaled(*count, factor);
}

/* Lanes that a warp-instruction has at work, at least one. */
static double lanes_of(const SimCounters *counters)
{
    return counters->warp_instructions == 0
               ? SIM_WARP_SIZE
               : fmax(1, (double)counters->lane_instructions / (double)counters->warp_instructions);
}

/* Without machine code the model takes one instruction for each of PTX, and so do changes. */
static double factor_of(const KernelModel *model, double ratio)
{
    return model->input.machine.issue > 0 ? ratio : 1;
}

double change_loads(const InstructionMix *mix)
{
    return mix->global_loads + mix->shared_loads + mix->constant_loads + mix->texture_loads;
}

InstructionMix change_mix(const KernelModel *model)
{
    const SimCounters *counters = &model->counters;
    const SimMachineRatios *machine = &model->input.machine;
    double local = fmax((double)counters->local_requests, machine->local * (double)counters->warp_instructions);
    double constant = factor_of(model, machine->constant + machine->uniform);
    InstructionMix mix = {
        .multiply_adds = (double)(counters->fma32 + counters->fma64) / lanes_of(counters),
        .global_loads = (double)counters->global_load_requests,
        .shared_loads = (double)counters->shared_load_requests * factor_of(model, machine->shared),
        .constant_loads = (double)counters->constant_requests * constant,
        .texture_loads = (double)counters->texture_requests,
        .stores = (double)(counters->global_store_requests + counters->shared_store_requests),
        .local = local,
        .all = factor_of(model, machine->issue) * (double)counters->warp_instructions,
    };
    double named = mix.multiply_adds + change_loads(&mix) + mix.stores + local;
    mix.others = fmax(0, mix.all - named);
    mix.all = mix.others + named;
    return mix;
}

/* Takes `fewer` instructions off those that the kernel issues. */
static void remove_instructions(KernelModel *model, double fewer)
{
    double all = change_mix(model).all, kept = all > 0 ? fmax(0.01, 1 - fewer / all) : 1;
    SimMachineRatios *machine = &model->input.machine;
    scale(&model->counters.warp_instructions, kept);
    scale(&model->counters.lane_instructions, kept);
    machine->local /= kept; /* these are multiples of warp_instructions, and stay what they are */
    machine->local_sectors /= kept;
    machine->direct /= kept;
}

void change_others(KernelModel *model, double kept)
{
    remove_instructions(model, change_mix(model).others * (1 - kept));
    scale(&model->counters.integer, kept);
    scale(&model->counters.control, kept);
}

void change_arithmetic(KernelModel *model, double kept)
{
    remove_instructions(model, change_mix(model).multiply_adds * (1 - kept));
    scale(&model->counters.fp32, kept);
    scale(&model->counters.fma32, kept);
    scale(&model->counters.fp64, kept);
    scale(&model->counters.fma64, kept);
    model->input.machine.direct *= kept;
}

void change_global_loads(KernelModel *model, double kept, double sectors_kept)
{
    SimCounters *counters = &model->counters;
    remove_instructions(model, (double)counters->global_load_requests * (1 - kept));
    scale(&counters->global_load_requests, kept);
    scale(&counters->global_load_wavefronts, sectors_kept);
    scale(&counters->global_load_sectors, sectors_kept);
    scale(&counters->global_load_bytes, sectors_kept);
}

void change_global_stores(KernelModel *model, double kept, double sectors_kept)
{
    remove_instructions(model, (double)model->counters.global_store_requests * (1 - kept));
    scale(&model->counters.global_store_requests, kept);
    scale(&model->counters.global_store_sectors, sectors_kept);
    scale(&model->counters.global_store_bytes, sectors_kept);
}

void change_shared_loads(KernelModel *model, double kept)
{
    remove_instructions(model, change_mix(model).shared_loads * (1 - kept));
    scale(&model->counters.shared_load_requests, kept);
    scale(&model->counters.shared_load_wavefronts, kept);
}

void change_constant_loads(KernelModel *model, double kept)
{
    remove_instructions(model, change_mix(model).constant_loads * (1 - kept));
    scale(&model->counters.constant_requests, kept);
    scale(&model->counters.constant_replays, kept);
}

void change_texture_loads(KernelModel *model, double kept)
{
    remove_instructions(model, (double)model->counters.texture_requests * (1 - kept));
    scale(&model->counters.texture_requests, kept);
    scale(&model->counters.texture_sectors, kept);
}

void change_add_constant_loads(KernelModel *model, double requests, double bytes)
{
    SimMachineRatios *machine = &model->input.machine;
    double warps = (double)launch_block_count(&model->input.shape) *
                   ceil((double)launch_block_threads(&model->input.shape) / SIM_WARP_SIZE);
    double before = change_mix(model).constant_loads, all = (double)model->counters.constant_requests + requests;
    if (all > 0 && machine->issue > 0) { /* the new ones go through the uniform datapath, one instruction each */
        machine->uniform = (machine->uniform * (double)model->counters.constant_requests + requests) / all;
        machine->constant *= (double)model->counters.constant_requests / all;
    }
    model->counters.constant_requests = (uint64_t)all;
    model->function.uniform_constant_loads = true;
    model->function.constant_bytes += (uint32_t)bytes;
    model->input.longest_warp_constant += (uint64_t)(requests / fmax(1, warps));
    remove_instructions(model, before - change_mix(model).constant_loads);
}

void change_add_shared(KernelModel *model, double loads, double stores, double bytes_per_block)
{
    remove_instructions(model, -(loads + stores));
    model->counters.shared_load_requests += (uint64_t)loads;
    model->counters.shared_load_wavefronts += (uint64_t)loads;
    model->counters.shared_store_requests += (uint64_t)stores;
    model->counters.shared_store_wavefronts += (uint64_t)stores;
    model->function.static_shared_bytes += (uint32_t)bytes_per_block;
}

void change_waiting(KernelModel *model, double kept)
{
    SimMachineRatios *machine = &model->input.machine;
    if (machine->issue > 0) {
        machine->waiting *= kept;
        return;
    }
    CostInput *input = &model->input;
    scale(&input->longest_warp_instructions, kept);
    scale(&input->longest_warp_loads, kept);
    scale(&input->longest_warp_shared, kept);
    scale(&input->longest_warp_constant, kept);
}

double change_chain_seconds(const KernelModel *model)
{
    const Cost cost = kernel_model_cost(model);
    const HardwareProfile *hardware = model->input.profile;
    double resident = fmax(1, kernel_model_resident_blocks(model));
    double waves = ceil((double)launch_block_count(&model->input.shape) / resident / hardware->multiprocessors);
    for (int i = 0; i < cost.part_count; i++)
        if (strcmp(cost.parts[i].name, "latency") == 0)
            return cost.parts[i].seconds / fmax(1, waves);
    return 0;
}

/* The counters of PTX count lanes that are active, the machine's ratios to them all lanes of a warp. */
void change_lanes(KernelModel *model, double kept)
{
    SimMachineRatios *machine = &model->input.machine;
    machine->fma *= kept;
    machine->alu *= kept;
    machine->multiply *= kept;
    machine->special *= kept;
}

/* Divides the last dimension of the grid that has several blocks, or as many as there are. */
void change_outputs_per_thread(KernelModel *model, int outputs, int registers)
{
    uint32_t *grid = model->input.shape.grid;
    int axis = 2;
    while (axis > 0 && grid[axis] < (uint32_t)outputs)
        axis--;
    grid[axis] = (grid[axis] + (uint32_t)outputs - 1) / (uint32_t)outputs;
    model->function.registers += (uint32_t)registers;
}
