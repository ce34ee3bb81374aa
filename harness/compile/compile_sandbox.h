/* compile_sandbox.h - the folders of one compilation, and compilers run on them inside the sandbox.  */
#ifndef HARNESS_COMPILE_COMPILE_SANDBOX_H
#define HARNESS_COMPILE_COMPILE_SANDBOX_H

#include "base/process.h"
#include "base/status.h"
#include "base/text.h"
#include "harness/compile/toolkit.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* ==== compile job ================================================================================================= */

/* The files to compile, and the limits for the compiler. */

enum {
    COMPILE_FILE_BYTES = 64 << 20,     /* of any file that the compiler writes */
    COMPILE_OUTPUT_BYTES = 64 << 10,   /* of what it prints */
    COMPILE_MEMORY_BYTES = 0x7FFFF000, /* address space of each of its programs: 2 GiB */
    COMPILE_CPU_SECONDS = 20,          /* of each of its programs; an honest file takes 0.6 to 4 s in all of them */
    COMPILE_MOST_SECONDS = 600,        /* that anybody may set */
    COMPILE_LOAD = 6                   /* by how much a machine under load may take longer */
};

/* Processor time that each of the compiler's programs may take: what a problem says (0: COMPILE_CPU_SECONDS), or the environment
 * variable CONVJUDGE_COMPILE_SECONDS if that is more. */
unsigned compile_seconds(unsigned of_problem);

/* Submissions are compiled under this name, so that their code does not depend on the student's file name. The line
 * information of PTX holds it as /submission/submission.cu; show the student's own name instead. */
#define COMPILE_SOURCE_NAME "submission.cu"
#define COMPILE_DRIVER_NAME "driver.cu"
#define COMPILE_HOST_NAME "submission.cudafe1.cpp" /* what nvcc calls the host's side of it */

/* Told when the compiler is about to run, which takes seconds, since nothing is kept from before. */
typedef void CompileBegins(void *context);

typedef struct CompileJob {
    const char *file_name; /* what diagnostics call the source: the student's own file name */
    const char *source;    /* terminated */
    size_t source_bytes;
    const char *prototype;              /* C declaration: "void solve(const float* input, int n)" */
    const char *const *parameter_types; /* "const float*", "int", ...: one for each parameter, for convjudge_call */
    size_t parameter_count;
    const char
        *driver; /* CUDA source of the problem, compiled behind the submission's; it defines solve(). NULL: none */
    const NamedText *headers; /* what the source may include; with a driver the first is included before it */
    size_t header_count;
    int compute;           /* 90 for a device of compute capability 9.0 */
    bool unoptimised;      /* by nvcc: ptxas leaves out all optimisation (-Xptxas -O0) */
    unsigned cpu_seconds;  /* compile_seconds() of the problem */
    CompileBegins *begins; /* NULL: nobody asks */
    void *context;         /* of `begins` */
} CompileJob;

/* ==== compile sandbox ============================================================================================= */

typedef struct CompileFolders { /* on the host */
    char folder[PATH_MAX];      /* holds the other two and later the object; only the judge may enter it */
    char in[PATH_MAX];          /* /submission in the sandbox, the working folder there; read-only */
    char out[PATH_MAX];         /* /out in the sandbox */
} CompileFolders;

/* Makes the folders of one compilation below `scratch`. */
MUST_USE Status compile_folders_new(const char *scratch, CompileFolders *folders, Message *why);

/* Makes a folder of this mode whatever the umask is, and sets its path. */
MUST_USE Status compile_put_folder(const char *parent, const char *name, mode_t mode, char *path, size_t size, Message *why);

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

/* Finds the judge's own files among them. */
MUST_USE Status compile_tools_find(const Toolkit *toolkit, CompileTools *tools, Message *why);

/* The compiler's path in the sandbox. */
void compile_program_path(const Toolkit *toolkit, char *path, size_t size);

/* Runs a command in the sandbox and appends its output to `output`. `tools` is NULL if the host's own compiler is
 * enough. An error in the source is no failure: see `end`. */
MUST_USE Status compile_in_sandbox(const CompileJob *job, const CompileTools *tools, const CompileFolders *folders,
                                   const char *const *argv, Text *output, ProcessEnd *end, Message *why);

/* Did compilers say, from there on, that one of their programs was killed, or could not be started? They say no more about
 * it. A source can have them say so, too, but then they say it every time. */
bool compile_says_shortage(const Text *output, size_t from);

/* A few lines of shell that compile the host's side and link it, and the arguments that run them; the compiler, its
 * flags, "-c" and its input follow. Each path is an argument of its own: without a sandbox, sandbox.c replaces it by the host's
 * path. */
extern const char COMPILE_SCRIPT[];
#define COMPILE_SHELL                                                                                                  \
    "/bin/sh", "-c", COMPILE_SCRIPT, "compile", "/out/submission.o", "/out/submission.so", COMPILE_RUNTIME
enum { COMPILE_SHELL_ARGUMENTS = 7 };

#endif
