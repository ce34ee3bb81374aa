#include "simgpu/cost/machine_code.h"

#include "base/allocated.h"
#include "base/elf.h"
#include "simgpu/cost/machine_lines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- instructions ------------------------------------------------------------------------------------------------ */

/* Bits 0 to 8 of an instruction; bits 9 to 11 say which operands are immediate, constant or uniform. */
enum {
    MOV = 0x002,
    VIMNMX3 = 0x00f,
    IADD3 = 0x010,
    PLOP3 = 0x01c,
    FMUL = 0x020,
    FADD = 0x021,
    FFMA = 0x023,
    IMAD = 0x024,
    IMAD_HIGH = 0x027,
    HFMA2 = 0x035,
    VIADD = 0x036,
    I2FP = 0x045,
    VIMNMX = 0x048,
    FIRST_UNIFORM = 0x080,
    ULDC = 0x0b9,
    ULDC_INDEXED = 0x0bb,
    LAST_UNIFORM = 0x0ff,
    FLO = 0x100,
    POPC = 0x109,
    NOP = 0x118,
    BAR = 0x11d,
    CALL = 0x144,
    BRA = 0x147,
    BRX = 0x149,
    EXIT = 0x14d,
    RET = 0x150,
    LD = 0x180,
    LDG = 0x181,
    LDC = 0x182,
    LDL = 0x183,
    LDS = 0x184,
    ST = 0x185,
    LAST_MEMORY = 0x1af
};
enum { BARRIERS = 6, CONSTANT_BANK_OF_VARIABLES = 3, CONSTANT_OPERAND = 5 };

typedef struct Machine {
    uint32_t operation;   /* see above */
    uint32_t stall;       /* cycles until the warp's next instruction may issue */
    uint32_t sets[2];     /* barriers that it releases once its result is there, and once its operands are read;
                                 BARRIERS or more: none */
    uint32_t waits;       /* for these barriers, one bit each */
    bool of_variables;    /* where it reads a constant bank: that of __constant__ variables */
    bool direct;          /* an operand is a constant of them, at a fixed place */
    int32_t line;         /* of PTX */
    int32_t access;       /* Instruction.index of what it reads or writes; -1: not known */
    int64_t target;       /* of a branch: index of an instruction; -1: none */
    bool leads;           /* begins a stretch without branches */
    double cycles, spent; /* that the warp spends on it, on average and this time */
} Machine;

/* The distance of a branch counts from the next instruction: in bytes from bit 34 on, and since compute capability 9.0
 * in words of 4, whose lowest 8 bits stand from bit 16 on. */
static int64_t branch_target(const uint64_t word[2], size_t index, int compute_major)
{
    int64_t high = (int64_t)(word[0] >> 34 | (word[1] & 0x3ffff) << 30); /* 48 bits */
    high = (int64_t)((uint64_t)high << 16) >> 16;
    int64_t bytes = compute_major >= 9 ? ((int64_t)((uint64_t)high << 8) | (int64_t)(word[0] >> 16 & 0xff)) * 4 : high;
    return (int64_t)index + 1 + bytes / MACHINE_INSTRUCTION_BYTES;
}

static Machine decode(const uint64_t word[2], size_t index, int compute_major)
{
    Machine machine = {.operation = word[0] & 0x1ff,
                       .stall = word[1] >> 41 & 15,
                       .sets = {word[1] >> 46 & 7, word[1] >> 49 & 7},
                       .waits = word[1] >> 52 & 0x3f,
                       .of_variables = (word[0] >> 54 & 0x1f) == CONSTANT_BANK_OF_VARIABLES,
                       .target = -1};
    bool constant_operand = (word[0] >> 9 & 7) == CONSTANT_OPERAND && machine.operation < FIRST_UNIFORM;
    machine.direct = machine.of_variables && (constant_operand || machine.operation == ULDC);
    if (machine.operation == BRA)
        machine.target = branch_target(word, index, compute_major);
    return machine;
}

