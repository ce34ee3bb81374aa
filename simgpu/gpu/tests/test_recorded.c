/* Holds the simulated GPU against what an H200 gave for the same kernels (recorded_rows.h, matrix_rows.h).  */
#include "simgpu/tests/one_gpu.h"

#include "simgpu/tests/matrix_rows.h"

/* A recording as it is read from its start to its end. */
typedef struct Recording {
    Text bytes;
    size_t at;
    int forms, failures;
} Recording;

static Recording open_recording(const char *path)
{
    Recording recording = {0};
    Message why = {0};
    if (text_read_file(path, 2 << 20, &recording.bytes, &why) != STATUS_OK)
        fail_test("%s", why.text);
    return recording;
}

static const void *take(Recording *recording, size_t bytes)
{
    if (recording->bytes.length - recording->at < bytes)
        fail_test("the recording ends at byte %zu", recording->bytes.length);
    recording->at += bytes;
    return recording->bytes.data + recording->at - bytes;
}

static void take_hash(Recording *recording, const char *text)
{
    uint32_t hash;
    memcpy(&hash, take(recording, sizeof hash), sizeof hash);
    if (hash != recorded_hash(text))
        fail_test("%s is not what was recorded here: record anew (simgpu/tests/record)", text);
    recording->forms++;
}

/* Runs a kernel as blocks of threads over `in`; false with the reason where it did not end well. */
static bool run(const Text *ptx, unsigned blocks, unsigned threads, const void *in, size_t in_bytes, void *out,
                size_t out_bytes, Message *why)
{
    SimModule *module = NULL;
    SimReport report = {0};
    SimFunction *function = machine_load(gpu, ptx->data, ptx->length, "test", &module, why);
    if (function == NULL)
        return false;
    uint64_t from = machine_array(gpu, in, in_bytes), to = machine_array(gpu, NULL, out_bytes);
    SimLaunch launch = {.function = function,
                        .shape.grid = {blocks, 1, 1},
                        .shape.block = {threads, 1, 1},
                        .parameters = (uint64_t[]){from, to},
                        .warp_instructions = 1000000};
    simgpu_launch(gpu, &launch, &report);
    memcpy(out, at(to), out_bytes);
    simgpu_release(gpu, from);
    simgpu_release(gpu, to);
    simgpu_module_unload(gpu, module);
    if (report.outcome != SIM_OK)
        (void)fail(STATUS_UNSUPPORTED, why, "outcome %d: %s", report.outcome, report.fault.text);
    return report.outcome == SIM_OK;
}

/* ---- single instructions ----------------------------------------------------------------------------------------- */

static double number_of(uint64_t bits, char letter, char elements)
{
    float single;
    double number;
    uint32_t low = (uint32_t)bits;
    _Float16 half;
    if (letter == 'g') {
        memcpy(&number, &bits, sizeof number);
        return number;
    }
    if (letter == 'h' && elements == 'x') {
        memcpy(&half, &bits, sizeof half);
        return (double)half;
    }
    low <<= letter == 'h' ? 16 : 0;
    memcpy(&single, &low, sizeof single);
    return single;
}

/* Floats of one sign are ordered as their bits are. */
static uint64_t ulps_between(uint64_t a, uint64_t b, char letter)
{
    uint64_t sign = 1ull << (8 * recorded_bytes(letter) - 1);
    uint64_t x = a & ~sign, y = b & ~sign;
    return ((a ^ b) & sign) != 0 ? x + y : x > y ? x - y : y - x;
}

static bool agrees(const RecordedGroup *group, uint64_t got, uint64_t recorded)
{
    char letter = group->registers[0];
    bool is_float = letter == 'f' || letter == 'g' || group->agreement != SAME_BITS;
    if (got == recorded)
        return true;
    if (!is_float)
        return false;
    double a = number_of(got, letter, group->elements), b = number_of(recorded, letter, group->elements);
    if (isnan(a) || isnan(b))
        return isnan(a) && isnan(b);
    switch (group->agreement) {
    case SAME_BITS: return false;
    case SAME_ULPS: return (double)ulps_between(got, recorded, letter) <= group->bound;
    case SAME_ABSOLUTE: break;
    }
    return fabs(a - b) <= group->bound * fmax(1, fabs(b));
}

