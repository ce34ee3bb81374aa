#include "base/tests/unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "grader/judge/timing.h"
#include "grader/problem/generator.h"

enum { BLOCKS = 3, CALLS = 100, SAMPLES = BLOCKS * CALLS };

static void close_to(double got, double expected)
{
    if (!(fabs(got - expected) <= 1e-9 * fabs(expected)))
        fail_test("%.17g, expected %.17g", got, expected);
}

static void lies_within(const char *what, double got, double low, double high)
{
    if (!(got >= low && got <= high))
        fail_test("%s is %g, expected %g to %g", what, got, low, high);
}

static double normal_number(uint64_t key, uint32_t index)
{
    const GeneratorKey wide = {{(uint32_t)key, (uint32_t)(key >> 32)}};
    const Chacha20Block block = generator_data(&wide, index);
    return generator_normal(block.words[0], block.words[1], block.words[2], block.words[3], 0, 1);
}

/* Calls of 100 us with 1 % of noise, and blocks that differ by `between`, relative; the host's clock is exact but for
 * its gap. */
static void make_sitting(CaseSample *samples, uint64_t key, double between, double clock_gap_s)
{
    for (int i = 0; i < SAMPLES; i++) {
        int block = i / CALLS;
        double shift = between * normal_number(2 * key + 1, (uint32_t)block);
        double event_s = 100e-6 * (1 + shift + 0.01 * normal_number(2 * key, (uint32_t)i));
        samples[i] = (CaseSample){.event_s = event_s, .host_s = event_s + clock_gap_s, .block = block};
    }
}

/* ---- the time ---------------------------------------------------------------------------------------------------- */

static void a_single_sample_is_the_time(void **state)
{
    const CaseSample sample = {.event_s = 3e-3};
    Timing timing = timing_of(&sample, 1, 0);
    assert_true(timing.time_s == 3e-3); /* to the bit: modelled times are exact */
    assert_true(timing.min_s == 3e-3 && timing.p5_s == 3e-3 && timing.p95_s == 3e-3);
    assert_true(timing.variation == 0 && timing.half_width == 0 && !timing.host_decided);
    assert_int_equal(timing.count, 1);
    assert_int_equal(timing.blocks, 1);
}

static void medians_are_those_of_sorting(void **state)
{
    static const struct {
        size_t count;
        double values[9], median;
    } rows[] = {
        {1, {7}, 7},
        {2, {9, 1}, 5},
        {3, {3, 1, 2}, 2},
        {4, {4, 1, 100, 2}, 3},
        {5, {5, 5, 5, 5, 5}, 5},
        {6, {1, 2, 3, 4, 5, 6}, 3.5},
        {7, {7, 6, 5, 4, 3, 2, 1}, 4},
        {8, {1, 9, 1, 9, 1, 9, 1, 9}, 5},
        {9, {2, 8, 3, 8, 1, 9, 5, 7, 6}, 6},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        CaseSample samples[9] = {0};
        for (size_t k = 0; k < rows[i].count; k++)
            samples[k].event_s = rows[i].values[k];
        close_to(timing_of(samples, rows[i].count, 0).time_s, rows[i].median);
    }
}

static void many_samples_have_the_median_that_was_put_in(void **state)
{
    CaseSample samples[1001] = {0};
    for (uint64_t i = 0; i < 1001; i++) /* 1 to 1001 in an odd order: 370 and 1001 have no common factor */
        samples[i].event_s = 1 + (double)(i * 370 % 1001);
    Timing timing = timing_of(samples, 1001, 0);
    close_to(timing.time_s, 501);
    close_to(timing.min_s, 1);
    close_to(timing.p5_s, 51);
    close_to(timing.p95_s, 951);
    close_to(timing.variation, sqrt(1001.0 * 1002 / 12) / 501);
}

static void the_case_takes_the_median_of_its_blocks(void **state)
{
    const CaseSample samples[] = {
        {.event_s = 1, .block = 0}, {.event_s = 2, .block = 0},
        {.event_s = 9, .block = 0}, {.event_s = 5, .block = 1}, /* blocks need not be of one size */
        {.event_s = 3, .block = 2}, {.event_s = 3, .block = 2},
    };
    Timing timing = timing_of(samples, COUNT_OF(samples), 0);
    close_to(timing.time_s, 3); /* of 2, 5 and 3 */
    assert_int_equal(timing.count, 6);
    assert_int_equal(timing.blocks, 3);
}

