#include "grader/authoring/c_tokens.h"

#include <ctype.h>
#include <string.h>

/* Longer ones first. */
static const char *const punctuators[] = {"<<<", ">>>", "<<=", ">>=", "...", "->*", "<=>", "::", "->", "++",
                                          "--",  "<<",  ">>",  "<=",  ">=",  "==",  "!=",  "&&", "||", "+=",
                                          "-=",  "*=",  "/=",  "%=",  "&=",  "|=",  "^=",  "##"};

static const char *const keywords[] = {"alignas",       "asm",       "auto",        "bool",
                                       "break",         "case",      "char",        "class",
                                       "const",         "constexpr", "continue",    "default",
                                       "delete",        "do",        "double",      "else",
                                       "enum",          "extern",    "false",       "float",
                                       "for",           "goto",      "if",          "inline",
                                       "int",           "long",      "namespace",   "new",
                                       "nullptr",       "operator",  "return",      "short",
                                       "signed",        "sizeof",    "static",      "struct",
                                       "switch",        "template",  "this",        "true",
                                       "typedef",       "typename",  "union",       "unsigned",
                                       "using",         "void",      "volatile",    "while",
                                       "__asm__",       "decltype",  "static_cast", "reinterpret_cast",
                                       "static_assert", "const_cast"};

enum { MAX_DEPTH = 256 }; /* of brackets; deeper ones have no partner */

typedef struct TokenReader {
    CTokens *tokens;
    size_t at, line_start, capacity;
    int line;
    bool line_has_token; /* otherwise a '#' begins a preprocessor line */
    int open_launches;   /* "<<<" without their ">>>"; while there are none, ">>>" closes three templates */
} TokenReader;

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* Moves on and counts lines. */
static void advance(TokenReader *reader, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        if (reader->tokens->source[reader->at++] == '\n') {
            reader->line++;
            reader->line_start = reader->at;
            reader->line_has_token = false;
        }
}

static size_t comment_length(const char *text)
{
    if (text[0] == '/' && text[1] == '/')
        return strcspn(text, "\n");
    if (text[0] != '/' || text[1] != '*')
        return 0;
    const char *end = strstr(text + 2, "*/");
    return end == NULL ? strlen(text) : (size_t)(end + 2 - text);
}

/* Up to the end of the line, or of the last line that a backslash joins to it, without a comment at its end. */
static size_t directive_length(const char *text)
{
    size_t length = 0;
    while (text[length] != '\0' && text[length] != '\n') {
        if (text[length] == '/' && (text[length + 1] == '/' || text[length + 1] == '*'))
            break;
        bool joins = text[length] == '\\' && (text[length + 1] == '\n' || strncmp(text + length + 1, "\r\n", 2) == 0);
        length += joins ? 1 + strcspn(text + length, "\n") : 1;
    }
    return length;
}

/* The length of a literal between quotes, which begins at `text`. One that is not closed ends with its line. */
static size_t quoted_length(const char *text)
{
    size_t length = 1;
    while (text[length] != '\0' && text[length] != '\n' && text[length] != text[0])
        length += text[length] == '\\' && text[length + 1] != '\0' ? 2 : 1;
    return text[length] == text[0] ? length + 1 : length;
}

/* R"name(...)name": `text` begins at the quote. 0: it is no such literal. */
static size_t raw_length(const char *text)
{
    char end[24];
    size_t name = strcspn(text + 1, "(\n \"");
    if (text[1 + name] != '(' || name + 3 > sizeof end)
        return 0;
    end[0] = ')';
    memcpy(end + 1, text + 1, name);
    memcpy(end + 1 + name, "\"", 2);
    const char *found = strstr(text, end);
    return found == NULL ? strlen(text) : (size_t)(found - text) + strlen(end);
}

/* With its prefix: u8"x", L'x', R"(x)". 0: no literal begins here. */
static size_t text_length(const char *text)
{
    size_t prefix = strspn(text, "uULR8");
    if (prefix > 3 || (text[prefix] != '"' && text[prefix] != '\''))
        return 0;
    bool raw = prefix > 0 && text[prefix - 1] == 'R' && text[prefix] == '"';
    size_t length = raw ? raw_length(text + prefix) : quoted_length(text + prefix);
    return length == 0 ? 0 : prefix + length;
}

static bool begins_word(char c)
{
    return isalpha((unsigned char)c) || c == '_' || (unsigned char)c >= 128;
}

static bool in_word(char c)
{
    return begins_word(c) || isdigit((unsigned char)c);
}

/* A preprocessing number: C++17, [lex.ppnumber]. */
static size_t number_length(const char *text)
{
    size_t length = text[0] == '.' ? 1 : 0;
    if (!isdigit((unsigned char)text[length]))
        return 0;
    while (in_word(text[length]) || text[length] == '.' || (text[length] == '\'' && in_word(text[length + 1])))
        length += strchr("eEpP", text[length]) != NULL && (text[length + 1] == '+' || text[length + 1] == '-') ? 2 : 1;
    return length;
}

static size_t word_length(const char *text)
{
    size_t length = 0;
    while (in_word(text[length]))
        length++;
    return length;
}

static bool is_keyword(const char *text, size_t length)
{
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
        if (strlen(keywords[i]) == length && strncmp(keywords[i], text, length) == 0)
            return true;
    return false;
}

static size_t punctuation_length(TokenReader *reader, const char *text)
{
    for (size_t i = 0; i < sizeof punctuators / sizeof *punctuators; i++) {
        size_t length = strlen(punctuators[i]);
        if (strncmp(text, punctuators[i], length) != 0 ||
            (text[0] == '>' && length == 3 && text[2] == '>' && reader->open_launches == 0))
            continue;
        if (length == 3 && text[2] == text[0] && text[0] != '.')
            reader->open_launches += text[0] == '<' ? 1 : -1;
        return length;
    }
    return 1;
}

