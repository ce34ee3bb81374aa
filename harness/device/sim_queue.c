#include "harness/device/sim_queue.h"

#include "base/arena.h"
#include "base/chacha20.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <math.h>
#include <stdlib.h>

typedef struct ByteTouch {
    uint64_t begin, end;
    bool is_store;
} ByteTouch;

typedef struct Touches { /* of one operation */
    ByteTouch *ranges;   /* [count] all that it uses lies in these */
    uint32_t count, capacity;
    Footprint *bytes; /* what it uses to the byte; NULL: not known */
} Touches;

typedef enum Clash { /* of two operations */
                     CLASH_NONE,
                     CLASH_ORDER, /* one writes where the other reads or writes, so that their order may matter */
                     CLASH_RACE /* and it matters that they may run at the same time: both change a byte, not both atomically */
} Clash;

typedef struct Party { /* one of the two */
    const char *name;  /* "kernel blur on stream 2" */
    uint32_t sequence; /* in the call */
    uint32_t place;    /* in host code (DeviceParty) */
    Mistake mistake;   /* if it fails to wait */
    bool is_function;  /* of the host */
} Party;

/* ==== sim conflict ================================================================================================ */

/* The memory that two operations touch, and whether it is the same. */

static void touches_add(Touches *touches, uint64_t address, uint64_t bytes, bool is_store)
{
    if (touches->count == touches->capacity) {
        touches->capacity = touches->capacity == 0 ? 4 : 2 * touches->capacity;
        touches->ranges = allocated(realloc(touches->ranges, touches->capacity * sizeof *touches->ranges));
    }
    touches->ranges[touches->count++] = (ByteTouch){address, address + bytes, is_store};
}

static void touches_free(Touches *touches)
{
    free(touches->ranges);
    footprint_free(touches->bytes);
    *touches = (Touches){0};
}

static bool ranges_overlap(const Touches *a, const Touches *b)
{
    for (uint32_t i = 0; i < a->count; i++)
        for (uint32_t j = 0; j < b->count; j++) {
            const ByteTouch *x = &a->ranges[i], *y = &b->ranges[j];
            if ((x->is_store || y->is_store) && x->begin < y->end && y->begin < x->end)
                return true;
        }
    return false;
}

static bool is_exact(const Touches *touches)
{
    return touches->bytes != NULL && !footprint_is_partial(touches->bytes);
}

/* `address`: of a race, where it is. */
static Clash touches_compare(const Touches *a, const Touches *b, uint64_t *address)
{
    if (!ranges_overlap(a, b))
        return CLASH_NONE;
    if (!is_exact(a) || !is_exact(b))
        return CLASH_ORDER;
    switch (footprint_compare(a->bytes, b->bytes, address)) {
    case OVERLAP_NONE: return CLASH_NONE;
    case OVERLAP_ATOMIC:
    case OVERLAP_LOAD: return CLASH_ORDER;
    case OVERLAP_STORE: return CLASH_RACE;
    }
    return CLASH_ORDER;
}

/* The same of a kernel, and of the next one on its stream, which may begin before that has ended. */
static Clash touches_compare_next(const Touches *kernel, const Touches *next, uint64_t *address)
{
    if (!ranges_overlap(kernel, next))
        return CLASH_NONE;
    if (!is_exact(kernel) || !is_exact(next))
        return CLASH_ORDER;
    const FootprintOverlap overlap = footprint_compare_next(kernel->bytes, next->bytes, address);
    return overlap == OVERLAP_LOAD || overlap == OVERLAP_STORE ? CLASH_RACE : CLASH_NONE;
}

/* ---- reports ----------------------------------------------------------------------------------------------------- */

static int weight_of(const DeviceConflict *conflict)
{
    return conflict->is_race ? 2 : conflict->order.until != 0 ? 1 : 0;
}

/* The last one of those that weigh least, if it weighs less than this. */
static DeviceConflict *replaced_by(DeviceConflicts *conflicts, int weight)
{
    DeviceConflict *least = &conflicts->items[0];
    for (uint32_t i = 1; i < conflicts->count; i++)
        if (weight_of(&conflicts->items[i]) <= weight_of(least))
            least = &conflicts->items[i];
    return weight_of(least) < weight ? least : NULL;
}

