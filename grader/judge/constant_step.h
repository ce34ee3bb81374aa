/* constant_step.h - the step that proves the rule "constant_filter" (grader/check/constant_rule.h).  */
#ifndef GRADER_JUDGE_CONSTANT_STEP_H
#define GRADER_JUDGE_CONSTANT_STEP_H

#include "grader/judge/judging.h"

/* Ends the judging if the rule is broken, or cannot be proved. Does nothing for a problem without the rule, and for
 * plain C, which has no constant memory. */
MUST_USE Status constant_step_run(Grading *judging, Message *why);

#endif
