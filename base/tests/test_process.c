#include "base/tests/refusal.h"

#include "base/process.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void pause_ms(long ms)
{
    nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL);
}

/* Runs a line of sh; `spec` may set anything except argv. */
static ProcessEnd shell_with(ProcessSpec spec, const char *line, double seconds, size_t keep, Text *output)
{
    const char *const argv[] = {"/bin/sh", "-c", line, NULL};
    ProcessEnd end;
    Message why = {0};
    spec.argv = argv;
    if (process_run(&spec, seconds, keep, output, &end, &why) != STATUS_OK)
        fail_test("%s", why.text);
    return end;
}

static ProcessEnd shell(const char *line, double seconds, size_t keep, Text *output)
{
    return shell_with((ProcessSpec){0}, line, seconds, keep, output);
}

/* Whether a process runs; one that waits to be reaped does not. */
static bool alive(pid_t process)
{
    char path[64], state = 'Z';
    snprintf(path, sizeof path, "/proc/%d/stat", (int)process);
    FILE *stat_file = fopen(path, "r");
    if (stat_file == NULL)
        return false;
    (void)!fscanf(stat_file, "%*d (%*[^)]) %c", &state);
    fclose(stat_file);
    return state != 'Z' && state != 'X';
}

static bool soon_gone(pid_t process)
{
    for (int i = 0; i < 200 && alive(process); i++)
        pause_ms(10);
    return !alive(process);
}

static void output_and_exit_status_are_reported(void **state)
{
    static const struct {
        const char *line, *output;
        int exit_status;
    } cases[] = {
        {"echo out; echo error >&2", "out\nerror\n", 0},
        {"exit 7", "", 7},
        {"kill -SEGV $$", "", 128 + SIGSEGV},
        {"cat", "", 0}, /* standard input is empty */
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        Text output = {0};
        ProcessEnd end = shell(cases[i].line, 20, 100, &output);
        assert_string_equal(output.data, cases[i].output);
        assert_int_equal(end.exit_status, cases[i].exit_status);
        assert_false(end.timed_out);
        assert_false(end.truncated);
        text_free(&output);
    }
}

static void a_missing_program_is_named(void **state)
{
    const char *const argv[] = {"/nowhere/program", NULL};
    ProcessEnd end;
    Text output = {0};
    Message why;
    assert_int_equal(process_run(&(ProcessSpec){.argv = argv}, 5, 100, &output, &end, &why), STATUS_SYSTEM);
    assert_non_null(strstr(why.text, "/nowhere/program: cannot be started"));
    assert_non_null(strstr(why.text, "No such file"));
    text_free(&output);
}

static void a_missing_folder_is_named(void **state)
{
    const char *const argv[] = {"/bin/true", NULL};
    pid_t child;
    Message why;
    assert_int_equal(process_start(&(ProcessSpec){.argv = argv, .folder = "/nowhere", .output = -1}, &child, &why),
                     STATUS_SYSTEM);
    assert_non_null(strstr(why.text, "/nowhere"));
}

static void the_environment_is_what_was_given(void **state)
{
    const char *const environment[] = {"A=1", "B=two words", NULL};
    Text output = {0};
    shell_with((ProcessSpec){.environment = environment}, "echo $A $B $HOME", 20, 100, &output);
    assert_string_equal(output.data, "1 two words\n");
    text_free(&output);
}

static void output_beyond_the_limit_is_thrown_away(void **state)
{
    Text output = {0};
    ProcessEnd end = shell("yes | head -c 50000000; exit 3", 60, 1000, &output);
    assert_int_equal(output.length, 1000);
    assert_int_equal(end.exit_status, 3);
    assert_true(end.truncated);
    text_free(&output);
}

static void the_deadline_ends_the_whole_group(void **state)
{
    Text output = {0};
    ProcessEnd end = shell("sleep 100 & echo $!; exec sleep 100", 0.5, 100, &output);
    assert_true(end.timed_out);
    assert_int_equal(end.exit_status, 128 + SIGKILL);
    assert_true(end.seconds >= 0.5 && end.seconds < 5);
    assert_true(soon_gone(atoi(output.data)));
    text_free(&output);
}

