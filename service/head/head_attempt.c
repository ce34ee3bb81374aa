#include "service/head/head_state.h"

#include "grader/problem/problem_read.h"
#include "service/log/log.h"
#include "service/store/judgings.h"

#include <stdio.h>

void head_note_change(Head *head)
{
    pthread_mutex_lock(&head->lock);
    head->changes++;
    pthread_mutex_unlock(&head->lock);
}

static Status drain_if_due(Head *head, const char *worker, Message *why)
{
    bool fails = false;
    Status status = worker[0] == '\0' ? STATUS_OK : worker_fails(head->store, worker, &fails, why);
    if (status != STATUS_OK || !fails)
        return status;
    status = worker_drain(head->store, worker, "failed at two different submissions in a row", why);
    if (status == STATUS_OK)
        status = spool_hold(head->options.spool, worker, true, why);
    log_event(LEVEL_WARNING, "worker_drained", "worker", worker);
    return status;
}

Status head_give_up(Head *head, SpoolId id, const char *worker, const char *outcome, const char *reason, Message *why)
{
    char judging[32];
    bool held = false;
    Status status = judgings_fail(head->store, id.judging, id.attempt, outcome, reason, &held, why);
    if (status == STATUS_OK)
        status = spool_forget(head->options.spool, id, why);
    snprintf(judging, sizeof judging, "%lld-%d", (long long)id.judging, id.attempt);
    log_event(held ? LEVEL_ERROR : LEVEL_WARNING, "attempt_failed", "judging", judging, "worker", worker, "outcome",
              outcome, "held", held ? "yes" : "no", "why", reason);
    head_note_change(head);
    return status == STATUS_OK ? drain_if_due(head, worker, why) : status;
}

Status head_deadlines(const Head *head, const char *problem, const char *mode, Deadlines *deadlines, Digest *revision,
                      Message *why)
{
    Problem read;
    Status status = problem_read(problem, &read, why);
    if (status == STATUS_OK) {
        status = deadlines_of(&read, judging_mode_named(mode), head->options.lease_s, deadlines, why);
        *revision = read.revision;
        problem_free(&read);
    }
    return status;
}
