/* similarity.h - finds equal and nearly equal submissions of different people, and of people and further sources.
 *
 * Compared are the accepted submissions of a problem (each source of a person once) with each other, and with further sources: the
 * reference solutions, and earlier semesters and published solutions, which are folders of .cu files or other databases. Further
 * sources are not compared with each other, and nobody in them is a person. Two measures, each from 0 to 1: the share of a source that
 * is also in the other one (SourceTokens), and the share of its device code. What the teacher handed out is left
 * out of both: starter.cu, and whatever else is named. Of two people, and of a person and a further source, the most similar pair
 * is listed; those that compile to the same machine code come first. A pair says where to look, not who copied; nobody loses a rank by
 * it.  */
#ifndef GRADER_RANKING_SIMILARITY_H
#define GRADER_RANKING_SIMILARITY_H

#include "base/arena.h"
#include "base/status.h"
#include "base/terminal.h"
#include "base/text.h"
#include "grader/problem/submission.h"
#include "harness/compile/compiled.h"
#include "leaderboard/store.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ==== source match ================================================================================================ */

/* How much of one source can be found in another, and in which lines.
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

/* ==== fingerprint ================================================================================================= */

/* Fingerprints of a program's device code, which renaming does not change.
 *
 * Each instruction of the PTX counts as its opcode and the kinds of its operands: registers, names and numbers are not
 * told apart, and neither are the names of kernels, variables and labels. Of all runs of GRAM instructions, winnowing
 * chooses some: the smallest hash in each window of WINDOW neighbouring runs. So whatever two programs have in common
 * over GRAM + WINDOW - 1 = 15 instructions is found.
 *
 * PTX rather than machine code, because ptxas orders instructions and chooses registers anew after each small change.
 * Source   S. Schleimer, D. S. Wilkerson and A. Aiken, Winnowing: Local Algorithms for Document Fingerprinting, SIGMOD
 *          2003, section 4. */

typedef struct Fingerprints { /* a set */
    uint64_t *hashes;         /* [count], sorted, each once */
    size_t count;
} Fingerprints;

/* Computes the fingerprints of PTX text. */
Fingerprints fingerprints_of_ptx(const char *ptx, size_t bytes, Arena *arena);

/* Removes from `all` whatever is in `known`. */
void fingerprints_remove(Fingerprints *all, const Fingerprints *known);

/* The share of `a` that is also in `b`, from 0 to 1; 0 for an empty set. */
double fingerprints_share(const Fingerprints *a, const Fingerprints *b);

/* ==== similarity ================================================================================================== */

typedef struct Program {
    const char *author;    /* the person, "reference" or the path of the further source */
    const char *file_name; /* below that path */
    int64_t run;           /* the first run of this source by this person; 0: not a person's */
    const char *time_utc;
    bool is_persons;
    Submission submission;
    Fingerprints code;   /* empty if it does not compile here, or all of it was handed out */
    Digest machine_code; /* likewise: "" */
    SourceTokens tokens;
    LineRange *handed_out; /* its lines that the teacher handed out */
    size_t handed_out_count;
} Program;

typedef struct SimilarPair {
    const Program *a, *b;
    bool same_source, same_code; /* same_code: the same fingerprints */
    bool same_machine_code;
    double source_a, source_b; /* share of a that is in b, and of b that is in a */
    double code_a, code_b;
    double most; /* the largest of the four, which a copy in a larger program keeps; the threshold is for this one */
    double mean; /* of both shares by source or by code, whichever is larger; the list is sorted by this one */
} SimilarPair;

typedef struct Similarities {
    Program *programs;
    size_t count, capacity;
    size_t without_source; /* runs of an older version, whose sources were not kept */
    size_t not_compiled;   /* sources whose text alone was compared */
    size_t unreadable;     /* further files that are no text, too large or cannot be opened */
    SimilarPair *pairs;    /* the most similar first */
    size_t pair_count;
    Arena arena;
} Similarities;

/* Rates how similar two programs are: sets everything but `a` and `b`. The caller gives the shares by source. */
void similarity_rate(SimilarPair *pair, double source_a, double source_b);

typedef struct SimilarRequest {
    Store *store; /* NULL: nothing has been recorded yet */
    const Problem *problem;
    const char *const *further; /* paths of folders, .cu files and databases */
    size_t further_count;
    const char *const *handed_out; /* paths of folders and files, besides starter.cu */
    size_t handed_out_count;
    double threshold; /* pairs with a share of at least this are listed */
} SimilarRequest;

/* Compiles on all cores. NOT_FOUND: one of the paths does not exist. `found` must be freed in any case. */
MUST_USE Status similarities_find(const SimilarRequest *request, Progress *progress, Similarities *found, Message *why);
void similarities_free(Similarities *found);

#endif
