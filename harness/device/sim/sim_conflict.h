/* sim_conflict.h - what two operations touch, and whether it is the same.  */
#ifndef HARNESS_DEVICE_SIM_SIM_CONFLICT_H
#define HARNESS_DEVICE_SIM_SIM_CONFLICT_H

#include "harness/device/sim/sim_state.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct ByteTouch {
    uint64_t begin, end;
    bool is_store;
} ByteTouch;

typedef struct Touches { /* of one operation */
    ByteTouch *ranges;   /* [count] all that it uses lies in these */
    uint32_t count, capacity;
    Footprint *bytes; /* what it uses to the byte; NULL: not known */
} Touches;

void touches_add(Touches *touches, uint64_t address, uint64_t bytes, bool is_store);
void touches_free(Touches *touches);

typedef enum Clash { /* of two operations */
                     CLASH_NONE,
                     CLASH_ORDER, /* one writes where the other reads or writes, so that their order may matter */
                     CLASH_RACE /* and it matters that they may run at the same time: both change a byte, not both atomically */
} Clash;

/* `address`: of a race, where it is. */
Clash touches_compare(const Touches *a, const Touches *b, uint64_t *address);

/* The same of a kernel, and of the next one on its stream, which may begin before that has ended. */
Clash touches_compare_next(const Touches *kernel, const Touches *next, uint64_t *address);

typedef struct Party { /* one of the two */
    const char *name;  /* "kernel blur on stream 2" */
    uint32_t sequence; /* in the call */
    uint32_t place;    /* in host code (DeviceParty) */
    Mistake mistake;   /* if it fails to wait */
    bool is_function;  /* of the host */
} Party;

/* Reports two operations that nothing orders, `first` being the one that was asked for first; or one that the host may
 * fail to wait for (second: NULL). Where there are too many, races stay, and then pairs of operations. Returns it, or
 * NULL where it does not stay. */
DeviceConflict *conflict_add(DeviceCheck *check, const Party *first, const Party *second, bool is_race);
/* "output[12]", "byte 48 of an allocation of 400 bytes", "the same memory". */
void conflict_name_place(SimDevice *sim, uint64_t address, char *text, size_t size);

#endif
