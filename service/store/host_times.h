/* host_times.h - whether the machine of a run times as the machines of a board do.
 *
 * GPUs of one model in different hosts differ by a few percent, more than two good submissions do. In each sitting the
 * judge also times a reference solution, the anchor; its time says how fast the machine is, whichever host it was. A
 * run may be ranked on a board only if its anchor's time and the median of those of the board's newest ranked runs
 * differ by no more than both are uncertain by: HOST_TIMES_AGREE, which repeated medians of one code differ by on one
 * GPU (grader/timing/timing.h), and the drift of the anchor within either sitting. The first run that ranks sets a
 * board's machine.
 *
 * Runs on a simulated GPU have no anchor, and agree: their times do not depend on the host.
 * Units    milliseconds; agreement and drift are relative.  */
#ifndef SERVICE_STORE_HOST_TIMES_H
#define SERVICE_STORE_HOST_TIMES_H

#include "base/arena.h"
#include "base/status.h"
#include "leaderboard/store.h"

#include <stdbool.h>

#define HOST_TIMES_AGREE 0.01

typedef struct AnchorTime { /* of one reference solution in one sitting */
    const char *name;       /* "naive.cu"; NULL: none was timed */
    double ms;              /* mean of before and after */
    double drift;           /* between the two, relative */
} AnchorTime;

/* From Run.sitting; the name lives in `arena`. */
AnchorTime host_times_anchor(const char *sitting, Arena *arena);

/* Whether two machines agree by the times of the same anchor. */
bool host_times_agree(AnchorTime a, AnchorTime b);

/* The median of the anchor's time over the newest ranked runs of a board that have the same anchor; name NULL: there is
 * none. */
MUST_USE Status host_times_of_board(Store *store, const Board *board, const char *anchor, AnchorTime *median,
                                    Message *why);

/* `*rank_status` becomes "quarantined: " and why, where the judge would rank the run but its machine does not agree
 * with the board's. Lives in `arena`. */
MUST_USE Status host_times_review(Store *store, const Run *run, Arena *arena, const char **rank_status, Message *why);

#endif
