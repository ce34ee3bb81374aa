#include "simgpu/lower/targets.h"

static uint64_t of_parameter(int64_t offset)
{
    bool is_followed = offset % 8 == 0 && offset / 8 < 63;
    return is_followed ? 1ull << offset / 8 : UNKNOWN_TARGET;
}

static uint64_t of_sources(const Instruction *instruction, const uint64_t *targets)
{
    uint64_t all = 0;
    for (int i = 0; i < MAX_SOURCES; i++)
        if (instruction->sources[i].slot != NO_SLOT)
            all |= targets[instruction->sources[i].slot];
    return all;
}

static uint64_t of_results(const Instruction *instruction, const uint64_t *targets)
{
    bool is_wide = instruction->size == 3;
    switch ((InstructionKind)instruction->kind) {
    case LOAD_PARAMETER: return is_wide ? of_parameter(instruction->offset) : 0;
    case LOAD:
    case ATOMIC: return is_wide ? UNKNOWN_TARGET : 0;
    case RUN_LANES:
    case SLOW_PATH:
    case STORE:
    case COPY_ASYNC:
    case TEXTURE:
    case COPY_COMMIT:
    case COPY_WAIT:
    case BULK_COPY:
    case BULK_COMMIT:
    case BULK_WAIT:
    case SHUFFLE:
    case VOTE:
    case MATCH:
    case REDUCE:
    case ACTIVE_MASK:
    case CLOCK:
    case BARRIER:
    case PRINT:
    case FAIL_ASSERT:
    case MULTIPLY_MATRIX:
    case LOAD_MATRIX:
    case STORE_MATRIX:
    case TRANSPOSE_MATRIX:
    case CHECK_SET: return of_sources(instruction, targets);
    }
    return UNKNOWN_TARGET;
}

/* Adds the parameters of the sources to those of the results; true where that changes anything. */
static bool follow(const Instruction *instruction, uint64_t *targets)
{
    uint64_t from = of_results(instruction, targets);
    bool has_changed = false;
    for (int i = 0; i < MAX_RESULTS; i++) {
        uint32_t number = instruction->results[i].slot;
        if (number == NO_SLOT || (targets[number] | from) == targets[number])
            continue;
        targets[number] |= from;
        has_changed = true;
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

void find_targets(Lowering *l)
{
    Code *code = l->code;
    uint64_t *targets = arena_array(l->arena, (size_t)l->register_count + 1, sizeof *targets);
    for (int i = 0; i < code->special_register_count; i++)
        if (may_be_address(&code->special_registers[i]))
            targets[code->special_registers[i].operand.slot] = UNKNOWN_TARGET;
    for (bool has_changed = true; has_changed;) {
        has_changed = false;
        for (int i = 0; i < code->instruction_count; i++)
            has_changed |= follow(&code->instructions[i], targets);
    }
    for (int i = 0; i < code->instruction_count; i++) {
        const Instruction *instruction = &code->instructions[i];
        Operand address = instruction->sources[0];
        if (!may_change_global(instruction))
            continue;
        bool is_known = address.slot != NO_SLOT && targets[address.slot] != 0;
        code->targets |= is_known ? targets[address.slot] : UNKNOWN_TARGET;
    }
}
