/* lanes.h - loops over lanes, with which the interpreter computes whole registers.
 *
 * A register holds one value per lane of the block, side by side, so each of these is a plain loop that gcc vectorises.
 * lane_loops.c is compiled once per level of the instruction set (base/machine.h); lanes_best() chooses at run time.
 *
 * Shapes   every pointer points to the first of `count` lanes; the result may be one of the sources. Where `warps` are
 *          given, they are whole ones, so that no lane is left over from a vector.
 * Order    of stores with equal addresses, that of the highest lane remains.  */
#ifndef SIMGPU_CODE_LANES_H
#define SIMGPU_CODE_LANES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ==== lanes ======================================================================================================= */

typedef void LaneFunction(void *d, const void *a, const void *b, const void *c, const void *e, size_t count);

/* Sizes of lanes and memory elements are given as the logarithm: 0 to 3 for 1 to 8 bytes. */
enum { SIZES = 4 };

/* The lanes' numbers, minus that of the first lane. */
typedef struct LaneSpan {
    int32_t low, high; /* the least and the greatest */
    uint32_t bits;     /* all of them combined by or */
} LaneSpan;

typedef struct LaneTable {
    LaneFunction *const *run; /* [OPCODE_COUNT] */

    /* d[i] = s[i] where mask[i] is not 0. */
    void (*blend[SIZES])(void *d, const void *s, const uint8_t *mask, size_t warps);
    /* d[i] = *value. */
    void (*fill[SIZES])(void *d, const void *value, size_t count);

    /* Load from memory, and widen from [element size] to [register size]; [1]: with sign. `step` is in bytes. */
    void (*load_strided[2][SIZES][SIZES])(void *d, const char *from, ptrdiff_t step, size_t count);
    void (*load_gathered[2][SIZES][SIZES])(void *d, const char *from, const int32_t *relative, size_t count);
    /* Store the low bytes of [register size] as [element size]. */
    void (*store_strided[SIZES][SIZES])(const void *s, char *to, ptrdiff_t step, size_t count);
    void (*store_scattered[SIZES][SIZES])(const void *s, char *to, const int32_t *relative, size_t count);

    /* relative[i] = address[i] - address[0] where mask[i] is 1, else 0; false where one does not fit into 32 bits. */
    bool (*relate)(const uint64_t *address, const uint8_t *mask, size_t count, int32_t *relative, LaneSpan *span);
    /* Is address[i] == first + relative[i] for all lanes? [0] for 32-bit addresses, [1] for 64-bit ones. */
    bool (*same_pattern[2])(const void *address, uint64_t first, const int32_t *relative, size_t count);
    /* The same, for the lanes where mask[i] is 1. */
    bool (*same_masked[2])(const void *address, uint64_t first, const int32_t *relative, const uint8_t *mask,
                           size_t count);

    /* An array of records of `bytes` each begins with record (`first` >> shift). Is the 32-bit number at the start of
     * the record ((first + relative[i]) >> shift) at least `least`, for all lanes? */
    bool (*all_from)(const uint32_t *records, size_t bytes, uint64_t first, const int32_t *relative, uint32_t shift,
                     uint32_t least, size_t count);

    /* d[i] = base + step * i + on * place[i]; and: is that what the lanes hold? */
    void (*ramp[SIZES])(void *d, uint64_t base, uint64_t step, uint64_t on, const int32_t *place, size_t count);
    bool (*is_ramp[SIZES])(const void *a, uint64_t base, uint64_t step, uint64_t on, const int32_t *place,
                           size_t count);
    /* place[i] = a[i] - first, of [0] 32 or [1] 64 bits. 0: place was the same before, 1: it has changed, -1: one does
     * not fit into 32 bits. */
    int (*measure[2])(const void *a, uint64_t first, int32_t *place, size_t count);

    /* Bit i % 32 of words[i / 32] = predicate[i], and the reverse. */
    void (*pack_bits)(const uint8_t *predicate, size_t warps, uint32_t *words);
    void (*unpack_bits)(const uint32_t *words, size_t warps, uint8_t *bytes);
} LaneTable;

/* The loops for the highest level that this processor has. */
const LaneTable *lanes_best(void);

/* ==== opcodes ===================================================================================================== */

/* The operations that compute, one lane at a time: one row of opcodes.def each. */

typedef enum OpClass { FP32, FP64, FMA32, FMA64, INTEGER, SPECIAL, CONTROL, OP_CLASSES } OpClass;

typedef enum Opcode {
#define UNARY(ID, FORM, CLASS, D, A, EXPRESSION) OP_##ID,
#define BINARY(ID, FORM, CLASS, D, A, B, EXPRESSION) OP_##ID,
#define TERNARY(ID, FORM, CLASS, D, A, B, C, EXPRESSION) OP_##ID,
#define QUATERNARY(ID, FORM, CLASS, D, A, B, C, E, EXPRESSION) OP_##ID,
#include "simgpu/code/opcodes.def"
    OPCODE_COUNT,
    OPCODE_NONE = OPCODE_COUNT
} Opcode;

typedef struct OpcodeInfo {
    const char *form;
    OpClass op_class;
    uint8_t result_bytes;    /* of one lane */
    uint8_t source_bytes[4]; /* 0: no such source */
    bool source_is_float[4]; /* float32 or float64 */
} OpcodeInfo;

const OpcodeInfo *opcode_info(Opcode opcode);
/* The opcode with that form in opcodes.def; OPCODE_NONE where there is none. */
Opcode opcode_find(const char *form);

#endif
