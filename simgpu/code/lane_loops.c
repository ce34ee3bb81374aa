/* The Makefile compiles this file for each level (base/machine.h) with -DLANES_LEVEL and the matching -march. It must
 * not be compiled with -ffast-math or contraction: PTX defines how each operation rounds, and contraction would turn mul
 * and add into fma.  */
/* clang-format off */
#include "simgpu/code/lanes.h"

#include "simgpu/code/lane_math.h"

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)

/* Lanes do not depend on each other, even where the result is one of the sources. */
#define EACH_LANE(i, count) _Pragma("GCC ivdep") for (size_t i = 0; i < (count); i++)

enum { WARP = 32 }; /* lanes */

/* ---- opcodes ----------------------------------------------------------------------------------------------------- */

#define LANE_FUNCTION(ID, D, DECLARE, READ, EXPRESSION)                                                                \
    static void lane_##ID(void *d_, const void *a_, const void *b_, const void *c_, const void *e_, size_t count)      \
    {                                                                                                                  \
        D *d = d_;                                                                                                     \
        DECLARE                                                                                                        \
        EACH_LANE(i, count)                                                                                            \
        {                                                                                                              \
            READ                                                                                                       \
            d[i] = (D)(EXPRESSION);                                                                                    \
        }                                                                                                              \
    }
#define SOURCE(T, x) const T *x##s = x##_;
#define LANE(T, x) const T x = x##s[i];
#define UNARY(ID, FORM, CLASS, D, A, EXPRESSION) LANE_FUNCTION(ID, D, SOURCE(A, a), LANE(A, a), EXPRESSION)
#define BINARY(ID, FORM, CLASS, D, A, B, EXPRESSION)                                                                   \
    LANE_FUNCTION(ID, D, SOURCE(A, a) SOURCE(B, b), LANE(A, a) LANE(B, b), EXPRESSION)
#define TERNARY(ID, FORM, CLASS, D, A, B, C, EXPRESSION)                                                               \
    LANE_FUNCTION(ID, D, SOURCE(A, a) SOURCE(B, b) SOURCE(C, c), LANE(A, a) LANE(B, b) LANE(C, c), EXPRESSION)
#define QUATERNARY(ID, FORM, CLASS, D, A, B, C, E, EXPRESSION)                                                         \
    LANE_FUNCTION(ID, D, SOURCE(A, a) SOURCE(B, b) SOURCE(C, c) SOURCE(E, e),                                          \
                  LANE(A, a) LANE(B, b) LANE(C, c) LANE(E, e), EXPRESSION)
#include "simgpu/code/opcodes.def"

static LaneFunction *const run[OPCODE_COUNT] = {
#define UNARY(ID, FORM, CLASS, D, A, EXPRESSION) lane_##ID,
#define BINARY(ID, FORM, CLASS, D, A, B, EXPRESSION) lane_##ID,
#define TERNARY(ID, FORM, CLASS, D, A, B, C, EXPRESSION) lane_##ID,
#define QUATERNARY(ID, FORM, CLASS, D, A, B, C, E, EXPRESSION) lane_##ID,
#include "simgpu/code/opcodes.def"
};

/* ---- whole registers --------------------------------------------------------------------------------------------- */

#define WHOLE_REGISTER(T)                                                                                              \
    static void blend_##T(void *d_, const void *s_, const uint8_t *mask, size_t warps)                                 \
    {                                                                                                                  \
        T *d = d_;                                                                                                     \
        const T *s = s_;                                                                                               \
        for (; warps > 0; warps--, d += WARP, s += WARP, mask += WARP)                                                 \
            EACH_LANE(i, WARP) d[i] = mask[i] ? s[i] : d[i];                                                           \
    }                                                                                                                  \
    static void fill_##T(void *d_, const void *value, size_t count)                                                    \
    {                                                                                                                  \
        T *d = d_;                                                                                                     \
        T x;                                                                                                           \
        memcpy(&x, value, sizeof x);                                                                                   \
        EACH_LANE(i, count) d[i] = x;                                                                                  \
    }
WHOLE_REGISTER(u8)
WHOLE_REGISTER(u16)
WHOLE_REGISTER(u32)
WHOLE_REGISTER(u64)

/* ---- memory ------------------------------------------------------------------------------------------------------ */

/* Device memory has no type: an element is copied byte by byte, which compiles to one move. */
#define PEEK(T, from) ({ T value_; memcpy(&value_, (from), sizeof value_); value_; })
#define POKE(T, to, x) do { T value_ = (T)(x); memcpy((to), &value_, sizeof value_); } while (0)

