#include "harness/broker/runner_process.h"

#include "base/clock.h"
#include "base/paths.h"
#include "base/process.h"
#include "harness/compile/compile_sandbox.h"
#include "harness/compile/compiled.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* ==== shared memory =============================================================================================== */

Status shared_memory_new(const char *name, size_t bytes, SharedMemory *memory, Message *why)
{
    *memory = (SharedMemory){0};
    int descriptor = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (descriptor < 0)
        return fail_errno(why, "shared memory");
    void *mapped = MAP_FAILED;
    if (ftruncate(descriptor, (off_t)bytes) == 0 &&
        fcntl(descriptor, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0)
        mapped = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, descriptor, 0);
    if (mapped == MAP_FAILED) {
        Status status = fail_errno(why, "%zu bytes of shared memory", bytes);
        close(descriptor);
        return status;
    }
    *memory = (SharedMemory){.base = mapped, .bytes = bytes, .descriptor = descriptor};
    return STATUS_OK;
}

void shared_memory_free(SharedMemory *memory)
{
    if (memory->base == NULL)
        return;
    munmap(memory->base, memory->bytes);
    close(memory->descriptor);
    *memory = (SharedMemory){0};
}

/* ==== shared modules ============================================================================================== */

Status shared_modules_new(const Compiled *compiled, ControlRequest *request, SharedMemory *modules, Message *why)
{
    size_t bytes = 1; /* a submission may have no module */
    if (compiled->module_count > CONTROL_MAX_MODULES)
        return fail(STATUS_UNSUPPORTED, why, "%zu modules of GPU code, at most %d", compiled->module_count,
                    CONTROL_MAX_MODULES);
    for (size_t i = 0; i < compiled->module_count; i++) {
        request->modules[i] = (ControlSpan){.offset = bytes, .bytes = compiled->modules[i].bytes};
        bytes += compiled->modules[i].bytes;
    }
    TRY(shared_memory_new("modules", bytes, modules, why));
    for (size_t i = 0; i < compiled->module_count; i++)
        memcpy(modules->base + request->modules[i].offset, compiled->modules[i].image, compiled->modules[i].bytes);
    request->module_count = (uint32_t)compiled->module_count;
    request->memory_bytes = bytes;
    return STATUS_OK;
}

/* ==== runner process ============================================================================================== */

enum {
    MAX_PRINTED = 64 * 1024,
    MAX_PROCESSES = 32,
    MAX_FILES = 64,
    FILE_BYTES = 16 << 20,
    STACK_BYTES = 8 << 20,
    MAPPED_BYTES = 256 << 20,    /* address space beyond private memory: libraries, the object, gaps between them */
    RUNNER_OWN_BYTES = 16 << 20, /* private memory of the runner itself: C library, runtime, one stack */
    THREADS_A_PROCESSOR = 4,     /* of a CPU baseline */
    THREAD_BYTES = 10 << 20      /* private memory of a thread: the 8 MiB of its stack count in full */
};

static const char INSIDE_OBJECT[] = "/judge/submission.so";

/* Each arena of malloc() would take 64 MiB of address space, which is limited, for each thread. */
#define ONE_ARENA "MALLOC_ARENA_MAX=1"

static const char PROGRAM[] = "convjudge-runner", INSIDE_PROGRAM[] = "/judge/convjudge-runner";

/* The command line of a runner, and what it may use. */
typedef struct RunnerSpec {
    const char *role;    /* argument of the program (harness/runner/main.c) */
    const char *library; /* file in the build folder that must lie beside the program; NULL: none */
    int memory;          /* descriptor of the memory shared with the judge */
    size_t data_bytes;
    unsigned processes;             /* threads count */
    const char *const *environment; /* NULL: empty */
} RunnerSpec;

