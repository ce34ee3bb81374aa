/* pilot.h - how a worker in a batch job keeps within the job's time: when it still begins a judging, and when it ends.
 *
 * The batch system signals its end PILOT_MARGIN_S ahead (service/slurm/pilot_script.h). A judging is begun only if as
 * much time is left as it may take; but no more than half of the whole is asked for, so that a new pilot can always
 * begin something, also where a site allows short jobs only. An honest judging takes a hundredth of what it may.
 *
 * Units    seconds.  */
#ifndef SERVICE_WORKER_PILOT_H
#define SERVICE_WORKER_PILOT_H

#include <stdbool.h>

enum { PILOT_MARGIN_S = 60, PILOT_LEAST_MINUTES = 5, PILOT_IDLE_S = 60 };

typedef struct Pilot {
    double lifetime_s;          /* of the batch job; 0: this is no pilot */
    double idle_s;              /* it ends when nothing has come for so long */
    double started_s, worked_s; /* when it began, and when it last had a judging, by its own clock */
    bool is_short; /* nothing more will come: the time is too short for a judging, or the head gives it no work */
} Pilot;

/* The time that must be left for a judging that may take `limit_s`. */
double pilot_reserve_s(const Pilot *pilot, double limit_s);
/* Whether to begin such a judging now; always true for a worker that is no pilot. */
bool pilot_has_time(const Pilot *pilot, double now_s, double limit_s);
/* Whether it is time to end for a pilot that has found nothing to do. */
bool pilot_ends(const Pilot *pilot, double now_s);

#endif
