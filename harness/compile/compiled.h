/* compiled.h - what came of a compilation: a shared object with its modules, or what is wrong with the source.  */
#ifndef HARNESS_COMPILE_COMPILED_H
#define HARNESS_COMPILE_COMPILED_H

#include "base/arena.h"
#include "base/hash.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct CompileKernel {
    const char *name; /* demangled where it can be */
    uint32_t registers, shared_bytes, spill_bytes, stack_bytes, constant_bytes;
} CompileKernel;

typedef struct CompileModule { /* one fatbin of the object's .nv_fatbin section */
    const void *image;
    size_t bytes;
} CompileModule;

typedef enum CompileOutcome {
    COMPILE_OK,
    COMPILE_ERROR,       /* the compiler or linker said no: see diagnostics */
    COMPILE_UNSUPPORTED, /* clang's first error is a part of CUDA that it lacks here and nvcc has */
    COMPILE_TIME_LIMIT,  /* it did not end in time: a template or include bomb */
    COMPILE_TOO_LARGE    /* memory or output beyond the limits */
} CompileOutcome;

typedef struct Compiled {
    CompileOutcome outcome;
    bool cached;
    double seconds;          /* of compiler and linker; of the first compilation where cached */
    Text diagnostics;        /* at most 64 KiB, paths inside the sandbox replaced by file_name, printable; where the
                                  * outcome is not COMPILE_OK, the first line says what is wrong */
    const char *object_path; /* the shared object, inside the scratch folder; NULL where there is none */
    CompileModule *modules;
    size_t module_count;
    CompileKernel *kernels; /* as nvcc tells of them; none where clang compiled */
    size_t kernel_count;
    Digest machine_code; /* equal for submissions that compile to the same code for device and host, whatever
                                  * their names, comments and lines */
    Arena arena;
} Compiled;

void compiled_free(Compiled *compiled);

#endif
