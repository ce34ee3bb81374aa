/* One thread asks for a bulk copy, which goes on by itself. A copy into shared memory tells an mbarrier when it has
 * ended; a copy into global memory belongs to a group of its thread, which the thread can wait for.
 *
 * Source   PTX ISA 9.0, Data Movement and Conversion Instructions: Bulk Copy; cp.reduce.async.bulk.  */
#include "simgpu/lower/lower_bulk.h"

#include "simgpu/lower/emit/address.h"
#include "simgpu/lower/emit/basic_block.h"
#include "simgpu/lower/emit/emit.h"
#include "simgpu/lower/emit/memory_access.h"
#include "simgpu/lower/emit/operand.h"
#include "simgpu/lower/emit/virtual_register.h"

#include <string.h>

/* The part of an opcode that is the `number`-th name of a state space; "" where there are fewer. */
static const char *space_part(const Parts *parts, int number)
{
    for (int i = 1; i < parts->count; i++)
        if (space_named(parts->part[i]) != PTX_NO_SPACE && number-- == 0)
            return parts->part[i];
    return "";
}

static BulkKind bulk_kind(Lowering *l, const Parts *parts)
{
    PtxSpace to = space_named(space_part(parts, 0)), from = space_named(space_part(parts, 1));
    if (parts_have(parts, "prefetch"))
        return BULK_PREFETCH;
    if (to == PTX_SHARED && from == PTX_GLOBAL && parts_have(parts, "mbarrier::complete_tx::bytes"))
        return BULK_LOAD;
    if (to == PTX_GLOBAL && from == PTX_SHARED && parts_have(parts, "bulk_group"))
        return BULK_STORE;
    if (to == PTX_SHARED && from == PTX_SHARED && parts_have(parts, "mbarrier::complete_tx::bytes"))
        return BULK_TO_CLUSTER;
    lower_refuse(l, "");
}

static int reduction_named(const char *part)
{
    static const struct {
        const char *name;
        AtomicKind kind;
    } rows[] = {
        {"add", ATOMIC_ADD}, {"min", ATOMIC_MIN}, {"max", ATOMIC_MAX}, {"inc", ATOMIC_INC},
        {"dec", ATOMIC_DEC}, {"and", ATOMIC_AND}, {"or", ATOMIC_OR},   {"xor", ATOMIC_XOR},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(part, rows[i].name) == 0)
            return (int)rows[i].kind;
    return -1;
}

/* cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32: how elements are combined with those in memory. */
static void set_reduction(Lowering *l, const Parts *parts, Instruction *copy)
{
    PtxType type = last_type(l, parts, 0);
    int kind = -1;
    for (int i = 1; i < parts->count; i++)
        kind = kind < 0 ? reduction_named(parts->part[i]) : kind;
    bool is_float = ptx_type_is_float(type), adds = kind == ATOMIC_ADD, is_half = ptx_type_bytes(type) == 2;
    if (kind < 0 || (is_float && !adds) || (is_half && !is_float) || ptx_type_bytes(type) < 2)
        lower_refuse(l, "");
    if (is_float)
        kind = !is_half                                    ? ATOMIC_FLOAT_ADD
               : ptx_type_is_half(type) && type != PTX_F16 ? ATOMIC_BF16_ADD
                                                           : ATOMIC_F16_ADD;
    copy->count = (uint8_t)(1 + kind);
    copy->size = size_of(type);
    copy->is_signed = ptx_type_is_signed(type);
}

/* cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [to], [from], bytes, [mbarrier] {, blocks};
 * cp.async.bulk.global.shared::cta.bulk_group [to], [from], bytes; cp.async.bulk.prefetch.L2.global [from], bytes */
static void lower_bulk_copy(Lowering *l, const Parts *parts)
{
    BulkKind kind = bulk_kind(l, parts);
    bool has_target = kind != BULK_PREFETCH, signals = kind == BULK_LOAD || kind == BULK_TO_CLUSTER;
    if (parts_have(parts, "cp_mask") || parts_have(parts, "ignore_oob"))
        lower_refuse(l, "");
    Operand operands[MAX_SOURCES] = {no_operand, no_operand, no_operand, no_operand, no_operand};
    if (has_target)
        operands[0] = whole_address(l, operand_at(l, 0), kind == BULK_STORE ? PTX_GLOBAL : PTX_SHARED);
    operands[1] = whole_address(l, operand_at(l, has_target),
                                kind == BULK_STORE || kind == BULK_TO_CLUSTER ? PTX_SHARED : PTX_GLOBAL);
    operands[2] = source_operand(l, operand_at(l, has_target + 1), 4);
    if (signals)
        operands[3] = whole_address(l, operand_at(l, 3), PTX_SHARED);
    if (parts_have(parts, "multicast::cluster"))
        operands[4] = source_operand(l, operand_at(l, 4), 4);
    Instruction *copy = emit(l, BULK_COPY);
    copy->detail = (uint8_t)kind;
    copy->space = PTX_GLOBAL;
    copy->variable = has_target ? variable_of(l, operand_at(l, kind == BULK_STORE)) : NULL;
    memcpy(copy->sources, operands, sizeof operands);
    if (strcmp(parts->part[1], "reduce") == 0)
        set_reduction(l, parts, copy);
    if (kind == BULK_LOAD)
        count_request(l, copy);
}

/* cp.async.bulk.wait_group.read 1: reading has ended here only when writing has. */
static void lower_bulk_wait(Lowering *l)
{
    const PtxOperand *left = operand_at(l, 0);
    if (left->kind != PTX_IMMEDIATE)
        lower_refuse(l, "a number of groups that is not a constant");
    emit(l, BULK_WAIT)->detail = (uint8_t)(left->number < UINT8_MAX ? left->number : UINT8_MAX);
}

void lower_bulk(Lowering *l, const Parts *parts)
{
    if (parts_have(parts, "tensor"))
        lower_refuse(l, "");
    if (parts_have(parts, "commit_group"))
        emit(l, BULK_COMMIT);
    else if (parts_have(parts, "wait_group"))
        lower_bulk_wait(l);
    else
        lower_bulk_copy(l, parts);
}
