#include "base/tests/unit.h"

#include "base/text.h"
#include "simgpu/ptx/fatbin.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

enum { PTX = 1, ELF = 2, PLAIN = 0x11, ZSTD = 0x8011, LZ4 = 0x2011 };

typedef struct Entry {
    uint16_t kind;
    uint32_t compute;
    uint64_t flags;
    const char *payload;
    size_t bytes; /* 0: of the string, without its zero byte */
} Entry;

static void add_bytes(Text *image, uint64_t value, int count)
{
    text_append(image, (const char *)&value, (size_t)count); /* little-endian, as the file */
}

/* An entry as nvcc writes it: a header of 64 bytes, the name of a source file in 8 bytes if `named`, the payload padded
 * to 8. */
static void add_entry(Text *image, const Entry *entry, bool named)
{
    size_t bytes = entry->bytes != 0 ? entry->bytes : strlen(entry->payload);
    size_t padding = 8 - bytes % 8;
    add_bytes(image, entry->kind, 2);
    add_bytes(image, 0x101, 2);
    add_bytes(image, named ? 72 : 64, 4);
    add_bytes(image, bytes + padding, 8);
    add_bytes(image, 0, 4);
    add_bytes(image, 0, 4);
    add_bytes(image, 0, 2);
    add_bytes(image, 9, 2);
    add_bytes(image, entry->compute, 4);
    add_bytes(image, named ? 64 : 0, 4);
    add_bytes(image, named ? 4 : 0, 4);
    add_bytes(image, entry->flags, 8);
    add_bytes(image, 0, 8);
    add_bytes(image, 0, 8);
    if (named)
        text_append(image, "x.cu\0\0\0", 8);
    text_append(image, entry->payload, bytes);
    add_bytes(image, 0, (int)padding);
}

static Text fatbin_of(const Entry *entries, size_t count, bool named)
{
    Text list = {0}, image = {0};
    for (size_t i = 0; i < count; i++)
        add_entry(&list, &entries[i], named);
    add_bytes(&image, 0xBA55ED50, 4);
    add_bytes(&image, 1, 2);
    add_bytes(&image, 16, 2);
    add_bytes(&image, list.length, 8);
    text_append(&image, list.data, list.length);
    text_free(&list);
    return image;
}

/* ---- a minimal cubin: a section of names, the code of two kernels, and what is known of them --------------------- */

enum { FIRST_SYMBOL = 10, SECOND_SYMBOL = 11 };

static void add_section(Text *image, uint32_t name, uint64_t offset, uint64_t bytes, uint32_t info)
{
    Elf64_Shdr section = {
        .sh_type = SHT_PROGBITS, .sh_name = name, .sh_offset = offset, .sh_size = bytes, .sh_info = info};
    text_append(image, (const char *)&section, sizeof section);
}

static const char section_names[] = "\0.shstrtab\0.text.first\0.text.second\0.nv.info";
static uint32_t name_of(const char *section)
{
    const char *name = memmem(section_names, sizeof section_names, section, strlen(section) + 1);
    return (uint32_t)(name - section_names);
}

static const struct {
    uint8_t format, attribute;
    uint16_t length;
    uint32_t symbol, value;
} known[] = {
    {4, 0x11, 8, FIRST_SYMBOL, 777}, /* bytes of the stack frame */
    {4, 0x2f, 8, SECOND_SYMBOL, 255},
    {4, 0x2f, 8, FIRST_SYMBOL, 30},
};

/* Two kernels with two instructions each. Only the second reads bank 3 through ULDC. */
static const uint64_t code[][2] = {
    {0x00c0000008077b82, 0}, /* LDC R7, c[0x3][R8] */
    {0x0000840000077abb, 0}, /* ULDC of bank 0 */
    {0x00c00200041a7b82, 0}, /* LDC R26, c[0x3][R4+0x8] */
    {0x00c0020004067abb, 0}, /* ULDC.64 UR6, c[0x3][UR4+0x8] */
};

