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

static bool is_followed(const PtxVariable *variable)
{
    return variable->space == PTX_SHARED || variable->space == PTX_LOCAL;
}

static const PtxVariable *of_operand(const PtxOperand *operand, const PtxVariable *const *registers)
{
    const PtxVariable *from = NULL;
    for (int i = 0; i < operand->element_count; i++)
        from = join(from, of_operand(&operand->elements[i], registers));
    if (operand->kind == PTX_REGISTER)
        return registers[operand->register_index];
    if (operand->kind == PTX_VARIABLE)
        return is_followed(operand->variable) ? operand->variable : &anything;
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

/* ---- local arrays ------------------------------------------------------------------------------------------------ */

/* The function whose registers are followed. */
typedef struct Flow {
    const PtxFunction *function;
    Arena *arena;
    const PtxVariable **registers;
    PtxVariable *parts; /* the local arrays in the variable that holds all of them, by their offsets */
} Flow;

/* Does the instruction take the address of a local array? */
static bool takes_address(const Flow *flow, const PtxInstruction *instruction)
{
    static const char all_arrays[] = "__local_depot";
    const PtxOperand *operands = instruction->operands;
    if (strcmp(instruction->opcode, "add.u64") != 0 || operands[1].kind != PTX_REGISTER ||
        operands[2].kind != PTX_IMMEDIATE)
        return false;
    const PtxVariable *from = flow->registers[operands[1].register_index];
    return from != NULL && from != &anything && from->space == PTX_LOCAL && from->whole == NULL &&
           strncmp(from->name, all_arrays, strlen(all_arrays)) == 0 && operands[2].number < from->bytes;
}

/* The array that begins at an offset of the variable. It reaches to the next one. */
static const PtxVariable *part_at(Flow *flow, const PtxVariable *whole, uint64_t offset)
{
    PtxVariable **place = &flow->parts, *before = NULL;
    for (; *place != NULL && (*place)->address <= offset; place = &(*place)->next)
        before = *place;
    if (before != NULL && before->address == offset)
        return before;
    PtxVariable *part = arena_alloc(flow->arena, sizeof *part), *next = *place;
    *part = (PtxVariable){.next = next, .space = PTX_LOCAL, .address = offset, .whole = whole};
    part->bytes = (next != NULL ? next->address : whole->bytes) - offset;
    if (before != NULL)
        before->bytes = offset - before->address;
    return *place = part;
}

/* ---- instructions ------------------------------------------------------------------------------------------------ */

static bool follow(Flow *flow, const PtxInstruction *instruction)
{
    const PtxVariable *from = NULL;
    if (instruction->operand_count == 0 || !has_result(instruction->opcode))
        return false;
    for (int i = 1; i < instruction->operand_count; i++)
        from = join(from, of_operand(&instruction->operands[i], flow->registers));
    if (takes_address(flow, instruction))
        from = part_at(flow, from, instruction->operands[2].number);
    return add_to_result(flow->function, &instruction->operands[0], is_load(instruction->opcode), from,
                         flow->registers);
}

/* The loop ends because each register changes at most twice. */
const PtxVariable **provenance_of_registers(const PtxFunction *function, Arena *arena)
{
    Flow flow = {.function = function, .arena = arena};
    flow.registers = arena_array(arena, (size_t)function->register_count + 1, sizeof *flow.registers);
    for (bool has_changed = true; has_changed;) {
        has_changed = false;
        for (int i = 0; i < function->instruction_count; i++)
            has_changed |= follow(&flow, &function->instructions[i]);
    }
    for (int i = 0; i < function->register_count; i++)
        if (flow.registers[i] == &anything)
            flow.registers[i] = NULL;
    return flow.registers;
}
