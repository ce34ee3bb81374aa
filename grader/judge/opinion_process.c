#include "grader/judge/opinion_process.h"

#include "base/clock.h"
#include "base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

/* It stands here since the compiler puts its value in place of the name wherever it sees both. */
__attribute__((weak)) const double OPINION_MOST_S = 1;

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