#define LOADS(R, M)                                                                                                    \
    static void load_strided_##R##_##M(void *d_, const char *from, ptrdiff_t step, size_t count)                       \
    {                                                                                                                  \
        R *d = d_;                                                                                                     \
        if (step == (ptrdiff_t)sizeof(M))                                                                              \
            EACH_LANE(i, count) d[i] = (R)PEEK(M, from + i * sizeof(M));                                               \
        else                                                                                                           \
            EACH_LANE(i, count) d[i] = (R)PEEK(M, from + (ptrdiff_t)i * step);                                         \
    }                                                                                                                  \
    static void load_gathered_##R##_##M(void *d_, const char *from, const int32_t *relative, size_t count)             \
    {                                                                                                                  \
        R *d = d_;                                                                                                     \
        EACH_LANE(i, count) d[i] = (R)PEEK(M, from + relative[i]);                                                     \
    }
#define STORES(R, M)                                                                                                   \
    static void store_strided_##R##_##M(const void *s_, char *to, ptrdiff_t step, size_t count)                        \
    {                                                                                                                  \
        const R *s = s_;                                                                                               \
        if (step == (ptrdiff_t)sizeof(M))                                                                              \
            EACH_LANE(i, count) POKE(M, to + i * sizeof(M), s[i]);                                                     \
        else                                                                                                           \
            for (size_t i = 0; i < count; i++)                                                                         \
                POKE(M, to + (ptrdiff_t)i * step, s[i]);                                                               \
    }                                                                                                                  \
    static void store_scattered_##R##_##M(const void *s_, char *to, const int32_t *relative, size_t count)             \
    {                                                                                                                  \
        const R *s = s_;                                                                                               \
        for (size_t i = 0; i < count; i++)                                                                             \
            POKE(M, to + relative[i], s[i]);                                                                           \
    }
LOADS(u16, u8) LOADS(u16, s8) LOADS(u16, u16)
LOADS(u32, u8) LOADS(u32, s8) LOADS(u32, u16) LOADS(u32, s16) LOADS(u32, u32)
LOADS(u64, u8) LOADS(u64, s8) LOADS(u64, u16) LOADS(u64, s16) LOADS(u64, u32) LOADS(u64, s32) LOADS(u64, u64)
STORES(u16, u8) STORES(u16, u16)
STORES(u32, u8) STORES(u32, u16) STORES(u32, u32)
STORES(u64, u8) STORES(u64, u16) STORES(u64, u32) STORES(u64, u64)

/* Compares in pieces, so that a pattern that has changed is noticed early. */
enum { PATTERN_PIECE = 64 };

#define SAME_PATTERN(A, S)                                                                                             \
    static bool same_pattern_##A(const void *address_, uint64_t first, const int32_t *relative, size_t count)          \
    {                                                                                                                  \
        const A *address = address_;                                                                                   \
        for (size_t start = 0; start < count; start += PATTERN_PIECE) {                                                \
            size_t end = start + PATTERN_PIECE < count ? start + PATTERN_PIECE : count;                                \
            A difference = 0;                                                                                          \
            for (size_t i = start; i < end; i++)                                                                       \
                difference |= (A)(address[i] - (A)first) ^ (A)(S)relative[i];                                          \
            if (difference != 0)                                                                                       \
                return false;                                                                                          \
        }                                                                                                              \
        return true;                                                                                                   \
    }                                                                                                                  \
    static bool same_masked_##A(const void *address_, uint64_t first, const int32_t *relative, const uint8_t *mask,    \
                                size_t count)                                                                          \
    {                                                                                                                  \
        const A *address = address_;                                                                                   \
        A difference = 0;                                                                                              \
        for (size_t i = 0; i < count; i++)                                                                             \
            difference |= ((A)(address[i] - (A)first) ^ (A)(S)relative[i]) & -(A)mask[i];                              \
        return difference == 0;                                                                                        \
    }
SAME_PATTERN(u32, s32)
SAME_PATTERN(u64, s64)

static bool relate(const uint64_t *address, const uint8_t *mask, size_t count, int32_t *relative, LaneSpan *span)
{
    int32_t low = 0, high = 0;
    uint32_t bits = 0;
    uint64_t far = 0;
    for (size_t i = 0; i < count; i++) {
        int64_t beyond = (int64_t)((address[i] - address[0]) & -(uint64_t)mask[i]);
        int32_t short_one = (int32_t)beyond;
        far |= (uint64_t)(beyond ^ short_one);
        relative[i] = short_one;
        low = short_one < low ? short_one : low;
        high = short_one > high ? short_one : high;
        bits |= (uint32_t)short_one;
    }
    *span = (LaneSpan){low, high, bits};
    return far == 0;
}

static bool all_from(const uint32_t *records, size_t bytes, uint64_t first, const int32_t *relative, uint32_t shift,
                     uint32_t least, size_t count)
{
    const uint32_t step = (uint32_t)(bytes / sizeof *records), start = (uint32_t)first;
    uint32_t less = 0;
    for (size_t i = 0; i < count; i++)
        less |= records[(int32_t)(((start + (uint32_t)relative[i]) >> shift) * step)] < least;
    return less == 0;
}

