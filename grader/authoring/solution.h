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
    bool allowed[VERDICT_COUNT]; /* the verdicts that the file claims: it must get one of them */
    char text[200];              /* the same in words: "Accepted or Wrong Answer" */
} Claim;

/* Reads the claim from a line "// expect: Verdict, Verdict" in the comments at the beginning of the file, else from
 * the name of its folder (cpu_baselines and rivals claim Accepted). A real GPU misses some mistakes that the simulated one
 * finds: a line "// on cuda: Verdict, Verdict" names verdicts that are right there, too. */
MUST_USE Status claim_of(const Submission *submission, bool modelled, Claim *claim, Message *why);

/* Where solutions run. */
typedef struct CheckDevice {
    const char *name;
    bool modelled;
    bool timed; /* run the timed cases, too */
} CheckDevice;

/* `name` may be NULL: the simulated GPU. Many timed calls find a verdict no better than one call does. A simulated GPU
 * makes one call per timed case, so it always runs them; a real one runs them only if `timed` says so. */
MUST_USE Status check_device(const char *name, bool timed, CheckDevice *device, Message *why);

/* Judges a solution; plain C runs on the CPU, untimed, whatever the device. BAD_INPUT if it gets a verdict that it
 * does not claim: `why` names both. The same if the result, on a modelled device, lacks the words of a line
 * "// says: WORDS" in the comments at the beginning of the file. `beyond_samples` as in JudgeJob. The caller frees the result even after an
 * error. */
MUST_USE Status solution_judge(const Submission *submission, const Problem *problem, const CheckDevice *device,
                               bool beyond_samples, Result *result, Message *why);

typedef struct Paths {
    Arena arena;
    const char **items;
    size_t count, capacity;
} Paths;

void paths_add(Paths *paths, const char *path);
/* Adds every .cu, .c and .patch file below solutions/<id>/, sorted by name. */
MUST_USE Status paths_add_solutions(Paths *paths, const char *problem_id, Message *why);

#endif
