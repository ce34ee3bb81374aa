/* Tensor maps. A program gets cuTensorMapEncodeTiled(), a call of the driver, by cudaGetDriverEntryPoint(), or links it by
 * name. It is the only call of the driver that there is here.  */
#include "harness/runtime/client.h"

#include <string.h>

static void fill_tensor(RingTensor *tensor, const uint64_t *extents, const uint64_t *strides, const uint32_t *box,
                        const uint32_t *steps)
{
    for (uint32_t i = 0; i < tensor->rank; i++) {
        tensor->extents[i] = extents[i];
        tensor->box[i] = box[i];
        tensor->steps[i] = steps[i];
        if (i > 0)
            tensor->strides[i - 1] = strides[i - 1];
    }
}

/* The errors of the driver have the values of the runtime's. */
int cuTensorMapEncodeTiled(void *map, int type, unsigned rank, void *address, const uint64_t *extents,
                           const uint64_t *strides, const uint32_t *box, const uint32_t *steps, int interleave,
                           int swizzle, int promotion, int fill)
{
    RingTensor body = {.address = (uint64_t)(uintptr_t)address,
                       .rank = rank,
                       .type = (uint32_t)type,
                       .interleave = (uint32_t)interleave,
                       .swizzle = (uint32_t)swizzle,
                       .promotion = (uint32_t)promotion,
                       .fill = (uint32_t)fill};
    if (map == NULL || extents == NULL || (strides == NULL && rank > 1) || box == NULL || steps == NULL ||
        rank > RING_TENSOR_DIMENSIONS)
        return result(cudaErrorInvalidValue);
    fill_tensor(&body, extents, strides, box, steps);
    client_lock();
    cudaError_t error = client_call_body(RING_TENSOR_MAP, &body, sizeof body, NULL, 0, NULL);
    if (error == cudaSuccess)
        memcpy(map, client_staging(), RING_TENSOR_MAP_BYTES);
    client_unlock();
    return result(error);
}

cudaError_t cudaGetDriverEntryPoint(const char *symbol, void **function, unsigned long long flags, int *found)
{
    static int (*const encode)(void *, int, unsigned, void *, const uint64_t *, const uint64_t *, const uint32_t *,
                               const uint32_t *, int, int, int, int) = cuTensorMapEncodeTiled;
    if (symbol == NULL || function == NULL)
        return result(cudaErrorInvalidValue);
    if (strcmp(symbol, "cuTensorMapEncodeTiled") != 0)
        return missing(symbol);
    memcpy(function, &encode, sizeof encode);
    if (found != NULL)
        *found = 0; /* cudaDriverEntryPointSuccess */
    return cudaSuccess;
}

cudaError_t cudaGetDriverEntryPointByVersion(const char *symbol, void **function, unsigned version,
                                             unsigned long long flags, int *found)
{
    return cudaGetDriverEntryPoint(symbol, function, flags, found);
}
