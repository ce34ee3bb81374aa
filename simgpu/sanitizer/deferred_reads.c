/* Reads of shared memory that are put off. Reads alone race with nothing, so that as long as nothing has changed shared
 * memory since the last barrier it is enough to write down who reads what. Only if something changes it before the
 * next barrier they are looked at; mostly nothing does, and they are forgotten. Which lanes read, and how their
 * addresses relate, is the same for most reads of a loop, and is kept once.  */
#include "simgpu/sanitizer/deferred_reads.h"

#include "base/allocated.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_READS = 1 << 15, MOST_SHAPES = 32 };

typedef struct Shape {
    uint32_t first, end, bytes; /* lanes that read; what each reads */
    bool is_uniform;            /* all the same */
    uint32_t bits[MAX_WARPS];
    int32_t relative[MAX_THREADS]; /* addresses beyond the first lane's; of a uniform one: not set */
} Shape;

typedef struct Read {
    uint32_t address, shape; /* the first lane's */
} Read;

struct DeferredReads {
    Read *reads;
    uint32_t count;
    Shape *shapes;
    uint32_t shape_count, last; /* shape found last */
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

static bool is_shape(const Shape *shape, const SharedRead *read, uint32_t warps)
{
    const Active *active = read->active;
    return shape->first == active->first && shape->end == active->end && shape->bytes == read->bytes &&
           shape->is_uniform == (read->relative == NULL) &&
           memcmp(shape->bits, active->bits, warps * sizeof *shape->bits) == 0 &&
           (shape->is_uniform ||
            memcmp(shape->relative, read->relative, (active->end - active->first) * sizeof *shape->relative) == 0);
}

static void shape_set(Shape *shape, const SharedRead *read)
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

/* ---- looking at them --------------------------------------------------------------------------------------------- */

static void apply_read(Sanitizer *sanitizer, uint64_t address, uint32_t bytes, uint32_t lane)
{
    EACH_CELL(address, bytes, sanitizer->plan->shared_cell_log, place)
    shadow_cell_add_reader(sanitizer, shadow_cell_at(sanitizer, true, place), lane);
}

static void apply_shape(Sanitizer *sanitizer, const Shape *shape, uint32_t address)
{
    for (uint32_t warp = shape->first / SIM_WARP_SIZE; warp * SIM_WARP_SIZE < shape->end; warp++) {
        uint32_t start = warp * SIM_WARP_SIZE, bits = shape->bits[warp];
        if (shape->is_uniform && bits != 0) { /* the first and the last lane stand for all */
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

/* ---- putting them off -------------------------------------------------------------------------------------------- */

/* Does an access stay within the variable that its address was made from? */
static bool is_within_variable(const SharedRead *read)
{
    const SharedVariable *variable = read->load->variable;
    return variable == NULL ||
           (read->low >= variable->offset && (variable->bytes == 0 || read->end <= variable->offset + variable->bytes));
}

/* Whatever would have to be told makes it one that is not put off. */
static bool can_wait(const Worker *worker, const SharedRead *read)
{
    const Sanitizer *sanitizer = worker->sanitizer;
    return sanitizer->changed_epoch != sanitizer->epoch && sanitizer->copies == NULL && !read->load->is_strong &&
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
    deferred->reads[deferred->count++] = (Read){.address = (uint32_t)read->address, .shape = deferred->last};
    return true;
}
