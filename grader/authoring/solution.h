/* solution.h - the files below solutions/, and the verdicts that they claim to get.  */
#ifndef GRADER_AUTHORING_SOLUTION_H
#define GRADER_AUTHORING_SOLUTION_H

#include "base/arena.h"
#include "base/status.h"
#include "grader/judge/judge.h"
#include "grader/problem/submission.h"
#include "grader/result/verdict.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct Claim {           /* what a file claims to be */
    bool allowed[VERDICT_COUNT]; /* verdicts that it may get */
    char text[200];              /* the same, in words */
} Claim;

/* From a line "// expect: Verdict, Verdict" among the comments that the file begins with, else from its folder's name
 * (cpu_baselines claims Accepted). A real GPU lets pass some of what the simulated one finds: a line "// on cuda: Verdict,
 * Verdict" says what it may say as well. */
MUST_USE Status claim_of(const Submission *submission, bool modelled, Claim *claim, Message *why);

/* Where solutions run. */
typedef struct CheckDevice {
    const char *name;
    bool modelled;
    bool timed; /* the timed cases, too */
} CheckDevice;

/* By default the simulated GPU. Many timed calls tell a verdict no better than one, which is what a simulated GPU takes;
 * a real one runs its timed cases where `timed` says so. */
MUST_USE Status check_device(const char *name, bool timed, CheckDevice *device, Message *why);

/* Judges a solution, plain C on the CPU whatever the device, and untimed. BAD_INPUT where it gets another verdict than it claims; `why` says which. `beyond_samples` as in
 * JudgeJob. The result is to be freed in any case. */
MUST_USE Status solution_judge(const Submission *submission, const Problem *problem, const CheckDevice *device,
                               bool beyond_samples, Result *result, Message *why);

typedef struct Paths {
    Arena arena;
    const char **items;
    size_t count, capacity;
} Paths;

void paths_add(Paths *paths, const char *path);
/* Every .cu and .c file below solutions/<id>/, by name. */
MUST_USE Status paths_add_solutions(Paths *paths, const char *problem_id, Message *why);

#endif
