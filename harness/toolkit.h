/* toolkit.h - finds the CUDA toolkit: CONVJUDGE_NVCC, build/toolchain beside the judge, PATH, CUDA_HOME, the usual
 * folders, in this order; and the judge's own files.  */
#ifndef HARNESS_TOOLKIT_H
#define HARNESS_TOOLKIT_H

#include "base/status.h"

#include <stddef.h>

enum { TOOLKIT_MAX_ARCHITECTURES = 64 };

typedef struct Toolkit {
    char nvcc[4096];   /* root/bin/nvcc */
    char root[4096];   /* the folder that must be visible for nvcc to work, links resolved, as nvcc itself says */
    char version[64];  /* "13.0.88" */
    int architectures[TOOLKIT_MAX_ARCHITECTURES]; /* that nvcc makes machine code for: 75, 80, ... */
    size_t architecture_count;
} Toolkit;

/* STATUS_NOT_FOUND with a message that says what to do where there is none. */
MUST_USE Status toolkit_find(Toolkit *toolkit, Message *why);

/* nvcc's -gencode for a device of compute capability `compute` (90 for 9.0): machine code and PTX of the same, or, for a
 * device newer than nvcc, of the newest that it knows, from whose PTX the driver makes the rest. `*architecture` is what
 * was chosen. UNSUPPORTED: the device is older than anything that nvcc knows. */
MUST_USE Status toolkit_gencode(const Toolkit *toolkit, int compute, int *architecture, char *option, size_t size,
                                Message *why);

/* The judge's data, "problems" or "simgpu/profiles/h200.json": below CONVJUDGE_HOME, else below the first folder above
 * the running binary that looks like the judge's. */
MUST_USE Status home_path(const char *relative, char *path, size_t size, Message *why);

/* What was built with the running binary, "libcudart.so.13" or "convjudge-runner": beside it, or in the nearest folder
 * above it that has it (unit tests lie deeper). */
MUST_USE Status build_path(const char *relative, char *path, size_t size, Message *why);

#endif
