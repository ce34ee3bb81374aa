/* test_due.c - what a hand-in counts for, who may see what, and in which words.  */
#include "base/tests/unit.h"

#include "service/course/class_file.h"
#include "service/course/extensions.h"

#include <string.h>

static Arena arena;
static const char *tutorial_people[] = {"ada", "bob"};
static ClassGroup tutorial = {"tutorial 1", tutorial_people, 2};
static const ClassGroup *only_tutorial[] = {&tutorial};
static ZoneOffset offsets[] = {{INT64_MIN, 3600}};
static ClassProblem conv1d = {.problem = "conv1d"}, conv2d = {.problem = "conv2d"};
static ClassAssignment assignments[2];
static ClassExtension extension;
static ClassFile file;

static int64_t at(const char *written)
{
    ClassTime time;
    Message why;
    if (class_time_parse(written, &file.zone, false, &arena, &time, &why) != STATUS_OK)
        fail_test("%s", why.text);
    return time.utc_s;
}

static ClassDeadline deadline(const char *written, const ClassLate *late)
{
    ClassTime due;
    Message why;
    if (class_time_parse(written, &file.zone, false, &arena, &due, &why) != STATUS_OK)
        fail_test("%s", why.text);
    return class_deadline_of(due, late, &file.zone, &arena);
}

static int make_class(void **state)
{
    const ClassLate late = {.grace_minutes = 10, .percent_per_day = 30, .days = 2}, none = {0};
    file = (ClassFile){.zone = {"Europe/Berlin", offsets, 1},
                       .groups = &tutorial,
                       .group_count = 1,
                       .assignments = assignments,
                       .assignment_count = 2,
                       .extensions = &extension,
                       .extension_count = 1};
    assignments[0] = (ClassAssignment){.id = "week-1",
                                       .title = "One dimension",
                                       .opens = {.utc_s = at("2026-11-02T08:00"), .written = "2026-11-02T08:00"},
                                       .deadline = deadline("2026-11-09T23:59", &late),
                                       .late = late,
                                       .board = {.kind = SHOW_CLOSED},
                                       .sketch = {.kind = SHOW_NEVER},
                                       .sources = {.kind = SHOW_ALWAYS},
                                       .problems = &conv1d,
                                       .problem_count = 1};
    assignments[1] = (ClassAssignment){.id = "week-2",
                                       .title = "Two dimensions",
                                       .opens = {.utc_s = INT64_MIN},
                                       .deadline = deadline("2026-11-16T23:59", &none),
                                       .groups = only_tutorial,
                                       .group_count = 1,
                                       .board = {.kind = SHOW_ALWAYS},
                                       .sources = {.kind = SHOW_NEVER},
                                       .problems = &conv2d,
                                       .problem_count = 1};
    extension = (ClassExtension){"bob", &assignments[0], deadline("2026-11-19T23:59", &late), "ill", "grace"};
    return 0;
}

static int end_class(void **state)
{
    arena_free(&arena);
    return 0;
}

static void a_hand_in_is_in_time_late_or_too_late(void **state)
{
    static const struct {
        const char *moment;
        DueState state;
        size_t days;
        double taken_off;
    } rows[] = {
        {"2026-11-02T07:59:59", DUE_NOT_OPEN, 0, 0}, {"2026-11-02T08:00", DUE_IN_TIME, 0, 0},
        {"2026-11-10T00:09", DUE_IN_TIME, 0, 0},     {"2026-11-10T00:10", DUE_LATE, 1, 30},
        {"2026-11-10T23:59", DUE_LATE, 1, 30},       {"2026-11-11T00:00", DUE_LATE, 2, 60},
        {"2026-11-12T00:00", DUE_CLOSED, 0, 0},
    };
    Due dues[2];
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        assert_int_equal(due_list(&file, "conv1d", "eve", at(rows[i].moment), dues), 1);
        assert_int_equal(dues[0].state, rows[i].state);
        assert_int_equal(dues[0].days_late, rows[i].days);
        assert_true(dues[0].taken_off == rows[i].taken_off);
    }
}

static void an_extension_moves_the_deadline_of_one_person(void **state)
{
    Due dues[2];
    assert_int_equal(due_list(&file, "conv1d", "bob", at("2026-11-18T12:00"), dues), 1);
    assert_int_equal(dues[0].state, DUE_IN_TIME);
    assert_true(dues[0].is_extended);
}

static void an_assignment_is_for_its_groups(void **state)
{
    Due dues[2];
    assert_int_equal(due_list(&file, "conv2d", "ada", at("2026-11-10T12:00"), dues), 1);
    assert_int_equal(due_list(&file, "conv2d", "eve", at("2026-11-10T12:00"), dues), 0);
    assert_int_equal(due_list(&file, "conv3d", "ada", at("2026-11-10T12:00"), dues), 0);
}

static void a_problem_may_be_handed_in_once_any_of_its_assignments_is_open(void **state)
{
    assert_ptr_equal(due_opens_later(&file, "conv1d", "ada", at("2026-11-01T12:00")), &assignments[0]);
    assert_null(due_opens_later(&file, "conv1d", "ada", at("2026-11-02T12:00")));
    assert_null(due_opens_later(&file, "conv2d", "ada", at("2026-11-01T12:00"))); /* open from the beginning */
    assert_null(due_opens_later(&file, "conv3d", "ada", at("2026-11-01T12:00"))); /* of no assignment */
}

