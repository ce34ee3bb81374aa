#include "simgpu/sanitizer/proxy_fences.h"

#include "base/allocated.h"
#include "simgpu/block/execute.h"

#include <stdlib.h>
#include <string.h>

typedef struct SpaceFences { /* those that cover shared or global memory */
    uint32_t epoch;          /* of the worker, when some lane last executed one */
    uint32_t *stores;        /* [lane] number of the last store in front of its last one */
} SpaceFences;

struct ProxyFences {
    SpaceFences spaces[2]; /* [is_shared] */
};

ProxyFences *proxy_fences_new(const Worker *worker)
{
    ProxyFences *fences = zeroed(1, sizeof *fences);
    for (int i = 0; i < 2; i++)
        fences->spaces[i].stores = zeroed(worker->capacity, sizeof *fences->spaces[i].stores);
    return fences;
}

void proxy_fences_free(ProxyFences *fences)
{
    for (int i = 0; fences != NULL && i < 2; i++)
        free(fences->spaces[i].stores);
    free(fences);
}

void proxy_fences_begin_block(const Worker *worker)
{
    for (int i = 0; i < 2; i++) {
        SpaceFences *fences = &worker->sanitizer->fences->spaces[i];
        fences->epoch = 0;
        memset(fences->stores, 0, worker->launch->threads * sizeof *fences->stores);
    }
}

static void add(const Sanitizer *sanitizer, SpaceFences *fences, const Active *active)
{
    fences->epoch = sanitizer->epoch;
    for (uint32_t lane = active->first; lane < active->end; lane++)
        if (active->bits[lane / SIM_WARP_SIZE] >> (lane % SIM_WARP_SIZE) & 1)
            fences->stores[lane] = sanitizer->store;
}

bool execute_proxy_fence(Worker *worker, const Instruction *instruction, Active *active)
{
    Sanitizer *sanitizer = worker->sanitizer;
    for (int is_shared = 0; sanitizer != NULL && is_shared < 2; is_shared++)
        if (instruction->detail != (is_shared ? PROXY_GLOBAL : PROXY_SHARED))
            add(sanitizer, &sanitizer->fences->spaces[is_shared], active);
    if (sanitizer != NULL)
        sanitizer->store++; /* what is stored from now on comes after the fence */
    return true;
}

bool proxy_fences_cover(const Sanitizer *sanitizer, bool is_shared, const ShadowCell *cell, uint32_t lane)
{
    const SpaceFences *fences = &sanitizer->fences->spaces[is_shared];
    return cell->write_epoch < fences->epoch || cell->store <= fences->stores[cell->writer] ||
           cell->store <= fences->stores[lane];
}
