/* place.h - boxes of bytes, and where they begin: in host memory, device memory or a CUDA array.  */
#ifndef HARNESS_RUNTIME_PLACE_H
#define HARNESS_RUNTIME_PLACE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct Place {        /* where a box begins */
    void *pointer;            /* in memory; NULL: in the array */
    size_t pitch, slice_rows; /* in memory: bytes from row to row, rows from slice to slice */
    uint64_t array;           /* the broker's number of the array */
    size_t x_bytes, y, z;     /* in the array */
} Place;

typedef struct Box {
    size_t width_bytes, height, depth;
} Box;

/* The pointer may be const, since nothing is written to the place that a copy reads. */
static inline Place place_in_memory(const void *pointer, size_t pitch, size_t slice_rows)
{
    return (Place){.pointer = (void *)(uintptr_t)pointer, .pitch = pitch, .slice_rows = slice_rows};
}

/* The place at this distance from another. */
static inline Place place_behind(Place place, size_t x_bytes, size_t y, size_t z)
{
    if (place.pointer == NULL) {
        place.x_bytes += x_bytes;
        place.y += y;
        place.z += z;
    } else {
        place.pointer = (char *)place.pointer + (z * place.slice_rows + y) * place.pitch + x_bytes;
    }
    return place;
}

/* Copies a box within host memory. */
static inline void place_copy_on_host(Place to, Place from, Box box)
{
    for (size_t z = 0; z < box.depth; z++)
        for (size_t y = 0; y < box.height; y++)
            memmove(place_behind(to, 0, y, z).pointer, place_behind(from, 0, y, z).pointer, box.width_bytes);
}

#endif
