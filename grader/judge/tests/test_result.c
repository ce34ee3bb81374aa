#include "base/tests/unit.h"

#include <math.h>
#include <stdlib.h>

#include "base/json.h"
#include "grader/judge/result_json.h"
#include "grader/tests/made_up.h"

static void close_to(double got, double expected)
{
    if (!(fabs(got - expected) <= 1e-9 * fabs(expected)))
        fail_test("%.17g, expected %.17g", got, expected);
}

static JsonFile as_json(const Result *result)
{
    Text text = {0};
    JsonFile file;
    Message why = {0};
    result_json(result, &text);
    if (json_parse("result.json", text.data, text.length, &file, &why) != STATUS_OK)
        fail_test("%s", why.text);
    text_free(&text);
    return file;
}

static void has_number(const cJSON *object, const char *key, double expected)
{
    if (json_get(object, key) == NULL)
        fail_test("%s is missing", key);
    close_to(json_get(object, key)->valuedouble, expected);
}

static void a_case_takes_the_median_of_its_samples(void **state)
{
    CaseSample samples[] = {{.event_s = 3e-3, .host_s = 0, .block = 0},
                            {.event_s = 1e-3, .host_s = 0, .block = 0},
                            {.event_s = 2e-3, .host_s = 0, .block = 0},
                            {.event_s = 100, .host_s = 0, .block = 0}};
    CaseResult item = {.samples = samples, .sample_count = 3, .operations = 4000000, .bytes = 1000000};
    const DeviceInfo device = {.copy_bytes_per_s = 1e9, .fma_flops_per_s = 1e12};
    result_time_case(&item, &device);
    close_to(item.time.ms, 2);
    close_to(item.time.uncertainty, 0.005);
    close_to(item.gflops, 2);
    close_to(item.gbytes_per_s, 0.5);
    close_to(item.roofline, 0.5); /* 1 ms of copying in 2 ms */
    item.sample_count = 4;
    result_time_case(&item, &device);
    close_to(item.time.ms, 2.5);
}

/* By what limits the longest kernel, and wider for each thing that the model knows little of. */
static void a_modelled_time_says_how_far_off_its_kind_may_be(void **state)
{
    CaseSample samples[] = {{.event_s = 1e-3}};
    DeviceInfo device = {.modelled = true, .model_factors = {1.1, 1.2, 1.3, 1.4}};
    const struct {
        DeviceStatistics statistics;
        double factor;
        int doubt; /* -1: none */
    } rows[] = {{{.limiter = "lsu"}, 1.1, -1},
                {{.limiter = "dram"}, 1.2, -1},
                {{.limiter = "blocks"}, 1.3, -1},
                {{.limiter = "constant", .kernels = 4}, 1.4, -1},
                {{.limiter = "lsu", .sampled_share = 0.05}, 1.1, -1},
                {{.limiter = "lsu", .is_doubtful = true}, 1.1, DOUBT_unknown_code},
                {{.limiter = "lsu", .sampled_share = 0.04}, 1.1, DOUBT_thin_sample},
                {{.limiter = "lsu", .counters.texture_requests = 1}, 1.1, DOUBT_textures},
                {{.limiter = "tensor", .counters.tensor = 1}, 1.1, DOUBT_matrices},
                {{.limiter = "lsu", .counters.atomic_requests = 1}, 1.1, DOUBT_atomics},
                {{.limiter = "lsu", .has_uneven_blocks = true}, 1.1, DOUBT_uneven_blocks},
                {{.limiter = "lsu", .kernels = 5}, 1.1, DOUBT_launches},
                {{.limiter = "l2", .uses_streams = true}, 1.2, DOUBT_streams},
                {{.limiter = "lsu", .waits_for_host = true}, 1.1, DOUBT_host_work}};
    for (int i = 0; i < MODEL_DOUBTS; i++)
        device.doubts[i] = 2 + i;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        CaseResult item = {.samples = samples, .sample_count = 1, .statistics = rows[i].statistics};
        result_time_case(&item, &device);
        const double doubt = rows[i].doubt < 0 ? 1 : device.doubts[rows[i].doubt];
        if (fabs(time_model_factor(item.time) / (rows[i].factor * doubt) - 1) > 1e-3)
            fail_test("row %zu: %s, expected %g times %g", i, item.time.model, rows[i].factor, doubt);
        for (int k = 0; k < MODEL_DOUBTS; k++)
            assert_int_equal(result_has_doubt(&item.statistics, k), k == rows[i].doubt);
        device.modelled = false;
        result_time_case(&item, &device);
        close_to(time_model_factor(item.time), 1);
        device.modelled = true;
    }
}

