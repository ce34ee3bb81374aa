/* compile_parts.h - what the files of the compilation share with each other and with nobody else. */
#ifndef HARNESS_COMPILE_COMPILE_PARTS_H
#define HARNESS_COMPILE_COMPILE_PARTS_H

#include "harness/compile/compile.h"
#include "harness/sandbox/process.h"

#include <limits.h>
#include <sys/types.h>

enum {
    COMPILE_FILE_BYTES = 64 << 20,     /* of any file that the compiler writes */
    COMPILE_OUTPUT_BYTES = 64 << 10,   /* of what it prints */
    COMPILE_MEMORY_BYTES = 0x7FFFF000, /* address space of each of its programs: 2 GiB */
    COMPILE_CPU_SECONDS = 10,          /* of each of its programs; an honest file takes 0.6 to 4 s in all of them */
    COMPILE_WALL_SECONDS = 60          /* for machines under load */
};

typedef struct Places {     /* of one compilation, on the host */
    char folder[PATH_MAX];  /* in `scratch`; holds the other two and the object */
    char in[PATH_MAX];      /* /submission in the sandbox, its working folder; read-only there */
    char out[PATH_MAX];     /* /out */
    char runtime[PATH_MAX]; /* COMPILE_RUNTIME, to link with */
    char headers[PATH_MAX]; /* COMPILE_HEADERS: the judge's own CUDA headers */
} Places;

#define COMPILE_RUNTIME "/judge/libcudart.so"
#define COMPILE_HEADERS "/judge/cuda"

/* compile_nvcc.c, compile_clang.c: makes the files below out/ from those below in/, and adds what a result depends on
 * besides the source and the compiler's version. That the compiler says no is no failure. */
typedef Status CompileRun(const CompileJob *job, const Toolkit *toolkit, const Places *places, Text *output,
                          ProcessEnd *end, Message *why);
typedef Status CompileHash(const Places *places, Hash *hash, Message *why);
CompileRun nvcc_run, clang_run;
CompileHash nvcc_hash, clang_hash;

/* compile.c: runs a command in the sandbox, where `program` is the compiler's path. */
MUST_USE Status compile_in_sandbox(const CompileJob *job, const Toolkit *toolkit, const Places *places,
                                   const char *const *argv, Text *output, ProcessEnd *end, Message *why);
void compile_program_path(const Toolkit *toolkit, char *path, size_t size);
/* A few lines of shell that compile COMPILE_SOURCE_NAME, then link it; and the argument list that runs them, which goes
 * on with the compiler and its flags. Paths are arguments of their own: where there is no sandbox, each is replaced by
 * the host's (sandbox.c). */
extern const char COMPILE_SCRIPT[];
#define COMPILE_SHELL                                                                                                  \
    "/bin/sh", "-c", COMPILE_SCRIPT, "compile", "/out/submission.o", "/out/submission.so", COMPILE_RUNTIME
enum { COMPILE_SHELL_ARGUMENTS = 7 };

/* compile.c: the limit for each of the compiler's programs. */
unsigned compile_cpu_seconds(const CompileJob *job);
/* compile.c: files and folders of a compilation, which the sandbox's user can read. */
MUST_USE Status compile_put_file(const char *folder, const char *name, const char *data, size_t length, Message *why);
MUST_USE Status compile_put_folder(const char *parent, const char *name, mode_t mode, char *path, size_t size,
                                   Message *why);
/* compile.c: what became of the compiler, and the line that says so first. */
CompileOutcome compile_outcome(const Text *output, const ProcessEnd *end);
void compile_headline(const CompileJob *job, CompileOutcome outcome, const Text *output, Text *diagnostics);

/* compile_library.c: the compiler's argument that leaves out what the source cannot name of the C++ library; or NULL,
 * where it may name all. */
const char *library_flag(const CompileJob *job);

/* compile_modules.c: equal for submissions that compile to the same code, whatever their names, comments and lines. */
Digest machine_code_digest(const CompileModule *modules, size_t count, int compute, const Text *host_object);

/* compile_report.c: what ptxas -v says of each kernel, and the rest of the output, made fit to be shown. `paths` are
 * pairs of what stands in the output and what shall stand there, ended by NULL. */
void report_kernels(const Text *output, Arena *arena, CompileKernel **kernels, size_t *count);
void report_diagnostics(const Text *output, const char *const *paths, Text *diagnostics);
/* Appends one clear line about solve() where that is what is wrong: its place, and the signature expected. */
bool report_solve(const Text *output, const CompileJob *job, Text *diagnostics);
/* Appends a line about clang's subset of CUDA where the error may come of it. */
/* Whether clang's first error is one of the refusals by name of the judge's own CUDA headers. */
bool report_is_refusal(const Text *output);
void report_subset(const Text *output, const CompileJob *job, const Toolkit *toolkit, Text *diagnostics);
/* Appends the first line that tells of an error, unless the output begins with it. */
void report_first_error(const Text *output, const CompileJob *job, Text *diagnostics);

#endif
