/* host_defines.h - the keywords that CUDA adds to C++, as attributes of clang; for a C compiler they are empty.  */
#ifndef CONVJUDGE_HOST_DEFINES_H
#define CONVJUDGE_HOST_DEFINES_H

#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __align__(n)

#ifdef __CUDA__
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((device, unavailable("__managed__ variables need nvcc: clang compiles a subset of CUDA without them")))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __cluster_dims__(...) __attribute__((unavailable("kernels with __cluster_dims__ need nvcc: clang compiles a subset of CUDA without them")))
#define __block_size__(...) __attribute__((unavailable("kernels with __block_size__ need nvcc: clang compiles a subset of CUDA without them")))
#if __has_attribute(grid_constant)
#define __grid_constant__ __attribute__((grid_constant))
#else
#define __grid_constant__
#endif
/* Upper bounds of registers do not change what a kernel computes, and clang reports none. */
#define __maxnreg__(n)
#define __local_maxnreg__(n)
#define __nv_pure__ __attribute__((pure))
#define __inline_hint__
#define __forceinline__ __inline__ __attribute__((always_inline))
#else
#define __device__
#define __host__
#endif

#endif
