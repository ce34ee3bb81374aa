/* tensor_rows.h - which copies through tensor maps are recorded on a GPU and replayed.
 *
 * Kernel   one block of TENSOR_THREADS threads. `in` holds the tensor map, and from TENSOR_AT on the tensor; `out` gets
 *          the tile of shared memory, after a copy that loads, or the tensor, after one that stores or reduces.
 * Values   whole numbers that sums represent exactly, of the tensor's type. The tile holds others before the copy.
 * File     simgpu/tests/data/tensors.bin: for each row a u32, hash of its name, a u32, what cuTensorMapEncodeTiled()
 *          returned, and where that is 0 the bytes of `out`, TENSOR_TILE or TENSOR_BYTES of them.  */
#ifndef SIMGPU_TESTS_TENSOR_ROWS_H
#define SIMGPU_TESTS_TENSOR_ROWS_H

#include "base/text.h"
#include "simgpu/code/matrix_fragment.h"
#include "simgpu/tests/recorded.h"

#include <string.h>

enum { TENSOR_THREADS = 128, TENSOR_AT = 1024, TENSOR_BYTES = 8192, TENSOR_TILE = 4096, TENSOR_LOOKS = 100000 };

typedef struct TensorRow {
    const char *name;
    const char *reduction; /* "add" ...; "": stores; NULL: loads */
    uint32_t rank, type, swizzle, fill;
    uint64_t extents[5], strides[4];
    uint32_t box[5], steps[5];
    int at[5];
    uint32_t shift; /* bytes from the start of the tile to the box: a multiple of 128 */
} TensorRow;

#define ONES                                                                                                           \
    {                                                                                                                  \
        1, 1, 1, 1, 1                                                                                                  \
    }
#define IMAGE                                                                                                          \
    {40, 24},                                                                                                          \
    {                                                                                                                  \
        160                                                                                                            \
    }

