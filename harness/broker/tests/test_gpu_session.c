#include "harness/broker/tests/session_bench.h"

#include "base/clock.h"

#include <signal.h>

/* ---- honest submissions ------------------------------------------------------------------------------------------ */

static void an_honest_submission_is_called_again_and_again(void **state)
{
    Run run;
    load_and_call(&run, HONEST_KERNEL SOLVE(LAUNCH "cudaDeviceSynchronize();"));
    for (int i = 0; i < 3; i++) {
        assert_string_equal(run.report.text, "");
        assert_int_equal(run.report.outcome, CALL_OK);
        assert_true(output_is_twice_the_input(&run));
        assert_int_equal(run.report.first_error.error, 0);
        assert_int_equal(run.report.output_origin, ORIGIN_KERNELS);
        assert_false(run.report.input_changed);
        assert_false(run.report.pending_at_return);
        assert_int_equal(run.report.statistics.kernels, 1);
        assert_true(run.report.event_s > 0);
        call(&run);
    }
    finish(&run);
}

/* Compiling costs a second: the bodies of many solve() become cases of one, chosen by its last parameter. */
static void write_cases(const char *const *bodies, size_t stride, size_t count, Text *source)
{
    text_add(
        source,
        "#include <csignal>\n#include <cstring>\n#include <cstdio>\n#include <cstdlib>\n#include <unistd.h>\n#include <vector>\n" HONEST_KERNEL
        "__global__ void spin(float *p) { while (p[0] != 1) p[1] = 2; }\n"
        "extern \"C\" void solve(const float *in, float *out, int which) {\n"
        "    const int n = 1000;\n"
        "    switch (which) {\n");
    for (size_t i = 0; i < count; i++)
        text_printf(source, "    case %zu: { %s } break;\n", i,
                    *(const char *const *)((const char *)bodies + i * stride));
    text_add(source, "    }\n}\n");
}

#define READ "float h[1000]; cudaMemcpy(h, in, sizeof h, cudaMemcpyDeviceToHost);"

/* Without data of the call, work of the host is free; what it does with data delays what comes after. */
static void work_of_the_host_is_charged_once_it_has_data(void **state)
{
    static const struct {
        const char *body;
        bool is_charged;
    } cases[] = {
        {"work(0.04);" LAUNCH, false},
        {READ LAUNCH, false},
        {READ LAUNCH "work(0.04);", false},
        {READ "work(0.04);" LAUNCH, true},
        {READ "std::thread other(work, 0.02); work(0.02); other.join();" LAUNCH, true},
        {LAUNCH READ "work(0.02);" LAUNCH "work(0.02);" LAUNCH, true},
        {"void *own; cudaMallocManaged(&own, 4); cudaDeviceSynchronize(); work(0.04);" LAUNCH "cudaFree(own);", true},
    };
    Text source = {0};
    Run run;
    text_add(&source, "#include <ctime>\n#include <thread>\n"
                      "static double now() { timespec t; clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);"
                      " return t.tv_sec + 1e-9 * t.tv_nsec; }\n"
                      "static void work(double seconds) { for (double start = now(); now() - start < seconds;) {} }\n");
    write_cases(&cases[0].body, sizeof *cases, COUNT_OF(cases), &source);
    load(&run, source.data, &LIMITS);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        run.arguments[2].value = i;
        call(&run);
        assert_string_equal(run.report.text, "");
        double s = run.report.event_s;
        if (cases[i].is_charged ? !(s > 0.033 && s < 0.08) : !(s < 0.001)) /* 6 ms are free on a busy machine */
            fail_test("%s: %g s", cases[i].body, s);
    }
    text_free(&source);
    finish(&run);
}

