/* equivalent_mutants.h - mutants that are right: what the author of a problem has noted about them in
 * solutions/<id>/equivalent_mutants.json (docs/formats.md).
 *
 * A mutant is named by the lines that change, as they were and as they are, so that a note outlives changes of other
 * lines. A note that names no mutant any more is an error.  */
#ifndef GRADER_AUTHORING_EQUIVALENT_MUTANTS_H
#define GRADER_AUTHORING_EQUIVALENT_MUTANTS_H

#include "base/arena.h"
#include "base/json.h"
#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct EquivalentMutant {
    const char *solution;      /* "naive.cu", below accepted/ */
    const char *line, *mutant; /* as mutant_lines() gives them */
    int occurrence;            /* which of the mutants with these lines, from 1; 0: there is only one */
    const cJSON *item;
    bool found;
} EquivalentMutant;

typedef struct EquivalentMutants {
    EquivalentMutant *items;
    size_t count, capacity;
    bool read; /* there is such a file */
    JsonFile file;
    Arena arena;
} EquivalentMutants;

/* Without the file, there are none. The caller frees them even after an error. */
MUST_USE Status equivalent_mutants_read(const char *problem_id, EquivalentMutants *known, Message *why);
void equivalent_mutants_free(EquivalentMutants *known);

/* Whether a mutant is noted. Remembers that it was found. */
bool equivalent_mutants_find(EquivalentMutants *known, const char *solution, const char *line, const char *mutant,
                             int occurrence);

/* BAD_INPUT if a note was never found: `why` names it with its line of the file. */
MUST_USE Status equivalent_mutants_check(const EquivalentMutants *known, Message *why);

#endif