static void each_doubt_has_its_words(void **state)
{
    static const char *const words[] = {
        [DOUBT_unknown_code] = "the model cannot relate a kernel's machine code to its PTX",
        [DOUBT_thin_sample] = "less than a twentieth of a kernel's blocks was simulated",
        [DOUBT_textures] = "a kernel fetches from textures",
        [DOUBT_matrices] = "a kernel uses tensor cores",
        [DOUBT_atomics] = "a kernel uses atomic operations",
        [DOUBT_uneven_blocks] = "some multiprocessors have more work than others",
        [DOUBT_launches] = "more than four kernels are launched",
        [DOUBT_streams] = "work runs in several streams",
        [DOUBT_host_work] = "the device waits for the host between two operations"};
    for (int i = 0; i < MODEL_DOUBTS; i++)
        assert_string_equal(result_doubt_words(i), words[i]);
}

static void the_terms_of_a_score_are_the_means_of_its_cases(void **state)
{
    CaseSample samples[] = {{.event_s = 1e-3}};
    CaseResult items[] = {{.group = CASE_TIMED, .samples = samples, .sample_count = 1, .statistics.limiter = "lsu"},
                          {.group = CASE_TIMED, .samples = samples, .sample_count = 1, .statistics.limiter = "dram"}};
    Result result = {
        .cases = items, .case_count = 2, .device = {.modelled = true, .model_factors = {1.5, 2, 1.3, 1.4}}};
    for (int i = 0; i < 2; i++)
        result_time_case(&items[i], &result.device);
    result_score(&result);
    assert_string_equal(result.score.model, "lsu 0.2028, dram 0.3466"); /* log(1.5) / 2, log(2) / 2 */
}

static void what_this_host_adds_to_a_call_is_taken_off(void **state)
{
    CaseSample samples[] = {
        {.event_s = 12e-6, .block = 0}, {.event_s = 12e-6, .block = 1}, {.event_s = 12e-6, .block = 2}};
    CaseResult cases[] = {made_up_case(CASE_TIMED, "a", VERDICT_ACCEPTED)};
    cases[0].samples = samples;
    cases[0].sample_count = 3;
    Result result = made_up_result(cases, 1);
    result.device.launch_s = 8e-6;
    result.device.launch_spread_s = 1e-6;
    for (int known = 0; known < 2; known++) {
        result.device.usual_launch_s = known ? 6e-6 : 0;
        result_time_case(&cases[0], &result.device);
        result_score(&result);
        close_to(1e3 * cases[0].time.ms, known ? 10 : 12);
        close_to(cases[0].time.uncertainty, known ? 0.1 : 0.005);
        close_to(result.score.uncertainty, known ? 0.1 : 0.005);
        JsonFile file = as_json(&result);
        has_number(file.root, "launch_us", 8);
        has_number(file.root, "launch_spread_us", 1);
        if (known) {
            has_number(file.root, "usual_launch_us", 6);
            has_number(file.root, "host_constant_us", 2);
        } else {
            assert_null(json_get(file.root, "host_constant_us"));
        }
        json_free(&file);
    }
}

static void the_score_is_the_geometric_mean_of_the_timed_cases(void **state)
{
    CaseResult cases[] = {made_up_case(CASE_SAMPLE, "s", VERDICT_ACCEPTED), made_up_timed_case("a", 1e-3),
                          made_up_timed_case("b", 4e-3)};
    Result result = made_up_result(cases, 3);
    for (size_t i = 0; i < 3; i++)
        result_time_case(&cases[i], &result.device);
    result_score(&result);
    close_to(result.score.ms, 2);
    close_to(result.score.uncertainty, 0.005);
    close_to(result.gflops, 0.5);
    close_to(result.gbytes_per_s, 0.25);
    close_to(result.roofline, 0.00025);
    forget_samples(cases, 3);
}

