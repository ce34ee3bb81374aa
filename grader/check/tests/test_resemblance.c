#include "grader/check/tests/checker_bench.h"

/* ---- one plane --------------------------------------------------------------------------------------------------- */

typedef struct Mistake {
    const char *name;
    void (*make)(Bench *bench);
    WrongNature nature;
} Mistake;

static void compute_with(Bench *bench, const float w[9])
{
    float own[9];
    memcpy(own, bench->w, sizeof own);
    memcpy(bench->w, w, sizeof own);
    fill_right(bench);
    memcpy(bench->w, own, sizeof own);
}

static void use_a_filter_upside_down(Bench *bench)
{
    const float *w = bench->w;
    compute_with(bench, (float[]){w[6], w[7], w[8], w[3], w[4], w[5], w[0], w[1], w[2]});
}

static void use_a_filter_from_right_to_left(Bench *bench)
{
    const float *w = bench->w;
    compute_with(bench, (float[]){w[2], w[1], w[0], w[5], w[4], w[3], w[8], w[7], w[6]});
}

static const float of_case_before[] = {0.1f, 8, 7, 6, -5, 4, 3, 2, 1}; /* the filter of the bench, flipped */

static void use_the_filter_of_the_case_before(Bench *bench)
{
    compute_with(bench, of_case_before);
}

static void use_a_filter_by_columns(Bench *bench)
{
    const float *w = bench->w;
    compute_with(bench, (float[]){w[0], w[3], w[6], w[1], w[4], w[7], w[2], w[5], w[8]});
}

static void write_by_columns(Bench *bench)
{
    float *turned = malloc(bench->count * sizeof *turned);
    for (size_t i = 0; i < bench->count; i++)
        turned[i % bench->cols * bench->rows + i / bench->cols] = bench->y[i];
    memcpy(bench->y, turned, bench->count * sizeof *turned);
    free(turned);
}

static void mix_up_rows_and_columns(Bench *bench)
{
    size_t rows = bench->rows;
    bench->rows = bench->cols;
    bench->cols = rows;
    fill_right(bench);
}

static void leave_out_the_last_column_of_taps(Bench *bench)
{
    const float *w = bench->w;
    compute_with(bench, (float[]){w[0], w[1], 0, w[3], w[4], 0, w[6], w[7], 0});
}

static void begin_with_the_second_row_of_taps(Bench *bench)
{
    const float *w = bench->w;
    compute_with(bench, (float[]){0, 0, 0, w[3], w[4], w[5], w[6], w[7], w[8]});
}

static void leave_out_the_last_row_and_column_of_taps(Bench *bench)
{
    const float *w = bench->w;
    compute_with(bench, (float[]){w[0], w[1], 0, w[3], w[4], 0, 0, 0, 0});
}

static void take_the_middle_column_of_taps_alone(Bench *bench)
{
    const float *w = bench->w;
    compute_with(bench, (float[]){0, w[1], 0, 0, w[4], 0, 0, w[7], 0});
}

/* What comes of the first row and column does not matter: -3. */
static void centre_the_filter(Bench *bench)
{
    float *right = malloc(bench->count * sizeof *right);
    memcpy(right, bench->y, bench->count * sizeof *right);
    for (size_t i = 0; i < bench->count; i++) {
        const size_t row = i / bench->cols, col = i % bench->cols;
        bench->y[i] = row > 0 && col > 0 ? right[i - bench->cols - 1] : -3;
    }
    free(right);
}

/* As where the statement centres the filter and solve() does not. */
static void begin_the_filter_at_the_output(Bench *bench)
{
    for (size_t i = 0; i < bench->count; i++)
        bench->y[i] = i / bench->cols + 1 < bench->rows && i % bench->cols + 1 < bench->cols
                          ? bench->y[i + bench->cols + 1]
                          : -3;
}

static void square_the_first_tap(Bench *bench)
{
    const float *w = bench->w;
    compute_with(bench, (float[]){9, w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8]});
}

