/* lane_math.h - the functions that the expressions of opcodes.def call: arithmetic of one lane, by the rules of PTX.
 *
 * Functions have no branches where possible, so that gcc turns the loops around them into vector instructions.
 *
 * Source   PTX ISA 9.0, Instruction Set.  */
/* clang-format off */
#ifndef SIMGPU_CODE_LANE_MATH_H
#define SIMGPU_CODE_LANE_MATH_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
typedef int64_t s64;
typedef float f32;
typedef double f64;

static inline u32 f32_bits(f32 x) { u32 bits; memcpy(&bits, &x, sizeof bits); return bits; }
static inline f32 f32_from(u32 bits) { f32 x; memcpy(&x, &bits, sizeof x); return x; }
static inline u64 f64_bits(f64 x) { u64 bits; memcpy(&bits, &x, sizeof bits); return bits; }
static inline f64 f64_from(u64 bits) { f64 x; memcpy(&x, &bits, sizeof x); return x; }

/* .ftz: a subnormal becomes a zero of its sign. */
static inline f32 flush(f32 x)
{
    u32 bits = f32_bits(x);
    return f32_from((bits & 0x7F800000) == 0 ? bits & 0x80000000 : bits);
}
static inline f64 flush64(f64 x)
{
    u64 bits = f64_bits(x);
    return f64_from((bits & 0x7FF0000000000000) == 0 ? bits & 0x8000000000000000 : bits);
}
/* rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64 give the upper 32 bits of a result, and zeros below. */
static inline f64 upper_half(f64 x) { return flush64(f64_from(f64_bits(x) & 0xFFFFFFFF00000000)); }

/* Vectors divide float64, but no integers. The quotients are exact: of such numbers one that is not whole differs from each whole
 * number by more than float64 rounds. Division by zero is the caller's. */
static inline u32 quotient_u32(u32 a, u32 b) { return (u32)(s64)((f64)a / (f64)(b == 0 ? 1 : b)); }
static inline s32 quotient_s32(s32 a, s32 b) { return (s32)(s64)((f64)a / (f64)(b == 0 ? 1 : b)); }

static inline f32 add_of(f32 a, f32 b) { return a + b; }
static inline f32 sub_of(f32 a, f32 b) { return a - b; }
static inline f32 mul_of(f32 a, f32 b) { return a * b; }
static inline f32 div_of(f32 a, f32 b) { return a / b; }
/* a * (1 / b), where 1 / b is flushed to zero. */
static inline f32 div_approx_of(f32 a, f32 b) { return __builtin_fabsf(b) > 0x1p126f ? a * (1 / b * 0) : a / b; }
static inline f32 magnitude32(f32 a) { return f32_from(f32_bits(a) & 0x7FFFFFFF); }
static inline f32 negated32(f32 a) { return f32_from(f32_bits(a) ^ 0x80000000); }

/* If one operand is a NaN the other is taken, and -0 is less than +0: equal operands differ at most in the sign bit. */
static inline f32 min32(f32 a, f32 b)
{
    f32 number = a < b ? a : b < a ? b : f32_from(f32_bits(a) | f32_bits(b));
    return a != a ? (b != b ? f32_from(0x7FFFFFFF) : b) : b != b ? a : number;
}
static inline f32 max32(f32 a, f32 b)
{
    f32 number = a > b ? a : b > a ? b : f32_from(f32_bits(a) & f32_bits(b));
    return a != a ? (b != b ? f32_from(0x7FFFFFFF) : b) : b != b ? a : number;
}
static inline f32 min_nan32(f32 a, f32 b) { return (a != a) | (b != b) ? f32_from(0x7FFFFFFF) : min32(a, b); }
static inline f32 max_nan32(f32 a, f32 b) { return (a != a) | (b != b) ? f32_from(0x7FFFFFFF) : max32(a, b); }
static inline f64 min64(f64 a, f64 b)
{
    f64 number = a < b ? a : b < a ? b : f64_from(f64_bits(a) | f64_bits(b));
    return a != a ? (b != b ? f64_from(0x7FFFFFFFFFFFFFFF) : b) : b != b ? a : number;
}
static inline f64 max64(f64 a, f64 b)
{
    f64 number = a > b ? a : b > a ? b : f64_from(f64_bits(a) & f64_bits(b));
    return a != a ? (b != b ? f64_from(0x7FFFFFFFFFFFFFFF) : b) : b != b ? a : number;
}