static void a_grandchild_that_holds_the_output_does_not_hold_up_the_end(void **state)
{
    Text output = {0};
    ProcessEnd end = shell("sleep 100 & echo $!", 50, 100, &output);
    assert_false(end.timed_out);
    assert_true(end.seconds < 10);
    assert_true(soon_gone(atoi(output.data)));
    text_free(&output);
}

static void a_child_that_closes_its_output_is_still_awaited(void **state)
{
    Text output = {0};
    ProcessEnd end = shell("exec >&- 2>&-; sleep 0.3; exit 5", 20, 100, &output);
    assert_int_equal(end.exit_status, 5);
    text_free(&output);
}

static void only_kept_descriptors_are_inherited(void **state)
{
    int kept = fcntl(open("/dev/null", O_RDONLY), F_DUPFD, 50), dropped = fcntl(kept, F_DUPFD, 60);
    Text output = {0};
    shell_with((ProcessSpec){.keep = &kept, .keep_count = 1}, "exec ls /proc/self/fd", 20, 100, &output);
    char expected[50];
    snprintf(expected, sizeof expected, "0\n1\n2\n3\n%d\n", kept); /* 3: the folder that ls reads */
    assert_string_equal(output.data, expected);
    close(kept);
    close(dropped);
    text_free(&output);
}

static void limits_hold(void **state)
{
    static const struct {
        ProcessLimits limits;
        const char *line;
        int exit_status;
    } cases[] = {
        {{.cpu_seconds = 1}, "while :; do :; done", 128 + SIGXCPU},
        {{.file_bytes = 4096}, "trap '' XFSZ; head -c 5000 /dev/zero > file", 1},
        {{.open_files = 20}, "test $(ulimit -n) = 20", 0},
        {{.address_space_bytes = 512 << 20}, "test $(ulimit -v) = 524288", 0},
        {{.data_bytes = 256 << 20}, "test $(ulimit -d) = 262144", 0},
    };
    char folder[200];
    assert_int_equal(scratch_new(folder, sizeof folder, NULL), STATUS_OK);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        Text output = {0};
        ProcessSpec spec = {.limits = cases[i].limits, .folder = folder};
        ProcessEnd end = shell_with(spec, cases[i].line, 20, 1000, &output);
        if (end.exit_status != cases[i].exit_status)
            fail_test("%s: exit status %d, %s", cases[i].line, end.exit_status, output.data);
        text_free(&output);
    }
    scratch_remove(folder);
}

static void a_child_dies_with_its_parent(void **state)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t parent = fork();
    if (parent == 0) {
        const char *const argv[] = {"/bin/sleep", "100", NULL};
        pid_t child = -1;
        (void)!process_start(&(ProcessSpec){.argv = argv, .output = -1}, &child, NULL);
        (void)!write(ends[1], &child, sizeof child);
        pause();
        _exit(0);
    }
    pid_t child = -1;
    assert_int_equal(read(ends[0], &child, sizeof child), sizeof child);
    assert_true(child > 0 && alive(child));
    kill(parent, SIGKILL);
    waitpid(parent, NULL, 0);
    assert_true(soon_gone(child));
    close(ends[0]);
    close(ends[1]);
}

/* A process with a session of its own that has not arranged to die with anybody: so is bubblewrap's child for a moment. */
static void own_processes_die_with_the_child(void **state)
{
    char mark[40], line[160];
    Text output = {0};
    /* of this test's own, for another copy of the test may run at the same time */
    snprintf(mark, sizeof mark, "sleep 86.%d", (int)getpid());
    snprintf(line, sizeof line, "setsid %s & sleep 0.1; echo $$; head -c 12 /proc/1/cmdline; kill -9 $$", mark);
    ProcessEnd end = shell_with((ProcessSpec){.own_processes = true}, line, 20, 100, &output);
    assert_string_equal(output.data, "1\n/bin/sh");
    assert_int_equal(end.exit_status, 0); /* the first process of a namespace cannot kill itself */
    snprintf(line, sizeof line, "pgrep -fx '%s'", mark);
    assert_int_not_equal(system(line), 0);
    text_free(&output);
}

