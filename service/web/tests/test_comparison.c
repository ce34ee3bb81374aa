/* The page and the command line compare two results by one rule. */
#include "base/tests/unit.h"

#include "base/json.h"
#include "grader/report/time_change.h"
#include "service/web/api_routes.h"
#include "service/web/parts.h"
#include "service/web/template.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const board = "\"problem\": \"conv1d\", \"device\": \"sim-h200\", \"revision\": \"a\", \"epoch\": 1";

/* The members of a result that name its board, and what is said of it beside a result of `board`; "": they compare. */
static const struct {
    const char *members, *obstacle;
} rows[] = {
    {"\"problem\": \"conv1d\", \"device\": \"sim-h200\", \"revision\": \"a\", \"epoch\": 1", ""},
    {"\"problem\": \"conv2d\", \"device\": \"sim-h200\", \"revision\": \"a\", \"epoch\": 1",
     "the problems differ, conv1d and conv2d"},
    {"\"problem\": \"conv1d\", \"device\": \"sim-a100\", \"revision\": \"a\", \"epoch\": 1",
     "the devices differ, sim-h200 and sim-a100"},
    {"\"problem\": \"conv1d\", \"device\": \"sim-h200\", \"revision\": \"b\", \"epoch\": 2",
     "the problem was changed between them"},
    {"\"problem\": \"conv1d\", \"device\": \"sim-h200\", \"revision\": \"a\", \"epoch\": 2",
     "the timing method was changed between them"},
};

static cJSON *result(const char *members, double ms)
{
    char text[500];
    snprintf(
        text, sizeof text,
        "{%s, \"score_ms\": %g, \"uncertainty\": 0.005, \"cases\": [{\"name\": \"one\", \"timed\": true, \"time_ms\": "
        "%g, \"uncertainty\": 0.005}]}",
        members, ms, ms);
    return cJSON_Parse(text);
}

static ComparedSubmission submission(int64_t number, double ms, const cJSON *object)
{
    return (ComparedSubmission){.row = {.id = number,
                                        .person = "Ada",
                                        .problem = "conv1d",
                                        .file_name = "x.cu",
                                        .state = "recorded",
                                        .verdict = "Accepted",
                                        .time = {ms, 0.005},
                                        .device = "sim-h200",
                                        .device_name = ""},
                                .result = object};
}

static const cJSON *changes_of(const cJSON *values)
{
    return cJSON_GetObjectItemCaseSensitive(values, "changes");
}

static void compare(Text *page, const ComparedSubmission *one, const ComparedSubmission *other)
{
    cJSON *values = comparison(one, other);
    template_try(page, "{{>comparison}}", values);
    cJSON_Delete(values);
}

static void the_page_refuses_what_the_rule_refuses(void **state)
{
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        cJSON *before = result(board, 0.2), *after = result(rows[i].members, 0.1);
        const ComparedSubmission one = submission(1, 0.2, before), other = submission(2, 0.1, after);
        Text page = {0};
        char why[300], sentence[400];
        time_change_obstacle(before, after, why, sizeof why);
        assert_string_equal(why, rows[i].obstacle);
        compare(&page, &one, &other);
        snprintf(sentence, sizeof sentence, "cannot be compared: %s.", why);
        if ((strstr(page.data, "faster") != NULL) != (why[0] == '\0') ||
            (strstr(page.data, sentence) == NULL) != (why[0] == '\0'))
            fail_test("row %zu: %s", i, page.data);
        text_free(&page);
        cJSON_Delete(before);
        cJSON_Delete(after);
    }
}

/* A value of another kind than a template expects stands on the page as a fault. */
static void the_page_has_no_faults(void **state)
{
    cJSON *before = result(board, 0.2), *after = result(board, 0.1);
    const ComparedSubmission one = submission(1, 0.2, before), other = submission(2, 0.1, after);
    Text page = {0};
    compare(&page, &one, &other);
    assert_null(strstr(page.data, ".html:"));
    assert_non_null(strstr(page.data, "<td class=\"number\">0.5</td><td>faster</td>"));
    text_free(&page);
    cJSON_Delete(before);
    cJSON_Delete(after);
}

