/* compile.h - turns a submission's source into a shared object, inside the sandbox.
 *
 * Compiled as C++17 with -O3 and line information, by nvcc to machine code for the device and PTX side by side, by
 * clang to PTX alone (with the judge's own CUDA headers, harness/cuda/); fatbins stored plain; linked against the
 * judge's own libcudart. A prototype made from the problem's signature is included by force, so that a wrong signature
 * is an error at the student's own line; it also defines
 *
 *     extern "C" void convjudge_call(const unsigned long long *arguments);
 *
 * which calls solve() with each 64-bit word taken as its parameter's type (pointers, int; float by its bits).
 * "solve.h", which older files include, is on the include path and holds the same prototype.
 *
 * Compilations that succeed are kept in the compile cache (base/compile_cache.h) under the hash of source, prototype, flags,
 * toolkit and the judge's runtime.  */
#ifndef HARNESS_COMPILE_COMPILE_H
#define HARNESS_COMPILE_COMPILE_H

#include "base/arena.h"
#include "base/hash.h"
#include "base/status.h"
#include "base/text.h"
#include "harness/compile/toolkit.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Submissions are compiled under this name, so that their code does not depend on the student's. It stands in the line
 * information of PTX, as /submission/submission.cu: show the student's own name in its place. */
#define COMPILE_SOURCE_NAME "submission.cu"

typedef struct CompileJob {
    const char *file_name; /* what diagnostics call the source: the student's own file name */
    const char *source;    /* terminated */
    size_t source_bytes;
    const char *prototype;              /* C declaration: "void solve(const float* input, int n)" */
    const char *const *parameter_types; /* "const float*", "int", ...: one a parameter, for convjudge_call */
    size_t parameter_count;
    int compute;          /* 90 for a device of compute capability 9.0 */
    unsigned cpu_seconds; /* processor time of each of the compiler's programs; 0: 10 s */
} CompileJob;

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

/* `scratch` is a private folder (process.h). A submission at fault is an outcome, not a Status. */
MUST_USE Status compile_submission(const CompileJob *job, const Toolkit *toolkit, const char *scratch,
                                   Compiled *compiled, Message *why);
void compiled_free(Compiled *compiled);

/* The same for a CPU baseline, plain C with the same solve() on host pointers, by the host's compiler (compile_cpu.c):
 * gcc -O3 -march=native with OpenMP and POSIX threads. The object has no modules and no kernels, and is not cached. */
MUST_USE Status compile_for_cpu(const CompileJob *job, const char *scratch, Compiled *compiled, Message *why);

/* The fatbins in the .nv_fatbin section of a shared object (compile_modules.c), copied into the arena. */
MUST_USE Status modules_read(const char *object_path, Arena *arena, CompileModule **modules, size_t *count,
                             Message *why);

#endif
