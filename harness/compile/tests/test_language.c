/* Which C++ a submission may be written in. */
#include "harness/compile/compile.h"
#include "harness/compile/tests/compile_fixture.h"

#define LAMBDA_KERNEL "template <typename F> __global__ void each(F f) { f(threadIdx.x); }\n"
#define CALL_WITH(lambda) LAMBDA_KERNEL "extern \"C\" " PROTOTYPE " { each<<<1, 1>>>(" lambda "); }\n"
#define REQUIRES_AS_A_NAME "int requires = 1;\n"

static void check_compiles(const char *source)
{
    Compiled compiled = compile_source(source);
    if (compiled.outcome != COMPILE_OK)
        fail_test("%s\n%s", source, compiled.diagnostics.data);
    compiled_free(&compiled);
}

static bool has_flag(const char *source, const char *flag)
{
    const char *argv[COMPILE_LANGUAGE_FLAGS + 1] = {NULL};
    assert_true(compile_language_flags(source, &toolkit, argv, 0) <= COMPILE_LANGUAGE_FLAGS);
    for (size_t i = 0; argv[i] != NULL; i++)
        if (strcmp(argv[i], flag) == 0)
            return true;
    return false;
}

static void host_and_device_code_may_be_cpp20(void **state)
{
    check_compiles("// standard: c++20\n#include <concepts>\n#include <span>\n"
                   "template <std::floating_point T> __device__ T twice(T a) { return a + a; }\n"
                   "struct Size { int width, height; };\n"
                   "__global__ void k(float *p) { Size s{.width = 1, .height = 2}; *p = twice(*p) + s.height; }\n"
                   "extern \"C\" " PROTOTYPE
                   " { int a[3] = {1, 2, 3}; k<<<(int)std::span(a).size(), 1>>>(output); }\n");
}

static void extensions_of_gcc_stay(void **state)
{
    needs_nvcc(&toolkit); /* clang takes standard C++ alone */
    check_compiles(RIGHT "int twice(int n) { typeof(n) a[n]; a[0] = n; return a[0] ?: (__int128)n; }\n");
}

static void only_a_line_asks_for_cpp20(void **state)
{
    static const char *const asking[] = {"// standard: c++20\n" REQUIRES_AS_A_NAME RIGHT,
                                         "// problem: conv1d\r\n// standard: c++20\r\n" REQUIRES_AS_A_NAME RIGHT};
    check_compiles(REQUIRES_AS_A_NAME RIGHT);
    check_compiles("#include <thread>\n#include <cmath>\nstatic void pause() {}\nvoid (*used)() = pause;\n" RIGHT);
    for (size_t i = 0; i < sizeof asking / sizeof *asking; i++) {
        Compiled refused = compile_source(asking[i]);
        assert_int_equal(refused.outcome, COMPILE_ERROR);
        compiled_free(&refused);
    }
}

static void a_lambda_may_be_annotated(void **state)
{
    check_compiles(CALL_WITH("[=] __device__ (int i) { output[i] = input[i]; }"));
    check_compiles("#define HD __host__ __device__\n" CALL_WITH("[=] \\\nHD (int i) { output[i] = input[i]; }"));
}

static void extended_lambdas_are_enabled_only_where_the_text_may_have_one(void **state)
{
    bool is_nvcc = toolkit.kind == TOOLKIT_NVCC;
    assert_int_equal(has_flag("x[i] = [=] __device__ (int i) {};", "--extended-lambda"), is_nvcc);
    assert_int_equal(has_flag("[]\n  MACRO (int i) {};", "--extended-lambda"), is_nvcc);
    assert_false(has_flag("a[i] = b[i + 1] * c[0][1]; if (a[i] < n) x = a[i] ? b[1] : c[2];", "--extended-lambda"));
}

static void an_older_nvcc_has_cpp17_alone(void **state)
{
    const Toolkit older = {.kind = TOOLKIT_NVCC, .major = 11};
    const char *argv[COMPILE_LANGUAGE_FLAGS + 1] = {NULL};
    assert_int_equal(compile_language_flags("// standard: c++20\nusing std::min;", &older, argv, 0), 0);
    assert_string_equal(compile_language_of_host("// standard: c++20\n", &older), "-std=gnu++17");
}

static void instructions_of_one_architecture_alone_may_be_used(void **state)
{
    static const Toolkit nvcc = {.kind = TOOLKIT_NVCC, .major = 13};
    check_compiles("__global__ void k() { asm volatile(\"wgmma.fence.sync.aligned;\"); }\n"
                   "extern \"C\" " PROTOTYPE " { k<<<1, 128>>>(); }\n");
    assert_string_equal(compile_features("asm(\"setmaxnreg.inc.sync.aligned.u32 240;\");", &nvcc, 90), "a");
    assert_string_equal(compile_features("wgmma", &nvcc, 100), ""); /* a later GPU has not got it */
    assert_string_equal(compile_features("mma.sync", &nvcc, 90), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(host_and_device_code_may_be_cpp20),
        cmocka_unit_test(extensions_of_gcc_stay),
        cmocka_unit_test(only_a_line_asks_for_cpp20),
        cmocka_unit_test(a_lambda_may_be_annotated),
        cmocka_unit_test(extended_lambdas_are_enabled_only_where_the_text_may_have_one),
        cmocka_unit_test(instructions_of_one_architecture_alone_may_be_used),
        cmocka_unit_test(an_older_nvcc_has_cpp17_alone),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
