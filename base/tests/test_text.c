#include "base/tests/unit.h"

#include "base/arena.h"
#include "base/hash.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/test_text.XXXXXX";

static int enter_folder(void **state)
{
    return mkdtemp(folder) != NULL && chdir(folder) == 0 ? 0 : -1;
}

static int leave_folder(void **state)
{
    return chdir("/") == 0 && rmdir(folder) == 0 ? 0 : -1;
}

static void a_text_grows_and_stays_terminated(void **state)
{
    Text text = {0};
    for (int i = 0; i < 1000; i++)
        text_printf(&text, "%d,", i % 10);
    assert_int_equal(text.length, 2000);
    assert_int_equal(strlen(text.data), 2000);
    assert_memory_equal(text.data + 1996, "8,9,", 5);
    text_free(&text);
    assert_null(text.data);
}

static void a_file_is_replaced_whole(void **state)
{
    Text text = {0}, back = {0};
    Message why;
    text_add(&text, "first");
    assert_int_equal(text_write_file("file", &text, &why), STATUS_OK);
    text_add(&text, " and second");
    assert_int_equal(text_write_file("file", &text, &why), STATUS_OK);
    assert_int_equal(text_read_file("file", 100, &back, &why), STATUS_OK);
    assert_string_equal(back.data, "first and second");
    text_free(&text);
    text_free(&back);
    assert_int_equal(unlink("file"), 0);
}

static void only_small_regular_files_are_read(void **state)
{
    Text text = {0};
    Message why;
    assert_int_equal(mkdir("d", 0755), 0);
    assert_int_equal(mkfifo("p", 0600), 0);
    assert_int_equal(symlink("d", "l"), 0);
    text_add(&text, "12345");
    assert_int_equal(text_write_file("f", &text, &why), STATUS_OK);
    text_free(&text);
    const struct {
        const char *path, *message;
        Status status;
    } rows[] = {{"none", "none: no such file", STATUS_NOT_FOUND},
                {"d", "d: a folder, expected a regular file", STATUS_BAD_INPUT},
                {"l", "l: a symbolic link, expected a regular file", STATUS_BAD_INPUT},
                {"p", "p: not a regular file", STATUS_BAD_INPUT},
                {"f", "f: 5 bytes, the limit is 4", STATUS_BAD_INPUT},
                {"/proc/self/status", "/proc/self/status: more than 4 bytes, which is the limit", STATUS_BAD_INPUT}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        assert_int_equal(text_read_file(rows[i].path, 4, &text, &why), rows[i].status);
        assert_string_equal(why.text, rows[i].message);
        assert_null(text.data);
    }
    assert_int_equal(rmdir("d") | unlink("p") | unlink("l") | unlink("f"), 0);
}

static void a_descriptor_that_is_none_is_named(void **state)
{
    Text text = {0};
    Message why;
    assert_int_equal(text_read_open_file(-1, "f", 4, &text, &why), STATUS_SYSTEM);
    assert_string_equal(why.text, "f: cannot be inspected: Bad file descriptor");
}

static void a_folder_is_not_replaced(void **state)
{
    Text text = {0};
    Message why;
    text_add(&text, "12345");
    assert_int_equal(mkdir("d", 0755), 0);
    assert_int_equal(text_write_file("d", &text, &why), STATUS_SYSTEM);
    assert_string_equal(why.text, "d: cannot be replaced: Is a directory");
    assert_int_equal(rmdir("d"), 0); /* leave_folder() finds nothing left beside it */
    text_free(&text);
}

static void utf8_is_told_from_bytes(void **state)
{
    const struct {
        const char *bytes;
        size_t length, bad;
    } rows[] = {{"plain", 5, 5},
                {"Zo\xC3\xAB \xE8\xA8\x88 \xF0\x9F\x99\x82", 13, 13},
                {"a\0b", 3, 1},
                {"ab\xC3", 3, 2},
                {"\xC0\x80", 2, 0},
                {"\xED\xA0\x80", 3, 0},
                {"\xF4\x90\x80\x80", 4, 0},
                {"x\x80", 2, 1}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        size_t bad = rows[i].length;
        assert_int_equal(text_is_utf8(rows[i].bytes, rows[i].length, &bad), rows[i].bad == rows[i].length);
        assert_int_equal(bad, rows[i].bad);
    }
}

