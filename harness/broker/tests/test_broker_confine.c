/* The confinement of the broker, from the inside: a child confines itself, tries one thing, and says how that ended. */
#include "base/tests/unit.h"

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

static const struct {
    const char *name;
    bool (*does)(void);
    int interpreting, translating, real; /* what is expected */
} attempts[] = {
    {"an Internet socket", opens_socket, DENIED, DENIED, DENIED},
    {"a Unix socket", opens_unix_socket, DENIED, DENIED, DONE},
    {"reading /etc/passwd", reads_passwords, DENIED, DENIED, DONE},
    {"writing through /proc/self/mem", reads_own_memory_file, DENIED, DENIED, DONE},
    {"reading hidden testcases", reads_testcases, DENIED, DENIED, DONE},
    {"listing /", lists_root, DENIED, DENIED, DONE},
    {"writing to /tmp", writes_tmp, DENIED, DENIED, DONE},
    {"writing translations", writes_cache, DENIED, DONE, DONE},
    {"reading the system's programs", reads_library, DONE, DONE, DONE},
    {"writing the system's programs", writes_library, DENIED, DENIED, INCOMPLETE},
    {"starting a program", forks, DENIED, DONE, DONE},
    {"starting a program that reads /etc/passwd", starts_a_reader, DENIED, DENIED, DONE},
    {"a signal to the parent", signals_parent, DENIED, DENIED, DONE},
    {"tracing the parent", traces_parent, DENIED, DENIED, DENIED},
    {"a namespace", makes_namespace, DENIED, DENIED, DENIED},
    {"a key", makes_key, DENIED, DENIED, DENIED},
};

/* Which of the attempts the child could do; -1: the kernel offers less than the whole confinement. */
static int outcome_of(bool (*does)(void), const Confinement *confinement)
{
    int status = 0;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        char missing[160];
        broker_confine(confinement, missing, sizeof missing);
        _exit(missing[0] != '\0' ? INCOMPLETE : does() ? DONE : DENIED);
    }
    assert_true(child > 0 && waitpid(child, &status, 0) == child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void try_all(const Confinement *confinement, int which)
{
    for (size_t i = 0; i < COUNT_OF(attempts); i++) {
        int expected = which == 0 ? attempts[i].interpreting : which == 1 ? attempts[i].translating : attempts[i].real;
        int got = outcome_of(attempts[i].does, confinement);
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
    try_all(&(Confinement){.profiles = "simgpu/profiles"}, 0);
}

static void a_broker_that_translates_writes_its_folder_alone(void **state)
{
    assert_non_null(mkdtemp(cache));
    try_all(&(Confinement){.profiles = "simgpu/profiles", .translations = cache}, 1);
}

static void a_broker_with_a_real_gpu_has_no_network_and_no_other_process(void **state)
{
    try_all(&(Confinement){.is_real_gpu = true}, 2);
}

static int remove_cache(void **state)
{
    char path[100];
    snprintf(path, sizeof path, "%s/file", cache);
    unlink(path);
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
    };
    return cmocka_run_group_tests(tests, NULL, remove_cache);
}
