/* test_summary.c - what a teacher is told of a class that does not exist.  */
#include "service/course/class_summary.h"
#include "service/web/summary_page.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

typedef struct Class {
    Facts facts;
    Arena arena;
    size_t task;
    int hour;
} Class;

static const char accepted[] =
    "{\"verdict\": \"Accepted\", \"text\": \"\", \"file\": \"a.cu\", \"cases\": [{\"name\": \"one\", \"verdict\": \"Accepted\"}, "
    "{\"name\": \"hidden 1\", \"verdict\": \"Accepted\"}], \"references\": [{\"name\": \"fast.cu\", \"score_ms\": 0.5, "
    "\"uncertainty\": 0.01}, {\"name\": \"slow.cu\", \"score_ms\": 2, \"uncertainty\": 0.01}]}";
static const char wrong[] =
    "{\"verdict\": \"Wrong Answer\", \"text\": \"zero (a.cu:1: `x`)\", \"file\": \"a.cu\", \"cases\": [{\"name\": \"one\", "
    "\"verdict\": \"Accepted\"}, {\"name\": \"hidden 1\", \"verdict\": \"Wrong Answer\", \"kind\": \"every element: zero\", "
    "\"text\": \"every element: zero (a.cu:1: `x`)\"}, {\"name\": \"hidden 2\", \"verdict\": \"not run\"}]}";
static const char judge_error[] = "{\"verdict\": \"Judge Error\", \"text\": \"the GPU is gone\", \"file\": \"a.cu\"}";

static Class begin(void)
{
    Class class = {0};
    class.task = facts_add_task(&class.facts, &(FactTask){"week-1", "Week 1", "conv1d", "One dimension"});
    return class;
}

static void hand_in(Class *class, const char *person, const char *verdict, const char *result, double ms)
{
    facts_add_submission(
        &class->facts,
        &(FactSubmission){.person = facts_person(&class->facts, person),
                          .task = class->task,
                          .number = ++class->hour,
                          .file_name = "a.cu",
                          .received_utc = arena_printf(&class->arena, "2026-11-02T%02d:00:00Z", class->hour),
                          .device = ms > 0 ? "sim-h200" : "",
                          .time = {ms, 0.01}},
        verdict, result, "x = 0;\n");
}

static Summary summarised(Class *class)
{
    return summary_of(&class->facts, "Parallel programming", "2026-11-10T00:00:00Z", &class->arena);
}

static void end(Class *class)
{
    facts_free(&class->facts);
    arena_free(&class->arena);
}

static void a_class_of_three_is_summarised(void **state)
{
    Class class = begin();
    for (int i = 0; i < 3; i++)
        facts_expect(&class.facts, facts_person(&class.facts, (const char *[]){"ada", "bob", "eve"}[i]), "week-1",
                     NULL);
    hand_in(&class, "ada", "Wrong Answer", wrong, 0);
    hand_in(&class, "ada", "Accepted", accepted, 1.5);
    hand_in(&class, "ada", "Accepted", accepted, 1);
    for (int i = 0; i < 3; i++)
        hand_in(&class, "bob", "Wrong Answer", wrong, 0);
    const Summary summary = summarised(&class);
    assert_int_equal(summary.assignment_count, 1);
    const AssignmentSummary *assignment = &summary.assignments[0];
    assert_int_equal(assignment->expected, 3);
    assert_int_equal(assignment->nothing_count, 1);
    assert_string_equal(assignment->nothing[0], "eve");
    const TaskSummary *task = &assignment->tasks[0];
    assert_int_equal(task->submissions, 6);
    assert_int_equal(task->people, 2);
    assert_int_equal(task->solved, 1);
    assert_string_equal(task->verdicts[0].verdict, "Wrong Answer");
    assert_int_equal(task->verdicts[0].submissions, 4);
    assert_int_equal(task->verdicts[0].people, 1);
    assert_int_equal(task->mistake_count, 1);
    assert_int_equal(task->mistakes[0].people, 2);
    assert_int_equal(task->mistakes[0].submissions, 4);
    assert_int_equal(task->mistakes[0].example_count, 2);
    assert_string_equal(task->mistakes[0].examples[0].person, "ada");
    assert_int_equal(task->mistakes[0].examples[1].submission, 6);
    assert_string_equal(task->mistakes[0].examples[1].line_text, "x = 0;");
    assert_int_equal(task->stuck_count, 1);
    assert_string_equal(task->stuck[0].person, "bob");
    assert_string_equal(task->stuck[0].since_utc, "2026-11-02T04:00:00Z");
    assert_string_equal(task->stuck[0].last_utc, "2026-11-02T06:00:00Z");
    end(&class);
}