static const Mistake mistakes[] = {
    {"upside down", use_a_filter_upside_down, WRONG_NATURE_FLIPPED_ROWS},
    {"from right to left", use_a_filter_from_right_to_left, WRONG_NATURE_FLIPPED_COLUMNS},
    {"by columns", use_a_filter_by_columns, WRONG_NATURE_FILTER_TURNED},
    {"output by columns", write_by_columns, WRONG_NATURE_TRANSPOSED},
    {"rows and columns", mix_up_rows_and_columns, WRONG_NATURE_TRANSPOSED},
    {"no last column", leave_out_the_last_column_of_taps, WRONG_NATURE_CUT_OFF},
    {"no first row", begin_with_the_second_row_of_taps, WRONG_NATURE_CUT_OFF},
    {"no last row and column", leave_out_the_last_row_and_column_of_taps, WRONG_NATURE_CUT_OFF},
    {"the middle column", take_the_middle_column_of_taps_alone, WRONG_NATURE_CUT_OFF},
    {"centred", centre_the_filter, WRONG_NATURE_MOVED},
    {"not centred", begin_the_filter_at_the_output, WRONG_NATURE_MOVED},
    {"another tap", square_the_first_tap, WRONG_NATURE_UNKNOWN},
};

static WrongNature nature_of(Bench *bench, const void *const *previous)
{
    const void *inputs[PROBLEM_MAX_PARAMETERS] = {bench->x, bench->w};
    Comparison comparison;
    Message why = {0};
    if (checker_compare(&bench->problem, bench->testcase, bench->oracle, inputs, previous, bench->y, POISON,
                        &comparison, &why) != STATUS_OK)
        fail_test("%s", why.text);
    assert_true(comparison.wrong > 0);
    return comparison.kind.nature;
}

static void mistakes_of_order_are_recognised(void **state)
{
    for (size_t i = 0; i < COUNT_OF(mistakes); i++) {
        Bench bench;
        bench_open(&bench, 30, 50);
        mistakes[i].make(&bench);
        WrongNature nature = nature_of(&bench, NULL);
        if (nature != mistakes[i].nature)
            fail_test("%s: \"%s\"", mistakes[i].name, wrong_nature_words(nature));
        bench_close(&bench);
    }
}

/* A move of the output would leave one of its four elements to compare. */
static void a_filter_that_is_centred_is_recognised_in_a_small_sample(void **state)
{
    Bench bench;
    bench_open(&bench, 2, 2);
    float *own = bench.x;
    bench.x = calloc(16, sizeof *bench.x);
    for (size_t i = 0; i < 9; i++)
        bench.x[5 + i / 3 * 4 + i % 3] = own[i / 3 * 4 + i % 3];
    fill_right(&bench);
    free(bench.x);
    bench.x = own;
    assert_int_equal(nature_of(&bench, NULL), WRONG_NATURE_MOVED);
    bench_close(&bench);
}

/* In an image whose elements are all 1, a filter that is centred does the same as a loop that leaves out the first row and
 * column of the image. */
static void a_filter_that_is_centred_is_not_called_cut_off(void **state)
{
    Bench bench;
    bench_open(&bench, 2, 2);
    for (size_t i = 0; i < 16; i++)
        bench.x[i] = i / 4 > 0 && i % 4 > 0 ? 1 : 0;
    fill_right(&bench);
    for (size_t i = 0; i < 16; i++)
        bench.x[i] = 1;
    assert_int_equal(nature_of(&bench, NULL), WRONG_NATURE_MOVED);
    bench_close(&bench);
}

static void a_filter_of_the_case_before_is_not_called_flipped(void **state)
{
    const void *previous[PROBLEM_MAX_PARAMETERS] = {NULL, of_case_before};
    Bench bench;
    bench_open(&bench, 30, 50);
    use_the_filter_of_the_case_before(&bench);
    assert_int_equal(nature_of(&bench, NULL), WRONG_NATURE_FLIPPED);
    assert_int_equal(nature_of(&bench, previous), WRONG_NATURE_STALE);
    use_a_filter_upside_down(&bench);
    assert_int_equal(nature_of(&bench, previous), WRONG_NATURE_FLIPPED_ROWS);
    bench_close(&bench);
}

static void a_filter_that_is_a_multiple_of_the_last_one_is_called_stale(void **state)
{
    float twice[9];
    const void *previous[PROBLEM_MAX_PARAMETERS] = {NULL, twice};
    Bench bench;
    bench_open(&bench, 30, 50);
    for (size_t i = 0; i < 9; i++)
        twice[i] = 2 * bench.w[i];
    compute_with(&bench, twice);
    assert_int_equal(nature_of(&bench, NULL), WRONG_NATURE_FACTOR);
    assert_int_equal(nature_of(&bench, previous), WRONG_NATURE_STALE);
    bench_close(&bench);
}

