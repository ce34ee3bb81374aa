/* Loads fragments of the matrices in shared memory that wgmma multiplies.  */
#include "simgpu/block/active.h"
#include "simgpu/block/fault.h"
#include "simgpu/block/register.h"
#include "simgpu/block/sanitizer.h"
#include "simgpu/code/lane_math.h"
#include "simgpu/code/matrix_fragment.h"
#include "simgpu/engine/access.h"
#include "simgpu/engine/matrix_product.h"
#include "simgpu/engine/provenance.h"

#include <string.h>

/* ==== described matrix ============================================================================================ */

enum { WARPS_TOGETHER = 4, WARP_ROWS = 16, COLUMNS = 8, K_BYTES = 32 };

static MatrixType described_type(const Instruction *instruction)
{
    return instruction->size == 0 ? MATRIX_U8 : instruction->size == 1 ? MATRIX_F16 : MATRIX_TF32;
}

typedef struct DescribedLoad {
    const Instruction *instruction;
    MatrixDescriptor descriptor;
    uint32_t first; /* row of A, column of B, at which the fragment begins */
} DescribedLoad;

/* Register `number` of a lane; false after a fault. */
static bool load_register(Worker *worker, const DescribedLoad *load, int number, uint32_t lane, uint32_t *value)
{
    const Instruction *instruction = load->instruction;
    const MatrixType type = described_type(instruction);
    const MatrixPart part = instruction->detail & DESCRIBED_A ? MATRIX_A : MATRIX_B;
    const uint32_t bytes = 1u << instruction->size;
    const MatrixShape shape = {WARP_ROWS, COLUMNS, (uint8_t)(K_BYTES / bytes)};
    *value = 0;
    for (int i = 0; i < matrix_packed(part, type); i++) {
        const MatrixPlace place = matrix_place(&shape, part, type, number, i);
        const uint32_t along = load->first + (uint32_t)place.along + lane % SIM_WARP_SIZE / 4;
        const uint32_t across = (uint32_t)(place.across + matrix_lane_step(part, type) * (int)(lane % 4));
        const bool is_turned = instruction->detail & DESCRIBED_TURNED;
        const uint64_t at = matrix_descriptor_place(&load->descriptor, is_turned, along, across, bytes);
        uint32_t element = 0;
        if (at + bytes > worker->launch->shared_bytes)
            return worker_access_fault(worker, instruction, SIM_OUT_OF_BOUNDS, SIM_SHARED, false, lane, at, bytes, 1);
        if (worker->sanitizer != NULL)
            sanitizer_product_reads(worker, instruction, lane, at, bytes);
        memcpy(&element, worker->shared + at, bytes);
        if (worker->provenance != NULL)
            provenance_loads_element(worker, instruction, lane, instruction->results[number], bytes * (uint32_t)i, at,
                                     bytes);
        *value |= element << (8 * bytes * (uint32_t)i);
    }
    return true;
}

static bool check_warpgroup(Worker *worker, const Instruction *instruction, uint32_t warp,
                            const MatrixDescriptor *descriptor)
{
    const uint32_t lane = warp * SIM_WARP_SIZE;
    if (worker->launch->threads < (warp / WARPS_TOGETHER + 1) * WARPS_TOGETHER * SIM_WARP_SIZE)
        return worker_fault(worker, SIM_BAD_BARRIER, instruction->file, instruction->line, lane,
                            "executes wgmma in a warpgroup that has fewer than four warps");
    if (descriptor->is_based)
        return worker_fault(worker, SIM_UNSUPPORTED, instruction->file, instruction->line, lane,
                            "executes wgmma on a matrix with a base offset, which the simulated GPU does not have");
    return true;
}

/* Prepares a register for writes to single lanes. */
static void begin_register(Worker *worker, Operand operand)
{
    if (worker->states[operand.slot] == UNIFORM)
        register_fill(worker, operand);
    worker->states[operand.slot] = VARYING;
}

