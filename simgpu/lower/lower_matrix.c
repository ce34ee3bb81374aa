/* Each warp of a warpgroup computes 16 rows of D by itself, in fragments that are those of mma.m16n8: eight columns after
 * the other. So wgmma.mma_async becomes one product of fragments (MULTIPLY_MATRIX) for every eight columns. What lies in
 * shared memory is loaded into fragments first (LOAD_WGMMA_TILE). All of it happens at once, as hardware may do it. Only
 * the sanitizer needs to know who waits for it.
 *
 * Source   PTX ISA 9.0, Asynchronous Warpgroup Level Matrix Instructions.  */

#include "simgpu/code/matrix_fragment.h"
#include "simgpu/lower/lowering.h"
#include "simgpu/lower/operand.h"

#include <stdio.h>
#include <string.h>

/* ==== lower warpgroup ============================================================================================= */

/* Matrix instructions of a warpgroup, four warps: wgmma. */

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
    Instruction *load = emit(l, LOAD_WGMMA_TILE);
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
/* wgmma.mma_async */
static void lower_warpgroup_product(Lowering *l, const OpcodeModifiers *parts)
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
    matrix_lay_out(&shape);
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
/* wgmma.fence, .commit_group, .wait_group */
static void lower_warpgroup_order(Lowering *l, const OpcodeModifiers *parts)
{
    if (strcmp(parts->part[1], "fence") == 0)
        emit(l, PRODUCT_FENCE);
    if (strcmp(parts->part[1], "commit_group") == 0)
        emit(l, WGMMA_COMMIT);
    if (strcmp(parts->part[1], "wait_group") == 0)
        emit(l, PRODUCT_WAIT)->detail = (uint8_t)(constant_at(l, 0) < UINT8_MAX ? constant_at(l, 0) : UINT8_MAX);
}

/* ==== lower matrix ================================================================================================ */

/* mma and wmma.mma become one multiplication of fragments. wmma.load and wmma.store become loads and stores of the
 * elements that each lane holds. ldmatrix, stmatrix and movmatrix are micro-operations of their own.  */

static const struct {
    const char *name;
    MatrixType type;
} type_names[] = {
    {"f16", MATRIX_F16}, {"bf16", MATRIX_BF16}, {"tf32", MATRIX_TF32}, {"s8", MATRIX_S8},
    {"u8", MATRIX_U8},   {"f64", MATRIX_F64},   {"f32", MATRIX_F32},   {"s32", MATRIX_S32},
};

static bool find_type(const char *part, MatrixType *type)
{
    for (size_t i = 0; i < sizeof type_names / sizeof *type_names; i++)
        if (strcmp(part, type_names[i].name) == 0) {
            *type = type_names[i].type;
            return true;
        }
    return false;
}

/* The shape that a part names ("m16n8k16"), if its fragments are known. */
static MatrixShape shape_of(Lowering *l, const OpcodeModifiers *parts)
{
    static const MatrixShape known[] = {
        {8, 8, 4},   {8, 8, 16},  {16, 8, 4},   {16, 8, 8},  {16, 8, 16},
        {16, 8, 32}, {16, 16, 8}, {16, 16, 16}, {32, 8, 16}, {8, 32, 16},
    };
    for (int i = 1; i < parts->count; i++)
        for (size_t j = 0; j < sizeof known / sizeof *known; j++) {
            char name[16];
            snprintf(name, sizeof name, "m%un%uk%u", known[j].m, known[j].n, known[j].k);
            if (strcmp(parts->part[i], name) == 0)
                return known[j];
        }
    lower_refuse(l, "this matrix shape");
}

static const PtxOperand *fragment_operand(Lowering *l, const PtxOperand *fragment, int index)
{
    if (fragment->kind != PTX_VECTOR)
        return fragment;
    if (index >= fragment->element_count)
        lower_refuse(l, "this number of registers");
    return &fragment->elements[index];
}

static int fragment_count(const PtxOperand *fragment)
{
    return fragment->kind == PTX_VECTOR ? fragment->element_count : 1;
}

/* The number of registers of a fragment, which must be whole. A fragment of wmma may repeat its elements in more
 * registers. */