static void a_filter_that_is_not_used_is_not_called_stale(void **state)
{
    static const float zeros[9] = {0};
    const void *previous[PROBLEM_MAX_PARAMETERS] = {NULL, zeros};
    Bench bench;
    bench_open(&bench, 30, 50);
    compute_with(&bench, zeros);
    assert_int_not_equal(nature_of(&bench, previous), WRONG_NATURE_STALE);
    bench_close(&bench);
}

/* If it has only one or two different numbers, another mistake can have made the same output. */
static void a_filter_of_two_numbers_is_not_called_stale(void **state)
{
    static const float middle[9] = {0, 2, 0, 2, 5, 2, 0, 2, 0};
    const void *previous[PROBLEM_MAX_PARAMETERS] = {NULL, middle};
    Bench bench;
    bench_open(&bench, 30, 50);
    compute_with(&bench, middle);
    assert_int_not_equal(nature_of(&bench, previous), WRONG_NATURE_STALE);
    bench_close(&bench);
}

/* ---- a border of zeros, a bias and a rectifier ------------------------------------------------------------------- */

enum { LAYER_ROWS = 7, LAYER_COLS = 9, LAYER_COUNT = LAYER_ROWS * LAYER_COLS };

static const char layer_problem[] =
    "{\"schema\": 1, \"id\": \"layer\", \"title\": \"Layer\", \"difficulty\": \"easy\",\n"
    "\"signature\": \"void solve(const float* x, const float* w, const float* b, float* y, int rows, int cols)\",\n"
    "\"parameters\": [{\"name\": \"x\", \"role\": \"in\", \"shape\": [\"rows\", \"cols\"]},\n"
    "{\"name\": \"w\", \"role\": \"in\", \"shape\": [\"3\", \"3\"]},\n"
    "{\"name\": \"b\", \"role\": \"in\", \"shape\": [\"1\"]},\n"
    "{\"name\": \"y\", \"role\": \"out\", \"shape\": [\"rows\", \"cols\"]},\n"
    "{\"name\": \"rows\", \"role\": \"size\", \"min\": 1, \"max\": 9000},\n"
    "{\"name\": \"cols\", \"role\": \"size\", \"min\": 1, \"max\": 9000}],\n"
    "\"constraints\": [], \"operations\": \"18 * rows * cols\", \"bytes\": \"8 * rows * cols\",\n"
    "\"tolerance\": {\"sum_factor\": 32, \"max_factor\": 4, \"rms\": 2e-5, \"why\": \"sums\"},\n"
    "\"limits\": {\"device_mebibytes\": 10, \"host_mebibytes\": 20, \"host_seconds\": 5, \"wall_seconds\": 5,\n"
    " \"sim_warp_instructions\": 1000, \"source_bytes\": 1024},\n"
    "\"rules\": {\"kernel_must_write_output\": true},\n"
    "\"timing\": {\"blocks\": 3, \"warm_up_calls\": 0, \"timed_calls\": 100}}\n";

static const char layer_oracle[] =
    "ORACLE Sum oracle(const Case *c, long row, long col)\n"
    "{\n"
    "    Sum sum = sum_add_term(SUM_ZERO, (Real){0} + c->b[0]);\n"
    "    for (int r = -1; r <= 1; r++)\n"
    "        if (row + r >= 0 && row + r < c->rows)\n"
    "            for (int s = -1; s <= 1; s++)\n"
    "                sum = sum_add(sum, at_inside(c->x, (row + r) * c->cols + col + s, col + s, c->cols),\n"
    "                              c->w[3 * (r + 1) + s + 1]);\n"
    "    return sum_positive(sum);\n"
    "}\n";

static const char layer_cases[] =
    "{\"schema\": 1, \"cases\": [{\"name\": \"a\", \"why\": \"b\", \"sizes\": {\"rows\": 7, \"cols\": 9},"
    " \"inputs\": {\"x\": {\"generator\": \"uniform\", \"low\": -1, \"high\": 1, \"seed\": 3},"
    " \"w\": {\"values\": [1, 2, 3, 4, 5, 6, 7, 8, 9.5]}, \"b\": {\"values\": [-0.75]}}}]}";

