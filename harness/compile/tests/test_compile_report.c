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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_error_in_a_header_of_the_system_is_not_the_submissions),
        cmocka_unit_test(an_error_that_the_submission_causes_there_is_its_own),
        cmocka_unit_test(a_compiler_that_names_no_error_is_quoted),
        cmocka_unit_test(a_message_of_the_linker_has_the_line_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