static void one_slow_block_does_not_move_the_time(void **state)
{
    CaseSample samples[SAMPLES];
    make_sitting(samples, 1, 0, 0);
    double before = timing_of(samples, SAMPLES, 0).time_s;
    for (int i = 0; i < CALLS; i++)
        samples[i].event_s *= 2, samples[i].host_s *= 2;
    lies_within("the time", timing_of(samples, SAMPLES, 0).time_s / before, 0.995, 1.01);
}

static void the_larger_clock_is_the_time(void **state)
{
    const double gap_s = 7e-6;
    const CaseSample honest[] = {{.event_s = 40e-6, .host_s = 46e-6, .block = 0},
                                 {.event_s = 41e-6, .host_s = 47e-6, .block = 0},
                                 {.event_s = 42e-6, .host_s = 48e-6, .block = 0}};
    const CaseSample forged[] = {{.event_s = 4e-6, .host_s = 66e-6, .block = 0},
                                 {.event_s = 4e-6, .host_s = 67e-6, .block = 0},
                                 {.event_s = 4e-6, .host_s = 69e-6, .block = 0}};
    Timing timing = timing_of(honest, 3, gap_s);
    close_to(timing.time_s, 41e-6);
    close_to(timing.min_s, 40e-6);
    assert_false(timing.host_decided);
    timing = timing_of(forged, 3, gap_s);
    close_to(timing.time_s, 60e-6);
    close_to(timing.min_s, 59e-6);
    assert_true(timing.host_decided);
}

static void what_a_block_is_charged_is_added_to_its_time(void **state)
{
    CaseSample samples[SAMPLES];
    make_sitting(samples, 1, 0, 7e-6);
    Timing before = timing_of(samples, SAMPLES, 7e-6);
    for (int i = 0; i < SAMPLES; i++)
        samples[i].charged_s = 5e-3;
    Timing timing = timing_of(samples, SAMPLES, 7e-6);
    close_to(timing.time_s, before.time_s + 5e-3);
    close_to(timing.min_s, before.min_s + 5e-3);
    close_to(timing.half_width * timing.time_s, before.half_width * before.time_s);
    for (int i = CALLS; i < SAMPLES; i++) /* one block of three alone */
        samples[i].charged_s = 0;
    lies_within("the time", timing_of(samples, SAMPLES, 7e-6).time_s / before.time_s, 0.99, 1.02);
}

static void only_work_beyond_measure_is_charged(void **state)
{
    static const struct {
        double first_s, median_s, last_s, excess_s;
    } rows[] = {
        {.first_s = 0.05, .median_s = 1e-3, .last_s = 1e-3, .excess_s = 0},    /* 50 ms are free */
        {.first_s = 0.06, .median_s = 1e-3, .last_s = 1e-3, .excess_s = 0.01}, /* but no more */
        {.first_s = 1.05, .median_s = 1e-3, .last_s = 1e-3, .excess_s = 1},
        {.first_s = 0.3, .median_s = 0.03, .last_s = 0.03, .excess_s = 0}, /* ten times the median is free */
        {.first_s = 0.5, .median_s = 0.03, .last_s = 0.03, .excess_s = 0.2},
        {.first_s = 0,
         .median_s = 1e-3,
         .last_s = 0.1,
         .excess_s = 0.05}, /* timed calls do not help each other either */
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const CaseSample warm_up[] = {{.event_s = 1e-6, .busy_s = rows[i].first_s}, {.event_s = 1, .busy_s = 0}};
        const CaseSample timed[] = {{.event_s = rows[i].median_s, .busy_s = rows[i].median_s},
                                    {.event_s = rows[i].median_s, .busy_s = rows[i].median_s},
                                    {.event_s = 1e-6, .host_s = rows[i].last_s, .busy_s = rows[i].last_s}};
        close_to(timing_excess(warm_up, 2, timed, 3), rows[i].excess_s);
        close_to(timing_excess(warm_up, 2, timed, 0), 0);
    }
}

