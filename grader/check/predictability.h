/* predictability.h - checks that nobody can foresee the output of a timed case whose data come from a file.
 *
 * Each call perturbs the values of such a file (SOURCE_PERTURBED). A submission may hold the file, what follows from it
 * and the expected output for it, and then needs to compute only what the perturbation changes. That must be as much
 * work as the whole: so large a part of the output that half precision is not enough for it, in at least half of the
 * elements.
 *
 * Measured: TF32 and FP16 have errors of at least 2.2e-4 rms (problem.json of conv2d). So a part that is 5000 times as
 * large as the error that the problem allows needs single precision, like the whole.  */
#ifndef GRADER_CHECK_PREDICTABILITY_H
#define GRADER_CHECK_PREDICTABILITY_H

#include "base/status.h"
#include "grader/check/oracle.h"
#include "grader/problem/generator.h"
#include "grader/problem/problem.h"
#include "grader/problem/testcase.h"

/* Computes some elements of the output for one draw of the data and, for each perturbed input, for the same data with
 * the values of the file in its place. STATUS_BAD_INPUT: the outputs are too alike, and `why` says which perturbation is
 * too small. Does nothing unless the case is timed and has a perturbed input. */
MUST_USE Status predictability_check(const Problem *problem, const Testcase *testcase, const Oracle *oracle,
                                     const GeneratorKey *secret, Message *why);

#endif
