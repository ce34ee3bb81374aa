#include "simgpu/cost/pattern.h"

#include "base/allocated.h"
#include "simgpu/code/lanes.h"

#include <stdlib.h>
#include <string.h>

enum { WARP = 32, MAX_LANES = 1024, MIN_RUN = 4 };

void pattern_new(Pattern *pattern, uint32_t capacity)
{
    *pattern = (Pattern){.kind = PATTERN_NONE};
    pattern->relative = zeroed(capacity, sizeof *pattern->relative);
    pattern->runs = zeroed(capacity / MIN_RUN + 1, sizeof *pattern->runs);
}

void pattern_free(Pattern *pattern)
{
    free(pattern->relative);
    free(pattern->runs);
    *pattern = (Pattern){.kind = PATTERN_NONE};
}

static bool is_active(const uint32_t *bits, uint32_t lane)
{
    return bits == NULL || (bits[lane / WARP] >> (lane % WARP) & 1);
}

/* From the lane before. Lanes on both sides of the first one may lie more than 2 GiB apart. */
static int64_t step_to(const Pattern *pattern, uint32_t lane)
{
    return (int64_t)pattern->relative[lane] - pattern->relative[lane - 1];
}

/* Length of the run from `start` in which each lane is `step` beyond the one before. */
static uint32_t run_length(const Pattern *pattern, uint32_t start, int32_t *step)
{
    uint32_t end = start + 1;
    int64_t wide = end < pattern->count ? step_to(pattern, end) : 0;
    *step = (int32_t)wide;
    if (*step != wide) {
        *step = 0;
        return 1;
    }
    while (end < pattern->count && step_to(pattern, end) == wide)
        end++;
    return end - start;
}

static void find_runs(Pattern *pattern)
{
    pattern->run_count = 0;
    for (uint32_t lane = 0; lane < pattern->count;) {
        PatternRun run = {.lane = lane};
        run.count = run_length(pattern, lane, &run.step);
        if (pattern->run_count == pattern->count / MIN_RUN) {
            pattern->kind = PATTERN_SCATTERED;
            return;
        }
        pattern->runs[pattern->run_count++] = run;
        lane += run.count;
    }
    pattern->kind = PATTERN_RUNS;
}

/* Fills in the differences to the first lane; false: they do not fit. */
static bool relate(Pattern *pattern, const uint64_t *addresses, const uint32_t *bits)
{
    static const uint32_t all[MAX_LANES / WARP] = {[0 ... MAX_LANES / WARP - 1] = ~0u};
    uint8_t mask[MAX_LANES];
    LaneSpan span;
    lanes_best()->unpack_bits(bits != NULL ? bits : all, bits != NULL ? pattern->first : 0, pattern->count, mask);
    bool is_near = lanes_best()->relate(addresses, mask, pattern->count, pattern->relative, &span);
    pattern->low = span.low;
    pattern->high = span.high;
    pattern->misaligned = span.bits;
    return is_near;
}

bool pattern_set(Pattern *pattern, const uint64_t *addresses, uint32_t first, uint32_t count, const uint32_t *bits)
{
    pattern->kind = PATTERN_NONE;
    pattern->first = first;
    pattern->count = count;
    pattern->distinct = 0;
    pattern->load_wavefronts = 0;
    memset(pattern->wavefronts, 0, sizeof pattern->wavefronts);
    memset(pattern->sectors, 0, sizeof pattern->sectors);
    if (!relate(pattern, addresses, bits))
        return false;
    if (run_length(pattern, 0, &pattern->step) == count)
        pattern->kind = PATTERN_STRIDED;
    else if (bits != NULL)
        pattern->kind = PATTERN_SCATTERED; /* inactive lanes between the others break every run */
    else
        find_runs(pattern);
    return true;
}

/* ---- costs ----------------------------------------------------------------------------------------------- */

/* The set of memory units (words, sectors or lines) that one warp accesses: an open-addressed hash table, which becomes
 * empty when its generation number changes. It also counts the units of each bank of shared memory. */
enum { SET_SLOTS = 256 }; /* at most 128 units: 32 lanes of 16 bytes */

typedef struct UnitSet {
    int64_t unit[SET_SLOTS];
    uint64_t generation[SET_SLOTS], current;
    uint32_t count;
    int64_t last; /* unit */
    uint32_t banks[SHARED_BANKS];
} UnitSet;

static UnitSet *empty_set(void)
{
    static _Thread_local UnitSet set;
    set.current++;
    set.count = 0;
    memset(set.banks, 0, sizeof set.banks);
    return &set;
}

static void set_add(UnitSet *set, int64_t unit)
{
    if (set->count > 0 && unit == set->last) /* neighbouring lanes mostly share a unit */
        return;
    set->last = unit;
    uint32_t slot = (uint32_t)((uint64_t)unit * 0x9E3779B97F4A7C15 >> 56); /* Fibonacci hashing */
    for (; set->generation[slot] == set->current; slot = (slot + 1) % SET_SLOTS)
        if (set->unit[slot] == unit)
            return;
    set->generation[slot] = set->current;
    set->unit[slot] = unit;
    set->count++;
    set->banks[(uint64_t)unit % SHARED_BANKS]++;
}

/* Floor division, since addresses below the first lane's are negative here. */
static int64_t unit_of(int64_t address, int64_t bytes)
{
    return address >= 0 ? address / bytes : -((bytes - 1 - address) / bytes);
}

