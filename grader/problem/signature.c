#include "grader/problem/signature.h"

#include "base/text.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

enum {
    MAX_PARAMETERS = 64,
    MAX_LIST_LENGTH =
        4096 /* characters between the parentheses; without a limit, a hostile source could take quadratic time */
};

/* --- source text without comments and strings ------------------------------------------------------------------ */

static void blank(char *from, const char *to)
{
    for (; from < to; from++)
        if (*from != '\n')
            *from = ' ';
}

static char *end_of_line_comment(char *at, char *end)
{
    while (at < end && *at != '\n')
        at += *at == '\\' && at + 1 < end ? 2 : 1; /* a backslash at its end continues the line */
    return at < end ? at : end;
}

static char *end_of_block_comment(char *at, char *end)
{
    char *close = memmem(at + 2, (size_t)(end - at) - 2, "*/", 2);
    return close == NULL ? end : close + 2;
}

/* A preprocessor directive with its continuation lines. A comment that begins in it may go on behind it. */
static char *end_of_directive(char *at, char *end)
{
    while (at < end && *at != '\n') {
        if (at + 1 < end && at[0] == '/' && at[1] == '*')
            at = end_of_block_comment(at, end);
        else
            at += *at == '\\' && at + 1 < end ? 2 : 1;
    }
    return at < end ? at : end;
}

/* A string or a character literal. One that is not closed ends with its line. */
static char *end_of_quoted(char *at, char *end)
{
    char quote = *at++;
    while (at < end && *at != quote && *at != '\n')
        at += *at == '\\' && at + 1 < end ? 2 : 1;
    return at < end ? at + (*at == quote) : end;
}

/* R"tag( ... )tag"; `at` is on the quote. */
static char *end_of_raw_string(char *at, char *end)
{
    char ending[20] = ")";
    size_t length = 1;
    for (at++; at < end && *at != '(' && length < 17; at++)
        ending[length++] = *at;
    ending[length++] = '"';
    char *close = at < end ? memmem(at, (size_t)(end - at), ending, length) : NULL;
    return close == NULL ? end : close + length;
}

/* A prefix such as R, LR or u8R makes the string raw. Behind a digit, as in 1'000, a quote begins no literal. */
static bool is_raw(const char *start, const char *quote)
{
    return quote > start && quote[-1] == 'R';
}

static bool is_digit_separator(const char *start, const char *quote)
{
    return *quote == '\'' && quote > start && isdigit((unsigned char)quote[-1]);
}

/* Copies the source with spaces in place of comments, strings and directives, so that offsets and lines stay. */
static char *code_only(const char *source, size_t length, Arena *arena)
{
    char *code = arena_copy(arena, source, length), *end = code + length;
    bool line_start = true;
    for (char *at = code; at < end;) {
        char *stop = at + 1;
        if (at + 1 < end && at[0] == '/' && at[1] == '/')
            stop = end_of_line_comment(at, end);
        else if (at + 1 < end && at[0] == '/' && at[1] == '*')
            stop = end_of_block_comment(at, end);
        else if (line_start && *at == '#')
            stop = end_of_directive(at, end);
        else if (*at == '"')
            stop = is_raw(code, at) ? end_of_raw_string(at, end) : end_of_quoted(at, end);
        else if (*at == '\'' && !is_digit_separator(code, at))
            stop = end_of_quoted(at, end);
        if (stop > at + 1 || *at == '\0')
            blank(at, stop);
        line_start = *at == '\n' || (line_start && isspace((unsigned char)*at));
        at = stop;
    }
    return code;
}

/* --- one parameter ------------------------------------------------------------------------------------------------ */

/* The type that the words before the first star make up. */
typedef struct Type {
    bool is_const, is_unsigned, is_signed, is_short;
    int longs, pointers;
    const char *base; /* "float", "int", ...; NULL: not yet seen */
} Type;

/* One token: a word, or one other character. Returns what follows it. */
static const char *next_token(const char *at, const char *end, const char **token, size_t *length)
{
    while (at < end && isspace((unsigned char)*at))
        at++;
    *token = at;
    if (at < end && text_in_word(*at))
        while (at < end && text_in_word(*at))
            at++;
    else if (at < end)
        at++;
    *length = (size_t)(at - *token);
    return at;
}

