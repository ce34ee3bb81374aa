#include "grader/ranking/similarity.h"

#include "base/clock.h"
#include "base/hash.h"
#include "base/paths.h"
#include "base/scratch.h"
#include "base/text.h"
#include "grader/judge/compilation.h"
#include "harness/compile/toolkit.h"
#include "harness/device/device_open.h"
#include "simgpu/ptx/fatbin.h"
#include "simgpu/ptx/lexer.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ==== source match ================================================================================================ */

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

typedef struct HandedOut {
    Text text;           /* of all files */
    Submission *sources; /* of those that may have device code */
    size_t count, capacity;
    Fingerprints *code; /* [count], of the sources, filled in by who compiles; likewise the next */
    Digest *machine_code;
    size_t unreadable; /* files */
    Arena arena;
} HandedOut;

/* ==== fingerprint ================================================================================================= */

enum { GRAM = 8, WINDOW = 8 };

/* ---- instructions ------------------------------------------------------------------------------------------------ */

typedef struct Hashes {
    Arena *arena;
    uint64_t *items;
    size_t count, capacity;
} Hashes;

static void add_hash(Hashes *hashes, uint64_t hash)
{
    hashes->items = arena_grown(hashes->arena, hashes->items, hashes->count, &hashes->capacity, sizeof hash);
    hashes->items[hashes->count++] = hash;
}

/* "%f12", but not "%tid.x". */
static bool is_register(const Token *token)
{
    size_t i = 1;
    if (token->kind != TOKEN_WORD || token->text[0] != '%')
        return false;
    while (i < token->length && isalpha((unsigned char)token->text[i]))
        i++;
    return i < token->length && isdigit((unsigned char)token->text[i]);
}

/* Mixes an operand into a hash: only its kind counts, except for special registers and symbols. */
static uint64_t mixed_operand(uint64_t hash, const Token *token)
{
    if (is_register(token))
        return fnv_mixed(hash, "r", 1);
    if (token->kind == TOKEN_NUMBER)
        return fnv_mixed(hash, "c", 1);
    if (token->kind == TOKEN_WORD && token->text[0] != '%' && token->text[0] != '.')
        return fnv_mixed(hash, "n", 1);
    return fnv_mixed(hash, token->text, token->length);
}

static bool is_symbol(const Token *token, char symbol)
{
    return token->kind == TOKEN_SYMBOL && token->text[0] == symbol;
}

/* Reads up to the end of a statement; `first` is its first token. */
static void skip_statement(Lexer *lexer, Token first)
{
    for (Token token = first; token.kind != TOKEN_END; token = lexer_next(lexer))
        if (is_symbol(&token, ';') || is_symbol(&token, '{') || is_symbol(&token, '}'))
            return;
}

/* The number of tokens on the line that a line directive begins is unknown, so the rest of its line is skipped. */
static Token after_line(Lexer *lexer, int line)
{
    Token token = lexer_next(lexer);
    while (token.kind != TOKEN_END && token.line == line)
        token = lexer_next(lexer);
    return token;
}