/* `old`: as nvcc up to 12, which writes the registers only into the section header of the code. */
static Text cubin_of(bool old)
{
    Text image = {0};
    uint64_t names = sizeof(Elf64_Ehdr), info = names + sizeof section_names, text = info + sizeof known;
    uint64_t sections = text + sizeof code, half = sizeof code / 2;
    Elf64_Ehdr header = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB},
                         .e_machine = 190,
                         .e_shoff = sections,
                         .e_shentsize = sizeof(Elf64_Shdr),
                         .e_shnum = 5,
                         .e_shstrndx = 1};
    text_append(&image, (const char *)&header, sizeof header);
    text_append(&image, section_names, sizeof section_names);
    text_append(&image, (const char *)known, sizeof known);
    text_append(&image, (const char *)code, sizeof code);
    add_section(&image, 0, 0, 0, 0);
    add_section(&image, name_of(".shstrtab"), names, sizeof section_names, 0);
    add_section(&image, name_of(".text.first"), text, half, FIRST_SYMBOL | (old ? 40u << 24 : 0));
    add_section(&image, name_of(".text.second"), text + half, half, SECOND_SYMBOL | (old ? 56u << 24 : 0));
    add_section(&image, old ? 0 : name_of(".nv.info"), info, sizeof known, 0);
    return image;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* The entries that are chosen for architecture 9.0. */
static const struct {
    const char *note;
    Entry entries[4];
    size_t count;
    Status status;
    const char *ptx, *cubin, *message;
} rows[] = {
    {"plain PTX", {{PTX, 90, PLAIN, "ninety", 0}}, 1, STATUS_OK, "ninety", NULL, ""},
    {"both", {{ELF, 90, PLAIN, "\177ELF", 0}, {PTX, 90, PLAIN, "ninety", 0}}, 2, STATUS_OK, "ninety", "\177ELF", ""},
    {"no entry: what nvcc puts first", {{0}}, 0, STATUS_OK, NULL, NULL, ""},
    {"machine code alone", {{ELF, 90, PLAIN, "code", 0}}, 1, STATUS_OK, NULL, "code", ""},
    {"the newest that will do, in any order",
     {{PTX, 80, PLAIN, "eighty", 0}, {PTX, 90, PLAIN, "ninety", 0}, {PTX, 75, PLAIN, "", 0}, {PTX, 100, PLAIN, "", 0}},
     4,
     STATUS_OK,
     "ninety",
     NULL,
     ""},
    {"the newest machine code that will do",
     {{ELF, 90, PLAIN, "90", 0}, {ELF, 80, PLAIN, "80", 0}, {ELF, 100, PLAIN, "100", 0}},
     3,
     STATUS_OK,
     NULL,
     "90",
     ""},
    {"too new alone", {{PTX, 100, PLAIN, "new", 0}, {ELF, 100, PLAIN, "new", 0}}, 2, STATUS_OK, NULL, NULL, ""},
    {"zstd", {{PTX, 90, ZSTD, "squeezed", 0}}, 1, STATUS_UNSUPPORTED, NULL, NULL, "with zstd, expected plain text"},
    {"LZ4", {{PTX, 90, LZ4, "squeezed", 0}}, 1, STATUS_UNSUPPORTED, NULL, NULL, "compressed with LZ4"},
    {"plain beside compressed",
     {{PTX, 90, ZSTD, "squeezed", 0}, {PTX, 80, PLAIN, "eighty", 0}},
     2,
     STATUS_OK,
     "eighty",
     NULL,
     ""},
    {"compressed but too new", {{PTX, 100, ZSTD, "squeezed", 0}}, 1, STATUS_OK, NULL, NULL, ""},
    {"compressed machine code is passed over", {{ELF, 90, ZSTD, "squeezed", 0}}, 1, STATUS_OK, NULL, NULL, ""},
    {"an unknown kind is passed over",
     {{64, 90, PLAIN, "what", 0}, {PTX, 90, PLAIN, "ninety", 0}},
     2,
     STATUS_OK,
     "ninety",
     NULL,
     ""},
};

