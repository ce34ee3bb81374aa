#include "service/web/board_plots.h"

#include "service/web/parts.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

static Standing standings[] = {
    {.person = "Ada", .time = {0.05, 0.005}, .rank = 1},
    {.person = "<i>Grace</i>", .time = {0.1, 0.04}, .rank = 2},
    {.person = "Alan", .time = {0.2, 0.005}, .rank = 3},
};
static const ReferenceTime references[] = {
    {.name = "tiled.cu", .time = {0.06, 0.005}},
    {.name = "naive.cu", .time = {0.4, 0.005}},
};
static const BoardPage board = {
    .device = "sim-h200", .standings = standings, .standing_count = 3, .references = references, .reference_count = 2};
static const MeasuredTime you = {.ms = 0.15, .uncertainty = 0.01}, nobody = {0};

static size_t count_of(const char *text, const char *part)
{
    size_t count = 0;
    for (text = strstr(text, part); text != NULL; text = strstr(text + 1, part))
        count++;
    return count;
}

/* The texts stand in the page in this order. */
static void expect_in_order(const char *page, const char *const *texts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const char *found = strstr(page, texts[i]);
        if (found == NULL)
            fail_msg("missing, or too early: %s", texts[i]);
        page = found + 1;
    }
}

static void the_table_of_a_plot_has_every_time_in_order(void **state)
{
    Text page = {0};
    plot_times(&page, "times", &board, you);
    const char *table = strstr(page.data, "<table");
    assert_non_null(table);
    const char *const texts[] = {"Ada",
                                 figure_measured(standings[0].time).text,
                                 "tiled.cu",
                                 "60.0",
                                 "&lt;i&gt;Grace&lt;/i&gt;",
                                 figure_measured(standings[1].time).text,
                                 "this submission",
                                 figure_measured(you).text,
                                 "Alan",
                                 "naive.cu",
                                 figure_measured(references[1].time).text};
    expect_in_order(table, texts, sizeof texts / sizeof *texts);
    assert_int_equal(count_of(table, "<tr>"), 1 + 6);
    text_free(&page);
}

static double number_after(const char *text, const char *mark)
{
    const char *found = strstr(text, mark);
    assert_non_null(found);
    return strtod(found + strlen(mark), NULL);
}

static void marks_stand_where_the_times_are(void **state)
{
    Text page = {0};
    double xs[3];
    plot_times(&page, "times", &board, you);
    const char *at = page.data;
    for (int i = 0; i < 3; i++) {
        at = strstr(at, "<circle class=\"others\" cx=\"") + 1;
        xs[i] = number_after(at - 1, "cx=\"");
    }
    /* twice the time is the same way on a logarithmic axis */
    assert_true(fabs((xs[1] - xs[0]) - (xs[2] - xs[1])) < 0.25);
    assert_true(xs[1] > xs[0]);
    double mine = number_after(page.data, "<line class=\"me-line\" x1=\"");
    assert_true(fabs(mine - (xs[0] + (xs[1] - xs[0]) * log2(3))) < 0.25);
    assert_int_equal(count_of(page.data, "<path class=\"reference\" d=\"M"), 2 + 1); /* and one in the key */
    text_free(&page);
}

static void a_plot_without_a_submission_has_no_place_in_it(void **state)
{
    Text page = {0};
    plot_times(&page, "times", &board, nobody);
    assert_null(strstr(page.data, "you are here"));
    assert_null(strstr(page.data, "this submission"));
    text_free(&page);
}

static void a_large_class_is_a_histogram_of_everybody(void **state)
{
    enum { PEOPLE = 300 };
    Standing many[PEOPLE];
    BoardPage large = board;
    Text page = {0};
    for (int i = 0; i < PEOPLE; i++)
        many[i] = (Standing){.person = "somebody", .time = {0.05 * pow(1.005, i), 0.005}};
    large.standings = many;
    large.standing_count = PEOPLE;
    plot_times(&page, "times", &large, you);
    assert_int_equal(count_of(page.data, "class=\"others\" cx"), 1); /* in the key */
    assert_true(count_of(page.data, "<rect class=\"others-bar\"") > 10);
    assert_true(count_of(page.data, "<th scope=\"row\">somebody") > 240);
    assert_non_null(strstr(page.data, "The fastest 250 of 303 are shown."));
    text_free(&page);
}

static void the_next_reference_to_beat_is_named(void **state)
{
    static const char *const texts[] = {"Next to beat: tiled.cu, 2.5 times as fast", "tiled.<wbr>cu", "this submission",
                                        "naive.<wbr>cu"};
    Text page = {0};
    plot_references(&page, &board, you);
    expect_in_order(page.data, texts, 4);
    text_free(&page);
    plot_references(&page, &board, (MeasuredTime){.ms = 0.0601, .uncertainty = 0.005}); /* ties with the first */
    assert_non_null(strstr(page.data, "No reference solution is faster."));
    text_free(&page);
}

static void a_history_needs_two_times(void **state)
{
    static const BestTime times[] = {{"2026-11-01T10:00:00Z", "Ada", {.ms = 0.2, .uncertainty = 0.005}},
                                     {"2026-11-09T10:00:00Z", "Grace", {.ms = 0.1, .uncertainty = 0.005}}};
    static const char *const texts[] = {"<table", "1\u00A0Nov", "Ada", "200.0", "9\u00A0Nov", "Grace", "100.0"};
    Text page = {0};
    plot_history(&page, "best", "The best", "Who", times, 1);
    assert_int_equal(page.length, 0);
    plot_history(&page, "best", "The best", "Who", times, 2);
    expect_in_order(page.data, texts, sizeof texts / sizeof *texts);
    text_free(&page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_of_a_plot_has_every_time_in_order),
        cmocka_unit_test(marks_stand_where_the_times_are),
        cmocka_unit_test(a_plot_without_a_submission_has_no_place_in_it),
        cmocka_unit_test(a_large_class_is_a_histogram_of_everybody),
        cmocka_unit_test(the_next_reference_to_beat_is_named),
        cmocka_unit_test(a_history_needs_two_times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