static bool is_line_directive(const Token *token)
{
    static const char *const names[] = {".loc", ".file", ".section", ".version", ".target", ".address_size"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (token_is(token, names[i]))
            return true;
    return false;
}

static void add_instruction(Lexer *lexer, Token token, Hashes *hashes)
{
    uint64_t hash = fnv_mixed(FNV_BASIS, token.text, token.length);
    token = lexer_next(lexer);
    if (is_symbol(&token, ':')) /* a label */
        return;
    for (; token.kind != TOKEN_END && !is_symbol(&token, ';'); token = lexer_next(lexer))
        hash = mixed_operand(hash, &token);
    add_hash(hashes, hash);
}

static void add_instructions(const char *ptx, size_t bytes, Hashes *hashes)
{
    Lexer lexer = lexer_new(ptx, bytes);
    Token token = lexer_next(&lexer);
    while (token.kind != TOKEN_END) {
        if (is_line_directive(&token)) {
            token = after_line(&lexer, token.line);
            continue;
        }
        if (is_symbol(&token, '@')) { /* a guard: "@!%p1" */
            while (token.kind != TOKEN_END && !is_register(&token))
                token = lexer_next(&lexer);
            add_hash(hashes, fnv_mixed(FNV_BASIS, "@", 1));
        } else if (token.kind == TOKEN_WORD && token.text[0] == '.') {
            skip_statement(&lexer, token);
        } else if (token.kind == TOKEN_WORD) {
            add_instruction(&lexer, token, hashes);
        }
        token = lexer_next(&lexer);
    }
}

/* ---- winnowing --------------------------------------------------------------------------------------------------- */

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static Fingerprints set_of(Hashes *hashes)
{
    Fingerprints set = {.hashes = hashes->items};
    if (hashes->count > 0)
        qsort(hashes->items, hashes->count, sizeof *hashes->items, by_value);
    for (size_t i = 0; i < hashes->count; i++)
        if (set.count == 0 || hashes->items[i] != set.hashes[set.count - 1])
            set.hashes[set.count++] = hashes->items[i];
    return set;
}

static void winnow(const Hashes *instructions, Hashes *chosen)
{
    uint64_t grams[WINDOW];
    size_t gram_count = instructions->count < GRAM ? 0 : instructions->count - GRAM + 1;
    for (size_t i = 0; i < gram_count; i++) {
        grams[i % WINDOW] = fnv_mixed(FNV_BASIS, instructions->items + i, GRAM * sizeof *instructions->items);
        uint64_t least = grams[0];
        for (size_t k = 1; k < WINDOW && k <= i; k++)
            least = grams[k] < least ? grams[k] : least;
        if (i + 1 >= WINDOW || i + 1 == gram_count)
            add_hash(chosen, least);
    }
}

Fingerprints fingerprints_of_ptx(const char *ptx, size_t bytes, Arena *arena)
{
    Hashes instructions = {.arena = arena}, chosen = {.arena = arena};
    add_instructions(ptx, bytes, &instructions);
    winnow(&instructions, &chosen);
    return set_of(&chosen);
}

/* Computes the fingerprints of the modules of a compilation for compute capability `compute` (90). */
static Fingerprints fingerprints_of(const Compiled *compiled, int compute, Arena *arena)
{
    Fatbin fatbin;
    if (compiled->module_count == 0 ||
        fatbin_read(compiled->modules[0].image, compiled->modules[0].bytes, compute, &fatbin, NULL) != STATUS_OK ||
        fatbin.ptx == NULL)
        return (Fingerprints){0};
    return fingerprints_of_ptx(fatbin.ptx, fatbin.ptx_bytes, arena);
}

/* ---- sets -------------------------------------------------------------------------------------------------------- */

static bool contains(const Fingerprints *set, uint64_t hash)
{
    return set->count > 0 && bsearch(&hash, set->hashes, set->count, sizeof hash, by_value) != NULL;
}

void fingerprints_remove(Fingerprints *all, const Fingerprints *known)
{
    size_t kept = 0;
    for (size_t i = 0; i < all->count; i++)
        if (!contains(known, all->hashes[i]))
            all->hashes[kept++] = all->hashes[i];
    all->count = kept;
}

double fingerprints_share(const Fingerprints *a, const Fingerprints *b)
{
    size_t common = 0;
    for (size_t i = 0, k = 0; i < a->count; i++) {
        while (k < b->count && b->hashes[k] < a->hashes[i])
            k++;
        common += k < b->count && b->hashes[k] == a->hashes[i];
    }
    return a->count == 0 ? 0 : (double)common / (double)a->count;
}

/* ==== source files ================================================================================================ */

/* The files with certain endings in a folder and those below it, in the order of their names.
 *
 * Links and names that begin with a dot are passed over. Folders deeper than twelve, and what comes after 20,000 files, are refused,
 * since a path such as / is a mistake. */

enum { MOST_DEPTH = 12, MOST_FILES = 20000 };

typedef struct FolderWalk {
    const char *root;
    const char *const *endings;
    void (*take)(void *context, const char *path, const char *name);
    void *context;
    int files;
    Arena arena;
} FolderWalk;

/* Endings such as ".cu", NULL at the end. */
static bool source_file_ends_with(const char *path, const char *const *endings)
{
    const size_t length = strlen(path);
    for (; *endings != NULL; endings++) {
        const size_t ending = strlen(*endings);
        if (length > ending && strcmp(path + length - ending, *endings) == 0)
            return true;
    }
    return false;
}

static void take_file(FolderWalk *walk, const char *path, const char *name)
{
    char *shown = arena_string(&walk->arena, name);
    size_t bad;
    while (!text_is_utf8(shown, strlen(shown), &bad))
        shown[bad] = '?';
    walk->take(walk->context, path, shown);
}

static int select_shown(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static Status walk_folder(FolderWalk *walk, const char *folder, const char *below, int depth, Message *why);

static Status walk_entry(FolderWalk *walk, const char *path, const char *name, int depth, Message *why)
{
    struct stat info;
    if (lstat(path, &info) != 0)
        return STATUS_OK; /* it has just gone */
    if (S_ISDIR(info.st_mode))
        return walk_folder(walk, path, arena_printf(&walk->arena, "%s/", name), depth + 1, why);
    if (!S_ISREG(info.st_mode) || !source_file_ends_with(path, walk->endings))
        return STATUS_OK;
    if (++walk->files > MOST_FILES)
        return fail(STATUS_BAD_INPUT, why, "%s: more than %d files, expected a folder of sources", walk->root,
                    MOST_FILES);
    take_file(walk, path, name);
    return STATUS_OK;
}

static Status walk_folder(FolderWalk *walk, const char *folder, const char *below, int depth, Message *why)
{
    struct dirent **entries;
    Status status = STATUS_OK;
    if (depth > MOST_DEPTH)
        return fail(STATUS_BAD_INPUT, why, "%s: folders in folders, %d deep, expected a folder of sources", folder,
                    depth);
    const int count = scandir(folder, &entries, select_shown, alphasort);
    if (count < 0)
        return fail(STATUS_NOT_FOUND, why, "%s: cannot be read: %s", folder, strerror(errno));
    for (int i = 0; i < count; i++) {
        THEN(status, walk_entry(walk, arena_printf(&walk->arena, "%s/%s", folder, entries[i]->d_name),
                                arena_printf(&walk->arena, "%s%s", below, entries[i]->d_name), depth, why));
        free(entries[i]);
    }
    free(entries);
    return status;
}

/* Calls `take` with each file's path and its name below `path`, in which bytes that are no UTF-8 are '?'. A `path` that is a file itself
 * is taken whatever its ending. */
static MUST_USE Status source_files_each(const char *path, const char *const *endings,
                                         void (*take)(void *context, const char *path, const char *name), void *context,
                                         Message *why)
{
    FolderWalk walk = {.root = path, .endings = endings, .take = take, .context = context};
    struct stat info;
    Status status = STATUS_OK;
    if (stat(path, &info) == 0 && S_ISREG(info.st_mode)) {
        const char *slash = strrchr(path, '/');
        take_file(&walk, path, slash == NULL ? path : slash + 1);
    } else {
        status = walk_folder(&walk, path, "", 0, why);
    }
    arena_free(&walk.arena);
    return status;
}

/* ==== handed out ================================================================================================== */

/* Code that the teacher has handed out, so that no student has copied it from another. */

static void take_handed_out(void *context, const char *path, const char *name)
{
    static const char *const device_code[] = {".cu", NULL};
    HandedOut *handed_out = context;
    Message ignored;
    Submission submission = {0};
    (void)name;
    if (submission_read(path, &submission, &ignored) != STATUS_OK) {
        handed_out->unreadable++;
        return;
    }
    submission.path = arena_string(&handed_out->arena, path);
    text_printf(&handed_out->text, "%s\n", submission.source.data);
    if (!source_file_ends_with(path, device_code)) {
        submission_free(&submission);
        return;
    }
    handed_out->sources = arena_grown(&handed_out->arena, handed_out->sources, handed_out->count, &handed_out->capacity,
                                      sizeof submission);
    handed_out->sources[handed_out->count++] = submission;
}

/* Reads starter.cu, unless the problem has none, and the sources, headers and texts in these folders and files. `handed_out`, which is empty,
 * must be freed in any case. NOT_FOUND: one of the paths does not exist. */
static MUST_USE Status handed_out_read(const char *problem, const char *const *paths, size_t count,
                                       HandedOut *handed_out, Message *why)
{
    static const char *const endings[] = {".cu", ".cuh", ".h", ".hpp", ".c", ".cpp", ".md", ".txt", NULL};
    char relative[200], path[4096];
    struct stat info;
    text_add(&handed_out->text, "");
    snprintf(relative, sizeof relative, "problems/%s/starter.cu", problem);
    Status status = paths_home(relative, path, sizeof path, why);
    if (status == STATUS_OK && stat(path, &info) == 0)
        take_handed_out(handed_out, path, "starter.cu");
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        if (stat(paths[i], &info) != 0)
            return fail(STATUS_NOT_FOUND, why, "%s: cannot be read: %s", paths[i], strerror(errno));
        status = source_files_each(paths[i], endings, take_handed_out, handed_out, why);
    }
    return status;
}

static void handed_out_free(HandedOut *handed_out)
{
    for (size_t i = 0; i < handed_out->count; i++)
        submission_free(&handed_out->sources[i]);
    text_free(&handed_out->text);
    arena_free(&handed_out->arena);
}

/* ==== similarity ================================================================================================== */

/* ---- what is compared -------------------------------------------------------------------------------------------- */

static Program *add_program(Similarities *found, Program program)
{
    found->programs = arena_grown(&found->arena, found->programs, found->count, &found->capacity, sizeof program);
    found->programs[found->count] = program;
    return &found->programs[found->count++];
}

static bool is_known(const Similarities *found, const char *person, const char *source_hash)
{
    for (size_t i = 0; i < found->count; i++)
        if (strcmp(found->programs[i].author, person) == 0 &&
            strcmp(found->programs[i].submission.hash.hex, source_hash) == 0)
            return true;
    return false;
}

static Status add_run(Store *store, int64_t id, Similarities *found, Message *why)
{
    Arena *arena = &found->arena;
    RecordedRun recorded;
    Text name = {0}, source = {0};
    TRY(store_run(store, id, arena, &recorded, why));
    if (recorded.run.source == NULL) {
        found->without_source++;
        return STATUS_OK;
    }
    text_add(&name, recorded.run.file_name);
    text_add(&source, recorded.run.source);
    Program program = {.author = recorded.run.person,
                       .file_name = recorded.run.file_name,
                       .run = id,
                       .time_utc = recorded.run.time_utc,
                       .is_persons = true,
                       .submission = {.path = recorded.run.file_name, .file_name = name.data, .source = source}};
    strcpy(program.submission.hash.hex, hash_of_one(source.data, source.length).hex);
    add_program(found, program);
    return STATUS_OK;
}

/* Each source of each person once, by its first accepted run. */
static Status add_people(Store *store, const char *problem, Similarities *found, Message *why)
{
    Arena arena = {0};
    RecordedRun *runs = NULL;
    size_t count = 0;
    Status status = STATUS_OK;
    if (store != NULL)
        status = store_list_runs(store, problem, NULL, &arena, &runs, &count, why);
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        if (strcmp(runs[i].run.verdict, verdict_name(VERDICT_ACCEPTED)) == 0 &&
            !is_known(found, runs[i].run.person, runs[i].run.source_hash))
            status = add_run(store, runs[i].id, found, why);
    arena_free(&arena);
    return status;
}

/* ---- further sources --------------------------------------------------------------------------------------------- */

typedef struct Adding {
    Similarities *found;
    const char *author;
    size_t first; /* of the programs of this author */
} Adding;

/* Each text once. A file that cannot be read is counted: an earlier semester has all sorts. */
static void add_further(Adding *adding, Submission *submission, const char *name, int64_t run)
{
    Similarities *found = adding->found;
    for (size_t i = adding->first; i < found->count; i++)
        if (strcmp(found->programs[i].submission.hash.hex, submission->hash.hex) == 0) {
            submission_free(submission);
            return;
        }
    const char *shown = arena_string(&found->arena, name);
    add_program(
        found,
        (Program){.author = adding->author,
                  .file_name = run > 0 ? arena_printf(&found->arena, "%s of run %lld", shown, (long long)run) : shown,
                  .time_utc = "",
                  .submission = *submission});
}

static void add_file(void *context, const char *path, const char *name)
{
    Adding *adding = context;
    Message ignored;
    Submission submission = {0};
    if (submission_read(path, &submission, &ignored) != STATUS_OK) {
        adding->found->unreadable++;
        return;
    }
    submission.path = arena_string(&adding->found->arena, path);
    add_further(adding, &submission, name, 0);
}

static Status add_database_run(Adding *adding, Store *store, int64_t id, Message *why)
{
    Arena arena = {0};
    RecordedRun recorded;
    Status status = store_run(store, id, &arena, &recorded, why);
    if (status == STATUS_OK && recorded.run.source == NULL)
        adding->found->without_source++;
    else if (status == STATUS_OK) {
        Submission submission = {.path = arena_string(&adding->found->arena, recorded.run.file_name)};
        Text name = {0};
        text_add(&name, recorded.run.file_name);
        submission.file_name = name.data;
        text_add(&submission.source, recorded.run.source);
        submission.hash = hash_of_one(submission.source.data, submission.source.length);
        add_further(adding, &submission, recorded.run.file_name, id);
    }
    arena_free(&arena);
    return status;
}

/* The accepted runs of the same problem, without the names of their authors. */
static Status add_database(Adding *adding, const char *path, const char *problem, Message *why)
{
    Store *store;
    Arena arena = {0};
    RecordedRun *runs = NULL;
    size_t count = 0;
    TRY(store_open(path, STORE_READ, &store, why));
    Status status = store_list_runs(store, problem, NULL, &arena, &runs, &count, why);
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        if (strcmp(runs[i].run.verdict, verdict_name(VERDICT_ACCEPTED)) == 0)
            status = add_database_run(adding, store, runs[i].id, why);
    arena_free(&arena);
    store_close(store);
    return status;
}

static Status add_further_path(const char *path, const char *problem, Similarities *found, Message *why)
{
    static const char *const endings[] = {".cu", NULL};
    Adding adding = {.found = found, .author = arena_string(&found->arena, path), .first = found->count};
    struct stat info;
    if (stat(path, &info) != 0)
        return fail(STATUS_NOT_FOUND, why, "%s: cannot be read: %s", path, strerror(errno));
    if (S_ISREG(info.st_mode) && !source_file_ends_with(path, endings))
        return add_database(&adding, path, problem, why);
    return source_files_each(path, endings, add_file, &adding, why);
}

static Status add_references(const char *problem, Similarities *found, Message *why)
{
    static const char *const endings[] = {".cu", NULL};
    char relative[200], folder[4096];
    struct stat info;
    Adding adding = {.found = found, .author = "reference", .first = found->count};
    snprintf(relative, sizeof relative, "solutions/%s/accepted", problem);
    Status status = paths_home(relative, folder, sizeof folder, why);
    if (status != STATUS_OK || stat(folder, &info) != 0)
        return status;
    return source_files_each(folder, endings, add_file, &adding, why);
}

/* ---- device code ------------------------------------------------------------------------------------------------- */

typedef struct FingerprintJob {
    const Problem *problem;
    DeviceInfo device;
    Toolkit toolkit;
    char scratch[4096];
} FingerprintJob;

/* A source that does not compile here has neither. */
static Status fingerprint(const FingerprintJob *compiling, const Submission *submission, Arena *arena,
                          Fingerprints *code, Digest *machine_code, Message *why)
{
    Compiled compiled;
    *code = (Fingerprints){0};
    *machine_code = (Digest){0};
    TRY(compilation_of(compiling->problem, submission, &compiling->device, &compiling->toolkit, compiling->scratch,
                       &compiled, why));
    if (compiled.outcome == COMPILE_OK) {
        *code = fingerprints_of(&compiled, 10 * compiling->device.compute_major + compiling->device.compute_minor,
                                arena);
        *machine_code = compiled.machine_code;
    }
    compiled_free(&compiled);
    return STATUS_OK;
}

static Status begin_compiling(FingerprintJob *compiling, Message *why)
{
    TRY(device_describe("sim", &compiling->device, why));
    TRY(toolkit_find(&compiling->toolkit, why));
    return scratch_new(compiling->scratch, sizeof compiling->scratch, why);
}

/* In a process of its own: compiles each of the sources whose turn it is, which fills the cache for the others. */
_Noreturn static void compile_share(const FingerprintJob *compiling, const Similarities *found, long worker,
                                    long workers)
{
    FingerprintJob own = *compiling;
    Message ignored;
    if (scratch_new(own.scratch, sizeof own.scratch, &ignored) != STATUS_OK)
        _exit(0);
    for (size_t i = (size_t)worker; i < found->count; i += (size_t)workers) {
        Arena arena = {0};
        Fingerprints code;
        Digest machine_code;
        if (fingerprint(&own, &found->programs[i].submission, &arena, &code, &machine_code, &ignored) != STATUS_OK)
            break;
        arena_free(&arena);
    }
    scratch_remove(own.scratch);
    _exit(0);
}

/* Compilers take nearly all of the time. What goes wrong here goes wrong again in the one that counts, and is said there. */
static void compile_ahead(const FingerprintJob *compiling, const Similarities *found, Progress *progress)
{
    enum { FEW = 4, MOST_WORKERS = 64 };
    pid_t children[MOST_WORKERS];
    long workers = (long)processors_usable(), started = 0;
    workers = workers > MOST_WORKERS ? MOST_WORKERS : workers;
    if (found->count < FEW || workers < 2)
        return;
    progress_begin(progress, "compile", 0);
    for (long i = 0; i < workers; i++) {
        const pid_t child = fork();
        if (child == 0)
            compile_share(compiling, found, i, workers);
        if (child > 0)
            children[started++] = child;
    }
    for (long i = 0; i < started; i++)
        while (waitpid(children[i], NULL, 0) < 0 && errno == EINTR)
            ;
    progress_end(progress, "done");
}

static Status fingerprint_handed_out(const FingerprintJob *compiling, HandedOut *handed_out, Message *why)
{
    Status status = STATUS_OK;
    handed_out->code = arena_array(&handed_out->arena, handed_out->count + 1, sizeof *handed_out->code);
    handed_out->machine_code = arena_array(&handed_out->arena, handed_out->count + 1, sizeof *handed_out->machine_code);
    for (size_t i = 0; i < handed_out->count && status == STATUS_OK; i++)
        status = fingerprint(compiling, &handed_out->sources[i], &handed_out->arena, &handed_out->code[i],
                             &handed_out->machine_code[i], why);
    return status;
}

/* Leaves out code that the teacher handed out, since it does not count as copied. */
static void leave_out_code(const HandedOut *handed_out, Program *program)
{
    for (size_t i = 0; i < handed_out->count; i++) {
        fingerprints_remove(&program->code, &handed_out->code[i]);
        if (strcmp(handed_out->machine_code[i].hex, program->machine_code.hex) == 0)
            program->machine_code = (Digest){0};
    }
}

static Status fingerprint_all(FingerprintJob *compiling, HandedOut *handed_out, Progress *progress, Similarities *found,
                              Message *why)
{
    TRY(begin_compiling(compiling, why));
    compile_ahead(compiling, found, progress);
    progress_begin(progress, "fingerprints", (int)found->count);
    Status status = fingerprint_handed_out(compiling, handed_out, why);
    for (size_t i = 0; i < found->count && status == STATUS_OK; i++) {
        Program *program = &found->programs[i];
        status = fingerprint(compiling, &program->submission, &found->arena, &program->code, &program->machine_code,
                             why);
        found->not_compiled += program->machine_code.hex[0] == '\0';
        leave_out_code(handed_out, program);
        progress_advance(progress);
    }
    progress_end(progress, status == STATUS_OK ? "done" : "failed");
    scratch_remove(compiling->scratch);
    return status;
}

/* ---- sources ----------------------------------------------------------------------------------------------------- */

static void read_tokens(const HandedOut *handed_out, Similarities *found)
{
    for (size_t i = 0; i < found->count; i++) {
        Program *program = &found->programs[i];
        Text rest = {0};
        source_leave_out(program->submission.source.data, handed_out->text.data, &found->arena, &rest,
                         &program->handed_out, &program->handed_out_count);
        program->tokens = source_tokens_of(rest.data, &found->arena);
        text_free(&rest);
    }
}

/* ---- pairs ------------------------------------------------------------------------------------------------------- */

void similarity_rate(SimilarPair *pair, double source_a, double source_b)
{
    const Program *x = pair->a, *y = pair->b;
    const bool is_all_handed_out = x->handed_out_count > 0 && x->tokens.run_count == 0;
    pair->same_source = !is_all_handed_out && strcmp(x->submission.hash.hex, y->submission.hash.hex) == 0;
    pair->source_a = pair->same_source ? 1 : source_a;
    pair->source_b = pair->same_source ? 1 : source_b;
    pair->code_a = fingerprints_share(&x->code, &y->code);
    pair->code_b = fingerprints_share(&y->code, &x->code);
    pair->same_code = x->code.count > 0 && x->code.count == y->code.count && pair->code_a == 1;
    pair->same_machine_code = x->machine_code.hex[0] != '\0' && strcmp(x->machine_code.hex, y->machine_code.hex) == 0;
    pair->most = pair->same_machine_code ? 1
                                         : fmax(fmax(pair->source_a, pair->source_b), fmax(pair->code_a, pair->code_b));
    pair->mean = fmax(pair->source_a + pair->source_b, pair->code_a + pair->code_b) / 2;
}

/* The same machine code first. */
static int by_share(const void *a, const void *b)
{
    const SimilarPair *x = a, *y = b;
    int order = (int)y->same_machine_code - (int)x->same_machine_code;
    if (order == 0)
        order = (x->mean < y->mean) - (x->mean > y->mean);
    return order != 0 ? order : (x->most < y->most) - (x->most > y->most);
}

/* Sorts by the two authors, then the most similar first. */
static int by_authors(const void *a, const void *b)
{
    const SimilarPair *x = a, *y = b;
    int order = strcmp(x->a->author, y->a->author);
    if (order == 0)
        order = strcmp(x->b->author, y->b->author);
    if (order == 0) /* a person may be called like a folder */
        order = x->b->is_persons - y->b->is_persons;
    return order != 0 ? order : by_share(a, b);
}

/* Whether two programs are by different people, or one is a person's and the other is not. */
static bool are_of_interest(const Program *a, const Program *b)
{
    return (a->is_persons || b->is_persons) && (a->is_persons != b->is_persons || strcmp(a->author, b->author) != 0);
}

/* The person comes first; of two people the one with the smaller name. */
static SimilarPair pair_of(const Similarities *found, size_t a, size_t b)
{
    const Program *x = &found->programs[a], *y = &found->programs[b];
    bool swap = x->is_persons != y->is_persons ? y->is_persons : strcmp(x->author, y->author) > 0;
    double share_a, share_b;
    SimilarPair pair = {.a = swap ? y : x, .b = swap ? x : y};
    source_shares(&pair.a->tokens, &pair.b->tokens, &share_a, &share_b);
    similarity_rate(&pair, share_a, share_b);
    return pair;
}

static bool have_same_authors(const SimilarPair *x, const SimilarPair *y)
{
    return strcmp(x->a->author, y->a->author) == 0 && strcmp(x->b->author, y->b->author) == 0 &&
           x->b->is_persons == y->b->is_persons;
}

static void list_pairs(Similarities *found, double threshold)
{
    size_t capacity = 0, kept = 0;
    for (size_t a = 0; a < found->count; a++)
        for (size_t b = a + 1; b < found->count; b++) {
            if (!are_of_interest(&found->programs[a], &found->programs[b]))
                continue;
            SimilarPair pair = pair_of(found, a, b);
            if (pair.most < threshold)
                continue;
            found->pairs = arena_grown(&found->arena, found->pairs, found->pair_count, &capacity, sizeof pair);
            found->pairs[found->pair_count++] = pair;
        }
    if (found->pair_count == 0)
        return;
    qsort(found->pairs, found->pair_count, sizeof *found->pairs, by_authors);
    for (size_t i = 0; i < found->pair_count; i++)
        if (i == 0 || !have_same_authors(&found->pairs[i], &found->pairs[kept - 1]))
            found->pairs[kept++] = found->pairs[i];
    found->pair_count = kept;
    qsort(found->pairs, found->pair_count, sizeof *found->pairs, by_share);
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

static Status gather(const SimilarRequest *request, Similarities *found, Message *why)
{
    TRY(add_people(request->store, request->problem->id, found, why));
    TRY(add_references(request->problem->id, found, why));
    for (size_t i = 0; i < request->further_count; i++)
        TRY(add_further_path(request->further[i], request->problem->id, found, why));
    return STATUS_OK;
}

Status similarities_find(const SimilarRequest *request, Progress *progress, Similarities *found, Message *why)
{
    FingerprintJob compiling = {.problem = request->problem};
    HandedOut handed_out = {0};
    *found = (Similarities){0};
    Status status = gather(request, found, why);
    THEN(status,
         handed_out_read(request->problem->id, request->handed_out, request->handed_out_count, &handed_out, why));
    THEN(status, fingerprint_all(&compiling, &handed_out, progress, found, why));
    if (status == STATUS_OK) {
        read_tokens(&handed_out, found);
        list_pairs(found, request->threshold);
    }
    found->unreadable += handed_out.unreadable;
    handed_out_free(&handed_out);
    return status;
}

void similarities_free(Similarities *found)
{
    for (size_t i = 0; i < found->count; i++)
        submission_free(&found->programs[i].submission);
    arena_free(&found->arena);
    *found = (Similarities){0};
}
