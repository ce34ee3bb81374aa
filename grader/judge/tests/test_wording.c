#include "base/tests/unit.h"

#include "grader/judge/wording.h"
#include "harness/compile/compile.h"

#include <string.h>

static const char source[] = "// one\n\n    output[3] = sum;  \n"
                             "    float a_name_that_goes_on = 1234567890 + 1234567890 + 1234567890 + 1234567890 + 12;\n"
                             "last";

static const struct {
    const char *message, *shown;
} rows[] = {
    {"writes 4 bytes (" COMPILE_SOURCE_NAME ":3)", "writes 4 bytes (x.cu:3: `output[3] = sum;`)"},
    {"no place, 4 times", "no place, 4 times"},
    {"(" COMPILE_SOURCE_NAME ":5)", "(x.cu:5: `last`)"},
    {"an empty line (x.cu:2)", "an empty line (x.cu:2)"},
    {"no line (x.cu:6), none (x.cu:0)", "no line (x.cu:6), none (x.cu:0)"},
    {"a header (y.h:3), a mention x.cu:3", "a header (y.h:3), a mention x.cu:3"},
    {"(x.cu:1) and (x.cu:1", "(x.cu:1: `// one`) and (x.cu:1"},
    {"(x.cu:4)", "(x.cu:4: `float a_name_that_goes_on = 1234567890 + 1234567890 + 1234567890 + 1234567890 + ...`)"},
    {"", ""},
};

static void assert_worded(const Submission *submission, const char *message, const char *expected)
{
    Text text = {0};
    wording_add(&text, submission, message);
    assert_string_equal(text.data == NULL ? "" : text.data, expected);
    text_free(&text);
}

static void places_show_their_lines(void **state)
{
    Submission submission = {.file_name = "x.cu"};
    text_add(&submission.source, source);
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_worded(&submission, rows[i].message, rows[i].shown);
    text_free(&submission.source);
}

static void a_place_alone_is_a_line_that_the_file_has(void **state)
{
    static const struct {
        long line;
        const char *shown;
    } places[] = {{3, " (x.cu:3: `output[3] = sum;`)"}, {5, " (x.cu:5: `last`)"}, {2, ""}, {6, ""}, {0, ""}, {-3, ""}};
    Submission submission = {.file_name = "x.cu"};
    text_add(&submission.source, source);
    for (size_t i = 0; i < COUNT_OF(places); i++) {
        Text text = {0};
        wording_add_place(&text, &submission, places[i].line);
        assert_string_equal(text.data == NULL ? "" : text.data, places[i].shown);
        text_free(&text);
    }
    text_free(&submission.source);
}

static void a_long_line_is_not_cut_within_a_character(void **state)
{
    Submission submission = {.file_name = "x.cu"};
    Text expected = {0};
    for (int i = 0; i < 50; i++) {
        text_add(&submission.source, i == 0 ? "a" : "\u00e9");
        if (i < 40)
            text_add(&expected, i == 0 ? "(x.cu:1: `a" : "\u00e9");
    }
    text_add(&expected, "...`)");
    assert_worded(&submission, "(x.cu:1)", expected.data);
    text_free(&submission.source);
    text_free(&expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_show_their_lines),
        cmocka_unit_test(a_place_alone_is_a_line_that_the_file_has),
        cmocka_unit_test(a_long_line_is_not_cut_within_a_character),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
