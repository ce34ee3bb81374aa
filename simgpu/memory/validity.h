/* validity.h - which bytes of an allocation have been written.
 *
 * A map has one byte for each byte of the allocation, so that several threads may mark neighbours at the same time.
 * Some allocations have no map and count as written: those that are written completely, module variables, which CUDA
 * initialises, and those of more than VALIDITY_MAX_BYTES.  */
#ifndef SIMGPU_MEMORY_VALIDITY_H
#define SIMGPU_MEMORY_VALIDITY_H

#include <stdbool.h>
#include <stdint.h>

/* ==== allocation ================================================================================================== */

/* One allocation of device memory. */

/* Fills memory that nothing has written, unless simgpu_set_uninitialised_bytes() was called. */
enum { SIM_UNINITIALISED_BYTE = 0xCD };

typedef struct Allocation {
    uint64_t address, bytes;
    const char *name;        /* of a module variable, not owned; NULL for an allocation */
    bool is_blank;           /* from memory_alloc_at(), and nothing has been written yet */
    bool is_constant;        /* of a __constant__ variable */
    bool kernel_wrote;       /* a kernel has stored into it */
    uint64_t l2_low, l2_end; /* addresses between which the L2 holds it; equal: it does not */
    char label[32];          /* its name in messages; "": none */
    uint32_t element_bytes;  /* of an array with a label */
    uint8_t *written;        /* [bytes] as described below, owned; NULL: all is written */
    uint8_t *from_host;      /* as in origin.h, for its functions alone; NULL: nothing comes from the host */
} Allocation;

/* ==== validity ==================================================================================================== */

enum { VALIDITY_MAX_BYTES = 16 << 20 };

/* For a new allocation: nothing is written. */
void validity_new(Allocation *allocation);
void validity_free(Allocation *allocation);
/* Marks [address, address + bytes) of the allocation as written. Several threads may do so at the same time. */
void validity_mark(Allocation *allocation, uint64_t address, uint64_t bytes);
void validity_unmark(Allocation *allocation, uint64_t address, uint64_t bytes);
/* Has every byte been written? */
bool validity_holds(const Allocation *allocation, uint64_t address, uint64_t bytes);
/* Stores `byte` in all bytes that have not been written. */
void validity_fill_rest(const Allocation *allocation, uint8_t byte);
/* Frees the map if all bytes are written. */
void validity_settle(Allocation *allocation);

#endif
