#include "grader/judge/opinion.h"

#include "base/clock.h"
#include "base/paths.h"
#include "base/process.h"
#include "grader/judge/wording.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

__attribute__((
    weak)) double opinion_most_s = 1; /* not const, or the compiler would put its value in place of the name */

/* ==== the process ================================================================================================= */

enum { LINK = 3, NICEST = 19 }; /* LINK: the only descriptor of the child besides those of its terminal */

/* ---- in the child ------------------------------------------------------------------------------------------------ */

static void fill_answer(const Result *result, OpinionAnswer *answer)
{
    const CaseResult *failed = result_failed_case(result);
    answer->verdict = result->verdict;
    answer->has_case = failed != NULL;
    answer->is_secret = failed != NULL && failed->sample == NULL;
    if (failed != NULL) {
        snprintf(answer->name, sizeof answer->name, "%s", failed->name);
        answer->finding = failed->finding;
    }
    if (!answer->is_secret)
        snprintf(answer->text, sizeof answer->text, "%s", result->text);
}

static void answer_for(const JudgeJob *job, JudgeFunction *judge)
{
    OpinionAnswer answer = {0};
    Result result = {0};
    Message why = {0};
    answer.status = judge(job, &result, &why);
    memcpy(answer.device, result.device.name, sizeof answer.device);
    if (answer.status == STATUS_OK)
        fill_answer(&result, &answer);
    else
        memcpy(answer.text, why.text, sizeof answer.text);
    result_free(&result);
    (void)!send(LINK, &answer, sizeof answer, MSG_NOSIGNAL); /* nobody may be waiting any more */
}

/* Closes what belongs to the parent alone: its broker sees the end of its link only if nobody else holds that. */
static bool keep_only(int link)
{
    if (link != LINK && dup3(link, LINK, O_CLOEXEC) < 0)
        return false;
    return close_range(LINK + 1, ~0u, 0) == 0;
}

typedef struct Question {
    const JudgeJob *job;
    JudgeFunction *judge;
    int link;
} Question;

static void give_opinion(void *context)
{
    const Question *question = context;
    if (!keep_only(question->link))
        _exit(1);
    setpriority(PRIO_PROCESS, 0, NICEST);
    answer_for(question->job, question->judge);
    _exit(0);
}

/* ---- in the parent ----------------------------------------------------------------------------------------------- */

Status opinion_process_start(const JudgeJob *job, JudgeFunction *judge, OpinionProcess *opinion, Message *why)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        return fail_errno(why, "no socket");
    fflush(NULL); /* otherwise the child might write once more what is buffered */
    Question question = {.job = job, .judge = judge, .link = ends[1]};
    const pid_t guard = guard_start(give_opinion, &question);
    close(ends[1]);
    if (guard < 0) {
        close(ends[0]);
        return fail_errno(why, "no process");
    }
    *opinion = (OpinionProcess){.guard = guard, .link = ends[0]};
    return STATUS_OK;
}

bool opinion_process_await(const OpinionProcess *opinion, double deadline_s, OpinionAnswer *answer)
{
    struct pollfd link = {.fd = opinion->link, .events = POLLIN};
    if (opinion->guard == 0)
        return false;
    for (;;) {
        const double left_s = deadline_s - now_s();
        const int ready = poll(&link, 1, left_s > 0 ? (int)(left_s * 1000) + 1 : 0);
        if (ready > 0 && recv(opinion->link, answer, sizeof *answer, MSG_DONTWAIT) != sizeof *answer)
            *answer = (OpinionAnswer){.status = STATUS_SYSTEM, .text = "its process has ended"};
        if (ready > 0)
            return true;
        if (left_s <= 0 || (ready < 0 && errno != EINTR))
            return false;
    }
}

void opinion_process_stop(OpinionProcess *opinion)
{
    if (opinion->guard == 0)
        return;
    close(opinion->link);
    guard_stop_and_wait(opinion->guard);
    *opinion = (OpinionProcess){0};
}

