#include "harness/device/array_check.h"

#include <stddef.h>

static const struct {
    DeviceFormat format;
    uint32_t bytes;
} FORMATS[] = {
    {DEVICE_UINT8, 1},  {DEVICE_UINT16, 2}, {DEVICE_UINT32, 4},  {DEVICE_SINT8, 1},
    {DEVICE_SINT16, 2}, {DEVICE_SINT32, 4}, {DEVICE_FLOAT16, 2}, {DEVICE_FLOAT32, 4},
};

uint64_t array_element_bytes(DeviceFormat format, uint32_t channels)
{
    if (channels != 1 && channels != 2 && channels != 4)
        return 0;
    for (size_t i = 0; i < sizeof FORMATS / sizeof *FORMATS; i++)
        if (FORMATS[i].format == format)
            return (uint64_t)FORMATS[i].bytes * channels;
    return 0;
}

static bool extents_fit(const DeviceShape *shape)
{
    if (shape->width == 0)
        return false;
    if (shape->layered)
        return !shape->gather && shape->width <= ARRAY_MAX_LAYERED && shape->height <= ARRAY_MAX_LAYERED &&
               shape->depth > 0 && shape->depth <= ARRAY_MAX_LAYERS;
    if (shape->depth > 0)
        return shape->height > 0 && !shape->gather && shape->width <= ARRAY_MAX_EXTENT_3D &&
               shape->height <= ARRAY_MAX_EXTENT_3D && shape->depth <= ARRAY_MAX_EXTENT_3D;
    if (shape->gather)
        return shape->height > 0 && shape->width <= ARRAY_MAX_GATHER_2D && shape->height <= ARRAY_MAX_GATHER_2D;
    return shape->height > 0 ? shape->width <= ARRAY_MAX_WIDTH_2D && shape->height <= ARRAY_MAX_HEIGHT_2D
                             : shape->width <= (shape->surface ? ARRAY_MAX_SURFACE_1D : ARRAY_MAX_WIDTH_1D);
}

static uint64_t extent(uint64_t count)
{
    return count == 0 ? 1 : count;
}

bool array_check(const DeviceShape *shape, uint64_t *bytes)
{
    uint64_t element = array_element_bytes(shape->format, shape->channels);
    if (element == 0 || !extents_fit(shape))
        return false;
    *bytes = element * shape->width * extent(shape->height) * extent(shape->depth); /* under 2^47 */
    return true;
}

static bool lies_within(uint64_t first, uint64_t count, uint64_t all)
{
    return count > 0 && count <= all && first <= all - count;
}

bool array_holds(const DeviceShape *shape, const DevicePlace *place, const DeviceBox *box)
{
    uint64_t element = array_element_bytes(shape->format, shape->channels);
    return place->x_bytes % element == 0 && box->width_bytes % element == 0 &&
           lies_within(place->x_bytes, box->width_bytes, element * shape->width) &&
           lies_within(place->y, box->height, extent(shape->height)) &&
           lies_within(place->z, box->depth, extent(shape->depth));
}

bool box_span(const DevicePlace *place, const DeviceBox *box, uint64_t *bytes)
{
    uint64_t rows;
    if (box->width_bytes == 0 || box->height == 0 || box->depth == 0)
        return false;
    if ((box->height > 1 || box->depth > 1) && place->pitch < box->width_bytes)
        return false;
    if (box->depth > 1 && place->slice_rows < box->height)
        return false;
    return !__builtin_mul_overflow(box->depth - 1, place->slice_rows, &rows) &&
           !__builtin_add_overflow(rows, box->height - 1, &rows) &&
           !__builtin_mul_overflow(rows, place->pitch, bytes) &&
           !__builtin_add_overflow(*bytes, box->width_bytes, bytes);
}
