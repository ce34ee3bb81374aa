/* time_change.h - how two uncertain times of the same work compare: whether they may be compared at all, the ratio, and whether
 * it is more than noise. Pages and the command line both ask here.
 *
 * The times differ beyond noise where one would rank before the other (leaderboard/store.h).  */
#ifndef GRADER_REPORT_TIME_CHANGE_H
#define GRADER_REPORT_TIME_CHANGE_H

#include "base/json.h"
#include "leaderboard/store.h"

typedef enum TimeOrder { TIME_UNKNOWN, TIME_NOISE, TIME_FASTER, TIME_SLOWER } TimeOrder;

typedef struct TimeChange {
    double ratio;       /* after / before; 0: one of the times is missing */
    double uncertainty; /* of the ratio, relative */
    TimeOrder order;
} TimeChange;

/* Why the times of two results (result.json) cannot be compared: they are of different boards, so their problem, device, revision
 * or epoch differs. Writes a part of a sentence to `why`, "" where they can. A result may be NULL. */
void time_change_obstacle(const cJSON *before, const cJSON *after, char *why, size_t size);
TimeChange time_change(MeasuredTime before, MeasuredTime after);
/* "faster", "slower", "no more than noise"; "" where a time is missing. */
const char *time_order_words(TimeOrder order);
/* Adds {"ratio", "uncertainty", "order"} under a key; nothing where a time is missing. */
void time_change_put(cJSON *object, const char *key, const TimeChange *change);

#endif
