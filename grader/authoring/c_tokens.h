/* c_tokens.h - splits CUDA C++ into tokens, each with its place in the text.
 *
 * Comments are left out. A preprocessor line, with the lines that it goes on in, is one token. Nothing is expanded, and
 * nothing is refused: a file that no compiler would take has tokens, too.  */
#ifndef GRADER_AUTHORING_C_TOKENS_H
#define GRADER_AUTHORING_C_TOKENS_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>

typedef enum CTokenKind {
    C_WORD,        /* a name */
    C_KEYWORD,     /* of C++, the names of built-in types included */
    C_NUMBER,      /* 3, 0x1F, 0.5f */
    C_TEXT,        /* "string" or 'c', with its prefix */
    C_PUNCTUATION, /* the longest operator that fits: "+=", "<<<" */
    C_DIRECTIVE    /* a preprocessor line */
} CTokenKind;

enum { C_NO_TOKEN = -1 };

typedef struct CToken {
    CTokenKind kind;
    size_t offset, length; /* in bytes */
    int line, column;      /* from 1 */
    int partner; /* index of the bracket that belongs to this one: ( [ { <<< or a template's <; or C_NO_TOKEN */
    int inside;  /* index of the innermost bracket that is open here; C_NO_TOKEN: none */
} CToken;

typedef struct CTokens {
    const char *source; /* the caller's; terminated */
    CToken *items;
    size_t count;
    Arena arena;
} CTokens;

/* The caller frees the tokens. `source` must outlive them. */
void c_tokens_read(const char *source, CTokens *tokens);
void c_tokens_free(CTokens *tokens);

/* Whether the token with this index is written as `text`; false where there is no such token. */
bool c_token_is(const CTokens *tokens, int index, const char *text);
/* Whether it opens a bracket that is closed, or closes one. */
bool c_token_opens(const CTokens *tokens, int index);
bool c_token_closes(const CTokens *tokens, int index);

#endif