static void the_drift_of_the_anchor_is_part_of_the_uncertainty(void **state)
{
    CaseSample samples[] = {{.event_s = 1e-3, .host_s = 0, .block = 0},
                            {.event_s = 1e-3, .host_s = 0, .block = 1},
                            {.event_s = 1.08e-3, .host_s = 0, .block = 2}}; /* 8 % between fastest and slowest */
    CaseResult cases[] = {made_up_case(CASE_TIMED, "a", VERDICT_ACCEPTED)};
    cases[0].samples = samples;
    cases[0].sample_count = 3;
    Result result = made_up_result(cases, 1);
    result.anchor.drift = 0.06;
    result_time_case(&cases[0], &result.device);
    for (int i = 0; i < 2; i++) { /* once more changes nothing */
        result_score(&result);
        close_to(cases[0].timing.half_width, 0.08);
        close_to(cases[0].time.uncertainty, 0.1);
        close_to(result.score.uncertainty, 0.1);
    }
}

static void a_disturbed_block_or_a_drifting_anchor_is_unsteady(void **state)
{
    BlockConditions blocks[3] = {{.sm_clock_mhz = 1980}};
    Result result = {.blocks = blocks, .block_count = 3, .anchor = {.name = "naive.cu", .drift = 0.02}};
    result_find_unsteady(&result);
    assert_string_equal(result.unsteady, "");
    result.anchor.drift = 0.031;
    result_find_unsteady(&result);
    assert_string_equal(result.unsteady, "the GPU was not steady: the anchor naive.cu drifted by 3.1 %");
    result.unsteady[0] = '\0';
    strcpy(blocks[2].disturbance, "process 4711 computed on it");
    result_find_unsteady(&result);
    assert_string_equal(result.unsteady, "the GPU was disturbed: process 4711 computed on it");
    strcpy(result.unsteady, "what is known");
    result_find_unsteady(&result);
    assert_string_equal(result.unsteady, "what is known");
}

static void what_a_sample_of_blocks_leaves_open_is_part_of_the_uncertainty(void **state)
{
    CaseResult cases[] = {made_up_timed_case("a", 1e-3)};
    Result result = made_up_result(cases, 1);
    cases[0].statistics.sample_error = 0.04;
    result_time_case(&cases[0], &result.device);
    assert_float_equal(cases[0].time.uncertainty, 0.04, 1e-9);
    result_score(&result);
    assert_float_equal(cases[0].time.uncertainty, 0.04, 1e-9);
    assert_float_equal(result.score.uncertainty, 0.04, 1e-9);
    forget_samples(cases, 1);
}

static void what_is_recorded_gives_the_same_times_again(void **state)
{
    CaseResult cases[] = {made_up_timed_case("a", 1e-3)};
    Result result = made_up_result(cases, 1), again;
    Text case_text = {0}, sitting = {0};
    Message why;
    JsonFile record;
    bool complete;
    cases[0].statistics = (DeviceStatistics){.has_counters = true, .sampled_share = 0.5, .sample_error = 0.04};
    result_time_case(&cases[0], &result.device);
    result_score(&result);
    result_cases_json(&result, &case_text);
    result_sitting_json(&result, &sitting);
    assert_int_equal(recorded_result("run 1", case_text.data, sitting.data, true, &again, &complete, &record, &why),
                     STATUS_OK);
    assert_true(complete);
    assert_float_equal(json_value(json_get(record.root, "cases")->child, "time_ms"), 1, 1e-12);
    json_free(&record);
    assert_float_equal(again.score.ms, result.score.ms, 1e-12);
    assert_float_equal(again.score.uncertainty, 0.04, 1e-9);
    result_free(&again);
    text_free(&case_text);
    text_free(&sitting);
    forget_samples(cases, 1);
}

