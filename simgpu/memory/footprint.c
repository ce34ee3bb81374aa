/* A byte of uses for each byte of memory, in pages that are found through a hash table.  */
#include "simgpu/memory/footprint.h"

#include "base/arena.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { TABLE_BITS = 15 /* twice as many places as pages */ };

typedef struct Page {
    uint64_t number; /* address / FOOTPRINT_PAGE_BYTES */
    _Atomic uint8_t uses[FOOTPRINT_PAGE_BYTES];
} Page;

struct Footprint {
    Page *_Atomic table[1 << TABLE_BITS]; /* most of it is never touched, and so takes no memory */
    uint32_t used;                        /* pages, under the lock */
    atomic_bool is_partial, has_waited;
    pthread_mutex_t lock;
};

Footprint *footprint_new(void)
{
    Footprint *footprint = zeroed(1, sizeof *footprint);
    pthread_mutex_init(&footprint->lock, NULL);
    return footprint;
}

void footprint_free(Footprint *footprint)
{
    if (footprint == NULL)
        return;
    for (uint32_t i = 0; footprint->used > 0 && i < 1 << TABLE_BITS; i++) {
        footprint->used -= footprint->table[i] != NULL;
        free(footprint->table[i]);
    }
    pthread_mutex_destroy(&footprint->lock);
    free(footprint);
}

static void footprint_lose(Footprint *footprint)
{
    atomic_store(&footprint->is_partial, true);
}

bool footprint_is_partial(const Footprint *footprint)
{
    return atomic_load(&footprint->is_partial);
}

void footprint_wait(Footprint *footprint)
{
    atomic_store(&footprint->has_waited, true);
}

bool footprint_has_waited(const Footprint *footprint)
{
    return atomic_load(&footprint->has_waited);
}

/* The place of a page in the table, or the free one where it belongs. Pages stay where they are. */
static Page *_Atomic *place_of(const Footprint *footprint, uint64_t number)
{
    const uint32_t mask = (1u << TABLE_BITS) - 1;
    /* Fibonacci hashing: Knuth, The Art of Computer Programming 3, 6.4 */
    uint32_t at = (uint32_t)(number * 0x9E3779B97F4A7C15ull >> (64 - TABLE_BITS));
    for (const Page *page; (page = footprint->table[at]) != NULL && page->number != number;)
        at = (at + 1) & mask;
    return (Page * _Atomic *)&footprint->table[at];
}

/* NULL: there are enough pages. */
static Page *add_page(Footprint *footprint, uint64_t number)
{
    pthread_mutex_lock(&footprint->lock);
    Page *_Atomic *place = place_of(footprint, number);
    if (*place == NULL && footprint->used < FOOTPRINT_MAX_PAGES) {
        Page *page = zeroed(1, sizeof *page);
        page->number = number;
        footprint->used++;
        *place = page;
    }
    Page *page = *place;
    pthread_mutex_unlock(&footprint->lock);
    return page;
}

static void add_in_page(Footprint *footprint, uint32_t uses, uint64_t number, uint32_t first, uint32_t end)
{
    Page *page = *place_of(footprint, number);
    if (page == NULL)
        page = add_page(footprint, number);
    if (page == NULL)
        footprint_lose(footprint);
    for (uint32_t i = first; page != NULL && i < end; i++)
        if ((atomic_load_explicit(&page->uses[i], memory_order_relaxed) & uses) != uses)
            atomic_fetch_or_explicit(&page->uses[i], (uint8_t)uses, memory_order_relaxed);
}

void footprint_add(Footprint *footprint, uint32_t uses, uint64_t address, uint64_t bytes)
{
    for (uint64_t end = address + bytes; address < end;) {
        uint64_t number = address / FOOTPRINT_PAGE_BYTES, left = end - number * FOOTPRINT_PAGE_BYTES;
        uint32_t stop = left < FOOTPRINT_PAGE_BYTES ? (uint32_t)left : FOOTPRINT_PAGE_BYTES;
        add_in_page(footprint, uses, number, (uint32_t)(address % FOOTPRINT_PAGE_BYTES), stop);
        address = (number + 1) * FOOTPRINT_PAGE_BYTES;
    }
}

