/* registration.h - the kernels and variables of the submission, known by the address of their host counterpart.  */
#ifndef HARNESS_RUNTIME_REGISTRATION_H
#define HARNESS_RUNTIME_REGISTRATION_H

#include "harness/runtime/client.h"

typedef struct Function {
    const void *host; /* the stub that the submission's code knows it by */
    const char *name; /* mangled */
    uint64_t module;
    bool asked; /* the rest is filled in */
    cudaError_t error;
    uint64_t id;
    RingFunctionInfo *info;
    struct Function *next;
} Function;

/* By host stub or by the handle that __cudaGetKernel() gave. cudaErrorInvalidResourceHandle where it is neither, as
 * CUDA 13.0 has it. */
cudaError_t function_find(const void *host, Function **function);

/* Address and size of a variable on the device. cudaErrorInvalidSymbol where the pointer is no one's host counterpart. */
cudaError_t variable_find(const void *host, uint64_t *address, uint64_t *bytes);
/* Whether a device address lies in a variable: a real GPU has them outside the range of device memory. */
bool variable_holds(uint64_t address);

#endif
