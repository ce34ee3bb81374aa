/* Compares the oracles of all problems with their statements, written down once more: in long double, and the
 * other way round. An oracle gathers the products of one output; here each product of an input and a tap is added to
 * the output that it belongs to, if there is one. And the cases of each problem tell float from 16 bits. */
#include "base/tests/unit.h"

#include "grader/tests/oracle_bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Direct { /* one output element */
    long double value, magnitude;
} Direct;

typedef struct Given { /* a case: inputs in order of the parameters, and sizes in theirs */
    long double *inputs[3];
    int sizes[8];
} Given;

static void add(Direct *element, long double product)
{
    element->value += product;
    element->magnitude += fabsl(product);
}

/* --- correlations ------------------------------------------------------------------------------------------------- */

/* In three dimensions, of which any but the last may be 1, for some channels that stand side by side in each element.
 * `same`: the filter's middle lies on each element; otherwise its first tap does, and all taps lie on the input. */
static void correlate(const int in[3], const int taps[3], bool same, int channels, const long double *input,
                      const long double *filter, Direct *output)
{
    int out[3], middle[3];
    for (int i = 0; i < 3; i++) {
        out[i] = same ? in[i] : in[i] - taps[i] + 1;
        middle[i] = same ? taps[i] / 2 : 0;
    }
    /* every pair of an element and a tap */
    for (int z = 0; z < in[0] * taps[0]; z++)
        for (int y = 0; y < in[1] * taps[1]; y++)
            for (int x = 0; x < in[2] * taps[2]; x++) {
                int from[3] = {z / taps[0], y / taps[1], x / taps[2]}, tap[3] = {z % taps[0], y % taps[1], x % taps[2]};
                int to[3];
                bool exists = true;
                for (int i = 0; i < 3; i++) {
                    to[i] = from[i] - tap[i] + middle[i];
                    exists = exists && to[i] >= 0 && to[i] < out[i];
                }
                for (int c = 0; c < channels && exists; c++)
                    add(&output[((to[0] * out[1] + to[1]) * out[2] + to[2]) * channels + c],
                        input[((from[0] * in[1] + from[1]) * in[2] + from[2]) * channels + c] *
                            filter[(tap[0] * taps[1] + tap[1]) * taps[2] + tap[2]]);
            }
}

static void line(const Given *given, bool same, Direct *output)
{
    correlate((int[]){1, 1, given->sizes[0]}, (int[]){1, 1, given->sizes[1]}, same, 1, given->inputs[0],
              given->inputs[1], output);
}

static void line_valid(const Given *given, Direct *output)
{
    line(given, false, output);
}

static void line_same(const Given *given, Direct *output)
{
    line(given, true, output);
}

static void rectangle(const Given *given, bool same, Direct *output)
{
    correlate((int[]){1, given->sizes[0], given->sizes[1]}, (int[]){1, given->sizes[2], given->sizes[3]}, same, 1,
              given->inputs[0], given->inputs[1], output);
}

static void rectangle_valid(const Given *given, Direct *output)
{
    rectangle(given, false, output);
}

static void rectangle_same(const Given *given, Direct *output)
{
    rectangle(given, true, output);
}

static void box_valid(const Given *given, Direct *output)
{
    correlate(given->sizes, given->sizes + 3, false, 1, given->inputs[0], given->inputs[1], output);
}

/* Sizes are width, height and radius. */
static void square_filter(const Given *given, int channels, const long double *filter, Direct *output)
{
    int side = 2 * given->sizes[2] + 1;
    correlate((int[]){1, given->sizes[1], given->sizes[0]}, (int[]){1, side, side}, true, channels, given->inputs[0],
              filter, output);
}

static void square_same(const Given *given, Direct *output)
{
    square_filter(given, 1, given->inputs[1], output);
}

static void planes_same(const Given *given, Direct *output)
{
    int side = 2 * given->sizes[2] + 1;
    correlate((int[]){3, given->sizes[1], given->sizes[0]}, (int[]){1, side, side}, true, 1, given->inputs[0],
              given->inputs[1], output);
}