/* Loops over the warps of a pattern: each has lanes [begin, end), counted from the pattern's first. */
#define EACH_WARP(pattern, begin, end)                                                                                 \
    for (uint32_t begin = 0, end = 0; begin < (pattern)->count && (end = part_end(pattern, begin, WARP), true);        \
         begin = end)

/* End of the part that `begin` lies in, where a part is a warp or an equal fraction of it, of `lanes` lanes. */
static uint32_t part_end(const Pattern *pattern, uint32_t begin, uint32_t lanes)
{
    uint32_t end = ((pattern->first + begin) / lanes + 1) * lanes - pattern->first;
    return end < pattern->count ? end : pattern->count;
}

uint32_t pattern_sectors(Pattern *pattern, const uint32_t *bits, uint64_t first_address, uint32_t bytes)
{
    int64_t start = (int64_t)(first_address % SECTOR_BYTES);
    uint32_t *known = &pattern->sectors[start];
    if (*known != 0)
        return *known;
    EACH_WARP(pattern, begin, end)
    {
        UnitSet *set = empty_set();
        for (uint32_t i = begin; i < end; i++)
            if (is_active(bits, pattern->first + i))
                set_add(set, unit_of(start + pattern->relative[i], SECTOR_BYTES));
        *known += set->count;
    }
    return *known;
}

static uint32_t deepest_bank(const UnitSet *set)
{
    uint32_t most = 0;
    for (uint32_t bank = 0; bank < SHARED_BANKS; bank++)
        most = set->banks[bank] > most ? set->banks[bank] : most;
    return most;
}

/* Whether each active lane of [begin, end) accesses the same as the lane whose number differs by the bit `apart`. */
static bool go_in_pairs(const Pattern *pattern, const uint32_t *bits, uint32_t begin, uint32_t end, uint32_t apart)
{
    for (uint32_t i = begin; i < end; i++) {
        uint32_t lane = pattern->first + i, other = (lane ^ apart) - pattern->first;
        if (other < pattern->count && is_active(bits, lane) && is_active(bits, lane ^ apart) &&
            pattern->relative[i] != pattern->relative[other])
            return false;
    }
    return true;
}

/* Wavefronts of the lanes [begin, end), which go through together. */
static uint32_t part_wavefronts(const Pattern *pattern, const uint32_t *bits, uint32_t begin, uint32_t end,
                                int64_t start, uint32_t bytes)
{
    UnitSet *set = empty_set();
    for (uint32_t i = begin; i < end; i++)
        if (is_active(bits, pattern->first + i))
            for (uint32_t offset = 0; offset < bytes; offset += BANK_BYTES)
                set_add(set, unit_of(start + pattern->relative[i] + offset, BANK_BYTES));
    return deepest_bank(set);
}

uint32_t pattern_wavefronts(Pattern *pattern, const uint32_t *bits, uint64_t first_address, uint32_t bytes)
{
    int64_t start = (int64_t)(first_address % BANK_BYTES);
    uint32_t *known = &pattern->wavefronts[start];
    uint32_t pair_lanes = bytes > 2 * BANK_BYTES ? WARP / 2 : WARP;
    if (*known != 0)
        return *known;
    for (uint32_t begin = 0; begin < pattern->count;) {
        uint32_t end = part_end(pattern, begin, pair_lanes), lanes = pair_lanes;
        if (bytes > BANK_BYTES && !go_in_pairs(pattern, bits, begin, end, 1) &&
            !go_in_pairs(pattern, bits, begin, end, 2))
            lanes /= 2;
        for (uint32_t from = begin, to; from < end; from = to) {
            to = part_end(pattern, from, lanes);
            *known += part_wavefronts(pattern, bits, from, to, start, bytes);
        }
        begin = end;
    }
    return *known;
}

/* Cycles to look up all cache lines that a warp accesses, four per cycle. */
static uint32_t lookup_cycles(const Pattern *pattern, const uint32_t *bits, uint32_t begin, uint32_t end)
{
    enum { LINES_PER_CYCLE = 4 };
    UnitSet *set = empty_set();
    for (uint32_t i = begin; i < end; i++)
        if (is_active(bits, pattern->first + i))
            set_add(set, unit_of(pattern->relative[i], CACHE_LINE_BYTES));
    return (set->count + LINES_PER_CYCLE - 1) / LINES_PER_CYCLE;
}

uint32_t pattern_load_wavefronts(Pattern *pattern, const uint32_t *bits, uint32_t bytes)
{
    uint32_t lanes = bytes > BANK_BYTES ? CACHE_LINE_BYTES / bytes : WARP;
    if (pattern->load_wavefronts != 0)
        return pattern->load_wavefronts;
    EACH_WARP(pattern, begin, end)
    {
        uint32_t wavefronts = 0, lookups = lookup_cycles(pattern, bits, begin, end);
        for (uint32_t from = begin, to; from < end; from = to) {
            to = part_end(pattern, from, lanes);
            wavefronts += part_wavefronts(pattern, bits, from, to, 0, bytes);
        }
        pattern->load_wavefronts += wavefronts > lookups ? wavefronts : lookups;
    }
    return pattern->load_wavefronts;
}

uint32_t pattern_distinct(Pattern *pattern, const uint32_t *bits)
{
    if (pattern->distinct != 0)
        return pattern->distinct;
    EACH_WARP(pattern, begin, end)
    {
        UnitSet *set = empty_set();
        for (uint32_t i = begin; i < end; i++)
            if (is_active(bits, pattern->first + i))
                set_add(set, unit_of(pattern->relative[i], BANK_BYTES));
        pattern->distinct += set->count;
    }
    return pattern->distinct;
}
