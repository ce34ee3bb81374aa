/* Copies through tensor maps, against the sentences of the PTX ISA: an element of the box at a time. What an H200 makes
 * of them is in simgpu/tests/test_recorded.c.  */
#include "simgpu/tests/one_gpu.h"
#include "simgpu/tests/tensor_map_of.h"

#include <math.h>

typedef struct Run {
    unsigned char in[TENSOR_IN_BYTES], out[TENSOR_BYTES];
    SimReport report;
} Run;

static void run_kernel(const char *ptx, size_t length, Run *run, void (*spoil)(TensorMap *), const TensorRow *row)
{
    SimModule *module;
    Message why = {0};
    SimFunction *function = machine_load(gpu, ptx, length, "test", &module, &why);
    if (function == NULL)
        fail_test("%s", why.text);
    uint64_t in = machine_array(gpu, run->in, sizeof run->in), out = machine_array(gpu, NULL, sizeof run->out);
    TensorMap map = tensor_map_of(row, in + TENSOR_AT);
    if (spoil != NULL)
        spoil(&map);
    memcpy(at(in), &map, sizeof map);
    SimLaunch launch = {.function = function,
                        .shape.grid = {1, 1, 1},
                        .shape.block = {TENSOR_THREADS, 1, 1},
                        .parameters = (uint64_t[]){in, out},
                        .warp_instructions = 10000000};
    simgpu_launch(gpu, &launch, &run->report);
    memcpy(run->out, at(out), sizeof run->out);
    assert_true(simgpu_release(gpu, in) && simgpu_release(gpu, out));
    simgpu_module_unload(gpu, module);
}

static void run_row(const TensorRow *row, Run *run, void (*spoil)(TensorMap *))
{
    Text ptx = {0};
    tensor_kernel(&ptx, row);
    tensor_fill(row, run->in);
    run_kernel(ptx.data, ptx.length, run, spoil, row);
    text_free(&ptx);
}

/* ---- what must come out ------------------------------------------------------------------------------------------ */

/* The offset in the tensor of an element of the box; -1: it lies outside. */
static int64_t offset_in_tensor(const TensorRow *row, const uint32_t *index)
{
    int64_t offset = 0;
    for (uint32_t i = 0; i < row->rank; i++) {
        int64_t at = row->at[i] + (int64_t)index[i] * (i > 0 ? row->steps[i] : 1);
        if (at < 0 || at >= (int64_t)row->extents[i])
            return -1;
        offset += at * (i > 0 ? (int64_t)row->strides[i - 1] : (int64_t)tensor_type_bytes((TensorType)row->type));
    }
    return offset;
}

/* The piece of 16 bytes that stands at a place of the tile, for each of eight lines of 128 bytes. */
static const uint8_t pieces[][8][8] = {
    [TENSOR_SWIZZLE_32] = {{0, 1, 2, 3, 4, 5, 6, 7},
                           {1, 0, 3, 2, 5, 4, 7, 6},
                           {0, 1, 2, 3, 4, 5, 6, 7},
                           {1, 0, 3, 2, 5, 4, 7, 6},
                           {0, 1, 2, 3, 4, 5, 6, 7},
                           {1, 0, 3, 2, 5, 4, 7, 6},
                           {0, 1, 2, 3, 4, 5, 6, 7},
                           {1, 0, 3, 2, 5, 4, 7, 6}},
    [TENSOR_SWIZZLE_64] = {{0, 1, 2, 3, 4, 5, 6, 7},
                           {1, 0, 3, 2, 5, 4, 7, 6},
                           {2, 3, 0, 1, 6, 7, 4, 5},
                           {3, 2, 1, 0, 7, 6, 5, 4},
                           {0, 1, 2, 3, 4, 5, 6, 7},
                           {1, 0, 3, 2, 5, 4, 7, 6},
                           {2, 3, 0, 1, 6, 7, 4, 5},
                           {3, 2, 1, 0, 7, 6, 5, 4}},
    [TENSOR_SWIZZLE_128] = {{0, 1, 2, 3, 4, 5, 6, 7},
                            {1, 0, 3, 2, 5, 4, 7, 6},
                            {2, 3, 0, 1, 6, 7, 4, 5},
                            {3, 2, 1, 0, 7, 6, 5, 4},
                            {4, 5, 6, 7, 0, 1, 2, 3},
                            {5, 4, 7, 6, 1, 0, 3, 2},
                            {6, 7, 4, 5, 2, 3, 0, 1},
                            {7, 6, 5, 4, 3, 2, 1, 0}},
};

