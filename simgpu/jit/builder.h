/* builder.h - the state of one translation while its C is written.
 *
 * The walk runs several times as a dry run, which writes nothing, until the values at the entry of each basic block are
 * known; then once more to write.  */
#ifndef SIMGPU_JIT_BUILDER_H
#define SIMGPU_JIT_BUILDER_H

#include "base/text.h"
#include "simgpu/code/code.h"
#include "simgpu/code/lane_math.h"
#include "simgpu/engine/interpreter.h"
#include "simgpu/jit/frame.h"

/* ==== translation ================================================================================================= */

/* A kernel as C and as a loaded library, and the places where the interpreter and it hand over. */

/* Runs from the start of a basic block. The result is the index of a Point; -1: a fault. */
typedef int32_t TranslatedFunction(Frame *frame, int32_t block);

/* A register that is a scalar (frame.h) at a point. */
typedef struct PointScalar {
    Operand operand;
    int32_t axis;            /* the irregular axis of the last part; -1: none */
    uint64_t literal[PARTS]; /* the parts that are known in advance */
    bool is_literal[PARTS];  /* false: see Frame.scalars */
} PointScalar;

/* A place in the code where the interpreter hands over to the translation or takes over from it. */
typedef struct Point {
    int32_t block;
    int32_t instruction; /* the next one, or POINT_START or POINT_END (interpreter.h) */
    PointScalar *scalars;
    int scalar_count;
    Operand *lanes; /* of an entry: registers that must hold a value in each lane */
    int lane_count;
} Point;

typedef struct Translation {
    Arena arena;
    const Code *code;
    uint32_t shape[3]; /* of the block of threads */
    Point *points;     /* [point_count] where the translated function may stop */
    int point_count;
    Point **entries;  /* [block_count] NULL: the translation cannot be entered at that basic block */
    Operand *varying; /* registers that the translation may write lane by lane */
    int varying_count;
    int axis_count;          /* of irregular axes */
    Text source;             /* the C */
    TranslatedFunction *run; /* NULL: not built yet */
    void *library;           /* of dlopen() */
} Translation;

/* ==== builder ===================================================================================================== */

/* A number of 64 bits: a literal, or the content of a variable of the C. */
typedef struct Atom {
    bool is_literal;
    uint64_t number;  /* the literal */
    int32_t variable; /* t<variable>; negative: s<slot>_<part>, see atom_text() */
} Atom;

/* What is known of a register: it is a scalar (frame.h), or it varies from lane to lane without a rule. */
typedef struct Value {
    bool is_set, is_varying; /* not set: never written, or of no use */
    uint8_t size;            /* base-2 logarithm of its bytes */
    Atom part[PARTS]; /* of a scalar: the value in thread 0, cut to its size; then the steps along the axes, signed */
    int32_t axis;     /* the irregular axis that the last step is along, if that is not 0 */
    int32_t lane;     /* of a varying register: v<lane> in the current loop; -1: in the register file */
    bool is_written;  /* v<lane> must still be stored to the register file */
} Value;

/* Has the current stretch loaded from or stored to a memory? A later access could meet these. */
typedef struct Order {
    bool loaded, stored;
} Order;

typedef struct Builder {
    Translation *translation;
    const Code *code;
    Arena *arena;        /* that of the translation */
    Arena scratch;       /* freed after each basic block */
    bool is_dry_run;     /* writes no text */
    Value **at_entry;    /* [block][slot] values at the entry; at_entry[block] NULL: not reached yet */
    uint8_t **live_in;   /* [block][slot] is it read there or later? */
    bool *queued;        /* [block] its values at the entry have changed */
    bool *is_loop_head;  /* [block] a backward branch leads there */
    bool has_arrive;     /* the kernel has a bar.arrive: barriers are left to the interpreter */
    bool *used_opcodes;  /* [opcode] */
    uint8_t *is_varying; /* [slot] at any place */
    bool *is_special;    /* [slot] a special register or constant (Code.special_registers) */
    Operand *operands;   /* [slot] an operand with this slot */
    bool *is_address;    /* [slot] an address is computed from it */
    int32_t *axis_of;    /* [instruction] the irregular axis that it makes; -1: none */

    int32_t block;       /* the current basic block */
    int32_t instruction; /* the current one */
    Value *now;          /* [slot] values before the current instruction */
    Value *at_start;     /* [slot] values at the start of the stretch */
    int32_t start;       /* first instruction of the stretch */
    int32_t leave_point; /* point at the start of the stretch; -1: not made yet */
    bool counted;        /* the execution of the block has been counted */
    int32_t names;       /* numbered names used so far */
    Order global, shared;
    Text head;   /* of the stretch: computes scalars, and tests what is required */
    Text commit; /* of the stretch: counts, when all tests have passed */
    Text rows;   /* of the loop: what each row of lanes needs */
    Text lanes;  /* of the loop: its body */
    Text leaves; /* of the block: code that leaves stretches at their points */
    Text text;   /* all that has been written */
    size_t point_capacity;
} Builder;

/* The C type of an unsigned number of 1 << size bytes (lane_math.h). */
static inline const char *word(uint8_t size)
{
    static const char *const words[] = {"u8", "u16", "u32", "u64"};
    return words[size];
}

/* Allocates the arrays, and fills in what follows from the code alone. Translation, code and arena must be set. */
void builder_init(Builder *b);
void builder_free(Builder *b);
/* Finds the registers that addresses are computed from. */
void find_addresses(Builder *b);

/* ==== needed ====================================================================================================== */