/* With the 2D filter that a filter of rows and one of columns make. */
static void separable(const Given *given, int channels, const long double *rows, const long double *columns,
                      Direct *output)
{
    int side = 2 * given->sizes[2] + 1;
    long double filter[81];
    assert_true(side * side <= 81);
    for (int i = 0; i < side * side; i++)
        filter[i] = columns[i / side] * rows[i % side];
    square_filter(given, channels, filter, output);
}

static void separable_same(const Given *given, Direct *output)
{
    separable(given, 1, given->inputs[1], given->inputs[2], output);
}

static void picture_same(const Given *given, Direct *output)
{
    separable(given, 4, given->inputs[1], given->inputs[1], output);
}

/* --- layers ------------------------------------------------------------------------------------------------------- */

/* From each input element, over the places of the filter that meet it in steps of `stride`. */
static void layer(const Given *given, Direct *output)
{
    const int n = given->sizes[0], height = given->sizes[1], width = given->sizes[2], in_channels = given->sizes[3];
    const int filter_height = given->sizes[4], filter_width = given->sizes[5], out_channels = given->sizes[6];
    const int stride = given->sizes[7];
    const int rows = (height - filter_height) / stride + 1, cols = (width - filter_width) / stride + 1;
    const int pixels = n * rows * cols, inputs = n * height * width * in_channels;
    for (int at = 0; at < inputs; at++) {
        int i = at % in_channels, x = at / in_channels % width, y = at / in_channels / width % height;
        int image = at / in_channels / width / height;
        for (int row = 0; row < rows; row++)
            for (int col = 0; col < cols; col++)
                for (int channel = 0; channel < out_channels; channel++) {
                    int r = y - row * stride, s = x - col * stride;
                    if (r >= 0 && r < filter_height && s >= 0 && s < filter_width)
                        add(&output[((image * rows + row) * cols + col) * out_channels + channel],
                            given->inputs[0][at] *
                                given->inputs[1][((r * filter_width + s) * in_channels + i) * out_channels + channel]);
                }
    }
    for (int at = 0; at < pixels * out_channels; at++) {
        add(&output[at], given->inputs[2][at % out_channels]);
        output[at].value = fmaxl(output[at].value, 0);
    }
}

/* Each element goes to its own position and the K - 1 behind it. */
static void depthwise(const Given *given, Direct *output)
{
    const int sequences = given->sizes[0], length = given->sizes[1], channels = given->sizes[2], taps = given->sizes[3];
    for (int at = 0; at < sequences * length * channels; at++) {
        int channel = at % channels, position = at / channels % length;
        for (int k = 0; k < taps && position + k < length; k++)
            add(&output[at + k * channels], given->inputs[0][at] * given->inputs[1][channel * taps + k]);
        add(&output[at], given->inputs[2][channel]);
    }
}

/* --- the problems ------------------------------------------------------------------------------------------------- */

