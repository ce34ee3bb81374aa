/* frame.h - what a translated kernel and the engine share. Its text, after that of lane_math.h, begins every translated
 * file; the engine includes it as a header.
 *
 * A translated kernel runs the lanes of one group: a box of the block's threads, [from, to) along each axis.  */
#ifndef SIMGPU_JIT_TRANSLATE_FRAME_H
#define SIMGPU_JIT_TRANSLATE_FRAME_H

/* Along the axes x, y, z the threads of a block stand one apart. Along an irregular one they stand anywhere: at the
 * places that a register holds which is no sum of the others, such as an index that was divided. */
enum { AXES = 3, PARTS = 1 + AXES + 1 };
typedef struct Axis {
    s32 *place;      /* [lane] beyond the first lane's */
    s64 least, most; /* of them */
    u64 version;     /* a new one for each new set of places; 0: there is none */
} Axis;

/* What is proven about the accesses of one memory instruction by the lanes of a box, as long as their addresses differ
 * from each other in the same way: by steps[i] for each step along axis i. */
typedef struct ProvenAccess {
    s64 steps[AXES + 1];
    u64 version;         /* of the irregular axis; 0: there is none */
    u64 origin, room;    /* all lanes are within the allocation where first - origin <= room; first: lowest lane's */
    u64 lowest, highest; /* of the addresses of the first lane so far; lowest > highest: none */
    u64 cost;            /* of shared memory, and of loads from global: wavefronts; of constant memory: different words;
                           * all warps together */
    u32 sectors[32];     /* of global memory, by the first address modulo 32; 0: not known */
} ProvenAccess;

/* What was done, in units that do not depend on how many lanes do it. */
typedef struct Sums {
    u64 load_requests, load_bytes, load_sectors, load_wavefronts; /* requests and bytes: of one warp, of one lane */
    u64 store_requests, store_bytes, store_sectors;
    u64 shared_loads, shared_load_wavefronts, shared_stores, shared_store_wavefronts;
    u64 constant_loads, constant_words;
    u64 barriers;
} Sums;

typedef struct Frame Frame;
struct Frame {
    unsigned char *registers;
    const char *parameters;
    char *shared;
    ProvenAccess *proven;  /* [memory instruction] */
    u64 *executed;         /* [basic block] times */
    u64 (*scalars)[PARTS]; /* [slot] on the way in and out: value of thread 0, steps along the axes */
    Axis *axes;            /* irregular ones */
    Sums sums;
    s64 turns; /* backward branches left */
    u32 from[3], to[3];
    u32 lanes;
    s32 limit;        /* a basic block from here on is another group's turn */
    s32 whole;        /* no other lane of the block is alive */
    s32 is_complete;  /* no living lane of their warps is elsewhere */
    s32 is_sanitized; /* what follows is called as well, see simgpu/sanitizer/sanitizer.h: */
    void (*sanitize_load)(Frame *frame, s32 instruction, u64 first); /* an access that is allowed, before it is done; */
    void (*sanitize_store)(Frame *frame, s32 point, u64 first);      /* of a store with what it puts there */
    void (*sanitize_join)(Frame *frame);
    void (*sanitize_barrier)(Frame *frame);
    /* Fills in `known`; 0: cannot. `axis` is the irregular one; -1: none. */
    s32 (*learn)(Frame *frame, s32 instruction, u64 first, s64 x, s64 y, s64 z, s64 w, s32 axis);
    /* Makes an irregular axis of what the lanes hold, 4 or 8 bytes each; gives the first lane's. */
    u64 (*measure)(Frame *frame, s32 axis, const void *lanes, s32 bytes);
    s32 (*execute)(Frame *frame, s32 point); /* one instruction by the interpreter; 0: a fault */
    void *worker;
};

#define AS_u8(x) ((u8)(x))
#define AS_u16(x) ((u16)(x))
#define AS_u32(x) ((u32)(x))
#define AS_u64(x) ((u64)(x))
#define AS_s8(x) ((s8)(x))
#define AS_s16(x) ((s16)(x))
#define AS_s32(x) ((s32)(x))
#define AS_s64(x) ((s64)(x))
#define AS_f32(x) f32_from(x)
#define AS_f64(x) f64_from(x)
#define BITS_u8(x) (x)
#define BITS_u16(x) (x)
#define BITS_u32(x) (x)
#define BITS_u64(x) (x)
#define BITS_s16(x) ((u16)(x))
#define BITS_s32(x) ((u32)(x))
#define BITS_s64(x) ((u64)(x))
#define BITS_f32(x) f32_bits(x)
#define BITS_f64(x) f64_bits(x)
#define PEEK(T, from)                                                                                                  \
    ({                                                                                                                 \
        T value_;                                                                                                      \
        memcpy(&value_, (from), sizeof value_);                                                                        \
        value_;                                                                                                        \
    })
