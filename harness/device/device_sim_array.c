#include "harness/device/array_check.h"
#include "harness/device/device_sim.h"

#include <stdlib.h>
#include <string.h>

/* An array is ordinary device memory in row-major order, since nothing but copies reaches it. */
struct DeviceArray {
    uint64_t address;
    uint64_t row_bytes, rows; /* of a slice */
};

CudaError sim_array_new(Device *device, const DeviceShape *shape, DeviceArray **array)
{
    uint64_t bytes;
    if (!array_check(shape, &bytes))
        return CUDA_ERROR_INVALID_VALUE;
    *array = calloc(1, sizeof **array);
    if (*array == NULL)
        return CUDA_ERROR_MEMORY_ALLOCATION;
    (*array)->row_bytes = array_element_bytes(shape->format, shape->channels) * shape->width;
    (*array)->rows = shape->height == 0 ? 1 : shape->height;
    CudaError error = sim_alloc(device, bytes, &(*array)->address);
    if (error != CUDA_ERROR_SUCCESS)
        free(*array);
    return error;
}

CudaError sim_array_free(Device *device, DeviceArray *array)
{
    CudaError error = sim_release(device, array->address);
    free(array);
    return error;
}

/* ---- copies ------------------------------------------------------------------------------------------------------ */

typedef struct Rows { /* a place, wherever it is */
    uint8_t *first;
    uint64_t pitch, slice_bytes;
} Rows;

static Rows rows_of(const DevicePlace *place)
{
    if (place->array == NULL)
        return (Rows){place->host != NULL ? place->host : byte_at(place->address), place->pitch,
                      place->slice_rows * place->pitch};
    const DeviceArray *array = place->array;
    uint64_t row = place->z * array->rows + place->y;
    return (Rows){(uint8_t *)byte_at(array->address) + row * array->row_bytes + place->x_bytes, array->row_bytes,
                  array->rows * array->row_bytes};
}

static CudaError check_place(SimDevice *sim, const DevicePlace *place, const DeviceBox *box)
{
    uint64_t bytes = 0;
    if (place->array == NULL && !box_span(place, box, &bytes))
        return CUDA_ERROR_INVALID_VALUE;
    bool in_memory = place->array == NULL && place->host == NULL;
    return sim_check_range(sim, place->address, in_memory ? bytes : 0);
}

static bool is_host(const DevicePlace *place)
{
    return place->array == NULL && place->host != NULL;
}

CudaError sim_copy_box(Device *device, const DevicePlace *to, const DevicePlace *from, const DeviceBox *box,
                       DeviceStream *stream)
{
    SimDevice *sim = sim_of(device);
    CudaError error = check_place(sim, to, box);
    if (error == CUDA_ERROR_SUCCESS)
        error = check_place(sim, from, box);
    if (error != CUDA_ERROR_SUCCESS)
        return error;
    Rows target = rows_of(to), source = rows_of(from);
    for (uint64_t z = 0; z < box->depth; z++)
        for (uint64_t y = 0; y < box->height; y++)
            memmove(target.first + z * target.slice_bytes + y * target.pitch,
                    source.first + z * source.slice_bytes + y * source.pitch, box->width_bytes);
    sim_count_copy(sim, stream, box->width_bytes * box->height * box->depth, is_host(to) || is_host(from));
    return is_host(to) ? sim_stream_synchronize(device, stream) : CUDA_ERROR_SUCCESS;
}

CudaError sim_fill_rows(Device *device, uint64_t to, uint64_t pitch, uint8_t value, uint64_t width, uint64_t height,
                        DeviceStream *stream)
{
    SimDevice *sim = sim_of(device);
    const DevicePlace place = {.address = to, .pitch = pitch};
    const DeviceBox box = {width, height, 1};
    CudaError error = check_place(sim, &place, &box);
    if (error != CUDA_ERROR_SUCCESS)
        return error;
    for (uint64_t y = 0; y < height; y++)
        memset((uint8_t *)byte_at(to) + y * pitch, value, width);
    sim_count_copy(sim, stream, width * height, false);
    return CUDA_ERROR_SUCCESS;
}

/* ---- textures, of which there are none --------------------------------------------------------------------------- */

CudaError sim_texture_new(Device *device, const DeviceTexture *texture, uint64_t *number)
{
    return CUDA_ERROR_NOT_SUPPORTED;
}

CudaError sim_texture_free(Device *device, uint64_t number)
{
    return CUDA_ERROR_INVALID_VALUE;
}