static void check_row(size_t i, bool named)
{
    Message why = {0};
    Fatbin fatbin;
    Text image = fatbin_of(rows[i].entries, rows[i].count, named);
    assert_int_equal(fatbin_size(image.data, image.length), image.length);
    Status status = fatbin_read(image.data, image.length, 90, &fatbin, &why);
    if (status != rows[i].status || strstr(why.text, rows[i].message) == NULL)
        fail_test("%s: status %d, \"%s\"", rows[i].note, status, why.text);
    if ((fatbin.ptx == NULL) != (rows[i].ptx == NULL) || (fatbin.cubin == NULL) != (rows[i].cubin == NULL))
        fail_test("%s: PTX %p, cubin %p", rows[i].note, (const void *)fatbin.ptx, fatbin.cubin);
    if (rows[i].ptx != NULL) {
        assert_int_equal(fatbin.ptx_bytes, strlen(rows[i].ptx));
        assert_memory_equal(fatbin.ptx, rows[i].ptx, fatbin.ptx_bytes);
    }
    if (rows[i].cubin != NULL)
        assert_memory_equal(fatbin.cubin, rows[i].cubin, strlen(rows[i].cubin));
    text_free(&image);
}

static void the_newest_suitable_code_is_found(void **state)
{
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        check_row(i, false);
        check_row(i, true);
    }
}

static void fatbins_follow_one_another(void **state)
{
    Text first = fatbin_of(NULL, 0, false);
    Text both = fatbin_of(rows[0].entries, 1, true);
    size_t second_bytes = both.length;
    text_append(&first, both.data, both.length);
    assert_int_equal(fatbin_size(first.data, first.length), 16);
    assert_int_equal(fatbin_size(first.data + 16, first.length - 16), second_bytes);
    assert_int_equal(fatbin_size(first.data + first.length, 0), 0);
    text_free(&first);
    text_free(&both);
}

static void an_image_that_is_not_a_fatbin_is_refused(void **state)
{
    static const char *const images[] = {"", "P", "P\xED\x55\xBA\1\0\20", "\177ELF567890123456",
                                         "P\xED\x55\xBA\1\1\1\1\377\377\377\377\377\377\377\377"};
    for (size_t i = 0; i < COUNT_OF(images); i++) {
        Message why = {0};
        Fatbin fatbin;
        assert_int_equal(fatbin_size(images[i], strlen(images[i])), 0);
        assert_int_equal(fatbin_read(images[i], strlen(images[i]), 90, &fatbin, &why), STATUS_BAD_INPUT);
        assert_non_null(strstr(why.text, "fatbin: no header of a fatbin, or one for more than"));
    }
}

static void an_entry_beyond_the_end_is_refused(void **state)
{
    static const struct {
        size_t offset;
        uint64_t value;
        int bytes;
    } patches[] = {
        {16 + 4, 63, 4},         /* header too short */
        {16 + 4, 0xFFFFFFFF, 4}, /* header too long */
        {16 + 8, 17, 8},         /* payload too long */
        {16 + 8, UINT64_MAX, 8}, /* end of the payload overflows */
        {16 + 8, 8, 8},          /* garbage after it */
    };
    for (size_t i = 0; i < COUNT_OF(patches); i++) {
        Message why = {0};
        Fatbin fatbin;
        Text image = fatbin_of(&(Entry){PTX, 90, PLAIN, "123456789", 0}, 1, false);
        memcpy(image.data + patches[i].offset, &patches[i].value, (size_t)patches[i].bytes);
        assert_int_equal(fatbin_read(image.data, image.length, 90, &fatbin, &why), STATUS_BAD_INPUT);
        assert_non_null(strstr(why.text, "extends beyond the end"));
        assert_null(fatbin.ptx);
        text_free(&image);
    }
}

static void registers_come_from_the_cubin(void **state)
{
    Text now = cubin_of(false), before = cubin_of(true);
    assert_int_equal(cubin_registers(now.data, now.length, "first"), 30);
    assert_int_equal(cubin_registers(now.data, now.length, "second"), 255);
    assert_int_equal(cubin_registers(before.data, before.length, "first"), 40);
    assert_int_equal(cubin_registers(before.data, before.length, "second"), 56);
    assert_int_equal(cubin_registers(now.data, now.length, "third"), 0);
    assert_int_equal(cubin_registers(now.data, now.length, "firs"), 0);
    assert_int_equal(cubin_registers(now.data, now.length, ""), 0);
    assert_int_equal(cubin_registers(NULL, 0, "first"), 0);
    text_free(&now);
    text_free(&before);
}