static bool forbid_process_namespaces(void)
{
    int file = unshare(CLONE_NEWUSER) == 0 ? open("/proc/sys/user/max_pid_namespaces", O_WRONLY) : -1;
    return file >= 0 && write(file, "0", 1) == 1;
}

static void a_child_that_may_shares_the_processes_where_it_cannot_have_its_own(void **state)
{
    const pid_t child = fork();
    if (child == 0) {
        Text output = {0};
        if (!forbid_process_namespaces())
            _exit(77);
        shell_with((ProcessSpec){.own_processes = true, .may_share_processes = true}, "echo $$", 20, 100, &output);
        _exit(output.length > 0 && atoi(output.data) > 1 ? 0 : 1);
    }
    int how = -1;
    waitpid(child, &how, 0);
    assert_true(WIFEXITED(how));
    if (WEXITSTATUS(how) == 77)
        skip(); /* a user may not make a namespace of users here */
    assert_int_equal(WEXITSTATUS(how), 0);
}

static void root_can_start_a_child_in_which_it_is_limited(void **state)
{
    if (geteuid() != 0)
        return; /* own_users has no effect for other users */
    Text output = {0};
    ProcessEnd end = shell_with((ProcessSpec){.own_users = true}, "id -u; unshare --user true && echo nested", 20, 1000,
                                &output);
    assert_memory_equal(output.data, "0\n", 2);
    assert_null(strstr(output.data, "nested"));
    assert_int_not_equal(end.exit_status, 0);
    text_free(&output);
}

/* ---- scratch folders --------------------------------------------------------------------------------------------- */

static void a_scratch_folder_is_private_and_removed_with_its_content(void **state)
{
    char folder[200], command[1000];
    struct stat info;
    assert_int_equal(scratch_new(folder, sizeof folder, NULL), STATUS_OK);
    assert_int_equal(stat(folder, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0700);
    snprintf(command, sizeof command, "mkdir -p %s/a/b; touch %s/a/b/c; ln -s / %s/a/root", folder, folder, folder);
    assert_int_equal(system(command), 0);
    scratch_remove(folder);
    assert_int_equal(stat(folder, &info), -1);
    assert_int_equal(stat("/usr", &info), 0);
}

/* A child that makes a folder, fills it and then ends in the given way. */
static void folder_goes_when_its_owner(void (*ends)(void))
{
    char folder[200] = "";
    int pipe_ends[2];
    assert_int_equal(pipe(pipe_ends), 0);
    pid_t owner = fork();
    if (owner == 0) {
        (void)!scratch_new(folder, sizeof folder, NULL);
        (void)!write(pipe_ends[1], folder, sizeof folder);
        ends();
    }
    assert_int_equal(read(pipe_ends[0], folder, sizeof folder), sizeof folder);
    assert_memory_equal(folder, "/", 1);
    waitpid(owner, NULL, 0);
    for (int i = 0; i < 200 && access(folder, F_OK) == 0; i++)
        pause_ms(10);
    assert_int_equal(access(folder, F_OK), -1);
    close(pipe_ends[0]);
    close(pipe_ends[1]);
}

static void exits(void)
{
    _exit(0);
}
static void is_terminated(void)
{
    signal(SIGTERM, SIG_DFL);
    raise(SIGTERM);
}
static void is_interrupted(void)
{
    signal(SIGINT, SIG_DFL);
    raise(SIGINT);
}
static void is_killed(void)
{
    raise(SIGKILL);
}
static void is_killed_with_its_group(void)
{
    setpgid(0, 0);
    kill(0, SIGKILL);
}

static void a_folder_is_removed_however_its_owner_ends(void **state)
{
    void (*const ways[])(void) = {exits, is_terminated, is_interrupted, is_killed, is_killed_with_its_group};
    for (size_t i = 0; i < COUNT_OF(ways); i++)
        folder_goes_when_its_owner(ways[i]);
}

/* Containers that share a folder for temporary files give the same numbers to their processes. */
static void the_folder_of_a_namesake_in_another_container_stays(void **state)
{
    char parent[200], own[300] = "", other[300];
    assert_int_equal(scratch_new(parent, sizeof parent, NULL), STATUS_OK);
    const pid_t owner = fork();
    if (owner == 0) {
        setenv("TMPDIR", parent, 1);
        _exit(scratch_new(own, sizeof own, NULL) == STATUS_OK ? 0 : 1);
    }
    snprintf(other, sizeof other, "%s/convjudge.%d.1.abcdef", parent, (int)owner);
    assert_int_equal(mkdir(other, 0700), 0);
    snprintf(own, sizeof own, "ls -d %s/convjudge.%d.* | grep -qv '[.]1[.]'", parent, (int)owner);
    int wait_status;
    waitpid(owner, &wait_status, 0);
    assert_int_equal(wait_status, 0);
    for (int i = 0; i < 200 && system(own) == 0; i++)
        pause_ms(10);
    assert_int_not_equal(system(own), 0);
    assert_int_equal(access(other, F_OK), 0);
    scratch_remove(parent);
}

static void an_abandoned_folder_is_removed_and_a_new_one_is_not(void **state)
{
    char parent[200], old[300], fresh[300], own[300];
    assert_int_equal(scratch_new(parent, sizeof parent, NULL), STATUS_OK);
    pid_t dead = fork();
    if (dead == 0)
        _exit(0);
    waitpid(dead, NULL, 0);
    snprintf(old, sizeof old, "%s/convjudge.%d.abcdef", parent, (int)dead);
    snprintf(fresh, sizeof fresh, "%s/convjudge.%d.ghijkl", parent, (int)dead);
    assert_int_equal(mkdir(old, 0700), 0);
    assert_int_equal(mkdir(fresh, 0700), 0);
    struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = time(NULL) - 100000}};
    assert_int_equal(utimensat(AT_FDCWD, old, times, 0), 0);

    pid_t next = fork();
    if (next == 0) {
        setenv("TMPDIR", parent, 1);
        _exit(scratch_new(own, sizeof own, NULL) == STATUS_OK && access(old, F_OK) != 0 && access(fresh, F_OK) == 0
                  ? 0
                  : 1);
    }
    int wait_status;
    waitpid(next, &wait_status, 0);
    assert_int_equal(wait_status, 0);
    scratch_remove(parent);
}

