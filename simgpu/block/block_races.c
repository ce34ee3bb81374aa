/* Races between the blocks of a launch in global memory.
 *
 * Blocks run in an order that depends on the number of workers; findings must not depend on it. So each cell keeps the
 * lowest and the highest of the accesses that wrote it, read it, and changed it atomically. These tell whether two
 * blocks are among them. A cell also keeps whether all writes stored the same value.
 *
 * A piece of memory gets its cells when it is first accessed, as long as there is room. Which piece finds no room would
 * depend on the order of the blocks, so a launch that accesses more is not checked at all.
 *
 * An access is one number, its key, made of block, lane and instruction; it grows with the block. Keys are stored so
 * that zero, which new pages hold, means none, and so that the larger number always replaces the smaller one.
 *
 * A block that may have waited for others is late from then on. What it stores then may be ordered with what other blocks
 * store, by a lock for example, but only through something that one of the two has published after its store. So a late
 * store races with each store that its block has not published.
 *
 * Loads through the read-only cache must not meet any store of the launch, whatever orders the two. A store of the block
 * itself is known at once. So are those of other blocks in a cooperative launch, which one thread of the host runs: they come
 * before, or race.
 *
 * Blocks of a cluster that wait for each other are compared in cluster_global.c. Here such a cluster is compared with the
 * others as if it were one block, so its blocks follow each other in the keys.  */
#include "simgpu/block/block_races.h"

#include "base/arena.h"
#include "simgpu/block/cluster.h"
#include "simgpu/block/cluster_races.h"
#include "simgpu/block/shadow_cells.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

typedef struct Extremes {
    _Atomic uint64_t last;  /* key | SET */
    _Atomic uint64_t first; /* ~key */
} Extremes;

/* With cells of 4 bytes, a piece covers 16 KiB, and all pieces cover 64 MiB and take 1.4 GiB of addresses. */
enum { PIECE_CELLS = 4096, MOST_PIECES = 4096 };

/* Most memory that is written is not read in the same launch. The host gives no pages to arrays that stay unused. */
typedef struct Piece {
    _Atomic bool has_reads, has_atomics, has_late_reads, has_late_writes, has_read_only;
    Extremes writes[2][PIECE_CELLS];         /* [is_late], as are the next two */
    _Atomic uint64_t values[2][PIECE_CELLS]; /* 0: none; ONE_VALUE | what was written; SEVERAL_VALUES */
    Extremes unpublished[2][PIECE_CELLS];    /* on which other blocks may not rely (sanitizer.h) */
    Extremes reads[PIECE_CELLS], atomics[PIECE_CELLS], late_reads[PIECE_CELLS];
    Extremes read_only[PIECE_CELLS]; /* late loads through the read-only cache */
} Piece;
typedef Piece *_Atomic PiecePlace;

struct BlockShadow {
    uint8_t cell_log; /* logarithm of the bytes of a cell */
    int allocations;
    PiecePlace **places; /* [allocation][piece]; NULL: not accessed so far */
    Piece *pieces;       /* [MOST_PIECES] mapped; pages take memory when they are used */
    size_t used;         /* pieces, under the lock */
    bool is_full;        /* more pieces were needed than there are */
    pthread_mutex_t lock;
};

enum { INDEX_BITS = 20, LANE_BITS = 10 };
#define SET (1ull << 63)
#define ONE_VALUE (1ull << 32)
#define SEVERAL_VALUES (1ull << 33)

/* Blocks that are one to all others: those of a cluster. */
static uint64_t blocks_together(const Launch *launch)
{
    return launch->code->uses_cluster ? launch->cluster_blocks : 1;
}

/* The number of a block among all: counted cluster by cluster. */
static uint64_t number_of(const Worker *worker)
{
    return worker->cluster == NULL || !worker->code->uses_cluster
               ? worker->block
               : worker->cluster->number * worker->cluster->count + cluster_rank(worker);
}

static uint64_t block_of_number(const Launch *launch, uint64_t number)
{
    const uint64_t together = blocks_together(launch);
    return together == 1 ? number : cluster_block(launch, number / together, (uint32_t)(number % together));
}

static uint64_t key_of(const Worker *worker, const Instruction *instruction, uint32_t lane)
{
    return number_of(worker) << (LANE_BITS + INDEX_BITS) | (uint64_t)lane << INDEX_BITS | (uint64_t)instruction->index;
}

static uint64_t number_of_key(uint64_t key)
{
    return key >> (LANE_BITS + INDEX_BITS);
}
static uint32_t lane_of_key(uint64_t key)
{
    return (uint32_t)(key >> INDEX_BITS) & ((1u << LANE_BITS) - 1);
}
static int32_t index_of(uint64_t key)
{
    return (int32_t)(key & ((1u << INDEX_BITS) - 1));
}