typedef struct LayerBench {
    Problem problem;
    TestcaseSet set;
    Oracle *oracle;
    float x[LAYER_COUNT], w[9], b[1], y[LAYER_COUNT];
} LayerBench;

/* What lies at a position of the image, or beyond its border. */
typedef float BorderElement(const LayerBench *bench, int row, int col);

static bool is_inside(int row, int col)
{
    return row >= 0 && row < LAYER_ROWS && col >= 0 && col < LAYER_COLS;
}

static float zero_outside(const LayerBench *bench, int row, int col)
{
    return is_inside(row, col) ? bench->x[row * LAYER_COLS + col] : 0;
}

static int nearest(int at, int extent)
{
    return at < 0 ? 0 : at >= extent ? extent - 1 : at;
}

static float repeated(const LayerBench *bench, int row, int col)
{
    return zero_outside(bench, nearest(row, LAYER_ROWS), nearest(col, LAYER_COLS));
}

static float rows_repeated(const LayerBench *bench, int row, int col)
{
    return zero_outside(bench, nearest(row, LAYER_ROWS), col);
}

static float around(const LayerBench *bench, int row, int col)
{
    return zero_outside(bench, (row + LAYER_ROWS) % LAYER_ROWS, (col + LAYER_COLS) % LAYER_COLS);
}

static int mirror(int at, int extent)
{
    return at < 0 ? -at : at >= extent ? 2 * extent - 2 - at : at;
}

static float mirrored(const LayerBench *bench, int row, int col)
{
    return zero_outside(bench, mirror(row, LAYER_ROWS), mirror(col, LAYER_COLS));
}

static float next_row(const LayerBench *bench, int row, int col)
{
    const int index = row * LAYER_COLS + col;
    return row >= 0 && row < LAYER_ROWS && index >= 0 && index < LAYER_COUNT ? bench->x[index] : 0;
}

/* The sum of products, and the sum of the taps that lie inside. */
static double layer_products(const LayerBench *bench, BorderElement *element, size_t index, double *inside)
{
    const int row = (int)index / LAYER_COLS, col = (int)index % LAYER_COLS;
    double sum = 0;
    *inside = 0;
    for (int r = -1; r <= 1; r++)
        for (int s = -1; s <= 1; s++) {
            const double tap = bench->w[3 * (r + 1) + s + 1];
            sum += tap * element(bench, row + r, col + s);
            *inside += is_inside(row + r, col + s) ? tap : 0;
        }
    return sum;
}

/* Makes an output of the sum of products, the bias, and the share of the taps that lie inside. */
typedef double LayerFormula(double products, double bias, double share);

static double as_it_should_be(double products, double bias, double share)
{
    return fmax(0, products + bias);
}

static double bias_last(double products, double bias, double share)
{
    return fmax(0, products) + bias;
}

static double two_rectifiers(double products, double bias, double share)
{
    return fmax(0, products) + fmax(0, bias);
}

static double no_rectifier(double products, double bias, double share)
{
    return products + bias;
}

static double magnitude_of_sum(double products, double bias, double share)
{
    return fabs(products + bias);
}

static double renormalised(double products, double bias, double share)
{
    return fmax(0, products + bias) / share;
}

static const struct {
    const char *name;
    BorderElement *element;
    LayerFormula *formula;
    WrongNature nature;
} layer_mistakes[] = {
    {"repeated", repeated, as_it_should_be, WRONG_NATURE_BORDER_REPEATED},
    {"rows repeated", rows_repeated, as_it_should_be, WRONG_NATURE_BORDER_REPEATED},
    {"wrapped", around, as_it_should_be, WRONG_NATURE_BORDER_WRAPPED},
    {"mirrored", mirrored, as_it_should_be, WRONG_NATURE_BORDER_MIRRORED},
    {"next row", next_row, as_it_should_be, WRONG_NATURE_BORDER_NEXT},
    {"bias last", zero_outside, bias_last, WRONG_NATURE_BIAS_LATE},
    {"two rectifiers", zero_outside, two_rectifiers, WRONG_NATURE_BIAS_LATE},
    {"no rectifier", zero_outside, no_rectifier, WRONG_NATURE_NOT_RECTIFIED},
    {"magnitude", zero_outside, magnitude_of_sum, WRONG_NATURE_NOT_RECTIFIED},
};

