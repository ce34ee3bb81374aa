#include "harness/compile/toolkit.h"

#include "base/compile_cache.h"
#include "base/paths.h"
#include "base/scratch.h"
#include "harness/compile/judge_source.h"

#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ==== find program ================================================================================================ */

enum { ANSWER_SECONDS = 60, ANSWER_BYTES = 64 << 10 };

/* A compiler that somebody kills, such as the kernel for want of memory, is asked again: to take another one in its place would
 * change the code of a submission, and its times. An exit status above KILLED is a signal's (ProcessEnd). */
enum { TRIES = 3, KILLED = 128 };

bool program_at(const char *path, char program[PATH_MAX])
{
    return access(path, X_OK) == 0 && realpath(path, program) != NULL;
}

bool program_on_path(const char *name, char program[PATH_MAX])
{
    const char *folders = getenv("PATH");
    while (folders != NULL && *folders != '\0') {
        char path[PATH_MAX];
        size_t length = strcspn(folders, ":");
        if ((size_t)snprintf(path, sizeof path, "%.*s/%s", (int)length, folders, name) < sizeof path &&
            path[0] == '/' && program_at(path, program))
            return true;
        folders += length + (folders[length] == ':');
    }
    return false;
}

bool program_hash(const char *path, Hash *hash)
{
    static const char magic[] = {0x7F, 'E', 'L', 'F'};
    char program[PATH_MAX], head[sizeof magic] = {0};
    struct stat info;
    FILE *file = realpath(path, program) == NULL ? NULL : fopen(program, "re");
    if (file == NULL)
        return false;
    bool known = fread(head, sizeof head, 1, file) == 1 && fstat(fileno(file), &info) == 0;
    fclose(file);
    hash_add_string(hash, program);
    if (known) {
        hash_add(hash, &info.st_size, sizeof info.st_size);
        hash_add(hash, &info.st_mtim, sizeof info.st_mtim);
    }
    return known && memcmp(head, magic, sizeof magic) == 0;
}

static bool was_killed(const ProcessEnd *end)
{
    return end->exit_status > KILLED && !end->timed_out;
}

static Status ask(const char *const *argv, const char *folder, Text *output, ProcessEnd *end, Message *why)
{
    char temporary[PATH_MAX + 8];
    snprintf(temporary, sizeof temporary, "TMPDIR=%s", folder);
    const char *const environment[] = {"PATH=/usr/bin:/bin", temporary, NULL};
    const ProcessSpec spec = {
        .argv = argv, .environment = environment, .own_processes = true, .may_share_processes = true};
    Status status = STATUS_OK;
    for (int try = 0; try < TRIES && status == STATUS_OK && was_killed(end); try++) {
        text_free(output);
        status = process_run(&spec, ANSWER_SECONDS, ANSWER_BYTES, output, end, why);
    }
    return status;
}

/* False where the program may answer otherwise another time. */
static bool answer_key(const char *const *argv, Digest *key)
{
    Hash hash;
    hash_begin(&hash);
    hash_add_string(&hash, "convjudge answer of a program 1");
    hash_add_strings(&hash, argv);
    bool lasts = program_hash(argv[0], &hash);
    *key = hash_end(&hash);
    return lasts;
}

/* nvcc names temporary files by its process id, which is the same in each namespace, so each needs a folder of its own. */
Status program_ask(const char *const *argv, ProgramAnswer *read, void *context, const char *what, const char *advice,
                   Message *why)
{
    char folder[PATH_MAX];
    Text output = {0};
    ProcessEnd end = {.exit_status = KILLED + 1};
    Digest key;
    const bool lasts = answer_key(argv, &key);
    if (lasts && compile_cache_read(NULL, &key, &output) && read(context, output.data)) {
        text_free(&output);
        return STATUS_OK;
    }
    text_free(&output);
    TRY(scratch_new(folder, sizeof folder, why));
    Status status = ask(argv, folder, &output, &end, why);
    if (status == STATUS_OK && was_killed(&end))
        status = fail(STATUS_SYSTEM, why, "%s: was killed by signal %d before it could report %s", argv[0],
                      end.exit_status - KILLED, what);
    else if (status == STATUS_OK && (end.exit_status != 0 || output.data == NULL || !read(context, output.data)))
        status = fail(STATUS_NOT_FOUND, why, "%s: does not report %s; %s", argv[0], what, advice);
    if (status == STATUS_OK && lasts)
        compile_cache_write(NULL, &key, &output);
    text_free(&output);
    scratch_remove(folder);
    return status;
}

