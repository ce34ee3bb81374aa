/* Sources are written under fixed names into a folder that the sandbox sees read-only. The device step comes first, in a
 * sandbox of its own, and the judge reads its fatbin before the host's side is compiled and linked. A few lines of shell
 * in a second sandbox do that: separately, so that the object before linking can be hashed; this costs nothing, since
 * nvcc would call g++, too. The linker's plugin is off, because it would run another compiler on bytecode and options
 * that inline assembly can put into sections of the object. Where gold is installed it links in a quarter of the time;
 * what it cannot link the usual linker explains, in the same words everywhere. Output and files are bounded; nothing
 * that a student chose is ever part of a command line.  */
#include "harness/compile/compile_sandbox.h"

#include "base/paths.h"
#include "base/sandbox.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>

/* The limit for all programs of a compiler, which run one after the other, and their /tmp. */
static const size_t COMPILE_ALL_MEMORY_BYTES = COMPILE_MEMORY_BYTES + (512ul << 20);

enum { SHORTAGE_TRIES = 3, SHORTAGE_PAUSE_MS = 100 };
enum { COMPILE_PROCESSES = 64, COMPILE_OPEN_FILES = 256, COMPILE_TMP_BYTES = 256 << 20, MAX_MOUNTS = 5 };

const char COMPILE_SCRIPT[] = "object=$1 shared=$2 runtime=$3\nshift 3\n"
                              "\"$@\" -o \"$object\" || exit\n"
                              "link() { g++ -shared -fno-lto -fno-use-linker-plugin \"$object\" \"$runtime\" "
                              "-Wl,-z,defs -o \"$shared\" \"$@\"; }\n"
                              "said=$(link -fuse-ld=gold 2>&1) || link\n";

unsigned compile_seconds(unsigned of_problem)
{
    const char *text = getenv("CONVJUDGE_COMPILE_SECONDS");
    const long raised = text == NULL ? 0 : strtol(text, NULL, 10);
    const unsigned chosen = of_problem != 0 ? of_problem : COMPILE_CPU_SECONDS;
    return raised > (long)chosen && raised <= COMPILE_MOST_SECONDS ? (unsigned)raised : chosen;
}

/* ---- folders and files ------------------------------------------------------------------------------------------- */

Status compile_put_folder(const char *parent, const char *name, mode_t mode, char *path, size_t size, Message *why)
{
    if ((size_t)snprintf(path, size, "%s/%s", parent, name) >= size)
        return fail(STATUS_BAD_INPUT, why, "%.100s...: the path is too long", parent);
    if (mkdir(path, mode) != 0 || chmod(path, mode) != 0)
        return fail_errno(why, "%s: cannot be made", path);
    return STATUS_OK;
}

/* ---- room -------------------------------------------------------------------------------------------------------- */

/* The files that the two sandboxes leave in the folder: the host's side, the module, two objects. None can be larger than
 * COMPILE_FILE_BYTES, so a source cannot use up this much. */
static const unsigned long long ROOM_BYTES = 4ull * COMPILE_FILE_BYTES;

