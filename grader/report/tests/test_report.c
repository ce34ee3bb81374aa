#include "base/tests/unit.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "grader/report/report.h"
#include "grader/report/report_leaderboard.h"
#include "grader/tests/made_up.h"

static const TerminalStyle plain = {.width = 80};

static void holds(const Text *text, const char *part)
{
    if (strstr(text->data, part) == NULL)
        fail_test("\"%s\" is missing in:\n%s", part, text->data);
}

static void lacks(const Text *text, const char *part)
{
    if (strstr(text->data, part) != NULL)
        fail_test("\"%s\" stands in:\n%s", part, text->data);
}

static void no_line_is_wider_than(const Text *text, int columns)
{
    for (const char *line = text->data; *line != '\0';) {
        size_t length = strcspn(line, "\n");
        char *copy = strndup(line, length);
        if (terminal_columns(copy) > columns)
            fail_test("%d columns: %s", terminal_columns(copy), copy);
        free(copy);
        line += length + (line[length] == '\n');
    }
}

static void a_failed_sample_shows_sizes_and_elements(void **state)
{
    CaseResult cases[] = {made_up_case(CASE_SAMPLE, "three taps", VERDICT_WRONG_ANSWER)};
    const SampleDetails details = {
        .compared = true,
        .comparison = {.count = 100,
                       .rank = 1,
                       .output = 1,
                       .wrong = 2,
                       .first = {.position = {5}, .got = 1.5, .expected = 2.5, .error = 1, .bound = 0.25},
                       .worst = {.position = {6}, .got = -9, .expected = 4, .error = 13, .bound = 0.25}},
        .printed = ""};
    cases[0].text = "the last element";
    cases[0].sample = &details;
    Result result = made_up_result(cases, 1);
    result.verdict = VERDICT_WRONG_ANSWER;
    Text text = {0};
    report_write(&result, plain, &text);
    holds(&text, "Wrong Answer");
    holds(&text, "three taps: Wrong Answer: the last element");
    holds(&text, "n 4711");
    holds(&text, "output[5]: expected 2.5, got 1.5");
    holds(&text, "output[6]: expected 4, got -9");
    lacks(&text, "\033");
    text_free(&text);
}

static void a_failed_hidden_case_shows_its_number_and_kind_only(void **state)
{
    CaseResult cases[] = {made_up_case(CASE_HIDDEN, "hidden 4", VERDICT_WRONG_ANSWER),
                          made_up_case(CASE_HIDDEN, "hidden 5", VERDICT_ACCEPTED)};
    cases[0].text = "scattered elements";
    cases[1].judged = false;
    Result result = made_up_result(cases, 2);
    result.verdict = VERDICT_WRONG_ANSWER;
    Text text = {0};
    report_write(&result, plain, &text);
    holds(&text, "hidden 4: Wrong Answer: scattered elements");
    holds(&text, "errors up to 1e-02");
    holds(&text, "cases that were not run: 1");
    lacks(&text, "4711");
    text_free(&text);
}

static void of_many_failed_cases_the_first_are_shown(void **state)
{
    CaseResult cases[12];
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        cases[i] = made_up_case(CASE_HIDDEN, "hidden", VERDICT_WRONG_ANSWER);
    Result result = made_up_result(cases, COUNT_OF(cases));
    result.verdict = VERDICT_WRONG_ANSWER;
    Text text = {0};
    report_write(&result, plain, &text);
    holds(&text, "  ... and 6 more failed cases\n");
    text_free(&text);
}

static Result accepted_result(CaseResult *cases, size_t count)
{
    cases[0].statistics = (DeviceStatistics){.has_counters = true, .limiter = "lsu", .occupancy = 0.75};
    static ReferenceTime reference_times[] = {{.name = "tiled.cu", .time = {0.5, 0.005, "lsu 0.22314"}},
                                              {.name = "shared.cu", .time = {0.9, 0.005, "lsu 0.22314"}},
                                              {.name = "naive.cu", .time = {4, 0.005, "lsu 0.22314"}}};
    Result result = made_up_result(cases, count);
    for (size_t i = 0; i < count; i++)
        result_time_case(&cases[i], &result.device);
    result_score(&result);
    strcpy(result.score.model, "lsu 0.22314"); /* log(1.25) */
    result.reference_times = reference_times;
    result.reference_count = 3;
    result.references = (Percentile){.n = 3, .slower = 1, .faster = 2, .value = 33.3, .low = 33.3, .high = 33.3};
    result.class_ = (Percentile){.n = 20, .slower = 12, .tied = 2, .faster = 6, .value = 65, .low = 60, .high = 70};
    result.rank = 7;
    return result;
}

