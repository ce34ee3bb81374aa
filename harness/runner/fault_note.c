#include "harness/runner/fault_note.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

/* glibc keeps here what it said before it called abort(). */
typedef struct AbortMessage {
    unsigned bytes;
    char text[];
} AbortMessage;

static RingFault *noted;
static const char *module_path;
static const AbortMessage *const *abort_message; /* the C library's; NULL: it has none */
static uintptr_t stack_base;                     /* an address at the beginning of the stack, which grows downwards */
static uint8_t handler_stack[1 << 16];           /* the handler runs here, since the other stack may be full */

/* An access that is nearer than this below the stack pointer is one to the stack. */
static const uintptr_t NEAR_BYTES = 1 << 16;

static _Unwind_Reason_Code note_frame(struct _Unwind_Context *frame, void *unused)
{
    (void)unused;
    int is_exact = 0; /* else it is the address to which a call returns */
    uintptr_t at = _Unwind_GetIPInfo(frame, &is_exact);
    at -= !is_exact;
    Dl_info info;
    if (dladdr((void *)at, &info) == 0 || strcmp(info.dli_fname, module_path) != 0) // NOLINT(performance-no-int-to-ptr)
        return _URC_NO_REASON;
    atomic_store(&noted->place, at - (uintptr_t)info.dli_fbase + 1);
    return _URC_END_OF_STACK;
}

static bool is_on_stack(uintptr_t address, const ucontext_t *context)
{
    uintptr_t top = (uintptr_t)context->uc_mcontext.gregs[REG_RSP];
    return top < stack_base && address < stack_base && address + NEAR_BYTES > top;
}

/* Whether the C library has called abort(), after it found its memory, or a frame on the stack, damaged. What it says of
 * an assertion that fails begins with the program's name. */
static bool has_found_damage(void)
{
    const char *const text = abort_message == NULL || *abort_message == NULL ? NULL : (*abort_message)->text;
    return text != NULL && strstr(text, "Assertion") == NULL;
}

/* The handler is in force once, so that the process ends when the instruction is executed again. A signal that a process
 * has sent is sent again; abort() sends one, too. */
static void note_fault(int number, siginfo_t *info, void *context)
{
    bool is_sent = info->si_code <= 0;
    if (number == SIGSEGV && !is_sent) {
        uintptr_t address = (uintptr_t)info->si_addr;
        atomic_store(&noted->is_on_stack, is_on_stack(address, context));
        atomic_store(&noted->address, address + 1);
    }
    if (number == SIGABRT)
        atomic_store(&noted->is_damage, has_found_damage());
    if (number == SIGABRT || !is_sent)
        _Unwind_Backtrace(note_frame, NULL);
    if (is_sent)
        raise(number);
}

/* exit() calls this, in the thread and above the frame that called exit(). */
static void note_exit(void)
{
    if (noted != NULL && atomic_load(&noted->place) == 0)
        _Unwind_Backtrace(note_frame, NULL);
}

#pragma GCC visibility push(default)
/* The submission's calls of _exit() and _Exit() come here, since the program's symbols stand before the C library's. That
 * library ends the process by symbols of its own. */
void _exit(int status)
{
    note_exit();
    (void)syscall(SYS_exit_group, status);
    __builtin_unreachable();
}

void _Exit(int status)
{
    _exit(status);
}
#pragma GCC visibility pop

void fault_note_begin(RingFault *fault, const char *object_path)
{
    static const int numbers[] = {SIGSEGV, SIGFPE, SIGILL, SIGABRT};
    struct sigaction action = {.sa_sigaction = note_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK | (int)SA_RESETHAND};
    const stack_t stack = {.ss_sp = handler_stack, .ss_size = sizeof handler_stack};
    noted = fault;
    module_path = object_path;
    abort_message = dlsym(RTLD_DEFAULT, "__abort_msg");
    stack_base = (uintptr_t)__builtin_frame_address(0);
    (void)sigaltstack(&stack, NULL);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        (void)sigaction(numbers[i], &action, NULL);
    (void)atexit(note_exit);
    (void)at_quick_exit(note_exit);
}