static void name_party(DeviceParty *named, const Party *party)
{
    snprintf(named->name, sizeof named->name, "%s", party->name);
    named->place = party->place;
}

/* A copy for which the host may fail to wait is here one for which, or which, another operation fails to wait. */
static Mistake mistake_of_pair(const Party *second)
{
    const Mistake not_ordered = {.kind = MISTAKE_COPY_NOT_ORDERED};
    return second->mistake.kind == MISTAKE_HOST_TOO_EARLY ? not_ordered : second->mistake;
}

/* Reports two operations that nothing orders, `first` being the one that was asked for first; or one that the host may
 * fail to wait for (second: NULL). Where there are too many, races stay, and then pairs of operations. Returns it, or
 * NULL where it does not stay. */
static DeviceConflict *conflict_add(DeviceCheck *check, const Party *first, const Party *second, bool is_race)
{
    DeviceConflicts *conflicts = &check->conflicts;
    DeviceConflict conflict = {
        .order = {.kind = DEVICE_ORDER_ISSUED, .held = first->sequence, .until = second == NULL ? 0 : second->sequence},
        .mistake = second == NULL ? first->mistake : mistake_of_pair(second),
        .is_race = is_race,
        .is_of_function = second == NULL && first->is_function};
    name_party(&conflict.first, first);
    if (second != NULL)
        name_party(&conflict.second, second);
    bool is_full = conflicts->count == DEVICE_MAX_CONFLICTS;
    DeviceConflict *to = is_full ? replaced_by(conflicts, weight_of(&conflict)) : &conflicts->items[conflicts->count++];
    conflicts->more += is_full;
    if (to != NULL)
        *to = conflict;
    return to;
}

/* "output[12]", "byte 48 of an allocation of 400 bytes", "the same memory". */
static void conflict_name_place(SimDevice *sim, uint64_t address, char *text, size_t size)
{
    SimAllocation found = {0};
    for (size_t i = 0; i < sim->check->array_count; i++) {
        const DeviceNamed *array = &sim->check->arrays[i];
        if (address - array->address >= array->bytes)
            continue;
        snprintf(text, size, "%s[%llu]", array->name,
                 (unsigned long long)((address - array->address) / array->element_bytes));
        return;
    }
    if (!simgpu_find(sim->gpu, address, 1, &found))
        snprintf(text, size, "the same memory");
    else
        snprintf(text, size, "byte %llu of %s%.40s%s", (unsigned long long)(address - found.address),
                 found.name == NULL ? "" : "variable '", found.name == NULL ? "an allocation" : found.name,
                 found.name == NULL ? "" : "'");
}

/* ==== sim sample ================================================================================================== */

/* Instruction budgets of a launch: what one core executes in about half a second, translated, and interpreted for a
 * profile. */
static const uint64_t LANE_INSTRUCTIONS = 5000000000, INTERPRETED = 1000000000;

uint64_t sim_sample_limit(const SimDevice *sim)
{
    if (sim->check == NULL || !sim->check->samples_blocks)
        return 0;
    return sim->profile != NULL ? INTERPRETED : LANE_INSTRUCTIONS;
}

SimMarked sim_sample_marked(const SimDevice *sim)
{
    const DeviceCheck *check = sim->check;
    if (check == NULL || !check->samples_blocks)
        return (SimMarked){0};
    return (SimMarked){check->output_address, check->output_bytes, check->output_poison, DEVICE_POISON_WORDS};
}

/* Adds the whole allocation that these bytes lie in. */
static void add_allocation(SimDevice *sim, struct Touches **list, uint64_t address, uint64_t bytes)
{
    SimAllocation whole = {.address = address, .bytes = bytes};
    if (*list == NULL)
        *list = zeroed(1, sizeof **list);
    if (!simgpu_find(sim->gpu, address, 1, &whole))
        whole = (SimAllocation){.address = address, .bytes = bytes};
    touches_add(*list, whole.address, whole.bytes, true);
}

static bool overlaps(const Touches *list, uint64_t address, uint64_t bytes)
{
    for (uint32_t i = 0; list != NULL && i < list->count; i++)
        if (address < list->ranges[i].end && list->ranges[i].begin < address + bytes)
            return true;
    return false;
}

static bool is_sample(const SimReport *report)
{
    return report->sampled_share < 1 && report->outcome == SIM_OK;
}

