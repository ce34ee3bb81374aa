/* handles.h - gives numbers to objects, for a process that must not see pointers.
 *
 * A number is never used again: after its object has been removed, it never names another one.  */
#ifndef HARNESS_BROKER_HANDLES_H
#define HARNESS_BROKER_HANDLES_H

#include <stdint.h>

enum { HANDLES_MAX = 1 << 20 }; /* numbers that are given in all */

typedef struct Handles { /* {.first = F, .most = M} is empty; numbers start at F, which is not 0 */
    uint64_t first;
    void **objects;
    uint32_t count, capacity;
    uint32_t living, most; /* objects now, and the limit on them; most 0: HANDLES_MAX */
} Handles;

/* The number of the object; 0: there are too many. */
uint64_t handles_add(Handles *handles, void *object);
/* NULL: the number has no object. */
void *handles_get(const Handles *handles, uint64_t number);
/* The same, and removes the object. */
void *handles_remove(Handles *handles, uint64_t number);
void handles_free(Handles *handles);

#endif
