#include "simgpu/cost/machine_code.h"

#include "base/arena.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ==== machine stretches =========================================================================================== */

/* What each stretch of a kernel's machine code holds (machine_program.h).
 *
 * Two scans over the code: the first finds how many copies of a block a stretch can hold, the second, which needs that,
 * what one copy of a line does. */

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

/* Fills in MachineBlock.copies and .accesses of all blocks. */
static void machine_stretches_find_copies(MachineProgram *program, size_t block_count)
{
    scan_program(program, block_count, false);
}

/* Fills in variants, dispatch, first and last of all lines, and the parts of all stretches. */
static void machine_stretches_sum_work(MachineProgram *program, size_t block_count)
{
    for (size_t i = 0; i < program->line_count; i++) {
        program->lines[i].variant_count = 0;
        program->lines[i].dispatch = (MachineWork){0};
    }
    program->part_count = 0;
    scan_program(program, block_count, true);
}

/* ==== machine wait ================================================================================================ */

enum { WALKS = 32 };

/* A warp that walks alone through the code. */
typedef struct WaitWalk {
    const HardwareProfile *profile;
    const LoadShare *loads; /* NULL: the L1 serves all loads */
    LoadShare local;        /* of loads from local memory */
    double place;           /* 0 to 1, of this walk among all */
    uint32_t
        *turns; /* by Instruction.index + 1: how often the walk has come to the load; 0: loads of spilled registers */
    double now, released[MACHINE_BARRIERS]; /* cycles */
} WaitWalk;

/* A number from 0 to 1 for a load that is slow where it is below `share`, as in so many of all walks. A loop comes to new data
 * every 1 / share turns, in which all loads of the turn that have this share are slow together. */
static double chance(WaitWalk *walk, const MachineInstruction *load, double share)
{
    const double at = walk->place + walk->turns[load->access + 1]++ * share;
    return at - floor(at);
}

/* Loads of spilled registers are no accesses of PTX, and so have no share of their own. NULL: the L1 serves them all. */
static const LoadShare *share_of(const MachineInstruction *load, const WaitWalk *walk)
{
    if (load->operation == MACHINE_LDL)
        return walk->local.l2 + walk->local.memory > 0 ? &walk->local : NULL;
    return walk->loads == NULL || load->access < 0 ? NULL : &walk->loads[load->access];
}

static double load_latency_s(const MachineInstruction *load, WaitWalk *walk)
{
    const HardwareProfile *profile = walk->profile;
    const LoadShare *share = share_of(load, walk);
    if (share == NULL)
        return profile->l1_latency_s;
    const double JOINED = 0.5; /* of a fetch, is left on average when another block joins it: reuse.h */
    const struct {
        double share, latency_s;
    } slow[] = {{share->memory, profile->global_latency_s},
                {share->joined_memory, JOINED * profile->global_latency_s},
                {share->l2, profile->l2_latency_s},
                {share->joined_l2, JOINED * profile->l2_latency_s}};
    double number = chance(walk, load, share->memory + share->joined_memory + share->l2 + share->joined_l2);
    for (size_t i = 0; i < sizeof slow / sizeof *slow; i++) {
        if (number < slow[i].share)
            return slow[i].latency_s;
        number -= slow[i].share;
    }
    return profile->l1_latency_s;
}

/* Measured on an H200 (simgpu/calibrate, chains): 17 for functions and conversions, 21 for votes. For other results,
 * and until a load or a store has read its operands, it is a guess. */
enum { OTHER_CYCLES = 20 };

/* Cycles until the result is there. */
static double latency_of(const MachineInstruction *instruction, WaitWalk *walk)
{
    const HardwareProfile *profile = walk->profile;
    if (machine_is_load(instruction))
        return load_latency_s(instruction, walk) * profile->clock_hz;
    if (instruction->operation == MACHINE_LDS)
        return profile->shared_latency_s * profile->clock_hz;
    if (instruction->operation == MACHINE_LDC)
        return profile->constant_latency_s * profile->clock_hz;
    return OTHER_CYCLES;
}

static void release(WaitWalk *walk, uint32_t barrier, double at)
{
    if (barrier < MACHINE_BARRIERS)
        walk->released[barrier] = fmax(walk->released[barrier], at);
}

static bool is_uniform_load(const MachineInstruction *instruction)
{
    return instruction->operation == MACHINE_ULDC_INDEXED && instruction->of_variables;
}

/* Cycles until the warp continues, whatever the scheduling bits say. After a load through the uniform datapath that
 * misses, nothing of its warp issues. Measured on an H200 (simgpu/calibrate, planes and chains): branches by loops of
 * one warp over 3 x 3 to 15 x 15 constants; a barrier of four warps that arrive together. 65,536 blocks of clusters of 4, eight
 * of them at once on a multiprocessor, take 14 to 20 us more each time they meet (touches): 230 to 320 ns, half of which
 * counts for the arrival and half for the wait. */
