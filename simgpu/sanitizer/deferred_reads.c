/* Reads do not race with each other. So as long as nothing has changed shared memory since the last barrier, it is
 * enough to list who reads what. The list is entered into the shadow cells only if something changes shared memory
 * before the next barrier; mostly nothing does, and the list is dropped. Which lanes read, and how their addresses
 * relate (the shape), is the same for most reads of a loop, and is stored once.  */
#include "simgpu/sanitizer/deferred_reads.h"

#include "base/allocated.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_READS = 1 << 15, MOST_SHAPES = 32 };

typedef struct ReadShape {
    uint32_t first, end, bytes; /* the lanes that read lie in [first, end); bytes per lane */
    bool is_uniform;            /* all lanes read the same address */
    uint32_t bits[MAX_WARPS];
    int32_t relative[MAX_THREADS]; /* addresses minus the first lane's; not set where is_uniform */
} ReadShape;

typedef struct DeferredRead {
    uint32_t address, shape; /* of the first lane; index into `shapes` */
} DeferredRead;

struct DeferredReads {
    DeferredRead *reads;
    uint32_t count;
    ReadShape *shapes;
    uint32_t shape_count, last; /* index of the shape that was found last */
};

DeferredReads *deferred_reads_new(void)
{
    DeferredReads *deferred = zeroed(1, sizeof *deferred);
    deferred->reads = zeroed(MOST_READS, sizeof *deferred->reads);
    deferred->shapes = zeroed(MOST_SHAPES, sizeof *deferred->shapes);
    return deferred;
}

void deferred_reads_free(DeferredReads *deferred)
{
    if (deferred == NULL)
        return;
    free(deferred->reads);
    free(deferred->shapes);
    free(deferred);
}

static bool is_shape(const ReadShape *shape, const SharedRead *read, uint32_t warps)
{
    const Active *active = read->active;
    return shape->first == active->first && shape->end == active->end && shape->bytes == read->bytes &&
           shape->is_uniform == (read->relative == NULL) &&
           memcmp(shape->bits, active->bits, warps * sizeof *shape->bits) == 0 &&
           (shape->is_uniform ||
            memcmp(shape->relative, read->relative, (active->end - active->first) * sizeof *shape->relative) == 0);
}

static void shape_set(ReadShape *shape, const SharedRead *read)
{
    const Active *active = read->active;
    shape->first = active->first;
    shape->end = active->end;
    shape->bytes = read->bytes;
    shape->is_uniform = read->relative == NULL;
    memcpy(shape->bits, active->bits, sizeof shape->bits);
    if (!shape->is_uniform)
        memcpy(shape->relative, read->relative, (active->end - active->first) * sizeof *shape->relative);
}

/* False where there is no room. */
static bool find_shape(DeferredReads *deferred, const SharedRead *read, uint32_t warps)
{
    for (uint32_t i = 0; i < deferred->shape_count; i++) {
        if (is_shape(&deferred->shapes[deferred->last], read, warps))
            return true;
        deferred->last = deferred->last + 1 < deferred->shape_count ? deferred->last + 1 : 0;
    }
    if (deferred->shape_count == MOST_SHAPES)
        return false;
    deferred->last = deferred->shape_count++;
    shape_set(&deferred->shapes[deferred->last], read);
    return true;
}

/* ---- entering them into the shadow cells
 * --------------------------------------------------------------------------------------------- */

static void apply_read(Sanitizer *sanitizer, uint64_t address, uint32_t bytes, uint32_t lane)
{
    EACH_CELL(address, bytes, sanitizer->plan->shared_cell_log, place)
    shadow_cell_add_reader(sanitizer, shadow_cell_at(sanitizer, true, place), lane);
}

static void apply_shape(Sanitizer *sanitizer, const ReadShape *shape, uint32_t address)
{
    for (uint32_t warp = shape->first / SIM_WARP_SIZE; warp * SIM_WARP_SIZE < shape->end; warp++) {
        uint32_t start = warp * SIM_WARP_SIZE, bits = shape->bits[warp];
        if (shape->is_uniform && bits != 0) { /* the first and the last lane represent all */
            apply_read(sanitizer, address, shape->bytes, start + (uint32_t)__builtin_ctz(bits));
            apply_read(sanitizer, address, shape->bytes, start + 31 - (uint32_t)__builtin_clz(bits));
            continue;
        }
        for (; bits != 0; bits &= bits - 1) {
            uint32_t lane = start + (uint32_t)__builtin_ctz(bits);
            apply_read(sanitizer, address + (uint32_t)shape->relative[lane - shape->first], shape->bytes, lane);
        }
    }
}

void deferred_reads_apply(Sanitizer *sanitizer)
{
    DeferredReads *deferred = sanitizer->deferred;
    for (uint32_t i = 0; i < deferred->count; i++)
        apply_shape(sanitizer, &deferred->shapes[deferred->reads[i].shape], deferred->reads[i].address);
    deferred->count = 0;
}

void deferred_reads_stop(Sanitizer *sanitizer)
{
    deferred_reads_apply(sanitizer);
    sanitizer->changed_epoch = sanitizer->epoch;
}

void deferred_reads_drop(Sanitizer *sanitizer)
{
    sanitizer->deferred->count = 0;
}

/* ---- deferring -------------------------------------------------------------------------------------------- */

/* Does a read stay within the variable from which its address was made? */
static bool is_within_variable(const SharedRead *read)
{
    const WindowVariable *variable = variable_in(read->load, PTX_SHARED);
    return variable == NULL ||
           (read->low >= variable->offset && (variable->bytes == 0 || read->end <= variable->offset + variable->bytes));
}

/* A read that causes a finding of its own is not deferred. */
static bool can_wait(const Worker *worker, const SharedRead *read)
{
    const Sanitizer *sanitizer = worker->sanitizer;
    return sanitizer->changed_epoch != sanitizer->epoch && sanitizer->copies == NULL &&
           sanitizer->bulk_copies == NULL && sanitizer->cluster == NULL && !read->load->is_strong &&
           is_within_variable(read) && shared_is_written(worker, read);
}

bool deferred_reads_add(Worker *worker, const SharedRead *read)
{
    Sanitizer *sanitizer = worker->sanitizer;
    DeferredReads *deferred = sanitizer->deferred;
    uint32_t warps = worker->launch->warps;
    if (!can_wait(worker, read))
        return false;
    if (deferred->count == MOST_READS)
        deferred_reads_apply(sanitizer);
    if (!find_shape(deferred, read, warps)) {
        deferred_reads_apply(sanitizer);
        deferred->shape_count = 0;
        find_shape(deferred, read, warps);
    }
    deferred->reads[deferred->count++] = (DeferredRead){.address = (uint32_t)read->address, .shape = deferred->last};
    return true;
}
