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
#include "base/sandbox.h"

#include "base/arena.h"
#include "base/paths.h"
#include "base/scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ==== seccomp ===================================================================================================== */

/* ---- the compiler: what nothing needs is denied ------------------------------------------------------------------ */

static const int denied[] = {
    /* memory that no limit of a process counts */
    SCMP_SYS(memfd_create), 447, /* memfd_secret, Linux 5.14 */
    SCMP_SYS(vmsplice),          /* a pipe keeps pages that the process has given back, huge ones too */
    SCMP_SYS(inotify_init), SCMP_SYS(inotify_init1), SCMP_SYS(mlock), SCMP_SYS(mlock2), SCMP_SYS(mlockall),
    SCMP_SYS(io_setup), SCMP_SYS(shmget), SCMP_SYS(msgget), SCMP_SYS(semget), SCMP_SYS(mq_open),
    /* kernel objects that outlive a process, or that all containers share */
    SCMP_SYS(add_key), SCMP_SYS(request_key), SCMP_SYS(keyctl),
    /* other processes */
    SCMP_SYS(ptrace), SCMP_SYS(process_vm_readv), SCMP_SYS(process_vm_writev), SCMP_SYS(pidfd_getfd), SCMP_SYS(kcmp),
    SCMP_SYS(process_madvise),
    /* parts of the kernel with a long list of holes */
    SCMP_SYS(bpf), SCMP_SYS(perf_event_open), SCMP_SYS(userfaultfd), SCMP_SYS(io_uring_setup), SCMP_SYS(io_uring_enter),
    SCMP_SYS(io_uring_register), SCMP_SYS(unshare), SCMP_SYS(setns), SCMP_SYS(mount), SCMP_SYS(umount2),
    SCMP_SYS(pivot_root), SCMP_SYS(move_mount), SCMP_SYS(open_tree), SCMP_SYS(fsopen), SCMP_SYS(name_to_handle_at),
    SCMP_SYS(open_by_handle_at), SCMP_SYS(fanotify_init), SCMP_SYS(quotactl), SCMP_SYS(kexec_load),
    SCMP_SYS(modify_ldt), SCMP_SYS(personality), SCMP_SYS(syslog),
    444, /* landlock_create_ruleset, Linux 5.13: its rules are memory, too */
};

/* A rule for calls of which an argument matches; without an argument, for all of them. */
typedef struct SeccompRule {
    int call;
    unsigned argument_count;
    struct scmp_arg_cmp argument;
} SeccompRule;

#define IF_BITS(argument, mask, value) 1, SCMP_A##argument##_64(SCMP_CMP_MASKED_EQ, mask, value)
#define IF_EQUAL(argument, value) 1, SCMP_A##argument##_64(SCMP_CMP_EQ, value)
#define IF_OTHER(argument, value) 1, SCMP_A##argument##_64(SCMP_CMP_NE, value)

static const SeccompRule denied_by_argument[] = {
    /* Shared memory without a file: limits count private memory only. */
    {SCMP_SYS(mmap), IF_BITS(3, MAP_SHARED | MAP_ANONYMOUS, MAP_SHARED | MAP_ANONYMOUS)},
    /* Memory that grows downwards counts as a stack, not as data. */
    {SCMP_SYS(mmap), IF_BITS(3, MAP_GROWSDOWN, MAP_GROWSDOWN)},
    {SCMP_SYS(fcntl), IF_EQUAL(1, F_SETPIPE_SZ)},
    /* The network leads nowhere, and other families may not know namespaces. */
    {SCMP_SYS(socket), IF_OTHER(0, AF_UNIX)},
};

/* ---- the runner: what a program of one process needs is allowed -------------------------------------------------- */

