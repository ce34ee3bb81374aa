/* Loads fragments of the matrices in shared memory that wgmma multiplies.  */
#include "simgpu/block/execute.h"

#include "simgpu/block/fault.h"
#include "simgpu/block/register.h"
#include "simgpu/code/matrix_descriptor.h"
#include "simgpu/code/matrix_fragment.h"
#include "simgpu/sanitizer/sanitizer.h"

#include <string.h>

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
