/* The process that holds the object compiled from a submission and calls its solve(). It has one of three roles:
 *
 *     convjudge-runner cuda DESCRIPTOR OBJECT             a submission that is judged
 *     convjudge-runner cpu DESCRIPTOR OBJECT              a CPU baseline
 *     convjudge-runner direct CUDART OBJECT ARGUMENT...   a submission that a profiler looks at
 *
 * The roles differ in the CUDA runtime library that they open before the object: the judge's own, none, or NVIDIA's.
 * The program itself is therefore linked with none. In the first two roles it runs in the sandbox. It has access to no
 * testcase, no expected output and no device, and the judge sees from outside what goes wrong in it. */
#include "harness/protocol/ring.h"
#include "harness/protocol/solve.h"
#include "harness/runtime/turn.h"

#include <dlfcn.h>
#include <malloc.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

/* ==== host memory ================================================================================================= */

/* Notices when host memory is refused, so that the judge can report that as the cause of what follows,
 * usually an abort or a null pointer.
 *
 * This part defines malloc(), calloc() and realloc() for the whole process, in front of the C library's. */

static void (*note_refusal)(void);

/* Calls `note` from now on whenever the C library refuses memory. */
static void host_memory_on_refusal(void (*note)(void))
{
    note_refusal = note;
}

/* Does new memory begin with bytes 0xFE, as local variables do (compile.c), and freed memory hold others? Else a
 * large piece begins with zeros, which hides that nobody has set it. Filling it takes time. */
static void host_memory_scribble(bool scribbles)
{
    static const int FREED_BYTE = 0x01; /* new memory gets the complement */
    static bool does_now;
    if (scribbles != does_now)
        (void)mallopt(M_PERTURB, scribbles ? FREED_BYTE : 0);
    does_now = scribbles;
}

#pragma GCC visibility push(default)

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);

static void *noted_memory(void *memory, size_t size)
{
    if (memory == NULL && size != 0 && note_refusal != NULL)
        note_refusal();
    return memory;
}

void *malloc(size_t size)
{
    return noted_memory(__libc_malloc(size), size);
}

void *calloc(size_t count, size_t size)
{
    return noted_memory(__libc_calloc(count, size), count);
}

void *realloc(void *old, size_t size)
{
    return noted_memory(__libc_realloc(old, size), size);
}

/* ==== fault note ================================================================================================== */

/* Notes for the judge what ended the process, and which instruction of the submission did it.
 *
 * The instruction is the innermost one of the submission's object: memcpy() of a device pointer ends in the C library, but
 * the line to show is that of the call. The notes only choose words and a line of a message. */

/* glibc keeps here what it said before it called abort(). */
typedef struct AbortMessage {
    unsigned bytes;
    char text[];
} AbortMessage;

static RingFault *noted_fault;
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
    atomic_store(&noted_fault->place, at - (uintptr_t)info.dli_fbase + 1);
    return _URC_END_OF_STACK;
}

static bool is_on_stack(uintptr_t address, const ucontext_t *context)
{
#ifdef __x86_64__
    uintptr_t top = (uintptr_t)context->uc_mcontext.gregs[REG_RSP];
#else
    uintptr_t top = (uintptr_t)context->uc_mcontext.sp;
#endif
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
        atomic_store(&noted_fault->is_on_stack, is_on_stack(address, context));
        atomic_store(&noted_fault->address, address + 1);
    }
    if (number == SIGABRT)
        atomic_store(&noted_fault->is_damage, has_found_damage());
    if (number == SIGABRT || !is_sent)
        _Unwind_Backtrace(note_frame, NULL);
    if (is_sent)
        raise(number);
}

