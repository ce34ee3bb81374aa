/* Control groups. Whether this machine lends any differs, so the limits are also tested on a folder that looks like a
 * group, and the life of a group on the real hierarchy, without limits. */
#include "base/tests/unit.h"

#include "base/sandbox.h"
#include "base/scratch.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "/tmp/test_cgroup.XXXXXX";

static void put(const char *group, const char *name, const char *value)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", group, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(value, file);
    fclose(file);
}

static void expect(const char *group, const char *name, const char *value)
{
    char path[PATH_MAX], found[100] = "";
    snprintf(path, sizeof path, "%s/%s", group, name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    (void)!fread(found, 1, sizeof found - 1, file);
    fclose(file);
    assert_string_equal(found, value);
}

/* A real group has these files from the beginning. Returns the path that the next group in the folder will have. */
static void put_group(char path[PATH_MAX])
{
    static const char *const files[] = {"memory.max", "memory.oom.group", "memory.swap.max",
                                        "pids.max",   "cgroup.procs",     "cgroup.kill"};
    Cgroup cgroup;
    assert_true(cgroup_new_in(folder, &(CgroupLimits){0}, &cgroup));
    strcpy(path, cgroup.path);
    char *number = strrchr(path, '.') + 1;
    sprintf(number, "%u", (unsigned)atoi(number) + 1);
    cgroup_remove(&cgroup);
    assert_int_equal(mkdir(path, 0755), 0);
    for (size_t i = 0; i < COUNT_OF(files); i++)
        put(path, files[i], "");
}

static void all_limits_are_written(void **state)
{
    char path[PATH_MAX];
    Cgroup cgroup;
    put_group(path);
    assert_true(cgroup_new_in(folder, &(CgroupLimits){.memory_bytes = 1 << 20, .processes = 32}, &cgroup));
    assert_string_equal(cgroup.path, path);
    expect(path, "memory.max", "1048576");
    expect(path, "memory.swap.max", "0");
    expect(path, "memory.oom.group", "1");
    expect(path, "pids.max", "32");
    assert_true(cgroup_take(cgroup.path, 4711));
    expect(path, "cgroup.procs", "4711");
}

static void a_kill_for_want_of_memory_is_seen(void **state)
{
    char path[PATH_MAX];
    Cgroup cgroup;
    put_group(path);
    assert_true(cgroup_new_in(folder, &(CgroupLimits){.memory_bytes = 1 << 20}, &cgroup));
    assert_false(cgroup_ran_out_of_memory(&cgroup));
    put(path, "memory.events", "low 0\nhigh 0\nmax 12\noom 1\noom_kill 0\n");
    assert_false(cgroup_ran_out_of_memory(&cgroup));
    put(path, "memory.events", "low 0\nhigh 0\nmax 12\noom 1\noom_kill 2\noom_group_kill 1\n");
    assert_true(cgroup_ran_out_of_memory(&cgroup));
}

static void a_group_without_the_controllers_is_not_used(void **state)
{
    Cgroup cgroup;
    assert_false(cgroup_new_in(folder, &(CgroupLimits){.memory_bytes = 1 << 20}, &cgroup));
    assert_string_equal(cgroup.path, "");
    assert_false(cgroup_ran_out_of_memory(&cgroup));
    cgroup_remove(&cgroup); /* nothing happens */
}

static pid_t sleeper(void)
{
    pid_t child = fork();
    if (child == 0) {
        pause();
        _exit(0);
    }
    return child;
}

/* The hierarchy that this machine mounts, if this user may make groups in it. */
static const char *real_hierarchy(void)
{
    static const char *const places[] = {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"};
    Cgroup cgroup;
    for (size_t i = 0; i < COUNT_OF(places); i++)
        if (cgroup_new_in(places[i], &(CgroupLimits){0}, &cgroup)) {
            bool moves = cgroup_take(cgroup.path, getpid()) && cgroup_take(places[i], getpid());
            cgroup_remove(&cgroup);
            if (moves)
                return places[i];
        }
    print_message("no control groups can be made here\n");
    skip();
    return NULL;
}

static void a_removed_group_takes_its_processes_along(void **state)
{
    Cgroup cgroup;
    int status;
    assert_true(cgroup_new_in(real_hierarchy(), &(CgroupLimits){0}, &cgroup));
    char path[PATH_MAX];
    strcpy(path, cgroup.path);
    pid_t child = sleeper();
    assert_true(cgroup_take(cgroup.path, child));
    cgroup_remove(&cgroup);
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

static void groups_of_an_ended_judge_are_removed_and_others_are_not(void **state)
{
    const char *parent = real_hierarchy();
    Cgroup own, other;
    assert_true(cgroup_new_in(parent, &(CgroupLimits){0}, &own));
    pid_t judge = fork();
    if (judge == 0)
        _exit(!cgroup_new_in(parent, &(CgroupLimits){0}, &other));
    int status;
    assert_int_equal(waitpid(judge, &status, 0), judge);
    assert_int_equal(status, 0);
    cgroup_sweep_in(parent, 0);
    assert_int_equal(access(own.path, F_OK), 0);
    char command[PATH_MAX + 60];
    snprintf(command, sizeof command, "! ls -d %s/convjudge.%d.* 2>/dev/null", parent, (int)judge);
    assert_int_equal(system(command), 0);
    cgroup_remove(&own);
}

/* Its process has a number that is free here. */
static void a_group_of_another_container_is_left_alone(void **state)
{
    char path[PATH_MAX];
    pid_t gone = fork();
    if (gone == 0)
        _exit(0);
    assert_int_equal(waitpid(gone, NULL, 0), gone);
    snprintf(path, sizeof path, "%s/convjudge.%d.1.0", folder, (int)gone);
    assert_int_equal(mkdir(path, 0755), 0);
    assert_int_equal(cgroup_sweep_in(folder, 0) + cgroup_sweep_in(folder, gone), 0);
    assert_int_equal(access(path, F_OK), 0);
    assert_int_equal(rmdir(path), 0);
}

/* Where groups can be had, the limit on memory counts; elsewhere the sandbox works without. */
static void a_sandbox_uses_a_group_where_there_is_one(void **state)
{
    static const char *const argv[] = {"/bin/sh", "-c", "x=x; while :; do x=$x$x; done", NULL};
    const SandboxSpec spec = {.process = {.argv = argv, .limits = {.address_space_bytes = 1ull << 30}},
                              .memory_bytes = 64 << 20};
    Sandbox *sandbox;
    ProcessSpec process;
    ProcessEnd end;
    Text output = {0};
    Message why = {0};
    assert_int_equal(sandbox_new(&spec, &sandbox, &process, &why), STATUS_OK);
    assert_int_equal(process_run(&process, 20, 1000, &output, &end, &why), STATUS_OK);
    if (process.cgroup == NULL)
        print_message("no control group with limits can be had here\n");
    assert_int_equal(sandbox_ran_out_of_memory(sandbox), process.cgroup != NULL);
    assert_int_not_equal(end.exit_status, 0);
    sandbox_free(sandbox);
    text_free(&output);
}

static int make_folder(void **state)
{
    return mkdtemp(folder) == NULL;
}

static int remove_folder(void **state)
{
    scratch_remove(folder);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_limits_are_written),
        cmocka_unit_test(a_kill_for_want_of_memory_is_seen),
        cmocka_unit_test(a_group_without_the_controllers_is_not_used),
        cmocka_unit_test(a_removed_group_takes_its_processes_along),
        cmocka_unit_test(groups_of_an_ended_judge_are_removed_and_others_are_not),
        cmocka_unit_test(a_group_of_another_container_is_left_alone),
        cmocka_unit_test(a_sandbox_uses_a_group_where_there_is_one),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
