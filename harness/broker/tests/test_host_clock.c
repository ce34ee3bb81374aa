#include "base/tests/unit.h"

#include "harness/broker/control.h"

#include <math.h>
#include <unistd.h>

static const HostClock BEFORE = {.used_s = 2, .delayed_s = 30, .judge_delayed_s = 5};

static void only_what_a_submission_does_with_a_core_or_without_wanting_one_is_its_own(void **state)
{
    static const struct {
        const char *what;
        HostClock after;
        bool silent;
        double own_s; /* of a second for which the broker has waited */
    } rows[] = {
        {"sleeps", {2, 2, 30, false, 5}, true, 1},
        {"computes", {3, 3, 30, true, 5}, true, 1},
        {"computed, and sleeps now", {2.5, 2.5, 30, false, 5}, true, 1},
        {"computes with two threads", {4, 4, 30, true, 5}, true, 2},
        {"computed a little, and had no core for the rest", {2.1, 2.1, 30.9, false, 5}, true, 0.1},
        {"computed a little, and has no core now", {2.1, 2.1, 30, true, 5}, true, 0.1},
        {"had no core, and slept", {2, 2, 30.75, false, 5}, true, 0.25},
        {"had two threads without a core", {2, 2, 31.5, false, 5}, true, 0},
        {"had its answer late", {2, 2, 30, false, 5.75}, false, 0.25},
        {"asked for nothing: no answer was late", {2, 2, 30, false, 5.75}, true, 1},
        {"has lost a process with all its times", {1, 1, 20, false, 5}, true, 1},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const double own_s = host_clock_own_s(&BEFORE, &rows[i].after, 1, rows[i].silent);
        if (fabs(own_s - rows[i].own_s) > 1e-9)
            fail_test("%s: %g s", rows[i].what, own_s);
    }
}

static void an_answer_reaches_the_broker_with_its_question(void **state)
{
    int graders, brokers;
    HostQuestion question = HOST_ALL;
    HostClock clock;
    assert_true(host_clock_new(&graders, &brokers));
    assert_true(host_clock_answer(graders, (HostClock){.computed_s = 1}));
    assert_true(host_clock_ask(brokers, HOST_COMPUTED, &clock));
    assert_true(host_clock_question(graders, &question));
    assert_int_equal(question, HOST_COMPUTED);
    assert_true(clock.computed_s == 1);
    assert_true(host_clock_answer(graders, (HostClock){.computed_s = -1, .used_s = 1}));
    assert_true(host_clock_ask(brokers, HOST_ALL, &clock)); /* the rest is known */
    assert_true(host_clock_answer(graders, (HostClock){.computed_s = -1, .used_s = 1}));
    assert_false(host_clock_ask(brokers, HOST_COMPUTED, &clock));
    close(graders);
    assert_false(host_clock_ask(brokers, HOST_ALL, &clock));
    close(brokers);
    assert_false(host_clock_ask(-1, HOST_ALL, &clock));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_what_a_submission_does_with_a_core_or_without_wanting_one_is_its_own),
        cmocka_unit_test(an_answer_reaches_the_broker_with_its_question),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