static const int allowed[] = {
    /* files, which it can only read, and pipes */
    SCMP_SYS(read),
    SCMP_SYS(readv),
    SCMP_SYS(pread64),
    SCMP_SYS(preadv),
    SCMP_SYS(write),
    SCMP_SYS(writev),
    SCMP_SYS(pwrite64),
    SCMP_SYS(open),
    SCMP_SYS(openat),
    SCMP_SYS(openat2),
    SCMP_SYS(close),
    SCMP_SYS(close_range),
    SCMP_SYS(stat),
    SCMP_SYS(lstat),
    SCMP_SYS(fstat),
    SCMP_SYS(newfstatat),
    SCMP_SYS(statx),
    SCMP_SYS(statfs),
    SCMP_SYS(fstatfs),
    SCMP_SYS(access),
    SCMP_SYS(faccessat),
    SCMP_SYS(faccessat2),
    SCMP_SYS(readlink),
    SCMP_SYS(readlinkat),
    SCMP_SYS(getcwd),
    SCMP_SYS(chdir),
    SCMP_SYS(getdents),
    SCMP_SYS(getdents64),
    SCMP_SYS(lseek),
    SCMP_SYS(fadvise64),
    SCMP_SYS(mkdir), /* fails, since nothing can be written; so do the others */
    SCMP_SYS(mkdirat),
    SCMP_SYS(unlink),
    SCMP_SYS(unlinkat),
    SCMP_SYS(rename),
    SCMP_SYS(renameat),
    SCMP_SYS(renameat2),
    SCMP_SYS(umask),
    SCMP_SYS(fsync),
    SCMP_SYS(dup),
    SCMP_SYS(dup2),
    SCMP_SYS(dup3),
    SCMP_SYS(pipe),
    SCMP_SYS(pipe2),
    SCMP_SYS(poll),
    SCMP_SYS(ppoll),
    SCMP_SYS(select),
    SCMP_SYS(pselect6),
    SCMP_SYS(epoll_create),
    SCMP_SYS(epoll_create1),
    SCMP_SYS(epoll_ctl),
    SCMP_SYS(epoll_wait),
    SCMP_SYS(epoll_pwait),
    SCMP_SYS(eventfd),
    SCMP_SYS(eventfd2),
    /* memory */
    SCMP_SYS(munmap),
    SCMP_SYS(mprotect),
    SCMP_SYS(mremap),
    SCMP_SYS(madvise),
    SCMP_SYS(brk),
    SCMP_SYS(mincore),
    SCMP_SYS(msync),
    /* threads */
    SCMP_SYS(futex),
    SCMP_SYS(set_robust_list),
    SCMP_SYS(get_robust_list),
    SCMP_SYS(set_tid_address),
    SCMP_SYS(rseq),
    SCMP_SYS(membarrier),
    SCMP_SYS(arch_prctl),
    SCMP_SYS(gettid),
    SCMP_SYS(exit),
    SCMP_SYS(exit_group),
    SCMP_SYS(sched_yield),
    SCMP_SYS(sched_getaffinity),
    SCMP_SYS(sched_setaffinity),
    SCMP_SYS(sched_getparam),
    SCMP_SYS(sched_getscheduler),
    SCMP_SYS(sched_get_priority_max),
    SCMP_SYS(sched_get_priority_min),
    SCMP_SYS(getcpu),
    /* time */
    SCMP_SYS(nanosleep),
    SCMP_SYS(clock_nanosleep),
    SCMP_SYS(clock_gettime),
    SCMP_SYS(clock_getres),
    SCMP_SYS(gettimeofday),
    SCMP_SYS(time),
    SCMP_SYS(times),
    SCMP_SYS(alarm),
    SCMP_SYS(getitimer),
    SCMP_SYS(setitimer),
    SCMP_SYS(pause),
    /* signals */
    SCMP_SYS(rt_sigaction),
    SCMP_SYS(rt_sigprocmask),
    SCMP_SYS(rt_sigreturn),
    SCMP_SYS(rt_sigpending),
    SCMP_SYS(rt_sigsuspend),
    SCMP_SYS(rt_sigtimedwait),
    SCMP_SYS(sigaltstack),
    SCMP_SYS(restart_syscall),
    SCMP_SYS(kill),
    SCMP_SYS(tkill),
    SCMP_SYS(tgkill),
    /* the process itself */
    SCMP_SYS(getpid),
    SCMP_SYS(getppid),
    SCMP_SYS(getpgid),
    SCMP_SYS(getpgrp),
    SCMP_SYS(getsid),
    SCMP_SYS(getuid),
    SCMP_SYS(geteuid),
    SCMP_SYS(getgid),
    SCMP_SYS(getegid),
    SCMP_SYS(getresuid),
    SCMP_SYS(getresgid),
    SCMP_SYS(getgroups),
    SCMP_SYS(uname),
    SCMP_SYS(sysinfo),
    SCMP_SYS(getrlimit),
    SCMP_SYS(getrusage),
    SCMP_SYS(getpriority),
    SCMP_SYS(getrandom),
    SCMP_SYS(prctl),
    SCMP_SYS(wait4),
    SCMP_SYS(waitid),
    /* setpriv and prlimit, which start the runner */
    SCMP_SYS(execve),
    SCMP_SYS(capget),
    SCMP_SYS(capset),
    SCMP_SYS(setgroups),
    SCMP_SYS(setresuid),
    SCMP_SYS(setresgid),
};

enum { MEMORY_KINDS = MAP_SHARED | MAP_ANONYMOUS | MAP_GROWSDOWN | MAP_HUGETLB };

