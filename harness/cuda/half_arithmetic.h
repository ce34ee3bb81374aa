/* half_arithmetic.h - what cuda_fp16.h and cuda_bf16.h have alike: the arithmetic of one number and of two in 32 bits. Each
 * of them includes this after its types and conversions, with these macros, which end here:
 *
 *     HALF, DEVICE          what comes before a function of both sides, and of kernels alone
 *     NUMBER, PAIR          the types
 *     VALUE(x)              the number in clang's type that computes with it
 *     NUMBER_OF(value)      such a value, rounded to the nearest
 *     BITS(x), NUMBER_OF_BITS(bits)
 *     PTX_TYPE              the type of its instructions
 *
 * Source   CUDA Math API 13.0, "Half Precision Intrinsics" and "Bfloat16 Precision Intrinsics".  */

/* ---- arithmetic -------------------------------------------------------------------------------------------------- */

#define BINARY(name, name2, expression)                                                                                \
    HALF NUMBER name(NUMBER x, NUMBER y)                                                                               \
    {                                                                                                                  \
        auto a = VALUE(x), b = VALUE(y);                                                                               \
        return NUMBER_OF(expression);                                                                                  \
    }                                                                                                                  \
    HALF PAIR name2(PAIR v, PAIR w) { return PAIR(name(v.x, w.x), name(v.y, w.y)); }
#define UNARY(SIDES, name, name2, expression)                                                                          \
    SIDES NUMBER name(NUMBER x)                                                                                        \
    {                                                                                                                  \
        auto a = VALUE(x);                                                                                             \
        return NUMBER_OF(expression);                                                                                  \
    }                                                                                                                  \
    SIDES PAIR name2(PAIR v) { return PAIR(name(v.x), name(v.y)); }
BINARY(__hadd, __hadd2, a + b)
BINARY(__hadd_rn, __hadd2_rn, a + b)
BINARY(__hsub, __hsub2, a - b)
BINARY(__hsub_rn, __hsub2_rn, a - b)
BINARY(__hmul, __hmul2, a *b)
BINARY(__hmul_rn, __hmul2_rn, a *b)
BINARY(__hdiv, __h2div, (float)a / (float)b)
BINARY(__hmin, __hmin2, b != b || a < b ? a : b) /* of a number and a NaN, the number */
BINARY(__hmax, __hmax2, b != b || a > b ? a : b)
UNARY(HALF, __hneg, __hneg2, -a)
HALF NUMBER __habs(NUMBER x) { return NUMBER_OF_BITS((unsigned short)(BITS(x) & 0x7fff)); }
HALF PAIR __habs2(PAIR v) { return PAIR(__habs(v.x), __habs(v.y)); }

DEVICE NUMBER __hfma(NUMBER x, NUMBER y, NUMBER z)
{
    unsigned short bits;
    asm("fma.rn." PTX_TYPE " %0, %1, %2, %3;" : "=h"(bits) : "h"(BITS(x)), "h"(BITS(y)), "h"(BITS(z)));
    return NUMBER_OF_BITS(bits);
}

DEVICE PAIR __hfma2(PAIR x, PAIR y, PAIR z) { return PAIR(__hfma(x.x, y.x, z.x), __hfma(x.y, y.y, z.y)); }

/* Exact, or correctly rounded: a float has more than twice the digits. */
UNARY(DEVICE, hsqrt, h2sqrt, sqrtf((float)a))
UNARY(DEVICE, hfloor, h2floor, floorf((float)a))
UNARY(DEVICE, hceil, h2ceil, ceilf((float)a))
UNARY(DEVICE, htrunc, h2trunc, truncf((float)a))
UNARY(DEVICE, hrint, h2rint, rintf((float)a))
UNARY(DEVICE, hrcp, h2rcp, 1.0f / (float)a)
#undef BINARY
#undef UNARY

