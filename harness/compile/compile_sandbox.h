/* compile_sandbox.h - the folders of one compilation, and compilers run on them inside the sandbox.  */
#ifndef HARNESS_COMPILE_COMPILE_SANDBOX_H
#define HARNESS_COMPILE_COMPILE_SANDBOX_H

#include "base/status.h"
#include "base/text.h"
#include "harness/compile/compile_job.h"
#include "harness/compile/toolkit.h"
#include "harness/sandbox/process.h"

#include <limits.h>

typedef struct CompileFolders { /* on the host */
    char folder[PATH_MAX];      /* holds the other two and later the object; only the judge may enter it */
    char in[PATH_MAX];          /* /submission in the sandbox, the working folder there; read-only */
    char out[PATH_MAX];         /* /out in the sandbox */
} CompileFolders;

/* Makes the folders of one compilation below `scratch`. */
MUST_USE Status compile_folders_new(const char *scratch, CompileFolders *folders, Message *why);

/* Writes a new file that the sandbox's user can read. */
MUST_USE Status compile_put_file(const char *folder, const char *name, const char *data, size_t length, Message *why);

/* The files that a GPU compiler needs, on the host. */
typedef struct CompileTools {
    const Toolkit *toolkit;
    char runtime[PATH_MAX]; /* libcudart, to link with */
    char headers[PATH_MAX]; /* the judge's own CUDA headers, for clang */
} CompileTools;

#define COMPILE_RUNTIME "/judge/libcudart.so"
#define COMPILE_HEADERS "/judge/cuda"

/* The compiler's path in the sandbox. */
void compile_program_path(const Toolkit *toolkit, char *path, size_t size);

/* Runs a command in the sandbox and appends its output to `output`. `tools` is NULL if the host's own compiler is
 * enough. An error in the source is no failure: see `end`. */
MUST_USE Status compile_in_sandbox(const CompileJob *job, const CompileTools *tools, const CompileFolders *folders,
                                   const char *const *argv, Text *output, ProcessEnd *end, Message *why);

/* A few lines of shell that compile the host's side and link it, and the arguments that run them; the compiler, its
 * flags, "-c" and its input follow. Each path is an argument of its own: without a sandbox, sandbox.c replaces it by the host's
 * path. */
extern const char COMPILE_SCRIPT[];
#define COMPILE_SHELL                                                                                                  \
    "/bin/sh", "-c", COMPILE_SCRIPT, "compile", "/out/submission.o", "/out/submission.so", COMPILE_RUNTIME
enum { COMPILE_SHELL_ARGUMENTS = 7 };

#endif
