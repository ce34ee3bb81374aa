/* cuda_bf16.h - bfloat16: the upper half of a float, and two of them in 32 bits. Clang computes with the float, and each
 * result is rounded once more, which is innocuous: a float has more than twice the digits. Functions that are not here are
 * refused in refusals.h.
 *
 * Source   CUDA Math API 13.0, "Bfloat16 Precision Intrinsics".  */
#ifndef CONVJUDGE_CUDA_BF16_H
#define CONVJUDGE_CUDA_BF16_H

#include "cuda_runtime.h"

#define HALF static __host__ __device__ __forceinline__
#define DEVICE static __device__ __forceinline__

/* ---- rounding ---------------------------------------------------------------------------------------------------- */

/* To the nearest, and to the even one of two that are as near. */
HALF unsigned short convjudge_bfloat16_bits(float x)
{
#ifdef __CUDA_ARCH__
    unsigned short bits;
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(x));
    return bits;
#else
    const unsigned bits = __builtin_bit_cast(unsigned, x);
    return x != x ? 0x7fff : (unsigned short)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
#endif
}

/* A float for rounding once more: of two neighbours of a number that is no float, the one whose last bit is 1. */
HALF float convjudge_float_to_odd(double x)
{
    const float near = (float)x;
    const unsigned bits = __builtin_bit_cast(unsigned, near);
    if ((double)near == x || x != x || (bits & 1) != 0)
        return near;
    const bool is_beyond = near < 0 ? (double)near < x : (double)near > x;
    return __builtin_bit_cast(float, is_beyond ? bits - 1 : bits + 1);
}

/* ---- types ------------------------------------------------------------------------------------------------------- */

typedef struct __nv_bfloat16_raw {
    unsigned short x;
} __nv_bfloat16_raw;

/* Converts from and to each number of C++, as CUDA's does. */
struct __align__(2) __nv_bfloat16 {
    unsigned short bits;

    __nv_bfloat16() = default;
    __host__ __device__ __nv_bfloat16(const __nv_bfloat16_raw &raw) : bits(raw.x) {}
    __host__ __device__ operator __nv_bfloat16_raw() const { return __nv_bfloat16_raw{bits}; }
    __host__ __device__ __nv_bfloat16(float x) : bits(convjudge_bfloat16_bits(x)) {}
    __host__ __device__ operator float() const { return __builtin_bit_cast(float, (unsigned)bits << 16); }
    __host__ __device__ __nv_bfloat16 &operator=(float x) { return *this = __nv_bfloat16(x); }
    __host__ __device__ __nv_bfloat16(double x) : bits(convjudge_bfloat16_bits(convjudge_float_to_odd(x))) {}
    __host__ __device__ __nv_bfloat16 &operator=(double x) { return *this = __nv_bfloat16(x); }
#define CONVERTS(type)                                                                                                 \
    __host__ __device__ __nv_bfloat16(type x) : __nv_bfloat16((double)x) {}                                            \
    __host__ __device__ operator type() const { return (type)(float)*this; }                                           \
    __host__ __device__ __nv_bfloat16 &operator=(type x) { return *this = __nv_bfloat16(x); }
    CONVERTS(short)
    CONVERTS(unsigned short)
    CONVERTS(int)
    CONVERTS(unsigned)
    CONVERTS(long)
    CONVERTS(unsigned long)
    CONVERTS(long long)
    CONVERTS(unsigned long long)
#undef CONVERTS
    __host__ __device__ operator bool() const { return (float)*this != 0; }
};

struct __align__(4) __nv_bfloat162 {
    __nv_bfloat16 x, y;

    __nv_bfloat162() = default;
    __host__ __device__ __nv_bfloat162(const __nv_bfloat16 &x, const __nv_bfloat16 &y) : x(x), y(y) {}
};

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

HALF __nv_bfloat162 make_bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) { return __nv_bfloat162(x, y); }

/* ---- conversions: each rounds to the nearest, unless its name says otherwise --------------------------------------- */

HALF float __bfloat162float(__nv_bfloat16 x) { return (float)x; }
HALF __nv_bfloat16 __float2bfloat16(float x) { return __nv_bfloat16(x); }
HALF __nv_bfloat16 __float2bfloat16_rn(float x) { return __nv_bfloat16(x); }
HALF __nv_bfloat16 __double2bfloat16(double x) { return __nv_bfloat16(x); }
HALF unsigned short __bfloat16_as_ushort(__nv_bfloat16 x) { return x.bits; }
HALF short __bfloat16_as_short(__nv_bfloat16 x) { return (short)x.bits; }
HALF __nv_bfloat16 __ushort_as_bfloat16(unsigned short bits) { return __nv_bfloat16_raw{bits}; }
HALF __nv_bfloat16 __short_as_bfloat16(short bits) { return __nv_bfloat16_raw{(unsigned short)bits}; }

