/* What is said where the workers that judge mutants fail. */
#include "base/tests/refusal.h"

#include "grader/commands/mutant_trial.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const Problem problem = {.id = "conv1d"};
static const MutantPool none = {0};

static Status start_one(MutantTrial **trial, Message *why)
{
    return mutant_trial_start(&problem, &none, "sim", 1, 1, trial, why);
}

static Status start_without_a_socket(Message *why)
{
    MutantTrial *trial;
    refuse_call(SYS_socketpair, EMFILE);
    return start_one(&trial, why);
}

static Status start_without_a_process(Message *why)
{
    MutantTrial *trial;
    refuse_processes();
    return start_one(&trial, why);
}

static void a_worker_that_cannot_be_started_is_named(void **state)
{
    assert_string_equal(said_by_child(start_without_a_socket),
                        "no socket for a worker that judges mutants: Too many open files");
    assert_string_equal(said_by_child(start_without_a_process),
                        "no process for a worker that judges mutants: Resource temporarily unavailable");
}

/* The only child of this process. */
static pid_t worker(void)
{
    char path[64];
    int child = 0;
    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    FILE *children = fopen(path, "r");
    assert_non_null(children);
    assert_int_equal(fscanf(children, "%d", &child), 1);
    fclose(children);
    return child;
}

/* Returns when it is gone, and leaves it to be reaped. */
static void end_worker(void)
{
    siginfo_t ended;
    const pid_t process = worker();
    assert_int_equal(kill(process, SIGKILL), 0);
    assert_int_equal(waitid(P_PID, (id_t)process, &ended, WEXITED | WNOWAIT), 0);
}

static void a_worker_that_has_ended_is_named(void **state)
{
    MutantTrial *trial;
    TrialDone done;
    bool answered;
    Message why;
    assert_int_equal(start_one(&trial, &why), STATUS_OK);
    end_worker();
    assert_int_equal(mutant_trial_ask(trial, 0, 0, &(Digest){0}, &why), STATUS_SYSTEM);
    assert_string_equal(why.text, "a worker that judges mutants has ended: Broken pipe");
    mutant_trial_stop(trial);
    assert_int_equal(start_one(&trial, &why), STATUS_OK);
    kill(worker(), SIGSTOP);
    assert_int_equal(mutant_trial_ask(trial, 0, 0, &(Digest){0}, &why), STATUS_OK);
    end_worker();
    assert_int_equal(mutant_trial_wait(trial, &done, &answered, &why), STATUS_SYSTEM);
    assert_string_equal(why.text, "a worker that judges mutants has ended without an answer");
    mutant_trial_stop(trial);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_worker_that_cannot_be_started_is_named),
        cmocka_unit_test(a_worker_that_has_ended_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
