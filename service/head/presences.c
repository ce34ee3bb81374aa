#include "service/head/presences.h"

#include "base/allocated.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void presences_begin(Presences *presences)
{
    for (size_t i = 0; i < presences->count; i++)
        presences->items[i].is_seen = false;
}

static Presence *find(Presences *presences, const char *worker)
{
    for (size_t i = 0; i < presences->count; i++)
        if (strcmp(presences->items[i].worker, worker) == 0)
            return &presences->items[i];
    return NULL;
}

static Presence *add(Presences *presences, const SpoolIdle *idle, double now_s)
{
    if (presences->count == presences->capacity) {
        presences->capacity = presences->capacity == 0 ? 16 : 2 * presences->capacity;
        presences->items = allocated(realloc(presences->items, presences->capacity * sizeof *presences->items));
    }
    Presence *added = &presences->items[presences->count++];
    *added = (Presence){.count = idle->count, .changed_s = now_s};
    snprintf(added->worker, sizeof added->worker, "%s", idle->worker);
    return added;
}

double presences_see(Presences *presences, const SpoolIdle *idle, double now_s)
{
    Presence *presence = find(presences, idle->worker);
    if (presence == NULL)
        presence = add(presences, idle, now_s);
    else if (presence->count != idle->count)
        presence->changed_s = now_s;
    presence->count = idle->count;
    presence->is_held = idle->is_held;
    presence->is_seen = true;
    snprintf(presence->device, sizeof presence->device, "%s", idle->device);
    snprintf(presence->device_name, sizeof presence->device_name, "%s", idle->device_name);
    return now_s - presence->changed_s;
}

void presences_forget(Presences *presences, const char *worker)
{
    Presence *presence = find(presences, worker);
    if (presence != NULL)
        presence->is_seen = false;
}

bool presences_end(Presences *presences)
{
    size_t kept = 0;
    for (size_t i = 0; i < presences->count; i++)
        if (presences->items[i].is_seen)
            presences->items[kept++] = presences->items[i];
    const bool some_went = kept < presences->count;
    presences->count = kept;
    return some_went;
}

void presences_free(Presences *presences)
{
    free(presences->items);
    *presences = (Presences){0};
}
