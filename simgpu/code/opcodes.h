/* opcodes.h - the operations that compute, one lane at a time: one row of opcodes.def each.  */
#ifndef SIMGPU_CODE_OPCODES_H
#define SIMGPU_CODE_OPCODES_H

#include <stdint.h>

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
} OpcodeInfo;

const OpcodeInfo *opcode_info(Opcode opcode);
/* The opcode with that form in opcodes.def; OPCODE_NONE where there is none. */
Opcode opcode_find(const char *form);

#endif