/* The approximations of the hardware differ between models. Here they are computed in double and rounded once, which
 * nearly always gives the correctly rounded value. */
static inline f32 reciprocal32(f32 a) { return 1 / a; }
static inline f32 reciprocal_root32(f32 a) { return (f32)(1 / __builtin_sqrt(a)); }
static inline f32 sine32(f32 a) { return (f32)sin(a); }
static inline f32 cosine32(f32 a) { return (f32)cos(a); }
static inline f32 power_of_two32(f32 a) { return (f32)exp2(a); }
static inline f32 logarithm32(f32 a) { return (f32)log2(a); }
static inline f32 tanh32(f32 a) { return (f32)tanh(a); }

/* setp: IEEE comparisons, false where an operand is NaN. */
#define IS_EQUAL(x, y) ((x) == (y))
#define IS_APART(x, y) (((x) < (y)) | ((x) > (y)))
#define IS_LESS(x, y) ((x) < (y))
#define IS_AT_MOST(x, y) ((x) <= (y))
#define IS_MORE(x, y) ((x) > (y))
#define IS_AT_LEAST(x, y) ((x) >= (y))
#define IS_ORDERED(x, y) (((x) == (x)) & ((y) == (y)))

/* testp: `x` is a magnitude, `least` the least normal number of its type. */
#define IS_FINITE(x, least) ((x) < INFINITY)
#define IS_INFINITE(x, least) ((x) == INFINITY)
#define IS_NUMBER(x, least) ((x) == (x))
#define IS_NOT_A_NUMBER(x, least) ((x) != (x))
#define IS_NORMAL(x, least) ((((x) >= (least)) & ((x) < INFINITY)) | ((x) == 0)) /* zero too, on an H200 */
#define IS_SUBNORMAL(x, least) (((x) > 0) & ((x) < (least)))

/* cvt from float to integer clamps; NaN gives 0 between 32-bit types, else the sign bit alone. */
#define CONVERT(NAME, T, FLOAT, LOW, ABOVE, LOWEST, HIGHEST, NAN_VALUE)                                                \
    static inline T NAME(FLOAT x)                                                                                      \
    {                                                                                                                  \
        T inside = (T)(x >= (LOW) && x < (ABOVE) ? x : 0);                                                             \
        return x != x ? (T)(NAN_VALUE) : x >= (ABOVE) ? (T)(HIGHEST) : x < (LOW) ? (T)(LOWEST) : inside;              \
    }
CONVERT(to_s32_f32, s32, f32, -0x1p31f, 0x1p31f, INT32_MIN, INT32_MAX, 0)
CONVERT(to_u32_f32, u32, f32, 0, 0x1p32f, 0, UINT32_MAX, 0)
CONVERT(to_s64_f32, s64, f32, -0x1p63f, 0x1p63f, INT64_MIN, INT64_MAX, INT64_MIN)
CONVERT(to_u64_f32, u64, f32, 0, 0x1p64f, 0, UINT64_MAX, 1ull << 63)
CONVERT(to_s32_f64, s32, f64, -0x1p31, 0x1p31, INT32_MIN, INT32_MAX, INT32_MIN)
CONVERT(to_u32_f64, u32, f64, 0, 0x1p32, 0, UINT32_MAX, 1u << 31)
CONVERT(to_s64_f64, s64, f64, -0x1p63, 0x1p63, INT64_MIN, INT64_MAX, INT64_MIN)
CONVERT(to_u64_f64, u64, f64, 0, 0x1p64, 0, UINT64_MAX, 1ull << 63)
#undef CONVERT

