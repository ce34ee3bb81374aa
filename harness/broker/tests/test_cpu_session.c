#include "base/tests/refusal.h"

#include "base/scratch.h"
#include "harness/broker/gpu_session.h"
#include "harness/compile/compile.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Whole sessions with tiny baselines: void solve(const float *in, float *out, int n), where an honest one doubles. */

enum { COUNT = 5000 };

static char scratch[4096];

#define SOLVE(body) "void solve(const float *in, float *out, int n) {\n" body "\n}\n"
#define HONEST SOLVE("for (int i = 0; i < n; i++) out[i] = 2 * in[i];")

static const CallLimits LIMITS = {.host_bytes = 256 << 20, .wall_seconds = 20};
static const CallLimits IMPATIENT = {.host_bytes = 256 << 20, .wall_seconds = 0.3};

static void compile(const char *source, Compiled *compiled)
{
    static const char *const types[] = {"const float*", "float*", "int"};
    const CompileJob job = {.file_name = "test.c",
                            .source = source,
                            .source_bytes = strlen(source),
                            .prototype = "void solve(const float* in, float* out, int n)",
                            .parameter_types = types,
                            .parameter_count = 3};
    Message why;
    if (compile_for_cpu(&job, scratch, compiled, &why) != STATUS_OK)
        fail_test("the judge failed: %s", why.text);
}

typedef struct Run {
    Session *session;
    Compiled compiled;
    SessionArgument arguments[3];
    CallReport report;
} Run;

static void start(Run *run, const char *source, const CallLimits *limits)
{
    Message why;
    *run = (Run){
        .arguments = {{.name = "in", .role = ARGUMENT_INPUT, .bytes = COUNT * sizeof(float)},
                      {.name = "out", .role = ARGUMENT_OUTPUT, .bytes = COUNT * sizeof(float), .float_output = true},
                      {.name = "n", .role = ARGUMENT_VALUE, .value = COUNT}}};
    compile(source, &run->compiled);
    if (run->compiled.outcome != COMPILE_OK)
        fail_test("compiling: %s", run->compiled.diagnostics.data);
    if (session_open("cpu", &run->session, &why) != STATUS_OK ||
        session_load(run->session, &run->compiled, limits, &run->report, &why) != STATUS_OK ||
        session_buffers(run->session, run->arguments, 3, &why) != STATUS_OK)
        fail_test("the judge failed: %s", why.text);
}

static Status try_call(Run *run, Message *why)
{
    const CallOptions options = {.check_inputs = true};
    return session_call(run->session, run->arguments, 3, &options, &run->report, why);
}

static void call(Run *run, float first)
{
    Message why;
    for (int i = 0; i < COUNT; i++)
        ((float *)run->arguments[0].data)[i] = first + (float)i;
    text_free(&run->report.printed);
    if (try_call(run, &why) != STATUS_OK)
        fail_test("the judge failed: %s", why.text);
}

static void end(Run *run)
{
    session_close(run->session);
    compiled_free(&run->compiled);
    text_free(&run->report.printed);
}

static void is_doubled(const Run *run)
{
    const float *in = run->arguments[0].data, *out = run->arguments[1].data;
    assert_int_equal(run->report.outcome, CALL_OK);
    for (int i = 0; i < COUNT; i++)
        assert_true(out[i] == 2 * in[i]);
}

static void run_once(Run *run, const char *source, const CallLimits *limits)
{
    start(run, source, limits);
    assert_int_equal(run->report.outcome, CALL_OK);
    call(run, 1);
}

static void an_honest_baseline_is_called_again_and_again(void **state)
{
    Run run;
    start(&run, HONEST, &LIMITS);
    for (int i = 0; i < 3; i++) {
        call(&run, (float)i);
        is_doubled(&run);
        assert_true(run.report.event_s > 0);
        assert_false(run.report.input_changed);
    }
    end(&run);
}

/* A static variable keeps its value from call to call, but not from size to size. */
static void each_size_has_a_process_of_its_own(void **state)
{
    Run run;
    Message why;
    start(&run, "static int calls;\n" SOLVE("calls++; for (int i = 0; i < n; i++) out[i] = calls;"), &LIMITS);
    for (int i = 0; i < 2; i++) {
        call(&run, 1);
        call(&run, 1);
        assert_true(((float *)run.arguments[1].data)[0] == 2);
        assert_int_equal(session_buffers(run.session, run.arguments, 3, &why), STATUS_OK);
    }
    end(&run);
}

