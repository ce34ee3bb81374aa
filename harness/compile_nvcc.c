/* A submission compiled by nvcc.
 *
 * Where the time goes, for a file of 20 lines (nvcc 13.0, one core, milliseconds): preprocessing for the host 47,
 * cudafe++ 120, preprocessing for the device 53, cicc 139, ptxas 16, compiling for the host 146, linking 42; 620 in all,
 * nearly all of it on the CUDA headers. Without effect: -O1 or -O0 for the host compiler, -pipe, --split-compile,
 * temporary files in memory. `--threads 2` runs host and device side by side (575 on two cores), but then prints every
 * error of the preprocessor twice.  */
#include "harness/compile_parts.h"

enum { MAX_ARGUMENTS = 48 };

static const char *const flags[] = {
    "-O3", "-lineinfo", "--no-compress", "-cudart", "none", "-Xptxas", "-v", "-Xcompiler", "-fPIC", "-include", "prototype.h",
    "-I", ".", NULL,
};

Status nvcc_hash(const Places *places, Hash *hash, Message *why)
{
    hash_add_strings(hash, flags);
    return STATUS_OK;
}

Status nvcc_run(const CompileJob *job, const Toolkit *toolkit, const Places *places, Text *output, ProcessEnd *end,
                Message *why)
{
    char nvcc[PATH_MAX], gencode[80];
    const char *argv[MAX_ARGUMENTS] = {COMPILE_SHELL, nvcc, "-gencode", gencode};
    size_t count = COMPILE_SHELL_ARGUMENTS + 3;
    for (const char *const *flag = flags; *flag != NULL; flag++)
        argv[count++] = *flag;
    compile_program_path(toolkit, nvcc, sizeof nvcc);
    Status status = toolkit_gencode(toolkit, job->compute, gencode, sizeof gencode, why);
    return status == STATUS_OK ? compile_in_sandbox(job, toolkit, places, argv, output, end, why) : status;
}
