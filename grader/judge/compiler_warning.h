/* compiler_warning.h - what the compiler has warned of, where it may explain why a submission fails.
 *
 * A variable that is used before it is set has any value that the compiler likes, and the compiler may remove what depends
 * on it. Then no device finds a use of the variable, and the compiler's warning is all that is left.  */
#ifndef GRADER_JUDGE_COMPILER_WARNING_H
#define GRADER_JUDGE_COMPILER_WARNING_H

#include "grader/problem/submission.h"
#include "grader/result/result.h"

/* Adds a warning for each variable that the compiler saw used before it is set, in a line of the submission's file. */
void compiler_warning_tell(Result *result, const Submission *submission);

#endif
