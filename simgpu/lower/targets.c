
#include "simgpu/code/instruction.h"
#include "simgpu/lower/lowering.h"

static uint64_t of_parameter(int64_t offset)
{
    bool is_followed = offset % 8 == 0 && offset / 8 < 63;
    return is_followed ? 1ull << offset / 8 : UNKNOWN_TARGET;
}

static Origin both(Origin a, Origin b)
{
    bool differ = a.constant != 0 && b.constant != 0 && a.constant != b.constant;
    return (Origin){.parameters = a.parameters | b.parameters,
                    .constant = differ ? UINT64_MAX : a.constant | b.constant};
}

static Origin of_sources(const Instruction *instruction, const Origin *origins)
{
    Origin all = {0};
    for (int i = 0; i < MAX_SOURCES; i++)
        if (instruction->sources[i].slot != NO_SLOT)
            all = both(all, origins[instruction->sources[i].slot]);
    return all;
}

static Origin of_results(const Instruction *instruction, const Origin *origins)
{
    const bool is_wide = instruction->size == 3;
    switch (instruction_facts(instruction).address) {
    case ADDRESS_OF_SOURCES: return of_sources(instruction, origins);
    case ADDRESS_IN_PARAMETER: return (Origin){.parameters = is_wide ? of_parameter(instruction->offset) : 0};
    case ADDRESS_IN_MEMORY: return (Origin){.parameters = is_wide ? UNKNOWN_TARGET : 0};
    case ADDRESS_IN_HEAP: return (Origin){.parameters = UNKNOWN_TARGET};
    case ADDRESS_OF_NOTHING: return (Origin){0};
    }
    return (Origin){.parameters = UNKNOWN_TARGET};
}

/* Adds the origins of the sources to those of the results; true where that changes anything. */
static bool follow(const Instruction *instruction, Origin *origins)
{
    Origin from = of_results(instruction, origins);
    bool has_changed = false;
    for (int i = 0; i < MAX_RESULTS; i++) {
        uint32_t number = instruction->results[i].slot;
        if (number == NO_SLOT)
            continue;
        Origin old = origins[number];
        origins[number] = both(old, from);
        has_changed |= origins[number].parameters != old.parameters || origins[number].constant != old.constant;
    }
    return has_changed;
}

static bool may_change_global(const Instruction *instruction)
{
    if (instruction->kind == BULK_COPY)
        return instruction->detail == BULK_STORE;
    return (instruction->kind == STORE || instruction->kind == ATOMIC) &&
           (instruction->space == PTX_GLOBAL || instruction->space == PTX_NO_SPACE);
}

/* Could a constant be the address of a module variable? */
static bool may_be_address(const SpecialRegister *special)
{
    return special->kind == SPECIAL_CONSTANT && special->value >= WINDOWS_END && special->value >> 48 == 0;
}

static bool is_module_access(const Instruction *instruction)
{
    return (instruction->kind == LOAD || instruction->kind == STORE || instruction->kind == ATOMIC) &&
           (instruction->space == PTX_GLOBAL || instruction->space == PTX_CONST || instruction->space == PTX_NO_SPACE);
}

void find_targets(Lowering *l)
{
    Code *code = l->code;
    Origin *origins = arena_array(l->arena, (size_t)l->register_count + 1, sizeof *origins);
    for (int i = 0; i < code->special_register_count; i++)
        if (may_be_address(&code->special_registers[i]))
            origins[code->special_registers[i].operand.slot] = (Origin){.parameters = UNKNOWN_TARGET,
                                                                        .constant = code->special_registers[i].value};
    for (bool has_changed = true; has_changed;) {
        has_changed = false;
        for (int i = 0; i < code->instruction_count; i++)
            has_changed |= follow(&code->instructions[i], origins);
    }
    for (int i = 0; i < code->instruction_count; i++) {
        Instruction *instruction = &code->instructions[i];
        Operand address = instruction->sources[0];
        if (instruction->kind == BULK_COPY && may_change_global(instruction)) /* a tensor map may lead anywhere */
            code->targets |= instruction->dimensions == 0 && address.slot != NO_SLOT &&
                                     origins[address.slot].parameters != 0
                                 ? origins[address.slot].parameters
                                 : UNKNOWN_TARGET;
        if (!is_module_access(instruction))
            continue;
        if (address.slot != NO_SLOT)
            instruction->origin = origins[address.slot];
        if (may_change_global(instruction))
            code->targets |= instruction->origin.parameters != 0 ? instruction->origin.parameters : UNKNOWN_TARGET;
    }
}
