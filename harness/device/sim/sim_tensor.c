#include "harness/device/sim/sim_tensor.h"

#include "simgpu/simgpu.h"

#include <string.h>

/* Dimensions that the tensor does not have hold one element. */
static CudaError encode(Device *device, const DeviceTensor *tensor, uint8_t bytes[DEVICE_TENSOR_MAP_BYTES])
{
    TensorMap map = {.mark = TENSOR_MAP_MARK,
                     .address = tensor->address,
                     .rank = (uint8_t)tensor->rank,
                     .type = (uint8_t)tensor->type,
                     .swizzle = (uint8_t)tensor->swizzle,
                     .fills_nan = tensor->fills_nan};
    if ((int)tensor->type >= TENSOR_TYPES)
        return CUDA_ERROR_NOT_SUPPORTED;
    for (uint32_t i = 0; i < TENSOR_DIMENSIONS; i++) {
        const bool has_it = i < tensor->rank;
        map.extents[i] = has_it ? tensor->extents[i] : 1;
        map.box[i] = has_it ? (uint16_t)tensor->box[i] : 1;
        map.steps[i] = has_it && i > 0 ? (uint8_t)tensor->steps[i] : 1;
        if (has_it && i > 0)
            map.strides[i - 1] = tensor->strides[i - 1];
    }
    memset(bytes, 0, DEVICE_TENSOR_MAP_BYTES);
    memcpy(bytes, &map, sizeof map);
    return CUDA_ERROR_SUCCESS;
}

const DeviceTensorOps SIM_TENSOR_OPS = {.encode = encode};
