#include "harness/runtime/older.h"
#include "harness/runtime/cuda_api.h"

#include <string.h>

static int major = 13; /* version of the CUDA headers that the submission was compiled with */

void convjudge_compiled_for(int cuda_major)
{
    major = cuda_major;
}

bool compiled_for_11(void)
{
    return major <= 11;
}

bool compiled_before_13(void)
{
    return major < 13;
}

void fill_struct(void *to, const void *from, size_t bytes_in_11, size_t bytes_in_12, size_t bytes)
{
    memcpy(to, from, major <= 11 ? bytes_in_11 : major == 12 ? bytes_in_12 : bytes);
}

/* ---- cudaDeviceProp ---------------------------------------------------------------------------------------------- */

/* cudaDeviceProp of CUDA 11.8 (driver_types.h). The one of CUDA 12 begins with the same fields. */
typedef struct OlderProperties {
    char name[256];
    cudaUUID_t uuid;
    char luid[8];
    unsigned int luidDeviceNodeMask;
    size_t totalGlobalMem, sharedMemPerBlock;
    int regsPerBlock, warpSize;
    size_t memPitch;
    int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], clockRate;
    size_t totalConstMem;
    int major, minor;
    size_t textureAlignment, texturePitchAlignment;
    int deviceOverlap, multiProcessorCount, kernelExecTimeoutEnabled, integrated, canMapHostMemory, computeMode;
    int maxTexture1D, maxTexture1DMipmap, maxTexture1DLinear;
    int maxTexture2D[2], other_textures[21];
    int surfaces[14];
    size_t surfaceAlignment;
    int concurrentKernels, ECCEnabled, pciBusID, pciDeviceID, pciDomainID, tccDriver, asyncEngineCount;
    int unifiedAddressing, memoryClockRate, memoryBusWidth, l2CacheSize, persistingL2CacheMaxSize;
    int maxThreadsPerMultiProcessor, streamPrioritiesSupported, globalL1CacheSupported, localL1CacheSupported;
    size_t sharedMemPerMultiprocessor;
    int regsPerMultiprocessor, managedMemory, isMultiGpuBoard, multiGpuBoardGroupID, hostNativeAtomicSupported;
    int singleToDoublePrecisionPerfRatio, pageableMemoryAccess, concurrentManagedAccess, computePreemptionSupported;
    int canUseHostPointerForRegisteredMem, cooperativeLaunch, cooperativeMultiDeviceLaunch;
    size_t sharedMemPerBlockOptin;
    int pageableMemoryAccessUsesHostPageTables, directManagedMemAccessFromHost, maxBlocksPerMultiProcessor;
    int accessPolicyMaxWindowSize;
    size_t reservedSharedMemPerBlock;
} OlderProperties;

_Static_assert(offsetof(OlderProperties, surfaceAlignment) == 568 && sizeof(OlderProperties) == 728, "as in CUDA 11.8");

/* Copies a range of fields that have the same order in both structs. */
#define COPY(first, last)                                                                                              \
    memcpy(&older.first, &properties->first,                                                                           \
           offsetof(OlderProperties, last) + sizeof older.last - offsetof(OlderProperties, first))

void fill_older_properties(void *to, const struct cudaDeviceProp *properties, int clock_khz, int memory_clock_khz)
{
    OlderProperties older = {.deviceOverlap = 1, .clockRate = clock_khz, .memoryClockRate = memory_clock_khz};
    COPY(name, maxGridSize);
    COPY(totalConstMem, texturePitchAlignment);
    older.multiProcessorCount = properties->multiProcessorCount;
    COPY(integrated, canMapHostMemory);
    COPY(maxTexture1D, maxTexture1DMipmap);
    COPY(maxTexture2D, surfaces);
    COPY(surfaceAlignment, unifiedAddressing);
    COPY(memoryBusWidth, hostNativeAtomicSupported);
    COPY(pageableMemoryAccess, cooperativeLaunch);
    COPY(sharedMemPerBlockOptin, reservedSharedMemPerBlock);
    memcpy(to, &older, sizeof older);
}
