#include "service/web/parts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <string.h>

static void expect_html(const char *markdown, const char *expected)
{
    Text page = {0};
    statement_html(&page, markdown);
    assert_string_equal(page.data, expected);
    text_free(&page);
}

static void headings_stand_below_those_of_the_page(void **state)
{
    expect_html("# Title\n\nText.\n\n## Part\n", "<p>Text.</p>\n<h3>Part</h3>\n");
}

static void formulas_keep_their_layout(void **state)
{
    expect_html("    a[i] = b[i] < c\n      for i\n",
                "<pre tabindex=\"0\"><code>a[i] = b[i] &lt; c\n  for i\n</code></pre>\n");
}

static void links_to_statements_lead_to_pages(void **state)
{
    expect_html("[a](../conv1d/statement.md) [b](../../statement.md) [c](https://x.y/statement.md)\n",
                "<p><a href=\"/problems/conv1d\">a</a> <a href=\"../../statement.md\">b</a> "
                "<a href=\"https://x.y/statement.md\">c</a></p>\n");
}

static void tables_have_heads_for_columns_and_rows(void **state)
{
    static const char markdown[] = "Before.\n\n| name | `a|b` |\n|---|--:|\n| x \\| y | **2** & 3 |\nAfter.\n";
    Text page = {0};
    statement_html(&page, markdown);
    assert_non_null(strstr(page.data, "<p>Before.</p>"));
    assert_non_null(strstr(page.data, "<th scope=\"col\">name</th><th scope=\"col\"><code>a|b</code></th>"));
    assert_non_null(strstr(page.data, "<th scope=\"row\">x | y</th><td><strong>2</strong> &amp; 3</td>"));
    assert_non_null(strstr(page.data, "<p>After.</p>"));
    text_free(&page);
}

static void raw_html_and_scripts_do_not_pass(void **state)
{
    static const char *const rows[] = {
        "<script>alert(1)</script>\n",
        "text <img src=x onerror=alert(1)> text\n",
        "[link](javascript:alert(1))\n",
        "| a | <b onclick=x> |\n|---|---|\n| [x](javascript:x) | <i> |\n",
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Text page = {0};
        statement_html(&page, rows[i]);
        assert_null(strstr(page.data, "<script"));
        assert_null(strstr(page.data, "<img"));
        assert_null(strstr(page.data, "onclick"));
        assert_null(strstr(page.data, "javascript:"));
        text_free(&page);
    }
}

static void a_bar_alone_is_no_table(void **state)
{
    expect_html("|x| is a norm\n", "<p>|x| is a norm</p>\n");
    expect_html("", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(headings_stand_below_those_of_the_page),
        cmocka_unit_test(formulas_keep_their_layout),
        cmocka_unit_test(links_to_statements_lead_to_pages),
        cmocka_unit_test(tables_have_heads_for_columns_and_rows),
        cmocka_unit_test(raw_html_and_scripts_do_not_pass),
        cmocka_unit_test(a_bar_alone_is_no_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
