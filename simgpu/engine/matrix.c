/* Multiplies matrix fragments, and moves 8x8 matrices between shared memory and fragments.
 *
 * Sums of float16, bfloat16 and tf32 products equal those of an H200 to the bit. Products are exact. They and C are
 * aligned to the largest exponent among them, where a product's exponent is the sum of its factors' exponents, and are
 * truncated 25 bits below it. Their sum is truncated to float32, or rounded to float16.
 * Matrix.k_together says how many products are added at once.
 * simgpu/gpu/tests/test_recorded.c checks this against recordings. The method is that of Fasi, Higham, Mikaitis and
 * Pranesh, Numerical Behavior of NVIDIA Tensor Cores (2021).  */
#include "simgpu/engine/matrix.h"

#include "simgpu/block/fault.h"
#include "simgpu/block/register.h"
#include "simgpu/code/lane_math.h"
#include "simgpu/code/matrix_fragment.h"
#include "simgpu/engine/access.h"
#include "simgpu/sanitizer/sanitizer.h"

enum { GUARD_BITS = 25, NOTHING = -100000 }; /* the exponent of a zero */

static bool is_whole_warp(const Active *active, uint32_t warp)
{
    return active->bits[warp] == ~0u;
}

/* A matrix instruction that only a part of a warp executes is undefined on hardware. */
static bool check_warps(Worker *worker, const Instruction *instruction, const Active *active)
{
    for (uint32_t warp = active->first / SIM_WARP_SIZE; warp * SIM_WARP_SIZE < active->end; warp++)
        if (active->bits[warp] != 0 && !is_whole_warp(active, warp))
            return worker_fault(worker, SIM_BAD_BARRIER, instruction->file, instruction->line, active->first,
                                "executes a matrix instruction that only a part of its warp reaches");
    return true;
}

#define EACH_WARP(active, warp)                                                                                        \
    for (uint32_t warp = (active)->first / SIM_WARP_SIZE; warp * SIM_WARP_SIZE < (active)->end; warp++)                \
        if ((active)->bits[warp] != 0)

/* Prepares a register for writes to single lanes. Only whole warps execute these instructions, so no mask is needed. */
static void open_register(Worker *worker, Operand operand)
{
    if (worker->states[operand.slot] == UNIFORM)
        register_fill(worker, operand);
    worker->states[operand.slot] = VARYING;
}

static void set_lane(Worker *worker, Operand operand, uint32_t lane, uint64_t value)
{
    memcpy(lane_of(worker, operand, lane), &value, (size_t)1 << operand.size);
}

/* ---- fragments --------------------------------------------------------------------------------------------------- */

typedef uint64_t Tile[MATRIX_MOST][MATRIX_MOST]; /* bits of elements, [along][across] */

typedef struct Fragment {
    MatrixPart part;
    MatrixType type;
    const Operand *operands;
    int count;
} Fragment;

/* Of the registers that repeat others, tensor cores read none (tests/data/wmma.bin). */
static void gather(Worker *worker, const MatrixShape *shape, const Fragment *fragment, uint32_t warp, Tile tile)
{
    const int count = matrix_registers(shape, fragment->part, fragment->type);
    int packed = matrix_packed(fragment->part, fragment->type), step = matrix_lane_step(fragment->part, fragment->type);
    uint32_t bits = 8 * matrix_type_bytes(fragment->type);
    for (int i = 0; i < count; i++)
        for (int j = 0; j < packed; j++) {
            MatrixPlace place = matrix_place(shape, fragment->part, fragment->type, i, j);
            for (uint32_t lane = 0; lane < SIM_WARP_SIZE; lane++) {
                uint64_t value = register_value(worker, fragment->operands[i], warp * SIM_WARP_SIZE + lane);
                tile[place.along + (int)(lane / 4)][place.across + step * (int)(lane % 4)] = value >>
                                                                                                 ((uint32_t)j * bits) &
                                                                                             (bits == 64
                                                                                                  ? ~0ull
                                                                                                  : (1ull << bits) - 1);
            }
        }
}

