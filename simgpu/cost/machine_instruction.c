#include "simgpu/cost/machine_instruction.h"

#include "base/allocated.h"
#include "base/elf.h"
#include "simgpu/cost/machine_lines.h"

#include <stdlib.h>
#include <string.h>

enum { CONSTANT_BANK_OF_VARIABLES = 3, CONSTANT_OPERAND = 5 };

/* The distance of a branch counts from the next instruction. It is in bytes and starts at bit 34; since compute
 * capability 9.0 it is in words of 4 bytes, and its lowest 8 bits start at bit 16. */
static int64_t branch_target(const uint64_t word[2], size_t index, int compute_major)
{
    int64_t high = (int64_t)(word[0] >> 34 | (word[1] & 0x3ffff) << 30); /* 48 bits */
    high = (int64_t)((uint64_t)high << 16) >> 16;
    int64_t bytes = compute_major >= 9 ? ((int64_t)((uint64_t)high << 8) | (int64_t)(word[0] >> 16 & 0xff)) * 4 : high;
    return (int64_t)index + 1 + bytes / MACHINE_INSTRUCTION_BYTES;
}

/* Bits 73 to 75 are the size of an access: 0 and 1 for a byte, 2 and 3 for two bytes, 4 to 6 for 4, 8 and 16. */
static uint32_t access_bytes(const uint64_t word[2])
{
    uint32_t size = word[1] >> 9 & 7;
    return size < 2 ? 1 : size < 4 ? 2 : size < 7 ? 4u << (size - 4) : 4;
}

/* Bits 12 to 15 are the predicate of an instruction, bits 87 to 90 a second one of a branch; 7: true. */
static bool is_conditional(const uint64_t word[2])
{
    enum { PLAIN_BRANCH = 0x947, TRUE = 7 };
    if ((word[0] & 0x1ff) == MACHINE_BRA)
        return (word[0] & 0xfff) != PLAIN_BRANCH || (word[0] >> 12 & 15) != TRUE || (word[1] >> 23 & 15) != TRUE;
    return (word[0] >> 12 & 15) != TRUE;
}

static MachineInstruction decode(const uint64_t word[2], size_t index, int compute_major)
{
    MachineInstruction instruction = {.operation = word[0] & 0x1ff,
                                      .bytes = access_bytes(word),
                                      .is_conditional = is_conditional(word),
                                      .stall = word[1] >> 41 & 15,
                                      .result_barrier = word[1] >> 46 & 7,
                                      .operand_barrier = word[1] >> 49 & 7,
                                      .waits = word[1] >> 52 & 0x3f,
                                      .of_variables = (word[0] >> 54 & 0x1f) == CONSTANT_BANK_OF_VARIABLES,
                                      .target = -1};
    uint32_t operation = instruction.operation;
    bool constant_operand = (word[0] >> 9 & 7) == CONSTANT_OPERAND && operation < MACHINE_FIRST_UNIFORM;
    instruction.direct = instruction.of_variables && (constant_operand || operation == MACHINE_ULDC);
    if (operation == MACHINE_BRA || operation == MACHINE_CALL)
        instruction.target = branch_target(word, index, compute_major);
    return instruction;
}

bool machine_is_load(const MachineInstruction *instruction)
{
    uint32_t operation = instruction->operation;
    return operation == MACHINE_LD || operation == MACHINE_LDG || operation == MACHINE_LDL;
}

bool machine_is_access(const MachineInstruction *instruction)
{
    uint32_t operation = instruction->operation;
    bool constant = operation == MACHINE_LDC || operation == MACHINE_ULDC || operation == MACHINE_ULDC_INDEXED;
    return constant ? instruction->of_variables : operation >= MACHINE_LD && operation <= MACHINE_LAST_MEMORY;
}

bool machine_is_local(const MachineInstruction *instruction)
{
    return instruction->operation == MACHINE_LDL || instruction->operation == MACHINE_STL;
}

bool machine_is_float(const MachineInstruction *instruction)
{
    uint32_t operation = instruction->operation;
    return operation == MACHINE_FMUL || operation == MACHINE_FADD || operation == MACHINE_FFMA;
}

