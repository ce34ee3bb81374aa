#include "harness/broker/broker_confine.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/landlock.h>
#include <poll.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

/* ---- namespaces -------------------------------------------------------------------------------------------------- */

static bool write_to(const char *path, const char *text)
{
    int file = open(path, O_WRONLY | O_CLOEXEC);
    bool written = file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text);
    if (file >= 0)
        close(file);
    return written;
}

/* User and group keep their numbers, because the files of the cache must belong to the user who runs the judge. */
static bool map_itself(uid_t user, gid_t group)
{
    char users[40], groups[40];
    snprintf(users, sizeof users, "%u %u 1\n", user, user);
    snprintf(groups, sizeof groups, "%u %u 1\n", group, group);
    return write_to("/proc/self/setgroups", "deny") && write_to("/proc/self/uid_map", users) &&
           write_to("/proc/self/gid_map", groups);
}

/* Ends as the child does. */
static void stand_for(pid_t child, int keep)
{
    int status = 0;
    dup2(keep, 3);
    close_range(4, ~0u, 0); /* otherwise the grader would not notice that the child has closed its socket */
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

/* Goes on as the first process of the new namespace of processes, in a child: what it starts dies with it. The calling
 * process stays and waits for it, and the child dies with that one. The calling process alone can write to the pipe, so
 * the pipe's end shows whether it died before the child had arranged this. */
static bool become_first_process(void)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    pid_t child = fork();
    if (child > 0)
        stand_for(child, ends[1]);
    close(ends[1]);
    struct pollfd parent = {.fd = ends[0]};
    if (child == 0 && (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || poll(&parent, 1, 0) != 0))
        _exit(126);
    close(ends[0]);
    return child == 0;
}

enum { NAMESPACES = CLONE_NEWUSER | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP };

/* `more`: CLONE_NEWPID, or 0. */
static bool enter_namespaces(int more)
{
    uid_t user = geteuid();
    gid_t group = getegid();
    pid_t parent = getppid();
    if (unshare(NAMESPACES | more) != 0)
        return false;
    bool mapped = map_itself(user, group);
    /* A change of credentials resets it: prctl(2). A parent outside of the namespace of processes has the number 0. */
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent)
        _exit(126);
    return (more == 0 || become_first_process()) && mapped;
}