static const TensorRow tensor_rows[] = {
    {"bytes", NULL, 1, TENSOR_U8, 0, 0, {5000}, {0}, {256}, ONES, {1008}, 0},
    {"before the start", NULL, 1, TENSOR_F32, 0, 0, {500}, {0}, {64}, ONES, {-4}, 0},
    {"beyond the end", NULL, 1, TENSOR_F32, 0, 0, {500}, {0}, {64}, ONES, {472}, 0},
    {"wholly outside", NULL, 1, TENSOR_F32, 0, 0, {500}, {0}, {64}, ONES, {-64}, 0},
    {"NaN float32", NULL, 1, TENSOR_F32, 0, 1, {500}, {0}, {64}, ONES, {472}, 0},
    {"NaN float64", NULL, 1, TENSOR_F64, 0, 1, {500}, {0}, {64}, ONES, {470}, 0},
    {"NaN float16", NULL, 1, TENSOR_F16, 0, 1, {500}, {0}, {64}, ONES, {472}, 0},
    {"NaN bfloat16", NULL, 1, TENSOR_BF16, 0, 1, {500}, {0}, {64}, ONES, {472}, 0},
    {"image", NULL, 2, TENSOR_F32, 0, 0, IMAGE, {16, 8}, ONES, {4, 3}, 0},
    {"upper left", NULL, 2, TENSOR_F32, 0, 0, IMAGE, {16, 8}, ONES, {-4, -3}, 0},
    {"lower right", NULL, 2, TENSOR_F32, 0, 0, IMAGE, {16, 8}, ONES, {36, 20}, 0},
    {"every second row", NULL, 2, TENSOR_F32, 0, 0, IMAGE, {16, 7}, {1, 2}, {4, 1}, 0},
    {"every third row from above", NULL, 2, TENSOR_F32, 0, 0, IMAGE, {16, 9}, {1, 3}, {4, -4}, 0},
    {"every second element", NULL, 2, TENSOR_F32, 0, 0, IMAGE, {16, 4}, {2, 1}, {4, 1}, 0},
    {"rows that overlap", NULL, 2, TENSOR_F32, 0, 0, {64, 24}, {16}, {16, 8}, ONES, {4, 2}, 0},
    {"volume", NULL, 3, TENSOR_U16, 0, 0, {16, 10, 6}, {64, 640}, {8, 4, 3}, ONES, {8, 8, -1}, 0},
    {"four dimensions", NULL, 4, TENSOR_S32, 0, 0, {8, 4, 3, 3}, {48, 192, 576}, {4, 2, 2, 2}, ONES, {4, 3, 1, 2}, 0},
    {"five dimensions",
     NULL,
     5,
     TENSOR_U64,
     0,
     0,
     {4, 3, 3, 2, 2},
     {48, 144, 432, 864},
     {2, 2, 2, 2, 2},
     {1, 1, 2, 1, 1},
     {2, 2, 0, 1, -1},
     0},
    {"swizzle 32", NULL, 2, TENSOR_F32, 1, 0, IMAGE, {8, 16}, ONES, {4, 2}, 0},
    {"swizzle 64", NULL, 2, TENSOR_F32, 2, 0, IMAGE, {16, 16}, ONES, {4, 2}, 0},
    {"swizzle 128", NULL, 2, TENSOR_F32, 3, 0, IMAGE, {32, 16}, ONES, {4, 2}, 0},
    {"swizzle 128, lower right", NULL, 2, TENSOR_F32, 3, 0, IMAGE, {32, 16}, ONES, {20, 18}, 0},
    {"swizzle 128 of a tile at 384", NULL, 2, TENSOR_F32, 3, 0, IMAGE, {32, 16}, ONES, {4, 2}, 384},
    {"swizzle 64 of short rows", NULL, 2, TENSOR_F32, 2, 0, IMAGE, {8, 9}, ONES, {4, 2}, 0},
    {"swizzle 128 of short rows", NULL, 2, TENSOR_F32, 3, 0, IMAGE, {16, 9}, ONES, {4, 2}, 0},
    {"swizzle 128 of rows of 48 bytes", NULL, 2, TENSOR_F32, 3, 0, IMAGE, {12, 9}, ONES, {4, 2}, 0},
    {"swizzle 32 of rows of 16 bytes", NULL, 2, TENSOR_F32, 1, 0, IMAGE, {4, 9}, ONES, {4, 2}, 0},
    {"swizzle 128 of a volume of halves",
     NULL,
     3,
     TENSOR_F16,
     3,
     0,
     {64, 6, 5},
     {128, 768},
     {64, 3, 4},
     ONES,
     {8, 1, 2},
     0},
    {"store", "", 2, TENSOR_F32, 0, 0, IMAGE, {16, 8}, ONES, {4, 3}, 0},
    {"store, lower right", "", 2, TENSOR_F32, 0, 0, IMAGE, {16, 8}, ONES, {36, 20}, 0},
    {"store to every second row", "", 2, TENSOR_F32, 0, 0, IMAGE, {16, 7}, {1, 2}, {4, 1}, 0},
    {"store of a swizzled tile", "", 2, TENSOR_F32, 3, 0, IMAGE, {32, 16}, ONES, {4, 2}, 128},
    {"store of short swizzled rows", "", 2, TENSOR_F32, 3, 0, IMAGE, {16, 9}, ONES, {4, 2}, 0},
    {"add float32", "add", 2, TENSOR_F32, 0, 0, IMAGE, {16, 8}, ONES, {36, 20}, 0},
    {"add float16", "add", 2, TENSOR_F16, 0, 0, {80, 24}, {160}, {16, 8}, ONES, {8, 3}, 0},
    {"add bfloat16", "add", 2, TENSOR_BF16, 0, 0, {80, 24}, {160}, {16, 8}, ONES, {8, 3}, 0},
    {"add unsigned", "add", 2, TENSOR_U32, 0, 0, IMAGE, {16, 8}, ONES, {4, 3}, 0},
    {"add of 64 bits", "add", 1, TENSOR_U64, 0, 0, {500}, {0}, {64}, ONES, {470}, 0},
    {"smaller, signed", "min", 2, TENSOR_S32, 0, 0, IMAGE, {16, 8}, ONES, {4, 3}, 0},
    {"larger, unsigned", "max", 2, TENSOR_U32, 0, 0, IMAGE, {16, 8}, ONES, {4, 3}, 0},
    {"count up", "inc", 2, TENSOR_U32, 0, 0, IMAGE, {16, 8}, ONES, {4, 3}, 0},
    {"and", "and", 2, TENSOR_U32, 0, 0, IMAGE, {16, 8}, ONES, {4, 3}, 0},
    {"exclusive or", "xor", 1, TENSOR_U64, 0, 0, {500}, {0}, {64}, ONES, {100}, 0},
};

