/* clocked_cases.h - the timed cases on a GPU with a clock of its own: one sitting (grader/timing/sitting.h).  */
#ifndef GRADER_JUDGE_CLOCKED_CASES_H
#define GRADER_JUDGE_CLOCKED_CASES_H

#include "grader/judge/judging.h"

/* Starts what the sitting will need, so that it gets ready while the other cases run. Does nothing if no case is
 * timed. */
MUST_USE Status clocked_cases_prepare(Judging *judging, Message *why);

/* Times the cases and judges them. */
MUST_USE Status clocked_cases_run(Judging *judging, Message *why);

#endif