bool program_read_after(const char *output, const char *name, const char *ends, char *value, size_t size)
{
    const char *found = strstr(output, name);
    if (found == NULL)
        return false;
    found += strlen(name);
    int length = (int)strcspn(found, ends);
    return length > 0 && snprintf(value, size, "%.*s", length, found) < (int)size;
}

bool toolkit_read_architectures(void *context, const char *output)
{
    Toolkit *toolkit = context;
    for (const char *found = output; (found = strstr(found, "sm_")) != NULL; found += 3)
        if (toolkit->architecture_count < TOOLKIT_MAX_ARCHITECTURES && atoi(found + 3) > 0)
            toolkit->architectures[toolkit->architecture_count++] = atoi(found + 3);
    return toolkit->architecture_count > 0;
}

void toolkit_set_name(Toolkit *toolkit, const char *compiler)
{
    snprintf(toolkit->name, sizeof toolkit->name, "%s %s", compiler, toolkit->version);
    toolkit->major = atoi(toolkit->version);
}

/* ==== find nvcc =================================================================================================== */

/* nvcc itself reports later where its toolkit is, as the program may be a script that calls nvcc. */
static bool take_nvcc_of(Toolkit *toolkit, const char *folder)
{
    char path[PATH_MAX];
    return folder != NULL && folder[0] == '/' &&
           (size_t)snprintf(path, sizeof path, "%s/bin/nvcc", folder) < sizeof path &&
           program_at(path, toolkit->compiler);
}

static bool find_nvcc(Toolkit *toolkit)
{
    static const char *const usual[] = {"/usr/local/cuda", "/usr/local/cuda-13", "/opt/cuda", "/usr/lib/cuda",
                                        "/usr/lib/nvidia-cuda-toolkit"};
    char own[PATH_MAX];
    if (paths_build("toolchain", own, sizeof own, NULL) == STATUS_OK && take_nvcc_of(toolkit, own))
        return true;
    if (program_on_path("nvcc", toolkit->compiler) || take_nvcc_of(toolkit, getenv("CUDA_HOME")))
        return true;
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        if (take_nvcc_of(toolkit, usual[i]))
            return true;
    return false;
}

/* Reads what a dry run shows: "#$ _HERE_=/usr/local/cuda/bin" and "-D__CUDACC_VER_MAJOR__=13", MINOR and BUILD. The name
 * TOP stands for the toolkit's folder with NVIDIA's packages, and is missing with Debian's, which share /usr/include. */
static bool read_dry_run(void *context, const char *output)
{
    Toolkit *toolkit = context;
    char here[PATH_MAX], major[16], minor[16], build[16];
    if (!program_read_after(output, "#$ _HERE_=", "\n", here, sizeof here) ||
        realpath(dirname(here), toolkit->root) == NULL ||
        !program_read_after(output, "__CUDACC_VER_MAJOR__=", " \n", major, sizeof major) ||
        !program_read_after(output, "__CUDACC_VER_MINOR__=", " \n", minor, sizeof minor) ||
        !program_read_after(output, "__CUDACC_VER_BUILD__=", " \n", build, sizeof build))
        return false;
    snprintf(toolkit->version, sizeof toolkit->version, "%s.%s.%s", major, minor, build);
    return (size_t)snprintf(toolkit->compiler, sizeof toolkit->compiler, "%s/bin/nvcc", toolkit->root) <
               sizeof toolkit->compiler &&
           access(toolkit->compiler, X_OK) == 0;
}