static void what_a_call_did_is_reported(void **state)
{
    needs_nvcc(&toolkit); /* clang's subset has no handles between processes */
    static const struct {
        const char *body;
        bool twice, poison, changed, pending, refused;
        CudaError error;
        const char *error_text;
    } cases[] = {
        {.body = LAUNCH, .twice = true, .pending = true},
        {.body = LAUNCH "cudaStreamSynchronize(0);", .twice = true},
        {.body = "", .poison = true},
        {.body = LAUNCH "cudaMemset((void *)in, 1, 4);", .twice = true, .changed = true, .pending = true},
        {.body = "twice<<<1, 2048>>>(in, out, n);",
         .poison = true,
         .error = 1,
         .error_text =
             "launch of twice<<<(1,1,1),(2048,1,1)>>>: invalid argument (2048 threads per block, at most 1024)"},
        {.body = "twice<<<0, 128>>>(in, out, n);",
         .poison = true,
         .error = 1,
         .error_text = "launch of twice<<<(0,1,1),(128,1,1)>>>: invalid argument (0 in grid.x, at least 1)"},
        {.body = "void *p; cudaMalloc(&p, 2 << 20);" LAUNCH,
         .twice = true,
         .refused = true,
         .pending = true,
         .error = 2,
         .error_text = "cudaMalloc: out of memory"},
        {.body = LAUNCH "cudaMemcpy(out + n - 1, in, 8, cudaMemcpyDefault);",
         .twice = true,
         .pending = true,
         .error = 1,
         .error_text = "cudaMemcpy: invalid argument"},
        {.body = LAUNCH "cudaFree(out);",
         .twice = true,
         .pending = true,
         .error = 1,
         .error_text = "cudaFree: invalid argument"},
        {.body = LAUNCH "cudaIpcMemHandle_t h; cudaIpcGetMemHandle(&h, out); cudaFree(out);",
         .twice = true,
         .pending = true,
         .error = 801,
         .error_text = "cudaIpcGetMemHandle: operation not supported (this judge does not provide it)"},
    };
    Text source = {0};
    Run run;
    write_cases(&cases[0].body, sizeof cases[0], COUNT_OF(cases), &source);
    load(&run, source.data, &LIMITS);
    text_free(&source);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const CallReport *report = &run.report;
        run.arguments[2].value = i;
        call(&run);
        if (report->outcome != CALL_OK)
            fail_test("%s: %s", cases[i].body, report->text);
        if (output_is_twice_the_input(&run) != cases[i].twice || output_is_poison(&run) != cases[i].poison)
            fail_test("%s: unexpected output", cases[i].body);
        if (report->input_changed != cases[i].changed || report->pending_at_return != cases[i].pending ||
            report->allocation_refused != cases[i].refused)
            fail_test("%s: changed %d, pending %d, refused %d", cases[i].body, report->input_changed,
                      report->pending_at_return, report->allocation_refused);
        if (report->first_error.error != cases[i].error ||
            strcmp(report->first_error.text, cases[i].error_text == NULL ? "" : cases[i].error_text) != 0)
            fail_test("%s: error %d, %s", cases[i].body, report->first_error.error, report->first_error.text);
    }
    finish(&run);
}