static void samples_that_no_clock_shows_make_no_time(void **state)
{
    static const CaseSample refused[] = {
        {.event_s = 0, .host_s = 0, .block = 0},        {.event_s = -1e-3, .host_s = 1e-3, .block = 0},
        {.event_s = NAN, .host_s = 1e-3, .block = 0},   {.event_s = 1e-3, .host_s = NAN, .block = 0},
        {.event_s = INFINITY, .host_s = 0, .block = 0}, {.event_s = 1e-3, .host_s = INFINITY, .block = 0},
        {.event_s = 1e-3, .host_s = -1e-3, .block = 0}};
    for (size_t i = 0; i < COUNT_OF(refused); i++) {
        const CaseSample samples[] = {
            {.event_s = 1e-3, .host_s = 1e-3, .block = 0}, refused[i], {.event_s = 1e-3, .host_s = 1e-3, .block = 1}};
        Timing timing = timing_of(samples, 3, 0);
        if (timing.time_s != 0 || timing.count != 0)
            fail_test("row %zu has the time %g", i, timing.time_s);
    }
    assert_true(timing_of(NULL, 0, 0).time_s == 0);
}

/* ---- its uncertainty --------------------------------------------------------------------------------------------- */

/* If blocks do not differ, the noise of the calls determines everything: the deviation of a block's median is
 * sqrt(pi / 2) sigma / sqrt(n), and that of the median of three such 0.670 of it (the variance of the median of three
 * normal numbers is 1 - sqrt(3) / pi). Drawing blocks again, too, widens the bootstrap's interval somewhat. */
static void the_half_width_is_near_that_of_normal_noise(void **state)
{
    const double pi = 3.14159265358979;
    double expected = 1.96 * 0.01 * sqrt(pi / 2 / CALLS) * sqrt(1 - sqrt(3) / pi), mean = 0;
    enum { SITTINGS = 20 };
    for (uint64_t key = 0; key < SITTINGS; key++) {
        CaseSample samples[SAMPLES];
        make_sitting(samples, key, 0, 0);
        mean += timing_of(samples, SAMPLES, 0).half_width / SITTINGS;
    }
    lies_within("half-width over its normal approximation", mean / expected, 0.8, 2);
}

static void blocks_that_differ_widen_the_interval(void **state)
{
    CaseSample samples[SAMPLES];
    double alike = 0, apart = 0;
    for (uint64_t key = 0; key < 10; key++) {
        make_sitting(samples, key, 0, 0);
        alike += timing_of(samples, SAMPLES, 0).half_width;
        make_sitting(samples, key, 0.05, 0);
        apart += timing_of(samples, SAMPLES, 0).half_width;
    }
    lies_within("the ratio of the half-widths", apart / alike, 5, 1000);
}

/* The interval reaches to the slowest of three blocks. */
static void one_block_apart_is_within_the_interval(void **state)
{
    CaseSample samples[SAMPLES];
    for (int i = 0; i < SAMPLES; i++)
        samples[i] = (CaseSample){.event_s = i < CALLS ? 1.2e-3 : 1e-3, .block = i / CALLS};
    Timing timing = timing_of(samples, SAMPLES, 0);
    close_to(timing.time_s, 1e-3);
    close_to(timing.half_width, 0.2);
}

static void the_same_samples_give_the_same_figures(void **state)
{
    CaseSample samples[SAMPLES];
    make_sitting(samples, 5, 0.01, 7e-6);
    Timing first = timing_of(samples, SAMPLES, 7e-6), second = timing_of(samples, SAMPLES, 7e-6);
    assert_true(first.half_width > 0 && first.half_width == second.half_width && first.time_s == second.time_s);
}

static void a_single_block_says_nothing_about_others(void **state)
{
    CaseSample samples[SAMPLES];
    make_sitting(samples, 5, 0.01, 0);
    for (int i = 0; i < SAMPLES; i++)
        samples[i].block = 0;
    assert_true(timing_of(samples, SAMPLES, 0).half_width == 0);
}

static void uncertainties_add_in_quadrature_above_a_floor(void **state)
{
    close_to(timing_uncertainty(0, 0), 0.005);
    close_to(timing_uncertainty(0.003, 0.003), 0.005);
    close_to(timing_uncertainty(0.03, 0.04), 0.05);
    close_to(timing_drift(2, 2.06), 0.03);
    close_to(timing_drift(2, 1.94), 0.03);
    assert_true(timing_drift(0, 1) == 0 && timing_drift(1, 0) == 0);
}

