/* The sandbox, seen from inside by /bin/sh. The answers are the same for root and an ordinary user; the second half
 * of the tests needs root to become one.  */
#include "base/tests/unit.h"

#include "base/sandbox.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[200]; /* a private folder with a readable file in it */

/* Runs a line of sh in the sandbox with all features. */
static ProcessEnd inside_with(SandboxSpec spec, const char *line, double seconds, Text *output)
{
    const char *const argv[] = {"/bin/sh", "-c", line, NULL};
    const char *const environment[] = {"PATH=/usr/bin:/bin", NULL};
    const SandboxMount mounts[] = {{folder, "/given/here", false}};
    Sandbox *sandbox;
    ProcessSpec process;
    ProcessEnd end = {0};
    Message why = {0};
    spec.process.argv = argv;
    spec.process.environment = environment;
    spec.mounts = mounts;
    spec.mount_count = 1;
    if (sandbox_new(&spec, &sandbox, &process, &why) != STATUS_OK ||
        process_run(&process, seconds, 10000, output, &end, &why) != STATUS_OK)
        fail_test("%s", why.text);
    sandbox_free(sandbox);
    return end;
}

static void too_many_arguments_are_refused(void **state)
{
    enum { MANY = 600 };
    const char *argv[MANY + 1] = {"/bin/true"};
    Sandbox *sandbox;
    ProcessSpec process;
    Message why = {0};
    for (int i = 1; i < MANY; i++)
        argv[i] = "x";
    assert_int_equal(sandbox_new(&(SandboxSpec){.process.argv = argv}, &sandbox, &process, &why), STATUS_BAD_INPUT);
    assert_non_null(strstr(why.text, " arguments of bubblewrap and the program, the limit is 512"));
    assert_null(sandbox);
}

