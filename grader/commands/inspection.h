/* inspection.h - checks that the files of a problem are complete, as far as that needs no submission to run.
 *
 * For authors of problems (`convjudge check-problem`). Each function checks one requirement and returns STATUS_OK, or
 * BAD_INPUT with the first thing that is missing in `why`.  */
#ifndef GRADER_COMMANDS_INSPECTION_H
#define GRADER_COMMANDS_INSPECTION_H

#include "base/arena.h"
#include "base/status.h"
#include "base/text.h"
#include "grader/judge/judge.h"
#include "grader/judge/result.h"
#include "grader/problem/problem.h"
#include "grader/problem/submission.h"
#include "grader/problem/testcase.h"

#include <stdbool.h>
#include <stddef.h>

/* ==== solution ==================================================================================================== */

/* The files below solutions/, and the verdicts that they claim to get. */

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
/* Whether the file lies in accepted/. */
bool solution_is_reference(const char *path);

/* ==== inspection ================================================================================================== */

/* statement.md shows the signature, the sections that every problem has, and the largest value of every size (as
 * 4096 or 4,096). */
MUST_USE Status inspect_statement(const Problem *problem, Message *why);

/* There are hidden cases, and timed ones for both kinds of device. Some hidden case has the sizes of the one before it but
 * other data, once at the same addresses and once elsewhere: they find what a submission keeps for the next call. */
MUST_USE Status inspect_groups(const Problem *problem, const TestcaseSet *set, Message *why);

/* The first sample has literal values, which a person can check, and the statement's example shows each of them. */
MUST_USE Status inspect_example(const Problem *problem, const TestcaseSet *set, Message *why);

/* Literal expected values agree with the oracle within the problem's tolerance. */
MUST_USE Status inspect_literals(const Problem *problem, const TestcaseSet *set, Message *why);

/* A few elements of every sample and hidden case, spread over the output, agree between double and long double to 1e-12
 * of the sum of magnitudes, which allows for the rounding of double. */
MUST_USE Status inspect_precision(const Problem *problem, const TestcaseSet *set, Message *why);

/* The first comment of each reference solution states its arithmetic intensity in operations per byte, and that of each
 * wrong solution its "Mistake: ". */
MUST_USE Status inspect_headers(const Paths *solutions, Message *why);

/* The hidden cases have each class of values that tempts people to a shortcut, as far as the problem's arrays can have it:
 * zero and equal arrays, filters that look like an identity, symmetric, separable or sparse, positive data on long lines,
 * data that differ from those of the case before in one element; and some case draws its sizes. Adds a line to `missing`
 * for each class that no case has. */
MUST_USE Status inspect_values(const Problem *problem, const TestcaseSet *set, Text *missing, Message *why);

/* At least 14 hidden cases, 6 reference solutions and 8 wrong ones. */
MUST_USE Status inspect_counts(const Problem *problem, const TestcaseSet *set, const Paths *solutions, Message *why);

#endif
