/* The confinement of the broker, from the inside: a child confines itself, tries one thing, and says how that ended. */
#include "base/tests/refusal.h"

#include "harness/broker/broker_confine.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { DENIED = 0, DONE = 1, INCOMPLETE = 2 };

static pid_t test; /* this process */
static char cache[] = "/tmp/confine-test-XXXXXX";

static bool opens(const char *path, int flags)
{
    int file = open(path, flags, 0600);
    if (file >= 0)
        close(file);
    return file >= 0;
}

static bool in_cache(const char *name, int flags)
{
    char path[100];
    snprintf(path, sizeof path, "%s/%s", cache, name);
    return opens(path, flags);
}

static bool connects(int family)
{
    return socket(family, SOCK_STREAM, 0) >= 0;
}

static bool starts(const char *program, const char *argument)
{
    pid_t child = fork();
    int status = 1;
    if (child == 0) {
        close(STDOUT_FILENO);
        close(STDERR_FILENO);
        open("/dev/null", O_WRONLY); /* as standard output */
        execl(program, program, argument, (char *)NULL);
        _exit(1);
    }
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

static bool opens_its_gpu(void)
{
    return in_cache("own", O_RDWR);
}
static bool opens_another_gpu(void)
{
    return in_cache("other", O_RDWR);
}
static bool names_a_thread(void)
{
    char path[60];
    snprintf(path, sizeof path, "/proc/self/task/%d/comm", (int)gettid());
    return opens(path, O_WRONLY | O_CREAT | O_TRUNC); /* as NVIDIA's driver does */
}
static bool opens_socket(void)
{
    return connects(AF_INET);
}
static bool opens_unix_socket(void)
{
    return connects(AF_UNIX);
}
static bool reads_passwords(void)
{
    return opens("/etc/passwd", O_RDONLY);
}
static bool reads_own_memory_file(void)
{
    return opens("/proc/self/mem", O_RDWR);
}
static bool reads_testcases(void)
{
    return opens("testcases/conv1d/hidden.json", O_RDONLY);
}
static bool lists_root(void)
{
    return opens("/", O_RDONLY | O_DIRECTORY);
}
static bool writes_tmp(void)
{
    return opens("/tmp/confine-test-file", O_RDWR | O_CREAT);
}
static bool writes_cache(void)
{
    return in_cache("file", O_RDWR | O_CREAT);
}
static bool reads_library(void)
{
    return opens("/usr/bin/gcc", O_RDONLY);
}
static bool writes_library(void)
{
    return opens("/usr/bin/gcc", O_RDWR);
}
static bool forks(void)
{
    return starts("/usr/bin/true", NULL);
}
static bool starts_a_reader(void)
{
    return starts("/usr/bin/sha256sum", "/etc/passwd");
}
static bool signals_parent(void)
{
    return kill(test, 0) == 0;
}
static bool traces_parent(void)
{
    return ptrace(PTRACE_ATTACH, test, NULL, NULL) == 0;
}
static bool makes_namespace(void)
{
    return syscall(SYS_unshare, 0x10000000) == 0;
}
static bool makes_key(void)
{
    return syscall(SYS_add_key, "user", "a", "b", 1, -2) > 0;
}

typedef enum Way { INTERPRETING, TRANSLATING, OPEN_FILES, CLOSED_FILES, WAYS } Way; /* the latter two: on a real GPU */

static const struct {
    const char *name;
    bool (*does)(void);
    int expected[WAYS]; /* INCOMPLETE: either */
} attempts[] = {
    {"an Internet socket", opens_socket, {DENIED, DENIED, DENIED, DENIED}},
    {"a Unix socket", opens_unix_socket, {DENIED, DENIED, DONE, DONE}},
    {"reading /etc/passwd", reads_passwords, {DENIED, DENIED, DONE, DENIED}},
    {"writing through /proc/self/mem", reads_own_memory_file, {DENIED, DENIED, DONE, DENIED}},
    {"reading hidden testcases", reads_testcases, {DENIED, DENIED, DONE, DENIED}},
    {"listing /", lists_root, {DENIED, DENIED, DONE, DENIED}},
    {"writing to /tmp", writes_tmp, {DENIED, DENIED, DONE, DENIED}},
    {"writing translations", writes_cache, {DENIED, DONE, DONE, DENIED}},
    {"the files of its GPU", opens_its_gpu, {DENIED, DONE, DONE, DONE}},
    {"the files of another GPU", opens_another_gpu, {DENIED, DONE, DONE, DENIED}},
    {"naming a thread", names_a_thread, {DENIED, DENIED, DONE, DONE}},
    {"reading the system's programs", reads_library, {DONE, DONE, DONE, DONE}},
    {"writing the system's programs", writes_library, {DENIED, DENIED, INCOMPLETE, DENIED}},
    {"starting a program", forks, {DENIED, DONE, DONE, DENIED}},
    {"starting a program that reads /etc/passwd", starts_a_reader, {DENIED, DENIED, DONE, DENIED}},
    {"a signal to the parent", signals_parent, {DENIED, DENIED, DONE, INCOMPLETE}},
    {"tracing the parent", traces_parent, {DENIED, DENIED, DENIED, DENIED}},
    {"a namespace", makes_namespace, {DENIED, DENIED, DENIED, DENIED}},
    {"a key", makes_key, {DENIED, DENIED, DENIED, DENIED}},
};

/* What came of one of the attempts in a child; INCOMPLETE: the kernel offers less than the whole confinement. `gpu`: the files that stay open
 * to a real one; NULL: files are closed as a whole or not at all. */
static int outcome_of(bool (*does)(void), const Confinement *confinement, const DeviceFiles *gpu)
{
    int status = 0;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        char missing[160] = "";
        if (gpu != NULL)
            broker_confine_driver(gpu, missing, sizeof missing);
        broker_confine(confinement, missing, sizeof missing);
        _exit(missing[0] != '\0' ? INCOMPLETE : does() ? DONE : DENIED);
    }
    assert_true(child > 0 && waitpid(child, &status, 0) == child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void try_all(const Confinement *confinement, const DeviceFiles *gpu, Way way)
{
    for (size_t i = 0; i < COUNT_OF(attempts); i++) {
        int expected = attempts[i].expected[way], got = outcome_of(attempts[i].does, confinement, gpu);
        if (got == INCOMPLETE) {
            print_message("this kernel offers less than the whole confinement\n");
            skip();
        }
        if (expected != INCOMPLETE && got != expected)
            fail_test("%s is %s", attempts[i].name, got == DONE ? "possible" : "denied");
    }
}

static void a_broker_that_interprets_reaches_nothing_outside(void **state)
{
    try_all(&(Confinement){.profiles = "simgpu/profiles"}, NULL, INTERPRETING);
}

static void a_broker_that_translates_writes_its_folder_alone(void **state)
{
    try_all(&(Confinement){.profiles = "simgpu/profiles", .translations = cache}, NULL, TRANSLATING);
}

static void a_broker_with_a_real_gpu_has_no_network_and_no_other_process(void **state)
{
    try_all(&(Confinement){.is_real_gpu = true}, NULL, OPEN_FILES);
}

static void a_broker_with_a_real_gpu_reaches_the_files_of_this_one_alone(void **state)
{
    DeviceFiles gpu = {.device_count = 2, .folder_count = 2};
    snprintf(gpu.devices[0], sizeof gpu.devices[0], "%s/own", cache);
    snprintf(gpu.devices[1], sizeof gpu.devices[1], "%s/not-there", cache);
    snprintf(gpu.folders[0], sizeof gpu.folders[0], "%s/not-there", cache); /* nor is the second */
    try_all(&(Confinement){.is_real_gpu = true}, &gpu, CLOSED_FILES);
}

static void files_that_stay_open_are_named(void **state)
{
    char missing[160] = "";
    pid_t child = fork();
    int status = 0;
    if (child == 0) {
        broker_confine_driver(&(DeviceFiles){0}, missing, sizeof missing);
        _exit(strstr(missing, "closed files (the host does not tell which are the GPU's)") == NULL ||
              !reads_passwords());
    }
    assert_true(child > 0 && waitpid(child, &status, 0) == child);
    assert_int_equal(status, 0);
}

static Status say_what_misses(Message *why)
{
    char missing[160] = "";
    broker_confine(&(Confinement){0}, missing, sizeof missing);
    return missing[0] == '\0' ? STATUS_OK : fail(STATUS_SYSTEM, why, "%s", missing);
}

static Status confine_without_namespaces(Message *why)
{
    refuse_call(SYS_unshare, EPERM);
    return say_what_misses(why);
}

static Status confine_without_filter(Message *why)
{
    refuse_call(SYS_seccomp, ENOSYS);
    refuse_call_with(SYS_prctl, 0, PR_SET_SECCOMP, EINVAL); /* libseccomp tries both */
    return say_what_misses(why);
}

/* Beside what this machine lacks. */
static void what_a_kernel_refuses_is_named(void **state)
{
    const char *missing = said_by_child(confine_without_namespaces);
    assert_ptr_equal(strstr(missing, "namespaces of its own"), missing);
    missing = said_by_child(confine_without_filter);
    assert_string_equal(strstr(missing, "a filter"), "a filter of system calls");
}

static int make_cache(void **state)
{
    return mkdtemp(cache) != NULL && in_cache("own", O_RDWR | O_CREAT) && in_cache("other", O_RDWR | O_CREAT) ? 0 : -1;
}

static int remove_cache(void **state)
{
    static const char *const names[] = {"file", "own", "other"};
    char path[100];
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        snprintf(path, sizeof path, "%s/%s", cache, names[i]);
        unlink(path);
    }
    unlink("/tmp/confine-test-file");
    rmdir(cache);
    return 0;
}

int main(void)
{
    test = getpid();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_broker_that_interprets_reaches_nothing_outside),
        cmocka_unit_test(a_broker_that_translates_writes_its_folder_alone),
        cmocka_unit_test(a_broker_with_a_real_gpu_has_no_network_and_no_other_process),
        cmocka_unit_test(a_broker_with_a_real_gpu_reaches_the_files_of_this_one_alone),
        cmocka_unit_test(files_that_stay_open_are_named),
        cmocka_unit_test(what_a_kernel_refuses_is_named),
    };
    return cmocka_run_group_tests(tests, make_cache, remove_cache);
}
