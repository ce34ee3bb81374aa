#include "harness/sandbox/seccomp.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

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
