/* session_bench.h - whole sessions with tiny submissions on the simulated GPU, for tests: void solve(const float *in,
 * float *out, int n), where an honest one doubles each element.  */
#ifndef HARNESS_BROKER_TESTS_SESSION_BENCH_H
#define HARNESS_BROKER_TESTS_SESSION_BENCH_H

#include "base/tests/unit.h"

#include "base/scratch.h"
#include "harness/broker/broker.h"
#include "harness/broker/gpu_session.h"
#include "harness/compile/compile.h"
#include "harness/compile/tests/with_nvcc.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { COUNT = 1000 };

static char scratch[4096];
static Toolkit toolkit;

#define HONEST_KERNEL                                                                                                  \
    "__global__ void twice(const float *in, float *out, int n) {\n"                                                    \
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"                                                             \
    "    if (i < n) out[i] = 2 * in[i];\n"                                                                             \
    "}\n"
#define SOLVE(body) "extern \"C\" void solve(const float *in, float *out, int n) {\n" body "\n}\n"
#define LAUNCH "twice<<<(n + 127) / 128, 128>>>(in, out, n);"

static const CallOptions CHECKING = {.check_inputs = true};

static const CallLimits LIMITS = {
    .device_bytes = 1 << 20,
    .host_bytes = 256 << 20,
    .host_seconds = 1,
    .wall_seconds = 5,
    .warp_instructions = 1000000,
};

static inline void compile(const char *source, Compiled *compiled)
{
    static const char *const types[] = {"const float*", "float*", "int"};
    Message why;
    CompileJob job = {.file_name = "test.cu",
                      .source = source,
                      .source_bytes = strlen(source),
                      .prototype = "void solve(const float* input, float* output, int count)",
                      .parameter_types = types,
                      .parameter_count = 3,
                      .compute = 90};
    if (compile_submission(&job, &toolkit, scratch, compiled, &why) != STATUS_OK)
        fail_test("compiling: %s", why.text);
    if (compiled->outcome != COMPILE_OK)
        fail_test("compiling: %s", compiled->diagnostics.data);
}

/* One submission being run. */
typedef struct Run {
    Session *session;
    Compiled compiled;
    SessionArgument arguments[3];
    CallReport report;
} Run;

static inline void check_status(Status status, const Message *why)
{
    if (status != STATUS_OK)
        fail_test("the judge failed: %s", why->text);
}

static inline void load(Run *run, const char *source, const CallLimits *limits)
{
    Message why;
    *run = (Run){
        .arguments = {{.name = "in", .role = ARGUMENT_INPUT, .bytes = COUNT * sizeof(float)},
                      {.name = "out", .role = ARGUMENT_OUTPUT, .bytes = COUNT * sizeof(float), .float_output = true},
                      {.name = "n", .role = ARGUMENT_VALUE, .value = COUNT}}};
    check_status(session_open("sim", &run->session, &why), &why);
    compile(source, &run->compiled);
    check_status(session_load(run->session, &run->compiled, limits, &run->report, &why), &why);
    if (run->report.outcome != CALL_OK)
        return;
    text_free(&run->report.printed);
    check_status(session_buffers(run->session, run->arguments, 3, &why), &why);
}

static inline void call(Run *run)
{
    Message why;
    float *input = run->arguments[0].data;
    text_free(&run->report.printed);
    for (int i = 0; i < COUNT; i++)
        input[i] = (float)i;
    check_status(session_call(run->session, run->arguments, 3, &CHECKING, &run->report, &why), &why);
}

static inline void load_and_call(Run *run, const char *source)
{
    load(run, source, &LIMITS);
    if (run->report.outcome == CALL_OK)
        call(run);
}

static inline void finish(Run *run)
{
    text_free(&run->report.printed);
    session_close(run->session);
    compiled_free(&run->compiled);
}

static inline bool output_is_twice_the_input(const Run *run)
{
    const float *output = run->arguments[1].data;
    for (int i = 0; i < COUNT; i++)
        if (output[i] != (float)(2 * i))
            return false;
    return true;
}

static inline bool output_is_poison(const Run *run)
{
    const uint32_t *output = run->arguments[1].data;
    for (int i = 0; i < COUNT; i++)
        if (output[i] != run->arguments[1].poison_bits)
            return false;
    return true;
}

/* ---- the whole test ---------------------------------------------------------------------------------------------- */

static inline int children(void)
{
    char path[64], text[4096] = "";
    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    FILE *file = fopen(path, "r");
    int count = 0;
    if (file == NULL)
        return -1;
    if (fgets(text, sizeof text, file) != NULL)
        for (const char *at = text; *at != '\0'; at++)
            count += *at == ' ';
    fclose(file);
    return count;
}

static int children_before; /* scratch.h keeps one that tidies up */

static inline int no_child_is_left(void **state)
{
    int before = children_before;
    children_before = children();
    if (children_before == before)
        return 0;
    print_error("a child process is left\n");
    return -1;
}

static inline int set_up(void **state)
{
    Message why;
    if (toolkit_find(&toolkit, &why) == STATUS_OK && scratch_new(scratch, sizeof scratch, &why) == STATUS_OK) {
        children_before = children();
        return 0;
    }
    print_error("%s\n", why.text);
    return -1;
}

static inline int tear_down(void **state)
{
    scratch_remove(scratch);
    return 0;
}

#endif
