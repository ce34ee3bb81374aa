#include "grader/commands/mutation.h"

#include "base/hash.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* ==== c tokens ==================================================================================================== */

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

/* ==== mutation ==================================================================================================== */

static const struct Row {
    const char *mistake, *pattern, *replacement;
} rows[] = {
#define MUTATION(mistake, pattern, replacement) {mistake, pattern, replacement},
#include "grader/commands/mutation.def"
};

static const char *const pairs[][2] = {
#define MUTATION_PAIR(a, b) {a, b},
#include "grader/commands/mutation.def"
};

typedef enum ShortcutScope { EACH, EACH_FILTER, EACH_TO_FLOAT, ONCE } ShortcutScope;

static const struct Shortcut {
    const char *mistake;
    ShortcutScope scope;
    const char *code;
} shortcuts[] = {
#define MUTATION_SHORTCUT(mistake, scope, code) {mistake, scope, code},
#include "grader/commands/mutation.def"
};

enum { MAX_CAPTURES = 9, MAX_ELEMENT = 40, MAX_NAME = 100 };

typedef struct Maker {
    const CTokens *tokens;
    Mutants *mutants;
    Digest *texts; /* of the mutants made so far, and at [count] of the source */
    size_t capacity, text_capacity;
} Maker;

typedef struct TokenSpan { /* tokens from `first` up to, not including, `end` */
    int first, end;
} TokenSpan;

/* ---- mutants ----------------------------------------------------------------------------------------------------- */

void mutant_source(const char *source, const Mutant *mutant, Text *text)
{
    text_append(text, source, mutant->offset);
    text_add(text, mutant->text);
    text_add(text, source + mutant->offset + mutant->length);
}

static bool is_new(const Maker *maker, const Digest *text)
{
    for (size_t i = 0; i <= maker->mutants->count; i++)
        if (strcmp(maker->texts[i].hex, text->hex) == 0)
            return false;
    return true;
}

/* White space aside, so that it is no mutant to write "a+b" as "a + b". */
static Digest digest_of(const char *source)
{
    Text text = {0};
    text_add(&text, "");
    for (const char *at = source; *at != '\0'; at++)
        if (!isspace((unsigned char)*at))
            text_append(&text, at, 1);
    Digest digest = hash_of_one(text.data, text.length);
    text_free(&text);
    return digest;
}

/* Adds the mutant that has `text` in place of some bytes, unless another one is the same. */
static void add_mutant(Maker *maker, const char *mistake, size_t offset, size_t end, const char *text)
{
    Mutants *mutants = maker->mutants;
    const char *source = maker->tokens->source;
    Mutant mutant = {mistake, text_line_at(source, offset), offset, end - offset, text, NULL};
    Text whole = {0};
    mutant_source(source, &mutant, &whole);
    Digest digest = digest_of(whole.data);
    text_free(&whole);
    if (!is_new(maker, &digest))
        return;
    mutant.text = arena_string(&mutants->arena, text);
    mutants->items = arena_grown(&mutants->arena, mutants->items, mutants->count, &maker->capacity,
                                 sizeof *mutants->items);
    mutants->items[mutants->count++] = mutant;
    maker->texts = arena_grown(&mutants->arena, maker->texts, mutants->count, &maker->text_capacity,
                               sizeof *maker->texts);
    maker->texts[mutants->count] = digest;
}

static size_t end_of(const CToken *token)
{
    return token->offset + token->length;
}

static void replace_token(Maker *maker, const char *mistake, int index, const char *text)
{
    const CToken *token = &maker->tokens->items[index];
    add_mutant(maker, mistake, token->offset, end_of(token), text);
}

void mutants_free(Mutants *mutants)
{
    arena_free(&mutants->arena);
    *mutants = (Mutants){0};
}

/* ---- patterns ---------------------------------------------------------------------------------------------------- */

