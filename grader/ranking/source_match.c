#include "grader/ranking/source_match.h"

#include "base/hash.h"
#include "base/text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- what the teacher handed out --------------------------------------------------------------------------------- */

/* The next line without its spaces, in `line`; NULL at the end. Returns what comes after the line. */
static const char *next_line(const char *text, Text *line, bool *has_letter)
{
    text_free(line);
    text_add(line, "");
    *has_letter = false;
    if (*text == '\0')
        return NULL;
    for (; *text != '\0' && *text != '\n'; text++) {
        *has_letter = *has_letter || isalpha((unsigned char)*text);
        if (!isspace((unsigned char)*text))
            text_append(line, text, 1);
    }
    return *text == '\n' ? text + 1 : text;
}

static const char **lines_of(const char *text, Arena *arena, size_t *count)
{
    const char **lines = NULL;
    size_t capacity = 0;
    Text line = {0};
    bool has_letter;
    *count = 0;
    while ((text = next_line(text, &line, &has_letter)) != NULL)
        if (has_letter) {
            lines = arena_grown(arena, (void *)lines, *count, &capacity, sizeof *lines);
            lines[(*count)++] = arena_string(arena, line.data);
        }
    text_free(&line);
    if (*count > 0)
        qsort((void *)lines, *count, sizeof *lines, order_texts);
    return lines;
}

static void add_line(LineRange **ranges, size_t *count, size_t *capacity, int line, Arena *arena)
{
    if (*count > 0 && (*ranges)[*count - 1].last == line - 1) {
        (*ranges)[*count - 1].last = line;
        return;
    }
    *ranges = arena_grown(arena, *ranges, *count, capacity, sizeof **ranges);
    (*ranges)[(*count)++] = (LineRange){line, line};
}

void source_leave_out(const char *source, const char *handout, Arena *arena, Text *rest, LineRange **ranges,
                      size_t *count)
{
    Arena known_lines = {0};
    Text line = {0};
    size_t known_count, capacity = 0;
    int number = 0;
    bool has_letter;
    const char **known = lines_of(handout, &known_lines, &known_count), *next;
    *ranges = NULL;
    *count = 0;
    text_add(rest, "");
    for (; (next = next_line(source, &line, &has_letter)) != NULL; source = next) {
        const char *wanted = line.data;
        number++;
        if (has_letter && known_count > 0 &&
            bsearch(&wanted, (void *)known, known_count, sizeof *known, order_texts) != NULL) {
            text_add(rest, "\n");
            add_line(ranges, count, &capacity, number, arena);
        } else {
            text_append(rest, source, (size_t)(next - source));
        }
    }
    text_free(&line);
    arena_free(&known_lines);
}

/* ---- tokens ------------------------------------------------------------------------------------------------------ */

/* Sorted, for bsearch(). */
static const char *const own_words[] = {
    "auto",     "blockDim", "blockIdx", "bool",   "break",    "case",     "char",     "const",     "constexpr",
    "continue", "default",  "do",       "double", "else",     "enum",     "extern",   "float",     "for",
    "goto",     "gridDim",  "half",     "if",     "inline",   "int",      "long",     "register",  "return",
    "short",    "signed",   "sizeof",   "static", "struct",   "switch",   "template", "threadIdx", "typedef",
    "typename", "union",    "unsigned", "void",   "volatile", "warpSize", "while"};

typedef struct SourceWord {
    const char *text;
    size_t length;
} SourceWord;

static int by_word(const void *wanted, const void *item)
{
    const SourceWord *word = wanted;
    const char *own = *(const char *const *)item;
    int order = strncmp(word->text, own, word->length);
    return order != 0 ? order : own[word->length] == '\0' ? 0 : -1;
}

static bool is_own_word(const char *text, size_t length)
{
    const SourceWord word = {text, length};
    return (length > 2 && text[0] == '_' && text[1] == '_') ||
           bsearch(&word, own_words, sizeof own_words / sizeof *own_words, sizeof *own_words, by_word) != NULL;
}

static bool is_name_byte(char letter)
{
    return isalnum((unsigned char)letter) || letter == '_' || (unsigned char)letter >= 0x80;
}

typedef struct Scanner {
    const char *at;
    int line;
    bool at_line_start;
} Scanner;

