/* frame.h - what a translated kernel shares with the engine. The engine includes it as a header; its text, after that
 * of lane_math.h, also begins the C of every translation.
 *
 * A translated kernel runs the lanes of one group, which are a box of the threads of a block: [from, to) along each
 * axis. It knows a register either lane by lane, or as a scalar: its value in thread 0, and the steps by which it
 * grows along each axis.  */
#ifndef SIMGPU_JIT_FRAME_H
#define SIMGPU_JIT_FRAME_H

/* Along the regular axes x, y and z, neighbouring threads are one apart. An irregular axis is made from a register
 * that is not a sum of steps along these, such as an index that was divided: each lane stands where its value says. */
enum { AXES = 3, PARTS = 1 + AXES + 1 };
typedef struct Axis {
    s32 *place;      /* [lane] distance from the first lane */
    s64 least, most; /* of the places */
    u64 version;     /* changes whenever the places change; 0: there are none */
} Axis;

/* What has been proven about the accesses of one memory instruction by the lanes of a box. It holds as long as their
 * addresses are steps[i] apart along axis i. "First" is the address of the first lane of the box. */
typedef struct ProvenAccess {
    s64 steps[AXES + 1];
    u64 version;         /* of the irregular axis; 0: no axis */
    u64 origin, room;    /* if first - origin <= room, all lanes are within the allocation */
    u64 lowest, highest; /* of the first addresses so far; lowest > highest: none yet */
    s32 is_noted;        /* a store that must be told to `note_store` */
    u64 cost;            /* summed over the warps. Shared memory and loads from global memory: wavefronts; stores to
                           * it: lines; constant memory: distinct words */
    u32 sectors[32];     /* of global memory: sectors, by the first address modulo 32; 0: not known */
} ProvenAccess;

/* What the translation has done, counted once for all lanes; the engine multiplies by lanes and warps. */
typedef struct Sums {
    u64 load_requests, load_bytes, load_sectors, load_wavefronts; /* requests per warp, bytes per lane */
    u64 store_requests, store_bytes, store_sectors, store_lines;
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
    u64 *executed;         /* [basic block] number of executions */
    u64 (*scalars)[PARTS]; /* [slot] at entry and exit: value in thread 0, steps along the axes */
    Axis *axes;            /* the irregular ones */
    Sums sums;
    s64 turns;          /* backward branches left until the limits are looked at */
    u32 from[3], to[3]; /* the box */
    u32 lanes;          /* in the box */
    s32 limit;          /* at this basic block or a later one, another group is due */
    s32 whole;          /* these are all living lanes of the block */
    s32 is_complete;    /* these are all living lanes of their warps */
    s32 is_sanitized;   /* calls the sanitizer (simgpu/block/sanitizer.h): */
    void (*sanitize_load)(Frame *frame, s32 instruction, u64 first); /* before a load */
    void (*sanitize_store)(Frame *frame, s32 point, u64 first);      /* before a store; the point has its values */
    void (*note_store)(Frame *frame, s32 instruction,
                       u64 first); /* before a store into memory that the host wrote to */
    void (*sanitize_join)(Frame *frame);
    void (*sanitize_barrier)(Frame *frame, s32 block);
    /* Proves the accesses of an instruction with these steps, and fills in proven[]; 0: it cannot. `axis` is the
     * irregular axis; -1: none. */
    s32 (*prove)(Frame *frame, s32 instruction, u64 first, s64 x, s64 y, s64 z, s64 w, s32 axis);
    /* Makes an irregular axis from a register of 4 or 8 bytes per lane; gives back the value in the first lane. */
    u64 (*measure)(Frame *frame, s32 axis, const void *lanes, s32 bytes);
    s32 (*execute)(Frame *frame, s32 point); /* lets the interpreter execute one instruction; 0: a fault */
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

/* The least and the greatest of step * i over the threads along a regular axis; below, over an irregular one. */
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

/* The number that a 32-bit value stands for in thread 0. The number of the first thread of the box is `shift`
 * greater, and it is that one which is within the range of the type. */
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

/* Comparisons of a difference with 0. is_lt(): of its least value. all_lt(): do all values from least to most give the
 * same result? */
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

/* Is the value so far from the ends of the range of 64 bits that adding steps cannot overflow? */
static inline s32 is_moderate(u64 value)
{
    return value + (1ull << 60) < 1ull << 61;
}

/* Is an access of `bytes` per lane with these steps proven to be allowed? */
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
/* The number of lanes in which a predicate holds, or does not hold if it is negated. */
static inline u32 count_lanes_where(const u8 *predicate, s32 negated, u32 row, u32 rows, s32 x0, s32 x1, s32 y0, s32 y1,
                                    s32 z0, s32 z1)
{
    u32 count = 0;
    for (s32 z = z0; z < z1; z++)
        for (s32 y = y0; y < y1; y++)
            for (s32 x = x0; x < x1; x++)
                count += predicate[((u32)z * rows + (u32)y) * row + (u32)x];
    u32 lanes = (u32)((x1 - x0) * (y1 - y0) * (z1 - z0));
    return negated ? lanes - count : count;
}
static inline void note_first_address(ProvenAccess *proven, u64 first)
{
    proven->lowest = first < proven->lowest ? first : proven->lowest;
    proven->highest = first > proven->highest ? first : proven->highest;
}

#endif
