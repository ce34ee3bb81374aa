#include "harness/runtime/array_place.h"

/* ---- boxes of arrays --------------------------------------------------------------------------------------------- */

static bool lies_within(size_t first, size_t count, size_t all_of_them)
{
    return count <= all_of_them && first <= all_of_them - count;
}

size_t array_row_bytes(const RuntimeArray *array)
{
    return array->extent.width * array->element_bytes;
}

static size_t at_least_one(size_t extent)
{
    return extent == 0 ? 1 : extent;
}

/* A box that exceeds the array is refused before anything is copied. */
cudaError_t array_check_box(const RuntimeArray *array, const Place *place, const Box *box)
{
    return lies_within(place->x_bytes, box->width_bytes, array_row_bytes(array)) &&
                   lies_within(place->y, box->height, at_least_one(array->extent.height)) &&
                   lies_within(place->z, box->depth, at_least_one(array->extent.depth))
               ? cudaSuccess
               : cudaErrorInvalidValue;
}

cudaError_t array_place(cudaArray_const_t handle, size_t x_bytes, size_t y, size_t z, const Box *box, Place *place)
{
    const RuntimeArray *array;
    cudaError_t error = array_find(handle, &array);
    *place = (Place){.array = (uint64_t)(uintptr_t)handle, .x_bytes = x_bytes, .y = y, .z = z};
    return error == cudaSuccess ? array_check_box(array, place, box) : error;
}

/* ---- three dimensions -------------------------------------------------------------------------------------------- */

typedef struct End { /* one end of a cudaMemcpy3DParms */
    cudaArray_t handle;
    struct cudaPitchedPtr memory;
    struct cudaPos position;
    const RuntimeArray *array;
} End;

static cudaError_t find_end(End *end)
{
    if ((end->handle == NULL) == (end->memory.ptr == NULL))
        return cudaErrorInvalidValue;
    return end->handle == NULL ? cudaSuccess : array_find(end->handle, &end->array);
}

static cudaError_t place_of_end(const End *end, size_t element, const Box *box, Place *place)
{
    const struct cudaPos *at = &end->position;
    size_t x_bytes = at->x * element;
    const struct cudaPitchedPtr *memory = &end->memory;
    if (end->array != NULL)
        return array_place(end->handle, x_bytes, at->y, at->z, box, place);
    bool has_rows = box->height > 1 || box->depth > 1;
    if (has_rows && !lies_within(x_bytes, box->width_bytes, memory->pitch))
        return cudaErrorInvalidPitchValue;
    if (box->depth > 1 && !lies_within(at->y, box->height, memory->ysize))
        return cudaErrorInvalidValue;
    *place = place_behind(place_in_memory(memory->ptr, memory->pitch, memory->ysize), x_bytes, at->y, at->z);
    return cudaSuccess;
}

/* The width and both x count elements if an end is an array, else bytes: so does CUDA 13.0 on an H200, where its manual
 * says that x counts bytes in memory. Elements of two arrays must have the same size. */
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
        error = place_of_end(&to, element, box, target);
    return error == cudaSuccess ? place_of_end(&from, element, box, source) : error;
}

static void describe_place(const Place *place, const Box *box, cudaArray_t *array, struct cudaPitchedPtr *memory,
                           struct cudaPos *position, size_t *element)
{
    const RuntimeArray *found;
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
