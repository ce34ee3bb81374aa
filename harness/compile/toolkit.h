/* toolkit.h - finds the compiler of submissions.
 *
 * nvcc is looked for in CONVJUDGE_NVCC, build/toolchain beside the judge, PATH, CUDA_HOME and the usual folders, in
 * this order. Where there is none, the lowest version of clang from 16 on that is on PATH compiles for the simulated
 * GPU, with the judge's own CUDA headers (harness/cuda/). CONVJUDGE_COMPILER=nvcc or =clang chooses between them.  */
#ifndef HARNESS_COMPILE_TOOLKIT_H
#define HARNESS_COMPILE_TOOLKIT_H

#include "base/status.h"

#include <stddef.h>

enum { TOOLKIT_MAX_ARCHITECTURES = 64 };

typedef enum ToolkitKind { TOOLKIT_NVCC, TOOLKIT_CLANG } ToolkitKind;

typedef struct Toolkit {
    ToolkitKind kind;
    char compiler[4096]; /* root/bin/nvcc, root/bin/clang */
    char root[4096];     /* the folder that must be visible for it to work, links resolved, as nvcc itself says */
    char version[64];    /* "13.0.88" */
    char name[80];       /* "nvcc 13.0.88" */
    int major;           /* 13 */
    int architectures[TOOLKIT_MAX_ARCHITECTURES]; /* that it makes code for: 75, 80, ... */
    size_t architecture_count;
} Toolkit;

/* STATUS_NOT_FOUND with a message that says what to do where there is none. */
MUST_USE Status toolkit_find(Toolkit *toolkit, Message *why);
/* The same where only nvcc will do: what runs on a real GPU. */
MUST_USE Status toolkit_find_nvcc(Toolkit *toolkit, Message *why);

/* Modelled times of what two compilers made do not compare: makes the key of stored times (DeviceInfo.id)
 * "sim-h200-clang" where clang compiles. */
void toolkit_mark_times(const Toolkit *toolkit, char *device_id, size_t size);

/* What to compile for, for a device of compute capability `compute` (90 for 9.0): the same, or, for a device newer
 * than the compiler, the newest that it knows. UNSUPPORTED: the device is older than anything that it knows. */
MUST_USE Status toolkit_architecture(const Toolkit *toolkit, int compute, int *architecture, Message *why);
/* nvcc's -gencode for it: machine code, and PTX, from which the driver makes code for newer devices. */
MUST_USE Status toolkit_gencode(const Toolkit *toolkit, int compute, char *option, size_t size, Message *why);

#endif
