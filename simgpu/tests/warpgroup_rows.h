/* warpgroup_rows.h - which forms of wgmma are recorded on a GPU and replayed.
 *
 * Kernel   WARPGROUP_ROUNDS blocks of one warpgroup. For each, `in` holds what shared memory holds, WARPGROUP_BYTES, then
 *          for each thread the registers of A and of D before. `out` gets those of D. Matrices in shared memory are random
 *          bits of their type throughout, so that each way to find an element in them gives another result.
 * File     simgpu/tests/data/warpgroups.bin: for each row a u32, hash of its form and of what it says of shared memory, then D by
 *          round, thread and register, 4 bytes each.  */
#ifndef SIMGPU_TESTS_WARPGROUP_ROWS_H
#define SIMGPU_TESTS_WARPGROUP_ROWS_H

#include "base/text.h"
#include "simgpu/tests/recorded.h"

#include <stdbool.h>
#include <string.h>

enum {
    WARPGROUP_ROUNDS = 6,
    WARPGROUP_THREADS = 128,
    WARPGROUP_BYTES = 32768,
    WARPGROUP_A = 4,                      /* registers of A */
    WARPGROUP_D = 16,                     /* most registers of D */
    WARPGROUP_AT_B = WARPGROUP_BYTES / 2, /* A begins at 0 */
    WARPGROUP_IN = WARPGROUP_BYTES + WARPGROUP_THREADS * (WARPGROUP_A + WARPGROUP_D) * 4
};

typedef struct WarpgroupRow {
    const char *form;
    const char *end;            /* of its operands, behind scale-d: signs and turns */
    char elements;              /* 'x' float16, 'b' bfloat16, 't' tf32, 'i' 8-bit */
    char sums;                  /* 'x' float16, 'f' float32, 'i' int32 */
    int d;                      /* registers of D */
    bool a_in_registers, keeps; /* scale-d */
    /* Of the descriptors of A and B: swizzle as they count it, distances in bytes, and bytes from the start of the matrix
     * at which they begin. */
    uint32_t swizzle, a_leading, a_stride, b_leading, b_stride, shift;
} WarpgroupRow;

#define F16 "wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16"
#define TF32 "wgmma.mma_async.sync.aligned.m64n16k8.f32.tf32.tf32"

static const WarpgroupRow warpgroup_rows[] = {
    {F16, ", 1, 1, 0, 0", 'x', 'f', 8, false, true, 0, 1024, 128, 256, 128, 0},
    {F16, ", 1, 1, 0, 0", 'x', 'f', 8, false, false, 0, 128, 256, 128, 256, 0},
    {F16, ", 1, 1, 0, 0", 'x', 'f', 8, false, true, 1, 16, 1024, 16, 1024, 0},
    {F16, ", 1, 1, 0, 0", 'x', 'f', 8, false, true, 1, 16, 1024, 16, 1024, 32},
    {F16, ", 1, 1, 0, 0", 'x', 'f', 8, false, true, 1, 16, 1024, 16, 1024, 96},
    {F16, ", 1, 1, 0, 0", 'x', 'f', 8, false, true, 2, 16, 512, 16, 512, 0},
    {F16, ", 1, 1, 0, 0", 'x', 'f', 8, false, true, 2, 16, 512, 16, 512, 32},
    {F16, ", 1, 1, 0, 0", 'x', 'f', 8, false, true, 3, 16, 256, 16, 256, 0},
    {F16, ", -1, 1, 0, 0", 'x', 'f', 8, false, true, 1, 16, 1024, 16, 1024, 0},
    {F16, ", 1, -1, 0, 0", 'x', 'f', 8, false, true, 1, 16, 1024, 16, 1024, 0},
    {F16, ", 1, 1, 0, 1", 'x', 'f', 8, false, true, 0, 1024, 128, 256, 128, 0},
    {F16, ", 1, 1, 0, 1", 'x', 'f', 8, false, true, 1, 16, 1024, 2048, 1024, 0},
    {F16, ", 1, 1, 0, 1", 'x', 'f', 8, false, true, 3, 16, 256, 512, 256, 0},
    {F16, ", 1, 1, 1, 0", 'x', 'f', 8, false, true, 0, 1024, 128, 256, 128, 0},
    {F16, ", 1, 1, 1, 0", 'x', 'f', 8, false, true, 1, 2048, 1024, 16, 1024, 0},
    {F16, ", 1, 1, 1, 1", 'x', 'f', 8, false, true, 2, 1024, 512, 1024, 512, 0},
    {F16, ", 1, 1, 0", 'x', 'f', 8, true, true, 1, 16, 1024, 16, 1024, 0},
    {F16, ", 1, 1, 1", 'x', 'f', 8, true, true, 0, 16, 1024, 256, 128, 0},
    {"wgmma.mma_async.sync.aligned.m64n16k16.f16.f16.f16", ", 1, 1, 0, 0", 'x', 'x', 4, false, true, 1, 16, 1024, 16,
     1024, 0},
    {"wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16", ", 1, 1, 0, 0", 'b', 'f', 4, false, true, 1, 16, 1024, 16,
     1024, 0},
    {"wgmma.mma_async.sync.aligned.m64n32k16.f32.bf16.bf16", ", 1, 1, 0", 'b', 'f', 16, true, true, 1, 16, 1024, 16,
     1024, 0},
    {TF32, ", 1, 1", 't', 'f', 8, false, true, 1, 16, 1024, 16, 1024, 0},
    {TF32, ", 1, -1", 't', 'f', 8, true, true, 0, 16, 1024, 128, 256, 0},
    {"wgmma.mma_async.sync.aligned.m64n16k32.s32.s8.s8", "", 'i', 'i', 8, false, true, 1, 16, 1024, 16, 1024, 0},
    {"wgmma.mma_async.sync.aligned.m64n16k32.s32.u8.s8", "", 'i', 'i', 8, true, true, 0, 16, 1024, 128, 256, 0},
    {"wgmma.mma_async.sync.aligned.m64n16k32.s32.s8.u8.satfinite", "", 'i', 'i', 8, false, false, 2, 16, 512, 16, 512,
     0},
};

