/* mutation.h - makes mutants of a CUDA source: copies with one mistake each, of the kinds that students make.
 *
 * Kinds     the rows of mutation.def; besides these, a size parameter in place of another ("swapped sizes") and a loop
 *           over an array from its other end ("flipped filter").
 * Not here  whether a mutant compiles, or is wrong: mutant_trial.h.  */
#ifndef GRADER_AUTHORING_MUTATION_H
#define GRADER_AUTHORING_MUTATION_H

#include "base/arena.h"
#include "base/text.h"

#include <stddef.h>

typedef struct Mutant {
    const char *mistake;   /* "off by one" */
    int line;              /* of the first byte that changes, from 1 */
    size_t offset, length; /* the bytes that are replaced */
    const char *text;      /* by these */
} Mutant;

typedef struct Mutants {
    Mutant *items; /* in order of their rows; no two have the same text */
    size_t count;
    Arena arena;
} Mutants;

/* Every mutant of a source. `sizes` are the names of the size parameters of solve(). `source` may be freed
 * afterwards. */
void mutants_make(const char *source, const char *const *sizes, size_t size_count, Mutants *mutants);
void mutants_free(Mutants *mutants);

/* Adds the whole text of a mutant. */
void mutant_source(const char *source, const Mutant *mutant, Text *text);

/* Adds the lines that change, as they were and as they are; each run of white space is one space, none at the ends. */
void mutant_lines(const char *source, const Mutant *mutant, Text *before, Text *after);
/* The same of the bytes that change, without the rest of their lines. */
void mutant_texts(const char *source, const Mutant *mutant, Text *before, Text *after);

#endif
