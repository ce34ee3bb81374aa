/* toolkit.h - finds the CUDA toolkit: CONVJUDGE_NVCC, build/toolchain beside the judge, PATH, CUDA_HOME, the usual
 * folders, in this order; and the judge's own files.  */
#ifndef HARNESS_TOOLKIT_H
#define HARNESS_TOOLKIT_H

#include "base/status.h"

#include <stddef.h>

typedef struct Toolkit {
    char nvcc[4096];   /* root/bin/nvcc */
    char root[4096];   /* the folder that must be visible for nvcc to work, links resolved, as nvcc itself says */
    char version[64];  /* "13.0.88" */
} Toolkit;

/* STATUS_NOT_FOUND with a message that says what to do where there is none. */
MUST_USE Status toolkit_find(Toolkit *toolkit, Message *why);

/* The judge's data, "problems" or "simgpu/profiles/h200.json": below CONVJUDGE_HOME, else below the first folder above
 * the running binary that looks like the judge's. */
MUST_USE Status home_path(const char *relative, char *path, size_t size, Message *why);

/* What was built with the running binary, "libcudart.so.13" or "convjudge-runner": beside it, or in the nearest folder
 * above it that has it (unit tests lie deeper). */
MUST_USE Status build_path(const char *relative, char *path, size_t size, Message *why);

#endif
