/* compile_fixture.h - compiles small submissions, in a folder and with a cache of this test's own.  */
#ifndef HARNESS_COMPILE_TESTS_COMPILE_FIXTURE_H
#define HARNESS_COMPILE_TESTS_COMPILE_FIXTURE_H

#include "base/tests/unit.h"

#include "base/scratch.h"
#include "harness/compile/compile.h"
#include "harness/compile/tests/with_nvcc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PARAMETERS "const float* input, const float* kernel, float* output, int input_size, int kernel_size"
#define PROTOTYPE "void solve(" PARAMETERS ")"
#define KERNEL                                                                                                         \
    "__global__ void convolve(" PARAMETERS ")\n{\n    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"                \
    "    float sum = 0;\n    for (int k = 0; k < kernel_size; k++)\n        sum += input[i + k] * kernel[k];\n"        \
    "    output[i] = sum;\n}\n" /* lines 1-8 */
#define BODY                                                                                                           \
    "{\n    convolve<<<1, 256>>>(input, kernel, output, input_size, kernel_size);\n    cudaDeviceSynchronize();\n}\n"
#define RIGHT KERNEL "extern \"C\" " PROTOTYPE "\n" BODY

static char scratch[200], cache[300];
static Toolkit toolkit;

static inline Compiled compile_job(CompileJob job, const char *file_name, const char *source)
{
    static const char *const types[] = {"const float*", "const float*", "float*", "int", "int"};
    Compiled compiled;
    Message why = {0};
    job.file_name = file_name;
    job.source = source;
    job.source_bytes = strlen(source);
    job.prototype = PROTOTYPE;
    job.parameter_types = types;
    job.parameter_count = 5;
    job.compute = 90;
    if (compile_submission(&job, &toolkit, scratch, &compiled, &why) != STATUS_OK)
        fail_test("%s", why.text);
    return compiled;
}

static inline Compiled compile_within(const char *file_name, const char *source, unsigned cpu_seconds)
{
    return compile_job((CompileJob){.cpu_seconds = cpu_seconds}, file_name, source);
}

static inline Compiled compile_unoptimised(const char *source)
{
    return compile_job((CompileJob){.unoptimised = true}, "my file.cu", source);
}

static inline Compiled compile_as(const char *file_name, const char *source)
{
    return compile_within(file_name, source, 0);
}

static inline Compiled compile_source(const char *source)
{
    return compile_as("my file.cu", source);
}

static int make_scratch(void **state)
{
    Message why;
    assert_int_equal(scratch_new(scratch, sizeof scratch, NULL), STATUS_OK);
    snprintf(cache, sizeof cache, "%s/cache", scratch);
    setenv("CONVJUDGE_CACHE", cache, 1);
    if (toolkit_find(&toolkit, &why) != STATUS_OK)
        fail_test("%s", why.text);
    return 0;
}

static int remove_scratch(void **state)
{
    scratch_remove(scratch);
    return 0;
}

#endif