void sim_sample_check(SimDevice *sim, const SimReport *report)
{
    if (!is_sample(report))
        return;
    sim->statistics.is_sample_unsound |= sim->incomplete != NULL; /* one sample for each call */
    for (size_t i = 0; i < report->touched_count; i++) {
        const SimTouched *touched = &report->touched[i];
        if (touched->is_store && overlaps(sim->stored, touched->address, touched->bytes))
            sim->statistics.is_sample_unsound = true;
    }
}

void sim_sample_keep(SimDevice *sim, const SimReport *report)
{
    DeviceStatistics *statistics = &sim->statistics;
    if (!is_sample(report))
        return;
    statistics->sampled_share = report->sampled_share;
    statistics->sample_error = report->sample_error;
    statistics->drawn_share = report->drawn_share;
    statistics->certain_bytes = report->certain_bytes;
    for (size_t i = 0; i < report->touched_count; i++)
        if (report->touched[i].is_store)
            add_allocation(sim, &sim->incomplete, report->touched[i].address, report->touched[i].bytes);
}

static void sim_sample_touches(SimDevice *sim, uint64_t address, uint64_t bytes, bool is_store)
{
    if (sim_sample_limit(sim) == 0)
        return;
    sim->statistics.is_sample_unsound |= overlaps(sim->incomplete, address, bytes);
    if (is_store)
        add_allocation(sim, &sim->stored, address, bytes);
}

static void forget(struct Touches **list)
{
    if (*list != NULL)
        touches_free(*list);
    free(*list);
    *list = NULL;
}

void sim_sample_reset(SimDevice *sim)
{
    forget(&sim->stored);
    forget(&sim->incomplete);
    sim->statistics.sampled_share = 1;
}

/* ==== sim queue =================================================================================================== */

enum {
    HELD_BYTES = 32 << 20, /* most that waiting operations may hold */
    EXACT_OPERATIONS = 256 /* of a call; a footprint takes as much memory as the bytes that are used */
};

typedef struct QueuedOperation {
    Work work;
    char name[DEVICE_PARTY_BYTES]; /* with the stream */
    uint32_t place;                /* SimDevice.place */
    uint32_t sequence;             /* in the call, from 1 */
    uint64_t turn;                 /* 0: it needs none */
    OperationSet before;
    int follows; /* the kernel whose end it does not wait for by itself, though it is among those before; -1: none */
    Moment *moment;
    Touches touches;
} QueuedOperation;

struct SimQueue {
    QueuedOperation operations[QUEUE_OPERATIONS]; /* [count] of the present window */
    uint32_t count;
    OperationSet waiting, done;
    OperationSet known; /* what the host knows to have ended */
    bool is_open;       /* operations may wait */
    uint32_t sequence;  /* of the last operation */
    uint32_t polled;    /* a query has reported operations up to this sequence as unfinished */
    uint64_t turns;     /* given out so far */
    uint32_t draws;     /* in this call so far */
    uint32_t exact;     /* operations of this call with a footprint */
    size_t held_bytes;
    QueuedOperation *running;
};

/* ---- the window -------------------------------------------------------------------------------------------------- */

/* Empties a set of an earlier window. */
static OperationSet *present(const SimQueue *queue, OperationSet *set)
{
    if (set->window != queue->waiting.window)
        *set = (OperationSet){.window = queue->waiting.window};
    return set;
}

static void next_window(SimQueue *queue)
{
    for (uint32_t i = 0; i < queue->count; i++)
        touches_free(&queue->operations[i].touches);
    queue->count = 0;
    queue->waiting = (OperationSet){.window = queue->waiting.window + 1};
    queue->done = queue->known = queue->waiting;
}

void sim_queue_new(SimDevice *sim)
{
    sim->queue = zeroed(1, sizeof *sim->queue);
    next_window(sim->queue);
}

void sim_queue_free(SimDevice *sim)
{
    for (uint32_t i = 0; i < sim->queue->count; i++)
        free(sim->queue->operations[i].work.what);
    next_window(sim->queue);
    free(sim->queue);
}

/* ---- what comes after what --------------------------------------------------------------------------------------- */

void sim_add_before(SimDevice *sim, OperationSet *before, const OperationSet *more)
{
    OperationSet copy = *more;
    set_join(present(sim->queue, before), present(sim->queue, &copy));
}

