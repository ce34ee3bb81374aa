/* The oracle in a process of its own, here on the simulated GPU. */
#include "base/clock.h"
#include "base/tests/patience.h"
#include "base/tests/unit.h"

#include "grader/check/device_oracle.h"
#include "grader/check/oracle.h"
#include "grader/check/oracle_kernels.h"
#include "grader/problem/key_stream.h"
#include "grader/problem/problem.h"
#include "grader/problem/testcase_data.h"
#include "grader/tests/home.h"
#include "harness/compile/tests/with_nvcc.h"

#include <math.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

enum { POISON = 0x7FC0BEEF, PADDING = 4096 };

/* A problem with both its oracles, and memory for one case of it. */
typedef struct Bench {
    Problem problem;
    DeviceOracle *device;
    Oracle *host;
    Testcase testcase;
    int memory;
    uint8_t *mapped;
    size_t bytes, offsets[PROBLEM_MAX_PARAMETERS], counts[PROBLEM_MAX_PARAMETERS];
} Bench;

static void check_status(Status status, const Message *why)
{
    if (status != STATUS_OK)
        fail_test("the judge failed: %s", why->text);
}

static void bench_open(Bench *bench, const char *id)
{
    Message why = {0};
    *bench = (Bench){.memory = -1};
    check_status(problem_read(id, &bench->problem, &why), &why);
    check_status(device_oracle_start(&bench->problem, "sim:h200", 90, &bench->device, &why), &why);
    check_status(oracle_open(&bench->problem, &bench->host, &why), &why);
    check_status(device_oracle_ready(bench->device, &why), &why);
}

static void bench_drop_case(Bench *bench)
{
    if (bench->memory < 0)
        return;
    munmap(bench->mapped, bench->bytes);
    close(bench->memory);
    bench->memory = -1;
}

static void bench_close(Bench *bench)
{
    bench_drop_case(bench);
    device_oracle_stop(bench->device);
    oracle_close(bench->host);
    problem_free(&bench->problem);
}

static bool is_array(const Bench *bench, size_t parameter)
{
    return parameter < bench->problem.parameter_count && bench->problem.parameters[parameter].role != ROLE_SIZE;
}

static size_t array_bytes(const Bench *bench, size_t parameter)
{
    return bench->counts[parameter] * element_bytes(bench->problem.parameters[parameter].type);
}

static void *array(const Bench *bench, size_t parameter)
{
    return bench->mapped + bench->offsets[parameter];
}

static float *output(const Bench *bench)
{
    return array(bench, problem_output(&bench->problem));
}

static Status give_case(Bench *bench, const Testcase *testcase, Message *why)
{
    size_t shape[TENSOR_MAX_RANK];
    bench_drop_case(bench);
    bench->testcase = *testcase;
    bench->bytes = 0;
    for (size_t i = 0; i < bench->problem.parameter_count; i++) {
        if (!is_array(bench, i))
            continue;
        check_status(problem_shape(&bench->problem, i, &testcase->sizes, shape, &bench->counts[i], why), why);
        bench->offsets[i] = bench->bytes;
        bench->bytes += (array_bytes(bench, i) + PADDING - 1) / PADDING * PADDING;
    }
    bench->memory = memfd_create("arrays", MFD_CLOEXEC);
    assert_int_equal(ftruncate(bench->memory, (off_t)bench->bytes), 0);
    bench->mapped = mmap(NULL, bench->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, bench->memory, 0);
    int exchange;
    Status status = device_oracle_case(bench->device, testcase, bench->memory, bench->bytes, bench->offsets, &exchange,
                                       why);
    assert_int_equal(exchange, -1); /* the simulated device shares no memory */
    return status;
}

static void use_case(Bench *bench, const Testcase *testcase)
{
    Message why = {0};
    check_status(give_case(bench, testcase, &why), &why);
}

static void fill(Bench *bench, const GeneratorKey *secret)
{
    Message why = {0};
    OracleAnswer answer;
    check_status(device_oracle_fill(bench->device, secret, &why), &why);
    check_status(device_oracle_wait(bench->device, &answer, &why), &why);
    assert_true(answer.seconds > 0);
}

