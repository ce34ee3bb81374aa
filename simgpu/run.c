/* Spreads the blocks of a launch over workers, and adds up what they counted.  */

#include "base/arena.h"
#include "simgpu/block/cluster.h"
#include "simgpu/block/sanitizer.h"
#include "simgpu/block/sanitizer_state.h"
#include "simgpu/block/special_registers.h"
#include "simgpu/block/worker.h"
#include "simgpu/code/code.h"
#include "simgpu/code/instruction.h"
#include "simgpu/engine/barrier.h"
#include "simgpu/engine/bulk_copy.h"
#include "simgpu/engine/interpreter.h"
#include "simgpu/engine/provenance.h"
#include "simgpu/engine/request.h"
#include "simgpu/launch.h"

#include <stdlib.h>
#include <string.h>

/* ==== cluster run ================================================================================================= */

/* Runs the blocks of a cluster, which wait for each other. */

/* Runs a block of a cluster until all its threads wait, or look for something to change. `has_run`: some could run. */
static bool run_cluster_turn(Worker *worker, bool *has_run)
{
    Group *group = group_pick(worker);
    *has_run |= group != NULL;
    while (group != NULL) {
        if (!group_run(worker, group))
            return false;
        group = worker->group_count > 0 && !group_all_yield(worker) ? group_pick(worker) : NULL;
    }
    return true;
}

/* The blocks take turns. Copies end one by one, so that they end late. */
static bool run_turns(Cluster *cluster, bool *has_run, bool *is_left)
{
    for (uint32_t i = 0; i < cluster->count; i++) {
        uint32_t rank = cluster->number % 2 != 0 ? cluster->count - 1 - i : i; /* both orders occur */
        Worker *worker = cluster->blocks[rank];
        if (worker->group_count > 0 && !run_cluster_turn(worker, has_run))
            return false;
        *has_run |= bulk_copy_end_one(worker);
        *is_left |= worker->group_count > 0 || worker->bulk_count > 0;
    }
    return true;
}

static Worker *block_that_waits(const Cluster *cluster)
{
    uint32_t rank = 0;
    while (cluster->blocks[rank]->group_count == 0)
        rank++;
    return cluster->blocks[rank];
}

/* Runs the blocks that the workers have begun; false where a fault or a limit ended one. */
static bool run_cluster(Cluster *cluster)
{
    bool is_left = true;
    cluster->has_met = false;
    for (uint32_t i = 0; i < cluster->count; i++)
        groups_begin(cluster->blocks[i]);
    while (is_left) {
        bool has_run = is_left = false;
        if (!run_turns(cluster, &has_run, &is_left))
            return false;
        if (is_left && !has_run)
            return barrier_deadlock(block_that_waits(cluster));
        if (!standstill_look(cluster->blocks, cluster->count))
            return false;
    }
    for (uint32_t i = 0; i < cluster->count; i++)
        bulk_copy_end_all(cluster->blocks[i]);
    return may_go_on(cluster->blocks[0]);
}

/* ==== grid run ==================================================================================================== */

/* Runs all blocks of a cooperative launch, which may wait for each other. */

/* Runs a block until all its threads wait at a barrier, or have looked for a change in vain. */
static bool run_grid_turn(Worker *worker)
{
    Group *group = group_pick(worker);
    if (group == NULL && !bulk_copy_end_one(worker))
        return barrier_deadlock(worker);
    while (group != NULL) {
        if (!group_run(worker, group))
            return false;
        group = worker->group_count > 0 && !group_all_yield(worker) ? group_pick(worker) : NULL;
    }
    bulk_copy_end_one(worker);
    return true;
}

/* Runs the blocks that the workers have begun, one each; false where a fault or a limit ended one. */
static bool run_grid(Worker *const *blocks, uint64_t count)
{
    bool is_left = true;
    for (uint64_t i = 0; i < count; i++)
        groups_begin(blocks[i]);
    while (is_left) {
        is_left = false;
        if (!standstill_look(blocks, count))
            return false;
        for (uint64_t i = 0; i < count; i++) {
            if (blocks[i]->group_count > 0 && !run_grid_turn(blocks[i]))
                return false;
            is_left |= blocks[i]->group_count > 0;
        }
    }
    for (uint64_t i = 0; i < count; i++)
        bulk_copy_end_all(blocks[i]);
    return may_go_on(blocks[0]);
}

/* ==== run ========================================================================================================= */

/* Empties the worker's notes. Returns the lowest instruction that loaded from the watched source, or
 * instruction_count. */
static int forget_notes(Worker *worker)
{
    int count = worker->code->instruction_count, first_watched = count;
    for (int i = 0; i < count; i++) {
        const Instruction *instruction = &worker->code->instructions[i];
        if (instruction->index < 0)
            continue;
        AllocationCache *note = &worker->notes[instruction->index];
        note_forget(worker, note, instruction_facts(instruction).stores);
        if (note->loaded_watched && first_watched == count)
            first_watched = i;
    }
    return first_watched;
}

