/* similarity.h - finds equal and nearly equal submissions of different people, and of people and reference solutions.
 *
 * Compared are the accepted submissions of a problem (each source of a person once), the reference solutions, and the
 * sources of further folders, an earlier semester's for example. Two measures, each from 0 to 1: the share of a source
 * that is also in the other one (source_share.h), and the share of its device code (fingerprint.h). What the teacher
 * handed out, starter.cu, is left out of both. Of two people the most similar pair of submissions is named. A pair says
 * where to look, not who copied; nobody loses a rank by it.  */
#ifndef GRADER_SIMILARITY_SIMILARITY_H
#define GRADER_SIMILARITY_SIMILARITY_H

#include "base/arena.h"
#include "base/status.h"
#include "grader/problem/submission.h"
#include "grader/similarity/fingerprint.h"
#include "grader/terminal/progress.h"
#include "leaderboard/store.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Program {
    const char *author; /* the person, "reference" or the name of the further folder */
    const char *file_name;
    int64_t run; /* the first run of this source by this person; 0: not a person's */
    const char *time_utc;
    bool is_persons;
    Submission submission;
    Fingerprints code; /* empty if it does not compile here */
} Program;

typedef struct SimilarPair {
    const Program *a, *b;
    bool same_source, same_code;
    double source_a, source_b; /* share of a that is in b, and of b that is in a */
    double code_a, code_b;
    double most; /* the largest of the four, which a copy in a larger program keeps; the threshold is for this one */
    double mean; /* of both shares by source or by code, whichever is larger; the list is sorted by this one */
} SimilarPair;

typedef struct Similarities {
    Program *programs;
    size_t count, capacity;
    size_t without_source; /* runs of an older version, whose sources were not kept */
    size_t not_compiled;
    bool has_sources;   /* false: the tool for sources is not installed, and code alone was compared */
    SimilarPair *pairs; /* the most similar first */
    size_t pair_count;
    Arena arena;
} Similarities;

/* How alike two programs are: sets everything but `a` and `b`. The shares by source are given. */
void similarity_rate(SimilarPair *pair, double source_a, double source_b);

/* `store` may be NULL: nothing has been recorded yet. `also` is a folder with further .cu files, or NULL. Pairs with a
 * share of at least `threshold` are listed. */
MUST_USE Status similarities_find(Store *store, const Problem *problem, const char *also, double threshold,
                                  Progress *progress, Similarities *found, Message *why);
void similarities_free(Similarities *found);

#endif