static unsigned long long bytes_in(const char *folder)
{
    struct stat info;
    unsigned long long sum = 0;
    DIR *files = opendir(folder);
    for (struct dirent *file; files != NULL && (file = readdir(files)) != NULL;)
        if (fstatat(dirfd(files), file->d_name, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(info.st_mode))
            sum += (unsigned long long)info.st_size;
    if (files != NULL)
        closedir(files);
    return sum;
}

/* A disk that is full, or from which no program may be loaded, is no fault of the source. */
static Status check_room(const char *folder, Message *why)
{
    enum { FILES = 16 };
    struct statvfs system;
    if (statvfs(folder, &system) != 0)
        return STATUS_OK;
    if (system.f_flag & ST_NOEXEC)
        return fail(
            STATUS_SYSTEM, why,
            "the folder for temporary files is mounted noexec: what is compiled cannot run; set TMPDIR to another");
    if (system.f_blocks == 0) /* a file system without a size */
        return STATUS_OK;
    unsigned long long room = (unsigned long long)system.f_bavail * system.f_frsize + bytes_in(folder);
    if (room < ROOM_BYTES)
        return fail(
            STATUS_SYSTEM, why,
            "the folder for temporary files has %llu MiB free, a compilation may need %llu; set TMPDIR to another",
            room >> 20, ROOM_BYTES >> 20);
    if (system.f_files != 0 && system.f_favail < FILES)
        return fail(STATUS_SYSTEM, why,
                    "no more files can be made in the folder for temporary files; set TMPDIR to another");
    return STATUS_OK;
}

Status compile_folders_new(const char *scratch, CompileFolders *folders, Message *why)
{
    if ((size_t)snprintf(folders->folder, sizeof folders->folder, "%s/compile.XXXXXX", scratch) >=
        sizeof folders->folder)
        return fail(STATUS_BAD_INPUT, why, "%.100s...: the path is too long", scratch);
    if (mkdtemp(folders->folder) == NULL)
        return fail_errno(why, "%s: cannot be made", folders->folder);
    Status status = compile_put_folder(folders->folder, "in", 0755, folders->in, sizeof folders->in, why);
    if (status == STATUS_OK) /* written by another user where the judge is root */
        status = compile_put_folder(folders->folder, "out", 0777, folders->out, sizeof folders->out, why);
    THEN(status, check_room(folders->out, why));
    return status;
}

Status compile_put_file(const char *folder, const char *name, const char *data, size_t length, Message *why)
{
    char path[PATH_MAX];
    if ((size_t)snprintf(path, sizeof path, "%s/%s", folder, name) >= sizeof path)
        return fail(STATUS_BAD_INPUT, why, "%.100s...: the path is too long", folder);
    FILE *file = fopen(path, "wxe");
    if (file == NULL)
        return fail_errno(why, "%s: cannot be written", path);
    bool written = length == 0 || fwrite(data, length, 1, file) == 1;
    if (fclose(file) != 0 || !written)
        return fail_errno(why, "%s: cannot be written", path);
    chmod(path, 0644);
    return STATUS_OK;
}

/* ---- the compiler ------------------------------------------------------------------------------------------------ */

/* A toolkit in the system's own folders is there already, and may be found by links between them. */
static bool inside_system(const char *root)
{
    return strcmp(root, "/usr") == 0 || strncmp(root, "/usr/lib", 8) == 0;
}

Status compile_tools_find(const Toolkit *toolkit, CompileTools *tools, Message *why)
{
    tools->toolkit = toolkit;
    TRY(paths_build("libcudart.so.13", tools->runtime, sizeof tools->runtime, why));
    return paths_home("harness/cuda", tools->headers, sizeof tools->headers, why);
}

void compile_program_path(const Toolkit *toolkit, char *path, size_t size)
{
    if (inside_system(toolkit->root))
        snprintf(path, size, "%s", toolkit->compiler);
    else
        snprintf(path, size, "/toolkit%s", toolkit->compiler + strlen(toolkit->root));
}

static size_t list_mounts(const CompileTools *tools, const CompileFolders *folders, SandboxMount mounts[MAX_MOUNTS])
{
    size_t count = 0;
    mounts[count++] = (SandboxMount){folders->in, "/submission", false};
    mounts[count++] = (SandboxMount){folders->out, "/out", true};
    if (tools == NULL)
        return count;
    mounts[count++] = (SandboxMount){tools->runtime, COMPILE_RUNTIME, false};
    mounts[count++] = (SandboxMount){tools->headers, COMPILE_HEADERS, false};
    if (!inside_system(tools->toolkit->root))
        mounts[count++] = (SandboxMount){tools->toolkit->root, "/toolkit", false};
    return count;
}

/* A program that used up its processor time ran for as long; anything else that kills a compiler comes from outside, and
 * is no fault of the source. */
static bool was_killed(const CompileJob *job, const ProcessEnd *end)
{
    return end->exit_status == 128 + SIGKILL && !end->timed_out && end->seconds < compile_seconds(job->cpu_seconds);
}

/* What a shell answers for a program that is not there, or that it cannot start. No compiler ends so because of a source. */
static bool did_not_start(const ProcessEnd *end)
{
    return end->exit_status == 126 || end->exit_status == 127;
}

bool compile_says_shortage(const Text *output, size_t from)
{
    static const char *const words[] = {"Killed signal terminated program", "died due to signal 9",
                                        "Resource temporarily unavailable"};
    bool says = false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        says = says || (output->data != NULL && strstr(output->data + from, words[i]) != NULL);
    return says;
}

static Status run_once(const CompileJob *job, const SandboxSpec *spec, Text *output, ProcessEnd *end, Message *why)
{
    const size_t before = output->length;
    Sandbox *sandbox;
    ProcessSpec process;
    Status status = sandbox_new(spec, &sandbox, &process, why);
    THEN(status, process_run(&process, COMPILE_LOAD * compile_seconds(job->cpu_seconds), COMPILE_OUTPUT_BYTES, output,
                             end, why));
    if (status == STATUS_OK && sandbox_was_not_made(sandbox, end->exit_status))
        status = fail(STATUS_SYSTEM, why, "the compiler's sandbox could not be made: %.300s",
                      output->length > before ? output->data + before : "no reason given");
    if (status == STATUS_OK && sandbox_ran_out_of_memory(sandbox)) {
        text_add(output, "out of memory\n");
        end->exit_status = 1;
    } else if (status == STATUS_OK && did_not_start(end)) {
        const char *reason = output->length > before ? output->data + before : "no reason given";
        status = fail(STATUS_SYSTEM, why, "the compiler cannot be started: %.*s", (int)strcspn(reason, "\n"), reason);
    } else if (status == STATUS_OK && was_killed(job, end)) {
        status = fail(STATUS_SYSTEM, why, "the compiler was killed; perhaps this machine is short of memory");
    }
    sandbox_free(sandbox);
    return status;
}

Status compile_in_sandbox(const CompileJob *job, const CompileTools *tools, const CompileFolders *folders,
                          const char *const *argv, Text *output, ProcessEnd *end, Message *why)
{
    static const char *const environment[] = {"PATH=/usr/bin:/bin", "TMPDIR=/tmp", "LC_ALL=C", NULL};
    SandboxMount mounts[MAX_MOUNTS];
    const SandboxSpec spec = {
        .process = {.argv = argv,
                    .environment = environment,
                    .folder = "/submission",
                    .limits = {.address_space_bytes = COMPILE_MEMORY_BYTES,
                               .file_bytes = COMPILE_FILE_BYTES,
                               .cpu_seconds = compile_seconds(job->cpu_seconds),
                               .processes = COMPILE_PROCESSES,
                               .open_files = COMPILE_OPEN_FILES}},
        .mounts = mounts,
        .mount_count = list_mounts(tools, folders, mounts),
        .tmp_bytes = COMPILE_TMP_BYTES,
        .memory_bytes = COMPILE_ALL_MEMORY_BYTES,
    };
    const size_t before = output->length;
    Status status = run_once(job, &spec, output, end, why);
    for (int again = 0;
         status == STATUS_OK && end->exit_status != 0 && end->seconds < compile_seconds(job->cpu_seconds) &&
         compile_says_shortage(output, before) && again < SHORTAGE_TRIES;
         again++) {
        nanosleep(&(struct timespec){.tv_nsec = SHORTAGE_PAUSE_MS * 1000000l}, NULL);
        output->data[output->length = before] = '\0';
        status = run_once(job, &spec, output, end, why);
    }
    return status == STATUS_OK && end->exit_status != 0 ? check_room(folders->out, why) : status;
}