bool execute_load_described(Worker *worker, const Instruction *instruction, Active *active)
{
    const uint32_t readers = instruction->detail & DESCRIBED_A ? 1 : WARPS_TOGETHER; /* warps, of the same elements */
    worker->counters.warpgroup_operand_bytes += (uint64_t)active->count * instruction->count * sizeof(uint32_t) /
                                                readers;
    for (int i = 0; i < instruction->count; i++)
        begin_register(worker, instruction->results[i]);
    for (uint32_t lane = active->first; lane < active->end; lane++) {
        const uint32_t warp = lane / SIM_WARP_SIZE;
        uint32_t values[MAX_RESULTS];
        if (!active_has(active, lane))
            continue;
        const DescribedLoad load = {
            .instruction = instruction,
            .descriptor = matrix_descriptor(register_value(worker, instruction->sources[0], lane)),
            .first = instruction->detail & DESCRIBED_A ? warp % WARPS_TOGETHER * WARP_ROWS
                                                       : (uint32_t)instruction->offset};
        if (!check_warpgroup(worker, instruction, warp, &load.descriptor))
            return false;
        for (int i = 0; i < instruction->count; i++)
            if (!load_register(worker, &load, i, lane, &values[i]))
                return false;
        for (int i = 0; i < instruction->count; i++)
            memcpy(lane_of(worker, instruction->results[i], lane), &values[i], sizeof values[i]);
    }
    return true;
}

/* ==== matrix ====================================================================================================== */

/* Gathers the fragments of matrices, scatters those of their product, and moves 8x8 matrices between shared memory and
 * fragments.  */

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

/* Sets an opened register in the lanes of a warp. */
static void write_warp(Worker *worker, Operand operand, uint32_t warp, const uint64_t values[SIM_WARP_SIZE])
{
    unsigned char *to = lane_of(worker, operand, warp * SIM_WARP_SIZE);
    if (operand.size == 2)
        for (uint32_t lane = 0; lane < SIM_WARP_SIZE; lane++)
            ((uint32_t *)to)[lane] = (uint32_t)values[lane];
    else
        for (uint32_t lane = 0; lane < SIM_WARP_SIZE; lane++)
            memcpy(to + ((size_t)lane << operand.size), &values[lane], (size_t)1 << operand.size);
}

/* ---- fragments --------------------------------------------------------------------------------------------------- */

typedef struct Fragment {
    MatrixPart part;
    MatrixType type;
    const Operand *operands;
    int count;
} Fragment;

/* The values of a register in the lanes of a warp. */
static void read_warp(const Worker *worker, Operand operand, uint32_t warp, uint64_t values[SIM_WARP_SIZE])
{
    if (operand.size == 2 && !is_uniform(worker, operand))
        for (uint32_t lane = 0; lane < SIM_WARP_SIZE; lane++)
            values[lane] = ((const uint32_t *)lane_of(worker, operand, warp * SIM_WARP_SIZE))[lane];
    else
        for (uint32_t lane = 0; lane < SIM_WARP_SIZE; lane++)
            values[lane] = register_value(worker, operand, warp * SIM_WARP_SIZE + lane);
}

/* Tensor cores read none of the registers that repeat others (tests/data/wmma.bin). */
static void gather(Worker *worker, const MatrixShape *shape, const Fragment *fragment, uint32_t warp, Tile tile)
{
    const int count = matrix_registers(shape, fragment->part, fragment->type);
    int packed = matrix_packed(fragment->part, fragment->type), step = matrix_lane_step(fragment->part, fragment->type);
    uint32_t bits = 8 * matrix_type_bytes(fragment->type);
    uint64_t mask = bits == 64 ? ~0ull : (1ull << bits) - 1, values[SIM_WARP_SIZE];
    for (int i = 0; i < count; i++) {
        read_warp(worker, fragment->operands[i], warp, values);
        for (int j = 0; j < packed; j++) {
            MatrixPlace place = matrix_place(shape, fragment->part, fragment->type, i, j);
            for (int row = 0; row < SIM_WARP_SIZE / 4; row++)
                for (int k = 0; k < 4; k++)
                    tile[place.along + row][place.across + step * k] = values[4 * row + k] >> ((uint32_t)j * bits) &
                                                                       mask;
        }
    }
}

