/* parts.h - the parts of an opcode: "ld.global.nc.f32" is "ld", "global", "nc", "f32".  */
#ifndef SIMGPU_LOWER_EMIT_PARTS_H
#define SIMGPU_LOWER_EMIT_PARTS_H

#include "simgpu/lower/emit/lowering.h"

enum { MAX_PARTS = 16 };

typedef struct OpcodeModifiers {
    const char *part[MAX_PARTS];
    int count;
} OpcodeModifiers;

OpcodeModifiers parts_of(Lowering *l, const char *opcode);
/* Is `name` one of the parts after the first? */
bool parts_have(const OpcodeModifiers *parts, const char *name);
/* Does a store or an atomic operation act as a fence as well, for threads of other blocks? */
bool parts_release(const OpcodeModifiers *parts);
/* FE_ constant of "rn", "rz", "rm", "rp"; -1 for anything else. */
int rounding_of(const char *part);
/* The type that a part names; PTX_NO_TYPE: none. */
PtxType type_part(const char *part);
/* The type that stands `from_end` parts before the last one. Refuses the instruction if that part names no type. */
PtxType last_type(Lowering *l, const OpcodeModifiers *parts, int from_end);

#endif
