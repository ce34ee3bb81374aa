/* worker.h - the parts of a worker: what it has for itself, and how it keeps within the time of a batch job.  */
#ifndef SERVICE_COMMANDS_WORKER_H
#define SERVICE_COMMANDS_WORKER_H

#include "base/status.h"
#include "service/commands/server.h"
#include "service/commands/worker_job.h"
#include "service/store/work.h"

#include <stdbool.h>

/* ==== worker settings ============================================================================================= */

/* What the command line says of a worker. */

typedef struct WorkerSettings {
    const char *server;    /* as --server names it; NULL: not given */
    const char *state;     /* folder for `workers` with the worker's own; NULL: the cache */
    const char *device;    /* as `grade --device` takes it */
    const char *name;      /* unique among the workers of the server; NULL: made of host and device */
    bool once;             /* judge one job at most */
    int64_t pilot_minutes; /* of the batch job that it runs in; 0: it runs in none */
    int64_t idle_s;        /* of a pilot */
    bool explains;         /* also say where the time of an accepted submission goes */
    bool unconfined;       /* judge even where no full sandbox can be made */
} WorkerSettings;

/* ==== pilot ======================================================================================================= */

/* How a worker in a batch job keeps within the job's time: when it still begins a judging, and when it ends.
 *
 * The batch system signals its end PILOT_MARGIN_S ahead (service/store/slurm.h). A judging is begun only if as
 * much time is left as it may take; but no more than half of the whole is asked for, so that a new pilot can always
 * begin something, also where a site allows short jobs only. An honest judging takes a hundredth of what it may.
 *
 * Units    seconds. */

enum { PILOT_MARGIN_S = 60, PILOT_LEAST_MINUTES = 5, PILOT_IDLE_S = 60 };

typedef struct Pilot {
    double lifetime_s;          /* of the batch job; 0: this is no pilot */
    double idle_s;              /* it ends when nothing has come for so long */
    double started_s, worked_s; /* when it began, and when it last had a judging, by its own clock */
    bool is_short; /* nothing more will come: the time is too short for a judging, or the server gives it no work */
} Pilot;

/* The time that must be left for a judging that may take `limit_s`. */
double pilot_reserve_s(const Pilot *pilot, double limit_s);
/* What a judging that begins now may take at most; 0: as long as it likes, also in a worker that is no pilot. */
double pilot_most_s(const Pilot *pilot, double now_s);
/* Whether it is time to end for a pilot that has found nothing to do. */
bool pilot_ends(const Pilot *pilot, double now_s);

/* ==== workplace =================================================================================================== */

/* What a worker has for itself: a name, a device, a folder, and the signals that stop it.
 *
 * The folder holds the database of what this worker has judged, whose reference times the next job needs: STATE/workers/NAME, or
 * one of the cache (paths_cache()) for each server and name. A pilot's folder has a name of its own, which the pilots of a host use one after the
 * other. A lock in it keeps two workers on one host from having the same name. */

typedef struct WorkerContext {
    char name[WORKER_NAME_BYTES + 1];
    char folder[4096], database[4200], editions[4200], program[JUDGE_PROGRAM_BYTES];
    int lock;
    int signals;   /* a signalfd */
    Server server; /* the signals cut short what is asked of it */
    JudgeBench bench;
} WorkerContext;

MUST_USE Status worker_context_open(const WorkerSettings *settings, WorkerContext *place, Message *why);
void worker_context_close(const WorkerContext *place);

#endif
