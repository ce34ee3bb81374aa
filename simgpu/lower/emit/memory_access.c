#include "simgpu/lower/emit/memory_access.h"

#include "simgpu/lower/emit/address.h"
#include "simgpu/lower/emit/basic_block.h"
#include "simgpu/lower/emit/emit.h"
#include "simgpu/lower/emit/operand.h"
#include "simgpu/lower/emit/placement.h"
#include "simgpu/lower/emit/virtual_register.h"

#include <string.h>

/* Parts that say how an access is ordered or cached. They change nothing here: every access takes effect at once and in
 * order. */
static bool is_ignored(const char *part)
{
    static const char *const ignored[] = {
        "volatile", "relaxed", "acquire", "release", "acq_rel", "weak", "mmio", "sys", "gpu", "cta",
        "cluster",  "nc",      "ca",      "cg",      "cs",      "lu",   "cv",   "wb",  "wt",  "noftz",
    };
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
        if (strcmp(part, ignored[i]) == 0)
            return true;
    return strncmp(part, "L1::", 4) == 0 || strncmp(part, "L2::", 4) == 0;
}

AccessForm access_form(Lowering *l, const OpcodeModifiers *parts)
{
    AccessForm form = {.count = 1};
    for (int i = 1; i < parts->count; i++) {
        const char *part = parts->part[i];
        PtxType type = ptx_type(part, strlen(part));
        if (type != PTX_NO_TYPE)
            form.type = type;
        else if (space_named(part) != PTX_NO_SPACE)
            form.space = space_named(part);
        else if (strcmp(part, "v2") == 0 || strcmp(part, "v4") == 0)
            form.count = part[1] - '0';
        else if (!is_ignored(part))
            lower_refuse(l, "");
    }
    if (form.type == PTX_NO_TYPE || form.type == PTX_OTHER_TYPE || form.type == PTX_PRED)
        lower_refuse(l, "");
    return form;
}

uint8_t size_of(PtxType type)
{
    return (uint8_t)logarithm(ptx_type_bytes(type));
}

const PtxOperand *data_operand(Lowering *l, const PtxOperand *data, int count, int index)
{
    if (count == 1)
        return data;
    if (data->kind != PTX_VECTOR || data->element_count != count)
        lower_reject_operand(l, data, count == 2 ? "a vector of 2" : "a vector of 4");
    return &data->elements[index];
}

PtxSpace first_space(const OpcodeModifiers *parts)
{
    for (int i = 1; i < parts->count; i++)
        if (space_named(parts->part[i]) != PTX_NO_SPACE)
            return space_named(parts->part[i]);
    return PTX_NO_SPACE;
}

bool ignored_hint(Lowering *l, const OpcodeModifiers *parts)
{
    bool has_hint = parts_have(parts, "L2::cache_hint");
    if (has_hint)
        ignored_value(l, operand_at(l, l->source->operand_count - 1), 8);
    return has_hint;
}

static Instruction *emit_frame_access(Lowering *l, InstructionKind kind, const PtxVariable *variable, uint32_t bytes)
{
    if (variable->bytes < bytes)
        lower_refuse(l, "these arguments");
    int64_t offset = (int64_t)variable_address(l, variable);
    Instruction *access = emit(l, kind);
    access->space = PTX_LOCAL;
    access->is_hidden = true;
    access->size = bytes == 8 ? 3 : 2;
    access->count = 1;
    access->offset = offset;
    access->sources[0] = l->instance->frame_address;
    return access;
}

Operand emit_frame_load(Lowering *l, const PtxVariable *variable, uint32_t bytes)
{
    Operand result = temporary(l, bytes);
    emit_frame_access(l, LOAD, variable, bytes)->results[0] = result;
    return result;
}

void emit_frame_store(Lowering *l, const PtxVariable *variable, Operand value)
{
    emit_frame_access(l, STORE, variable, bytes_of(value))->sources[1] = value;
}

static Instruction *emit_word_access(Lowering *l, InstructionKind kind, const PtxOperand *address, PtxSpace space)
{
    Instruction *access = emit(l, kind);
    access->size = 3;
    access->count = 1;
    set_address(l, access, address, space);
    count_request(l, access);
    return access;
}

void emit_word_atomic(Lowering *l, AtomicKind kind, const PtxOperand *address, PtxSpace space, Operand b,
                      Operand result)
{
    Instruction *atomic = emit_word_access(l, ATOMIC, address, space);
    atomic->detail = (uint8_t)kind;
    atomic->results[0] = result;
    atomic->sources[1] = b;
}

void emit_word_load(Lowering *l, const PtxOperand *address, PtxSpace space, Operand result)
{
    emit_word_access(l, LOAD, address, space)->results[0] = result;
}

void emit_word_store(Lowering *l, const PtxOperand *address, PtxSpace space, Operand value)
{
    emit_word_access(l, STORE, address, space)->sources[1] = value;
}
