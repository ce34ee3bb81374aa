#include "service/head/head_state.h"

#include "base/clock.h"
#include "grader/problem/problem_edition.h"
#include "service/store/batches.h"
#include "service/store/judgings.h"

#include <string.h>

static bool has_id(const SpoolId *ids, size_t count, const QueuedJob *judging)
{
    for (size_t i = 0; i < count; i++)
        if (ids[i].judging == judging->id && ids[i].attempt == judging->attempt)
            return true;
    return false;
}

typedef struct SpoolView { /* every attempt that is somewhere in the spool */
    Arena arena;
    SpoolId *ids;
    size_t count, capacity;
} SpoolView;

static void view_add(SpoolView *view, SpoolId id)
{
    view->ids = arena_grown(&view->arena, view->ids, view->count, &view->capacity, sizeof *view->ids);
    view->ids[view->count++] = id;
}

/* In the order in which files move from folder to folder, so that one that moves meanwhile is seen twice, not missed. */
static Status view_spool(const Head *head, SpoolView *view, Message *why)
{
    SpoolJob *jobs;
    SpoolClaim *claims;
    SpoolId *done;
    size_t count;
    Status status = spool_list_ready(head->options.spool, &view->arena, &jobs, &count, why);
    for (size_t i = 0; status == STATUS_OK && i < count; i++)
        view_add(view, jobs[i].id);
    if (status == STATUS_OK)
        status = spool_list_claims(head->options.spool, &view->arena, &claims, &count, why);
    for (size_t i = 0; status == STATUS_OK && i < count; i++)
        view_add(view, claims[i].id);
    if (status == STATUS_OK)
        status = spool_list_done(head->options.spool, &view->arena, &done, &count, why);
    for (size_t i = 0; status == STATUS_OK && i < count; i++)
        view_add(view, done[i]);
    return status;
}

/* Attempts that the spool does not have. */
static Status mend(Head *head, const SpoolView *view, const char *state, Message *why)
{
    Arena arena = {0};
    QueuedJob *judgings;
    size_t count;
    Status status = judgings_in_state(head->store, state, INT64_MAX, &arena, &judgings, &count, why);
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        const SpoolId id = {judgings[i].id, (int)judgings[i].attempt};
        if (has_id(view->ids, view->count, &judgings[i]) ||
            absences_note(&head->absences, id, now_s()) < head->patience_s)
            continue;
        status = strcmp(state, "offered") == 0
                     ? judgings_take_back(head->store, id.judging, id.attempt, why)
                     : head_give_up(head, id, judgings[i].worker, "lost", "its claim is gone from the spool", why);
    }
    arena_free(&arena);
    return status;
}

/* Also takes away what is offered although it was withdrawn or recorded. */
static Status mend_offers(Head *head, const SpoolView *view, Message *why)
{
    Arena arena = {0};
    Status status = STATUS_OK;
    for (size_t i = 0; i < view->count && status == STATUS_OK; i++) {
        QueuedJob judging;
        bool withdrawn;
        status = judgings_read(head->store, view->ids[i].judging, &arena, &judging, why);
        if (status == STATUS_NOT_FOUND || (status == STATUS_OK && !judging_is_at(&judging, view->ids[i].attempt)))
            status = spool_withdraw(head->options.spool, view->ids[i], &withdrawn, why);
    }
    arena_free(&arena);
    return status;
}

/* Copies of problems that nothing is judged by any more: of batches that have ended, of tries. */
static Status prune_editions(const Head *head, Message *why)
{
    Arena arena = {0};
    char keep[SPOOL_EDITIONS_BYTES];
    const char **needed;
    size_t count;
    Status status = batches_editions(head->store, &arena, &needed, &count, why);
    spool_editions_path(head->options.spool, keep);
    if (status == STATUS_OK)
        problem_editions_prune(keep, needed, count);
    arena_free(&arena);
    return status;
}

Status head_reconcile(Head *head, Message *why)
{
    SpoolView view = {0};
    absences_begin(&head->absences);
    Status status = view_spool(head, &view, why);
    if (status == STATUS_OK)
        status = mend(head, &view, "offered", why);
    if (status == STATUS_OK)
        status = mend(head, &view, "running", why);
    if (status == STATUS_OK)
        status = mend_offers(head, &view, why);
    if (status == STATUS_OK)
        absences_end(&head->absences);
    if (status == STATUS_OK)
        status = prune_editions(head, why);
    arena_free(&view.arena);
    return status;
}