/* Each line of solve() prints what a student's program would see. */
static void the_runtime_answers_as_cuda_does(void **state)
{
    static const char source[] = HONEST_KERNEL
        "#include <cstdio>\n"
        "#include <cstring>\n"
        "__constant__ float c[8]; __device__ int d[4]; __managed__ int m;\n"
        "__global__ void fill(int *p, int v) { p[threadIdx.x] = v + threadIdx.x; }\n"
        "__global__ void __launch_bounds__(64) bounded() {}\n"
        "__global__ void dynamic(float *p) { extern __shared__ float s[]; s[threadIdx.x] = 1; p[0] = s[0]; }\n"
        "#define SAY(e) printf(\"%d: %s = %d\\n\", __LINE__, #e, (int)(e))\n" SOLVE(
            "int h[4] = {1, 2, 3, 4}, g[4]; int *p, *q; size_t size; void *a; float ms; int v;\n"
            "SAY(cudaGetLastError() == 0);\n"
            "SAY(cudaMalloc(&p, 16) == 0);\n"
            "SAY(cudaMemcpy(p, h, 16, cudaMemcpyHostToDevice) == 0);\n"
            "SAY(cudaMemcpy(g, p, 16, cudaMemcpyDeviceToHost) == 0 && memcmp(g, h, 16) == 0);\n"
            "SAY(cudaMemcpy(g, p, 20, cudaMemcpyDefault) == 1 && cudaGetLastError() == 1 && cudaGetLastError() == 0);\n"
            "SAY(cudaMemcpy(g, h, 16, cudaMemcpyHostToDevice) == 1);\n"
            "SAY(cudaMemcpy(p, 0, 4, cudaMemcpyHostToDevice) == 1);\n"
            "SAY(cudaMemcpy(p, h, 4, (cudaMemcpyKind)9) == 21);\n"
            "SAY(cudaMemcpyToSymbol(c, in, 32) == 0);\n"
            "SAY(cudaMemcpyToSymbol(c, in, 36) == 1);\n"
            "SAY(cudaMemcpyToSymbol((const void *)h, in, 4) == 13);\n"
            "SAY(cudaMemcpyToSymbol(d, h, 8, 8) == 0 && cudaMemcpyFromSymbol(g, d, 8, 8) == 0 && g[1] == 2);\n"
            "SAY(cudaGetSymbolSize(&size, c) == 0 && size == 32 && cudaGetSymbolAddress(&a, d) == 0);\n"
            "SAY(cudaMemset(p, 1, 16) == 0 && cudaMemcpy(g, p, 16, cudaMemcpyDefault) == 0 && g[3] == 0x01010101);\n"
            "fill<<<1, 4>>>(p, 7);\n"
            "SAY(cudaMemcpy(g, p, 16, cudaMemcpyDefault) == 0 && g[3] == 10);\n"
            "twice<<<1, 2048>>>(in, out, n);\n"
            "SAY(cudaPeekAtLastError() == 1 && cudaGetLastError() == 1 && cudaGetLastError() == 0);\n"
            "bounded<<<1, 128>>>();\n"
            "SAY(cudaGetLastError() == 1);\n"
            "dynamic<<<1, 32, 60000>>>(out);\n"
            "SAY(cudaGetLastError() == 1);\n"
            "SAY(cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 60000) == 0);\n"
            "dynamic<<<1, 32, 60000>>>(out);\n"
            "SAY(cudaGetLastError() == 0);\n"
            "void *args[] = {&in, &out, &n};\n"
            "SAY(cudaLaunchKernel((const void *)twice, dim3(8), dim3(128), args, 0, 0) == 0);\n"
            "SAY(cudaLaunchKernel((const void *)printf, dim3(8), dim3(128), args, 0, 0) == 400);\n"
            "cudaStream_t s; cudaEvent_t e, f, u;\n"
            "SAY(cudaStreamCreate(&s) == 0 && cudaEventCreate(&e) == 0 && cudaEventCreate(&f) == 0);\n"
            "SAY(cudaEventCreateWithFlags(&u, cudaEventDisableTiming) == 0);\n"
            "SAY(cudaEventElapsedTime(&ms, e, f) == 400);\n"
            "SAY(cudaEventRecord(e, s) == 0);\n"
            "fill<<<1, 4, 0, s>>>(p, 9);\n"
            "SAY(cudaEventRecord(f, s) == 0 && cudaStreamWaitEvent(0, f, 0) == 0);\n"
            "SAY(cudaStreamQuery(s) % 600 == 0 && cudaStreamQuery(s) == 0);\n"
            "SAY(cudaEventSynchronize(f) == 0 && cudaEventElapsedTime(&ms, e, f) == 0 && ms > 0 && ms < 1);\n"
            "SAY(cudaEventRecord(u) == 0 && cudaDeviceSynchronize() == 0 && cudaEventElapsedTime(&ms, e, u) == 400);\n"
            "SAY(cudaStreamSynchronize(s) == 0 && cudaStreamDestroy(s) == 0 && cudaStreamDestroy(s) == 400);\n"
            "SAY(cudaEventDestroy(e) == 0 && cudaEventDestroy(e) == 400 && cudaStreamDestroy(0) == 400);\n"
            "SAY(cudaMallocManaged(&q, 16) == 0 && (q[0] = 5) == 5);\n"
            "fill<<<1, 4>>>(q, q[0]);\n"
            "SAY(cudaDeviceSynchronize() == 0 && q[3] == 8 && cudaFree(q) == 0);\n"
            "cudaDeviceProp prop;\n"
            "SAY(cudaGetDeviceProperties(&prop, 0) == 0 && prop.warpSize == 32 && prop.maxThreadsPerBlock == 1024);\n"
            "SAY(cudaGetDeviceProperties(&prop, 1) == 101 && cudaSetDevice(1) == 101 && cudaSetDevice(0) == 0);\n"
            "SAY(cudaDeviceGetAttribute(&v, cudaDevAttrMultiProcessorCount, 0) == 0 && v == prop.multiProcessorCount);\n"
            "cudaFuncAttributes attributes;\n"
            "SAY(cudaFuncGetAttributes(&attributes, bounded) == 0 && attributes.maxThreadsPerBlock == 64);\n"
            "SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&v, twice, 256, 0) == 0 && v == 8);\n"
            "SAY(cudaMalloc(&q, 0) == 0 && q == 0 && cudaFree(0) == 0 && cudaFree(p) == 0 && cudaFree(p) == 1);\n"
            "SAY(cudaMallocHost(&q, 64) == 0 && (q[15] = 1) == 1 && cudaFreeHost(q) == 0 && cudaFreeHost(q) == 1);\n"
            "SAY(cudaMallocPitch(&p, &size, 1000, 10) == 0 && size == 1024 && cudaFree(p) == 0);\n"
            "cudaPointerAttributes where;\n"
            "SAY(cudaPointerGetAttributes(&where, in) == 0 && where.type == cudaMemoryTypeDevice);\n"
            "SAY(cudaPointerGetAttributes(&where, h) == 0 && where.type == cudaMemoryTypeUnregistered);\n"
            "SAY(strcmp(cudaGetErrorName((cudaError_t)700), \"cudaErrorIllegalAddress\") == 0);\n");
    Run run;
    load_and_call(&run, source);
    assert_string_equal(run.report.text, "");
    assert_true(output_is_twice_the_input(&run));
    int asked = -1, answered = 0; /* one stands in the definition */
    for (const char *at = source; (at = strstr(at, "SAY(")) != NULL; at++)
        asked++;
    for (char *line = strtok(run.report.printed.data, "\n"); line != NULL; line = strtok(NULL, "\n"), answered++)
        if (strcmp(line + strlen(line) - 4, " = 1") != 0)
            fail_test("%s", line);
    assert_int_equal(answered, asked);
    finish(&run);
}

