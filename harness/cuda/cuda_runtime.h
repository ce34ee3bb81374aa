/* cuda_runtime.h - CUDA C++ for clang, without any of NVIDIA's software: the main one of the judge's own CUDA headers.
 *
 * The compiler is told to include it before every submission, as nvcc does with NVIDIA's. It holds a subset of CUDA:
 * kernels in single and double precision, with shared and constant memory, warp shuffles, votes, atomics, streams and
 * events. Half precision is in cuda_fp16.h, bfloat16 in cuda_bf16.h, matrices in mma.h. Using textures, cooperative groups
 * or NVIDIA's libraries is an error that names them.
 *
 * Source   CUDA C++ Programming Guide 13.0; CUDA Runtime API 13.0, "C++ API Routines".  */
#ifndef CONVJUDGE_CUDA_RUNTIME_H
#define CONVJUDGE_CUDA_RUNTIME_H

#if !defined(__CUDA__) || !defined(__clang__)
#error "these headers are for clang; nvcc has its own"
#endif

/* Up to version 18, clang refuses libstdc++'s __float128, which GPUs lack, wherever a header names it (bits/floatn.h). */
#include <cstddef>
#if __clang_major__ < 19
#undef _GLIBCXX_USE_FLOAT128
#endif

#include "host_defines.h"

/* Functions of C for memory, in kernels: those of the heap, with which clang's own header in front of <new> defines `new`
 * and `delete`, and copies. Source: PTX Interoperability 13.0, "System Calls".  */
extern "C" __device__ void *malloc(size_t bytes);
extern "C" __device__ void free(void *pointer);

static __device__ __forceinline__ void *memcpy(void *to, const void *from, size_t bytes)
{
    return __builtin_memcpy(to, from, bytes);
}

static __device__ __forceinline__ void *memset(void *to, int value, size_t bytes)
{
    return __builtin_memset(to, value, bytes);
}

#include <new>

#include "device_math.h"
#include "refusals.h"

/* math.h and stdlib.h, because CUDA has the overloads of C++ without std::, too: abs(float), isnan(). */
#include <cstring>
#include <math.h>
#include <stdlib.h>

#include "cuda_runtime_api.h"
#include "vector_functions.h"

#include <__clang_cuda_builtin_vars.h>

#include "device_atomics.h"
#include "device_functions.h"
#include "device_intrinsics.h"

/* ---- launches: what clang makes of f<<<grid, block, shared, stream>>>() ------------------------------------------ */

extern "C" unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes = 0,
                                                struct CUstream_st *stream = 0);

template <class Kernel>
cudaError_t cudaLaunchKernel(Kernel *kernel, dim3 grid, dim3 block, void **arguments, size_t shared_bytes = 0,
                             cudaStream_t stream = 0)
{
    return cudaLaunchKernel((const void *)kernel, grid, block, arguments, shared_bytes, stream);
}

/* Each argument is converted to the type of its parameter first. */
template <class... Parameters, class... Arguments>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config, void (*kernel)(Parameters...),
                               Arguments &&...arguments)
{
    return [&](Parameters... converted) {
        void *pointers[] = {(void *)&converted..., 0};
        return cudaLaunchKernelExC(config, (const void *)kernel, pointers);
    }(static_cast<Arguments &&>(arguments)...);
}

/* ---- calls of the driver, found by name ---------------------------------------------------------------------------- */

enum cudaGetDriverEntryPointFlags {
    cudaEnableDefault = 0,
    cudaEnableLegacyStream = 1,
    cudaEnablePerThreadDefaultStream = 2
};

enum cudaDriverEntryPointQueryResult {
    cudaDriverEntryPointSuccess = 0,
    cudaDriverEntryPointSymbolNotFound = 1,
    cudaDriverEntryPointVersionNotSufficent = 2
};

extern "C" cudaError_t cudaGetDriverEntryPoint(const char *symbol, void **function, unsigned long long flags,
                                               cudaDriverEntryPointQueryResult *found = 0);
extern "C" cudaError_t cudaGetDriverEntryPointByVersion(const char *symbol, void **function, unsigned version,
                                                        unsigned long long flags,
                                                        cudaDriverEntryPointQueryResult *found = 0);

/* ---- the runtime's calls, by type -------------------------------------------------------------------------------- */

template <class T> cudaError_t cudaMalloc(T **pointer, size_t bytes)
{
    return cudaMalloc((void **)pointer, bytes);
}

template <class T> cudaError_t cudaMallocAsync(T **pointer, size_t bytes, cudaStream_t stream)
{
    return cudaMallocAsync((void **)pointer, bytes, stream);
}

template <class T>
cudaError_t cudaMallocFromPoolAsync(T **pointer, size_t bytes, cudaMemPool_t pool, cudaStream_t stream)
{
    return cudaMallocFromPoolAsync((void **)pointer, bytes, pool, stream);
}

template <class T> cudaError_t cudaMallocAsync(T **pointer, size_t bytes, cudaMemPool_t pool, cudaStream_t stream)
{
    return cudaMallocFromPoolAsync((void **)pointer, bytes, pool, stream);
}

template <class T> cudaError_t cudaMallocPitch(T **pointer, size_t *pitch, size_t width, size_t height)
{
    return cudaMallocPitch((void **)pointer, pitch, width, height);
}

template <class T> cudaError_t cudaMallocManaged(T **pointer, size_t bytes, unsigned flags = cudaMemAttachGlobal)
{
    return cudaMallocManaged((void **)pointer, bytes, flags);
}

template <class T> cudaError_t cudaMallocHost(T **pointer, size_t bytes, unsigned flags = 0)
{
    return cudaHostAlloc((void **)pointer, bytes, flags);
}

