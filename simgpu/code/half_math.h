/* half_math.h - arithmetic in float16 and bfloat16, lane by lane; part of lane_math.h.
 *
 * Values    are passed as 16 bits; "x2" forms work on two of them in 32 bits, the first in the lower half.
 * Rounding  each operation rounds once, from a result that is exact or rounded to odd: a value with at least two bits
 *           more than the target that was rounded to odd rounds on as the exact one would (Boldo and Melquiond,
 *           Emulation of FMA and Correctly Rounded Sums, 2008). float32 has that room for a sum of two, and
 *           float64 for a product, which it holds exactly, and a third value.
 * NaN       every result that is NaN is 0x7FFF; only conversions from float64 keep the sign and payload.
 * Source    PTX ISA 9.0, Half Precision Floating Point Instructions; bfloat16 is the upper half of float32.  */
/* clang-format off */
#ifndef SIMGPU_CODE_HALF_MATH_H
#define SIMGPU_CODE_HALF_MATH_H

enum { HALF_NAN = 0x7FFF, ROUND_NEAREST = 0, ROUND_ZERO, ROUND_DOWN, ROUND_UP };

static inline f32 f16_to_f32(u16 bits)
{
    _Float16 half;
    memcpy(&half, &bits, sizeof half);
    return (f32)half;
}
static inline u16 f32_to_f16(f32 x)
{
    _Float16 half = (_Float16)x;
    u16 bits;
    memcpy(&bits, &half, sizeof bits);
    return x != x ? HALF_NAN : bits;
}
static inline f32 bf16_to_f32(u16 bits) { return f32_from((u32)bits << 16); }
static inline u16 f32_to_bf16(f32 x)
{
    u32 bits = f32_bits(x);
    return x != x ? HALF_NAN : (u16)((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

/* To odd: an inexact result is the neighbour whose last bit is 1. */
static inline f32 odd_f32(f64 x)
{
    f32 nearest = (f32)x;
    u32 bits = f32_bits(nearest);
    bool exact = !(x < nearest) & !(x > nearest), too_far = __builtin_fabs((f64)nearest) > __builtin_fabs(x);
    return exact ? nearest : f32_from((bits - too_far) | 1);
}
static inline f64 odd_sum(f64 a, f64 b)
{
    f64 sum = a + b, of_b = sum - a, error = (a - (sum - of_b)) + (b - of_b); /* Knuth's TwoSum: sum + error is exact */
    u64 bits = f64_bits(sum);
    bool inexact = (error < 0) | (error > 0), grows = (error > 0) == (sum > 0);
    return inexact && (bits & 1) == 0 ? f64_from(grows ? bits + 1 : bits - 1) : sum;
}
static inline f64 odd_f64_u64(u64 a)
{
    return a >> 53 == 0 ? (f64)a : (f64)(a >> 11 | ((a & 0x7FF) != 0)) * 0x1p11;
}
static inline f64 odd_f64_s64(s64 a) { return a < 0 ? -odd_f64_u64(0 - (u64)a) : odd_f64_u64((u64)a); }

/* Rounds in any direction to a format with `digits` bits after the point and exponents from `least` on. The bits of a
 * magnitude grow by one from each value to the next, so that rounding up carries into the exponent by itself. */
static inline u16 narrowed(f64 x, int digits, int least, u16 infinity, int rounding)
{
    f64 magnitude = __builtin_fabs(x);
    int exponent = (int)(f64_bits(magnitude) >> 52) - 1023;
    u16 sign = (u16)(f64_bits(x) >> 63 << 15);
    if (x != x)
        return sign | infinity | 1u << (digits - 1) | (u16)(f64_bits(x) << 12 >> (64 - digits));
    exponent = exponent < least ? least : exponent;
    f64 scaled = magnitude == INFINITY ? INFINITY : magnitude * f64_from((u64)(digits - exponent + 1023) << 52);
    f64 whole = __builtin_floor(scaled), rest = scaled - whole;
    bool is_odd = __builtin_floor(whole / 2) * 2 != whole;
    bool up = rounding == ROUND_NEAREST ? (rest > 0.5) | ((rest == 0.5) & is_odd)
              : rounding == ROUND_ZERO  ? false
                                        : (rest > 0) & ((rounding == ROUND_DOWN) == (sign != 0));
    f64 bits = (f64)(exponent - least) * (1 << digits) + whole + up;
    bool to_infinity = rounding == ROUND_NEAREST || rounding == (sign != 0 ? ROUND_DOWN : ROUND_UP);
    if (magnitude == INFINITY)
        return sign | infinity;
    return sign | (bits < infinity ? (u16)bits : to_infinity ? infinity : infinity - 1);
}
static inline u16 narrowed_f16(f64 x, int rounding) { return narrowed(x, 10, -14, 0x7C00, rounding); }
static inline u16 narrowed_bf16(f64 x, int rounding) { return narrowed(x, 7, -126, 0x7F80, rounding); }

/* The rules that hold for both formats. `is_nan` is where the magnitude lies above infinity's. */
#define HALF_RULES(T, INFINITY_BITS)                                                                                   \
    static inline bool is_nan_##T(u16 a) { return (a & 0x7FFF) > INFINITY_BITS; }                                      \
    static inline u16 add_##T(u16 a, u16 b) { return f32_to_##T(T##_to_f32(a) + T##_to_f32(b)); }                      \
    static inline u16 sub_##T(u16 a, u16 b) { return f32_to_##T(T##_to_f32(a) - T##_to_f32(b)); }                      \
    static inline u16 mul_##T(u16 a, u16 b) { return f32_to_##T(odd_f32((f64)T##_to_f32(a) * T##_to_f32(b))); }        \
    static inline u16 fma_##T(u16 a, u16 b, u16 c)                                                                     \
    {                                                                                                                  \
        return f32_to_##T(odd_f32(odd_sum((f64)T##_to_f32(a) * T##_to_f32(b), T##_to_f32(c))));                        \
    }                                                                                                                  \
    static inline u16 abs_##T(u16 a) { return is_nan_##T(a) ? HALF_NAN : a & 0x7FFF; }                                 \
    static inline u16 neg_##T(u16 a) { return is_nan_##T(a) ? HALF_NAN : a ^ 0x8000; }                                 \
    static inline u16 min_##T(u16 a, u16 b) { return f32_to_##T(min32(T##_to_f32(a), T##_to_f32(b))); }                \
    static inline u16 max_##T(u16 a, u16 b) { return f32_to_##T(max32(T##_to_f32(a), T##_to_f32(b))); }                \
    static inline u16 min_nan_##T(u16 a, u16 b) { return f32_to_##T(min_nan32(T##_to_f32(a), T##_to_f32(b))); }        \
    static inline u16 max_nan_##T(u16 a, u16 b) { return f32_to_##T(max_nan32(T##_to_f32(a), T##_to_f32(b))); }        \
    static inline u16 ex2_##T(u16 a) { return f32_to_##T((f32)exp2(T##_to_f32(a))); }                                  \
    static inline u16 tanh_##T(u16 a) { return f32_to_##T((f32)tanh(T##_to_f32(a))); }                                 \
    static inline u16 relu_##T(u16 a) { return is_nan_##T(a) ? HALF_NAN : a & 0x8000 ? 0 : a; }                        \
    static inline u16 saturate_##T(u16 a)                                                                              \
    {                                                                                                                  \
        f32 x = T##_to_f32(a);                                                                                         \
        return x > 0 ? (x < 1 ? a : f32_to_##T(1)) : 0;                                                                \
    }
HALF_RULES(f16, 0x7C00)
HALF_RULES(bf16, 0x7F80)
#undef HALF_RULES

/* .ftz; of bfloat16 only ex2 has this form, and its results need no flush. */
static inline u16 flush_f16(u16 a) { return (a & 0x7C00) == 0 ? a & 0x8000 : a; }
static inline u16 flush_bf16(u16 a) { return (a & 0x7F80) == 0 ? a & 0x8000 : a; }

#define LOW_HALF(a) ((u16)(a))
#define HIGH_HALF(a) ((u16)((a) >> 16))
#define PACK_HALVES(low, high) ((u32)(low) | (u32)(high) << 16)
#define HALVES1(FUNCTION, a) PACK_HALVES(FUNCTION(LOW_HALF(a)), FUNCTION(HIGH_HALF(a)))
#define HALVES2(FUNCTION, a, b)                                                                                        \
    PACK_HALVES(FUNCTION(LOW_HALF(a), LOW_HALF(b)), FUNCTION(HIGH_HALF(a), HIGH_HALF(b)))
#define HALVES3(FUNCTION, a, b, c)                                                                                     \
    PACK_HALVES(FUNCTION(LOW_HALF(a), LOW_HALF(b), LOW_HALF(c)), FUNCTION(HIGH_HALF(a), HIGH_HALF(b), HIGH_HALF(c)))

static inline u32 flush_f16x2(u32 a) { return HALVES1(flush_f16, a); }
static inline u32 flush_bf16x2(u32 a) { return HALVES1(flush_bf16, a); }

#endif
