/* parse_token.h - takes tokens one by one, and refuses those that do not fit.  */
#ifndef SIMGPU_PTX_PARSE_TOKEN_H
#define SIMGPU_PTX_PARSE_TOKEN_H

#include "simgpu/ptx/parser_state.h"

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

#endif
