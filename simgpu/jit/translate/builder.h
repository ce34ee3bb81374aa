/* builder.h - the state of one translation while its C is written.  */
#ifndef SIMGPU_JIT_TRANSLATE_BUILDER_H
#define SIMGPU_JIT_TRANSLATE_BUILDER_H

#include "simgpu/code/code.h"
#include "simgpu/jit/translate/translation.h"

/* Parts of a scalar, as in frame.h: its value in thread 0, and its steps along the axes. */
/* A number of 64 bits: known, or in a variable of the C. */
typedef struct Atom {
    bool is_literal;
    uint64_t number;  /* of a literal */
    int32_t variable; /* t<variable>; below 0: that of a slot, see atom_text() */
} Atom;

/* What is in a register. */
typedef struct Value {
    bool is_set, is_varying;
    uint8_t size;     /* logarithm of its bytes */
    Atom part[PARTS]; /* of a scalar: value of thread 0, cut to its size; steps along the axes, signed */
    int32_t axis;     /* the irregular one, where the last step is not 0 */
    int32_t lane;     /* of what varies: v<lane> in the loop being written; -1: in the register file */
    bool is_written;  /* `lane` must still go to the register file */
} Value;

/* Whether accesses since the beginning of the stretch could meet one that follows. */
typedef struct Order {
    bool loaded, stored;
} Order;

typedef struct Builder {
    Translation *translation;
    const Code *code;
    Arena *arena; /* the translation's */
    Arena scratch;
    bool dry;          /* only shapes are wanted, no text */
    Value **at_entry;  /* [block][slot]; NULL: not reached yet */
    uint8_t **live_in; /* [block][slot] */
    bool *queued, *is_loop_head;
    bool has_arrive; /* bar.arrive: barriers are the interpreter's */
    bool *used_opcodes;
    uint8_t *is_varying; /* [slot] anywhere */
    bool *is_pinned;     /* [slot] */
    Operand *operands;   /* [slot] */
    bool *is_address;    /* [slot] what addresses are computed from */
    int32_t *axis_of;    /* [instruction] the irregular axis made for it; -1: none */

    int32_t block; /* being translated */
    int32_t instruction;
    Value *now;          /* [slot] */
    Value *at_start;     /* [slot] at the beginning of the stretch */
    int32_t start;       /* its first instruction */
    int32_t leave_point; /* of the stretch; -1: none asked for yet */
    bool counted;        /* the block's execution */
    int32_t names;
    Order global, shared;
    Text head, rows, lanes, commit, leaves, text; /* of a stretch: scalars and tests, what a row needs, its loop, ... */
    size_t point_capacity;
} Builder;

static inline const char *word(uint8_t size)
{
    static const char *const words[] = {"u8", "u16", "u32", "u64"};
    return words[size];
}

void builder_init(Builder *b);
void builder_free(Builder *b);
/* Finds the registers that addresses are computed from. */
void find_addresses(Builder *b);

#endif
