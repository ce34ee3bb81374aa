#include "base/tests/unit.h"

#include "base/text.h"
#include "grader/problem/expression.h"

#include <math.h>
#include <string.h>

static const char *const names[] = {"n", "kernel_size", NULL, "n2"};
static const int64_t values[] = {10, 3, 99, -7};

/* Compiles and evaluates. */
static Status evaluate(const char *text, int64_t *result, Message *why)
{
    Arena arena = {0};
    Expression expression;
    Status status = expression_compile(text, names, COUNT_OF(names), &arena, &expression, why);
    if (status == STATUS_OK)
        status = expression_evaluate(&expression, values, result, why);
    arena_free(&arena);
    return status;
}

static const struct {
    const char *expression;
    int64_t result;
} accepted[] = {
    {"7", 7},
    {"n", 10},
    {"n2", -7},
    {" n - kernel_size + 1 ", 8},
    {"2 + 3 * 4", 14},
    {"(2 + 3) * 4", 20},
    {"20 - 5 - 3", 12},
    {"100 / 7 / 2", 7},
    {"n2 / 2", -3},
    {"n2 % 2", -1},
    {"--5", 5},
    {"-(2 - 5)", 3},
    {"kernel_size <= n", 1},
    {"kernel_size>n", 0},
    {"n == 10", 1},
    {"n != 10", 0},
    {"n >= 11", 0},
    {"n < 11", 1},
    {"(n > 3) + (n > 30)", 1},
    {"9223372036854775807", INT64_MAX},
    {"4 * (n - kernel_size + 1)", 32},
    {"n > 3 and kernel_size > 3", 0},
    {"n > 3 or kernel_size > 3", 1},
    {"n > 30 and n > 3 or n2 < 0", 1},
    {"(n > 30 or n > 3) and n2", 1},
};

static void expressions_have_their_values(void **state)
{
    for (size_t i = 0; i < COUNT_OF(accepted); i++) {
        int64_t result;
        Message why;
        if (evaluate(accepted[i].expression, &result, &why) != STATUS_OK)
            fail_test("%s: %s", accepted[i].expression, why.text);
        if (result != accepted[i].result)
            fail_test("%s: %lld", accepted[i].expression, (long long)result);
    }
}

static const struct {
    const char *expression, *message;
} refused[] = {
    {"", "at character 1: expected a number, a name or \"(\""},
    {"n +", "at character 4: expected a number"},
    {"(n", "expected \")\""},
    {"n n", "at character 3: expected an operator or the end"},
    {"n = 3", "at character 3: expected an operator"},
    {"m", "at character 1: expected the name of a size parameter"},
    {"n3", "expected the name of a size parameter"},
    {"1 < 2 < 3", "expected an operator or the end"},
    {"1 / (n - 10)", "at character 3: division by zero"},
    {"1 % 0", "division by zero"},
    {"9223372036854775808", "at character 1: a number beyond 64 bits"},
    {"9223372036854775807 + 1", "the result is beyond 64 bits"},
    {"-9223372036854775807 - 2", "beyond 64 bits"},
    {"9223372036854775807 * 2", "beyond 64 bits"},
    {"(-9223372036854775807 - 1) / -1", "beyond 64 bits"},
    {"-(-9223372036854775807 - 1)", "beyond 64 bits"},
    {"------------------------------------------------------------1", "too many parentheses"},
    {"((((((((((((((((((((((((((((((((((((((((((((((((((((((((1", "too many parentheses"},
    {"1.5", "at character 2: expected an operator"},
};

static void bad_expressions_are_refused_with_their_place(void **state)
{
    for (size_t i = 0; i < COUNT_OF(refused); i++) {
        int64_t result;
        Message why = {0};
        assert_int_equal(evaluate(refused[i].expression, &result, &why), STATUS_BAD_INPUT);
        if (strstr(why.text, refused[i].message) == NULL)
            fail_test("\"%s\" does not hold \"%s\"", why.text, refused[i].message);
    }
}

