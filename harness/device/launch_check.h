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

/* CUDA_ERROR_SUCCESS, or the error; `hint` names what was found and what is allowed, "" if the launch is accepted:
 * "2048 threads per block, at most 1024". */
CudaError launch_check(const DeviceInfo *device, const DeviceFunctionInfo *function, const LaunchShape *shape,
                       char *hint, size_t size);

/* ==== tensor check ================================================================================================ */

/* Checks whether CUDA can make a tensor map, and how much memory it leads to.
 *
 * Errors   none; a tensor that CUDA refuses is a finding.
 * Source   CUDA Driver API 13.0, Tensor Map Object Management: cuTensorMapEncodeTiled. */

/* Why CUDA refuses a tensor, in a few words; NULL: it does not. */
const char *tensor_refusal(const DeviceTensor *tensor);
/* Bytes from the first element to the end of the last, of a tensor that is not refused; false: more than there can be. */
bool tensor_span(const DeviceTensor *tensor, uint64_t *bytes);

#endif
