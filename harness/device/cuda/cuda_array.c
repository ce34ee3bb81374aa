#include "harness/device/cuda/cuda_array.h"

#include "harness/device/array_check.h"
#include "harness/device/cuda/cuda_gate.h"
#include "harness/device/cuda/cuda_memory.h"
#include "harness/device/cuda/cuda_origin.h"

#include <stdlib.h>
#include <string.h>

struct DeviceArray {
    CuArray raw;
    uint64_t bytes;
    OriginRows place; /* where cuda->host_origin has it */
};

/* Flags of cuda.h: CUDA_ARRAY3D_ and CU_TRSF_ */
enum {
    ARRAY_LAYERED = 0x01,
    ARRAY_SURFACE = 0x02,
    ARRAY_TEXTURE_GATHER = 0x08,
    TEXTURE_READ_AS_INTEGER = 0x01,
    TEXTURE_NORMALIZED_COORDINATES = 0x02,
    TEXTURE_SRGB = 0x10
};

/* ---- arrays ------------------------------------------------------------------------------------------------------ */

static CudaError create_array(CudaDevice *cuda, const DeviceShape *shape, CuArray *raw)
{
    const CuArrayDescription description = {.width = shape->width,
                                            .height = shape->height,
                                            .depth = shape->depth,
                                            .format = shape->format,
                                            .channels = shape->channels,
                                            .flags = (shape->gather ? ARRAY_TEXTURE_GATHER : 0u) |
                                                     (shape->layered ? ARRAY_LAYERED : 0u) |
                                                     (shape->surface ? ARRAY_SURFACE : 0u)};
    CudaError error = cuda_release(cuda);
    return error == CUDA_ERROR_SUCCESS ? cuda_note(cuda, cuda->driver->cuArray3DCreate(raw, &description)) : error;
}

static CudaError array_create(Device *device, const DeviceShape *shape, DeviceArray **array)
{
    CudaDevice *cuda = cuda_of(device);
    uint64_t bytes, used = cuda_used_bytes(cuda);
    if (cuda->sticky != CUDA_ERROR_SUCCESS)
        return cuda->sticky;
    if (!array_check(shape, &bytes))
        return CUDA_ERROR_INVALID_VALUE;
    if (used > cuda->memory_limit || bytes > cuda->memory_limit - used)
        return CUDA_ERROR_MEMORY_ALLOCATION;
    *array = malloc(sizeof **array);
    if (*array == NULL)
        return CUDA_ERROR_MEMORY_ALLOCATION;
    (*array)->bytes = bytes;
    (*array)->place = cuda_origin_place(cuda, shape, bytes);
    CudaError error = create_array(cuda, shape, &(*array)->raw);
    if (error == CUDA_ERROR_SUCCESS)
        cuda->array_bytes += bytes;
    else
        free(*array);
    return error;
}

/* Waits, because a kernel that is held or runs may still read the array. */
static CudaError array_destroy(Device *device, DeviceArray *array)
{
    CudaDevice *cuda = cuda_of(device);
    CudaError error = cuda_wait_all(cuda);
    if (error == CUDA_ERROR_SUCCESS)
        error = cuda_note(cuda, cuda->driver->cuArrayDestroy(array->raw));
    cuda->array_bytes -= array->bytes;
    host_origin_forget(&cuda->host_origin, array->place.first, array->bytes);
    free(array);
    return error;
}

/* ---- copies ------------------------------------------------------------------------------------------------------ */

static CudaError check_place(CudaDevice *cuda, const DevicePlace *place, const DeviceBox *box, uint64_t *bytes)
{
    *bytes = 0;
    if (place->array == NULL && !box_span(place, box, bytes))
        return CUDA_ERROR_INVALID_VALUE;
    bool in_memory = place->array == NULL && place->host == NULL;
    return cuda_check_range(cuda, place->address, in_memory ? *bytes : 0);
}

static bool is_host(const DevicePlace *place)
{
    return place->array == NULL && place->host != NULL;
}

/* The driver asks for a pitch even for a single row, and for the rows of a slice even for a single slice. */
static uint64_t at_least(uint64_t least, uint64_t value)
{
    return value < least ? least : value;
}

static int memory_type(const DevicePlace *place)
{
    return place->array != NULL ? CU_MEMORY_ARRAY : place->host != NULL ? CU_MEMORY_HOST : CU_MEMORY_DEVICE;
}

