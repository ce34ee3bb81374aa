#include "harness/compile/compile_modules.h"

#include "base/elf.h"
#include "harness/compile/compile_job.h"
#include "simgpu/ptx/fatbin.h"
#include "simgpu/ptx/lexer.h"

#include <elf.h>
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
        return true; /* clang embeds nothing if there is no kernel */
    return section.data != NULL && section.bytes >= module->length &&
           memcmp(section.data, module->data, module->length) == 0 &&
           is_zero(section.data + module->length, section.bytes - module->length);
}

/* ---- the digest of the machine code ------------------------------------------------------------------------------ */

/* Sections that tell debuggers of files and lines. Nothing that runs reads them. */
static bool is_for_debuggers(const char *name)
{
    static const char *const parts[] = {".debug", ".nv_debug"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strncmp(name, parts[i], strlen(parts[i])) == 0 ||
            (strncmp(name, ".rel", 4) == 0 && strstr(name, parts[i]) != NULL))
            return true;
    return false;
}

/* Adds bytes without the eight digits that nvcc puts into the names of what is static or in a namespace without a name:
 * they follow from the file's path and text. */
static void add_masked(Hash *hash, const char *bytes, size_t count)
{
    static const char *const marks[] = {"_INTERNAL_", "GLOBAL__N__"};
    Text masked = {0};
    text_append(&masked, bytes, count);
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        size_t length = strlen(marks[i]);
        for (char *at = masked.data; (at = memmem(at, count - (size_t)(at - masked.data), marks[i], length)) != NULL;) {
            at += length;
            for (size_t digits = count - (size_t)(at - masked.data), k = 0; k < 8 && k < digits; k++, at++)
                *at = '#';
        }
    }
    hash_add(hash, masked.data, count);
    text_free(&masked);
}

static void add_section(Hash *hash, const ElfSection *section)
{
    add_masked(hash, section->name, strlen(section->name));
    hash_add(hash, &section->type, sizeof section->type);
    hash_add(hash, &section->flags, sizeof section->flags);
    hash_add(hash, &section->bytes, sizeof section->bytes);
    if (section->data != NULL)
        add_masked(hash, section->data, section->bytes);
}

/* Adds all of a cubin but what is for debuggers. The names of sections go in with the sections. */
static void add_cubin(Hash *hash, const void *image, size_t bytes)
{
    Elf elf;
    ElfSection section;
    if (!elf_open(&elf, image, bytes)) {
        hash_add(hash, image, bytes);
        return;
    }
    for (unsigned i = 0; i < elf.section_count; i++)
        if (elf_section(&elf, i, &section) && !is_for_debuggers(section.name) && strcmp(section.name, ".shstrtab") != 0)
            add_section(hash, &section);
}

/* Line information: directives on lines of their own, and labels that nothing refers to. */
static bool is_of_debugger(const Token *token)
{
    return token_is(token, ".loc") || token_is(token, ".file") || token_is(token, ".section") ||
           (token->length > 7 && memcmp(token->text, "$L__tmp", 7) == 0);
}

static void add_ptx(Hash *hash, const Fatbin *fatbin)
{
    Lexer lexer = lexer_new(fatbin->ptx, fatbin->ptx_bytes);
    int skipped_line = 0;
    for (Token token = lexer_next(&lexer); token.kind != TOKEN_END; token = lexer_next(&lexer)) {
        if (is_of_debugger(&token))
            skipped_line = token.line;
        if (token.line != skipped_line)
            add_masked(hash, token.text, token.length);
    }
}

/* Where a symbol lies, what it is, and its name if others can refer to it. */
static void add_symbol(Hash *hash, const Elf64_Sym *symbol, const ElfSection *names)
{
    const uint64_t numbers[] = {symbol->st_info, symbol->st_other, symbol->st_shndx, symbol->st_value, symbol->st_size};
    hash_add(hash, numbers, sizeof numbers);
    if (ELF64_ST_BIND(symbol->st_info) != STB_LOCAL && symbol->st_name < names->bytes)
        add_masked(hash, names->data + symbol->st_name,
                   strnlen(names->data + symbol->st_name, names->bytes - symbol->st_name));
}

static void add_symbols(Hash *hash, const Elf *elf, const ElfSection *table)
{
    ElfSection names;
    if (!elf_section(elf, table->link, &names) || names.data == NULL || table->data == NULL)
        return;
    for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= table->bytes; at += sizeof(Elf64_Sym)) {
        Elf64_Sym symbol;
        memcpy(&symbol, table->data + at, sizeof symbol);
        add_symbol(hash, &symbol, &names);
    }
}

/* Adds all that the linker takes from the host's object: what is loaded, in whatever section, the relocations that fill
 * in addresses, and the symbols that they name. The fatbin is there as the device's code. */
static void add_host_object(Hash *hash, const Text *object)
{
    Elf elf;
    ElfSection section, target;
    if (!elf_open(&elf, object->data, object->length)) {
        hash_add(hash, object->data, object->length);
        return;
    }
    for (unsigned i = 0; i < elf.section_count; i++) {
        if (!elf_section(&elf, i, &section) || strcmp(section.name, ".nv_fatbin") == 0)
            continue;
        bool relocates = (section.type == SHT_RELA || section.type == SHT_REL) &&
                         elf_section(&elf, section.info, &target) && (target.flags & SHF_ALLOC) != 0;
        if (section.type == SHT_SYMTAB)
            add_symbols(hash, &elf, &section);
        else if ((section.flags & SHF_ALLOC) != 0 || relocates)
            add_section(hash, &section);
    }
}

/* The host's code comes from the object before linking, whose sections do not depend on where others lie. */
Digest machine_code_digest(const CompileModule *modules, size_t count, int compute, const Text *host_object)
{
    Hash hash;
    hash_begin(&hash);
    for (size_t i = 0; i < count; i++) {
        Fatbin fatbin;
        if (fatbin_read(modules[i].image, modules[i].bytes, compute, &fatbin, NULL) != STATUS_OK)
            hash_add(&hash, modules[i].image, modules[i].bytes);
        else if (fatbin.cubin != NULL)
            add_cubin(&hash, fatbin.cubin, fatbin.cubin_bytes);
        else if (fatbin.ptx != NULL)
            add_ptx(&hash, &fatbin);
    }
    add_host_object(&hash, host_object);
    return hash_end(&hash);
}
