/* cuda_fp16.h - half precision: one number of 16 bits, and two of them in 32. Their arithmetic is clang's own, of _Float16,
 * which becomes PTX's of f16 in kernels. Functions that are not here are refused in refusals.h.
 *
 * Source   CUDA Math API 13.0, "Half Precision Intrinsics".  */
#ifndef CONVJUDGE_CUDA_FP16_H
#define CONVJUDGE_CUDA_FP16_H

#include "cuda_runtime.h"

#if defined __clang__ && __clang_major__ < 17
#error half precision needs nvcc, or clang 17: clang compiles a subset of CUDA without it
#else

#define HALF static __host__ __device__ __forceinline__
#define DEVICE static __device__ __forceinline__

/* ---- types ------------------------------------------------------------------------------------------------------- */

typedef struct __half_raw {
    unsigned short x;
} __half_raw;

/* Converts from and to each number of C++, as CUDA's does. */
struct __align__(2) __half {
    _Float16 value;

    __half() = default;
    __host__ __device__ __half(const __half_raw &raw) : value(__builtin_bit_cast(_Float16, raw.x)) {}
    __host__ __device__ operator __half_raw() const { return __half_raw{__builtin_bit_cast(unsigned short, value)}; }
#define CONVERTS(type)                                                                                                 \
    __host__ __device__ __half(type x) : value((_Float16)x) {}                                                         \
    __host__ __device__ operator type() const { return (type)value; }                                                  \
    __host__ __device__ __half &operator=(type x)                                                                      \
    {                                                                                                                  \
        value = (_Float16)x;                                                                                           \
        return *this;                                                                                                  \
    }
    CONVERTS(float)
    CONVERTS(short)
    CONVERTS(unsigned short)
    CONVERTS(int)
    CONVERTS(unsigned)
    CONVERTS(long)
    CONVERTS(unsigned long)
    CONVERTS(long long)
    CONVERTS(unsigned long long)
#undef CONVERTS
    __host__ __device__ __half(double x) : value((_Float16)x) {}
    __host__ __device__ __half &operator=(double x)
    {
        value = (_Float16)x;
        return *this;
    }
    __host__ __device__ operator bool() const { return value != 0; }
};

struct __align__(4) __half2 {
    __half x, y;

    __half2() = default;
    __host__ __device__ __half2(const __half &x, const __half &y) : x(x), y(y) {}
};

typedef __half half, __nv_half;
typedef __half2 half2, __nv_half2;

HALF __half2 make_half2(__half x, __half y) { return __half2(x, y); }

/* Converts from clang's type. It is no constructor, since there are so many already. */
HALF __half convjudge_half(_Float16 value)
{
    __half half;
    half.value = value;
    return half;
}

/* ---- conversions: each rounds to the nearest, unless its name says otherwise --------------------------------------- */

HALF float __half2float(__half x) { return (float)x.value; }
HALF __half __float2half(float x) { return convjudge_half((_Float16)x); }
HALF __half __float2half_rn(float x) { return convjudge_half((_Float16)x); }
HALF __half __double2half(double x) { return convjudge_half((_Float16)x); }
HALF unsigned short __half_as_ushort(__half x) { return __builtin_bit_cast(unsigned short, x.value); }
HALF short __half_as_short(__half x) { return __builtin_bit_cast(short, x.value); }
HALF __half __ushort_as_half(unsigned short bits) { return convjudge_half(__builtin_bit_cast(_Float16, bits)); }
HALF __half __short_as_half(short bits) { return convjudge_half(__builtin_bit_cast(_Float16, bits)); }

#define ROUNDED(suffix, mode)                                                                                          \
    DEVICE __half __float2half_##suffix(float x)                                                                       \
    {                                                                                                                  \
        unsigned short bits;                                                                                           \
        asm("cvt." #mode ".f16.f32 %0, %1;" : "=h"(bits) : "f"(x));                                                    \
        return __ushort_as_half(bits);                                                                                 \
    }                                                                                                                  \
    DEVICE int __half2int_##suffix(__half x) { return __float2int_##suffix(__half2float(x)); }                         \
    DEVICE unsigned __half2uint_##suffix(__half x) { return __float2uint_##suffix(__half2float(x)); }                  \
    DEVICE short __half2short_##suffix(__half x)                                                                       \
    {                                                                                                                  \
        return (short)min(max(__half2int_##suffix(x), -32768), 32767);                                                 \
    }                                                                                                                  \
    DEVICE unsigned short __half2ushort_##suffix(__half x)                                                             \
    {                                                                                                                  \
        return (unsigned short)min(__half2uint_##suffix(x), 65535u);                                                   \
    }
#define __float2half_rn __float2half_rn_ /* it is there already, for the host as well */
ROUNDED(rn, rn)
#undef __float2half_rn
ROUNDED(rz, rz)
ROUNDED(ru, rp)
ROUNDED(rd, rm)
#undef ROUNDED

HALF __half __int2half_rn(int x) { return convjudge_half((_Float16)x); }
HALF __half __uint2half_rn(unsigned x) { return convjudge_half((_Float16)x); }
HALF __half __short2half_rn(short x) { return convjudge_half((_Float16)x); }
HALF __half __ushort2half_rn(unsigned short x) { return convjudge_half((_Float16)x); }

HALF __half2 __halves2half2(__half x, __half y) { return __half2(x, y); }
HALF __half2 __half2half2(__half x) { return __half2(x, x); }
HALF __half2 __float2half2_rn(float x) { return __half2(__float2half(x), __float2half(x)); }
HALF __half2 __floats2half2_rn(float x, float y) { return __half2(__float2half(x), __float2half(y)); }
HALF __half2 __float22half2_rn(float2 v) { return __floats2half2_rn(v.x, v.y); }
HALF float2 __half22float2(__half2 v) { return float2{__half2float(v.x), __half2float(v.y)}; }
HALF __half __low2half(__half2 v) { return v.x; }
HALF __half __high2half(__half2 v) { return v.y; }
HALF float __low2float(__half2 v) { return __half2float(v.x); }
HALF float __high2float(__half2 v) { return __half2float(v.y); }
HALF __half2 __low2half2(__half2 v) { return __half2(v.x, v.x); }
HALF __half2 __high2half2(__half2 v) { return __half2(v.y, v.y); }
HALF __half2 __lowhigh2highlow(__half2 v) { return __half2(v.y, v.x); }
HALF __half2 __lows2half2(__half2 a, __half2 b) { return __half2(a.x, b.x); }
HALF __half2 __highs2half2(__half2 a, __half2 b) { return __half2(a.y, b.y); }

#define NUMBER __half
#define PAIR __half2
#define VALUE(x) (x).value
#define NUMBER_OF(value) convjudge_half((_Float16)(value))
#define BITS(x) __half_as_ushort(x)
#define NUMBER_OF_BITS(bits) __ushort_as_half(bits)
#define PTX_TYPE "f16"
#include "half_arithmetic.h"

#endif
#endif
