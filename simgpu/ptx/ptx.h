/* ptx.h - a PTX module as the parser reads it, in one arena.
 *
 * This is the text with names resolved; code.h is how it runs. Registers are numbered per function. Unknown opcodes are
 * no errors here, since opcodes stay text until simgpu/lower looks them up. Operands that the parser does not
 * understand are no errors either: simgpu/lower refuses only the kernels that hold such an instruction.
 *
 * Source   PTX ISA 9.0.  */
#ifndef SIMGPU_PTX_PTX_H
#define SIMGPU_PTX_PTX_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ==== ptx type ==================================================================================================== */

/* The types of PTX registers and values.
 *
 * Source   PTX ISA 9.0, "Fundamental Types", "Packed Data Types". */

typedef enum PtxType {
    PTX_NO_TYPE,
    PTX_PRED,
    PTX_B8,
    PTX_B16,
    PTX_B32,
    PTX_B64,
    PTX_U8,
    PTX_U16,
    PTX_U32,
    PTX_U64,
    PTX_S8,
    PTX_S16,
    PTX_S32,
    PTX_S64,
    PTX_F16,
    PTX_BF16,
    PTX_F16X2,
    PTX_BF16X2,
    PTX_F32,
    PTX_F64,
    PTX_OTHER_TYPE /* .b128, .texref, ...: known to PTX, not to this simulator */
} PtxType;

PtxType ptx_type(const char *name, size_t length); /* of "f32"; PTX_NO_TYPE: no type has that name */
const char *ptx_type_name(PtxType type);           /* for PTX_OTHER_TYPE any of them */
uint32_t ptx_type_bytes(PtxType type);             /* a predicate takes one */
bool ptx_type_is_signed(PtxType type);
bool ptx_type_is_float(PtxType type);
bool ptx_type_is_half(PtxType type); /* .f16, .bf16, and pairs of them */
bool ptx_type_is_pair(PtxType type); /* .f16x2, .bf16x2 */

/* ==== ptx ========================================================================================================= */

typedef enum PtxSpace { PTX_NO_SPACE, PTX_GLOBAL, PTX_SHARED, PTX_LOCAL, PTX_CONST, PTX_PARAM } PtxSpace;

/* Where the addresses of functions lie, which hold no memory. */
#define FUNCTION_WINDOW (4ull << 32)
enum { FUNCTION_ADDRESSES = 16 }; /* from one function to the next */

/* A word of an initialiser that holds an address, which is known when the module is placed. */
typedef struct PtxRelocation {
    struct PtxRelocation *next;
    uint32_t offset, bytes;     /* where in the variable */
    struct PtxVariable *target; /* NULL: the address is that of a function */
    const char *function;
    int64_t addend;
    uint64_t mask; /* "0xFF00(symbol)" takes this byte of the address; 0: the whole address */
} PtxRelocation;

typedef struct PtxVariable {
    struct PtxVariable *next;
    const char *name;
    PtxSpace space;
    PtxType type;
    uint32_t align;
    uint64_t bytes;
    bool is_unsized;              /* extern .shared name[]: the launch gives its size */
    const unsigned char *initial; /* [initial_bytes]; the other bytes are zero */
    uint64_t initial_bytes;
    PtxRelocation *relocations;
    uint64_t
        address; /* set when the variable is placed: device address, or offset in its window; of a part: in `whole` */
    const struct PtxVariable *copy_of; /* the parameter of which this is a copy; NULL: it is none, or not known */
    const struct PtxVariable *whole;   /* of which this is a part (lowering.h); NULL: it is whole */
} PtxVariable;

typedef struct PtxLabel {
    struct PtxLabel *next;
    const char *name;
    int instruction;            /* index in the function; -1: not found yet */
    struct PtxOperand *targets; /* of .branchtargets */
    int target_count;
} PtxLabel;

typedef enum PtxOperandKind {
    PTX_REGISTER,  /* register_index, negated */
    PTX_SPECIAL,   /* %tid.x: name */
    PTX_IMMEDIATE, /* number, number_kind */
    PTX_ADDRESS,   /* [register or variable or nothing + number]; with elements: [texture, {coordinates}] */
    PTX_VARIABLE,  /* variable + number: its address as a value */
    PTX_LABEL,     /* label */
    PTX_FUNCTION,  /* name, of a call */
    PTX_VECTOR,    /* {a, b}: elements */
    PTX_PAIR,      /* p|q: elements */
    PTX_LIST,      /* (a, b) of a call: elements */
    PTX_SINK       /* _ */
} PtxOperandKind;

typedef struct PtxOperand {
    PtxOperandKind kind;
    bool negated;
    uint8_t number_kind; /* NumberKind */
    int register_index;  /* -1 in an address without one */
    uint64_t number;
    const char *name;
    PtxVariable *variable;
    PtxLabel *label;
    struct PtxOperand *elements;
    int element_count;
} PtxOperand;

enum { PTX_MAX_OPERANDS = 8 };

typedef struct PtxInstruction {
    const char *opcode;  /* "ld.global.nc.f32" */
    const char *refusal; /* why the parser does not understand its operands, and keeps none; NULL: it does */
    PtxOperand *operands;
    uint8_t operand_count;
    bool guard_negated;
    int guard;             /* register of @p, -1: none */
    uint32_t unused_bytes; /* of a load: a bit for each byte that `.pragma "used_bytes_mask"` leaves out */
    int ptx_line;
    int place;      /* on its line of PTX, which may hold several instructions: 0, 1, 2 ... */
    int file, line; /* of the source, from .loc; 0: unknown */
} PtxInstruction;

typedef struct PtxFunction {
    struct PtxFunction *next;
    const char *name;
    bool is_entry, has_body;
    PtxVariable *parameters, *results; /* lists; address: offset in the parameter block */
    uint32_t parameter_count, parameter_bytes;
    PtxVariable *variables; /* .local and .shared declared within */
    PtxType *register_types;
    int register_count;
    PtxInstruction *instructions;
    int instruction_count;
    uint32_t max_threads; /* from .maxntid; 0: not given */
    uint64_t address;     /* that pointers to it hold; set when the module is read */
    uint32_t cluster[3];  /* from .reqnctapercluster; 0: not given */
} PtxFunction;

typedef struct PtxModule {
    Arena arena;
    const char *name; /* for messages: "kernel.ptx" */
    PtxVariable *variables;
    PtxFunction *functions;
    const char **files; /* [file_count], by number; NULL: not given */
    int file_count;
} PtxModule;

#endif