static void distances_have_one_unit(void **state)
{
    static const struct {
        int64_t seconds;
        const char *words;
    } rows[] = {{0, "in less than a minute"},  {59, "in less than a minute"}, {60, "in 1 minute"},
                {3 * 3600 + 59, "in 3 hours"}, {30 * 3600, "in 30 hours"},    {48 * 3600, "in 2 days"},
                {-1, "a moment ago"},          {-7200, "2 hours ago"},        {-9 * 86400, "9 days ago"}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        Text text = {0};
        due_add_distance(&text, rows[i].seconds);
        assert_string_equal(text.data, rows[i].words);
        text_free(&text);
    }
}

static void expect_words(const char *person, const char *moment, const char *outlook, const char *submission)
{
    Text text = {0};
    const Due due = due_of(&file, &assignments[0], person, at(moment));
    due_add_outlook(&text, &file, &due, at(moment));
    assert_string_equal(text.data, outlook);
    text_free(&text);
    due_add_submission(&text, &file, &due, at(moment));
    assert_string_equal(text.data, submission);
    text_free(&text);
}

static void words_say_until_when_and_what_being_late_costs(void **state)
{
    expect_words("ada", "2026-11-01T08:00", "opens 2026-11-02 08:00 (Europe/Berlin), in 24 hours",
                 "does not count: One dimension opens 2026-11-02 08:00 (Europe/Berlin), in 24 hours");
    expect_words("ada", "2026-11-09T20:59",
                 "due 2026-11-09 23:59 (Europe/Berlin), in 3 hours; then 30 % of the points are taken off for each day "
                 "begun, until 2026-11-11 23:59",
                 "counts for One dimension, due 2026-11-09 23:59 (Europe/Berlin), in 3 hours");
    expect_words(
        "ada", "2026-11-11T00:59",
        "was due 2026-11-09 23:59 (Europe/Berlin), 25 hours ago; submissions now lose 60 % of their points, "
        "and count until 2026-11-11 23:59",
        "counts for One dimension, 2 days late, so 60 % of its points are taken off; it was due 2026-11-09 23:59 "
        "(Europe/Berlin), 25 hours ago");
    expect_words("ada", "2026-11-20T23:59",
                 "closed 2026-11-11 23:59 (Europe/Berlin), 9 days ago; submissions are judged now, but do not count",
                 "does not count: One dimension closed 2026-11-11 23:59 (Europe/Berlin), 9 days ago");
    expect_words("bob", "2026-11-18T23:59",
                 "due, with your extension, 2026-11-19 23:59 (Europe/Berlin), in 24 hours; then 30 % of the points are "
                 "taken off for each day begun, until 2026-11-21 23:59",
                 "counts for One dimension, due 2026-11-19 23:59 (Europe/Berlin), in 24 hours");
}

static void a_board_is_shown_when_no_assignment_hides_it(void **state)
{
    assert_false(showing_board(&file, "conv1d", at("2026-11-13T00:00")));
    assert_false(showing_board(&file, "conv1d", at("2026-11-21T23:59"))); /* bob may still hand in */
    assert_true(showing_board(&file, "conv1d", at("2026-11-22T00:00")));
    assert_true(showing_board(&file, "conv2d", at("2026-11-01T00:00")));
    assert_false(showing_sketch(&file, "conv1d", at("2026-11-13T00:00")));
    assert_true(showing_code(&file, "conv1d", at("2026-11-13T00:00")));
    assert_true(showing_board(&file, "conv3d", at("2026-11-01T00:00")));
}

/* Whether `reader` may read what `author` handed in at a moment. */
static bool shows(const char *problem, const char *reader, const char *author, int64_t received_s, int64_t now_s)
{
    bool is_shown = false;
    for (size_t i = 0; i < file.assignment_count; i++)
        is_shown = is_shown || (showing_sources(&file, &assignments[i], problem, reader, now_s) &&
                                showing_belongs(&file, &assignments[i], author, received_s));
    return is_shown;
}

static void sources_are_shown_when_all_is_over_and_class_json_says_so(void **state)
{
    const int64_t early = at("2026-11-03T00:00"), over = at("2026-11-22T00:00");
    assert_false(shows("conv1d", "ada", "bob", early, at("2026-11-21T23:00")));
    assert_true(shows("conv1d", "ada", "bob", early, over));
    assert_false(shows("conv1d", "ada", "bob", at("2026-11-01T00:00"), over)); /* before it opened */
    assert_false(shows("conv1d", "bob", "ada", at("2026-11-15T00:00"), over)); /* too late for ada */
    assert_true(shows("conv1d", "ada", "bob", at("2026-11-15T00:00"), over));
    assert_false(shows("conv2d", "ada", "bob", early, over)); /* never */
    assignments[1].sources.kind = SHOW_CLOSED;
    assert_true(shows("conv2d", "ada", "bob", early, over));
    assert_false(shows("conv2d", "eve", "bob", early, over)); /* takes no part */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hand_in_is_in_time_late_or_too_late),
        cmocka_unit_test(an_extension_moves_the_deadline_of_one_person),
        cmocka_unit_test(an_assignment_is_for_its_groups),
        cmocka_unit_test(a_problem_may_be_handed_in_once_any_of_its_assignments_is_open),
        cmocka_unit_test(distances_have_one_unit),
        cmocka_unit_test(words_say_until_when_and_what_being_late_costs),
        cmocka_unit_test(a_board_is_shown_when_no_assignment_hides_it),
        cmocka_unit_test(sources_are_shown_when_all_is_over_and_class_json_says_so),
    };
    return cmocka_run_group_tests_name("due", tests, make_class, end_class);
}