static bool drop_capabilities(void)
{
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {{0}};
    for (int i = 0; i < 64; i++)
        prctl(PR_CAPBSET_DROP, i); /* fails where the number means nothing, or without the right; both are fine */
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    return syscall(SYS_capset, &head, none) == 0;
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

enum { /* of Landlock's ABI, and the version that brought them: landlock(7) */
       READS = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR,
       WRITES = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE |
                LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG,
       VERSION_1 = (1 << 13) - 1,
       REFER_2 = 1 << 13,
       TRUNCATE_3 = 1 << 14,
       IOCTL_5 = 1 << 15,
       TCP_4 = 3,           /* binding and connecting */
       SOCKETS_SCOPE_6 = 1, /* abstract sockets of processes outside */
       SIGNALS_SCOPE_6 = 2  /* signals to them */
};

/* struct landlock_ruleset_attr as of version 6; older headers have a part of it. */
typedef struct Ruleset {
    uint64_t files, network, scopes;
} Ruleset;

static Ruleset ruleset_of(int version)
{
    return (Ruleset){.files = VERSION_1 | (version >= 2 ? REFER_2 : 0) | (version >= 3 ? TRUNCATE_3 : 0) |
                              (version >= 5 ? IOCTL_5 : 0),
                     .network = version >= 4 ? TCP_4 : 0,
                     .scopes = version >= 6 ? (SOCKETS_SCOPE_6 | SIGNALS_SCOPE_6) : 0};
}

static size_t ruleset_bytes(int version)
{
    return version >= 6 ? sizeof(Ruleset) : version >= 4 ? 2 * sizeof(uint64_t) : sizeof(uint64_t);
}

/* A path that does not exist needs no rule. A file takes fewer rights than a folder. */
static bool allow(int rules, const char *path, uint64_t rights)
{
    struct landlock_path_beneath_attr rule = {.allowed_access = rights,
                                              .parent_fd = path == NULL ? -1 : open(path, O_PATH | O_CLOEXEC)};
    if (rule.parent_fd < 0)
        return path == NULL || errno == ENOENT;
    bool added = syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0;
    close(rule.parent_fd);
    return added;
}

static bool allow_all(int rules, const char *const *paths, size_t count, uint64_t rights)
{
    bool added = true;
    for (size_t i = 0; i < count; i++)
        added = added && allow(rules, paths[i], rights);
    return added;
}

/* Reading the system's libraries, and running its programs where a compiler is needed. */
static bool allow_system(int rules, uint64_t handled, bool runs_programs)
{
    static const char *const folders[] = {"/usr", "/lib", "/lib64"};
    static const char *const files[] = {"/etc/ld.so.cache", "/proc/cpuinfo", "/dev/urandom"};
    return allow_all(rules, folders, COUNT_OF(folders), READS | (runs_programs ? LANDLOCK_ACCESS_FS_EXECUTE : 0)) &&
           allow_all(rules, files, COUNT_OF(files), LANDLOCK_ACCESS_FS_READ_FILE) &&
           allow(rules, "/sys/devices/system/cpu", READS) &&
           allow(rules, "/dev/null",
                 (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE | TRUNCATE_3) & handled);
}

static bool allow_simulation(int rules, uint64_t handled, const Confinement *confinement)
{
    return allow_system(rules, handled, confinement->translations != NULL) &&
           allow(rules, confinement->profiles, READS) &&
           allow(rules, confinement->translations, (READS | WRITES | REFER_2 | TRUNCATE_3) & handled);
}

/* The driver writes the names of its threads, or does not start. The descriptor stays open: a rule holds for one folder in memory, and
 * the kernel may make another one of this name as soon as nobody uses the first. */
static bool allow_names_of_threads(int rules, uint64_t handled)
{
    open("/proc/self/task", O_PATH | O_CLOEXEC);
    return allow(rules, "/proc/self/task", READS | ((LANDLOCK_ACCESS_FS_WRITE_FILE | TRUNCATE_3) & handled));
}

static bool allow_driver(int rules, uint64_t handled, const DeviceFiles *gpu)
{
    static const char *const kernel[] = {"/proc", "/sys"};
    bool added = allow_system(rules, handled, false) && allow_all(rules, kernel, COUNT_OF(kernel), READS) &&
                 allow_names_of_threads(rules, handled);
    for (size_t i = 0; i < gpu->device_count; i++)
        added = added && allow(rules, gpu->devices[i],
                               (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE | IOCTL_5) & handled);
    for (size_t i = 0; i < gpu->folder_count; i++)
        added = added && allow(rules, gpu->folders[i][0] == '\0' ? NULL : gpu->folders[i], READS);
    return added;
}

/* Leaves open what a simulation needs, or where `gpu` is given, what the driver of that GPU needs. */
static bool close_files(const Confinement *confinement, const DeviceFiles *gpu, bool *scopes_signals)
{
    int version = (int)syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
    if (version < 1)
        return false;
    Ruleset ruleset = ruleset_of(version);
    if (gpu != NULL) { /* a driver may talk to a daemon of its maker; the filter closes the network */
        ruleset.network = 0;
        ruleset.scopes &= SIGNALS_SCOPE_6;
    }
    int rules = (int)syscall(SYS_landlock_create_ruleset, &ruleset, ruleset_bytes(version), 0);
    bool closed = rules >= 0 &&
                  (gpu != NULL ? allow_driver(rules, ruleset.files, gpu)
                               : allow_simulation(rules, ruleset.files, confinement)) &&
                  syscall(SYS_landlock_restrict_self, rules, 0) == 0;
    if (rules >= 0)
        close(rules);
    *scopes_signals = closed && ruleset.scopes != 0;
    return closed;
}

/* ---- system calls ------------------------------------------------------------------------------------------------ */

/* Neither a driver nor a compiler needs these. */
static const int never[] = {
    /* kernel objects that outlive a process, or that all containers share */
    SCMP_SYS(add_key),
    SCMP_SYS(request_key),
    SCMP_SYS(keyctl),
    /* other processes */
    SCMP_SYS(ptrace),
    SCMP_SYS(process_vm_readv),
    SCMP_SYS(process_vm_writev),
    SCMP_SYS(pidfd_getfd),
    SCMP_SYS(pidfd_send_signal),
    SCMP_SYS(kcmp),
    SCMP_SYS(process_madvise),
    /* parts of the kernel with a long list of holes */
    SCMP_SYS(bpf),
    SCMP_SYS(perf_event_open),
    SCMP_SYS(userfaultfd),
    SCMP_SYS(io_uring_setup),
    SCMP_SYS(io_uring_enter),
    SCMP_SYS(io_uring_register),
    SCMP_SYS(unshare),
    SCMP_SYS(setns),
    SCMP_SYS(mount),
    SCMP_SYS(umount2),
    SCMP_SYS(pivot_root),
    SCMP_SYS(chroot),
    SCMP_SYS(move_mount),
    SCMP_SYS(open_tree),
    SCMP_SYS(fsopen),
    SCMP_SYS(open_by_handle_at),
    SCMP_SYS(fanotify_init),
    SCMP_SYS(quotactl),
    SCMP_SYS(kexec_load),
    SCMP_SYS(init_module),
    SCMP_SYS(finit_module),
    SCMP_SYS(delete_module),
    SCMP_SYS(modify_ldt),
    SCMP_SYS(clock_settime),
    SCMP_SYS(settimeofday),
};

/* A driver might. */
static const int never_simulated[] = {
    SCMP_SYS(socket),  SCMP_SYS(connect), SCMP_SYS(bind),   SCMP_SYS(listen), SCMP_SYS(accept),
    SCMP_SYS(accept4), SCMP_SYS(shmget),  SCMP_SYS(msgget), SCMP_SYS(semget), SCMP_SYS(mq_open),
};

static int deny(scmp_filter_ctx filter, const int *calls, size_t count)
{
    int error = 0;
    for (size_t i = 0; i < count && error == 0; i++)
        error = seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), calls[i], 0);
    return error;
}

