#include "simgpu/lower/lower_hint.h"

#include "simgpu/lower/emit/address.h"
#include "simgpu/lower/emit/basic_block.h"
#include "simgpu/lower/emit/emit.h"
#include "simgpu/lower/emit/memory_access.h"
#include "simgpu/lower/emit/operand.h"
#include "simgpu/lower/emit/virtual_register.h"

#include <string.h>

/* Every access takes effect at once and in order, so that prefetches and hints have nothing to do. */
void lower_hint(Lowering *l, const OpcodeModifiers *parts)
{
    static const struct {
        const char *name;
        int addresses, constants; /* that it has as operands */
    } rows[] = {{"prefetch", 1, 0}, {"prefetchu", 1, 0},     {"brkpt", 0, 0},     {"pmevent", 0, 1},
                {"discard", 1, 1},  {"applypriority", 1, 1}, {"setmaxnreg", 0, 1}};
    count_control(l);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(parts->part[0], rows[i].name) == 0) {
            if (rows[i].addresses > 0)
                ignored_address(l, 0, first_space(parts));
            if (rows[i].constants > 0)
                expect_constant(l, rows[i].addresses);
        }
}

/* fence.proxy.async.shared::cta, fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster, ... */
static void lower_proxy_fence(Lowering *l, const OpcodeModifiers *parts)
{
    const bool is_of_async = parts_have(parts, "async") || parts_have(parts, "async::generic");
    const bool is_of_global = parts_have(parts, "global");
    const bool is_of_shared = parts_have(parts, "shared::cta") || parts_have(parts, "shared::cluster") ||
                              parts_have(parts, "sync_restrict::shared::cluster") ||
                              parts_have(parts, "sync_restrict::shared::cta");
    if (parts_have(parts, "tensormap::generic") && parts_have(parts, "acquire")) {
        ignored_address(l, 0, PTX_NO_SPACE);
        expect_constant(l, 1);
    }
    if (is_of_async)
        emit(l, PROXY_FENCE)->detail = (uint8_t)(is_of_global ? PROXY_GLOBAL : is_of_shared ? PROXY_SHARED : PROXY_ALL);
}

/* Only the sanitizer asks for fences, and only for those that reach beyond the block, or lead to the async proxy. */
void lower_fence(Lowering *l, const OpcodeModifiers *parts)
{
    static const char *const scopes[] = {"gl", "sys", "gpu", "cluster"};
    count_control(l);
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
void lower_grid_control(Lowering *l, const OpcodeModifiers *parts)
{
    count_control(l);
    emit(l, GRID_CONTROL)->detail = (uint8_t)(parts_have(parts, "wait") ? GRID_WAIT : GRID_RELEASE);
}

/* createpolicy gives a hint for the cache, which accesses then ignore. */
void lower_create_policy(Lowering *l, const OpcodeModifiers *parts)
{
    count_control(l);
    const bool is_range = parts_have(parts, "range");
    const int most = is_range ? 4 : 2;
    emit_move(l, result_operand(l, operand_at(l, 0), 8), constant(l, 0, 8));
    if (is_range)
        ignored_address(l, 1, first_space(parts));
    for (int i = is_range ? 2 : 1; i < l->source->operand_count && i < most; i++)
        ignored_value(l, operand_at(l, i), parts_have(parts, "cvt") ? 8 : 4);
}

/* nanosleep.u32 t: a thread that sleeps probably waits for others: let these run. */
void lower_sleep(Lowering *l, const OpcodeModifiers *parts)
{
    count_control(l);
    ignored_value(l, operand_at(l, 0), 4);
    current_block(l)->waits = true;
}