static int check_count(Lowering *l, const PtxOperand *fragment, const MatrixShape *shape, MatrixPart part,
                       MatrixType type)
{
    int count = fragment_count(fragment), least = matrix_registers(shape, part, type);
    if (least == 0 || count > MATRIX_REGISTERS || (count != least && !(count == MATRIX_REGISTERS && least < count)))
        lower_refuse(l, "this number of registers");
    return count;
}

/* ---- products ---------------------------------------------------------------------------------------------------- */

/* Does hardware have a product of these types? */
static bool is_product(const Matrix *matrix)
{
    MatrixType a = matrix->a, c = matrix->c, d = matrix->d;
    switch (a) {
    case MATRIX_F16: return matrix->b == a && (c == a || c == MATRIX_F32) && (d == a || d == MATRIX_F32);
    case MATRIX_BF16:
    case MATRIX_TF32: return matrix->b == a && c == MATRIX_F32 && d == MATRIX_F32;
    case MATRIX_F64: return matrix->b == a && c == a && d == a;
    case MATRIX_S8:
    case MATRIX_U8: return (matrix->b == MATRIX_S8 || matrix->b == MATRIX_U8) && c == MATRIX_S32 && d == MATRIX_S32;
    case MATRIX_F32:
    case MATRIX_S32: return false;
    }
    return false;
}

/* Reads the types of D, A, B and C. For float16, wmma names only those of D and C. */
static void take_types(Lowering *l, const OpcodeModifiers *parts, Matrix *matrix)
{
    MatrixType types[4] = {0};
    int count = 0;
    for (int i = 1; i < parts->count; i++)
        if (count < 4 && find_type(parts->part[i], &types[count]))
            count++;
        else if (strcmp(parts->part[i], "satfinite") == 0)
            matrix->saturates = true;
    matrix->d = types[0];
    matrix->a = count == 4 ? types[1] : MATRIX_F16;
    matrix->b = count == 4 ? types[2] : MATRIX_F16;
    matrix->c = count == 4 ? types[3] : types[1];
    if ((count != 2 && count != 4) || !is_product(matrix) || (matrix->saturates && matrix->c != MATRIX_S32))
        lower_refuse(l, "");
}

static bool is_known_modifier(const char *part)
{
    static const char *const known[] = {"mma", "sync", "aligned", "row", "col", "satfinite", "rn"};
    MatrixType type;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(part, known[i]) == 0)
            return true;
    return part[0] == 'm' || find_type(part, &type);
}

/* How many products a tensor core adds at once: all along k, except that ptxas makes of wmma.mma with tf32 and k = 8 two
 * products with k = 4 (HMMA.1684 in the machine code of nvcc 13.0 for sm_80 and sm_90). The sum is truncated after each. */
static uint8_t products_together(const Matrix *matrix, const OpcodeModifiers *parts)
{
    bool is_wmma = strcmp(parts->part[0], "wmma") == 0;
    return is_wmma && matrix->a == MATRIX_TF32 ? 4 : matrix->shape.k;
}

/* mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 d, a, b, c
 * wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 d, a, b, c */
static void lower_product(Lowering *l, const OpcodeModifiers *parts)
{
    Matrix *matrix = arena_alloc(&l->code->arena, sizeof *matrix);
    *matrix = (Matrix){.shape = shape_of(l, parts)};
    for (int i = 1; i < parts->count; i++)
        if (!is_known_modifier(parts->part[i]))
            lower_refuse(l, "");
    take_types(l, parts, matrix);
    matrix->k_together = products_together(matrix, parts);
    const MatrixShape *shape = &matrix->shape;
    const PtxOperand *d = operand_at(l, 0), *a = operand_at(l, 1), *b = operand_at(l, 2), *c = operand_at(l, 3);
    matrix->d_count = (uint8_t)check_count(l, d, shape, MATRIX_SUM, matrix->d);
    matrix->a_count = (uint8_t)check_count(l, a, shape, MATRIX_A, matrix->a);
    matrix->b_count = (uint8_t)check_count(l, b, shape, MATRIX_B, matrix->b);
    matrix->c_count = (uint8_t)check_count(l, c, shape, MATRIX_SUM, matrix->c);
    matrix_lay_out(matrix);
    uint32_t bytes = matrix->a == MATRIX_F64 ? 8 : 4;
    Operand *next = matrix->operands;
    for (int i = 0; i < matrix->d_count; i++)
        *next++ = result_operand(l, fragment_operand(l, d, i), bytes);
    for (int i = 0; i < matrix->a_count; i++)
        *next++ = source_operand(l, fragment_operand(l, a, i), bytes);
    for (int i = 0; i < matrix->b_count; i++)
        *next++ = source_operand(l, fragment_operand(l, b, i), bytes);
    for (int i = 0; i < matrix->c_count; i++)
        *next++ = source_operand(l, fragment_operand(l, c, i), bytes);
    emit(l, MULTIPLY_MATRIX)->matrix = matrix;
}