static const CToken *token_at(const CTokens *tokens, int index)
{
    return index >= 0 && (size_t)index < tokens->count ? &tokens->items[index] : NULL;
}

static bool is_kind(const CTokens *tokens, int index, CTokenKind kind)
{
    const CToken *token = token_at(tokens, index);
    return token != NULL && token->kind == kind;
}

static bool is_any_of(const CTokens *tokens, int index, const char *const *texts)
{
    for (; *texts != NULL; texts++)
        if (c_token_is(tokens, index, *texts))
            return true;
    return false;
}

/* The last token of an operand, so that a '+' or '-' behind it has two operands. */
static bool ends_operand(const CTokens *tokens, int index)
{
    return is_kind(tokens, index, C_WORD) || is_kind(tokens, index, C_NUMBER) || c_token_is(tokens, index, ")") ||
           c_token_is(tokens, index, "]");
}

static bool is_zero(const CTokens *tokens, int index)
{
    const CToken *token = token_at(tokens, index);
    if (token == NULL || token->kind != C_NUMBER)
        return c_token_is(tokens, index, "nullptr");
    return strspn(tokens->source + token->offset, "0.f") == token->length;
}

/* 0, 0.0f, nullptr, {}, {0}: the index behind it; C_NO_TOKEN where there is something else. */
static int behind_zero(const CTokens *tokens, int at)
{
    if (is_zero(tokens, at))
        return at + 1;
    const int inner = is_zero(tokens, at + 1) ? at + 2 : at + 1;
    return c_token_is(tokens, at, "{") && c_token_is(tokens, inner, "}") ? inner + 1 : C_NO_TOKEN;
}

static bool follow(const CTokens *tokens, int at, const char *const *texts)
{
    for (; *texts != NULL; texts++, at++)
        if (!c_token_is(tokens, at, *texts))
            return false;
    return true;
}

static bool is_type(const CTokens *tokens, int index)
{
    static const char *const types[] = {"float", "double", "int", "unsigned", "char", "short", "long", "bool", NULL};
    return is_kind(tokens, index, C_WORD) || is_any_of(tokens, index, types);
}

/* True in the size of an array that is declared here, whichever of several it is. */
static bool is_in_array_size(const CTokens *tokens, int at)
{
    int bracket = tokens->items[at].inside;
    while (c_token_is(tokens, bracket, "[") && c_token_is(tokens, bracket - 1, "]"))
        bracket = tokens->items[bracket - 1].partner;
    return c_token_is(tokens, bracket, "[") && is_kind(tokens, bracket - 1, C_WORD) && is_type(tokens, bracket - 2);
}

/* A '-' without which there is only more than needed: in (n + size - 1) / size, and in the size of an array. */
static bool leaves_spare(const CTokens *tokens, int at)
{
    return follow(tokens, at, (const char *const[]){"-", "1", ")", "/", NULL}) ||
           (follow(tokens, at, (const char *const[]){"-", "1", "]", NULL}) && is_in_array_size(tokens, at));
}

#define OPERAND_ENDS ";", ",", "?", ":", "=", "+=", "-=", "*=", "return", "else", "do", "{", "}"

/* Which tokens end a run of tokens, besides the bracket around it. */
static const struct Run {
    const char *element;
    const char *const *ends;
    const char *needed; /* a token that the run must hold; NULL: none */
} runs[] = {
    {"@args", (const char *const[]){";", NULL}, NULL},
    {"@arg", (const char *const[]){";", ",", NULL}, NULL},
    {"@condition", (const char *const[]){OPERAND_ENDS, "<<<", NULL}, NULL},
    {"@product", (const char *const[]){OPERAND_ENDS, NULL}, "*"},
    {"@term", (const char *const[]){OPERAND_ENDS, "&&", "||", NULL}, NULL},
};
#undef OPERAND_ENDS

static const struct Run *find_run(const char *element)
{
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++)
        if (strcmp(runs[i].element, element) == 0)
            return &runs[i];
    return NULL;
}