/* Rows that a swizzle takes lie as far apart as it reaches. */
static uint32_t place_in_tile(const TensorRow *row, uint32_t byte)
{
    static const uint32_t reach[] = {0, 32, 64, 128};
    const uint32_t bytes = row->box[0] * tensor_type_bytes((TensorType)row->type);
    const uint32_t in_box = row->swizzle == 0 ? byte : byte / bytes * reach[row->swizzle] + byte % bytes;
    const uint32_t at = row->shift + in_box, line = at / 128;
    return row->swizzle == 0 ? at : line * 128 + pieces[row->swizzle][line % 8][at / 16 % 8] * 16u + at % 16;
}

static double number_of(const TensorRow *row, uint64_t bits)
{
    float single;
    double wide;
    uint32_t low = (uint32_t)bits << (row->type == TENSOR_BF16 ? 16 : 0);
    _Float16 half;
    uint16_t short_bits = (uint16_t)bits;
    memcpy(&single, &low, sizeof single);
    memcpy(&wide, &bits, sizeof wide);
    memcpy(&half, &short_bits, sizeof half);
    return row->type == TENSOR_F64 ? wide : row->type == TENSOR_F16 ? (double)half : single;
}

static uint64_t combined(const TensorRow *row, uint64_t old, uint64_t value)
{
    const char *how = row->reduction;
    const bool less = row->type == TENSOR_S32 ? (int32_t)value < (int32_t)old : value < old;
    if (strcmp(how, "add") == 0)
        return old + value;
    if (strcmp(how, "min") == 0)
        return less ? value : old;
    if (strcmp(how, "max") == 0)
        return less ? old : value;
    if (strcmp(how, "inc") == 0)
        return old >= value ? 0 : old + 1;
    return strcmp(how, "and") == 0 ? (old & value) : strcmp(how, "xor") == 0 ? (old ^ value) : value;
}

static void check_element(const TensorRow *row, const Run *run, uint32_t number, int64_t offset)
{
    const uint32_t bytes = tensor_type_bytes((TensorType)row->type), place = place_in_tile(row, number * bytes);
    const bool is_float = tensor_type_is_float((TensorType)row->type);
    uint64_t old = 0, value = 0, got = 0;
    memcpy(&old, run->in + TENSOR_AT + (offset < 0 ? 0 : offset), bytes);
    memcpy(&value, run->in + TENSOR_AT + TENSOR_BYTES + place, bytes);
    if (row->reduction == NULL) {
        memcpy(&got, run->out + place, bytes);
        if (offset < 0 && row->fill != 0 ? !isnan(number_of(row, got)) : got != (offset < 0 ? 0 : old))
            fail_test("%s: element %u of the box: 0x%llx", row->name, number, (unsigned long long)got);
        return;
    }
    if (offset < 0)
        return;
    memcpy(&got, run->out + offset, bytes);
    const double sum = number_of(row, old) + number_of(row, value);
    const bool adds = strcmp(row->reduction, "add") == 0;
    if (is_float && adds ? fabs(number_of(row, got) - sum) > sum / 256
                         : got != (combined(row, old, value) & (UINT64_MAX >> (64 - 8 * bytes))))
        fail_test("%s: element %u of the box: 0x%llx", row->name, number, (unsigned long long)got);
}