static void uniform_constant_loads_are_seen(void **state)
{
    Text cubin = cubin_of(false);
    assert_false(cubin_loads_constants_uniformly(cubin.data, cubin.length, "first"));
    assert_true(cubin_loads_constants_uniformly(cubin.data, cubin.length, "second"));
    assert_false(cubin_loads_constants_uniformly(cubin.data, cubin.length, "third"));
    assert_false(cubin_loads_constants_uniformly(NULL, 0, "second"));
    text_free(&cubin);
}

/* ---- hostile images: nothing is promised of the result, but no byte outside may be touched ----------------------- */

static void read_all(const char *image, size_t bytes)
{
    Fatbin fatbin;
    Message why;
    char *block = malloc(bytes + 1); /* of the exact size, so that AddressSanitizer sees one byte too many */
    char *exact = block + 1;         /* and not aligned */
    memcpy(exact, image, bytes);
    if (fatbin_read(exact, bytes, 90, &fatbin, &why) == STATUS_OK) {
        volatile char last = 0;
        if (fatbin.ptx_bytes > 0)
            last = fatbin.ptx[fatbin.ptx_bytes - 1];
        if (fatbin.cubin_bytes > 0)
            last = ((const char *)fatbin.cubin)[fatbin.cubin_bytes - 1];
        (void)last;
        cubin_registers(fatbin.cubin, fatbin.cubin_bytes, "second");
        cubin_loads_constants_uniformly(fatbin.cubin, fatbin.cubin_bytes, "second");
    }
    cubin_registers(exact, bytes, "second");
    cubin_loads_constants_uniformly(exact, bytes, "second");
    free(block);
}

static void flip_and_read(const Text *image, uint64_t *seed)
{
    char *copy = malloc(image->length);
    memcpy(copy, image->data, image->length);
    for (int flips = 0; flips < 4; flips++) {
        *seed = *seed * 6364136223846793005u + 1442695040888963407u; /* Knuth, MMIX */
        uint64_t random = *seed >> 32;
        copy[random / 256 % image->length] = (char)(random % 3 == 0 ? 0xFF : random);
    }
    read_all(copy, image->length);
    free(copy);
}

static void hostile_images_are_survived(void **state)
{
    uint64_t seed = 1;
    Text cubin = cubin_of(false);
    Entry entries[] = {{ELF, 90, PLAIN, cubin.data, cubin.length}, {PTX, 90, PLAIN, ".version 9.0", 0}};
    Text image = fatbin_of(entries, 2, true);
    for (size_t length = 0; length <= image.length; length++)
        read_all(image.data, length);
    for (size_t length = 0; length <= cubin.length; length++)
        read_all(cubin.data, length);
    for (int i = 0; i < 20000; i++)
        flip_and_read(i % 2 == 0 ? &image : &cubin, &seed);
    text_free(&image);
    text_free(&cubin);
}

/* All lengths around the padding. */
static void a_written_fatbin_can_be_read(void **state)
{
    static const char text[] = ".version 7.8 .target sm_90";
    Text image = {0};
    size_t offset = 0;
    for (size_t length = 0; length < sizeof text; length++)
        fatbin_write(text, length, 90, &image);
    for (size_t length = 0; length < sizeof text; length++) {
        Fatbin fatbin;
        size_t bytes = fatbin_size(image.data + offset, image.length - offset);
        assert_int_equal(fatbin_read(image.data + offset, bytes, 90, &fatbin, NULL), STATUS_OK);
        assert_int_equal(fatbin.ptx_compute, 90);
        assert_int_equal(fatbin.ptx_bytes, length);
        assert_memory_equal(fatbin.ptx, text, length);
        assert_null(fatbin.cubin);
        assert_int_equal(bytes % 8, 0);
        offset += bytes;
    }
    assert_int_equal(offset, image.length);
    text_free(&image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_newest_suitable_code_is_found),
        cmocka_unit_test(fatbins_follow_one_another),
        cmocka_unit_test(an_image_that_is_not_a_fatbin_is_refused),
        cmocka_unit_test(an_entry_beyond_the_end_is_refused),
        cmocka_unit_test(registers_come_from_the_cubin),
        cmocka_unit_test(uniform_constant_loads_are_seen),
        cmocka_unit_test(hostile_images_are_survived),
        cmocka_unit_test(a_written_fatbin_can_be_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
