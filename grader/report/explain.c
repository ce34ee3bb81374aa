#include "grader/report/explain.h"

#include "base/arena.h"
#include "base/elf.h"
#include "base/text.h"
#include "grader/problem/testcase.h"
#include "harness/compile/compile.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ==== change ====================================================================================================== */

void change_scale(uint64_t *count, double factor)
{
    *count = (uint64_t)((double)*count * fmax(0, factor));
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
    change_scale(&model->counters.warp_instructions, kept);
    change_scale(&model->counters.lane_instructions, kept);
    machine->local /= kept; /* these are multiples of warp_instructions, and stay what they are */
    machine->local_sectors /= kept;
    machine->direct /= kept;
}

void change_others(KernelModel *model, double kept)
{
    remove_instructions(model, change_mix(model).others * (1 - kept));
    change_scale(&model->counters.integer, kept);
    change_scale(&model->counters.control, kept);
}

void change_global_loads(KernelModel *model, double kept)
{
    SimCounters *counters = &model->counters;
    remove_instructions(model, (double)counters->global_load_requests * (1 - kept));
    change_scale(&counters->global_load_requests, kept);
    change_scale(&counters->global_load_wavefronts, kept);
    change_scale(&counters->global_load_sectors, kept);
    change_scale(&counters->global_load_bytes, kept);
}

void change_global_stores(KernelModel *model, double kept)
{
    remove_instructions(model, (double)model->counters.global_store_requests * (1 - kept));
    change_scale(&model->counters.global_store_requests, kept);
    change_scale(&model->counters.global_store_sectors, kept);
    change_scale(&model->counters.global_store_bytes, kept);
}