static void layer_open(LayerBench *bench)
{
    const GeneratorKey key = {{1}};
    Message why = {0};
    home_write("problems/layer/problem.json", layer_problem);
    home_write("problems/layer/oracle.h", layer_oracle);
    home_write("testcases/layer/sample.json", layer_cases);
    home_write("testcases/layer/hidden.json", layer_cases);
    if (problem_read("layer", &bench->problem, &why) != STATUS_OK ||
        testcases_read(&bench->problem, &bench->set, &why) != STATUS_OK ||
        oracle_open(&bench->problem, &bench->oracle, &why) != STATUS_OK)
        fail_test("%s", why.text);
    testcase_fill(&bench->problem, &bench->set.cases[0], 0, &key, bench->x, LAYER_COUNT);
    testcase_fill(&bench->problem, &bench->set.cases[0], 1, &key, bench->w, 9);
    testcase_fill(&bench->problem, &bench->set.cases[0], 2, &key, bench->b, 1);
}

static void layer_close(LayerBench *bench)
{
    oracle_close(bench->oracle);
    testcases_free(&bench->set);
    problem_free(&bench->problem);
}

static Comparison compare_layer(const LayerBench *bench)
{
    const void *inputs[PROBLEM_MAX_PARAMETERS] = {bench->x, bench->w, bench->b};
    Comparison comparison;
    Message why = {0};
    if (checker_compare(&bench->problem, &bench->set.cases[0], bench->oracle, inputs, NULL, bench->y, POISON,
                        &comparison, &why) != STATUS_OK)
        fail_test("%s", why.text);
    return comparison;
}

static void fill_layer(LayerBench *bench, BorderElement *element, LayerFormula *formula)
{
    double all = 0, inside;
    for (size_t i = 0; i < 9; i++)
        all += bench->w[i];
    for (size_t i = 0; i < LAYER_COUNT; i++) {
        const double products = layer_products(bench, element, i, &inside);
        bench->y[i] = (float)formula(products, bench->b[0], inside / all);
    }
}

static void other_borders_and_formulas_are_recognised(void **state)
{
    LayerBench bench;
    layer_open(&bench);
    fill_layer(&bench, zero_outside, as_it_should_be);
    assert_int_equal(compare_layer(&bench).wrong, 0);
    for (size_t i = 0; i < COUNT_OF(layer_mistakes); i++) {
        fill_layer(&bench, layer_mistakes[i].element, layer_mistakes[i].formula);
        const Comparison comparison = compare_layer(&bench);
        if (comparison.kind.nature != layer_mistakes[i].nature)
            fail_test("%s: \"%s\"", layer_mistakes[i].name, comparison.text);
    }
    bench.b[0] = 0;
    fill_layer(&bench, zero_outside, renormalised);
    /* Zeros stay zeros, so that not all of those elements are wrong. */
    assert_string_equal(compare_layer(&bench).text,
                        "only elements whose filter reaches past the border: divided by the "
                        "sum of the filter, or of its part inside the image");
    layer_close(&bench);
}

/* Something else in each element of the border is no other border. */
static void elements_whose_filter_reaches_past_the_border_are_named(void **state)
{
    LayerBench bench;
    layer_open(&bench);
    fill_layer(&bench, zero_outside, as_it_should_be);
    for (size_t i = 0; i < LAYER_COUNT; i++)
        if (i / LAYER_COLS == 0 || i / LAYER_COLS == LAYER_ROWS - 1 || i % LAYER_COLS == 0 ||
            i % LAYER_COLS == LAYER_COLS - 1)
            bench.y[i] += 1 + (float)(i * i % 7);
    assert_string_equal(compare_layer(&bench).text,
                        "only elements whose filter reaches past the border, and all of them");
    bench.y[3 * LAYER_COLS + 4] += 1;
    assert_int_not_equal(compare_layer(&bench).kind.place, WRONG_PLACE_REACHING);
    layer_close(&bench);
}

/* ---- two passes over bytes --------------------------------------------------------------------------------------- */

enum { PASS_ROWS = 8, PASS_COLS = 11, PASS_COUNT = PASS_ROWS * PASS_COLS };

