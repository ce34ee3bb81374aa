#include "leaderboard/standing.h"

#include <stdlib.h>
#include <string.h>

static int by_number(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *numbers, size_t count)
{
    qsort(numbers, count, sizeof *numbers, by_number);
    return count % 2 == 1 ? numbers[count / 2] : (numbers[count / 2 - 1] + numbers[count / 2]) / 2;
}

static MeasuredTime median_time(const StoredRun *runs, size_t count)
{
    Arena arena = {0};
    double *ms = arena_array(&arena, count, sizeof *ms), *uncertainty = arena_array(&arena, count, sizeof *uncertainty);
    for (size_t i = 0; i < count; i++) {
        ms[i] = runs[i].time.ms;
        uncertainty[i] = runs[i].time.uncertainty;
    }
    MeasuredTime time = {.ms = median(ms, count), .uncertainty = median(uncertainty, count)};
    arena_free(&arena);
    return time;
}

/* Runs that compare equal are pooled. */
static int by_pool(const void *a, const void *b)
{
    const StoredRun *x = a, *y = b;
    int order = strcmp(x->person, y->person);
    return order == 0 ? strcmp(x->machine_code, y->machine_code) : order;
}

/* Copies the runs and gives each the pooled time of its person and code. */
static StoredRun *pooled_runs(const StoredRun *runs, size_t count, Arena *arena)
{
    StoredRun *pooled = arena_array(arena, count, sizeof *pooled);
    if (count > 0)
        memcpy(pooled, runs, count * sizeof *pooled);
    qsort(pooled, count, sizeof *pooled, by_pool);
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && by_pool(&pooled[first], &pooled[end]) == 0; end++)
            ;
        MeasuredTime time = median_time(pooled + first, end - first);
        for (size_t i = first; i < end; i++)
            pooled[i].time = time;
    }
    return pooled;
}

bool pooled_time(const StoredRun *runs, size_t run_count, const char *person, const char *machine_code,
                 MeasuredTime *pooled)
{
    Arena arena = {0};
    StoredRun *all = pooled_runs(runs, run_count, &arena);
    const StoredRun wanted = {.person = person, .machine_code = machine_code};
    const StoredRun *found = run_count == 0 ? NULL : bsearch(&wanted, all, run_count, sizeof *all, by_pool);
    if (found != NULL)
        *pooled = found->time;
    arena_free(&arena);
    return found != NULL;
}

/* Sorts by person, then the fastest first, and of equally fast runs the latest first. */
static int by_person(const void *a, const void *b)
{
    const StoredRun *x = a, *y = b;
    int order = strcmp(x->person, y->person);
    if (order == 0)
        order = by_number(&x->time.ms, &y->time.ms);
    return order == 0 ? strcmp(y->time_utc, x->time_utc) : order;
}

static int by_time(const void *a, const void *b)
{
    const Standing *x = a, *y = b;
    int order = by_number(&x->time.ms, &y->time.ms);
    return order == 0 ? strcmp(x->person, y->person) : order;
}

static void assign_ranks(Standing *standings, size_t count)
{
    Arena arena = {0};
    MeasuredTime *others = arena_array(&arena, count, sizeof *others);
    for (size_t i = 0; i < count; i++) {
        size_t other_count = 0;
        for (size_t k = 0; k < count; k++)
            if (k != i)
                others[other_count++] = standings[k].time;
        standings[i].percentile = percentile_among(standings[i].time, others, other_count);
        standings[i].rank = 1 + standings[i].percentile.faster;
    }
    arena_free(&arena);
}

Standing *standings_of(const StoredRun *runs, size_t run_count, Arena *arena, size_t *count)
{
    StoredRun *pooled = pooled_runs(runs, run_count, arena);
    Standing *standings = arena_array(arena, run_count, sizeof *standings);
    *count = 0;
    qsort(pooled, run_count, sizeof *pooled, by_person);
    for (size_t i = 0; i < run_count; i++)
        if (i == 0 || strcmp(pooled[i].person, pooled[i - 1].person) != 0)
            standings[(*count)++] = (Standing){pooled[i].person, pooled[i].time_utc, pooled[i].time, 0, {0},
                                               pooled[i].id};
    qsort(standings, *count, sizeof *standings, by_time);
    assign_ranks(standings, *count);
    return standings;
}