/* ==== its part in a grading ======================================================================================= */

/* ---- beginning --------------------------------------------------------------------------------------------------- */

/* The simulated GPU that gives the opinion; NULL: none is wanted. */
static const char *wanted_device(const Grading *judging)
{
    const char *named = paths_variable("CONVJUDGE_SECOND_OPINION");
    if (!judging->job->second_opinion || judging->session->traits.runs_c)
        return NULL;
    if (named != NULL)
        return named;
    return judging->result->device.modelled ? NULL : "sim";
}

void opinion_step_begin(Grading *judging, JudgeFunction *judge)
{
    const JudgeJob *job = judging->job;
    const char *device = wanted_device(judging);
    if (device == NULL || judging->ended)
        return;
    const JudgeJob other = {
        .problem = job->problem,
        .submission = job->submission,
        .cases = job->cases,
        .secret = &judging->secret,
        .device = device,
        .untimed_only = true,
        .samples_only = job->samples_only,
        .is_opinion = true,
    };
    Message why;
    SecondOpinion *opinion = &judging->result->opinion;
    *opinion = (SecondOpinion){.asked = true, .place = "", .text = ""};
    if (opinion_process_start(&other, judge, &judging->opinion, &why) != STATUS_OK)
        opinion->none = arena_string(&judging->result->arena, why.text);
}

/* ---- what may be told -------------------------------------------------------------------------------------------- */

/* The verdict on samples and hidden cases, or of an earlier step. */
static Verdict verdict_so_far(const Result *result)
{
    const CaseResult *failed = result_failed_case(result);
    return failed != NULL ? failed->verdict : result->verdict;
}

/* Whether the real GPU's finding about a case with secret data is told. */
static bool has_told(const Result *result)
{
    const CaseResult *failed = result_failed_case(result);
    return failed != NULL && failed->sample == NULL;
}

static void tell_secret_case(Grading *judging, const OpinionAnswer *answer, SecondOpinion *opinion)
{
    const Result *result = judging->result;
    HiddenFinding finding = answer->finding;
    if (!has_told(result)) {
        opinion->place = arena_string(&judging->result->arena, answer->name);
        judging->secret_warning = (Mistake){0}; /* either one finding or one warning */
    } else {
        opinion->place = "a hidden case";
        finding.output = (WrongOutput){0};
        if (result_failed_case(result)->finding.mistake.kind != MISTAKE_NONE)
            finding.mistake = (Mistake){0};
    }
    if (!has_told(result) || finding.mistake.kind != MISTAKE_NONE)
        opinion->text = judging_hidden_wording(judging, &finding);
    opinion->reason = opinion_reason(verdict_so_far(result), answer->verdict, finding.mistake.kind);
}

static void tell_public_case(Grading *judging, const OpinionAnswer *answer, SecondOpinion *opinion)
{
    Arena *arena = &judging->result->arena;
    opinion->place = arena_string(arena, answer->has_case ? answer->name : "");
    opinion->text = arena_string(arena, answer->text);
    opinion->reason = opinion_reason(verdict_so_far(judging->result), answer->verdict, answer->finding.mistake.kind);
}

/* Why an answer is no opinion: it speaks of the simulated GPU's limits, not of the submission. NULL: it is one. */
static const char *why_no_opinion(Grading *judging, const OpinionAnswer *answer)
{
    Arena *arena = &judging->result->arena;
    if (answer->status != STATUS_OK)
        return arena_printf(arena, "the judge failed: %s", answer->text);
    switch (answer->verdict) {
    case VERDICT_JUDGE_ERROR:
        return answer->is_secret ? mistake_words(answer->finding.mistake.kind) : arena_string(arena, answer->text);
    case VERDICT_COMPILE_ERROR: return "the file does not compile for the simulated GPU";
    case VERDICT_TIME_LIMIT_EXCEEDED: return "it reaches a limit of the simulated GPU, of instructions or of time";
    case VERDICT_MEMORY_LIMIT_EXCEEDED: return "it reaches a limit of the simulated GPU's memory";
    default: return NULL;
    }
}