static void scatter(Worker *worker, const MatrixShape *shape, const Fragment *fragment, uint32_t warp, Tile tile)
{
    int packed = matrix_packed(fragment->part, fragment->type), step = matrix_lane_step(fragment->part, fragment->type);
    uint32_t bits = 8 * matrix_type_bytes(fragment->type);
    for (int i = 0; i < fragment->count; i++) {
        uint64_t values[SIM_WARP_SIZE] = {0};
        for (int j = 0; j < packed; j++) {
            MatrixPlace place = matrix_place(shape, fragment->part, fragment->type, i, j);
            for (int row = 0; row < SIM_WARP_SIZE / 4; row++)
                for (int k = 0; k < 4; k++)
                    values[4 * row + k] |= tile[place.along + row][place.across + step * k] << ((uint32_t)j * bits);
        }
        write_warp(worker, fragment->operands[i], warp, values);
    }
}

/* ---- products ----------------------------------------------------------------------------------------------------- */

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

/* Finds the registers of a fragment that hold each element once. Those that a loop over lanes cannot read are copied. */
static void find_words(const Worker *worker, const Matrix *matrix, const Fragment *fragment, uint32_t warp,
                       LaneWords copies, const uint32_t *words[])
{
    for (int i = 0; i < matrix->layouts[fragment->part].count; i++) {
        const Operand operand = fragment->operands[i];
        const bool is_apart = operand.size != 2 || is_uniform(worker, operand);
        for (uint32_t lane = 0; lane < SIM_WARP_SIZE && is_apart; lane++)
            copies[i][lane] = (uint32_t)register_value(worker, operand, warp * SIM_WARP_SIZE + lane);
        words[i] = is_apart ? copies[i] : (const uint32_t *)lane_of(worker, operand, warp * SIM_WARP_SIZE);
    }
}

