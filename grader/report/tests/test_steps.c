#include "base/tests/unit.h"

#include "base/text.h"
#include "grader/report/explain_report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/steps.XXXXXX";
static Problem problem = {.id = "x"};

static int make_folder(void **state)
{
    char ladder[64];
    if (mkdtemp(folder) == NULL)
        return 1;
    snprintf(ladder, sizeof ladder, "%s/ladder", folder);
    problem.folder = folder;
    return mkdir(ladder, 0777);
}

static void path_of(const char *name, char path[96])
{
    snprintf(path, 96, "%s/ladder/%s", folder, name);
}

static void put(const char *name, const char *text)
{
    char path[96];
    path_of(name, path);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void take_away(const char *name)
{
    char path[96];
    path_of(name, path);
    unlink(path);
}

static int remove_folder(void **state)
{
    char ladder[64];
    snprintf(ladder, sizeof ladder, "%s/ladder", folder);
    return rmdir(ladder) + rmdir(folder);
}

#define HEAD "# A tile\n\nLoad a tile.\nOnce.\n\n"
#define LINES "- when: `blocks < 2`\n- from: `a.cu`\n- example: `b.cu`\n\n"
#define SKETCH "```cuda\nint i;\n// HOLE: the rest\n```\n"

static void steps_are_read_in_the_order_of_their_names(void **state)
{
    Steps steps;
    Message why;
    put("2-b.md", HEAD LINES SKETCH);
    put("1-a.md", "# First\n\nOne.\n\n" LINES SKETCH);
    put("notes.txt", "no step");
    assert_int_equal(steps_read(&problem, &steps, &why), STATUS_OK);
    assert_int_equal(steps.count, 2);
    assert_string_equal(steps.steps[0].title, "First");
    assert_string_equal(steps.steps[1].name, "2-b");
    assert_string_equal(steps.steps[1].idea, "Load a tile.\nOnce.");
    assert_string_equal(steps.steps[1].when.text, "blocks < 2");
    assert_string_equal(steps.steps[1].from, "a.cu");
    assert_string_equal(steps.steps[1].example, "b.cu");
    assert_string_equal(steps.steps[1].sketch, "int i;\n// HOLE: the rest");
    steps_free(&steps);
    take_away("1-a.md");
    take_away("2-b.md");
    take_away("notes.txt");
}

static void a_problem_without_a_ladder_has_no_steps(void **state)
{
    const Problem none = {.id = "x", .folder = "/nowhere"};
    Steps steps;
    Message why;
    assert_int_equal(steps_read(&none, &steps, &why), STATUS_OK);
    assert_int_equal(steps.count, 0);
}

static const struct {
    const char *text, *message;
} refused[] = {
    {"", ":1: expected \"# TITLE\", found the end"},
    {"A tile\n", ":1: expected \"# TITLE\", found \"A tile\""},
    {"# A tile\nLoad.\n", ":2: expected an empty line, found \"Load.\""},
    {"# A tile\n\n\n", ":3: expected the idea, and an empty line after it, found \"\""},
    {"# A tile\n\nLoad.\n", ":4: expected the idea, and an empty line after it, found the end"},
    {HEAD "- from: `a.cu`\n", ":6: expected \"- when: `CONDITION`\", found \"- from: `a.cu`\""},
    {HEAD "- when: `tiles < 2`\n", ":6: \"tiles < 2\": at character 1: expected the name of a fact"},
    {HEAD "- when: `blocks < 2`\n- from: `a.c`\n", ":7: expected \"- from: `FILE.cu`\", found \"- from: `a.c`\""},
    {HEAD "- when: `blocks < 2`\n- from: `a.cu`\n\n", ":8: expected \"- example: `FILE.cu`\", found \"\""},
    {HEAD LINES "int i;\n", ":10: expected \"```cuda\", the sketch, found \"int i;\""},
    {HEAD LINES "```cuda\nint i;\n", ":12: expected the sketch, and \"```\" after it, found the end"},
    {HEAD LINES SKETCH "More.\n", ":14: expected the end, found \"More.\""},
};

static void what_is_no_step_is_refused_with_its_line(void **state)
{
    for (size_t i = 0; i < COUNT_OF(refused); i++) {
        Steps steps;
        Message why = {0};
        put("1-a.md", refused[i].text);
        assert_int_equal(steps_read(&problem, &steps, &why), STATUS_BAD_INPUT);
        if (strstr(why.text, "/ladder/1-a.md:") == NULL || strstr(why.text, refused[i].message) == NULL)
            fail_test("row %zu: %s", i, why.text);
    }
    take_away("1-a.md");
}

static const char example[] = "int a;\n  int b; // also\n\nint c;\n}\n";

static const struct {
    const char *sketch, *message; /* NULL: it is right */
} sketched[] = {
    {"int a;\n// HOLE: b\nint c;", NULL},
    {"    int b;\n// HOLE: c\n}", NULL},
    {"int c;\nint a;\n// HOLE: b", "x.md: expected a line of e.cu, in its order, found \"int a;\""},
    {"int d; // HOLE: d", "x.md: expected a line of e.cu, in its order, found \"int d;\""},
    {"int a;\nint b;\nint c;\n}", "x.md: expected a hole in the sketch, \"// HOLE: what is missing\""},
};

static void a_sketch_is_its_example_with_holes(void **state)
{
    for (size_t i = 0; i < COUNT_OF(sketched); i++) {
        const LadderStep step = {.path = "x.md", .example = "e.cu", .sketch = sketched[i].sketch};
        Message why = {0};
        const Status status = steps_check_sketch(&step, example, &why);
        if ((status == STATUS_OK) != (sketched[i].message == NULL))
            fail_test("row %zu: %s", i, why.text);
        if (sketched[i].message != NULL)
            assert_string_equal(why.text, sketched[i].message);
    }
}

/* ---- the next step ----------------------------------------------------------------------------------------------- */

static const ReferenceTime times[] = {
    {.name = "slow.cu", .time = {4, 0.01}, .cases = "[{\"name\": \"one\", \"time_ms\": 4, \"uncertainty\": 0.01}]"},
    {.name = "fast.cu", .time = {1, 0.01}, .cases = "[{\"name\": \"one\", \"time_ms\": 1, \"uncertainty\": 0.01}]"},
};

static Steps steps;

static void read_two_steps(void)
{
    Message why;
    steps_free(&steps);
    put("1-few.md", "# Few\n\nOne.\n\n- when: `blocks < 2`\n- from: `a.cu`\n- example: `slow.cu`\n\n" SKETCH);
    put("2-more.md", "# More\n\nOne.\n\n- when: `blocks < 9`\n- from: `a.cu`\n- example: `fast.cu`\n\n" SKETCH);
    assert_int_equal(steps_read(&problem, &steps, &why), STATUS_OK);
    take_away("1-few.md");
    take_away("2-more.md");
}

/* The step that is next for a file with so many blocks that takes so long; "": none. */
static const char *next_of(double blocks, double ms, NextStep *next, MeasuredTime *in_case)
{
    static double facts[FACT_COUNT];
    Message why;
    StepCase one = {.name = "one", .time = {ms, 0.01}, .facts = facts};
    read_two_steps();
    facts[FACT_blocks] = blocks;
    assert_int_equal(steps_next(&steps, times, COUNT_OF(times), one.time, false, &one, 1, next, &why), STATUS_OK);
    *in_case = one.example;
    const char *name = next->step == NULL ? "" : next->step->name;
    return name;
}

static void the_next_step_is_the_first_that_holds_and_gains(void **state)
{
    NextStep next;
    MeasuredTime example_time;
    assert_string_equal(next_of(1, 5, &next, &example_time), "1-few");
    assert_true(next.example.ms == 4 && next.time.ms == 5 && example_time.ms == 4);
    assert_string_equal(next_of(3, 5, &next, &example_time), "2-more"); /* the first does not hold */
    assert_string_equal(next_of(1, 4, &next, &example_time), "2-more"); /* it is not faster */
    assert_true(example_time.ms == 1);
    assert_string_equal(next_of(1, 4.2, &next, &example_time), "2-more"); /* it gains less than 10 % */
    assert_false(next.is_taken);
    assert_string_equal(next_of(1, 1, &next, &example_time), "");
    assert_true(example_time.ms == 0 && !next.is_taken);
}

static void a_file_that_has_taken_all_steps_is_shown_one_that_is_done_better(void **state)
{
    NextStep next;
    MeasuredTime example_time;
    assert_string_equal(next_of(9, 5, &next, &example_time), "1-few");
    assert_true(next.is_taken && next.example.ms == 4 && example_time.ms == 4);
    assert_string_equal(next_of(9, 4, &next, &example_time), "2-more");
    assert_true(next.is_taken && example_time.ms == 1);
    assert_string_equal(next_of(9, 1.08, &next, &example_time), "");
}

/* Whether a file with so many blocks that takes so long is told its defect, which gains so much, and not the step. It has copies
 * that gain 0.02, too; `defects` are those that matter. */
static bool tells_defect(double blocks, double ms, double gain, size_t *defects)
{
    Message why;
    const CaseResult item = {.name = "one"};
    const MeasuredTime time = {.ms = ms, .uncertainty = 0.01};
    ExplainedCase one = {.item = &item, .time = time, .facts[FACT_blocks] = blocks};
    ExplainRun run = {.cases = &one, .case_count = 1, .advice = {{.gain = gain}, {.gain = 0.02}}, .advice_count = 2};
    read_two_steps();
    assert_int_equal(explain_run_next(&run, &steps, times, COUNT_OF(times), time, false, &why), STATUS_OK);
    *defects = run.advice_count;
    return explain_run_tells_defect(&run);
}

static void a_defect_or_the_step_is_told_whichever_gains_more(void **state)
{
    size_t defects;
    assert_false(tells_defect(1, 8, 0.45, &defects)); /* the step gains half */
    assert_int_equal(defects, 1);
    assert_true(tells_defect(1, 8, 0.55, &defects));
    assert_true(tells_defect(1, 1, 0.06, &defects)); /* no step gains anything */
    assert_int_equal(defects, 1);
}

static void a_defect_is_told_before_a_step_that_is_taken(void **state)
{
    size_t defects;
    assert_true(tells_defect(9, 13, 0.45, &defects));
    assert_int_equal(defects, 1);
}

static void what_copies_cost_is_weighed_against_the_time_after_the_step(void **state)
{
    size_t defects;
    assert_false(tells_defect(1, 13, 0.1, &defects)); /* 4 / 13 * 0.05 < 0.02 */
    assert_int_equal(defects, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_are_read_in_the_order_of_their_names),
        cmocka_unit_test(a_problem_without_a_ladder_has_no_steps),
        cmocka_unit_test(what_is_no_step_is_refused_with_its_line),
        cmocka_unit_test(a_sketch_is_its_example_with_holes),
        cmocka_unit_test(the_next_step_is_the_first_that_holds_and_gains),
        cmocka_unit_test(a_defect_or_the_step_is_told_whichever_gains_more),
        cmocka_unit_test(a_defect_is_told_before_a_step_that_is_taken),
        cmocka_unit_test(what_copies_cost_is_weighed_against_the_time_after_the_step),
        cmocka_unit_test(a_file_that_has_taken_all_steps_is_shown_one_that_is_done_better),
    };
    return cmocka_run_group_tests_name("steps", tests, make_folder, remove_folder);
}
