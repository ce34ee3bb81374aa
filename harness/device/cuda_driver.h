/* cuda_driver.h - the part of NVIDIA's driver library, libcuda.so.1, that the judge calls, opened at run time.
 *
 * cuda.h is not included, so that the judge builds without a toolkit, and because its error names would collide with
 * those of ring.h, which have the same values. Every call returns a CudaError; 0 is success.
 *
 * Source   CUDA Driver API 13.0; values of the enumerations from its cuda.h.  */
#ifndef HARNESS_DEVICE_CUDA_DRIVER_H
#define HARNESS_DEVICE_CUDA_DRIVER_H

#include "base/status.h"
#include "harness/device/device.h"
#include "harness/protocol/ring.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef int CuDevice;
typedef uint64_t CuAddress; /* CUdeviceptr */
typedef struct CUctx_st *CuContext;
typedef struct CUmod_st *CuModule;
typedef struct CUfunc_st *CuFunction;
typedef struct CUstream_st *CuStream;
typedef struct CUevent_st *CuEvent;
typedef struct CUarray_st *CuArray;
typedef unsigned long long CuTexture;    /* CUtexObject */
typedef unsigned long long CuSurface;    /* CUsurfObject */
typedef unsigned long long CuAllocation; /* CUmemGenericAllocationHandle */

typedef struct CuUuid {
    unsigned char bytes[16];
} CuUuid;

#define CU_STREAM_LEGACY ((CuStream)1)

enum { CU_TENSOR_NOT_INTERLEAVED = 0 }; /* CUtensorMapInterleave */

enum { /* CUdevice_attribute */
       CU_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 1,
       CU_ATTRIBUTE_MAX_BLOCK_DIM_X = 2, /* Y and Z follow */
       CU_ATTRIBUTE_MAX_GRID_DIM_X = 5,  /* Y and Z follow */
       CU_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK = 8,
       CU_ATTRIBUTE_TOTAL_CONSTANT_MEMORY = 9,
       CU_ATTRIBUTE_WARP_SIZE = 10,
       CU_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK = 12,
       CU_ATTRIBUTE_CLOCK_RATE = 13, /* kHz */
       CU_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
       CU_ATTRIBUTE_MEMORY_CLOCK_RATE = 36,       /* kHz */
       CU_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH = 37, /* bits */
       CU_ATTRIBUTE_L2_CACHE_SIZE = 38,
       CU_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR = 39,
       CU_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
       CU_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
       CU_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR = 81,
       CU_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR = 82,
       CU_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS = 88,
       CU_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97,
       CU_ATTRIBUTE_EXPORTS_DESCRIPTORS = 103, /* ..._HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED */
       CU_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR = 106,
       CU_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK = 111
};

enum { /* CUfunction_attribute */
       CU_FUNCTION_MAX_THREADS_PER_BLOCK = 0,
       CU_FUNCTION_SHARED_SIZE_BYTES = 1,
       CU_FUNCTION_CONST_SIZE_BYTES = 2,
       CU_FUNCTION_LOCAL_SIZE_BYTES = 3,
       CU_FUNCTION_NUM_REGS = 4,
       CU_FUNCTION_PTX_VERSION = 5,
       CU_FUNCTION_BINARY_VERSION = 6,
       CU_FUNCTION_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8
};

enum {
    CU_CONTEXT_SCHEDULE_SPIN = 1, /* CUctx_flags */
    CU_LIMIT_STACK = 0,           /* CUlimit */
    CU_LIMIT_MALLOC_HEAP = 2,     /* CUlimit */
    CU_LIMIT_PERSISTING_L2 = 6,   /* CUlimit */
    CU_STREAM_BLOCKING = 0,
    CU_STREAM_NON_BLOCKING = 1, /* CUstream_flags */
    CU_EVENT_TIMED = 0,
    CU_EVENT_UNTIMED = 2, /* CUevent_flags */
    CU_WAIT_VALUE_EQ = 1, /* CUstreamWaitValue_flags */
    CU_HOST_ALLOC_DEVICE_MAP = 2,
    CU_HOST_REGISTER_DEVICE_MAP = 2,
    CU_ALLOCATION_PINNED = 1, /* CUmemAllocationType */
    CU_HANDLE_DESCRIPTOR = 1, /* CUmemAllocationHandleType: a POSIX file descriptor */
    CU_LOCATION_DEVICE = 1,   /* CUmemLocationType */
    CU_ACCESS_READ_WRITE = 3, /* CUmemAccess_flags */
    CU_GRANULARITY_RECOMMENDED = 1,
    CU_MEMORY_HOST = 1,
    CU_MEMORY_DEVICE = 2,
    CU_MEMORY_ARRAY = 3, /* CUmemorytype */
    CU_RESOURCE_ARRAY = 0,
    CU_RESOURCE_LINEAR = 2,
    CU_RESOURCE_PITCH2D = 3 /* CUresourcetype */
};

