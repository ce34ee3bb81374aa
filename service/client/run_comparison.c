#include "service/client/run_comparison.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double MOST_MS = 1e12, MOST_UNCERTAINTY = 1e9, MOST_COUNT = 1e300;

/* ---- results ----------------------------------------------------------------------------------------------------- */

static const char *string_or(const cJSON *object, const char *key, const char *otherwise)
{
    const char *value = json_string(object, key);
    return value == NULL ? otherwise : value;
}

static Status read_time(const JsonFile *file, const cJSON *object, const char *key, MeasuredTime *time, Message *why)
{
    Status status = json_number(file, object, key, 0, MOST_MS, &time->ms, why);
    return status == STATUS_OK ? json_number(file, object, "uncertainty", 0, MOST_UNCERTAINTY, &time->uncertainty, why)
                               : status;
}

/* ---- cases ------------------------------------------------------------------------------------------------------- */

static ComparedCase *case_named(RunComparison *comparison, const char *name)
{
    for (size_t i = 0; i < comparison->case_count; i++)
        if (strcmp(comparison->cases[i].name, name) == 0)
            return &comparison->cases[i];
    return NULL;
}

static Status add_case(const JsonFile *file, const cJSON *item, int side, RunComparison *comparison, size_t *capacity,
                       Message *why)
{
    const char *name = json_string(item, "name");
    if (name == NULL)
        return json_fail(file, item, why, "expected a case with a \"name\"");
    ComparedCase *found = case_named(comparison, name);
    if (found == NULL) {
        comparison->cases = arena_grown(&comparison->arena, comparison->cases, comparison->case_count, capacity,
                                        sizeof *comparison->cases);
        found = &comparison->cases[comparison->case_count++];
        *found = (ComparedCase){.name = name};
    }
    found->verdicts[side] = string_or(item, "verdict", "");
    found->limiters[side] = json_string(json_get(item, "counters"), "limiter");
    return read_time(file, item, "time_ms", &found->times[side], why);
}

static Status add_cases(const JsonFile results[2], RunComparison *comparison, Message *why)
{
    size_t capacity = 0;
    const cJSON *item;
    for (int side = 0; side < 2; side++)
        cJSON_ArrayForEach(item, json_get(results[side].root, "cases"))
        {
            Status status = add_case(&results[side], item, side, comparison, &capacity, why);
            if (status != STATUS_OK)
                return status;
        }
    for (size_t i = 0; i < comparison->case_count && comparison->obstacle[0] == '\0'; i++) {
        ComparedCase *compared = &comparison->cases[i];
        compared->change = time_change(compared->times[0], compared->times[1]);
    }
    return STATUS_OK;
}

/* ---- counters ---------------------------------------------------------------------------------------------------- */

static ComparedCounter *counter_named(RunComparison *comparison, const char *name, size_t *capacity)
{
    for (size_t i = 0; i < comparison->counter_count; i++)
        if (strcmp(comparison->counters[i].name, name) == 0)
            return &comparison->counters[i];
    comparison->counters = arena_grown(&comparison->arena, comparison->counters, comparison->counter_count, capacity,
                                       sizeof *comparison->counters);
    ComparedCounter *counter = &comparison->counters[comparison->counter_count++];
    *counter = (ComparedCounter){.name = name};
    return counter;
}

static const cJSON *counters_of(const JsonFile *result, const char *name)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, json_get(result->root, "cases"))
    {
        const char *found = json_string(item, "name");
        if (found != NULL && strcmp(found, name) == 0)
            return json_get(item, "counters");
    }
    return NULL;
}

static bool is_count(const cJSON *item)
{
    return cJSON_IsNumber(item) && item->valuedouble >= 0 && item->valuedouble <= MOST_COUNT;
}

/* How the simulated GPU drew blocks is no property of the program. */
static bool is_of_sampling(const char *name)
{
    return strncmp(name, "sample", 6) == 0;
}

static void add_counters_of(const cJSON *before, const cJSON *after, RunComparison *comparison, size_t *capacity)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, before)
    {
        const cJSON *other = json_get(after, item->string);
        if (!is_count(item) || !is_count(other) || is_of_sampling(item->string))
            continue;
        ComparedCounter *counter = counter_named(comparison, item->string, capacity);
        counter->values[0] += item->valuedouble;
        counter->values[1] += other->valuedouble;
        counter->cases++;
    }
}

/* A counter that appears or vanishes has changed without bounds; by how much it differs then decides. */
static double weight(const ComparedCounter *counter)
{
    const double a = counter->values[0], b = counter->values[1];
    return fabs(log((b + 1e-3) / (a + 1e-3)));
}

static int compare_weights(const void *a, const void *b)
{
    const double one = weight(a), other = weight(b);
    return one > other ? -1 : one < other;
}

static void add_counters(const JsonFile results[2], RunComparison *comparison)
{
    size_t capacity = 0;
    for (size_t i = 0; i < comparison->case_count; i++)
        add_counters_of(counters_of(&results[0], comparison->cases[i].name),
                        counters_of(&results[1], comparison->cases[i].name), comparison, &capacity);
    for (size_t i = 0; i < comparison->counter_count; i++)
        if (strcmp(comparison->counters[i].name, "occupancy") == 0)
            for (int side = 0; side < 2; side++)
                comparison->counters[i].values[side] /= (double)comparison->counters[i].cases;
    if (comparison->counter_count > 0)
        qsort(comparison->counters, comparison->counter_count, sizeof *comparison->counters, compare_weights);
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

Status run_comparison_make(const JsonFile results[2], const int64_t runs[2], RunComparison *comparison, Message *why)
{
    *comparison = (RunComparison){
        .runs = {runs[0], runs[1]},
        .problem = string_or(results[1].root, "problem", ""),
        .device_name = string_or(results[1].root, "device_name", ""),
        .modelled = cJSON_IsTrue(json_get(results[1].root, "modelled")),
    };
    Status status = STATUS_OK;
    for (int side = 0; side < 2 && status == STATUS_OK; side++) {
        comparison->verdicts[side] = string_or(results[side].root, "verdict", "");
        status = read_time(&results[side], results[side].root, "score_ms", &comparison->scores[side], why);
    }
    if (status != STATUS_OK)
        return status;
    time_change_obstacle(results[0].root, results[1].root, comparison->obstacle, sizeof comparison->obstacle);
    if (comparison->obstacle[0] == '\0')
        comparison->change = time_change(comparison->scores[0], comparison->scores[1]);
    status = add_cases(results, comparison, why);
    if (status == STATUS_OK)
        add_counters(results, comparison);
    return status;
}

void run_comparison_free(RunComparison *comparison)
{
    arena_free(&comparison->arena);
    *comparison = (RunComparison){0};
}
