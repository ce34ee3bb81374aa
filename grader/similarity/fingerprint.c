#include "grader/similarity/fingerprint.h"

#include "simgpu/ptx/fatbin.h"
#include "simgpu/ptx/lexer.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { GRAM = 8, WINDOW = 8 };

/* FNV-1a (Fowler, Noll and Vo, draft-eastlake-fnv-17, section 5). */
static const uint64_t FNV_BASIS = 14695981039346656037u, FNV_PRIME = 1099511628211u;

static uint64_t mixed(uint64_t hash, const void *bytes, size_t count)
{
    for (const unsigned char *at = bytes, *end = at + count; at < end; at++)
        hash = (hash ^ *at) * FNV_PRIME;
    return hash;
}

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

/* What of an operand counts: nothing but its kind, except for special registers and symbols. */
static uint64_t mixed_operand(uint64_t hash, const Token *token)
{
    if (is_register(token))
        return mixed(hash, "r", 1);
    if (token->kind == TOKEN_NUMBER)
        return mixed(hash, "c", 1);
    if (token->kind == TOKEN_WORD && token->text[0] != '%' && token->text[0] != '.')
        return mixed(hash, "n", 1);
    return mixed(hash, token->text, token->length);
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
    uint64_t hash = mixed(FNV_BASIS, token.text, token.length);
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
            add_hash(hashes, mixed(FNV_BASIS, "@", 1));
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
        grams[i % WINDOW] = mixed(FNV_BASIS, instructions->items + i, GRAM * sizeof *instructions->items);
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

Fingerprints fingerprints_of(const Compiled *compiled, int compute, Arena *arena)
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
