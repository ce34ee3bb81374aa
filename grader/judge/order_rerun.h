/* order_rerun.h - finds out whether the result of a call depends on an order that CUDA does not promise.
 *
 * The simulated GPU carries out the operations of a call as late as it may (harness/device/sim/sim_queue.h), and lists
 * operations that nothing orders though they use the same memory (DeviceConflict). If there are any, the call is
 * repeated in the order of the submission, and the conflicts are found to the byte. If one output is right and the other
 * is wrong, the answer is wrong. Then the two operations of each conflict are exchanged alone, and the one that makes
 * the output wrong is named.
 *
 * If both outputs are right, the answer is wrong where two operations change the same bytes: they may run at the same
 * time. So it is where a kernel uses bytes of the kernel before without waiting for it (programmatic stream
 * serialization). Of the other conflicts some are exchanged, and the whole order is drawn once. The key decides which and how, so
 * that no submission can be made for the orders that are tried.
 *
 * The checker compares the outputs. They need not be equal bit for bit, since atomic sums change with their order.  */
#ifndef GRADER_JUDGE_ORDER_RERUN_H
#define GRADER_JUDGE_ORDER_RERUN_H

#include "grader/check/call.h"
#include "grader/judge/judgement.h"
#include "grader/judge/judging.h"

/* Had the call `first`, for which `decided` was found, a choice of order? */
bool order_rerun_is_due(const CallReport *first, const Judgement *decided);
/* Repeats it. If the order matters, sets `decided`. `key`: that of the call (CallOptions.sample_key). */
MUST_USE Status order_rerun_try(Grading *judging, Call *call, bool is_secret, const Chacha20Key *key,
                                const CallReport *first, Judgement *decided, Message *why);

#endif
