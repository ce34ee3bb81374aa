#include "base/elf.h"

#include "base/text.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ==== symbol ====================================================================================================== */

/* Reads a source-name (section 5.1.3): a decimal length and that many characters. Returns the position after it, or
 * NULL if there is none. */
static const char *take_name(const char *at, const char **name, size_t *length)
{
    char *end;
    unsigned long count = *at >= '1' && *at <= '9' ? strtoul(at, &end, 10) : 0;
    if (count == 0 || count > strlen(end))
        return NULL;
    *name = end;
    *length = count;
    return end + count;
}

/* Appends template arguments that are all integers ("ILi3ELj16EE") as "<3, 16>", others as "<...>". */
static void add_template(Text *text, const char *at)
{
    const char *separator = "<";
    if (*at != 'I')
        return;
    size_t before = text->length;
    for (at++; at[0] == 'L' && at[1] != '\0' && strchr("ijlmbc", at[1]) != NULL;) {
        bool negative = at[2] == 'n';
        const char *digits = at + 2 + negative;
        size_t count = strspn(digits, "0123456789");
        if (count == 0 || digits[count] != 'E')
            break;
        text_printf(text, "%s%s%.*s", separator, negative ? "-" : "", (int)count, digits);
        separator = ", ";
        at = digits + count + 1;
    }
    if (*at != 'E' || text->length == before) {
        text->length = before;
        text_add(text, "<...");
    }
    text_add(text, ">");
}

static void add_name(Text *text, const char *mangled)
{
    bool nested = mangled[2] == 'N';
    const char *at = mangled + 2 + (nested || mangled[2] == 'L'); /* L: static */
    const char *name, *next;
    size_t length;
    while ((next = take_name(at, &name, &length)) != NULL) {
        bool anonymous = length > 10 && strncmp(name, "_GLOBAL__N", 10) == 0;
        if (!anonymous)
            text_printf(text, "%s%.*s", text->length > 0 ? "::" : "", (int)length, name);
        at = next;
        if (!nested)
            break;
    }
    if (text->length > 0)
        add_template(text, at);
}

/* Appends the name of something inside a function, "Z <encoding> E <name>". The parameters of the function are not
 * parsed, so the search for the name begins at the end. It may be numbered, as in "E4tile_0". */
static void add_local_name(Text *text, const char *mangled)
{
    const char *name;
    size_t length;
    for (const char *at = strrchr(mangled, 'E'); at != NULL && at > mangled; at--) {
        const char *next = *at == 'E' ? take_name(at + 1, &name, &length) : NULL;
        if (next != NULL && (*next == '\0' || *next == '_')) {
            text_append(text, name, length);
            return;
        }
    }
}

void symbol_name(const char *mangled, char *name, size_t size)
{
    Text text = {0};
    if (strncmp(mangled, "_ZZ", 3) == 0)
        add_local_name(&text, mangled);
    else if (strncmp(mangled, "_Z", 2) == 0)
        add_name(&text, mangled);
    snprintf(name, size, "%s", text.length > 0 ? text.data : mangled);
    text_free(&text);
}

/* ==== elf ========================================================================================================= */

bool elf_has_bytes(size_t bytes, uint64_t offset, uint64_t count)
{
    return offset <= bytes && count <= bytes - offset;
}

/* The image may be unaligned, so headers are copied out. */
static bool read_header(const Elf *elf, unsigned index, Elf64_Shdr *header)
{
    uint64_t place = (uint64_t)index * sizeof *header;
    if (index >= elf->section_count || !elf_has_bytes(elf->bytes, elf->table_offset, place + sizeof *header))
        return false;
    memcpy(header, elf->image + elf->table_offset + place, sizeof *header);
    return true;
}

bool elf_open(Elf *elf, const void *image, size_t bytes)
{
    Elf64_Ehdr file;
    Elf64_Shdr names;
    *elf = (Elf){.image = image, .bytes = bytes};
    if (bytes < sizeof file)
        return false;
    memcpy(&file, image, sizeof file);
    if (memcmp(file.e_ident, ELFMAG, SELFMAG) != 0 || file.e_ident[EI_CLASS] != ELFCLASS64 ||
        file.e_ident[EI_DATA] != ELFDATA2LSB || file.e_shentsize != sizeof names)
        return false;
    elf->table_offset = file.e_shoff;
    elf->section_count = file.e_shnum;
    if (!read_header(elf, file.e_shstrndx, &names) || names.sh_type == SHT_NOBITS ||
        !elf_has_bytes(bytes, names.sh_offset, names.sh_size))
        return false;
    elf->names_offset = names.sh_offset;
    elf->names_bytes = names.sh_size;
    return true;
}

bool elf_section(const Elf *elf, unsigned index, ElfSection *section)
{
    Elf64_Shdr header;
    if (!read_header(elf, index, &header) || header.sh_name >= elf->names_bytes)
        return false;
    enum { MAX_NAME_BYTES = 8192 }; /* every section could have one name that is as long as the file */
    const char *name = elf->image + elf->names_offset + header.sh_name;
    uint64_t room = elf->names_bytes - header.sh_name;
    bool in_file = header.sh_type != SHT_NOBITS && header.sh_type != SHT_NULL;
    if (memchr(name, '\0', room < MAX_NAME_BYTES ? room : MAX_NAME_BYTES) == NULL ||
        (in_file && !elf_has_bytes(elf->bytes, header.sh_offset, header.sh_size)))
        return false;
    *section = (ElfSection){.name = name,
                            .data = in_file ? elf->image + header.sh_offset : NULL,
                            .bytes = header.sh_size,
                            .type = header.sh_type,
                            .flags = header.sh_flags,
                            .link = header.sh_link,
                            .info = header.sh_info};
    return true;
}

bool elf_find(const Elf *elf, const char *prefix, const char *name, ElfSection *section)
{
    size_t head = strlen(prefix);
    for (unsigned i = 0; i < elf->section_count; i++)
        if (elf_section(elf, i, section) && strncmp(section->name, prefix, head) == 0 &&
            strcmp(section->name + head, name) == 0)
            return true;
    return false;
}
