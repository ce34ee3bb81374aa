/* A table of the cells that the cluster has used in this phase; the sanitizer of rank 0 owns it. A cell has WAYS places,
 * which its address gives, and takes one that an earlier phase has left.  */
#include "simgpu/sanitizer/cluster_global.h"

#include "base/allocated.h"
#include "simgpu/block/cluster.h"
#include "simgpu/sanitizer/raw_finding.h"
#include "simgpu/sanitizer/shadow_cells.h"

#include <stdlib.h>

enum { SET_BITS = 15, WAYS = 4 };

typedef struct GlobalCell { /* a bit for each rank */
    uint64_t address;
    uint32_t phase; /* 0: none */
    uint32_t value; /* that was stored last */
    uint16_t readers, writers, changers;
    bool has_several_values;
} GlobalCell;

struct ClusterGlobal {
    GlobalCell cells[1 << SET_BITS][WAYS];
};

void cluster_global_free(ClusterGlobal *global)
{
    free(global);
}

/* The cell at `place`; NULL where there is no room for it. */
static GlobalCell *cell_at(const Cluster *cluster, uint64_t place, uint8_t cell_log)
{
    Sanitizer *first = cluster->blocks[0]->sanitizer;
    const uint32_t phase = cluster_races_phase(first);
    if (first->cluster_global == NULL)
        first->cluster_global = zeroed(1, sizeof *first->cluster_global);
    const uint64_t mixed = (place >> cell_log) * 0x9E3779B97F4A7C15u; /* 2^64 over the golden ratio */
    GlobalCell *set = first->cluster_global->cells[mixed >> (64 - SET_BITS)], *free_cell = NULL;
    for (int i = 0; i < WAYS; i++) {
        if (set[i].phase == phase && set[i].address == place)
            return &set[i];
        if (set[i].phase != phase)
            free_cell = &set[i];
    }
    if (free_cell != NULL)
        *free_cell = (GlobalCell){.address = place, .phase = phase};
    return free_cell;
}

/* The ranks whose use of the cell races with that of block `rank`. */
static uint32_t racing(const GlobalCell *cell, ClusterAccess how, uint32_t rank, uint32_t value)
{
    const bool is_same = how == CLUSTER_STORE && !cell->has_several_values && cell->value == value;
    uint32_t others = is_same ? 0 : cell->writers;
    if (how == CLUSTER_STORE)
        others |= cell->readers | cell->changers;
    return others & ~(1u << rank);
}

static void remember(GlobalCell *cell, ClusterAccess how, uint32_t rank, uint32_t value)
{
    uint16_t *users = how == CLUSTER_LOAD ? &cell->readers : how == CLUSTER_STORE ? &cell->writers : &cell->changers;
    if (how == CLUSTER_STORE) {
        cell->has_several_values |= cell->writers != 0 && cell->value != value;
        cell->value = value;
    }
    *users = (uint16_t)(*users | 1u << rank);
}

void cluster_global_access(Worker *worker, const Instruction *instruction, ClusterAccess how, uint32_t lane,
                           uint64_t address, uint32_t bytes, const unsigned char *values)
{
    const Cluster *cluster = worker->cluster;
    const uint8_t cell_log = worker->sanitizer->plan->global_cell_log;
    if (cluster == NULL || cluster->count < 2 || worker->sanitizer->cluster == NULL || !worker->sanitizer->is_detailed)
        return;
    const uint32_t rank = cluster_rank(worker);
    EACH_CELL(address, bytes, cell_log, place)
    {
        GlobalCell *cell = cell_at(cluster, place, cell_log);
        if (cell == NULL)
            continue;
        const uint32_t offset = (uint32_t)(place - address);
        const uint32_t value = how != CLUSTER_STORE ? 0
                               : values == NULL     ? shadow_cell_value(worker, instruction, lane, offset, cell_log)
                                                    : shadow_cell_value_of(values, offset, cell_log);
        const uint32_t others = racing(cell, how, rank, value);
        const uint32_t other = others == 0 ? 0 : (uint32_t)__builtin_ctz(others);
        if (others != 0 && !cluster_races_may_have_waited(worker->sanitizer) &&
            !cluster_races_may_have_waited(cluster->blocks[other]->sanitizer))
            raw_finding_note(worker, instruction, SIM_RACE_IN_CLUSTER,
                             (RawFinding){.lane = lane,
                                          .is_store = how != CLUSTER_LOAD,
                                          .other_stored = ((cell->writers | cell->changers) >> other & 1) != 0,
                                          .space = SIM_GLOBAL,
                                          .bytes = (uint8_t)bytes,
                                          .address = address,
                                          .other = other});
        remember(cell, how, rank, value);
    }
}
