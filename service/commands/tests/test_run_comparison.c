#include "base/tests/unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "service/commands/run_comparison.h"

static const TerminalStyle plain = {.width = 80};
static const int64_t runs[2] = {12, 15};

typedef struct Pair {
    JsonFile results[2];
    RunComparison comparison;
    Text report;
} Pair;

/* A result with these members and cases. */
static char *result(char *buffer, size_t size, const char *members, const char *cases)
{
    snprintf(buffer, size,
             "{\"verdict\": \"Accepted\", \"device\": \"sim-h200\", \"device_name\": \"H200\", %s, \"cases\": [%s]}",
             members, cases);
    return buffer;
}

static Status make(Pair *pair, const char *before, const char *after, Message *why)
{
    const char *texts[2] = {before, after};
    *pair = (Pair){0};
    for (int side = 0; side < 2; side++)
        assert_int_equal(json_parse("result", texts[side], strlen(texts[side]), &pair->results[side], why), STATUS_OK);
    Status status = run_comparison_make(pair->results, runs, &pair->comparison, why);
    if (status == STATUS_OK)
        run_comparison_report(&pair->comparison, plain, &pair->report);
    return status;
}

static void free_pair(Pair *pair)
{
    run_comparison_free(&pair->comparison);
    json_free(&pair->results[0]);
    json_free(&pair->results[1]);
    text_free(&pair->report);
}

static void holds(const Pair *pair, const char *part)
{
    if (strstr(pair->report.data, part) == NULL)
        fail_test("\"%s\" is missing in:\n%s", part, pair->report.data);
}

static void lacks(const Pair *pair, const char *part)
{
    if (strstr(pair->report.data, part) != NULL)
        fail_test("\"%s\" stands in:\n%s", part, pair->report.data);
}

static const char usual[] =
    "\"problem\": \"conv1d\", \"revision\": \"r\", \"epoch\": 7, \"score_ms\": 1, \"uncertainty\": 0.005";

static void a_ratio_has_both_uncertainties(void **state)
{
    const TimeChange change = time_change((MeasuredTime){2, 0.03}, (MeasuredTime){1, 0.04});
    assert_true(change.ratio == 0.5 && fabs(change.uncertainty - 0.05) < 1e-12);
    assert_int_equal(change.order, TIME_FASTER);
}

static void a_difference_within_the_uncertainties_is_noise(void **state)
{
    /* the uncertainties are 3 and 4 ms, so differences up to 5 ms are noise */
    assert_int_equal(time_change((MeasuredTime){100, 0.03}, (MeasuredTime){104.9, 4 / 104.9}).order, TIME_NOISE);
    assert_int_equal(time_change((MeasuredTime){100, 0.03}, (MeasuredTime){95.1, 4 / 95.1}).order, TIME_NOISE);
    assert_int_equal(time_change((MeasuredTime){100, 0.03}, (MeasuredTime){105.1, 4 / 105.1}).order, TIME_SLOWER);
    assert_int_equal(time_change((MeasuredTime){100, 0.03}, (MeasuredTime){94.9, 4 / 94.9}).order, TIME_FASTER);
}

static void a_missing_time_gives_no_ratio(void **state)
{
    const TimeChange change = time_change((MeasuredTime){0, 0}, (MeasuredTime){1, 0.01});
    cJSON *object = cJSON_CreateObject();
    assert_int_equal(change.order, TIME_UNKNOWN);
    assert_string_equal(time_order_words(change.order), "");
    time_change_put(object, "change", &change);
    assert_null(object->child);
    cJSON_Delete(object);
}

