/* Theory of operation
 *
 * bubblewrap builds a file system out of a few bind mounts on an empty tmpfs, enters new namespaces and starts the
 * program as their second process. When the first one dies, which happens at the latest when the judge dies, the
 * kernel kills all others.
 *
 * The user of the sandboxed program depends on who runs the judge. An ordinary user can be mapped to one other user
 * id only, so bubblewrap makes the user namespace, and for the kernel the program still runs as the judge's user.
 * Root cannot do that, because the kernel never applies RLIMIT_NPROC to root (measured: 2000 forks under a limit of
 * 40). For root, process_start() first makes a namespace with all users, and the program becomes nobody in it, after
 * bubblewrap has opened what only root may open.
 *
 * bubblewrap itself dies with the judge, but the process that it starts arranges to die with bubblewrap only a moment
 * later. So bubblewrap is the first process of an outer namespace of processes, where the kernel allows one: a kill of
 * the judge or of bubblewrap at any moment leaves nothing.
 *
 * RLIMIT_NPROC is set by the last program before the untrusted one, where the kernel counts the processes of this
 * namespace only (Linux 5.14 and later), not everything else that the user runs.  */
#include "harness/sandbox/sandbox.h"

#include "base/allocated.h"
#include "base/arena.h"
#include "base/paths.h"
#include "harness/sandbox/cgroup.h"
#include "harness/sandbox/seccomp.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define SETPRIV "/usr/bin/setpriv"
#define PRLIMIT "/usr/bin/prlimit"

enum { MAX_ARGUMENTS = 512, DEFAULT_TMP_BYTES = 64 << 20 };
enum { PROBE_SECONDS = 20, PROBE_TRIES = 7, PROBE_PAUSE_MS = 20 /* twice as long each time: 1.3 s in all */ };

/* What kind of sandbox this machine allows. */
typedef struct SandboxPlan {
    bool bubblewrap;     /* false: no sandbox at all */
    bool own_users;      /* root: process_start() makes a namespace with all users */
    bool own_processes;  /* process_start() makes a namespace of processes, in which bubblewrap is the first one */
    bool no_nesting;     /* nested user namespaces can be forbidden (bubblewrap 0.8) */
    bool process_limit;  /* RLIMIT_NPROC counts per namespace */
    const char *missing; /* what a partial sandbox lacks; NULL: nothing */
} SandboxPlan;

struct Sandbox {
    Arena arena;
    const char **argv; /* MAX_ARGUMENTS + 1 */
    size_t count;
    const SandboxSpec *spec;
    int filter; /* descriptor of the filter of system calls; -1: none */
    int status; /* descriptor of what bubblewrap says about its child, in JSON; -1: none */
    Cgroup cgroup;
    char folder[PATH_MAX]; /* used as /tmp if there is no bubblewrap; otherwise "" */
};

static const char *bubblewrap(void)
{
    const char *chosen = getenv("CONVJUDGE_BWRAP");
    return chosen != NULL && chosen[0] != '\0' ? chosen : "/usr/bin/bwrap";
}

static Sandbox *new_sandbox(const SandboxSpec *spec)
{
    Sandbox *sandbox = allocated(calloc(1, sizeof *sandbox));
    sandbox->spec = spec;
    sandbox->filter = sandbox->status = -1;
    sandbox->argv = arena_array(&sandbox->arena, MAX_ARGUMENTS + 1, sizeof *sandbox->argv);
    return sandbox;
}

static void add_argument(Sandbox *sandbox, const char *argument)
{
    if (sandbox->count < MAX_ARGUMENTS)
        sandbox->argv[sandbox->count] = arena_string(&sandbox->arena, argument);
    sandbox->count++; /* sandbox_new() refuses a count beyond the limit */
}

static void add_arguments(Sandbox *sandbox, const char *const *arguments)
{
    for (; *arguments != NULL; arguments++)
        add_argument(sandbox, *arguments);
}
#define ADD(sandbox, ...) add_arguments(sandbox, (const char *const[]){__VA_ARGS__, NULL})

/* ---- the command line of bubblewrap ------------------------------------------------------------------------------ */

