/* pilot_logs.h - SPOOL/pilots/JOB.log: what a pilot, or Slurm about it, wrote to standard output and error.  */
#ifndef SERVICE_SLURM_PILOT_LOGS_H
#define SERVICE_SLURM_PILOT_LOGS_H

#include "base/arena.h"
#include "base/status.h"

#include <stdint.h>

enum { PILOT_LOGS_KEPT = 200 };

/* Makes the folder, for its owner alone. */
MUST_USE Status pilot_logs_make(const char *spool, Message *why);
/* The last line of a pilot's log, which may be "". */
const char *pilot_logs_last_words(const char *spool, int64_t job, Arena *arena);
/* Removes the oldest logs where there are more than PILOT_LOGS_KEPT. */
void pilot_logs_limit(const char *spool);

#endif
