#include "simgpu/lower/lower_atomic.h"

#include "simgpu/lower/emit/address.h"
#include "simgpu/lower/emit/basic_block.h"
#include "simgpu/lower/emit/emit.h"
#include "simgpu/lower/emit/memory_access.h"
#include "simgpu/lower/emit/operand.h"
#include "simgpu/lower/emit/virtual_register.h"

#include <string.h>

/* The AtomicKind that a part of the opcode names; -1: none. */
static int atomic_kind(const char *part)
{
    static const struct {
        const char *name;
        AtomicKind kind;
    } kinds[] = {
        {"add", ATOMIC_ADD}, {"inc", ATOMIC_INC},       {"dec", ATOMIC_DEC},     {"min", ATOMIC_MIN},
        {"max", ATOMIC_MAX}, {"exch", ATOMIC_EXCHANGE}, {"cas", ATOMIC_COMPARE}, {"and", ATOMIC_AND},
        {"or", ATOMIC_OR},   {"xor", ATOMIC_XOR},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(part, kinds[i].name) == 0)
            return (int)kinds[i].kind;
    return -1;
}

/* The operation on memory. Refuses the instruction if PTX has no such operation for the type. */
static AtomicKind atomic_operation(Lowering *l, int kind, PtxType type)
{
    bool adds = kind == ATOMIC_ADD, is_float = ptx_type_is_float(type);
    bool moves = kind == ATOMIC_EXCHANGE || kind == ATOMIC_COMPARE;
    if (kind < 0 || ptx_type_bytes(type) < 2 || (is_float && !adds && !moves))
        lower_refuse(l, "");
    if (ptx_type_bytes(type) == 2 && !moves && !(adds && is_float))
        lower_refuse(l, "");
    if (adds && (type == PTX_F16 || type == PTX_F16X2))
        return ATOMIC_F16_ADD;
    if (adds && ptx_type_is_half(type))
        return ATOMIC_BF16_ADD;
    return adds && is_float ? ATOMIC_FLOAT_ADD : (AtomicKind)kind;
}

/* One element of an atomic operation. Its old value goes to `result`. The elements of a vector are atomic one by
 * one. */
static void emit_atomic(Lowering *l, const AccessForm *form, AtomicKind kind, Operand result, int index)
{
    uint32_t bytes = ptx_type_bytes(form->type);
    int returns = result.slot != NO_SLOT;
    Operand c = {.slot = NO_SLOT};
    Operand b = source_operand(l, data_operand(l, operand_at(l, returns + 1), form->count, index), bytes);
    if (kind == ATOMIC_COMPARE)
        c = source_operand(l, operand_at(l, returns + 2), bytes);
    Instruction *atomic = emit(l, ATOMIC);
    atomic->detail = (uint8_t)kind;
    atomic->size = size_of(form->type);
    atomic->count = 1;
    atomic->is_signed = ptx_type_is_signed(form->type);
    atomic->results[0] = result;
    atomic->sources[1] = b;
    atomic->sources[2] = c;
    set_address(l, atomic, operand_at(l, returns), form->space);
    atomic->offset += (int64_t)index * bytes;
    atomic->is_hidden = index > 0; /* the hardware makes one request of all elements */
    if (atomic->space == PTX_PARAM || atomic->space == PTX_CONST || atomic->space == PTX_LOCAL)
        lower_refuse(l, "an atomic operation on parameter, constant or local memory");
    count_request(l, atomic);
}

/* atom.global.add.u32 d, [a], b {, c}; red.global.add.u32 [a], b; atom.global.add.v2.f32 {d, e}, [a], {b, c} */
void lower_atomic(Lowering *l, const OpcodeModifiers *parts)
{
    OpcodeModifiers rest = {.part = {parts->part[0]}, .count = 1};
    int kind = -1;
    for (int i = 1; i < parts->count; i++)
        if (kind < 0 && atomic_kind(parts->part[i]) >= 0)
            kind = atomic_kind(parts->part[i]);
        else
            rest.part[rest.count++] = parts->part[i];
    AccessForm form = access_form(l, &rest);
    AtomicKind operation = atomic_operation(l, kind, form.type);
    bool returns = strcmp(parts->part[0], "atom") == 0;
    ignored_hint(l, parts);
    uint32_t bytes = ptx_type_bytes(form.type);
    Operand old[4] = {{.slot = NO_SLOT}, {.slot = NO_SLOT}, {.slot = NO_SLOT}, {.slot = NO_SLOT}};
    for (int i = 0; i < form.count; i++) {
        if (returns)
            old[i] = temporary(l, bytes);
        emit_atomic(l, &form, operation, old[i], i);
        l->code->instructions[l->code->instruction_count - 1].is_release = parts_release(parts);
    }
    for (int i = 0; returns && i < form.count; i++) /* at the end: a result may be the source of a later element */
        emit_move(l, result_operand(l, data_operand(l, operand_at(l, 0), form.count, i), bytes), old[i]);
}