static void skip_to_line_end(Scanner *scanner)
{
    while (*scanner->at != '\0' && *scanner->at != '\n')
        scanner->at++;
}

static void skip_block_comment(Scanner *scanner)
{
    for (scanner->at += 2; *scanner->at != '\0'; scanner->at++) {
        scanner->line += *scanner->at == '\n';
        if (scanner->at[0] == '*' && scanner->at[1] == '/') {
            scanner->at += 2;
            return;
        }
    }
}

static bool is_include(const char *at)
{
    if (*at++ != '#')
        return false;
    while (*at == ' ' || *at == '\t')
        at++;
    return strncmp(at, "include", strlen("include")) == 0;
}

/* Spaces, comments, and the lines that include headers, which everybody has. */
static void skip_blank(Scanner *scanner)
{
    for (;; scanner->at_line_start = scanner->at_line_start && *scanner->at != '\0') {
        const char *at = scanner->at;
        if (*at == '\n') {
            scanner->line++;
            scanner->at_line_start = true;
            scanner->at++;
        } else if (isspace((unsigned char)*at) || (at[0] == '\\' && at[1] == '\n')) {
            scanner->at++;
        } else if ((at[0] == '/' && at[1] == '/') || (scanner->at_line_start && is_include(at))) {
            skip_to_line_end(scanner);
        } else if (at[0] == '/' && at[1] == '*') {
            skip_block_comment(scanner);
        } else {
            return;
        }
    }
}

static void skip_quoted(Scanner *scanner)
{
    const char quote = *scanner->at++;
    while (*scanner->at != '\0' && *scanner->at != quote && *scanner->at != '\n')
        scanner->at += 1 + (scanner->at[0] == '\\' && scanner->at[1] != '\0' && scanner->at[1] != '\n');
    scanner->at += *scanner->at == quote;
}

/* Returns the next token, with only the parts that count. */
static uint64_t next_token(Scanner *scanner)
{
    const char *begin = scanner->at;
    scanner->at_line_start = false;
    if (*begin == '"' || *begin == '\'') {
        skip_quoted(scanner);
        return fnv_mixed(FNV_BASIS, "\"", 1);
    }
    if (isdigit((unsigned char)*begin) || (*begin == '.' && isdigit((unsigned char)begin[1]))) {
        while (is_name_byte(*scanner->at) || *scanner->at == '.')
            scanner->at++;
        return fnv_mixed(FNV_BASIS, "0", 1);
    }
    if (!is_name_byte(*begin)) {
        scanner->at++;
        return fnv_mixed(FNV_BASIS, begin, 1);
    }
    while (is_name_byte(*scanner->at))
        scanner->at++;
    const size_t length = (size_t)(scanner->at - begin);
    return is_own_word(begin, length) ? fnv_mixed(FNV_BASIS, begin, length) : fnv_mixed(FNV_BASIS, "n", 1);
}

/* ---- runs -------------------------------------------------------------------------------------------------------- */

static int by_hash(const void *a, const void *b)
{
    const SourceRun *x = a, *y = b;
    int order = (x->hash > y->hash) - (x->hash < y->hash);
    return order != 0 ? order : (x->at > y->at) - (x->at < y->at);
}

SourceTokens source_tokens_of(const char *source, Arena *arena)
{
    Scanner scanner = {.at = source, .line = 1, .at_line_start = true};
    Arena scratch = {0};
    uint64_t *tokens = arena_array(&scratch, strlen(source) + 1, sizeof *tokens);
    int *lines = arena_array(&scratch, strlen(source) + 1, sizeof *lines);
    SourceTokens found = {0};
    for (skip_blank(&scanner); *scanner.at != '\0'; skip_blank(&scanner)) {
        lines[found.count] = scanner.line;
        tokens[found.count++] = next_token(&scanner);
    }
    found.run_count = found.count < SOURCE_RUN ? 0 : found.count - SOURCE_RUN + 1;
    found.lines = arena_array(arena, found.count + 1, sizeof *found.lines);
    memcpy(found.lines, lines, found.count * sizeof *lines);
    found.runs = arena_array(arena, found.run_count + 1, sizeof *found.runs);
    found.hashes = arena_array(arena, found.run_count + 1, sizeof *found.hashes);
    for (size_t i = 0; i < found.run_count; i++) {
        found.hashes[i] = fnv_mixed(FNV_BASIS, tokens + i, SOURCE_RUN * sizeof *tokens);
        found.runs[i] = (SourceRun){found.hashes[i], (uint32_t)i};
    }
    qsort(found.runs, found.run_count, sizeof *found.runs, by_hash);
    arena_free(&scratch);
    return found;
}