static bool token_is(const char *token, size_t length, const char *word)
{
    return strlen(word) == length && memcmp(token, word, length) == 0;
}

static bool is_ignored(const char *token, size_t length)
{
    static const char *const ignored[] = {"__restrict__", "__restrict", "restrict", "volatile",
                                          "std",          ":",          "struct",   "register"};
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
        if (token_is(token, length, ignored[i]))
            return true;
    return false;
}

/* Types that have several names. `long` is that of 64 bits. */
static const char *plain_name(Arena *arena, const char *token, size_t length)
{
    static const char *const names[][2] = {{"uint8_t", "unsigned char"},
                                           {"int8_t", "signed char"},
                                           {"int16_t", "short int"},
                                           {"uint16_t", "unsigned short int"},
                                           {"int32_t", "int"},
                                           {"uint32_t", "unsigned int"},
                                           {"int64_t", "long int"},
                                           {"uint64_t", "unsigned long int"},
                                           {"half", "__half"},
                                           {"half2", "__half2"},
                                           {"nv_bfloat16", "__nv_bfloat16"},
                                           {"nv_bfloat162", "__nv_bfloat162"},
                                           {"uint", "unsigned int"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (token_is(token, length, names[i][0]))
            return names[i][1];
    return arena_copy(arena, token, length);
}

/* Takes a word of the type; false if it is the name of the parameter. */
static bool add_type_word(Type *type, const char *token, size_t length, Arena *arena)
{
    if (token_is(token, length, "const"))
        type->is_const |= type->pointers == 0; /* the last const of "float* const x" does not matter to a caller */
    else if (token_is(token, length, "unsigned"))
        type->is_unsigned = true;
    else if (token_is(token, length, "signed"))
        type->is_signed = true;
    else if (token_is(token, length, "short"))
        type->is_short = true;
    else if (token_is(token, length, "long"))
        type->longs++;
    else if (type->base == NULL && type->pointers == 0 &&
             (token_is(token, length, "int") || token_is(token, length, "char") || token_is(token, length, "double") ||
              !(type->is_unsigned || type->is_signed || type->is_short || type->longs > 0)))
        type->base = plain_name(arena, token, length);
    else if (!token_is(token, length, "int")) /* as in "long int" */
        return false;
    return true;
}

/* Writes each type in one way: "const unsigned char*". The const of a parameter by value does not matter. */
static const char *type_text(const Type *type, Arena *arena)
{
    static const char stars[] = "********";
    const char *base = type->base == NULL ? "int" : type->base;
    const char *sign = type->is_unsigned ? "unsigned " : type->is_signed && strcmp(base, "char") == 0 ? "signed " : "";
    const char *size = type->is_short ? "short " : type->longs > 1 ? "long long " : type->longs == 1 ? "long " : "";
    return arena_printf(arena, "%s%s%s%s%.*s", type->is_const && type->pointers > 0 ? "const " : "", sign, size, base,
                        type->pointers, stars);
}

/* "const float *__restrict__ input", "float input[]", "int n = 3" */
static SignatureParameter parse_parameter(const char *at, const char *end, Arena *arena)
{
    Type type = {0};
    SignatureParameter parameter = {.name = ""};
    const char *token;
    size_t length;
    while (at = next_token(at, end, &token, &length), length > 0 && *token != '=') {
        if (is_ignored(token, length) || *token == ']' || isdigit((unsigned char)*token))
            continue;
        if (*token == '*' || *token == '[')
            type.pointers++;
        else if (!text_in_word(*token)) /* a reference or a template, which no problem uses */
            type.base = arena_printf(arena, "%s%c", type.base == NULL ? "" : type.base, *token);
        else if (!add_type_word(&type, token, length, arena) && *parameter.name == '\0')
            parameter.name = arena_copy(arena, token, length);
    }
    parameter.type = type_text(&type, arena);
    return parameter;
}

/* --- the parameter list ------------------------------------------------------------------------------------------- */

/* The closing parenthesis of the list that opens before `at`; NULL if there is none. */
static const char *closing(const char *at, const char *end)
{
    const char *limit = end - at > MAX_LIST_LENGTH ? at + MAX_LIST_LENGTH : end;
    for (int depth = 1; at < limit; at++) {
        depth += (*at == '(') - (*at == ')');
        if (depth == 0)
            return at;
    }
    return NULL;
}

static const char *end_of_parameter(const char *at, const char *end)
{
    int depth = 0;
    for (; at < end; at++) {
        depth += (*at == '(' || *at == '<') - (*at == ')' || *at == '>');
        if (*at == ',' && depth <= 0)
            return at;
    }
    return end;
}

static bool is_blank(const char *at, const char *end)
{
    while (at < end && isspace((unsigned char)*at))
        at++;
    return at == end;
}

/* Reads the parameters from the text between the parentheses. */
static void parse_list(const char *at, const char *end, Arena *arena, Signature *signature)
{
    signature->parameters = arena_array(arena, MAX_PARAMETERS, sizeof *signature->parameters);
    signature->parameter_count = 0;
    if (is_blank(at, end))
        return;
    while (signature->parameter_count < MAX_PARAMETERS) {
        const char *stop = end_of_parameter(at, end);
        SignatureParameter parameter = parse_parameter(at, stop, arena);
        if (stop == end && signature->parameter_count == 0 && strcmp(parameter.type, "void") == 0)
            return; /* solve(void) */
        signature->parameters[signature->parameter_count++] = parameter;
        if (stop == end)
            return;
        at = stop + 1;
    }
}

/* True if the word at `at`, after "void", is "solve" with a parameter list; sets `*open` and `*close` to its
 * parentheses. */
static bool is_solve(const char *at, const char *end, const char **open, const char **close)
{
    const char *token;
    size_t length;
    at = next_token(at, end, &token, &length);
    if (!token_is(token, length, "solve"))
        return false;
    *open = next_token(at, end, &token, &length);
    *close = token_is(token, length, "(") ? closing(*open, end) : NULL;
    return *close != NULL;
}

/* Looks for a "void solve(...)" with `ending` behind it. */
static bool find_solve(const char *code, size_t length, char ending, Arena *arena, Signature *signature)
{
    const char *end = code + length, *token, *open, *close;
    size_t token_length;
    for (const char *at = code; at = next_token(at, end, &token, &token_length), token_length > 0;) {
        if (!token_is(token, token_length, "void") || !is_solve(at, end, &open, &close))
            continue;
        next_token(close + 1, end, &token, &token_length);
        if (ending != '\0' ? token_length != 1 || *token != ending : token_length != 0)
            continue;
        const char *word = memmem(at, (size_t)(end - at), "solve", 5);
        signature->line = text_line_at(code, (size_t)(word - code));
        parse_list(open, close, arena, signature);
        return true;
    }
    return false;
}

Status signature_find(const char *source, size_t length, Arena *arena, Signature *signature, Message *why)
{
    *signature = (Signature){0};
    if (find_solve(code_only(source, length, arena), length, '{', arena, signature))
        return STATUS_OK;
    return fail(STATUS_NOT_FOUND, why, "no definition of \"void solve(...)\" found");
}

Status signature_parse(const char *declaration, Arena *arena, Signature *signature, Message *why)
{
    *signature = (Signature){0};
    if (find_solve(declaration, strlen(declaration), '\0', arena, signature))
        return STATUS_OK;
    return fail(STATUS_BAD_INPUT, why, "expected a declaration \"void solve(...)\", found \"%s\"", declaration);
}

int signature_matches(const Signature *a, const Signature *b, int names_too)
{
    if (a->parameter_count != b->parameter_count)
        return 0;
    for (size_t i = 0; i < a->parameter_count; i++)
        if (strcmp(a->parameters[i].type, b->parameters[i].type) != 0 ||
            (names_too && strcmp(a->parameters[i].name, b->parameters[i].name) != 0))
            return 0;
    return 1;
}

/* --- loops -------------------------------------------------------------------------------------------------------- */

static bool is_word_at(const char *start, const char *at, const char *end, const char *word)
{
    const size_t length = strlen(word);
    return (size_t)(end - at) >= length && memcmp(at, word, length) == 0 && (at == start || !text_in_word(at[-1])) &&
           (at + length == end || !text_in_word(at[length]));
}

static const char *behind_blanks(const char *at, const char *end)
{
    while (at < end && isspace((unsigned char)*at))
        at++;
    return at;
}

/* Behind the bracket that closes the one at `at`; the end where none does. Other characters are one long. */
static const char *behind_brackets(const char *at, const char *end)
{
    int depth = 0;
    do {
        depth += *at == '(' || *at == '[' || *at == '{';
        depth -= *at == ')' || *at == ']' || *at == '}';
        at++;
    } while (depth > 0 && at < end);
    return at;
}

/* Behind the statement that begins at `at`. It has as many `else` as `if`, at most. */
static const char *behind_statement(const char *at, const char *end)
{
    for (int choices = 0;; choices--) {
        const char *start = at;
        for (; at < end && *at != ';' && *at != '{' && *at != '}'; at = behind_brackets(at, end))
            choices += is_word_at(start, at, end, "if");
        if (at == end || *at == '}')
            return at;
        at = behind_brackets(at, end);
        const char *next = behind_blanks(at, end);
        if (choices == 0 || !is_word_at(at, next, end, "else"))
            return at;
        at = next + strlen("else");
    }
}

/* The last word before the first `=`; NULL: there is none. */
static const char *variable_of(const char *at, const char *end, Arena *arena)
{
    const char *last = memchr(at, '=', (size_t)(end - at));
    while (last != NULL && last > at && isspace((unsigned char)last[-1]))
        last--;
    const char *first = last;
    while (first != NULL && first > at && text_in_word(first[-1]))
        first--;
    return first == last || isdigit((unsigned char)*first) ? NULL : arena_copy(arena, first, (size_t)(last - first));
}

/* The loop whose parentheses lie at `open`; its lines are not known yet. False where it has no variable or condition. */
static bool read_header(const char *code, const char *open, const char *end, Arena *arena, SourceLoop *loop)
{
    const char *close = behind_brackets(open, end - open > MAX_LIST_LENGTH ? open + MAX_LIST_LENGTH : end) - 1;
    const char *semicolons[2];
    size_t count = 0;
    for (const char *at = open + 1; at < close; at = behind_brackets(at, close))
        if (*at == ';' && count < 2)
            semicolons[count++] = at;
    if (*close != ')' || count < 2 || behind_blanks(semicolons[0] + 1, semicolons[1]) == semicolons[1])
        return false;
    *loop = (SourceLoop){.variable = variable_of(open + 1, semicolons[0], arena),
                         .condition = (size_t)(semicolons[0] + 1 - code),
                         .condition_end = (size_t)(semicolons[1] - code)};
    return loop->variable != NULL;
}

/* Whether the lines from `at` to `behind` hold nothing but the loop, and those around it. */
static bool is_alone(const char *code, const char *at, const char *behind, const char *end)
{
    const char *line = at;
    while (line > code && line[-1] != '\n')
        line--;
    for (; line < at; line = *line == '(' ? behind_brackets(line, at) : line + 1)
        if (*line == ';' || *line == '}')
            return false;
    for (; behind < end && *behind != '\n'; behind++)
        if (!isspace((unsigned char)*behind) && *behind != '}')
            return false;
    return true;
}

size_t source_loops(const char *source, size_t length, Arena *arena, SourceLoop loops[SOURCE_MOST_LOOPS])
{
    const char *code = code_only(source, length, arena), *end = code + length;
    size_t count = 0, left = 4 * SOURCE_MOST_LOOPS; /* each may be as long as a hostile source */
    for (const char *at = code; at < end && count < SOURCE_MOST_LOOPS && left > 0; at++) {
        const char *open = at + strlen("for");
        if (!is_word_at(code, at, end, "for") || (open = behind_blanks(open, end)) == end || *open != '(')
            continue;
        left--;
        if (!read_header(code, open, end, arena, &loops[count]))
            continue;
        const char *behind = behind_statement(behind_brackets(open, end), end);
        if (!is_alone(code, at, behind, end))
            continue;
        loops[count].first_line = text_line_at(source, (size_t)(at - code));
        loops[count++].last_line = text_line_at(source, (size_t)(behind - code) - 1);
    }
    return count;
}
