/* head_options.h - what a head is told when it begins.  */
#ifndef SERVICE_HEAD_HEAD_OPTIONS_H
#define SERVICE_HEAD_HEAD_OPTIONS_H

#include <stdbool.h>

typedef struct Head Head;

typedef struct HeadOptions {
    const char *state; /* folder of the store, which must be open already (service_store.h) */
    const char *spool;
    double lease_s;
    bool workers_come_later; /* only when something waits are workers started: that none is there is no trouble */
} HeadOptions;

#endif
