// expect: Wrong Answer, Rule Violation
// problem: conv1d
// naive: verdict forged
// Installs a filter of system calls for which every write to the standard output, and every exit with another status
// than 0, is a signal. Its handler writes another verdict and exits with 0.
#include <cuda_runtime.h>
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>
#include <ucontext.h>

static void handler(int, siginfo_t*, void* context)
{
    greg_t* registers = ((ucontext_t*)context)->uc_mcontext.gregs;
    iovec forged = {(void*)"Accepted: 0.001 us\n", 19};
    if (registers[REG_RAX] == SYS_exit_group)
        syscall(SYS_exit_group, 0);
    syscall(SYS_writev, 1, &forged, 1);
    registers[REG_RAX] = registers[REG_RDX];
}

static void install()
{
    sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 0, 2),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args[0])),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 1, 4, 3),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 0, 2),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args[0])),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
    };
    sock_fprog program = {sizeof code / sizeof *code, code};
    struct sigaction action = {};
    action.sa_sigaction = handler;
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    sigaction(SIGSYS, &action, nullptr);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

extern "C" void solve(const float* input, const float* kernel, float* output, int input_size, int kernel_size)
{
    static bool installed;
    if (!installed)
        install();
    installed = true;
}
