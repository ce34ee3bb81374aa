/* allocation.h - one allocation of device memory.  */
#ifndef SIMGPU_MEMORY_ALLOCATION_H
#define SIMGPU_MEMORY_ALLOCATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SIM_UNINITIALISED_BYTE = 0xCD }; /* at first */

typedef struct Allocation {
    uint64_t address, bytes;
    const char *name; /* of a module variable; NULL for an allocation. Not owned */
    bool kernel_wrote;
    char label[32];         /* what its user calls it; "": nothing */
    uint32_t element_bytes; /* with a label */
    uint8_t *written;       /* validity.h; owned */
} Allocation;

#endif
