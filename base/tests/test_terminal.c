#include "base/tests/unit.h"

#include "base/terminal.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
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
    {"\xE8\xA8", 3, "\xE8\xA8 "},   /* and so do those of an unfinished character */
    {"\1", 3, "\1  "},              /* and a character that has no width */
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

/* The format is the judge's own, so its line breaks stay. */
static void names_in_a_format_stay_within_their_line(void **state)
{
    Text text = {0};
    terminal_print(&text, "%s: %.*s, %d of %zu,\n100%%\n", "a\nb", 2, "\tcd", -3, (size_t)4);
    assert_string_equal(text.data, "a?b: ?c, -3 of 4,\n100%\n");
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

/* A file, as a pipe to another program, has no size of its own. */
static void what_is_no_terminal_is_as_wide_as_columns_says(void **state)
{
    const struct {
        const char *columns;
        int width;
    } widths[] = {{"100", 100}, {"7", 40}, {"1000", 120}, {"", 80}, {"-3", 80}, {"wide", 80}};
    FILE *file = tmpfile();
    for (size_t i = 0; i < COUNT_OF(widths); i++) {
        assert_int_equal(setenv("COLUMNS", widths[i].columns, 1), 0);
        assert_int_equal(terminal_style(file).width, widths[i].width);
    }
    assert_int_equal(unsetenv("COLUMNS"), 0);
    assert_int_equal(terminal_style(file).width, 80);
    fclose(file);
}

static void a_program_that_reads_along_gets_a_line_for_each_change(void **state)
{
    char written[200] = "";
    FILE *file = fmemopen(written, sizeof written, "w");
    assert_int_equal(setenv("CONVJUDGE_PROGRESS", "lines", 1), 0);
    Progress progress = progress_new(file);
    assert_int_equal(unsetenv("CONVJUDGE_PROGRESS"), 0);
    progress_begin(&progress, "compile", 0);
    progress_note(&progress, "slow today");
    progress_end(&progress, "done");
    progress_begin_at(&progress, "timed cases", 1, 3);
    progress_advance(&progress);
    progress_end(&progress, "3");
    fclose(file);
    assert_string_equal(written, "progress 0/0 compile\nprogress 1/3 timed cases\nprogress 2/3 timed cases\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_filled_and_keep_apart),
        cmocka_unit_test(a_line_stays_one_line),
        cmocka_unit_test(names_in_a_format_stay_within_their_line),
        cmocka_unit_test(colour_only_where_the_style_has_it),
        cmocka_unit_test(what_is_no_terminal_is_as_wide_as_columns_says),
        cmocka_unit_test(a_program_that_reads_along_gets_a_line_for_each_change),
    };
    setlocale(LC_CTYPE, "C.UTF-8");
    return cmocka_run_group_tests_name("terminal", tests, NULL, NULL);
}
