/* uninitialised_rerun.h - whether a right output owes it to a value that could be anything: what memory holds that
 * nothing has written, or what a shuffle gives of a lane that takes no part.
 *
 * A call that used such values is made again with other bytes in their place: floats of 2e8, which a maximum lets
 * through, and NaN, which a factor of zero does not make harmless. (The bytes of the first call are floats of -4e8,
 * which a minimum lets through.) An output that the checker accepts each time does not depend on them as far as anyone
 * can see; comparing bit for bit would blame the order of atomic sums.  */
#ifndef GRADER_JUDGE_UNINITIALISED_RERUN_H
#define GRADER_JUDGE_UNINITIALISED_RERUN_H

#include "grader/check/call.h"
#include "grader/judge/judgement.h"
#include "grader/result/result.h"

/* `first` used such a value, and was right. Changes `item`'s comparison and `decided` where a later call was
 * not. The session is not watched any more. */
MUST_USE Status uninitialised_rerun_try(Call *call, Session *session, const Oracle *oracle, const CallReport *first,
                                        CaseResult *item, Judgement *decided, Message *why);

#endif
