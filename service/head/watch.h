/* watch.h - the claims that the head knows of, and since when their counters stand still.
 *
 * Units    seconds of the head's own clock (base/clock.h).  */
#ifndef SERVICE_HEAD_WATCH_H
#define SERVICE_HEAD_WATCH_H

#include "service/spool/spool.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct Watched {
    SpoolClaim claim; /* as it was seen last */
    char step[64];    /* of the claim */
    double began_s;   /* when it was first seen */
    double changed_s; /* when its counter last changed */
    double limit_s;   /* longest that the attempt may take */
    bool is_seen;     /* in the present look */
} Watched;

typedef struct Watch {
    Watched *items;
    size_t count, capacity;
} Watch;

/* Begins a look: nothing has been seen yet. */
void watch_begin(Watch *watch);
/* Takes note of a claim; `*is_new`: it was not known. The pointer is valid until the next call. */
Watched *watch_see(Watch *watch, const SpoolClaim *claim, double now_s, bool *is_new);
/* Forgets what was not seen in this look; *gone becomes their number. */
void watch_end(Watch *watch, size_t *gone);
/* NULL: no worker is at it. */
const Watched *watch_find(const Watch *watch, int64_t judging);
bool watch_is_overdue(const Watched *watched, double now_s, double lease_s);
void watch_free(Watch *watch);

#endif
