/* parser.h - shared by the files that read PTX text; nobody else includes it.
 *
 * parser.c          the module: directives, functions, statements
 * parse_operand.c   operands, numbers, constant expressions
 * parse_variable.c  variables and their initial values
 * parse_register.c  registers
 * parse_scope.c     names in their scopes, labels
 * parse_token.c     taking tokens, refusing them
 *
 * A function parse_x reads the grammar rule x, which stands above it, and leaves in `token` what comes behind.
 *
 * Owns     nothing: what is made lies in the arena of the module, so that giving up halfway leaks nothing.
 * Errors   refuse() does not return: it jumps back into ptx_parse, or, from the operands of an instruction, to the end
 *          of that instruction. Whatever takes a token may end so.  */
#ifndef SIMGPU_PTX_PARSER_H
#define SIMGPU_PTX_PARSER_H

#include "simgpu/ptx/lexer.h"
#include "simgpu/ptx/ptx.h"

#include <setjmp.h>

enum { NAME_BUCKETS = 1024, MAX_SCOPES = 200 };

typedef enum NameKind { NAME_REGISTER, NAME_REGISTER_RANGE, NAME_VARIABLE, NAME_FUNCTION, NAME_LABEL } NameKind;

typedef struct Name {
    struct Name *next; /* in the bucket, newest first */
    const char *text;
    size_t length;
    NameKind kind;
    int scope;
    int first, count; /* registers */
    PtxVariable *variable;
    PtxLabel *label;
} Name;

typedef struct LabelUse LabelUse;

typedef struct Parser {
    Lexer lexer;
    Token token; /* the one to be read next */
    PtxModule *module;
    Arena *arena;
    jmp_buf *give_up;    /* where refuse() jumps to: behind the instruction, or out of the module */
    const char *refusal; /* what it said, and of which line */
    int refused_line;

    Name *buckets[NAME_BUCKETS];
    int open_scopes[MAX_SCOPES], depth, scope_count;

    PtxFunction *function;
    LabelUse *label_uses;
    bool in_call; /* where "(" begins a list, not an expression */
    size_t instruction_capacity;
    int register_capacity;
    int file, line;    /* of the latest .loc */
    int function_file; /* of the function's first .loc */
} Parser;

/* ---- parse_token.c ----------------------------------------------------------------------------------------------- */
/* Gives up, because of the token `at`. */
__attribute__((format(printf, 3, 4), noreturn)) void refuse(Parser *p, const Token *at, const char *format, ...);
const char *shown(Parser *p, const Token *token); /* in quotes, for messages */
Token advance(Parser *p);                         /* takes the token, whatever it is */
bool consume(Parser *p, const char *text);        /* takes it where it is `text` */
void expect(Parser *p, const char *text);         /* takes it, which must be `text` */
void skip_to(Parser *p, const char *text);        /* up to the next `text`, which must come */
Token expect_word(Parser *p, const char *what);   /* `what` is for the message: "a label" */
uint64_t expect_integer(Parser *p);
char *copy_text(Parser *p, const Token *token);

/* ---- parse_scope.c ----------------------------------------------------------------------------------------------- */
void open_scope(Parser *p);
void close_scope(Parser *p);
/* The newest of that name in the open scopes; NULL: none. */
Name *find_name(Parser *p, const char *text, size_t length);
/* Declares it in the innermost scope; the caller fills in what it stands for. */
Name *add_name(Parser *p, const Token *token, NameKind kind);
/* Has bind_labels() set `operand->label`, so the operand must not move. */
void note_label_use(Parser *p, PtxOperand *operand, const Token *token);
/* At the end of a function: binds the uses noted in it. */
void bind_labels(Parser *p);

/* ---- parse_register.c -------------------------------------------------------------------------------------------- */
void parse_registers(Parser *p);
int find_register(Parser *p, const Token *token); /* its number in the function; -1: no register */

/* ---- parse_variable.c -------------------------------------------------------------------------------------------- */
PtxSpace space_of(const Token *token); /* of ".shared"; PTX_NO_SPACE where it names none */
PtxVariable *parse_variable(Parser *p);
/* Puts it at the front of the list. */
void parse_variables(Parser *p, PtxVariable **list);

/* ---- parse_operand.c --------------------------------------------------------------------------------------------- */
/* `operand` is all zero; `depth` counts the operands that this one is nested in. */
void parse_operand(Parser *p, PtxOperand *operand, int depth);
/* Reads the elements of `operand`, and `close` behind them. */
void parse_elements(Parser *p, PtxOperand *operand, const char *close, int depth);
int64_t parse_addend(Parser *p);

#endif
