/* compile_report.c: what a compiler's messages are about. */
#include "base/tests/unit.h"
#include "harness/compile/compile_report.h"

#include <string.h>

static bool is_about_the_system(const char *output)
{
    Text text = {0};
    text_add(&text, output);
    bool is = report_is_system_header(&text);
    text_free(&text);
    return is;
}

/* As clang 17 prints it with glibc 2.41, where a header of the system asks for a type that the GPU lacks. */
static void an_error_in_a_header_of_the_system_is_not_the_submissions(void **state)
{
    assert_true(
        is_about_the_system("In file included from <built-in>:1:\n"
                            "In file included from /judge/cuda/cuda_runtime.h:18:\n"
                            "/usr/include/x86_64-linux-gnu/bits/floatn.h:83:52: error: unsupported machine mode "
                            "'__TC__'\n"
                            "   83 | typedef _Complex float __cfloat128 __attribute__ ((__mode__ (__TC__)));\n"
                            "      |                                                    ^\n"
                            "1 error generated when compiling for sm_90.\n"));
    assert_true(
        is_about_the_system("In file included from submission.cu:2:\n"
                            "/usr/include/c++/14/limits:2089:27: error: __float128 is not supported on this target\n"
                            "/usr/include/c++/14/limits:2091:27: error: __float128 is not supported on this target\n"
                            "submission.cu:9:5: note: in this place\n"));
}

static void an_error_that_the_submission_causes_there_is_its_own(void **state)
{
    assert_false(
        is_about_the_system("In file included from submission.cu:2:\n"
                            "/usr/include/c++/12/bits/predefined_ops.h:45:23: error: invalid operands to binary "
                            "expression ('S' and 'S')\n"
                            "      { return *__it1 < *__it2; }\n"
                            "submission.cu:7:27: note: in instantiation of function template specialization "
                            "'std::sort<S *>' requested here\n"));
    assert_false(is_about_the_system("/usr/include/stdio.h:27:1: error: expected identifier\n"
                                     "submission.cu:1:13: note: expanded from macro 'FILE'\n"));
    assert_false(is_about_the_system("submission.cu:9:5: error: use of undeclared identifier 'x'\n"
                                     "/usr/include/c++/14/limits:2089:27: error: another\n"));
    assert_false(is_about_the_system("/submission/submission.cu:9:5: error: use of undeclared identifier 'x'\n"));
    assert_false(is_about_the_system("no error\n"));
    assert_false(is_about_the_system(""));
}

static void a_compiler_that_names_no_error_is_quoted(void **state)
{
    const CompileJob job = {.file_name = "x.cu"};
    Text output = {0}, diagnostics = {0};
    text_add(&output, "clang had no more to say\n");
    report_headline(&job, COMPILE_UNSUPPORTED, &output, &diagnostics);
    assert_string_equal(diagnostics.data, "x.cu: does not compile; the compiler's first messages follow\n");
    text_free(&output);
    text_free(&diagnostics);
}

/* As binutils 2.42 prints it, which puts a place in the object file behind the line. */
static void a_message_of_the_linker_has_the_line_alone(void **state)
{
    static const char *const paths[] = {"submission.cu", "x.cu", NULL};
    const CompileJob job = {.file_name = "x.cu", .source = ""};
    Text output = {0}, all = {0}, diagnostics = {0};
    text_add(&output, "/usr/bin/ld: submission.cu: in function `f':\n"
                      "/submission/submission.cu:15:(.text.startup+0x79): undefined reference to `elsewhere'\n"
                      "submission.cu:15:(.text + 1): an expression of the submission's: error\n");
    report_headline(&job, COMPILE_ERROR, &output, &all);
    text_append(&all, output.data, output.length);
    report_diagnostics(&all, paths, &diagnostics);
    assert_string_equal(diagnostics.data, "x.cu:15: undefined reference to `elsewhere'\n"
                                          "/usr/bin/ld: x.cu: in function `f':\n"
                                          "x.cu:15: undefined reference to `elsewhere'\n"
                                          "x.cu:15:(.text + 1): an expression of the submission's: error\n");
    text_free(&output);
    text_free(&all);
    text_free(&diagnostics);
}

