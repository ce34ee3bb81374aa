/* worker_settings.h - what the command line says of a worker.  */
#ifndef SERVICE_WORKER_WORKER_SETTINGS_H
#define SERVICE_WORKER_WORKER_SETTINGS_H

#include <stdbool.h>

typedef struct WorkerSettings {
    const char *spool;
    const char *device; /* as `grade --device` takes it */
    const char *name;   /* unique among the workers of the spool; NULL: made of host and device */
    bool once;          /* judge one job at most */
    int pilot_minutes;  /* of the batch job that it runs in (pilot.h); 0: it runs in none */
    int idle_s;         /* of a pilot */
    bool explains;      /* also say where the time of an accepted submission goes */
    bool unconfined;    /* judge even where no full sandbox can be made */
} WorkerSettings;

#endif