static bool is_load(uint32_t operation)
{
    return operation == LD || operation == LDG || operation == LDL;
}

static bool is_memory(const Machine *machine)
{
    uint32_t operation = machine->operation;
    bool constant = operation == LDC || operation == ULDC || operation == ULDC_INDEXED;
    return constant ? machine->of_variables : operation >= LD && operation <= LAST_MEMORY;
}

static bool ends_stretch(uint32_t operation)
{
    return operation == BRA || operation == BRX || operation == CALL || operation == RET;
}

static bool read_code(MachineProgram *program, const void *cubin, size_t bytes, const char *kernel, int compute_major)
{
    Elf elf;
    ElfSection section;
    if (cubin == NULL || !elf_open(&elf, cubin, bytes) || !elf_find(&elf, ".text.", kernel, &section) ||
        section.data == NULL || compute_major < 7 || compute_major > 9)
        return false;
    size_t count = program->instruction_count = section.bytes / MACHINE_INSTRUCTION_BYTES;
    program->instructions = calloc(count + 1, sizeof *program->instructions);
    int32_t *lines = calloc(count + 1, sizeof *lines);
    bool known = program->instructions != NULL && lines != NULL && machine_lines(cubin, bytes, kernel, lines, count);
    for (size_t i = 0; known && i < count; i++) {
        uint64_t word[2];
        memcpy(word, section.data + i * MACHINE_INSTRUCTION_BYTES, sizeof word);
        program->instructions[i] = decode(word, i, compute_major);
        program->instructions[i].line = lines[i];
    }
    free(lines);
    return known;
}

/* ULDC mostly loads two elements, an operand is one. */
static uint32_t direct_bytes(const MachineProgram *machine)
{
    uint32_t bytes = 0;
    for (size_t i = 0; i < machine->instruction_count; i++)
        if (machine->instructions[i].direct)
            bytes += machine->instructions[i].operation == ULDC ? 8 : 4;
    return bytes;
}

static void find_stretches(MachineProgram *machine)
{
    for (size_t i = 0; i < machine->instruction_count; i++) {
        Machine *instruction = &machine->instructions[i];
        instruction->leads |= i == 0;
        if (ends_stretch(instruction->operation))
            machine->instructions[i + 1].leads = true;
        if (instruction->target >= 0 && (size_t)instruction->target < machine->instruction_count)
            machine->instructions[instruction->target].leads = true;
    }
}

/* ---- waiting ----------------------------------------------------------------------------------------------------- */

/* A warp alone on its way through the code. */
typedef struct Waiting {
    const HardwareProfile *profile;
    const LoadShare *loads; /* NULL: the L1 serves all */
    uint32_t random;
    double now, released[BARRIERS];
} Waiting;

/* A number from 0 to 1: Numerical Recipes, "quick and dirty" generator. The same ones for each launch. */
static double draw(Waiting *waiting)
{
    waiting->random = waiting->random * 1664525 + 1013904223;
    return (double)waiting->random / UINT32_MAX;
}

static double load_latency_s(const Machine *machine, Waiting *waiting)
{
    const HardwareProfile *profile = waiting->profile;
    if (waiting->loads == NULL || machine->operation == LDL || machine->access < 0)
        return profile->l1_latency_s;
    LoadShare share = waiting->loads[machine->access];
    double number = draw(waiting);
    return number < share.memory              ? profile->global_latency_s
           : number < share.memory + share.l2 ? profile->l2_latency_s
                                              : profile->l1_latency_s;
}

/* Of functions and conversions (17), votes (21): measured on an H200 (simgpu/calibrate, chains). Of other results, and
 * until a load or a store has read its operands: a guess. */
enum { OTHER_CYCLES = 20 };

/* Cycles until a result is there. */
static double latency_of(const Machine *machine, Waiting *waiting)
{
    const HardwareProfile *profile = waiting->profile;
    uint32_t operation = machine->operation;
    if (is_load(operation))
        return load_latency_s(machine, waiting) * profile->clock_hz;
    if (operation == LDS)
        return profile->shared_latency_s * profile->clock_hz;
    if (operation == LDC && machine->of_variables)
        return profile->constant_latency_s * profile->clock_hz;
    return OTHER_CYCLES;
}

