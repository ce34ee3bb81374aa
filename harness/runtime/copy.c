#include "harness/runtime/copy.h"

#include "harness/runtime/managed.h"
#include "harness/runtime/registration.h"
#include "harness/runtime/turn.h"

#include <stdlib.h>
#include <string.h>

/* ==== array ======================================================================================================= */

static RuntimeArray *all_arrays;

/* ---- elements ---------------------------------------------------------------------------------------------------- */

static const struct {
    enum cudaChannelFormatKind kind;
    int bits;
    RingFormat format;
} FORMATS[] = {
    {cudaChannelFormatKindUnsigned, 8, RING_UINT8},   {cudaChannelFormatKindUnsigned, 16, RING_UINT16},
    {cudaChannelFormatKindUnsigned, 32, RING_UINT32}, {cudaChannelFormatKindSigned, 8, RING_SINT8},
    {cudaChannelFormatKindSigned, 16, RING_SINT16},   {cudaChannelFormatKindSigned, 32, RING_SINT32},
    {cudaChannelFormatKindFloat, 16, RING_FLOAT16},   {cudaChannelFormatKindFloat, 32, RING_FLOAT32},
};

/* 1, 2 or 4 if there are so many channels, all of the same number of bits; else 0. */
static uint32_t count_channels(const struct cudaChannelFormatDesc *channels)
{
    int x = channels->x, y = channels->y, z = channels->z, w = channels->w;
    if (y == 0 && z == 0 && w == 0)
        return 1;
    if (y == x && z == 0 && w == 0)
        return 2;
    return y == x && z == x && w == x ? 4 : 0;
}

cudaError_t channel_format(const struct cudaChannelFormatDesc *channels, ChannelFormat *format)
{
    uint32_t count = count_channels(channels);
    for (size_t i = 0; count > 0 && i < sizeof FORMATS / sizeof *FORMATS; i++)
        if (FORMATS[i].kind == channels->f && FORMATS[i].bits == channels->x) {
            *format = (ChannelFormat){FORMATS[i].format, count, (size_t)channels->x / 8 * count};
            return cudaSuccess;
        }
    return cudaErrorInvalidChannelDescriptor;
}

/* ---- arrays ------------------------------------------------------------------------------------------------------ */

cudaError_t array_find(cudaArray_const_t handle, const RuntimeArray **found)
{
    uint64_t id = (uint64_t)(uintptr_t)handle;
    client_lock();
    const RuntimeArray *array = all_arrays;
    while (array != NULL && array->id != id)
        array = array->next;
    client_unlock();
    *found = array;
    return array == NULL ? cudaErrorInvalidResourceHandle : cudaSuccess;
}

static cudaError_t ask_array(RuntimeArray *array, const ChannelFormat *format)
{
    RingReply reply;
    RingArray body = {.width = array->extent.width,
                      .height = array->extent.height,
                      .depth = array->extent.depth,
                      .format = format->format,
                      .channels = format->channels,
                      .flags = (array->flags & cudaArrayTextureGather ? RING_ARRAY_GATHER : 0u) |
                               (array->flags & cudaArrayLayered ? RING_ARRAY_LAYERED : 0u) |
                               (array->flags & cudaArraySurfaceLoadStore ? RING_ARRAY_SURFACE : 0u)};
    cudaError_t error = client_call_body(RING_ARRAY_NEW, &body, sizeof body, NULL, 0, &reply);
    array->id = reply.value[0];
    return error;
}

static cudaError_t array_new(cudaArray_t *handle, const struct cudaChannelFormatDesc *channels,
                             struct cudaExtent extent, unsigned flags)
{
    ChannelFormat format;
    if (handle == NULL || channels == NULL)
        return cudaErrorInvalidValue;
    cudaError_t error = channel_format(channels, &format);
    RuntimeArray *array = error == cudaSuccess ? malloc(sizeof *array) : NULL;
    if (array == NULL)
        return error != cudaSuccess ? error : cudaErrorMemoryAllocation;
    *array = (RuntimeArray){
        .channels = *channels, .extent = extent, .flags = flags, .element_bytes = format.element_bytes};
    error = ask_array(array, &format);
    if (error != cudaSuccess) {
        free(array);
        return error;
    }
    client_lock();
    array->next = all_arrays;
    all_arrays = array;
    client_unlock();
    *handle = (cudaArray_t)(uintptr_t)array->id;
    return cudaSuccess;
}

static bool has_only(unsigned flags, unsigned known)
{
    return (flags & ~known) == 0;
}

cudaError_t cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *channels, size_t width,
                            size_t height, unsigned flags)
{
    if (!has_only(flags, cudaArrayTextureGather | cudaArraySurfaceLoadStore))
        return result(cudaErrorInvalidValue); /* CUDA allows layers and faces in three dimensions alone */
    return result(array_new(array, channels, (struct cudaExtent){width, height, 0}, flags));
}