static void a_timed_case_without_a_time_leaves_no_score(void **state)
{
    CaseResult cases[] = {made_up_timed_case("a", 1e-3), made_up_case(CASE_TIMED, "b", VERDICT_WRONG_ANSWER)};
    Result result = made_up_result(cases, 2);
    result_time_case(&cases[0], &result.device);
    result_score(&result);
    assert_true(result.score.ms == 0);
    forget_samples(cases, 2);
}

static void an_unmeasured_device_leaves_no_roofline(void **state)
{
    CaseResult cases[] = {made_up_timed_case("a", 1e-3)};
    Result result = made_up_result(cases, 1);
    result.device.copy_bytes_per_s = 0;
    result_time_case(&cases[0], &result.device);
    result_score(&result);
    assert_true(result.roofline == 0 && result.score.ms > 0);
    JsonFile file = as_json(&result);
    assert_null(json_get(file.root, "roofline"));
    json_free(&file);
    forget_samples(cases, 1);
}

static void the_failed_case_is_the_first_that_was_judged(void **state)
{
    CaseResult cases[] = {made_up_case(CASE_SAMPLE, "a", VERDICT_ACCEPTED),
                          made_up_case(CASE_HIDDEN, "hidden 1", VERDICT_WRONG_ANSWER),
                          made_up_case(CASE_HIDDEN, "hidden 2", VERDICT_RUN_TIME_ERROR)};
    Result result = made_up_result(cases, 3);
    assert_ptr_equal(result_failed_case(&result), &cases[1]);
    cases[1].judged = false;
    assert_ptr_equal(result_failed_case(&result), &cases[2]);
    assert_null(result_failed_case(&(Result){.cases = cases, .case_count = 1}));
}

static void a_hidden_case_gives_no_data_away(void **state)
{
    CaseResult cases[] = {made_up_case(CASE_HIDDEN, "hidden 1", VERDICT_WRONG_ANSWER)};
    Result result = made_up_result(cases, 1);
    JsonFile file = as_json(&result);
    const cJSON *item = cJSON_GetArrayItem(json_get(file.root, "cases"), 0);
    assert_null(strstr(file.text.data, "4711"));
    assert_null(json_get(item, "sizes"));
    close_to(json_get(item, "max_error")->valuedouble, 0.01);
    assert_null(json_get(item, "mean_error"));
    assert_null(json_get(item, "bound"));
    json_free(&file);
}

static void a_sample_case_gives_all_of_it(void **state)
{
    double expected[] = {2, 4}, got[] = {1, NAN}, bounds[] = {0.5, 0.5};
    CaseResult cases[] = {made_up_case(CASE_SAMPLE, "three", VERDICT_WRONG_ANSWER)};
    const SampleDetails details = {
        .compared = true,
        .comparison = {.wrong = 5,
                       .first = {.index = 7, .position = {7}, .got = 1, .expected = 2, .error = 1},
                       .rank = 2,
                       .shape = {1, 2}},
        .elements = {.count = 2, .type = ELEMENT_UINT8, .expected = expected, .got = got, .bounds = bounds},
        .printed = ""};
    cases[0].sample = &details;
    Result result = made_up_result(cases, 1);
    JsonFile file = as_json(&result);
    const cJSON *item = cJSON_GetArrayItem(json_get(file.root, "cases"), 0);
    close_to(json_get(json_get(item, "sizes"), "n")->valuedouble, 4711);
    close_to(json_get(item, "max_error")->valuedouble, 0.00123);
    close_to(json_get(json_get(item, "first_wrong"), "expected")->valuedouble, 2);
    const cJSON *output = json_get(item, "output");
    assert_string_equal(json_string(output, "type"), "unsigned char");
    assert_int_equal(cJSON_GetArraySize(json_get(output, "shape")), 2);
    close_to(cJSON_GetArrayItem(json_get(output, "expected"), 1)->valuedouble, 4);
    assert_true(cJSON_IsNull(cJSON_GetArrayItem(json_get(output, "got"), 1)));
    json_free(&file);
}