/* As the hardware does nearly all: in the lanes that hold the numbers. */
static bool multiply_in_lanes(Worker *worker, const Matrix *matrix, const Fragment fragments[4], uint32_t warp)
{
    LaneWords copies[3];
    const uint32_t *a[MATRIX_REGISTERS], *b[MATRIX_REGISTERS], *c[MATRIX_REGISTERS];
    uint32_t *d[MATRIX_REGISTERS];
    if (matrix->c != MATRIX_F32 || matrix->d != MATRIX_F32)
        return false;
    find_words(worker, matrix, &fragments[1], warp, copies[0], a);
    find_words(worker, matrix, &fragments[2], warp, copies[1], b);
    find_words(worker, matrix, &fragments[3], warp, copies[2], c);
    for (int i = 0; i < fragments[0].count; i++)
        d[i] = (uint32_t *)lane_of(worker, fragments[0].operands[i], warp * SIM_WARP_SIZE);
    return matrix_multiply_lanes(matrix, a, b, c, d);
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
        begin_register(worker, d.operands[i]);
    EACH_WARP(active, warp)
    {
        if (worker->provenance != NULL)
            provenance_product(worker, instruction, warp);
        if (multiply_in_lanes(worker, matrix, (const Fragment[]){d, of_a, of_b, of_c}, warp))
            continue;
        gather(worker, shape, &of_a, warp, a);
        gather(worker, shape, &of_b, warp, b);
        gather(worker, shape, &of_c, warp, c);
        matrix_multiply(matrix, a, b, c);
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
    return check_warps(worker, instruction, active) && check_access(worker, &side, &rows, is_store, ROW_BYTES);
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

/* Tells a trace which elements of a matrix the lanes of a warp load or store. */
static void trace_elements(Worker *worker, const Instruction *instruction, uint32_t warp, int matrix)
{
    const bool is_turned = instruction->detail != 0, is_load = instruction->kind == LOAD_MATRIX;
    for (uint32_t i = 0; worker->provenance != NULL && i < 2 * SIM_WARP_SIZE; i++) {
        const uint32_t lane = warp * SIM_WARP_SIZE + i / 2, in_warp = i / 2, bytes = sizeof(uint16_t);
        const unsigned char *row = row_of(worker, instruction, warp, matrix, element_row(in_warp, i % 2, is_turned));
        const uint64_t at = (uint64_t)(row - worker->shared) + bytes * element_column(in_warp, i % 2, is_turned);
        if (is_load)
            provenance_loads_element(worker, instruction, lane, instruction->results[matrix], bytes * (i % 2), at,
                                     bytes);
        else
            provenance_stores_element(worker, instruction, lane, instruction->sources[1 + matrix], bytes * (i % 2), at,
                                      bytes);
    }
}

/* Loads one matrix of a warp: two neighbours of a row for each lane, or of a column. */
static void load_rows(const Worker *worker, const Instruction *load, uint32_t warp, int matrix,
                      uint32_t lanes[SIM_WARP_SIZE])
{
    uint16_t elements[ROWS][ROWS];
    for (uint32_t row = 0; row < ROWS; row++)
        memcpy(elements[row], row_of(worker, load, warp, matrix, row), ROW_BYTES);
    if (load->detail == 0)
        memcpy(lanes, elements, sizeof elements);
    else
        for (uint32_t lane = 0; lane < SIM_WARP_SIZE; lane++)
            lanes[lane] = PACK_HALVES(elements[lane % 4 * 2][lane / 4], elements[lane % 4 * 2 + 1][lane / 4]);
}

bool execute_load_matrix(Worker *worker, const Instruction *instruction, Active *active)
{
    uint32_t lanes[4][SIM_WARP_SIZE];
    if (!check_rows(worker, instruction, active, false))
        return false;
    for (int i = 0; i < instruction->count; i++)
        begin_register(worker, instruction->results[i]);
    EACH_WARP(active, warp)
    {
        note_rows(worker, instruction, warp);
        for (int i = 0; i < instruction->count; i++)
            load_rows(worker, instruction, warp, i, lanes[i]);
        for (int i = 0; i < instruction->count; i++)
            trace_elements(worker, instruction, warp, i);
        /* Only now are results written: one may share its register with the addresses. */
        for (int i = 0; i < instruction->count; i++)
            memcpy(lane_of(worker, instruction->results[i], warp * SIM_WARP_SIZE), lanes[i], sizeof lanes[i]);
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
        trace_elements(worker, instruction, warp, i);
    }
    return true;
}

bool execute_transpose_matrix(Worker *worker, const Instruction *instruction, Active *active)
{
    uint16_t elements[ROWS][ROWS];
    uint64_t values[SIM_WARP_SIZE];
    if (!check_warps(worker, instruction, active))
        return false;
    begin_register(worker, instruction->results[0]);
    EACH_WARP(active, warp)
    {
        for (uint32_t lane = 0; lane < SIM_WARP_SIZE; lane++) {
            uint32_t value = (uint32_t)register_value(worker, instruction->sources[0], warp * SIM_WARP_SIZE + lane);
            elements[lane / 4][lane % 4 * 2] = (uint16_t)value;
            elements[lane / 4][lane % 4 * 2 + 1] = (uint16_t)(value >> 16);
        }
        for (uint32_t lane = 0; lane < SIM_WARP_SIZE; lane++)
            values[lane] = PACK_HALVES(elements[lane % 4 * 2][lane / 4], elements[lane % 4 * 2 + 1][lane / 4]);
        write_warp(worker, instruction->results[0], warp, values);
    }
    return true;
}