#undef F16
#undef TF32

static void warpgroup_text(Text *text, const WarpgroupRow *row)
{
    text_printf(text, "%s%s %d %d %u %u %u %u %u %u", row->form, row->end, row->a_in_registers, row->keeps,
                row->swizzle, row->a_leading, row->a_stride, row->b_leading, row->b_stride, row->shift);
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

/* A float with that many digits: of about one; over a few orders of magnitude in later rounds; whole numbers in round 0. */
static uint32_t warpgroup_float(uint64_t random, int round, int digits, int exponent_bits)
{
    const uint32_t bias = (1u << (exponent_bits - 1)) - 1, sign = (uint32_t)(random >> 63) << (digits + exponent_bits);
    const uint32_t spread[WARPGROUP_ROUNDS] = {1, 1, 2, 6, 12, 20};
    if (round == 0)
        return random % 3 == 0 ? 0 : sign | (bias + (uint32_t)(random % 3) - 1) << digits;
    return sign | (bias - (uint32_t)(random >> 40) % spread[round]) << digits |
           (uint32_t)(random & ((1u << digits) - 1));
}

static uint32_t warpgroup_word(char kind, int round, uint64_t number)
{
    const uint64_t random = recorded_random(number * 8 + (uint64_t)round), other = recorded_random(random + 7);
    const int digits = kind == 'x' ? 10 : 7, exponent = kind == 'x' ? 5 : 8;
    if (kind == 'i')
        return (uint32_t)(random >> 20);
    if (kind == 't' || kind == 'f')
        return warpgroup_float(random, round, 23, 8);
    return warpgroup_float(random, round, digits, exponent) | warpgroup_float(other, round, digits, exponent) << 16;
}

static void warpgroup_fill(const WarpgroupRow *row, void *in)
{
    uint32_t *words = in;
    for (int round = 0; round < WARPGROUP_ROUNDS; round++)
        for (uint64_t i = 0; i < WARPGROUP_IN / 4; i++) {
            const uint64_t behind = i < WARPGROUP_BYTES / 4 ? 0
                                                            : (i - WARPGROUP_BYTES / 4) % (WARPGROUP_A + WARPGROUP_D);
            *words++ = warpgroup_word(behind >= WARPGROUP_A ? row->sums : row->elements, round, i);
        }
}

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

static uint64_t warpgroup_descriptor(const WarpgroupRow *row, bool is_a)
{
    const uint64_t start = (is_a ? 0 : WARPGROUP_AT_B) + row->shift;
    const uint64_t leading = is_a ? row->a_leading : row->b_leading, stride = is_a ? row->a_stride : row->b_stride;
    return start >> 4 | leading >> 4 << 16 | stride >> 4 << 32 | (uint64_t)row->swizzle << 62;
}

static void warpgroup_list(Text *ptx, const char *name, int count)
{
    text_add(ptx, "{");
    for (int i = 0; i < count; i++)
        text_printf(ptx, "%s%%%s%d", i > 0 ? ", " : "", name, i);
    text_add(ptx, "}");
}

static void warpgroup_kernel(Text *ptx, const WarpgroupRow *row)
{
    const char *type = row->sums == 'f' ? "f32" : "b32";
    text_printf(
        ptx,
        ".version 8.4\n.target sm_90a\n.address_size 64\n"
        ".visible .entry test(.param .u64 p_in, .param .u64 p_out)\n{\n"
        "    .reg .b32 %%t<4>, %%a<%d>;\n    .reg .%s %%d<%d>;\n"
        "    .reg .b64 %%in, %%out, %%at, %%from, %%to, %%tile, %%base, %%da, %%db;\n    .reg .pred %%more, %%keeps;\n"
        "    .shared .align 1024 .b8 tile[%d];\n    ld.param.u64 %%in, [p_in];\n    ld.param.u64 %%out, [p_out];\n"
        "    mov.u32 %%t0, %%tid.x;\n    mov.u32 %%t1, %%ctaid.x;\n    mul.wide.u32 %%at, %%t1, %d;\n"
        "    add.u64 %%in, %%in, %%at;\n    mad.lo.u32 %%t2, %%t1, %d, %%t0;\n    mul.wide.u32 %%at, %%t2, %d;\n"
        "    add.u64 %%out, %%out, %%at;\n    mov.u64 %%tile, tile;\n    mov.u32 %%t1, %%t0;\n",
        WARPGROUP_A, type, WARPGROUP_D, WARPGROUP_BYTES, WARPGROUP_IN, WARPGROUP_THREADS, row->d * 4);
    text_printf(
        ptx,
        "fill:\n    mul.wide.u32 %%at, %%t1, 4;\n    add.u64 %%from, %%in, %%at;\n    add.u64 %%to, %%tile, %%at;\n"
        "    ld.global.u32 %%t2, [%%from];\n    st.shared.u32 [%%to], %%t2;\n    add.u32 %%t1, %%t1, %d;\n"
        "    setp.lt.u32 %%more, %%t1, %d;\n    @%%more bra fill;\n    fence.proxy.async;\n    bar.sync 0;\n",
        WARPGROUP_THREADS, WARPGROUP_BYTES / 4);
    text_printf(ptx, "    mul.wide.u32 %%at, %%t0, %d;\n    add.u64 %%in, %%in, %%at;\n",
                (WARPGROUP_A + WARPGROUP_D) * 4);
    for (int i = 0; i < WARPGROUP_A; i++)
        text_printf(ptx, "    ld.global.b32 %%a%d, [%%in+%d];\n", i, WARPGROUP_BYTES + 4 * i);
    for (int i = 0; i < row->d; i++)
        text_printf(ptx, "    ld.global.%s %%d%d, [%%in+%d];\n", type, i, WARPGROUP_BYTES + 4 * (WARPGROUP_A + i));
    text_printf(
        ptx,
        "    shr.u64 %%base, %%tile, 4;\n    and.b64 %%base, %%base, 0x3FFF;\n    add.u64 %%da, %%base, 0x%llx;\n"
        "    add.u64 %%db, %%base, 0x%llx;\n    setp.ne.u32 %%keeps, %d, 0;\n    wgmma.fence.sync.aligned;\n    %s ",
        (unsigned long long)warpgroup_descriptor(row, true), (unsigned long long)warpgroup_descriptor(row, false),
        row->keeps, row->form);
    warpgroup_list(ptx, "d", row->d);
    text_add(ptx, ", ");
    if (row->a_in_registers)
        warpgroup_list(ptx, "a", WARPGROUP_A);
    else
        text_add(ptx, "%da");
    text_printf(ptx, ", %%db, %%keeps%s;\n    wgmma.commit_group.sync.aligned;\n    wgmma.wait_group.sync.aligned 0;\n",
                row->end);
    for (int i = 0; i < row->d; i++)
        text_printf(ptx, "    st.global.%s [%%out+%d], %%d%d;\n", type, 4 * i, i);
    text_add(ptx, "    ret;\n}\n");
}

#endif
