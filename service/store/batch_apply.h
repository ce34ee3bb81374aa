/* batch_apply.h - makes a rejudging count.
 *
 * In one transaction each new run enters the leaderboard, under the receipt time of its submission, and the run that it
 * replaces is retracted by a ruling that names both. What a teacher decided about the old run is decided about the new one as
 * well. So the view run_states remains the only thing that says who ranks, and nothing is lost.  */
#ifndef SERVICE_STORE_BATCH_APPLY_H
#define SERVICE_STORE_BATCH_APPLY_H

#include "base/status.h"
#include "leaderboard/store.h"

#include <stdint.h>

/* NOT_FOUND: there is no such batch. BAD_INPUT: it is not open, or not all of it is judged. */
MUST_USE Status batch_apply(Store *store, int64_t id, const char *person, Message *why);

#endif
