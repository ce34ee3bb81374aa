/* Clang compiles with the judge's own CUDA headers and nothing of NVIDIA's, in two steps: the device side to PTX, then
 * the host side, with that PTX in a fatbin such as nvcc would make. The host side launches kernels through the same
 * runtime calls as nvcc's.  */
#include "harness/compile/compile_clang.h"

#include "harness/compile/compile_language.h"
#include "harness/compile/judge_source.h"
#include "simgpu/ptx/fatbin.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ARGUMENTS = 64 };

/* Installed NVIDIA software is neither used nor warned about. The version of the SDK decides how kernels are launched:
 * from 9.2 on through __cudaPushCallConfiguration(). __CUDACC__ is what headers ask to know a CUDA compiler, those of
 * glibc among them, which keep __float128 from it. */
const char *const COMPILE_CLANG_FLAGS[] = {
    "-x",
    "cuda",
    "-O3",
    "-fPIC",
    "-nocudainc",
    "-nocudalib",
    "-Wno-unknown-cuda-version",
    "-Wno-unused-command-line-argument",
    "-D__CUDACC__",
    "--cuda-feature=+ptx78",
    "-Xclang",
    "-target-sdk-version=11.8",
    "-include",
    "cuda_runtime.h",
    NULL,
};
static const char *const places[] = {
    "--cuda-path=" COMPILE_HEADERS,
    "-isystem",
    COMPILE_HEADERS,
    "-isystem",
    COMPILE_HEADERS "/aliases",
    "-include",
    "prototype.h",
    "-I",
    ".",
    NULL,
};
/* The simulated GPU expects that divergent paths join after the place where they part (simgpu/block/group.c), as in
 * nvcc's PTX; so clang must not move the ends of loops before their middles. */
static const char *const device_flags[] = {
    "--cuda-device-only",
    "-mllvm",
    "-disable-block-placement",
    "-gline-directives-only",
    "-S",
    COMPILE_SOURCE_NAME,
    "-o",
    "/out/submission.ptx",
    NULL,
};
/* The lines of instructions are for host_line.h. -w: the first step has given the warnings. addr2line of
 * binutils 2.40 loses what was inlined into a function that clang describes in the newer format 5. The same checks of
 * variables and arrays as by gcc (compile_nvcc.c). */
static const char *const host_flags[] = {
    "--cuda-host-only",
    "-gline-tables-only",
    "-gdwarf-4",
    "-w",
    "-Xclang",
    "-fcuda-include-gpubinary",
    "-Xclang",
    "submission.fatbin",
    "-ftrivial-auto-var-init=pattern",
    "-fsanitize=array-bounds",
    "-fsanitize-trap=array-bounds",
    "-fstack-protector-strong",
    "-c",
    COMPILE_SOURCE_NAME,
    NULL,
};

/* By default, all checks of a function share one trap, which belongs to no line. Clang 16 has no way to part them. */
enum { FIRST_WITH_UNIQUE = 18, FIRST_WITH_MERGE = 20 };
static const char *const unmerged_traps[] = {"-fno-sanitize-merge", NULL};
static const char *const unique_traps[] = {"-mllvm", "-ubsan-unique-traps", NULL};

#define COUNT(array) (sizeof(array) / sizeof *(array))
_Static_assert(COMPILE_SHELL_ARGUMENTS + 2 + COUNT(COMPILE_CLANG_FLAGS) + COUNT(places) + COUNT(host_flags) +
                       COUNT(unique_traps) + COMPILE_LANGUAGE_FLAGS <=
                   MAX_ARGUMENTS,
               "a command has room for all flags");

/* ---- the cache's key --------------------------------------------------------------------------------------------- */

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static Status hash_folder(const char *folder, Hash *hash, Message *why)
{
    struct dirent **entries;
    int count = scandir(folder, &entries, is_visible, alphasort);
    if (count < 0)
        return fail_errno(why, "%s", folder);
    Status status = STATUS_OK;
    for (int i = 0; i < count; i++) {
        char path[PATH_MAX + 256];
        snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        if (status == STATUS_OK)
            status = entries[i]->d_type == DT_DIR ? hash_folder(path, hash, why) : judge_source_hash(hash, path, why);
        free(entries[i]);
    }
    free(entries);
    return status;
}

Status compile_clang_hash_headers(const char *headers, Hash *hash, Message *why)
{
    hash_add_strings(hash, COMPILE_CLANG_FLAGS);
    return hash_folder(headers, hash, why);
}

Status compile_hash_clang(const CompileTools *tools, Hash *hash, Message *why)
{
    hash_add_strings(hash, places);
    hash_add_strings(hash, device_flags);
    hash_add_strings(hash, host_flags);
    hash_add_strings(hash, unmerged_traps);
    hash_add_strings(hash, unique_traps);
    return compile_clang_hash_headers(tools->headers, hash, why);
}

/* ---- the two sides ----------------------------------------------------------------------------------------------- */

static size_t add_arguments(const char **argv, size_t count, const char *const *strings)
{
    for (; *strings != NULL; strings++)
        argv[count++] = *strings;
    return count;
}

/* What both sides need, and what one of them does. */
static size_t add_all_arguments(const char **argv, size_t count, const char *const *of_side)
{
    count = add_arguments(argv, count, COMPILE_CLANG_FLAGS);
    return add_arguments(argv, add_arguments(argv, count, places), of_side);
}

static Status put_fatbin(const CompileJob *job, const CompileFolders *folders, Text *fatbin, Message *why)
{
    char path[PATH_MAX + 32];
    Text ptx = {0};
    snprintf(path, sizeof path, "%s/submission.ptx", folders->out);
    Status status = text_read_file(path, COMPILE_FILE_BYTES, &ptx, why);
    if (status == STATUS_OK) {
        fatbin_write(ptx.data, ptx.length, job->compute, fatbin);
        status = compile_put_file(folders->in, "submission.fatbin", fatbin->data, fatbin->length, why);
    }
    text_free(&ptx);
    return status;
}

Status compile_with_clang(const CompileJob *job, const CompileTools *tools, const CompileFolders *folders, Text *module,
                          Text *output, ProcessEnd *end, Message *why)
{
    char clang[PATH_MAX], architecture[40];
    const char *device[MAX_ARGUMENTS] = {clang, architecture};
    const char *host[MAX_ARGUMENTS] = {COMPILE_SHELL, clang, architecture};
    size_t device_count = add_all_arguments(device, 2, device_flags);
    size_t host_count = add_all_arguments(host, COMPILE_SHELL_ARGUMENTS + 2, host_flags);
    compile_language_flags(job->source, tools->toolkit, device, device_count);
    if (tools->toolkit->major >= FIRST_WITH_MERGE)
        host_count = add_arguments(host, host_count, unmerged_traps);
    else if (tools->toolkit->major >= FIRST_WITH_UNIQUE)
        host_count = add_arguments(host, host_count, unique_traps);
    compile_language_flags(job->source, tools->toolkit, host, host_count);
    compile_program_path(tools->toolkit, clang, sizeof clang);
    snprintf(architecture, sizeof architecture, "--cuda-gpu-arch=sm_%d", job->compute);
    Status status = compile_in_sandbox(job, tools, folders, device, output, end, why);
    if (status != STATUS_OK || end->exit_status != 0)
        return status;
    double seconds = end->seconds;
    status = put_fatbin(job, folders, module, why);
    if (status == STATUS_OK)
        status = compile_in_sandbox(job, tools, folders, host, output, end, why);
    end->seconds += seconds;
    return status;
}
