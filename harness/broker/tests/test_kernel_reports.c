/* What a session reports of kernels: how they read an input, and what they did by source line. */
#include "harness/broker/tests/session_bench.h"

/* ---- probes ------------------------------------------------------------------------------------------------------ */

#define CONSTANT_KERNEL                                                                                                \
    "__constant__ float c_in[1000];\n"                                                                                 \
    "__global__ void twice(float *out, int n) {\n"                                                                     \
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"                                                             \
    "    if (i < n) out[i] = 2 * c_in[i];\n"                                                                           \
    "}\n"
#define CONSTANT_LAUNCH "cudaMemcpyToSymbol(c_in, in, n * sizeof(float)); twice<<<(n + 127) / 128, 128>>>(out, n);"

/* Input i is 1 + i / 1024. */
static void call_probed(Run *run, bool probed)
{
    Message why;
    float *input = run->arguments[0].data;
    run->arguments[0].probed = probed;
    text_free(&run->report.printed);
    for (int i = 0; i < COUNT; i++)
        input[i] = 1 + (float)i / 1024;
    check_status(session_call(run->session, run->arguments, 3, &CHECKING, &run->report, &why), &why);
    assert_int_equal(run->report.outcome, CALL_OK);
    assert_false(run->report.input_changed);
}

static void a_probed_input_is_another_in_constant_memory(void **state)
{
    Run run;
    load(&run, CONSTANT_KERNEL SOLVE(CONSTANT_LAUNCH), &LIMITS);
    const float *input = run.arguments[0].data, *output = run.arguments[1].data;
    call_probed(&run, true);
    for (int i = 0; i < COUNT; i++)
        assert_true(output[i] == 2 * call_probe_value(input[i]));
    assert_string_equal(run.report.direct_load, "");
    call_probed(&run, false);
    for (int i = 0; i < COUNT; i++)
        assert_true(output[i] == 2 * input[i]);
    finish(&run);
}

static void a_probe_tells_who_reads_the_input_itself(void **state)
{
    Run run;
    load(&run, HONEST_KERNEL SOLVE(LAUNCH), &LIMITS);
    const float *input = run.arguments[0].data, *output = run.arguments[1].data;
    call_probed(&run, true);
    for (int i = 0; i < COUNT; i++)
        assert_true(output[i] == 2 * input[i]);
    assert_non_null(strstr(run.report.direct_load, "kernel twice ("));
    call_probed(&run, false);
    assert_string_equal(run.report.direct_load, "");
    finish(&run);
}

/* ---- profiles ---------------------------------------------------------------------------------------------------- */

/* The judge's own copies before and after the call do not count. */
static void a_profile_tells_what_kernels_and_copies_did(void **state)
{
    Run run;
    Message why;
    const ExecutionProfile *profile;
    load(&run, HONEST_KERNEL SOLVE("float first; cudaMemcpy(&first, in, 4, cudaMemcpyDeviceToHost);" LAUNCH LAUNCH),
         &LIMITS);
    check_status(session_profile(run.session, &profile, &why), &why);
    for (int call = 0; call < 2; call++) { /* each call starts the profile anew */
        call_probed(&run, false);
        assert_int_equal(profile->kernel_count, 1);
        assert_string_equal(profile->kernels[0].name, "_Z5twicePKfPfi");
        assert_int_equal(profile->kernels[0].launches, 2);
        assert_int_equal(profile->kernels[0].counters.global_load_bytes, 2 * COUNT * sizeof(float));
        assert_int_equal(profile->host_copies.count, 1);
        assert_int_equal(profile->host_copies.bytes, 4);
        assert_int_equal(profile->device_copies.count, 0);
        SimCounters sum = {0};
        for (uint32_t i = 0; i < profile->line_count; i++)
            simgpu_counters_add(&sum, &profile->lines[i].counts.counters);
        assert_int_equal(sum.warp_instructions, profile->kernels[0].counters.warp_instructions);
        assert_int_equal(sum.global_load_sectors, profile->kernels[0].counters.global_load_sectors);
        assert_int_equal(profile->kernels_left_out + profile->lines_left_out, 0);
    }
    finish(&run);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_probed_input_is_another_in_constant_memory, no_child_is_left),
        cmocka_unit_test_teardown(a_probe_tells_who_reads_the_input_itself, no_child_is_left),
        cmocka_unit_test_teardown(a_profile_tells_what_kernels_and_copies_did, no_child_is_left),
    };
    if (argc > 1 && strcmp(argv[1], "broker") == 0) /* the session starts its own program as the broker */
        return broker_main(argc - 1, argv + 1);
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