static CuCopy3D describe_copy(const DevicePlace *to, const DevicePlace *from, const DeviceBox *box)
{
    return (CuCopy3D){
        .source_type = memory_type(from),
        .source_x_bytes = from->x_bytes,
        .source_y = from->y,
        .source_z = from->z,
        .source_host = from->host,
        .source_device = from->address,
        .source_array = from->array == NULL ? NULL : from->array->raw,
        .source_pitch = at_least(box->width_bytes, from->pitch),
        .source_height = at_least(box->height, from->slice_rows),
        .target_type = memory_type(to),
        .target_x_bytes = to->x_bytes,
        .target_y = to->y,
        .target_z = to->z,
        .target_host = to->host,
        .target_device = to->address,
        .target_array = to->array == NULL ? NULL : to->array->raw,
        .target_pitch = at_least(box->width_bytes, to->pitch),
        .target_height = at_least(box->height, to->slice_rows),
        .width_bytes = box->width_bytes,
        .height = box->height,
        .depth = box->depth,
    };
}

static OriginRows origin_rows(const DevicePlace *place)
{
    if (place->array == NULL)
        return (OriginRows){place->address, place->pitch, place->slice_rows * place->pitch};
    OriginRows rows = place->array->place;
    rows.first += place->z * rows.slice_bytes + place->y * rows.pitch + place->x_bytes;
    return rows;
}

static CudaError note_origin(CudaDevice *cuda, const DevicePlace *to, const DevicePlace *from, const DeviceBox *box)
{
    const OriginRows target = origin_rows(to), source = origin_rows(from);
    const OriginRows host = {0, from->pitch, from->slice_rows * from->pitch};
    if (is_host(to))
        return CUDA_ERROR_SUCCESS;
    return is_host(from) ? cuda_origin_write_box(cuda, &target, from->host, &host, box)
                         : cuda_origin_copy_box(cuda, &target, &source, box);
}

/* As for plain copies (cuda_memory.h): host data waits in a slot if there is room; else the gate opens. */
static CudaError copy_box(Device *device, const DevicePlace *to, const DevicePlace *from, const DeviceBox *box,
                          DeviceStream *stream)
{
    CudaDevice *cuda = cuda_of(device);
    DevicePlace source = *from;
    uint64_t to_bytes, from_bytes;
    CuStream raw;
    CudaError error = check_place(cuda, to, box, &to_bytes);
    if (error == CUDA_ERROR_SUCCESS)
        error = check_place(cuda, from, box, &from_bytes);
    if (error != CUDA_ERROR_SUCCESS)
        return error;
    error = note_origin(cuda, to, from, box);
    if (error != CUDA_ERROR_SUCCESS)
        return error;
    void *slot = is_host(from) ? cuda_bounce(cuda, from->host, from_bytes) : NULL;
    if (slot != NULL)
        source.host = slot;
    bool waits = is_host(to) || (is_host(from) && slot == NULL);
    error = cuda_enter(cuda, stream, &raw);
    if (error != CUDA_ERROR_SUCCESS)
        return error;
    if (waits)
        cuda_open_for_copy(cuda);
    cuda->statistics.copies++;
    CuCopy3D copy = describe_copy(to, &source, box);
    error = cuda_note(cuda, cuda->driver->cuMemcpy3DAsync(&copy, raw));
    return error == CUDA_ERROR_SUCCESS && waits ? cuda_wait(cuda, stream) : error;
}

static CudaError fill_rows(Device *device, uint64_t to, uint64_t pitch, uint8_t value, uint64_t width, uint64_t height,
                           DeviceStream *stream)
{
    CudaDevice *cuda = cuda_of(device);
    const DevicePlace place = {.address = to, .pitch = pitch};
    const DeviceBox box = {width, height, 1};
    uint64_t bytes;
    CuStream raw;
    CudaError error = check_place(cuda, &place, &box, &bytes);
    for (uint64_t y = 0; y < height && error == CUDA_ERROR_SUCCESS; y++)
        error = cuda_origin_fill(cuda, to + y * pitch, value, width);
    if (error == CUDA_ERROR_SUCCESS)
        error = cuda_enter(cuda, stream, &raw);
    if (error != CUDA_ERROR_SUCCESS)
        return error;
    cuda->statistics.copies++;
    return cuda_note(cuda, cuda->driver->cuMemsetD2D8Async(to, at_least(width, pitch), value, width, height, raw));
}