static void best_times_are_held_against_the_references(void **state)
{
    Class class = begin();
    hand_in(&class, "ada", "Accepted", accepted, 1.5);
    hand_in(&class, "ada", "Accepted", accepted, 0.501); /* not slower than fast.cu by more than the uncertainties */
    hand_in(&class, "bob", "Accepted", accepted, 1);
    hand_in(&class, "eve", "Accepted", accepted, 3);
    const Summary summary = summarised(&class);
    const TaskBoard *board = summary.assignments[0].tasks[0].boards;
    assert_int_equal(summary.assignments[0].tasks[0].board_count, 1);
    assert_int_equal(board->people_count, 3);
    assert_string_equal(board->people[0].person, "ada");
    assert_int_equal(board->reached[0], 1);
    assert_int_equal(board->reached[1], 2);
    end(&class);
}

static void cases_that_nobody_or_everybody_fails_are_named(void **state)
{
    Class class = begin();
    hand_in(&class, "ada", "Wrong Answer", wrong, 0);
    hand_in(&class, "bob", "Wrong Answer", wrong, 0);
    Summary summary = summarised(&class);
    const TaskSummary *task = &summary.assignments[0].tasks[0];
    assert_int_equal(task->case_count, 2); /* what was not run tells nothing */
    assert_int_equal(task->never_failed_count, 1);
    assert_string_equal(task->never_failed[0].name, "one");
    assert_int_equal(task->never_failed[0].people, 2);
    assert_int_equal(task->never_passed_count, 1);
    assert_string_equal(task->never_passed[0].name, "hidden 1");
    hand_in(&class, "bob", "Accepted", accepted, 1);
    summary = summarised(&class);
    assert_int_equal(summary.assignments[0].tasks[0].never_passed_count, 0);
    end(&class);
}

static void cases_have_the_names_that_the_caller_knows(void **state)
{
    Class class = begin();
    const FactCase cases[] = {{"one", true}, {"even filter", false}};
    facts_add_submission(&class.facts,
                         &(FactSubmission){.person = facts_person(&class.facts, "ada"),
                                           .task = class.task,
                                           .file_name = "a.cu",
                                           .received_utc = "2026-11-02T12:00:00Z",
                                           .device = "",
                                           .cases = cases,
                                           .case_count = 2},
                         "Wrong Answer", wrong, NULL);
    const Summary summary = summarised(&class);
    assert_int_equal(summary.assignments[0].tasks[0].never_passed_count, 1);
    assert_string_equal(summary.assignments[0].tasks[0].never_passed[0].name, "even filter");
    end(&class);
}

static void a_failure_of_the_judge_is_nobodys_mistake(void **state)
{
    Class class = begin();
    for (int i = 0; i < 4; i++)
        hand_in(&class, "ada", "Judge Error", judge_error, 0);
    const Summary summary = summarised(&class);
    assert_int_equal(summary.assignments[0].tasks[0].mistake_count, 0);
    assert_int_equal(summary.assignments[0].tasks[0].stuck_count, 0);
    assert_string_equal(summary.assignments[0].tasks[0].verdicts[0].verdict, "Judge Error");
    end(&class);
}

static void who_has_solved_it_or_fails_differently_is_not_stuck(void **state)
{
    Class class = begin();
    hand_in(&class, "ada", "Accepted", accepted, 1);
    for (int i = 0; i < 4; i++)
        hand_in(&class, "ada", "Wrong Answer", wrong, 0);
    hand_in(&class, "bob", "Wrong Answer", wrong, 0);
    hand_in(&class, "bob", "Rule Violation",
            "{\"verdict\": \"Rule Violation\", \"text\": \"no kernel\", \"file\": \"a.cu\"}", 0);
    hand_in(&class, "bob", "Wrong Answer", wrong, 0);
    assert_int_equal(summarised(&class).assignments[0].tasks[0].stuck_count, 0);
    end(&class);
}

