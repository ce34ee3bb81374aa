#include "tests/fake/cuda.h"

#include <string.h>
#include <wchar.h>

enum { STAGED_BYTES = 64 << 10 }; /* copies of pageable memory up to this size return before they end */

static bool run_copy(Operation *operation)
{
    memmove(at(operation->to), at(operation->from), operation->count);
    return true;
}

static bool run_staged_copy(Operation *operation)
{
    memcpy(at(operation->to), operation->staged, operation->count);
    return true;
}

CudaError cuMemcpyHtoDAsync(CuAddress to, const void *from, size_t bytes, CuStream stream)
{
    ENTER("cuMemcpyHtoDAsync %zu stream=%d", bytes, number_of(stream));
    Operation operation = {
        .call = "cuMemcpyHtoDAsync", .run = run_copy, .to = to, .from = (uint64_t)from, .count = bytes};
    if (!is_on_device(to, bytes))
        return leave(CUDA_ERROR_INVALID_VALUE);
    if (is_pinned(from, bytes))
        return leave(append(stream, &operation, NULL, 0));
    if (bytes > STAGED_BYTES)
        return leave(append_and_wait(stream, &operation));
    operation.run = run_staged_copy;
    return leave(append(stream, &operation, from, bytes));
}

CudaError cuMemcpyDtoHAsync(void *to, CuAddress from, size_t bytes, CuStream stream)
{
    ENTER("cuMemcpyDtoHAsync %zu stream=%d", bytes, number_of(stream));
    Operation operation = {
        .call = "cuMemcpyDtoHAsync", .run = run_copy, .to = (uint64_t)to, .from = from, .count = bytes};
    if (!is_on_device(from, bytes))
        return leave(CUDA_ERROR_INVALID_VALUE);
    return leave(is_pinned(to, bytes) ? append(stream, &operation, NULL, 0) : append_and_wait(stream, &operation));
}

CudaError cuMemcpyDtoDAsync(CuAddress to, CuAddress from, size_t bytes, CuStream stream)
{
    ENTER("cuMemcpyDtoDAsync %zu stream=%d", bytes, number_of(stream));
    Operation operation = {.call = "cuMemcpyDtoDAsync", .run = run_copy, .to = to, .from = from, .count = bytes};
    if (!is_reachable(to, bytes) || !is_reachable(from, bytes))
        return leave(CUDA_ERROR_INVALID_VALUE);
    return leave(append(stream, &operation, NULL, 0));
}

static bool run_fill(Operation *operation)
{
    void *place = at(operation->to);
    if (operation->width == 1)
        memset(place, (int)operation->value, operation->count);
    if (operation->width == 4) /* a loop takes most of the time of tests with sanitizers */
        wmemset(place, (wchar_t)operation->value, operation->count);
    return true;
}

static CudaError fill(const char *call, CuAddress to, uint64_t value, int width, size_t count, CuStream stream)
{
    Operation operation = {.call = call, .run = run_fill, .to = to, .value = value, .width = width, .count = count};
    if (to % (uint64_t)width != 0 || count > MEMORY_BYTES || !is_on_device(to, count * (size_t)width))
        return CUDA_ERROR_INVALID_VALUE;
    return append(stream, &operation, NULL, 0);
}

CudaError cuMemsetD8Async(CuAddress to, unsigned char value, size_t count, CuStream stream)
{
    ENTER("cuMemsetD8Async %zu stream=%d", count, number_of(stream));
    return leave(fill("cuMemsetD8Async", to, value, 1, count, stream));
}

CudaError cuMemsetD32Async(CuAddress to, unsigned value, size_t count, CuStream stream)
{
    ENTER("cuMemsetD32Async %zu stream=%d", count, number_of(stream));
    return leave(fill("cuMemsetD32Async", to, value, 4, count, stream));
}

static bool run_fill_rows(Operation *operation)
{
    const CuCopy3D *rows = &operation->copy;
    for (size_t y = 0; y < rows->height; y++)
        memset(at(operation->to + y * rows->target_pitch), (int)operation->value, rows->width_bytes);
    return true;
}

