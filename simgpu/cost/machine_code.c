#include "simgpu/cost/machine_code.h"

#include "base/allocated.h"
#include "simgpu/cost/machine_stretches.h"
#include "simgpu/cost/machine_wait.h"

#include <math.h>
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
    }
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
    machine_stretches_find_copies(program, (size_t)code->block_count);
    machine_code_wait(program, code, profile, NULL);
    return true;
}

void machine_code_wait(MachineProgram *program, const Code *code, const HardwareProfile *profile,
                       const LoadShare *loads)
{
    machine_wait(program->instructions, program->instruction_count, profile, loads);
    machine_stretches_sum_work(program, (size_t)code->block_count);
}

void machine_code_free(MachineProgram *program)
{
    free(program->instructions);
    free(program->lines);
    free(program->blocks);
    *program = (MachineProgram){0};
}

/* ---- what a launch did ------------------------------------------------------------------------------------------- */

/* Mean number of iterations of the innermost loop that a block lies in. */
static double iterations_of(const MachineProgram *program, int block, const uint64_t *executed)
{
    int first = program->blocks[block].loop;
    if (first <= 0 || executed[first - 1] == 0)
        return 1;
    return fmax(1, (double)executed[first] / (double)executed[first - 1]);
}

static bool has_copies(const MachineCopies *of, uint32_t copies)
{
    for (int i = 0; i < of->count; i++)
        if (of->copies[i] == copies)
            return true;
    return false;
}

/* The work of a line in the stretch that holds so many copies of its block. NULL: the line belongs only to other
 * stretches of the block. Code that ptxas put between the copies runs whichever stretch is taken. */
static const MachineWork *variant_of(const MachineLine *line, const MachineCopies *block, uint32_t copies)
{
    const MachineVariant *most = NULL;
    for (int i = 0; i < line->variant_count; i++) {
        const MachineVariant *variant = &line->variants[i];
        if (variant->copies == copies)
            return &variant->work;
        if (!has_copies(block, variant->copies) && (most == NULL || variant->copies > most->copies))
            most = variant;
    }
    return most == NULL ? NULL : &most->work;
}

/* A loop runs the stretch with the most copies as long as that many iterations are left, then the one with the next
 * fewer, and so on. */
static void add_line(const MachineLine *line, const MachineCopies *block, double iterations, double executed,
                     MachineWork *sum)
{
    double left = floor(iterations + 0.5), all = left;
    for (int i = 0; i < block->count; i++) {
        double taken = i + 1 < block->count ? floor(left / block->copies[i]) * block->copies[i] : left;
        const MachineWork *work = variant_of(line, block, block->copies[i]);
        if (work != NULL)
            machine_work_add(sum, work, executed * taken / all);
        left -= taken;
    }
    if (block->count == 0)
        machine_work_add(sum, variant_of(line, block, 1), executed);
}

/* ptxas turns a branch over few instructions into a condition of each of them, so that warps that run the block before
 * and the block after also run these. */
static double executions_of(const MachineLine *line, int block, const uint64_t *executed)
{
    uint64_t before = executed[line->first], behind = executed[line->last], around = before < behind ? before : behind;
    return (double)(executed[block] > around ? executed[block] : around);
}

void machine_code_total(const MachineProgram *program, const Code *code, const uint64_t *executed, MachineWork *sum)
{
    *sum = (MachineWork){0};
    for (int i = 0; i < code->line_count; i++) {
        int block = code->lines[i].block;
        const MachineLine *line = &program->lines[code->lines[i].ptx_line];
        double iterations = iterations_of(program, block, executed), times = executions_of(line, block, executed);
        machine_work_add(sum, &line->dispatch, times / iterations);
        if (line->variant_count > 0)
            add_line(line, &program->blocks[line->block].copies, iterations, times, sum);
    }
}