static void check_case(Recording *recording, const RecordedGroup *group, const char *text, const Slot *slot,
                       uint64_t got)
{
    uint64_t recorded = 0;
    size_t bytes = recorded_bytes(group->registers[0]);
    memcpy(&recorded, take(recording, bytes), bytes);
    if (agrees(group, got, recorded))
        return;
    if (recording->failures++ < 400)
        print_error("%s of 0x%llx 0x%llx 0x%llx: got 0x%llx, an H200 0x%llx\n", text, (unsigned long long)slot->a,
                    (unsigned long long)slot->b, (unsigned long long)slot->c, (unsigned long long)got,
                    (unsigned long long)recorded);
}

static void check_form(void *context, const RecordedGroup *group, const char *text)
{
    Recording *recording = context;
    Text ptx = {0};
    Slot slots[RECORDED_LANES], results[RECORDED_LANES];
    Message why = {0};
    take_hash(recording, text);
    opcode_kernel(&ptx, NULL, text);
    for (int first = 0; first < RECORDED_CASES; first += RECORDED_LANES) {
        recorded_fill(group, first, slots);
        if (!run(&ptx, 1, RECORDED_LANES, slots, sizeof slots, results, sizeof results, &why))
            fail_test("%s: %s", text, why.text);
        for (int i = 0; i < RECORDED_LANES; i++)
            check_case(recording, group, text, &slots[i], results[i].a);
    }
    text_free(&ptx);
}

static void instructions_give_what_an_h200_gave(void **state)
{
    Recording recording = open_recording("simgpu/tests/data/opcodes.bin");
    recorded_each(check_form, &recording);
    assert_int_equal(recording.at, recording.bytes.length);
    assert_true(recording.forms > 400);
    assert_int_equal(recording.failures, 0);
    text_free(&recording.bytes);
}

/* ---- matrices ---------------------------------------------------------------------------------------------------- */

/* Of two halves each counts; NaNs of float32 and float64 may differ in payload. */
static bool same_sum(const MatrixRow *row, uint64_t got, uint64_t recorded)
{
    double a = number_of(got, row->results, 't'), b = number_of(recorded, row->results, 't');
    return got == recorded || (row->results != 'r' && isnan(a) && isnan(b));
}

static void check_matrix(Recording *recording, const MatrixRow *row)
{
    static unsigned char in[MATRIX_IN_BYTES];
    static uint64_t out[MATRIX_ROUNDS * MATRIX_LANES][MATRIX_RESULTS];
    Text ptx = {0};
    Message why = {0};
    int warps = matrix_is_load(row) ? 1 : MATRIX_ROUNDS, before = recording->failures;
    take_hash(recording, row->form);
    matrix_kernel(&ptx, row);
    matrix_fill(row, in);
    if (!run(&ptx, (unsigned)warps, MATRIX_LANES, in, sizeof in, out, sizeof out, &why))
        fail_test("%s: %s", row->form, why.text);
    for (int i = 0; i < warps * MATRIX_LANES; i++)
        for (int j = 0; j < row->d; j++) {
            uint64_t recorded = 0;
            memcpy(&recorded, take(recording, matrix_result_bytes(row)), matrix_result_bytes(row));
            if (!same_sum(row, out[i][j], recorded) && recording->failures++ < before + 5)
                print_error("%s: round %d, lane %d, register %d: got 0x%llx, an H200 0x%llx\n", row->form,
                            i / MATRIX_LANES, i % MATRIX_LANES, j, (unsigned long long)out[i][j],
                            (unsigned long long)recorded);
        }
    if (recording->failures > before)
        print_error("%s: %d failures\n", row->form, recording->failures - before);
    text_free(&ptx);
}

static void matrices_give_what_an_h200_gave(void **state)
{
    Recording recording = open_recording("simgpu/tests/data/matrices.bin");
    for (size_t i = 0; i < COUNT_OF(matrix_rows); i++)
        check_matrix(&recording, &matrix_rows[i]);
    assert_int_equal(recording.at, recording.bytes.length);
    assert_int_equal(recording.failures, 0);
    text_free(&recording.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instructions_give_what_an_h200_gave),
        cmocka_unit_test(matrices_give_what_an_h200_gave),
    };
    return cmocka_run_group_tests(tests, new_gpu, free_gpu);
}
