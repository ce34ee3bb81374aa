/* clocked_cases.h - the timed cases on a GPU with a clock of its own: one sitting (grader/timing/sitting.h).  */
#ifndef GRADER_JUDGE_CLOCKED_CASES_H
#define GRADER_JUDGE_CLOCKED_CASES_H

#include "grader/judge/judging.h"

/* Starts what the sitting will need, so that it gets ready while the other cases run. Does nothing if no case is
 * timed. */
MUST_USE Status clocked_cases_prepare(Judging *judging, Message *why);

/* Starts the oracle on the device, which takes a while, if a case is timed and it was not started before. The session must
 * have the device: another context would disturb a sitting of somebody else. */
MUST_USE Status clocked_cases_start_oracle(Judging *judging, Message *why);

/* Times the cases and judges them. */
MUST_USE Status clocked_cases_run(Judging *judging, Message *why);

#endif
