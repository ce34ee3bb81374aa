#include "service/web/parts.h"

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
    const char *problems[PROBLEMS], *people[CLASS];
    TeacherCell *cells = calloc(PROBLEMS * CLASS, sizeof *cells);
    Text page = {0};
    assert_non_null(cells);
    for (size_t i = 0; i < PROBLEMS; i++)
        problems[i] = "conv2d-separable";
    for (size_t i = 0; i < CLASS; i++)
        people[i] = name;
    for (size_t i = 0; i < PROBLEMS * CLASS; i++)
        cells[i] = (TeacherCell){.tries = 12,
                                 .is_solved = i % 3 > 0,
                                 .submission = 12345,
                                 .verdict = "Wrong Answer",
                                 .since = "2026-11-23T12:00:00Z"};
    const TeacherPage all = {
        .problems = problems, .problem_count = PROBLEMS, .people = people, .people_count = CLASS, .cells = cells};
    page_teacher(&page, &teacher, &all);
    assert_true(page.length < MOST_BYTES);
    assert_non_null(strstr(page.data, "more are not shown"));
    text_free(&page);
    free(cells);
}

static void a_problem_with_large_boards_is_small(void **state)
{
    enum { BOARDS = 3 };
    static Standing standings[PEOPLE];
    static int64_t submissions[PEOPLE];
    BoardPage boards[BOARDS];
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
    const ProblemPage all = {
        .problem = &problem, .statement = "Text.", .boards = boards, .board_count = BOARDS, .key = "k"};
    page_problem(&page, &teacher, &all);
    assert_true(page.length < MOST_BYTES);
    assert_non_null(strstr(page.data, "400 more are not shown"));
    text_free(&page);
}

static void a_person_with_many_submissions_has_a_small_page(void **state)
{
    enum { ROWS = 2000 };
    SubmissionLine *rows = calloc(ROWS, sizeof *rows);
    Text page = {0};
    assert_non_null(rows);
    for (int i = 0; i < ROWS; i++)
        rows[i] = (SubmissionLine){.number = ROWS - i,
                                   .person = name,
                                   .problem = "conv2d-separable",
                                   .file_name = "a_name_of_a_file_that_is_rather_long.cu",
                                   .received = "2026-11-23T12:00:00Z",
                                   .state = "judged",
                                   .verdict = "Accepted",
                                   .device = "sim-h200",
                                   .time = {0.1, 0.005}};
    const PersonPage person = {.person = name, .rows = rows, .row_count = ROWS};
    page_person(&page, &teacher, &person);
    assert_true(page.length < MOST_BYTES);
    assert_non_null(strstr(page.data, "1800 more are not shown"));
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
