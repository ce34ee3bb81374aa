/* mutant_trial.h - judges mutants, several side by side.
 *
 * Each worker is a process of its own, forked before the judge computes anything with threads: OpenMP does not work in
 * the child of a process that has used it. A worker waits for a request, judges one submission, and answers. It ends
 * when its requests end, and dies with the process that started it.
 *
 * Judging  on the simulated GPU: samples, hidden cases and then, if all are accepted, the timed cases. Data that follow
 *          from a grading's key follow from the trial's seed.  */
#ifndef GRADER_AUTHORING_MUTANT_TRIAL_H
#define GRADER_AUTHORING_MUTANT_TRIAL_H

#include "base/hash.h"
#include "base/status.h"
#include "grader/authoring/mutant_pool.h"
#include "grader/problem/problem.h"
#include "grader/result/verdict.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* As many workers as this process may use processors. */
size_t mutant_trial_width(void);

#define TRIAL_ORIGINAL ((size_t)-1) /* in place of a mutant: the file as it is */

/* Whether a worker is free, so that mutant_trial_ask() may be called. */
bool mutant_trial_is_free(const MutantTrial *trial);
/* Asks a free worker to judge pool->items[mutant], a mutant of the file; `original` is the original's machine code. */
MUST_USE Status mutant_trial_ask(MutantTrial *trial, size_t file, size_t mutant, const Digest *original, Message *why);
/* Waits for an answer; false if nobody has been asked. */
MUST_USE Status mutant_trial_wait(MutantTrial *trial, TrialDone *done, bool *answered, Message *why);

#endif
