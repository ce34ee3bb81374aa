/* source_match.h - how much of one source can be found in another, and in which lines.
 *
 * Compared are the tokens of C, with all names, numbers and texts taken as equal, so that renaming, comments and line breaks change
 * nothing. Keywords count as themselves, and so do the words of CUDA: those that begin with two underscores, and threadIdx and the
 * like. A run of SOURCE_RUN tokens that is also in the other source counts, shorter ones are chance. The share of a source is that
 * of its tokens that lie in such runs.
 *
 * Cost     the sources of a pair are merged once, in the order of the hashes of their runs: a thousand sources of 800 tokens, half a
 *          million pairs, take seconds. (A program that aligns each pair, such as sim_c, needs many minutes.)
 * Source   the runs are the k-grams of S. Schleimer, D. S. Wilkerson and A. Aiken, Winnowing: Local Algorithms for Document
 *          Fingerprinting, SIGMOD 2003, section 2; all are kept, since all lines are to be shown.  */
#ifndef GRADER_RANKING_SOURCE_MATCH_H
#define GRADER_RANKING_SOURCE_MATCH_H

#include "base/arena.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SOURCE_RUN = 24 };

typedef struct SourceRun {
    uint64_t hash;
    uint32_t at; /* number of its first token */
} SourceRun;

typedef struct SourceTokens {
    SourceRun *runs; /* [run_count], sorted by hash, then by place */
    size_t run_count;
    uint64_t *hashes; /* [run_count], of the run that begins at each token */
    int *lines;       /* [count], of each token, from 1 */
    size_t count;
} SourceTokens;

typedef struct LineRange {
    int first, last; /* from 1 */
} LineRange;

typedef struct SourcePart { /* what two sources have in common */
    LineRange a, b;
    size_t tokens;
} SourcePart;

/* Copies the source, with each line that is also in `handout`, spaces aside, left empty, so that all lines keep their numbers. Lines
 * without a letter stay. The ranges of lines that were left out live in `arena`. */
void source_leave_out(const char *source, const char *handout, Arena *arena, Text *rest, LineRange **ranges,
                      size_t *count);

SourceTokens source_tokens_of(const char *source, Arena *arena);

/* The share of each that is also in the other, from 0 to 1; 0 for a source that is shorter than a run. */
void source_shares(const SourceTokens *a, const SourceTokens *b, double *of_a, double *of_b);

/* The parts in the order of `a`, at most `most`, each token of `a` in one at most, allocated in `arena`. */
SourcePart *source_parts(const SourceTokens *a, const SourceTokens *b, size_t most, Arena *arena, size_t *count);

#endif
