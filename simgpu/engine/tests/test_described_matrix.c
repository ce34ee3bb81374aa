/* wgmma, against sums of whole numbers that lie where the canonical layouts of the PTX ISA say. What an H200 makes of all
 * values is in simgpu/tests/test_recorded.c.  */
#include "simgpu/tests/one_gpu.h"
#include "simgpu/tests/warpgroup_rows.h"

#include <math.h>

enum { WORDS_OF_THREAD = WARPGROUP_A + WARPGROUP_D };

static unsigned char in[WARPGROUP_ROUNDS * WARPGROUP_IN];
static uint32_t out[WARPGROUP_THREADS * WARPGROUP_D];

static SimReport run(const char *ptx, size_t length, uint32_t threads)
{
    SimModule *module;
    SimReport report;
    Message why = {0};
    SimFunction *function = machine_load(gpu, ptx, length, "test", &module, &why);
    if (function == NULL)
        fail_test("%s", why.text);
    uint64_t from = machine_array(gpu, in, sizeof in), to = machine_array(gpu, NULL, sizeof out);
    SimLaunch launch = {.function = function,
                        .shape.grid = {1, 1, 1},
                        .shape.block = {threads, 1, 1},
                        .parameters = (uint64_t[]){from, to},
                        .warp_instructions = 10000000};
    simgpu_launch(gpu, &launch, &report);
    memcpy(out, at(to), sizeof out);
    assert_true(simgpu_release(gpu, from) && simgpu_release(gpu, to));
    simgpu_module_unload(gpu, module);
    return report;
}

/* ---- where an element lies --------------------------------------------------------------------------------------- */

/* The canonical layouts count in units of 16 bytes. A unit holds elements that follow each other along k; of a turned
 * matrix, along m or n. */
static uint32_t unit_of(const WarpgroupRow *row, bool is_a, bool is_turned, uint32_t along, uint32_t across,
                        uint32_t elements)
{
    static const uint32_t side_by_side[] = {1, 8, 4,
                                            2}; /* units that are swizzled together, by the descriptor's code */
    const uint32_t leading = (is_a ? row->a_leading : row->b_leading) / 16, s = side_by_side[row->swizzle];
    const uint32_t stride = (is_a ? row->a_stride : row->b_stride) / 16;
    const uint32_t column = (is_turned ? along : across) / elements, line = is_turned ? across : along;
    if (row->swizzle == 0)
        return is_turned ? column * stride + line % 8 + line / 8 * leading
                         : line % 8 + line / 8 * stride + column * leading;
    return is_turned ? column % s + column / s * leading + line % 8 * s + line / 8 * stride
                     : line % 8 * s + line / 8 * stride + column;
}

static uint32_t element_bytes(const WarpgroupRow *row)
{
    return row->elements == 't' ? 4 : row->elements == 'i' ? 1 : 2;
}

/* Bits of element `across` of k, `along` of m or n. */
static uint32_t shared_element(const WarpgroupRow *row, bool is_a, bool is_turned, uint32_t along, uint32_t across)
{
    static const uint32_t mixed[] = {0, 7, 3, 1}; /* bits of the line of 128 bytes that change the unit's number */
    const uint32_t bytes = element_bytes(row), elements = 16 / bytes;
    uint32_t unit = ((is_a ? 0 : WARPGROUP_AT_B) + row->shift) / 16 +
                    unit_of(row, is_a, is_turned, along, across, elements);
    unit ^= unit / 8 & mixed[row->swizzle];
    uint32_t bits = 0;
    memcpy(&bits, in + (size_t)unit * 16 + (is_turned ? along : across) % elements * bytes, bytes);
    return bits;
}

static uint32_t word_of_thread(uint32_t thread, int number)
{
    uint32_t word;
    memcpy(&word, in + WARPGROUP_BYTES + (size_t)(thread * WORDS_OF_THREAD + (uint32_t)number) * 4, sizeof word);
    return word;
}

/* Row `m` of A in registers: PTX ISA, Register Fragments for wgmma. */
static uint32_t register_element(const WarpgroupRow *row, uint32_t m, uint32_t k)
{
    const uint32_t bytes = element_bytes(row), packed = 4 / bytes, lane = m % 8 * 4 + k / packed % 4;
    const uint32_t number = m / 8 % 2 + k / (4 * packed) * 2;
    return word_of_thread(m / 16 * 32 + lane, (int)number) >> (8 * bytes * (k % packed));
}

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

static double number_of(char kind, bool is_signed, uint32_t bits)
{
    const uint32_t wide = kind == 'b' ? bits << 16 : bits;
    const uint16_t narrow = (uint16_t)bits;
    float single;
    _Float16 half;
    memcpy(&single, &wide, sizeof single);
    memcpy(&half, &narrow, sizeof half);
    if (kind == 'i')
        return is_signed ? (int8_t)bits : (uint8_t)bits;
    return kind == 'x' ? (double)half : single;
}

static double result_of(const WarpgroupRow *row, const uint32_t *words, uint32_t m, uint32_t n)
{
    const uint32_t thread = m / 16 * 32 + m % 8 * 4 + n / 2 % 4, per_block = row->sums == 'x' ? 2 : 4;
    const uint32_t upper = m / 8 % 2, stride = words == out ? (uint32_t)row->d : WORDS_OF_THREAD;
    const uint32_t number = n / 8 * per_block + (row->sums == 'x' ? upper : upper * 2 + n % 2);
    const uint32_t word = words[thread * stride + number];
    if (row->sums == 'i')
        return (int32_t)word;
    return row->sums == 'x' ? number_of('x', true, word >> (n % 2 * 16)) : number_of('f', true, word);
}

