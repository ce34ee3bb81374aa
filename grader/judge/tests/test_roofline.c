#include "base/tests/unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json.h"
#include "base/tests/patience.h"
#include "grader/judge/roofline.h"

/* A device that copies 1 TB/s and computes 10 TFLOP/s, ten times as much in TF32. "a" is bound by its bytes, 1 us, "b" by its
 * operations, 4 us in float32 and 0.4 us in TF32, when its bytes take 1 us. */
static Problem problem = {.id = "p",
                          .title = "a problem",
                          .parameters = {{.name = "x", .role = ROLE_IN}, {.name = "width", .role = ROLE_SIZE}},
                          .parameter_count = 2};
static Testcase testcases[] = {
    {.name = "s", .group = CASE_SAMPLE, .bytes = 1, .operations = 1},
    {.name = "a", .group = CASE_TIMED, .bytes = 1000000, .operations = 1000000, .sizes.values = {0, 7}},
    {.name = "b", .group = CASE_TIMED, .bytes = 1000000, .operations = 40000000, .sizes.values = {0, 9}},
};
static const TestcaseSet set = {.cases = testcases, .count = 3};
static const DeviceInfo device = {
    .name = "GPU", .copy_bytes_per_s = 1e12, .fma_flops_per_s = 1e13, .tf32_flops_per_s = 1e14};

static void close_to(double got, double expected)
{
    if (!(fabs(got - expected) <= 1e-9 * fabs(expected)))
        fail_test("%.17g, expected %.17g", got, expected);
}

static TimedProgram *add(Roofline *roofline, const char *name, bool is_rival, Precision precision, double a_us,
                         double b_us)
{
    TimedProgram *program = roofline_add(roofline, name, is_rival, precision);
    program->times[0] = (MeasuredTime){1e-3 * a_us, 0.005};
    program->times[1] = (MeasuredTime){1e-3 * b_us, 0.005};
    return program;
}

static void a_roofline_is_what_the_slowest_resource_needs(void **state)
{
    Roofline roofline = roofline_new(&problem, &set, &device);
    assert_int_equal(roofline.case_count, 2);
    close_to(roofline.cases[1].roofs.bytes_s, 1e-6);
    close_to(roofline.cases[1].roofs.float32_s, 4e-6);
    close_to(roofline.cases[1].roofs.tf32_s, 4e-7);
    close_to(roofs_direct_s(&roofline.cases[0].roofs, PRECISION_FLOAT32), 1e-6);
    close_to(roofs_direct_s(&roofline.cases[1].roofs, PRECISION_FLOAT32), 4e-6);
    close_to(roofs_direct_s(&roofline.cases[1].roofs, PRECISION_TF32), 1e-6);
    const TimedProgram *program = add(&roofline, "x.cu", false, PRECISION_FLOAT32, 2, 5);
    close_to(roofline_share(&roofline, program, 0), 0.5);
    close_to(roofline_share(&roofline, program, 1), 0.8);
    roofline_free(&roofline);
}

static void without_ceilings_there_are_no_rooflines(void **state)
{
    const DeviceInfo unmeasured = {.name = "GPU"};
    Roofline roofline = roofline_new(&problem, &set, &unmeasured);
    Text text = {0};
    const TimedProgram *program = add(&roofline, "x.cu", false, PRECISION_FLOAT32, 2, 5);
    assert_true(roofline_share(&roofline, program, 1) == 0);
    roofline_report(&roofline, &text);
    assert_non_null(strstr(text.data, "copy unknown, float32 unknown, TF32 tensor cores unknown"));
    text_free(&text);
    roofline_free(&roofline);
}

static void programs_are_sorted_by_time_and_the_best_one_is_ours(void **state)
{
    Roofline roofline = roofline_new(&problem, &set, &device);
    const TimedProgram *sorted[4];
    add(&roofline, "slow.cu", false, PRECISION_FLOAT32, 30, 30);
    add(&roofline, "rival", true, PRECISION_FLOAT32, 10, 10);
    add(&roofline, "none.cu", false, PRECISION_FLOAT32, 0, 15);
    add(&roofline, "fast.cu", false, PRECISION_FLOAT32, 20, 20);
    assert_int_equal(roofline_sort(&roofline, 0, sorted), 3);
    assert_string_equal(sorted[0]->name, "rival");
    assert_string_equal(sorted[1]->name, "fast.cu");
    assert_string_equal(sorted[2]->name, "slow.cu");
    assert_string_equal(roofline_best(&roofline, 0)->name, "fast.cu");
    assert_string_equal(roofline_best(&roofline, 1)->name, "none.cu");
    assert_int_equal(roofline_sort_means(&roofline, sorted), 3);
    assert_string_equal(sorted[1]->name, "fast.cu");
    roofline_free(&roofline);
}