/* ---- submissions that fail --------------------------------------------------------------------------------------- */

typedef struct Failure {
    const char *code; /* the body of solve(), or a whole source */
    CallOutcome outcome;
    const char *text;    /* the report's text contains it */
    const char *printed; /* so does what was printed */
} Failure;

static void check_failure(const Failure *expected, const CallReport *report)
{
    if (report->outcome != expected->outcome || report->text[0] == '\0' || strstr(report->text, expected->text) == NULL)
        fail_test("%s: outcome %d: %s", expected->code, report->outcome, report->text);
    if (expected->printed != NULL &&
        (report->printed.data == NULL || strstr(report->printed.data, expected->printed) == NULL))
        fail_test("%s: printed %s", expected->code, report->printed.data);
}

static void each_way_to_fail_has_its_outcome(void **state)
{
    needs_nvcc(&toolkit); /* clang puts arrays and checks of the stack elsewhere */
    static const Failure cases[] = {
        {"*(volatile int *)8 = 1;", CALL_RUN_TIME_ERROR,
         "solve() did not return: the process was ended by signal 11 (Segmentation fault): host code followed a null pointer "
         "(submission.cu:",
         NULL},
        {"out[0] = in[0];", CALL_RUN_TIME_ERROR, "signal 11 (Segmentation fault): host code followed a device pointer",
         NULL},
        {"memcpy(out, in, 4);", CALL_RUN_TIME_ERROR,
         "which only kernels and cudaMemcpy() can use (submission.cu:", NULL},
        {"volatile int z = 0; z = n / z;", CALL_RUN_TIME_ERROR,
         "(Floating point exception): host code divided an integer by zero, or the least integer by -1 (submission.cu:",
         NULL},
        {"*(volatile char *)alloca(65536ul * n) = 1;", CALL_RUN_TIME_ERROR,
         "host code used up the stack: recursion without end, or arrays too large for it (submission.cu:", NULL},
        {"std::vector<int> v(1); v.at((size_t)n + 1) = 1;", CALL_RUN_TIME_ERROR,
         "(Aborted): host code called abort(), or threw an exception that nothing caught (submission.cu:", NULL},
        {"int few[4] = {n}; few[n] = 1; out += few[n - 1];", CALL_RUN_TIME_ERROR,
         "host code executed an instruction that only ends the program: mostly for an element beyond the end of an array "
         "or before its start, else for a function that ends without its return, or a __builtin_trap() (submission.cu:",
         NULL},
        {"if (n > 0) __builtin_trap();", CALL_RUN_TIME_ERROR, "or a __builtin_trap() (submission.cu:", NULL},
        {"raise(SIGFPE);", CALL_RUN_TIME_ERROR, "was ended by signal 8 (Floating point exception)", NULL},
        {"_exit(n & 1);", CALL_RUN_TIME_ERROR, "host code called exit() or _exit() (submission.cu:", NULL},
        {"_Exit(3);", CALL_RUN_TIME_ERROR, "exit status 3: host code called exit() or _exit() (submission.cu:", NULL},
        {"char few[4]; memset(few, 1, 16ul + n % 2); asm volatile(\"\" : : \"r\"(few) : \"memory\");",
         CALL_RUN_TIME_ERROR,
         "host code wrote beyond the end of an array, or freed memory that it had not allocated (submission.cu:", NULL},
        {"void *volatile p = malloc(24); free(p); free(p);", CALL_RUN_TIME_ERROR,
         "host code wrote beyond the end of an array, or freed memory that it had not allocated (submission.cu:", NULL},
        {"*(volatile int *)(n - n) = 1;", CALL_RUN_TIME_ERROR, "followed a null pointer", NULL},
        {"raise(SIGSEGV);", CALL_RUN_TIME_ERROR, "signal 11 (Segmentation fault)", NULL},
        {"abort();", CALL_RUN_TIME_ERROR, "signal 6 (Aborted)", NULL},
        {"puts(\"Accepted \\033[32m\"); exit(0);", CALL_RUN_TIME_ERROR,
         "solve() did not return: the process ended with exit status 0", "Accepted ?[32m"},
        {"for (volatile int i = 0;; i++) {}", CALL_TIME_LIMIT,
         "the host code kept the device waiting for more than 1 s", NULL},
        {"sleep(100);", CALL_TIME_LIMIT, "the host code kept the device waiting for more than 1 s", NULL},
        {"for (;;) cudaMemset(out, 0, 4);", CALL_TIME_LIMIT, "", NULL},
        {"for (;;) fork();", CALL_TIME_LIMIT, "", NULL},
        {"std::vector<char> v((size_t)1 << 30, 1); out += v[n];", CALL_MEMORY_LIMIT,
         "more memory than its limit of 256 MiB", "bad_alloc"},
        {"twice<<<1, 32>>>(in, out + (1 << 28), n); cudaDeviceSynchronize();", CALL_RUN_TIME_ERROR, "twice", NULL},
        {"twice<<<1, 32>>>(in, out + (1 << 28), n); if (cudaDeviceSynchronize()) exit(1);", CALL_RUN_TIME_ERROR,
         "twice", NULL},
        {"float h; twice<<<1, 32>>>(&h, out, n);", CALL_RUN_TIME_ERROR, "twice", NULL},
        {"spin<<<1, 32>>>(out); cudaDeviceSynchronize();", CALL_TIME_LIMIT, "", NULL},
    };
    CallLimits limits = LIMITS;
    Text source = {0};
    Message why;
    Run run;
    limits.wall_seconds = 3;
    write_cases(&cases[0].code, sizeof cases[0], COUNT_OF(cases), &source);
    load(&run, source.data, &limits);
    text_free(&source);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        run.arguments[2].value = i;
        call(&run);
        check_failure(&cases[i], &run.report);
        text_free(&run.report.printed);
        check_status(session_load(run.session, &run.compiled, &limits, &run.report, &why), &why);
    }
    finish(&run);
}