/* ---- comparison -------------------------------------------------------------------------------------------------- */

/* May one of the two wait there for what the other does? */
static bool may_wait_at(uint8_t a, uint8_t b)
{
    const uint8_t told = FOOTPRINT_ATOMIC | FOOTPRINT_STRONG;
    return (a & told) != 0 && (b & told) != 0 && ((a | b) & FOOTPRINT_STRONG) != 0;
}

typedef FootprintOverlap Overlap(uint8_t a, uint8_t b);

enum { CHANGES = FOOTPRINT_STORE | FOOTPRINT_ATOMIC };

static FootprintOverlap overlap_of(uint8_t a, uint8_t b)
{
    const uint8_t all = CHANGES | FOOTPRINT_LOAD;
    const bool is_same = ((a & FOOTPRINT_SAME_STORE) != 0 && (b & FOOTPRINT_LOAD) != 0) ||
                         ((b & FOOTPRINT_SAME_STORE) != 0 && (a & FOOTPRINT_LOAD) != 0);
    if ((a & all) == 0 || (b & all) == 0 || ((a | b) & CHANGES) == 0)
        return is_same ? OVERLAP_LOAD : OVERLAP_NONE;
    if ((a & all) == FOOTPRINT_ATOMIC && (b & all) == FOOTPRINT_ATOMIC)
        return OVERLAP_ATOMIC;
    bool both_change = (a & CHANGES) != 0 && (b & CHANGES) != 0 && ((a | b) & FOOTPRINT_STORE) != 0;
    return both_change ? OVERLAP_STORE : OVERLAP_LOAD;
}

/* The next kernel loads, before it waits for this one, what this one changes; or changes what this one changes, or
 * loads after it has let the next one begin. */
static FootprintOverlap overlap_of_next(uint8_t kernel, uint8_t next)
{
    const bool both_add = ((kernel | next) & FOOTPRINT_STORE) == 0;
    if ((next & FOOTPRINT_EARLY_STORE) != 0 && (kernel & CHANGES) != 0 && !both_add)
        return OVERLAP_STORE;
    const bool is_stored = (next & FOOTPRINT_EARLY_STORE) != 0 && (kernel & FOOTPRINT_LATE_LOAD) != 0;
    const bool is_loaded = (next & FOOTPRINT_EARLY_LOAD) != 0 && (kernel & (CHANGES | FOOTPRINT_SAME_STORE)) != 0;
    return is_stored || is_loaded ? OVERLAP_LOAD : OVERLAP_NONE;
}

static FootprintOverlap compare(const Footprint *a, const Footprint *b, Overlap *overlap_of_bytes, uint64_t *address)
{
    FootprintOverlap worst = OVERLAP_NONE;
    bool may_wait = false;
    for (uint32_t place = 0; place < 1 << TABLE_BITS; place++) {
        const Page *mine = a->table[place], *others = mine == NULL ? NULL : *place_of(b, mine->number);
        for (uint32_t i = 0; others != NULL && i < FOOTPRINT_PAGE_BYTES; i++) {
            FootprintOverlap overlap = overlap_of_bytes(mine->uses[i], others->uses[i]);
            uint64_t at = mine->number * FOOTPRINT_PAGE_BYTES + i;
            may_wait |= overlap != OVERLAP_NONE && may_wait_at(mine->uses[i], others->uses[i]);
            if (overlap < worst || overlap == OVERLAP_NONE || (overlap == worst && at > *address))
                continue;
            worst = overlap;
            *address = at;
        }
    }
    return may_wait ? OVERLAP_ATOMIC : worst;
}

FootprintOverlap footprint_compare(const Footprint *a, const Footprint *b, uint64_t *address)
{
    return compare(a, b, overlap_of, address);
}

FootprintOverlap footprint_compare_next(const Footprint *kernel, const Footprint *next, uint64_t *address)
{
    return compare(kernel, next, overlap_of_next, address);
}