static void fill_opinion(Grading *judging, const OpinionAnswer *answer)
{
    SecondOpinion *opinion = &judging->result->opinion;
    opinion->device = arena_string(&judging->result->arena, answer->device);
    if (answer->status == STATUS_OK && answer->verdict == verdict_so_far(judging->result)) {
        opinion->verdict = answer->verdict; /* `reason` is OPINION_AGREES; the real GPU has told the rest */
        return;
    }
    opinion->none = why_no_opinion(judging, answer);
    if (opinion->none != NULL)
        return;
    opinion->verdict = answer->verdict;
    if (answer->is_secret)
        tell_secret_case(judging, answer, opinion);
    else
        tell_public_case(judging, answer, opinion);
}

/* ---- taking it --------------------------------------------------------------------------------------------------- */

void opinion_step_take(Grading *judging, double start_s)
{
    OpinionAnswer answer;
    const double deadline_s = start_s + hidden_duration_extended(now_s() - start_s, opinion_most_s);
    if (judging->opinion.guard == 0)
        return;
    const bool answered = opinion_process_await(&judging->opinion, deadline_s, &answer);
    opinion_process_stop(&judging->opinion);
    if (answered)
        fill_opinion(judging, &answer);
    else
        judging->result->opinion.none = "it was not ready in time";
}

static void tell_step(const Grading *judging)
{
    const SecondOpinion *opinion = &judging->result->opinion;
    char outcome[300];
    if (opinion->none != NULL)
        snprintf(outcome, sizeof outcome, "none: %s", opinion->none);
    else
        snprintf(outcome, sizeof outcome, "%s%s", verdict_name(opinion->verdict),
                 opinion->reason == OPINION_AGREES ? ", too" : "");
    progress_begin(judging->job->progress, "second opinion", 0);
    progress_end(judging->job->progress, outcome);
}

void opinion_step_end(Grading *judging)
{
    const double start_s = now_s();
    const bool waits = judging->opinion.guard != 0;
    opinion_step_take(judging, start_s);
    if (waits && !judging->job->samples_only)
        (void)hidden_duration_wait(start_s);
    if (judging->result->opinion.asked)
        tell_step(judging);
}

/* ---- running it again -------------------------------------------------------------------------------------------- */

/* False also where the judge could not do it. */
static bool is_accepted_again(const Grading *judging, JudgeFunction *judge, bool unoptimised, CallBudget *spent)
{
    const JudgeJob *job = judging->job;
    const JudgeJob again = {
        .problem = job->problem,
        .submission = job->submission,
        .cases = job->cases,
        .secret = &judging->secret,
        .device = job->device,
        .untimed_only = true,
        .samples_only = job->samples_only,
        .unoptimised = unoptimised,
        .is_opinion = true,
        .spent = spent,
    };
    const double start_s = now_s();
    Result result = {0};
    Message ignored;
    progress_begin(job->progress, unoptimised ? "with ptxas -O0" : "run again", 0);
    const bool accepted = judge(&again, &result, &ignored) == STATUS_OK && result.verdict == VERDICT_ACCEPTED;
    if (!job->samples_only)
        (void)hidden_duration_wait(start_s);
    progress_end(job->progress, accepted ? verdict_name(VERDICT_ACCEPTED) : "not accepted");
    result_free(&result);
    return accepted;
}

void opinion_step_retry(Grading *judging, JudgeFunction *judge)
{
    Result *result = judging->result;
    CallBudget spent = judging->budget;
    if (!result->opinion.asked || result->opinion.none != NULL || result->opinion.reason == OPINION_AGREES ||
        !opinion_wants_retry(verdict_so_far(result), result->opinion.verdict))
        return;
    const bool again = is_accepted_again(judging, judge, false, &spent);
    const bool unoptimised = !again && is_accepted_again(judging, judge, true, &spent);
    result->opinion.reason = opinion_reason_of_retry(again, unoptimised);
}