bool machine_makes_access(const MachineInstruction *instruction, PtxSpace space)
{
    bool generic = space == PTX_NO_SPACE;
    switch (instruction->operation) {
    case MACHINE_LD:
    case MACHINE_ST: return true;
    case MACHINE_LDG:
    case MACHINE_STG: return generic || space == PTX_GLOBAL;
    case MACHINE_LDS:
    case MACHINE_STS: return generic || space == PTX_SHARED;
    case MACHINE_LDL:
    case MACHINE_STL: return generic || space == PTX_LOCAL;
    case MACHINE_LDC:
    case MACHINE_ULDC:
    case MACHINE_ULDC_INDEXED: return instruction->of_variables && (generic || space == PTX_CONST);
    default: return false;
    }
}

/* A function of the division behind it runs only for rare operands, and is counted apart (simgpu/engine/slow_path.h). */
static bool is_rare_call(const MachineInstruction *instructions, size_t call)
{
    for (size_t i = call; i-- > 0 && instructions[i].line == instructions[call].line;)
        if (instructions[i].operation == MACHINE_BRA && instructions[i].is_conditional &&
            instructions[i].target > (int64_t)call)
            return true;
    return false;
}

/* Neither the kernel nor a function before it runs on into the function at `first`, and nor has it a line of its own, as
 * one has that the programmer wrote. */
static bool is_own_function(const MachineInstruction *instructions, const int32_t *lines, size_t first)
{
    const MachineInstruction *before = &instructions[first - 1];
    bool ends = before->operation == MACHINE_EXIT || before->operation == MACHINE_RET ||
                before->operation == MACHINE_BRA;
    return ends && !before->is_conditional && lines[first] == lines[first - 1];
}

/* ptxas puts functions of its own, as for divisions of 64 bits, behind the end of the kernel and under its last line. They
 * run where they are called. */
static void place_functions(MachineInstruction *instructions, const int32_t *lines, size_t count)
{
    for (size_t call = 0; call < count; call++) {
        int64_t first = instructions[call].target;
        if (instructions[call].operation != MACHINE_CALL || first <= (int64_t)call || first >= (int64_t)count ||
            instructions[first].is_called || !is_own_function(instructions, lines, (size_t)first) ||
            is_rare_call(instructions, call))
            continue;
        for (size_t i = (size_t)first; i < count; i++) {
            instructions[i].line = instructions[call].line;
            instructions[i].is_called = true;
            if (instructions[i].operation == MACHINE_RET && !instructions[i].is_conditional)
                break;
        }
    }
}

static bool ends_stretch(uint32_t operation)
{
    return operation == MACHINE_BRA || operation == MACHINE_BRX || operation == MACHINE_CALL ||
           operation == MACHINE_RET;
}

static void find_stretches(MachineInstruction *instructions, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        instructions[i].leads |= i == 0;
        if (ends_stretch(instructions[i].operation))
            instructions[i + 1].leads = true;
        if (instructions[i].target >= 0 && (size_t)instructions[i].target < count)
            instructions[instructions[i].target].leads = true;
    }
}

bool machine_instructions_read(const void *cubin, size_t bytes, const char *kernel, int compute_major,
                               MachineInstruction **instructions, size_t *count)
{
    Elf elf;
    ElfSection section;
    *instructions = NULL;
    *count = 0;
    if (cubin == NULL || !elf_open(&elf, cubin, bytes) || !elf_find(&elf, ".text.", kernel, &section) ||
        section.data == NULL || compute_major < 7 || compute_major > 9)
        return false;
    size_t found = section.bytes / MACHINE_INSTRUCTION_BYTES;
    int32_t *lines = zeroed(found + 1, sizeof *lines);
    bool known = machine_lines(cubin, bytes, kernel, lines, found);
    if (known) {
        *instructions = zeroed(found + 1, sizeof **instructions);
        *count = found;
    }
    for (size_t i = 0; i < *count; i++) {
        uint64_t word[2];
        memcpy(word, section.data + i * MACHINE_INSTRUCTION_BYTES, sizeof word);
        (*instructions)[i] = decode(word, i, compute_major);
        (*instructions)[i].line = lines[i];
    }
    find_stretches(*instructions, *count);
    place_functions(*instructions, lines, *count);
    free(lines);
    return known;
}