static void add_namespaces(Sandbox *sandbox, const SandboxPlan *plan)
{
    ADD(sandbox, bubblewrap(), "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts",
        "--unshare-cgroup-try", "--new-session", "--die-with-parent", "--cap-drop", "ALL");
    if (plan->own_users)
        ADD(sandbox, "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID", "--cap-add", "CAP_SETPCAP");
    else
        ADD(sandbox, "--unshare-user", "--uid", "65534", "--gid", "65534");
    if (plan->no_nesting && !plan->own_users)
        add_argument(sandbox, "--disable-userns");
}

/* /bin, /lib, ... are links into /usr on merged systems and folders on others. */
static void add_system_folder(Sandbox *sandbox, const char *path)
{
    char target[PATH_MAX];
    ssize_t length = readlink(path, target, sizeof target);
    if (length > 0 && length < (ssize_t)sizeof target)
        ADD(sandbox, "--symlink", arena_copy(&sandbox->arena, target, (size_t)length), path);
    else
        ADD(sandbox, "--ro-bind-try", path, path);
}

/* bubblewrap would make the folders on the way to a mount for its own user only; the program has another one. */
static void add_bind(Sandbox *sandbox, const char *option, const char *source, const char *target)
{
    const char *slash = strrchr(target, '/');
    if (slash != NULL && slash != target)
        ADD(sandbox, "--perms", "0755", "--dir", arena_copy(&sandbox->arena, target, (size_t)(slash - target)));
    ADD(sandbox, option, source, target);
}

/* Hides a folder below /usr that may hold more than the system: other compilers and libraries, or this judge. */
static void hide_folder(Sandbox *sandbox, const char *path)
{
    struct stat info;
    if (stat(path, &info) == 0 && S_ISDIR(info.st_mode))
        ADD(sandbox, "--tmpfs", path, "--remount-ro", path);
}

static void add_files(Sandbox *sandbox)
{
    static const char *const folders[] = {"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"};
    const SandboxSpec *spec = sandbox->spec;
    char home[PATH_MAX];
    ADD(sandbox, "--ro-bind", "/usr", "/usr");
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        add_system_folder(sandbox, folders[i]);
    /* Debian's nvcc is found through links into /etc. */
    add_bind(sandbox, "--ro-bind-try", "/etc/alternatives", "/etc/alternatives");
    add_bind(sandbox, "--ro-bind-try", "/etc/nvcc.profile", "/etc/nvcc.profile");
    hide_folder(sandbox, "/usr/local");
    hide_folder(sandbox, "/usr/src");
    if (paths_home("", home, sizeof home, NULL) == STATUS_OK && strncmp(home, "/usr/", 5) == 0 &&
        strncmp(home, "/usr/local/", 11) != 0 && strncmp(home, "/usr/src/", 9) != 0)
        hide_folder(sandbox, home);
    if (spec->proc)
        ADD(sandbox, "--proc", "/proc");
    if (spec->dev)
        ADD(sandbox, "--dev", "/dev", "--remount-ro", "/dev", "--dev-bind", "/dev/null",
            "/dev/zero"); /* a shared mapping of it would be memory that no limit counts */
    size_t tmp_bytes = spec->tmp_bytes != 0 ? spec->tmp_bytes : DEFAULT_TMP_BYTES;
    if (spec->read_only)
        ADD(sandbox, "--perms", "0755", "--dir", "/tmp");
    else
        ADD(sandbox, "--perms", "1777", "--size", arena_printf(&sandbox->arena, "%zu", tmp_bytes), "--tmpfs", "/tmp");
    for (size_t i = 0; i < spec->mount_count; i++)
        add_bind(sandbox, spec->mounts[i].writable ? "--bind" : "--ro-bind", spec->mounts[i].source,
                 spec->mounts[i].target);
    ADD(sandbox, "--remount-ro", "/");
    ADD(sandbox, "--chdir", spec->process.folder != NULL ? spec->process.folder : "/");
}

static void add_program(Sandbox *sandbox, const SandboxPlan *plan)
{
    unsigned processes = sandbox->spec->process.limits.processes;
    add_argument(sandbox, "--");
    if (plan->own_users)
        ADD(sandbox, SETPRIV, "--reuid", "65534", "--regid", "65534", "--clear-groups", "--inh-caps=-all",
            "--bounding-set=-all", "--");
    if (plan->process_limit && processes > 0)
        ADD(sandbox, PRLIMIT, arena_printf(&sandbox->arena, "--nproc=%u:%u", processes, processes), "--");
    add_arguments(sandbox, sandbox->spec->process.argv);
}

