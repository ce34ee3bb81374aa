#include "base/tests/unit.h"

#include "simgpu/cost/machine_lines.h"

#include <elf.h>
#include <string.h>

/* A cubin with two kernels of eight instructions, k and other, and a line number program. */

enum { INSTRUCTIONS = 8, CODE = 1, OTHER_CODE, TABLE, RELOCATIONS, SYMBOLS, NAMES, SECTIONS, MOST = 400 };

typedef struct Image {
    Elf64_Ehdr head;
    Elf64_Shdr sections[SECTIONS];
    Elf64_Rela relocations[3];
    Elf64_Sym symbols[3];
    char names[120];
    unsigned char table[MOST];
} Image;

static Image image;
static size_t table_bytes;

static void add_section(unsigned index, const char *name, const void *data, size_t bytes)
{
    Elf64_Shdr *section = &image.sections[index];
    section->sh_name = 1;
    while (image.names[section->sh_name] != '\0')
        section->sh_name += (uint32_t)strlen(image.names + section->sh_name) + 1;
    strcpy(image.names + section->sh_name, name);
    section->sh_type = SHT_PROGBITS;
    section->sh_offset = (uint64_t)((const char *)data - (const char *)&image);
    section->sh_size = bytes;
}

static void put(const char *bytes, size_t count)
{
    assert_true(table_bytes + count <= MOST);
    memcpy(image.table + table_bytes, bytes, count);
    table_bytes += count;
}
#define PUT(bytes) put(bytes, sizeof bytes - 1)

/* The header of a unit: steps of an instruction, special opcodes that add -3 to 8 to the line, the first of them 14. */
#define HEADER "\x10\1\xfd\x0c\x0e\0\1\1\1\1\0\0\0\1\0\0\1\0\0"
/* Begins a sequence, whose address is relocated. */
#define BEGIN "\0\x09\2\0\0\0\0\0\0\0\0"
#define END "\0\1\1"

enum { ADDRESS_AT = 4 + 6 + (sizeof HEADER - 1) + 3 }; /* in a unit that begins with BEGIN */

/* A unit of the table with the given opcodes. */
static void put_unit(const char *opcodes, size_t count)
{
    const uint32_t header_bytes = sizeof HEADER - 1, bytes = (uint32_t)(6 + header_bytes + count);
    put((const char *)&bytes, 4);
    PUT("\2\0");
    put((const char *)&header_bytes, 4);
    PUT(HEADER);
    put(opcodes, count);
}

static void make(void)
{
    memset(&image, 0, sizeof image);
    table_bytes = 0;
    memcpy(image.head.e_ident, ELFMAG, SELFMAG);
    image.head.e_ident[EI_CLASS] = ELFCLASS64;
    image.head.e_ident[EI_DATA] = ELFDATA2LSB;
    image.head.e_shoff = offsetof(Image, sections);
    image.head.e_shentsize = sizeof(Elf64_Shdr);
    image.head.e_shnum = SECTIONS;
    image.head.e_shstrndx = NAMES;
    image.symbols[1].st_shndx = CODE;
    image.symbols[2].st_shndx = OTHER_CODE;
}

static void relocate(int index, uint64_t place, uint64_t symbol)
{
    image.relocations[index] = (Elf64_Rela){.r_offset = place, .r_info = ELF64_R_INFO(symbol, 1)};
}

/* The lines of the kernel k, a digit each; "none" where there is no table for it. */
static const char *lines_of_kernel(void)
{
    static char found[INSTRUCTIONS + 1];
    int32_t lines[INSTRUCTIONS];
    add_section(CODE, ".text.k", image.table, 0);
    add_section(OTHER_CODE, ".text.other", image.table, 0);
    add_section(TABLE, ".nv_debug_line_sass", image.table, table_bytes);
    add_section(RELOCATIONS, ".rela.nv_debug_line_sass", image.relocations, sizeof image.relocations);
    add_section(SYMBOLS, ".symtab", image.symbols, sizeof image.symbols);
    add_section(NAMES, ".shstrtab", image.names, sizeof image.names);
    if (!machine_lines(&image, sizeof image, "k", lines, INSTRUCTIONS))
        return "none";
    for (int i = 0; i < INSTRUCTIONS; i++)
        found[i] = (char)('0' + lines[i]);
    return found;
}

#define COUNTED(text) text, sizeof text - 1

