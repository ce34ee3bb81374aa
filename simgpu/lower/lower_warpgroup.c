/* Each warp of a warpgroup computes 16 rows of D by itself, in fragments that are those of mma.m16n8: eight columns after
 * the other. So wgmma.mma_async becomes one product of fragments (MULTIPLY_MATRIX) for every eight columns. What lies in
 * shared memory is loaded into fragments first (LOAD_DESCRIBED). All of it happens at once, as hardware may do it. Only
 * the sanitizer needs to know who waits for it.
 *
 * Source   PTX ISA 9.0, Asynchronous Warpgroup Level Matrix Instructions.  */
#include "simgpu/lower/lower_warpgroup.h"

#include "simgpu/code/matrix_fragment.h"
#include "simgpu/lower/emit/basic_block.h"
#include "simgpu/lower/emit/emit.h"
#include "simgpu/lower/emit/operand.h"
#include "simgpu/lower/emit/virtual_register.h"

#include <stdio.h>
#include <string.h>

enum { ROWS_OF_WARP = 16, COLUMNS = 8, MOST_COLUMNS = 256, K_BYTES = 32, A_REGISTERS = 4, B_REGISTERS = 2 };

static const struct {
    const char *a, *b, *d; /* as the opcode names them */
    MatrixType a_type, b_type, d_type;
} products[] = {
    {"f16", "f16", "f16", MATRIX_F16, MATRIX_F16, MATRIX_F16},
    {"f16", "f16", "f32", MATRIX_F16, MATRIX_F16, MATRIX_F32},
    {"bf16", "bf16", "f32", MATRIX_BF16, MATRIX_BF16, MATRIX_F32},
    {"tf32", "tf32", "f32", MATRIX_TF32, MATRIX_TF32, MATRIX_F32},
    {"s8", "s8", "s32", MATRIX_S8, MATRIX_S8, MATRIX_S32},
    {"s8", "u8", "s32", MATRIX_S8, MATRIX_U8, MATRIX_S32},
    {"u8", "s8", "s32", MATRIX_U8, MATRIX_S8, MATRIX_S32},
    {"u8", "u8", "s32", MATRIX_U8, MATRIX_U8, MATRIX_S32},
};

/* wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16: the number of columns; `matrix` becomes the product of eight of
 * them. */
static int product_of(Lowering *l, const OpcodeModifiers *parts, Matrix *matrix)
{
    char name[16];
    *matrix = (Matrix){.is_of_warpgroup = true, .saturates = parts_have(parts, "satfinite")};
    for (size_t i = 0; parts->count >= 8 && i < sizeof products / sizeof *products; i++)
        if (strcmp(parts->part[5], products[i].d) == 0 && strcmp(parts->part[6], products[i].a) == 0 &&
            strcmp(parts->part[7], products[i].b) == 0) {
            matrix->a = products[i].a_type;
            matrix->b = products[i].b_type;
            matrix->c = matrix->d = products[i].d_type;
            matrix->shape.k = (uint8_t)(K_BYTES / matrix_type_bytes(matrix->a));
        }
    for (int columns = COLUMNS; matrix->shape.k > 0 && columns <= MOST_COLUMNS; columns += COLUMNS) {
        snprintf(name, sizeof name, "m64n%dk%u", columns, matrix->shape.k);
        if (strcmp(parts->part[4], name) == 0)
            return columns;
    }
    lower_refuse(l, "");
}

/* ---- operands ---------------------------------------------------------------------------------------------------- */

/* An immediate operand: -1 or 1, 0 or 1, or a number of groups. */
static int64_t constant_at(Lowering *l, int index)
{
    return (int64_t)expect_constant(l, index);
}

/* Factors of -1 change the signs of the elements. */
static void negate(Lowering *l, MatrixType type, Operand *registers, int count)
{
    const uint64_t signs = matrix_type_bytes(type) == 2 ? 0x80008000 : 0x80000000;
    for (int i = 0; i < count; i++) {
        Operand negated = temporary(l, 4);
        emit_form(l, "xor.b32", negated, registers[i], constant(l, signs, 4), no_operand);
        registers[i] = negated;
    }
}

/* A fragment of the matrix that a descriptor leads to; of B, the columns from `first` on. */
static void load_described(Lowering *l, Operand descriptor, bool is_a, bool is_turned, MatrixType type, int first,
                           Operand *registers)
{
    const int count = is_a ? A_REGISTERS : B_REGISTERS;
    for (int i = 0; i < count; i++)
        registers[i] = temporary(l, 4);
    Instruction *load = emit(l, LOAD_DESCRIBED);
    load->space = PTX_SHARED;
    load->detail = (uint8_t)((is_a ? DESCRIBED_A : 0) | (is_turned ? DESCRIBED_TURNED : 0));
    load->size = (uint8_t)(matrix_type_bytes(type) == 1 ? 0 : matrix_type_bytes(type) == 2 ? 1 : 2);
    load->count = (uint8_t)count;
    load->offset = first;
    load->sources[0] = descriptor;
    memcpy(load->results, registers, (size_t)count * sizeof *registers);
}