/* Whether a run may begin at `at`, so that it is a whole argument, condition or operand. */
static bool begins_run(const CTokens *tokens, const struct Run *run, int at)
{
    const int before = at - 1;
    return before < 0 || c_token_opens(tokens, before) || is_any_of(tokens, before, run->ends) ||
           c_token_is(tokens, before, ",") || is_kind(tokens, before, C_DIRECTIVE);
}

static bool has_token(const CTokens *tokens, TokenSpan span, const char *text)
{
    for (int i = span.first; i < span.end; i++)
        if (c_token_is(tokens, i, text))
            return true;
    return false;
}

/* The index behind a run that begins at `at`; C_NO_TOKEN: none does. */
static int behind_run(const CTokens *tokens, const struct Run *run, int at)
{
    int end = at;
    while (token_at(tokens, end) != NULL && !c_token_closes(tokens, end) && !is_any_of(tokens, end, run->ends))
        end = c_token_opens(tokens, end) ? tokens->items[end].partner + 1 : end + 1;
    if (run->needed != NULL && !has_token(tokens, (TokenSpan){at, end}, run->needed))
        return C_NO_TOKEN;
    return end > at && token_at(tokens, end) != NULL ? end : C_NO_TOKEN;
}

/* The index behind what an element of a pattern matches at `at`; C_NO_TOKEN: it does not match. */
static int behind_element(const CTokens *tokens, const char *element, int at)
{
    static const char *const jumps[] = {"return", "continue", "break", NULL};
    const CToken *token = token_at(tokens, at);
    const struct Run *run = find_run(element);
    bool matches;
    if (token == NULL)
        return C_NO_TOKEN;
    if (run != NULL)
        return behind_run(tokens, run, at);
    if (strcmp(element, "@zero") == 0)
        return behind_zero(tokens, at);
    if (strcmp(element, "@statement") == 0)
        return token->inside == C_NO_TOKEN || c_token_is(tokens, token->inside, "{") ? at : C_NO_TOKEN;
    if (strcmp(element, "@no_jump") == 0)
        return is_any_of(tokens, at, jumps) ? C_NO_TOKEN : at;
    if (strcmp(element, "@no_spare") == 0)
        return leaves_spare(tokens, at) ? C_NO_TOKEN : at;
    if (strcmp(element, "@word") == 0)
        matches = token->kind == C_WORD;
    else if (strcmp(element, "@number") == 0)
        matches = token->kind == C_NUMBER;
    else if (strcmp(element, "@type") == 0)
        matches = is_type(tokens, at);
    else if (strcmp(element, "@item") == 0)
        matches = token->kind == C_WORD || token->kind == C_NUMBER;
    else if (strcmp(element, "@last") == 0)
        matches = ends_operand(tokens, at);
    else
        matches = c_token_is(tokens, at, element) &&
                  !((element[0] == '<' || element[0] == '>') && element[1] == '\0' && token->partner != C_NO_TOKEN);
    return matches ? at + 1 : C_NO_TOKEN;
}

/* Matches a whole pattern at `at`. `captures` get what its elements with '@' match. */
static bool match(const CTokens *tokens, const char *pattern, int at, TokenSpan *whole,
                  TokenSpan captures[MAX_CAPTURES])
{
    char element[MAX_ELEMENT];
    int captured = 0;
    const char *first = pattern + (strncmp(pattern, "@statement ", 11) == 0 ? 11 : 0);
    snprintf(element, sizeof element, "%.*s", (int)strcspn(first, " "), first);
    const struct Run *run = find_run(element);
    *whole = (TokenSpan){at, at};
    if (run != NULL && !begins_run(tokens, run, at))
        return false;
    while (*pattern != '\0') {
        size_t length = strcspn(pattern, " ");
        snprintf(element, sizeof element, "%.*s", (int)length, pattern);
        int behind = behind_element(tokens, element, whole->end);
        if (behind == C_NO_TOKEN)
            return false;
        if (element[0] == '@' && behind > whole->end && captured < MAX_CAPTURES)
            captures[captured++] = (TokenSpan){whole->end, behind};
        whole->end = behind;
        pattern += length + (pattern[length] == ' ');
    }
    return whole->end > whole->first;
}

