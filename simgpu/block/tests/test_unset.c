#include "simgpu/tests/sanitizer_kernels.h"

static const SanitizerRow rows[] = {
    {"sum_of_a_loop", 2, SIM_UNSET_VARIABLE, 2 * 128,
     "block (0,0,0), thread (0,0,0) uses a variable before it is set, 256 times in all (unset.cu:14)"},
    {"sum_of_a_loop_that_is_unrolled", 1, SIM_UNSET_VARIABLE, 128, "(unset.cu:22)"},
    {"sums_in_an_array", 1, SIM_UNSET_VARIABLE, 128, "(unset.cu:31)"},
    {"second_of_two_sums", 1, SIM_UNSET_VARIABLE, 128, "(unset.cu:40)"},
    {"set_in_one_branch", 1, SIM_UNSET_VARIABLE, 28,
     "thread (100,0,0) uses a variable before it is set, 28 times in all"},
    {"stored_into_a_tile", 1, SIM_UNSET_VARIABLE, 28, "(unset.cu:59)"},
    {"greatest", 1, SIM_UNSET_VARIABLE, 128, "(unset.cu:68)"},
    {"sum_in_double", 1, SIM_UNSET_VARIABLE, 128, "(unset.cu:77)"},
    {"one_of_four_channels", 1, SIM_UNSET_VARIABLE, 128, "(unset.cu:89)"},
    {"sum_by_reference", 1, SIM_UNSET_VARIABLE, 128, "(unset.cu:94)"},
    {"sum_of_a_warp", 1, SIM_UNSET_VARIABLE, 0, "(unset.cu:108)"},
    {"whole_number", 1, SIM_UNSET_VARIABLE, 128, "(unset.cu:118)"},
};

static SimReport run(const char *kernel, uint32_t blocks, int threads)
{
    return sanitizer_run_of("unset.ptx", kernel, blocks, threads, SIM_SANITIZE_UNINITIALISED, true, NULL);
}

static void each_use_of_an_unset_variable_is_found(void **state)
{
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        SimReport report = run(rows[i].kernel, rows[i].blocks, 2);
        if (report.finding_count != 1)
            fail_test("%s: %u findings", rows[i].kernel, report.finding_count);
        expect_finding(&rows[i], &report);
    }
}

static void a_variable_that_is_set_wherever_it_matters_is_not_reported(void **state)
{
    static const char *const kernels[] = {"used_under_the_same_condition", "thrown_away", "set_in_the_first_turn",
                                          "asked_only_where_it_is_set", "set_by_each_case"};
    for (size_t i = 0; i < COUNT_OF(kernels); i++) {
        SimReport report = run(kernels[i], 3, 2);
        expect_none(kernels[i], &report);
    }
}

/* What an unset variable holds is what memory holds that nothing has written, and nothing that happened before. */
static void unset_variables_hold_what_unwritten_memory_does(void **state)
{
    static float numbers[SANITIZER_THREADS];
    SimGpu *gpu = machine_new(0, 1);
    SimModule *module;
    SimReport report;
    uint64_t arrays[3];
    simgpu_set_uninitialised_bytes(gpu, 0x4D, 0x4D);
    for (size_t i = 0; i < COUNT_OF(arrays); i++)
        arrays[i] = machine_array(gpu, numbers, sizeof numbers);
    SimLaunch launch = {.function = machine_read(gpu, "unset.ptx", "set_in_one_branch", &module),
                        .shape.grid = {1, 1, 1},
                        .shape.block = {SANITIZER_THREADS, 1, 1},
                        .parameters = arrays};
    simgpu_launch(gpu, &launch, &report);
    assert_int_equal(report.outcome, SIM_OK);
    assert_int_equal(((const uint32_t *)at(arrays[1]))[99], 0);
    assert_int_equal(((const uint32_t *)at(arrays[1]))[100], 0x4D4D4D4D);
    simgpu_module_unload(gpu, module);
    simgpu_free(gpu);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_use_of_an_unset_variable_is_found),
        cmocka_unit_test(a_variable_that_is_set_wherever_it_matters_is_not_reported),
        cmocka_unit_test(unset_variables_hold_what_unwritten_memory_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
