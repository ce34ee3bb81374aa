#include "harness/runtime/client.h"

#include <stdio.h>
#include <string.h>

/* Properties that RingDeviceInfo does not hold have the values of an H200 (cudaGetDeviceProperties() of CUDA 13.0). */
enum {
    TEXTURE_ALIGNMENT = 512,
    TEXTURE_PITCH_ALIGNMENT = 32,
    SURFACE_ALIGNMENT = 512,
    MAX_LINEAR_TEXTURE_WIDTH = 131072,
    MAX_LINEAR_TEXTURE_HEIGHT = 65000,
    MAX_LINEAR_TEXTURE_PITCH = 2097120,
    ASYNC_ENGINES = 3,
    PERSISTING_L2_FRACTION_PERCENT = 62,
    ACCESS_WINDOW_BYTES = 134217728
};

static cudaError_t ask_device(RingDeviceInfo *info)
{
    static RingDeviceInfo known;
    static bool asked;
    cudaError_t error = cudaSuccess;
    client_lock();
    if (!asked) {
        error = client_call(RING_DEVICE_INFO, (RingWords){{0}}, NULL);
        if (error == cudaSuccess) {
            memcpy(&known, client_staging(), sizeof known);
            asked = true;
        }
    }
    *info = known;
    client_unlock();
    return error;
}

static int clamp_to_int(uint64_t value)
{
    return value > INT32_MAX ? INT32_MAX : (int)value;
}

/* The same for all devices of compute capability 6.0 and above: CUDA C++ Programming Guide 13.0, "Technical
 * Specifications per Compute Capability". */
static void fill_layered_and_surfaces(struct cudaDeviceProp *prop)
{
    enum { EXTENT = 32768, LAYERS = 2048, EXTENT_3D = 16384 };
    prop->maxTexture1DLayered[0] = prop->maxSurface1DLayered[0] = prop->maxSurface1D = EXTENT;
    prop->maxTexture1DLayered[1] = prop->maxSurface1DLayered[1] = LAYERS;
    for (int i = 0; i < 3; i++) {
        prop->maxTexture2DLayered[i] = prop->maxSurface2DLayered[i] = i < 2 ? EXTENT : LAYERS;
        prop->maxSurface3D[i] = EXTENT_3D;
    }
    prop->maxSurface2D[0] = prop->maxTexture2D[0];
    prop->maxSurface2D[1] = prop->maxTexture2D[1];
}