static void add_worker(GridRun *run, Worker *worker, const Sanitizer *sanitizer)
{
    int first_watched = forget_notes(worker);
    pthread_mutex_lock(&run->lock);
    run->first_watched = first_watched < run->first_watched ? first_watched : run->first_watched;
    simgpu_counters_add(&run->counters, &worker->counters);
    for (int i = 0; i < worker->code->block_count; i++) {
        run->executed[i].warps += worker->executed[i].warps;
        run->executed[i].lanes += worker->executed[i].lanes;
    }
    touched_add(run->loaded, worker->loaded, run->launch.memory->count);
    touched_add(run->stored, worker->stored, run->launch.memory->count);
    if (worker->longest.instructions > run->longest.instructions)
        run->longest = worker->longest;
    if (run->lines != NULL)
        lines_add_worker(run->lines, worker);
    if (run->found != NULL && sanitizer != NULL)
        raw_findings_merge(worker->code, run->found, sanitizer->found);
    pthread_mutex_unlock(&run->lock);
}

/* Lane-instructions that the unfinished blocks will execute, if they are like the finished ones. */
static uint64_t lane_instructions_left(const Launch *launch)
{
    uint64_t finished = atomic_load_explicit(&launch->finished_blocks, memory_order_relaxed);
    uint64_t warps = atomic_load_explicit(&launch->warp_instructions, memory_order_relaxed);
    uint64_t each = finished == 0 ? 0 : warps / finished * SIM_WARP_SIZE;
    return each * (launch->blocks - finished);
}

static void begin_block(GridRun *run, Worker *worker, Sanitizer *sanitizer, uint64_t block)
{
    worker_begin_block(worker, block);
    if (run->launch.provenance != NULL)
        provenance_begin_block(worker);
    RequestLog *requests = run->launch.request->requests;
    worker->requests = requests != NULL && request_is_watched(requests, block) ? requests : NULL;
    worker->sanitizer = sanitizer;
    if (sanitizer != NULL && !sanitizer_begin_block(worker))
        worker->sanitizer = NULL;
    if (run->job != NULL)
        run->launch.translator->begin_block(run->job, worker,
                                            worker->jit == NULL ? lane_instructions_left(&run->launch) : 0);
}

/* What one thread of the host runs blocks with: a worker for each block of a cluster. */
typedef struct Team {
    Cluster cluster;
    Sanitizer *sanitizers[MAX_CLUSTER]; /* of the workers; NULL: the launch has no plan */
} Team;

static void begin_team(GridRun *run, Team *team)
{
    const Launch *launch = &run->launch;
    bool is_needed = launch->cluster_blocks > 1 || launch->code->uses_cluster;
    *team = (Team){.cluster.count = launch->cluster_blocks};
    for (uint32_t i = 0; i < team->cluster.count; i++) {
        Worker *worker = worker_new(&run->launch);
        team->sanitizers[i] = sanitizer_new(worker);
        worker->cluster = is_needed ? &team->cluster : NULL;
        team->cluster.blocks[i] = worker;
    }
}

static void end_team(GridRun *run, const Team *team)
{
    for (uint32_t i = 0; i < team->cluster.count; i++) {
        Worker *worker = team->cluster.blocks[i];
        if (run->job != NULL)
            run->launch.translator->end_worker(worker);
        add_worker(run, worker, team->sanitizers[i]);
        sanitizer_free(team->sanitizers[i]);
        bulk_copies_free(worker);
        standstill_free(worker);
        provenance_end_worker(worker);
        worker_free(worker);
    }
}

/* Adds the work that the block has taken, each piece with its ticket. Where there is no room, it counts as the block's own. */
static uint64_t add_taken(GridRun *run, const Worker *worker)
{
    BlockWorks *works = &run->works;
    uint64_t added = 0;
    pthread_mutex_lock(&run->lock);
    for (; added < worker->taken_count && works->taken_count < MOST_TAKEN; added++) {
        const WorkTaken *from = &worker->taken[added], *next = from + 1;
        const bool is_last = added + 1 == worker->taken_count;
        if (works->taken == NULL)
            works->taken = zeroed(MOST_TAKEN, sizeof *works->taken);
        works->taken[works->taken_count++] = (WorkTaken){
            .ticket = from->ticket,
            .work = (is_last ? worker->work : next->work) - from->work,
            .accesses = (is_last ? worker_accesses(worker) : next->accesses) - from->accesses};
    }
    pthread_mutex_unlock(&run->lock);
    return added;
}

