/* A broker that gets little of a processor, and one that hangs. */
#include "base/tests/unit.h"
#include "base/clock.h"
#include "base/tests/patience.h"

#include "harness/sandbox/process.h"
#include "harness/session/broker_process.h"

#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* A process that computes all the time, or never. */
static pid_t start(bool computes)
{
    const pid_t pid = fork();
    assert_true(pid >= 0);
    while (pid == 0)
        if (!computes)
            pause();
    return pid;
}

static double noted_before_s; /* so long before the look at it */
static HostClock submission;

static bool is_starved_after(bool is_modelled, bool computes, double seconds, double limit_s)
{
    BrokerProcess broker = broker_process_new("sim");
    broker.info.modelled = is_modelled;
    broker.pid = start(computes);
    broker_process_note_work(&broker);
    broker.noted_s -= noted_before_s;
    const double start_s = now_s();
    double deadline = start_s + seconds;
    while (computes && process_computed_s(broker.pid) < seconds) /* a busy machine gives it less than a core */
        usleep(1000);
    const bool is_starved = broker_process_is_starved(&broker, submission, limit_s, &deadline);
    if (is_starved)
        assert_true(deadline > now_s() + limit_s / 8);
    kill(broker.pid, SIGKILL);
    waitpid(broker.pid, NULL, 0);
    return is_starved;
}

static void what_computes_for_less_than_its_limit_gets_longer(void **state)
{
    assert_true(is_starved_after(true, true, 0.1, 10));
}

static void what_has_computed_for_its_limit_does_not(void **state)
{
    assert_false(is_starved_after(true, true, 0.1, 0.05));
}

static void what_hangs_does_not(void **state)
{
    assert_false(is_starved_after(true, false, 0.1, 10));
}

static void what_waits_for_a_submission_that_gets_no_core_gets_longer(void **state)
{
    submission.delayed_s = 3;
    noted_before_s = 11;
    const bool is_starved = is_starved_after(true, false, 0.1, 10);
    noted_before_s = 14;
    const bool is_starved_still = is_starved_after(true, false, 0.1, 10);
    submission.delayed_s = noted_before_s = 0;
    assert_true(is_starved && !is_starved_still);
}

static void what_gets_little_for_ever_does_not(void **state)
{
    noted_before_s = 201;
    const bool is_starved = is_starved_after(true, true, 0.1, 10);
    noted_before_s = 0;
    assert_false(is_starved);
}

static void what_the_submission_takes_away_is_no_excuse(void **state)
{
    submission.used_s = 10;
    const bool is_starved = is_starved_after(true, true, 0.1, 10);
    submission.used_s = 0;
    assert_false(is_starved);
}

static void a_real_gpu_does_not_compute_on_the_host(void **state)
{
    assert_false(is_starved_after(false, true, 0.1, 10));
}

/* ---- one that says nothing ----------------------------------------------------------------------------------------- */

static void a_broker_that_says_nothing_is_named(void **state)
{
    int ends[2];
    Message why;
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
    BrokerProcess broker = broker_process_new("sim");
    broker.control = ends[0];
    patience_is_over = true;
    assert_int_equal(broker_process_hello(&broker, &why), STATUS_SYSTEM);
    assert_string_equal(why.text, "device 'sim' did not answer within 60 s");
    broker.greeted = broker.info.modelled = true;
    assert_int_equal(broker_process_open(&broker, &why), STATUS_SYSTEM);
    assert_string_equal(why.text, "device 'sim' did not open within 60 s");
    patience_is_over = false;
    close(ends[0]);
    close(ends[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_computes_for_less_than_its_limit_gets_longer),
        cmocka_unit_test(what_has_computed_for_its_limit_does_not),
        cmocka_unit_test(what_waits_for_a_submission_that_gets_no_core_gets_longer),
        cmocka_unit_test(what_hangs_does_not),
        cmocka_unit_test(what_gets_little_for_ever_does_not),
        cmocka_unit_test(what_the_submission_takes_away_is_no_excuse),
        cmocka_unit_test(a_broker_that_says_nothing_is_named),
        cmocka_unit_test(a_real_gpu_does_not_compute_on_the_host),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
