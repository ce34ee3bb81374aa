/* A table of the cells that the cluster has used in this phase; the sanitizer of rank 0 owns it. A cell has WAYS places,
 * which its address gives, and takes one that an earlier phase has left.  */
#include "simgpu/block/cluster_races.h"

#include "base/arena.h"
#include "simgpu/block/cluster.h"
#include "simgpu/block/raw_finding.h"
#include "simgpu/block/shadow_cells.h"

#include <stdlib.h>

/* ==== cluster global ============================================================================================== */

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

static void remember_global(GlobalCell *cell, ClusterAccess how, uint32_t rank, uint32_t value)
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
        remember_global(cell, how, rank, value);
    }
}

/* ==== cluster races =============================================================================================== */

typedef struct FarCell {                    /* in which phase another block last did it to a cell; 0: never */
    uint32_t read_in, wrote_in, changed_in; /* `changed_in`: by an atomic operation */
    uint8_t reader, writer, changer;        /* its rank */
} FarCell;

typedef struct FarAccess { /* to memory of this block, which must not end before */
    Worker *worker;
    const Instruction *instruction; /* NULL: there was none in this phase */
    RawFinding what;
} FarAccess;

struct ClusterRaces {
    uint32_t phase;       /* of the cluster's barrier; no two blocks have one in common */
    uint32_t phase_epoch; /* of the worker, when the phase began */
    FarCell *cells;       /* of the block's shared memory */
    FarAccess first;      /* in this phase */
};

ClusterRaces *cluster_races_new(const Worker *worker)
{
    const Launch *launch = worker->launch;
    if (!launch->code->uses_cluster)
        return NULL;
    ClusterRaces *races = zeroed(1, sizeof *races);
    races->cells = zeroed((launch->shared_bytes >> launch->sanitizer_plan->shared_cell_log) + 1, sizeof *races->cells);
    return races;
}

void cluster_races_free(ClusterRaces *races)
{
    if (races != NULL)
        free(races->cells);
    free(races);
}

static void begin_phase(Sanitizer *sanitizer)
{
    ClusterRaces *races = sanitizer->cluster;
    races->phase++;
    races->phase_epoch = sanitizer->epoch;
    races->first.instruction = NULL;
}

void cluster_races_begin_block(Sanitizer *sanitizer)
{
    if (sanitizer->cluster != NULL)
        begin_phase(sanitizer);
}

uint32_t cluster_races_phase(const Sanitizer *sanitizer)
{
    return sanitizer->cluster->phase;
}

bool cluster_races_may_have_waited(const Sanitizer *sanitizer)
{
    return sanitizer->is_ordered || sanitizer->waited_epoch >= sanitizer->cluster->phase_epoch;
}

void cluster_races_end_phase(Worker *worker)
{
    Sanitizer *sanitizer = worker->sanitizer;
    if (sanitizer->cluster == NULL)
        return;
    const FarAccess *first = &sanitizer->cluster->first;
    const bool has_ended = worker->live_count == 0;
    if (first->instruction != NULL && has_ended && !cluster_races_may_have_waited(sanitizer))
        raw_finding_note(first->worker, first->instruction, SIM_RACE_IN_CLUSTER, first->what);
    begin_phase(sanitizer);
}

/* ---- accesses ---------------------------------------------------------------------------------------------------- */

static RawFinding finding_of(const Instruction *instruction, ClusterAccess how, uint32_t lane, uint64_t offset,
                             uint32_t bytes)
{
    return (RawFinding){.lane = lane,
                        .is_store = how != CLUSTER_LOAD,
                        .space = SIM_SHARED,
                        .bytes = (uint8_t)bytes,
                        .address = offset,
                        .variable = variable_in(instruction, PTX_SHARED)};
}

/* Does an access race with what another block did to a cell? Sets `other` to its rank. */
static bool meets_far(const FarCell *cell, uint32_t phase, ClusterAccess how, uint32_t rank, RawFinding *found)
{
    const bool after_store = cell->wrote_in == phase && cell->writer != rank;
    const bool after_atomic = how != CLUSTER_ATOMIC && cell->changed_in == phase && cell->changer != rank;
    const bool after_load = how != CLUSTER_LOAD && cell->read_in == phase && cell->reader != rank;
    found->other_stored = after_store || after_atomic;
    found->other = after_store ? cell->writer : after_atomic ? cell->changer : cell->reader;
    return after_store || after_atomic || after_load;
}

/* Does it race with what the owner of the memory itself did there in this phase? */
static bool meets_near(const Sanitizer *owner, const ShadowCell *cell, ClusterAccess how, RawFinding *found)
{
    const uint32_t since = owner->cluster->phase_epoch;
    const bool after_store = cell->write_epoch >= since && cell->write_epoch > owner->first_epoch;
    const bool after_atomic = how != CLUSTER_ATOMIC && cell->atomic_epoch >= since;
    const bool after_load = how != CLUSTER_LOAD && cell->read_epoch >= since;
    found->other_stored = after_store || after_atomic;
    found->other = found->owner - 1;
    return after_store || after_atomic || after_load;
}

