/* matrix_rows.h - which matrix instructions are recorded on a GPU and replayed, over which values.
 *
 * Shapes   each form runs as MATRIX_ROUNDS blocks of one warp. Lane by lane, `in` holds the registers of A, B and C, 8
 *          bytes each; `out` those of D. A wmma.load instead reads the memory at `in`, whose 16-bit words count up from
 *          0 (as 8-bit elements: two numbers each), with a stride of 64 elements: what it loads shows where in a
 *          fragment each element lies.
 * File     simgpu/tests/data/matrices.bin and, for wmma_rows, wmma.bin: for each form a u32, hash of its text, then D by round, lane and register,
 *          little-endian, 4 or 8 bytes.  */
/* clang-format off */
#ifndef SIMGPU_TESTS_MATRIX_ROWS_H
#define SIMGPU_TESTS_MATRIX_ROWS_H

#include "simgpu/tests/recorded_rows.h"

enum { MATRIX_ROUNDS = 16, MATRIX_LANES = 32, MATRIX_OPERANDS = 24, MATRIX_RESULTS = 8, MATRIX_STRIDE = 64 };

typedef struct MatrixRow {
    const char *form;
    char results, factors, sums;  /* registers of D, A and B, and C: 'r', 'f' or 'g' of opcode_rows.h */
    int d, a, b, c;               /* how many of each; a load has no more than d */
    char elements;                /* of A and B: 'x' float16, 'b' bfloat16, 't' tf32, 'i' 8-bit, 'g' float64 */
} MatrixRow;