/* Bytes of `out` that are recorded. */
static size_t tensor_result_bytes(const TensorRow *row)
{
    return row->reduction == NULL ? TENSOR_TILE : TENSOR_BYTES;
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

static uint64_t tensor_element(const TensorRow *row, uint32_t index, bool is_tile)
{
    const uint64_t random = recorded_random(index * 2 + is_tile);
    const float number = (float)(random % 200);
    const double wide = number;
    uint32_t bits;
    uint64_t wide_bits;
    memcpy(&bits, &number, sizeof bits);
    memcpy(&wide_bits, &wide, sizeof wide_bits);
    if (row->type == TENSOR_F16) /* 1 to 1.99 */
        return 0x3C00 | (random & 0x3F0);
    if (row->type == TENSOR_BF16)
        return bits >> 16;
    return row->type == TENSOR_F32 ? bits : row->type == TENSOR_F64 ? wide_bits : random;
}

static void tensor_values(const TensorRow *row, bool is_tile, size_t bytes, unsigned char *to)
{
    const uint32_t element = tensor_type_bytes((TensorType)row->type);
    for (uint32_t i = 0; i < bytes / element; i++) {
        const uint64_t value = tensor_element(row, i, is_tile);
        memcpy(to + (size_t)i * element, &value, element);
    }
}

/* What follows the map: the tensor, then the tile as it is before. */
enum { TENSOR_IN_BYTES = TENSOR_AT + TENSOR_BYTES + TENSOR_TILE };

static void tensor_fill(const TensorRow *row, unsigned char *in)
{
    tensor_values(row, false, TENSOR_BYTES, in + TENSOR_AT);
    tensor_values(row, true, TENSOR_TILE, in + TENSOR_AT + TENSOR_BYTES);
}

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

static uint32_t tensor_box_size(const TensorRow *row)
{
    uint32_t bytes = row->box[0] * tensor_type_bytes((TensorType)row->type);
    for (uint32_t i = 1; i < row->rank; i++)
        bytes *= (row->box[i] + row->steps[i] - 1) / row->steps[i];
    return bytes;
}

static void tensor_coordinates(Text *ptx, const TensorRow *row)
{
    text_add(ptx, "[%in, {");
    for (uint32_t i = 0; i < row->rank; i++)
        text_printf(ptx, "%s%d", i > 0 ? ", " : "", row->at[i]);
    text_add(ptx, "}]");
}

/* The other threads wait at the barrier of the block. One that waits in vain ends in a trap, so that no error
 * hangs a GPU. */
static void tensor_load(Text *ptx, const TensorRow *row)
{
    text_printf(
        ptx,
        "    @%%other bra wait;\n    mbarrier.init.shared::cta.b64 [bar], 1;\n    fence.mbarrier_init.release.cluster;\n"
        "    mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], %u;\n"
        "    cp.async.bulk.tensor.%ud.shared::cluster.global.tile.mbarrier::complete_tx::bytes [tile+%u], ",
        tensor_box_size(row), row->rank, row->shift);
    tensor_coordinates(ptx, row);
    text_printf(ptx,
                ", [bar];\n    mov.u32 %%t1, 0;\nagain:\n"
                "    mbarrier.try_wait.parity.shared::cta.b64 %%done, [bar], 0;\n    add.u32 %%t1, %%t1, 1;\n"
                "    setp.lt.and.u32 %%more, %%t1, %d, !%%done;\n    @%%more bra again;\n    @!%%done trap;\n"
                "wait:\n    bar.sync 0;\n",
                TENSOR_LOOKS);
}

static void tensor_store(Text *ptx, const TensorRow *row)
{
    text_add(ptx, "    @%other bra wait;\n");
    if (row->reduction[0] == '\0')
        text_printf(ptx, "    cp.async.bulk.tensor.%ud.global.shared::cta.tile.bulk_group ", row->rank);
    else
        text_printf(ptx, "    cp.reduce.async.bulk.tensor.%ud.global.shared::cta.%s.tile.bulk_group ", row->rank,
                    row->reduction);
    tensor_coordinates(ptx, row);
    text_printf(ptx,
                ", [tile+%u];\n    cp.async.bulk.commit_group;\n    cp.async.bulk.wait_group 0;\n"
                "    fence.proxy.async;\nwait:\n    bar.sync 0;\n",
                row->shift);
}

/* Each thread copies every TENSOR_THREADS-th word. */
static void tensor_copy_words(Text *ptx, const char *label, const char *from_space, const char *from,
                              const char *to_space, const char *to, int bytes)
{
    text_printf(ptx,
                "    mov.u32 %%t1, %%t0;\n%s:\n    mul.wide.u32 %%at, %%t1, 4;\n    add.u64 %%from, %s, %%at;\n"
                "    add.u64 %%to, %s, %%at;\n    ld.%s.u32 %%t2, [%%from];\n    st.%s.u32 [%%to], %%t2;\n"
                "    add.u32 %%t1, %%t1, %d;\n    setp.lt.u32 %%more, %%t1, %d;\n    @%%more bra %s;\n",
                label, from, to, from_space, to_space, TENSOR_THREADS, bytes / 4, label);
}

static void tensor_kernel(Text *ptx, const TensorRow *row)
{
    const bool loads = row->reduction == NULL;
    text_printf(
        ptx,
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry test(.param .u64 p_in, .param .u64 p_out)\n{\n"
        "    .reg .b32 %%t<3>;\n    .reg .b64 %%in, %%out, %%at, %%from, %%to, %%tensor, %%before, %%tile;\n"
        "    .reg .pred %%other, %%done, %%more;\n    .shared .align 1024 .b8 tile[%d];\n"
        "    .shared .align 8 .u64 bar;\n    ld.param.u64 %%in, [p_in];\n    ld.param.u64 %%out, [p_out];\n"
        "    add.u64 %%tensor, %%in, %d;\n    add.u64 %%before, %%in, %d;\n    mov.u64 %%tile, tile;\n"
        "    mov.u32 %%t0, %%tid.x;\n    setp.ne.u32 %%other, %%t0, 0;\n",
        TENSOR_TILE, TENSOR_AT, TENSOR_AT + TENSOR_BYTES);
    tensor_copy_words(ptx, "fill", "global", "%before", "shared", "%tile", TENSOR_TILE);
    text_add(ptx, "    fence.proxy.async;\n    bar.sync 0;\n");
    (loads ? tensor_load : tensor_store)(ptx, row);
    tensor_copy_words(ptx, "drain", loads ? "shared" : "global", loads ? "%tile" : "%tensor", "global", "%out",
                      loads ? TENSOR_TILE : TENSOR_BYTES);
    text_add(ptx, "    ret;\n}\n");
}

#endif