static void scatter(Worker *worker, const MatrixShape *shape, const Fragment *fragment, uint32_t warp, Tile tile)
{
    int packed = matrix_packed(fragment->part, fragment->type), step = matrix_lane_step(fragment->part, fragment->type);
    uint32_t bits = 8 * matrix_type_bytes(fragment->type);
    for (int i = 0; i < fragment->count; i++)
        for (uint32_t lane = 0; lane < SIM_WARP_SIZE; lane++) {
            uint64_t value = 0;
            for (int j = 0; j < packed; j++) {
                MatrixPlace place = matrix_place(shape, fragment->part, fragment->type, i, j);
                int along = place.along + (int)(lane / 4), across = place.across + step * (int)(lane % 4);
                value |= tile[along][across] << ((uint32_t)j * bits);
            }
            set_lane(worker, fragment->operands[i], warp * SIM_WARP_SIZE + lane, value);
        }
}

/* ---- floats ------------------------------------------------------------------------------------------------------ */

/* mantissa * 2^(exponent - digits of the type); infinities and NaN are kept as a float. */
typedef struct Parts {
    int32_t mantissa, exponent;
    bool is_special;
    f32 value;
} Parts;

static int digits_of(MatrixType type)
{
    return type == MATRIX_BF16 ? 7 : type == MATRIX_F32 ? 23 : 10;
}

static Parts parts_of(uint64_t bits, MatrixType type)
{
    int digits = digits_of(type), exponent_bits = type == MATRIX_F16 ? 5 : 8;
    if (type == MATRIX_TF32)
        bits >>= 13; /* tf32 ignores the lower bits */
    int32_t biased = (int32_t)(bits >> digits) & ((1 << exponent_bits) - 1), bias = (1 << (exponent_bits - 1)) - 1;
    int32_t fraction = (int32_t)bits & ((1 << digits) - 1);
    bool is_negative = bits >> (digits + exponent_bits) & 1, is_special = biased == (1 << exponent_bits) - 1;
    Parts parts = {.mantissa = biased == 0 ? fraction : fraction | 1 << digits,
                   .exponent = (biased == 0 ? 1 : biased) - bias,
                   .is_special = is_special};
    parts.value = is_special ? (fraction != 0 ? NAN : INFINITY) : (f32)parts.mantissa;
    if (parts.mantissa == 0)
        parts.exponent = NOTHING;
    if (is_negative) {
        parts.mantissa = -parts.mantissa;
        parts.value = -parts.value;
    }
    return parts;
}

/* mantissa * 2^shift, truncated towards zero. */
static int64_t shifted(int64_t mantissa, int shift)
{
    uint64_t magnitude = (uint64_t)(mantissa < 0 ? -mantissa : mantissa);
    magnitude = shift >= 0 ? magnitude << shift : shift < -63 ? 0 : magnitude >> -shift;
    return mantissa < 0 ? -(int64_t)magnitude : (int64_t)magnitude;
}

/* sum * 2^exponent as float32, truncated towards zero. */
static u32 cut_off(int64_t sum, int exponent)
{
    uint64_t magnitude = (uint64_t)(sum < 0 ? -sum : sum);
    u32 sign = sum < 0 ? 1u << 31 : 0;
    if (sum == 0)
        return 0;
    int highest = 63 - __builtin_clzll(magnitude), scale = exponent + highest;
    if (scale > 127)
        return sign | 0x7F800000;
    int drop = scale < -126 ? -149 - exponent : highest - 23;
    u32 mantissa = (u32)shifted((int64_t)magnitude, -drop);
    return sign | (scale < -126 ? mantissa : ((u32)(scale + 126) << 23) + mantissa);
}

/* A sum with an infinity or a NaN among its terms. */
static f32 special_sum(const Parts *a, const Parts *b, const Parts *c, int k)
{
    f32 sum = c->is_special ? c->value : 0;
    for (int i = 0; i < k; i++)
        if (a[i].is_special || b[i].is_special)
            sum += a[i].value * b[i].value;
    return sum;
}

typedef struct Sum {
    bool is_special;
    f32 value;   /* of one that is */
    int64_t sum; /* times 2^exponent */
    int exponent;
} Sum;

