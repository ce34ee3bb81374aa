#include "harness/runtime/array.h"
#include "harness/runtime/box.h"

/* ---- boxes of arrays --------------------------------------------------------------------------------------------- */

static bool lies_within(size_t first, size_t count, size_t all_of_them)
{
    return count <= all_of_them && first <= all_of_them - count;
}

static size_t row_bytes(const Array *array)
{
    return array->extent.width * array->element_bytes;
}

static size_t at_least_one(size_t extent)
{
    return extent == 0 ? 1 : extent;
}

/* A box that exceeds the array is refused before anything is copied. */
static cudaError_t check_extents(const Array *array, const Place *place, const Box *box)
{
    return lies_within(place->x_bytes, box->width_bytes, row_bytes(array)) &&
                   lies_within(place->y, box->height, at_least_one(array->extent.height)) &&
                   lies_within(place->z, box->depth, at_least_one(array->extent.depth))
               ? cudaSuccess
               : cudaErrorInvalidValue;
}

static cudaError_t place_in_array(cudaArray_const_t handle, size_t x_bytes, size_t y, size_t z, const Box *box,
                                  Place *place)
{
    const Array *array;
    cudaError_t error = array_find(handle, &array);
    *place = (Place){.array = (uint64_t)(uintptr_t)handle, .x_bytes = x_bytes, .y = y, .z = z};
    return error == cudaSuccess ? check_extents(array, place, box) : error;
}

static cudaError_t copy_to_array(cudaArray_t to, size_t x_bytes, size_t y, const void *from, size_t pitch, Box box,
                                 enum cudaMemcpyKind kind, cudaStream_t stream)
{
    Place target;
    cudaError_t error = pitch < box.width_bytes ? cudaErrorInvalidPitchValue
                                                : place_in_array(to, x_bytes, y, 0, &box, &target);
    return error == cudaSuccess ? copy_box(target, place_in_memory(from, pitch, box.height), box, kind, stream) : error;
}

static cudaError_t copy_from_array(void *to, size_t pitch, cudaArray_const_t from, size_t x_bytes, size_t y, Box box,
                                   enum cudaMemcpyKind kind, cudaStream_t stream)
{
    Place source;
    cudaError_t error = pitch < box.width_bytes ? cudaErrorInvalidPitchValue
                                                : place_in_array(from, x_bytes, y, 0, &box, &source);
    return error == cudaSuccess ? copy_box(place_in_memory(to, pitch, box.height), source, box, kind, stream) : error;
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x_bytes, size_t y, const void *from, size_t pitch, size_t width,
                                size_t height, enum cudaMemcpyKind kind)
{
    return result(copy_to_array(to, x_bytes, y, from, pitch, (Box){width, height, 1}, kind, NULL));
}

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x_bytes, size_t y, const void *from, size_t pitch,
                                     size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return result(copy_to_array(to, x_bytes, y, from, pitch, (Box){width, height, 1}, kind, stream));
}

cudaError_t cudaMemcpy2DFromArray(void *to, size_t pitch, cudaArray_const_t from, size_t x_bytes, size_t y,
                                  size_t width, size_t height, enum cudaMemcpyKind kind)
{
    return result(copy_from_array(to, pitch, from, x_bytes, y, (Box){width, height, 1}, kind, NULL));
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
    cudaError_t error = place_in_array(to, to_x_bytes, to_y, 0, &box, &target);
    if (error == cudaSuccess)
        error = place_in_array(from, from_x_bytes, from_y, 0, &box, &source);
    return result(error == cudaSuccess ? copy_box(target, source, box, kind, NULL) : error);
}

/* ---- a run of bytes, row after row ------------------------------------------------------------------------------- */

typedef struct Run {    /* one end of the copy: an array, or memory without rows */
    const Array *array; /* NULL: memory */
    Place place;
} Run;

static cudaError_t run_in_array(cudaArray_const_t handle, size_t x_bytes, size_t y, Run *run)
{
    *run = (Run){.place = {.array = (uint64_t)(uintptr_t)handle, .x_bytes = x_bytes, .y = y}};
    cudaError_t error = array_find(handle, &run->array);
    if (error == cudaSuccess && (x_bytes >= row_bytes(run->array) || y >= at_least_one(run->array->extent.height)))
        error = cudaErrorInvalidValue;
    return error;
}