static const char pass_problem[] =
    "{\"schema\": 1, \"id\": \"passes\", \"title\": \"Passes\", \"difficulty\": \"easy\",\n"
    "\"signature\": \"void solve(const unsigned char* x, const float* f, unsigned char* y, int rows, int cols)\",\n"
    "\"parameters\": [{\"name\": \"x\", \"role\": \"in\", \"shape\": [\"rows\", \"cols\"]},\n"
    "{\"name\": \"f\", \"role\": \"in\", \"shape\": [\"3\"]},\n"
    "{\"name\": \"y\", \"role\": \"out\", \"shape\": [\"rows\", \"cols\"]},\n"
    "{\"name\": \"rows\", \"role\": \"size\", \"min\": 1, \"max\": 9000},\n"
    "{\"name\": \"cols\", \"role\": \"size\", \"min\": 1, \"max\": 9000}],\n"
    "\"constraints\": [], \"operations\": \"rows * cols\", \"bytes\": \"2 * rows * cols\",\n"
    "\"tolerance\": {\"levels\": 1, \"why\": \"rounding\"},\n"
    "\"limits\": {\"device_mebibytes\": 10, \"host_mebibytes\": 20, \"host_seconds\": 5, \"wall_seconds\": 5,\n"
    " \"sim_warp_instructions\": 1000, \"source_bytes\": 1024},\n"
    "\"rules\": {\"kernel_must_write_output\": true},\n"
    "\"timing\": {\"blocks\": 3, \"warm_up_calls\": 0, \"timed_calls\": 100}}\n";

static const char pass_oracle[] =
    "ORACLE Sum in_row(const Case *c, long row, long col)\n"
    "{\n"
    "    Sum sum = SUM_ZERO;\n"
    "    for (int s = -1; s <= 1; s++)\n"
    "        sum = sum_add(sum, at_inside(c->x, row * c->cols + col + s, col + s, c->cols), c->f[1 + s]);\n"
    "    return sum;\n"
    "}\n"
    "#define ORACLE_PASS in_row\n"
    "ORACLE Sum oracle(const Case *c, long row, long col)\n"
    "{\n"
    "    Sum sum = SUM_ZERO;\n"
    "    for (int r = -1; r <= 1; r++)\n"
    "        if (row + r >= 0 && row + r < c->rows)\n"
    "            sum = sum_add_sum(sum, pass_at(c, (row + r) * c->cols + col, row + r, col), c->f[1 + r]);\n"
    "    return sum;\n"
    "}\n";

static const char pass_cases[] =
    "{\"schema\": 1, \"cases\": [{\"name\": \"a\", \"why\": \"b\", \"sizes\": {\"rows\": 8, \"cols\": 11},"
    " \"inputs\": {\"x\": {\"generator\": \"integers\", \"low\": 0, \"high\": 255},"
    " \"f\": {\"values\": [-0.5, 1.9, -0.4]}}}]}";

static double level(double value)
{
    return fmin(fmax(rint(value), 0), 255);
}

static double low_bits(double value)
{
    return (double)((int)rint(value) & 255);
}

static double same(double value)
{
    return value;
}

static unsigned char pass_element(const unsigned char *x, const double f[3], size_t index, double (*between)(double),
                                  double (*last)(double))
{
    const int row = (int)index / PASS_COLS, col = (int)index % PASS_COLS;
    double sum = 0;
    for (int r = -1; r <= 1; r++) {
        double in_row = 0;
        for (int s = -1; s <= 1; s++)
            if (col + s >= 0 && col + s < PASS_COLS && row + r >= 0 && row + r < PASS_ROWS)
                in_row += f[1 + s] * x[(row + r) * PASS_COLS + col + s];
        sum += f[1 + r] * between(in_row);
    }
    return (unsigned char)last(sum);
}

