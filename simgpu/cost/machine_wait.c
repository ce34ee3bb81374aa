#include "simgpu/cost/machine_wait.h"

#include <math.h>

enum { WALKS = 8, CHECKS = 32 };

/* A warp that walks alone through the code. */
typedef struct WaitWalk {
    const HardwareProfile *profile;
    const LoadShare *loads; /* NULL: the L1 serves all loads */
    LoadShare local;        /* of loads from local memory */
    uint32_t random;        /* state of the generator; not used by a check */
    bool is_check;
    uint32_t number, draws;                 /* of a check: of this walk; made in it */
    double now, released[MACHINE_BARRIERS]; /* cycles */
} WaitWalk;

/* A number from 0 to 1, from the "quick and dirty" generator of Numerical Recipes; every launch gets the same
 * numbers. */
static double draw_at_random(WaitWalk *walk)
{
    walk->random = walk->random * 1664525 + 1013904223;
    return (double)walk->random / UINT32_MAX;
}

/* Over all walks of a check, the same draw gives CHECKS numbers at equal distances, in an order that is mixed anew for
 * each draw. So each load is slow in as many walks as its share says, however the code is arranged. Source of the
 * mixing: the finaliser of MurmurHash3. */
static double draw_evenly(WaitWalk *walk)
{
    uint32_t order = ++walk->draws * 0x9E3779B9;
    order = (order ^ order >> 16) * 0x85EBCA6B;
    order = (order ^ order >> 13) * 0xC2B2AE35;
    uint32_t factor = order >> 16 | 1; /* odd, so that each place occurs once */
    return ((walk->number * factor + order) % CHECKS + 0.5) / CHECKS;
}

static double draw(WaitWalk *walk)
{
    return walk->is_check ? draw_evenly(walk) : draw_at_random(walk);
}

/* Loads of spilled registers are no accesses of PTX, and so have no share of their own. NULL: the L1 serves them all. */
static const LoadShare *share_of(const MachineInstruction *load, const WaitWalk *walk)
{
    if (load->operation == MACHINE_LDL)
        return walk->local.l2 + walk->local.memory > 0 ? &walk->local : NULL;
    return walk->loads == NULL || load->access < 0 ? NULL : &walk->loads[load->access];
}

static double load_latency_s(const MachineInstruction *load, WaitWalk *walk)
{
    const HardwareProfile *profile = walk->profile;
    const LoadShare *share = share_of(load, walk);
    if (share == NULL)
        return profile->l1_latency_s;
    const double JOINED = 0.5; /* of a fetch, is left on average when another block joins it: reuse.h */
    const struct {
        double share, latency_s;
    } slow[] = {{share->memory, profile->global_latency_s},
                {share->joined_memory, JOINED * profile->global_latency_s},
                {share->l2, profile->l2_latency_s},
                {share->joined_l2, JOINED * profile->l2_latency_s}};
    double number = draw(walk);
    for (size_t i = 0; i < sizeof slow / sizeof *slow; i++) {
        if (number < slow[i].share)
            return slow[i].latency_s;
        number -= slow[i].share;
    }
    return profile->l1_latency_s;
}

/* Measured on an H200 (simgpu/calibrate, chains): 17 for functions and conversions, 21 for votes. For other results,
 * and until a load or a store has read its operands, it is a guess. */
enum { OTHER_CYCLES = 20 };

/* Cycles until the result is there. */
static double latency_of(const MachineInstruction *instruction, WaitWalk *walk)
{
    const HardwareProfile *profile = walk->profile;
    if (machine_is_load(instruction))
        return load_latency_s(instruction, walk) * profile->clock_hz;
    if (instruction->operation == MACHINE_LDS)
        return profile->shared_latency_s * profile->clock_hz;
    if (instruction->operation == MACHINE_LDC && instruction->of_variables)
        return profile->constant_latency_s * profile->clock_hz;
    return OTHER_CYCLES;
}

static void release(WaitWalk *walk, uint32_t barrier, double at)
{
    if (barrier < MACHINE_BARRIERS)
        walk->released[barrier] = fmax(walk->released[barrier], at);
}