/* The number of bytes, at most `count`, up to the end of the row. */
static size_t left_in_row(const Run *run, size_t count)
{
    size_t left = run->array == NULL ? count : row_bytes(run->array) - run->place.x_bytes;
    return left < count ? left : count;
}

static bool is_whole_row(const Run *run, size_t bytes)
{
    return run->array == NULL || (run->place.x_bytes == 0 && row_bytes(run->array) == bytes);
}

static void skip(Run *run, const Box *box)
{
    if (run->array == NULL) {
        run->place = place_behind(run->place, box->width_bytes * box->height, 0, 0);
        return;
    }
    run->place.x_bytes += box->width_bytes;
    run->place.y += box->height - 1;
    if (run->place.x_bytes == row_bytes(run->array)) {
        run->place.x_bytes = 0;
        run->place.y++;
    }
}

static cudaError_t copy_run(Run to, Run from, size_t count, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    cudaError_t error = cudaSuccess;
    while (count > 0 && error == cudaSuccess) {
        size_t width = left_in_row(&to, left_in_row(&from, count));
        size_t height = is_whole_row(&to, width) && is_whole_row(&from, width) ? count / width : 1;
        Box box = {width, height, 1};
        to.place.pitch = from.place.pitch = width; /* only the end in memory uses it */
        error = to.array == NULL ? cudaSuccess : check_extents(to.array, &to.place, &box);
        if (error == cudaSuccess && from.array != NULL)
            error = check_extents(from.array, &from.place, &box);
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
    Run target;
    cudaError_t error = run_in_array(to, x_bytes, y, &target);
    return error == cudaSuccess ? copy_run(target, (Run){.place = place_in_memory(from, 0, 1)}, count, kind, stream)
                                : error;
}

static cudaError_t copy_run_from_array(void *to, cudaArray_const_t from, size_t x_bytes, size_t y, size_t count,
                                       enum cudaMemcpyKind kind, cudaStream_t stream)
{
    Run source;
    cudaError_t error = run_in_array(from, x_bytes, y, &source);
    return error == cudaSuccess ? copy_run((Run){.place = place_in_memory(to, 0, 1)}, source, count, kind, stream)
                                : error;
}

cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x_bytes, size_t y, const void *from, size_t count,
                              enum cudaMemcpyKind kind)
{
    return result(copy_run_to_array(to, x_bytes, y, from, count, kind, NULL));
}

cudaError_t cudaMemcpyToArrayAsync(cudaArray_t to, size_t x_bytes, size_t y, const void *from, size_t count,
                                   enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return result(copy_run_to_array(to, x_bytes, y, from, count, kind, stream));
}

cudaError_t cudaMemcpyFromArray(void *to, cudaArray_const_t from, size_t x_bytes, size_t y, size_t count,
                                enum cudaMemcpyKind kind)
{
    return result(copy_run_from_array(to, from, x_bytes, y, count, kind, NULL));
}

cudaError_t cudaMemcpyFromArrayAsync(void *to, cudaArray_const_t from, size_t x_bytes, size_t y, size_t count,
                                     enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return result(copy_run_from_array(to, from, x_bytes, y, count, kind, stream));
}

cudaError_t cudaMemcpyArrayToArray(cudaArray_t to, size_t to_x_bytes, size_t to_y, cudaArray_const_t from,
                                   size_t from_x_bytes, size_t from_y, size_t count, enum cudaMemcpyKind kind)
{
    Run target, source = {0};
    cudaError_t error = run_in_array(to, to_x_bytes, to_y, &target);
    if (error == cudaSuccess)
        error = run_in_array(from, from_x_bytes, from_y, &source);
    return result(error == cudaSuccess ? copy_run(target, source, count, kind, NULL) : error);
}

/* ---- three dimensions -------------------------------------------------------------------------------------------- */