static void each_case_is_compared(void **state)
{
    char before[2000], after[2000];
    Message why;
    Pair pair;
    assert_int_equal(
        make(&pair,
             result(before, sizeof before, usual,
                    "{\"name\": \"long\", \"verdict\": \"Accepted\", \"time_ms\": 2, \"uncertainty\": 0.005},"
                    "{\"name\": \"short\", \"verdict\": \"Accepted\", \"time_ms\": 1, \"uncertainty\": 0.005},"
                    "{\"name\": \"old\", \"verdict\": \"Accepted\"}, {\"name\": \"older\", \"verdict\": \"Accepted\"},"
                    "{\"name\": \"oldest\", \"verdict\": \"Accepted\"}"),
             result(after, sizeof after, usual,
                    "{\"name\": \"short\", \"verdict\": \"Accepted\", \"time_ms\": 1.001, \"uncertainty\": 0.005},"
                    "{\"name\": \"long\", \"verdict\": \"Accepted\", \"time_ms\": 3, \"uncertainty\": 0.005},"
                    "{\"name\": \"new\", \"verdict\": \"Wrong Answer\"}"),
             &why),
        STATUS_OK);
    holds(&pair, "15 against 12, problem conv1d on H200");
    holds(&pair, "timed case ");
    lacks(&pair, "(modelled)");
    holds(&pair, "1.5 +- 0.7 %  slower");
    lacks(&pair, "Neither");
    holds(&pair, "1 +- 0.7 %  no more than noise");
    holds(&pair, "old and the next 2: Accepted, then not run\n");
    lacks(&pair, "older");
    holds(&pair, "new: not run, then Wrong Answer");
    lacks(&pair, "What changed");
    assert_int_equal(pair.comparison.case_count, 6);
    free_pair(&pair);
}

static void the_largest_change_of_a_counter_comes_first(void **state)
{
    char before[2000], after[2000];
    Message why;
    Pair pair;
    const char *cases = "{\"name\": \"%s\", \"time_ms\": 1, \"uncertainty\": 0.005, \"counters\": {\"kernels\": %d,"
                        "\"global_load_sectors\": %d, \"shared_requests\": 1000, \"occupancy\": %s,"
                        "\"sampled_blocks\": %s, \"limiter\": \"%s\"}}";
    char one[400], other[400], both[900];
    snprintf(one, sizeof one, cases, "a", 1, 1000, "0.5", "0.1", "lsu");
    snprintf(other, sizeof other, cases, "b", 1, 3000, "0.5", "0.1", "lsu");
    snprintf(both, sizeof both, "%s, %s", one, other);
    result(before, sizeof before, usual, both);
    snprintf(one, sizeof one, cases, "a", 2, 5000, "1", "0.9", "dram");
    snprintf(other, sizeof other, cases, "b", 2, 11000, "1", "0.9", "lsu");
    snprintf(both, sizeof both, "%s, %s", one, other);
    result(after, sizeof after, "\"modelled\": true, \"problem\": \"conv1d\", \"revision\": \"r\", \"epoch\": 7", both);
    assert_int_equal(make(&pair, before, after, &why), STATUS_OK);
    assert_string_equal(pair.comparison.counters[0].name, "global_load_sectors");
    assert_true(pair.comparison.counters[0].values[0] == 4000 && pair.comparison.counters[0].values[1] == 16000);
    holds(&pair, "timed case (modelled)");
    holds(&pair, "global load sectors           4.0K     16.0K         4");
    holds(&pair, "occupancy                     50 %     100 %         2");
    holds(&pair, "a: limited by load/store units, then by memory bandwidth");
    lacks(&pair, "b: limited");
    lacks(&pair, "sampled");
    lacks(&pair, "shared requests");
    free_pair(&pair);
}

static void expect_obstacle(const char *members, const char *expected)
{
    static const char one[] = "{\"name\": \"long\", \"verdict\": \"Accepted\", \"time_ms\": 2, \"uncertainty\": 0.005}";
    char before[2000], after[2000];
    Message why;
    Pair pair;
    assert_int_equal(
        make(&pair, result(before, sizeof before, usual, one), result(after, sizeof after, members, one), &why),
        STATUS_OK);
    holds(&pair, expected);
    assert_int_equal(pair.comparison.change.order, TIME_UNKNOWN);
    assert_int_equal(pair.comparison.cases[0].change.order, TIME_UNKNOWN);
    lacks(&pair, "noise");
    free_pair(&pair);
}