/* cuLaunchKernel()'s `extra` */
#define CU_LAUNCH_PARAMETER_END ((void *)0)
#define CU_LAUNCH_PARAMETER_BUFFER ((void *)1)
#define CU_LAUNCH_PARAMETER_BYTES ((void *)2)

enum { CU_LAUNCH_CLUSTER = 4 }; /* CUlaunchAttributeID */

typedef struct CuLaunchAttribute { /* CUlaunchAttribute */
    uint64_t id;                   /* 32 bits, and 4 bytes that nobody reads */
    unsigned cluster[3];           /* of a union of 64 bytes */
    unsigned char unused[52];
} CuLaunchAttribute;

typedef struct CuLaunchConfig { /* CUlaunchConfig */
    unsigned grid[3], block[3];
    unsigned shared_bytes;
    CuStream stream;
    CuLaunchAttribute *attributes;
    unsigned attribute_count;
} CuLaunchConfig;

typedef struct CuLocation {
    int type; /* CU_LOCATION_DEVICE */
    int id;
} CuLocation;

typedef struct CuAllocationProperties { /* CUmemAllocationProp */
    int type;                           /* CU_ALLOCATION_PINNED */
    int handle_types;                   /* for exported memory: CU_HANDLE_DESCRIPTOR */
    CuLocation location;
    void *windows_metadata;
    unsigned char flags[8];
} CuAllocationProperties;

typedef struct CuAccess { /* CUmemAccessDesc */
    CuLocation location;
    int flags; /* CU_ACCESS_READ_WRITE */
} CuAccess;

typedef struct CuArrayDescription { /* CUDA_ARRAY3D_DESCRIPTOR_v2 */
    size_t width, height, depth;    /* elements; 0: there is no such dimension */
    int format;                     /* CUarray_format */
    unsigned channels;              /* 1, 2 or 4 */
    unsigned flags;
} CuArrayDescription;

typedef struct CuCopy3D { /* CUDA_MEMCPY3D_v2 */
    size_t source_x_bytes, source_y, source_z, source_lod;
    int source_type;
    const void *source_host;
    CuAddress source_device;
    CuArray source_array;
    void *source_reserved;
    size_t source_pitch, source_height;
    size_t target_x_bytes, target_y, target_z, target_lod;
    int target_type;
    void *target_host;
    CuAddress target_device;
    CuArray target_array;
    void *target_reserved;
    size_t target_pitch, target_height;
    size_t width_bytes, height, depth;
} CuCopy3D;

typedef struct CuResource { /* CUDA_RESOURCE_DESC */
    int type;
    union {
        struct {
            CuArray array;
        } array;
        struct {
            CuAddress address;
            int format;
            unsigned channels;
            size_t bytes;
        } linear;
        struct {
            CuAddress address;
            int format;
            unsigned channels;
            size_t width, height, pitch_bytes;
        } pitch2d;
        int reserved[32];
    } of;
    unsigned flags;
} CuResource;

typedef struct CuTextureDescription { /* CUDA_TEXTURE_DESC */
    int address_mode[3];
    int filter_mode;
    unsigned flags;
    unsigned max_anisotropy;
    int mipmap_filter_mode;
    float mipmap_level_bias, min_mipmap_level_clamp, max_mipmap_level_clamp;
    float border_colour[4];
    int reserved[12];
} CuTextureDescription;