/* exit() calls this, in the thread and above the frame that called exit(). */
static void note_exit(void)
{
    if (noted_fault != NULL && atomic_load(&noted_fault->place) == 0)
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

/* From now on, segmentation faults, divisions by zero, traps, abort() and exit() are noted. Called by the thread that calls
 * solve(), whose stack may overflow. `object_path` stays the caller's. */
static void fault_note_begin(RingFault *fault, const char *object_path)
{
    static const int numbers[] = {SIGSEGV, SIGFPE, SIGILL, SIGTRAP, SIGABRT};
    struct sigaction action = {.sa_sigaction = note_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK | (int)SA_RESETHAND};
    const stack_t stack = {.ss_sp = handler_stack, .ss_size = sizeof handler_stack};
    noted_fault = fault;
    module_path = object_path;
    abort_message = dlsym(RTLD_DEFAULT, "__abort_msg");
    stack_base = (uintptr_t)__builtin_frame_address(0);
    (void)sigaltstack(&stack, NULL);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        (void)sigaction(numbers[i], &action, NULL);
    (void)atexit(note_exit);
    (void)at_quick_exit(note_exit);
}

/* ==== submission ================================================================================================== */

/* Loads the object compiled from a submission. */

/* Loads the object, which runs its constructors. NULL on failure; dlerror() then says why. */
static SolveCall *submission_load(const char *path)
{
    void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    SolveCall *solve = object == NULL ? NULL : (SolveCall *)(uintptr_t)dlsym(object, SOLVE_SYMBOL);
    fflush(NULL);
    return solve;
}

/* Calls solve(), and writes out what it printed. */
static void submission_call(SolveCall *solve, const unsigned long long *words)
{
    solve(words);
    fflush(NULL);
}

/* ==== cuda library ================================================================================================ */

/* The CUDA runtime library that the submission's CUDA calls reach. */

static void *found_or_exit(void *found)
{
    if (found == NULL) {
        fprintf(stderr, "convjudge-runner: %s\n", dlerror());
        exit(2);
    }
    return found;
}

/* Opens the library for the whole process. Ends the process with a message if that fails. */
static void *cuda_library_open(const char *path)
{
    return found_or_exit(dlopen(path, RTLD_NOW | RTLD_GLOBAL));
}

/* The address of a function of the library. Ends the process with a message if there is none. */
static void *cuda_library_function(void *library, const char *name)
{
    return found_or_exit(dlsym(library, name));
}

/* ==== cpu role ==================================================================================================== */

/* MAP_POPULATE: the clock of a call must not run while pages are first touched. */
static CpuMemory *map_memory(int descriptor)
{
    struct stat facts;
    if (fstat(descriptor, &facts) != 0)
        return NULL;
    void *memory = mmap(NULL, (size_t)facts.st_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, descriptor, 0);
    close(descriptor);
    return memory == MAP_FAILED ? NULL : memory;
}

static void call_solve(CpuMemory *memory, SolveCall *solve)
{
    unsigned long long words[SOLVE_MAX_WORDS] = {0};
    for (uint32_t i = 0; i < memory->word_count && i < SOLVE_MAX_WORDS; i++)
        words[i] = memory->words[i].value + (memory->words[i].is_array ? (unsigned long long)(uintptr_t)memory : 0);
    submission_call(solve, words);
}

/* Serves the judge until this process is killed. Returns, with an exit status, only if the object cannot be loaded. */
static int cpu_role(int memory_descriptor, const char *object_path)
{
    CpuMemory *memory = map_memory(memory_descriptor);
    if (memory == NULL) {
        perror("convjudge-runner: the shared memory");
        return 2;
    }
    cpu_phase_set(memory, CPU_LOADING);
    SolveCall *solve = submission_load(object_path);
    if (solve == NULL) {
        snprintf(memory->error, sizeof memory->error, "%s", dlerror());
        cpu_phase_set(memory, CPU_REFUSED);
        return 2;
    }
    for (uint32_t idle = CPU_READY;; idle = CPU_RETURNED) {
        cpu_phase_set(memory, idle);
        while (atomic_load(&memory->phase) == idle)
            cpu_phase_wait(memory, idle, -1);
        call_solve(memory, solve);
    }
}

/* ==== cuda role =================================================================================================== */

/* The judge's runtime library lies beside the runner. */
static const char RUNTIME[] = "libcudart.so.13";

static struct {
    __typeof__(convjudge_attach) *attach;
    __typeof__(convjudge_fault) *fault;
    __typeof__(convjudge_loading) *loading;
    __typeof__(convjudge_loaded) *loaded;
    __typeof__(convjudge_next_call) *next_call;
    __typeof__(convjudge_returned) *returned;
    __typeof__(convjudge_memory_refused) *memory_refused;
} runtime;

static void open_cuda_runtime(void)
{
    void *library = cuda_library_open(RUNTIME);
#define BIND(call) *(void **)&runtime.call = cuda_library_function(library, "convjudge_" #call)
    BIND(attach);
    BIND(fault);
    BIND(loading);
    BIND(loaded);
    BIND(next_call);
    BIND(returned);
    BIND(memory_refused);
#undef BIND
}

/* If a static array exceeds the memory limit, only the loader's message says so. */
static void report_load_error(void)
{
    const char *error = dlerror();
    if (strstr(error, "failed to map segment") != NULL || strstr(error, "cannot map zero-fill pages") != NULL)
        runtime.memory_refused();
    runtime.loaded(error);
}

/* Serves the broker at the other end of the ring until this process is killed. Returns, with an exit status, only if
 * the object cannot be loaded. */
static int cuda_role(int ring_descriptor, const char *object_path)
{
    open_cuda_runtime();
    if (!runtime.attach(ring_descriptor)) {
        perror("convjudge-runner: the ring");
        return 2;
    }
    fault_note_begin(runtime.fault(), object_path);
    host_memory_on_refusal(runtime.memory_refused);
    runtime.loading();
    SolveCall *solve = submission_load(object_path);
    if (solve == NULL) {
        report_load_error();
        return 2;
    }
    runtime.loaded(NULL);
    for (;;) {
        unsigned long long words[SOLVE_MAX_WORDS] = {0};
        host_memory_scribble(runtime.next_call(words, SOLVE_MAX_WORDS));
        submission_call(solve, words);
        runtime.returned();
    }
}

/* ==== direct role ================================================================================================= */

enum { HOST_TO_DEVICE = 1 /* cudaMemcpyHostToDevice */ };

static int (*cuda_malloc)(void **address, size_t bytes);
static int (*cuda_memcpy)(void *to, const void *from, size_t bytes, int kind);
static int (*cuda_synchronize)(void);

static void give_up(const char *what)
{
    fprintf(stderr, "convjudge-runner: %s\n", what);
    exit(2);
}

static void open_direct_runtime(const char *path)
{
    void *library = cuda_library_open(path);
    *(void **)&cuda_malloc = cuda_library_function(library, "cudaMalloc");
    *(void **)&cuda_memcpy = cuda_library_function(library, "cudaMemcpy");
    *(void **)&cuda_synchronize = cuda_library_function(library, "cudaDeviceSynchronize");
}

/* The contents come from a fixed seed, so that a measurement can be repeated. */
static void *device_array(size_t count, int is_float)
{
    size_t bytes = count * (is_float ? sizeof(float) : 1);
    char *host = malloc(bytes + 1);
    uint32_t seed = 1;
    void *device;
    for (size_t i = 0; host != NULL && i < count; i++) {
        seed = seed * 1664525 + 1013904223; /* Numerical Recipes, section 7.1, "Quick and Dirty Generators" */
        if (is_float)
            ((float *)(void *)host)[i] = (float)(seed >> 8) / (1 << 24);
        else
            host[i] = (char)(seed >> 24);
    }
    if (host == NULL || cuda_malloc(&device, bytes) != 0 || cuda_memcpy(device, host, bytes, HOST_TO_DEVICE) != 0)
        give_up("no memory for the arrays, or no GPU");
    free(host);
    return device;
}

static unsigned long long argument_word(const char *text)
{
    const char *colon = strchr(text, ':');
    if (colon == NULL)
        give_up(text);
    unsigned long long number = strtoull(colon + 1, NULL, 10);
    if (strncmp(text, "value:", 6) == 0)
        return number;
    return (unsigned long long)(uintptr_t)device_array(number, strncmp(text, "float:", 6) == 0);
}

/* One argument for each parameter of solve(). "float:COUNT" and "byte:COUNT" are arrays of pseudo-random floats in [0,
 * 1) and bytes; "value:NUMBER" is passed as it is. Returns the exit status. */
static int direct_role(const char *cudart_path, const char *object_path, int count, char **arguments)
{
    unsigned long long words[SOLVE_MAX_WORDS] = {0};
    if (count > SOLVE_MAX_WORDS)
        give_up("too many arguments");
    open_direct_runtime(cudart_path);
    for (int i = 0; i < count; i++)
        words[i] = argument_word(arguments[i]);
    SolveCall *solve = submission_load(object_path);
    if (solve == NULL)
        give_up(dlerror());
    submission_call(solve, words);
    if (cuda_synchronize() != 0)
        give_up("a kernel failed");
    return 0;
}

int main(int argc, char **argv)
{
    const char *role = argc < 4 ? "" : argv[1];
    if (strcmp(role, "cuda") == 0)
        return cuda_role(atoi(argv[2]), argv[3]);
    if (strcmp(role, "cpu") == 0)
        return cpu_role(atoi(argv[2]), argv[3]);
    if (strcmp(role, "direct") == 0)
        return direct_role(argv[2], argv[3], argc - 4, argv + 4);
    fprintf(stderr, "convjudge-runner: started by the judge itself, with the role cuda, cpu or direct\n");
    return 2;
}