cudaError_t cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *channels,
                              struct cudaExtent extent, unsigned flags)
{
    if (!has_only(flags, cudaArrayTextureGather | cudaArraySurfaceLoadStore | cudaArrayLayered))
        return missing(flags & cudaArrayCubemap ? "cudaMalloc3DArray for cubemaps"
                                                : "cudaMalloc3DArray with these flags");
    return result(array_new(array, channels, extent, flags));
}

static cudaError_t array_free(cudaArray_t handle)
{
    uint64_t id = (uint64_t)(uintptr_t)handle;
    client_lock();
    RuntimeArray **link = &all_arrays;
    while (*link != NULL && (*link)->id != id)
        link = &(*link)->next;
    RuntimeArray *found = *link;
    if (found != NULL)
        *link = found->next;
    client_unlock();
    free(found);
    return client_call(RING_ARRAY_FREE, (RingWords){{id}}, NULL);
}

cudaError_t cudaFreeArray(cudaArray_t handle)
{
    return result(handle == NULL ? cudaSuccess : array_free(handle));
}

/* ---- mipmapped arrays -------------------------------------------------------------------------------------------- */

static size_t half_of(size_t extent)
{
    return extent <= 1 ? extent : extent / 2;
}

/* The levels down to one of a single element. */
static unsigned most_levels(struct cudaExtent extent, bool is_layered)
{
    size_t longest = extent.width > extent.height ? extent.width : extent.height;
    unsigned levels = 1;
    if (!is_layered && extent.depth > longest)
        longest = extent.depth;
    for (; longest > 1 && levels < RING_MAX_LEVELS; longest /= 2)
        levels++;
    return levels;
}

static cudaError_t free_mipmapped(struct cudaMipmappedArray *mipmapped)
{
    cudaError_t error = cudaSuccess;
    for (uint32_t i = 0; i < mipmapped->levels; i++) {
        const cudaError_t of_level = array_free(mipmapped->level[i]);
        error = error == cudaSuccess ? of_level : error;
    }
    free(mipmapped);
    return error;
}

static cudaError_t mipmapped_new(cudaMipmappedArray_t *handle, const struct cudaChannelFormatDesc *channels,
                                 struct cudaExtent extent, unsigned levels, unsigned flags)
{
    const bool is_layered = (flags & cudaArrayLayered) != 0;
    const unsigned most = most_levels(extent, is_layered);
    if (handle == NULL || levels == 0)
        return cudaErrorInvalidValue;
    struct cudaMipmappedArray *made = calloc(1, sizeof *made);
    cudaError_t error = made == NULL ? cudaErrorMemoryAllocation : cudaSuccess;
    for (; error == cudaSuccess && made->levels < levels && made->levels < most; made->levels++) {
        error = array_new(&made->level[made->levels], channels, extent, flags);
        if (error != cudaSuccess)
            break;
        extent = (struct cudaExtent){half_of(extent.width), half_of(extent.height),
                                     is_layered ? extent.depth : half_of(extent.depth)};
    }
    if (error == cudaSuccess)
        *handle = made;
    else if (made != NULL)
        (void)free_mipmapped(made);
    return error;
}

cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t *array, const struct cudaChannelFormatDesc *channels,
                                     struct cudaExtent extent, unsigned levels, unsigned flags)
{
    if (!has_only(flags, cudaArraySurfaceLoadStore | cudaArrayLayered))
        return missing("cudaMallocMipmappedArray with these flags");
    return result(mipmapped_new(array, channels, extent, levels, flags));
}

cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t *level, cudaMipmappedArray_const_t array, unsigned number)
{
    if (level == NULL || array == NULL || number >= array->levels)
        return result(cudaErrorInvalidValue);
    *level = array->level[number];
    return cudaSuccess;
}

cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t array)
{
    return result(array == NULL ? cudaSuccess : free_mipmapped(array));
}

cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *channels, struct cudaExtent *extent, unsigned *flags,
                             cudaArray_t handle)
{
    const RuntimeArray *array;
    cudaError_t error = array_find(handle, &array);
    if (error != cudaSuccess)
        return result(error);
    if (channels != NULL)
        *channels = array->channels;
    if (extent != NULL)
        *extent = array->extent;
    if (flags != NULL)
        *flags = array->flags;
    return cudaSuccess;
}

cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *channels, cudaArray_const_t handle)
{
    const RuntimeArray *array;
    cudaError_t error = channels == NULL ? cudaErrorInvalidValue : array_find(handle, &array);
    if (error == cudaSuccess)
        *channels = array->channels;
    return result(error);
}

