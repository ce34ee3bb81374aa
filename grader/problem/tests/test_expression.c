#include "base/tests/unit.h"

#include "grader/problem/expression.h"

#include <string.h>

static const char *const names[] = {"n", "kernel_size", NULL, "n2"};
static const int64_t values[] = {10, 3, 99, -7};

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
};

static void expressions_have_their_values(void **state)
{
    for (size_t i = 0; i < COUNT_OF(accepted); i++) {
        int64_t result;
        Message why;
        if (expression_evaluate(accepted[i].expression, names, values, 4, &result, &why) != STATUS_OK)
            fail_test("%s: %s", accepted[i].expression, why.text);
        if (result != accepted[i].result)
            fail_test("%s: %lld", accepted[i].expression, (long long)result);
    }
}

static const struct {
    const char *expression, *message;
} refused[] = {
    {"", "at character 1: expected a number"},
    {"n +", "at character 4: expected a number"},
    {"(n", "expected \")\""},
    {"n n", "at character 3: expected an operator or the end"},
    {"n = 3", "at character 3: expected an operator"},
    {"m", "at character 1: a name that is no size parameter"},
    {"n3", "a name that is no size parameter"},
    {"1 < 2 < 3", "expected an operator or the end"},
    {"1 / (n - 10)", "division by zero"},
    {"1 % 0", "division by zero"},
    {"9223372036854775808", "beyond 64 bits"},
    {"9223372036854775807 + 1", "beyond 64 bits"},
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
        assert_int_equal(expression_evaluate(refused[i].expression, names, values, 4, &result, &why), STATUS_BAD_INPUT);
        if (strstr(why.text, refused[i].message) == NULL)
            fail_test("\"%s\" does not hold \"%s\"", why.text, refused[i].message);
    }
}

static void the_remainder_by_minus_one_is_zero(void **state)
{
    int64_t result = 1;
    Message why;
    assert_int_equal(expression_evaluate("(-9223372036854775807 - 1) % -1", NULL, NULL, 0, &result, &why), STATUS_OK);
    assert_int_equal(result, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(expressions_have_their_values),
        cmocka_unit_test(bad_expressions_are_refused_with_their_place),
        cmocka_unit_test(the_remainder_by_minus_one_is_zero),
    };
    return cmocka_run_group_tests_name("expression", tests, NULL, NULL);
}
