#include "base/tests/unit.h"

#include "grader/report/report_leaderboard.h"

#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 7 };

static double slow[ROUNDS], fast[ROUNDS], none[ROUNDS], is_close[ROUNDS];

static int fill_rounds(void **state)
{
    for (size_t i = 0; i < ROUNDS; i++) {
        slow[i] = 3;
        fast[i] = 2;
        is_close[i] = i % 2 == 0 ? 2.02 : 1.98;
    }
    return 0;
}

static char *report(const Retiming *retiming)
{
    Text text = {0};
    report_retime(retiming, &text);
    return text.data;
}

static void contenders_stand_in_both_orders_and_those_without_a_time_come_last(void **state)
{
    static const Problem problem = {.id = "conv1d", .title = "Convolution"};
    const char *missing[] = {"Eve\n", "Dan"};
    Contender contenders[] = {
        {.name = "Ann", .run = 4, .stored = {.ms = 1}, .stored_rank = 1, .ms = none, .verdict = VERDICT_WRONG_ANSWER},
        {.name = "Bob",
         .run = 5,
         .stored = {.ms = 2},
         .stored_rank = 2,
         .ms = slow,
         .retimed_ms = 3,
         .retimed_rank = 3},
        {.name = "Cyd",
         .run = 9,
         .stored = {.ms = 3},
         .stored_rank = 3,
         .ms = fast,
         .retimed_ms = 2,
         .retimed_rank = 1},
        {.name = "Flo",
         .run = 8,
         .stored = {.ms = 4},
         .stored_rank = 4,
         .ms = none,
         .verdict = VERDICT_TIME_LIMIT_EXCEEDED},
        {.name = "tiled.cu",
         .stored = {.ms = 5},
         .stored_rank = 4,
         .ms = is_close,
         .retimed_ms = 2.02,
         .retimed_rank = 1},
    };
    Retiming retiming = {.problem = &problem,
                         .contenders = contenders,
                         .count = COUNT_OF(contenders),
                         .rounds = ROUNDS,
                         .most_rounds = 31,
                         .missing = missing,
                         .missing_count = COUNT_OF(missing)};
    retiming.board.device = "NVIDIA H200";
    char *text = report(&retiming);
    assert_string_equal(
        text, "conv1d (Convolution) on NVIDIA H200\n"
              "  by the stored times\n"
              "    1  Ann, run 4                            1 ms\n"
              "    2  Bob, run 5                            2 ms\n"
              "    3  Cyd, run 9                            3 ms\n"
              "    4  Flo, run 8                            4 ms\n"
              "    4  tiled.cu                              5 ms\n"
              "\n"
              "  side by side, 7 rounds; the ratio to the line above, round by round: median (98 % interval)\n"
              "    1  Cyd, run 9                            2 ms\n"
              "    1  tiled.cu                           2.02 ms  1.0100 (0.9900 to 1.0100), a tie\n"
              "    3  Bob, run 5                            3 ms  1.4851 (1.4851 to 1.5152)\n"
              "    -  Ann, run 4                               -  Wrong Answer\n"
              "    -  Flo, run 8                               -  Time Limit Exceeded\n"
              "  not timed, since the database lacks the source: Eve?\n"
              "  not timed, since the database lacks the source: Dan\n"
              "\n"
              "  The orders contradict each other.\n");
    free(text);
}

static void modelled_times_are_called_so_and_orders_that_agree_too(void **state)
{
    static const Problem problem = {.id = "conv1d", .title = "Convolution"};
    Contender contenders[] = {
        {.name = "Cyd",
         .run = 9,
         .stored = {.ms = 2},
         .stored_rank = 1,
         .ms = fast,
         .retimed_ms = 2,
         .retimed_rank = 1},
        {.name = "Bob",
         .run = 5,
         .stored = {.ms = 3},
         .stored_rank = 2,
         .ms = slow,
         .retimed_ms = 3,
         .retimed_rank = 2},
    };
    Retiming retiming = {.problem = &problem,
                         .device = {.modelled = true},
                         .contenders = contenders,
                         .count = COUNT_OF(contenders),
                         .rounds = 2,
                         .most_rounds = 2};
    retiming.board.device = "sim";
    char *text = report(&retiming);
    assert_non_null(strstr(text, "conv1d (Convolution) on sim, times are modelled"));
    assert_non_null(strstr(text,
                           "side by side, 2 rounds; the ratio to the line above, round by round: median (smallest "
                           "to largest)\n"));
    assert_non_null(strstr(text,
                           "    2  Bob, run 5                            3 ms  1.5000 (1.5000 to 1.5000)\n\n  The "
                           "orders agree.\n"));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contenders_stand_in_both_orders_and_those_without_a_time_come_last),
        cmocka_unit_test(modelled_times_are_called_so_and_orders_that_agree_too),
    };
    return cmocka_run_group_tests_name("report_retime", tests, fill_rounds, NULL);
}