const DeviceArrayOps CUDA_ARRAY_OPS = {
    .create = array_create,
    .destroy = array_destroy,
    .copy_box = copy_box,
    .fill_rows = fill_rows,
};

/* ---- textures ---------------------------------------------------------------------------------------------------- */

static CuResource describe_resource(const DeviceTexture *texture)
{
    CuResource resource = {.type = CU_RESOURCE_ARRAY};
    if (texture->array != NULL) {
        resource.of.array.array = texture->array->raw;
    } else if (texture->bytes > 0) {
        resource.type = CU_RESOURCE_LINEAR;
        resource.of.linear.address = texture->address;
        resource.of.linear.format = texture->format;
        resource.of.linear.channels = texture->channels;
        resource.of.linear.bytes = texture->bytes;
    } else {
        resource.type = CU_RESOURCE_PITCH2D;
        resource.of.pitch2d.address = texture->address;
        resource.of.pitch2d.format = texture->format;
        resource.of.pitch2d.channels = texture->channels;
        resource.of.pitch2d.width = texture->width;
        resource.of.pitch2d.height = texture->height;
        resource.of.pitch2d.pitch_bytes = texture->pitch;
    }
    return resource;
}

static CuTextureDescription describe_texture(const DeviceTexture *texture)
{
    bool is_float = texture->format == DEVICE_FLOAT16 || texture->format == DEVICE_FLOAT32;
    CuTextureDescription description = {.filter_mode = texture->filter_mode,
                                        .flags = (texture->as_integer && !is_float ? TEXTURE_READ_AS_INTEGER : 0) |
                                                 (texture->normalized ? TEXTURE_NORMALIZED_COORDINATES : 0) |
                                                 (texture->srgb ? TEXTURE_SRGB : 0),
                                        .max_anisotropy = texture->max_anisotropy};
    for (size_t i = 0; i < 3; i++)
        description.address_mode[i] = texture->address_mode[i];
    memcpy(description.border_colour, texture->border, sizeof description.border_colour);
    return description;
}

static CudaError texture_create(Device *device, const DeviceTexture *texture, uint64_t *handle)
{
    CudaDevice *cuda = cuda_of(device);
    const CuResource resource = describe_resource(texture);
    const CuTextureDescription description = describe_texture(texture);
    CuTexture made = 0;
    CudaError error = cuda->sticky != CUDA_ERROR_SUCCESS ? cuda->sticky : cuda_release(cuda);
    if (error == CUDA_ERROR_SUCCESS)
        error = cuda_note(cuda, cuda->driver->cuTexObjectCreate(&made, &resource, &description, NULL));
    *handle = made;
    return error;
}

/* Waits, because the next texture may get the same handle, and a kernel may still read through this one. */
static CudaError texture_destroy(Device *device, uint64_t handle)
{
    CudaDevice *cuda = cuda_of(device);
    CudaError error = cuda_wait_all(cuda);
    return error == CUDA_ERROR_SUCCESS ? cuda_note(cuda, cuda->driver->cuTexObjectDestroy(handle)) : error;
}

static CudaError surface_create(Device *device, DeviceArray *array, uint64_t *handle)
{
    CudaDevice *cuda = cuda_of(device);
    const CuResource resource = {.type = CU_RESOURCE_ARRAY, .of.array.array = array->raw};
    CuSurface made = 0;
    CudaError error = cuda->sticky != CUDA_ERROR_SUCCESS ? cuda->sticky : cuda_release(cuda);
    if (error == CUDA_ERROR_SUCCESS)
        error = cuda_note(cuda, cuda->driver->cuSurfObjectCreate(&made, &resource));
    *handle = made;
    return error;
}

/* Waits, as for a texture. */
static CudaError surface_destroy(Device *device, uint64_t handle)
{
    CudaDevice *cuda = cuda_of(device);
    CudaError error = cuda_wait_all(cuda);
    return error == CUDA_ERROR_SUCCESS ? cuda_note(cuda, cuda->driver->cuSurfObjectDestroy(handle)) : error;
}

const DeviceTextureOps CUDA_TEXTURE_OPS = {.create = texture_create,
                                           .destroy = texture_destroy,
                                           .create_surface = surface_create,
                                           .destroy_surface = surface_destroy};