static void result_json_has_what_is_promised(void **state)
{
    static const char *const keys[] = {"schema",       "verdict", "rank_status", "problem",     "device",     "sandbox",
                                       "warnings",     "cases",   "score_ms",    "uncertainty", "percentile", "gflops",
                                       "gbytes_per_s", "compile", "rank",        "seconds"};
    static const char *const compile_keys[] = {"seconds", "registers", "shared_bytes", "spill_bytes", "diagnostics"};
    CaseResult cases[] = {made_up_timed_case("a", 1e-3)};
    CompileKernel kernels[] = {{.name = "k1", .registers = 40}, {.name = "k2", .registers = 32, .shared_bytes = 99}};
    Result result = made_up_result(cases, 1);
    result.compiled.kernels = kernels;
    result.compiled.kernel_count = 2;
    result.rank = 1;
    result.references = percentile_among((MeasuredTime){.ms = 1}, (MeasuredTime[]){{.ms = 2}}, 1);
    result_time_case(&cases[0], &result.device);
    result_score(&result);
    JsonFile file = as_json(&result);
    for (size_t i = 0; i < COUNT_OF(keys); i++)
        if (json_get(file.root, keys[i]) == NULL)
            fail_test("%s is missing", keys[i]);
    for (size_t i = 0; i < COUNT_OF(compile_keys); i++)
        if (json_get(json_get(file.root, "compile"), compile_keys[i]) == NULL)
            fail_test("compile.%s is missing", compile_keys[i]);
    close_to(json_get(json_get(file.root, "compile"), "registers")->valuedouble, 40);
    close_to(json_get(json_get(file.root, "compile"), "shared_bytes")->valuedouble, 99);
    const cJSON *percentile = json_get(json_get(file.root, "percentile"), "references");
    close_to(json_get(percentile, "value")->valuedouble, 100);
    assert_int_equal(cJSON_GetArraySize(json_get(percentile, "interval")), 2);
    assert_null(json_get(json_get(json_get(file.root, "percentile"), "class"), "value"));
    json_free(&file);
    forget_samples(cases, 1);
}

/* A double may lose its last bit on the way to milliseconds. */
static void a_measured_time_shows_how_it_was_measured(void **state)
{
    CaseSample samples[] = {{.event_s = 1e-3, .host_s = 1.006e-3, .block = 0},
                            {.event_s = 2e-3, .host_s = 3e-3, .block = 1},
                            {.event_s = 3e-3, .host_s = 4e-3, .block = 2}};
    CaseResult cases[] = {made_up_case(CASE_TIMED, "a", VERDICT_ACCEPTED)};
    BlockConditions blocks[] = {{.sm_clock_mhz = 1980, .temperature_c = 41}, {.disturbance = "so"}};
    cases[0].samples = samples;
    cases[0].sample_count = 3;
    Result result = made_up_result(cases, 1);
    result.device.clock_gap_s = 7e-6;
    result.blocks = blocks;
    result.block_count = 2;
    result.anchor = (AnchorTimes){.name = "naive.cu", .before_ms = 2, .after_ms = 2.02, .drift = 0.01};
    result.seconds.check = 3;
    result.seconds.wait = 4;
    result_time_case(&cases[0], &result.device);
    JsonFile file = as_json(&result);
    has_number(file.root, "clock_gap_us", 7);
    has_number(json_get(file.root, "seconds"), "check", 3);
    has_number(json_get(file.root, "seconds"), "wait", 4);
    const cJSON *anchor = json_get(file.root, "anchor"), *list = json_get(file.root, "blocks");
    assert_string_equal(json_string(anchor, "name"), "naive.cu");
    has_number(anchor, "before_ms", 2);
    has_number(anchor, "after_ms", 2.02);
    has_number(anchor, "drift", 0.01);
    assert_int_equal(cJSON_GetArraySize(list), 2);
    has_number(cJSON_GetArrayItem(list, 0), "sm_clock_mhz", 1980);
    has_number(cJSON_GetArrayItem(list, 0), "temperature_c", 41);
    assert_null(json_get(cJSON_GetArrayItem(list, 0), "disturbance"));
    assert_string_equal(json_string(cJSON_GetArrayItem(list, 1), "disturbance"), "so");
    const cJSON *item = cJSON_GetArrayItem(json_get(file.root, "cases"), 0);
    const cJSON *sample = cJSON_GetArrayItem(json_get(item, "samples"), 2);
    has_number(item, "time_ms", 2.993);
    has_number(item, "min_ms", 0.999);
    has_number(item, "p5_ms", 1.1984); /* a tenth of the way from the first to the second of three */
    has_number(item, "p95_ms", 3.893);
    assert_non_null(json_get(item, "variation"));
    assert_string_equal(json_string(item, "clock"), "host");
    has_number(sample, "event_ms", 3);
    has_number(sample, "host_ms", 4);
    has_number(sample, "block", 2);
    json_free(&file);
}

