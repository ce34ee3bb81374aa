#include "service/web/parts.h"
#include "service/web/site_answers.h"
#include "service/web/template.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Every page stays below this, however large the class. */
enum { MOST_BYTES = 300000, PEOPLE = 500, PROBLEMS = 13 };

static const Site teacher = {.person = "Prof. Noether", .is_teacher = true};
static const char name[] = "A name of some length, <Özge>";

static void the_page_of_a_large_class_is_small(void **state)
{
    enum { CLASS = 200 };
    static const char *const lists[] = {"problems",   "people",  "solved", "stuck",
                                        "quarantine", "similar", "groups", "outdated"};
    const char *const none = NULL;
    cJSON *values = cJSON_CreateObject(), *made[sizeof lists / sizeof *lists];
    Text page = {0};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        made[i] = cJSON_AddArrayToObject(values, lists[i]);
    for (size_t i = 0; i < PROBLEMS; i++)
        cJSON_AddItemToArray(made[0], cJSON_CreateString("conv2d-separable"));
    for (size_t i = 0; i < CLASS; i++) {
        cJSON *row = values_row(made[1]), *cells = cJSON_AddArrayToObject(row, "cells");
        values_put(row, "person=%s", name);
        for (size_t k = 0; k < PROBLEMS; k++) {
            cJSON *cell = values_row(cells);
            values_put(cell, "person=%s problem=%s tries=%d is_solved=%d number=%d verdict=%s since=%s", name,
                       "conv2d-separable", 12, (i * PROBLEMS + k) % 3 > 0, 12345, "Wrong Answer",
                       "2026-11-23T12:00:00Z");
            if ((i * PROBLEMS + k) % 3 == 0)
                cJSON_AddItemToArray(made[3], cJSON_Duplicate(cell, true));
        }
    }
    cJSON_AddNullToObject(values, "part");
    values_put(values, "has_points=%d people_count=%d similar_time=%s", 0, CLASS, none);
    site_show(&page, &teacher, "teacher", values);
    assert_true(page.length < MOST_BYTES);
    assert_non_null(strstr(page.data, "more are not shown"));
    assert_null(strstr(page.data, ".html:"));
    text_free(&page);
}

static void a_problem_with_large_boards_is_small(void **state)
{
    enum { BOARDS = 3 };
    static Standing standings[PEOPLE];
    static int64_t submissions[PEOPLE];
    BoardPage boards[BOARDS];
    const TestcaseSet none = {0};
    Problem problem = {.id = "conv1d", .title = "1D convolution", .difficulty = "easy"};
    Text page = {0};
    for (size_t i = 0; i < PEOPLE; i++) {
        standings[i] = (Standing){.person = name,
                                  .time_utc = "2026-11-23T12:00:00Z",
                                  .time = {0.05 * pow(1.01, (double)i), 0.005},
                                  .rank = i + 1};
        submissions[i] = 12345;
    }
    for (size_t i = 0; i < BOARDS; i++)
        boards[i] = (BoardPage){
            .device = "sim-h200", .standings = standings, .standing_count = PEOPLE, .submissions = submissions};
    cJSON *values = problem_values(&problem, &none, "Text.", NULL);
    problem_put_boards(values, boards, BOARDS, NULL);
    site_show(&page, &teacher, "problem", values);
    assert_true(page.length < MOST_BYTES);
    assert_non_null(strstr(page.data, "400 more are not shown"));
    text_free(&page);
}

static void a_person_with_many_submissions_has_a_small_page(void **state)
{
    enum { ROWS = 2000 };
    StoredSubmission *rows = calloc(ROWS, sizeof *rows);
    cJSON *values = cJSON_CreateObject();
    Text page = {0};
    assert_non_null(rows);
    for (int i = 0; i < ROWS; i++)
        rows[i] = (StoredSubmission){.id = ROWS - i,
                                     .person = name,
                                     .problem = "conv2d-separable",
                                     .file_name = "a_name_of_a_file_that_is_rather_long.cu",
                                     .received_utc = "2026-11-23T12:00:00Z",
                                     .state = "recorded",
                                     .verdict = "Accepted",
                                     .device = "sim-h200",
                                     .time = {0.1, 0.005}};
    person_put_rows(values, rows, ROWS, 0, 0);
    values_put(values, "person=%s pseudonym=%s is_reader=%d", name, "", false);
    site_show(&page, &teacher, "person", values);
    assert_true(page.length < MOST_BYTES);
    assert_non_null(strstr(page.data, "1800 more are not shown"));
    assert_null(strstr(page.data, ".html:"));
    text_free(&page);
    free(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_page_of_a_large_class_is_small),
        cmocka_unit_test(a_problem_with_large_boards_is_small),
        cmocka_unit_test(a_person_with_many_submissions_has_a_small_page),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
