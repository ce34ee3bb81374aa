#include "harness/device/cuda/cuda_tensor.h"

#include "harness/device/cuda/cuda_state.h"

#include <string.h>

/* The driver computes, and asks the device nothing. It wants the map at a multiple of 64 bytes. */
static CudaError encode(Device *device, const DeviceTensor *tensor, uint8_t bytes[DEVICE_TENSOR_MAP_BYTES])
{
    CudaDevice *cuda = cuda_of(device);
    _Alignas(DEVICE_TENSOR_MAP_ALIGNMENT) uint8_t map[DEVICE_TENSOR_MAP_BYTES] = {0};
    CudaError error = cuda->sticky;
    if (error == CUDA_ERROR_SUCCESS)
        error = cuda->driver->cuTensorMapEncodeTiled(
            map, (int)tensor->type, tensor->rank, (void *)(uintptr_t)tensor->address, tensor->extents, tensor->strides,
            tensor->box, tensor->steps, CU_TENSOR_NOT_INTERLEAVED, (int)tensor->swizzle, (int)tensor->promotion,
            tensor->fills_nan);
    memcpy(bytes, map, sizeof map);
    return error;
}

const DeviceTensorOps CUDA_TENSOR_OPS = {.encode = encode};