void change_waiting(KernelModel *model, double kept)
{
    SimMachineRatios *machine = &model->input.machine;
    if (machine->issue > 0) {
        machine->waiting *= kept;
        return;
    }
    CostInput *input = &model->input;
    change_scale(&input->longest_warp_instructions, kept);
    change_scale(&input->longest_warp_loads, kept);
    change_scale(&input->longest_warp_shared, kept);
    change_scale(&input->longest_warp_constant, kept);
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

/* ==== case choice ================================================================================================= */

static void choose(const TestcaseSet *set, const char *wanted, CaseChoice *choice, Text *names)
{
    char number[16];
    for (size_t i = 0; i < set->count; i++) {
        const Testcase *testcase = &set->cases[i];
        if (testcase->group != CASE_TIMED)
            continue;
        snprintf(number, sizeof number, "%d", ++choice->count);
        text_printf(names, "%s%s (%s)", names->length > 0 ? "; " : "", number, testcase->name);
        if (wanted == NULL || (strcmp(wanted, testcase->name) != 0 && strcmp(wanted, number) != 0))
            continue;
        snprintf(choice->name, sizeof choice->name, "%s", testcase->name);
        choice->number = choice->count;
    }
}

Status case_choice_read(const Problem *problem, const char *wanted, CaseChoice *choice, Message *why)
{
    TestcaseSet set;
    Text names = {0};
    *choice = (CaseChoice){.number = 0};
    Status status = testcases_read(problem, &set, why);
    TRY(status);
    choose(&set, wanted, choice, &names);
    if (wanted != NULL && choice->count == 0)
        status = fail(STATUS_BAD_INPUT, why, "--case %s: problem %s has no timed case", wanted, problem->id);
    else if (wanted != NULL && choice->number == 0)
        status = fail(STATUS_BAD_INPUT, why,
                      "--case %s: problem %s has no such timed case; expected a number or name: %s", wanted,
                      problem->id, names.data);
    text_free(&names);
    testcases_free(&set);
    return status;
}

/* ==== kernel under review ========================================================================================= */

void review_begin(const Explanation *explanation, uint32_t index, KernelUnderReview *review)
{
    *review = (KernelUnderReview){.explanation = explanation,
                                  .index = index,
                                  .kernel = &explanation->kernels[index],
                                  .counters = &explanation->profile->kernels[index].counters};
    kernel_model(explanation, index, &review->model);
    review->mix = change_mix(&review->model);
}

double review_per_launch(const KernelUnderReview *review, double sum)
{
    return sum / (double)review->model.launches;
}

const SimLine *review_worst_line(const KernelUnderReview *review, LineMeasure *measure)
{
    const ExecutionProfile *profile = review->explanation->profile;
    const SimLine *worst = NULL;
    double most = 0;
    for (uint32_t i = 0; i < profile->line_count; i++) {
        const ProfileLine *line = &profile->lines[i];
        if (line->kernel != review->index || !explain_is_own_line(review->explanation, line))
            continue;
        double value = measure(&line->counts);
        if (value > most) {
            most = value;
            worst = &line->counts;
        }
    }
    return worst;
}

double review_sum(const KernelUnderReview *review, LineMeasure *measure)
{
    const ExecutionProfile *profile = review->explanation->profile;
    double sum = 0;
    for (uint32_t i = 0; i < profile->line_count; i++)
        if (profile->lines[i].kernel == review->index)
            sum += measure(&profile->lines[i].counts);
    return sum;
}

double review_threads_per_block(const KernelUnderReview *review)
{
    return (double)launch_block_threads(&review->kernel->profile->shape);
}

double review_blocks_per_launch(const KernelUnderReview *review)
{
    return (double)launch_block_count(&review->kernel->profile->shape);
}

double review_threads(const KernelUnderReview *review)
{
    return review_threads_per_block(review) * review_blocks_per_launch(review) *
           (double)review->kernel->profile->launches;
}

double review_warps(const KernelUnderReview *review)
{
    return ceil(review_threads_per_block(review) / SIM_WARP_SIZE) * review_blocks_per_launch(review) *
           (double)review->kernel->profile->launches;
}

/* ==== explain ===================================================================================================== */

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
        .block_shares = profile->block_shares,
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

/* The cost of one launch. */
static Cost kernel_model_cost(const KernelModel *model)
{
    const CostInput input = input_of(model);
    return cost_model(&input);
}

double kernel_model_seconds(const KernelModel *model)
{
    return kernel_model_cost(model).seconds * (double)model->launches;
}

/* ---- one kernel -------------------------------------------------------------------------------------------------- */

/* Blocks that one multiprocessor holds at a time; 0: a block does not fit. */
static uint32_t resident_blocks(const KernelModel *model, uint32_t registers, uint32_t static_shared,
                                uint32_t dynamic_shared)
{
    SimFunctionInfo function = model->function;
    function.registers = registers;
    function.static_shared_bytes = static_shared;
    return cost_resident_blocks(model->input.profile, &function, (uint32_t)launch_block_threads(&model->input.shape),
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

double explain_part_seconds(const Cost *cost, const char *name, double otherwise)
{
    for (int i = 0; i < cost->part_count; i++)
        if (strcmp(cost->parts[i].name, name) == 0)
            return cost->parts[i].seconds;
    return otherwise;
}

static void place_on_roofline(const HardwareProfile *hardware, ExplainedKernel *kernel)
{
    const SimCounters *counters = &kernel->profile->counters;
    double sectors = fmin((double)counters->global_load_sectors, (double)counters->unique_load_sectors) +
                     fmin((double)counters->global_store_sectors, (double)counters->unique_store_sectors);
    kernel->flops = (double)(counters->fp32 + counters->fma32 + counters->fp64 + counters->fma64);
    kernel->dram_bytes = sectors * SECTOR_BYTES;
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
    kernel->bound_share = explain_part_seconds(&kernel->cost, kernel->cost.limiter, explanation->hardware->launch_s) /
                          kernel->cost.seconds;
    kernel->resident_blocks = resident_blocks(&model, model.function.registers, model.function.static_shared_bytes,
                                              profile->shape.dynamic_shared_bytes);
    kernel->occupancy_limit = find_occupancy_limit(&model, kernel->resident_blocks);
    kernel->waves = (double)launch_block_count(&profile->shape) / fmax(1, kernel->resident_blocks) /
                    explanation->hardware->multiprocessors;
    kernel->achieved_occupancy = kernel->cost.occupancy * kernel->waves / fmax(1, ceil(kernel->waves));
    place_on_roofline(explanation->hardware, kernel);
}

/* ---- its lines --------------------------------------------------------------------------------------------------- */

bool explain_is_own_file(const ExecutionProfile *profile, uint32_t file)
{
    const char *name = profile->files[file < PROFILE_MAX_FILES ? file : 0], *slash = strrchr(name, '/');
    return strcmp(slash == NULL ? name : slash + 1, COMPILE_SOURCE_NAME) == 0;
}

bool explain_is_own_line(const Explanation *explanation, const ProfileLine *line)
{
    return explain_is_own_file(explanation->profile, line->file);
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
