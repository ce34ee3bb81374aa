/* address.h - tells whether an address lies in host or in device memory.  */
#ifndef HARNESS_RUNTIME_ADDRESS_H
#define HARNESS_RUNTIME_ADDRESS_H

#include "harness/runtime/client.h"

/* True in device memory, managed memory included, and in a variable of the device. */
bool is_device_address(const void *address);
/* Checks the kind of a copy against the memory of its two ends. */
cudaError_t check_kind(bool to_device, bool from_device, enum cudaMemcpyKind kind);

#endif
