/* elf.h - walks the sections of a 64-bit little-endian ELF file in memory: shared objects, object files, cubins.
 *
 * Every offset is checked: the image may be truncated, unaligned, and crafted to do harm.
 * Source   System V gABI 4.1, chapter 4, "Sections".  */
#ifndef BASE_ELF_H
#define BASE_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ==== symbol ====================================================================================================== */

/* The name that a programmer gave to a function or variable, read from the one that the compiler made of
 * it.
 *
 * Not __cxa_demangle(), which was tried. It gives the whole declaration, "void (anonymous
 * namespace)::blur<3>(float*)", where reports have room for "blur<3>"; taking the name out of that text again is as
 * long as reading it from the mangled one. It takes 50 KiB of a C++ runtime, and demanglers of the whole ABI have a
 * record of endless recursion on hostile names: these names come from submissions.
 *
 * Source   Itanium C++ ABI, section 5.1 "External Names". Understood are plain, nested and local names, and template
 *          arguments that are whole numbers. */

/* "_Z4blurPKfPf" is "blur", "_ZN3one3twoILi3EEEvv" is "one::two<3>", "_ZZ4blurPKfE4tile" is "tile". A name that is not
 * understood stays as it is; one that does not fit into `size` bytes is cut. */
void symbol_name(const char *mangled, char *name, size_t size);

/* ==== elf ========================================================================================================= */

typedef struct Elf {
    const char *image;
    size_t bytes;
    uint64_t table_offset, names_offset, names_bytes;
    unsigned section_count;
} Elf;

typedef struct ElfSection {
    const char *name; /* terminated, inside the image */
    const char *data; /* NULL where the section takes no room in the file (.bss) */
    uint64_t bytes;
    uint32_t type;       /* SHT_PROGBITS, ... of <elf.h> */
    uint64_t flags;      /* SHF_ALLOC: it is loaded into memory, ... */
    uint32_t link, info; /* sh_link and sh_info, whose meaning depends on the section */
} ElfSection;

/* True if `count` bytes at `offset` lie within the first `bytes`; the numbers may be hostile. */
bool elf_has_bytes(size_t bytes, uint64_t offset, uint64_t count);
/* False if the image is not such a file. */
bool elf_open(Elf *elf, const void *image, size_t bytes);
/* Section `index`, from 0 to section_count - 1; false if its content or name lies outside the image. */
bool elf_section(const Elf *elf, unsigned index, ElfSection *section);
/* The first section whose name is `prefix` followed by `name`. */
bool elf_find(const Elf *elf, const char *prefix, const char *name, ElfSection *section);

#endif