/* --- inputs ------------------------------------------------------------------------------------------------------- */

static void check_inputs(const Bench *bench, const GeneratorKey *secret)
{
    for (size_t i = 0; i < bench->problem.parameter_count; i++) {
        if (bench->problem.parameters[i].role != ROLE_IN)
            continue;
        void *expected = malloc(array_bytes(bench, i));
        testcase_fill(&bench->problem, &bench->testcase, i, secret, expected, bench->counts[i]);
        assert_memory_equal(array(bench, i), expected, array_bytes(bench, i));
        free(expected);
    }
}

static void inputs_have_the_bits_that_the_grader_would_give_them(void **state)
{
    static const CaseSource floats[] = {
        {.kind = SOURCE_UNIFORM, .a = -1, .b = 1},
        {.kind = SOURCE_UNIFORM, .a = 1e-3, .b = 33554432, .seeded = true, .seed = 9},
        {.kind = SOURCE_NORMAL, .a = 0.1, .b = 3.7},
        {.kind = SOURCE_INTEGERS, .a = -16777216, .b = 16777216},
        {.kind = SOURCE_RAMP, .a = -5, .b = 0.1},
        {.kind = SOURCE_CONSTANT, .a = 0.1, .b = 77},
        {.kind = SOURCE_IMPULSE, .a = 2.5, .position = -1},
    };
    static const CaseSource ints[] = {
        {.kind = SOURCE_INTEGERS, .a = INT32_MIN, .b = INT32_MAX},
        {.kind = SOURCE_INTEGERS, .a = 4, .b = 4},
        {.kind = SOURCE_RAMP, .a = 1000000, .b = -7},
        {.kind = SOURCE_CONSTANT, .a = -3, .b = 77},
        {.kind = SOURCE_IMPULSE, .a = -9, .position = 0},
    };
    static const CaseSource bytes[] = {
        {.kind = SOURCE_INTEGERS, .a = 0, .b = 255},
        {.kind = SOURCE_RAMP, .a = 2, .b = 3},
        {.kind = SOURCE_CONSTANT, .a = 255},
        {.kind = SOURCE_IMPULSE, .a = 200, .position = 28},
        {.kind = SOURCE_IMPULSE, .a = 17, .position = -1},
    };
    Bench bench;
    bench_open(&bench, "blend");
    for (size_t i = 0; i < COUNT_OF(floats); i++) {
        const Testcase testcase = {.group = CASE_TIMED,
                                   .number = (int)i + 1,
                                   .sizes = {{[4] = 37, [5] = 29}},
                                   .sources = {floats[i], ints[i % COUNT_OF(ints)], bytes[i % COUNT_OF(bytes)]}};
        use_case(&bench, &testcase);
        for (uint32_t secret = 5; secret < 8; secret++) {
            const GeneratorKey key = {{secret, 0, 0, 0, 0, 0, 0, ~secret}};
            fill(&bench, &key);
            check_inputs(&bench, &key);
        }
    }
    bench_close(&bench);
}

static Tensor file_of(ElementType type, int rank, size_t rows, size_t cols, double first, double step)
{
    Tensor file = {type, rank, {rows, cols}, NULL};
    if (rank == 1)
        file.shape[0] = cols;
    file.data = malloc(tensor_count(&file) * element_bytes(type));
    for (size_t i = 0; i < tensor_count(&file); i++)
        element_store(type, file.data, i, first + step * (double)i);
    return file;
}

