#include "base/tests/unit.h"

#include "grader/judge/judge.h"

#include <stdlib.h>
#include <string.h>

static void a_variable_that_is_not_set_is_told_once(void **state)
{
    static const char said[] = "x.cu(2): warning #549-D: variable \"j\" is used before its value is set\n"
                               "      out[0] = j;\n               ^\n\n"
                               "x.cu(2): warning #549-D: variable \"j\" is used before its value is set\n"
                               "y.h(2): warning #549-D: variable \"j\" is used before its value is set\n"
                               "x.cu(7): warning #549-D: variable \"k\" is used before its value is set\n"
                               "x.cu(1): warning #177-D: variable \"i\" was declared but never referenced\n";
    Submission submission = {.file_name = "x.cu"};
    Result *result = calloc(1, sizeof *result);
    assert_non_null(result);
    text_add(&submission.source, "int j;\nout[0] = j;\n");
    text_add(&result->compiled.diagnostics, said);
    compiler_warning_tell(result, &submission);
    assert_int_equal(result->warning_count, 1);
    assert_string_equal(
        result->warnings[0],
        "the compiler warns that variable \"j\" is used before its value is set (x.cu:2: `out[0] = j;`)");
    text_free(&submission.source);
    result_free(result);
    free(result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_variable_that_is_not_set_is_told_once),
    };
    return cmocka_run_group_tests_name("compiler_warning", tests, NULL, NULL);
}
