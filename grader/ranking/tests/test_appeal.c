#include "base/tests/unit.h"

#include <math.h>

#include "grader/ranking/appeal.h"

enum { ROUNDS = 6 };

/* Four others and the run, 5, with these times in each round; the figures are those of an ordinary board. */
static AppealedTime timed(int64_t run, double first_ms, const double rounds[ROUNDS])
{
    return (AppealedTime){.run = run,
                          .person = "",
                          .first = {first_ms, 0.005},
                          .rounds_ms = rounds,
                          .round_count = ROUNDS,
                          .verdict = "Accepted"};
}

static const double steady_10[ROUNDS] = {10, 10, 10, 10, 10, 10}, steady_11[ROUNDS] = {11, 11, 11, 11, 11, 11},
                    drifting_12[ROUNDS] = {12, 12.1, 12.2, 12.3, 12.4, 12.5}, steady_9[ROUNDS] = {9, 9, 9, 9, 9, 9};

static void the_new_figure_is_the_median_and_reaches_to_the_farthest_round(void **state)
{
    AppealedTime times[] = {timed(5, 12.3, drifting_12)};
    Appeal appeal = {.run = 5, .times = times, .count = 1};
    appeal_derive(&appeal);
    assert_true(fabs(times[0].again.ms - 12.25) < 1e-9);
    assert_true(fabs(times[0].again.uncertainty - 0.25 / 12.25) < 1e-9);
    assert_true(times[0].agrees);
    assert_int_equal(appeal.rank_again, 0);
}

static void no_time_is_more_certain_than_half_a_percent(void **state)
{
    AppealedTime times[] = {timed(5, 10.05, steady_10)};
    Appeal appeal = {.run = 5, .rank = 1, .times = times, .count = 1};
    appeal_derive(&appeal);
    assert_true(times[0].again.uncertainty == 0.005 && times[0].agrees);
    times[0].first.ms = 10.1;
    appeal_derive(&appeal);
    assert_false(times[0].agrees);
    times[0].first.ms = 9.9;
    appeal_derive(&appeal);
    assert_false(times[0].agrees);
}

/* Two were faster by the first figures; now the run is first of the three, and so two places better on the board. */
static void places_among_those_timed_are_places_on_the_board(void **state)
{
    AppealedTime times[] = {timed(1, 10, steady_10), timed(2, 11, steady_11), timed(5, 12, steady_9)};
    Appeal appeal = {.run = 5, .rank = 7, .times = times, .count = 3};
    appeal_derive(&appeal);
    assert_true(times[2].first_rank == 3 && times[2].again_rank == 1);
    assert_true(times[0].again_rank == 2 && times[1].again_rank == 3);
    assert_int_equal(appeal.rank_again, 5);
    appeal.rank = 0;
    appeal_derive(&appeal);
    assert_int_equal(appeal.rank_again, 0);
}

/* A B A B: both drift, and their ratio in each round does not. */
static void what_drifts_hits_all_alike(void **state)
{
    double faster[ROUNDS];
    for (size_t i = 0; i < ROUNDS; i++)
        faster[i] = drifting_12[i] * 0.98;
    AppealedTime times[] = {timed(1, 12, drifting_12), timed(5, 12, faster)};
    Appeal appeal = {.run = 5, .rank = 2, .times = times, .count = 2};
    appeal_derive(&appeal);
    assert_true(times[0].first_rank == 1 && times[1].first_rank == 1);
    assert_true(times[0].again_rank == 2 && times[1].again_rank == 1);
    assert_int_equal(appeal.rank_again, 2);
}

static void a_run_that_failed_in_one_round_has_no_time(void **state)
{
    AppealedTime times[] = {timed(1, 10, steady_10), timed(5, 12, steady_11)};
    Appeal appeal = {.run = 5, .rank = 2, .times = times, .count = 2};
    times[1].verdict = "Wrong Answer";
    appeal_derive(&appeal);
    assert_true(times[1].again.ms == 0 && times[1].again_rank == 0 && !times[1].agrees);
    assert_int_equal(appeal.rank_again, 0);
    assert_int_equal(times[0].again_rank, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_new_figure_is_the_median_and_reaches_to_the_farthest_round),
        cmocka_unit_test(no_time_is_more_certain_than_half_a_percent),
        cmocka_unit_test(places_among_those_timed_are_places_on_the_board),
        cmocka_unit_test(what_drifts_hits_all_alike),
        cmocka_unit_test(a_run_that_failed_in_one_round_has_no_time),
    };
    return cmocka_run_group_tests_name("appeal", tests, NULL, NULL);
}
