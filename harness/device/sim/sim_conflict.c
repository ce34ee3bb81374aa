#include "harness/device/sim/sim_conflict.h"

#include "base/allocated.h"

#include <stdio.h>
#include <stdlib.h>

void touches_add(Touches *touches, uint64_t address, uint64_t bytes, bool is_store)
{
    if (touches->count == touches->capacity) {
        touches->capacity = touches->capacity == 0 ? 4 : 2 * touches->capacity;
        touches->ranges = allocated(realloc(touches->ranges, touches->capacity * sizeof *touches->ranges));
    }
    touches->ranges[touches->count++] = (ByteTouch){address, address + bytes, is_store};
}

void touches_free(Touches *touches)
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

Clash touches_compare(const Touches *a, const Touches *b, uint64_t *address)
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

Clash touches_compare_next(const Touches *kernel, const Touches *next, uint64_t *address)
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

DeviceConflict *conflict_add(DeviceCheck *check, const Party *first, const Party *second, bool is_race)
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

void conflict_name_place(SimDevice *sim, uint64_t address, char *text, size_t size)
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