static void release(Waiting *waiting, uint32_t barrier, double at)
{
    if (barrier < BARRIERS)
        waiting->released[barrier] = fmax(waiting->released[barrier], at);
}

/* Cycles until the warp goes on, whatever the scheduling bits say. A load by the uniform datapath that misses lets nothing
 * of its warp pass. Branches: found with loops over 3 x 3 to 15 x 15 constants by one warp, on an H200; a barrier of four
 * warps that come together: 20 (simgpu/calibrate, planes and chains). */
static double blocking_of(const Machine *machine, Waiting *waiting)
{
    enum { BRANCH_CYCLES = 8, BARRIER_CYCLES = 20 };
    if (machine->operation == BAR || machine->operation == BRA)
        return machine->operation == BAR ? BARRIER_CYCLES : BRANCH_CYCLES;
    bool misses = machine->operation == ULDC_INDEXED && machine->of_variables && machine->access >= 0 &&
                  waiting->loads != NULL && draw(waiting) < waiting->loads[machine->access].l2;
    return misses ? waiting->profile->uniform_miss_latency_s * waiting->profile->clock_hz : 1;
}

/* Returns the cycles that the warp spends on it. */
static double step(const Machine *instruction, Waiting *waiting)
{
    double start = waiting->now, issue = start;
    for (int i = 0; i < BARRIERS; i++)
        if (instruction->waits >> i & 1)
            issue = fmax(issue, waiting->released[i]);
    release(waiting, instruction->sets[0], issue + latency_of(instruction, waiting));
    release(waiting, instruction->sets[1], issue + OTHER_CYCLES);
    waiting->now = issue + fmax(instruction->stall, blocking_of(instruction, waiting));
    return waiting->now - start;
}

/* The warp goes through the code from its start to its end. An innermost loop is gone through twice, and the second
 * time counts: it is the one that finds loads of the turn before under way. */
static void walk(MachineProgram *machine, Waiting *waiting, double part)
{
    Machine *instructions = machine->instructions;
    int64_t last_backward = -1;
    for (size_t i = 0; i < machine->instruction_count; i++) {
        int64_t target = instructions[i].target;
        bool is_loop = target >= 0 && target <= (int64_t)i, is_innermost = is_loop && target > last_backward;
        instructions[i].cycles += part * (instructions[i].spent = step(&instructions[i], waiting));
        for (size_t j = (size_t)target; is_innermost && j <= i; j++) {
            double spent = step(&instructions[j], waiting);
            instructions[j].cycles += part * (spent - instructions[j].spent);
        }
        last_backward = is_loop ? (int64_t)i : last_backward;
    }
}

/* Often enough to meet with slow loads as often as they are slow. */
static void find_waiting(MachineProgram *machine, Waiting waiting)
{
    enum { WALKS = 8 };
    for (size_t i = 0; i < machine->instruction_count; i++)
        machine->instructions[i].cycles = 0;
    for (int i = 0; i < WALKS; i++)
        walk(machine, &waiting, 1.0 / WALKS);
}

/* ---- work of a line ---------------------------------------------------------------------------------------------- */

static bool is_integer_or_comparison(uint32_t operation)
{
    return (operation >= MOV && operation <= VIMNMX3) || (operation >= IADD3 && operation <= PLOP3) ||
           operation == VIADD || (operation >= I2FP && operation <= VIMNMX);
}

static MachineWork work_of(const Machine *machine)
{
    uint32_t operation = machine->operation;
    bool multiplies = (operation >= IMAD && operation <= IMAD_HIGH) || operation == HFMA2;
    bool loads_constant = machine->of_variables && is_memory(machine);
    return (MachineWork){
        .issue = 1,
        .fma = multiplies || operation == FMUL || operation == FADD || operation == FFMA,
        .multiply = multiplies,
        .alu = is_integer_or_comparison(operation),
        .special = operation >= FLO && operation <= POPC,
        .shared = operation == LDS,
        .constant = loads_constant && operation == LDC,
        .direct = machine->direct,
        .uniform = loads_constant && operation == ULDC_INDEXED,
        .cycles = machine->cycles,
    };
}

