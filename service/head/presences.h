/* presences.h - the workers that wait for a job, and since when their counters stand still.
 *
 * Units    seconds of the head's own clock (base/clock.h).  */
#ifndef SERVICE_HEAD_PRESENCES_H
#define SERVICE_HEAD_PRESENCES_H

#include "service/spool/spool_contents.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct Presence {
    char worker[SPOOL_WORKER_BYTES + 1];
    char device[64], device_name[256]; /* "" where its file could not be read */
    bool is_held;
    int64_t count;
    double changed_s; /* when the counter last changed */
    bool is_seen;     /* in the present look */
} Presence;

typedef struct Presences {
    Presence *items;
    size_t count, capacity;
} Presences;

/* Begins a look: nobody has been seen yet. */
void presences_begin(Presences *presences);
/* Takes note of a worker's file; returns for how long its counter has stood still. */
double presences_see(Presences *presences, const SpoolIdle *idle, double now_s);
/* Forgets a worker that has been seen, since it is gone. */
void presences_forget(Presences *presences, const char *worker);
/* Forgets who was not seen in this look; true: there were some. */
bool presences_end(Presences *presences);
void presences_free(Presences *presences);

#endif
