/* command_serve.h - the workers that a server starts itself, one for each device of its settings, or `grade-class`.
 *
 * One that ends is started again, at most once every RESTART_S seconds. They end with their server, however it ends. They are in
 * process groups of their own, so that Ctrl-C reaches the server alone, which stops them.  */
#ifndef SERVICE_COMMANDS_COMMAND_SERVE_H
#define SERVICE_COMMANDS_COMMAND_SERVE_H

#include "base/arena.h"
#include "base/status.h"
#include "service/store/config.h"
#include "service/store/queue.h"

/* ==== class devices =============================================================================================== */

/* On which devices of this host a class is judged: on all GPUs side by side, one measurement at a time on each,
 * or on the simulated GPU with a worker for each core. */

/* `name` is that of --device; NULL is "auto". "cuda" means all GPUs, "cuda:1" that one. Errors as device_describe(). */
MUST_USE Status class_devices(const char *name, Arena *arena, Names *devices, Message *why);

/* ==== own workers ================================================================================================= */

typedef struct LocalWorkers LocalWorkers;

typedef struct LocalWorkersSpec {
    const Names *devices; /* one worker for each; the same device may stand there several times */
    const char *server;   /* the socket by which they reach it */
    const char *state;    /* folder for their databases */
    int log;              /* where they write their lines; 0: to standard error */
    bool explains;        /* they also say where the time of an accepted submission goes */
    bool unconfined;      /* they judge even where no full sandbox can be made */
} LocalWorkersSpec;

/* The texts of the spec must outlive them. */
MUST_USE Status local_workers_start(const LocalWorkersSpec *spec, LocalWorkers **workers, Message *why);
/* How often a worker has ended by itself. */
int local_workers_ended(const LocalWorkers *workers);
/* Starts again what has ended. To be called often. */
void local_workers_tick(LocalWorkers *workers, Queue *queue);
/* `serve` is called until they have ended: it answers them for about so long. */
void local_workers_stop(LocalWorkers *workers, void (*serve)(void *context, double seconds), void *context);

#endif
