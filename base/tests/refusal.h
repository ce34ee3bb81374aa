/* refusal.h - makes the kernel refuse a system call, so that a test sees what is said of that.
 *
 *     static Status write_to_a_bad_disk(Message *why)
 *     {
 *         refuse_call(SYS_fsync, EIO);
 *         return text_write_file("file", &text, why);
 *     }
 *     ...
 *     assert_string_equal(said_by_child(write_to_a_bad_disk), "file: cannot be written: Input/output error");
 *
 * A process cannot take a refusal back, so what refuses runs in a child. There, too, malloc() returns NULL where it gets no
 * memory, with the sanitizers as without.
 *
 * Source   seccomp(2).  */
#ifndef BASE_TESTS_REFUSAL_H
#define BASE_TESTS_REFUSAL_H

#include "base/tests/unit.h"

#include "base/status.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* What the C library calls where the kernel lacks these, as on arm64. */
#ifndef SYS_dup2
#define SYS_dup2 SYS_dup3
#define SYS_access SYS_faccessat
#endif

/* The sanitizers ask for their options by this name. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1";
}

static inline void add_filter(struct sock_filter *steps, size_t count)
{
    const struct sock_fprog program = {.len = (unsigned short)count, .filter = steps};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        _exit(100);
}

/* From now on the call fails in this process and in those that it starts. */
static inline void refuse_call(unsigned number, unsigned error)
{
    struct sock_filter steps[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    add_filter(steps, COUNT_OF(steps));
}

/* The same for all calls that fork() may make of the kernel. */
static inline void refuse_processes(void)
{
    refuse_call(SYS_clone, EAGAIN);
    refuse_call(SYS_clone3, EAGAIN);
}

/* The same as refuse_call(), where the argument of this number, from 0, has the value in its lower 32 bits. */
static inline void refuse_call_with(unsigned number, unsigned argument, unsigned value, unsigned error)
{
    struct sock_filter steps[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args) + 8 * argument),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    add_filter(steps, COUNT_OF(steps));
}

/* What an attempt that fails says; it runs in a child process. */
static inline const char *said_by_child(Status (*attempt)(Message *why))
{
    static Message said;
    int status = 0;
    Message *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(shared, MAP_FAILED);
    const pid_t child = fork();
    if (child == 0)
        _exit(attempt(shared) == STATUS_OK ? 101 : 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    said = *shared;
    munmap(shared, sizeof *shared);
    assert_int_equal(status, 0); /* 100: no filter; 101: it did not fail */
    return said.text;
}

#endif
