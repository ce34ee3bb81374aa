/* address.h - what an address stands for: memory of the host, or of the device.  */
#ifndef HARNESS_RUNTIME_ADDRESS_H
#define HARNESS_RUNTIME_ADDRESS_H

#include "harness/runtime/client.h"

/* In device memory, managed memory too, or in a variable of the device. */
bool is_device_address(const void *address);
/* Whether a copy between such ends is what its kind allows. */
cudaError_t check_kind(bool to_device, bool from_device, enum cudaMemcpyKind kind);

#endif
