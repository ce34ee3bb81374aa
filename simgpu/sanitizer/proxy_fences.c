#include "simgpu/sanitizer/proxy_fences.h"

#include "base/allocated.h"

#include <stdlib.h>
#include <string.h>

struct ProxyFences {
    uint32_t epoch;   /* of the worker, when some lane last executed a fence */
    uint32_t *stores; /* [lane] number of the last store in front of its last fence */
};

ProxyFences *proxy_fences_new(const Worker *worker)
{
    ProxyFences *fences = zeroed(1, sizeof *fences);
    fences->stores = zeroed(worker->capacity, sizeof *fences->stores);
    return fences;
}

void proxy_fences_free(ProxyFences *fences)
{
    if (fences != NULL)
        free(fences->stores);
    free(fences);
}

void proxy_fences_begin_block(const Worker *worker)
{
    ProxyFences *fences = worker->sanitizer->fences;
    fences->epoch = 0;
    memset(fences->stores, 0, worker->launch->threads * sizeof *fences->stores);
}

void proxy_fences_add(Sanitizer *sanitizer, const Active *active)
{
    ProxyFences *fences = sanitizer->fences;
    fences->epoch = sanitizer->epoch;
    for (uint32_t lane = active->first; lane < active->end; lane++)
        if (active->bits[lane / SIM_WARP_SIZE] >> (lane % SIM_WARP_SIZE) & 1)
            fences->stores[lane] = sanitizer->store;
    sanitizer->store++; /* what is stored from now on comes after the fence */
}

bool proxy_fences_cover(const Sanitizer *sanitizer, const ShadowCell *cell, uint32_t lane)
{
    const ProxyFences *fences = sanitizer->fences;
    return cell->write_epoch < fences->epoch || cell->store <= fences->stores[cell->writer] ||
           cell->store <= fences->stores[lane];
}
