/* uninitialised_rerun.h - finds out whether an output is right only by luck, because an undefined value happened to
 * suit: memory that nothing has written, or what a shuffle returns of a lane that takes no part.
 *
 * A call that used such values is repeated with other bytes in their place (DEVICE_LARGE_BYTE, DEVICE_NAN_BYTE): floats
 * of 2e8 and NaN. (The bytes of the first call are floats of -4e8, which win a minimum.) If the checker accepts the output
 * each time, it does not depend on them as far as anyone can see. The outputs need not be equal bit for bit, since atomic
 * sums change with their order.  */
#ifndef GRADER_JUDGE_UNINITIALISED_RERUN_H
#define GRADER_JUDGE_UNINITIALISED_RERUN_H

#include "grader/check/call.h"
#include "grader/judge/judgement.h"

/* The call `first` used such a value, and its output was right. If that of a repetition is not, sets `output`
 * and `decided`. */
MUST_USE Status uninitialised_rerun_try(Call *call, bool is_secret, Session *session, const Oracle *oracle,
                                        const CallReport *first, CaseOutput *output, Judgement *decided, Message *why);

#endif
