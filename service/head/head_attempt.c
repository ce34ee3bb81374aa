#include "service/head/head_state.h"

#include "grader/problem/problem_edition.h"
#include "grader/problem/problem_read.h"
#include "service/log/log.h"
#include "service/store/judgings.h"

#include <stdio.h>
#include <string.h>

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

static Status basis_of(const Head *head, const Problem *problem, const char *mode, Basis *basis, Message *why)
{
    basis->revision = problem->revision;
    return deadlines_of(problem, judging_mode_named(mode), head->options.lease_s, &basis->deadlines, why);
}

/* The copy may have been damaged: nobody has synced it to the disk. */
static Status kept_basis(const Head *head, const QueuedJob *judging, const char *keep, Basis *basis, Message *why)
{
    char folder[SPOOL_EDITIONS_BYTES + sizeof(Digest)];
    Problem problem;
    if (!problem_edition_find(keep, judging->edition_before, folder, sizeof folder))
        return fail(STATUS_SYSTEM, why, "%s: the spool lacks the files by which this problem counts, edition %.16s",
                    judging->problem, judging->edition_before);
    Status status = problem_read_in(folder, judging->problem, &problem, why);
    if (status != STATUS_OK)
        return status;
    basis->is_kept = true;
    status = problem_edition(&problem, &basis->edition, why);
    if (status == STATUS_OK && strcmp(basis->edition.hex, judging->edition_before) != 0)
        status = fail(STATUS_SYSTEM, why, "%s: these files are no longer those of the edition", folder);
    if (status == STATUS_OK)
        status = basis_of(head, &problem, judging->mode, basis, why);
    problem_free(&problem);
    return status;
}

Status head_basis(const Head *head, const QueuedJob *judging, Basis *basis, Message *why)
{
    char keep[SPOOL_EDITIONS_BYTES];
    Problem problem;
    *basis = (Basis){.is_kept = false};
    spool_editions_path(head->options.spool, keep);
    if (judging->edition_before[0] != '\0' && strcmp(judging->mode, "try") != 0)
        return kept_basis(head, judging, keep, basis, why);
    Status status = problem_read(judging->problem, &problem, why);
    if (status != STATUS_OK)
        return status;
    status = problem_edition_keep(&problem, keep, &basis->edition, why);
    if (status == STATUS_OK)
        status = basis_of(head, &problem, judging->mode, basis, why);
    problem_free(&problem);
    return status;
}