static void note_work(GridRun *run, Worker *worker)
{
    RunOfBlocks *of_block = &run->works.runs[worker->block / run->works.length];
    uint64_t work = worker->work, accesses = worker_accesses(worker);
    worker_end_taken(worker);
    if (worker->taken_count > 0 && add_taken(run, worker) == worker->taken_count) {
        work = worker->taken[0].work;
        accesses = worker->taken[0].accesses;
    }
    atomic_fetch_add_explicit(&of_block->work, work, memory_order_relaxed);
    atomic_fetch_add_explicit(&of_block->accesses, accesses, memory_order_relaxed);
    atomic_fetch_add_explicit(&of_block->blocks, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&run->works.stayed, worker->stayed, memory_order_relaxed);
    atomic_fetch_add_explicit(&run->works.stayed_most, worker->stayed_longest * run->launch.warps,
                              memory_order_relaxed);
}

/* Runs the blocks of one cluster; without clusters, that is one block. */
static bool run_one(GridRun *run, Team *team, uint64_t number)
{
    Launch *launch = &run->launch;
    Cluster *cluster = &team->cluster;
    cluster->first_block = cluster_block(launch, number, 0);
    cluster->number = number;
    for (uint32_t i = 0; i < cluster->count; i++)
        begin_block(run, cluster->blocks[i], team->sanitizers[i], cluster_block(launch, number, i));
    bool going_on = cluster->blocks[0]->cluster != NULL ? run_cluster(cluster) : run_block(cluster->blocks[0]);
    standstill_end(cluster->blocks[0]);
    atomic_fetch_add_explicit(&launch->finished_blocks, cluster->count, memory_order_relaxed);
    for (uint32_t i = 0; i < cluster->count; i++) {
        Worker *worker = cluster->blocks[i];
        if (worker->sanitizer != NULL)
            sanitizer_end_block(worker);
        note_work(run, worker);
    }
    return going_on;
}

/* The least number of bytes at which an index is taken to pass a limit. */
static const uint64_t LEAST_POWER = 1 << 12;

/* If each block stores an equal share of the array, a power of two lies in the share of this block, or of the one before or
 * after it: the last share may be smaller, which moves the others. */
static bool is_near_a_power(const Launch *launch, uint64_t block)
{
    const double share = (double)launch->request->marked.bytes / (double)launch->blocks;
    const uint64_t first = block == 0 ? 0 : (uint64_t)((double)(block - 1) * share);
    const uint64_t end = (uint64_t)((double)(block + 2) * share);
    const uint64_t power = end <= LEAST_POWER ? 0 : UINT64_C(1) << (63 - __builtin_clzll(end - 1));
    return power >= LEAST_POWER && power >= first;
}

bool run_is_certain(const Launch *launch, uint64_t block)
{
    const RequestLog *requests = launch->request->requests;
    return block == launch->blocks - 1 || (requests != NULL && request_is_watched(requests, block)) ||
           trace_of(&launch->traces, block) != NULL || trace_of(&launch->drawn, block) != NULL ||
           is_near_a_power(launch, block) || sanitizer_details(launch, block);
}

static bool must_end(Launch *launch, uint64_t cluster)
{
    return cluster_block(launch, cluster, 0) >= atomic_load(&launch->fault_block) ||
           atomic_load_explicit(&launch->stop, memory_order_relaxed) != SIM_OK;
}

/* What became of a strip. */
typedef struct StripSum {
    uint64_t blocks, work; /* that ran; machine instructions of these */
    bool is_whole;
    BlockStores stores[BLOCK_PLACES];
} StripSum;

static uint64_t stored_by(const Worker *worker)
{
    return worker->counters.global_store_bytes + SECTOR_BYTES * worker->counters.bulk_store_sectors;
}

static void add_stores(BlockStores *sum, const BlockStores *part)
{
    if (part->blocks == 0)
        return;
    sum->least = sum->blocks == 0 || part->least < sum->least ? part->least : sum->least;
    sum->most = part->most > sum->most ? part->most : sum->most;
    sum->blocks += part->blocks;
    sum->bytes += part->bytes;
}

BlockPlace run_place_of(const Launch *launch, uint64_t block)
{
    const uint32_t *grid = launch->request->shape.grid;
    for (int i = 0; i < 3; block /= grid[i], i++)
        if (grid[i] > 1 && block % grid[i] == grid[i] - 1)
            return BLOCK_AT_BORDER;
    return BLOCK_INSIDE;
}

