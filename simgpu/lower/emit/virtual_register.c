#include "simgpu/lower/emit/virtual_register.h"

uint32_t bytes_of(Operand operand)
{
    return 1u << operand.size;
}

uint32_t logarithm(uint32_t bytes)
{
    return bytes == 8 ? 3 : bytes == 4 ? 2 : bytes == 2 ? 1 : 0;
}

uint32_t new_virtual(Lowering *l, uint32_t size)
{
    l->register_sizes = arena_grown(l->arena, l->register_sizes, l->register_count, &l->register_capacity, 1);
    l->register_sizes[l->register_count] = (uint8_t)size;
    return l->register_count++;
}

Operand temporary(Lowering *l, uint32_t bytes)
{
    return (Operand){.slot = new_virtual(l, logarithm(bytes)), .size = logarithm(bytes) & 0xF};
}

Operand special_register(Lowering *l, SpecialRegisterKind kind, int detail, uint64_t value, uint32_t bytes)
{
    Code *code = l->code;
    for (int i = 0; i < code->special_register_count; i++) {
        const SpecialRegister *other = &code->special_registers[i];
        if (other->kind == kind && other->detail == detail && other->value == value &&
            bytes_of(other->operand) == bytes)
            return other->operand;
    }
    code->special_registers = arena_grown(&code->arena, code->special_registers, (size_t)code->special_register_count,
                                          &l->special_capacity, sizeof *code->special_registers);
    SpecialRegister *new = &code->special_registers[code->special_register_count++];
    *new = (SpecialRegister){.kind = kind, .detail = detail, .value = value, .operand = temporary(l, bytes)};
    return new->operand;
}

Operand constant(Lowering *l, uint64_t value, uint32_t bytes)
{
    if (bytes < 8)
        value &= (1ull << (8 * bytes)) - 1;
    return special_register(l, SPECIAL_CONSTANT, 0, value, bytes);
}