static void the_score_is_a_geometric_mean_of_times_that_all_exist(void **state)
{
    const MeasuredTime cases[] = {{.ms = 1, .uncertainty = 0.01}, {.ms = 4, .uncertainty = 0.03}, {.ms = 0}};
    close_to(timing_score(cases, 2).ms, 2);
    close_to(timing_score(cases, 2).uncertainty, 0.02);
    assert_true(timing_score(cases, 3).ms == 0 && timing_score(cases, 0).ms == 0);
}

/* ---- forged events ----------------------------------------------------------------------------------------------- */

/* Events of 64 us, forged to 4.4 us in the first `forged` blocks. */
static bool are_convicted(int forged, double clock_gap_s, Text *text)
{
    CaseSample samples[SAMPLES];
    for (int i = 0; i < SAMPLES; i++) {
        int block = i / CALLS;
        samples[i] = (CaseSample){
            .event_s = block < forged ? 4.4e-6 : 64e-6, .host_s = 64e-6 + clock_gap_s, .block = block};
    }
    return timing_clocks_disagree(samples, SAMPLES, clock_gap_s, text);
}

static void events_forged_in_two_blocks_are_found(void **state)
{
    for (int forged = 2; forged <= BLOCKS; forged++) {
        Text text = {0};
        assert_true(are_convicted(forged, 7e-6, &text));
        assert_string_equal(text.data, "CUDA events say 4.4 us, the host's clock 64 us");
        text_free(&text);
    }
}

static void one_odd_block_convicts_nobody(void **state)
{
    Text text = {0};
    assert_false(are_convicted(1, 7e-6, &text));
    assert_false(are_convicted(0, 7e-6, &text));
    assert_int_equal(text.length, 0);
}

static void odd_samples_in_every_block_convict_nobody(void **state)
{
    CaseSample samples[SAMPLES];
    Text text = {0};
    make_sitting(samples, 3, 0, 7e-6);
    for (int i = 0; i < SAMPLES; i += 3)
        samples[i].event_s = 0, samples[i].host_s = 1;
    assert_false(timing_clocks_disagree(samples, SAMPLES, 7e-6, &text));
    assert_int_equal(text.length, 0);
}

static void what_an_honest_host_sees_convicts_nobody(void **state)
{
    static const struct {
        double event_s, host_s;
        bool forged;
    } rows[] = {
        {2e-6, 2e-6 + 12.5e-6, false}, /* the most that was measured */
        {2e-6, 7e-6 + 22.9e-6, false}, /* 1.5 * 2 + 20 = 23 */
        {2e-6, 7e-6 + 23.1e-6, true},  {1e-3, 7e-6 + 1.4e-3, false},
        {1e-3, 7e-6 + 1.6e-3, true},   {1e-3, 0, false}, /* one clock */
        {-1e-3, 64e-6, true},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const CaseSample samples[] = {{.event_s = rows[i].event_s, .host_s = rows[i].host_s, .block = 0},
                                      {.event_s = rows[i].event_s, .host_s = rows[i].host_s, .block = 1}};
        Text text = {0};
        if (timing_clocks_disagree(samples, 2, 7e-6, &text) != rows[i].forged)
            fail_test("row %zu", i);
        text_free(&text);
    }
}

/* ---- the output ---------------------------------------------------------------------------------------------- */

/* The output was there 0.5 ms after the work, but 2 ms after it in the first `late` blocks. */
static OutputTaken taken_after(double lag_s, int late, double usual_s, Text *text)
{
    CaseSample samples[SAMPLES];
    for (int i = 0; i < SAMPLES; i++)
        samples[i] = (CaseSample){.event_s = 1e-3,
                                  .host_s = 1e-3,
                                  .block = i / CALLS,
                                  .lag_s = lag_s,
                                  .taken_s = i / CALLS < late ? 2e-3
                                             : i % 5 == 0     ? 5e-3
                                                              : 0.5e-3};
    return timing_taken_late(samples, SAMPLES, usual_s, text);
}

static bool output_is_late(int late, double usual_s, Text *text)
{
    return taken_after(0, late, usual_s, text) == TAKEN_LATE;
}