/* Checks each element of the box; gives back how many there are. */
static uint32_t check_box(const TensorRow *row, const Run *run)
{
    uint32_t counts[5], index[5] = {0}, number = 0;
    for (uint32_t i = 0; i < 5; i++)
        counts[i] = i >= row->rank ? 1 : i == 0 ? row->box[0] : (row->box[i] + row->steps[i] - 1) / row->steps[i];
    for (index[4] = 0; index[4] < counts[4]; index[4]++)
        for (index[3] = 0; index[3] < counts[3]; index[3]++)
            for (index[2] = 0; index[2] < counts[2]; index[2]++)
                for (index[1] = 0; index[1] < counts[1]; index[1]++)
                    for (index[0] = 0; index[0] < counts[0]; index[0]++)
                        check_element(row, run, number++, offset_in_tensor(row, index));
    return number;
}

/* How many bytes of what the kernel gives differ from what was there before. */
static size_t changed_bytes(const TensorRow *row, const Run *run)
{
    const unsigned char *before = run->in + TENSOR_AT + (row->reduction == NULL ? TENSOR_BYTES : 0);
    size_t count = 0;
    for (size_t i = 0; i < tensor_result_bytes(row); i++)
        count += run->out[i] != before[i];
    return count;
}

/* ---- tests ------------------------------------------------------------------------------------------------------- */

static void check_row(const TensorRow *row)
{
    static Run run;
    run_row(row, &run, NULL);
    if (run.report.outcome != SIM_OK)
        fail_test("%s: %s", row->name, run.report.fault.text);
    uint32_t elements = check_box(row, &run), bytes = elements * tensor_type_bytes((TensorType)row->type);
    assert_int_equal(bytes, tensor_box_size(row));
    assert_true(changed_bytes(row, &run) <= bytes);
}

static void a_box_is_moved_element_by_element(void **state)
{
    for (size_t i = 0; i < COUNT_OF(tensor_rows); i++)
        check_row(&tensor_rows[i]);
}

static void a_store_must_not_begin_before_the_tensor(void **state)
{
    static const TensorRow rows[] = {
        {"above", "", 2, TENSOR_F32, 0, 0, IMAGE, {16, 8}, ONES, {4, -3}, 0},
        {"to the left", "", 2, TENSOR_F32, 0, 0, IMAGE, {16, 8}, ONES, {-4, 3}, 0},
    };
    static Run run;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        run_row(&rows[i], &run, NULL);
        assert_int_equal(run.report.outcome, SIM_OUT_OF_BOUNDS);
        assert_non_null(strstr(run.report.fault.text, "stores through a tensor map before the tensor: coordinate"));
    }
}

static void a_copy_counts_the_sectors_that_it_touches(void **state)
{
    static Run run;
    run_row(&tensor_rows[8], &run, NULL); /* image: 8 rows of 64 bytes that begin 16 bytes behind a sector */
    assert_int_equal(run.report.counters.bulk_load_sectors, 8 * 3);
}

static void leave_it_unmarked(TensorMap *map)
{
    map->mark = 0;
}
static void give_it_another_rank(TensorMap *map)
{
    map->rank = 3;
}
static void lead_it_away(TensorMap *map)
{
    map->address += 1 << 20;
}
static void make_it_wide(TensorMap *map)
{
    map->extents[0] = map->extents[1] = 1ull << 32;
    map->strides[0] = 1ull << 39;
}
static void make_rows_odd(TensorMap *map)
{
    map->box[0] = 15;
}
static void make_it_huge(TensorMap *map)
{
    map->box[0] = map->box[1] = map->box[2] = map->box[3] = map->box[4] = 256;
}
static void give_it_no_type(TensorMap *map)
{
    map->type = 200;
}

/* Kernels can write such bytes. */
static void a_map_that_leads_astray_is_a_fault(void **state)
{
    static const struct {
        void (*spoil)(TensorMap *);
        SimOutcome outcome;
        const char *text;
    } cases[] = {
        {leave_it_unmarked, SIM_BAD_HANDLE, "begins a copy through a tensor map at an address without a map"},
        {give_it_another_rank, SIM_BAD_HANDLE, "or with one of other dimensions"},
        {lead_it_away, SIM_OUT_OF_BOUNDS, "reads"},
        {make_it_wide, SIM_OUT_OF_BOUNDS, "reads"},
        {make_rows_odd, SIM_BAD_HANDLE, "at an address without a map"},
        {make_it_huge, SIM_BAD_HANDLE, "at an address without a map"},
        {give_it_no_type, SIM_BAD_HANDLE, "at an address without a map"},
    };
    static Run run;
    TensorRow row = tensor_rows[8];
    row.at[1] = 23;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        run_row(&row, &run, cases[i].spoil);
        assert_int_equal(run.report.outcome, cases[i].outcome);
        assert_non_null(strstr(run.report.fault.text, cases[i].text));
    }
}

