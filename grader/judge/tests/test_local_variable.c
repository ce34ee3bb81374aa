#include "base/tests/unit.h"

#include "grader/judge/wording.h"

#include <string.h>

static const char source[] = "__global__ void blur(const float *in, float *out, int n)\n"
                             "{\n"
                             "    __shared__ float tile[32];\n"
                             "    float sum, most = 0, sums[4]; // not set\n"
                             "    unsigned int count;\n"
                             "    for (int i = 0; i < n; i++)\n"
                             "        sum += in[i] * tile[i];\n"
                             "    count++; sums[1] += most;\n"
                             "    sums[n] += in[0];\n"
                             "    float4 four;\n"
                             "    four.x += in[n] * 2.0f;\n"
                             "    out[n] = most;\n"
                             "    { float sum = 0; sum += 1; }\n"
                             "    float *row, &first = out[0];\n"
                             "    row += first;\n"
                             "}\n";

static void expect(const char *found, size_t length, const char *name)
{
    if (name == NULL) {
        assert_null(found);
        return;
    }
    assert_non_null(found);
    assert_int_equal(length, strlen(name));
    assert_memory_equal(found, name, length);
}

static void expect_name(long line, const char *name)
{
    size_t length = 0;
    const char *found = unset_variable_on(source, line, &length);
    expect(found, length, name);
}

static void expect_array(long line, const char *name)
{
    size_t length = 0;
    const char *found = local_array_on(source, line, &length);
    expect(found, length, name);
}

static void a_variable_without_a_value_is_named(void **state)
{
    expect_name(7, "sum");
    expect_name(9, "sums");
    expect_name(11, "four");
    expect_name(15, "row");
}

static void no_name_is_better_than_a_wrong_one(void **state)
{
    expect_name(8, NULL);  /* two */
    expect_name(12, NULL); /* declared with a value */
    expect_name(13, NULL); /* another variable of that name */
    expect_name(0, NULL);
    expect_name(99, NULL);
}

static void the_local_array_that_a_line_indexes_is_named(void **state)
{
    expect_array(8, "sums");
    expect_array(9, "sums"); /* `in` is a parameter */
    expect_array(7, NULL);   /* a shared array and a parameter */
    expect_array(12, NULL);
    expect_array(99, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_variable_without_a_value_is_named),
        cmocka_unit_test(the_local_array_that_a_line_indexes_is_named),
        cmocka_unit_test(no_name_is_better_than_a_wrong_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