static void fail_row(const WarpgroupRow *row, uint32_t m, uint32_t n, double got, double expected)
{
    Text text = {0};
    warpgroup_text(&text, row);
    fail_test("%s: row %u, column %u: %g, expected %g", text.data, m, n, got, expected);
}

static void check_row(const WarpgroupRow *row)
{
    const uint32_t k_count = 32 / element_bytes(row), columns = (uint32_t)row->d * (row->sums == 'x' ? 4 : 2);
    const uint32_t *before = (const uint32_t *)(in + WARPGROUP_BYTES) + WARPGROUP_A;
    const size_t end = strlen(row->end);
    const bool may_turn = element_bytes(row) == 2;
    const bool a_turned = may_turn && !row->a_in_registers && row->end[end - 4] == '1';
    const bool b_turned = may_turn && row->end[end - 1] == '1';
    const double sign = strstr(row->end, "-1") != NULL ? -1 : 1;
    const bool a_signed = strstr(row->form, "s32.s8") != NULL, b_signed = strstr(row->form, "8.s8") != NULL;
    for (uint32_t m = 0; m < 64; m++)
        for (uint32_t n = 0; n < columns; n++) {
            double sum = 0;
            for (uint32_t k = 0; k < k_count; k++) {
                const uint32_t a = row->a_in_registers ? register_element(row, m, k)
                                                       : shared_element(row, true, a_turned, m, k);
                sum += sign * number_of(row->elements, a_signed, a) *
                       number_of(row->elements, b_signed, shared_element(row, false, b_turned, n, k));
            }
            sum += row->keeps ? result_of(row, before, m, n) : 0;
            if (row->sums == 'i')
                sum = fmin(fmax(sum, strstr(row->form, "satfinite") ? INT32_MIN : -1e18),
                           strstr(row->form, "satfinite") ? INT32_MAX : 1e18);
            const double got = result_of(row, out, m, n);
            if (row->sums == 'i' ? (int32_t)(int64_t)sum != (int32_t)got : sum != got)
                fail_row(row, m, n, got, sum);
        }
}

static void a_warpgroup_multiplies_what_its_descriptors_lead_to(void **state)
{
    for (size_t i = 0; i < COUNT_OF(warpgroup_rows); i++) {
        Text ptx = {0};
        warpgroup_kernel(&ptx, &warpgroup_rows[i]);
        warpgroup_fill(&warpgroup_rows[i], in);
        const SimReport report = run(ptx.data, ptx.length, WARPGROUP_THREADS);
        if (report.outcome != SIM_OK)
            fail_test("%s: %s", warpgroup_rows[i].form, report.fault.text);
        check_row(&warpgroup_rows[i]);
        text_free(&ptx);
    }
}

static void products_of_warpgroups_count_at_their_own_rate(void **state)
{
    Text ptx = {0};
    warpgroup_kernel(&ptx, &warpgroup_rows[0]);
    const SimReport report = run(ptx.data, ptx.length, WARPGROUP_THREADS);
    assert_int_equal(report.counters.tensor, 64 * 16 * 16);
    assert_int_equal(report.counters.warpgroup_bytes, 2 * 64 * 16 * 16);
    assert_int_equal(report.counters.tensor_bytes, 0);
    text_free(&ptx);
}

static void a_warpgroup_has_four_warps(void **state)
{
    Text ptx = {0};
    warpgroup_kernel(&ptx, &warpgroup_rows[0]);
    const SimReport report = run(ptx.data, ptx.length, 96);
    assert_int_equal(report.outcome, SIM_BAD_BARRIER);
    assert_non_null(strstr(report.fault.text, "executes wgmma in a warpgroup that has fewer than four warps"));
    text_free(&ptx);
}

static void a_matrix_must_lie_in_shared_memory(void **state)
{
    WarpgroupRow row = warpgroup_rows[2];
    Text ptx = {0};
    row.b_stride = WARPGROUP_BYTES - 1024;
    warpgroup_kernel(&ptx, &row);
    const SimReport report = run(ptx.data, ptx.length, WARPGROUP_THREADS);
    assert_int_equal(report.outcome, SIM_OUT_OF_BOUNDS);
    assert_int_equal(report.fault.space, SIM_SHARED);
    text_free(&ptx);
}

/* A base offset is for matrices that do not begin at a multiple of 1024 bytes. */
static void a_base_offset_is_refused_by_name(void **state)
{
    WarpgroupRow row = warpgroup_rows[0];
    Text ptx = {0}, based = {0};
    warpgroup_kernel(&ptx, &row);
    const char *at = strstr(ptx.data, "    add.u64 %db, %base, 0x");
    assert_non_null(at);
    text_append(&based, ptx.data, (size_t)(at - ptx.data));
    text_add(&based, "    or.b64 %base, %base, 0x2000000000000;\n");
    text_add(&based, at);
    const SimReport report = run(based.data, based.length, WARPGROUP_THREADS);
    assert_int_equal(report.outcome, SIM_UNSUPPORTED);
    assert_non_null(strstr(report.fault.text, "on a matrix with a base offset, which the simulated GPU does not have"));
    text_free(&ptx);
    text_free(&based);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_warpgroup_multiplies_what_its_descriptors_lead_to),
        cmocka_unit_test(products_of_warpgroups_count_at_their_own_rate),
        cmocka_unit_test(a_warpgroup_has_four_warps),
        cmocka_unit_test(a_matrix_must_lie_in_shared_memory),
        cmocka_unit_test(a_base_offset_is_refused_by_name),
    };
    return cmocka_run_group_tests(tests, new_gpu, free_gpu);
}
