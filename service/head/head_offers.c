#include "service/head/head_state.h"

#include "service/store/case_verdicts.h"
#include "service/store/judgings.h"
#include "service/store/submissions.h"

#include <string.h>

enum { OFFERS = 4 }; /* in the spool at a time: the queue's order counts for everything that is not offered yet */

static Status offer(Head *head, const Judging *judging, Arena *arena, Message *why)
{
    Deadlines deadlines;
    int64_t attempt = 0;
    const char *source;
    Message reason;
    Digest revision;
    const Status read = head_deadlines(head, judging->problem, judging->mode, &deadlines, &revision, &reason);
    Status status = submissions_source(head->store, judging->source_hash, arena, &source, why);
    /* A problem that has changed since the hand-in can only be judged as it is now. */
    if (status == STATUS_OK && read == STATUS_OK && strcmp(judging->revision, revision.hex) != 0)
        status = judgings_renew(head->store, judging->id, revision.hex, why);
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
                          .revision = revision.hex,
                          .source_hash = judging->source_hash,
                          .source = source,
                          .file_name = judging->file_name,
                          .person = judging->person,
                          .sizes = judging->sizes[0] == '\0' ? NULL : judging->sizes,
                          .avoid = judging->worker[0] == '\0' ? NULL : judging->worker,
                          .cases = all_cases ? "all" : NULL,
                          .device = "",
                          .priority = judging->position,
                          .time_limit_s = deadlines.worker_s};
    return spool_offer(head->options.spool, &job, why);
}

static size_t count_live(const Judging *judgings, size_t count)
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
    Judging *offered = NULL, *queued = NULL;
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
