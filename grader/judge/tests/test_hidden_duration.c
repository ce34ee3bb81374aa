#include "base/tests/unit.h"

#include "base/clock.h"
#include "grader/judge/wording.h"

static void a_duration_is_one_of_few(void **state)
{
    static const double rows[][2] = {{0, 0.25}, {0.2, 0.25}, {0.25, 0.25}, {0.26, 0.5},
                                     {0.6, 1},  {59, 64},    {1400, 2048}};
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_true(hidden_duration(rows[i][0]) == rows[i][1]);
}

static void the_wait_lasts_until_then(void **state)
{
    const double start_s = now_s();
    const double shown_s = hidden_duration_wait(start_s);
    assert_true(now_s() - start_s >= shown_s);
    assert_true(hidden_duration(shown_s) == shown_s);
}

static void an_extension_ends_at_such_a_duration_as_well(void **state)
{
    static const double rows[][3] = {{0, 1, 1},   {0.3, 1, 1},  {0.9, 1, 2},    {1.5, 1, 2},
                                     {59, 1, 64}, {0, 0, 0.25}, {0.9, 100, 64}, {0.26, 0.49, 0.5}};
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_true(hidden_duration_extended(rows[i][0], rows[i][1]) == rows[i][2]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_duration_is_one_of_few),
        cmocka_unit_test(an_extension_ends_at_such_a_duration_as_well),
        cmocka_unit_test(the_wait_lasts_until_then),
    };
    return cmocka_run_group_tests_name("hidden_duration", tests, NULL, NULL);
}
