#include "simgpu/cost/machine_total.h"

#include "base/allocated.h"

#include <math.h>
#include <stdlib.h>

/* A line of PTX in a launch. */
typedef struct LineRun {
    double executed;   /* by warps */
    double most;       /* of the statements on it so far, in the current instance */
    int32_t block;     /* that executed it most often */
    MachineWork work;  /* as often as its block ran */
    MachineWork least; /* as often as its stretches ran at least */
} LineRun;

/* ---- as often as basic blocks ran ------------------------------------------------------------------------------- */

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

static void add_line_run(const MachineProgram *program, const MachineLine *line, const uint64_t *executed, LineRun *run)
{
    double iterations = iterations_of(program, run->block, executed), times = executions_of(line, run->block, executed);
    run->executed += run->most;
    machine_work_add(&run->work, &line->dispatch, times / iterations);
    if (line->variant_count > 0)
        add_line(line, &program->blocks[line->block].copies, iterations, times, &run->work);
}

/* The machine code has one line for all statements that stand on it, so that the block that ran most counts for all. */
static void run_lines(const MachineProgram *program, const Code *code, const uint64_t *executed, LineRun *runs)
{
    for (int i = 0; i < code->line_count; i++) {
        const CodeLine *statement = &code->lines[i];
        const MachineLine *line = &program->lines[statement->ptx_line];
        LineRun *run = &runs[statement->ptx_line];
        if (statement->place == 0 || (double)executed[statement->block] > run->most) {
            run->block = statement->block;
            run->most = (double)executed[statement->block];
        }
        if ((uint32_t)statement->place + 1 == line->statements)
            add_line_run(program, line, executed, run);
    }
}

/* ---- as often as stretches ran at least -------------------------------------------------------------------------- */

/* The part of a block's executions that run the stretch with so many copies of it. */
static double share_of_copies(const MachineCopies *block, double iterations, uint32_t copies)
{
    double left = floor(iterations + 0.5), all = left;
    for (int i = 0; i < block->count; i++) {
        double taken = i + 1 < block->count ? floor(left / block->copies[i]) * block->copies[i] : left;
        if (block->copies[i] == copies)
            return taken / all;
        left -= taken;
    }
    return 0;
}

/* The other stretches that show as many copies of a line: it is not known how its executions divide among them, unless
 * they lie in the same loop, where each is assumed to have an equal share. */
typedef struct Alike {
    uint32_t parts; /* all parts that show the line */
    uint32_t shown[MACHINE_VARIANTS], count[MACHINE_VARIANTS];
    int32_t loop[MACHINE_VARIANTS];
    int kinds;
} Alike;

enum { DIFFERENT_LOOPS = -2 };

static void note_part(const MachineProgram *program, const MachinePart *part, Alike *alike)
{
    int i = 0;
    int32_t loop = program->flow.loop[part->stretch];
    alike->parts++;
    while (i < alike->kinds && alike->shown[i] != part->shown)
        i++;
    if (i == MACHINE_VARIANTS)
        return;
    if (i == alike->kinds) {
        alike->kinds++;
        alike->shown[i] = part->shown;
        alike->loop[i] = loop;
    }
    alike->count[i]++;
    alike->loop[i] = alike->loop[i] == loop ? loop : DIFFERENT_LOOPS;
}

static const uint32_t *parts_alike(const Alike *alike, uint32_t shown)
{
    for (int i = 0; i < alike->kinds; i++)
        if (alike->shown[i] == shown && alike->loop[i] != DIFFERENT_LOOPS)
            return &alike->count[i];
    return NULL;
}

/* How often the stretch of a part ran at least; 0: unknown. */
static double least_runs(const MachineProgram *program, const MachinePart *part, const LineRun *run, const Alike *alike,
                         const uint64_t *executed)
{
    const uint32_t *count = parts_alike(alike, part->shown);
    if (count == NULL)
        return 0;
    if (*count == alike->parts)
        return run->executed / part->shown / *count;
    const MachineCopies *copies = &program->blocks[program->lines[part->line].block].copies;
    double iterations = iterations_of(program, run->block, executed);
    uint32_t shown = has_copies(copies, part->copies) ? part->copies : part->shown;
    return run->executed * share_of_copies(copies, iterations, shown) / part->shown / *count;
}

static void run_stretches(const MachineProgram *program, const uint64_t *executed, LineRun *runs)
{
    Alike *alike = zeroed(program->line_count + 1, sizeof *alike);
    double *least = zeroed((size_t)program->flow.count + 1, sizeof *least);
    for (size_t i = 0; i < program->part_count; i++)
        if (program->parts[i].shown > 0)
            note_part(program, &program->parts[i], &alike[program->parts[i].line]);
    for (size_t i = 0; i < program->part_count; i++) {
        const MachinePart *part = &program->parts[i];
        double known = part->shown == 0 ? 0
                                        : least_runs(program, part, &runs[part->line], &alike[part->line], executed);
        least[part->stretch] = fmax(least[part->stretch], known);
    }
    machine_flow_raise(&program->flow, least);
    for (size_t i = 0; i < program->part_count; i++)
        machine_work_add(&runs[program->parts[i].line].least, &program->parts[i].work,
                         least[program->parts[i].stretch]);
    free(alike);
    free(least);
}

/* ---- both ------------------------------------------------------------------------------------------------------- */

/* The constants of the cost model were found with the first count. Over all accepted solutions, the larger of the two
 * is at most a tenth more than the first, except where that leaves out loads. So nine tenths of it count. */
static const double CERTAIN = 0.9;

/* Which loads a warp waits for is drawn, and code can be arranged to suit the draws. In nearly all accepted
 * solutions they are at most a fifth below the mean of all draws. */
static const double NOT_DRAWN = 0.8;

void machine_total(const MachineProgram *program, const Code *code, const uint64_t *executed, MachineWork *sum)
{
    LineRun *runs = zeroed(program->line_count + 1, sizeof *runs);
    MachineWork first = {0}, larger = {0};
    run_lines(program, code, executed, runs);
    run_stretches(program, executed, runs);
    for (size_t i = 0; i < program->line_count; i++) {
        MachineWork of_line = machine_work_larger(&runs[i].work, &runs[i].least);
        machine_work_add(&first, &runs[i].work, 1);
        machine_work_add(&larger, &of_line, CERTAIN);
    }
    *sum = machine_work_larger(&first, &larger);
    sum->cycles = fmax(sum->cycles, NOT_DRAWN * sum->checked_cycles);
    free(runs);
}