/* Which slots hold a value that is read later. */

/* Is the value that the slot holds before instruction `from` of the current block read there or later? */
bool is_needed(const Builder *b, uint32_t slot, int32_t from);
/* Fills in Builder.live_in; false where the kernel is too large. */
bool find_live(Builder *b);

/* ==== point ======================================================================================================= */

/* Points, where a translation hands over to the interpreter. */

/* Adds a scalar to the point. Appends to `to`, unless it is NULL, the C that hands over the parts that are not
 * literals. */
void add_scalar(Builder *b, Text *to, Point *point, Operand operand, const Value *value);
/* A new point before `instruction`; gives back its index. Appends to `to` the C that hands over the scalars among
 * `values`: those in `only`; NULL: all that are read later. */
int new_point(Builder *b, Text *to, int32_t instruction, const Value *values, const Operand *only, int only_count);
/* The label of the code that returns to the interpreter at the start of the stretch. */
const char *leave_label(Builder *b);
/* Adds a test to the head of the stretch: unless the condition holds, the interpreter continues at its start. */
__attribute__((format(printf, 2, 3))) void require(Builder *b, const char *format, ...);

/* ==== stretch ===================================================================================================== */

/* Stretches: instructions of a basic block that become one loop over lanes. */

void begin_stretch(Builder *b, int32_t instruction);
/* `next` is the first instruction after the stretch. */
void end_stretch(Builder *b, int32_t next);
/* Ends the stretch before the current instruction and begins another one there. */
void renew_stretch(Builder *b);
/* Writes the loop over rows and lanes, with what Builder.rows and .lanes hold, which it empties. */
void write_loop(Builder *b, Text *to);

/* ==== value ======================================================================================================= */

/* What is known of registers: scalars (frame.h), and the numbers that they are made of. */

Atom atom_literal(uint64_t number);
/* The number as an expression of C. */
const char *atom_text(const Builder *b, Atom atom);
/* A new variable of the C; the text is an expression of 64 bits. */
__attribute__((format(printf, 2, 3))) Atom new_atom(Builder *b, const char *format, ...);
/* Is it known to be this number? */
bool is_number(Atom atom, uint64_t number);
/* A part of a scalar at the entry of a basic block: the literal itself, or the variable s<slot>_<part>. */
Atom entry_atom(Atom atom, uint32_t slot, int part);
/* Cuts a number to what part `part` of a value of that size can hold (Value.part). */
uint64_t cut_part(uint64_t number, uint8_t size, int part);
/* The same number in all lanes. */
Value scalar_literal(uint64_t number, uint8_t size);
/* Is it a scalar without steps? */
bool is_same_for_all(const Value *value);
/* Is it a scalar with a step along an irregular axis? */
bool is_irregular(const Value *value);
/* A value that varies from lane to lane, in the register file. */
Value varying_value(uint8_t size);
/* The value of a source; the scalar 0 where there is none. */
Value source_value(Builder *b, Operand operand);
void set_value(Builder *b, Operand operand, Value value);

/* ==== scalar ====================================================================================================== */

/* The arithmetic of scalars. */

/* Should a varying source become a scalar on an irregular axis, because the result is used for an address and would
 * then be a scalar? `*source` says which one. */
bool wants_axis(Builder *b, const Instruction *instruction, const Value sources[4], int *source);
/* The result of a lane operation as a scalar; false where it is none. */
bool scalar_opcode(Builder *b, const Instruction *instruction, const Value sources[4], Value *result);

/* ==== translate =================================================================================================== */

/* From Code to C.
 *
 * A translation is made for one kernel and one shape of block. Its results and its counts are exactly those of the
 * interpreter, because it handles the usual cases only. A translated kernel runs one group of lanes until it comes to a
 * point where it cannot go on; there it puts the registers back into the form of the interpreter, and returns.
 *
 *   scalars  A register that holds base + x * a + y * b + z * c in thread (x, y, z) of the block (an affine value) is
 *            kept as these four numbers. The numbers that are known in advance are constants in the C. Addresses and
 *            loop counters nearly always have this form. A register without it that an address is computed from becomes
 *            an irregular axis: base + w * place.
 *   lanes    All other registers stay in the register file. A stretch of instructions becomes one loop over lanes,
 *            whose body gcc turns into vector instructions. A new stretch begins where the contents of memory could
 *            depend on the order in which the lanes run.
 *   boxes    The lanes of the group must be a box of threads. The interpreter runs all other groups.
 *   guesses  A comparison of a scalar is guessed to have the same result in all lanes of the box. This, and every
 *            address, is tested by the extreme values before the stretch does anything. If a test fails, the
 *            interpreter continues from the start of the stretch.
 *
 * translate.c   walks over basic blocks; passes values from one to the next; ends them; loads and stores; writes the whole C
 * builder.c     holds the state that all of these share: loops over lanes, which registers are read later, scalars and the
 *               numbers they are made of, and the places where the interpreter takes over
 * scalar.c      does the arithmetic of scalars
 * text.c        has the expressions of opcodes.def as text
 *
 * Safety  The C consists of numbers and of names chosen here; no text of the PTX goes into it.
 * Source  Loops over work-items: Jaaskelainen et al., pocl, IJPP 2015. Uniform and affine values: Collange et al.,
 *         Dynamic Detection of Uniform and Affine Vectors in GPGPU Computations, HPPC 2009. */

/* NULL: the kernel is too large, or uses matrix instructions. */
Translation *translation_new(const Code *code, const uint32_t shape[3]);

#endif
