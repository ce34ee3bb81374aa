#include "base/tests/unit.h"

#include "grader/commands/inspection.c"
#include "grader/tests/home.h"

/* What a solution claims to be, and whether that is so. */

static Submission submission_of(const char *path, const char *source)
{
    return (Submission){.path = path, .source = {.data = (char *)source, .length = strlen(source)}};
}

static void a_claim_comes_from_the_first_comments_or_the_folder(void **state)
{
    static const struct {
        const char *path, *source;
        bool modelled;
        const char *claim;
    } rows[] = {
        {"a/solutions/conv1d/accepted/x.cu", "int i;\n", true, "Accepted"},
        {"wrong_answer/x.cu", "", true, "Wrong Answer"},
        {"conv1d/cpu_baselines/x.c", "", true, "Accepted"},
        {"conv1d/rivals/x.cu", "", true, "Accepted"},
        {"accepted/x.cu", "// expect: Wrong Answer\nint i;\n", true, "Wrong Answer"},
        {"x.cu", "// expect: Wrong Answer, Run-Time Error,Wrong Answer\r\n", true, "Wrong Answer or Run-Time Error"},
        {"accepted/x.cu", "// first\n// expect: Wrong Answer", true, "Wrong Answer"},
        {"accepted/x.cu", "int i;\n// expect: Wrong Answer\n", true, "Accepted"},
        {"wrong_answer/x.cu", "// on cuda: Accepted\n", true, "Wrong Answer"},
        {"wrong_answer/x.cu", "// on cuda: Accepted\n", false, "Wrong Answer or Accepted"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const Submission submission = submission_of(rows[i].path, rows[i].source);
        Claim claim;
        Message why = {0};
        if (claim_of(&submission, rows[i].modelled, &claim, &why) != STATUS_OK)
            fail_test("row %zu: %s", i, why.text);
        if (strcmp(claim.text, rows[i].claim) != 0)
            fail_test("row %zu: %s, expected %s", i, claim.text, rows[i].claim);
        for (int verdict = 0; verdict < VERDICT_COUNT; verdict++)
            if (claim.allowed[verdict] != (strstr(rows[i].claim, verdict_name((Verdict)verdict)) != NULL))
                fail_test("row %zu: %s", i, verdict_name((Verdict)verdict));
    }
}

static void a_claim_without_a_verdict_is_refused(void **state)
{
    static const struct {
        const char *path, *source, *message;
    } rows[] = {
        {"right/x.cu", "",
         "right/x.cu: names no verdict, expected a folder such as wrong_answer/ or a line \"// expect: VERDICT\""},
        {"x.cu", "", "x.cu: names no verdict, expected"},
        {"x.cu", "//\n// expect: Wrong Answer, Wrong Anser\n",
         "x.cu:2: unknown verdict 'Wrong Anser'; did you mean 'Wrong Answer'?"},
        {"accepted/x.cu", "// expect: \n", "accepted/x.cu:1: unknown verdict ''; expected one of: Accepted, "},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const Submission submission = submission_of(rows[i].path, rows[i].source);
        Claim claim;
        Message why = {0};
        Status status = claim_of(&submission, true, &claim, &why);
        if (status != STATUS_BAD_INPUT || strncmp(why.text, rows[i].message, strlen(rows[i].message)) != 0)
            fail_test("row %zu: status %d, \"%s\"", i, status, why.text);
    }
}

static void all_words_that_a_file_names_must_be_said(void **state)
{
    static const struct {
        const char *source, *missing;
    } rows[] = {
        {"int i;\n", NULL},
        {"// says: out of bounds\n", NULL},
        {"// says: a race\n// says: out of bounds\nint i;\n", NULL},
        {"// says: out of order\n", "out of order"},
        {"// says: a race\n// other\n// says: a deadlock", "a deadlock"},
        {"int i;\n// says: a deadlock\n", NULL},
    };
    Result result = {.verdict = VERDICT_RUN_TIME_ERROR, .warning_count = 1};
    result.text = "reads out of bounds";
    result.warnings[0] = "there is a race, too";
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const Submission submission = submission_of("x.cu", rows[i].source);
        char expected[200];
        Message why = {0};
        Status status = check_words(&submission, &result, &why);
        if (status != (rows[i].missing == NULL ? STATUS_OK : STATUS_BAD_INPUT))
            fail_test("row %zu: status %d", i, status);
        snprintf(expected, sizeof expected, "expected the words \"%s\", got Run-Time Error: reads out of bounds",
                 rows[i].missing == NULL ? "" : rows[i].missing);
        if (rows[i].missing != NULL)
            assert_string_equal(why.text, expected);
    }
}

static void all_sources_below_a_problem_are_found_by_name(void **state)
{
    static const char *const files[] = {"wrong_answer/b.cu", "accepted/z.cu",       "accepted/deep/a.c",
                                        "accepted/note.txt", "accepted/.hidden.cu", "wrong_answer/a.patch"};
    static const char *const found[] = {"accepted/deep/a.c", "accepted/z.cu", "wrong_answer/a.patch",
                                        "wrong_answer/b.cu"};
    char path[200];
    Paths paths = {0};
    Message why = {0};
    for (size_t i = 0; i < COUNT_OF(files); i++) {
        snprintf(path, sizeof path, "solutions/blend/%s", files[i]);
        home_write(path, "");
    }
    assert_int_equal(paths_add_solutions(&paths, "blend", &why), STATUS_OK);
    assert_int_equal(paths.count, COUNT_OF(found));
    for (size_t i = 0; i < COUNT_OF(found); i++) {
        snprintf(path, sizeof path, "%s/solutions/blend/%s", home, found[i]);
        assert_string_equal(paths.items[i], path);
    }
    assert_int_equal(paths_add_solutions(&paths, "other", &why), STATUS_OK);
    assert_int_equal(paths.count, COUNT_OF(found));
    arena_free(&paths.arena);
}

static void without_a_device_the_simulated_gpu_runs_the_timed_cases(void **state)
{
    CheckDevice device;
    Message why = {0};
    assert_int_equal(check_device(NULL, false, &device, &why), STATUS_OK);
    assert_string_equal(device.name, "sim");
    assert_true(device.modelled && device.timed);
    assert_int_not_equal(check_device("sim:none", true, &device, &why), STATUS_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_claim_comes_from_the_first_comments_or_the_folder),
        cmocka_unit_test(a_claim_without_a_verdict_is_refused),
        cmocka_unit_test(all_words_that_a_file_names_must_be_said),
        cmocka_unit_test(all_sources_below_a_problem_are_found_by_name),
        cmocka_unit_test(without_a_device_the_simulated_gpu_runs_the_timed_cases),
    };
    return cmocka_run_group_tests_name("solution", tests, home_new, home_remove);
}