static void each_call_perturbs_the_values_of_a_file_anew(void **state)
{
    enum { ROWS = 37, COLS = 29 };
    Bench bench;
    Testcase testcase = {.group = CASE_TIMED, .number = 1, .sizes = {{[4] = ROWS, [5] = COLS}}};
    testcase.sources[0] = (CaseSource){.kind = SOURCE_PERTURBED, .a = 0.1f};
    testcase.sources[1] = (CaseSource){.kind = SOURCE_PERTURBED, .a = 1073741823};
    testcase.sources[2] = (CaseSource){.kind = SOURCE_PERTURBED, .a = 100};
    testcase.sources[0].literal = file_of(ELEMENT_FLOAT32, 2, ROWS, COLS, -3, 0.7);
    testcase.sources[1].literal = file_of(ELEMENT_INT32, 2, ROWS, COLS, -1073741824, 2000000);
    testcase.sources[2].literal = file_of(ELEMENT_UINT8, 1, ROWS, COLS, 100, 1);
    bench_open(&bench, "blend");
    use_case(&bench, &testcase);
    float last[ROWS * COLS] = {0};
    for (uint32_t secret = 5; secret < 8; secret++) {
        const GeneratorKey key = {{secret, 0, 0, 0, 0, 0, 0, ~secret}};
        fill(&bench, &key);
        check_inputs(&bench, &key);
        const float *a = array(&bench, 0);
        size_t same = 0;
        for (size_t i = 0; i < ROWS * COLS; i++)
            same += a[i] == last[i];
        assert_true(same <= 2);
        memcpy(last, a, sizeof last);
    }
    bench_close(&bench);
    for (size_t i = 0; i < 3; i++)
        tensor_free(&testcase.sources[i].literal);
}

/* --- outputs ------------------------------------------------------------------------------------------------------ */

static void inputs_of(const Bench *bench, const void *inputs[PROBLEM_MAX_PARAMETERS])
{
    for (size_t i = 0; i < PROBLEM_MAX_PARAMETERS; i++)
        inputs[i] = is_array(bench, i) ? array(bench, i) : NULL;
}

static void fill_right(const Bench *bench)
{
    Message why = {0};
    const void *inputs[PROBLEM_MAX_PARAMETERS];
    size_t count = bench->counts[problem_output(&bench->problem)];
    double *expected = malloc(2 * count * sizeof *expected);
    inputs_of(bench, inputs);
    check_status(
        oracle_evaluate(bench->host, &bench->testcase.sizes, inputs, 0, count, expected, expected + count, &why), &why);
    for (size_t i = 0; i < count; i++)
        output(bench)[i] = (float)expected[i];
    free(expected);
}

static int64_t whole_number(const GeneratorKey *key, uint64_t index, int64_t low, int64_t high)
{
    return generator_integer(generator_word(key, index), low, high);
}

static bool close_to(double a, double b)
{
    return fabs(a - b) <= 1e-12 * fabs(b) || (isnan(a) && isnan(b));
}

/* What the device says of the output, after checking that the CPU says the same. */
static bool accepted(const Bench *bench)
{
    Message why = {0};
    Comparison host;
    OracleAnswer answer = {0};
    const Comparison *device = &answer.comparison;
    const double start_s = now_s();
    const void *inputs[PROBLEM_MAX_PARAMETERS];
    inputs_of(bench, inputs);
    check_status(checker_compare(&bench->problem, &bench->testcase, bench->host, inputs, NULL, output(bench), POISON,
                                 &host, &why),
                 &why);
    check_status(device_oracle_check(bench->device, &why), &why);
    check_status(device_oracle_wait(bench->device, &answer, &why), &why);
    assert_int_equal(answer.accepted, host.wrong == 0 && !host.rms_exceeded);
    assert_int_equal(device->count, host.count);
    assert_int_equal(device->rank, host.rank);
    assert_memory_equal(device->shape, host.shape, host.rank * sizeof *host.shape);
    assert_int_equal(device->rms_exceeded, host.rms_exceeded);
    assert_true(device->max_error == host.max_error || (isnan(device->max_error) && isnan(host.max_error)));
    assert_true(host.wrong > 0 || device->bound == host.bound);
    assert_true(close_to(device->mean_error, host.mean_error));
    assert_true(close_to(device->rms, host.rms));
    assert_true(close_to(device->rms_bound, host.rms_bound));
    assert_true(answer.taken_s > start_s && answer.taken_s < now_s());
    return answer.accepted;
}