/* CUDA Programming Guide, "Implicit Synchronization". */
OperationSet sim_before_stream(SimDevice *sim, DeviceStream *stream)
{
    OperationSet before = *present(sim->queue, &sim->queue->known);
    sim_add_before(sim, &before, stream == NULL ? &sim->legacy.before : &stream->before);
    if (stream != NULL && !stream->non_blocking)
        sim_add_before(sim, &before, &sim->legacy.before);
    for (DeviceStream *other = sim->streams; stream == NULL && other != NULL; other = other->next)
        if (!other->non_blocking)
            sim_add_before(sim, &before, &other->before);
    return before;
}

OperationSet sim_before_event(SimDevice *sim, const DeviceEvent *event)
{
    OperationSet before = event->before;
    return *present(sim->queue, &before);
}

OperationSet sim_everything(SimDevice *sim)
{
    OperationSet all = sim->queue->waiting;
    set_join(&all, &sim->queue->done);
    return all;
}

OperationSet sim_none(SimDevice *sim)
{
    return (OperationSet){.window = sim->queue->waiting.window};
}

void sim_host_knows(SimDevice *sim, const OperationSet *set)
{
    sim_add_before(sim, &sim->queue->known, set);
}

bool sim_is_news(SimDevice *sim, const OperationSet *set)
{
    SimQueue *queue = sim->queue;
    OperationSet copy = *set, unknown = set_without(present(queue, &copy), &queue->known);
    int last = set_highest(&unknown);
    if (last < 0 || queue->operations[last].sequence <= queue->polled)
        return false;
    queue->polled = queue->operations[last].sequence;
    return true;
}

bool sim_may_wait(const SimDevice *sim)
{
    return sim->queue->is_open && sim->check != NULL;
}

/* ---- the choice -------------------------------------------------------------------------------------------------- */

static DeviceOrder order_of(const SimDevice *sim)
{
    const DeviceOrder issued = {.kind = DEVICE_ORDER_ISSUED};
    return sim_may_wait(sim) ? sim->check->order : issued;
}

static int find_waiting(const SimQueue *queue, uint32_t sequence)
{
    uint32_t first = queue->count == 0 ? 0 : queue->operations[0].sequence;
    bool is_here = queue->count > 0 && sequence >= first && sequence - first < queue->count;
    return is_here && set_has(&queue->waiting, sequence - first) ? (int)(sequence - first) : -1;
}

enum { PURPOSE_ORDER = 3 /* of a draw; those of simgpu/block are 1 and 2 */ };

/* A number below `end`. */
static uint32_t draw(const SimDevice *sim, uint32_t end)
{
    const Chacha20Key *key = sim->check->sample_key;
    if (key == NULL)
        return 0;
    const Chacha20Block random = chacha20_block(key, sim->queue->draws++, PURPOSE_ORDER, 0, 0);
    return (uint32_t)((uint64_t)random.words[0] * end >> 32);
}

static int set_drawn(const SimDevice *sim, OperationSet set)
{
    uint32_t count = set_count(&set);
    for (uint32_t skipped = count == 0 ? 0 : draw(sim, count); skipped > 0; skipped--)
        set_remove(&set, (uint32_t)set_lowest(&set));
    return set_lowest(&set);
}

static int one_of(const SimDevice *sim, DeviceOrderKind kind, const OperationSet *set)
{
    switch (kind) {
    case DEVICE_ORDER_LATE: return set_highest(set);
    case DEVICE_ORDER_ISSUED: return set_lowest(set);
    case DEVICE_ORDER_DRAWN: return set_drawn(sim, *set);
    }
    return -1;
}

/* The operation of a set of waiting ones that comes first: the worst that can, the one that was asked for first, or one
 * that is drawn. */
static int choose(const SimDevice *sim, const OperationSet *wanted)
{
    const SimQueue *queue = sim->queue;
    const DeviceOrder order = order_of(sim);
    OperationSet set = set_both(wanted, &queue->waiting);
    int until = order.held == 0 || order.until == 0 ? -1 : find_waiting(queue, order.until);
    int held = until < 0 ? -1 : find_waiting(queue, order.held);
    for (int chosen; (chosen = one_of(sim, order.kind, &set)) >= 0;) {
        if (chosen == held && !set_has(&queue->operations[until].before, (uint32_t)held))
            chosen = until;
        OperationSet first = set_both(&queue->operations[chosen].before, &queue->waiting);
        if (set_lowest(&first) < 0)
            return chosen;
        set = first;
    }
    return -1;
}

