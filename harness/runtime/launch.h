/* launch.h - launches of kernels.  */
#ifndef HARNESS_RUNTIME_LAUNCH_H
#define HARNESS_RUNTIME_LAUNCH_H

#include "harness/runtime/work.h"

enum { MAX_PARAMETER_BYTES = 32764 /* CUDA C++ Programming Guide, "__global__ Function Parameters" */ };

/* Finds the kernel, and packs its arguments into `parameters`, which has MAX_PARAMETER_BYTES. */
cudaError_t kernel_pack(KernelWork *work, const void *kernel, void **arguments, uint8_t *parameters);
/* Launches at once, whatever is being captured. Without `wait`, an error comes with a later call. */
cudaError_t kernel_launch(const KernelWork *work, cudaStream_t stream, bool wait);

#endif
