#include "simgpu/jit/translate/value.h"

#include <stdarg.h>

Atom atom_literal(uint64_t number)
{
    return (Atom){.is_literal = true, .number = number};
}

const char *atom_text(const Builder *b, Atom atom)
{
    Arena *arena = &((Builder *)b)->scratch;
    if (atom.is_literal)
        return arena_printf(arena, "%lluull", (unsigned long long)atom.number);
    if (atom.variable >= 0)
        return arena_printf(arena, "t%d", atom.variable);
    int slot_part = -1 - atom.variable;
    return arena_printf(arena, "s%d_%d", slot_part / PARTS, slot_part % PARTS);
}

Atom new_atom(Builder *b, const char *format, ...)
{
    Atom atom = {.variable = b->names++};
    if (b->is_dry_run)
        return atom;
    va_list arguments;
    va_start(arguments, format);
    text_printf(&b->head, "    const u64 t%d = ", atom.variable);
    text_vprintf(&b->head, format, arguments);
    text_add(&b->head, ";\n");
    va_end(arguments);
    return atom;
}

bool is_number(Atom atom, uint64_t number)
{
    return atom.is_literal && atom.number == number;
}

uint64_t cut_part(uint64_t number, uint8_t size, int part)
{
    switch (size) {
    case 2: return part == 0 ? (uint32_t)number : (uint64_t)(int64_t)(int32_t)number;
    case 1: return (uint16_t)number;
    case 0: return (uint8_t)number;
    default: return number;
    }
}

Value scalar_literal(uint64_t number, uint8_t size)
{
    Value value = {.is_set = true, .size = size, .lane = -1};
    for (int i = 0; i < PARTS; i++)
        value.part[i] = atom_literal(i == 0 ? cut_part(number, size, 0) : 0);
    return value;
}

bool is_irregular(const Value *value)
{
    return !value->is_varying && !is_number(value->part[PARTS - 1], 0);
}

bool is_same_for_all(const Value *value)
{
    for (int i = 1; i < PARTS; i++)
        if (value->is_varying || !is_number(value->part[i], 0))
            return false;
    return true;
}

Atom entry_atom(Atom atom, uint32_t slot, int part)
{
    return atom.is_literal ? atom : (Atom){.variable = -1 - (int32_t)(slot * PARTS + (uint32_t)part)};
}

Value varying_value(uint8_t size)
{
    return (Value){.is_set = true, .is_varying = true, .size = size, .lane = -1};
}

Value source_value(Builder *b, Operand operand)
{
    return operand.slot == NO_SLOT ? scalar_literal(0, 2) : b->now[operand.slot];
}

void set_value(Builder *b, Operand operand, Value value)
{
    if (operand.slot == NO_SLOT)
        return;
    value.is_set = true;
    value.size = operand.size & 3;
    b->now[operand.slot] = value;
    if (value.is_varying)
        b->is_varying[operand.slot] = 1;
}
