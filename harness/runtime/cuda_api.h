/* cuda_api.h - the declarations of CUDA's runtime, with the functions that only code made by nvcc or clang calls, and
 * those that older versions of CUDA have. All are visible outside the library.
 *
 * Source   crt/host_runtime.h and crt/device_functions.h of CUDA 13.0; cuda_runtime_api.h of CUDA 11.8 and 12.4.  */
#ifndef HARNESS_RUNTIME_CUDA_API_H
#define HARNESS_RUNTIME_CUDA_API_H

#pragma GCC visibility push(default)

#include <cuda_runtime_api.h>
#include <stdint.h>

void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
void __cudaRegisterFunction(void **handle, const char *host_function, char *device_function, const char *device_name,
                            int thread_limit, uint3 *tid, uint3 *bid, dim3 *block, dim3 *grid, int *warp_size);
void __cudaRegisterVar(void **handle, char *host_variable, char *device_address, const char *device_name, int external,
                       size_t size, int constant, int global);
void __cudaRegisterManagedVar(void **handle, void **host_pointer, char *device_address, const char *device_name,
                              int external, size_t size, int constant, int global);
char __cudaInitModule(void **handle);
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes, struct CUstream_st *stream);
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared_bytes, void *stream);
cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *host_function);
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments, size_t shared_bytes,
                               cudaStream_t stream);

/* CUresult, CUtensorMap and the enumerations of cuda.h are of these sizes. */
int cuTensorMapEncodeTiled(void *map, int type, unsigned rank, void *address, const uint64_t *extents,
                           const uint64_t *strides, const uint32_t *box, const uint32_t *steps, int interleave,
                           int swizzle, int promotion, int fill);
cudaError_t cudaGetDriverEntryPoint(const char *symbol, void **function, unsigned long long flags, int *found);
cudaError_t cudaGetDriverEntryPointByVersion(const char *symbol, void **function, unsigned version,
                                             unsigned long long flags, int *found);

cudaError_t cudaGetDeviceProperties_v2(void *properties, int device);
cudaError_t cudaThreadSynchronize(void);
cudaError_t cudaThreadExit(void);
cudaError_t cudaThreadGetLimit(size_t *value, enum cudaLimit limit);

#pragma GCC visibility pop

#endif