static void a_constructor_can_fail_in_each_way_too(void **state)
{
    static const Failure cases[] = {
        {"#include <cstdlib>\n" HONEST_KERNEL "struct X { X() { exit(3); } } x;\n" SOLVE(LAUNCH), CALL_RUN_TIME_ERROR,
         "a constructor did not return: the process ended with exit status 3", NULL},
        {HONEST_KERNEL "struct X { X() { for (volatile int i = 0;; i++) {} } } x;\n" SOLVE(LAUNCH), CALL_TIME_LIMIT,
         "the host code kept the device waiting for more than 1 s", NULL},
        {HONEST_KERNEL "char big[1 << 30];\n" SOLVE("big[n] = 1;"), CALL_MEMORY_LIMIT,
         "more memory than its limit of 256 MiB", NULL},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        Run run;
        load(&run, cases[i].code, &LIMITS);
        check_failure(&cases[i], &run.report);
        finish(&run);
    }
}

static void the_limit_of_a_whole_call_counts_if_it_is_lower(void **state)
{
    CallLimits limits = LIMITS;
    Run run;
    limits.host_seconds = 60;
    limits.wall_seconds = 1;
    load(&run, "#include <unistd.h>\n" HONEST_KERNEL SOLVE("sleep(100);"), &limits);
    call(&run);
    assert_int_equal(run.report.outcome, CALL_TIME_LIMIT);
    assert_string_equal(run.report.text, "the host code kept the device waiting for more than 1 s");
    assert_int_equal(run.report.phase, PHASE_SOLVE);
    finish(&run);
}

