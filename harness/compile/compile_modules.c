#include "harness/compile/compile_modules.h"

#include "base/allocated.h"
#include "base/elf.h"
#include "harness/compile/compile_job.h"
#include "simgpu/ptx/fatbin.h"
#include "simgpu/ptx/lexer.h"

#include <stdlib.h>
#include <string.h>

static bool is_zero(const char *data, size_t bytes)
{
    while (bytes > 0 && *data == '\0')
        data++, bytes--;
    return bytes == 0;
}

bool module_is_alone(const Text *module, const Text *object)
{
    Elf elf;
    ElfSection section;
    if (!elf_open(&elf, object->data, object->length))
        return false;
    if (!elf_find(&elf, ".nv_fatbin", "", &section))
        return module->length == 0;
    return section.data != NULL && section.bytes >= module->length &&
           memcmp(section.data, module->data, module->length) == 0 &&
           is_zero(section.data + module->length, section.bytes - module->length);
}

/* ---- the digest of the machine code ------------------------------------------------------------------------------ */

typedef struct Pieces {
    Digest *digests;
    size_t count, capacity;
} Pieces;

static void add_piece(Pieces *pieces, Digest digest)
{
    if (pieces->count == pieces->capacity) {
        pieces->capacity = pieces->capacity * 2 + 16;
        pieces->digests = allocated(realloc(pieces->digests, pieces->capacity * sizeof *pieces->digests));
    }
    pieces->digests[pieces->count++] = digest;
}

static Digest digest_of(const ElfSection *section)
{
    Hash hash;
    hash_begin(&hash);
    if (section->data != NULL)
        hash_add(&hash, section->data, section->bytes);
    else
        hash_add(&hash, &section->bytes, sizeof section->bytes);
    return hash_end(&hash);
}

static void add_pieces(Pieces *pieces, const void *image, size_t bytes, const char *const *prefixes)
{
    Elf elf;
    ElfSection section;
    if (image == NULL || !elf_open(&elf, image, bytes))
        return;
    for (unsigned i = 0; i < elf.section_count; i++)
        if (elf_section(&elf, i, &section))
            for (const char *const *prefix = prefixes; *prefix != NULL; prefix++)
                if (strncmp(section.name, *prefix, strlen(*prefix)) == 0)
                    add_piece(pieces, digest_of(&section));
}

static int compare_digests(const void *a, const void *b)
{
    return strcmp(((const Digest *)a)->hex, ((const Digest *)b)->hex);
}

/* The names of kernels, parameters and variables in PTX. The digest replaces each by the number of its first
 * appearance. */
enum { MAX_NAMES = 1024 /* all further names count as the same */ };
typedef struct Names {
    Token seen[MAX_NAMES];
    size_t count;
} Names;

static size_t number_of_name(Names *names, const Token *name)
{
    size_t i = 0;
    while (i < names->count &&
           (names->seen[i].length != name->length || memcmp(names->seen[i].text, name->text, name->length) != 0))
        i++;
    if (i == names->count && names->count < MAX_NAMES)
        names->seen[names->count++] = *name;
    return i;
}

/* At the beginning of a statement only labels are names. Directives and registers never are. */
static bool is_name(const Token *token, bool begins)
{
    char first = token->kind == TOKEN_WORD ? token->text[0] : '.';
    return first == '$' || (!begins && first != '.' && first != '%');
}

/* Whether the next word begins a statement. A guard, "@!%p1", comes before the statement. */
static bool begins_next(const Token *token, bool begins)
{
    if (token->kind == TOKEN_SYMBOL)
        return strchr(";{}:@", token->text[0]) != NULL || (begins && token->text[0] == '!');
    return begins && token->text[0] == '%';
}

/* Line information: directives on lines of their own, and labels that nothing refers to. */
static bool is_of_debugger(const Token *token)
{
    return token_is(token, ".loc") || token_is(token, ".file") || token_is(token, ".section") ||
           (token->length > 7 && memcmp(token->text, "$L__tmp", 7) == 0);
}

static void add_ptx(Pieces *pieces, const Fatbin *fatbin)
{
    Names names = {.count = 0};
    Hash hash;
    Lexer lexer = lexer_new(fatbin->ptx, fatbin->ptx_bytes);
    bool begins = true;
    int skipped_line = 0;
    hash_begin(&hash);
    for (Token token = lexer_next(&lexer); token.kind != TOKEN_END; token = lexer_next(&lexer)) {
        if (is_of_debugger(&token))
            skipped_line = token.line;
        if (token.line == skipped_line)
            continue;
        size_t number = is_name(&token, begins) ? number_of_name(&names, &token) : 0;
        if (is_name(&token, begins))
            hash_add(&hash, &number, sizeof number);
        else
            hash_add(&hash, token.text, token.length);
        begins = begins_next(&token, begins);
    }
    add_piece(pieces, hash_end(&hash));
}

/* Adds the machine code; if there is none (clang), the PTX. */
static void add_device_code(Pieces *pieces, const Fatbin *fatbin)
{
    static const char *const sections[] = {".text.", ".nv.constant", ".nv.shared.", ".nv.global", NULL};
    if (fatbin->cubin != NULL)
        add_pieces(pieces, fatbin->cubin, fatbin->cubin_bytes, sections);
    else if (fatbin->ptx != NULL)
        add_ptx(pieces, fatbin);
}

/* Only sections without names and line numbers count. Their digests are sorted, because names decide the order of
 * sections. The host's code comes from the object before linking, where addresses are still zero; it distinguishes
 * submissions that differ only in the block sizes of their launches. */
Digest machine_code_digest(const CompileModule *modules, size_t count, int compute, const Text *host_object)
{
    static const char *const host[] = {".text", ".rodata.cst", NULL};
    Pieces pieces = {0};
    Hash hash;
    for (size_t i = 0; i < count; i++) {
        Fatbin fatbin;
        if (fatbin_read(modules[i].image, modules[i].bytes, compute, &fatbin, NULL) == STATUS_OK)
            add_device_code(&pieces, &fatbin);
    }
    add_pieces(&pieces, host_object->data, host_object->length, host);
    if (pieces.count > 0)
        qsort(pieces.digests, pieces.count, sizeof *pieces.digests, compare_digests);
    hash_begin(&hash);
    for (size_t i = 0; i < pieces.count; i++)
        hash_add_string(&hash, pieces.digests[i].hex);
    free(pieces.digests);
    return hash_end(&hash);
}
