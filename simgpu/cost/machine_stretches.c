#include "simgpu/cost/machine_stretches.h"

#include "base/allocated.h"

#include <stdlib.h>
#include <string.h>

typedef struct StretchLine { /* a line of PTX in the current stretch */
    MachineWork work;        /* of all copies */
    uint32_t count;          /* its machine instructions */
    uint32_t accesses;       /* those that ptxas makes of its accesses in PTX, one of each */
    uint32_t access_bytes;   /* that these access, per lane */
    uint32_t floats;         /* those that add or multiply in float32 */
} StretchLine;

typedef struct StretchBlock { /* a block in the current stretch */
    uint32_t copies;
    uint32_t instructions, rarest; /* of all its lines; of the line with the fewest */
    bool accesses;                 /* it accesses memory */
    bool floats;                   /* it adds or multiplies in float32 */
} StretchBlock;

typedef struct StretchScan {
    MachineProgram *program;
    StretchLine *lines;              /* [program->line_count] zero except for lines of this stretch */
    StretchBlock *blocks;            /* [block] zero except for blocks of this stretch */
    int32_t *loop_first, *loop_last; /* [loop] its first and last block in this stretch */
    uint32_t *loop_copies; /* [loop] most copies of one of its blocks in this stretch, by accesses to memory */
    int32_t stretch;       /* number of this stretch */
    uint32_t *touched;     /* [touched_count] lines of this stretch */
    size_t touched_count;
    bool knows_copies; /* MachineBlock.copies is known, from the second scan on */
    bool is_called;    /* the stretch belongs to a function, of which there are no copies */
} StretchScan;

/* Copies of a line, by its accesses to memory; 0: they are elsewhere. */
static uint32_t copies_by_accesses(const StretchScan *scan, size_t number)
{
    uint32_t found = scan->lines[number].accesses, accesses = scan->program->lines[number].accesses;
    return found == 0 || found >= accesses ? found / (accesses > 0 ? accesses : 1) : 1;
}

static int32_t block_of(const StretchScan *scan, size_t touched)
{
    return scan->program->lines[scan->touched[touched]].block;
}

static void add_copies(MachineCopies *of, uint32_t copies)
{
    int at = 0;
    while (at < of->count && of->copies[at] > copies)
        at++;
    if ((at < of->count && of->copies[at] == copies) || of->count == MACHINE_VARIANTS)
        return;
    memmove(&of->copies[at + 1], &of->copies[at], (size_t)(of->count - at) * sizeof *of->copies);
    of->copies[at] = copies;
    of->count++;
}

/* For a block without accesses to memory: some of its lines take several instructions, but not all of them do. */
static uint32_t copies_by_lines(const StretchBlock *here, uint32_t lines)
{
    uint32_t average = (here->instructions + lines / 2) / lines;
    uint32_t copies = average < here->rarest ? average : here->rarest;
    return copies > 1 ? copies : 1;
}

/* A stretch holds a block as often as one of the block's accesses to memory, which ptxas does not split. A block
 * without accesses is there as often as others of its loop, or if there are none, as often as its lines are. */
static void count_copies(StretchScan *scan)
{
    MachineProgram *program = scan->program;
    for (size_t i = 0; i < scan->touched_count; i++) {
        const StretchLine *line = &scan->lines[scan->touched[i]];
        StretchBlock *here = &scan->blocks[block_of(scan, i)];
        uint32_t *in_loop = &scan->loop_copies[program->blocks[block_of(scan, i)].loop];
        uint32_t copies = copies_by_accesses(scan, scan->touched[i]);
        uint32_t statements = program->lines[scan->touched[i]].statements, each = line->count / statements;
        here->accesses |= copies > 0;
        here->floats |= line->floats > 0;
        here->copies = copies > here->copies ? copies : here->copies;
        here->rarest = here->instructions == 0 || each < here->rarest ? each : here->rarest;
        here->instructions += line->count;
        *in_loop = copies > *in_loop ? copies : *in_loop;
    }
    for (size_t i = 0; i < scan->touched_count; i++) {
        MachineBlock *block = &program->blocks[block_of(scan, i)];
        StretchBlock *here = &scan->blocks[block_of(scan, i)];
        uint32_t in_loop = block->loop > 0 ? scan->loop_copies[block->loop] : 0;
        block->accesses |= here->accesses;
        if (here->accesses)
            add_copies(&block->copies, here->copies);
        else
            here->copies = scan->is_called ? 1 : in_loop > 0 ? in_loop : copies_by_lines(here, block->lines);
    }
}

static void add_variant(MachineLine *line, uint32_t copies, const MachineWork *all)
{
    MachineWork one = {0};
    machine_work_add(&one, all, 1.0 / copies);
    for (int i = 0; i < line->variant_count; i++)
        if (line->variants[i].copies == copies) {
            if (one.issue > line->variants[i].work.issue)
                line->variants[i].work = one;
            return;
        }
    if (line->variant_count < MACHINE_VARIANTS)
        line->variants[line->variant_count++] = (MachineVariant){.copies = copies, .work = one};
}

