/* submission.h - loads the object compiled from a submission.  */
#ifndef HARNESS_RUNNER_SUBMISSION_H
#define HARNESS_RUNNER_SUBMISSION_H

#include "harness/protocol/solve.h"

/* Loads the object, which runs its constructors. NULL on failure; dlerror() then says why. */
SolveCall *submission_load(const char *path);
/* Calls solve(), and writes out what it printed. */
void submission_call(SolveCall *solve, const unsigned long long *words);

#endif
