#include "harness/runtime/array_place.h"
#include "harness/runtime/call/copy_call.h"
#include "harness/runtime/stream.h"

/* ---- boxes of arrays --------------------------------------------------------------------------------------------- */

static cudaError_t copy_to_array(cudaArray_t to, size_t x_bytes, size_t y, const void *from, size_t pitch, Box box,
                                 enum cudaMemcpyKind kind, cudaStream_t stream)
{
    Place target;
    cudaError_t error = pitch < box.width_bytes ? cudaErrorInvalidPitchValue
                                                : array_place(to, x_bytes, y, 0, &box, &target);
    return error == cudaSuccess ? copy_box(target, place_in_memory(from, pitch, box.height), box, kind, stream) : error;
}

static cudaError_t copy_from_array(void *to, size_t pitch, cudaArray_const_t from, size_t x_bytes, size_t y, Box box,
                                   enum cudaMemcpyKind kind, cudaStream_t stream)
{
    Place source;
    cudaError_t error = pitch < box.width_bytes ? cudaErrorInvalidPitchValue
                                                : array_place(from, x_bytes, y, 0, &box, &source);
    return error == cudaSuccess ? copy_box(place_in_memory(to, pitch, box.height), source, box, kind, stream) : error;
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x_bytes, size_t y, const void *from, size_t pitch, size_t width,
                                size_t height, enum cudaMemcpyKind kind)
{
    return result(copy_to_array(to, x_bytes, y, from, pitch, (Box){width, height, 1}, kind, HOST_WAITS));
}

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x_bytes, size_t y, const void *from, size_t pitch,
                                     size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return result(copy_to_array(to, x_bytes, y, from, pitch, (Box){width, height, 1}, kind, stream));
}

cudaError_t cudaMemcpy2DFromArray(void *to, size_t pitch, cudaArray_const_t from, size_t x_bytes, size_t y,
                                  size_t width, size_t height, enum cudaMemcpyKind kind)
{
    return result(copy_from_array(to, pitch, from, x_bytes, y, (Box){width, height, 1}, kind, HOST_WAITS));
}

cudaError_t cudaMemcpy2DFromArrayAsync(void *to, size_t pitch, cudaArray_const_t from, size_t x_bytes, size_t y,
                                       size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return result(copy_from_array(to, pitch, from, x_bytes, y, (Box){width, height, 1}, kind, stream));
}

cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, size_t to_x_bytes, size_t to_y, cudaArray_const_t from,
                                     size_t from_x_bytes, size_t from_y, size_t width, size_t height,
                                     enum cudaMemcpyKind kind)
{
    Box box = {width, height, 1};
    Place target, source = {0};
    cudaError_t error = array_place(to, to_x_bytes, to_y, 0, &box, &target);
    if (error == cudaSuccess)
        error = array_place(from, from_x_bytes, from_y, 0, &box, &source);
    return result(error == cudaSuccess ? copy_box(target, source, box, kind, HOST_WAITS) : error);
}

/* ---- a run of bytes, row after row ------------------------------------------------------------------------------- */

typedef struct ByteRun {       /* one end of the copy: an array, or memory without rows */
    const RuntimeArray *array; /* NULL: memory */
    Place place;
} ByteRun;

static cudaError_t run_in_array(cudaArray_const_t handle, size_t x_bytes, size_t y, ByteRun *run)
{
    *run = (ByteRun){.place = {.array = (uint64_t)(uintptr_t)handle, .x_bytes = x_bytes, .y = y}};
    cudaError_t error = array_find(handle, &run->array);
    if (error == cudaSuccess && (x_bytes >= array_row_bytes(run->array) ||
                                 y >= (run->array->extent.height == 0 ? 1 : run->array->extent.height)))
        error = cudaErrorInvalidValue;
    return error;
}

/* The number of bytes, at most `count`, up to the end of the row. */
static size_t left_in_row(const ByteRun *run, size_t count)
{
    size_t left = run->array == NULL ? count : array_row_bytes(run->array) - run->place.x_bytes;
    return left < count ? left : count;
}

static bool is_whole_row(const ByteRun *run, size_t bytes)
{
    return run->array == NULL || (run->place.x_bytes == 0 && array_row_bytes(run->array) == bytes);
}