/* ---- wmma.load and wmma.store ------------------------------------------------------------------------------------ */

/* The tile of a matrix in memory that wmma.load or wmma.store accesses. */
typedef struct TileAccess {
    MatrixShape shape;
    MatrixPart part;
    MatrixType type;
    PtxSpace space;
    bool along_rows; /* neighbours in memory differ in MatrixPlace.across; elements a stride apart, in .along */
    Operand base;    /* the address that the places of a lane count from */
    Operand stride;  /* in elements */
} TileAccess;

static TileAccess tile_access(Lowering *l, const OpcodeModifiers *parts, const PtxOperand *address,
                              const PtxOperand *stride)
{
    TileAccess tile = {.shape = shape_of(l, parts)};
    const char *letter = parts->part[2];
    bool by_row = parts_have(parts, "row");
    tile.part = *letter == 'a' ? MATRIX_A : *letter == 'b' ? MATRIX_B : MATRIX_SUM;
    if (strlen(letter) != 1 || strchr("abcd", *letter) == NULL || by_row == parts_have(parts, "col") ||
        !find_type(parts->part[parts->count - 1], &tile.type))
        lower_refuse(l, "");
    tile.space = parts_have(parts, "global")                                       ? PTX_GLOBAL
                 : parts_have(parts, "shared") || parts_have(parts, "shared::cta") ? PTX_SHARED
                                                                                   : PTX_NO_SPACE;
    tile.along_rows = by_row != matrix_is_turned(&tile.shape, tile.part);
    if (stride != NULL) {
        tile.stride = source_operand(l, stride, 4);
    } else { /* the length of a row or column */
        const MatrixShape *s = &tile.shape;
        uint32_t rows = tile.part == MATRIX_B ? s->k : s->m, columns = tile.part == MATRIX_A ? s->k : s->n;
        tile.stride = constant(l, by_row ? columns : rows, 4);
    }
    tile.base = whole_address(l, address, tile.space);
    return tile;
}

/* base + (steps * stride + elements) * size of an element */
static Operand emit_offset(Lowering *l, const TileAccess *tile, Operand base, Operand steps, Operand elements)
{
    Operand sum = temporary(l, 4), bytes = temporary(l, 8), address = temporary(l, 8);
    const Operand size = constant(l, matrix_type_bytes(tile->type), 4);
    emit_form(l, "mad.lo.u32", sum, steps, tile->stride, elements);
    emit_form(l, "mul.wide.u32", bytes, sum, size, no_operand);
    emit_form(l, "add.u64", address, base, bytes, no_operand);
    return address;
}

/* Moves the base to the first element of the lane. */
static void move_to_lane(Lowering *l, TileAccess *tile)
{
    Operand lane = special_register(l, SPECIAL_LANE, 0, 0, 4);
    Operand along = temporary(l, 4), rest = temporary(l, 4), across = temporary(l, 4);
    emit_form(l, "shr.u32", along, lane, constant(l, 2, 4), no_operand);
    emit_form(l, "and.b32", rest, lane, constant(l, 3, 4), no_operand);
    Operand step = constant(l, (uint64_t)matrix_lane_step(tile->part, tile->type), 4);
    emit_form(l, "mul.lo.u32", across, rest, step, no_operand);
    tile->base = emit_offset(l, tile, tile->base, tile->along_rows ? along : across, tile->along_rows ? across : along);
}

