#include "harness/runtime/address.h"

#include "harness/protocol/device_addresses.h"
#include "harness/runtime/managed.h"
#include "harness/runtime/older.h"
#include "harness/runtime/pinned.h"
#include "harness/runtime/registration.h"

bool is_device_address(const void *address)
{
    uint64_t at = (uint64_t)(uintptr_t)address;
    return is_in_device_range(at) || variable_holds(at) || managed_holds(at);
}

/* The addresses decide where memory lies. A device pointer works where the kind says host, but a host pointer where the
 * kind says device is an error (both measured on an H200 with CUDA 13.0). */
cudaError_t check_kind(bool to_device, bool from_device, enum cudaMemcpyKind kind)
{
    if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    bool to_must = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    bool from_must = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    return (to_must && !to_device) || (from_must && !from_device) ? cudaErrorInvalidValue : cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *pointer)
{
    if (attributes == NULL)
        return result(cudaErrorInvalidValue);
    unsigned flags;
    void *address = (void *)(uintptr_t)pointer;
    struct cudaPointerAttributes found = {.type = cudaMemoryTypeUnregistered, .device = -2, .hostPointer = address};
    if (is_device_address(pointer)) {
        void *host = managed_host_address((uint64_t)(uintptr_t)pointer);
        found = (struct cudaPointerAttributes){.type = host == NULL      ? cudaMemoryTypeDevice
                                                       : host == address ? cudaMemoryTypeManaged
                                                                         : cudaMemoryTypeHost,
                                               .devicePointer = address,
                                               .hostPointer = host};
    } else if (pinned_find(pointer, &flags)) {
        found.type = cudaMemoryTypeHost;
        found.device = 0;
        found.devicePointer = address; /* which a launch replaces (pinned.h) */
    }
    FILL_STRUCT(attributes, &found, 24, 24);
    return cudaSuccess;
}