static Sum sum_of(const Parts *a, const Parts *b, const Parts *c, int k, int digits)
{
    int most = c->exponent;
    bool is_special = c->is_special;
    for (int i = 0; i < k; i++) {
        int exponent = a[i].exponent + b[i].exponent;
        most = exponent > most ? exponent : most;
        is_special |= a[i].is_special | b[i].is_special;
    }
    if (is_special)
        return (Sum){.is_special = true, .value = special_sum(a, b, c, k)};
    if (most < NOTHING / 2)
        return (Sum){.sum = 0};
    int64_t sum = shifted(c->mantissa, c->exponent - digits_of(MATRIX_F32) - most + GUARD_BITS);
    for (int i = 0; i < k; i++)
        sum += shifted((int64_t)a[i].mantissa * b[i].mantissa,
                       a[i].exponent + b[i].exponent - 2 * digits - most + GUARD_BITS);
    return (Sum){.sum = sum, .exponent = most - GUARD_BITS};
}

static uint64_t sum_bits(const Sum *sum, MatrixType type)
{
    if (sum->is_special && type == MATRIX_F16)
        return f32_to_f16(sum->value);
    if (sum->is_special)
        return sum->value != sum->value ? 0x7FFFFFFF : f32_bits(sum->value);
    if (type == MATRIX_F16)
        return narrowed_f16(ldexp((f64)sum->sum, sum->exponent), ROUND_NEAREST);
    return cut_off(sum->sum, sum->exponent);
}

/* C as if it were float32, with an exponent of its own. */
static Parts sum_parts(uint64_t bits, MatrixType type)
{
    return parts_of(type == MATRIX_F16 ? f32_bits(f16_to_f32((u16)bits)) : bits, MATRIX_F32);
}

static void split(Tile tile, int extent, int k, MatrixType type, Parts parts[MATRIX_MOST][MATRIX_MOST])
{
    for (int i = 0; i < extent; i++)
        for (int j = 0; j < k; j++)
            parts[i][j] = parts_of(tile[i][j], type);
}

/* The sum of a row times a column and of C; `matrix->k_together` products are added at once. */
static uint64_t product_bits(const Matrix *matrix, const Parts *row, const Parts *column, uint64_t c)
{
    MatrixType type = matrix->c;
    for (int k = 0; k < matrix->shape.k; k += matrix->k_together) {
        Parts start = sum_parts(c, type);
        Sum sum = sum_of(row + k, column + k, &start, matrix->k_together, digits_of(matrix->a));
        c = sum_bits(&sum, matrix->d);
        type = matrix->d;
    }
    return c;
}

static void multiply_floats(const Matrix *matrix, Tile a, Tile b, Tile c)
{
    static _Thread_local Parts rows[MATRIX_MOST][MATRIX_MOST], columns[MATRIX_MOST][MATRIX_MOST];
    const MatrixShape *shape = &matrix->shape;
    bool turned = matrix_is_turned(shape, MATRIX_SUM);
    split(a, shape->m, shape->k, matrix->a, rows);
    split(b, shape->n, shape->k, matrix->b, columns);
    for (int i = 0; i < shape->m; i++)
        for (int j = 0; j < shape->n; j++) {
            uint64_t *at = turned ? &c[j][i] : &c[i][j];
            *at = product_bits(matrix, rows[i], columns[j], *at);
        }
}

/* ---- float64 and integers ---------------------------------------------------------------------------------------- */

static void multiply_doubles(const Matrix *matrix, Tile a, Tile b, Tile c)
{
    for (int i = 0; i < matrix->shape.m; i++)
        for (int j = 0; j < matrix->shape.n; j++) {
            f64 sum = f64_from(c[i][j]);
            for (int k = 0; k < matrix->shape.k; k++)
                sum = __builtin_fma(f64_from(a[i][k]), f64_from(b[j][k]), sum);
            c[i][j] = f64_bits(sum);
        }
}

static int64_t integer_of(uint64_t bits, MatrixType type)
{
    return type == MATRIX_S8 ? (s8)bits : (int64_t)bits;
}

static void multiply_integers(const Matrix *matrix, Tile a, Tile b, Tile c)
{
    bool turned = matrix_is_turned(&matrix->shape, MATRIX_SUM);
    for (int i = 0; i < matrix->shape.m; i++)
        for (int j = 0; j < matrix->shape.n; j++) {
            uint64_t *at = turned ? &c[j][i] : &c[i][j];
            int64_t sum = (s32)*at;
            for (int k = 0; k < matrix->shape.k; k++)
                sum += integer_of(a[i][k], matrix->a) * integer_of(b[j][k], matrix->b);
            *at = (u32)(matrix->saturates ? saturate_s32(sum) : (s32)(u32)sum);
        }
}

