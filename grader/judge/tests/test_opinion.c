#include "base/tests/unit.h"

#include "base/clock.h"
#include "grader/judge/judging.h"
#include "grader/judge/opinion.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

double opinion_most_s = 60;

/* ---- another process gives the opinion --------------------------------------------------------------------------- */

static Status find_a_hidden_mistake(const JudgeJob *job, Result *result, Message *why)
{
    static const HiddenFinding finding = {.mistake = {.kind = MISTAKE_READ_OUTSIDE, .line = 7}};
    CaseResult *item = arena_array(&result->arena, 1, sizeof *item);
    assert_true(job->is_opinion);
    *item = (CaseResult){.group = CASE_HIDDEN,
                         .name = "hidden 4",
                         .judged = true,
                         .verdict = VERDICT_RUN_TIME_ERROR,
                         .text = "what only the author of the cases may know",
                         .finding = finding};
    result->cases = item;
    result->case_count = 1;
    result->verdict = item->verdict;
    result->text = item->text;
    return STATUS_OK;
}

static Status fail_itself(const JudgeJob *job, Result *result, Message *why)
{
    return fail(STATUS_SYSTEM, why, "no disk");
}

static Status take_for_ever(const JudgeJob *job, Result *result, Message *why)
{
    pause(); /* until it is killed */
    return STATUS_OK;
}

static Status crash(const JudgeJob *job, Result *result, Message *why)
{
    raise(SIGKILL);
    return STATUS_OK;
}

static const JudgeJob opinion_job = {.is_opinion = true};

static bool ask(JudgeFunction *judge, double seconds, OpinionAnswer *answer)
{
    OpinionProcess process = {0};
    Message why;
    if (opinion_process_start(&opinion_job, judge, &process, &why) != STATUS_OK)
        fail_test("%s", why.text);
    const pid_t child = process.guard;
    const bool answered = opinion_process_await(&process, now_s() + seconds, answer);
    opinion_process_stop(&process);
    assert_int_equal(process.guard, 0);
    assert_int_equal(kill(child, 0), -1); /* reaped */
    return answered;
}

static void an_answer_holds_no_text_about_a_hidden_case(void **state)
{
    OpinionAnswer answer;
    assert_true(ask(find_a_hidden_mistake, 60, &answer));
    assert_int_equal(answer.status, STATUS_OK);
    assert_int_equal(answer.verdict, VERDICT_RUN_TIME_ERROR);
    assert_true(answer.has_case && answer.is_secret);
    assert_string_equal(answer.name, "hidden 4");
    assert_string_equal(answer.text, "");
    assert_int_equal(answer.finding.mistake.line, 7);
}

static void a_failure_of_the_judge_comes_back_as_one(void **state)
{
    OpinionAnswer answer;
    assert_true(ask(fail_itself, 60, &answer));
    assert_int_equal(answer.status, STATUS_SYSTEM);
    assert_string_equal(answer.text, "no disk");
}

static void who_takes_too_long_gives_no_answer(void **state)
{
    OpinionAnswer answer;
    const double start_s = now_s();
    assert_false(ask(take_for_ever, 0.2, &answer));
    assert_true(now_s() - start_s >= 0.2);
}

static void nobody_waits_for_a_process_that_has_ended(void **state)
{
    OpinionAnswer answer;
    const double start_s = now_s();
    assert_true(ask(crash, 60, &answer));
    assert_int_equal(answer.status, STATUS_SYSTEM);
    assert_string_equal(answer.text, "its process has ended");
    assert_true(now_s() - start_s < 60);
}

/* ---- beginning, and taking the opinion --------------------------------------------------------------------------- */

static const GeneratorKey secret = {.words = {7, 8, 9}};

static Status accept_with_the_secret(const JudgeJob *job, Result *result, Message *why)
{
    const bool expected = memcmp(job->secret, &secret, sizeof secret) == 0 && strcmp(job->device, "sim") == 0 &&
                          job->untimed_only && job->is_opinion && !job->second_opinion;
    result->verdict = expected ? VERDICT_ACCEPTED : VERDICT_RULE_VIOLATION;
    result->text = "";
    return STATUS_OK;
}

