/* footprint.h - which bytes of device memory a piece of work has used, and how.
 *
 * Two kernels that nothing orders may run at the same time. Where both change a byte, the result is anybody's guess,
 * even if it is right whichever of them runs first: each may add to a value that the other has not stored yet. Their
 * footprints tell.
 *
 * A store that leaves the value as it is counts only against a load: two kernels that store the same do no harm, but what one
 * should bring for the other may be there from an earlier call by chance. A load or store that is strong (volatile, acquire,
 * ...), and an atomic operation whose result is used, may wait for the other kernel. Where one does that at an address that the
 * other tells of in the same ways, nothing of the two counts as a race.
 *
 * Of two kernels that follow each other in a stream, the second may begin before the first has ended, if it is launched
 * with programmatic stream serialization. Then its early uses matter, and the first one's stores and late loads
 * (simgpu/block/shadow_cells.h).
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
                            FOOTPRINT_STRONG = 8, /* besides LOAD or ATOMIC: it may wait for others, or tell them */
                            FOOTPRINT_EARLY_LOAD = 16, /* besides LOAD: */
                            FOOTPRINT_EARLY_STORE =
                                32, /*   besides STORE or ATOMIC: before waiting for the kernel before */
                            FOOTPRINT_LATE_LOAD = 64,  /* besides LOAD: the next kernel may have begun */
                            FOOTPRINT_SAME_STORE = 128 /* the value stays as it is */
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
bool footprint_is_partial(const Footprint *footprint);
/* A block has waited for the kernel before, and had not yet let the next one begin. */
void footprint_wait(Footprint *footprint);
bool footprint_has_waited(const Footprint *footprint);
/* `address`: the first byte with the overlap that is returned. */
FootprintOverlap footprint_compare(const Footprint *a, const Footprint *b, uint64_t *address);
/* The same of a kernel and of the one that may begin before it has ended. */
FootprintOverlap footprint_compare_next(const Footprint *kernel, const Footprint *next, uint64_t *address);

#endif