static void check_outputs(Bench *bench, const GeneratorKey *seed)
{
    size_t count = bench->counts[problem_output(&bench->problem)];
    size_t one = (size_t)whole_number(seed, 0, 0, (int64_t)count - 1);
    const uint32_t poison = POISON;
    float *out = output(bench), right;
    fill(bench, seed);
    fill_right(bench);
    assert_true(accepted(bench));
    right = out[one];

    out[one] = right + 1;
    assert_false(accepted(bench));
    out[one] = NAN;
    assert_false(accepted(bench));
    out[one] = -INFINITY;
    assert_false(accepted(bench));
    memcpy(&out[one], &poison, sizeof poison);
    assert_false(accepted(bench));
    out[one] = right;
    assert_true(accepted(bench));

    for (size_t i = 0; i < count; i++) /* as if computed with a mantissa of ten bits */
        out[i] *= 1 + (i % 2 == 0 ? 1e-3f : -1e-3f);
    assert_false(accepted(bench));
    for (size_t i = 0; i < count; i++)
        memcpy(&out[i], &poison, sizeof poison);
    assert_false(accepted(bench));
}

static Testcase uniform_case(Sizes sizes)
{
    const CaseSource source = {.kind = SOURCE_UNIFORM, .a = -1, .b = 1};
    return (Testcase){.group = CASE_TIMED, .number = 1, .sizes = sizes, .sources = {source, source, source}};
}

static void outputs_are_tallied_as_the_checker_does(void **state)
{
    Bench one, two;
    GeneratorKey seed;
    Message why;
    unsetenv("CONVJUDGE_HOME");
    bench_open(&one, "conv1d");
    bench_open(&two, "conv2d");
    assert_int_equal(key_new(&seed, &why), STATUS_OK);
    for (uint64_t i = 0; i < 8; i++) {
        int64_t taps = whole_number(&seed, 10 * i, 1, 300);
        int64_t size = taps + whole_number(&seed, 10 * i + 1, 0, 3000);
        Testcase testcase = uniform_case((Sizes){{[3] = size, [4] = taps}});
        use_case(&one, &testcase);
        check_outputs(&one, &seed);
        int64_t r = whole_number(&seed, 10 * i + 2, 1, 15), s = whole_number(&seed, 10 * i + 3, 1, 15);
        int64_t rows = r + whole_number(&seed, 10 * i + 4, 0, 60);
        int64_t cols = s + whole_number(&seed, 10 * i + 5, 0, 60);
        testcase = uniform_case((Sizes){{[3] = rows, [4] = cols, [5] = r, [6] = s}});
        use_case(&two, &testcase);
        check_outputs(&two, &seed);
    }
    bench_close(&one);
    bench_close(&two);
    setenv("CONVJUDGE_HOME", home, 1);
}

/* Expected values from below 0 to above 255; whichever is rounded down, up, or to the even level. */
/* The threads of the kernels take several elements there. */
static void large_outputs_are_tallied_in_full(void **state)
{
    const Testcase testcase = uniform_case((Sizes){{[3] = ORACLE_BLOCKS * ORACLE_BLOCK + 77, [4] = 1}});
    Bench bench;
    unsetenv("CONVJUDGE_HOME");
    bench_open(&bench, "conv1d");
    use_case(&bench, &testcase);
    fill(&bench, &(GeneratorKey){{5}});
    fill_right(&bench);
    assert_true(accepted(&bench));
    output(&bench)[bench.counts[2] - 1] += 1;
    assert_false(accepted(&bench));
    bench_close(&bench);
    setenv("CONVJUDGE_HOME", home, 1);
}

/* What the first pass gives is kept for each element. */
static void two_passes_are_tallied_as_the_checker_does(void **state)
{
    Bench bench;
    GeneratorKey seed;
    Message why;
    unsetenv("CONVJUDGE_HOME");
    bench_open(&bench, "conv2d-separable");
    assert_int_equal(key_new(&seed, &why), STATUS_OK);
    for (uint64_t i = 0; i < 6; i++) {
        int64_t width = whole_number(&seed, 10 * i, 1, 70), height = whole_number(&seed, 10 * i + 1, 1, 70);
        const Testcase testcase = uniform_case(
            (Sizes){{[4] = width, [5] = height, [6] = whole_number(&seed, 10 * i + 2, 0, 32)}});
        use_case(&bench, &testcase);
        check_outputs(&bench, &seed);
    }
    bench_close(&bench);
    setenv("CONVJUDGE_HOME", home, 1);
}