static SecondOpinion opinion_on(bool wanted, SessionTraits traits, bool modelled)
{
    const JudgeJob job = {.second_opinion = wanted};
    Session session = {.traits = traits};
    Result result = {.device = {.modelled = modelled}};
    Grading judging = {.job = &job, .result = &result, .session = &session, .secret = secret};
    unsetenv("CONVJUDGE_SECOND_OPINION");
    opinion_step_begin(&judging, accept_with_the_secret);
    opinion_step_take(&judging, now_s());
    SecondOpinion opinion = result.opinion;
    opinion.device = NULL; /* in the arena */
    arena_free(&result.arena);
    return opinion;
}

static void it_judges_the_same_data_on_the_simulated_gpu(void **state)
{
    const SecondOpinion opinion = opinion_on(true, (SessionTraits){.clock = SESSION_EVENTS}, false);
    assert_true(opinion.asked);
    assert_null(opinion.none);
    assert_int_equal(opinion.verdict, VERDICT_ACCEPTED);
    assert_int_equal(opinion.reason, OPINION_AGREES);
}

static void only_a_real_gpu_gets_an_opinion_and_only_if_it_is_wanted(void **state)
{
    assert_false(opinion_on(false, (SessionTraits){.clock = SESSION_EVENTS}, false).asked);
    assert_false(opinion_on(true, (SessionTraits){.clock = SESSION_MODEL}, true).asked);
    assert_false(opinion_on(true, (SessionTraits){.runs_c = true}, false).asked);
}

/* ---- running a submission again ---------------------------------------------------------------------------------- */

static int runs;
static bool accepted[2]; /* as it is; unoptimised */

static Status judge_as_told(const JudgeJob *job, Result *result, Message *why)
{
    runs++;
    assert_true(job->untimed_only && job->is_opinion && !job->second_opinion);
    assert_string_equal(job->device, "cuda:3");
    result->verdict = accepted[job->unoptimised] ? VERDICT_ACCEPTED : VERDICT_WRONG_ANSWER;
    return STATUS_OK;
}

static OpinionReason reason_after(Verdict here, Verdict simulated, bool as_it_is, bool unoptimised)
{
    const JudgeJob job = {.device = "cuda:3", .samples_only = true};
    Result result = {.verdict = here, .opinion = {.asked = true, .verdict = simulated, .reason = OPINION_UNEXPLAINED}};
    Grading judging = {.job = &job, .result = &result};
    runs = 0;
    accepted[0] = as_it_is;
    accepted[1] = unoptimised;
    opinion_step_retry(&judging, judge_as_told);
    return result.opinion.reason;
}

static void a_result_that_varies_is_not_blamed_on_ptxas(void **state)
{
    assert_int_equal(reason_after(VERDICT_WRONG_ANSWER, VERDICT_ACCEPTED, true, true), OPINION_VARIES);
    assert_int_equal(runs, 1);
    assert_int_equal(reason_after(VERDICT_WRONG_ANSWER, VERDICT_ACCEPTED, false, true), OPINION_PTXAS);
    assert_int_equal(runs, 2);
    assert_int_equal(reason_after(VERDICT_RUN_TIME_ERROR, VERDICT_ACCEPTED, false, false), OPINION_NOT_PTXAS);
    assert_int_equal(runs, 2);
}

static void what_the_simulated_gpu_explains_is_not_run_again(void **state)
{
    assert_int_equal(reason_after(VERDICT_ACCEPTED, VERDICT_WRONG_ANSWER, true, true), OPINION_UNEXPLAINED);
    assert_int_equal(reason_after(VERDICT_WRONG_ANSWER, VERDICT_RUN_TIME_ERROR, true, true), OPINION_UNEXPLAINED);
    assert_int_equal(runs, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_answer_holds_no_text_about_a_hidden_case),
        cmocka_unit_test(a_failure_of_the_judge_comes_back_as_one),
        cmocka_unit_test(who_takes_too_long_gives_no_answer),
        cmocka_unit_test(nobody_waits_for_a_process_that_has_ended),
        cmocka_unit_test(it_judges_the_same_data_on_the_simulated_gpu),
        cmocka_unit_test(only_a_real_gpu_gets_an_opinion_and_only_if_it_is_wanted),
        cmocka_unit_test(a_result_that_varies_is_not_blamed_on_ptxas),
        cmocka_unit_test(what_the_simulated_gpu_explains_is_not_run_again),
    };
    return cmocka_run_group_tests_name("opinion", tests, NULL, NULL);
}
