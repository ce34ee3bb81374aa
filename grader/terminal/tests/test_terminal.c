#include "base/tests/unit.h"

#include "grader/terminal/terminal.h"

#include <locale.h>
#include <string.h>

/* Text in columns: cut at the left, never cut at the right. */
static const struct {
    const char *text;
    int columns;
    const char *padded;
} rows[] = {
    {"abc", 5, "abc  "},
    {"abc", 3, "abc"},
    {"abcdef", 3, "abc"},
    {"", 3, "   "},
    {"計算機", 6, "計算機"},
    {"計算機", 5, "計算 "}, /* a wide character is not cut in half */
    {"計算機", 7, "計算機 "},
    {"e\xCC\x81", 2, "e\xCC\x81 "}, /* a combining accent takes no column */
    {"\xff\xff", 3, "\xff\xff "},   /* bytes that are not UTF-8 take one column each */
    {"abc", -5, "  abc"},
    {"abc", -3, " abc"}, /* the column to its left stays apart */
    {"abcdef", -3, " abcdef"},
    {"計算", -6, "  計算"},
    {"", -3, "   "},
};

static void columns_are_filled_and_keep_apart(void **state)
{
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        Text text = {0};
        terminal_pad(&text, rows[i].text, rows[i].columns);
        if (strcmp(text.data, rows[i].padded) != 0)
            fail_test("row %zu: \"%s\", expected \"%s\"", i, text.data, rows[i].padded);
        text_free(&text);
    }
}

static void a_line_stays_one_line(void **state)
{
    Text text = {0};
    terminal_add_line(&text, "a\nb\tc\033[2Jd");
    assert_string_equal(text.data, "a?b?c?[2Jd");
    text_free(&text);
}

static void colour_only_where_the_style_has_it(void **state)
{
    Text text = {0};
    terminal_colour((TerminalStyle){.colour = false}, &text, COLOUR_GOOD, "x");
    terminal_colour((TerminalStyle){.colour = true}, &text, COLOUR_BAD, "y");
    assert_string_equal(text.data, "x\033[1;31my\033[0m");
    text_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_filled_and_keep_apart),
        cmocka_unit_test(a_line_stays_one_line),
        cmocka_unit_test(colour_only_where_the_style_has_it),
    };
    setlocale(LC_CTYPE, "C.UTF-8");
    return cmocka_run_group_tests_name("terminal", tests, NULL, NULL);
}
