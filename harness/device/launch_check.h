/* launch_check.h - checks whether CUDA accepts a launch, and names the limit that it breaks.
 *
 * The simulated GPU refuses a launch by this check, as the driver would. For every device the broker explains with it
 * what the bare error code leaves open.  */
#ifndef HARNESS_DEVICE_LAUNCH_CHECK_H
#define HARNESS_DEVICE_LAUNCH_CHECK_H

#include "harness/device/device.h"

#include <stddef.h>

/* ==== library ===================================================================================================== */

/* Opens a library of NVIDIA's at run time, so that the judge also runs on machines without it. */

typedef struct LibraryCall {
    const char *symbol;
    size_t member; /* offset of its pointer in the struct of calls */
} LibraryCall;

/* The name in the environment variable, if it is set, else the usual name. */
const char *library_name(const char *variable, const char *usual);
/* Fills in the struct of calls. Returns the first symbol that the library lacks; NULL: it has all. */
const char *library_bind(void *library, const LibraryCall *calls, size_t count, void *members);

/* ==== launch check ================================================================================================ */

/* CUDA_ERROR_SUCCESS, or the error, with the limit that is broken; `hint` names what was found and what is allowed, "" if the launch
 * is accepted: "2048 threads per block, at most 1024". */
CudaError launch_check(const DeviceInfo *device, const DeviceFunctionInfo *function, const LaunchShape *shape,
                       LaunchLimit *limit, char *hint, size_t size);

/* ==== tensor check ================================================================================================ */

/* Checks whether CUDA can make a tensor map, and how much memory it leads to.
 *
 * Errors   none; a tensor that CUDA refuses is a finding.
 * Source   CUDA Driver API 13.0, Tensor Map Object Management: cuTensorMapEncodeTiled. */

/* Why CUDA refuses a tensor, in a few words; NULL: it does not. */
const char *tensor_refusal(const DeviceTensor *tensor);
/* Bytes from the first element to the end of the last, of a tensor that is not refused; false: more than there can be. */
bool tensor_span(const DeviceTensor *tensor, uint64_t *bytes);

/* ==== array check ================================================================================================= */

/* Checks whether CUDA can create an array, and where the bytes of boxes lie.
 *
 * Shapes   as in device.h: elements in an array, bytes and rows in memory.
 * Errors   none; the answer is false if the arithmetic would overflow.
 * Source   CUDA C++ Programming Guide 13.0, "Technical Specifications per Compute Capability". */

/* Elements, for every device of compute capability 6.0 and above. */
enum {
    ARRAY_MAX_WIDTH_1D = 131072,
    ARRAY_MAX_WIDTH_2D = 131072,
    ARRAY_MAX_HEIGHT_2D = 65536,
    ARRAY_MAX_GATHER_2D = 32768, /* width and height, if tex2Dgather() may read the array */
    ARRAY_MAX_EXTENT_3D = 16384, /* each extent */
    ARRAY_MAX_SURFACE_1D = 32768,
    ARRAY_MAX_LAYERED = 32768, /* width and height */
    ARRAY_MAX_LAYERS = 2048
};

/* Bytes of one element; 0: there is no such format. */
uint64_t array_element_bytes(DeviceFormat format, uint32_t channels);
/* Returns true if such an array can exist, and sets the bytes of all its elements. */
bool array_check(const DeviceShape *shape, uint64_t *bytes);
/* True if the box lies in the array, and begins and ends between elements. */
bool array_holds(const DeviceShape *shape, const DevicePlace *place, const DeviceBox *box);
/* Bytes of memory from the first byte of the box to its last; false: rows or slices overlap. */
bool box_span(const DevicePlace *place, const DeviceBox *box, uint64_t *bytes);

#endif
