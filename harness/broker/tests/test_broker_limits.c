/* Limits of the broker that take long to reach, made small. */
#include "harness/broker/tests/session_bench.h"

/* Memory that is refused leaves gaps that are smaller than what is asked for next. */
static const char SOURCE[] = HONEST_KERNEL SOLVE(
    "void *space;\n"
    "cudaEvent_t event;\n"
    "cudaTextureObject_t texture;\n"
    "cudaTextureDesc how = {};\n"
    "cudaResourceDesc resource = {};\n"
    "resource.resType = cudaResourceTypeLinear;\n"
    "resource.res.linear.devPtr = out;\n"
    "resource.res.linear.desc = cudaCreateChannelDesc<float>();\n"
    "resource.res.linear.sizeInBytes = 1024;\n"
    "switch (n) {\n"
    "case 0: for (int i = 0; i < 3000; i++) cudaMemsetAsync(out, 0, 4); break;\n"
    "case 1: cudaMalloc(&space, 1 << 26); for (int i = 0; i < 40; i++) cudaMemset(space, i, 1 << 26); break;\n"
    "case 2: for (int i = 0; i < 60000; i++) {\n"
    "    if (i < 4000) cudaMalloc(&space, i < 60 ? 1 << 20 : 256);\n"
    "    cudaEventCreate(&event);\n"
    "    cudaCreateTextureObject(&texture, &resource, &how, nullptr);\n"
    "} }\n"
    "cudaDeviceSynchronize();");

static Compiled compiled;

/* The broker is this program again, which lowers its limits to these before it begins. */
static void call_within(const char *limits, int which, CallOutcome outcome, MistakeKind mistake, const char *text)
{
    CallLimits large = LIMITS;
    Run run = {.arguments = {{.name = "in", .role = ARGUMENT_INPUT, .bytes = COUNT * sizeof(float)},
                             {.name = "out", .role = ARGUMENT_OUTPUT, .bytes = COUNT * sizeof(float)},
                             {.name = "n", .role = ARGUMENT_VALUE, .value = (uint64_t)which}}};
    Message why;
    large.device_bytes = 100 << 20;
    large.host_seconds = 50; /* a busy machine takes some of them */
    large.wall_seconds = 60;
    setenv("LIMITS", limits, 1);
    check_status(session_open("sim", &run.session, &why), &why);
    check_status(session_load(run.session, &compiled, &large, &run.report, &why), &why);
    if (run.report.outcome == CALL_OK) { /* a little memory is used up before solve() begins */
        check_status(session_buffers(run.session, run.arguments, 3, &why), &why);
        call(&run);
    }
    if (run.report.outcome != outcome || strcmp(run.report.text, text) != 0 || run.report.mistake.kind != mistake)
        fail_test("limits %s: outcome %d, mistake %d: %s %s", limits, run.report.outcome, run.report.mistake.kind,
                  run.report.text, run.report.first_error.text);
    finish(&run);
}

static void cuda_calls_without_end_exceed_the_time(void **state)
{
    call_within("2000 60 100", 0, CALL_TIME_LIMIT, MISTAKE_TOO_MANY_CALLS,
                "more than 2000 CUDA calls in one call of solve()");
    assert_string_equal(mistake_words(MISTAKE_TOO_MANY_CALLS), "solve() makes too many CUDA calls, or copies too much");
    call_within("4000 60 100", 0, CALL_OK, MISTAKE_NONE, "");
}

static void copies_without_end_exceed_the_time(void **state)
{
    call_within("2000 0.1 500", 1, CALL_TIME_LIMIT, MISTAKE_TOO_MANY_CALLS,
                "copies and other CUDA calls took the simulated GPU more than 0.1 s in one call of solve()");
}

static void what_takes_all_memory_of_the_broker_exceeds_the_memory(void **state)
{
#ifdef __SANITIZE_ADDRESS__
    skip(); /* its shadow memory is larger than any limit */
#endif
    static const char *const limits[] = {"100000 60 10", "100000 60 30", "100000 60 40", "100000 60 50",
                                         "100000 60 60", "100000 60 70", "100000 60 80"};
    for (size_t i = 0; i < COUNT_OF(limits); i++)
        call_within(limits[i], 2, CALL_MEMORY_LIMIT, MISTAKE_DEVICE_MEMORY,
                    "what it asked the simulated GPU for took too much of the judge's memory");
}

static int compile_once(void **state)
{
    if (set_up(state) != 0)
        return -1;
    compile(SOURCE, &compiled);
    return 0;
}

static int tear_all_down(void **state)
{
    compiled_free(&compiled);
    return tear_down(state);
}

static int serve_within_limits(int argc, char **argv)
{
    double mebibytes = 0;
    if (sscanf(getenv("LIMITS"), "%lf %lf %lf", &broker_most.requests, &broker_most.serving_seconds, &mebibytes) != 3)
        return 3;
    broker_most.per_device_byte = 0;
    broker_most.own_bytes = (unsigned long long)mebibytes << 20;
    return broker_main(argc, argv);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(cuda_calls_without_end_exceed_the_time, no_child_is_left),
        cmocka_unit_test_teardown(copies_without_end_exceed_the_time, no_child_is_left),
        cmocka_unit_test_teardown(what_takes_all_memory_of_the_broker_exceeds_the_memory, no_child_is_left),
    };
    if (argc > 1 && strcmp(argv[1], "broker") == 0)
        return serve_within_limits(argc - 1, argv + 1);
    return cmocka_run_group_tests(tests, compile_once, tear_all_down);
}
