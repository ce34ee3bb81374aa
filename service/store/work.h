/* work.h - what server and workers tell each other: jobs, how they ended, and runs, as JSON (docs/reference/api.md).
 *
 * Reading is strict: an unknown, missing or repeated key, or a value that cannot be, is BAD_INPUT, said in one line.  */
#ifndef SERVICE_STORE_WORK_H
#define SERVICE_STORE_WORK_H

#include "base/arena.h"
#include "base/json.h"
#include "base/status.h"
#include "base/text.h"
#include "leaderboard/store.h"

#include <stdbool.h>
#include <stdint.h>

/* ==== work ======================================================================================================== */

enum { WORKER_NAME_BYTES = 64, WORK_MOST_WAIT_S = 60, WORK_RESULT_BYTES = 64 << 20 };

typedef struct WorkId {
    int64_t judging; /* from 1 */
    int attempt;     /* from 1 */
} WorkId;

typedef struct WorkClaim { /* a worker asks for a job */
    const char *worker, *device, *device_name;
    double wait_s; /* it is answered then at the latest */
    double most_s; /* it begins nothing that may take longer; 0: anything */
} WorkClaim;

typedef struct WorkJob { /* all texts are UTF-8; none is NULL unless it says so */
    WorkId id;
    const char *mode; /* "rank", "test" or "try" */
    const char *problem, *revision;
    const char *source_hash; /* as in result.json: hash_of_one() of the source */
    const char *source, *file_name;
    const char *person;
    const char *sizes; /* "input_size=9"; NULL: none. Only with "try" */
    const char *cases; /* "all": every sample and hidden case gets a verdict, for points; NULL: as usual */
    const char
        *edition; /* the files to judge by, which the server has; NULL: the problem as it lies on the worker's host */
    double time_limit_s;
} WorkJob;

typedef struct WorkProgress {
    WorkId id;
    const char *worker;
    const char *step; /* what the worker is doing: "timed cases"; "": unknown */
    int done, total;  /* of the step; 0 of 0: unknown */
} WorkProgress;

typedef struct WorkResult {
    WorkId id;
    const char *source_hash, *revision; /* of the job */
    const char *worker, *device, *device_name;
    const char *outcome;       /* "judged", "worker_failed", or "given_back": the worker was told to stop */
    const char *why;           /* one line about a worker that failed, else "" */
    const char *result;        /* text of result.json; "" if there is none, likewise the next two */
    const char *report;        /* as `convjudge grade` prints it */
    const char *explain;       /* text of explain.json */
    const char *case_verdicts; /* text of what `grade --all-cases` writes; NULL: not wanted */
    const Run *run;            /* as the worker's own database has it, without its source; NULL: nothing was recorded */
} WorkResult;

/* Letters, digits, '-' and '_', 1 to WORKER_NAME_BYTES of them. */
bool worker_name_is_valid(const char *name);

/* ==== messages ==================================================================================================== */

/* The caller owns the object. Reading fills in a struct whose texts live in `arena`. */

cJSON *work_claim_json(const WorkClaim *claim);
MUST_USE Status work_read_claim(const JsonFile *file, Arena *arena, WorkClaim *claim, Message *why);

cJSON *work_job_json(const WorkJob *job);
MUST_USE Status work_read_job(const JsonFile *file, const cJSON *object, Arena *arena, WorkJob *job, Message *why);

cJSON *work_progress_json(const WorkProgress *progress);
MUST_USE Status work_read_progress(const JsonFile *file, Arena *arena, WorkProgress *progress, Message *why);

cJSON *work_result_json(const WorkResult *result);
MUST_USE Status work_read_result(const JsonFile *file, Arena *arena, WorkResult *result, Message *why);

/* A run by itself, without its source. */
void work_write_run(const Run *run, Text *text);
/* Messages call the text `name`. */
MUST_USE Status work_parse_run(const char *name, const char *text, Arena *arena, Run *run, Message *why);

#endif
