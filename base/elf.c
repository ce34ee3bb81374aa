#include "base/elf.h"

#include <elf.h>
#include <string.h>

static bool lies_inside(size_t bytes, uint64_t offset, uint64_t count)
{
    return offset <= bytes && count <= bytes - offset;
}

/* The image may be unaligned, so headers are copied out. */
static bool read_header(const Elf *elf, unsigned index, Elf64_Shdr *header)
{
    uint64_t place = (uint64_t)index * sizeof *header;
    if (index >= elf->section_count || !lies_inside(elf->bytes, elf->table_offset, place + sizeof *header))
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
        !lies_inside(bytes, names.sh_offset, names.sh_size))
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
        (in_file && !lies_inside(elf->bytes, header.sh_offset, header.sh_size)))
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
