/* worker.h - takes jobs from the spool, one at a time, and reports how each has ended.
 *
 * One program for a worker beside the head, on another host with a shared folder, and in a batch job. It can be killed at
 * any moment: when a worker of the same name starts again, it reports what the killed one had in hand. Told to stop
 * (SIGTERM, SIGINT), it reports its job as failed and ends.  */
#ifndef SERVICE_WORKER_WORKER_H
#define SERVICE_WORKER_WORKER_H

#include "base/status.h"
#include "service/worker/worker_settings.h"

/* Works until it is told to stop. */
MUST_USE Status worker_run(const WorkerSettings *settings, Message *why);

#endif