static Status start_in_sandbox(const RunnerSpec *runner_spec, const char *object_path, int output,
                               RunnerProcess *runner, Message *why)
{
    char program[4096], library[4096] = "", library_inside[256], descriptor[16];
    struct stat shared;
    Status status = paths_build(PROGRAM, program, sizeof program, why);
    if (status == STATUS_OK && runner_spec->library != NULL)
        status = paths_build(runner_spec->library, library, sizeof library, why);
    TRY(status);
    if (fstat(runner_spec->memory, &shared) != 0)
        return fail_errno(why, "the runner's shared memory");
    snprintf(descriptor, sizeof descriptor, "%d", runner_spec->memory);
    snprintf(library_inside, sizeof library_inside, "/judge/%s",
             runner_spec->library == NULL ? "" : runner_spec->library);
    const char *const arguments[] = {INSIDE_PROGRAM, runner_spec->role, descriptor, INSIDE_OBJECT, NULL};
    const SandboxMount mounts[] = {
        {program, INSIDE_PROGRAM, false}, {object_path, INSIDE_OBJECT, false}, {library, library_inside, false}};
    const size_t mapped = runner_spec->data_bytes + MAPPED_BYTES + (size_t)shared.st_size;
    const SandboxSpec spec = {.process = {.argv = arguments,
                                          .environment = runner_spec->environment,
                                          .keep = &runner_spec->memory,
                                          .keep_count = 1,
                                          .output = output,
                                          .limits = {.address_space_bytes = mapped,
                                                     .data_bytes = runner_spec->data_bytes,
                                                     .stack_bytes = STACK_BYTES,
                                                     .file_bytes = FILE_BYTES,
                                                     .processes = runner_spec->processes,
                                                     .open_files = MAX_FILES}},
                              .mounts = mounts,
                              .mount_count = runner_spec->library == NULL ? 2 : 3,
                              .memory_bytes = mapped,
                              .one_process = true,
                              .dev = true,
                              .read_only = true};
    ProcessSpec process;
    TRY(sandbox_new(&spec, &runner->sandbox, &process, why));
    return process_start(&process, &runner->pid, why);
}

/* Starts the process, and opens the pipe for what it prints. */
static Status start_and_listen(const RunnerSpec *runner_spec, const char *object_path, RunnerProcess *runner,
                               Message *why)
{
    int ends[2];
    *runner = (RunnerProcess){.ended = -1, .output = -1};
    if (pipe2(ends, O_CLOEXEC) != 0)
        return fail_errno(why, "a pipe");
    runner->output = ends[0];
    fcntl(runner->output, F_SETFL, O_NONBLOCK);
    Status status = start_in_sandbox(runner_spec, object_path, ends[1], runner, why);
    close(ends[1]);
    if (status == STATUS_OK) {
        runner->ended = (int)syscall(SYS_pidfd_open, runner->pid, 0);
        if (runner->ended < 0)
            status = fail_errno(why, "pidfd_open");
    }
    if (status != STATUS_OK)
        runner_process_stop(runner, NULL);
    return status;
}

Status runner_process_start(const char *object_path, int ring, const CallLimits *limits, RunnerProcess *runner,
                            Message *why)
{
    /* Where the loader looks for libraries beside the program: there is no /proc that would tell it. */
    static const char *const environment[] = {"LD_ORIGIN_PATH=/judge", ONE_ARENA, NULL};
    const RunnerSpec runner_spec = {.role = "cuda",
                                    .library = "libcudart.so.13",
                                    .memory = ring,
                                    .environment = environment,
                                    .data_bytes = limits->host_bytes + RUNNER_OWN_BYTES,
                                    .processes = MAX_PROCESSES};
    return start_and_listen(&runner_spec, object_path, runner, why);
}

Status runner_process_start_on_cpu(const char *object_path, int memory, const CallLimits *limits, RunnerProcess *runner,
                                   Message *why)
{
    /* Idle threads of OpenMP sleep at once. On busy processors they would spin while other threads have work to do;
     * sleeping took a tenth of the time (measured, two threads on two busy processors). */
    static const char *const environment[] = {"OMP_WAIT_POLICY=passive", ONE_ARENA, NULL};
    const unsigned threads = MAX_PROCESSES + THREADS_A_PROCESSOR * (unsigned)processors_usable();
    const RunnerSpec runner_spec = {.role = "cpu",
                                    .memory = memory,
                                    .processes = threads,
                                    .environment = environment,
                                    .data_bytes = limits->host_bytes + RUNNER_OWN_BYTES +
                                                  (size_t)threads * THREAD_BYTES};
    return start_and_listen(&runner_spec, object_path, runner, why);
}

static void close_if_open(int *descriptor)
{
    if (*descriptor >= 0)
        close(*descriptor);
    *descriptor = -1;
}

/* False if there is nothing to read now. Closes the pipe at its end, which poll() would report for ever. */
static bool drain_piece(RunnerProcess *runner)
{
    char piece[16 * 1024];
    ssize_t count = read(runner->output, piece, sizeof piece);
    if (count <= 0) {
        if (count == 0)
            close_if_open(&runner->output);
        return false;
    }
    size_t room = MAX_PRINTED - runner->printed.length;
    size_t kept = (size_t)count < room ? (size_t)count : room;
    text_append(&runner->printed, piece, kept);
    runner->printed_lost += (size_t)count - kept;
    return true;
}

/* Reads more than a pipe holds, but stops at some point: a submission may write as fast as this reads. */
void runner_process_drain(RunnerProcess *runner)
{
    for (int i = 0; i < 64 && runner->output >= 0 && drain_piece(runner); i++) {
    }
}