static void a_rival_is_close_within_ten_percent_or_within_the_intervals(void **state)
{
    static const struct {
        double rival_us, uncertainty;
        bool is_close;
    } rows[] = {{90, 0.005, true},     {100, 0.005, true}, {109.9, 0.005, true},
                {110.1, 0.005, false}, {120, 0.16, false}, {120, 0.17, true}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        Roofline roofline = roofline_new(&problem, &set, &device);
        add(&roofline, "x.cu", false, PRECISION_FLOAT32, 100, 100);
        TimedProgram *rival = add(&roofline, "rival", true, PRECISION_FLOAT32, rows[i].rival_us, 0);
        rival->times[0].uncertainty = rows[i].uncertainty;
        if (roofline_is_close(&roofline, rival, 0) != rows[i].is_close)
            fail_test("%g us", rows[i].rival_us);
        assert_false(roofline_is_close(&roofline, rival, 1)); /* it has no time there */
        assert_false(roofline_is_close(&roofline, &roofline.programs[0], 0));
        rival->precision = PRECISION_TF32; /* nothing of ours computes in TF32 */
        assert_false(roofline_is_close(&roofline, rival, 0));
        roofline_free(&roofline);
    }
}

/* ---- PyTorch ----------------------------------------------------------------------------------------------------- */

static void the_script_is_told_the_sizes(void **state)
{
    Roofline roofline = roofline_new(&problem, &set, &device);
    Text text = {0};
    JsonFile file;
    Message why;
    testcases[2].sizes.values[1] = 1500000;
    rivals_ask(&roofline, &text);
    assert_non_null(strstr(text.data, "\t1500000\n")); /* a whole number, not 1.5e+06 */
    assert_int_equal(json_parse("question", text.data, text.length, &file, &why), STATUS_OK);
    const cJSON *second = json_get(file.root, "cases")->child->next;
    assert_string_equal(json_string(second, "name"), "b");
    assert_int_equal(cJSON_GetArraySize(json_get(second, "sizes")), 1);
    assert_int_equal(json_get(json_get(second, "sizes"), "width")->valueint, 1500000);
    json_free(&file);
    text_free(&text);
    roofline_free(&roofline);
}

static const char ANSWER[] =
    "{\"rivals\": [{\"name\": \"cuDNN\", \"precision\": \"float32\", \"times\": [{\"case\": \"b\", \"time_ms\": 0.104,"
    " \"uncertainty\": 0.01, \"variant\": \"channels last\"}]}, {\"name\": \"torch.fft\", \"precision\": \"float32\","
    " \"missing\": \"not installed\"}]}";

static void what_the_script_prints_is_reported_and_marked(void **state)
{
    Roofline roofline = roofline_new(&problem, &set, &device);
    Text text = {0};
    Message why;
    add(&roofline, "x.cu", false, PRECISION_FLOAT32, 100, 100);
    if (rivals_take(&roofline, ANSWER, sizeof ANSWER - 1, &why) != STATUS_OK)
        fail_test("%s", why.text);
    assert_int_equal(roofline.program_count, 3);
    roofline_report(&roofline, &text);
    assert_non_null(strstr(text.data, "* cuDNN, float32, channels last"));
    assert_non_null(strstr(text.data, "TOO CLOSE\n"));
    assert_non_null(strstr(text.data, "no times of torch.fft: not installed\n"));
    text_free(&text);
    roofline_json(&roofline, &text);
    JsonFile file;
    assert_int_equal(json_parse("roofline.json", text.data, text.length, &file, &why), STATUS_OK);
    const cJSON *rival = json_get(json_get(file.root, "cases")->child->next, "programs")->child->next;
    assert_string_equal(json_string(rival, "variant"), "channels last");
    assert_true(cJSON_IsTrue(json_get(rival, "too_close")));
    close_to(json_get(rival, "roofline")->valuedouble, 4.0 / 104);
    assert_string_equal(json_string(json_get(file.root, "missing")->child, "why"), "not installed");
    json_free(&file);
    text_free(&text);
    roofline_free(&roofline);
}