static Status add_filter(Sandbox *sandbox, ProcessSpec *process, Message *why)
{
    Status status = seccomp_filter(sandbox->spec->one_process, &sandbox->filter, why);
    if (status != STATUS_OK)
        return status;
    sandbox->status = memfd_create("status", MFD_CLOEXEC);
    if (sandbox->status < 0)
        return fail_errno(why, "the sandbox");
    int *keep = arena_array(&sandbox->arena, process->keep_count + 2, sizeof *keep);
    for (size_t i = 0; i < process->keep_count; i++)
        keep[i] = process->keep[i];
    keep[process->keep_count++] = sandbox->filter;
    keep[process->keep_count++] = sandbox->status;
    process->keep = keep;
    ADD(sandbox, "--seccomp", arena_printf(&sandbox->arena, "%d", sandbox->filter), "--json-status-fd",
        arena_printf(&sandbox->arena, "%d", sandbox->status));
    return STATUS_OK;
}

/* A bubblewrap that was unpacked without being installed finds its libraries through LD_LIBRARY_PATH. The program
 * inside must not use that path. */
static const char *const *add_library_path(Sandbox *sandbox, const char *const *environment)
{
    const char *path = getenv("LD_LIBRARY_PATH");
    size_t count = 0;
    if (path == NULL || getenv("CONVJUDGE_BWRAP") == NULL)
        return environment;
    while (environment != NULL && environment[count] != NULL)
        count++;
    const char **longer = arena_array(&sandbox->arena, count + 2, sizeof *longer);
    for (size_t i = 0; i < count; i++)
        longer[i] = environment[i];
    longer[count] = arena_printf(&sandbox->arena, "LD_LIBRARY_PATH=%s", path);
    ADD(sandbox, "--unsetenv", "LD_LIBRARY_PATH");
    return longer;
}

static Status use_bubblewrap(Sandbox *sandbox, const SandboxPlan *plan, ProcessSpec *process, Message *why)
{
    *process = sandbox->spec->process;
    add_namespaces(sandbox, plan);
    process->environment = add_library_path(sandbox, process->environment);
    add_files(sandbox);
    Status status = add_filter(sandbox, process, why);
    add_program(sandbox, plan);
    process->argv = sandbox->argv;
    process->folder = NULL;
    process->own_users = plan->own_users;
    process->own_processes = plan->own_processes;
    process->limits.processes = 0;
    process->limits.no_core = true;
    return status;
}

/* ---- without bubblewrap ------------------------------------------------------------------------------------------ */

/* The host's path for a path inside the sandbox; any other argument is returned unchanged. */
static const char *host_path(Sandbox *sandbox, const char *inside)
{
    SandboxMount tmp = {.source = sandbox->folder, .target = "/tmp"};
    for (size_t i = 0; i <= sandbox->spec->mount_count; i++) {
        const SandboxMount *mount = i < sandbox->spec->mount_count ? &sandbox->spec->mounts[i] : &tmp;
        size_t length = strlen(mount->target);
        if (strncmp(inside, mount->target, length) == 0 && (inside[length] == '/' || inside[length] == '\0'))
            return arena_printf(&sandbox->arena, "%s%s", mount->source, inside + length);
    }
    return inside;
}

/* The value in "NAME=/path" is a path, too. */
static const char *host_variable(Sandbox *sandbox, const char *variable)
{
    size_t name = strcspn(variable, "=") + 1;
    return arena_printf(&sandbox->arena, "%.*s%s", (int)name, variable, host_path(sandbox, variable + name));
}

static const char *const *host_environment(Sandbox *sandbox, const char *const *environment)
{
    size_t count = 0;
    while (environment != NULL && environment[count] != NULL)
        count++;
    const char **changed = arena_array(&sandbox->arena, count + 1, sizeof *changed);
    for (size_t i = 0; i < count; i++)
        changed[i] = host_variable(sandbox, environment[i]);
    return changed;
}

static Status use_no_sandbox(Sandbox *sandbox, ProcessSpec *process, Message *why)
{
    Status status = scratch_new(sandbox->folder, sizeof sandbox->folder, why);
    *process = sandbox->spec->process;
    for (const char *const *argument = process->argv; *argument != NULL; argument++)
        add_argument(sandbox, host_path(sandbox, *argument));
    process->argv = sandbox->argv;
    process->environment = host_environment(sandbox, process->environment);
    if (process->folder != NULL)
        process->folder = host_path(sandbox, process->folder);
    process->limits.processes = 0; /* it would count everything that the user runs */
    return status;
}