/* The chain is sh, sh, sleep; both shells have more to do and stay. */
static void the_innermost_process_ends_a_chain(void **state)
{
    const char *const argv[] = {"/bin/sh", "-c", "sh -c 'sleep 60; true'; true", NULL};
    char path[64], name[16] = "";
    Message why = {0};
    pid_t child;
    if (process_start(&(ProcessSpec){.argv = argv,
                                     .environment = (const char *const[]){"PATH=/usr/bin:/bin", NULL},
                                     .output = -1},
                      &child, &why) != STATUS_OK)
        fail_test("%s", why.text);
    for (int tries = 0; tries < 500 && strcmp(name, "sleep\n") != 0; tries++) {
        pid_t inner = process_innermost(child);
        assert_true(inner > 0);
        snprintf(path, sizeof path, "/proc/%d/comm", (int)inner);
        FILE *file = fopen(path, "r");
        if (file != NULL && fgets(name, sizeof name, file) == NULL)
            name[0] = '\0';
        if (file != NULL)
            fclose(file);
        pause_ms(10);
    }
    process_kill(child, NULL);
    assert_string_equal(name, "sleep\n");
    assert_int_equal(process_innermost(child), 0);
}

/* ---- what the system refuses -------------------------------------------------------------------------------------- */

/* Runs /bin/true where the call fails. */
static Status run_refused(ProcessSpec spec, unsigned call, unsigned error, Message *why)
{
    static const char *const argv[] = {"/bin/true", NULL};
    Text output = {0};
    ProcessEnd end;
    spec.argv = argv;
    if (error != 0)
        refuse_call(call, error);
    return process_run(&spec, 20, 100, &output, &end, why);
}

static Status run_without_a_process(Message *why)
{
    return run_refused((ProcessSpec){0}, SYS_clone, EAGAIN, why);
}

static Status run_without_its_output(Message *why)
{
    return run_refused((ProcessSpec){0}, SYS_dup2, EBADF, why);
}