/* ---- while blocks run -------------------------------------------------------------------------------------------- */

static void raise_to(_Atomic uint64_t *to, uint64_t value)
{
    uint64_t now = atomic_load_explicit(to, memory_order_relaxed);
    while (now < value &&
           !atomic_compare_exchange_weak_explicit(to, &now, value, memory_order_relaxed, memory_order_relaxed))
        continue;
}

static void widen(Extremes *extremes, uint64_t key)
{
    raise_to(&extremes->last, key | SET);
    raise_to(&extremes->first, ~key);
}

static void agree(_Atomic uint64_t *values, uint32_t value)
{
    uint64_t none = 0, one = ONE_VALUE | value;
    if (!atomic_compare_exchange_strong_explicit(values, &none, one, memory_order_relaxed, memory_order_relaxed) &&
        none != one)
        raise_to(values, SEVERAL_VALUES);
}

static void set(_Atomic bool *flag)
{
    if (!atomic_load_explicit(flag, memory_order_relaxed))
        atomic_store_explicit(flag, true, memory_order_relaxed);
}

static Piece *touch(BlockShadow *shadow, PiecePlace *place)
{
    pthread_mutex_lock(&shadow->lock);
    if (*place == NULL && shadow->used == MOST_PIECES)
        shadow->is_full = true;
    else if (*place == NULL)
        *place = &shadow->pieces[shadow->used++];
    Piece *piece = *place;
    pthread_mutex_unlock(&shadow->lock);
    return piece;
}

/* The piece in which an access lies, and the index of its first cell. Accesses are aligned, so that none crosses into
 * another piece. NULL: there is no room. */
static Piece *piece_at(const Worker *worker, int allocation, uint64_t address, uint32_t *first)
{
    BlockShadow *shadow = worker->sanitizer->plan->block_shadow;
    if (shadow == NULL)
        return NULL;
    uint64_t number = (address - worker->launch->memory->allocations[allocation].address) >> shadow->cell_log;
    PiecePlace *place = &shadow->places[allocation][number / PIECE_CELLS];
    Piece *piece = atomic_load_explicit(place, memory_order_acquire);
    *first = number % PIECE_CELLS;
    return piece == NULL ? touch(shadow, place) : piece;
}

/* Notes an access of `bytes` in all cells that it touches. */
static void widen_all(const Worker *worker, Extremes *first, uint64_t address, uint32_t bytes, uint64_t key)
{
    uint8_t cell_log = worker->sanitizer->plan->global_cell_log;
    uint64_t count = ((address + bytes - 1) >> cell_log) - (address >> cell_log) + 1;
    for (uint64_t i = 0; i < count; i++)
        widen(&first[i], key);
}

/* May the block have waited for others, or one of its cluster, which may have told it? */
static bool is_after_others(const Worker *worker)
{
    bool is_after = worker->sanitizer->is_ordered;
    for (uint32_t i = 0; worker->sanitizer->cluster != NULL && worker->cluster != NULL && i < worker->cluster->count;
         i++)
        is_after |= worker->cluster->blocks[i]->sanitizer->is_ordered;
    return is_after;
}

bool block_races_is_late(const Worker *worker)
{
    return !worker->launch->is_cooperative && is_after_others(worker);
}

/* A store that came before a load of this block: the block's own, or in a cooperative launch anyone's. */
static bool find_earlier(const Worker *worker, const Extremes *stores, uint64_t *key)
{
    const uint64_t last = atomic_load_explicit(&stores->last, memory_order_relaxed) & ~SET;
    const uint64_t first = ~atomic_load_explicit(&stores->first, memory_order_relaxed);
    const uint64_t number = number_of(worker);
    *key = number_of_key(first) == number ? first : last;
    return atomic_load_explicit(&stores->last, memory_order_relaxed) != 0 &&
           (worker->launch->is_cooperative || number_of_key(*key) == number);
}

