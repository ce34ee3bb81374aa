#include "service/head/head_state.h"

#include "service/store/case_verdicts.h"
#include "service/store/judgings.h"
#include "service/store/submissions.h"

#include <string.h>

enum { OFFERS = 4 }; /* in the spool at a time: the queue's order counts for everything that is not offered yet */

/* A problem may have changed since the hand-in. */
static Status note_basis(Head *head, const QueuedJob *judging, const Basis *basis, Message *why)
{
    Status status = judgings_renew(head->store, judging->id, basis->revision.hex, basis->edition.hex, why);
    if (status == STATUS_OK && judging->batch == LIVE_BATCH && !basis->is_kept && strcmp(judging->mode, "try") != 0)
        status = judgings_count_by(head->store, judging->problem, basis->edition.hex, basis->revision.hex, why);
    return status;
}

static Status offer(Head *head, const QueuedJob *judging, Arena *arena, Message *why)
{
    Basis basis;
    int64_t attempt = 0;
    const char *source;
    Message reason;
    const Status read = head_basis(head, judging, &basis, &reason);
    if (read == STATUS_BUSY) /* somebody changes the problem this moment: the next look offers it */
        return STATUS_OK;
    Status status = submissions_source(head->store, judging->source_hash, arena, &source, why);
    if (status == STATUS_OK && read == STATUS_OK)
        status = note_basis(head, judging, &basis, why);
    if (status == STATUS_OK)
        status = judgings_offer(head->store, judging->id, &attempt, why);
    bool all_cases = false;
    if (status == STATUS_OK && strcmp(judging->mode, "try") != 0)
        status = case_verdicts_are_wanted(head->store, judging->problem, &all_cases, why);
    if (status != STATUS_OK || attempt == 0)
        return status;
    const SpoolId id = {judging->id, (int)attempt};
    if (source == NULL)
        return head_give_up(head, id, "", "worker_failed", "the store has lost the source", why);
    if (read != STATUS_OK)
        return head_give_up(head, id, "", "worker_failed", reason.text, why);
    const SpoolJob job = {.id = id,
                          .mode = judging->mode,
                          .problem = judging->problem,
                          .revision = basis.revision.hex,
                          .source_hash = judging->source_hash,
                          .source = source,
                          .file_name = judging->file_name,
                          .person = judging->person,
                          .sizes = judging->sizes[0] == '\0' ? NULL : judging->sizes,
                          .avoid = judging->worker[0] == '\0' ? NULL : judging->worker,
                          .cases = all_cases ? "all" : NULL,
                          .edition = basis.is_kept ? basis.edition.hex : NULL,
                          .device = "",
                          .priority = judging->position,
                          .time_limit_s = basis.deadlines.worker_s};
    return spool_offer(head->options.spool, &job, why);
}

static size_t count_live(const QueuedJob *judgings, size_t count)
{
    size_t live = 0;
    for (size_t i = 0; i < count; i++)
        live += judgings[i].batch == LIVE_BATCH;
    return live;
}

/* Fresh hand-ins come first in both lists. While one waits, no rejudging is offered, and those that are offered already take
 * no place from it. */
Status head_offer(Head *head, Message *why)
{
    Arena arena = {0};
    QueuedJob *offered = NULL, *queued = NULL;
    size_t offers = 0, count = 0;
    Status status = judgings_in_state(head->store, "offered", OFFERS, &arena, &offered, &offers, why);
    const size_t live = count_live(offered, offers);
    if (status == STATUS_OK && live < OFFERS)
        status = judgings_in_state(head->store, "queued", (int64_t)(OFFERS - live), &arena, &queued, &count, why);
    const size_t fresh = count_live(queued, count);
    if (live + fresh > 0)
        count = fresh;
    else if (count > OFFERS - offers)
        count = OFFERS - offers;
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        status = offer(head, &queued[i], &arena, why);
    arena_free(&arena);
    return status;
}
