#include "service/head/absences.h"

#include "base/allocated.h"

#include <stdlib.h>

void absences_begin(Absences *absences)
{
    for (size_t i = 0; i < absences->count; i++)
        absences->items[i].is_seen = false;
}

static Absence *find(Absences *absences, SpoolId id)
{
    for (size_t i = 0; i < absences->count; i++)
        if (absences->items[i].id.judging == id.judging && absences->items[i].id.attempt == id.attempt)
            return &absences->items[i];
    return NULL;
}

static Absence *add(Absences *absences, SpoolId id, double now_s)
{
    if (absences->count == absences->capacity) {
        absences->capacity = absences->capacity == 0 ? 16 : 2 * absences->capacity;
        absences->items = allocated(realloc(absences->items, absences->capacity * sizeof *absences->items));
    }
    absences->items[absences->count] = (Absence){.id = id, .since_s = now_s};
    return &absences->items[absences->count++];
}

double absences_note(Absences *absences, SpoolId id, double now_s)
{
    Absence *absence = find(absences, id);
    if (absence == NULL)
        absence = add(absences, id, now_s);
    absence->is_seen = true;
    return now_s - absence->since_s;
}

void absences_end(Absences *absences)
{
    size_t kept = 0;
    for (size_t i = 0; i < absences->count; i++)
        if (absences->items[i].is_seen)
            absences->items[kept++] = absences->items[i];
    absences->count = kept;
}

void absences_free(Absences *absences)
{
    free(absences->items);
    *absences = (Absences){0};
}