/* Asks once in a process, which may judge hundreds of files; the answers take 50 ms. */
static Status ask_nvcc(Toolkit *toolkit, Message *why)
{
    static char asked[PATH_MAX];
    static Toolkit answered;
    if (strcmp(asked, toolkit->compiler) == 0) {
        *toolkit = answered;
        return STATUS_OK;
    }
    memcpy(asked, toolkit->compiler, sizeof asked);
    const char *const dry_run[] = {asked, "--dryrun", "-E", "-x", "cu", "/dev/null", NULL};
    const char *const list[] = {toolkit->compiler, "--list-gpu-code", NULL};
    Status status = program_ask(dry_run, read_dry_run, toolkit, "its toolkit's folder and version", HOW_TO_GET_NVCC,
                                why);
    THEN(status,
         program_ask(list, toolkit_read_architectures, toolkit, "which GPUs it compiles for", HOW_TO_GET_NVCC, why));
    toolkit_set_name(toolkit, "nvcc");
    if (status == STATUS_OK)
        answered = *toolkit;
    else
        asked[0] = '\0';
    return status;
}

Status toolkit_find_nvcc(Toolkit *toolkit, Message *why)
{
    const char *chosen = paths_variable("CONVJUDGE_NVCC");
    *toolkit = (Toolkit){.kind = TOOLKIT_NVCC};
    if (chosen != NULL) {
        if (!program_at(chosen, toolkit->compiler))
            return fail(STATUS_NOT_FOUND, why, "CONVJUDGE_NVCC=%s: no such program", chosen);
    } else if (!find_nvcc(toolkit)) {
        return fail(STATUS_NOT_FOUND, why, "no nvcc found; " HOW_TO_GET_NVCC);
    }
    return ask_nvcc(toolkit, why);
}

/* ==== find clang ================================================================================================== */

/* clang 16 is the first version that knows compute capability 9.0. */
enum { OLDEST_CLANG = 16, NEWEST_CLANG = 99 };

/* ---- one program ------------------------------------------------------------------------------------------------- */

/* "Debian clang version 16.0.6 (15~deb12u1)" */
static bool read_version(void *context, const char *output)
{
    Toolkit *toolkit = context;
    return program_read_after(output, "clang version ", " \n", toolkit->version, sizeof toolkit->version);
}

static Status ask_clang(Toolkit *toolkit, Message *why)
{
    const char *const version[] = {toolkit->compiler, "--version", NULL};
    const char *const list[] = {toolkit->compiler, "--target=nvptx64-nvidia-cuda", "--print-supported-cpus", NULL};
    Status status = program_ask(version, read_version, toolkit, "its version", HOW_TO_GET_EITHER, why);
    toolkit_set_name(toolkit, "clang");
    if (status == STATUS_OK && toolkit->major < OLDEST_CLANG)
        return fail(STATUS_NOT_FOUND, why, "%s is too old, expected %d or later", toolkit->name, OLDEST_CLANG);
    memcpy(toolkit->root, toolkit->compiler, sizeof toolkit->root);
    dirname(dirname(toolkit->root)); /* root/bin/clang */
    return status == STATUS_OK ? program_ask(list, toolkit_read_architectures, toolkit, "which GPUs it compiles for",
                                             HOW_TO_GET_EITHER, why)
                               : status;
}

/* ---- the probe --------------------------------------------------------------------------------------------------- */

/* Headers of the system, which the probe includes, come with the compiler and change with the system; the time of the
 * C library's says so. */
static Status probe_key(const Toolkit *toolkit, const char *headers, Digest *key, Message *why)
{
    static const char *const changing[] = {NULL, "/usr/include/features.h", "/usr/include/c++"};
    Hash hash;
    hash_begin(&hash);
    hash_add_string(&hash, "convjudge probe of clang 1");
    hash_add_string(&hash, toolkit->compiler);
    hash_add_string(&hash, toolkit->version);
    for (size_t i = 0; i < sizeof changing / sizeof *changing; i++) {
        struct stat info = {0};
        stat(i == 0 ? toolkit->compiler : changing[i], &info);
        hash_add(&hash, &info.st_size, sizeof info.st_size);
        hash_add(&hash, &info.st_mtim, sizeof info.st_mtim);
    }
    Status status = compile_clang_hash_headers(headers, &hash, why);
    *key = hash_end(&hash);
    return status;
}