/* The registers of D are those of C as well, unless scale-d is false: then C is zero. */
static Operand sum_before(Lowering *l, const PtxOperand *scale, Operand d)
{
    if (scale->kind == PTX_IMMEDIATE)
        return scale->number != 0 ? d : constant(l, 0, 4);
    Operand sum = temporary(l, 4);
    emit_form(l, "selp.b32", sum, d, constant(l, 0, 4), source_operand(l, scale, 1));
    l->code->instructions[l->code->instruction_count - 1].is_hidden = true;
    return sum;
}

/* ---- instructions ------------------------------------------------------------------------------------------------ */

/* wgmma.mma_async.sync.aligned.m64nNkK.f32.f16.f16 {d}, {a} or a-descriptor, b-descriptor, scale-d {, scale-a, scale-b
 * {, turn-a} {, turn-b}} */
void lower_warpgroup_product(Lowering *l, const OpcodeModifiers *parts)
{
    Matrix shape;
    const int columns = product_of(l, parts, &shape), per_block = shape.d == MATRIX_F16 ? 2 : 4;
    const PtxOperand *d = operand_at(l, 0), *a = operand_at(l, 1), *scale = operand_at(l, 3);
    const bool a_in_registers = a->kind == PTX_VECTOR, has_signs = shape.d != MATRIX_S32;
    const bool may_turn = matrix_type_bytes(shape.a) == 2;
    const int expected = 4 + (has_signs ? 2 : 0) + (may_turn ? (a_in_registers ? 1 : 2) : 0);
    if (d->kind != PTX_VECTOR || d->element_count != columns / COLUMNS * per_block ||
        l->source->operand_count != expected || (a_in_registers && a->element_count != A_REGISTERS))
        lower_refuse(l, "these operands");
    const bool a_is_turned = may_turn && !a_in_registers && constant_at(l, 6) != 0;
    const bool b_is_turned = may_turn && constant_at(l, expected - 1) != 0;
    const bool a_is_negated = has_signs && constant_at(l, 4) < 0, b_is_negated = has_signs && constant_at(l, 5) < 0;
    Operand a_registers[A_REGISTERS], b_registers[B_REGISTERS], b_descriptor = source_operand(l, operand_at(l, 2), 8);

    if (a_in_registers)
        for (int i = 0; i < A_REGISTERS; i++)
            a_registers[i] = source_operand(l, &a->elements[i], 4);
    else
        load_described(l, source_operand(l, a, 8), true, a_is_turned, shape.a, 0, a_registers);
    if (a_is_negated)
        negate(l, shape.a, a_registers, A_REGISTERS);
    shape.shape = (MatrixShape){ROWS_OF_WARP, COLUMNS, shape.shape.k};
    shape.k_together = shape.shape.k;
    shape.d_count = shape.c_count = (uint8_t)per_block;
    shape.a_count = A_REGISTERS;
    shape.b_count = B_REGISTERS;
    for (int first = 0; first < columns; first += COLUMNS) {
        Matrix *matrix = arena_alloc(&l->code->arena, sizeof *matrix);
        *matrix = shape;
        load_described(l, b_descriptor, false, b_is_turned, shape.b, first, b_registers);
        if (b_is_negated)
            negate(l, shape.b, b_registers, B_REGISTERS);
        Operand *next = matrix->operands;
        const PtxOperand *elements = &d->elements[first / COLUMNS * per_block];
        for (int i = 0; i < per_block; i++)
            *next++ = result_operand(l, &elements[i], 4);
        for (int i = 0; i < A_REGISTERS; i++)
            *next++ = a_registers[i];
        for (int i = 0; i < B_REGISTERS; i++)
            *next++ = b_registers[i];
        for (int i = 0; i < per_block; i++)
            *next++ = sum_before(l, scale, matrix->operands[i]);
        emit(l, MULTIPLY_MATRIX)->matrix = matrix;
    }
}

/* wgmma.fence.sync.aligned; wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 1 */
void lower_warpgroup_order(Lowering *l, const OpcodeModifiers *parts)
{
    if (strcmp(parts->part[1], "fence") == 0)
        emit(l, PRODUCT_FENCE);
    if (strcmp(parts->part[1], "commit_group") == 0)
        emit(l, PRODUCT_COMMIT);
    if (strcmp(parts->part[1], "wait_group") == 0)
        emit(l, PRODUCT_WAIT)->detail = (uint8_t)(constant_at(l, 0) < UINT8_MAX ? constant_at(l, 0) : UINT8_MAX);
}
