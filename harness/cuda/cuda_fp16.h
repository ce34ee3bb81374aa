/* cuda_fp16.h - half precision: one number of 16 bits, and two of them in 32. Their arithmetic is clang's own, of _Float16,
 * which becomes PTX's of f16 in kernels. Functions that are not here are refused in refusals.h.
 *
 * Source   CUDA Math API 13.0, "Half Precision Intrinsics".  */
#ifndef CONVJUDGE_CUDA_FP16_H
#define CONVJUDGE_CUDA_FP16_H

#include "cuda_runtime.h"

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

/* Of clang's type. It is no constructor, since there are so many already. */
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

/* ---- arithmetic -------------------------------------------------------------------------------------------------- */

#define BINARY(name, name2, expression)                                                                                \
    HALF __half name(__half x, __half y)                                                                               \
    {                                                                                                                  \
        _Float16 a = x.value, b = y.value;                                                                             \
        return convjudge_half(expression);                                                                             \
    }                                                                                                                  \
    HALF __half2 name2(__half2 v, __half2 w) { return __half2(name(v.x, w.x), name(v.y, w.y)); }
#define UNARY(SIDES, name, name2, expression)                                                                          \
    SIDES __half name(__half x)                                                                                        \
    {                                                                                                                  \
        _Float16 a = x.value;                                                                                          \
        return convjudge_half(expression);                                                                             \
    }                                                                                                                  \
    SIDES __half2 name2(__half2 v) { return __half2(name(v.x), name(v.y)); }
BINARY(__hadd, __hadd2, a + b)
BINARY(__hadd_rn, __hadd2_rn, a + b)
BINARY(__hsub, __hsub2, a - b)
BINARY(__hsub_rn, __hsub2_rn, a - b)
BINARY(__hmul, __hmul2, a *b)
BINARY(__hmul_rn, __hmul2_rn, a *b)
BINARY(__hdiv, __h2div, (_Float16)((float)a / (float)b))
BINARY(__hmin, __hmin2, b != b || a < b ? a : b) /* of a number and a NaN, the number */
BINARY(__hmax, __hmax2, b != b || a > b ? a : b)
UNARY(HALF, __hneg, __hneg2, -a)
UNARY(HALF, __habs, __habs2, __builtin_bit_cast(_Float16, (unsigned short)(__half_as_ushort(x) & 0x7fff)))

DEVICE __half __hfma(__half x, __half y, __half z)
{
    unsigned short bits;
    asm("fma.rn.f16 %0, %1, %2, %3;"
        : "=h"(bits)
        : "h"(__half_as_ushort(x)), "h"(__half_as_ushort(y)), "h"(__half_as_ushort(z)));
    return __ushort_as_half(bits);
}

DEVICE __half2 __hfma2(__half2 x, __half2 y, __half2 z)
{
    return __half2(__hfma(x.x, y.x, z.x), __hfma(x.y, y.y, z.y));
}

/* Exact, or correctly rounded: a float has more than twice the digits. */
UNARY(DEVICE, hsqrt, h2sqrt, (_Float16)sqrtf((float)a))
UNARY(DEVICE, hfloor, h2floor, (_Float16)floorf((float)a))
UNARY(DEVICE, hceil, h2ceil, (_Float16)ceilf((float)a))
UNARY(DEVICE, htrunc, h2trunc, (_Float16)truncf((float)a))
UNARY(DEVICE, hrint, h2rint, (_Float16)rintf((float)a))
UNARY(DEVICE, hrcp, h2rcp, (_Float16)(1.0f / (float)a))
#undef BINARY
#undef UNARY

/* ---- comparisons: of two numbers; of two pairs, in each place (1 or 0), or in both ----------------------------------- */

#define COMPARISON(name, expression)                                                                                   \
    HALF bool __h##name(__half x, __half y) { return expression; }                                                     \
    HALF __half2 __h##name##2(__half2 v, __half2 w)                                                                    \
    {                                                                                                                  \
        return __floats2half2_rn(__h##name(v.x, w.x), __h##name(v.y, w.y));                                            \
    }                                                                                                                  \
    HALF bool __hb##name##2(__half2 v, __half2 w) { return __h##name(v.x, w.x) && __h##name(v.y, w.y); }
COMPARISON(eq, x.value == y.value)
COMPARISON(ne, x.value < y.value || x.value > y.value) /* false with a NaN */
COMPARISON(lt, x.value < y.value)
COMPARISON(le, x.value <= y.value)
COMPARISON(gt, x.value > y.value)
COMPARISON(ge, x.value >= y.value)
#undef COMPARISON
HALF bool __hisnan(__half x) { return x.value != x.value; }
HALF int __hisinf(__half x)
{
    return __half_as_ushort(x) == 0x7c00 ? 1 : __half_as_ushort(x) == 0xfc00 ? -1 : 0;
}

/* ---- operators --------------------------------------------------------------------------------------------------- */

#define OPERATOR(operation, name, name2)                                                                               \
    HALF __half operator operation(const __half &x, const __half &y) { return name(x, y); }                            \
    HALF __half &operator operation##=(__half &x, const __half &y) { return x = name(x, y); }                          \
    HALF __half2 operator operation(const __half2 &v, const __half2 &w) { return name2(v, w); }                        \
    HALF __half2 &operator operation##=(__half2 &v, const __half2 &w) { return v = name2(v, w); }
OPERATOR(+, __hadd, __hadd2)
OPERATOR(-, __hsub, __hsub2)
OPERATOR(*, __hmul, __hmul2)
OPERATOR(/, __hdiv, __h2div)
#undef OPERATOR
#define OPERATOR(operation, expression)                                                                                \
    HALF bool operator operation(const __half &x, const __half &y) { return x.value operation y.value; }               \
    HALF bool operator operation(const __half2 &v, const __half2 &w) { return expression; }
OPERATOR(==, v.x == w.x &&v.y == w.y)
OPERATOR(!=, v.x != w.x &&v.y != w.y)
OPERATOR(<, v.x < w.x &&v.y < w.y)
OPERATOR(<=, v.x <= w.x &&v.y <= w.y)
OPERATOR(>, v.x > w.x &&v.y > w.y)
OPERATOR(>=, v.x >= w.x &&v.y >= w.y)
#undef OPERATOR
HALF __half operator-(const __half &x) { return __hneg(x); }
HALF __half2 operator-(const __half2 &v) { return __hneg2(v); }

/* ---- warps ------------------------------------------------------------------------------------------------------- */

#define SHUFFLE(name)                                                                                                  \
    DEVICE __half name(unsigned mask, __half value, int lane, int width = 32)                                          \
    {                                                                                                                  \
        return __ushort_as_half((unsigned short)name(mask, (unsigned)__half_as_ushort(value), lane, width));           \
    }
SHUFFLE(__shfl_sync)
SHUFFLE(__shfl_up_sync)
SHUFFLE(__shfl_down_sync)
SHUFFLE(__shfl_xor_sync)
#undef SHUFFLE

#undef HALF
#undef DEVICE

#endif
