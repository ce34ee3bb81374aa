/* pattern.h - how the addresses of the lanes of one memory instruction relate to each other.
 *
 * The addresses of a loop's loads change from turn to turn, their differences hardly ever do. So the differences to the
 * first lane are kept, with what follows from them: how to move the data, and how many sectors, wavefronts and replays
 * it takes on hardware.  */
#ifndef SIMGPU_COST_PATTERN_H
#define SIMGPU_COST_PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SECTOR_BYTES = 32, CACHE_LINE_BYTES = 128, SHARED_BANKS = 32, BANK_BYTES = 4 };

typedef enum PatternKind {
    PATTERN_NONE,
    PATTERN_STRIDED, /* the same step from each lane to the next */
    PATTERN_RUNS,    /* a few stretches of lanes, each strided: the rows of a 16x16 block, say */
    PATTERN_SCATTERED
} PatternKind;

typedef struct PatternRun {
    uint32_t lane, count; /* lane: counted from the pattern's first */
    int32_t step;         /* bytes */
} PatternRun;

typedef struct Pattern {
    PatternKind kind;
    uint32_t first, count; /* lanes [first, first + count) */
    int32_t *relative;     /* [count] bytes from the first active lane's address; 0 in lanes that are not active */
    int32_t low, high;     /* least and greatest of them */
    uint32_t misaligned;   /* all of them or-ed together */
    int32_t step;          /* of PATTERN_STRIDED */
    PatternRun *runs;      /* [run_count] */
    uint32_t run_count;
    uint32_t wavefronts[BANK_BYTES]; /* of shared memory, by the first address modulo 4; 0: not counted yet */
    uint32_t distinct;               /* different words, summed over warps; 0: not counted yet */
    uint32_t load_wavefronts;        /* of global memory; 0: not counted yet */
    uint32_t sectors[SECTOR_BYTES];  /* by the first address modulo 32; 0: not counted yet */
} Pattern;

/* Room for patterns of up to `capacity` lanes. */
void pattern_new(Pattern *pattern, uint32_t capacity);
void pattern_free(Pattern *pattern);

/* Fills in the pattern of addresses[0..count-1], those of lanes first, first + 1, ... `bits` tells which lanes are
 * active, the first is; NULL: all. False where they lie 2 GiB or more apart. */
bool pattern_set(Pattern *pattern, const uint64_t *addresses, uint32_t first, uint32_t count, const uint32_t *bits);

/* 32-byte sectors of global memory that the warps touch; `bytes` a lane, at most 16. */
uint32_t pattern_sectors(Pattern *pattern, const uint32_t *bits, uint64_t first_address, uint32_t bytes);
/* Cycles of the L1 for a load from global memory: the most different words that one of its banks must give, summed over
 * the parts of warps that go through one after the other (of 8 bytes a lane a half, of 16 a quarter), and at least one
 * for every four lines. Of addresses as if the first were a line's. Held on an H200 (simgpu/calibrate, accesses). */
uint32_t pattern_load_wavefronts(Pattern *pattern, const uint32_t *bits, uint32_t bytes);
/* Of one warp's active lanes, which all ask for the same. */
static inline uint32_t broadcast_load_wavefronts(uint32_t bits, uint32_t bytes)
{
    uint32_t passes = 0, lanes = bytes > BANK_BYTES ? CACHE_LINE_BYTES / bytes : 32;
    for (uint32_t from = 0; from < 32; from += lanes)
        passes += bits >> from << (32 - lanes) != 0;
    return passes;
}
/* Passes through shared memory: the most different words that one bank must give, summed over the parts of warps that
 * go through one after the other. Up to 4 bytes a lane that is the whole warp. Of 8 bytes it is a half, of 16 a
 * quarter; but two halves, or the two quarters of a half, go together where each of their lanes i asks for the same as
 * lane i ^ 1, or each for the same as lane i ^ 2, lanes that are not active aside. Held on an H200
 * for the solutions in tests/hardware/h200/counters.csv, by Nsight Compute's
 * smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld and _st. */
uint32_t pattern_wavefronts(Pattern *pattern, const uint32_t *bits, uint64_t first_address, uint32_t bytes);
/* Of one warp's active lanes, which all ask for the same. */
static inline uint32_t broadcast_wavefronts(uint32_t bits, uint32_t bytes)
{
    return bytes > 2 * BANK_BYTES ? ((bits & 0xFFFF) != 0) + (bits >> 16 != 0) : bits != 0;
}
/* Different 4-byte words, summed over warps: what a constant cache is asked for one after the other. */
uint32_t pattern_distinct(Pattern *pattern, const uint32_t *bits);

#endif
