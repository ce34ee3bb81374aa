/* Where the time goes for a file of 20 lines, in milliseconds of processor time (nvcc 13.0, gcc 12; in parentheses
 * with everything that <cmath> includes, see compile_library.c): preprocessing for the host 58 (93), cudafe++ 113
 * (276), preprocessing for the device 62 (92), cicc 145 (257), ptxas 22, compiling for the host 172 (226), linking 20
 * with gold or 62 with ld, which mostly reads libstdc++'s symbols; 594 (990) in total, nearly all of it for the CUDA
 * headers. <cooperative_groups.h> takes 3 s more. -O1 or -O0 for the host compiler, -pipe, --split-compile and
 * temporary files in memory have little or no effect. `--threads 2` compiles for host and device in parallel, but
 * prints every error of the preprocessor twice.  */
#include "harness/compile/compile_nvcc.h"

#include "harness/compile/compile_library.h"

enum { MAX_ARGUMENTS = 48 };

static const char *const flags[] = {
    "-O3",        "-lineinfo", "--no-compress", "-cudart",     "none", "-Xptxas", "-v",
    "-Xcompiler", "-fPIC",     "-include",      "prototype.h", "-I",   ".",       NULL,
};

Status compile_hash_nvcc(const CompileTools *tools, Hash *hash, Message *why)
{
    hash_add_strings(hash, flags);
    return STATUS_OK;
}

Status compile_with_nvcc(const CompileJob *job, const CompileTools *tools, const CompileFolders *folders, Text *output,
                         ProcessEnd *end, Message *why)
{
    char nvcc[PATH_MAX], gencode[80];
    const char *argv[MAX_ARGUMENTS] = {COMPILE_SHELL, nvcc, "-gencode", gencode};
    size_t count = COMPILE_SHELL_ARGUMENTS + 3;
    for (const char *const *flag = flags; *flag != NULL; flag++)
        argv[count++] = *flag;
    argv[count] = compile_library_flag(job->source);
    compile_program_path(tools->toolkit, nvcc, sizeof nvcc);
    Status status = toolkit_gencode(tools->toolkit, job->compute, gencode, sizeof gencode, why);
    return status == STATUS_OK ? compile_in_sandbox(job, tools, folders, argv, output, end, why) : status;
}
