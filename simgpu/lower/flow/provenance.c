#include "simgpu/lower/flow/provenance.h"

#include <string.h>

/* Stands for several variables, or for an unknown one. */
static const PtxVariable anything;

/* What is known of a value that comes from both. */
static const PtxVariable *join(const PtxVariable *a, const PtxVariable *b)
{
    if (a == NULL || a == b)
        return b;
    return b == NULL ? a : &anything;
}

static const PtxVariable *of_operand(const PtxOperand *operand, const PtxVariable *const *registers)
{
    const PtxVariable *from = NULL;
    for (int i = 0; i < operand->element_count; i++)
        from = join(from, of_operand(&operand->elements[i], registers));
    if (operand->kind == PTX_REGISTER)
        return registers[operand->register_index];
    if (operand->kind == PTX_VARIABLE)
        return operand->variable->space == PTX_SHARED ? operand->variable : &anything;
    return from;
}

static bool begins_with(const char *opcode, const char *name)
{
    size_t length = strlen(name);
    return strncmp(opcode, name, length) == 0 && (opcode[length] == '.' || opcode[length] == '\0');
}

static bool has_result(const char *opcode)
{
    static const char *const without[] = {"st", "red", "bar", "barrier", "bra", "brx", "call", "ret", "exit", "cp"};
    for (size_t i = 0; i < sizeof without / sizeof *without; i++)
        if (begins_with(opcode, without[i]))
            return false;
    return true;
}

static bool is_load(const char *opcode)
{
    return begins_with(opcode, "ld") || begins_with(opcode, "ldu") || begins_with(opcode, "atom");
}

/* Adds `from` to what the result is made of; true where that changes anything. */
static bool add_to_result(const PtxFunction *function, const PtxOperand *result, bool loads, const PtxVariable *from,
                          const PtxVariable **registers)
{
    bool has_changed = false;
    for (int i = 0; i < result->element_count; i++)
        has_changed |= add_to_result(function, &result->elements[i], loads, from, registers);
    if (result->kind != PTX_REGISTER)
        return has_changed;
    bool is_wide = ptx_type_bytes(function->register_types[result->register_index]) == 8;
    const PtxVariable **at = &registers[result->register_index], *before = *at;
    *at = join(before, !loads ? from : is_wide ? &anything : NULL);
    return *at != before;
}

static bool follow(const PtxFunction *function, const PtxInstruction *instruction, const PtxVariable **registers)
{
    const PtxVariable *from = NULL;
    if (instruction->operand_count == 0 || !has_result(instruction->opcode))
        return false;
    for (int i = 1; i < instruction->operand_count; i++)
        from = join(from, of_operand(&instruction->operands[i], registers));
    return add_to_result(function, &instruction->operands[0], is_load(instruction->opcode), from, registers);
}

/* The loop ends because each register changes at most twice. */
const PtxVariable **provenance_of_registers(const PtxFunction *function, Arena *arena)
{
    const PtxVariable **registers = arena_array(arena, (size_t)function->register_count + 1, sizeof *registers);
    for (bool has_changed = true; has_changed;) {
        has_changed = false;
        for (int i = 0; i < function->instruction_count; i++)
            has_changed |= follow(function, &function->instructions[i], registers);
    }
    for (int i = 0; i < function->register_count; i++)
        if (registers[i] == &anything)
            registers[i] = NULL;
    return registers;
}