static void points_fall_into_bins_of_round_width(void **state)
{
    static const struct {
        double values[4];
        size_t repeats;
        double most, width;
        size_t bins, last;
    } rows[] = {
        {{0, 1, 4, 4}, 1, 4, 1, 4, 2},
        {{0, 1, 4, 4}, 20, 4, 0.5, 8, 40},
        {{0, 9.5, 10, 10}, 20, 10, 0.5, 20, 60},
        {{0, 9.5, 10, 10}, 1, 10, 2, 5, 3},
        {{1, 2, 3, 20}, 20, 20, 1, 20, 20},
        {{0, 0, 0, 100}, 20, 100, 5, 20, 20},
        {{0, 0, 0, 0}, 1, 0, 0.5, 1, 4},
        {{1, 2, 3, 12}, 20, 10, 1, 12, 20}, /* more than can be had */
        {{0, 10, 990, 1000}, 20, 1000, 50, 20, 40},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double values[80];
        for (size_t k = 0; k < 4 * rows[i].repeats; k++)
            values[k] = rows[i].values[k % 4];
        const PointsSummary points = points_summary_of(values, 4 * rows[i].repeats, rows[i].most);
        assert_true(points.width == rows[i].width);
        assert_int_equal(points.bin_count, rows[i].bins);
        assert_int_equal(points.bins[points.bin_count - 1], rows[i].last);
    }
    assert_int_equal(points_summary_of(NULL, 0, 4).count, 0);
}

static void names_and_lines_are_shown_as_text(void **state)
{
    Class class = begin();
    hand_in(&class, "eve <b>\033[31m", "Wrong Answer", wrong, 0);
    facts_expect(&class.facts, facts_person(&class.facts, "mal\nlory"), "week-1", NULL);
    facts_add_points(&class.facts, &(FactPoints){0, "week-1", 2.5, 4});
    const Summary summary = summarised(&class);
    Text page = {0};
    summary_page(&page, &(Site){.is_static = true, .is_alone = true}, &summary);
    assert_null(strchr(page.data, '\033'));
    assert_non_null(strstr(page.data, ", line 1: <code>x = 0;</code>"));
    assert_non_null(strstr(page.data, "eve &lt;b&gt;"));
    assert_null(strstr(page.data, "href=\"/"));
    assert_null(strstr(page.data, "stylesheet"));
    text_free(&page);
    end(&class);
}

static void the_page_says_what_the_summary_holds(void **state)
{
    static const char *const pieces[] = {
        "People by points",
        "Points of 1 person, of 4<span class=\"more\">Mean 2.5, median 2.5, from 2.5 to 2.5. A bar counts people.</span>",
        "How many people have how many points. The table below has the numbers.",
        "<h3>Submitted nothing: 1 of 2</h3>",
        "A person counts once: as Accepted if any submission was accepted, else by the verdict of the last one.",
        "Stuck on one verdict",
        "<p>2 people made 5 submissions; 1 solved it.</p>",
        "Every student who reached them has passed them.",
        "<p class=\"under\">Summary for the teacher, as of 10\u00A0Nov\u00A02026",
    };
    Class class = begin();
    Text page = {0};
    hand_in(&class, "ada", "Accepted", accepted, 1.5);
    for (int i = 0; i <= STUCK_LEAST; i++)
        hand_in(&class, "bob", "Wrong Answer", wrong, 0);
    facts_expect(&class.facts, facts_person(&class.facts, "bob"), "week-1", NULL);
    facts_expect(&class.facts, facts_person(&class.facts, "eve"), "week-1", NULL);
    facts_add_points(&class.facts, &(FactPoints){0, "week-1", 2.5, 4});
    const Summary summary = summarised(&class);
    summary_page(&page, &(Site){.is_teacher = true}, &summary);
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++)
        assert_non_null(strstr(page.data, pieces[i]));
    text_free(&page);
    end(&class);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_class_of_three_is_summarised),
        cmocka_unit_test(best_times_are_held_against_the_references),
        cmocka_unit_test(cases_that_nobody_or_everybody_fails_are_named),
        cmocka_unit_test(cases_have_the_names_that_the_caller_knows),
        cmocka_unit_test(a_failure_of_the_judge_is_nobodys_mistake),
        cmocka_unit_test(who_has_solved_it_or_fails_differently_is_not_stuck),
        cmocka_unit_test(points_fall_into_bins_of_round_width),
        cmocka_unit_test(the_page_says_what_the_summary_holds),
        cmocka_unit_test(names_and_lines_are_shown_as_text),
    };
    return cmocka_run_group_tests_name("summary", tests, NULL, NULL);
}
