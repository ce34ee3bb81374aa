#include "base/tests/unit.h"

#include "base/clock.h"
#include "base/process.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void pause_ms(long ms)
{
    nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL);
}

static pid_t spin_on_the_first_core(void)
{
    const pid_t child = fork();
    cpu_set_t first;
    if (child != 0)
        return child;
    sched_getaffinity(0, sizeof first, &first);
    for (int core = 0, found = 0; core < CPU_SETSIZE; core++)
        if (CPU_ISSET(core, &first) && found++ > 0)
            CPU_CLR(core, &first);
    sched_setaffinity(0, sizeof first, &first);
    for (;;) {
    }
}

/* Two processes that share a core: each waits half of the time. */
static void a_process_that_waits_for_a_core_is_delayed(void **state)
{
    const pid_t one = spin_on_the_first_core(), other = spin_on_the_first_core();
    const bool is_told = access("/proc/self/schedstat", R_OK) == 0;
    ProcessTimes times = {0};
    for (int tries = 0; is_told && tries < 100 && times.delayed_s < 0.02; tries++) {
        pause_ms(20);
        times = process_times(one);
        assert_true(times.is_runnable);
    }
    kill(one, SIGKILL);
    kill(other, SIGKILL);
    waitpid(one, NULL, 0);
    waitpid(other, NULL, 0);
    assert_true(!is_told || times.delayed_s >= 0.02);
    times = process_times(one); /* it is gone */
    assert_true(times.delayed_s == 0 && times.computed_s == 0 && !times.is_runnable);
}

static void *compute_for_ever(void *unused)
{
    for (volatile int i = 0;; i++) {
    }
    return unused;
}

/* Waits until the times of the process say so. */
static bool soon_computes(pid_t process, double seconds, bool is_runnable)
{
    for (int tries = 0; tries < 1000; tries++, pause_ms(10)) {
        const ProcessTimes times = process_times(process);
        if (times.computed_s >= seconds && times.is_runnable == is_runnable)
            return true;
    }
    return false;
}

/* The first thread of the process sleeps meanwhile. */
static void what_a_second_thread_does_counts(void **state)
{
    const pid_t process = fork();
    pthread_t second;
    if (process == 0) {
        pthread_create(&second, NULL, compute_for_ever, NULL);
        for (;;)
            pause();
    }
    assert_true(soon_computes(process, 0.05, true));
    kill(process, SIGKILL);
    waitpid(process, NULL, 0);
}

static void compute_for(double seconds)
{
    while (process_computed_s(getpid()) < seconds) {
    }
}

/* A thread that is not the first has started it. */
static void *start_a_child(void *unused)
{
    const pid_t child = fork();
    if (child == 0) {
        compute_for(0.2);
        _exit(0);
    }
    waitpid(child, NULL, 0);
    return unused;
}

static void what_a_child_has_done_counts_when_it_has_ended_too(void **state)
{
    const pid_t process = fork();
    pthread_t second;
    if (process == 0) {
        pthread_create(&second, NULL, start_a_child, NULL);
        pthread_join(second, NULL);
        for (;;)
            pause();
    }
    assert_true(soon_computes(process, 0.19, false)); /* its clock ticks every hundredth of a second */
    kill(process, SIGKILL);
    waitpid(process, NULL, 0);
}

/* ---- deadlines --------------------------------------------------------------------------------------------------- */

/* Rows that follow each other: what the processes have done after so many seconds. */
static void a_deadline_is_put_off_for_what_gets_no_core(void **state)
{
    static const struct {
        double after_s;
        ProcessTimes times;
        DeadlineState state;
    } rows[] = {
        {9.9, {.computed_s = 100}, DEADLINE_AHEAD},
        {10, {.computed_s = 100}, DEADLINE_OVER},                     /* nothing: it waits for something else */
        {10, {.computed_s = 100.05, .delayed_s = 7}, DEADLINE_AHEAD}, /* others had the cores */
        {12, {.computed_s = 100.05, .delayed_s = 7}, DEADLINE_AHEAD}, /* before the new end */
        {12.6, {.computed_s = 100.05, .delayed_s = 7}, DEADLINE_OVER},
        {12.6, {.computed_s = 100.05, .delayed_s = 7, .is_runnable = true}, DEADLINE_AHEAD}, /* it waits now */
        {15.2, {.computed_s = 101, .delayed_s = 7}, DEADLINE_AHEAD},
        {17.8, {.computed_s = 108, .delayed_s = 9}, DEADLINE_OVER}, /* as much as it may */
        {199, {.computed_s = 107, .delayed_s = 100}, DEADLINE_AHEAD},
        {202, {.computed_s = 107.5, .delayed_s = 101}, DEADLINE_STARVED},
    };
    ProcessDeadline deadline = process_deadline(10, 8, (ProcessTimes){.computed_s = 100});
    const double started_s = deadline.start_s;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const double passed_s = rows[i].after_s - (now_s() - deadline.start_s); /* as if it had begun sooner */
        deadline.start_s -= passed_s;
        deadline.at_s -= passed_s;
        deadline.seen_s -= passed_s;
        const DeadlineState state_now = process_deadline_look(&deadline, rows[i].times);
        if (state_now != rows[i].state)
            fail_test("row %zu: %d", i, state_now);
    }
    assert_true(deadline.start_s < started_s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_process_that_waits_for_a_core_is_delayed),
        cmocka_unit_test(what_a_second_thread_does_counts),
        cmocka_unit_test(what_a_child_has_done_counts_when_it_has_ended_too),
        cmocka_unit_test(a_deadline_is_put_off_for_what_gets_no_core),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