static void bytes_are_tallied_as_the_checker_does(void **state)
{
    static const CaseSource sources[] = {{.kind = SOURCE_RAMP, .a = -3, .b = 0.25},
                                         {.kind = SOURCE_NORMAL, .a = 128, .b = 80}};
    Bench bench;
    home_write_levels("{\"levels\": 1, \"why\": \"rounding\"}");
    bench_open(&bench, "blend");
    for (size_t i = 0; i < COUNT_OF(sources); i++) {
        const Testcase testcase = {.group = CASE_TIMED,
                                   .number = 1,
                                   .sizes = {{[4] = 37, [5] = 29}},
                                   .sources = {sources[i],
                                               {.kind = SOURCE_INTEGERS, .a = -9, .b = 9},
                                               {.kind = SOURCE_INTEGERS, .a = 0, .b = 1}}};
        use_case(&bench, &testcase);
        fill(&bench, &(GeneratorKey){{3}});
        const float *a = array(&bench, 0);
        const int32_t *b = array(&bench, 1);
        const uint8_t *mask = array(&bench, 2);
        uint8_t *out = array(&bench, 3);
        for (size_t j = 0; j < bench.counts[3]; j++)
            out[j] = (uint8_t)fmin(fmax(nearbyint(a[j] + (double)b[j] * mask[j % 29]), 0), 255);
        assert_true(accepted(&bench));
        out[500] += out[500] < 128 ? 1 : -1;
        assert_true(accepted(&bench));
        out[500] += out[500] < 128 ? 2 : -2;
        assert_false(accepted(&bench));
    }
    bench_close(&bench);
    home_write("problems/blend/problem.json", home_problem);
}

static void values_and_magnitudes_have_the_bits_of_the_host(void **state)
{
    Bench bench;
    Message why = {0};
    unsetenv("CONVJUDGE_HOME");
    bench_open(&bench, "conv1d");
    for (int64_t taps = 1; taps < 2047; taps = 3 * taps + 1) { /* one output: its figures are the comparison's */
        const Testcase testcase = uniform_case((Sizes){{[3] = taps, [4] = taps}});
        const void *inputs[PROBLEM_MAX_PARAMETERS];
        double expected, magnitude;
        OracleAnswer answer;
        use_case(&bench, &testcase);
        fill(&bench, &(GeneratorKey){{(uint32_t)taps}});
        inputs_of(&bench, inputs);
        check_status(oracle_evaluate(bench.host, &testcase.sizes, inputs, 0, 1, &expected, &magnitude, &why), &why);
        *output(&bench) = 0;
        check_status(device_oracle_check(bench.device, &why), &why);
        check_status(device_oracle_wait(bench.device, &answer, &why), &why);
        assert_true(answer.comparison.max_error == fabs(expected));
        assert_true(answer.comparison.bound == 0x1p-23 * 32 * magnitude + 0x1p-23 * 4 * magnitude);
    }
    bench_close(&bench);
    setenv("CONVJUDGE_HOME", home, 1);
}

/* The inputs of the next call do not disturb the check of this one. */
static void a_check_and_the_next_inputs_are_one_round_trip(void **state)
{
    Bench bench;
    Message why = {0};
    OracleAnswer answer;
    const Testcase testcase = {.group = CASE_TIMED,
                               .number = 1,
                               .sizes = {{[4] = 37, [5] = 29}},
                               .sources = {{.kind = SOURCE_NORMAL, .b = 1},
                                           {.kind = SOURCE_INTEGERS, .a = -9, .b = 9},
                                           {.kind = SOURCE_INTEGERS, .a = 0, .b = 1}}};
    bench_open(&bench, "blend");
    use_case(&bench, &testcase);
    fill(&bench, &(GeneratorKey){{1}});
    for (uint32_t number = 2; number < 6; number++) {
        const GeneratorKey secret = {{number}};
        fill_right(&bench);
        check_status(device_oracle_check(bench.device, &why), &why);
        check_status(device_oracle_fill(bench.device, &secret, &why), &why);
        answer.accepted = false;
        check_status(device_oracle_wait(bench.device, &answer, &why), &why);
        assert_true(answer.accepted);
        check_inputs(&bench, &secret);
    }
    assert_false(accepted(&bench)); /* the output of the call before */
    bench_close(&bench);
}