/* Each call waits or works for less than the limits of a call allow. */
static void all_calls_together_stay_within_the_budget(void **state)
{
    static const struct {
        const char *body;
        CallBudget budget;
        int calls; /* that end well */
        const char *text;
    } rows[] = {
        {"static int calls; usleep(calls++ < 2 ? 400000 : 4000000);" LAUNCH, /* a busy machine gives it more time */
         {.seconds = 1.1},
         2,
         "all calls of solve() together may take 1.1 s"},
        {LAUNCH,
         {.seconds = 60, .warp_instructions = 90000},
         5,
         "the budget of the grading is used up: the kernels of all calls of solve() together may execute 90000 warp-"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        CallBudget budget = rows[i].budget;
        Text source = {0};
        Run run;
        Message why;
        text_printf(&source, "#include <unistd.h>\n" HONEST_KERNEL SOLVE("%s"), rows[i].body);
        load(&run, source.data, &LIMITS);
        session_set_budget(run.session, &budget);
        for (int k = 0; k < rows[i].calls; k++) {
            call(&run);
            assert_string_equal(run.report.text, "");
            assert_true(output_is_twice_the_input(&run));
        }
        double start_s = now_s();
        call(&run);
        assert_int_equal(run.report.outcome, CALL_TIME_LIMIT);
        assert_non_null(strstr(run.report.text, rows[i].text));
        assert_true(call_budget_is_used_up(&budget));
        check_status(session_load(run.session, &run.compiled, &LIMITS, &run.report, &why), &why);
        assert_int_equal(run.report.outcome, CALL_TIME_LIMIT);
        assert_int_equal(run.report.phase, PHASE_NONE); /* not even a constructor runs */
        assert_true(now_s() - start_s < 3);
        text_free(&source);
        finish(&run);
    }
}

static void a_session_can_be_loaded_again_after_a_failure(void **state)
{
    static const char source[] = "#include <cstdlib>\nstatic int calls;\n" HONEST_KERNEL SOLVE(
        LAUNCH "if (calls++ == 1) abort();");
    Run run;
    Message why;
    load_and_call(&run, source);
    assert_int_equal(run.report.outcome, CALL_OK);
    call(&run);
    assert_int_equal(run.report.outcome, CALL_RUN_TIME_ERROR);
    assert_int_equal(session_call(run.session, run.arguments, 3, &CHECKING, &run.report, &why), STATUS_BAD_INPUT);
    assert_string_equal(why.text, "session_call() without a runner: session_load() comes first");
    for (int i = 0; i < 2; i++) { /* after a success, too, a new runner starts with a new counter */
        check_status(session_load(run.session, &run.compiled, &LIMITS, &run.report, &why), &why);
        call(&run);
        assert_int_equal(run.report.outcome, CALL_OK);
        assert_true(output_is_twice_the_input(&run));
    }
    finish(&run);
}

static void arrays_that_no_buffers_hold_are_refused(void **state)
{
    float own[COUNT];
    Run run;
    Message why;
    load(&run, HONEST_KERNEL SOLVE(LAUNCH), &LIMITS);
    SessionArgument elsewhere[3] = {run.arguments[0], run.arguments[1], run.arguments[2]};
    elsewhere[0].data = own;
    assert_int_equal(session_call(run.session, elsewhere, 3, &CHECKING, &run.report, &why), STATUS_BAD_INPUT);
    assert_string_equal(why.text, "session_call() with arrays that session_buffers() did not place");
    assert_int_equal(session_buffers(run.session, &run.arguments[2], 1, &why), STATUS_BAD_INPUT);
    assert_string_equal(why.text, "a call with 1 parameters, none of them an array");
    finish(&run);
}

static void more_modules_than_a_load_can_name_are_refused(void **state)
{
    Run run;
    Message why;
    load(&run, HONEST_KERNEL SOLVE(LAUNCH), &LIMITS);
    const size_t count = run.compiled.module_count;
    run.compiled.module_count = 65;
    assert_int_equal(session_load(run.session, &run.compiled, &LIMITS, &run.report, &why), STATUS_UNSUPPORTED);
    assert_string_equal(why.text, "65 modules of GPU code, at most 64");
    run.compiled.module_count = count;
    finish(&run);
}

/* To the broker's second process, which owns the device; the first waits for it. */
static void send_broker(const Run *run, int signal)
{
    pid_t first;
    char path[64];
    int second = 0;
    assert_int_equal(session_brokers(run->session, &first, 1), 1);
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", first, first);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%d", &second), 1);
    fclose(file);
    assert_int_equal(kill(second, signal), 0);
}

