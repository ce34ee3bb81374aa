#include "harness/device/launch_check.h"

#include "base/paths.h"
#include "simgpu/cost/launch_limits.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* ==== array check ================================================================================================= */

static const struct {
    DeviceFormat format;
    uint32_t bytes;
} FORMATS[] = {
    {DEVICE_UINT8, 1},  {DEVICE_UINT16, 2}, {DEVICE_UINT32, 4},  {DEVICE_SINT8, 1},
    {DEVICE_SINT16, 2}, {DEVICE_SINT32, 4}, {DEVICE_FLOAT16, 2}, {DEVICE_FLOAT32, 4},
};

uint64_t array_element_bytes(DeviceFormat format, uint32_t channels)
{
    if (channels != 1 && channels != 2 && channels != 4)
        return 0;
    for (size_t i = 0; i < sizeof FORMATS / sizeof *FORMATS; i++)
        if (FORMATS[i].format == format)
            return (uint64_t)FORMATS[i].bytes * channels;
    return 0;
}

static bool extents_fit(const DeviceShape *shape)
{
    if (shape->width == 0)
        return false;
    if (shape->layered)
        return !shape->gather && shape->width <= ARRAY_MAX_LAYERED && shape->height <= ARRAY_MAX_LAYERED &&
               shape->depth > 0 && shape->depth <= ARRAY_MAX_LAYERS;
    if (shape->depth > 0)
        return shape->height > 0 && !shape->gather && shape->width <= ARRAY_MAX_EXTENT_3D &&
               shape->height <= ARRAY_MAX_EXTENT_3D && shape->depth <= ARRAY_MAX_EXTENT_3D;
    if (shape->gather)
        return shape->height > 0 && shape->width <= ARRAY_MAX_GATHER_2D && shape->height <= ARRAY_MAX_GATHER_2D;
    return shape->height > 0 ? shape->width <= ARRAY_MAX_WIDTH_2D && shape->height <= ARRAY_MAX_HEIGHT_2D
                             : shape->width <= (shape->surface ? ARRAY_MAX_SURFACE_1D : ARRAY_MAX_WIDTH_1D);
}

static uint64_t extent(uint64_t count)
{
    return count == 0 ? 1 : count;
}

bool array_check(const DeviceShape *shape, uint64_t *bytes)
{
    uint64_t element = array_element_bytes(shape->format, shape->channels);
    if (element == 0 || !extents_fit(shape))
        return false;
    *bytes = element * shape->width * extent(shape->height) * extent(shape->depth); /* under 2^47 */
    return true;
}

static bool lies_within(uint64_t first, uint64_t count, uint64_t all)
{
    return count > 0 && count <= all && first <= all - count;
}

bool array_holds(const DeviceShape *shape, const DevicePlace *place, const DeviceBox *box)
{
    uint64_t element = array_element_bytes(shape->format, shape->channels);
    return place->x_bytes % element == 0 && box->width_bytes % element == 0 &&
           lies_within(place->x_bytes, box->width_bytes, element * shape->width) &&
           lies_within(place->y, box->height, extent(shape->height)) &&
           lies_within(place->z, box->depth, extent(shape->depth));
}

bool box_span(const DevicePlace *place, const DeviceBox *box, uint64_t *bytes)
{
    uint64_t rows;
    if (box->width_bytes == 0 || box->height == 0 || box->depth == 0)
        return false;
    if ((box->height > 1 || box->depth > 1) && place->pitch < box->width_bytes)
        return false;
    if (box->depth > 1 && place->slice_rows < box->height)
        return false;
    return !__builtin_mul_overflow(box->depth - 1, place->slice_rows, &rows) &&
           !__builtin_add_overflow(rows, box->height - 1, &rows) &&
           !__builtin_mul_overflow(rows, place->pitch, bytes) &&
           !__builtin_add_overflow(*bytes, box->width_bytes, bytes);
}

/* ==== library ===================================================================================================== */

const char *library_name(const char *variable, const char *usual)
{
    const char *chosen = paths_variable(variable);
    return chosen != NULL ? chosen : usual;
}

const char *library_bind(void *library, const LibraryCall *calls, size_t count, void *members)
{
    for (size_t i = 0; i < count; i++) {
        void *call = dlsym(library, calls[i].symbol);
        if (call == NULL)
            return calls[i].symbol;
        *(void **)((char *)members + calls[i].member) = call;
    }
    return NULL;
}

/* ==== launch check ================================================================================================ */

/* The same for every GPU that CUDA 13 supports (compute capability 7.5 and above): cuda_occupancy.h of CUDA 13.0. */
enum { REGISTER_ALLOCATION_UNIT = 256, REGISTER_PARTITIONS = 4 };

