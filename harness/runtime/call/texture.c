#include "harness/runtime/box.h"
#include "harness/runtime/client.h"
#include "harness/runtime/copy.h"

#include <stdlib.h>
#include <string.h>

/* A cudaTextureObject_t or cudaSurfaceObject_t is the device's number of the object: kernels receive it as it is. The
 * descriptions that it was created with are kept here, for the calls that return them. */
typedef struct Object {
    uint64_t number;
    struct cudaResourceDesc resource;
    struct cudaTextureDesc description; /* of a texture */
    struct Object *next;
} Object;

static Object *all_textures, *all_surfaces;

static void object_add(Object **all, Object *object)
{
    client_lock();
    object->next = *all;
    *all = object;
    client_unlock();
}

static void object_forget(Object **all, uint64_t number)
{
    client_lock();
    Object **link = all;
    while (*link != NULL && (*link)->number != number)
        link = &(*link)->next;
    Object *found = *link;
    if (found != NULL)
        *link = found->next;
    client_unlock();
    free(found);
}

static const Object *object_find(Object *const *all, uint64_t number)
{
    client_lock();
    const Object *object = *all;
    while (object != NULL && object->number != number)
        object = object->next;
    client_unlock();
    return object;
}

static cudaError_t tell_resource(Object *const *all, uint64_t number, struct cudaResourceDesc *resource)
{
    const Object *object = object_find(all, number);
    if (resource == NULL || object == NULL)
        return cudaErrorInvalidValue;
    FILL_STRUCT(resource, &object->resource, 64, 64);
    return cudaSuccess;
}

/* ---- what is asked for ------------------------------------------------------------------------------------------- */

static cudaError_t fill_memory(const void *memory, const struct cudaChannelFormatDesc *channels, RingTexture *body)
{
    ChannelFormat format;
    if (!is_device_address(memory))
        return cudaErrorInvalidValue;
    cudaError_t error = channel_format(channels, &format);
    if (error == cudaSuccess) {
        body->address = (uint64_t)(uintptr_t)memory;
        body->format = format.format;
        body->channels = format.channels;
    }
    return error;
}

/* "Flags (must be zero)", says driver_types.h of CUDA 13. Before, the struct had none. */
static bool has_flags(const struct cudaResourceDesc *resource)
{
    return !compiled_before_13() && resource->flags != 0;
}

/* CUDA reads a mipmapped array by fractions of its extents alone (CUDA Runtime API, cudaCreateTextureObject). */
static cudaError_t fill_levels(const struct cudaMipmappedArray *mipmapped, RingTexture *body)
{
    const RuntimeArray *array;
    cudaError_t error = mipmapped == NULL || body->normalized == 0 ? cudaErrorInvalidValue : cudaSuccess;
    for (uint32_t i = 0; error == cudaSuccess && i < mipmapped->levels; i++) {
        error = array_find(mipmapped->level[i], &array);
        body->level[i] = error == cudaSuccess ? array->id : 0;
        body->levels = i + 1;
    }
    body->array = body->level[0];
    return error;
}

static cudaError_t fill_resource(const struct cudaResourceDesc *resource, RingTexture *body)
{
    const RuntimeArray *array;
    cudaError_t error;
    if (has_flags(resource))
        return cudaErrorInvalidValue;
    switch (resource->resType) {
    case cudaResourceTypeArray:
        error = array_find(resource->res.array.array, &array);
        if (error == cudaSuccess)
            body->array = array->id;
        return error;
    case cudaResourceTypeMipmappedArray: return fill_levels(resource->res.mipmap.mipmap, body);
    case cudaResourceTypeLinear:
        body->bytes = resource->res.linear.sizeInBytes;
        return body->bytes == 0 ? cudaErrorInvalidValue
                                : fill_memory(resource->res.linear.devPtr, &resource->res.linear.desc, body);
    case cudaResourceTypePitch2D:
        body->width = resource->res.pitch2D.width;
        body->height = resource->res.pitch2D.height;
        body->pitch = resource->res.pitch2D.pitchInBytes;
        return fill_memory(resource->res.pitch2D.devPtr, &resource->res.pitch2D.desc, body);
    default: return cudaErrorInvalidValue;
    }
}

