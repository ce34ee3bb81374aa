/* workplace.h - what a worker has for itself: a name, a device, a folder, and the signals that stop it.
 *
 * The folder holds the database of what this worker has judged, whose reference times the next job needs: SPOOL/workers/NAME.
 * Where the spool lies on a network file system, which is no place for SQLite, the folder is one of the cache
 * (paths_cache()). A pilot's folder has a name of its own, which the pilots of a host use one after the other. A lock in it keeps two workers on one host from having the same name.  */
#ifndef SERVICE_WORKER_WORKPLACE_H
#define SERVICE_WORKER_WORKPLACE_H

#include "service/spool/spool_contents.h"
#include "service/worker/judge_job.h"
#include "service/worker/worker_settings.h"

typedef struct Workplace {
    char name[SPOOL_WORKER_BYTES + 1];
    char folder[4096], database[4200];
    int lock;
    int signals; /* a signalfd */
    JudgeBench bench;
} Workplace;

MUST_USE Status workplace_open(const WorkerSettings *settings, Workplace *place, Message *why);
void workplace_close(const Workplace *place);

/* Whether somebody has put another program in the place of the one that runs. Its parts might not fit each other, so the
 * worker ends, and whoever looks after it starts the new one. */
bool workplace_was_replaced(void);

#endif
