/* Where the time goes for a file of 20 lines, in milliseconds of processor time (nvcc 13.0, gcc 12; in parentheses
 * with everything that <cmath> includes, see compile_language.c): preprocessing for the host 58 (93), cudafe++ 113
 * (276), preprocessing for the device 62 (92), cicc 145 (257), ptxas 22, compiling for the host 172 (226), linking 20
 * with gold or 62 with ld, which mostly reads libstdc++'s symbols; 594 (990) in total, nearly all of it for the CUDA
 * headers. <cooperative_groups.h> takes 3 s more. -O1 or -O0 for the host compiler, -pipe, --split-compile and
 * temporary files in memory have little or no effect. `--threads 2` compiles for host and device in parallel, which saves a fifth
 * of the wall clock (docs/measurements.md), to the same bytes and the same warnings. Where a file has errors, it prints
 * those of the preprocessor twice, so that they come from a second run without it.
 *
 * nvcc -cuda stops before the host compiler and leaves C++ that holds the fatbin. It is compiled in a second sandbox, after
 * the judge has read the fatbin itself; the code is the same as that of nvcc -c, for 40 ms of processor time more.  */
#include "harness/compile/compile_nvcc.h"

#include "harness/compile/compile_language.h"

#include <stdio.h>

enum { MAX_ARGUMENTS = 48 };

#define HOST_SOURCE "/out/submission.ii"
#define MODULE "submission.fatbin"

/* $1: a folder for nvcc's intermediate files, $2: where the fatbin goes. */
static const char device_script[] = "keep=$1 module=$2\nshift 2\n"
                                    "mkdir \"$keep\" || exit\n\"$@\" -keep -keep-dir \"$keep\" || exit\n"
                                    "cp \"$keep\"/" MODULE " \"$module\"\n";

static const char *const flags[] = {
    "-O3",        "-lineinfo", "--no-compress", "-cudart",     "none", "-Xptxas", "-v",
    "-Xcompiler", "-fPIC",     "-include",      "prototype.h", "-I",   ".",       NULL,
};
static const char *const parallel[] = {"--threads", "2", NULL};
static const char *const unoptimised[] = {"-Xptxas", "-O0", NULL};
/* A local variable that is never set often holds 0 by luck, and an array that is overrun often ends before memory that
 * nobody uses. So variables begin with bytes 0xFE, and host code that leaves an array ends: at an index of the array
 * with a trap, else where its function returns. gcc knows the first from version 12 on. Code without large local
 * arrays takes some nanoseconds longer (docs/measurements.md). */
static const char gcc_script[] = "case $(gcc -dumpversion) in\n[6-9]*|10*|11*) ;;\n"
                                 "*) set -- -ftrivial-auto-var-init=pattern \"$@\" ;;\nesac\nexec gcc \"$@\"\n";
/* As nvcc calls it, with the lines of instructions (host_line.h) and the checks above. */
static const char *const host_flags[] = {
    "-x",
    "c++-cpp-output",
    "-fPIC",
    "-O3",
    "-g1",
    "-Wno-psabi",
    "-m64",
    "-fsanitize=bounds",
    "-fsanitize-undefined-trap-on-error",
    "-fstack-protector-strong",
    "-c",
    HOST_SOURCE,
    NULL,
};

Status compile_hash_nvcc(const CompileTools *tools, Hash *hash, Message *why)
{
    hash_add_string(hash, device_script);
    hash_add_strings(hash, flags);
    hash_add_strings(hash, parallel);
    hash_add_string(hash, gcc_script);
    hash_add_strings(hash, host_flags);
    return STATUS_OK;
}

static size_t add(const char **argv, size_t count, const char *const *strings)
{
    for (; *strings != NULL; strings++)
        argv[count++] = *strings;
    return count;
}

static Status run_device_side(const CompileJob *job, const CompileTools *tools, const CompileFolders *folders,
                              const char *const *how, Text *output, ProcessEnd *end, Message *why)
{
    static const char *const files[] = {"-cuda", COMPILE_SOURCE_NAME, "-o", HOST_SOURCE, NULL};
    char nvcc[PATH_MAX], gencode[80];
    const char *argv[MAX_ARGUMENTS] = {"/bin/sh",      "-c", device_script, "compile", "/tmp/keep",
                                       "/out/" MODULE, nvcc, "-gencode",    gencode};
    size_t count = add(argv, add(argv, add(argv, 9, flags), how), files);
    count = job->unoptimised ? add(argv, count, unoptimised) : count;
    compile_language_flags(job->source, tools->toolkit, argv, count);
    compile_program_path(tools->toolkit, nvcc, sizeof nvcc);
    Status status = toolkit_gencode(tools->toolkit, job->compute,
                                    compile_features(job->source, tools->toolkit, job->compute), gencode,
                                    sizeof gencode, why);
    return status == STATUS_OK ? compile_in_sandbox(job, tools, folders, argv, output, end, why) : status;
}

/* What takes long to fail, as endless templates do, does so once. */
static Status compile_device_side(const CompileJob *job, const CompileTools *tools, const CompileFolders *folders,
                                  Text *output, ProcessEnd *end, Message *why)
{
    static const char *const one_by_one[] = {NULL};
    static const double SOON = 0.25; /* of the time that it may take */
    const size_t before = output->length;
    Status status = run_device_side(job, tools, folders, parallel, output, end, why);
    if (status != STATUS_OK || end->exit_status == 0 || end->seconds > SOON * compile_cpu_seconds(job))
        return status;
    const double seconds = end->seconds;
    if (output->data != NULL)
        output->data[output->length = before] = '\0';
    status = run_device_side(job, tools, folders, one_by_one, output, end, why);
    end->seconds += seconds;
    return status;
}

Status compile_with_nvcc(const CompileJob *job, const CompileTools *tools, const CompileFolders *folders, Text *module,
                         Text *output, ProcessEnd *end, Message *why)
{
    char path[PATH_MAX + 32];
    const char *host[MAX_ARGUMENTS] = {COMPILE_SHELL, "/bin/sh", "-c", gcc_script, "gcc"};
    size_t count = add(host, COMPILE_SHELL_ARGUMENTS + 4, host_flags);
    host[count] = compile_language_of_host(job->source, tools->toolkit);
    Status status = compile_device_side(job, tools, folders, output, end, why);
    if (status != STATUS_OK || end->exit_status != 0)
        return status;
    double seconds = end->seconds;
    snprintf(path, sizeof path, "%s/" MODULE, folders->out);
    status = text_read_file(path, COMPILE_FILE_BYTES, module, why);
    if (status == STATUS_OK)
        status = compile_in_sandbox(job, tools, folders, host, output, end, why);
    end->seconds += seconds;
    return status;
}
