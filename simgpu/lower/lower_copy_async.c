#include "simgpu/lower/lower_copy_async.h"

#include "simgpu/lower/emit/address.h"
#include "simgpu/lower/emit/basic_block.h"
#include "simgpu/lower/emit/emit.h"
#include "simgpu/lower/emit/memory_access.h"
#include "simgpu/lower/emit/operand.h"
#include "simgpu/lower/emit/virtual_register.h"
#include "simgpu/lower/lower_bulk.h"
#include "simgpu/lower/lower_mbarrier.h"

/* cp.async.wait_group 1; cp.async.wait_all, which first makes a group of the copies that are in none. */
static void lower_copy_wait(Lowering *l, const OpcodeModifiers *parts)
{
    const uint64_t most = UINT8_MAX;
    if (parts_have(parts, "wait_all")) {
        emit(l, COPY_COMMIT);
        emit(l, COPY_WAIT);
        return;
    }
    const uint64_t left = expect_constant(l, 0);
    emit(l, COPY_WAIT)->detail = (uint8_t)(left < most ? left : most);
}

/* cp.async.ca.shared.global [to], [from], 16 {, bytes | predicate}: reads `bytes`, or none if the predicate holds,
 * and fills up with zeros. */
static void lower_copy_async(Lowering *l, const OpcodeModifiers *parts)
{
    if (!parts_have(parts, "global"))
        lower_refuse(l, "");
    const PtxOperand *size = operand_at(l, 2);
    if (size->kind != PTX_IMMEDIATE || (size->number != 4 && size->number != 8 && size->number != 16))
        lower_refuse(l, "a copy of this size");
    Operand to = whole_address(l, operand_at(l, 0), PTX_SHARED);
    Operand from = whole_address(l, operand_at(l, 1), PTX_GLOBAL);
    Operand bytes = constant(l, size->number, 4);
    const int extra = ignored_hint(l, parts);
    if (l->source->operand_count > 3 + extra) {
        const PtxOperand *limit = operand_at(l, 3);
        if (is_predicate(l, limit)) {
            Operand chosen = temporary(l, 4);
            emit_form(l, "selp.b32", chosen, constant(l, 0, 4), bytes, source_operand(l, limit, 1));
            bytes = chosen;
        } else {
            bytes = source_operand(l, limit, 4);
        }
    }
    Instruction *copy = emit(l, COPY_ASYNC);
    copy->detail = (uint8_t)size->number;
    copy->space = PTX_GLOBAL;
    copy->variable = variable_of(l, operand_at(l, 0));
    copy->sources[0] = to;
    copy->sources[1] = from;
    copy->sources[2] = bytes;
    count_request(l, copy);
}

void lower_cp(Lowering *l, const OpcodeModifiers *parts)
{
    if (!parts_have(parts, "async"))
        lower_refuse(l, "");
    count_control(l);
    if (parts_have(parts, "bulk")) {
        lower_bulk(l, parts);
        return;
    }
    if (parts_have(parts, "mbarrier")) {
        lower_copy_arrival(l, parts);
        return;
    }
    if (parts_have(parts, "commit_group"))
        emit(l, COPY_COMMIT);
    else if (parts_have(parts, "wait_group") || parts_have(parts, "wait_all"))
        lower_copy_wait(l, parts);
    else
        lower_copy_async(l, parts);
}