void cluster_races_near(Worker *worker, const Instruction *instruction, ClusterAccess how, uint32_t lane,
                        uint64_t offset, uint32_t bytes, uint64_t place)
{
    const Sanitizer *sanitizer = worker->sanitizer;
    if (sanitizer->cluster == NULL)
        return;
    const FarCell *cell = &sanitizer->cluster->cells[place >> sanitizer->plan->shared_cell_log];
    RawFinding found = finding_of(instruction, how, lane, offset, bytes);
    if (meets_far(cell, sanitizer->cluster->phase, how, NOBODY, &found) && !cluster_races_may_have_waited(sanitizer))
        raw_finding_note(worker, instruction, SIM_RACE_IN_CLUSTER, found);
}

static void remember(FarCell *cell, uint32_t phase, ClusterAccess how, uint32_t rank)
{
    *(how == CLUSTER_LOAD ? &cell->read_in : how == CLUSTER_STORE ? &cell->wrote_in : &cell->changed_in) = phase;
    *(how == CLUSTER_LOAD ? &cell->reader : how == CLUSTER_STORE ? &cell->writer : &cell->changer) = (uint8_t)rank;
}

typedef struct FarUse {
    Worker *worker, *owner;
    const Instruction *instruction;
    ClusterAccess how;
    uint32_t rank; /* of the block that makes the access */
} FarUse;

static void use_cell(const FarUse *use, RawFinding found, uint64_t place)
{
    Sanitizer *owner = use->owner->sanitizer;
    ShadowCell *cell = shadow_cell_at(owner, true, place);
    FarCell *far = &owner->cluster->cells[place >> owner->plan->shared_cell_log];
    const bool is_ordered = cluster_races_may_have_waited(owner) ||
                            cluster_races_may_have_waited(use->worker->sanitizer);
    const bool is_written = shadow_cell_is_written(owner, cell);
    if (use->how == CLUSTER_LOAD && !is_written)
        raw_finding_note(use->worker, use->instruction, SIM_UNINITIALISED, found);
    else if (!is_ordered && (meets_near(owner, cell, use->how, &found) ||
                             meets_far(far, owner->cluster->phase, use->how, use->rank, &found)))
        raw_finding_note(use->worker, use->instruction, SIM_RACE_IN_CLUSTER, found);
    if (use->how != CLUSTER_LOAD || !is_written)
        shadow_cell_set_written(owner, cell);
    remember(far, owner->cluster->phase, use->how, use->rank);
}

static void use_far(Worker *worker, Worker *owner, const Instruction *instruction, ClusterAccess how, uint32_t lane,
                    uint64_t offset, uint32_t bytes)
{
    const FarUse use = {worker, owner, instruction, how, cluster_rank(worker)};
    RawFinding found = finding_of(instruction, how, lane, offset, bytes);
    found.owner = (uint8_t)(cluster_rank(owner) + 1);
    deferred_reads_stop(owner->sanitizer);
    EACH_CELL(offset, bytes, owner->sanitizer->plan->shared_cell_log, place)
    {
        use_cell(&use, found, place);
    }
    FarAccess *first = &owner->sanitizer->cluster->first;
    found.owner_may_end = true;
    if (first->instruction == NULL)
        *first = (FarAccess){.worker = worker, .instruction = instruction, .what = found};
}

void cluster_races_filled(Worker *owner, uint64_t offset, uint32_t bytes)
{
    EACH_CELL(offset, bytes, owner->sanitizer->plan->shared_cell_log, place)
    {
        ShadowCell *cell = shadow_cell_at(owner->sanitizer, true, place);
        shadow_cell_set_written(owner->sanitizer, cell);
    }
}

static bool is_far_checked(const Worker *worker, const Worker *owner)
{
    return worker->sanitizer->plan->footprint == NULL && worker->sanitizer->is_detailed && owner->sanitizer != NULL;
}

void cluster_races_access(Worker *worker, Worker *owner, const Instruction *instruction, bool is_store, uint32_t lane,
                          uint64_t offset, uint32_t bytes)
{
    if (!is_far_checked(worker, owner))
        return;
    if (instruction->is_strong) {
        note_wait(worker->sanitizer, lane / SIM_WARP_SIZE);
        cluster_races_filled(owner, offset, bytes);
    } else {
        use_far(worker, owner, instruction, is_store ? CLUSTER_STORE : CLUSTER_LOAD, lane, offset, bytes);
    }
}

void cluster_races_atomic(Worker *worker, Worker *owner, const Instruction *instruction, uint32_t lane, uint64_t offset)
{
    if (!is_far_checked(worker, owner))
        return;
    if (tells_of_others(instruction))
        note_wait(worker->sanitizer, lane / SIM_WARP_SIZE);
    use_far(worker, owner, instruction, CLUSTER_ATOMIC, lane, offset, 1u << instruction->size);
}