static void there_is_no_device_to_profile_or_to_share(void **state)
{
    Run run;
    Message why;
    const ExecutionProfile *profile;
    start(&run, HONEST, &LIMITS);
    assert_true(run.session->traits.runs_c);
    assert_int_equal(run.session->traits.clock, SESSION_WALL);
    assert_int_equal(session_profile(run.session, &profile, &why), STATUS_UNSUPPORTED);
    assert_string_equal(why.text, "there are no kernels to profile");
    assert_int_equal(session_exchange(run.session, 0, &why), STATUS_UNSUPPORTED);
    pid_t pids[1];
    assert_int_equal(session_brokers(run.session, pids, 1), 0);
    end(&run);
}

static void openmp_and_posix_threads_are_there(void **state)
{
    Run run;
    run_once(&run,
             "#include <omp.h>\n#include <pthread.h>\n"
             "static void *nothing(void *result) { *(int *)result = 1; return NULL; }\n" SOLVE(
                 "int threads = 0, started = 0; pthread_t thread;\n"
                 "#pragma omp parallel num_threads(4) reduction(+:threads)\n    threads += 1;\n"
                 "pthread_create(&thread, NULL, nothing, &started); pthread_join(thread, NULL);\n"
                 "#pragma omp parallel for\n"
                 "for (int i = 0; i < n; i++) out[i] = 2 * in[i] * (threads == 4) * started;"),
             &LIMITS);
    is_doubled(&run);
    end(&run);
}

static void an_output_that_is_not_written_holds_the_poison(void **state)
{
    Run run;
    run_once(&run, SOLVE("out[0] = 1;"), &LIMITS);
    assert_int_equal(((uint32_t *)run.arguments[1].data)[1], run.arguments[1].poison_bits);
    assert_true(((float *)run.arguments[1].data)[0] == 1);
    assert_true(isnan(((float *)run.arguments[1].data)[1]));
    end(&run);
}

static void the_poison_of_bytes_is_random(void **state)
{
    uint8_t first[4] = {0};
    for (int i = 0; i < 2; i++) {
        Run run;
        start(&run, SOLVE("out[0] = 1;"), &LIMITS);
        run.arguments[1].float_output = false;
        call(&run, 1);
        const uint8_t *bytes = (const uint8_t *)run.arguments[1].data + 256;
        assert_true(i == 0 || memcmp(first, bytes, sizeof first) != 0); /* alike once in 2^32 runs */
        memcpy(first, bytes, sizeof first);
        end(&run);
    }
}

static void no_call_has_the_poison_of_another(void **state)
{
    const uint32_t of_x86 = 0x7FC00000, of_gpus = 0x7FFFFFFF; /* NaNs that arithmetic makes */
    uint32_t first = 0;
    size_t alike = 0;
    for (int i = 0; i < 4; i++) {
        Run run;
        run_once(&run, SOLVE("out[0] = 1;"), &LIMITS);
        const uint32_t bits = run.arguments[1].poison_bits;
        alike += bits == first;
        first = i == 0 ? bits : first;
        assert_true(bits != of_x86 && bits != of_gpus);
        end(&run);
    }
    assert_true(alike <= 1); /* two of 2^21 values may be equal by chance */
    assert_true(call_poison(0) != of_x86 && call_poison(UINT32_MAX) != (of_gpus | 0x80000000));
}

static void a_changed_input_is_seen_and_changes_nothing_here(void **state)
{
    Run run;
    run_once(&run, SOLVE("((float *)in)[7] = 0;"), &LIMITS);
    assert_true(run.report.input_changed);
    assert_true(((float *)run.arguments[0].data)[7] == 8);
    end(&run);
}

static void what_it_prints_is_kept(void **state)
{
    Run run;
    run_once(&run, "#include <stdio.h>\n" SOLVE("printf(\"%d elements\\n\", n); fflush(stdout);"), &LIMITS);
    assert_string_equal(run.report.printed.data, "5000 elements\n");
    end(&run);
}