void runner_process_take_printed(RunnerProcess *runner, Text *printed, uint64_t *lost)
{
    text_add_printable(printed, runner->printed.data, runner->printed.length);
    *lost += runner->printed_lost;
    text_free(&runner->printed);
    runner->printed_lost = 0;
}

/* Returns the processor time of the process in the sandbox, from the clock that the kernel keeps for it. */
static double computed_s(RunnerProcess *runner)
{
    clockid_t clock;
    struct timespec time;
    if (runner->inner == 0 && runner->pid > 0)
        runner->inner = process_innermost(runner->pid);
    if (runner->inner == 0 || clock_getcpuclockid(runner->inner, &clock) != 0 || clock_gettime(clock, &time) != 0)
        return -1;
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

HostClock runner_process_clock(RunnerProcess *runner, HostQuestion question)
{
    const double own_s = computed_s(runner);
    const ProcessTimes times = question == HOST_ALL ? process_times(runner->pid) : (ProcessTimes){0};
    return (HostClock){.computed_s = own_s,
                       .used_s = times.computed_s,
                       .delayed_s = times.delayed_s,
                       .is_runnable = times.is_runnable};
}

void runner_process_stop(RunnerProcess *runner, int *exit_status)
{
    int status = 0;
    if (runner->pid > 0)
        process_kill(runner->pid, &status);
    if (runner->sandbox != NULL && sandbox_ran_out_of_memory(runner->sandbox))
        status = RUNNER_OUT_OF_MEMORY;
    else if (runner->sandbox != NULL && sandbox_was_not_made(runner->sandbox, status))
        status = RUNNER_NOT_MADE;
    if (exit_status != NULL)
        *exit_status = status;
    close_if_open(&runner->ended);
    close_if_open(&runner->output);
    sandbox_free(runner->sandbox);
    text_free(&runner->printed);
    *runner = (RunnerProcess){.ended = -1, .output = -1};
}

void runner_process_explain_end(int exit_status, const char *doing, char *text, size_t size)
{
    int signal_number = exit_status - 128;
    if (signal_number > 0 && signal_number < NSIG)
        snprintf(text, size, "%s did not return: the process was ended by signal %d (%s)", doing, signal_number,
                 strsignal(signal_number));
    else
        snprintf(text, size, "%s did not return: the process ended with exit status %d", doing, exit_status);
}

RunnerFault runner_process_fault(const RingMemory *ring)
{
    return (RunnerFault){.address = atomic_load(&ring->fault.address),
                         .place = atomic_load(&ring->fault.place),
                         .is_on_stack = atomic_load(&ring->fault.is_on_stack) != 0,
                         .is_damage = atomic_load(&ring->fault.is_damage) != 0};
}

/* Says what host code did; NULL: that is not known. */
static const char *deed(const RunnerFault *fault, int exit_status)
{
    uint64_t address = fault->address - 1;
    switch (exit_status - 128) {
    case SIGFPE: return fault->place == 0 ? NULL : "divided an integer by zero, or the least integer by -1";
    case SIGILL:  /* compilers check the bounds of local arrays by such instructions (compile.c), */
    case SIGTRAP: /* on arm64 by these */
        return fault->place == 0 ? NULL
                                 : "executed an instruction that only ends the program: mostly for an element beyond "
                                   "the end of an array or before its start, else for a function that ends without "
                                   "its return, or a __builtin_trap()";
    case SIGABRT:
        return fault->is_damage ? "wrote beyond the end of an array, or freed memory that it had not allocated"
                                : "called abort(), or threw an exception that nothing caught";
    case SIGSEGV: break;
    default: return exit_status < 128 && fault->place != 0 ? "called exit() or _exit()" : NULL;
    }
    return fault->address == 0           ? NULL
           : fault->is_on_stack          ? "used up the stack: recursion without end, or arrays too large for it"
           : is_in_device_range(address) ? "followed a device pointer, which only kernels and cudaMemcpy() can use"
           : address < 65536             ? "followed a null pointer"
                                         : "followed an address that is no device pointer";
}

void runner_process_explain_fault(const RunnerFault *fault, const char *object_path, int exit_status, const char *doing,
                                  CallReport *report)
{
    const char *what = deed(fault, exit_status);
    int line = fault->place == 0 ? 0 : host_line(object_path, fault->place - 1);
    char *text = report->text;
    size_t size = sizeof report->text;
    runner_process_explain_end(exit_status, doing, text, size);
    if (what != NULL)
        snprintf(text + strlen(text), size - strlen(text), ": host code %s", what);
    if (line != 0)
        snprintf(text + strlen(text), size - strlen(text), " (%s:%d)", COMPILE_SOURCE_NAME, line);
    report->mistake.line = line;
}