/* A load or store of `bytes` at a place of the tile, to or from one register. */
static Instruction *emit_element(Lowering *l, InstructionKind kind, const TileAccess *tile, MatrixPlace place,
                                 uint32_t bytes)
{
    int steps = tile->along_rows ? place.along : place.across, elements = tile->along_rows ? place.across : place.along;
    Operand address = tile->base;
    if (steps != 0)
        address = emit_offset(l, tile, address, constant(l, (uint64_t)steps, 4), constant(l, 0, 4));
    Instruction *access = emit(l, kind);
    access->space = (uint8_t)tile->space;
    access->sources[0] = address;
    access->offset = (int64_t)elements * matrix_type_bytes(tile->type);
    access->size = (uint8_t)logarithm(bytes);
    access->count = 1;
    count_request(l, access);
    return access;
}

static uint32_t register_bytes(MatrixType type)
{
    return type == MATRIX_F64 ? 8 : 4;
}

/* Are the elements of a register neighbours in memory, so that one access moves them all? */
static bool is_one_access(const TileAccess *tile)
{
    return matrix_packed(tile->part, tile->type) == 1 || tile->along_rows;
}

static Operand load_register(Lowering *l, const TileAccess *tile, int number)
{
    uint32_t bytes = register_bytes(tile->type), element_bytes = matrix_type_bytes(tile->type);
    int packed = matrix_packed(tile->part, tile->type);
    Operand value = temporary(l, bytes), elements[4], pairs[2];
    if (is_one_access(tile)) {
        MatrixPlace place = matrix_place(&tile->shape, tile->part, tile->type, number, 0);
        emit_element(l, LOAD, tile, place, bytes)->results[0] = value;
        return value;
    }
    for (int i = 0; i < packed; i++) {
        elements[i] = temporary(l, 2);
        MatrixPlace place = matrix_place(&tile->shape, tile->part, tile->type, number, i);
        emit_element(l, LOAD, tile, place, element_bytes)->results[0] = elements[i];
    }
    for (int i = 0; i < 2 && packed == 4; i++) {
        pairs[i] = temporary(l, 2);
        emit_form(l, "+pack.b16", pairs[i], elements[2 * i], elements[2 * i + 1], no_operand);
    }
    const Operand *halves = packed == 4 ? pairs : elements;
    emit_form(l, "+pack.b32", value, halves[0], halves[1], no_operand);
    return value;
}

/* wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {registers}, [address] {, stride} */
static void lower_tile_load(Lowering *l, const OpcodeModifiers *parts)
{
    const PtxOperand *fragment = operand_at(l, 0), *stride = l->source->operand_count > 2 ? operand_at(l, 2) : NULL;
    TileAccess tile = tile_access(l, parts, operand_at(l, 1), stride);
    int count = check_count(l, fragment, &tile.shape, tile.part, tile.type);
    int distinct = matrix_registers(&tile.shape, tile.part, tile.type);
    Operand values[MATRIX_REGISTERS];
    move_to_lane(l, &tile);
    for (int i = 0; i < distinct; i++)
        values[i] = load_register(l, &tile, i);
    for (int i = 0; i < count; i++) { /* at the end: a result may be the register of the stride */
        Operand result = result_operand(l, fragment_operand(l, fragment, i), register_bytes(tile.type));
        emit_move(l, result, values[i % distinct]);
    }
}

static void store_register(Lowering *l, const TileAccess *tile, int number, Operand value)
{
    int packed = matrix_packed(tile->part, tile->type);
    if (is_one_access(tile)) {
        MatrixPlace place = matrix_place(&tile->shape, tile->part, tile->type, number, 0);
        emit_element(l, STORE, tile, place, register_bytes(tile->type))->sources[1] = value;
        return;
    }
    for (int i = 0; i < packed; i++) {
        Operand element = temporary(l, 2);
        emit_form(l, i == 0 ? "+extend.u16.16.32" : "+high.b32", element, value, no_operand, no_operand);
        MatrixPlace place = matrix_place(&tile->shape, tile->part, tile->type, number, i);
        emit_element(l, STORE, tile, place, 2)->sources[1] = element;
    }
}

/* wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [address], {registers} {, stride} */
static void lower_tile_store(Lowering *l, const OpcodeModifiers *parts)
{
    const PtxOperand *fragment = operand_at(l, 1), *stride = l->source->operand_count > 2 ? operand_at(l, 2) : NULL;
    TileAccess tile = tile_access(l, parts, operand_at(l, 0), stride);
    int count = check_count(l, fragment, &tile.shape, tile.part, tile.type);
    if (tile.part != MATRIX_SUM || matrix_type_bytes(tile.type) == 1 ||
        count != matrix_registers(&tile.shape, tile.part, tile.type))
        lower_refuse(l, "");
    move_to_lane(l, &tile);
    for (int i = 0; i < count; i++)
        store_register(l, &tile, i, source_operand(l, fragment_operand(l, fragment, i), register_bytes(tile.type)));
}

/* ---- ldmatrix, stmatrix, movmatrix ------------------------------------------------------------------------------- */

static int matrices_of(Lowering *l, const OpcodeModifiers *parts)
{
    bool known = parts_have(parts, "m8n8") && parts_have(parts, "b16");
    int count = parts_have(parts, "x1") ? 1 : parts_have(parts, "x2") ? 2 : parts_have(parts, "x4") ? 4 : 0;
    if (!known || count == 0)
        lower_refuse(l, "");
    return count;
}

/* ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {registers}, [address]; stmatrix... [address], {registers} */
static void lower_rows(Lowering *l, const OpcodeModifiers *parts)
{
    bool loads = parts->part[0][0] == 'l';
    int count = matrices_of(l, parts);
    bool in_shared = parts_have(parts, "shared") || parts_have(parts, "shared::cta");
    const PtxOperand *fragment = operand_at(l, loads ? 0 : 1);
    if (fragment_count(fragment) != count)
        lower_refuse(l, "this number of registers");
    Operand address = whole_address(l, operand_at(l, loads ? 1 : 0), in_shared ? PTX_SHARED : PTX_NO_SPACE);
    if (!in_shared) {
        Operand offset = temporary(l, 8);
        emit_form(l, "sub.u64", offset, address, constant(l, SHARED_WINDOW, 8), no_operand);
        address = offset;
    }
    Operand registers[4];
    for (int i = 0; i < count; i++)
        registers[i] = loads ? result_operand(l, fragment_operand(l, fragment, i), 4)
                             : source_operand(l, fragment_operand(l, fragment, i), 4);
    Instruction *access = emit(l, loads ? LOAD_MATRIX : STORE_MATRIX);
    access->space = PTX_SHARED;
    access->count = (uint8_t)count;
    access->detail = parts_have(parts, "trans");
    access->sources[0] = address;
    for (int i = 0; i < count; i++)
        *(loads ? &access->results[i] : &access->sources[1 + i]) = registers[i];
    count_request(l, access);
}

/* movmatrix.sync.aligned.m8n8.trans.b16 d, a */
static void lower_turn(Lowering *l, const OpcodeModifiers *parts)
{
    Operand result = result_operand(l, operand_at(l, 0), 4), source = source_operand(l, operand_at(l, 1), 4);
    if (!parts_have(parts, "trans") || !parts_have(parts, "b16"))
        lower_refuse(l, "");
    Instruction *turn = emit(l, TRANSPOSE_MATRIX);
    turn->results[0] = result;
    turn->sources[0] = source;
}

bool lower_matrix(Lowering *l, const OpcodeModifiers *parts)
{
    static const struct {
        const char *name, *part;
        void (*lower)(Lowering *, const OpcodeModifiers *);
    } rows[] = {
        {"mma", "sync", lower_product},
        {"wmma", "mma", lower_product},
        {"wmma", "load", lower_tile_load},
        {"wmma", "store", lower_tile_store},
        {"ldmatrix", "sync", lower_rows},
        {"stmatrix", "sync", lower_rows},
        {"movmatrix", "sync", lower_turn},
        {"wgmma", "mma_async", lower_warpgroup_product},
        {"wgmma", "fence", lower_warpgroup_order},
        {"wgmma", "commit_group", lower_warpgroup_order},
        {"wgmma", "wait_group", lower_warpgroup_order},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (parts->count > 2 && strcmp(parts->part[0], rows[i].name) == 0 &&
            strcmp(parts->part[1], rows[i].part) == 0) {
            join_warp(l);
            count_control(l);
            rows[i].lower(l, parts);
            return true;
        }
    return false;
}
