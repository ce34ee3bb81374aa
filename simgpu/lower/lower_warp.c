#include "simgpu/lower/lower_warp.h"

#include "simgpu/lower/emit/basic_block.h"
#include "simgpu/lower/emit/emit.h"
#include "simgpu/lower/emit/operand.h"
#include "simgpu/lower/emit/virtual_register.h"

#include <string.h>

/* The mask of participating lanes, the last operand of a .sync instruction; all lanes, in the old forms without
 * .sync. */
static Operand members(Lowering *l, const OpcodeModifiers *parts, int index)
{
    return parts_have(parts, "sync") ? source_operand(l, operand_at(l, index), 4) : constant(l, ~0u, 4);
}

static Instruction *emit_warp(Lowering *l, InstructionKind kind)
{
    count_control(l);
    return emit(l, kind);
}

/* shfl.sync.bfly.b32 d{|p}, a, b, c, members */
void lower_shuffle(Lowering *l, const OpcodeModifiers *parts)
{
    ShuffleKind kind = parts_have(parts, "up")     ? SHUFFLE_UP
                       : parts_have(parts, "down") ? SHUFFLE_DOWN
                       : parts_have(parts, "bfly") ? SHUFFLE_BUTTERFLY
                                                   : SHUFFLE_INDEX;
    join_warp(l);
    const PtxOperand *to = operand_at(l, 0);
    bool pair = to->kind == PTX_PAIR;
    Operand result = result_operand(l, pair ? &to->elements[0] : to, 4);
    Operand valid = pair ? result_operand(l, &to->elements[1], 1) : no_operand;
    Operand sources[] = {source_operand(l, operand_at(l, 1), 4), source_operand(l, operand_at(l, 2), 4),
                         source_operand(l, operand_at(l, 3), 4), members(l, parts, 4)};
    Instruction *shuffle = emit_warp(l, SHUFFLE);
    shuffle->detail = (uint8_t)kind;
    shuffle->results[0] = result;
    shuffle->results[1] = valid;
    memcpy(shuffle->sources, sources, sizeof sources);
    keep_apart(l);
}

/* vote.sync.ballot.b32 d, p, members */
void lower_vote(Lowering *l, const OpcodeModifiers *parts)
{
    VoteKind kind = parts_have(parts, "ballot") ? VOTE_BALLOT
                    : parts_have(parts, "any")  ? VOTE_ANY
                    : parts_have(parts, "uni")  ? VOTE_UNIFORM
                                                : VOTE_ALL;
    join_warp(l);
    Operand result = result_operand(l, operand_at(l, 0), kind == VOTE_BALLOT ? 4 : 1);
    Operand source = source_operand(l, operand_at(l, 1), 1);
    Operand mask = members(l, parts, 2);
    Instruction *vote = emit_warp(l, VOTE);
    vote->detail = (uint8_t)kind;
    vote->results[0] = result;
    vote->sources[0] = source;
    vote->sources[1] = mask;
    keep_apart(l);
}

/* match.any.sync.b32 d, a, members; match.all.sync.b32 d{|p}, a, members */
void lower_match(Lowering *l, const OpcodeModifiers *parts)
{
    join_warp(l);
    const PtxOperand *to = operand_at(l, 0);
    bool pair = to->kind == PTX_PAIR;
    uint32_t bytes = parts_have(parts, "b64") ? 8 : 4;
    Operand result = result_operand(l, pair ? &to->elements[0] : to, 4);
    Operand all = pair ? result_operand(l, &to->elements[1], 1) : no_operand;
    Operand value = source_operand(l, operand_at(l, 1), bytes);
    Operand mask = members(l, parts, 2);
    Instruction *match = emit_warp(l, MATCH);
    match->detail = parts_have(parts, "all");
    match->results[0] = result;
    match->results[1] = all;
    match->sources[0] = value;
    match->sources[1] = mask;
    keep_apart(l);
}

/* redux.sync.add.s32 d, a, members */
void lower_reduce(Lowering *l, const OpcodeModifiers *parts)
{
    static const struct {
        const char *name;
        AtomicKind kind;
    } kinds[] = {
        {"add", ATOMIC_ADD}, {"min", ATOMIC_MIN}, {"max", ATOMIC_MAX},
        {"and", ATOMIC_AND}, {"or", ATOMIC_OR},   {"xor", ATOMIC_XOR},
    };
    size_t i = 0;
    while (i < sizeof kinds / sizeof *kinds && !parts_have(parts, kinds[i].name))
        i++;
    if (i == sizeof kinds / sizeof *kinds || parts_have(parts, "f32"))
        lower_refuse(l, "");
    join_warp(l);
    Operand result = result_operand(l, operand_at(l, 0), 4), value = source_operand(l, operand_at(l, 1), 4);
    Operand mask = members(l, parts, 2);
    Instruction *reduce = emit_warp(l, REDUCE);
    reduce->detail = (uint8_t)kinds[i].kind;
    reduce->is_signed = parts_have(parts, "s32");
    reduce->results[0] = result;
    reduce->sources[0] = value;
    reduce->sources[1] = mask;
    keep_apart(l);
}

void lower_active_mask(Lowering *l, const OpcodeModifiers *parts)
{
    Operand result = result_operand(l, operand_at(l, 0), 4);
    emit_warp(l, ACTIVE_MASK)->results[0] = result;
}

/* elect.sync leader|p, members: the leader is the lowest member; p holds in that lane only. */
void lower_elect(Lowering *l, const OpcodeModifiers *parts)
{
    const PtxOperand *to = operand_at(l, 0);
    if (to->kind != PTX_PAIR)
        lower_refuse(l, "");
    join_warp(l);
    count_control(l);
    Operand mask = source_operand(l, operand_at(l, 1), 4), reversed = temporary(l, 4), leader = temporary(l, 4);
    emit_form(l, "brev.b32", reversed, mask, no_operand, no_operand);
    emit_form(l, "clz.b32", leader, reversed, no_operand, no_operand);
    emit_form(l, "setp.eq.u32", result_operand(l, &to->elements[1], 1), special_register(l, SPECIAL_LANE, 0, 0, 4),
              leader, no_operand);
    emit_move(l, result_operand(l, &to->elements[0], 4), leader);
}

/* bar.warp.sync members: the lanes of the warp wait for all of it, as the join does. */
void lower_warp_barrier(Lowering *l, const OpcodeModifiers *parts)
{
    ignored_value(l, operand_at(l, 0), 4);
    join_warp(l);
    count_control(l);
}