static void without_a_time_there_is_nothing_to_compare(void **state)
{
    cJSON *object = result(board, 0.2);
    const ComparedSubmission one = submission(1, 0, object), other = submission(2, 0.2, object);
    Text page = {0};
    compare(&page, &one, &other);
    assert_non_null(strstr(page.data, "cannot be compared: both need one."));
    text_free(&page);
    cJSON_Delete(object);
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

static const char
    *const members = "\"problem\": \"conv1d\", \"device\": \"sim-h200\", \"revision\": \"r\", \"epoch\": 7";

typedef struct Pair {
    cJSON *results[2], *values;
    Text text;
} Pair;

/* Compares submissions 12 and 15, of 2 ms and 1 ms, with these cases. */
static Pair pair_of(const char *before, const char *after)
{
    const char *const cases[] = {before, after};
    Pair pair = {0};
    for (int side = 0; side < 2; side++) {
        char text[2000];
        snprintf(text, sizeof text, "{%s, \"cases\": [%s]}", members, cases[side]);
        pair.results[side] = cJSON_Parse(text);
        assert_non_null(pair.results[side]);
    }
    const ComparedSubmission one = submission(12, 2, pair.results[0]), other = submission(15, 1, pair.results[1]);
    pair.values = comparison(&one, &other);
    comparison_text(pair.values, &other.row, &pair.text);
    return pair;
}

static void free_pair(Pair *pair)
{
    cJSON_Delete(pair->results[0]);
    cJSON_Delete(pair->results[1]);
    cJSON_Delete(pair->values);
    text_free(&pair->text);
}

static void holds(const Pair *pair, const char *part)
{
    if (strstr(pair->text.data, part) == NULL)
        fail_test("\"%s\" is missing in:\n%s", part, pair->text.data);
}

static void lacks(const Pair *pair, const char *part)
{
    if (strstr(pair->text.data, part) != NULL)
        fail_test("\"%s\" stands in:\n%s", part, pair->text.data);
}

static void each_case_is_compared(void **state)
{
    Pair pair = pair_of(
        "{\"name\": \"long\", \"verdict\": \"Accepted\", \"time_ms\": 2, \"uncertainty\": 0.005},"
        "{\"name\": \"short\", \"verdict\": \"Accepted\", \"time_ms\": 1, \"uncertainty\": 0.005},"
        "{\"name\": \"old\", \"verdict\": \"Accepted\"}, {\"name\": \"older\", \"verdict\": \"Accepted\"},"
        "{\"name\": \"oldest\", \"verdict\": \"Accepted\"}",
        "{\"name\": \"short\", \"verdict\": \"Accepted\", \"time_ms\": 1.001, \"uncertainty\": 0.005},"
        "{\"name\": \"long\", \"verdict\": \"Accepted\", \"time_ms\": 3, \"uncertainty\": 0.005},"
        "{\"name\": \"new\", \"verdict\": \"Wrong Answer\"}");
    holds(&pair, "15 against 12, problem conv1d on sim-h200\n  12: Accepted\n  15: Accepted\n");
    holds(&pair, "timed case (modelled)");
    holds(&pair, "1.5 +- 0.7 %  slower\n");
    holds(&pair, "1 +- 0.7 %  no more than noise\n");
    holds(&pair, "old and the next 2: Accepted, then not run\n");
    lacks(&pair, "older");
    holds(&pair, "new: not run, then Wrong Answer");
    holds(&pair, "all, geometric mean");
    lacks(&pair, "What changed");
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(pair.values, "cases")), 6);
    free_pair(&pair);
}

