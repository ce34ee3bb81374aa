#include "grader/authoring/mutant_pool.h"

#include "grader/authoring/equivalent_mutants.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static bool has_mutants(const char *path)
{
    const size_t length = strlen(path);
    return strstr(path, "/accepted/") != NULL && length > 3 && strcmp(path + length - 3, ".cu") == 0;
}

static size_t size_names(const Problem *problem, const char *names[PROBLEM_MAX_PARAMETERS])
{
    size_t count = 0;
    for (size_t i = 0; i < problem->parameter_count; i++)
        if (problem->parameters[i].role == ROLE_SIZE)
            names[count++] = problem->parameters[i].name;
    return count;
}

static Status read_files(const Problem *problem, const Paths *solutions, MutantPool *pool, Message *why)
{
    const char *sizes[PROBLEM_MAX_PARAMETERS];
    const size_t size_count = size_names(problem, sizes);
    Status status = STATUS_OK;
    pool->files = arena_array(&pool->arena, solutions->count, sizeof *pool->files);
    for (size_t i = 0; i < solutions->count && status == STATUS_OK; i++) {
        const char *path = solutions->items[i], *shown = strstr(path, "solutions/");
        PoolFile *file = &pool->files[pool->file_count];
        if (!has_mutants(path))
            continue;
        status = submission_read(path, &file->submission, why);
        if (status != STATUS_OK)
            break;
        pool->file_count++;
        file->shown = arena_string(&pool->arena, shown == NULL ? path : shown);
        mutants_make(file->submission.source.data, sizes, size_count, &file->mutants);
        pool->count += file->mutants.count;
    }
    return status;
}

static const char *kept(MutantPool *pool, Text *text)
{
    const char *copy = arena_string(&pool->arena, text->data);
    text_free(text);
    return copy;
}

static void list_mutants(MutantPool *pool)
{
    PoolMutant *item = pool->items = arena_array(&pool->arena, pool->count, sizeof *pool->items);
    for (size_t file = 0; file < pool->file_count; file++)
        for (size_t i = 0; i < pool->files[file].mutants.count; i++, item++) {
            Text before = {0}, after = {0};
            *item = (PoolMutant){.file = file, .mutant = &pool->files[file].mutants.items[i]};
            mutant_lines(pool->files[file].submission.source.data, item->mutant, &before, &after);
            item->before = kept(pool, &before);
            item->after = kept(pool, &after);
        }
}

/* ---- mutants that look the same --------------------------------------------------------------------------------------------- */

static bool look_equal(const PoolMutant *a, const PoolMutant *b)
{
    return a->file == b->file && strcmp(a->before, b->before) == 0 && strcmp(a->after, b->after) == 0;
}

/* How many of `count` mutants look like `wanted`. */
static int count_equal(const PoolMutant *items, size_t count, const PoolMutant *wanted)
{
    int equal = 0;
    for (size_t i = 0; i < count; i++)
        equal += look_equal(&items[i], wanted);
    return equal;
}

static void number_equal(MutantPool *pool)
{
    for (size_t i = 0; i < pool->count; i++) {
        PoolMutant *item = &pool->items[i];
        if (count_equal(pool->items, pool->count, item) > 1)
            item->occurrence = count_equal(pool->items, i + 1, item);
    }
}

/* ---- equivalent ones --------------------------------------------------------------------------------------------- */

static Status take_out_noted(const char *problem_id, MutantPool *pool, Message *why)
{
    EquivalentMutants known;
    Status status = equivalent_mutants_read(problem_id, &known, why);
    PoolMutant *others = arena_array(&pool->arena, pool->count, sizeof *others);
    size_t count = 0;
    for (size_t i = 0; i < pool->count && status == STATUS_OK; i++) {
        const PoolMutant *item = &pool->items[i];
        const char *name = pool->files[item->file].submission.file_name;
        if (equivalent_mutants_find(&known, name, item->before, item->after, item->occurrence))
            pool->noted++;
        else
            others[count++] = *item;
    }
    if (status == STATUS_OK)
        status = equivalent_mutants_check(&known, why);
    pool->items = others;
    pool->count = count;
    equivalent_mutants_free(&known);
    return status;
}

/* ---- the order --------------------------------------------------------------------------------------------------- */

/* Source   Vigna, splitmix64, prng.di.unimi.it.  */
static uint64_t next_random(uint64_t *state)
{
    uint64_t word = *state += 0x9E3779B97F4A7C15u;
    word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9u;
    word = (word ^ word >> 27) * 0x94D049BB133111EBu;
    return word ^ word >> 31;
}

static void shuffle(PoolMutant *items, size_t count, uint64_t seed)
{
    for (size_t i = count; i > 1; i--) {
        const size_t other = next_random(&seed) % i;
        const PoolMutant item = items[i - 1];
        items[i - 1] = items[other];
        items[other] = item;
    }
}

typedef struct Turn {
    size_t round, at; /* how many mutants of the same kind come before; the place before the sorting */
} Turn;

static int compare_turns(const void *left, const void *right)
{
    const Turn *a = left, *b = right;
    if (a->round != b->round)
        return a->round < b->round ? -1 : 1;
    return a->at < b->at ? -1 : a->at > b->at;
}

/* A mutant of each kind, then a second one of each, and so on. */
static void take_turns(MutantPool *pool)
{
    Turn *turns = arena_array(&pool->arena, pool->count, sizeof *turns);
    PoolMutant *ordered = arena_array(&pool->arena, pool->count, sizeof *ordered);
    for (size_t i = 0; i < pool->count; i++) {
        turns[i].at = i;
        for (size_t k = 0; k < i; k++)
            turns[i].round += strcmp(pool->items[k].mutant->mistake, pool->items[i].mutant->mistake) == 0;
    }
    qsort(turns, pool->count, sizeof *turns, compare_turns);
    for (size_t i = 0; i < pool->count; i++)
        ordered[i] = pool->items[turns[i].at];
    pool->items = ordered;
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

Status mutant_pool_open(const Problem *problem, const Paths *solutions, uint64_t seed, MutantPool *pool, Message *why)
{
    *pool = (MutantPool){0};
    Status status = read_files(problem, solutions, pool, why);
    if (status != STATUS_OK)
        return status;
    list_mutants(pool);
    number_equal(pool);
    status = take_out_noted(problem->id, pool, why);
    shuffle(pool->items, pool->count, seed);
    take_turns(pool);
    return status;
}

void mutant_pool_free(MutantPool *pool)
{
    for (size_t i = 0; i < pool->file_count; i++) {
        mutants_free(&pool->files[i].mutants);
        submission_free(&pool->files[i].submission);
    }
    arena_free(&pool->arena);
    *pool = (MutantPool){0};
}
