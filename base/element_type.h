/* element_type.h - the types that elements of arrays may have: one table for the signatures of problems, files of data,
 * generators, the oracle, on the host and on a GPU, and the checker.
 *
 * Columns  the name of the enum and the one in functions; the type in the judge's memory and in oracle.h; its names in C, in
 *          CUDA's vectors (uchar4) and in .npy files (NULL: it has none); what makes a double of it and it of a double; the
 *          lowest and highest value; the unit of its rounding, the distance from 1 to the next number (0: whole numbers,
 *          which are compared exactly)
 * Source   IEEE 754-2019, section 3.6 (binary16, 32, 64); CUDA Math API, "Bfloat16 Precision Intrinsics"; NEP 1 for .npy  */
#ifndef BASE_ELEMENT_TYPE_H
#define BASE_ELEMENT_TYPE_H

#include <float.h>
#include <stdint.h>
#include <string.h>

#ifdef __CUDACC__
#define ELEMENT static inline __host__ __device__
#else
#define ELEMENT static inline __attribute__((unused))
#endif

/* ---- floating-point numbers of 16 bits --------------------------------------------------------------------------- */

typedef struct Half { /* binary16, as CUDA's __half: 5 bits of exponent, 10 of fraction */
    uint16_t bits;
} Half;

typedef struct Bfloat16 { /* the upper half of a float, as CUDA's __nv_bfloat16 */
    uint16_t bits;
} Bfloat16;

ELEMENT double bfloat16_number(Bfloat16 number)
{
    const uint32_t bits = (uint32_t)number.bits << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* A half's exponent is biased by 15, a float's by 127. The product is exact, and makes normal floats of subnormal halves. */
ELEMENT double half_number(Half number)
{
    const uint32_t is_special = (number.bits & 0x7C00u) == 0x7C00u; /* infinite or NaN */
    const uint32_t bits = (number.bits & 0x8000u) << 16 | (number.bits & 0x7FFFu) << 13 |
                          (is_special ? 0x7F800000u : 0);
    float value;
    memcpy(&value, &bits, sizeof value);
    return is_special ? value : value * 0x1p112f;
}

/* Rounds to the nearest number with `fraction` bits of fraction and exponents from `least` on, to the even one of two. The
 * value may be so large that the type does not hold it. */
ELEMENT double element_rounded(double value, int fraction, int least)
{
    const int64_t all = (int64_t)0x7FF << 52;
    int64_t bits, of_unit;
    double unit;
    memcpy(&bits, &value, sizeof bits);
    if ((bits & all) >= (int64_t)(1023 + 200) << 52) /* beyond both types, infinite or NaN */
        return value;
    of_unit = (bits & all) >> 52;
    of_unit = (of_unit < least + 1023 ? least + 1023 : of_unit) - fraction + 52; /* adding 2^52 units rounds to one */
    bits = of_unit << 52;
    memcpy(&unit, &bits, sizeof unit);
    return value < 0 ? -(unit - value - unit) : value + unit - unit;
}

ELEMENT Bfloat16 bfloat16_of(double value)
{
    const float rounded = (float)element_rounded(value, 7, -126);
    uint32_t bits;
    memcpy(&bits, &rounded, sizeof bits);
    return (Bfloat16){(uint16_t)(bits >> 16)};
}

ELEMENT Half half_of(double value)
{
    const float rounded = (float)element_rounded(value, 10, -14), scaled = rounded * 0x1p-112f;
    uint32_t bits, magnitude;
    memcpy(&bits, &scaled, sizeof bits);
    magnitude = (bits & 0x7FFFFFFFu) >> 13;
    if (!(rounded > -65520 && rounded < 65520)) /* 65520 rounds to 2^16, which is infinite */
        magnitude = rounded == rounded ? 0x7C00 : 0x7E00;
    return (Half){(uint16_t)((bits >> 16 & 0x8000u) | magnitude)};
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

/* clang-format off */
#define ELEMENT_float32(ROW)  ROW(FLOAT32,  float32,  float,    "float",              "float",  "'<f4'", (double), (float),    -FLT_MAX,  FLT_MAX,    FLT_EPSILON)
#define ELEMENT_int32(ROW)    ROW(INT32,    int32,    int32_t,  "int",                "int",    "'<i4'", (double), (int32_t),  INT32_MIN, INT32_MAX,  0)
#define ELEMENT_uint8(ROW)    ROW(UINT8,    uint8,    uint8_t,  "unsigned char",      "uchar",  "'|u1'", (double), (uint8_t),  0,         UINT8_MAX,  0)
#define ELEMENT_float64(ROW)  ROW(FLOAT64,  float64,  double,   "double",             "double", "'<f8'", (double), (double),   -DBL_MAX,  DBL_MAX,    DBL_EPSILON)
#define ELEMENT_int8(ROW)     ROW(INT8,     int8,     int8_t,   "signed char",        "char",   "'|i1'", (double), (int8_t),   INT8_MIN,  INT8_MAX,   0)
#define ELEMENT_int16(ROW)    ROW(INT16,    int16,    int16_t,  "short int",          "short",  "'<i2'", (double), (int16_t),  INT16_MIN, INT16_MAX,  0)
#define ELEMENT_uint16(ROW)   ROW(UINT16,   uint16,   uint16_t, "unsigned short int", "ushort", "'<u2'", (double), (uint16_t), 0,         UINT16_MAX, 0)
#define ELEMENT_uint32(ROW)   ROW(UINT32,   uint32,   uint32_t, "unsigned int",       "uint",   "'<u4'", (double), (uint32_t), 0,         UINT32_MAX, 0)
/* Of 64 bits only what a double holds exactly, so that the oracle's and the checker's doubles tell all of them apart. */
#define ELEMENT_int64(ROW)    ROW(INT64,    int64,    int64_t,  "long long int",          "longlong",  "'<i8'", (double), (int64_t),  -0x1.fffffffffffffp52, 0x1.fffffffffffffp52, 0)
#define ELEMENT_uint64(ROW)   ROW(UINT64,   uint64,   uint64_t, "unsigned long long int", "ulonglong", "'<u8'", (double), (uint64_t), 0,                     0x1.fffffffffffffp52, 0)
#define ELEMENT_float16(ROW)  ROW(FLOAT16,  float16,  Half,     "__half",        "__half",        "'<f2'", half_number,     half_of,     -65504,      65504,      0x1p-10)
#define ELEMENT_bfloat16(ROW) ROW(BFLOAT16, bfloat16, Bfloat16, "__nv_bfloat16", "__nv_bfloat16", NULL,    bfloat16_number, bfloat16_of, -0x1.FEp127, 0x1.FEp127, 0x1p-7)

#define ELEMENT_NUMBERS(ROW) /* types of C */ \
    ELEMENT_float32(ROW) ELEMENT_int32(ROW) ELEMENT_uint8(ROW) ELEMENT_float64(ROW) ELEMENT_int8(ROW) \
    ELEMENT_int16(ROW) ELEMENT_uint16(ROW) ELEMENT_uint32(ROW) ELEMENT_int64(ROW) ELEMENT_uint64(ROW)
#define ELEMENT_HALVES(ROW) ELEMENT_float16(ROW) ELEMENT_bfloat16(ROW)
#define ELEMENT_TYPES(ROW) ELEMENT_NUMBERS(ROW) ELEMENT_HALVES(ROW)
/* clang-format on */

#endif