static const struct {
    const char *id;
    void (*direct)(const Given *given, Direct *output);
    int sizes[8]; /* in order of the signature */
} cases[] = {
    {"conv1d", line_valid, {50, 7}},
    {"conv1d", line_valid, {9, 9}},
    {"conv1d", line_valid, {20, 1}},
    {"conv1d-same", line_same, {50, 7}},
    {"conv1d-same", line_same, {4, 9}},
    {"conv1d-same", line_same, {1, 1}},
    {"conv1d-constant", line_same, {50, 7}},
    {"conv1d-constant", line_same, {4, 9}},
    {"conv1d-constant", line_same, {1, 1}},
    {"conv2d", rectangle_valid, {9, 14, 3, 4}},
    {"conv2d", rectangle_valid, {5, 6, 5, 6}},
    {"conv2d", rectangle_valid, {17, 3, 1, 3}},
    {"conv2d-same", square_same, {17, 5, 2}},
    {"conv2d-same", square_same, {2, 3, 4}},
    {"conv2d-same", square_same, {3, 9, 0}},
    {"conv-rgb-planar", planes_same, {17, 5, 2}},
    {"conv-rgb-planar", planes_same, {2, 3, 4}},
    {"conv-rgb-planar", planes_same, {3, 9, 0}},
    {"conv2d-constant", square_same, {17, 5, 2}},
    {"conv2d-constant", square_same, {2, 3, 4}},
    {"conv2d-constant", square_same, {3, 9, 0}},
    {"gaussian-blur", rectangle_same, {5, 17, 3, 5}},
    {"gaussian-blur", rectangle_same, {2, 3, 7, 5}},
    {"gaussian-blur", rectangle_same, {9, 3, 1, 1}},
    {"conv2d-separable", separable_same, {17, 5, 2}},
    {"conv2d-separable", separable_same, {2, 3, 4}},
    {"conv2d-separable", separable_same, {3, 9, 0}},
    {"blur-rgb", picture_same, {17, 5, 2}},
    {"blur-rgb", picture_same, {2, 3, 4}},
    {"blur-rgb", picture_same, {3, 9, 0}},
    {"conv3d", box_valid, {5, 6, 13, 2, 3, 4}},
    {"conv3d", box_valid, {3, 4, 5, 3, 4, 5}},
    {"conv3d", box_valid, {4, 3, 2, 1, 1, 1}},
    {"conv-layer", layer, {2, 7, 8, 3, 3, 2, 11, 1}},
    {"conv-layer", layer, {1, 9, 7, 2, 3, 3, 4, 2}},
    {"conv-layer", layer, {3, 5, 6, 1, 1, 2, 1, 3}},
    {"depthwise-conv1d", depthwise, {2, 9, 11, 4}},
    {"depthwise-conv1d", depthwise, {1, 3, 4, 8}},
    {"depthwise-conv1d", depthwise, {3, 1, 1, 1}},
};

/* Sources for all inputs that no two elements of are likely to share. */
static Testcase random_case(const Bench *bench, const int sizes[8])
{
    Testcase testcase = {.number = 1};
    for (size_t i = 0; i < bench->problem.parameter_count; i++) {
        const Parameter *parameter = &bench->problem.parameters[i];
        if (parameter->role == ROLE_SIZE)
            testcase.sizes.values[i] = *sizes++;
        else if (parameter->type == ELEMENT_UINT8)
            testcase.sources[i] = (CaseSource){.kind = SOURCE_INTEGERS, .a = 0, .b = 255};
        else
            testcase.sources[i] = (CaseSource){.kind = SOURCE_UNIFORM, .a = -1, .b = 1};
    }
    return testcase;
}

static void fill_given(const Bench *bench, const int sizes[8], Given *given)
{
    memcpy(given->sizes, sizes, sizeof given->sizes);
    for (size_t i = 0, input = 0; i < bench->problem.parameter_count; i++) {
        if (bench->problem.parameters[i].role != ROLE_IN)
            continue;
        size_t count = elements(bench, i);
        long double *wide = malloc(count * sizeof *wide);
        for (size_t k = 0; k < count; k++)
            wide[k] = element_load(bench->problem.parameters[i].type, bench->inputs[i], k);
        given->inputs[input++] = wide;
    }
}

static void oracles_agree_with_their_statements(void **state)
{
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        Bench bench;
        Given given = {0};
        Message why;
        bench_open(&bench, cases[i].id);
        const Testcase testcase = random_case(&bench, cases[i].sizes);
        if (bench_evaluate(&bench, &testcase, &why) != STATUS_OK)
            fail_test("%s: %s", cases[i].id, why.text);
        fill_given(&bench, cases[i].sizes, &given);
        Direct *direct = calloc(bench.count, sizeof *direct);
        cases[i].direct(&given, direct);
        for (size_t k = 0; k < bench.count; k++)
            if (!(fabsl(bench.expected[k] - direct[k].value) <= 1e-14L * direct[k].magnitude &&
                  fabsl(bench.magnitude[k] - direct[k].magnitude) <= 1e-14L * direct[k].magnitude))
                fail_test("case %zu, %s: element %zu is %.17g (magnitude %g), expected %.17Lg (%Lg)", i, cases[i].id, k,
                          bench.expected[k], bench.magnitude[k], direct[k].value, direct[k].magnitude);
        for (size_t k = 0; k < COUNT_OF(given.inputs); k++)
            free(given.inputs[k]);
        free(direct);
        bench_drop_case(&bench);
        bench_close(&bench);
    }
}