static void a_baseline_that_does_not_return_is_an_outcome(void **state)
{
    static const struct Row {
        const char *source, *text;
        CallOutcome outcome;
    } rows[] = {
        {SOLVE("*(volatile int *)0 = 1;"), "ended by signal 11", CALL_RUN_TIME_ERROR},
        {"#include <stdlib.h>\n" SOLVE("exit(0);"), "ended with exit status 0", CALL_RUN_TIME_ERROR},
        {"#include <stdlib.h>\n" SOLVE("abort();"), "ended by signal 6", CALL_RUN_TIME_ERROR},
        {SOLVE("for (volatile int i = 0;; i++) { }"), "took longer than 0.3 s", CALL_TIME_LIMIT},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        Run run;
        Message why;
        run_once(&run, rows[i].source, &IMPATIENT);
        assert_int_equal(run.report.outcome, rows[i].outcome);
        assert_non_null(strstr(run.report.text, rows[i].text));
        assert_int_equal(try_call(&run, &why), STATUS_BAD_INPUT);
        end(&run);
    }
}

static void a_constructor_that_hangs_is_an_outcome(void **state)
{
    Run run;
    start(&run, "__attribute__((constructor)) static void wait(void) { for (volatile int i = 0;; i++) { } }\n" HONEST,
          &IMPATIENT);
    call(&run, 1);
    assert_int_equal(run.report.outcome, CALL_TIME_LIMIT);
    assert_non_null(strstr(run.report.text, "a constructor"));
    end(&run);
}

static Status ask_for_a_huge_array(Message *why)
{
    Session *session;
    SessionArgument huge = {.name = "in", .role = ARGUMENT_INPUT, .bytes = SIZE_MAX / 4};
    Status status = session_open("cpu", &session, why);
    return status == STATUS_OK ? session_buffers(session, &huge, 1, why) : status;
}

static void an_array_that_finds_no_memory_is_named(void **state)
{
    assert_string_equal(said_by_child(ask_for_a_huge_array),
                        "no memory for an array of 4611686018427387903 bytes: Cannot allocate memory");
}

static void an_object_that_cannot_be_loaded_is_named(void **state)
{
    Run run;
    start(&run, HONEST, &LIMITS);
    assert_int_equal(truncate(run.compiled.object_path, 100), 0);
    call(&run, 1);
    assert_int_equal(run.report.outcome, CALL_RUN_TIME_ERROR);
    assert_non_null(strstr(run.report.text, "the object cannot be loaded: "));
    end(&run);
}

/* The filter of system calls refuses more processes. */
static void it_may_start_no_process(void **state)
{
    Run run;
    run_once(&run,
             "#include <unistd.h>\n" SOLVE("int child = fork(); if (child == 0) for (;;) { }\n"
                                           "for (int i = 0; i < n; i++) out[i] = child < 0 ? 2 * in[i] : 0;"),
             &LIMITS);
    is_doubled(&run);
    end(&run);
}

static void what_the_compiler_refuses_has_a_line_of_the_students_file(void **state)
{
    static const struct Row {
        const char *source, *text;
    } rows[] = {
        {"int x = ;\n" HONEST, "test.c:1"},
        {"void solve(float *out, int n) { }\n", "test.c:1"},
        {"int nothing;\n", "solve"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        Compiled compiled;
        compile(rows[i].source, &compiled);
        assert_int_equal(compiled.outcome, COMPILE_ERROR);
        if (strstr(compiled.diagnostics.data, rows[i].text) == NULL)
            fail_test("%s", compiled.diagnostics.data);
        compiled_free(&compiled);
    }
}

static int make_scratch(void **state)
{
    Message why;
    return scratch_new(scratch, sizeof scratch, &why) == STATUS_OK ? 0 : -1;
}

static int remove_scratch(void **state)
{
    scratch_remove(scratch);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_honest_baseline_is_called_again_and_again),
        cmocka_unit_test(an_array_that_finds_no_memory_is_named),
        cmocka_unit_test(an_object_that_cannot_be_loaded_is_named),
        cmocka_unit_test(each_size_has_a_process_of_its_own),
        cmocka_unit_test(there_is_no_device_to_profile_or_to_share),
        cmocka_unit_test(openmp_and_posix_threads_are_there),
        cmocka_unit_test(an_output_that_is_not_written_holds_the_poison),
        cmocka_unit_test(the_poison_of_bytes_is_random),
        cmocka_unit_test(no_call_has_the_poison_of_another),
        cmocka_unit_test(a_changed_input_is_seen_and_changes_nothing_here),
        cmocka_unit_test(what_it_prints_is_kept),
        cmocka_unit_test(a_baseline_that_does_not_return_is_an_outcome),
        cmocka_unit_test(a_constructor_that_hangs_is_an_outcome),
        cmocka_unit_test(it_may_start_no_process),
        cmocka_unit_test(what_the_compiler_refuses_has_a_line_of_the_students_file),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