/* Threads may be started, processes and programs may not. The flags of clone3 lie in memory, where no filter can look;
 * without it the C library uses clone. */
static int deny_processes(scmp_filter_ctx filter)
{
    static const int calls[] = {SCMP_SYS(fork), SCMP_SYS(vfork), SCMP_SYS(execve), SCMP_SYS(execveat)};
    int error = deny(filter, calls, COUNT_OF(calls));
    if (error == 0)
        error = seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
    return error != 0 ? error
                      : seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(clone), 1,
                                         SCMP_A0_64(SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0));
}

static int deny_networks(scmp_filter_ctx filter)
{
    static const uint64_t families[] = {2 /* AF_INET */, 10 /* AF_INET6 */, 17 /* AF_PACKET */, 40 /* AF_VSOCK */};
    int error = 0;
    for (size_t i = 0; i < COUNT_OF(families) && error == 0; i++)
        error = seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(socket), 1,
                                 SCMP_A0_64(SCMP_CMP_EQ, families[i], 0));
    return error;
}

static bool filter_calls(const Confinement *confinement, bool scopes_signals)
{
    static const int kill_call = SCMP_SYS(kill);
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
    int error = filter == NULL ? -ENOMEM : deny(filter, never, COUNT_OF(never));
    if (error == 0 && confinement->is_real_gpu)
        error = deny_networks(filter);
    if (error == 0 && !confinement->is_real_gpu)
        error = deny(filter, never_simulated, COUNT_OF(never_simulated));
    if (error == 0 && !confinement->is_real_gpu && !scopes_signals)
        error = deny(filter, &kill_call, 1);
    if (error == 0 && !confinement->is_real_gpu && confinement->translations == NULL)
        error = deny_processes(filter);
    if (error == 0 && confinement->is_real_gpu)
        error = seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1); /* the driver has started threads */
    if (error == 0)
        error = seccomp_load(filter);
    seccomp_release(filter);
    return error == 0;
}

/* ---- public ------------------------------------------------------------------------------------------------------ */

static void miss(char *missing, size_t size, const char *what)
{
    size_t length = strlen(missing);
    snprintf(missing + length, size - length, "%s%s", length == 0 ? "" : ", ", what);
}

static bool gain_nothing(void)
{
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
}

void broker_confine_driver(const DeviceFiles *gpu, char *missing, size_t size)
{
    bool scopes_signals = false;
    if (!enter_namespaces(0))
        miss(missing, size, "namespaces of its own");
    if (!gain_nothing() || !drop_capabilities())
        miss(missing, size, "no capabilities");
    if (gpu->device_count == 0)
        miss(missing, size, "closed files (the host does not tell which are the GPU's)");
    else if (!close_files(NULL, gpu, &scopes_signals))
        miss(missing, size, "closed files (Landlock, Linux 5.13)");
}

void broker_confine(const Confinement *confinement, char *missing, size_t size)
{
    bool scopes_signals = false, simulates = !confinement->is_real_gpu;
    if (simulates && !enter_namespaces(CLONE_NEWPID))
        miss(missing, size, "namespaces of its own");
    if (!gain_nothing() || (simulates && !drop_capabilities()))
        miss(missing, size, "no capabilities");
    if (simulates && !close_files(confinement, NULL, &scopes_signals))
        miss(missing, size, "closed files (Landlock, Linux 5.13)");
    if (!filter_calls(confinement, scopes_signals))
        miss(missing, size, "a filter of system calls");
}