static Status compile_side(const Toolkit *toolkit, const char *headers, const char *side, Message *why)
{
    enum { MAX_ARGUMENTS = 48 };
    char path[PATH_MAX + 20], cuda_path[PATH_MAX + 20];
    const char *argv[MAX_ARGUMENTS] = {toolkit->compiler, side,    "--cuda-gpu-arch=sm_90",
                                       "-isystem",        headers, cuda_path};
    size_t count = 6;
    snprintf(cuda_path, sizeof cuda_path, "--cuda-path=%s", headers);
    snprintf(path, sizeof path, "%s/probe.cu", headers);
    for (const char *const *flag = COMPILE_CLANG_FLAGS; *flag != NULL; flag++)
        argv[count++] = *flag;
    argv[count++] = "-S";
    argv[count++] = path;
    argv[count++] = "-o";
    argv[count++] = "/dev/null";
    return judge_source_compile(argv, "/tmp", "a small kernel", why);
}

/* Whether clang can compile for the simulated GPU here. Only a success is kept: what fails may be mended. */
static Status probe(const Toolkit *toolkit, Message *why)
{
    static const char compiles[] = "compiles";
    char headers[PATH_MAX];
    Digest key;
    Text kept = {0};
    Message error;
    Status status = paths_home("harness/cuda", headers, sizeof headers, why);
    THEN(status, probe_key(toolkit, headers, &key, why));
    if (status != STATUS_OK || compile_cache_read(NULL, &key, &kept)) {
        text_free(&kept);
        return status;
    }
    status = compile_side(toolkit, headers, "--cuda-device-only", &error);
    THEN(status, compile_side(toolkit, headers, "--cuda-host-only", &error));
    if (status != STATUS_OK)
        return fail(STATUS_NOT_FOUND, why, "%s (%s) does not work here: %s", toolkit->name, toolkit->compiler,
                    error.text);
    text_add(&kept, compiles);
    compile_cache_write(NULL, &key, &kept);
    text_free(&kept);
    return STATUS_OK;
}

/* ---- the newest of all ------------------------------------------------------------------------------------------- */

static Status try_clang(const char *name, Toolkit *toolkit, Message *why)
{
    *toolkit = (Toolkit){.kind = TOOLKIT_CLANG};
    if (!program_on_path(name, toolkit->compiler))
        return fail(STATUS_NOT_FOUND, why, "no clang %d or later found", OLDEST_CLANG);
    TRY(ask_clang(toolkit, why));
    return probe(toolkit, why);
}

/* Versions by their names, newest first; then "clang", which is the only name where a system has a single version. */
static Status find_newest(Toolkit *toolkit, Message *why)
{
    char name[20];
    Message first = {0}, next;
    for (int version = NEWEST_CLANG; version >= OLDEST_CLANG; version--) {
        snprintf(name, sizeof name, "clang-%d", version);
        if (!program_on_path(name, toolkit->compiler))
            continue;
        if (try_clang(name, toolkit, &next) == STATUS_OK)
            return STATUS_OK;
        if (first.text[0] == '\0')
            first = next;
    }
    Status status = try_clang("clang", toolkit, &next);
    if (status != STATUS_OK)
        fail(status, why, "%s", first.text[0] != '\0' ? first.text : next.text);
    return status;
}

/* Looks once in a process, which may judge hundreds of files. */
Status toolkit_find_clang(Toolkit *toolkit, Message *why)
{
    static bool found;
    static Toolkit answered;
    if (found) {
        *toolkit = answered;
        return STATUS_OK;
    }
    Status status = find_newest(toolkit, why);
    found = status == STATUS_OK;
    answered = *toolkit;
    return status;
}