static void the_sandbox_hides_the_host(void **state)
{
    static const struct {
        const char *line, *output;
    } cases[] = {
        {"id -u; id -g", "65534\n65534\n"},
        {"grep -E 'Cap(Eff|Prm|Inh|Amb)|NoNewPrivs' /proc/self/status | tr -d '\\t\\n'",
         "CapInh:0000000000000000CapPrm:0000000000000000CapEff:0000000000000000CapAmb:0000000000000000NoNewPrivs:1"},
        {"unshare --user true 2>/dev/null || echo refused", "refused\n"},
        {"mount -t tmpfs none /tmp 2>/dev/null || echo refused", "refused\n"},
        {"mknod /tmp/x c 1 3 2>/dev/null || echo refused", "refused\n"},
        {"cd / && echo * | sed 's/lib[x0-9]* *//g'", "bin dev etc given proc sbin tmp usr\n"},
        {"ls -A /etc /usr/local /tmp /dev/shm | grep -v -e alternatives -e nvcc.profile",
         "/dev/shm:\n\n/etc:\n\n/tmp:\n\n/usr/local:\n"},
        {"env | sort", "PATH=/usr/bin:/bin\nPWD=/\n"},
        {"cat /given/here/file", "content\n"},
        {"for f in / /usr /given /given/here /dev /dev/shm /etc /usr/local; do touch $f/x 2>/dev/null && echo $f; done",
         ""},
        {"echo x > /tmp/x && cat /tmp/x", "x\n"},
        {"head -c 2000000 /dev/urandom > /tmp/x 2>/dev/null || echo full", "full\n"},
        {"set -- /proc/[0-9]*; echo $#", "2\n"}, /* bubblewrap and sh */
        {"ls -x /sys /root /home /var /run 2>/dev/null", ""},
        {"cat /proc/1/environ 2>/dev/null | tr '\\0' '\\n' | grep HOME", ""},
        {"cd /dev && echo *", "core fd full null ptmx pts random shm stderr stdin stdout tty urandom zero\n"},
        {"grep -c : /proc/net/dev", "1\n"}, /* lo */
        {"kill -9 1 2>/dev/null; echo alive", "alive\n"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        Text output = {0};
        inside_with((SandboxSpec){.proc = true, .dev = true, .tmp_bytes = 1 << 20}, cases[i].line, 20, &output);
        if (strcmp(output.data, cases[i].output) != 0)
            fail_test("%s: expected %s, got %s", cases[i].line, cases[i].output, output.data);
        text_free(&output);
    }
}

static void proc_and_dev_are_there_only_when_asked_for_except_for_null(void **state)
{
    Text output = {0};
    inside_with((SandboxSpec){0},
                "test -e /proc || ls /dev; echo lost >/dev/null; cat /dev/null; touch /dev/x 2>/dev/null || echo fixed",
                20, &output);
    assert_string_equal(output.data, "null\nfixed\n");
    text_free(&output);
}

static void where_all_is_read_only_no_file_can_be_made(void **state)
{
    Text output = {0};
    inside_with(
        (SandboxSpec){.read_only = true, .dev = true},
        "ls -A /tmp; for f in / /tmp /dev /dev/shm /usr /etc /given/here; do mkdir $f/x 2>/dev/null && echo $f; "
        "done; mkdir /tmp/x 2>&1 | grep -o Read-only",
        20, &output);
    assert_string_equal(output.data, "Read-only\n");
    text_free(&output);
}

static void the_exit_status_comes_through(void **state)
{
    Text output = {0};
    assert_int_equal(inside_with((SandboxSpec){0}, "exit 9", 20, &output).exit_status, 9);
    assert_int_equal(inside_with((SandboxSpec){0}, "kill -SEGV $$", 20, &output).exit_status, 128 + SIGSEGV);
    text_free(&output);
}

static void a_kept_descriptor_comes_through(void **state)
{
    int memory = memfd_create("kept", 0);
    assert_int_equal(write(memory, "shared", 6), 6);
    lseek(memory, 0, SEEK_SET);
    int kept = fcntl(memory, F_DUPFD, 9);
    Text output = {0};
    inside_with((SandboxSpec){.proc = true, .process = {.keep = &kept, .keep_count = 1}},
                "cat <&9; exec ls /proc/self/fd", 20, &output);
    assert_string_equal(output.data, "shared0\n1\n2\n3\n9\n"); /* 3: the folder that ls reads; no trace of the filter */
    close(memory);
    close(kept);
    text_free(&output);
}

/* Compiles C and runs it in the sandbox, because the shell cannot make most system calls. */
static int exit_status_of_program(SandboxSpec spec, const char *body)
{
    char path[300], command[1000];
    snprintf(path, sizeof path, "%s/program.c", folder);
    FILE *file = fopen(path, "w");
    fprintf(file,
            "#define _GNU_SOURCE\n#include <errno.h>\n#include <fcntl.h>\n#include <pthread.h>\n#include <string.h>\n"
            "#include <sched.h>\n#include <sys/file.h>\n#include <sys/ioctl.h>\n#include <sys/resource.h>\n"
            "#include <sys/mman.h>\n#include <sys/ptrace.h>\n#include <sys/shm.h>\n#include <sys/socket.h>\n"
            "#include <sys/syscall.h>\n#include <unistd.h>\nstatic void *nothing(void *p) { return p; }\n"
            "int main(void) { %s }\n",
            body);
    fclose(file);
    snprintf(command, sizeof command, "gcc -w -o %s/program %s", folder, path);
    assert_int_equal(system(command), 0);
    Text output = {0};
    ProcessEnd end = inside_with(spec, "exec /given/here/program", 20, &output);
    text_free(&output);
    return end.exit_status;
}

static void system_calls_that_only_attacks_need_fail(void **state)
{
    static const char *const bodies[] = {
        /* each returns 0 if the call fails with EPERM */
        "return memfd_create(\"x\", 0) != -1 || errno != EPERM;",
        "return syscall(447, 0) != -1 || errno != EPERM;", /* memfd_secret */
        "return mmap(0, 4096, 3, MAP_PRIVATE | MAP_ANONYMOUS | MAP_GROWSDOWN, -1, 0) != MAP_FAILED || errno != EPERM;",
        "return shmget(IPC_PRIVATE, 4096, 0600) != -1 || errno != EPERM;",
        "return mmap(0, 4096, 3, MAP_SHARED | MAP_ANONYMOUS, -1, 0) != MAP_FAILED || errno != EPERM;",
        "return mmap(0, 4096, 3, 3 | MAP_ANONYMOUS, -1, 0) != MAP_FAILED || errno != EPERM;",
        "return ptrace(PTRACE_ATTACH, 1, 0, 0) != -1 || errno != EPERM;",
        "return socket(AF_INET, SOCK_STREAM, 0) != -1 || errno != EPERM;",
        "return socket(AF_VSOCK, SOCK_STREAM, 0) != -1 || errno != EPERM;",
        "return syscall(SYS_keyctl, 0, 0, 0, 0, 0) != -1 || errno != EPERM;",
        "return syscall(SYS_io_uring_setup, 1, 0) != -1 || errno != EPERM;",
        "int ends[2]; pipe(ends); return fcntl(ends[1], F_SETPIPE_SZ, 1 << 20) != -1 || errno != EPERM;",
        "return syscall(SYS_vmsplice, 1, 0, 0, 0) != -1 || errno != EPERM;",
        "return syscall(SYS_inotify_init1, 0) != -1 || errno != EPERM;",
        "return mlockall(3) != -1 || errno != EPERM;",
        "return syscall(SYS_personality, 0x40000) != -1 || errno != EPERM;",
        "return open(\"/dev/zero\", O_RDONLY) < 0 || mmap(0, 4096, 1, MAP_SHARED, 3, 0) != MAP_FAILED;",
    };
    for (size_t i = 0; i < COUNT_OF(bodies); i++)
        if (exit_status_of_program((SandboxSpec){.dev = true}, bodies[i]) != 0)
            fail_test("%s", bodies[i]);
    assert_int_equal(exit_status_of_program((SandboxSpec){0}, "return syscall(0x40000000 | SYS_getpid);"),
                     128 + SIGSYS);
}

static void a_program_that_must_stay_one_process_can_have_threads(void **state)
{
    const SandboxSpec spec = {.one_process = true, .dev = true};
    assert_int_equal(exit_status_of_program(spec, "return fork() != -1 || errno != ENOSYS;"), 0);
    assert_int_equal(exit_status_of_program(spec, "return vfork() != -1 || errno != ENOSYS;"), 0);
    assert_int_equal(
        exit_status_of_program(
            spec, "pthread_t t; void *r; return pthread_create(&t, 0, nothing, 0) || pthread_join(t, &r);"),
        0);
    assert_int_equal(exit_status_of_program((SandboxSpec){0}, "return fork() < 0;"), 0);
}

/* Everything but what a program of one process needs. */
static void a_submission_has_no_other_system_calls(void **state)
{
    static const char *const calls[] = {
        "memfd_create(\"x\", 0)",
        "shmget(IPC_PRIVATE, 4096, 0600)",
        "socket(AF_UNIX, SOCK_STREAM, 0)",
        "socketpair(AF_UNIX, SOCK_STREAM, 0, s)",
        "ptrace(PTRACE_TRACEME, 0, 0, 0)",
        "syscall(SYS_timer_create, 0, 0, s)",
        "syscall(SYS_vmsplice, 1, 0, 0, 0)",
        "syscall(SYS_splice, 0, 0, 1, 0, 1, 0)",
        "fcntl(1, F_SETPIPE_SZ, 1 << 20)",
        "fcntl(0, F_SETLK, s)",
        "flock(0, LOCK_SH)",
        "fcntl(0, F_SETLEASE, F_RDLCK)",
        "syscall(SYS_inotify_init1, 0)",
        "mlockall(3)",
        "(long)mmap(0, 4096, 3, MAP_PRIVATE | MAP_ANONYMOUS | MAP_GROWSDOWN, -1, 0)",
        "(long)mmap(0, 2 << 20, 3, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0)",
        "(long)mmap(0, 4096, 3, MAP_SHARED | MAP_ANONYMOUS, -1, 0)",
        "setrlimit(RLIMIT_CORE, (struct rlimit[]){{0}})",
        "prlimit(0, RLIMIT_AS, (struct rlimit[]){{1 << 30, 1 << 30}}, 0)",
        "setpriority(PRIO_PROCESS, 0, 19)",
        "syscall(SYS_sched_setscheduler, 0, 0, s)",
        "syscall(SYS_personality, 0x40000)",
        "unshare(CLONE_NEWNS)",
        "syscall(SYS_clone3, 0, 0)",
        "syscall(444, 0, 0, 1)",
        "syscall(SYS_seccomp, 3, 0, 0)",
        "ioctl(0, TIOCSTI, s)",
        "fallocate(1, 0, 0, 4096)",
    };
    for (size_t i = 0; i < COUNT_OF(calls); i++) {
        char body[300];
        snprintf(body, sizeof body, "int s[20] = {0}; return %s != -1 || errno != ENOSYS;", calls[i]);
        if (exit_status_of_program((SandboxSpec){.one_process = true, .dev = true}, body) != 0)
            fail_test("%s", calls[i]);
    }
}

static void a_missing_mount_is_named(void **state)
{
    const char *const argv[] = {"/bin/true", NULL};
    const SandboxMount mounts[] = {{"/nowhere", "/x", false}};
    const SandboxSpec spec = {.process.argv = argv, .mounts = mounts, .mount_count = 1};
    Sandbox *sandbox;
    ProcessSpec process;
    Message why;
    assert_int_equal(sandbox_new(&spec, &sandbox, &process, &why), STATUS_SYSTEM);
    assert_non_null(strstr(why.text, "/nowhere: No such file"));
}

/* Root's programs run as another user. */
static void a_mount_that_other_users_cannot_read_is_named(void **state)
{
    char path[] = "/tmp/convjudge-mount-XXXXXX", expected[200];
    const char *const argv[] = {"/bin/true", NULL};
    const SandboxMount mounts[] = {{path, "/x", false}};
    const SandboxSpec spec = {.process.argv = argv, .mounts = mounts, .mount_count = 1};
    Sandbox *sandbox;
    ProcessSpec process;
    Message why;
    int file = mkstemp(path); /* for its owner alone */
    assert_true(file >= 0);
    Status status = sandbox_new(&spec, &sandbox, &process, &why);
    close(file);
    unlink(path);
    if (status == STATUS_OK)
        sandbox_free(sandbox);
    if (geteuid() != 0)
        skip();
    assert_int_equal(status, STATUS_SYSTEM);
    snprintf(expected, sizeof expected,
             "%s: must be readable by everyone, because the sandbox runs as another user: chmod o+rX it", path);
    assert_string_equal(why.text, expected);
}

/* Processes on this machine whose command line holds the word. */
static int processes_with(const char *word)
{
    char command[300];
    snprintf(command, sizeof command, "grep -alF %s /proc/[0-9]*/cmdline 2>/dev/null | wc -l", word);
    FILE *grep = popen(command, "r");
    int count = -1;
    assert_int_equal(fscanf(grep, "%d", &count), 1);
    pclose(grep);
    return count - 2; /* sh and grep */
}

/* Runs the line, which marks its processes by `%s`, for at most a second; then none of them may be left. */
static void leaves_nothing(const char *line_format)
{
    char word[32], line[300];
    Text output = {0};
    int left = -1;
    snprintf(word, sizeof word, "marked_%d", (int)getpid()); /* two of these tests may run at the same time */
    snprintf(line, sizeof line, line_format, word);
    SandboxSpec spec = {.proc = true, .dev = true, .process.limits.processes = 30};
    inside_with(spec, line, 1, &output);
    for (int i = 0; i < 100 && left != 0; i++) {
        usleep(20000);
        left = processes_with(word);
    }
    assert_int_equal(left, 0);
    text_free(&output);
}

static void a_fork_bomb_leaves_nothing(void **state)
{
    leaves_nothing("%s=1; bomb() { bomb | bomb & }; bomb; sleep 60");
}

static void a_daemon_dies_with_the_sandbox(void **state)
{
    leaves_nothing("setsid sh -c '%s=1; sleep 300; true' & sleep 0.2");
}

static void the_number_of_processes_is_limited(void **state)
{
    Text output = {0};
    SandboxSpec spec = {.dev = true, .process.limits.processes = 20};
    inside_with(spec, "n=0; while [ $n -lt 100 ]; do sleep 50 & n=$((n + 1)); done; echo made all", 20, &output);
    assert_null(strstr(output.data, "made all"));
    text_free(&output);
}

static void sandboxes_do_not_share_the_limit(void **state)
{
    Text output = {0};
    const SandboxSpec spec = {.dev = true, .process.limits.processes = 15};
    const char *const line = "for n in 1 2 3 4 5 6 7 8 9 10; do sleep 1 & done; wait; echo made all";
    pid_t other = fork();
    if (other == 0) {
        inside_with(spec, line, 20, &output);
        _exit(strcmp(output.data, "made all\n") != 0);
    }
    inside_with(spec, line, 20, &output);
    assert_string_equal(output.data, "made all\n");
    int wait_status;
    waitpid(other, &wait_status, 0);
    assert_int_equal(wait_status, 0);
    text_free(&output);
}

static void the_level_is_full(void **state)
{
    assert_string_equal(sandbox_level(), "full");
}

/* Stands for an unpacked bubblewrap: a script that checks LD_LIBRARY_PATH and runs the installed one. */
static void put_bubblewrap(char *path, size_t size)
{
    Text script = {0};
    snprintf(path, size, "%s/bwrap", folder);
    text_add(&script, "#!/bin/sh\n[ \"$LD_LIBRARY_PATH\" = /unpacked ] || exit 99\nexec /usr/bin/bwrap \"$@\"\n");
    assert_int_equal(text_write_file(path, &script, NULL), STATUS_OK);
    assert_int_equal(chmod(path, 0755), 0);
    text_free(&script);
}

static void an_unpacked_bubblewrap_finds_its_libraries_and_the_program_does_not(void **state)
{
    char path[300];
    Text output = {0};
    put_bubblewrap(path, sizeof path);
    setenv("CONVJUDGE_BWRAP", path, 1);
    setenv("LD_LIBRARY_PATH", "/unpacked", 1);
    ProcessEnd end = inside_with((SandboxSpec){0}, "env | sort", 20, &output);
    unsetenv("CONVJUDGE_BWRAP");
    unsetenv("LD_LIBRARY_PATH");
    assert_int_equal(end.exit_status, 0);
    assert_string_equal(output.data, "PATH=/usr/bin:/bin\nPWD=/\n");
    text_free(&output);
}

static int make_folder(void **state)
{
    char path[300];
    assert_int_equal(scratch_new(folder, sizeof folder, NULL), STATUS_OK);
    strcat(folder, "/given");
    assert_int_equal(mkdir(folder, 0755), 0);
    snprintf(path, sizeof path, "%s/file", folder);
    Text text = {0};
    text_add(&text, "content\n");
    assert_int_equal(text_write_file(path, &text, NULL), STATUS_OK);
    text_free(&text);
    return chmod(folder, 0755);
}

static int remove_folder(void **state)
{
    *strrchr(folder, '/') = '\0';
    scratch_remove(folder);
    return 0;
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_level_is_full),
    cmocka_unit_test(too_many_arguments_are_refused),
    cmocka_unit_test(the_sandbox_hides_the_host),
    cmocka_unit_test(proc_and_dev_are_there_only_when_asked_for_except_for_null),
    cmocka_unit_test(where_all_is_read_only_no_file_can_be_made),
    cmocka_unit_test(the_exit_status_comes_through),
    cmocka_unit_test(a_kept_descriptor_comes_through),
    cmocka_unit_test(a_missing_mount_is_named),
    cmocka_unit_test(a_mount_that_other_users_cannot_read_is_named),
    cmocka_unit_test(an_unpacked_bubblewrap_finds_its_libraries_and_the_program_does_not),
    cmocka_unit_test(system_calls_that_only_attacks_need_fail),
    cmocka_unit_test(a_submission_has_no_other_system_calls),
    cmocka_unit_test(a_program_that_must_stay_one_process_can_have_threads),
    cmocka_unit_test(the_number_of_processes_is_limited),
    cmocka_unit_test(sandboxes_do_not_share_the_limit),
    cmocka_unit_test(a_fork_bomb_leaves_nothing),
    cmocka_unit_test(a_daemon_dies_with_the_sandbox),
};

/* Run by root, the tests run a second time as an ordinary user, whose sandbox is made in a different way. */
int main(void)
{
    if (geteuid() == 0) {
        pid_t user = fork();
        if (user == 0) {
            if (setgid(12345) != 0 || setuid(12345) != 0)
                _exit(125);
            exit(cmocka_run_group_tests_name("as a user", tests, make_folder, remove_folder));
        }
        int wait_status = 0, failed;
        waitpid(user, &wait_status, 0);
        failed = cmocka_run_group_tests_name("as root", tests, make_folder, remove_folder);
        return failed != 0 || wait_status != 0;
    }
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
