/* sim_conflict.h - what two operations touch, and whether it is the same.  */
#ifndef HARNESS_DEVICE_SIM_SIM_CONFLICT_H
#define HARNESS_DEVICE_SIM_SIM_CONFLICT_H

#include "harness/device/device.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct Touch {
    uint64_t begin, end;
    bool is_store;
} Touch;

typedef struct Touches { /* of one operation */
    Touch *ranges;       /* [count] */
    uint32_t count, capacity;
} Touches;

void touches_add(Touches *touches, uint64_t address, uint64_t bytes, bool is_store);
void touches_free(Touches *touches);
/* Does one of the two write where the other reads or writes? */
bool touches_conflict(const Touches *a, const Touches *b);

typedef struct Party { /* one of the two */
    const char *name;  /* "kernel blur on stream 2" */
    uint32_t sequence; /* in the call */
    Mistake mistake;   /* if it fails to wait */
} Party;

/* Reports two operations that nothing orders, `first` being the one that was asked for first; or one that the host may
 * fail to wait for (second: NULL). */
void conflict_add(DeviceCheck *check, const Party *first, const Party *second);

#endif