/* --- what goes wrong ---------------------------------------------------------------------------------------------- */

static void a_dead_oracle_is_the_judges_fault(void **state)
{
    Bench bench;
    Message why = {0};
    OracleAnswer answer;
    const Testcase testcase = uniform_case((Sizes){{[4] = 3, [5] = 4}});
    bench_open(&bench, "blend");
    kill(device_oracle_pid(bench.device), SIGKILL);
    Status status = give_case(&bench, &testcase, &why);
    assert_int_equal(status, STATUS_SYSTEM);
    assert_string_equal(why.text, "the oracle on sim:h200, the judge's process that checks outputs, ended unexpectedly "
                                  "(exit status 137)");
    assert_int_equal(device_oracle_fill(bench.device, &(GeneratorKey){{1}}, &why), STATUS_SYSTEM);
    assert_int_equal(device_oracle_wait(bench.device, &answer, &why), STATUS_SYSTEM);
    assert_non_null(strstr(why.text, "exit status 137"));
    bench_close(&bench);
}

static void an_oracle_that_does_not_answer_is_the_judges_fault(void **state)
{
    Bench bench;
    Message why = {0};
    OracleAnswer answer;
    bench_open(&bench, "blend");
    kill(device_oracle_pid(bench.device), SIGSTOP);
    assert_int_equal(device_oracle_fill(bench.device, &(GeneratorKey){{1}}, &why), STATUS_OK);
    patience_is_over = true;
    assert_int_equal(device_oracle_wait(bench.device, &answer, &why), STATUS_SYSTEM);
    patience_is_over = false;
    assert_string_equal(why.text, "the oracle on sim:h200 did not answer within 600 s");
    bench_close(&bench);
}

static void memory_that_cannot_be_used_is_named(void **state)
{
    Bench bench;
    Message why = {0};
    int exchange, pipe_ends[2];
    Testcase testcase = uniform_case((Sizes){{[4] = 3, [5] = 4}});
    const size_t offsets[PROBLEM_MAX_PARAMETERS] = {0, 4096, 8192, 12288};
    bench_open(&bench, "blend");
    assert_int_equal(pipe(pipe_ends), 0);
    assert_int_equal(device_oracle_case(bench.device, &testcase, pipe_ends[1], 16384, offsets, &exchange, &why),
                     STATUS_SYSTEM);
    assert_string_equal(why.text, "the oracle's view of the arrays: Permission denied");
    testcase.sources[0] = (CaseSource){.kind = SOURCE_PERTURBED, .a = 0.1f};
    testcase.sources[0].literal = file_of(ELEMENT_FLOAT32, 2, 3, 4, -3, 0.7);
    assert_int_equal(device_oracle_case(bench.device, &testcase, pipe_ends[1], 16384, offsets, &exchange, &why),
                     STATUS_SYSTEM);
    assert_string_equal(why.text, "the oracle's view of a file: Illegal seek");
    tensor_free(&testcase.sources[0].literal);
    close(pipe_ends[0]);
    close(pipe_ends[1]);
    bench_close(&bench);
}

