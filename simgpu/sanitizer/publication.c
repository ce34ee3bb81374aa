#include "simgpu/sanitizer/publication.h"

#include "base/allocated.h"
#include "simgpu/block/execute.h"
#include "simgpu/sanitizer/block_races.h"
#include "simgpu/sanitizer/warp_order.h"

#include <stdlib.h>

/* Of a block: stores that are kept, and how often they are looked at. What goes beyond these limits counts as
 * published. */
enum { MOST_STORES = 1 << 15, MOST_LOOKS = 1 << 24 };

/* When a warp did something. */
typedef struct PublishedAt {
    uint32_t epoch, warp, warp_epoch;
} PublishedAt;

typedef struct SharedStore {
    const Instruction *store;
    uint64_t address;
    int allocation;
    uint32_t lane, bytes;
    PublishedAt done; /* the store; once it is fenced, the fence */
} SharedStore;

struct Publication {
    SharedStore *stores;    /* [count]: first those that are fenced, then those that are not */
    uint32_t fenced, count; /* none of them is published */
    uint64_t looks;
};

Publication *publication_new(const Code *code)
{
    bool can_wait = false;
    for (int i = 0; i < code->instruction_count; i++) {
        const Instruction *instruction = &code->instructions[i];
        can_wait |= (instruction->kind == ATOMIC && tells_of_others(instruction)) ||
                    (instruction->kind == LOAD && instruction->is_strong);
    }
    if (!can_wait)
        return NULL;
    Publication *publication = zeroed(1, sizeof *publication);
    publication->stores = zeroed(MOST_STORES, sizeof *publication->stores);
    return publication;
}

void publication_free(Publication *publication)
{
    if (publication == NULL)
        return;
    free(publication->stores);
    free(publication);
}

void publication_begin_block(Publication *publication)
{
    if (publication != NULL)
        *publication = (Publication){.stores = publication->stores};
}

/* Counts a look at all stores; false where there were too many. */
static bool may_look(Publication *publication)
{
    publication->looks += publication->count;
    if (publication->looks > MOST_LOOKS)
        publication->fenced = publication->count = 0;
    return publication->looks <= MOST_LOOKS;
}

static PublishedAt now(const Sanitizer *sanitizer, uint32_t warp)
{
    return (PublishedAt){.epoch = sanitizer->epoch, .warp = warp, .warp_epoch = sanitizer->warp_epoch[warp]};
}

/* Does what the warp does now come after that moment? */
static bool comes_after(const Sanitizer *sanitizer, uint32_t warp, const PublishedAt *moment)
{
    return moment->warp == warp || moment->epoch != sanitizer->epoch ||
           warp_order_has_waited(sanitizer, warp, moment->warp, moment->warp_epoch);
}

void publication_store(Worker *worker, const Instruction *store, uint32_t lane, int allocation, uint64_t address,
                       uint32_t bytes)
{
    const Sanitizer *sanitizer = worker->sanitizer;
    Publication *publication = sanitizer->publication;
    if (publication == NULL || publication->count == MOST_STORES || publication->looks > MOST_LOOKS)
        return;
    publication->stores[publication->count++] = (SharedStore){.store = store,
                                                              .address = address,
                                                              .allocation = allocation,
                                                              .lane = lane,
                                                              .bytes = bytes,
                                                              .done = now(sanitizer, lane / SIM_WARP_SIZE)};
}

static void fence(Sanitizer *sanitizer, uint32_t warp)
{
    Publication *publication = sanitizer->publication;
    if (publication == NULL || !may_look(publication))
        return;
    for (uint32_t i = publication->fenced; i < publication->count; i++) {
        SharedStore fenced = publication->stores[i];
        if (!comes_after(sanitizer, warp, &fenced.done))
            continue;
        fenced.done = now(sanitizer, warp);
        publication->stores[i] = publication->stores[publication->fenced];
        publication->stores[publication->fenced++] = fenced;
    }
}

bool execute_fence(Worker *worker, const Instruction *instruction, Active *active)
{
    for (uint32_t warp = active->first / SIM_WARP_SIZE; warp * SIM_WARP_SIZE < active->end; warp++)
        if (worker->sanitizer != NULL && active->bits[warp] != 0)
            fence(worker->sanitizer, warp);
    return true;
}

void publication_tell(Sanitizer *sanitizer, const Instruction *instruction, uint32_t warp)
{
    Publication *publication = sanitizer->publication;
    if (publication == NULL)
        return;
    if (instruction->is_release)
        fence(sanitizer, warp);
    publication->looks += publication->fenced;
    for (uint32_t i = publication->fenced; i-- > 0;)
        if (comes_after(sanitizer, warp, &publication->stores[i].done)) {
            publication->stores[i] = publication->stores[--publication->fenced];
            publication->stores[publication->fenced] = publication->stores[--publication->count];
        }
}

bool publication_may_be_missed(Sanitizer *sanitizer, const Instruction *strong_load)
{
    if (!sanitizer->is_ordered)
        sanitizer->poll = strong_load;
    sanitizer->is_ordered = true;
    return sanitizer->publication != NULL && strong_load != sanitizer->poll;
}

void publication_end_block(Worker *worker)
{
    const Publication *publication = worker->sanitizer->publication;
    for (uint32_t i = 0; publication != NULL && i < publication->count; i++) {
        const SharedStore *store = &publication->stores[i];
        block_races_unpublished(worker, store->store, store->lane, store->allocation, store->address, store->bytes);
    }
}
