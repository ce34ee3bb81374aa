/* spool_contents.h - what the files of the spool hold.  */
#ifndef SERVICE_SPOOL_SPOOL_CONTENTS_H
#define SERVICE_SPOOL_SPOOL_CONTENTS_H

#include "leaderboard/store.h"

#include <stdbool.h>
#include <stdint.h>

enum { SPOOL_WORKER_BYTES = 64 };

typedef struct SpoolId {
    int64_t judging; /* J, from 1 */
    int attempt;     /* N, from 1 */
} SpoolId;

typedef struct SpoolJob { /* all texts are UTF-8; none is NULL unless it says so */
    SpoolId id;
    const char *mode; /* "rank", "test" or "try" */
    const char *problem, *revision;
    const char *source_hash; /* as in result.json: hash_of_one() of the source */
    const char *source, *file_name;
    const char *person;
    const char *sizes; /* "input_size=9"; NULL: none. Only with "try" */
    const char
        *avoid; /* the worker that the last attempt failed on, which leaves it to others for a while; NULL: none */
    const char *cases;   /* "all": every sample and hidden case gets a verdict, for points; NULL: as usual */
    const char *edition; /* the one in the spool to judge by; NULL: the problem as it lies on the worker's host */
    const char *device;  /* the id that the worker's device must have: "sim-h200"; "": any */
    double priority;     /* the lowest number goes first */
    double time_limit_s;
    const char *damage; /* NULL; else one line that says why the file cannot be read, and only `id` is known */
} SpoolJob;

typedef struct SpoolClaim {
    SpoolId id;
    char worker[SPOOL_WORKER_BYTES + 1];
    int64_t count;    /* grows while the worker lives; 0: it has not beaten yet */
    const char *step; /* what it is doing: "timed cases"; "": unknown */
    int done, total;  /* of the step; 0 of 0: unknown */
} SpoolClaim;

typedef struct SpoolIdle { /* a worker that waits for a job */
    char worker[SPOOL_WORKER_BYTES + 1];
    int64_t count;      /* grows while the worker waits */
    const char *device; /* its id, as in result.json */
    const char *device_name;
    bool is_held; /* it claims nothing, whatever comes */
} SpoolIdle;

typedef struct SpoolDone {
    SpoolId id;
    const char *source_hash, *revision; /* of the job; "" if the job's file was damaged */
    const char *worker, *device, *device_name;
    const char *outcome;       /* "judged", "worker_failed", or "given_back": the worker was told to stop */
    const char *why;           /* one line about a worker that failed, else "" */
    const char *result;        /* text of result.json; "" if there is none, likewise the next two */
    const char *report;        /* as `convjudge grade` prints it */
    const char *explain;       /* text of explain.json */
    const char *case_verdicts; /* text of what `grade --all-cases` writes; NULL: not wanted */
    const Run *run;            /* as the worker's own database has it, without its source; NULL: nothing was recorded */
} SpoolDone;

/* Letters, digits, '-' and '_', 1 to SPOOL_WORKER_BYTES of them. */
bool spool_worker_is_valid(const char *name);

#endif
