#include "simgpu/ptx/parse_token.h"

#include <stdarg.h>
#include <stdio.h>

void refuse(Parser *p, const Token *at, const char *format, ...)
{
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    p->refusal = arena_string(p->arena, text);
    p->refused_line = at->line;
    longjmp(*p->give_up, 1);
}

/* At most 60 characters of a token, printable, for messages. */
const char *shown(Parser *p, const Token *token)
{
    if (token->kind == TOKEN_END)
        return "the end of the text";
    char *copy = arena_printf(p->arena, "'%.*s'", (int)(token->length < 60 ? token->length : 60), token->text);
    for (char *c = copy; *c != '\0'; c++)
        if (*c < ' ' || *c > '~')
            *c = '?';
    return copy;
}

Token advance(Parser *p)
{
    Token taken = p->token;
    p->token = lexer_next(&p->lexer);
    if (p->token.kind == TOKEN_BAD)
        refuse(p, &p->token, "found %s, expected PTX", shown(p, &p->token));
    return taken;
}

bool consume(Parser *p, const char *text)
{
    if (!token_is(&p->token, text))
        return false;
    advance(p);
    return true;
}

void expect(Parser *p, const char *text)
{
    if (!consume(p, text))
        refuse(p, &p->token, "found %s, expected '%s'", shown(p, &p->token), text);
}

void skip_to(Parser *p, const char *text)
{
    while (!token_is(&p->token, text)) {
        if (p->token.kind == TOKEN_END)
            refuse(p, &p->token, "found the end of the text, expected '%s'", text);
        advance(p);
    }
}

Token expect_word(Parser *p, const char *what)
{
    if (p->token.kind != TOKEN_WORD)
        refuse(p, &p->token, "found %s, expected %s", shown(p, &p->token), what);
    return advance(p);
}

uint64_t expect_integer(Parser *p)
{
    if (p->token.kind != TOKEN_NUMBER || p->token.number_kind != NUMBER_INTEGER)
        refuse(p, &p->token, "found %s, expected an integer", shown(p, &p->token));
    return advance(p).number;
}

char *copy_text(Parser *p, const Token *token)
{
    return arena_copy(p->arena, token->text, token->length);
}
