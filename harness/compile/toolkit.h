/* toolkit.h - finds the compiler of submissions.
 *
 * nvcc is looked for in CONVJUDGE_NVCC, toolchain/ beside the judge's program, PATH, CUDA_HOME and the usual folders, in
 * this order. If there is none, the newest clang on PATH, from 16 on, that can do it compiles for the simulated GPU, with
 * the judge's own CUDA headers (harness/cuda/). CONVJUDGE_COMPILER=nvcc or =clang chooses between them.  */
#ifndef HARNESS_COMPILE_TOOLKIT_H
#define HARNESS_COMPILE_TOOLKIT_H

#include "base/hash.h"
#include "base/status.h"
#include "base/text.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* ==== device code ================================================================================================= */

/* The judge's own kernels, compiled for one kind of GPU when they are first needed.
 *
 * A .cu file of the judge becomes a fatbin with machine code and PTX, which any device can load (device/device.h). It
 * is kept in the compile cache under a hash of all files read, the options and the toolkit.
 *
 * Source files include others by their path in the judge's folder, "grader/problem/generator.h". */

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

/* ==== toolkit ===================================================================================================== */

enum { TOOLKIT_MAX_ARCHITECTURES = 64 };

typedef enum ToolkitKind { TOOLKIT_NVCC, TOOLKIT_CLANG } ToolkitKind;

typedef struct Toolkit {
    ToolkitKind kind;
    char compiler[4096]; /* root/bin/nvcc, root/bin/clang */
    char root[4096];     /* the folder that the compiler needs, links resolved, as nvcc reports it */
    char version[64];    /* "13.0.88" */
    char name[80];       /* "nvcc 13.0.88" */
    int major;           /* 13 */
    int architectures[TOOLKIT_MAX_ARCHITECTURES]; /* that it compiles for: 75, 80, ... */
    size_t architecture_count;
    char passed_over[300]; /* why clang was taken although there is an nvcc; "": it was not */
} Toolkit;

/* nvcc, or clang if no nvcc answers. STATUS_NOT_FOUND, and a message that says what to do, if there is no compiler. */
MUST_USE Status toolkit_find(Toolkit *toolkit, Message *why);
/* The same for code that runs on a real GPU, which only nvcc compiles. */
MUST_USE Status toolkit_find_nvcc(Toolkit *toolkit, Message *why);

/* The newest clang on PATH that compiles a small kernel with the judge's headers (harness/cuda/probe.cu). That it does is
 * kept in the compile cache. STATUS_NOT_FOUND, and why the newest does not, if none does. */
MUST_USE Status toolkit_find_clang(Toolkit *toolkit, Message *why);

/* Advice for messages. */
#define HOW_TO_GET_NVCC "run `make toolchain`, or install the CUDA toolkit and set CUDA_HOME to its folder"
#define HOW_TO_GET_EITHER HOW_TO_GET_NVCC "; for the simulated GPU, clang 16 or later is enough"

/* Adds what identifies the compiler, wherever it lies: its version and the sizes of its programs. */
void toolkit_hash(const Toolkit *toolkit, Hash *hash);

/* Modelled times of code from two compilers cannot be compared. If clang compiles, the key of stored times
 * (DeviceInfo.id) gets a suffix: "sim-h200-clang". */
void toolkit_mark_times(const Toolkit *toolkit, char *device_id, size_t size);

/* The architecture to compile for, for a device of compute capability `compute` (90 for 9.0): the same, or the newest
 * that the compiler knows if the device is newer. STATUS_UNSUPPORTED if the device is older than all of them. */
MUST_USE Status toolkit_architecture(const Toolkit *toolkit, int compute, int *architecture, Message *why);
/* Before CUDA 12, nvcc refuses -std=c++20. */
bool toolkit_knows_cpp20(const Toolkit *toolkit);
/* nvcc's option -gencode for it: machine code, and PTX from which the driver makes code for newer devices. With
 * `features` "a": code that may use what only this architecture has, and no other runs. */
MUST_USE Status toolkit_gencode(const Toolkit *toolkit, int compute, const char *features, char *option, size_t size,
                                Message *why);

/* ==== find program ================================================================================================ */

/* Looks for compilers and asks them what they are. */

/* Writes the path of a program, links resolved; false where `path` is none. */
bool program_at(const char *path, char program[PATH_MAX]);
/* The same for the first of this name on PATH, relative folders left out. */
bool program_on_path(const char *name, char program[PATH_MAX]);

/* Adds where a program lies, its size, and when it was changed. False: there is none, or it is a script, which may call
 * others that change without it. */
bool program_hash(const char *path, Hash *hash);

typedef bool ProgramAnswer(void *context, const char *output);

/* Runs a program that answers at once. What it answered last time is taken from the compile cache for as long as
 * program_hash() is the same. STATUS_NOT_FOUND with "<program>: does not report <what>; <advice>" where it fails
 * or `read` finds nothing in its output. */
MUST_USE Status program_ask(const char *const *argv, ProgramAnswer *read, void *context, const char *what,
                            const char *advice, Message *why);

/* Copies the text that follows `name` in an answer, up to one of the characters `ends`; false if there is none or no room. */
bool program_read_after(const char *output, const char *name, const char *ends, char *value, size_t size);

/* Reads a list such as "sm_90", one on each line, in any order, for program_ask() with a Toolkit. */
bool toolkit_read_architectures(void *context, const char *output);
/* Its name: "clang" and the version. */
void toolkit_set_name(Toolkit *toolkit, const char *compiler);

#endif
