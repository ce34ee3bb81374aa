#include "service/head/head_state.h"

#include "base/clock.h"
#include "service/log/log.h"
#include "service/store/judgings.h"

#include <stdio.h>

static Status begin_lease(Head *head, const SpoolClaim *claim, double *limit_s, Message *why)
{
    Arena arena = {0};
    QueuedJob judging;
    Basis basis;
    char id[32];
    Status status = judgings_read(head->store, claim->id.judging, &arena, &judging, why);
    const bool is_stale = status == STATUS_NOT_FOUND ||
                          (status == STATUS_OK && !judging_is_at(&judging, claim->id.attempt));
    if (is_stale) {
        status = spool_is_done(head->options.spool, claim->id) ? STATUS_OK
                                                               : spool_forget(head->options.spool, claim->id, why);
    } else if (status == STATUS_OK) {
        status = judgings_start(head->store, claim->id.judging, claim->id.attempt, claim->worker, why);
        if (status == STATUS_OK && head_basis(head, &judging, &basis, NULL) == STATUS_OK)
            *limit_s = basis.deadlines.head_s;
        snprintf(id, sizeof id, "%lld-%d", (long long)claim->id.judging, claim->id.attempt);
        log_event(LEVEL_INFO, "claimed", "judging", id, "worker", claim->worker);
    }
    arena_free(&arena);
    return status;
}

static Status look_at_claim(Head *head, const SpoolClaim *claim, Message *why)
{
    bool is_new;
    double limit_s = 0;
    pthread_mutex_lock(&head->lock);
    Watched *watched = watch_see(&head->watch, claim, now_s(), &is_new);
    const bool is_overdue = watch_is_overdue(watched, now_s(), head->options.lease_s);
    const bool is_alive = now_s() - watched->changed_s <= head->options.lease_s;
    pthread_mutex_unlock(&head->lock);
    if (is_overdue && !spool_is_done(head->options.spool, claim->id))
        return head_give_up(head, claim->id, claim->worker, "lost",
                            is_alive ? "it took longer than all limits of the problem together"
                                     : "the worker has not shown a sign of life",
                            why);
    if (!is_new)
        return STATUS_OK;
    Status status = begin_lease(head, claim, &limit_s, why);
    pthread_mutex_lock(&head->lock);
    watch_see(&head->watch, claim, now_s(), &is_new)->limit_s = limit_s;
    pthread_mutex_unlock(&head->lock);
    return status;
}

Status head_look_at_claims(Head *head, Message *why)
{
    Arena arena = {0};
    SpoolClaim *claims;
    size_t count, gone;
    Status status = spool_list_claims(head->options.spool, &arena, &claims, &count, why);
    if (status == STATUS_OK) {
        watch_begin(&head->watch); /* only this thread writes to the list */
        for (size_t i = 0; i < count && status == STATUS_OK; i++)
            status = look_at_claim(head, &claims[i], why);
        pthread_mutex_lock(&head->lock);
        watch_end(&head->watch, &gone);
        head->changes += gone > 0 || count > 0;
        pthread_mutex_unlock(&head->lock);
    }
    arena_free(&arena);
    return status;
}
