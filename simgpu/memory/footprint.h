/* footprint.h - which bytes of device memory a piece of work has used, and how.
 *
 * Two kernels that nothing orders may run at the same time. Where both change a byte, the result is anybody's guess,
 * even if it is right whichever of them runs first: each may add to a value that the other has not stored yet. Their
 * footprints tell.
 *
 * A store counts only if it changes the value: two kernels that store the same do no harm. A load or store that is
 * strong (volatile, acquire, ...), and an atomic operation whose result is used, may wait for the other kernel. Where
 * one does that at an address that the other tells of in the same ways, nothing of the two counts as a race.
 *
 * Bounds    of memory beyond FOOTPRINT_MAX_PAGES nothing is noted. The footprint is partial then.
 * Threads   several may call footprint_add() at the same time.  */
#ifndef SIMGPU_MEMORY_FOOTPRINT_H
#define SIMGPU_MEMORY_FOOTPRINT_H

#include <stdbool.h>
#include <stdint.h>

enum { FOOTPRINT_PAGE_BYTES = 4096, FOOTPRINT_MAX_PAGES = 1 << 14 };

typedef enum FootprintUse { /* bits */
                            FOOTPRINT_LOAD = 1,
                            FOOTPRINT_STORE = 2,
                            FOOTPRINT_ATOMIC = 4,
                            FOOTPRINT_STRONG = 8 /* besides LOAD or ATOMIC: it may wait for others, or tell them */
} FootprintUse;

typedef enum FootprintOverlap {                 /* of two footprints: the worst that they do to one byte */
                                OVERLAP_NONE,   /* both only load */
                                OVERLAP_ATOMIC, /* both use it by atomic operations */
                                OVERLAP_LOAD,   /* one loads what the other changes */
                                OVERLAP_STORE   /* both change it, not both by an atomic operation */
} FootprintOverlap;

typedef struct Footprint Footprint;

Footprint *footprint_new(void);
void footprint_free(Footprint *footprint);
/* Notes bits of FootprintUse for `bytes` at `address`. */
void footprint_add(Footprint *footprint, uint32_t uses, uint64_t address, uint64_t bytes);
/* Something was not noted. */
void footprint_lose(Footprint *footprint);
bool footprint_is_partial(const Footprint *footprint);
/* `address`: the first byte with the overlap that is returned. */
FootprintOverlap footprint_compare(const Footprint *a, const Footprint *b, uint64_t *address);

#endif
