#include "simgpu/lower/lower_address.h"

#include "simgpu/lower/emit/address.h"
#include "simgpu/lower/emit/basic_block.h"
#include "simgpu/lower/emit/emit.h"
#include "simgpu/lower/emit/operand.h"
#include "simgpu/lower/emit/virtual_register.h"

#include <string.h>

/* The first generic address of a state space; 0 where generic addresses are its own. */
static uint64_t window_of(PtxSpace space)
{
    switch (space) {
    case PTX_SHARED: return SHARED_WINDOW;
    case PTX_LOCAL: return LOCAL_WINDOW;
    case PTX_PARAM: return PARAM_WINDOW;
    case PTX_NO_SPACE:
    case PTX_GLOBAL:
    case PTX_CONST: return 0;
    }
    return 0;
}

/* cvta.shared.u64 d, a: from a shared to a generic address; cvta.to.shared.u64 d, a: back. Global and constant
 * addresses are the same as generic ones. */
void lower_convert_address(Lowering *l, const OpcodeModifiers *parts)
{
    bool to = parts_have(parts, "to");
    PtxSpace space = PTX_NO_SPACE;
    for (int i = 1; i < parts->count; i++)
        if (space_named(parts->part[i]) != PTX_NO_SPACE)
            space = space_named(parts->part[i]);
    if (space == PTX_NO_SPACE || !(parts_have(parts, "u64") || parts_have(parts, "b64")))
        lower_refuse(l, "");
    if (space == PTX_PARAM && !is_kernel(l->instance))
        space = PTX_LOCAL;
    Operand result = result_operand(l, operand_at(l, 0), 8);
    Operand value = source_operand(l, operand_at(l, 1), 8);
    uint64_t window = window_of(space);
    if (window == 0)
        emit_form(l, "mov.b64", result, value, no_operand, no_operand);
    else
        emit_form(l, "add.u64", result, value, constant(l, to ? -window : window, 8), no_operand);
    count_class(l, INTEGER);
}

/* The size of the window: isspacep.shared::cta tells the block's own shared memory from that of its cluster. */
static uint64_t window_size(PtxSpace space, const char *name)
{
    return space == PTX_SHARED && strcmp(name, "shared::cluster") != 0 ? 1ull << CLUSTER_SHIFT : SHARED_WINDOW;
}

/* An address in a register of 64 bits or, as ptxas allows it here, of 32. */
static Operand generic_address(Lowering *l, const PtxOperand *operand)
{
    if (operand->kind != PTX_REGISTER)
        return source_operand(l, operand, 8);
    Operand value = source_at_least(l, operand, 4), wide = temporary(l, 8);
    if (bytes_of(value) == 8)
        return value;
    emit_extend(l, PTX_U32, wide, value);
    return wide;
}

/* isspacep.shared p, a: p = the generic address a lies in the window of the state space. */
void lower_is_space(Lowering *l, const OpcodeModifiers *parts)
{
    PtxSpace space = parts->count == 2 ? space_named(parts->part[1]) : PTX_NO_SPACE;
    if (space == PTX_NO_SPACE || space == PTX_CONST)
        lower_refuse(l, "");
    Operand result = result_operand(l, operand_at(l, 0), 1);
    Operand value = generic_address(l, operand_at(l, 1));
    count_class(l, INTEGER);
    if (space == PTX_GLOBAL) {
        emit_form(l, "setp.ge.u64", result, value, constant(l, WINDOWS_END, 8), no_operand);
        return;
    }
    Operand above = temporary(l, 1), below = temporary(l, 1);
    emit_form(l, "setp.ge.u64", above, value, constant(l, window_of(space), 8), no_operand);
    emit_form(l, "setp.lt.u64", below, value, constant(l, window_of(space) + window_size(space, parts->part[1]), 8),
              no_operand);
    emit_form(l, "and.pred", result, above, below, no_operand);
}

/* mapa.shared::cluster.u32 d, a, rank: the address in block `rank` of the cluster that corresponds to one in this block,
 * whose own addresses stay as they are (code.h). Without a state space, both addresses are generic. */
void lower_map_to_block(Lowering *l, const OpcodeModifiers *parts)
{
    const uint32_t bytes = ptx_type_bytes(last_type(l, parts, 0));
    const uint64_t within = ~(0xFFull << CLUSTER_SHIFT);
    if (bytes != 4 && bytes != 8)
        lower_refuse(l, "");
    const char *const shift = bytes == 8 ? "shl.b64" : "shl.b32", *const both = bytes == 8 ? "and.b64" : "and.b32";
    const char *const either = bytes == 8 ? "or.b64" : "or.b32", *const select = bytes == 8 ? "selp.b64" : "selp.b32";
    Operand rank = source_operand(l, operand_at(l, 2), 4), own = special_register(l, SPECIAL_CLUSTER_RANK, 0, 0, 4);
    Operand place = temporary(l, bytes), above = temporary(l, 4), bits = temporary(l, bytes);
    Operand mapped = temporary(l, bytes), is_own = temporary(l, 1);
    emit_form(l, both, place, source_operand(l, operand_at(l, 1), bytes), constant(l, within, bytes), no_operand);
    emit_form(l, "add.u32", above, rank, constant(l, 1, 4), no_operand);
    emit_form(l, "min.u32", above, above, constant(l, MAX_CLUSTER + 1, 4), no_operand); /* no block has that rank */
    if (bytes == 8)
        emit_extend(l, PTX_U32, bits, above);
    else
        bits = above;
    emit_form(l, shift, bits, bits, constant(l, CLUSTER_SHIFT, 4), no_operand);
    emit_form(l, either, mapped, place, bits, no_operand);
    emit_form(l, "setp.eq.u32", is_own, rank, own, no_operand);
    emit_form(l, select, result_operand(l, operand_at(l, 0), bytes), place, mapped, is_own);
    l->code->uses_cluster = true;
    count_class(l, INTEGER);
}

/* getctarank.shared::cluster.u32 d, a */
void lower_rank_of_address(Lowering *l, const OpcodeModifiers *parts)
{
    const uint32_t bytes = ptx_type_bytes(last_type(l, parts, 0));
    if (bytes != 4 && bytes != 8)
        lower_refuse(l, "");
    Operand address = source_operand(l, operand_at(l, 1), bytes), low = address;
    if (bytes == 8) {
        low = temporary(l, 4);
        emit_form(l, "+extend.u32.32.64", low, address, no_operand, no_operand);
    }
    Operand above = temporary(l, 4), rank = temporary(l, 4), is_own = temporary(l, 1);
    emit_form(l, "shr.u32", above, low, constant(l, CLUSTER_SHIFT, 4), no_operand);
    emit_form(l, "sub.u32", rank, above, constant(l, 1, 4), no_operand);
    emit_form(l, "setp.eq.u32", is_own, above, constant(l, 0, 4), no_operand);
    emit_form(l, "selp.b32", result_operand(l, operand_at(l, 0), 4), special_register(l, SPECIAL_CLUSTER_RANK, 0, 0, 4),
              rank, is_own);
    count_class(l, INTEGER);
}