/* The held operation waits, and so does what comes after it. */
static OperationSet all_but_held(const SimDevice *sim)
{
    const SimQueue *queue = sim->queue;
    const DeviceOrder order = order_of(sim);
    OperationSet rest = queue->waiting;
    int held = order.held == 0 ? -1 : find_waiting(queue, order.held);
    if (held < 0 || (order.until != 0 && queue->sequence >= order.until))
        return rest;
    for (uint32_t i = (uint32_t)held; i < queue->count; i++)
        if (i == (uint32_t)held || set_has(&queue->operations[i].before, (uint32_t)held))
            set_remove(&rest, i);
    return rest;
}

/* ---- carrying out ------------------------------------------------------------------------------------------------ */

void sim_touches(SimDevice *sim, uint64_t address, uint64_t bytes, bool is_store)
{
    sim_sample_touches(sim, address, bytes, is_store);
    if (sim->queue->running != NULL)
        touches_add(&sim->queue->running->touches, address, bytes, is_store);
}

void sim_touches_host(SimDevice *sim, uint64_t address, uint64_t bytes, bool is_store)
{
    if (sim->queue->running != NULL)
        touches_add(&sim->queue->running->touches, address, bytes, is_store);
    if (sim_footprint(sim) != NULL)
        footprint_add(sim_footprint(sim), is_store ? FOOTPRINT_STORE : FOOTPRINT_LOAD, address, bytes);
}

void sim_reads(SimDevice *sim, uint64_t address, uint64_t bytes)
{
    Footprint *footprint = sim_footprint(sim);
    if (footprint != NULL)
        footprint_add(footprint, FOOTPRINT_LOAD, address, bytes);
}

static bool stays(const uint8_t *old, const uint8_t *from, uint8_t value, uint64_t i)
{
    return old[i] == (from == NULL ? value : from[i]);
}

void sim_writes(SimDevice *sim, uint64_t address, const uint8_t *from, uint8_t value, uint64_t bytes)
{
    const uint8_t *old = byte_at(address);
    Footprint *footprint = sim_footprint(sim);
    for (uint64_t i = 0, end; footprint != NULL && i < bytes; i = end) {
        const bool same = stays(old, from, value, i);
        for (end = i + 1; end < bytes && stays(old, from, value, end) == same;)
            end++;
        footprint_add(footprint, same ? FOOTPRINT_SAME_STORE : FOOTPRINT_STORE, address + i, end - i);
    }
}

Footprint *sim_footprint(SimDevice *sim)
{
    return sim->queue->running == NULL ? NULL : sim->queue->running->touches.bytes;
}

static Party party_of(const QueuedOperation *operation)
{
    return (Party){operation->name, operation->sequence, operation->place, operation->work.mistake,
                   operation->work.is_function};
}

static void note_clash(SimDevice *sim, Clash clash, const Party *first, const Party *second, uint64_t address)
{
    if (clash == CLASH_NONE)
        return;
    DeviceConflict *conflict = conflict_add(sim->check, first, second, clash == CLASH_RACE);
    if (conflict != NULL && clash == CLASH_RACE)
        conflict_name_place(sim, address, conflict->place, sizeof conflict->place);
}

static void note_conflict(SimDevice *sim, const QueuedOperation *operation, const QueuedOperation *other)
{
    uint64_t address = 0;
    const Clash clash = touches_compare(&other->touches, &operation->touches, &address);
    const bool is_later = other->sequence > operation->sequence;
    const Party first = party_of(is_later ? operation : other), second = party_of(is_later ? other : operation);
    note_clash(sim, clash, &first, &second, address);
}

/* A kernel that waits before it lets the next one begin stands for those before it. */
static void note_dependence(SimDevice *sim, const QueuedOperation *operation)
{
    Party second = party_of(operation);
    second.mistake = (Mistake){.kind = MISTAKE_NO_GRID_WAIT};
    for (int i = operation->follows; sim->check != NULL && i >= 0;) {
        const QueuedOperation *kernel = &sim->queue->operations[i];
        const Party first = party_of(kernel);
        uint64_t address = 0;
        const Clash clash = touches_compare_next(&kernel->touches, &operation->touches, &address);
        note_clash(sim, clash, &first, &second, address);
        const Footprint *bytes = kernel->touches.bytes;
        i = bytes != NULL && footprint_has_waited(bytes) ? -1 : kernel->follows;
    }
}