static void fill_properties(const RingDeviceInfo *info, struct cudaDeviceProp *prop)
{
    memset(prop, 0, sizeof *prop);
    snprintf(prop->name, sizeof prop->name, "%s", info->name);
    prop->totalGlobalMem = info->memory_bytes;
    prop->sharedMemPerBlock = info->shared_bytes_per_block;
    prop->sharedMemPerBlockOptin = info->shared_bytes_per_block_optin;
    prop->sharedMemPerMultiprocessor = info->shared_bytes_per_multiprocessor;
    prop->reservedSharedMemPerBlock = info->shared_reserved_bytes_per_block;
    prop->regsPerBlock = clamp_to_int(info->registers_per_block);
    prop->regsPerMultiprocessor = clamp_to_int(info->registers_per_multiprocessor);
    prop->warpSize = clamp_to_int(info->warp_size);
    prop->memPitch = INT32_MAX;
    prop->maxThreadsPerBlock = clamp_to_int(info->max_threads_per_block);
    prop->maxThreadsPerMultiProcessor = clamp_to_int(info->max_threads_per_multiprocessor);
    prop->maxBlocksPerMultiProcessor = clamp_to_int(info->max_blocks_per_multiprocessor);
    for (int i = 0; i < 3; i++) {
        prop->maxThreadsDim[i] = clamp_to_int(info->max_block[i]);
        prop->maxGridSize[i] = clamp_to_int(info->max_grid[i]);
    }
    prop->totalConstMem = info->constant_bytes;
    prop->major = clamp_to_int(info->compute_major);
    prop->minor = clamp_to_int(info->compute_minor);
    prop->multiProcessorCount = clamp_to_int(info->multiprocessors);
    prop->l2CacheSize = clamp_to_int(info->l2_bytes);
    prop->memoryBusWidth = clamp_to_int(info->memory_bus_bits);
    prop->persistingL2CacheMaxSize = clamp_to_int((uint64_t)info->l2_bytes * PERSISTING_L2_FRACTION_PERCENT / 100);
    prop->accessPolicyMaxWindowSize = ACCESS_WINDOW_BYTES;
    prop->textureAlignment = TEXTURE_ALIGNMENT;
    prop->texturePitchAlignment = TEXTURE_PITCH_ALIGNMENT;
    prop->surfaceAlignment = SURFACE_ALIGNMENT;
    prop->maxTexture1D = clamp_to_int(info->max_array_1d);
    prop->maxTexture2D[0] = clamp_to_int(info->max_array_2d[0]);
    prop->maxTexture2D[1] = clamp_to_int(info->max_array_2d[1]);
    prop->maxTexture2DLinear[0] = MAX_LINEAR_TEXTURE_WIDTH;
    prop->maxTexture2DLinear[1] = MAX_LINEAR_TEXTURE_HEIGHT;
    prop->maxTexture2DLinear[2] = MAX_LINEAR_TEXTURE_PITCH;
    prop->maxTexture2DGather[0] = prop->maxTexture2DGather[1] = clamp_to_int(info->max_gather_2d);
    for (int i = 0; i < 3; i++)
        prop->maxTexture3D[i] = clamp_to_int(info->max_array_3d);
    fill_layered_and_surfaces(prop);
    prop->asyncEngineCount = ASYNC_ENGINES;
    prop->concurrentKernels = 1;
    prop->unifiedAddressing = 1;
    prop->managedMemory = 1;
    prop->cooperativeLaunch = 1;
    prop->memoryPoolsSupported = 1;
    prop->canMapHostMemory = 1;
    prop->canUseHostPointerForRegisteredMem = 1;
    prop->ECCEnabled = 1;
    prop->globalL1CacheSupported = 1;
    prop->localL1CacheSupported = 1;
    prop->streamPrioritiesSupported = 1;
}

static cudaError_t ask_properties(const void *wanted, int device, RingDeviceInfo *info,
                                  struct cudaDeviceProp *properties)
{
    cudaError_t error = device != 0      ? cudaErrorInvalidDevice
                        : wanted == NULL ? cudaErrorInvalidValue
                                         : ask_device(info);
    if (error == cudaSuccess)
        fill_properties(info, properties);
    return error;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *prop, int device)
{
    RingDeviceInfo info;
    struct cudaDeviceProp properties;
    cudaError_t error = ask_properties(prop, device, &info, &properties);
    if (error != cudaSuccess)
        return result(error);
    if (compiled_for_11())
        fill_older_properties(prop, &properties, clamp_to_int(info.clock_khz), clamp_to_int(info.memory_clock_khz));
    else
        *prop = properties;
    return cudaSuccess;
}

enum { PROPERTIES_BYTES_IN_12 = 1032 };

/* The header of CUDA 12 defines cudaGetDeviceProperties as this name. */
cudaError_t cudaGetDeviceProperties_v2(void *prop, int device)
{
    RingDeviceInfo info;
    struct cudaDeviceProp properties;
    cudaError_t error = ask_properties(prop, device, &info, &properties);
    if (error != cudaSuccess)
        return result_of("cudaGetDeviceProperties", error);
    memset(prop, 0, PROPERTIES_BYTES_IN_12);
    fill_older_properties(prop, &properties, clamp_to_int(info.clock_khz), clamp_to_int(info.memory_clock_khz));
    return cudaSuccess;
}