CudaError cuMemsetD2D8Async(CuAddress to, size_t pitch, unsigned char value, size_t width, size_t height,
                            CuStream stream)
{
    ENTER("cuMemsetD2D8Async %zu x %zu stream=%d", width, height, number_of(stream));
    Operation operation = {.call = "cuMemsetD2D8Async",
                           .run = run_fill_rows,
                           .to = to,
                           .value = value,
                           .copy = {.target_pitch = pitch, .width_bytes = width, .height = height}};
    if (width == 0 || height == 0)
        return leave(CUDA_ERROR_SUCCESS);
    if (pitch < width || !is_on_device(to, (height - 1) * pitch + width))
        return leave(CUDA_ERROR_INVALID_VALUE);
    return leave(append(stream, &operation, NULL, 0));
}

/* Where a row of one side of a three-dimensional copy begins. */
typedef struct Side {
    uint8_t *origin;
    size_t pitch, height;
} Side;

static Side side_of(int type, const void *host, CuAddress device, CuArray array, size_t pitch, size_t height,
                    const size_t corner[3])
{
    Side side = {at(type == CU_MEMORY_HOST ? (uint64_t)host : device), pitch, height};
    if (type == CU_MEMORY_ARRAY)
        side = (Side){array->elements, array->width_bytes, array->height};
    side.origin += (corner[2] * side.height + corner[1]) * side.pitch + corner[0];
    return side;
}

static Side source_of(const CuCopy3D *copy)
{
    return side_of(copy->source_type, copy->source_host, copy->source_device, copy->source_array, copy->source_pitch,
                   copy->source_height, (size_t[]){copy->source_x_bytes, copy->source_y, copy->source_z});
}

static Side target_of(const CuCopy3D *copy)
{
    return side_of(copy->target_type, copy->target_host, copy->target_device, copy->target_array, copy->target_pitch,
                   copy->target_height, (size_t[]){copy->target_x_bytes, copy->target_y, copy->target_z});
}

static bool run_copy_3d(Operation *operation)
{
    const CuCopy3D *copy = &operation->copy;
    Side from = source_of(copy), to = target_of(copy);
    for (size_t z = 0; z < copy->depth; z++)
        for (size_t y = 0; y < copy->height; y++)
            memmove(to.origin + (z * to.height + y) * to.pitch, from.origin + (z * from.height + y) * from.pitch,
                    copy->width_bytes);
    return true;
}

static size_t extent_of(const CuCopy3D *copy, Side side)
{
    return ((copy->depth - 1) * side.height + copy->height - 1) * side.pitch + copy->width_bytes;
}

static bool fits(int type, const CuCopy3D *copy, Side side, const struct CUarray_st *array, const size_t corner[3])
{
    if (type == CU_MEMORY_DEVICE)
        return is_on_device((uint64_t)side.origin, extent_of(copy, side));
    return type == CU_MEMORY_HOST ||
           (corner[0] + copy->width_bytes <= array->width_bytes && corner[1] + copy->height <= array->height &&
            corner[2] + copy->depth <= array->depth);
}

CudaError cuMemcpy3DAsync(const CuCopy3D *copy, CuStream stream)
{
    ENTER("cuMemcpy3DAsync stream=%d", number_of(stream));
    Operation operation = {.call = "cuMemcpy3DAsync", .run = run_copy_3d, .copy = *copy};
    if (copy->width_bytes == 0 || copy->height == 0 || copy->depth == 0)
        return leave(CUDA_ERROR_SUCCESS);
    Side from = source_of(copy), to = target_of(copy);
    if (!fits(copy->source_type, copy, from, copy->source_array,
              (size_t[]){copy->source_x_bytes, copy->source_y, copy->source_z}) ||
        !fits(copy->target_type, copy, to, copy->target_array,
              (size_t[]){copy->target_x_bytes, copy->target_y, copy->target_z}))
        return leave(CUDA_ERROR_INVALID_VALUE);
    bool pageable = (copy->source_type == CU_MEMORY_HOST && !is_pinned(from.origin, extent_of(copy, from))) ||
                    (copy->target_type == CU_MEMORY_HOST && !is_pinned(to.origin, extent_of(copy, to)));
    return leave(pageable ? append_and_wait(stream, &operation) : append(stream, &operation, NULL, 0));
}
