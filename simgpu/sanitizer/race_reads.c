/* Reads of shared memory that are put off. Reads alone race with nothing, so that as long as nothing has changed shared
 * memory since the last barrier it is enough to write down who reads what. Only if something changes it before the
 * next barrier they are looked at; mostly nothing does, and they are forgotten. Which lanes read, and how their
 * addresses relate, is the same for most reads of a loop, and is kept once.  */
#include "simgpu/sanitizer/race.h"

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

struct LateReads {
    Read *reads;
    uint32_t count;
    Shape *shapes;
    uint32_t shape_count, last; /* shape found last */
};

LateReads *late_reads_new(void)
{
    LateReads *late = zeroed(1, sizeof *late);
    late->reads = zeroed(MOST_READS, sizeof *late->reads);
    late->shapes = zeroed(MOST_SHAPES, sizeof *late->shapes);
    return late;
}

void late_reads_free(LateReads *late)
{
    if (late == NULL)
        return;
    free(late->reads);
    free(late->shapes);
    free(late);
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
static bool find_shape(LateReads *late, const SharedRead *read, uint32_t warps)
{
    for (uint32_t i = 0; i < late->shape_count; i++) {
        if (is_shape(&late->shapes[late->last], read, warps))
            return true;
        late->last = late->last + 1 < late->shape_count ? late->last + 1 : 0;
    }
    if (late->shape_count == MOST_SHAPES)
        return false;
    late->last = late->shape_count++;
    shape_set(&late->shapes[late->last], read);
    return true;
}

/* ---- looking at them --------------------------------------------------------------------------------------------- */

static void read_late(Watch *watch, uint64_t address, uint32_t bytes, uint32_t lane)
{
    EACH_GRAIN(address, bytes, watch->plan->shared_grain, place)
    remember_reader(watch, thread_grain_at(watch, true, place), lane);
}

static void look_at(Watch *watch, const Shape *shape, uint32_t address)
{
    for (uint32_t warp = shape->first / SIM_WARP_SIZE; warp * SIM_WARP_SIZE < shape->end; warp++) {
        uint32_t start = warp * SIM_WARP_SIZE, bits = shape->bits[warp];
        if (shape->is_uniform && bits != 0) { /* the first and the last lane stand for all */
            read_late(watch, address, shape->bytes, start + (uint32_t)__builtin_ctz(bits));
            read_late(watch, address, shape->bytes, start + 31 - (uint32_t)__builtin_clz(bits));
            continue;
        }
        for (; bits != 0; bits &= bits - 1) {
            uint32_t lane = start + (uint32_t)__builtin_ctz(bits);
            read_late(watch, address + (uint32_t)shape->relative[lane - shape->first], shape->bytes, lane);
        }
    }
}

void late_reads_look(Watch *watch)
{
    LateReads *late = watch->late;
    for (uint32_t i = 0; i < late->count; i++)
        look_at(watch, &late->shapes[late->reads[i].shape], late->reads[i].address);
    late->count = 0;
}

void late_reads_end(Watch *watch)
{
    late_reads_look(watch);
    watch->changed_epoch = watch->epoch;
}

void late_reads_forget(Watch *watch)
{
    watch->late->count = 0;
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
    const Watch *watch = worker->watch;
    return watch->changed_epoch != watch->epoch && watch->copies == NULL && !read->load->is_strong &&
           is_within_variable(read) && shared_is_written(worker, read);
}

bool late_reads_add(Worker *worker, const SharedRead *read)
{
    Watch *watch = worker->watch;
    LateReads *late = watch->late;
    uint32_t warps = worker->launch->warps;
    if (!can_wait(worker, read))
        return false;
    if (late->count == MOST_READS)
        late_reads_look(watch);
    if (!find_shape(late, read, warps)) {
        late_reads_look(watch);
        late->shape_count = 0;
        find_shape(late, read, warps);
    }
    late->reads[late->count++] = (Read){.address = (uint32_t)read->address, .shape = late->last};
    return true;
}
