#include "harness/runtime/launch.h"

#include "harness/runtime/managed.h"
#include "harness/runtime/turn.h"

#include <string.h>

/* ==== work ======================================================================================================== */

StreamWork work_copy_of_bytes(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    return (StreamWork){.type = cudaGraphNodeTypeMemcpy,
                        .copy = {.to = place_in_memory(to, bytes, 1),
                                 .from = place_in_memory(from, bytes, 1),
                                 .box = {bytes, 1, 1},
                                 .kind = kind,
                                 .is_linear = true}};
}

StreamWork work_fill_of_bytes(void *to, int value, size_t bytes)
{
    return (StreamWork){.type = cudaGraphNodeTypeMemset,
                        .fill = {.dst = to, .value = (uint8_t)value, .elementSize = 1, .width = bytes, .height = 1}};
}

/* ==== launch ====================================================================================================== */

static void pack(const RingFunctionInfo *info, void **arguments, uint8_t *parameters)
{
    memset(parameters, 0, info->parameter_bytes);
    for (uint32_t i = 0; i < info->parameter_count; i++)
        memcpy(parameters + info->offsets[i], arguments[i], info->sizes[i]);
}

cudaError_t kernel_pack(KernelWork *work, const void *kernel, void **arguments, uint8_t *parameters)
{
    work->parameters = parameters;
    cudaError_t error = function_find(kernel, &work->function);
    if (error != cudaSuccess)
        return error;
    const RingFunctionInfo *info = work->function->info;
    if (info->parameter_bytes > MAX_PARAMETER_BYTES || (info->parameter_count > 0 && arguments == NULL))
        return cudaErrorInvalidValue;
    pack(info, arguments, parameters);
    return cudaSuccess;
}

cudaError_t kernel_launch(const KernelWork *work, cudaStream_t stream, bool wait)
{
    const Configuration *how = &work->how;
    const RingFunctionInfo *info = work->function->info;
    RingLaunch head = {.function = work->function->id,
                       .stream = stream_id(stream),
                       .grid = {how->grid.x, how->grid.y, how->grid.z},
                       .block = {how->block.x, how->block.y, how->block.z},
                       .cluster = {how->cluster[0], how->cluster[1], how->cluster[2]},
                       .dynamic_shared_bytes = how->shared_bytes < UINT32_MAX ? (uint32_t)how->shared_bytes
                                                                              : UINT32_MAX,
                       .parameter_bytes = info->parameter_bytes,
                       .cooperative = how->cooperative,
                       .programmatic = how->programmatic};
    uint8_t replaced[MAX_PARAMETER_BYTES];
    const uint8_t *parameters = work->parameters;
    if (pinned_exists()) {
        memcpy(replaced, parameters, info->parameter_bytes);
        cudaError_t error = pinned_replace(replaced, info->parameter_bytes);
        if (error != cudaSuccess)
            return error;
        parameters = replaced;
    }
    managed_push_for(stream);
    if (wait || turns_are_left()) /* the broker may have to ask for a turn first */
        return client_call_body(RING_LAUNCH, &head, sizeof head, parameters, info->parameter_bytes, NULL);
    client_post(RING_LAUNCH, &head, sizeof head, parameters, info->parameter_bytes);
    return cudaSuccess;
}
