/* Where what threads did is kept: of shared memory an array; of global memory lines of grains in a hash table, of which
 * a block fills what it touches.  */
#include "simgpu/sanitizer/race.h"

#include "base/allocated.h"

#include <stdlib.h>

enum {
    LINE_GRAINS = 32,  /* what a warp that loads neighbours touches */
    MOST_LINES = 2048, /* 256 KiB of floats side by side; 3 MiB of grains */
    TABLE_BITS = 12    /* twice as many places */
};

typedef struct LinePlace {
    uint64_t number; /* of the line in all memory */
    uint32_t block;  /* first epoch of the block that it is of; others: the place is free */
    uint32_t line;
} LinePlace;

struct ThreadGrains {
    ThreadGrain *shared;
    ThreadGrain (*lines)[LINE_GRAINS];
    LinePlace table[1 << TABLE_BITS];
    uint32_t used, block;
    const LinePlace *last; /* found last; NULL: none yet */
};

ThreadGrains *thread_grains_new(const Launch *launch)
{
    ThreadGrains *grains = zeroed(1, sizeof *grains);
    grains->shared = zeroed(launch->shared_bytes >> launch->plan->shared_grain, sizeof *grains->shared);
    grains->lines = zeroed(MOST_LINES, sizeof *grains->lines);
    return grains;
}

void thread_grains_free(ThreadGrains *grains)
{
    if (grains == NULL)
        return;
    free(grains->shared);
    free(grains->lines);
    free(grains);
}

/* Lines of earlier blocks are free. */
static void forget_lines(ThreadGrains *grains, uint32_t block)
{
    grains->block = block;
    grains->used = 0;
    grains->last = NULL;
}

static const LinePlace *find_line(ThreadGrains *grains, uint64_t number)
{
    const uint32_t mask = (1u << TABLE_BITS) - 1;
    uint32_t at = (uint32_t)(number * 0x9E3779B97F4A7C15ull >> (64 - TABLE_BITS)); /* Fibonacci hashing: Knuth, 6.4 */
    while (grains->table[at].block == grains->block && grains->table[at].number != number)
        at = (at + 1) & mask;
    LinePlace *place = &grains->table[at];
    if (place->block == grains->block)
        return place;
    if (grains->used == MOST_LINES)
        return NULL;
    *place = (LinePlace){.number = number, .block = grains->block, .line = grains->used++};
    return place;
}

ThreadGrain *thread_grain_at(Watch *watch, bool is_shared, uint64_t address)
{
    ThreadGrains *grains = watch->grains;
    if (is_shared)
        return &grains->shared[address >> watch->plan->shared_grain];
    uint64_t grain = address >> watch->plan->global_grain, number = grain / LINE_GRAINS;
    if (grains->block != watch->first_epoch)
        forget_lines(grains, watch->first_epoch);
    if (grains->last == NULL || grains->last->number != number)
        grains->last = find_line(grains, number);
    return grains->last == NULL ? NULL : &grains->lines[grains->last->line][grain % LINE_GRAINS];
}

bool shared_is_written(const Worker *worker, const SharedRead *read)
{
    static const int32_t one_for_all[1];
    const Watch *watch = worker->watch;
    uint32_t shift = watch->plan->shared_grain, count = read->active->end - read->active->first;
    for (uint32_t offset = 0; offset < read->bytes; offset += 1u << shift)
        if (!worker->lanes->all_from(&watch->grains->shared->write_epoch, sizeof(ThreadGrain), read->address + offset,
                                     read->relative == NULL ? one_for_all : read->relative, shift, watch->first_epoch,
                                     read->relative == NULL ? 1 : count))
            return false;
    return true;
}