typedef struct End { /* one end of a cudaMemcpy3DParms */
    cudaArray_t handle;
    struct cudaPitchedPtr memory;
    struct cudaPos position; /* x counts elements in an array, bytes in memory */
    const Array *array;
} End;

static cudaError_t find_end(End *end)
{
    if ((end->handle == NULL) == (end->memory.ptr == NULL))
        return cudaErrorInvalidValue;
    return end->handle == NULL ? cudaSuccess : array_find(end->handle, &end->array);
}

static cudaError_t place_of_end(const End *end, const Box *box, Place *place)
{
    const struct cudaPos *at = &end->position;
    const struct cudaPitchedPtr *memory = &end->memory;
    if (end->array != NULL)
        return place_in_array(end->handle, at->x * end->array->element_bytes, at->y, at->z, box, place);
    bool has_rows = box->height > 1 || box->depth > 1;
    if (has_rows && !lies_within(at->x, box->width_bytes, memory->pitch))
        return cudaErrorInvalidPitchValue;
    if (box->depth > 1 && !lies_within(at->y, box->height, memory->ysize))
        return cudaErrorInvalidValue;
    *place = place_behind(place_in_memory(memory->ptr, memory->pitch, memory->ysize), at->x, at->y, at->z);
    return cudaSuccess;
}

/* The width counts elements if an end is an array, else bytes. Elements of two arrays must have the same size. */
static cudaError_t element_of(const End *to, const End *from, size_t *bytes)
{
    *bytes = to->array != NULL ? to->array->element_bytes : from->array != NULL ? from->array->element_bytes : 1;
    bool agree = to->array == NULL || from->array == NULL || to->array->element_bytes == from->array->element_bytes;
    return agree ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t places_of_3d(const struct cudaMemcpy3DParms *what, Place *target, Place *source, Box *box)
{
    size_t element = 1;
    if (what == NULL)
        return cudaErrorInvalidValue;
    End to = {.handle = what->dstArray, .memory = what->dstPtr, .position = what->dstPos};
    End from = {.handle = what->srcArray, .memory = what->srcPtr, .position = what->srcPos};
    cudaError_t error = find_end(&to);
    if (error == cudaSuccess)
        error = find_end(&from);
    if (error == cudaSuccess)
        error = element_of(&to, &from, &element);
    *box = (Box){what->extent.width * element, what->extent.height, what->extent.depth};
    if (error == cudaSuccess)
        error = place_of_end(&to, box, target);
    return error == cudaSuccess ? place_of_end(&from, box, source) : error;
}

static void describe_place(const Place *place, const Box *box, cudaArray_t *array, struct cudaPitchedPtr *memory,
                           struct cudaPos *position, size_t *element)
{
    const Array *found;
    if (place->pointer != NULL) {
        *memory = (struct cudaPitchedPtr){place->pointer, place->pitch, box->width_bytes, place->slice_rows};
        return;
    }
    *array = (cudaArray_t)(uintptr_t)place->array;
    *element = array_find(*array, &found) == cudaSuccess ? found->element_bytes : 1;
    *position = (struct cudaPos){place->x_bytes / *element, place->y, place->z};
}

struct cudaMemcpy3DParms parameters_of_3d(const Place *target, const Place *source, const Box *box,
                                          enum cudaMemcpyKind kind)
{
    struct cudaMemcpy3DParms made = {.kind = kind};
    size_t element = 1;
    describe_place(target, box, &made.dstArray, &made.dstPtr, &made.dstPos, &element);
    describe_place(source, box, &made.srcArray, &made.srcPtr, &made.srcPos, &element);
    made.extent = (struct cudaExtent){box->width_bytes / element, box->height, box->depth};
    return made;
}

static cudaError_t copy_3d(const struct cudaMemcpy3DParms *what, cudaStream_t stream)
{
    Place target, source;
    Box box;
    cudaError_t error = places_of_3d(what, &target, &source, &box);
    return error == cudaSuccess ? copy_box(target, source, box, what->kind, stream) : error;
}

cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *what)
{
    return result(copy_3d(what, NULL));
}

cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *what, cudaStream_t stream)
{
    return result(copy_3d(what, stream));
}
