/* What is said where the system refuses what a worker needs before it can begin. */
#include "base/tests/refusal.h"

#include "service/commands/worker.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

static char folder[] = "/tmp/test_workplace.XXXXXX";

static Status open_place(Message *why)
{
    WorkerContext place;
    return worker_context_open(
        &(WorkerSettings){.server = "/nowhere", .state = folder, .device = "sim", .name = "w", .unconfined = true},
        &place, why);
}

static Status open_without_signals(Message *why)
{
    refuse_call(SYS_signalfd4, EMFILE);
    return open_place(why);
}

static Status open_without_locks(Message *why)
{
    refuse_call_with(SYS_fcntl, 1, F_SETLK, ENOLCK);
    return open_place(why);
}

static void what_a_worker_lacks_is_named(void **state)
{
    char expected[200];
    assert_non_null(mkdtemp(folder));
    assert_string_equal(said_by_child(open_without_signals), "signals cannot be read: Too many open files");
    snprintf(expected, sizeof expected, "%s/workers/w/lock: cannot be locked: No locks available", folder);
    assert_string_equal(said_by_child(open_without_locks), expected);
    snprintf(expected, sizeof expected, "rm -r %s", folder);
    assert_int_equal(system(expected), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_worker_lacks_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