/* Tensor cores take twice as long for halves as for bytes, four times for tf32, 32 times for float64: NVIDIA H100
 * Tensor Core GPU Architecture, "H100 Tensor Core GPU performance specs". */
static uint64_t bytes_time(MatrixType type)
{
    switch (type) {
    case MATRIX_S8:
    case MATRIX_U8: return 1;
    case MATRIX_TF32: return 4;
    case MATRIX_F64: return 32;
    case MATRIX_F16:
    case MATRIX_BF16: return 2;
    case MATRIX_F32:
    case MATRIX_S32: break; /* only sums have these types */
    }
    return 0;
}

bool execute_multiply(Worker *worker, const Instruction *instruction, Active *active)
{
    const Matrix *matrix = instruction->matrix;
    const MatrixShape *shape = &matrix->shape;
    const Operand *operands = matrix->operands;
    Tile a, b, c;
    if (!check_warps(worker, instruction, active))
        return false;
    const Fragment d = {MATRIX_SUM, matrix->d, operands, matrix->d_count};
    const Fragment of_a = {MATRIX_A, matrix->a, d.operands + d.count, matrix->a_count};
    const Fragment of_b = {MATRIX_B, matrix->b, of_a.operands + of_a.count, matrix->b_count};
    const Fragment of_c = {MATRIX_SUM, matrix->c, of_b.operands + of_b.count, matrix->c_count};
    for (int i = 0; i < d.count; i++)
        open_register(worker, d.operands[i]);
    EACH_WARP(active, warp)
    {
        gather(worker, shape, &of_a, warp, a);
        gather(worker, shape, &of_b, warp, b);
        gather(worker, shape, &of_c, warp, c);
        if (matrix->a == MATRIX_F64)
            multiply_doubles(matrix, a, b, c);
        else if (matrix->c == MATRIX_S32)
            multiply_integers(matrix, a, b, c);
        else
            multiply_floats(matrix, a, b, c);
        scatter(worker, shape, &d, warp, c);
    }
    uint64_t products = (uint64_t)active->warps * shape->m * shape->n * shape->k;
    worker->counters.tensor += products;
    *(matrix->is_of_warpgroup ? &worker->counters.warpgroup_bytes
                              : &worker->counters.tensor_bytes) += products * bytes_time(matrix->a);
    return true;
}

/* ---- 8x8 matrices of 16 bits ------------------------------------------------------------------------------------- */

enum { ROWS = 8, ROW_BYTES = 16 };

/* Checks the lanes that give the addresses of rows, 8 for each matrix. */
static bool check_rows(Worker *worker, const Instruction *instruction, const Active *active, bool is_store)
{
    Active rows = *active;
    Instruction side = *instruction;
    side.size = 3;
    side.count = ROW_BYTES / 8;
    for (uint32_t warp = 0; warp < worker->launch->warps; warp++)
        rows.bits[warp] &= instruction->count == 4 ? ~0u : (1u << ROWS * instruction->count) - 1;
    active_measure(&rows, worker);
    return check_warps(worker, instruction, active) && check_access(worker, &side, &rows, is_store);
}

static unsigned char *row_of(const Worker *worker, const Instruction *instruction, uint32_t warp, int matrix,
                             uint32_t row)
{
    uint32_t lane = warp * SIM_WARP_SIZE + (uint32_t)matrix * ROWS + row;
    return worker->shared + register_value(worker, instruction->sources[0], lane) + instruction->offset;
}

/* Element `index`, 0 or 1, of a lane: its row and column. */
static uint32_t element_row(uint32_t lane, uint32_t index, bool turned)
{
    return turned ? lane % 4 * 2 + index : lane / 4;
}
static uint32_t element_column(uint32_t lane, uint32_t index, bool turned)
{
    return turned ? lane / 4 : lane % 4 * 2 + index;
}

