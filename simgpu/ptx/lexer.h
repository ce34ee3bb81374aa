/* lexer.h - cuts PTX text into tokens.
 *
 * Dots belong to words: "ld.global.nc.f32", "%tid.x", ".reg", ".L1::no_allocate". Dots never separate anything in PTX,
 * and so the parser gets each opcode as one token.
 *
 * Source   PTX ISA 9.0, Syntax.  */
#ifndef SIMGPU_PTX_LEXER_H
#define SIMGPU_PTX_LEXER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum TokenKind { TOKEN_WORD, TOKEN_NUMBER, TOKEN_STRING, TOKEN_SYMBOL, TOKEN_BAD, TOKEN_END } TokenKind;
typedef enum NumberKind { NUMBER_INTEGER, NUMBER_FLOAT32, NUMBER_FLOAT64 } NumberKind;

typedef struct Token {
    TokenKind kind;
    const char *text; /* into the source; a string without its quotes */
    size_t length;
    int line;               /* 1-based */
    NumberKind number_kind; /* of a number: 12, 0f3f800000, 0d3ff0000000000000 or 1.0 */
    uint64_t number;        /* its bits */
} Token;

typedef struct Lexer {
    const char *at, *end;
    int line;
} Lexer;

Lexer lexer_new(const char *text, size_t length);
Token lexer_next(Lexer *lexer);
bool token_is(const Token *token, const char *text);

#endif