/* Towards zero the upper half is cut off; a NaN stays one. */
HALF __nv_bfloat16 __float2bfloat16_rz(float x)
{
    return x != x ? __nv_bfloat16(x) : __ushort_as_bfloat16((unsigned short)(__builtin_bit_cast(unsigned, x) >> 16));
}

/* Away from zero, if something is cut off and the sign is the one of that direction. */
HALF __nv_bfloat16 convjudge_away(float x, bool is_away)
{
    const unsigned bits = __builtin_bit_cast(unsigned, x);
    return x != x ? __nv_bfloat16(x)
                  : __ushort_as_bfloat16((unsigned short)((bits >> 16) + ((bits & 0xffff) != 0 && is_away)));
}
HALF __nv_bfloat16 __float2bfloat16_ru(float x) { return convjudge_away(x, x > 0); }
HALF __nv_bfloat16 __float2bfloat16_rd(float x) { return convjudge_away(x, x < 0); }

#define ROUNDED(suffix)                                                                                                \
    DEVICE int __bfloat162int_##suffix(__nv_bfloat16 x) { return __float2int_##suffix((float)x); }                     \
    DEVICE unsigned __bfloat162uint_##suffix(__nv_bfloat16 x) { return __float2uint_##suffix((float)x); }              \
    DEVICE short __bfloat162short_##suffix(__nv_bfloat16 x)                                                            \
    {                                                                                                                  \
        return (short)min(max(__bfloat162int_##suffix(x), -32768), 32767);                                             \
    }                                                                                                                  \
    DEVICE unsigned short __bfloat162ushort_##suffix(__nv_bfloat16 x)                                                  \
    {                                                                                                                  \
        return (unsigned short)min(__bfloat162uint_##suffix(x), 65535u);                                               \
    }
ROUNDED(rn)
ROUNDED(rz)
ROUNDED(ru)
ROUNDED(rd)
#undef ROUNDED

HALF __nv_bfloat16 __int2bfloat16_rn(int x) { return __nv_bfloat16(x); }
HALF __nv_bfloat16 __uint2bfloat16_rn(unsigned x) { return __nv_bfloat16(x); }
HALF __nv_bfloat16 __short2bfloat16_rn(short x) { return __nv_bfloat16(x); }
HALF __nv_bfloat16 __ushort2bfloat16_rn(unsigned short x) { return __nv_bfloat16(x); }

HALF __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) { return __nv_bfloat162(x, y); }
HALF __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 x) { return __nv_bfloat162(x, x); }
HALF __nv_bfloat162 __float2bfloat162_rn(float x) { return __bfloat162bfloat162(__nv_bfloat16(x)); }
HALF __nv_bfloat162 __floats2bfloat162_rn(float x, float y)
{
    return __nv_bfloat162(__nv_bfloat16(x), __nv_bfloat16(y));
}
HALF __nv_bfloat162 __float22bfloat162_rn(float2 v) { return __floats2bfloat162_rn(v.x, v.y); }
HALF float2 __bfloat1622float2(__nv_bfloat162 v) { return float2{(float)v.x, (float)v.y}; }
HALF __nv_bfloat16 __low2bfloat16(__nv_bfloat162 v) { return v.x; }
HALF __nv_bfloat16 __high2bfloat16(__nv_bfloat162 v) { return v.y; }
HALF float __low2float(__nv_bfloat162 v) { return (float)v.x; }
HALF float __high2float(__nv_bfloat162 v) { return (float)v.y; }
HALF __nv_bfloat162 __low2bfloat162(__nv_bfloat162 v) { return __nv_bfloat162(v.x, v.x); }
HALF __nv_bfloat162 __high2bfloat162(__nv_bfloat162 v) { return __nv_bfloat162(v.y, v.y); }
HALF __nv_bfloat162 __lowhigh2highlow(__nv_bfloat162 v) { return __nv_bfloat162(v.y, v.x); }
HALF __nv_bfloat162 __lows2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(a.x, b.x); }
HALF __nv_bfloat162 __highs2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(a.y, b.y); }

#define NUMBER __nv_bfloat16
#define PAIR __nv_bfloat162
#define VALUE(x) (float)(x)
#define NUMBER_OF(value) __nv_bfloat16((float)(value))
#define BITS(x) (x).bits
#define NUMBER_OF_BITS(bits) __ushort_as_bfloat16(bits)
#define PTX_TYPE "bf16"
#include "half_arithmetic.h"

#endif
