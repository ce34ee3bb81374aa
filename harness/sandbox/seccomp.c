#include "harness/sandbox/seccomp.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define X32_CALLS 0x40000000u /* a second way to call x86-64's kernel, by other numbers */

static const unsigned denied[] = {
    /* memory that no limit of a process counts */
    SYS_memfd_create,
    SYS_shmget,
    SYS_msgget,
    SYS_semget,
    SYS_mq_open,
    /* what outlives a process, or is shared by all containers */
    SYS_add_key,
    SYS_request_key,
    SYS_keyctl,
    /* other processes */
    SYS_ptrace,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_pidfd_getfd,
    SYS_kcmp,
    SYS_process_madvise,
    /* parts of the kernel with a long list of holes */
    SYS_bpf,
    SYS_perf_event_open,
    SYS_userfaultfd,
    SYS_io_uring_setup,
    SYS_io_uring_enter,
    SYS_io_uring_register,
    SYS_unshare,
    SYS_setns,
    SYS_mount,
    SYS_umount2,
    SYS_pivot_root,
    SYS_move_mount,
    SYS_open_tree,
    SYS_fsopen,
    SYS_name_to_handle_at,
    SYS_open_by_handle_at,
    SYS_fanotify_init,
    SYS_quotactl,
    SYS_kexec_load,
    SYS_modify_ldt,
};

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define IF_EQUAL(value, then, otherwise) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, then, otherwise)
#define IF_AT_LEAST(value, then, otherwise) BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, value, then, otherwise)
#define RETURN(action) BPF_STMT(BPF_RET | BPF_K, action)
#define FAIL(error) RETURN(SECCOMP_RET_ERRNO | (error))
#define DENY FAIL(EPERM)
#define ALLOW RETURN(SECCOMP_RET_ALLOW)

static const struct sock_filter head[] = {
    LOAD(arch), IF_EQUAL(AUDIT_ARCH_X86_64, 1, 0), RETURN(SECCOMP_RET_KILL_PROCESS),
    LOAD(nr),   IF_AT_LEAST(X32_CALLS, 0, 1),      RETURN(SECCOMP_RET_KILL_PROCESS),
};

/* args[n] are 64 bits wide, their lower half first. */
static const struct sock_filter shared_memory[] = {
    IF_EQUAL(SYS_mmap, 0, 5), /* without a file: limits count private memory alone */
    LOAD(args[3]),
    BPF_STMT(BPF_ALU | BPF_AND | BPF_K, MAP_SHARED | MAP_ANONYMOUS),
    IF_EQUAL(MAP_SHARED | MAP_ANONYMOUS, 0, 1),
    DENY,
    ALLOW,
};

static const struct sock_filter sockets[] = {
    IF_EQUAL(SYS_socket, 0, 4), /* the network leads nowhere; other families may know no namespaces */
    LOAD(args[0]),
    IF_EQUAL(AF_UNIX, 1, 0),
    DENY,
    ALLOW,
};

static const struct sock_filter processes[] = {
    IF_EQUAL(SYS_fork, 1, 0),
    IF_EQUAL(SYS_vfork, 0, 1),
    DENY,
    IF_EQUAL(SYS_clone3, 0, 1), /* its flags lie in memory, where no filter looks: the C library then takes clone */
    FAIL(ENOSYS),
    IF_EQUAL(SYS_clone, 0, 4),
    LOAD(args[0]),
    BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 1, 0),
    DENY,
    ALLOW,
};

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

typedef struct Program {
    struct sock_filter steps[16 + 2 * COUNT_OF(denied) + 64];
    size_t count;
} Program;

static void append(Program *program, const struct sock_filter *steps, size_t count)
{
    for (size_t i = 0; i < count; i++)
        program->steps[program->count++] = steps[i];
}

Status seccomp_filter(bool one_process, int *descriptor, Message *why)
{
    Program program = {.count = 0};
    append(&program, head, COUNT_OF(head));
    for (size_t i = 0; i < COUNT_OF(denied); i++)
        append(&program, (const struct sock_filter[]){IF_EQUAL(denied[i], 0, 1), DENY}, 2);
    append(&program, shared_memory, COUNT_OF(shared_memory));
    append(&program, sockets, COUNT_OF(sockets));
    if (one_process)
        append(&program, processes, COUNT_OF(processes));
    append(&program, (const struct sock_filter[]){ALLOW}, 1);

    ssize_t bytes = (ssize_t)(program.count * sizeof *program.steps);
    *descriptor = memfd_create("seccomp", MFD_CLOEXEC);
    if (*descriptor < 0 || write(*descriptor, program.steps, (size_t)bytes) != bytes ||
        lseek(*descriptor, 0, SEEK_SET) != 0)
        return fail_errno(why, "the filter of system calls");
    return STATUS_OK;
}