/* No limit of the submission ends such a call. */
static void a_broker_that_stands_still_is_the_judges_fault(void **state)
{
    CallLimits limits = LIMITS;
    Run run;
    Message why;
    limits.wall_seconds = 0.5;
    load(&run, HONEST_KERNEL SOLVE(LAUNCH), &limits);
    send_broker(&run, SIGSTOP);
    assert_int_equal(session_call(run.session, run.arguments, 3, &CHECKING, &run.report, &why), STATUS_SYSTEM);
    assert_string_equal(why.text, "the broker, the judge's process that owns the device, has come to a standstill");
    finish(&run);
}

static void a_machine_that_takes_too_long_for_a_call_is_the_judges_fault(void **state)
{
    CallLimits limits = LIMITS;
    Run run;
    Message why;
    limits.wall_seconds = 0.1; /* the judge waits for forty times as long */
    limits.warp_instructions = 0;
    load(&run,
         "__global__ void count(float *p) { for (volatile unsigned i = 0; p[0] != 1;) i++; }\n" SOLVE(
             "count<<<1, 32>>>(out);"),
         &limits);
    assert_int_equal(session_call(run.session, run.arguments, 3, &CHECKING, &run.report, &why), STATUS_SYSTEM);
    assert_memory_equal(why.text, "this machine is too busy: what may take 0.2 s has not ended after", 65);
    finish(&run);
}

static void a_broker_that_is_killed_is_the_judges_fault(void **state)
{
    Run run;
    Message why;
    load_and_call(&run, HONEST_KERNEL SOLVE(LAUNCH));
    send_broker(&run, SIGKILL);
    assert_int_equal(session_call(run.session, run.arguments, 3, &CHECKING, &run.report, &why), STATUS_SYSTEM);
    assert_string_equal(why.text, "the broker, the judge's process that owns the device, ended unexpectedly "
                                  "(exit status 137)");
    check_status(session_load(run.session, &run.compiled, &LIMITS, &run.report, &why), &why); /* by another broker */
    check_status(session_buffers(run.session, run.arguments, 3, &why), &why);
    call(&run);
    assert_true(output_is_twice_the_input(&run));
    finish(&run);
}

