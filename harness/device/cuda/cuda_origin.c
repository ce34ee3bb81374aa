#include "harness/device/cuda/cuda_origin.h"

#include "harness/device/array_check.h"

#include <stdlib.h>

static const uint64_t ARRAY_PLACES = 1ull << 62; /* behind the range of device memory */

OriginRows cuda_origin_place(CudaDevice *cuda, const DeviceShape *shape, uint64_t bytes)
{
    const uint64_t row_bytes = shape->width * array_element_bytes(shape->format, shape->channels);
    const OriginRows place = {.first = ARRAY_PLACES + cuda->array_places,
                              .pitch = row_bytes,
                              .slice_bytes = row_bytes * (shape->height == 0 ? 1 : shape->height)};
    cuda->array_places += bytes;
    return place;
}

/* ---- what copies do ---------------------------------------------------------------------------------------------- */

static CudaError noted(bool done)
{
    return done ? CUDA_ERROR_SUCCESS : CUDA_ERROR_MEMORY_ALLOCATION;
}

/* What the judge writes is nobody's, and takes the place of what was there. */
static bool is_judges(CudaDevice *cuda, uint64_t to, uint64_t bytes)
{
    if (!cuda->bracket.open)
        host_origin_forget(&cuda->host_origin, to, bytes);
    return !cuda->bracket.open;
}

CudaError cuda_origin_write(CudaDevice *cuda, uint64_t to, const void *from, uint64_t bytes)
{
    return noted(is_judges(cuda, to, bytes) || host_origin_write(&cuda->host_origin, to, from, bytes));
}

CudaError cuda_origin_fill(CudaDevice *cuda, uint64_t to, uint8_t value, uint64_t bytes)
{
    return noted(is_judges(cuda, to, bytes) || host_origin_fill(&cuda->host_origin, to, value, bytes));
}

CudaError cuda_origin_copy(CudaDevice *cuda, uint64_t to, uint64_t from, uint64_t bytes)
{
    return noted(is_judges(cuda, to, bytes) || host_origin_copy(&cuda->host_origin, to, from, bytes));
}

static uint64_t row_at(const OriginRows *rows, uint64_t y, uint64_t z)
{
    return rows->first + z * rows->slice_bytes + y * rows->pitch;
}

CudaError cuda_origin_write_box(CudaDevice *cuda, const OriginRows *to, const void *from, const OriginRows *host,
                                const DeviceBox *box)
{
    CudaError error = CUDA_ERROR_SUCCESS;
    for (uint64_t z = 0; z < box->depth; z++)
        for (uint64_t y = 0; y < box->height && error == CUDA_ERROR_SUCCESS; y++)
            error = cuda_origin_write(cuda, row_at(to, y, z), (const char *)from + row_at(host, y, z),
                                      box->width_bytes);
    return error;
}

CudaError cuda_origin_copy_box(CudaDevice *cuda, const OriginRows *to, const OriginRows *from, const DeviceBox *box)
{
    CudaError error = CUDA_ERROR_SUCCESS;
    for (uint64_t z = 0; z < box->depth && cuda->host_origin.count > 0; z++)
        for (uint64_t y = 0; y < box->height && error == CUDA_ERROR_SUCCESS; y++)
            error = cuda_origin_copy(cuda, row_at(to, y, z), row_at(from, y, z), box->width_bytes);
    return error;
}

/* ---- what the judge asks ----------------------------------------------------------------------------------------- */

/* The part of a range that lies in [begin, end) is compared; the range itself stays. */
static CudaError compare(CudaDevice *cuda, const HostRange *range, uint64_t begin, uint64_t end, uint32_t element_bytes,
                         ContentOrigin *origin)
{
    HostRange part = *range;
    part.begin = begin > range->begin ? begin : range->begin;
    part.end = end < range->end ? end : range->end;
    part.offset += part.begin - range->begin;
    uint8_t *now = malloc(part.end - part.begin);
    if (now == NULL)
        return CUDA_ERROR_MEMORY_ALLOCATION;
    CudaError error = cuda->device.copies->read(&cuda->device, now, part.begin, part.end - part.begin, NULL);
    if (error == CUDA_ERROR_SUCCESS)
        *origin = host_origin_compare(&cuda->host_origin, &part, begin, element_bytes, now);
    free(now);
    return error;
}

CudaError cuda_origin_of(Device *device, uint64_t address, uint64_t bytes, uint32_t element_bytes,
                         ContentOrigin *origin)
{
    CudaDevice *cuda = cuda_of(device);
    const HostOrigin *known = &cuda->host_origin;
    CudaError error = cuda->sticky;
    *origin = cuda->statistics.kernels == 0 ? ORIGIN_NO_KERNEL : ORIGIN_UNKNOWN;
    for (size_t i = host_origin_find(known, address);
         i < known->count && known->ranges[i].begin < address + bytes && error == CUDA_ERROR_SUCCESS; i++) {
        ContentOrigin found = ORIGIN_UNKNOWN;
        error = compare(cuda, &known->ranges[i], address, address + bytes, element_bytes, &found);
        *origin = found > *origin ? found : *origin;
    }
    return error;
}

void cuda_origin_forget(Device *device, uint64_t address, uint64_t bytes)
{
    host_origin_forget(&cuda_of(device)->host_origin, address, bytes);
}
