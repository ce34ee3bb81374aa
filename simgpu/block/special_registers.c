#include "simgpu/block/special_registers.h"

#include "simgpu/block/cluster.h"
#include "simgpu/block/register.h"

#include <string.h>

static void set_uniform(Worker *worker, Operand operand, uint64_t value)
{
    memcpy(lane_of(worker, operand, 0), &value, (size_t)1 << operand.size);
    worker->states[operand.slot] = UNIFORM;
}

/* `detail` as in SpecialRegister. */
static uint32_t lane_mask(int detail, uint32_t lane)
{
    uint32_t own = 1u << lane, below = own - 1;
    switch (detail) {
    case 0: return own;
    case 1: return below | own;
    case 2: return below;
    case 3: return ~below;
    default: return ~(below | own);
    }
}

static uint32_t thread_index(const uint32_t size[3], int axis, uint32_t thread)
{
    return axis == 0 ? thread % size[0] : axis == 1 ? thread / size[0] % size[1] : thread / size[0] / size[1];
}

typedef uint32_t ThreadValue(const Worker *worker, int detail, uint32_t thread);

static uint32_t tid_value(const Worker *worker, int axis, uint32_t thread)
{
    return thread_index(worker->launch->request->shape.block, axis, thread);
}

static uint32_t lane_value(const Worker *worker, int detail, uint32_t thread)
{
    return thread % SIM_WARP_SIZE;
}

static uint32_t warp_value(const Worker *worker, int detail, uint32_t thread)
{
    return thread / SIM_WARP_SIZE;
}

static uint32_t lanemask_value(const Worker *worker, int detail, uint32_t thread)
{
    return lane_mask(detail, thread % SIM_WARP_SIZE);
}

static void set_varying(Worker *worker, const SpecialRegister *special, ThreadValue *value_of)
{
    for (uint32_t thread = 0; thread < worker->launch->threads; thread++) {
        uint32_t value = value_of(worker, special->detail, thread);
        memcpy(lane_of(worker, special->operand, thread), &value, sizeof value);
    }
    worker->states[special->operand.slot] = VARYING;
}

static uint64_t unwritten_value(const Worker *worker, Operand operand)
{
    const uint64_t byte = worker->unwritten;
    return operand.size == 0 ? byte & 1 : byte * 0x0101010101010101; /* predicates hold 0 or 1 */
}

static void begin_launch(Worker *worker, const SpecialRegister *special)
{
    const Launch *launch = worker->launch;
    const LaunchShape *shape = &launch->request->shape;
    Operand operand = special->operand;
    switch (special->kind) {
    case SPECIAL_CONSTANT: set_uniform(worker, operand, special->value); break;
    case SPECIAL_TID: set_varying(worker, special, tid_value); break;
    case SPECIAL_NTID: set_uniform(worker, operand, shape->block[special->detail]); break;
    case SPECIAL_CTAID: break; /* of the block */
    case SPECIAL_NCTAID: set_uniform(worker, operand, shape->grid[special->detail]); break;
    case SPECIAL_LANE: set_varying(worker, special, lane_value); break;
    case SPECIAL_WARP: set_varying(worker, special, warp_value); break;
    case SPECIAL_WARPS: set_uniform(worker, operand, launch->warps); break;
    case SPECIAL_LANEMASK: set_varying(worker, special, lanemask_value); break;
    case SPECIAL_DYNAMIC_SHARED: set_uniform(worker, operand, shape->dynamic_shared_bytes); break;
    case SPECIAL_TOTAL_SHARED: set_uniform(worker, operand, launch->shared_bytes); break;
    case SPECIAL_MULTIPROCESSOR:
    case SPECIAL_UNWRITTEN:
    case SPECIAL_CLUSTER_CTAID:
    case SPECIAL_CLUSTERID:
    case SPECIAL_CLUSTER_RANK: break; /* of the block */
    case SPECIAL_CLUSTER_NCTAID: set_uniform(worker, operand, launch->cluster[special->detail]); break;
    case SPECIAL_NCLUSTERID:
        set_uniform(worker, operand, shape->grid[special->detail] / launch->cluster[special->detail]);
        break;
    case SPECIAL_CLUSTER_RANKS: set_uniform(worker, operand, launch->cluster_blocks); break;
    case SPECIAL_IS_CLUSTER: set_uniform(worker, operand, launch->is_explicit_cluster); break;
    case SPECIAL_WORKSPACE: set_uniform(worker, operand, launch->workspace >> special->detail & UINT32_MAX); break;
    case SPECIAL_MULTIPROCESSORS: set_uniform(worker, operand, launch->profile->multiprocessors); break;
    }
}

void special_registers_begin_launch(Worker *worker)
{
    for (int i = 0; i < worker->code->special_register_count; i++)
        begin_launch(worker, &worker->code->special_registers[i]);
}

void special_registers_begin_block(Worker *worker)
{
    for (int i = 0; i < worker->code->special_register_count; i++) {
        const SpecialRegister *special = &worker->code->special_registers[i];
        const uint32_t *cluster = worker->launch->cluster, *index = worker->block_index;
        const int axis = special->detail;
        if (special->kind == SPECIAL_CTAID)
            set_uniform(worker, special->operand, index[axis]);
        else if (special->kind == SPECIAL_CLUSTER_CTAID)
            set_uniform(worker, special->operand, index[axis] % cluster[axis]);
        else if (special->kind == SPECIAL_CLUSTERID)
            set_uniform(worker, special->operand, index[axis] / cluster[axis]);
        else if (special->kind == SPECIAL_CLUSTER_RANK)
            set_uniform(worker, special->operand, cluster_rank(worker));
        else if (special->kind == SPECIAL_MULTIPROCESSOR)
            set_uniform(worker, special->operand, worker->block % worker->launch->profile->multiprocessors);
        else if (special->kind == SPECIAL_UNWRITTEN)
            set_uniform(worker, special->operand, unwritten_value(worker, special->operand));
    }
}
