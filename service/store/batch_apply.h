/* batch_apply.h - makes a rejudging count.
 *
 * In one transaction each new run enters the leaderboard, under the receipt time of its submission, and the run that it
 * replaces is retracted by a ruling that names both. What a teacher decided about the old run is decided about the new one as
 * well. So the view run_states remains the only thing that says who ranks, and nothing is lost.  */
#ifndef SERVICE_STORE_BATCH_APPLY_H
#define SERVICE_STORE_BATCH_APPLY_H

#include "base/arena.h"
#include "base/status.h"
#include "leaderboard/store.h"
#include "service/store/batches.h"

#include <stdbool.h>
#include <stdint.h>

/* ==== rejudging =================================================================================================== */

/* Begins and applies a rejudging of a problem as it lies on this host now, for a command or a page.
 *
 * Errors   BAD_INPUT, with the reason: it cannot be done so. NOT_FOUND: there is no such problem, or no such batch. */

/* Whether this is a moment such as "2026-01-31T12:00:00Z". */
bool rejudging_is_moment(const char *text);

/* Opens a batch; the request's problem is taken by its name, and its revision is that of now. */
MUST_USE Status rejudging_begin(Store *store, const BatchRequest *request, const char *person, Arena *arena,
                                Batch *batch, BatchSkip **skips, size_t *skip_count, Message *why);

/* Refuses a batch of another edition than the problem has now: what is handed in next would be judged by other files than it. */
MUST_USE Status rejudging_apply(Store *store, int64_t batch, const char *person, Message *why);

/* ==== batch apply ================================================================================================= */

/* NOT_FOUND: there is no such batch. BAD_INPUT: it is not open, or not all of it is judged. */
MUST_USE Status batch_apply(Store *store, int64_t id, const char *person, Message *why);

#endif