/* Every other attribute of CUDA stands for a feature that is absent here: 0. */
static int attribute_of(const RingDeviceInfo *info, enum cudaDeviceAttr attribute)
{
    switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock: return clamp_to_int(info->max_threads_per_block);
    case cudaDevAttrMaxBlockDimX: return clamp_to_int(info->max_block[0]);
    case cudaDevAttrMaxBlockDimY: return clamp_to_int(info->max_block[1]);
    case cudaDevAttrMaxBlockDimZ: return clamp_to_int(info->max_block[2]);
    case cudaDevAttrMaxGridDimX: return clamp_to_int(info->max_grid[0]);
    case cudaDevAttrMaxGridDimY: return clamp_to_int(info->max_grid[1]);
    case cudaDevAttrMaxGridDimZ: return clamp_to_int(info->max_grid[2]);
    case cudaDevAttrMaxSharedMemoryPerBlock: return clamp_to_int(info->shared_bytes_per_block);
    case cudaDevAttrMaxSharedMemoryPerBlockOptin: return clamp_to_int(info->shared_bytes_per_block_optin);
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor: return clamp_to_int(info->shared_bytes_per_multiprocessor);
    case cudaDevAttrReservedSharedMemoryPerBlock: return clamp_to_int(info->shared_reserved_bytes_per_block);
    case cudaDevAttrTotalConstantMemory: return clamp_to_int(info->constant_bytes);
    case cudaDevAttrWarpSize: return clamp_to_int(info->warp_size);
    case cudaDevAttrMaxPitch: return INT32_MAX;
    case cudaDevAttrMaxRegistersPerBlock: return clamp_to_int(info->registers_per_block);
    case cudaDevAttrMaxRegistersPerMultiprocessor: return clamp_to_int(info->registers_per_multiprocessor);
    case cudaDevAttrClockRate: return clamp_to_int(info->clock_khz);
    case cudaDevAttrMemoryClockRate: return clamp_to_int(info->memory_clock_khz);
    case cudaDevAttrGlobalMemoryBusWidth: return clamp_to_int(info->memory_bus_bits);
    case cudaDevAttrL2CacheSize: return clamp_to_int(info->l2_bytes);
    case cudaDevAttrMultiProcessorCount: return clamp_to_int(info->multiprocessors);
    case cudaDevAttrMaxThreadsPerMultiProcessor: return clamp_to_int(info->max_threads_per_multiprocessor);
    case cudaDevAttrMaxBlocksPerMultiprocessor: return clamp_to_int(info->max_blocks_per_multiprocessor);
    case cudaDevAttrComputeCapabilityMajor: return clamp_to_int(info->compute_major);
    case cudaDevAttrComputeCapabilityMinor: return clamp_to_int(info->compute_minor);
    case cudaDevAttrTextureAlignment: return TEXTURE_ALIGNMENT;
    case cudaDevAttrTexturePitchAlignment: return TEXTURE_PITCH_ALIGNMENT;
    case cudaDevAttrMaxTexture1DWidth: return clamp_to_int(info->max_array_1d);
    case cudaDevAttrMaxTexture2DWidth: return clamp_to_int(info->max_array_2d[0]);
    case cudaDevAttrMaxTexture2DHeight: return clamp_to_int(info->max_array_2d[1]);
    case cudaDevAttrMaxTexture2DLinearWidth: return MAX_LINEAR_TEXTURE_WIDTH;
    case cudaDevAttrMaxTexture2DLinearHeight: return MAX_LINEAR_TEXTURE_HEIGHT;
    case cudaDevAttrMaxTexture2DLinearPitch: return MAX_LINEAR_TEXTURE_PITCH;
    case cudaDevAttrMaxTexture2DGatherWidth:
    case cudaDevAttrMaxTexture2DGatherHeight: return clamp_to_int(info->max_gather_2d);
    case cudaDevAttrMaxTexture3DWidth:
    case cudaDevAttrMaxTexture3DHeight:
    case cudaDevAttrMaxTexture3DDepth: return clamp_to_int(info->max_array_3d);
    case cudaDevAttrAsyncEngineCount: return ASYNC_ENGINES;
    case cudaDevAttrConcurrentKernels:
    case cudaDevAttrUnifiedAddressing:
    case cudaDevAttrManagedMemory:
    case cudaDevAttrCooperativeLaunch:
    case cudaDevAttrMemoryPoolsSupported:
    case cudaDevAttrCanMapHostMemory:
    case cudaDevAttrCanUseHostPointerForRegisteredMem:
    case cudaDevAttrEccEnabled:
    case cudaDevAttrGlobalL1CacheSupported:
    case cudaDevAttrLocalL1CacheSupported:
    case cudaDevAttrStreamPrioritiesSupported: return 1;
    default: return 0;
    }
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
{
    RingDeviceInfo info;
    if (device != 0)
        return result(cudaErrorInvalidDevice);
    if (value == NULL || attribute <= 0 || attribute >= cudaDevAttrMax)
        return result(cudaErrorInvalidValue);
    cudaError_t error = ask_device(&info);
    if (error == cudaSuccess)
        *value = attribute_of(&info, attribute);
    return result(error);
}

