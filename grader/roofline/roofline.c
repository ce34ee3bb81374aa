#include "grader/roofline/roofline.h"

#include "grader/timing/timing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double CLOSE = 1.1; /* a reference solution should be faster than a rival by this factor */

static double seconds(double work, double per_s)
{
    return per_s > 0 ? work / per_s : 0;
}

Roofs roofs_of(double bytes, double operations, const DeviceInfo *device)
{
    return (Roofs){.bytes_s = seconds(bytes, device->copy_bytes_per_s),
                   .float32_s = seconds(operations, device->fma_flops_per_s),
                   .tf32_s = seconds(operations, device->tf32_flops_per_s)};
}

double roofs_direct_s(const Roofs *roofs, Precision precision)
{
    const double operations_s = precision == PRECISION_TF32 ? roofs->tf32_s : roofs->float32_s;
    return roofs->bytes_s > 0 && operations_s > 0 ? fmax(roofs->bytes_s, operations_s) : 0;
}

Roofline roofline_new(const Problem *problem, const TestcaseSet *set, const DeviceInfo *device)
{
    Roofline roofline = {.problem = problem, .device = *device};
    roofline.cases = arena_array(&roofline.arena, set->count, sizeof *roofline.cases);
    for (size_t i = 0; i < set->count; i++) {
        const Testcase *testcase = &set->cases[i];
        if (testcase->group == CASE_TIMED)
            roofline.cases[roofline.case_count++] = (RooflineCase){
                testcase, roofs_of((double)testcase->bytes, (double)testcase->operations, device)};
    }
    return roofline;
}

void roofline_free(Roofline *roofline)
{
    arena_free(&roofline->arena);
    *roofline = (Roofline){0};
}

TimedProgram *roofline_add(Roofline *roofline, const char *name, bool is_rival, Precision precision)
{
    Arena *arena = &roofline->arena;
    roofline->programs = arena_grown(arena, roofline->programs, roofline->program_count, &roofline->program_room,
                                     sizeof *roofline->programs);
    TimedProgram *program = &roofline->programs[roofline->program_count++];
    *program = (TimedProgram){.name = arena_string(arena, name),
                              .is_rival = is_rival,
                              .precision = precision,
                              .times = arena_array(arena, roofline->case_count, sizeof *program->times),
                              .variants = arena_array(arena, roofline->case_count, sizeof *program->variants)};
    return program;
}

size_t roofline_case(const Roofline *roofline, const char *name)
{
    size_t which = 0;
    while (which < roofline->case_count && strcmp(roofline->cases[which].testcase->name, name) != 0)
        which++;
    return which;
}

double roofline_share(const Roofline *roofline, const TimedProgram *program, size_t which)
{
    const double ms = program->times[which].ms;
    return ms > 0 ? 1e3 * roofs_direct_s(&roofline->cases[which].roofs, program->precision) / ms : 0;
}

static const TimedProgram *best_of(const Roofline *roofline, Precision precision, size_t which)
{
    const TimedProgram *best = NULL;
    for (const TimedProgram *one = roofline->programs; one < roofline->programs + roofline->program_count; one++)
        if (!one->is_rival && one->precision == precision && one->times[which].ms > 0 &&
            (best == NULL || one->times[which].ms < best->times[which].ms))
            best = one;
    return best;
}

const TimedProgram *roofline_best(const Roofline *roofline, size_t which)
{
    return best_of(roofline, PRECISION_FLOAT32, which);
}

static bool overlap(MeasuredTime shorter, MeasuredTime longer)
{
    return shorter.ms * (1 + shorter.uncertainty) >= longer.ms * (1 - longer.uncertainty);
}

bool roofline_is_close(const Roofline *roofline, const TimedProgram *rival, size_t which)
{
    const TimedProgram *best = best_of(roofline, rival->precision, which);
    const MeasuredTime theirs = rival->times[which];
    if (!rival->is_rival || best == NULL || !(theirs.ms > 0))
        return false;
    return theirs.ms < CLOSE * best->times[which].ms || overlap(best->times[which], theirs);
}

/* The programs with a time, fastest first. */
static size_t sort(const Roofline *roofline, const MeasuredTime *times, const TimedProgram **sorted)
{
    size_t count = 0;
    for (size_t i = 0; i < roofline->program_count; i++) {
        size_t place = count;
        if (!(times[i].ms > 0))
            continue;
        for (; place > 0 && times[sorted[place - 1] - roofline->programs].ms > times[i].ms; place--)
            sorted[place] = sorted[place - 1];
        sorted[place] = &roofline->programs[i];
        count++;
    }
    return count;
}

size_t roofline_sort(const Roofline *roofline, size_t which, const TimedProgram **sorted)
{
    Arena arena = {0};
    MeasuredTime *times = arena_array(&arena, roofline->program_count, sizeof *times);
    for (size_t i = 0; i < roofline->program_count; i++)
        times[i] = roofline->programs[i].times[which];
    const size_t count = sort(roofline, times, sorted);
    arena_free(&arena);
    return count;
}

MeasuredTime roofline_mean(const Roofline *roofline, const TimedProgram *program)
{
    return timing_score(program->times, roofline->case_count);
}

size_t roofline_sort_means(const Roofline *roofline, const TimedProgram **sorted)
{
    Arena arena = {0};
    MeasuredTime *times = arena_array(&arena, roofline->program_count, sizeof *times);
    for (size_t i = 0; i < roofline->program_count; i++)
        times[i] = roofline_mean(roofline, &roofline->programs[i]);
    const size_t count = sort(roofline, times, sorted);
    arena_free(&arena);
    return count;
}