static void note_conflicts(SimDevice *sim, const QueuedOperation *operation)
{
    SimQueue *queue = sim->queue;
    OperationSet others = set_without(&queue->done, &operation->before);
    for (int i; sim->check != NULL && (i = set_lowest(&others)) >= 0; set_remove(&others, (uint32_t)i))
        note_conflict(sim, operation, &queue->operations[i]);
}

/* After a fault nothing more is carried out. */
static void carry(SimDevice *sim, uint32_t number, uint8_t *staging)
{
    SimQueue *queue = sim->queue;
    QueuedOperation *operation = &queue->operations[number];
    double seconds = 0;
    sim->device_s = INFINITY;
    if (sim->sticky == CUDA_ERROR_SUCCESS) {
        queue->running = operation;
        if (sim_may_wait(sim) && sim->check->order.is_exact && queue->exact < EXACT_OPERATIONS) {
            operation->touches.bytes = footprint_new();
            queue->exact++;
        }
        seconds = operation->work.carry(sim, operation->work.what, staging);
        queue->running = NULL;
        note_conflicts(sim, operation);
        note_dependence(sim, operation);
        if (sim->sticky != CUDA_ERROR_SUCCESS && sim->check != NULL)
            sim->check->conflicts.is_fault_unordered = (uint32_t)set_lowest(&queue->waiting) < number;
    }
    sim_time_tell(sim, operation->moment, seconds, fmin(seconds, sim->device_s));
    set_remove(&queue->waiting, number);
    set_add(&queue->done, number);
    queue->held_bytes -= operation->work.held_bytes;
    free(operation->work.what);
    operation->work.what = NULL;
}

CudaError sim_carry_out(SimDevice *sim, const OperationSet *set)
{
    OperationSet wanted = *set;
    present(sim->queue, &wanted);
    for (int number; (number = choose(sim, &wanted)) >= 0;) {
        const QueuedOperation *operation = &sim->queue->operations[number];
        if (operation->turn != 0 && sim->sticky == CUDA_ERROR_SUCCESS) {
            sim->turn = operation->turn;
            return DEVICE_HOST_TURN;
        }
        carry(sim, (uint32_t)number, NULL);
    }
    return sim->sticky;
}

CudaError sim_take_turn(SimDevice *sim, uint64_t turn, uint8_t *staging)
{
    SimQueue *queue = sim->queue;
    uint32_t number = 0;
    while (number < queue->count && queue->operations[number].turn != turn)
        number++;
    if (turn == 0 || number == queue->count || !set_has(&queue->waiting, number))
        return CUDA_ERROR_INVALID_RESOURCE_HANDLE;
    CudaError error = sim_carry_out(sim, &queue->operations[number].before);
    if (error == DEVICE_HOST_TURN)
        return error;
    carry(sim, number, staging);
    return sim->sticky;
}

/* ---- taking in --------------------------------------------------------------------------------------------------- */

static CudaError make_room(SimDevice *sim, const Work *work)
{
    SimQueue *queue = sim->queue;
    bool is_full = queue->count == QUEUE_OPERATIONS || queue->held_bytes + work->held_bytes > HELD_BYTES;
    if (!is_full)
        return CUDA_ERROR_SUCCESS;
    OperationSet all = sim_everything(sim);
    CudaError error = sim_carry_out(sim, &all);
    if (error == DEVICE_HOST_TURN)
        return error;
    if (queue->count == QUEUE_OPERATIONS)
        next_window(queue);
    return CUDA_ERROR_SUCCESS;
}

static void name_operation(QueuedOperation *operation, const Work *work)
{
    const DeviceStream *stream = work->stream;
    char where[60] = "on the default stream";
    if (stream != NULL && stream->kind == DEVICE_STREAM_OF_GRAPH) /* branch 1 is the stream of the launch */
        snprintf(where, sizeof where, "in branch %u of a graph", stream->number + 1);
    else if (stream != NULL && stream->kind == DEVICE_STREAM_OF_THREAD)
        snprintf(where, sizeof where, "on cudaStreamPerThread");
    else if (stream != NULL)
        snprintf(where, sizeof where, "on %sstream %u", stream->non_blocking ? "non-blocking " : "", stream->number);
    snprintf(operation->name, sizeof operation->name, "%s %s", work->name, where);
}