#include "simgpu/code/half_math.h"

/* float32 rounded to the 10 binary digits that tf32 has after the point; `half` is added before the others are cut
 * off. */
static inline u32 tf32_of(u32 bits, u32 half)
{
    return (bits & 0x7FFFFFFF) > 0x7F800000 ? 0x7FFFFFFF : (bits + half) & 0xFFFFE000;
}

static inline s32 saturate_s32(s64 x) { return (s32)(x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : x); }
static inline s32 extend24(u32 a) { return (s32)(a << 8) >> 8; }

static inline u32 dot4(u32 a, u32 b, u32 c, bool a_signed, bool b_signed)
{
    for (int i = 0; i < 4; i++) {
        u32 x = a >> (8 * i) & 0xFF, y = b >> (8 * i) & 0xFF;
        c += (u32)(a_signed ? (s32)(s8)x : (s32)x) * (u32)(b_signed ? (s32)(s8)y : (s32)y);
    }
    return c;
}

/* Multiplies two 16-bit halves of a by two bytes of b. */
static inline u32 dot2(u32 a, u32 b, u32 c, bool a_signed, bool b_signed)
{
    for (int i = 0; i < 2; i++) {
        u32 x = a >> (16 * i) & 0xFFFF, y = b >> (8 * i) & 0xFF;
        c += (u32)(a_signed ? (s32)(s16)x : (s32)x) * (u32)(b_signed ? (s32)(s8)y : (s32)y);
    }
    return c;
}

static inline u16 min_u16(u16 a, u16 b) { return a < b ? a : b; }
static inline u16 max_u16(u16 a, u16 b) { return a > b ? a : b; }
static inline u16 min_s16(u16 a, u16 b) { return (s16)a < (s16)b ? a : b; }
static inline u16 max_s16(u16 a, u16 b) { return (s16)a > (s16)b ? a : b; }
static inline s32 clamped(s32 a, s32 low, s32 high) { return a < low ? low : a > high ? high : a; }

/* |a - b| of each byte. */
static inline u32 byte_distances(u32 a, u32 b, bool is_signed)
{
    u32 result = 0;
    for (int i = 0; i < 32; i += 8) {
        s32 x = is_signed ? (s8)(a >> i) : (u8)(a >> i), y = is_signed ? (s8)(b >> i) : (u8)(b >> i);
        result |= (u32)(x < y ? y - x : x - y) << i;
    }
    return result;
}
static inline u32 byte_sum(u32 a) { return (a & 0xFF) + (a >> 8 & 0xFF) + (a >> 16 & 0xFF) + (a >> 24); }

static inline u32 count_ones(u64 a) { return (u32)__builtin_popcountll(a); }
static inline u32 leading_zeros32(u32 a) { return a == 0 ? 32 : (u32)__builtin_clz(a); }
static inline u32 leading_zeros64(u64 a) { return a == 0 ? 64 : (u32)__builtin_clzll(a); }
static inline u32 reverse_bits32(u32 a)
{
    a = (a >> 1 & 0x55555555) | (a & 0x55555555) << 1;
    a = (a >> 2 & 0x33333333) | (a & 0x33333333) << 2;
    a = (a >> 4 & 0x0F0F0F0F) | (a & 0x0F0F0F0F) << 4;
    return __builtin_bswap32(a);
}
static inline u64 reverse_bits64(u64 a)
{
    return (u64)reverse_bits32((u32)a) << 32 | reverse_bits32((u32)(a >> 32));
}

/* `count` ones from bit 0; all of them from 64 on. */
static inline u64 ones(u32 count) { return count > 63 ? ~0ull : (1ull << count) - 1; }
static inline u64 shift_right(u64 a, u32 n) { return n > 63 ? 0 : a >> n; }
static inline u64 shift_left(u64 a, u32 n) { return n > 63 ? 0 : a << n; }
static inline u32 bit_mask(u32 position, u32 count) { return (u32)shift_left(ones(count > 32 ? 32 : count), position); }

