#include "base/tests/unit.h"

#include "grader/report/advice.h"
#include "grader/report/kernel_names.h"

#include <stdio.h>
#include <string.h>

static const char source[] = "#define TILE 32 // outputs\n"
                             "const int HALO = 2 * 3, WIDE = 9;\n"
                             "__global__ void blur(const float* image, const float* taps, float* out, int n)\n"
                             "{\n"
                             "    __shared__ float s_tile[TILE + HALO][TILE];\n"
                             "    int row = blockIdx.y * blockDim.y + threadIdx.y;\n"
                             "    int col = blockIdx.x * blockDim.x + threadIdx.x;\n"
                             "    float total = 0.0f;\n"
                             "    for (int r = 0; r < n; r++)\n"
                             "        for (int s = 0; s < n; s++)\n"
                             "            total += image[(row + r) * n + col + s] *\n"
                             "                     taps[r * n + s];\n"
                             "    total += s_tile[threadIdx.x][0];\n"
                             "    out[row * n + col] = total;\n"
                             "}\n";

static void arrays_sums_and_loops_have_the_names_of_the_source(void **state)
{
    KernelNames names;
    for (int line = 11; line <= 12; line++) { /* the statement has two lines */
        kernel_names_find(source, "blur", line, NULL, &names);
        assert_string_equal(names.input.name, "image");
        assert_string_equal(names.input.index, "[(row + r) * n + col + s]");
        assert_string_equal(names.filter.name, "taps");
        assert_string_equal(names.sum, "total");
        assert_false(names.has_several_sums || names.has_patch_of_sums);
        assert_string_equal(names.loop, "s");
        assert_string_equal(names.loop_end, "n");
        assert_string_equal(names.row, "row");
        assert_string_equal(names.row_is, "blockIdx.y * blockDim.y + threadIdx.y");
        assert_string_equal(names.column, "col");
    }
}

/* `z` is no value of itself. */
static void a_variable_may_be_called_like_the_member_that_it_holds(void **state)
{
    static const char planes[] = "__global__ void blur(const float* image, const float* taps, float* out, int n)\n"
                                 "{\n"
                                 "    int x = blockIdx.x * blockDim.x + threadIdx.x, z = blockIdx.z;\n"
                                 "    float total = 0.0f;\n"
                                 "    for (int r = 0; r < n; r++)\n"
                                 "        total += image[(z + r) * n + x] * taps[r];\n"
                                 "}\n";
    KernelNames names;
    kernel_names_find(planes, "blur", 6, NULL, &names);
    assert_string_equal(names.input.name, "image");
    assert_string_equal(names.filter.name, "taps");
}

static void the_array_with_a_step_between_neighbours_is_known(void **state)
{
    static const char *const lines[][2] = {
        {"sum += x[i - k * n] * w[d * taps + k];", "w"},
        {"sum += w[k + threadIdx.x * taps] * x[i];", "w"},
        {"sum += x[(row + k) * n + i] * w[k];", "x"}, /* a step between rows is none between neighbours */
        {"sum += x[i] * w[row * n + i];", "x"},       /* none has one: that of the input */
    };
    for (size_t i = 0; i < COUNT_OF(lines); i++) {
        char text[400];
        KernelNames names;
        snprintf(text, sizeof text,
                 "__global__ void blur(const float* x, const float* w, int n, int taps)\n{\n"
                 "    int row = threadIdx.y;\n"
                 "    int i = blockIdx.x * blockDim.x + threadIdx.x, d = i %% n;\n    %s\n}\n",
                 lines[i][0]);
        kernel_names_find(text, "blur", 5, NULL, &names);
        assert_string_equal(names.strided, lines[i][1]);
    }
}

static void what_is_not_there_has_the_names_of_the_statement(void **state)
{
    KernelNames names;
    kernel_names_find("int x;\n", "blur", 1, NULL, &names);
    assert_string_equal(names.input.name, "input");
    assert_string_equal(names.filter.name, "filter");
    assert_string_equal(names.output, "output");
    assert_string_equal(names.row, "");
}

/* Sources come from students, and need not end where one expects it. */
static void cut_sources_are_survived(void **state)
{
    char cut[sizeof source];
    for (size_t length = 0; length < sizeof source; length++) {
        KernelNames names;
        int64_t value;
        int line;
        char columns[20];
        memcpy(cut, source, length);
        cut[length] = '\0';
        for (int at = 0; at < 16; at++)
            kernel_names_find(cut, "blur", at, NULL, &names);
        array_row(cut, "s_tile", columns, sizeof columns, &line);
        (void)constant_value(cut, NULL, NULL, "TILE + HALO", &value);
    }
}

static void only_whole_words_are_replaced(void **state)
{
    char text[80];
    replace_word("row + rows * n.row + row", "row", "(row + 3)", text, sizeof text);
    assert_string_equal(text, "(row + 3) + rows * n.row + (row + 3)");
    replace_word("s[threadIdx.x + k]", "threadIdx.x", "(4 * threadIdx.x)", text, sizeof text);
    assert_string_equal(text, "s[(4 * threadIdx.x) + k]");
}

static void constants_of_the_source_have_values(void **state)
{
    int64_t value = 0;
    char columns[40];
    int line = 0;
    assert_true(constant_value(source, NULL, NULL, "TILE + HALO", &value));
    assert_int_equal(value, 38);
    assert_false(constant_value(source, NULL, NULL, "TILE + n", &value));
    assert_true(array_row(source, "s_tile", columns, sizeof columns, &line));
    assert_string_equal(columns, "TILE");
    assert_int_equal(line, 5);
    assert_false(array_row(source, "image", columns, sizeof columns, &line));
    assert_false(array_row("__shared__ float tile[4];\nimage[1][2] = 0;\n", "image", columns, sizeof columns, &line));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays_sums_and_loops_have_the_names_of_the_source),
        cmocka_unit_test(a_variable_may_be_called_like_the_member_that_it_holds),
        cmocka_unit_test(the_array_with_a_step_between_neighbours_is_known),
        cmocka_unit_test(what_is_not_there_has_the_names_of_the_statement),
        cmocka_unit_test(cut_sources_are_survived),
        cmocka_unit_test(only_whole_words_are_replaced),
        cmocka_unit_test(constants_of_the_source_have_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