static const struct {
    const char *opcodes;
    size_t count;
    const char *lines;
} rows[] = {
    /* copy, advance_pc 3, advance_line +4, copy, advance_pc 5 */
    {COUNTED(BEGIN "\1\2\3\3\4\1\2\5" END), "11155555"},
    /* special opcodes: 14 + 12 * instructions + line + 3 */
    {COUNTED(BEGIN "\x12\x2b\x1f\2\5" END), "22466666"},
    /* advance_line -1 from 3 */
    {COUNTED(BEGIN "\3\2\1\2\2\3\x7f\1\2\6" END), "33222222"},
    /* const_add_pc: what opcode 255 adds, 20 instructions; fixed_advance_pc: 32 bytes */
    {COUNTED(BEGIN "\1\x09\x20\0\3\1\1\x08" END), "11222222"},
    /* set_file 7, set_column 200 and an opcode without a name are passed over with their operands */
    {COUNTED(BEGIN "\4\7\5\xc8\1\x0d\x0b\3\6\1\2\x08" END), "77777777"},
    /* an extended opcode without a name */
    {COUNTED(BEGIN "\0\3\x80xy\1\2\x08" END), "11111111"},
    /* a line holds until the next row, and nothing behind the end */
    {COUNTED(BEGIN "\1\2\3" END), "11100000"},
    /* no row before the first */
    {COUNTED(BEGIN "\2\2\1\2\2" END), "00110000"},
    /* without an end, the last row is open */
    {COUNTED(BEGIN "\1\2\3\3\1\1\2\1"), "11100000"},
    /* no row at all, and no address */
    {COUNTED(BEGIN), "none"},
    {COUNTED("\1\2\3" END), "none"},
    /* cut off: an operand, an extended opcode, one of no bytes */
    {COUNTED(BEGIN "\1\2\3" END "\2"), "none"},
    {COUNTED(BEGIN "\1\2\3" END "\2\x80"), "none"},
    {COUNTED(BEGIN "\1\2\3" END "\0\2\1"), "none"},
    {COUNTED(BEGIN "\1\2\3" END "\0\0"), "none"},
    {COUNTED(BEGIN "\1\2\3" END "\x09\1"), "none"},
};

static void each_opcode_moves_address_and_line(void **state)
{
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        make();
        put_unit(rows[i].opcodes, rows[i].count);
        relocate(2, ADDRESS_AT, 1);
        const char *lines = lines_of_kernel();
        if (strcmp(lines, rows[i].lines) != 0)
            fail_test("row %zu: %s, expected %s", i, lines, rows[i].lines);
    }
}

static void only_sequences_of_the_kernel_count(void **state)
{
    static const char one[] = BEGIN "\3\4\1\2\x08" END;
    const struct {
        uint64_t symbol, second;
        const char *lines;
    } symbols[] = {{1, 2, "55555555"}, {2, 1, "55555555"}, {2, 2, "none"}, {0, 0, "none"}, {3, 3, "none"}};
    for (size_t i = 0; i < COUNT_OF(symbols); i++) {
        make();
        put_unit(one, sizeof one - 1);
        const uint64_t second = table_bytes + ADDRESS_AT;
        put_unit(one, sizeof one - 1);
        relocate(0, second, symbols[i].second);
        relocate(1, ADDRESS_AT, symbols[i].symbol);
        assert_string_equal(lines_of_kernel(), symbols[i].lines);
    }
    make();
    put_unit(one, sizeof one - 1);
    relocate(0, ADDRESS_AT + 1, 1);
    assert_string_equal(lines_of_kernel(), "none");
}

static void a_later_sequence_goes_on_where_it_says(void **state)
{
    make();
    put_unit(COUNTED(BEGIN "\3\1\1\2\4" END "\0\x09\2\x40\0\0\0\0\0\0\0\3\6\1\2\4" END));
    relocate(0, ADDRESS_AT, 1);
    relocate(1, ADDRESS_AT + (sizeof BEGIN - 1) + 5 + (sizeof END - 1), 1);
    assert_string_equal(lines_of_kernel(), "22227777");
}

/* One byte of the header; 32 numbers of operands reach into the opcodes. */
static void a_header_that_cannot_be_is_refused(void **state)
{
    const struct {
        size_t place;
        int more;
        const char *lines;
    } changes[] = {
        {6, 0, "11111111"}, {0, 1, "none"},       {6, 70, "none"},  {13, -12, "none"},
        {14, -14, "none"},  {14, 18, "11111111"}, {14, 19, "none"},
    };
    for (size_t i = 0; i < COUNT_OF(changes); i++) {
        make();
        put_unit(COUNTED(BEGIN "\1\2\x08" END "\2\0\2\0"));
        relocate(0, ADDRESS_AT, 1);
        image.table[changes[i].place] += (unsigned char)changes[i].more;
        if (strcmp(lines_of_kernel(), changes[i].lines) != 0)
            fail_test("row %zu", i);
    }
}

static void without_a_section_there_are_no_lines(void **state)
{
    for (unsigned section = CODE; section < NAMES; section++) {
        int32_t lines[INSTRUCTIONS];
        make();
        put_unit(COUNTED(BEGIN "\1\2\x08" END));
        relocate(0, ADDRESS_AT, 1);
        assert_string_equal(lines_of_kernel(), "11111111");
        image.names[image.sections[section].sh_name] = '?';
        assert_int_equal(machine_lines(&image, sizeof image, "k", lines, INSTRUCTIONS), section == OTHER_CODE);
        image.names[image.sections[section].sh_name] = '.';
        image.sections[section].sh_type = SHT_NOBITS;
        assert_int_equal(machine_lines(&image, sizeof image, "k", lines, INSTRUCTIONS), section <= OTHER_CODE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_opcode_moves_address_and_line),     cmocka_unit_test(only_sequences_of_the_kernel_count),
        cmocka_unit_test(a_later_sequence_goes_on_where_it_says), cmocka_unit_test(a_header_that_cannot_be_is_refused),
        cmocka_unit_test(without_a_section_there_are_no_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