/* One row per call: name in cuda.h, symbol in the library, parameters. */
#define CUDA_DRIVER_CALLS(CALL)                                                                                        \
    CALL(cuInit, "cuInit", (unsigned flags))                                                                           \
    CALL(cuDriverGetVersion, "cuDriverGetVersion", (int *version))                                                     \
    CALL(cuDeviceGetCount, "cuDeviceGetCount", (int *count))                                                           \
    CALL(cuDeviceGet, "cuDeviceGet", (CuDevice * device, int ordinal))                                                 \
    CALL(cuDeviceGetName, "cuDeviceGetName", (char *name, int size, CuDevice device))                                  \
    CALL(cuDeviceGetUuid, "cuDeviceGetUuid_v2", (CuUuid * uuid, CuDevice device))                                      \
    CALL(cuDeviceGetAttribute, "cuDeviceGetAttribute", (int *value, int attribute, CuDevice device))                   \
    CALL(cuDeviceTotalMem, "cuDeviceTotalMem_v2", (size_t * bytes, CuDevice device))                                   \
    CALL(cuDevicePrimaryCtxSetFlags, "cuDevicePrimaryCtxSetFlags_v2", (CuDevice device, unsigned flags))               \
    CALL(cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain", (CuContext * context, CuDevice device))                 \
    CALL(cuDevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2", (CuDevice device))                                 \
    CALL(cuCtxSetCurrent, "cuCtxSetCurrent", (CuContext context))                                                      \
    CALL(cuCtxSetLimit, "cuCtxSetLimit", (int limit, size_t value))                                                    \
    CALL(cuCtxResetPersistingL2Cache, "cuCtxResetPersistingL2Cache", (void))                                           \
    CALL(cuCtxSynchronize, "cuCtxSynchronize", (void))                                                                 \
    CALL(cuMemGetInfo, "cuMemGetInfo_v2", (size_t * free_bytes, size_t * all_bytes))                                   \
    CALL(cuMemGetAllocationGranularity, "cuMemGetAllocationGranularity",                                               \
         (size_t * bytes, const CuAllocationProperties *properties, int option))                                       \
    CALL(cuMemAddressReserve, "cuMemAddressReserve",                                                                   \
         (CuAddress * address, size_t bytes, size_t alignment, CuAddress wanted, unsigned long long flags))            \
    CALL(                                                                                                              \
        cuMemCreate, "cuMemCreate",                                                                                    \
        (CuAllocation * allocation, size_t bytes, const CuAllocationProperties *properties, unsigned long long flags)) \
    CALL(cuMemRelease, "cuMemRelease", (CuAllocation allocation))                                                      \
    CALL(cuMemMap, "cuMemMap",                                                                                         \
         (CuAddress address, size_t bytes, size_t offset, CuAllocation allocation, unsigned long long flags))          \
    CALL(cuMemSetAccess, "cuMemSetAccess", (CuAddress address, size_t bytes, const CuAccess *access, size_t count))    \
    CALL(cuMemUnmap, "cuMemUnmap", (CuAddress address, size_t bytes))                                                  \
    CALL(cuMemAddressFree, "cuMemAddressFree", (CuAddress address, size_t bytes))                                      \
    CALL(cuMemExportToShareableHandle, "cuMemExportToShareableHandle",                                                 \
         (void *handle, CuAllocation allocation, int handle_type, unsigned long long flags))                           \
    CALL(cuMemImportFromShareableHandle, "cuMemImportFromShareableHandle",                                             \
         (CuAllocation * allocation, void *handle, int handle_type))                                                   \
    CALL(cuMemHostAlloc, "cuMemHostAlloc", (void **memory, size_t bytes, unsigned flags))                              \
    CALL(cuMemHostRegister, "cuMemHostRegister_v2", (void *memory, size_t bytes, unsigned flags))                      \
    CALL(cuMemHostUnregister, "cuMemHostUnregister", (void *memory))                                                   \
    CALL(cuMemHostGetDevicePointer, "cuMemHostGetDevicePointer_v2",                                                    \
         (CuAddress * address, void *memory, unsigned flags))                                                          \
    CALL(cuMemcpyHtoDAsync, "cuMemcpyHtoDAsync_v2", (CuAddress to, const void *from, size_t bytes, CuStream stream))   \
    CALL(cuMemcpyDtoHAsync, "cuMemcpyDtoHAsync_v2", (void *to, CuAddress from, size_t bytes, CuStream stream))         \
    CALL(cuMemcpyDtoDAsync, "cuMemcpyDtoDAsync_v2", (CuAddress to, CuAddress from, size_t bytes, CuStream stream))     \
    CALL(cuMemcpy3DAsync, "cuMemcpy3DAsync_v2", (const CuCopy3D *copy, CuStream stream))                               \
    CALL(cuMemsetD8Async, "cuMemsetD8Async", (CuAddress to, unsigned char value, size_t count, CuStream stream))       \
    CALL(cuMemsetD32Async, "cuMemsetD32Async", (CuAddress to, unsigned value, size_t count, CuStream stream))          \
    CALL(cuMemsetD2D8Async, "cuMemsetD2D8Async",                                                                       \
         (CuAddress to, size_t pitch, unsigned char value, size_t width, size_t height, CuStream stream))              \
    CALL(cuArray3DCreate, "cuArray3DCreate_v2", (CuArray * array, const CuArrayDescription *description))              \
    CALL(cuArrayDestroy, "cuArrayDestroy", (CuArray array))                                                            \
    CALL(cuTexObjectCreate, "cuTexObjectCreate",                                                                       \
         (CuTexture * texture, const CuResource *resource, const CuTextureDescription *description, const void *view)) \
    CALL(cuTexObjectDestroy, "cuTexObjectDestroy", (CuTexture texture))                                                \
    CALL(cuTensorMapEncodeTiled, "cuTensorMapEncodeTiled",                                                             \
         (void *map, int type, unsigned rank, void *address, const uint64_t *extents, const uint64_t *strides,         \
          const uint32_t *box, const uint32_t *steps, int interleave, int swizzle, int promotion, int fill))           \
    CALL(cuSurfObjectCreate, "cuSurfObjectCreate", (CuSurface * surface, const CuResource *resource))                  \
    CALL(cuSurfObjectDestroy, "cuSurfObjectDestroy", (CuSurface surface))                                              \
    CALL(cuModuleLoadData, "cuModuleLoadData", (CuModule * module, const void *image))                                 \
    CALL(cuModuleUnload, "cuModuleUnload", (CuModule module))                                                          \
    CALL(cuModuleGetFunction, "cuModuleGetFunction", (CuFunction * function, CuModule module, const char *name))       \
    CALL(cuModuleGetGlobal, "cuModuleGetGlobal_v2",                                                                    \
         (CuAddress * address, size_t * bytes, CuModule module, const char *name))                                     \
    CALL(cuFuncGetAttribute, "cuFuncGetAttribute", (int *value, int attribute, CuFunction function))                   \
    CALL(cuFuncSetAttribute, "cuFuncSetAttribute", (CuFunction function, int attribute, int value))                    \
    CALL(cuFuncGetParamInfo, "cuFuncGetParamInfo",                                                                     \
         (CuFunction function, size_t index, size_t * offset, size_t * bytes))                                         \
    CALL(cuOccupancyMaxActiveBlocksPerMultiprocessor, "cuOccupancyMaxActiveBlocksPerMultiprocessor",                   \
         (int *blocks, CuFunction function, int threads, size_t dynamic_shared_bytes))                                 \
    CALL(cuLaunchKernel, "cuLaunchKernel",                                                                             \
         (CuFunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,  \
          unsigned block_z, unsigned shared_bytes, CuStream stream, void **parameters, void **extra))                  \
    CALL(cuLaunchKernelEx, "cuLaunchKernelEx",                                                                         \
         (const CuLaunchConfig *config, CuFunction function, void **parameters, void **extra))                         \
    CALL(cuLaunchCooperativeKernel, "cuLaunchCooperativeKernel",                                                       \
         (CuFunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,  \
          unsigned block_z, unsigned shared_bytes, CuStream stream, void **parameters))                                \
    CALL(cuStreamCreate, "cuStreamCreate", (CuStream * stream, unsigned flags))                                        \
    CALL(cuStreamDestroy, "cuStreamDestroy_v2", (CuStream stream))                                                     \
    CALL(cuStreamQuery, "cuStreamQuery", (CuStream stream))                                                            \
    CALL(cuStreamWaitEvent, "cuStreamWaitEvent", (CuStream stream, CuEvent event, unsigned flags))                     \
    CALL(cuStreamWaitValue64, "cuStreamWaitValue64_v2",                                                                \
         (CuStream stream, CuAddress address, uint64_t value, unsigned flags))                                         \
    CALL(cuStreamWriteValue64, "cuStreamWriteValue64_v2",                                                              \
         (CuStream stream, CuAddress address, uint64_t value, unsigned flags))                                         \
    CALL(cuEventCreate, "cuEventCreate", (CuEvent * event, unsigned flags))                                            \
    CALL(cuEventDestroy, "cuEventDestroy_v2", (CuEvent event))                                                         \
    CALL(cuEventRecord, "cuEventRecord", (CuEvent event, CuStream stream))                                             \
    CALL(cuEventQuery, "cuEventQuery", (CuEvent event))                                                                \
    CALL(cuEventElapsedTime, "cuEventElapsedTime", (float *milliseconds, CuEvent start, CuEvent stop))