static void an_expression_is_compiled_once_for_many_sizes(void **state)
{
    Arena arena = {0};
    Expression expression;
    Message why;
    assert_int_equal(expression_compile("2 * n + 1", names, COUNT_OF(names), &arena, &expression, &why), STATUS_OK);
    for (int64_t n = 0; n < 5; n++) {
        int64_t result;
        assert_int_equal(expression_evaluate(&expression, &n, &result, &why), STATUS_OK);
        assert_int_equal(result, 2 * n + 1);
    }
    arena_free(&arena);
}

/* A comparison, a sum and a product wait at each of fifty depths, which is the limit. */
static void the_deepest_expression_has_room(void **state)
{
    Text text = {0};
    Message why;
    int64_t result;
    for (int i = 0; i < 49; i++)
        text_add(&text, "1 < 1 + 1 * (");
    text_add(&text, "1 < 1 + 1 * 1");
    for (int i = 0; i < 49; i++)
        text_add(&text, ")");
    assert_int_equal(evaluate(text.data, &result, &why), STATUS_OK);
    assert_int_equal(result, 1);
    text_free(&text);
}

static void the_remainder_by_minus_one_is_zero(void **state)
{
    int64_t result = 1;
    Message why;
    assert_int_equal(evaluate("(-9223372036854775807 - 1) % -1", &result, &why), STATUS_OK);
    assert_int_equal(result, 0);
}

static const struct {
    const char *expression;
    double result;
} of_facts[] = {
    {"share", 0.25}, {"share < 0.3", 1}, {"share * 4 == 1.00", 1},           {"1.5 + 0.25", 1.75},
    {"9 / 2", 4.5},  {"-share", -0.25},  {"unknown < 3 or unknown >= 3", 0}, {"unknown < 3 or share > 0.2", 1},
};

/* A fact that is not known is NaN. */
static void facts_have_fractions_and_may_be_unknown(void **state)
{
    static const char *const facts[] = {"share", "unknown"};
    const double known[] = {0.25, NAN};
    for (size_t i = 0; i < COUNT_OF(of_facts); i++) {
        Arena arena = {0};
        Expression expression;
        Message why;
        if (expression_compile_facts(of_facts[i].expression, facts, COUNT_OF(facts), &arena, &expression, &why) !=
            STATUS_OK)
            fail_test("%s: %s", of_facts[i].expression, why.text);
        const double found = expression_evaluate_facts(&expression, known);
        if (found != of_facts[i].result)
            fail_test("%s: %g", of_facts[i].expression, found);
        arena_free(&arena);
    }
}

static void what_no_fact_says_is_refused(void **state)
{
    static const char *const facts[] = {"share"};
    static const struct {
        const char *expression, *message;
    } rows[] = {
        {"shares < 1", "\"shares < 1\": at character 1: expected the name of a fact, as `convjudge facts` lists them"},
        {"share < 1.", "\"share < 1.\": at character 10: expected digits after the point"},
        {"share < 1 and", "\"share < 1 and\": at character 14: expected a number, a name or \"(\""},
        {"share < 1 xor 2", "\"share < 1 xor 2\": at character 11: expected an operator or the end"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        Arena arena = {0};
        Expression expression;
        Message why = {0};
        assert_int_equal(expression_compile_facts(rows[i].expression, facts, 1, &arena, &expression, &why),
                         STATUS_BAD_INPUT);
        assert_string_equal(why.text, rows[i].message);
        arena_free(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(expressions_have_their_values),
        cmocka_unit_test(bad_expressions_are_refused_with_their_place),
        cmocka_unit_test(an_expression_is_compiled_once_for_many_sizes),
        cmocka_unit_test(the_deepest_expression_has_room),
        cmocka_unit_test(the_remainder_by_minus_one_is_zero),
        cmocka_unit_test(facts_have_fractions_and_may_be_unknown),
        cmocka_unit_test(what_no_fact_says_is_refused),
    };
    return cmocka_run_group_tests_name("expression", tests, NULL, NULL);
}
