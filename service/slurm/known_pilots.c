#include "service/slurm/known_pilots.h"

#include "base/allocated.h"

#include <stdlib.h>

static KnownPilot *find(const KnownPilots *known, int64_t job)
{
    for (int64_t i = 0; i < known->count; i++)
        if (known->items[i].job == job)
            return &known->items[i];
    return NULL;
}

void known_pilots_begin(KnownPilots *known)
{
    for (int64_t i = 0; i < known->count; i++)
        known->items[i].is_seen = false;
}

void known_pilots_see(KnownPilots *known, int64_t job)
{
    KnownPilot *pilot = find(known, job);
    if (pilot == NULL) {
        if ((size_t)known->count == known->capacity) {
            known->capacity = known->capacity == 0 ? 16 : 2 * known->capacity;
            known->items = allocated(realloc(known->items, known->capacity * sizeof *known->items));
        }
        pilot = &known->items[known->count++];
        *pilot = (KnownPilot){.job = job};
    }
    pilot->is_seen = true;
}

bool known_pilots_take_ended(KnownPilots *known, KnownPilot *ended)
{
    for (int64_t i = 0; i < known->count; i++) {
        if (known->items[i].is_seen)
            continue;
        *ended = known->items[i];
        known->items[i] = known->items[--known->count];
        return true;
    }
    return false;
}

bool known_pilots_note_claim(KnownPilots *known, int64_t job)
{
    KnownPilot *pilot = find(known, job);
    if (pilot != NULL)
        pilot->has_claimed = true;
    return pilot != NULL;
}

void known_pilots_free(KnownPilots *known)
{
    free(known->items);
    *known = (KnownPilots){0};
}