static void a_flood_of_output_is_cut_and_counted(void **state)
{
    CallLimits limits = LIMITS;
    limits.host_seconds = 10;
    limits.wall_seconds = 20;
    Run run;
    load(&run,
         "#include <cstdio>\n" HONEST_KERNEL SOLVE(
             "for (int i = 0; i < 1000000; i++) puts(\"0123456789012345678901234567890123456789012345678901234567890"
             "123456789012345678901234567890123456789\");" LAUNCH),
         &limits);
    call(&run);
    assert_int_equal(run.report.outcome, CALL_OK);
    assert_true(output_is_twice_the_input(&run));
    assert_int_equal(run.report.printed.length, 64 * 1024);
    assert_int_equal(run.report.printed_lost, 101000000 - 64 * 1024);
    finish(&run);
}

/* The grader's modules are what may be loaded, not what the object says when it runs. */
static void gpu_code_that_nvcc_did_not_make_is_a_violation(void **state)
{
    Run run;
    Message why;
    load(&run, HONEST_KERNEL SOLVE(LAUNCH), &LIMITS);
    ((uint8_t *)run.compiled.modules[0].image)[100] ^= 1;
    check_status(session_load(run.session, &run.compiled, &LIMITS, &run.report, &why), &why);
    assert_int_equal(run.report.outcome, CALL_INTEGRITY_VIOLATION);
    finish(&run);
}

/* A submission that finds the ring among its descriptors and slips in a request of its own: sixteen zeros. */
static void nonsense_in_the_ring_is_a_violation(void **state)
{
    static const char source[] = "#include <cstdint>\n#include <sys/mman.h>\n#include <sys/stat.h>\n" HONEST_KERNEL
        SOLVE("for (int fd = 3; fd < 64; fd++) {\n"
              "    struct stat s;\n"
              "    if (fstat(fd, &s) != 0 || s.st_size < (1 << 20)) continue;\n"
              "    uint64_t *ring = (uint64_t *)mmap(0, s.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);\n"
              "    if (ring != MAP_FAILED) ring[0] += 16;\n"
              "}\n"
              "cudaDeviceSynchronize();");
    Run run;
    load_and_call(&run, source);
    assert_int_equal(run.report.outcome, CALL_INTEGRITY_VIOLATION);
    finish(&run);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(an_honest_submission_is_called_again_and_again, no_child_is_left),
        cmocka_unit_test_teardown(work_of_the_host_is_charged_once_it_has_data, no_child_is_left),
        cmocka_unit_test_teardown(what_a_call_did_is_reported, no_child_is_left),
        cmocka_unit_test_teardown(the_runtime_answers_as_cuda_does, no_child_is_left),
        cmocka_unit_test_teardown(each_way_to_fail_has_its_outcome, no_child_is_left),
        cmocka_unit_test_teardown(a_constructor_can_fail_in_each_way_too, no_child_is_left),
        cmocka_unit_test_teardown(the_limit_of_a_whole_call_counts_if_it_is_lower, no_child_is_left),
        cmocka_unit_test_teardown(all_calls_together_stay_within_the_budget, no_child_is_left),
        cmocka_unit_test_teardown(a_session_can_be_loaded_again_after_a_failure, no_child_is_left),
        cmocka_unit_test_teardown(arrays_that_no_buffers_hold_are_refused, no_child_is_left),
        cmocka_unit_test_teardown(more_modules_than_a_load_can_name_are_refused, no_child_is_left),
        cmocka_unit_test_teardown(a_broker_that_is_killed_is_the_judges_fault, no_child_is_left),
        cmocka_unit_test_teardown(a_broker_that_stands_still_is_the_judges_fault, no_child_is_left),
        cmocka_unit_test_teardown(a_machine_that_takes_too_long_for_a_call_is_the_judges_fault, no_child_is_left),
        cmocka_unit_test_teardown(a_flood_of_output_is_cut_and_counted, no_child_is_left),
        cmocka_unit_test_teardown(gpu_code_that_nvcc_did_not_make_is_a_violation, no_child_is_left),
        cmocka_unit_test_teardown(nonsense_in_the_ring_is_a_violation, no_child_is_left),
    };
    if (argc > 1 && strcmp(argv[1], "broker") == 0) /* the session starts its own program as the broker */
        return broker_main(argc - 1, argv + 1);
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