static void fill_description(const struct cudaTextureDesc *description, RingTexture *body)
{
    for (int i = 0; i < 3; i++)
        body->address_mode[i] = description->addressMode[i];
    body->filter_mode = description->filterMode;
    body->as_integer = description->readMode == cudaReadModeElementType;
    body->normalized = description->normalizedCoords != 0;
    body->srgb = description->sRGB != 0;
    body->max_anisotropy = description->maxAnisotropy;
    memcpy(body->border, description->borderColor, sizeof body->border);
    body->level_filter = description->mipmapFilterMode;
    body->level_bias = description->mipmapLevelBias;
    body->least_level = description->minMipmapLevelClamp;
    body->most_level = description->maxMipmapLevelClamp;
}

/* ---- textures ---------------------------------------------------------------------------------------------------- */

static cudaError_t ask_texture(Object *texture)
{
    RingTexture body = {0};
    RingReply reply;
    fill_description(&texture->description, &body);
    cudaError_t error = fill_resource(&texture->resource, &body);
    if (error == cudaSuccess)
        error = client_call_body(RING_TEXTURE_NEW, &body, sizeof body, NULL, 0, &reply);
    if (error == cudaSuccess)
        texture->number = reply.value[0];
    return error;
}

static cudaError_t texture_new(cudaTextureObject_t *number, const struct cudaResourceDesc *resource,
                               const struct cudaTextureDesc *description)
{
    if (number == NULL || resource == NULL || description == NULL)
        return cudaErrorInvalidValue;
    Object *texture = malloc(sizeof *texture);
    if (texture == NULL)
        return cudaErrorMemoryAllocation;
    *texture = (Object){.resource = *resource, .description = *description};
    cudaError_t error = ask_texture(texture);
    if (error != cudaSuccess) {
        free(texture);
        return error;
    }
    object_add(&all_textures, texture);
    *number = texture->number;
    return cudaSuccess;
}

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *texture, const struct cudaResourceDesc *resource,
                                    const struct cudaTextureDesc *description, const struct cudaResourceViewDesc *view)
{
    if (view != NULL)
        return missing("cudaCreateTextureObject with a resource view");
    return result(texture_new(texture, resource, description));
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t number)
{
    object_forget(&all_textures, number);
    return result(client_call(RING_TEXTURE_FREE, (RingWords){{number}}, NULL));
}

cudaError_t cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *resource, cudaTextureObject_t number)
{
    return result(tell_resource(&all_textures, number, resource));
}

cudaError_t cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *description, cudaTextureObject_t number)
{
    const Object *texture = object_find(&all_textures, number);
    if (description == NULL || texture == NULL)
        return result(cudaErrorInvalidValue);
    FILL_STRUCT(description, &texture->description, 68, sizeof texture->description);
    return cudaSuccess;
}

/* The limit of all devices since compute capability 6.0 (CUDA C++ Programming Guide 13.0, "Technical Specifications per
 * Compute Capability"). */
cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(size_t *elements, const struct cudaChannelFormatDesc *channels,
                                                 int device)
{
    ChannelFormat format;
    if (device != 0)
        return result(cudaErrorInvalidDevice);
    bool asks = elements != NULL && channels != NULL;
    cudaError_t error = asks ? channel_format(channels, &format) : cudaErrorInvalidValue;
    if (error == cudaSuccess)
        *elements = (size_t)1 << 28;
    return result(error);
}

/* ---- surfaces ---------------------------------------------------------------------------------------------------- */

static cudaError_t ask_surface(Object *surface)
{
    const RuntimeArray *array;
    RingReply reply;
    cudaError_t error = array_find(surface->resource.res.array.array, &array);
    if (error == cudaSuccess)
        error = client_call(RING_SURFACE_NEW, (RingWords){{array->id}}, &reply);
    if (error == cudaSuccess)
        surface->number = reply.value[0];
    return error;
}

static cudaError_t surface_new(cudaSurfaceObject_t *number, const struct cudaResourceDesc *resource)
{
    if (number == NULL || resource == NULL || resource->resType != cudaResourceTypeArray)
        return cudaErrorInvalidValue;
    Object *surface = malloc(sizeof *surface);
    if (surface == NULL)
        return cudaErrorMemoryAllocation;
    *surface = (Object){.resource = *resource};
    cudaError_t error = ask_surface(surface);
    if (error != cudaSuccess) {
        free(surface);
        return error;
    }
    object_add(&all_surfaces, surface);
    *number = surface->number;
    return cudaSuccess;
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *surface, const struct cudaResourceDesc *resource)
{
    return result(surface_new(surface, resource));
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t number)
{
    object_forget(&all_surfaces, number);
    return result(client_call(RING_SURFACE_FREE, (RingWords){{number}}, NULL));
}

cudaError_t cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *resource, cudaSurfaceObject_t number)
{
    return result(tell_resource(&all_surfaces, number, resource));
}
