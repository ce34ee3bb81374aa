/* translation.h - a kernel as C, and how the interpreter hands over to it and takes over from it.  */
#ifndef SIMGPU_JIT_TRANSLATE_TRANSLATION_H
#define SIMGPU_JIT_TRANSLATE_TRANSLATION_H

#include "base/text.h"
#include "simgpu/code/code.h"
#include "simgpu/code/lane_math.h"
#include "simgpu/engine/translator.h"
#include "simgpu/jit/translate/frame.h"

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

#endif
