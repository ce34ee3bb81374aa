/* translate.h - kernels as machine code of the host: Code to C, through the host's compiler, back as a library.
 *
 * A translation is made for one kernel and one shape of block. It does what the interpreter does, to the last bit and
 * to the last count, because it leaves to it whatever is unusual: a translated kernel runs one group of lanes until it
 * comes to a point where it does not know how to go on, puts the registers back as the interpreter keeps them, and
 * returns. What it knows:
 *
 *   scalars  a register that holds base + x * a + y * b + z * c in thread (x, y, z) of the block is four numbers, of
 *            which those known beforehand are constants. Addresses and loop counters nearly always are. What an
 *            address is computed from and is nothing of that kind becomes an axis of its own: base + w * place.
 *   lanes    all other registers stay in the register file. A stretch of instructions becomes one loop over lanes,
 *            whose body gcc turns into vector instructions; it begins anew where memory could tell the order of lanes.
 *   boxes    the lanes of a group are a box of threads. Other groups are the interpreter's.
 *   guesses  a comparison of such a scalar with a number is taken to have one outcome for all lanes of the box. This,
 *            and every address, is tested by its extremes before anything of the stretch is done; where the test fails,
 *            the interpreter goes on from there.
 *
 * translate.c   the walk over basic blocks: what is known of each register at the beginning of each
 * liveness.c    which registers are read later
 * scalar.c      the arithmetic of scalars
 * lanes.c       loops over lanes, loads and stores
 * text.c        the expressions of opcodes.def as text
 * build.c       gcc, the compile cache
 * enter.c       from the interpreter into a translation, and back
 * learn.c       what is learnt there of addresses
 * translator.c  when it pays
 *
 * Safety  the C is made of numbers and of names chosen here; nothing of the PTX's text goes into it.
 * Source  loops over work-items: Jaaskelainen et al., pocl, IJPP 2015; uniform and affine values: Collange et al.,
 *         Dynamic Detection of Uniform and Affine Vectors in GPGPU Computations, HPPC 2009.  */
#ifndef SIMGPU_JIT_TRANSLATE_H
#define SIMGPU_JIT_TRANSLATE_H

#include "base/text.h"
#include "simgpu/code/code.h"
#include "simgpu/engine/translator.h"

typedef struct Frame Frame;
typedef int32_t TranslatedFunction(Frame *frame, int32_t block);

/* A register that is a scalar at a point. */
typedef struct PointScalar {
    Operand operand;
    int32_t axis;        /* the irregular one that the last part is of */
    uint64_t literal[5]; /* parts, see frame.h */
    bool is_literal[5];
} PointScalar;

/* A place where the registers are as the interpreter keeps them. */
typedef struct Point {
    int32_t block;
    int32_t instruction; /* to go on with; POINT_START: the block has not begun; POINT_END: only its end is left */
    PointScalar *scalars;
    int scalar_count;
    Operand *lanes; /* of an entry: those that must hold a value in each lane */
    int lane_count;
} Point;

typedef struct Translation {
    Arena arena;
    const Code *code;
    uint32_t shape[3];
    Point *points; /* [point_count] what the translated function returns */
    int point_count;
    Point **entries;  /* [block_count] NULL: cannot be entered there */
    Operand *varying; /* registers that may be written lane by lane */
    int varying_count;
    int axis_count; /* irregular axes */
    Text source;
    TranslatedFunction *run;
    void *library;
    _Atomic int compiler; /* process that compiles; 0: none, -1: none may */
} Translation;

/* NULL where the kernel is not one to be translated. */
Translation *translation_new(const Code *code, const uint32_t shape[3]);
void translation_free(Translation *translation);

/* Loads the library for the source from the compile cache in `folder`; compiles it first where it is not there and `may_compile`. */
bool translation_build(Translation *translation, const char *compiler, const char *folder, bool may_compile);
/* Ends a compilation that goes on in another thread. */
void translation_abandon(Translation *translation);

#endif