/* ==== toolkit ===================================================================================================== */

void toolkit_hash(const Toolkit *toolkit, Hash *hash)
{
    static const char *const programs[] = {"bin/nvcc",      "bin/cudafe++",  "bin/ptxas",
                                           "bin/fatbinary", "nvvm/bin/cicc", "bin/clang"};
    hash_add_string(hash, toolkit->name);
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        char path[sizeof toolkit->root + 32];
        struct stat info = {0};
        snprintf(path, sizeof path, "%s/%s", toolkit->root, programs[i]);
        if (stat(path, &info) != 0)
            info.st_size = -1;
        hash_add(hash, &info.st_size, sizeof info.st_size);
    }
}

/* nvcc where there is one that answers, clang otherwise. */
static Status find_any(Toolkit *toolkit, Message *why)
{
    Message no_nvcc, no_clang;
    Status status = toolkit_find_nvcc(toolkit, &no_nvcc);
    if (status == STATUS_OK)
        return STATUS_OK;
    const bool is_there = toolkit->compiler[0] != '\0',
               may_be_clang = status == STATUS_NOT_FOUND && paths_variable("CONVJUDGE_NVCC") == NULL;
    const bool is_clang = may_be_clang && toolkit_find_clang(toolkit, &no_clang) == STATUS_OK;
    if (is_clang && is_there)
        snprintf(toolkit->passed_over, sizeof toolkit->passed_over, "%.*s", (int)sizeof toolkit->passed_over - 1,
                 no_nvcc.text);
    if (is_clang)
        return STATUS_OK;
    if (may_be_clang && !is_there)
        return fail(STATUS_NOT_FOUND, why, "no CUDA compiler found: no nvcc, and %s; " HOW_TO_GET_EITHER,
                    no_clang.text);
    return fail(status, why, "%s", no_nvcc.text);
}

Status toolkit_find(Toolkit *toolkit, Message *why)
{
    const char *chosen = paths_variable("CONVJUDGE_COMPILER");
    if (chosen == NULL)
        return find_any(toolkit, why);
    if (strcmp(chosen, "clang") == 0)
        return toolkit_find_clang(toolkit, why);
    if (strcmp(chosen, "nvcc") == 0)
        return toolkit_find_nvcc(toolkit, why);
    return fail(STATUS_BAD_INPUT, why, "CONVJUDGE_COMPILER=%s: expected nvcc or clang", chosen);
}

/* ---- what it makes ----------------------------------------------------------------------------------------------- */

void toolkit_mark_times(const Toolkit *toolkit, char *device_id, size_t size)
{
    size_t length = strlen(device_id);
    if (toolkit->kind == TOOLKIT_CLANG)
        snprintf(device_id + length, size - length, "-clang");
}

Status toolkit_architecture(const Toolkit *toolkit, int compute, int *architecture, Message *why)
{
    *architecture = 0;
    for (size_t i = 0; i < toolkit->architecture_count; i++)
        if (toolkit->architectures[i] <= compute && toolkit->architectures[i] > *architecture)
            *architecture = toolkit->architectures[i];
    if (*architecture == 0)
        return fail(STATUS_UNSUPPORTED, why, "a GPU of compute capability %d.%d is older than all that %s compiles for",
                    compute / 10, compute % 10, toolkit->name);
    return STATUS_OK;
}

bool toolkit_knows_cpp20(const Toolkit *toolkit)
{
    return toolkit->kind != TOOLKIT_NVCC || toolkit->major >= 12;
}

Status toolkit_gencode(const Toolkit *toolkit, int compute, const char *features, char *option, size_t size,
                       Message *why)
{
    int chosen;
    TRY(toolkit_architecture(toolkit, compute, &chosen, why));
    snprintf(option, size, "arch=compute_%d%s,code=[sm_%d%s,compute_%d%s]", chosen, features, chosen, features, chosen,
             features);
    return STATUS_OK;
}

/* ==== device code ================================================================================================= */