/* A load through the read-only cache: reports an earlier store, and remembers what others may store. */
static void load_read_only(Worker *worker, const Instruction *load, uint32_t lane, Piece *piece, uint32_t first,
                           uint64_t address, uint32_t bytes)
{
    const uint8_t cell_log = worker->sanitizer->plan->global_cell_log;
    const uint64_t cells = ((address + bytes - 1) >> cell_log) - (address >> cell_log) + 1;
    uint64_t store;
    for (uint64_t i = first; i < first + cells; i++)
        if (find_earlier(worker, &piece->writes[0][i], &store) || find_earlier(worker, &piece->writes[1][i], &store) ||
            find_earlier(worker, &piece->atomics[i], &store)) {
            raw_finding_note(worker, load, SIM_STALE_LOAD,
                             (RawFinding){.lane = lane,
                                          .space = SIM_GLOBAL,
                                          .bytes = (uint8_t)bytes,
                                          .address = address,
                                          .other = block_of_number(worker->launch, number_of_key(store))});
            break;
        }
    set(&piece->has_read_only);
    if (block_races_is_late(worker))
        widen_all(worker, &piece->read_only[first], address, bytes, key_of(worker, load, lane));
}

void block_races_read(Worker *worker, const Instruction *instruction, uint32_t lane, int allocation, uint64_t address,
                      uint32_t bytes)
{
    uint32_t first;
    const bool late = block_races_is_late(worker);
    cluster_global_access(worker, instruction, CLUSTER_LOAD, lane, address, bytes, NULL);
    Piece *piece = piece_at(worker, allocation, address, &first);
    if (piece == NULL)
        return;
    if (instruction->is_read_only)
        load_read_only(worker, instruction, lane, piece, first, address, bytes);
    set(late ? &piece->has_late_reads : &piece->has_reads);
    widen_all(worker, late ? &piece->late_reads[first] : &piece->reads[first], address, bytes,
              key_of(worker, instruction, lane));
}

void block_races_unpublished(Worker *worker, const Instruction *store, bool was_late, uint32_t lane, int allocation,
                             uint64_t address, uint32_t bytes)
{
    uint32_t first;
    Piece *piece = piece_at(worker, allocation, address, &first);
    if (piece != NULL)
        widen_all(worker, &piece->unpublished[was_late][first], address, bytes, key_of(worker, store, lane));
}

void block_races_write(Worker *worker, const Instruction *instruction, uint32_t lane, int allocation, uint64_t address,
                       uint32_t bytes, const unsigned char *values)
{
    uint8_t cell_log = worker->sanitizer->plan->global_cell_log;
    uint32_t first;
    cluster_global_access(worker, instruction, CLUSTER_STORE, lane, address, bytes, values);
    Piece *piece = piece_at(worker, allocation, address, &first);
    if (piece == NULL)
        return;
    const bool late = block_races_is_late(worker);
    if (late)
        set(&piece->has_late_writes);
    widen_all(worker, &piece->writes[late][first], address, bytes, key_of(worker, instruction, lane));
    for (uint32_t offset = 0; offset < bytes; offset += 1u << cell_log)
        agree(&piece->values[late][first + (offset >> cell_log)],
              values == NULL ? shadow_cell_value(worker, instruction, lane, offset, cell_log)
                             : shadow_cell_value_of(values, offset, cell_log));
}

void block_races_atomic(Worker *worker, const Instruction *instruction, uint32_t lane, int allocation, uint64_t address,
                        uint32_t bytes)
{
    uint32_t first;
    cluster_global_access(worker, instruction, CLUSTER_ATOMIC, lane, address, bytes, NULL);
    Piece *piece = block_races_is_late(worker) ? NULL : piece_at(worker, allocation, address, &first);
    if (piece == NULL)
        return;
    set(&piece->has_atomics);
    widen_all(worker, &piece->atomics[first], address, bytes, key_of(worker, instruction, lane));
}

/* ---- when the launch has ended
 * ---------------------------------------------------------------------------------------- */

static bool is_empty(const Extremes *extremes)
{
    return extremes->last == 0;
}

/* Finds an access of each kind such that the two are of different blocks, or clusters; false where there are none. */
static bool find_pair(const Launch *launch, const Extremes *ones, const Extremes *others, uint64_t *one,
                      uint64_t *other)
{
    const uint64_t together = blocks_together(launch);
    if (is_empty(ones) || is_empty(others))
        return false;
    *one = ones->last & ~SET;
    *other = ~others->first;
    if (number_of_key(*one) / together == number_of_key(*other) / together) {
        *one = ~ones->first;
        *other = others->last & ~SET;
    }
    return number_of_key(*one) / together != number_of_key(*other) / together;
}

static void add_race(const Launch *launch, RawFinding *found, SimFindingKind kind, uint64_t key, uint64_t other,
                     RawFinding race)
{
    race.count = 1;
    race.block = block_of_number(launch, number_of_key(key));
    race.lane = lane_of_key(key);
    race.other_stored = true;
    race.other = block_of_number(launch, number_of_key(other));
    raw_finding_add(found, index_of(key), kind, &race);
}