static const MatrixRow matrix_rows[] = {
    {"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32", 'f', 'r', 'f', 4, 2, 1, 4, 'x'},
    {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", 'f', 'r', 'f', 4, 4, 2, 4, 'x'},
    {"mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16", 'r', 'r', 'r', 2, 2, 1, 2, 'x'},
    {"mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16", 'r', 'r', 'r', 2, 4, 2, 2, 'x'},
    {"mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32", 'f', 'r', 'f', 4, 2, 1, 4, 'b'},
    {"mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", 'f', 'r', 'f', 4, 4, 2, 4, 'b'},
    {"mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32", 'f', 'r', 'f', 4, 2, 1, 4, 't'},
    {"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", 'f', 'r', 'f', 4, 4, 2, 4, 't'},
    {"mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32", 'r', 'r', 'r', 2, 1, 1, 2, 'i'},
    {"mma.sync.aligned.m16n8k16.row.col.s32.s8.u8.s32", 'r', 'r', 'r', 4, 2, 1, 4, 'i'},
    {"mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32", 'r', 'r', 'r', 4, 4, 2, 4, 'i'},
    {"mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.s8.s32", 'r', 'r', 'r', 4, 4, 2, 4, 'i'},
    {"mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64", 'g', 'g', 'g', 2, 1, 1, 2, 'g'},
    {"mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64", 'g', 'g', 'g', 4, 2, 1, 4, 'g'},
    {"mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64", 'g', 'g', 'g', 4, 4, 2, 4, 'g'},
    {"mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64", 'g', 'g', 'g', 4, 8, 4, 4, 'g'},

    {"wmma.load.a.sync.aligned.row.m16n16k16.f16", 'r', 0, 0, 8, 0, 0, 0, 'x'},
    {"wmma.load.a.sync.aligned.col.m16n16k16.f16", 'r', 0, 0, 8, 0, 0, 0, 'x'},
    {"wmma.load.b.sync.aligned.row.m16n16k16.f16", 'r', 0, 0, 8, 0, 0, 0, 'x'},
    {"wmma.load.b.sync.aligned.col.m16n16k16.f16", 'r', 0, 0, 8, 0, 0, 0, 'x'},
    {"wmma.load.a.sync.aligned.row.m32n8k16.f16", 'r', 0, 0, 8, 0, 0, 0, 'x'},
    {"wmma.load.b.sync.aligned.col.m32n8k16.f16", 'r', 0, 0, 8, 0, 0, 0, 'x'},
    {"wmma.load.a.sync.aligned.row.m8n32k16.f16", 'r', 0, 0, 8, 0, 0, 0, 'x'},
    {"wmma.load.b.sync.aligned.col.m8n32k16.f16", 'r', 0, 0, 8, 0, 0, 0, 'x'},
    {"wmma.load.c.sync.aligned.row.m16n16k16.f16", 'r', 0, 0, 4, 0, 0, 0, 'x'},
    {"wmma.load.c.sync.aligned.row.m32n8k16.f16", 'r', 0, 0, 4, 0, 0, 0, 'x'},
    {"wmma.load.c.sync.aligned.row.m8n32k16.f16", 'r', 0, 0, 4, 0, 0, 0, 'x'},
    {"wmma.load.c.sync.aligned.row.m16n16k16.f32", 'f', 0, 0, 8, 0, 0, 0, 't'},
    {"wmma.load.c.sync.aligned.col.m16n16k16.f32", 'f', 0, 0, 8, 0, 0, 0, 't'},
    {"wmma.load.c.sync.aligned.row.m32n8k16.f32", 'f', 0, 0, 8, 0, 0, 0, 't'},
    {"wmma.load.c.sync.aligned.row.m8n32k16.f32", 'f', 0, 0, 8, 0, 0, 0, 't'},
    {"wmma.load.a.sync.aligned.row.m16n16k16.bf16", 'r', 0, 0, 4, 0, 0, 0, 'b'},
    {"wmma.load.b.sync.aligned.row.m16n16k16.bf16", 'r', 0, 0, 4, 0, 0, 0, 'b'},
    {"wmma.load.a.sync.aligned.row.m32n8k16.bf16", 'r', 0, 0, 8, 0, 0, 0, 'b'},
    {"wmma.load.b.sync.aligned.col.m32n8k16.bf16", 'r', 0, 0, 2, 0, 0, 0, 'b'},
    {"wmma.load.a.sync.aligned.row.m8n32k16.bf16", 'r', 0, 0, 2, 0, 0, 0, 'b'},
    {"wmma.load.b.sync.aligned.col.m8n32k16.bf16", 'r', 0, 0, 8, 0, 0, 0, 'b'},
    {"wmma.load.a.sync.aligned.row.m16n16k8.tf32", 'r', 0, 0, 4, 0, 0, 0, 't'},
    {"wmma.load.b.sync.aligned.col.m16n16k8.tf32", 'r', 0, 0, 4, 0, 0, 0, 't'},
    {"wmma.load.c.sync.aligned.row.m16n16k8.f32", 'f', 0, 0, 8, 0, 0, 0, 't'},
    {"wmma.load.a.sync.aligned.row.m16n16k16.s8", 'r', 0, 0, 2, 0, 0, 0, 'i'},
    {"wmma.load.b.sync.aligned.col.m16n16k16.u8", 'r', 0, 0, 2, 0, 0, 0, 'i'},
    {"wmma.load.a.sync.aligned.row.m32n8k16.s8", 'r', 0, 0, 4, 0, 0, 0, 'i'},
    {"wmma.load.b.sync.aligned.col.m32n8k16.s8", 'r', 0, 0, 1, 0, 0, 0, 'i'},
    {"wmma.load.a.sync.aligned.row.m8n32k16.s8", 'r', 0, 0, 1, 0, 0, 0, 'i'},
    {"wmma.load.b.sync.aligned.col.m8n32k16.s8", 'r', 0, 0, 4, 0, 0, 0, 'i'},
    {"wmma.load.c.sync.aligned.row.m16n16k16.s32", 'r', 0, 0, 8, 0, 0, 0, 't'},
    {"wmma.load.a.sync.aligned.row.m8n8k4.f64", 'g', 0, 0, 1, 0, 0, 0, 'g'},
    {"wmma.load.b.sync.aligned.col.m8n8k4.f64", 'g', 0, 0, 1, 0, 0, 0, 'g'},
    {"wmma.load.c.sync.aligned.row.m8n8k4.f64", 'g', 0, 0, 2, 0, 0, 0, 'g'},
};

/* Whole products of wmma, of which ptxas makes several instructions of the machine. */
static const MatrixRow wmma_rows[] = {
    {"wmma.mma.sync.aligned.row.col.m16n16k8.f32.tf32.tf32.f32", 'f', 'r', 'f', 8, 4, 4, 8, 't'},
    {"wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32", 'f', 'r', 'f', 8, 8, 8, 8, 'x'},
    {"wmma.mma.sync.aligned.row.col.m32n8k16.f32.f32", 'f', 'r', 'f', 8, 8, 8, 8, 'x'},
    {"wmma.mma.sync.aligned.row.col.m8n32k16.f32.f32", 'f', 'r', 'f', 8, 8, 8, 8, 'x'},
    {"wmma.mma.sync.aligned.row.col.m16n16k16.f16.f16", 'r', 'r', 'r', 4, 8, 8, 4, 'x'},
    {"wmma.mma.sync.aligned.row.col.m16n16k16.f32.bf16.bf16.f32", 'f', 'r', 'f', 8, 4, 4, 8, 'b'},
    {"wmma.mma.sync.aligned.row.col.m32n8k16.f32.bf16.bf16.f32", 'f', 'r', 'f', 8, 8, 2, 8, 'b'},
    {"wmma.mma.sync.aligned.row.col.m8n32k16.f32.bf16.bf16.f32", 'f', 'r', 'f', 8, 2, 8, 8, 'b'},
    {"wmma.mma.sync.aligned.row.col.m16n16k16.s32.s8.s8.s32", 'r', 'r', 'r', 8, 2, 2, 8, 'i'},
    {"wmma.mma.sync.aligned.row.col.m8n8k4.f64.f64.f64.f64", 'g', 'g', 'g', 2, 1, 1, 2, 'g'},
};

static bool matrix_is_load(const MatrixRow *row) { return row->a == 0; }

/* ---- values ------------------------------------------------------------------------------------------------------ */

/* An element for a round: small whole numbers, numbers about one, a few orders of magnitude, many, then anything. */
static uint64_t matrix_float(uint64_t random, int round, int digits, int exponent_bits)
{
    uint64_t bias = (1ull << (exponent_bits - 1)) - 1, fraction = recorded_random(random) & ((1ull << digits) - 1);
    uint64_t sign = (random >> 63) << (digits + exponent_bits);
    unsigned spread = round < 4 ? 1 : round < 6 ? 4 : round < 9 ? 12 : 20;
    if (round == 0) { /* -2, -1, 0, 1, 2 */
        uint64_t magnitude = random % 3;
        return magnitude == 0 ? 0 : sign | (bias + magnitude - 1) << digits;
    }
    if (round == 15)
        return recorded_float(random, digits, exponent_bits);
    if (round == 3)
        sign = 0;
    return sign | (bias - 1 - (random >> 8) % spread) << digits | fraction;
}

static uint64_t matrix_operand(const MatrixRow *row, int round, int lane, int operand)
{
    bool is_sum = operand >= row->a + row->b;
    uint64_t random = recorded_random(((uint64_t)round << 16 | (uint64_t)lane << 8 | (uint64_t)operand) * 4 + 1);
    char kind = is_sum ? (row->sums == 'f' ? 't' : row->sums == 'g' ? 'g' : row->elements) : row->elements;
    if (kind == 'g')
        return matrix_float(random, round, 52, 11);
    if (kind == 'i')
        return is_sum ? (round < 8 ? random & 0xFFFF : round < 12 ? 0x7FFF0000 + (random & 0xFFFFF) % 0xFFFF : random)
                      : (round == 0 ? random & 0x03030303 : random);
    if (kind == 't')
        return matrix_float(random, is_sum ? round / 2 : round, 23, 8);
    int digits = kind == 'x' ? 10 : 7, exponent = kind == 'x' ? 5 : 8;
    return matrix_float(random, round, digits, exponent) |
           matrix_float(recorded_random(random + 7), round, digits, exponent) << 16;
}

enum { MATRIX_IN_BYTES = MATRIX_ROUNDS * MATRIX_LANES * MATRIX_OPERANDS * 8 };

static void matrix_fill(const MatrixRow *row, void *in)
{
    uint64_t *registers = in;
    uint16_t *words = in;
    for (int i = 0; matrix_is_load(row) && i < MATRIX_IN_BYTES / 2; i++)
        words[i] = (uint16_t)i;
    for (int round = 0; !matrix_is_load(row) && round < MATRIX_ROUNDS; round++)
        for (int lane = 0; lane < MATRIX_LANES; lane++)
            for (int operand = 0; operand < MATRIX_OPERANDS; operand++)
                *registers++ = matrix_operand(row, round, lane, operand);
}

static size_t matrix_result_bytes(const MatrixRow *row) { return recorded_bytes(row->results); }

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

static void matrix_list(Text *ptx, const char *name, int count)
{
    text_add(ptx, "{");
    for (int i = 0; i < count; i++)
        text_printf(ptx, "%s%%%s%d", i > 0 ? ", " : "", name, i);
    text_add(ptx, "}");
}

static void matrix_take(Text *ptx, const char *name, char letter, int count, int first)
{
    for (int i = 0; i < count; i++) {
        int offset = 8 * (first + i);
        const char *type = letter == 'g' ? "f64" : letter == 'f' ? "f32" : "u32";
        text_printf(ptx, "    ld.global.%s %%%s%d, [%%in+%d];\n", type, name, i, offset);
    }
}

static void matrix_kernel(Text *ptx, const MatrixRow *row)
{
    static const char declare[] = "    .reg .%s %%%s<16>;\n";
    const char *types[] = {['r'] = "b32", ['f'] = "f32", ['g'] = "f64"};
    text_add(ptx, ".version 8.0\n.target sm_90\n.address_size 64\n"
                  ".visible .entry test(.param .u64 p_in, .param .u64 p_out)\n{\n"
                  "    .reg .b32 %t<4>;\n    .reg .b64 %in, %out, %at;\n");
    text_printf(ptx, declare, types[(int)row->results], "d");
    if (!matrix_is_load(row)) {
        text_printf(ptx, declare, types[(int)row->factors], "a");
        text_printf(ptx, declare, types[(int)row->factors], "b");
        text_printf(ptx, declare, types[(int)row->sums], "c");
    }
    text_printf(ptx, "    ld.param.u64 %%in, [p_in];\n    ld.param.u64 %%out, [p_out];\n    mov.u32 %%t0, %%tid.x;\n"
                     "    mov.u32 %%t1, %%ctaid.x;\n    mad.lo.u32 %%t2, %%t1, %d, %%t0;\n"
                     "    mul.wide.u32 %%at, %%t2, %d;\n    add.u64 %%out, %%out, %%at;\n", MATRIX_LANES,
                MATRIX_RESULTS * 8);
    if (matrix_is_load(row)) {
        text_printf(ptx, "    mov.u32 %%t3, %d;\n    %s ", MATRIX_STRIDE, row->form);
        matrix_list(ptx, "d", row->d);
        text_add(ptx, ", [%in], %t3;\n");
    } else {
        text_printf(ptx, "    mul.wide.u32 %%at, %%t2, %d;\n    add.u64 %%in, %%in, %%at;\n", MATRIX_OPERANDS * 8);
        matrix_take(ptx, "a", row->factors, row->a, 0);
        matrix_take(ptx, "b", row->factors, row->b, row->a);
        matrix_take(ptx, "c", row->sums, row->c, row->a + row->b);
        text_printf(ptx, "    %s ", row->form);
        matrix_list(ptx, "d", row->d);
        text_add(ptx, ", ");
        matrix_list(ptx, "a", row->a);
        text_add(ptx, ", ");
        matrix_list(ptx, "b", row->b);
        text_add(ptx, ", ");
        matrix_list(ptx, "c", row->c);
        text_add(ptx, ";\n");
    }
    for (int i = 0; i < row->d; i++)
        text_printf(ptx, "    st.global.%s [%%out+%d], %%d%d;\n", types[(int)row->results], 8 * i, i);
    text_add(ptx, "    ret;\n}\n");
}

#endif
