/* write_mutants.c - writes mutants of a problem's accepted solutions as files, for tests that judge them.
 *
 *     write_mutants PROBLEM COUNT SEED FOLDER
 *
 * Takes the first COUNT of the order that check-problem draws from SEED. Names each FOLDER/PROBLEM.NUMBER.cu.  */
#include "base/text.h"
#include "grader/commands/mutant_trial.h"
#include "grader/problem/problem.h"

#include <stdio.h>
#include <stdlib.h>

static Status write_mutant(const MutantPool *pool, size_t number, const char *problem, const char *folder, Message *why)
{
    const PoolMutant *item = &pool->items[number];
    char path[4096];
    Text text = {0};
    snprintf(path, sizeof path, "%s/%s.%zu.cu", folder, problem, number + 1);
    mutant_source(pool->files[item->file].submission.source.data, item->mutant, &text);
    FILE *file = fopen(path, "w");
    if (file == NULL)
        return fail_errno(why, "%s", path);
    fprintf(file, "%s\n// problem: %s\n// %s, line %d: %s\n", text.data, problem, pool->files[item->file].shown,
            item->mutant->line, item->mutant->mistake);
    text_free(&text);
    return fclose(file) == 0 ? STATUS_OK : fail_errno(why, "%s", path);
}

int main(int argument_count, char **arguments)
{
    Message why = {0};
    Problem problem = {0};
    Paths solutions = {0};
    MutantPool pool = {0};
    if (argument_count != 5) {
        fprintf(stderr, "usage: write_mutants PROBLEM COUNT SEED FOLDER\n");
        return 2;
    }
    size_t count = strtoul(arguments[2], NULL, 10);
    Status status = problem_read(arguments[1], &problem, &why);
    if (status == STATUS_OK)
        status = paths_add_solutions(&solutions, arguments[1], &why);
    if (status == STATUS_OK)
        status = mutant_pool_open(&problem, &solutions, strtoull(arguments[3], NULL, 10), &pool, &why);
    for (size_t i = 0; i < count && i < pool.count && status == STATUS_OK; i++)
        status = write_mutant(&pool, i, arguments[1], arguments[4], &why);
    if (status != STATUS_OK)
        fprintf(stderr, "write_mutants: %s\n", why.text);
    mutant_pool_free(&pool);
    arena_free(&solutions.arena);
    problem_free(&problem);
    return status == STATUS_OK ? 0 : 1;
}
