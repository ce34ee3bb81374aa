#include "base/tests/unit.h"

#include "base/elf.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static Text own_binary(void)
{
    Text text = {0};
    FILE *file = fopen("/proc/self/exe", "r");
    char piece[4096];
    for (size_t count; (count = fread(piece, 1, sizeof piece, file)) > 0;)
        text_append(&text, piece, count);
    fclose(file);
    return text;
}

static void sections_of_this_program_are_found(void **state)
{
    Text binary = own_binary();
    Elf elf;
    ElfSection section;
    assert_true(elf_open(&elf, binary.data, binary.length));
    assert_true(elf_find(&elf, ".inter", "p", &section));
    assert_memory_equal(section.data, "/lib", 4);
    assert_int_equal(section.bytes, strlen(section.data) + 1);
    assert_true(elf_find(&elf, ".bss", "", &section));
    assert_null(section.data);
    assert_false(elf_find(&elf, ".no such section", "", &section));
    text_free(&binary);
}

static void other_files_are_refused(void **state)
{
    Elf elf;
    assert_false(elf_open(&elf, "", 0));
    assert_false(elf_open(&elf, "\177ELF", 4));
    char text[100] = "not an ELF file";
    assert_false(elf_open(&elf, text, sizeof text));
}

static void a_damaged_file_crashes_nothing(void **state)
{
    Text binary = own_binary();
    srand(3);
    for (int round = 0; round < 500; round++) {
        size_t length = round % 2 ? binary.length : (size_t)rand() % binary.length;
        char *copy = malloc(length); /* a block of its own, so that the sanitizer sees a read beyond its end */
        memcpy(copy, binary.data, length);
        for (int i = 0; i < 4 && length > 0; i++)
            copy[(size_t)rand() % (length < 64 ? length : 64)] = (char)rand();
        for (size_t i = 0; i < 40 && length > 4000; i++) /* the table of sections is at the end */
            copy[length - 1 - (size_t)rand() % 2500] = (char)rand();
        Elf elf;
        ElfSection section;
        if (elf_open(&elf, copy, length))
            for (unsigned i = 0; i < elf.section_count; i++)
                if (elf_section(&elf, i, &section) && section.data != NULL && section.bytes > 0) {
                    assert_in_range((uintptr_t)section.data, (uintptr_t)copy, (uintptr_t)copy + length - 1);
                    assert_in_range((uintptr_t)section.data + section.bytes, (uintptr_t)copy, (uintptr_t)copy + length);
                }
        free(copy);
    }
    text_free(&binary);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sections_of_this_program_are_found),
        cmocka_unit_test(other_files_are_refused),
        cmocka_unit_test(a_damaged_file_crashes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