static void add_token(TokenReader *reader, CTokenKind kind, size_t length)
{
    CTokens *tokens = reader->tokens;
    tokens->items = arena_grown(&tokens->arena, tokens->items, tokens->count, &reader->capacity, sizeof *tokens->items);
    tokens->items[tokens->count++] = (CToken){.kind = kind,
                                              .offset = reader->at,
                                              .length = length,
                                              .line = reader->line,
                                              .column = (int)(reader->at - reader->line_start) + 1,
                                              .partner = C_NO_TOKEN,
                                              .inside = C_NO_TOKEN};
    reader->line_has_token = true;
    advance(reader, length);
}

static void read_token(TokenReader *reader)
{
    const char *text = reader->tokens->source + reader->at;
    size_t length;
    if (text[0] == '#' && !reader->line_has_token)
        add_token(reader, C_DIRECTIVE, directive_length(text));
    else if ((length = text_length(text)) > 0)
        add_token(reader, C_TEXT, length);
    else if ((length = word_length(text)) > 0 && begins_word(text[0]))
        add_token(reader, is_keyword(text, length) ? C_KEYWORD : C_WORD, length);
    else if ((length = number_length(text)) > 0)
        add_token(reader, C_NUMBER, length);
    else
        add_token(reader, C_PUNCTUATION, punctuation_length(reader, text));
}

/* ---- brackets ---------------------------------------------------------------------------------------------------- */

bool c_token_is(const CTokens *tokens, int index, const char *text)
{
    if (index < 0 || (size_t)index >= tokens->count)
        return false;
    const CToken *token = &tokens->items[index];
    return strlen(text) == token->length && memcmp(tokens->source + token->offset, text, token->length) == 0;
}

bool c_token_opens(const CTokens *tokens, int index)
{
    return index >= 0 && (size_t)index < tokens->count && tokens->items[index].partner > index;
}

bool c_token_closes(const CTokens *tokens, int index)
{
    return index >= 0 && (size_t)index < tokens->count && tokens->items[index].partner != C_NO_TOKEN &&
           tokens->items[index].partner < index;
}

/* Whether the token may stand in a list of template arguments or parameters. A comparison with '<' meets something else
 * before it meets a '>'. */
static bool fits_template(const CTokens *tokens, int index)
{
    static const char *const fitting[] = {",", "*", "&", "::", "=", "...", "(", ")"};
    const CTokenKind kind = tokens->items[index].kind;
    bool fits = kind == C_WORD || kind == C_KEYWORD || kind == C_NUMBER;
    for (size_t i = 0; i < sizeof fitting / sizeof *fitting; i++)
        fits = fits || c_token_is(tokens, index, fitting[i]);
    return fits;
}

/* The '>' that closes the template's list that '<' at `index` may open; C_NO_TOKEN: it is a comparison. */
static int template_end(const CTokens *tokens, int index)
{
    int depth = 0;
    for (int i = index; (size_t)i < tokens->count; i++) {
        if (c_token_is(tokens, i, "<"))
            depth++;
        else if (c_token_is(tokens, i, ">") && --depth == 0)
            return i;
        else if (!c_token_is(tokens, i, ">") && !fits_template(tokens, i))
            return C_NO_TOKEN;
    }
    return C_NO_TOKEN;
}

static void pair_templates(CTokens *tokens)
{
    for (int i = 0; (size_t)i < tokens->count; i++) {
        int end = c_token_is(tokens, i, "<") ? template_end(tokens, i) : C_NO_TOKEN;
        if (end == C_NO_TOKEN)
            continue;
        tokens->items[i].partner = end;
        tokens->items[end].partner = i;
    }
}

/* The bracket that closes the one at `index`; NULL: it opens none. */
static const char *closing(const CTokens *tokens, int index)
{
    static const char *const pairs[][2] = {{"(", ")"}, {"[", "]"}, {"{", "}"}, {"<<<", ">>>"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (c_token_is(tokens, index, pairs[i][0]))
            return pairs[i][1];
    return NULL;
}

static void pair_brackets(CTokens *tokens)
{
    int open[MAX_DEPTH], depth = 0;
    for (int i = 0; (size_t)i < tokens->count; i++) {
        CToken *token = &tokens->items[i];
        const bool closes_template = c_token_is(tokens, i, ">") && token->partner != C_NO_TOKEN;
        const char *end = depth > 0 ? closing(tokens, open[depth - 1]) : NULL;
        if (depth > 0 && (closes_template ? open[depth - 1] == token->partner : end && c_token_is(tokens, i, end))) {
            token->partner = open[--depth];
            tokens->items[token->partner].partner = i;
        }
        token->inside = depth > 0 ? open[depth - 1] : C_NO_TOKEN;
        const bool opens_template = c_token_is(tokens, i, "<") && token->partner != C_NO_TOKEN;
        if (depth < MAX_DEPTH && (opens_template || closing(tokens, i) != NULL))
            open[depth++] = i;
    }
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

void c_tokens_read(const char *source, CTokens *tokens)
{
    TokenReader reader = {.tokens = tokens, .line = 1};
    *tokens = (CTokens){.source = source};
    while (source[reader.at] != '\0') {
        size_t comment = comment_length(source + reader.at);
        if (comment > 0)
            advance(&reader, comment);
        else if (isspace((unsigned char)source[reader.at]))
            advance(&reader, 1);
        else
            read_token(&reader);
    }
    pair_templates(tokens);
    pair_brackets(tokens);
}

void c_tokens_free(CTokens *tokens)
{
    arena_free(&tokens->arena);
    *tokens = (CTokens){0};
}
