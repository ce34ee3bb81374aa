#include "simgpu/ptx/lexer.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

Lexer lexer_new(const char *text, size_t length)
{
    return (Lexer){.at = text, .end = text + length, .line = 1};
}

bool token_is(const Token *token, const char *text)
{
    return token->length == strlen(text) && memcmp(token->text, text, token->length) == 0 &&
           token->kind != TOKEN_STRING && token->kind != TOKEN_END;
}

static char peek(const Lexer *lexer, size_t ahead)
{
    return (size_t)(lexer->end - lexer->at) > ahead ? lexer->at[ahead] : '\0';
}

static void skip_comment(Lexer *lexer)
{
    bool to_line_end = lexer->at[1] == '/';
    lexer->at += 2;
    while (lexer->at < lexer->end) {
        if (to_line_end && *lexer->at == '\n')
            return;
        if (!to_line_end && lexer->at[0] == '*' && peek(lexer, 1) == '/') {
            lexer->at += 2;
            return;
        }
        lexer->line += *lexer->at++ == '\n';
    }
}

static void skip_space(Lexer *lexer)
{
    while (lexer->at < lexer->end) {
        if (*lexer->at == '/' && (peek(lexer, 1) == '/' || peek(lexer, 1) == '*'))
            skip_comment(lexer);
        else if (isspace((unsigned char)*lexer->at))
            lexer->line += *lexer->at++ == '\n';
        else
            return;
    }
}

static bool is_word_character(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '%' || c == '.';
}

/* followsym, the dots of opcodes, and the "::" of their modifiers. A directive or type begins with a dot and is a word
 * of its own: ".reg.b32" is two words. */
static void take_word(Lexer *lexer)
{
    bool is_directive = *lexer->at == '.';
    lexer->at++;
    for (;;) {
        if (is_directive && peek(lexer, 0) == '.')
            return;
        if (is_word_character(peek(lexer, 0)))
            lexer->at++;
        else if (peek(lexer, 0) == ':' && peek(lexer, 1) == ':' && is_word_character(peek(lexer, 2)))
            lexer->at += 3;
        else
            return;
    }
}

/* Hexadecimal bits of a float literal: "0f" and 8 digits, or "0d" and 16. */
static bool take_float_bits(Lexer *lexer, Token *token)
{
    char kind = (char)tolower((unsigned char)peek(lexer, 1));
    size_t digits = kind == 'f' ? 8 : kind == 'd' ? 16 : 0;
    if (peek(lexer, 0) != '0' || digits == 0)
        return false;
    uint64_t bits = 0;
    for (size_t i = 0; i < digits; i++) {
        char c = (char)tolower((unsigned char)peek(lexer, 2 + i));
        if (!isxdigit((unsigned char)c))
            return false;
        bits = bits << 4 | (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
    }
    lexer->at += 2 + digits;
    token->number = bits;
    token->number_kind = kind == 'f' ? NUMBER_FLOAT32 : NUMBER_FLOAT64;
    return true;
}

/* Copies a number, because strtod() and strtoull() need a terminated string and would read past the text. */
static void take_number(Lexer *lexer, Token *token)
{
    if (take_float_bits(lexer, token))
        return;
    char copy[64] = "";
    size_t length = 0;
    bool has_point = false, is_hexadecimal = peek(lexer, 0) == '0' && tolower((unsigned char)peek(lexer, 1)) == 'x';
    while (length < sizeof copy - 1) {
        char c = peek(lexer, length);
        bool exponent_sign = !is_hexadecimal && length > 0 && tolower((unsigned char)copy[length - 1]) == 'e' &&
                             (c == '-' || c == '+');
        if (!isalnum((unsigned char)c) && c != '.' && !exponent_sign)
            break;
        has_point |= c == '.' || exponent_sign;
        copy[length++] = c;
    }
    copy[length] = '\0';
    char *stop;
    if (has_point) {
        double value = strtod(copy, &stop);
        memcpy(&token->number, &value, sizeof value);
        token->number_kind = NUMBER_FLOAT64;
    } else if (copy[0] == '0' && tolower((unsigned char)copy[1]) == 'b') {
        token->number = strtoull(copy + 2, &stop, 2);
    } else {
        token->number = strtoull(copy, &stop, 0);
    }
    stop += *stop == 'U';
    if (*stop != '\0')
        token->kind = TOKEN_BAD;
    lexer->at += length;
}

static void take_string(Lexer *lexer, Token *token)
{
    const char *start = ++lexer->at;
    while (lexer->at < lexer->end && *lexer->at != '"' && *lexer->at != '\n')
        lexer->at += *lexer->at == '\\' && peek(lexer, 1) != '\n' && peek(lexer, 1) != '\0' ? 2 : 1;
    token->kind = lexer->at < lexer->end && *lexer->at == '"' ? TOKEN_STRING : TOKEN_BAD;
    token->text = start;
    token->length = (size_t)(lexer->at - start);
    if (token->kind == TOKEN_STRING)
        lexer->at++;
}

Token lexer_next(Lexer *lexer)
{
    skip_space(lexer);
    Token token = {.kind = TOKEN_END, .text = lexer->at, .line = lexer->line};
    if (lexer->at >= lexer->end || *lexer->at == '\0')
        return token;
    if (*lexer->at == '"') {
        take_string(lexer, &token);
        return token;
    }
    if (isdigit((unsigned char)*lexer->at)) {
        token.kind = TOKEN_NUMBER;
        take_number(lexer, &token);
    } else if (is_word_character(*lexer->at)) {
        token.kind = TOKEN_WORD;
        take_word(lexer);
    } else {
        token.kind = strchr(",;:(){}[]<>|!@=+-*/&^~?", *lexer->at) != NULL ? TOKEN_SYMBOL : TOKEN_BAD;
        lexer->at++;
    }
    token.length = (size_t)(lexer->at - token.text);
    return token;
}
