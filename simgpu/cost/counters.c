#include "simgpu/cost/counters.h"

#include "simgpu/code/code.h"

enum { COUNTERS = sizeof(SimCounters) / sizeof(uint64_t) };
_Static_assert(sizeof(SimCounters) % sizeof(uint64_t) == 0, "counters are 64-bit numbers, one after the other");

void simgpu_counters_add(SimCounters *sum, const SimCounters *part)
{
    for (size_t i = 0; i < COUNTERS; i++)
        ((uint64_t *)sum)[i] += ((const uint64_t *)part)[i];
}

void simgpu_line_add(SimLine *sum, const SimLine *part)
{
#define LINE_COUNTER(NAME, UNIT) sum->NAME += part->NAME;
#include "simgpu/cost/counters.def"
    simgpu_counters_add(&sum->counters, &part->counters);
    if (part->live_registers > sum->live_registers)
        sum->live_registers = part->live_registers;
}

SimCounters counters_gained(const SimCounters *now, const SimCounters *before)
{
    SimCounters gained = *now;
    for (size_t i = 0; i < COUNTERS; i++)
        ((uint64_t *)&gained)[i] -= ((const uint64_t *)before)[i];
    return gained;
}

void counters_add_executed(SimCounters *sum, const BlockLine *part, const Executed *executed)
{
    uint64_t lanes = executed->lanes;
    sum->warp_instructions += executed->warps * part->instructions;
    sum->lane_instructions += lanes * part->instructions;
    sum->fp32 += lanes * (part->classes[FP32] + part->classes[FMA32]);
    sum->fp64 += lanes * (part->classes[FP64] + part->classes[FMA64]);
    sum->fma32 += lanes * part->classes[FMA32];
    sum->fma64 += lanes * part->classes[FMA64];
    sum->integer += lanes * part->classes[INTEGER];
    sum->special += lanes * part->classes[SPECIAL];
    sum->control += lanes * part->classes[CONTROL];
}