static StripSum run_strip(GridRun *run, Team *team, const Strip *strip)
{
    StripSum sum = {0};
    bool going_on = true;
    uint64_t number = strip->first;
    for (; going_on && number < strip->end && !must_end(&run->launch, number); number++) {
        if (run->skips_certain && run_is_certain(&run->launch, number))
            continue;
        const Worker *first = team->cluster.blocks[0];
        const uint64_t before = stored_by(first);
        going_on = run_one(run, team, number);
        const uint64_t stored = stored_by(first) - before; /* of samples, which have no clusters */
        add_stores(&sum.stores[run_place_of(&run->launch, number)], &(BlockStores){1, stored, stored, stored});
        sum.blocks += team->cluster.count;
        for (uint32_t i = 0; i < team->cluster.count; i++)
            sum.work += team->cluster.blocks[i]->work;
    }
    sum.is_whole = going_on && number == strip->end;
    return sum;
}

static void add_strip(GridRun *run, const StripSum *sum)
{
    pthread_mutex_lock(&run->lock);
    run->strips_run++;
    run->blocks_run += sum->blocks;
    for (int i = 0; i < BLOCK_PLACES; i++)
        add_stores(&run->stores[i], &sum->stores[i]);
    run->moments.b += sum->blocks;
    run->moments.x += sum->work;
    run->moments.bb += (unsigned __int128)sum->blocks * sum->blocks;
    run->moments.bx += (unsigned __int128)sum->blocks * sum->work;
    run->moments.xx += (unsigned __int128)sum->work * sum->work;
    pthread_mutex_unlock(&run->lock);
}

/* Each host thread does this. */
static void take_strips(void *context)
{
    GridRun *run = context;
    Team team;
    begin_team(run, &team);
    for (bool going_on = true; going_on;) {
        uint64_t number = atomic_fetch_add(&run->next_strip, 1);
        if (number >= run->end_strip)
            break;
        const StripSum sum = run_strip(run, &team, &run->strips[number]);
        add_strip(run, &sum);
        going_on = sum.is_whole;
    }
    end_team(run, &team);
    pthread_mutex_lock(&run->launch.fault_lock);
    run->launch.still.working--;
    pthread_mutex_unlock(&run->launch.fault_lock);
}

bool run_strips(SimGpu *gpu, GridRun *run, uint64_t from, uint64_t to, int helpers)
{
    Launch *launch = &run->launch;
    const int most = helpers < gpu->pool.count ? helpers : gpu->pool.count;
    const int others = to - from < (uint64_t)most ? (int)(to - from) : most;
    atomic_store(&run->next_strip, from);
    run->end_strip = to;
    launch->still.working = 1 + (uint32_t)others;
    pool_run(&gpu->pool, others, take_strips, run);
    return atomic_load(&launch->stop) == SIM_OK && atomic_load(&launch->fault_block) == UINT64_MAX;
}

/* Strips are short enough that all workers end at about the same time, and long enough that taking one costs little. */
void run_whole(SimGpu *gpu, GridRun *run, int helpers)
{
    enum { STRIPS_OF_A_WORKER = 32, MOST = 256, MOST_STRIPS = 1 << 20 };
    const uint64_t clusters = run->launch.clusters, share = clusters / ((uint64_t)(helpers + 1) * STRIPS_OF_A_WORKER);
    const uint64_t least = clusters / MOST_STRIPS + 1, most = share > MOST ? MOST : share;
    const uint64_t length = most < least ? least : most, count = (clusters + length - 1) / length;
    Strip *strips = zeroed(count, sizeof *strips);
    for (uint64_t i = 0; i < count; i++)
        strips[i] = (Strip){i * length, clusters - i * length < length ? clusters : (i + 1) * length};
    run->strips = strips;
    run_strips(gpu, run, 0, count, helpers);
    run->strips = NULL;
    free(strips);
}

/* The blocks of a cooperative launch take turns on one thread of the host, each with a worker of its own. So has each block
 * that is checked in detail a sanitizer; the others share one. */
void run_together(GridRun *run)
{
    Launch *launch = &run->launch;
    Worker **workers = zeroed(launch->blocks, sizeof *workers);
    Sanitizer **owned = zeroed(launch->blocks, sizeof *owned), *common = NULL;
    for (uint64_t i = 0; i < launch->blocks; i++) {
        const bool is_detailed = sanitizer_details(launch, i);
        workers[i] = worker_new(launch);
        if (is_detailed || common == NULL)
            owned[i] = sanitizer_new(workers[i]);
        common = is_detailed || common != NULL ? common : owned[i];
        begin_block(run, workers[i], is_detailed ? owned[i] : common, i);
    }
    launch->still.working = 1;
    run_grid(workers, launch->blocks);
    for (uint64_t i = 0; i < launch->blocks; i++) {
        note_work(run, workers[i]);
        add_worker(run, workers[i], owned[i]);
        sanitizer_free(owned[i]);
        bulk_copies_free(workers[i]);
        standstill_free(workers[i]);
        provenance_end_worker(workers[i]);
        worker_free(workers[i]);
    }
    free(owned);
    free(workers);
}
