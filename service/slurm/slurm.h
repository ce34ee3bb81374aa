/* slurm.h - keeps as many pilots in Slurm as the queue is worth: batch jobs whose workers drain the spool.
 *
 * Record    What Slurm says decides only whether to start a pilot. What was handed in, and what became of it, is in the
 *           store and in the spool, so a controller that forgets jobs or repeats them loses and repeats nothing.
 * Course    A thread of its own runs squeue and sbatch as child processes with a time limit. Nothing is asked while
 *           nothing waits and no pilot is known. Each pilot is started after a fresh list, so that never more than
 *           configured run, also after a restart of the server or an sbatch that timed out; claims in the spool by
 *           pilots that Slurm no longer lists count as pilots, too.
 * Failures  are told once (log.h), and tried again after growing pauses. So is a pilot that has ended without taking
 *           anything although something waited: its node has a fault.
 * Threads   slurm_health() may be called from any.  */
#ifndef SERVICE_SLURM_SLURM_H
#define SERVICE_SLURM_SLURM_H

#include "base/status.h"
#include "service/config/config.h"

#include <stdint.h>

typedef struct Slurm Slurm;

typedef struct SlurmOptions { /* all of it must outlive the thread */
    const SlurmSettings *settings;
    const char *state;   /* folder of the store, which must be open already */
    const char *spool;   /* which must exist */
    const char *program; /* convjudge, where the settings name none */
} SlurmOptions;

MUST_USE Status slurm_start(const SlurmOptions *options, Slurm **slurm, Message *why);
/* The pilots stay: they end by themselves, and a server that starts again finds them. */
void slurm_stop(Slurm *slurm);

typedef struct SlurmHealth {
    int64_t pending, running; /* pilots, when Slurm was last asked */
    int64_t started;          /* by this server */
    int64_t failures;         /* of commands, and pilots that took nothing, by this server */
    Message trouble;          /* the present one; "": none */
} SlurmHealth;
SlurmHealth slurm_health(Slurm *slurm);

#endif