/* Late stores: neither block may have waited for the other's. */
static void find_late_race(const Launch *launch, const Piece *piece, uint32_t cell, const RawFinding *store,
                           RawFinding *found)
{
    const Extremes *late = &piece->writes[1][cell], *unpublished = &piece->unpublished[1][cell];
    const uint64_t early_value = piece->values[0][cell], late_value = piece->values[1][cell];
    uint64_t key, other;
    if ((late_value == SEVERAL_VALUES && find_pair(launch, unpublished, unpublished, &key, &other)) ||
        (late_value != early_value && find_pair(launch, late, &piece->unpublished[0][cell], &key, &other)))
        add_race(launch, found, SIM_RACE_OF_BLOCKS, key, other, *store);
}

static void find_race(const Launch *launch, const Piece *piece, uint32_t cell, uint64_t address, uint8_t bytes,
                      RawFinding *found)
{
    const Extremes *writes = &piece->writes[0][cell];
    const RawFinding read = {.space = SIM_GLOBAL, .bytes = bytes, .address = address};
    RawFinding store = read, atomic = read;
    uint64_t key, other;
    store.is_store = atomic.is_store = atomic.is_atomic = true;
    for (int late = 0; piece->has_late_reads && late < 2; late++)
        if (find_pair(launch, &piece->unpublished[late][cell], &piece->late_reads[cell], &key, &other))
            add_race(launch, found, SIM_NO_FENCE, key, other, store);
    for (int late = 0; piece->has_read_only && late < 2; late++)
        if (find_pair(launch, &piece->read_only[cell], &piece->writes[late][cell], &key, &other))
            add_race(launch, found, SIM_STALE_LOAD, key, other, read);
    if (piece->has_late_writes)
        find_late_race(launch, piece, cell, &store, found);
    if (is_empty(writes))
        return;
    if (piece->values[0][cell] == SEVERAL_VALUES && find_pair(launch, writes, writes, &key, &other))
        add_race(launch, found, SIM_RACE_OF_BLOCKS, key, other, store);
    if (piece->has_reads && find_pair(launch, &piece->reads[cell], writes, &key, &other))
        add_race(launch, found, SIM_RACE_OF_BLOCKS, key, other, read);
    if (piece->has_atomics && find_pair(launch, &piece->atomics[cell], writes, &key, &other))
        add_race(launch, found, SIM_RACE_OF_BLOCKS, key, other, atomic);
}

void block_races_find(const Launch *launch, int allocation, uint64_t low, uint64_t high, RawFinding *found)
{
    const BlockShadow *shadow = launch->sanitizer_plan->block_shadow;
    if (shadow == NULL || shadow->is_full || launch->is_cooperative) /* whose order is not known */
        return;
    uint8_t cell_log = shadow->cell_log;
    uint64_t start = launch->memory->allocations[allocation].address;
    uint64_t first = (low - start) >> cell_log, last = (high - 1 - start) >> cell_log;
    for (uint64_t piece = first / PIECE_CELLS; piece <= last / PIECE_CELLS; piece++) {
        const Piece *touched = shadow->places[allocation][piece];
        for (uint32_t i = 0; touched != NULL && i < PIECE_CELLS; i++)
            find_race(launch, touched, i, start + ((piece * PIECE_CELLS + i) << cell_log), (uint8_t)(1u << cell_log),
                      found);
    }
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

BlockShadow *block_shadow_new(const Launch *launch, uint8_t cell_log)
{
    void *pieces = mmap(NULL, MOST_PIECES * sizeof(Piece), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pieces == MAP_FAILED)
        return NULL;
    BlockShadow *shadow = zeroed(1, sizeof *shadow);
    *shadow = (BlockShadow){.cell_log = cell_log, .allocations = launch->memory->count, .pieces = pieces};
    shadow->places = zeroed((size_t)shadow->allocations, sizeof *shadow->places);
    for (int i = 0; i < shadow->allocations; i++) {
        uint64_t count = launch->memory->allocations[i].bytes >> cell_log;
        shadow->places[i] = zeroed(count / PIECE_CELLS + 1, sizeof(PiecePlace));
    }
    pthread_mutex_init(&shadow->lock, NULL);
    return shadow;
}

void block_shadow_free(BlockShadow *shadow)
{
    if (shadow == NULL)
        return;
    for (int i = 0; i < shadow->allocations; i++)
        free(shadow->places[i]);
    pthread_mutex_destroy(&shadow->lock);
    munmap(shadow->pieces, MOST_PIECES * sizeof(Piece));
    free(shadow->places);
    free(shadow);
}
