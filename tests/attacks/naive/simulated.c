/* Runs an ordinary CUDA program, whose main() is its own, on the simulated GPU: the device that submissions get, without
 * anything around it that judges or confines. The program is linked with libcudart.so.13 and finds the one that is made
 * from start.c. Its exit status is handed on, 128 + N after signal N; 125 says that the device gave up.
 *
 * Usage: simulated FILE... -- PROGRAM [ARGUMENT...]      FILE: a program or library whose GPU code is loaded  */
#include "base/elf.h"
#include "base/text.h"
#include "harness/broker/broker.h"
#include "harness/broker/control.h"
#include "harness/broker/gpu_session.h"
#include "harness/broker/runner_process.h"
#include "harness/protocol/ring.h"
#include "simgpu/ptx/fatbin.h"
#include "tests/attacks/naive/start.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FILE_BYTES = 64 << 20, GAVE_UP = 125 };

static const CallLimits LIMITS = {
    .device_bytes = 1 << 30, .host_seconds = 600, .wall_seconds = 600, .device_seconds = 600, .host_bytes = 1 << 30};

static void check(Status status, const Message *why)
{
    if (status == STATUS_OK)
        return;
    fprintf(stderr, "simulated: %s\n", why->text);
    exit(GAVE_UP);
}

/* Appends the modules in a file's .nv_fatbin, which lie one behind the other with gaps of zeros. */
static void add_modules(const char *path, Text *modules, ControlRequest *request)
{
    Message why;
    Text file = {0};
    Elf elf;
    ElfSection section;
    check(text_read_file(path, FILE_BYTES, &file, &why), &why);
    if (!elf_open(&elf, file.data, file.length) || !elf_find(&elf, ".nv_fatbin", "", &section) || section.data == NULL)
        section = (ElfSection){0};
    for (size_t at = 0; at + 8 <= section.bytes && request->module_count < CONTROL_MAX_MODULES;) {
        size_t bytes = fatbin_size(section.data + at, section.bytes - at);
        if (bytes > 0) {
            request->modules[request->module_count++] = (ControlSpan){modules->length, bytes};
            text_append(modules, section.data + at, bytes);
        }
        at += bytes > 0 ? bytes : 8;
    }
    text_free(&file);
}

static BrokerProcess start_broker(int ring, int clock, const Text *modules, ControlRequest *request)
{
    Message why;
    SharedMemory memory;
    BrokerProcess broker = broker_process_new("sim");
    check(broker_process_start(&broker, &why), &why);
    check(broker_process_open(&broker, &why), &why);
    check(shared_memory_new("modules", modules->length + 1, &memory, &why), &why);
    memcpy(memory.base, modules->data, modules->length);
    request->kind = CONTROL_LOAD;
    request->limits = LIMITS;
    request->memory_bytes = modules->length + 1;
    check(broker_process_send(&broker, request, (const int[]){ring, memory.descriptor, clock}, 3, &why), &why);
    shared_memory_free(&memory);
    return broker;
}

static pid_t start_program(int ring, char **argv)
{
    char descriptor[16];
    pid_t pid = fork();
    if (pid != 0)
        return pid;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    snprintf(descriptor, sizeof descriptor, "%d", dup(ring));
    setenv(START_RING, descriptor, 1);
    execv(argv[0], argv);
    perror(argv[0]);
    _exit(GAVE_UP);
}

/* The program's own time counts: that of the clock on the wall, which the broker takes otherwise, grows with the machine's load. */
static void answer_clock(int clock, pid_t program)
{
    RunnerProcess runner = {.pid = program, .inner = program};
    HostQuestion question;
    if (host_clock_question(clock, &question))
        host_clock_answer(clock, runner_process_clock(&runner, question));
}

/* The broker answers only when it has given up. */
static void wait_for_end(BrokerProcess *broker, int clock, pid_t program)
{
    static ControlReply reply;
    struct pollfd events[] = {{.fd = (int)syscall(SYS_pidfd_open, program, 0), .events = POLLIN},
                              {.fd = broker->control, .events = POLLIN},
                              {.fd = clock, .events = POLLIN}};
    Message why;
    while (poll(events, 3, -1) < 0 || (events[0].revents == 0 && events[1].revents == 0))
        answer_clock(clock, program);
    if (events[0].revents != 0)
        return;
    Status status = broker_process_receive(broker, &reply, NULL, 0, &why);
    fprintf(stderr, "simulated: %s\n", status == STATUS_OK ? reply.report.text : why.text);
    kill(program, SIGKILL);
    exit(GAVE_UP);
}

int main(int argc, char **argv)
{
    static ControlRequest request;
    Text modules = {0};
    int ring = ring_create(), clock, brokers_clock, status, i = 1;
    if (argc > 1 && strcmp(argv[1], "broker") == 0) /* control_start() calls this program again */
        return broker_main(argc - 1, argv + 1);
    for (; i < argc && strcmp(argv[i], "--") != 0; i++)
        add_modules(argv[i], &modules, &request);
    if (ring < 0 || i + 1 >= argc) {
        fprintf(stderr, "usage: simulated FILE... -- PROGRAM [ARGUMENT...]\n");
        return GAVE_UP;
    }
    if (!host_clock_new(&clock, &brokers_clock)) {
        perror("simulated: the clock of the program");
        return GAVE_UP;
    }
    BrokerProcess broker = start_broker(ring, brokers_clock, &modules, &request);
    close(brokers_clock);
    pid_t program = start_program(ring, argv + i + 1);
    wait_for_end(&broker, clock, program);
    waitpid(program, &status, 0);
    broker_process_end(&broker);
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