/* The share of tokens that lie in the runs which are marked. */
static double share_of(const SourceTokens *tokens, const bool *marks)
{
    size_t covered = 0, end = 0;
    for (size_t i = 0; i < tokens->run_count; i++)
        if (marks[i]) {
            covered += i + SOURCE_RUN - (i > end ? i : end);
            end = i + SOURCE_RUN;
        }
    return tokens->count == 0 ? 0 : (double)covered / (double)tokens->count;
}

/* Marks the runs with one hash, and returns the place behind them. */
static size_t mark_equal(const SourceTokens *tokens, size_t at, bool *marks)
{
    const uint64_t hash = tokens->runs[at].hash;
    for (; at < tokens->run_count && tokens->runs[at].hash == hash; at++)
        marks[tokens->runs[at].at] = true;
    return at;
}

void source_shares(const SourceTokens *a, const SourceTokens *b, double *of_a, double *of_b)
{
    Arena arena = {0};
    bool *marks_a = NULL, *marks_b = NULL;
    *of_a = *of_b = 0;
    for (size_t i = 0, k = 0; i < a->run_count && k < b->run_count;) {
        if (a->runs[i].hash < b->runs[k].hash) {
            i++;
        } else if (b->runs[k].hash < a->runs[i].hash) {
            k++;
        } else {
            if (marks_a == NULL) {
                marks_a = arena_array(&arena, a->run_count, sizeof *marks_a);
                marks_b = arena_array(&arena, b->run_count, sizeof *marks_b);
            }
            i = mark_equal(a, i, marks_a);
            k = mark_equal(b, k, marks_b);
        }
    }
    if (marks_a != NULL) {
        *of_a = share_of(a, marks_a);
        *of_b = share_of(b, marks_b);
    }
    arena_free(&arena);
}

/* ---- parts ------------------------------------------------------------------------------------------------------- */

/* The first run of `tokens` with this hash; run_count: there is none. */
static size_t first_run(const SourceTokens *tokens, uint64_t hash)
{
    size_t low = 0, high = tokens->run_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (tokens->runs[middle].hash < hash)
            low = middle + 1;
        else
            high = middle;
    }
    return low < tokens->run_count && tokens->runs[low].hash == hash ? low : tokens->run_count;
}

/* How many runs in a row are the same from these two places on. */
static size_t equal_runs(const SourceTokens *a, size_t i, const SourceTokens *b, size_t k)
{
    size_t length = 0;
    while (i + length < a->run_count && k + length < b->run_count && a->hashes[i + length] == b->hashes[k + length])
        length++;
    return length;
}

/* Finds the longest match, and of equally long ones the first. It looks at a limited number of places, since a source
 * may repeat itself without end. */
static size_t longest(const SourceTokens *a, size_t i, const SourceTokens *b, size_t *place)
{
    enum { MOST_PLACES = 200 };
    size_t best = 0, first = first_run(b, a->hashes[i]);
    for (size_t k = first; k < b->run_count && k < first + MOST_PLACES && b->runs[k].hash == a->hashes[i]; k++) {
        const size_t length = equal_runs(a, i, b, b->runs[k].at);
        if (length > best) {
            best = length;
            *place = b->runs[k].at;
        }
    }
    return best;
}

SourcePart *source_parts(const SourceTokens *a, const SourceTokens *b, size_t most, Arena *arena, size_t *count)
{
    SourcePart *parts = arena_array(arena, most + 1, sizeof *parts);
    *count = 0;
    for (size_t i = 0; i < a->run_count && *count < most;) {
        size_t place = 0;
        const size_t runs = longest(a, i, b, &place);
        if (runs == 0) {
            i++;
            continue;
        }
        const size_t tokens = runs + SOURCE_RUN - 1;
        parts[(*count)++] = (SourcePart){.a = {a->lines[i], a->lines[i + tokens - 1]},
                                         .b = {b->lines[place], b->lines[place + tokens - 1]},
                                         .tokens = tokens};
        i += tokens;
    }
    return parts;
}