static void add_work(MachineWork *sum, const MachineWork *work, double times)
{
    sum->issue += times * work->issue;
    sum->fma += times * work->fma;
    sum->multiply += times * work->multiply;
    sum->alu += times * work->alu;
    sum->special += times * work->special;
    sum->shared += times * work->shared;
    sum->constant += times * work->constant;
    sum->uniform += times * work->uniform;
    sum->direct += times * work->direct;
    sum->cycles += times * work->cycles;
}

/* ---- what stretches hold ----------------------------------------------------------------------------------------- */

/* A line of PTX in the stretch that is being looked at. */
typedef struct Here {
    MachineWork work;         /* of all copies */
    uint32_t count, accesses; /* machine instructions, and those of memory among them */
} Here;

/* A block of PTX there. */
typedef struct BlockHere {
    uint32_t copies;
    uint32_t instructions, rarest; /* of all its lines; of the line with the fewest */
    bool accesses;                 /* memory */
} BlockHere;

typedef struct Look {
    MachineProgram *program;
    Here *here;            /* [program->line_count] */
    BlockHere *blocks;     /* [block] zeros but for those of lines in this stretch, as is loop_copies */
    uint32_t *loop_copies; /* [loop] most copies of one of its blocks, by accesses to memory */
    uint32_t *touched;     /* [touched_count] lines of this stretch */
    size_t touched_count;
    bool knows_copies; /* MachineBlock.copies: from the second look on */
} Look;

