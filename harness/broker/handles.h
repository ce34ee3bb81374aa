/* handles.h - numbers that stand for objects, handed to a process that must not see pointers.
 *
 * A number is never used twice, so that one of an object that is gone cannot mean another.  */
#ifndef HARNESS_BROKER_HANDLES_H
#define HARNESS_BROKER_HANDLES_H

#include <stdint.h>

enum { HANDLES_MAX = 1 << 20 };

typedef struct Handles { /* {.first = F} is empty; numbers start at F */
    uint64_t first;
    void **objects;
    uint32_t count, capacity;
} Handles;

/* 0 where there are too many; `first` must therefore not be 0. */
uint64_t handles_add(Handles *handles, void *object);
/* NULL for a number that stands for nothing. */
void *handles_get(const Handles *handles, uint64_t number);
/* The object, which the number stands for no longer. */
void *handles_remove(Handles *handles, uint64_t number);
void handles_free(Handles *handles);

#endif
