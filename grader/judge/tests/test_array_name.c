#include "base/tests/unit.h"

#include "grader/judge/wording.h"

#include <stdio.h>
#include <string.h>

static const char source[] = "__constant__ float c_filter [127];\n"
                             "template <int R> __global__ void __launch_bounds__(256) blur(const float *in,\n"
                             "                     float (*out)[4], Pair<int, 2> sizes, const float table[])\n"
                             "{ __shared__ float s_tile[32]; s_tile[0] = in[3]; }\n"
                             "__global__ void twice(int a); __global__ void twice(float b);\n"
                             "__global__ void none() {}\n";

static void names_that_the_source_indexes_may_be_told(void **state)
{
    assert_true(array_name_may_be_told(source, "c_filter"));
    assert_true(array_name_may_be_told(source, "s_tile"));
    assert_true(array_name_may_be_told(source, "in"));
    assert_false(array_name_may_be_told(source, "s_til"));
    assert_false(array_name_may_be_told(source, "blur"));
    assert_false(array_name_may_be_told(source, "secret_1"));
    assert_false(array_name_may_be_told(source, ""));
}

static void cuda_calls_of_the_source_may_be_told(void **state)
{
    static const char calls[] =
        "CHECK(cudaMalloc(&p, n)); cuTensorMapEncodeTiled (map); secret(1); cudaError_t error; k<<<1, 2>>>();";
    assert_true(call_name_may_be_told(calls, "cudaMalloc"));
    assert_true(call_name_may_be_told(calls, "cuTensorMapEncodeTiled"));
    assert_false(call_name_may_be_told(calls, "secret"));
    assert_false(call_name_may_be_told(calls, "cudaError_t"));
    assert_false(call_name_may_be_told(calls, "cudaFree"));
}

static void only_the_first_names_may_be_told(void **state)
{
    char many[4000] = "", name[20];
    for (int i = 0; i <= MAX_TOLD_NAMES; i++)
        snprintf(many + strlen(many), sizeof many - strlen(many), "a%d[0] a0[1];", i);
    snprintf(name, sizeof name, "a%d", MAX_TOLD_NAMES - 1);
    assert_true(array_name_may_be_told(many, name));
    snprintf(name, sizeof name, "a%d", MAX_TOLD_NAMES);
    assert_false(array_name_may_be_told(many, name));
}

static void parameters_have_the_names_of_the_source(void **state)
{
    static const struct {
        const char *kernel;
        uint32_t number;
        const char *name; /* NULL: unknown */
    } rows[] = {{"blur<3>", 1, "in"}, {"blur", 3, "sizes"}, {"one::blur<3>", 4, "table"},
                {"blur", 5, NULL},    {"blur", 0, NULL},    {"twice", 1, NULL},
                {"none", 1, NULL},    {"other", 1, NULL}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char name[64] = "";
        assert_int_equal(array_name_of_parameter(source, rows[i].kernel, rows[i].number, name, sizeof name),
                         rows[i].name != NULL);
        assert_string_equal(name, rows[i].name == NULL ? "" : rows[i].name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_that_the_source_indexes_may_be_told),
        cmocka_unit_test(cuda_calls_of_the_source_may_be_told),
        cmocka_unit_test(only_the_first_names_may_be_told),
        cmocka_unit_test(parameters_have_the_names_of_the_source),
    };
    return cmocka_run_group_tests_name("array_name", tests, NULL, NULL);
}
