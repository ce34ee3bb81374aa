#include "simgpu/engine/slow_path.h"

#include "simgpu/block/execute.h"
#include "simgpu/block/register.h"

enum { DIVISION_INSTRUCTIONS = 35, RECIPROCAL_INSTRUCTIONS = 23, ROOT_INSTRUCTIONS = 12 };

static uint32_t exponent(uint32_t bits)
{
    return bits >> 23 & 0xFF;
}

/* As the machine instruction FCHK: an operand is out of range, or the quotient may be. */
static bool divides_slowly(uint32_t a, uint32_t b)
{
    uint32_t above = exponent(a), below = exponent(b);
    return (above < 25) | (above == 255) | (below < 2) | (below >= 252) | (below >= above + 125) |
           (above >= below + 127);
}

static bool inverts_slowly(uint32_t a)
{
    return (exponent(a) == 0) | (exponent(a) >= 253);
}

/* Below 2^-101, negative, infinite or NaN. */
static bool takes_root_slowly(uint32_t a)
{
    return a - 0x0D000000 > 0x727FFFFF;
}

static bool is_slow(SlowPathKind kind, uint32_t a, uint32_t b)
{
    return kind == SLOW_DIVISION     ? divides_slowly(a, b)
           : kind == SLOW_RECIPROCAL ? inverts_slowly(a)
                                     : takes_root_slowly(a);
}

bool execute_slow_path(Worker *worker, const Instruction *instruction, Active *active)
{
    static const uint64_t instructions[] = {[SLOW_DIVISION] = DIVISION_INSTRUCTIONS,
                                            [SLOW_RECIPROCAL] = RECIPROCAL_INSTRUCTIONS,
                                            [SLOW_ROOT] = ROOT_INSTRUCTIONS};
    SlowPathKind kind = (SlowPathKind)instruction->detail;
    if (!worker->launch->is_timed)
        return true;
    const uint32_t *a = (const uint32_t *)register_read(worker, instruction->sources[0], 0);
    const uint32_t *b = kind == SLOW_DIVISION ? (const uint32_t *)register_read(worker, instruction->sources[1], 0) : a;
    for (uint32_t warp = active->first / SIM_WARP_SIZE; warp * SIM_WARP_SIZE < active->end; warp++) {
        uint32_t slow = 0;
        for (uint32_t lane = 0; lane < SIM_WARP_SIZE; lane++)
            slow |= (uint32_t)is_slow(kind, a[warp * SIM_WARP_SIZE + lane], b[warp * SIM_WARP_SIZE + lane]) << lane;
        if (slow & active->bits[warp])
            worker->counters.slow_path_instructions += instructions[kind];
    }
    return true;
}

/* The mix of instructions is that of dividing zero. */
void slow_path_add(MachineWork *sum, uint64_t instructions)
{
    double divisions = (double)instructions / DIVISION_INSTRUCTIONS;
    sum->issue += (double)instructions;
    sum->alu += 19 * divisions;
    sum->fma += 4 * divisions;
    sum->cycles += 232 * divisions;
}
