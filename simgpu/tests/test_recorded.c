/* Holds the simulated GPU against what an H200 gave for the same kernels (recorded_rows.h, matrix_rows.h).  */
#include "simgpu/tests/one_gpu.h"

#include "simgpu/tests/matrix_rows.h"
#include "simgpu/tests/tensor_map_of.h"
#include "simgpu/tests/warpgroup_rows.h"

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

/* Each of two halves counts; NaNs of float32 and float64 may differ in payload. */
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

static void check_matrices(const char *path, const MatrixRow *rows, size_t count)
{
    Recording recording = open_recording(path);
    for (size_t i = 0; i < count; i++)
        check_matrix(&recording, &rows[i]);
    assert_int_equal(recording.at, recording.bytes.length);
    assert_int_equal(recording.failures, 0);
    text_free(&recording.bytes);
}

static void matrices_give_what_an_h200_gave(void **state)
{
    check_matrices("simgpu/tests/data/matrices.bin", matrix_rows, COUNT_OF(matrix_rows));
}

static void whole_products_give_what_an_h200_gave(void **state)
{
    check_matrices("simgpu/tests/data/wmma.bin", wmma_rows, COUNT_OF(wmma_rows));
}

/* ---- warpgroups -------------------------------------------------------------------------------------------------- */

static void check_warpgroup(Recording *recording, const WarpgroupRow *row)
{
    static unsigned char in[WARPGROUP_ROUNDS * WARPGROUP_IN];
    static uint32_t out[WARPGROUP_ROUNDS * WARPGROUP_THREADS * WARPGROUP_D];
    Text ptx = {0}, text = {0};
    Message why = {0};
    const size_t count = (size_t)WARPGROUP_ROUNDS * WARPGROUP_THREADS * (size_t)row->d;
    warpgroup_kernel(&ptx, row);
    warpgroup_text(&text, row);
    warpgroup_fill(row, in);
    take_hash(recording, text.data);
    const unsigned char *recorded = take(recording, count * sizeof *out);
    int before = recording->failures;
    if (!run(&ptx, WARPGROUP_ROUNDS, WARPGROUP_THREADS, in, sizeof in, out, count * sizeof *out, &why))
        fail_test("%s: %s", text.data, why.text);
    for (size_t i = 0; i < count; i++)
        if (memcmp(&out[i], recorded + i * sizeof *out, sizeof *out) != 0 && recording->failures++ < before + 5) {
            uint32_t expected;
            memcpy(&expected, recorded + i * sizeof *out, sizeof expected);
            print_error("%s: round %zu, thread %zu, register %zu: got 0x%x, an H200 0x%x\n", text.data,
                        i / (size_t)row->d / WARPGROUP_THREADS, i / (size_t)row->d % WARPGROUP_THREADS,
                        i % (size_t)row->d, out[i], expected);
        }
    if (recording->failures > before)
        print_error("%s: %d failures\n", text.data, recording->failures - before);
    text_free(&ptx);
    text_free(&text);
}

/* Skipped until a GPU has recorded the file. */
static void warpgroups_give_what_an_h200_gave(void **state)
{
    static const char path[] = "simgpu/tests/data/warpgroups.bin";
    if (access(path, F_OK) != 0)
        skip();
    Recording recording = open_recording(path);
    for (size_t i = 0; i < COUNT_OF(warpgroup_rows); i++)
        check_warpgroup(&recording, &warpgroup_rows[i]);
    assert_int_equal(recording.at, recording.bytes.length);
    assert_int_equal(recording.failures, 0);
    text_free(&recording.bytes);
}

/* ---- tensor maps ------------------------------------------------------------------------------------------------- */

static void check_tensor(Recording *recording, const TensorRow *row)
{
    static unsigned char in[TENSOR_IN_BYTES], out[TENSOR_BYTES];
    Text ptx = {0};
    SimModule *module;
    SimReport report;
    Message why = {0};
    uint32_t encoded;
    memcpy(&encoded, take(recording, sizeof encoded), sizeof encoded);
    if (encoded != 0)
        fail_test("%s: an H200's driver refuses the tensor: %u", row->name, encoded);
    tensor_kernel(&ptx, row);
    tensor_fill(row, in);
    SimFunction *function = machine_load(gpu, ptx.data, ptx.length, "test", &module, &why);
    uint64_t from = machine_array(gpu, in, sizeof in), to = machine_array(gpu, NULL, sizeof out);
    const TensorMap map = tensor_map_of(row, from + TENSOR_AT);
    memcpy(at(from), &map, sizeof map);
    SimLaunch launch = {.function = function,
                        .shape.grid = {1, 1, 1},
                        .shape.block = {TENSOR_THREADS, 1, 1},
                        .parameters = (uint64_t[]){from, to},
                        .warp_instructions = 10000000};
    simgpu_launch(gpu, &launch, &report);
    assert_int_equal(report.outcome, SIM_OK);
    const unsigned char *recorded = take(recording, tensor_result_bytes(row)), *got = at(to);
    for (size_t i = 0, shown = 0; i < tensor_result_bytes(row); i++)
        if (got[i] != recorded[i] && shown++ < 5) {
            print_error("%s: byte %zu: got 0x%x, an H200 0x%x\n", row->name, i, got[i], recorded[i]);
            recording->failures++;
        }
    assert_true(simgpu_release(gpu, from) && simgpu_release(gpu, to));
    simgpu_module_unload(gpu, module);
    text_free(&ptx);
}