static void the_largest_change_of_a_counter_comes_first(void **state)
{
    static const char format[] =
        "{\"name\": \"%s\", \"time_ms\": 1, \"uncertainty\": 0.005, \"counters\": {\"kernels\": %d,"
        "\"global_load_sectors\": %d, \"shared_requests\": 1000, \"occupancy\": %s,"
        "\"sampled_blocks\": %s, \"limiter\": \"%s\"}}";
    char one[400], other[400], before[900], after[900];
    snprintf(one, sizeof one, format, "a", 1, 1000, "0.5", "0.1", "lsu");
    snprintf(other, sizeof other, format, "b", 1, 3000, "0.5", "0.1", "lsu");
    snprintf(before, sizeof before, "%s, %s", one, other);
    snprintf(one, sizeof one, format, "a", 2, 5000, "1", "0.9", "dram");
    snprintf(other, sizeof other, format, "b", 2, 11000, "1", "0.9", "lsu");
    snprintf(after, sizeof after, "%s, %s", one, other);
    Pair pair = pair_of(before, after);
    holds(
        &pair,
        "What changed most in the timed cases:\n  Sectors loaded from global memory         4.0K     16.0K         4\n");
    holds(&pair, "  Occupancy                                 50 %     100 %         2\n");
    holds(&pair, "  a: limited by load/store units, then by memory bandwidth\n");
    assert_int_equal(cJSON_GetArraySize(changes_of(pair.values)), 1);
    lacks(&pair, "sampled");
    lacks(&pair, "Accesses to shared memory");
    free_pair(&pair);
}

static void a_long_name_has_a_line_of_its_own(void **state)
{
    static const char both[] =
        "{\"name\": \"1.5 million elements, longest kernel\", \"time_ms\": 2, \"uncertainty\": 0.005},"
        "{\"name\": \"short\", \"time_ms\": 2, \"uncertainty\": 0.005}";
    Pair pair = pair_of(both, both);
    holds(&pair,
          "\n  1.5 million elements, longest kernel\n                               2 ms      2 ms     1 +- 0.7 %");
    holds(&pair, "\n  short                        2 ms      2 ms     1 +- 0.7 %");
    free_pair(&pair);
}

static void results_without_times_say_so(void **state)
{
    static const char both[] = "{\"name\": \"three taps\", \"verdict\": \"Accepted\", \"timed\": false}";
    Pair pair = pair_of(both, both);
    holds(&pair, "Neither has a timed case.");
    lacks(&pair, "geometric mean");
    free_pair(&pair);
}

static void a_list_has_no_line_wider_than_80_columns(void **state)
{
    const StoredSubmission row = {.id = 999999,
                                  .problem = "a-problem-with-a-long-name",
                                  .verdict = "Memory Limit Exceeded",
                                  .state = "recorded",
                                  .mode = "rank",
                                  .device = "sim-h200",
                                  .device_name = "H200",
                                  .received_utc = "2026-11-23T12:34:56Z",
                                  .run = 1,
                                  .rank_state = "quarantined",
                                  .rank_status = "quarantined: too fast",
                                  .time = {999.9, 0.995}};
    StoredSubmission list[] = {row, row};
    const Config config = {0};
    Service service = {.config = &config};
    Arena arena = {0};
    const Visit visit = {.service = &service, .arena = &arena};
    Text text = {0};
    list[1].id = 3;
    list_text(&visit, list, 2, &text);
    assert_string_equal(text.data, "   run  at (UTC)     problem      state                 time      +-        rank\n"
                                   "999999  11-23 12:34  a-problem-w  Memory Limit      999.9 ms  99.5 % quarantined\n"
                                   "     3  11-23 12:34  a-problem-w  Memory Limit      999.9 ms  99.5 % quarantined\n"
                                   "times are modelled\n");
    text_free(&text);
    list[1].device = "cuda-h200";
    list[1].rank_state = "retracted";
    list_text(&visit, list, 2, &text);
    assert_non_null(strstr(text.data, "   retracted\nmodelled times: 999999\n"));
    text_free(&text);
    arena_free(&arena);
}