template <class T> cudaError_t cudaHostAlloc(T **pointer, size_t bytes, unsigned flags)
{
    return cudaHostAlloc((void **)pointer, bytes, flags);
}

template <class T>
cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *from, size_t bytes, size_t offset = 0,
                               cudaMemcpyKind kind = cudaMemcpyHostToDevice)
{
    return cudaMemcpyToSymbol((const void *)&symbol, from, bytes, offset, kind);
}

template <class T>
cudaError_t cudaMemcpyToSymbolAsync(const T &symbol, const void *from, size_t bytes, size_t offset = 0,
                                    cudaMemcpyKind kind = cudaMemcpyHostToDevice, cudaStream_t stream = 0)
{
    return cudaMemcpyToSymbolAsync((const void *)&symbol, from, bytes, offset, kind, stream);
}

template <class T>
cudaError_t cudaMemcpyFromSymbol(void *to, const T &symbol, size_t bytes, size_t offset = 0,
                                 cudaMemcpyKind kind = cudaMemcpyDeviceToHost)
{
    return cudaMemcpyFromSymbol(to, (const void *)&symbol, bytes, offset, kind);
}

template <class T>
cudaError_t cudaMemcpyFromSymbolAsync(void *to, const T &symbol, size_t bytes, size_t offset = 0,
                                      cudaMemcpyKind kind = cudaMemcpyDeviceToHost, cudaStream_t stream = 0)
{
    return cudaMemcpyFromSymbolAsync(to, (const void *)&symbol, bytes, offset, kind, stream);
}

template <class T> cudaError_t cudaGetSymbolAddress(void **pointer, const T &symbol)
{
    return cudaGetSymbolAddress(pointer, (const void *)&symbol);
}

template <class T> cudaError_t cudaGetSymbolSize(size_t *bytes, const T &symbol)
{
    return cudaGetSymbolSize(bytes, (const void *)&symbol);
}

static inline cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned flags)
{
    return cudaEventCreateWithFlags(event, flags);
}

static inline cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event)
{
    return cudaStreamWaitEvent(stream, event, 0);
}

template <class Kernel> cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, Kernel *kernel)
{
    return cudaFuncGetAttributes(attributes, (const void *)kernel);
}

template <class Kernel> cudaError_t cudaFuncSetAttribute(Kernel *kernel, cudaFuncAttribute attribute, int value)
{
    return cudaFuncSetAttribute((const void *)kernel, attribute, value);
}

template <class Kernel> cudaError_t cudaFuncSetCacheConfig(Kernel *kernel, cudaFuncCache preference)
{
    return cudaFuncSetCacheConfig((const void *)kernel, preference);
}

template <class Kernel> cudaError_t cudaFuncGetName(const char **name, Kernel *kernel)
{
    return cudaFuncGetName(name, (const void *)kernel);
}

template <class Kernel>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, Kernel *kernel, int threads, size_t shared_bytes)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, (const void *)kernel, threads, shared_bytes);
}

template <class Kernel>
cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, Kernel *kernel, const cudaLaunchConfig_t *config)
{
    return cudaOccupancyMaxActiveClusters(clusters, (const void *)kernel, config);
}

/* Finds the block size, in whole warps, with the most resident threads; of several, the largest. */
template <class Kernel>
cudaError_t cudaOccupancyMaxPotentialBlockSize(int *least_grid, int *threads, Kernel *kernel, size_t shared_bytes = 0,
                                               int most_threads = 0)
{
    cudaFuncAttributes attributes;
    int multiprocessors = 0, best = 0;
    cudaError_t error = cudaFuncGetAttributes(&attributes, kernel);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0);
    if (most_threads <= 0 || most_threads > attributes.maxThreadsPerBlock)
        most_threads = attributes.maxThreadsPerBlock;
    for (int size = (most_threads + 31) / 32 * 32; size > 0 && error == cudaSuccess; size -= 32) {
        int tried = size < most_threads ? size : most_threads, blocks = 0;
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, tried, shared_bytes);
        if (error == cudaSuccess && blocks * tried > best) {
            best = blocks * tried;
            *threads = tried;
            *least_grid = blocks * multiprocessors;
        }
    }
    return error;
}

/* The channels of float, int2, uchar4...: all have the type of the first one. */
template <class T> struct convjudge_channels {
    typedef decltype(T::x) First;
    enum { COUNT = sizeof(T) / sizeof(First) };
};
#define PLAIN(type)                                                                                                    \
    template <> struct convjudge_channels<type> {                                                                      \
        typedef type First;                                                                                            \
        enum { COUNT = 1 };                                                                                            \
    };
PLAIN(char)
PLAIN(signed char)
PLAIN(unsigned char)
PLAIN(short)
PLAIN(unsigned short)
PLAIN(int)
PLAIN(unsigned)
PLAIN(float)
#undef PLAIN

template <class T> cudaChannelFormatDesc cudaCreateChannelDesc()
{
    typedef typename convjudge_channels<T>::First First;
    const int count = convjudge_channels<T>::COUNT, bits = 8 * sizeof(First);
    return cudaCreateChannelDesc(bits, count > 1 ? bits : 0, count > 2 ? bits : 0, count > 3 ? bits : 0,
                                 First(0.5f) != First(0) ? cudaChannelFormatKindFloat
                                 : First(-1) < First(0)  ? cudaChannelFormatKindSigned
                                                         : cudaChannelFormatKindUnsigned);
}

static inline cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth)
{
    return cudaExtent{width, height, depth};
}

static inline cudaPos make_cudaPos(size_t x, size_t y, size_t z)
{
    return cudaPos{x, y, z};
}

static inline cudaPitchedPtr make_cudaPitchedPtr(void *pointer, size_t pitch, size_t width, size_t height)
{
    return cudaPitchedPtr{pointer, pitch, width, height};
}

#endif