static void control_characters_are_not_shown(void **state)
{
    Text text = {0};
    const char hostile[] = "a\033[2Jb\r\x7f\xC2\x9B"
                           "1m\tZo\xC3\xAB\xff\n";
    text_add_printable(&text, hostile, sizeof hostile - 1);
    assert_string_equal(text.data, "a?[2Jb???1m\tZo\xC3\xAB?\n");
    text_free(&text);
}

static void characters_that_reorder_a_line_are_not_shown(void **state)
{
    Text text = {0};
    const char hostile[] = "\xE2\x80\xAE\xE2\x81\xA6x\xE2\x81\xA9\xE2\x80\x8F\xD8\x9C"
                           "\xE2\x80\x94\xE2\x81\xA0\xD8\x9B";
    text_add_printable(&text, hostile, sizeof hostile - 1);
    assert_string_equal(text.data, "??x???\xE2\x80\x94\xE2\x81\xA0\xD8\x9B");
    text_free(&text);
}

static void lines_are_counted_from_one(void **state)
{
    assert_int_equal(text_line_at("a\nb\nc", 0), 1);
    assert_int_equal(text_line_at("a\nb\nc", 2), 2);
    assert_int_equal(text_line_at("a\nb\nc", 4), 3);
}

static void whole_words_are_found(void **state)
{
    const char *text = "#include <cstdlib> stdio _std std2 std::min";
    assert_ptr_equal(text_find_word(text, "std"), strstr(text, "std::"));
    assert_non_null(text_find_word("std", "std"));
    assert_null(text_find_word("std", "st"));
    assert_null(text_find_word("<cstdlib>", "std"));
    assert_true(text_in_word('_') && text_in_word('9') && !text_in_word('\0') && !text_in_word(':'));
}

static void messages_are_cut_and_marked(void **state)
{
    Message why;
    char longer[2000];
    memset(longer, 'x', sizeof longer);
    longer[sizeof longer - 1] = '\0';
    assert_int_equal(fail(STATUS_BUSY, &why, "%s", longer), STATUS_BUSY);
    assert_int_equal(strlen(why.text), sizeof why.text - 1);
    assert_string_equal(why.text + sizeof why.text - 4, "...");
}

static void an_arena_gives_zeroed_aligned_pieces(void **state)
{
    Arena arena = {0};
    for (size_t size = 1; size < 200000; size = size * 3 + 1) {
        unsigned char *piece = arena_alloc(&arena, size);
        assert_int_equal((uintptr_t)piece % 16, 0);
        assert_int_equal(piece[0] | piece[size - 1], 0);
        memset(piece, 0xff, size);
    }
    assert_string_equal(arena_printf(&arena, "%s-%d", "a", 7), "a-7");
    assert_string_equal(arena_copy(&arena, "abcdef", 3), "abc");
    arena_free(&arena);
    assert_null(arena.newest);
}

/* Computed by: printf '\003\0\0\0\0\0\0\0abc' | sha256sum. */
static void a_hash_separates_its_pieces(void **state)
{
    Hash one, two;
    hash_begin(&one);
    hash_add_string(&one, "abc");
    assert_string_equal(hash_end(&one).hex, "ce91dc5eec0139adf091900d225971d6ad246a845bad791b5693a9d0d55dd391");
    hash_begin(&one);
    hash_begin(&two);
    hash_add_string(&one, "ab");
    hash_add_string(&one, "c");
    hash_add_string(&two, "a");
    hash_add_string(&two, "bc");
    assert_string_not_equal(hash_end(&one).hex, hash_end(&two).hex);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_text_grows_and_stays_terminated),
        cmocka_unit_test(a_file_is_replaced_whole),
        cmocka_unit_test(only_small_regular_files_are_read),
        cmocka_unit_test(a_descriptor_that_is_none_is_named),
        cmocka_unit_test(a_folder_is_not_replaced),
        cmocka_unit_test(utf8_is_told_from_bytes),
        cmocka_unit_test(control_characters_are_not_shown),
        cmocka_unit_test(characters_that_reorder_a_line_are_not_shown),
        cmocka_unit_test(lines_are_counted_from_one),
        cmocka_unit_test(whole_words_are_found),
        cmocka_unit_test(messages_are_cut_and_marked),
        cmocka_unit_test(an_arena_gives_zeroed_aligned_pieces),
        cmocka_unit_test(a_hash_separates_its_pieces),
    };
    return cmocka_run_group_tests_name("text", tests, enter_folder, leave_folder);
}