static void what_cannot_be_done_is_refused_and_the_oracle_lives_on(void **state)
{
    Bench bench;
    Message why = {0};
    OracleAnswer answer;
    Testcase testcase = {.sizes = {{[4] = 3, [5] = 4}},
                         .sources = {{.kind = SOURCE_VALUES}, {.kind = SOURCE_CONSTANT}, {.kind = SOURCE_CONSTANT}}};
    bench_open(&bench, "blend");
    assert_int_equal(device_oracle_fill(bench.device, &(GeneratorKey){{1}}, &why), STATUS_OK);
    assert_int_equal(device_oracle_wait(bench.device, &answer, &why), STATUS_BAD_INPUT);
    assert_string_equal(why.text, "the oracle on sim:h200: request 3 out of turn");

    use_case(&bench, &testcase);
    assert_int_equal(device_oracle_fill(bench.device, &(GeneratorKey){{1}}, &why), STATUS_OK);
    assert_int_equal(device_oracle_wait(bench.device, &answer, &why), STATUS_BAD_INPUT);
    assert_string_equal(why.text, "a: the oracle on a device makes only generated data");

    for (int i = 0; i < 16; i++)
        assert_int_equal(device_oracle_fill(bench.device, &(GeneratorKey){{1}}, &why), STATUS_OK);
    assert_int_equal(device_oracle_fill(bench.device, &(GeneratorKey){{1}}, &why), STATUS_BAD_INPUT);
    assert_string_equal(why.text, "the oracle on sim:h200: more than 16 requests at a time");
    assert_int_equal(device_oracle_wait(bench.device, &answer, &why), STATUS_BAD_INPUT); /* for all of them */

    size_t far[PROBLEM_MAX_PARAMETERS];
    memcpy(far, bench.offsets, sizeof far);
    far[3] = bench.bytes - 4;
    int exchange;
    Status status = device_oracle_case(bench.device, &testcase, bench.memory, bench.bytes, far, &exchange, &why);
    assert_int_equal(status, STATUS_BAD_INPUT);
    assert_non_null(strstr(why.text, "out: 48 bytes at "));

    testcase.sources[0].kind = SOURCE_CONSTANT;
    use_case(&bench, &testcase);
    fill(&bench, &(GeneratorKey){{1}});
    check_inputs(&bench, &(GeneratorKey){{1}});
    bench_close(&bench);
}

static void an_expected_value_that_is_not_finite_is_the_judges_fault(void **state)
{
    Bench bench;
    Message why = {0};
    OracleAnswer answer;
    char *spoilt = replaced(home_oracle, "    return sum_add(",
                            "    sum.value += row == 1 ? 1e308 * 10 : 0;\n    return sum_add(");
    home_write("problems/blend/oracle.h", spoilt);
    free(spoilt);
    const Testcase testcase = {
        .sizes = {{[4] = 3, [5] = 4}},
        .sources = {{.kind = SOURCE_NORMAL, .b = 1}, {.kind = SOURCE_CONSTANT}, {.kind = SOURCE_CONSTANT}}};
    bench_open(&bench, "blend");
    use_case(&bench, &testcase);
    fill(&bench, &(GeneratorKey){{1}});
    assert_int_equal(device_oracle_check(bench.device, &why), STATUS_OK);
    assert_int_equal(device_oracle_wait(bench.device, &answer, &why), STATUS_SYSTEM);
    assert_non_null(strstr(why.text, "problems/blend/oracle.h: an expected value is not finite"));
    bench_close(&bench);
    home_write("problems/blend/oracle.h", home_oracle);
}

static void next_answer_says(const Bench *bench, const char *words)
{
    Message why = {0};
    OracleAnswer answer;
    assert_int_equal(device_oracle_wait(bench->device, &answer, &why), STATUS_SYSTEM);
    if (strstr(why.text, words) == NULL)
        fail_test("\"%s\" is missing in: %s", words, why.text);
}

