/* pattern.h - the pattern of the addresses of all lanes in one memory instruction.
 *
 * The addresses of a loop's loads change in each iteration, but their differences hardly ever do. So a pattern keeps
 * the differences to the first lane's address, and everything that follows from them: how to move the data, and how
 * many sectors, wavefronts and replays the hardware needs.  */
#ifndef SIMGPU_COST_PATTERN_H
#define SIMGPU_COST_PATTERN_H

#include "simgpu/code/code.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ==== merged loads ================================================================================================ */

/* Finds loads from shared memory that ptxas merges into one machine instruction.
 *
 * If a basic block of PTX loads neighbouring elements one by one, [r], [r + 4], [r + 8], [r + 12], and r is a multiple
 * of 16, the machine code may have one LDS.128 instead of the four. That is one request, with other wavefronts than the
 * four. It has the PTX line of the first load. So the first is marked to count for all, and the others to count
 * nothing. So does a load of what another load of the block has brought.
 *
 * Errors   none: loads that the machine code does not show, or shows in another way, are counted as in PTX. So are
 *          loads of several iterations of a loop that ptxas merges, since they are one load of PTX.
 * Source   encoding of compute capability 7.0 to 9.0 as nvdisasm shows it for nvcc 13.0. */

/* Bytes per lane of an access on hardware, if PTX has `bytes`. */
static inline uint32_t merged_bytes(const Instruction *access, uint32_t bytes)
{
    return access->merged_bytes > 0 ? access->merged_bytes : bytes;
}

void merged_loads_find(const void *cubin, size_t bytes, const char *kernel, Code *code);

/* ==== pattern ===================================================================================================== */

enum { SECTOR_BYTES = 32, CACHE_LINE_BYTES = 128, SHARED_BANKS = 32, BANK_BYTES = 4 };

typedef enum PatternKind {
    PATTERN_NONE,
    PATTERN_STRIDED, /* the same step from each lane to the next */
    PATTERN_RUNS,    /* a few runs of lanes, each strided: for example the rows of a 16x16 block */
    PATTERN_SCATTERED
} PatternKind;

typedef struct PatternRun {
    uint32_t lane, count; /* `lane` counts from the pattern's first */
    int32_t step;         /* bytes */
} PatternRun;

typedef struct Pattern {
    PatternKind kind;
    uint32_t first, count; /* lanes [first, first + count) */
    int32_t *relative;     /* [count] bytes from the address of the first active lane; 0 in inactive lanes */
    int32_t low, high;     /* lowest and highest of `relative` */
    uint32_t misaligned;   /* all of `relative`, combined by bitwise or */
    int32_t step;          /* of PATTERN_STRIDED */
    PatternRun *runs;      /* [run_count] */
    uint32_t run_count;
    uint32_t wavefronts[BANK_BYTES]; /* of shared memory, by the first address modulo 4; 0: not counted yet */
    uint32_t distinct;               /* different words, summed over warps; 0: not counted yet */
    uint32_t load_wavefronts;        /* of global memory; 0: not counted yet */
    uint32_t lines;                  /* of 128 bytes, summed over warps; 0: not counted yet */
    uint32_t sectors[SECTOR_BYTES];  /* by the first address modulo 32; 0: not counted yet */
} Pattern;

/* Allocates a pattern of up to `capacity` lanes. */
void pattern_new(Pattern *pattern, uint32_t capacity);
void pattern_free(Pattern *pattern);

/* Fills in the pattern of addresses[count], which belong to lanes first, first + 1, ... `bits` has a bit for each
 * active lane of the block, the first among them; NULL: all lanes are active. False: the addresses lie 2 GiB or more
 * apart. */
bool pattern_set(Pattern *pattern, const uint64_t *addresses, uint32_t first, uint32_t count, const uint32_t *bits);

/* 32-byte sectors of global memory that the warps access; `bytes` per lane, at most 16. */
uint32_t pattern_sectors(Pattern *pattern, const uint32_t *bits, uint64_t first_address, uint32_t bytes);
/* Cache lines that the warps access, as if the first address were the start of one. */
uint32_t pattern_lines(Pattern *pattern, const uint32_t *bits);
/* Wavefronts of a load from global memory, that is cycles of the L1. A warp goes through the L1 in parts: as a whole,
 * for 8 bytes per lane in halves, for 16 in quarters. Each part takes as many wavefronts as one bank of the L1 has
 * different words to deliver, and a warp at least one for every four cache lines. The count assumes that the first
 * address is the start of a line. Checked on an H200 (simgpu/calibrate, accesses). */
uint32_t pattern_load_wavefronts(Pattern *pattern, const uint32_t *bits, uint32_t bytes);
/* The same for one warp whose active lanes, `bits`, all load from one address. */
static inline uint32_t broadcast_load_wavefronts(uint32_t bits, uint32_t bytes)
{
    uint32_t wavefronts = 0, lanes = bytes > BANK_BYTES ? CACHE_LINE_BYTES / bytes : 32;
    for (uint32_t from = 0; from < 32; from += lanes)
        wavefronts += bits >> from << (32 - lanes) != 0;
    return wavefronts;
}
/* Wavefronts of an access to shared memory. A warp goes through in parts, and each part takes as many wavefronts as one
 * bank has different words to deliver. With up to 4 bytes per lane the whole warp is one part, with 8 bytes a half,
 * with 16 a quarter. But two halves, or two quarters of a half, go together if each of their lanes i accesses the same
 * as lane i ^ 1, or each the same as lane i ^ 2; inactive lanes do not matter. Checked on an H200 for the solutions in
 * tools/hardware/h200/counters.csv, by Nsight Compute's smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld and
 * _st. */
uint32_t pattern_wavefronts(Pattern *pattern, const uint32_t *bits, uint64_t first_address, uint32_t bytes);
/* The same for one warp whose active lanes, `bits`, all access one address. */
static inline uint32_t broadcast_wavefronts(uint32_t bits, uint32_t bytes)
{
    return bytes > 2 * BANK_BYTES ? ((bits & 0xFFFF) != 0) + (bits >> 16 != 0) : bits != 0;
}
/* Different 4-byte words, summed over warps: a constant cache serves them one after the other. */
uint32_t pattern_distinct(Pattern *pattern, const uint32_t *bits);

#endif
