/* check_mutants.h - the step of check-problem that breaks reference solutions, and expects the cases to find it.  */
#ifndef GRADER_COMMANDS_CHECK_MUTANTS_H
#define GRADER_COMMANDS_CHECK_MUTANTS_H

#include "base/status.h"
#include "grader/authoring/solution.h"
#include "grader/commands/options.h"
#include "grader/problem/problem.h"

#include <stdbool.h>

typedef struct MutantCheck MutantCheck;

/* Reads --mutants, --thorough and --seed, makes the mutants, and starts the processes that will judge them. This must
 * come before anything is judged (mutant_trial.h). If no mutants are wanted, only the notes about equivalent ones are
 * checked. `problem` and `solutions` must outlive it. */
MUST_USE Status check_mutants_open(const Options *options, const Problem *problem, const Paths *solutions,
                                   const CheckDevice *device, MutantCheck **check, Message *why);
void check_mutants_close(MutantCheck *check);

bool check_mutants_are_wanted(const MutantCheck *check);

/* Judges the mutants. Prints survivors and counts, each line after "# ". BAD_INPUT: some survived, or a file that
 * should be accepted is not. */
MUST_USE Status check_mutants_run(MutantCheck *check, Message *why);

/* Adds the name of the step, with the number of mutants that were graded and the seed. */
void check_mutants_name(const MutantCheck *check, Text *name);

#endif