static void an_accepted_submission_stands_among_the_references(void **state)
{
    CaseResult cases[] = {made_up_timed_case("large", 1e-3)};
    Result result = accepted_result(cases, 1);
    Text text = {0};
    result.device.calibrated = true;
    report_write(&result, plain, &text);
    holds(&text, "Accepted");
    holds(&text, "1 ms (modelled), geometric mean");
    holds(&text, "800 us to 1.25 ms for nine in ten such kernels\n");
    holds(&text, "GFLOP/s");
    holds(&text, "roofline");
    holds(&text, "faster than 1 of 3 reference solutions: percentile 33 (33 to 33)");
    holds(&text, "percentile 65.0 (60.0 to 70.0): faster than 12 of 20, 2 tied");
    holds(&text, "7 of 21");
    holds(&text, "load/store units       75 %");
    holds(&text, "Next to beat: shared, 1.11 times as fast");
    const char *tiled = strstr(text.data, "  tiled"), *mine = strstr(text.data, "  > this submission"),
               *naive = strstr(text.data, "  naive");
    assert_true(tiled != NULL && tiled < mine && mine < naive);
    assert_true(strchr(mine, '#') < strchr(mine, '\n') && strchr(tiled, '=') < strchr(tiled, '\n'));
    no_line_is_wider_than(&text, 80);
    text_free(&text);
    report_write(&result, (TerminalStyle){.width = 80, .colour = true}, &text);
    holds(&text, "\n  \033[1m> this submission");
    holds(&text, "\n  tiled");
    text_free(&text);
    forget_samples(cases, 1);
}

enum { BLOCKS = 3, CALLS = 4 };

/* A case on a real GPU: by the events the calls take about 59 us; the host's clock shows `host_s` more than its gap. */
static CaseResult measured_case(const char *name, CaseSample *samples, double gap_s, double host_s)
{
    CaseResult item = made_up_case(CASE_TIMED, name, VERDICT_ACCEPTED);
    for (int i = 0; i < BLOCKS * CALLS; i++) {
        double event_s = 59e-6 + 0.2e-6 * (i % CALLS);
        samples[i] = (CaseSample){.event_s = event_s, .host_s = event_s + gap_s + host_s, .block = i / CALLS};
    }
    item.samples = samples;
    item.sample_count = BLOCKS * CALLS;
    item.operations = 1500000000;
    item.bytes = 12000000;
    return item;
}

static Result measured_result(CaseResult *cases, size_t count, BlockConditions *blocks)
{
    Result result = made_up_result(cases, count);
    result.device = (DeviceInfo){.id = "nvidia-h200",
                                 .name = "NVIDIA H200",
                                 .clock_gap_s = 7e-6,
                                 .copy_bytes_per_s = 4e12,
                                 .fma_flops_per_s = 5e13};
    for (int i = 0; i < BLOCKS; i++)
        blocks[i] = (BlockConditions){.sm_clock_mhz = 1965 + 7.5 * i, .temperature_c = 41};
    result.blocks = blocks;
    result.block_count = BLOCKS;
    result.anchor = (AnchorTimes){.name = "naive.cu", .before_ms = 2, .after_ms = 2.02, .drift = 0.01};
    for (size_t i = 0; i < count; i++)
        result_time_case(&cases[i], &result.device);
    result_score(&result);
    return result;
}