/* After a kernel that failed, a device does nothing more. */
static void a_device_that_fails_is_named_with_what_it_was_to_do(void **state)
{
    Bench bench;
    Message why = {0};
    const GeneratorKey secret = {{1}};
    char *spoilt = replaced(home_oracle, "    return sum_add(",
                            "    sum.value += c->a[(size_t)1 << 40];\n    return sum_add(");
    const Testcase testcase = {
        .sizes = {{[4] = 3, [5] = 4}},
        .sources = {{.kind = SOURCE_IMPULSE, .a = 1}, {.kind = SOURCE_CONSTANT}, {.kind = SOURCE_CONSTANT}}};
    home_write("problems/blend/oracle.h", spoilt);
    free(spoilt);
    bench_open(&bench, "blend");
    use_case(&bench, &testcase);
    fill(&bench, &secret);
    check_status(device_oracle_check(bench.device, &why), &why);
    next_answer_says(&bench, "the oracle on sim:h200, comparing: kernel tally: ");
    check_status(device_oracle_check(bench.device, &why), &why);
    next_answer_says(&bench, "the oracle on sim:h200, copying the output: kernel tally: ");
    check_status(device_oracle_fill(bench.device, &secret, &why), &why);
    next_answer_says(&bench, "the oracle on sim:h200, making an impulse: kernel tally: ");
    bench_close(&bench);
    home_write("problems/blend/oracle.h", home_oracle);
}

static void a_problem_that_changes_meanwhile_is_named(void **state)
{
    Problem problem;
    DeviceOracle *oracle;
    Message why = {0};
    check_status(problem_read("blend", &problem, &why), &why);
    problem.revision.hex[0] ^= 1; /* as it was when the grading began */
    check_status(device_oracle_start(&problem, "sim:h200", 90, &oracle, &why), &why);
    assert_int_equal(device_oracle_ready(oracle, &why), STATUS_BAD_INPUT);
    assert_non_null(strstr(why.text, "problems/blend: changed while a submission was judged"));
    device_oracle_stop(oracle);
    problem_free(&problem);
}

static void an_oracle_that_does_not_compile_is_named(void **state)
{
    Problem problem;
    DeviceOracle *oracle;
    Message why = {0};
    char *spoilt = replaced(home_oracle, "return sum_add(", "return nonsense(");
    check_status(problem_read("blend", &problem, &why), &why);
    home_write("problems/blend/oracle.h", spoilt);
    free(spoilt);
    check_status(device_oracle_start(&problem, "sim:h200", 90, &oracle, &why), &why);
    assert_int_equal(device_oracle_ready(oracle, &why), STATUS_BAD_INPUT);
    assert_non_null(strstr(why.text, "does not compile: "));
    assert_non_null(strstr(why.text, "\"nonsense\" is undefined"));
    device_oracle_stop(oracle);
    home_write("problems/blend/oracle.h", home_oracle);
    problem_free(&problem);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inputs_have_the_bits_that_the_grader_would_give_them),
        cmocka_unit_test(each_call_perturbs_the_values_of_a_file_anew),
        cmocka_unit_test(outputs_are_tallied_as_the_checker_does),
        cmocka_unit_test(large_outputs_are_tallied_in_full),
        cmocka_unit_test(two_passes_are_tallied_as_the_checker_does),
        cmocka_unit_test(bytes_are_tallied_as_the_checker_does),
        cmocka_unit_test(values_and_magnitudes_have_the_bits_of_the_host),
        cmocka_unit_test(a_check_and_the_next_inputs_are_one_round_trip),
        cmocka_unit_test(a_dead_oracle_is_the_judges_fault),
        cmocka_unit_test(an_oracle_that_does_not_answer_is_the_judges_fault),
        cmocka_unit_test(memory_that_cannot_be_used_is_named),
        cmocka_unit_test(what_cannot_be_done_is_refused_and_the_oracle_lives_on),
        cmocka_unit_test(an_expected_value_that_is_not_finite_is_the_judges_fault),
        cmocka_unit_test(a_device_that_fails_is_named_with_what_it_was_to_do),
        cmocka_unit_test(a_problem_that_changes_meanwhile_is_named),
        cmocka_unit_test(an_oracle_that_does_not_compile_is_named),
    };
    if (argc > 1 && strcmp(argv[1], "oracle") == 0) /* the oracle is its own program */
        return oracle_main(argc - 1, argv + 1);
    if (!has_nvcc())
        return 0;
    return cmocka_run_group_tests_name("device oracle", tests, home_with_problem, home_remove);
}