/* The kernel that was asked for just before on the stream, unless something else makes sure that it has ended: the host,
 * or another operation that comes after it. -1: none. */
static int kernel_before(SimQueue *queue, DeviceStream *stream, const OperationSet *before)
{
    const int kernel = set_lowest(present(queue, &stream->kernel));
    if (kernel < 0 || set_has(&queue->known, (uint32_t)kernel))
        return -1;
    for (uint32_t i = (uint32_t)kernel + 1; i < queue->count; i++)
        if (set_has(before, i) && set_has(&queue->operations[i].before, (uint32_t)kernel))
            return -1;
    return kernel;
}

static void take_in(SimDevice *sim, const Work *work, uint64_t *turn)
{
    SimQueue *queue = sim->queue;
    uint32_t number = queue->count++;
    QueuedOperation *operation = &queue->operations[number];
    DeviceStream *stream = work->stream == NULL ? &sim->legacy : work->stream;
    *operation = (QueuedOperation){.work = *work,
                                   .sequence = ++queue->sequence,
                                   .place = sim->place,
                                   .before = sim_before_stream(sim, work->stream)};
    operation->moment = sim_time_note(
        sim, (Moment){.kind = MOMENT_WORK, .engine = work->engine, .stream = work->stream, .is_unknown = true});
    name_operation(operation, work);
    if (work->needs_turn)
        *turn = operation->turn = ++queue->turns;
    operation->follows = work->is_programmatic ? kernel_before(queue, stream, &operation->before) : -1;
    stream->before = operation->before;
    set_add(&stream->before, number);
    stream->kernel = sim_none(sim);
    if (work->is_kernel)
        set_add(&stream->kernel, number);
    set_add(&queue->waiting, number);
    queue->held_bytes += work->held_bytes;
}

/* Carries out operations before their results are needed, up to one that needs a turn of the host. */
static void carry_out_some(SimDevice *sim)
{
    OperationSet now = all_but_held(sim);
    const DeviceOrderKind kind = order_of(sim).kind;
    if (kind == DEVICE_ORDER_ISSUED)
        sim_carry_out(sim, &now);
    while (kind == DEVICE_ORDER_DRAWN && draw(sim, 2) == 1) {
        int drawn = set_drawn(sim, sim->queue->waiting);
        OperationSet one = sim_none(sim);
        if (drawn < 0)
            break;
        set_add(&one, (uint32_t)drawn);
        if (sim_carry_out(sim, &one) != CUDA_ERROR_SUCCESS)
            break;
    }
}

CudaError sim_submit(SimDevice *sim, const Work *work, uint64_t *turn)
{
    CudaError error = make_room(sim, work);
    if (error != CUDA_ERROR_SUCCESS) {
        free(work->what);
        return error;
    }
    take_in(sim, work, turn);
    carry_out_some(sim);
    const Party party = party_of(&sim->queue->operations[sim->queue->count - 1]);
    if (work->needs_turn && sim->check != NULL)
        conflict_add(sim->check, &party, NULL, false);
    return CUDA_ERROR_SUCCESS;
}

/* ---- calls ------------------------------------------------------------------------------------------------------- */

/* A copy whose turn does not come any more is left out: an honest runtime library does not let that happen. */
static CudaError begin_anew(SimDevice *sim, bool is_open)
{
    SimQueue *queue = sim->queue;
    OperationSet all = sim_everything(sim);
    while (sim_carry_out(sim, &all) == DEVICE_HOST_TURN)
        for (uint32_t i = 0; i < queue->count; i++)
            if (queue->operations[i].turn == sim->turn)
                carry(sim, i, NULL);
    next_window(queue);
    queue->is_open = is_open;
    queue->sequence = queue->polled = queue->draws = queue->exact = 0;
    return sim->sticky;
}

CudaError sim_queue_open(SimDevice *sim)
{
    return begin_anew(sim, true);
}

CudaError sim_queue_close(SimDevice *sim)
{
    return begin_anew(sim, false);
}