static bool is_uniform_load(const MachineInstruction *instruction)
{
    return instruction->operation == MACHINE_ULDC_INDEXED && instruction->of_variables;
}

/* Cycles until the warp continues, whatever the scheduling bits say. After a load through the uniform datapath that
 * misses, nothing of its warp issues. Measured on an H200 (simgpu/calibrate, planes and chains): branches by loops of
 * one warp over 3 x 3 to 15 x 15 constants; a barrier of four warps that arrive together. */
static double blocking_of(const MachineInstruction *instruction, WaitWalk *walk)
{
    enum { BRANCH_CYCLES = 8, BARRIER_CYCLES = 20 };
    if (instruction->operation == MACHINE_BAR || instruction->operation == MACHINE_BRA)
        return instruction->operation == MACHINE_BAR ? BARRIER_CYCLES : BRANCH_CYCLES;
    bool misses = is_uniform_load(instruction) && instruction->access >= 0 && walk->loads != NULL &&
                  draw(walk) < walk->loads[instruction->access].l2;
    return misses ? walk->profile->uniform_miss_latency_s * walk->profile->clock_hz : 1;
}

/* Returns the cycles that the warp spends on the instruction. */
static double step(const MachineInstruction *instruction, WaitWalk *walk)
{
    double start = walk->now, issue = start;
    for (int i = 0; i < MACHINE_BARRIERS; i++)
        if (instruction->waits >> i & 1)
            issue = fmax(issue, walk->released[i]);
    release(walk, instruction->result_barrier, issue + latency_of(instruction, walk));
    release(walk, instruction->operand_barrier, issue + OTHER_CYCLES);
    walk->now = issue + fmax(instruction->stall, blocking_of(instruction, walk));
    return walk->now - start;
}

static void spend(MachineInstruction *instruction, const WaitWalk *walk, double cycles)
{
    if (walk->is_check)
        instruction->checked_cycles += cycles;
    else
        instruction->cycles += cycles;
}

/* The warp walks through the code from start to end. It passes each innermost loop twice, and the second pass counts,
 * since it waits for loads of the iteration before. `part` is the weight of this walk. */
static void walk_once(MachineInstruction *instructions, size_t count, WaitWalk *walk, double part)
{
    int64_t last_backward = -1;
    for (size_t i = 0; i < count; i++) {
        int64_t target = instructions[i].target;
        bool is_loop = target >= 0 && target <= (int64_t)i, is_innermost = is_loop && target > last_backward;
        instructions[i].first_pass_cycles = step(&instructions[i], walk);
        spend(&instructions[i], walk, part * instructions[i].first_pass_cycles);
        for (size_t j = (size_t)target; is_innermost && j <= i; j++) {
            double spent = step(&instructions[j], walk);
            spend(&instructions[j], walk, part * (spent - instructions[j].first_pass_cycles));
        }
        last_backward = is_loop ? (int64_t)i : last_backward;
    }
}

/* Several walks, so that slow loads occur about as often as they should. */
void machine_wait(MachineInstruction *instructions, size_t count, const HardwareProfile *profile,
                  const LoadShare *loads, LoadShare local)
{
    WaitWalk walk = {.profile = profile, .loads = loads, .local = local};
    for (size_t i = 0; i < count; i++) {
        MachineInstruction *instruction = &instructions[i];
        bool is_known = loads != NULL && instruction->access >= 0 && is_uniform_load(instruction);
        instruction->missing = is_known ? loads[instruction->access].memory : 0;
        instruction->cycles = instruction->checked_cycles = 0;
    }
    for (int i = 0; i < WALKS; i++)
        walk_once(instructions, count, &walk, 1.0 / WALKS);
    for (uint32_t i = 0; i < CHECKS; i++) {
        WaitWalk check = {.profile = profile, .loads = loads, .local = local, .is_check = true, .number = i};
        walk_once(instructions, count, &check, 1.0 / CHECKS);
    }
}