static void a_measured_time_stands_with_what_it_was_measured_by(void **state)
{
    CaseSample samples[BLOCKS * CALLS];
    BlockConditions blocks[BLOCKS];
    CaseResult cases[] = {measured_case("1.5 million elements, longest kernel", samples, 7e-6, -1e-6)};
    Result result = measured_result(cases, 1, blocks);
    Text text = {0};
    report_write(&result, plain, &text);
    holds(&text, "59.3 us +- 1.1 %, geometric mean of the timed cases\n");
    holds(&text, "25295 GFLOP/s, 202.4 GB/s, 50.6 % of the direct roofline\n");
    holds(&text, "measured    3 blocks x 4 calls, SM clock 1965 to 1980 MHz, 41 C\n");
    holds(&text, "anchor      naive.cu drifted by 1.0 % during the measurement\n");
    holds(&text, "  1.5 million elements, longest kernel\n"
                 "     59.3 us +- 1.1 %      59 us .. 59.6 us   0.4 %    25295    202.4    50.6 %\n");
    lacks(&text, "modelled");
    lacks(&text, "limited by");
    lacks(&text, "the host's");
    lacks(&text, "empty launch");
    no_line_is_wider_than(&text, 80);
    text_free(&text);
}

static void a_doubt_about_a_modelled_time_is_named(void **state)
{
    CaseResult cases[] = {made_up_timed_case("large", 1e-3)};
    Result result = accepted_result(cases, 1);
    Text text = {0};
    result.device.calibrated = false;
    result.device.doubts[DOUBT_textures] = 1.38;
    cases[0].statistics.counters.texture_requests = 1;
    report_write(&result, plain, &text);
    holds(&text, "for nine in ten such kernels (a guess: no time was compared with such a GPU)\n");
    holds(&text, "wider by a factor of 1.38: a kernel fetches from textures\n");
    assert_null(strstr(text.data, "tensor cores"));
    text_free(&text);
    forget_samples(cases, 1);
}

static void what_the_host_adds_is_reported(void **state)
{
    static const struct {
        double usual_s;
        const char *line;
    } rows[] = {
        {6e-6, "host        an empty launch takes 7.5 us +- 40 ns here, 6 us usually: 1.5 us taken off each call\n"},
        {8e-6, "host        an empty launch takes 7.5 us +- 40 ns here, 8 us usually: nothing taken off\n"}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        CaseSample samples[BLOCKS * CALLS];
        BlockConditions blocks[BLOCKS];
        CaseResult cases[] = {measured_case("long", samples, 7e-6, -1e-6)};
        Result result = measured_result(cases, 1, blocks);
        Text text = {0};
        result.device.launch_s = 7.5e-6;
        result.device.launch_spread_s = 4e-8;
        result.device.usual_launch_s = rows[i].usual_s;
        report_write(&result, plain, &text);
        holds(&text, rows[i].line);
        text_free(&text);
    }
}

static void the_clock_of_the_host_is_named_where_it_decided(void **state)
{
    CaseSample samples[BLOCKS * CALLS], others[BLOCKS * CALLS];
    BlockConditions blocks[BLOCKS];
    CaseResult cases[] = {measured_case("a", samples, 7e-6, 3e-6), measured_case("b", others, 7e-6, -3e-6)};
    Result result = measured_result(cases, 2, blocks);
    Text text = {0};
    report_write(&result, (TerminalStyle){.width = 80, .utf8 = true}, &text);
    holds(&text, "clock       the host's in 1 of 2 timed cases; CUDA events showed less\n");
    holds(&text, "62.3 us ± 1.");
    holds(&text, "62 us .. 62.6 us");
    holds(&text, "41 °C");
    no_line_is_wider_than(&text, 80);
    text_free(&text);
}

