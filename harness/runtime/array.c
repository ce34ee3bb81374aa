#include "harness/runtime/array.h"

#include <stdlib.h>

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

cudaError_t cudaFreeArray(cudaArray_t handle)
{
    uint64_t id = (uint64_t)(uintptr_t)handle;
    if (handle == NULL)
        return cudaSuccess;
    client_lock();
    RuntimeArray **link = &all_arrays;
    while (*link != NULL && (*link)->id != id)
        link = &(*link)->next;
    RuntimeArray *found = *link;
    if (found != NULL)
        *link = found->next;
    client_unlock();
    free(found);
    return result(client_call(RING_ARRAY_FREE, (RingWords){{id}}, NULL));
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
