/* mutant_pool.h - the mutants of all reference solutions of a problem, in the order in which they are tried.
 *
 * The order is drawn from a seed: a mutant of each kind of mistake in turn, each time one that is drawn from all of
 * this kind, so that a small sample has as many kinds as possible.  */
#ifndef GRADER_AUTHORING_MUTANT_POOL_H
#define GRADER_AUTHORING_MUTANT_POOL_H

#include "base/arena.h"
#include "base/status.h"
#include "grader/authoring/mutation.h"
#include "grader/authoring/solution.h"
#include "grader/problem/problem.h"
#include "grader/problem/submission.h"

#include <stddef.h>
#include <stdint.h>

typedef struct PoolFile {
    Submission submission; /* of a file in solutions/<id>/accepted/ */
    const char *shown;     /* "solutions/conv1d/accepted/naive.cu" */
    Mutants mutants;
} PoolFile;

typedef struct PoolMutant {
    size_t file;
    const Mutant *mutant;
    const char *before, *after; /* mutant_lines() */
} PoolMutant;

typedef struct MutantPool {
    PoolFile *files;
    size_t file_count;
    PoolMutant *items; /* in order, without those that are noted as right (mutant_notes.h) */
    size_t count;
    size_t noted; /* mutants that are noted as equivalent */
    Arena arena;
} MutantPool;

/* Makes the mutants of the files of `solutions` that lie in accepted/. BAD_INPUT if a note about a mutant
 * is wrong. The caller frees the pool even after an error. */
MUST_USE Status mutant_pool_open(const Problem *problem, const Paths *solutions, uint64_t seed, MutantPool *pool,
                                 Message *why);
void mutant_pool_free(MutantPool *pool);

#endif
