/* The clock that kernels read (%clock64, %globaltimer). The clock starts with the block of threads, and grows with each reading.
 * It does not depend on which worker runs the block.  */
#include "simgpu/block/register.h"

#include "simgpu/block/active.h"

#include <string.h>

/* ==== register ==================================================================================================== */

void register_fill(Worker *worker, Operand operand)
{
    unsigned char value[8];
    memcpy(value, lane_of(worker, operand, 0), (size_t)1 << operand.size);
    worker->lanes->fill[operand.size](lane_of(worker, operand, 0), value, worker->launch->threads);
    worker->states[operand.slot] = FILLED;
}

/* Where the result of a lane is kept until it is masked. */
static unsigned char *scratch_of(const Worker *worker, Operand operand, int index, uint32_t lane)
{
    return worker->scratch + (size_t)index * sizeof(uint64_t) * worker->capacity + ((size_t)lane << operand.size);
}

unsigned char *register_write(Worker *worker, const Active *active, Operand operand, int index)
{
    if (operand.slot == NO_SLOT || !active->full)
        return scratch_of(worker, operand, index, active->first);
    if (!active->whole && worker->states[operand.slot] == UNIFORM)
        register_fill(worker, operand);
    worker->states[operand.slot] = VARYING;
    return lane_of(worker, operand, active->first);
}

void register_written(Worker *worker, Active *active, Operand operand, int index)
{
    if (operand.slot == NO_SLOT || active->full)
        return;
    const uint32_t start = active_start(active);
    unsigned char *lanes = register_read(worker, operand, start);
    const unsigned char *results = scratch_of(worker, operand, index, start);
    worker->lanes->blend[operand.size](lanes, results, active_mask(worker, active) + start, active_span(active));
    worker->states[operand.slot] = VARYING;
}

void register_write_all(Worker *worker, Active *active, Operand operand, const void *value)
{
    if (active->whole) {
        memcpy(lane_of(worker, operand, 0), value, (size_t)1 << operand.size);
        worker->states[operand.slot] = UNIFORM;
        return;
    }
    unsigned char *lanes = register_write(worker, active, operand, 0);
    worker->lanes->fill[operand.size](lanes, value, active->end - active->first);
    register_written(worker, active, operand, 0);
}

/* ==== clock ======================================================================================================= */

/* Cycles that a warp would take for the basic blocks that the block of threads has begun, if it were alone, if each
 * instruction waited for the one before, and if the L1 served its loads. */
static double path_cycles(const HardwareProfile *profile, const SimWarpPath *path)
{
    return profile->clock_hz *
           ((double)path->instructions * profile->arithmetic_latency_s + (double)path->loads * profile->l1_latency_s +
            (double)path->shared_loads * profile->shared_latency_s +
            (double)path->constant_loads * profile->constant_latency_s);
}

/* What the instruction's basic block holds after it. */
static SimWarpPath path_behind(const Code *code, const Instruction *instruction)
{
    int32_t at = (int32_t)(instruction - code->instructions);
    const BasicBlock *block = code->blocks;
    while (block->end <= at)
        block++;
    SimWarpPath behind = {.instructions = (uint64_t)(block->end - 1 - at)};
    for (int32_t i = at + 1; i < block->end; i++) {
        const Instruction *other = &code->instructions[i];
        behind.loads += other->kind == LOAD && (other->space == PTX_GLOBAL || other->space == PTX_NO_SPACE);
        behind.shared_loads += other->kind == LOAD && other->space == PTX_SHARED;
        behind.constant_loads += other->kind == LOAD && other->space == PTX_CONST;
    }
    return behind;
}

bool execute_clock(Worker *worker, const Instruction *instruction, Active *active)
{
    const HardwareProfile *profile = worker->launch->profile;
    SimWarpPath behind = path_behind(worker->code, instruction);
    double cycles = path_cycles(profile, &worker->path) - path_cycles(profile, &behind);
    uint64_t now = cycles > 0 ? (uint64_t)cycles : 0;
    worker->clock = now > worker->clock ? now : worker->clock + 1;
    uint64_t value = instruction->detail == 1 ? (uint64_t)((double)worker->clock * 1e9 / profile->clock_hz)
                                              : worker->clock;
    register_write_all(worker, active, instruction->results[0], &value);
    return true;
}

/* ==== predicate =================================================================================================== */

bool predicate_lanes(Worker *worker, const Active *active, Operand predicate, bool negated, Active *part)
{
    if (is_uniform(worker, predicate)) {
        bool holds = predicate.slot == NO_SLOT || (*lane_of(worker, predicate, 0) != 0) != negated;
        if (holds && part != active)
            *part = *active;
        return holds;
    }
    uint32_t words[MAX_WARPS], first = active->first / SIM_WARP_SIZE, any = 0, missing = 0;
    uint32_t end = first + active_span(active);
    worker->lanes->pack_bits(lane_of(worker, predicate, active_start(active)), active_span(active), words);
    if (part != active)
        memset(part->bits, 0, worker->launch->warps * sizeof *part->bits);
    for (uint32_t word = first; word < end; word++) {
        uint32_t holds = (negated ? ~words[word - first] : words[word - first]) & active->bits[word];
        missing |= holds ^ active->bits[word];
        any |= holds;
        part->bits[word] = holds;
    }
    if (missing == 0 && part != active)
        *part = *active;
    else if (missing != 0)
        active_measure(part, worker);
    return any != 0;
}
