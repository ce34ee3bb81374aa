/* absences.h - attempts whose files the spool does not show, and since when.
 *
 * A network file system shows files late: a job that a worker has just renamed can be in neither of its two folders for
 * a moment. So an attempt counts as gone only when no look has found it for a while.
 * Units    seconds of the head's own clock (base/clock.h).  */
#ifndef SERVICE_HEAD_ABSENCES_H
#define SERVICE_HEAD_ABSENCES_H

#include "service/spool/spool_contents.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct Absence {
    SpoolId id;
    double since_s;
    bool is_seen; /* in the present look */
} Absence;

typedef struct Absences {
    Absence *items;
    size_t count, capacity;
} Absences;

/* Begins a look: nothing has been missed yet. */
void absences_begin(Absences *absences);
/* Takes note that an attempt is missing; returns for how long it has been. */
double absences_note(Absences *absences, SpoolId id, double now_s);
/* Forgets what was not missed in this look. */
void absences_end(Absences *absences);
void absences_free(Absences *absences);

#endif
