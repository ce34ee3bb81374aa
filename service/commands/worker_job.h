/* worker_job.h - judges one job, by `convjudge grade` or `convjudge try` in a child process.
 *
 * The verdict is the child's. That it could not give one (exit status 2, a signal, no end in time) is a failure of the worker
 * and says nothing about the submission.  */
#ifndef SERVICE_COMMANDS_WORKER_JOB_H
#define SERVICE_COMMANDS_WORKER_JOB_H

#include "base/arena.h"
#include "base/status.h"
#include "base/text.h"
#include "service/commands/server.h"
#include "service/store/work.h"

#include <stdbool.h>

/* ==== child ======================================================================================================= */

/* Runs `convjudge grade ...` as a child process, and follows it.
 *
 * The child is the first of a process group of its own, and dies with its parent. Both of its outputs are bounded. */

enum { JUDGE_PROGRAM_BYTES = 4096 };

/* The path of convjudge, which lies beside convjudge-service. SYSTEM: it is not there, or cannot be executed. */
MUST_USE Status judge_program(char path[JUDGE_PROGRAM_BYTES], Message *why);

typedef struct ChildProgress {
    char step[64];   /* "timed cases"; "": unknown */
    int done, total; /* 0 of 0: unknown */
} ChildProgress;

typedef struct ChildSpec {
    const char *const *arguments;   /* program, "grade", ...; NULL at the end */
    const char *const *environment; /* "NAME=value", NULL at the end */
    /* Asked at least ten times each second. False: the child is killed, with all that it has started. */
    bool (*goes_on)(void *context, const ChildProgress *progress);
    void *context;
} ChildSpec;

typedef struct ChildEnd {
    bool killed;          /* since goes_on() said so */
    int exit_status;      /* as a shell reports it: 0 to 255, 128 + signal */
    char last_words[500]; /* the last line on its standard error that is no progress; "": there is none */
} ChildEnd;

/* Runs the child to its end, and appends the first `keep_bytes` of its standard output. */
MUST_USE Status child_run(const ChildSpec *spec, size_t keep_bytes, Text *output, ChildEnd *end, Message *why);

/* ==== lease ======================================================================================================= */

/* While a worker judges a job, it says each second that it lives. And what ends the judging before its time. */

typedef enum LeaseEnd {
    LEASE_GOES_ON,
    LEASE_TIME_IS_UP,
    LEASE_STOPPED,  /* the worker was told to stop */
    LEASE_FORGOTTEN /* the server has given the job to somebody else, or nobody wants it any more */
} LeaseEnd;

typedef struct JobLease {
    Server server;
    WorkProgress progress; /* as it was said last, without the step */
    int signals;           /* a signalfd: something to read there tells the worker to stop */
    double deadline_s, next_heartbeat_s;
    bool is_troubled; /* the server could not be told */
    LeaseEnd end;
} JobLease;

/* Says so at once. */
JobLease job_lease_begin(const Server *server, WorkId id, const char *worker, int signals, double limit_s);

/* Whether the worker has been told to stop; waits that long for it, in milliseconds. */
bool job_lease_was_stopped(int signals, int wait_ms);

/* ==== job files =================================================================================================== */

/* The temporary folder in which a job is judged: its source under its own name, and its results. */

typedef struct JobFiles {
    char folder[4096];
    char source[4400], result[4200], explain[4200], trace[4200], look[4200], verdicts[4200];
} JobFiles;

/* The name for the source: the student's, unless that could be mistaken for something else. */
const char *job_file_name(const char *file_name);

/* ==== judge job =================================================================================================== */

typedef struct JudgeBench { /* where a worker judges */
    char handle[64];        /* of its device, for --device: "cuda:1" */
    char device[64];        /* what result.json calls it: "sim-h200" */
    char device_name[256];  /* for people */
    bool simulated;
    bool explains;        /* also where the time of an accepted submission goes */
    bool unconfined;      /* without a full sandbox, where none can be made */
    const char *program;  /* convjudge */
    const Server *server; /* has the editions */
    const char *editions; /* folder for those that jobs name */
    const char *database; /* of reference times and of what this worker has judged */
} JudgeBench;

/* Fills in the rest of `result`, which has the names of worker, device and job already; everything lives in `arena`. A job
 * that the server has forgotten ends lease->end. */
void judge_job(const WorkJob *job, const JudgeBench *bench, JobLease *lease, Arena *arena, WorkResult *result);

#endif