/* ---- what this machine allows ------------------------------------------------------------------------------------ */

/* Runs `true` in a sandbox made by this plan. */
static bool plan_works_now(const SandboxPlan *plan, Message *why)
{
    static const char *const program[] = {"/usr/bin/true", NULL};
    const SandboxSpec spec = {.process = {.argv = program, .output = -1, .limits = {.processes = 16}},
                              .one_process = true,
                              .proc = true,
                              .dev = true};
    Sandbox *sandbox = new_sandbox(&spec);
    ProcessSpec process;
    Text output = {0};
    ProcessEnd end = {0};
    Status status = use_bubblewrap(sandbox, plan, &process, why);
    if (status == STATUS_OK)
        status = process_run(&process, PROBE_SECONDS, 4096, &output, &end, why);
    bool worked = status == STATUS_OK && !end.timed_out && end.exit_status == 0;
    if (status == STATUS_OK && !worked)
        (void)fail(STATUS_SYSTEM, why, "%s ended with exit status %d: %.*s", bubblewrap(), end.exit_status,
                   (int)strcspn(output.data, "\n"), output.data);
    text_free(&output);
    sandbox_free(sandbox);
    return worked;
}

/* Whether the reason may be gone in a moment: other gradings come and go. */
static bool is_passing(const Message *why)
{
    static const int errors[] = {EAGAIN, ENOMEM, EMFILE, ENFILE, ENOSPC, EINTR};
    bool found = false;
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        found = found || strstr(why->text, strerror(errors[i])) != NULL;
    return found;
}

static bool plan_works(const SandboxPlan *plan, Message *why)
{
    bool works = plan_works_now(plan, why);
    for (int try = 1; !works && is_passing(why) && try < PROBE_TRIES; try++) {
        nanosleep(&(struct timespec){.tv_nsec = (PROBE_PAUSE_MS << (try - 1)) * 1000000l}, NULL);
        works = plan_works_now(plan, why);
    }
    return works;
}

/* The strictest plan that works. */
static SandboxPlan find_plan(Message *why)
{
    bool root = geteuid() == 0, counts = process_limit_is_per_namespace() && access(PRLIMIT, X_OK) == 0;
    const char *no_count = "the number of processes is not limited (needs Linux 5.14 and util-linux)";
    const SandboxPlan plans[] = {
        {.own_users = root, .no_nesting = true, .process_limit = counts, .missing = counts ? NULL : no_count},
        {.no_nesting = true,
         .process_limit = counts && !root,
         .missing = root     ? "root's processes cannot be limited here"
                    : counts ? NULL
                             : no_count},
        {.process_limit = counts && !root,
         .missing = "nested user namespaces are allowed (bubblewrap 0.8 forbids them)"},
    };
    if (access(bubblewrap(), X_OK) != 0) {
        (void)fail(STATUS_NOT_FOUND, why, "bubblewrap is not installed (%s)", bubblewrap());
        return (SandboxPlan){0};
    }
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
        SandboxPlan plan = plans[i];
        plan.bubblewrap = plan.own_processes = true;
        if (plan_works(&plan, why))
            return plan;
        plan.own_processes = false;
        if (plan_works(&plan, why))
            return plan;
    }
    return (SandboxPlan){0};
}

static char level[1100];

static const SandboxPlan *machine_plan(void)
{
    static SandboxPlan plan;
    if (level[0] != '\0')
        return &plan;
    Message why = {0};
    plan = find_plan(&why);
    if (!plan.bubblewrap)
        snprintf(level, sizeof level, "none: %s", why.text);
    else if (plan.missing != NULL)
        snprintf(level, sizeof level, "partial: %s", plan.missing);
    else
        snprintf(level, sizeof level, "full");
    return &plan;
}

const char *sandbox_level(void)
{
    machine_plan();
    return level;
}

static bool unconfined;

void sandbox_allow_unconfined(void)
{
    unconfined = true;
}

bool sandbox_allows_unconfined(void)
{
    return unconfined;
}

Status sandbox_require(Message *why)
{
    if (unconfined || strcmp(sandbox_level(), "full") == 0)
        return STATUS_OK;
    return fail(STATUS_UNSUPPORTED, why,
                "no submission runs without a full sandbox; --unconfined (UNCONFINED=1 for make) runs it with your "
                "rights, and ranks nothing. Here the sandbox is %s",
                level);
}