static void skip(ByteRun *run, const Box *box)
{
    if (run->array == NULL) {
        run->place = place_behind(run->place, box->width_bytes * box->height, 0, 0);
        return;
    }
    run->place.x_bytes += box->width_bytes;
    run->place.y += box->height - 1;
    if (run->place.x_bytes == array_row_bytes(run->array)) {
        run->place.x_bytes = 0;
        run->place.y++;
    }
}

static cudaError_t copy_run(ByteRun to, ByteRun from, size_t count, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    cudaError_t error = cudaSuccess;
    while (count > 0 && error == cudaSuccess) {
        size_t width = left_in_row(&to, left_in_row(&from, count));
        size_t height = is_whole_row(&to, width) && is_whole_row(&from, width) ? count / width : 1;
        Box box = {width, height, 1};
        to.place.pitch = from.place.pitch = width; /* only the end in memory uses it */
        error = to.array == NULL ? cudaSuccess : array_check_box(to.array, &to.place, &box);
        if (error == cudaSuccess && from.array != NULL)
            error = array_check_box(from.array, &from.place, &box);
        if (error == cudaSuccess)
            error = copy_box(to.place, from.place, box, kind, stream);
        skip(&to, &box);
        skip(&from, &box);
        count -= width * height;
    }
    return error;
}

static cudaError_t copy_run_to_array(cudaArray_t to, size_t x_bytes, size_t y, const void *from, size_t count,
                                     enum cudaMemcpyKind kind, cudaStream_t stream)
{
    ByteRun target;
    cudaError_t error = run_in_array(to, x_bytes, y, &target);
    return error == cudaSuccess ? copy_run(target, (ByteRun){.place = place_in_memory(from, 0, 1)}, count, kind, stream)
                                : error;
}

static cudaError_t copy_run_from_array(void *to, cudaArray_const_t from, size_t x_bytes, size_t y, size_t count,
                                       enum cudaMemcpyKind kind, cudaStream_t stream)
{
    ByteRun source;
    cudaError_t error = run_in_array(from, x_bytes, y, &source);
    return error == cudaSuccess ? copy_run((ByteRun){.place = place_in_memory(to, 0, 1)}, source, count, kind, stream)
                                : error;
}

cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x_bytes, size_t y, const void *from, size_t count,
                              enum cudaMemcpyKind kind)
{
    return result(copy_run_to_array(to, x_bytes, y, from, count, kind, HOST_WAITS));
}

cudaError_t cudaMemcpyToArrayAsync(cudaArray_t to, size_t x_bytes, size_t y, const void *from, size_t count,
                                   enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return result(copy_run_to_array(to, x_bytes, y, from, count, kind, stream));
}

cudaError_t cudaMemcpyFromArray(void *to, cudaArray_const_t from, size_t x_bytes, size_t y, size_t count,
                                enum cudaMemcpyKind kind)
{
    return result(copy_run_from_array(to, from, x_bytes, y, count, kind, HOST_WAITS));
}

cudaError_t cudaMemcpyFromArrayAsync(void *to, cudaArray_const_t from, size_t x_bytes, size_t y, size_t count,
                                     enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return result(copy_run_from_array(to, from, x_bytes, y, count, kind, stream));
}

cudaError_t cudaMemcpyArrayToArray(cudaArray_t to, size_t to_x_bytes, size_t to_y, cudaArray_const_t from,
                                   size_t from_x_bytes, size_t from_y, size_t count, enum cudaMemcpyKind kind)
{
    ByteRun target, source = {0};
    cudaError_t error = run_in_array(to, to_x_bytes, to_y, &target);
    if (error == cudaSuccess)
        error = run_in_array(from, from_x_bytes, from_y, &source);
    return result(error == cudaSuccess ? copy_run(target, source, count, kind, HOST_WAITS) : error);
}

/* ---- three dimensions -------------------------------------------------------------------------------------------- */

static cudaError_t copy_3d(const struct cudaMemcpy3DParms *what, cudaStream_t stream)
{
    Place target, source;
    Box box;
    cudaError_t error = places_of_3d(what, &target, &source, &box);
    return error == cudaSuccess ? copy_box(target, source, box, what->kind, stream) : error;
}

cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *what)
{
    return result(copy_3d(what, HOST_WAITS));
}

cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *what, cudaStream_t stream)
{
    return result(copy_3d(what, stream));
}
