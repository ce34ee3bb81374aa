#include "service/head/watch.h"

#include "base/allocated.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void watch_begin(Watch *watch)
{
    for (size_t i = 0; i < watch->count; i++)
        watch->items[i].is_seen = false;
}

static Watched *find_claim(Watch *watch, const SpoolClaim *claim)
{
    for (size_t i = 0; i < watch->count; i++) {
        const SpoolClaim *known = &watch->items[i].claim;
        if (known->id.judging == claim->id.judging && known->id.attempt == claim->id.attempt &&
            strcmp(known->worker, claim->worker) == 0)
            return &watch->items[i];
    }
    return NULL;
}

static Watched *add(Watch *watch, double now_s)
{
    if (watch->count == watch->capacity) {
        watch->capacity = watch->capacity == 0 ? 16 : 2 * watch->capacity;
        watch->items = allocated(realloc(watch->items, watch->capacity * sizeof *watch->items));
    }
    Watched *added = &watch->items[watch->count++];
    *added = (Watched){.began_s = now_s, .changed_s = now_s};
    return added;
}

Watched *watch_see(Watch *watch, const SpoolClaim *claim, double now_s, bool *is_new)
{
    Watched *watched = find_claim(watch, claim);
    *is_new = watched == NULL;
    if (*is_new)
        watched = add(watch, now_s);
    else if (watched->claim.count != claim->count)
        watched->changed_s = now_s;
    watched->claim = *claim;
    snprintf(watched->step, sizeof watched->step, "%s", claim->step);
    watched->claim.step = watched->step;
    watched->is_seen = true;
    return watched;
}

void watch_end(Watch *watch, size_t *gone)
{
    size_t kept = 0;
    for (size_t i = 0; i < watch->count; i++)
        if (watch->items[i].is_seen)
            watch->items[kept++] = watch->items[i];
    *gone = watch->count - kept;
    watch->count = kept;
    for (size_t i = 0; i < watch->count; i++)
        watch->items[i].claim.step = watch->items[i].step;
}

const Watched *watch_find(const Watch *watch, int64_t judging)
{
    for (size_t i = 0; i < watch->count; i++)
        if (watch->items[i].claim.id.judging == judging)
            return &watch->items[i];
    return NULL;
}

bool watch_is_overdue(const Watched *watched, double now_s, double lease_s)
{
    return now_s - watched->changed_s > lease_s ||
           (watched->limit_s > 0 && now_s - watched->began_s > watched->limit_s);
}

void watch_free(Watch *watch)
{
    free(watch->items);
    *watch = (Watch){0};
}
