#include "base/tests/unit.h"

#include "grader/ranking/similarity.h"

#include <stdio.h>
#include <string.h>

static const char blur[] = "#include <cuda_runtime.h>\n"
                           "__global__ void blur(const float *in, float *out, int n)\n"
                           "{\n"
                           "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                           "    float sum = 0;\n"
                           "    for (int k = -2; k <= 2; k++)\n"
                           "        if (i + k >= 0 && i + k < n)\n"
                           "            sum += in[i + k] * 0.2f;\n"
                           "    out[i] = sum;\n"
                           "}\n";
static const char renamed[] = "// mine alone, I swear\n"
                              "__global__ void smooth(const float* a, float* b, int count) {\n"
                              "    int me = blockIdx.x * blockDim.x + threadIdx.x; /* a\n place */\n"
                              "    float total = 1.5e3;\n"
                              "    for (int j = -7; j <= 9; j++) if (me + j >= 0 && me + j < count)\n"
                              "        total += a[me + j] * 42; b[me] = total; }\n";
static const char other[] = "extern \"C\" void solve(float *a)\n"
                            "{\n"
                            "    while (a != 0 && *a > 3) { a = a + 1; do { a--; } while (a[0] < 2); }\n"
                            "    switch (a[1] > 0) { case 0: return; default: break; }\n"
                            "}\n";

static void shares_of(const char *a, const char *b, double *of_a, double *of_b)
{
    Arena arena = {0};
    const SourceTokens x = source_tokens_of(a, &arena), y = source_tokens_of(b, &arena);
    source_shares(&x, &y, of_a, of_b);
    arena_free(&arena);
}

static void names_numbers_comments_and_line_breaks_change_nothing(void **state)
{
    double of_a, of_b;
    shares_of(blur, renamed, &of_a, &of_b);
    assert_true(of_a == 1 && of_b == 1);
}

static void other_sources_have_nothing_in_common(void **state)
{
    double of_a, of_b;
    shares_of(blur, other, &of_a, &of_b);
    assert_true(of_a == 0 && of_b == 0);
    shares_of(blur, "", &of_a, &of_b);
    assert_true(of_a == 0 && of_b == 0);
    shares_of("int a;", "int a;", &of_a, &of_b);
    assert_true(of_a == 0 && of_b == 0);
}

/* Keywords and the words of CUDA are not names. */
static void what_a_token_does_counts(void **state)
{
    double of_a, of_b;
    char text[sizeof blur];
    strcpy(text, blur);
    memcpy(strstr(text, "threadIdx.x"), "some_name.x", strlen("threadIdx.x"));
    shares_of(blur, text, &of_a, &of_b);
    assert_true(of_a > 0.5 && of_a < 1);
}

static void the_lines_of_a_copied_part_are_found(void **state)
{
    Arena arena = {0};
    size_t count;
    const char *whole = arena_printf(&arena, "%s%s%s", other, blur, other);
    const SourceTokens a = source_tokens_of(whole, &arena), b = source_tokens_of(renamed, &arena);
    const SourcePart *parts = source_parts(&a, &b, 10, &arena, &count);
    assert_int_equal(count, 1);
    assert_true(parts[0].a.first == 7 && parts[0].a.last == 15);
    assert_true(parts[0].b.first == 2 && parts[0].b.last == 7);
    assert_int_equal(parts[0].tokens, b.count);
    double of_a, of_b;
    source_shares(&a, &b, &of_a, &of_b);
    assert_true(of_b == 1 && of_a > 0.2 && of_a < 0.7);
    arena_free(&arena);
}

/* A part that somebody has twice is two parts, which are the same one of the other. */
static void parts_are_as_many_as_wanted(void **state)
{
    Arena arena = {0};
    size_t count;
    const char *twice = arena_printf(&arena, "%s%s%s", blur, other, blur);
    const SourceTokens a = source_tokens_of(twice, &arena), b = source_tokens_of(blur, &arena);
    const SourcePart *parts = source_parts(&a, &b, 10, &arena, &count);
    assert_int_equal(count, 2);
    assert_true(parts[1].a.first == 17 && parts[1].b.first == 2 && parts[1].b.last == 10);
    (void)source_parts(&a, &b, 1, &arena, &count);
    assert_int_equal(count, 1);
    arena_free(&arena);
}

static void lines_of_the_handout_are_left_out_of_a_source(void **state)
{
    Arena arena = {0};
    Text rest = {0};
    LineRange *ranges;
    size_t count;
    source_leave_out("#include <x>\n  int  n = 3 ;\n{\nmine();\n}\nlast", "#include <x>\nint n = 3;\n{\n}\nlast\n",
                     &arena, &rest, &ranges, &count);
    assert_string_equal(rest.data, "\n\n{\nmine();\n}\n\n");
    assert_int_equal(count, 2);
    assert_true(ranges[0].first == 1 && ranges[0].last == 2 && ranges[1].first == 6 && ranges[1].last == 6);
    text_free(&rest);
    source_leave_out("a\nb", "", &arena, &rest, &ranges, &count);
    assert_string_equal(rest.data, "a\nb");
    assert_int_equal(count, 0);
    text_free(&rest);
    arena_free(&arena);
}

static void anything_can_be_read(void **state)
{
    static const char *const texts[] = {
        "", "\n", "\"", "'\\", "/*", "/* x *", "//", "#", "# include", "\\\n", "\xc3\xa4 0x1p3 .5 .", "\"a\\\"b\nc",
        "'"};
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        Arena arena = {0};
        size_t count;
        const SourceTokens tokens = source_tokens_of(texts[i], &arena);
        assert_int_equal(tokens.run_count, 0);
        (void)source_parts(&tokens, &tokens, 3, &arena, &count);
        assert_int_equal(count, 0);
        arena_free(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_numbers_comments_and_line_breaks_change_nothing),
        cmocka_unit_test(other_sources_have_nothing_in_common),
        cmocka_unit_test(what_a_token_does_counts),
        cmocka_unit_test(the_lines_of_a_copied_part_are_found),
        cmocka_unit_test(parts_are_as_many_as_wanted),
        cmocka_unit_test(lines_of_the_handout_are_left_out_of_a_source),
        cmocka_unit_test(anything_can_be_read),
    };
    return cmocka_run_group_tests_name("source_match", tests, NULL, NULL);
}
