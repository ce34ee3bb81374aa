#include "base/tests/unit.h"

#include "grader/result/wording.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *worded(HiddenFinding finding)
{
    static char words[500];
    Text text = {0};
    Submission submission = {.file_name = "x.cu"};
    text_add(&submission.source, "first\n  second();\n\n__constant__ int c[9];\n__global__ void k(float *p, int *q) {\n"
                                 "float a[4]; __shared__ float s[3]; p[0] = 1;\n s[i] = a[n];\n}\n\n");
    hidden_finding_add(&text, &finding, &submission);
    snprintf(words, sizeof words, "%s", text.data);
    text_free(&text);
    text_free(&submission.source);
    return words;
}

static void the_kind_is_worded_with_its_line(void **state)
{
    const struct {
        HiddenFinding finding;
        const char *words;
    } rows[] = {
        {{.mistake = {.kind = MISTAKE_TRAP, .line = 2}},
         "a kernel executes a trap, or an assertion fails (x.cu:2: `second();`)"},
        {{.mistake = {.kind = MISTAKE_TRAP}}, "a kernel executes a trap, or an assertion fails"},
        {{.mistake = {.kind = MISTAKE_READ_OUTSIDE_SHARED, .line = 7, .side = MISTAKE_PAST, .array = "s"}},
         "a kernel reads past the end of shared array 's' (x.cu:7: `s[i] = a[n];`)"},
        {{.mistake = {.kind = MISTAKE_WRITE_OUTSIDE_SHARED, .side = MISTAKE_BEFORE, .array = "secret_7"}},
         "a kernel writes before the start of the block's shared memory"},
        {{.mistake = {.kind = MISTAKE_WRITE_OUTSIDE_LOCAL, .line = 7, .side = MISTAKE_PAST}},
         "a kernel writes past the end of local array 'a' (x.cu:7: `s[i] = a[n];`)"},
        {{.mistake = {.kind = MISTAKE_READ_OUTSIDE_CONSTANT, .side = MISTAKE_PAST, .array = "c"}},
         "a kernel reads past the end of constant array 'c'"},
        {{.mistake =
              {.kind = MISTAKE_READ_OUTSIDE, .side = MISTAKE_PAST, .array = "input", .kernel = "k", .parameter = 1}},
         "a kernel reads past the end of array 'p'"},
        {{.mistake =
              {.kind = MISTAKE_READ_OUTSIDE, .side = MISTAKE_PAST, .array = "input", .kernel = "k", .parameter = 2}},
         "a kernel reads past the end of an array in device memory"},
        {{.mistake = {.kind = MISTAKE_READ_OUTSIDE_PARAMETERS}}, "a kernel reads outside of the kernel's parameters"},
        {{.mistake = {.kind = MISTAKE_NOT_BY_KERNEL}},
         "no kernel wrote the output: let a kernel write to it directly, or copy a kernel's results to it on the device "
         "with cudaMemcpyDeviceToDevice"},
        {{.mistake = {.kind = MISTAKE_READ_OUTSIDE}}, "a kernel reads outside of an array in device memory"},
        {{.mistake = {.kind = MISTAKE_TRAP, .side = MISTAKE_PAST, .array = "s"}},
         "a kernel executes a trap, or an assertion fails"},
        {{.output = {WRONG_PLACE_LAST_COLUMNS, WRONG_NATURE_NEVER_WRITTEN}}, "only the last columns: never written"},
        {{.output = {WRONG_PLACE_ONE, WRONG_NATURE_UNKNOWN}}, "one element"},
        {{.output = {WRONG_PLACE_BY_CHANCE}, .mistake = {.kind = MISTAKE_UNINITIALISED, .line = 1}},
         "right only by luck; a kernel reads memory that was never written (x.cu:1: `first`)"},
        {{.mistake = {.kind = MISTAKE_NONE}}, "a mistake of another kind"},
        {{.mistake = {.kind = (MistakeKind)1000}}, "a mistake of another kind"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_string_equal(worded(rows[i].finding), rows[i].words);
}

static void a_kind_has_neither_names_nor_lines(void **state)
{
    const HiddenFinding finding = {
        .output = {WRONG_PLACE_LAST_COLUMNS, WRONG_NATURE_NEVER_WRITTEN},
        .mistake = {.kind = MISTAKE_READ_OUTSIDE_SHARED, .line = 2, .side = MISTAKE_PAST, .array = "s_tile"}};
    Text kind = {0};
    hidden_finding_add_kind(&kind, &finding);
    assert_string_equal(kind.data, "only the last columns: never written; a kernel reads outside of the block's shared "
                                   "memory");
    text_free(&kind);
    hidden_finding_add_kind(&kind, &(HiddenFinding){0});
    assert_string_equal(kind.data, mistake_words(MISTAKE_OTHER));
    text_free(&kind);
}

/* `#line` can make a line any number: 31 bits of a submission's choice. */
static void a_line_that_the_file_does_not_have_is_left_out(void **state)
{
    static const int lines[] = {3, 9, 10, 1000000, INT32_MAX, -1, INT32_MIN};
    for (size_t i = 0; i < COUNT_OF(lines); i++)
        assert_string_equal(worded((HiddenFinding){.mistake = {.kind = MISTAKE_TRAP, .line = lines[i]}}),
                            mistake_words(MISTAKE_TRAP));
}

static void lines_of_other_files_are_unknown(void **state)
{
    assert_int_equal(mistake_at(MISTAKE_TRAP, "/submission/submission.cu", 7).line, 7);
    assert_int_equal(mistake_at(MISTAKE_TRAP, "submission.cu", 7).line, 7);
    assert_int_equal(mistake_at(MISTAKE_TRAP, "/submission/secret.cu", 7).line, 0);
    assert_int_equal(mistake_at(MISTAKE_TRAP, "", 7).line, 0);
    assert_int_equal(mistake_at(MISTAKE_TRAP, NULL, 7).line, 0);
    assert_int_equal(mistake_at(MISTAKE_TRAP, "submission.cu", -7).line, 0);
}

static void errors_are_powers_of_ten_in_a_fixed_range(void **state)
{
    const double rows[][2] = {{0.3, 1}, {2e-12, 1e-9}, {1e-9, 1e-9}, {9e8, 1e9},
                              {2e9, 0}, {0, 0},        {NAN, 0},     {INFINITY, 0}};
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_true(fabs(hidden_error(rows[i][0]) - rows[i][1]) <= 1e-12 * rows[i][1]);
}

/* docs/explanation/security.md, "What a grading tells of hidden data", gives these numbers as bits. */
static void there_are_as_many_kinds_as_the_documentation_says(void **state)
{
    const double errors = 1 + round(log10(HIDDEN_LARGEST_ERROR / HIDDEN_LEAST_ERROR)) + 1;
    assert_true(MISTAKE_KINDS <= 128);
    assert_true(WRONG_PLACES <= 24);
    assert_true(WRONG_NATURES <= 21);
    assert_true(errors <= 32);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_kind_is_worded_with_its_line),
        cmocka_unit_test(a_kind_has_neither_names_nor_lines),
        cmocka_unit_test(a_line_that_the_file_does_not_have_is_left_out),
        cmocka_unit_test(lines_of_other_files_are_unknown),
        cmocka_unit_test(errors_are_powers_of_ten_in_a_fixed_range),
        cmocka_unit_test(there_are_as_many_kinds_as_the_documentation_says),
    };
    return cmocka_run_group_tests_name("hidden_finding", tests, NULL, NULL);
}
