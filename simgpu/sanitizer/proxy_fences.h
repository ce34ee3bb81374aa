/* proxy_fences.h - which ordinary stores come before what bulk copies and wgmma read and write.
 *
 * They use memory through another path than loads, the async proxy. It sees what a thread has stored only after a
 * fence.proxy.async: of the thread itself after its store, or of one that has waited for it.
 *
 * Source   PTX ISA 9.0, Data Movement and Conversion Instructions: Async Proxy; Memory Consistency Model: Causality Order,
 *          proxy-preserved base causality order.  */
#ifndef SIMGPU_SANITIZER_PROXY_FENCES_H
#define SIMGPU_SANITIZER_PROXY_FENCES_H

#include "simgpu/block/active.h"
#include "simgpu/sanitizer/sanitizer_state.h"
#include "simgpu/sanitizer/shadow_cells.h"

ProxyFences *proxy_fences_new(const Worker *worker);
void proxy_fences_free(ProxyFences *fences);
void proxy_fences_begin_block(const Worker *worker);
/* Does a fence stand between the last store into the cell and what `lane` asks the async proxy for? */
bool proxy_fences_cover(const Sanitizer *sanitizer, bool is_shared, const ShadowCell *cell, uint32_t lane);

#endif