static void a_modelled_time_says_nothing_about_clocks(void **state)
{
    static const char *const absent[] = {"clock_gap_us", "anchor", "blocks"};
    static const char *const absent_of_case[] = {"min_ms", "p5_ms", "p95_ms", "variation", "clock"};
    CaseResult cases[] = {made_up_timed_case("a", 1e-3)};
    Result result = made_up_result(cases, 1);
    result_time_case(&cases[0], &result.device);
    JsonFile file = as_json(&result);
    const cJSON *item = cJSON_GetArrayItem(json_get(file.root, "cases"), 0);
    for (size_t i = 0; i < COUNT_OF(absent); i++)
        assert_null(json_get(file.root, absent[i]));
    for (size_t i = 0; i < COUNT_OF(absent_of_case); i++)
        assert_null(json_get(item, absent_of_case[i]));
    assert_null(json_get(json_get(file.root, "seconds"), "check"));
    assert_null(json_get(cJSON_GetArrayItem(json_get(item, "samples"), 0), "block"));
    json_free(&file);
    forget_samples(cases, 1);
}

static void a_warning_is_given_once(void **state)
{
    Result result = {0};
    for (int i = 0; i < 100; i++)
        result_warn(&result, "number %d", i % 2);
    assert_int_equal(result.warning_count, 2);
    for (int i = 0; i < 100; i++)
        result_warn(&result, "number %d", i);
    assert_int_equal(result.warning_count, RESULT_MAX_WARNINGS);
    result_free(&result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_case_takes_the_median_of_its_samples),
        cmocka_unit_test(a_modelled_time_says_how_far_off_its_kind_may_be),
        cmocka_unit_test(each_doubt_has_its_words),
        cmocka_unit_test(the_terms_of_a_score_are_the_means_of_its_cases),
        cmocka_unit_test(what_this_host_adds_to_a_call_is_taken_off),
        cmocka_unit_test(the_score_is_the_geometric_mean_of_the_timed_cases),
        cmocka_unit_test(the_drift_of_the_anchor_is_part_of_the_uncertainty),
        cmocka_unit_test(a_disturbed_block_or_a_drifting_anchor_is_unsteady),
        cmocka_unit_test(what_a_sample_of_blocks_leaves_open_is_part_of_the_uncertainty),
        cmocka_unit_test(what_is_recorded_gives_the_same_times_again),
        cmocka_unit_test(a_timed_case_without_a_time_leaves_no_score),
        cmocka_unit_test(an_unmeasured_device_leaves_no_roofline),
        cmocka_unit_test(the_failed_case_is_the_first_that_was_judged),
        cmocka_unit_test(a_hidden_case_gives_no_data_away),
        cmocka_unit_test(a_sample_case_gives_all_of_it),
        cmocka_unit_test(result_json_has_what_is_promised),
        cmocka_unit_test(a_measured_time_shows_how_it_was_measured),
        cmocka_unit_test(a_modelled_time_says_nothing_about_clocks),
        cmocka_unit_test(a_warning_is_given_once),
    };
    return cmocka_run_group_tests_name("result", tests, NULL, NULL);
}
