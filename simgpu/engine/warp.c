/* Before these instructions the lanes of a warp wait for each other (BasicBlock.joins), so that normally all members
 * are active.
 *
 * Source   PTX ISA 9.0, Data Movement and Conversion: shfl.sync; Parallel Synchronization and Communication: vote,
 *          match, redux.  */
#include "simgpu/block/active.h"

#include "simgpu/block/register.h"
#include "simgpu/block/sanitizer.h"

#include <string.h>

#define EACH_LANE_OF(bits, lane)                                                                                       \
    for (uint32_t rest_ = (bits), lane; rest_ != 0 && (lane = (uint32_t)__builtin_ctz(rest_), true); rest_ &= rest_ - 1)

static uint32_t value32(const Worker *worker, Operand operand, uint32_t lane)
{
    return (uint32_t)register_value(worker, operand, lane);
}

/* Lanes of a warp that act together: the lowest lane of `rest`, and the others of `rest` that its mask of members
 * names. Parts of a warp may have different masks. */
static uint32_t taking_part(const Worker *worker, Operand members, uint32_t warp, uint32_t rest)
{
    uint32_t lane = (uint32_t)__builtin_ctz(rest);
    return (rest & value32(worker, members, warp * SIM_WARP_SIZE + lane)) | 1u << lane;
}

/* Visits, warp by warp, each party: active lanes that act together. */
#define EACH_PARTY(worker, active, members, warp, party)                                                               \
    for (uint32_t warp = (active)->first / SIM_WARP_SIZE; warp * SIM_WARP_SIZE < (active)->end; warp++)                \
        for (uint32_t left_ = (active)->bits[warp], party;                                                             \
             left_ != 0 && (party = taking_part(worker, members, warp, left_), true); left_ &= ~party)

/* [lane] the 32-bit values of all lanes of the block. */
static const uint32_t *values_of(Worker *worker, Operand operand)
{
    return (const uint32_t *)register_read(worker, operand, 0);
}

static uint32_t *results_of(Worker *worker, const Active *active, Operand operand, int index)
{
    return (uint32_t *)register_write(worker, active, operand, index) - active->first;
}

/* ---- shuffles ---------------------------------------------------------------------------------------------------- */

/* The lane whose value `lane` receives. `valid`: it lies within the segment. */
static uint32_t shuffle_source(ShuffleKind kind, uint32_t lane, uint32_t b, uint32_t c, bool *valid)
{
    uint32_t distance = b & 31, clamp = c & 31, segment = c >> 8 & 31;
    uint32_t most = (lane & segment) | (clamp & ~segment), from = lane;
    switch (kind) {
    case SHUFFLE_UP: from = lane - distance; break;
    case SHUFFLE_DOWN: from = lane + distance; break;
    case SHUFFLE_BUTTERFLY: from = lane ^ distance; break;
    case SHUFFLE_INDEX: from = (lane & segment) | (distance & ~segment); break;
    }
    *valid = kind == SHUFFLE_UP ? (int32_t)from >= (int32_t)most : from <= most;
    return *valid ? from : lane;
}

uint32_t shuffle_lane(const Instruction *instruction, uint32_t lane, uint32_t b, uint32_t c)
{
    bool valid;
    return lane / SIM_WARP_SIZE * SIM_WARP_SIZE +
           shuffle_source((ShuffleKind)instruction->detail, lane % SIM_WARP_SIZE, b, c, &valid);
}

typedef struct Shuffle {
    const Instruction *instruction;
    const uint32_t *value, *b, *c, *members; /* [lane] */
} Shuffle;

/* What `own` receives from lane `from` of its warp. The value of a lane that takes no part is undefined. Of a lane
 * beyond the end of the block hardware gives zero, so that sums over a warp that is not full come out right there. */
static uint32_t shuffled(Worker *worker, const Shuffle *shuffle, const Active *active, uint32_t own, uint32_t from)
{
    uint32_t warp = own / SIM_WARP_SIZE;
    if (active->bits[warp] & shuffle->members[own] & 1u << from)
        return shuffle->value[warp * SIM_WARP_SIZE + from];
    if (worker->sanitizer != NULL)
        sanitizer_shuffle(worker, shuffle->instruction, own, from);
    if (warp * SIM_WARP_SIZE + from >= worker->launch->threads)
        return 0;
    return 0x01010101u * worker->unwritten;
}

bool execute_shuffle(Worker *worker, const Instruction *instruction, Active *active)
{
    const Operand *sources = instruction->sources;
    const Shuffle shuffle = {.instruction = instruction,
                             .value = values_of(worker, sources[0]),
                             .b = values_of(worker, sources[1]),
                             .c = values_of(worker, sources[2]),
                             .members = values_of(worker, sources[3])};
    Operand result = instruction->results[0], valid_result = instruction->results[1];
    uint32_t *to = results_of(worker, active, result, 0);
    uint8_t *valid_to = register_write(worker, active, valid_result, 1) - active->first;
    worker->counters.shuffle_requests += active->warps;
    for (uint32_t warp = active->first / SIM_WARP_SIZE; warp * SIM_WARP_SIZE < active->end; warp++)
        EACH_LANE_OF(active->bits[warp], lane)
        {
            uint32_t own = warp * SIM_WARP_SIZE + lane;
            bool valid;
            uint32_t b = shuffle.b[own], c = shuffle.c[own];
            uint32_t from = shuffle_source((ShuffleKind)instruction->detail, lane, b, c, &valid);
            to[own] = valid ? shuffled(worker, &shuffle, active, own, from) : shuffle.value[own];
            if (valid_result.slot != NO_SLOT)
                valid_to[own] = valid;
        }
    register_written(worker, active, result, 0);
    register_written(worker, active, valid_result, 1);
    return true;
}

