#include "simgpu/cost/machine_code.h"

#include "base/allocated.h"
#include "simgpu/cost/machine_stretches.h"
#include "simgpu/cost/machine_wait.h"

#include <stdlib.h>

/* ---- the program ------------------------------------------------------------------------------------------------- */

/* First block of the loop that block `end` closes; -1: it closes none. A loop is entered from the block before it. */
static int loop_start(const Code *code, int end)
{
    const BasicBlock *block = &code->blocks[end];
    return block->ends == END_BRANCH && block->target > 0 && block->target <= end ? block->target : -1;
}

/* The innermost of nested loops ends first, and so its blocks are taken when an outer one comes. `below[i]` is where to
 * look for a block at or below i that is not taken yet, so that many nested loops take no longer than one. */
static void find_loops(const Code *code, MachineProgram *program)
{
    int *below = zeroed((size_t)code->block_count + 1, sizeof *below);
    for (int i = 0; i < code->block_count; i++)
        below[i] = i;
    for (int end = 0; end < code->block_count; end++) {
        int first = loop_start(code, end), i = end;
        while (first >= 0 && i >= first) {
            if (below[i] == i) {
                program->blocks[i].loop = first; /* at least 1: block 0 is in no loop */
                below[i] = i - 1;
            }
            int next = below[i];
            below[i] = next > 0 && below[next] < next ? below[next] : next; /* shortens the way for the next time */
            i = next;
        }
    }
    free(below);
}

static bool adds_or_multiplies(const Instruction *instruction)
{
    if (instruction->kind != RUN_LANES)
        return false;
    switch ((Opcode)instruction->opcode) {
    case OP_fma_f32:
    case OP_fma_ftz_f32:
    case OP_add_f32:
    case OP_add_ftz_f32:
    case OP_sub_f32:
    case OP_sub_ftz_f32:
    case OP_mul_f32:
    case OP_mul_ftz_f32: return true;
    default: return false;
    }
}

static void describe_access(MachineLine *line, const Instruction *access)
{
    PtxSpace space = (PtxSpace)access->space;
    line->space = line->accesses == 0 || line->space == space ? space : PTX_NO_SPACE;
    line->access_bytes = (uint32_t)access->count << access->size;
    line->accesses++;
}

/* What the lines of PTX do. Instructions without a line were added while lowering. */
static void describe_statements(const Code *code, MachineProgram *program)
{
    for (int i = 0; i < code->instruction_count; i++) {
        const Instruction *instruction = &code->instructions[i];
        size_t number = (size_t)instruction->ptx_line;
        if (instruction->ptx_line <= 0 || number >= program->line_count)
            continue;
        bool accesses = instruction->kind == LOAD || instruction->kind == STORE;
        if (accesses && !instruction->is_hidden)
            describe_access(&program->lines[number], instruction);
        program->lines[number].is_float |= adds_or_multiplies(instruction);
    }
    for (size_t i = 0; i < program->line_count; i++)
        if (program->lines[i].instances > 1)
            program->lines[i].accesses /= program->lines[i].instances;
}

static void describe_place(MachineLine *line, int32_t place)
{
    line->instances += place == 0;
    line->statements = line->statements > (uint32_t)place ? line->statements : (uint32_t)place + 1;
}

static void describe_ptx(const Code *code, MachineProgram *program)
{
    for (int i = 0; i < code->line_count; i++)
        if ((size_t)code->lines[i].ptx_line >= program->line_count)
            program->line_count = (size_t)code->lines[i].ptx_line + 1;
    program->lines = zeroed(program->line_count + 1, sizeof *program->lines);
    program->blocks = zeroed((size_t)code->block_count + 1, sizeof *program->blocks);
    for (size_t i = 0; i < program->line_count; i++)
        program->lines[i].block = -1;
    for (int i = code->line_count - 1; i >= 0; i--) {
        program->lines[code->lines[i].ptx_line].block = code->lines[i].block;
        program->lines[code->lines[i].ptx_line].access = code->lines[i].access;
        program->blocks[code->lines[i].block].lines++;
        describe_place(&program->lines[code->lines[i].ptx_line], code->lines[i].place);
    }
    describe_statements(code, program);
    find_loops(code, program);
}

static void find_accesses(MachineProgram *program)
{
    for (size_t i = 0; i < program->instruction_count; i++) {
        size_t line = machine_line_of(program, &program->instructions[i], 0);
        program->instructions[i].access = line > 0 ? program->lines[line].access : -1;
    }
}

/* ULDC mostly loads two elements, an operand is one. */
static uint32_t find_direct_bytes(const MachineProgram *program)
{
    uint32_t bytes = 0;
    for (size_t i = 0; i < program->instruction_count; i++)
        if (program->instructions[i].direct)
            bytes += program->instructions[i].operation == MACHINE_ULDC ? 8 : 4;
    return bytes;
}

bool machine_code_read(const void *cubin, size_t bytes, const char *kernel, const Code *code,
                       const HardwareProfile *profile, MachineProgram *program)
{
    *program = (MachineProgram){0};
    if (!machine_instructions_read(cubin, bytes, kernel, profile->compute_major, &program->instructions,
                                   &program->instruction_count))
        return false;
    describe_ptx(code, program);
    find_accesses(program);
    program->direct_bytes = find_direct_bytes(program);
    program->parts = zeroed(program->instruction_count + 1, sizeof *program->parts);
    machine_flow_find(program->instructions, program->instruction_count, &program->flow);
    machine_stretches_find_copies(program, (size_t)code->block_count);
    machine_code_wait(program, code, profile, NULL, (LoadShare){0});
    return true;
}

void machine_code_wait(MachineProgram *program, const Code *code, const HardwareProfile *profile,
                       const LoadShare *loads, LoadShare local)
{
    machine_wait(program->instructions, program->instruction_count, profile, loads, local);
    machine_stretches_sum_work(program, (size_t)code->block_count);
}

void machine_code_free(MachineProgram *program)
{
    free(program->instructions);
    free(program->lines);
    free(program->blocks);
    free(program->parts);
    machine_flow_free(&program->flow);
    *program = (MachineProgram){0};
}
