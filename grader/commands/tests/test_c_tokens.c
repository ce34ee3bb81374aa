#include "base/tests/unit.h"

#include "base/text.h"
#include "grader/commands/mutation.h"

#include <string.h>

/* The tokens with a space after each. */
static void expect_tokens(const char *source, const char *expected)
{
    CTokens tokens;
    Text text = {0};
    text_add(&text, "");
    c_tokens_read(source, &tokens);
    for (size_t i = 0; i < tokens.count; i++) {
        text_append(&text, source + tokens.items[i].offset, tokens.items[i].length);
        text_add(&text, " ");
    }
    assert_string_equal(text.data, expected);
    text_free(&text);
    c_tokens_free(&tokens);
}

static void operators_are_as_long_as_possible(void **state)
{
    expect_tokens("a+++b<=c<<d->e::f", "a ++ + b <= c << d -> e :: f ");
    expect_tokens("k<<<g,b>>>(x>>2)", "k <<< g , b >>> ( x >> 2 ) ");
}

static void three_angles_close_templates_where_no_launch_is_open(void **state)
{
    expect_tokens("a<b<c<d>>>x", "a < b < c < d >> > x ");
}

static void comments_are_left_out(void **state)
{
    expect_tokens("a/* b\nc */d// e\nf", "a d f ");
    expect_tokens("a /* not closed", "a ");
}

static void texts_and_numbers_are_one_token_each(void **state)
{
    expect_tokens("f(\"a//\\\"b\", 'c', u8\"d\", R\"x(\")\" )x\")",
                  "f ( \"a//\\\"b\" , 'c' , u8\"d\" , R\"x(\")\" )x\" ) ");
    expect_tokens("1.5e-3f+0x1Fu-.5f-1'000", "1.5e-3f + 0x1Fu - .5f - 1'000 ");
    expect_tokens("\"not closed\nx", "\"not closed x ");
}

static void a_preprocessor_line_is_one_token(void **state)
{
    CTokens tokens;
    c_tokens_read("int a;\n  # define N \\\n 3 // three\nint b = 1 # 2;", &tokens);
    assert_int_equal(tokens.items[3].kind, C_DIRECTIVE);
    assert_int_equal(tokens.items[3].line, 2);
    assert_int_equal(tokens.items[3].column, 3);
    assert_true(c_token_is(&tokens, 4, "int"));
    assert_int_equal(tokens.items[4].line, 4);
    assert_int_equal(tokens.items[8].kind, C_PUNCTUATION);
    c_tokens_free(&tokens);
}

static void kinds_tell_names_from_keywords(void **state)
{
    static const CTokenKind kinds[] = {C_KEYWORD,     C_WORD, C_PUNCTUATION, C_NUMBER,
                                       C_PUNCTUATION, C_TEXT, C_PUNCTUATION};
    CTokens tokens;
    c_tokens_read("int integer=3+\"x\";", &tokens);
    assert_int_equal(tokens.count, COUNT_OF(kinds));
    for (size_t i = 0; i < COUNT_OF(kinds); i++)
        assert_int_equal(tokens.items[i].kind, kinds[i]);
    c_tokens_free(&tokens);
}

static int find(const CTokens *tokens, const char *text)
{
    int i = 0;
    while (!c_token_is(tokens, i, text))
        i++;
    return i;
}

static void brackets_know_their_partners(void **state)
{
    CTokens tokens;
    c_tokens_read("f(a[i]) { k<<<1, 2>>>(); }", &tokens);
    for (int i = 0; (size_t)i < tokens.count; i++)
        if (tokens.items[i].partner != C_NO_TOKEN)
            assert_int_equal(tokens.items[tokens.items[i].partner].partner, i);
    assert_int_equal(tokens.items[find(&tokens, "i")].inside, find(&tokens, "["));
    assert_int_equal(tokens.items[find(&tokens, "2")].inside, find(&tokens, "<<<"));
    assert_true(c_token_opens(&tokens, find(&tokens, "{")));
    assert_true(c_token_closes(&tokens, find(&tokens, "}")));
    assert_int_equal(tokens.items[find(&tokens, "f")].inside, C_NO_TOKEN);
    c_tokens_free(&tokens);
}

static void brackets_that_do_not_match_have_no_partner(void **state)
{
    CTokens tokens;
    c_tokens_read("a) [b} (", &tokens);
    for (size_t i = 0; i < tokens.count; i++)
        assert_int_equal(tokens.items[i].partner, C_NO_TOKEN);
    c_tokens_free(&tokens);
}

/* Whether the first '<' belongs to a template. */
static void expect_template(const char *source, bool expected)
{
    CTokens tokens;
    c_tokens_read(source, &tokens);
    assert_int_equal(tokens.items[find(&tokens, "<")].partner != C_NO_TOKEN, expected);
    c_tokens_free(&tokens);
}

static void templates_are_told_from_comparisons(void **state)
{
    expect_template("template <int N, typename T = float> f", true);
    expect_template("static_cast<float>(x)", true);
    expect_template("kernel<8><<<1, 2>>>()", true);
    expect_template("for (int i = 0; i < n; i++) if (j > 3)", false);
    expect_template("a < b && c > d", false);
    expect_template("a < b ? c : d > e", false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operators_are_as_long_as_possible),
        cmocka_unit_test(three_angles_close_templates_where_no_launch_is_open),
        cmocka_unit_test(comments_are_left_out),
        cmocka_unit_test(texts_and_numbers_are_one_token_each),
        cmocka_unit_test(a_preprocessor_line_is_one_token),
        cmocka_unit_test(kinds_tell_names_from_keywords),
        cmocka_unit_test(brackets_know_their_partners),
        cmocka_unit_test(brackets_that_do_not_match_have_no_partner),
        cmocka_unit_test(templates_are_told_from_comparisons),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
