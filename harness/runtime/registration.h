/* registration.h - the kernels and variables of the submission. Host code names each by the address of its counterpart
 * on the host: a kernel's stub, or a variable.  */
#ifndef HARNESS_RUNTIME_REGISTRATION_H
#define HARNESS_RUNTIME_REGISTRATION_H

#include "harness/runtime/client.h"

typedef struct Function {
    const void *host; /* its stub */
    const char *name; /* mangled */
    uint64_t module;
    bool asked; /* the broker has been asked for the fields below */
    cudaError_t error;
    uint64_t id;
    RingFunctionInfo *info;
    struct Function *next;
} Function;

/* Finds a kernel by its stub, or by the handle that __cudaGetKernel() gave. cudaErrorInvalidResourceHandle, as in CUDA
 * 13.0: there is no such kernel. */
cudaError_t function_find(const void *host, Function **function);

/* Address and size of a variable on the device. cudaErrorInvalidSymbol: there is no such variable. */
cudaError_t variable_find(const void *host, uint64_t *address, uint64_t *bytes);
/* True if an address lies in a variable. A real GPU has variables outside the range of device_addresses.h. */
bool variable_holds(uint64_t address);

#endif