static int32_t block_of(const Look *look, size_t touched)
{
    return look->program->lines[look->touched[touched]].block;
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

/* Of a block without accesses to memory: some lines take several instructions, but not all of them do. */
static uint32_t copies_by_lines(const BlockHere *here, uint32_t lines)
{
    uint32_t average = (here->instructions + lines / 2) / lines;
    uint32_t copies = average < here->rarest ? average : here->rarest;
    return copies > 1 ? copies : 1;
}

/* How often a stretch holds a block: as often as one of its accesses to memory, which ptxas does not split. A block
 * without any is there as often as others of its loop, or else as its lines are. */
static void count_copies(Look *look)
{
    MachineProgram *program = look->program;
    for (size_t i = 0; i < look->touched_count; i++) {
        const Here *line = &look->here[look->touched[i]];
        BlockHere *here = &look->blocks[block_of(look, i)];
        uint32_t *in_loop = &look->loop_copies[program->blocks[block_of(look, i)].loop];
        here->accesses |= line->accesses > 0;
        here->copies = line->accesses > here->copies ? line->accesses : here->copies;
        here->rarest = here->instructions == 0 || line->count < here->rarest ? line->count : here->rarest;
        here->instructions += line->count;
        *in_loop = line->accesses > *in_loop ? line->accesses : *in_loop;
    }
    for (size_t i = 0; i < look->touched_count; i++) {
        MachineBlock *block = &program->blocks[block_of(look, i)];
        BlockHere *here = &look->blocks[block_of(look, i)];
        uint32_t in_loop = block->loop > 0 ? look->loop_copies[block->loop] : 0;
        block->accesses |= here->accesses;
        if (here->accesses)
            add_copies(&block->copies, here->copies);
        else
            here->copies = in_loop > 0 ? in_loop : copies_by_lines(here, block->lines);
    }
}

static void add_variant(MachineLine *line, uint32_t copies, const MachineWork *all)
{
    MachineWork one = {0};
    add_work(&one, all, 1.0 / copies);
    for (int i = 0; i < line->variant_count; i++)
        if (line->variants[i].copies == copies) {
            if (one.issue > line->variants[i].work.issue)
                line->variants[i].work = one;
            return;
        }
    if (line->variant_count < MACHINE_VARIANTS)
        line->variants[line->variant_count++] = (MachineVariant){.copies = copies, .work = one};
}

/* The first and the last block of the line's loop that stand in the stretch. */
static void find_neighbours(const Look *look, MachineLine *line)
{
    const MachineBlock *blocks = look->program->blocks;
    line->first = line->last = line->block;
    for (size_t i = 0; i < look->touched_count; i++) {
        int32_t block = block_of(look, i);
        if (blocks[block].loop != blocks[line->block].loop)
            continue;
        line->first = block < line->first ? block : line->first;
        line->last = block > line->last ? block : line->last;
    }
}

/* Of a block that is there in several copies, a stretch without its accesses decides which of them comes next. */
static bool is_choice(const Look *look, int32_t block)
{
    const MachineCopies *copies = &look->program->blocks[block].copies;
    return copies->count > 0 && copies->copies[0] > 1 && !look->blocks[block].accesses;
}

static void end_line(const Look *look, MachineLine *line, const MachineWork *work)
{
    if (is_choice(look, line->block))
        add_work(&line->choice, work, 1);
    else
        add_variant(line, look->blocks[line->block].copies, work);
    find_neighbours(look, line);
}

static void end_stretch(Look *look)
{
    count_copies(look);
    for (size_t i = 0; i < look->touched_count; i++) {
        Here *here = &look->here[look->touched[i]];
        if (look->knows_copies)
            end_line(look, &look->program->lines[look->touched[i]], &here->work);
        *here = (Here){0};
    }
    for (size_t i = 0; i < look->touched_count; i++) {
        int32_t block = block_of(look, i);
        look->blocks[block] = (BlockHere){0};
        look->loop_copies[look->program->blocks[block].loop] = 0;
    }
    look->touched_count = 0;
}

/* The line that an instruction counts for: its own, or where ptxas gives it one that executes nothing, such as the
 * kernel's first brace, that of the instruction before. */
static size_t line_of(const MachineProgram *program, const Machine *instruction, size_t before)
{
    size_t line = (size_t)instruction->line;
    bool executes = instruction->line > 0 && line < program->line_count && program->lines[line].block >= 0;
    return executes ? line : before;
}

static void look_at_stretches(Look *look)
{
    const MachineProgram *program = look->program;
    size_t line = 0;
    for (size_t i = 0; i < program->instruction_count; i++) {
        const Machine *instruction = &program->instructions[i];
        line = line_of(program, instruction, line);
        if (line > 0 && instruction->operation != NOP) {
            Here *here = &look->here[line];
            MachineWork work = work_of(instruction);
            if (here->count == 0)
                look->touched[look->touched_count++] = (uint32_t)line;
            add_work(&here->work, &work, 1);
            here->count++;
            here->accesses += is_memory(instruction);
        }
        if (i + 1 == program->instruction_count || program->instructions[i + 1].leads)
            end_stretch(look);
    }
}

static void find_accesses(MachineProgram *program)
{
    for (size_t i = 0; i < program->instruction_count; i++) {
        size_t line = line_of(program, &program->instructions[i], 0);
        program->instructions[i].access = line > 0 ? program->lines[line].access : -1;
    }
}

/* ---- the program ------------------------------------------------------------------------------------------------- */

/* Where the loop begins that block `end` ends; -1: it ends none. A loop is entered from the block before it. */
static int loop_start(const Code *code, int end)
{
    const BasicBlock *block = &code->blocks[end];
    return block->ends == END_BRANCH && block->target > 0 && block->target <= end ? block->target : -1;
}

static void find_loops(const Code *code, MachineProgram *program)
{
    for (int end = code->block_count - 1; end >= 0; end--) /* of loops within each other, the inner one */
        for (int first = loop_start(code, end), i = first; first >= 0 && i <= end; i++)
            program->blocks[i].loop = first;
}

static bool new_program(const Code *code, MachineProgram *program)
{
    for (int i = 0; i < code->line_count; i++)
        if ((size_t)code->lines[i].ptx_line >= program->line_count)
            program->line_count = (size_t)code->lines[i].ptx_line + 1;
    program->lines = calloc(program->line_count + 1, sizeof *program->lines);
    program->blocks = calloc((size_t)code->block_count + 1, sizeof *program->blocks);
    if (program->lines == NULL || program->blocks == NULL)
        return false;
    for (size_t i = 0; i < program->line_count; i++)
        program->lines[i].block = -1;
    for (int i = code->line_count - 1; i >= 0; i--) {
        program->lines[code->lines[i].ptx_line].block = code->lines[i].block;
        program->lines[code->lines[i].ptx_line].access = code->lines[i].access;
        program->blocks[code->lines[i].block].lines++;
    }
    find_loops(code, program);
    return true;
}

static void look_at(const Code *code, MachineProgram *program, bool knows_copies)
{
    size_t blocks = (size_t)code->block_count;
    Look look = {.program = program,
                 .knows_copies = knows_copies,
                 .here = zeroed(program->line_count, sizeof *look.here),
                 .blocks = zeroed(blocks, sizeof *look.blocks),
                 .loop_copies = zeroed(blocks, sizeof *look.loop_copies),
                 .touched = zeroed(program->line_count, sizeof *look.touched)};
    look_at_stretches(&look);
    free(look.here);
    free(look.blocks);
    free(look.loop_copies);
    free(look.touched);
}

bool machine_code_read(const void *cubin, size_t bytes, const char *kernel, const Code *code,
                       const HardwareProfile *profile, MachineProgram *program)
{
    *program = (MachineProgram){0};
    bool known = read_code(program, cubin, bytes, kernel, profile->compute_major) && new_program(code, program);
    if (known) {
        find_stretches(program);
        find_accesses(program);
        program->direct_bytes = direct_bytes(program);
        look_at(code, program, false);
        machine_code_wait(program, code, profile, NULL);
    } else {
        machine_code_free(program);
    }
    return known;
}

void machine_code_wait(MachineProgram *program, const Code *code, const HardwareProfile *profile,
                       const LoadShare *loads)
{
    find_waiting(program, (Waiting){.profile = profile, .loads = loads});
    for (size_t i = 0; i < program->line_count; i++) {
        program->lines[i].variant_count = 0;
        program->lines[i].choice = (MachineWork){0};
    }
    look_at(code, program, true);
}

void machine_code_free(MachineProgram *program)
{
    free(program->instructions);
    free(program->lines);
    free(program->blocks);
    *program = (MachineProgram){0};
}

/* ---- what a launch did ------------------------------------------------------------------------------------------- */

/* How often a block is executed in a row: turns of the innermost loop that it lies in, on average. */
static double turns_of(const MachineProgram *program, int block, const uint64_t *executed)
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

/* What a line does where its block stands in so many copies: nothing, where it belongs to the other stretches of the
 * block. Code that ptxas put between is there however many copies are taken. */
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

/* A loop goes through the code with the most copies of it as long as there are that many turns left, then through that
 * with fewer, and so on. */
static void add_line(const MachineLine *line, const MachineCopies *block, double turns, double executed,
                     MachineWork *sum)
{
    double left = floor(turns + 0.5), all = left;
    for (int i = 0; i < block->count; i++) {
        double taken = i + 1 < block->count ? floor(left / block->copies[i]) * block->copies[i] : left;
        const MachineWork *work = variant_of(line, block, block->copies[i]);
        if (work != NULL)
            add_work(sum, work, executed * taken / all);
        left -= taken;
    }
    if (block->count == 0)
        add_work(sum, variant_of(line, block, 1), executed);
}

/* Of a branch over few instructions ptxas makes a condition of each of them: who comes by before and behind goes
 * through them, too. */
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
        double turns = turns_of(program, block, executed), times = executions_of(line, block, executed);
        add_work(sum, &line->choice, times / turns);
        if (line->variant_count > 0)
            add_line(line, &program->blocks[line->block].copies, turns, times, sum);
    }
}