static void a_history_compares_times_of_one_device(void **state)
{
    static const struct {
        const char *problem, *device;
        double ms;
    } listed[] = {{"mine", "sim-h200", 10},
                  {"mine", "cuda-h200", 11},
                  {"mine", "", 0},
                  {"other", "sim-h200", 13},
                  {"mine", "sim-h200", 14}};
    StoredSubmission list[5];
    Arena arena = {0};
    Text text = {0};
    for (int i = 0; i < 5; i++)
        list[i] = (StoredSubmission){.id = 5 - i,
                                     .mode = "rank",
                                     .problem = listed[i].problem,
                                     .device = listed[i].device,
                                     .device_name = "H200",
                                     .verdict = "Accepted",
                                     .time = {listed[i].ms, 0.005}};
    history_text(list, 5, &arena, &text);
    assert_string_equal(text.data,
                        "mine on H200, modelled times\n"
                        "   run  state                    time   ratio  to the one before     best so far\n"
                        "     1  Accepted                14 ms       -                            14 ms *\n"
                        "     3  Accepted                    -       -                                -\n"
                        "     4  Accepted                11 ms       -                            11 ms *\n"
                        "     5  Accepted                10 ms   0.714  faster                    10 ms *\n"
                        "\n"
                        "other on H200, modelled times\n"
                        "   run  state                    time   ratio  to the one before     best so far\n"
                        "     2  Accepted                13 ms       -                            13 ms *\n");
    text_free(&text);
    history_text(list, 0, &arena, &text);
    assert_string_equal(text.data, "no submissions yet; `convjudge submit FILE` makes one\n");
    text_free(&text);
    arena_free(&arena);
}

/* ---- times ------------------------------------------------------------------------------------------------------- */

static void a_ratio_has_both_uncertainties(void **state)
{
    const TimeChange change = time_change((MeasuredTime){.ms = 2, .uncertainty = 0.03},
                                          (MeasuredTime){.ms = 1, .uncertainty = 0.04});
    assert_true(change.ratio == 0.5 && fabs(change.uncertainty - 0.05) < 1e-12);
    assert_int_equal(change.order, TIME_FASTER);
}

static void a_difference_within_the_uncertainties_is_noise(void **state)
{
    /* the uncertainties are 3 and 4 ms, so differences up to 5 ms are noise */
    assert_int_equal(time_change((MeasuredTime){.ms = 100, .uncertainty = 0.03},
                                 (MeasuredTime){.ms = 104.9, .uncertainty = 4 / 104.9})
                         .order,
                     TIME_NOISE);
    assert_int_equal(
        time_change((MeasuredTime){.ms = 100, .uncertainty = 0.03}, (MeasuredTime){.ms = 95.1, .uncertainty = 4 / 95.1})
            .order,
        TIME_NOISE);
    assert_int_equal(time_change((MeasuredTime){.ms = 100, .uncertainty = 0.03},
                                 (MeasuredTime){.ms = 105.1, .uncertainty = 4 / 105.1})
                         .order,
                     TIME_SLOWER);
    assert_int_equal(
        time_change((MeasuredTime){.ms = 100, .uncertainty = 0.03}, (MeasuredTime){.ms = 94.9, .uncertainty = 4 / 94.9})
            .order,
        TIME_FASTER);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_page_refuses_what_the_rule_refuses),
        cmocka_unit_test(the_page_has_no_faults),
        cmocka_unit_test(without_a_time_there_is_nothing_to_compare),
        cmocka_unit_test(each_case_is_compared),
        cmocka_unit_test(the_largest_change_of_a_counter_comes_first),
        cmocka_unit_test(a_long_name_has_a_line_of_its_own),
        cmocka_unit_test(results_without_times_say_so),
        cmocka_unit_test(a_list_has_no_line_wider_than_80_columns),
        cmocka_unit_test(a_history_compares_times_of_one_device),
        cmocka_unit_test(a_ratio_has_both_uncertainties),
        cmocka_unit_test(a_difference_within_the_uncertainties_is_noise),
    };
    return cmocka_run_group_tests_name("comparison", tests, NULL, NULL);
}
