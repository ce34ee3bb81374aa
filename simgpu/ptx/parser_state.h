/* parser_state.h - the state of the parser of PTX text, which all its files share.
 *
 * A function parse_x reads the grammar rule x, which stands above it, and leaves the token behind it in `token`.
 *
 * Owns     nothing: everything that is made lies in the arena of the module, so that giving up halfway leaks nothing.
 * Errors   refuse() (parse_token.h) does not return: it jumps back into ptx_parse(), or from the operands of an
 *          instruction to the end of that instruction. Any function that takes a token may end so.  */
#ifndef SIMGPU_PTX_PARSER_STATE_H
#define SIMGPU_PTX_PARSER_STATE_H

#include "simgpu/ptx/lexer.h"
#include "simgpu/ptx/ptx.h"

#include <setjmp.h>

enum { NAME_BUCKETS = 1024, MAX_SCOPES = 200 };

typedef enum NameKind { NAME_REGISTER, NAME_REGISTER_RANGE, NAME_VARIABLE, NAME_FUNCTION, NAME_LABEL } NameKind;

typedef struct ScopedName {
    struct ScopedName *next; /* in the bucket, newest first */
    const char *text;
    size_t length;
    NameKind kind;
    int scope;
    int first, count; /* registers */
    PtxVariable *variable;
    PtxLabel *label;
} ScopedName;

typedef struct LabelUse LabelUse;

typedef struct Parser {
    Lexer lexer;
    Token token; /* the next one */
    PtxModule *module;
    Arena *arena;
    jmp_buf *give_up;    /* where refuse() jumps to: the end of the instruction, or out of the module */
    const char *refusal; /* what refuse() said, and about which line */
    int refused_line;

    ScopedName *buckets[NAME_BUCKETS];
    int open_scopes[MAX_SCOPES], depth, scope_count;

    PtxFunction *function;
    LabelUse *label_uses;
    uint32_t unused_bytes; /* of the next instruction, if that is a load */
    bool in_call;          /* "(" begins a list, not an expression */
    size_t instruction_capacity;
    int register_capacity;
    int file, line;    /* of the latest .loc */
    int function_file; /* of the function's first .loc */
} Parser;

#endif
