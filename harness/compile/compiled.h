/* compiled.h - the result of a compilation: a shared object with its modules, or what is wrong with the source.  */
#ifndef HARNESS_COMPILE_COMPILED_H
#define HARNESS_COMPILE_COMPILED_H

#include "base/arena.h"
#include "base/hash.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ==== compiled ==================================================================================================== */

typedef struct CompileKernel {
    const char *name; /* demangled if possible */
    uint32_t registers, shared_bytes, spill_bytes, stack_bytes, constant_bytes;
} CompileKernel;

typedef struct CompileModule { /* a fatbin of the compiler's device step */
    const void *image;
    size_t bytes;
} CompileModule;

typedef enum CompileOutcome {
    COMPILE_OK,
    COMPILE_ERROR,       /* the compiler or linker reported an error: see diagnostics */
    COMPILE_BROKEN,      /* clang's first error lies in a header of this system, and the submission is not its cause */
    COMPILE_UNSUPPORTED, /* clang's first error is about a part of CUDA that it lacks here and nvcc has */
    COMPILE_NESTED,      /* kernels launch kernels (dynamic parallelism) */
    COMPILE_TIME_LIMIT,  /* it did not end in time: a template or include bomb */
    COMPILE_TOO_LARGE    /* memory or output beyond the limits */
} CompileOutcome;

typedef struct Compiled {
    CompileOutcome outcome;
    bool cached;
    double seconds; /* of compiler and linker; if cached, of the first compilation */
    /* The compiler's output, printable and at most 64 KiB, with file_name in place of paths inside the sandbox. If the
     * outcome is not COMPILE_OK, the first line says what is wrong. */
    Text diagnostics;
    const char *object_path; /* the shared object, inside the scratch folder; NULL if there is none */
    CompileModule *modules;
    size_t module_count;
    CompileKernel *kernels; /* as nvcc reports them; none if clang compiled */
    size_t kernel_count;
    /* The digest of everything that runs, on device and host (compile.h). */
    Digest machine_code;
    Arena arena;
} Compiled;

void compiled_free(Compiled *compiled);

/* ==== library kernel ============================================================================================== */

/* Finds the whole-device algorithms of cub and thrust among the kernels of a submission.
 *
 * Such an algorithm (thrust::reduce, cub::DeviceScan) brings kernels of its own, which lie in the namespaces of these
 * libraries, whatever the source calls them: the compiler writes their names. What works within a block or a warp
 * (cub::BlockScan, cuda::atomic) is a part of the submission's own kernels. */

/* Writes the name of the first one, such as "cub::detail::reduce::DeviceReduceKernel"; false where there is none. */
bool library_kernel_find(const Compiled *compiled, char *name, size_t size);

/* The same for one kernel, given by its mangled name of `length` bytes. */
bool library_kernel_name(const char *mangled, size_t length, char *name, size_t size);

/* ==== host line =================================================================================================== */

/* The source line of an instruction in a submission's host code.
 *
 * Read from the object's line table by addr2line of binutils, in a sandbox, because the submission wrote the object. */

/* The line of the submission's file for the instruction at `offset` of the shared object; where it was inlined from a
 * header, the line in the file that led there. 0: unknown. */
int host_line(const char *object_path, uint64_t offset);

#endif
