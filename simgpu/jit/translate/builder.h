/* builder.h - the state of one translation while its C is written.
 *
 * The walk runs several times as a dry run, which writes nothing, until the values at the entry of each basic block are
 * known; then once more to write.  */
#ifndef SIMGPU_JIT_TRANSLATE_BUILDER_H
#define SIMGPU_JIT_TRANSLATE_BUILDER_H

#include "simgpu/code/code.h"
#include "simgpu/jit/translate/translation.h"

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

#endif