static Status run_with_a_closed_descriptor(Message *why)
{
    static const int closed = 999;
    return run_refused((ProcessSpec){.keep = &closed, .keep_count = 1}, 0, 0, why);
}

static Status run_without_its_limits(Message *why)
{
    return run_refused((ProcessSpec){.limits.no_core = true}, SYS_prlimit64, EPERM, why);
}

static void what_the_system_refuses_a_child_is_named(void **state)
{
    const struct {
        Status (*run)(Message *why);
        const char *words;
    } rows[] = {
        {run_without_a_process, "no new process: Resource temporarily unavailable"},
        {run_without_its_output, "standard input and output: Bad file descriptor"},
        {run_with_a_closed_descriptor, "a descriptor to keep: Bad file descriptor"},
        {run_without_its_limits, "a resource limit: Operation not permitted"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char expected[200];
        snprintf(expected, sizeof expected, "/bin/true: cannot be started: %s", rows[i].words);
        assert_string_equal(said_by_child(rows[i].run), expected);
    }
}

static Status run_without_a_proc(Message *why)
{
    return run_refused((ProcessSpec){.own_processes = true}, SYS_mount, EPERM, why);
}

/* As in many a container. */
static bool makes_proc_sys_read_only(void)
{
    return unshare(CLONE_NEWNS) == 0 && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
           mount("/proc/sys", "/proc/sys", NULL, MS_BIND, NULL) == 0 &&
           mount(NULL, "/proc/sys", NULL, MS_BIND | MS_REMOUNT | MS_RDONLY, NULL) == 0;
}

static Status run_where_proc_sys_is_read_only(Message *why)
{
    return makes_proc_sys_read_only() ? run_refused((ProcessSpec){.own_users = true}, 0, 0, why) : STATUS_OK;
}

/* Root of a container may lack the right. */
static bool may_make_namespaces(void)
{
    int how = -1;
    const pid_t child = fork();
    if (child == 0)
        _exit(geteuid() == 0 && makes_proc_sys_read_only() && unshare(CLONE_NEWUSER | CLONE_NEWPID) == 0 ? 0 : 1);
    return waitpid(child, &how, 0) == child && how == 0;
}

static void what_the_system_refuses_root_is_named(void **state)
{
    if (!may_make_namespaces())
        skip();
    assert_string_equal(said_by_child(run_without_a_proc),
                        "/bin/true: cannot be started: a /proc of its own: Operation not permitted");
    assert_string_equal(said_by_child(run_where_proc_sys_is_read_only),
                        "/bin/true: cannot be started: forbidding nested user namespaces: Read-only file system");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(output_and_exit_status_are_reported),
        cmocka_unit_test(a_missing_program_is_named),
        cmocka_unit_test(a_missing_folder_is_named),
        cmocka_unit_test(what_the_system_refuses_a_child_is_named),
        cmocka_unit_test(what_the_system_refuses_root_is_named),
        cmocka_unit_test(the_environment_is_what_was_given),
        cmocka_unit_test(output_beyond_the_limit_is_thrown_away),
        cmocka_unit_test(the_deadline_ends_the_whole_group),
        cmocka_unit_test(a_grandchild_that_holds_the_output_does_not_hold_up_the_end),
        cmocka_unit_test(a_child_that_closes_its_output_is_still_awaited),
        cmocka_unit_test(only_kept_descriptors_are_inherited),
        cmocka_unit_test(limits_hold),
        cmocka_unit_test(a_child_dies_with_its_parent),
        cmocka_unit_test(the_innermost_process_ends_a_chain),
        cmocka_unit_test(own_processes_die_with_the_child),
        cmocka_unit_test(a_child_that_may_shares_the_processes_where_it_cannot_have_its_own),
        cmocka_unit_test(root_can_start_a_child_in_which_it_is_limited),
        cmocka_unit_test(a_scratch_folder_is_private_and_removed_with_its_content),
        cmocka_unit_test(a_folder_is_removed_however_its_owner_ends),
        cmocka_unit_test(the_folder_of_a_namesake_in_another_container_stays),
        cmocka_unit_test(an_abandoned_folder_is_removed_and_a_new_one_is_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