static void times_of_different_boards_are_not_compared(void **state)
{
    expect_obstacle(
        "\"problem\": \"conv2d\", \"revision\": \"r\", \"epoch\": 7, \"score_ms\": 1, \"uncertainty\": 0.005",
        "The times cannot be compared: the problems differ, conv1d and conv2d.");
    expect_obstacle(
        "\"problem\": \"conv1d\", \"revision\": \"s\", \"epoch\": 7, \"score_ms\": 1, \"uncertainty\": 0.005",
        "the problem was changed between them.");
    expect_obstacle(
        "\"problem\": \"conv1d\", \"revision\": \"r\", \"epoch\": 8, \"score_ms\": 1, \"uncertainty\": 0.005",
        "the way of measuring was changed between them.");
}

static void a_case_without_a_name_is_refused(void **state)
{
    char before[2000], after[2000];
    Message why;
    Pair pair;
    assert_int_equal(
        make(&pair, result(before, sizeof before, usual, ""), result(after, sizeof after, usual, "3"), &why),
        STATUS_BAD_INPUT);
    assert_non_null(strstr(why.text, "expected a case with a \"name\""));
    free_pair(&pair);
    assert_int_equal(make(&pair, result(before, sizeof before, usual, ""),
                          result(after, sizeof after, usual, "{\"name\": \"x\", \"time_ms\": -1}"), &why),
                     STATUS_BAD_INPUT);
    free_pair(&pair);
}

static void a_long_name_has_a_line_of_its_own(void **state)
{
    static const char one[] =
        "{\"name\": \"1.5 million elements, longest kernel\", \"time_ms\": 2, \"uncertainty\": 0.005},"
        "{\"name\": \"short\", \"time_ms\": 2, \"uncertainty\": 0.005}";
    char before[2000], after[2000];
    Message why;
    Pair pair;
    assert_int_equal(
        make(&pair, result(before, sizeof before, usual, one), result(after, sizeof after, usual, one), &why),
        STATUS_OK);
    holds(&pair,
          "\n  1.5 million elements, longest kernel\n                               2 ms      2 ms     1 +- 0.7 %");
    holds(&pair, "\n  short                        2 ms      2 ms     1 +- 0.7 %");
    free_pair(&pair);
}

static void results_without_times_say_so(void **state)
{
    static const char one[] = "{\"name\": \"three taps\", \"verdict\": \"Accepted\", \"timed\": false}";
    char before[2000], after[2000];
    Message why;
    Pair pair;
    assert_int_equal(
        make(&pair, result(before, sizeof before, usual, one), result(after, sizeof after, usual, one), &why),
        STATUS_OK);
    holds(&pair, "Neither has a timed case.");
    lacks(&pair, "geometric mean");
    free_pair(&pair);
}

static void names_cannot_move_the_cursor(void **state)
{
    static const char one[] =
        "{\"name\": \"\\u001b[2Jlong\", \"verdict\": \"\\u001b[1m\", \"time_ms\": 2, \"uncertainty\": 0.005,"
        "\"counters\": {\"\\u001b[3m\": %d, \"limiter\": \"\\u001b%d\"}}";
    char cases[2][400], before[2000], after[2000];
    Message why;
    Pair pair;
    snprintf(cases[0], sizeof cases[0], one, 1, 1);
    snprintf(cases[1], sizeof cases[1], one, 9, 2);
    assert_int_equal(
        make(&pair, result(before, sizeof before, usual, cases[0]), result(after, sizeof after, usual, cases[1]), &why),
        STATUS_OK);
    lacks(&pair, "\033");
    holds(&pair, "?[2Jlong");
    free_pair(&pair);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ratio_has_both_uncertainties),
        cmocka_unit_test(a_difference_within_the_uncertainties_is_noise),
        cmocka_unit_test(a_missing_time_gives_no_ratio),
        cmocka_unit_test(each_case_is_compared),
        cmocka_unit_test(the_largest_change_of_a_counter_comes_first),
        cmocka_unit_test(times_of_different_boards_are_not_compared),
        cmocka_unit_test(a_case_without_a_name_is_refused),
        cmocka_unit_test(a_long_name_has_a_line_of_its_own),
        cmocka_unit_test(results_without_times_say_so),
        cmocka_unit_test(names_cannot_move_the_cursor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