enum { MAX_IMAGE_BYTES = 64 << 20, MAX_ARGUMENTS = 64 };

static const char *const flags[] = {"-fatbin", "-O3", "--no-compress", NULL};

static const char *const empty_list[] = {NULL};

static const char *const *or_empty_list(const char *const *strings)
{
    return strings != NULL ? strings : empty_list;
}

/* ---- the cache --------------------------------------------------------------------------------------------------- */

static Status cache_key(const DeviceCodeJob *job, const Toolkit *toolkit, Digest *key, Message *why)
{
    Hash hash;
    hash_begin(&hash);
    hash_add_string(&hash, "convjudge device code 5"); /* raise it when an entry's meaning changes */
    toolkit_hash(toolkit, &hash);
    hash_add_strings(&hash, flags);
    hash_add_strings(&hash, or_empty_list(job->options));
    hash_add(&hash, &job->compute, sizeof job->compute);
    hash_add_string(&hash, job->with_features ? "a" : "");
    hash_add_string(&hash, job->include != NULL ? job->include : "");
    Status status = judge_source_hash(&hash, job->source, why);
    for (const char *const *input = or_empty_list(job->inputs); *input != NULL && status == STATUS_OK; input++)
        status = judge_source_hash(&hash, *input, why);
    *key = hash_end(&hash);
    return status;
}

/* ---- compiling --------------------------------------------------------------------------------------------------- */

static Status run_nvcc(const DeviceCodeJob *job, const Toolkit *toolkit, const char *folder, const char *image,
                       Message *why)
{
    char home[PATH_MAX], architecture[80];
    const char *standard = toolkit_knows_cpp20(toolkit) ? "-std=c++20" : "-std=c++17";
    const char *argv[MAX_ARGUMENTS] = {
        toolkit->compiler, "-gencode", architecture, "-I", home, "-I", folder, "-o", image, standard};
    size_t count = 10;
    TRY(paths_home("", home, sizeof home, why));
    TRY(toolkit_gencode(toolkit, job->compute, job->with_features ? "a" : "", architecture, sizeof architecture, why));
    for (const char *const *flag = flags; *flag != NULL; flag++)
        argv[count++] = *flag;
    for (const char *const *option = or_empty_list(job->options); *option != NULL; option++) {
        if (count >= MAX_ARGUMENTS - 2)
            return fail(STATUS_BAD_INPUT, why, "%s: too many options for the compiler", job->source);
        argv[count++] = *option;
    }
    argv[count] = job->source;
    return judge_source_compile(argv, folder, job->source, why);
}

static Status write_include(const char *folder, const char *content, Message *why)
{
    char path[PATH_MAX];
    Text text = {0};
    snprintf(path, sizeof path, "%s/generated.h", folder);
    text_add(&text, content);
    Status status = text_write_file(path, &text, why);
    text_free(&text);
    return status;
}

static Status compile_kernels(const DeviceCodeJob *job, const Toolkit *toolkit, Text *image, Message *why)
{
    char folder[PATH_MAX - 20], path[PATH_MAX];
    Status status = scratch_new(folder, sizeof folder, why);
    TRY(status);
    snprintf(path, sizeof path, "%s/code.fatbin", folder);
    if (job->include != NULL)
        status = write_include(folder, job->include, why);
    THEN(status, run_nvcc(job, toolkit, folder, path, why));
    THEN(status, text_read_file(path, MAX_IMAGE_BYTES, image, why));
    scratch_remove(folder);
    return status;
}

Status device_code_build(const DeviceCodeJob *job, Text *image, Message *why)
{
    Toolkit toolkit;
    Digest key;
    Status status = toolkit_find_nvcc(&toolkit, why);
    THEN(status, cache_key(job, &toolkit, &key, why));
    if (status != STATUS_OK || compile_cache_read(NULL, &key, image))
        return status;
    TRY(compile_kernels(job, &toolkit, image, why));
    compile_cache_write(NULL, &key, image);
    return STATUS_OK;
}
