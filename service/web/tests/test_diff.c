#include "service/web/parts.h"

#include "base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <string.h>

/* One letter for each line: its sign and its text. */
static void expect_diff(const char *before, const char *after, const char *expected)
{
    Arena arena = {0};
    Text found = {0};
    size_t count;
    const DiffLine *lines = diff_lines(before, after, &arena, &count);
    text_add(&found, "");
    for (size_t i = 0; i < count; i++) {
        text_append(&found, &" -+"[lines[i].kind], 1);
        text_append(&found, lines[i].text, lines[i].length);
    }
    assert_string_equal(found.data, expected);
    text_free(&found);
    arena_free(&arena);
}

static void a_diff_is_the_shortest_list_of_changes(void **state)
{
    expect_diff("a\nb\nc\n", "a\nb\nc\n", " a b c");
    expect_diff("a\nb\nc\n", "a\nx\nc\n", " a-b+x c");
    expect_diff("a\nc\n", "a\nb\nc\n", " a+b c");
    expect_diff("a\nb\nc\n", "a\nc\n", " a-b c");
    expect_diff("a\nb\nc\nd\n", "b\nx\nd\ne\n", "-a b-c+x d+e");
    expect_diff("", "a\nb\n", "+a+b");
    expect_diff("a\n", "", "-a");
    expect_diff("", "", "");
    expect_diff("a\na\na\n", "a\na\n", " a a-a");
}

static void a_last_line_needs_no_newline(void **state)
{
    expect_diff("a\nb", "a\nb\n", " a b");
    expect_diff("a\nb", "a\nc", " a-b+c");
}

static void ends_of_lines_do_not_differ(void **state)
{
    expect_diff("a\r\nb\r\n", "a\nb\n", " a b");
}

static void lines_have_their_numbers_in_both_texts(void **state)
{
    Arena arena = {0};
    size_t count;
    const DiffLine *lines = diff_lines("a\nb\nc\n", "a\nx\ny\nc\n", &arena, &count);
    assert_int_equal(count, 5);
    assert_int_equal(lines[1].before, 2);
    assert_int_equal(lines[1].after, 0);
    assert_int_equal(lines[2].before, 0);
    assert_int_equal(lines[2].after, 2);
    assert_int_equal(lines[4].before, 3);
    assert_int_equal(lines[4].after, 4);
    arena_free(&arena);
}

static void long_texts_that_differ_everywhere_are_replaced_as_a_whole(void **state)
{
    Text before = {0}, after = {0};
    Arena arena = {0};
    size_t count, removed = 0;
    for (int i = 0; i < 2500; i++) {
        text_printf(&before, "a%d\n", i);
        text_printf(&after, "%s%d\n", i % 2 == 0 ? "b" : "a", i);
    }
    const DiffLine *lines = diff_lines(before.data, after.data, &arena, &count);
    for (size_t i = 0; i < count; i++)
        removed += lines[i].kind == DIFF_REMOVED;
    assert_int_equal(removed, 2499);
    assert_int_equal(count, 2 * 2499 + 1);
    arena_free(&arena);
    text_free(&before);
    text_free(&after);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_diff_is_the_shortest_list_of_changes),
        cmocka_unit_test(a_last_line_needs_no_newline),
        cmocka_unit_test(ends_of_lines_do_not_differ),
        cmocka_unit_test(lines_have_their_numbers_in_both_texts),
        cmocka_unit_test(long_texts_that_differ_everywhere_are_replaced_as_a_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
