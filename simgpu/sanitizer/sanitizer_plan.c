#include "simgpu/sanitizer/sanitizer_plan.h"

#include "base/arena.h"
#include "simgpu/memory/footprint.h"
#include "simgpu/memory/validity.h"
#include "simgpu/sanitizer/block_races.h"

#include <stdlib.h>
#include <string.h>

static bool may_reach(const Instruction *instruction, PtxSpace space)
{
    if (instruction->kind == COPY_ASYNC)
        return space == PTX_SHARED;
    return instruction->space == PTX_NO_SPACE || instruction->space == (uint8_t)space;
}

/* The cell size that the smallest store into a space needs, as a logarithm. */
static uint8_t smallest_store(const Code *code, PtxSpace space)
{
    uint8_t finest = MAX_CELL_LOG;
    for (int i = 0; i < code->instruction_count; i++) {
        const Instruction *instruction = &code->instructions[i];
        if (instruction->kind == STORE && may_reach(instruction, space) && instruction->size < finest)
            finest = instruction->size;
    }
    return finest;
}

static bool has_compare(const Code *code, PtxSpace space)
{
    for (int i = 0; i < code->instruction_count; i++) {
        const Instruction *instruction = &code->instructions[i];
        if (instruction->kind == ATOMIC && instruction->detail == ATOMIC_COMPARE && may_reach(instruction, space))
            return true;
    }
    return false;
}

/* The allocation to which a parameter leads: it is an address or a surface; -1: neither. */
static int allocation_of(const Launch *launch, uint64_t value)
{
    bool was_one;
    const Texture *surface = texture_find(launch->textures, value, &was_one);
    return memory_find(launch->memory, surface != NULL ? surface->is.address : value);
}

/* The allocations into which the launch may store: those to which the parameters lead from which its stores take their
 * addresses. A parameter that points into device memory, but to no allocation, may lead to any of them. */
static bool *find_changing(const Launch *launch)
{
    const Memory *memory = launch->memory;
    bool *may_change = zeroed((size_t)memory->count + 1, sizeof *may_change);
    bool may_be_any = (launch->code->targets & UNKNOWN_TARGET) != 0;
    for (uint32_t i = 0; i < 63; i++) {
        uint64_t value = 0;
        if (!(launch->code->targets >> i & 1))
            continue;
        memcpy(&value, (const char *)launch->request->parameters + i * sizeof value, sizeof value);
        int allocation = allocation_of(launch, value);
        if (allocation >= 0)
            may_change[allocation] = true;
        else
            may_be_any |= value - memory->base < memory->span; /* any other value is a number */
    }
    if (may_be_any)
        memset(may_change, true, (size_t)memory->count);
    return may_change;
}

/* The sanitizer knows no order between the blocks of a cooperative launch. */
static bool can_follow(const Launch *launch)
{
    const uint64_t most_blocks = 1ull << 33, most_accesses = 1 << 20; /* what fits into a key of block_races.c */
    return !launch->is_cooperative && launch->blocks < most_blocks &&
           (uint64_t)launch->code->memory_count < most_accesses;
}

SanitizerPlan *sanitizer_plan_new(const Launch *launch)
{
    const Code *code = launch->code;
    Footprint *footprint = launch->request->footprint;
    const uint32_t checks = SIM_SANITIZE_RACES | SIM_SANITIZE_UNINITIALISED;
    const uint32_t flags = footprint != NULL ? 0 : launch->request->flags & checks;
    if (flags == 0 && footprint == NULL)
        return NULL;
    if (footprint == NULL && !can_follow(launch)) /* a footprint needs no order */
        return NULL;
    const bool is_sample = (launch->request->flags & SIM_SANITIZE_SAMPLE) != 0;
    const uint64_t most_blocks = is_sample ? SAMPLED_BLOCKS : DETAILED_BLOCKS;
    const uint64_t most = (most_blocks + launch->cluster_blocks - 1) / launch->cluster_blocks;
    const uint64_t clusters = launch->clusters, stride = (clusters + most - 1) / most;
    SanitizerPlan *plan = zeroed(1, sizeof *plan);
    *plan = (SanitizerPlan){.flags = flags,
                            .is_sample = is_sample,
                            .sample_key = launch->request->sample_key,
                            .stride = stride,
                            .close_stride = (clusters + stride * CLOSE_BLOCKS - 1) / (stride * CLOSE_BLOCKS) * stride,
                            .shared_cell_log = smallest_store(code, PTX_SHARED),
                            .global_cell_log = smallest_store(code, PTX_GLOBAL),
                            .has_shared_compare = has_compare(code, PTX_SHARED),
                            .has_global_compare = has_compare(code, PTX_GLOBAL),
                            .may_change = find_changing(launch),
                            .footprint = footprint};
    if ((plan->flags & SIM_SANITIZE_RACES) && !is_sample)
        plan->block_shadow = block_shadow_new(launch, plan->global_cell_log);
    for (int i = 0; i < launch->memory->count; i++)
        validity_settle(&launch->memory->allocations[i]);
    return plan;
}

void sanitizer_plan_free(SanitizerPlan *plan)
{
    if (plan == NULL)
        return;
    block_shadow_free(plan->block_shadow);
    free(plan->may_change);
    free(plan);
}
