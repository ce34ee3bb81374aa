/* device_math.h - mathematical functions for kernels. Some are one or two instructions, the others are series.
 *
 * Accuracy  in units in the last place (ulp), for float and double alike. sqrt, fma and the rounding functions are
 *           exact; exp, log, sin, cos and the functions made of them have an error of 2 to 4 ulp. sin and cos of a
 *           float hold this for every argument, of a double below 2^30. The error of pow of doubles in ulp can reach
 *           the number of bits in the exponent of the result. Functions that begin with two underscores are
 *           approximations by the hardware.
 * Missing   functions that refusals.h names.
 * Source    CUDA Math API 13.0 for names and meanings; the series are Taylor series.  */
#ifndef CONVJUDGE_DEVICE_MATH_H
#define CONVJUDGE_DEVICE_MATH_H

#include "host_defines.h"

#define DEVICE static __device__ __forceinline__

/* ---- instructions ------------------------------------------------------------------------------------------------ */

/* For float and double, with the names of C. The overloads of C++ come from <cmath>, to be included after this. */
#define ONE(name)                                                                                                      \
    DEVICE float name##f(float x) { return __builtin_##name##f(x); }                                                   \
    DEVICE double name(double x) { return __builtin_##name(x); }
#define TWO(name)                                                                                                      \
    DEVICE float name##f(float x, float y) { return __builtin_##name##f(x, y); }                                       \
    DEVICE double name(double x, double y) { return __builtin_##name(x, y); }
ONE(fabs)
ONE(sqrt)
ONE(floor)
ONE(ceil)
ONE(trunc)
ONE(rint)
ONE(nearbyint)
ONE(round)
TWO(fmin)
TWO(fmax)
TWO(copysign)
#undef ONE
#undef TWO

DEVICE float fmaf(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
DEVICE double fma(double x, double y, double z) { return __builtin_fma(x, y, z); }
DEVICE float rsqrtf(float x) { return __nvvm_rsqrt_approx_f(x); }
DEVICE float rsqrt(float x) { return __nvvm_rsqrt_approx_f(x); }
DEVICE double rsqrt(double x) { return 1 / __builtin_sqrt(x); }
DEVICE int abs(int x) { return x < 0 ? -x : x; }
DEVICE long labs(long x) { return x < 0 ? -x : x; }
DEVICE long long llabs(long long x) { return x < 0 ? -x : x; }

/* From here on, also as overloads of C++, which must be declared before <cmath> declares its own. */
#define TO_INTEGER(name, type, rounded)                                                                                \
    DEVICE type name##f(float x) { return (type)__builtin_##rounded##f(x); }                                           \
    DEVICE type name(double x) { return (type)__builtin_##rounded(x); }                                                \
    namespace std { DEVICE type name(float x) { return name##f(x); } }
TO_INTEGER(lround, long, round)
TO_INTEGER(llround, long long, round)
TO_INTEGER(lrint, long, rint)
TO_INTEGER(llrint, long long, rint)
#undef TO_INTEGER

DEVICE float fdimf(float x, float y) { return x <= y ? 0 : x - y; }
DEVICE double fdim(double x, double y) { return x <= y ? 0 : x - y; }
namespace std { DEVICE float fdim(float x, float y) { return fdimf(x, y); } }
DEVICE float hypotf(float x, float y) { return (float)__builtin_sqrt((double)x * x + (double)y * y); }
namespace std { DEVICE float hypot(float x, float y) { return hypotf(x, y); } }

#define ROUNDED(suffix, mode)                                                                                          \
    DEVICE float __fadd_##suffix(float x, float y) { return __nvvm_add_##mode##_f(x, y); }                             \
    DEVICE float __fsub_##suffix(float x, float y) { return __nvvm_add_##mode##_f(x, -y); }                            \
    DEVICE float __fmul_##suffix(float x, float y) { return __nvvm_mul_##mode##_f(x, y); }                             \
    DEVICE float __fmaf_##suffix(float x, float y, float z) { return __nvvm_fma_##mode##_f(x, y, z); }                 \
    DEVICE float __fmaf_ieee_##suffix(float x, float y, float z) { return __nvvm_fma_##mode##_f(x, y, z); }            \
    DEVICE float __fdiv_##suffix(float x, float y) { return __nvvm_div_##mode##_f(x, y); }                             \
    DEVICE float __fsqrt_##suffix(float x) { return __nvvm_sqrt_##mode##_f(x); }                                       \
    DEVICE float __frcp_##suffix(float x) { return __nvvm_rcp_##mode##_f(x); }                                         \
    DEVICE double __dadd_##suffix(double x, double y) { return __nvvm_add_##mode##_d(x, y); }                          \
    DEVICE double __dmul_##suffix(double x, double y) { return __nvvm_mul_##mode##_d(x, y); }                          \
    DEVICE double __fma_##suffix(double x, double y, double z) { return __nvvm_fma_##mode##_d(x, y, z); }
ROUNDED(rn, rn)
ROUNDED(rz, rz)
ROUNDED(ru, rp)
ROUNDED(rd, rm)
#undef ROUNDED

DEVICE float __fdividef(float x, float y) { return __nvvm_div_approx_f(x, y); }
DEVICE double fdivide(double x, double y) { return x / y; }
DEVICE float fdividef(float x, float y) { return __nvvm_div_approx_f(x, y); }
DEVICE float __frsqrt_rn(float x) { return __nvvm_rsqrt_approx_f(x); }
DEVICE float __saturatef(float x) { return __nvvm_saturate_f(x); }
DEVICE float __exp10f(float x) { return __nvvm_ex2_approx_f(x * 3.32192809f); }
DEVICE float __expf(float x) { return __nvvm_ex2_approx_f(x * 1.44269504f); }
DEVICE float __log2f(float x) { return __nvvm_lg2_approx_f(x); }
DEVICE float __logf(float x) { return __nvvm_lg2_approx_f(x) * 0.693147181f; }
DEVICE float __log10f(float x) { return __nvvm_lg2_approx_f(x) * 0.301029996f; }
DEVICE float __powf(float x, float y) { return __nvvm_ex2_approx_f(y * __nvvm_lg2_approx_f(x)); }
DEVICE float __sinf(float x) { return __nvvm_sin_approx_f(x); }
DEVICE float __cosf(float x) { return __nvvm_cos_approx_f(x); }
DEVICE float __tanf(float x) { return __nvvm_div_approx_f(__nvvm_sin_approx_f(x), __nvvm_cos_approx_f(x)); }
DEVICE void __sincosf(float x, float *sine, float *cosine)
{
    *sine = __nvvm_sin_approx_f(x);
    *cosine = __nvvm_cos_approx_f(x);
}

/* ---- series ------------------------------------------------------------------------------------------------------ */

namespace convjudge {

constexpr double LN_2 = 0x1.62e42fefa39efp-1, LOG2_E = 0x1.71547652b82fep+0, LOG10_E = 0x1.bcb7b1526e50ep-2;
constexpr double LOG10_2 = 0x1.34413509f79ffp-2, PI = 0x1.921fb54442d18p+1, HALF_PI = PI / 2, TWO_OVER_PI = 2 / PI;
/* The rest of each constant beyond double precision; and, for floats, ln 2 as the sum of a part of 16 bits and a
 * rest. */
constexpr double LN_2_REST = 0x1.abc9e3b39803fp-56, HALF_PI_REST = 0x1.1a62633145c07p-54;
constexpr double LN_2_HIGH = 0x1.62e4p-1, LN_2_LOW = LN_2 - LN_2_HIGH;

/* Layout of the type, number of terms of each series, and the argument beyond which exp() is 0 or infinite. */
template <class Real> struct Format;
template <> struct Format<float> {
    using Bits = int;
    enum { FRACTION_BITS = 23, BIAS = 127, EXP_TERMS = 7, SINE_TERMS = 5, ATANH_TERMS = 6, EXP_RANGE = 104 };
    static constexpr Bits ROOT_HALF = 0x3f3504f3; /* sqrt(1/2) */
    static constexpr double LN_2_PARTS[] = {LN_2_HIGH, LN_2_LOW};
};
template <> struct Format<double> {
    using Bits = long long;
    enum { FRACTION_BITS = 52, BIAS = 1023, EXP_TERMS = 13, SINE_TERMS = 9, ATANH_TERMS = 12, EXP_RANGE = 746 };
    static constexpr Bits ROOT_HALF = 0x3fe6a09e667f3bcd;
    static constexpr double LN_2_PARTS[] = {LN_2, LN_2_REST};
};

DEVICE float multiply_add(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
DEVICE double multiply_add(double x, double y, double z) { return __builtin_fma(x, y, z); }
DEVICE float to_whole(float x) { return __builtin_rintf(x); }
DEVICE double to_whole(double x) { return __builtin_rint(x); }

/* 2^n, if it is a normal number. */
template <class Real> DEVICE Real power_of_two(int n)
{
    using F = Format<Real>;
    return __builtin_bit_cast(Real, (typename F::Bits)(n + F::BIAS) << F::FRACTION_BITS);
}

/* e^r 2^n for |r| up to ln 2 / 2, where e^r is the sum of r^k / k!. 2^n is multiplied in two steps, since it may be out
 * of range by itself. */
template <class Real> DEVICE Real exp_of_rest(Real r, Real n)
{
    Real sum = 1;
#pragma unroll
    for (int k = Format<Real>::EXP_TERMS; k > 0; k--)
        sum = multiply_add(sum, r * Real(1.0 / k), Real(1));
    int half = (int)n / 2;
    return sum * power_of_two<Real>(half) * power_of_two<Real>((int)n - half);
}

/* A NaN stays a NaN. */
template <class Real> DEVICE Real within(Real most, Real x)
{
    return x > most ? most : x < -most ? -most : x;
}

template <class Real> DEVICE Real exp(Real x)
{
    x = within(Real(Format<Real>::EXP_RANGE), x);
    Real n = to_whole(x * Real(LOG2_E)), r = multiply_add(n, Real(-Format<Real>::LN_2_PARTS[0]), x);
    return exp_of_rest(multiply_add(n, Real(-Format<Real>::LN_2_PARTS[1]), r), n);
}

template <class Real> DEVICE Real exp2(Real x)
{
    x = within(Real(Format<Real>::EXP_RANGE * LOG2_E), x);
    Real n = to_whole(x);
    return exp_of_rest((x - n) * Real(LN_2), n);
}

/* x = m 2^exponent with m from sqrt(1/2) to sqrt(2). Returns ln m = 2 atanh s with s = (m - 1) / (m + 1), where atanh s
 * is the sum of s^(2k+1) / (2k+1). */
template <class Real> DEVICE Real log_of_fraction(Real x, Real *exponent)
{
    using F = Format<Real>;
    Real scaled = x < power_of_two<Real>(1 - F::BIAS) ? x * power_of_two<Real>(64) : x; /* if subnormal */
    typename F::Bits bits = __builtin_bit_cast(typename F::Bits, scaled);
    typename F::Bits e = (bits - F::ROOT_HALF) >> F::FRACTION_BITS;
    Real m = __builtin_bit_cast(Real, bits - (e << F::FRACTION_BITS)), s = (m - 1) / (m + 1), sum = 0;
#pragma unroll
    for (int k = F::ATANH_TERMS; k >= 0; k--)
        sum = multiply_add(sum, s * s, Real(1.0 / (2 * k + 1)));
    *exponent = Real(e) - (scaled != x ? 64 : 0);
    return 2 * s * sum;
}

/* `result`, if x is a positive finite number; else what log(x) is for zero, negative numbers, infinity and NaN. */
template <class Real> DEVICE Real log_of(Real x, Real result)
{
    constexpr Real infinity = __builtin_inf();
    return x > 0 && x < infinity ? result : x == 0 ? -infinity : x < 0 ? Real(__builtin_nan("")) : x;
}

template <class Real> DEVICE Real log(Real x)
{
    Real e, part = log_of_fraction(x, &e);
    part = multiply_add(e, Real(Format<Real>::LN_2_PARTS[1]), part);
    return log_of(x, multiply_add(e, Real(Format<Real>::LN_2_PARTS[0]), part));
}

template <class Real> DEVICE Real log2(Real x)
{
    Real e, part = log_of_fraction(x, &e);
    return log_of(x, multiply_add(part, Real(LOG2_E), e));
}

template <class Real> DEVICE Real log10(Real x)
{
    Real e, part = log_of_fraction(x, &e);
    return log_of(x, multiply_add(part, Real(LOG10_E), e * Real(LOG10_2)));
}

DEVICE double pow(double x, double y)
{
    bool whole = __builtin_trunc(y) == y, odd = whole && __builtin_trunc(y / 2) != y / 2;
    if (x == 1 || y == 0)
        return 1;
    if (x < 0 && !whole)
        return __builtin_nan("");
    double magnitude = exp(y * log(__builtin_fabs(x)));
    return x < 0 && odd ? -magnitude : magnitude;
}

/* Sine and cosine of r + quarters pi / 2, for |r| up to pi / 4: r (1 - r^2 / (2 3) (1 - r^2 / (4 5) ...)), and likewise
 * for the cosine. */
template <class Real> DEVICE void sincos_of_rest(Real r, long long quarters, Real *sine, Real *cosine)
{
    Real square = r * r, s = 1, c = 1;
#pragma unroll
    for (int k = Format<Real>::SINE_TERMS; k > 0; k--) {
        s = multiply_add(s, square * Real(-1.0 / (2 * k * (2 * k + 1))), Real(1));
        c = multiply_add(c, square * Real(-1.0 / ((2 * k - 1) * 2 * k)), Real(1));
    }
    s *= r;
    *sine = (quarters & 1) != 0 ? c : s;
    *cosine = (quarters & 1) != 0 ? s : c;
    *sine = (quarters & 2) != 0 ? -*sine : *sine;
    *cosine = ((quarters + 1) & 2) != 0 ? -*cosine : *cosine;
}

/* For floats the remainder is also computed in double, which is simple, and exact enough for every float. */
template <class Real> DEVICE void sincos(Real x, Real *sine, Real *cosine)
{
    double n = to_whole(double(x) * TWO_OVER_PI), r = multiply_add(-n, HALF_PI, double(x));
    sincos_of_rest(Real(multiply_add(-n, HALF_PI_REST, r)), (long long)n, sine, cosine);
}

template <class Real> DEVICE void sincospi(Real x, Real *sine, Real *cosine)
{
    Real n = to_whole(2 * x);
    sincos_of_rest(multiply_add(n, Real(-0.5), x) * Real(PI), (long long)n, sine, cosine);
}

template <class Real> DEVICE Real sin(Real x)
{
    Real sine, cosine;
    sincos(x, &sine, &cosine);
    return sine;
}

template <class Real> DEVICE Real cos(Real x)
{
    Real sine, cosine;
    sincos(x, &sine, &cosine);
    return cosine;
}

template <class Real> DEVICE Real tan(Real x)
{
    Real sine, cosine;
    sincos(x, &sine, &cosine);
    return sine / cosine;
}

template <class Real> DEVICE Real sinpi(Real x)
{
    Real sine, cosine;
    sincospi(x, &sine, &cosine);
    return sine;
}

template <class Real> DEVICE Real cospi(Real x)
{
    Real sine, cosine;
    sincospi(x, &sine, &cosine);
    return cosine;
}

} // namespace convjudge

/* With the names of C, and as overloads of C++. */
#define ONE(name)                                                                                                      \
    DEVICE float name##f(float x) { return convjudge::name(x); }                                                       \
    DEVICE double name(double x) { return convjudge::name(x); }                                                        \
    namespace std { DEVICE float name(float x) { return convjudge::name(x); } }
ONE(exp)
ONE(exp2)
ONE(log)
ONE(log2)
ONE(log10)
ONE(sin)
ONE(cos)
ONE(tan)
#undef ONE

DEVICE double pow(double x, double y) { return convjudge::pow(x, y); }
DEVICE float powf(float x, float y) { return (float)convjudge::pow((double)x, (double)y); }
namespace std { DEVICE float pow(float x, float y) { return powf(x, y); } }

DEVICE float sinpif(float x) { return convjudge::sinpi(x); }
DEVICE float cospif(float x) { return convjudge::cospi(x); }
#define FOR_FLOAT_TOO(name)                                                                                            \
    DEVICE double name(double x) { return convjudge::name(x); }                                                        \
    DEVICE float name(float x) { return convjudge::name(x); }
FOR_FLOAT_TOO(sinpi)
FOR_FLOAT_TOO(cospi)
#undef FOR_FLOAT_TOO
DEVICE void sincosf(float x, float *sine, float *cosine) { convjudge::sincos(x, sine, cosine); }
DEVICE void sincos(double x, double *sine, double *cosine) { convjudge::sincos(x, sine, cosine); }
DEVICE void sincos(float x, float *sine, float *cosine) { convjudge::sincos(x, sine, cosine); }
DEVICE void sincospi(float x, float *sine, float *cosine) { convjudge::sincospi(x, sine, cosine); }
DEVICE void sincospif(float x, float *sine, float *cosine) { convjudge::sincospi(x, sine, cosine); }
DEVICE void sincospi(double x, double *sine, double *cosine) { convjudge::sincospi(x, sine, cosine); }

/* 1 - 2 / (e^2x + 1), unless x is so small that this loses precision. */
DEVICE float tanhf(float x)
{
    return __builtin_fabsf(x) < 1e-4f ? x : (float)(1 - 2 / (convjudge::exp(2 * (double)x) + 1));
}
namespace std { DEVICE float tanh(float x) { return tanhf(x); } }

#undef DEVICE

/* ---- minimum and maximum, on the host too ------------------------------------------------------------------------ */

/* If one argument is unsigned, the other is converted to unsigned, as in CUDA. */
#define MIN_AND_MAX(type, first, second)                                                                               \
    static inline __host__ __device__ type min(first x, second y) { return (type)y < (type)x ? (type)y : (type)x; }    \
    static inline __host__ __device__ type max(first x, second y) { return (type)x < (type)y ? (type)y : (type)x; }
#define FOR_ALL_SIGNS(type)                                                                                            \
    MIN_AND_MAX(type, type, type)                                                                                      \
    MIN_AND_MAX(unsigned type, unsigned type, unsigned type)                                                           \
    MIN_AND_MAX(unsigned type, type, unsigned type)                                                                    \
    MIN_AND_MAX(unsigned type, unsigned type, type)
FOR_ALL_SIGNS(int)
FOR_ALL_SIGNS(long)
FOR_ALL_SIGNS(long long)
#undef FOR_ALL_SIGNS
#undef MIN_AND_MAX
static inline __host__ __device__ unsigned umin(unsigned x, unsigned y) { return min(x, y); }
static inline __host__ __device__ unsigned umax(unsigned x, unsigned y) { return max(x, y); }
static inline __host__ __device__ long long llmin(long long x, long long y) { return min(x, y); }
static inline __host__ __device__ long long llmax(long long x, long long y) { return max(x, y); }
static inline __host__ __device__ unsigned long long ullmin(unsigned long long x, unsigned long long y) { return min(x, y); }
static inline __host__ __device__ unsigned long long ullmax(unsigned long long x, unsigned long long y) { return max(x, y); }

/* If one argument is a NaN, the result is the other one, as in CUDA. */
#define MIN_AND_MAX(type, first, second, suffix)                                                                       \
    static inline __host__ __device__ type min(first x, second y) { return __builtin_fmin##suffix(x, y); }             \
    static inline __host__ __device__ type max(first x, second y) { return __builtin_fmax##suffix(x, y); }
MIN_AND_MAX(float, float, float, f)
MIN_AND_MAX(double, double, double, )
MIN_AND_MAX(double, double, float, )
MIN_AND_MAX(double, float, double, )
#undef MIN_AND_MAX

#endif
