#include "harness/broker/handles.h"

#include <stddef.h>
#include <stdlib.h>

uint64_t handles_add(Handles *handles, void *object)
{
    if (handles->count == HANDLES_MAX || (handles->most != 0 && handles->living >= handles->most))
        return 0;
    if (handles->count == handles->capacity) {
        uint32_t capacity = handles->capacity == 0 ? 64 : 2 * handles->capacity;
        void **objects = realloc(handles->objects, capacity * sizeof *objects);
        if (objects == NULL)
            return 0;
        handles->objects = objects;
        handles->capacity = capacity;
    }
    handles->objects[handles->count] = object;
    handles->living++;
    return handles->first + handles->count++;
}

void *handles_get(const Handles *handles, uint64_t number)
{
    uint64_t index = number - handles->first;
    return index < handles->count ? handles->objects[index] : NULL;
}

void *handles_remove(Handles *handles, uint64_t number)
{
    void *object = handles_get(handles, number);
    if (object != NULL) {
        handles->objects[number - handles->first] = NULL;
        handles->living--;
    }
    return object;
}

void handles_free(Handles *handles)
{
    free(handles->objects);
    *handles = (Handles){.first = handles->first, .most = handles->most};
}