/* ==== array place ================================================================================================= */

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
cudaError_t array_check_box(const RuntimeArray *array, const CopyPlace *place, const Box *box)
{
    return lies_within(place->x_bytes, box->width_bytes, array_row_bytes(array)) &&
                   lies_within(place->y, box->height, at_least_one(array->extent.height)) &&
                   lies_within(place->z, box->depth, at_least_one(array->extent.depth))
               ? cudaSuccess
               : cudaErrorInvalidValue;
}

cudaError_t array_place(cudaArray_const_t handle, size_t x_bytes, size_t y, size_t z, const Box *box, CopyPlace *place)
{
    const RuntimeArray *array;
    cudaError_t error = array_find(handle, &array);
    *place = (CopyPlace){.array = (uint64_t)(uintptr_t)handle, .x_bytes = x_bytes, .y = y, .z = z};
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

static cudaError_t place_of_end(const End *end, size_t element, const Box *box, CopyPlace *place)
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

cudaError_t places_of_3d(const struct cudaMemcpy3DParms *what, CopyPlace *target, CopyPlace *source, Box *box)
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

static void describe_place(const CopyPlace *place, const Box *box, cudaArray_t *array, struct cudaPitchedPtr *memory,
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

struct cudaMemcpy3DParms parameters_of_3d(const CopyPlace *target, const CopyPlace *source, const Box *box,
                                          enum cudaMemcpyKind kind)
{
    struct cudaMemcpy3DParms made = {.kind = kind};
    size_t element = 1;
    describe_place(target, box, &made.dstArray, &made.dstPtr, &made.dstPos, &element);
    describe_place(source, box, &made.srcArray, &made.srcPtr, &made.srcPos, &element);
    made.extent = (struct cudaExtent){box->width_bytes / element, box->height, box->depth};
    return made;
}

/* ==== copy ======================================================================================================== */

/* ---- what is copied where ---------------------------------------------------------------------------------------- */

cudaError_t copy_bytes(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    bool to_device = is_device_address(to), from_device = is_device_address(from);
    uint64_t to_address = (uint64_t)(uintptr_t)to, from_address = (uint64_t)(uintptr_t)from;
    if (bytes == 0)
        return cudaSuccess;
    cudaError_t error = to == NULL || from == NULL ? cudaErrorInvalidValue : check_kind(to_device, from_device, kind);
    if (error == cudaSuccess)
        error = managed_push();
    if (error != cudaSuccess)
        return error;
    if (to_device != from_device && box_may_wait(to_device ? from : to, bytes, stream))
        return box_copy(place_in_memory(to, bytes, 1), place_in_memory(from, bytes, 1), (Box){bytes, 1, 1}, kind,
                        stream);
    if (to_device && from_device)
        error = client_call(RING_COPY, (RingWords){{to_address, from_address, bytes, stream_id(stream)}}, NULL);
    else if (to_device)
        error = transfer_to_device(to_address, from, bytes, stream_id(stream), stream_copy_wait(stream));
    else if (from_device)
        error = transfer_from_device(to, from_address, bytes, stream_id(stream), stream_copy_wait(stream));
    else if ((error = turns_settle()) == cudaSuccess)
        memmove(to, from, bytes);
    return managed_refresh(to_address, error);
}

cudaError_t symbol_address(const void *symbol, size_t count, size_t offset, void **address)
{
    uint64_t start, bytes;
    cudaError_t error = variable_find(symbol, &start, &bytes);
    *address = (void *)(uintptr_t)(start + offset);
    if (error == cudaSuccess && (offset > bytes || count > bytes - offset))
        error = cudaErrorInvalidValue;
    return error;
}

cudaError_t fill_bytes(void *to, int value, size_t bytes, cudaStream_t stream)
{
    if (bytes == 0)
        return cudaSuccess;
    uint64_t address = (uint64_t)(uintptr_t)to;
    cudaError_t error = is_device_address(to) ? managed_push() : cudaErrorInvalidValue;
    if (error == cudaSuccess)
        error = client_call(RING_FILL, (RingWords){{address, (uint8_t)value, bytes, stream_id(stream)}}, NULL);
    return managed_refresh(address, error);
}

cudaError_t fill_rows_of_bytes(void *to, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream)
{
    uint64_t address = (uint64_t)(uintptr_t)to;
    RingFillRows rows = {address, pitch, (uint8_t)value, width, height, stream_id(stream)};
    if (width > pitch)
        return cudaErrorInvalidValue;
    if (width == 0 || height == 0)
        return cudaSuccess;
    cudaError_t error = is_device_address(to) ? managed_push() : cudaErrorInvalidValue;
    if (error == cudaSuccess)
        error = client_call_body(RING_FILL_ROWS, &rows, sizeof rows, NULL, 0, NULL);
    return managed_refresh(address, error);
}
