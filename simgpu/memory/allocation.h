/* allocation.h - one allocation of device memory.  */
#ifndef SIMGPU_MEMORY_ALLOCATION_H
#define SIMGPU_MEMORY_ALLOCATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Fills memory that nothing has written, unless simgpu_set_uninitialised_bytes() was called. */
enum { SIM_UNINITIALISED_BYTE = 0xCD };

typedef struct Allocation {
    uint64_t address, bytes;
    const char *name;       /* of a module variable, not owned; NULL for an allocation */
    bool kernel_wrote;      /* a kernel has stored into it since simgpu_clear_written() */
    char label[32];         /* its name in messages; "": none */
    uint32_t element_bytes; /* of an array with a label */
    uint8_t *written;       /* [bytes] as in validity.h, owned; NULL: all is written */
    uint8_t *from_host;     /* [bytes] as in origin.h, owned; NULL: nothing comes from the host */
} Allocation;

#endif
