#include "tests/fake/cuda.h"

#include <stdlib.h>

static size_t texture_count, surface_count;

static size_t bytes_of_format(int format) /* CUarray_format */
{
    switch (format) {
    case 0x01:
    case 0x08: return 1;
    case 0x02:
    case 0x09:
    case 0x10: return 2;
    case 0x03:
    case 0x0a:
    case 0x20: return 4;
    default: return 0;
    }
}

static size_t at_least_one(size_t count)
{
    return count == 0 ? 1 : count;
}

CudaError cuArray3DCreate(CuArray *array, const CuArrayDescription *description)
{
    ENTER("cuArray3DCreate");
    size_t element_bytes = bytes_of_format(description->format) * description->channels;
    struct CUarray_st shape = {.width_bytes = description->width * element_bytes,
                               .height = at_least_one(description->height),
                               .depth = at_least_one(description->depth)};
    if (shape.width_bytes == 0)
        return leave(CUDA_ERROR_INVALID_VALUE);
    *array = calloc(1, sizeof shape + shape.width_bytes * shape.height * shape.depth);
    if (*array == NULL)
        return leave(CUDA_ERROR_MEMORY_ALLOCATION);
    **array = shape;
    return leave(wait_until_idle());
}

CudaError cuArrayDestroy(CuArray array)
{
    ENTER("cuArrayDestroy");
    CudaError error = wait_until_idle();
    free(array);
    return leave(error);
}

CudaError cuTexObjectCreate(CuTexture *texture, const CuResource *resource, const CuTextureDescription *description,
                            const void *view)
{
    ENTER("cuTexObjectCreate %d", resource->type);
    *texture = ++texture_count;
    return leave(CUDA_ERROR_SUCCESS);
}

CudaError cuTexObjectDestroy(CuTexture texture)
{
    ENTER("cuTexObjectDestroy");
    return leave(texture >= 1 && texture <= texture_count ? CUDA_ERROR_SUCCESS : CUDA_ERROR_INVALID_VALUE);
}

CudaError cuSurfObjectCreate(CuSurface *surface, const CuResource *resource)
{
    ENTER("cuSurfObjectCreate %d", resource->type);
    if (resource->type != CU_RESOURCE_ARRAY)
        return leave(CUDA_ERROR_INVALID_VALUE);
    *surface = ++surface_count;
    return leave(CUDA_ERROR_SUCCESS);
}

CudaError cuSurfObjectDestroy(CuSurface surface)
{
    ENTER("cuSurfObjectDestroy");
    return leave(surface >= 1 && surface <= surface_count ? CUDA_ERROR_SUCCESS : CUDA_ERROR_INVALID_VALUE);
}
