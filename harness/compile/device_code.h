/* device_code.h - the judge's own kernels, compiled for one kind of GPU when they are first needed.
 *
 * A .cu file of the judge becomes a fatbin with machine code and PTX, which any device can load (device/device.h). It
 * is kept in the compile cache under a hash of all files read, the options and the toolkit.
 *
 * Source files include others by their path in the judge's folder, "grader/problem/generator.h".  */
#ifndef HARNESS_COMPILE_DEVICE_CODE_H
#define HARNESS_COMPILE_DEVICE_CODE_H

#include "base/status.h"
#include "base/text.h"

#include <stdbool.h>

typedef struct DeviceCodeJob {
    const char *source;         /* absolute path of the .cu file */
    const char *const *inputs;  /* absolute paths of the files that it includes, NULL at the end; NULL: none */
    const char *const *options; /* more options for nvcc, NULL at the end; NULL: none */
    const char *include;        /* content of "generated.h", which the source may include; NULL: there is none */
    int compute;                /* 90: machine code for sm_90, PTX for compute_90 */
    bool with_features;         /* sm_90a and compute_90a instead: for instructions that only this architecture has */
} DeviceCodeJob;

/* STATUS_NOT_FOUND if there is no nvcc, STATUS_BAD_INPUT if the source does not compile. The caller frees `image`. */
MUST_USE Status device_code_build(const DeviceCodeJob *job, Text *image, Message *why);

#endif