static void a_late_return_explains_a_late_output(void **state)
{
    Text text = {0};
    assert_int_equal(taken_after(1e-3, 2, 0.4e-3, &text), TAKEN_AFTER_RETURN);
    assert_non_null(strstr(text.data,
                           "solve() returned so long after its work on the device that the output could be read "
                           "only 2 ms after it"));
    text_free(&text);
    assert_int_equal(taken_after(0.1e-3, 2, 0.4e-3, &text), TAKEN_LATE);
    text_free(&text);
    assert_int_equal(taken_after(1e-3, 1, 0.4e-3, &text), TAKEN_IN_TIME);
    assert_int_equal(text.length, 0);
}

static void an_output_that_is_late_in_two_blocks_is_found(void **state)
{
    Text text = {0};
    assert_false(output_is_late(0, 0.4e-3, &text));
    assert_false(output_is_late(1, 0.4e-3, &text));
    assert_int_equal(text.length, 0);
    assert_true(output_is_late(2, 0.4e-3, &text));
    assert_string_equal(
        text.data, "the output could be read only 2 ms after the end of the work, and that of the anchor after 400 us");
    text_free(&text);
    assert_false(output_is_late(2, 0.51e-3, &text)); /* 2 * 0.51 + 1 = 2.02 */
}

static void the_usual_time_of_taking_is_a_median(void **state)
{
    const CaseSample samples[] = {{.taken_s = 3}, {.taken_s = 1}, {.taken_s = 2}};
    close_to(timing_taken_s(samples, 3), 2);
    assert_true(timing_taken_s(samples, 0) == 0);
}

static void what_the_host_adds_is_taken_off_and_its_spread_is_uncertain(void **state)
{
    Timing timing = {
        .time_s = 11e-6, .half_width = 0.03 / 11, .min_s = 10.5e-6, .p5_s = 10.6e-6, .p95_s = 12e-6, .variation = 0.01};
    timing_take_off(&timing, 1e-6, 4e-8);
    assert_true(fabs(timing.time_s - 10e-6) < 1e-15 && fabs(timing.min_s - 9.5e-6) < 1e-15);
    assert_true(fabs(timing.p5_s - 9.6e-6) < 1e-15 && fabs(timing.p95_s - 11e-6) < 1e-15);
    assert_true(fabs(timing.half_width - 5e-8 / 10e-6) < 1e-9); /* 3e-8 s and 4e-8 s */
    assert_true(fabs(timing.variation - 0.011) < 1e-9);
    const Timing before = timing;
    timing_take_off(&timing, 9.5e-6, 4e-8); /* no call is that short */
    assert_memory_equal(&timing, &before, sizeof before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_single_sample_is_the_time),
        cmocka_unit_test(medians_are_those_of_sorting),
        cmocka_unit_test(many_samples_have_the_median_that_was_put_in),
        cmocka_unit_test(the_case_takes_the_median_of_its_blocks),
        cmocka_unit_test(one_slow_block_does_not_move_the_time),
        cmocka_unit_test(the_larger_clock_is_the_time),
        cmocka_unit_test(what_a_block_is_charged_is_added_to_its_time),
        cmocka_unit_test(only_work_beyond_measure_is_charged),
        cmocka_unit_test(samples_that_no_clock_shows_make_no_time),
        cmocka_unit_test(the_half_width_is_near_that_of_normal_noise),
        cmocka_unit_test(blocks_that_differ_widen_the_interval),
        cmocka_unit_test(one_block_apart_is_within_the_interval),
        cmocka_unit_test(the_same_samples_give_the_same_figures),
        cmocka_unit_test(a_single_block_says_nothing_about_others),
        cmocka_unit_test(uncertainties_add_in_quadrature_above_a_floor),
        cmocka_unit_test(the_score_is_a_geometric_mean_of_times_that_all_exist),
        cmocka_unit_test(events_forged_in_two_blocks_are_found),
        cmocka_unit_test(one_odd_block_convicts_nobody),
        cmocka_unit_test(odd_samples_in_every_block_convict_nobody),
        cmocka_unit_test(what_an_honest_host_sees_convicts_nobody),
        cmocka_unit_test(an_output_that_is_late_in_two_blocks_is_found),
        cmocka_unit_test(a_late_return_explains_a_late_output),
        cmocka_unit_test(the_usual_time_of_taking_is_a_median),
        cmocka_unit_test(what_the_host_adds_is_taken_off_and_its_spread_is_uncertain),
    };
    return cmocka_run_group_tests_name("timing", tests, NULL, NULL);
}