/* ---- votes ------------------------------------------------------------------------------------------------------- */

/* The lanes among `lanes` in which a predicate holds. */
static uint32_t bits_where(const uint8_t *predicate, uint32_t lanes)
{
    uint32_t bits = 0;
    EACH_LANE_OF(lanes, lane)
    bits |= (predicate[lane] & 1u) << lane;
    return bits;
}

static uint32_t vote(VoteKind kind, uint32_t yes, uint32_t all)
{
    switch (kind) {
    case VOTE_ALL: return yes == all;
    case VOTE_ANY: return yes != 0;
    case VOTE_UNIFORM: return yes == all || yes == 0;
    case VOTE_BALLOT: return yes;
    }
    return 0;
}

/* Writes the same 32-bit number or predicate in some lanes of a warp. */
static void give(void *to, Operand operand, const Active *active, uint32_t warp, uint32_t lanes, uint32_t value)
{
    EACH_LANE_OF(lanes, lane)
    {
        uint32_t own = warp * SIM_WARP_SIZE + lane - active->first;
        if (operand.size == 0)
            ((uint8_t *)to)[own] = (uint8_t)value;
        else
            ((uint32_t *)to)[own] = value;
    }
}

bool execute_vote(Worker *worker, const Instruction *instruction, Active *active)
{
    Operand result = instruction->results[0];
    const uint8_t *predicate = register_read(worker, instruction->sources[0], 0);
    void *to = register_write(worker, active, result, 0);
    EACH_PARTY(worker, active, instruction->sources[1], warp, party)
    {
        uint32_t yes = bits_where(predicate + warp * SIM_WARP_SIZE, party);
        give(to, result, active, warp, party, vote((VoteKind)instruction->detail, yes, party));
    }
    register_written(worker, active, result, 0);
    return true;
}

/* ---- matches ----------------------------------------------------------------------------------------------------- */

static uint32_t lanes_with(RegisterColumn values, uint32_t warp, uint32_t members, uint64_t value)
{
    uint32_t same = 0;
    EACH_LANE_OF(members, lane)
    if (column_value(values, warp * SIM_WARP_SIZE + lane) == value)
        same |= 1u << lane;
    return same;
}

bool execute_match(Worker *worker, const Instruction *instruction, Active *active)
{
    Operand result = instruction->results[0], all_result = instruction->results[1];
    uint32_t *to = results_of(worker, active, result, 0);
    uint8_t *all_to = register_write(worker, active, all_result, 1) - active->first;
    const RegisterColumn values = register_column(worker, instruction->sources[0]);
    EACH_PARTY(worker, active, instruction->sources[1], warp, party)
    EACH_LANE_OF(party, lane)
    {
        uint32_t own = warp * SIM_WARP_SIZE + lane;
        uint32_t same = lanes_with(values, warp, party, column_value(values, own));
        bool all = same == party;
        to[own] = instruction->detail == 0 ? same : all ? party : 0;
        if (all_result.slot != NO_SLOT)
            all_to[own] = all;
    }
    register_written(worker, active, result, 0);
    register_written(worker, active, all_result, 1);
    return true;
}

/* ---- redux ------------------------------------------------------------------------------------------------------- */

static uint32_t combine(const Instruction *instruction, uint32_t a, uint32_t b)
{
    bool less = instruction->is_signed ? (int32_t)a < (int32_t)b : a < b;
    switch ((AtomicKind)instruction->detail) {
    case ATOMIC_ADD: return a + b;
    case ATOMIC_MIN: return less ? a : b;
    case ATOMIC_MAX: return less ? b : a;
    case ATOMIC_AND: return a & b;
    case ATOMIC_OR: return a | b;
    default: return a ^ b;
    }
}

bool execute_reduce(Worker *worker, const Instruction *instruction, Active *active)
{
    Operand result = instruction->results[0];
    void *to = register_write(worker, active, result, 0);
    EACH_PARTY(worker, active, instruction->sources[1], warp, party)
    {
        uint32_t first = (uint32_t)__builtin_ctz(party);
        uint32_t total = value32(worker, instruction->sources[0], warp * SIM_WARP_SIZE + first);
        EACH_LANE_OF(party & (party - 1), lane)
        total = combine(instruction, total, value32(worker, instruction->sources[0], warp * SIM_WARP_SIZE + lane));
        give(to, result, active, warp, party, total);
    }
    register_written(worker, active, result, 0);
    return true;
}

/* ---- registers --------------------------------------------------------------------------------------------------- */

/* A block has the registers with which it was launched. Without machine code nobody knows how many these are. */
bool execute_set_registers(Worker *worker, const Instruction *instruction, Active *active)
{
    const SimFunctionInfo *function = worker->launch->function;
    const uint8_t launched = (uint8_t)((function->registers + REGISTER_UNIT - 1) / REGISTER_UNIT);
    for (uint32_t warp = active->first / SIM_WARP_SIZE; warp * SIM_WARP_SIZE < active->end; warp++) {
        uint8_t *registers = &worker->warp_registers[warp];
        if (active->bits[warp] == 0 || function->registers_estimated)
            continue;
        worker->overdrawn += REGISTER_UNIT * (instruction->detail - (*registers > 0 ? *registers : launched));
        *registers = instruction->detail;
    }
    if (worker->overdrawn > 0)
        worker->overdraft = instruction;
    return true;
}
