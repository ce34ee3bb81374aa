/* spool.h - the folder through which the head of the service and its workers hand each other jobs and results.
 *
 *     ready/J-N.json       a job: attempt N of judging J. The head writes it, and a worker takes it by renaming it
 *     claimed/J-N.WORKER   the same file, once WORKER has taken it
 *     beat/J-N.WORKER      a counter that WORKER raises each second, and what it is doing
 *     done/J-N.json        how the attempt has ended, with a checksum
 *     idle/WORKER          a counter that WORKER raises every few seconds while it waits
 *     hold/WORKER          WORKER claims nothing while this exists
 *     editions/DIGEST/     files of a problem as they were once (grader/problem/problem_edition.h)
 *     damaged/...          files that could not be read, for a person to look at
 *
 * The folder may lie on a network file system. Every file is written under another name first, which begins with a dot,
 * and then renamed, so that nobody sees half of it. No time of a file counts: clocks of hosts differ. Each function can be
 * repeated after a crash at any point, and files whose names do not fit are ignored. docs/reference/formats.md has the files.
 *
 * Errors   NOT_FOUND: no such file. BAD_INPUT: a file is damaged. SYSTEM: the folder cannot be read or written.  */
#ifndef SERVICE_STORE_SPOOL_H
#define SERVICE_STORE_SPOOL_H

#include "base/arena.h"
#include "base/status.h"
#include "base/text.h"
#include "leaderboard/store.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ==== spool contents ============================================================================================== */

/* What the files of the spool hold. */

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

/* ==== spool idle ================================================================================================== */

/* Idle/WORKER in the spool: a worker that waits for a job shows that it is there.
 *
 * The worker raises a counter every few seconds. One that is killed leaves its file, so what counts is whether the counter
 * changes by the reader's own clock (service/queue/head.h), not that there is a file.
 * Errors   SYSTEM: the folder cannot be read or written. */

/* Shows that the worker waits. Not synced to the disk: the next one comes soon. */
MUST_USE Status spool_show_idle(const char *spool, const SpoolIdle *idle, Message *why);
/* Removes the worker's file: it has a job, or it ends, or nobody has seen it change. No file is no error. */
MUST_USE Status spool_forget_idle(const char *spool, const char *worker, Message *why);
/* The workers that have a file, in no order. One that cannot be read has the count 0 and no device, "". */
MUST_USE Status spool_list_idle(const char *spool, Arena *arena, SpoolIdle **idle, size_t *count, Message *why);
/* Removes what workers that were killed have left unfinished. */
MUST_USE Status spool_sweep_idle(const char *spool, Message *why);

/* ==== spool record ================================================================================================ */

/* The contents of the spool's files: from structs to JSON and back.
 *
 * Reading is strict: an unknown, missing or repeated key is BAD_INPUT, with file and line. */

void spool_write_job(const SpoolJob *job, Text *text);
/* The job in the file must be `id`. */
MUST_USE Status spool_read_job(const char *path, SpoolId id, Arena *arena, SpoolJob *job, Message *why);

void spool_write_beat(const SpoolClaim *claim, Text *text);
/* Fills in count, step, done and total. */
MUST_USE Status spool_read_beat(const char *path, Arena *arena, SpoolClaim *claim, Message *why);

void spool_write_idle(const SpoolIdle *idle, Text *text);
/* Fills in everything but the worker's name. */
MUST_USE Status spool_read_idle(const char *path, Arena *arena, SpoolIdle *idle, Message *why);

void spool_write_done(const SpoolDone *done, Text *text);
/* The attempt in the file must be `id`. */
MUST_USE Status spool_parse_done(const char *path, SpoolId id, Arena *arena, SpoolDone *done, Message *why);

/* A run by itself, without its source. */
void spool_write_run(const Run *run, Text *text);
/* Messages call the text `name`. */
MUST_USE Status spool_parse_run(const char *name, const char *text, Arena *arena, Run *run, Message *why);

/* ==== spool ======================================================================================================= */

/* Makes the folder and its subfolders where they are missing, and refuses one that others may enter. */
MUST_USE Status spool_make(const char *spool, Message *why);

/* ---- the head ---------------------------------------------------------------------------------------------------- */

/* Offers a job. The same job may be offered again. */
MUST_USE Status spool_offer(const char *spool, const SpoolJob *job, Message *why);
/* Takes an offer back; `*withdrawn` is false if a worker has taken it, or there is none. */
MUST_USE Status spool_withdraw(const char *spool, SpoolId id, bool *withdrawn, Message *why);
/* Everything that workers have taken and the head has not forgotten, in no order. */
MUST_USE Status spool_list_claims(const char *spool, Arena *arena, SpoolClaim **claims, size_t *count, Message *why);
/* The attempts that have ended, in no order. */
MUST_USE Status spool_list_done(const char *spool, Arena *arena, SpoolId **ids, size_t *count, Message *why);
/* Reads how an attempt ended, and checks the checksum. A damaged file is moved aside. */
MUST_USE Status spool_read_done(const char *spool, SpoolId id, Arena *arena, SpoolDone *done, Message *why);
/* Removes all files of an attempt. A worker that is still busy with it stops. */
MUST_USE Status spool_forget(const char *spool, SpoolId id, Message *why);
/* Makes a worker claim nothing more, or lets it claim again. */
MUST_USE Status spool_hold(const char *spool, const char *worker, bool held, Message *why);
/* Removes what writers that were killed have left unfinished. For the head, when it starts. */
MUST_USE Status spool_sweep(const char *spool, Message *why);

/* ---- both -------------------------------------------------------------------------------------------------------- */

enum { SPOOL_EDITIONS_BYTES = 4500 };
/* The folder of the editions. The head writes and removes them, and a job may name one. */
void spool_editions_path(const char *spool, char path[SPOOL_EDITIONS_BYTES]);

/* ---- workers ----------------------------------------------------------------------------------------------------- */

/* The jobs that nobody has taken, the most urgent one first. One whose file is damaged comes before all others, so that a
 * worker takes it and reports it. */
MUST_USE Status spool_list_ready(const char *spool, Arena *arena, SpoolJob **jobs, size_t *count, Message *why);
/* Takes a job; `*claimed` is false if another worker was faster, or the head has taken it back. */
MUST_USE Status spool_claim(const char *spool, SpoolId id, const char *worker, bool *claimed, Message *why);
/* Reads the job of a claim. */
MUST_USE Status spool_read_claimed(const char *spool, const SpoolClaim *claim, Arena *arena, SpoolJob *job,
                                   Message *why);
/* Shows that the worker lives. Not synced to the disk: the next one comes soon. */
MUST_USE Status spool_beat(const char *spool, const SpoolClaim *claim, Message *why);
/* False once the head has forgotten the claim. */
bool spool_is_claimed(const char *spool, const SpoolClaim *claim);
bool spool_is_held(const char *spool, const char *worker);
/* Moves the file of a damaged job aside; the claim stays until spool_finish(). */
MUST_USE Status spool_set_aside(const char *spool, const SpoolClaim *claim, Message *why);
/* Reports the end of an attempt. The claim stays until the head has recorded it, since the head may see the end late. */
MUST_USE Status spool_finish(const char *spool, const SpoolDone *done, Message *why);
/* Whether the end of an attempt is reported, and the head has not forgotten it. */
bool spool_is_done(const char *spool, SpoolId id);
/* Gives up a claim. */
void spool_release(const char *spool, const SpoolClaim *claim);

#endif
