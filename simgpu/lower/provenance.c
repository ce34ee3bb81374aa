#include "simgpu/lower/lowering.h"

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
    return variable->space == PTX_SHARED || variable->space == PTX_LOCAL || variable->space == PTX_PARAM;
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

/* The parameter that an instruction loads from its start on; NULL: it does something else. */
static const PtxVariable *loaded_parameter(const PtxInstruction *instruction)
{
    if (instruction->operand_count < 2 || !begins_with(instruction->opcode, "ld.param"))
        return NULL;
    const PtxOperand *address = &instruction->operands[1];
    return address->kind == PTX_ADDRESS && address->number == 0 ? address->variable : NULL;
}

static int first_register(const PtxOperand *data)
{
    data = data->element_count > 0 ? &data->elements[0] : data;
    return data->kind == PTX_REGISTER ? data->register_index : -1;
}

/* The parameter whose first bytes a register holds; NULL: none. */
static const PtxVariable *parameter_in(const PtxFunction *function, int number)
{
    for (int i = 0; i < function->instruction_count; i++) {
        const PtxVariable *parameter = loaded_parameter(&function->instructions[i]);
        if (parameter != NULL && first_register(&function->instructions[i].operands[0]) == number)
            return parameter;
    }
    return NULL;
}

/* A struct that is passed by value may be copied to local memory, which the name of the parameter then stands for. */
static void find_copies(Flow *flow)
{
    for (int i = 0; i < flow->function->instruction_count; i++) {
        const PtxInstruction *store = &flow->function->instructions[i];
        if (store->operand_count < 2 || !begins_with(store->opcode, "st.local"))
            continue;
        const PtxOperand *address = &store->operands[0];
        const PtxVariable *to = address->register_index >= 0 ? flow->registers[address->register_index] : NULL;
        int number = first_register(&store->operands[1]);
        const PtxVariable *from = to != NULL && to->whole != NULL && address->number == 0 && number >= 0
                                      ? parameter_in(flow->function, number)
                                      : NULL;
        for (PtxVariable *part = flow->parts; part != NULL && from != NULL; part = part->next)
            if (part == to && from->bytes > sizeof(uint64_t) && part->bytes >= from->bytes)
                part->copy_of = from;
    }
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
    find_copies(&flow);
    for (int i = 0; i < function->register_count; i++)
        if (flow.registers[i] == &anything)
            flow.registers[i] = NULL;
    return flow.registers;
}
