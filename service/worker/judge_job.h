/* judge_job.h - judges one job of the spool, by `convjudge grade` or `convjudge try` in a child process.
 *
 * The verdict is the child's. That it could not give one (exit status 2, a signal, no end in time) is a failure of the worker
 * and says nothing about the submission.  */
#ifndef SERVICE_WORKER_JUDGE_JOB_H
#define SERVICE_WORKER_JUDGE_JOB_H

#include "base/arena.h"
#include "service/spool/spool.h"
#include "service/worker/duty.h"

#include <stdbool.h>

typedef struct JudgeBench { /* where a worker judges */
    char handle[64];        /* of its device, for --device: "cuda:1" */
    char device[64];        /* what result.json calls it: "sim-h200" */
    char device_name[256];  /* for people */
    bool simulated;
    bool explains;   /* also where the time of an accepted submission goes */
    bool unconfined; /* without a full sandbox, where none can be made */
    const char *spool;
    const char *database; /* of reference times and of what this worker has judged */
} JudgeBench;

/* Fills in the rest of `done`, which has the names of worker, device and job already; everything lives in `arena`. A job
 * that the head has forgotten ends duty->end. */
void judge_job(const SpoolJob *job, const JudgeBench *bench, Duty *duty, Arena *arena, SpoolDone *done);

#endif