static LaunchLimits limits_of(const DeviceInfo *device)
{
    LaunchLimits limits = {.max_threads_per_block = device->max_threads_per_block,
                           .registers_per_block = device->registers_per_block,
                           .register_allocation_unit = REGISTER_ALLOCATION_UNIT,
                           .register_partitions = REGISTER_PARTITIONS,
                           .shared_bytes_per_block_optin = device->shared_bytes_per_block_optin};
    memcpy(limits.max_block, device->max_block, sizeof limits.max_block);
    memcpy(limits.max_grid, device->max_grid, sizeof limits.max_grid);
    return limits;
}

/* CUDA 13.0 reports a shape beyond the device's limits as "invalid argument" (measured on an H200); older runtimes
 * reported "invalid configuration argument". */
static CudaError error_of(LaunchLimit limit)
{
    return limit == LAUNCH_FITS        ? CUDA_ERROR_SUCCESS
           : limit == LAUNCH_REGISTERS ? CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES
                                       : CUDA_ERROR_INVALID_VALUE;
}

CudaError launch_check(const DeviceInfo *device, const DeviceFunctionInfo *function, const LaunchShape *shape,
                       LaunchLimit *limit, char *hint, size_t size)
{
    const LaunchLimits limits = limits_of(device);
    LaunchNeeds needs = {.registers = function->registers_estimated ? 0 : function->registers,
                         .static_shared_bytes = function->static_shared_bytes,
                         .max_threads_per_block = function->max_threads_per_block,
                         .max_dynamic_shared_bytes = function->max_dynamic_shared_bytes};
    memcpy(needs.cluster, function->cluster, sizeof needs.cluster);
    *limit = launch_limits_check(&limits, &needs, shape, hint, size);
    return error_of(*limit);
}

/* ==== tensor check ================================================================================================ */

enum { MOST_BOX = 256, MOST_STEP = 8, UNIT = 16 };
#define MOST_EXTENT (1ull << 32)
#define STRIDE_END (1ull << 40)

static uint32_t element_bytes(DeviceTensorType type)
{
    switch (type) {
    case DEVICE_TENSOR_U8: return 1;
    case DEVICE_TENSOR_U16:
    case DEVICE_TENSOR_F16:
    case DEVICE_TENSOR_BF16: return 2;
    case DEVICE_TENSOR_U32:
    case DEVICE_TENSOR_S32:
    case DEVICE_TENSOR_F32:
    case DEVICE_TENSOR_F32_FLUSHED:
    case DEVICE_TENSOR_TF32:
    case DEVICE_TENSOR_TF32_FLUSHED: return 4;
    case DEVICE_TENSOR_U64:
    case DEVICE_TENSOR_S64:
    case DEVICE_TENSOR_F64: return 8;
    case DEVICE_TENSOR_TYPES: break;
    }
    return 0;
}

static bool is_float(DeviceTensorType type)
{
    return type >= DEVICE_TENSOR_F16;
}

static const char *dimension_refusal(const DeviceTensor *tensor, uint32_t i)
{
    if (tensor->extents[i] == 0 || tensor->extents[i] > MOST_EXTENT)
        return "an extent of the tensor is 0, or more than 2^32";
    if (tensor->box[i] == 0 || tensor->box[i] > MOST_BOX)
        return "an extent of the box is 0, or more than 256";
    if (i == 0) /* its element stride is not used */
        return NULL;
    if (tensor->steps[i] == 0 || tensor->steps[i] > MOST_STEP)
        return "an element stride is 0, or more than 8";
    if (tensor->strides[i - 1] % UNIT != 0 || tensor->strides[i - 1] >= STRIDE_END)
        return "a stride is not a multiple of 16 bytes, or 2^40 or more";
    return NULL;
}

const char *tensor_refusal(const DeviceTensor *tensor)
{
    const uint32_t row = tensor->box[0] * element_bytes(tensor->type);
    if (tensor->rank == 0 || tensor->rank > DEVICE_TENSOR_DIMENSIONS)
        return "the tensor has no dimension, or more than 5";
    if (tensor->address % UNIT != 0)
        return "the address is not a multiple of 16 bytes";
    for (uint32_t i = 0; i < tensor->rank && i < DEVICE_TENSOR_DIMENSIONS; i++) {
        const char *why = dimension_refusal(tensor, i);
        if (why != NULL)
            return why;
    }
    if (row % UNIT != 0)
        return "the rows of the box are not multiples of 16 bytes";
    if (tensor->swizzle != DEVICE_TENSOR_NOT_SWIZZLED && row > 16u << tensor->swizzle)
        return "the rows of the box are longer than the span of the swizzle";
    if (tensor->fills_nan && !is_float(tensor->type))
        return "integers cannot be filled with NaN";
    return NULL;
}

bool tensor_span(const DeviceTensor *tensor, uint64_t *bytes)
{
    *bytes = tensor->extents[0] * element_bytes(tensor->type);
    for (uint32_t i = 1; i < tensor->rank; i++) {
        uint64_t further;
        if (__builtin_mul_overflow(tensor->extents[i] - 1, tensor->strides[i - 1], &further) ||
            __builtin_add_overflow(*bytes, further, bytes))
            return false;
    }
    return true;
}
