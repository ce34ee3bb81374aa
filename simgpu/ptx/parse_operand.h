/* parse_operand.h - operands, numbers, constant expressions.  */
#ifndef SIMGPU_PTX_PARSE_OPERAND_H
#define SIMGPU_PTX_PARSE_OPERAND_H

#include "simgpu/ptx/lexer.h"
#include "simgpu/ptx/ptx.h"

#include <setjmp.h>

/* ==== parser state ================================================================================================ */

/* The state of the parser of PTX text, which all its files share.
 *
 * A function parse_x reads the grammar rule x, which stands above it, and leaves the token behind it in `token`.
 *
 * Owns     nothing: everything that is made lies in the arena of the module, so that giving up halfway leaks nothing.
 * Errors   refuse() does not return: it jumps back into ptx_parse(), or from the operands of an
 *          instruction to the end of that instruction. Any function that takes a token may end so. */

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

/* ==== parse token ================================================================================================= */

/* Takes tokens one by one, and refuses those that do not fit. */

/* Gives up because of the token `at`. */
__attribute__((format(printf, 3, 4), noreturn)) void refuse(Parser *p, const Token *at, const char *format, ...);
/* The token in quotes, for messages. */
const char *shown(Parser *p, const Token *token);
/* Takes the token, whatever it is. */
Token advance(Parser *p);
/* Takes the token if it is `text`. */
bool consume(Parser *p, const char *text);
/* Takes the token, which must be `text`. */
void expect(Parser *p, const char *text);
/* Skips the tokens before the next `text`, which must come. */
void skip_to(Parser *p, const char *text);
/* `what` is for the message: "a label". */
Token expect_word(Parser *p, const char *what);
uint64_t expect_integer(Parser *p);
char *copy_text(Parser *p, const Token *token);

/* ==== parse scope ================================================================================================= */

/* Names in their scopes, and labels. */

void open_scope(Parser *p);
void close_scope(Parser *p);
/* Declares a name in the innermost scope; the caller fills in what it stands for. */
ScopedName *add_name(Parser *p, const Token *token, NameKind kind);
/* Binds the uses of labels in a function at its end. */
void bind_labels(Parser *p);

/* ==== parse register ============================================================================================== */

/* Declares the registers of a function, and finds them by name. */

void parse_registers(Parser *p);
/* The number of a register in the function; -1: no register has that name. */
int find_register(Parser *p, const Token *token);

/* ==== parse operand =============================================================================================== */

/* `operand` is all zero; `depth` is the number of operands around this one. */
void parse_operand(Parser *p, PtxOperand *operand, int depth);
/* Reads the elements of `operand`, and `close` behind them. */
void parse_elements(Parser *p, PtxOperand *operand, const char *close, int depth);
int64_t parse_addend(Parser *p);

/* ==== parse variable ============================================================================================== */

/* Variables and their initial values. */

/* The state space that ".shared" and its like name; PTX_NO_SPACE: the token names none. */
PtxSpace space_of(const Token *token);
PtxVariable *parse_variable(Parser *p);
/* Adds each variable at the front of the list. */
void parse_variables(Parser *p, PtxVariable **list);

#endif