static void what_happens_between_and_after_two_passes_is_recognised(void **state)
{
    static const struct {
        double (*between)(double), (*last)(double);
        WrongNature nature;
    } rows[] = {{same, level, WRONG_NATURE_UNKNOWN},
                {level, level, WRONG_NATURE_BETWEEN},
                {low_bits, level, WRONG_NATURE_BETWEEN},
                {same, low_bits, WRONG_NATURE_WRAPPED}};
    static const double f[3] = {-0.5f, 1.9f, -0.4f};
    const float taps[3] = {-0.5f, 1.9f, -0.4f};
    unsigned char x[PASS_COUNT], y[PASS_COUNT];
    const void *inputs[PROBLEM_MAX_PARAMETERS] = {x, taps};
    Problem problem;
    TestcaseSet set;
    Oracle *oracle;
    Message why = {0};
    home_write("problems/passes/problem.json", pass_problem);
    home_write("problems/passes/oracle.h", pass_oracle);
    home_write("testcases/passes/sample.json", pass_cases);
    home_write("testcases/passes/hidden.json", pass_cases);
    if (problem_read("passes", &problem, &why) != STATUS_OK || testcases_read(&problem, &set, &why) != STATUS_OK ||
        oracle_open(&problem, &oracle, &why) != STATUS_OK)
        fail_test("%s", why.text);
    testcase_fill(&problem, &set.cases[0], 0, &(GeneratorKey){{1}}, x, sizeof x);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        Comparison comparison;
        for (size_t k = 0; k < PASS_COUNT; k++)
            y[k] = pass_element(x, f, k, rows[i].between, rows[i].last);
        if (checker_compare(&problem, &set.cases[0], oracle, inputs, NULL, y, POISON, &comparison, &why) != STATUS_OK)
            fail_test("%s", why.text);
        assert_int_equal(comparison.wrong > 0, i > 0);
        if (comparison.kind.nature != rows[i].nature)
            fail_test("row %zu: \"%s\"", i, comparison.text);
    }
    oracle_close(oracle);
    testcases_free(&set);
    problem_free(&problem);
}

/* ---- pixels of four bytes ---------------------------------------------------------------------------------------- */

enum { PIXEL_ROWS = 6, PIXEL_COLS = 10, PIXELS = PIXEL_ROWS * PIXEL_COLS };

static const char pixel_problem[] =
    "{\"schema\": 1, \"id\": \"pixels\", \"title\": \"Filter\", \"difficulty\": \"easy\",\n"
    "\"signature\": \"void solve(const unsigned char* x, unsigned char* y, int rows, int cols)\",\n"
    "\"parameters\": [{\"name\": \"x\", \"role\": \"in\", \"shape\": [\"rows\", \"4 * cols\"]},\n"
    "{\"name\": \"y\", \"role\": \"out\", \"shape\": [\"rows\", \"4 * cols\"]},\n"
    "{\"name\": \"rows\", \"role\": \"size\", \"min\": 1, \"max\": 9000},\n"
    "{\"name\": \"cols\", \"role\": \"size\", \"min\": 1, \"max\": 9000}],\n"
    "\"constraints\": [], \"operations\": \"rows * cols\", \"bytes\": \"8 * rows * cols\",\n"
    "\"tolerance\": {\"levels\": 1, \"why\": \"rounding\"},\n"
    "\"limits\": {\"device_mebibytes\": 10, \"host_mebibytes\": 20, \"host_seconds\": 5, \"wall_seconds\": 5,\n"
    " \"sim_warp_instructions\": 1000, \"source_bytes\": 1024},\n"
    "\"rules\": {\"kernel_must_write_output\": true},\n"
    "\"timing\": {\"blocks\": 3, \"warm_up_calls\": 0, \"timed_calls\": 100}}\n";

/* The negative, so that no missing input is told by an output of 0. */
static const char pixel_oracle[] = "ORACLE Sum oracle(const Case *c, long row, long col)\n"
                                   "{\n"
                                   "    return sum_add(SUM_ZERO, 255 - at(c->x, row * 4 * c->cols + col), 1);\n"
                                   "}\n";

static const char pixel_cases[] = "{\"schema\": 1, \"cases\": [{\"name\": \"a\", \"why\": \"b\","
                                  " \"sizes\": {\"rows\": 6, \"cols\": 10},"
                                  " \"inputs\": {\"x\": {\"generator\": \"integers\", \"low\": 0, \"high\": 255}}}]}";

/* The place of a byte of a pixel, as different libraries have it. */
static size_t red_for_blue(size_t pixel, size_t channel)
{
    return 4 * pixel + (channel == 3 ? 3 : 2 - channel);
}
static size_t last_channel_first(size_t pixel, size_t channel)
{
    return 4 * pixel + 3 - channel;
}
static size_t alpha_first(size_t pixel, size_t channel)
{
    return 4 * pixel + (channel + 1) % 4;
}
static size_t in_planes(size_t pixel, size_t channel)
{
    return channel * PIXELS + pixel;
}