/* For each loop, the first and the last of its blocks that stand in the stretch. */
static void find_neighbours(StretchScan *scan)
{
    const MachineBlock *blocks = scan->program->blocks;
    for (size_t i = 0; i < scan->touched_count; i++) {
        int32_t block = block_of(scan, i);
        scan->loop_first[blocks[block].loop] = scan->loop_last[blocks[block].loop] = block;
    }
    for (size_t i = 0; i < scan->touched_count; i++) {
        int32_t block = block_of(scan, i), loop = blocks[block].loop;
        scan->loop_first[loop] = block < scan->loop_first[loop] ? block : scan->loop_first[loop];
        scan->loop_last[loop] = block > scan->loop_last[loop] ? block : scan->loop_last[loop];
    }
}

/* A stretch with instructions of a block that has several copies, but without its accesses and its float32 operations,
 * chooses the copy that runs next. */
static bool is_dispatch(const StretchScan *scan, int32_t block)
{
    const MachineCopies *copies = &scan->program->blocks[block].copies;
    return copies->count > 0 && copies->copies[0] > 1 && !scan->blocks[block].accesses && !scan->blocks[block].floats;
}

static void end_line(const StretchScan *scan, MachineLine *line, const MachineWork *work)
{
    if (is_dispatch(scan, line->block))
        machine_work_add(&line->dispatch, work, 1);
    else
        add_variant(line, scan->blocks[line->block].copies, work);
    line->first = scan->loop_first[scan->program->blocks[line->block].loop];
    line->last = scan->loop_last[scan->program->blocks[line->block].loop];
}

/* Loads that ptxas has merged show as many copies as they load elements. */
static uint32_t copies_shown(const StretchLine *line, const MachineLine *of)
{
    if (of->statements == 1 && of->is_float)
        return line->floats;
    if (of->statements == 1 && of->accesses == 1)
        return line->access_bytes / of->access_bytes;
    return 0;
}

static void add_part(const StretchScan *scan, size_t number)
{
    const StretchLine *line = &scan->lines[number];
    const MachineLine *of = &scan->program->lines[number];
    scan->program->parts[scan->program->part_count++] = (MachinePart){.line = (uint32_t)number,
                                                                      .stretch = scan->stretch,
                                                                      .shown = copies_shown(line, of),
                                                                      .copies = scan->blocks[of->block].copies,
                                                                      .work = line->work};
}

static void end_stretch(StretchScan *scan)
{
    count_copies(scan);
    find_neighbours(scan);
    for (size_t i = 0; i < scan->touched_count; i++) {
        StretchLine *line = &scan->lines[scan->touched[i]];
        if (scan->knows_copies) {
            add_part(scan, scan->touched[i]);
            end_line(scan, &scan->program->lines[scan->touched[i]], &line->work);
        }
        *line = (StretchLine){0};
    }
    for (size_t i = 0; i < scan->touched_count; i++) {
        int32_t block = block_of(scan, i);
        scan->blocks[block] = (StretchBlock){0};
        scan->loop_copies[scan->program->blocks[block].loop] = 0;
    }
    scan->touched_count = 0;
    scan->stretch++;
}

static void add_instruction(StretchScan *scan, const MachineInstruction *instruction, size_t number)
{
    StretchLine *line = &scan->lines[number];
    MachineWork work = machine_work_of(instruction);
    if (line->count == 0)
        scan->touched[scan->touched_count++] = (uint32_t)number;
    machine_work_add(&line->work, &work, 1);
    line->count++;
    line->floats += machine_is_float(instruction);
    if (scan->program->lines[number].accesses > 0 &&
        machine_makes_access(instruction, scan->program->lines[number].space)) {
        line->accesses++;
        line->access_bytes += instruction->bytes;
    }
}

static void scan_stretches(StretchScan *scan)
{
    const MachineProgram *program = scan->program;
    size_t line = 0;
    for (size_t i = 0; i < program->instruction_count; i++) {
        const MachineInstruction *instruction = &program->instructions[i];
        line = machine_line_of(program, instruction, line);
        if (line > 0 && instruction->operation != MACHINE_NOP)
            add_instruction(scan, instruction, line);
        scan->is_called = instruction->is_called;
        if (i + 1 == program->instruction_count || program->instructions[i + 1].leads)
            end_stretch(scan);
    }
}

static void scan_program(MachineProgram *program, size_t block_count, bool knows_copies)
{
    StretchScan scan = {.program = program,
                        .knows_copies = knows_copies,
                        .lines = zeroed(program->line_count, sizeof *scan.lines),
                        .blocks = zeroed(block_count, sizeof *scan.blocks),
                        .loop_first = zeroed(block_count, sizeof *scan.loop_first),
                        .loop_last = zeroed(block_count, sizeof *scan.loop_last),
                        .loop_copies = zeroed(block_count, sizeof *scan.loop_copies),
                        .touched = zeroed(program->line_count, sizeof *scan.touched)};
    scan_stretches(&scan);
    free(scan.lines);
    free(scan.blocks);
    free(scan.loop_first);
    free(scan.loop_last);
    free(scan.loop_copies);
    free(scan.touched);
}

void machine_stretches_find_copies(MachineProgram *program, size_t block_count)
{
    scan_program(program, block_count, false);
}

void machine_stretches_sum_work(MachineProgram *program, size_t block_count)
{
    for (size_t i = 0; i < program->line_count; i++) {
        program->lines[i].variant_count = 0;
        program->lines[i].dispatch = (MachineWork){0};
    }
    program->part_count = 0;
    scan_program(program, block_count, true);
}
