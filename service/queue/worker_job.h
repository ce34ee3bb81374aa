/* worker_job.h - judges one job of the spool, by `convjudge grade` or `convjudge try` in a child process.
 *
 * The verdict is the child's. That it could not give one (exit status 2, a signal, no end in time) is a failure of the worker
 * and says nothing about the submission.  */
#ifndef SERVICE_QUEUE_WORKER_JOB_H
#define SERVICE_QUEUE_WORKER_JOB_H

#include "base/arena.h"
#include "base/status.h"
#include "base/text.h"
#include "service/store/spool.h"

#include <stdbool.h>

/* ==== child ======================================================================================================= */

/* Runs this very program as a child process, `convjudge grade ...`, and follows it.
 *
 * The child is the first of a process group of its own, and dies with its parent. Both of its outputs are bounded. */

#define CHILD_PROGRAM "/proc/self/exe"

typedef struct ChildProgress {
    char step[64];   /* "timed cases"; "": unknown */
    int done, total; /* 0 of 0: unknown */
} ChildProgress;

typedef struct ChildSpec {
    const char *const *arguments;   /* CHILD_PROGRAM, "grade", ...; NULL at the end */
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

/* ==== duty ======================================================================================================== */

/* What a worker owes the head while it judges a job: a beat each second. And what ends the judging before its time. */

typedef enum DutyEnd {
    DUTY_GOES_ON,
    DUTY_TIME_IS_UP,
    DUTY_STOPPED,  /* the worker was told to stop */
    DUTY_FORGOTTEN /* the head has given the job to somebody else, or nobody wants it any more */
} DutyEnd;

typedef struct JobLease {
    const char *spool;
    SpoolClaim claim; /* with the newest beat */
    int signals;      /* a signalfd: something to read there tells the worker to stop */
    double deadline_s, next_beat_s;
    bool is_troubled; /* the last beat could not be written */
    DutyEnd end;
} JobLease;

/* Beats at once. */
JobLease job_lease_begin(const char *spool, const SpoolClaim *claim, int signals, double limit_s);

/* Beats where it is time, and looks whether anything ends the judging; a ChildSpec's goes_on(), with a Duty as context. */
bool job_lease_goes_on(void *duty, const ChildProgress *progress);

/* Whether the worker has been told to stop; waits that long for it, in milliseconds. */
bool job_lease_was_stopped(int signals, int wait_ms);

/* ==== job files =================================================================================================== */

/* The temporary folder in which a job is judged: its source under its own name, and its results. */

typedef struct JobFiles {
    char folder[4096];
    char source[4400], result[4200], explain[4200], verdicts[4200];
} JobFiles;

/* Makes the folder, and writes the source. It goes when the process ends, however that ends (scratch.h). */
MUST_USE Status job_files_make(const SpoolJob *job, JobFiles *files, Message *why);
void job_files_remove(const JobFiles *files);

/* The name for the source: the student's, unless that could be mistaken for something else. */
const char *job_file_name(const char *file_name);

/* ==== judge job =================================================================================================== */

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
void judge_job(const SpoolJob *job, const JudgeBench *bench, JobLease *duty, Arena *arena, SpoolDone *done);

#endif