typedef struct CudaDriver {
#define CUDA_DRIVER_MEMBER(name, symbol, parameters) CudaError(*name) parameters;
    CUDA_DRIVER_CALLS(CUDA_DRIVER_MEMBER)
#undef CUDA_DRIVER_MEMBER
} CudaDriver;

/* Opens the driver library (the environment variable CONVJUDGE_CUDA_DRIVER names another one than libcuda.so.1) and
 * initialises it, once per process. NOT_FOUND: there is no driver, or it finds no device. UNSUPPORTED: the driver is
 * too old or does not start. The message says what was found and what is needed. */
MUST_USE Status cuda_driver_open(const CudaDriver **driver, Message *why);
/* The folder in which the driver library lies and finds its other parts; "": there is none. Initialises nothing. */
void cuda_driver_folder(char *folder, size_t size);

/* ==== which GPUs the driver sees ================================================================================== */

/* Which GPUs the driver of this process sees.
 *
 * A driver that sees several GPUs starts all of them, and each context is made known to all. A process that uses one GPU shows
 * its driver that one alone, and neither is done for the others (lab/measurements.md, "A class in one command").
 *
 * Source  CUDA C++ Programming Guide, "CUDA Environment Variables": CUDA_VISIBLE_DEVICES. */

/* ==== cuda files ================================================================================================== */

