/* The clock that kernels read (%clock64, %globaltimer). The clock starts with the block of threads, and grows with each reading.
 * It does not depend on which worker runs the block.  */
#include "simgpu/block/execute.h"

#include "simgpu/block/register.h"

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
