#include "harness/tests/broker_fixture.h"

enum { ROWS = 8, COLS = 16, MEMORY = ROWS * COLS * 4 };

/* A matrix of float32 without gaps between its rows, and a box of 4 x 8. */
static RingTensor matrix_at(uint64_t address)
{
    return (RingTensor){.address = address,
                        .extents = {COLS, ROWS},
                        .strides = {COLS * 4},
                        .box = {8, 4},
                        .steps = {1, 1},
                        .rank = 2,
                        .type = DEVICE_TENSOR_F32};
}

static CudaError ask_map(const RingTensor *tensor)
{
    return ask_body(RING_TENSOR_MAP, tensor, sizeof *tensor).error;
}

static void a_map_of_the_submissions_memory_is_made(void **state)
{
    const RingTensor matrix = matrix_at(ask(RING_ALLOC, MEMORY, 0, 0, 0).value[0]);
    static const uint8_t none[RING_TENSOR_MAP_BYTES];
    memset(broker.reader.ring->staging, 0, sizeof none);
    assert_int_equal(ask_map(&matrix), CUDA_ERROR_SUCCESS);
    assert_memory_not_equal(broker.reader.ring->staging, none, sizeof none);
}

/* The reason why a map is refused. */
static void expect_refusal(const RingTensor *tensor, CudaError error, const char *words)
{
    CallReport *report = &broker.reply.report;
    report->first_error = (CallError){0};
    if (ask_map(tensor) != error || strstr(report->first_error.text, words) == NULL)
        fail_test("not \"%s\": %s", words, report->first_error.text);
}

/* What CUDA does not take, and what does not belong to the submission. */
static void a_map_that_cuda_refuses_is_refused(void **state)
{
    static const char nobodys[] = "the tensor does not lie within one allocation",
                      row[] = "the rows of the box are not";
    static const char extent[] = "an extent of the tensor is 0, or more than 2^32",
                      stride[] = "a stride is not a multiple";
    static const char box[] = "an extent of the box is 0, or more than 256";
    static const char rank[] = "the tensor has no dimension, or more than 5";
    static const char *const words[] = {nobodys,
                                        nobodys,
                                        "the address is not a multiple of 16 bytes",
                                        nobodys,
                                        extent,
                                        extent,
                                        stride,
                                        stride,
                                        box,
                                        row,
                                        box,
                                        "an element stride is 0, or more than 8",
                                        rank,
                                        rank,
                                        "the rows of the box are longer than the span of the swizzle",
                                        "integers cannot be filled with NaN",
                                        "there is no such L2 promotion or fill",
                                        "there is no such L2 promotion or fill"};
    const uint64_t memory = ask(RING_ALLOC, MEMORY, 0, 0, 0).value[0];
    const RingTensor good = matrix_at(memory);
    RingTensor cases[COUNT_OF(words)];
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        cases[i] = good;
    cases[0].address += 16;         /* ends behind the allocation */
    cases[1].address = 1 << 20;     /* nobody's */
    cases[2].address += 4;          /* not a multiple of 16 */
    cases[3].extents[1] = ROWS + 1; /* a row too many */
    cases[4].extents[0] = 0;
    cases[5].extents[0] = cases[5].extents[1] = UINT64_MAX;
    cases[6].strides[0] = COLS * 4 + 4;
    cases[7].strides[0] = 1ull << 40;
    cases[8].box[1] = 257;
    cases[9].box[0] = 7; /* rows of 28 bytes */
    cases[10].box[0] = UINT32_MAX;
    cases[11].steps[1] = 9;
    cases[12].rank = 6;
    cases[13].rank = 0;
    cases[14].swizzle = DEVICE_TENSOR_SWIZZLE_32, cases[14].box[0] = 12;
    cases[15].type = DEVICE_TENSOR_S32, cases[15].fill = 1;
    cases[16].fill = 2;
    cases[17].promotion = 4;
    RingTensor largest = good;
    largest.box[1] = 256;
    largest.steps[1] = 8;
    assert_int_equal(ask_map(&good), CUDA_ERROR_SUCCESS);
    assert_int_equal(ask_map(&largest), CUDA_ERROR_SUCCESS);
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        expect_refusal(&cases[i], CUDA_ERROR_INVALID_VALUE, words[i]);
}

static void what_the_judge_does_not_provide_has_a_name(void **state)
{
    const RingTensor good = matrix_at(ask(RING_ALLOC, MEMORY, 0, 0, 0).value[0]);
    static const char *const words[] = {
        "this judge has no interleaved tensors", "this judge has no tensors of this type",
        "this judge has no swizzle of this kind", "this device has no tensors of this type"};
    RingTensor cases[] = {good, good, good, good};
    cases[0].interleave = 1;
    cases[1].type = DEVICE_TENSOR_TYPES;
    cases[2].swizzle = DEVICE_TENSOR_SWIZZLES;
    cases[3].type = DEVICE_TENSOR_TF32; /* on the simulated GPU */
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        expect_refusal(&cases[i], CUDA_ERROR_NOT_SUPPORTED, words[i]);
    assert_string_equal(broker.not_provided.text, "cuTensorMapEncodeTiled");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_A_BROKER(a_map_of_the_submissions_memory_is_made),
        WITH_A_BROKER(a_map_that_cuda_refuses_is_refused),
        WITH_A_BROKER(what_the_judge_does_not_provide_has_a_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