/* The GPUs that the host's kernel tells of, and the device files of one of them.
 *
 * A driver starts each GPU whose files it can open, whatever CUDA_VISIBLE_DEVICES says, which costs time on a host with
 * several (lab/measurements.md, "A class in one command").
 *
 * Source  NVIDIA driver README, "/proc file system interface", for /proc/driver/nvidia/gpus; NVIDIA Multi-Instance GPU User Guide, "Device
 *         Nodes and Capabilities"; CUDA C++ Programming Guide, "CUDA Environment Variables", for the order of GPUs and what CUDA_VISIBLE_DEVICES may name. */

enum { CUDA_MOST_GPUS = 64 };

typedef struct HostGpu {
    char model[80];
    char uuid[64]; /* "": not known, as before the driver has ever started the GPU, or that of a GPU divided by MIG */
    int minor;     /* its device file is /dev/nvidia<minor> */
} HostGpu;

/* The GPUs whose device files this process may use, in the order of their places on the bus; `root`: "", or a folder that stands for /. Returns
 * how many there are, at most `most`. */
size_t cuda_host_gpus(const char *root, HostGpu *gpus, size_t most);

/* Returns the GPU that CUDA_VISIBLE_DEVICES means by `entry`, a number or the beginning of a UUID. -1: that is not
 * certain, for example a number where the models differ, since the driver orders them itself unless `by_bus`. */
int cuda_host_gpu(const HostGpu *gpus, size_t count, const char *entry, bool by_bus);

/* The files of the GPU whose UUID begins with `uuid`, which may be NULL; a number means another GPU as soon as others cannot be opened. None:
 * which they are is not sure, or the driver has yet to make one of them. The driver must not have started. */
void cuda_files(const char *root, const char *uuid, DeviceFiles *files);

/* ==== cuda visible ================================================================================================ */

/* Hides all GPUs but number `ordinal` of the visible ones from a process that uses one GPU, before its driver starts.
 * If no GPU has that number, or if the host does not say how many it has, all stay visible. */
void cuda_show_only(int ordinal);

/* Returns the name of that GPU in CUDA_VISIBLE_DEVICES; NULL: all are visible. */
const char *cuda_shown_entry(void);

/* The driver's number of the GPU that has this number for the judge. */
int cuda_shown_ordinal(int ordinal);

/* The entry of a list like that of CUDA_VISIBLE_DEVICES; `list` NULL: the list is 0 to `gpus` - 1. False: it has no such entry. */
bool cuda_visible_entry(const char *list, int gpus, int ordinal, char *entry, size_t size);

#endif