/* ---- one device, always the current one -------------------------------------------------------------------------- */

cudaError_t cudaGetDeviceCount(int *count)
{
    *count = 1;
    return cudaSuccess;
}

cudaError_t cudaGetDevice(int *device)
{
    *device = 0;
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int device)
{
    return result(device == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}

/* The address of a device that says nothing about the host; a terminated "domain:bus:device.function". */
static const char BUS_ID[] = "0000:01:00.0";

cudaError_t cudaDeviceGetPCIBusId(char *id, int bytes, int device)
{
    if (device != 0)
        return result(cudaErrorInvalidDevice);
    if (id == NULL || bytes < (int)sizeof BUS_ID)
        return result(cudaErrorInvalidValue);
    memcpy(id, BUS_ID, sizeof BUS_ID);
    return cudaSuccess;
}

cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *id)
{
    if (device == NULL || id == NULL || strcmp(id, BUS_ID) != 0)
        return result(device == NULL || id == NULL ? cudaErrorInvalidValue : cudaErrorInvalidDevice);
    *device = 0;
    return cudaSuccess;
}

cudaError_t cudaInitDevice(int device, unsigned device_flags, unsigned flags)
{
    return result(device == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}

cudaError_t cudaStreamGetDevice(cudaStream_t stream, int *device)
{
    *device = 0;
    return cudaSuccess;
}

cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *wanted)
{
    *device = 0;
    return cudaSuccess;
}

/* A device is not its own peer. */
cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
    if (device != 0 || peer != 0)
        return result(cudaErrorInvalidDevice);
    *can = 0;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceFlags(unsigned *flags)
{
    *flags = cudaDeviceScheduleAuto;
    return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
    *version = CUDART_VERSION;
    return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int *version)
{
    *version = CUDART_VERSION;
    return cudaSuccess;
}

/* The values of a new context on an H200. */
static size_t stack_bytes = 1024, heap_bytes = 8388608;

static cudaError_t set_limit(RingLimit limit, size_t bytes, size_t *kept)
{
    cudaError_t error = client_call(RING_SET_LIMIT, (RingWords){{limit, bytes}}, NULL);
    if (error == cudaSuccess)
        *kept = bytes;
    return result(error);
}

/* The other limits change no result. */
cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t bytes)
{
    switch (limit) {
    case cudaLimitStackSize: return set_limit(RING_LIMIT_STACK, bytes, &stack_bytes);
    case cudaLimitMallocHeapSize: return set_limit(RING_LIMIT_HEAP, bytes, &heap_bytes);
    default: return cudaSuccess;
    }
}

cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit)
{
    switch (limit) {
    case cudaLimitStackSize: *value = stack_bytes; break;
    case cudaLimitPrintfFifoSize: *value = 8650752; break;
    case cudaLimitMallocHeapSize: *value = heap_bytes; break;
    case cudaLimitPersistingL2CacheSize: *value = 0; break;
    default: return result(cudaErrorUnsupportedLimit);
    }
    return cudaSuccess;
}

struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, enum cudaChannelFormatKind kind)
{
    return (struct cudaChannelFormatDesc){x, y, z, w, kind};
}
