#include "base/html.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <string.h>

static void expect_text(const char *text, size_t length, const char *expected)
{
    Text page = {0};
    html_raw(&page, "");
    html_bytes(&page, text, length);
    assert_string_equal(page.data, expected);
    text_free(&page);
}

/* Each row is shown as its second column. */
static void characters_of_html_are_escaped(void **state)
{
    static const char *const rows[][2] = {
        {"a < b && c > d", "a &lt; b &amp;&amp; c &gt; d"},
        {"<script>alert('x')</script>", "&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;"},
        {"\" onload=\"x", "&quot; onload=&quot;x"},
        {"&lt;", "&amp;lt;"},
        {"one\ttwo\nthree", "one\ttwo\nthree"},
        {"Özge, 雪, 🙂", "Özge, 雪, 🙂"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        expect_text(rows[i][0], strlen(rows[i][0]), rows[i][1]);
}

/* Lines one after the other, as a page of a source has them: each row is shown as its second column. */
static void a_source_is_highlighted_line_by_line(void **state)
{
    static const char *const rows[][2] = {
        {"#include <cuda.h> // \"x\"",
         "<span class=\"p\">#include</span> &lt;cuda.h&gt; <span class=\"c\">// &quot;x&quot;</span>"},
        {"int i = threadIdx.x;", "<span class=\"k\">int</span> i = <span class=\"k\">threadIdx</span>.x;"},
        {"y = 1.5e3f * x[0x1F] + .5;",
         "y = <span class=\"n\">1.5e3f</span> * x[<span class=\"n\">0x1F</span>] + <span class=\"n\">.5</span>;"},
        {"print(\"// \\\" /*\", '\"');",
         "print(<span class=\"n\">&quot;// \\&quot; /*&quot;</span>, <span class=\"n\">&#39;&quot;&#39;</span>);"},
        {"interval = form; a / b # c", "interval = form; a / b # c"},
        {"x = 1; /* begins", "x = <span class=\"n\">1</span>; <span class=\"c\">/* begins</span>"},
        {"int <b> // within", "<span class=\"c\">int &lt;b&gt; // within</span>"},
        {"ends */ int", "<span class=\"c\">ends */</span> <span class=\"k\">int</span>"},
        {"\"open", "<span class=\"n\">&quot;open</span>"},
        {"/*/ still */ if", "<span class=\"c\">/*/ still */</span> <span class=\"k\">if</span>"},
        {"", ""},
    };
    bool in_comment = false;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Text page = {0};
        html_raw(&page, "");
        html_source(&page, rows[i][0], strlen(rows[i][0]), &in_comment);
        assert_string_equal(page.data, rows[i][1]);
        text_free(&page);
    }
    assert_false(in_comment);
    html_source(NULL, "a /* b", 6, &in_comment);
    assert_true(in_comment);
}

static void what_nobody_sees_is_shown(void **state)
{
    static const char *const rows[][2] = {
        {"\x1B[31mred", "␛[31mred"},
        {"bell\a, back\b, delete\x7F", "bell␇, back␈, delete␡"},
        {"windows\r\nline, lone\rreturn", "windows\nline, lone␍return"},
        {"admin\u202Egnp.exe", "admin[U+202E]gnp.exe"},
        {"\u2066isolated\u2069", "[U+2066]isolated[U+2069]"},
        {"zero\u200Bwidth\uFEFF", "zero[U+200B]width[U+FEFF]"},
        {"line\u2028separator", "line[U+2028]separator"},
        {"next\xC2\x85line", "next[U+0085]line"},
        {"tag\U000E0041", "tag[U+E0041]"},
        {"نام\u200Cها", "نام\u200Cها"}, /* a joiner that Persian needs */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        expect_text(rows[i][0], strlen(rows[i][0]), rows[i][1]);
    expect_text("a\0b", 3, "a␀b");
}

static void bytes_that_are_not_utf8_are_shown(void **state)
{
    static const char *const rows[][2] = {
        {"\xFFx", "[0xFF]x"},
        {"\x80", "[0x80]"},
        {"cut \xE2\x90", "cut [0xE2][0x90]"},
        {"\xC0\xBC", "[0xC0][0xBC]"},                     /* '<' in two bytes */
        {"\xED\xA0\x80", "[0xED][0xA0][0x80]"},           /* half of a surrogate pair */
        {"\xF4\x90\x80\x80", "[0xF4][0x90][0x80][0x80]"}, /* beyond U+10FFFF */
        {"\xC3<b>", "[0xC3]&lt;b&gt;"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        expect_text(rows[i][0], strlen(rows[i][0]), rows[i][1]);
}

/* Whatever the bytes: the page stays UTF-8, and gets neither markup nor a control character. */
static void no_bytes_become_markup(void **state)
{
    static const char pieces[][5] = {"<",        ">",        "\"",           "'", "&", "\x1B", "\xE2\x80\xAE",
                                     "\xF0\x9F", "\xC2\x85", "\xEF\xBB\xBF", "a", "\n"};
    unsigned random = 1;
    for (int round = 0; round < 3000; round++) {
        char bytes[40];
        Text page = {0};
        size_t length = 0;
        while (length < 32) {
            random = random * 1103515245 + 12345;
            const char *piece = pieces[(random >> 16) % (sizeof pieces / sizeof *pieces)];
            bool is_piece = (random >> 8 & 3) > 0;
            size_t size = is_piece ? strlen(piece) : 1;
            memcpy(bytes + length, is_piece ? piece : (const char[]){(char)(random >> 20)}, size);
            length += size;
        }
        html_bytes(&page, bytes, length);
        assert_true(text_is_utf8(page.data, page.length, NULL));
        assert_null(strpbrk(page.data, "<>\"'"));
        for (size_t i = 0; i < page.length; i++)
            assert_true((unsigned char)page.data[i] >= 0x20 || page.data[i] == '\n' || page.data[i] == '\t');
        assert_null(strstr(page.data, "\xE2\x80\xAE"));
        text_free(&page);
    }
}

static void strings_of_a_format_are_escaped_and_its_markup_is_not(void **state)
{
    Text page = {0};
    html_add(&page, "<a href=\"%s\">%s</a> %.*s", "\"><b>", "<i>", 3, "a<bc");
    assert_string_equal(page.data, "<a href=\"&quot;&gt;&lt;b&gt;\">&lt;i&gt;</a> a&lt;b");
    text_free(&page);
}

static void numbers_of_a_format_are_those_of_printf(void **state)
{
    Text page = {0};
    html_add(&page, "%d %zu %.1f %g%% %c %" PRId64 " %5.2f %u", -3, (size_t)1 << 40, 2.25, 0.5, 'x', INT64_MIN, 3.14159,
             4000000000u);
    assert_string_equal(page.data, "-3 1099511627776 2.2 0.5% x -9223372036854775808  3.14 4000000000");
    text_free(&page);
}

static void marks_in_a_sentence_enclose_code(void **state)
{
    Text page = {0};
    html_code(&page, "`a<b` and `c`, ");
    html_code(&page, "plain, ");
    html_code(&page, "one ` alone, ");
    html_code(&page, "`x` and ` alone");
    assert_string_equal(page.data,
                        "<code>a&lt;b</code> and <code>c</code>, plain, one ` alone, <code>x</code> and ` alone");
    text_free(&page);
}

static void a_name_may_be_broken_after_its_words(void **state)
{
    Text page = {0};
    html_name(&page, "a_<b>-c.cu");
    assert_string_equal(page.data, "a_<wbr>&lt;b&gt;-<wbr>c.<wbr>cu");
    text_free(&page);
}

static void parts_of_a_url_are_percent_encoded(void **state)
{
    Text page = {0};
    html_url_part(&page, "../a b?c=d&e#f\"<Ö~");
    assert_string_equal(page.data, "..%2Fa%20b%3Fc%3Dd%26e%23f%22%3C%C3%96~");
    text_free(&page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(characters_of_html_are_escaped),
        cmocka_unit_test(a_source_is_highlighted_line_by_line),
        cmocka_unit_test(what_nobody_sees_is_shown),
        cmocka_unit_test(bytes_that_are_not_utf8_are_shown),
        cmocka_unit_test(no_bytes_become_markup),
        cmocka_unit_test(strings_of_a_format_are_escaped_and_its_markup_is_not),
        cmocka_unit_test(numbers_of_a_format_are_those_of_printf),
        cmocka_unit_test(marks_in_a_sentence_enclose_code),
        cmocka_unit_test(a_name_may_be_broken_after_its_words),
        cmocka_unit_test(parts_of_a_url_are_percent_encoded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