static const SeccompRule allowed_by_argument[] = {
    /* Private memory, and files, which are read-only. */
    {SCMP_SYS(mmap), IF_BITS(3, MEMORY_KINDS, 0)},
    {SCMP_SYS(mmap), IF_BITS(3, MEMORY_KINDS, MAP_ANONYMOUS)},
    {SCMP_SYS(mmap), IF_BITS(3, MEMORY_KINDS, MAP_SHARED)},
    /* Threads. The flags of clone3 lie in memory, where no filter can look; without it the C library uses clone. */
    {SCMP_SYS(clone), IF_BITS(0, CLONE_THREAD, CLONE_THREAD)},
    /* No locks, which other sandboxes would see, and no larger pipes. */
    {SCMP_SYS(fcntl), IF_EQUAL(1, F_DUPFD)},
    {SCMP_SYS(fcntl), IF_EQUAL(1, F_DUPFD_CLOEXEC)},
    {SCMP_SYS(fcntl), IF_EQUAL(1, F_GETFD)},
    {SCMP_SYS(fcntl), IF_EQUAL(1, F_SETFD)},
    {SCMP_SYS(fcntl), IF_EQUAL(1, F_GETFL)},
    {SCMP_SYS(fcntl), IF_EQUAL(1, F_SETFL)},
    {SCMP_SYS(ioctl), IF_EQUAL(1, TCGETS)},
    {SCMP_SYS(ioctl), IF_EQUAL(1, TIOCGWINSZ)},
    {SCMP_SYS(ioctl), IF_EQUAL(1, FIONREAD)},
    /* Limits can be read. One of them is set by prlimit, in the sandbox, and could only be made smaller afterwards. */
    {SCMP_SYS(prlimit64), IF_EQUAL(2, 0)},
    {SCMP_SYS(prlimit64), IF_EQUAL(1, RLIMIT_NPROC)},
};

/* ---- building ---------------------------------------------------------------------------------------------------- */

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

typedef struct FilterRules {
    uint32_t otherwise, action; /* for calls without a rule; for those with one */
    const int *calls;
    size_t call_count;
    const SeccompRule *by_argument;
    size_t by_argument_count;
} FilterRules;

static const FilterRules compiler_rules = {.otherwise = SCMP_ACT_ALLOW,
                                           .action = SCMP_ACT_ERRNO(EPERM),
                                           .calls = denied,
                                           .call_count = COUNT_OF(denied),
                                           .by_argument = denied_by_argument,
                                           .by_argument_count = COUNT_OF(denied_by_argument)};
/* ENOSYS: as if the kernel lacked the call. The C library then does without it. */
static const FilterRules runner_rules = {.otherwise = SCMP_ACT_ERRNO(ENOSYS),
                                         .action = SCMP_ACT_ALLOW,
                                         .calls = allowed,
                                         .call_count = COUNT_OF(allowed),
                                         .by_argument = allowed_by_argument,
                                         .by_argument_count = COUNT_OF(allowed_by_argument)};

/* 0, or a negative error number, as libseccomp's functions. A program for another architecture, or one that uses x86-64's
 * kernel by the numbers of x32, is killed. */
static int fill_filter(scmp_filter_ctx filter, const FilterRules *rules)
{
    int error = seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
    for (size_t i = 0; i < rules->call_count && error == 0; i++)
        error = seccomp_rule_add(filter, rules->action, rules->calls[i], 0);
    for (size_t i = 0; i < rules->by_argument_count && error == 0; i++) {
        const SeccompRule *rule = &rules->by_argument[i];
        error = seccomp_rule_add_array(filter, rules->action, rule->call, rule->argument_count, &rule->argument);
    }
    return error;
}

Status seccomp_filter(bool one_process, int *descriptor, Message *why)
{
    const FilterRules *rules = one_process ? &runner_rules : &compiler_rules;
    scmp_filter_ctx filter = seccomp_init(rules->otherwise);
    int error = filter == NULL ? -ENOMEM : fill_filter(filter, rules);
    *descriptor = memfd_create("seccomp", MFD_CLOEXEC);
    if (error == 0 && *descriptor >= 0)
        error = seccomp_export_bpf(filter, *descriptor);
    seccomp_release(filter);
    if (error == 0 && *descriptor >= 0 && lseek(*descriptor, 0, SEEK_SET) == 0)
        return STATUS_OK;
    errno = error != 0 ? -error : errno;
    return fail_errno(why, "the sandbox: its filter of system calls cannot be made");
}

/* ==== sandbox ===================================================================================================== */

#define SETPRIV "/usr/bin/setpriv"
#define PRLIMIT "/usr/bin/prlimit"

enum { MAX_ARGUMENTS = 512, DEFAULT_TMP_BYTES = 64 << 20 };
enum { PROBE_SECONDS = 20, PROBE_TRIES = 7, PROBE_PAUSE_MS = 20 /* twice as long each time: 1.3 s in all */ };

/* The kind of sandbox that this machine allows. */
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
    const char *chosen = paths_variable("CONVJUDGE_BWRAP");
    return chosen != NULL ? chosen : "/usr/bin/bwrap";
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
    else
        add_bind(sandbox, "--dev-bind", "/dev/null", "/dev/null"); /* Debian's script of a host compiler needs it */
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
    TRY(status);
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
    THEN(status, process_run(&process, PROBE_SECONDS, 4096, &output, &end, why));
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
    TRY(sandbox_require(why));
    TRY(check_processes(spec, plan, why));
    TRY(check_mounts(spec, plan, why));
    Sandbox *made = new_sandbox(spec);
    Status status = plan->bubblewrap ? use_bubblewrap(made, plan, process, why) : use_no_sandbox(made, process, why);
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
