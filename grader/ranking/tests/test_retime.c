#include "base/tests/unit.h"

#include "grader/ranking/retime.h"

enum { MOST = 31 };

/* Two contenders after so many rounds. The ratio of their times is 1 + `apart`, and by turns `noise` more and less. */
static bool is_done(size_t rounds, double apart, double noise)
{
    double one[MOST], other[MOST];
    for (size_t i = 0; i < MOST; i++) {
        one[i] = 1;
        other[i] = 1 + apart + (i % 2 == 0 ? noise : -noise);
    }
    Contender contenders[] = {{.ms = one}, {.ms = other}};
    const Retiming retiming = {.contenders = contenders, .count = 2, .rounds = rounds, .most_rounds = MOST};
    return retime_is_done(&retiming);
}

static void rounds_end_when_a_pair_is_told_apart_or_surely_close(void **state)
{
    static const struct {
        size_t rounds;
        double apart, noise;
        bool done;
    } rows[] = {
        {0, 0.5, 0, false},      {6, 0.5, 0, false},      {7, 0.5, 0, true},      /* never fewer than seven */
        {7, 0.02, 0.01, true},   {7, 0.02, 0.03, false},  {7, 0, 0.01, true},     /* decided; noisy; close */
        {7, 0.015, 0.01, true},  {8, 0.5, 0, false},      {11, 0.5, 0, true},     /* looked at every fourth time */
        {27, 0.02, 0.03, false}, {30, 0.02, 0.03, false}, {31, 0.02, 0.03, true}, /* never more than may be */
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        if (is_done(rows[i].rounds, rows[i].apart, rows[i].noise) != rows[i].done)
            fail_test("%zu rounds, %g apart, noise %g", rows[i].rounds, rows[i].apart, rows[i].noise);
}

static void whoever_has_no_time_is_not_waited_for(void **state)
{
    double one[MOST], none[MOST] = {0};
    for (size_t i = 0; i < MOST; i++)
        one[i] = 1;
    Contender contenders[] = {{.ms = one}, {.ms = none}};
    assert_true(retime_is_done(&(Retiming){.contenders = contenders, .count = 2, .rounds = 7, .most_rounds = MOST}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rounds_end_when_a_pair_is_told_apart_or_surely_close),
        cmocka_unit_test(whoever_has_no_time_is_not_waited_for),
    };
    return cmocka_run_group_tests_name("retime", tests, NULL, NULL);
}