static const TensorRow *tensor_row(uint32_t hash)
{
    for (size_t i = 0; i < COUNT_OF(tensor_rows); i++)
        if (recorded_hash(tensor_rows[i].name) == hash)
            return &tensor_rows[i];
    fail_test("a recorded copy is not in tensor_rows.h: record anew (simgpu/tests/record)");
    return NULL;
}

/* The file holds the copies that an H200 has been asked for, in any order. */
static void tensor_maps_give_what_an_h200_gave(void **state)
{
    Recording recording = open_recording("simgpu/tests/data/tensors.bin");
    for (; recording.at < recording.bytes.length; recording.forms++) {
        uint32_t hash;
        memcpy(&hash, take(&recording, sizeof hash), sizeof hash);
        check_tensor(&recording, tensor_row(hash));
    }
    assert_int_equal(recording.failures, 0);
    assert_true(recording.forms >= 18);
    text_free(&recording.bytes);
}

/* ---- a wmma of tf32 ---------------------------------------------------------------------------------------------- */

enum { PRODUCT_INPUTS = 16, PRODUCT_ROUNDS = 200 }; /* registers of A, B and C; warps with other values */

static const char product_kernel[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry test(.param .u64 p_in, .param .u64 p_out)\n{\n"
    "    .reg .b32 %t<4>, %a<4>, %b<4>;\n    .reg .f32 %c<8>, %d<8>;\n    .reg .b64 %in, %out, %at;\n"
    "    ld.param.u64 %in, [p_in];\n    ld.param.u64 %out, [p_out];\n    mov.u32 %t0, %tid.x;\n"
    "    mov.u32 %t1, %ctaid.x;\n    mad.lo.u32 %t2, %t1, 32, %t0;\n    mul.wide.u32 %at, %t2, 64;\n"
    "    add.u64 %in, %in, %at;\n    shr.u64 %at, %at, 1;\n    add.u64 %out, %out, %at;\n"
    "    ld.global.v4.u32 {%a0, %a1, %a2, %a3}, [%in];\n    ld.global.v4.u32 {%b0, %b1, %b2, %b3}, [%in+16];\n"
    "    ld.global.v4.f32 {%c0, %c1, %c2, %c3}, [%in+32];\n    ld.global.v4.f32 {%c4, %c5, %c6, %c7}, [%in+48];\n"
    "%s"
    "    st.global.v4.f32 [%out], {%d0, %d1, %d2, %d3};\n    st.global.v4.f32 [%out+16], {%d4, %d5, %d6, %d7};\n"
    "    ret;\n}\n";

static const char one_wmma[] = "    wmma.mma.sync.aligned.row.col.m16n16k8.f32.tf32.tf32.f32 {%d0, %d1, %d2, %d3, %d4, "
                               "%d5, %d6, %d7}, {%a0, %a1, %a2, %a3}, {%b0, %b1, %b2, %b3}, {%c0, %c1, %c2, %c3, %c4, "
                               "%c5, %c6, %c7};\n";

/* What ptxas 13.0 makes of it: k = 0 to 3 before k = 4 to 7, for each half of the columns. */
#define MMA "    mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 "
static const char four_products[] = MMA "{%d0, %d1, %d2, %d3}, {%a0, %a1}, {%b0}, {%c0, %c1, %c2, %c3};\n" MMA
                                        "{%d4, %d5, %d6, %d7}, {%a0, %a1}, {%b2}, {%c4, %c5, %c6, %c7};\n" MMA
                                        "{%d0, %d1, %d2, %d3}, {%a2, %a3}, {%b1}, {%d0, %d1, %d2, %d3};\n" MMA
                                        "{%d4, %d5, %d6, %d7}, {%a2, %a3}, {%b3}, {%d4, %d5, %d6, %d7};\n";

typedef float ProductSums[PRODUCT_ROUNDS * MATRIX_LANES][8];

static void run_product(const char *product, const void *in, size_t bytes, ProductSums out)
{
    Text ptx = {0};
    Message why = {0};
    const char *place = strstr(product_kernel, "%s");
    text_printf(&ptx, "%.*s%s%s", (int)(place - product_kernel), product_kernel, product, place + 2);
    if (!run(&ptx, PRODUCT_ROUNDS, MATRIX_LANES, in, bytes, out, sizeof(ProductSums), &why))
        fail_test("%s", why.text);
    text_free(&ptx);
}

static void a_wmma_of_tf32_adds_four_products_at_a_time(void **state)
{
    static float in[PRODUCT_ROUNDS * MATRIX_LANES][PRODUCT_INPUTS];
    static ProductSums at_once, in_steps;
    for (size_t i = 0; i < sizeof in / sizeof **in; i++)
        (&in[0][0])[i] = (float)((double)recorded_random(i) / 0x1p63 - 1);
    run_product(one_wmma, in, sizeof in, at_once);
    run_product(four_products, in, sizeof in, in_steps);
    assert_memory_equal(at_once, in_steps, sizeof at_once);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instructions_give_what_an_h200_gave),
        cmocka_unit_test(matrices_give_what_an_h200_gave),
        cmocka_unit_test(whole_products_give_what_an_h200_gave),
        cmocka_unit_test(warpgroups_give_what_an_h200_gave),
        cmocka_unit_test(tensor_maps_give_what_an_h200_gave),
        cmocka_unit_test(a_wmma_of_tf32_adds_four_products_at_a_time),
    };
    return cmocka_run_group_tests(tests, new_gpu, free_gpu);
}