/* ---- ramps ------------------------------------------------------------------------------------------------------- */

#define RAMP(T, S)                                                                                                     \
    static void ramp_##T(void *d_, uint64_t base, uint64_t step, uint64_t on, const int32_t *place, size_t count)      \
    {                                                                                                                  \
        T *d = d_;                                                                                                     \
        EACH_LANE(i, count) d[i] = (T)((T)base + (T)step * (T)i + (T)on * (T)(S)place[i]);                             \
    }                                                                                                                  \
    static bool is_ramp_##T(const void *a_, uint64_t base, uint64_t step, uint64_t on, const int32_t *place,           \
                            size_t count)                                                                              \
    {                                                                                                                  \
        const T *a = a_;                                                                                               \
        T difference = 0;                                                                                              \
        for (size_t i = 0; i < count; i++)                                                                             \
            difference |= a[i] ^ (T)((T)base + (T)step * (T)i + (T)on * (T)(S)place[i]);                               \
        return difference == 0;                                                                                        \
    }
#define MEASURE(T, S)                                                                                                  \
    static int measure_##T(const void *a_, uint64_t first, int32_t *place, size_t count)                               \
    {                                                                                                                  \
        const T *a = a_;                                                                                               \
        T changed = 0, far = 0;                                                                                        \
        for (size_t i = 0; i < count; i++) {                                                                           \
            S beyond = (S)(a[i] - (T)first);                                                                           \
            changed |= (T)(beyond ^ place[i]);                                                                         \
            far |= (T)(beyond ^ (int32_t)beyond);                                                                      \
            place[i] = (int32_t)beyond;                                                                                \
        }                                                                                                              \
        return far != 0 ? -1 : changed != 0;                                                                           \
    }
RAMP(u8, s8)
RAMP(u16, s16)
RAMP(u32, s32)
RAMP(u64, s64)
MEASURE(u32, s32)
MEASURE(u64, s64)

/* ---- predicates and masks ---------------------------------------------------------------------------------------- */

static void pack_bits(const uint8_t *predicate, size_t warps, uint32_t *words)
{
    for (size_t w = 0; w < warps; w++) {
        uint32_t word = 0;
        for (uint32_t i = 0; i < WARP; i += 8) {
            uint64_t eight;
            memcpy(&eight, predicate + w * WARP + i, sizeof eight);
            word |= (uint32_t)(eight * 0x0102040810204080 >> 56) << i; /* gathers the lowest bit of each byte */
        }
        words[w] = word;
    }
}

static void unpack_bits(const uint32_t *words, size_t warps, uint8_t *bytes)
{
    for (size_t w = 0; w < warps; w++) /* word by word, because gcc vectorises the bits of one word */
        for (uint32_t bit = 0; bit < WARP; bit++)
            bytes[w * WARP + bit] = words[w] >> bit & 1;
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

#define BY_REGISTER(KIND, M8, M16, M32, M64)                                                                           \
    {{NULL, KIND##_u16_##M8, KIND##_u32_##M8, KIND##_u64_##M8},                                                        \
     {NULL, KIND##_u16_u16, KIND##_u32_##M16, KIND##_u64_##M16},                                                       \
     {NULL, NULL, KIND##_u32_u32, KIND##_u64_##M32},                                                                   \
     {NULL, NULL, NULL, KIND##_u64_u64}}

const LaneTable JOIN(lanes_, LANES_LEVEL) = {
    .run = run,
    .blend = {blend_u8, blend_u16, blend_u32, blend_u64},
    .fill = {fill_u8, fill_u16, fill_u32, fill_u64},
    .load_strided = {BY_REGISTER(load_strided, u8, u16, u32, u64), BY_REGISTER(load_strided, s8, s16, s32, u64)},
    .load_gathered = {BY_REGISTER(load_gathered, u8, u16, u32, u64), BY_REGISTER(load_gathered, s8, s16, s32, u64)},
    .store_strided = BY_REGISTER(store_strided, u8, u16, u32, u64),
    .store_scattered = BY_REGISTER(store_scattered, u8, u16, u32, u64),
    .relate = relate,
    .same_pattern = {same_pattern_u32, same_pattern_u64},
    .same_masked = {same_masked_u32, same_masked_u64},
    .all_from = all_from,
    .ramp = {ramp_u8, ramp_u16, ramp_u32, ramp_u64},
    .is_ramp = {is_ramp_u8, is_ramp_u16, is_ramp_u32, is_ramp_u64},
    .measure = {measure_u32, measure_u64},
    .pack_bits = pack_bits,
    .unpack_bits = unpack_bits,
};
