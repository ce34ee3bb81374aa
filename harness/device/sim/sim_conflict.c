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
    touches->ranges[touches->count++] = (Touch){address, address + bytes, is_store};
}

void touches_free(Touches *touches)
{
    free(touches->ranges);
    *touches = (Touches){0};
}

bool touches_conflict(const Touches *a, const Touches *b)
{
    for (uint32_t i = 0; i < a->count; i++)
        for (uint32_t j = 0; j < b->count; j++) {
            const Touch *x = &a->ranges[i], *y = &b->ranges[j];
            if ((x->is_store || y->is_store) && x->begin < y->end && y->begin < x->end)
                return true;
        }
    return false;
}

static DeviceConflict *new_conflict(DeviceConflicts *conflicts)
{
    if (conflicts->count < DEVICE_MAX_CONFLICTS)
        return &conflicts->items[conflicts->count++];
    conflicts->more++;
    return NULL;
}

void conflict_add(DeviceCheck *check, const Party *first, const Party *second)
{
    DeviceConflict *conflict = new_conflict(&check->conflicts);
    if (conflict == NULL)
        return;
    *conflict = (DeviceConflict){.order = {DEVICE_ORDER_ISSUED, first->sequence, second == NULL ? 0 : second->sequence},
                                 .mistake = (second == NULL ? first : second)->mistake};
    snprintf(conflict->text, sizeof conflict->text, "%s does not wait for %s",
             second == NULL ? "the host" : second->name, first->name);
}
