#include "grader/authoring/mutant_pool.h"

#include "grader/authoring/mutant_notes.h"

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

/* ---- those that are right ---------------------------------------------------------------------------------------- */

/* `items` are the mutants of a file; those that are not noted go to place `*kept`, which is none behind theirs. */
static Status take_out_noted(MutantPool *pool, size_t file, const PoolMutant *items, size_t *kept, Message *why)
{
    const char *path = pool->files[file].shown, *source = pool->files[file].submission.source.data;
    MutantNotes notes;
    Status status = mutant_notes_read(path, source, &notes, why);
    for (size_t i = 0; i < pool->files[file].mutants.count && status == STATUS_OK; i++) {
        if (mutant_notes_find(&notes, source, items[i].mutant))
            pool->noted++;
        else
            pool->items[(*kept)++] = items[i];
    }
    if (status == STATUS_OK)
        status = mutant_notes_check(path, &notes, why);
    mutant_notes_free(&notes);
    return status;
}

/* What stays moves forward in the same list. */
static Status take_out_all_noted(MutantPool *pool, Message *why)
{
    const PoolMutant *items = pool->items;
    size_t kept = 0;
    Status status = STATUS_OK;
    for (size_t file = 0; file < pool->file_count && status == STATUS_OK; file++) {
        status = take_out_noted(pool, file, items, &kept, why);
        items += pool->files[file].mutants.count;
    }
    pool->count = kept;
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

typedef struct PoolTurn {
    size_t round, at; /* how many mutants of the same kind come before; the place before the sorting */
} PoolTurn;

static int compare_turns(const void *left, const void *right)
{
    const PoolTurn *a = left, *b = right;
    if (a->round != b->round)
        return a->round < b->round ? -1 : 1;
    return a->at < b->at ? -1 : a->at > b->at;
}

/* A mutant of each kind, then a second one of each, and so on. */
static void take_turns(MutantPool *pool)
{
    PoolTurn *turns = arena_array(&pool->arena, pool->count, sizeof *turns);
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
    status = take_out_all_noted(pool, why);
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