static void what_the_script_must_not_print_is_refused(void **state)
{
    static const struct {
        const char *text, *words;
    } rows[] = {
        {"", "pytorch_rivals.py"},
        {"{}", "rivals"},
        {"{\"rivals\": [{\"name\": \"x\"}]}", "precision"},
        {"{\"rivals\": [{\"name\": \"x\", \"precision\": \"half\"}]}", "\"half\", expected \"float32\" or \"tf32\""},
        {"{\"rivals\": [{\"name\": \"x\", \"precision\": \"tf32\", \"times\": [{\"case\": \"c\", \"time_ms\": 1, \"uncertainty\": 0}]}]}",
         "\"c\" is not a timed case"},
        {"{\"rivals\": [{\"name\": \"x\", \"precision\": \"tf32\", \"times\": [{\"case\": \"a\", \"time_ms\": 0, \"uncertainty\": 0}]}]}",
         "time_ms"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        Roofline roofline = roofline_new(&problem, &set, &device);
        Message why = {0};
        assert_int_equal(rivals_take(&roofline, rows[i].text, strlen(rows[i].text), &why), STATUS_BAD_INPUT);
        if (strstr(why.text, rows[i].words) == NULL)
            fail_test("\"%s\", expected \"%s\"", why.text, rows[i].words);
        roofline_free(&roofline);
    }
}

/* A python3 that does `what`, in front of the search path. */
static void run_with(const char *what, Roofline *roofline)
{
    char folder[] = "/tmp/test_roofline.XXXXXX", program[64], script[1000];
    const char *before = getenv("PATH");
    Message why = {0};
    assert_non_null(mkdtemp(folder));
    snprintf(program, sizeof program, "%s/python3", folder);
    snprintf(script, sizeof script, "#!/bin/sh\n%s\n", what);
    FILE *file = fopen(program, "w");
    assert_non_null(file);
    fputs(script, file);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(program, 0700), 0);
    char *kept = strdup(before);
    setenv("PATH", what[0] == '\0' ? "/nowhere" : folder, 1);
    *roofline = roofline_new(&problem, &set, &device);
    Status status = rivals_time_pytorch(roofline, &why);
    setenv("PATH", kept, 1);
    free(kept);
    unlink(program);
    rmdir(folder);
    if (status != STATUS_OK)
        fail_test("%s", why.text);
}

static void a_script_that_takes_too_long_is_named(void **state)
{
    Roofline roofline;
    problem.id = "conv1d";
    patience_is_over = true;
    run_with("exec /bin/sleep 1000", &roofline);
    patience_is_over = false;
    problem.id = "p";
    assert_int_equal(roofline.program_count, 1);
    assert_string_equal(roofline.programs[0].missing, "its script did not end in time");
    roofline_free(&roofline);
}

static void a_script_that_cannot_run_leaves_its_rivals_missing(void **state)
{
    static const struct {
        const char *what, *missing;
    } rows[] = {
        {"", "python3 is not installed"},
        {"exit 3", "its script failed"},
        {"echo '{\"rivals\": [{\"name\": \"PyTorch\", \"precision\": \"float32\", \"missing\": \"no GPU\"}]}'",
         "no GPU"},
    };
    problem.id = "conv1d";
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        Roofline roofline;
        run_with(rows[i].what, &roofline);
        assert_int_equal(roofline.program_count, 1);
        assert_string_equal(roofline.programs[0].missing, rows[i].missing);
        roofline_free(&roofline);
    }
    problem.id = "p"; /* which has no pytorch.py */
    Roofline roofline;
    run_with("exit 3", &roofline);
    assert_int_equal(roofline.program_count, 0);
    roofline_free(&roofline);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_roofline_is_what_the_slowest_resource_needs),
        cmocka_unit_test(without_ceilings_there_are_no_rooflines),
        cmocka_unit_test(programs_are_sorted_by_time_and_the_best_one_is_ours),
        cmocka_unit_test(a_rival_is_close_within_ten_percent_or_within_the_intervals),
        cmocka_unit_test(a_script_that_takes_too_long_is_named),
        cmocka_unit_test(the_script_is_told_the_sizes),
        cmocka_unit_test(what_the_script_prints_is_reported_and_marked),
        cmocka_unit_test(a_script_that_cannot_run_leaves_its_rivals_missing),
        cmocka_unit_test(what_the_script_must_not_print_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
