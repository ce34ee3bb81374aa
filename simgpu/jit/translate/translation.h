/* translation.h - a kernel as C and as a loaded library, and the places where the interpreter and it hand over.  */
#ifndef SIMGPU_JIT_TRANSLATE_TRANSLATION_H
#define SIMGPU_JIT_TRANSLATE_TRANSLATION_H

#include "base/text.h"
#include "simgpu/code/code.h"
#include "simgpu/code/lane_math.h"
#include "simgpu/engine/translator.h"
#include "simgpu/jit/translate/frame.h"

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
    int32_t instruction; /* the next one, or POINT_START or POINT_END (translator.h) */
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
    _Atomic int compiler;    /* process that compiles; 0: none yet; -1: none may start any more */
} Translation;

#endif