#define POKE(T, to, x)                                                                                                 \
    do {                                                                                                               \
        T value_ = (T)(x);                                                                                             \
        memcpy((to), &value_, sizeof value_);                                                                          \
    } while (0)
#define LIKELY(x) __builtin_expect((x) != 0, 1)

/* Least and greatest of step * i over the threads of one axis. */
static inline s64 least_along(s64 step, u32 from, u32 to)
{
    s64 a = step * (s64)from, b = step * (s64)(to - 1);
    return a < b ? a : b;
}
static inline s64 most_along(s64 step, u32 from, u32 to)
{
    s64 a = step * (s64)from, b = step * (s64)(to - 1);
    return a > b ? a : b;
}

/* The number that a 32-bit value stands for in thread 0, where that of the first thread of the box, `shift` beyond it,
 * is within the range of its type. */
static inline s64 as_s32(u64 value, s64 shift)
{
    return (s64)(s32)(u32)(value + (u64)shift) - shift;
}
static inline s64 as_u32(u64 value, s64 shift)
{
    return (s64)(u32)(value + (u64)shift) - shift;
}
static inline s64 least_on(s64 step, const Axis *axis)
{
    return step * (step < 0 ? axis->most : axis->least);
}
static inline s64 most_on(s64 step, const Axis *axis)
{
    return step * (step < 0 ? axis->least : axis->most);
}

/* Comparisons of a difference with 0: of its least value, and whether all between least and greatest come out alike. */
#define COMPARE_DIFFERENCE(NAME, OPERATOR)                                                                             \
    static inline s32 is_##NAME(s64 least)                                                                             \
    {                                                                                                                  \
        return least OPERATOR 0;                                                                                       \
    }                                                                                                                  \
    static inline s32 all_##NAME(s64 least, s64 most)                                                                  \
    {                                                                                                                  \
        return (least OPERATOR 0) == (most OPERATOR 0);                                                                \
    }
COMPARE_DIFFERENCE(lt, <)
COMPARE_DIFFERENCE(le, <=)
COMPARE_DIFFERENCE(gt, >)
COMPARE_DIFFERENCE(ge, >=)
static inline s32 is_eq(s64 least)
{
    return least == 0;
}
static inline s32 is_ne(s64 least)
{
    return least != 0;
}
static inline s32 all_eq(s64 least, s64 most)
{
    return least == most || least > 0 || most < 0;
}
static inline s32 all_ne(s64 least, s64 most)
{
    return all_eq(least, most);
}

/* So far from the ends of 64 bits that steps can be added without a thought. */
static inline s32 is_moderate(u64 value)
{
    return value + (1ull << 60) < 1ull << 61;
}

/* May the lanes do what ProvenAccess says? */
static inline s32 is_proven(const ProvenAccess *proven, u64 first, u64 bytes, s64 x, s64 y, s64 z)
{
    return LIKELY((proven->steps[0] == x) & (proven->steps[1] == y) & (proven->steps[2] == z) &
                  (first - proven->origin <= proven->room) & ((first & (bytes - 1)) == 0) &
                  (proven->sectors[first % 32] != 0));
}
static inline s32 is_proven_on(const ProvenAccess *proven, u64 first, u64 bytes, s64 x, s64 y, s64 z, s64 w,
                               const Axis *axis)
{
    return (proven->steps[AXES] == w) & (proven->version == axis->version) && is_proven(proven, first, bytes, x, y, z);
}
/* In how many lanes a predicate holds, or does not where it is negated. */
static inline u32 holding(const u8 *predicate, s32 negated, u32 row, u32 rows, s32 x0, s32 x1, s32 y0, s32 y1, s32 z0,
                          s32 z1)
{
    u32 count = 0;
    for (s32 z = z0; z < z1; z++)
        for (s32 y = y0; y < y1; y++)
            for (s32 x = x0; x < x1; x++)
                count += predicate[((u32)z * rows + (u32)y) * row + (u32)x];
    u32 lanes = (u32)((x1 - x0) * (y1 - y0) * (z1 - z0));
    return negated ? lanes - count : count;
}
static inline void touch(ProvenAccess *proven, u64 first)
{
    proven->lowest = first < proven->lowest ? first : proven->lowest;
    proven->highest = first > proven->highest ? first : proven->highest;
}

#endif
