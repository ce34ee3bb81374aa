#include "simgpu/lower/lower_hint.h"

#include "simgpu/lower/emit/basic_block.h"
#include "simgpu/lower/emit/emit.h"
#include "simgpu/lower/emit/operand.h"
#include "simgpu/lower/emit/virtual_register.h"

/* Every access takes effect at once and in order, so that fences, prefetches and hints have nothing to do. */
void lower_nothing(Lowering *l, const Parts *parts)
{
    count_control(l);
}

/* fence.proxy.async.shared::cta, fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster, ... */
static void lower_proxy_fence(Lowering *l, const Parts *parts)
{
    const bool is_of_async = parts_have(parts, "async") || parts_have(parts, "async::generic");
    const bool is_of_global = parts_have(parts, "global");
    const bool is_of_shared = parts_have(parts, "shared::cta") || parts_have(parts, "shared::cluster") ||
                              parts_have(parts, "sync_restrict::shared::cluster") ||
                              parts_have(parts, "sync_restrict::shared::cta");
    if (is_of_async)
        emit(l, PROXY_FENCE)->detail = (uint8_t)(is_of_global ? PROXY_GLOBAL : is_of_shared ? PROXY_SHARED : PROXY_ALL);
}

/* Only the sanitizer asks for fences, and only for those that reach beyond the block, or lead to the async proxy. */
void lower_fence(Lowering *l, const Parts *parts)
{
    static const char *const scopes[] = {"gl", "sys", "gpu", "cluster"};
    lower_nothing(l, parts);
    if (parts_have(parts, "proxy")) {
        lower_proxy_fence(l, parts);
        return;
    }
    for (size_t i = 0; i < sizeof scopes / sizeof *scopes; i++)
        if (parts_have(parts, scopes[i])) {
            emit(l, FENCE);
            return;
        }
}

/* Kernels run one after the other, so that only the sanitizer needs to know which threads have waited for the one before. */
void lower_grid_control(Lowering *l, const Parts *parts)
{
    lower_nothing(l, parts);
    emit(l, GRID_CONTROL)->detail = (uint8_t)(parts_have(parts, "wait") ? GRID_WAIT : GRID_RELEASE);
}

/* createpolicy gives a hint for the cache, which accesses then ignore. */
void lower_create_policy(Lowering *l, const Parts *parts)
{
    lower_nothing(l, parts);
    emit_move(l, result_operand(l, operand_at(l, 0), 8), constant(l, 0, 8));
}

/* A thread that sleeps probably waits for others: let these run. */
void lower_sleep(Lowering *l, const Parts *parts)
{
    lower_nothing(l, parts);
    current_block(l)->waits = true;
}
