/* builder.h - shared by the files that write a translation; nobody else includes it.  */
#ifndef SIMGPU_JIT_BUILDER_H
#define SIMGPU_JIT_BUILDER_H

#include "simgpu/code/lane_math.h"
#include "simgpu/jit/frame.h"

#include "simgpu/jit/translate.h"

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

/* ---- liveness.c ---- */
bool has_slot(const Operand *operands, int count, uint32_t slot);
/* Is what the slot holds before instruction `from` of the block read by anyone later? */
bool is_needed(const Builder *b, uint32_t slot, int32_t from);
void find_live(Builder *b);

/* ---- translate.c ---- */
/* A place to go on at in the interpreter, and in `to` what puts the scalars there: those of `only`, or NULL: all that
 * are needed. */
int new_point(Builder *b, Text *to, int32_t instruction, const Value *values, const Operand *only, int only_count);
/* The value of a source; a scalar 0 for none. */
Value source_value(Builder *b, Operand operand);
void set_value(Builder *b, Operand operand, Value value);
/* A label to leave the stretch by before it has done anything. */
const char *leave_label(Builder *b);

/* ---- scalar.c ---- */
Atom atom_literal(uint64_t number);
const char *atom_text(const Builder *b, Atom atom);
Value scalar_literal(uint64_t number, uint8_t size);
bool is_same_for_all(const Value *value);
bool is_number(Atom atom, uint64_t number);
/* Is there a step on an irregular axis? */
bool is_irregular(const Value *value);
/* A new variable with this value; the text is that of an expression of 64 bits. */
__attribute__((format(printf, 2, 3))) Atom new_atom(Builder *b, const char *format, ...);
__attribute__((format(printf, 2, 3))) void demand(Builder *b, const char *format, ...);
/* Would this varying source, as a scalar on an axis of its own, let the result be a scalar that helps an address? */
bool wants_axis(Builder *b, const Instruction *instruction, const Value sources[4], int *source);
/* False where the result is no scalar. */
bool scalar_opcode(Builder *b, const Instruction *instruction, const Value sources[4], Value *result);
const char *call_text(Builder *b, Opcode opcode, const char *const *arguments);

/* ---- lanes.c ---- */
void begin_stretch(Builder *b, int32_t instruction);
void end_stretch(Builder *b, int32_t next);
/* Makes an irregular axis for what the register holds. */
void make_axis(Builder *b, Operand operand);
/* The value in the lane of the loop, of its own size. */
const char *lane_text(Builder *b, Operand operand);
void run_in_lanes(Builder *b, const Instruction *instruction);
/* False where the interpreter must do it. */
bool translate_access(Builder *b, const Instruction *instruction);
void call_interpreter(Builder *b, const Instruction *instruction);
/* The loop over what has been written for each lane and row. */
void write_loop(Builder *b, Text *to);

/* ---- text.c ---- */
/* False where a loop around it is no vector code, or the compiler would compute constants in another way. */
bool opcode_is_plain(Opcode opcode, bool in_lanes);
void opcode_function(Text *text, Opcode opcode);
/* What all translations begin with. */
void headers_text(Text *text);
extern const char lane_math_text[], half_math_text[], frame_text[];

static inline const char *word(uint8_t size)
{
    static const char *const words[] = {"u8", "u16", "u32", "u64"};
    return words[size];
}

#endif