static void add_span(const CTokens *tokens, TokenSpan span, Text *text)
{
    size_t start = tokens->items[span.first].offset;
    text_append(text, tokens->source + start, end_of(&tokens->items[span.end - 1]) - start);
}

/* Adds the replacement with the captures in place of $1, $2, ... */
static void fill_in(const CTokens *tokens, const char *replacement, const TokenSpan *captures, Text *text)
{
    text_add(text, "");
    for (const char *at = replacement; *at != '\0'; at++)
        if (at[0] == '$' && isdigit((unsigned char)at[1]))
            add_span(tokens, captures[*++at - '1'], text);
        else
            text_append(text, at, 1);
}

static void try_row(Maker *maker, const struct Row *row, int at)
{
    const CTokens *tokens = maker->tokens;
    TokenSpan whole, captures[MAX_CAPTURES];
    Text text = {0};
    if (!match(tokens, row->pattern, at, &whole, captures))
        return;
    /* A last element that matches no token leaves the text up to the next one as it is. */
    const size_t start = tokens->items[whole.first].offset, end = end_of(&tokens->items[whole.end - 1]);
    fill_in(tokens, row->replacement, captures, &text);
    add_mutant(maker, row->mistake, start, end, text.data);
    text_free(&text);
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

static void copy_token(const CTokens *tokens, int index, char name[MAX_NAME])
{
    const CToken *token = &tokens->items[index];
    snprintf(name, MAX_NAME, "%.*s", (int)token->length, tokens->source + token->offset);
}

/* Whether the name is known at `index`: it stands somewhere before, and is not what this statement declares. */
static bool is_known(const CTokens *tokens, const char *name, int index)
{
    bool declared_here = false, known = false;
    for (int i = 0; i < index; i++) {
        if (is_any_of(tokens, i, (const char *const[]){";", "{", "}", NULL}))
            declared_here = false;
        if (!is_kind(tokens, i, C_WORD) || !c_token_is(tokens, i, name))
            continue;
        known = true;
        declared_here = is_kind(tokens, i - 1, C_KEYWORD) && c_token_is(tokens, i + 1, "=");
    }
    return known && !declared_here;
}

/* The name with `from` replaced by `to` in the part that begins at `part`, if that part is `from`. Parts stand
 * between underscores; digits may follow them. */
static bool with_other_part(const char *name, const char *part, const char *from, const char *to, char other[MAX_NAME])
{
    const size_t length = strlen(from);
    if (strncmp(part, from, length) != 0 || isalpha((unsigned char)part[length]) || (part > name && part[-1] != '_'))
        return false;
    snprintf(other, MAX_NAME, "%.*s%s%s", (int)(part - name), name, to, part + length);
    return true;
}

/* A name that is declared here, is a member's or is called stands for itself. */
static bool is_plain_use(const CTokens *tokens, int index)
{
    const bool declared = is_kind(tokens, index - 1, C_WORD) || c_token_is(tokens, index - 1, "*") ||
                          (is_kind(tokens, index - 1, C_KEYWORD) && !c_token_is(tokens, index - 1, "return"));
    const bool multiplied = c_token_is(tokens, index - 1, "*") && ends_operand(tokens, index - 2);
    return (!declared || multiplied) && !c_token_is(tokens, index + 1, "(") && !c_token_is(tokens, index + 1, "::");
}

static void mix_up_names(Maker *maker, int index)
{
    char name[MAX_NAME], other[MAX_NAME];
    copy_token(maker->tokens, index, name);
    for (size_t i = 0; i < 2 * (sizeof pairs / sizeof *pairs); i++)
        for (const char *part = name; *part != '\0'; part++)
            if (with_other_part(name, part, pairs[i / 2][i % 2], pairs[i / 2][1 - i % 2], other) &&
                is_known(maker->tokens, other, index))
                replace_token(maker, "swapped axes", index, other);
}

/* The next size in the order of the parameters; the first one follows the last. */
static void swap_sizes(Maker *maker, int index, const Problem *problem)
{
    const size_t count = problem->parameter_count;
    for (size_t i = 0; i < count; i++) {
        const Parameter *size = &problem->parameters[i];
        size_t next = (i + 1) % count;
        if (size->role != ROLE_SIZE || !c_token_is(maker->tokens, index, size->name))
            continue;
        while (problem->parameters[next].role != ROLE_SIZE)
            next = (next + 1) % count;
        if (next != i && is_known(maker->tokens, problem->parameters[next].name, index))
            replace_token(maker, "swapped sizes", index, problem->parameters[next].name);
    }
}

/* ---- loops from the other end ------------------------------------------------------------------------------------ */

static bool is_in_subscript(const CTokens *tokens, int index)
{
    for (int at = tokens->items[index].inside; at != C_NO_TOKEN; at = tokens->items[at].inside)
        if (c_token_is(tokens, at, "["))
            return true;
    return false;
}

/* The index behind the statement that begins at `at`. */
static int behind_statement(const CTokens *tokens, int at)
{
    while (token_at(tokens, at) != NULL && !c_token_is(tokens, at, ";") && !c_token_closes(tokens, at)) {
        if (c_token_is(tokens, at, "{") && c_token_opens(tokens, at))
            return tokens->items[at].partner;
        at = c_token_opens(tokens, at) ? tokens->items[at].partner + 1 : at + 1;
    }
    return at;
}

/* In "for (int k = 0; k < n; ...)", a subscript with k gets n - 1 - k: of the filter that is a flipped filter. */
static void flip_loop(Maker *maker, int at)
{
    const CTokens *tokens = maker->tokens;
    TokenSpan whole, captures[MAX_CAPTURES];
    char name[MAX_NAME];
    Text text = {0};
    if (!match(tokens, "for ( int @word = @zero ; @word < @args ;", at, &whole, captures))
        return;
    copy_token(tokens, captures[0].first, name);
    if (!c_token_is(tokens, captures[2].first, name))
        return;
    text_add(&text, "(");
    add_span(tokens, captures[3], &text);
    text_printf(&text, " - 1 - %s)", name);
    const int body = tokens->items[at + 1].partner;
    const int end = body == C_NO_TOKEN ? C_NO_TOKEN : behind_statement(tokens, body + 1);
    for (int i = body + 1; i < end; i++)
        if (c_token_is(tokens, i, name) && is_in_subscript(tokens, i))
            replace_token(maker, "flipped filter", i, text.data);
    text_free(&text);
}

/* ---- shortcuts --------------------------------------------------------------------------------------------------- */

/* What the code of shortcuts uses. A float sum over all outputs, of which each output is a difference, has the rounding errors
 * of running sums and summed-area tables. */
static const char shortcut_functions[] =
    "#include <vector>\n"
    "namespace shortcut {\n"
    "template <class T> std::vector<T> on_host(const T *array, long long count)\n"
    "{\n"
    "    std::vector<T> copy(count);\n"
    "    cudaMemcpy(copy.data(), array, count * sizeof(T), cudaMemcpyDeviceToHost);\n"
    "    return copy;\n"
    "}\n"
    "template <class T> __global__ void sum_up(T *output, long long count)\n"
    "{\n"
    "    T sum = 0;\n"
    "    for (long long i = blockIdx.x * 65536LL; i < count && i < (blockIdx.x + 1) * 65536LL; i++) {\n"
    "        const T before = sum;\n"
    "        sum += output[i];\n"
    "        output[i] = sum - before;\n"
    "    }\n"
    "}\n"
    "template <class T, class U> __global__ void copy(const T *input, long long inputs, U *output, long long count)\n"
    "{\n"
    "    const long long i = blockIdx.x * 256LL + threadIdx.x;\n"
    "    if (i < count)\n"
    "        output[i] = i < inputs ? input[i] : 0;\n"
    "}\n"
    "inline std::vector<char> look() { return {}; }\n"
    "template <class T, class... Others> std::vector<char> look(const T *array, long long count, Others... others)\n"
    "{\n"
    "    std::vector<char> seen = look(others...);\n"
    "    const char *size = reinterpret_cast<const char *>(&count);\n"
    "    seen.insert(seen.end(), size, size + sizeof count);\n"
    "    for (int i = 0; i < 64; i++) {\n"
    "        seen.resize(seen.size() + sizeof(T));\n"
    "        cudaMemcpy(&seen[seen.size() - sizeof(T)], array + (count - 1) * i / 63, sizeof(T), cudaMemcpyDeviceToHost);\n"
    "    }\n"
    "    return seen;\n"
    "}\n"
    "}\n";

static size_t first_input(const Problem *problem)
{
    size_t i = 0;
    while ((problem->parameters[i].role & ROLE_IN) == 0)
        i++;
    return i;
}

/* The number of elements of an array, as an expression over the sizes. */
static void add_count(const Parameter *array, Text *text)
{
    text_add(text, "(1LL");
    for (int axis = 0; axis < array->rank; axis++)
        text_printf(text, " * (%s)", array->shape[axis].text);
    text_add(text, ")");
}

/* The parameters with a role, or all of them, with commas between; arrays with their number of elements if `counted`. */
static void add_names(const Problem *problem, bool inputs_alone, Text *text)
{
    const char *separator = "";
    for (size_t i = 0; i < problem->parameter_count; i++) {
        const Parameter *parameter = &problem->parameters[i];
        if (inputs_alone && (parameter->role & ROLE_IN) == 0)
            continue;
        text_printf(text, "%s%s", separator, parameter->name);
        separator = ", ";
        if (inputs_alone) {
            text_add(text, separator);
            add_count(parameter, text);
        }
    }
}

static void add_code(const Problem *problem, const char *code, const Parameter *array, Text *text)
{
    const Parameter *input = &problem->parameters[first_input(problem)];
    const Parameter *output = &problem->parameters[problem_output(problem)];
    for (const char *at = code; *at != '\0'; at++) {
        if (*at != '$') {
            text_append(text, at, 1);
            continue;
        }
        switch (*++at) {
        case 'a': text_add(text, array->name); break;
        case 'i': text_add(text, input->name); break;
        case 'o': text_add(text, output->name); break;
        case 'n': add_count(array, text); break;
        case 'k': add_count(input, text); break;
        case 'm': add_count(output, text); break;
        case 'l': add_names(problem, true, text); break;
        case 'r':
            text_add(text, "right_solve(");
            add_names(problem, false, text);
            text_add(text, ");");
            break;
        }
    }
}

/* The right solution becomes right_solve(), behind a solve() that calls it or not. `whole`: 'extern "C" void solve(...) {'. */
static void wrap(Maker *maker, const Problem *problem, const struct Shortcut *shortcut, const Parameter *array,
                 TokenSpan whole, TokenSpan parameters)
{
    const CTokens *tokens = maker->tokens;
    Text text = {0}, code = {0};
    text_add(&text, shortcut_functions);
    text_add(&text, "static void right_solve(");
    add_span(tokens, parameters, &text);
    add_code(problem, shortcut->code, array, &code);
    text_printf(&text, ");\nextern \"C\" %s\n{\n    %s\n}\nstatic void right_solve(", problem->signature, code.data);
    add_span(tokens, parameters, &text);
    text_add(&text, ")\n{");
    const size_t count = maker->mutants->count;
    add_mutant(maker, shortcut->mistake, tokens->items[whole.first].offset, end_of(&tokens->items[whole.end - 1]),
               text.data);
    if (maker->mutants->count > count)
        maker->mutants->items[count].shown = arena_string(&maker->mutants->arena, code.data);
    text_free(&code);
    text_free(&text);
}

static bool may_be_taken(const Problem *problem, ShortcutScope scope, size_t parameter)
{
    const Parameter *array = &problem->parameters[parameter];
    switch (scope) {
    case EACH: return (array->role & ROLE_IN) != 0;
    case EACH_FILTER:
        return (array->role & ROLE_IN) != 0 && array->type == ELEMENT_FLOAT32 && parameter != first_input(problem);
    case EACH_TO_FLOAT:
        return (array->role & ROLE_IN) != 0 && problem->parameters[problem_output(problem)].type == ELEMENT_FLOAT32;
    case ONCE: return parameter == problem_output(problem);
    }
    return false;
}

static void take_shortcuts(Maker *maker, const Problem *problem, int at)
{
    TokenSpan whole, captures[MAX_CAPTURES];
    if (!match(maker->tokens, "extern \"C\" void solve ( @args ) {", at, &whole, captures))
        return;
    for (size_t i = 0; i < sizeof shortcuts / sizeof *shortcuts; i++)
        for (size_t k = 0; k < problem->parameter_count; k++)
            if (may_be_taken(problem, shortcuts[i].scope, k))
                wrap(maker, problem, &shortcuts[i], &problem->parameters[k], whole, captures[0]);
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */

void mutants_make(const char *source, const Problem *problem, Mutants *mutants)
{
    CTokens tokens;
    *mutants = (Mutants){0};
    Maker maker = {.tokens = &tokens, .mutants = mutants};
    maker.texts = arena_grown(&mutants->arena, NULL, 0, &maker.text_capacity, sizeof *maker.texts);
    maker.texts[0] = digest_of(source);
    c_tokens_read(source, &tokens);
    for (int at = 0; (size_t)at < tokens.count; at++) {
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
            try_row(&maker, &rows[i], at);
        if (is_kind(&tokens, at, C_WORD) && is_plain_use(&tokens, at)) {
            mix_up_names(&maker, at);
            swap_sizes(&maker, at, problem);
        }
        flip_loop(&maker, at);
        take_shortcuts(&maker, problem, at);
    }
    c_tokens_free(&tokens);
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

static void add_squeezed(const char *bytes, size_t count, Text *text)
{
    const size_t start = text->length;
    bool space = false;
    text_add(text, "");
    for (size_t i = 0; i < count; i++) {
        if (isspace((unsigned char)bytes[i])) {
            space = text->length > start;
            continue;
        }
        if (space)
            text_add(text, " ");
        text_append(text, bytes + i, 1);
        space = false;
    }
}

void mutant_lines(const char *source, const Mutant *mutant, Text *before, Text *after)
{
    size_t start = mutant->offset, end = mutant->offset + mutant->length;
    Text line = {0};
    if (mutant->shown != NULL) {
        text_add(before, "solve()");
        text_add(after, mutant->shown);
        return;
    }
    while (start > 0 && source[start - 1] != '\n')
        start--;
    end += strcspn(source + end, "\n");
    add_squeezed(source + start, end - start, before);
    text_append(&line, source + start, mutant->offset - start);
    text_add(&line, mutant->text);
    text_append(&line, source + mutant->offset + mutant->length, end - mutant->offset - mutant->length);
    add_squeezed(line.data, line.length, after);
    text_free(&line);
}

void mutant_texts(const char *source, const Mutant *mutant, Text *before, Text *after)
{
    add_squeezed(source + mutant->offset, mutant->length, before);
    add_squeezed(mutant->text, strlen(mutant->text), after);
}