/* Tells the sanitizer which rows a warp loads. */
static void note_rows(Worker *worker, const Instruction *load, uint32_t warp)
{
    for (int i = 0; worker->sanitizer != NULL && i < load->count; i++)
        for (uint32_t row = 0; row < ROWS; row++)
            sanitizer_load_row(worker, load, warp * SIM_WARP_SIZE + (uint32_t)i * ROWS + row,
                               (uint64_t)(row_of(worker, load, warp, i, row) - worker->shared), ROW_BYTES);
}

bool execute_load_matrix(Worker *worker, const Instruction *instruction, Active *active)
{
    bool turned = instruction->detail != 0;
    uint32_t values[4][SIM_WARP_SIZE];
    if (!check_rows(worker, instruction, active, false))
        return false;
    for (int i = 0; i < instruction->count; i++)
        open_register(worker, instruction->results[i]);
    EACH_WARP(active, warp)
    {
        note_rows(worker, instruction, warp);
        for (int i = 0; i < instruction->count; i++)
            for (uint32_t lane = 0; lane < SIM_WARP_SIZE; lane++) {
                uint16_t pair[2];
                for (uint32_t j = 0; j < 2; j++)
                    memcpy(&pair[j],
                           row_of(worker, instruction, warp, i, element_row(lane, j, turned)) +
                               2 * element_column(lane, j, turned),
                           sizeof pair[j]);
                values[i][lane] = pair[0] | (uint32_t)pair[1] << 16;
            }
        /* Only now are results written: one may share its register with the addresses. */
        for (int i = 0; i < instruction->count; i++)
            for (uint32_t lane = 0; lane < SIM_WARP_SIZE; lane++)
                set_lane(worker, instruction->results[i], warp * SIM_WARP_SIZE + lane, values[i][lane]);
    }
    return true;
}

static void store_row(Worker *worker, const Instruction *instruction, uint32_t warp, int matrix, uint32_t row,
                      const uint16_t *elements)
{
    const uint32_t lane = warp * SIM_WARP_SIZE + (uint32_t)matrix * ROWS + row;
    unsigned char *to = row_of(worker, instruction, warp, matrix, row);
    if (worker->sanitizer != NULL)
        sanitizer_store_row(worker, instruction, lane, (uint64_t)(to - worker->shared), (const unsigned char *)elements,
                            ROW_BYTES);
    memcpy(to, elements, ROW_BYTES);
}

bool execute_store_matrix(Worker *worker, const Instruction *instruction, Active *active)
{
    bool turned = instruction->detail != 0;
    if (!check_rows(worker, instruction, active, true))
        return false;
    EACH_WARP(active, warp)
    for (int i = 0; i < instruction->count; i++) {
        uint16_t elements[ROWS][ROWS];
        for (uint32_t lane = 0; lane < SIM_WARP_SIZE; lane++) {
            uint32_t value = (uint32_t)register_value(worker, instruction->sources[1 + i], warp * SIM_WARP_SIZE + lane);
            for (uint32_t j = 0; j < 2; j++)
                elements[element_row(lane, j, turned)][element_column(lane, j, turned)] = (uint16_t)(value >> (16 * j));
        }
        for (uint32_t row = 0; row < ROWS; row++)
            store_row(worker, instruction, warp, i, row, elements[row]);
    }
    return true;
}

bool execute_transpose_matrix(Worker *worker, const Instruction *instruction, Active *active)
{
    uint16_t elements[ROWS][ROWS];
    if (!check_warps(worker, instruction, active))
        return false;
    open_register(worker, instruction->results[0]);
    EACH_WARP(active, warp)
    {
        for (uint32_t lane = 0; lane < SIM_WARP_SIZE; lane++) {
            uint32_t value = (uint32_t)register_value(worker, instruction->sources[0], warp * SIM_WARP_SIZE + lane);
            elements[lane / 4][lane % 4 * 2] = (uint16_t)value;
            elements[lane / 4][lane % 4 * 2 + 1] = (uint16_t)(value >> 16);
        }
        for (uint32_t lane = 0; lane < SIM_WARP_SIZE; lane++)
            set_lane(worker, instruction->results[0], warp * SIM_WARP_SIZE + lane,
                     PACK_HALVES(elements[lane % 4 * 2][lane / 4], elements[lane % 4 * 2 + 1][lane / 4]));
    }
    return true;
}
