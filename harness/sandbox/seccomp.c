#include "harness/sandbox/seccomp.h"

#include <errno.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

static const int denied[] = {
    /* memory that no limit of a process counts */
    SCMP_SYS(memfd_create),
    447, /* memfd_secret, Linux 5.14 */
    SCMP_SYS(io_setup),
    SCMP_SYS(shmget),
    SCMP_SYS(msgget),
    SCMP_SYS(semget),
    SCMP_SYS(mq_open),
    /* kernel objects that outlive a process, or that all containers share */
    SCMP_SYS(add_key),
    SCMP_SYS(request_key),
    SCMP_SYS(keyctl),
    /* other processes */
    SCMP_SYS(ptrace),
    SCMP_SYS(process_vm_readv),
    SCMP_SYS(process_vm_writev),
    SCMP_SYS(pidfd_getfd),
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
    SCMP_SYS(move_mount),
    SCMP_SYS(open_tree),
    SCMP_SYS(fsopen),
    SCMP_SYS(name_to_handle_at),
    SCMP_SYS(open_by_handle_at),
    SCMP_SYS(fanotify_init),
    SCMP_SYS(quotactl),
    SCMP_SYS(kexec_load),
    SCMP_SYS(modify_ldt),
};

/* A call that fails with an error number, always or where one of its arguments matches. */
typedef struct Rule {
    int call, error;
    unsigned argument_count;
    struct scmp_arg_cmp argument;
} Rule;

static const Rule by_argument[] = {
    /* Shared memory without a file: limits count private memory only. */
    {SCMP_SYS(mmap), EPERM, 1, SCMP_A3_64(SCMP_CMP_MASKED_EQ, MAP_SHARED | MAP_ANONYMOUS, MAP_SHARED | MAP_ANONYMOUS)},
    /* Memory that grows downwards counts as a stack, not as data. */
    {SCMP_SYS(mmap), EPERM, 1, SCMP_A3_64(SCMP_CMP_MASKED_EQ, MAP_GROWSDOWN, MAP_GROWSDOWN)},
    /* The network leads nowhere, and other families may not know namespaces. */
    {SCMP_SYS(socket), EPERM, 1, SCMP_A0_64(SCMP_CMP_NE, AF_UNIX)},
};

/* Threads may be started, processes may not. The flags of clone3 lie in memory, where no filter can look; without it
 * the C library uses clone. */
static const Rule processes[] = {
    {SCMP_SYS(fork), EPERM, 0, {0}},
    {SCMP_SYS(vfork), EPERM, 0, {0}},
    {SCMP_SYS(clone3), ENOSYS, 0, {0}},
    {SCMP_SYS(clone), EPERM, 1, SCMP_A0_64(SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0)},
};

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

/* 0, or a negative error number, as libseccomp's functions. */
static int add_rules(scmp_filter_ctx filter, const Rule *rules, size_t count)
{
    int error = 0;
    for (size_t i = 0; i < count && error == 0; i++)
        error = seccomp_rule_add_array(filter, SCMP_ACT_ERRNO(rules[i].error), rules[i].call, rules[i].argument_count,
                                       &rules[i].argument);
    return error;
}

/* A program for another architecture, or one that uses x86-64's kernel by the numbers of x32, is killed. */
static int fill_filter(scmp_filter_ctx filter, bool one_process)
{
    int error = seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
    for (size_t i = 0; i < COUNT_OF(denied) && error == 0; i++)
        error = seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), denied[i], 0);
    if (error == 0)
        error = add_rules(filter, by_argument, COUNT_OF(by_argument));
    return error == 0 && one_process ? add_rules(filter, processes, COUNT_OF(processes)) : error;
}

Status seccomp_filter(bool one_process, int *descriptor, Message *why)
{
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
    int error = filter == NULL ? -ENOMEM : fill_filter(filter, one_process);
    *descriptor = memfd_create("seccomp", MFD_CLOEXEC);
    if (error == 0 && *descriptor >= 0)
        error = seccomp_export_bpf(filter, *descriptor);
    seccomp_release(filter);
    if (error == 0 && *descriptor >= 0 && lseek(*descriptor, 0, SEEK_SET) == 0)
        return STATUS_OK;
    errno = error != 0 ? -error : errno;
    return fail_errno(why, "the filter of system calls");
}
