#include "harness/runtime/address.h"
#include "harness/runtime/registration.h"

bool is_device_address(const void *address)
{
    return is_arena_address((uint64_t)(uintptr_t)address) || variable_holds((uint64_t)(uintptr_t)address);
}

/* Addresses decide, not the kind: a device pointer works where the kind says host; a host pointer where it says device
 * is an error (both measured on an H200 with CUDA 13.0). */
cudaError_t check_kind(bool to_device, bool from_device, enum cudaMemcpyKind kind)
{
    if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    bool to_must = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    bool from_must = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    return (to_must && !to_device) || (from_must && !from_device) ? cudaErrorInvalidValue : cudaSuccess;
}
