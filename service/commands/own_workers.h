/* own_workers.h - the workers that the server starts itself, one for each device of its settings.
 *
 * One that ends is started again, at most once every RESTART_S seconds. They end with the server, however it ends.  */
#ifndef SERVICE_COMMANDS_OWN_WORKERS_H
#define SERVICE_COMMANDS_OWN_WORKERS_H

#include "base/status.h"
#include "service/config/config.h"

typedef struct OwnWorkers OwnWorkers;

MUST_USE Status own_workers_start(const Names *devices, const char *spool, OwnWorkers **workers, Message *why);
/* Starts again what has ended. To be called often. */
void own_workers_tick(OwnWorkers *workers);
void own_workers_stop(OwnWorkers *workers);

#endif