/* --- precision ---------------------------------------------------------------------------------------------------- */

static float to_bfloat16(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    bits = (bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000; /* to the nearest, and to even */
    memcpy(&value, &bits, sizeof bits);
    return value;
}

/* As if all inputs were two bfloat16 each. */
static void round_inputs(const Bench *bench)
{
    for (size_t i = 0; i < bench->problem.parameter_count; i++)
        for (size_t k = 0; bench->problem.parameters[i].role == ROLE_IN && k < elements(bench, i); k++) {
            float *value = (float *)bench->inputs[i] + k;
            const float first = to_bfloat16(*value);
            *value = first + to_bfloat16(*value - first);
        }
}

/* The share of the elements that miss their bound with such inputs, even if all sums are exact. */
static double share_refused(Bench *bench, const Testcase *testcase)
{
    const Tolerance *tolerance = &bench->problem.tolerance;
    Message why;
    size_t wrong = 0;
    double largest = 0;
    if (bench_evaluate(bench, testcase, &why) != STATUS_OK)
        fail_test("%s", why.text);
    double *rounded = malloc(2 * bench->count * sizeof *rounded);
    round_inputs(bench);
    if (oracle_evaluate(bench->oracle, &testcase->sizes, (const void *const *)bench->inputs, 0, bench->count, rounded,
                        rounded + bench->count, &why) != STATUS_OK)
        fail_test("%s", why.text);
    for (size_t i = 0; i < bench->count; i++)
        largest = fmax(largest, bench->magnitude[i]);
    for (size_t i = 0; i < bench->count; i++)
        wrong += fabs(rounded[i] - bench->expected[i]) >
                 0x1p-23 * (tolerance->sum_factor * bench->magnitude[i] + tolerance->max_factor * largest);
    free(rounded);
    bench_drop_case(bench);
    return (double)wrong / (double)bench->count;
}

static double terms_of(Bench *bench, const Testcase *testcase)
{
    bench->testcase = *testcase;
    return (double)testcase->operations / (double)elements(bench, problem_output(&bench->problem));
}

/* Takes the hidden cases with the most terms in a sum. The more terms, the more such errors average out. */
static double largest_share_refused(Bench *bench, const TestcaseSet *set)
{
    double terms = 0, share = 0;
    for (size_t i = 0; i < set->count; i++)
        if (set->cases[i].group == CASE_HIDDEN)
            terms = fmax(terms, terms_of(bench, &set->cases[i]));
    for (size_t i = 0; i < set->count; i++)
        if (set->cases[i].group == CASE_HIDDEN && terms_of(bench, &set->cases[i]) == terms)
            share = fmax(share, share_refused(bench, &set->cases[i]));
    return share;
}

static void operands_of_16_bits_are_refused_under_the_largest_filter(void **state)
{
    const char **ids;
    Arena arena = {0};
    size_t count;
    Message why;
    if (problem_list(&arena, &ids, &count, &why) != STATUS_OK)
        fail_test("%s", why.text);
    for (size_t i = 0; i < count; i++) {
        Bench bench;
        TestcaseSet set = {0};
        bench_open(&bench, ids[i]);
        if (testcases_read(&bench.problem, &set, &why) != STATUS_OK)
            fail_test("%s", why.text);
        const bool is_float = bench.problem.parameters[problem_output(&bench.problem)].type == ELEMENT_FLOAT32;
        if (is_float && largest_share_refused(&bench, &set) < 0.01) /* of hundreds of outputs: several */
            fail_test("%s: no hidden case with the most terms refuses two bfloat16 for each number", ids[i]);
        testcases_free(&set);
        bench_close(&bench);
    }
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(oracles_agree_with_their_statements),
        cmocka_unit_test(operands_of_16_bits_are_refused_under_the_largest_filter),
    };
    return cmocka_run_group_tests_name("oracles", tests, NULL, NULL);
}