typedef struct PixelBench {
    Problem problem;
    TestcaseSet set;
    Oracle *oracle;
    unsigned char x[4 * PIXELS], y[4 * PIXELS];
} PixelBench;

static void pixels_open(PixelBench *bench)
{
    Message why = {0};
    home_write("problems/pixels/problem.json", pixel_problem);
    home_write("problems/pixels/oracle.h", pixel_oracle);
    home_write("testcases/pixels/sample.json", pixel_cases);
    home_write("testcases/pixels/hidden.json", pixel_cases);
    if (problem_read("pixels", &bench->problem, &why) != STATUS_OK ||
        testcases_read(&bench->problem, &bench->set, &why) != STATUS_OK ||
        oracle_open(&bench->problem, &bench->oracle, &why) != STATUS_OK)
        fail_test("%s", why.text);
    testcase_fill(&bench->problem, &bench->set.cases[0], 0, &(GeneratorKey){{1}}, bench->x, sizeof bench->x);
}

static void pixels_close(PixelBench *bench)
{
    oracle_close(bench->oracle);
    testcases_free(&bench->set);
    problem_free(&bench->problem);
}

static Comparison compare_pixels(const PixelBench *bench)
{
    const void *inputs[PROBLEM_MAX_PARAMETERS] = {bench->x};
    Comparison comparison;
    Message why = {0};
    if (checker_compare(&bench->problem, &bench->set.cases[0], bench->oracle, inputs, NULL, bench->y, POISON,
                        &comparison, &why) != STATUS_OK)
        fail_test("%s", why.text);
    return comparison;
}

static void channels_in_another_order_are_recognised(void **state)
{
    size_t (*const orders[])(size_t, size_t) = {red_for_blue, last_channel_first, alpha_first, in_planes};
    PixelBench bench;
    pixels_open(&bench);
    for (size_t i = 0; i < COUNT_OF(orders); i++) {
        for (size_t j = 0; j < sizeof bench.x; j++)
            bench.y[orders[i](j / 4, j % 4)] = 255 - bench.x[j];
        const Comparison comparison = compare_pixels(&bench);
        if (comparison.kind.nature != WRONG_NATURE_CHANNELS)
            fail_test("order %zu: %s", i, comparison.text);
    }
    pixels_close(&bench);
}

/* So many parts are tried that one of them explains two elements by chance. */
static void a_channel_that_is_left_out_is_recognised_from_three_wrong_elements_on(void **state)
{
    enum { ALPHA = 3 };
    PixelBench bench;
    pixels_open(&bench);
    for (size_t i = 0; i < PIXELS; i++)
        bench.x[4 * i + ALPHA] = 0;
    for (size_t i = 0; i < sizeof bench.y; i++)
        bench.y[i] = 255 - bench.x[i];
    for (size_t wrong = 1; wrong <= 4; wrong++) {
        bench.x[4 * (13 * wrong) + ALPHA] = 200;
        const Comparison comparison = compare_pixels(&bench);
        assert_int_equal(comparison.wrong, wrong);
        assert_int_equal(comparison.kind.nature, wrong < 3 ? WRONG_NATURE_UNKNOWN : WRONG_NATURE_CUT_OFF);
    }
    pixels_close(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mistakes_of_order_are_recognised),
        cmocka_unit_test(a_filter_that_is_centred_is_recognised_in_a_small_sample),
        cmocka_unit_test(a_filter_that_is_centred_is_not_called_cut_off),
        cmocka_unit_test(a_filter_of_the_case_before_is_not_called_flipped),
        cmocka_unit_test(a_filter_that_is_a_multiple_of_the_last_one_is_called_stale),
        cmocka_unit_test(a_filter_that_is_not_used_is_not_called_stale),
        cmocka_unit_test(a_filter_of_two_numbers_is_not_called_stale),
        cmocka_unit_test(other_borders_and_formulas_are_recognised),
        cmocka_unit_test(elements_whose_filter_reaches_past_the_border_are_named),
        cmocka_unit_test(what_happens_between_and_after_two_passes_is_recognised),
        cmocka_unit_test(channels_in_another_order_are_recognised),
        cmocka_unit_test(a_channel_that_is_left_out_is_recognised_from_three_wrong_elements_on),
    };
    return cmocka_run_group_tests(tests, make_problem, home_remove);
}
