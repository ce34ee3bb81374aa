/* mutation.h - makes mutants of a CUDA source: copies with one mistake each, of the kinds that students make.
 *
 * Kinds     the rows of mutation.def; besides these, a size parameter in place of another ("swapped sizes") and a loop
 *           over an array from its other end ("flipped filter"). A shortcut is wrapped around the whole of solve().
 * Not here  whether a mutant compiles, or is wrong: mutant_trial.h.  */
#ifndef GRADER_COMMANDS_MUTATION_H
#define GRADER_COMMANDS_MUTATION_H

#include "base/arena.h"
#include "base/text.h"
#include "grader/problem/problem.h"

#include <stdbool.h>
#include <stddef.h>

/* ==== c tokens ==================================================================================================== */

/* Splits CUDA C++ into tokens, each with its place in the text.
 *
 * Comments are left out. A preprocessor line, with the lines that it goes on in, is one token. Nothing is expanded, and
 * nothing is refused: a file that no compiler would take has tokens, too. */

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

/* ==== mutation ==================================================================================================== */

typedef struct Mutant {
    const char *mistake;   /* "off by one" */
    int line;              /* of the first byte that changes, from 1 */
    size_t offset, length; /* the bytes that are replaced */
    const char *text;      /* by these */
    const char *shown;     /* what a person is shown of a long text; NULL: the lines that change */
} Mutant;

typedef struct Mutants {
    Mutant *items; /* in order of their rows; no two have the same text */
    size_t count;
    Arena arena;
} Mutants;

/* Every mutant of a solution of the problem. `source` may be freed afterwards. */
void mutants_make(const char *source, const Problem *problem, Mutants *mutants);
void mutants_free(Mutants *mutants);

/* Adds the whole text of a mutant. */
void mutant_source(const char *source, const Mutant *mutant, Text *text);

/* Adds the lines that change, as they were and as they are; each run of white space is one space, none at the ends. */
void mutant_lines(const char *source, const Mutant *mutant, Text *before, Text *after);
/* The same of the bytes that change, without the rest of their lines. */
void mutant_texts(const char *source, const Mutant *mutant, Text *before, Text *after);

#endif