/* ---- comparisons: of two numbers; of two pairs, in each place (1 or 0), or in both ----------------------------------- */

#define COMPARISON(name, expression)                                                                                   \
    HALF bool __h##name(NUMBER x, NUMBER y)                                                                            \
    {                                                                                                                  \
        auto a = VALUE(x), b = VALUE(y);                                                                               \
        return expression;                                                                                             \
    }                                                                                                                  \
    HALF PAIR __h##name##2(PAIR v, PAIR w)                                                                             \
    {                                                                                                                  \
        return PAIR(NUMBER((float)__h##name(v.x, w.x)), NUMBER((float)__h##name(v.y, w.y)));                           \
    }                                                                                                                  \
    HALF bool __hb##name##2(PAIR v, PAIR w) { return __h##name(v.x, w.x) && __h##name(v.y, w.y); }
COMPARISON(eq, a == b)
COMPARISON(ne, a < b || a > b) /* false with a NaN */
COMPARISON(lt, a < b)
COMPARISON(le, a <= b)
COMPARISON(gt, a > b)
COMPARISON(ge, a >= b)
#undef COMPARISON
HALF bool __hisnan(NUMBER x) { return VALUE(x) != VALUE(x); }
HALF int __hisinf(NUMBER x)
{
    const float value = (float)VALUE(x);
    return value == __builtin_inff() ? 1 : value == -__builtin_inff() ? -1 : 0;
}

/* ---- operators --------------------------------------------------------------------------------------------------- */

#define OPERATOR(operation, name, name2)                                                                               \
    HALF NUMBER operator operation(const NUMBER &x, const NUMBER &y) { return name(x, y); }                            \
    HALF NUMBER &operator operation##=(NUMBER &x, const NUMBER &y) { return x = name(x, y); }                          \
    HALF PAIR operator operation(const PAIR &v, const PAIR &w) { return name2(v, w); }                                 \
    HALF PAIR &operator operation##=(PAIR &v, const PAIR &w) { return v = name2(v, w); }
OPERATOR(+, __hadd, __hadd2)
OPERATOR(-, __hsub, __hsub2)
OPERATOR(*, __hmul, __hmul2)
OPERATOR(/, __hdiv, __h2div)
#undef OPERATOR
#define OPERATOR(operation, expression)                                                                                \
    HALF bool operator operation(const NUMBER &x, const NUMBER &y) { return VALUE(x) operation VALUE(y); }             \
    HALF bool operator operation(const PAIR &v, const PAIR &w) { return expression; }
OPERATOR(==, v.x == w.x &&v.y == w.y)
OPERATOR(!=, v.x != w.x &&v.y != w.y)
OPERATOR(<, v.x < w.x &&v.y < w.y)
OPERATOR(<=, v.x <= w.x &&v.y <= w.y)
OPERATOR(>, v.x > w.x &&v.y > w.y)
OPERATOR(>=, v.x >= w.x &&v.y >= w.y)
#undef OPERATOR
HALF NUMBER operator-(const NUMBER &x) { return __hneg(x); }
HALF PAIR operator-(const PAIR &v) { return __hneg2(v); }

/* ---- warps ------------------------------------------------------------------------------------------------------- */

#define SHUFFLE(name)                                                                                                  \
    DEVICE NUMBER name(unsigned mask, NUMBER value, int lane, int width = 32)                                          \
    {                                                                                                                  \
        return NUMBER_OF_BITS((unsigned short)name(mask, (unsigned)BITS(value), lane, width));                         \
    }
SHUFFLE(__shfl_sync)
SHUFFLE(__shfl_up_sync)
SHUFFLE(__shfl_down_sync)
SHUFFLE(__shfl_xor_sync)
#undef SHUFFLE

#undef HALF
#undef DEVICE
#undef NUMBER
#undef PAIR
#undef VALUE
#undef NUMBER_OF
#undef BITS
#undef NUMBER_OF_BITS
#undef PTX_TYPE
