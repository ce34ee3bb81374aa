/* spool_idle.h - idle/WORKER in the spool: a worker that waits for a job shows that it is there.
 *
 * The worker raises a counter every few seconds. One that is killed leaves its file, so what counts is whether the counter
 * changes by the reader's own clock (service/head/presences.h), not that there is a file.
 * Errors   SYSTEM: the folder cannot be read or written.  */
#ifndef SERVICE_SPOOL_SPOOL_IDLE_H
#define SERVICE_SPOOL_SPOOL_IDLE_H

#include "base/arena.h"
#include "base/status.h"
#include "service/spool/spool_contents.h"

#include <stddef.h>

/* Shows that the worker waits. Not synced to the disk: the next one comes soon. */
MUST_USE Status spool_show_idle(const char *spool, const SpoolIdle *idle, Message *why);
/* Removes the worker's file: it has a job, or it ends, or nobody has seen it change. No file is no error. */
MUST_USE Status spool_forget_idle(const char *spool, const char *worker, Message *why);
/* The workers that have a file, in no order. One that cannot be read has the count 0 and no device, "". */
MUST_USE Status spool_list_idle(const char *spool, Arena *arena, SpoolIdle **idle, size_t *count, Message *why);
/* Removes what workers that were killed have left unfinished. */
MUST_USE Status spool_sweep_idle(const char *spool, Message *why);

#endif
