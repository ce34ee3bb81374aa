#include "base/tests/refusal.h"

#include "base/clock.h"
#include "base/compile_cache.h"
#include "base/scratch.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* Janitors come to this process when their parents are gone. */
static double janitor_seconds(bool is_killed)
{
    char path[200];
    const pid_t parent = fork();
    if (parent == 0) {
        if (scratch_new(path, sizeof path, NULL) != STATUS_OK)
            _exit(1);
        if (is_killed)
            raise(SIGKILL);
        exit(0);
    }
    int how = -1;
    assert_int_equal(waitpid(parent, &how, 0), parent);
    assert_true(is_killed ? WIFSIGNALED(how) : WIFEXITED(how) && WEXITSTATUS(how) == 0);
    const double begun_s = now_s();
    assert_true(wait(NULL) > 0);
    const double seconds = now_s() - begun_s;
    snprintf(path, sizeof path, "rmdir convjudge.%d.* 2>/dev/null", (int)parent);
    assert_int_not_equal(system(path), 0); /* there is none */
    return seconds;
}

/* A killed process may have left children that still write to the cache. One that has ended has not, so that its janitor
 * need not wait for another judge that compiles. */
static void only_a_killed_process_is_waited_for_while_others_compile(void **state)
{
    char place[200];
    int lock;
    assert_true(compile_cache_workplace(NULL, place, sizeof place, &lock));
    const double killed_s = janitor_seconds(true), ended_s = janitor_seconds(false);
    assert_true(2 * ended_s < killed_s);
    close(lock);
    assert_int_equal(compile_cache_sweep(NULL), 0);
}

static Status guard_without_a_process(Message *why)
{
    refuse_processes();
    return scratch_guard(why);
}

static Status guard_without_a_pipe(Message *why)
{
    refuse_call(SYS_pipe2, EMFILE);
    return scratch_guard(why);
}

static void what_the_janitor_lacks_is_named(void **state)
{
    assert_string_equal(said_by_child(guard_without_a_process),
                        "no process can be started that clears temporary files away: Resource temporarily unavailable");
    assert_string_equal(said_by_child(guard_without_a_pipe), "no pipe: Too many open files");
}

static int in_a_folder_of_its_own(void **state)
{
    static char folder[] = "/tmp/test_scratch.XXXXXX";
    *state = folder;
    return mkdtemp(folder) == NULL || chdir(folder) != 0 || setenv("TMPDIR", folder, 1) != 0 ||
           setenv("CONVJUDGE_CACHE", folder, 1) != 0 || prctl(PR_SET_CHILD_SUBREAPER, 1) != 0;
}

static int remove_folder(void **state)
{
    scratch_remove(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_a_killed_process_is_waited_for_while_others_compile),
        cmocka_unit_test(what_the_janitor_lacks_is_named),
    };
    return cmocka_run_group_tests(tests, in_a_folder_of_its_own, remove_folder);
}