static double blocking_of(const MachineInstruction *instruction, WaitWalk *walk)
{
    enum { BRANCH_CYCLES = 8, BARRIER_CYCLES = 20, CLUSTER_BARRIER_CYCLES = 250 };
    if (instruction->operation == MACHINE_CLUSTER_BARRIER)
        return CLUSTER_BARRIER_CYCLES;
    if (instruction->operation == MACHINE_BAR || instruction->operation == MACHINE_BRA)
        return instruction->operation == MACHINE_BAR ? BARRIER_CYCLES : BRANCH_CYCLES;
    bool is_known = is_uniform_load(instruction) && instruction->access >= 0 && walk->loads != NULL;
    double share = is_known ? walk->loads[instruction->access].l2 : 0;
    bool misses = share > 0 && chance(walk, instruction, share) < share;
    return misses ? walk->profile->uniform_miss_latency_s * walk->profile->clock_hz : 1;
}

/* Returns the cycles that the warp spends on the instruction. */
static double step(const MachineInstruction *instruction, WaitWalk *walk)
{
    double start = walk->now, issue = start;
    for (int i = 0; i < MACHINE_BARRIERS; i++)
        if (instruction->waits >> i & 1)
            issue = fmax(issue, walk->released[i]);
    release(walk, instruction->result_barrier, issue + latency_of(instruction, walk));
    release(walk, instruction->operand_barrier, issue + OTHER_CYCLES);
    walk->now = issue + fmax(instruction->stall, blocking_of(instruction, walk));
    return walk->now - start;
}

/* The warp walks through the code from start to end. It passes each innermost loop twice, and the second pass counts,
 * since it waits for loads of the iteration before. `part` is the weight of this walk. */
static void walk_once(MachineInstruction *instructions, size_t count, WaitWalk *walk, double part)
{
    int64_t last_backward = -1;
    for (size_t i = 0; i < count; i++) {
        int64_t target = instructions[i].target;
        bool is_loop = target >= 0 && target <= (int64_t)i, is_innermost = is_loop && target > last_backward;
        instructions[i].first_pass_cycles = step(&instructions[i], walk);
        instructions[i].cycles += part * instructions[i].first_pass_cycles;
        for (size_t j = (size_t)target; is_innermost && j <= i; j++) {
            double spent = step(&instructions[j], walk);
            instructions[j].cycles += part * (spent - instructions[j].first_pass_cycles);
        }
        last_backward = is_loop ? (int64_t)i : last_backward;
    }
}

/* Each load is slow in as many walks as its share says. */
void machine_wait(MachineInstruction *instructions, size_t count, const HardwareProfile *profile,
                  const LoadShare *loads, LoadShare local)
{
    int32_t last = 0;
    for (size_t i = 0; i < count; i++) {
        MachineInstruction *instruction = &instructions[i];
        last = instruction->access > last ? instruction->access : last;
        bool is_known = loads != NULL && instruction->access >= 0 && is_uniform_load(instruction);
        instruction->missing = is_known ? loads[instruction->access].memory : 0;
        instruction->cycles = 0;
    }
    for (int i = 0; i < WALKS; i++) {
        WaitWalk walk = {.profile = profile,
                         .loads = loads,
                         .local = local,
                         .place = (i + 0.5) / WALKS,
                         .turns = zeroed((size_t)last + 2, sizeof *walk.turns)};
        walk_once(instructions, count, &walk, 1.0 / WALKS);
        free(walk.turns);
    }
}

/* ==== machine code ================================================================================================ */

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
    if (instruction->kind != ALU)
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

/* Calls, textures and matrices can lead to anything. */
static bool can_be_float(const Instruction *instruction)
{
    switch (instruction->kind) {
    case LOAD:
    case STORE:
    case LOAD_PARAMETER: return false;
    case ALU: {
        const OpClass class = opcode_info((Opcode)instruction->opcode)->op_class;
        return class == FP32 || class == FMA32 || class == SPECIAL;
    }
    default: return true;
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
        program->lines[number].may_be_float |= can_be_float(instruction);
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

/* One copy of each line, from the stretch with the most. Neither may a table of lines that was made up hide what a block
 * must do, nor have it look as if it did a lot. */
void machine_code_weigh(const MachineProgram *program, Code *code)
{
    enum { MERGED_LOADS = 4, MOST_OF_ONE = 3 }; /* cost.c */
    double *work = zeroed((size_t)code->block_count + 1, sizeof *work);
    for (size_t i = 0; program != NULL && i < program->line_count; i++) {
        const MachineLine *line = &program->lines[i];
        const MachineVariant *most = NULL;
        for (int k = 0; k < line->variant_count; k++)
            if (most == NULL || line->variants[k].copies > most->copies)
                most = &line->variants[k];
        if (most != NULL && line->block >= 0)
            work[line->block] += most->work.issue;
    }
    for (int i = 0; i < code->block_count; i++) {
        BasicBlock *block = &code->blocks[i];
        const double least = block->classes[FMA32] + block->classes[FMA64] + block->loads +
                             (double)block->shared_loads / MERGED_LOADS;
        block->work = program == NULL ? block->instructions
                                      : (uint32_t)ceil(fmin(fmax(work[i], least), MOST_OF_ONE * block->instructions));
        block->work += block->work == 0 && block->instructions > 0;
    }
    free(work);
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
