/* vector_types.h - one of the judge's own CUDA headers: int2, float4, dim3 and the others of this kind, with the layout
 * of the CUDA C++ Programming Guide ("Built-in Vector Types"). C files may include it, too.  */
#ifndef CONVJUDGE_VECTOR_TYPES_H
#define CONVJUDGE_VECTOR_TYPES_H

#include "host_defines.h"

/* A vector of two or four elements is aligned to its size, up to 16 bytes, so that one access reads it. */
#define VECTORS_OF(type, name, align2, align4)                                                                         \
    typedef struct name##1 { type x; } name##1;                                                                        \
    typedef struct __align__(align2) name##2 { type x, y; } name##2;                                                   \
    typedef struct name##3 { type x, y, z; } name##3;                                                                  \
    typedef struct __align__(align4) name##4 { type x, y, z, w; } name##4;

VECTORS_OF(signed char, char, 2, 4)
VECTORS_OF(unsigned char, uchar, 2, 4)
VECTORS_OF(short, short, 4, 8)
VECTORS_OF(unsigned short, ushort, 4, 8)
VECTORS_OF(int, int, 8, 16)
VECTORS_OF(unsigned int, uint, 8, 16)
VECTORS_OF(long, long, 16, 16)
VECTORS_OF(unsigned long, ulong, 16, 16)
VECTORS_OF(long long, longlong, 16, 16)
VECTORS_OF(unsigned long long, ulonglong, 16, 16)
VECTORS_OF(float, float, 8, 16)
VECTORS_OF(double, double, 16, 16)
#undef VECTORS_OF

typedef struct dim3 {
    unsigned int x, y, z;
#ifdef __cplusplus
    __host__ __device__ constexpr dim3(unsigned int x = 1, unsigned int y = 1, unsigned int z = 1) : x(x), y(y), z(z) {}
    __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    __host__ __device__ constexpr operator uint3() const { return uint3{x, y, z}; }
#endif
} dim3;

#endif