static void a_tile_must_lie_at_a_multiple_of_128_bytes(void **state)
{
    static Run run;
    TensorRow row = tensor_rows[8];
    row.shift = 64;
    run_row(&row, &run, NULL);
    assert_int_equal(run.report.outcome, SIM_MISALIGNED);
    assert_non_null(strstr(run.report.fault.text, "whose address in shared memory is not a multiple of 128 bytes"));
    row.shift = TENSOR_TILE;
    run_row(&row, &run, NULL);
    assert_int_equal(run.report.outcome, SIM_OUT_OF_BOUNDS);
}

/* Coordinates of the rows' dimension; an H200 gives CUDA_ERROR_ILLEGAL_INSTRUCTION where they are refused. */
static void a_box_must_begin_at_a_multiple_of_16_bytes_of_a_row(void **state)
{
    static const struct {
        uint32_t type;
        int at;
        SimOutcome outcome;
    } cases[] = {
        {TENSOR_F32, 3, SIM_MISALIGNED},  {TENSOR_F32, -1, SIM_MISALIGNED},
        {TENSOR_F32, 41, SIM_MISALIGNED}, {TENSOR_F32, INT32_MAX, SIM_MISALIGNED},
        {TENSOR_F32, INT32_MIN, SIM_OK},  {TENSOR_F32, -4, SIM_OK},
        {TENSOR_F16, 4, SIM_MISALIGNED},  {TENSOR_F16, 8, SIM_OK},
        {TENSOR_U8, 8, SIM_MISALIGNED},   {TENSOR_U8, -16, SIM_OK},
        {TENSOR_U64, 1, SIM_MISALIGNED},  {TENSOR_U64, 2, SIM_OK},
    };
    static Run run;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        TensorRow row = tensor_rows[8];
        row.type = cases[i].type;
        row.extents[0] = 160 / tensor_type_bytes((TensorType)row.type);
        row.at[0] = cases[i].at;
        run_row(&row, &run, NULL);
        assert_int_equal(run.report.outcome, cases[i].outcome);
        if (cases[i].outcome != SIM_OK)
            assert_non_null(strstr(run.report.fault.text, "begins a copy through a tensor map at element")),
                assert_non_null(strstr(run.report.fault.text, "bytes is not a multiple of 16"));
    }
}

static void an_operation_for_another_type_is_refused(void **state)
{
    static const uint32_t types[] = {TENSOR_F32, TENSOR_BF16, TENSOR_U16};
    static Run run;
    for (size_t i = 0; i < COUNT_OF(types); i++) {
        const TensorRow row = {.name = "largest",
                               .reduction = "max",
                               .rank = 1,
                               .type = types[i],
                               .extents = {64},
                               .box = {16},
                               .steps = {1}};
        run_row(&row, &run, NULL);
        assert_int_equal(run.report.outcome, SIM_UNSUPPORTED);
        assert_non_null(strstr(run.report.fault.text,
                               "combines elements of a tensor by an operation that the simulated "
                               "GPU does not have for their type"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_is_moved_element_by_element),
        cmocka_unit_test(a_store_must_not_begin_before_the_tensor),
        cmocka_unit_test(a_copy_counts_the_sectors_that_it_touches),
        cmocka_unit_test(a_map_that_leads_astray_is_a_fault),
        cmocka_unit_test(an_operation_for_another_type_is_refused),
        cmocka_unit_test(a_box_must_begin_at_a_multiple_of_16_bytes_of_a_row),
        cmocka_unit_test(a_tile_must_lie_at_a_multiple_of_128_bytes),
    };
    return cmocka_run_group_tests(tests, new_gpu, free_gpu);
}