/* szext: keeps the low `width` bits, and copies the highest of them into all bits above. */
static inline u32 sign_from(u32 a, u32 width)
{
    return width == 0 ? 0 : width > 31 ? a : (u32)((s32)(a << (32 - width)) >> (32 - width));
}
/* fns: the place of the n-th one of `mask` at or above bit `base`, downwards from it where n is negative. A base beyond
 * the mask is undefined; an H200 finds nothing there. */
static inline u32 nth_set_bit(u32 mask, u32 base, s32 n)
{
    s32 step = n < 0 ? -1 : 1, left = n < 0 ? -n : n;
    if (base > 31)
        return ~0u;
    if (n == 0)
        return mask >> base & 1 ? base : ~0u;
    for (s32 bit = (s32)base; bit >= 0 && bit < 32; bit += step)
        if ((mask >> bit & 1) != 0 && --left == 0)
            return (u32)bit;
    return ~0u;
}

/* Positions of the 32-bit forms count modulo 256, as the ISA says of all; on an H200 those of the 64-bit forms do
 * not. */
static inline u64 extract_bits(u64 a, u32 position, u32 count)
{
    return shift_right(a, position) & ones(count & 0xFF);
}
/* The bits above the field become copies of its highest bit, or of the number's where the field reaches beyond it. */
static inline s64 extract_signed(s64 a, u32 position, u32 count, u32 width)
{
    count &= 0xFF;
    position = position > width ? width : position;
    u32 last = position + count > width ? width - 1 : position + count - 1;
    u64 field = (u64)(a >> (position > 63 ? 63 : position)) & ones(count);
    u64 sign = count == 0 ? 0 : (u64)a >> (last > 63 ? 63 : last) & 1;
    u64 above = sign != 0 ? ~ones(last + 1 > position ? last + 1 - position : 0) : 0;
    return count == 0 ? 0 : (s64)(field | above);
}
static inline u64 insert_bits(u64 field, u64 base, u32 position, u32 count)
{
    u64 mask = shift_left(ones(count & 0xFF), position & 0xFF);
    return (base & ~mask) | (shift_left(field, position & 0xFF) & mask);
}

/* lop3: bit i of `table` is the result where the bits of a, b and c form the number i, a being the highest. */
static inline u32 lookup3(u32 a, u32 b, u32 c, u32 table)
{
    u32 result = 0;
    for (u32 i = 0; i < 8; i++)
        result |= (table >> i & 1 ? ~0u : 0) & (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
    return result;
}

/* prmt: each nibble of `selector` names a byte of b:a; with bit 3 set, it stands for eight copies of that byte's
 * sign. */
static inline u32 permute_bytes(u32 a, u32 b, u32 selector)
{
    u64 both = (u64)b << 32 | a;
    u32 result = 0;
    for (u32 i = 0; i < 4; i++) {
        u32 nibble = selector >> (4 * i) & 0xF;
        u32 byte = (u32)(both >> (8 * (nibble & 7))) & 0xFF;
        result |= (nibble & 8 ? (byte & 0x80 ? 0xFFu : 0) : byte) << (8 * i);
    }
    return result;
}
/* Selectors of the named modes of prmt, indexed by the two bits that choose one; the lowest nibble is byte 0. */
static inline u32 backward_bytes(u32 n) { return n == 0 ? 0x5670 : n == 1 ? 0x6701 : n == 2 ? 0x7012 : 0x0123; }
static inline u32 clamp_left(u32 n) { return n == 0 ? 0x3210 : n == 1 ? 0x3211 : n == 2 ? 0x3222 : 0x3333; }
static inline u32 clamp_right(u32 n) { return n == 0 ? 0x0000 : n == 1 ? 0x1110 : n == 2 ? 0x2210 : 0x3210; }

#endif