static void begins_with(const char *source, const char *printed, const char *expected)
{
    const CompileJob job = {.file_name = "x.cu", .source = source, .prototype = "void solve(int n)"};
    Text output = {0}, diagnostics = {0};
    text_add(&output, printed);
    report_headline(&job, COMPILE_ERROR, &output, &diagnostics);
    assert_string_equal(diagnostics.data, expected);
    text_free(&output);
    text_free(&diagnostics);
}

static void a_file_without_solve_is_told_what_to_write(void **state)
{
    static const char linker[] = "/submission/./prototype.h:5: undefined reference to `solve'\n";
    begins_with("// int main() was here\n__global__ void k() {}\n", linker,
                "x.cu: no function solve() with the signature `void solve(int n)`\n");
    begins_with(
        "__global__ void k() {}\nint main(int argc, char **argv)\n{\n}\n", linker,
        "x.cu: there is no solve(): move the work of main() into a function `extern \"C\" void solve(int n)`, which "
        "the judge calls with arrays on the device; it never calls main()\n");
}

/* As cudafe++ of CUDA 13.0 and clang 16 print it. */
static void a_kernel_that_launches_a_kernel_is_recognised(void **state)
{
    static const struct {
        const char *printed;
        bool is_nested, names_source;
    } rows[] = {
        {"submission.cu(9): error: kernel launch from __device__ or __global__ functions requires separate compilation mode\n",
         true, true},
        {"submission.cu:9:5: error: reference to __host__ function '__cudaPushCallConfiguration' in __global__ function\n",
         true, true},
        {"submission.cu(9): error: identifier \"x\" is undefined\n", false, true},
        {"gcc: fatal error: cannot execute 'cc1plus': execvp: No such file or directory\n", false, false},
        {"nvcc fatal   : Failed to preprocess host compiler properties.\n", false, false},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        Text output = {0};
        text_add(&output, rows[i].printed);
        assert_int_equal(report_is_nested_launch(&output), rows[i].is_nested);
        assert_int_equal(report_names_source(&output), rows[i].names_source);
        text_free(&output);
    }
}

static void how_a_compiler_ended_follows_from_its_status_and_words(void **state)
{
    static const struct {
        int exit_status;
        const char *printed;
        CompileOutcome outcome;
    } rows[] = {
        {0, "submission.cu(2): warning: out of memory\n", COMPILE_OK},
        {1, "submission.cu(9): error: identifier \"x\" is undefined\n", COMPILE_ERROR},
        {1, "/usr/bin/as: cannot write submission.o: No space left on device\n", COMPILE_TOO_LARGE},
        {1, "cc1plus: out of memory allocating 65536 bytes\n", COMPILE_TOO_LARGE},
        {1, "CPU time limit exceeded\n", COMPILE_TIME_LIMIT},
        {128 + 9, "", COMPILE_TIME_LIMIT},
        {128 + 11, "", COMPILE_TOO_LARGE},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        Text output = {0};
        text_add(&output, rows[i].printed);
        const ProcessEnd end = {.exit_status = rows[i].exit_status};
        assert_int_equal(report_outcome(&output, &end), rows[i].outcome);
        text_free(&output);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_error_in_a_header_of_the_system_is_not_the_submissions),
        cmocka_unit_test(an_error_that_the_submission_causes_there_is_its_own),
        cmocka_unit_test(a_compiler_that_names_no_error_is_quoted),
        cmocka_unit_test(a_message_of_the_linker_has_the_line_alone),
        cmocka_unit_test(a_file_without_solve_is_told_what_to_write),
        cmocka_unit_test(a_kernel_that_launches_a_kernel_is_recognised),
        cmocka_unit_test(how_a_compiler_ended_follows_from_its_status_and_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
