/* mutant_trial.h - judges mutants, several side by side.
 *
 * Each worker is a process of its own, forked before the judge computes anything with threads: OpenMP does not work in
 * the child of a process that has used it. A worker waits for a request, judges one submission, and answers. It ends
 * when its requests end, and dies with the process that started it.
 *
 * Judging  on the simulated GPU: samples, hidden cases and then, if all are accepted, the timed cases. Data that follow
 *          from a grading's key follow from the trial's seed.  */
#ifndef GRADER_COMMANDS_MUTANT_TRIAL_H
#define GRADER_COMMANDS_MUTANT_TRIAL_H

#include "base/arena.h"
#include "base/hash.h"
#include "base/status.h"
#include "base/text.h"
#include "grader/commands/inspection.h"
#include "grader/commands/mutation.h"
#include "grader/commands/options.h"
#include "grader/judge/result.h"
#include "grader/problem/problem.h"
#include "grader/problem/submission.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ==== notes ======================================================================================================= */

/* Mutants that are right, as the author of an accepted solution has noted at the end of their line,
 * or above it:
 *
 *     int blocks = (n + 255) / 256; // also right: `n` to `m`, halo: blocks too many leave at the check above
 *
 * Behind the words "also right" stand the mutants of this line: those that turn the first text into the second one, those of
 * a kind of mistake (mutation.h), or "any mutant"; then a colon and the reason. A line may have several notes. Texts are as
 * mutant_texts() gives them, and " ... " stands for a part of a long one.  */

typedef struct MutantNote {
    int line;
    const char *mistake;        /* "off by one", "any mutant"; NULL: the two texts tell */
    const char *before, *after; /* the bytes that change, and what becomes of them */
    bool found;
} MutantNote;

typedef struct MutantNotes {
    MutantNote *items;
    size_t count, capacity;
    Arena arena;
} MutantNotes;

/* Reads the notes of a source, which messages call `path`. BAD_INPUT with the line of one that is not well-formed. The caller
 * frees them even after an error. */
MUST_USE Status mutant_notes_read(const char *path, const char *source, MutantNotes *notes, Message *why);
void mutant_notes_free(MutantNotes *notes);

/* Whether a mutant of the source is noted. Remembers that it was found. */
bool mutant_notes_find(MutantNotes *notes, const char *source, const Mutant *mutant);

/* BAD_INPUT if what a note names was never found. */
MUST_USE Status mutant_notes_check(const char *path, const MutantNotes *notes, Message *why);

/* Adds "`<` to `<=`": how a note names a mutant of the source; a long one by its kind of mistake. */
void mutant_note_add(const char *source, const Mutant *mutant, Text *text);

/* ==== mutant pool ================================================================================================= */

/* The mutants of all reference solutions of a problem, in the order in which they are tried.
 *
 * The order is drawn from a seed: a mutant of each kind of mistake in turn, each time one that is drawn from all of
 * this kind, so that a small sample has as many kinds as possible. A mutant's place in it follows from what the mutant
 * changes, so that a sample stays the same where a solution changes elsewhere. */

typedef struct PoolFile {
    Submission submission; /* of a file in solutions/<id>/accepted/ */
    const char *shown;     /* "solutions/conv1d/accepted/naive.cu" */
    Mutants mutants;
} PoolFile;

typedef struct PoolMutant {
    size_t file;
    const Mutant *mutant;
    const char *before, *after; /* mutant_lines() */
    Digest draw;                /* by which it is sorted among those of its kind */
} PoolMutant;

typedef struct MutantPool {
    PoolFile *files;
    size_t file_count;
    PoolMutant *items; /* in order, without those that are noted as right (MutantNotes) */
    size_t count;
    size_t noted; /* mutants that are noted as equivalent */
    Arena arena;
} MutantPool;

/* Makes the mutants of the files of `solutions` that lie in accepted/. BAD_INPUT if a note about a mutant
 * is wrong. The caller frees the pool even after an error. */
MUST_USE Status mutant_pool_open(const Problem *problem, const Paths *solutions, uint64_t seed, MutantPool *pool,
                                 Message *why);
void mutant_pool_free(MutantPool *pool);

/* ==== mutant trial ================================================================================================ */

typedef struct TrialOutcome {
    Status status; /* not STATUS_OK: the judge failed, `text` says how */
    Verdict verdict;
    bool same_code;     /* the machine code is the original's, so the mutant was not run */
    bool by_timed_case; /* the first case that was not accepted is a timed one */
    Digest machine_code;
    char text[300]; /* of the verdict, or of the failure */
} TrialOutcome;

typedef struct TrialDone {
    size_t file, mutant; /* what was asked for */
    TrialOutcome outcome;
} TrialDone;

typedef struct MutantTrial MutantTrial;

/* Starts `count` workers. `problem` and `pool` must outlive them; `device` is a simulated GPU ("sim"). */
MUST_USE Status mutant_trial_start(const Problem *problem, const MutantPool *pool, const char *device, uint64_t seed,
                                   size_t count, MutantTrial **trial, Message *why);
/* Ends the workers. NULL is allowed. */
void mutant_trial_stop(MutantTrial *trial);

#define TRIAL_ORIGINAL ((size_t)-1) /* in place of a mutant: the file as it is */

/* Asks a free worker to judge pool->items[mutant], a mutant of the file; `original` is the original's machine code. */
MUST_USE Status mutant_trial_ask(MutantTrial *trial, size_t file, size_t mutant, const Digest *original, Message *why);
/* Waits for an answer; false if nobody has been asked. */
MUST_USE Status mutant_trial_wait(MutantTrial *trial, TrialDone *done, bool *answered, Message *why);

/* ==== check mutants =============================================================================================== */

/* The step of check-problem that breaks reference solutions, and expects the cases to find it. The compile cache keeps what
 * was judged, so that a check that is interrupted, or repeated after a change, judges the rest alone. */

typedef struct MutantCheck MutantCheck;

/* Reads --mutants, --thorough and --seed, makes the mutants, and starts the processes that will judge them. This must
 * come before anything is judged. If no mutants are wanted, only the notes about equivalent ones are
 * checked. `content` is a digest of the judge, the problem and its cases. `problem` and `solutions` must outlive it. */
MUST_USE Status check_mutants_open(const Options *options, const Problem *problem, const Paths *solutions,
                                   const CheckDevice *device, const Digest *content, MutantCheck **check, Message *why);
void check_mutants_close(MutantCheck *check);

bool check_mutants_are_wanted(const MutantCheck *check);

/* Judges the mutants. Prints survivors and counts, each line after "# ". BAD_INPUT: some survived, or a file that
 * should be accepted is not. */
MUST_USE Status check_mutants_run(MutantCheck *check, Message *why);

/* Adds the name of the step, with the number of mutants that were graded and the seed. */
void check_mutants_name(const MutantCheck *check, Text *name);

#endif