static void figures_keep_apart_however_large_or_small(void **state)
{
    static const struct {
        double ms, uncertainty, fastest_s, p95_s, variation, gflops, gbytes_per_s, roofline;
        const char *row;
    } rows[] = {
        {1e300, 1e300, 1e300, 1e300, 1e300, 1e300, 1e300, 1e300,
         "  >9999 h +- >99999 %    >9999 h .. >9999 h >99999 % >9999999 >9999999  >99999 %\n"},
        {1e-300, 1e-300, 1e-300, 1e-300, 1e-300, 1e-300, 1e-300, 1e-300,
         "     <1 ns +- <0.1 %        <1 ns .. <1 ns  <0.1 %   <0.001   <0.001    <0.1 %\n"},
        {0.4123, 10, 0.4123e-3, 0.4567e-3, 10, 1234567, 123456, 1645.1,
         "   412.3 us +- 1000 %  412.3 us .. 456.7 us  1000 %  1234567   123456  >99999 %\n"},
        {0.4123, NAN, NAN, NAN, NAN, NAN, NAN, 164.5,
         "        412.3 us +- -                - .. -       -        -        -   16450 %\n"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        CaseSample samples[BLOCKS * CALLS];
        BlockConditions blocks[BLOCKS];
        CaseResult cases[] = {measured_case("計算 of a case whose name is longer than any column", samples, 7e-6, 0)};
        Result result = measured_result(cases, 1, blocks);
        cases[0].time = (MeasuredTime){.ms = rows[i].ms, .uncertainty = rows[i].uncertainty};
        cases[0].timing.min_s = rows[i].fastest_s;
        cases[0].timing.p95_s = rows[i].p95_s;
        cases[0].timing.variation = rows[i].variation;
        cases[0].gflops = rows[i].gflops;
        cases[0].gbytes_per_s = rows[i].gbytes_per_s;
        cases[0].roofline = rows[i].roofline;
        Text text = {0};
        report_write(&result, plain, &text);
        holds(&text, rows[i].row);
        no_line_is_wider_than(&text, 80);
        text_free(&text);
    }
}

static void what_is_not_known_of_the_gpu_is_left_out(void **state)
{
    CaseSample samples[BLOCKS * CALLS];
    BlockConditions blocks[BLOCKS];
    CaseResult cases[] = {measured_case("a", samples, 7e-6, 0)};
    Result result = measured_result(cases, 1, blocks);
    Text text = {0};
    result.block_count = 0;
    result.anchor.name[0] = '\0';
    cases[0].roofline = 0;
    report_write(&result, plain, &text);
    holds(&text, "measured    3 blocks x 4 calls\n");
    lacks(&text, "anchor");
    text_free(&text);
}

static void a_sample_of_the_blocks_is_told_with_its_error(void **state)
{
    CaseResult cases[] = {made_up_timed_case("large", 1e-3)};
    Result result = accepted_result(cases, 1);
    Text text = {0};
    cases[0].statistics.sampled_share = 0.253;
    cases[0].statistics.sample_error = 0.0042;
    report_write(&result, plain, &text);
    holds(&text, "  of the case \"large\" a random 25 % of the blocks was simulated: +- 0.4 %\n");
    text_free(&text);
    cases[0].statistics.sampled_share = 1;
    report_write(&result, plain, &text);
    lacks(&text, "drawn at random");
    text_free(&text);
    forget_samples(cases, 1);
}

static void bars_fit_a_narrow_terminal_in_colour_too(void **state)
{
    CaseResult cases[] = {made_up_timed_case("large", 1e-3)};
    Result result = accepted_result(cases, 1);
    for (int width = 50; width <= 120; width += 35) {
        Text text = {0};
        report_write(&result, (TerminalStyle){.width = width, .utf8 = true}, &text);
        no_line_is_wider_than(&(Text){.data = strstr(text.data, "  tiled")}, width);
        text_free(&text);
    }
    Text text = {0};
    report_write(&result, (TerminalStyle){.width = 80, .colour = true}, &text);
    holds(&text, "\033[1;32mAccepted\033[0m");
    text_free(&text);
    forget_samples(cases, 1);
}

static void compiler_diagnostics_are_shown_and_bounded(void **state)
{
    Result result = made_up_result(NULL, 0);
    result.verdict = VERDICT_COMPILE_ERROR;
    result.compiled.outcome = COMPILE_ERROR;
    for (int i = 0; i < 1000; i++)
        text_printf(&result.compiled.diagnostics, "mine.cu(%d): error: expected an expression\n", i);
    Text text = {0};
    report_write(&result, plain, &text);
    holds(&text, "Compile Error");
    holds(&text, "| mine.cu(3): error");
    holds(&text, "more bytes");
    assert_true(text.length < 4000);
    text_free(&text);
    text_free(&result.compiled.diagnostics);
}

static void what_a_submission_prints_cannot_steer_the_terminal(void **state)
{
    CaseResult cases[] = {made_up_case(CASE_SAMPLE, "s", VERDICT_ACCEPTED)};
    const SampleDetails details = {.printed = "\033[2J\rAccepted\nsecond", .printed_lost = 77};
    cases[0].sample = &details;
    Result result = made_up_result(cases, 1);
    Text text = {0};
    report_write(&result, plain, &text);
    holds(&text, "| ?[2J?Accepted\n  | second\n");
    holds(&text, "77 more bytes");
    lacks(&text, "\033");
    text_free(&text);
}

static void the_leaderboard_is_aligned_with_wide_names_too(void **state)
{
    const Standing standings[] = {
        {"Ada", "2026-01-31T12:00:00Z", {.ms = 0.5, .uncertainty = 0.005}, 1, {.n = 2, .value = 100}, 1},
        {"計算機の学生", "2026-02-01T12:00:00Z", {.ms = 12.3456, .uncertainty = 0.005}, 2, {.n = 2, .value = 50}, 1},
        {"a name that is much longer than its column",
         "2026-02-01T12:00:00Z",
         {.ms = 4000, .uncertainty = 0.1},
         3,
         {.n = 0},
         1},
        {"Ada", "2026-02-01T12:00:00Z", {.ms = 1e300, .uncertainty = 1e300}, 99999, {.n = 2, .value = 0}, 1},
        {"Ada", "2026-02-01T12:00:00Z", {.ms = 1e-300, .uncertainty = NAN}, 99999, {.n = 2, .value = 0}, 1},
    };
    const Board board = {.device = "sim-h200"};
    Text text = {0};
    report_leaderboard(&made_up_problem, &board, "modelled", standings, COUNT_OF(standings), &text);
    holds(&text, "modelled");
    holds(&text, "500 us");
    holds(&text, "12.35 ms");
    holds(&text, "4 s");
    int columns = 0;
    const char *line = strchr(text.data, '\n') + 1; /* the header, then the rows */
    for (int row = 0; *line != '\0'; row++) {
        char *copy = strndup(line, strcspn(line, "\n"));
        int date_at = terminal_columns(copy) - 10 + (row == 0 ? 6 : 0); /* "date" is six shorter than a date */
        if (row > 0 && date_at != columns)
            fail_test("the date begins in column %d, expected %d: %s", date_at, columns, copy);
        columns = date_at;
        line += strlen(copy) + 1;
        free(copy);
    }
    text_free(&text);
}

/* One of those that the cost model may name. */
static void limits_that_are_rare_have_words_too(void **state)
{
    assert_string_equal(limiter_words("issue"), "instruction issue");
    assert_string_equal(limiter_words("blocks"), "block start-up");
    assert_string_equal(limiter_words("heap"), "heap of kernels");
}

static void an_empty_leaderboard_says_so(void **state)
{
    Text text = {0};
    report_leaderboard(&made_up_problem, &(Board){.device = "sim-h200"}, "modelled, uncalibrated", NULL, 0, &text);
    holds(&text, "modelled, uncalibrated times");
    holds(&text, "nobody yet");
    text_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_failed_sample_shows_sizes_and_elements),
        cmocka_unit_test(a_failed_hidden_case_shows_its_number_and_kind_only),
        cmocka_unit_test(of_many_failed_cases_the_first_are_shown),
        cmocka_unit_test(an_accepted_submission_stands_among_the_references),
        cmocka_unit_test(a_doubt_about_a_modelled_time_is_named),
        cmocka_unit_test(what_the_host_adds_is_reported),
        cmocka_unit_test(a_measured_time_stands_with_what_it_was_measured_by),
        cmocka_unit_test(the_clock_of_the_host_is_named_where_it_decided),
        cmocka_unit_test(figures_keep_apart_however_large_or_small),
        cmocka_unit_test(what_is_not_known_of_the_gpu_is_left_out),
        cmocka_unit_test(a_sample_of_the_blocks_is_told_with_its_error),
        cmocka_unit_test(bars_fit_a_narrow_terminal_in_colour_too),
        cmocka_unit_test(compiler_diagnostics_are_shown_and_bounded),
        cmocka_unit_test(what_a_submission_prints_cannot_steer_the_terminal),
        cmocka_unit_test(the_leaderboard_is_aligned_with_wide_names_too),
        cmocka_unit_test(limits_that_are_rare_have_words_too),
        cmocka_unit_test(an_empty_leaderboard_says_so),
    };
    setlocale(LC_CTYPE, "C.UTF-8");
    return cmocka_run_group_tests_name("report", tests, NULL, NULL);
}
