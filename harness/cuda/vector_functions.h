/* vector_functions.h - make_int2(), make_float4() and the others of this kind.  */
#ifndef CONVJUDGE_VECTOR_FUNCTIONS_H
#define CONVJUDGE_VECTOR_FUNCTIONS_H

#include "vector_types.h"

#define MAKE_VECTORS_OF(type, name)                                                                                    \
    static inline __host__ __device__ name##1 make_##name##1(type x) { return name##1{x}; }                            \
    static inline __host__ __device__ name##2 make_##name##2(type x, type y) { return name##2{x, y}; }                 \
    static inline __host__ __device__ name##3 make_##name##3(type x, type y, type z) { return name##3{x, y, z}; }      \
    static inline __host__ __device__ name##4 make_##name##4(type x, type y, type z, type w)                           \
    {                                                                                                                  \
        return name##4{x, y, z, w};                                                                                    \
    }

MAKE_VECTORS_OF(signed char, char)
MAKE_VECTORS_OF(unsigned char, uchar)
MAKE_VECTORS_OF(short, short)
MAKE_VECTORS_OF(unsigned short, ushort)
MAKE_VECTORS_OF(int, int)
MAKE_VECTORS_OF(unsigned int, uint)
MAKE_VECTORS_OF(long, long)
MAKE_VECTORS_OF(unsigned long, ulong)
MAKE_VECTORS_OF(long long, longlong)
MAKE_VECTORS_OF(unsigned long long, ulonglong)
MAKE_VECTORS_OF(float, float)
MAKE_VECTORS_OF(double, double)
#undef MAKE_VECTORS_OF

#endif