/* ---- public ------------------------------------------------------------------------------------------------------ */

/* Inside, the program's user is nobody: a file that only root may read would seem to be missing. */
static Status check_mounts(const SandboxSpec *spec, const SandboxPlan *plan, Message *why)
{
    struct stat info;
    for (size_t i = 0; i < spec->mount_count; i++) {
        if (stat(spec->mounts[i].source, &info) != 0)
            return fail_errno(why, "%s", spec->mounts[i].source);
        mode_t needed = S_IROTH | (S_ISDIR(info.st_mode) ? S_IXOTH : info.st_mode & S_IXUSR ? S_IXOTH : 0);
        if (plan->own_users && (info.st_mode & needed) != needed)
            return fail(STATUS_SYSTEM, why,
                        "%s: must be readable by everyone, because the sandbox runs as another user: chmod o+rX it",
                        spec->mounts[i].source);
    }
    return STATUS_OK;
}

static void enter_cgroup(Sandbox *sandbox, ProcessSpec *process)
{
    enum { BUBBLEWRAPS = 4 }; /* processes of its own, setpriv and prlimit included */
    unsigned processes = sandbox->spec->process.limits.processes;
    const CgroupLimits limits = {.memory_bytes = sandbox->spec->memory_bytes,
                                 .processes = processes == 0 ? 0 : processes + BUBBLEWRAPS};
    if (cgroup_new(&limits, &sandbox->cgroup))
        process->cgroup = sandbox->cgroup.path;
}

/* The program that sets the limit inside cannot raise it. */
static Status check_processes(const SandboxSpec *spec, const SandboxPlan *plan, Message *why)
{
    struct rlimit own;
    unsigned processes = spec->process.limits.processes;
    if (!plan->process_limit || getrlimit(RLIMIT_NPROC, &own) != 0 || own.rlim_max >= processes)
        return STATUS_OK;
    return fail(STATUS_SYSTEM, why, "the judge itself may have %llu processes (ulimit -u), a sandbox needs %u",
                (unsigned long long)own.rlim_max, processes);
}

Status sandbox_new(const SandboxSpec *spec, Sandbox **sandbox, ProcessSpec *process, Message *why)
{
    const SandboxPlan *plan = machine_plan();
    *sandbox = NULL;
    Status status = sandbox_require(why);
    if (status == STATUS_OK)
        status = check_processes(spec, plan, why);
    if (status == STATUS_OK)
        status = check_mounts(spec, plan, why);
    if (status != STATUS_OK)
        return status;
    Sandbox *made = new_sandbox(spec);
    status = plan->bubblewrap ? use_bubblewrap(made, plan, process, why) : use_no_sandbox(made, process, why);
    if (status == STATUS_OK && spec->memory_bytes != 0)
        enter_cgroup(made, process);
    if (status == STATUS_OK && made->count > MAX_ARGUMENTS)
        status = fail(STATUS_BAD_INPUT, why,
                      "the sandbox: %zu arguments of bubblewrap and the program, the limit is %d", made->count,
                      MAX_ARGUMENTS);
    if (status != STATUS_OK) {
        sandbox_free(made);
        made = NULL;
    }
    *sandbox = made;
    return status;
}

/* bubblewrap writes the exit code of its child only where the program was reached, and the program cannot write there.
 * 1 is its own exit status for all failures. */
bool sandbox_was_not_made(const Sandbox *sandbox, int exit_status)
{
    char text[512];
    if (sandbox->status < 0 || exit_status != 1)
        return false;
    ssize_t length = pread(sandbox->status, text, sizeof text, 0);
    return length >= 0 && memmem(text, (size_t)length, "exit-code", 9) == NULL;
}

bool sandbox_ran_out_of_memory(const Sandbox *sandbox)
{
    return cgroup_ran_out_of_memory(&sandbox->cgroup);
}

void sandbox_free(Sandbox *sandbox)
{
    if (sandbox == NULL)
        return;
    if (sandbox->folder[0] != '\0')
        scratch_remove(sandbox->folder);
    if (sandbox->filter >= 0)
        close(sandbox->filter);
    if (sandbox->status >= 0)
        close(sandbox->status);
    cgroup_remove(&sandbox->cgroup);
    arena_free(&sandbox->arena);
    free(sandbox);
}
