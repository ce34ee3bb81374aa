/* clocked_cases.h - the timed cases on a GPU with a clock of its own: one sitting (grader/timing/sitting.h).  */
#ifndef GRADER_JUDGE_CLOCKED_CASES_H
#define GRADER_JUDGE_CLOCKED_CASES_H

#include "grader/judge/judging.h"

/* Starts what the sitting will need, so that it gets ready while the other cases run. Does nothing if no case is
 * timed. */
MUST_USE Status clocked_cases_prepare(Grading *judging, Message *why);

/* Starts the oracle on the device, and opens the device of the hidden cases, which takes a while, if a case is timed and it was
 * not done before. The session must have the device: another context would disturb a sitting of somebody else. */
MUST_USE Status clocked_cases_start_early(Grading *judging, Message *why);

/* Opens all devices that the sitting will need, if the session has the device. It takes a second, which costs nothing while the
 * compiler runs, before anything of the submission does: how long the hidden cases take must decide nothing of it, because its
 * length would show. A submission that fails has no use for them. */
void clocked_cases_open_ahead(const Grading *judging);

/* Times the cases and judges them. Opens the devices of all blocks at once where that was not done before. */
MUST_USE Status clocked_cases_run(Grading *judging, Message *why);

#endif
